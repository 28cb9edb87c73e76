//! When to acknowledge.

use crate::config::{AckRule, Config};
use crate::sender::Rtt;
use crate::{MILLISECOND, NEVER, Nanos};

/// Shortest delay of Linux's rule (TCP_ATO_MIN, TCP_DELACK_MIN), and the longest of an ACK that data of ours may carry
/// (TCP_DELACK_MAX), and of any.
const ATO_MIN: Nanos = 40 * MILLISECOND;
const DELACK_MAX: Nanos = 200 * MILLISECOND;
//= https://www.rfc-editor.org/rfc/rfc5681#section-4.2
//# an ACK MUST NOT be delayed for more than 500 ms waiting on a second full-sized segment to arrive
const ATO_MAX: Nanos = 500 * MILLISECOND;
/// The segment size that Linux assumes before it has seen one (TCP_MSS_DEFAULT).
const FIRST_GUESS: u32 = 536;

/// What the arrival of payload says about its acknowledgment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrived<'a> {
    pub now: Nanos,
    /// Payload bytes of the segment, and by how much it moved RCV.NXT.
    pub len: u32,
    pub in_order: u64,
    pub push: bool,
    /// It is out of order, fills a gap, or brings the FIN.
    pub urgent: bool,
    /// What our own sender knows of the round trip.
    pub rtt: &'a Rtt,
    /// Bytes of the window that is offered.
    pub window: u64,
}

/// The state of one receiver.
#[derive(Clone, Copy, Debug)]
pub(super) struct Acks {
    /// An ACK is owed at once.
    pub due: bool,
    rule: AckRule,
    /// Data and reads have taken turns, so that an ACK can wait for data to carry it (Linux: pingpong).
    interactive: bool,
    /// Segments smaller than a full one that arrived since the last ACK, at most two (Linux: ICSK_ACK_PUSHED).
    pushed: u8,
    every: u32,
    /// Segments that are still acknowledged at once.
    quick_left: u32,
    quick_acks: u32,
    /// Largest segment seen: what "full-sized" means (RFC 5681 section 4.2).
    pub largest: u32,
    /// In-order bytes not yet acknowledged.
    pub pending: u64,
    pub delayed_at: Nanos,
    /// How long an ACK may wait; of Linux's rule, the present estimate, 0 before any payload.
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
            every: config.ack_every,
            quick_left: if linux { 0 } else { config.quick_acks },
            quick_acks: config.quick_acks,
            largest: if linux { FIRST_GUESS.min(config.mss) } else { 0 },
            pending: 0,
            delayed_at: NEVER,
            delay: if linux { 0 } else { config.delayed_ack },
            last_arrival: 0,
        }
    }

    /// How long the next ACK held back would wait.
    pub fn delay(&self) -> Nanos {
        self.delay
    }

    /// Payload or a FIN arrived.
    #[inline]
    pub fn on_arrival(&mut self, arrived: &Arrived<'_>) {
        match self.rule {
            AckRule::Rfc5681 => self.on_arrival_rfc(arrived),
            AckRule::Linux => self.on_arrival_linux(arrived),
        }
    }

    /// RFC 5681 section 4.2: at once for what is out of order and for what fills a gap; else at least every second segment.
    #[inline]
    fn on_arrival_rfc(&mut self, arrived: &Arrived<'_>) {
        if self.quick_acks > 0 && arrived.now - self.last_arrival > arrived.rtt.rto() {
            self.quick_left = self.quick_acks;
        }
        self.last_arrival = arrived.now;
        self.largest = self.largest.max(arrived.len);
        self.pending += arrived.in_order;
        //= https://www.rfc-editor.org/rfc/rfc5681#section-4.2
        //# an ACK SHOULD be generated for at least every second full-sized segment
        let due = self.pending >= u64::from(self.every) * u64::from(self.largest);
        let quick = self.quick_left > 0;
        self.quick_left = self.quick_left.saturating_sub(1);
        //= https://www.rfc-editor.org/rfc/rfc5681#section-4.2
        //# Out-of-order data segments SHOULD be acknowledged immediately
        if arrived.urgent || quick || due || self.delay == 0 {
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
    fn on_arrival_linux(&mut self, arrived: &Arrived<'_>) {
        if arrived.len >= self.largest {
            self.largest = arrived.len;
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
        self.pending += arrived.in_order;
        let quick = self.quick_left > 0 && !self.interactive;
        if arrived.urgent || quick || self.pending > u64::from(self.largest) {
            self.due = true;
        } else {
            self.hold(arrived);
        }
    }

    /// Linux net/ipv4/tcp_output.c, tcp_send_delayed_ack.
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

    /// Up to `most` segments are acknowledged at once, but no more than half of the window (Linux, tcp_incr_quickack).
    fn quicken(&mut self, most: u32, window: u64) {
        let half = (window / (2 * u64::from(self.largest.max(1)))).max(2);
        self.quick_left = self.quick_left.max(most.min(u32::try_from(half).unwrap_or(most)));
    }

    /// Quick acknowledgment begins anew (Linux, tcp_enter_quickack_mode).
    pub fn enter_quick(&mut self, most: u32, window: u64) {
        if self.rule == AckRule::Linux {
            self.quicken(most, window);
            self.interactive = false;
            self.delay = ATO_MIN;
        }
    }

    /// Quick acknowledgment by the application's wish (TCP_QUICKACK).
    pub fn set_quick(&mut self, on: bool) {
        self.interactive = !on;
        self.due |= on && self.pending > 0;
    }

    /// The application has read; `all` is whether nothing is left (Linux net/ipv4/tcp.c, tcp_cleanup_rbuf).
    #[inline]
    pub fn on_read(&mut self, all: bool) {
        if self.rule == AckRule::Linux && self.pending > 0 {
            let pushed = self.pushed > 1 || self.pushed == 1 && !self.interactive;
            self.due |= self.pending > u64::from(self.largest) || all && pushed;
        }
    }

    /// Payload of ours leaves: soon after some of the peer's, the two take turns (Linux, tcp_event_data_sent).
    #[inline]
    pub fn on_data_sent(&mut self, now: Nanos) {
        if self.rule == AckRule::Linux && now - self.last_arrival < self.delay {
            self.interactive = true;
        }
    }

    /// The peer closed: an ACK can wait for our FIN (Linux, tcp_fin).
    pub fn on_fin(&mut self) {
        self.interactive = true;
    }

    /// A segment with an acknowledgment leaves.
    #[inline]
    pub fn on_ack_sent(&mut self) {
        if self.rule == AckRule::Linux && (self.pending > 0 || self.due) && self.quick_left > 0 {
            self.quick_left -= 1;
            if self.quick_left == 0 {
                self.delay = ATO_MIN;
            }
        }
        self.due = false;
        self.pushed = 0;
        self.delayed_at = NEVER;
        self.pending = 0;
    }

    /// The delayed-ACK timer may have expired.
    pub fn on_timeout(&mut self, now: Nanos, rto: Nanos) {
        if self.delayed_at > now {
            return;
        }
        self.due = true;
        self.delayed_at = NEVER;
        if self.rule == AckRule::Linux {
            // An ACK that waited in vain: for more of the peer's data, wait longer; for ours, no longer.
            self.delay = if self.interactive { ATO_MIN } else { (2 * self.delay).min(rto) };
            self.interactive = false;
        }
    }

    /// Nothing is owed any more.
    pub fn stop(&mut self) {
        self.due = false;
        self.delayed_at = NEVER;
    }
}
