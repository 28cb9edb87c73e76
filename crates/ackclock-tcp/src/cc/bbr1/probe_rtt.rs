//! RTprop, and ProbeRTT, which measures it anew.

use super::{Bbr1, MIN_PIPE, State};
use crate::context::{Context, Window};
use crate::{MILLISECOND, Nanos, SECOND};

/// RTpropFilterLen.
const RTPROP_LENGTH: Nanos = 10 * SECOND;
const PROBE_RTT_DURATION: Nanos = 200 * MILLISECOND;

impl Bbr1 {
    /// Updates RTprop; `delayed` is whether the ACK may have been delayed.
    pub(super) fn update_rtprop(&mut self, now: Nanos, rtt: Option<Nanos>, delayed: bool) {
        self.rtprop_expired = now > self.rtprop_at + RTPROP_LENGTH;
        if let Some(rtt) = rtt
            && (rtt < self.rtprop || self.rtprop_expired && !delayed)
        {
            (self.rtprop, self.rtprop_at) = (rtt, now);
        }
    }

    /// Begins and ends ProbeRTT.
    pub(super) fn check_probe_rtt(&mut self, window: &mut Window, ctx: &Context) {
        if self.rtprop_expired && !self.idle_restart && !matches!(self.state, State::ProbeRtt { .. }) {
            self.state = State::ProbeRtt { until: None, round_done: false };
            self.save_cwnd(window, ctx.now);
            self.slow_since = self.delivered;
        }
        self.idle_restart = false;
        let State::ProbeRtt { until, round_done } = &mut self.state else { return };
        self.slow_until = self.delivered + ctx.pipe;
        match until {
            None if ctx.pipe <= MIN_PIPE * ctx.mss => {
                *until = Some(ctx.now + PROBE_RTT_DURATION);
                self.round_end = self.delivered;
            }
            None => {}
            Some(_) => {
                *round_done |= self.round_start;
                if *round_done {
                    self.end_probe_rtt(window, ctx.now);
                }
            }
        }
    }

    /// Ends ProbeRTT when its time has passed.
    pub(super) fn end_probe_rtt(&mut self, window: &mut Window, now: Nanos) {
        let State::ProbeRtt { until: Some(until), .. } = self.state else { return };
        if now <= until {
            return;
        }
        self.rtprop_at = now;
        window.cwnd = window.cwnd.max(self.prior_cwnd);
        if self.filled {
            self.enter_probe_bw(now);
        } else {
            self.state = State::Startup;
        }
    }
}
