//! Networks without TCP: the times and the order of arrivals, and the number of events.

use ackclock_core::Rate;

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

fn rate(bps: u64) -> Rate {
    Rate::new(bps).unwrap()
}

fn send(network: &mut Network, at: Nanos, route: Route, to: u32, len: u32) {
    let stage = network.first_stage(route);
    // Endpoint 1 receives segments of the kind that may have options, which are stored separately.
    let flags = if to == 1 { Flags::SYN } else { Flags::ACK };
    let address = Address { to: EndpointId::of_number(to), stage, sent: at, ..Address::default() };
    network.send(&Segment { len, ..Segment::new(flags) }, address, &mut ());
}

/// Returns the number of the endpoint that receives a packet.
fn endpoint(packet: &Packet) -> u32 {
    let Receiver::Endpoint(endpoint) = packet.receiver() else { panic!("a datagram") };
    endpoint.number()
}

/// Runs to the end. Returns the arrivals at hosts as (time, endpoint), and the number of events.
fn run(network: &mut Network) -> (Vec<(Nanos, u32)>, u32) {
    let (mut arrivals, mut events) = (Vec::new(), 0);
    while network.events.first() != Key::NEVER {
        let now = network.events.first().time();
        network.events.advance(now);
        events += 1;
        let packet = network.arrive();
        if packet.is_at_host() {
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
        // 1500 bytes take 1.2 ms at 10 Mbit/s and 12 ms at 1 Mbit/s; the propagation delay is 3 + 80 + 7 ms.
        let expected = 5 + 1_200_000 + 3 * MS + 12_000_000 + 80 * MS + 1_200_000 + 7 * MS;
        let (arrivals, events) = run(&mut network);
        assert_eq!(arrivals, [(expected, 1)]);
        // With one flow no packets merge, and the whole route is one stage.
        assert_eq!(events, flows as u32);

        // An ACK of 40 bytes on the return route takes 32 us, 320 us and 32 us.
        send(&mut network, expected, routes[0][1], 0, 0);
        let back = expected + 32_000 + 7 * MS + 320_000 + 80 * MS + 32_000 + 3 * MS;
        assert_eq!(run(&mut network).0, [(back, 0)]);
    }
}

#[test]
fn simultaneous_arrivals_are_served_in_the_order_of_sending_and_then_of_links() {
    // Both packets reach the bottleneck at the same time. 2960 bytes need 2.368 ms for the access link, and 1500 1.2 ms.
    let late = 2_368_000 - 1_200_000;
    for (sends, order) in [
        ([(0, 0, 2920), (late, 1, 1460)], [0, 1]),
        ([(0, 1, 2920), (late, 0, 1460)], [1, 0]),
        ([(0, 0, 1460), (0, 1, 1460)], [0, 1]),
        ([(0, 1, 1460), (0, 0, 1460)], [0, 1]),
    ] {
        let (mut network, routes) = dumbbell(2, Limit::Packets(10));
        for (at, flow, len) in sends {
            network.events.advance(at);
            send(&mut network, at, routes[flow][0], flow as u32, len);
        }
        let arrivals: Vec<_> = run(&mut network).0.into_iter().map(|(_, flow)| flow).collect();
        assert_eq!(arrivals, order);
    }
}

#[test]
fn what_finds_no_room_is_dropped() {
    let (mut network, routes) = dumbbell(2, Limit::Packets(3));
    // Twenty packets come from two hosts at 10 Mbit/s each: one goes into service, and three are queued.
    for _ in 0..10 {
        send(&mut network, 0, routes[0][0], 0, 1460);
        send(&mut network, 0, routes[1][0], 1, 1460);
    }
    let (arrivals, _) = run(&mut network);
    let bottleneck = ackclock_sim::ids::LinkId(0);
    let carried = network.carried(bottleneck, 10_000 * MS).unwrap();
    // The whole burst arrives within 10.8 ms, before the first packet has left.
    assert_eq!((carried.packets, carried.drops()), (arrivals.len() as u64, 20 - arrivals.len() as u64));
    assert_eq!(arrivals.len(), 4);
    assert_eq!(carried.bytes, 4 * 1500);
    assert_eq!(network.in_flight(), (0, 0), "what was dropped is given up");
    // The queueing delays are 0, 12, 22.8 and 34.8 ms, because the hosts' packets arrive in pairs 1.2 ms apart.
    let delays = network.queueing_delays(bottleneck).unwrap();
    assert_eq!((delays.count(), delays.mean(), delays.max()), (4, Some(17.4e6), Some(34_800_000)));
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
    // One packet is sent at a time, with 1 ms of transmission for each link.
    for (route, links, delay) in [(long, 3, 7), (middle, 1, 2), (end, 2, 6), (there_and_back, 3, 9)] {
        send(&mut network, 100 * MS, route, 9, 1460);
        let (arrivals, _) = run(&mut network);
        assert_eq!(arrivals, [(100 * MS + (links + delay) * MS, 9)]);
        // The next part starts with idle links again.
        let mut topology = Topology::default();
        let mut link = |delay| topology.link(Link::new(rate(12 * MBPS), delay, Limit::Unlimited));
        let (a, b, c) = (link(MS), link(2 * MS), link(4 * MS));
        for links in [&[a, b, c][..], &[b], &[b, c], &[c, a, c]] {
            topology.route(links);
        }
        network = topology.join();
    }
    // The packet of the long route reaches b at 2 ms, at the instant at which the middle host sends: both cross, in the
    // order of their events.
    send(&mut network, 0, long, 1, 1460);
    assert_eq!(network.events.first().time(), 2 * MS);
    let packet = network.arrive();
    network.forward(2 * MS, packet, &mut ());
    send(&mut network, 2 * MS, middle, 2, 1460);
    let (arrivals, _) = run(&mut network);
    assert_eq!(arrivals, [(6 * MS, 2), (10 * MS, 1)]);
}

proptest! {
    /// Hosts have different rates, and bursts are so long that packets of one host pass many that another has queued.
    /// Each packet is where plain arithmetic puts it.
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
                if packet.is_at_host() {
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
        // The sort is stable: of two packets with the same time, the one sent first is first.
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
