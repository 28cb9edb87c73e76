//! One direction of the simulated path.

use std::collections::BTreeMap;

use ackclock_core::{Ecn, MILLISECOND, Nanos, Random, SECOND, Seed};

/// A probability of one, in parts per billion.
const BILLION: u64 = 1_000_000_000;

/// The properties of a direction. Probabilities are in parts per billion.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    /// Rate, in bit/s.
    pub rate: u64,
    /// One-way propagation delay, in ns.
    pub delay: Nanos,
    /// Capacity of the drop-tail queue, in bytes.
    pub queue: u64,
    pub loss: u64,
    pub duplication: u64,
    /// Probability of an additional delay of up to 10 ms, which lets later datagrams overtake.
    pub reordering: u64,
    /// Probability that a datagram of an ECN-capable sender is marked.
    pub marking: u64,
    /// Probability that bits of one byte are inverted.
    pub damage: u64,
    /// The times from and to which all datagrams are lost.
    pub outage: Option<(Nanos, Nanos)>,
}

impl Path {
    /// 20 Mbit/s with a round-trip time of 40 ms, and a queue that never overflows in a case.
    pub const CLEAN: Path = Path {
        rate: 20_000_000,
        delay: 20 * MILLISECOND,
        queue: 4_000_000,
        loss: 0,
        duplication: 0,
        reordering: 0,
        marking: 0,
        damage: 0,
        outage: None,
    };

    /// The same path with a short queue, 2 % loss, 2 % reordering, 2 % duplication and 1 % marks.
    pub const IMPAIRED: Path =
        Path { queue: 64_000, loss: BILLION / 50, duplication: BILLION / 50, reordering: BILLION / 50, ..Path::CLEAN };
}

/// A direction with the datagrams that it carries.
pub struct Pipe {
    path: Path,
    random: Random,
    /// Time at which the last datagram leaves the queue.
    free: Nanos,
    carried: BTreeMap<(Nanos, u64), (Ecn, Vec<u8>)>,
    count: u64,
}

impl Pipe {
    pub fn new(path: Path, seed: Seed) -> Pipe {
        Pipe { path, random: Random::new(seed), free: 0, carried: BTreeMap::new(), count: 0 }
    }

    /// Takes a datagram with `overhead` bytes of headers below it.
    pub fn send(&mut self, now: Nanos, overhead: u32, ecn: Ecn, mut datagram: Vec<u8>) {
        // The same draws for every datagram: the fate of one does not change that of the next.
        let path = &self.path;
        let probabilities = [path.loss, path.duplication, path.reordering, path.damage, path.marking];
        let [lost, doubled, late, damaged, marked] = probabilities.map(|probability| self.random.happens(probability));
        let (extra, place, bits) =
            (self.random.up_to(10 * MILLISECOND), self.random.bits(), self.random.up_to(254) + 1);
        if lost || self.path.outage.is_some_and(|(from, to)| (from..to).contains(&now)) {
            return;
        }
        let begin = self.free.max(now);
        let waiting = u128::from(begin - now) * u128::from(self.path.rate) / u128::from(8 * SECOND);
        let length = datagram.len() as u64 + u64::from(overhead);
        if waiting as u64 + length > self.path.queue {
            return;
        }
        self.free = begin + (length * 8 * SECOND).div_ceil(self.path.rate);
        let arrival = self.free + self.path.delay;
        let ecn = if marked && ecn.is_capable() { Ecn::Ce } else { ecn };
        if damaged {
            let place = (place % datagram.len().max(1) as u64) as usize;
            datagram.iter_mut().skip(place).take(1).for_each(|byte| *byte ^= bits as u8);
        }
        if doubled {
            self.deliver(arrival + extra, ecn, datagram.clone());
        }
        self.deliver(if late { arrival + extra } else { arrival }, ecn, datagram);
    }

    /// Lets a datagram arrive at a time.
    pub fn deliver(&mut self, at: Nanos, ecn: Ecn, datagram: Vec<u8>) {
        self.count += 1;
        self.carried.insert((at, self.count), (ecn, datagram));
    }

    /// Time of the next arrival.
    pub fn next(&self) -> Option<Nanos> {
        self.carried.first_key_value().map(|(key, _)| key.0)
    }

    /// Removes the next datagram that has arrived by `now`.
    pub fn arrived(&mut self, now: Nanos) -> Option<(Ecn, Vec<u8>)> {
        if self.next()? > now {
            return None;
        }
        self.carried.pop_first().map(|(_, datagram)| datagram)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_datagram_takes_its_transmission_time_and_the_delay() {
        let mut pipe = Pipe::new(Path { queue: 2_500, ..Path::CLEAN }, [1; 32]);
        // 1250 bytes take 0.5 ms at 20 Mbit/s; two of them fill the queue, and the third is dropped.
        (0..3).for_each(|_| pipe.send(7, 250, Ecn::Ect0, vec![5; 1_000]));
        let half = MILLISECOND / 2;
        assert_eq!(pipe.next(), Some(7 + half + 20 * MILLISECOND));
        assert_eq!(pipe.arrived(6 + half + 20 * MILLISECOND), None);
        assert_eq!(pipe.arrived(7 + half + 20 * MILLISECOND), Some((Ecn::Ect0, vec![5; 1_000])));
        assert_eq!(pipe.next(), Some(7 + 2 * half + 20 * MILLISECOND));
        assert!(pipe.arrived(SECOND).is_some());
        assert_eq!((pipe.arrived(SECOND), pipe.next()), (None, None));
    }

    #[test]
    fn faults_have_the_probabilities_of_the_path() {
        let path =
            Path { loss: BILLION / 10, duplication: BILLION / 5, damage: BILLION / 2, queue: u64::MAX, ..Path::CLEAN };
        let mut pipe = Pipe::new(path, [2; 32]);
        (0..10_000).for_each(|at| pipe.send(at, 0, Ecn::NotEct, vec![0; 10]));
        let all: Vec<_> = std::iter::from_fn(|| pipe.arrived(u64::MAX)).collect();
        // Of 10,000 datagrams, 9000 arrive and 1800 of them twice; half of these have one byte that is not zero.
        assert!(all.len().abs_diff(10_800) < 200, "{}", all.len());
        let damaged =
            all.iter().filter(|(_, datagram)| datagram.iter().filter(|byte| **byte != 0).count() == 1).count();
        assert!(damaged.abs_diff(5_400) < 250, "{damaged}");
        assert!(all.iter().all(|(_, datagram)| datagram.iter().filter(|byte| **byte != 0).count() <= 1));
    }

    #[test]
    fn only_datagrams_of_capable_senders_are_marked() {
        let mut pipe = Pipe::new(Path { marking: BILLION / 4, queue: u64::MAX, ..Path::CLEAN }, [4; 32]);
        for (ecn, marks) in [(Ecn::NotEct, 0), (Ecn::Ect0, 1_000), (Ecn::Ect1, 1_000)] {
            (0..4_000).for_each(|at| pipe.send(at, 0, ecn, vec![0; 10]));
            let all: Vec<_> = std::iter::from_fn(|| pipe.arrived(u64::MAX)).collect();
            let marked = all.iter().filter(|(ecn, _)| *ecn == Ecn::Ce).count();
            // The standard deviation is 27.
            assert!(marked.abs_diff(marks) < 110 * usize::from(marks > 0) + 1, "{ecn:?}: {marked}");
        }
    }

    #[test]
    fn an_outage_loses_everything_in_its_time() {
        let mut pipe = Pipe::new(Path { outage: Some((10, 20)), ..Path::CLEAN }, [3; 32]);
        for (at, kept) in [(9, true), (10, false), (19, false), (20, true)] {
            pipe.send(at, 0, Ecn::NotEct, vec![1]);
            assert_eq!(pipe.arrived(u64::MAX).is_some(), kept, "{at}");
        }
    }
}
