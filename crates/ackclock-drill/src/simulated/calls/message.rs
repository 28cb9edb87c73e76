//! The call `recvmsg` with its control messages of TCP_INQ, zero-copy and SO_TIMESTAMPING.

use super::transfer::{receive, total};
use super::{CallState, Called, Halt};
use crate::calls::{Answer, Control, ControlData, Memory};
use crate::settings::IpVersion;
use crate::simulated::host::Host;
use crate::simulated::socket::SocketId;
use crate::symbols::{
    CM_INQ, CODE_COPIED, IP_RECVERR, IPV6_RECVERR, MSG_ERRQUEUE, MSG_TRUNC, ORIGIN_TIMESTAMPING, ORIGIN_ZEROCOPY,
    SCM_TIMESTAMPING, SOL_IP, SOL_IPV6, SOL_SOCKET, SOL_TCP, STAMP_OPT_TSONLY, errno_number,
};
use crate::verdict::Stop;

/// Runs `recvmsg`.
pub(super) fn recvmsg(host: &mut Host, fd: i64, lengths: &[i64], flags: i64, progress: &mut CallState) -> Called {
    let id = host.socket_of(fd)?;
    let wanted = total(lengths)?;
    if flags & MSG_ERRQUEUE != 0 {
        return error_queue(host, id, wanted);
    }
    let answer = receive(host, id, wanted, flags, progress)?;
    let Answer::Value(value) = answer else { return Ok(answer) };
    Ok(Answer::Filled(value, Memory::Message(0, inq(host, id).into_iter().collect())))
}

/// The control message of TCP_INQ: the number of bytes left to read, with an unread end of the stream counted as one byte.
fn inq(host: &Host, id: SocketId) -> Option<Control> {
    let connection = host.sockets[id].connection().filter(|_| host.sockets[id].options.inq)?;
    let left = connection.available() + u64::from(connection.peer_closed);
    Some(Control { level: SOL_TCP, kind: CM_INQ, data: ControlData::Inq(left as i64) })
}

/// Reads a notification of completed zero-copy writes or of SO_TIMESTAMPING.
fn error_queue(host: &mut Host, id: SocketId, room: u64) -> Called {
    let (level, kind) = match host.settings.ip_version {
        IpVersion::V4 => (SOL_IP, IP_RECVERR),
        _ => (SOL_IPV6, IPV6_RECVERR),
    };
    let error = |fields: [i64; 6]| Control { level, kind, data: ControlData::Error(fields) };
    let Some(connection) = host.sockets[id].connection_mut() else { return Err(Halt::Errno("EAGAIN")) };
    if let Some((first, last)) = connection.zerocopy.done.pop_front() {
        let controls = vec![error([0, ORIGIN_ZEROCOPY, 0, CODE_COPIED, i64::from(first), i64::from(last)])];
        return Ok(Answer::Filled(0, Memory::Message(MSG_ERRQUEUE, controls)));
    }
    let Some(stamp) = connection.stamps.done.pop_front() else { return Err(Halt::Errno("EAGAIN")) };
    // The packet is returned with the time, unless only the time is requested.
    let packet = connection.stamps.flags & STAMP_OPT_TSONLY == 0;
    if packet && room > 0 {
        return Err(Stop::Unsupported("packets that come with their times".to_owned()).into());
    }
    let time = Control { level: SOL_SOCKET, kind: SCM_TIMESTAMPING, data: ControlData::Time(stamp.at as i64) };
    let errno = errno_number("ENOMSG").expect("a known error");
    let controls = vec![time, error([errno, ORIGIN_TIMESTAMPING, 0, 0, stamp.what, stamp.key as i64])];
    let flags = MSG_ERRQUEUE | if packet { MSG_TRUNC } else { 0 };
    Ok(Answer::Filled(0, Memory::Message(flags, controls)))
}
