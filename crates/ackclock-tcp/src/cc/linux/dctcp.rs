//! DCTCP as Linux implements it: whole segments, and alpha in units of 1/1024.
//!
//! # Equations
//!
//! - Once SND.NXT at the start of a window of data is acknowledged, alpha falls by alpha/16, or to 0 if that is less
//!   than one unit. With marks it then rises by `floor(64 M / D)`, to 1024 at most, where D segments were delivered in
//!   the window and M of them by ACKs with ECE.
//! - Mark: ssthresh = cwnd - floor(cwnd alpha / 2048), at least 2.
//! - Loss and timeout: ssthresh = cwnd/2, at least 2; also for a loss in a window of data in which a mark was answered.
//! - Congestion avoidance: each cwnd segments acknowledged add a segment.
//!
//! # Constants
//!
//! g is 1/16, and alpha is 1024 at the start (net/ipv4/tcp_dctcp.c).
//!
//! # Deviations
//!
//! From net/ipv4/tcp_dctcp.c: a connection without ECN is Reno there and without marks the same here; PLB, which
//! changes the path and is off by default, is absent. RFC 8257, as the form `dctcp-rfc8257`, counts bytes.
//!
//! # Validated against
//!
//! alpha and the reductions on worked values.

use super::super::{CongestionControl, Entry, Scope};
use super::count::{Count, flight, segments};
use super::state::packets;
use crate::context::{Ack, Cause, Congestion, Context, Delivery, Window};

pub(in crate::cc) const ENTRY: Entry = Entry {
    name: "dctcp-linux",
    summary: "DCTCP as Linux has it: whole segments, and alpha in units of 1/1024",
    source: "Linux net/ipv4/tcp_dctcp.c, dctcp_update_alpha, dctcp_ssthresh and dctcp_react_to_loss",
    parameters: &[],
    make: |_| Box::new(Dctcp { count: Count::default(), alpha: ONE, end: 0, delivered: 0, marked: 0, before: None }),
};

/// The representation of alpha = 1 (`DCTCP_MAX_ALPHA`).
const ONE: u64 = 1024;
/// 1/g.
const GAIN: u64 = 16;

#[derive(Debug)]
struct Dctcp {
    count: Count,
    alpha: u64,
    /// `next_seq`: stream offset whose acknowledgment ends the window of data.
    end: u64,
    /// Segments delivered in this window of data, and those by ACKs that echo a mark.
    delivered: u64,
    marked: u64,
    /// `loss_cwnd`: window before the last reduction, bytes.
    before: Option<u64>,
}

impl Dctcp {
    /// Updates alpha at the end of a window of data.
    fn update(&mut self) {
        let decrease = self.alpha / GAIN;
        self.alpha -= if decrease == 0 { self.alpha } else { decrease };
        if self.marked > 0 {
            self.alpha = (self.alpha + ONE / GAIN * self.marked / self.delivered.max(1)).min(ONE);
        }
        (self.delivered, self.marked) = (0, 0);
    }
}

impl CongestionControl for Dctcp {
    fn scope(&self) -> Scope {
        Scope { deliveries: true, proportional: true, ..Scope::default() }
    }

    fn on_delivery(&mut self, _window: &mut Window, delivery: &Delivery) {
        let ctx = &delivery.ack.ctx;
        let delivered = packets(delivery.newly, ctx.mss);
        self.delivered += delivered;
        self.marked += packets(delivery.ack.marked, ctx.mss).min(delivered);
        if ctx.snd_una >= self.end {
            self.update();
            self.end = ctx.snd_nxt;
        }
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let mss = ack.ctx.mss;
        let acked = self.count.segments(acked, mss);
        self.count.grow(window, segments(window.cwnd, mss), acked, mss);
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        self.count.clear();
        self.before = Some(window.cwnd);
        let cwnd = flight(window, event);
        let kept = if event.cause == Cause::Ecn { cwnd - cwnd * self.alpha / (2 * ONE) } else { cwnd / 2 };
        kept.max(2) * event.ctx.mss
    }

    fn reset(&mut self, _ctx: &Context) {
        self.count.clear();
    }

    // dctcp_cwnd_undo.
    fn on_undo(&mut self, window: &mut Window, before: &Window) {
        let cwnd = self.before.unwrap_or(before.cwnd);
        window.cwnd = window.cwnd.max(cwnd);
        window.ssthresh = window.ssthresh.max(before.ssthresh);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, MSS};

    fn dctcp() -> Dctcp {
        Dctcp { count: Count::default(), alpha: ONE, end: 0, delivered: 0, marked: 0, before: None }
    }

    /// Delivers a window of ten segments up to its end, the first `marked` of which are marked, with an ACK for each.
    fn window(cc: &mut Dctcp, window: &mut Window, marked: u64) {
        let una = cc.end / MSS - 10;
        for segment in 1..=10 {
            let ctx = testing::context(0, (una + segment) * MSS..(una + segment + 10) * MSS);
            let ack = Ack { marked: if segment <= marked { MSS } else { 0 }, ..testing::ack(ctx, MSS) };
            cc.on_delivery(window, &testing::delivery(ack, 0));
        }
    }

    fn full(segments: u64) -> (Window, Context) {
        let window = Window { cwnd: segments * MSS, ssthresh: u64::MAX, pacing_rate: None };
        (window, testing::context(0, 0..segments * MSS))
    }

    #[test]
    fn alpha_decays_by_a_sixteenth_and_follows_the_marks() {
        let (mut cc, mut w) = (dctcp(), full(10).0);
        cc.end = 10 * MSS;
        let mut expected = ONE;
        for (marked, share) in [(0, 0), (10, 64), (5, 32), (1, 6)] {
            window(&mut cc, &mut w, marked);
            expected = expected - expected / 16 + share;
            assert_eq!(cc.alpha, expected);
        }
        cc.alpha = 15;
        window(&mut cc, &mut w, 0);
        assert_eq!(cc.alpha, 0, "less than sixteen units are dropped");
        cc.alpha = ONE;
        window(&mut cc, &mut w, 10);
        assert_eq!(cc.alpha, ONE);
    }

    #[test]
    fn a_mark_takes_half_of_alpha_and_a_loss_half_of_the_window() {
        let (window, ctx) = full(21);
        let mut cc = dctcp();
        cc.alpha = 256;
        let event = |cause| Congestion { cause, ..Congestion::loss(ctx) };
        let [mark, loss, timeout] = [Cause::Ecn, Cause::Loss, Cause::Timeout].map(|c| cc.ssthresh(&window, &event(c)));
        assert_eq!([mark, loss, timeout].map(|bytes| bytes / MSS), [19, 10, 10]);
        cc.alpha = 0;
        assert_eq!(cc.ssthresh(&window, &event(Cause::Ecn)), 21 * MSS);
        assert_eq!(cc.ssthresh(&full(1).0, &event(Cause::Loss)), 2 * MSS);
    }

    #[test]
    fn an_undo_restores_the_window_before_the_last_reduction() {
        let (mut window, ctx) = full(20);
        let (before, mut cc) = (window, dctcp());
        window.ssthresh = cc.ssthresh(&window, &Congestion::loss(ctx));
        window.cwnd = window.ssthresh;
        cc.on_undo(&mut window, &before);
        assert_eq!(window, before);
    }
}
