//! Problems of a text: each on one line, all of them together.

use std::any::Any;
use std::fmt;

use crate::tree::{Node, Path, quoted};

/// One thing wrong with a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The field, such as `flows[0].app.ladder[2]`; empty where the text could not be read at all.
    pub path: String,
    /// The line of the file, from 1, where the value comes from a file in which it can be found.
    pub line: Option<u32>,
    /// The offending value as it was written, what is wrong with it and what is accepted.
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

/// A text that is refused: everything that is wrong with it, in the order of the file.
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

/// Gives the bytes of the file at a path that a text names, or in a few words why there are none.
pub type Files<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, String>;

/// What a reader may look up besides the text.
#[derive(Clone, Copy)]
pub struct Outside<'a> {
    /// The files that the text names.
    pub files: Files<'a>,
    /// Whatever else the kinds of the text ask for, by its type: see [`Problems::known`].
    pub known: &'a dyn Any,
}

impl Outside<'_> {
    /// Nothing: files that the text names are refused.
    pub const NOTHING: Outside<'static> = Outside { files: &|_| Err("there are no files here".to_owned()), known: &() };
}

/// The problems found so far in a tree.
pub struct Problems<'a> {
    root: &'a Node,
    outside: Outside<'a>,
    found: Vec<(Path, String)>,
}

impl<'a> Problems<'a> {
    /// None so far in a tree that may name what is outside it.
    pub fn new(root: &'a Node, outside: Outside<'a>) -> Problems<'a> {
        Problems { root, outside, found: Vec::new() }
    }

    /// None so far in a tree that names nothing outside it.
    pub fn alone(root: &'a Node) -> Problems<'a> {
        Problems::new(root, Outside::NOTHING)
    }

    /// None so far in a tree that stands for a part of this one.
    pub fn of<'b>(&self, root: &'b Node) -> Problems<'b>
    where
        'a: 'b,
    {
        Problems::new(root, self.outside)
    }

    /// The content of a file that the text names.
    ///
    /// # Errors
    /// In a few words, why there is none.
    pub fn file(&self, path: &str) -> Result<Vec<u8>, String> {
        (self.outside.files)(path)
    }

    /// What the reader was given to look up of the type `T`, if it was.
    pub fn known<T: Any>(&self) -> Option<&'a T> {
        self.outside.known.downcast_ref()
    }

    /// Adds a problem.
    pub fn add(&mut self, path: Path, message: impl Into<String>) {
        self.found.push((path, message.into()));
    }

    /// The value at the path as it was written, if it was.
    pub fn written(&self, path: &Path) -> Option<String> {
        self.root.at(path).map(Node::shown)
    }

    /// Whether nothing is wrong at the path, in what it holds, or with what holds it. A rule over several fields asks this
    /// first: a field that could not be read has a placeholder for its value.
    pub fn sound(&self, path: &Path) -> bool {
        !self.found.iter().any(|(wrong, _)| wrong.touches(path))
    }

    /// The problems, to be added to those of another tree.
    pub fn into_found(self) -> Vec<(Path, String)> {
        self.found
    }

    /// The error, if there was any problem.
    pub fn into_error(self) -> Option<ReadError> {
        let root = self.root;
        let place =
            |(path, message): (Path, String)| Problem { line: root.line_of(&path), path: path.to_string(), message };
        let mut problems: Vec<_> = self.found.into_iter().map(place).collect();
        problems.sort_by_key(|problem| problem.line);
        (!problems.is_empty()).then_some(ReadError { problems })
    }
}

/// "did you mean": the name nearest to what was written, if it is near.
pub fn suggestion<'a>(written: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    const LONGEST: usize = 64;
    if written.len() > LONGEST {
        return String::new();
    }
    let folded = |name: &str| name.to_lowercase().replace('_', "-");
    let near = names.into_iter().map(|name| (distance(&folded(written), &folded(name)), name)).min_by_key(|(d, _)| *d);
    match near {
        Some((distance, name)) if distance <= 1 + name.len() / 4 && distance < name.len() => {
            format!("; did you mean {}?", quoted(name))
        }
        _ => String::new(),
    }
}

/// Names as a list for reading.
pub fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().collect::<Vec<_>>().join(", ")
}

/// Edits between two words: insertions, deletions, substitutions and swaps of neighbours.
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
