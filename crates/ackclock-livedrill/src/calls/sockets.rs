//! The calls from `socket` to `close`.

use std::net::IpAddr;
use std::os::fd::RawFd;

use super::{Arguments, plain};
use crate::live::{Live, PORT, Role, Socket};
use crate::system::Reply;
use crate::worker::Job;
use ackclock_drill::Stop;
use ackclock_drill::ast::Expr;
use ackclock_drill::calls::Answer;
use ackclock_drill::wire::Numbers;

/// A `struct sockaddr` of this address and port, as sockets of the script's version have it.
pub(super) fn address(live: &Live, ip: IpAddr, port: u16) -> Vec<u8> {
    let port = port.to_be_bytes();
    let ip = match ip {
        IpAddr::V4(ip) if live.has_v6_sockets() => IpAddr::V6(ip.to_ipv6_mapped()),
        ip => ip,
    };
    let mut bytes = Vec::new();
    match ip {
        IpAddr::V4(ip) => {
            bytes.extend((libc::AF_INET as u16).to_ne_bytes());
            bytes.extend(port);
            bytes.extend(ip.octets());
            bytes.extend([0; 8]);
        }
        IpAddr::V6(ip) => {
            bytes.extend((libc::AF_INET6 as u16).to_ne_bytes());
            bytes.extend(port);
            bytes.extend([0; 4]);
            bytes.extend(ip.octets());
            bytes.extend([0; 4]);
        }
    }
    bytes
}

/// Address of the peer, to which the script connects.
pub(super) fn peer(live: &Live) -> Vec<u8> {
    address(live, live.addresses()[1], PORT)
}

pub(super) fn socket(live: &mut Live, arguments: &Arguments<'_>) -> Result<Job, Stop> {
    let domain = match arguments.get(0)? {
        Expr::Ellipsis if live.has_v6_sockets() => libc::AF_INET6,
        Expr::Ellipsis => libc::AF_INET,
        _ => arguments.int(0)? as i32,
    };
    let (kind, protocol) = (arguments.int(1)? as i32, arguments.int(2)? as i32);
    Ok(Box::new(move || {
        // SAFETY: socket takes numbers.
        #[expect(unsafe_code, reason = "the calls of a script are made as they are")]
        let value = unsafe { libc::socket(domain, kind, protocol) };
        Reply::of(value.into(), Vec::new())
    }))
}

pub(super) fn opened(live: &mut Live, arguments: &Arguments<'_>, reply: &Reply) -> Result<Answer, Stop> {
    if reply.value == -1 {
        return plain(live, arguments, reply);
    }
    let fd = reply.value as RawFd;
    let id = live.add(Role::Fresh, Some(fd));
    Ok(Answer::Value(arguments.install(live, fd, Some(id))?))
}

/// Checks that an address is left to the runner.
fn left_open(arguments: &Arguments<'_>) -> Result<(), Stop> {
    match arguments.get(1)? {
        Expr::Ellipsis => Ok(()),
        _ => Stop::unsupported(format!("addresses in {}", arguments.call.name)),
    }
}

pub(super) fn bind(live: &mut Live, arguments: &Arguments<'_>) -> Result<Job, Stop> {
    left_open(arguments)?;
    let fd = arguments.fd(live, 0)?;
    let bytes = address(live, live.addresses()[0], PORT);
    if let Some(id) = arguments.socket(live, 0)? {
        live.sockets[id].local = Some(PORT);
        live.under_test = Some(id);
    }
    Ok(Box::new(move || {
        // SAFETY: the address is as long as it says and lives until the call returns.
        #[expect(unsafe_code, reason = "the calls of a script are made as they are")]
        let value = unsafe { libc::bind(fd, bytes.as_ptr().cast(), bytes.len() as u32) };
        Reply::of(value.into(), Vec::new())
    }))
}

pub(super) fn listen(live: &mut Live, arguments: &Arguments<'_>) -> Result<Job, Stop> {
    let (fd, backlog) = (arguments.fd(live, 0)?, arguments.int(1)? as i32);
    if let Some(id) = arguments.socket(live, 0)? {
        if live.sockets[id].role == Role::Fresh {
            live.sockets[id].role = Role::Listening;
        }
        live.under_test = Some(id);
    }
    Ok(Box::new(move || {
        // SAFETY: listen takes numbers.
        #[expect(unsafe_code, reason = "the calls of a script are made as they are")]
        let value = unsafe { libc::listen(fd, backlog) };
        Reply::of(value.into(), Vec::new())
    }))
}

pub(super) fn accept(live: &mut Live, arguments: &Arguments<'_>) -> Result<Job, Stop> {
    let fd = arguments.fd(live, 0)?;
    let flags = if arguments.call.name == "accept4" { arguments.optional(3)? as i32 } else { 0 };
    Ok(Box::new(move || {
        let mut bytes = vec![0u8; 28];
        let mut length = bytes.len() as u32;
        // SAFETY: the buffer is as long as the length says, and both live until the call returns.
        #[expect(unsafe_code, reason = "the calls of a script are made as they are")]
        let value = unsafe { libc::accept4(fd, bytes.as_mut_ptr().cast(), &raw mut length, flags) };
        Reply::of(value.into(), vec![bytes])
    }))
}

pub(super) fn accepted(live: &mut Live, arguments: &Arguments<'_>, reply: &Reply) -> Result<Answer, Stop> {
    if reply.value == -1 {
        return plain(live, arguments, reply);
    }
    // The port has the same place in addresses of both versions.
    let port = u16::from_be_bytes([reply.memory[0][2], reply.memory[0][3]]);
    let fd = reply.value as RawFd;
    let id = live.sockets.iter().rposition(|socket| {
        socket.role == Role::Connection && socket.passive && socket.remote == port && socket.fd.is_none()
    });
    let Some(id) = id else { return Stop::fail(format!("accept returned an unknown connection, from port {port}")) };
    live.sockets[id].fd = Some(fd);
    live.under_test = Some(id);
    Ok(Answer::Value(arguments.install(live, fd, Some(id))?))
}

/// Notes that a socket connects to the peer.
pub(super) fn begin(live: &mut Live, id: usize) {
    let socket = &mut live.sockets[id];
    if socket.role == Role::Fresh {
        socket.role = Role::Connection;
        socket.passive = false;
        socket.numbers = Numbers::default();
        live.under_test = Some(id);
    }
}

pub(super) fn connect(live: &mut Live, arguments: &Arguments<'_>) -> Result<Job, Stop> {
    let fd = arguments.fd(live, 0)?;
    let bytes = if dissolves(arguments)? {
        let mut bytes = vec![0u8; 28];
        bytes[..2].copy_from_slice(&(libc::AF_UNSPEC as u16).to_ne_bytes());
        bytes
    } else {
        left_open(arguments)?;
        if let Some(id) = arguments.socket(live, 0)? {
            begin(live, id);
        }
        peer(live)
    };
    Ok(Box::new(move || {
        // SAFETY: the address is as long as it says and lives until the call returns.
        #[expect(unsafe_code, reason = "the calls of a script are made as they are")]
        let value = unsafe { libc::connect(fd, bytes.as_ptr().cast(), bytes.len() as u32) };
        Reply::of(value.into(), Vec::new())
    }))
}

/// After an attempt that failed and after the end of a connection by AF_UNSPEC, the next attempt opens another
/// connection. Packets of the old one keep belonging to it.
pub(super) fn connected(live: &mut Live, arguments: &Arguments<'_>, reply: &Reply) -> Result<Answer, Stop> {
    let answer = plain(live, arguments, reply)?;
    let over = match answer {
        Answer::Error(name) => !matches!(name, "EINPROGRESS" | "EALREADY" | "EISCONN" | "EBADF" | "EINTR"),
        _ => dissolves(arguments)?,
    };
    if over && let Some(id) = arguments.socket(live, 0)? {
        let Socket { fd, local, .. } = live.sockets[id].clone();
        let fresh = live.add(Role::Fresh, fd);
        live.sockets[fresh].local = local.filter(|&port| port == PORT && !live.sockets[id].passive);
        live.under_test = Some(id);
        live.fds.insert(arguments.int(0)?, (fd.unwrap_or(-1), Some(fresh)));
    }
    Ok(answer)
}

/// Whether a call of `connect` ends the connection.
fn dissolves(arguments: &Arguments<'_>) -> Result<bool, Stop> {
    Ok(arguments.get(1)? == &Expr::Word("AF_UNSPEC".to_owned()))
}

pub(super) fn shutdown(live: &mut Live, arguments: &Arguments<'_>) -> Result<Job, Stop> {
    let (fd, how) = (arguments.fd(live, 0)?, arguments.int(1)? as i32);
    Ok(Box::new(move || {
        // SAFETY: shutdown takes numbers.
        #[expect(unsafe_code, reason = "the calls of a script are made as they are")]
        let value = unsafe { libc::shutdown(fd, how) };
        Reply::of(value.into(), Vec::new())
    }))
}

pub(super) fn close(live: &mut Live, arguments: &Arguments<'_>) -> Result<Job, Stop> {
    let fd = arguments.fd(live, 0)?;
    if let Some((_, Some(id))) = live.fds.remove(&arguments.int(0)?) {
        live.sockets[id].fd = None;
        if live.sockets[id].role == Role::Listening {
            live.sockets[id].role = Role::Fresh;
        }
    }
    Ok(Box::new(move || {
        // SAFETY: the descriptor was opened by the script, and nothing else uses it; any other number is refused.
        #[expect(unsafe_code, reason = "the calls of a script are made as they are")]
        let value = unsafe { libc::close(fd) };
        Reply::of(value.into(), Vec::new())
    }))
}
