//! The emulator: the network of a scenario between two TUN devices.

use std::path::PathBuf;
use std::sync::Mutex;

use ackclock_core::Nanos;
use ackclock_emu::{Devices, Emulation, Lateness, clock, forward};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::cc::Known;
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
        Ok(Emulator { rtts, emulation: Mutex::new(Some(emulation)) })
    }

    /// The propagation delay of both routes of each flow at the start, in ms.
    #[getter]
    fn rtts_ms(&self) -> Vec<f64> {
        self.rtts.clone()
    }

    /// Forwards packets between TUN devices, whose descriptors do not block, until the descriptor `stop` becomes readable.
    /// `pairs` has the index of a flow and its devices at the source's and at the sink's side. Returns what passed, how late it was, and the table of links.
    fn forward<'py>(
        &self,
        py: Python<'py>,
        pairs: Vec<(usize, i32, i32)>,
        stop: i32,
    ) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyAny>)> {
        let taken = self.emulation.lock().expect("no thread panics with it").take();
        let Some(mut emulation) = taken else {
            return Err(PyRuntimeError::new_err("an emulator forwards once"));
        };
        if let Some((flow, ..)) = pairs.iter().find(|(flow, ..)| *flow >= emulation.flows()) {
            return Err(PyValueError::new_err(format!("no flow {flow}")));
        }
        let devices = Devices::of_numbers(&pairs, stop)?;
        let (time, lateness) = py.detach(|| forward(&mut emulation, &devices, clock(), |_, _, _| ()))?;
        let seen = emulation.seen();
        let found = PyDict::new(py);
        found.set_item("duration_s", time as f64 / 1e9)?;
        found.set_item("packets", seen.entered)?;
        found.set_item("unreadable", seen.unreadable)?;
        found.set_item("lateness", document(py, &lateness)?)?;
        let links = emulation.finish().remove("links").expect("there is always this table");
        Ok((found, to_arro3(py, links)?))
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
