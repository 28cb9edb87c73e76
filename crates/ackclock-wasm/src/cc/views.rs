//! The argument of rules in JavaScript: each connection has one object, which has new values at every call. The fields
//! are those of the argument in Python; an absent number is undefined.

use std::cell::Cell;
use std::rc::Rc;

use ackclock_tcp::cc::{Situation as Told, seconds};
use ackclock_tcp::context::Cause;
use wasm_bindgen::prelude::*;

/// The event and the state for which a rule is evaluated: windows in segments, times in seconds.
#[wasm_bindgen]
pub struct Situation(Rc<Cell<Told>>);

/// Returns the place of the values, and the object of JavaScript that reads them.
pub fn situation(told: Told) -> (Rc<Cell<Told>>, JsValue) {
    let content = Rc::new(Cell::new(told));
    let argument = Situation(content.clone()).into();
    (content, argument)
}

#[wasm_bindgen]
impl Situation {
    /// Simulated time.
    #[wasm_bindgen(getter)]
    pub fn now(&self) -> f64 {
        seconds(self.0.get().ctx.now)
    }

    /// Payload of a full segment, bytes.
    #[wasm_bindgen(getter)]
    pub fn mss(&self) -> f64 {
        self.0.get().ctx.mss as f64
    }

    /// Congestion window.
    #[wasm_bindgen(getter)]
    pub fn cwnd(&self) -> f64 {
        self.0.get().cwnd()
    }

    /// Slow-start threshold; infinite until the first congestion.
    #[wasm_bindgen(getter)]
    pub fn ssthresh(&self) -> f64 {
        self.0.get().ssthresh()
    }

    /// Initial window of the scenario.
    #[wasm_bindgen(getter)]
    pub fn initial_window(&self) -> f64 {
        let told = self.0.get();
        told.segments(told.ctx.initial_window)
    }

    /// Newly acknowledged segments.
    #[wasm_bindgen(getter)]
    pub fn acked(&self) -> f64 {
        let told = self.0.get();
        told.segments(told.acked)
    }

    /// Segments between the highest acknowledged and the highest sent one.
    #[wasm_bindgen(getter)]
    pub fn flight_size(&self) -> f64 {
        let told = self.0.get();
        told.segments(told.ctx.flight_size)
    }

    /// Segments that are in the network as far as the sender knows.
    #[wasm_bindgen(getter)]
    pub fn pipe(&self) -> f64 {
        let told = self.0.get();
        told.segments(told.ctx.pipe)
    }

    /// RTT sample of the acknowledgment.
    #[wasm_bindgen(getter)]
    pub fn rtt(&self) -> Option<f64> {
        self.0.get().rtt.map(seconds)
    }

    /// Smoothed RTT.
    #[wasm_bindgen(getter)]
    pub fn srtt(&self) -> Option<f64> {
        self.0.get().ctx.srtt.map(seconds)
    }

    /// Smallest RTT sample.
    #[wasm_bindgen(getter)]
    pub fn min_rtt(&self) -> Option<f64> {
        self.0.get().ctx.min_rtt.map(seconds)
    }

    /// Cause of the congestion: "loss", "ecn", "timeout" or "delay".
    #[wasm_bindgen(getter)]
    pub fn cause(&self) -> Option<String> {
        let event = self.0.get().congestion?;
        let name = match event.cause {
            Cause::Loss => "loss",
            Cause::Ecn => "ecn",
            Cause::Timeout => "timeout",
            Cause::Delay => "delay",
        };
        Some(name.to_owned())
    }

    /// Whether the scenario uses ABE (RFC 8511).
    #[wasm_bindgen(getter)]
    pub fn abe(&self) -> bool {
        self.0.get().congestion.is_some_and(|event| event.abe)
    }

    /// Time since the last segment was sent, if the event is the end of an idle period.
    #[wasm_bindgen(getter)]
    pub fn idle(&self) -> f64 {
        seconds(self.0.get().idle)
    }
}
