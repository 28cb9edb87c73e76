//! Westwood+ as Linux implements it: a loss halves the window first, and the end of the repair sets it to the bandwidth
//! estimate times the smallest RTT.
//!
//! # Equations
//!
//! Times are in jiffies of 1/HZ; divisions round down.
//!
//! - The last RTT is that of the ACK before, in jiffies rounded up.
//! - A sample of the bandwidth is taken with the first ACK after more than max(last RTT, HZ/20): b = bytes / time, without
//!   the bytes of this ACK. Two filters in series, `x = (7 x + input) / 8`, start with the first sample. BWE is the output
//!   of the second, in bytes per jiffy.
//! - An ACK counts the bytes that it acknowledges in order. A duplicate ACK counts a segment. A later ACK in order for more
//!   than a segment counts these less, and a segment at least.
//! - RTTmin is the smallest last RTT; with the first ACK after a timeout it begins anew.
//! - A loss or mark halves the window (ssthresh = max(cwnd / 2, 2)). At the end of the recovery or reduction, ssthresh and
//!   cwnd become max(floor(BWE RTTmin / SMSS), 2) segments. A timeout sets ssthresh to the same.
//!
//! The increase is Reno's.
//!
//! # Constants
//!
//! HZ is 1000. The RTT before the first sample is 20 s (net/ipv4/tcp_westwood.c).
//!
//! # Deviations
//!
//! From net/ipv4/tcp_westwood.c:
//!
//! In Linux, ACKs that take the fast path of header prediction do not subtract duplicate ACKs that were counted; here all
//! ACKs do.
//!
//! The kernel differs from the paper as follows:
//!
//! - The window falls to half in the recovery, as proportional rate reduction paces it, and only then to the estimate, which
//!   may exceed the window before the loss.
//! - Before the first sample of the bandwidth, two segments are left.
//! - The end of a recovery that proved spurious sets the window to the estimate, too, and not to that before the loss.
//!
//! # Validated against
//!
//! The filters, the counted bytes and the responses on worked values.

use super::super::{CongestionControl, Entry, Scope};
use super::count::{Count, flight, segments};
use super::state::{HZ, State, States, jiffies, rtt};
use crate::context::{Ack, Cause, Congestion, Context, Delivery, Window};

#[cfg(test)]
mod tests;

pub(in crate::cc) const ENTRY: Entry = Entry {
    name: "westwood-linux",
    summary: "Westwood+ as Linux has it: half at a loss, and the bandwidth estimate times the smallest RTT once repaired",
    source: "Linux net/ipv4/tcp_westwood.c",
    parameters: &[],
    make: |_| Box::<Westwood>::default(),
};

/// Shortest time of a sample, jiffies.
const SHORTEST: u64 = HZ / 20;
/// RTT before the first sample, jiffies.
const FIRST_RTT: u64 = 20 * HZ;

#[derive(Debug)]
struct Westwood {
    count: Count,
    states: States,
    /// Start of the present sample, jiffies, and bytes counted since (`rtt_win_sx` and `bk`).
    since: u64,
    bytes: u64,
    /// Outputs of the first and of the second filter, bytes per jiffy.
    estimate: (u64, u64),
    /// Bytes that duplicate ACKs have counted and that no ACK in order has covered (`accounted`).
    duplicates: u64,
    /// Whether an ACK has arrived.
    started: bool,
    /// The last RTT and RTTmin, jiffies. RTTmin is absent if the next ACK sets it.
    rtt: u64,
    min_rtt: Option<u64>,
    /// Stream offset at which the recovery or reduction ends.
    point: u64,
}

impl Default for Westwood {
    fn default() -> Westwood {
        Westwood {
            count: Count::default(),
            states: States::default(),
            since: 0,
            bytes: 0,
            estimate: (0, 0),
            duplicates: 0,
            started: false,
            rtt: FIRST_RTT,
            min_rtt: None,
            point: 0,
        }
    }
}

impl Westwood {
    fn sample(&mut self, now: u64) {
        let took = now - self.since;
        if self.rtt == 0 || took <= self.rtt.max(SHORTEST) {
            return;
        }
        let rate = self.bytes / took;
        let (first, second) = self.estimate;
        let filter = |value: u64, input: u64| (7 * value + input) / 8;
        let first = if self.estimate == (0, 0) { rate } else { filter(first, rate) };
        self.estimate = (first, if self.estimate == (0, 0) { rate } else { filter(second, first) });
        (self.since, self.bytes) = (now, 0);
    }

    /// The bytes that an ACK of `acked` bytes in order counts.
    fn counted(&mut self, acked: u64, mss: u64) -> u64 {
        if acked == 0 {
            self.duplicates += mss;
            return mss;
        }
        if acked <= mss {
            return acked;
        }
        let known = self.duplicates.min(acked);
        self.duplicates -= known;
        if known == acked { mss } else { acked - known }
    }

    /// The threshold: BWE RTTmin in whole segments, bytes.
    fn threshold(&self, mss: u64) -> u64 {
        segments(self.estimate.1 * self.min_rtt.unwrap_or(self.rtt), mss).max(2) * mss
    }
}

impl CongestionControl for Westwood {
    fn scope(&self) -> Scope {
        Scope { deliveries: true, ..Scope::default() }
    }

    fn on_start(&mut self, _window: &mut Window, ctx: &Context) {
        self.since = jiffies(ctx.now);
    }

    // tcp_westwood_pkts_acked and tcp_westwood_ack, and the end of a recovery or reduction.
    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        let ctx = &delivery.ack.ctx;
        self.sample(jiffies(ctx.now));
        // The count begins after the first ACK.
        if std::mem::replace(&mut self.started, true) {
            self.bytes += self.counted(delivery.ack.acked, ctx.mss);
        }
        // The RTT is that of the ACK before: Linux takes this ACK's sample later.
        self.min_rtt = Some(self.min_rtt.map_or(self.rtt, |least| least.min(self.rtt)));
        if let Some(rtt) = rtt(delivery).filter(|&rtt| rtt > 0) {
            self.rtt = rtt.div_ceil(1_000_000 / HZ);
        }
        let change = self.states.on_delivery(ctx);
        let reduced = matches!(change.before, State::Recovery | State::Reduction);
        let over = matches!(change.after, State::Open | State::Disorder);
        if reduced && over && ctx.snd_una >= self.point {
            window.ssthresh = self.threshold(ctx.mss);
            window.cwnd = window.ssthresh;
        }
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let mss = ack.ctx.mss;
        let acked = self.count.segments(acked, mss);
        self.count.grow(window, segments(window.cwnd, mss), acked, mss);
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        self.count.clear();
        self.states.on_congestion(event);
        self.point = event.ctx.snd_nxt;
        if event.cause == Cause::Timeout {
            let threshold = self.threshold(event.ctx.mss);
            self.min_rtt = None;
            return threshold;
        }
        (flight(window, event) / 2).max(2) * event.ctx.mss
    }

    fn reset(&mut self, _ctx: &Context) {
        self.states.on_timeout();
        self.count.clear();
    }
}
