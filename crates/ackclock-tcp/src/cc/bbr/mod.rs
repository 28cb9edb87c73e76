//! BBR, version 3: a model of the path, from delivery rates, round-trip times and losses, determines the sending rate
//! and the data in flight.
//!
//! # Equations
//!
//! `max_bw`: the largest delivery rate of this and the last ProbeBW cycle; `min_rtt`: the smallest RTT of 10 s;
//! `bw = min(max_bw, bw_shortterm)`, `BDP = bw * min_rtt`.
//!
//! `pacing rate = 0.99 * pacing_gain * bw`; `cwnd = cwnd_gain * BDP + extra_acked`, at most `inflight_longterm`,
//! `0.85 * inflight_longterm` while cruising, and `inflight_shortterm`; at least four segments.
//!
//! | state | pacing gain | cwnd gain | until |
//! |---|---|---|---|
//! | Startup | 2.77 | 2 | three rounds without 25 % more bandwidth, or a round with high loss |
//! | Drain | 0.5 | 2 | one BDP in flight, or three rounds |
//! | ProbeBW down | 0.9 | 2 | one BDP in flight, and headroom |
//! | ProbeBW cruise | 1 | 2 | 2 to 3 s, or as many rounds as the BDP has segments, but at most 63 |
//! | ProbeBW refill | 1 | 2 | one round |
//! | ProbeBW up | 1.25 | 2.25 | more than 2 % of a round lost; a plateau; or, after such a loss, `inflight_longterm` in flight |
//! | ProbeRTT | 1 | 0.5 | 200 ms and a round; begins when min_rtt has not been measured for 10 s |
//!
//! After a round with loss outside Startup, refill and up, the short-term bounds become `max(latest, 0.7 * bound)`. A
//! loss above 2 % while probing sets `inflight_longterm` to the data in flight at which the loss reached 2 %.
//!
//! # Constants
//!
//! The source is draft-ietf-ccwg-bbr in the working group's repository after revision 06 of July 2026, with its section
//! numbers: gains (2.5, 2.6, 5.6.1); LossThresh 2 %, Beta 0.7, Headroom 0.15 and MinPipeCwnd 4 segments (2.8); filters
//! of 2 cycles (2.11), 10 s (2.9.2) and 10 rounds (2.12); the times of ProbeRTT (2.16) and of probes for bandwidth
//! (5.3.3.8).
//!
//! # Deviations
//!
//! - ProbeRTT begins when `min_rtt` expires, after 10 s, and its window follows from the previous `min_rtt`, as in the
//!   repository. In revision 06 it begins every 5 s, with a filter separate from that of `min_rtt` (sections 2.16.2 and
//!   5.3.4.3).
//! - The send quantum is two segments, since there is no segmentation offload; the draft leaves the choice.
//! - For the exit from Startup, discontiguous losses are counted as acknowledgments that show loss.
//! - Without SACK, losses count in the same way.
//! - ECN marks are not answered. Section 3.7 leaves the response open, but asks for one if ECN was negotiated.
//! - The state for an undo is saved once per episode of loss recovery, as the text of section 5.5.11.1 says. The
//!   pseudocode of NoteLoss saves it again for the second lost packet of a probe, since StartProbeBW_DOWN has reset the
//!   losses of the round. A spurious recovery with two such packets would then restore nothing.
//! - A restart from idle counts as application-limited even if the peer's window was the limit.
//! - Random numbers come from a small generator seeded with the connection's initial sequence number.
//!
//! # Validated against
//!
//! The end of Startup after three rounds, the cycle of ProbeBW, the timing of ProbeRTT, at most two BDP and the
//! aggregation of ACKs in flight, and the exit from Startup on loss. `ackclock conform bbr` runs the draft's 22 test
//! cases: all pass except the case of a token-bucket policer. Not compared with a kernel.

mod control;
mod model;
mod probe_bw;
mod probe_rtt;
mod startup;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use super::random::Random;
use super::windowed::WindowedMax;
use super::{CongestionControl, Entry, Scope, paced};
use crate::context::{Ack, Cause, Congestion, Context, Delivery, Lost, Window};
use crate::{MILLISECOND, Nanos, Rate, SECOND};

pub(super) const ENTRY: Entry = Entry {
    name: "bbr3",
    summary: "a model of the path from delivery rate, RTT and loss; bandwidth probes in cycles, bounds from loss (version 3)",
    source: "draft-ietf-ccwg-bbr",
    parameters: &[],
    make: |_| Box::new(Bbr::default()),
};

/// Value of a bound that is not set.
const UNBOUNDED: u64 = u64::MAX;
/// BBR.MinPipeCwnd and the send quantum, segments.
const MIN_PIPE: u64 = 4;
const QUANTUM: u64 = 2;

/// The product `value * percent / 100`.
fn percent(value: u64, percent: u64) -> u64 {
    u64::try_from(u128::from(value) * u128::from(percent) / 100).unwrap_or(UNBOUNDED)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

impl State {
    /// Pacing gain, percent.
    fn pacing_gain(self) -> u64 {
        match self {
            State::Startup => 277,
            State::Drain => 50,
            State::Down => 90,
            State::Up => 125,
            State::Cruise | State::Refill | State::ProbeRtt => 100,
        }
    }

    /// Window gain, percent.
    fn cwnd_gain(self) -> u64 {
        match self {
            State::Up => 225,
            State::ProbeRtt => 50,
            _ => 200,
        }
    }

    /// Name for observers: that of the draft (section 3.4) in lower case.
    fn name(self) -> &'static str {
        match self {
            State::Startup => "startup",
            State::Drain => "drain",
            State::Down => "probe_bw_down",
            State::Cruise => "probe_bw_cruise",
            State::Refill => "probe_bw_refill",
            State::Up => "probe_bw_up",
            State::ProbeRtt => "probe_rtt",
        }
    }

    /// IsInAProbeBWState.
    fn is_probe_bw(self) -> bool {
        matches!(self, State::Down | State::Cruise | State::Refill | State::Up)
    }

    /// IsProbingBW.
    fn is_accelerating(self) -> bool {
        matches!(self, State::Startup | State::Refill | State::Up)
    }
}

/// Content of an acknowledgment: RS of the draft, and the connection's state. Volumes are in bytes, rates in bytes per
/// second.
#[derive(Clone, Copy, Debug)]
struct Sample {
    ctx: Context,
    /// Delivery rate; 0 if the sample has none.
    rate: u64,
    delivered: u64,
    prior_delivered: u64,
    tx_in_flight: u64,
    lost: u64,
    app_limited: bool,
    newly: u64,
    rtt: Option<Nanos>,
    cwnd_limited: bool,
}

impl Sample {
    /// IsInflightTooHigh.
    fn is_too_high(&self) -> bool {
        model::is_too_high(self.lost, self.tx_in_flight)
    }
}

/// BBR. Names are those of the draft without its prefix.
#[derive(Debug)]
struct Bbr {
    random: Random,
    state: State,
    /// C.delivered.
    delivered: u64,
    initial_window: u64,
    idle_restart: bool,
    /// Pacing rate of the payload, bytes per second.
    pacing: u64,
    /// Whether a loss is being repaired.
    recovering: bool,
    prior_cwnd: u64,
    rounds: model::Rounds,
    rate: model::MaxBandwidth,
    bounds: model::Bounds,
    losses: model::Losses,
    aggregation: model::Aggregation,
    full: startup::FullPipe,
    cycle: probe_bw::Cycle,
    probe_rtt: probe_rtt::ProbeRtt,
    undo: Undo,
}

/// State that is restored after a spurious recovery.
#[derive(Clone, Copy, Debug)]
struct Undo {
    /// Time of the saving.
    saved: Option<Nanos>,
    /// State that the loss ended.
    state: Option<State>,
    bounds: model::Bounds,
}

impl Default for Bbr {
    fn default() -> Bbr {
        let bounds = model::Bounds::default();
        Bbr {
            random: Random::default(),
            state: State::Startup,
            delivered: 0,
            initial_window: 0,
            idle_restart: false,
            pacing: 0,
            recovering: false,
            prior_cwnd: 0,
            rounds: model::Rounds::default(),
            rate: model::MaxBandwidth::default(),
            bounds,
            losses: model::Losses::default(),
            aggregation: model::Aggregation::default(),
            full: startup::FullPipe::default(),
            cycle: probe_bw::Cycle::default(),
            probe_rtt: probe_rtt::ProbeRtt::default(),
            undo: Undo { saved: None, state: None, bounds },
        }
    }
}

impl Bbr {
    fn sample(&self, delivery: &Delivery) -> Option<Sample> {
        let rate = delivery.rate?;
        let ctx = delivery.ack.ctx;
        Some(Sample {
            ctx,
            rate: rate.rate().map_or(0, Rate::bytes),
            delivered: rate.delivered,
            prior_delivered: rate.prior_delivered,
            tx_in_flight: rate.tx_in_flight,
            lost: rate.lost,
            app_limited: rate.app_limited || self.probe_rtt.slowed(rate.prior_delivered),
            newly: delivery.newly,
            rtt: delivery.sent_at.map(|sent_at| ctx.now - sent_at),
            cwnd_limited: delivery.ack.cwnd_limited,
        })
    }

    /// SaveStateUponLoss, at the start of an episode of loss recovery. The losses that start the episode are reported
    /// before its start or after it, at the same time.
    fn save_state(&mut self, window: &Window, now: Nanos) {
        self.save_cwnd(window);
        if self.undo.saved != Some(now) {
            self.undo = Undo { saved: Some(now), state: None, bounds: self.bounds };
        }
    }
}

impl CongestionControl for Bbr {
    fn seed(&mut self, seed: u32) {
        self.random = Random::new(seed);
    }

    fn on_start(&mut self, window: &mut Window, ctx: &Context) {
        self.initial_window = ctx.initial_window;
        self.probe_rtt.start(ctx);
        self.aggregation.restart(ctx.now);
        self.init_pacing(window, ctx);
    }

    fn on_ack(&mut self, _window: &mut Window, _ack: &Ack, _acked: u64) {}

    // OnEnterFastRecovery.
    fn on_congestion(&mut self, window: &mut Window, event: &Congestion) {
        if event.cause == Cause::Loss {
            self.save_state(window, event.ctx.now);
            self.recovering = true;
        }
    }

    // OnEnterRTO.
    fn on_timeout(&mut self, window: &mut Window, event: &Congestion, _first: bool) {
        self.save_state(window, event.ctx.now);
        self.recovering = true;
        window.cwnd = event.ctx.pipe + event.ctx.mss;
    }

    // HandleSpuriousLossDetection.
    fn on_undo(&mut self, window: &mut Window, _before: &Window) {
        self.restore_cwnd(window);
        self.recovering = false;
        self.losses.in_round = false;
        self.full.reset(0);
        self.bounds.raise_to(&self.undo.bounds);
        match self.undo.state.take() {
            Some(State::Startup) if self.state != State::Startup => {
                self.full.reached = false;
                if self.state != State::ProbeRtt {
                    self.state = State::Startup;
                }
            }
            Some(State::Up) if self.state != State::Up && self.state != State::ProbeRtt => self.start_refill(),
            _ => {}
        }
    }

    // HandleRestartFromIdle.
    fn on_idle_end(&mut self, window: &mut Window, ctx: &Context, _idle: Nanos) {
        if ctx.snd_nxt == 0 {
            return;
        }
        self.idle_restart = true;
        self.aggregation.restart(ctx.now);
        if self.state.is_probe_bw() {
            self.set_pacing_with(window, 100, ctx.mss);
        } else if self.state == State::ProbeRtt {
            self.check_probe_rtt_done(window, ctx.now);
        }
    }

    fn scope(&self) -> Scope {
        Scope { slow_start: true, window: true, rates: true, losses: true, paces: true, ..Scope::default() }
    }

    fn state(&self) -> Option<Cow<'_, str>> {
        Some(self.state.name().into())
    }

    // UpdateOnACK.
    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        let Some(sample) = self.sample(delivery) else { return };
        self.delivered = delivery.delivered;
        if self.recovering && !sample.ctx.in_recovery {
            self.recovering = false;
            self.restore_cwnd(window);
        }
        self.update_model(window, &sample);
        self.check_full_pipe(&sample);
        self.check_startup_done(&sample);
        self.check_drain_done(&sample);
        self.update_cycle(window, &sample);
        self.check_probe_rtt(window, &sample);
        self.losses.advance(&sample);
        self.bounds.bandwidth = self.rate.max.min(self.bounds.shortterm_rate);
        self.set_pacing_with(window, self.state.pacing_gain(), sample.ctx.mss);
        self.set_cwnd(window, &sample);
    }

    // HandleLostPacket.
    fn on_lost(&mut self, window: &mut Window, lost: &Lost) {
        self.note_loss(window, lost);
        if self.cycle.samples_probe && model::is_too_high(lost.lost_since, lost.tx_in_flight) {
            let in_flight = model::inflight_at_loss(lost);
            self.handle_too_high(window, lost.ctx.now, in_flight, lost.app_limited);
        }
    }
}
