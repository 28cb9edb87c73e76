//! The receiving half: what has arrived, when to acknowledge, what to report.

mod reassembly;

use crate::segment::{MAX_SACK_BLOCKS, SackBlock, Segment};
use crate::{Config, Info, NEVER, Nanos};
use reassembly::Reassembly;

/// The receiving half of an endpoint. Stream offsets; the peer's FIN occupies the offset after its last byte.
pub(crate) struct Receiver {
    stream: Reassembly,
    /// Offset of the peer's FIN, once a segment brought it.
    fin: Option<u64>,
    /// Stream bytes the application has consumed.
    read: u64,
    buffer: u64,
    /// The advertised right edge, which never moves back (RFC 9293 section 3.8.6).
    edge: u64,
    /// The shift of our window field.
    scale: u8,
    sack: bool,
    /// In-order bytes not yet acknowledged.
    pending: u64,
    /// Largest segment seen: what "full-sized" means (RFC 5681 section 4.2).
    largest: u32,
    ack_now: bool,
    delayed_at: Nanos,
    delay: Nanos,
    ack_every: u32,
    quick_acks: u32,
    quick_left: u32,
    last_arrival: Nanos,
    /// The largest window to offer.
    clamp: u64,
}

/// The window scale that lets the window field hold `buffer` bytes (RFC 7323 section 2.3: at most 14).
pub(crate) fn window_scale(buffer: u64) -> u8 {
    let bits = u64::BITS - (buffer >> 16).leading_zeros();
    bits.min(14) as u8
}

impl Receiver {
    pub fn new(config: &Config) -> Receiver {
        Receiver {
            stream: Reassembly::default(),
            fin: None,
            read: 0,
            buffer: config.receive_buffer,
            edge: config.receive_buffer,
            scale: 0,
            sack: false,
            pending: 0,
            largest: 0,
            ack_now: false,
            delayed_at: NEVER,
            delay: config.delayed_ack,
            ack_every: config.ack_every,
            quick_acks: config.quick_acks,
            quick_left: config.quick_acks,
            last_arrival: 0,
            clamp: u64::MAX,
        }
    }

    /// The handshake is over: whether SACK is in use, and the shift of our window field.
    pub fn establish(&mut self, now: Nanos, sack: bool, scale: u8) {
        self.sack = sack;
        self.scale = scale;
        self.edge = u64::from(self.syn_window());
        self.last_arrival = now;
    }

    /// The next offset expected, a received FIN included.
    #[inline]
    pub fn next(&self) -> u64 {
        let next = self.stream.next();
        next + u64::from(self.fin == Some(next))
    }

    /// Stream bytes received in order.
    #[inline]
    pub fn received(&self) -> u64 {
        self.stream.next()
    }

    /// Whether the peer's FIN and all before it has arrived.
    #[inline]
    pub fn finished(&self) -> bool {
        self.fin == Some(self.stream.next())
    }

    /// The offset after the last one we have offered to take.
    #[inline]
    pub fn edge(&self) -> u64 {
        self.edge
    }

    /// Takes the payload `[start, start + len)`, and a FIN after it. `idle` is the gap in arrivals after which quick
    /// acknowledgment starts anew.
    pub fn on_data(&mut self, now: Nanos, start: u64, len: u32, fin: bool, idle: Nanos) {
        let end = (start + u64::from(len)).min(self.edge);
        let had_gap = self.stream.has_gap();
        let before = self.stream.next();
        if now - self.last_arrival > idle {
            self.quick_left = self.quick_acks;
        }
        self.last_arrival = now;
        self.largest = self.largest.max(len);
        let fresh = self.stream.insert(start, end);
        if fin && end == start + u64::from(len) {
            self.fin = Some(end);
        }
        let arrived = self.stream.next() - before;
        self.pending += arrived;
        if !fresh && !fin {
            // A duplicate: say so at once (RFC 9293 section 3.10.7.4).
            self.ack_now = true;
            return;
        }
        // RFC 5681 section 4.2: at once for what is out of order and for what fills a gap; else at least every second segment.
        let due = self.pending >= u64::from(self.ack_every) * u64::from(self.largest);
        let quick = self.quick_left > 0;
        self.quick_left = self.quick_left.saturating_sub(1);
        if had_gap || self.stream.has_gap() || fin || quick || due || self.delay == 0 {
            self.ack_now = true;
        } else if self.delayed_at == NEVER {
            self.delayed_at = now + self.delay;
        }
    }

    /// An ACK is owed at once: an unacceptable segment arrived.
    pub fn owe_ack(&mut self) {
        self.ack_now = true;
    }

    /// The application consumed `bytes`. A window that was nearly shut and now opens is announced at once.
    pub fn read(&mut self, bytes: u64) {
        self.read = (self.read + bytes).min(self.stream.next());
        let open = self.edge - self.stream.next().min(self.edge);
        let gain = (self.read + self.buffer).saturating_sub(self.edge);
        let step = u64::from(self.largest).max(1);
        if open < 2 * step && gain >= (self.buffer / 2).min(step) {
            self.ack_now = true;
        }
    }

    /// Stream bytes that the application has not consumed.
    pub fn unread(&self) -> u64 {
        self.stream.next() - self.read
    }

    /// The buffer from now on, bytes.
    pub fn set_buffer(&mut self, bytes: u64) {
        self.buffer = bytes;
    }

    /// The largest window to offer from now on, bytes.
    pub fn set_clamp(&mut self, bytes: u64) {
        self.clamp = bytes;
    }

    /// Acknowledges at once for now, or no longer.
    pub fn set_quick_ack(&mut self, on: bool) {
        self.quick_left = if on { self.quick_acks.max(1) } else { 0 };
        self.ack_now |= on && self.pending > 0;
    }

    /// Fills in the receiver's part of `info`.
    pub fn report(&self, now: Nanos, info: &mut Info) {
        info.last_data_recv = now.saturating_sub(self.last_arrival);
        info.rcv_wscale = self.scale;
        info.ato = self.delay;
        info.rcv_mss = self.largest;
        info.bytes_received = self.stream.next();
        info.rcv_wnd = self.edge - self.stream.next();
        info.rcv_ssthresh = self.buffer.min(u64::from(u32::MAX)) as u32;
    }

    /// When a delayed acknowledgment is due.
    #[inline]
    pub fn delayed_at(&self) -> Nanos {
        self.delayed_at
    }

    /// The delayed-ACK timer may have expired.
    pub fn on_timeout(&mut self, now: Nanos) {
        if self.delayed_at <= now {
            self.ack_now = true;
            self.delayed_at = NEVER;
        }
    }

    /// The connection is over: nothing is owed any more.
    pub fn stop(&mut self) {
        self.ack_now = false;
        self.delayed_at = NEVER;
    }

    /// Whether an ACK is owed now.
    #[inline]
    pub fn owes_ack(&self) -> bool {
        self.ack_now
    }

    /// Writes the receiver's part into an outgoing segment: window and SACK blocks; whatever it owed is paid. `wire` turns a
    /// stream offset of the peer into its sequence number.
    #[inline]
    pub fn fill(&mut self, segment: &mut Segment, wire: impl Fn(u64) -> u32) {
        segment.window = self.window_field();
        if self.sack && self.stream.has_gap() {
            let mut count = 0;
            for (start, end) in self.stream.recent().take(MAX_SACK_BLOCKS) {
                segment.sack[count] = SackBlock { start: wire(start), end: wire(end) };
                count += 1;
            }
            segment.sack_count = count as u8;
        }
        self.ack_now = false;
        self.delayed_at = NEVER;
        self.pending = 0;
    }

    fn window_field(&mut self) -> u16 {
        let next = self.stream.next();
        let offer = self.edge.max(self.read + self.buffer.min(self.clamp)) - next;
        let field = (offer >> self.scale).min(u64::from(u16::MAX));
        self.edge = self.edge.max(next + (field << self.scale));
        field as u16
    }

    /// The window field of a SYN, which is never scaled (RFC 7323 section 2.2).
    pub fn syn_window(&self) -> u16 {
        self.buffer.min(u64::from(u16::MAX)) as u16
    }
}
