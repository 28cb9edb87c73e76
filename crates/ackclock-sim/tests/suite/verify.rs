//! Runs with the verifier, and event logs with one broken law each, which the verifier must notice.

use ackclock_app::Side;
use ackclock_core::Nanos;
use ackclock_net::Limit;
use ackclock_scenario::Scenario;
use ackclock_sim::dumbbell::{Access, Dumbbell};
use ackclock_sim::endpoint::Event;
use ackclock_sim::ids::{EndpointId, LinkId, Receiver, Slot};
use ackclock_sim::link::LinkSpec;
use ackclock_sim::measures::FlowLabels;
use ackclock_sim::network::Route;
use ackclock_sim::observe::{NetworkEvent, Observer, Who};
use ackclock_sim::packet::{Address, Packet, Stored};
use ackclock_sim::verify::{Law, Verifier};
use ackclock_sim::world::{FlowSpec, World};
use ackclock_tcp::{Ecn, Segment, stack};

use crate::common::{Endless, FORWARD, MBPS, MS, OneAfterTheOther, SECOND, rate};

fn verified(text: &str, overrides: &[(&str, &str)]) {
    let overrides: Vec<_> = overrides.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    let scenario = Scenario::from_toml(text, &overrides).unwrap();
    for seed in [1, 2] {
        let output = ackclock_sim::Run::verified(&scenario, Some(seed)).unwrap();
        assert_eq!(output.violations, [], "{} {overrides:?}, seed {seed}", scenario.name);
        assert_eq!(output.findings, [], "{} {overrides:?}, seed {seed}", scenario.name);
    }
}

#[test]
fn the_examples_obey_the_physics() {
    verified(include_str!("../../../../scenarios/bulk.toml"), &[("duration", "60s")]);
    verified(include_str!("../../../../scenarios/dash-newcwv.toml"), &[("duration", "60s")]);
    verified(include_str!("../../../../scenarios/transfer.toml"), &[("duration", "10s")]);
    let often = [("duration", "30s"), ("flows[0].app.on.mean", "1s"), ("flows[0].app.off.mean", "1s")];
    let remycc = include_str!("../../../../scenarios/remycc.toml");
    verified(remycc, &[&often[..], &[("flows[0].cc", "cubic"), ("bottleneck.queue", "20 packets")]].concat());
}

#[test]
fn odd_rates_and_limits_obey_the_physics() {
    let text = include_str!("../../../../scenarios/transfer.toml");
    for queue in ["1 packet", "7kB", "unlimited"] {
        for rate in ["1234567bps", "999999937bps"] {
            let network = [("bottleneck.rate", rate), ("bottleneck.queue", queue), ("access.rate", "7x")];
            verified(text, &[&network[..], &[("duration", "2s"), ("flows[1].start", "200ms")]].concat());
        }
    }
}

/// An event that can be stored.
#[derive(Clone, Debug)]
enum Logged {
    Opened(EndpointId, u16, Who, u32),
    Sent(Nanos, Who, Segment),
    Network(Nanos, Segment, NetworkEvent),
}

#[derive(Default)]
struct Log(Vec<Logged>);

impl Observer for Log {
    fn opened(&mut self, number: EndpointId, generation: u16, who: Who, pair: u32) {
        self.0.push(Logged::Opened(number, generation, who, pair));
    }

    fn endpoint(&mut self, now: Nanos, who: Who, event: Event<'_, Segment>) {
        if let Event::Sent { contents: segment, .. } = event {
            self.0.push(Logged::Sent(now, who, *segment));
        }
    }

    fn network(&mut self, at: Nanos, segment: Option<&Segment>, event: NetworkEvent) {
        self.0.push(Logged::Network(at, *segment.expect("there are no datagrams"), event));
    }
}

const END: Nanos = 8 * SECOND;

/// Returns a dumbbell with two flows over a bottleneck of `bps` with `delay` and room for `packets` packets.
fn dumbbell(bps: u64, delay: Nanos, packets: u64) -> (Dumbbell, [[Route; 2]; 2]) {
    let way = || LinkSpec::drop_tail(rate(bps), delay, Limit::Packets(packets));
    let mut dumbbell = Dumbbell::new(way(), way());
    let access = Access { rate: rate(10 * MBPS), source_delay: 2 * MS, sink_delay: 2 * MS };
    let routes = [dumbbell.flow(access), dumbbell.flow(access)];
    (dumbbell, routes)
}

const RATE: u64 = 1_234_567;
const DELAY: Nanos = 16 * MS;
const PACKETS: u64 = 5;

fn log() -> Vec<Logged> {
    let (dumbbell, routes) = dumbbell(RATE, DELAY, PACKETS);
    let config = (stack::by_name("rfc").unwrap().config)();
    let apps: [Box<dyn ackclock_app::Application>; 2] =
        [Box::new(Endless), Box::new(OneAfterTheOther { left: 20, bytes: 30_000, done: 0 })];
    let flows = apps.into_iter().zip(["long", "short"]).zip(routes).map(|((app, name), routes)| FlowSpec {
        labels: FlowLabels {
            name: name.to_owned(),
            stack: "".into(),
            cc: "".into(),
            validation: "",
            pacing: "",
            app: "",
        },
        config: config.clone().into(),
        app,
        start: 0,
        start_jitter: 0,
        hosts: [1; 2],
        routes: vec![routes],
        route_changes: Vec::new(),
        paths: None,
        offload: Default::default(),
        class: 0,
        headers: ackclock_net::queue::Headers::default(),
        delays: false,
        readers: [None, None],
    });
    let mut world: World<Log> = World::new(dumbbell.topology, flows.collect(), 1, END, Log::default());
    while world.step(1000) {}
    world.into_observer().0
}

/// Returns the laws that the verifier finds broken in a log, each once, for the given rate, delay and limit.
fn broken_at(log: &[Logged], bps: u64, delay: Nanos, packets: u64) -> Vec<Law> {
    let (dumbbell, routes) = dumbbell(bps, delay, packets);
    let mut verifier = Verifier::new(&dumbbell.topology, routes.iter().map(std::slice::from_ref));
    for logged in log {
        match logged {
            Logged::Opened(number, generation, who, pair) => verifier.opened(*number, *generation, *who, *pair),
            Logged::Sent(now, who, segment) => {
                verifier.endpoint(*now, *who, Event::Sent { contents: segment, offset: 0, retransmission: false });
            }
            Logged::Network(at, segment, event) => verifier.network(*at, Some(segment), *event),
        }
    }
    let mut laws = Vec::new();
    for violation in verifier.finish(END) {
        if !laws.contains(&violation.law) {
            laws.push(violation.law);
        }
    }
    laws
}

fn broken(log: &[Logged]) -> Vec<Law> {
    broken_at(log, RATE, DELAY, PACKETS)
}

/// Returns the places of the log's events for which `wanted` holds, in the middle of the run.
fn places(log: &[Logged], wanted: impl Fn(&Logged) -> bool) -> Vec<usize> {
    let places: Vec<_> = (0..log.len()).filter(|index| wanted(&log[*index])).collect();
    assert!(places.len() > 10, "{}", places.len());
    places[places.len() / 3..].to_vec()
}

fn is_enqueued(logged: &Logged) -> bool {
    matches!(logged, Logged::Network(_, segment, NetworkEvent::Enqueued { link, .. }) if *link == FORWARD && segment.len > 0)
}

fn is_dropped(logged: &Logged) -> bool {
    matches!(logged, Logged::Network(_, _, NetworkEvent::Dropped { .. }))
}

fn is_delivered(logged: &Logged) -> bool {
    matches!(logged, Logged::Network(_, _, NetworkEvent::Delivered { .. }))
}

/// Returns the log with the event at a place changed.
fn changed(
    log: &[Logged],
    place: usize,
    change: impl FnOnce(&mut Nanos, &mut Segment, &mut NetworkEvent),
) -> Vec<Logged> {
    let mut log = log.to_vec();
    match &mut log[place] {
        Logged::Network(at, segment, event) => change(at, segment, event),
        other => panic!("{other:?}"),
    }
    log
}

fn without(log: &[Logged], place: usize) -> Vec<Logged> {
    let mut log = log.to_vec();
    log.remove(place);
    log
}

#[test]
fn a_log_as_it_was_breaks_no_law() {
    let log = log();
    assert_eq!(broken(&log), []);
    for kind in [is_enqueued, is_dropped, is_delivered] {
        places(&log, kind);
    }
}

#[test]
fn links_that_are_not_what_they_say() {
    let log = log();
    assert_eq!(broken_at(&log, RATE + 1, DELAY, PACKETS)[0], Law::Rate);
    assert_eq!(broken_at(&log, RATE, DELAY + 1, PACKETS), [Law::Delay]);
    assert_eq!(broken_at(&log, RATE, DELAY, PACKETS - 1), [Law::Limit]);
    assert_eq!(broken_at(&log, RATE, DELAY, PACKETS + 1), [Law::Room]);
}

#[test]
fn times_at_a_link() {
    let log = log();
    let place = places(&log, is_enqueued)[0];
    let passage = |change: fn(&mut ackclock_net::Passage)| {
        changed(&log, place, |_, _, event| {
            if let NetworkEvent::Enqueued { passage, .. } = event {
                change(passage);
            }
        })
    };
    assert_eq!(broken(&passage(|passage| passage.start -= 1)), [Law::Start]);
    assert_eq!(broken(&passage(|passage| passage.start += 1)), [Law::Start]);
    // The next link receives the packet at the recorded time, so a wrong arrival also breaks the law of its way.
    let early =
        broken(&passage(|passage| (passage.departure, passage.arrival) = (passage.departure - 1, passage.arrival - 1)));
    assert_eq!(early[0], Law::Rate);
    assert_eq!(broken(&passage(|passage| passage.arrival += 1))[..2], [Law::Delay, Law::Way]);
}

#[test]
fn the_order_at_a_link() {
    let log = log();
    let on_link = places(&log, is_enqueued);
    let (first, second) = (on_link[0], on_link[1]);
    let mut swapped = log.clone();
    swapped.swap(first, second);
    assert!(broken(&swapped).contains(&Law::Order));
}

#[test]
fn packets_that_vanish_or_appear() {
    let log = log();
    for kind in [is_delivered, is_dropped] {
        let place = places(&log, kind)[0];
        assert_eq!(broken(&without(&log, place)), [Law::Conservation]);
        let mut twice = log.clone();
        twice.insert(place, log[place].clone());
        assert_eq!(broken(&twice), [Law::Way]);
    }
    let sent = places(&log, |logged| matches!(logged, Logged::Sent(..)))[0];
    assert_eq!(broken(&without(&log, sent)), [Law::Way]);
    let enqueued = places(&log, is_enqueued)[0];
    assert!(broken(&without(&log, enqueued)).contains(&Law::Conservation));
}

#[test]
fn packets_at_the_wrong_time_and_place() {
    let log = log();
    let place = places(&log, is_delivered)[0];
    for shift in [-1, 1] {
        let shifted = changed(&log, place, |at, _, _| *at = at.wrapping_add_signed(shift));
        assert_eq!(broken(&shifted), [Law::Way, Law::Conservation]);
    }
    // The event is on the access link of the other flow, which no other packet crosses at that time.
    let on_access = |logged: &Logged| matches!(logged, Logged::Network(_, _, NetworkEvent::Enqueued { link: LinkId(2), packet, .. }) if matches!(packet.receiver(), Receiver::Endpoint(end) if end.slot() == Slot(0)));
    let place = places(&log, on_access)[0];
    let elsewhere = changed(&log, place, |_, _, event| {
        if let NetworkEvent::Enqueued { link, .. } = event {
            *link = LinkId(6);
        }
    });
    assert!(broken(&elsewhere).contains(&Law::Way));
}

#[test]
fn contents_and_marks() {
    let log = log();
    let place = places(&log, |logged| {
        is_delivered(logged) && matches!(logged, Logged::Network(_, segment, _) if segment.len > 0)
    })[0];
    assert_eq!(broken(&changed(&log, place, |_, segment, _| segment.seq += 1)), [Law::Content]);
    assert_eq!(broken(&changed(&log, place, |_, segment, _| segment.ecn = Ecn::Ce)), [Law::Mark]);
    let place = places(&log, is_enqueued)[0];
    let grown = changed(&log, place, |_, segment, event| {
        if let NetworkEvent::Enqueued { packet, .. } = event {
            let more = Segment { len: segment.len + 8, ..*segment };
            let Receiver::Endpoint(to) = packet.receiver() else { panic!("a datagram") };
            let (generation, stage) = (packet.generation(), packet.stage());
            let address = Address { to, generation, stage, ..Address::default() };
            *packet = Packet::new(&more, address, &mut Stored::default());
        }
    });
    assert_eq!(broken(&grown)[..2], [Law::Content, Law::Rate]);
}

/// A packet of an ECN-capable transport may be marked in flight, and stays marked.
#[test]
fn marks_are_kept() {
    let mut log = log();
    let sent = places(
        &log,
        |logged| matches!(logged, Logged::Sent(_, who, segment) if who.side == Side::Source && segment.len > 0),
    );
    let Logged::Sent(_, _, marked) = log[sent[0]].clone() else { unreachable!() };
    let mut hops = 0;
    for logged in &mut log[sent[0]..] {
        match logged {
            Logged::Sent(_, _, segment) if *segment == marked => segment.ecn = Ecn::Ect0,
            Logged::Network(_, segment, _) if *segment == marked => {
                segment.ecn = if hops == 0 { Ecn::Ect0 } else { Ecn::Ce };
                hops += 1;
            }
            _ => {}
        }
    }
    assert!(hops >= 3, "{hops}");
    assert_eq!(broken(&log), []);
    let last =
        log.iter().rposition(|logged| matches!(logged, Logged::Network(_, segment, _) if segment.ecn == Ecn::Ce));
    let taken_back = changed(&log, last.unwrap(), |_, segment, _| segment.ecn = Ecn::Ect0);
    assert_eq!(broken(&taken_back), [Law::Mark]);
}
