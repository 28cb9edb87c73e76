//! One mistake in a text.

use std::fmt;

/// One mistake in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// Path of the field, such as `flows[0].app.ladder[2]`; empty if the text could not be parsed at all.
    pub path: String,
    /// Line in the file, from 1, if the value comes from a file and the line is known.
    pub line: Option<u32>,
    /// The value as it was written, the mistake, and what is accepted.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}
