//! Compound TCP: the sum of Reno's window and a second window that follows the queueing delay (K. Tan, J. Song, Q.
//! Zhang, M. Sridharan, "A Compound TCP approach for high-speed and long distance networks", INFOCOM 2006;
//! draft-sridharan-tcpm-ctcp-02).
//!
//! # Equations
//!
//! win = cwnd + dwnd, and diff = win (1 - BaseRTT/RTT) once a round trip.
//!
//! - cwnd grows by a segment for each win acknowledged, and is halved on loss.
//! - dwnd changes above low_window and outside slow start. In a round after diff < gamma, it grows by alpha win^k - 1
//!   segments if that is positive. If diff >= gamma, it falls at once by zeta diff, but not below zero.
//! - A loss changes dwnd to (1 - beta) win - cwnd/2, so that win falls to (1 - beta) win. A timeout resets dwnd to zero
//!   and gamma to its initial value.
//! - compound-tuned: at a loss, gamma <- (1 - lambda) gamma + lambda 3/4 diff_reno, bounded to [gamma_min, gamma_max].
//!   diff_reno = cwnd (1 - BaseRTT/RTT) of the last round is the backlog of Reno's window alone.
//!
//! # Constants
//!
//! - alpha 1/8, beta 1/2, k 3/4, gamma 30 segments and zeta 1: as commonly given, and as in the port to Linux of 2006
//!   (net/ipv4/tcp_compound.c, which has neither low_window nor tuning).
//! - low_window 38 segments: as commonly given.
//! - Tuned, gamma from 5 to 30, starting at 30 and reset to 30 by a timeout, and 3/4 of diff_reno: as in a module for
//!   ns-3 and, except for the timeout, in L. Andrew's version of the port. Both follow the draft.
//! - lambda 1/4: release 1.1 of that version, of March 2008, which changed it from 1/2; the module for ns-3 has 0.8.
//!
//! Neither the paper nor the draft was read.
//!
//! # Deviations
//!
//! - RTT is the mean of the round's samples; the port takes the smallest.
//! - BaseRTT is the smallest RTT so far, also after a timeout; the draft is cited as resetting it then.
//! - The growth of a round is spread over its ACKs.
//! - If the sender changes the window, dwnd keeps its size as far as the window has room for it.
//!
//! # Validated against
//!
//! The equations on worked values, the share of dwnd in win on a path with a queue, and tuning at its bounds and
//! between them.

use ackclock_core::{joined, parameters};

use super::increase::{Increase, scaled, segments};
use super::rounds::{Rounds, backlog};
use super::undo::Saved;
use super::{CongestionControl, Entry, Scope, reno};
use crate::Nanos;
use crate::context::{Ack, Congestion, Context, Delivery, Window};

#[cfg(test)]
mod tests;

pub(super) const ENTRY: Entry = Entry {
    name: "compound",
    summary: "Reno's window plus a second window that grows while the backlog is below 30 segments",
    source: "Tan, Song, Zhang, Sridharan, INFOCOM 2006; draft-sridharan-tcpm-ctcp-02",
    parameters: joined!(Threshold::ROWS, Law::ROWS),
    make: |given| Compound::boxed(Law::read(given), Threshold::read(given).gamma, None),
};

pub(super) const TUNED: Entry = Entry {
    name: "compound-tuned",
    summary: "Compound TCP with a target backlog that follows the backlog of Reno's window, between 5 and 30 segments",
    source: "draft-sridharan-tcpm-ctcp-02",
    parameters: joined!(Tuning::ROWS, Law::ROWS),
    make: |given| {
        let tuning = Tuning::read(given);
        Compound::boxed(Law::read(given), tuning.gamma_max, Some(tuning))
    },
};

parameters! {
    /// Fixed target of the backlog.
    struct Threshold {
        gamma: f64 = is(30.0), (1.0, 1e4), In("segments"), "backlog from which dwnd falls";
    }
}

parameters! {
    /// Bounds and weight of gamma.
    struct Tuning {
        gamma_min: f64 = is(5.0), (1.0, 30.0), In("segments"), "smallest gamma";
        gamma_max: f64 = is(30.0), (30.0, 1e4), In("segments"), "largest gamma, and its initial value";
        lambda: f64 = is(0.25), (0.0, 1.0), Number, "weight of the last loss in gamma";
    }
}

parameters! {
    /// Constants of the equations.
    struct Law {
        alpha: f64 = is(0.125), (0.001, 1.0), Number, "factor of the growth of dwnd";
        k: f64 = is(0.75), (0.0, 1.0), Number, "exponent of the growth of dwnd";
        zeta: f64 = is(1.0), (0.0, 10.0), In("segments"), "reduction of dwnd for each segment of backlog";
        low_window: f64 = is(38.0), (0.0, 1e6), In("segments"), "window below which dwnd does not grow";
    }
}

/// Share of the backlog of Reno's window at which gamma aims.
const SAMPLE: f64 = 0.75;
/// gamma is in thousandths of a segment.
const THOUSAND: f64 = 1e3;

impl Tuning {
    /// gamma after a loss at which Reno's window had a backlog of `waiting` segments.
    fn gamma(&self, gamma: f64, waiting: f64) -> f64 {
        let next = (1.0 - self.lambda) * gamma + self.lambda * SAMPLE * waiting;
        next.clamp(self.gamma_min, self.gamma_max)
    }
}

impl Law {
    /// Growth of dwnd in a round, segments.
    fn growth(&self, win: f64) -> f64 {
        if win < self.low_window { 0.0 } else { (self.alpha * libm::pow(win, self.k) - 1.0).max(0.0) }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct State {
    /// dwnd, bytes. The rest of the window is cwnd.
    dwnd: u64,
    /// gamma, thousandths of a segment.
    gamma: u64,
}

struct Compound {
    law: Law,
    tuning: Option<Tuning>,
    rounds: Rounds,
    state: State,
    before: Saved<State>,
    /// Whether dwnd grows in this round.
    grows: bool,
    /// diff_reno of the last round, bytes; `None` if no round has ended since the last loss.
    waiting: Option<u64>,
    by_loss: Increase,
    by_delay: Increase,
}

impl Compound {
    fn boxed(law: Law, gamma: f64, tuning: Option<Tuning>) -> Box<dyn CongestionControl> {
        Box::new(Compound {
            law,
            tuning,
            rounds: Rounds::default(),
            state: State { dwnd: 0, gamma: (gamma * THOUSAND) as u64 },
            before: Saved::default(),
            grows: false,
            waiting: None,
            by_loss: Increase::default(),
            by_delay: Increase::default(),
        })
    }

    /// dwnd, bounded so that at least a segment of the window is cwnd.
    fn dwnd(&self, window: &Window, mss: u64) -> u64 {
        self.state.dwnd.min(window.cwnd.saturating_sub(mss))
    }

    /// Updates dwnd at the end of a round.
    fn decide(&mut self, window: &mut Window, base: Nanos, rtt: Nanos, mss: u64) {
        let dwnd = self.dwnd(window, mss);
        let diff = backlog(window.cwnd, base, rtt);
        self.waiting = Some(backlog(window.cwnd - dwnd, base, rtt));
        self.grows = segments(diff, mss) < self.state.gamma as f64 / THOUSAND;
        self.state.dwnd = dwnd;
        if !self.grows {
            let given_up = scaled(diff, self.law.zeta).min(dwnd);
            self.state.dwnd -= given_up;
            window.cwnd -= given_up;
        }
    }

    fn tune(&mut self, mss: u64) {
        if let Some((tuning, waiting)) = self.tuning.zip(self.waiting.take()) {
            let gamma = tuning.gamma(self.state.gamma as f64 / THOUSAND, segments(waiting, mss));
            self.state.gamma = (gamma * THOUSAND) as u64;
        }
    }
}

impl CongestionControl for Compound {
    fn scope(&self) -> Scope {
        Scope { deliveries: true, ..Scope::default() }
    }

    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        let Some(samples) = self.rounds.on_delivery(delivery) else { return };
        let ctx = &delivery.ack.ctx;
        if samples.count > 0 && !ctx.in_recovery && !window.in_slow_start() {
            self.decide(window, samples.base, samples.mean(), ctx.mss);
        }
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let (cwnd, mss) = (window.cwnd, ack.ctx.mss);
        window.cwnd += self.by_loss.bytes(cwnd, acked, mss);
        if self.grows {
            let growth = scaled(mss, self.law.growth(segments(cwnd, mss)));
            let grown = self.by_delay.bytes(cwnd, acked, growth);
            self.state.dwnd = self.dwnd(window, mss) + grown;
            window.cwnd += grown;
        }
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        let mss = event.ctx.mss;
        self.before.save(self.state);
        self.tune(mss);
        let by_loss = window.cwnd - self.dwnd(window, mss);
        let half = reno::half_flight(window, event);
        self.state.dwnd = half.saturating_sub(by_loss / 2);
        self.grows = false;
        half
    }

    fn reset(&mut self, _ctx: &Context) {
        self.state.dwnd = 0;
        if let Some(tuning) = self.tuning {
            self.state.gamma = (tuning.gamma_max * THOUSAND) as u64;
        }
        (self.grows, self.waiting) = (false, None);
    }

    fn revert(&mut self) {
        self.before.restore(&mut self.state);
    }
}
