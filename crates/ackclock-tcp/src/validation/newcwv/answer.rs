//! The answer to congestion that meets an unused window, from its beginning to its end (RFC 7661 section 4.4.1).

use crate::context::{CongestionEnd, Window};

/// The answer to congestion while it is under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    /// max(pipeACK, LossFlightSize) in bytes, where the congestion met the non-validated phase. In the validated phase, and
    /// after a timeout, the standard response stands.
    capacity: Option<u64>,
    /// What cwnd may be at the end, at most, in bytes.
    most: u64,
}

impl Answer {
    /// Begins: cwnd is half of `capacity`, where that is known, or as the congestion control has set it.
    pub fn begin(window: &mut Window, capacity: Option<u64>, mss: u64) -> Answer {
        if let Some(capacity) = capacity {
            set_window(window, capacity / 2, mss);
        }
        Answer { capacity, most: u64::MAX }
    }

    /// The window was reduced to `cwnd` bytes for want of use: its end does not raise it again.
    pub fn bound(&mut self, cwnd: u64) {
        self.most = cwnd;
    }

    /// Ends: cwnd = (capacity - R)/2.
    ///
    /// Two cases remain below that. A second reduction, for a retransmission that was lost, has left a lower ssthresh (RFC 5681
    /// section 4.3: each loss of a retransmission reduces cwnd again). Slow start from one segment goes on up to ssthresh,
    /// which is half of the capacity, and is not cut short.
    pub fn end(self, window: &mut Window, end: &CongestionEnd) {
        if let Some(capacity) = self.capacity
            && !end.slow_start
        {
            //= https://www.rfc-editor.org/rfc/rfc7661#section-4.4.1
            //# At the end of the recovery phase, the TCP sender MUST reset the cwnd using the method below
            let left = capacity.saturating_sub(end.retransmitted) / 2;
            set_window(window, left.min(window.ssthresh), end.ctx.mss);
        }
        window.cwnd = window.cwnd.min(self.most);
    }
}

// RFC 7661 section 4.4.1: at least one segment; ssthresh equals cwnd, but never less than two segments (RFC 5681 equation 4).
fn set_window(window: &mut Window, cwnd: u64, mss: u64) {
    //= https://www.rfc-editor.org/rfc/rfc7661#section-4.4.1
    //# The calculated cwnd value MUST NOT be reduced below 1 TCP Maximum Segment Size (MSS)
    window.cwnd = cwnd.max(mss);
    window.ssthresh = window.cwnd.max(2 * mss);
}
