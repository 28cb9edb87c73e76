//! The arguments of a rate adaptation in Python. The stub documents the fields.

use ackclock_scenario::abr;
use ackclock_tcp::cc::seconds;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

/// The video and the player of a client.
#[pyclass(module = "ackclock._core", frozen, get_all)]
pub struct Video {
    ladder: Py<PyTuple>,
    segment: f64,
    buffer: f64,
    target: f64,
}

impl Video {
    pub fn new(py: Python<'_>, setup: &abr::Setup<'_>) -> PyResult<Video> {
        Ok(Video {
            ladder: PyTuple::new(py, setup.ladder)?.unbind(),
            segment: seconds(setup.segment),
            buffer: seconds(setup.capacity),
            target: seconds(setup.target()),
        })
    }
}

/// A segment that has arrived.
#[pyclass(module = "ackclock._core", frozen, get_all)]
pub struct Download {
    level: usize,
    bytes: u64,
    requested: f64,
    first_byte: f64,
    done: f64,
    bps: f64,
    buffer_at_request: f64,
    buffer_before: f64,
    buffer: f64,
}

impl Download {
    pub fn new(download: &abr::Download) -> Download {
        let time = (download.done - download.requested).max(1);
        Download {
            level: download.level,
            bytes: download.bytes,
            requested: seconds(download.requested),
            first_byte: seconds(download.first_byte),
            done: seconds(download.done),
            bps: download.bytes as f64 * 8e9 / time as f64,
            buffer_at_request: seconds(download.buffer_at_request),
            buffer_before: seconds(download.buffer_before),
            buffer: seconds(download.buffer_after),
        }
    }
}

/// The state of a client before a request.
#[pyclass(module = "ackclock._core", frozen, get_all)]
pub struct Playback {
    now: f64,
    buffer: f64,
    last: Option<usize>,
    playing: bool,
    latency: Option<f64>,
    index: usize,
    left: Option<usize>,
    sizes: Vec<Vec<u64>>,
    history: Py<PyList>,
}

/// Number of segments whose sizes a rule is told.
const AHEAD: usize = 8;

impl Playback {
    pub fn new(state: &abr::State<'_>, history: Py<PyList>) -> Playback {
        let upcoming = &state.upcoming;
        Playback {
            now: seconds(state.now),
            buffer: seconds(state.buffer),
            last: state.previous,
            playing: state.playing,
            latency: state.latency.map(seconds),
            index: upcoming.index,
            left: upcoming.count.map(|count| (count as usize).saturating_sub(upcoming.index)),
            sizes: upcoming.sizes(AHEAD),
            history,
        }
    }
}
