//! Less than a full segment: Nagle's rule, corking, and the sender's silly-window avoidance.

use super::Sender;
use crate::config::Config;

/// What holds back a segment that is not full.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Small {
    /// The largest window the peer has offered, bytes.
    pub largest_window: u64,
    /// Nagle's rule (RFC 9293 section 3.7.4).
    pub nagle: bool,
    /// Minshall's variant: only while a segment that was not full is outstanding.
    pub minshall: bool,
    /// Held back until it is full.
    pub cork: bool,
    /// The last write said that more follows, and no acknowledgment has arrived since (Linux looks at the flag of a write
    /// only until then).
    pub more: bool,
    /// The last write said that more follows, so that its end is no reason for PSH.
    pub unmarked: bool,
    /// The segment that leaves next carries PSH, having waited too long.
    pub push_next: bool,
    /// The override timer expired: one segment goes as far as the window allows.
    pub overridden: bool,
    /// Offset after the last segment that was sent and not full.
    pub last: u64,
}

impl Small {
    pub fn new(config: &Config) -> Small {
        Small {
            nagle: config.nagle,
            minshall: config.minshall,
            cork: false,
            more: false,
            unmarked: false,
            push_next: false,
            overridden: false,
            last: 0,
            largest_window: 0,
        }
    }
}

impl Sender {
    /// Whether a segment of `len` payload bytes, less than a full one, must wait although the window has room for it.
    /// `last` is whether it empties the send queue; only such a segment can grow by waiting.
    pub(super) fn waits_to_fill(&self, last: bool) -> bool {
        if !last || self.closed || self.small.overridden {
            return false;
        }
        if self.small.cork || self.small.more {
            return true;
        }
        let outstanding = if self.small.minshall { self.small.last > self.una } else { self.flight_size() > 0 };
        self.small.nagle && outstanding
    }

    /// How much of `len` bytes leaves through a window that has room for `open` only; 0 for nothing
    /// (RFC 9293 section 3.8.6.2.1: all that is left of at least half of the largest window).
    #[inline]
    pub(super) fn through_window(&self, open: u64) -> u64 {
        if open > 0 && (self.small.overridden || open >= self.small.largest_window / 2) { open } else { 0 }
    }

    /// Whether Nagle's rule applies (off with TCP_NODELAY). Turned off, what waits goes, even with a cork.
    pub fn set_nagle(&mut self, on: bool) {
        self.small.nagle = on;
        self.small.overridden |= !on && self.nxt < self.end();
    }

    /// Whether segments wait until they are full (TCP_CORK). Taking the cork out lets go what waits, where Nagle's rule does.
    pub fn set_cork(&mut self, on: bool) {
        if self.small.cork && !on {
            self.small.more = false;
            self.small.overridden |= !self.small.nagle && self.nxt < self.end();
        }
        self.small.cork = on;
    }

    /// Whether there is something to send, nothing is outstanding, and neither the congestion window nor the pacer is why
    /// it stays: the peer's window is shut or too small, or the application holds it back.
    #[inline]
    pub fn is_stuck(&self) -> bool {
        self.nxt < self.end() && self.una == self.nxt && !self.pacing
    }

    /// The largest window the peer has offered, bytes (MAX.SND.WND of RFC 5961).
    pub fn largest_window(&self) -> u64 {
        self.small.largest_window
    }

    /// Whether there is nothing to send and nothing outstanding.
    pub fn is_idle(&self) -> bool {
        self.una == self.end()
    }

    /// Whether the peer's window has any room.
    pub fn has_room(&self) -> bool {
        self.window_edge > self.nxt
    }

    /// What waits to become a full segment, or for a window that takes it, goes as far as it may.
    pub fn override_wait(&mut self) {
        self.small.overridden = true;
        self.small.push_next = true;
    }
}
