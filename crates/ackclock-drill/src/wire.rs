//! Conversions between the numbers of a script and those on the wire (initial sequence numbers and timestamps), and
//! between packets and the endpoint's segments.

use std::collections::BTreeMap;

use crate::ast::{AccEcnField, EcnField, Packet, Tcp, TcpOption};
use crate::expect;
use crate::settings::Settings;
use crate::verdict::Stop;
use ackclock_tcp::fast_open::FastOpen;
use ackclock_tcp::segment::{MAX_SACK_BLOCKS, SackBlock};
use ackclock_tcp::{AccEcnOption, Ecn, Flags, Segment, Timestamps};

/// Mapping of a connection's numbers. As in packetdrill, a SYN has its initial sequence number, and all other packets
/// count from it.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    /// Our initial sequence number in the script.
    local: u32,
    /// Our initial sequence number on the wire.
    initial: u32,
    /// The peer's initial sequence number: that of its first SYN, or of its SYN-ACK if we connect.
    remote: u32,
    /// Whether the peer's number is known.
    knows_remote: bool,
    /// TSvals of the script, and the corresponding actual TSvals.
    timestamps: BTreeMap<u32, u32>,
    /// The first pair of these TSvals.
    first_timestamp: Option<(u32, u32)>,
}

impl Numbers {
    /// Learns the mapping from an expected packet and the packet that was sent: the initial sequence number from a SYN,
    /// and timestamps.
    pub fn learn(&mut self, expected: &Tcp, sent: &Tcp) {
        if expected.flags & sent.flags & Flags::SYN.0 != 0 {
            (self.local, self.initial) = (expected.seq, sent.seq);
        }
        let [script, live] = [expected, sent].map(|tcp| tcp.options.as_deref().and_then(expect::timestamp));
        if let (Some(script), Some(live)) = (script, live) {
            self.timestamps.insert(script, live);
            self.first_timestamp.get_or_insert((script, live));
        }
    }

    /// The sequence number on the wire of a packet that an ICMP message quotes with the number `script`.
    pub fn quoted(&self, script: u32) -> u32 {
        script.wrapping_sub(self.local(true))
    }

    /// The sequence number on the wire of an offset of the data that we send.
    pub fn sent_at(&self, offset: u64) -> u32 {
        self.initial.wrapping_add(1).wrapping_add(offset as u32)
    }

    /// An actual TSval in the script's numbers; the first TSval is taken as written.
    pub fn timestamp(&self, live: u32) -> u32 {
        let (script, first) = self.first_timestamp.unwrap_or((live, live));
        script.wrapping_add(live.wrapping_sub(first))
    }

    /// Learns the peer's initial sequence number from an arriving packet. `passive` is whether the peer connects:
    /// its SYN counts then, and otherwise its SYN-ACK.
    pub fn learn_remote(&mut self, tcp: &Tcp, passive: bool) {
        let flags = Flags(tcp.flags);
        if !self.knows_remote && flags.has(Flags::SYN) && passive != flags.has(Flags::ACK) {
            (self.remote, self.knows_remote) = (tcp.seq, true);
        }
    }

    /// Difference of our sequence numbers in the script from those on the wire, in packets with or without SYN.
    fn local(&self, syn: bool) -> u32 {
        if syn { self.local.wrapping_sub(self.initial) } else { self.initial.wrapping_neg() }
    }

    /// What the script subtracts from the peer's sequence numbers in packets with or without SYN.
    fn remote(&self, syn: bool) -> u32 {
        if syn { 0 } else { self.remote }
    }

    /// An arriving packet of the script with the numbers on the wire.
    ///
    /// # Errors
    /// An echo of a timestamp that no packet carried.
    pub fn arriving(&self, tcp: &Tcp, settings: &Settings) -> Result<Tcp, Stop> {
        let mut live = tcp.clone();
        let [acks, syn] = [Flags::ACK, Flags::SYN].map(|flag| tcp.flags & flag.0 != 0);
        let local = |script: u32| script.wrapping_sub(self.local(syn));
        live.seq = tcp.seq.wrapping_add(self.remote(syn));
        if acks {
            live.ack = local(tcp.ack);
        }
        for option in live.options.iter_mut().flatten() {
            match option {
                TcpOption::Sack(blocks) => {
                    for (start, end) in blocks {
                        (*start, *end) = (local(*start), local(*end));
                    }
                }
                TcpOption::Timestamps { ecr, .. } if acks => *ecr = self.echo(*ecr, settings)?,
                _ => {}
            }
        }
        Ok(live)
    }

    /// The actual timestamp that the peer echoes as `script`.
    fn echo(&self, script: u32, settings: &Settings) -> Result<u32, Stop> {
        if let Some(&live) = self.timestamps.get(&script) {
            return Ok(live);
        }
        match self.first_timestamp {
            Some((first, live)) if settings.scaled_echoes => Ok(script.wrapping_sub(first).wrapping_add(live)),
            _ => Stop::fail(format!("TS ecr {script}: no packet that left had this timestamp")),
        }
    }

    /// A packet that was sent, in the script's numbers.
    pub fn leaving(&self, live: &Tcp) -> Tcp {
        let mut tcp = live.clone();
        let syn = live.flags & Flags::SYN.0 != 0;
        let remote = |live: u32| live.wrapping_sub(self.remote(syn));
        tcp.seq = live.seq.wrapping_add(self.local(syn));
        if live.flags & Flags::ACK.0 != 0 {
            tcp.ack = remote(live.ack);
        }
        for option in tcp.options.iter_mut().flatten() {
            match option {
                TcpOption::Sack(blocks) => {
                    for (start, end) in blocks {
                        (*start, *end) = (remote(*start), remote(*end));
                    }
                }
                TcpOption::Timestamps { val, .. } => *val = val.map(|val| self.timestamp(val)),
                _ => {}
            }
        }
        tcp
    }
}

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
