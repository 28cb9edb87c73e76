//! The calls for reading and writing.

use std::ffi::CString;

use super::message::{self, Buffers};
use super::{job, length};
use crate::host::Host;
use crate::system::Reply;
use crate::worker::Job;
use ackclock_drill::Stop;
use ackclock_drill::calls::{Buffer, Data, Transfer, bytes_of_text};
use ackclock_drill::symbols::MSG_FASTOPEN;

/// A buffer of `length` bytes, or the address that is given in place of one. The bytes are touched here, because a kernel
/// in user mode cannot always do it.
fn memory(buffer: &Buffer, length: usize) -> Result<(Vec<u8>, Option<usize>), Stop> {
    let mut bytes = match buffer {
        Buffer::Any => vec![b'a'; length],
        Buffer::Text(text) => bytes_of_text(text)?,
        Buffer::Wild(address) => return Ok((Vec::new(), Some(*address as usize))),
    };
    bytes.resize(length.max(bytes.len()).max(1), 0);
    Ok((bytes, None))
}

/// Runs a call that sends or one that receives.
pub(super) fn transfer(host: &mut Host, transfer: &Transfer, sends: bool) -> Result<Job, Stop> {
    let fd = host.fd(transfer.fd);
    let to = if sends { opens(host, transfer) } else { None };
    match (&transfer.data, transfer.flags) {
        (Data::Buffer(buffer, count), flags) => {
            let length = length(*count)?;
            let (mut bytes, wild) = memory(buffer, length)?;
            job(move || {
                let (address, size) = to.as_ref().map_or((std::ptr::null(), 0), |to| (to.as_ptr().cast(), to.len()));
                let pointer = wild.map_or(bytes.as_mut_ptr().cast(), |address| address as *mut libc::c_void);
                // SAFETY: the buffer has the length, or its address is one that the kernel has to refuse; the address
                // is as long as it says, or null.
                let moved = unsafe {
                    match (sends, flags) {
                        (false, None) => libc::read(fd, pointer, length),
                        (false, Some(flags)) => libc::recv(fd, pointer, length, flags as i32),
                        (true, None) => libc::write(fd, pointer, length),
                        (true, Some(flags)) => libc::sendto(fd, pointer, length, flags as i32, address, size as u32),
                    }
                };
                moved as i64
            })
        }
        (Data::Vector(lengths), None) => {
            let mut buffers = Buffers::of(lengths)?;
            Ok(Box::new(move || {
                let pointers = buffers.pointers();
                let (first, count) = (pointers.as_ptr(), pointers.len() as i32);
                // SAFETY: the pointers are to the buffers, which live until the call returns.
                let moved =
                    unsafe { if sends { libc::writev(fd, first, count) } else { libc::readv(fd, first, count) } };
                Reply::of(moved as i64)
            }))
        }
        (Data::Vector(lengths), Some(flags)) => {
            let buffers = Buffers::of(lengths)?;
            Ok(match sends {
                true => message::sendmsg(fd, buffers, flags, to),
                false => message::recvmsg(fd, buffers, flags, host.started_real),
            })
        }
    }
}

/// The peer's address, if a write needs it because it may open a connection; takes note of that.
fn opens(host: &mut Host, transfer: &Transfer) -> Option<Vec<u8>> {
    transfer.flags.filter(|flags| flags & MSG_FASTOPEN != 0)?;
    if let Some(id) = host.socket(transfer.fd) {
        host.begin(id);
    }
    Some(host.peer())
}

pub(super) fn sendfile(host: &Host, to: i64, from: i64, mut offset: Option<i64>, bytes: i64) -> Result<Job, Stop> {
    let (to, from, length) = (host.fd(to), host.fd(from), length(bytes)?);
    job(move || {
        let pointer = offset.as_mut().map_or(std::ptr::null_mut(), |offset| &raw mut *offset);
        // SAFETY: the pointer is null or to a number that lives until the call returns.
        unsafe { libc::sendfile(to, from, pointer, length) as i64 }
    })
}

pub(super) fn open(path: &str, flags: i64) -> Result<Job, Stop> {
    let Ok(path) = CString::new(path) else { return Stop::fail("a path with a zero byte") };
    job(move || {
        // SAFETY: the path ends with a zero byte and lives until the call returns.
        unsafe { libc::open(path.as_ptr(), flags as i32, 0o600) }.into()
    })
}

pub(super) fn pipe() -> Result<Job, Stop> {
    Ok(Box::new(|| {
        let mut ends = [0i32; 2];
        // SAFETY: the array has room for two descriptors.
        let value = unsafe { libc::pipe(ends.as_mut_ptr()) };
        Reply { numbers: ends.to_vec(), ..Reply::of(value.into()) }
    }))
}

pub(super) fn splice(host: &Host, from: i64, to: i64, bytes: i64, flags: i64) -> Result<Job, Stop> {
    let (from, to, length) = (host.fd(from), host.fd(to), length(bytes)?);
    job(move || {
        let null = std::ptr::null_mut();
        // SAFETY: splice takes numbers, and null for the offsets.
        unsafe { libc::splice(from, null, to, null, length, flags as u32) as i64 }
    })
}
