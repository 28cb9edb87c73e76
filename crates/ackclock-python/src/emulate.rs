//! The emulator: the network of a scenario between two TUN devices.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Mutex;

use ackclock_core::Nanos;
use ackclock_emu::{Devices, Emulation, Lateness, Watch, clock, forward};
use ackclock_sim::relay::Gauge;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::cc::Known;
use crate::errors::scenario_error;
use crate::scenario::parse;
use crate::tables::to_arro3;

const NS_PER_MS: f64 = 1e6;
const NS_PER_S: f64 = 1e9;
/// Looks that are kept for a caller who does not take them: older ones are dropped.
const MOST_LOOKS: usize = 20_000;

/// Counts of a link at a look: bytes, packets and drops since the start, and packets and bytes in the queue.
type Counts = (u64, u64, u64, u64, u64);
/// The time of a look in seconds, and each link as it was then.
type Look = (f64, Vec<Counts>);

/// The network of a scenario for packets of the kernel. It is used once.
#[pyclass(module = "ackclock._core", frozen)]
pub struct Emulator {
    emulation: Mutex<Option<Emulation>>,
    rtts: Vec<f64>,
    links: Vec<String>,
    looks: Mutex<VecDeque<Look>>,
}

#[pymethods]
impl Emulator {
    /// Creates the network.
    #[new]
    #[pyo3(signature = (text, format, overrides, folder, *, seed=None))]
    fn new(
        py: Python<'_>,
        text: &str,
        format: &str,
        overrides: Vec<(String, String)>,
        folder: PathBuf,
        seed: Option<u64>,
    ) -> PyResult<Emulator> {
        let scenario = parse(py, text, format, &overrides, &folder, &Known::default())?;
        let emulation = Emulation::new(&scenario, seed.unwrap_or(scenario.seed));
        let emulation = emulation.map_err(|error| scenario_error(py, &error))?;
        let rtts = (0..emulation.flows()).map(|flow| emulation.rtt(flow) as f64 / NS_PER_MS).collect();
        let links = emulation.links();
        Ok(Emulator { rtts, links, looks: Mutex::default(), emulation: Mutex::new(Some(emulation)) })
    }

    /// The names of the links in each direction, in the order of the counts of `looks`.
    #[getter]
    fn links(&self) -> Vec<String> {
        self.links.clone()
    }

    /// Takes the looks at the network since the last call: the time in s, and of each link the bytes, packets and drops
    /// since the start, and the packets and bytes in the queue.
    fn looks(&self) -> Vec<Look> {
        self.looks.lock().expect("no thread panics with it").drain(..).collect()
    }

    /// The propagation delay of both routes of each flow at the start, in ms.
    #[getter]
    fn rtts_ms(&self) -> Vec<f64> {
        self.rtts.clone()
    }

    /// Forwards packets between TUN devices, whose descriptors do not block, until the descriptor `stop` becomes readable.
    /// `pairs` has the index of a flow and its devices at the source's and at the sink's side. With `every`, the network is
    /// looked at after each so many ns. Returns what passed, how late it was, and the table of links.
    #[pyo3(signature = (pairs, stop, *, every=None))]
    fn forward<'py>(
        &self,
        py: Python<'py>,
        pairs: Vec<(usize, i32, i32)>,
        stop: i32,
        every: Option<u64>,
    ) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyAny>)> {
        let taken = self.emulation.lock().expect("no thread panics with it").take();
        let Some(mut emulation) = taken else {
            return Err(PyRuntimeError::new_err("an emulator forwards once"));
        };
        if let Some((flow, ..)) = pairs.iter().find(|(flow, ..)| *flow >= emulation.flows()) {
            return Err(PyValueError::new_err(format!("no flow {flow}")));
        }
        let devices = Devices::of_numbers(&pairs, stop)?;
        let (time, lateness) = py.detach(|| {
            let mut look = |now: Nanos, emulation: &mut Emulation| self.look(now, emulation);
            let watch = every.map(|every| Watch { every: every.max(1), look: &mut look });
            forward(&mut emulation, &devices, clock(), &mut (), watch)
        })?;
        let seen = emulation.seen();
        let found = PyDict::new(py);
        found.set_item("duration_s", time as f64 / NS_PER_S)?;
        found.set_item("packets", seen.entered)?;
        found.set_item("unreadable", seen.unreadable)?;
        found.set_item("lateness", document(py, &lateness)?)?;
        let links = emulation.finish().remove("links").expect("there is always this table");
        Ok((found, to_arro3(py, links)?))
    }
}

impl Emulator {
    /// Keeps a look, unless somebody takes the others at this moment: forwarding does not wait.
    fn look(&self, now: Nanos, emulation: &mut Emulation) {
        let Ok(mut looks) = self.looks.try_lock() else { return };
        if looks.len() == MOST_LOOKS {
            looks.pop_front();
        }
        let counts = |gauge: &Gauge| {
            let Gauge { carried, queued_packets, queued_bytes } = *gauge;
            (carried.bytes, carried.packets, carried.drops(), queued_packets, queued_bytes)
        };
        looks.push_back((now as f64 / NS_PER_S, emulation.gauges().iter().map(counts).collect()));
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
