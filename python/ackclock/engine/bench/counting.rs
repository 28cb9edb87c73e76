//! The algorithm of `counting.py`, without its counter.

use ackclock_cc::{Ack, Algorithm, Congestion, CongestionControl, Window};

struct Spread;

impl Algorithm for Spread {
    const NAME: &'static str = "bench-spread";
    const SUMMARY: &'static str = "Reno that spreads its growth over the ACKs.";
    type Parameters = ();

    fn new((): ()) -> Spread {
        Spread
    }
}

impl CongestionControl for Spread {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        window.cwnd += acked * ack.ctx.mss / window.cwnd;
    }

    fn ssthresh(&mut self, _window: &Window, event: &Congestion) -> u64 {
        (event.ctx.flight_size / 2).max(2 * event.ctx.mss)
    }
}

ackclock_cc::export!(CongestionControl: Spread);
