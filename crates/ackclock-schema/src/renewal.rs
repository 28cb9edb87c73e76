//! Old names in a text: each is replaced by the present name before the text is read, with a [`Warning`].
//!
//! A field declares its old keys with `was(&["old"])` after its kind. A list of names declares its old names with
//! [`OneOf::renamed`](crate::kinds::OneOf::renamed), and a union with the word `renamed` in its declaration. Readers,
//! rules and the canonical form have the present names only.

use std::fmt;

use ackclock_core::Renamed;

use crate::tree::{KeyPath, Node, Step, Value, quoted};

/// The part of a text that has an old name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The key of a field.
    Key,
    /// The value of a field.
    Value,
}

/// An old name in a text that was read as the present name.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Warning {
    /// Path of the value. The last step is the old key if the key is renamed; all other keys are present names.
    pub place: KeyPath,
    /// Line in the file, from 1, if the value comes from a file and the line is known.
    pub line: Option<u32>,
    /// Whether the key or the value is renamed.
    pub part: Part,
    /// The name as it was written.
    pub old: String,
    /// The present name.
    pub new: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        let (old, new) = (quoted(&self.old), quoted(&self.new));
        write!(f, "{}: {old} is called {new} now; the next release refuses the old name", self.place)
    }
}

/// The replacement of old names in a tree.
#[derive(Default)]
pub struct Renewal {
    /// Whether a value with an old key replaces the value with the present key. This holds for overrides; in a text
    /// with both keys the old one is left and is refused as unknown.
    pub overrides: bool,
    /// The old names so far, in the order of their fields.
    pub warnings: Vec<Warning>,
    /// Places of old keys in a text that has the present key, too.
    refused: Vec<KeyPath>,
}

impl Renewal {
    /// Replaces the keys `was` of the table `node` by `key`.
    pub fn key(&mut self, was: &[&'static str], key: &str, node: &mut Node, at: &KeyPath) {
        let Value::Table(entries) = &mut node.value else { return };
        for old in was {
            let Some(place) = entries.iter().position(|(name, _)| name == old) else { continue };
            let present = entries.iter().position(|(name, node)| name == key && !matches!(node.value, Value::Null));
            let line = entries[place].1.line;
            let given = at.key(old);
            if self.refused.contains(&given) {
                continue;
            }
            match present {
                Some(_) if !self.overrides => {
                    self.refused.push(given);
                    continue;
                }
                Some(present) => {
                    let (_, given) = entries.remove(place);
                    let present = present - usize::from(place < present);
                    merge(&mut entries[present].1, given);
                }
                None => entries[place].0 = key.to_owned(),
            }
            let (old, new) = ((*old).to_owned(), key.to_owned());
            self.warnings.push(Warning { place: at.key(&old), line, part: Part::Key, old, new });
        }
    }

    /// Replaces the text `node` if it is one of the old names.
    pub fn value(&mut self, renamed: &[Renamed], node: &mut Node, at: &KeyPath) {
        let line = node.line;
        let Value::Text(text) = &mut node.value else { return };
        let Some(new) = Renamed::current(renamed, text) else { return };
        let old = std::mem::replace(text, new.to_owned());
        self.warnings.push(Warning { place: at.clone(), line, part: Part::Value, old, new: new.to_owned() });
    }

    /// Calls `renew` with the value of a key of the table `node`, if the table has the key.
    pub fn field(node: &mut Node, key: &str, at: &KeyPath, renew: impl FnOnce(&mut Node, &KeyPath)) {
        if let Some(value) = node.at_mut(&KeyPath(vec![Step::Key(key.to_owned())])) {
            renew(value, &at.key(key));
        }
    }
}

/// Puts `given` in the place of `present`; the keys of one table are put into another.
fn merge(present: &mut Node, given: Node) {
    match (&mut present.value, given) {
        (Value::Table(entries), Node { value: Value::Table(new), .. }) => {
            for (key, value) in new {
                match entries.iter_mut().find(|(name, _)| *name == key) {
                    Some((_, node)) => merge(node, value),
                    None => entries.push((key, value)),
                }
            }
        }
        (_, given) => *present = given,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::{Flag, Kind, Label, count, one_of};
    use crate::lists::list;
    use crate::problems::{Problems, ReadError};
    use crate::record::{Table, default, like, optional, required, table};
    use crate::union::tagged;
    use crate::{record, union};

    record! {
        /// A parcel.
        pub struct Parcel {
            /// Its weight.
            weight: u64 = required(count("", 0, 100)).was(&["mass", "heft"]);
            /// The weight of its box.
            empty: u64 = like("weight", count("", 0, 100));
            /// Its colour.
            colour: u8 = default("red", one_of("colour", [("red", 1, "1"), ("deep-blue", 2, "2")]).renamed(COLOURS));
            /// Its wrapping.
            wrap: Option<Wrap> = optional("none", tagged()).was(&["cover"]);
            /// What is in it.
            parts: Option<Vec<Parcel>> = optional("nothing", list("part", table()));
        }
    }

    record! {
        /// Paper.
        pub struct Paper {
            /// Whether it has been used before.
            recycled: bool = default(false, Flag).was(&["used"]);
        }
    }

    union! {
        /// A wrapping.
        pub enum Wrap, otherwise Some(("cord", "knot")), renamed &[Renamed { old: "newspaper", new: "paper" }], {
            "paper" => Paper(Paper),
            "cord" => Cord(Cord),
        }
    }

    record! {
        /// A cord.
        pub struct Cord {
            /// Its knot.
            knot: String = default("reef", Label).was(&["tie"]);
        }
    }

    const COLOURS: &[Renamed] = &[Renamed { old: "blue", new: "deep-blue" }];

    /// Reads a text with overrides set on top, and returns its canonical form with the warnings.
    fn read(text: &str, overrides: &[(&str, &str)]) -> Result<(String, Vec<String>), ReadError> {
        let kind: Table<Parcel> = table();
        let mut root = Node::from_toml(text).unwrap();
        let mut renewal = Renewal::default();
        kind.renew(&mut root, &KeyPath::default(), &mut renewal);
        renewal.overrides = true;
        for (key, value) in overrides {
            let Value::Table(entries) = &mut root.value else { unreachable!("a document is a table") };
            entries.push(((*key).to_owned(), Node::from_toml_value(value).unwrap()));
        }
        kind.renew(&mut root, &KeyPath::default(), &mut renewal);
        let mut problems = Problems::alone(&root);
        let parcel = kind.read(&root, &KeyPath::default(), &mut problems);
        let warnings = renewal.warnings.iter().map(Warning::to_string).collect();
        problems.into_error().map_or_else(|| Ok((kind.write(&parcel).to_string(), warnings)), Err)
    }

    #[test]
    fn old_names_are_read_as_the_present_ones_with_a_warning_each() {
        let old = "mass = 5\ncolour = 'blue'\ncover = { kind = 'newspaper', used = true }\n[[parts]]\nheft = 1\ncover = 'newspaper'\n";
        let new = "weight = 5\ncolour = 'deep-blue'\nwrap = { kind = 'paper', recycled = true }\n[[parts]]\nweight = 1\nwrap = 'paper'\n";
        let (canonical, warnings) = read(old, &[]).unwrap();
        assert_eq!((canonical, Vec::new()), read(new, &[]).unwrap());
        let told = |text: &str| format!("{text} now; the next release refuses the old name");
        assert_eq!(
            warnings,
            [
                told("line 1: mass: \"mass\" is called \"weight\""),
                told("line 2: colour: \"blue\" is called \"deep-blue\""),
                told("line 3: cover: \"cover\" is called \"wrap\""),
                told("line 3: wrap.kind: \"newspaper\" is called \"paper\""),
                told("line 3: wrap.used: \"used\" is called \"recycled\""),
                told("line 5: parts[0].heft: \"heft\" is called \"weight\""),
                told("line 6: parts[0].cover: \"cover\" is called \"wrap\""),
                told("line 6: parts[0].wrap: \"newspaper\" is called \"paper\""),
            ]
        );
    }

    #[test]
    fn the_kind_that_is_assumed_has_old_names_too() {
        assert_eq!(read("weight = 1\nwrap = { tie = 'bow' }\n", &[]).unwrap().1.len(), 1);
    }

    #[test]
    fn an_old_and_a_present_name_in_one_text_are_refused() {
        let error = read("weight = 5\nmass = 6\n", &[]).unwrap_err();
        assert_eq!(error.problems.len(), 1);
        assert!(error.to_string().starts_with("line 2: mass: unknown key; accepted: weight"), "{error}");
    }

    #[test]
    fn an_override_with_an_old_name_replaces_the_value() {
        let (canonical, warnings) = read("weight = 5\n", &[("mass", "6")]).unwrap();
        assert_eq!(canonical, read("weight = 6\n", &[]).unwrap().0);
        assert_eq!(warnings.len(), 1);
        let given = "weight = 5\nwrap = { kind = 'paper' }\n";
        let merged = read(given, &[("cover", "{ used = true }")]).unwrap().0;
        assert_eq!(merged, read("weight = 5\nwrap = { kind = 'paper', recycled = true }\n", &[]).unwrap().0);
    }
}
