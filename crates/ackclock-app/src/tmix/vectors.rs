//! Files of connection vectors, in both published formats.

use std::fmt;

use ackclock_core::Nanos;

const MICROSECOND: Nanos = 1_000;
/// The longest time and the largest size that a file may have. Both are far above what can be simulated, and their sums
/// do not overflow.
const LONGEST: u64 = 1 << 40;
const LARGEST: u64 = 1 << 44;

/// A party of a connection, as the formats name it: the end that opened the connection, or the other end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Party {
    /// The party that sends the SYN.
    Initiator = 0,
    /// The party that receives the SYN.
    Acceptor = 1,
}

/// The next step of a party: it waits, then writes an application data unit or closes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// Time since the party's last write, or since its connection was established, in ns.
    pub since_sent: Nanos,
    /// Stream bytes that the party must have received before the wait `since_received` begins.
    pub after: Option<u64>,
    /// Time since the party has received these bytes, in ns.
    pub since_received: Nanos,
    /// Bytes to write; zero means to close.
    pub size: u64,
    /// The epoch that an application data unit belongs to.
    pub epoch: u32,
}

/// An exchange. In a sequential connection it begins with a unit of the initiator that follows a unit of the acceptor,
/// and it ends before the next unit of this kind. In a concurrent connection every unit is an epoch by itself.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Epoch {
    /// Bytes sent by each party.
    pub bytes: [u64; 2],
    /// Number of application data units.
    pub units: u32,
}

/// The data units that the two ends of one connection exchanged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Connection {
    /// Opening time of the connection, in ns.
    pub start: Nanos,
    /// Steps of each party, in order.
    pub steps: [Vec<Step>; 2],
    /// Exchanges of the connection.
    pub epochs: Vec<Epoch>,
}

impl Connection {
    /// Returns the bytes that a party sends.
    pub fn bytes(&self, party: Party) -> u64 {
        self.epochs.iter().map(|epoch| epoch.bytes[party as usize]).sum()
    }
}

/// Connection vectors: the data units of applications, without the effects of TCP and the network.
///
/// The model and the original format are those of Weigle, Adurthi, Hernandez-Campos, Jeffay and Smith, "Tmix: a tool
/// for generating realistic TCP application workloads in ns-2" (CCR 36(3), 2006); the alternate format is that of
/// ns-2.35. Times are in microseconds and sizes in bytes; `#` begins a comment line.
///
/// - Original: `SEQ start epochs id ...`, then `> size` and `< size` for units of initiator and acceptor, and `t time`
///   between them; `CONC start epochs epochs id ...`, then `c> size`, `c< size`, `t> time`, `t< time`. After a unit of
///   the other party, a sequential party waits until it has received all of the unit. After its own unit, or in a
///   concurrent connection, the time runs from its own write. A time after the last unit is the wait of a party before
///   it closes.
/// - Alternate: `S` or `C` with the same numbers, then `I sent received size` and `A sent received size`. The first
///   time runs from the party's last write. The second time, if it is not zero, runs from the receipt of all units of
///   the other party in the lines above. A size of zero closes.
///
/// Records `w` (receive windows), `r` (round-trip time), `l` (loss rates) and `m` (segment sizes) describe the measured
/// path and hosts. They are checked and otherwise ignored: the scenario defines the path and the hosts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vectors {
    connections: Vec<Connection>,
}

/// A mistake in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VectorError {
    /// The line, from one; zero if the whole file is meant.
    pub line: usize,
    /// The mistake.
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
    /// Reads the connection vectors of a file.
    ///
    /// # Errors
    /// The first line that is not a record of its connection's format, a connection without data, or a file without
    /// connections.
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

    /// Returns the connections in the order of their starts.
    pub fn connections(&self) -> &[Connection] {
        &self.connections
    }
}

/// One of the four forms of a connection.
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

/// A connection while its lines are being read.
#[derive(Debug)]
struct Draft {
    form: Form,
    /// Line at which the connection began.
    line: usize,
    connection: Connection,
    sent: [u64; 2],
    /// Unused time records of the original format; in a sequential connection the first counts for both parties.
    wait: [Nanos; 2],
    /// Party that sent the last unit.
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

    /// Determines who closes where the lines do not: both parties of a concurrent connection, otherwise the party that
    /// sent last.
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

/// Converts a time from microseconds to ns.
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
