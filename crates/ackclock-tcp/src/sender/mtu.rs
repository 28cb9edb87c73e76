//! Response to a path whose MTU is smaller than the packets sent.

use super::Sender;
use super::episode::Phase;

impl Sender {
    /// Reduces the segment size to `payload` bytes, if it is larger. Outstanding segments that are now too large were dropped on the path:
    /// they are split and retransmitted. Such a drop does not indicate congestion, and the window stays unchanged (RFC
    /// 1191 section 6.5), in the unit in which it is counted.
    pub fn limit_segments(&mut self, payload: u32) {
        //= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
        //= type=exception
        //= reason=cwnd is a volume in bytes and stays as it is when Path MTU Discovery makes segments smaller (RFC
        //= 1191 section 6.5 asks for no reduction).
        //# the congestion window cwnd SHOULD be reduced to prevent large bursts of smaller segments
        //= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
        //= type=exception
        //= reason=cwnd is a volume in bytes and stays as it is when Path MTU Discovery makes segments smaller (RFC
        //= 1191 section 6.5 asks for no reduction).
        //# cwnd SHOULD be reduced by the ratio of the old segment size to the new segment size
        self.limit_path(payload.into());
        let mss = self.mss.min(u64::from(payload));
        self.rare.full_mss = self.rare.full_mss.min(mss);
        self.resize_segments(mss);
        if self.board.resegment(self.mss as u32) && self.phase == Phase::Open {
            self.repair_without_response();
        }
    }

    /// Gives segments another size, in bytes. Windows that count segments keep their number.
    pub(super) fn resize_segments(&mut self, mss: u64) {
        let old = self.mss;
        self.mss = mss;
        if self.whole {
            self.window.cwnd = self.window.cwnd / old * mss;
            if self.window.ssthresh < u64::MAX {
                self.window.ssthresh = self.window.ssthresh / old * mss;
            }
        }
    }
}
