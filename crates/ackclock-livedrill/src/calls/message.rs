//! The calls `sendmsg` and `recvmsg`, with the control messages of TCP_INQ, zero-copy and SO_TIMESTAMPING.

use super::transfer::{Buffers, opens};
use super::{Arguments, compare, plain};
use crate::live::Live;
use crate::system::Reply;
use crate::worker::Job;
use ackclock_drill::Stop;
use ackclock_drill::ast::Expr;
use ackclock_drill::calls::{Answer, eval, field};
use ackclock_drill::machine::Machine as _;
use ackclock_drill::symbols::{CM_INQ, SCM_TIMESTAMPING, value};

/// Room for control messages, bytes.
const CONTROL: usize = 512;
/// Length of `struct cmsghdr` on systems of 64 bits.
const HEADER: usize = 16;

/// The fields of `{msg_name(...)=..., msg_iov(1)=[{..., 1000}], msg_flags=0}`.
fn fields<'a>(arguments: &Arguments<'a>) -> Result<&'a [Expr], Stop> {
    match arguments.get(1)? {
        Expr::Struct(fields) => Ok(fields),
        _ => Stop::fail(format!("{} takes a structure such as {{msg_iov(1)=[{{..., 1000}}]}}", arguments.call.name)),
    }
}

fn buffers(fields: &[Expr]) -> Result<Buffers, Stop> {
    match field(fields, "msg_iov") {
        Some(vector) => Buffers::of(vector),
        None => Stop::fail("a message without msg_iov"),
    }
}

/// A message without a name, buffers and control messages.
fn empty() -> libc::msghdr {
    libc::msghdr {
        msg_name: std::ptr::null_mut(),
        msg_namelen: 0,
        msg_iov: std::ptr::null_mut(),
        msg_iovlen: 0,
        msg_control: std::ptr::null_mut(),
        msg_controllen: 0,
        msg_flags: 0,
    }
}

pub(super) fn sendmsg(live: &mut Live, arguments: &Arguments<'_>) -> Result<Job, Stop> {
    let fields = fields(arguments)?;
    if matches!(field(fields, "msg_control"), Some(Expr::List(items)) if !items.is_empty()) {
        return Stop::unsupported("control messages of sendmsg");
    }
    let fd = arguments.fd(live, 0)?;
    let flags = arguments.optional(2)?;
    let mut buffers = buffers(fields)?;
    let mut to = opens(live, arguments, flags)?;
    Ok(Box::new(move || {
        let mut pointers = buffers.pointers();
        let mut message = empty();
        if let Some(to) = &mut to {
            (message.msg_name, message.msg_namelen) = (to.as_mut_ptr().cast(), to.len() as u32);
        }
        (message.msg_iov, message.msg_iovlen) = (pointers.as_mut_ptr(), pointers.len() as _);
        // SAFETY: all pointers of the message are to values that live until the call returns.
        #[expect(unsafe_code, reason = "the calls of a script are made as they are")]
        let value = unsafe { libc::sendmsg(fd, &raw const message, flags as i32) };
        Reply::of(value as i64, Vec::new())
    }))
}

pub(super) fn recvmsg(live: &mut Live, arguments: &Arguments<'_>) -> Result<Job, Stop> {
    let fd = arguments.fd(live, 0)?;
    let flags = arguments.optional(2)? as i32;
    let mut buffers = buffers(fields(arguments)?)?;
    Ok(Box::new(move || {
        let mut pointers = buffers.pointers();
        let mut control = vec![1u8; CONTROL];
        let mut message = empty();
        (message.msg_iov, message.msg_iovlen) = (pointers.as_mut_ptr(), pointers.len() as _);
        (message.msg_control, message.msg_controllen) = (control.as_mut_ptr().cast(), control.len() as _);
        // SAFETY: all pointers of the message are to values that live until the call returns.
        #[expect(unsafe_code, reason = "the calls of a script are made as they are")]
        let value = unsafe { libc::recvmsg(fd, &raw mut message, flags) };
        control.truncate(message.msg_controllen);
        Reply::of(value as i64, vec![control, message.msg_flags.to_ne_bytes().to_vec()])
    }))
}

/// A control message.
struct Control {
    level: i64,
    kind: i64,
    data: Vec<u8>,
}

impl Control {
    fn number(&self, at: usize, size: usize) -> i64 {
        let mut bytes = [0; 8];
        let Some(field) = self.data.get(at..at + size) else { return 0 };
        bytes[..size].copy_from_slice(field);
        i64::from_ne_bytes(bytes)
    }
}

fn controls(mut bytes: &[u8]) -> Vec<Control> {
    let mut found = Vec::new();
    while let Some((header, _)) = bytes.split_at_checked(HEADER) {
        let word = |at: usize| i64::from(i32::from_ne_bytes(header[at..at + 4].try_into().expect("four bytes")));
        let length = usize::from_ne_bytes(header[..8].try_into().expect("eight bytes"));
        let Some(data) = bytes.get(HEADER..length) else { return found };
        found.push(Control { level: word(8), kind: word(12), data: data.to_vec() });
        bytes = bytes.get(length.next_multiple_of(8)..).unwrap_or_default();
    }
    found
}

/// Compares the flags and the control messages of a message that was received.
pub(super) fn received(live: &mut Live, arguments: &Arguments<'_>, reply: &Reply) -> Result<Answer, Stop> {
    let answer = plain(live, arguments, reply)?;
    if reply.value == -1 {
        return Ok(answer);
    }
    let fields = fields(arguments)?;
    let flags = i32::from_ne_bytes(reply.memory[1][..4].try_into().expect("four bytes"));
    compare("msg_flags", field(fields, "msg_flags"), flags.into())?;
    let Some(Expr::List(expected)) = field(fields, "msg_control") else { return Ok(answer) };
    let actual = controls(&reply.memory[0]);
    if expected.len() != actual.len() {
        let shown: Vec<String> = actual.iter().map(|one| format!("level {} type {}", one.level, one.kind)).collect();
        return Stop::fail(format!(
            "{} control messages instead of {}: {}",
            actual.len(),
            expected.len(),
            shown.join(", ")
        ));
    }
    for (expected, actual) in expected.iter().zip(&actual) {
        let Expr::Struct(parts) = expected else {
            return Stop::fail("expected a control message such as {cmsg_level=..., cmsg_type=..., cmsg_data=...}");
        };
        compare("cmsg_level", field(parts, "cmsg_level"), actual.level)?;
        compare("cmsg_type", field(parts, "cmsg_type"), actual.kind)?;
        let data = field(parts, "cmsg_data");
        match (actual.level, actual.kind) {
            (level, CM_INQ) if Some(level) == value("SOL_TCP") => compare("TCP_CM_INQ", data, actual.number(0, 4))?,
            (level, SCM_TIMESTAMPING) if Some(level) == value("SOL_SOCKET") => time(live, data, actual)?,
            (0, 11) | (41, 25) => error(data, actual)?,
            (level, kind) => return Stop::unsupported(format!("control messages of level {level} and type {kind}")),
        }
    }
    Ok(answer)
}

/// Compares a `struct scm_timestamping`, whose time is counted from the start of the script.
fn time(live: &Live, expected: Option<&Expr>, actual: &Control) -> Result<(), Stop> {
    let Some(Expr::Struct(data)) = expected else { return Ok(()) };
    let number = |name: &str| field(data, name).map_or(Ok(0), eval);
    let expected = number("scm_sec")?.saturating_mul(1_000_000_000).saturating_add(number("scm_nsec")?);
    let actual = actual.number(0, 8).saturating_mul(1_000_000_000).saturating_add(actual.number(8, 8));
    let actual = actual - live.started_real.cast_signed();
    if actual.abs_diff(expected) > live.settings().tolerance {
        return Stop::fail(format!("the time is {actual} ns instead of {expected} ns"));
    }
    Ok(())
}

/// Compares a `struct sock_extended_err`.
fn error(expected: Option<&Expr>, actual: &Control) -> Result<(), Stop> {
    let Some(Expr::Struct(data)) = expected else { return Ok(()) };
    let places = [
        ("ee_errno", 0, 4),
        ("ee_origin", 4, 1),
        ("ee_type", 5, 1),
        ("ee_code", 6, 1),
        ("ee_info", 8, 4),
        ("ee_data", 12, 4),
    ];
    places.into_iter().try_for_each(|(name, at, size)| compare(name, field(data, name), actual.number(at, size)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_messages_follow_each_other_at_multiples_of_eight() {
        let mut bytes = Vec::new();
        for (kind, data) in [(36i32, vec![5u8, 0, 0, 0]), (37, vec![1; 48])] {
            bytes.extend((HEADER + data.len()).to_ne_bytes());
            bytes.extend(6i32.to_ne_bytes());
            bytes.extend(kind.to_ne_bytes());
            bytes.extend(&data);
            bytes.resize(bytes.len().next_multiple_of(8), 0);
        }
        let found = controls(&bytes);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].level, found[0].kind, found[0].number(0, 4)), (6, 36, 5));
        assert_eq!((found[1].kind, found[1].data.len()), (37, 48));
        assert!(controls(&bytes[..19]).is_empty());
    }
}
