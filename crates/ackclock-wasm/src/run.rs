//! Runs in steps, so that a page can show progress between them.

use ackclock_sim::Run;
use wasm_bindgen::prelude::*;

use crate::callbacks::failed;
use crate::scenario::{parse, problems};
use crate::tables::Results;

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
        let scenario = parse(text, overrides)?;
        // A failure of a run that was given up is not one of this run.
        let _ = failed();
        let run = Run::new(&scenario, seed).map_err(|error| problems(&error))?;
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

    /// Returns the tables of the whole run.
    ///
    /// # Errors
    /// The failure of a congestion control of the user.
    pub fn finish(mut self) -> Result<Results, JsValue> {
        while self.run.step(u64::MAX) {}
        let tables = self.run.finish().tables;
        failed().map(|()| Results::of(tables))
    }
}
