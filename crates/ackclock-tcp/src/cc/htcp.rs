//! H-TCP: the increase depends on the time since the last congestion, and the decrease on the queueing delay before it
//! (D. Leith, R. Shorten, "H-TCP: TCP for high-speed and long-distance networks", PFLDnet 2004;
//! draft-leith-tcp-htcp-06).
//!
//! # Equations
//!
//! Let D be the time since the last congestion, in seconds.
//!
//! - f(D) = 1 for D <= Delta_L, and 1 + 10 (D - Delta_L) + ((D - Delta_L)/2)^2 for longer times.
//! - Each window acknowledged adds alpha = 2 (1 - beta) f(D) segments, but at least one. With rtt_ref, f(D) is
//!   multiplied by RTTmin/rtt_ref, bounded to [0.1, 2], so that growth per second depends less on the RTT.
//! - Congestion keeps the share beta = RTTmin/RTTmax of the window, bounded to [0.5, 0.8]. beta is 0.5 if the
//!   throughput has changed since the last congestion by more than the share Delta_B.
//!
//! # Constants
//!
//! Delta_L is 1 s, Delta_B 0.2, and beta 0.5 to 0.8. f and these values are those of Linux (net/ipv4/tcp_htcp.c, after
//! the paper) and, except for Delta_B, of FreeBSD (sys/netinet/cc/cc_htcp.c, after the draft). The bounds of scaling
//! are those of both: 0.1 to 2 in FreeBSD (HTCP_MINROWE, HTCP_MAXROWE), and 0.5 to 10 for the inverse in Linux
//! (htcp_alpha_update). Both have an rtt_ref of 100 ms. Linux scales by default, FreeBSD does not, and neither does
//! this implementation. The paper and the draft themselves were not read.
//!
//! # Deviations
//!
//! - alpha is at least one, as in FreeBSD and ns-3. In Linux alpha can fall to 2 (1 - beta) = 0.4.
//! - RTTmin is the smallest RTT so far, and RTTmax the largest since the last congestion. In Linux, the excess of
//!   RTTmax over RTTmin decays by 5 % at each congestion. FreeBSD's expression for this also divides RTTmin by 100, so
//!   that RTTmax almost starts anew.
//! - Linux halves the window if RTTmin is at most 10 ms.
//! - The throughput is that of the last complete round before congestion. Linux takes the maximum of a smoothed
//!   throughput.
//! - Scaling uses RTTmin, at any D, as in Linux. FreeBSD uses the smoothed RTT, and scales only when D is above
//!   Delta_L. Linux rounds RTTref/RTTmin down to eighths, and the factor of 2 (1 - beta) is at least one.
//! - The first congestion keeps half of the window, as there is no throughput to compare with. In Linux the second
//!   does, too.
//!
//! # Validated against
//!
//! f and alpha on worked values; a decrease that just empties the queue; the switch of beta; growth over five seconds.

use super::increase::{Increase, kept, scaled};
use super::rounds::Rounds;
use super::undo::Saved;
use super::{CongestionControl, Entry, Scope, milliseconds};
use crate::context::{Ack, Congestion, Context, Delivery, Window};
use crate::{Nanos, SECOND};

#[cfg(test)]
mod tests;

pub(super) const ENTRY: Entry = Entry {
    name: "htcp-paper",
    summary: "increase by the time since the last congestion, decrease just enough to empty the queue",
    source: "Leith, Shorten, PFLDnet 2004; draft-leith-tcp-htcp-06",
    parameters: Parameters::ROWS,
    make: |given| {
        let Parameters { delta_l, delta_b, beta_max, rtt_ref } = Parameters::read(given);
        Box::new(Htcp {
            law: Law { delta_l: milliseconds(delta_l), delta_b, beta_max, rtt_ref: milliseconds(rtt_ref) },
            state: State { since: None, beta: HALF, rate: None, longest: 0 },
            before: Saved::default(),
            round: Round::default(),
            increase: Increase::default(),
        })
    },
};

ackclock_core::parameters! {
    /// Constants of the equations, as scenarios set them.
    struct Parameters {
        delta_l: f64 = is(1000.0), (0.0, 1e6), In("ms"), "time after congestion during which the increase is Reno's";
        delta_b: f64 = is(0.2), (0.0, 10.0), Number, "relative change of throughput from which the window is halved";
        beta_max: f64 = is(0.8), (0.5, 0.99), Number, "largest share of the window kept on congestion";
        rtt_ref: f64 = is(0.0), (0.0, 1e4), In("ms"), "RTT at which the scale is 1; 0 for no scaling by the RTT";
    }
}

/// Shares of the window are in thousandths; this is one half.
const HALF: u64 = 500;

#[derive(Clone, Copy, Debug)]
struct Law {
    delta_l: Nanos,
    delta_b: f64,
    beta_max: f64,
    /// RTT at which the scale is 1, ns; zero for no scaling.
    rtt_ref: Nanos,
}

impl Law {
    /// The factor f(D).
    fn factor(&self, since: Nanos) -> f64 {
        let over = since.saturating_sub(self.delta_l) as f64 / SECOND as f64;
        1.0 + 10.0 * over + over * over / 4.0
    }

    /// Scale of f(D): RTTmin over rtt_ref.
    fn scale(&self, shortest: Option<Nanos>) -> f64 {
        match shortest {
            Some(shortest) if self.rtt_ref > 0 => (shortest as f64 / self.rtt_ref as f64).clamp(0.1, 2.0),
            _ => 1.0,
        }
    }

    /// Increase alpha, segments.
    fn alpha(&self, since: Nanos, beta: u64, shortest: Option<Nanos>) -> f64 {
        (2.0 * (1.0 - beta as f64 / 1000.0) * self.factor(since) * self.scale(shortest)).max(1.0)
    }

    /// Share beta after congestion at throughput `rate`, after `last` at the congestion before, in thousandths.
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
    /// Time of the last congestion; before the first congestion, time of the first ACK.
    since: Option<Nanos>,
    beta: u64,
    /// Throughput before the last congestion, bytes per second.
    rate: Option<u64>,
    /// RTTmax since the last congestion, ns.
    longest: Nanos,
}

/// Throughput measured by the round.
#[derive(Default)]
struct Round {
    rounds: Rounds,
    start: Nanos,
    bytes: u64,
    /// Throughput of the last complete round, bytes per second.
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
    before: Saved<State>,
    round: Round,
    increase: Increase,
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
        // An ACK adds at most half of the bytes it acknowledges, however long ago the last congestion was.
        self.increase.grow(window, acked, scaled(ack.ctx.mss, alpha).min(window.cwnd / 2));
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        self.before.save(self.state);
        let Context { now, min_rtt, .. } = event.ctx;
        let beta = self.law.beta(min_rtt.unwrap_or(0), self.state.longest, self.round.rate, self.state.rate);
        self.state = State { since: Some(now), beta, rate: self.round.rate, longest: 0 };
        kept(window, event, beta as f64 / 1000.0)
    }

    fn reset(&mut self, ctx: &Context) {
        self.state.since = Some(ctx.now);
    }

    fn revert(&mut self) {
        self.before.restore(&mut self.state);
    }
}
