//! What comes out of a script.

use crate::ast::Position;

/// Why a script ends before its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The stack did something else than the script says: expected and actual.
    Fail(String),
    /// The script needs what a simulated stack does not have; its name.
    Unsupported(String),
}

impl Stop {
    pub(crate) fn fail<T>(message: impl Into<String>) -> Result<T, Stop> {
        Err(Stop::Fail(message.into()))
    }

    pub(crate) fn unsupported<T>(what: impl Into<String>) -> Result<T, Stop> {
        Err(Stop::Unsupported(what.into()))
    }
}

/// How a script went.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Everything it says happened, and nothing else.
    Pass,
    /// The first thing that went otherwise, a syntax error included.
    Fail {
        /// Where in the script.
        at: Position,
        /// Expected and actual.
        reason: String,
    },
    /// The first thing it needs that a simulated stack does not have.
    Unsupported {
        /// Where in the script.
        at: Position,
        /// Its name.
        what: String,
    },
}

/// A piece of Python from a script, with the numbers that are in scope for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snippet {
    /// Where it stands.
    pub at: Position,
    /// The code as written, from the first character after `%{`.
    pub code: String,
    /// `tcp_info` at that moment by the names packetdrill gives its members; empty without a connection.
    pub values: Vec<(&'static str, u64)>,
}

/// The verdict on a script as far as the stack goes, and the Python that is still to be run: a snippet that fails comes
/// before anything that went wrong later.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// How it went.
    pub verdict: Verdict,
    /// The Python of the script up to where it ended, in order.
    pub snippets: Vec<Snippet>,
}
