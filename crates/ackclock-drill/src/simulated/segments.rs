//! Conversions between packets of a script and the endpoint's segments.

use crate::ast::{AccEcnField, EcnField, Packet, Tcp, TcpOption};
use crate::verdict::Stop;
use ackclock_tcp::fast_open::FastOpen;
use ackclock_tcp::segment::{MAX_SACK_BLOCKS, SackBlock};
use ackclock_tcp::{AccEcnOption, Ecn, Flags, Segment, Timestamps};

/// The segment in a packet with the numbers on the wire.
pub fn segment_of(packet: &Packet, tcp: &Tcp) -> Result<Segment, Stop> {
    let mut segment = Segment::new(Flags(tcp.flags));
    segment.seq = tcp.seq;
    segment.len = tcp.len;
    segment.ack = tcp.ack;
    segment.window = tcp.window.unwrap_or(0);
    segment.ecn = match (packet.ip.ecn, packet.ip.tos) {
        (Some(EcnField::Is(bits)), _) => Ecn::from_bits(bits),
        (Some(EcnField::Capable), _) => return Stop::fail("[ect01] is accepted only in a packet that leaves"),
        (None, tos) => Ecn::from_bits(tos.unwrap_or(0)),
    };
    for option in tcp.options.iter().flatten() {
        match option {
            // A host without a key treats a signature as padding.
            TcpOption::Nop | TcpOption::Eol | TcpOption::Md5 => {}
            &TcpOption::Mss(mss) => segment.mss = mss,
            &TcpOption::WindowScale(shift) => segment.window_scale = shift,
            TcpOption::SackPermitted => segment.sack_permitted = true,
            TcpOption::Sack(blocks) => {
                for (slot, &(start, end)) in segment.sack.iter_mut().zip(blocks) {
                    *slot = SackBlock { start, end };
                }
                segment.sack_count = blocks.len().min(MAX_SACK_BLOCKS) as u8;
            }
            &TcpOption::Timestamps { val, ecr } => {
                segment.timestamps = Some(Timestamps { val: val.unwrap_or(0), ecr });
            }
            TcpOption::AccEcn(counters) => segment.set_accecn(Some(accecn(counters))),
            TcpOption::FastOpen { cookie, experimental } => {
                segment.set_fast_open(Some(FastOpen::new(cookie, *experimental)));
            }
            TcpOption::Other(name) => return Stop::unsupported(*name),
        }
    }
    Ok(segment)
}

/// A segment as a packet, with the numbers on the wire.
pub fn tcp_of(segment: &Segment) -> Tcp {
    let syn = segment.flags.has(Flags::SYN);
    let mut options = Vec::new();
    if syn && segment.mss != 0 {
        options.push(TcpOption::Mss(segment.mss));
    }
    if syn && segment.sack_permitted {
        options.push(TcpOption::SackPermitted);
    }
    if let Some(Timestamps { val, ecr }) = segment.timestamps {
        options.push(TcpOption::Timestamps { val: Some(val), ecr });
    }
    if syn && segment.window_scale != Segment::NO_OPTION {
        options.push(TcpOption::WindowScale(segment.window_scale));
    }
    if let Some(option) = segment.fast_open().filter(|_| syn) {
        let (cookie, experimental) = (option.cookie().to_vec(), option.is_experimental());
        options.push(TcpOption::FastOpen { cookie, experimental });
    }
    if segment.sack_count > 0 {
        let blocks = segment.sack_blocks().iter().map(|block| (block.start, block.end));
        options.push(TcpOption::Sack(blocks.collect()));
    }
    if let Some(option) = segment.accecn() {
        options.push(TcpOption::AccEcn(accecn_fields(&option)));
    }
    Tcp {
        flags: segment.flags.0,
        ace: None,
        seq: segment.seq,
        absolute: false,
        any_seq: false,
        len: segment.len,
        ack: if segment.flags.has(Flags::ACK) { segment.ack } else { 0 },
        window: Some(segment.window),
        urgent: 0,
        options: Some(options),
    }
}

const ORDER0: [AccEcnField; 3] = [AccEcnField::E0b, AccEcnField::Ceb, AccEcnField::E1b];
const ORDER1: [AccEcnField; 3] = [AccEcnField::E1b, AccEcnField::Ceb, AccEcnField::E0b];

fn accecn(counters: &[(AccEcnField, u32)]) -> AccEcnOption {
    let mut option = AccEcnOption { count: counters.len().min(3) as u8, ..AccEcnOption::default() };
    option.order1 = counters.first().is_some_and(|&(field, _)| field == AccEcnField::E1b);
    for (slot, &(_, value)) in option.counters.iter_mut().zip(counters) {
        *slot = value;
    }
    option
}

fn accecn_fields(option: &AccEcnOption) -> Vec<(AccEcnField, u32)> {
    let order = if option.order1 { ORDER1 } else { ORDER0 };
    order.into_iter().zip(option.counters).take(usize::from(option.count)).collect()
}
