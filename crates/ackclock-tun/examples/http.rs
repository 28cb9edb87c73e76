//! HTTP/1.1 over an endpoint of ackclock, with the machine's own kernel at the other end of a TUN device.
//!
//!     http get   --tun NAME --address 10.9.0.2 --peer 10.9.0.1:80 --path /file --file OUT
//!     http serve --tun NAME --address 10.9.0.2 --port 80 --file IN
//!
//! `get` fetches a file and ends. `serve` answers the request of every connection with the same file, several
//! connections at a time; with `--requests N` it ends when N requests have been answered. Both take `--loss` and
//! `--reorder` (parts per million, in each direction), `--hold` (maximum delay of packets that are reordered, in
//! microseconds), `--seed` and `--stack`. Both print a line of JSON on each file that was fetched or sent.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::io::{BufWriter, Write};
use std::net::{IpAddr, SocketAddr};
use std::process::ExitCode;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use ackclock_core::stream_seed;
use ackclock_net::{Loss, RandomLoss};
use ackclock_tcp::{Config, Nanos, SECOND, State, stack};
use ackclock_tun::{Connection, Driver, Id, Impairment, Tun};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Time without progress after which a transfer is given up, in nanoseconds.
const PATIENCE: Nanos = 60 * SECOND;
/// Maximum number of bytes of an answer that are written and not acknowledged.
const AHEAD: usize = 4 << 20;
/// Maximum number of bytes in the head of a request.
const LONGEST_HEAD: usize = 16 << 10;
/// Maximum number of connections that a server has at a time.
const MOST_CONNECTIONS: usize = 64;
/// First port of connections, and number of ports: the dynamic ports of RFC 6335.
const FIRST_PORT: u16 = 49_152;
const PORTS: u64 = 16_384;
/// Size of the window that is advertised, in bytes.
const WINDOW: u64 = 4 << 20;

struct Options(BTreeMap<String, String>);

impl Options {
    fn parse(arguments: impl Iterator<Item = String>) -> Outcome<Options> {
        let (mut options, mut arguments) = (BTreeMap::new(), arguments);
        while let Some(argument) = arguments.next() {
            let name = argument.strip_prefix("--").ok_or_else(|| format!("unexpected argument {argument}"))?;
            options.insert(name.to_owned(), arguments.next().ok_or_else(|| format!("{argument} needs a value"))?);
        }
        Ok(Options(options))
    }

    fn text(&self, name: &str) -> Outcome<&str> {
        Ok(self.0.get(name).ok_or_else(|| format!("--{name} is missing"))?)
    }

    fn get<T: FromStr<Err: Error + 'static>>(&self, name: &str) -> Outcome<T> {
        let text = self.text(name)?;
        text.parse().map_err(|error| format!("--{name} {text}: {error}").into())
    }

    fn number(&self, name: &str, otherwise: u64) -> Outcome<u64> {
        if self.0.contains_key(name) { self.get(name) } else { Ok(otherwise) }
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("http: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let command = arguments.next().unwrap_or_default();
    let options = Options::parse(arguments)?;
    match command.as_str() {
        "get" => get(&options),
        "serve" => serve(&options),
        other => Err(format!("unknown command {other:?}; accepted: get, serve").into()),
    }
}

fn driver(options: &Options) -> Outcome<Driver> {
    let tun = Tun::attach(options.text("tun")?).map_err(|error| format!("--tun {}: {error}", options.0["tun"]))?;
    let name = options.0.get("stack").map_or("linux", String::as_str);
    let stack = stack::by_name(name).ok_or_else(|| format!("--stack {name}: there is no such stack"))?;
    let config = Config { receive_buffer: WINDOW, receive_buffer_max: WINDOW, ..(stack.config)() };
    let seed = options.number("seed", 1)?;
    let (loss, reorder) = (options.number("loss", 0)?, options.number("reorder", 0)?);
    let hold = options.number("hold", 1000)? * 1000;
    // The options count parts per million, as `--help` says; the models count parts per billion.
    let impairment = |way: &str| {
        let lost = (loss > 0).then(|| {
            Loss::Random(RandomLoss::new(loss.saturating_mul(1000), stream_seed(seed, &format!("{way}/loss"))))
        });
        Impairment::new(stream_seed(seed, &format!("{way}/reorder")), lost, reorder.saturating_mul(1000), hold)
    };
    let address: IpAddr = options.get("address")?;
    // Sequence numbers are not drawn from the seed, because the kernel remembers those of earlier connections for a
    // minute.
    Ok(Driver::new(tun, address, config, unique()?, impairment("inward"), impairment("outward")))
}

/// Returns a number that differs from those of all earlier runs.
fn unique() -> Outcome<u64> {
    Ok(SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos() as u64)
}

/// Runs one turn of the driver; returns an error if there was no progress for too long.
fn turn(driver: &mut Driver, progress: Nanos) -> Outcome<()> {
    let now = driver.now();
    if now > progress + PATIENCE {
        return Err(format!("nothing has happened for {} s", PATIENCE / SECOND).into());
    }
    Ok(driver.turn(now + SECOND)?)
}

fn report(driver: &mut Driver, id: Id, bytes: u64, began: Nanos) {
    let spent = (driver.now() - began) as f64 / SECOND as f64;
    let counts = driver.counts();
    let [inward, outward] = driver.impairments().map(Impairment::counts);
    let stats = driver.connection(id).map(|connection| *connection.endpoint().stats()).unwrap_or_default();
    println!(
        "{{\"bytes\": {bytes}, \"seconds\": {spent:.3}, \"segments_sent\": {}, \"segments_received\": {}, \
         \"retransmits\": {}, \"timeouts\": {}, \"lost\": [{}, {}], \"held_back\": [{}, {}], \"damaged\": {}}}",
        stats.segments_sent,
        stats.segments_received,
        stats.retransmits,
        stats.timeouts,
        inward[1],
        outward[1],
        inward[2],
        outward[2],
        counts.damaged,
    );
}

fn get(options: &Options) -> Outcome<()> {
    let mut driver = driver(options)?;
    let peer: SocketAddr = options.get("peer")?;
    let mut file = BufWriter::new(fs::File::create(options.text("file")?)?);
    let path = options.text("path")?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {peer}\r\nUser-Agent: ackclock\r\nConnection: close\r\n\r\n");
    let began = driver.now();
    let id = driver.connect(FIRST_PORT + (unique()? / 1000 % PORTS) as u16, peer);
    let (mut head, mut expected, mut received) = (Vec::new(), None, 0);
    let (mut asked, mut progress) = (false, began);
    while expected.is_none_or(|expected| received < expected) {
        turn(&mut driver, progress)?;
        let now = driver.now();
        let connection = driver.connection(id).ok_or("the connection is gone")?;
        if connection.state() == State::Closed {
            return Err("the connection was refused, reset or given up".into());
        }
        if !asked && connection.state() == State::Established {
            connection.write(now, request.as_bytes());
            asked = true;
        }
        let mut arrived = Vec::new();
        connection.read(now, |bytes| arrived.extend_from_slice(bytes));
        let over = connection.peer_closed();
        if !arrived.is_empty() {
            progress = now;
        }
        if expected.is_none() {
            head.extend_from_slice(&arrived);
            arrived.clear();
            if let Some(end) = head.windows(4).position(|four| four == b"\r\n\r\n") {
                arrived = head.split_off(end + 4);
                expected = Some(content_length(&head)?);
            }
        }
        file.write_all(&arrived)?;
        received += arrived.len() as u64;
        if over && expected.is_none_or(|expected| received < expected) {
            return Err(format!("the answer ended after {received} bytes").into());
        }
    }
    file.flush()?;
    finish(&mut driver, id, received, began)
}

/// Returns the length of the body that the head of an answer announces.
fn content_length(head: &[u8]) -> Outcome<u64> {
    let head = String::from_utf8_lossy(head);
    let mut lines = head.lines();
    let status = lines.next().unwrap_or_default();
    if status.split(' ').nth(1) != Some("200") {
        return Err(format!("the answer is {status}").into());
    }
    let length =
        lines.filter_map(|line| line.split_once(':')).find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    Ok(length.ok_or("the answer has no Content-Length")?.1.trim().parse()?)
}

/// A connection of a server.
struct Visit {
    began: Nanos,
    /// Time at which data was last read or acknowledged.
    progress: Nanos,
    head: Vec<u8>,
    /// The answer to the head, once the head is complete, with the number of bytes written.
    answer: Option<Answer>,
    unacknowledged: usize,
    is_reported: bool,
}

/// The data written on a connection: the head of an answer and then, if the request was accepted, the file.
struct Answer {
    is_file: bool,
    written: usize,
}

/// State of a connection after a turn.
#[derive(PartialEq, Eq)]
enum Fate {
    /// The connection continues.
    Open,
    /// The file has been sent, and the peer has closed its direction.
    Answered,
    /// The connection is forgotten: it is closed, refused, or without progress for too long.
    Over,
}

impl Visit {
    fn new(now: Nanos) -> Visit {
        Visit { began: now, progress: now, head: Vec::new(), answer: None, unacknowledged: 0, is_reported: false }
    }

    /// Reads the request and writes the answer as far as there is room.
    fn attend(&mut self, connection: &mut Connection, now: Nanos, file: &[u8]) -> Fate {
        let (head, mut bytes) = (&mut self.head, 0);
        // Data after the head is read and discarded.
        connection.read(now, |piece| {
            bytes += piece.len();
            head.extend_from_slice(&piece[..piece.len().min(LONGEST_HEAD - head.len())]);
        });
        let waiting = connection.unacknowledged();
        if bytes > 0 || waiting < self.unacknowledged {
            self.progress = now;
        }
        if self.answer.is_none() {
            if self.head.windows(4).any(|four| four == b"\r\n\r\n") {
                self.begin(connection, now, true, "200 OK", file.len());
            } else if self.head.len() == LONGEST_HEAD {
                self.begin(connection, now, false, "431 Request Header Fields Too Large", 0);
            }
        }
        if let Some(answer) = &mut self.answer {
            let file = if answer.is_file { file } else { &[] };
            while answer.written < file.len() && connection.unacknowledged() < AHEAD {
                let more = (file.len() - answer.written).min(64 << 10);
                connection.write(now, &file[answer.written..answer.written + more]);
                answer.written += more;
            }
            if answer.written == file.len() && connection.unacknowledged() == 0 {
                connection.close(now);
            }
        }
        if connection.peer_closed() && self.answer.is_none() {
            connection.close(now);
        }
        self.unacknowledged = connection.unacknowledged();
        let is_file = self.answer.as_ref().is_some_and(|answer| answer.is_file && answer.written == file.len());
        match connection.state() {
            State::Closed | State::TimeWait if is_file && self.unacknowledged == 0 && !self.is_reported => {
                Fate::Answered
            }
            State::Closed => Fate::Over,
            _ if now > self.progress + PATIENCE => Fate::Over,
            _ => Fate::Open,
        }
    }

    fn begin(&mut self, connection: &mut Connection, now: Nanos, is_file: bool, status: &str, length: usize) {
        let head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
        connection.write(now, head.as_bytes());
        self.answer = Some(Answer { is_file, written: 0 });
        self.began = now;
    }
}

fn serve(options: &Options) -> Outcome<()> {
    let requests = options.number("requests", u64::MAX)?;
    let mut driver = driver(options)?;
    let file = fs::read(options.text("file")?)?;
    driver.listen(options.get("port")?);
    eprintln!("listening");
    let (mut visits, mut answered) = (BTreeMap::<Id, Visit>::new(), 0);
    while answered < requests {
        driver.turn(driver.now() + SECOND)?;
        let now = driver.now();
        for id in driver.ids() {
            if !visits.contains_key(&id) && visits.len() >= MOST_CONNECTIONS {
                driver.remove(id);
                continue;
            }
            let visit = visits.entry(id).or_insert_with(|| Visit::new(now));
            let connection = driver.connection(id).ok_or("the connection is gone")?;
            match visit.attend(connection, now, &file) {
                Fate::Open => {}
                Fate::Answered => {
                    visit.is_reported = true;
                    let began = visit.began;
                    report(&mut driver, id, file.len() as u64, began);
                    answered += 1;
                }
                Fate::Over => {
                    visits.remove(&id);
                    driver.remove(id);
                }
            }
        }
    }
    Ok(())
}

/// Closes the connection, waits until the peer has closed it as well, and reports.
fn finish(driver: &mut Driver, id: Id, bytes: u64, began: Nanos) -> Outcome<()> {
    let now = driver.now();
    let mut over = false;
    while !over {
        turn(driver, now)?;
        let connection = driver.connection(id).ok_or("the connection is gone")?;
        connection.close(now);
        over = matches!(connection.state(), State::Closed | State::TimeWait);
    }
    report(driver, id, bytes, began);
    Ok(())
}
