//! Estimates the size of a run before it starts: packets, rows of tables, and memory.
//!
//! The formula is an upper bound where one exists; elsewhere it errs towards too much:
//!
//! 1. Each application bounds what it sends within the time that its flow has (`AppKind::demand`): messages, bytes,
//!    connections, datagrams. Drawn times between messages count with their medians and drawn sizes with their means. A
//!    number of drawn things is its mean times 1.5, plus three.
//! 2. TCP sends one packet for each full segment of the bytes, one for each message, and [`CONTROL`] for each
//!    connection. Packets of data count [`RETRANSMITTED`] times, because a packet may be retransmitted, and more with
//!    random loss on the path. Each packet has an acknowledgment.
//! 3. TCP offers to a link at most [`OFFERED`] times the volume that the link can carry in the time; the rest are
//!    drops. All flows over the link are scaled down by the same factor. Datagrams are not scaled. In a round trip, a
//!    connection sends no more than the receiver's window, and Reno and CUBIC no more than random losses let them.
//! 4. A packet counts once for each link of the scenario on its route. The bottleneck counts as a link; access links do
//!    not.
//! 5. A cellular link draws each of its delivery opportunities, whether a packet uses the opportunity or not, and the
//!    run that ends counts them once more.
//! 6. The number of rows follows from the packets that are on their way while probes record, from the intervals of the
//!    probes, and from the round trips, of which each has few events. Memory follows from the rows, the flows, the
//!    connections, and the packets that fit into queues, links and windows.

mod traffic;

use super::graph::Hop;
use super::link::{LinkRate, Plain, VaryingRate};
use super::model::Scenario;
use super::spellings::QueueLimit;
use traffic::{Span, Traffic};

/// Packets of a connection that carry no data: those of the handshake and of the close, from both ends, with their
/// acknowledgments.
const CONTROL: f64 = 8.0;
/// Upper bound of the mean number of transmissions of a packet where only the application limits the flow.
const RETRANSMITTED: f64 = 1.5;
/// Ratio of the volume that is offered to a link that is always busy to the volume that the link can carry.
const OFFERED: f64 = 2.0;
/// Rows of the table `sack_blocks` for each acknowledgment; an acknowledgment of data in order has no blocks.
const BLOCKS: f64 = 2.0;
/// Rows of `window` and `events` besides those at intervals, or of `timeouts`: losses cause these rows. They are limited by
/// the packets, and by the round trips: a recovery takes a round trip from its start to its end.
const EVENTS: f64 = 0.1;
const EVENTS_OF_ROUND: f64 = 8.0;
/// Ratio of the datagrams of a part of a run to the mean.
const DATAGRAMS: f64 = 1.5;
/// Rows of `delays` and `delay_cdf` for each flow.
const DELAYS: f64 = 104.0;

/// Bytes that every run takes, whatever its size: the libraries that hand tables over, and reserved memory.
const FIXED_BYTES: f64 = 32.0 * 1024.0 * 1024.0;
/// Bytes of a row: its record in the engine, its cells, and the copy that leaves the engine.
const ROW_BYTES: f64 = 640.0;
/// Bytes of a flow with its access links.
const FLOW_BYTES: f64 = 8_192.0;
/// Bytes of a further host of a flow, with its access link.
const HOST_BYTES: f64 = 2_048.0;
/// Bytes of a connection with both ends.
const CONNECTION_BYTES: f64 = 16_384.0;
/// Bytes of a packet in flight, with its record at the sender, which is kept until the packet is acknowledged.
const PACKET_BYTES: f64 = 256.0;
/// Bytes of the distributions that are kept for a link or a flow.
const SKETCH_BYTES: f64 = 300_000.0;

/// Expected size of a run of a scenario.
#[derive(Clone, PartialEq, Debug)]
pub struct Estimate {
    /// Packets that the links of the scenario carry or drop, each counted at every link.
    pub packets: f64,
    /// Delivery opportunities that cellular links draw.
    pub opportunities: f64,
    /// Rows of all tables.
    pub rows: f64,
    /// Bytes of memory, in addition to those of a process in which nothing has run.
    pub memory: f64,
    /// The fields that take most of the memory, largest first, with the bytes of each.
    pub parts: Vec<(String, f64)>,
}

impl Scenario {
    /// Estimates the size of a run of the scenario.
    pub fn estimate(&self) -> Estimate {
        let flows = self.traffic(Span { until: self.duration, length: self.duration });
        let sum = |part: &dyn Fn(&Traffic) -> f64| flows.iter().map(|flow| flow.copies * part(flow)).sum::<f64>();
        let packets = sum(&|flow| {
            let [forward, reverse] = flow.links();
            // Each TCP packet with payload has an acknowledgment in the opposite direction.
            let exchanged = flow.forward + flow.reverse + flow.control / 2.0;
            (exchanged * (forward + reverse) + flow.datagrams * forward) * (1.0 + flow.duplicates)
        });
        let parts = self.parts(&flows);
        let rows = parts.iter().map(|part| part.rows).sum();
        let memory = FIXED_BYTES + parts.iter().map(Part::bytes).sum::<f64>();
        let mut parts: Vec<_> = parts.into_iter().map(|part| (part.path.clone(), part.bytes())).collect();
        parts.sort_by(|a, b| b.1.total_cmp(&a.1));
        Estimate { packets, opportunities: self.opportunities(), rows, memory, parts }
    }

    /// Returns the number of delivery opportunities that all cellular links draw in both directions.
    fn opportunities(&self) -> f64 {
        let drawn = |rate: &LinkRate| match rate {
            Plain::Varying(VaryingRate::Cellular(cellular)) => cellular.model().opportunities(self.duration),
            _ => 0.0,
        };
        self.all_links().map(|(_, link)| drawn(&link.rate) + drawn(link.reverse_rate())).sum::<f64>() * 2.0
    }

    /// Returns the traffic of all flows in a part of the run.
    fn traffic(&self, span: Span) -> Vec<Traffic> {
        let mut flows: Vec<_> = self.flows.iter().map(|flow| Traffic::of(self, flow, span)).collect();
        self.share(&mut flows, span);
        flows
    }

    /// Scales flows down to the load that the links that they share can carry.
    fn share(&self, flows: &mut [Traffic], span: Span) {
        let count = self.all_links().count();
        let mut offered = vec![[0.0; 2]; count];
        for flow in &*flows {
            for hop in &flow.routes[0] {
                offered[hop.link][usize::from(hop.reverse)] += flow.copies * flow.forward * flow.size;
            }
        }
        let room = |hop: &Hop| {
            let link = self.link(hop.link);
            let rate = if hop.reverse { link.reverse_rate() } else { &link.rate };
            OFFERED * span.bits(rate, self.duration) / 8.0 / offered[hop.link][usize::from(hop.reverse)]
        };
        for flow in flows {
            let least = flow.routes[0].iter().map(room).fold(1.0, f64::min);
            flow.forward = (flow.forward * least).max(flow.demand.messages.min(flow.forward));
        }
    }

    /// Lists the consumers of memory.
    fn parts(&self, flows: &[Traffic]) -> Vec<Part> {
        let probes = &self.probes;
        let to = probes.to.unwrap_or(self.duration).min(self.duration);
        let recorded = Span { until: to, length: to.saturating_sub(probes.from) };
        let instants = match probes.interval {
            0 => f64::INFINITY,
            interval => (recorded.length / interval) as f64 + 1.0,
        };
        let copies: f64 = flows.iter().map(|flow| flow.copies).sum();
        let links = 2.0 * self.all_links().count() as f64;
        let rows = |on: bool, rows: f64| if on { rows } else { 0.0 };
        let traffic = self.traffic(recorded);
        let sum = |part: &dyn Fn(&Traffic) -> f64| traffic.iter().map(|flow| flow.copies * part(flow)).sum::<f64>();
        let data = |flow: &Traffic| flow.forward + flow.reverse;
        // Each packet has one row for its transmission and one for its arrival or drop, and so has its acknowledgment.
        let packets = sum(&|flow| {
            let segments = (4.0 + 2.0 * BLOCKS) * data(flow) + 2.0 * flow.control;
            (segments + 2.0 * flow.datagrams * self.part_of(flow, recorded)) * (1.0 + flow.duplicates)
        });
        let events = |of_round: f64| sum(&|flow| (EVENTS * data(flow)).min(of_round * flow.rounds));
        let windows = sum(&|flow| data(flow).min(instants)) + events(EVENTS_OF_ROUND) + copies;
        let mut parts = vec![
            Part::rows("probes.window", rows(probes.window, windows)),
            Part::rows("probes.packets", rows(probes.packets, packets)),
            Part::rows("probes.timeouts", rows(probes.timeouts, events(1.0))),
            Part::rows(
                "probes.interval",
                rows(probes.queues, links * instants) + rows(probes.rates, copies * instants),
            ),
            Part { bytes: SKETCH_BYTES * links, ..Part::rows("links", links) },
            Part { bytes: PACKET_BYTES * self.under_way(flows), ..Part::rows("bottleneck.queue", 0.0) },
        ];
        for (index, (flow, traffic)) in self.flows.iter().zip(flows).enumerate() {
            let Traffic { demand, copies, .. } = traffic;
            let own = 1.0 + rows(probes.delays, DELAYS);
            let sketches = if probes.delays { 2.0 } else { 1.0 };
            // Closed connections are forgotten, and at most `OPEN` connections are open at once.
            let open = demand.connections.min(OPEN) * CONNECTION_BYTES + demand.datagrams;
            let hosts = flow.app.hosts().iter().map(|hosts| f64::from(hosts - 1)).sum::<f64>() * HOST_BYTES;
            let bytes = copies * (FLOW_BYTES + hosts + open + sketches * SKETCH_BYTES * f64::from(demand.rows >= 1.0));
            let name = if flow.count > 1 { format!("flows[{index}].count") } else { format!("flows[{index}].app") };
            parts.push(Part { bytes, ..Part::rows(&name, copies * (own + demand.rows)) });
        }
        parts
    }

    /// Returns the part of a flow's datagrams that is on its way in a span. Datagrams are sent steadily.
    fn part_of(&self, flow: &Traffic, span: Span) -> f64 {
        let part = DATAGRAMS * span.length as f64 / span.until.max(1) as f64 + 1.0 / flow.datagrams.max(1.0);
        part.min(1.0)
    }

    /// Returns the largest number of packets that are in flight or wait for their acknowledgment at the same time.
    fn under_way(&self, flows: &[Traffic]) -> f64 {
        let windows: f64 = self
            .flows
            .iter()
            .zip(flows)
            .map(|(flow, traffic)| {
                let tcp = flow.tcp_config(self.packet_size);
                let window = tcp.receive_buffer.max(tcp.receive_buffer_max) as f64 / f64::from(tcp.mss.max(1));
                traffic.copies * (window * traffic.demand.connections.min(OPEN)).min(traffic.forward)
                    + traffic.datagrams
            })
            .sum();
        let rtt = self.bdp_rtt();
        let held: f64 = self
            .all_links()
            .map(|(_, link)| {
                let bytes = link.rate.mean(self.duration).bits() as f64 * rtt as f64 / 8e9;
                let packets = bytes / f64::from(self.packet_size.max(1)) * 2.0;
                let queues = self.queue_limits(link, rtt).map(|limit| match limit {
                    QueueLimit::Packets(packets) => packets as f64,
                    // A queue limited in bytes holds more small packets than full-sized ones.
                    QueueLimit::Bytes(bytes) => 2.0 * bytes as f64 / f64::from(self.packet_size.max(1)),
                    QueueLimit::Unlimited | QueueLimit::Bdp(_) => f64::INFINITY,
                });
                packets + queues.iter().sum::<f64>()
            })
            .sum();
        windows.min(held)
    }
}

/// Maximum number of connections of a flow that are open at once; closed connections are forgotten.
const OPEN: f64 = 10_000.0;

/// The memory that a field of the scenario causes.
struct Part {
    path: String,
    rows: f64,
    /// Bytes in addition to those of the rows.
    bytes: f64,
}

impl Part {
    fn rows(path: &str, rows: f64) -> Part {
        Part { path: path.to_owned(), rows, bytes: 0.0 }
    }

    fn bytes(&self) -> f64 {
        self.bytes + self.rows * ROW_BYTES
    }
}
