//! Compound TCP: Reno's window and a second one that follows the queueing delay, added (K. Tan, J. Song, Q. Zhang, M. Sridharan,
//! "A Compound TCP approach for high-speed and long distance networks", INFOCOM 2006; draft-sridharan-tcpm-ctcp-02).
//!
//! # Equations
//!
//! win = cwnd + dwnd, and diff = win (1 - BaseRTT/RTT) once a round trip.
//!
//! - cwnd: a segment for each win acknowledged; halved on loss.
//! - dwnd, above low_window and outside slow start, gains alpha win^k - 1 segments, if that is above zero, in a round after
//!   diff < gamma, and gives up zeta diff, as far as there is so much, at once where diff >= gamma. A loss makes it
//!   (1 - beta) win - cwnd/2, so that win falls to (1 - beta) win. A timeout makes it zero, and gamma what it was at first.
//! - compound-tuned: at a loss gamma <- (1 - lambda) gamma + lambda 3/4 diff_reno, within [gamma_min, gamma_max], with
//!   diff_reno = cwnd (1 - BaseRTT/RTT) of the last round: what of Reno's part alone waited.
//!
//! # Constants
//!
//! alpha 1/8, beta 1/2, k 3/4, gamma 30 segments, zeta 1: as commonly given, and as in the port to Linux of 2006
//! (net/ipv4/tcp_compound.c, which has neither low_window nor tuning). low_window 38 segments: as commonly given. Tuned: gamma
//! from 5 to 30, starting at 30, also after a timeout, and 3/4 of diff_reno: as in a module for ns-3 and, but for the timeout,
//! in L. Andrew's version of that port, both of which follow the draft. lambda 1/4: release 1.1 of that version, of March 2008,
//! which changed it from 1/2; the module for ns-3 has 0.8. Neither the paper's text nor the draft's was read.
//!
//! # Deviations
//!
//! RTT is the mean of the round's samples, where the port takes the smallest; BaseRTT is the smallest RTT ever, also after a
//! timeout, where the draft is cited as starting anew. The growth of a round is spread over its ACKs. Where somebody else moves
//! the window, dwnd keeps its size as far as there is room for it.
//!
//! # Validated against
//!
//! The equations on worked values, the share of win that dwnd has on a path with a queue, and tuning at its bounds and within.

use super::increase::{Increase, scaled, segments};
use super::rounds::{Rounds, backlog};
use super::{CongestionControl, Entry, Parameter, Scope, Values, reno, restore};
use crate::Nanos;
use crate::context::{Ack, Congestion, Delivery, Window};

#[cfg(test)]
mod tests;

pub(super) const ENTRY: Entry = Entry {
    name: "compound",
    summary: "Reno's window plus one that grows while less than 30 segments wait",
    source: "Tan, Song, Zhang, Sridharan, INFOCOM 2006; draft-sridharan-tcpm-ctcp-02",
    parameters: &[
        Parameter { name: "gamma", summary: "backlog that shrinks dwnd, segments", default: 30.0, range: (1.0, 1e4) },
        ALPHA,
        K,
        ZETA,
        LOW_WINDOW,
    ],
    make: |values| Compound::boxed(values, values.get("gamma"), None),
};

pub(super) const TUNED: Entry = Entry {
    name: "compound-tuned",
    summary: "Compound TCP whose backlog follows what Reno's part leaves waiting, between 5 and 30 segments",
    source: "draft-sridharan-tcpm-ctcp-02",
    parameters: &[
        Parameter { name: "gamma_min", summary: "least gamma, segments", default: 5.0, range: (1.0, 30.0) },
        Parameter {
            name: "gamma_max",
            summary: "most gamma, and the first, segments",
            default: 30.0,
            range: (30.0, 1e4),
        },
        Parameter { name: "lambda", summary: "weight of the last loss in gamma", default: 0.25, range: (0.0, 1.0) },
        ALPHA,
        K,
        ZETA,
        LOW_WINDOW,
    ],
    make: |values| {
        let gamma_max = values.get("gamma_max");
        let tuning = Tuning { least: values.get("gamma_min"), most: gamma_max, lambda: values.get("lambda") };
        Compound::boxed(values, gamma_max, Some(tuning))
    },
};

const ALPHA: Parameter =
    Parameter { name: "alpha", summary: "factor of the growth of dwnd", default: 0.125, range: (0.001, 1.0) };
const K: Parameter =
    Parameter { name: "k", summary: "exponent of the growth of dwnd", default: 0.75, range: (0.0, 1.0) };
const ZETA: Parameter = Parameter {
    name: "zeta",
    summary: "segments of dwnd given up for each that waits",
    default: 1.0,
    range: (0.0, 10.0),
};
const LOW_WINDOW: Parameter = Parameter {
    name: "low_window",
    summary: "the window below which dwnd does not grow, segments",
    default: 38.0,
    range: (0.0, 1e6),
};

/// Of what Reno's part leaves waiting, the share that gamma is to be.
const SAMPLE: f64 = 0.75;
/// gamma is in thousandths of a segment.
const THOUSAND: f64 = 1e3;

/// Bounds and weight of gamma, segments.
#[derive(Clone, Copy, Debug)]
struct Tuning {
    least: f64,
    most: f64,
    lambda: f64,
}

impl Tuning {
    /// gamma after a loss at which `waiting` segments of Reno's part waited.
    fn gamma(&self, gamma: f64, waiting: f64) -> f64 {
        let next = (1.0 - self.lambda) * gamma + self.lambda * SAMPLE * waiting;
        next.clamp(self.least, self.most)
    }
}

#[derive(Clone, Copy, Debug)]
struct Law {
    alpha: f64,
    k: f64,
    zeta: f64,
    low_window: f64,
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
    /// Thousandths of a segment.
    gamma: u64,
}

struct Compound {
    law: Law,
    tuning: Option<Tuning>,
    rounds: Rounds,
    state: State,
    /// The state before the last reduction, should it prove spurious.
    before: Option<State>,
    /// Whether dwnd grows in this round.
    grows: bool,
    /// diff_reno of the last round since the last loss, bytes.
    waiting: Option<u64>,
    by_loss: Increase,
    by_delay: Increase,
}

impl Compound {
    fn boxed(values: &Values, gamma: f64, tuning: Option<Tuning>) -> Box<dyn CongestionControl> {
        Box::new(Compound {
            law: Law {
                alpha: values.get("alpha"),
                k: values.get("k"),
                zeta: values.get("zeta"),
                low_window: values.get("low_window"),
            },
            tuning,
            rounds: Rounds::default(),
            state: State { dwnd: 0, gamma: (gamma * THOUSAND) as u64 },
            before: None,
            grows: false,
            waiting: None,
            by_loss: Increase::default(),
            by_delay: Increase::default(),
        })
    }

    /// dwnd, as far as the window has room for it beside a segment of cwnd.
    fn dwnd(&self, window: &Window, mss: u64) -> u64 {
        self.state.dwnd.min(window.cwnd.saturating_sub(mss))
    }

    /// A round has ended.
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

    fn on_congestion(&mut self, window: &mut Window, event: &Congestion) {
        let mss = event.ctx.mss;
        self.before = Some(self.state);
        self.tune(mss);
        let by_loss = window.cwnd - self.dwnd(window, mss);
        window.ssthresh = reno::reduced(window, event);
        window.cwnd = window.ssthresh;
        self.state.dwnd = window.cwnd.saturating_sub(by_loss / 2);
        self.grows = false;
    }

    fn on_timeout(&mut self, window: &mut Window, event: &Congestion, first: bool) {
        if first {
            self.before = Some(self.state);
            window.ssthresh = reno::reduced(window, event);
        }
        self.state.dwnd = 0;
        if let Some(tuning) = self.tuning {
            self.state.gamma = (tuning.most * THOUSAND) as u64;
        }
        (self.grows, self.waiting) = (false, None);
    }

    fn on_undo(&mut self, window: &mut Window, before: &Window) {
        restore(window, before);
        self.state = self.before.take().unwrap_or(self.state);
    }
}
