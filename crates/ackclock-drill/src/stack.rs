//! The one place that knows what the endpoint offers beyond segments and time.

use crate::ast::Icmp;
use crate::settings::IpVersion;
use crate::socket::{Connection, Options};
use crate::verdict::Stop;
use ackclock_tcp::config::Keepalive;
use ackclock_tcp::{Endpoint, Nanos, Progress, State};

/// Options of a socket that an endpoint takes while it lives.
pub fn configure(_endpoint: &mut Endpoint, _options: &Options) {}

/// Switches keep-alive on or off.
pub fn set_keepalive(_endpoint: &mut Endpoint, _keepalive: Option<Keepalive>) {}

/// No application will ever use the connection again.
pub fn orphan(_endpoint: &mut Endpoint, _now: Nanos) {}

/// Appends `bytes`; with `more` to follow, a segment that is not full waits.
pub fn write(endpoint: &mut Endpoint, now: Nanos, bytes: u64, _more: bool) {
    endpoint.write(now, bytes);
}

/// Ends a connection by a reset.
pub fn abort(_endpoint: &mut Endpoint, _now: Nanos) -> Result<(), Stop> {
    Stop::unsupported("a reset by the application")
}

/// Delivers an ICMP message that quotes the sequence number `seq`.
pub fn icmp(
    _endpoint: &mut Endpoint,
    _now: Nanos,
    icmp: &Icmp,
    _version: IpVersion,
    _seq: u32,
) -> Result<Progress, Stop> {
    Stop::unsupported(format!("ICMP {}", icmp.kind))
}

/// Why a connection ended that was in state `before`, as a system call reports it.
pub fn error(_endpoint: &Endpoint, before: State, by_segment: bool) -> Option<&'static str> {
    match before {
        State::TimeWait => None,
        State::LastAck | State::Closing => None,
        _ if !by_segment => Some("ETIMEDOUT"),
        State::SynSent => Some("ECONNREFUSED"),
        State::SynReceived => None,
        State::CloseWait => Some("EPIPE"),
        _ => Some("ECONNRESET"),
    }
}

/// `tcp_info` by the names of packetdrill.
pub fn info(connection: &Connection) -> Vec<(&'static str, u64)> {
    let endpoint = &connection.endpoint;
    let mss = u64::from(connection.peer_mss);
    let window = endpoint.window();
    vec![
        ("tcpi_state", state(endpoint.state())),
        ("tcpi_snd_cwnd", window.cwnd / mss),
        ("tcpi_snd_ssthresh", (window.ssthresh / mss).min(0x7fff_ffff)),
        ("tcpi_snd_mss", mss),
        ("tcpi_rtt", endpoint.srtt().unwrap_or(0) / 1000),
        ("tcpi_min_rtt", endpoint.min_rtt().map_or(u64::from(u32::MAX), |rtt| rtt / 1000)),
    ]
}

/// The number that Linux gives a state (`include/net/tcp_states.h`).
fn state(state: State) -> u64 {
    match state {
        State::Established => 1,
        State::SynSent => 2,
        State::SynReceived => 3,
        State::FinWait1 => 4,
        State::FinWait2 => 5,
        State::TimeWait => 6,
        State::Closed => 7,
        State::CloseWait => 8,
        State::LastAck => 9,
        State::Listen => 10,
        State::Closing => 11,
    }
}
