//! H-TCP as Linux implements it: RTTs and times in jiffies, fixed-point alpha and beta, and a memory of the largest RTT
//! that fades.
//!
//! # Equations
//!
//! Let `t` be the time since the end of the last congestion and RTTmin and RTTmax the extreme RTTs, in jiffies of
//! 1/HZ; alpha and beta are in units of 1/128, and divisions round down.
//!
//! - `factor = 1` while t <= HZ, otherwise `1 + (10 d + floor(d/2)^2 / HZ) / HZ` with d = t - HZ.
//! - RTT scaling: `scale = HZ 8 / (10 RTTmin)` within 4 and 80; `factor = factor 8 / scale`, and 1 at least.
//! - `alpha = 2 factor (128 - beta)`, computed with each segment of growth and with each reduction.
//! - Congestion avoidance: while `count alpha / 128` is less than the window, each ACK adds the segments that it
//!   acknowledges in order to `count`. Otherwise the ACK grows the window by a segment and sets `count` to 0.
//! - Congestion: `ssthresh = cwnd beta / 128`, and 2 at least, with the new beta. It is `128 RTTmin / RTTmax` within 64 and
//!   102, if RTTmin exceeds 10 ms. It is 64 if not, at the first loss, and if the throughput B has changed by more than a
//!   fifth since the last loss (5 B outside 4 and 6 of the last), which also makes the next loss a first one.
//! - B is the largest average of the throughput: a sample is taken once at least an RTTmin has passed and `cwnd - alpha/128`
//!   segments are acknowledged. Within the first four RTTmin after congestion a sample replaces average and maximum; later
//!   it weighs a quarter.
//! - RTTmax follows larger samples that exceed it by up to 20 ms, outside recoveries and disorder. Each loss brings it
//!   closer to RTTmin by a twentieth of the difference.
//!
//! A spurious reduction restores `t`, RTTmax, and the throughput at the last loss.
//!
//! # Constants
//!
//! HZ is 1000. An RTT in jiffies is rounded up. The constants of the equations are those of net/ipv4/tcp_htcp.c.
//!
//! # Deviations
//!
//! None from net/ipv4/tcp_htcp.c. The kernel differs from the paper as follows:
//!
//! - alpha has RTT scaling, with a reference of 100 ms, which the paper leaves open; alpha is a multiple of an integer
//!   factor and can be less than 1 (a window of growth per 128 alpha).
//! - The window grows one ACK after its count is complete, and an ACK that is not in order counts one segment.
//! - RTTmax is that of the connection and fades, instead of that of the last epoch.
//!
//! # Validated against
//!
//! alpha, beta, RTTmax and the throughput on worked values.

use super::super::{CongestionControl, Entry, Scope};
use super::count::{flight, segments};
use super::state::{HZ, State, States, jiffies, packets, rtt};
use crate::context::{Ack, Congestion, Context, Delivery, Window};

#[cfg(test)]
mod tests;

pub(in crate::cc) const ENTRY: Entry = Entry {
    name: "htcp-linux",
    summary: "H-TCP as Linux has it: in jiffies, with RTT scaling and a memory of the largest RTT that fades",
    source: "Linux net/ipv4/tcp_htcp.c",
    parameters: &[],
    make: |_| Box::<Htcp>::default(),
};

/// The unit of alpha and beta.
const UNIT: u64 = 128;
/// Smallest and largest beta.
const BETA: (u64, u64) = (64, 102);
/// RTTmin up to which beta stays at its smallest value, and the largest step of RTTmax, jiffies.
const SHORT: u64 = HZ / 100;
const STEP: u64 = HZ / 50;
/// Number of RTTmin after congestion in which samples of the throughput replace the average.
const FIRST: u64 = 3;

/// State that a spurious reduction restores.
#[derive(Clone, Copy, Default, Debug)]
struct Kept {
    /// End of the last congestion, jiffies (`last_cong`).
    since: u64,
    /// RTTmax, jiffies.
    max_rtt: u64,
    /// B at the last loss, segments per second (`old_maxB`).
    last: u64,
}

#[derive(Debug)]
struct Htcp {
    states: States,
    kept: Kept,
    /// The state before the reduction, while losses are repaired or the window is being reduced.
    before: Option<Kept>,
    alpha: u64,
    beta: u64,
    /// RTTmin, jiffies; 0 before the first sample.
    min_rtt: u64,
    /// Whether a loss has been seen in this mode (`modeswitch`).
    adapts: bool,
    /// Segments that the present ACK acknowledges in order (`pkts_acked`).
    acked: u64,
    /// `snd_cwnd_cnt`.
    count: u64,
    /// Segments acknowledged since the last sample of the throughput, and the time of that sample.
    sampled: (u64, Option<u64>),
    /// The average of the throughput and B, its largest value, segments per second (`Bi` and `maxB`).
    average: u64,
    most: u64,
}

impl Default for Htcp {
    fn default() -> Htcp {
        Htcp {
            states: States::default(),
            kept: Kept::default(),
            before: None,
            alpha: UNIT,
            beta: BETA.0,
            min_rtt: 0,
            adapts: false,
            acked: 1,
            count: 0,
            sampled: (0, None),
            average: 0,
            most: 0,
        }
    }
}

impl Htcp {
    fn measure_rtt(&mut self, rtt: u64, open: bool) {
        if self.min_rtt == 0 || rtt < self.min_rtt {
            self.min_rtt = rtt;
        }
        if open {
            let max = self.kept.max_rtt.max(self.min_rtt);
            self.kept.max_rtt = if rtt > max && rtt <= max + STEP { rtt } else { max };
        }
    }

    fn measure_throughput(&mut self, now: u64, cwnd: u64, acked: u64) {
        self.sampled.0 += acked;
        let (segments, at) = self.sampled;
        let took = at.map(|at| now - at);
        let enough = segments >= cwnd.saturating_sub((self.alpha / UNIT).max(1));
        if !enough || self.min_rtt == 0 || took.is_some_and(|took| took < self.min_rtt) {
            return;
        }
        // The time before the first sample is longer than any connection, so that its rate is zero.
        let rate = took.map_or(0, |took| segments * HZ / took.max(1));
        if (now - self.kept.since) / self.min_rtt <= FIRST {
            (self.average, self.most) = (rate, rate);
        } else {
            self.average = (3 * self.average + rate) / 4;
            self.most = self.most.max(self.average);
        }
        self.sampled = (0, Some(now));
    }

    fn update_beta(&mut self) {
        let last = std::mem::replace(&mut self.kept.last, self.most);
        let (min_rtt, max_rtt) = (self.min_rtt, self.kept.max_rtt);
        if !(4 * last..=6 * last).contains(&(5 * self.most)) {
            (self.beta, self.adapts) = (BETA.0, false);
        } else if self.adapts && min_rtt > SHORT && max_rtt > 0 {
            self.beta = (min_rtt * UNIT / max_rtt).clamp(BETA.0, BETA.1);
        } else {
            (self.beta, self.adapts) = (BETA.0, true);
        }
    }

    fn update_alpha(&mut self, now: u64) {
        let later = (now - self.kept.since).saturating_sub(HZ);
        let mut factor = 1 + (10 * later + (later / 2) * (later / 2) / HZ) / HZ;
        if self.min_rtt > 0 {
            let scale = (8 * HZ / (10 * self.min_rtt)).clamp(4, 80);
            factor = (8 * factor / scale).max(1);
        }
        self.alpha = 2 * factor * (UNIT - self.beta);
    }
}

impl CongestionControl for Htcp {
    fn scope(&self) -> Scope {
        Scope { deliveries: true, ..Scope::default() }
    }

    fn on_start(&mut self, _window: &mut Window, ctx: &Context) {
        self.kept.since = jiffies(ctx.now);
    }

    // measure_achieved_throughput, and htcp_state for the return to normal.
    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        let ctx = &delivery.ack.ctx;
        let (now, acked) = (jiffies(ctx.now), packets(delivery.ack.acked, ctx.mss));
        let change = self.states.on_delivery(ctx);
        let open = change.before == State::Open;
        if open {
            self.acked = acked;
        }
        if let Some(rtt) = rtt(delivery).filter(|&rtt| rtt > 0) {
            self.measure_rtt(rtt.div_ceil(1_000_000 / HZ), open);
        }
        if matches!(change.before, State::Open | State::Disorder) {
            self.measure_throughput(now, segments(window.cwnd, ctx.mss), acked);
        } else {
            self.sampled = (0, Some(now));
        }
        if change.is_to(State::Open) && self.before.take().is_some() {
            self.kept.since = now;
        }
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        // Linux does not use what slow start leaves of an ACK.
        if acked < ack.acked {
            return;
        }
        if self.count * self.alpha / UNIT >= segments(window.cwnd, ack.ctx.mss) {
            window.cwnd += ack.ctx.mss;
            self.count = 0;
            self.update_alpha(jiffies(ack.ctx.now));
        } else {
            self.count += self.acked;
        }
        self.acked = 1;
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        let now = jiffies(event.ctx.now);
        self.count = 0;
        self.update_beta();
        self.update_alpha(now);
        let Kept { max_rtt, .. } = self.kept;
        if self.min_rtt > 0 && max_rtt > self.min_rtt {
            self.kept.max_rtt = self.min_rtt + (max_rtt - self.min_rtt) * 95 / 100;
        }
        self.states.on_congestion(event);
        self.before = Some(self.kept);
        self.kept.since = now;
        (flight(window, event) * self.beta / UNIT).max(2) * event.ctx.mss
    }

    fn on_timeout(&mut self, window: &mut Window, event: &Congestion, first: bool) {
        if first {
            window.ssthresh = self.ssthresh(window, event);
        } else {
            self.before = Some(self.kept);
            self.kept.since = jiffies(event.ctx.now);
        }
        self.states.on_timeout();
        self.count = 0;
    }

    fn revert(&mut self) {
        if let Some(before) = self.before.take() {
            self.kept = before;
        }
    }
}
