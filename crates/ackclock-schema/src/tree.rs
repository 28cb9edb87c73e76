//! The parsed text of a scenario before its fields are read: a tree of values with their lines, the same for TOML and
//! JSON, and the paths into the tree.

use std::fmt;

use toml::de::{DeTable, DeValue};

use crate::problem::Problem;

/// One step of a [`KeyPath`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// Value of a key.
    Key(String),
    /// Item of a list, from 0.
    Index(usize),
}

/// Place of a value in the tree, written `flows[0].app.ladder[2]`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KeyPath(pub Vec<Step>);

impl KeyPath {
    /// Returns the path of a key of the table at this path.
    pub fn key(&self, key: &str) -> KeyPath {
        let mut path = self.clone();
        path.0.push(Step::Key(key.to_owned()));
        path
    }

    /// Returns the path of an item of the list at this path.
    pub fn index(&self, index: usize) -> KeyPath {
        let mut path = self.clone();
        path.0.push(Step::Index(index));
        path
    }

    /// Whether one of the two paths is equal to the other or a prefix of it.
    pub fn touches(&self, other: &KeyPath) -> bool {
        self.0.iter().zip(&other.0).all(|(mine, theirs)| mine == theirs)
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.0.iter().enumerate() {
            match step {
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Key(key) => {
                    let dot = if position > 0 { "." } else { "" };
                    let bare = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
                    let key = cut(key);
                    if bare { write!(f, "{dot}{key}")? } else { write!(f, "{dot}{}", quoted(&key))? }
                }
            }
        }
        Ok(())
    }
}

/// A value with its line, if it comes from a TOML file.
#[derive(Clone, Debug)]
pub struct Node {
    /// Line, from 1, if the value comes from a TOML file.
    pub line: Option<u32>,
    /// The value.
    pub value: Value,
}

/// A value as it was written.
#[derive(Clone, Debug)]
pub enum Value {
    /// JSON's null, which counts as absent.
    Null,
    /// A truth value.
    Bool(bool),
    /// A number in decimal notation, or `nan` or `inf`.
    Number(String),
    /// A text.
    Text(String),
    /// A date or time of TOML; no field accepts dates.
    Date(String),
    /// A list.
    List(Vec<Node>),
    /// A table: keys and values in the order of the file.
    Table(Vec<(String, Node)>),
}

impl Node {
    /// Creates a node for a value that is in no file.
    pub fn unplaced(value: Value) -> Node {
        Node { line: None, value }
    }

    /// Returns the value of a key; `None` if this is not a table, lacks the key, or has null there.
    pub fn get(&self, key: &str) -> Option<&Node> {
        let Value::Table(entries) = &self.value else { return None };
        entries.iter().find(|(name, node)| name == key && !matches!(node.value, Value::Null)).map(|(_, node)| node)
    }

    /// Returns the value at `path`; `None` if the value is null.
    pub fn at(&self, path: &KeyPath) -> Option<&Node> {
        path.0.iter().try_fold(self, |node, step| match (step, &node.value) {
            (Step::Key(key), _) => node.get(key),
            (Step::Index(index), Value::List(items)) => items.get(*index),
            _ => None,
        })
    }

    /// Returns the table or other value at `path`, mutably.
    pub fn at_mut(&mut self, path: &KeyPath) -> Option<&mut Node> {
        path.0.iter().try_fold(self, |node, step| match (step, &mut node.value) {
            (Step::Key(key), Value::Table(entries)) => {
                entries.iter_mut().find(|(name, _)| name == key).map(|(_, node)| node)
            }
            (Step::Index(index), Value::List(items)) => items.get_mut(*index),
            _ => None,
        })
    }

    /// Returns the line of the value at `path`, or of the nearest enclosing value that has a line.
    pub fn line_of(&self, path: &KeyPath) -> Option<u32> {
        let mut node = self;
        let mut line = self.line;
        for step in &path.0 {
            let next = match (step, &node.value) {
                (Step::Key(key), Value::Table(entries)) => entries.iter().find(|(k, _)| k == key).map(|(_, node)| node),
                (Step::Index(index), Value::List(items)) => items.get(*index),
                _ => None,
            };
            let Some(next) = next else { break };
            node = next;
            // A value given by an override has no line.
            line = node.line;
        }
        line
    }

    /// Returns the value in one short line, in the syntax of TOML.
    pub fn shown(&self) -> String {
        let text = match &self.value {
            Value::Null => "null".to_owned(),
            Value::Bool(value) => value.to_string(),
            Value::Number(text) | Value::Date(text) => text.clone(),
            Value::Text(text) => quoted(text),
            Value::List(items) if items.is_empty() => "an empty list".to_owned(),
            Value::List(items) => texts(items).unwrap_or("a list".to_owned()),
            Value::Table(entries) => {
                let kind = entries.iter().find(|(key, _)| key == "kind").map(|(_, node)| &node.value);
                // Its kind says more of a table than that it is one.
                if let Some(Value::Text(kind)) = kind {
                    format!("the table of kind {}", quoted(kind))
                } else {
                    "a table".to_owned()
                }
            }
        };
        shortened(&text)
    }

    /// Parses a TOML document into a tree.
    ///
    /// # Errors
    /// Each place at which the text is not TOML, with line, column and the expected syntax.
    pub fn from_toml(text: &str) -> Result<Node, Vec<Problem>> {
        let lines = Lines::of(text);
        let (table, errors) = DeTable::parse_recoverable(text);
        if errors.is_empty() {
            return Ok(Node { line: None, value: lines.table(table.get_ref()) });
        }
        let problem = |error: &toml::de::Error| {
            let message = error.message().escape_debug();
            match error.span() {
                Some(span) => {
                    let (line, column) = lines.position(span.start);
                    Problem {
                        path: String::new(),
                        line: Some(line),
                        message: format!("column {column}: not TOML: {message}"),
                    }
                }
                None => Problem { path: String::new(), line: None, message: format!("not TOML: {message}") },
            }
        };
        // The parser resumes after a mistake; its messages on the rest of the same line only follow from that mistake.
        let mut problems: Vec<Problem> = Vec::new();
        for problem in errors.iter().map(problem) {
            if problems.iter().all(|earlier| earlier.line != problem.line) {
                problems.push(problem);
            }
        }
        problems.sort_by_key(|problem| problem.line);
        Err(problems)
    }

    /// Parses a TOML value that is in no file into a tree; `None` if the text is not a TOML value.
    pub fn from_toml_value(text: &str) -> Option<Node> {
        let value = DeValue::parse(text).ok()?;
        let mut node = Lines::of(text).value(value.get_ref(), 0);
        node.forget_lines();
        Some(node)
    }

    /// Parses a JSON document into a tree.
    ///
    /// # Errors
    /// The place at which the text is not JSON.
    pub fn from_json(text: &str) -> Result<Node, Vec<Problem>> {
        match serde_json::from_str::<serde_json::Value>(text) {
            Ok(value) => Ok(Node::from_json_value(&value)),
            Err(error) => {
                let line = u32::try_from(error.line()).ok();
                let message = format!("not JSON: {}", error.to_string().escape_debug());
                Err(vec![Problem { path: String::new(), line, message }])
            }
        }
    }

    /// Converts a JSON value into a tree.
    pub fn from_json_value(value: &serde_json::Value) -> Node {
        Node::unplaced(match value {
            serde_json::Value::Null => Value::Null,
            serde_json::Value::Bool(value) => Value::Bool(*value),
            serde_json::Value::Number(number) => Value::Number(number.to_string()),
            serde_json::Value::String(text) => Value::Text(text.clone()),
            serde_json::Value::Array(items) => Value::List(items.iter().map(Node::from_json_value).collect()),
            serde_json::Value::Object(entries) => {
                Value::Table(entries.iter().map(|(key, value)| (key.clone(), Node::from_json_value(value))).collect())
            }
        })
    }

    fn forget_lines(&mut self) {
        self.line = None;
        match &mut self.value {
            Value::List(items) => items.iter_mut().for_each(Node::forget_lines),
            Value::Table(entries) => entries.iter_mut().for_each(|(_, node)| node.forget_lines()),
            _ => {}
        }
    }
}

/// Returns a list that contains only texts, such as the nodes of a route, in one line; `None` for other lists.
fn texts(items: &[Node]) -> Option<String> {
    let text = |item: &Node| if let Value::Text(text) = &item.value { Some(quoted(text)) } else { None };
    items.iter().map(text).collect::<Option<Vec<_>>>().map(|items| format!("[{}]", items.join(", ")))
}

/// Returns a text for a message: at most 60 characters, with spaces in place of control characters.
pub fn shortened(text: &str) -> String {
    cut(text).chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Returns the first 60 characters of a text, followed by dots if there are more.
fn cut(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns a text in quotes, on one line whatever it contains.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        if c == '\'' { quoted.push(c) } else { quoted.extend(c.escape_debug()) }
    }
    quoted.push('"');
    quoted
}

/// Finds lines by byte offset, and converts the values of a TOML document to nodes with lines.
struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Lines<'a> {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Lines { text, starts: std::iter::once(0).chain(breaks).collect() }
    }

    /// Returns the line and the column of a byte, both from 1; columns count characters.
    fn position(&self, offset: usize) -> (u32, usize) {
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts[line - 1];
        let column = self.text.get(start..offset).map_or(offset - start, |before| before.chars().count());
        (u32::try_from(line).unwrap_or(u32::MAX), column + 1)
    }

    fn value(&self, value: &DeValue<'_>, offset: usize) -> Node {
        let value = match value {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Integer(integer) => match i128::from_str_radix(integer.as_str(), integer.radix()) {
                Ok(number) => Value::Number(number.to_string()),
                Err(_) => Value::Number(integer.to_string()),
            },
            DeValue::Float(float) => Value::Number(float.as_str().to_owned()),
            DeValue::Boolean(value) => Value::Bool(*value),
            DeValue::Datetime(date) => Value::Date(date.to_string()),
            DeValue::Array(items) => {
                Value::List(items.iter().map(|item| self.value(item.get_ref(), item.span().start)).collect())
            }
            DeValue::Table(table) => self.table(table),
        };
        Node { line: Some(self.position(offset).0), value }
    }

    fn table(&self, table: &DeTable<'_>) -> Value {
        let mut entries: Vec<_> = table
            .iter()
            .map(|(key, value)| {
                let start = value.span().start;
                (start, key.get_ref().to_string(), self.value(value.get_ref(), start))
            })
            .collect();
        entries.sort_by_key(|(start, _, _)| *start);
        Value::Table(entries.into_iter().map(|(_, key, node)| (key, node)).collect())
    }
}
