//! The data of a transfer over several paths: which bytes of the application's stream each subflow carries, what has
//! arrived, and what the receiver acknowledges of the whole (RFC 8684 sections 3.3.1 to 3.3.6).
//!
//! A mapping is in no packet: both ends read it here, the receiver when the mapped bytes arrive in the order of their
//! subflow. The data-level acknowledgment travels with every segment of the receiver: it is what the receiver had at the
//! time at which the segment was sent.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use ackclock_core::Nanos;

/// Bytes of a subflow's stream and the data that they carry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Mapping {
    /// Offset in the stream of the subflow.
    offset: u64,
    /// Offset in the data.
    data: u64,
    len: u64,
}

/// The mappings of a subflow, and what has become of them.
#[derive(Clone, Default, Debug)]
struct Mapped {
    /// Mappings in the order of the subflow, without those that the subflow has acknowledged.
    mappings: VecDeque<Mapping>,
    /// Retransmission timeouts of the subflow after which its data was offered to the others.
    timeouts: u64,
}

/// Data that a subflow has not delivered in time, for the other subflows.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Again {
    data: Range<u64>,
    /// The subflow that has it.
    path: usize,
}

/// Data that is offered to a subflow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Offer {
    /// The data.
    pub data: Range<u64>,
    /// Whether the data ends what there is to send, so that a last segment need not be full.
    pub ends: bool,
    /// Whether another subflow has sent the data.
    again: bool,
}

/// One direction of a transfer over several paths.
#[derive(Clone, Debug)]
pub struct Bundle {
    /// Shared receive window: bytes beyond the data-level acknowledgment.
    window: u64,
    /// Bytes that the application has written, that were dealt to subflows, and that are acknowledged as data.
    written: u64,
    dealt: u64,
    acked: u64,
    closed: bool,
    subflows: Vec<Mapped>,
    again: VecDeque<Again>,
    /// Data that has arrived: everything below `arrived`, and ranges above, by their starts.
    arrived: u64,
    apart: BTreeMap<u64, u64>,
    /// Data-level acknowledgments with the times from which the receiver sends them.
    history: VecDeque<(Nanos, u64)>,
}

impl Bundle {
    /// Creates a direction over `paths` paths with a shared receive window.
    pub fn new(paths: usize, window: u64) -> Bundle {
        Bundle {
            window,
            written: 0,
            dealt: 0,
            acked: 0,
            closed: false,
            subflows: vec![Mapped::default(); paths],
            again: VecDeque::new(),
            arrived: 0,
            apart: BTreeMap::new(),
            history: VecDeque::new(),
        }
    }

    /// Appends bytes to the data. After a close they are dropped.
    pub fn write(&mut self, bytes: u64) {
        if !self.closed {
            self.written = self.written.saturating_add(bytes);
        }
    }

    /// Discards data that no subflow has sent.
    pub fn withdraw(&mut self) {
        if !self.closed {
            self.written = self.dealt;
        }
    }

    /// Ends the data.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// Whether the data has ended and all of it is acknowledged.
    pub fn is_done(&self) -> bool {
        self.closed && self.acked == self.written
    }

    /// Whether there is new data that the shared window holds back.
    pub fn waits_for_window(&self) -> bool {
        self.dealt < self.written && self.dealt >= self.acked.saturating_add(self.window)
    }

    /// Returns the data to offer to a subflow: first what another subflow has not delivered in time, then new data within
    /// the shared window.
    pub fn offer(&mut self, path: usize) -> Option<Offer> {
        let acked = self.acked;
        self.again.retain(|again| again.data.end > acked);
        if let Some(again) = self.again.iter().find(|again| again.path != path) {
            let data = again.data.start.max(acked)..again.data.end;
            return Some(Offer { data, ends: true, again: true });
        }
        // The window of all subflows is relative to the data-level acknowledgment (RFC 8684 section 3.3.4).
        let end = self.written.min(self.acked.saturating_add(self.window));
        (self.dealt < end).then_some(Offer { data: self.dealt..end, ends: end == self.written, again: false })
    }

    /// Records that a subflow has taken the first `taken` bytes of an offer, from `offset` on in its stream.
    pub fn take(&mut self, path: usize, offset: u64, offer: &Offer, taken: u64) {
        if taken == 0 {
            return;
        }
        let data = offer.data.start;
        let mappings = &mut self.subflows[path].mappings;
        match mappings.back_mut() {
            Some(last) if last.offset + last.len == offset && last.data + last.len == data => last.len += taken,
            _ => mappings.push_back(Mapping { offset, data, len: taken }),
        }
        if !offer.again {
            self.dealt += taken;
            return;
        }
        if let Some(place) = self.again.iter().position(|again| again.path != path) {
            self.again[place].data.start = data + taken;
            if self.again[place].data.is_empty() {
                self.again.remove(place);
            }
        }
    }

    /// Takes note of the state of a subflow at the sender: its stream is acknowledged up to `acked`, and its
    /// retransmission timer has expired `timeouts` times. After a timeout, the others are offered what the subflow has
    /// not delivered. Returns whether there is such data.
    pub fn note_sender(&mut self, path: usize, acked: u64, timeouts: u64) -> bool {
        let subflow = &mut self.subflows[path];
        while subflow.mappings.front().is_some_and(|mapping| mapping.offset + mapping.len <= acked) {
            subflow.mappings.pop_front();
        }
        if timeouts == subflow.timeouts {
            return false;
        }
        subflow.timeouts = timeouts;
        self.lose(path, acked)
    }

    /// Offers the data that a subflow has not delivered beyond `acked` to the other subflows. Returns whether there is any.
    pub fn lose(&mut self, path: usize, acked: u64) -> bool {
        let undelivered: Vec<_> = self.subflows[path]
            .mappings
            .iter()
            .map(|mapping| {
                let done = acked.saturating_sub(mapping.offset).min(mapping.len);
                (mapping.data + done).max(self.acked)..mapping.data + mapping.len
            })
            .filter(|data| !data.is_empty())
            .collect();
        self.again.retain(|again| again.path != path);
        self.again.extend(undelivered.into_iter().map(|data| Again { data, path }));
        self.again.iter().any(|again| again.path == path)
    }

    /// Takes note of bytes of a subflow's stream that have arrived in its order. Returns whether more data can be read.
    pub fn arrive(&mut self, now: Nanos, path: usize, bytes: Range<u64>) -> bool {
        let mappings = &self.subflows[path].mappings;
        let first = mappings.partition_point(|mapping| mapping.offset + mapping.len <= bytes.start);
        let inside = mappings.range(first..).take_while(|mapping| mapping.offset < bytes.end);
        let data: Vec<_> = inside
            .map(|mapping| {
                let start = bytes.start.max(mapping.offset) - mapping.offset;
                let end = bytes.end.min(mapping.offset + mapping.len) - mapping.offset;
                mapping.data + start..mapping.data + end
            })
            .collect();
        let before = self.arrived;
        for range in data {
            self.insert(range);
        }
        if self.arrived == before {
            return false;
        }
        self.history.push_back((now, self.arrived));
        true
    }

    fn insert(&mut self, mut range: Range<u64>) {
        range.start = range.start.max(self.arrived);
        if range.is_empty() {
            return;
        }
        // Ranges that touch the new one become part of it.
        while let Some((&start, &end)) = self.apart.range(..=range.end).next_back() {
            if end < range.start {
                break;
            }
            range = range.start.min(start)..range.end.max(end);
            self.apart.remove(&start);
        }
        if range.start == self.arrived {
            self.arrived = range.end;
        } else {
            self.apart.insert(range.start, range.end);
        }
    }

    /// Takes note at the sender of a segment that the receiver sent at `sent`: of its data-level acknowledgment. Returns
    /// whether it acknowledges more than before.
    pub fn on_segment(&mut self, sent: Nanos) -> bool {
        let before = self.acked;
        while let Some(&(from, arrived)) = self.history.front()
            && from <= sent
        {
            self.acked = arrived;
            self.history.pop_front();
        }
        self.acked > before
    }

    /// Data that has arrived without a gap, in bytes.
    pub fn arrived(&self) -> u64 {
        self.arrived
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Deals `bytes` of the next offer to a path, which has `carried` bytes before; returns the data.
    fn deal(bundle: &mut Bundle, path: usize, carried: u64, bytes: u64) -> Range<u64> {
        let offer = bundle.offer(path).expect("an offer");
        let taken = bytes.min(offer.data.end - offer.data.start);
        bundle.take(path, carried, &offer, taken);
        offer.data.start..offer.data.start + taken
    }

    #[test]
    fn the_receiver_puts_the_data_together() {
        let mut bundle = Bundle::new(2, 10_000);
        bundle.write(5000);
        assert_eq!(deal(&mut bundle, 0, 0, 2000), 0..2000);
        assert_eq!(deal(&mut bundle, 1, 0, 1000), 2000..3000);
        assert_eq!(deal(&mut bundle, 0, 2000, 1500), 3000..4500);
        assert!(!bundle.arrive(7, 1, 0..1000), "the data before is missing");
        assert!(bundle.arrive(8, 0, 0..1000));
        assert_eq!(bundle.arrived(), 1000);
        assert!(bundle.arrive(9, 0, 1000..3500), "across two mappings and what path 1 has brought");
        assert_eq!(bundle.arrived(), 4500);
    }

    #[test]
    fn the_sender_learns_what_the_receiver_had_when_it_sent() {
        let mut bundle = Bundle::new(2, 3000);
        bundle.write(10_000);
        deal(&mut bundle, 0, 0, 1000);
        assert_eq!(deal(&mut bundle, 1, 0, 9000), 1000..3000, "the shared window");
        assert_eq!(bundle.offer(0), None);
        assert!(bundle.arrive(100, 0, 0..1000));
        assert!(!bundle.on_segment(99), "sent before the data arrived");
        assert!(bundle.on_segment(100));
        assert_eq!(bundle.offer(0).unwrap().data, 3000..4000);
        assert!(bundle.arrive(150, 1, 0..2000));
        assert!(bundle.on_segment(170));
        assert!(!bundle.on_segment(160), "an older segment by another path");
        assert_eq!(bundle.offer(1).unwrap().data, 3000..6000);
        bundle.withdraw();
        bundle.close();
        assert!(bundle.is_done());
    }

    #[test]
    fn what_a_subflow_lost_at_a_timeout_is_for_the_others() {
        let mut bundle = Bundle::new(2, 10_000);
        bundle.write(4000);
        deal(&mut bundle, 0, 0, 3000);
        deal(&mut bundle, 1, 0, 500);
        assert!(!bundle.note_sender(0, 1000, 0));
        assert!(bundle.note_sender(0, 1000, 1), "a timeout with data outstanding");
        assert!(!bundle.note_sender(0, 1000, 1), "the same timeout");
        assert_eq!(bundle.offer(0).unwrap().data, 3500..4000, "its own data is not offered to it again");
        assert_eq!(deal(&mut bundle, 1, 500, 1200), 1000..2200);
        assert_eq!(deal(&mut bundle, 1, 1700, 9000), 2200..3000);
        assert_eq!(deal(&mut bundle, 1, 2500, 9000), 3500..4000);
        // Both copies arrive, and count once.
        assert!(bundle.arrive(5, 0, 0..1000));
        assert!(bundle.arrive(6, 1, 0..3000));
        assert_eq!(bundle.arrived(), 4000);
        assert!(!bundle.arrive(7, 0, 1000..3000));
        assert_eq!(bundle.arrived(), 4000);
        assert!(bundle.on_segment(7));
        bundle.close();
        assert!(bundle.is_done() && bundle.offer(0).is_none() && bundle.offer(1).is_none());
    }

    proptest::proptest! {
        /// Any order of arrivals with any duplicates gives the data without gap or excess.
        #[test]
        fn ranges_add_up(pieces in proptest::collection::vec((0..60_u64, 1..20_u64), 1..40)) {
            let mut bundle = Bundle::new(1, 100);
            let mut bytes = [false; 100];
            for (start, len) in pieces {
                bundle.insert(start..start + len);
                bytes[start as usize..(start + len) as usize].fill(true);
                let whole = bytes.iter().position(|have| !have).unwrap_or(100) as u64;
                proptest::prop_assert_eq!(bundle.arrived(), whole);
            }
        }
    }
}
