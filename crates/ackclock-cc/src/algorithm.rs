//! The traits that a congestion control implements: [`Algorithm`], and one of two levels.

use crate::context::Cause;
use crate::context::{Ack, Congestion, Context, Delivery, Lost, Nanos, RecoveryEnd, Situation, Window};
use crate::parameters::Declared;

/// A congestion control with a name. It also implements [`WindowRules`] or [`CongestionControl`].
pub trait Algorithm: Sized + Send + 'static {
    /// Name in scenarios: lower-case letters, digits and hyphens, a letter first.
    const NAME: &'static str;

    /// Short description, for `ackclock list cc`.
    const SUMMARY: &'static str;

    /// Parameters that scenarios may set: a struct of [`crate::parameters!`], or `()`.
    type Parameters: Declared;

    /// Creates the algorithm for one end of a connection.
    fn new(parameters: Self::Parameters) -> Self;
}

/// Five rules of a congestion control about its window. The sender runs slow start, recovery and timeouts. Windows are
/// in segments; each rule has Reno's rule as its default.
pub trait WindowRules {
    /// Seed for random numbers: the initial sequence number, which differs between connections.
    fn seed(&mut self, _seed: u32) {}

    /// The first window, segments, at least 1. By default the initial window of the scenario.
    fn start(&mut self, flow: &Situation) -> f64 {
        flow.cwnd()
    }

    /// Growth of the window in segments while one window is acknowledged, which is a round trip; negative to shrink.
    /// Evaluated at every acknowledgment above ssthresh and outside recovery. By default 1.
    fn increase(&mut self, _flow: &Situation) -> f64 {
        1.0
    }

    /// Share of FlightSize, from 0 to 1, to which a loss or mark reduces the window. FlightSize is bounded by the
    /// window, and at least two segments remain. By default 1/2, or 0.8 after a mark with ABE (RFC 8511).
    fn reduction(&mut self, flow: &Situation) -> f64 {
        if flow.abe && flow.cause == Some(Cause::Ecn) { 0.8 } else { 0.5 }
    }

    /// Share of FlightSize to which a timeout sets ssthresh. The window itself becomes one segment. By default the share
    /// of [`WindowRules::reduction`].
    fn timeout(&mut self, flow: &Situation) -> f64 {
        self.reduction(flow)
    }

    /// Share of the window, from 0 to 1, that remains when sending resumes with nothing outstanding and the last segment
    /// was sent longer ago than the retransmission timeout (RFC 5681 section 4.1). By default 1.
    fn idle(&mut self, _flow: &Situation) -> f64 {
        1.0
    }
}

/// A congestion control with all callbacks. Volumes are in bytes and times in nanoseconds.
///
/// The sender runs slow start while `cwnd < ssthresh` and reduces the window in recoveries, unless
/// [`CongestionControl::scope`] assigns these to the algorithm. The methods and their defaults are those of the trait of
/// the same name in `ackclock-tcp`.
pub trait CongestionControl {
    /// Seed for random numbers: the initial sequence number, which differs between connections.
    fn seed(&mut self, _seed: u32) {}

    /// Tasks that the algorithm performs itself, and events that it receives. Called once, before every other method.
    fn scope(&self) -> Scope {
        Scope::default()
    }

    /// The connection is established. `window.cwnd` is the initial window.
    fn on_start(&mut self, _window: &mut Window, _ctx: &Context) {}

    /// New data was acknowledged outside recovery, and the window may grow. `acked` is the part of `ack.acked` that slow
    /// start has not used.
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64);

    /// Responds to congestion: updates the state of the algorithm and returns the new slow-start threshold. By default,
    /// ssthresh = max(FlightSize/2, 2 SMSS) (RFC 5681 section 3.1, equation 4), or 0.8 of FlightSize for a mark with ABE.
    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        let flight = event.flight(window);
        let kept = if event.is_gentle() { flight * 4 / 5 } else { flight / 2 };
        kept.max(2 * event.ctx.mss)
    }

    /// Resets the state that must not survive a timeout.
    fn reset(&mut self, _ctx: &Context) {}

    /// Restores the algorithm's state before the last reduction.
    fn revert(&mut self) {}

    /// Congestion other than a timeout: sets ssthresh, and sets cwnd to its value after the response. By default, both
    /// become [`CongestionControl::ssthresh`].
    fn on_congestion(&mut self, window: &mut Window, event: &Congestion) {
        window.ssthresh = self.ssthresh(window, event);
        window.cwnd = window.ssthresh;
    }

    /// The retransmission timer expired: sets ssthresh; the sender then sets cwnd to one segment. `first` is false when
    /// the same segment times out again, for which RFC 5681 keeps ssthresh.
    fn on_timeout(&mut self, window: &mut Window, event: &Congestion, first: bool) {
        if first {
            window.ssthresh = self.ssthresh(window, event);
        }
        self.reset(&event.ctx);
    }

    /// The last reduction responded to a loss or timeout that proved spurious; `before` is the window before that
    /// reduction. By default, cwnd and ssthresh are restored where they are now smaller, and the algorithm reverts its
    /// state.
    fn on_undo(&mut self, window: &mut Window, before: &Window) {
        window.cwnd = window.cwnd.max(before.cwnd);
        window.ssthresh = window.ssthresh.max(before.ssthresh);
        self.revert();
    }

    /// Fast recovery has ended.
    fn on_recovery_end(&mut self, _window: &mut Window, _end: &RecoveryEnd) {}

    /// Sending resumes after the sender had nothing outstanding for `idle` nanoseconds.
    fn on_idle_end(&mut self, _window: &mut Window, _ctx: &Context, _idle: Nanos) {}

    /// An acknowledgment reported deliveries, in any phase; called before losses found by it are answered. Only with
    /// [`Scope::deliveries`].
    fn on_delivery(&mut self, _window: &mut Window, _delivery: &Delivery) {}

    /// A segment is deemed lost. Only with [`Scope::losses`].
    fn on_lost(&mut self, _window: &mut Window, _lost: &Lost) {}

    /// A segment with payload was sent, as new data or as a retransmission; `ctx` is the state after sending. Only with
    /// [`Scope::sends`].
    fn on_sent(&mut self, _window: &mut Window, _ctx: &Context) {}
}

/// Tasks that a [`CongestionControl`] performs itself, and events that it receives.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Scope {
    /// The algorithm also grows the window below ssthresh.
    pub slow_start: bool,
    /// The algorithm sets the window in every phase; recoveries, timeouts and restarts after idle do not change it.
    pub window: bool,
    /// The algorithm receives every delivery, with a sample of the delivery rate.
    pub deliveries: bool,
    /// The algorithm receives every loss and every delivery.
    pub losses: bool,
    /// The algorithm receives every segment that is sent.
    pub sends: bool,
    /// The pacing rate is a gap since the last segment: a delivery that changes it also changes the time of the next
    /// segment. Only with `deliveries`.
    pub gap: bool,
    /// The response to a mark is smaller than that to a loss: a loss in the window of data in which a mark was answered
    /// is answered too.
    pub proportional: bool,
    /// The algorithm sets the pacing rate of the window; tables then have `cc` as the pacing of its flows.
    pub paces: bool,
}

impl Scope {
    /// The scope as bits, in the order of the fields from the lowest bit.
    pub fn bits(self) -> u32 {
        let Scope { slow_start, window, deliveries, losses, sends, gap, proportional, paces } = self;
        let flags = [slow_start, window, deliveries, losses, sends, gap, proportional, paces];
        flags.iter().rev().fold(0, |bits, flag| bits << 1 | u32::from(*flag))
    }

    /// The scope of [`Scope::bits`].
    pub fn of_bits(bits: u32) -> Scope {
        let flag = |place: u32| bits >> place & 1 == 1;
        Scope {
            slow_start: flag(0),
            window: flag(1),
            deliveries: flag(2),
            losses: flag(3),
            sends: flag(4),
            gap: flag(5),
            proportional: flag(6),
            paces: flag(7),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flag_of_a_scope_has_a_bit_of_its_own() {
        for place in 0..8 {
            assert_eq!(Scope::of_bits(1 << place).bits(), 1 << place);
        }
        assert_eq!(Scope { slow_start: true, sends: true, ..Scope::default() }.bits(), 0b10001);
        assert_eq!(Scope::of_bits(0), Scope::default());
    }
}
