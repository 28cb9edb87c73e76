//! A RemyCC table on a path: the sender follows the table's rules and nothing else.

mod common;

use ackclock_tcp::cc::remycc::{self, Action, Node, Range, Table};
use ackclock_tcp::{Config, MILLISECOND, SECOND};
use common::path::{HEADERS, Path};
use common::{MSS, Script, config, linux};

const UPPER: f64 = 16_384.0;

/// Below an RTT of 1.2 times the smallest, each ACK adds a segment, above it each ACK removes one; `tau` is the time
/// between segments, ms.
fn table(tau: f64) -> Table {
    let range = |low: f64, high: f64| Range { lower: [0.0, 0.0, low, 0.0], upper: [UPPER, UPPER, high, 0.0] };
    let below = Node::Leaf(range(0.0, 1.2), Action { increment: 1, multiple: 1.0, intersend: tau });
    let above = Node::Leaf(range(1.2, UPPER), Action { increment: -1, multiple: 1.0, intersend: tau });
    Table::new(Node::Inner(range(0.0, UPPER), vec![below, above]), 3).expect("a table")
}

/// A path of one segment per millisecond, with an RTT of 100 ms.
fn path(tau: f64, base: Config) -> Path {
    let bytes = table(tau).encode();
    let table = Table::decode(&bytes).expect("what was written");
    let config = Config { cc: remycc::algorithm(table), delayed_ack: 0, ..base };
    let mut path = Path::new(&config, 1000 * (MSS + HEADERS), 50 * MILLISECOND, 1000);
    path.client.write(0, 1 << 40);
    path
}

#[test]
fn the_window_goes_where_the_rules_meet() {
    for base in [config(), linux()] {
        let mut path = path(0.1, base);
        path.run(5 * SECOND);
        let since = (path.now, path.server.received());
        path.run(25 * SECOND);
        assert!(path.utilisation(since, MSS) > 0.5);
        // At a ratio of 1.2 the window stops growing. Until the sender observes the ratio, the window can at most
        // double.
        let smoothed = path.client.srtt().expect("an RTT");
        assert!(smoothed < 240 * MILLISECOND, "{smoothed}");
        assert_eq!(path.dropped, 0);
    }
}

#[test]
fn segments_are_tau_apart() {
    let mut path = path(2.0, config());
    path.run(10 * SECOND);
    let gaps: Vec<u64> = path.arrivals.windows(2).skip(200).map(|pair| pair[1].0 - pair[0].0).collect();
    assert!(gaps.len() > 4000);
    assert!(gaps.iter().all(|&gap| gap == 2 * MILLISECOND), "{:?}", gaps.iter().max());
}

/// Whenever it may send, the original checks the rule of the last ACK and the time at which the last segment was sent.
#[test]
fn a_new_tau_counts_from_the_last_segment() {
    let range = |low: f64, high: f64| Range { lower: [0.0, 0.0, low, 0.0], upper: [UPPER, UPPER, high, 0.0] };
    let rule =
        |low, high, increment, intersend| Node::Leaf(range(low, high), Action { increment, multiple: 1.0, intersend });
    // With nothing remembered tau is 50 ms, at the smallest RTT 20 ms, above it 80 ms.
    let rules = vec![rule(0.0, 0.5, 10, 50.0), rule(0.5, 1.2, 0, 20.0), rule(1.2, UPPER, 0, 80.0)];
    let table = Table::new(Node::Inner(range(0.0, UPPER), rules), 3).expect("a table");
    let config = Config { cc: remycc::algorithm(table), ..config() };
    let mut script = Script::established(&config, 10 * MILLISECOND);
    script.write(100);
    let start = script.now;
    let at = |script: &mut Script, ms: u64| {
        script.wait(start + ms * MILLISECOND - script.now);
        script.sends()
    };
    assert_eq!([at(&mut script, 0), at(&mut script, 50), at(&mut script, 100)], [[0], [1], [2]]);
    assert_eq!(script.ack(1, &[]), [], "one ACK is no memory");
    assert_eq!(at(&mut script, 110), []);
    assert_eq!(script.ack(2, &[]), [], "an RTT of 60 ms, the smallest");
    assert_eq!([at(&mut script, 119), at(&mut script, 120)], [vec![], vec![3]]);
    assert_eq!(
        [at(&mut script, 140), at(&mut script, 160), at(&mut script, 180), at(&mut script, 200)],
        [[4], [5], [6], [7]]
    );
    assert_eq!(script.ack(3, &[]), [], "an RTT of 100 ms");
    assert_eq!([at(&mut script, 220), at(&mut script, 279), at(&mut script, 280)], [vec![], vec![], vec![8]]);
}

#[test]
fn losses_and_timeouts_change_nothing() {
    for base in [config(), linux()] {
        let mut path = path(2.0, base);
        path.lose = |number| number % 50 == 49 || (2000..2200).contains(&number);
        let mut least = u64::MAX;
        path.run(2 * SECOND);
        while path.now < 20 * SECOND {
            path.run(path.now + 10 * MILLISECOND);
            least = least.min(path.client.window().cwnd);
        }
        assert!(path.dropped > 300);
        assert!(least > 50 * MSS, "{least}: with every ACK at the smallest RTT the window only grows");
    }
}

#[test]
fn tables_are_written_as_they_were_read() {
    let own = include_bytes!("../../../scenarios/remycc.dna");
    assert_eq!(Table::decode(own).expect("a table").encode(), own);
    // These are the project's own tables, read in place.
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/remycc");
    let Ok(files) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: there are no tables in ../shared/data/remycc");
        return;
    };
    let mut tables = 0;
    for file in files {
        let path = file.expect("a file").path();
        let bytes = std::fs::read(&path).expect("a table");
        let table = Table::decode(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(table.encode(), bytes, "{}", path.display());
        tables += 1;
    }
    assert!(tables > 0);
}
