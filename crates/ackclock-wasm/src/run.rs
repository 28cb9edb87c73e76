//! Runs in steps, so that a page can show progress between them.

use ackclock_sim::{Run, Watching};
use js_sys::Array;
use wasm_bindgen::prelude::*;

use crate::callbacks::failed;
use crate::scenario::{parse, problems};
use crate::tables::Results;
use crate::traces::{parts, spec};

/// A run of a scenario.
#[wasm_bindgen]
pub struct Simulation {
    run: Run,
    duration: u64,
}

#[wasm_bindgen]
impl Simulation {
    /// Creates a run at time 0, with the scenario's seed or another.
    ///
    /// # Errors
    /// All problems of the text.
    #[wasm_bindgen(constructor)]
    pub fn new(text: &str, overrides: &str, seed: Option<u64>) -> Result<Simulation, JsValue> {
        Simulation::traced(text, overrides, seed, Vec::new(), false)
    }

    /// Creates the same run, which also captures packets at places by name and, with `qlog`, logs each end of each
    /// connection.
    ///
    /// # Errors
    /// All problems of the text, and unknown places.
    pub fn traced(
        text: &str,
        overrides: &str,
        seed: Option<u64>,
        captures: Vec<String>,
        qlog: bool,
    ) -> Result<Simulation, JsValue> {
        let scenario = parse(text, overrides)?;
        // A failure of a run that was given up is not one of this run.
        let _ = failed();
        let watching = Watching { traces: spec(captures, qlog), ..Watching::default() };
        let run = Run::watched(&scenario, seed, &watching).map_err(|error| problems(&error))?;
        Ok(Simulation { run, duration: scenario.duration })
    }

    /// Handles up to `events` events. Returns whether the run continues.
    ///
    /// # Errors
    /// The failure of a congestion control of the user, which ends the run.
    pub fn step(&mut self, events: u32) -> Result<bool, JsValue> {
        let continues = self.run.step(u64::from(events));
        failed().map(|()| continues)
    }

    /// Returns the part of the simulated time that is done, from 0 to 1.
    pub fn done(&self) -> f64 {
        (self.run.now() as f64 / self.duration.max(1) as f64).min(1.0)
    }

    /// Removes and returns the traces so far: an array of [name of a file, the bytes to append to it].
    pub fn take_traces(&mut self) -> Array {
        parts(self.run.take_traces())
    }

    /// Returns the tables of the whole run, and the rest of its traces.
    ///
    /// # Errors
    /// The failure of a congestion control of the user.
    pub fn finish(mut self) -> Result<Results, JsValue> {
        while self.run.step(u64::MAX) {}
        let output = self.run.finish();
        failed().map(|()| Results::of(output.tables, output.traces))
    }
}
