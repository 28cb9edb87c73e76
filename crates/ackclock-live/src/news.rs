//! Packets after which the kernel may be in another state of loss recovery.

use std::collections::BTreeMap;

use ackclock_app::Side;
use ackclock_wire::{Packet, decode};

/// Whether `one` is beyond `other` in sequence space.
fn is_beyond(one: u32, other: u32) -> bool {
    (one.wrapping_sub(other) as i32) > 0
}

/// The ends of a connection's data in packets: what was sent, and what was acknowledged.
#[derive(Clone, Copy)]
struct Seen {
    sent: u32,
    acked: u32,
}

/// The connections of all flows, by flow and by the ports of the source and of the sink.
#[derive(Default)]
pub struct News {
    seen: BTreeMap<(usize, u16, u16), Seen>,
}

impl News {
    /// Reads a packet of a flow on its way to a side. Returns whether the state of loss recovery at the source may be
    /// another afterwards: the source retransmits, or an ACK has SACK blocks or acknowledges nothing new. A sender without
    /// known losses begins a recovery after such an ACK, or its timer does, which retransmits.
    pub fn read(&mut self, flow: usize, to: Side, packet: &[u8]) -> bool {
        let Ok(Packet::Tcp { addresses, segment, .. }) = decode(packet) else { return true };
        let (one, other) = (addresses.source.port(), addresses.destination.port());
        if to == Side::Sink {
            let end = segment.seq.wrapping_add(segment.len);
            let seen = self.seen.entry((flow, one, other)).or_insert(Seen { sent: segment.seq, acked: segment.seq });
            let again = segment.len > 0 && is_beyond(seen.sent, segment.seq);
            if is_beyond(end, seen.sent) {
                seen.sent = end;
            }
            return again;
        }
        let Some(seen) = self.seen.get_mut(&(flow, other, one)) else { return true };
        let advances = is_beyond(segment.ack, seen.acked);
        if advances {
            seen.acked = segment.ack;
        }
        segment.sack_count > 0 || !advances && segment.len == 0
    }
}

#[cfg(test)]
mod tests {
    use ackclock_tcp::segment::{Flags, SackBlock, Segment};
    use ackclock_wire::{Addresses, Sum, encode};

    use super::*;

    /// A segment between the ports 1 and 2, with a payload of zeros.
    fn packet(to: Side, segment: &Segment) -> Vec<u8> {
        let [source, sink] = ["10.0.0.1:1", "10.0.0.2:2"].map(|text| text.parse().expect("an address"));
        let addresses = Addresses { source, destination: sink };
        let addresses = if to == Side::Sink { addresses } else { addresses.reversed() };
        let mut bytes = vec![0; 2000];
        let headers = encode(&addresses, segment, Sum::default(), &mut bytes).expect("a segment that fits");
        bytes.truncate(headers + segment.len as usize);
        bytes
    }

    fn data(seq: u32, len: u32) -> Vec<u8> {
        let mut segment = Segment::new(Flags::ACK);
        (segment.seq, segment.ack, segment.len) = (seq, 9, len);
        packet(Side::Sink, &segment)
    }

    fn acknowledgment(ack: u32, sack: Option<SackBlock>) -> Vec<u8> {
        let mut segment = Segment::new(Flags::ACK);
        (segment.seq, segment.ack) = (9, ack);
        if let Some(block) = sack {
            (segment.sack[0], segment.sack_count) = (block, 1);
        }
        packet(Side::Source, &segment)
    }

    #[test]
    fn sack_blocks_duplicates_and_retransmissions_are_news() {
        let mut news = News::default();
        // Sequence numbers wrap.
        let first = u32::MAX - 149;
        assert!(!news.read(3, Side::Sink, &data(first, 100)));
        assert!(!news.read(3, Side::Sink, &data(first.wrapping_add(100), 100)));
        assert!(!news.read(3, Side::Source, &acknowledgment(first.wrapping_add(100), None)));
        assert!(!news.read(3, Side::Source, &acknowledgment(50, None)));
        assert!(news.read(3, Side::Source, &acknowledgment(50, None)), "an ACK of nothing new");
        let block = SackBlock { start: 70, end: 80 };
        assert!(news.read(3, Side::Source, &acknowledgment(60, Some(block))), "SACK blocks");
        assert!(news.read(3, Side::Sink, &data(first.wrapping_add(100), 100)), "a retransmission");
        assert!(!news.read(3, Side::Sink, &data(50, 100)));
        assert!(news.read(4, Side::Source, &acknowledgment(70, None)), "an unknown connection");
    }

    #[test]
    fn what_is_no_segment_is_news() {
        let whole = data(1, 10);
        let mut datagram = whole.clone();
        datagram[9] = 17;
        for bytes in [&[][..], &whole[..30], &datagram] {
            assert!(News::default().read(0, Side::Sink, bytes), "{bytes:?}");
        }
    }
}
