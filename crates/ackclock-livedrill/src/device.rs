//! The TUN device of a script: whole packets in both directions, as large as the kernel makes them
//! (Linux Documentation/networking/tuntap.rst).

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use ackclock_drill::Stop;

/// Name of the device, which the suites' scripts use.
pub const NAME: &str = "tun0";
/// `IFF_TUN | IFF_NO_PI | IFF_VNET_HDR`: a virtio header is before each packet.
const FLAGS: i16 = 0x0001 | 0x1000 | 0x4000;
const TUNSETIFF: libc::c_ulong = 0x4004_54ca;
const TUNSETOFFLOAD: libc::c_ulong = 0x4004_54d0;
/// `TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6 | TUN_F_TSO_ECN`: the kernel leaves checksums and segmentation to the device.
const OFFLOAD: libc::c_ulong = 0x0f;
/// Length of `struct virtio_net_hdr`.
const VIRTIO: usize = 10;
const NEEDS_CHECKSUM: u8 = 1;
const SEGMENTS_V4: u8 = 1;
const SEGMENTS_V6: u8 = 4;
const SEGMENTS_ECN: u8 = 0x80;

/// `struct ifreq` as TUNSETIFF reads it.
#[repr(C)]
struct Request {
    name: [u8; 16],
    flags: i16,
    rest: [u8; 22],
}

/// Instruction to the kernel to split an arriving packet into segments.
#[derive(Clone, Copy, Debug)]
pub struct Split {
    /// Payload of a segment, bytes.
    pub mss: u16,
    /// Length of the IP header.
    pub ip: usize,
    /// Length of the IP and the TCP header.
    pub headers: usize,
    /// Whether the packet has CWR.
    pub cwr: bool,
}

/// The device.
pub struct Device {
    file: File,
    buffer: Vec<u8>,
}

impl Device {
    /// Creates the device in the namespace of the calling thread.
    ///
    /// # Errors
    /// The system's error, such as a kernel without TUN.
    pub fn new(path: &Path) -> Result<Device, Stop> {
        let failed = |error| Stop::Fail(format!("{}: {error}", path.display()));
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).custom_flags(libc::O_NONBLOCK).open(path).map_err(failed)?;
        let mut request = Request { name: [0; 16], flags: FLAGS, rest: [0; 22] };
        request.name[..NAME.len()].copy_from_slice(NAME.as_bytes());
        let failed = || Stop::Fail(format!("{}: {}", path.display(), std::io::Error::last_os_error()));
        // SAFETY: TUNSETIFF takes a pointer to a `struct ifreq`; `Request` has its layout and its 40 bytes, and lives
        // until the call returns.
        #[expect(unsafe_code, reason = "attaching to a device is a system call that nothing safe makes")]
        if unsafe { libc::ioctl(file.as_raw_fd(), TUNSETIFF, &raw mut request) } != 0 {
            return Err(failed());
        }
        // SAFETY: TUNSETOFFLOAD takes a number.
        #[expect(unsafe_code, reason = "setting the offloads is a system call that nothing safe makes")]
        if unsafe { libc::ioctl(file.as_raw_fd(), TUNSETOFFLOAD, OFFLOAD) } != 0 {
            return Err(failed());
        }
        Ok(Device { file, buffer: vec![1; VIRTIO + 65_536 + 64] })
    }

    /// Delivers a packet to the kernel.
    ///
    /// # Errors
    /// The system's error.
    pub fn deliver(&mut self, packet: &[u8], split: Option<Split>) -> Result<(), Stop> {
        let mut bytes = vec![0; VIRTIO];
        if let Some(Split { mss, ip, headers, cwr }) = split {
            bytes[0] = NEEDS_CHECKSUM;
            bytes[1] = if ip == 20 { SEGMENTS_V4 } else { SEGMENTS_V6 } | if cwr { SEGMENTS_ECN } else { 0 };
            for (at, value) in [(2, headers as u16), (4, mss), (6, ip as u16), (8, 16)] {
                bytes[at..at + 2].copy_from_slice(&value.to_ne_bytes());
            }
        }
        bytes.extend(packet);
        let written = self.file.write(&bytes).map_err(|error| Stop::Fail(format!("{NAME}: {error}")))?;
        if written == bytes.len() { Ok(()) } else { Stop::fail(format!("{NAME} took {written} bytes of a packet")) }
    }

    /// The next packet from the kernel; `None` if there is none now.
    ///
    /// # Errors
    /// The system's error.
    pub fn next(&mut self) -> Result<Option<&[u8]>, Stop> {
        match self.file.read(&mut self.buffer) {
            Ok(length) => Ok(self.buffer.get(VIRTIO..length)),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(None),
            Err(error) => Stop::fail(format!("{NAME}: {error}")),
        }
    }

    /// The descriptor, to wait for packets.
    pub fn descriptor(&self) -> RawFd {
        self.file.as_raw_fd()
    }
}
