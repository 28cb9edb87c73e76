//! Wires of varying rate behind an unlimited queue, against slow reference implementations.

use std::sync::Arc;

use ackclock_net::queue::{Item, Settings, by_name};
use ackclock_net::server::{Opportunities, Playback, Steps, Trace};
use ackclock_net::{Limit, NEVER, Nanos, Port, Schedule, Server};
use proptest::prelude::*;

const BYTE: u128 = 8_000_000_000;
const MS: u64 = 1_000_000;

/// Start and departure of each packet; packets are given as arrival and size.
fn served(server: Box<dyn Server>, packets: &[(Nanos, u32)]) -> Vec<(Nanos, Nanos)> {
    let rate = server.mean_rate();
    let settings = Settings { rate, limit: Limit::Unlimited, packet_size: 1500, given: &[], seed: [0; 32] };
    let mut port = Port::new((by_name("drop-tail").unwrap().make)(&settings), server, 0);
    let mut times = vec![(NEVER, NEVER); packets.len()];
    let serve = |port: &mut Port<usize>, until: Nanos, times: &mut Vec<_>| {
        while port.due() <= until {
            let at = port.due();
            while let Some(sent) = port.poll(at) {
                times[sent.packet] = (sent.passage.start, sent.passage.departure);
            }
        }
    };
    for (number, (at, size)) in packets.iter().enumerate() {
        // All even packets arrive after the starts that are due at the same time, and all odd ones before them.
        serve(&mut port, if number % 2 == 0 { *at } else { at.saturating_sub(1) }, &mut times);
        port.arrive(*at, Item { size: *size, ..Item::default() }, number);
        serve(&mut port, *at, &mut times);
    }
    serve(&mut port, NEVER - 1, &mut times);
    times
}

fn packets(gaps: &[(Nanos, u32)]) -> Vec<(Nanos, u32)> {
    let mut at = 0;
    gaps.iter()
        .map(|(gap, size)| {
            at += gap;
            (at, *size)
        })
        .collect()
}

/// A schedule of rates written out piece by piece. Its integral is a whole number at each whole nanosecond.
struct Spelt {
    pieces: Vec<(Nanos, u64)>,
}

impl Spelt {
    fn new(steps: &[(Nanos, u64)], period: Option<Nanos>, end: Nanos) -> Spelt {
        let laps = period.map_or(1, |period| end / period + 1);
        let lap = |lap: u64| steps.iter().map(move |(at, rate)| (lap * period.unwrap_or(0) + at, *rate));
        Spelt { pieces: (0..laps).flat_map(lap).collect() }
    }

    fn rate(&self, at: Nanos) -> u64 {
        self.pieces.iter().rev().find(|(from, _)| *from <= at).unwrap().1
    }

    /// The amount sent by a time, in bits per second times nanoseconds.
    fn work(&self, until: Nanos) -> u128 {
        let ends = self.pieces.iter().skip(1).map(|(at, _)| *at).chain([NEVER]);
        let piece = |((from, rate), end): (&(Nanos, u64), Nanos)| {
            u128::from(*rate) * u128::from(end.min(until).saturating_sub(*from))
        };
        self.pieces.iter().zip(ends).map(piece).sum()
    }

    /// The first whole nanosecond by which `work` has been sent; `None` if it is after `end`.
    fn when(&self, work: u128, end: Nanos) -> Option<Nanos> {
        let (mut low, mut high) = (0, end);
        if self.work(end) < work {
            return None;
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if self.work(middle) >= work { high = middle } else { low = middle + 1 }
        }
        Some(low)
    }
}

fn rates() -> impl Strategy<Value = u64> {
    prop_oneof![2 => Just(0), 2 => Just(999_999_937), 2 => 1_u64..30_000_000, 1 => 1_u64..10_000_000_000]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// In exact arithmetic, a packet that has waited starts where the one before it ended, to the fraction of a
    /// nanosecond.
    #[test]
    fn steps_are_served_exactly(
        pieces in prop::collection::vec((1_u64..3_000_000, rates()), 1..6),
        tail in prop::option::of(1_u64..3_000_000),
        gaps in prop::collection::vec((prop_oneof![Just(0), 0_u64..40_000, 0_u64..2_000_000], 1_u32..3000), 1..50),
    ) {
        prop_assume!(pieces.iter().any(|(_, rate)| *rate > 0));
        let mut at = 0;
        let steps: Vec<_> = pieces.iter().map(|(length, rate)| { at += length; (at - length, *rate) }).collect();
        let period = tail.map(|tail| steps.last().unwrap().0 + tail);
        let end = 500 * MS;
        let spelt = Spelt::new(&steps, period, end);
        let packets = packets(&gaps);
        let served = served(Box::new(Steps::new(Schedule::new(steps, period), end)), &packets);
        let (mut free, mut exact) = (0, 0);
        for ((arrival, size), served) in packets.iter().zip(served) {
            let ready = free.max(*arrival);
            let next = spelt.pieces.iter().find(|(from, rate)| *from > ready && *rate > 0);
            let start = if spelt.rate(ready) > 0 { Some(ready) } else { next.map(|(from, _)| *from) };
            let Some(start) = start.filter(|start| *start < end) else { break };
            if *arrival >= free || start > free {
                exact = spelt.work(start);
            }
            exact += u128::from(*size) * BYTE;
            let Some(departure) = spelt.when(exact, end) else { break };
            prop_assert_eq!(served, (start, departure));
            free = departure;
        }
        let spelt_out = Steps::new(Schedule::new(spelt.pieces.clone(), None), end);
        let mut meter = spelt_out.meter();
        for at in [0, end / 3, end / 2, end] {
            prop_assert_eq!(meter.by(at), spelt.work(at));
        }
    }

    /// Opportunities are used one by one, for the bytes of packets that have arrived by then, in their order.
    #[test]
    fn a_trace_delivers_at_its_opportunities(
        lines in prop::collection::vec(0_u64..4, 1..40),
        last in 1_u64..4,
        gaps in prop::collection::vec((prop_oneof![Just(0), Just(MS), 0_u64..5 * MS], 1_u32..4000), 1..60),
    ) {
        let mut at = 0;
        let mut lines: Vec<u64> = lines.iter().map(|gap| { at += gap; at }).collect();
        lines.push(at + last);
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let trace = Arc::new(Trace::parse(text.as_bytes()).unwrap());
        let packets = packets(&gaps);
        let served = served(Box::new(Opportunities::new(Playback::new(trace))), &packets);

        let period = lines.last().unwrap();
        let mut opportunities = (0..).flat_map(|round| lines.iter().map(move |line| (round * period + line) * MS));
        let mut expected = Vec::new();
        let (mut number, mut left, mut start) = (0, packets[0].1, None);
        while expected.len() < packets.len() {
            let at = opportunities.next().unwrap();
            let mut room = 1500;
            while room > 0 && number < packets.len() && packets[number].0 <= at {
                start.get_or_insert(at);
                let sent = left.min(room);
                (left, room) = (left - sent, room - sent);
                if left == 0 {
                    expected.push((start.take().unwrap(), at));
                    number += 1;
                    left = packets.get(number).map_or(0, |packet| packet.1);
                }
            }
        }
        prop_assert_eq!(served, expected);
    }
}

/// A queue that is never empty uses every opportunity of recorded traces, over several rounds.
#[test]
fn recorded_traces_are_played_back_exactly() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/traces");
    let names =
        ["ATT-LTE-driving-2016.down", "TMobile-LTE-short.down", "Verizon-LTE-short.down", "Verizon-LTE-short.up"];
    for name in names {
        let Ok(text) = std::fs::read(format!("{folder}/{name}")) else {
            println!("{name}: skipped, the trace file is absent");
            continue;
        };
        let trace = Arc::new(Trace::parse(&text).unwrap());
        let lines: Vec<u64> = String::from_utf8(text).unwrap().lines().map(|line| line.parse().unwrap()).collect();
        let period = *lines.last().unwrap();
        let count = lines.len() * 5 / 2;
        let served = served(Box::new(Opportunities::new(Playback::new(trace.clone()))), &vec![(0, 1500); count]);
        let rounds = (0..).flat_map(|round| lines.iter().map(move |line| (round * period + line) * MS));
        for ((start, departure), expected) in served.iter().zip(rounds) {
            assert_eq!((*start, *departure), (expected, expected), "{name}");
        }
        assert_eq!(u128::from(trace.mean_rate().bits()), lines.len() as u128 * 12_000_000 / u128::from(period));
    }
}
