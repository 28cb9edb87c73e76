//! The event log of a run: one JSON object per line.

use std::fmt::Write as _;

use ackclock_tcp::context::{Cause, Evidence};
use ackclock_tcp::{Ecn, Flags, Segment, State};
use serde_json::{Map, Value, json};

use super::ordered::Ordered;
use super::schema::FORMAT;
use crate::endpoint::{Event, TcpEvent};
use crate::ids::LinkId;
use crate::observe::{NetworkEvent, Who};
use crate::packet::Packet;
use ackclock_core::Nanos;

/// An event log in progress.
pub struct EventLog {
    flows: Vec<String>,
    links: Vec<String>,
    lines: Ordered<String>,
    text: String,
}

impl EventLog {
    /// Begins a log with its first line, which contains `about`, the provenance of the run. Names of flows and links
    /// are in the order of their numbers.
    pub fn new(about: Map<String, Value>, flows: Vec<String>, links: Vec<String>) -> EventLog {
        let mut first = Map::new();
        first.insert("format".to_owned(), json!(FORMAT));
        first.extend(about);
        let text = format!("{}\n", Value::Object(first));
        EventLog { flows, links, lines: Ordered::default(), text }
    }

    /// Records an event of an endpoint.
    pub fn endpoint(&mut self, now: Nanos, who: Who, event: &Event<'_, Segment>) {
        let (name, fields) = match event {
            Event::Sent { contents: segment, offset, retransmission } => {
                let mut fields = segment_fields(segment);
                fields.insert("offset".to_owned(), json!(offset));
                fields.insert("retransmission".to_owned(), json!(retransmission));
                ("segment_sent", fields)
            }
            Event::Received { contents: segment } => ("segment_received", segment_fields(segment)),
            Event::Timeout { count } => ("timeout", object([("count", json!(count))])),
            // The segment that acknowledged is in the log.
            Event::Acknowledged { .. } | Event::Log { .. } => return,
            Event::Tcp(event) => match of_tcp(event) {
                Some(named) => named,
                None => return,
            },
        };
        self.push(now, name, Some(who), fields);
    }

    /// Records an event of a packet; `sender` is `None` if its connection is not known.
    pub fn network(&mut self, at: Nanos, sender: Option<Who>, segment: &Segment, event: &NetworkEvent) {
        let (name, packet, link) = match event {
            NetworkEvent::Datagram { packet } => ("datagram", packet, None),
            NetworkEvent::Enqueued { link, packet, .. } => ("enqueued", packet, Some(*link)),
            NetworkEvent::Arrived { link, packet } => ("arrived", packet, Some(*link)),
            NetworkEvent::Copied { link, packet } => ("copied", packet, Some(*link)),
            NetworkEvent::Sent { link, packet, .. } => ("transmitted", packet, Some(*link)),
            NetworkEvent::Dropped { link, packet, .. } => ("dropped", packet, Some(*link)),
            NetworkEvent::Delivered { packet } => ("delivered", packet, None),
        };
        let mut fields = self.packet_fields(segment, *packet, link);
        match event {
            NetworkEvent::Enqueued { passage, .. } | NetworkEvent::Sent { passage, .. } => fields.extend(object([
                ("start_ns", json!(passage.start)),
                ("departure_ns", json!(passage.departure)),
                ("arrival_ns", json!(passage.arrival)),
            ])),
            NetworkEvent::Dropped { cause, .. } => fields.extend(object([("cause", json!(cause.name()))])),
            NetworkEvent::Datagram { .. }
            | NetworkEvent::Arrived { .. }
            | NetworkEvent::Copied { .. }
            | NetworkEvent::Delivered { .. } => {}
        }
        self.push(at, name, sender, fields);
    }

    /// Records that a link marks a packet.
    pub fn marked(&mut self, at: Nanos, sender: Option<Who>, segment: &Segment, link: Option<LinkId>, packet: Packet) {
        let fields = self.packet_fields(segment, packet, link);
        self.push(at, "marked", sender, fields);
    }

    fn packet_fields(&self, segment: &Segment, packet: Packet, link: Option<LinkId>) -> Map<String, Value> {
        let mut fields = object([
            ("seq", json!(segment.seq)),
            ("len", json!(segment.len)),
            ("flags", flags(segment.flags)),
            ("ecn", json!(ecn_name(segment.ecn))),
            ("size", json!(packet.size())),
        ]);
        if let Some(link) = link {
            fields.insert("link".to_owned(), json!(self.links[link.0 as usize]));
        }
        fields
    }

    fn push(&mut self, at: Nanos, name: &str, who: Option<Who>, fields: Map<String, Value>) {
        let flow = who.and_then(|who| self.flows.get(who.flow.index()));
        let mut line = object([
            ("time_ns", json!(at)),
            ("event", json!(name)),
            ("flow", json!(flow)),
            ("conn", json!(who.map(|who| who.conn.0))),
            ("side", json!(who.map(|who| who.side.name()))),
        ]);
        line.extend(fields);
        self.lines.push(at, Value::Object(line).to_string());
    }

    /// Removes and returns the contents of the log before `end`.
    pub fn take(&mut self, end: Nanos) -> Vec<u8> {
        while let Some((_, line)) = self.lines.pop_before(end) {
            writeln!(self.text, "{line}").expect("writing to a string does not fail");
        }
        std::mem::take(&mut self.text).into_bytes()
    }
}

/// Returns the name and the fields of an event of the state that a TCP has; `None` if the log has the event as one that
/// is common to all transports.
fn of_tcp(event: &TcpEvent<'_>) -> Option<(&'static str, Map<String, Value>)> {
    Some(match event {
        TcpEvent::Window {
            window,
            flight_size,
            pipe,
            srtt,
            rttvar: _,
            rtt,
            min_rtt,
            pacing_rate,
            delivery_rate,
            cc_state,
            in_recovery,
            validation,
        } => {
            let fields = object([
                ("cwnd", json!(window.cwnd)),
                ("ssthresh", json!((window.ssthresh != u64::MAX).then_some(window.ssthresh))),
                ("flight_size", json!(flight_size)),
                ("pipe", json!(pipe)),
                ("srtt_ns", json!(srtt)),
                ("latest_rtt_ns", json!(rtt)),
                ("min_rtt_ns", json!(min_rtt)),
                ("pacing_bps", json!(pacing_rate.map(|rate| rate.bits()))),
                ("delivery_bps", json!(delivery_rate.map(|rate| rate.bits()))),
                ("in_recovery", json!(in_recovery)),
                ("non_validated", json!(validation.non_validated)),
                ("pipe_ack", json!(validation.pipe_ack)),
                ("cc_state", json!(cc_state)),
            ]);
            ("window_updated", fields)
        }
        TcpEvent::RecoveryStarted { cause } => {
            let cause = match cause {
                Cause::Ecn => "ecn",
                Cause::Delay => "delay",
                Cause::Loss | Cause::Timeout => "loss",
            };
            ("recovery_started", object([("cause", json!(cause))]))
        }
        TcpEvent::Lost { offset, len, evidence } => {
            let fields =
                object([("offset", json!(offset)), ("len", json!(len)), ("evidence", json!(evidence_name(*evidence)))]);
            ("segment_lost", fields)
        }
        TcpEvent::RecoveryEnded => ("recovery_ended", Map::new()),
        TcpEvent::Undone { timeout } => ("undone", object([("timeout", json!(timeout))])),
        TcpEvent::ProbeSent { retransmission } => ("probe_sent", object([("retransmission", json!(retransmission))])),
        TcpEvent::ReorderingTimeout { lost } => ("reordering_timeout", object([("lost", json!(lost))])),
        TcpEvent::StateChanged(state) => ("state_changed", object([("state", json!(state_name(*state)))])),
        TcpEvent::Sent { .. }
        | TcpEvent::Received { .. }
        | TcpEvent::Acknowledged { .. }
        | TcpEvent::Timeout { .. } => {
            return None;
        }
    })
}

fn object<const N: usize>(fields: [(&str, Value); N]) -> Map<String, Value> {
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// The header fields of a segment, and its options.
fn segment_fields(segment: &Segment) -> Map<String, Value> {
    let mut fields = object([
        ("seq", json!(segment.seq)),
        ("ack", json!(segment.flags.has(Flags::ACK).then_some(segment.ack))),
        ("len", json!(segment.len)),
        ("window", json!(segment.window)),
        ("flags", flags(segment.flags)),
        ("ecn", json!(ecn_name(segment.ecn))),
    ]);
    let mut option = |key: &str, value: Value| fields.insert(key.to_owned(), value);
    if segment.flags.has(Flags::SYN) {
        if segment.mss != 0 {
            option("mss", json!(segment.mss));
        }
        if segment.window_scale != Segment::NO_OPTION {
            option("window_scale", json!(segment.window_scale));
        }
        option("sack_permitted", json!(segment.sack_permitted));
    }
    if segment.sack_count > 0 {
        option("sack", segment.sack_blocks().iter().map(|block| json!([block.start, block.end])).collect());
    }
    if let Some(timestamps) = segment.timestamps {
        option("timestamps", json!([timestamps.val, timestamps.ecr]));
    }
    if let Some(accecn) = segment.accecn() {
        let kind = if accecn.order1 { 174 } else { 172 };
        option("accecn", json!({"kind": kind, "counters": accecn.counters[..usize::from(accecn.count.min(3))]}));
    }
    fields
}

pub(super) fn flags(flags: Flags) -> Value {
    let names = super::schema::FLAGS.iter().enumerate();
    names.filter(|(bit, _)| flags.0 >> bit & 1 != 0).map(|(_, name)| json!(name)).collect()
}

fn evidence_name(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Order => "order",
        Evidence::Time => "time",
        Evidence::Timeout => "timeout",
    }
}

fn ecn_name(ecn: Ecn) -> &'static str {
    match ecn {
        Ecn::NotEct => "not-ect",
        Ecn::Ect1 => "ect1",
        Ecn::Ect0 => "ect0",
        Ecn::Ce => "ce",
    }
}

pub(super) fn state_name(state: State) -> &'static str {
    match state {
        State::Closed => "closed",
        State::Listen => "listen",
        State::SynSent => "syn-sent",
        State::SynReceived => "syn-received",
        State::Established => "established",
        State::FinWait1 => "fin-wait-1",
        State::FinWait2 => "fin-wait-2",
        State::CloseWait => "close-wait",
        State::Closing => "closing",
        State::LastAck => "last-ack",
        State::TimeWait => "time-wait",
    }
}
