//! A port with a drop-tail queue against the link that computes its times when packets arrive.

use std::sync::{Arc, Mutex};

use ackclock_net::queue::{Discipline, Drops, Item, Next, Settings, by_name};
use ackclock_net::{DropCause, Limit, Link, NEVER, Passage, Port, Refusal, Transmitter};
use proptest::prelude::*;

fn limits() -> impl Strategy<Value = Limit> {
    prop_oneof![Just(Limit::Unlimited), (1_u64..20).prop_map(Limit::Packets), (1500_u64..20_000).prop_map(Limit::Bytes)]
}

proptest! {
    #[test]
    fn a_drop_tail_port_equals_the_link(
        rate in 1_000_000_u64..20_000_000,
        delay in 0_u64..50_000_000,
        limit in limits(),
        packets in prop::collection::vec((0_u64..3_000_000, 40_u32..=1500), 1..300),
    ) {
        let rate = ackclock_net::Rate::new(rate).unwrap();
        let settings = Settings { rate, limit, packet_size: 1500, given: &[], seed: [0; 32] };
        let queue = (by_name("drop-tail").unwrap().make)(&settings);
        let mut port = Port::new(queue, Box::new(Transmitter::new(rate)), delay);
        let mut link = Link::new(rate, delay, limit);
        let mut expected: Vec<Result<Passage, DropCause>> = Vec::new();
        let mut found = vec![None; packets.len()];
        let mut now = 0;
        let serve = |port: &mut Port<usize>, until: u64, found: &mut Vec<_>| {
            while port.due() <= until {
                let at = port.due();
                while let Some(sent) = port.poll(at) {
                    found[sent.packet] = Some(Ok(sent.passage));
                }
            }
        };
        for (number, (gap, size)) in packets.iter().enumerate() {
            now += gap;
            serve(&mut port, now, &mut found);
            port.arrive(now, Item { size: *size, ..Item::default() }, number);
            while let Some(dropped) = port.dropped() {
                found[dropped.packet] = Some(Err(dropped.cause));
            }
            expected.push(link.offer(now, *size).map_err(|refusal| match refusal {
                Refusal::Drop(cause) => cause,
                Refusal::Port => unreachable!(),
            }));
            serve(&mut port, now, &mut found);
            prop_assert_eq!(Some(port.carried(now)), link.carried(now));
        }
        serve(&mut port, NEVER - 1, &mut found);
        prop_assert_eq!(found, expected.into_iter().map(Some).collect::<Vec<_>>());
    }
}

/// Call of a discipline, with its time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Call {
    Enqueue(u64),
    Dequeue(u64),
}

/// A discipline that holds at most one packet and records its calls.
#[derive(Default)]
struct Recorder {
    calls: Arc<Mutex<Vec<Call>>>,
    item: Option<Item>,
}

impl Discipline for Recorder {
    fn enqueue(&mut self, at: u64, item: Item, _drops: &mut Drops) {
        self.calls.lock().unwrap().push(Call::Enqueue(at));
        self.item = Some(item);
    }

    fn dequeue(&mut self, at: u64, _drops: &mut Drops) -> Next {
        self.calls.lock().unwrap().push(Call::Dequeue(at));
        self.item.take().map_or(Next::Empty, Next::Send)
    }

    fn backlog(&self) -> (u64, u64) {
        self.item.map_or((0, 0), |item| (1, u64::from(item.size)))
    }
}

#[test]
fn an_empty_queue_is_polled_before_a_packet_arrives_at_an_idle_wire() {
    let queue = Recorder::default();
    let calls = Arc::clone(&queue.calls);
    // A packet of 1000 bytes takes 1 ms.
    let mut port =
        Port::new(Box::new(queue), Box::new(Transmitter::new(ackclock_net::Rate::new(8_000_000).unwrap())), 0);
    let mut arrive = |at| {
        port.arrive(at, Item { size: 1000, ..Item::default() }, ());
        let due = port.due();
        assert!(port.poll(due).is_some());
        std::mem::take(&mut *calls.lock().unwrap())
    };
    assert_eq!(arrive(5), [Call::Dequeue(5), Call::Enqueue(5), Call::Dequeue(5)]);
    assert_eq!(arrive(1_000_004), [Call::Enqueue(1_000_004), Call::Dequeue(1_000_005)], "the wire is busy");
    let at = 2_000_005;
    assert_eq!(arrive(at), [Call::Dequeue(at), Call::Enqueue(at), Call::Dequeue(at)], "the wire becomes free");
}

/// Three segments of 1000, 1000 and 500 bytes take 1, 1 and 0.5 ms.
#[test]
fn a_port_that_sends_parts_counts_each_segment_when_it_has_left() {
    let counts = |parts: bool| {
        let wire = Transmitter::new(ackclock_net::Rate::new(8_000_000).unwrap());
        let mut port = Port::new(Box::new(Recorder::default()), Box::new(wire), 0);
        if parts {
            port = port.with_parts();
        }
        port.arrive(0, Item { size: 2500, part: 1000, ..Item::default() }, ());
        assert!(port.poll(0).is_some());
        [999_999, 1_000_000, 2_000_000, 2_499_999, 2_500_000].map(|at| {
            let carried = port.carried(at);
            (carried.packets, carried.bytes)
        })
    };
    assert_eq!(counts(true), [(0, 0), (1, 1000), (2, 2000), (2, 2000), (3, 2500)]);
    assert_eq!(counts(false), [(0, 0), (0, 0), (0, 0), (0, 0), (3, 2500)]);
}

#[test]
fn parts_of_a_packet_arrive_in_order_behind_a_delay_that_has_fallen() {
    // The packet before arrived at 9; this one departs from 4 to 8 and arrives at 10.
    let passage = Passage { start: 4, departure: 8, arrival: 10 };
    assert_eq!([1, 2, 4].map(|upto| passage.departure_of(upto, 4)), [5, 6, 8]);
    assert_eq!([1, 2, 4].map(|upto| passage.arrival_of(upto, 4, 0)), [7, 8, 10]);
    assert_eq!([1, 2, 4].map(|upto| passage.arrival_of(upto, 4, 9)), [9, 9, 10]);
}
