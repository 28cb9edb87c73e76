//! Parses tokens to events by recursive descent, with one function for each rule of the grammar.

mod expr;
mod packet;

use crate::ast::{Action, Event, Position, Script, When};
use crate::lexer::{self, Kind, SyntaxError, Token};
use ackclock_tcp::{Nanos, SECOND};

/// Largest nesting depth of expressions.
const DEPTH: u32 = 64;

/// Parses a script. `defines` are symbols from outside, as with packetdrill's `-D NAME=VALUE`; the script's own
/// `--define` lines come after them.
pub fn script(text: &str, defines: &[(String, String)]) -> Result<Script, SyntaxError> {
    let tokens = substitute(lexer::tokens(text)?, defines)?;
    let end = end_of(text);
    Parser { tokens, next: 0, depth: 0, end }.script()
}

fn end_of(text: &str) -> Position {
    let line = text.lines().count().max(1) as u32;
    let column = text.lines().last().map_or(0, |line| line.chars().count()) as u32 + 1;
    Position { line, column }
}

/// Replaces the names of defined symbols with their values.
fn substitute(tokens: Vec<Token>, defines: &[(String, String)]) -> Result<Vec<Token>, SyntaxError> {
    let mut symbols: Vec<(String, Vec<Token>)> = Vec::new();
    for (name, value) in defines {
        symbols.push((name.clone(), lexer::tokens(value)?));
    }
    let mut out = Vec::with_capacity(tokens.len());
    for token in tokens {
        match &token.kind {
            Kind::Option(name, Some(value)) if name == "define" => {
                let Some((symbol, value)) = value.split_once('=') else {
                    return Err(SyntaxError::new(token.at, "expected --define=NAME=VALUE"));
                };
                let value = lexer::tokens(value).map_err(|error| SyntaxError { at: token.at, ..error })?;
                symbols.push((symbol.to_owned(), value));
            }
            Kind::Word(word) => match symbols.iter().rev().find(|(name, _)| name == word) {
                Some((_, value)) => out.extend(value.iter().map(|part| Token { at: token.at, ..part.clone() })),
                None => out.push(token),
            },
            _ => out.push(token),
        }
    }
    Ok(out)
}

struct Parser {
    tokens: Vec<Token>,
    next: usize,
    depth: u32,
    end: Position,
}

type Parsed<T> = Result<T, SyntaxError>;

impl Parser {
    fn peek(&self) -> Option<&Kind> {
        self.tokens.get(self.next).map(|token| &token.kind)
    }

    fn peek_after(&self, count: usize) -> Option<&Kind> {
        self.tokens.get(self.next + count).map(|token| &token.kind)
    }

    fn at(&self) -> Position {
        self.tokens.get(self.next).map_or(self.end, |token| token.at)
    }

    /// Whether no space separates the next token from the previous one.
    fn joined(&self) -> bool {
        self.tokens.get(self.next).is_some_and(|token| token.joined)
    }

    fn is(&self, c: char) -> bool {
        self.peek() == Some(&Kind::Punct(c))
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(Kind::Word(found)) if found == word)
    }

    fn eat(&mut self, c: char) -> bool {
        let found = self.is(c);
        self.next += usize::from(found);
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, c: char) -> Parsed<()> {
        if self.eat(c) { Ok(()) } else { Err(self.unexpected(&format!("'{c}'"))) }
    }

    fn unexpected(&self, expected: &str) -> SyntaxError {
        let found = self.peek().map_or("the end of the script".to_owned(), describe);
        SyntaxError::new(self.at(), format!("expected {expected}, found {found}"))
    }

    /// Accepts any word.
    fn word(&mut self, expected: &str) -> Parsed<String> {
        match self.peek() {
            Some(Kind::Word(word)) => {
                let word = word.clone();
                self.next += 1;
                Ok(word)
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    /// Parses an integer from 0 to `most`.
    fn integer(&mut self, what: &str, most: u32) -> Parsed<u32> {
        let at = self.at();
        let value = self.sum(what)?;
        u32::try_from(value)
            .ok()
            .filter(|&value| value <= most)
            .ok_or_else(|| SyntaxError::new(at, format!("{what} is {value}: expected 0 to {most}")))
    }

    /// Parses a sequence number. A negative one counts back from 0, modulo 2^32.
    fn sequence_number(&mut self, what: &str) -> Parsed<u32> {
        const MOST: i64 = u32::MAX as i64;
        let at = self.at();
        let value = self.sum(what)?;
        if !(-MOST..=MOST).contains(&value) {
            return Err(SyntaxError::new(at, format!("{what} is {value}: expected -{MOST} to {MOST}")));
        }
        Ok(value as u32)
    }

    /// Parses a number, or a sum such as `65536+1-2` without blanks, with an optional sign: after a blank, a sign begins
    /// the next event.
    fn sum(&mut self, what: &str) -> Parsed<i64> {
        let mut sum = self.term(what, true)?;
        while self.joined() {
            sum = match self.peek() {
                Some(Kind::Punct('+' | '-')) | Some(&(Kind::Int(i64::MIN..=0) | Kind::Hex(i64::MIN..=0))) => {
                    let at = self.at();
                    let term = self.term(what, false)?;
                    sum.checked_add(term).ok_or_else(|| SyntaxError::new(at, format!("{what} is too large")))?
                }
                _ => break,
            };
        }
        Ok(sum)
    }

    /// Parses a number with an optional sign; `first` is whether no sum precedes it.
    fn term(&mut self, what: &str, first: bool) -> Parsed<i64> {
        let sign = match self.peek() {
            Some(Kind::Punct('+')) => 1,
            Some(Kind::Punct('-')) => -1,
            _ => 0,
        };
        if sign != 0 && (!first || matches!(self.peek_after(1), Some(Kind::Int(_) | Kind::Hex(_)))) {
            self.next += 1;
        }
        match self.peek() {
            Some(&(Kind::Int(value) | Kind::Hex(value))) => {
                self.next += 1;
                Ok(if sign < 0 { -value } else { value })
            }
            _ => Err(self.unexpected(&format!("{what}, a whole number"))),
        }
    }

    fn script(mut self) -> Parsed<Script> {
        let mut script = Script::default();
        while let Some(Kind::Option(name, value)) = self.peek() {
            script.options.push((name.clone(), value.clone()));
            self.next += 1;
        }
        script.init = self.bare_command();
        while self.peek().is_some() {
            if let Some(command) = self.bare_command() {
                script.cleanup = Some(command);
                if self.peek().is_some() {
                    return Err(self.unexpected("the end of the script after a command without a time"));
                }
                break;
            }
            let event = self.event()?;
            script.events.push(event);
        }
        if script.events.is_empty() {
            return Err(SyntaxError::new(self.end, "the script has no events"));
        }
        Ok(script)
    }

    fn bare_command(&mut self) -> Option<(Position, String)> {
        let at = self.at();
        let Some(Kind::Command(text)) = self.peek() else { return None };
        let text = text.clone();
        self.next += 1;
        Some((at, text))
    }

    fn event(&mut self) -> Parsed<Event> {
        let at = self.at();
        let when = self.when()?;
        let action = self.action(when)?;
        let outbound = matches!(&action, Action::Packet(packet) if !packet.inbound);
        if !outbound && !matches!(when, When::At(_) | When::After(_)) {
            return Err(SyntaxError::new(at, "only a packet that leaves may have a range of times or *"));
        }
        Ok(Event { at, when, action })
    }

    fn when(&mut self) -> Parsed<When> {
        if self.eat('*') {
            return Ok(When::Any);
        }
        let at = self.at();
        let relative = self.eat('+');
        let from = self.time()?;
        if !self.eat('~') {
            return Ok(if relative { When::After(from) } else { When::At(from) });
        }
        if relative {
            self.expect('+')?;
        }
        let to = self.time()?;
        if to < from {
            return Err(SyntaxError::new(at, "a range of times that ends before it begins"));
        }
        Ok(if relative { When::AfterBetween(from, to) } else { When::Between(from, to) })
    }

    /// Parses a time in seconds, to the nanosecond.
    fn time(&mut self) -> Parsed<Nanos> {
        let nanos = match self.peek() {
            Some(&Kind::Int(seconds)) => u64::try_from(seconds).ok().and_then(|seconds| seconds.checked_mul(SECOND)),
            Some(Kind::Float(text)) => seconds(text),
            _ => return Err(self.unexpected("a time in seconds")),
        };
        let Some(nanos) = nanos.filter(|&nanos| nanos <= MOST_TIME) else {
            return Err(SyntaxError::new(self.at(), "a time is 0 to 1000000000 seconds"));
        };
        self.next += 1;
        Ok(nanos)
    }

    fn action(&mut self, when: When) -> Parsed<Action> {
        match self.peek() {
            Some(Kind::Punct('<' | '>')) => Ok(Action::Packet(self.packet()?)),
            Some(Kind::Command(text)) => {
                let text = text.clone();
                self.next += 1;
                Ok(Action::Command(text))
            }
            Some(Kind::Code(text)) => {
                let text = text.clone();
                self.next += 1;
                Ok(Action::Code(text))
            }
            Some(Kind::Word(_) | Kind::Ellipsis) => Ok(Action::Call(self.call(when)?)),
            _ => Err(self.unexpected("a packet (< or >), a system call, a `command` or %{ code }%")),
        }
    }
}

/// Largest time, which is later than the events of any realistic script and does not overflow.
const MOST_TIME: Nanos = 1_000_000_000 * SECOND;

/// Converts decimal seconds such as `.25` to nanoseconds; digits below the nanosecond are dropped.
fn seconds(text: &str) -> Option<Nanos> {
    let (whole, fraction) = text.split_once('.')?;
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let nanos = fraction.bytes().chain(std::iter::repeat(b'0')).take(9);
    let fraction = nanos.fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'));
    whole.checked_mul(SECOND)?.checked_add(fraction)
}

fn describe(kind: &Kind) -> String {
    match kind {
        Kind::Word(word) => word.clone(),
        Kind::Int(value) => value.to_string(),
        Kind::Hex(value) => format!("{value:#x}"),
        Kind::Float(text) => text.clone(),
        Kind::Text(_) => "a text".to_owned(),
        Kind::Command(_) => "a `command`".to_owned(),
        Kind::Code(_) => "%{ code }%".to_owned(),
        Kind::Option(name, _) => format!("--{name}"),
        Kind::Address(text) => text.clone(),
        Kind::Ellipsis => "...".to_owned(),
        Kind::Punct(c) => format!("'{c}'"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::{AccEcnField, Body, EcnField, Expr, Packet, TcpOption};
    use ackclock_tcp::{Flags, MILLISECOND};

    fn event(text: &str) -> Event {
        super::script(text, &[]).unwrap_or_else(|error| panic!("{text}: {error:?}")).events.remove(0)
    }

    fn packet(text: &str) -> Packet {
        match event(text).action {
            Action::Packet(packet) => packet,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn times_are_exact() {
        let when = |text: &str| event(&format!("{text} > . 1:1(0)")).when;
        assert_eq!(when("0.1"), When::At(100 * MILLISECOND));
        assert_eq!(when("+.0000001"), When::After(100));
        assert_eq!(when("+.02 ~+5"), When::AfterBetween(20 * MILLISECOND, 5 * SECOND));
        assert_eq!(when("1~2.5"), When::Between(SECOND, 2_500 * MILLISECOND));
        assert_eq!(when("*"), When::Any);
    }

    #[test]
    fn flags_and_marks_of_ecn_are_read() {
        let Packet { ip, body: Body::Tcp(tcp), .. } = packet("0 > [ect01] P5. 1:2(1) ack 3 win 4") else { panic!() };
        assert_eq!(ip.ecn, Some(EcnField::Capable));
        let ace = Flags::AE.0 | Flags::ECE.0;
        assert_eq!((tcp.flags, tcp.ace), (Flags::PSH.0 | Flags::ACK.0 | ace, Some(5)));
        let Body::Tcp(tcp) = packet("0 > SEWA 0:0(0) <mss 1,ECN e1b 1 ceb 0 e0b 3,nop>").body else { panic!() };
        assert_eq!(tcp.flags, Flags::SYN.0 | Flags::ECE.0 | Flags::CWR.0 | Flags::AE.0);
        let counters = vec![(AccEcnField::E1b, 1), (AccEcnField::Ceb, 0), (AccEcnField::E0b, 3)];
        assert_eq!(tcp.options, Some(vec![TcpOption::Mss(1), TcpOption::AccEcn(counters), TcpOption::Nop]));
        let Body::Tcp(none) = packet("0 > - 0:0(0) <...>").body else { panic!() };
        assert_eq!((none.flags, none.options), (0, None));
    }

    #[test]
    fn icmp_quotes_the_segment_it_concerns() {
        let Body::Icmp(icmp) = packet("0 < icmp unreachable frag_needed mtu 1300 [1:1001(1000)]").body else {
            panic!()
        };
        assert_eq!((icmp.kind.as_str(), icmp.code.as_deref()), ("unreachable", Some("frag_needed")));
        assert_eq!((icmp.mtu, icmp.echoed, icmp.foreign), (Some(1300), Some((1, 1000)), false));
        let Body::Icmp(before) = packet("0 < [7:9(2)]icmp unreachable no_route").body else { panic!() };
        assert_eq!((before.echoed, before.code.as_deref()), (Some((7, 2)), Some("no_route")));
        let Body::Icmp(foreign) = packet("0 < icmp time_exceeded [udp (100)]").body else { panic!() };
        assert!(foreign.foreign);
    }

    #[test]
    fn sequence_numbers_may_have_a_sign_and_terms() {
        let seq = |text: &str| match packet(&format!("0 < . {text} win 10")).body {
            Body::Tcp(tcp) => (tcp.seq, tcp.len, tcp.ack),
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(seq("-1:0(1) ack -2"), (u32::MAX, 1, u32::MAX - 1));
        assert_eq!(seq("1+65535:65536+3-0(3) ack 5-3"), (65_536, 3, 2));
        assert_eq!(seq("+1:+1(0) ack 1"), (1, 0, 1));
        // After a blank, a sign begins the next event.
        let script = super::script("0 < . 1:1(0) ack 1 win 10\n+1 < . 1:1(0) ack 1 win 10 +2 > . 1:1(0)", &[]).unwrap();
        assert_eq!(script.events.len(), 3);
        for wrong in ["1+:1(0)", "1-:1(0)", "-4294967296:1(0)", "1+x:1(0)"] {
            assert!(super::script(&format!("0 < . {wrong}"), &[]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn classes_of_service_have_names() {
        let dscp = |text: &str| packet(&format!("0 > [{text}] . 1:1(0)")).ip.dscp;
        let values = ["CS5", "AF21", "EF", "VOICE_ADMIT", "LE", "0x2e"].map(|name| dscp(&format!("dscp {name}")));
        assert_eq!(values, [40, 18, 46, 44, 1, 46].map(Some));
        let marked = packet("0 > (dscp AF43, ecn ect0, ttl 9) . 1:1(0)").ip;
        assert_eq!((marked.dscp, marked.ecn, marked.ttl), (Some(38), Some(EcnField::Is(2)), Some(9)));
        assert!(super::script("0 > [dscp AF44] . 1:1(0)", &[]).is_err());
    }

    #[test]
    fn calls_have_structures_errors_and_notes() {
        let call = |text: &str| match event(text).action {
            Action::Call(call) => call,
            other => panic!("{text}: {other:?}"),
        };
        let blocking = call("+.01...0.011 connect(3, ..., ...) = -1 EINPROGRESS (Operation now in progress)");
        assert_eq!((blocking.end, blocking.errno.as_deref()), (Some(11 * MILLISECOND), Some("EINPROGRESS")));
        let flags = call("0 fcntl(3, F_GETFL) = 0x2 (flags O_RDWR)");
        assert_eq!((flags.result, flags.errno), (Expr::Int(2), None));
        let nested = call("0 recvmsg(3, {msg_name(...)=..., msg_iov(1)=[{..., 5}], msg_flags=A|B}, 0) = 5");
        let Expr::Struct(fields) = &nested.arguments[1] else { panic!() };
        assert!(matches!(&fields[0], Expr::Field(name, Some(_), _) if name == "msg_name"));
        assert!(matches!(&fields[2], Expr::Field(_, None, value) if matches!(**value, Expr::Or(..))));
    }

    #[test]
    fn symbols_stand_for_their_values() {
        let given = [("SIZE".to_owned(), "5".to_owned())];
        let text = "--define=FD=4\n--define=CC=\"reno\"\n0 setsockopt(FD, SOL_TCP, TCP_CONGESTION, CC, SIZE) = 0";
        let script = super::script(text, &given).unwrap();
        let Action::Call(call) = &script.events[0].action else { panic!() };
        assert_eq!(call.arguments[0], Expr::Int(4));
        assert_eq!(call.arguments[3..], [Expr::Text("reno".to_owned()), Expr::Int(5)]);
    }
}
