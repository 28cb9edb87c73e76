//! Unidirectional streams with priorities and resets, in examples that can be worked by hand: 10 Mbit/s and 10 ms in each
//! direction, so that 50 kB take 40 ms besides headers.

use ackclock_transport::{Event, StreamId};

use super::pipe::{MS, Path, World};
use ackclock_core::Nanos;

/// Bytes of a group, which the window at the start holds.
const GROUP: usize = 8_000;
const CODE: u64 = 2;

/// A connected world, in which the client's next datagram has the number `first`.
fn connected(path: Path) -> (World, u64) {
    let mut world = World::new(path);
    assert!(world.until(1, 1000 * MS, |event| *event == Event::Connected));
    let later = world.now + 200 * MS;
    world.run(later);
    let first = world.sent[0];
    (world, first)
}

/// Opens a stream of the client and writes bytes and the end to it.
fn group(world: &mut World, bytes: usize, priority: i32) -> StreamId {
    let now = world.now;
    let stream = world.ends[0].open_unidirectional(now).expect("a stream");
    world.ends[0].prioritize(now, stream, priority);
    assert_eq!(world.ends[0].write(now, stream, &vec![stream as u8; bytes]), bytes);
    world.ends[0].finish(now, stream);
    stream
}

/// The bytes that the server has read of a stream, and the time of its end with the event.
#[derive(Clone, PartialEq, Debug, Default)]
struct Seen {
    bytes: usize,
    end: Option<(Nanos, Event)>,
}

/// Runs until a time; the server reads all that arrives.
fn read(world: &mut World, seen: &mut std::collections::BTreeMap<StreamId, Seen>, limit: Nanos) {
    let mut done = 0;
    let mut buffer = vec![0; 4096];
    loop {
        while let Some((at, event)) = world.events[1].get(done).cloned() {
            done += 1;
            match event {
                Event::OpenedUnidirectional(stream) => drop(seen.entry(stream).or_default()),
                Event::Readable(stream) => {
                    loop {
                        let now = world.now;
                        let length = world.ends[1].read(now, stream, &mut buffer);
                        if length == 0 {
                            break;
                        }
                        assert!(buffer[..length].iter().all(|byte| *byte == stream as u8));
                        seen.entry(stream).or_default().bytes += length;
                    }
                    world.settle(1);
                }
                Event::PeerFinished(stream) | Event::Reset(stream, _) => {
                    let end = &mut seen.entry(stream).or_default().end;
                    if end.is_none() {
                        *end = Some((at, event));
                    }
                }
                _ => {}
            }
        }
        if world.step(limit).is_none() && world.events[1].len() == done {
            return;
        }
    }
}

/// A group is sent at 0 ms and the next at 5 ms; the first datagram of the first is lost. The ACK of the datagram that
/// overtakes it by three returns after an RTT, and the retransmission arrives an RTT and a half after the loss, about
/// 31 ms after the start. The next group is there before, as no stream waits for another (RFC 9000, section 2.2).
#[test]
fn a_loss_in_a_group_delays_this_group_alone() {
    let (_, first) = connected(Path::default());
    let (mut world, _) = connected(Path { lost: vec![first], ..Path::default() });
    let start = world.now;
    let mut seen = std::collections::BTreeMap::new();
    let one = group(&mut world, GROUP, 1);
    world.settle(0);
    read(&mut world, &mut seen, start + 5 * MS);
    let two = group(&mut world, 3_000, 2);
    world.settle(0);
    read(&mut world, &mut seen, start + 1000 * MS);
    let (late, lost) = seen[&one].end.clone().unwrap();
    let (soon, kept) = seen[&two].end.clone().unwrap();
    assert_eq!((lost, kept), (Event::PeerFinished(one), Event::PeerFinished(two)));
    assert_eq!((seen[&one].bytes, seen[&two].bytes), (GROUP, 3_000));
    assert_eq!(soon, start + 15 * MS);
    assert!((start + 30 * MS..start + 36 * MS).contains(&late), "{} ns", late - start);
}

/// The same as above, and the first group is reset at 12 ms, before its loss is known. None of its bytes is
/// retransmitted: the server learns of the reset at 22 ms, and reads nothing of a stream whose first bytes are missing.
#[test]
fn a_reset_group_is_not_retransmitted() {
    let (_, first) = connected(Path::default());
    let (mut world, _) = connected(Path { lost: vec![first], ..Path::default() });
    let start = world.now;
    let mut seen = std::collections::BTreeMap::new();
    let one = group(&mut world, GROUP, 1);
    world.settle(0);
    read(&mut world, &mut seen, start + 12 * MS);
    let (now, bytes) = (world.now, world.bytes[0]);
    world.ends[0].reset(now, one, CODE);
    world.settle(0);
    read(&mut world, &mut seen, start + 1000 * MS);
    assert_eq!(seen[&one], Seen { bytes: 0, end: Some((start + 22 * MS, Event::Reset(one, CODE))) });
    // A few datagrams with the reset and ACKs, and no datagram of full size.
    assert!(world.bytes[0] - bytes < 400, "{}", world.bytes[0] - bytes);
    let delivered = world.events[0].iter().any(|(_, event)| *event == Event::Delivered(one));
    assert!(!delivered, "a reset stream is not delivered");
}

/// A lost RESET_STREAM is sent again (RFC 9000, section 13.3).
#[test]
fn a_lost_reset_is_sent_again() {
    let (_, first) = connected(Path::default());
    // The group has seven datagrams, and the reset is in the eighth.
    let (mut world, _) = connected(Path { lost: vec![first, first + 7], ..Path::default() });
    let start = world.now;
    let mut seen = std::collections::BTreeMap::new();
    let one = group(&mut world, GROUP, 1);
    world.settle(0);
    assert_eq!(world.sent[0] - first, 7);
    read(&mut world, &mut seen, start + 2 * MS);
    let now = world.now;
    world.ends[0].reset(now, one, CODE);
    world.settle(0);
    assert_eq!(world.sent[0] - first, 8);
    read(&mut world, &mut seen, start + 1000 * MS);
    let (at, event) = seen[&one].end.clone().unwrap();
    assert_eq!((seen[&one].bytes, event), (0, Event::Reset(one, CODE)));
    assert!(at > start + 22 * MS, "{}", at - start);
}

/// Five groups are written at once, of which the newest is the most urgent. They end in the order of their priorities, each
/// about 40 ms after the one before it, which is the time of its bytes.
#[test]
fn groups_end_in_the_order_of_their_priorities() {
    let (mut world, _) = connected(Path { rate: 10_000_000, queue: 1000, ..Path::default() });
    let start = world.now;
    let mut seen = std::collections::BTreeMap::new();
    let streams: Vec<_> = (0..5).map(|priority| group(&mut world, 50_000, priority)).collect();
    world.settle(0);
    read(&mut world, &mut seen, start + 2000 * MS);
    let ends: Vec<_> = streams.iter().rev().map(|stream| seen[stream].end.clone().unwrap()).collect();
    for (stream, (_, event)) in streams.iter().rev().zip(&ends) {
        assert_eq!(*event, Event::PeerFinished(*stream));
    }
    assert!(ends.is_sorted_by_key(|(at, _)| *at), "{ends:?}");
    let between: Vec<_> = ends.windows(2).skip(1).map(|pair| (pair[1].0 - pair[0].0) / MS).collect();
    assert!(between.iter().all(|time| (38..60).contains(time)), "{between:?}");
}

/// A stream of a higher priority that is written while others have bytes to send overtakes them.
#[test]
fn a_newer_group_overtakes_an_older_one() {
    let (mut world, _) = connected(Path { rate: 10_000_000, queue: 1000, ..Path::default() });
    let start = world.now;
    let mut seen = std::collections::BTreeMap::new();
    let old = group(&mut world, 400_000, 1);
    world.settle(0);
    read(&mut world, &mut seen, start + 150 * MS);
    let new = group(&mut world, 10_000, 2);
    world.settle(0);
    read(&mut world, &mut seen, start + 3000 * MS);
    let [first, last] = [new, old].map(|stream| seen[&stream].end.clone().unwrap().0);
    assert!(first < last, "{first} {last}");
    assert!(last - start > 320 * MS, "400 kB take 320 ms");
}
