//! `sendmsg` and `recvmsg`: buffers, and control messages of TCP_INQ and of zero-copy.

use super::transfer::{receive, transmit, vector};
use super::{Answer, Arguments, Called, Halt, Progress, eval, field};
use crate::ast::{Call, Expr};
use crate::host::Host;
use crate::socket::SocketId;
use crate::symbols::{CM_INQ, CODE_COPIED, MSG_ERRQUEUE, MSG_ZEROCOPY, ORIGIN_ZEROCOPY, value};
use crate::verdict::Stop;

/// Pieces of a zero-copy write that one packet of the kernel holds (MAX_SKB_FRAGS).
const MOST_PIECES: usize = 17;

/// The fields of `{msg_name(...)=..., msg_iov(1)=[{..., 1000}], msg_flags=0}`.
fn message(call: &Call) -> Result<(&[Expr], &Expr), Stop> {
    let arguments = Arguments::of(call, 2)?;
    let Expr::Struct(fields) = arguments.get(1) else {
        return Stop::fail(format!("{} takes a structure such as {{msg_iov(1)=[{{..., 1000}}]}}", call.name));
    };
    let Some(buffers) = field(fields, "msg_iov") else { return Stop::fail("a message without msg_iov") };
    Ok((fields, buffers))
}

pub(super) fn sendmsg(host: &mut Host, call: &Call, progress: &mut Progress) -> Called {
    let (fields, buffers) = message(call)?;
    let arguments = Arguments::of(call, 2)?;
    let id = host.socket_of(arguments.int(0)?)?;
    let flags = arguments.optional(2)?;
    if matches!(field(fields, "msg_control"), Some(Expr::List(items)) if !items.is_empty()) {
        return Err(Stop::Unsupported("control messages of sendmsg".to_owned()).into());
    }
    if let Expr::List(items) = buffers
        && flags & MSG_ZEROCOPY != 0
        && items.len() > MOST_PIECES
    {
        return Err(Stop::Unsupported(format!("zero-copy writes of more than {MOST_PIECES} pieces")).into());
    }
    let bytes = vector(buffers)?;
    transmit(host, id, bytes, flags, progress)
}

pub(super) fn recvmsg(host: &mut Host, call: &Call, progress: &mut Progress) -> Called {
    let (fields, buffers) = message(call)?;
    let arguments = Arguments::of(call, 2)?;
    let id = host.socket_of(arguments.int(0)?)?;
    let flags = arguments.optional(2)?;
    let control = field(fields, "msg_control");
    if flags & MSG_ERRQUEUE != 0 {
        return error_queue(host, id, fields, control);
    }
    let bytes = vector(buffers)?;
    let answer = receive(host, id, bytes, flags, progress)?;
    if matches!(answer, Answer::Value(_)) {
        check_flags(fields, 0)?;
        check_inq(host, id, control)?;
    }
    Ok(answer)
}

/// A notification that zero-copy writes are through.
fn error_queue(host: &mut Host, id: SocketId, fields: &[Expr], control: Option<&Expr>) -> Called {
    let Some(connection) = host.sockets[id].connection_mut() else { return Err(Halt::Errno("EAGAIN")) };
    let Some((first, last)) = connection.zerocopy.done.pop_front() else { return Err(Halt::Errno("EAGAIN")) };
    check_flags(fields, MSG_ERRQUEUE)?;
    let Some(Expr::List(messages)) = control else { return Ok(Answer::Value(0)) };
    let [Expr::Struct(parts)] = &messages[..] else {
        return Err(Stop::Fail("the error queue gives one control message".to_owned()).into());
    };
    let Some(Expr::Struct(data)) = field(parts, "cmsg_data") else {
        return Err(Stop::Fail("the control message holds a sock_extended_err".to_owned()).into());
    };
    let actual = [
        ("ee_errno", 0),
        ("ee_origin", ORIGIN_ZEROCOPY),
        ("ee_type", 0),
        ("ee_code", CODE_COPIED),
        ("ee_info", i64::from(first)),
        ("ee_data", i64::from(last)),
    ];
    for (name, actual) in actual {
        compare(name, field(data, name), actual)?;
    }
    Ok(Answer::Value(0))
}

/// TCP_CM_INQ: bytes left to read; an end of the stream that is still to be read counts as one.
fn check_inq(host: &Host, id: SocketId, control: Option<&Expr>) -> Result<(), Stop> {
    let Some(Expr::List(messages)) = control else { return Ok(()) };
    let inq = host.sockets[id].options.inq;
    if messages.is_empty() {
        return if inq { Stop::fail("recvmsg gave a control message of TCP_INQ instead of none") } else { Ok(()) };
    }
    let [Expr::Struct(parts)] = &messages[..] else { return Stop::unsupported("several control messages") };
    let is_inq = field(parts, "cmsg_type").map(eval).transpose()? == Some(CM_INQ)
        && field(parts, "cmsg_level").map(eval).transpose()? == value("SOL_TCP");
    if !is_inq {
        return Stop::unsupported("control messages other than TCP_CM_INQ");
    }
    if !inq {
        return Stop::fail("recvmsg gave no control message: TCP_INQ is not set");
    }
    let Some(connection) = host.sockets[id].connection() else { return Ok(()) };
    let left = connection.available() + u64::from(connection.peer_closed);
    compare("TCP_CM_INQ", field(parts, "cmsg_data"), left as i64)
}

fn check_flags(fields: &[Expr], actual: i64) -> Result<(), Stop> {
    compare("msg_flags", field(fields, "msg_flags"), actual)
}

fn compare(name: &str, expected: Option<&Expr>, actual: i64) -> Result<(), Stop> {
    match expected {
        None | Some(Expr::Ellipsis) => Ok(()),
        Some(expected) => {
            let expected = eval(expected)?;
            if expected == actual {
                return Ok(());
            }
            Stop::fail(format!("{name} is {actual} instead of {expected}"))
        }
    }
}
