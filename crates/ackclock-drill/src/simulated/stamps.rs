//! SO_TIMESTAMPING: the times at which written data were handed to the device, were sent, and were acknowledged (Linux
//! Documentation/networking/timestamping.rst). Only the last byte of a write is tracked.

use std::collections::VecDeque;

use crate::symbols::{
    STAMP_OPT_ID, STAMP_OPT_ID_TCP, STAMP_OPT_TSONLY, STAMP_SOFTWARE, STAMP_TX_ACK, STAMP_TX_SCHED, STAMP_TX_SOFTWARE,
    TSTAMP_ACK, TSTAMP_SCHED, TSTAMP_SND,
};
use ackclock_tcp::Nanos;

/// All supported flags.
pub const KNOWN: i64 = STAMP_TX_SOFTWARE
    | STAMP_SOFTWARE
    | STAMP_OPT_ID
    | STAMP_TX_SCHED
    | STAMP_TX_ACK
    | STAMP_OPT_TSONLY
    | STAMP_OPT_ID_TCP;

/// A notification.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp {
    /// Time of the event.
    pub at: Nanos,
    /// Kind of the event: [`TSTAMP_SND`], [`TSTAMP_SCHED`] or [`TSTAMP_ACK`].
    pub what: i64,
    /// Number of the last byte of the write.
    pub key: u64,
}

/// The notifications of a connection.
#[derive(Clone, Debug, Default)]
pub struct Stamps {
    /// Value of SO_TIMESTAMPING.
    pub flags: i64,
    /// Byte from which keys are counted.
    base: u64,
    /// Ends of writes that have not been sent, and of writes that have not been acknowledged.
    leaving: VecDeque<u64>,
    unacked: VecDeque<u64>,
    /// Notifications to be read from the error queue.
    pub done: VecDeque<Stamp>,
}

impl Stamps {
    /// Sets SO_TIMESTAMPING when `acked` of `written` bytes are acknowledged.
    pub fn set(&mut self, flags: i64, acked: u64, written: u64) {
        if flags & STAMP_OPT_ID != 0 && self.flags & STAMP_OPT_ID == 0 {
            self.base = if flags & STAMP_OPT_ID_TCP != 0 { written } else { acked };
        }
        self.flags = flags;
    }

    /// Records a write that ends at `end`; `sent` is whether that byte has already been sent, which then gives no
    /// notification.
    pub fn on_write(&mut self, end: u64, sent: bool) {
        if self.flags & (STAMP_TX_SCHED | STAMP_TX_SOFTWARE) != 0 && !sent {
            self.leaving.push_back(end);
        }
        if self.flags & STAMP_TX_ACK != 0 {
            self.unacked.push_back(end);
        }
    }

    /// Records that bytes up to `sent` have been sent.
    pub fn on_sent(&mut self, now: Nanos, sent: u64) {
        while let Some(&end) = self.leaving.front().filter(|&&end| end <= sent) {
            self.leaving.pop_front();
            for (flag, what) in [(STAMP_TX_SCHED, TSTAMP_SCHED), (STAMP_TX_SOFTWARE, TSTAMP_SND)] {
                if self.flags & flag != 0 {
                    self.notify(now, what, end);
                }
            }
        }
    }

    /// Records that bytes up to `acked` are acknowledged. Returns whether this adds a notification.
    pub fn on_acked(&mut self, now: Nanos, acked: u64) -> bool {
        let before = self.done.len();
        while let Some(&end) = self.unacked.front().filter(|&&end| end <= acked) {
            self.unacked.pop_front();
            self.notify(now, TSTAMP_ACK, end);
        }
        self.done.len() > before
    }

    fn notify(&mut self, at: Nanos, what: i64, end: u64) {
        let key = if self.flags & STAMP_OPT_ID != 0 { end - 1 - self.base.min(end - 1) } else { 0 };
        self.done.push_back(Stamp { at, what, key });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_counted_from_where_the_option_was_set() {
        for (flags, key) in [
            (STAMP_TX_ACK, 0),
            (STAMP_TX_ACK | STAMP_OPT_ID, 199),
            (STAMP_TX_ACK | STAMP_OPT_ID | STAMP_OPT_ID_TCP, 99),
        ] {
            let mut stamps = Stamps::default();
            stamps.set(flags, 100, 200);
            stamps.on_write(300, false);
            assert!(!stamps.on_acked(7, 299) && stamps.on_acked(8, 300));
            assert_eq!(stamps.done, [Stamp { at: 8, what: TSTAMP_ACK, key }]);
        }
    }

    #[test]
    fn a_write_that_was_already_sent_is_only_acknowledged() {
        let mut stamps = Stamps::default();
        stamps.set(STAMP_TX_SCHED | STAMP_TX_SOFTWARE | STAMP_TX_ACK, 0, 0);
        stamps.on_write(100, true);
        stamps.on_write(200, false);
        stamps.on_sent(5, 200);
        stamps.on_acked(6, 200);
        let whats: Vec<i64> = stamps.done.iter().map(|stamp| stamp.what).collect();
        assert_eq!(whats, [TSTAMP_SCHED, TSTAMP_SND, TSTAMP_ACK, TSTAMP_ACK]);
    }
}
