//! Large packets: several segments of a connection in one, as segmentation offload hands them to a host's queue (GSO) and
//! as a receiver merges them (GRO).

use crate::segment::{Feedback, Flags, Segment};
use ackclock_core::headers::{IPV4, LARGEST_PACKET};

/// Flags in which the segments of a large packet may differ: the first may carry CWR, and the last FIN and PSH.
const OWN: Flags = Flags::CWR.with(Flags::FIN).with(Flags::PSH);
/// Flags after which no segment is merged.
const LAST: Flags = Flags::FIN.with(Flags::PSH).with(Flags::SYN).with(Flags::RST).with(Flags::URG);

impl Segment {
    /// Number of segments: one, unless this is a large packet.
    #[inline]
    pub fn segments(&self) -> u32 {
        if self.part == 0 { 1 } else { self.len.div_ceil(u32::from(self.part)) }
    }

    /// Payload of the largest of its segments, bytes (Linux: gso_size).
    #[inline]
    pub fn largest_part(&self) -> u32 {
        if self.part == 0 { self.len } else { self.part.into() }
    }

    /// Merges the next segment of the same sender, by the rules of Linux's GRO (net/ipv4/tcp_offload.c, tcp_gro_receive):
    /// it continues the payload, has the same acknowledgment, flags, window, options and ECN field, is no longer than the
    /// first segment, and follows full segments without PSH. Returns whether it was merged.
    pub fn merge(&mut self, next: &Segment) -> bool {
        let part = self.largest_part();
        let complete = self.len == 0 || !self.len.is_multiple_of(part) || self.flags.0 & LAST.0 != 0;
        let follows = next.part == 0
            && (1..=part).contains(&next.len)
            && next.seq == self.seq.wrapping_add(self.len)
            && next.ack == self.ack
            && next.window == self.window
            && next.flags.without(OWN) == self.flags.without(OWN)
            && !next.flags.has(Flags::CWR);
        let same = next.ecn == self.ecn
            && next.timestamps == self.timestamps
            && next.sack_blocks() == self.sack_blocks()
            && next.feedback == self.feedback
            && !matches!(self.feedback, Some(Feedback::Xcp(_)));
        let fits = IPV4 + self.header_len() + self.len + next.len <= LARGEST_PACKET;
        let Ok(part) = u16::try_from(part) else { return false };
        if complete || !follows || !same || !fits {
            return false;
        }
        self.part = part;
        self.len += next.len;
        self.flags = self.flags.with(next.flags);
        true
    }

    /// Returns a segment of a large packet by its index, as the network card splits it.
    ///
    /// # Panics
    /// If the packet does not have so many segments.
    pub fn segment(&self, index: u32) -> Segment {
        assert!(index < self.segments(), "a packet of {} segments has none with index {index}", self.segments());
        if self.part == 0 {
            return *self;
        }
        let (part, last) = (u32::from(self.part), index + 1 == self.segments());
        let mut segment = Segment { part: 0, seq: self.seq.wrapping_add(index * part), ..*self };
        segment.len = if last { self.len - index * part } else { part };
        if index > 0 {
            segment.flags = segment.flags.without(Flags::CWR);
        }
        if !last {
            segment.flags = segment.flags.without(Flags::FIN.with(Flags::PSH));
        }
        segment
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ecn;
    use crate::segment::Timestamps;

    fn data(seq: u32, len: u32, flags: Flags) -> Segment {
        let timestamps = Some(Timestamps { val: 5, ecr: 4 });
        Segment { seq, len, ack: 9, timestamps, ..Segment::new(Flags::ACK.with(flags)) }
    }

    #[test]
    fn merged_segments_come_out_as_they_went_in() {
        let none = Flags::default();
        let seq = u32::MAX - 1500;
        let sent = [data(seq, 1448, Flags::CWR), data(seq.wrapping_add(1448), 1448, none), data(1395, 100, Flags::PSH)];
        let mut large = sent[0];
        assert!(sent[1..].iter().all(|next| large.merge(next)));
        assert_eq!((large.segments(), large.len, large.largest_part()), (3, 2996, 1448));
        assert_eq!([0, 1, 2].map(|index| large.segment(index)), sent);
        assert!(!large.merge(&data(1495, 1448, none)), "a short segment and PSH end a packet");
    }

    #[test]
    fn a_segment_that_differs_is_not_merged() {
        let none = Flags::default();
        let first = data(0, 1000, none);
        let next = data(1000, 1000, none);
        assert!({ first }.merge(&next));
        for other in [
            data(1001, 1000, none),
            data(1000, 1001, none),
            data(1000, 0, none),
            data(1000, 1000, Flags::CWR),
            data(1000, 1000, Flags::ECE),
            Segment { ack: 10, ..next },
            Segment { window: 3, ..next },
            Segment { ecn: Ecn::Ce, ..next },
            Segment { timestamps: Some(Timestamps { val: 6, ecr: 4 }), ..next },
            Segment { sack_count: 1, ..next },
        ] {
            assert!(!{ first }.merge(&other), "{other:?}");
        }
        assert!(!{ data(0, 1000, Flags::PSH) }.merge(&next));
        assert!(!{ data(1000, 0, none) }.merge(&next), "an acknowledgment is not merged");
    }

    /// 65,160 bytes of payload are 45 segments of 1,448: the largest packet of Linux.
    #[test]
    fn a_large_packet_fits_into_the_length_of_an_ip_header() {
        let mut large = data(0, 1448, Flags::default());
        let merged = (1..).take_while(|index| large.merge(&data(index * 1448, 1448, Flags::default()))).count();
        assert_eq!((merged, large.len), (44, 65_160));
    }
}
