//! Conversions between the numbers of a script and those of the endpoint: initial sequence numbers, timestamps,
//! options.

use std::collections::BTreeMap;

use crate::ast::{AccEcnField, EcnField, Packet, Tcp, TcpOption};
use crate::expect;
use crate::settings::Settings;
use crate::verdict::Stop;
use ackclock_tcp::fast_open::FastOpen;
use ackclock_tcp::segment::{MAX_SACK_BLOCKS, SackBlock};
use ackclock_tcp::{AccEcnOption, Ecn, Flags, Segment, Timestamps};

/// Mapping of a connection's numbers. As in packetdrill, a SYN has its initial sequence number, and all other packets
/// count from it. The endpoint's own initial sequence number is 0.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    /// Our initial sequence number in the script.
    local: u32,
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
    /// Learns the mapping from an expected packet and the segment that was sent: the initial sequence number from a
    /// SYN, and timestamps.
    pub fn learn(&mut self, expected: &Tcp, sent: &Segment) {
        if expected.flags & Flags::SYN.0 != 0 && sent.flags.has(Flags::SYN) {
            self.local = expected.seq.wrapping_sub(sent.seq);
        }
        let script = expected.options.as_deref().and_then(expect::timestamp);
        if let (Some(script), Some(Timestamps { val, .. })) = (script, sent.timestamps) {
            self.timestamps.insert(script, val);
            self.first_timestamp.get_or_insert((script, val));
        }
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

    /// What the script adds to the endpoint's own sequence numbers in packets with or without SYN.
    fn local(&self, syn: bool) -> u32 {
        if syn { self.local } else { 0 }
    }

    /// What the script subtracts from the peer's sequence numbers in packets with or without SYN.
    fn remote(&self, syn: bool) -> u32 {
        if syn { 0 } else { self.remote }
    }

    /// The segment in an arriving packet of the script.
    pub fn arriving(&self, packet: &Packet, tcp: &Tcp, settings: &Settings) -> Result<Segment, Stop> {
        let mut segment = Segment::new(Flags(tcp.flags));
        let acks = segment.flags.has(Flags::ACK);
        let syn = segment.flags.has(Flags::SYN);
        let local = |script: u32| script.wrapping_sub(self.local(syn));
        segment.seq = tcp.seq.wrapping_add(self.remote(syn));
        segment.len = tcp.len;
        segment.ack = if acks { local(tcp.ack) } else { tcp.ack };
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
                        *slot = SackBlock { start: local(start), end: local(end) };
                    }
                    segment.sack_count = blocks.len().min(MAX_SACK_BLOCKS) as u8;
                }
                &TcpOption::Timestamps { val, ecr } => {
                    let ecr = if acks { self.echo(ecr, settings)? } else { ecr };
                    segment.timestamps = Some(Timestamps { val, ecr });
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

    /// A segment that was sent, in the script's numbers.
    pub fn leaving(&self, segment: &Segment) -> Tcp {
        let syn = segment.flags.has(Flags::SYN);
        let remote = |live: u32| live.wrapping_sub(self.remote(syn));
        let mut options = Vec::new();
        if syn && segment.mss != 0 {
            options.push(TcpOption::Mss(segment.mss));
        }
        if syn && segment.sack_permitted {
            options.push(TcpOption::SackPermitted);
        }
        if let Some(Timestamps { val, ecr }) = segment.timestamps {
            options.push(TcpOption::Timestamps { val: self.timestamp(val), ecr });
        }
        if syn && segment.window_scale != Segment::NO_OPTION {
            options.push(TcpOption::WindowScale(segment.window_scale));
        }
        if let Some(option) = segment.fast_open().filter(|_| syn) {
            let (cookie, experimental) = (option.cookie().to_vec(), option.is_experimental());
            options.push(TcpOption::FastOpen { cookie, experimental });
        }
        if segment.sack_count > 0 {
            let blocks = segment.sack_blocks().iter().map(|block| (remote(block.start), remote(block.end)));
            options.push(TcpOption::Sack(blocks.collect()));
        }
        if let Some(option) = segment.accecn() {
            options.push(TcpOption::AccEcn(accecn_fields(&option)));
        }
        Tcp {
            flags: segment.flags.0,
            ace: None,
            seq: segment.seq.wrapping_add(self.local(syn)),
            absolute: false,
            len: segment.len,
            ack: if segment.flags.has(Flags::ACK) { remote(segment.ack) } else { 0 },
            window: Some(segment.window),
            urgent: 0,
            options: Some(options),
        }
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
