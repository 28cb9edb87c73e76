//! YeAH as Linux implements it: whole segments, and base RTT begins anew whenever nothing is in flight.
//!
//! # Equations
//!
//! A round ends with the first ACK above SND.NXT at its start that may grow the window. Let base be the smallest RTT
//! since sending last began with nothing in flight, and rtt the smallest RTT of the round, if the round has at least
//! three samples. The backlog is `Q = floor(cwnd (rtt - base) / rtt)`.
//!
//! - Fast mode: each min(cwnd, 100) segments acknowledged add a segment. Slow mode: each cwnd segments do.
//! - A round with Q > 80 or rtt - base > base/8 is one of slow mode. If Q > 80 and cwnd exceeds `count`, cwnd falls by
//!   min(Q, cwnd/2), not below `count`, and ssthresh becomes cwnd. Then `count`, if it is at most 2, becomes
//!   max(cwnd/2, 2), and grows by one otherwise.
//! - Any other round is one of fast mode. The 51st since a loss or since the last time sets `count` to 2.
//! - Loss: after 16 or more consecutive rounds of slow mode the window falls by max(cwnd/2, 2); otherwise by Q of the
//!   last round, but at most max(cwnd/2, 2) and at least cwnd/8. At least 2 segments remain. `count` is halved, to 2 at
//!   least.
//!
//! A round begins anew at the return to normal from losses, reductions and SACKs. RTTs are in microseconds, and one is
//! added to each.
//!
//! # Constants
//!
//! alpha is 80 segments, gamma 1, delta 3, epsilon 1, phi 8, rho 16 rounds and zeta 50 rounds (net/ipv4/tcp_yeah.c).
//!
//! # Deviations
//!
//! None from net/ipv4/tcp_yeah.c. In the paper (A. Baiocchi, A. Castellani, F. Vacirca, "YeAH-TCP: yet another
//! highspeed TCP", PFLDnet 2007), as in the form `yeah-paper`, base RTT is that of the connection. Here each burst after an
//! idle period begins with its own base RTT, so that a queue of other flows is part of it.
//!
//! # Validated against
//!
//! Both modes, decongestion, the responses to loss and the new beginnings on worked values.
//!
//! The module of Linux 6.12 itself: the windows are the same after every event of 60 random sequences of ACKs, losses,
//! marks, timeouts and idle periods. Linux 6.12 in virtual time, one flow with a queue of one bandwidth-delay product
//! (20 Mbit/s and 40 ms, 1 Mbit/s and 200 ms, 100 Mbit/s and 20 ms): goodput within 0.5 %,
//! mean window within 1.9 %; bursts after idle periods: as many of them with losses.

use super::super::{CongestionControl, Entry, Scope};
use super::count::{Count, flight, segments, slow_start};
use super::rtts::{NO_RTT, Rtts};
use super::state::{Starts, State, States};
use crate::context::{Ack, Congestion, Context, Delivery, Window};

#[cfg(test)]
mod tests;

pub(in crate::cc) const ENTRY: Entry = Entry {
    name: "yeah-linux",
    summary: "YeAH as Linux has it: rounds and base RTT begin anew whenever nothing is in flight",
    source: "Linux net/ipv4/tcp_yeah.c; net/ipv4/tcp_vegas.c, tcp_vegas_pkts_acked and tcp_vegas_cwnd_event",
    parameters: &[],
    make: |_| Box::<Yeah>::default(),
};

/// Largest backlog, segments (alpha).
const ALPHA: u64 = 80;
/// Divisor of base RTT for the largest queueing delay of fast mode (phi).
const PHI: u64 = 8;
/// Smallest decrease on loss: the window over 2 to this power (delta).
const DELTA: u64 = 3;
/// Rounds of slow mode from which competitors count as greedy (rho).
const RHO: u64 = 16;
/// Rounds of fast mode after which `count` is reset (zeta).
const ZETA: u64 = 50;
/// Largest number of acknowledged segments for a segment of growth in fast mode.
const SCALABLE: u64 = 100;

#[derive(Debug)]
struct Yeah {
    count: Count,
    states: States,
    starts: Starts,
    /// `beg_snd_nxt`: the round ends with an ACK above this stream offset.
    end: u64,
    rtts: Rtts,
    /// `lastQ`, segments.
    backlog: u64,
    /// `doing_reno_now`: consecutive rounds of slow mode.
    slow: u64,
    /// `reno_count`, segments.
    reno: u64,
    /// `fast_count`: rounds of fast mode.
    fast: u64,
}

impl Default for Yeah {
    fn default() -> Yeah {
        Yeah {
            count: Count::default(),
            states: States::default(),
            starts: Starts::default(),
            end: 0,
            rtts: Rtts::default(),
            backlog: 0,
            slow: 0,
            reno: 2,
            fast: 0,
        }
    }
}

impl Yeah {
    fn begin(&mut self, snd_nxt: u64) {
        self.end = snd_nxt;
        self.rtts.begin();
    }

    /// Judges the round that has ended.
    fn judge(&mut self, window: &mut Window, mss: u64) {
        let Rtts { least, base, .. } = self.rtts;
        let cwnd = segments(window.cwnd, mss);
        let queue = cwnd * (least - base) / least;
        if queue > ALPHA || least - base > base / PHI {
            if queue > ALPHA && cwnd > self.reno {
                window.cwnd = (cwnd - queue.min(cwnd / 2)).max(self.reno) * mss;
                window.ssthresh = window.cwnd;
            }
            let half = segments(window.cwnd, mss) / 2;
            self.reno = if self.reno <= 2 { half.max(2) } else { self.reno + 1 };
            self.slow += 1;
        } else {
            self.fast += 1;
            if self.fast > ZETA {
                (self.reno, self.fast) = (2, 0);
            }
            self.slow = 0;
        }
        self.backlog = queue;
    }
}

impl CongestionControl for Yeah {
    fn scope(&self) -> Scope {
        Scope { slow_start: true, deliveries: true, sends: true, ..Scope::default() }
    }

    // tcp_vegas_cwnd_event.
    fn on_sent(&mut self, _window: &mut Window, ctx: &Context) {
        if let Some(before) = self.starts.on_sent(ctx) {
            self.rtts.base = NO_RTT;
            // The event precedes the advance of SND.NXT.
            self.begin(before);
        }
    }

    // tcp_vegas_pkts_acked and tcp_vegas_state.
    fn on_delivery(&mut self, _window: &mut Window, delivery: &Delivery) {
        self.rtts.on_delivery(delivery);
        if self.states.on_delivery(&delivery.ack.ctx).is_to(State::Open) {
            self.begin(delivery.ack.ctx.snd_nxt);
        }
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let mss = ack.ctx.mss;
        let acked = self.count.segments(acked, mss);
        let left = slow_start(window, acked, mss);
        if left > 0 {
            let cwnd = segments(window.cwnd, mss);
            let per = if self.slow > 0 { cwnd } else { cwnd.min(SCALABLE) };
            self.count.grow(window, per, left, mss);
        }
        if ack.ctx.snd_una > self.end {
            if self.rtts.samples > 2 {
                self.judge(window, mss);
            }
            self.begin(ack.ctx.snd_nxt);
        }
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        self.states.on_congestion(event);
        self.count.clear();
        let cwnd = flight(window, event);
        let half = (cwnd / 2).max(2);
        let lost = if self.slow < RHO { self.backlog.min(half).max(cwnd >> DELTA) } else { half };
        self.fast = 0;
        self.reno = (self.reno / 2).max(2);
        cwnd.saturating_sub(lost).max(2) * event.ctx.mss
    }

    fn reset(&mut self, _ctx: &Context) {
        self.states.on_timeout();
        self.count.clear();
    }
}
