//! The window that the receiver offers: its right edge, its field, and the buffer behind it.

use super::Receiver;
use super::tuning::in_units;
use crate::Nanos;

impl Receiver {
    /// Records that the application consumed `bytes`. If this opens a window that was nearly closed, an ACK is due at
    /// once.
    pub fn read(&mut self, now: Nanos, bytes: u64) {
        self.settled = None;
        let before = self.read;
        self.read = (self.read + bytes).min(self.received());
        if let Some(tuning) = &mut self.tuning {
            let looked = tuning.first_look(before, self.read);
            if tuning.on_read(now, looked, self.sequence.next() - looked) {
                self.buffer = tuning.window();
            }
        }
        if let Some(space) = &self.space {
            self.acks.due |= self.tells_of_read(space);
            return;
        }
        self.acks.on_read(self.read == self.received());
        let open = self.edge - self.received().min(self.edge);
        if self.acks.is_linux() {
            self.acks.due |= self.opens_by_read(open);
            return;
        }
        if open < 2 * u64::from(self.acks.largest).max(1) && self.wanted_edge::<false>(0) > self.edge {
            self.acks.due = true;
        }
    }

    /// The right edge that the buffer allows, and at least the edge already offered: the edge moves in steps
    /// (silly-window avoidance, RFC 9293 section 3.8.6.2.2).
    #[inline]
    fn wanted_edge<const LINUX: bool>(&self, used: u64) -> u64 {
        if let Some(space) = &self.space {
            return self.free_edge(space);
        }
        if LINUX && (self.scale == 0 || self.waiting > 0 || self.read < self.received()) {
            let free = self.free_window(used);
            let window = if self.scale == 0 { self.whole_segments(free) } else { free };
            return self.edge.max(self.sequence.next() + window);
        }
        let fin = u64::from(LINUX && self.finished());
        let mut target = self.read + fin + self.buffer.min(self.clamp);
        if let Some(tuning) = &self.tuning {
            // Data beyond a gap takes memory, too (net/ipv4/tcp_output.c, __tcp_select_window).
            let held = tuning.taken(self.sequence.held());
            target = target.saturating_sub(held).min(self.received() + fin + tuning.limit);
        }
        if LINUX {
            // net/ipv4/tcp_output.c, __tcp_select_window: only a window without a scale moves in steps.
            return self.edge.max(target);
        }
        //= https://www.rfc-editor.org/rfc/rfc7323#section-2.4
        //# The receiver MUST honor, as in window, any segment that would have been in window for any <ACK> sent by
        //# the receiver
        //= https://www.rfc-editor.org/rfc/rfc7323#section-2.4
        //# the receiver SHOULD track the actual maximum window sequence number
        if target >= self.edge + self.step() { target } else { self.edge }
    }

    /// The smallest advance of the edge: a full segment or half of the window.
    #[inline]
    pub(super) fn step(&self) -> u64 {
        let limit = self.tuning.as_ref().map_or(u64::MAX, |tuning| tuning.limit);
        u64::from(self.acks.largest).min(self.buffer.min(self.clamp).min(limit) / 2).max(1)
    }

    #[inline]
    pub(super) fn window_field(&mut self) -> u16 {
        let Some(field) = self.settled else { return self.new_window_field() };
        debug_assert!(self.repeats(field), "the window changed unnoticed");
        field
    }

    /// Whether the window field would be `field` again, without a change of anything else.
    fn repeats(&mut self, field: u16) -> bool {
        let before = (self.edge, self.waiting, self.acks);
        self.new_window_field() == field && before == (self.edge, self.waiting, self.acks)
    }

    #[inline(never)]
    fn new_window_field(&mut self) -> u16 {
        let before = (self.edge, self.waiting);
        let field = if self.acks.is_linux() { self.window_field_of::<true>() } else { self.window_field_of::<false>() };
        // The same state gives the same field again.
        if before == (self.edge, 0) {
            self.settled = Some(field);
        }
        field
    }

    /// The window field, where it is known whether the rules are those of Linux.
    #[inline]
    fn window_field_of<const LINUX: bool>(&mut self) -> u16 {
        // With Linux, the peer's FIN takes its place in the window.
        let next = if LINUX { self.sequence.next() } else { self.received() };
        let used = if LINUX { self.used() } else { 0 };
        if LINUX && self.shrinks && self.scale > 0 {
            return self.shrunk_field(next, used);
        }
        let offer = self.wanted_edge::<LINUX>(used) - next;
        if LINUX && self.is_crowded(used) {
            self.acks.end_quick();
        }
        //= https://www.rfc-editor.org/rfc/rfc7323#section-2.3
        //# MUST be right-shifted by Rcv.Wind.Shift bits
        let field = (if LINUX { self.rounded(offer, used) } else { offer }) >> self.scale;
        // A buffer smaller than the unit of the window field must not look closed forever.
        let least = || u64::from(offer > 0 && offer >= self.step());
        let field = if field == 0 { least() } else { field.min(u64::from(u16::MAX)) };
        self.offered = field << self.scale;
        self.edge = self.edge.max(next + self.offered);
        if std::mem::take(&mut self.waiting) > self.unread() {
            // The application has read since, which may open the window.
            self.acks.due |= self.opens_by_read(self.edge.saturating_sub(next));
        }
        field as u16
    }

    /// The window field of a SYN, which is never scaled (RFC 7323 section 2.2).
    //= https://www.rfc-editor.org/rfc/rfc7323#section-2.2
    //# (i.e., a <SYN> or <SYN,ACK>) MUST NOT be scaled
    pub fn syn_window(&self) -> u16 {
        in_units(self.buffer.min(self.clamp), self.first_unit).min(u64::from(u16::MAX)) as u16
    }

    /// Sets the receive buffer, bytes, and turns auto-tuning off.
    pub fn set_buffer(&mut self, bytes: u64) {
        self.settled = None;
        self.buffer = bytes;
        if let Some(tuning) = &mut self.tuning {
            tuning.fix(bytes);
            self.buffer = tuning.window();
        }
        if let Some(space) = &mut self.space {
            space.most = 0;
        }
    }

    /// Raises the receive buffer to a window of `bytes`, if it is smaller.
    pub fn widen(&mut self, bytes: u64) {
        self.settled = None;
        match &mut self.tuning {
            Some(tuning) => {
                tuning.widen(bytes);
                self.buffer = tuning.window();
            }
            None => self.buffer = self.buffer.max(bytes),
        }
    }

    /// Sets whether the offered window may shrink.
    pub fn set_shrinking(&mut self, on: bool) {
        self.settled = None;
        self.shrinks = on;
    }

    /// Sets the largest window to offer, bytes.
    pub fn set_clamp(&mut self, bytes: u64) {
        self.settled = None;
        self.clamp = bytes;
    }
}
