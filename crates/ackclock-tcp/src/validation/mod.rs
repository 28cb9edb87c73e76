//! Congestion window validation: rules for a window that the application does not use. There is one file for each rule,
//! and one line in [`CATALOGUE`].
//!
//! A rule is separate from the congestion control, so every rule works with every algorithm.

use crate::Nanos;
use crate::context::{Ack, Congestion, CongestionEnd, Context, Window};

#[cfg(test)]
pub(crate) mod harness;
mod linux;
mod newcwv;
mod none;
#[cfg(test)]
mod properties;
mod rate_limited;
mod rfc2861;

/// Whether an acknowledgment may grow the window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Growth {
    /// Slow start or the congestion control may increase the window.
    Allowed,
    /// Slow start or the congestion control may increase the window to this many bytes at most.
    UpTo(u64),
    /// The window stays unchanged.
    Forbidden,
}

impl Growth {
    /// The allowed part of a growth of the window from `before` to `grown` bytes.
    #[inline]
    pub(crate) fn bound(self, before: u64, grown: u64) -> u64 {
        match self {
            Growth::UpTo(most) => grown.min(most.max(before)),
            Growth::Allowed | Growth::Forbidden => grown,
        }
    }
}

/// State of a rule for observers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// pipeACK in bytes (RFC 7661 section 4.2), `None` where undefined or not kept.
    pub pipe_ack: Option<u64>,
    /// Whether the sender is in the non-validated phase (RFC 7661 section 4.3).
    pub non_validated: bool,
}

/// The state after new data was sent: the fields of [`Context`] with the same names.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the fields are described there")]
pub struct Sent {
    pub now: Nanos,
    pub mss: u64,
    pub snd_una: u64,
    pub snd_nxt: u64,
    pub flight_size: u64,
    pub pipe: u64,
}

/// A rule of window validation. The sender calls its methods in the order of events.
///
/// The response to congestion is an episode. [`WindowValidation::on_congestion`] or [`WindowValidation::on_timeout`]
/// begins it, further calls of either may follow within it, and [`WindowValidation::on_congestion_end`] ends it. The
/// sender guarantees one end for each episode, whether a mark, a loss that a probe repaired, a fast retransmit or a
/// timeout began it.
pub trait WindowValidation: Send {
    /// Brings the state into the processor's caches ([`ackclock_core::prefetch`]), if it is more than a few bytes.
    fn prefetch(&self) {}

    /// The connection was established.
    fn on_start(&mut self, _ctx: &Context) {}

    /// The congestion control sets the window in every phase ([`crate::cc::Scope::window`]). Called once, after
    /// [`WindowValidation::on_start`]. Rules of systems that exempt such controls stop changing the window.
    fn on_owned_window(&mut self) {}

    /// An acknowledgment arrived that advanced snd_una or SACKed data, in recovery as well. The sender calls this
    /// before any growth. For the acknowledgment that ends an episode, the call follows
    /// [`WindowValidation::on_congestion_end`].
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) -> Growth;

    /// New data is about to be sent; `ctx` is the state before sending. `idle` is the time since the last transmission
    /// if nothing is outstanding, else 0.
    fn before_send(&mut self, _window: &mut Window, _ctx: &Context, _idle: Nanos) {}

    /// New data was sent; `ctx` is the state after sending. `cwnd_limited` is whether the window now delays further
    /// data.
    fn on_sent(&mut self, _window: &mut Window, _ctx: &Context, _cwnd_limited: bool) {}

    /// New data was sent, as in [`WindowValidation::on_sent`]. Returns whether these few facts were all that is needed; if not,
    /// `on_sent` is called as well. Of the context, most rules need little most of the time.
    fn on_sent_briefly(&mut self, _window: &Window, _sent: &Sent) -> bool {
        false
    }

    /// The window allows some data, which nevertheless waits so that more leaves at once (Linux tcp_tso_should_defer).
    /// `flight_size` is in bytes, and `snd_nxt` a stream offset.
    fn on_deferred(&mut self, _now: Nanos, _flight_size: u64, _snd_nxt: u64) {}

    /// Congestion was detected. Returns the validated part of the window, in bytes and at most cwnd: the congestion
    /// control responds as if the window had had that size. The sender calls this before each
    /// [`WindowValidation::on_congestion`] and [`WindowValidation::on_timeout`].
    fn validated(&mut self, window: &Window, _event: &Congestion) -> u64 {
        window.cwnd
    }

    /// A loss was detected, or a mark was echoed. Called after the congestion control has set ssthresh and cwnd, which
    /// the rule may replace.
    fn on_congestion(&mut self, _window: &mut Window, _event: &Congestion) {}

    /// The retransmission timer expired. Called after the congestion control; the sender has set cwnd to one segment.
    fn on_timeout(&mut self, _window: &mut Window, _event: &Congestion) {}

    /// The episode is over, and the congestion control and the recovery have set the window. Also called after segments
    /// were retransmitted for a reason other than congestion (a smaller path MTU), and after
    /// [`WindowValidation::on_undo`] if the episode was still in progress.
    fn on_congestion_end(&mut self, _window: &mut Window, _end: &CongestionEnd) {}

    /// The congestion of the current episode, or else of the last episode, was spurious: the window is restored.
    fn on_undo(&mut self) {}

    /// State for observers.
    fn report(&self, _window: &Window) -> Report {
        Report::default()
    }
}

/// Saves three quarters of the window in ssthresh before the window is reduced for lack of use: ssthresh =
/// max(ssthresh, 3*cwnd/4) (RFC 2861 section 3, RFC 7661 section 4.4.3).
fn remember(window: &mut Window) {
    window.ssthresh = window.ssthresh.max(window.cwnd.saturating_mul(3) / 4);
}

/// An entry of the catalogue.
pub struct Entry {
    /// Name in scenarios.
    pub name: &'static str,
    /// Description in one line.
    pub summary: &'static str,
    /// Specification of the rule.
    pub source: &'static str,
    /// Whether the rule itself determines the window after an idle period, and so replaces the restart of RFC 5681
    /// section 4.1.
    pub replaces_restart: bool,
    /// Whether the rule needs to see transmissions. If not, the sender omits the calls of [`WindowValidation::on_sent`].
    pub watches_sending: bool,
    /// Whether the rule needs the calls of [`WindowValidation::before_send`] while data is outstanding, too.
    pub before_sending: bool,
    /// Makes an instance of the rule for a connection.
    pub make: fn() -> Box<dyn WindowValidation>,
}

/// Every rule, by name.
pub const CATALOGUE: &[Entry] = &[
    none::ENTRY,
    rfc2861::ENTRY,
    rfc2861::LINUX,
    newcwv::ENTRY,
    newcwv::DRAFT_00,
    newcwv::LINUX_2013,
    newcwv::LINUX_2014,
    linux::ENTRY,
    linux::KEPT,
    rate_limited::ENTRY,
];

/// The entry called `name`.
pub fn by_name(name: &str) -> Option<&'static Entry> {
    CATALOGUE.iter().find(|entry| entry.name == name)
}
