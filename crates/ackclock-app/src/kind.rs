//! What there is of an application before it runs: the fields that a scenario gives it.

use std::fmt;

use super::completion::Path;
use super::demand::Demand;
use super::{App, Application};
use crate::fields::Rules;

/// A kind of application, which is a record of the fields that a scenario gives it.
pub(crate) trait AppKind {
    /// Adds what is wrong with the fields taken together, each of which is acceptable alone.
    fn check(&self, _rules: &mut Rules<'_, '_>) {}

    /// What the application may ask of the network within `time` seconds.
    fn demand(&self, time: f64, path: Path) -> Demand;

    /// The application of a flow over a path.
    ///
    /// # Errors
    /// What it cannot do with the fields.
    fn make(&self, path: Path) -> Made;
}

/// An application that can run, or why there is none.
pub(crate) type Made = Result<Box<dyn Application>, Vec<ParamProblem>>;

/// Something wrong with a parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParamProblem {
    /// The field of the application.
    pub field: &'static str,
    /// What is wrong, and what would be accepted.
    pub message: String,
}

impl fmt::Display for ParamProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

/// Makes of the list of all applications what a flow of a scenario may do. A line is `"name" => Variant(module::Fields),`,
/// the name being that of scenarios and the fields a [`record!`](crate::fields::record) that is an [`AppKind`];
/// the comment on the record is what people read of the application. They are boxed, as some are many.
macro_rules! applications {
    ($($kind:literal => $Variant:ident($Fields:ty),)+) => {
        ackclock_schema::union! {
            /// What a flow does.
            pub enum App, otherwise None, {
                $($kind => $Variant(Box<$Fields>),)+
            }
        }

        impl App {
            /// Its name in scenarios and its fields.
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
    /// Adds what is wrong with its fields taken together.
    pub fn check(&self, rules: &mut Rules<'_, '_>) {
        self.kind().1.check(rules);
    }

    /// What the application may ask of the network within `time` seconds.
    pub fn demand(&self, time: f64, path: Path) -> Demand {
        self.kind().1.demand(time, path)
    }

    /// The application of a flow over a path, with the kind's name.
    ///
    /// # Errors
    /// What it cannot do with its fields.
    pub fn make(&self, path: Path) -> Result<(&'static str, Box<dyn Application>), Vec<ParamProblem>> {
        let (name, kind) = self.kind();
        Ok((name, kind.make(path)?))
    }
}
