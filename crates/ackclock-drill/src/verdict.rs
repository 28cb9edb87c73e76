//! Results of a script.

use crate::ast::Position;

/// Reason for which a script stops early.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The stack's behaviour differs from the script: expected and actual behaviour.
    Fail(String),
    /// Name of a feature that the script needs and a simulated stack does not have.
    Unsupported(String),
}

impl Stop {
    /// A failure with this reason.
    ///
    /// # Errors
    /// Always.
    pub fn fail<T>(message: impl Into<String>) -> Result<T, Stop> {
        Err(Stop::Fail(message.into()))
    }

    /// A feature that is not supported.
    ///
    /// # Errors
    /// Always.
    pub fn unsupported<T>(what: impl Into<String>) -> Result<T, Stop> {
        Err(Stop::Unsupported(what.into()))
    }
}

/// Verdict on a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The stack behaved as the script states.
    Pass,
    /// The first difference from the script, or a syntax error.
    Fail {
        /// Position in the script.
        at: Position,
        /// Expected and actual behaviour.
        reason: String,
    },
    /// The first needed feature that a simulated stack does not have.
    Unsupported {
        /// Position in the script.
        at: Position,
        /// Name of the feature.
        what: String,
    },
}

/// Python code from a script, with the values in its scope.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snippet {
    /// Position in the script.
    pub at: Position,
    /// The code as written, from the first character after `%{`.
    pub code: String,
    /// `tcp_info` at that time with packetdrill's names; empty without a socket.
    pub values: Vec<(&'static str, u64)>,
}

/// Verdict of the stack on a script, and the Python code that the caller has to run. A failing snippet takes precedence
/// over later failures.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Verdict on the script.
    pub verdict: Verdict,
    /// Python code of the script up to its end, in order.
    pub snippets: Vec<Snippet>,
}
