//! H-TCP: increase by the time since the last congestion, decrease by the queue that stood before it (D. Leith, R. Shorten,
//! "H-TCP: TCP for high-speed and long-distance networks", PFLDnet 2004; draft-leith-tcp-htcp-06).
//!
//! # Equations
//!
//! With D the time since the last congestion:
//!
//! - f(D) = 1 for D <= Delta_L, else 1 + 10 (D - Delta_L) + ((D - Delta_L)/2)^2, in seconds;
//! - a window acknowledged adds alpha = 2 (1 - beta) f(D) segments, one at least; with rtt_ref, where it is set, f(D) RTTmin/rtt_ref
//!   for f(D), that ratio within [0.1, 2], so that growth per second depends less on the RTT;
//! - congestion leaves the share beta = RTTmin/RTTmax, within [0.5, 0.8]; 0.5 where the throughput before it differs from that
//!   before the last one by more than Delta_B of it.
//!
//! # Constants
//!
//! Delta_L 1 s, Delta_B 0.2, beta from 0.5 to 0.8, and f: as in Linux (net/ipv4/tcp_htcp.c, after the paper) and, but for
//! Delta_B, in FreeBSD (sys/netinet/cc/cc_htcp.c, after the draft). The bounds of scaling are those of both, with an rtt_ref
//! of 100 ms: 0.1 to 2 in FreeBSD (HTCP_MINROWE, HTCP_MAXROWE), 0.5 to 10 for the inverse in Linux (htcp_alpha_update); Linux
//! scales unless it is switched off, FreeBSD if it is switched on; here it is off. The texts of paper and draft were not read.
//!
//! # Deviations
//!
//! - alpha is one at least, as in FreeBSD and ns-3; in Linux it falls to 2 (1 - beta), 0.4.
//! - RTTmin is the smallest ever, RTTmax the largest since the last congestion. Linux lets what it has above RTTmin fade by 5 %
//!   a congestion; FreeBSD's expression for that divides RTTmin by 100 as well, so that RTTmax begins almost anew. Linux halves
//!   where RTTmin is not above 10 ms.
//! - Throughput is that of the last whole round before congestion; Linux takes the largest of a smoothed one.
//! - Scaling is by RTTmin and at any D, as in Linux; FreeBSD takes the smoothed RTT, and scales once D is above Delta_L. Linux
//!   rounds RTTref/RTTmin down to eighths, and what it multiplies with 2 (1 - beta) is one at least.
//! - The first congestion leaves a half, having nothing to compare with; in Linux so does the next.
//!
//! # Validated against
//!
//! f and alpha on worked values; a backoff that just empties the queue; the switch of beta; growth over five seconds.

use super::increase::{Increase, kept, scaled};
use super::rounds::Rounds;
use super::{CongestionControl, Entry, Parameter, Scope, restore};
use crate::context::{Ack, Congestion, Context, Delivery, Window};
use crate::{Nanos, SECOND};

#[cfg(test)]
mod tests;

pub(super) const ENTRY: Entry = Entry {
    name: "htcp",
    summary: "increase by the time since the last congestion, decrease that just empties the queue",
    source: "Leith, Shorten, PFLDnet 2004; draft-leith-tcp-htcp-06",
    parameters: &[
        Parameter {
            name: "delta_l",
            summary: "time after congestion in which it is Reno, ms",
            default: 1000.0,
            range: (0.0, 1e6),
        },
        Parameter {
            name: "delta_b",
            summary: "change of throughput that makes it halve, share",
            default: 0.2,
            range: (0.0, 10.0),
        },
        Parameter {
            name: "beta_max",
            summary: "most of the window that congestion leaves",
            default: 0.8,
            range: (0.5, 0.99),
        },
        Parameter {
            name: "rtt_ref",
            summary: "RTT whose alpha is not scaled, ms; 0 for no scaling by the RTT",
            default: 0.0,
            range: (0.0, 1e4),
        },
    ],
    make: |values| {
        Box::new(Htcp {
            law: Law {
                delta_l: (values.get("delta_l") * 1e6) as Nanos,
                delta_b: values.get("delta_b"),
                beta_max: values.get("beta_max"),
                rtt_ref: (values.get("rtt_ref") * 1e6) as Nanos,
            },
            state: State { since: None, beta: HALF, rate: None, longest: 0 },
            before: None,
            round: Round::default(),
            increase: Increase::default(),
        })
    },
};

/// Shares of the window are in thousandths.
const HALF: u64 = 500;

#[derive(Clone, Copy, Debug)]
struct Law {
    delta_l: Nanos,
    delta_b: f64,
    beta_max: f64,
    /// Zero where growth is not scaled.
    rtt_ref: Nanos,
}

impl Law {
    /// f(D).
    fn factor(&self, since: Nanos) -> f64 {
        let over = since.saturating_sub(self.delta_l) as f64 / SECOND as f64;
        1.0 + 10.0 * over + over * over / 4.0
    }

    /// What f(D) is multiplied with: the ratio of RTTmin and rtt_ref.
    fn scale(&self, shortest: Option<Nanos>) -> f64 {
        match shortest {
            Some(shortest) if self.rtt_ref > 0 => (shortest as f64 / self.rtt_ref as f64).clamp(0.1, 2.0),
            _ => 1.0,
        }
    }

    /// alpha, segments.
    fn alpha(&self, since: Nanos, beta: u64, shortest: Option<Nanos>) -> f64 {
        (2.0 * (1.0 - beta as f64 / 1000.0) * self.factor(since) * self.scale(shortest)).max(1.0)
    }

    /// beta after congestion at `rate`, the last having been at `last`, in thousandths.
    fn beta(&self, shortest: Nanos, longest: Nanos, rate: Option<u64>, last: Option<u64>) -> u64 {
        let (Some(rate), Some(last)) = (rate, last) else { return HALF };
        if rate.abs_diff(last) as f64 > self.delta_b * last as f64 || longest == 0 {
            return HALF;
        }
        let ratio = shortest as f64 / longest as f64;
        (1000.0 * ratio.clamp(0.5, self.beta_max)) as u64
    }
}

#[derive(Clone, Copy, Debug)]
struct State {
    /// When congestion was last met; the first ACK before there was any.
    since: Option<Nanos>,
    beta: u64,
    /// Throughput before that congestion, bytes per second.
    rate: Option<u64>,
    /// RTTmax since.
    longest: Nanos,
}

/// Throughput by the round.
#[derive(Default)]
struct Round {
    rounds: Rounds,
    start: Nanos,
    bytes: u64,
    /// Of the last whole round, bytes per second.
    rate: Option<u64>,
}

impl Round {
    fn on_delivery(&mut self, delivery: &Delivery) {
        self.bytes += delivery.newly;
        if self.rounds.on_delivery(delivery).is_none() {
            return;
        }
        let now = delivery.ack.ctx.now;
        let took = now.saturating_sub(self.start);
        if self.start > 0 && took > 0 {
            let rate = u128::from(self.bytes) * u128::from(SECOND) / u128::from(took);
            self.rate = Some(u64::try_from(rate).unwrap_or(u64::MAX));
        }
        (self.start, self.bytes) = (now, 0);
    }
}

struct Htcp {
    law: Law,
    state: State,
    /// The state before the last congestion, should it prove spurious.
    before: Option<State>,
    round: Round,
    increase: Increase,
}

impl Htcp {
    fn reduce(&mut self, window: &mut Window, event: &Congestion) {
        self.before = Some(self.state);
        let Context { now, min_rtt, .. } = event.ctx;
        let beta = self.law.beta(min_rtt.unwrap_or(0), self.state.longest, self.round.rate, self.state.rate);
        self.state = State { since: Some(now), beta, rate: self.round.rate, longest: 0 };
        window.ssthresh = kept(window, event, beta as f64 / 1000.0);
    }
}

impl CongestionControl for Htcp {
    fn scope(&self) -> Scope {
        Scope { deliveries: true, ..Scope::default() }
    }

    fn on_delivery(&mut self, _window: &mut Window, delivery: &Delivery) {
        self.state.longest = self.state.longest.max(delivery.ack.rtt.unwrap_or(0));
        self.round.on_delivery(delivery);
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let since = *self.state.since.get_or_insert(ack.ctx.now);
        let alpha = self.law.alpha(ack.ctx.now.saturating_sub(since), self.state.beta, ack.ctx.min_rtt);
        // However long ago congestion was, an ACK adds half of what it acknowledges at most.
        self.increase.grow(window, acked, scaled(ack.ctx.mss, alpha).min(window.cwnd / 2));
    }

    fn on_congestion(&mut self, window: &mut Window, event: &Congestion) {
        self.reduce(window, event);
        window.cwnd = window.ssthresh;
    }

    fn on_timeout(&mut self, window: &mut Window, event: &Congestion, first: bool) {
        if first {
            self.reduce(window, event);
        }
        self.state.since = Some(event.ctx.now);
    }

    fn on_undo(&mut self, window: &mut Window, before: &Window) {
        restore(window, before);
        self.state = self.before.take().unwrap_or(self.state);
    }
}
