//! Probes: an observer that records the data of a run over time.

use std::collections::BTreeMap;

use ackclock_net::DropCause;
use ackclock_tcp::context::Cause;
use ackclock_tcp::{Flags, Segment, State};

use crate::endpoint::{Contents, Event, TcpEvent};
use crate::ids::{EndpointId, FlowId, LinkId, Receiver};
use crate::network::Network;
use crate::observe::{NetworkEvent, Observer, Who, datagram_sender};
use crate::packet::Packet;
use crate::series::{Instants, Queues, Rates};
use crate::timeouts::Timeouts;
use ackclock_app::{Conn, Side};
use ackclock_core::Nanos;
use ackclock_results::{Table, Tables, declared};

const NS_PER_MS: f64 = 1e6;
const NS_PER_S: f64 = 1e9;

/// The data to record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Watch {
    /// Whether the sources' windows are recorded, with the timeouts and recoveries.
    pub window: bool,
    /// Whether every segment that is sent, dropped and delivered is recorded.
    pub packets: bool,
    /// Whether timeouts are recorded, with whether they were spurious.
    pub timeouts: bool,
    /// Whether the lengths of the queues are recorded.
    pub queues: bool,
    /// Whether the bytes that the flows' sinks receive are recorded.
    pub rates: bool,
    /// Minimum time between two window rows of a flow, in ns; a timeout or a change of recovery always has a row. With
    /// 0 each change has a row. Queues and rates have a row for each interval, which is at least 1 ns for them.
    pub interval: Nanos,
    /// Start of the recording.
    pub from: Nanos,
    /// End of the recording, included.
    pub to: Nanos,
}

#[derive(Clone, Copy)]
enum Fate {
    Sent { retransmission: bool },
    Dropped { link: LinkId, cause: DropCause },
    Delivered,
}

impl Fate {
    fn name(self) -> &'static str {
        match self {
            Fate::Sent { .. } => "sent",
            Fate::Dropped { .. } => "dropped",
            Fate::Delivered => "delivered",
        }
    }
}

/// A SACK block of a packet.
struct BlockRow {
    at: Nanos,
    sender: Who,
    fate: Fate,
    /// Stream offsets of its first byte and of the byte after its last, in the stream that the sender of the block
    /// receives.
    left: u64,
    right: u64,
    duplicate: bool,
}

/// A time in which a link is down.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outage {
    /// Name of the link.
    pub link: String,
    /// Start of the outage.
    pub from: Nanos,
    /// End of the outage.
    pub to: Nanos,
}

struct EventRow {
    at: Nanos,
    flow: FlowId,
    event: &'static str,
}

struct PacketRow {
    at: Nanos,
    /// Sender of the packet; `None` if its connection is closed.
    sender: Option<Who>,
    fate: Fate,
    /// Stream offset of its first byte.
    seq: Option<u64>,
    len: u32,
    /// Stream offset that is acknowledged.
    ack: Option<u64>,
}

/// An observer that records windows, events and packets.
pub struct Recorder {
    watch: Watch,
    flows: Vec<String>,
    links: Vec<(LinkId, String)>,
    /// Time at which a flow's next window row is due.
    due: Vec<Nanos>,
    /// The connection end in each endpoint's slot, with its generation.
    endpoints: BTreeMap<EndpointId, (u16, Who)>,
    /// A sequence number of each sender with its stream offset, from which other offsets follow.
    known: BTreeMap<(FlowId, Conn, bool), (u32, u64)>,
    outages: Vec<Outage>,
    windows: Table,
    events: Vec<EventRow>,
    packets: Vec<PacketRow>,
    /// SACK blocks have rows of their own, because a packet with payload has no blocks and a packet with blocks has up
    /// to four.
    blocks: Vec<BlockRow>,
    timeouts: Timeouts,
    queues: Option<Queues>,
    rates: Option<Rates>,
}

impl Recorder {
    /// Creates a recorder for flows with these names, in the order of their numbers; `links` names the links that may
    /// drop packets, and `outages` has the times in which they are down.
    pub fn new(watch: Watch, flows: Vec<String>, links: Vec<(LinkId, String)>, outages: Vec<Outage>) -> Recorder {
        let Watch { from, interval, to, .. } = watch;
        let instants = Instants { from, interval, to };
        Recorder {
            watch,
            queues: watch.queues.then(|| Queues::new(instants, links.iter().map(|(link, _)| *link))),
            rates: watch.rates.then(|| Rates::new(instants, flows.len())),
            due: vec![0; flows.len()],
            flows,
            links,
            endpoints: BTreeMap::new(),
            known: BTreeMap::new(),
            outages,
            windows: Table::of::<declared::Window>(),
            events: Vec::new(),
            packets: Vec::new(),
            blocks: Vec::new(),
            timeouts: Timeouts::default(),
        }
    }

    fn watches(&self, at: Nanos) -> bool {
        (self.watch.from..=self.watch.to).contains(&at)
    }

    /// Returns the stream offset of a sequence number that `who` sends.
    fn offset(&self, who: Who, seq: u32) -> Option<u64> {
        let (known_seq, known_offset) = *self.known.get(&key(who))?;
        let distance = i64::from(seq.wrapping_sub(known_seq) as i32);
        // The SYN precedes the first byte.
        Some(known_offset.saturating_add_signed(distance))
    }

    fn sent<P: Contents>(&mut self, at: Nanos, who: Who, contents: &P, offset: u64, retransmission: bool) {
        let segment = contents.as_segment();
        if let Some(segment) = segment {
            let first = segment.seq.wrapping_add(u32::from(segment.flags.has(Flags::SYN)));
            self.known.insert(key(who), (first, offset));
        }
        self.packet(at, Some(who), contents.payload(), segment, Some(offset), Fate::Sent { retransmission });
    }

    /// Records a packet with `len` bytes of payload, which is a TCP segment or not.
    fn packet(
        &mut self,
        at: Nanos,
        sender: Option<Who>,
        len: u32,
        segment: Option<&Segment>,
        seq: Option<u64>,
        fate: Fate,
    ) {
        if self.watch.packets && self.watches(at) {
            let acknowledges = segment.filter(|segment| segment.flags.has(Flags::ACK));
            let ack = sender.zip(acknowledges).and_then(|(who, segment)| self.offset(peer(who), segment.ack));
            self.packets.push(PacketRow { at, sender, fate, seq, len, ack });
            if let (Some(sender), Some(segment)) = (sender, segment) {
                self.sacked(at, sender, segment, fate);
            }
        }
    }

    fn sacked(&mut self, at: Nanos, sender: Who, segment: &Segment, fate: Fate) {
        for (index, block) in segment.sack_blocks().iter().enumerate() {
            let [left, right] = [block.start, block.end].map(|seq| self.offset(peer(sender), seq));
            if let (Some(left), Some(right)) = (left, right) {
                let duplicate = index == 0 && tells_of_a_duplicate(segment);
                self.blocks.push(BlockRow { at, sender, fate, left, right, duplicate });
            }
        }
    }

    fn happened(&mut self, at: Nanos, who: Who, event: &'static str) {
        self.due[who.flow.index()] = at;
        if self.watch.window && self.watches(at) {
            self.events.push(EventRow { at, flow: who.flow, event });
        }
    }

    /// Returns the table `events` as of `now`: the events of flows and the outages of links, in the order of time.
    fn events(&self, now: Nanos) -> Table {
        let outages = self.outages.iter().flat_map(|outage| {
            let link = Some(outage.link.as_str());
            [(outage.from, None, "outage_started", link), (outage.to, None, "outage_ended", link)]
        });
        let outages = outages.filter(|(at, ..)| *at <= now && self.watches(*at));
        let flows = self.events.iter().map(|row| {
            let flow = self.flows[row.flow.index()].as_str();
            (row.at, Some(flow), row.event, None)
        });
        let mut rows: Vec<_> = outages.chain(flows).collect();
        rows.sort_by_key(|(at, ..)| *at);
        let mut table = Table::of::<declared::Events>();
        for (at, flow, event, link) in rows {
            table.push(declared::Events {
                time_s: seconds(at).into(),
                flow: flow.map(str::to_owned).into(),
                event: event.into(),
                link: link.map(str::to_owned).into(),
            });
        }
        table
    }

    /// Handles an event of the state that a TCP has, at a source.
    fn of_tcp(&mut self, now: Nanos, who: Who, event: TcpEvent<'_>) {
        match event {
            TcpEvent::RecoveryStarted { cause } => {
                let event = match cause {
                    Cause::Loss | Cause::Timeout => "recovery_started",
                    Cause::Ecn => "ecn_reduction",
                    Cause::Delay => "delay_reduction",
                };
                self.happened(now, who, event);
            }
            TcpEvent::RecoveryEnded => self.happened(now, who, "recovery_ended"),
            TcpEvent::Undone { .. } => self.happened(now, who, "undone"),
            TcpEvent::ProbeSent { .. } => self.happened(now, who, "probe_sent"),
            TcpEvent::ReorderingTimeout { .. } => self.happened(now, who, "reordering_timeout"),
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
                let due = &mut self.due[who.flow.index()];
                if !self.watch.window || now < *due || !(self.watch.from..=self.watch.to).contains(&now) {
                    return;
                }
                *due = now.saturating_add(self.watch.interval);
                self.windows.push(declared::Window {
                    time_s: seconds(now).into(),
                    flow: self.flows[who.flow.index()].as_str().into(),
                    cwnd: window.cwnd.into(),
                    ssthresh: (window.ssthresh != u64::MAX).then_some(window.ssthresh).into(),
                    flight_size: flight_size.into(),
                    pipe: pipe.into(),
                    srtt_ms: milliseconds(srtt).into(),
                    latest_rtt_ms: milliseconds(rtt).into(),
                    min_rtt_ms: milliseconds(min_rtt).into(),
                    pacing_bps: pacing_rate.map(|rate| rate.bits() as f64).into(),
                    delivery_bps: delivery_rate.map(|rate| rate.bits() as f64).into(),
                    in_recovery: in_recovery.into(),
                    non_validated: validation.non_validated.into(),
                    pipe_ack: validation.pipe_ack.into(),
                    cc_state: cc_state.map(str::to_owned).into(),
                });
            }
            TcpEvent::Sent { .. }
            | TcpEvent::Received { .. }
            | TcpEvent::Acknowledged { .. }
            | TcpEvent::Timeout { .. }
            | TcpEvent::Lost { .. }
            | TcpEvent::StateChanged(_) => {}
        }
    }

    /// Returns the tables `window`, `events`, `packets`, `sack_blocks`, `timeouts`, `queues` and `rates` as of `now`,
    /// as far as they were requested. A packet's `side` is the end that sent the packet, whatever the event.
    pub fn report<P: Contents>(mut self, now: Nanos, network: &Network<P>, tables: &mut Tables) {
        if self.watch.window {
            tables.insert("events", self.events(now));
        }
        let name = |link| self.links.iter().find(|(named, _)| *named == link).map(|(_, name)| name.as_str());
        if let Some(queues) = self.queues {
            tables.insert("queues", queues.report(now, network, |link| name(link).unwrap_or_default()));
        }
        if let Some(rates) = self.rates {
            tables.insert("rates", rates.report(now, &self.flows));
        }
        if self.watch.window {
            tables.insert("window", self.windows);
        }
        if self.watch.packets {
            // The times of links are computed in advance; rows with the same time keep the order of their arrival.
            self.packets.sort_by_key(|row| row.at);
            self.packets.truncate(self.packets.partition_point(|row| row.at <= now));
            let mut table = Table::of::<declared::Packets>();
            for row in &self.packets {
                let (link, cause, retransmission) = match row.fate {
                    Fate::Sent { retransmission } => (None, None, Some(retransmission)),
                    Fate::Dropped { link, cause } => (name(link).map(str::to_owned), Some(cause), None),
                    Fate::Delivered => (None, None, None),
                };
                let side = row.sender.map(|who| who.side.name());
                table.push(declared::Packets {
                    time_s: seconds(row.at).into(),
                    flow: row.sender.map(|who| self.flows[who.flow.index()].clone()).into(),
                    side: side.map(str::to_owned).into(),
                    event: row.fate.name().into(),
                    seq: row.seq.into(),
                    len: row.len.into(),
                    ack: row.ack.into(),
                    retransmission: retransmission.into(),
                    link: link.into(),
                    cause: cause.map(|cause| cause.name().to_owned()).into(),
                });
            }
            tables.insert("packets", table);
            self.blocks.sort_by_key(|row| row.at);
            self.blocks.truncate(self.blocks.partition_point(|row| row.at <= now));
            let mut table = Table::of::<declared::SackBlocks>();
            for row in &self.blocks {
                table.push(declared::SackBlocks {
                    time_s: seconds(row.at).into(),
                    flow: self.flows[row.sender.flow.index()].as_str().into(),
                    side: row.sender.side.name().into(),
                    event: row.fate.name().into(),
                    left: row.left.into(),
                    right: row.right.into(),
                    duplicate: row.duplicate.into(),
                });
            }
            tables.insert("sack_blocks", table);
        }
        if self.watch.timeouts {
            tables.insert("timeouts", self.timeouts.report(&self.flows, self.watch.from, self.watch.to));
        }
    }

    /// Handles a packet that passed the link that may drop it, or that was dropped.
    fn decided(&mut self, packet: Packet, segment: Option<&Segment>, dropped: bool) {
        if self.watch.timeouts
            && let Some(segment) = segment
            && packet.as_datagram().is_none()
            && let Some(who) = self.sender(packet)
        {
            self.timeouts.fate(who, segment, dropped);
        }
    }

    /// Returns the sender of a packet.
    fn sender(&self, packet: Packet) -> Option<Who> {
        datagram_sender(packet).or_else(|| {
            let Receiver::Endpoint(endpoint) = packet.receiver() else { return None };
            let (generation, receiver) = self.endpoints.get(&endpoint)?;
            (*generation == packet.generation()).then(|| peer(*receiver))
        })
    }
}

/// Whether the first SACK block is a D-SACK (RFC 2883 section 4): the block is below the acknowledgment, or within the
/// second block.
fn tells_of_a_duplicate(segment: &Segment) -> bool {
    let before = |seq: u32, other: u32| (seq.wrapping_sub(other) as i32) < 0;
    match segment.sack_blocks() {
        [first, ..] if before(first.start, segment.ack) => true,
        [first, second, ..] => !before(first.start, second.start) && !before(second.end, first.end),
        _ => false,
    }
}

fn key(who: Who) -> (FlowId, Conn, bool) {
    (who.flow, who.conn, who.side == Side::Source)
}

fn peer(who: Who) -> Who {
    Who { side: who.side.peer(), ..who }
}

fn milliseconds(time: Option<Nanos>) -> Option<f64> {
    time.map(|time| time as f64 / NS_PER_MS)
}

fn seconds(at: Nanos) -> f64 {
    at as f64 / NS_PER_S
}

impl<P: Contents> Observer<P> for Recorder {
    fn opened(&mut self, endpoint: EndpointId, generation: u16, who: Who, _pair: u32) {
        self.endpoints.insert(endpoint, (generation, who));
    }

    fn endpoint(&mut self, now: Nanos, who: Who, event: Event<'_, P>) {
        if self.watch.timeouts {
            match event {
                Event::Sent { contents, .. } => {
                    if let Some(segment) = contents.as_segment() {
                        self.timeouts.sent(who, segment);
                    }
                }
                Event::Tcp(TcpEvent::StateChanged(State::Established | State::FinWait1 | State::CloseWait)) => {
                    self.timeouts.acknowledged(who, 0);
                }
                Event::Acknowledged { una } => self.timeouts.acknowledged(who, una),
                Event::Timeout { count } => self.timeouts.expired(now, who, count),
                _ => {}
            }
        }
        match event {
            Event::Sent { contents, offset, retransmission } => self.sent(now, who, contents, offset, retransmission),
            _ if who.side == Side::Sink => {}
            Event::Timeout { .. } => self.happened(now, who, "timeout"),
            Event::Received { .. } | Event::Acknowledged { .. } | Event::Log { .. } => {}
            Event::Tcp(event) => self.of_tcp(now, who, event),
        }
    }

    fn delivered(&mut self, now: Nanos, flow: FlowId, bytes: u64) {
        if let Some(rates) = &mut self.rates {
            rates.delivered(now, flow, bytes);
        }
    }

    fn network(&mut self, at: Nanos, contents: Option<&P>, event: NetworkEvent) {
        if let Some(queues) = &mut self.queues {
            queues.network(at, event);
        }
        match contents {
            // The segments of a large packet have the same fate.
            Some(large) if large.segments() > 1 => {
                (0..large.segments()).for_each(|index| self.fate(at, Some(&large.segment(index)), event));
            }
            _ => self.fate(at, contents, event),
        }
    }
}

impl Recorder {
    /// Records the event of a packet that is not a large one.
    fn fate<P: Contents>(&mut self, at: Nanos, contents: Option<&P>, event: NetworkEvent) {
        let segment = contents.and_then(Contents::as_segment);
        let (packet, fate) = match event {
            NetworkEvent::Dropped { link, packet, cause, .. } => {
                self.decided(packet, segment, true);
                (packet, Fate::Dropped { link, cause })
            }
            NetworkEvent::Delivered { packet } => (packet, Fate::Delivered),
            NetworkEvent::Datagram { packet } => (packet, Fate::Sent { retransmission: false }),
            NetworkEvent::Arrived { .. } | NetworkEvent::Copied { .. } => return,
            NetworkEvent::Enqueued { link, packet, .. } | NetworkEvent::Sent { link, packet, .. } => {
                if self.links.iter().any(|(named, _)| *named == link) {
                    self.decided(packet, segment, false);
                }
                return;
            }
        };
        let sender = self.sender(packet);
        let seq = sender.zip(segment).and_then(|(who, segment)| self.offset(who, segment.seq));
        let len = contents.map_or_else(|| packet.as_datagram().map_or(0, |(_, len)| len), Contents::payload);
        self.packet(event.recorded_at(at), sender, len, segment, seq, fate);
    }
}

#[cfg(test)]
mod tests {
    use ackclock_tcp::segment::SackBlock;

    use super::*;

    #[test]
    fn a_duplicate_is_below_the_acknowledgment_or_within_the_second_block() {
        let told = |ack: u32, blocks: &[(u32, u32)]| {
            let mut segment = Segment { ack, sack_count: blocks.len() as u8, ..Segment::new(Flags::ACK) };
            for (place, &(start, end)) in segment.sack.iter_mut().zip(blocks) {
                *place = SackBlock { start, end };
            }
            tells_of_a_duplicate(&segment)
        };
        assert!(!told(1000, &[]) && !told(1000, &[(2000, 3000)]) && !told(1000, &[(4000, 5000), (2000, 3000)]));
        assert!(told(1000, &[(0, 1000)]) && told(3, &[(u32::MAX - 9, 2), (20, 30)]), "below, also where numbers wrap");
        assert!(told(1000, &[(2000, 3000), (2000, 4000)]) && told(1000, &[(2500, 4000), (2000, 4000)]), "within");
        assert!(!told(1000, &[(1500, 3000), (2000, 4000)]) && !told(1000, &[(2000, 4001), (2000, 4000)]));
    }
}
