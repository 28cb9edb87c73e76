//! The calls `sendmsg` and `recvmsg`: buffers, and control messages of TCP_INQ, zero-copy and SO_TIMESTAMPING.

use super::transfer::{receive, transmit, transmit_cut, vector};
use super::{Answer, Arguments, CallState, Called, Halt, eval, field};
use crate::ast::{Call, Expr};
use crate::simulated::host::Host;
use crate::simulated::socket::SocketId;
use crate::symbols::{
    CM_INQ, CODE_COPIED, MSG_ERRQUEUE, MSG_TRUNC, MSG_ZEROCOPY, ORIGIN_TIMESTAMPING, ORIGIN_ZEROCOPY, value,
};
use crate::verdict::Stop;
use ackclock_tcp::{Nanos, SECOND};

/// Number of pieces of a zero-copy write in one packet of the kernel (MAX_SKB_FRAGS).
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

pub(super) fn sendmsg(host: &mut Host, call: &Call, progress: &mut CallState) -> Called {
    let (fields, buffers) = message(call)?;
    let arguments = Arguments::of(call, 2)?;
    let id = host.socket_of(arguments.int(0)?)?;
    let flags = arguments.optional(2)?;
    if matches!(field(fields, "msg_control"), Some(Expr::List(items)) if !items.is_empty()) {
        return Err(Stop::Unsupported("control messages of sendmsg".to_owned()).into());
    }
    let bytes = vector(buffers)?;
    match buffers {
        Expr::List(items) if flags & MSG_ZEROCOPY != 0 && host.sockets[id].options.zerocopy => {
            let mut end = 0;
            let mut cuts = Vec::new();
            for pieces in items.chunks(MOST_PIECES) {
                end += vector(&Expr::List(pieces.to_vec()))?;
                cuts.push(end);
            }
            transmit_cut(host, id, bytes, &cuts, flags, progress)
        }
        _ => transmit(host, id, bytes, flags, progress),
    }
}

pub(super) fn recvmsg(host: &mut Host, call: &Call, progress: &mut CallState) -> Called {
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

/// Reads a notification of completed zero-copy writes or of SO_TIMESTAMPING.
fn error_queue(host: &mut Host, id: SocketId, fields: &[Expr], control: Option<&Expr>) -> Called {
    let tolerance = host.settings.tolerance;
    let Some(connection) = host.sockets[id].connection_mut() else { return Err(Halt::Errno("EAGAIN")) };
    if let Some((first, last)) = connection.zerocopy.done.pop_front() {
        check_flags(fields, MSG_ERRQUEUE)?;
        if let Some(Expr::List(messages)) = control {
            let [message] = &messages[..] else {
                return Err(Stop::Fail("the error queue gives one control message".to_owned()).into());
            };
            check_error(message, [0, ORIGIN_ZEROCOPY, 0, CODE_COPIED, i64::from(first), i64::from(last)])?;
        }
        return Ok(Answer::Value(0));
    }
    let Some(stamp) = connection.stamps.done.pop_front() else { return Err(Halt::Errno("EAGAIN")) };
    // The packet is returned with the time, unless only the time is requested.
    let packet = connection.stamps.flags & crate::symbols::STAMP_OPT_TSONLY == 0;
    if packet && vector(field(fields, "msg_iov").unwrap_or(&Expr::Ellipsis))? > 0 {
        return Err(Stop::Unsupported("packets that come with their times".to_owned()).into());
    }
    check_flags(fields, MSG_ERRQUEUE | if packet { MSG_TRUNC } else { 0 })?;
    if let Some(Expr::List(messages)) = control {
        let [time, error] = &messages[..] else {
            return Err(Stop::Fail("the error queue gives two control messages: time and cause".to_owned()).into());
        };
        let errno = value("ENOMSG").expect("a known symbol");
        check_error(error, [errno, ORIGIN_TIMESTAMPING, 0, 0, stamp.what, stamp.key as i64])?;
        check_time(time, stamp.at, tolerance)?;
    }
    Ok(Answer::Value(0))
}

/// Data of a control message.
fn data(message: &Expr) -> Result<&[Expr], Stop> {
    let parts = if let Expr::Struct(parts) = message { field(parts, "cmsg_data") } else { None };
    match parts {
        Some(Expr::Struct(data)) => Ok(data),
        _ => Stop::fail("expected a control message such as {cmsg_level=..., cmsg_type=..., cmsg_data={...}}"),
    }
}

/// Compares a `sock_extended_err`.
fn check_error(message: &Expr, actual: [i64; 6]) -> Result<(), Stop> {
    let data = data(message)?;
    let names = ["ee_errno", "ee_origin", "ee_type", "ee_code", "ee_info", "ee_data"];
    names.into_iter().zip(actual).try_for_each(|(name, actual)| compare(name, field(data, name), actual))
}

/// Compares a `scm_timestamping`, whose time is counted from the start of the script.
fn check_time(message: &Expr, actual: Nanos, tolerance: Nanos) -> Result<(), Stop> {
    let data = data(message)?;
    let number = |name: &str| field(data, name).map_or(Ok(0), eval);
    let expected = number("scm_sec")?.saturating_mul(SECOND as i64).saturating_add(number("scm_nsec")?);
    if (actual as i64).abs_diff(expected) > tolerance {
        return Stop::fail(format!("the time is {actual} ns instead of {expected} ns"));
    }
    Ok(())
}

/// Compares TCP_CM_INQ: the number of bytes left to read, with an unread end of the stream counted as one byte.
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
