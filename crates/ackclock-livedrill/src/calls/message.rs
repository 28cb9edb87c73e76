//! Several buffers, and the calls `sendmsg` and `recvmsg` with the control messages of TCP_INQ, zero-copy and SO_TIMESTAMPING.

use super::length;
use crate::system::Reply;
use crate::worker::Job;
use ackclock_drill::Stop;
use ackclock_drill::calls::{Control, ControlData, Memory};
use ackclock_drill::symbols::{
    CM_INQ, IP_RECVERR, IPV6_RECVERR, SCM_TIMESTAMPING, SOL_IP, SOL_IPV6, SOL_SOCKET, SOL_TCP,
};
use ackclock_tcp::{Nanos, SECOND};
use std::os::fd::RawFd;

/// Room for control messages, bytes.
const CONTROL: usize = 512;
/// Length of `struct cmsghdr` on systems of 64 bits.
const HEADER: usize = 16;
/// Places and lengths of the fields of a `struct sock_extended_err`, bytes.
const ERROR: [(usize, usize); 6] = [(0, 4), (4, 1), (5, 1), (6, 1), (8, 4), (12, 4)];

/// Buffers and the `iovec`s that point to them.
pub(super) struct Buffers {
    buffers: Vec<Vec<u8>>,
}

impl Buffers {
    pub(super) fn of(lengths: &[i64]) -> Result<Buffers, Stop> {
        let buffers = lengths.iter().map(|&bytes| Ok(vec![b'a'; length(bytes)?])).collect::<Result<_, Stop>>()?;
        Ok(Buffers { buffers })
    }

    /// Pointers that are valid as long as the buffers.
    pub(super) fn pointers(&mut self) -> Vec<libc::iovec> {
        let pointer =
            |buffer: &mut Vec<u8>| libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
        self.buffers.iter_mut().map(pointer).collect()
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

pub(super) fn sendmsg(fd: RawFd, mut buffers: Buffers, flags: i64, mut to: Option<Vec<u8>>) -> Job {
    Box::new(move || {
        let mut pointers = buffers.pointers();
        let mut message = empty();
        if let Some(to) = &mut to {
            (message.msg_name, message.msg_namelen) = (to.as_mut_ptr().cast(), to.len() as u32);
        }
        (message.msg_iov, message.msg_iovlen) = (pointers.as_mut_ptr(), pointers.len() as _);
        // SAFETY: all pointers of the message are to values that live until the call returns.
        let value = unsafe { libc::sendmsg(fd, &raw const message, flags as i32) };
        Reply::of(value as i64)
    })
}

/// Runs `recvmsg` in a script that started at `start` on the realtime clock.
pub(super) fn recvmsg(fd: RawFd, mut buffers: Buffers, flags: i64, start: Nanos) -> Job {
    Box::new(move || {
        let mut pointers = buffers.pointers();
        let mut control = vec![1u8; CONTROL];
        let mut message = empty();
        (message.msg_iov, message.msg_iovlen) = (pointers.as_mut_ptr(), pointers.len() as _);
        (message.msg_control, message.msg_controllen) = (control.as_mut_ptr().cast(), control.len() as _);
        // SAFETY: all pointers of the message are to values that live until the call returns.
        let value = unsafe { libc::recvmsg(fd, &raw mut message, flags as i32) };
        let reply = Reply::of(value as i64);
        control.truncate(message.msg_controllen);
        reply.with(Memory::Message(message.msg_flags.into(), controls(&control, start)))
    })
}

/// The control messages in memory.
fn controls(mut bytes: &[u8], start: Nanos) -> Vec<Control> {
    let mut found = Vec::new();
    while let Some((header, _)) = bytes.split_at_checked(HEADER) {
        let word = |at: usize| i64::from(i32::from_ne_bytes(header[at..at + 4].try_into().expect("four bytes")));
        let length = usize::from_ne_bytes(header[..8].try_into().expect("eight bytes"));
        let Some(data) = bytes.get(HEADER..length) else { return found };
        let (level, kind) = (word(8), word(12));
        found.push(Control { level, kind, data: data_of(level, kind, data, start) });
        bytes = bytes.get(length.next_multiple_of(8)..).unwrap_or_default();
    }
    found
}

fn data_of(level: i64, kind: i64, data: &[u8], start: Nanos) -> ControlData {
    let number = |at: usize, size: usize| {
        let mut bytes = [0; 8];
        let Some(field) = data.get(at..at + size) else { return 0 };
        bytes[..size].copy_from_slice(field);
        i64::from_ne_bytes(bytes)
    };
    match (level, kind) {
        (SOL_TCP, CM_INQ) => ControlData::Inq(number(0, 4)),
        (SOL_SOCKET, SCM_TIMESTAMPING) => {
            let time = number(0, 8).saturating_mul(SECOND as i64).saturating_add(number(8, 8));
            ControlData::Time(time - start.cast_signed())
        }
        (SOL_IP, IP_RECVERR) | (SOL_IPV6, IPV6_RECVERR) => ControlData::Error(ERROR.map(|(at, size)| number(at, size))),
        _ => ControlData::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_messages_follow_each_other_at_multiples_of_eight() {
        let mut bytes = Vec::new();
        let time = [7i64.to_ne_bytes(), 9i64.to_ne_bytes(), [1; 8]].concat();
        let error = [&42i32.to_ne_bytes()[..], &[4, 1, 2, 0], &1u32.to_ne_bytes(), &99u32.to_ne_bytes()].concat();
        let cases = [(6i32, 36i32, vec![5u8, 0, 0, 0]), (1, 37, time), (0, 11, error), (1, 2, vec![3])];
        for (level, kind, data) in cases {
            bytes.extend((HEADER + data.len()).to_ne_bytes());
            bytes.extend(level.to_ne_bytes());
            bytes.extend(kind.to_ne_bytes());
            bytes.extend(&data);
            bytes.resize(bytes.len().next_multiple_of(8), 0);
        }
        let found = controls(&bytes, 7 * SECOND);
        let kinds: Vec<_> = found.iter().map(|control| (control.level, control.kind)).collect();
        assert_eq!(kinds, [(6, 36), (1, 37), (0, 11), (1, 2)]);
        let data = found.into_iter().map(|control| control.data);
        let expected =
            [ControlData::Inq(5), ControlData::Time(9), ControlData::Error([42, 4, 1, 2, 1, 99]), ControlData::Unknown];
        assert_eq!(data.collect::<Vec<_>>(), expected);
        assert!(controls(&bytes[..19], 0).is_empty());
    }
}
