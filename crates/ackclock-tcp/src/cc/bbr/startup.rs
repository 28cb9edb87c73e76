//! Startup and Drain: measurement of the available bandwidth (draft-ietf-ccwg-bbr sections 5.3.1 and 5.3.2).

use super::*;

/// BBRStartupFullLossCnt.
const FULL_LOSS_COUNT: u32 = 6;

/// Search for a plateau of the delivery rate, in bytes per second.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct FullPipe {
    rate: u64,
    count: u32,
    /// Whether a plateau was found since the search was last reset.
    pub now: bool,
    /// Whether a plateau was ever found.
    pub reached: bool,
    /// round_count when Drain began.
    drain_start: u64,
}

impl FullPipe {
    /// ResetFullBW, with the rate at which the search starts.
    pub fn reset(&mut self, rate: u64) {
        (self.rate, self.count, self.now) = (rate, 0, false);
    }
}

impl Bbr {
    /// CheckFullBWReached.
    pub(super) fn check_full_pipe(&mut self, sample: &Sample) {
        let full = &mut self.full;
        if full.now || !self.rounds.start || sample.app_limited || sample.rate == 0 {
            return;
        }
        if sample.rate >= percent(full.rate, 125) {
            full.reset(sample.rate);
            return;
        }
        full.count += 1;
        full.now = full.count >= 3;
        full.reached |= full.now;
    }

    /// CheckStartupDone and CheckStartupHighLoss.
    pub(super) fn check_startup_done(&mut self, sample: &Sample) {
        let much = self.losses.events >= FULL_LOSS_COUNT && sample.is_too_high();
        if self.state == State::Startup && self.losses.round_start && self.recovering && much && !self.full.reached {
            self.undo.state = Some(State::Startup);
            self.full.reached = true;
            self.bounds.longterm = self.bdp(100).max(self.losses.latest_inflight);
        }
        if self.losses.round_start {
            self.losses.events = 0;
        }
        if self.state == State::Startup && self.full.reached {
            self.state = State::Drain;
            self.full.drain_start = self.rounds.count;
        }
    }

    /// CheckDrainDone.
    pub(super) fn check_drain_done(&mut self, sample: &Sample) {
        let drained = sample.ctx.pipe <= self.inflight(100, sample.ctx.mss);
        if self.state == State::Drain && (drained || self.rounds.count > self.full.drain_start + 3) {
            self.start_down(sample.ctx.now);
        }
    }
}
