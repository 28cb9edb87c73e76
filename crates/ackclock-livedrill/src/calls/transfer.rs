//! The calls for reading and writing.

use std::ffi::CString;

use super::{Arguments, plain, sockets, vector};
use crate::live::Live;
use crate::system::Reply;
use crate::worker::Job;
use ackclock_drill::Stop;
use ackclock_drill::ast::Expr;
use ackclock_drill::calls::{Answer, eval};
use ackclock_drill::symbols::MSG_FASTOPEN;

pub(super) fn read(live: &mut Live, arguments: &Arguments<'_>) -> Result<Job, Stop> {
    let (fd, length) = (arguments.fd(live, 0)?, arguments.length(2)?);
    let mut memory = arguments.memory(1, length)?;
    Ok(Box::new(move || {
        // SAFETY: the buffer has the length, or its address is one that the kernel has to refuse.
        #[expect(unsafe_code, reason = "the calls of a script are made as they are")]
        let value = unsafe { libc::read(fd, memory.pointer(), length) };
        Reply::of(value as i64, Vec::new())
    }))
}

pub(super) fn recv(live: &mut Live, arguments: &Arguments<'_>) -> Result<Job, Stop> {
    let (fd, length) = (arguments.fd(live, 0)?, arguments.length(2)?);
    let flags = arguments.int(3)? as i32;
    let mut memory = arguments.memory(1, length)?;
    Ok(Box::new(move || {
        // SAFETY: the buffer has the length, or its address is one that the kernel has to refuse.
        #[expect(unsafe_code, reason = "the calls of a script are made as they are")]
        let value = unsafe { libc::recv(fd, memory.pointer(), length, flags) };
        Reply::of(value as i64, Vec::new())
    }))
}

pub(super) fn write(live: &mut Live, arguments: &Arguments<'_>) -> Result<Job, Stop> {
    let (fd, length) = (arguments.fd(live, 0)?, arguments.length(2)?);
    let mut memory = arguments.memory(1, length)?;
    Ok(Box::new(move || {
        // SAFETY: the buffer has the length, or its address is one that the kernel has to refuse.
        #[expect(unsafe_code, reason = "the calls of a script are made as they are")]
        let value = unsafe { libc::write(fd, memory.pointer(), length) };
        Reply::of(value as i64, Vec::new())
    }))
}

/// Runs `send(fd, ..., n, flags)` or `sendto(fd, ..., n, flags, ..., ...)`. A write that opens a connection names the
/// peer.
pub(super) fn send(live: &mut Live, arguments: &Arguments<'_>) -> Result<Job, Stop> {
    let (fd, length) = (arguments.fd(live, 0)?, arguments.length(2)?);
    let flags = arguments.int(3)?;
    let mut memory = arguments.memory(1, length)?;
    let to = opens(live, arguments, flags)?;
    Ok(Box::new(move || {
        let (address, size) = to.as_ref().map_or((std::ptr::null(), 0), |to| (to.as_ptr(), to.len()));
        // SAFETY: the buffer has the length, or its address is one that the kernel has to refuse; the address is as
        // long as it says, or null.
        #[expect(unsafe_code, reason = "the calls of a script are made as they are")]
        let value = unsafe { libc::sendto(fd, memory.pointer(), length, flags as i32, address.cast(), size as u32) };
        Reply::of(value as i64, Vec::new())
    }))
}

/// The address that a write with these flags needs, and notes that the write may open a connection.
pub(super) fn opens(live: &mut Live, arguments: &Arguments<'_>, flags: i64) -> Result<Option<Vec<u8>>, Stop> {
    if flags & MSG_FASTOPEN == 0 {
        return Ok(None);
    }
    if let Some(id) = arguments.socket(live, 0)? {
        sockets::begin(live, id);
    }
    Ok(Some(sockets::peer(live)))
}

/// Buffers and the `iovec`s that point to them.
pub(super) struct Buffers {
    buffers: Vec<Vec<u8>>,
}

impl Buffers {
    pub(super) fn of(expr: &Expr) -> Result<Buffers, Stop> {
        let buffers = vector(expr)?.into_iter().map(|length| vec![b'a'; length]).collect();
        Ok(Buffers { buffers })
    }

    /// Pointers that are valid as long as the buffers.
    pub(super) fn pointers(&mut self) -> Vec<libc::iovec> {
        let pointer =
            |buffer: &mut Vec<u8>| libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
        self.buffers.iter_mut().map(pointer).collect()
    }
}

pub(super) fn readv(live: &mut Live, arguments: &Arguments<'_>) -> Result<Job, Stop> {
    let fd = arguments.fd(live, 0)?;
    let mut buffers = Buffers::of(arguments.get(1)?)?;
    Ok(Box::new(move || {
        let pointers = buffers.pointers();
        // SAFETY: the pointers are to the buffers, which live until the call returns.
        #[expect(unsafe_code, reason = "the calls of a script are made as they are")]
        let value = unsafe { libc::readv(fd, pointers.as_ptr(), pointers.len() as i32) };
        Reply::of(value as i64, Vec::new())
    }))
}

pub(super) fn writev(live: &mut Live, arguments: &Arguments<'_>) -> Result<Job, Stop> {
    let fd = arguments.fd(live, 0)?;
    let mut buffers = Buffers::of(arguments.get(1)?)?;
    Ok(Box::new(move || {
        let pointers = buffers.pointers();
        // SAFETY: the pointers are to the buffers, which live until the call returns.
        #[expect(unsafe_code, reason = "the calls of a script are made as they are")]
        let value = unsafe { libc::writev(fd, pointers.as_ptr(), pointers.len() as i32) };
        Reply::of(value as i64, Vec::new())
    }))
}

/// Runs `sendfile(4, 5, [0], 1000)`, whose offset may be NULL.
pub(super) fn sendfile(live: &mut Live, arguments: &Arguments<'_>) -> Result<Job, Stop> {
    let (to, from) = (arguments.fd(live, 0)?, arguments.fd(live, 1)?);
    let mut offset = match arguments.get(2)? {
        Expr::Word(word) if word == "NULL" => None,
        expr => Some(eval(expr)?),
    };
    let length = arguments.length(3)?;
    Ok(Box::new(move || {
        let pointer = offset.as_mut().map_or(std::ptr::null_mut(), |offset| &raw mut *offset);
        // SAFETY: the pointer is null or to a number that lives until the call returns.
        #[expect(unsafe_code, reason = "the calls of a script are made as they are")]
        let value = unsafe { libc::sendfile(to, from, pointer, length) };
        Reply::of(value as i64, Vec::new())
    }))
}

pub(super) fn open(_: &mut Live, arguments: &Arguments<'_>) -> Result<Job, Stop> {
    let Expr::Text(path) = arguments.get(0)? else { return Stop::fail("open takes a path in quotes") };
    let Ok(path) = CString::new(path.as_str()) else { return Stop::fail("a path with a zero byte") };
    let flags = arguments.int(1)? as i32;
    Ok(Box::new(move || {
        // SAFETY: the path ends with a zero byte and lives until the call returns.
        #[expect(unsafe_code, reason = "the calls of a script are made as they are")]
        let value = unsafe { libc::open(path.as_ptr(), flags, 0o600) };
        Reply::of(value.into(), Vec::new())
    }))
}

pub(super) fn pipe(_: &mut Live, _: &Arguments<'_>) -> Result<Job, Stop> {
    Ok(Box::new(move || {
        let mut ends = [0i32; 2];
        // SAFETY: the array has room for two descriptors.
        #[expect(unsafe_code, reason = "the calls of a script are made as they are")]
        let value = unsafe { libc::pipe(ends.as_mut_ptr()) };
        Reply::of(value.into(), ends.iter().map(|end| end.to_ne_bytes().to_vec()).collect())
    }))
}

/// Names the ends of `pipe([5, 6])`.
pub(super) fn piped(live: &mut Live, arguments: &Arguments<'_>, reply: &Reply) -> Result<Answer, Stop> {
    let Expr::List(names) = arguments.get(0)? else { return Stop::fail("pipe takes two descriptors such as [5, 6]") };
    if names.len() != 2 {
        return Stop::fail("pipe takes two descriptors such as [5, 6]");
    }
    if reply.value == 0 {
        for (name, end) in names.iter().zip(&reply.memory) {
            let fd = i32::from_ne_bytes([end[0], end[1], end[2], end[3]]);
            live.fds.insert(eval(name)?, (fd, None));
        }
    }
    plain(live, arguments, reply)
}

pub(super) fn splice(live: &mut Live, arguments: &Arguments<'_>) -> Result<Job, Stop> {
    let (from, to) = (arguments.fd(live, 0)?, arguments.fd(live, 2)?);
    let null = Expr::Word("NULL".to_owned());
    if arguments.get(1)? != &null || arguments.get(3)? != &null {
        return Stop::unsupported("offsets of splice");
    }
    let (length, flags) = (arguments.length(4)?, arguments.int(5)? as u32);
    Ok(Box::new(move || {
        let null = std::ptr::null_mut();
        // SAFETY: splice takes numbers, and null for the offsets.
        #[expect(unsafe_code, reason = "the calls of a script are made as they are")]
        let value = unsafe { libc::splice(from, null, to, null, length, flags) };
        Reply::of(value as i64, Vec::new())
    }))
}
