//! BBR, version 1: paces at the largest recent delivery rate, with up to two bandwidth-delay products in flight.
//!
//! # Equations
//!
//! `BtlBw = max(delivery rate over 10 round trips)`, `RTprop = min(RTT over 10 s)`, `BDP = BtlBw * RTprop`;
//! `pacing rate = 0.99 * pacing_gain * BtlBw`, `cwnd = cwnd_gain * BDP + 3 quanta`.
//!
//! - Startup: both gains are 2/ln 2, until the rate has not grown by a quarter in three rounds.
//! - Drain: the pacing gain is ln 2 / 2, until one BDP is in flight.
//! - ProbeBW: eight phases of one RTprop each with pacing gains 5/4, 3/4 and six times 1; the cwnd gain is 2. The first
//!   phase lasts until 5/4 BDP are in flight or a segment is lost. The second ends early when one BDP is in flight.
//! - ProbeRTT: four segments for 200 ms and a round trip, when RTprop has not been measured for 10 s.
//!
//! # Constants
//!
//! The constants are those of draft-cardwell-iccrg-bbr-congestion-control-00: filters of 10 round trips (section
//! 4.1.1.2) and 10 s (4.1.2.2), three quanta (4.2.3.2), four segments (4.2.3.3), 2/ln 2, three rounds and 1.25 (4.3.2),
//! the gains of Drain (4.3.3) and of ProbeBW (4.3.4), and 200 ms and 10 s of ProbeRTT (4.3.5). The pacing margin of 1 %
//! is that of Linux (net/ipv4/tcp_bbr.c).
//!
//! # Deviations
//!
//! - The send quantum is two segments at any rate, since there is no segmentation offload. Section 4.2.2 allows other
//!   choices; its own is one segment below 1.2 Mbit/s, and from 24 Mbit/s on the bytes of a millisecond, but at most 64
//!   KB.
//! - Traffic policers are not sampled, and aggregated ACKs are not compensated. Linux has both; the draft does not.
//! - ECN marks are not answered, as in Linux.
//! - The first phase of ProbeBW is drawn from the connection's initial sequence number.
//!
//! # Validated against
//!
//! The end of Startup after three rounds without growth, the cycle of gains, the bound of two BDP and a few segments in
//! flight, and ProbeRTT every 10 s. Not compared with a kernel.

#[cfg(test)]
mod tests;

use super::random::Random;
use super::windowed::WindowedMax;
use super::{CongestionControl, Entry, Scope, paced};
use crate::context::{Ack, Cause, Congestion, Context, Delivery, RateSample, Window};
use crate::{MILLISECOND, Nanos, SECOND};

pub(super) const ENTRY: Entry = Entry {
    name: "bbr1",
    summary: "paces at the largest delivery rate seen in ten rounds, with two bandwidth-delay products in flight",
    source: "draft-cardwell-iccrg-bbr-congestion-control-00; Linux net/ipv4/tcp_bbr.c",
    parameters: &[],
    make: |_| Box::new(Bbr1::default()),
};

/// Gains are in thousandths.
const UNIT: u64 = 1000;
/// BBRHighGain: 2/ln 2, the smallest gain that doubles the rate each round.
const HIGH_GAIN: u64 = 2885;
const DRAIN_GAIN: u64 = UNIT * UNIT / HIGH_GAIN;
/// BBR.cwnd_gain in ProbeBW.
const CWND_GAIN: u64 = 2 * UNIT;
/// pacing_gain of the phases of ProbeBW.
const CYCLE: [u64; 8] = [1250, 750, UNIT, UNIT, UNIT, UNIT, UNIT, UNIT];
/// Length of the filter of BtlBw, rounds.
const BANDWIDTH_ROUNDS: u64 = 10;
/// RTpropFilterLen.
const RTPROP_LENGTH: Nanos = 10 * SECOND;
const PROBE_RTT_DURATION: Nanos = 200 * MILLISECOND;
/// BBRMinPipeCwnd and the send quantum, segments.
const MIN_PIPE: u64 = 4;
const QUANTUM: u64 = 2;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Startup,
    Drain,
    /// Phase of the cycle, and when it began.
    ProbeBw {
        phase: usize,
        since: Nanos,
    },
    /// Earliest end of the phase, known once the flight is small enough, and whether a round has passed since.
    ProbeRtt {
        until: Option<Nanos>,
        round_done: bool,
    },
}

#[derive(Debug)]
struct Bbr1 {
    random: Random,
    state: State,
    /// BtlBw in bytes of payload per second, and its filter over rounds.
    bandwidth: u64,
    filter: WindowedMax,
    /// RTprop; [`Nanos::MAX`] if unknown.
    rtprop: Nanos,
    rtprop_at: Nanos,
    rtprop_expired: bool,
    round: u64,
    round_start: bool,
    /// C.delivered at which the round ends.
    round_end: u64,
    /// The draft's full_bw, full_bw_count and filled_pipe.
    full_bandwidth: u64,
    full_count: u32,
    filled: bool,
    idle_restart: bool,
    /// Pacing rate of the payload, bytes per second.
    pacing: u64,
    /// The window to restore after recovery or ProbeRTT, bytes.
    prior_cwnd: u64,
    /// Whether a loss is being repaired, and whether this is the first round of the repair.
    recovering: bool,
    conserving: bool,
    /// Range of `prior_delivered` of segments sent in ProbeRTT. Their rate samples are treated as application-limited.
    slow_since: u64,
    slow_until: u64,
    delivered: u64,
    initial_window: u64,
}

impl Default for Bbr1 {
    fn default() -> Bbr1 {
        Bbr1 {
            random: Random::default(),
            state: State::Startup,
            bandwidth: 0,
            filter: WindowedMax::default(),
            rtprop: Nanos::MAX,
            rtprop_at: 0,
            rtprop_expired: false,
            round: 0,
            round_start: false,
            round_end: 0,
            full_bandwidth: 0,
            full_count: 0,
            filled: false,
            idle_restart: false,
            pacing: 0,
            prior_cwnd: 0,
            recovering: false,
            conserving: false,
            slow_since: u64::MAX,
            slow_until: 0,
            delivered: 0,
            initial_window: 0,
        }
    }
}

impl Bbr1 {
    fn pacing_gain(&self) -> u64 {
        match self.state {
            State::Startup => HIGH_GAIN,
            State::Drain => DRAIN_GAIN,
            State::ProbeBw { phase, .. } => CYCLE[phase],
            State::ProbeRtt { .. } => UNIT,
        }
    }

    fn cwnd_gain(&self) -> u64 {
        match self.state {
            State::Startup | State::Drain => HIGH_GAIN,
            State::ProbeBw { .. } => CWND_GAIN,
            State::ProbeRtt { .. } => UNIT,
        }
    }

    /// BBRInflight: `gain` times the BDP plus three send quanta, bytes.
    fn inflight(&self, gain: u64, mss: u64) -> u64 {
        if self.rtprop == Nanos::MAX {
            return self.initial_window;
        }
        let bdp = u128::from(self.bandwidth) * u128::from(self.rtprop) / u128::from(SECOND);
        let bytes = bdp * u128::from(gain) / u128::from(UNIT);
        u64::try_from(bytes).unwrap_or(u64::MAX / 2).saturating_add(3 * QUANTUM * mss)
    }

    fn update_bandwidth(&mut self, sample: &RateSample) {
        self.round_start = sample.prior_delivered >= self.round_end;
        if self.round_start {
            self.round_end = self.delivered;
            self.round += 1;
        }
        let slow = (self.slow_since..=self.slow_until).contains(&sample.prior_delivered);
        let Some(rate) = sample.bytes_per_second() else { return };
        if rate >= self.bandwidth || !(sample.app_limited || slow) {
            self.bandwidth = self.filter.update(self.round, rate, BANDWIDTH_ROUNDS);
        }
    }

    fn check_full_pipe(&mut self, sample: &RateSample) {
        if self.filled || !self.round_start || sample.app_limited {
            return;
        }
        if self.bandwidth >= self.full_bandwidth + self.full_bandwidth / 4 {
            (self.full_bandwidth, self.full_count) = (self.bandwidth, 0);
            return;
        }
        self.full_count += 1;
        self.filled = self.full_count >= 3;
    }

    fn enter_probe_bw(&mut self, now: Nanos) {
        // Any phase except 3/4 may come first, so that flows that begin together do not probe together.
        let drawn = self.random.below(CYCLE.len() as u64 - 1) as usize;
        let phase = if drawn == 0 { 0 } else { drawn + 1 };
        self.state = State::ProbeBw { phase, since: now };
    }

    fn check_phases(&mut self, ack: &Ack) {
        let Context { now, mss, pipe, .. } = ack.ctx;
        if self.state == State::Startup && self.filled {
            self.state = State::Drain;
        }
        if self.state == State::Drain && pipe <= self.inflight(UNIT, mss) {
            self.enter_probe_bw(now);
        }
        let State::ProbeBw { phase, since } = self.state else { return };
        let gain = CYCLE[phase];
        let whole = now.saturating_sub(since) > self.rtprop;
        let before = pipe + ack.acked + ack.sacked + ack.lost;
        let over = if gain > UNIT {
            whole && (ack.lost > 0 || before >= self.inflight(gain, mss))
        } else if gain < UNIT {
            whole || before <= self.inflight(UNIT, mss)
        } else {
            whole
        };
        if over {
            self.state = State::ProbeBw { phase: (phase + 1) % CYCLE.len(), since: now };
        }
    }

    fn update_rtprop(&mut self, now: Nanos, rtt: Option<Nanos>) {
        self.rtprop_expired = now > self.rtprop_at + RTPROP_LENGTH;
        if let Some(rtt) = rtt
            && (rtt <= self.rtprop || self.rtprop_expired)
        {
            (self.rtprop, self.rtprop_at) = (rtt, now);
        }
    }

    fn save_cwnd(&mut self, window: &Window) {
        let kept = self.recovering || matches!(self.state, State::ProbeRtt { .. });
        self.prior_cwnd = if kept { self.prior_cwnd.max(window.cwnd) } else { window.cwnd };
    }

    fn check_probe_rtt(&mut self, window: &mut Window, ctx: &Context) {
        if self.rtprop_expired && !self.idle_restart && !matches!(self.state, State::ProbeRtt { .. }) {
            self.save_cwnd(window);
            self.state = State::ProbeRtt { until: None, round_done: false };
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

    fn end_probe_rtt(&mut self, window: &mut Window, now: Nanos) {
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

    fn set_pacing(&mut self, window: &mut Window, gain: u64, mss: u64) {
        let rate = u128::from(self.bandwidth) * u128::from(gain) * 99 / (100 * u128::from(UNIT));
        let rate = u64::try_from(rate).unwrap_or(u64::MAX);
        if self.bandwidth > 0 && (self.filled || rate > self.pacing) {
            self.pacing = rate.max(1);
            window.pacing_rate = Some(paced(self.pacing, mss));
        }
    }

    fn set_cwnd(&mut self, window: &mut Window, delivery: &Delivery) {
        let Ack { ctx, lost, .. } = delivery.ack;
        let target = self.inflight(self.cwnd_gain(), ctx.mss);
        if self.recovering {
            window.cwnd = window.cwnd.saturating_sub(lost).max(ctx.mss);
        }
        if self.conserving {
            window.cwnd = window.cwnd.max(ctx.pipe + delivery.newly);
        } else {
            if self.filled {
                window.cwnd = (window.cwnd + delivery.newly).min(target);
            } else if window.cwnd < target || self.delivered < ctx.initial_window {
                window.cwnd += delivery.newly;
            }
            window.cwnd = window.cwnd.max(MIN_PIPE * ctx.mss);
        }
        if matches!(self.state, State::ProbeRtt { .. }) {
            window.cwnd = window.cwnd.min(MIN_PIPE * ctx.mss);
        }
    }

    /// Ends the recovery, or its first round, when it is over.
    fn update_recovery(&mut self, window: &mut Window, ctx: &Context) {
        if self.recovering && !ctx.in_recovery {
            (self.recovering, self.conserving) = (false, false);
            window.cwnd = window.cwnd.max(self.prior_cwnd);
        }
        self.conserving &= !self.round_start;
    }
}

impl CongestionControl for Bbr1 {
    fn seed(&mut self, seed: u32) {
        self.random = Random::new(seed);
    }

    fn on_start(&mut self, window: &mut Window, ctx: &Context) {
        (self.rtprop, self.rtprop_at) = (ctx.srtt.unwrap_or(Nanos::MAX), ctx.now);
        self.initial_window = ctx.initial_window;
        let srtt = ctx.srtt.unwrap_or(MILLISECOND).max(1);
        let nominal = u128::from(window.cwnd) * u128::from(SECOND) / u128::from(srtt);
        let rate = nominal * u128::from(HIGH_GAIN) / u128::from(UNIT);
        self.pacing = u64::try_from(rate).unwrap_or(u64::MAX).max(1);
        window.pacing_rate = Some(paced(self.pacing, ctx.mss));
    }

    fn on_ack(&mut self, _window: &mut Window, _ack: &Ack, _acked: u64) {}

    fn on_congestion(&mut self, window: &mut Window, event: &Congestion) {
        if event.cause != Cause::Loss {
            return;
        }
        self.save_cwnd(window);
        (self.recovering, self.conserving) = (true, true);
        self.round_end = self.delivered;
        window.cwnd = window.cwnd.min(event.ctx.pipe + event.ctx.mss);
    }

    fn on_timeout(&mut self, window: &mut Window, event: &Congestion, _first: bool) {
        self.save_cwnd(window);
        (self.recovering, self.conserving) = (true, false);
        window.cwnd = event.ctx.pipe + event.ctx.mss;
    }

    fn on_undo(&mut self, window: &mut Window, _before: &Window) {
        (self.full_bandwidth, self.full_count) = (0, 0);
        self.conserving = false;
        window.cwnd = window.cwnd.max(self.prior_cwnd);
    }

    fn on_idle_end(&mut self, window: &mut Window, ctx: &Context, _idle: Nanos) {
        if ctx.snd_nxt == 0 {
            return;
        }
        self.idle_restart = true;
        match self.state {
            State::ProbeBw { .. } => self.set_pacing(window, UNIT, ctx.mss),
            State::ProbeRtt { .. } => self.end_probe_rtt(window, ctx.now),
            State::Startup | State::Drain => {}
        }
    }

    fn scope(&self) -> Scope {
        Scope { slow_start: true, window: true, deliveries: true, ..Scope::default() }
    }

    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        let Some(sample) = &delivery.rate else { return };
        let ctx = &delivery.ack.ctx;
        self.delivered = delivery.delivered;
        self.update_bandwidth(sample);
        self.update_recovery(window, ctx);
        self.check_full_pipe(sample);
        self.check_phases(&delivery.ack);
        self.update_rtprop(ctx.now, delivery.sent_at.map(|sent_at| ctx.now - sent_at));
        self.check_probe_rtt(window, ctx);
        self.set_pacing(window, self.pacing_gain(), ctx.mss);
        self.set_cwnd(window, delivery);
    }
}
