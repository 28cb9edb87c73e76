//! Networks without TCP: when packets arrive, in which order, at the cost of how many events.

use std::num::NonZeroU64;

use ackclock_core::Nanos;
use ackclock_net::{Limit, Link};
use ackclock_sim::dumbbell::{Access, Dumbbell};
use ackclock_sim::event::Key;
use ackclock_sim::ids::{EndpointId, Receiver};
use ackclock_sim::link::LinkSpec;
use ackclock_sim::network::{Network, Route, Topology};
use ackclock_sim::packet::{Address, Packet};
use ackclock_tcp::{Flags, Segment};
use proptest::prelude::*;

const MBPS: u64 = 1_000_000;
const MS: Nanos = 1_000_000;

fn rate(bps: u64) -> NonZeroU64 {
    NonZeroU64::new(bps).unwrap()
}

fn send(network: &mut Network, at: Nanos, route: Route, to: u32, len: u32) {
    let stage = network.first_stage(route);
    // Endpoint 1 gets segments of the kind that may have options, which lie apart.
    let flags = if to == 1 { Flags::SYN } else { Flags::ACK };
    let address = Address { to: EndpointId::of_number(to), stage, sent: at, ..Address::default() };
    network.send(&Segment { len, ..Segment::new(flags) }, address, &mut ());
}

/// The number of the endpoint that a packet is for.
fn endpoint(packet: &Packet) -> u32 {
    let Receiver::Endpoint(endpoint) = packet.receiver() else { panic!("a datagram") };
    endpoint.number()
}

/// Runs to the end: arrivals at hosts as (time, endpoint), and the number of events.
fn run(network: &mut Network) -> (Vec<(Nanos, u32)>, u32) {
    let (mut arrivals, mut events) = (Vec::new(), 0);
    while network.events.first() != Key::NEVER {
        let now = network.events.first().time();
        events += 1;
        let packet = network.arrive();
        if Network::is_at_host(&packet) {
            arrivals.push((now, endpoint(&packet)));
            assert_eq!(network.unpack(packet).len % 1460, 0);
        } else {
            network.forward(now, packet, &mut ());
        }
    }
    (arrivals, events)
}

fn dumbbell(flows: usize, limit: Limit) -> (Network, Vec<[Route; 2]>) {
    let way = LinkSpec::drop_tail(rate(MBPS), 80 * MS, limit);
    let mut dumbbell = Dumbbell::new(way.clone(), way);
    let access = Access { rate: rate(10 * MBPS), source_delay: 3 * MS, sink_delay: 7 * MS };
    let routes = (0..flows).map(|_| dumbbell.flow(access)).collect();
    (dumbbell.topology.join(), routes)
}

#[test]
fn a_packet_takes_three_transmissions_and_three_delays() {
    for flows in [1, 2] {
        let (mut network, routes) = dumbbell(flows, Limit::Packets(10));
        send(&mut network, 5, routes[0][0], 1, 1460);
        // 1500 bytes: 1.2 ms at 10 Mbit/s, 12 ms at 1 Mbit/s; 3 + 80 + 7 ms of propagation.
        let expected = 5 + 1_200_000 + 3 * MS + 12_000_000 + 80 * MS + 1_200_000 + 7 * MS;
        let (arrivals, events) = run(&mut network);
        assert_eq!(arrivals, [(expected, 1)]);
        // With one flow nothing merges, and the whole way is one stage.
        assert_eq!(events, flows as u32);

        // An ACK on the way back, 40 bytes: 32 us, 320 us, 32 us.
        send(&mut network, expected, routes[0][1], 0, 0);
        let back = expected + 32_000 + 7 * MS + 320_000 + 80 * MS + 32_000 + 3 * MS;
        assert_eq!(run(&mut network).0, [(back, 0)]);
    }
}

#[test]
fn simultaneous_arrivals_are_served_in_the_order_of_sending() {
    for order in [[0, 1], [1, 0]] {
        let (mut network, routes) = dumbbell(2, Limit::Packets(10));
        for flow in order {
            send(&mut network, 0, routes[flow][0], flow as u32, 1460);
        }
        let first = 1_200_000 + 3 * MS + 12_000_000 + 80 * MS + 1_200_000 + 7 * MS;
        let (arrivals, _) = run(&mut network);
        assert_eq!(arrivals, [(first, order[0] as u32), (first + 12_000_000, order[1] as u32)]);
    }
}

#[test]
fn what_finds_no_room_is_dropped() {
    let (mut network, routes) = dumbbell(2, Limit::Packets(3));
    // Twenty packets from two hosts at 10 Mbit/s each: one goes into service, three wait.
    for _ in 0..10 {
        send(&mut network, 0, routes[0][0], 0, 1460);
        send(&mut network, 0, routes[1][0], 1, 1460);
    }
    let (arrivals, _) = run(&mut network);
    let bottleneck = ackclock_sim::ids::LinkId(0);
    let carried = network.carried(bottleneck, 10_000 * MS).unwrap();
    // The whole burst is there within 10.8 ms, before the first packet has left.
    assert_eq!((carried.packets, carried.drops()), (arrivals.len() as u64, 20 - arrivals.len() as u64));
    assert_eq!(arrivals.len(), 4);
    assert_eq!(carried.bytes, 4 * 1500);
    assert_eq!(network.in_flight(), (0, 0), "what was dropped is given up");
    // Waits of 0, 12, 22.8 and 34.8 ms: the hosts' packets come in pairs 1.2 ms apart.
    let waits = network.waits(bottleneck).unwrap();
    assert_eq!((waits.count(), waits.mean(), waits.max()), (4, Some(17.4e6), Some(34_800_000)));
}

/// Three links in a row with traffic that joins and leaves (a parking lot), and a cycle of two links.
#[test]
fn any_graph_of_static_routes() {
    let mut topology = Topology::default();
    let mut link = |delay| topology.link(Link::new(rate(12 * MBPS), delay, Limit::Unlimited));
    let (a, b, c) = (link(MS), link(2 * MS), link(4 * MS));
    let long = topology.route(&[a, b, c]);
    let middle = topology.route(&[b]);
    let end = topology.route(&[b, c]);
    let there_and_back = topology.route(&[c, a, c]);
    let mut network = topology.join();
    // One packet at a time: 1 ms of transmission a link.
    for (route, links, delay) in [(long, 3, 7), (middle, 1, 2), (end, 2, 6), (there_and_back, 3, 9)] {
        send(&mut network, 100 * MS, route, 9, 1460);
        let (arrivals, _) = run(&mut network);
        assert_eq!(arrivals, [(100 * MS + (links + delay) * MS, 9)]);
        // A fresh start for the next: links are idle again.
        let mut topology = Topology::default();
        let mut link = |delay| topology.link(Link::new(rate(12 * MBPS), delay, Limit::Unlimited));
        let (a, b, c) = (link(MS), link(2 * MS), link(4 * MS));
        for links in [&[a, b, c][..], &[b], &[b, c], &[c, a, c]] {
            topology.route(links);
        }
        network = topology.join();
    }
    // The long way reaches b at 2 ms, just when the middle host sends: both cross, the one whose event came first first.
    send(&mut network, 0, long, 1, 1460);
    assert_eq!(network.events.first().time(), 2 * MS);
    let packet = network.arrive();
    network.forward(2 * MS, packet, &mut ());
    send(&mut network, 2 * MS, middle, 2, 1460);
    let (arrivals, _) = run(&mut network);
    assert_eq!(arrivals, [(6 * MS, 2), (10 * MS, 1)]);
}

proptest! {
    /// Hosts of different rates, bursts long enough that what one sends passes much that another has queued: each packet is
    /// where plain arithmetic says.
    #[test]
    fn hosts_share_a_bottleneck_as_by_hand(sends in prop::collection::vec((0_usize..4, 0_u64..3 * MS, 1_usize..25), 1..30)) {
        let mut topology = Topology::default();
        let mut link = |mbps, delay| topology.link(Link::new(rate(mbps * MBPS), delay, Limit::Unlimited));
        let bottleneck = link(12, 5 * MS);
        let access = [(60, MS), (60, MS), (12, MS), (120, 2 * MS)];
        let hosts = access.map(|(mbps, delay)| link(mbps, delay));
        let routes = hosts.map(|host| topology.route(&[host, bottleneck]));
        let mut network = topology.join();

        let (mut now, mut arrivals) = (0, Vec::new());
        let (mut free, mut reached) = ([0; 4], Vec::new());
        for (host, gap, burst) in sends {
            now += gap;
            while network.events.first().time() <= now {
                let at = network.events.first().time();
                let packet = network.arrive();
                if Network::is_at_host(&packet) {
                    arrivals.push((at, endpoint(&packet)));
                    network.unpack(packet);
                } else {
                    network.forward(at, packet, &mut ());
                }
            }
            for _ in 0..burst {
                send(&mut network, now, routes[host], host as u32, 1460);
                let (mbps, delay) = access[host];
                free[host] = free[host].max(now) + 12_000_000 / mbps;
                reached.push((free[host] + delay, host as u32));
            }
        }
        arrivals.extend(run(&mut network).0);
        // A stable sort: of two at the same moment the one sent first is first.
        reached.sort_by_key(|&(at, _)| at);
        let mut free = 0;
        let by_hand: Vec<_> = reached
            .into_iter()
            .map(|(at, host)| {
                free = at.max(free) + MS;
                (free + 5 * MS, host)
            })
            .collect();
        prop_assert_eq!(arrivals, by_hand);
    }
}
