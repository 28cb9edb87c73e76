//! Congestion window and pacing rate (draft-ietf-ccwg-bbr section 5.6).

use super::*;

/// BBR.PacingMarginPercent.
const MARGIN: u64 = 1;

impl Bbr {
    /// InitPacingRate.
    pub(super) fn init_pacing(&mut self, window: &mut Window, ctx: &Context) {
        let srtt = ctx.srtt.unwrap_or(MILLISECOND).max(1);
        let nominal = u128::from(window.cwnd) * u128::from(SECOND) / u128::from(srtt);
        self.pacing = percent(u64::try_from(nominal).unwrap_or(UNBOUNDED), self.state.pacing_gain());
        window.pacing_rate = Some(paced(self.pacing, ctx.mss));
    }

    /// SetPacingRateWithGain; `gain` in percent.
    pub(super) fn set_pacing_with(&mut self, window: &mut Window, gain: u64, mss: u64) {
        let rate = percent(percent(self.bounds.bandwidth, gain), 100 - MARGIN);
        if rate > 0 && (self.full.reached || rate > self.pacing) {
            self.pacing = rate;
            window.pacing_rate = Some(paced(rate, mss));
        }
    }

    pub(super) fn bdp_at(&self, bandwidth: u64, gain: u64) -> u64 {
        if self.probe_rtt.min_rtt == Nanos::MAX {
            return self.initial_window;
        }
        let bdp = u128::from(bandwidth) * u128::from(self.probe_rtt.min_rtt) / u128::from(SECOND);
        percent(u64::try_from(bdp).unwrap_or(UNBOUNDED), gain)
    }

    /// BDPMultiple, bytes; `gain` in percent.
    pub(super) fn bdp(&self, gain: u64) -> u64 {
        self.bdp_at(self.bounds.bandwidth, gain)
    }

    /// QuantizationBudget.
    pub(super) fn at_least_pipe(&self, inflight: u64, mss: u64) -> u64 {
        let probing = if self.state == State::Up { 2 * mss } else { 0 };
        inflight.max(3 * QUANTUM * mss).max(MIN_PIPE * mss).saturating_add(probing)
    }

    pub(super) fn inflight(&self, gain: u64, mss: u64) -> u64 {
        self.at_least_pipe(self.bdp(gain), mss)
    }

    /// TargetInflight.
    pub(super) fn target_inflight(&self, window: &Window) -> u64 {
        self.bdp(100).min(window.cwnd)
    }

    pub(super) fn save_cwnd(&mut self, window: &Window) {
        let kept = self.recovering || self.state == State::ProbeRtt;
        self.prior_cwnd = if kept { self.prior_cwnd.max(window.cwnd) } else { window.cwnd };
    }

    pub(super) fn restore_cwnd(&self, window: &mut Window) {
        window.cwnd = window.cwnd.max(self.prior_cwnd);
    }

    pub(super) fn set_cwnd(&self, window: &mut Window, sample: &Sample) {
        let mss = sample.ctx.mss;
        let wanted = self.bdp(self.state.cwnd_gain()).saturating_add(self.aggregation.extra);
        let most = self.at_least_pipe(wanted, mss);
        if self.full.reached {
            window.cwnd = (window.cwnd + sample.newly).min(most);
        } else if window.cwnd < most || self.delivered < self.initial_window {
            window.cwnd += sample.newly;
        }
        window.cwnd = window.cwnd.max(MIN_PIPE * mss);
        if self.state == State::ProbeRtt {
            window.cwnd = window.cwnd.min(self.probe_rtt.cwnd);
        }
        // BoundCwndForModel.
        let longterm = match self.state {
            State::Down | State::Refill | State::Up => self.bounds.longterm,
            State::Cruise | State::ProbeRtt => self.inflight_with_headroom(mss),
            State::Startup | State::Drain => UNBOUNDED,
        };
        window.cwnd = window.cwnd.min(longterm.min(self.bounds.shortterm).max(MIN_PIPE * mss));
    }
}
