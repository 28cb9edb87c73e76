//! Parses system calls: names, arguments and results.

use super::{DEPTH, Parsed, Parser};
use crate::ast::{Call, Expr, When};
use crate::lexer::{Kind, SyntaxError};

impl Parser {
    /// `[...end] name(arguments) = result [ERRNO (text)] [(note)]`
    pub(super) fn call(&mut self, when: When) -> Parsed<Call> {
        let at = self.at();
        let mut end = None;
        if self.peek() == Some(&Kind::Ellipsis) {
            self.next += 1;
            // packetdrill accepts the end without a sign and interprets it like the start; here a sign is accepted too.
            self.eat('+');
            let time = self.time()?;
            let start = match when {
                When::At(start) | When::After(start) => start,
                _ => time,
            };
            if time < start {
                return Err(SyntaxError::new(at, "a call that returns before it begins"));
            }
            end = Some(time);
        }
        let name = self.word("the name of a system call")?;
        self.expect('(')?;
        let arguments = self.list(')')?;
        self.expect('=')?;
        let result = self.expression()?;
        // A word after the result is the error, unless the next event begins there.
        let mut errno = None;
        if let Some(Kind::Word(word)) = self.peek() {
            errno = Some(word.clone());
            self.next += 1;
        }
        while self.is('(') {
            self.note()?;
        }
        Ok(Call { end, name, arguments, result, errno })
    }

    /// Skips a note `(any words)` for readers.
    fn note(&mut self) -> Parsed<()> {
        self.expect('(')?;
        while !self.eat(')') {
            match self.peek() {
                Some(Kind::Word(_) | Kind::Int(_) | Kind::Hex(_) | Kind::Punct('|' | '-' | '\'' | '/' | ',')) => {
                    self.next += 1;
                }
                _ => return Err(self.unexpected("words and ')'")),
            }
        }
        Ok(())
    }

    /// Parses expressions up to and including `close`.
    fn list(&mut self, close: char) -> Parsed<Vec<Expr>> {
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(self.expression()?);
            if self.eat(close) {
                return Ok(items);
            }
            if !self.eat(',') {
                return Err(self.unexpected(&format!("',' or '{close}'")));
            }
        }
    }

    fn expression(&mut self) -> Parsed<Expr> {
        if self.depth == DEPTH {
            return Err(SyntaxError::new(self.at(), format!("expressions nest deeper than {DEPTH}")));
        }
        self.depth += 1;
        let expression = self.alternatives();
        self.depth -= 1;
        expression
    }

    fn alternatives(&mut self) -> Parsed<Expr> {
        let mut left = self.primary()?;
        while self.eat('|') {
            let right = self.primary()?;
            left = Expr::Or(Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let Some(kind) = self.peek() else { return Err(self.unexpected("a value")) };
        let value = match kind {
            Kind::Ellipsis => Expr::Ellipsis,
            &(Kind::Int(value) | Kind::Hex(value)) => Expr::Int(value),
            Kind::Text(_) => return Ok(self.text()),
            Kind::Word(_) => return self.named(),
            Kind::Punct('[') => {
                self.next += 1;
                return Ok(Expr::List(self.list(']')?));
            }
            Kind::Punct('{') => {
                self.next += 1;
                return Ok(Expr::Struct(self.list('}')?));
            }
            _ => return Err(self.unexpected("a value")),
        };
        self.next += 1;
        Ok(value)
    }

    /// Concatenates consecutive texts; `"..."...` is a text with a continuation.
    fn text(&mut self) -> Expr {
        let mut whole = String::new();
        while let Some(Kind::Text(part)) = self.peek() {
            whole.push_str(part);
            self.next += 1;
        }
        if self.peek() == Some(&Kind::Ellipsis) {
            self.next += 1;
        }
        Expr::Text(whole)
    }

    /// Parses a name, a field with its value, or a function-like expression.
    fn named(&mut self) -> Parsed<Expr> {
        let name = self.word("a name")?;
        if self.eat('=') {
            return Ok(Expr::Field(name, None, Box::new(self.expression()?)));
        }
        if !self.eat('(') {
            return Ok(Expr::Word(name));
        }
        let mut arguments = self.list(')')?;
        if !self.eat('=') {
            return Ok(Expr::Call(name, arguments));
        }
        let count = arguments.pop().map(Box::new);
        if !arguments.is_empty() {
            return Err(self.unexpected("one count in the brackets of a field"));
        }
        Ok(Expr::Field(name, count, Box::new(self.expression()?)))
    }
}
