//! Loss, duplication, corruption, outages and reordering at a port.

use ackclock_net::queue::{Item, Settings, by_name};
use ackclock_net::server::{Interrupted, Opportunities, Playback, Trace};
use ackclock_net::{
    DropCause, Jitter, Limit, ListedLoss, Loss, NEVER, Nanos, Port, Propagation, RandomLoss, Schedule, Spread,
    Transmitter,
};
use proptest::prelude::*;

const MS: u64 = 1_000_000;

/// A port at which a packet of 1500 bytes takes 1 ms.
fn port(limit: Limit) -> Port<u64> {
    port_behind(limit, Schedule::constant(false))
}

fn port_behind(limit: Limit, down: Schedule<bool>) -> Port<u64> {
    let rate = ackclock_net::Rate::new(12_000_000).unwrap();
    let settings = Settings { rate, limit, packet_size: 1500, given: &[], seed: [0; 32] };
    let wire = Interrupted::new(Box::new(Transmitter::new(rate)), down);
    Port::new((by_name("drop-tail").unwrap().make)(&settings), Box::new(wire), 10 * MS)
}

fn listed(numbers: &[u64]) -> Loss {
    Loss::Listed(ListedLoss::new(numbers.into()))
}

/// Fates of packets by number: the arrival time and whether the packet is a copy, or the cause of the drop.
type Fates = Vec<(u64, Result<(Nanos, bool), DropCause>)>;

/// Offers packets of 1500 bytes at the given times, numbered from one.
fn offer(port: &mut Port<u64>, arrivals: impl IntoIterator<Item = Nanos>) -> Fates {
    let mut fates = Vec::new();
    let serve = |port: &mut Port<u64>, until: Nanos, fates: &mut Fates| {
        while port.due() <= until {
            let at = port.due();
            while let Some(sent) = port.poll(at) {
                fates.push((sent.packet, Ok((sent.passage.arrival, sent.is_copy))));
            }
        }
        while let Some(dropped) = port.dropped() {
            assert_eq!(dropped.passage.is_some(), matches!(dropped.cause, DropCause::Corruption | DropCause::Outage));
            fates.push((dropped.packet, Err(dropped.cause)));
        }
    };
    for (number, at) in (1..).zip(arrivals) {
        serve(port, at, &mut fates);
        port.arrive(at, Item { size: 1500, ..Item::default() }, number);
        serve(port, at, &mut fates);
    }
    serve(port, NEVER - 1, &mut fates);
    fates
}

#[test]
fn corrupted_packets_take_their_time_and_do_not_arrive() {
    let mut port = port(Limit::Packets(9)).with_corruption(listed(&[2]));
    let mut fates = offer(&mut port, [0, 0, 0]);
    fates.sort_by_key(|(number, _)| *number);
    assert_eq!(fates, [(1, Ok((11 * MS, false))), (2, Err(DropCause::Corruption)), (3, Ok((13 * MS, false)))]);
    let on_the_wire = port.carried(2 * MS - 1);
    let carried = port.carried(3 * MS);
    assert_eq!((carried.packets, carried.bytes, carried.wire_losses, carried.drops()), (3, 4500, 1, 0));
    assert_eq!(on_the_wire.packets, 2, "the last packet is still on the wire");
}

#[test]
fn a_packet_lost_on_the_wire_does_not_hide_the_next_one_of_the_same_instant() {
    let rate = ackclock_net::Rate::new(12_000_000).unwrap();
    let settings = Settings { rate, limit: Limit::Unlimited, packet_size: 1500, given: &[], seed: [0; 32] };
    let wire = Opportunities::new(Playback::new(Trace::parse(b"1").unwrap().into()));
    let queue = (by_name("drop-tail").unwrap().make)(&settings);
    let mut port = Port::new(queue, Box::new(wire), 0).with_corruption(listed(&[1]));
    for number in [1, 2] {
        port.arrive(0, Item { size: 700, ..Item::default() }, number);
    }
    let sent = port.poll(MS).expect("the second packet starts at the same time as the first");
    assert_eq!((sent.packet, sent.passage.departure), (2, MS));
}

#[test]
fn a_loss_on_the_wire_is_counted_when_the_packet_has_left() {
    let mut port = port(Limit::Packets(9)).with_corruption(listed(&[1]));
    port.arrive(0, Item { size: 1500, ..Item::default() }, 1);
    assert!(port.poll(0).is_none());
    let [before, after] = [MS - 1, MS].map(|at| (port.carried(at).packets, port.carried(at).wire_losses));
    assert_eq!((before, after), ((0, 0), (1, 1)));
}

#[test]
fn a_copy_follows_its_packet_into_the_queue() {
    let mut free = port(Limit::Packets(9)).with_duplication(listed(&[1]));
    let fates = offer(&mut free, [0, 0]);
    assert_eq!(fates, [(1, Ok((11 * MS, false))), (1, Ok((12 * MS, true))), (2, Ok((13 * MS, false)))]);
    assert_eq!((free.carried(NEVER).packets, free.carried(NEVER).duplicates), (3, 1));
    let mut full = port(Limit::Packets(2)).with_duplication(listed(&[2]));
    // The first packet is on the wire; the second packet and its copy fill the queue.
    let mut fates = offer(&mut full, [0, 0, 0]);
    fates.sort_by_key(|(number, _)| *number);
    let sent = |at, is_copy| Ok((at * MS, is_copy));
    assert_eq!(fates, [(1, sent(11, false)), (2, sent(12, false)), (2, sent(13, true)), (3, Err(DropCause::Queue))]);
    let mut lossy = port(Limit::Packets(9)).with_loss(listed(&[1])).with_duplication(listed(&[1]));
    let fates = offer(&mut lossy, [0, 0]);
    assert_eq!(
        fates,
        [(1, Err(DropCause::Loss)), (2, sent(11, false)), (2, sent(12, true))],
        "a lost packet is not copied"
    );
}

#[test]
fn an_outage_holds_waiting_packets_or_loses_sent_ones() {
    let down = Schedule::during(&[(2 * MS, 5 * MS)], None);
    let arrivals = || [0, 1, 2, 3, 4, 5].map(|at| at * MS);
    let mut holding = port_behind(Limit::Packets(9), down.clone());
    let arrived: Vec<_> = offer(&mut holding, arrivals()).into_iter().map(|(_, fate)| fate.unwrap().0 / MS).collect();
    assert_eq!(arrived, [11, 12, 16, 17, 18, 19]);
    let mut losing = port(Limit::Packets(9)).with_outages(down);
    let mut fates = offer(&mut losing, arrivals());
    fates.sort_by_key(|(number, _)| *number);
    let lost = Err(DropCause::Outage);
    let sent = |at| Ok((at * MS, false));
    assert_eq!(fates, [(1, sent(11)), (2, sent(12)), (3, lost), (4, lost), (5, lost), (6, sent(16))]);
}

#[test]
fn a_port_tells_whether_it_reorders() {
    let path = |steps: &[_], reorders| {
        let jitter = Jitter::new(Spread::Uniform(MS), reorders, [1; 32]);
        Propagation::new(Schedule::new(steps.to_vec(), None), Some(jitter))
    };
    let reorders = |path| port(Limit::Unlimited).with_path(path).reorders();
    assert!(!port(Limit::Unlimited).reorders() && !reorders(path(&[(0, 5)], false)));
    assert!(reorders(path(&[(0, 5)], true)) && reorders(path(&[(0, 10), (9, 5)], false)));
    assert!(reorders(path(&[(0, 5), (9, 10)], false)), "jitter keeps the order only while the delay stays the same");
    let mut port = port(Limit::Unlimited).with_path(path(&[(0, 50 * MS), (4 * MS, 5 * MS)], false));
    assert_eq!(port.delay(), 50 * MS);
    let arrivals: Vec<_> = offer(&mut port, (0..8).map(|at| at * MS)).iter().map(|fate| fate.1.unwrap().0).collect();
    assert!(!arrivals.is_sorted() && arrivals[..3].is_sorted() && arrivals[3..].is_sorted(), "{arrivals:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn every_packet_has_one_fate_and_is_counted(
        chances in prop::array::uniform3(0_u64..300_000_000),
        limit in prop_oneof![Just(Limit::Unlimited), (0_u64..9).prop_map(Limit::Packets)],
        outages in prop::collection::vec(1_u64..20, 0..8),
        gaps in prop::collection::vec(prop_oneof![Just(0), 0_u64..3 * MS], 1..200),
    ) {
        let mut at = 0;
        let ends: Vec<u64> = outages.iter().map(|gap| { at += gap * MS; at }).collect();
        let intervals: Vec<_> = ends.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        let random = |chance, seed| Loss::Random(RandomLoss::new(chance, [seed; 32]));
        let mut port = port(limit)
            .with_loss(random(chances[0], 1))
            .with_duplication(random(chances[1], 2))
            .with_corruption(random(chances[2], 3))
            .with_outages(Schedule::during(&intervals, None));
        let mut at = 0;
        let fates = offer(&mut port, gaps.iter().map(|gap| { at += gap; at }));
        let carried = port.carried(NEVER);
        let count = |cause| fates.iter().filter(|(_, fate)| *fate == Err(cause)).count() as u64;
        prop_assert_eq!(carried.losses, count(DropCause::Loss));
        prop_assert_eq!(carried.queue_drops, count(DropCause::Queue));
        prop_assert_eq!(carried.wire_losses, count(DropCause::Corruption) + count(DropCause::Outage));
        let arrived = fates.iter().filter(|(_, fate)| fate.is_ok()).count() as u64;
        prop_assert_eq!(carried.packets - carried.wire_losses, arrived);
        prop_assert_eq!(carried.packets + carried.drops(), gaps.len() as u64 + carried.duplicates);
        prop_assert_eq!(fates.len() as u64, gaps.len() as u64 + carried.duplicates);
        let mut numbers: Vec<_> = fates.iter().map(|(number, _)| *number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        prop_assert_eq!(numbers.len(), gaps.len());
        prop_assert_eq!(port.backlog(), (0, 0));
    }
}
