//! The same seeds give the same datagrams, byte for byte.

use std::process::Command;

use ackclock_transport::Parameters;

use super::pipe::{MS, Path, World, download};
use super::stack_under_test::{CCS, ID_LENGTHS};

/// The variable that makes a test of this file print its hashes.
const CHILD: &str = "ACKCLOCK_QUIC_CHILD";

/// A download over a path with a bit of everything: losses, delays, copies and damage. Its log counts as well.
fn hash(seed: u8, cc: &str, size: usize) -> String {
    let parameters = Parameters::of(&[("cc", cc)], &[]);
    let path = Path { trouble: [10, 20, 10, 5], rate: 20_000_000, seed, parameters, log: true, ..Path::default() };
    let (mut world, _) = download(path, size, 60_000 * MS);
    let logs = [world.ends[0].take_log(), world.ends[1].take_log()];
    assert!(logs.iter().all(|log| !log.is_empty()));
    world.digest(&logs.concat());
    world.hash()
}

fn hashes() -> Vec<String> {
    // The last one probes the bandwidth only after a while.
    [300_000, 300_000, 3_000_000].iter().zip(CCS).map(|(size, cc)| hash(5, cc, *size)).collect()
}

#[test]
fn the_same_seed_gives_the_same_datagrams_and_another_gives_others() {
    assert_eq!(hashes(), hashes());
    let all = [1, 2, 3].map(|seed| hash(seed, CCS[0], 300_000));
    assert!(all[0] != all[1] && all[1] != all[2] && all[0] != all[2]);
}

/// The ids of a long header (RFC 9000, section 17.2): of the destination and of the source, in clear.
fn ids(datagram: &[u8]) -> [Vec<u8>; 2] {
    let id = |at: usize| datagram[at + 1..=at + usize::from(datagram[at])].to_vec();
    let destination = id(5);
    let source = id(6 + destination.len());
    [destination, source]
}

#[test]
fn the_connection_ids_come_from_the_seed() {
    let ids = |seed| {
        let mut world = World::new(Path { seed, ..Path::default() });
        world.run(100 * MS);
        let [[first, own], [to, servers]] = [ids(&world.first[0]), ids(&world.first[1])];
        assert_eq!([&first, &own, &to, &servers].map(Vec::len), ID_LENGTHS);
        assert_eq!(own, to, "the client's id");
        [first, own, servers]
    };
    assert_eq!(ids(1), ids(1));
    assert!(ids(1).iter().zip(ids(2)).all(|(one, other)| *one != other));
}

/// The system's clock and generator, hash tables with random keys and addresses differ between processes.
#[test]
fn every_process_gives_the_same_datagrams() {
    let own = hashes().join(" ");
    if std::env::var_os(CHILD).is_some() {
        println!("hashes {own}");
        return;
    }
    for _ in 0..3 {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "determinism::every_process_gives_the_same_datagrams", "--nocapture"])
            .env(CHILD, "1")
            .output()
            .unwrap();
        let text = String::from_utf8(child.stdout).unwrap();
        let theirs = text.split("hashes ").nth(1).and_then(|rest| rest.lines().next());
        assert_eq!(theirs, Some(&own[..]));
    }
}

#[test]
#[allow(clippy::disallowed_methods, reason = "the test is about threads")]
fn connections_on_other_threads_change_nothing() {
    let alone = [1, 2, 3, 4].map(|seed| hash(seed, CCS[0], 300_000));
    let threads = [1, 2, 3, 4].map(|seed| std::thread::spawn(move || hash(seed, CCS[0], 300_000)));
    let beside = threads.map(|thread| thread.join().unwrap());
    assert_eq!(alone, beside);
}

/// The ends of two connections take turns on one thread, and each draws from its own generator.
#[test]
fn connections_that_take_turns_change_nothing() {
    let path = |seed| Path { seed, ..Path::default() };
    let alone = [1, 2].map(|seed| {
        let mut world = World::new(path(seed));
        world.run(1000 * MS);
        world.hash()
    });
    let mut worlds = [1, 2].map(|seed| World::new(path(seed)));
    for time in 0..1000 {
        for world in &mut worlds {
            world.run(time * MS);
        }
    }
    assert_eq!(alone, worlds.map(|world| world.hash()));
}
