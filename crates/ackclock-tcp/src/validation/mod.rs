//! Congestion window validation: what happens to a window the application does not use. One file a rule, one line in
//! [`CATALOGUE`].
//!
//! A rule stands beside the congestion control, not in it, so every rule works with every algorithm.

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
    /// Slow start or the congestion control may increase it.
    Allowed,
    /// They may increase it to this many bytes at most.
    UpTo(u64),
    /// The window stays as it is.
    Forbidden,
}

impl Growth {
    /// What is allowed of a window that has grown from `before` to `grown` bytes.
    #[inline]
    pub(crate) fn bound(self, before: u64, grown: u64) -> u64 {
        match self {
            Growth::UpTo(most) => grown.min(most.max(before)),
            Growth::Allowed | Growth::Forbidden => grown,
        }
    }
}

/// What a rule shows to observers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// pipeACK in bytes (RFC 7661 section 4.2), `None` where undefined or not kept.
    pub pipe_ack: Option<u64>,
    /// Whether the sender is in the non-validated phase (RFC 7661 section 4.3).
    pub non_validated: bool,
}

/// A rule of window validation. Called by the sender in the order of events.
///
/// The answer to congestion is an episode. [`WindowValidation::on_congestion`] or [`WindowValidation::on_timeout`] begins it,
/// more of either may follow within it, and [`WindowValidation::on_congestion_end`] ends it. The sender promises one end for
/// each episode, whatever began it: a mark, a loss that a probe repaired, a fast retransmit or a timeout.
pub trait WindowValidation: Send {
    /// The connection is established.
    fn on_start(&mut self, _ctx: &Context) {}

    /// An acknowledgment arrived that advanced snd_una or SACKed data, in recovery as well. Called before any growth, and
    /// for the acknowledgment that ends an episode after [`WindowValidation::on_congestion_end`].
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) -> Growth;

    /// New data is about to be sent, `ctx` being the state before it. `idle` is the time since the last transmission
    /// if nothing is outstanding, else 0.
    fn before_send(&mut self, _window: &mut Window, _ctx: &Context, _idle: Nanos) {}

    /// New data was sent, `ctx` being the state after it; `cwnd_limited` where the window now holds back more.
    fn on_sent(&mut self, _window: &mut Window, _ctx: &Context, _cwnd_limited: bool) {}

    /// Congestion was found. Returns how much of the window is validated, in bytes and at most cwnd: the congestion control
    /// answers as if congestion had met a window of that size. Called before each [`WindowValidation::on_congestion`] and
    /// [`WindowValidation::on_timeout`].
    fn validated(&mut self, window: &Window, _event: &Congestion) -> u64 {
        window.cwnd
    }

    /// Loss was found, or a mark was echoed. Called after the congestion control has set ssthresh and cwnd, which may be
    /// replaced.
    fn on_congestion(&mut self, _window: &mut Window, _event: &Congestion) {}

    /// The retransmission timer expired. Called after the congestion control; the sender has set cwnd to one segment.
    fn on_timeout(&mut self, _window: &mut Window, _event: &Congestion) {}

    /// The episode is over, and the window is where the congestion control and the recovery leave it. Also called after
    /// segments were retransmitted for another reason than congestion (a smaller path MTU), and after
    /// [`WindowValidation::on_undo`] where the episode was still under way.
    fn on_congestion_end(&mut self, _window: &mut Window, _end: &CongestionEnd) {}

    /// The congestion of the episode under way, or else of the last one, did not happen: the window is restored.
    fn on_undo(&mut self) {}

    /// State for observers.
    fn report(&self, _window: &Window) -> Report {
        Report::default()
    }
}

/// Keeps three quarters of the window in ssthresh before it is reduced for want of use: ssthresh =
/// max(ssthresh, 3*cwnd/4) (RFC 2861 section 3, RFC 7661 section 4.4.3).
fn remember(window: &mut Window) {
    window.ssthresh = window.ssthresh.max(window.cwnd.saturating_mul(3) / 4);
}

/// An entry of the catalogue.
pub struct Entry {
    /// Name in scenarios.
    pub name: &'static str,
    /// One line on what it is.
    pub summary: &'static str,
    /// Where it is specified.
    pub source: &'static str,
    /// Whether the rule says itself what becomes of the window over an idle period, and so replaces the restart of RFC 5681
    /// section 4.1.
    pub replaces_restart: bool,
    /// Whether the rule looks at what is sent while data is outstanding; where not, the sender leaves out those calls of
    /// [`WindowValidation::before_send`] and all of [`WindowValidation::on_sent`].
    pub watches_sending: bool,
    /// Makes one for a connection.
    pub make: fn() -> Box<dyn WindowValidation>,
}

/// Every rule, by name.
pub const CATALOGUE: &[Entry] = &[
    none::ENTRY,
    rfc2861::ENTRY,
    rfc2861::LINUX,
    newcwv::ENTRY,
    newcwv::DRAFT_00,
    linux::ENTRY,
    linux::KEPT,
    rate_limited::ENTRY,
];

/// The entry of a name.
pub fn by_name(name: &str) -> Option<&'static Entry> {
    CATALOGUE.iter().find(|entry| entry.name == name)
}
