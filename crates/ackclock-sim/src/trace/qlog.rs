//! Logs in qlog's format, for tools such as qvis: a file for each end of each connection.
//!
//! The files are JSON text sequences (RFC 7464) of draft-ietf-quic-qlog-main-schema-14: a `QlogFileSeq`, whose events
//! follow its header. The header has the version and format of older drafts, too, because qvis asks for them. The IETF
//! has event schemas for QUIC and none for TCP. The events have the names and fields of those for QUIC where the concept is the
//! same, under the namespaces that qvis reads.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ackclock_app::{Conn, Side};
use ackclock_core::Nanos;
use ackclock_tcp::context::{Cause, Evidence};
use ackclock_tcp::{Flags, Segment, State};
use serde_json::{Map, Value, json};

use super::Chunk;
use super::events::{flags, state_name};
use super::packets::{Offsets, Packets, sequence_len};
use crate::endpoint::{Event, TcpEvent};
use crate::ids::FlowId;
use crate::observe::Who;

/// Schemas of the events: ours, of namespaces that earlier drafts of the IETF had.
const EVENT_SCHEMAS: [&str; 3] =
    ["ackclock:qlog:events:connectivity", "ackclock:qlog:events:transport", "ackclock:qlog:events:recovery"];

/// Record separator of RFC 7464.
const RECORD: char = '\u{1e}';

/// The logs of a run in progress.
pub struct Qlogs {
    /// Provenance of the run, for the descriptions.
    about: String,
    flows: Vec<String>,
    /// Whether the transport of each flow writes its own logs.
    own: Vec<bool>,
    logs: BTreeMap<(FlowId, Conn, bool), Log>,
}

/// The log of one end of a connection.
#[derive(Default)]
struct Log {
    /// Text that has not been taken, and whether the file has its header.
    text: String,
    begun: bool,
    /// The end that opened the connection, as far as it is known.
    opens: Option<bool>,
    state: Option<State>,
    sent: Direction,
    received: Direction,
    /// Metrics that were logged last.
    metrics: Map<String, Value>,
    phase: Option<String>,
    /// Cause of the present reduction of the window, and consecutive timeouts.
    reduction: Option<Cause>,
    timeouts: u32,
}

/// Segments in one direction.
#[derive(Default)]
struct Direction {
    offsets: Offsets,
    packets: Packets,
}

impl Qlogs {
    /// Begins the logs of flows with these names, in the order of their numbers. `own` tells which flows have a transport
    /// that writes its own logs, and `about` is the provenance of the run.
    pub fn new(about: &Map<String, Value>, flows: Vec<String>, own: Vec<bool>) -> Qlogs {
        let text = |key: &str| about.get(key).map_or_else(String::new, |value| value.to_string().replace('"', ""));
        let about = format!(
            "ackclock {}, scenario {} with hash {}, seed {}",
            text("version"),
            text("name"),
            text("scenario_hash"),
            text("seed")
        );
        Qlogs { about, flows, own, logs: BTreeMap::new() }
    }

    /// Records an event of an endpoint. An event that is not `written` counts for the numbers of packets alone.
    pub fn endpoint(&mut self, now: Nanos, who: Who, event: &Event<'_, Segment>, written: bool) {
        let own = self.own[who.flow.index()];
        if own != matches!(event, Event::Log { .. }) {
            return;
        }
        let log = self.logs.entry((who.flow, who.conn, who.side == Side::Sink)).or_default();
        let before = log.text.len();
        log.event(now, event);
        if own {
            // Its parts are not ours to leave out.
        } else if !written {
            log.text.truncate(before);
        } else if !log.begun && !log.text.is_empty() {
            log.begun = true;
            let header = header(&self.about, &self.flows[who.flow.index()], who, log.opens);
            log.text.insert_str(0, &header);
        }
    }

    /// Removes and returns the text of each file so far.
    pub fn take(&mut self) -> Vec<Chunk> {
        let flows = &self.flows;
        let logs = self.logs.iter_mut().filter(|(_, log)| !log.text.is_empty());
        logs.map(|((flow, conn, sink), log)| {
            let side = if *sink { Side::Sink } else { Side::Source };
            let file = format!("{}.{}.{}.sqlog", flows[flow.index()], conn.0, side.name());
            Chunk { file, bytes: std::mem::take(&mut log.text).into_bytes() }
        })
        .collect()
    }
}

/// Returns the header of a file. The format is within the first 256 bytes, as the draft asks.
fn header(about: &str, flow: &str, who: Who, opens: Option<bool>) -> String {
    let kind = match opens {
        Some(true) => "client",
        Some(false) => "server",
        None => "unknown",
    };
    let end = format!("{flow}.{}.{}", who.conn.0, who.side.name());
    let header = json!({
        "file_schema": "urn:ietf:params:qlog:file:sequential",
        "serialization_format": "application/qlog+json-seq",
        "qlog_version": "0.3",
        "qlog_format": "JSON-SEQ",
        "title": end,
        "description": about,
        "trace": {
            "title": end,
            "vantage_point": {"name": end, "type": kind},
            "common_fields": {
                "time_format": "relative_to_epoch",
                "reference_time": {"clock_type": "monotonic", "epoch": "unknown"},
                "protocol_types": ["TCP"],
                "group_id": format!("{flow}.{}", who.conn.0),
            },
            "event_schemas": EVENT_SCHEMAS,
        },
    });
    format!("{RECORD}{header}\n")
}

impl Log {
    fn write(&mut self, now: Nanos, name: &str, data: &Value) {
        const NS_PER_MS: Nanos = 1_000_000;
        let (whole, part) = (now / NS_PER_MS, now % NS_PER_MS);
        let fraction = if part == 0 { String::new() } else { format!(".{part:06}") };
        let time = format!("{whole}{}", fraction.trim_end_matches('0'));
        writeln!(self.text, "{RECORD}{{\"time\":{time},\"name\":\"{name}\",\"data\":{data}}}")
            .expect("writing to a string does not fail");
    }

    fn event(&mut self, now: Nanos, event: &Event<'_, Segment>) {
        match event {
            Event::Sent { contents: segment, .. } => {
                self.note_syn(segment, true);
                let data = packet(&mut self.sent, &mut self.received, segment);
                self.write(now, "transport:packet_sent", &data);
            }
            Event::Received { contents: segment } => {
                self.note_syn(segment, false);
                let data = packet(&mut self.received, &mut self.sent, segment);
                self.write(now, "transport:packet_received", &data);
            }
            Event::Timeout { count } => {
                self.timeouts = *count;
                self.timer(now, "rto");
            }
            Event::Acknowledged { .. } => self.timeouts = 0,
            Event::Log { bytes } => self.text.push_str(&String::from_utf8_lossy(bytes)),
            Event::Tcp(event) => self.of_tcp(now, event),
        }
    }

    /// Notes which end opens the connection: the end that sends the first SYN.
    fn note_syn(&mut self, segment: &Segment, sends: bool) {
        if segment.flags.has(Flags::SYN) && !segment.flags.has(Flags::ACK) {
            self.opens.get_or_insert(sends);
        }
    }

    fn of_tcp(&mut self, now: Nanos, event: &TcpEvent<'_>) {
        match event {
            TcpEvent::Window { .. } => self.window(now, event),
            TcpEvent::Lost { offset, len, evidence } => {
                // The SYN takes the first sequence number.
                let seq = offset + 1;
                let mut header = Map::new();
                if let Some(number) = self.sent.packets.starting_at(seq) {
                    header.insert("packet_number".to_owned(), json!(number));
                }
                header.insert("sequence_number".to_owned(), json!(seq));
                let trigger = match evidence {
                    Evidence::Order => "reordering_threshold",
                    Evidence::Time => "time_threshold",
                    Evidence::Timeout => "rto_expired",
                };
                let frames = json!([stream(*offset, *len)]);
                let data = json!({"header": header, "frames": frames, "trigger": trigger});
                self.write(now, "recovery:packet_lost", &data);
            }
            TcpEvent::RecoveryStarted { cause } => self.reduction = Some(*cause),
            TcpEvent::RecoveryEnded => self.reduction = None,
            TcpEvent::ProbeSent { .. } => self.timer(now, "tlp"),
            TcpEvent::ReorderingTimeout { .. } => self.timer(now, "reordering"),
            TcpEvent::StateChanged(state) => self.changed(now, *state),
            TcpEvent::Undone { .. }
            | TcpEvent::Sent { .. }
            | TcpEvent::Received { .. }
            | TcpEvent::Acknowledged { .. }
            | TcpEvent::Timeout { .. } => {}
        }
    }

    fn timer(&mut self, now: Nanos, timer: &str) {
        self.write(now, "recovery:loss_timer_updated", &json!({"timer_type": timer, "event_type": "expired"}));
    }

    fn changed(&mut self, now: Nanos, state: State) {
        if matches!(state, State::TimeWait | State::Closed) {
            // Nothing more is acknowledged.
            self.sent.packets.clear();
            self.received.packets.clear();
        }
        let mut data = Map::new();
        if let Some(old) = self.state.replace(state) {
            data.insert("old".to_owned(), json!(state_name(old)));
        }
        data.insert("new".to_owned(), json!(state_name(state)));
        self.write(now, "connectivity:connection_state_updated", &data.into());
    }

    /// Logs the metrics that have changed, and the phase of the congestion control if it has changed.
    fn window(&mut self, now: Nanos, event: &TcpEvent<'_>) {
        let TcpEvent::Window { window, pipe, srtt, rttvar, rtt, min_rtt, pacing_rate, cc_state, in_recovery, .. } =
            event
        else {
            return;
        };
        let ms = |time: &Option<Nanos>| time.map(|time| time as f64 / 1e6);
        let all = [
            ("min_rtt", json!(ms(min_rtt))),
            ("smoothed_rtt", json!(ms(srtt))),
            ("latest_rtt", json!(ms(rtt))),
            ("rtt_variance", json!(ms(rttvar))),
            ("pto_count", json!(self.timeouts)),
            ("congestion_window", json!(window.cwnd)),
            ("bytes_in_flight", json!(pipe)),
            ("ssthresh", json!((window.ssthresh != u64::MAX).then_some(window.ssthresh))),
            ("pacing_rate", json!(pacing_rate.map(|rate| rate.bits()))),
        ];
        let mut data = Map::new();
        for (name, value) in all {
            if !value.is_null() && self.metrics.get(name) != Some(&value) {
                self.metrics.insert(name.to_owned(), value.clone());
                data.insert(name.to_owned(), value);
            }
        }
        if !data.is_empty() {
            self.write(now, "recovery:metrics_updated", &data.into());
        }
        let phase = match cc_state {
            Some(state) => *state,
            None if *in_recovery || self.reduction.is_some() => "recovery",
            None if window.in_slow_start() => "slow_start",
            None => "congestion_avoidance",
        };
        if self.phase.as_deref() != Some(phase) {
            let mut data = Map::new();
            if let Some(old) = self.phase.replace(phase.to_owned()) {
                data.insert("old".to_owned(), json!(old));
            }
            data.insert("new".to_owned(), json!(phase));
            if phase == "recovery" && self.reduction == Some(Cause::Ecn) {
                data.insert("trigger".to_owned(), json!("ecn"));
            }
            self.write(now, "recovery:congestion_state_updated", &data.into());
        }
    }
}

/// Returns the data of an event about a segment of the direction `own`, which acknowledges packets of the `other`.
fn packet(own: &mut Direction, other: &mut Direction, segment: &Segment) -> Value {
    // The SYN has the number 0, and the first byte of the stream the number 1, also where there is no SYN.
    let seq = own.offsets.relative(segment.seq, u64::from(!segment.flags.has(Flags::SYN)));
    let number = own.packets.add(seq, seq + sequence_len(segment));
    let mut header = Map::new();
    header.insert("packet_number".to_owned(), json!(number));
    header.insert("sequence_number".to_owned(), json!(seq));
    let mut frames = Vec::new();
    if segment.len > 0 {
        let offset = seq + u64::from(segment.flags.has(Flags::SYN));
        frames.push(stream(offset.saturating_sub(1), u64::from(segment.len)));
    }
    if segment.flags.has(Flags::ACK) {
        let relative = |seq| other.offsets.peek(seq);
        if let Some(ack) = relative(segment.ack) {
            header.insert("acknowledgment_number".to_owned(), json!(ack));
            let blocks = segment.sack_blocks().iter();
            let blocks: Vec<_> = blocks.filter_map(|block| relative(block.start).zip(relative(block.end))).collect();
            let ranges = other.packets.acknowledge(ack, &blocks);
            if !ranges.is_empty() {
                let range = |&(from, to): &(u64, u64)| if from == to { json!([from]) } else { json!([from, to]) };
                frames.push(json!({"frame_type": "ack", "acked_ranges": ranges.iter().map(range).collect::<Vec<_>>()}));
            }
        }
    }
    header.insert("window".to_owned(), json!(segment.window));
    header.insert("flags".to_owned(), flags(segment.flags));
    header.insert("header_length".to_owned(), json!(segment.header_len()));
    let mut data = Map::new();
    data.insert("header".to_owned(), header.into());
    if !frames.is_empty() {
        data.insert("frames".to_owned(), frames.into());
    }
    let raw = json!({"length": segment.header_len() + segment.len, "payload_length": segment.len});
    data.insert("raw".to_owned(), raw);
    data.into()
}

/// Returns the frame of QUIC that stands for bytes of the stream.
fn stream(offset: u64, len: u64) -> Value {
    json!({"frame_type": "stream", "stream_id": 0, "offset": offset, "length": len})
}
