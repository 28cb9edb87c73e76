//! The TCP header and its options.

use super::ip::{self, IpPacket, u16_at, u32_at};
use super::{Addresses, DecodeError, EncodeError, Packet, Sum};
use ackclock_tcp::fast_open::FastOpen;
use ackclock_tcp::segment::{MAX_SACK_BLOCKS, SackBlock};
use ackclock_tcp::{AccEcnOption, Flags, Segment, Timestamps};

/// Length of a TCP header without options, and largest length of the options, bytes.
const HEADER: usize = 20;
const MOST_OPTIONS: usize = 40;

/// Kinds of options.
const END: u8 = 0;
const NOP: u8 = 1;
const MSS: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;
const FAST_OPEN: u8 = 34;
const ACCECN0: u8 = 172;
const ACCECN1: u8 = 174;
/// Kind of experiments, and the number by which Fast Open was told apart there (RFC 7413 section 4.1.1).
const EXPERIMENT: u8 = 254;
const FAST_OPEN_MAGIC: [u8; 2] = [0xf9, 0x89];

/// The options of a segment as bytes, with padding.
pub struct Options {
    bytes: [u8; MOST_OPTIONS],
    len: usize,
}

impl Options {
    /// The options of `segment`, with the length that [`Segment::header_len`] gives. NOPs align options with 32-bit
    /// numbers as far as there are enough, and fill the rest.
    pub fn of(segment: &Segment) -> Result<Options, EncodeError> {
        let padded = segment.header_len() - HEADER as u32;
        if padded as usize > MOST_OPTIONS {
            return Err(EncodeError::Options { bytes: padded });
        }
        if let Some(accecn) = segment.accecn()
            && accecn.count > 3
        {
            return Err(EncodeError::Counters(accecn.count));
        }
        let mut options = Options { bytes: [NOP; MOST_OPTIONS], len: 0 };
        options.write(segment, padded as usize);
        options.len = padded as usize;
        Ok(options)
    }

    fn write(&mut self, segment: &Segment, padded: usize) {
        let syn = segment.flags.has(Flags::SYN);
        if syn && segment.mss != 0 {
            self.put(&[MSS, 4]);
            self.put(&segment.mss.to_be_bytes());
        }
        if syn && segment.sack_permitted {
            self.put(&[SACK_PERMITTED, 2]);
        }
        if let Some(timestamps) = segment.timestamps {
            if !syn {
                self.put(&[NOP, NOP]);
            }
            self.put(&[TIMESTAMPS, 10]);
            self.put(&timestamps.val.to_be_bytes());
            self.put(&timestamps.ecr.to_be_bytes());
        }
        let mut nops = padded - segment.options_len() as usize;
        if syn && segment.window_scale != Segment::NO_OPTION {
            self.pad(&mut nops, 1);
            self.put(&[WINDOW_SCALE, 3, segment.window_scale]);
        }
        if let Some(option) = segment.fast_open().filter(|_| syn) {
            let len = option.option_len() as u8;
            if option.is_experimental() {
                self.put(&[EXPERIMENT, len]);
                self.put(&FAST_OPEN_MAGIC);
            } else {
                self.put(&[FAST_OPEN, len]);
            }
            for byte in option.wire() {
                self.put(&[byte]);
            }
        }
        if segment.sack_count > 0 {
            self.pad(&mut nops, 2);
            self.put(&[SACK, 2 + 8 * segment.sack_count]);
            for block in segment.sack_blocks() {
                self.put(&block.start.to_be_bytes());
                self.put(&block.end.to_be_bytes());
            }
        }
        if let Some(accecn) = segment.accecn() {
            self.put(&[if accecn.order1 { ACCECN1 } else { ACCECN0 }, 2 + 3 * accecn.count]);
            for counter in &accecn.counters[..usize::from(accecn.count)] {
                self.put(&counter.to_be_bytes()[1..]);
            }
        }
    }

    fn put(&mut self, bytes: &[u8]) {
        self.bytes[self.len..self.len + bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len();
    }

    fn pad(&mut self, nops: &mut usize, wanted: usize) {
        let now = wanted.min(*nops);
        *nops -= now;
        self.len += now;
    }
}

/// Writes a header to `out`, which it fills; `rest` is the sum of the pseudo header and the payload.
pub fn write(addresses: &Addresses, segment: &Segment, options: &Options, rest: Sum, out: &mut [u8]) {
    out[..2].copy_from_slice(&addresses.source.port().to_be_bytes());
    out[2..4].copy_from_slice(&addresses.destination.port().to_be_bytes());
    out[4..8].copy_from_slice(&segment.seq.to_be_bytes());
    out[8..12].copy_from_slice(&segment.ack.to_be_bytes());
    // There are nine bits of flags; the three bits above them are reserved and zero.
    let offset_and_flags = ((out.len() / 4) as u16) << 12 | segment.flags.0 & 0x1ff;
    out[12..14].copy_from_slice(&offset_and_flags.to_be_bytes());
    out[14..16].copy_from_slice(&segment.window.to_be_bytes());
    // These are the checksum and the urgent pointer, which is not used.
    out[16..20].fill(0);
    out[HEADER..].copy_from_slice(&options.bytes[..options.len]);
    let checksum = Sum::of(out).and(rest).checksum();
    out[16..18].copy_from_slice(&checksum.to_be_bytes());
}

/// Decodes the segment in an IP packet.
pub fn read<'a>(packet: &IpPacket<'a>) -> Result<Packet<'a>, DecodeError> {
    let bytes = packet.payload;
    let have = bytes.len();
    if have < HEADER {
        return Err(DecodeError::Truncated { part: "TCP header", needed: HEADER, have });
    }
    let header_len = usize::from(bytes[12] >> 4) * 4;
    if header_len < HEADER {
        return Err(DecodeError::Length { field: "TCP data offset", value: header_len });
    }
    if have < header_len {
        return Err(DecodeError::Truncated { part: "TCP header", needed: header_len, have });
    }
    if !packet.hosts.pseudo_header(ip::TCP, have).and(Sum::of(bytes)).is_intact() {
        return Err(DecodeError::Checksum("TCP"));
    }
    let (header, payload) = bytes.split_at(header_len);
    let mut segment = Segment::new(Flags(u16_at(header, 12) & 0x1ff));
    segment.ecn = packet.ecn;
    segment.seq = u32_at(header, 4);
    segment.ack = u32_at(header, 8);
    segment.window = u16_at(header, 14);
    segment.len = payload.len() as u32;
    read_options(&header[HEADER..], &mut segment)?;
    let addresses = packet.hosts.with_ports(u16_at(header, 0), u16_at(header, 2));
    Ok(Packet::Tcp { addresses, segment, payload })
}

fn read_options(mut rest: &[u8], segment: &mut Segment) -> Result<(), DecodeError> {
    let syn = segment.flags.has(Flags::SYN);
    while let Some(&kind) = rest.first() {
        match kind {
            END => return Ok(()),
            NOP => rest = &rest[1..],
            _ => {
                let length = rest.get(1).copied();
                let wrong = DecodeError::TcpOption { kind, length };
                let option = rest.get(2..usize::from(length.ok_or(wrong)?)).ok_or(wrong)?;
                rest = &rest[2 + option.len()..];
                read_option(kind, option, syn, segment).ok_or(wrong)?;
            }
        }
    }
    Ok(())
}

/// Decodes an option without its kind and length; `None` if its length is invalid.
fn read_option(kind: u8, option: &[u8], syn: bool, segment: &mut Segment) -> Option<()> {
    let has = |len: usize| (option.len() == len).then_some(());
    match kind {
        MSS => {
            has(2)?;
            segment.mss = if syn { u16_at(option, 0) } else { 0 };
        }
        WINDOW_SCALE => {
            has(1)?;
            segment.window_scale = if syn { option[0] } else { Segment::NO_OPTION };
        }
        SACK_PERMITTED => {
            has(0)?;
            segment.sack_permitted = syn;
        }
        SACK => {
            let count = option.len() / 8;
            if !option.len().is_multiple_of(8) || !(1..=MAX_SACK_BLOCKS).contains(&count) {
                return None;
            }
            for (block, bytes) in segment.sack.iter_mut().zip(option.chunks_exact(8)) {
                *block = SackBlock { start: u32_at(bytes, 0), end: u32_at(bytes, 4) };
            }
            segment.sack_count = count as u8;
        }
        TIMESTAMPS => {
            has(8)?;
            segment.timestamps = Some(Timestamps { val: u32_at(option, 0), ecr: u32_at(option, 4) });
        }
        FAST_OPEN if syn => segment.set_fast_open(Some(FastOpen::new(option, false))),
        EXPERIMENT if syn && option.starts_with(&FAST_OPEN_MAGIC) => {
            segment.set_fast_open(Some(FastOpen::new(&option[FAST_OPEN_MAGIC.len()..], true)));
        }
        ACCECN0 | ACCECN1 => {
            // RFC 9768 section 3.2.3.1: with any other length, whole counters are used, and the rest is padding.
            let mut accecn = AccEcnOption { order1: kind == ACCECN1, ..AccEcnOption::default() };
            for (counter, bytes) in accecn.counters.iter_mut().zip(option.chunks_exact(3)) {
                *counter = u32::from(bytes[0]) << 16 | u32::from(u16_at(bytes, 1));
                accecn.count += 1;
            }
            segment.set_accecn(Some(accecn));
        }
        _ => {}
    }
    Some(())
}
