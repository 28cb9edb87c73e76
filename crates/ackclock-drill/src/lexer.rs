//! Converts characters to tokens. Comments are those of C, C++ and the shell; each token has its position.

use std::net::{Ipv4Addr, Ipv6Addr};

/// A position in a script, with both numbers counted from 1; columns count characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
}

/// A syntax error in a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxError {
    /// Position of the error.
    pub at: Position,
    /// Description of the error, and what is accepted.
    pub message: String,
}

impl SyntaxError {
    /// An error at a position.
    pub fn new(at: Position, message: impl Into<String>) -> SyntaxError {
        SyntaxError { at, message: message.into() }
    }
}

/// Kinds of tokens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Letters, digits and underscores that do not form a number.
    Word(String),
    /// A decimal integer.
    Int(i64),
    /// An integer written as `0x...`.
    Hex(i64),
    /// Digits with a point, as written: a time, or flags with ACK and an ACE count.
    Float(String),
    /// `"..."`, with escapes unchanged.
    Text(String),
    /// `` `...` ``
    Command(String),
    /// `%{ ... }%`
    Code(String),
    /// `--name` or `--name=value`
    Option(String, Option<String>),
    /// An IPv4 or IPv6 address.
    Address(String),
    /// `...`
    Ellipsis,
    /// Any other character.
    Punct(char),
}

/// A token with its position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token {
    /// Kind of the token.
    pub kind: Kind,
    /// Position of its first character.
    pub at: Position,
    /// Whether no space separates the token from the previous one.
    pub joined: bool,
}

struct Lexer<'a> {
    text: &'a str,
    offset: usize,
    at: Position,
}

/// The tokens of `text`.
pub fn tokens(text: &str) -> Result<Vec<Token>, SyntaxError> {
    let mut lexer = Lexer { text, offset: 0, at: Position { line: 1, column: 1 } };
    let mut tokens = Vec::new();
    loop {
        let joined = !lexer.skip_blank()?;
        if lexer.rest().is_empty() {
            return Ok(tokens);
        }
        let at = lexer.at;
        let kind = match tokens.last() {
            // A cookie is in hexadecimal digits, and zeros at its start count.
            Some(Token { kind: Kind::Word(name), .. }) if is_fast_open(name) && lexer.peek().is_some_and(is_word) => {
                Kind::Word(lexer.take_while(is_word).to_owned())
            }
            _ => lexer.token()?,
        };
        tokens.push(Token { kind, at, joined });
    }
}

/// Whether a word is the name of the Fast Open option, on its own number or on the number for experiments.
pub fn is_fast_open(word: &str) -> bool {
    matches!(word, "FO" | "FOEXP")
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.offset..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.offset += c.len_utf8();
        if c == '\n' {
            self.at = Position { line: self.at.line + 1, column: 1 };
        } else {
            self.at.column += 1;
        }
        Some(c)
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let end = self.offset + bytes;
        let taken = &self.text[self.offset..end];
        while self.offset < end {
            self.bump();
        }
        taken
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !keep(c)).unwrap_or(rest.len());
        self.take(length)
    }

    /// Skips blanks and comments. Returns whether there were any, or whether the text begins here.
    fn skip_blank(&mut self) -> Result<bool, SyntaxError> {
        let before = self.offset;
        loop {
            self.take_while(char::is_whitespace);
            let rest = self.rest();
            // GRE headers contain "sequence#", which does not begin a comment.
            let hash = rest.starts_with('#') && !self.text[..self.offset].ends_with(is_word);
            if rest.starts_with("//") || hash {
                self.take_while(|c| c != '\n');
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let at = self.at;
                let Some(end) = comment.find("*/") else {
                    return Err(SyntaxError::new(at, "a comment that is not closed: expected */"));
                };
                self.take(end + 4);
            } else {
                return Ok(self.offset > before || before == 0);
            }
        }
    }

    fn token(&mut self) -> Result<Kind, SyntaxError> {
        let rest = self.rest();
        if rest.starts_with("%{") {
            return self.code();
        }
        if rest.starts_with("...") {
            self.take(3);
            return Ok(Kind::Ellipsis);
        }
        if let Some(after) = rest.strip_prefix("--")
            && after.starts_with(is_word)
        {
            return Ok(self.option());
        }
        if let Some(address) = address(rest) {
            return Ok(Kind::Address(self.take(address).to_owned()));
        }
        let c = self.peek().expect("there is a rest");
        match c {
            '"' => Ok(Kind::Text(self.quoted('"')?)),
            '`' => Ok(Kind::Command(self.quoted('`')?)),
            '0'..='9' => self.number(),
            '.' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => self.number(),
            '-' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => self.number(),
            c if is_word(c) => Ok(Kind::Word(self.take_while(is_word).to_owned())),
            c => {
                self.bump();
                Ok(Kind::Punct(c))
            }
        }
    }

    /// Reads an integer, a number with a point, or a word that begins with a digit (a cookie in hexadecimal).
    fn number(&mut self) -> Result<Kind, SyntaxError> {
        let at = self.at;
        let negative = self.peek() == Some('-');
        if negative {
            self.bump();
        }
        let whole = self.take_while(is_word);
        let fraction = self.rest().strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        if fraction && whole.bytes().all(|b| b.is_ascii_digit()) {
            self.bump();
            let fraction = self.take_while(|c| c.is_ascii_digit());
            let sign = if negative { "-" } else { "" };
            return Ok(Kind::Float(format!("{sign}{whole}.{fraction}")));
        }
        let too_large = |_| SyntaxError::new(at, format!("{whole} does not fit in 64 bits"));
        let signed = |value: i64| if negative { -value } else { value };
        if let Some(digits) = whole.strip_prefix("0x").or_else(|| whole.strip_prefix("0X")) {
            return Ok(Kind::Hex(signed(i64::from_str_radix(digits, 16).map_err(too_large)?)));
        }
        if whole.bytes().all(|b| b.is_ascii_digit()) {
            return Ok(Kind::Int(signed(whole.parse().map_err(too_large)?)));
        }
        Ok(Kind::Word(whole.to_owned()))
    }

    fn quoted(&mut self, quote: char) -> Result<String, SyntaxError> {
        let at = self.at;
        self.bump();
        let start = self.offset;
        loop {
            match self.bump() {
                Some('\\') => {
                    self.bump();
                }
                Some(c) if c == quote => return Ok(self.text[start..self.offset - 1].to_owned()),
                Some(_) => {}
                None => return Err(SyntaxError::new(at, format!("a text that is not closed: expected {quote}"))),
            }
        }
    }

    fn code(&mut self) -> Result<Kind, SyntaxError> {
        let at = self.at;
        let Some(end) = self.rest()[2..].find("}%") else {
            return Err(SyntaxError::new(at, "code that is not closed: expected }%"));
        };
        let taken = self.take(end + 4);
        Ok(Kind::Code(taken[2..taken.len() - 2].to_owned()))
    }

    /// Reads `--name` or `--name=value`; the value ends at a blank outside quotes.
    fn option(&mut self) -> Kind {
        self.take(2);
        let name = self.take_while(is_word).to_owned();
        if self.peek() != Some('=') {
            return Kind::Option(name, None);
        }
        self.bump();
        let mut quote = None;
        let rest = self.rest();
        let end = rest.find(|c: char| match quote {
            Some(open) => {
                if c == open {
                    quote = None;
                }
                false
            }
            None => {
                if c == '"' || c == '`' {
                    quote = Some(c);
                }
                c.is_whitespace()
            }
        });
        let value = self.take(end.unwrap_or(rest.len()));
        let bare = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value);
        Kind::Option(name, Some(bare.to_owned()))
    }
}

/// Length of an IP address at the start of `rest`. A sequence range such as 1:1001 is not an address.
fn address(rest: &str) -> Option<usize> {
    let span = |keep: fn(char) -> bool| rest.find(|c| !keep(c)).unwrap_or(rest.len());
    let dotted = span(|c| c.is_ascii_digit() || c == '.');
    if rest[..dotted].parse::<Ipv4Addr>().is_ok() {
        return Some(dotted);
    }
    let colons = span(|c| c.is_ascii_hexdigit() || c == ':' || c == '.');
    let run = rest[..colons].trim_end_matches('.');
    let candidate = run.strip_suffix(':').filter(|run| !run.ends_with(':')).unwrap_or(run);
    let long = candidate.contains("::") || candidate.matches(':').count() == 7;
    (long && candidate.parse::<Ipv6Addr>().is_ok()).then_some(candidate.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        tokens(text).unwrap().into_iter().map(|token| token.kind).collect()
    }

    #[test]
    fn a_blocking_call_has_two_times() {
        let float = |text: &str| Kind::Float(text.to_owned());
        assert_eq!(kinds("0.1...0.3"), [float("0.1"), Kind::Ellipsis, float("0.3")]);
        assert_eq!(kinds("0...0.3"), [Kind::Int(0), Kind::Ellipsis, float("0.3")]);
        assert_eq!(kinds("+.1"), [Kind::Punct('+'), float(".1")]);
    }

    #[test]
    fn a_sequence_range_is_not_an_address() {
        let range =
            [Kind::Int(1), Kind::Punct(':'), Kind::Int(1001), Kind::Punct('('), Kind::Int(1000), Kind::Punct(')')];
        assert_eq!(kinds("1:1001(1000)"), range);
        assert_eq!(kinds("fd3d::1"), [Kind::Address("fd3d::1".to_owned())]);
        assert_eq!(kinds("::ffff:192.0.2.1"), [Kind::Address("::ffff:192.0.2.1".to_owned())]);
        assert_eq!(kinds("192.0.2.1:"), [Kind::Address("192.0.2.1".to_owned()), Kind::Punct(':')]);
        assert_eq!(kinds("fd3d::2:"), [Kind::Address("fd3d::2".to_owned()), Kind::Punct(':')]);
    }

    #[test]
    fn comments_of_three_languages_are_skipped() {
        assert_eq!(kinds("1 // a `b\n2 # \"c\n3 /* d\n*/ 4"), [1, 2, 3, 4].map(Kind::Int));
        let error = tokens("1\n  /* never").unwrap_err();
        assert_eq!(error.at, Position { line: 2, column: 3 });
    }

    #[test]
    fn options_keep_their_values_as_written() {
        let option = |name: &str, value: &str| Kind::Option(name.to_owned(), Some(value.to_owned()));
        assert_eq!(
            kinds("--ip_version=ipv4-mapped-ipv6\n--define=CC=\"a b\" --x"),
            [
                option("ip_version", "ipv4-mapped-ipv6"),
                option("define", "CC=\"a b\""),
                Kind::Option("x".to_owned(), None)
            ]
        );
    }

    #[test]
    fn code_and_commands_keep_their_lines() {
        assert_eq!(kinds("%{ assert a == {}, b }%"), [Kind::Code(" assert a == {}, b ".to_owned())]);
        assert_eq!(kinds("`a\nb`"), [Kind::Command("a\nb".to_owned())]);
    }
}
