//! Loss and reordering between endpoints and the device, drawn from a seed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ackclock_net::{Loss, NEVER, Nanos, Random, Seed};

/// Impairment of the packets of one direction: some packets are lost, and some are held back so that later packets
/// overtake them.
pub struct Impairment {
    random: Random,
    loss: Option<Loss>,
    /// The probability that a packet is held back, in parts per billion.
    reorder: u64,
    /// Maximum time that a packet is held back.
    hold: Nanos,
    held: BinaryHeap<Reverse<(Nanos, u64, Vec<u8>)>>,
    /// Number of packets so far: given, lost, and held back.
    counts: [u64; 3],
}

impl Impairment {
    /// Creates an impairment that loses packets as `loss` says and holds back `reorder` parts per billion of the
    /// packets, each for a time drawn uniformly from 1 ns to `hold`. The draws come from the stream of `seed`.
    pub fn new(seed: Seed, loss: Option<Loss>, reorder: u64, hold: Nanos) -> Impairment {
        Impairment { random: Random::new(seed), loss, reorder, hold, held: BinaryHeap::new(), counts: [0; 3] }
    }

    /// Returns whether the packet goes on now. Otherwise it is lost, or [`Impairment::due`] returns it later.
    pub fn pass(&mut self, now: Nanos, packet: &[u8]) -> bool {
        self.counts[0] += 1;
        if self.loss.as_mut().is_some_and(|loss| loss.strikes(now)) {
            self.counts[1] += 1;
            return false;
        }
        if self.random.happens(self.reorder) {
            self.counts[2] += 1;
            let until = now + 1 + self.random.up_to(self.hold.max(1) - 1);
            self.held.push(Reverse((until, self.counts[0], packet.to_vec())));
            return false;
        }
        true
    }

    /// Returns a packet that has been held back for long enough.
    pub fn due(&mut self, now: Nanos) -> Option<Vec<u8>> {
        if self.next() > now {
            return None;
        }
        self.held.pop().map(|Reverse((_, _, packet))| packet)
    }

    /// Returns the time when the next packet is due; [`NEVER`] if none is held back.
    pub fn next(&self) -> Nanos {
        self.held.peek().map_or(NEVER, |Reverse((until, _, _))| *until)
    }

    /// Returns the numbers of packets so far: given, lost, held back.
    pub fn counts(&self) -> [u64; 3] {
        self.counts
    }
}

#[cfg(test)]
mod tests {
    use ackclock_net::RandomLoss;

    use super::*;

    fn fates(seed: u8) -> (Vec<bool>, Vec<(Nanos, u8)>, [u64; 3]) {
        let loss = Loss::Random(RandomLoss::new(100_000_000, [seed + 100; 32]));
        let mut impairment = Impairment::new([seed; 32], Some(loss), 200_000_000, 50);
        let passed: Vec<_> = (0..200_u8).map(|packet| impairment.pass(10 * u64::from(packet), &[packet])).collect();
        let mut late = Vec::new();
        while impairment.next() != NEVER {
            let at = impairment.next();
            assert_eq!(impairment.due(at - 1), None);
            late.push((at, impairment.due(at).unwrap()[0]));
        }
        (passed, late, impairment.counts())
    }

    #[test]
    fn as_many_as_asked_for_are_lost_and_held_back() {
        let (passed, late, counts) = fates(1);
        let [given, lost, held] = counts;
        assert_eq!((given, late.len() as u64), (200, held));
        assert_eq!(passed.iter().filter(|passed| **passed).count() as u64, given - lost - held);
        // The means are 20 and 36, the standard deviations 4.2 and 5.4.
        assert!((8..=32).contains(&lost) && (20..=52).contains(&held), "{counts:?}");
        for (at, packet) in late {
            let sent = 10 * u64::from(packet);
            assert!((sent + 1..=sent + 50).contains(&at) && !passed[usize::from(packet)]);
        }
        assert_eq!(fates(7), fates(7));
        assert_ne!(fates(7), fates(8));
    }
}
