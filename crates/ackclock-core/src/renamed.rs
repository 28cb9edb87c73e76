//! Names that were replaced by others.

/// A name of a scenario's field or value that was replaced. The old name is read for one release.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Renamed {
    /// The old name.
    pub old: &'static str,
    /// The name that replaces it.
    pub new: &'static str,
}

impl Renamed {
    /// Returns the name that replaces `name`; `None` if `name` is not among the old names.
    pub fn current(renamed: &[Renamed], name: &str) -> Option<&'static str> {
        renamed.iter().find(|entry| entry.old == name).map(|entry| entry.new)
    }
}
