//! The machine on which a script runs: its clock, its system calls and its packets.

use std::collections::VecDeque;

use crate::ast::{Body, Event, Packet, Tcp, TcpOption};
use crate::calls::{Answer, Request};
use crate::settings::Settings;
use crate::verdict::Stop;
use crate::wire::Numbers;
use ackclock_tcp::{Nanos, SECOND};

/// Number of a connection of the machine.
pub type FlowId = usize;

/// A TCP packet that the machine sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sent {
    /// Time of sending.
    pub at: Nanos,
    /// Connection that sent the packet.
    pub flow: FlowId,
    /// The TCP segment with the numbers on the wire.
    pub tcp: Tcp,
    /// The ECN field of the IP header.
    pub ecn: u8,
    /// Type of service or traffic class, without the ECN field.
    pub service: u8,
    /// Time to live or hop limit.
    pub hops: u8,
    /// Ports of the UDP datagram around it, unless they are those of all packets of the script.
    pub udp: Option<(u16, u16)>,
    /// The window field rounded up, where the kernel may have sent it instead.
    pub rounded_up: Option<u16>,
}

/// A TCP implementation with sockets above it and a network device below it.
///
/// The connection to which the packets of a script belong is the one "under test": the connection of the latest call
/// that made, bound, connected or accepted a socket.
pub trait Machine {
    /// Applies the option lines at the head of the script.
    ///
    /// # Errors
    /// An option that the machine does not accept.
    fn configure(&mut self, options: &[(String, Option<String>)]) -> Result<(), Stop>;

    /// The options of the script.
    fn settings(&self) -> &Settings;

    /// Name of a feature that an event needs and the machine does not have.
    fn beyond(&self, event: &Event) -> Option<String>;

    /// Runs a shell command.
    ///
    /// # Errors
    /// A command that fails or that the machine cannot run.
    fn command(&mut self, command: &str) -> Result<(), Stop>;

    /// Starts the clock of the script.
    ///
    /// # Errors
    /// The system's error.
    fn start(&mut self) -> Result<(), Stop> {
        Ok(())
    }

    /// Ends the script and runs its last command, whatever the verdict.
    fn finish(&mut self, command: Option<&str>) {
        let _ = command;
    }

    /// Time since the start of the script.
    fn now(&self) -> Nanos;

    /// Advances to the next occurrence up to `limit` and returns true; otherwise advances to `limit` and returns false.
    ///
    /// # Errors
    /// A machine that does not come to rest.
    fn step(&mut self, limit: Nanos) -> Result<bool, Stop>;

    /// Checks whether an event can be run in the present state of the machine.
    ///
    /// # Errors
    /// A state that the machine does not support.
    fn admit(&mut self, event: &Event) -> Result<(), Stop> {
        let _ = event;
        Ok(())
    }

    /// Delivers a packet of the script.
    ///
    /// # Errors
    /// A packet that the machine does not support, or one without a connection.
    fn arrive(&mut self, packet: &Packet) -> Result<(), Stop>;

    /// Makes a system call.
    ///
    /// # Errors
    /// A call that the machine does not support.
    fn call(&mut self, request: &Request) -> Result<Answer, Stop>;

    /// Asks for the result of the latest call, which blocks.
    ///
    /// # Errors
    /// A call that the machine does not support.
    fn resume(&mut self, request: &Request) -> Result<Answer, Stop>;

    /// `tcp_info` of the socket under test with packetdrill's names; empty without a socket.
    ///
    /// # Errors
    /// A socket whose settings are not supported.
    fn info(&mut self) -> Result<Vec<(&'static str, u64)>, Stop>;

    /// The packets that were sent and not yet taken, in order, and the connection under test.
    fn outbox(&mut self) -> (&mut VecDeque<Sent>, Option<FlowId>);

    /// Mapping between the numbers of a connection and those of the script.
    fn numbers(&mut self, flow: FlowId) -> Option<&mut Numbers>;

    /// Whether the packets that a kernel hands to the device at once may leave one after the other.
    fn is_pacing(&self) -> bool {
        false
    }

    /// Whether a packet may be one of several that the kernel makes of one packet.
    fn is_cut_by_kernel(&self, sent: &Sent) -> bool {
        let _ = sent;
        false
    }

    /// Whether the order and the padding of TCP options are part of what is compared.
    fn has_exact_options(&self) -> bool {
        false
    }

    /// Time after the latest accepted time for which an expected packet or the end of a call is still awaited, to
    /// report when it came.
    fn patience(&self) -> Nanos {
        300 * SECOND
    }
}

/// A feature of a packet that no machine has.
pub fn beyond(packet: &Packet) -> Option<String> {
    if let Some(what) = packet.beyond {
        return Some(what.to_owned());
    }
    if packet.ports.is_some() {
        return Some("packets with ports of their own".to_owned());
    }
    if !packet.inbound && packet.ip.flow_label.is_some() {
        return Some("flow labels of packets that leave".to_owned());
    }
    match &packet.body {
        Body::Tcp(tcp) => tcp.options.iter().flatten().find_map(|option| match option {
            TcpOption::Other(name) => Some((*name).to_owned()),
            _ => None,
        }),
        Body::Udp(_) => Some("UDP".to_owned()),
        Body::Icmp(icmp) => icmp.foreign.then(|| "ICMP about packets other than TCP".to_owned()),
    }
}
