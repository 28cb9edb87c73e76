//! What a scenario says before anything is made of it: a tree of values with the lines they stand on, the same for
//! TOML and JSON, and the paths into it.

use std::fmt;

use toml::de::{DeTable, DeValue};

use crate::problems::Problem;

/// One step of a [`Path`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// The value of a key.
    Key(String),
    /// The item of a list, from 0.
    Index(usize),
}

/// Where a value stands, written `flows[0].app.ladder[2]`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Path(pub Vec<Step>);

impl Path {
    /// The path of a key of the table at this path.
    pub fn key(&self, key: &str) -> Path {
        let mut path = self.clone();
        path.0.push(Step::Key(key.to_owned()));
        path
    }

    /// The path of an item of the list at this path.
    pub fn index(&self, index: usize) -> Path {
        let mut path = self.clone();
        path.0.push(Step::Index(index));
        path
    }

    /// Whether one of the two paths is the other or leads to it.
    pub fn touches(&self, other: &Path) -> bool {
        self.0.iter().zip(&other.0).all(|(mine, theirs)| mine == theirs)
    }
}

impl fmt::Display for Path {
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

/// A value and, where it comes from a TOML file, the line of it.
#[derive(Clone, Debug)]
pub struct Node {
    /// The line, from 1, where the value comes from a TOML file.
    pub line: Option<u32>,
    /// The value.
    pub value: Value,
}

/// A value as it was written.
#[derive(Clone, Debug)]
pub enum Value {
    /// JSON's null: as good as absent.
    Null,
    /// A truth value.
    Bool(bool),
    /// A number in decimal notation, or `nan` or `inf`.
    Number(String),
    /// A text.
    Text(String),
    /// A date or time of TOML, which no field accepts.
    Date(String),
    /// A list.
    List(Vec<Node>),
    /// Keys in the order of the file.
    Table(Vec<(String, Node)>),
}

impl Node {
    /// A value that stands in no file.
    pub fn unplaced(value: Value) -> Node {
        Node { line: None, value }
    }

    /// The value of a key, if this is a table that has it and it is not null.
    pub fn get(&self, key: &str) -> Option<&Node> {
        let Value::Table(entries) = &self.value else { return None };
        entries.iter().find(|(name, node)| name == key && !matches!(node.value, Value::Null)).map(|(_, node)| node)
    }

    /// The value at `path`, unless that is null.
    pub fn at(&self, path: &Path) -> Option<&Node> {
        path.0.iter().try_fold(self, |node, step| match (step, &node.value) {
            (Step::Key(key), _) => node.get(key),
            (Step::Index(index), Value::List(items)) => items.get(*index),
            _ => None,
        })
    }

    /// The table or other value at `path` for changing.
    pub fn at_mut(&mut self, path: &Path) -> Option<&mut Node> {
        path.0.iter().try_fold(self, |node, step| match (step, &mut node.value) {
            (Step::Key(key), Value::Table(entries)) => {
                entries.iter_mut().find(|(name, _)| name == key).map(|(_, node)| node)
            }
            (Step::Index(index), Value::List(items)) => items.get_mut(*index),
            _ => None,
        })
    }

    /// The line of the value at `path`, or of the nearest value around it that has one.
    pub fn line_of(&self, path: &Path) -> Option<u32> {
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
            // A value given by an override stands on no line.
            line = node.line;
        }
        line
    }

    /// The value in one short line, as it would be written in TOML.
    pub fn shown(&self) -> String {
        let text = match &self.value {
            Value::Null => "null".to_owned(),
            Value::Bool(value) => value.to_string(),
            Value::Number(text) | Value::Date(text) => text.clone(),
            Value::Text(text) => quoted(text),
            Value::List(items) if items.is_empty() => "an empty list".to_owned(),
            Value::List(items) => texts(items).unwrap_or("a list".to_owned()),
            Value::Table(_) => "a table".to_owned(),
        };
        shortened(&text)
    }

    /// The tree of a TOML document.
    ///
    /// # Errors
    /// Each place where the text is not TOML, with line, column and what was expected.
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
        // The parser resumes after a mistake, and what it says of the rest of the same line follows from that.
        let mut problems: Vec<Problem> = Vec::new();
        for problem in errors.iter().map(problem) {
            if problems.iter().all(|earlier| earlier.line != problem.line) {
                problems.push(problem);
            }
        }
        problems.sort_by_key(|problem| problem.line);
        Err(problems)
    }

    /// The tree of a TOML value that stands in no file; `None` where the text is not one.
    pub fn from_toml_value(text: &str) -> Option<Node> {
        let value = DeValue::parse(text).ok()?;
        let mut node = Lines::of(text).value(value.get_ref(), 0);
        node.forget_lines();
        Some(node)
    }

    /// The tree of a JSON document.
    ///
    /// # Errors
    /// The place where the text is not JSON.
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

    /// The tree of a JSON value.
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

/// A list of nothing but texts, such as the nodes of a route, in one line.
fn texts(items: &[Node]) -> Option<String> {
    let text = |item: &Node| if let Value::Text(text) = &item.value { Some(quoted(text)) } else { None };
    items.iter().map(text).collect::<Option<Vec<_>>>().map(|items| format!("[{}]", items.join(", ")))
}

/// Text for a message: at most 60 characters, with spaces in place of control characters.
pub fn shortened(text: &str) -> String {
    cut(text).chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The first 60 characters of a text, with dots if there are more.
fn cut(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// Text in quotes, on one line whatever it holds.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        if c == '\'' { quoted.push(c) } else { quoted.extend(c.escape_debug()) }
    }
    quoted.push('"');
    quoted
}

/// Finds lines by byte offset, and so makes nodes of the values of a TOML document.
struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Lines<'a> {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Lines { text, starts: std::iter::once(0).chain(breaks).collect() }
    }

    /// Line and column of a byte, both from 1; columns count characters.
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
