//! Encoding of tables in the format of the Remy project: Protocol Buffers, of which few messages are needed.
//!
//! - A tree has a range (field 1) and either children (2) or a rule (3). Later fields describe the training and are
//!   kept unchanged.
//! - A range has a lower (11) and an upper (12) memory.
//! - A memory has its axes (21 to 24). A memory with three axes has no fourth field.
//! - A rule has b (31), m (32), tau (33) and its range again (34).
//!
//! Later tables, which name the axes that they use (13), are refused.

use std::fmt;

use super::table::{AXES, Action, Node, Range, Table};

/// Largest depth of a tree.
const MOST_DEPTH: usize = 64;

/// An error in the bytes of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableError {
    /// Offset of the byte.
    pub at: usize,
    /// Description of the error, and of the accepted values.
    pub message: String,
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RemyCC table, byte {}: {}", self.at, self.message)
    }
}

impl std::error::Error for TableError {}

/// Value of a field of a message.
enum Value<'a> {
    Integer(u64),
    Double(f64),
    Message(Reader<'a>),
}

/// Unread part of a message.
struct Reader<'a> {
    bytes: &'a [u8],
    /// Offset of `bytes` within the table.
    at: usize,
}

impl<'a> Reader<'a> {
    fn fail<T>(&self, message: impl Into<String>) -> Result<T, TableError> {
        Err(TableError { at: self.at, message: message.into() })
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], TableError> {
        if count > self.bytes.len() {
            return self.fail(format!("a field of {count} bytes, but only {} left", self.bytes.len()));
        }
        let (taken, rest) = self.bytes.split_at(count);
        (self.bytes, self.at) = (rest, self.at + count);
        Ok(taken)
    }

    fn varint(&mut self) -> Result<u64, TableError> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        self.fail("a varint of more than ten bytes")
    }

    /// The next field and its value; `None` at the end.
    fn field(&mut self) -> Result<Option<(u64, Value<'a>)>, TableError> {
        if self.bytes.is_empty() {
            return Ok(None);
        }
        let key = self.varint()?;
        let value = match key & 7 {
            0 => Value::Integer(self.varint()?),
            1 => Value::Double(f64::from_le_bytes(self.take(8)?.try_into().unwrap_or_default())),
            2 => {
                let count = usize::try_from(self.varint()?).unwrap_or(usize::MAX);
                let at = self.at;
                Value::Message(Reader { bytes: self.take(count)?, at })
            }
            5 => {
                self.take(4)?;
                Value::Integer(0)
            }
            wire => return self.fail(format!("wire type {wire} of field {}; accepted are 0, 1, 2 and 5", key >> 3)),
        };
        Ok(Some((key >> 3, value)))
    }

    fn unexpected<T>(&self, message: &str, field: u64) -> Result<T, TableError> {
        self.fail(format!("unexpected field {field} in a {message}"))
    }
}

/// Axes of a memory, and their number.
fn memory(mut reader: Reader<'_>) -> Result<([f64; AXES], usize), TableError> {
    let (mut axes, mut count) = ([0.0; AXES], 0);
    while let Some((field, value)) = reader.field()? {
        match (field, value) {
            (21..=24, Value::Double(value)) => {
                axes[field as usize - 21] = value;
                count = count.max(field as usize - 20);
            }
            (field, _) => return reader.unexpected("memory", field),
        }
    }
    Ok((axes, count))
}

fn range(mut reader: Reader<'_>, axes: &mut usize) -> Result<Range, TableError> {
    let (mut lower, mut upper) = (None, None);
    while let Some((field, value)) = reader.field()? {
        match (field, value) {
            (11, Value::Message(reader)) => lower = Some(memory(reader)?),
            (12, Value::Message(reader)) => upper = Some(memory(reader)?),
            (field, _) => return reader.unexpected("range", field),
        }
    }
    let (Some((lower, low)), Some((upper, high))) = (lower, upper) else {
        return reader.fail("a range without a lower or an upper memory");
    };
    if low != high || (*axes != 0 && low != *axes) {
        return reader.fail(format!("a range of {low} and {high} axes in a table of {axes}"));
    }
    *axes = low;
    Ok(Range { lower, upper })
}

fn action(mut reader: Reader<'_>) -> Result<Action, TableError> {
    let (mut increment, mut multiple, mut intersend) = (None, None, None);
    while let Some((field, value)) = reader.field()? {
        match (field, value) {
            // Zigzag encoding: 0, -1, 1, -2 are encoded as 0, 1, 2, 3.
            (31, Value::Integer(value)) => {
                let value = u32::try_from(value).or_else(|_| reader.fail(format!("a window increment of {value}")))?;
                increment = Some((value >> 1) as i32 ^ -((value & 1) as i32));
            }
            (32, Value::Double(value)) => multiple = Some(value),
            (33, Value::Double(value)) => intersend = Some(value),
            (34, Value::Message(_)) => {}
            (field, _) => return reader.unexpected("rule", field),
        }
    }
    match (increment, multiple, intersend) {
        (Some(increment), Some(multiple), Some(intersend)) => Ok(Action { increment, multiple, intersend }),
        _ => reader.fail("a rule without window increment (31), window multiple (32) or intersend time (33)"),
    }
}

fn node(mut reader: Reader<'_>, axes: &mut usize, depth: usize, notes: &mut Vec<u8>) -> Result<Node, TableError> {
    if depth > MOST_DEPTH {
        return reader.fail(format!("a tree of more than {MOST_DEPTH} levels"));
    }
    let (mut domain, mut children, mut rule) = (None, Vec::new(), None);
    let whole = reader.bytes;
    let mut read = 0;
    while let Some((field, value)) = reader.field()? {
        let start = std::mem::replace(&mut read, whole.len() - reader.bytes.len());
        match (field, value) {
            (1, Value::Message(reader)) => domain = Some(range(reader, axes)?),
            (2, Value::Message(reader)) => children.push(node(reader, axes, depth + 1, notes)?),
            (3, Value::Message(_)) if rule.is_some() => return reader.fail("a second rule for one range"),
            (3, Value::Message(reader)) => rule = Some(action(reader)?),
            (4.., _) if depth == 0 => notes.extend(&whole[start..read]),
            (field, _) => return reader.unexpected("tree", field),
        }
    }
    match (domain, rule) {
        (Some(range), Some(action)) if children.is_empty() => Ok(Node::Leaf(range, action)),
        (Some(range), None) if !children.is_empty() => Ok(Node::Inner(range, children)),
        (None, _) => reader.fail("a tree without a range"),
        _ => reader.fail("a tree with both children and a rule, or with neither"),
    }
}

impl Table {
    /// Decodes a table of the Remy project.
    ///
    /// # Errors
    ///
    /// [`TableError`] with the offset of the wrong byte.
    pub fn decode(bytes: &[u8]) -> Result<Table, TableError> {
        let (mut axes, mut notes) = (0, Vec::new());
        let root = node(Reader { bytes, at: 0 }, &mut axes, 0, &mut notes)?;
        let mut table = Table::new(root, axes).map_err(|message| TableError { at: 0, message })?;
        table.notes = notes;
        Ok(table)
    }

    /// Encodes the table in the format of the Remy project; a decoded table gives its original bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = tree(self.root(), self.axes());
        out.extend(&self.notes);
        out
    }
}

fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn put_double(out: &mut Vec<u8>, field: u64, value: f64) {
    put_varint(out, field << 3 | 1);
    out.extend(value.to_le_bytes());
}

fn put_message(out: &mut Vec<u8>, field: u64, message: &[u8]) {
    put_varint(out, field << 3 | 2);
    put_varint(out, message.len() as u64);
    out.extend(message);
}

fn domain(range: &Range, axes: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for (field, memory) in [(11, &range.lower), (12, &range.upper)] {
        let mut message = Vec::new();
        for (number, &value) in (21..).zip(&memory[..axes]) {
            put_double(&mut message, number, value);
        }
        put_message(&mut out, field, &message);
    }
    out
}

fn tree(node: &Node, axes: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let range = domain(node.range(), axes);
    put_message(&mut out, 1, &range);
    match node {
        Node::Inner(_, children) => {
            for child in children {
                put_message(&mut out, 2, &tree(child, axes));
            }
        }
        Node::Leaf(_, action) => {
            let mut rule = Vec::new();
            put_varint(&mut rule, 31 << 3);
            let zigzag = (action.increment << 1) ^ (action.increment >> 31);
            put_varint(&mut rule, u64::from(zigzag as u32));
            put_double(&mut rule, 32, action.multiple);
            put_double(&mut rule, 33, action.intersend);
            put_message(&mut rule, 34, &range);
            put_message(&mut out, 3, &rule);
        }
    }
    out
}
