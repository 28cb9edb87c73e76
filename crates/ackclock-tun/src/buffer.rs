//! The bytes of a stream, by offset.

use std::collections::VecDeque;

/// Bytes that were written and are not yet acknowledged.
#[derive(Default)]
pub struct SendBuffer {
    bytes: VecDeque<u8>,
    /// Offset of the first byte.
    start: u64,
}

impl SendBuffer {
    /// Appends bytes to the stream.
    pub fn write(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
    }

    /// Returns the number of bytes that are kept.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether no bytes are kept.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Copies the bytes from `offset` on into `out`, filling it completely.
    ///
    /// # Panics
    /// If some of these bytes are not kept.
    pub fn copy(&self, offset: u64, out: &mut [u8]) {
        let from = (offset - self.start) as usize;
        let (first, second) = self.bytes.as_slices();
        let in_first = first.len().saturating_sub(from).min(out.len());
        let (head, tail) = out.split_at_mut(in_first);
        if !head.is_empty() {
            head.copy_from_slice(&first[from..from + in_first]);
        }
        if !tail.is_empty() {
            let from = (from + in_first) - first.len();
            tail.copy_from_slice(&second[from..from + tail.len()]);
        }
    }

    /// Discards the bytes before `offset`, which are acknowledged.
    pub fn release(&mut self, offset: u64) {
        let gone = offset.saturating_sub(self.start).min(self.bytes.len() as u64);
        self.bytes.drain(..gone as usize);
        self.start += gone;
    }
}

/// Bytes that arrived and were not yet read; bytes out of order are at their places. Only the endpoint knows which
/// bytes have arrived.
pub struct ReceiveBuffer {
    ring: Box<[u8]>,
    /// Offset of the next byte to read.
    start: u64,
}

impl ReceiveBuffer {
    /// Creates a buffer for `capacity` bytes; the endpoint's window may not exceed the capacity.
    pub fn new(capacity: usize) -> ReceiveBuffer {
        ReceiveBuffer { ring: vec![0; capacity].into_boxed_slice(), start: 0 }
    }

    /// Returns the offset of the next byte to read.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Stores the bytes at their place. Bytes that were read already, and bytes that do not fit, are left out.
    pub fn put(&mut self, offset: u64, bytes: &[u8]) {
        let from = self.start.max(offset);
        let to = (self.start + self.ring.len() as u64).min(offset + bytes.len() as u64);
        if from < to {
            let bytes = &bytes[(from - offset) as usize..(to - offset) as usize];
            let at = (from % self.ring.len() as u64) as usize;
            let (head, tail) = bytes.split_at(bytes.len().min(self.ring.len() - at));
            self.ring[at..at + head.len()].copy_from_slice(head);
            self.ring[..tail.len()].copy_from_slice(tail);
        }
    }

    /// Removes the bytes up to offset `end`, all of which have arrived, and passes them on in at most two pieces.
    pub fn take(&mut self, end: u64, mut to: impl FnMut(&[u8])) {
        let len = (end - self.start) as usize;
        let at = (self.start % self.ring.len() as u64) as usize;
        let head = len.min(self.ring.len() - at);
        to(&self.ring[at..at + head]);
        to(&self.ring[..len - head]);
        self.start = end;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn byte(offset: u64) -> u8 {
        (offset * 31 + (offset >> 8)) as u8
    }

    proptest! {
        #[test]
        fn what_is_sent_is_what_was_written(steps in prop::collection::vec((0_usize..50, 0.0..1.0, 0.0..1.0), 1..60)) {
            let mut buffer = SendBuffer::default();
            let (mut written, mut acked) = (0_u64, 0_u64);
            for (more, ack, from) in steps {
                let bytes: Vec<u8> = (written..written + more as u64).map(byte).collect();
                buffer.write(&bytes);
                written += more as u64;
                let start = acked + ((written - acked) as f64 * from) as u64;
                let mut out = vec![0; (written - start) as usize];
                buffer.copy(start, &mut out);
                prop_assert_eq!(out, (start..written).map(byte).collect::<Vec<_>>());
                acked += ((written - acked) as f64 * ack) as u64;
                buffer.release(acked);
                prop_assert_eq!(buffer.len() as u64, written - acked);
            }
        }

        #[test]
        fn what_is_read_is_what_arrived(segments in prop::collection::vec((0_u64..400, 1_usize..60), 1..200)) {
            let mut buffer = ReceiveBuffer::new(97);
            let mut there = vec![false; 500];
            let mut read = Vec::new();
            for (offset, len) in segments {
                let bytes: Vec<u8> = (offset..offset + len as u64).map(byte).collect();
                buffer.put(offset, &bytes);
                let kept = buffer.start()..buffer.start() + 97;
                for at in (offset..offset + len as u64).filter(|at| kept.contains(at)) {
                    there[at as usize] = true;
                }
                let end = there.iter().position(|there| !there).unwrap() as u64;
                if end > buffer.start() {
                    buffer.take(end, |bytes| read.extend_from_slice(bytes));
                }
            }
            prop_assert_eq!(&read, &(0..read.len() as u64).map(byte).collect::<Vec<_>>());
            prop_assert_eq!(read.len() as u64, buffer.start());
        }
    }
}
