//! The analytic link against a link that is simulated packet by packet, with a dequeue event for each packet and exact
//! rational time.

use ackclock_net::Rate;
use std::collections::VecDeque;

use ackclock_net::{Carried, DropCause, Limit, Link, Loss, RandomLoss, Refusal};
use proptest::prelude::*;

/// A link with times in units of `1 / rate` ns.
struct Slow {
    rate: u128,
    limit: Limit,
    waiting: VecDeque<(usize, u32)>,
    /// The packet on the wire, and when its last bit leaves.
    wire: Option<(usize, u32, u128)>,
    starts: Vec<Option<u128>>,
    departures: Vec<Option<u128>>,
    dropped: Vec<usize>,
    carried_bytes: u64,
}

impl Slow {
    fn dequeue(&mut self, now: u128) {
        if self.wire.is_none()
            && let Some((index, size)) = self.waiting.pop_front()
        {
            self.starts[index] = Some(now);
            self.wire = Some((index, size, now + u128::from(size) * 8_000_000_000));
        }
    }

    /// Completes every transmission that ends by `now`.
    fn run_until(&mut self, now: u128) {
        while let Some((index, size, end)) = self.wire
            && end <= now
        {
            self.departures[index] = Some(end);
            self.carried_bytes += u64::from(size);
            self.wire = None;
            self.dequeue(end);
        }
    }

    fn arrive(&mut self, at: u64, index: usize, size: u32) {
        let now = u128::from(at) * self.rate;
        self.run_until(now);
        let queued: u64 = self.waiting.iter().map(|(_, size)| u64::from(*size)).sum();
        let room = match self.limit {
            Limit::Unlimited => true,
            Limit::Packets(packets) => (self.waiting.len() as u64) < packets,
            Limit::Bytes(bytes) => queued + u64::from(size) <= bytes,
        };
        if self.wire.is_none() || room {
            self.waiting.push_back((index, size));
        } else {
            self.dropped.push(index);
        }
        self.dequeue(now);
    }
}

fn limits() -> impl Strategy<Value = Limit> {
    prop_oneof![Just(Limit::Unlimited), (0_u64..12).prop_map(Limit::Packets), (0_u64..9000).prop_map(Limit::Bytes),]
}

/// Gaps and sizes around the duration of one packet: bursts, idle times, and arrivals exactly at a departure.
fn arrivals(rate: u64) -> impl Strategy<Value = Vec<(u64, u32)>> {
    let packet = 1500 * 8_000_000_000 / rate;
    let gap = prop_oneof![Just(0), Just(packet), 0..=packet * 3, Just(packet + 1)];
    let size = prop_oneof![3 => Just(1500_u32), 1 => Just(40), 1 => 1_u32..3000];
    prop::collection::vec((gap, size), 1..120)
}

fn cases() -> impl Strategy<Value = (u64, u64, Limit, Vec<(u64, u32)>)> {
    let rates = prop_oneof![Just(1_000_000_u64), Just(100_000_000), Just(7), Just(999_999_937), 1_u64..10_000_000_000];
    (rates, 0_u64..1_000_000, limits())
        .prop_flat_map(|(rate, delay, limit)| (Just(rate), Just(delay), Just(limit), arrivals(rate)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_analytic_link_equals_the_slow_one((rate, delay, limit, arrivals) in cases(), horizon in 0.0..1.0) {
        let mut link = Link::new(Rate::new(rate).unwrap(), delay, limit);
        let mut unlimited = (limit == Limit::Unlimited).then(|| Link::uncounted(Rate::new(rate).unwrap(), delay));
        let mut slow = Slow {
            rate: u128::from(rate), limit, waiting: VecDeque::new(), wire: None,
            starts: vec![None; arrivals.len()], departures: vec![None; arrivals.len()], dropped: Vec::new(), carried_bytes: 0,
        };
        let mut at = 0;
        let mut passages = Vec::new();
        for (index, (gap, size)) in arrivals.iter().enumerate() {
            at += gap;
            let passage = link.offer(at, *size);
            if let Some(link) = &mut unlimited {
                prop_assert_eq!(link.offer(at, *size), passage);
            }
            passages.push(passage);
            slow.arrive(at, index, *size);
        }
        // Counts are compared at a moment at or after the last arrival.
        let last = passages.iter().flatten().map(|passage| passage.departure).max().unwrap_or(at).max(at);
        let moment = at + ((last - at) as f64 * horizon) as u64;
        slow.run_until(u128::from(moment) * u128::from(rate));
        let carried = link.carried(moment).unwrap();
        prop_assert_eq!(carried.packets, slow.departures.iter().flatten().count() as u64);
        prop_assert_eq!(carried.bytes, slow.carried_bytes);
        prop_assert_eq!((carried.queue_drops, carried.losses), (slow.dropped.len() as u64, 0));

        slow.run_until(u128::MAX);
        for (index, passage) in passages.iter().enumerate() {
            prop_assert_eq!(*passage == Err(Refusal::Drop(DropCause::Queue)), slow.dropped.contains(&index));
            if let Ok(passage) = passage {
                let rate = u128::from(rate);
                prop_assert_eq!(u128::from(passage.start), slow.starts[index].unwrap().div_ceil(rate));
                prop_assert_eq!(u128::from(passage.departure), slow.departures[index].unwrap().div_ceil(rate));
                prop_assert_eq!(passage.arrival, passage.departure + delay);
            }
        }
    }
}

/// Packets lost at random do not affect the others, which pass as on a lossless link.
#[test]
fn a_lossy_link_passes_the_remaining_packets_like_a_lossless_one() {
    let rate = Rate::new(1_000_000).unwrap();
    let loss = || Loss::Random(RandomLoss::new(200_000_000, [7; 32]));
    let mut lossy = Link::new(rate, 5, Limit::Packets(3)).with_loss(loss());
    let mut clean = Link::new(rate, 5, Limit::Packets(3));
    let mut draws = loss();
    for index in 0..2000 {
        // Every 60 ms ten packets of 12 ms arrive.
        let at = index / 10 * 60_000_000;
        let expected = if draws.strikes(at) { Err(Refusal::Drop(DropCause::Loss)) } else { clean.offer(at, 1500) };
        assert_eq!(lossy.offer(at, 1500), expected);
    }
    let (lossy, clean) = (lossy.carried(u64::MAX).unwrap(), clean.carried(u64::MAX).unwrap());
    assert_eq!(lossy, Carried { losses: lossy.losses, ..clean });
    assert!(lossy.losses > 300 && lossy.queue_drops > 300);
    assert_eq!(lossy.packets + lossy.drops(), 2000, "every packet has passed, found no room or was lost");
}
