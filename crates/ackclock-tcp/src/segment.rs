//! A TCP segment as the endpoint sees it: the header fields, the options this TCP uses, and the payload's length.

/// Header flags of RFC 9293 section 3.1 and RFC 3168.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Flags(pub u8);

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
}

/// A range of sequence numbers, `start` included and `end` not, modulo 2^32 as on the wire.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SackBlock {
    /// First sequence number of the block.
    pub start: u32,
    /// The sequence number after its last.
    pub end: u32,
}

/// The most SACK blocks a header holds (RFC 2018 section 3).
pub const MAX_SACK_BLOCKS: usize = 4;

/// One segment. Sequence numbers are those of the wire, modulo 2^32; the payload itself stays with the driver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Sequence number of the first byte (of the SYN where that flag is set).
    pub seq: u32,
    /// Acknowledgment number; significant with [`Flags::ACK`].
    pub ack: u32,
    /// The window field as on the wire: unscaled in a SYN, to be shifted by the peer's window scale otherwise.
    pub window: u16,
    /// Header flags.
    pub flags: Flags,
    /// Window scale option of a SYN (RFC 7323): the shift, or [`Segment::NO_OPTION`].
    pub window_scale: u8,
    /// Payload length in bytes.
    pub len: u32,
    /// MSS option of a SYN in bytes, 0 where absent.
    pub mss: u16,
    /// Whether a SYN carries SACK-permitted (RFC 2018).
    pub sack_permitted: bool,
    /// How many of `sack` are in use.
    pub sack_count: u8,
    /// SACK blocks, the most recent first.
    pub sack: [SackBlock; MAX_SACK_BLOCKS],
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
            window_scale: Segment::NO_OPTION,
            len: 0,
            mss: 0,
            sack_permitted: false,
            sack_count: 0,
            sack: [SackBlock { start: 0, end: 0 }; MAX_SACK_BLOCKS],
        }
    }

    /// The SACK blocks in use.
    #[inline]
    pub fn sack_blocks(&self) -> &[SackBlock] {
        &self.sack[..self.sack_count as usize]
    }

    /// Bytes of TCP header with its options, padded to four (RFC 9293 section 3.1).
    #[inline]
    pub fn header_len(&self) -> u32 {
        let mut options = 0u32;
        if self.flags.has(Flags::SYN) {
            options += if self.mss != 0 { 4 } else { 0 };
            options += if self.window_scale != Segment::NO_OPTION { 3 } else { 0 };
            options += if self.sack_permitted { 2 } else { 0 };
        }
        if self.sack_count > 0 {
            options += 2 + 8 * u32::from(self.sack_count);
        }
        20 + options.div_ceil(4) * 4
    }

    /// Sequence numbers the segment occupies: payload, SYN and FIN.
    #[inline]
    pub fn seq_len(&self) -> u32 {
        self.len + u32::from(self.flags.has(Flags::SYN)) + u32::from(self.flags.has(Flags::FIN))
    }
}
