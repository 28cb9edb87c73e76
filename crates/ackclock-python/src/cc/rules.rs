//! The rules of [`WindowRules`] in Python. Rules that a class does not override are not called.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use ackclock_plugin::accepted::{self, INCREASE, SHARE, START};
use ackclock_tcp::cc::{Situation, WindowRules};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::views;
use crate::callbacks::{Caller, Overridden, Own};

/// The rules of a connection.
pub struct Rules {
    caller: Caller,
    seed: Own,
    start: Own,
    increase: Own,
    reduction: Own,
    timeout: Own,
    idle: Own,
    state_name: Own,
    /// The argument of all rules, created at the first call.
    situation: Option<Argument>,
}

/// The argument of a rule, alone and as the arguments of a call.
struct Argument {
    situation: Py<views::Situation>,
    all: Py<PyTuple>,
}

/// The default rules, used where no rule is overridden.
struct Defaults;

impl WindowRules for Defaults {}

impl Rules {
    pub fn new(caller: Caller, object: &Bound<'_, PyAny>, overridden: &Overridden) -> PyResult<Rules> {
        let method = |name| overridden.method(object, name);
        Ok(Rules {
            caller,
            seed: method("seed")?,
            start: method("start")?,
            increase: method("increase")?,
            reduction: method("reduction")?,
            timeout: method("timeout")?,
            idle: method("idle")?,
            state_name: method("state_name")?,
            situation: None,
        })
    }
}

/// Returns the result of a rule, if the rule is overridden and there was no failure.
fn ask(
    caller: &Caller,
    (name, method): (&str, &Own),
    argument: &mut Option<Argument>,
    situation: &Situation,
    range: &RangeInclusive<f64>,
) -> Option<f64> {
    let method = method.as_ref()?;
    caller.call(name, Some(situation.ctx.now), |py| {
        let argument = match argument {
            Some(argument) => {
                argument.situation.get().fill(situation);
                &*argument
            }
            None => {
                let situation = Py::new(py, views::Situation::new(situation))?;
                let all = PyTuple::new(py, [&situation])?.unbind();
                &*argument.insert(Argument { situation, all })
            }
        };
        let said = method.bind(py).call1(argument.all.bind(py))?;
        let refusal = || Ok::<_, PyErr>(accepted::result(&said.repr()?.to_string(), range));
        match said.extract::<f64>() {
            Ok(number) if range.contains(&number) => Ok(number),
            Ok(_) => Err(PyValueError::new_err(refusal()?)),
            Err(_) => Err(PyTypeError::new_err(refusal()?)),
        }
    })
}

impl WindowRules for Rules {
    fn seed(&mut self, seed: u32) {
        if let Some(method) = &self.seed {
            self.caller.call("seed", None, |py| method.call1(py, (seed,)).map(drop));
        }
    }

    fn start(&mut self, told: &Situation) -> f64 {
        let said = ask(&self.caller, ("start", &self.start), &mut self.situation, told, &START);
        said.unwrap_or_else(|| Defaults.start(told))
    }

    fn increase(&mut self, told: &Situation) -> f64 {
        let said = ask(&self.caller, ("increase", &self.increase), &mut self.situation, told, &INCREASE);
        said.unwrap_or_else(|| Defaults.increase(told))
    }

    fn reduction(&mut self, told: &Situation) -> f64 {
        let said = ask(&self.caller, ("reduction", &self.reduction), &mut self.situation, told, &SHARE);
        said.unwrap_or_else(|| Defaults.reduction(told))
    }

    fn timeout(&mut self, told: &Situation) -> f64 {
        let said = ask(&self.caller, ("timeout", &self.timeout), &mut self.situation, told, &SHARE);
        said.unwrap_or_else(|| self.reduction(told))
    }

    fn idle(&mut self, told: &Situation) -> f64 {
        let said = ask(&self.caller, ("idle", &self.idle), &mut self.situation, told, &SHARE);
        said.unwrap_or_else(|| Defaults.idle(told))
    }

    fn state(&self) -> Option<Cow<'_, str>> {
        self.caller.state(&self.state_name)
    }
}
