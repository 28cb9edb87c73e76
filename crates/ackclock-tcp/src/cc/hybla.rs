//! Hybla: the rate that Reno has on a reference path, at any round-trip time; for satellite links (C. Caini, R.
//! Firrincieli, "TCP Hybla: a TCP enhancement for heterogeneous networks", Int. J. of Satellite Communications and
//! Networking 22, 2004).
//!
//! # Equations
//!
//! Let rho = max(RTT / RTT0, 1). Each segment acknowledged changes cwnd, in segments:
//!
//! - slow start: cwnd += 2^rho - 1;
//! - congestion avoidance: cwnd += rho^2 / cwnd.
//!
//! So windows are rho times as large as Reno's on a path of RTT0, and the rates are the same. Congestion halves the
//! window.
//!
//! # Constants
//!
//! RTT0 is 25 ms, as commonly given and as in Linux (net/ipv4/tcp_hybla.c), which follows the paper; the paper itself
//! was not read. In slow start rho is at most 16, as in Linux; a segment acknowledged then adds 65,535 segments.
//!
//! # Deviations
//!
//! - RTT is the smallest so far, so that a queue does not speed up the flow that fills it. In Linux it is the smallest
//!   smoothed RTT.
//! - The initial window is the connection's; in Linux it is rho segments. Linux bounds the window to 65,535 segments.
//! - Delayed ACKs count with the data they acknowledge, in slow start with at most two segments. In Linux each counts
//!   for one segment.
//! - The paper is cited as recommending SACK, timestamps, pacing and an estimate of the first ssthresh; these are
//!   separate settings here.
//!
//! # Validated against
//!
//! Equal rates after equal times for RTTs from 25 to 400 ms, in slow start and in congestion avoidance.

use super::increase::{Increase, scaled};
use super::{CongestionControl, Entry, Scope, milliseconds};
use crate::Nanos;
use crate::context::{Ack, Window};

pub(super) const ENTRY: Entry = Entry {
    name: "hybla-paper",
    summary: "grows like Reno on a path of 25 ms, at any round-trip time",
    source: "Caini, Firrincieli, IJSCN 22(5), 2004; Linux net/ipv4/tcp_hybla.c",
    parameters: Reference::ROWS,
    make: |given| Box::new(Hybla { rtt0: milliseconds(Reference::read(given).rtt0), increase: Increase::default() }),
};

ackclock_core::parameters! {
    /// The reference path.
    struct Reference {
        rtt0: f64 = is(25.0), (1.0, 1e3), In("ms"), "round-trip time of the reference path";
    }
}

/// Largest rho in slow start.
const MOST: f64 = 16.0;

struct Hybla {
    rtt0: Nanos,
    increase: Increase,
}

impl Hybla {
    fn rho(&self, rtt: Option<Nanos>) -> f64 {
        (rtt.unwrap_or(0) as f64 / self.rtt0 as f64).max(1.0)
    }
}

impl CongestionControl for Hybla {
    fn scope(&self) -> Scope {
        Scope { slow_start: true, ..Scope::default() }
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        let rho = self.rho(ack.ctx.min_rtt);
        if window.in_slow_start() {
            let growth = scaled(acked.min(2 * ack.ctx.mss), libm::exp2(rho.min(MOST)) - 1.0);
            window.cwnd += growth.min(window.ssthresh - window.cwnd);
        } else {
            window.cwnd += self.increase.bytes(window.cwnd, acked, scaled(ack.ctx.mss, rho * rho));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::path::{MSS, Path, near};
    use crate::{MILLISECOND, SECOND};

    fn after(rtt_ms: u64, cwnd: u64, ssthresh: u64, time: Nanos) -> f64 {
        let mut s = Path::starting(&ENTRY, &[]);
        s.base = rtt_ms * MILLISECOND;
        // The RTT is known from the handshake, and windows start at rho times those of the reference.
        (s.srtt, s.min_rtt) = (Some(s.base), Some(s.base));
        let rho = rtt_ms / 25;
        s.window.cwnd = cwnd * rho * MSS;
        s.window.ssthresh = ssthresh.saturating_mul(rho * MSS);
        s.run(time);
        s.segments() / rho as f64
    }

    #[test]
    fn avoidance_gains_the_same_rate_in_the_same_time_at_any_rtt() {
        // On the reference path the window grows by a segment every 25 ms.
        for rtt_ms in [25, 50, 100, 200, 400] {
            near(after(rtt_ms, 500, 1, 4 * SECOND), 660.0, 8.0, &format!("RTT {rtt_ms} ms"));
        }
    }

    #[test]
    fn slow_start_doubles_in_the_time_of_the_reference() {
        // A round of 50 ms doubles the window twice, and a round of 100 ms four times.
        for rtt_ms in [25, 50, 100, 200] {
            near(after(rtt_ms, 1, u64::MAX, 200 * MILLISECOND), 256.0, 1.0, &format!("RTT {rtt_ms} ms"));
        }
    }

    #[test]
    fn shorter_round_trips_are_renos() {
        let mut s = Path::avoiding("hybla", 10);
        s.base = 5 * MILLISECOND;
        s.min_rtt = Some(s.base);
        s.round();
        near(s.segments(), 11.0, 0.1, "a segment a round trip");
        s.window.cwnd = 10 * MSS;
        s.lose();
        assert_eq!(s.window.cwnd, 5 * MSS);
    }

    #[test]
    fn slow_start_ends_at_ssthresh_and_its_growth_is_bounded() {
        let mut s = Path::starting(&ENTRY, &[]);
        s.window.ssthresh = 12 * MSS;
        s.base = 250 * MILLISECOND;
        s.round();
        assert!(s.segments() < 120.0, "2^10 - 1 would be 1,033: {}", s.segments());
        let mut s = Path::starting(&ENTRY, &[]);
        (s.base, s.min_rtt) = (60 * SECOND, Some(60 * SECOND));
        s.send();
        s.ack(60 * SECOND);
        assert_eq!(s.window.cwnd, (10 + 65_535) * MSS);
    }
}
