//! Runs of scenarios over the sockets of the kernel that this runs on.

use std::fs::File;
use std::net::IpAddr;
use std::path::PathBuf;

use ackclock_live::{Failed, Member, Passing, Places, Wanted};
use ackclock_results::{Column, Tables};
use ackclock_scenario::{Outside, ScenarioError};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use serde_json::{Map, Value, json};

use crate::scenario::{parse_with, read};

/// A flow's wishes, places and devices.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Place {
    cc: String,
    nagle: bool,
    paced: bool,
    write_size: usize,
    /// Paths of the network namespaces of the source and of the sink.
    namespaces: [PathBuf; 2],
    addresses: [IpAddr; 2],
    /// Descriptors of the TUN devices.
    devices: [i32; 2],
}

impl Place {
    fn member(self) -> std::io::Result<Member> {
        let Place { cc, nagle, paced, write_size, namespaces, addresses, devices } = self;
        let [source, sink] = namespaces;
        let namespaces = [File::open(source)?.into(), File::open(sink)?.into()];
        let [IpAddr::V4(source), IpAddr::V4(sink)] = addresses else {
            return Err(std::io::Error::other("the addresses of a flow are of IPv4"));
        };
        let wanted = Wanted { cc, nagle, paced, write_size: write_size.max(1) };
        Ok(Member { wanted, places: Places { namespaces, addresses: [source, sink] }, devices })
    }
}

/// Runs a scenario over the kernel's sockets; `places` has one dict for each copy of a flow. The calling thread ends in
/// another network namespace. Returns JSON: tables by
/// name as columns, the lateness of the network in ns, counts of packets, and the smallest RTT of a flow.
#[pyfunction]
pub fn live_run(
    py: Python<'_>,
    text: &str,
    format: &str,
    folder: PathBuf,
    seed: u64,
    places: Vec<Place>,
    virtual_clock: bool,
) -> PyResult<String> {
    // The exceptions of the package are not there: this may be the only module of its process.
    let wrong = |error: &ScenarioError| PyValueError::new_err(format!("{:?}", error.problems));
    let files = |path: &str| read(&folder.join(path));
    let outside = Outside { files: &files, ..Outside::NOTHING };
    let scenario = parse_with(text, format, &[], outside)?.map_err(|error| wrong(&error))?;
    let members = places.into_iter().map(Place::member).collect::<std::io::Result<Vec<_>>>()?;
    let passing = if virtual_clock { Passing::Virtual } else { Passing::Real };
    let output = py.detach(|| ackclock_live::run(&scenario, seed, members, passing)).map_err(|error| match error {
        Failed::Scenario(error) => wrong(&error),
        Failed::System(error) => PyOSError::new_err(error.to_string()),
    })?;
    let late = &output.lateness;
    let document = json!({
        "tables": tables(output.tables),
        "lateness": {
            "packets": late.count(),
            "p50_ns": late.quantile(0.5),
            "p99_ns": late.quantile(0.99),
            "p999_ns": late.quantile(0.999),
            "max_ns": late.max(),
        },
        "packets": output.seen.entered,
        "unreadable": output.seen.unreadable,
        "rtt_ns": output.rtt,
    });
    Ok(document.to_string())
}

fn tables(tables: Tables) -> Value {
    let columns = |column: Column| match column {
        Column::Int(cells) => json!(cells),
        Column::Float(cells) => json!(cells),
        Column::Text(cells) => json!(cells),
        Column::Bool(cells) => json!(cells),
    };
    let table = |table: ackclock_results::Table| {
        table.columns.into_iter().map(|(name, column)| (name.to_owned(), columns(column))).collect::<Map<_, _>>()
    };
    tables.into_iter().map(|(name, rows)| (name.to_owned(), Value::Object(table(rows)))).collect::<Map<_, _>>().into()
}
