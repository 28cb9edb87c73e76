//! Congestion control: one file an algorithm, one line in [`CATALOGUE`].

use std::sync::Arc;

use crate::context::{Ack, Cause, Congestion, Context, Delivery, Lost, RecoveryEnd, Window};
use crate::pacing::HEADERS;

mod bbr;
mod bbr1;
mod bic;
mod compound;
mod copa;
mod cubic;
mod cubic_2_0;
mod cubic_rfc8312;
mod dctcp;
mod delays;
mod fast;
mod fixed;
mod highspeed;
mod htcp;
mod hybla;
mod illinois;
mod increase;
mod ledbat;
mod ledbat_plus_plus;
mod lp;
#[cfg(test)]
mod path;
mod prague;
mod random;
pub mod remycc;
mod reno;
mod rounds;
mod rules;
mod scalable;
mod vegas;
mod veno;
mod westwood;
mod windowed;
mod xcp;
mod yeah;

pub use cubic::Cubic;
pub use reno::Reno;
pub use rules::{Ruled, Situation, WindowRules, seconds};

/// A congestion-control algorithm. It owns [`Window`] and nothing else of the sender.
///
/// The sender runs slow start itself (see [`crate::slow_start`]) while `cwnd < ssthresh`, and brings the window down in
/// recoveries, unless [`CongestionControl::scope`] says that the algorithm does; window validation decides whether the
/// window may grow at all. Windows are in bytes.
pub trait CongestionControl: Send {
    /// What distinguishes this connection from others of the same kind, for algorithms that draw lots: its initial sequence
    /// number. Before anything else.
    fn seed(&mut self, _seed: u32) {}

    /// The connection is established: `window.cwnd` is the initial window.
    fn on_start(&mut self, _window: &mut Window, _ctx: &Context) {}

    /// New data was acknowledged outside recovery and the window may grow. `acked` is the part of `ack.acked` that slow
    /// start has not used.
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64);

    /// Congestion other than a timeout: loss was found, or a mark was echoed. Set ssthresh, and cwnd to where it is to be when
    /// the congestion has been answered; how it gets there belongs to the recovery.
    fn on_congestion(&mut self, window: &mut Window, event: &Congestion);

    /// The retransmission timer expired: set ssthresh; the sender then sets cwnd to one segment (RFC 5681 section 3.1).
    /// `first` is false when the same segment times out again, where RFC 5681 keeps ssthresh.
    fn on_timeout(&mut self, window: &mut Window, event: &Congestion, first: bool);

    /// The last reduction was for a loss or timeout that did not happen: `before` is the window that it found. By default that
    /// window is restored, as far as the present one is not larger (RFC 4015 section 3.2, Linux tcp_reno_undo_cwnd).
    fn on_undo(&mut self, window: &mut Window, before: &Window) {
        restore(window, before);
    }

    /// Fast recovery has ended. The window is that left by [`CongestionControl::on_congestion`] unless validation moved it.
    fn on_recovery_end(&mut self, _window: &mut Window, _end: &RecoveryEnd) {}

    /// Sending resumes after the sender had nothing outstanding for `idle` nanoseconds.
    fn on_idle_end(&mut self, _window: &mut Window, _ctx: &Context, _idle: crate::Nanos) {}

    /// What the algorithm does itself, and what it is to be told. Asked once.
    fn scope(&self) -> Scope {
        Scope::default()
    }

    /// An acknowledgment told of deliveries, in whatever phase; before losses that it shows are answered, and before
    /// [`CongestionControl::on_ack`]. Only with [`Scope::deliveries`].
    fn on_delivery(&mut self, _window: &mut Window, _delivery: &Delivery) {}

    /// A segment is deemed lost; after [`CongestionControl::on_delivery`] of the acknowledgment that showed it. Only with
    /// [`Scope::losses`].
    fn on_lost(&mut self, _window: &mut Window, _lost: &Lost) {}

    /// A segment with payload was sent, for the first time or again; `ctx` is the state after. Only with [`Scope::sends`].
    fn on_sent(&mut self, _window: &mut Window, _ctx: &Context) {}

    /// An acknowledgment brought what routers have answered, summed: the change of the throughput that they grant, bytes per
    /// second; `None` where none is there to answer. Before [`CongestionControl::on_ack`]. Only with [`Scope::routers`].
    fn on_router_feedback(&mut self, _window: &mut Window, _ctx: &Context, _change: Option<i32>) {}
}

/// What a congestion control does itself beyond avoidance, and what it is told beyond the events that every one is told.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Scope {
    /// It grows the window below ssthresh, too.
    pub slow_start: bool,
    /// The window is as it says in every phase: recoveries, timeouts and restarts after idle retransmit, but move it only as
    /// far as the algorithm answers their events.
    pub window: bool,
    /// It is told of every delivery, with a sample of the delivery rate.
    pub deliveries: bool,
    /// It is told of every loss, and of every delivery.
    pub losses: bool,
    /// It is told of every segment sent.
    pub sends: bool,
    /// Its pacing rate is a gap since the last segment: a delivery that changes it changes how long the next one waits. The
    /// rate of others counts as a segment leaves, and what it said then stands. Only with deliveries.
    pub gap: bool,
    /// Segments ask the routers on their way for a change of the throughput, in XCP's header, and it is told what they answer.
    /// Marks are not used then.
    pub routers: bool,
    /// It answers a mark by less than a loss: a loss in the window of data that a mark has reduced is answered, too. That of
    /// others counts as answered.
    pub proportional: bool,
}

/// Puts back the window `before`, as far as `window` is not larger.
pub(crate) fn restore(window: &mut Window, before: &Window) {
    window.cwnd = window.cwnd.max(before.cwnd);
    window.ssthresh = window.ssthresh.max(before.ssthresh);
}

/// The FlightSize that a reduction starts from, bytes.
///
/// RFC 5681 section 3.2 leaves out what limited transmit sent, and fast recovery sends new data beyond the window too while
/// snd_una stands still: neither was in the network together with the rest, so the window bounds it. Without the bound a
/// timeout that ends a fast recovery finds ssthresh where the overload began, and meets it again.
pub(crate) fn loss_flight(window: &Window, event: &Congestion) -> u64 {
    event.ctx.flight_size.min(window.cwnd)
}

/// The pacing rate at which segments of `mss` deliver `rate` bytes of payload a second: headers are paced, too.
pub(crate) fn paced(rate: u64, mss: u64) -> u64 {
    let wire = u128::from(rate) * u128::from(mss + HEADERS) / u128::from(mss.max(1));
    u64::try_from(wire).unwrap_or(u64::MAX).max(1)
}

/// Whether the response to `event` is that of ABE, which reduces less for a mark than for a loss (RFC 8511 section 3).
pub(crate) fn is_gentle(event: &Congestion) -> bool {
    event.abe && event.cause == Cause::Ecn
}

/// A constant of an algorithm that a scenario may set.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Parameter {
    /// Name in scenarios.
    pub name: &'static str,
    /// One line on what it is, with its unit.
    pub summary: &'static str,
    /// The value where none is given, as `source` of the entry, or this parameter's summary, says.
    pub default: f64,
    /// The least and the largest value that makes sense.
    pub range: (f64, f64),
}

/// The values of an entry's parameters, in their order.
#[derive(Clone, PartialEq, Debug)]
pub struct Values {
    parameters: &'static [Parameter],
    values: Vec<f64>,
}

impl Values {
    /// The defaults of `entry`.
    pub fn defaults(entry: &'static Entry) -> Values {
        let parameters = entry.parameters;
        Values { parameters, values: parameters.iter().map(|parameter| parameter.default).collect() }
    }

    /// The defaults of `entry` but for those `given`.
    ///
    /// # Errors
    ///
    /// Says what is accepted where a name is unknown or a value is out of its range.
    pub fn given(entry: &'static Entry, given: &[(&str, f64)]) -> Result<Values, String> {
        let mut values = Values::defaults(entry);
        for &(name, value) in given {
            let Some(index) = entry.parameters.iter().position(|parameter| parameter.name == name) else {
                let names: Vec<&str> = entry.parameters.iter().map(|parameter| parameter.name).collect();
                let accepted = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
                return Err(format!("{} has no parameter {name}; it has {accepted}", entry.name));
            };
            let (least, most) = entry.parameters[index].range;
            if !(least..=most).contains(&value) {
                return Err(format!("{name} of {} is {value}; accepted is {least} to {most}", entry.name));
            }
            values.values[index] = value;
        }
        Ok(values)
    }

    /// The value of a parameter of the entry.
    ///
    /// # Panics
    ///
    /// Panics where the entry has no such parameter.
    pub fn get(&self, name: &str) -> f64 {
        let index = self.parameters.iter().position(|parameter| parameter.name == name);
        self.values[index.expect("a parameter of the entry")]
    }
}

/// An entry of the catalogue.
pub struct Entry {
    /// Name in scenarios.
    pub name: &'static str,
    /// One line on what it is.
    pub summary: &'static str,
    /// Where it is specified.
    pub source: &'static str,
    /// What scenarios may set.
    pub parameters: &'static [Parameter],
    /// Makes one for a connection.
    pub make: fn(&Values) -> Box<dyn CongestionControl>,
}

/// A congestion control that connections can be given: one of the catalogue with its parameters, or somebody's own.
#[derive(Clone)]
pub struct Algorithm {
    name: Arc<str>,
    make: Arc<dyn Fn() -> Box<dyn CongestionControl> + Send + Sync>,
}

impl Algorithm {
    /// One that is not in the catalogue. `make` makes one for a connection.
    pub fn custom(name: &str, make: impl Fn() -> Box<dyn CongestionControl> + Send + Sync + 'static) -> Algorithm {
        Algorithm { name: name.into(), make: Arc::new(make) }
    }

    /// One of the catalogue with `values` for its parameters.
    pub fn with(entry: &'static Entry, values: Values) -> Algorithm {
        Algorithm::custom(entry.name, move || (entry.make)(&values))
    }

    /// Its name.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// One for a connection.
    pub fn make(&self) -> Box<dyn CongestionControl> {
        (self.make)()
    }
}

impl From<&'static Entry> for Algorithm {
    fn from(entry: &'static Entry) -> Algorithm {
        Algorithm::with(entry, Values::defaults(entry))
    }
}

/// Every algorithm, by name.
pub const CATALOGUE: &[Entry] = &[
    bbr::ENTRY,
    bbr1::ENTRY,
    bic::ENTRY,
    compound::ENTRY,
    compound::TUNED,
    copa::ENTRY,
    cubic::ENTRY,
    cubic_2_0::ENTRY,
    cubic::LINUX,
    cubic_rfc8312::ENTRY,
    dctcp::ENTRY,
    fast::ENTRY,
    fixed::RATE,
    fixed::WINDOW,
    highspeed::ENTRY,
    htcp::ENTRY,
    hybla::ENTRY,
    illinois::ENTRY,
    ledbat::ENTRY,
    ledbat_plus_plus::ENTRY,
    lp::ENTRY,
    prague::ENTRY,
    reno::ENTRY,
    scalable::ENTRY,
    vegas::ENTRY,
    veno::ENTRY,
    westwood::ENTRY,
    xcp::ENTRY,
    yeah::ENTRY,
];

/// The entry of a name.
pub fn by_name(name: &str) -> Option<&'static Entry> {
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
                assert!(least < most && (least..=most).contains(&parameter.default), "{what}");
                assert!(!parameter.summary.is_empty(), "{what}");
            }
        }
    }
}
