//! HighSpeed TCP as Linux implements it: the table of RFC 3649, in which each ACK counts once.
//!
//! # Equations
//!
//! Row n of the table, from 1 on, is for windows w in `W(n-1) < w <= W(n)`, in segments. W(1) is 38, and W(n) the smallest
//! window whose a(w) exceeds a(W(n-1)) by more than one.
//!
//! - Congestion avoidance: each ACK counts n. When the count reaches the window, the window grows by a segment, and the
//!   count falls by the window.
//! - Congestion: `ssthresh = w - floor(w d / 256)`, and 2 at least, where `d = floor(256 b(W(n)))`.
//!
//! A reduction uses the row of the last ACK in congestion avoidance that could grow the window. The ACK that ends slow
//! start does not count.
//!
//! # Constants
//!
//! `a(w) = 0.078 w^0.8 2 b(w) / (2 - b(w))` and b(w) are those of RFC 3649 section 5 and appendix B, whose program makes
//! the table. The table has 72 rows; the last one is for all windows above 84,035 segments.
//!
//! # Deviations
//!
//! None from net/ipv4/tcp_highspeed.c. The kernel differs from the RFC as follows:
//!
//! - a is a whole number, rounded up: 2 for windows from 39 to 118 segments, where RFC 3649 section 5 has 1 to 2.
//! - An ACK for two segments counts as much as an ACK for one, so that delayed ACKs halve the growth.
//! - b is that of the upper end of the row.
//!
//! # Validated against
//!
//! Rows of RFC 3649's table, and worked values of growth and decrease.

use super::super::{CongestionControl, Entry};
use super::count::{flight, segments};
use crate::context::{Ack, Congestion, Context, Window};

#[cfg(test)]
mod tests;

pub(in crate::cc) const ENTRY: Entry = Entry {
    name: "highspeed-linux",
    summary: "HighSpeed TCP as Linux has it: whole increases from a table, counted once for each ACK",
    source: "Linux net/ipv4/tcp_highspeed.c; RFC 3649 appendix B",
    parameters: &[],
    make: |_| Box::<HighSpeed>::default(),
};

/// Number of rows of the table.
const ROWS: usize = 72;
/// Low_Window and High_Window, segments.
const LOW: u64 = 38;
const HIGH: f64 = 83_000.0;

/// b(w) of RFC 3649.
fn decrease(w: f64) -> f64 {
    let low = libm::log(LOW as f64);
    (0.1 - 0.5) * (libm::log(w) - low) / (libm::log(HIGH) - low) + 0.5
}

/// a(w) of RFC 3649, with the p(w) of its program: 0.078 / w^1.2.
fn increase(w: f64) -> f64 {
    let b = decrease(w);
    w * w * 2.0 * b / ((2.0 - b) * libm::pow(w, 1.2) * 12.8)
}

/// The ends W(n) of the rows, segments, as far as windows needed them until now.
#[derive(Debug)]
struct Table {
    ends: Vec<u64>,
}

impl Table {
    /// The number n of the row for a window of `cwnd` segments.
    fn row(&mut self, cwnd: u64) -> usize {
        let mut end = self.end(self.ends.len());
        while end < cwnd && self.ends.len() < ROWS {
            let reached = if self.ends.len() == 1 { 1.0 } else { increase(end as f64) };
            end += 1;
            while increase(end as f64) <= reached + 1.0 {
                end += 1;
            }
            self.ends.push(end);
        }
        (self.ends.partition_point(|&end| end < cwnd) + 1).min(ROWS)
    }

    /// W(n).
    fn end(&self, row: usize) -> u64 {
        self.ends[row - 1]
    }
}

#[derive(Debug)]
struct HighSpeed {
    table: Table,
    /// The number of the row for the window.
    row: usize,
    /// `snd_cwnd_cnt`.
    count: u64,
}

impl Default for HighSpeed {
    fn default() -> HighSpeed {
        HighSpeed { table: Table { ends: vec![LOW] }, row: 1, count: 0 }
    }
}

impl CongestionControl for HighSpeed {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        if acked < ack.acked {
            return;
        }
        let cwnd = segments(window.cwnd, ack.ctx.mss);
        self.row = self.table.row(cwnd);
        self.count += self.row as u64;
        if self.count >= cwnd {
            self.count -= cwnd;
            window.cwnd += ack.ctx.mss;
        }
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        self.count = 0;
        let cwnd = flight(window, event);
        let share = (256.0 * decrease(self.table.end(self.row) as f64)) as u64;
        (cwnd - ((cwnd * share) >> 8)).max(2) * event.ctx.mss
    }

    fn reset(&mut self, _ctx: &Context) {
        self.count = 0;
    }
}
