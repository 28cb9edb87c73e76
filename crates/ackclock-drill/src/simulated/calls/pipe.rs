//! The calls `pipe` and `splice`, which move bytes between descriptors.

use super::transfer::{receive, transmit};
use super::{CallState, Called, Halt, bytes};
use crate::calls::Answer;
use crate::simulated::host::{Descriptor, Host, PipeEnd};
use crate::symbols::MSG_MORE;
use crate::verdict::Stop;
use ackclock_tcp::NEVER;

/// Capacity of a pipe, bytes.
const CAPACITY: u64 = 65_536;
/// `SPLICE_F_NONBLOCK`
const NONBLOCK: i64 = 2;
/// `SPLICE_F_MORE`
const MORE: i64 = 4;
/// Mask of all flags; `SPLICE_F_MOVE` and `SPLICE_F_GIFT` have no effect here.
const KNOWN: i64 = 15;

/// Runs `pipe([5, 6])`, with the end for reading and the end for writing.
pub(super) fn pipe(host: &mut Host, [read, write]: [i64; 2]) -> Called {
    host.pipes.push(0);
    let pipe = host.pipes.len() - 1;
    for (fd, writes) in [(read, false), (write, true)] {
        if host.fds.contains_key(&fd) {
            return Err(Stop::Fail(format!("pipe: descriptor {fd} is still open")).into());
        }
        host.fds.insert(fd, Descriptor::Pipe(PipeEnd { pipe, writes }));
    }
    Ok(Answer::Value(0))
}

/// Runs `splice(4, NULL, 6, NULL, 1000, 0)`, to a pipe or from one.
pub(super) fn splice(host: &mut Host, from: i64, to: i64, length: i64, flags: i64, progress: &mut CallState) -> Called {
    let wanted = bytes(length)?;
    if flags & !KNOWN != 0 {
        return Err(Halt::Errno("EINVAL"));
    }
    if wanted == 0 {
        return Ok(Answer::Value(0));
    }
    match (host.fds.get(&from), host.fds.get(&to)) {
        (None, _) | (_, None) => Err(Halt::Errno("EBADF")),
        (Some(Descriptor::Pipe(PipeEnd { pipe, writes: false })), Some(Descriptor::Socket(id))) => {
            let (pipe, id) = (*pipe, *id);
            let held = host.pipes[pipe];
            let written_to = |fd: &Descriptor| matches!(fd, Descriptor::Pipe(end) if end.pipe == pipe && end.writes);
            if held == 0 && !host.fds.values().any(written_to) {
                return Ok(Answer::Value(0));
            }
            if held == 0 {
                return if flags & NONBLOCK != 0 { Err(Halt::Errno("EAGAIN")) } else { Ok(Answer::Blocks(NEVER)) };
            }
            let more = if flags & MORE != 0 { MSG_MORE } else { 0 };
            let answer = transmit(host, id, wanted.min(held), more, progress)?;
            if let Answer::Value(moved) = answer {
                host.pipes[pipe] -= moved.unsigned_abs();
            }
            Ok(answer)
        }
        (Some(&Descriptor::Socket(id)), Some(Descriptor::Pipe(PipeEnd { pipe, writes: true }))) => {
            let pipe = *pipe;
            let Some(room) = room(host, pipe, flags)? else { return Ok(Answer::Blocks(NEVER)) };
            // A mark of urgent data ends a splice, and does not let it pass.
            let connection = host.sockets[id].connection();
            if connection.is_some_and(|connection| connection.is_at_mark() && connection.available() > 0) {
                let nonblocking = host.sockets[id].nonblocking;
                return if nonblocking { Err(Halt::Errno("EAGAIN")) } else { Ok(Answer::Value(0)) };
            }
            let answer = receive(host, id, wanted.min(room), 0, progress)?;
            if let Answer::Value(moved) = answer {
                host.pipes[pipe] += moved.unsigned_abs();
            }
            Ok(answer)
        }
        (Some(Descriptor::File), Some(Descriptor::Pipe(PipeEnd { pipe, writes: true }))) => {
            let pipe = *pipe;
            let Some(room) = room(host, pipe, flags)? else { return Ok(Answer::Blocks(NEVER)) };
            let moved = wanted.min(room);
            host.pipes[pipe] += moved;
            Ok(Answer::Value(moved as i64))
        }
        _ => Err(Halt::Errno("EINVAL")),
    }
}

/// Number of bytes for which a pipe has room; `None` if the call waits for room.
fn room(host: &Host, pipe: usize, flags: i64) -> Result<Option<u64>, Halt> {
    match CAPACITY - host.pipes[pipe].min(CAPACITY) {
        0 if flags & NONBLOCK != 0 => Err(Halt::Errno("EAGAIN")),
        0 => Ok(None),
        room => Ok(Some(room)),
    }
}
