//! Standard slow start with appropriate byte counting: at most two segments per ACK, and at most one after a timeout
//! (RFC 5681 section 3.1, RFC 3465).

use super::{Entry, SlowStart, grow};
use crate::context::{Ack, Congestion, Window};

pub(super) const ENTRY: Entry = Entry {
    name: "standard",
    summary: "the window grows by the bytes that each ACK acknowledges, at most two segments, or one after a timeout",
    source: "RFC 5681 section 3.1; RFC 3465 sections 2.2 and 2.3",
    make: || Box::<Standard>::default(),
};

/// L of RFC 3465 section 2.2: largest number of segments that one ACK adds.
//= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
//= type=exception
//= reason=An ACK adds what it acknowledges, at most two segments: L = 2 of RFC 3465 section 2.2, an experimental RFC.
//= Equation 2 adds one at most.
//# we RECOMMEND that TCP implementations increase cwnd, per
const LIMIT_SEGMENTS: u64 = 2;

/// Bytes that an ACK counts for (RFC 3465): at most two segments, or one in the slow start after a timeout (section
/// 2.3). After a timeout an ACK that fills a hole also covers data that arrived long before.
#[derive(Default, Debug)]
pub(super) struct ByteCounting {
    /// SND.NXT at the last timeout; data below it are being repaired.
    repaired_to: u64,
}

impl ByteCounting {
    /// The retransmission timer expired.
    pub fn on_timeout(&mut self, event: &Congestion) {
        self.repaired_to = event.ctx.snd_nxt;
    }

    fn repairs(&self, ack: &Ack) -> bool {
        ack.ctx.snd_una.saturating_sub(ack.acked) < self.repaired_to
    }

    /// Number of bytes that `ack` counts for.
    pub fn counted(&self, ack: &Ack) -> u64 {
        ack.acked.min(ack.ctx.mss * if self.repairs(ack) { 1 } else { LIMIT_SEGMENTS })
    }

    /// Grows the window as in standard slow start.
    pub fn grow(&self, window: &mut Window, ack: &Ack) -> u64 {
        let counted = self.counted(ack);
        grow(window, counted, if self.repairs(ack) { counted } else { ack.acked }, 1)
    }
}

#[derive(Default)]
struct Standard {
    counting: ByteCounting,
}

impl SlowStart for Standard {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, may_grow: bool) -> u64 {
        if may_grow { self.counting.grow(window, ack) } else { 0 }
    }

    fn on_timeout(&mut self, event: &Congestion) {
        self.counting.on_timeout(event);
    }
}

#[cfg(test)]
mod tests {
    use crate::slow_start::CATALOGUE;
    use crate::slow_start::harness::{Flat, MSS};

    #[test]
    fn after_a_timeout_an_ack_adds_one_segment_until_outstanding_data_are_repaired() {
        // Linux's slow start has no such limit (net/ipv4/tcp_cong.c, tcp_slow_start); one that counts ACKs counts no bytes.
        for entry in CATALOGUE.iter().filter(|entry| !["hystart", "linux", "per-ack"].contains(&entry.name)) {
            let mut s = Flat::new(entry.name, 10);
            s.nxt = 10 * MSS;
            s.timeout();
            (s.window.cwnd, s.window.ssthresh) = (MSS, 20 * MSS);
            let mut after = |segments: u64| {
                s.ack(segments * MSS);
                s.window.cwnd / MSS
            };
            assert_eq!([after(4), after(2), after(6), after(4)], [2, 3, 4, 6], "{}", entry.name);
        }
    }
}
