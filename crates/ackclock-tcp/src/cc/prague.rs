//! Prague: DCTCP for paths with L4S marking, less dependent on the round-trip time.
//!
//! # Equations
//!
//! `alpha` as DCTCP's, updated once in `RTT_virt = max(SRTT, 25 ms)`. A mark leaves `cwnd * (1 - alpha / 2)`, at most once for each
//! window of data; loss leaves half. Each ACK adds `unmarked bytes * AI * SMSS / cwnd` with `AI = (SRTT / RTT_virt)^2`, after marks
//! as well, so that flows of less than 25 ms grow like one of 25 ms.
//!
//! # Constants
//!
//! draft-briscoe-iccrg-prague-congestion-control-04: g = 1/16, alpha starts at 1, RTT_virt at least 25 ms.
//!
//! # Deviations
//!
//! - The dependence on the round-trip time is reduced from the first: the reference waits for some hundred round trips.
//! - Pacing is the sender's: combine with `fq`.
//! - The window moves by bytes and no finer; it is at least two segments.
//! - Where a peer knows only the feedback of RFC 3168, that part is marked which it echoes: the draft falls back to Reno.
//!
//! # Validated against
//!
//! A queue about as long as the threshold above which it marks; growth by round-trip time. To be used with
//! [`EcnMode::L4s`](crate::config::EcnMode). Not against the reference.

use super::dctcp::Marking;
use super::{CongestionControl, Entry, Scope};
use crate::context::{Ack, Cause, Congestion, Delivery, Window};
use crate::{MILLISECOND, Nanos};

pub(super) const ENTRY: Entry = Entry {
    name: "prague",
    summary: "DCTCP for L4S: growth through marks, and by 25 ms where the RTT is shorter",
    source: "draft-briscoe-iccrg-prague-congestion-control-04",
    parameters: &[],
    make: |_| Box::new(Prague { marking: Marking::new(1.0 / 16.0), updated: 0, credit: 0 }),
};

/// The least RTT_virt.
const VIRTUAL_RTT: Nanos = 25 * MILLISECOND;
/// The least window, segments.
const MIN_WINDOW: u64 = 2;

#[derive(Debug)]
struct Prague {
    marking: Marking,
    /// When alpha was last updated.
    updated: Nanos,
    /// Growth that did not yet amount to a byte: bytes * bytes * ns * ns.
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

    fn on_congestion(&mut self, window: &mut Window, event: &Congestion) {
        let kept = if event.cause == Cause::Ecn { self.marking.reduced(window.cwnd) } else { window.cwnd / 2 };
        window.ssthresh = kept.max(MIN_WINDOW * event.ctx.mss);
        window.cwnd = window.cwnd.min(window.ssthresh);
    }

    fn on_timeout(&mut self, window: &mut Window, event: &Congestion, first: bool) {
        if first {
            window.ssthresh = (window.cwnd / 2).max(MIN_WINDOW * event.ctx.mss);
        }
        window.cwnd = event.ctx.pipe + event.ctx.mss;
    }

    fn scope(&self) -> Scope {
        Scope { window: true, deliveries: true, ..Scope::default() }
    }

    // Marks do not stop growth, and the sender tells of it only outside reductions.
    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        let ack = &delivery.ack;
        let srtt = ack.ctx.srtt.unwrap_or(VIRTUAL_RTT);
        if self.marking.count(ack) && ack.ctx.now >= self.updated + srtt.max(VIRTUAL_RTT) {
            self.marking.update(ack.ctx.snd_nxt);
            self.updated = ack.ctx.now;
        }
        if !window.in_slow_start() && !ack.ctx.in_recovery && ack.cwnd_limited {
            self.grow(window, ack.acked.saturating_sub(ack.marked), srtt, ack.ctx.mss);
        }
    }
}
