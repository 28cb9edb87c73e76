//! The response to congestion: what the strategies of the sender make of it, in their order.

use super::Sender;
use super::episode::Phase;
use super::scoreboard::Delivered;
use crate::Nanos;
use crate::context::{Cause, Congestion, CongestionEnd, Context, Window};

impl Sender {
    /// The state `found` with the FlightSize from which the congestion control reduces.
    pub(super) fn as_base(&self, found: Context) -> Context {
        Context { flight_size: if self.reduces_from_window { self.window.cwnd } else { found.flight_size }, ..found }
    }

    /// Lets the congestion control reduce the window for `cause` and enters the phase `next`, whose end ends the
    /// response; [`Phase::Open`] is for a loss that is already repaired. `delivered` is the data delivered by the
    /// acknowledgment that showed the congestion. Returns the window before the reduction.
    #[inline(never)]
    pub(super) fn reduce(&mut self, now: Nanos, cause: Cause, delivered: &Delivered, next: Phase) -> Window {
        let mut found = self.context(now);
        if cause == Cause::Ecn {
            // The packet was marked while the data that the echo acknowledges was still outstanding.
            found.flight_size += delivered.acked;
        }
        let before = self.window;
        let met = Congestion { cause, abe: self.config.abe, ctx: found };
        self.take_validated(&met);
        let event = Congestion { ctx: self.as_base(found), ..met };
        self.cc.on_congestion(&mut self.window, &event);
        // LossFlightSize of RFC 7661 is the volume in flight, independent of the base of the congestion control's
        // reduction.
        self.validation.on_congestion(&mut self.window, &met);
        self.slow_start.on_congestion(&event);
        self.with_careful(|careful, window, delivered| careful.on_congestion(window, &event, delivered));
        self.round_window();
        self.truncate_threshold();
        let sacked_before = self.board.sacked().saturating_sub(delivered.sacked);
        let flight_size = self.outstanding();
        self.rare.reduction.begin(&mut self.window, &before, flight_size, sacked_before, delivered.acked);
        self.cwr_due = self.ecn;
        self.phase = next;
        if next == Phase::Open {
            // RFC 8985 section 7.4.2: the probe has repaired the loss, and the response is a reduction alone.
            if !self.scope.window {
                self.window.cwnd = self.window.ssthresh;
            }
            self.end_answer(now, self.rare.tlp.len, false);
        }
        before
    }

    /// Sets the window to its validated part when congestion occurs, unless the algorithm owns the window.
    pub(super) fn take_validated(&mut self, met: &Congestion) {
        let validated = self.validation.validated(&self.window, met);
        if !self.scope.window {
            self.window.cwnd = validated;
        }
    }

    /// Tells the window validation that the response to congestion is over and the phase is `Open` again.
    pub(super) fn end_answer(&mut self, now: Nanos, retransmitted: u64, slow_start: bool) {
        let end = CongestionEnd { ctx: self.context(now), retransmitted, slow_start };
        self.validation.on_congestion_end(&mut self.window, &end);
    }
}
