//! The calls from `socket` to `close`.

use std::collections::VecDeque;

use super::{CallState, Called, Halt};
use crate::calls::{Address, Answer};
use crate::simulated::host::{Descriptor, Host};
use crate::simulated::socket::{Connection, Role, SocketId};
use crate::symbols::{IPPROTO_TCP, NONBLOCK, SOCK_STREAM};
use crate::verdict::Stop;
use ackclock_tcp::{MILLISECOND, NEVER, SECOND, State};

pub(super) fn socket(host: &mut Host, kind: i64, protocol: i64, number: Option<i64>) -> Called {
    let tcp = matches!(protocol, 0 | IPPROTO_TCP);
    if kind & 0xf != SOCK_STREAM || !tcp {
        return Err(Stop::Unsupported("sockets other than TCP".to_owned()).into());
    }
    let freebsd = &host.sysctls.freebsd;
    let receive = freebsd.receive_buffer.unwrap_or(host.base.receive_buffer);
    if host.is_freebsd() && receive.max(freebsd.send_buffer(&host.base)) > freebsd.most_buffer() {
        // sys/netinet/tcp_usrreq.c, tcp_usr_attach with soreserve
        return Err(Halt::Errno("ENOBUFS"));
    }
    let id = host.open();
    host.sockets[id].nonblocking = kind & NONBLOCK != 0;
    Ok(host.install(number, Descriptor::Socket(id)))
}

pub(super) fn bind(host: &mut Host, fd: i64) -> Called {
    let id = host.socket_of(fd)?;
    host.under_test = Some(id);
    host.sockets[id].bound = true;
    Ok(Answer::Value(0))
}

pub(super) fn listen(host: &mut Host, fd: i64) -> Called {
    let id = host.socket_of(fd)?;
    match host.sockets[id].role {
        Role::Fresh => host.sockets[id].role = Role::Listening(VecDeque::new()),
        Role::Listening(_) => {}
        Role::Connection(_) => return Err(Halt::Errno("EINVAL")),
    }
    host.sockets[id].bound = false;
    host.under_test = Some(id);
    Ok(Answer::Value(0))
}

pub(super) fn accept(host: &mut Host, fd: i64, flags: i64, number: Option<i64>) -> Called {
    let id = host.socket_of(fd)?;
    let Role::Listening(queue) = &mut host.sockets[id].role else { return Err(Halt::Errno("EINVAL")) };
    let Some(child) = queue.pop_front() else {
        return if host.sockets[id].nonblocking { Err(Halt::Errno("EAGAIN")) } else { Ok(Answer::Blocks(NEVER)) };
    };
    host.sockets[child].nonblocking = flags & NONBLOCK != 0;
    host.under_test = Some(child);
    Ok(host.install(number, Descriptor::Socket(child)))
}

pub(super) fn connect(host: &mut Host, fd: i64, address: Address, progress: &mut CallState) -> Called {
    let id = host.socket_of(fd)?;
    let nonblocking = host.sockets[id].nonblocking;
    let now = host.now;
    if address == Address::Unspecified {
        return disconnect(host, id);
    }
    if progress.done == 0
        && host.is_freebsd()
        && let Some(refusal) = super::freebsd::connect_again(host, id)
    {
        return Err(refusal);
    }
    match host.sockets[id].role {
        Role::Listening(_) => return Err(Halt::Errno("EISCONN")),
        Role::Fresh => {
            let before = free_port(host, id)?;
            let mut connection = host.connection(id, false)?;
            if let Some(before) = before {
                connection.endpoint.take_the_place_of(&before.endpoint, now);
            }
            connection.connect_pending = true;
            let fast = host.sockets[id].options.fast_open_connect && !host.is_freebsd();
            let deferred = fast && host.prepare_fast(id, &mut connection);
            if !deferred {
                connection.endpoint.connect(now);
            }
            host.sockets[id].role = Role::Connection(connection);
            host.sockets[id].bound = false;
            host.under_test = Some(id);
            if deferred {
                return Ok(Answer::Value(0));
            }
            if nonblocking {
                return Err(Halt::Errno("EINPROGRESS"));
            }
            progress.done = 1;
            return Ok(Answer::Blocks(NEVER));
        }
        Role::Connection(_) => {}
    }
    let connection = host.connection_mut(id)?;
    if connection.deferred {
        return Err(Halt::Errno("EISCONN"));
    }
    if connection.over {
        let error = connection.error.take().unwrap_or("ECONNABORTED");
        // After a failed attempt, the socket can be used for another.
        host.sockets[id].role = Role::Fresh;
        return Err(Halt::Errno(error));
    }
    if connection.connected {
        if !std::mem::take(&mut connection.connect_pending) {
            return Err(Halt::Errno("EISCONN"));
        }
        return Ok(Answer::Value(0));
    }
    if nonblocking && progress.done == 0 { Err(Halt::Errno("EALREADY")) } else { Ok(Answer::Blocks(NEVER)) }
}

/// Ends the connection of a socket, which can be used for another (Linux net/ipv4/tcp.c, tcp_disconnect).
fn disconnect(host: &mut Host, id: SocketId) -> Called {
    let now = host.now;
    if let Role::Connection(connection) = &mut host.sockets[id].role {
        connection.endpoint.abort(now);
        host.drain();
    }
    host.sockets[id].role = Role::Fresh;
    Ok(Answer::Value(0))
}

/// If IP_LOCAL_PORT_RANGE leaves a socket a single port, the port must be free: no other connection may use it, except
/// one in TIME-WAIT that may be replaced. This requires timestamps and more time than tcp_tw_reuse_delay (RFC 6191;
/// Linux tcp_twsk_unique). Returns the connection that is replaced.
fn free_port(host: &mut Host, id: SocketId) -> Result<Option<Box<Connection>>, Halt> {
    const RANGE: &str = "IP_LOCAL_PORT_RANGE";
    let range = host.sockets[id].options.stored.get(RANGE).copied().unwrap_or(0);
    if range & 0xffff == 0 || range & 0xffff != range >> 16 {
        return Ok(None);
    }
    let mut before = None;
    let now = host.now / MILLISECOND;
    let reuse = host.sysctls.time_wait_reuse == Some(1);
    let delay = host.sysctls.time_wait_reuse_delay.unwrap_or(SECOND) / MILLISECOND;
    for other in 0..host.sockets.len() {
        if other == id || host.sockets[other].options.stored.get(RANGE) != Some(&range) {
            continue;
        }
        let Some(connection) = host.sockets[other].connection().filter(|connection| !connection.over) else { continue };
        let timestamps = connection.endpoint.info(host.now).options & 1 != 0;
        let waited = connection.time_wait_since.is_some_and(|since| now > since / MILLISECOND + delay);
        if !(reuse && timestamps && waited) {
            return Err(Halt::Errno("EADDRNOTAVAIL"));
        }
        if let Role::Connection(connection) = std::mem::replace(&mut host.sockets[other].role, Role::Fresh) {
            before = Some(connection);
        }
    }
    Ok(before)
}

pub(super) fn shutdown(host: &mut Host, fd: i64, how: i64) -> Called {
    let id = host.socket_of(fd)?;
    if host.is_freebsd() {
        return super::freebsd::shutdown(host, id, how);
    }
    let now = host.now;
    if let Role::Listening(_) = host.sockets[id].role {
        host.sockets[id].role = Role::Fresh;
        return Ok(Answer::Value(0));
    }
    let connection = host.connection_mut(id)?;
    if connection.over || !connection.connected {
        return Err(Halt::Errno("ENOTCONN"));
    }
    if !(0..=2).contains(&how) {
        return Err(Halt::Errno("EINVAL"));
    }
    if how != 1 {
        connection.read_shut = true;
        connection.endpoint.shutdown_read();
    }
    if how != 0 && !connection.write_shut {
        connection.write_shut = true;
        connection.endpoint.shutdown_write(now);
    }
    Ok(Answer::Value(0))
}

pub(super) fn close(host: &mut Host, fd: i64, progress: &mut CallState) -> Called {
    let now = host.now;
    let id = match host.fds.get(&fd) {
        None => return Err(Halt::Errno("EBADF")),
        Some(Descriptor::Socket(id)) => *id,
        Some(_) => {
            host.fds.remove(&fd);
            return Ok(Answer::Value(0));
        }
    };
    let linger = host.sockets[id].options.linger;
    match &mut host.sockets[id].role {
        Role::Fresh => {}
        Role::Listening(queue) => {
            // Connections that were not accepted are reset.
            let children = std::mem::take(queue);
            host.sockets[id].role = Role::Fresh;
            for child in children {
                let connection = host.connection_mut(child)?;
                connection.endpoint.abort(now);
                connection.over = true;
            }
        }
        Role::Connection(connection) if connection.over => {}
        Role::Connection(connection) if progress.done == 0 => {
            connection.read_shut = true;
            connection.write_shut = true;
            if linger == Some(0) {
                connection.endpoint.abort(now);
            } else {
                connection.endpoint.close(now);
            }
            connection.over = connection.endpoint.state() == State::Closed;
            progress.done = 1;
        }
        Role::Connection(_) => {}
    }
    if let (Some(linger), Role::Connection(connection)) = (linger, &host.sockets[id].role) {
        let open = matches!(connection.endpoint.state(), State::FinWait1 | State::Closing | State::LastAck)
            || (connection.endpoint.state() == State::Established);
        let until = progress.started.saturating_add(linger);
        if linger > 0 && open && !connection.over && now < until && !host.sockets[id].nonblocking {
            return Ok(Answer::Blocks(until));
        }
    }
    host.fds.remove(&fd);
    Ok(Answer::Value(0))
}
