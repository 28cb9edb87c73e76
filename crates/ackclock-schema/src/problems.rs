//! Problems of a text: each on one line, all of them together.

use std::any::Any;
use std::fmt;

use crate::problem::Problem;
use crate::tree::{KeyPath, Node, quoted};

/// Error of a text that is refused, with all mistakes in the order of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    /// At least one problem.
    pub problems: Vec<Problem>,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, problem) in self.problems.iter().enumerate() {
            let newline = if position > 0 { "\n" } else { "" };
            write!(f, "{newline}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ReadError {}

/// A function that returns the bytes of the file at a path that a text names, or a short reason why there are none.
pub type Files<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, String>;

/// The information that a reader may look up besides the text.
#[derive(Clone, Copy)]
pub struct Outside<'a> {
    /// The files that the text names.
    pub files: Files<'a>,
    /// Further information for the kinds of the text, at most one value of each type: see [`Problems::known`].
    pub known: &'a [&'a dyn Any],
}

impl Outside<'_> {
    /// No files: a text that names a file is refused.
    pub const NOTHING: Outside<'static> = Outside { files: &|_| Err("there are no files here".to_owned()), known: &[] };
}

/// The problems found so far in a tree.
pub struct Problems<'a> {
    root: &'a Node,
    outside: Outside<'a>,
    found: Vec<(KeyPath, String)>,
}

impl<'a> Problems<'a> {
    /// Creates an empty list of problems for a tree that may name files and other things outside it.
    pub fn new(root: &'a Node, outside: Outside<'a>) -> Problems<'a> {
        Problems { root, outside, found: Vec::new() }
    }

    /// Creates an empty list of problems for a tree that names nothing outside it.
    pub fn alone(root: &'a Node) -> Problems<'a> {
        Problems::new(root, Outside::NOTHING)
    }

    /// Creates an empty list of problems for a tree that stands for a part of this one.
    pub fn of<'b>(&self, root: &'b Node) -> Problems<'b>
    where
        'a: 'b,
    {
        Problems::new(root, self.outside)
    }

    /// Returns the content of a file that the text names.
    ///
    /// # Errors
    /// A short reason why there is no content.
    pub fn file(&self, path: &str) -> Result<Vec<u8>, String> {
        (self.outside.files)(path)
    }

    /// Returns the information of type `T` that the reader was given; `None` if it was given none.
    pub fn known<T: Any>(&self) -> Option<&'a T> {
        self.outside.known.iter().find_map(|one| one.downcast_ref())
    }

    /// Adds a problem.
    pub fn add(&mut self, path: KeyPath, message: impl Into<String>) {
        self.found.push((path, message.into()));
    }

    /// Returns the value at the path as it was written; `None` if it was not given.
    pub fn written(&self, path: &KeyPath) -> Option<String> {
        self.root.at(path).map(Node::shown)
    }

    /// Whether there is no problem at the path, in the value there, or with a value that contains it. A rule over
    /// several fields asks this first, because a field that could not be read has a placeholder as its value.
    pub fn sound(&self, path: &KeyPath) -> bool {
        !self.found.iter().any(|(wrong, _)| wrong.touches(path))
    }

    /// Returns the problems, to be added to those of another tree.
    pub fn into_found(self) -> Vec<(KeyPath, String)> {
        self.found
    }

    /// Returns the error, if there was any problem.
    pub fn into_error(self) -> Option<ReadError> {
        let root = self.root;
        let place =
            |(path, message): (KeyPath, String)| Problem { line: root.line_of(&path), path: path.to_string(), message };
        let mut problems: Vec<_> = self.found.into_iter().map(place).collect();
        problems.sort_by_key(|problem| problem.line);
        (!problems.is_empty()).then_some(ReadError { problems })
    }
}

/// Returns "did you mean" with the name nearest to the written text, if the name is near enough.
pub fn suggestion<'a>(written: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    const LONGEST: usize = 64;
    /// Shorter words are parts of too many names.
    const SHORTEST: usize = 3;
    if written.len() > LONGEST {
        return String::new();
    }
    let folded = |name: &str| name.to_lowercase().replace('_', "-");
    let written = folded(written);
    let near = |(distance, name): &(usize, &str)| *distance <= 1 + name.len() / 4 && *distance < name.len();
    let names: Vec<_> = names.into_iter().map(|name| (distance(&written, &folded(name)), name)).collect();
    let found = names.iter().filter(|one| near(one)).min_by_key(|(distance, _)| *distance);
    // Part of a name, or a name with something around it: "newreno" for "reno", "newcwv" for "newcwv-dash".
    let part = |name: &str| {
        name.len() >= SHORTEST && written.len() >= SHORTEST && (written.contains(name) || name.contains(&*written))
    };
    let found =
        found.or_else(|| names.iter().filter(|(_, name)| part(&folded(name))).min_by_key(|(distance, _)| *distance));
    found.map_or_else(String::new, |(_, name)| format!("; did you mean {}?", quoted(name)))
}

/// Returns names as a list for reading.
pub fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().collect::<Vec<_>>().join(", ")
}

/// Returns the number of edits between two words: insertions, deletions, substitutions and swaps of neighbours.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<_>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let substituted = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = substituted.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        for (a, b, edits) in [
            ("cubic", "cubic", 0),
            ("cubci", "cubic", 1),
            ("", "bba", 3),
            ("rate", "rates", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(a, b), edits, "{a} {b}");
        }
    }

    #[test]
    fn only_near_names_are_suggested() {
        assert_eq!(suggestion("cubik", ["reno", "cubic"]), "; did you mean \"cubic\"?");
        assert_eq!(suggestion("new_cwv", ["none", "rfc2861", "newcwv"]), "; did you mean \"newcwv\"?");
        assert_eq!(suggestion("to", ["app", "cc"]), "");
        assert_eq!(suggestion("nowhere", ["bulk", "dash"]), "");
    }
}
