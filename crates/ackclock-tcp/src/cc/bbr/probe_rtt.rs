//! ProbeRTT: drains the queue periodically to measure the RTT without it (draft-ietf-ccwg-bbr section 5.3.4).

use super::*;

/// BBR.MinRTTFilterLen, which is also BBR.ProbeRTTInterval.
const FILTER_LENGTH: Nanos = 10 * SECOND;
/// BBR.ProbeRTTDuration.
const DURATION: Nanos = 200 * MILLISECOND;

#[derive(Clone, Copy, Debug)]
pub(super) struct ProbeRtt {
    /// min_rtt, ns; [`Nanos::MAX`] if unknown.
    pub min_rtt: Nanos,
    stamp: Nanos,
    expired: bool,
    /// probe_rtt_done_stamp.
    until: Option<Nanos>,
    round_done: bool,
    /// probe_rtt_cwnd, bytes.
    pub cwnd: u64,
    /// Range of `prior_delivered` of segments sent in ProbeRTT, or while data sent in ProbeRTT were in flight.
    slow: (u64, u64),
}

impl Default for ProbeRtt {
    fn default() -> ProbeRtt {
        ProbeRtt {
            min_rtt: Nanos::MAX,
            stamp: 0,
            expired: false,
            until: None,
            round_done: false,
            cwnd: 0,
            slow: (u64::MAX, 0),
        }
    }
}

impl ProbeRtt {
    pub fn start(&mut self, ctx: &Context) {
        (self.min_rtt, self.stamp) = (ctx.srtt.unwrap_or(Nanos::MAX), ctx.now);
        self.cwnd = ctx.initial_window;
    }

    /// Whether a segment sent at `prior_delivered` counts as application-limited because of ProbeRTT, as in the draft.
    pub fn slowed(&self, prior_delivered: u64) -> bool {
        (self.slow.0..=self.slow.1).contains(&prior_delivered)
    }
}

impl Bbr {
    /// UpdateMinRTT and CheckProbeRTT.
    pub(super) fn check_probe_rtt(&mut self, window: &mut Window, sample: &Sample) {
        self.update_min_rtt(sample);
        if self.state != State::ProbeRtt && self.probe_rtt.expired && !self.idle_restart {
            self.save_cwnd(window);
            self.state = State::ProbeRtt;
            self.probe_rtt.until = None;
            self.probe_rtt.slow.0 = self.delivered;
            self.cycle.stop();
            self.rounds.begin(self.delivered);
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt(window, sample);
        }
        self.idle_restart &= sample.delivered == 0;
    }

    fn update_min_rtt(&mut self, sample: &Sample) {
        let Context { now, mss, .. } = sample.ctx;
        self.probe_rtt.expired = now > self.probe_rtt.stamp + FILTER_LENGTH;
        if self.probe_rtt.expired && self.state != State::ProbeRtt {
            // The window uses the previous estimate. The sample that replaces the estimate may include a queueing
            // delay.
            self.probe_rtt.cwnd = self.bdp(State::ProbeRtt.cwnd_gain()).max(MIN_PIPE * mss);
        }
        if let Some(rtt) = sample.rtt
            && (rtt < self.probe_rtt.min_rtt || self.probe_rtt.expired)
        {
            (self.probe_rtt.min_rtt, self.probe_rtt.stamp) = (rtt, now);
        }
    }

    fn handle_probe_rtt(&mut self, window: &mut Window, sample: &Sample) {
        let Context { now, pipe, .. } = sample.ctx;
        self.probe_rtt.slow.1 = self.delivered + pipe;
        if self.probe_rtt.until.is_some() {
            self.probe_rtt.round_done |= self.rounds.start;
            if self.probe_rtt.round_done {
                self.check_probe_rtt_done(window, now);
            }
        } else if pipe <= self.probe_rtt.cwnd {
            (self.probe_rtt.until, self.probe_rtt.round_done) = (Some(now + DURATION), false);
            self.rounds.begin(self.delivered);
        }
    }

    /// CheckProbeRTTDone and ExitProbeRTT.
    pub(super) fn check_probe_rtt_done(&mut self, window: &mut Window, now: Nanos) {
        if self.probe_rtt.until.is_none_or(|until| now <= until) {
            return;
        }
        self.probe_rtt.stamp = now;
        self.restore_cwnd(window);
        self.bounds.forget_shortterm();
        if self.full.reached {
            self.start_down(now);
            self.start_cruise();
        } else {
            self.state = State::Startup;
        }
    }
}
