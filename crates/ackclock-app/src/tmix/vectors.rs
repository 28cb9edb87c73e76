//! Files of connection vectors, in both published formats.

use std::fmt;

use ackclock_core::Nanos;

const MICROSECOND: Nanos = 1_000;
/// Longest time and largest size that a file may have: both far above what can be simulated, and no sum overflows.
const LONGEST: u64 = 1 << 40;
const LARGEST: u64 = 1 << 44;

/// An end of a connection, as the formats name it: who opened it, or the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Party {
    /// Sends the SYN.
    Initiator = 0,
    /// Gets it.
    Acceptor = 1,
}

/// What a party does next: it waits, then writes an application data unit or closes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// ns since the party's last write, or since it is connected.
    pub since_sent: Nanos,
    /// Stream bytes that it must have received before it begins to wait `since_received`.
    pub after: Option<u64>,
    /// ns since it has received those.
    pub since_received: Nanos,
    /// Bytes to write; none means to close.
    pub size: u64,
    /// The epoch that an application data unit belongs to.
    pub epoch: u32,
}

/// An exchange. In a sequential connection all units from one of the initiator that follows one of the acceptor, up to the
/// next such; in a concurrent one every unit by itself.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Epoch {
    /// Bytes by party.
    pub bytes: [u64; 2],
    /// Application data units.
    pub units: u32,
}

/// What the two ends of one connection said to each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Connection {
    /// When it is opened, ns.
    pub start: Nanos,
    /// What each party does, in order.
    pub steps: [Vec<Step>; 2],
    /// Its exchanges.
    pub epochs: Vec<Epoch>,
}

impl Connection {
    /// Bytes that a party sends.
    pub fn bytes(&self, party: Party) -> u64 {
        self.epochs.iter().map(|epoch| epoch.bytes[party as usize]).sum()
    }
}

/// Connection vectors: what applications had to say, without what TCP and the network made of it.
///
/// The model and the original format are those of Weigle, Adurthi, Hernandez-Campos, Jeffay and Smith, "Tmix: a tool for
/// generating realistic TCP application workloads in ns-2" (CCR 36(3), 2006); the alternate format is that of ns-2.35.
/// Times are in microseconds, sizes in bytes, `#` begins a comment line.
///
/// - Original: `SEQ start epochs id ...`, then `> size` and `< size` for units of initiator and acceptor, `t time` between
///   them; `CONC start epochs epochs id ...`, then `c> size`, `c< size`, `t> time`, `t< time`. After a unit of the other
///   side, a sequential party waits until it has received all of it; after one of its own, or in a concurrent connection,
///   the time runs from its own write. A time after the last unit is how long a party waits before it closes.
/// - Alternate: `S` or `C` with the same numbers, then `I sent received size` and `A sent received size`. The first time
///   runs from the party's last write; the second, if not zero, from when it has received all units above that the other
///   party sends. A size of zero closes.
///
/// Records `w` (receive windows), `r` (round-trip time), `l` (loss rates) and `m` (segment sizes) describe the path and the
/// hosts that were measured. They are checked and otherwise left out: paths and hosts here are the scenario's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vectors {
    connections: Vec<Connection>,
}

/// What is wrong with a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VectorError {
    /// The line, from one; zero where it is the whole.
    pub line: usize,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for VectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.message),
            line => write!(f, "line {line}: {}", self.message),
        }
    }
}

impl std::error::Error for VectorError {}

impl Vectors {
    /// Reads a file.
    ///
    /// # Errors
    /// The first line that is no record of its connection's format, a connection without data, or that there is none.
    pub fn parse(text: &[u8]) -> Result<Vectors, VectorError> {
        let mut connections = Vec::new();
        let mut open: Option<Draft> = None;
        for (line, bytes) in (1..).zip(text.split(|byte| *byte == b'\n')) {
            let wrong = |message: String| VectorError { line, message };
            let text = std::str::from_utf8(bytes).map_err(|_| wrong("it is no text".to_owned()))?.trim();
            let Some(word) = text.split_ascii_whitespace().next().filter(|word| !word.starts_with('#')) else {
                continue;
            };
            let numbers: Vec<&str> = text.split_ascii_whitespace().skip(1).collect();
            if let Some(form) = Form::of(word) {
                let draft = Draft::new(form, line, word, &numbers).map_err(wrong)?;
                if let Some(before) = open.replace(draft) {
                    connections.push(before.finish()?);
                }
                continue;
            }
            let expected = "a connection (SEQ, CONC, S or C)";
            let draft = open.as_mut().ok_or_else(|| wrong(format!("{} before {expected}", shown(word))))?;
            draft.record(word, &numbers).map_err(wrong)?;
        }
        let last = open.ok_or_else(|| VectorError { line: 0, message: "there is no connection".to_owned() })?;
        connections.push(last.finish()?);
        connections.sort_by_key(|connection| connection.start);
        Ok(Vectors { connections })
    }

    /// The connections in the order of their starts.
    pub fn connections(&self) -> &[Connection] {
        &self.connections
    }
}

/// The four kinds of connections.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Form {
    alternate: bool,
    concurrent: bool,
}

impl Form {
    fn of(word: &str) -> Option<Form> {
        let (alternate, concurrent) = match word {
            "SEQ" => (false, false),
            "CONC" => (false, true),
            "S" => (true, false),
            "C" => (true, true),
            _ => return None,
        };
        Some(Form { alternate, concurrent })
    }

    fn records(self) -> &'static str {
        match (self.alternate, self.concurrent) {
            (true, _) => "I, A, w, r, l, m",
            (false, false) => ">, <, t, w, r, l, m",
            (false, true) => "c>, c<, t>, t<, w, r, l, m",
        }
    }
}

/// A connection as its lines come.
#[derive(Debug)]
struct Draft {
    form: Form,
    /// Where it began.
    line: usize,
    connection: Connection,
    sent: [u64; 2],
    /// Time records of the original format not used up: of a sequential connection the first for both.
    wait: [Nanos; 2],
    /// Who sent the last unit.
    last: Option<Party>,
}

impl Draft {
    fn new(form: Form, line: usize, word: &str, numbers: &[&str]) -> Result<Draft, String> {
        let counts = if form.concurrent { 2 } else { 1 };
        if numbers.len() < 1 + counts {
            let counted = if form.concurrent { "both numbers of epochs" } else { "the number of epochs" };
            return Err(format!("{word} has a start in microseconds and {counted}"));
        }
        let start = time(numbers[0])?;
        for number in &numbers[1..=counts] {
            integer(number, "a number of epochs", LARGEST)?;
        }
        let connection = Connection { start, steps: [Vec::new(), Vec::new()], epochs: Vec::new() };
        Ok(Draft { form, line, connection, sent: [0; 2], wait: [0; 2], last: None })
    }

    fn record(&mut self, word: &str, numbers: &[&str]) -> Result<(), String> {
        let takes = |least: usize, most: usize| {
            let range = if least == most { format!("{least}") } else { format!("{least} or {most}") };
            let message = || format!("{word} takes {range} numbers, not {}", numbers.len());
            (least..=most).contains(&numbers.len()).then_some(()).ok_or_else(message)
        };
        match word {
            "w" | "m" => {
                takes(1, 2)?;
                return numbers.iter().try_for_each(|number| integer(number, "bytes", LARGEST).map(drop));
            }
            "r" => {
                takes(1, 1)?;
                return time(numbers[0]).map(drop);
            }
            "l" => {
                takes(1, 2)?;
                return numbers.iter().try_for_each(|number| share(number));
            }
            _ => {}
        }
        let Form { alternate, concurrent } = self.form;
        match (word, alternate, concurrent) {
            ("I" | "A", true, _) => {
                takes(3, 3)?;
                let party = if word == "I" { Party::Initiator } else { Party::Acceptor };
                let (sent, received) = (time(numbers[0])?, time(numbers[1])?);
                self.step(party, sent, (received > 0).then_some(received), size(numbers[2], 0)?);
            }
            (">" | "<", false, false) | ("c>" | "c<", false, true) => {
                takes(1, 1)?;
                let party = if word.ends_with('>') { Party::Initiator } else { Party::Acceptor };
                let own = if concurrent { party as usize } else { 0 };
                let wait = std::mem::take(&mut self.wait[own]);
                let turn = !concurrent && self.last.is_some_and(|last| last != party);
                let (sent, received) = if turn { (0, Some(wait)) } else { (wait, None) };
                self.step(party, sent, received, size(numbers[0], 1)?);
            }
            ("t", false, false) | ("t>" | "t<", false, true) => {
                takes(1, 1)?;
                let own = usize::from(word == "t<");
                self.wait[own] += time(numbers[0])?;
                if self.wait[own] > LONGEST * MICROSECOND {
                    return Err(format!("the times up to here are longer than {LONGEST} microseconds"));
                }
            }
            _ => {
                return Err(format!(
                    "{} is no record of its connection; accepted: {}",
                    shown(word),
                    self.form.records()
                ));
            }
        }
        Ok(())
    }

    fn step(&mut self, party: Party, since_sent: Nanos, received: Option<Nanos>, size: u64) {
        let Draft { form, connection, sent, last, .. } = self;
        let own = party as usize;
        let after = received.map(|_| sent[1 - own]);
        if size > 0 {
            let first = *last != Some(Party::Initiator) && party == Party::Initiator;
            if form.concurrent || first || connection.epochs.is_empty() {
                connection.epochs.push(Epoch::default());
            }
            let epoch = connection.epochs.last_mut().expect("one was begun");
            epoch.bytes[own] += size;
            epoch.units += 1;
            sent[own] += size;
            *last = Some(party);
        }
        let epoch = connection.epochs.len().saturating_sub(1) as u32;
        let step = Step { since_sent, after, since_received: received.unwrap_or(0), size, epoch };
        connection.steps[own].push(step);
    }

    /// Says who closes, where the lines do not: both parties of a concurrent connection, else the one that sent last.
    fn finish(mut self) -> Result<Connection, VectorError> {
        let wrong = |message: &str| Err(VectorError { line: self.line, message: message.to_owned() });
        let Some(last) = self.last else { return wrong("the connection has no data") };
        for steps in &self.connection.steps {
            let data = steps.iter().rposition(|step| step.size > 0).map_or(0, |last| last + 1);
            if steps.len() > data + 1 || steps[..data].iter().any(|step| step.size == 0) {
                return wrong("a party of the connection goes on after it has closed");
            }
        }
        let closes = |steps: &Vec<Step>| steps.last().is_some_and(|step| step.size == 0);
        if !self.connection.steps.iter().any(closes) {
            let wait = self.wait;
            if !self.form.concurrent {
                self.step(last, wait[0], None, 0);
            } else {
                self.step(Party::Initiator, wait[0], None, 0);
                self.step(Party::Acceptor, wait[1], None, 0);
            }
        }
        Ok(self.connection)
    }
}

fn shown(word: &str) -> String {
    format!("{:?}", word.chars().take(40).collect::<String>())
}

fn integer(word: &str, what: &str, most: u64) -> Result<u64, String> {
    let digits = Some(word).filter(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    let number = digits.and_then(|word| word.parse().ok()).filter(|number| *number <= most);
    number.ok_or_else(|| format!("{} is not {what}: a whole number up to {most}", shown(word)))
}

/// A time in ns from one in microseconds.
fn time(word: &str) -> Result<Nanos, String> {
    integer(word, "a time in microseconds", LONGEST).map(|number| number * MICROSECOND)
}

fn size(word: &str, least: u64) -> Result<u64, String> {
    let number = integer(word, "a size in bytes", LARGEST)?;
    (number >= least).then_some(number).ok_or_else(|| "a unit has at least one byte".to_owned())
}

fn share(word: &str) -> Result<(), String> {
    let number = word.parse::<f64>().ok().filter(|number| (0.0..=1.0).contains(number));
    number.map(drop).ok_or_else(|| format!("{} is not a loss rate from 0 to 1", shown(word)))
}

#[cfg(test)]
impl Vectors {
    pub(super) fn connections_mut(&mut self) -> &mut [Connection] {
        &mut self.connections
    }
}
