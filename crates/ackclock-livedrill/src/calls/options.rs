//! `setsockopt`, `getsockopt`, `fcntl` and `ioctl`.

use std::os::fd::RawFd;

use super::{Arguments, compare, plain};
use crate::live::Live;
use crate::names;
use crate::system::Reply;
use crate::worker::Job;
use ackclock_drill::Stop;
use ackclock_drill::ast::Expr;
use ackclock_drill::calls::{Answer, eval, field};

/// Length of the memory for an option, bytes.
const ROOM: usize = 256;
const SO_MEMINFO: i32 = 55;

/// The bytes of an option's value.
fn value(expr: &Expr, length: usize) -> Result<Vec<u8>, Stop> {
    let mut bytes = match expr {
        Expr::Text(text) => match ackclock_drill::bytes_of_text(text) {
            Some(bytes) => bytes,
            None => return Stop::unsupported(format!("the escapes of \"{text}\"")),
        },
        Expr::Struct(parts) => linger(parts)?,
        Expr::Ellipsis => Vec::new(),
        number => {
            let number = eval(number)?;
            if length > 4 { number.to_ne_bytes().to_vec() } else { (number as i32).to_ne_bytes().to_vec() }
        }
    };
    // The kernel reads as many bytes as the script says.
    bytes.resize(length.max(bytes.len()).max(1), 0);
    Ok(bytes)
}

/// `{onoff=1, linger=5}` as `struct linger`.
fn linger(parts: &[Expr]) -> Result<Vec<u8>, Stop> {
    let number = |names: [&str; 2]| match names.iter().find_map(|name| field(parts, name)) {
        Some(value) => eval(value),
        None => Stop::unsupported("structures other than {onoff=1, linger=0} of setsockopt"),
    };
    let numbers = [number(["onoff", "l_onoff"])?, number(["linger", "l_linger"])?];
    Ok(numbers.iter().flat_map(|&number| (number as i32).to_ne_bytes()).collect())
}

pub(super) fn setsockopt(live: &mut Live, arguments: &Arguments<'_>) -> Result<Job, Stop> {
    let fd = arguments.fd(live, 0)?;
    let (level, name) = (arguments.int(1)? as i32, names::option(arguments.get(2)?)? as i32);
    let length = arguments.length(4)?;
    let bytes = value(arguments.get(3)?, length)?;
    Ok(Box::new(move || {
        // SAFETY: the buffer has at least the length.
        #[expect(unsafe_code, reason = "the calls of a script are made as they are")]
        let value = unsafe { libc::setsockopt(fd, level, name, bytes.as_ptr().cast(), length as u32) };
        Reply::of(value.into(), Vec::new())
    }))
}

fn get(fd: RawFd, level: i32, name: i32, length: usize) -> Reply {
    let mut bytes = vec![1u8; length];
    let mut length = length as u32;
    // SAFETY: the buffer has the length, and both live until the call returns.
    #[expect(unsafe_code, reason = "the calls of a script are made as they are")]
    let value = unsafe { libc::getsockopt(fd, level, name, bytes.as_mut_ptr().cast(), &raw mut length) };
    let reply = Reply::of(value.into(), Vec::new());
    bytes.truncate(length as usize);
    Reply { memory: vec![bytes], ..reply }
}

/// The bytes of `tcp_info`; empty for a descriptor that is none of TCP.
pub fn tcp_info(fd: RawFd) -> Vec<u8> {
    let reply = get(fd, libc::IPPROTO_TCP, libc::TCP_INFO, 512);
    if reply.value == 0 { reply.memory.into_iter().next().unwrap_or_default() } else { Vec::new() }
}

/// The bytes of SO_MEMINFO; empty for a descriptor that is no socket.
pub fn memory_info(fd: RawFd) -> Vec<u8> {
    let reply = get(fd, libc::SOL_SOCKET, SO_MEMINFO, 64);
    if reply.value == 0 { reply.memory.into_iter().next().unwrap_or_default() } else { Vec::new() }
}

pub(super) fn getsockopt(live: &mut Live, arguments: &Arguments<'_>) -> Result<Job, Stop> {
    let fd = arguments.fd(live, 0)?;
    let (level, name) = (arguments.int(1)? as i32, names::option(arguments.get(2)?)? as i32);
    let length = match arguments.optional(4)? {
        0 => ROOM,
        length => usize::try_from(length).unwrap_or(ROOM).min(ROOM),
    };
    Ok(Box::new(move || get(fd, level, name, length)))
}

pub(super) fn got_option(live: &mut Live, arguments: &Arguments<'_>, reply: &Reply) -> Result<Answer, Stop> {
    let answer = plain(live, arguments, reply)?;
    if reply.value == -1 {
        return Ok(answer);
    }
    let bytes = &reply.memory[0];
    match arguments.get(3)? {
        Expr::Ellipsis => {}
        Expr::Text(expected) => {
            let actual = String::from_utf8_lossy(bytes.split(|&byte| byte == 0).next().unwrap_or_default());
            if actual != *expected {
                return Stop::fail(format!("the option is \"{actual}\" instead of \"{expected}\""));
            }
        }
        Expr::Struct(_) => return Stop::unsupported("structures of getsockopt"),
        expected => {
            let mut number = [0; 8];
            let length = bytes.len().min(8);
            number[..length].copy_from_slice(&bytes[..length]);
            let actual = match length {
                8 => i64::from_ne_bytes(number),
                _ => i64::from(i64::from_ne_bytes(number) as i32),
            };
            compare("the option", Some(expected), actual)?;
        }
    }
    Ok(answer)
}

pub(super) fn fcntl(live: &mut Live, arguments: &Arguments<'_>) -> Result<Job, Stop> {
    let fd = arguments.fd(live, 0)?;
    let (command, argument) = (arguments.int(1)? as i32, arguments.optional(2)? as libc::c_long);
    Ok(Box::new(move || {
        // SAFETY: the commands that scripts can name take numbers.
        #[expect(unsafe_code, reason = "the calls of a script are made as they are")]
        let value = unsafe { libc::fcntl(fd, command, argument) };
        Reply::of(value.into(), Vec::new())
    }))
}

pub(super) fn ioctl(live: &mut Live, arguments: &Arguments<'_>) -> Result<Job, Stop> {
    let fd = arguments.fd(live, 0)?;
    let request = arguments.int(1)?;
    if !["SIOCINQ", "SIOCOUTQ", "SIOCOUTQNSD"].iter().any(|name| ackclock_drill::symbols::value(name) == Some(request))
    {
        return Stop::unsupported(format!("ioctl {request:#x}"));
    }
    Ok(Box::new(move || {
        let mut number = 0i32;
        // SAFETY: these requests write one `int`.
        #[expect(unsafe_code, reason = "the calls of a script are made as they are")]
        let value = unsafe { libc::ioctl(fd, request as _, &raw mut number) };
        Reply::of(value.into(), vec![number.to_ne_bytes().to_vec()])
    }))
}

pub(super) fn controlled(live: &mut Live, arguments: &Arguments<'_>, reply: &Reply) -> Result<Answer, Stop> {
    if reply.value == 0 {
        let actual = i32::from_ne_bytes(reply.memory[0][..4].try_into().expect("four bytes"));
        compare("ioctl's number", Some(arguments.get(2)?), actual.into())?;
    }
    plain(live, arguments, reply)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_as_long_as_the_script_says() {
        assert_eq!(value(&Expr::Int(4), 1), Ok(vec![4, 0, 0, 0]));
        assert_eq!(value(&Expr::Int(-1), 8), Ok(vec![255; 8]));
        assert_eq!(value(&Expr::Text(String::new()), 3), Ok(vec![0; 3]));
        let parts = [("onoff", 1), ("linger", 5)]
            .map(|(name, number)| Expr::Field(name.to_owned(), None, Box::new(Expr::Int(number))));
        assert_eq!(value(&Expr::Struct(parts.to_vec()), 8), Ok(vec![1, 0, 0, 0, 5, 0, 0, 0]));
        assert!(value(&Expr::Struct(Vec::new()), 8).is_err());
    }
}
