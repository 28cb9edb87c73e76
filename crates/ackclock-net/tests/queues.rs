//! What holds for every queue of the catalogue, with any parameters and any traffic: every packet put in comes out once and
//! unchanged but for a mark, what waits is what is said to wait and within the limit, and no packet waits for an idle wire where
//! none has to.

use std::collections::BTreeMap;

use ackclock_net::queue::{
    CATALOGUE, Discipline, DropCause, Drops, Ecn, Entry, Item, Next, Parameter, Quantity, Request, Settings,
};
use ackclock_net::{Limit, NEVER, Nanos};
use proptest::prelude::*;

/// Queues that may keep a packet while the wire is idle, with the parameter without which they do not.
const SHAPERS: &[(&str, Option<&str>)] = &[("token-bucket", None), ("fq", Some("max_rate"))];
/// Queues that have the limit more than once, with the parameter by which they have it once.
const SEVERAL: &[(&str, &str)] = &[("priority", "shared")];

/// Queues that take a packet where a full one has room, and may hold what a larger one has more.
const FULL_PACKETS: &[&str] = &["dualpi2"];

/// Queues that have something to do every so often, idle or not, and that every microsecond if so asked: they sleep for less.
const PERIODIC: &[&str] = &["xcp", "pie", "fq-pie", "dualpi2"];

/// How a parameter is chosen: how, and where in its range.
type Choice = (u8, f64);

fn value(parameter: &Parameter, (how, place): Choice) -> Option<f64> {
    let (least, most) = parameter.range;
    let value = match how {
        0 => least,
        1 => most,
        2 => least + place * (most - least),
        3 => (most * libm::pow(10.0, -12.0 * place)).max(least),
        _ => return None,
    };
    let whole = !matches!(parameter.quantity, Quantity::Number | Quantity::Probability);
    Some(if whole { value.round() } else { value }.clamp(least, most))
}

/// The parameters that are given, without those that do not go together; `None` where none do, not even the defaults.
fn given(entry: &Entry, choices: &[Choice], settings: &Settings<'_>) -> Option<Vec<(&'static str, f64)>> {
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

/// A discipline whose packets are counted.
struct Watched {
    discipline: Box<dyn Discipline>,
    /// What was put in and has not come out.
    inside: BTreeMap<u32, Item>,
    bytes: u64,
    next: u32,
    drops: Drops,
    /// What came out, in this order.
    log: Vec<(Nanos, Item, Option<DropCause>)>,
}

impl Watched {
    fn out(&mut self, at: Nanos, item: Item, cause: Option<DropCause>) {
        let put_in = self.inside.remove(&item.id).expect("comes out once, and was put in");
        assert_eq!(Item { ecn: put_in.ecn, request: put_in.request, ..item }, put_in, "unchanged");
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
        assert_eq!(self.discipline.backlog(), (self.inside.len() as u64, self.bytes), "what waits");
    }

    fn arrive(&mut self, at: Nanos, item: Item) {
        let item = Item { id: self.next, arrival: at, ..item };
        self.next += 1;
        self.inside.insert(item.id, item);
        self.bytes += u64::from(item.size);
        self.discipline.enqueue(at, item, &mut self.drops);
        self.count(at);
    }

    /// When to ask again.
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
                assert!(self.inside.is_empty(), "something waits");
                None
            }
        }
    }
}

/// Everything through a queue: what came out.
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
                assert!(shapes || again.is_none_or(|again| again == now), "the wire is idle");
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
    fn every_queue_gives_back_what_it_gets(
        choices in prop::collection::vec((0_u8..9, 0.0..1.0), 20),
        rate in rates(), limit in limits(), packet_size in 40_u32..=9000, seed in any::<[u8; 32]>(), steps in steps(),
    ) {
        for entry in CATALOGUE {
            let rate = rate.try_into().unwrap();
            let settings = Settings { rate, limit, packet_size, given: &[], seed };
            let Some(given) = given(entry, &choices, &settings) else { continue };
            let settings = Settings { given: &given, ..settings };
            let first = run(entry, &settings, &steps);
            prop_assert_eq!(first, run(entry, &settings, &steps), "{} with {:?}: the same twice", entry.name, given);
        }
    }
}

/// The catalogue is what scenarios are read by.
#[test]
fn entries_are_whole() {
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
