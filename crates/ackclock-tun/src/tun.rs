//! A TUN device: IP packets in and out of the kernel (Linux Documentation/networking/tuntap.rst).

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags};
use rustix::io::{Errno, read, write};
use rustix::ioctl::{Setter, ioctl, opcode};

/// Maximum length of an interface's name, including the final zero byte.
const NAME: usize = 16;
/// `IFF_TUN | IFF_NO_PI`: packets begin with their IP header.
const FLAGS: i16 = 0x0001 | 0x1000;
const TUNSETIFF: rustix::ioctl::Opcode = opcode::write::<i32>(b'T', 202);

/// `struct ifreq` as TUNSETIFF reads it.
#[repr(C)]
struct Request {
    name: [u8; NAME],
    flags: i16,
    rest: [u8; 22],
}

/// A TUN device that this process is attached to. Reads and writes do not block.
pub struct Tun {
    fd: OwnedFd,
}

impl Tun {
    /// Attaches to the device with this name. A device that does not exist is created and removed with this value.
    ///
    /// # Errors
    /// The system's error: no `/dev/net/tun`, no permission to use it, or a device in use.
    pub fn attach(name: &str) -> io::Result<Tun> {
        let mut request = Request { name: [0; NAME], flags: FLAGS, rest: [0; 22] };
        if name.is_empty() || name.len() >= NAME {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the name of a device has 1 to 15 bytes"));
        }
        request.name[..name.len()].copy_from_slice(name.as_bytes());
        let flags = OFlags::RDWR | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let fd = rustix::fs::open("/dev/net/tun", flags, Mode::empty())?;
        // SAFETY: TUNSETIFF takes a pointer to a `struct ifreq`; `Request` has its layout and its 40 bytes. TUNSETIFF
        // does not write beyond them, and `Setter` passes a pointer to a value that outlives the call.
        #[expect(unsafe_code, reason = "attaching to a device is a system call that nothing safe makes")]
        unsafe {
            ioctl(&fd, Setter::<TUNSETIFF, Request>::new(request))?;
        }
        Ok(Tun { fd })
    }

    /// Reads a packet into `buffer`; `None` if there is none now.
    ///
    /// # Errors
    /// The system's error, for example if the device is down.
    pub fn receive<'a>(&self, buffer: &'a mut [u8]) -> io::Result<Option<&'a [u8]>> {
        match read(&self.fd, &mut *buffer) {
            Ok(len) => Ok(Some(&buffer[..len])),
            Err(Errno::AGAIN | Errno::INTR) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes a packet. Returns whether the device accepted the packet; a device without room drops it, as networks do.
    ///
    /// # Errors
    /// The system's error, for example if the device is down.
    pub fn send(&self, packet: &[u8]) -> io::Result<bool> {
        match write(&self.fd, packet) {
            Ok(_) => Ok(true),
            Err(Errno::AGAIN | Errno::NOBUFS | Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

impl AsFd for Tun {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}
