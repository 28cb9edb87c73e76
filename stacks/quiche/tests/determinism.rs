//! The same seeds give the same datagrams, byte for byte.

#[path = "../../../crates/ackclock-quinn/tests/pipe/mod.rs"]
#[allow(dead_code, reason = "each test uses a part of it")]
mod pipe;

use std::process::Command;

use ackclock_quiche::stack;
use pipe::{MS, Path, World, download, parameters};

/// The variable that makes a test of this file print its hashes.
const CHILD: &str = "ACKCLOCK_QUICHE_CHILD";

/// A download over a path with a bit of everything: losses, delays, copies and damage. Its log counts as well.
fn hash(seed: u8, cc: &str, size: usize) -> String {
    let parameters = parameters(&[("cc", cc)], &[]);
    let path = Path { trouble: [10, 20, 10, 5], rate: 20_000_000, seed, parameters, log: true, ..Path::default() };
    let (mut world, _) = download(path, size, 60_000 * MS);
    let logs = [world.ends[0].take_log(), world.ends[1].take_log()];
    assert!(logs.iter().all(|log| !log.is_empty()));
    world.digest(&logs.concat());
    world.hash()
}

fn hashes() -> Vec<String> {
    // bbr2 probes the bandwidth only after a while.
    [("cubic", 300_000), ("reno", 300_000), ("bbr2", 3_000_000)].map(|(cc, size)| hash(5, cc, size)).to_vec()
}

#[test]
fn the_same_seed_gives_the_same_datagrams_and_another_gives_others() {
    assert_eq!(hashes(), hashes());
    let all = [1, 2, 3].map(|seed| hash(seed, "cubic", 300_000));
    assert!(all[0] != all[1] && all[1] != all[2] && all[0] != all[2]);
}

/// RFC 9000, section 17.2: a long header has both connection ids in clear.
#[test]
fn the_connection_ids_come_from_the_seed() {
    let ids = |seed| {
        let mut world = World::new(Path { seed, ..Path::default() });
        world.run(100 * MS);
        let [client, server] = &world.first;
        assert_eq!((client[5], client[22], server[5], server[26]), (16, 20, 20, 20), "lengths of ids");
        assert_eq!(client[23..43], server[6..26], "the client's id");
        [client[6..22].to_vec(), client[23..43].to_vec(), server[27..47].to_vec()]
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
fn connections_on_other_threads_change_nothing() {
    let alone = [1, 2, 3, 4].map(|seed| hash(seed, "cubic", 300_000));
    let threads = [1, 2, 3, 4].map(|seed| std::thread::spawn(move || hash(seed, "cubic", 300_000)));
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

/// The log has simulated times and the fixed date, and nothing of the system's.
#[test]
fn the_log_has_simulated_times() {
    let path = Path { log: true, ..Path::default() };
    let (mut world, time) = download(path, 10_000, 1000 * MS);
    for end in [0, 1] {
        let log = String::from_utf8(world.ends[end].take_log()).unwrap();
        let mut records = log.split('\x1e').filter(|record| !record.is_empty());
        assert!(records.next().unwrap().contains("2026-01-01T00:00:00"));
        let times: Vec<f64> = records
            .map(|record| serde_json::from_str::<serde_json::Value>(record).unwrap()["time"].as_f64().unwrap())
            .collect();
        assert!(times.len() > 20 && times.is_sorted(), "{times:?}");
        let [first, last] = [times[0], times[times.len() - 1]];
        // The answer leaves at 30 ms.
        assert!(first < 20.0 && (30.0..=(time / MS) as f64).contains(&last), "{times:?}");
    }
}
