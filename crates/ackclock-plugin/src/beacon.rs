//! A file that tells which call to code of the user is in progress, for the process that waits for this one.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use memmap2::MmapMut;

/// Size of the file, in bytes.
const SIZE: usize = 4096;

/// The file, mapped into memory: another process reads it, whatever becomes of this one.
///
/// It has the length of a text as two bytes, little-endian, and the text: the name of the stack, that of the flow, the
/// call and the time in ns, with tabs between them. The text is empty between calls.
#[derive(Debug)]
pub struct Beacon(Mutex<MmapMut>);

impl Beacon {
    /// Opens the file at a path, which is created or overwritten.
    ///
    /// # Errors
    /// If the file cannot be written or mapped.
    pub fn open(path: &Path) -> io::Result<Beacon> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        file.set_len(SIZE as u64)?;
        #[expect(unsafe_code, reason = "a file that is mapped into memory")]
        // SAFETY: the file is shorter at no time, and only this process writes to it.
        let map = unsafe { MmapMut::map_mut(&file)? };
        Ok(Beacon(Mutex::new(map)))
    }

    /// Writes that a call is in progress.
    pub fn enter(&self, stack: &str, flow: &str, call: &str, now: u64) {
        let mut map = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut number = [0; 20];
        let parts = [stack.as_bytes(), b"\t", flow.as_bytes(), b"\t", call.as_bytes(), b"\t", digits(now, &mut number)];
        let mut end = 2;
        for part in parts {
            let part = &part[..part.len().min(SIZE - end)];
            map[end..end + part.len()].copy_from_slice(part);
            end += part.len();
        }
        map[..2].copy_from_slice(&((end - 2) as u16).to_le_bytes());
    }

    /// Writes that no call is in progress.
    pub fn leave(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)[..2].fill(0);
    }
}

/// Returns the decimal digits of a number.
fn digits(mut number: u64, buffer: &mut [u8; 20]) -> &[u8] {
    let mut at = buffer.len();
    loop {
        at -= 1;
        buffer[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return &buffer[at..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_reader_sees_the_call() {
        let path = std::env::temp_dir().join(format!("ackclock-beacon-{}", std::process::id()));
        let beacon = Beacon::open(&path).unwrap();
        let read = || {
            let bytes = std::fs::read(&path).unwrap();
            let length = u16::from_le_bytes([bytes[0], bytes[1]]) as usize;
            String::from_utf8(bytes[2..2 + length].to_vec()).unwrap()
        };
        beacon.enter("toy", "one", "receive", 1_200_000_000);
        assert_eq!(read(), "toy\tone\treceive\t1200000000");
        beacon.enter("toy", "one", "poll", 0);
        assert_eq!(read(), "toy\tone\tpoll\t0");
        beacon.leave();
        assert_eq!(read(), "");
        beacon.enter("toy", &"x".repeat(5000), "poll", u64::MAX);
        assert_eq!(read().len(), SIZE - 2);
        drop(beacon);
        std::fs::remove_file(path).unwrap();
    }
}
