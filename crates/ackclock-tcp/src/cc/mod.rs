//! Congestion control: one file an algorithm, one line in [`CATALOGUE`].

use crate::context::{Ack, Cause, Congestion, Context, RecoveryEnd, Window};

mod cubic;
mod reno;

pub use cubic::Cubic;
pub use reno::Reno;

/// A congestion-control algorithm. It owns [`Window`] and nothing else of the sender.
///
/// The sender runs slow start itself (see [`crate::slow_start`]) while `cwnd < ssthresh`, unless
/// [`CongestionControl::runs_slow_start`] says the algorithm does it; window validation decides whether the window may
/// grow at all. Windows are in bytes.
pub trait CongestionControl: Send {
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

    /// Whether the algorithm also grows the window below ssthresh.
    fn runs_slow_start(&self) -> bool {
        false
    }
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

/// Whether the response to `event` is that of ABE, which reduces less for a mark than for a loss (RFC 8511 section 3).
pub(crate) fn is_gentle(event: &Congestion) -> bool {
    event.abe && event.cause == Cause::Ecn
}

/// An entry of the catalogue.
pub struct Entry {
    /// Name in scenarios.
    pub name: &'static str,
    /// One line on what it is.
    pub summary: &'static str,
    /// Where it is specified.
    pub source: &'static str,
    /// Makes one for a connection.
    pub make: fn() -> Box<dyn CongestionControl>,
}

/// Every algorithm, by name.
pub const CATALOGUE: &[Entry] = &[reno::ENTRY, cubic::ENTRY, cubic::LINUX];

/// The entry of a name.
pub fn by_name(name: &str) -> Option<&'static Entry> {
    CATALOGUE.iter().find(|entry| entry.name == name)
}
