//! The packets that a flow may exchange within a time, as far as its application and its own path determine them.

use ackclock_app::Demand;
use ackclock_core::headers::TCP_IPV4;
use ackclock_core::{Distribution, Nanos};
use ackclock_tcp::cc::Algorithm;

use super::{CONTROL, OFFERED, RETRANSMITTED};
use crate::graph::Hop;
use crate::impairments::Loss;
use crate::link::{Direction, LinkRate, Plain, VaryingRate};
use crate::model::{Flow, Scenario};

/// Ratio of the packets that a congestion control may send under random loss to those of its response function.
const RESPONSE: f64 = 4.0;
/// Ratio of the volume that a cellular link may carry in a run to that of its mean rate, since its rate is drawn.
const CELLULAR: f64 = 1.5;
/// Mean number of losses after which a flow has had its first loss, with a probability of 1 in 20,000 to the contrary.
const UNTIL_LOSS: f64 = 10.0;
/// Ratio of the packets that a connection may send in slow start to those of a window that doubles in each round trip.
const SLOW_START: f64 = 2.0;
/// The congestion controls whose windows follow the response functions of Reno and CUBIC, with default parameters.
const LOSS_BASED: [&str; 6] =
    ["reno-rfc5681", "reno-linux", "reno-ns2", "cubic-linux", "cubic-rfc8312", "cubic-rfc9438"];

/// A part of a run: its end, and the time within it that counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub until: Nanos,
    pub length: Nanos,
}

impl Span {
    /// Returns the volume in bits that a rate carries in the span. A rate that varies may carry the volume of the whole run
    /// in it.
    pub fn bits(self, rate: &LinkRate, duration: Nanos) -> f64 {
        let length = if matches!(rate, Plain::Always(_)) { self.length } else { duration };
        let drawn = if matches!(rate, Plain::Varying(VaryingRate::Cellular(_))) { CELLULAR } else { 1.0 };
        drawn * rate.mean(duration).bits() as f64 * length as f64 / 1e9
    }
}

/// The packets of each copy of a flow.
pub(super) struct Traffic {
    /// The links of its forward route and of its return route.
    pub routes: [Vec<Hop>; 2],
    /// Packets with payload from the source (`forward`) and from the sink (`reverse`), and packets without payload that
    /// acknowledge none (`control`), those from both ends.
    pub forward: f64,
    pub reverse: f64,
    pub control: f64,
    /// Round trips of all connections together.
    pub rounds: f64,
    /// Size of a TCP packet on the wire, in bytes.
    pub size: f64,
    pub datagrams: f64,
    /// Copies of a packet that links make, per packet.
    pub duplicates: f64,
    pub demand: Demand,
    pub copies: f64,
}

impl Traffic {
    pub fn of(scenario: &Scenario, flow: &Flow, span: Span) -> Traffic {
        let all = scenario.all_routes(flow);
        let access = scenario.access_of(flow).rate.resolved(scenario.rate());
        let rate = scenario.rate_over(&all, access);
        let path = scenario.path(flow, rate);
        let active = span.until.saturating_sub(flow.start);
        let demand = flow.app.demand(active as f64 / 1e9, path);
        let mss = f64::from(flow.mss(scenario.packet_size).max(1));
        let size = mss + f64::from(TCP_IPV4);
        // Either direction carries no more packets than its slowest link has room for the headers.
        let slowest = |route: &[Hop]| {
            let bits = |hop: &Hop| span.bits(scenario.direction(hop).rate, scenario.duration);
            let links = route.iter().map(bits).fold(f64::INFINITY, f64::min);
            OFFERED * links.min(access.bits() as f64 * span.length as f64 / 1e9) / 8.0
        };
        let volumes = |side: usize| all.iter().map(|routes| slowest(&routes[side])).sum::<f64>();
        let [there, back] = [volumes(0), volumes(1)];
        let paths = all.len() as f64;
        let most = |volume: f64| volume / f64::from(TCP_IPV4) + 1.0;
        let lost = all.iter().map(|routes| scenario.random_loss(&routes[0])).fold(1.0, f64::min);
        let resent = RETRANSMITTED / (1.0 - lost).max(0.01);
        let packets = |bytes: f64, messages: f64| (bytes / mss + messages) * resent;
        let rtt = scenario.least_rtt(flow) as f64 / 1e9 + size * 8.0 / rate.bits() as f64;
        let busy = active.min(span.length) as f64 / 1e9;
        let rounds = paths * (demand.open.min(demand.connections) * busy / rtt + demand.connections);
        let limited =
            rounds.mul_add(window(scenario, flow, lost, rtt), paths * first_window(scenario, flow, lost, &demand));
        let started = paths * demand.connections * slow_start(scenario, flow, busy / rtt);
        Traffic {
            forward: packets(demand.bytes, demand.messages)
                // The load of a single flow is limited by its own path.
                .min(there / size + demand.messages * resent + 1.0)
                .min((limited.min(started) + demand.messages) * resent)
                .min(most(there)),
            reverse: packets(demand.reverse_bytes, demand.reverse_messages).min(most(back)),
            control: (paths * demand.connections * CONTROL).min(most(there) + most(back)),
            rounds,
            // Of several paths, that with most links stands for all.
            routes: all.into_iter().max_by_key(|routes| routes[0].len()).unwrap_or_default(),
            size,
            datagrams: demand.datagrams,
            duplicates: scenario.duplicates(flow),
            demand,
            copies: f64::from(flow.count),
        }
    }

    /// Returns the numbers of the scenario's links on the forward route and on the return route.
    pub fn links(&self) -> [f64; 2] {
        self.routes.each_ref().map(|route| route.len() as f64)
    }
}

/// Returns the largest mean window in packets that the receiver's window allows, and the response function of the
/// congestion control to random losses, once a connection has had its first loss.
fn window(scenario: &Scenario, flow: &Flow, lost: f64, rtt: f64) -> f64 {
    if flow.other_transport().is_some() {
        return f64::INFINITY;
    }
    let tcp = flow.tcp_config(scenario.packet_size);
    let received = tcp.receive_buffer.max(tcp.receive_buffer_max) as f64 / f64::from(tcp.mss.max(1)) + 1.0;
    if !responds(flow, &tcp.cc) || lost <= 0.0 {
        return received;
    }
    // The windows of Reno (Mathis et al., CCR 27(3), 1997) and of CUBIC (RFC 9438, section 5.1).
    let reno = 1.22 / lost.sqrt();
    let cubic = 1.054 * libm::pow(rtt / lost, 0.75);
    received.min(RESPONSE * reno.max(cubic).max(2.0))
}

/// Returns the packets that all connections of a flow send before their first losses, if [`window`] depends on losses.
fn first_window(scenario: &Scenario, flow: &Flow, lost: f64, demand: &Demand) -> f64 {
    let tcp = flow.tcp_config(scenario.packet_size);
    let initial = tcp.initial_window.bytes(u64::from(tcp.mss.max(1))) as f64 / f64::from(tcp.mss.max(1));
    let until_loss = if lost > 0.0 && responds(flow, &tcp.cc) { UNTIL_LOSS / lost } else { 0.0 };
    demand.connections * (initial + until_loss)
}

/// Returns the packets that a connection of Reno or CUBIC sends within a number of round trips, in each of which its window
/// grows at most twofold; infinite for others.
fn slow_start(scenario: &Scenario, flow: &Flow, rounds: f64) -> f64 {
    let tcp = flow.tcp_config(scenario.packet_size);
    if !responds(flow, &tcp.cc) || tcp.careful_resume.is_some() {
        return f64::INFINITY;
    }
    let mss = f64::from(tcp.mss.max(1));
    SLOW_START * (tcp.initial_window.bytes(u64::from(tcp.mss.max(1))) as f64 / mss) * libm::exp2(rounds + 1.0)
}

/// Whether the congestion control of a flow follows one of the response functions.
fn responds(flow: &Flow, cc: &Algorithm) -> bool {
    let is_plain = flow.cc.as_ref().is_none_or(|given| given.parameters.is_empty() && given.registered().is_none());
    is_plain && flow.other_transport().is_none() && LOSS_BASED.contains(&&**cc.name())
}

impl Scenario {
    fn direction(&self, hop: &Hop) -> Direction<'_> {
        let link = self.link(hop.link);
        if hop.reverse { link.reverse() } else { link.forward() }
    }

    /// Returns the probability that a packet is lost at random on a route, by loss or corruption; losses of other kinds
    /// do not count.
    fn random_loss(&self, route: &[Hop]) -> f64 {
        let survives = |loss: &Loss| match loss {
            Loss::Random(chance) => 1.0 - chance.probability as f64 / 1e9,
            _ => 1.0,
        };
        let passes = |hop: &Hop| {
            let direction = self.direction(hop);
            survives(direction.loss) * direction.corruption.map_or(1.0, survives)
        };
        1.0 - route.iter().map(passes).product::<f64>()
    }

    /// Returns the largest mean number of copies that links of a flow's routes make of one packet.
    fn duplicates(&self, flow: &Flow) -> f64 {
        let copies = |hop: &Hop| match self.direction(hop).duplication {
            None => 1.0,
            Some(Loss::Random(chance)) => 1.0 + chance.probability as f64 / 1e9,
            Some(_) => 2.0,
        };
        let routes = self.all_routes(flow);
        routes.iter().flatten().map(|route| route.iter().map(copies).product::<f64>() - 1.0).fold(0.0, f64::max)
    }

    /// Returns the shortest round-trip propagation delay of a flow's path during the run, in nanoseconds.
    fn least_rtt(&self, flow: &Flow) -> Nanos {
        let access = self.access_of(flow);
        let ends = [&access.source_delay, &access.sink_delay].map(|delay| match delay.distribution() {
            Distribution::Constant(delay) => delay,
            _ => 0,
        });
        let least = |routes: &[Vec<Hop>; 2]| {
            let delays = routes.iter().flatten().map(|hop| self.direction(hop).delay.least());
            delays.fold(2 * (ends[0] + ends[1]), Nanos::saturating_add)
        };
        self.all_routes(flow).iter().map(least).min().unwrap_or(0)
    }
}
