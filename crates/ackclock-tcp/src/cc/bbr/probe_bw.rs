//! The cycle of ProbeBW: down, cruise, refill, up (draft-ietf-ccwg-bbr section 5.3.3).

use super::*;

/// Limit of the time scale for coexistence with Reno, rounds.
const MOST_ROUNDS: u64 = 63;
/// BBR.Headroom, per cent.
const HEADROOM: u64 = 15;

/// Phase of the acknowledgments relative to the probe: BBR.ack_phase.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum AckPhase {
    #[default]
    Init,
    Refilling,
    Starting,
    Feedback,
    Stopping,
}

/// State of the cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cycle {
    ack_phase: AckPhase,
    /// is_bw_probe_sample.
    pub samples_probe: bool,
    /// prev_probe_too_high and prev_probe_precautionary.
    pub too_high: bool,
    precautionary: bool,
    /// cycle_stamp and bw_probe_wait.
    began: Nanos,
    pub wait: Nanos,
    pub rounds_since_probe: u64,
    up_rounds: u32,
    up_acked: u64,
    up_acked_per_increase: u64,
}

impl Default for Cycle {
    fn default() -> Cycle {
        Cycle {
            ack_phase: AckPhase::Init,
            samples_probe: false,
            too_high: false,
            precautionary: false,
            began: 0,
            wait: 0,
            rounds_since_probe: 0,
            up_rounds: 0,
            up_acked: 0,
            up_acked_per_increase: UNBOUNDED,
        }
    }
}

impl Cycle {
    /// Stops the cycle for ProbeRTT.
    pub fn stop(&mut self) {
        self.ack_phase = AckPhase::Stopping;
    }
}

impl Bbr {
    pub(super) fn start_down(&mut self, now: Nanos) {
        self.losses.reset();
        let cycle = &mut self.cycle;
        cycle.up_acked_per_increase = UNBOUNDED;
        // PickProbeWait.
        cycle.rounds_since_probe = self.random.below(2);
        cycle.wait = 2 * SECOND + self.random.below(SECOND + 1);
        cycle.began = now;
        cycle.ack_phase = AckPhase::Stopping;
        self.rounds.begin(self.delivered);
        self.state = State::Down;
    }

    pub(super) fn start_cruise(&mut self) {
        self.state = State::Cruise;
    }

    pub(super) fn start_refill(&mut self) {
        self.bounds.forget_shortterm();
        let cycle = &mut self.cycle;
        (cycle.up_rounds, cycle.up_acked, cycle.precautionary) = (0, 0, false);
        cycle.ack_phase = AckPhase::Refilling;
        self.rounds.begin(self.delivered);
        self.state = State::Refill;
    }

    fn start_up(&mut self, window: &Window, sample: &Sample) {
        self.cycle.ack_phase = AckPhase::Starting;
        self.rounds.begin(self.delivered);
        self.full.reset(sample.rate);
        self.state = State::Up;
        self.raise_slope(window, sample.ctx.mss);
    }

    /// UpdateProbeBWCyclePhase.
    pub(super) fn update_cycle(&mut self, window: &Window, sample: &Sample) {
        if !self.full.reached || self.adapt_longterm(window, sample) {
            return;
        }
        let state = self.state;
        match state {
            State::Down if self.is_time_to_probe(window, sample) => self.start_refill(),
            State::Down if self.is_time_to_cruise(sample) => self.start_cruise(),
            State::Cruise if self.is_time_to_probe(window, sample) => self.start_refill(),
            State::Refill if self.rounds.start => {
                self.cycle.samples_probe = true;
                self.start_up(window, sample);
            }
            State::Up if self.is_time_to_go_down(window, sample) => {
                self.cycle.too_high = false;
                self.start_down(sample.ctx.now);
            }
            _ => {}
        }
    }

    /// IsTimeToProbeBW.
    fn is_time_to_probe(&self, window: &Window, sample: &Sample) -> bool {
        let segments = self.target_inflight(window) / sample.ctx.mss.max(1);
        let waited = sample.ctx.now > self.cycle.began + self.cycle.wait;
        waited || self.cycle.rounds_since_probe >= segments.min(MOST_ROUNDS)
    }

    fn is_time_to_cruise(&self, sample: &Sample) -> bool {
        let Context { pipe, mss, .. } = sample.ctx;
        let drained = self.at_least_pipe(self.bdp_at(self.rate.max, 100), mss);
        pipe <= self.inflight_with_headroom(mss) && pipe <= drained
    }

    fn is_time_to_go_down(&mut self, window: &Window, sample: &Sample) -> bool {
        if self.cycle.too_high && sample.ctx.pipe >= self.bounds.longterm {
            self.cycle.precautionary = true;
            return true;
        }
        if sample.cwnd_limited && window.cwnd >= self.bounds.longterm {
            // The bound limits the flow, not the path.
            self.full.reset(sample.rate);
            return false;
        }
        self.full.now
    }

    pub(super) fn inflight_with_headroom(&self, mss: u64) -> u64 {
        let longterm = self.bounds.longterm;
        if longterm == UNBOUNDED {
            return UNBOUNDED;
        }
        (longterm - percent(longterm, HEADROOM).max(mss).min(longterm)).max(MIN_PIPE * mss)
    }

    /// RaiseInflightLongtermSlope.
    fn raise_slope(&mut self, window: &Window, mss: u64) {
        let growth = 1 << self.cycle.up_rounds;
        self.cycle.up_rounds = (self.cycle.up_rounds + 1).min(30);
        self.cycle.up_acked_per_increase = (window.cwnd / growth).max(mss);
    }

    /// ProbeInflightLongtermUpward.
    fn probe_upward(&mut self, window: &Window, sample: &Sample) {
        if !sample.cwnd_limited || window.cwnd < self.bounds.longterm {
            return;
        }
        let cycle = &mut self.cycle;
        cycle.up_acked += sample.newly;
        let increases = cycle.up_acked / cycle.up_acked_per_increase;
        cycle.up_acked -= increases * cycle.up_acked_per_increase;
        self.bounds.longterm = self.bounds.longterm.saturating_add(increases * sample.ctx.mss);
        if self.rounds.start {
            self.raise_slope(window, sample.ctx.mss);
        }
    }

    /// AdaptLongTermModel. Returns whether it changed the state.
    fn adapt_longterm(&mut self, window: &Window, sample: &Sample) -> bool {
        if self.rounds.start && self.cycle.ack_phase == AckPhase::Starting {
            self.cycle.ack_phase = AckPhase::Feedback;
        }
        if self.rounds.start && self.cycle.ack_phase == AckPhase::Stopping {
            self.cycle.samples_probe = false;
            self.cycle.ack_phase = AckPhase::Init;
            if self.state.is_probe_bw() {
                if !sample.app_limited {
                    self.rate.advance();
                }
                if self.cycle.precautionary && !self.cycle.too_high {
                    self.start_refill();
                    return true;
                }
            }
        }
        if !sample.is_too_high() && self.bounds.longterm != UNBOUNDED {
            self.bounds.longterm = self.bounds.longterm.max(sample.tx_in_flight);
            if self.state == State::Up {
                self.probe_upward(window, sample);
            }
        }
        false
    }
}
