//! A congestion control from five rules about its window, in segments; see `WindowRules` in `ackclock-cc`.
//!
//! Without changes it is Reno. Change the rules that are to differ, and delete the others.

use ackclock_cc::{Algorithm, Situation, WindowRules};

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
}

impl Algorithm for TemplateName {
    const NAME: &'static str = "template-name";
    const SUMMARY: &'static str =
        "Additive increase of one segment a round trip, decrease by half.";
    type Parameters = Parameters;

    fn new(parameters: Parameters) -> TemplateName {
        TemplateName { parameters }
    }
}

impl WindowRules for TemplateName {
    /// The first window, segments.
    fn start(&mut self, flow: &Situation) -> f64 {
        flow.initial_window()
    }

    /// Growth of the window in a round trip, segments. See also `flow.cwnd()`, `flow.srtt()` and `flow.min_rtt()`.
    fn increase(&mut self, _flow: &Situation) -> f64 {
        1.0
    }

    /// Share of the window that remains after a loss or a mark: `flow.cause`.
    fn reduction(&mut self, _flow: &Situation) -> f64 {
        self.parameters.kept
    }

    /// Share of the window that ssthresh becomes after a timeout.
    fn timeout(&mut self, flow: &Situation) -> f64 {
        self.reduction(flow)
    }

    /// Share of the window that remains if nothing was sent for `flow.idle()` seconds, longer than a timeout.
    fn idle(&mut self, _flow: &Situation) -> f64 {
        1.0
    }
}

ackclock_cc::export!(WindowRules: TemplateName);

#[cfg(test)]
mod tests {
    use ackclock_cc::{Cause, testing};

    use super::*;

    #[test]
    fn the_window_grows_by_a_segment_in_a_round_trip() {
        let mut own = TemplateName::new(Parameters::default());
        assert_eq!(own.start(&testing::situation(20.0)), 10.0);
        // The acknowledgments of one window, each of which asks for the growth in a round trip.
        for _ in 0..20 {
            assert_eq!(own.increase(&testing::situation(20.0)), 1.0);
        }
    }

    #[test]
    fn a_loss_leaves_the_share_that_is_kept() {
        let mut own = TemplateName::new(Parameters { kept: 0.8 });
        assert_eq!(own.reduction(&testing::congested(20.0, Cause::Loss)), 0.8);
        assert_eq!(own.timeout(&testing::congested(20.0, Cause::Timeout)), 0.8);
    }
}
