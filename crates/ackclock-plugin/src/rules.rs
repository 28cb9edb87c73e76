//! The rules of a library, as those of the engine.

use std::ops::RangeInclusive;

use ackclock_cc::Value;
use ackclock_cc::abi;
use ackclock_tcp::cc::{Situation, WindowRules};

use crate::accepted::{self, INCREASE, SHARE, START};
use crate::convert;
use crate::object::Object;

/// The rules of a connection.
pub struct Rules {
    pub table: &'static abi::Rules,
    pub object: Object,
}

/// Reno's rules, for a run that has failed.
pub struct Reno;

impl WindowRules for Reno {}

impl Rules {
    /// Returns the result of a rule, unless there was a failure.
    #[inline]
    fn ask(
        &self,
        (name, rule): (&'static str, abi::Rule),
        flow: &Situation,
        accepted: &RangeInclusive<f64>,
    ) -> Option<f64> {
        let (event, mut result) = (convert::situation(flow).to_c(), 0.0);
        #[expect(unsafe_code, reason = "a function of a library")]
        // SAFETY: the contract of the table: the object, an event, and a place for the result.
        let done = |object| unsafe { rule(object, &raw const event, &raw mut result) };
        let now = Some(flow.ctx.now);
        if !self.object.call(name, now, done) {
            return None;
        }
        if accepted.contains(&result) {
            return Some(result);
        }
        self.object.refuse(name, now, accepted::result(&result.to_string(), accepted));
        None
    }
}

impl WindowRules for Rules {
    fn seed(&mut self, seed: u32) {
        #[expect(unsafe_code, reason = "a function of a library")]
        // SAFETY: the contract of the table: the object and a number.
        self.object.call("seed", None, |object| unsafe { (self.table.seed)(object, seed) });
    }

    fn start(&mut self, flow: &Situation) -> f64 {
        self.ask(("start", self.table.start), flow, &START).unwrap_or_else(|| Reno.start(flow))
    }

    fn increase(&mut self, flow: &Situation) -> f64 {
        self.ask(("increase", self.table.increase), flow, &INCREASE).unwrap_or_else(|| Reno.increase(flow))
    }

    fn reduction(&mut self, flow: &Situation) -> f64 {
        self.ask(("reduction", self.table.reduction), flow, &SHARE).unwrap_or_else(|| Reno.reduction(flow))
    }

    fn timeout(&mut self, flow: &Situation) -> f64 {
        self.ask(("timeout", self.table.timeout), flow, &SHARE).unwrap_or_else(|| Reno.timeout(flow))
    }

    fn idle(&mut self, flow: &Situation) -> f64 {
        self.ask(("idle", self.table.idle), flow, &SHARE).unwrap_or_else(|| Reno.idle(flow))
    }
}
