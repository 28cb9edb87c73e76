//! A congestion control with all callbacks, in bytes and nanoseconds; see `CongestionControl` in `ackclock-cc`.
//!
//! Without changes it is Reno (RFC 5681). The trait has more callbacks than are used here.

use ackclock_cc::{Ack, Algorithm, Congestion, CongestionControl, Context, Window};

ackclock_cc::parameters! {
    /// Numbers that scenarios may set.
    pub struct Parameters {
        /// part of the window kept at a loss
        kept: 0.5, 0.1..=0.95;
    }
}

/// One end of a connection.
pub struct TemplateName {
    parameters: Parameters,
    /// Bytes acknowledged towards the next increase.
    acked: u64,
}

impl Algorithm for TemplateName {
    const NAME: &'static str = "template-name";
    const SUMMARY: &'static str =
        "Additive increase of one segment a round trip, decrease by half.";
    type Parameters = Parameters;

    fn new(parameters: Parameters) -> TemplateName {
        TemplateName {
            parameters,
            acked: 0,
        }
    }
}

impl CongestionControl for TemplateName {
    /// New data was acknowledged and the window may grow; slow start has used the rest of `ack.acked`.
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        self.acked += acked.min(window.cwnd);
        if self.acked >= window.cwnd {
            self.acked -= window.cwnd;
            window.cwnd += ack.ctx.mss;
        }
    }

    /// The new ssthresh after a loss, a mark or a timeout: `event.cause`. After a loss or mark, cwnd becomes ssthresh.
    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        self.acked = 0;
        let kept = event.flight(window) as f64 * self.parameters.kept;
        (kept as u64).max(2 * event.ctx.mss)
    }

    /// A timeout; the sender will set cwnd to one segment.
    fn reset(&mut self, _ctx: &Context) {
        self.acked = 0;
    }
}

ackclock_cc::export!(CongestionControl: TemplateName);

#[cfg(test)]
mod tests {
    use ackclock_cc::Cause;
    use ackclock_cc::testing::{self, MSS};

    use super::*;

    #[test]
    fn the_window_grows_by_a_segment_in_a_round_trip() {
        let mut own = TemplateName::new(Parameters::default());
        let mut window = testing::window(20.0);
        for number in 1..=20 {
            let ack = testing::ack(&window, MSS);
            own.on_ack(&mut window, &ack, MSS);
            assert_eq!(window.cwnd, if number < 20 { 20 * MSS } else { 21 * MSS });
        }
    }

    #[test]
    fn a_loss_leaves_the_share_that_is_kept_and_at_least_two_segments() {
        let mut own = TemplateName::new(Parameters { kept: 0.8 });
        let mut window = testing::window(20.0);
        let loss = testing::congestion(&window, Cause::Loss);
        own.on_congestion(&mut window, &loss);
        assert_eq!((window.cwnd, window.ssthresh), (16 * MSS, 16 * MSS));
        let mut window = testing::window(2.0);
        let loss = testing::congestion(&window, Cause::Loss);
        own.on_congestion(&mut window, &loss);
        assert_eq!(window.cwnd, 2 * MSS);
    }

    #[test]
    fn a_timeout_sets_the_threshold_once() {
        let mut own = TemplateName::new(Parameters::default());
        let mut window = testing::window(20.0);
        let timeout = testing::congestion(&window, Cause::Timeout);
        own.on_timeout(&mut window, &timeout, true);
        assert_eq!(window.ssthresh, 10 * MSS);
        own.on_timeout(&mut window, &timeout, false);
        assert_eq!(window.ssthresh, 10 * MSS);
    }
}
