//! The emulator: the network of a scenario between two TUN devices.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Mutex;

use ackclock_core::Nanos;
use ackclock_emu::{Devices, Emulation, Lateness, Routes, forward};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::scenario_error;
use crate::scenario::parse;
use crate::tables::to_arro3;

const NS_PER_MS: f64 = 1e6;

/// The network of a scenario for packets of the kernel. It is used once.
#[pyclass(module = "ackclock._core", frozen)]
pub struct Emulator {
    emulation: Mutex<Option<Emulation>>,
    rtts: Vec<f64>,
}

#[pymethods]
impl Emulator {
    /// Creates the network. All packets take the route of the flow with the index `flow`; with `routes`, a packet takes
    /// that of the flow that one of its addresses belongs to.
    #[new]
    #[pyo3(signature = (text, format, overrides, folder, *, seed=None, flow=0, routes=None))]
    #[expect(clippy::too_many_arguments, reason = "they have names on the other side")]
    fn new(
        py: Python<'_>,
        text: &str,
        format: &str,
        overrides: Vec<(String, String)>,
        folder: PathBuf,
        seed: Option<u64>,
        flow: usize,
        routes: Option<Vec<(IpAddr, usize)>>,
    ) -> PyResult<Emulator> {
        let scenario = parse(py, text, format, &overrides, &folder, &[])?;
        let flows: usize = scenario.flows.iter().map(|flow| flow.copies().count()).sum();
        let routes = routes.map(|routes| routes.into_iter().collect::<BTreeMap<_, _>>());
        let last = routes.as_ref().map_or(Some(flow), |routes| routes.values().max().copied());
        if let Some(last) = last.filter(|last| *last >= flows) {
            return Err(PyValueError::new_err(format!("no flow {last}; the scenario has {flows}, counted from 0")));
        }
        let routes = routes.map_or(Routes::One(flow), Routes::ByAddress);
        let emulation = Emulation::new(&scenario, seed.unwrap_or(scenario.seed), routes);
        let emulation = emulation.map_err(|error| scenario_error(py, &error))?;
        let rtts = (0..flows).map(|flow| emulation.rtt(flow) as f64 / NS_PER_MS).collect();
        Ok(Emulator { rtts, emulation: Mutex::new(Some(emulation)) })
    }

    /// The propagation delay of both routes of each flow at the start, in ms.
    #[getter]
    fn rtts_ms(&self) -> Vec<f64> {
        self.rtts.clone()
    }

    /// Forwards packets between two TUN devices, whose descriptors do not block, until the descriptor `stop` becomes
    /// readable. Returns what passed, how late it was, and the table of links.
    fn forward<'py>(
        &self,
        py: Python<'py>,
        source: i32,
        sink: i32,
        stop: i32,
    ) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyAny>)> {
        let taken = self.emulation.lock().expect("no thread panics with it").take();
        let Some(mut emulation) = taken else {
            return Err(PyRuntimeError::new_err("an emulator forwards once"));
        };
        let devices = Devices::of_numbers(source, sink, stop)?;
        let (time, lateness) = py.detach(|| forward(&mut emulation, &devices))?;
        let seen = emulation.seen();
        let found = PyDict::new(py);
        found.set_item("duration_s", time as f64 / 1e9)?;
        found.set_item("packets", seen.entered)?;
        found.set_item("unreadable", seen.unreadable)?;
        found.set_item("stray", seen.stray)?;
        found.set_item("lateness", document(py, &lateness)?)?;
        Ok((found, to_arro3(py, emulation.report())?))
    }
}

fn document<'py>(py: Python<'py>, lateness: &Lateness) -> PyResult<Bound<'py, PyDict>> {
    let ms = |time: Option<Nanos>| time.map(|time| time as f64 / NS_PER_MS);
    let found = PyDict::new(py);
    found.set_item("packets", lateness.count())?;
    found.set_item("p50_ms", ms(lateness.quantile(0.5)))?;
    found.set_item("p99_ms", ms(lateness.quantile(0.99)))?;
    found.set_item("p999_ms", ms(lateness.quantile(0.999)))?;
    found.set_item("max_ms", ms(lateness.max()))?;
    Ok(found)
}
