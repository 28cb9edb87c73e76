//! The response to congestion while the window is unused, from its beginning to its end (RFC 7661 section 4.4.1).

use crate::context::{CongestionEnd, Window};

/// A response to congestion in progress.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    /// max(pipeACK, LossFlightSize) in bytes, if congestion occurred in the non-validated phase. In the validated
    /// phase, and after a timeout, the standard response applies.
    capacity: Option<u64>,
    /// Upper limit of cwnd at the end of the response, in bytes.
    most: u64,
}

impl Answer {
    /// Begins a response: cwnd becomes half of `capacity`, if that is known, or stays as the congestion control has set
    /// it.
    pub fn begin(window: &mut Window, capacity: Option<u64>, mss: u64) -> Answer {
        if let Some(capacity) = capacity {
            set_window(window, capacity / 2, mss);
        }
        Answer { capacity, most: u64::MAX }
    }

    /// Records that the window was reduced to `cwnd` bytes for lack of use: the end of the response does not raise it
    /// again.
    pub fn bound(&mut self, cwnd: u64) {
        self.most = cwnd;
    }

    /// Ends the response: cwnd = (capacity - R)/2.
    ///
    /// In two cases the window stays below that value. A second reduction, for a lost retransmission, has left a lower
    /// ssthresh (RFC 5681 section 4.3: each loss of a retransmission reduces cwnd again). Slow start from one segment
    /// continues up to ssthresh, which is half of the capacity, and is not cut short.
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

// RFC 7661 section 4.4.1: cwnd is at least one segment; ssthresh equals cwnd, but is at least two segments (RFC 5681
// equation 4).
fn set_window(window: &mut Window, cwnd: u64, mss: u64) {
    //= https://www.rfc-editor.org/rfc/rfc7661#section-4.4.1
    //# The calculated cwnd value MUST NOT be reduced below 1 TCP Maximum Segment Size (MSS)
    window.cwnd = cwnd.max(mss);
    window.ssthresh = window.cwnd.max(2 * mss);
}
