//! Traces of a run: captures (pcapng), the event log (JSON lines) and logs in qlog's format. They are produced as bytes;
//! the caller writes the files.
//!
//! If links compute times ahead, events are reported before their times. Traces hold such events back until no earlier
//! event can follow.

mod capture;
mod events;
mod filter;
mod ordered;
mod packets;
mod qlog;
mod schema;

use std::collections::BTreeMap;

use ackclock_net::DropCause;
use ackclock_scenario::Problem;
use ackclock_tcp::{Ecn, Flags, Segment};
use serde_json::{Map, Value};

use crate::endpoint::{Contents, Event};
use crate::ids::{EndpointId, FlowId, LinkId, Receiver};
use crate::observe::{NetworkEvent, Observer, Who, datagram_sender};
use crate::packet::Packet;
use ackclock_app::Side;
use ackclock_core::Nanos;
use ackclock_core::headers::UDP_IPV4;

use filter::Filter;
use qlog::Qlogs;

pub use capture::{Capture, Form, Place, addresses};
pub use events::EventLog;
pub use filter::Part;
pub use schema::{FORMAT, event_schema};

/// Name of the event log's file.
pub const EVENTS_FILE: &str = "events.jsonl";

/// Traces to be made, by name.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct TraceSpec {
    /// Places of captures: `bottleneck`, or a flow's name with `.source` or `.sink`.
    pub captures: Vec<String>,
    /// Form of captured packets.
    pub form: Form,
    /// Whether events are logged.
    pub events: bool,
    /// Whether each end of each connection has a log in qlog's format.
    pub qlog: bool,
    /// The part of the run that the traces contain.
    pub part: Part,
}

impl TraceSpec {
    /// Whether no trace is requested.
    pub fn is_empty(&self) -> bool {
        self.captures.is_empty() && !self.events && !self.qlog
    }
}

/// Names of a run's flows and links, in the order of their numbers.
pub struct Names {
    /// Names of the flows.
    pub flows: Vec<String>,
    /// Whether the transport of each flow writes its own logs.
    pub own_logs: Vec<bool>,
    /// Names of the links.
    pub links: Vec<String>,
    /// Links with a queue, which are the place `bottleneck`.
    pub bottleneck: Vec<LinkId>,
    /// Duration of the run.
    pub duration: Nanos,
}

/// Bytes to be appended to a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chunk {
    /// Name of the file.
    pub file: String,
    /// Bytes to be appended.
    pub bytes: Vec<u8>,
}

/// An observer that writes traces.
pub struct Traces {
    captures: Vec<(String, Capture)>,
    events: Option<EventLog>,
    qlogs: Option<Qlogs>,
    filter: Filter,
    /// Links that may mark packets.
    queues: Vec<LinkId>,
    /// Endpoints by number and generation of their place.
    endpoints: BTreeMap<(EndpointId, u16), Who>,
}

impl Traces {
    /// Traces of a run; `about` is written to the first line of the event log.
    ///
    /// # Errors
    /// All mistakes: unknown places, flows and times, with those that are accepted.
    pub fn new(spec: &TraceSpec, names: Names, about: Map<String, Value>) -> Result<Traces, Vec<Problem>> {
        let mut captures = Vec::new();
        let mut problems = Vec::new();
        let filter = Filter::new(&spec.part, &names.flows, names.duration).map_err(|found| problems.extend(found));
        for name in &spec.captures {
            let found = place(name, &names).and_then(|(place, interfaces)| match (&place, &filter) {
                (Place::Host { flow, .. }, Ok(filter)) if !filter.has_flow(Some(*flow)) => Err(format!(
                    "{name} is a host of a flow that is not traced; accepted: bottleneck, or its flow, too"
                )),
                _ => Ok((place, interfaces)),
            });
            match found {
                Ok((place, interfaces)) => {
                    captures.push((format!("{name}.pcapng"), Capture::new(place, &interfaces, spec.form)));
                }
                Err(message) => problems.push(Problem { path: "captures".to_owned(), line: None, message }),
            }
        }
        let Ok(filter) = filter else { return Err(problems) };
        if !problems.is_empty() {
            return Err(problems);
        }
        let qlogs = spec.qlog.then(|| Qlogs::new(&about, names.flows.clone(), names.own_logs));
        let events = spec.events.then(|| EventLog::new(about, names.flows, names.links));
        Ok(Traces { captures, events, qlogs, filter, queues: names.bottleneck, endpoints: BTreeMap::new() })
    }

    /// Removes and returns the contents of each file before `now`, the present time.
    pub fn take(&mut self, now: Nanos) -> Vec<Chunk> {
        let captures = self.captures.iter_mut().map(|(file, capture)| (file.clone(), capture.take(now)));
        let events = self.events.iter_mut().map(|events| (EVENTS_FILE.to_owned(), events.take(now)));
        captures
            .chain(events)
            .map(|(file, bytes)| Chunk { file, bytes })
            .filter(|chunk| !chunk.bytes.is_empty())
            .chain(self.qlogs.iter_mut().flat_map(Qlogs::take))
            .collect()
    }

    /// Returns the rest of each file; `end` is the end of the run.
    pub fn finish(self, end: Nanos) -> Vec<Chunk> {
        let captures = self.captures.into_iter().map(|(file, capture)| (file, capture.finish(end)));
        let rest = |mut events: EventLog| (EVENTS_FILE.to_owned(), events.take(end.saturating_add(1)));
        let files = captures.chain(self.events.map(rest)).map(|(file, bytes)| Chunk { file, bytes });
        files.chain(self.qlogs.into_iter().flat_map(|mut qlogs| qlogs.take())).collect()
    }

    /// The sender of a packet, if it is known.
    fn sender(&self, packet: Packet) -> Option<Who> {
        datagram_sender(packet).or_else(|| {
            let Receiver::Endpoint(endpoint) = packet.receiver() else { return None };
            let receiver = self.endpoints.get(&(endpoint, packet.generation()))?;
            Some(Who { side: receiver.side.peer(), ..*receiver })
        })
    }
}

/// A place by name, and the names of its interfaces.
fn place(name: &str, names: &Names) -> Result<(Place, Vec<String>), String> {
    if name == "bottleneck" {
        let interfaces = names.bottleneck.iter().map(|link| names.links[link.0 as usize].clone()).collect();
        return Ok((Place::Links(names.bottleneck.clone()), interfaces));
    }
    for (flow, flow_name) in (0..).map(FlowId).zip(&names.flows) {
        for side in [Side::Source, Side::Sink] {
            if name.strip_prefix(flow_name.as_str()).and_then(|rest| rest.strip_prefix('.')) == Some(side.name()) {
                return Ok((Place::Host { flow, side }, vec![name.to_owned()]));
            }
        }
    }
    let some: Vec<_> = names.flows.iter().take(3).map(|flow| format!("{flow}.source, {flow}.sink")).collect();
    let more = if names.flows.len() > 3 { ", ..." } else { "" };
    Err(format!("no place to capture is called {name}; accepted: bottleneck, {}{more}", some.join(", ")))
}

/// Returns the segment that stands for a packet in traces. A packet that is no segment has the length and the ECN field
/// of a datagram, and no flags.
fn segment_for<P: Contents>(contents: &P) -> Segment {
    let datagram = || {
        let len = contents.size().saturating_sub(UDP_IPV4);
        Segment { ecn: contents.ecn(), len, ..Segment::new(Flags(0)) }
    };
    contents.as_segment().copied().unwrap_or_else(datagram)
}

/// Returns the segment that stands for a datagram in traces: it has the datagram's length and ECN field and no flags.
fn segment_of(datagram: Packet) -> Segment {
    let (_, len) = datagram.as_datagram().expect("only a datagram has no contents");
    Segment { ecn: datagram.ecn(), len, ..Segment::new(Flags(0)) }
}

/// Captures and the event log contain the headers of segments; all other packets are datagrams in them.
impl<P: Contents> Observer<P> for Traces {
    fn opened(&mut self, endpoint: EndpointId, generation: u16, who: Who, _pair: u32) {
        self.endpoints.insert((endpoint, generation), who);
    }

    fn endpoint(&mut self, now: Nanos, who: Who, event: Event<'_, P>) {
        if !self.filter.has_flow(Some(who.flow)) {
            return;
        }
        let segment;
        let event = match event {
            Event::Sent { contents, offset, retransmission } => {
                segment = segment_for(contents);
                Event::Sent { contents: &segment, offset, retransmission }
            }
            Event::Received { contents } => {
                segment = segment_for(contents);
                Event::Received { contents: &segment }
            }
            Event::Acknowledged { una } => Event::Acknowledged { una },
            Event::Timeout { count } => Event::Timeout { count },
            Event::Tcp(event) => Event::Tcp(event),
            Event::Log { bytes } => Event::Log { bytes },
        };
        let written = self.filter.has_time(now);
        if let Some(qlogs) = &mut self.qlogs {
            qlogs.endpoint(now, who, &event, written);
        }
        if !written {
            return;
        }
        if let Event::Sent { contents: segment, .. } = event {
            for (_, capture) in &mut self.captures {
                capture.at_host(now, who, segment, false);
            }
        }
        if let Some(events) = &mut self.events {
            events.endpoint(now, who, &event);
        }
    }

    fn network(&mut self, at: Nanos, contents: Option<&P>, event: NetworkEvent) {
        let recorded_at = event.recorded_at(at);
        let [captured, logged] = [at, recorded_at].map(|time| self.filter.has_time(time));
        let has_flow = self.filter.has_flow(self.sender(event.packet()).map(|who| who.flow));
        if !has_flow || !(captured || logged) {
            return;
        }
        let segment = &contents.map_or_else(|| segment_of(event.packet()), segment_for);
        let (link, dropped, packet) = match event {
            NetworkEvent::Enqueued { link, packet, .. } | NetworkEvent::Sent { link, packet, .. } => {
                (Some(link), None, packet)
            }
            NetworkEvent::Arrived { packet, .. } | NetworkEvent::Copied { packet, .. } => {
                let sender = self.sender(packet);
                if let Some(events) = &mut self.events {
                    events.network(at, sender, segment, &event);
                }
                return;
            }
            NetworkEvent::Datagram { packet } => {
                let sender = self.sender(packet);
                for (_, capture) in &mut self.captures {
                    if let Some(sender) = sender {
                        capture.at_host(at, sender, segment, false);
                    }
                }
                if let Some(events) = &mut self.events {
                    events.network(at, sender, segment, &event);
                }
                return;
            }
            NetworkEvent::Dropped { link, packet, cause: DropCause::Aqm, .. } => {
                (Some(link), Some("dropped: by the queue discipline"), packet)
            }
            NetworkEvent::Dropped { link, packet, cause: DropCause::Queue, .. } => {
                (Some(link), Some("dropped: queue full"), packet)
            }
            NetworkEvent::Dropped { link, packet, cause: DropCause::Policer, .. } => {
                (Some(link), Some("dropped: by the policer"), packet)
            }
            NetworkEvent::Dropped { link, packet, cause: DropCause::Loss, .. } => {
                (Some(link), Some("dropped: random loss"), packet)
            }
            NetworkEvent::Dropped { link, packet, cause: DropCause::Corruption, .. } => {
                (Some(link), Some("dropped: corrupted on the wire"), packet)
            }
            NetworkEvent::Dropped { link, packet, cause: DropCause::Outage, .. } => {
                (Some(link), Some("dropped: sent while the link was down"), packet)
            }
            NetworkEvent::Dropped { link, packet, .. } => (Some(link), Some("dropped"), packet),
            NetworkEvent::Delivered { packet } => (None, None, packet),
        };
        let sender = self.sender(packet);
        // Hosts send no packets with CE, so a queue that accepts a packet with CE has marked it.
        let marked =
            segment.ecn == Ecn::Ce && dropped.is_none() && link.is_some_and(|link| self.queues.contains(&link));
        for (_, capture) in self.captures.iter_mut().filter(|_| captured) {
            match (link, sender) {
                (Some(link), Some(sender)) => {
                    let comment = dropped.or(marked.then_some("marked: CE"));
                    capture.at_link(at, link, sender, segment, comment, dropped.is_some());
                }
                (None, Some(sender)) => capture.at_host(at, sender, segment, true),
                (_, None) => {}
            }
        }
        if let Some(events) = self.events.as_mut().filter(|_| logged) {
            if marked {
                events.marked(at, sender, segment, link, packet);
            }
            events.network(recorded_at, sender, segment, &event);
        }
    }
}
