//! Congestion control. Each algorithm has a file and a line in [`CATALOGUE`].

use std::borrow::Cow;
use std::sync::Arc;

use ackclock_core::Renamed;
use ackclock_core::parameters::{Given, milliseconds};

use crate::Rate;
use crate::context::{Ack, Cause, Congestion, Context, Delivery, Lost, RecoveryEnd, Window};
use crate::segment::HEADERS;

pub mod accepted;
mod balia;
mod bbr;
mod bbr1;
mod bic;
mod compound;
mod copa;
mod coupled;
mod cubic;
mod cubic_2_0;
mod cubic_rfc8312;
mod dctcp;
mod delayed_acks;
mod delays;
mod families;
mod fast;
mod fixed;
mod highspeed;
mod htcp;
mod hybla;
mod illinois;
mod increase;
mod ledbat;
mod ledbat_plus_plus;
mod lia;
mod linux;
mod lp;
#[cfg(test)]
mod path;
mod prague;
mod random;
pub mod remycc;
mod reno;
mod reno_ns2;
mod rounds;
mod rules;
mod scalable;
mod undo;
mod vegas;
mod veno;
mod westwood;
mod windowed;
mod xcp;
mod yeah;

pub use ackclock_core::parameters::{Otherwise, Parameter, Quantity};
pub use coupled::Sibling;
pub use cubic::Cubic;
pub use families::{FAMILIES, Family};
pub use reno::Reno;
pub use rules::{Ruled, Situation, WindowRules, seconds};

/// A congestion-control algorithm. It sets the [`Window`] and no other state of the sender.
///
/// The sender itself runs slow start while `cwnd < ssthresh` (see [`crate::slow_start`]) and reduces the window in
/// recoveries, unless [`CongestionControl::scope`] assigns these to the algorithm. Window validation decides whether
/// the window may grow. Windows are in bytes.
pub trait CongestionControl: Send {
    /// Brings the state into the processor's caches ([`ackclock_core::prefetch`]), if it is more than a few bytes.
    fn prefetch(&self) {}

    /// Sets the seed of an algorithm that draws random numbers: the initial sequence number, which differs between
    /// connections. Called before all other methods.
    fn seed(&mut self, _seed: u32) {}

    /// The SYN of the side that connects was acknowledged, with an RTT sample, before [`CongestionControl::on_start`].
    /// Linux tells its modules of this sample, and not of that of a SYN-ACK.
    fn on_syn_acknowledged(&mut self, _rtt: crate::Nanos) {}

    /// The connection is established. `window.cwnd` is the initial window.
    fn on_start(&mut self, _window: &mut Window, _ctx: &Context) {}

    /// New data was acknowledged outside recovery, and the window may grow. `acked` is the part of `ack.acked` that
    /// slow start has not used, in bytes.
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64);

    /// Responds to congestion: updates the state of the algorithm and returns the new slow-start threshold, in bytes.
    /// By default, the threshold is Reno's. Linux's `tcp_congestion_ops` has the same method.
    ///
    /// The defaults of [`CongestionControl::on_congestion`] and [`CongestionControl::on_timeout`] call this method, so
    /// that most algorithms define it and neither of the two.
    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        reno::half_flight(window, event)
    }

    /// Resets the state that must not survive a timeout. The default of [`CongestionControl::on_timeout`] calls this
    /// method at every timeout, after [`CongestionControl::ssthresh`].
    fn reset(&mut self, _ctx: &Context) {}

    /// Restores the algorithm's state before the last reduction. The default of [`CongestionControl::on_undo`] calls
    /// this method.
    fn revert(&mut self) {}

    /// Congestion other than a timeout was detected: a loss, or an echoed mark. Sets ssthresh, and sets cwnd to its
    /// value after the response; the recovery decides how cwnd gets there. By default, both become
    /// [`CongestionControl::ssthresh`].
    fn on_congestion(&mut self, window: &mut Window, event: &Congestion) {
        //= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
        //# but ssthresh MUST be reduced in response to congestion
        window.ssthresh = self.ssthresh(window, event);
        //= https://www.rfc-editor.org/rfc/rfc5681#section-4.3
        //# cwnd MUST be set to no more than ssthresh and congestion avoidance MUST be used to further increase cwnd
        //= https://www.rfc-editor.org/rfc/rfc6675#section-5
        //# ssthresh = cwnd = (FlightSize / 2)
        window.cwnd = window.ssthresh;
    }

    /// The retransmission timer expired. Sets ssthresh; the sender then sets cwnd to one segment (RFC 5681 section
    /// 3.1). `first` is false when the same segment times out again, for which RFC 5681 keeps ssthresh. By default,
    /// ssthresh becomes [`CongestionControl::ssthresh`] at the first timeout, and each timeout resets the algorithm.
    fn on_timeout(&mut self, window: &mut Window, event: &Congestion, first: bool) {
        //= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
        //# the value of ssthresh MUST be set to no more than the value given in equation (4)
        if first {
            window.ssthresh = self.ssthresh(window, event);
        }
        self.reset(&event.ctx);
    }

    /// The last reduction responded to a loss or timeout that proved spurious; `before` is the window before that
    /// reduction. By default, cwnd and ssthresh are restored where they are now smaller (RFC 4015 section 3.2, Linux
    /// tcp_reno_undo_cwnd), and the algorithm reverts its state.
    fn on_undo(&mut self, window: &mut Window, before: &Window) {
        restore(window, before);
        self.revert();
    }

    /// Fast recovery has ended. The window is that set by [`CongestionControl::on_congestion`], unless validation
    /// changed it.
    fn on_recovery_end(&mut self, _window: &mut Window, _end: &RecoveryEnd) {}

    /// Sending resumes after the sender had nothing outstanding for `idle` nanoseconds.
    fn on_idle_end(&mut self, _window: &mut Window, _ctx: &Context, _idle: crate::Nanos) {}

    /// Whether the algorithm requests a reduction of the window now, without a loss or a mark. The sender asks after
    /// each acknowledgment, and responds as to a mark: with [`Cause::Delay`], and by the
    /// reduction of its recovery. A request is ignored while losses are repaired or the window is being reduced. Only
    /// with [`Scope::reductions`].
    fn requests_reduction(&mut self) -> bool {
        false
    }

    /// Tasks that the algorithm performs itself, and events that it receives. Called once.
    fn scope(&self) -> Scope {
        Scope::default()
    }

    /// An acknowledgment reported deliveries, in any phase. Called before losses found by the same acknowledgment are
    /// answered, and before [`CongestionControl::on_ack`]. Only with [`Scope::deliveries`].
    fn on_delivery(&mut self, _window: &mut Window, _delivery: &Delivery) {}

    /// A segment is deemed lost. Called after [`CongestionControl::on_delivery`] of the acknowledgment that showed the
    /// loss. Only with [`Scope::losses`].
    fn on_lost(&mut self, _window: &mut Window, _lost: &Lost) {}

    /// A segment with payload was sent, as new data or as a retransmission. `ctx` is the state after sending. Only with
    /// [`Scope::sends`].
    fn on_sent(&mut self, _window: &mut Window, _ctx: &Context) {}

    /// Name of the algorithm's present state, such as a phase of BBR, for observers; `None` if its states have no names.
    fn state(&self) -> Option<Cow<'_, str>> {
        None
    }

    /// An acknowledgment carried the routers' feedback: the change of throughput that they grant in total, bytes per
    /// second, or `None` if no router answered. Called before [`CongestionControl::on_ack`]. Only with
    /// [`Scope::routers`].
    fn on_router_feedback(&mut self, _window: &mut Window, _ctx: &Context, _change: Option<i32>) {}

    /// The other subflows of the transfer over several paths to which this connection belongs. Called before each
    /// segment that arrives at a subflow. Only with [`Scope::coupled`].
    fn on_siblings(&mut self, _siblings: &[Sibling]) {}
}

/// Tasks that a congestion control performs itself, and events that it receives, in addition to congestion avoidance.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Scope {
    /// The algorithm also grows the window below ssthresh.
    pub slow_start: bool,
    /// The algorithm sets the window in every phase. Recoveries, timeouts and restarts after idle periods retransmit,
    /// but change the window only through the algorithm's responses to their events.
    pub window: bool,
    /// The algorithm receives every delivery.
    pub deliveries: bool,
    /// The algorithm receives every delivery with a sample of the delivery rate. Without samples, `rate` of a delivery
    /// is `None` and `lost` is 0.
    pub rates: bool,
    /// The algorithm receives every loss, and every delivery with a sample of the delivery rate.
    pub losses: bool,
    /// The algorithm receives every segment that is sent.
    pub sends: bool,
    /// The algorithm sets the pacing rate, so that its segments are paced whatever the setting of pacing is.
    pub paces: bool,
    /// The pacing rate determines the gap after the last segment: a delivery that changes the rate also changes the
    /// time of the next segment. For other algorithms, the rate at the time of a segment determines the gap after it.
    /// Only with `deliveries`.
    pub gap: bool,
    /// Segments request a change of throughput from the routers on their path, in XCP's header, and the algorithm
    /// receives the answers. ECN marks are not used.
    pub routers: bool,
    /// [`CongestionControl::on_ack`] is also called where window validation lets the window not grow. The algorithm must
    /// not grow the window then: `cwnd_limited` of the acknowledgment says whether the window may grow.
    pub every_ack: bool,
    /// The algorithm may request reductions ([`CongestionControl::requests_reduction`]).
    pub reductions: bool,
    /// The response to a mark is smaller than the response to a loss. A loss in the window of data in which a mark was
    /// answered is therefore answered as well; for other algorithms, such a loss counts as answered.
    pub proportional: bool,
    /// The module of Linux 2.6.22 has no `min_cwnd`: in ns-2's TCP/Linux a recovery sends what ssthresh allows. For other
    /// algorithms, it sends what half of ssthresh allows.
    pub keeps_threshold: bool,
    /// The algorithm is told of the other subflows of a transfer over several paths.
    pub coupled: bool,
}

impl Scope {
    /// The scope with all that its members imply: losses come with samples of the rate, and samples with deliveries.
    pub fn complete(self) -> Scope {
        let rates = self.rates || self.losses;
        Scope { rates, deliveries: self.deliveries || rates, ..self }
    }
}

/// Restores cwnd and ssthresh of the window `before`, unless the present values are larger.
pub(crate) fn restore(window: &mut Window, before: &Window) {
    //= https://www.rfc-editor.org/rfc/rfc9438#section-4.9.1
    //# a TCP implementation MAY follow the response algorithm described in [RFC4015] to restore the congestion
    //# control state
    window.cwnd = window.cwnd.max(before.cwnd);
    window.ssthresh = window.ssthresh.max(before.ssthresh);
}

/// The FlightSize with which a reduction starts, bytes. It is bounded by cwnd.
///
/// FlightSize can exceed cwnd: limited transmit and fast recovery send new data while snd_una does not advance. These
/// data were not in the network together with the rest; RFC 5681 section 3.2 excludes those of limited transmit.
/// Without the bound, a timeout that ends a fast recovery would set ssthresh to the window at which the overload began,
/// and the overload would recur.
pub(crate) fn loss_flight(window: &Window, event: &Congestion) -> u64 {
    //= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
    //# additional data sent in limited transmit MUST NOT be included in this calculation
    event.ctx.flight_size.min(window.cwnd)
}

/// Pacing rate at which segments of `mss` deliver `rate` bytes of payload per second. Pacing includes headers.
pub(crate) fn paced(rate: u64, mss: u64) -> Rate {
    let wire = u128::from(rate) * u128::from(mss + HEADERS) / u128::from(mss.max(1));
    Rate::of_bytes(u64::try_from(wire).unwrap_or(u64::MAX))
}

/// Whether the response to `event` follows ABE, which reduces less for a mark than for a loss (RFC 8511 section 3).
pub(crate) fn is_gentle(event: &Congestion) -> bool {
    event.abe && event.cause == Cause::Ecn
}

/// An entry of the catalogue.
pub struct Entry {
    /// Name in scenarios.
    pub name: &'static str,
    /// Short description of the algorithm.
    pub summary: &'static str,
    /// Paper, RFC, draft or code that specifies the algorithm.
    pub source: &'static str,
    /// Parameters that scenarios may set.
    pub parameters: &'static [Parameter],
    /// Creates the algorithm for a connection, with the parameters that are given.
    pub make: fn(Given<'_>) -> Box<dyn CongestionControl>,
}

/// A congestion control for connections: an entry of the catalogue with its parameters, or a custom algorithm.
#[derive(Clone)]
pub struct Algorithm {
    name: Arc<str>,
    make: Arc<dyn Fn() -> Box<dyn CongestionControl> + Send + Sync>,
    paces: bool,
}

impl Algorithm {
    /// An algorithm that is not in the catalogue. `make` creates it for a connection.
    pub fn custom(name: &str, make: impl Fn() -> Box<dyn CongestionControl> + Send + Sync + 'static) -> Algorithm {
        Algorithm { name: name.into(), make: Arc::new(make), paces: false }
    }

    /// The same algorithm, stated to set the pacing rate or not to set it ([`Scope::paces`]).
    #[must_use]
    pub fn pacing(self, paces: bool) -> Algorithm {
        Algorithm { paces, ..self }
    }

    /// An algorithm of the catalogue with the `given` parameters, and defaults for the others.
    ///
    /// # Errors
    ///
    /// A message with the accepted names or values if a name is unknown or a value is out of range.
    pub fn given(entry: &'static Entry, given: &[(&str, f64)]) -> Result<Algorithm, String> {
        let mut accepted = Vec::new();
        for &(name, value) in given {
            let Some(parameter) = entry.parameters.iter().find(|parameter| parameter.name == name) else {
                let names: Vec<&str> = entry.parameters.iter().map(|parameter| parameter.name).collect();
                let accepted = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
                return Err(format!("{} has no parameter {name}; it has {accepted}", entry.name));
            };
            let (least, most) = parameter.range;
            if !(least..=most).contains(&value) {
                return Err(format!("{name} of {} is {value}; accepted is {least} to {most}", entry.name));
            }
            accepted.push((parameter.name, value));
        }
        let paces = (entry.make)(&accepted).scope().paces;
        Ok(Algorithm::custom(entry.name, move || (entry.make)(&accepted)).pacing(paces))
    }

    /// Name of the algorithm.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Creates the algorithm for a connection.
    pub fn make(&self) -> Box<dyn CongestionControl> {
        (self.make)()
    }

    /// Whether the algorithm sets the pacing rate, as it was stated ([`Scope::paces`]).
    pub fn paces(&self) -> bool {
        self.paces
    }
}

impl From<&'static Entry> for Algorithm {
    fn from(entry: &'static Entry) -> Algorithm {
        Algorithm::custom(entry.name, move || (entry.make)(&[])).pacing((entry.make)(&[]).scope().paces)
    }
}

/// All algorithms, in the order of their names.
pub const CATALOGUE: &[Entry] = &[
    balia::ENTRY,
    bbr1::ENTRY,
    bbr::ENTRY,
    linux::BIC,
    bic::ENTRY,
    linux::CDG,
    compound::ENTRY,
    compound::TUNED,
    copa::ENTRY,
    cubic_2_0::ENTRY,
    linux::CUBIC_2_1,
    linux::CUBIC,
    cubic_rfc8312::ENTRY,
    cubic::ENTRY,
    linux::DCTCP,
    dctcp::ENTRY,
    fast::ENTRY,
    fixed::RATE,
    fixed::WINDOW,
    linux::HIGHSPEED,
    highspeed::ENTRY,
    linux::HTCP,
    htcp::ENTRY,
    linux::HYBLA,
    hybla::ENTRY,
    linux::ILLINOIS,
    illinois::ENTRY,
    ledbat::ENTRY,
    ledbat_plus_plus::ENTRY,
    lia::ENTRY,
    linux::LP,
    lp::ENTRY,
    linux::NV,
    prague::ENTRY,
    linux::RENO,
    reno_ns2::ENTRY,
    reno::ENTRY,
    linux::SCALABLE,
    scalable::ENTRY,
    linux::VEGAS_2_6,
    linux::VEGAS,
    vegas::ENTRY,
    linux::VENO,
    veno::ENTRY,
    linux::WESTWOOD,
    westwood::ENTRY,
    xcp::ENTRY,
    linux::YEAH,
    yeah::ENTRY,
];

/// The old names of algorithms, which scenarios may use for one release.
pub const RENAMED: &[Renamed] = &[];

/// The entry with a name; the name of a family means its standard form. [`crate::stack::Stack::form`] has the forms of
/// a stack.
pub fn by_name(name: &str) -> Option<&'static Entry> {
    let name = Family::by_name(name).map_or(name, |family| family.standard);
    CATALOGUE.iter().find(|entry| entry.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_sorted_unique_and_documented() {
        for pair in CATALOGUE.windows(2) {
            assert!(pair[0].name < pair[1].name, "{} before {}", pair[0].name, pair[1].name);
        }
        for entry in CATALOGUE {
            assert!(!entry.summary.is_empty() && !entry.source.is_empty(), "{}", entry.name);
            for parameter in entry.parameters {
                let (least, most) = parameter.range;
                let what = format!("{} of {}", parameter.name, entry.name);
                let default = parameter.default_value().expect("defaults are numbers");
                assert!(least < most && (least..=most).contains(&default), "{what}");
                assert!(!parameter.summary.is_empty(), "{what}");
            }
        }
    }
}
