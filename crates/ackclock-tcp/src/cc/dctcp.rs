//! DCTCP: reduces the window in proportion to the share of marked data.
//!
//! # Equations
//!
//! Once per window of data, `alpha = (1 - g) * alpha + g * M`, where M is the share of the acknowledged bytes that was
//! marked. A mark changes cwnd to `cwnd * (1 - alpha / 2)`, at most once per window of data (section 3.3). The increase
//! and the response to loss are Reno's (sections 3.4 and 3.5).
//!
//! A loss in a window of data in which a mark was answered is answered too: the window is halved again, as in Linux
//! (net/ipv4/tcp_dctcp.c, dctcp_state). Section 3.5 has one reduction "across all loss signals". A mark is not a loss
//! signal, and its reduction may be close to zero.
//!
//! # Constants
//!
//! alpha starts at 1 (RFC 8257 section 3.3). The RFC leaves g to the implementation: it is a parameter, 1/16 by
//! default, which section 4.2 reports of implementations.
//!
//! # Deviations
//!
//! - alpha is in units of 1/65536, as in the example of section 4.2; g is multiplied instead of shifted.
//! - A mark leaves at least two segments; the RFC does not specify a minimum.
//!
//! # Validated against
//!
//! The update of alpha by arithmetic; a queue of about K segments at a router that marks above K. For 2 to 20 flows the
//! queue stays within the oscillation that M. Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, section 3.3,
//! report. Both ends must use `ecn = "dctcp"`, [`EcnMode::Dctcp`](crate::config::EcnMode): with the feedback of RFC
//! 3168, alpha is close to 1.

use super::reno::Reno;
use super::{CongestionControl, Entry, Scope};
use crate::context::{Ack, Cause, Congestion, Context, Delivery, Window};

pub(super) const ENTRY: Entry = Entry {
    name: "dctcp-rfc8257",
    summary: "Reno with a reduction in proportion to the share of marked data",
    source: "RFC 8257",
    parameters: Parameters::ROWS,
    make: |given| Box::new(Dctcp { marking: Marking::new(Parameters::read(given).gain), reno: Reno::default() }),
};

ackclock_core::parameters! {
    /// Constants of the estimate of marking.
    struct Parameters {
        gain: f64 = is(1.0 / 16.0), (1.0 / 1024.0, 0.5), Number,
            "g, the weight of a window of data in the estimate of marking";
    }
}

/// SCF of RFC 8257 section 4.2: the representation of alpha = 1.
const ONE: u64 = 1 << 16;

/// DCTCP.Alpha: the estimate of the share of marked data.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marking {
    /// Gain g, in units of 1/65536, like alpha.
    gain: u64,
    alpha: u64,
    window_end: u64,
    acked: u64,
    marked: u64,
}

impl Marking {
    pub fn new(gain: f64) -> Marking {
        Marking { gain: (gain * ONE as f64) as u64, alpha: ONE, window_end: 0, acked: 0, marked: 0 }
    }

    /// Counts an acknowledgment. Returns whether it acknowledges data sent after the observation window began.
    pub fn count(&mut self, ack: &Ack) -> bool {
        self.acked += ack.acked;
        self.marked += ack.marked.min(ack.acked);
        ack.ctx.snd_una > self.window_end
    }

    /// Ends the observation window and begins the next, which ends when `snd_nxt` is acknowledged.
    pub fn update(&mut self, snd_nxt: u64) {
        if self.acked > 0 {
            let seen = (u128::from(ONE) * u128::from(self.marked) / u128::from(self.acked)) as u64;
            let less = self.alpha * self.gain / ONE;
            // A remainder too small to be reduced is dropped, so that alpha can become zero.
            let kept = if less == 0 { 0 } else { self.alpha - less };
            self.alpha = (kept + seen * self.gain / ONE).min(ONE);
        }
        (self.window_end, self.acked, self.marked) = (snd_nxt, 0, 0);
    }

    /// The reduced window `cwnd * (1 - alpha / 2)`.
    pub fn reduced(&self, cwnd: u64) -> u64 {
        cwnd - (u128::from(cwnd) * u128::from(self.alpha) / u128::from(2 * ONE)) as u64
    }
}

#[derive(Debug)]
struct Dctcp {
    marking: Marking,
    reno: Reno,
}

impl CongestionControl for Dctcp {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        self.reno.on_ack(window, ack, acked);
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        if event.cause == Cause::Ecn {
            self.marking.reduced(window.cwnd).max(2 * event.ctx.mss)
        } else {
            self.reno.ssthresh(window, event)
        }
    }

    fn reset(&mut self, ctx: &Context) {
        self.reno.reset(ctx);
    }

    fn scope(&self) -> Scope {
        Scope { deliveries: true, proportional: true, ..Scope::default() }
    }

    fn on_delivery(&mut self, _window: &mut Window, delivery: &Delivery) {
        if self.marking.count(&delivery.ack) {
            self.marking.update(delivery.ack.ctx.snd_nxt);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validation::harness::{MSS, Sender};

    /// Observes a window of ten segments, of which `marked` were marked.
    fn observe(marking: &mut Marking, s: &mut Sender, marked: u64) {
        for segment in 0..10 {
            s.send(1);
            s.una = s.nxt;
            let bytes = if segment < marked { MSS } else { 0 };
            marking.count(&Ack { marked: bytes, ..s.last_ack(MSS) });
        }
        marking.update(s.nxt);
    }

    fn alpha(marking: &Marking) -> f64 {
        marking.alpha as f64 / ONE as f64
    }

    #[test]
    fn alpha_follows_the_share_of_marked_data() {
        let mut s = Sender::with_cc("none", "dctcp");
        let mut marking = Marking::new(1.0 / 16.0);
        assert_eq!((alpha(&marking), marking.reduced(100)), (1.0, 50));
        let mut expected = 1.0;
        for marked in [10, 0, 5, 5, 5, 1, 0] {
            observe(&mut marking, &mut s, marked);
            expected = expected * 15.0 / 16.0 + marked as f64 / 160.0;
            assert!((alpha(&marking) - expected).abs() < 1e-3, "{} {expected}", alpha(&marking));
        }
    }

    #[test]
    fn alpha_ends_at_zero_and_never_exceeds_one() {
        let mut s = Sender::with_cc("none", "dctcp");
        let mut marking = Marking::new(1.0 / 16.0);
        for _ in 0..200 {
            observe(&mut marking, &mut s, 0);
        }
        assert_eq!((marking.alpha, marking.reduced(100)), (0, 100));
        for _ in 0..200 {
            observe(&mut marking, &mut s, 10);
        }
        assert!(marking.alpha <= ONE && alpha(&marking) > 0.99);
    }
}
