//! The calls from `socket` to `close`.

use std::os::fd::RawFd;

use super::{answer, job};
use crate::host::{Host, PORT, Role, Socket};
use crate::system::Reply;
use crate::worker::Job;
use ackclock_drill::Stop;
use ackclock_drill::calls::{Address, Answer, install};

pub(super) fn socket(host: &Host, domain: Option<i64>, kind: i64, protocol: i64) -> Result<Job, Stop> {
    let own = if host.has_v6_sockets() { libc::AF_INET6 } else { libc::AF_INET };
    let domain = domain.map_or(own, |domain| domain as i32);
    job(move || {
        // SAFETY: socket takes numbers.
        unsafe { libc::socket(domain, kind as i32, protocol as i32) }.into()
    })
}

pub(super) fn opened(host: &mut Host, number: Option<i64>, reply: &Reply) -> Answer {
    let fd = reply.value as RawFd;
    let id = host.add(Role::Fresh, Some(fd));
    Answer::Value(install(&mut host.fds, number, (fd, Some(id))))
}

pub(super) fn bind(host: &mut Host, fd: i64, address: Address) -> Result<Job, Stop> {
    if address != Address::Any {
        return Stop::unsupported("addresses in bind");
    }
    if let Some(id) = host.socket(fd) {
        host.sockets[id].local = Some(PORT);
        host.under_test = Some(id);
    }
    let (fd, bytes) = (host.fd(fd), host.own());
    job(move || {
        // SAFETY: the address is as long as it says and lives until the call returns.
        unsafe { libc::bind(fd, bytes.as_ptr().cast(), bytes.len() as u32) }.into()
    })
}

pub(super) fn listen(host: &mut Host, fd: i64, backlog: i64) -> Result<Job, Stop> {
    if let Some(id) = host.socket(fd) {
        if host.sockets[id].role == Role::Fresh {
            host.sockets[id].role = Role::Listening;
        }
        host.under_test = Some(id);
    }
    let fd = host.fd(fd);
    job(move || {
        // SAFETY: listen takes numbers.
        unsafe { libc::listen(fd, backlog as i32) }.into()
    })
}

pub(super) fn accept(host: &Host, fd: i64, flags: i64) -> Result<Job, Stop> {
    let fd = host.fd(fd);
    Ok(Box::new(move || {
        let mut bytes = [0u8; 28];
        let mut length = bytes.len() as u32;
        // SAFETY: the buffer is as long as the length says, and both live until the call returns.
        let value = unsafe { libc::accept4(fd, bytes.as_mut_ptr().cast(), &raw mut length, flags as i32) };
        // The port has the same place in addresses of both versions.
        let port = u16::from_be_bytes([bytes[2], bytes[3]]);
        Reply { numbers: vec![port.into()], ..Reply::of(value.into()) }
    }))
}

pub(super) fn accepted(host: &mut Host, number: Option<i64>, reply: &Reply) -> Result<Answer, Stop> {
    let (fd, port) = (reply.value as RawFd, reply.numbers[0]);
    let id = host.sockets.iter().rposition(|socket| {
        socket.role == Role::Connection && socket.passive && i32::from(socket.remote) == port && socket.fd.is_none()
    });
    let Some(id) = id else { return Stop::fail(format!("accept returned an unknown connection, from port {port}")) };
    host.sockets[id].fd = Some(fd);
    host.under_test = Some(id);
    Ok(Answer::Value(install(&mut host.fds, number, (fd, Some(id)))))
}

pub(super) fn connect(host: &mut Host, fd: i64, address: Address) -> Result<Job, Stop> {
    let bytes = match address {
        Address::Given => return Stop::unsupported("addresses in connect"),
        Address::Unspecified => {
            let mut bytes = vec![0u8; 28];
            bytes[..2].copy_from_slice(&(libc::AF_UNSPEC as u16).to_ne_bytes());
            bytes
        }
        Address::Any => {
            if let Some(id) = host.socket(fd) {
                host.begin(id);
            }
            host.peer()
        }
    };
    let fd = host.fd(fd);
    job(move || {
        // SAFETY: the address is as long as it says and lives until the call returns.
        unsafe { libc::connect(fd, bytes.as_ptr().cast(), bytes.len() as u32) }.into()
    })
}

/// After an attempt that failed and after the end of a connection by AF_UNSPEC, the next attempt opens another
/// connection. Packets of the old one keep belonging to it.
pub(super) fn connected(host: &mut Host, number: i64, address: Address, reply: Reply) -> Result<Answer, Stop> {
    let answer = answer(reply)?;
    let over = match answer {
        Answer::Error(name) => !matches!(name, "EINPROGRESS" | "EALREADY" | "EISCONN" | "EBADF" | "EINTR"),
        _ => address == Address::Unspecified,
    };
    if over && let Some(id) = host.socket(number) {
        let Socket { fd, local, passive, .. } = host.sockets[id];
        let fresh = host.add(Role::Fresh, fd);
        host.sockets[fresh].local = local.filter(|&port| port == PORT && !passive);
        host.under_test = Some(id);
        host.fds.insert(number, (fd.unwrap_or(-1), Some(fresh)));
    }
    Ok(answer)
}

pub(super) fn shutdown(host: &Host, fd: i64, how: i64) -> Result<Job, Stop> {
    let fd = host.fd(fd);
    job(move || {
        // SAFETY: shutdown takes numbers.
        unsafe { libc::shutdown(fd, how as i32) }.into()
    })
}

pub(super) fn close(host: &mut Host, number: i64) -> Result<Job, Stop> {
    let fd = host.fd(number);
    if let Some((_, Some(id))) = host.fds.remove(&number) {
        host.sockets[id].fd = None;
        if host.sockets[id].role == Role::Listening {
            host.sockets[id].role = Role::Fresh;
        }
    }
    job(move || {
        // SAFETY: the descriptor was opened by the script, and nothing else uses it; any other number is refused.
        unsafe { libc::close(fd) }.into()
    })
}
