//! The errors of FreeBSD's sockets, where they differ from Linux's (sys/kern: uipc_socket.c, uipc_syscalls.c;
//! sys/netinet/tcp_usrreq.c).

use super::{Called, Halt};
use crate::calls::Answer;
use crate::simulated::host::Host;
use crate::simulated::socket::{Connection, Role, SocketId};
use ackclock_tcp::State;

impl Connection {
    /// Whether the socket counts as disconnected although it may have a connection: after the end, in TIME-WAIT, and in
    /// FIN-WAIT-2 where nobody reads (soisdisconnected).
    fn is_disconnected(&self) -> bool {
        let state = self.endpoint.state();
        self.over || state == State::TimeWait || state == State::FinWait2 && self.read_shut
    }
}

/// Refuses a write (sosend_generic_locked): what may not be sent any more comes before the error of the socket, which stays
/// for the next call, and a connection must be established.
pub(super) fn check_write(host: &mut Host, id: SocketId) -> Result<(), Halt> {
    let Role::Connection(connection) = &mut host.sockets[id].role else { return Err(Halt::Errno("ENOTCONN")) };
    if connection.write_shut || connection.is_disconnected() {
        return Err(Halt::Errno("EPIPE"));
    }
    if let Some(error) = connection.error.take() {
        return Err(Halt::Errno(error));
    }
    if connection.connected { Ok(()) } else { Err(Halt::Errno("ENOTCONN")) }
}

/// Answers a `connect` of a socket that listens, or has or had a connection (soconnectat, tcp_usr_connect); `None` where an
/// attempt is under way.
pub(super) fn connect_again(host: &mut Host, id: SocketId) -> Option<Halt> {
    match &mut host.sockets[id].role {
        Role::Fresh => None,
        Role::Listening(_) => Some(Halt::Errno("EOPNOTSUPP")),
        Role::Connection(connection) if connection.over => {
            connection.error = None;
            Some(Halt::Errno("ECONNREFUSED"))
        }
        Role::Connection(connection) => connection.connected.then_some(Halt::Errno("EISCONN")),
    }
}

/// Shuts down one direction or both (soshutdown, tcp_usr_shutdown): what was not read, and what arrives later, is discarded
/// without the reading direction.
pub(super) fn shutdown(host: &mut Host, id: SocketId, how: i64) -> Called {
    let now = host.now;
    if !(0..=2).contains(&how) {
        return Err(Halt::Errno("EINVAL"));
    }
    let connection = host.connection_mut(id)?;
    if connection.is_disconnected() {
        return Err(Halt::Errno("ENOTCONN"));
    }
    if how != 1 {
        connection.read_shut = true;
        connection.consume(now, connection.available());
    }
    if how != 0 && !connection.write_shut {
        connection.write_shut = true;
        connection.endpoint.shutdown_write(now);
    }
    Ok(Answer::Value(0))
}

/// The segment size that TCP_MAXSEG may set is not above the present one, `now`, nor below what net.inet.tcp.minmss leaves
/// (tcp_default_ctloutput).
pub(super) fn max_segment(asked: i64, now: u32) -> Result<u32, Halt> {
    match u32::try_from(asked) {
        Ok(asked) if asked > 0 && asked <= now && asked + 40 >= LEAST_MSS => Ok(asked),
        _ => Err(Halt::Errno("EINVAL")),
    }
}

/// net.inet.tcp.minmss
const LEAST_MSS: u32 = 216;
