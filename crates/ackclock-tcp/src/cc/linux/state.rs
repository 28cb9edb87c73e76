//! Information that Linux gives to its modules of congestion control besides the window: the state of the sender, the
//! RTT sample of an acknowledgment, and the transmission with which sending begins anew.

use crate::context::{Cause, Congestion, Context, Delivery};
use crate::{MILLISECOND, Nanos};

/// Jiffies per second (HZ).
pub(super) const HZ: u64 = 1000;

/// A time in jiffies.
#[inline]
pub(super) fn jiffies(now: Nanos) -> u64 {
    now / (1000 * MILLISECOND / HZ)
}

/// A time in microseconds, the unit of Linux's clock of TCP.
#[inline]
pub(super) fn microseconds(now: Nanos) -> u64 {
    now / 1000
}

/// The sample of the RTT that an acknowledgment gives to modules, in microseconds: that of the last segment reported as
/// received, or of the echoed timestamp where retransmissions make the segment ambiguous (`rtt_us` of `ack_sample`).
#[inline]
pub(super) fn rtt(delivery: &Delivery) -> Option<u64> {
    let now = delivery.ack.ctx.now;
    let sent_at = delivery.sent_at.or_else(|| delivery.ack.rtt.map(|rtt| now.saturating_sub(rtt)))?;
    Some(microseconds(now).saturating_sub(microseconds(sent_at)))
}

/// Number of segments that `acked` bytes cover; a last segment may be small.
#[inline]
pub(super) fn packets(acked: u64, mss: u64) -> u64 {
    acked.div_ceil(mss.max(1))
}

/// `icsk_ca_state`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) enum State {
    /// No sign of congestion.
    #[default]
    Open,
    /// Some data is SACKed, and no loss is evident.
    Disorder,
    /// The window is being reduced without a loss (CWR).
    Reduction,
    /// Fast recovery.
    Recovery,
    /// After a timeout.
    Loss,
}

/// The states before and after an acknowledgment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub before: State,
    pub after: State,
}

impl Change {
    /// Whether the acknowledgment has brought the sender to `state`.
    pub fn is_to(&self, state: State) -> bool {
        self.before != state && self.after == state
    }
}

/// Follows the state of the sender, from the responses to congestion and the acknowledgments.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct States {
    state: State,
    /// Stream offset beyond which an acknowledgment ends a reduction.
    point: u64,
}

impl States {
    /// The state after the last event.
    pub fn state(&self) -> State {
        self.state
    }

    /// The sender responds to congestion.
    pub fn on_congestion(&mut self, event: &Congestion) {
        self.state = match event.cause {
            Cause::Loss => State::Recovery,
            Cause::Ecn | Cause::Delay => State::Reduction,
            Cause::Timeout => State::Loss,
        };
        self.point = event.ctx.snd_nxt;
    }

    /// The retransmission timer expired.
    pub fn on_timeout(&mut self) {
        self.state = State::Loss;
    }

    /// An acknowledgment arrived.
    pub fn on_delivery(&mut self, ctx: &Context) -> Change {
        let before = self.state;
        self.state = match before {
            State::Recovery | State::Loss if ctx.in_recovery => before,
            // A loss within a reduction begins a recovery, and the window is not reduced again.
            State::Reduction if ctx.in_recovery => State::Recovery,
            State::Reduction if ctx.snd_una <= self.point => before,
            // Segments are retransmitted without congestion, because they exceed a new MTU.
            _ if ctx.in_recovery => State::Loss,
            _ if ctx.pipe < ctx.flight_size => State::Disorder,
            _ => State::Open,
        };
        Change { before, after: self.state }
    }
}

/// Recognises transmissions with nothing in flight (`CA_EVENT_TX_START`): the first one, those after an idle period,
/// and the retransmission after a timeout.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Starts {
    /// SND.NXT after the last transmission.
    sent: u64,
}

impl Starts {
    /// A segment was sent, and `ctx` is the state after it. Returns SND.NXT before it, if nothing was in flight before.
    pub fn on_sent(&mut self, ctx: &Context) -> Option<u64> {
        let before = std::mem::replace(&mut self.sent, ctx.snd_nxt);
        // A probe for a lost tail repeats a segment that is still in flight.
        let is_probe = ctx.snd_nxt == before && !ctx.in_recovery;
        (ctx.pipe <= ctx.mss && !is_probe).then_some(before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, MSS};

    fn context(una: u64, nxt: u64) -> Context {
        testing::context(0, una * MSS..nxt * MSS)
    }

    #[test]
    fn the_sample_is_that_of_the_last_segment_or_of_the_echo() {
        let mut delivery = testing::delivery(testing::ack(Context { now: 9_000_900, ..context(0, 2) }, MSS), MSS);
        assert_eq!(rtt(&delivery), None);
        delivery.ack.rtt = Some(3_000_000);
        assert_eq!(rtt(&delivery), Some(3000));
        delivery.sent_at = Some(7_000_000);
        assert_eq!(rtt(&delivery), Some(2000));
    }

    #[test]
    fn a_reduction_ends_beyond_its_point_and_a_loss_within_it_is_a_recovery() {
        let mut states = States::default();
        states.on_congestion(&Congestion { cause: Cause::Ecn, ..Congestion::loss(context(0, 10)) });
        assert_eq!(states.on_delivery(&context(10, 12)).after, State::Reduction);
        let change = states.on_delivery(&context(11, 12));
        assert!(change.is_to(State::Open) && change.before == State::Reduction);
        assert!(!states.on_delivery(&context(12, 12)).is_to(State::Open), "it is open already");
        states.on_congestion(&Congestion { cause: Cause::Ecn, ..Congestion::loss(context(0, 10)) });
        assert_eq!(states.on_delivery(&Context { in_recovery: true, ..context(1, 12) }).after, State::Recovery);
    }

    #[test]
    fn sacked_data_without_a_loss_is_disorder_and_losses_last_until_their_end() {
        let mut states = States::default();
        let sacked = Context { pipe: 9 * MSS, ..context(0, 10) };
        assert!(states.on_delivery(&sacked).is_to(State::Disorder));
        assert!(states.on_delivery(&context(10, 20)).is_to(State::Open));
        for (timeout, expected) in [(false, State::Recovery), (true, State::Loss)] {
            states.on_congestion(&Congestion::loss(context(0, 10)));
            if timeout {
                states.on_timeout();
            }
            let repairing = Context { in_recovery: true, ..sacked };
            assert_eq!(states.on_delivery(&repairing).after, expected);
            assert_eq!(states.on_delivery(&sacked).after, State::Disorder, "data beyond the recovery is SACKed");
            assert_eq!(states.on_delivery(&context(10, 20)).after, State::Open);
        }
    }

    #[test]
    fn sending_starts_with_nothing_in_flight() {
        let mut starts = Starts::default();
        assert_eq!(starts.on_sent(&context(0, 1)), Some(0));
        assert_eq!(starts.on_sent(&context(0, 2)), None);
        assert_eq!(starts.on_sent(&context(1, 2)), None, "a probe of the segment in flight");
        assert_eq!(starts.on_sent(&context(2, 3)), Some(2 * MSS), "after an idle period");
        let lost = Context { pipe: MSS, in_recovery: true, ..context(2, 3) };
        assert!(starts.on_sent(&lost).is_some(), "the retransmission after a timeout");
    }
}
