//! Values in the arguments and results of calls.

use crate::ast::{Call, Expr};
use crate::symbols;
use crate::verdict::Stop;

/// The number that an expression represents.
pub fn eval(expr: &Expr) -> Result<i64, Stop> {
    match expr {
        Expr::Int(value) => Ok(*value),
        Expr::Word(word) => match symbols::value(word) {
            Some(value) => Ok(value),
            None => Stop::unsupported(format!("symbol {word}")),
        },
        Expr::Or(left, right) => Ok(eval(left)? | eval(right)?),
        Expr::List(items) if items.len() == 1 => eval(&items[0]),
        Expr::Call(name, items) if name == "htons" && items.len() == 1 => eval(&items[0]),
        _ => Stop::fail(format!("expected a number, found {}", kind(expr))),
    }
}

fn kind(expr: &Expr) -> &'static str {
    match expr {
        Expr::Ellipsis => "...",
        Expr::Int(_) => "a number",
        Expr::Word(_) => "a name",
        Expr::Text(_) => "a text",
        Expr::Or(..) => "an alternative",
        Expr::Field(..) => "a field",
        Expr::List(_) => "a list",
        Expr::Struct(_) => "a structure",
        Expr::Call(..) => "a function",
    }
}

/// The value of a field in a structure.
pub fn field<'a>(items: &'a [Expr], name: &str) -> Option<&'a Expr> {
    items.iter().find_map(|item| match item {
        Expr::Field(field, _, value) if field == name => Some(&**value),
        _ => None,
    })
}

/// The number in a field of a structure, or 0 without the field.
pub fn number(items: &[Expr], name: &str) -> Result<i64, Stop> {
    field(items, name).map_or(Ok(0), eval)
}

/// The structures of an argument, alone or in a list.
pub fn structures(expr: &Expr) -> Result<Vec<&[Expr]>, Stop> {
    let items = match expr {
        Expr::Struct(_) => std::slice::from_ref(expr),
        Expr::List(items) => items,
        _ => return Ok(Vec::new()),
    };
    let parts = items.iter().map(|item| if let Expr::Struct(parts) = item { Some(&parts[..]) } else { None });
    let wrong = || Stop::Fail("expected events such as {events=EPOLLIN, fd=4}".to_owned());
    parts.collect::<Option<_>>().ok_or_else(wrong)
}

/// The bytes of a text, whose escapes are `\xa1`.
///
/// # Errors
/// Other escapes.
pub fn bytes_of_text(text: &str) -> Result<Vec<u8>, Stop> {
    unescaped(text).ok_or_else(|| Stop::Unsupported(format!("the escapes of \"{text}\"")))
}

fn unescaped(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        if first != b'\\' {
            bytes.push(first);
            rest = after;
            continue;
        }
        let digits = after.strip_prefix(b"x")?.get(..2)?;
        bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
        rest = &after[3..];
    }
    Some(bytes)
}

/// Access to the arguments of a call by index.
pub struct Arguments<'a> {
    /// The call.
    pub call: &'a Call,
}

impl<'a> Arguments<'a> {
    /// The arguments of a call that has at least `least`.
    pub fn of(call: &'a Call, least: usize) -> Result<Arguments<'a>, Stop> {
        if call.arguments.len() < least {
            let message = format!("{} takes {least} arguments, found {}", call.name, call.arguments.len());
            return Stop::fail(message);
        }
        Ok(Arguments { call })
    }

    /// An argument; `...` if it is not given.
    pub fn get(&self, index: usize) -> &'a Expr {
        self.call.arguments.get(index).unwrap_or(&Expr::Ellipsis)
    }

    /// A number.
    pub fn int(&self, index: usize) -> Result<i64, Stop> {
        eval(self.get(index))
    }

    /// A number, or 0 if none is given.
    pub fn optional(&self, index: usize) -> Result<i64, Stop> {
        if self.get(index) == &Expr::Ellipsis { Ok(0) } else { self.int(index) }
    }

    /// Whether an argument is this word.
    pub fn is(&self, index: usize, word: &str) -> bool {
        matches!(self.get(index), Expr::Word(name) if name == word)
    }

    /// The number that the script gives to what the call opens, if any.
    pub fn opened(&self) -> Result<Option<i64>, Stop> {
        match &self.call.result {
            Expr::Ellipsis => Ok(None),
            result => Ok(Some(eval(result)?).filter(|&number| number >= 0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_escapes_of_two_digits() {
        assert_eq!(bytes_of_text(r"a\x00\xff"), Ok(vec![b'a', 0, 255]));
        for wrong in [r"\", r"\n", r"\x1", r"\xgg"] {
            assert_eq!(bytes_of_text(wrong), Err(Stop::Unsupported(format!("the escapes of \"{wrong}\""))));
        }
    }
}
