//! Invariants of every queue discipline, with any parameters and any traffic:
//!
//! - Every packet leaves once, unchanged except for a mark or a lowered request.
//! - The reported backlog is that of the packets inside, and is within the limit.
//! - The wire is idle only when the queue is empty or the discipline shapes traffic.

use std::collections::BTreeMap;

use ackclock_net::Ecn;
use ackclock_net::queue::{
    CATALOGUE, Discipline, DropCause, Drops, Entry, Item, Next, Parameter, Quantity, Request, Settings,
};
use ackclock_net::{Limit, NEVER, Nanos};
use proptest::prelude::*;

/// Disciplines that may hold packets while the wire is idle, with the parameter that makes them do so, if there is one.
const SHAPERS: &[(&str, Option<&str>)] =
    &[("token-bucket", None), ("fq", Some("max_rate")), ("cake", Some("bandwidth"))];
/// Disciplines that apply the limit several times, with the parameter that makes them apply it once.
const SEVERAL: &[(&str, &str)] = &[("priority", "shared")];

/// Disciplines that require room for a full packet, and may exceed the limit by the rest of a larger packet.
const FULL_PACKETS: &[&str] = &["dualpi2"];

/// Disciplines with periodic updates, as often as every microsecond; the test gives them shorter idle times.
const PERIODIC: &[&str] = &["xcp", "pie", "fq-pie", "dualpi2"];

/// The drawn choice of a parameter's value: the method, and the place in the parameter's range.
type Draw = (u8, f64);

fn value(parameter: &Parameter, (how, place): Draw) -> Option<f64> {
    let (least, most) = parameter.range;
    let value = match how {
        0 => least,
        1 => most,
        2 => least + place * (most - least),
        3 => (most * libm::pow(10.0, -12.0 * place)).max(least),
        _ => return None,
    };
    let whole = !matches!(parameter.quantity, Quantity::Number | Quantity::In(_) | Quantity::Probability);
    Some(if whole { value.round() } else { value }.clamp(least, most))
}

/// The chosen parameters without combinations that the discipline refuses; `None` if it refuses even the defaults.
fn given(entry: &Entry, choices: &[Draw], settings: &Settings<'_>) -> Option<Vec<(&'static str, f64)>> {
    let chosen = entry.parameters.iter().zip(choices.iter().cycle());
    let mut given: Vec<_> =
        chosen.filter_map(|(parameter, choice)| Some((parameter.name, value(parameter, *choice)?))).collect();
    while let Some((name, _)) = (entry.check)(&Settings { given: &given, ..*settings }).first() {
        match given.iter().position(|(other, _)| other == name) {
            Some(place) => drop(given.remove(place)),
            None if given.is_empty() => return None,
            None => given.clear(),
        }
    }
    Some(given)
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Arrive(Item),
    Serve,
}

fn items() -> impl Strategy<Value = Item> {
    let ecn = prop_oneof![Just(Ecn::NotEct), Just(Ecn::Ect0), Just(Ecn::Ect1), Just(Ecn::Ce)];
    let size = prop_oneof![4 => Just(1500_u32), 2 => 40_u32..=1500, 1 => 0_u32..=70_000];
    let flow = prop_oneof![0_u64..4, 0_u64..100, any::<u64>()];
    let class = prop_oneof![0_u8..4, any::<u8>()];
    let rtt = prop_oneof![0_u64..1_000_000_000, any::<u64>()];
    let request =
        (rtt, any::<u64>(), any::<i32>()).prop_map(|(rtt, interval, change)| Request { rtt, interval, change });
    (size, flow, class, ecn, prop::option::weighted(0.2, request)).prop_map(|(size, flow, class, ecn, request)| Item {
        size,
        flow,
        class,
        ecn,
        request,
        ..Item::default()
    })
}

fn gaps() -> impl Strategy<Value = Nanos> {
    prop_oneof![4 => Just(0_u64), 4 => 0_u64..20_000, 4 => 0_u64..20_000_000, 1 => 0_u64..5_000_000_000, 1 => 0_u64..1 << 61]
}

fn steps() -> impl Strategy<Value = Vec<(Nanos, Step)>> {
    let step = prop_oneof![3 => items().prop_map(Step::Arrive), 2 => Just(Step::Serve)];
    prop::collection::vec((gaps(), step), 1..200)
}

fn limits() -> impl Strategy<Value = Limit> {
    let packets = prop_oneof![0_u64..40, Just(u64::MAX)].prop_map(Limit::Packets);
    let bytes = prop_oneof![0_u64..60_000, Just(u64::MAX)].prop_map(Limit::Bytes);
    prop_oneof![Just(Limit::Unlimited), packets, bytes]
}

fn rates() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 100_000_u64..100_000_000, 1 => Just(1), 1 => Just(u64::MAX), 1 => any::<u64>().prop_map(|rate| rate | 1)]
}

/// A discipline, and a record of the packets inside it.
struct Watched {
    discipline: Box<dyn Discipline>,
    /// Packets that were added and have not left.
    inside: BTreeMap<u32, Item>,
    bytes: u64,
    next: u32,
    drops: Drops,
    /// Packets that have left, in this order.
    log: Vec<(Nanos, Item, Option<DropCause>)>,
}

impl Watched {
    fn out(&mut self, at: Nanos, item: Item, cause: Option<DropCause>) {
        let put_in = self.inside.remove(&item.id).expect("a packet that leaves was added and leaves once");
        assert_eq!(Item { ecn: put_in.ecn, request: put_in.request, ..item }, put_in, "the packet is unchanged");
        if item.ecn != put_in.ecn {
            assert!(item.ecn == Ecn::Ce && put_in.ecn.is_capable(), "{:?} became {:?}", put_in.ecn, item.ecn);
        }
        assert_ne!(cause, Some(DropCause::Loss));
        self.bytes -= u64::from(item.size);
        self.log.push((at, item, cause));
    }

    fn count(&mut self, at: Nanos) {
        for (item, cause) in std::mem::take(&mut self.drops) {
            self.out(at, item, Some(cause));
        }
        assert_eq!(
            self.discipline.backlog(),
            (self.inside.len() as u64, self.bytes),
            "the backlog is that of the packets inside"
        );
    }

    fn arrive(&mut self, at: Nanos, item: Item) {
        let item = Item { id: self.next, arrival: at, ..item };
        self.next += 1;
        self.inside.insert(item.id, item);
        self.bytes += u64::from(item.size);
        self.discipline.enqueue(at, item, &mut self.drops);
        self.count(at);
    }

    /// Dequeues once; returns the time of the next call, or `None` if the queue is empty.
    fn serve(&mut self, at: Nanos) -> Option<Nanos> {
        let next = self.discipline.dequeue(at, &mut self.drops);
        if let Next::Send(item) = next {
            self.out(at, item, None);
        }
        self.count(at);
        match next {
            Next::Send(_) => Some(at),
            Next::Wait(until) => {
                assert!(until > at && !self.inside.is_empty());
                Some(until)
            }
            Next::Empty => {
                assert!(self.inside.is_empty(), "an empty queue has no packets");
                None
            }
        }
    }
}

/// Sends all packets through a discipline and returns those that left.
fn run(entry: &Entry, settings: &Settings<'_>, steps: &[(Nanos, Step)]) -> Vec<(Nanos, Item, Option<DropCause>)> {
    let is_given = |name: &str| settings.given.iter().any(|(given, value)| *given == name && *value != 0.0);
    let shapes = SHAPERS.iter().any(|(name, by)| *name == entry.name && by.is_none_or(is_given));
    let several = SEVERAL.iter().any(|(name, but)| *name == entry.name && !is_given(but));
    let mut queue = Watched {
        discipline: (entry.make)(settings),
        inside: BTreeMap::new(),
        bytes: 0,
        next: 0,
        drops: Drops::new(),
        log: Vec::new(),
    };
    let mut now: Nanos = 0;
    for (gap, step) in steps {
        let gap = if PERIODIC.contains(&entry.name) { *gap % 20_000_000 } else { *gap };
        now = now.saturating_add(gap).min(NEVER - 1);
        match step {
            Step::Arrive(item) => queue.arrive(now, *item),
            Step::Serve => {
                let again = queue.serve(now);
                assert!(shapes || again.is_none_or(|again| again == now), "the wire is idle while packets wait");
            }
        }
        let (packets, bytes) = queue.discipline.backlog();
        let larger = if FULL_PACKETS.contains(&entry.name) { 70_000 } else { 0 };
        let within = match settings.limit {
            Limit::Unlimited => true,
            Limit::Packets(limit) => packets <= limit,
            Limit::Bytes(limit) => bytes <= limit.saturating_add(larger),
        };
        assert!(within || several, "{packets} packets, {bytes} bytes");
    }
    while let Some(again) = queue.serve(now)
        && again < NEVER
    {
        now = again;
    }
    queue.log
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_queue_keeps_the_invariants(
        choices in prop::collection::vec((0_u8..9, 0.0..1.0), 20),
        rate in rates(), limit in limits(), packet_size in 40_u32..=9000, seed in any::<[u8; 32]>(), steps in steps(),
    ) {
        for entry in CATALOGUE {
            let rate = ackclock_net::Rate::new(rate).unwrap();
            let settings = Settings { rate, limit, packet_size, given: &[], seed };
            let Some(given) = given(entry, &choices, &settings) else { continue };
            let settings = Settings { given: &given, ..settings };
            let first = run(entry, &settings, &steps);
            prop_assert_eq!(first, run(entry, &settings, &steps), "{} with {:?}: two runs are the same", entry.name, given);
        }
    }
}

/// The catalogue's names, ranges, defaults and summaries are consistent.
#[test]
fn entries_are_complete() {
    for (place, entry) in CATALOGUE.iter().enumerate() {
        assert!(CATALOGUE[..place].iter().all(|other| other.name != entry.name), "{} twice", entry.name);
        for (place, parameter) in entry.parameters.iter().enumerate() {
            let name = (entry.name, parameter.name);
            assert!(entry.parameters[..place].iter().all(|other| other.name != parameter.name), "{name:?} twice");
            assert!(parameter.range.0 < parameter.range.1, "{name:?}");
            if let ackclock_net::queue::Otherwise::Is(value) = parameter.default {
                assert!((parameter.range.0..=parameter.range.1).contains(&value), "{name:?}");
            }
            for sentence in [parameter.summary, entry.summary] {
                assert!(sentence.ends_with('.') && sentence.len() < 130, "{name:?}: {sentence}");
            }
        }
    }
}
