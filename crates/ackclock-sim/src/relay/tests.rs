//! Recorded arrivals of simulated runs, fed to a relay: it does to every packet what the run did.

use std::collections::BTreeMap;

use ackclock_net::queue::CATALOGUE;
use ackclock_results::Column;
use ackclock_tcp::Segment;

use super::*;
use crate::world::World;

/// The packets that the hosts of a run sent, and what happened to them.
#[derive(Default)]
struct Record {
    /// Connections by endpoint and generation.
    open: BTreeMap<(u32, u16), (Who, u32)>,
    /// The links that hosts send into.
    own: Vec<LinkId>,
    sent: Vec<(Nanos, Sender, u32, Ecn)>,
    dropped: Vec<(Nanos, DropCause, u32)>,
    arrived: Vec<(Nanos, Side, u32, Ecn)>,
    marks: usize,
}

impl Observer for Record {
    fn opened(&mut self, endpoint: EndpointId, generation: u16, who: Who, pair: u32) {
        self.open.insert((endpoint.number(), generation), (who, pair));
    }

    fn endpoint(&mut self, _now: Nanos, _who: Who, _event: Event<'_, Segment>) {}

    fn network(&mut self, at: Nanos, _segment: Option<&Segment>, event: NetworkEvent) {
        let packet = event.packet();
        let Receiver::Endpoint(to) = packet.receiver() else { return };
        match event {
            NetworkEvent::Enqueued { link, .. } if self.own.contains(&link) && packet.sent() == at => {
                let (who, pair) = self.open[&(to.number(), packet.generation())];
                let from = Sender { flow: who.flow.index(), side: to.side().peer(), connection: who.conn.0, pair };
                self.sent.push((at, from, packet.size(), packet.ecn()));
            }
            NetworkEvent::Dropped { cause, .. } => self.dropped.push((at, cause, packet.size())),
            NetworkEvent::Delivered { .. } => {
                self.marks += usize::from(packet.ecn() == Ecn::Ce);
                self.arrived.push((at, to.side(), packet.size(), packet.ecn()));
            }
            _ => {}
        }
    }
}

/// Advances a relay in the steps that it asks for: no packet reaches a host before such a step.
fn step(relay: &mut Relay, to: Nanos, happened: &mut Vec<Happened>) {
    loop {
        let next = relay.next();
        if next > to {
            return;
        }
        let before = happened.len();
        relay.advance(next, happened);
        let is_early = |one: &&Happened| matches!(one.fate, Fate::Delivered { .. }) && one.at < next;
        assert_eq!(happened[before..].iter().find(is_early), None);
    }
}

/// Runs a scenario, feeds its packets to a relay, compares all fates, and returns the numbers of drops and marks.
fn compared(text: &str) -> (usize, usize) {
    let scenario = Scenario::from_toml(text, &[]).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let seed = scenario.seed;
    let (mut dumbbell, links) = build::network(Topology::default(), &scenario, seed);
    let flows = build::tcp_flows(&scenario, seed, &mut dumbbell, &links).unwrap();
    let topology = dumbbell.topology;
    let own =
        flows.iter().flat_map(|flow| flow.routes.iter().flatten().map(|route| topology.hops(*route)[0])).collect();
    let mut world: World<Record> =
        World::new(topology, flows, seed, scenario.duration, Record { own, ..Record::default() });
    while world.step(u64::MAX) {}
    let mut record = world.into_observer();

    let mut relay = Relay::new(&scenario, seed).unwrap();
    let mut happened = Vec::new();
    for (number, &(at, from, size, ecn)) in (0..).zip(&record.sent) {
        step(&mut relay, at, &mut happened);
        relay.enter(at, from, Parcel { number, size, ecn }, &mut happened);
    }
    step(&mut relay, scenario.duration, &mut happened);
    relay.advance(scenario.duration, &mut happened);
    let (mut dropped, mut arrived) = (Vec::new(), Vec::new());
    for Happened { at, fate } in happened {
        match fate {
            Fate::Dropped { number, cause } => dropped.push((at, cause, record.sent[number as usize].2)),
            Fate::Delivered { to, parcel } => arrived.push((at, to, parcel.size, parcel.ecn)),
            Fate::Copied { .. } => {}
        }
    }
    let order = |(at, _, size): &(Nanos, DropCause, u32)| (*at, *size);
    record.dropped.retain(|(at, ..)| *at <= scenario.duration);
    record.dropped.sort_by_key(order);
    dropped.sort_by_key(order);
    assert_eq!(dropped, record.dropped, "{text}");
    let order = |(at, to, size, ecn): &(Nanos, Side, u32, Ecn)| (*at, *to as u8, *size, *ecn as u8);
    record.arrived.sort_by_key(order);
    arrived.sort_by_key(order);
    assert_eq!(arrived, record.arrived, "{text}");
    assert!(record.sent.len() > 500, "{} packets are too few:\n{text}", record.sent.len());
    (dropped.len(), record.marks)
}

const FLOWS: &str = "
[[flows]]
name = 'long'
count = 2
start_jitter = '300ms'
app = 'bulk'
ecn = 'classic'
[[flows]]
name = 'short'
app = { kind = 'bursts', size = '30kB', interval = '300ms' }
";

#[test]
fn every_discipline_drops_and_marks_the_same_packets() {
    for entry in CATALOGUE {
        let queue = format!("queue = {{ kind = '{}', limit = '40 packets' }}", entry.name);
        let (drops, marks) =
            compared(&format!("duration = '12s'\n[bottleneck]\nrate = '4Mbps'\ndelay = '20ms'\n{queue}\n{FLOWS}"));
        assert!(drops + marks > 0, "{} has neither dropped nor marked", entry.name);
    }
}

#[test]
fn every_impairment_does_the_same_to_the_same_packets() {
    for impairment in [
        "loss = '2%'",
        "loss = { kind = 'gilbert-elliott', p = '1%', r = '30%' }",
        "corruption = '2%'",
        "duplication = '3%'",
        "jitter = '9ms'",
        "jitter = { max = '9ms', reorder = true }",
        "outages = [{ from = '3s', to = '4s' }]",
        "outages = [{ from = '3s', to = '4s', packets = 'lost' }]",
    ] {
        let link = "queue = '30 packets'\nrate = '4Mbps'\ndelay = '20ms'";
        compared(&format!("duration = '10s'\n[bottleneck]\n{link}\n{impairment}\n{FLOWS}"));
    }
}

#[test]
fn each_connection_takes_the_links_of_its_hosts() {
    let rpc = "[[flows]]\napp = { kind = 'rpc', servers = 8, response_size = '60kB' }";
    let link = "rate = '20Mbps'\ndelay = '2ms'\nqueue = '20 packets'";
    let (drops, _) = compared(&format!(
        "duration = '2s'\n[bottleneck]\n{link}\n[access]\nrate = '1x'\nsource_delay = {{ kind = 'uniform', min = '1ms', max = '9ms' }}\n{rpc}"
    ));
    assert!(drops > 0);
}

#[test]
fn a_packet_asks_for_a_step_at_its_arrival_and_for_few_before() {
    let text =
        format!("duration = '12s'\n[bottleneck]\nrate = '12Mbps'\ndelay = '20ms'\n[access]\nrate = '1Gbps'\n{FLOWS}");
    let mut relay = Relay::new(&Scenario::from_toml(&text, &[]).unwrap(), 1).unwrap();
    let mut happened = Vec::new();
    let from = Sender { flow: 0, side: Side::Source, connection: 0, pair: 0 };
    for number in 0..2 {
        relay.enter(0, from, Parcel { number, size: 1500, ecn: Ecn::NotEct }, &mut happened);
    }
    // 12 and 24 us on the access link, and then at least the propagation delay.
    assert_eq!(relay.next(), 20_012_000);
    let mut steps = Vec::new();
    while relay.next() != NEVER {
        steps.push(relay.next());
        relay.advance(relay.next(), &mut happened);
    }
    let arrivals: Vec<_> = happened.iter().map(|one| one.at).collect();
    assert_eq!(arrivals, [21_024_000, 22_024_000]);
    assert_eq!(steps, [20_012_000, 21_024_000, 22_024_000]);
}

#[test]
fn a_relay_counts_up_to_the_present() {
    let text = format!("duration = '12s'\n[bottleneck]\nrate = '1Mbps'\ndelay = '20ms'\nqueue = '3 packets'\n{FLOWS}");
    let mut relay = Relay::new(&Scenario::from_toml(&text, &[]).unwrap(), 1).unwrap();
    assert_eq!((relay.flows(), relay.next(), relay.rtt(0)), (3, NEVER, 40_000_000));
    let mut happened = Vec::new();
    let from = Sender { flow: 0, side: Side::Source, connection: 4, pair: 0 };
    for number in 0..6 {
        relay.enter(1_000_000, from, Parcel { number, size: 1500, ecn: Ecn::NotEct }, &mut happened);
    }
    relay.advance(40_000_000, &mut happened);
    let table = relay.report();
    for (column, count) in [("packets", 3), ("drops", 2)] {
        let Some(Column::Int(counts)) = table.column(column) else { panic!("{table:?}") };
        assert_eq!(counts[0], Some(count), "{column}");
    }
}
