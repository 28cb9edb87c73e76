//! A TCP segment for the endpoint: the header fields, the options that this TCP uses, and the payload's length.

use ackclock_core::headers;

use crate::Ecn;

/// Header flags of RFC 9293 section 3.1, RFC 3168 section 6.1 and, above these eight, AE of RFC 9768 section 3.1.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Flags(pub u16);

impl Flags {
    /// No more data from the sender.
    pub const FIN: Flags = Flags(0x01);
    /// Synchronise sequence numbers.
    pub const SYN: Flags = Flags(0x02);
    /// Reset the connection.
    pub const RST: Flags = Flags(0x04);
    /// Push function.
    pub const PSH: Flags = Flags(0x08);
    /// The acknowledgment field is significant.
    pub const ACK: Flags = Flags(0x10);
    /// The urgent pointer is significant.
    pub const URG: Flags = Flags(0x20);
    /// ECN echo.
    pub const ECE: Flags = Flags(0x40);
    /// Congestion window reduced.
    pub const CWR: Flags = Flags(0x80);
    /// Accurate ECN.
    pub const AE: Flags = Flags(0x100);

    /// Whether every flag of `other` is set.
    #[inline]
    pub fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// These flags and those of `other`.
    #[inline]
    pub const fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    /// These flags without those of `other`.
    #[inline]
    pub const fn without(self, other: Flags) -> Flags {
        Flags(self.0 & !other.0)
    }
}

/// The timestamps option (RFC 7323 section 3.2).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Timestamps {
    /// TSval.
    pub val: u32,
    /// TSecr; significant with [`Flags::ACK`].
    pub ecr: u32,
}

/// The AccECN option (RFC 9768 section 3.2.3): byte counters of the sender of the option, 24 bits each, in the order of
/// kind 172 (AccECN0) or 174 (AccECN1); the option may end after any of them.
// The order of the fields is their order in memory: the other variant of [`Feedback`] fits behind the first field.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[repr(C)]
pub struct AccEcnOption {
    /// Whether the order is that of AccECN1 (EE1B, ECEB, EE0B) rather than AccECN0 (EE0B, ECEB, EE1B).
    pub order1: bool,
    /// Number of counters present, 0 to 3.
    pub count: u8,
    /// The counters in their order on the wire.
    pub counters: [u32; 3],
}

/// XCP's congestion header (Katabi, Handley, Rohrs, SIGCOMM 2002): the request of a segment's sender to routers, and
/// the answers of the routers on the opposite path. The header takes no bytes of the packet.
// The fields are bytes rather than numbers: see `Feedback`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CongestionHeader {
    rtt: [u8; 3],
    interval: [u8; 4],
    change: [u8; 4],
    reverse: [u8; 4],
}

impl CongestionHeader {
    /// A change that no router has lowered: the sender takes all available throughput.
    pub const UNLIMITED: i32 = i32::MAX;

    /// The header of a segment without a request: without payload, or before a round-trip time is known. `reverse` is
    /// the sum of the routers' answers, bytes per second.
    pub fn answer(reverse: i32) -> CongestionHeader {
        CongestionHeader { reverse: reverse.to_le_bytes(), ..CongestionHeader::default() }
    }

    /// Adds a request: the sender's round-trip time, ns; its payload divided by its throughput, ns; and the requested
    /// change of its throughput, bytes per second. The first saturates at 16.7 s (it is stored in microseconds), the
    /// second at 4.3 s.
    pub fn with_request(self, rtt: crate::Nanos, interval: crate::Nanos, change: i32) -> CongestionHeader {
        let [.., a, b, c] = u32::try_from(rtt / 1000).unwrap_or(u32::MAX).clamp(1, 0xff_ffff).to_be_bytes();
        let interval = u32::try_from(interval).unwrap_or(u32::MAX);
        CongestionHeader { rtt: [a, b, c], interval: interval.to_le_bytes(), change: change.to_le_bytes(), ..self }
    }

    /// The sender's round-trip time, ns; 0 if the segment contains no request.
    pub fn rtt(&self) -> crate::Nanos {
        let [a, b, c] = self.rtt;
        1000 * crate::Nanos::from(u32::from_be_bytes([0, a, b, c]))
    }

    /// The time until the sender's next segment of the same size, ns.
    pub fn interval(&self) -> crate::Nanos {
        u32::from_le_bytes(self.interval).into()
    }

    /// The change of the throughput, bytes per second: the requested change or, once a router has lowered it, the
    /// granted change.
    pub fn change(&self) -> i32 {
        i32::from_le_bytes(self.change)
    }

    /// Sets a router's answer.
    pub fn set_change(&mut self, change: i32) {
        self.change = change.to_le_bytes();
    }

    /// The sum of the answers for the receiver of this segment, bytes per second; [`CongestionHeader::UNLIMITED`] if no
    /// router gave an answer.
    pub fn reverse(&self) -> i32 {
        i32::from_le_bytes(self.reverse)
    }
}

/// Congestion-control feedback of a segment other than marks. A connection that uses XCP does not use ECN, so a segment
/// carries one or the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Feedback {
    /// The AccECN option.
    AccEcn(AccEcnOption),
    /// XCP's header.
    Xcp(CongestionHeader),
}

// XCP makes segments of other connections no larger.
const _: () = assert!(size_of::<Option<Feedback>>() == size_of::<AccEcnOption>());

/// A range of sequence numbers, `start` included and `end` not, modulo 2^32 as on the wire.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SackBlock {
    /// First sequence number of the block.
    pub start: u32,
    /// Sequence number after the last one of the block.
    pub end: u32,
}

/// Bytes of the headers of IPv4 and TCP without options.
pub(crate) const HEADERS: u64 = headers::TCP_IPV4 as u64;

/// Bytes of the timestamps option with its padding (RFC 7323 appendix A).
pub const STAMPS_LEN: u32 = 12;

/// The largest number of SACK blocks in a header (RFC 2018 section 3).
pub const MAX_SACK_BLOCKS: usize = 4;

/// One segment. Sequence numbers are those of the wire, modulo 2^32; the driver keeps the payload itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Sequence number of the first byte, or of the SYN if that flag is set.
    pub seq: u32,
    /// Acknowledgment number; significant with [`Flags::ACK`].
    pub ack: u32,
    /// The window field as on the wire: unscaled in a SYN, to be shifted by the peer's window scale otherwise.
    pub window: u16,
    /// Header flags.
    pub flags: Flags,
    /// The ECN field of the IP header.
    pub ecn: Ecn,
    /// Window scale option of a SYN (RFC 7323): the shift, or [`Segment::NO_OPTION`].
    pub window_scale: u8,
    /// Payload length in bytes.
    pub len: u32,
    /// Maximum segment size option of a SYN (RFC 9293 section 3.7.1); 0 if absent.
    pub mss: u16,
    /// Payload of each segment but the last if this is a large packet of several segments; 0 if it is a single segment.
    pub part: u16,
    /// Whether a SYN carries SACK-permitted (RFC 2018).
    pub sack_permitted: bool,
    /// Number of entries of `sack` in use.
    pub sack_count: u8,
    /// SACK blocks, the most recent first; the first block may report a duplicate (RFC 2883).
    pub sack: [SackBlock; MAX_SACK_BLOCKS],
    /// Timestamps option.
    pub timestamps: Option<Timestamps>,
    /// AccECN option, or XCP's header.
    pub feedback: Option<Feedback>,
}

impl Segment {
    /// The value of an 8-bit option field that is absent.
    pub const NO_OPTION: u8 = u8::MAX;

    /// An empty segment with the given flags.
    pub const fn new(flags: Flags) -> Segment {
        Segment {
            seq: 0,
            ack: 0,
            window: 0,
            flags,
            ecn: Ecn::NotEct,
            window_scale: Segment::NO_OPTION,
            len: 0,
            mss: 0,
            part: 0,
            sack_permitted: false,
            sack_count: 0,
            sack: [SackBlock { start: 0, end: 0 }; MAX_SACK_BLOCKS],
            timestamps: None,
            feedback: None,
        }
    }

    /// The SACK blocks in use.
    #[inline]
    pub fn sack_blocks(&self) -> &[SackBlock] {
        &self.sack[..self.sack_count as usize]
    }

    /// Whether the segment has other options than timestamps, or XCP's header.
    #[inline]
    pub fn has_options_besides_timestamps(&self) -> bool {
        self.sack_count > 0 || self.feedback.is_some() || self.flags.has(Flags::SYN)
    }

    /// The AccECN option.
    #[inline]
    pub fn accecn(&self) -> Option<AccEcnOption> {
        if let Some(Feedback::AccEcn(option)) = self.feedback { Some(option) } else { None }
    }

    /// Sets the AccECN option.
    #[inline]
    pub fn set_accecn(&mut self, option: Option<AccEcnOption>) {
        self.feedback = option.map(Feedback::AccEcn);
    }

    /// XCP's header.
    #[inline]
    pub fn xcp(&self) -> Option<CongestionHeader> {
        if let Some(Feedback::Xcp(header)) = self.feedback { Some(header) } else { None }
    }

    /// Bytes of TCP header with its options, padded to four (RFC 9293 section 3.1).
    #[inline]
    pub fn header_len(&self) -> u32 {
        20 + self.options_len().div_ceil(4) * 4
    }

    /// Bytes of options before padding. Outside a SYN, timestamps are aligned to four bytes (RFC 7323 appendix A).
    #[inline]
    pub fn options_len(&self) -> u32 {
        let mut options = 0u32;
        let syn = self.flags.has(Flags::SYN);
        if syn {
            options += if self.mss != 0 { 4 } else { 0 };
            options += if self.window_scale != Segment::NO_OPTION { 3 } else { 0 };
            options += if self.sack_permitted { 2 } else { 0 };
            options += self.fast_open().map_or(0, |option| option.option_len());
        }
        if self.timestamps.is_some() {
            options += if syn { 10 } else { 12 };
        }
        if self.sack_count > 0 {
            options += 2 + 8 * u32::from(self.sack_count);
        }
        if let Some(Feedback::AccEcn(accecn)) = &self.feedback {
            options += 2 + 3 * u32::from(accecn.count);
        }
        options
    }

    /// Number of sequence numbers that the segment occupies: payload, SYN and FIN.
    #[inline]
    pub fn seq_len(&self) -> u32 {
        self.len + u32::from(self.flags.has(Flags::SYN)) + u32::from(self.flags.has(Flags::FIN))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_congestion_header_keeps_what_it_is_given_as_far_as_its_fields_go() {
        let header = CongestionHeader::answer(-5).with_request(123_456_789, 4_000_000_000, -7);
        assert_eq!((header.rtt(), header.interval()), (123_456_000, 4_000_000_000));
        assert_eq!((header.change(), header.reverse()), (-7, -5));
        let far = header.with_request(crate::Nanos::MAX, crate::Nanos::MAX, CongestionHeader::UNLIMITED);
        assert_eq!((far.rtt(), far.interval()), (16_777_215_000, 4_294_967_295));
        assert_eq!(header.with_request(10, 0, 0).rtt(), 1000, "an RTT that is known is not 0");
        let answer = CongestionHeader::answer(9);
        assert_eq!((answer.rtt(), answer.reverse()), (0, 9), "an answer alone asks for nothing");
    }
}
