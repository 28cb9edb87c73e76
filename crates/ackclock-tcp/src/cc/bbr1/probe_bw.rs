//! The end of Startup and Drain, and the cycle of gains in ProbeBW.

use super::{Bbr1, State, UNIT};
use crate::Nanos;
use crate::context::{Ack, Context};

/// pacing_gain of the phases of ProbeBW.
pub(super) const CYCLE: [u64; 8] = [UNIT * 5 / 4, UNIT * 3 / 4, UNIT, UNIT, UNIT, UNIT, UNIT, UNIT];

impl Bbr1 {
    pub(super) fn enter_probe_bw(&mut self, now: Nanos) {
        // Any phase except 3/4 may come first, so that flows that begin together do not probe together.
        let drawn = self.random.below(CYCLE.len() as u64 - 1) as usize;
        let phase = if drawn == 0 { 0 } else { drawn + 1 };
        self.state = State::ProbeBw { phase, since: now };
    }

    /// Ends Startup, Drain and the phases of ProbeBW.
    pub(super) fn check_phases(&mut self, ack: &Ack) {
        let Context { now, mss, pipe, .. } = ack.ctx;
        // The ACK that ends Startup is judged with the gain of Startup (bbr_update_gains comes last).
        let gain = self.pacing_gain();
        if self.state == State::Startup && self.filled {
            self.state = State::Drain;
        }
        if self.state == State::Drain && self.at_release(pipe, gain, &ack.ctx) <= self.inflight(UNIT, mss) {
            self.enter_probe_bw(now);
        }
        let State::ProbeBw { phase, since } = self.state else { return };
        let gain = if self.policer.rate().is_some() { UNIT } else { CYCLE[phase] };
        let whole = now.saturating_sub(since) > self.rtprop;
        let inflight = self.at_release(pipe + ack.acked + ack.sacked + ack.lost, gain, &ack.ctx);
        let over = if gain > UNIT {
            whole && (ack.lost > 0 || inflight >= self.inflight(gain, mss))
        } else if gain < UNIT {
            whole || inflight <= self.inflight(UNIT, mss)
        } else {
            whole
        };
        if over {
            self.state = State::ProbeBw { phase: (phase + 1) % CYCLE.len(), since: now };
        }
    }
}
