//! The time at which data is acknowledged.

use crate::config::{AckRule, Config};
use crate::sender::Rtt;
use crate::{MILLISECOND, NEVER, Nanos};

/// The shortest delay of Linux's rule (TCP_ATO_MIN, TCP_DELACK_MIN); the longest delay of an ACK that our data may
/// carry (TCP_DELACK_MAX); and the longest delay of any ACK.
const ATO_MIN: Nanos = 40 * MILLISECOND;
const DELACK_MAX: Nanos = 200 * MILLISECOND;
//= https://www.rfc-editor.org/rfc/rfc5681#section-4.2
//# an ACK MUST NOT be delayed for more than 500 ms waiting on a second full-sized segment to arrive
const ATO_MAX: Nanos = 500 * MILLISECOND;
/// Duplicate ACKs that Linux sends at once before it compresses them (TCP_FASTRETRANS_THRESH), the most that one ACK stands
/// for (tcp_comp_sack_nr), and the longest wait: tcp_comp_sack_delay_ns, and the slack of its timer.
const DUPLICATES: u8 = 3;
const COMPRESSED: u8 = 44;
const COMPRESSION: Nanos = MILLISECOND;
const COMPRESSION_SLACK: Nanos = MILLISECOND / 10;
/// The segment size that Linux assumes before it has seen one (TCP_MSS_DEFAULT).
const FIRST_GUESS: u32 = 536;
/// The least that it assumes (TCP_MIN_MSS).
const LEAST_SEGMENT: u32 = 88;

/// Facts about arriving payload that determine its acknowledgment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrived<'a> {
    pub now: Nanos,
    /// Number of segments that arrived as one, payload bytes of the largest, and the bytes by which they advanced RCV.NXT.
    pub segments: u32,
    pub part: u32,
    pub in_order: u64,
    pub push: bool,
    /// Whether the segment carries a FIN, and whether the peer's FIN and all data before it have arrived.
    pub fin: bool,
    pub finished: bool,
    /// Whether the segment is out of order or fills a gap, and whether a gap remains that SACK blocks can tell of.
    pub urgent: bool,
    pub gap: bool,
    /// RTT estimate of our own sender.
    pub rtt: &'a Rtt,
    /// The offered window, bytes.
    pub window: u64,
    /// Whether the segment raised the limit of the offered window.
    pub grew: bool,
    /// Whether the window would be as large as at the last ACK, and whether much of the buffer waits to be read, where the
    /// segment ends beyond the window.
    pub keeps_window: bool,
    pub crowded: bool,
    /// The receiver's estimate of the round-trip time, ns.
    pub receiver_rtt: Option<Nanos>,
}

/// State of the acknowledgments of one receiver.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Acks {
    /// Whether an ACK is due at once.
    pub due: bool,
    rule: AckRule,
    /// Whether data and reads have alternated, so that an ACK can wait for data to carry it (Linux: pingpong).
    interactive: bool,
    /// Segments smaller than a full one that arrived since the last ACK, at most two (Linux: ICSK_ACK_PUSHED).
    pushed: u8,
    /// Whether duplicate ACKs are compressed; those sent since RCV.NXT advanced, at most three; and those that wait.
    compresses: bool,
    duplicates: u8,
    compressed: u8,
    /// Whether an ACK is due at once for the segments that waited for a compressed one, besides any that is due.
    released: bool,
    /// Segments that arrived in order since the last ACK.
    held: u16,
    every: u32,
    /// Number of further segments that are acknowledged at once.
    quick_left: u32,
    quick_acks: u32,
    /// Largest segment seen, bytes: the meaning of "full-sized" (RFC 5681 section 4.2).
    pub largest: u32,
    /// Payload of the largest segment that the peer may send, bytes; with Linux's rule, a larger packet counts as one.
    pub most: u32,
    /// In-order bytes not yet acknowledged.
    pub pending: u64,
    pub delayed_at: Nanos,
    /// Maximum delay of an ACK, ns; with Linux's rule, the present estimate, 0 before any payload.
    delay: Nanos,
    pub last_arrival: Nanos,
}

impl Acks {
    pub fn new(config: &Config) -> Acks {
        let linux = config.ack_rule == AckRule::Linux;
        Acks {
            due: false,
            rule: config.ack_rule,
            interactive: false,
            pushed: 0,
            compresses: config.sack_compression,
            duplicates: 0,
            compressed: 0,
            released: false,
            held: 0,
            every: config.ack_every,
            quick_left: if linux { 0 } else { config.quick_acks },
            quick_acks: config.quick_acks,
            largest: if linux { FIRST_GUESS.min(config.mss) } else { 0 },
            most: u32::MAX,
            pending: 0,
            delayed_at: NEVER,
            delay: if linux { 0 } else { config.delayed_ack },
            last_arrival: 0,
        }
    }

    /// Takes the least of our segment size, of half the window and of Linux's guess for the size of the peer's segments.
    pub fn guess_segments(&mut self, mss: u32, half_window: u64) {
        if self.is_linux() {
            let bound = u32::try_from(half_window).unwrap_or(u32::MAX);
            self.largest = self.largest.min(mss).min(bound).max(LEAST_SEGMENT);
        }
    }

    /// Delay, ns, that the next delayed ACK would have.
    pub fn delay(&self) -> Nanos {
        self.delay
    }

    /// Processes payload or a FIN.
    #[inline]
    pub fn on_arrival(&mut self, arrived: &Arrived<'_>) {
        match self.rule {
            AckRule::Rfc5681 | AckRule::FreeBsd => self.on_arrival_rfc(arrived),
            AckRule::Linux => self.on_arrival_linux(arrived),
        }
    }

    /// RFC 5681 section 4.2: segments that are out of order or fill a gap are acknowledged at once, others at least
    /// every second segment.
    #[inline]
    fn on_arrival_rfc(&mut self, arrived: &Arrived<'_>) {
        if self.quick_acks > 0 && arrived.now - self.last_arrival > arrived.rtt.rto() {
            self.quick_left = self.quick_acks;
        }
        self.last_arrival = arrived.now;
        self.largest = self.largest.max(arrived.part);
        self.pending += arrived.in_order;
        //= https://www.rfc-editor.org/rfc/rfc5681#section-4.2
        //# an ACK SHOULD be generated for at least every second full-sized segment
        self.held = self.held.saturating_add(u16::try_from(arrived.segments).unwrap_or(u16::MAX));
        let due = match self.rule {
            AckRule::FreeBsd => u32::from(self.held) >= self.every,
            _ => self.pending >= u64::from(self.every) * u64::from(self.largest),
        };
        let quick = self.quick_left > 0;
        self.quick_left = self.quick_left.saturating_sub(1);
        //= https://www.rfc-editor.org/rfc/rfc5681#section-4.2
        //# Out-of-order data segments SHOULD be acknowledged immediately
        if arrived.urgent || arrived.fin || quick || due || self.delay == 0 {
            self.due = true;
        } else if self.delayed_at == NEVER {
            //= https://www.rfc-editor.org/rfc/rfc5681#section-4.2
            //# The delayed ACK algorithm specified in [RFC1122] SHOULD be used by a TCP receiver
            //= https://www.rfc-editor.org/rfc/rfc5681#section-4.2
            //# a TCP receiver MUST NOT excessively delay acknowledgments
            self.delayed_at = arrived.now + self.delay;
        }
    }

    /// Linux net/ipv4/tcp_input.c: tcp_event_data_recv, tcp_measure_rcv_mss, __tcp_ack_snd_check.
    #[inline]
    fn on_arrival_linux(&mut self, arrived: &Arrived<'_>) {
        if arrived.in_order > 0 {
            self.duplicates = 0;
            if arrived.part > 0 {
                self.on_payload_linux(arrived);
            }
        }
        // While the window grows, the number of quick ACKs left stays odd and therefore never reaches zero
        // (tcp_grow_window).
        self.quick_left |= u32::from(arrived.grew);
        self.pending += arrived.in_order;
        // The acknowledgment of a FIN can wait for our own (tcp_fin).
        self.interactive |= arrived.finished;
        let several = self.pending > u64::from(self.largest);
        if several && arrived.crowded {
            self.quick_left = 0;
        }
        let quick = self.quick_left > 0 && !self.interactive;
        let compressed = arrived.gap && self.compresses;
        if arrived.urgent && !compressed || quick || several && arrived.keeps_window {
            self.due = true;
        } else if compressed {
            self.compress(arrived);
        } else {
            self.hold(arrived);
        }
    }

    /// Linux net/ipv4/tcp_input.c, __tcp_ack_snd_check: after three duplicate ACKs, further ones wait for a twentieth of the
    /// round-trip time and a millisecond at most, so that one ACK reports several segments beyond a gap.
    #[cold]
    #[inline(never)]
    fn compress(&mut self, arrived: &Arrived<'_>) {
        if self.duplicates < DUPLICATES {
            self.duplicates += 1;
            self.due = true;
        } else if self.compressed >= COMPRESSED {
            self.due = true;
        } else {
            self.compressed += 1;
            let rtt = arrived.receiver_rtt.map(|rtt| arrived.rtt.srtt().map_or(rtt, |srtt| srtt.min(rtt)));
            let wait = COMPRESSION.min(rtt.unwrap_or(0) / 20) + COMPRESSION_SLACK;
            self.delayed_at = self.delayed_at.min(arrived.now + wait);
        }
    }

    /// Whether segments beyond a gap wait for a compressed ACK.
    #[inline]
    pub fn waits_compressed(&self) -> bool {
        self.compressed > 0
    }

    /// Makes the compressed ACK due at once; what arrives next waits for another one (tcp_sack_compress_send_ack).
    pub fn release(&mut self) {
        self.on_ack_sent();
        self.released = true;
    }

    /// Whether an ACK is due at once.
    #[inline]
    pub fn is_due(&self) -> bool {
        self.due || self.released
    }

    /// Updates the segment size and the pace of arrivals from payload in order. Payload beyond a gap updates neither.
    #[inline]
    fn on_payload_linux(&mut self, arrived: &Arrived<'_>) {
        if arrived.part >= self.largest {
            self.largest = arrived.part.min(self.most);
            self.pushed = self.pushed.max(u8::from(arrived.push));
        } else {
            self.pushed = (self.pushed + 1).min(2);
        }
        let gap = arrived.now - self.last_arrival;
        if self.delay == 0 {
            self.quicken(self.quick_acks, arrived.window);
            self.delay = ATO_MIN;
        } else if gap <= ATO_MIN / 2 {
            self.delay = self.delay / 2 + ATO_MIN / 2;
        } else if gap < self.delay {
            self.delay = (self.delay / 2 + gap).min(arrived.rtt.rto());
        } else if gap > arrived.rtt.rto() {
            self.quicken(self.quick_acks, arrived.window);
        }
        self.last_arrival = arrived.now;
    }

    /// Linux net/ipv4/tcp_output.c, tcp_send_delayed_ack.
    #[inline]
    fn hold(&mut self, arrived: &Arrived<'_>) {
        let mut delay = self.delay;
        if delay > ATO_MIN {
            let most = if self.interactive || self.pushed > 0 { DELACK_MAX } else { ATO_MAX };
            delay = delay.min(arrived.rtt.srtt().map_or(most, |srtt| srtt.max(ATO_MIN).min(most)));
        }
        if self.delayed_at <= arrived.now + delay / 4 {
            self.due = true;
        } else {
            self.delayed_at = self.delayed_at.min(arrived.now + delay);
        }
    }

    /// Acknowledges up to `most` segments at once, but at most half of the window (Linux, tcp_incr_quickack).
    #[cold]
    #[inline(never)]
    fn quicken(&mut self, most: u32, window: u64) {
        let half = window / (2 * u64::from(self.largest.max(1)));
        let half = if half == 0 { 2 } else { half };
        self.quick_left = self.quick_left.max(most.min(u32::try_from(half).unwrap_or(most)));
    }

    /// Restarts quick acknowledgment (Linux, tcp_enter_quickack_mode).
    pub fn enter_quick(&mut self, most: u32, window: u64) {
        if self.rule == AckRule::Linux {
            self.quicken(most, window);
            self.interactive = false;
            self.delay = ATO_MIN;
        }
    }

    /// Ends quick acknowledgment, when half of the buffer waits to be read (Linux, __tcp_select_window).
    pub fn end_quick(&mut self) {
        self.quick_left = 0;
    }

    /// Sets quick acknowledgment as the application requests (TCP_QUICKACK).
    pub fn set_quick(&mut self, on: bool) {
        self.interactive = !on;
        self.due |= on && self.pending > 0;
    }

    /// Processes a read by the application; `all` is whether no data is left (Linux net/ipv4/tcp.c, tcp_cleanup_rbuf).
    #[inline]
    pub fn on_read(&mut self, all: bool) {
        if self.rule == AckRule::Linux && self.pending > 0 {
            let pushed = self.pushed > 1 || self.pushed == 1 && !self.interactive;
            self.due |= self.pending > u64::from(self.largest) || all && pushed;
        }
    }

    /// Records that we send payload: soon after payload of the peer, this shows alternation (Linux,
    /// tcp_event_data_sent).
    #[inline]
    pub fn on_data_sent(&mut self, now: Nanos) {
        if self.rule == AckRule::Linux && now - self.last_arrival < self.delay {
            self.interactive = true;
        }
    }

    /// Whether ACKs wait for our data.
    pub fn is_interactive(&self) -> bool {
        self.rule == AckRule::Linux && self.interactive
    }

    /// Whether the rule is Linux's.
    #[inline]
    pub fn is_linux(&self) -> bool {
        self.rule == AckRule::Linux
    }

    /// Records that a segment with an acknowledgment is sent.
    #[inline]
    pub fn on_ack_sent(&mut self) {
        if self.released {
            self.released = false;
            return;
        }
        if self.rule == AckRule::Linux && (self.pending > 0 || self.due) && self.quick_left > 0 {
            self.quick_left -= 1;
            if self.quick_left == 0 {
                self.delay = ATO_MIN;
            }
        }
        self.due = false;
        (self.pushed, self.held, self.compressed) = (0, 0, 0);
        self.delayed_at = NEVER;
        self.pending = 0;
    }

    /// Handles a possible expiry of the delayed-ACK timer.
    pub fn on_timeout(&mut self, now: Nanos, rto: Nanos) {
        if self.delayed_at > now {
            return;
        }
        self.due = true;
        self.delayed_at = NEVER;
        if self.rule == AckRule::Linux && self.compressed == 0 {
            // No segment carried the delayed ACK. If it waited for more of the peer's data, the next one waits longer;
            // if it waited for our data, the next one waits the minimum.
            self.delay = if self.interactive { ATO_MIN } else { (2 * self.delay).min(rto) };
            self.interactive = false;
        }
    }

    /// Stops all acknowledgments.
    pub fn stop(&mut self) {
        (self.due, self.released) = (false, false);
        self.delayed_at = NEVER;
    }
}
