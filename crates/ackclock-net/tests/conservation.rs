//! Every queue of the catalogue gives each packet back once, and tells of what it holds.

use std::num::NonZeroU64;

use ackclock_net::Limit;
use ackclock_net::queue::{CATALOGUE, Drops, Ecn, Item, Next, Settings};
use proptest::prelude::*;

const FIELDS: [Ecn; 4] = [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce];

fn limits() -> impl Strategy<Value = Limit> {
    prop_oneof![Just(Limit::Unlimited), (1_u64..40).prop_map(Limit::Packets), (1500_u64..40_000).prop_map(Limit::Bytes)]
}

/// Packets and bytes that went in and have not come out.
#[derive(Default)]
struct Held {
    sizes: Vec<Option<(u32, Ecn)>>,
}

impl Held {
    fn out(&mut self, item: &Item) {
        let (size, ecn) = self.sizes[item.id as usize].take().expect("a packet comes out once");
        assert_eq!(item.size, size);
        assert!(item.ecn == ecn || (item.ecn == Ecn::Ce && ecn.is_capable()), "{ecn:?} became {:?}", item.ecn);
    }

    fn backlog(&self) -> (u64, u64) {
        let held = self.sizes.iter().flatten();
        held.fold((0, 0), |(packets, bytes), (size, _)| (packets + 1, bytes + u64::from(*size)))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn packets_are_conserved(
        limit in limits(),
        seed in any::<[u8; 32]>(),
        calls in prop::collection::vec((0_u64..4_000_000, 0_usize..3, 40_u32..=1500, 0_u64..6, 0_usize..4), 1..400),
    ) {
        for entry in CATALOGUE {
            let rate = NonZeroU64::new(10_000_000).unwrap();
            let settings = Settings { rate, limit, packet_size: 1500, given: &[], seed };
            let mut queue = (entry.make)(&settings);
            let (mut held, mut drops, mut now) = (Held::default(), Drops::new(), 0);
            for (gap, kind, size, flow, ecn) in &calls {
                now += gap;
                if *kind < 2 {
                    let (id, ecn) = (held.sizes.len() as u32, FIELDS[*ecn]);
                    held.sizes.push(Some((*size, ecn)));
                    let item = Item { id, size: *size, flow: *flow, ecn, arrival: now, ..Item::default() };
                    queue.enqueue(now, item, &mut drops);
                } else if let Next::Send(item) = queue.dequeue(now, &mut drops) {
                    held.out(&item);
                }
                drops.drain(..).for_each(|(item, _)| held.out(&item));
                prop_assert_eq!(queue.backlog(), held.backlog(), "{}", entry.name);
                let (packets, bytes) = queue.backlog();
                prop_assert!(limit.allows(packets, bytes), "{}", entry.name);
            }
            loop {
                match queue.dequeue(now, &mut drops) {
                    Next::Send(item) => held.out(&item),
                    Next::Wait(until) => now = until,
                    Next::Empty => break,
                }
                drops.drain(..).for_each(|(item, _)| held.out(&item));
            }
            drops.drain(..).for_each(|(item, _)| held.out(&item));
            prop_assert_eq!((queue.backlog(), held.backlog()), ((0, 0), (0, 0)), "{}", entry.name);
        }
    }
}
