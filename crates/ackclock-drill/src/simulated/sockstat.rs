//! FreeBSD's commands about sockets: `sockstat`, whose output goes through `grep`, and `tcpdrop`.

use std::collections::BTreeSet;

use crate::settings::IpVersion;
use crate::simulated::host::{Descriptor, Host};
use crate::simulated::socket::Role;
use crate::verdict::Stop;
use ackclock_tcp::State;

/// Port of the connections under test that packetdrill binds or connects to by default.
const PORT: &str = "8080";

/// Runs a command line if it begins with one of these commands. The status of its last command must be 0.
pub fn run(text: &str, host: &mut Host) -> Option<Result<(), Stop>> {
    let mut stages = text.split('|').map(|stage| stage.split_whitespace().collect::<Vec<&str>>());
    let first = stages.next()?;
    match first.split_first()? {
        (&"sockstat", flags) => Some(sockstat(text, flags, stages, host)),
        (&"tcpdrop", ["-s", state]) => Some(tcpdrop(Some(state), host)),
        (&"tcpdrop", ["-a"]) => Some(tcpdrop(None, host)),
        _ => None,
    }
}

fn unknown<T>(text: &str) -> Result<T, Stop> {
    Stop::unsupported(format!("command {text}"))
}

/// Lists sockets, one a line, and passes the lines through `grep` with a plain text.
fn sockstat<'a>(
    text: &str,
    flags: &[&str],
    greps: impl Iterator<Item = Vec<&'a str>>,
    host: &Host,
) -> Result<(), Stop> {
    let v6 = host.settings.ip_version == IpVersion::V6;
    let mut shown = true;
    let mut words = flags.iter();
    while let Some(&flag) = words.next() {
        match flag {
            "-4" => shown &= !v6,
            "-6" => shown &= v6,
            "-s" => {}
            "-P" if words.next() == Some(&"tcp") => {}
            "-p" => shown &= words.next() == Some(&PORT),
            _ => return unknown(text),
        }
    }
    let mut lines = if shown { list(host) } else { Vec::new() };
    for words in greps {
        let ["grep", rest @ ..] = words.as_slice() else { return unknown(text) };
        let (counts, pattern) = match rest {
            ["-c", pattern] => (true, *pattern),
            [pattern] if !pattern.starts_with('-') => (false, *pattern),
            _ => return unknown(text),
        };
        lines.retain(|line| line.contains(pattern));
        if counts {
            lines = vec![lines.len().to_string()];
        }
    }
    if lines.is_empty() {
        return Stop::fail(format!("{text} found nothing; the sockets are: {}", list(host).join("; ")));
    }
    Ok(())
}

/// One line for each socket: its process, if a descriptor refers to the socket, its protocol and its state.
fn list(host: &Host) -> Vec<String> {
    let owned: BTreeSet<usize> = host
        .fds
        .values()
        .filter_map(|descriptor| if let Descriptor::Socket(id) = descriptor { Some(*id) } else { None })
        .collect();
    let protocol = if host.settings.ip_version == IpVersion::V6 { "tcp6" } else { "tcp4" };
    let mut lines = Vec::new();
    for (id, socket) in host.sockets.iter().enumerate() {
        let state = match &socket.role {
            Role::Fresh => "CLOSED",
            Role::Listening(_) => "LISTEN",
            Role::Connection(connection) if connection.over => "CLOSED",
            Role::Connection(connection) => name(connection.endpoint.state()),
        };
        let process = if owned.contains(&id) { "root packetdril" } else { "? ?" };
        // A socket without a descriptor is listed only as a connection.
        if owned.contains(&id) || !matches!(state, "CLOSED" | "LISTEN") {
            lines.push(format!("{process} {protocol} {state}"));
        }
    }
    lines
}

/// Drops all connections, or those in a state.
fn tcpdrop(state: Option<&str>, host: &mut Host) -> Result<(), Stop> {
    let now = host.now;
    for socket in &mut host.sockets {
        if let Some(connection) = socket.connection_mut().filter(|connection| !connection.over)
            && state.is_none_or(|state| name(connection.endpoint.state()) == state)
        {
            // A TIME-WAIT just ends (tcp_twclose); all others leave an error (tcp_drop).
            if connection.endpoint.state() != State::TimeWait {
                connection.error = Some("ECONNABORTED");
            }
            connection.endpoint.abort(now);
            connection.over = true;
        }
    }
    host.drain();
    Ok(())
}

/// Name of a state in the output of sockstat.
fn name(state: State) -> &'static str {
    match state {
        State::Closed => "CLOSED",
        State::Listen => "LISTEN",
        State::SynSent => "SYN_SENT",
        State::SynReceived => "SYN_RCVD",
        State::Established => "ESTABLISHED",
        State::CloseWait => "CLOSE_WAIT",
        State::FinWait1 => "FIN_WAIT_1",
        State::FinWait2 => "FIN_WAIT_2",
        State::Closing => "CLOSING",
        State::LastAck => "LAST_ACK",
        State::TimeWait => "TIME_WAIT",
    }
}
