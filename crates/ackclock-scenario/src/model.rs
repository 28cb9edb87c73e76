//! The fields of a scenario. Each field is defined once, here; the reader, the schema and the reference follow from
//! this list.

use ackclock_tcp::config::{EcnMode, Handshake, Restart, RtoRule, WindowUnit};
use ackclock_tcp::recovery::Recovery;
use ackclock_tcp::settings::{Choice, Count, Switch, Time, Volume};
use ackclock_tcp::{Config, slow_start, stack, validation};
use serde_json::json;

use super::algorithm::{CongestionControl, congestion_control};
use super::bottleneck::{Bottleneck, Link};
use super::dscp;
use super::policer::Policer;
use super::reading::Reading;
use super::settings::Stated;
use super::spellings::{AccessRate, Amount};
use super::transport::{Transport, transport};
use super::tunnel::tunnelling;
use ackclock_app::App;
use ackclock_core::Nanos;
use ackclock_core::headers::TCP_IPV4;
use ackclock_net::Tunnelling;
use ackclock_schema::kinds::{Flag, Label, count, one_of, real, spelled, time, volume};
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
        /// The access links, which connect each flow's source and sink with the network; every host of a flow has one of
        /// its own. A flow has one host on each side, unless its application has several.
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
        /// Propagation delay between the source and the bottleneck, one way, drawn once for every source host.
        source_delay: Random<Delay> = default("0s", drawn());
        /// Propagation delay between the bottleneck and the sink, one way, drawn once for every sink host.
        sink_delay: Random<Delay> = default("0s", drawn());
        /// Policer where the source's packets enter the network.
        source_policer: Option<Policer> = optional("none", tagged());
        /// Policer where packets leave the network for the sink.
        sink_policer: Option<Policer> = optional("none", tagged());
        /// Policer where the sink's packets enter the network.
        reverse_sink_policer: Option<Policer> = optional("none", tagged());
        /// Policer where packets leave the network for the source.
        reverse_source_policer: Option<Policer> = optional("none", tagged());
        /// Whether the hosts' TCP hands large packets (GSO) to a link whose gso takes them.
        gso: Option<bool> = optional("true", Flag);
        /// Time for which a host's network card collects segments before the host merges them (GRO) and hands them to TCP.
        gro: Option<Nanos> = optional("segments arrive one by one", time().positive());
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
        /// Policer where the source's packets enter the network.
        source_policer: Option<Policer> = optional("as access.source_policer", tagged());
        /// Policer where packets leave the network for the sink.
        sink_policer: Option<Policer> = optional("as access.sink_policer", tagged());
        /// Policer where the sink's packets enter the network.
        reverse_sink_policer: Option<Policer> = optional("as access.reverse_sink_policer", tagged());
        /// Policer where packets leave the network for the source.
        reverse_source_policer: Option<Policer> = optional("as access.reverse_source_policer", tagged());
        /// Whether the hosts' TCP hands large packets (GSO) to a link whose gso takes them.
        gso: Option<bool> = optional("as access.gso", Flag);
        /// Time for which a host's network card collects segments before the host merges them (GRO) and hands them to TCP.
        gro: Option<Nanos> = optional("as access.gro", time().positive());
    }
}

/// Declares [`Flow`] with a field for each setting of TCP that scenarios have.
macro_rules! flow {
    (
        scenario { $($(#[doc = $doc:literal])+ $setting:ident: $Type:ty = $kind:expr $(, $absent:literal)?;)* }
        other { $($other:tt)* }
    ) => {
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
                /// Code point (DSCP) of the flow's packets in both directions; only queues that sort packets by it use it.
                dscp: u8 = default("CS0", one_of("code point", dscp::CODE_POINTS.iter().copied()));
                /// Name of the host at the source; flows with the same name share it in queues that share among hosts.
                source_host: Option<String> = optional("a host of its own for each copy", Label);
                /// Name of the host at the sink; flows with the same name share it in queues that share among hosts.
                sink_host: Option<String> = optional("a host of its own for each copy", Label);
                /// Nodes on the forward route, from the source's side to the sink's; the access links are added at both ends.
                route: Option<Vec<String>> = optional("from left to right", list("node", Label));
                /// Nodes on the return route, from the sink's side to the source's.
                return_route: Option<Vec<String>> = optional("those of route, backwards", list("node", Label));
                /// Changes of the route, in the order of their times.
                route_changes: Option<Vec<RouteChange>> = optional("none", list("change", table()));
                /// Paths of a transfer over several: each is a list of links by their names (`bottleneck` is one), from the
                /// source's side to the sink's. A connection then has a subflow of TCP on each path.
                paths: Option<Vec<Vec<String>>> = optional("one path, the route", list("path", list("link", Label)));
                /// A tunnel on a part of the route, in both directions.
                tunnel: Option<Tunnel> = optional("none", table());
                /// Access links of this flow, where they differ from the scenario's.
                access: Option<FlowAccess> = optional("the scenario's access", table());
                /// Reading pattern of the application at the sink, from which the receive window follows.
                reading: Option<Reading> = optional("at once", table());
                /// Reading pattern of the application at the source.
                source_reading: Option<Reading> = optional("at once", table());
                /// Transport of the flow. The fields below are TCP's; another transport has parameters of its own, which stand
                /// in its table.
                transport: Option<Transport> = optional("tcp, the TCP of this engine", transport());
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
                $(
                    $(#[doc = $doc])+
                    $setting: Option<$Type> = optional(concat!("the stack's" $(, $absent)?), $kind.stated());
                )*
                /// Treatment of the congestion window after an idle period longer than the retransmission timeout.
                restart_after_idle: Option<Restart> = optional("the stack's; off with a validation that replaces it", Choice.stated());
                /// Payload of a full segment (maximum segment size).
                mss: Option<u32> = optional("packet_size less 40B", volume().within(LEAST_MSS, 65_495));
            }
        }

        impl Flow {
            /// The fields that only TCP has.
            pub(super) const OF_TCP: &[&str] = &[
                "stack", "cc", "validation", "slow_start", "careful_resume", "pacing", "initial_window",
                $(stringify!($setting),)* "restart_after_idle", "mss",
            ];

            /// Replaces the settings that the flow gives.
            pub(super) fn replace_settings(&self, config: &mut Config) {
                $(if let Some(value) = self.$setting {
                    config.$setting = value;
                })*
            }
        }
    };
}
ackclock_tcp::settings!(flow);

record! {
    /// A tunnel on a part of a flow's route: packets have a further header there, whose ECN field is what queues mark.
    // The tables of packets, queues and captures have packets without that header.
    pub struct Tunnel {
        /// Node of the forward route at which the tunnel begins.
        from: Option<String> = optional("the first node of the route", Label);
        /// Node of the forward route at which the tunnel ends.
        to: Option<String> = optional("the last node of the route", Label);
        /// Bytes that the tunnel adds to each packet.
        header: u32 = default("20B", volume().within(1, 1000));
        /// Treatment of the ECN field at both ends.
        ecn: Tunnelling = default("normal", tunnelling());
        /// Name of the tunnel. Queues in the tunnel see the packets of all flows in tunnels of this name as one flow.
        name: Option<String> = optional("a tunnel of its own for each copy of the flow", Label);
    }
}

record! {
    /// A change of a flow's route at a time.
    pub struct RouteChange {
        /// Time of the change. Packets that are sent from then on take the new route; those on their way stay on theirs.
        at: Nanos = required(time().positive());
        /// Nodes on the new forward route. Both ends are those of the flow's route.
        route: Vec<String> = required(list("node", Label));
        /// Nodes on the new return route.
        return_route: Option<Vec<String>> = optional("those of the new route, backwards", list("node", Label));
        /// MTU of the new path, of which both hosts' TCP is told at once, as with a replaced route of Linux: later segments
        /// have at most this size, but never more than packet_size.
        mtu: Option<u32> = optional("as before", volume().within(LEAST_MSS + TCP_IPV4 as u64, 65_535));
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
        /// Data that is sent into an empty path is spread over one RTT (RFC 7661 section 4.4.2).
        "after-idle" => AfterIdle,
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
        /// Whether the time is summed for which each flow's senders were limited by the congestion window, the receive
        /// window, the send buffer, pacing or the application.
        limits: Option<bool> = optional("false", Flag);
        /// Minimum time between two records of a flow's window; zero records every acknowledgment. It is also the
        /// interval of queues and rates.
        interval: Nanos = default("10ms", time());
        /// Time at which recording starts.
        from: Nanos = default("0s", time());
        /// Time at which recording ends.
        to: Option<Nanos> = optional("the end of the run", time().positive());
    }
}
