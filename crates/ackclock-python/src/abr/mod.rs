//! Rate adaptations of the user: classes in Python.

pub mod views;

use std::sync::Arc;

use ackclock_scenario::Range;
use ackclock_scenario::abr::{self, Abr, Decision};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyList, PyTuple};

use crate::callbacks::{Caller, Failure, Overridden, Own};

/// Longest time that a rule may wait, in seconds.
const LONGEST_WAIT: f64 = 1e6;

/// A Python class that is a rate adaptation.
pub struct Class {
    pub name: &'static str,
    pub source: String,
    pub parameters: Vec<Range>,
    /// Creates an object of the class from pairs of parameters and values.
    pub make: Py<PyAny>,
    pub overridden: Overridden,
}

/// Returns the rule for the reader of a scenario; its failures are recorded in `failure`.
pub fn registered(class: Arc<Class>, failure: Arc<Failure>) -> abr::Registered {
    abr::Registered {
        name: class.name,
        source: class.source.clone(),
        parameters: class.parameters.clone(),
        make: Box::new(move |setup, given, flow| -> Box<dyn Abr> {
            let caller = Caller { algorithm: class.name, flow: flow.into(), failure: failure.clone() };
            let made = caller.call("__init__", None, |py| {
                let object = class.make.bind(py).call1((given.to_vec(),))?;
                Rule::new(py, caller.clone(), &object, &class.overridden, setup)
            });
            let Some(rule) = made else { return Box::new(Nothing) };
            if let Some(start) = &rule.start {
                rule.caller.call("start", None, |py| start.call1(py, (views::Video::new(py, setup)?,)).map(drop));
            }
            Box::new(rule)
        }),
    }
}

/// Stands for a rule that could not be created; the run ends.
struct Nothing;

impl Abr for Nothing {
    fn choose(&mut self, _state: &abr::State<'_>) -> Decision {
        Decision::now(0)
    }
}

/// The rule of a client.
struct Rule {
    caller: Caller,
    levels: usize,
    start: Own,
    choose: Py<PyAny>,
    on_segment: Own,
    on_stall: Own,
    /// The downloads so far.
    history: Py<PyList>,
}

impl Rule {
    fn new(
        py: Python<'_>,
        caller: Caller,
        object: &Bound<'_, PyAny>,
        overridden: &Overridden,
        setup: &abr::Setup<'_>,
    ) -> PyResult<Rule> {
        let method = |name| overridden.method(object, name);
        Ok(Rule {
            caller,
            levels: setup.ladder.len(),
            start: method("start")?,
            choose: object.getattr("choose")?.unbind(),
            on_segment: method("on_segment")?,
            on_stall: method("on_stall")?,
            history: PyList::empty(py).unbind(),
        })
    }

    /// Returns the decision in what the class returned: a level, or a pair of a level and a time in seconds.
    fn decision(&self, said: &Bound<'_, PyAny>) -> PyResult<Decision> {
        let pair = said.cast::<PyTuple>().ok().filter(|pair| pair.len() == 2);
        let (level, wait) = match pair {
            Some(pair) => (pair.get_item(0)?, pair.get_item(1)?.extract::<f64>()),
            None => (said.clone(), Ok(0.0)),
        };
        let number = level.extract::<i64>().ok().filter(|_| !level.is_instance_of::<PyBool>());
        let chosen = number.and_then(|number| usize::try_from(number).ok()).filter(|level| *level < self.levels);
        let waits = wait.as_ref().is_ok_and(|wait| (0.0..=LONGEST_WAIT).contains(wait));
        if let (Some(level), Ok(wait), true) = (chosen, &wait, waits) {
            return Ok(Decision { level, wait: (wait * 1e9).round() as u64 });
        }
        let message = format!(
            "it returns {}{}: accepted: a level from 0 to {}, or a pair of such a level and a time to wait from 0 to \
             {LONGEST_WAIT} seconds",
            said.repr()?,
            place(self.choose.bind(said.py())),
            self.levels - 1
        );
        if number.is_some() && wait.is_ok() {
            Err(PyValueError::new_err(message))
        } else {
            Err(PyTypeError::new_err(message))
        }
    }
}

/// Returns the file and the line of a method in brackets; nothing for a method that is not a function of Python.
fn place(method: &Bound<'_, PyAny>) -> String {
    let code = || {
        let code = method.getattr("__func__")?.getattr("__code__")?;
        Ok::<_, PyErr>((code.getattr("co_filename")?.to_string(), code.getattr("co_firstlineno")?.to_string()))
    };
    code().map_or_else(|_| String::new(), |(file, line)| format!(" ({file}, from line {line})"))
}

impl Abr for Rule {
    fn on_segment(&mut self, download: &abr::Download) {
        self.caller.call("on_segment", Some(download.done), |py| {
            let download = Py::new(py, views::Download::new(download))?;
            self.history.bind(py).append(&download)?;
            self.on_segment.as_ref().map_or(Ok(()), |method| method.call1(py, (&download,)).map(drop))
        });
    }

    fn on_stall(&mut self) {
        if let Some(method) = &self.on_stall {
            self.caller.call("on_stall", None, |py| method.call0(py).map(drop));
        }
    }

    fn choose(&mut self, state: &abr::State<'_>) -> Decision {
        let chosen = self.caller.call("choose", Some(state.now), |py| {
            let told = views::Playback::new(state, self.history.clone_ref(py));
            self.decision(self.choose.bind(py).call1((told,))?.as_any())
        });
        chosen.unwrap_or(Decision::now(0))
    }
}
