//! Samples of the delivery rate, and what else a congestion control may want to know of when a segment was sent
//! (draft-ietf-ccwg-bbr section 4.1).

use std::collections::VecDeque;

use super::Sender;
use crate::Nanos;
use crate::context::{Ack, Delivery, Lost, RateSample};
use crate::sender::scoreboard::{Delivered, Entry};

/// The connection as it was when a segment was last sent.
#[derive(Clone, Copy, Debug)]
struct Snapshot {
    /// Stream offset of its first byte.
    start: u64,
    sent_at: Nanos,
    /// P.first_sent_time.
    first_sent_at: Nanos,
    delivered: u64,
    delivered_at: Nanos,
    in_flight: u64,
    lost: u64,
    app_limited: bool,
    /// Whether its loss was told.
    told: bool,
}

/// State of the sampler: C of the draft, and P for each segment outstanding.
#[derive(Clone, Debug, Default)]
pub(super) struct Rate {
    sent: VecDeque<Snapshot>,
    /// C.delivered, C.delivered_time.
    delivered: u64,
    delivered_at: Nanos,
    /// C.lost.
    lost: u64,
    /// C.first_sent_time.
    first_sent_at: Nanos,
    /// C.app_limited: the sample is of the application until this much is delivered; 0 where it is not.
    app_limited: u64,
    /// The newest segment that the acknowledgment in hand says has arrived.
    newest: Option<Snapshot>,
}

impl Rate {
    fn find(&self, start: u64) -> usize {
        self.sent.partition_point(|snapshot| snapshot.start <= start).saturating_sub(1)
    }

    /// A segment that starts at `start` is sent; `in_flight` includes it, and `empty` is whether it alone is in flight.
    fn on_sent(&mut self, now: Nanos, start: u64, in_flight: u64, empty: bool) {
        if empty {
            (self.first_sent_at, self.delivered_at) = (now, now);
        }
        let snapshot = Snapshot {
            start,
            sent_at: now,
            first_sent_at: self.first_sent_at,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            in_flight,
            lost: self.lost,
            app_limited: self.app_limited > 0,
            told: false,
        };
        match self.sent.back() {
            Some(last) if last.start >= start => {
                let index = self.find(start);
                self.sent[index] = Snapshot { start: self.sent[index].start, ..snapshot };
            }
            _ => self.sent.push_back(snapshot),
        }
    }

    /// The segment of `entry` has arrived.
    pub fn on_arrival(&mut self, entry: &Entry) {
        let Some(&snapshot) = self.sent.get(self.find(entry.start)) else { return };
        let newer = |newest: &Snapshot| (snapshot.delivered, snapshot.sent_at) >= (newest.delivered, newest.sent_at);
        if self.newest.as_ref().is_none_or(newer) {
            self.newest = Some(snapshot);
        }
    }

    /// An acknowledgment delivered `newly` bytes; everything below `una` is done with. The sample, if there is one.
    fn sample(&mut self, now: Nanos, una: u64, newly: u64, min_rtt: Option<Nanos>) -> Option<RateSample> {
        if newly > 0 {
            self.delivered += newly;
            self.delivered_at = now;
        }
        if self.app_limited > 0 && self.delivered > self.app_limited {
            self.app_limited = 0;
        }
        while self.sent.get(1).is_some_and(|next| next.start <= una) {
            self.sent.pop_front();
        }
        let newest = self.newest.take()?;
        self.first_sent_at = newest.sent_at;
        let interval = (newest.sent_at - newest.first_sent_at).max(now - newest.delivered_at);
        let valid = min_rtt.is_some_and(|min| interval >= min);
        Some(RateSample {
            delivered: self.delivered - newest.delivered,
            prior_delivered: newest.delivered,
            interval: if valid { interval } else { 0 },
            tx_in_flight: newest.in_flight,
            lost: self.lost - newest.lost,
            app_limited: newest.app_limited,
        })
    }
}

impl Sender {
    /// A segment with payload was sent that starts at `start`: tells the sampler, and the congestion control that asks.
    #[inline(never)]
    pub(super) fn tell_sent(&mut self, now: Nanos, start: u64, len: u64) {
        let pipe = self.pipe();
        if let Some(rate) = &mut self.rare.rate {
            rate.on_sent(now, start, pipe, pipe <= len);
        }
        if self.scope.sends {
            let ctx = self.context(now);
            self.cc.on_sent(&mut self.window, &ctx);
        }
    }

    /// Where the application leaves the path idle, samples of the rate are not of the path (CheckIfApplicationLimited).
    pub(super) fn check_application_limited(&mut self) {
        let waits = self.board.is_waiting() || self.written.saturating_sub(self.nxt) >= self.mss;
        let pipe = self.pipe();
        if let Some(rate) = &mut self.rare.rate
            && !waits
            && pipe < self.window.cwnd
            && !self.pacing
        {
            rate.app_limited = (rate.delivered + pipe).max(1);
        }
    }

    /// Tells the congestion control of what an acknowledgment has delivered and, segment by segment, of what it shows to be
    /// lost.
    pub(super) fn tell_delivered(&mut self, now: Nanos, ack: &Ack, delivered: &Delivered, forward_delay: Option<i64>) {
        let min_rtt = self.rtt.min();
        let una = self.una;
        let rate = match &mut self.rare.rate {
            Some(rate) => rate.sample(now, una, delivered.newly, min_rtt),
            None => None,
        };
        let counts = &mut self.rare.counts;
        counts.delivered_bytes += delivered.newly;
        let delivery = Delivery {
            ack: *ack,
            newly: delivered.newly,
            delivered: counts.delivered_bytes,
            lost: counts.lost_bytes,
            sent_at: delivered.sent_at,
            forward_delay,
            rate: if self.scope.rate { rate } else { None },
        };
        self.cc.on_delivery(&mut self.window, &delivery);
    }

    /// `lost` bytes are newly deemed lost, or a timeout has expired: tells the congestion control of each segment.
    pub(super) fn tell_lost(&mut self, now: Nanos, lost: u64) {
        self.rare.counts.lost_bytes += lost;
        if !self.scope.losses {
            return;
        }
        let ctx = self.context(now);
        let Some(rate) = &mut self.rare.rate else { return };
        for (start, len) in self.board.waiting() {
            let index = rate.find(start);
            if rate.sent[index].told {
                continue;
            }
            rate.sent[index].told = true;
            rate.lost += len;
            let Snapshot { in_flight, lost, app_limited, .. } = rate.sent[index];
            let event = Lost { ctx, len, tx_in_flight: in_flight, lost_since: rate.lost - lost, app_limited };
            self.cc.on_lost(&mut self.window, &event);
        }
    }
}
