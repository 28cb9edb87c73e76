//! `setsockopt`, `getsockopt`, `fcntl` and `ioctl`.

use std::os::fd::RawFd;

use super::{job, length as checked};
use crate::host::Host;
use crate::system::Reply;
use crate::worker::Job;
use ackclock_drill::Stop;
use ackclock_drill::calls::{Memory, SocketOption, Value, bytes_of_text};
use ackclock_drill::symbols::{INQ, OUTQ, OUTQNSD};

/// Length of the memory for an option, bytes.
const ROOM: usize = 256;
const SO_MEMINFO: i32 = 55;

/// The bytes of an option's value.
fn bytes_of(value: &Value, length: usize) -> Result<Vec<u8>, Stop> {
    let int = |number: i64| (number as i32).to_ne_bytes();
    let mut bytes = match value {
        Value::Any => Vec::new(),
        Value::Number(number) if length > 4 => number.to_ne_bytes().to_vec(),
        Value::Number(number) => int(*number).to_vec(),
        Value::Text(text) => bytes_of_text(text)?,
        Value::Linger(on, time) => [int(*on), int(*time)].concat(),
        Value::Named(_) | Value::Structure => {
            return Stop::unsupported("structures other than {onoff=1, linger=0} of setsockopt");
        }
    };
    // The kernel reads as many bytes as the script says.
    bytes.resize(length.max(bytes.len()).max(1), 0);
    Ok(bytes)
}

/// Level and number of an option.
fn place(option: &SocketOption) -> Result<(i32, i32), Stop> {
    match option.number {
        Some(number) => Ok((option.level as i32, number as i32)),
        None => Stop::unsupported(format!("socket option {}", option.name)),
    }
}

pub(super) fn setsockopt(host: &Host, fd: i64, option: &SocketOption, value: &Value, length: i64) -> Result<Job, Stop> {
    let fd = host.fd(fd);
    let (level, name) = place(option)?;
    let length = checked(length)?;
    let bytes = bytes_of(value, length)?;
    job(move || {
        // SAFETY: the buffer has at least the length.
        unsafe { libc::setsockopt(fd, level, name, bytes.as_ptr().cast(), length as u32) }.into()
    })
}

/// The result of `getsockopt`, and the bytes of the option.
fn get(fd: RawFd, level: i32, name: i32, length: usize) -> (Reply, Vec<u8>) {
    let mut bytes = vec![1u8; length];
    let mut length = length as u32;
    // SAFETY: the buffer has the length, and both live until the call returns.
    let value = unsafe { libc::getsockopt(fd, level, name, bytes.as_mut_ptr().cast(), &raw mut length) };
    let reply = Reply::of(value.into());
    bytes.truncate(length as usize);
    (reply, bytes)
}

/// The bytes of `tcp_info`; empty for a descriptor that is none of TCP.
pub fn tcp_info(fd: RawFd) -> Vec<u8> {
    structure(fd, libc::IPPROTO_TCP, libc::TCP_INFO, 512)
}

/// The bytes of SO_MEMINFO; empty for a descriptor that is no socket.
pub fn memory_info(fd: RawFd) -> Vec<u8> {
    structure(fd, libc::SOL_SOCKET, SO_MEMINFO, 64)
}

fn structure(fd: RawFd, level: i32, name: i32, length: usize) -> Vec<u8> {
    let (reply, bytes) = get(fd, level, name, length);
    if reply.value == 0 { bytes } else { Vec::new() }
}

pub(super) fn getsockopt(host: &Host, fd: i64, option: &SocketOption, length: i64, text: bool) -> Result<Job, Stop> {
    let fd = host.fd(fd);
    let (level, name) = place(option)?;
    let length = match length {
        0 => ROOM,
        length => usize::try_from(length).unwrap_or(ROOM).min(ROOM),
    };
    Ok(Box::new(move || {
        let (reply, bytes) = get(fd, level, name, length);
        reply.with(if text { Memory::Text(text_of(&bytes)) } else { Memory::Number(number_of(&bytes)) })
    }))
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.split(|&byte| byte == 0).next().unwrap_or_default()).into_owned()
}

/// A number of 8 bytes, or else of at most 4.
fn number_of(bytes: &[u8]) -> i64 {
    let mut number = [0; 8];
    let length = bytes.len().min(8);
    number[..length].copy_from_slice(&bytes[..length]);
    let number = i64::from_ne_bytes(number);
    if length == 8 { number } else { i64::from(number as i32) }
}

pub(super) fn fcntl(host: &Host, fd: i64, command: i64, argument: i64) -> Result<Job, Stop> {
    let fd = host.fd(fd);
    job(move || {
        // SAFETY: the commands that scripts can name take numbers.
        unsafe { libc::fcntl(fd, command as i32, argument as libc::c_long) }.into()
    })
}

pub(super) fn ioctl(host: &Host, fd: i64, request: i64) -> Result<Job, Stop> {
    if ![INQ, OUTQ, OUTQNSD].contains(&request) {
        return Stop::unsupported(format!("ioctl {request:#x}"));
    }
    let fd = host.fd(fd);
    Ok(Box::new(move || {
        let mut number = 0i32;
        // SAFETY: these requests write one `int`.
        let value = unsafe { libc::ioctl(fd, request as _, &raw mut number) };
        Reply::of(value.into()).with(Memory::Number(number.into()))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_as_long_as_the_script_says() {
        assert_eq!(bytes_of(&Value::Number(4), 1), Ok(vec![4, 0, 0, 0]));
        assert_eq!(bytes_of(&Value::Number(-1), 8), Ok(vec![255; 8]));
        assert_eq!(bytes_of(&Value::Text(String::new()), 3), Ok(vec![0; 3]));
        assert_eq!(bytes_of(&Value::Linger(1, 5), 8), Ok(vec![1, 0, 0, 0, 5, 0, 0, 0]));
        assert!(bytes_of(&Value::Structure, 8).is_err());
    }

    #[test]
    fn an_option_is_read_as_the_script_expects() {
        assert_eq!(text_of(b"cubic\0\0\x01"), "cubic");
        assert_eq!(number_of(&(-1i32).to_ne_bytes()), -1);
        assert_eq!(number_of(&(1i64 << 40).to_ne_bytes()), 1 << 40);
        assert_eq!(number_of(&[7]), 7);
    }
}
