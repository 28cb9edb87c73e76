//! Algorithms of the user: congestion controls as classes in Python and in libraries, and rate adaptations in Python.

mod fields;
mod full;
mod rules;
pub mod views;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use ackclock_plugin::Control;
use ackclock_scenario::abr::Registered as RegisteredRule;
use ackclock_scenario::{Range, Registered};
use ackclock_tcp::cc::{Algorithm as EngineAlgorithm, CongestionControl, Ruled, Scope, WindowRules};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::abr;
use crate::callbacks::{Caller, Failure, Overridden};
use full::Full;
use rules::Rules;

/// A Python class that is a congestion control.
struct Class {
    name: &'static str,
    source: String,
    parameters: Vec<Range>,
    /// Creates an object of the class from pairs of parameters and values.
    make: Py<PyAny>,
    overridden: Overridden,
    /// The scope of the class if it has the callbacks of a congestion control; `None` if it has the rules of a window.
    full: Option<Scope>,
}

/// Stands for an algorithm that could not be created; the run ends.
struct Nothing;

impl WindowRules for Nothing {}

impl Class {
    fn connection(&self, given: &[(&'static str, f64)], caller: &Caller) -> Box<dyn CongestionControl> {
        let made = caller.call("__init__", None, |py| {
            let object = self.make.bind(py).call1((given.to_vec(),))?;
            let caller = caller.clone();
            Ok::<Box<dyn CongestionControl>, PyErr>(match self.full {
                Some(scope) => Box::new(Full::new(py, caller, &object, &self.overridden, scope)?),
                None => Box::new(Ruled::new(Rules::new(caller, &object, &self.overridden)?)),
            })
        });
        made.unwrap_or_else(|| Box::new(Ruled::new(Nothing)))
    }
}

/// An algorithm of the user.
#[derive(Clone)]
enum Form {
    Class(Arc<Class>),
    /// A congestion control of a library, and the digest of the library.
    Control(Arc<Control>, String),
    /// A rate adaptation of DASH.
    Rule(Arc<abr::Class>),
}

/// A congestion control or a rate adaptation of the user, in the form that runs accept.
#[pyclass(module = "ackclock._core", frozen)]
pub struct Algorithm(Form);

impl Algorithm {
    /// The name, if the algorithm is a congestion control in Python, whose runs hold the interpreter. A rate adaptation is
    /// called so seldom that each call takes the interpreter.
    pub fn class(&self) -> Option<&'static str> {
        if let Form::Class(class) = &self.0 { Some(class.name) } else { None }
    }
}

#[pymethods]
impl Algorithm {
    #[new]
    #[pyo3(signature = (name, source, make, *, parameters, overridden, scope))]
    fn new(
        name: &str,
        source: String,
        make: Py<PyAny>,
        parameters: Vec<(String, f64, f64)>,
        overridden: BTreeSet<String>,
        scope: Option<(bool, bool, bool, bool, bool)>,
    ) -> Algorithm {
        Algorithm(Form::Class(Arc::new(Class {
            name: lasting(name),
            source,
            parameters: ranges(parameters),
            make,
            overridden: Overridden(overridden),
            full: scope.map(|(slow_start, window, paces, gap, proportional)| Scope {
                slow_start,
                window,
                paces,
                gap,
                proportional,
                ..Scope::default()
            }),
        })))
    }

    /// Returns a rate adaptation.
    #[staticmethod]
    #[pyo3(signature = (name, source, make, *, parameters, overridden))]
    fn rule(
        name: &str,
        source: String,
        make: Py<PyAny>,
        parameters: Vec<(String, f64, f64)>,
        overridden: BTreeSet<String>,
    ) -> Algorithm {
        Algorithm(Form::Rule(Arc::new(abr::Class {
            name: lasting(name),
            source,
            parameters: ranges(parameters),
            make,
            overridden: Overridden(overridden),
        })))
    }
}

fn ranges(parameters: Vec<(String, f64, f64)>) -> Vec<Range> {
    parameters.into_iter().map(|(name, least, most)| Range { name: lasting(&name), least, most }).collect()
}

/// Returns a name that lives as long as the process, like those of the catalogue; each name is kept once.
fn lasting(name: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return known;
    }
    let name: &'static str = Box::leak(name.into());
    names.insert(name);
    name
}

/// A parameter of an algorithm of a library: name, summary, default, least and most.
type Row = (&'static str, String, f64, f64, f64);

/// A congestion control of a library: name, summary, parameters, whether it paces, and algorithm.
type Entry = (&'static str, String, Vec<Row>, bool, Algorithm);

/// Opens a library whose digest is `source`, and returns name, summary, parameters, whether it paces, and algorithm of
/// each of its congestion controls. The library stays in the process.
///
/// # Errors
/// `ValueError` if the file is not a library of congestion controls for this build.
#[pyfunction]
pub fn library(path: &str, source: &str) -> PyResult<Vec<Entry>> {
    let controls = ackclock_plugin::controls(Path::new(path)).map_err(PyValueError::new_err)?;
    let one = |control: Control| {
        let parameters = control.parameters.iter();
        let rows = parameters.map(|one| (one.name, one.summary.clone(), one.default, one.least, one.most)).collect();
        let (name, summary, paces) = (control.name, control.summary.clone(), control.paces(&[]));
        (name, summary, rows, paces, Algorithm(Form::Control(Arc::new(control), source.to_owned())))
    };
    Ok(controls.into_iter().map(one).collect())
}

/// The algorithms of the user that a scenario may name.
#[derive(Default)]
pub struct Known {
    pub controls: Vec<Arc<Registered>>,
    pub rules: Vec<Arc<RegisteredRule>>,
}

/// Returns the algorithms for the reader of a scenario; their failures are recorded in `failure`.
pub fn registered(algorithms: &[PyRef<'_, Algorithm>], failure: &Arc<Failure>) -> Known {
    let mut known = Known::default();
    for algorithm in algorithms {
        let failure = failure.clone();
        match &algorithm.0 {
            Form::Class(class) => known.controls.push(of_class(class.clone(), failure).into()),
            Form::Control(control, source) => {
                known.controls.push(of_control(control.clone(), source.clone(), failure).into());
            }
            Form::Rule(class) => known.rules.push(abr::registered(class.clone(), failure).into()),
        }
    }
    known
}

fn of_class(class: Arc<Class>, failure: Arc<Failure>) -> Registered {
    Registered {
        name: class.name,
        source: class.source.clone(),
        parameters: class.parameters.clone(),
        make: Box::new(move |given, flow| {
            let caller = Caller { algorithm: class.name, flow: flow.into(), failure: failure.clone() };
            let (class, given) = (class.clone(), given.to_vec());
            let paces = class.full.is_some_and(|scope| scope.paces);
            EngineAlgorithm::custom(class.name, move || class.connection(&given, &caller)).pacing(paces)
        }),
    }
}

fn of_control(control: Arc<Control>, source: String, failure: Arc<Failure>) -> Registered {
    let range = |one: &ackclock_plugin::Parameter| Range { name: one.name, least: one.least, most: one.most };
    Registered {
        name: control.name,
        source,
        parameters: control.parameters.iter().map(range).collect(),
        make: Box::new(move |given, flow| control.algorithm(given, flow, failure.clone())),
    }
}
