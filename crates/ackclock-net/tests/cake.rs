//! CAKE against Linux's `sch_cake` of 6.12, packet by packet.
//!
//! Each file of `tests/cake` is random traffic through the kernel's own code, which was compiled with a clock, a hash of
//! flows and hosts, random numbers and a device that are those of this crate. The files have a line for the seed, a line
//! for the parameters, and a line for each packet: time of arrival (ns), bytes, flow, source, destination, code point
//! and ECN field, and what became of the packet: `s` (sent, with the time and the ECN field), `a` (dropped by COBALT
//! or the ACK filter) or `q` (dropped by the memory limit). Acknowledgments follow after the word `ack`. The device takes 1 ns for a byte.

use ackclock_net::queue::{Acknowledgment, Discipline, Drops, Headers, Item, Next, Settings, by_name};
use ackclock_net::replay::{Arrival, Outcome, replay};
use ackclock_net::{DropCause, Ecn, Limit, Nanos, Rate};

const FIELDS: [Ecn; 4] = [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce];

macro_rules! cases {
    ($($name:literal),*) => {
        &[$(($name, include_str!(concat!("cake/", $name, ".txt")))),*]
    };
}

/// Names and texts of the files.
const CASES: &[(&str, &str)] = cases![
    "ack-filter",
    "ack-filter-aggressive",
    "adsl",
    "blue",
    "collisions",
    "hosts",
    "ingress",
    "memory",
    "precedence",
    "shaper",
    "tins",
    "unlimited"
];

struct Case {
    seed: [u8; 32],
    given: Vec<(&'static str, f64)>,
    arrivals: Vec<Arrival>,
    expected: Vec<Outcome>,
}

fn number<T: std::str::FromStr>(word: &str) -> T {
    word.parse().unwrap_or_else(|_| panic!("{word} is not a number"))
}

fn case(text: &str) -> Case {
    let entry = by_name("cake").unwrap();
    let mut case = Case { seed: [0; 32], given: Vec::new(), arrivals: Vec::new(), expected: Vec::new() };
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["seed", seed] => case.seed = [number(seed); 32],
            ["given", ..] => {
                for pair in words[1..].chunks(2) {
                    let parameter = entry.parameters.iter().find(|parameter| parameter.name == pair[0]).unwrap();
                    case.given.push((parameter.name, number(pair[1])));
                }
            }
            [at, size, flow, source, destination, dscp, ecn, fate, ref rest @ ..] => {
                let (rest, acknowledgment) = match rest.iter().position(|word| *word == "ack") {
                    Some(place) => (&rest[..place], Some(acknowledgment(&rest[place + 1..]))),
                    None => (rest, None),
                };
                let (source, destination, dscp) = (number(source), number(destination), number(dscp));
                case.arrivals.push(Arrival {
                    at: number(at),
                    size: number(size),
                    flow: number(flow),
                    ecn: FIELDS[number::<usize>(ecn)],
                    headers: Some(Headers { source, destination, dscp, acknowledgment }),
                    ..Arrival::default()
                });
                let at: Nanos = number(rest[0]);
                case.expected.push(match fate {
                    "s" => Outcome::Sent(at, FIELDS[number::<usize>(rest[1])]),
                    "a" => Outcome::Dropped(at, DropCause::Aqm),
                    "q" => Outcome::Dropped(at, DropCause::Queue),
                    fate => panic!("unknown fate {fate}"),
                });
            }
            _ => panic!("{line}"),
        }
    }
    case
}

/// The acknowledgment after the word `ack`: whether it is pure, number, echoes, whether there are timestamps, both times,
/// and the ends of each range.
fn acknowledgment(words: &[&str]) -> Acknowledgment {
    let mut sacked = ([(0, 0); 4], 0);
    for (range, ends) in sacked.0.iter_mut().zip(words[6..].chunks(2)) {
        *range = (number(ends[0]), number(ends[1]));
        sacked.1 += 1;
    }
    Acknowledgment {
        is_pure: words[0] == "1",
        cumulative: number(words[1]),
        echoes: number(words[2]),
        timestamps: (words[3] == "1").then(|| (number(words[4]), number(words[5]))),
        sacked,
    }
}

#[test]
fn each_packet_has_the_fate_that_it_has_in_linux() {
    let mut wrong = Vec::new();
    for (name, text) in CASES {
        let Case { seed, given, arrivals, expected } = case(text);
        let rate = Rate::new(8_000_000_000).unwrap();
        let settings = Settings { rate, limit: Limit::Unlimited, packet_size: 1500, given: &given, seed };
        let outcomes = replay((by_name("cake").unwrap().make)(&settings), rate, &arrivals);
        let first = outcomes.iter().zip(&expected).position(|(ours, theirs)| ours != theirs);
        if let Some(place) = first {
            let differ = outcomes.iter().zip(&expected).filter(|(ours, theirs)| ours != theirs).count();
            wrong.push(format!(
                "{name}: {differ} of {}, first packet {place}: {:?}, in Linux {:?}",
                expected.len(),
                outcomes[place],
                expected[place]
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Bytes that leave in ten seconds, by flow, where every flow of `flows` (source, destination, code point) always has
/// packets waiting.
fn shares(given: &[(&'static str, f64)], flows: &[(u64, u64, u8)], size: u32) -> Vec<u64> {
    let rate = Rate::new(1_000_000_000).unwrap();
    let settings = Settings { rate, limit: Limit::Unlimited, packet_size: 1500, given, seed: [3; 32] };
    // 250 packets of each flow wait at the start, and one more each time that one leaves. The round-trip time is long
    // enough for COBALT never to drop.
    let mut queue = (by_name("cake").unwrap().make)(&settings);
    let (mut drops, mut sent, mut id, mut now) = (Vec::new(), vec![0; flows.len()], 0, 0);
    let mut arrive = |queue: &mut Box<dyn Discipline>, drops: &mut Drops, at: Nanos, flow: usize| {
        let (source, destination, dscp) = flows[flow];
        id += 1;
        let item = Item { id, size, flow: flow as u64, arrival: at, ..Item::default() };
        let headers = Headers { source, destination, dscp, acknowledgment: None };
        queue.enqueue_read(at, item, &headers, drops);
    };
    for _ in 0..250 {
        (0..flows.len()).for_each(|flow| arrive(&mut queue, &mut drops, 0, flow));
    }
    while now < 10_000_000_000 {
        match queue.dequeue(now, &mut drops) {
            Next::Send(item) => {
                sent[item.flow as usize] += u64::from(item.size);
                arrive(&mut queue, &mut drops, now, item.flow as usize);
            }
            Next::Wait(until) => now = until,
            Next::Empty => panic!("packets wait"),
        }
    }
    assert!(drops.is_empty());
    sent
}

/// The values of parameters that have names.
const INTERPLANETARY: (&str, f64) = ("paths", 7.0);
const BESTEFFORT: (&str, f64) = ("tins", 0.0);

fn assert_close(shares: &[u64], expected: &[f64]) {
    for (share, expected) in shares.iter().zip(expected) {
        let ratio = *share as f64 / expected;
        assert!((0.98..1.02).contains(&ratio), "{shares:?} instead of {expected:?}");
    }
}

/// Ten seconds at 20 Mbit/s are 25 MB, Ethernet headers included.
#[test]
fn the_rate_is_divided_among_hosts_and_then_among_their_flows() {
    let all = 25e6 * 1500.0 / 1514.0;
    let given = |isolation| [("bandwidth", 20e6), BESTEFFORT, INTERPLANETARY, ("isolation", isolation)];
    // Four flows of host 1 and one of host 2, to five different destinations.
    let flows = [(1, 10, 0), (1, 11, 0), (1, 12, 0), (1, 13, 0), (2, 14, 0)];
    let eighth = all / 8.0;
    assert_close(&shares(&given(4.0), &flows, 1500), &[all / 5.0; 5]);
    assert_close(&shares(&given(5.0), &flows, 1500), &[eighth, eighth, eighth, eighth, all / 2.0]);
    assert_close(&shares(&given(6.0), &flows, 1500), &[all / 5.0; 5]);
    assert_close(&shares(&given(7.0), &flows, 1500), &[eighth, eighth, eighth, eighth, all / 2.0]);
    // The same seen from the other side.
    let back = flows.map(|(source, destination, dscp)| (destination, source, dscp));
    assert_close(&shares(&given(6.0), &back, 1500), &[eighth, eighth, eighth, eighth, all / 2.0]);
    // One queue for each host.
    let hosts = shares(&given(1.0), &flows, 1500);
    assert_close(&[hosts[..4].iter().sum(), hosts[4]], &[all / 2.0; 2]);
}

/// Tins that want all of the rate get their thresholds, and the first one the rest: 1/16 for bulk, 1/4 for voice.
#[test]
fn tins_get_the_shares_of_their_thresholds() {
    let all = 25e6 * 1500.0 / 1514.0;
    let flows = [(1, 2, 0), (1, 2, 8), (1, 2, 46)];
    let given = [("bandwidth", 20e6), INTERPLANETARY];
    assert_close(&shares(&given, &flows, 1500), &[all * 11.0 / 16.0, all / 16.0, all / 4.0]);
    let wanting = [(1, 2, 8), (1, 2, 0)];
    assert_close(&shares(&given, &wanting, 1500), &[all / 16.0, all * 15.0 / 16.0]);
}

/// A packet of 40 bytes over PPPoE with LLC/SNAP takes two cells, and one of 1500 bytes takes 33.
#[test]
fn the_rate_is_that_of_the_line() {
    let given = [("bandwidth", 2e6), BESTEFFORT, INTERPLANETARY, ("link_layer", 10.0)];
    let line = 2.5e6;
    for (size, cells) in [(40, 2.0), (576, 13.0), (1500, 33.0)] {
        assert_close(&shares(&given, &[(1, 2, 0)], size), &[line / (cells * 53.0) * f64::from(size)]);
    }
}
