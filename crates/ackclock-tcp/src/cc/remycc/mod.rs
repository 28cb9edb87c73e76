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
//! The forms of ns-2 (hbatmit/ns2.35, tcp/tcp-rational.cc and tcp/remy/memory.cc) truncate times to whole units, keep the
//! window at 16,384 segments or less, forget memory, smallest RTT and window after more than 0.2 s without sending, and
//! have a window of one segment after a loss or timeout, to which the rules then apply. Their losses are repaired by the
//! recovery of the stack; the original goes back to the first lost segment, as Tahoe does.
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
use crate::segment::HEADERS;
use crate::{MILLISECOND, Nanos, Rate, SECOND};
use std::sync::Arc;

/// Weights of the averages and of the slow average.
const WEIGHT: f64 = 1.0 / 8.0;
const SLOW_WEIGHT: f64 = 1.0 / 256.0;
/// Largest window, segments.
const MOST_WINDOW: f64 = 1e6;
const MOST_WINDOW_NS2: f64 = 16_384.0;
/// Time without sending after which the agent of ns-2 begins anew.
const LAPSE: Nanos = 200 * MILLISECOND;

/// Name of the algorithm in scenarios.
pub const NAME: &str = "remycc";
/// Short description of the algorithm.
pub const SUMMARY: &str = "rules found by optimisation, in a table of the Remy project";
/// Paper that specifies the algorithm.
pub const SOURCE: &str = "Winstein and Balakrishnan, SIGCOMM 2013";

/// A sender that follows a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Form {
    /// Name in scenarios.
    pub name: &'static str,
    /// Short description.
    pub summary: &'static str,
    /// Unit of the memory and of tau, ns.
    unit: Nanos,
    /// Whether it is the agent of ns-2.
    ns2: bool,
}

/// The project's sender, and the agent of ns-2 with which the paper was measured, in its two units of time.
pub const FORMS: [Form; 3] = [
    Form { name: NAME, summary: SUMMARY, unit: MILLISECOND, ns2: false },
    Form {
        name: "remycc-ns2",
        summary: "remycc as the agent of ns-2 has it: times in whole milliseconds, a new start after 0.2 s",
        unit: MILLISECOND,
        ns2: true,
    },
    Form {
        name: "remycc-ns2-us",
        summary: "remycc-ns2 with a table whose times are in microseconds",
        unit: MILLISECOND / 1000,
        ns2: true,
    },
];

/// RemyCC with `table`.
pub fn algorithm(table: impl Into<Arc<Table>>) -> Algorithm {
    FORMS[0].algorithm(table)
}

/// An observer of the rules that senders use.
pub trait Witness: Send + Sync {
    /// A sender uses the rule with this number ([`Table::actions`]) for its memory.
    fn used(&self, rule: usize, memory: &[f64; AXES]);
}

impl Form {
    /// The form with a name.
    pub fn by_name(name: &str) -> Option<&'static Form> {
        FORMS.iter().find(|form| form.name == name)
    }

    /// The form with `table`.
    pub fn algorithm(&self, table: impl Into<Arc<Table>>) -> Algorithm {
        self.witnessed(table, None)
    }

    /// The form with `table`; the observer is told every use of a rule.
    pub fn witnessed(&self, table: impl Into<Arc<Table>>, witness: Option<Arc<dyn Witness>>) -> Algorithm {
        let (table, form) = (table.into(), *self);
        Algorithm::custom(self.name, move || {
            let (table, witness) = (table.clone(), witness.clone());
            Box::new(RemyCc { table, form, witness, memory: Memory::default(), segments: 0 })
        })
        .pacing(true)
    }
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
    fn update(&mut self, now: Nanos, sent_at: Nanos, form: Form) {
        // The agent of ns-2 truncates the times of sending and of the ACK.
        let (now, sent_at) =
            if form.ns2 { (now / form.unit * form.unit, sent_at / form.unit * form.unit) } else { (now, sent_at) };
        let rtt = now - sent_at;
        let Some((last_sent, last_acked)) = self.last.replace((sent_at, now)) else {
            self.min_rtt = rtt;
            return;
        };
        self.min_rtt = self.min_rtt.min(rtt);
        let ms = |time: i64| time as f64 / form.unit as f64;
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
    form: Form,
    witness: Option<Arc<dyn Witness>>,
    memory: Memory,
    /// Window, segments.
    segments: u64,
}

impl RemyCc {
    fn act(&mut self, window: &mut Window, mss: u64) {
        let rule = self.table.rule(self.memory.axes);
        if let Some(witness) = &self.witness {
            witness.used(rule, &self.memory.axes);
        }
        let action = self.table.actions()[rule];
        let next = self.segments as f64 * action.multiple + f64::from(action.increment);
        let most = if self.form.ns2 { MOST_WINDOW_NS2 } else { MOST_WINDOW };
        self.segments = next.clamp(0.0, most) as u64;
        window.cwnd = self.segments.max(1) * mss;
        let rate = (mss + HEADERS) as f64 * (SECOND / self.form.unit) as f64 / action.intersend;
        window.pacing_rate = rate.is_finite().then_some(Rate::of_bytes(rate as u64));
    }
}

impl CongestionControl for RemyCc {
    fn on_start(&mut self, window: &mut Window, ctx: &Context) {
        self.act(window, ctx.mss);
    }

    fn on_ack(&mut self, _window: &mut Window, _ack: &Ack, _acked: u64) {}

    fn on_congestion(&mut self, window: &mut Window, event: &Congestion) {
        if self.form.ns2 {
            self.segments = 1;
            window.cwnd = event.ctx.mss;
        }
    }

    fn on_timeout(&mut self, window: &mut Window, event: &Congestion, _first: bool) {
        self.on_congestion(window, event);
    }

    fn on_idle_end(&mut self, window: &mut Window, ctx: &Context, idle: Nanos) {
        if self.form.ns2 && idle > LAPSE {
            (self.memory, self.segments) = (Memory::default(), 0);
            self.act(window, ctx.mss);
        }
    }

    fn scope(&self) -> Scope {
        Scope { slow_start: true, window: true, deliveries: true, paces: true, gap: true, ..Scope::default() }
    }

    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        if let Some(sent_at) = delivery.sent_at {
            self.memory.update(delivery.ack.ctx.now, sent_at, self.form);
            self.act(window, delivery.ack.ctx.mss);
        }
    }
}
