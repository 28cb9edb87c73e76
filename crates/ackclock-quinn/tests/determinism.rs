//! The same seeds give the same datagrams, byte for byte.

#[allow(dead_code, reason = "each test uses a part of it")]
mod pipe;

use std::process::Command;

use ackclock_transport::Parameters;
use pipe::{MS, Path, download, parameters};

/// The variable that makes a test of this file print its hashes.
const CHILD: &str = "ACKCLOCK_QUINN_CHILD";

/// A download over a path with a bit of everything: losses, delays, copies and damage.
fn hash(seed: u8, parameters: Parameters) -> String {
    let path = Path { trouble: [10, 20, 10, 5], rate: 20_000_000, seed, parameters, log: true, ..Path::default() };
    let (mut world, _) = download(path, 300_000, 60_000 * MS);
    let logs = [world.ends[0].take_log(), world.ends[1].take_log()];
    assert!(logs.iter().all(|log| !log.is_empty()));
    world.digest(&logs.concat());
    world.hash()
}

fn hashes() -> Vec<String> {
    ["cubic", "newreno", "bbr"].map(|cc| hash(5, parameters(&[("cc", cc)], &[]))).to_vec()
}

#[test]
fn the_same_seed_gives_the_same_datagrams_and_another_gives_others() {
    assert_eq!(hashes(), hashes());
    let all = [1, 2, 3].map(|seed| hash(seed, Parameters::default()));
    assert!(all[0] != all[1] && all[1] != all[2] && all[0] != all[2]);
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
