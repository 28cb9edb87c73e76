//! The description of an application before it runs: the fields that a scenario gives it.

use std::fmt;
use std::sync::Arc;

use super::abr::Registered;
use super::completion::Path;
use super::demand::Demand;
use super::{App, Application, Needs};
use crate::fields::Rules;

/// A kind of application: a record of the fields that a scenario gives it.
pub(crate) trait AppKind {
    /// Adds mistakes that only the fields taken together show; each field has been accepted alone.
    fn check(&self, _rules: &mut Rules<'_, '_>) {}

    /// Returns the load that the application may offer to the network within `time` seconds.
    fn demand(&self, time: f64, path: Path) -> Demand;

    /// Returns the numbers of hosts at the source and at the sink. Each host has an access link of its own.
    fn hosts(&self) -> [u32; 2] {
        [1, 1]
    }

    /// Returns the abilities that the application needs of its transport.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// Returns the registered rate adaptation that the application uses, if it uses one.
    fn own_rule(&self) -> Option<&Arc<Registered>> {
        None
    }

    /// Creates the application of the flow named `flow` over a path.
    ///
    /// # Errors
    /// Fields with which the application cannot run.
    fn make(&self, path: Path, flow: &str) -> Made;
}

/// An application that can run, or the reasons why there is none.
pub(crate) type Made = Result<Box<dyn Application>, Vec<ParamProblem>>;

/// A mistake in a parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParamProblem {
    /// The field of the application.
    pub field: &'static str,
    /// The mistake, and what is accepted.
    pub message: String,
}

impl fmt::Display for ParamProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

/// Defines the kinds of applications that a flow of a scenario may have. A line is `"name" =>
/// Variant(module::Fields),`. The name is that of scenarios, and the fields are a [`record!`](crate::fields::record)
/// that is an [`AppKind`]. The comment on the record is the application's sentence in the reference. The fields are
/// boxed because some records are large.
macro_rules! applications {
    ($($kind:literal => $Variant:ident($Fields:ty),)+) => {
        ackclock_schema::union! {
            /// Application of a flow.
            pub enum App, otherwise None, {
                $($kind => $Variant(Box<$Fields>),)+
            }
        }

        impl App {
            /// Returns the application's name in scenarios and its fields.
            fn kind(&self) -> (&'static str, &dyn $crate::kind::AppKind) {
                match self {
                    $(App::$Variant(fields) => ($kind, &**fields),)+
                }
            }
        }
    };
}
pub(super) use applications;

impl App {
    /// Returns the application's name in scenarios.
    pub fn name(&self) -> &'static str {
        self.kind().0
    }

    /// Returns the registered rate adaptation that the application uses, if it uses one.
    pub fn own_rule(&self) -> Option<&Arc<Registered>> {
        self.kind().1.own_rule()
    }

    /// Returns the abilities that the application needs of its transport.
    pub fn needs(&self) -> Needs {
        self.kind().1.needs()
    }

    /// Adds mistakes that only the fields taken together show.
    pub fn check(&self, rules: &mut Rules<'_, '_>) {
        self.kind().1.check(rules);
    }

    /// Returns the load that the application may offer to the network within `time` seconds.
    pub fn demand(&self, time: f64, path: Path) -> Demand {
        self.kind().1.demand(time, path)
    }

    /// Returns the numbers of hosts at the source and at the sink. Each host has an access link of its own.
    pub fn hosts(&self) -> [u32; 2] {
        self.kind().1.hosts()
    }

    /// Creates the application of the flow named `flow` over a path, with the name of its kind.
    ///
    /// # Errors
    /// Fields with which the application cannot run.
    pub fn make(&self, path: Path, flow: &str) -> Result<(&'static str, Box<dyn Application>), Vec<ParamProblem>> {
        let (name, kind) = self.kind();
        Ok((name, kind.make(path, flow)?))
    }
}
