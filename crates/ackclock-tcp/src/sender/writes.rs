//! The application's writes of a limited size, each of which TCP sends as far as it can before the next one.

use super::Sender;
use crate::Push;

/// Data and the close that the application still has to hand over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Writes {
    /// Largest number of bytes of a write; 0 for any number.
    size: u64,
    /// Bytes not yet written.
    left: u64,
    /// Whether the application closes after its last write.
    closing: bool,
}

impl Writes {
    pub fn new(size: u64) -> Writes {
        Writes { size, left: 0, closing: false }
    }

    /// Whether the application has asked for the close, which follows its last write.
    #[inline]
    pub fn closing(&self) -> bool {
        self.closing
    }

    /// Bytes not yet written.
    #[inline]
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Largest number of bytes of a write; 0 for any number.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Takes `bytes` that are now written.
    pub fn take(&mut self, bytes: u64) {
        self.left -= bytes;
    }
}

impl Sender {
    /// Takes `bytes` from the application, the first write at once.
    pub(super) fn append(&mut self, bytes: u64) {
        if self.queue.is_some() {
            self.writes.left = self.writes.left.saturating_add(bytes);
            self.fill();
            return self.note_writing();
        }
        if self.writes.size == 0 {
            self.written = self.written.saturating_add(bytes);
            self.look_again();
            return;
        }
        let idle = self.nxt >= self.written && self.writes.left == 0;
        self.writes.left = self.writes.left.saturating_add(bytes);
        if idle {
            self.write_next();
        }
        self.note_writing();
    }

    pub(super) fn note_writing(&mut self) {
        self.writing = self.writes.left > 0 || self.writes.closing;
    }

    fn write_next(&mut self) {
        let bytes = self.writes.left.min(self.writes.size);
        self.writes.left -= bytes;
        self.written = self.written.saturating_add(bytes);
        self.look_again();
    }

    /// Forgets data that the application has not yet written.
    pub(super) fn forget_writes(&mut self) {
        self.writes.left = 0;
        self.forget_write();
        self.note_writing();
    }

    /// Marks the end of the stream: the application writes no more data.
    pub fn close(&mut self) {
        self.look_again();
        if self.writes.size == 0 && self.writes.left == 0 {
            self.closed = true;
        } else {
            self.writes.closing = !self.closed;
            self.note_writing();
        }
    }

    /// Lets the application write again, or close, when no segment can be sent at present. Returns whether it did so and
    /// a segment may therefore be due.
    ///
    /// Where a window or the pacer delays data, the application goes on writing into the send buffer; all of that data is
    /// there before the next segment leaves.
    #[inline]
    pub fn take_next_write(&mut self) -> bool {
        self.writing && self.take_write()
    }

    #[inline(never)]
    fn take_write(&mut self) -> bool {
        if self.queue.is_some() && self.writes.left > 0 {
            return self.write_into_queue();
        }
        let unsent = self.unsent();
        let delayed = self.pacing || unsent >= self.mss || unsent > 0 && !self.waits_to_fill(true);
        if delayed {
            self.written = self.written.saturating_add(self.writes.left);
            self.writes.left = 0;
        } else if self.writes.left > 0 {
            self.begin_output(Push::Now);
            self.write_next();
            self.note_writing();
            return true;
        }
        if std::mem::take(&mut self.writes.closing) {
            self.closed = true;
            self.look_again();
        }
        self.note_writing();
        !delayed
    }
}
