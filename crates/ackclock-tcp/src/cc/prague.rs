//! Prague: DCTCP for paths with L4S marking, with less dependence on the round-trip time.
//!
//! # Equations
//!
//! `alpha` is 1 until the first mark. After that it follows DCTCP's equation, updated once per `RTT_virt = max(SRTT, 25
//! ms)`. A mark changes cwnd to `cwnd * (1 - alpha / 2)`, at most once per window of data and per 25 ms. A loss halves
//! the window, even if a mark has just reduced it (prague_enter_loss of the reference). Each ACK adds `unmarked bytes *
//! AI * SMSS / cwnd` with `AI = (SRTT / RTT_virt)^2`, also after marks. So flows with an RTT below 25 ms grow and
//! respond to marks like a flow with 25 ms.
//!
//! # Constants
//!
//! g is 1/16, RTT_virt at least 25 ms, and the window at least two segments, as in the reference implementation
//! (tcp_prague.c of the L4S team's Linux) and in the team's udp_prague.
//! draft-briscoe-iccrg-prague-congestion-control-04 describes these values in sections 2.4.2 and 2.4.4, as cited by
//! others; its text was not read.
//!
//! # Deviations
//!
//! - The dependence on the round-trip time is reduced from the start; the reference waits for 500 round trips after
//!   slow start.
//! - Queues with RFC 3168 marking are not detected; the reference does this only if it is switched on.
//! - Pacing is that of the sender; use `fq`.
//! - The window changes by whole bytes and is at least two segments.
//! - With a peer that gives only the feedback of RFC 3168, the echoed share counts as marked; the reference falls back
//!   to Reno.
//!
//! # Validated against
//!
//! A queue of about the length above which the router marks; growth for several round-trip times; the same rate under
//! the same marks at round-trip times of 5 to 25 ms. Next to CUBIC in DualPI2: a queueing delay below a millisecond,
//! and 1 to 1.5 times CUBIC's rate at 10 ms and 2 to 2.5 times at 20 ms. Use it with `ecn = "l4s"`,
//! [`EcnMode::L4s`](crate::config::EcnMode). Not compared with the reference.

use super::dctcp::Marking;
use super::{CongestionControl, Entry, Scope};
use crate::context::{Ack, Cause, Congestion, Delivery, Window};
use crate::{MILLISECOND, Nanos};

pub(super) const ENTRY: Entry = Entry {
    name: "prague",
    summary: "DCTCP for L4S: grows also after marks, and treats shorter RTTs like 25 ms",
    source: "draft-briscoe-iccrg-prague-congestion-control-04; the L4S team's Linux net/ipv4/tcp_prague.c",
    parameters: &[],
    make: |_| {
        let marking = Marking::new(1.0 / 16.0);
        Box::new(Prague { marking, marked: false, updated: 0, reduced: None, credit: 0 })
    },
};

/// Smallest RTT_virt.
const VIRTUAL_RTT: Nanos = 25 * MILLISECOND;
/// Smallest window, segments.
const MIN_WINDOW: u64 = 2;

#[derive(Debug)]
struct Prague {
    marking: Marking,
    /// Whether a mark was ever received. Until then it is unknown whether the path marks, and alpha stays at 1.
    marked: bool,
    /// Time of the last update of alpha.
    updated: Nanos,
    /// Time of the last response to a mark.
    reduced: Option<Nanos>,
    /// Growth that is less than a byte, in bytes * bytes * ns * ns.
    credit: u128,
}

impl Prague {
    fn grow(&mut self, window: &mut Window, unmarked: u64, srtt: Nanos, mss: u64) {
        let virtual_rtt = u128::from(srtt.max(VIRTUAL_RTT) / 1000);
        let srtt = u128::from((srtt / 1000).max(1));
        let unit = u128::from(window.cwnd.max(1)) * virtual_rtt * virtual_rtt;
        self.credit += u128::from(unmarked.min(window.cwnd)) * u128::from(mss) * srtt * srtt;
        window.cwnd += (self.credit / unit) as u64;
        self.credit %= unit;
    }
}

impl CongestionControl for Prague {
    fn on_ack(&mut self, _window: &mut Window, _ack: &Ack, _acked: u64) {}

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        let kept = if event.cause == Cause::Ecn { self.marking.reduced(window.cwnd) } else { window.cwnd / 2 };
        kept.max(MIN_WINDOW * event.ctx.mss)
    }

    fn on_congestion(&mut self, window: &mut Window, event: &Congestion) {
        if event.cause == Cause::Ecn {
            if self.reduced.is_some_and(|reduced| event.ctx.now < reduced + VIRTUAL_RTT) {
                return;
            }
            self.reduced = Some(event.ctx.now);
        }
        window.ssthresh = self.ssthresh(window, event);
        window.cwnd = window.cwnd.min(window.ssthresh);
    }

    fn on_timeout(&mut self, window: &mut Window, event: &Congestion, first: bool) {
        if first {
            window.ssthresh = self.ssthresh(window, event);
        }
        window.cwnd = event.ctx.pipe + event.ctx.mss;
    }

    fn scope(&self) -> Scope {
        Scope { window: true, deliveries: true, proportional: true, ..Scope::default() }
    }

    // Growth is here because it continues after marks; the sender calls `on_ack` only outside reductions.
    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        let ack = &delivery.ack;
        let srtt = ack.ctx.srtt.unwrap_or(VIRTUAL_RTT);
        let over = if self.marked {
            self.marking.count(ack) && ack.ctx.now >= self.updated + srtt.max(VIRTUAL_RTT)
        } else {
            self.marked = ack.marked > 0;
            self.marked
        };
        if over {
            self.marking.update(ack.ctx.snd_nxt);
            self.updated = ack.ctx.now;
        }
        if !window.in_slow_start() && !ack.ctx.in_recovery && ack.cwnd_limited {
            self.grow(window, ack.acked.saturating_sub(ack.marked), srtt, ack.ctx.mss);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::cc::path::{MSS, Path, near};
    use crate::context::{Ack, Cause};
    use crate::testing;
    use crate::{MILLISECOND, SECOND};

    #[test]
    fn the_first_mark_halves_the_window_even_if_it_is_late() {
        let mut s = Path::avoiding("prague", 100);
        s.run(5 * SECOND);
        let before = s.window.cwnd;
        s.congestion(Cause::Ecn, false);
        assert_eq!(s.window.cwnd, before.div_ceil(2));
    }

    #[test]
    fn marks_are_answered_once_in_25_ms_if_the_rtt_is_shorter() {
        let mut s = Path::avoiding("prague", 100);
        s.base = 5 * MILLISECOND;
        let begin = s.now;
        let mut answered = Vec::new();
        while s.now < begin + 100 * MILLISECOND {
            let before = s.window.cwnd;
            s.congestion(Cause::Ecn, false);
            if s.window.cwnd < before {
                answered.push((s.now - begin) / MILLISECOND);
            }
            s.round();
        }
        assert_eq!(answered, [0, 25, 50, 75]);
        let mut s = Path::avoiding("prague", 100);
        s.base = 25 * MILLISECOND;
        for segments in [50.0, 26.0] {
            s.congestion(Cause::Ecn, false);
            near(s.segments(), segments, 0.1, "a round trip is long enough");
            s.round();
        }
    }

    /// Segments per second over 20 s, if one of `every` segments is marked.
    fn rate(rtt_ms: u64, every: u64) -> f64 {
        let mut s = Path::avoiding("prague", 20);
        (s.base, s.srtt) = (rtt_ms * MILLISECOND, Some(rtt_ms * MILLISECOND));
        let (mut cwr_until, mut measured) = (0, 0);
        let begin = s.now;
        while s.now < begin + 40 * SECOND {
            s.send();
            let (start, flight) = (s.now, (s.nxt - s.una) / MSS);
            for segment in 1..=flight {
                s.now = start + s.base * segment / flight;
                s.una += MSS;
                let marked = if (s.una / MSS).is_multiple_of(every) { MSS } else { 0 };
                let ack = Ack { rtt: s.srtt, marked, ..testing::ack(s.ctx(), MSS) };
                let delivery = testing::delivery(ack, s.una);
                s.sender.cc.on_delivery(&mut s.sender.window, &delivery);
                if marked > 0 && s.una > cwr_until {
                    s.congestion(Cause::Ecn, false);
                    cwr_until = s.nxt;
                }
                s.send();
                measured += u64::from(s.now > begin + 20 * SECOND);
            }
        }
        measured as f64 / 20.0
    }

    #[test]
    fn the_same_marks_give_the_same_rate_at_any_rtt_up_to_25_ms() {
        // Every 25 ms, a mark reduces the window by alpha / 2 = 1 %, and the window of 100 segments grows by a segment.
        for rtt_ms in [5, 12, 25] {
            near(rate(rtt_ms, 50), 4000.0, 400.0, &format!("RTT {rtt_ms} ms"));
        }
    }
}
