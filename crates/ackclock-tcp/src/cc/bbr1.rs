//! BBR, version 1, as Linux implements it (`bbr` there): paces at the largest recent delivery rate, with up to two
//! bandwidth-delay products in flight.
//!
//! # Equations
//!
//! `BtlBw = max(delivery rate over 10 round trips)`, `RTprop = min(RTT over 10 s)`, `BDP = BtlBw * RTprop`;
//! `pacing rate = 0.99 * pacing_gain * BtlBw`, `cwnd = cwnd_gain * BDP + extra + 3 quanta`, in whole segments, rounded up
//! to an even number.
//!
//! - Startup: both gains are 2/ln 2, until the rate has not grown by a quarter in three rounds.
//! - Drain: the pacing gain is ln 2 / 2, until one BDP is in flight.
//! - ProbeBW: eight phases of one RTprop each with pacing gains 5/4, 3/4 and six times 1; the cwnd gain is 2. The first
//!   phase lasts until 5/4 BDP are in flight or a segment is lost, and allows two segments more. The second ends early
//!   when one BDP is in flight.
//! - ProbeRTT: four segments for 200 ms and a round trip, when no smaller RTT was measured for 10 s. The same RTT does not
//!   count, so that a flow alone on its path probes every 10 s.
//! - extra: the largest surplus of data that ACKs cover over BtlBw times the time, of the last five to ten rounds, at most
//!   100 ms of data; once Startup has ended.
//! - Policers: if two consecutive intervals of 4 to 16 rounds between losses lose at least 50/256 of the delivered data at
//!   the same rate, within an eighth, that rate replaces BtlBw for 48 rounds, with a pacing gain of 1.
//! - What is in flight at the end of the first two phases and of Drain is that at the time when pacing lets the next
//!   segment leave: what BtlBw delivers until then does not count, and in the first phase a quantum more does.
//! - Losses: in the first round of a recovery, data in flight is replaced by as much as is delivered. The window is
//!   restored afterwards. If the ACK that ends a recovery starts the next one, the recovery goes on: the module compares
//!   states from ACK to ACK. The loss of a retransmission changes nothing.
//!
//! # Constants
//!
//! The constants are those of draft-cardwell-iccrg-bbr-congestion-control-00 and net/ipv4/tcp_bbr.c. Gains are in units of
//! 1/256: 739, 88, 320 and 192. The quantum is 1/1024 s of the pacing rate, at least two segments, or one below 1.2 Mbit/s.
//!
//! # Deviations
//!
//! - ECN marks are not answered, as in Linux.
//! - The first phase of ProbeBW is drawn from the connection's initial sequence number.
//!
//! Where the kernel differs from the draft, this is the kernel's form. The draft has neither the detection of policers nor the compensation of aggregated ACKs; both are Linux's. It refreshes
//! RTprop by equal samples, and its window is neither rounded nor larger in the first phase of ProbeBW.
//!
//! # Validated against
//!
//! The end of Startup after three rounds without growth, the cycle of gains, the bound of two BDP and a few segments in
//! flight, ProbeRTT every 10 s, policers and aggregated ACKs on worked values.

mod aggregation;
mod policer;
mod probe_bw;
mod probe_rtt;
mod recovery;
#[cfg(test)]
mod tests;

use aggregation::Aggregation;
use policer::{Policer, Sample};
use probe_bw::CYCLE;
use recovery::{Ended, Recovery};

use std::borrow::Cow;

use super::random::Random;
use super::windowed::WindowedMax;
use super::{CongestionControl, Entry, Scope, paced};
use crate::context::{Ack, Cause, Congestion, Context, Delivery, RateSample, Window};
use crate::{MILLISECOND, Nanos, Rate, SECOND};

pub(super) const ENTRY: Entry = Entry {
    name: "bbr1",
    summary: "paces at the largest delivery rate seen in ten rounds, with two bandwidth-delay products in flight",
    source: "draft-cardwell-iccrg-bbr-congestion-control-00; Linux net/ipv4/tcp_bbr.c",
    parameters: &[],
    make: |_| Box::new(Bbr1::default()),
};

/// The unit of gains.
const UNIT: u64 = 256;
/// BBRHighGain: 2/ln 2, the smallest gain that doubles the rate each round.
const HIGH_GAIN: u64 = UNIT * 2885 / 1000 + 1;
const DRAIN_GAIN: u64 = UNIT * 1000 / 2885;
/// BBR.cwnd_gain in ProbeBW.
const CWND_GAIN: u64 = 2 * UNIT;
/// Length of the filter of BtlBw, rounds.
const BANDWIDTH_ROUNDS: u64 = 10;
/// BBRMinPipeCwnd, segments.
const MIN_PIPE: u64 = 4;
/// Window before the first RTT sample, segments.
const FIRST_WINDOW: u64 = 10;
/// The send quantum: share of the pacing rate in a second, largest number of bytes (64 KB without headers), and the pacing
/// rate from which it is at least two segments, bytes per second.
const QUANTUM: (u64, u64, u64) = (1024, 65_215, 150_000);

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
    /// Time of the last ACK, the window before it, and the bytes that it delivered.
    last: (Nanos, u64, u64),
    recovery: Recovery,
    /// The last end of a fast recovery.
    ended: Option<Ended>,
    /// Range of `prior_delivered` of segments sent in ProbeRTT. Their rate samples are treated as application-limited.
    slow_since: u64,
    slow_until: u64,
    delivered: u64,
    lost: u64,
    policer: Policer,
    aggregation: Aggregation,
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
            last: (0, 0, 0),
            recovery: Recovery::None,
            ended: None,
            slow_since: u64::MAX,
            slow_until: 0,
            delivered: 0,
            lost: 0,
            policer: Policer::default(),
            aggregation: Aggregation::default(),
        }
    }
}

impl Bbr1 {
    fn pacing_gain(&self) -> u64 {
        match self.state {
            State::Startup => HIGH_GAIN,
            State::Drain => DRAIN_GAIN,
            State::ProbeBw { .. } if self.policer.rate().is_some() => UNIT,
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

    /// The bandwidth of the model, or that of a policer, bytes per second.
    fn rate(&self) -> u64 {
        self.policer.rate().unwrap_or(self.bandwidth)
    }

    /// `gain` times the BDP at `rate` bytes per second, in segments, rounded up.
    fn bdp(&self, rate: u64, gain: u64, mss: u64) -> u64 {
        if self.rtprop == Nanos::MAX {
            return FIRST_WINDOW;
        }
        let bytes = u128::from(rate) * u128::from(self.rtprop) * u128::from(gain) / u128::from(UNIT);
        u64::try_from(bytes.div_ceil(u128::from(SECOND) * u128::from(mss))).unwrap_or(u64::MAX / 2)
    }

    /// The send quantum, segments.
    fn quantum(&self, mss: u64) -> u64 {
        let (share, most, fast) = QUANTUM;
        ((self.pacing / share).min(most) / mss).clamp(if self.pacing < fast { 1 } else { 2 }, 127)
    }

    /// `segments` and the allowance for segments at the ends of the path, in bytes.
    fn with_allowance(&self, segments: u64, mss: u64) -> u64 {
        let even = segments.saturating_add(3 * self.quantum(mss)).next_multiple_of(2);
        let probe = if matches!(self.state, State::ProbeBw { phase: 0, .. }) { 2 } else { 0 };
        (even + probe).saturating_mul(mss)
    }

    /// BBRInflight: `gain` times the BDP and the allowance, bytes.
    fn inflight(&self, gain: u64, mss: u64) -> u64 {
        self.with_allowance(self.bdp(self.bandwidth, gain, mss), mss)
    }

    /// Returns how many of `inflight` bytes are still in flight when the next segment may leave. The result includes
    /// that segment if `gain` exceeds 1.
    fn at_release(&self, inflight: u64, gain: u64, ctx: &Context) -> u64 {
        let wait = u128::from(ctx.release.saturating_sub(ctx.now));
        let delivered = u128::from(self.rate()) * wait / (u128::from(SECOND) * u128::from(ctx.mss));
        let delivered = u64::try_from(delivered).unwrap_or(u64::MAX).saturating_mul(ctx.mss);
        let next = if gain > UNIT { self.quantum(ctx.mss) * ctx.mss } else { 0 };
        (inflight + next).saturating_sub(delivered)
    }

    fn update_bandwidth(&mut self, delivery: &Delivery, sample: &RateSample) {
        self.round_start = false;
        let Some(rate) = sample.rate().map(Rate::bytes) else { return };
        self.round_start = sample.prior_delivered >= self.round_end;
        if self.round_start {
            self.round_end = self.delivered;
            self.round += 1;
            self.recovery.end_conservation();
        }
        let app_limited = self.is_limited(sample);
        let now = delivery.ack.ctx.now;
        self.sample_policer(now, delivery.ack.lost > 0, app_limited);
        if rate >= self.bandwidth || !app_limited {
            self.bandwidth = self.filter.update(self.round, rate, BANDWIDTH_ROUNDS);
        }
    }

    fn sample_policer(&mut self, now: Nanos, loses: bool, app_limited: bool) {
        let over = self.policer.on_sample(&Sample {
            now,
            round_start: self.round_start,
            loses,
            app_limited,
            probes: matches!(self.state, State::ProbeBw { .. }),
            delivered: self.delivered,
            lost: self.lost,
        });
        if over {
            self.enter_probe_bw(now);
        }
    }

    fn update_aggregation(&mut self, window: &Window, delivery: &Delivery, sample: &RateSample) {
        let Context { now, mss, .. } = delivery.ack.ctx;
        if delivery.newly > 0 && sample.interval > 0 {
            let (newly, cwnd, rate) = (delivery.newly.div_ceil(mss), window.cwnd / mss, self.rate());
            self.aggregation.on_ack(now, newly, self.round_start, rate, cwnd, mss);
        }
    }

    /// Whether the application limited the sample, or ProbeRTT, which counts as that.
    fn is_limited(&self, sample: &RateSample) -> bool {
        sample.app_limited || (self.slow_since..=self.slow_until).contains(&sample.prior_delivered)
    }

    fn check_full_pipe(&mut self, sample: &RateSample) {
        if self.filled || !self.round_start || self.is_limited(sample) {
            return;
        }
        if self.bandwidth >= self.full_bandwidth + self.full_bandwidth / 4 {
            (self.full_bandwidth, self.full_count) = (self.bandwidth, 0);
            return;
        }
        self.full_count += 1;
        self.filled = self.full_count >= 3;
    }

    fn set_pacing(&mut self, window: &mut Window, gain: u64, mss: u64) {
        let rate = u128::from(self.rate()) * u128::from(gain) * 99 / (100 * u128::from(UNIT));
        let rate = u64::try_from(rate).unwrap_or(u64::MAX);
        if self.bandwidth > 0 && (self.filled || rate > self.pacing) {
            self.pacing = rate.max(1);
            window.pacing_rate = Some(paced(self.pacing, mss));
        }
    }

    fn set_cwnd(&mut self, window: &mut Window, delivery: &Delivery) {
        let Ack { ctx, lost, .. } = delivery.ack;
        if delivery.newly > 0 {
            window.cwnd = window.cwnd.saturating_sub(lost).max(ctx.mss);
            if self.recovery.conserves() {
                window.cwnd = window.cwnd.max(ctx.pipe + delivery.newly);
            } else {
                self.approach_target(window, delivery);
            }
        }
        if matches!(self.state, State::ProbeRtt { .. }) {
            window.cwnd = window.cwnd.min(MIN_PIPE * ctx.mss);
        }
    }

    fn approach_target(&self, window: &mut Window, delivery: &Delivery) {
        let mss = delivery.ack.ctx.mss;
        let extra = if self.filled { self.aggregation.extra(self.rate(), mss) } else { 0 };
        let target = self.with_allowance(self.bdp(self.rate(), self.cwnd_gain(), mss) + extra, mss);
        if self.filled {
            window.cwnd = (window.cwnd + delivery.newly).min(target);
        } else if window.cwnd < target || self.delivered < FIRST_WINDOW * mss {
            window.cwnd += delivery.newly;
        }
        window.cwnd = window.cwnd.max(MIN_PIPE * mss);
    }
}

impl CongestionControl for Bbr1 {
    fn seed(&mut self, seed: u32) {
        self.random = Random::new(seed);
    }

    fn on_start(&mut self, window: &mut Window, ctx: &Context) {
        (self.rtprop, self.rtprop_at) = (ctx.srtt.unwrap_or(Nanos::MAX), ctx.now);
        self.aggregation.begin(ctx.now);
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
        if matches!(self.recovery, Recovery::Fast { .. }) {
            // The loss of a retransmission is no new recovery.
            return;
        }
        let Context { now, pipe, mss, .. } = event.ctx;
        if let Some(ended) = self.ended.take().filter(|ended| ended.at == now) {
            self.continue_recovery(window, &ended, &event.ctx);
            return;
        }
        self.save_cwnd(window, now);
        self.recovery = Recovery::Fast { conserving: true };
        self.round_end = self.delivered;
        // As much as the ACK that shows the loss has delivered.
        let newly = if self.last.0 == now { self.last.2.max(mss) } else { mss };
        window.cwnd = window.cwnd.min(pipe + newly);
    }

    fn on_timeout(&mut self, window: &mut Window, event: &Congestion, _first: bool) {
        self.save_cwnd(window, event.ctx.now);
        self.recovery = Recovery::Timeout;
        (self.full_bandwidth, self.round_start) = (0, true);
        self.sample_policer(event.ctx.now, true, false);
        window.cwnd = event.ctx.pipe + event.ctx.mss;
    }

    fn on_undo(&mut self, window: &mut Window, _before: &Window) {
        (self.full_bandwidth, self.full_count) = (0, 0);
        self.policer.reset();
        self.recovery.end_conservation();
        window.cwnd = window.cwnd.max(self.prior_cwnd);
    }

    fn on_idle_end(&mut self, window: &mut Window, ctx: &Context, _idle: Nanos) {
        if ctx.snd_nxt == 0 {
            return;
        }
        self.idle_restart = true;
        self.aggregation.begin(ctx.now);
        match self.state {
            State::ProbeBw { .. } => self.set_pacing(window, UNIT, ctx.mss),
            State::ProbeRtt { .. } => self.end_probe_rtt(window, ctx.now),
            State::Startup | State::Drain => {}
        }
    }

    fn scope(&self) -> Scope {
        Scope { slow_start: true, window: true, rates: true, paces: true, ..Scope::default() }
    }

    /// The phases of ProbeBW have the names of BBRv3's states with the same gains.
    fn state(&self) -> Option<Cow<'_, str>> {
        let name = match self.state {
            State::Startup => "startup",
            State::Drain => "drain",
            State::ProbeBw { .. } => match self.pacing_gain() {
                UNIT => "probe_bw_cruise",
                gain if gain > UNIT => "probe_bw_up",
                _ => "probe_bw_down",
            },
            State::ProbeRtt { .. } => "probe_rtt",
        };
        Some(name.into())
    }

    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        let Some(sample) = &delivery.rate else { return };
        let ctx = &delivery.ack.ctx;
        self.last = (ctx.now, window.cwnd, delivery.newly);
        self.delivered = delivery.delivered;
        // The total does not include what this acknowledgment shows, and a segment that is lost again counts there alone.
        self.lost = self.lost.max(delivery.lost + delivery.ack.lost);
        self.update_bandwidth(delivery, sample);
        self.update_aggregation(window, delivery, sample);
        self.update_recovery(window, &delivery.ack);
        self.check_full_pipe(sample);
        self.check_phases(&delivery.ack);
        // A lone segment that is not full is likely to wait for the timer of delayed ACKs.
        let delayed = delivery.ack.acked < ctx.mss && sample.delivered == delivery.newly;
        self.update_rtprop(ctx.now, delivery.sent_at.map(|sent_at| ctx.now - sent_at), delayed);
        self.check_probe_rtt(window, ctx);
        self.set_pacing(window, self.pacing_gain(), ctx.mss);
        self.set_cwnd(window, delivery);
    }
}
