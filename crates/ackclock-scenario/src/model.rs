//! The fields of a scenario. Each field is defined once, here; the reader, the schema and the reference follow from
//! this list.

use ackclock_tcp::config::{EcnMode, Handshake, Restart, RtoRule, WindowUnit};
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

/// Minimum payload of a full segment, in bytes.
pub(super) const LEAST_MSS: u64 = 64;
/// Stack of flows that name none.
pub(super) const STACK: &str = "linux";
/// Maximum number of flows in a run; each copy counts.
pub(super) const MAX_FLOWS: u32 = 1_000_000;
/// The largest receive window that window scaling can advertise, in bytes (RFC 7323 section 2.3).
const MOST_RECEIVE_BUFFER: u64 = 1 << 30;

record! {
    /// A network, the flows over it and the data to record.
    pub struct Scenario {
        /// Name of the scenario in output.
        name: String = default("scenario", Label);
        /// Simulated time that the run lasts.
        duration: Nanos = required(time().positive());
        /// Seed of all random draws.
        seed: u64 = default(1, count("", 0, u64::MAX));
        /// IP packet size of a full segment, headers included.
        packet_size: u32 = default("1500B", volume().within(LEAST_MSS + TCP_IPV4 as u64, 65_535));
        /// The link that all flows share, from node left to node right.
        bottleneck: Bottleneck = required(table());
        /// Links besides the bottleneck, with the nodes that they join.
        links: Option<Vec<Link>> = optional("none", list("link", table()));
        /// The access links, which connect each flow's source and sink with the network; every flow has one on each
        /// side.
        access: Access = default(json!({}), table());
        /// The flows, each with its application and its TCP.
        flows: Vec<Flow> = required(list("flow", table()));
        /// The data to record besides the summaries.
        probes: Probes = default(json!({}), table());
    }
}

record! {
    /// The access links of every flow.
    pub struct Access {
        /// Rate of both links in both directions.
        rate: AccessRate = default("10x", spelled());
        /// Propagation delay between the source and the bottleneck, one way, drawn once for every flow.
        source_delay: Random<Delay> = default("0s", drawn());
        /// Propagation delay between the bottleneck and the sink, one way, drawn once for every flow.
        sink_delay: Random<Delay> = default("0s", drawn());
    }
}

record! {
    /// The access links of one flow, where they differ from the scenario's.
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
    /// A flow, or several copies of it: an application at both ends and the TCP below it.
    pub struct Flow {
        /// Name in output, which has to be unique; several copies are called name.0, name.1, and so on.
        name: String = numbered("flow", Label);
        /// Number of copies of the flow.
        count: u32 = default(1, count("copies", 1, MAX_FLOWS as u64));
        /// Application of the flow.
        app: App = required(tagged());
        /// Start time of the flow.
        start: Nanos = default("0s", time());
        /// Maximum extra start delay of each copy, drawn uniformly from zero to this value for each copy.
        start_jitter: Nanos = default("0s", time());
        /// Maximum extra start delay that all copies share, drawn once, uniformly from zero to this value.
        group_jitter: Nanos = default("0s", time());
        /// Pattern of the copies' start times, relative to the time that start and the jitters give.
        arrival: Option<Arrival> = optional("all copies at once", tagged());
        /// Traffic class of the flow's packets, 0 being the most urgent; only queues that tell classes apart use it.
        class: u8 = default(0, count("", 0, 7));
        /// Nodes on the forward route, from the source's side to the sink's; the access links are added at both ends.
        route: Option<Vec<String>> = optional("from left to right", list("node", Label));
        /// Nodes on the return route, from the sink's side to the source's.
        return_route: Option<Vec<String>> = optional("those of route, backwards", list("node", Label));
        /// Access links of this flow, where they differ from the scenario's.
        access: Option<FlowAccess> = optional("the scenario's access", table());
        /// Named stack, which supplies the values of the fields below that are not given.
        stack: String = default(STACK, one_of("stack", stack::CATALOGUE.iter().map(|s| (s.name, s.name.to_owned(), s.summary))));
        /// Congestion control algorithm. The name of a family such as `cubic` means the form of the stack: Linux's module on
        /// the stack linux, the form of the RFC or the paper on the stack rfc.
        cc: Option<CongestionControl> = optional("the stack's", congestion_control());
        /// Method of congestion window validation.
        validation: Option<String> = optional(
            "the stack's",
            one_of("window validation", validation::CATALOGUE.iter().map(|e| (e.name, e.name.to_owned(), e.summary)))
        );
        /// Method of slow start.
        slow_start: Option<String> = optional(
            "the stack's; on Linux's stacks, hystart for CUBIC and linux for all others",
            one_of("slow start", slow_start::CATALOGUE.iter().map(|e| (e.name, e.name.to_owned(), e.summary)))
        );
        /// Path parameters that an earlier connection measured, for Careful Resume (RFC 9959).
        careful_resume: Option<CarefulResume> = optional("nothing is known", table());
        /// Pacing of the sender's segments.
        pacing: Option<Pacing> = optional("the stack's", tagged());
        /// Initial window in full segments, whatever their size. Each stack has its own default: rfc and freebsd follow
        /// RFC 6928, linux uses ten segments, ns2-sack two (`ackclock list stack`).
        initial_window: Option<u32> = optional("the stack's", count("segments", 1, 65_535));
        /// Retransmission timeout before the first RTT sample (RFC 6298).
        initial_rto: Option<Nanos> = optional("the stack's", time().positive());
        /// Minimum retransmission timeout.
        min_rto: Option<Nanos> = optional("the stack's", time().positive());
        /// Maximum retransmission timeout.
        max_rto: Option<Nanos> = optional("the stack's", time().positive());
        /// Rule that computes the retransmission timeout from the RTT samples.
        rto_rule: Option<RtoRule> = optional("the stack's", rto_rule());
        /// Whether the TCP timestamps option is offered (RFC 7323); it takes 12 bytes of each segment.
        timestamps: Option<bool> = optional("the stack's", Flag);
        /// Whether selective acknowledgments are offered (RFC 2018).
        sack: Option<bool> = optional("the stack's", Flag);
        /// Whether duplicate segments are reported by D-SACK (RFC 2883).
        dsack: Option<bool> = optional("the stack's", Flag);
        /// Algorithm of loss recovery, which decides what is sent during recovery and how fast.
        recovery: Option<String> = optional(
            "the stack's",
            one_of("recovery", recovery::CATALOGUE.iter().map(|e| (e.name, e.name.to_owned(), e.summary)))
        );
        /// A segment counts as lost after this number of duplicate ACKs, or of SACKed segments above it (RFC 5681,
        /// RFC 6675).
        dup_thresh: Option<u32> = optional("the stack's", count("segments", 1, 300));
        /// Whether observed reordering raises dup_thresh, as in Linux.
        adapt_dup_thresh: Option<bool> = optional("the stack's", Flag);
        /// Unit in which the sender counts its window.
        window_unit: Option<WindowUnit> = optional("the stack's", window_unit());
        /// Whether the first duplicate ACKs trigger new segments (limited transmit, RFC 3042).
        limited_transmit: Option<bool> = optional("the stack's", Flag);
        /// Whether fewer duplicate ACKs suffice while less than four segments are outstanding (early retransmit, RFC
        /// 5827).
        early_retransmit: Option<bool> = optional("the stack's", Flag);
        /// Whether losses are detected by time instead of by counting duplicate ACKs (RACK, RFC 8985).
        rack: Option<bool> = optional("the stack's", Flag);
        /// Whether a tail loss probe is sent when the last segments of a flight are not acknowledged (TLP, RFC 8985
        /// section 7).
        tlp: Option<bool> = optional("the stack's", Flag);
        /// Whether the sender waits for two ACKs after a timeout before it marks all outstanding segments lost (F-RTO,
        /// RFC 5682).
        frto: Option<bool> = optional("the stack's", Flag);
        /// Whether a recovery is undone when D-SACKs show that it was spurious.
        dsack_undo: Option<bool> = optional("the stack's", Flag);
        /// Whether a recovery is undone when timestamps show that it was spurious (Eifel, RFC 3522 and RFC 4015).
        eifel: Option<bool> = optional("the stack's", Flag);
        /// Mode of Explicit Congestion Notification (ECN).
        ecn: Option<EcnMode> = optional("the stack's", ecn());
        /// Whether a CE mark reduces the window by less than a loss does (ABE, RFC 8511).
        abe: Option<bool> = optional("the stack's", Flag);
        /// Whether small segments are delayed while data is outstanding (Nagle, RFC 9293 section 3.7.4).
        nagle: Option<bool> = optional("the stack's", Flag);
        /// Maximum size of one write of the application: TCP sends what it can after each write, so that the end of a write
        /// can be a small segment.
        write_size: Option<u64> = optional("the stack's, which has no maximum", volume().positive());
        /// How connections begin: none is for studies that ran in ns-2, whose one-way agents have no handshake.
        handshake: Option<Handshake> = optional("the stack's", handshake());
        /// Whether data may ride on the ACK that completes the handshake. If not, that ACK is sent by itself before the
        /// first data, as after connect() and write().
        handshake_data: Option<bool> = optional("the stack's", Flag);
        /// Size of the receive buffer, which limits the advertised window.
        receive_buffer: Option<u64> = optional("the stack's", volume().within(LEAST_MSS, MOST_RECEIVE_BUFFER));
        /// Maximum size to which auto-tuning may raise the receive buffer.
        receive_buffer_max: Option<u64> = optional("the stack's; receive_buffer where that is given", volume().within(LEAST_MSS, MOST_RECEIVE_BUFFER));
        /// Maximum delay of an acknowledgment, below 500ms; with zero every segment is acknowledged at once.
        delayed_ack: Option<Nanos> = optional("the stack's", time());
        /// Number of full-sized segments after which an acknowledgment is sent at once.
        ack_every: Option<u32> = optional("the stack's", count("segments", 1, 65_535));
        /// Number of segments that are acknowledged at once at the start of a connection and after an idle period.
        quick_acks: Option<u32> = optional("the stack's", count("segments", 0, 65_535));
        /// Treatment of the congestion window after an idle period longer than the retransmission timeout.
        restart_after_idle: Option<Restart> = optional("the stack's; off with a validation that replaces it", restart());
        /// Payload of a full segment (maximum segment size).
        mss: Option<u32> = optional("packet_size less 40B", volume().within(LEAST_MSS, 65_495));
    }
}

union! {
    /// Start times of a flow's copies.
    pub enum Arrival, otherwise None, {
        /// All copies start at once.
        "together" => Together,
        /// Copies start as a Poisson process: the time between two starts is exponential. Copies whose start would come
        /// after the end of the run do not start.
        "poisson" => Poisson(Poisson),
        /// Copies start at a fixed interval, the first at once.
        "staggered" => Staggered(Staggered),
    }
}

record! {
    /// Starts as a Poisson process.
    pub struct Poisson {
        /// Mean number of starts per second.
        rate: f64 = required(real(1e-6, 1e6));
    }
}

record! {
    /// Starts at a fixed interval.
    pub struct Staggered {
        /// Time from one start to the next.
        interval: Nanos = required(time().positive());
    }
}

/// Returns the choices of restart_after_idle by name.
fn restart() -> OneOf<Restart> {
    let options = [
        ("off", Restart::Off, "the window stays"),
        ("rfc5681", Restart::Rfc5681, "cwnd falls to the initial window, ssthresh stays (RFC 5681 section 4.1)"),
        ("lowers-ssthresh", Restart::LowersSsthresh, "a known mistake: as rfc5681, and ssthresh falls to cwnd"),
        ("one-segment", Restart::OneSegment, "cwnd falls to one segment, ssthresh stays, as in ns-2"),
        ("raises-ssthresh", Restart::RaisesSsthresh, "a known mistake: as rfc5681, and ssthresh becomes infinite"),
    ];
    one_of("restart after idle", options)
}

/// Returns the beginnings of a connection by name.
fn handshake() -> OneOf<Handshake> {
    let options = [
        ("three-way", Handshake::ThreeWay, "SYN, SYN-ACK and ACK (RFC 9293)"),
        ("none", Handshake::None, "both ends are established at once, as in ns-2; no Accurate ECN"),
    ];
    one_of("handshake", options)
}

/// Returns the units of the window by name.
fn window_unit() -> OneOf<WindowUnit> {
    let options = [
        ("bytes", WindowUnit::Bytes, "bytes, so that a window may contain a part of a segment (RFC 5681)"),
        ("segments", WindowUnit::Segments, "whole segments, as in Linux: small segments count as full ones"),
    ];
    one_of("window unit", options)
}

/// Returns the rules of the retransmission timeout by name.
fn rto_rule() -> OneOf<RtoRule> {
    let options = [
        ("rfc6298", RtoRule::Rfc6298, "SRTT + 4*RTTVAR, at least min_rto"),
        ("linux", RtoRule::Linux, "SRTT + RTTVAR, RTTVAR at least min_rto and slow to fall, as Linux has it"),
        ("ns2", RtoRule::Ns2, "SRTT + 4*RTTVAR in ticks of 10 ms, of one segment at a time, as ns-2 has it"),
        (
            "ns2-100us",
            RtoRule::Ns2Fine,
            "as ns2 with ns-2's timestamps: a sample with every new ACK, in ticks of 0.1 ms",
        ),
        ("ns2-linux", RtoRule::Ns2Linux, "as ns2-100us in ticks of 1 ms, and a falling RTT hardly raises RTTVAR"),
    ];
    one_of("timeout rule", options)
}

/// Returns the modes of ECN by name.
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
    /// Path parameters that an earlier connection measured (RFC 9959 section 3.1).
    pub struct CarefulResume {
        /// Volume that was delivered in one round-trip time.
        cwnd: u64 = required(volume().positive());
        /// Minimum round-trip time that was measured.
        rtt: Nanos = required(time().positive());
        /// Maximum window to which the jump leads; the window never jumps above half of cwnd.
        max_jump: Option<u64> = optional("half of cwnd", volume().positive());
    }
}

union! {
    /// Pacing of a sender's segments.
    pub enum Pacing, otherwise None, {
        /// Segments leave as soon as the window allows them.
        "off" => Off,
        /// Segments are spread over the smoothed RTT, as by Linux's FQ queue discipline.
        "fq" => Fq(Fq),
    }
}

record! {
    /// Pacing at the rate gain * cwnd / SRTT, as by Linux's FQ queue discipline.
    pub struct Fq {
        /// Gain in slow start, in per cent.
        slow_start_percent: u32 = default(200, count("per cent", 1, 100_000));
        /// Gain in congestion avoidance, in per cent.
        avoidance_percent: u32 = default(120, count("per cent", 1, 100_000));
        /// Volume that may leave back to back after an idle period.
        quantum: Amount = default("2 packets", spelled());
    }
}

record! {
    /// The data to record besides the summaries.
    pub struct Probes {
        /// Whether the congestion windows of the senders are recorded over time.
        window: bool = default(false, Flag);
        /// Whether every segment that is sent, dropped or delivered is recorded, with its SACK blocks.
        packets: bool = default(false, Flag);
        /// Whether every expiry of a retransmission timer is recorded, with whether it was spurious.
        timeouts: bool = default(false, Flag);
        /// Whether each flow's one-way delays are summarised, over the packets with payload that its sink receives.
        delays: bool = default(false, Flag);
        /// Whether each link's queue length in packets and bytes, its queueing delay and its available capacity are
        /// recorded at every interval.
        queues: bool = default(false, Flag);
        /// Whether the bytes that each flow's sink receives are recorded for every interval.
        rates: bool = default(false, Flag);
        /// Minimum time between two records of a flow's window; zero records every acknowledgment. It is also the
        /// interval of queues and rates.
        interval: Nanos = default("10ms", time());
        /// Time at which recording starts.
        from: Nanos = default("0s", time());
        /// Time at which recording ends.
        to: Option<Nanos> = optional("the end of the run", time().positive());
    }
}
