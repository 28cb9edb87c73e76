//! Conversions between the numbers of a script and those on the wire: initial sequence numbers and timestamps.

use std::collections::BTreeMap;

use crate::ast::{Tcp, TcpOption};
use crate::settings::Settings;
use crate::verdict::Stop;
use ackclock_tcp::Flags;

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
        let [script, live] = [expected, sent].map(Tcp::timestamp);
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

    /// The number that the script subtracts from the peer's sequence numbers in packets with or without SYN.
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
