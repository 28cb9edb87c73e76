//! The calls for reading and writing.

use super::{CallState, Called, Halt, bytes};
use crate::calls::{Address, Answer, Buffer, Data, Transfer};
use crate::simulated::host::{Descriptor, Host};
use crate::simulated::out_of_band::Refused;
use crate::simulated::socket::{Role, SocketId};
use crate::symbols::{
    MSG_DONTWAIT, MSG_EOF, MSG_EOR, MSG_FASTOPEN, MSG_MORE, MSG_NOSIGNAL, MSG_OOB, MSG_PEEK, MSG_TRUNC, MSG_WAITALL,
    MSG_ZEROCOPY,
};
use crate::verdict::Stop;
use ackclock_tcp::{NEVER, Push};

/// Number of pieces of a zero-copy write in one packet of the kernel (MAX_SKB_FRAGS).
const MOST_PIECES: usize = 17;

/// Runs `read`, `readv`, `recv` and `recvfrom`.
pub(super) fn read(host: &mut Host, transfer: &Transfer, progress: &mut CallState) -> Called {
    let id = host.socket_of(transfer.fd)?;
    receive(host, id, volume(&transfer.data)?, transfer.flags.unwrap_or(0), progress)
}

/// Runs `write`, `writev`, `send`, `sendto` and `sendmsg`.
pub(super) fn write(host: &mut Host, transfer: &Transfer, progress: &mut CallState) -> Called {
    let id = host.socket_of(transfer.fd)?;
    let wanted = volume(&transfer.data)?;
    let flags = transfer.flags.unwrap_or(0);
    if transfer.address == Address::Unspecified && flags & MSG_FASTOPEN != 0 && !host.is_freebsd() {
        return Err(Halt::Errno("EOPNOTSUPP"));
    }
    match &transfer.data {
        Data::Vector(lengths) if flags & MSG_ZEROCOPY != 0 && host.sockets[id].options.zerocopy => {
            transmit_cut(host, id, wanted, &cuts(lengths)?, flags, progress)
        }
        _ => transmit(host, id, wanted, flags, progress),
    }
}

pub(super) fn sendfile(host: &mut Host, to: i64, from: i64, length: i64, progress: &mut CallState) -> Called {
    let id = host.socket_of(to)?;
    if !matches!(host.fds.get(&from), Some(Descriptor::File)) {
        return Err(Halt::Errno("EBADF"));
    }
    transmit(host, id, bytes(length)?, 0, progress)
}

/// Number of bytes of buffers. One that is given by its address is not valid.
fn volume(data: &Data) -> Result<u64, Halt> {
    match data {
        Data::Buffer(Buffer::Wild(_), _) => Err(Halt::Errno("EFAULT")),
        Data::Buffer(_, length) => bytes(*length),
        Data::Vector(lengths) => total(lengths),
    }
}

/// Offsets in a zero-copy write of these pieces that no packet of the kernel crosses.
fn cuts(lengths: &[i64]) -> Result<Vec<u64>, Halt> {
    let mut end = 0;
    let cut = |pieces: &[i64]| {
        end += total(pieces)?;
        Ok(end)
    };
    lengths.chunks(MOST_PIECES).map(cut).collect()
}

/// Sum of the lengths of buffers.
pub(super) fn total(lengths: &[i64]) -> Result<u64, Halt> {
    lengths.iter().try_fold(0u64, |total, &length| Ok(total.saturating_add(bytes(length)?)))
}

/// Reads up to `wanted` bytes from a connection.
pub(super) fn receive(host: &mut Host, id: SocketId, wanted: u64, flags: i64, progress: &mut CallState) -> Called {
    let known = MSG_PEEK | MSG_DONTWAIT | MSG_WAITALL | MSG_NOSIGNAL | MSG_TRUNC | MSG_OOB;
    if flags & !known != 0 {
        return Err(Stop::Unsupported(format!("receive flags {:#x}", flags & !known)).into());
    }
    let now = host.now;
    let waits = !host.sockets[id].nonblocking && flags & MSG_DONTWAIT == 0;
    let options = &host.sockets[id].options;
    let (inline, low, freebsd) = (options.takes_urgent_inline(), options.low(), host.is_freebsd());
    // sock_rcvlowat
    let target = if flags & MSG_WAITALL != 0 { wanted } else { wanted.min(low) };
    let socket = &mut host.sockets[id];
    let readable = socket.connection().is_some_and(|connection| connection.is_readable(&socket.options));
    let connection = socket.connection_mut().ok_or(Halt::Errno("ENOTCONN"))?;
    if flags & MSG_OOB != 0 {
        let ended = connection.over || connection.peer_closed || connection.read_shut;
        return match connection.take_urgent(inline, flags & MSG_PEEK != 0) {
            Ok(()) => Ok(Answer::Value(wanted.min(1) as i64)),
            Err(Refused::Invalid) => Err(Halt::Errno("EINVAL")),
            Err(Refused::NotYet) if ended => Ok(Answer::Value(0)),
            Err(Refused::NotYet) => Err(Halt::Errno("EAGAIN")),
        };
    }
    if connection.is_at_mark() && connection.available() > 0 && progress.done == 0 && flags & MSG_PEEK == 0 {
        connection.pass_mark(now, inline);
    }
    let ends = connection.peer_closed || connection.over || connection.read_shut || connection.error.is_some();
    if progress.sleeps && !freebsd && !ends && !connection.has_urgent() && !readable {
        // net/ipv4/tcp_input.c, tcp_data_ready: a call that waits is not woken before.
        return Ok(Answer::Blocks(NEVER));
    }
    let available = connection.up_to_mark();
    // FreeBSD takes nothing until there is enough, unless the call itself says that it does not wait (sys/kern/
    // uipc_socket.c, soreceive_generic).
    let too_few = freebsd && !ends && flags & MSG_DONTWAIT == 0 && progress.done == 0;
    if available > 0 && !(too_few && connection.available() < wanted.min(low)) {
        let bytes = available.min(wanted - progress.done.min(wanted));
        if flags & MSG_PEEK == 0 {
            connection.consume(now, bytes);
        }
        progress.done += bytes;
        let all = progress.done >= target || connection.is_at_mark() || flags & MSG_PEEK != 0;
        if all || !waits || freebsd && flags & MSG_WAITALL == 0 {
            return Ok(Answer::Value(progress.done as i64));
        }
    }
    if progress.done > 0 && (connection.peer_closed || connection.over) {
        return Ok(Answer::Value(progress.done as i64));
    }
    if let Some(error) = connection.error.take() {
        return Err(Halt::Errno(error));
    }
    if connection.over && !connection.connected && !freebsd {
        return Err(Halt::Errno("ENOTCONN"));
    }
    if connection.peer_closed || connection.over || connection.read_shut || wanted == 0 {
        return Ok(Answer::Value(0));
    }
    if !waits {
        return Err(Halt::Errno("EAGAIN"));
    }
    progress.sleeps = true;
    Ok(Answer::Blocks(NEVER))
}

/// Writes `wanted` bytes to a connection, as far as its send buffer has room.
pub(super) fn transmit(host: &mut Host, id: SocketId, wanted: u64, flags: i64, progress: &mut CallState) -> Called {
    transmit_cut(host, id, wanted, &[], flags, progress)
}

/// Writes as [`transmit`] does, with no segment that crosses one of `cuts`, in bytes from the start.
pub(super) fn transmit_cut(
    host: &mut Host,
    id: SocketId,
    wanted: u64,
    cuts: &[u64],
    flags: i64,
    progress: &mut CallState,
) -> Called {
    let freebsd = if host.is_freebsd() { MSG_EOF } else { 0 };
    let known = MSG_DONTWAIT | MSG_NOSIGNAL | MSG_MORE | MSG_EOR | MSG_ZEROCOPY | MSG_FASTOPEN | MSG_OOB | freebsd;
    if flags & !known != 0 {
        return Err(Stop::Unsupported(format!("send flags {:#x}", flags & !known)).into());
    }
    let waits = !host.sockets[id].nonblocking && flags & MSG_DONTWAIT == 0;
    if opens(host, id, flags, waits, progress)? {
        let early = host.open_by_write(id, wanted)?;
        write_early(host, id, early, flags)?;
        progress.done = early;
        progress.opens = true;
        // A call that waits goes on after the handshake, unless FreeBSD has queued its data.
        if waits && !host.is_freebsd() {
            host.connection_mut(id)?.write_pending = early < wanted;
            return Ok(Answer::Blocks(NEVER));
        }
        if early == 0 {
            return Err(Halt::Errno("EINPROGRESS"));
        }
        return finish_write(host, id, wanted, flags, progress);
    }
    if host.is_freebsd() {
        super::freebsd::check_write(host, id)?;
    }
    if !matches!(host.sockets[id].role, Role::Connection(_)) {
        return Err(Halt::Errno("EPIPE"));
    }
    let connection = host.connection_mut(id)?;
    if progress.opens && connection.connected {
        connection.connect_pending = false;
    }
    if connection.over || connection.write_shut {
        // net/ipv4/af_inet.c, __inet_stream_connect: data in a SYN without an answer was not written.
        let failed = progress.opens && !connection.connected;
        if progress.done > 0 && !failed {
            return Ok(Answer::Value(progress.done as i64));
        }
        return Err(Halt::Errno(connection.error.take().unwrap_or("EPIPE")));
    }
    connection.write_pending = waits && !connection.connected && progress.done < wanted;
    if !connection.connected {
        return if waits { Ok(Answer::Blocks(NEVER)) } else { Err(Halt::Errno("EAGAIN")) };
    }
    let (low, freebsd) = (host.not_sent_low(id), host.is_freebsd());
    if progress.sleeps && !host.writable(id) {
        return Ok(Answer::Blocks(NEVER));
    }
    while progress.done < wanted {
        let now = host.now;
        let connection = host.connection_mut(id)?;
        let stream = connection.stream();
        let cut = cuts.iter().find(|&&cut| cut > progress.done);
        let end = cut.map_or(wanted, |&cut| cut.min(wanted));
        let room = connection.send_buffer.room(stream, low);
        let chunk = room.min(end - progress.done);
        if chunk == 0 || !connection.send_buffer.accepts(room, wanted - progress.done) {
            break;
        }
        let last = progress.done + chunk == wanted;
        let pushed = connection.send_buffer.pushes(stream.written + chunk, last && flags & MSG_MORE == 0, stream.mss);
        if last && flags & MSG_EOF != 0 {
            // The FIN follows the data of the call (sys/netinet/tcp_usrreq.c, tcp_usr_send with PRUS_EOF).
            connection.write_shut = true;
            connection.endpoint.write_with(now, chunk, Push::Now);
            connection.written += chunk;
            connection.endpoint.shutdown_write(now);
            progress.done += chunk;
            host.drain();
            break;
        }
        let push = match last {
            true => crate::simulated::stack::push(flags),
            // What empties the buffer is pushed (sys/netinet/tcp_output.c).
            false if freebsd && chunk == room => Push::Now,
            // No segment has bytes of two buffers.
            false if pushed || cuts.contains(&(progress.done + chunk)) => Push::EndOfRecord,
            false => Push::More,
        };
        connection.written += chunk;
        if last && flags & MSG_OOB != 0 {
            connection.urge();
        }
        connection.endpoint.write_with(now, chunk, push);
        if last {
            connection.stamps.on_write(connection.written, false);
        }
        progress.done += chunk;
        host.drain();
    }
    if progress.done < wanted {
        let now = host.now;
        let connection = host.connection_mut(id)?;
        connection.send_buffer.wanted = true;
        if progress.done > 0 && connection.unsent() > 0 && !freebsd {
            // A call that waits pushes the present data.
            connection.endpoint.write_with(now, 0, Push::EndOfRecord);
            connection.send_buffer.push(connection.written);
        }
        if waits {
            progress.sleeps = true;
            return Ok(Answer::Blocks(NEVER));
        }
        if progress.done == 0 {
            return Err(Halt::Errno("EAGAIN"));
        }
        let connection = host.connection_mut(id)?;
        let sent = connection.unsent() == 0;
        connection.stamps.on_write(connection.written, sent);
    }
    finish_write(host, id, wanted, flags, progress)
}

/// Whether a write opens a connection: with FreeBSD, one to a socket with TCP_FASTOPEN that has none, and with Linux, one
/// with MSG_FASTOPEN or after a `connect` that has left the SYN to it (net/ipv4: tcp.c, tcp_sendmsg_fastopen; af_inet.c,
/// __inet_stream_connect).
fn opens(host: &mut Host, id: SocketId, flags: i64, waits: bool, progress: &mut CallState) -> Result<bool, Halt> {
    let allowed = host.opens_fast();
    let asked = flags & MSG_FASTOPEN != 0;
    if host.is_freebsd() {
        let asked = asked || host.sockets[id].options.fast_open != 0;
        return Ok(asked && matches!(host.sockets[id].role, Role::Fresh));
    }
    let deferred = host.sockets[id].connection().is_some_and(|connection| connection.deferred);
    if progress.opens || !asked && !deferred {
        return Ok(false);
    }
    if !allowed {
        return Err(Halt::Errno("EOPNOTSUPP"));
    }
    let connection = match &mut host.sockets[id].role {
        Role::Fresh => return Ok(true),
        Role::Listening(_) => return Err(Halt::Errno("EISCONN")),
        Role::Connection(_) if deferred => return Ok(true),
        Role::Connection(connection) => connection,
    };
    if connection.fast_request {
        return Err(Halt::Errno("EALREADY"));
    }
    if !connection.connect_pending {
        return Err(Halt::Errno("EISCONN"));
    }
    if connection.over {
        return Err(Halt::Errno(connection.error.take().unwrap_or("ECONNABORTED")));
    }
    if !connection.connected && !waits {
        return Err(Halt::Errno("EALREADY"));
    }
    progress.opens = true;
    Ok(false)
}

/// Writes the data of a call that opens its connection, and starts the handshake.
fn write_early(host: &mut Host, id: SocketId, wanted: u64, flags: i64) -> Result<(), Halt> {
    let now = host.now;
    // Linux keeps the data of the SYN in a buffer of its own.
    let push = if host.is_freebsd() { crate::simulated::stack::push(flags) } else { Push::EndOfRecord };
    let connection = host.connection_mut(id)?;
    if wanted > 0 {
        connection.endpoint.write_with(now, wanted, push);
        connection.written += wanted;
        connection.stamps.on_write(connection.written, false);
    }
    connection.endpoint.connect(now);
    Ok(())
}

/// Notes a zero-copy write, and returns the number of bytes written.
fn finish_write(host: &mut Host, id: SocketId, wanted: u64, flags: i64, progress: &mut CallState) -> Called {
    let zerocopy = flags & MSG_ZEROCOPY != 0 && host.sockets[id].options.zerocopy && wanted > 0;
    if zerocopy {
        let connection = host.connection_mut(id)?;
        let number = connection.zerocopy.next;
        connection.zerocopy.next += 1;
        connection.zerocopy.under_way.push_back((connection.written, number));
    }
    Ok(Answer::Value(progress.done as i64))
}
