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

    /// Returns the part of a segment that is retransmitted now: all of it, unless segments have become smaller since it was
    /// sent. The rest then is a segment of its own with the same marks (Linux net/ipv4/tcp_output.c, __tcp_retransmit_skb and
    /// tcp_fragment).
    #[inline]
    pub(super) fn cut_to_size(&mut self, (start, len): (u64, u32)) -> (u64, u32) {
        if u64::from(len) > self.mss { self.cut(start, len) } else { (start, len) }
    }

    #[cold]
    fn cut(&mut self, start: u64, len: u32) -> (u64, u32) {
        let mss = self.mss as u32;
        let fin = u32::from(start + u64::from(len) > self.written);
        if len - fin <= mss {
            return (start, len);
        }
        if let Some(sent_at) = self.board.split(start, mss).filter(|_| self.config.rack) {
            self.rare.rack.on_split(sent_at, start + u64::from(mss));
        }
        (start, mss)
    }

    /// Gives segments another size, in bytes. Windows that count segments keep their number, the initial one of a restart
    /// as well (net/ipv4/tcp_input.c, tcp_init_cwnd).
    pub fn resize_segments(&mut self, mss: u64) {
        let old = self.mss;
        self.mss = mss;
        if self.whole {
            self.window.cwnd = self.window.cwnd / old * mss;
            self.initial_window = self.initial_window / old * mss;
            if self.window.ssthresh < u64::MAX {
                self.window.ssthresh = self.window.ssthresh / old * mss;
            }
        }
    }
}
