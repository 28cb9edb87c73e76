//! RemyCC: an optimised table of rules. A rule changes the window at each ACK and sets the time between segments,
//! according to the sender's memory.
//!
//! # Equations
//!
//! The memory has these values, all zero at first, with times in milliseconds:
//!
//! - `send_ewma`, an average with weight 1/8: times between the sending of acknowledged segments;
//! - `ack_ewma`, an average with weight 1/8: times between ACKs;
//! - `rtt_ratio`: the last RTT divided by the smallest;
//! - in tables with four axes, `slow_ack_ewma`, an average with weight 1/256: times between ACKs.
//!
//! Each ACK updates the memory. The rule whose range contains the memory gives m, b and tau: `cwnd = floor(m * cwnd +
//! b)` segments, between 0 and a million, and at least tau milliseconds between two segments. The first window is that
//! of the rule for the empty memory, starting from a window of 0.
//!
//! # Constants
//!
//! The source is Winstein and Balakrishnan, "TCP ex Machina: Computer-Generated Congestion Control", SIGCOMM 2013,
//! section 4. The weights and the bound on the window are those of the project's sender.
//!
//! # Deviations
//!
//! - A window of 0 counts as one segment; with the published tables this makes no difference.
//! - Memory beyond the table's range is moved to the edge of the range; the original stops.
//! - An ACK of several segments counts once. The original acknowledges each segment, as a receiver without delayed ACKs
//!   does.
//! - The memory is in floating point, with operations that are the same on all platforms.
//! - tau is the time of a full segment at a whole number of bytes per second.
//! - A flow is a connection and starts with a handshake. Segments of an earlier connection do not change its window; in
//!   the original they do, by the rule of the empty memory.
//!
//! # Validated against
//!
//! The project's regression test of its tables of 2013: eight senders, each on and off for exponential times of 10 s,
//! at 15 Mbit/s and 150 ms, with an unlimited queue and packets of 1250 bytes. Throughput is relative to the equal
//! share of the link while on, and delay to the round-trip time without a queue. The table gives the values of eight
//! runs of 2000 s with 95 % intervals, followed by the project's values, which it holds to within 5 %:
//!
//! | delta | throughput | delay |
//! |---|---|---|
//! | 10 | 0.629 ± 0.013, 0.65 | 1.006, 1.00 |
//! | 1 | 0.804 ± 0.007, 0.81 | 1.014, 1.02 |
//! | 0.1 | 0.909 ± 0.003, 0.90 | 1.106 ± 0.004, 1.11 |
//!
//! Four runs of 10,000 s give a throughput of 0.638 ± 0.008 for delta 10. A sender without TCP reaches 0.651, 0.813 and
//! 0.912 in four such runs. The handshake accounts for 1.0, 0.3 and 0.2 % of these. Pacing with a gap that is fixed
//! when a segment leaves, as for other algorithms, would cost 2.7, 4.5 and 1.2 %; this is the reason for
//! [`Scope::gap`].
//!
//! Decoding and encoding of the project's format, byte for byte for those tables; look-ups and the memory by
//! arithmetic. Losses, marks and timeouts do not change the window, as the table has no rules for them.
//!
//! Not validated: tables with four axes, and paths with loss.
//!
//! RemyCC is not in the catalogue, as its table is data: [`algorithm`] creates it from a [`Table`].

mod table;
#[cfg(test)]
mod tests;
mod wire;

pub use table::{AXES, Action, Node, Range, Table};
pub use wire::TableError;

use super::{Algorithm, CongestionControl, Scope};
use crate::context::{Ack, Congestion, Context, Delivery, Window};
use crate::pacing::HEADERS;
use crate::{MILLISECOND, Nanos};
use std::sync::Arc;

/// Weights of the averages and of the slow average.
const WEIGHT: f64 = 1.0 / 8.0;
const SLOW_WEIGHT: f64 = 1.0 / 256.0;
/// Largest window, segments.
const MOST_WINDOW: f64 = 1e6;

/// Name of the algorithm in scenarios.
pub const NAME: &str = "remycc";
/// Short description of the algorithm.
pub const SUMMARY: &str = "rules found by optimisation, in a table of the Remy project";
/// Paper that specifies the algorithm.
pub const SOURCE: &str = "Winstein and Balakrishnan, SIGCOMM 2013";

/// RemyCC with `table`.
pub fn algorithm(table: impl Into<Arc<Table>>) -> Algorithm {
    let table = table.into();
    Algorithm::custom(NAME, move || Box::new(RemyCc { table: table.clone(), memory: Memory::default(), segments: 0 }))
}

/// The sender's memory.
#[derive(Clone, Copy, Default, Debug)]
struct Memory {
    /// Values of send_ewma, ack_ewma, rtt_ratio and slow_ack_ewma.
    axes: [f64; AXES],
    /// Send time of the last acknowledged segment, and arrival time of its ACK.
    last: Option<(Nanos, Nanos)>,
    min_rtt: Nanos,
}

impl Memory {
    fn update(&mut self, now: Nanos, sent_at: Nanos) {
        let rtt = now - sent_at;
        let Some((last_sent, last_acked)) = self.last.replace((sent_at, now)) else {
            self.min_rtt = rtt;
            return;
        };
        self.min_rtt = self.min_rtt.min(rtt);
        let ms = |time: i64| time as f64 / MILLISECOND as f64;
        let sent = ms(sent_at as i64 - last_sent as i64);
        let acked = ms(now as i64 - last_acked as i64);
        let [send_ewma, ack_ewma, ratio, slow] = &mut self.axes;
        *send_ewma = (1.0 - WEIGHT) * *send_ewma + WEIGHT * sent;
        *ack_ewma = (1.0 - WEIGHT) * *ack_ewma + WEIGHT * acked;
        *slow = (1.0 - SLOW_WEIGHT) * *slow + SLOW_WEIGHT * acked;
        *ratio = rtt as f64 / self.min_rtt.max(1) as f64;
    }
}

struct RemyCc {
    table: Arc<Table>,
    memory: Memory,
    /// Window, segments.
    segments: u64,
}

impl RemyCc {
    fn act(&mut self, window: &mut Window, mss: u64) {
        let action = self.table.find(self.memory.axes);
        let next = self.segments as f64 * action.multiple + f64::from(action.increment);
        self.segments = next.clamp(0.0, MOST_WINDOW) as u64;
        window.cwnd = self.segments.max(1) * mss;
        let rate = (mss + HEADERS) as f64 * 1000.0 / action.intersend;
        window.pacing_rate = rate.is_finite().then_some((rate as u64).max(1));
    }
}

impl CongestionControl for RemyCc {
    fn on_start(&mut self, window: &mut Window, ctx: &Context) {
        self.act(window, ctx.mss);
    }

    fn on_ack(&mut self, _window: &mut Window, _ack: &Ack, _acked: u64) {}

    fn on_congestion(&mut self, _window: &mut Window, _event: &Congestion) {}

    fn on_timeout(&mut self, _window: &mut Window, _event: &Congestion, _first: bool) {}

    fn scope(&self) -> Scope {
        Scope { slow_start: true, window: true, deliveries: true, gap: true, ..Scope::default() }
    }

    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        if let Some(sent_at) = delivery.sent_at {
            self.memory.update(delivery.ack.ctx.now, sent_at);
            self.act(window, delivery.ack.ctx.mss);
        }
    }
}
