//! Stacks behind the interface of `ackclock-transport` in a run, and their mistakes.

use std::collections::VecDeque;
use std::sync::Arc;

use ackclock_core::{Ecn, Nanos};
use ackclock_results::Column;
use ackclock_scenario::{Outside, Scenario, ScenarioError};
use ackclock_sim::{Output, Run, Watching};
use ackclock_transport::{
    Event, NEVER, Parameter, Parameters, Range, Role, Setup, Stack, Statistics, StreamId, Transmit, Transport, Value,
};

/// A stack without retransmissions: a greeting in each direction, then at most ten datagrams in flight, each of which
/// the peer acknowledges. The parameter `mistake` is the mistake that it makes after 1 s.
struct Plain(Vec<Parameter>);

fn plain() -> Plain {
    let names = ["none", "silent", "endless", "late", "panic", "large", "greedy"];
    let range = Range::Names(names.iter().map(|name| ((*name).to_owned(), String::new())).collect());
    let mistake = Parameter {
        name: "mistake".to_owned(),
        summary: "The mistake.".to_owned(),
        range,
        default: Value::Name("none".to_owned()),
    };
    let size = Parameter {
        name: "size".to_owned(),
        summary: "Size of a datagram, in bytes.".to_owned(),
        range: Range::Numbers(100.0, 1400.0),
        default: Value::Number(1000.0),
    };
    Plain(vec![mistake, size])
}

impl Stack for Plain {
    fn name(&self) -> &'static str {
        "plain"
    }
    fn summary(&self) -> &'static str {
        "A stack for tests."
    }
    fn source(&self) -> &'static str {
        "1"
    }
    fn parameters(&self) -> &[Parameter] {
        &self.0
    }
    fn overhead(&self) -> u32 {
        28
    }
    fn check(&self, datagram: u32, given: &Parameters) -> Result<(), String> {
        let size = given.number("size").unwrap_or(1000.0);
        if size > f64::from(datagram) {
            return Err(format!("has a size of {size}, more than a datagram holds; accepted: at most {datagram}"));
        }
        Ok(())
    }
    fn create(&self, _now: Nanos, setup: &Setup<'_>) -> Result<Box<dyn Transport>, String> {
        Ok(Box::new(End {
            role: setup.role,
            mistake: setup.parameters.name("mistake").unwrap_or("none").to_owned(),
            size: setup.parameters.number("size").unwrap_or(1000.0) as usize,
            control: VecDeque::new(),
            events: VecDeque::new(),
            written: 0,
            in_flight: 0,
            arrived: 0,
            finished: false,
            now: 0,
        }))
    }
}

struct End {
    role: Role,
    mistake: String,
    size: usize,
    /// Datagrams without data to be sent.
    control: VecDeque<u8>,
    events: VecDeque<Event>,
    written: usize,
    in_flight: u64,
    arrived: usize,
    finished: bool,
    now: Nanos,
}

const HELLO: u8 = b'h';
const DATA: u8 = b'd';
const ACK: u8 = b'a';
const FIN: u8 = b'f';

impl End {
    fn wrong(&self, mistake: &str) -> bool {
        self.mistake == mistake && (self.now >= 1_000_000_000 || mistake == "silent") && self.role == Role::Client
    }
}

impl Transport for End {
    fn connect(&mut self, now: Nanos) {
        self.now = now;
        if !self.wrong("silent") {
            self.control.push_back(HELLO);
        }
    }
    fn receive(&mut self, now: Nanos, _ecn: Ecn, datagram: &[u8]) {
        self.now = now;
        assert!(!self.wrong("panic"), "the stack has a mistake");
        match datagram[0] {
            HELLO => {
                if self.role == Role::Server {
                    self.control.push_back(HELLO);
                    self.events.push_back(Event::Opened(0));
                }
                self.events.push_back(Event::Connected);
            }
            DATA => {
                self.arrived += datagram.len() - 1;
                self.control.push_back(ACK);
                self.events.push_back(Event::Readable(0));
            }
            ACK => {
                self.in_flight -= 1;
                if self.finished && self.in_flight == 0 && self.written == 0 {
                    self.events.push_back(Event::Delivered(0));
                }
            }
            FIN => self.events.push_back(Event::PeerFinished(0)),
            _ => unreachable!("the path is clean"),
        }
    }
    fn transmit(&mut self, now: Nanos, datagram: &mut Vec<u8>) -> Option<Transmit> {
        self.now = now;
        if self.wrong("endless") {
            self.control.push_back(ACK);
        }
        if self.wrong("large") {
            datagram.resize(5000, DATA);
            return Some(Transmit::default());
        }
        if let Some(kind) = self.control.pop_front() {
            datagram.push(kind);
            return Some(Transmit::default());
        }
        if self.written > 0 && self.in_flight < 10 {
            let payload = self.written.min(self.size - 1);
            self.written -= payload;
            self.in_flight += 1;
            datagram.resize(payload + 1, DATA);
            return Some(Transmit { payload: payload as u32, ..Transmit::default() });
        }
        None
    }
    fn timeout(&self) -> Nanos {
        if self.wrong("late") { 1 } else { NEVER }
    }
    fn expire(&mut self, now: Nanos) {
        self.now = now;
    }
    fn open(&mut self, _now: Nanos) -> Option<StreamId> {
        Some(0)
    }
    fn write(&mut self, _now: Nanos, _stream: StreamId, bytes: &[u8]) -> usize {
        if self.wrong("greedy") {
            return bytes.len() + 1;
        }
        let taken = bytes.len().min(100_000 - self.written);
        self.written += taken;
        taken
    }
    fn finish(&mut self, _now: Nanos, _stream: StreamId) {
        self.finished = true;
        self.control.push_back(FIN);
    }
    fn read(&mut self, _now: Nanos, _stream: StreamId, buffer: &mut [u8]) -> usize {
        let read = self.arrived.min(buffer.len());
        self.arrived -= read;
        read
    }
    fn close(&mut self, _now: Nanos, _code: u64) {}
    fn poll(&mut self) -> Option<Event> {
        self.events.pop_front()
    }
    fn statistics(&self) -> Statistics {
        Statistics { window: Some(10 * self.size as u64), in_flight: Some(self.in_flight), ..Statistics::default() }
    }
    fn take_log(&mut self) -> Vec<u8> {
        format!("{}\n", self.now).into_bytes()
    }
}

const TEXT: &str = r#"
duration = "3s"
bottleneck = { rate = "10Mbps", delay = "10ms", queue = { kind = "drop-tail", limit = "100 packets" } }
probes = { window = true, delays = true }
[[flows]]
name = "own"
transport = { kind = "plain" }
app = { kind = "bulk" }
[[flows]]
name = "tcp"
app = { kind = "bulk" }
start = "2s"
"#;

fn read(overrides: &[(&str, &str)]) -> Result<Scenario, ScenarioError> {
    let overrides: Vec<_> = overrides.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    let stacks: Vec<Arc<dyn Stack>> = vec![Arc::new(plain())];
    Scenario::from_toml_with(TEXT, &overrides, Outside { transports: &stacks, ..Outside::NOTHING })
}

fn verified(overrides: &[(&str, &str)]) -> Output {
    Run::verified(&read(overrides).unwrap(), None).unwrap()
}

fn int(output: &Output, column: &str) -> Vec<Option<i64>> {
    match output.tables["flows"].column(column) {
        Some(Column::Int(cells)) => cells.clone(),
        other => panic!("{column}: {other:?}"),
    }
}

/// Ten datagrams of 1,000 bytes and 28 of headers in a round trip of 10 ms there, 10 ms back, and the transmission of
/// one datagram and of its acknowledgment.
#[test]
fn a_window_of_ten_datagrams_gives_ten_datagrams_in_a_round_trip() {
    let output = verified(&[("duration", "2s"), ("flows.tcp.start", "1999ms")]);
    assert_eq!(output.violations, []);
    assert_eq!(output.findings, []);
    let delivered = int(&output, "bytes_delivered")[0].unwrap();
    // The access links have ten times the bottleneck's rate; the greeting takes a round trip.
    let micros = |bytes: f64| bytes * 8.0 / 10.0;
    let rtt_s = 0.020 + (micros(1028.0) * 1.2 + micros(29.0) * 1.2) / 1e6;
    let expected = 999.0 * 10.0 * 2.0 / rtt_s;
    assert!((delivered as f64 / expected - 1.0).abs() < 0.02, "{delivered} instead of {expected}");
    let window = &output.tables["window"];
    assert!(matches!(window.column("cwnd"), Some(Column::Int(cells)) if cells.contains(&Some(10_000))));
}

#[test]
fn the_same_run_gives_the_same_tables() {
    assert_eq!(verified(&[]), verified(&[]));
}

#[test]
fn a_volume_arrives_and_its_connection_ends() {
    let transfers = r#"{ kind = "transfer", count = 3, size = "50kB", gap = "100ms" }"#;
    let output = verified(&[("flows.own.app", transfers)]);
    assert_eq!(int(&output, "bytes_delivered")[0], Some(150_000));
    assert_eq!(output.tables["transfers"].len(), 3);
}

#[test]
fn a_log_of_the_stack_is_kept_and_ours_is_not_mixed_with_it() {
    let mut watching = Watching::default();
    watching.traces.qlog = true;
    let mut run = Run::watched(&read(&[]).unwrap(), None, &watching).unwrap();
    while run.step(u64::MAX) {}
    let chunks = run.finish().traces;
    let of = |file: &str| {
        let parts = chunks.iter().filter(|chunk| chunk.file == file);
        String::from_utf8(parts.flat_map(|chunk| chunk.bytes.clone()).collect()).unwrap()
    };
    assert!(of("own.0.source.sqlog").lines().all(|line| line.parse::<u64>().is_ok()));
    assert!(!of("own.0.source.sqlog").is_empty());
    assert!(of("tcp.0.source.sqlog").contains("transport:packet_sent"));
}

#[test]
fn a_mistake_ends_the_run_and_names_the_call_and_the_time() {
    let cases = [
        ("silent", "transmit at 0 s: it sends nothing after connect, and has no timeout"),
        ("endless", "transmit at 1.0"),
        ("late", "expire at 1.0"),
        ("panic", "receive at 1.0"),
        ("large", "it wrote a datagram of 5000 bytes; accepted: from 1 to 1472"),
        ("greedy", "it took "),
    ];
    for (mistake, told) in cases {
        let kind = format!(r#"{{ kind = "plain", mistake = "{mistake}" }}"#);
        let error = Run::verified(&read(&[("flows.own.transport", &kind)]).unwrap(), None).unwrap_err();
        let message = &error.problems[0].message;
        assert!(message.starts_with("transport plain, flow own, "), "{mistake}: {message}");
        assert!(message.contains(told), "{mistake}: {message}");
    }
}

#[test]
fn a_scenario_with_a_mistake_is_refused_at_its_place() {
    let cases = [
        ("flows.own.transport", r#""plane""#, "flows[0].transport", "did you mean \"plain\"?"),
        ("flows.own.transport", r#"{ kind = "plain", sise = 3 }"#, "flows[0].transport.sise", "did you mean \"size\"?"),
        (
            "flows.own.transport",
            r#"{ kind = "plain", size = 3 }"#,
            "flows[0].transport.size",
            "a number from 100 to 1400",
        ),
        (
            "flows.own.transport",
            r#"{ kind = "plain", mistake = "lat" }"#,
            "flows[0].transport.mistake",
            "did you mean \"late\"?",
        ),
        ("flows.own.transport", r#"{ kind = "plain", source = "2" }"#, "flows[0].transport.source", "not the source"),
        (
            "flows.own.transport",
            r#"{ kind = "plain", library = "x.so" }"#,
            "flows[0].transport.library",
            "cannot be loaded",
        ),
        ("flows.own.transport", r#"{ size = 500 }"#, "flows[0].transport.kind", "missing; accepted: tcp, plain"),
        ("flows.own.transport", r#"{ kind = "tcp", size = 500 }"#, "flows[0].transport.size", "unknown key of tcp"),
        ("flows.own.transport", "3", "flows[0].transport", "is not a name"),
        ("flows.own.cc", r#""cubic""#, "flows[0].cc", "is a setting of TCP, and the transport is plain"),
        ("flows.own.app", r#"{ kind = "cbr", rate = "1Mbps" }"#, "flows[0].transport", "has no effect"),
        (
            "flows.own.app",
            r#"{ kind = "moq", rate = "100kbps", delivery_timeout = "1s" }"#,
            "flows[0].transport",
            "has no unidirectional streams and no priorities of streams and no resets of streams, which the application moq",
        ),
        ("packet_size", r#""700B""#, "flows[0].transport", "accepted: at most 672"),
    ];
    for (path, value, place, message) in cases {
        let error = read(&[(path, value)]).unwrap_err();
        let found = error.problems.iter().find(|problem| problem.path == place && problem.message.contains(message));
        assert!(found.is_some(), "{path} = {value}: {:?}", error.problems);
    }
}

#[test]
fn the_canonical_form_reads_as_itself_and_tcp_changes_nothing() {
    let scenario = read(&[("flows.own.transport", r#"{ kind = "plain", size = 500 }"#)]).unwrap();
    let stacks: Vec<Arc<dyn Stack>> = vec![Arc::new(plain())];
    let again = Scenario::from_json_with(
        &scenario.to_json().to_string(),
        &[],
        Outside { transports: &stacks, ..Outside::NOTHING },
    );
    assert_eq!(again.unwrap(), scenario);
    let tcp = verified(&[("flows.own.transport", r#""tcp""#)]);
    let plain = TEXT.replace("transport = { kind = \"plain\" }\n", "");
    assert_eq!(tcp, Run::verified(&Scenario::from_toml(&plain, &[]).unwrap(), None).unwrap());
}

/// Our TCP behind the interface, under a name of its own.
#[cfg(target_os = "linux")]
#[derive(Default)]
struct Ours(ackclock_tun::TcpStack);

#[cfg(target_os = "linux")]
impl Stack for Ours {
    fn name(&self) -> &'static str {
        "ours"
    }
    fn summary(&self) -> &str {
        self.0.summary()
    }
    fn source(&self) -> &str {
        self.0.source()
    }
    fn parameters(&self) -> &[Parameter] {
        self.0.parameters()
    }
    fn overhead(&self) -> u32 {
        self.0.overhead()
    }
    fn create(&self, now: Nanos, setup: &Setup<'_>) -> Result<Box<dyn Transport>, String> {
        self.0.create(now, setup)
    }
}

/// The same TCP sends the same segments, whether the world knows it or has its packets as bytes. The queue overflows, or
/// segments and ACKs are lost at random, so that segments are sent again.
///
/// A transport's data is read in pieces of 64 kB. Linux tunes its window at each read, so that larger windows than these
/// would open at other times.
#[cfg(target_os = "linux")]
#[test]
fn our_tcp_behind_the_interface_is_our_tcp() {
    let apps = [r#"{ kind = "transfer", size = "2MB" }"#, r#"{ kind = "bulk" }"#];
    let kinds = [("linux", "cubic-linux"), ("rfc", "reno-rfc5681")];
    let losses = [0, 1, 2, 3, 4, 5].map(|seed| (seed, if seed == 0 { "0%" } else { "1%" }));
    for ((app, (stack, cc)), (seed, loss)) in
        apps.into_iter().zip(kinds).flat_map(|kind| losses.map(|loss| (kind, loss)))
    {
        let text = format!(
            r#"
            duration = "10s"
            seed = {seed}
            probes = {{ delays = true }}
            [bottleneck]
            rate = "4Mbps"
            delay = "20ms"
            loss = "{loss}"
            reverse_loss = "{loss}"
            queue = {{ kind = "drop-tail", limit = "1bdp" }}
            [[flows]]
            app = {app}
        "#
        );
        let tcp = [("flows[0].stack".to_owned(), stack.to_owned()), ("flows[0].cc".to_owned(), cc.to_owned())];
        let known = Run::verified(&Scenario::from_toml(&text, &tcp).unwrap(), None).unwrap();
        let kind = format!(r#"{{ kind = "ours", stack = "{stack}", cc = "{cc}" }}"#);
        let stacks: Vec<Arc<dyn Stack>> = vec![Arc::new(Ours::default())];
        let outside = Outside { transports: &stacks, ..Outside::NOTHING };
        let own = Scenario::from_toml_with(&text, &[("flows[0].transport".to_owned(), kind)], outside).unwrap();
        let own = Run::verified(&own, None).unwrap();
        assert!(int(&known, "retransmits")[0] > Some(0), "{stack} {cc} {seed}");
        for table in ["transfers", "delays"] {
            assert_eq!(own.tables.get(table), known.tables.get(table), "{stack} {cc} {seed}: {table}");
        }
        for column in ["bytes_delivered", "data_segments_sent", "retransmits", "timeouts"] {
            assert_eq!(int(&own, column), int(&known, column), "{stack} {cc} {seed}: {column}");
        }
        // The reductions that a transport counts are those for timeouts, too.
        let of_known = |column| int(&known, column)[0].unwrap();
        assert_eq!(
            int(&own, "recoveries")[0],
            Some(of_known("recoveries") + of_known("timeouts")),
            "{stack} {cc} {seed}"
        );
    }
}
