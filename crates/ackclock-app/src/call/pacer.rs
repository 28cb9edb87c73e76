//! The queue of packets that wait to be sent, and the times at which they may leave.

use std::collections::VecDeque;

use ackclock_core::Nanos;

use super::rtp::{Packet, Role};

/// Time after the last packet after which one packet leaves although the window is full. RFC 8298 has no timer for
/// the case that all feedback of a window is lost, without which the window would never open again.
const PROBE: Nanos = 500_000_000;

/// A packet that waits.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    packet: Packet,
    since: Nanos,
}

/// The pacer's state. Retransmissions leave first.
#[derive(Default, Debug)]
pub(super) struct Pacer {
    repairs: VecDeque<Waiting>,
    media: VecDeque<Waiting>,
    bytes: u64,
    /// Time from which on the next packet may leave.
    next: Nanos,
    last: Nanos,
}

/// The next step of the pacer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next {
    /// A packet leaves now.
    Send(Packet),
    /// Nothing leaves before this time; with a full window, feedback may come before.
    At(Nanos),
    /// Nothing waits.
    Idle,
}

impl Pacer {
    /// Adds a packet.
    pub fn add(&mut self, now: Nanos, packet: Packet) {
        self.bytes += u64::from(packet.size);
        let queue = if packet.role == Role::Retransmission { &mut self.repairs } else { &mut self.media };
        queue.push_back(Waiting { packet, since: now });
    }

    /// Returns the bytes that wait.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns how long the oldest packet has waited, in ns.
    pub fn waited(&self, now: Nanos) -> Nanos {
        let oldest = self.repairs.front().into_iter().chain(self.media.front()).map(|waiting| waiting.since).min();
        oldest.map_or(0, |since| now - since)
    }

    /// Drops everything.
    pub fn clear(&mut self) {
        *self = Pacer { next: self.next, last: self.last, ..Pacer::default() };
    }

    /// Takes the next packet at a pacing rate in bit/s, with `room` bytes in the window.
    pub fn poll(&mut self, now: Nanos, rate: f64, room: u64) -> Next {
        let queue = if self.repairs.is_empty() { &mut self.media } else { &mut self.repairs };
        let Some(waiting) = queue.front().copied() else { return Next::Idle };
        if now < self.next {
            return Next::At(self.next);
        }
        let size = u64::from(waiting.packet.size);
        if room < size && now < self.last.saturating_add(PROBE) {
            return Next::At(self.last.saturating_add(PROBE));
        }
        queue.pop_front();
        self.bytes -= size;
        self.last = now;
        self.next = now.saturating_add((size as f64 * 8e9 / rate.max(1.0)) as Nanos);
        Next::Send(waiting.packet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Nanos = 1_000_000;

    fn packet(sequence: u64, is_repair: bool) -> Packet {
        let role = if is_repair { Role::Retransmission } else { Role::Media };
        Packet { sequence, frame: 0, size: 1_000, role }
    }

    #[test]
    fn packets_leave_at_the_rate_and_repairs_first() {
        let mut pacer = Pacer::default();
        assert_eq!(pacer.poll(0, 1e6, u64::MAX), Next::Idle);
        (0..2).for_each(|sequence| pacer.add(0, packet(sequence, false)));
        pacer.add(3 * MS, packet(7, true));
        assert_eq!((pacer.bytes(), pacer.waited(5 * MS)), (3_000, 5 * MS));
        assert_eq!(pacer.poll(5 * MS, 1e6, u64::MAX), Next::Send(packet(7, true)));
        assert_eq!(pacer.poll(5 * MS, 1e6, u64::MAX), Next::At(13 * MS));
        assert_eq!(pacer.poll(13 * MS, 1e6, u64::MAX), Next::Send(packet(0, false)));
        assert_eq!(pacer.poll(20 * MS, 2e6, u64::MAX), Next::At(21 * MS));
        assert_eq!((pacer.bytes(), pacer.waited(20 * MS)), (1_000, 20 * MS));
        pacer.clear();
        assert_eq!((pacer.poll(30 * MS, 1e6, u64::MAX), pacer.bytes()), (Next::Idle, 0));
    }

    #[test]
    fn a_full_window_holds_packets_for_half_a_second() {
        let mut pacer = Pacer::default();
        (0..2).for_each(|sequence| pacer.add(0, packet(sequence, false)));
        assert_eq!(pacer.poll(600 * MS, 1e6, 1_000), Next::Send(packet(0, false)));
        assert_eq!(pacer.poll(700 * MS, 1e6, 999), Next::At(1_100 * MS));
        assert_eq!(pacer.poll(1_100 * MS, 1e6, 0), Next::Send(packet(1, false)));
    }
}
