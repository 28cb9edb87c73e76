//! Model of the path: rounds, bandwidth, bounds from loss, and aggregation of ACKs (draft-ietf-ccwg-bbr section 5.5).

use super::*;

/// BBR.LossThresh, per cent.
const LOSS_THRESHOLD: u64 = 2;
/// BBR.Beta, per cent.
pub(super) const BETA: u64 = 70;
/// BBR.ExtraAckedFilterLen, rounds; in Startup it is one round.
const AGGREGATION_ROUNDS: u64 = 10;

/// Packet-timed round trips.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Rounds {
    pub count: u64,
    /// Whether the present acknowledgment begins a round.
    pub start: bool,
    /// next_round_delivered.
    end: u64,
}

impl Rounds {
    /// StartRound.
    pub fn begin(&mut self, delivered: u64) {
        self.end = delivered;
    }
}

/// max_bw: the largest delivery rate of the last two cycles, bytes per second.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct MaxBandwidth {
    pub max: u64,
    this_cycle: u64,
    last_cycle: u64,
}

impl MaxBandwidth {
    fn see(&mut self, rate: u64) {
        self.this_cycle = self.this_cycle.max(rate);
        self.max = self.this_cycle.max(self.last_cycle);
    }

    /// AdvanceMaxBwFilter.
    pub fn advance(&mut self) {
        // A cycle without samples does not count.
        if self.this_cycle > 0 {
            (self.last_cycle, self.this_cycle) = (self.this_cycle, 0);
        }
    }
}

/// Bounds that follow from losses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// bw, bytes per second.
    pub bandwidth: u64,
    pub shortterm_rate: u64,
    pub shortterm: u64,
    pub longterm: u64,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { bandwidth: 0, shortterm_rate: UNBOUNDED, shortterm: UNBOUNDED, longterm: UNBOUNDED }
    }
}

impl Bounds {
    /// ResetShortTermModel.
    pub fn forget_shortterm(&mut self) {
        (self.shortterm_rate, self.shortterm) = (UNBOUNDED, UNBOUNDED);
    }

    pub fn raise_to(&mut self, other: &Bounds) {
        self.shortterm_rate = self.shortterm_rate.max(other.shortterm_rate);
        self.shortterm = self.shortterm.max(other.shortterm);
        self.longterm = self.longterm.max(other.longterm);
    }
}

/// Losses of this round, and the latest delivery signals.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Losses {
    pub in_round: bool,
    /// loss_round_start.
    pub round_start: bool,
    /// loss_round_delivered.
    round_end: u64,
    /// Number of acknowledgments of the round that showed loss, and the time of the last of them.
    pub events: u32,
    last: Nanos,
    latest_rate: u64,
    pub latest_inflight: u64,
}

impl Losses {
    /// AdvanceLatestDeliverySignals.
    pub fn advance(&mut self, sample: &Sample) {
        if self.round_start {
            (self.latest_rate, self.latest_inflight) = (sample.rate, sample.delivered);
        }
    }

    /// ResetCongestionSignals.
    pub fn reset(&mut self) {
        self.in_round = false;
        (self.latest_rate, self.latest_inflight) = (0, 0);
    }
}

/// extra_acked: bytes acknowledged in excess of the estimated bandwidth, because ACKs are aggregated.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Aggregation {
    filter: WindowedMax,
    pub extra: u64,
    since: Nanos,
    delivered: u64,
}

impl Aggregation {
    pub fn restart(&mut self, now: Nanos) {
        self.since = now;
    }
}

pub(super) fn is_too_high(lost: u64, in_flight: u64) -> bool {
    lost > percent(in_flight, LOSS_THRESHOLD)
}

/// InflightAtLoss: the data in flight at which the losses reached the threshold, which may be within the segment.
pub(super) fn inflight_at_loss(lost: &Lost) -> u64 {
    let before = lost.tx_in_flight.saturating_sub(lost.len);
    let lost_before = lost.lost_since.saturating_sub(lost.len);
    let prefix = percent(before, LOSS_THRESHOLD).saturating_sub(lost_before) * 100 / (100 - LOSS_THRESHOLD);
    before + prefix
}

impl Bbr {
    /// UpdateLatestDeliverySignals, UpdateCongestionSignals and UpdateACKAggregation.
    pub(super) fn update_model(&mut self, window: &Window, sample: &Sample) {
        let losses = &mut self.losses;
        losses.latest_rate = losses.latest_rate.max(sample.rate);
        losses.latest_inflight = losses.latest_inflight.max(sample.delivered);
        losses.round_start = sample.prior_delivered >= losses.round_end;
        if losses.round_start {
            losses.round_end = self.delivered;
        }
        self.update_rate(sample);
        if self.losses.round_start {
            self.adapt_shortterm(window);
            self.losses.in_round = false;
        }
        self.update_aggregation(window, sample);
    }

    /// UpdateMaxBw and UpdateRound.
    fn update_rate(&mut self, sample: &Sample) {
        self.rounds.start = sample.prior_delivered >= self.rounds.end;
        if self.rounds.start {
            self.rounds.begin(self.delivered);
            self.rounds.count += 1;
            self.cycle.rounds_since_probe += 1;
        }
        if sample.rate > 0 && (sample.rate >= self.rate.max || !sample.app_limited) {
            self.rate.see(sample.rate);
        }
    }

    /// AdaptLowerBoundsFromCongestion.
    fn adapt_shortterm(&mut self, window: &Window) {
        if self.state.is_accelerating() || !self.losses.in_round {
            return;
        }
        let bounds = &mut self.bounds;
        if bounds.shortterm_rate == UNBOUNDED {
            bounds.shortterm_rate = self.rate.max;
        }
        if bounds.shortterm == UNBOUNDED {
            bounds.shortterm = window.cwnd;
        }
        bounds.shortterm_rate = percent(bounds.shortterm_rate, BETA).max(self.losses.latest_rate);
        bounds.shortterm = percent(bounds.shortterm, BETA).max(self.losses.latest_inflight);
    }

    fn update_aggregation(&mut self, window: &Window, sample: &Sample) {
        let aggregation = &mut self.aggregation;
        let interval = sample.ctx.now.saturating_sub(aggregation.since);
        let due = u128::from(self.bounds.bandwidth) * u128::from(interval) / u128::from(SECOND);
        let mut due = u64::try_from(due).unwrap_or(u64::MAX);
        if aggregation.delivered <= due {
            (aggregation.delivered, aggregation.since, due) = (0, sample.ctx.now, 0);
        }
        aggregation.delivered += sample.newly;
        let extra = (aggregation.delivered - due).min(window.cwnd);
        let length = if self.full.reached { AGGREGATION_ROUNDS } else { 1 };
        aggregation.extra = aggregation.filter.update(self.rounds.count, extra, length);
    }

    /// NoteLoss.
    pub(super) fn note_loss(&mut self, window: &Window, lost: &Lost) {
        let losses = &mut self.losses;
        if losses.last != lost.ctx.now {
            (losses.last, losses.events) = (lost.ctx.now, losses.events + 1);
        }
        if !losses.in_round {
            losses.round_end = self.delivered;
            losses.in_round = true;
            if self.recovering {
                self.save_cwnd(window);
            } else {
                self.save_state(window, lost.ctx.now);
            }
        }
    }

    /// HandleInflightTooHigh.
    pub(super) fn handle_too_high(&mut self, window: &Window, now: Nanos, in_flight: u64, app_limited: bool) {
        self.cycle.too_high = true;
        self.cycle.samples_probe = false;
        if !app_limited {
            self.bounds.longterm = percent(self.target_inflight(window), BETA).max(in_flight);
        }
        if self.state == State::Up {
            self.undo.state = Some(State::Up);
            self.start_down(now);
        }
    }
}
