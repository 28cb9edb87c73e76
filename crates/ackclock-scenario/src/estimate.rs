//! Estimates the size of a run before it starts: packets, rows of tables, and memory.
//!
//! The formula is an upper bound where one exists; elsewhere it errs towards too much:
//!
//! 1. Each application bounds what it sends within the time that its flow has (`AppKind::demand`): messages, bytes,
//!    connections, datagrams. Drawn times between messages count with their medians and drawn sizes with their means. A
//!    number of drawn things is its mean times 1.5, plus three.
//! 2. TCP sends one packet for each full segment of the bytes, one for each message, and [`CONTROL`] for each
//!    connection. Packets of data count [`RETRANSMITTED`] times, because a packet may be retransmitted. Each packet has
//!    an acknowledgment.
//! 3. TCP offers to a link at most [`OFFERED`] times the volume that the link can carry in the time; the rest are
//!    drops. All flows over the link are scaled down by the same factor. Datagrams are not scaled.
//! 4. A packet counts once for each link of the scenario on its route. The bottleneck counts as a link; access links do
//!    not.
//! 5. A cellular link draws each of its delivery opportunities, whether a packet uses the opportunity or not, and the
//!    run that ends counts them once more.
//! 6. The number of rows follows from the packets and from the intervals of the probes. Memory follows from the rows,
//!    the flows, the connections, and the packets that fit into queues, links and windows.

use super::graph::Hop;
use super::link::{LinkRate, Plain, VaryingRate};
use super::model::{Flow, Scenario};
use super::spellings::QueueLimit;
use ackclock_app::Demand;
use ackclock_app::Path;
use ackclock_core::headers::TCP_IPV4;

/// Packets of a connection that carry no data: those of the handshake and of the close, from both ends, with their
/// acknowledgments.
const CONTROL: f64 = 8.0;
/// Upper bound of the mean number of transmissions of a packet where only the application limits the flow.
const RETRANSMITTED: f64 = 1.5;
/// Ratio of the volume that is offered to a link that is always busy to the volume that the link can carry.
const OFFERED: f64 = 2.0;
/// Rows of the table `sack_blocks` for each acknowledgment; an acknowledgment of data in order has no blocks.
const BLOCKS: f64 = 2.0;
/// Rows of `window`, `events` and `timeouts` for each packet, besides the rows at intervals: losses cause these rows.
const EVENTS: f64 = 0.1;
/// Rows of `delays` and `delay_cdf` for each flow.
const DELAYS: f64 = 104.0;

/// Bytes that every run takes, whatever its size: the libraries that hand tables over, and reserved memory.
const FIXED_BYTES: f64 = 32.0 * 1024.0 * 1024.0;
/// Bytes of a row: its record in the engine, its cells, and the copy that leaves the engine.
const ROW_BYTES: f64 = 640.0;
/// Bytes of a flow with its access links.
const FLOW_BYTES: f64 = 8_192.0;
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

/// The packets of all copies of a flow, as far as its application determines them.
struct Traffic {
    /// The links of its forward route and of its return route.
    routes: [Vec<Hop>; 2],
    /// Packets of TCP from the source (`forward`), and packets with payload from the sink (`reverse`).
    forward: f64,
    reverse: f64,
    /// Size of a TCP packet on the wire, in bytes.
    size: f64,
    datagrams: f64,
    demand: Demand,
    copies: f64,
}

impl Traffic {
    fn of(scenario: &Scenario, flow: &Flow) -> Traffic {
        let routes = scenario.routes(flow);
        let access = scenario.access_of(flow);
        let rate = access.rate.resolved(scenario.rate()).min(scenario.slowest_of(&routes[0]));
        let path = Path { rate, rtt: scenario.base_rtt(flow) };
        let time = scenario.duration.saturating_sub(flow.start) as f64 / 1e9;
        let demand = flow.app.demand(time, path);
        let mss = f64::from(flow.mss(scenario.packet_size).max(1));
        let size = mss + f64::from(TCP_IPV4);
        let control = demand.connections * CONTROL;
        let packets = |bytes: f64, messages: f64| (bytes / mss + messages) * RETRANSMITTED;
        // The load of a single flow is limited by its own path.
        let most = OFFERED * rate.bits() as f64 * time / (8.0 * size) + demand.messages + 1.0;
        Traffic {
            forward: packets(demand.bytes, demand.messages).min(most) + control,
            reverse: packets(demand.reverse_bytes, demand.reverse_messages) + control,
            routes,
            size,
            datagrams: demand.datagrams,
            demand,
            copies: f64::from(flow.count),
        }
    }

    /// Returns the numbers of the scenario's links on the forward route and on the return route.
    fn links(&self) -> [f64; 2] {
        self.routes.each_ref().map(|route| route.len() as f64)
    }
}

impl Scenario {
    /// Estimates the size of a run of the scenario.
    pub fn estimate(&self) -> Estimate {
        let mut flows: Vec<_> = self.flows.iter().map(|flow| Traffic::of(self, flow)).collect();
        self.share(&mut flows);
        let sum = |part: &dyn Fn(&Traffic) -> f64| flows.iter().map(|flow| flow.copies * part(flow)).sum::<f64>();
        // Each TCP packet has an acknowledgment in the opposite direction.
        let exchanged = |flow: &Traffic| flow.forward + flow.reverse;
        let packets = sum(&|flow| {
            let [forward, reverse] = flow.links();
            exchanged(flow) * (forward + reverse) + flow.datagrams * forward
        });
        let parts = self.parts(&flows, sum(&exchanged), sum(&|flow| flow.datagrams));
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

    /// Scales flows down to the load that the links that they share can carry.
    fn share(&self, flows: &mut [Traffic]) {
        let time = self.duration as f64 / 1e9;
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
            OFFERED * rate.mean(self.duration).bits() as f64 * time / 8.0 / offered[hop.link][usize::from(hop.reverse)]
        };
        for flow in flows {
            let least = flow.routes[0].iter().map(room).fold(1.0, f64::min);
            flow.forward = (flow.forward * least).max(flow.demand.messages.min(flow.forward));
        }
    }

    /// Lists the consumers of memory.
    fn parts(&self, flows: &[Traffic], exchanged: f64, datagrams: f64) -> Vec<Part> {
        let probes = &self.probes;
        let to = probes.to.unwrap_or(self.duration).min(self.duration);
        let recorded = to.saturating_sub(probes.from);
        let instants = match probes.interval {
            0 => f64::INFINITY,
            interval => (recorded / interval) as f64 + 1.0,
        };
        let part = recorded as f64 / self.duration.max(1) as f64;
        let copies: f64 = flows.iter().map(|flow| flow.copies).sum();
        let links = 2.0 * self.all_links().count() as f64;
        let rows = |on: bool, rows: f64| if on { rows } else { 0.0 };
        // Each packet has one row for its transmission and one for its arrival or drop.
        let packets = part * (4.0 * exchanged + 2.0 * datagrams + 2.0 * BLOCKS * exchanged);
        let windows = (part * exchanged).min(copies * instants) + EVENTS * exchanged + copies;
        let mut parts = vec![
            Part::rows("probes.window", rows(probes.window, windows)),
            Part::rows("probes.packets", rows(probes.packets, packets)),
            Part::rows("probes.timeouts", rows(probes.timeouts, EVENTS * exchanged)),
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
            let bytes = copies * (FLOW_BYTES + open + sketches * SKETCH_BYTES * f64::from(demand.rows >= 1.0));
            let name = if flow.count > 1 { format!("flows[{index}].count") } else { format!("flows[{index}].app") };
            parts.push(Part { bytes, ..Part::rows(&name, copies * (own + demand.rows)) });
        }
        parts
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
                let queues = self.queue_limits(link).map(|limit| match limit {
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
