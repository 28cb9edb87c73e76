//! The same seeds give the same datagrams, byte for byte.

#[allow(dead_code, reason = "each test uses a part of it")]
mod pipe;

use std::process::Command;

use ackclock_quinn::stack;
use ackclock_transport::Parameters;
use pipe::{MS, Path, download, parameters};

/// The variable that makes a test of this file print its hashes.
const CHILD: &str = "ACKCLOCK_QUINN_CHILD";

/// A download over a path with a bit of everything: losses, delays, copies and damage.
fn hash(seed: u8, parameters: Parameters) -> String {
    hash_of(seed, parameters, 300_000)
}

fn hash_of(seed: u8, parameters: Parameters, size: usize) -> String {
    let path = Path { trouble: [10, 20, 10, 5], rate: 20_000_000, seed, parameters, log: true, ..Path::default() };
    let (mut world, _) = download(path, size, 60_000 * MS);
    let logs = [world.ends[0].take_log(), world.ends[1].take_log()];
    assert!(logs.iter().all(|log| !log.is_empty()));
    world.digest(&logs.concat());
    world.hash()
}

fn hashes() -> Vec<String> {
    // bbr probes the bandwidth only after a while.
    let sizes = [("cubic", 300_000), ("newreno", 300_000), ("bbr", 3_000_000)];
    sizes.map(|(cc, size)| hash_of(5, parameters(&[("cc", cc)], &[]), size)).to_vec()
}

#[test]
fn the_same_seed_gives_the_same_datagrams_and_another_gives_others() {
    assert_eq!(hashes(), hashes());
    let all = [1, 2, 3].map(|seed| hash(seed, Parameters::default()));
    assert!(all[0] != all[1] && all[1] != all[2] && all[0] != all[2]);
}

/// RFC 9000, section 17.2: a long header has both connection ids in clear.
#[test]
fn the_connection_ids_come_from_the_seed() {
    let ids = |seed| {
        let mut world = pipe::World::new(Path { seed, ..Path::default() });
        world.run(100 * MS);
        let [client, server] = &world.first;
        assert_eq!((client[5], client[26], server[5], server[14]), (20, 8, 8, 8), "lengths of ids");
        assert_eq!(client[27..35], server[6..14], "the client's id");
        [client[6..26].to_vec(), client[27..35].to_vec(), server[15..23].to_vec()]
    };
    assert_eq!(ids(1), ids(1));
    assert!(ids(1).iter().zip(ids(2)).all(|(one, other)| *one != other));
}

/// Hash tables with random keys differ between processes, and so do addresses.
#[test]
fn every_process_gives_the_same_datagrams() {
    let own = hashes().join(" ");
    if std::env::var_os(CHILD).is_some() {
        println!("hashes {own}");
        return;
    }
    for _ in 0..3 {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "every_process_gives_the_same_datagrams", "--nocapture"])
            .env(CHILD, "1")
            .output()
            .unwrap();
        let text = String::from_utf8(child.stdout).unwrap();
        let theirs = text.split("hashes ").nth(1).and_then(|rest| rest.lines().next());
        assert_eq!(theirs, Some(&own[..]));
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test is about threads")]
fn connections_on_other_threads_change_nothing() {
    let alone = [1, 2, 3, 4].map(|seed| hash(seed, Parameters::default()));
    let threads = [1, 2, 3, 4].map(|seed| std::thread::spawn(move || hash(seed, Parameters::default())));
    let beside = threads.map(|thread| thread.join().unwrap());
    assert_eq!(alone, beside);
}

/// The ends of two connections take turns on one thread, and each draws from its own generator.
#[test]
fn connections_that_take_turns_change_nothing() {
    let path = |seed| Path { seed, ..Path::default() };
    let alone = [1, 2].map(|seed| {
        let mut world = pipe::World::new(path(seed));
        world.run(1000 * MS);
        world.hash()
    });
    let mut worlds = [1, 2].map(|seed| pipe::World::new(path(seed)));
    for time in 0..1000 {
        for world in &mut worlds {
            world.run(time * MS);
        }
    }
    assert_eq!(alone, worlds.map(|world| world.hash()));
}
