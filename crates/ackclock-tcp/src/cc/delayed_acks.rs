//! Recognises acknowledgments that a receiver has delayed, whose delay is not that of the path (after D. Hayes, "Timing
//! enhancements to the FreeBSD kernel to support delay and rate based TCP mechanisms", CAIA technical report 100219A,
//! 2010).

use crate::context::Ack;

/// Number of acknowledgments for more than one segment that are remembered.
const MOST: u32 = 5;

/// Whether the receiver delays acknowledgments, from the segments that they cover.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct DelayedAcks {
    stretched: u32,
}

impl DelayedAcks {
    /// Whether an acknowledgment may have waited for a second segment that did not arrive.
    ///
    /// An acknowledgment for a single segment may have waited if acknowledgments for more than one segment arrived before:
    /// each of these adds one to a counter of at most five, and each acknowledgment that may have waited takes one off,
    /// so that a receiver that acknowledges every segment is recognised. If nothing remains in flight, there was no
    /// second segment, and the acknowledgment may always have waited. Out of order, receivers acknowledge at once.
    pub fn may_have_waited(&mut self, ack: &Ack) -> bool {
        let ctx = &ack.ctx;
        if ack.sacked > 0 || ctx.pipe < ctx.flight_size {
            return false;
        }
        if ack.acked > ctx.mss {
            self.stretched = (self.stretched + 1).min(MOST);
            return false;
        }
        if ctx.flight_size == 0 {
            return true;
        }
        let may = self.stretched > 0;
        self.stretched = self.stretched.saturating_sub(1);
        may
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Context;
    use crate::testing::{self, MSS};

    fn ack(acked: u64, in_flight: u64) -> Ack {
        testing::ack(testing::context(0, 0..in_flight * MSS), acked * MSS)
    }

    #[test]
    fn single_segments_may_have_waited_as_often_as_more_than_one_was_acknowledged() {
        let mut acks = DelayedAcks::default();
        assert!(!acks.may_have_waited(&ack(1, 9)), "the receiver acknowledges every segment");
        assert!(!acks.may_have_waited(&ack(2, 9)));
        assert_eq!([1, 1].map(|acked| acks.may_have_waited(&ack(acked, 9))), [true, false]);
        for _ in 0..9 {
            acks.may_have_waited(&ack(2, 9));
        }
        assert_eq!([1; 6].map(|acked| acks.may_have_waited(&ack(acked, 9))), [true, true, true, true, true, false]);
    }

    #[test]
    fn the_only_segment_in_flight_may_always_have_waited_and_a_segment_out_of_order_never() {
        let mut acks = DelayedAcks::default();
        assert_eq!([1; 9].map(|acked| acks.may_have_waited(&ack(acked, 0))), [true; 9]);
        acks.may_have_waited(&ack(2, 0));
        let sacked = Context { pipe: 8 * MSS, ..ack(1, 9).ctx };
        assert!(!acks.may_have_waited(&testing::ack(sacked, MSS)));
        assert!(acks.may_have_waited(&ack(1, 9)), "and does not change the number");
    }
}
