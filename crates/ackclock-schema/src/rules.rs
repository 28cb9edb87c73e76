//! Rules over several fields, checked after each field has been accepted alone.

use crate::problems::Problems;
use crate::tree::{KeyPath, quoted};

/// Checks rules over the fields of the table at a path.
pub struct Rules<'a, 'p> {
    /// The path of the table.
    pub at: KeyPath,
    problems: &'a mut Problems<'p>,
}

impl<'a, 'p> Rules<'a, 'p> {
    /// Creates the rules for the table at a path.
    pub fn new(at: KeyPath, problems: &'a mut Problems<'p>) -> Rules<'a, 'p> {
        Rules { at, problems }
    }

    /// Returns the rules for the table under a key.
    pub fn of(&mut self, key: &str) -> Rules<'_, 'p> {
        Rules { at: self.at.key(key), problems: self.problems }
    }

    /// Passes the problems to a check that adds to them itself.
    pub fn with<T>(&mut self, check: impl FnOnce(&mut Problems<'p>) -> T) -> T {
        check(self.problems)
    }

    /// Returns the rules for the table with an index in the list under a key.
    pub fn at_index(&mut self, key: &str, index: usize) -> Rules<'_, 'p> {
        Rules { at: self.at.key(key).index(index), problems: self.problems }
    }

    /// Whether the field `key` is given.
    pub fn given(&self, key: &str) -> bool {
        self.problems.written(&self.at.key(key)).is_some()
    }

    /// Adds a problem with the field `key` if `broken`, unless there is a problem with this field or with a field that
    /// the rule needs. The message starts with the value as it was written, or with `default` if it was not written.
    pub fn refuse(&mut self, broken: bool, key: &str, needs: &[KeyPath], default: &str, message: impl AsRef<str>) {
        let at = self.at.key(key);
        if broken && self.problems.sound(&at) && needs.iter().all(|path| self.problems.sound(path)) {
            let value = self.problems.written(&at).unwrap_or_else(|| format!("the default, {},", quoted(default)));
            self.problems.add(at, format!("{value} {}", message.as_ref()));
        }
    }

    /// Adds that the field `key` is missing if `broken`, unless there is another problem with the table.
    pub fn require(&mut self, broken: bool, key: &str, accepted: &str) {
        if broken && self.problems.sound(&self.at) {
            self.problems.add(self.at.key(key), format!("missing; accepted: {accepted}"));
        }
    }
}
