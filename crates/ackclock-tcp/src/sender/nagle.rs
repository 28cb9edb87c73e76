//! Segments that are not full: Nagle's rule, corking, and the sender's silly-window avoidance.

use super::{Sender, Transmission};
use crate::config::{Config, NagleRule};
use crate::{Nanos, Push};

/// The largest window that segments may fill, bytes: TCP_MSS_DEFAULT.
const SMALL_WINDOW: u64 = 536;

/// Conditions that delay a segment that is not full.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Small {
    /// The largest window the peer has offered, bytes.
    pub largest_window: u64,
    /// Whether Nagle's rule applies (RFC 9293 section 3.7.4).
    pub nagle: bool,
    /// The conditions of Nagle's rule.
    pub rule: NagleRule,
    /// Whether the output that goes on began with nothing outstanding, for [`NagleRule::FreeBsd`].
    pub output: Output,
    /// Whether a segment waits until it is full.
    pub cork: bool,
    /// Whether the last write announced further data and no acknowledgment has arrived since (Linux uses the flag of a
    /// write only until then).
    pub more: bool,
    /// Whether the last write announced further data, so that its end does not set PSH.
    pub unmarked: bool,
    /// Whether the next segment carries PSH, because it has waited too long.
    pub push_next: bool,
    /// Whether the override timer expired: one segment is then sent as far as the window allows.
    pub overridden: bool,
    /// Stream offset after the last segment that was sent and not full.
    pub last: u64,
    /// Stream offset after the byte of the last probe of a closed window, if probes carry a byte; 0 before.
    pub lent: u64,
}

/// The state of the sender when an output began: all segments that leave after one event, such as a write or an ACK.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Output {
    /// Data was outstanding.
    Busy,
    /// Nothing was outstanding.
    Idle,
    /// Nothing was outstanding, and the write announced further data: the next output counts as idle, too (TF_LASTIDLE).
    LastIdle,
}

impl Small {
    pub fn new(config: &Config) -> Small {
        Small {
            nagle: config.nagle,
            rule: config.nagle_rule,
            output: Output::Busy,
            cork: false,
            more: false,
            unmarked: false,
            push_next: false,
            overridden: false,
            last: 0,
            lent: 0,
            largest_window: 0,
        }
    }

    /// Ends the wait for the data that the last write announced: what it left is part of an output that begins now.
    pub fn end_more(&mut self) {
        self.more = false;
        if self.output == Output::LastIdle {
            self.output = Output::Idle;
        }
    }
}

impl Sender {
    /// Whether a segment of `len` payload bytes, less than a full one, must wait although the window has room for it.
    /// `last` is whether the segment empties the send queue; only such a segment can grow by waiting.
    pub(super) fn waits_to_fill(&self, last: bool) -> bool {
        if !last || self.closed || self.small.overridden {
            return false;
        }
        self.holds_short_segments()
    }

    /// Whether a cork, the announcement of further data or Nagle's rule holds segments back that are not full.
    pub(super) fn holds_short_segments(&self) -> bool {
        if self.small.cork || self.small.more {
            return true;
        }
        let outstanding = match self.small.rule {
            NagleRule::Rfc9293 => self.flight_size() > 0,
            NagleRule::Minshall => self.small.last > self.una,
            NagleRule::FreeBsd => {
                let len = self.unsent();
                self.small.output == Output::Busy && self.flight_size() > 0 && len < self.small.largest_window / 2
            }
        };
        self.small.nagle && outstanding
    }

    /// Takes note that the application writes, before the data is appended: an output begins.
    #[inline]
    pub(super) fn begin_output(&mut self, push: Push) {
        let idle = self.una == self.nxt || self.small.output == Output::LastIdle;
        self.small.output = match push {
            _ if !idle => Output::Busy,
            Push::More => Output::LastIdle,
            _ => Output::Idle,
        };
    }

    /// Takes note that no more data may be sent at present. An output that the pacer interrupts does not end: where segments
    /// are paced below TCP, they have all left TCP.
    #[inline]
    pub(super) fn end_output(&mut self) {
        if self.small.output == Output::Idle {
            self.small.output = Output::Busy;
        }
    }

    /// Whether small segments that Nagle's rule delays leave with an ACK that is due; they are then released.
    #[inline]
    pub fn releases_with_ack(&mut self) -> bool {
        let releases = self.small.rule == NagleRule::FreeBsd && self.nxt < self.written && !self.pacing;
        self.small.overridden |= releases;
        releases
    }

    /// Whether small segments may wait for an ACK that takes them along ([`Sender::releases_with_ack`]).
    #[inline]
    pub fn waits_for_acks(&self) -> bool {
        self.small.rule == NagleRule::FreeBsd
    }

    /// Takes back [`Sender::releases_with_ack`], where a window did not let the data out.
    pub fn retain(&mut self) {
        self.small.overridden = false;
    }

    /// Number of the bytes of a segment that may be sent into a window with room for `open` bytes only. The result is 0
    /// or `open`: at least half of the largest window (RFC 9293 section 3.8.6.2.1), in Linux the end of a packet of
    /// several segments ([`Sender::packet_leaves`]).
    #[inline]
    pub(super) fn through_window(&self, now: Nanos, open: u64) -> u64 {
        let fits = || if self.has_packets() { self.goes_on(now) } else { open >= self.small.largest_window / 2 };
        if open > 0 && (self.small.overridden || fits()) { open } else { 0 }
    }

    /// Takes note of a window that is larger than any before, `offered` bytes. Linux's segments have at most half of the
    /// largest window, unless that is tiny (include/net/tcp.h, tcp_bound_to_half_wnd).
    #[inline(never)]
    pub(super) fn on_larger_window(&mut self, offered: u64) {
        self.small.largest_window = offered;
        if !self.has_packets() {
            return;
        }
        let bound = if offered > SMALL_WINDOW { offered / 2 } else { offered };
        let mss = self.rare.full_mss.min(bound);
        if mss > 0 && mss != self.mss {
            self.resize_segments(mss);
        }
    }

    /// Turns Nagle's rule on or off (off with TCP_NODELAY). Turning the rule off releases waiting data, even with a
    /// cork.
    pub fn set_nagle(&mut self, on: bool) {
        self.small.nagle = on;
        self.look_again();
        self.small.overridden |= !on && self.nxt < self.end();
    }

    /// Turns on or off that segments wait until they are full (TCP_CORK). Removing the cork releases waiting data as
    /// far as Nagle's rule allows.
    pub fn set_cork(&mut self, on: bool) {
        self.look_again();
        if self.small.cork && !on {
            self.small.end_more();
            self.small.overridden |= !self.small.nagle && self.nxt < self.end();
        }
        self.small.cork = on;
    }

    /// Whether there is data to send, nothing is outstanding, and neither the congestion window nor the pacer delays
    /// the data: the peer's window is closed or too small, or the application holds the data back.
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
        self.una == self.end() && !self.writing
    }

    /// Whether the peer's window has any room.
    pub fn has_room(&self) -> bool {
        self.window_edge > self.nxt
    }

    /// The next byte, for a probe of a closed window. It counts as unsent until it is acknowledged.
    pub fn lend_byte(&mut self) -> Transmission {
        self.small.lent = self.nxt + 1;
        Transmission { fin: false, len: 1, ..self.transmission(self.nxt, 1, false) }
    }

    /// Takes an acknowledgment of `ack` for the byte of the last probe, if it is one: the byte counts as sent then.
    pub fn takes_lent(&mut self, now: Nanos, ack: u64) -> bool {
        if ack != self.small.lent || ack != self.nxt + 1 {
            return false;
        }
        self.board.push(self.nxt, 1, now);
        // Its time of sending is not known.
        self.board.on_extra_copy(self.nxt, now);
        self.nxt = ack;
        true
    }

    /// Releases data that waits to fill a segment, or for a larger window, as far as the window allows.
    pub fn override_wait(&mut self) {
        self.small.overridden = true;
        self.small.push_next = true;
        self.look_again();
    }
}
