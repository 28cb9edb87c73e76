//! A name, or a table whose `kind` is a name: how a text chooses an algorithm or a transport.

use crate::info::KIND;
use crate::problems::{Problems, listed, suggestion};
use crate::tree::{KeyPath, Node, Value};

/// The entries of a table.
pub type Entries = [(String, Node)];

/// The things that a scenario may name, such as algorithms.
pub struct Named<'a> {
    /// Words for a name that is not accepted, such as "not a known congestion control".
    pub unknown: &'a str,
    /// Returns the accepted names.
    pub names: &'a dyn Fn() -> Vec<&'a str>,
}

impl Named<'_> {
    /// Reads the node at a path: what `find` returns for the name, and the entries if there is a table. Adds a problem
    /// where there is no name, or none that `find` knows.
    pub fn read<'n, T>(
        &self,
        node: &'n Node,
        at: &KeyPath,
        problems: &mut Problems<'_>,
        find: impl Fn(&str) -> Option<T>,
    ) -> Option<(T, Option<&'n Entries>)> {
        let accepted = || listed((self.names)());
        let (name, place, entries) = match &node.value {
            Value::Table(entries) => match node.get(KIND) {
                Some(kind) => (kind, at.key(KIND), Some(entries.as_slice())),
                None => {
                    problems.add(at.key(KIND), format!("missing; accepted: {}", accepted()));
                    return None;
                }
            },
            _ => (node, at.clone(), None),
        };
        let Value::Text(text) = &name.value else {
            problems.add(place, format!("{} is not a name; accepted: {}", name.shown(), accepted()));
            return None;
        };
        let found = find(text);
        if found.is_none() {
            let (unknown, hint) = (self.unknown, suggestion(text, (self.names)()));
            problems.add(place, format!("{} is {unknown}; accepted: {}{hint}", name.shown(), accepted()));
        }
        found.map(|found| (found, entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the place of `red` and `blue`, with the number of entries of a table, or the messages.
    fn read(text: &str) -> Result<(usize, Option<usize>), String> {
        let node = Node::from_toml_value(text).expect("TOML");
        let mut problems = Problems::alone(&node);
        let named = Named { unknown: "not a known colour", names: &|| vec!["red", "blue"] };
        let find = |name: &str| ["red", "blue"].iter().position(|known| *known == name);
        let found = named.read(&node, &KeyPath::default(), &mut problems, find);
        let messages = problems.into_error().map(|error| error.to_string());
        found.map(|(place, entries)| (place, entries.map(<[_]>::len))).ok_or_else(|| messages.unwrap_or_default())
    }

    #[test]
    fn a_name_stands_alone_or_in_a_table() {
        assert_eq!(read("'blue'"), Ok((1, None)));
        assert_eq!(read("{ kind = 'red', depth = 3 }"), Ok((0, Some(2))));
    }

    #[test]
    fn what_names_nothing_is_refused_with_the_names() {
        let refused = |text, message: &str| assert_eq!(read(text), Err(message.to_owned()), "{text}");
        refused("3", "3 is not a name; accepted: red, blue");
        refused("{ depth = 3 }", "kind: missing; accepted: red, blue");
        refused("{ kind = true }", "kind: true is not a name; accepted: red, blue");
        refused("'blu'", "\"blu\" is not a known colour; accepted: red, blue; did you mean \"blue\"?");
    }
}
