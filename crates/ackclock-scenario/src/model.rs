//! The fields of a scenario. Each is defined here once; everything else about it is made from this list.

use ackclock_tcp::config::{EcnMode, Restart, RtoRule};
use ackclock_tcp::{recovery, slow_start, stack, validation};
use serde_json::json;

use super::algorithm::{CongestionControl, congestion_control};
use super::bottleneck::{Bottleneck, Link};
use super::spellings::{AccessRate, Amount};
use ackclock_app::App;
use ackclock_core::Nanos;
use ackclock_core::headers::TCP_IPV4;
use ackclock_schema::kinds::{Flag, Label, OneOf, count, one_of, real, spelled, time, volume};
use ackclock_schema::lists::list;
use ackclock_schema::random::{Delay, Random, drawn};
use ackclock_schema::record;
use ackclock_schema::record::{default, numbered, optional, required, table};
use ackclock_schema::union;
use ackclock_schema::union::tagged;

/// Fewest bytes of payload in a full segment.
pub(super) const LEAST_MSS: u64 = 64;
/// The most flows of a run, copies counted.
pub(super) const MAX_FLOWS: u32 = 1_000_000;
/// The largest receive window that window scaling can advertise (RFC 7323 section 2.3).
const MOST_RECEIVE_BUFFER: u64 = 1 << 30;

record! {
    /// A network, the flows over it and what is recorded.
    pub struct Scenario {
        /// What the scenario is called in output.
        name: String = default("scenario", Label);
        /// How long the run lasts in simulated time.
        duration: Nanos = required(time().positive());
        /// Seed of every random draw.
        seed: u64 = default(1, count("", 0, u64::MAX));
        /// IP packet size of a full segment, headers included.
        packet_size: u32 = default("1500B", volume().within(LEAST_MSS + TCP_IPV4 as u64, 65_535));
        /// The link that all flows share, from the node left to the node right.
        bottleneck: Bottleneck = required(table());
        /// Links besides it, and the nodes that they join.
        links: Option<Vec<Link>> = optional("none", list("link", table()));
        /// The links between the flows' ends and the bottleneck, one on each side of it for every flow.
        access: Access = default(json!({}), table());
        /// The flows.
        flows: Vec<Flow> = required(list("flow", table()));
        /// What is recorded besides the summaries.
        probes: Probes = default(json!({}), table());
    }
}

record! {
    /// The access links of every flow.
    pub struct Access {
        /// Rate of both links in both directions.
        rate: AccessRate = default("10x", spelled());
        /// Propagation delay between the source and the bottleneck, one way; drawn once for every flow.
        source_delay: Random<Delay> = default("0s", drawn());
        /// Propagation delay between the bottleneck and the sink, one way; drawn once for every flow.
        sink_delay: Random<Delay> = default("0s", drawn());
    }
}

record! {
    /// The access links of one flow, as far as they differ from the scenario's.
    pub struct FlowAccess {
        /// Rate of both links in both directions.
        rate: Option<AccessRate> = optional("as access.rate", spelled());
        /// Propagation delay between the source and the bottleneck, one way.
        source_delay: Option<Random<Delay>> = optional("as access.source_delay", drawn());
        /// Propagation delay between the bottleneck and the sink, one way.
        sink_delay: Option<Random<Delay>> = optional("as access.sink_delay", drawn());
    }
}

record! {
    /// A flow, or several alike: an application at both ends and the TCP under it.
    pub struct Flow {
        /// Name in output, unique; of several copies, the prefix of name.0, name.1, ...
        name: String = numbered("flow", Label);
        /// How many copies there are.
        count: u32 = default(1, count("copies", 1, MAX_FLOWS as u64));
        /// What the flow does.
        app: App = required(tagged());
        /// When it starts.
        start: Nanos = default("0s", time());
        /// Each copy starts later than start by a time drawn uniformly from zero to this.
        start_jitter: Nanos = default("0s", time());
        /// All copies start later than that by one and the same time, drawn uniformly from zero to this.
        group_jitter: Nanos = default("0s", time());
        /// When each copy starts, as seen from the time that start and the jitters give.
        arrival: Option<Arrival> = optional("all copies at once", tagged());
        /// Traffic class of its packets, 0 the most urgent, for queues that tell classes apart.
        class: u8 = default(0, count("", 0, 7));
        /// The nodes that it passes from the source's side to the sink's, its access links at both ends.
        route: Option<Vec<String>> = optional("from left to right", list("node", Label));
        /// The nodes that it passes on the way back.
        return_route: Option<Vec<String>> = optional("those of route, backwards", list("node", Label));
        /// Access links that differ from the scenario's.
        access: Option<FlowAccess> = optional("the scenario's access", table());
        /// Named stack, whose values hold for what is not given below.
        stack: String = default("rfc", one_of("stack", stack::CATALOGUE.iter().map(|s| (s.name, s.name.to_owned(), s.summary))));
        /// Congestion control.
        cc: Option<CongestionControl> = optional("the stack's", congestion_control());
        /// Congestion window validation.
        validation: Option<String> = optional(
            "the stack's",
            one_of("window validation", validation::CATALOGUE.iter().map(|e| (e.name, e.name.to_owned(), e.summary)))
        );
        /// Slow start.
        slow_start: Option<String> = optional(
            "the stack's",
            one_of("slow start", slow_start::CATALOGUE.iter().map(|e| (e.name, e.name.to_owned(), e.summary)))
        );
        /// What an earlier connection learnt of the path, for careful resume (RFC 9959).
        careful_resume: Option<CarefulResume> = optional("nothing is known", table());
        /// Pacing of the sender.
        pacing: Option<Pacing> = optional("the stack's", tagged());
        /// Initial window, which counts full segments whatever their size. Stacks have rules of their own: rfc and freebsd that
        /// of RFC 6928, linux ten segments, ns2-sack two (`ackclock list stack`).
        initial_window: Option<u32> = optional("the stack's", count("segments", 1, 65_535));
        /// Retransmission timeout before the first RTT sample (RFC 6298).
        initial_rto: Option<Nanos> = optional("the stack's", time().positive());
        /// Smallest retransmission timeout.
        min_rto: Option<Nanos> = optional("the stack's", time().positive());
        /// Largest retransmission timeout.
        max_rto: Option<Nanos> = optional("the stack's", time().positive());
        /// How the retransmission timeout follows from the RTT samples.
        rto_rule: Option<RtoRule> = optional("the stack's", rto_rule());
        /// Whether timestamps are offered (RFC 7323); they take 12 bytes of each segment.
        timestamps: Option<bool> = optional("the stack's", Flag);
        /// Whether selective acknowledgments are offered (RFC 2018).
        sack: Option<bool> = optional("the stack's", Flag);
        /// Whether duplicates are reported by D-SACK (RFC 2883).
        dsack: Option<bool> = optional("the stack's", Flag);
        /// What is sent, and how fast, while loss is repaired.
        recovery: Option<String> = optional(
            "the stack's",
            one_of("recovery", recovery::CATALOGUE.iter().map(|e| (e.name, e.name.to_owned(), e.summary)))
        );
        /// Duplicate ACKs, or segments SACKed above, that make a loss (RFC 5681, RFC 6675).
        dup_thresh: Option<u32> = optional("the stack's", count("segments", 1, 300));
        /// Whether reordering that is seen raises dup_thresh, as in Linux.
        adapt_dup_thresh: Option<bool> = optional("the stack's", Flag);
        /// Whether the first duplicate ACKs let new segments go (RFC 3042).
        limited_transmit: Option<bool> = optional("the stack's", Flag);
        /// Whether fewer duplicate ACKs suffice with less than four segments outstanding (RFC 5827).
        early_retransmit: Option<bool> = optional("the stack's", Flag);
        /// Whether losses are found by time rather than by counting (RACK, RFC 8985).
        rack: Option<bool> = optional("the stack's", Flag);
        /// Whether a probe is sent when the tail of a flight is not acknowledged (TLP, RFC 8985 section 7).
        tlp: Option<bool> = optional("the stack's", Flag);
        /// Whether a timeout waits for two ACKs before it deems everything lost (F-RTO, RFC 5682).
        frto: Option<bool> = optional("the stack's", Flag);
        /// Whether a recovery that D-SACKs show to have been spurious is undone.
        dsack_undo: Option<bool> = optional("the stack's", Flag);
        /// Whether a recovery that timestamps show to have been spurious is undone (Eifel, RFC 3522 and RFC 4015).
        eifel: Option<bool> = optional("the stack's", Flag);
        /// Explicit Congestion Notification.
        ecn: Option<EcnMode> = optional("the stack's", ecn());
        /// Whether a mark reduces the window by less than a loss does (ABE, RFC 8511).
        abe: Option<bool> = optional("the stack's", Flag);
        /// Whether small segments wait while data is outstanding (Nagle, RFC 9293 section 3.7.4).
        nagle: Option<bool> = optional("the stack's", Flag);
        /// Receive buffer, which bounds the advertised window.
        receive_buffer: Option<u64> = optional("the stack's", volume().within(LEAST_MSS, MOST_RECEIVE_BUFFER));
        /// What auto-tuning may raise the receive buffer to.
        receive_buffer_max: Option<u64> = optional("the stack's; receive_buffer where that is given", volume().within(LEAST_MSS, MOST_RECEIVE_BUFFER));
        /// How long an acknowledgment may be held back, below 500ms; zero acknowledges every segment.
        delayed_ack: Option<Nanos> = optional("the stack's", time());
        /// Full-sized segments after which an acknowledgment is due at once.
        ack_every: Option<u32> = optional("the stack's", count("segments", 1, 65_535));
        /// Segments acknowledged at once at the start of a connection and after an idle period.
        quick_acks: Option<u32> = optional("the stack's", count("segments", 0, 65_535));
        /// What the sender does with its window after an idle period longer than the retransmission timeout.
        restart_after_idle: Option<Restart> = optional("the stack's; off with a validation that replaces it", restart());
        /// Payload of a full segment.
        mss: Option<u32> = optional("packet_size less 40B", volume().within(LEAST_MSS, 65_495));
    }
}

union! {
    /// When the copies of a flow start.
    pub enum Arrival, otherwise None, {
        /// All at once.
        "together" => Together,
        /// As a Poisson process: the time between two is exponential. Those that come after the end of the run do not start.
        "poisson" => Poisson(Poisson),
        /// At a fixed interval, the first at once.
        "staggered" => Staggered(Staggered),
    }
}

record! {
    /// A Poisson process.
    pub struct Poisson {
        /// Starts per second, on average.
        rate: f64 = required(real(1e-6, 1e6));
    }
}

record! {
    /// Starts at a fixed interval.
    pub struct Staggered {
        /// From one start to the next.
        interval: Nanos = required(time().positive());
    }
}

/// The restarts after idle by name.
fn restart() -> OneOf<Restart> {
    let options = [
        ("off", Restart::Off, "the window stays"),
        ("rfc5681", Restart::Rfc5681, "cwnd falls to the initial window, ssthresh stays (RFC 5681 section 4.1)"),
        ("lowers-ssthresh", Restart::LowersSsthresh, "a known mistake: as rfc5681, and ssthresh falls to cwnd"),
        ("raises-ssthresh", Restart::RaisesSsthresh, "a known mistake: as rfc5681, and ssthresh becomes infinite"),
    ];
    one_of("restart after idle", options)
}

/// The rules of the retransmission timeout by name.
fn rto_rule() -> OneOf<RtoRule> {
    let options = [
        ("rfc6298", RtoRule::Rfc6298, "SRTT + 4*RTTVAR, at least min_rto"),
        ("linux", RtoRule::Linux, "SRTT + RTTVAR, RTTVAR at least min_rto and slow to fall, as Linux has it"),
        ("ns2", RtoRule::Ns2, "SRTT + 4*RTTVAR in ticks of 10 ms, of one segment at a time, as ns-2 has it"),
    ];
    one_of("timeout rule", options)
}

/// What may be done about ECN, by name.
fn ecn() -> OneOf<EcnMode> {
    let options = [
        ("off", EcnMode::Off, "none"),
        ("passive", EcnMode::Passive, "RFC 3168 where the peer asks for it"),
        ("classic", EcnMode::Classic, "RFC 3168, asked for"),
        ("accurate", EcnMode::Accurate, "Accurate ECN (RFC 9768), asked for"),
        ("dctcp", EcnMode::Dctcp, "each mark echoed, and every segment ECT(0) (DCTCP, RFC 8257); at both ends"),
        ("l4s", EcnMode::L4s, "Accurate ECN with data as ECT(1), for the L queue (RFC 9331)"),
    ];
    one_of("ECN mode", options)
}

record! {
    /// What an earlier connection learnt of a path (RFC 9959 section 3.1).
    pub struct CarefulResume {
        /// The volume that was delivered in a round-trip time.
        cwnd: u64 = required(volume().positive());
        /// The smallest round-trip time.
        rtt: Nanos = required(time().positive());
        /// The most that the window jumps to; half of cwnd is never exceeded.
        max_jump: Option<u64> = optional("half of cwnd", volume().positive());
    }
}

union! {
    /// Pacing of a sender.
    pub enum Pacing, otherwise None, {
        /// Segments leave as soon as the window allows.
        "off" => Off,
        /// Segments are spread over the smoothed RTT as Linux's FQ queue discipline does it.
        "fq" => Fq(Fq),
    }
}

record! {
    /// Pacing as Linux's FQ queue discipline does it, at gain * cwnd / SRTT.
    pub struct Fq {
        /// Gain in slow start, per cent.
        slow_start_percent: u32 = default(200, count("per cent", 1, 100_000));
        /// Gain in congestion avoidance, per cent.
        avoidance_percent: u32 = default(120, count("per cent", 1, 100_000));
        /// How much may leave back to back after idle.
        quantum: Amount = default("2 packets", spelled());
    }
}

record! {
    /// What is recorded besides the summaries.
    pub struct Probes {
        /// Whether the senders' windows are recorded over time.
        window: bool = default(false, Flag);
        /// Whether every segment sent, dropped and delivered is recorded, with its SACK blocks.
        packets: bool = default(false, Flag);
        /// Whether every expiry of a retransmission timer is recorded, and whether it was spurious.
        timeouts: bool = default(false, Flag);
        /// Whether the one-way delays of the packets with payload that sinks receive are summed up for every flow.
        delays: bool = default(false, Flag);
        /// Whether the packets and bytes that wait before each link are recorded at the interval, how long they wait, and what it could send.
        queues: bool = default(false, Flag);
        /// Whether the bytes that sinks receive in each interval are recorded for every flow.
        rates: bool = default(false, Flag);
        /// Least time between two records of a flow's window, where zero records every acknowledgment; the time between two of queues and rates.
        interval: Nanos = default("10ms", time());
        /// When recording starts.
        from: Nanos = default("0s", time());
        /// When recording ends.
        to: Option<Nanos> = optional("the end of the run", time().positive());
    }
}
