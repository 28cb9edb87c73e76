//! Samples of the delivery rate, and other facts about the send times of segments for the congestion control
//! (draft-ietf-ccwg-bbr section 4.1).
//!
//! Without SACK no data counts as delivered before it is acknowledged cumulatively: the draft does not say whether
//! duplicate ACKs count.

use std::collections::VecDeque;

use super::episode::Phase;
use super::scoreboard::Entry;
use super::{Sender, Transmission};
use crate::context::{Delivery, Evidence, Lost, RateSample};
use crate::{Event, Nanos, Observer, Rate};

/// The connection as it was when a segment was last sent.
#[derive(Clone, Copy, Debug)]
struct Snapshot {
    /// Stream offset of the segment's first byte.
    start: u64,
    sent_at: Nanos,
    /// P.first_sent_time.
    first_sent_at: Nanos,
    delivered: u64,
    delivered_at: Nanos,
    in_flight: u64,
    lost: u64,
    app_limited: bool,
    /// Whether the congestion control was told of the segment's loss.
    told: bool,
}

/// The newest segment that an acknowledgment reports as received: the segment that was sent last.
#[derive(Clone, Copy, Debug)]
struct Newest {
    sent_at: Nanos,
    start: u64,
    /// Whether the segment was sent more than once.
    resent: bool,
    /// `None` without samples.
    snapshot: Option<Snapshot>,
}

/// State of the sampler: C of the draft, and P for each segment outstanding.
#[derive(Clone, Debug, Default)]
pub(super) struct DeliveryRate {
    /// Whether samples of the rate are made. Without them, only deliveries and send times are reported.
    samples: bool,
    sent: VecDeque<Snapshot>,
    /// C.delivered, C.delivered_time.
    delivered: u64,
    delivered_at: Nanos,
    /// C.lost.
    lost: u64,
    /// C.first_sent_time.
    first_sent_at: Nanos,
    /// C.app_limited: samples are application-limited until this volume is delivered, bytes; 0 if they are not.
    app_limited: u64,
    /// The newest segment that the acknowledgment being processed reports as received.
    newest: Option<Newest>,
    /// The rate that observers see.
    shown: Option<Rate>,
    /// [`crate::cc::Scope::gap`].
    gap: bool,
}

impl DeliveryRate {
    /// Makes a sampler with no segment sent.
    pub fn new(samples: bool, gap: bool) -> DeliveryRate {
        DeliveryRate { samples, gap, ..DeliveryRate::default() }
    }

    /// The delivery rate of payload for observers: that of the latest sample that was not application-limited or was not
    /// smaller (Linux net/ipv4/tcp_rate.c, tcp_rate_gen; `delivery_rate` of TCP_INFO).
    pub fn shown(&self) -> Option<Rate> {
        self.shown
    }

    /// Records that the segments below `una` have arrived and `newly` bytes in all, for observers alone.
    pub fn observe(&mut self, now: Nanos, una: u64, newly: u64, min_rtt: Option<Nanos>) {
        self.sample(now, una, newly, min_rtt);
    }

    /// The index of the last segment that begins at or before `start`. The search begins with the oldest segments,
    /// because most acknowledgments report these.
    fn find(&self, start: u64) -> usize {
        let (mut low, mut high) = (0, 1);
        while self.sent.get(high).is_some_and(|snapshot| snapshot.start <= start) {
            (low, high) = (high, 2 * high);
        }
        high = high.min(self.sent.len());
        while high > low + 1 {
            let middle = low.midpoint(high);
            if self.sent[middle].start <= start { low = middle } else { high = middle }
        }
        low
    }

    /// Records that a segment starting at `start` is sent. `in_flight` includes the segment, and `empty` is whether it
    /// alone is in flight.
    fn on_sent(&mut self, now: Nanos, start: u64, in_flight: u64, empty: bool) {
        if !self.samples {
            return;
        }
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

    /// Records that the segment of `entry` has arrived. Of the segments that one acknowledgment reports, the sampler
    /// uses the segment sent last and, among segments sent at the same time, the last in the stream (IsNewestPacket).
    #[inline]
    pub fn on_arrival(&mut self, entry: &Entry) {
        if self.samples {
            return self.on_sampled_arrival(entry);
        }
        self.note_newest(entry, entry.sent_at, entry.start, None);
    }

    #[inline(never)]
    fn on_sampled_arrival(&mut self, entry: &Entry) {
        // A segment that was sent before the sampler existed has no snapshot.
        let snapshot = self.sent.get(self.find(entry.start)).filter(|snapshot| snapshot.start <= entry.start);
        if let Some(&snapshot) = snapshot {
            self.note_newest(entry, snapshot.sent_at, snapshot.start, Some(snapshot));
        }
    }

    #[inline]
    fn note_newest(&mut self, entry: &Entry, sent_at: Nanos, start: u64, snapshot: Option<Snapshot>) {
        if self.newest.as_ref().is_none_or(|newest| (sent_at, start) >= (newest.sent_at, newest.start)) {
            self.newest = Some(Newest { sent_at, start, resent: entry.resent(), snapshot });
        }
    }

    /// Processes an acknowledgment that delivered `newly` bytes and covers everything below `una`. Returns the sample,
    /// if there is one, and the send time of the newest segment, if that segment was sent once.
    fn sample(
        &mut self,
        now: Nanos,
        una: u64,
        newly: u64,
        min_rtt: Option<Nanos>,
    ) -> (Option<RateSample>, Option<Nanos>) {
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
        let Some(Newest { sent_at, resent, snapshot, .. }) = self.newest.take() else { return (None, None) };
        let sent_at = (!resent).then_some(sent_at);
        let Some(newest) = snapshot else { return (None, sent_at) };
        self.first_sent_at = newest.sent_at;
        let interval = (newest.sent_at - newest.first_sent_at).max(now - newest.delivered_at);
        let valid = min_rtt.is_some_and(|min| interval >= min);
        let sample = RateSample {
            delivered: self.delivered - newest.delivered,
            prior_delivered: newest.delivered,
            interval: if valid { interval } else { 0 },
            tx_in_flight: newest.in_flight,
            lost: self.lost - newest.lost,
            app_limited: newest.app_limited,
        };
        let rate = sample.rate();
        if rate.is_some() && (!sample.app_limited || rate >= self.shown) {
            self.shown = rate;
        }
        (Some(sample), sent_at)
    }
}

impl Sender {
    /// Tells the sampler, and the congestion control if it asks for this, that a segment with payload or a FIN was
    /// sent.
    #[inline(never)]
    pub(super) fn tell_sent(&mut self, now: Nanos, sent: &Transmission) {
        let pipe = self.pipe();
        let len = u64::from(sent.len) + u64::from(sent.fin);
        // The original of a segment that a probe retransmits is still in flight.
        let probe = sent.retransmission && matches!(self.phase, Phase::Open | Phase::Cwr);
        if let Some(rate) = &mut self.rare.rate {
            rate.on_sent(now, sent.offset, pipe, pipe <= len && !probe);
        }
        if self.scope.sends {
            let ctx = self.context(now);
            self.cc.on_sent(&mut self.window, &ctx);
        }
    }

    /// Marks samples as application-limited where the application leaves the path idle (CheckIfApplicationLimited). The
    /// check runs at the beginning of writes, acknowledgments and timeouts; in Linux, at that of writes only
    /// (net/ipv4/tcp.c, tcp_sendmsg_locked). As in Linux, there is data to send if it would fill a segment.
    #[inline(never)]
    pub(super) fn check_application_limited(&mut self) {
        let waits = self.board.is_waiting() || self.unsent() >= self.mss;
        let pipe = self.pipe();
        if let Some(rate) = &mut self.rare.rate
            && !waits
            && pipe < self.window.cwnd
            && !self.pacing
        {
            rate.app_limited = (rate.delivered + pipe).max(1);
        }
    }

    /// Tells the congestion control what an acknowledgment has delivered; the sampler adds to `delivery` what it knows.
    #[inline(never)]
    pub(super) fn tell_delivered(&mut self, now: Nanos, delivery: &mut Delivery) {
        let min_rtt = self.rtt.min();
        let Some(rate) = &mut self.rare.rate else { return };
        (delivery.rate, delivery.sent_at) = rate.sample(now, self.una, delivery.newly, min_rtt);
        (delivery.delivered, delivery.lost) = (rate.delivered, rate.lost);
        let gap = rate.gap;
        if self.scope.deliveries {
            self.cc.on_delivery(&mut self.window, delivery);
        }
        if gap {
            self.pacer.wait_since(self.last_sent, self.mss, self.window.pacing_rate);
        }
    }

    /// Tells the congestion control and the observer of every segment deemed lost that they were not told of before.
    #[inline(never)]
    pub(super) fn tell_lost<O: Observer>(&mut self, now: Nanos, evidence: Evidence, obs: &mut O) {
        let ctx = self.context(now);
        let Some(rate) = self.rare.rate.as_mut().filter(|rate| rate.samples) else { return };
        for (start, len) in self.board.waiting() {
            let index = rate.find(start);
            let Some(snapshot) = rate.sent.get_mut(index).filter(|snapshot| !snapshot.told) else { continue };
            snapshot.told = true;
            rate.lost += len;
            let Snapshot { in_flight, lost, app_limited, .. } = *snapshot;
            obs.event(now, Event::Lost { offset: start, len, evidence });
            if self.scope.losses {
                let event = Lost { ctx, len, tx_in_flight: in_flight, lost_since: rate.lost - lost, app_limited };
                self.cc.on_lost(&mut self.window, &event);
            }
        }
    }
}
