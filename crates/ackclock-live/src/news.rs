//! Packets after which the kernel may be in another state of loss recovery.

use std::collections::BTreeMap;

use ackclock_app::Side;

/// Number of the protocol above IP (RFC 9293).
const TCP: u8 = 6;
/// Length of a header without options, of IPv4 and of TCP, in bytes.
const PLAIN: usize = 20;
/// Kinds of options: end of the list, padding, and SACK (RFC 2018).
const END: u8 = 0;
const PADDING: u8 = 1;
const SACK: u8 = 5;

/// The fields of a segment over IPv4 that tell of losses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Header {
    ports: (u16, u16),
    seq: u32,
    ack: u32,
    payload: u32,
    /// Whether there are SACK blocks.
    sack: bool,
}

impl Header {
    /// Reads a packet; `None` if it is no whole segment.
    fn of(packet: &[u8]) -> Option<Header> {
        let length = usize::from(packet.first()? & 15) * 4;
        if packet.first()? >> 4 != 4 || *packet.get(9)? != TCP {
            return None;
        }
        let segment = packet.get(length..)?;
        let word = |at: usize| Some(u32::from_be_bytes(*segment.get(at..)?.first_chunk()?));
        let (ports, offset) = (word(0)?, usize::from(segment.get(12)? >> 4) * 4);
        let options = segment.get(PLAIN..offset)?;
        Some(Header {
            ports: ((ports >> 16) as u16, ports as u16),
            seq: word(4)?,
            ack: word(8)?,
            payload: (segment.len() - offset) as u32,
            sack: has_sack(options),
        })
    }
}

fn has_sack(mut options: &[u8]) -> bool {
    while let [kind, rest @ ..] = options {
        match (*kind, rest) {
            (SACK, _) => return true,
            (END, _) => return false,
            (PADDING, _) => options = rest,
            (_, [length, ..]) if *length >= 2 => options = options.get(usize::from(*length)..).unwrap_or_default(),
            _ => return false,
        }
    }
    false
}

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
        let Some(header) = Header::of(packet) else { return true };
        let (one, other) = header.ports;
        if to == Side::Sink {
            let end = header.seq.wrapping_add(header.payload);
            let seen = self.seen.entry((flow, one, other)).or_insert(Seen { sent: header.seq, acked: header.seq });
            let again = header.payload > 0 && is_beyond(seen.sent, header.seq);
            if is_beyond(end, seen.sent) {
                seen.sent = end;
            }
            return again;
        }
        let Some(seen) = self.seen.get_mut(&(flow, other, one)) else { return true };
        let advances = is_beyond(header.ack, seen.acked);
        if advances {
            seen.acked = header.ack;
        }
        header.sack || !advances && header.payload == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A segment between the ports 1 and 2, with these options.
    fn packet(to: Side, seq: u32, ack: u32, options: &[u8], payload: usize) -> Vec<u8> {
        let mut bytes = vec![0; PLAIN];
        (bytes[0], bytes[9]) = (0x45, TCP);
        let ports: [u8; 4] = if to == Side::Sink { [0, 1, 0, 2] } else { [0, 2, 0, 1] };
        bytes.extend(ports);
        bytes.extend(seq.to_be_bytes());
        bytes.extend(ack.to_be_bytes());
        bytes.extend([((PLAIN + options.len()) as u8 / 4) << 4, 0x10, 0, 0, 0, 0, 0, 0]);
        bytes.extend(options);
        bytes.resize(bytes.len() + payload, 1);
        bytes
    }

    #[test]
    fn sack_blocks_duplicates_and_retransmissions_are_news() {
        let timestamps = [1, 1, 8, 10, 0, 0, 0, 0, 0, 0, 0, 0];
        let sack = [1, 1, 5, 10, 0, 0, 0, 0, 0, 0, 0, 0];
        let mut news = News::default();
        let data = |seq| packet(Side::Sink, seq, 9, &timestamps, 100);
        let ack = |ack, options: &[u8]| packet(Side::Source, 9, ack, options, 0);
        // Sequence numbers wrap.
        let first = u32::MAX - 149;
        assert!(!news.read(3, Side::Sink, &data(first)));
        assert!(!news.read(3, Side::Sink, &data(first.wrapping_add(100))));
        assert!(!news.read(3, Side::Source, &ack(first.wrapping_add(100), &timestamps)));
        assert!(!news.read(3, Side::Source, &ack(50, &timestamps)));
        assert!(news.read(3, Side::Source, &ack(50, &timestamps)), "an ACK of nothing new");
        assert!(news.read(3, Side::Source, &ack(60, &sack)), "SACK blocks");
        assert!(news.read(3, Side::Sink, &data(first.wrapping_add(100))), "a retransmission");
        assert!(!news.read(3, Side::Sink, &data(50)));
        assert!(news.read(4, Side::Source, &ack(70, &timestamps)), "an unknown connection");
    }

    #[test]
    fn what_is_no_segment_is_news() {
        let whole = packet(Side::Sink, 1, 1, &[], 10);
        let mut datagram = whole.clone();
        datagram[9] = 17;
        for bytes in [&[][..], &whole[..30], &datagram] {
            assert!(News::default().read(0, Side::Sink, bytes), "{bytes:?}");
        }
    }
}
