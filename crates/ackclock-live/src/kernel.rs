//! Interface to the kernel: namespaces, sockets with their options, and the state of connections.

use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use ackclock_core::Nanos;
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, SocketFlags, SocketType, bind, connect, getsockname, ipproto, listen, socket_with, sockopt,
};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

/// Ports of the listeners of TCP and of the ends of UDP.
const TCP_PORT: u16 = 5000;
const UDP_PORT: u16 = 5001;
/// Connections that may wait to be accepted.
const BACKLOG: i32 = 4096;
/// A pacing rate that limits nothing. Setting one turns the kernel's own pacing on.
const UNLIMITED: u64 = u64::MAX - 1;
/// Room of a datagram socket, in bytes.
const DATAGRAMS: usize = 4 << 20;

/// The settings that a flow asks of the kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// The kernel's name of its congestion control.
    pub cc: String,
    /// Whether Nagle's algorithm is on.
    pub nagle: bool,
    /// Whether the kernel's own pacing is on; some congestion controls turn it on by themselves.
    pub paced: bool,
    /// Most bytes that are written at once.
    pub write_size: usize,
}

impl Default for Wanted {
    fn default() -> Wanted {
        Wanted { cc: "cubic".to_owned(), nagle: true, paced: false, write_size: 1 << 16 }
    }
}

/// Moves the calling thread into a network namespace. The sockets that it creates belong to the namespace.
pub fn enter(namespace: &OwnedFd) -> io::Result<()> {
    Ok(move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network))?)
}

fn stream(wanted: &Wanted) -> io::Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::INET, SocketType::STREAM, flags, Some(ipproto::TCP))?;
    sockopt::set_tcp_congestion(&socket, &wanted.cc)?;
    sockopt::set_tcp_nodelay(&socket, !wanted.nagle)?;
    if wanted.paced {
        pace(&socket)?;
    }
    Ok(socket)
}

/// Creates a listener at an address of the present namespace.
pub fn listener(wanted: &Wanted, address: Ipv4Addr) -> io::Result<OwnedFd> {
    let socket = stream(wanted)?;
    bind(&socket, &SocketAddrV4::new(address, TCP_PORT))?;
    listen(&socket, BACKLOG)?;
    Ok(socket)
}

/// Opens a connection to the listener at `to`. Returns its socket, and its port at this end.
pub fn connected(wanted: &Wanted, to: Ipv4Addr) -> io::Result<(OwnedFd, u16)> {
    let socket = stream(wanted)?;
    match connect(&socket, &SocketAddrV4::new(to, TCP_PORT)) {
        Ok(()) | Err(Errno::INPROGRESS) => {}
        Err(error) => return Err(error.into()),
    }
    let name: SocketAddrV4 = getsockname(&socket)?.try_into()?;
    Ok((socket, name.port()))
}

/// Creates the end of a flow of datagrams from `address` to `to`.
pub fn datagrams(address: Ipv4Addr, to: Ipv4Addr) -> io::Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::INET, SocketType::DGRAM, flags, Some(ipproto::UDP))?;
    sockopt::set_socket_send_buffer_size(&socket, DATAGRAMS)?;
    sockopt::set_socket_recv_buffer_size(&socket, DATAGRAMS)?;
    bind(&socket, &SocketAddrV4::new(address, UDP_PORT))?;
    connect(&socket, &SocketAddrV4::new(to, UDP_PORT))?;
    Ok(socket)
}

/// Turns the kernel's own pacing of a socket on.
fn pace(socket: &OwnedFd) -> io::Result<()> {
    let rate = UNLIMITED;
    // SAFETY: SO_MAX_PACING_RATE takes a pointer to 64 bits, which live until the call returns.
    #[expect(unsafe_code, reason = "nothing safe sets this option")]
    let result = unsafe {
        let value = (&raw const rate).cast();
        libc::setsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, libc::SO_MAX_PACING_RATE, value, 8)
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// State of a connection, as the kernel reports it (`struct tcp_info`, include/uapi/linux/tcp.h).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Info {
    /// State of loss recovery: 3 in recovery, 4 after a timeout.
    pub ca_state: u8,
    /// Largest segment, in bytes.
    pub mss: u32,
    /// Congestion window and slow-start threshold, in segments.
    pub cwnd: u32,
    /// See `cwnd`.
    pub ssthresh: u32,
    /// Segments sent and not cumulatively acknowledged.
    pub unacked: u32,
    /// Segments of `unacked` that SACK reported.
    pub sacked: u32,
    /// Segments of `unacked` that are marked lost.
    pub lost: u32,
    /// Segments of `unacked` that were retransmitted.
    pub retrans: u32,
    /// Smoothed and smallest RTT, in us; 0 and the largest number before a sample.
    pub rtt: u32,
    /// See `rtt`.
    pub min_rtt: u32,
    /// Segments sent, of these with payload, and retransmitted.
    pub segs_out: u32,
    /// See `segs_out`.
    pub data_segs_out: u32,
    /// See `segs_out`.
    pub total_retrans: u32,
    /// Pacing rate and delivery rate, in bytes a second.
    pub pacing_rate: u64,
    /// See `pacing_rate`.
    pub delivery_rate: u64,
    /// Time with data to send or outstanding, and of it the times for which the receive window and the send buffer were the
    /// limit, in us.
    pub busy: u64,
    /// See `busy`.
    pub rwnd_limited: u64,
    /// See `busy`.
    pub sndbuf_limited: u64,
}

/// Reads a structure that describes a connection. Kernels give as much of the structure as they know; the rest stays
/// zero.
fn asked(socket: &OwnedFd, option: i32) -> io::Result<[u8; 512]> {
    let mut bytes = [0_u8; 512];
    let mut len = bytes.len() as libc::socklen_t;
    // SAFETY: the kernel writes at most `len` bytes to `bytes`, which lives until the call returns.
    #[expect(unsafe_code, reason = "nothing safe reads these options")]
    let result = unsafe {
        let to = bytes.as_mut_ptr().cast();
        libc::getsockopt(socket.as_raw_fd(), libc::IPPROTO_TCP, option, to, &raw mut len)
    };
    if result == 0 { Ok(bytes) } else { Err(io::Error::last_os_error()) }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// Asks the kernel for the state of BBR on a connection that uses BBR; `None` before the first acknowledgment.
pub fn bbr_state(socket: &OwnedFd) -> io::Result<Option<&'static str>> {
    let bytes = asked(socket, libc::TCP_CC_INFO)?;
    // `struct tcp_bbr_info` (include/uapi/linux/inet_diag.h): bandwidth in two words, min_rtt, pacing_gain, cwnd_gain.
    Ok(named_state(word(&bytes, 12), word(&bytes, 16)))
}

/// Returns the state of BBR with these gains of pacing and window, in units of 1/256 (net/ipv4/tcp_bbr.c). The phases of
/// ProbeBW have the names that they have in the simulator's `bbr`.
fn named_state(pacing_gain: u32, cwnd_gain: u32) -> Option<&'static str> {
    /// BBR_UNIT, and bbr_high_gain and bbr_drain_gain, which come from 2885/1000.
    const UNIT: u32 = 256;
    const HIGH: u32 = UNIT * 2885 / 1000 + 1;
    const DRAIN: u32 = UNIT * 1000 / 2885;
    Some(match (pacing_gain, cwnd_gain) {
        (0, 0) => return None,
        (HIGH, _) => "startup",
        (DRAIN, _) => "drain",
        (_, UNIT) => "probe_rtt",
        (gain, _) if gain > UNIT => "probe_bw_up",
        (UNIT, _) => "probe_bw_cruise",
        _ => "probe_bw_down",
    })
}

impl Info {
    /// Asks the kernel about a connection.
    pub fn of(socket: &OwnedFd) -> io::Result<Info> {
        let bytes = asked(socket, libc::TCP_INFO)?;
        let word = |at: usize| word(&bytes, at);
        let wide = |at: usize| {
            let mut parts = [0; 8];
            parts.copy_from_slice(&bytes[at..at + 8]);
            u64::from_ne_bytes(parts)
        };
        Ok(Info {
            ca_state: bytes[1],
            mss: word(16),
            unacked: word(24),
            sacked: word(28),
            lost: word(32),
            retrans: word(36),
            rtt: word(68),
            ssthresh: word(76),
            cwnd: word(80),
            total_retrans: word(100),
            pacing_rate: wide(104),
            segs_out: word(136),
            min_rtt: word(148),
            data_segs_out: word(156),
            delivery_rate: wide(160),
            busy: wide(168),
            rwnd_limited: wide(176),
            sndbuf_limited: wide(184),
        })
    }

    /// Returns the smoothed RTT, in ns; `None` before a sample.
    pub fn srtt(&self) -> Option<Nanos> {
        (self.rtt > 0).then_some(Nanos::from(self.rtt) * 1000)
    }

    /// Returns the smallest RTT, in ns; `None` before a sample.
    pub fn smallest_rtt(&self) -> Option<Nanos> {
        (self.min_rtt < u32::MAX && self.rtt > 0).then_some(Nanos::from(self.min_rtt) * 1000)
    }
}

/// Counters of TCP in a namespace.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counters {
    /// Expiries of retransmission timers, without those of handshakes.
    pub timeouts: u64,
    /// Fast recoveries.
    pub recoveries: u64,
    /// Timeouts that were found spurious.
    pub spurious: u64,
}

impl Counters {
    /// Reads the counters of the namespace that the calling thread is in.
    pub fn present() -> io::Result<Counters> {
        Ok(Counters::read(&std::fs::read_to_string("/proc/thread-self/net/netstat")?))
    }

    fn read(text: &str) -> Counters {
        let mut lines = text.lines();
        let (names, values) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
        let count = |wanted: &str| {
            let found = names.split(' ').zip(values.split(' ')).find(|(name, _)| *name == wanted);
            found.and_then(|(_, value)| value.parse::<u64>().ok()).unwrap_or(0)
        };
        Counters {
            timeouts: count("TCPTimeouts").saturating_sub(count("TCPSynRetrans")),
            recoveries: count("TCPSackRecovery") + count("TCPRenoRecovery"),
            spurious: count("TCPSpuriousRTOs"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_found_by_name() {
        let text = "TcpExt: A TCPTimeouts TCPSackRecovery TCPRenoRecovery TCPSynRetrans TCPSpuriousRTOs\n\
                    TcpExt: 9 5 3 1 2 1\nIpExt: TCPTimeouts\nIpExt: 7\n";
        assert_eq!(Counters::read(text), Counters { timeouts: 3, recoveries: 4, spurious: 1 });
        assert_eq!(Counters::read(""), Counters::default());
    }

    #[test]
    fn the_gains_of_bbr_tell_its_state() {
        // 2.885 and 1 / 2.885 in 256ths; ProbeBW: 1.25, 0.75 and 1 with a window gain of 2; ProbeRTT: 1 with 1.
        let named = [(739, 739), (88, 739), (320, 512), (192, 512), (256, 512), (256, 256), (0, 0)];
        let states = named.map(|(pacing, cwnd)| named_state(pacing, cwnd));
        let names = ["startup", "drain", "probe_bw_up", "probe_bw_down", "probe_bw_cruise", "probe_rtt"];
        assert_eq!(states[..6], names.map(Some));
        assert_eq!(states[6], None);
    }

    #[test]
    fn the_kernel_says_what_a_new_socket_has() {
        let wanted = Wanted { cc: "reno".to_owned(), ..Wanted::default() };
        let info = Info::of(&stream(&wanted).unwrap()).unwrap();
        assert_eq!((info.total_retrans, info.unacked, info.srtt(), info.smallest_rtt()), (0, 0, None, None));
        assert!(info.cwnd >= 1 && info.ssthresh > 1 << 20, "{info:?}");
    }
}
