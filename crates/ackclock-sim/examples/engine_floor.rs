//! Measures the engine alone: a dumbbell whose hosts keep a constant window full and acknowledge every second packet,
//! without any TCP. Prints data packets over the bottleneck, seconds, and packets per second.
//!
//! `cargo run --release --example engine_floor [flows]`
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a benchmark reads the clock; the engine never does"
)]

use ackclock_core::Rate;
use std::time::Instant;

use ackclock_app::Side;
use ackclock_net::Limit;
use ackclock_sim::dumbbell::{Access, Dumbbell};
use ackclock_sim::event::Key;
use ackclock_sim::ids::{EndpointId, Receiver, Slot};
use ackclock_sim::link::LinkSpec;
use ackclock_sim::network::Network;
use ackclock_sim::packet::Address;
use ackclock_tcp::{Flags, Segment};

/// Rate in bit/s, RTT in ns and duration in s of the benchmark workloads W2 to W4, with their numbers of flows.
const WORKLOADS: [(u32, u64, u64, u64); 3] =
    [(10, 100_000_000, 40_000_000, 100), (80, 1_000_000_000, 104_000_000, 60), (1000, 1_000_000_000, 50_000_000, 20)];

fn address(to: EndpointId, stage: u32, sent: u64) -> Address {
    Address { to, stage, sent, ..Address::default() }
}

fn main() {
    let only: Option<u32> = std::env::args().nth(1).and_then(|flows| flows.parse().ok());
    for (flows, rate, rtt, seconds) in WORKLOADS {
        if only.is_none_or(|only| only == flows) {
            run(flows, rate, rtt, seconds);
        }
    }
}

fn run(flows: u32, rate: u64, rtt: u64, seconds: u64) {
    let bdp = rate / 8 * (rtt / 1000) / 1_000_000;
    let way = LinkSpec::drop_tail(Rate::new(rate).expect("a rate"), rtt / 2 - rtt / 10, Limit::Bytes(2 * bdp));
    let mut dumbbell = Dumbbell::new(way.clone(), way);
    let access = Access { rate: Rate::new(rate * 10).expect("a rate"), source_delay: rtt / 20, sink_delay: rtt / 20 };
    let routes: Vec<_> = (0..flows).map(|_| dumbbell.flow(access)).collect();
    let forward = dumbbell.forward;
    let mut network: Network = dumbbell.topology.join();
    let stages: Vec<[u32; 2]> = routes.iter().map(|pair| pair.map(|route| network.first_stage(route))).collect();
    let mut data = Segment::new(Flags::ACK);
    data.len = 1460;
    let ack = Segment::new(Flags::ACK);
    let window = (bdp * 3 / 2 / 1500 / u64::from(flows)).max(2);
    let mut unacked = vec![false; flows as usize];

    let begun = Instant::now();
    for (flow, [forward, _]) in (0..).zip(&stages) {
        for _ in 0..window {
            network.send(&data, address(EndpointId::new(Slot(flow), Side::Sink), *forward, 0), &mut ());
        }
    }
    let mut events = 0_u64;
    loop {
        let key = network.events.first();
        if key == Key::NEVER || key.time() > seconds * 1_000_000_000 {
            break;
        }
        events += 1;
        let now = key.time();
        network.events.advance(now);
        let packet = network.arrive();
        if !packet.is_at_host() {
            network.forward(now, packet, &mut ());
            continue;
        }
        network.unpack(packet);
        let Receiver::Endpoint(endpoint) = packet.receiver() else { unreachable!("there are no datagrams") };
        let flow = endpoint.slot().0;
        let [forward, reverse] = stages[flow as usize];
        if endpoint.side() == Side::Source {
            for _ in 0..2 {
                network.send(&data, address(EndpointId::new(Slot(flow), Side::Sink), forward, now), &mut ());
            }
        } else {
            let odd = &mut unacked[flow as usize];
            if *odd {
                network.send(&ack, address(EndpointId::new(Slot(flow), Side::Source), reverse, now), &mut ());
            }
            *odd = !*odd;
        }
    }
    let spent = begun.elapsed().as_secs_f64();
    let carried = network.carried(forward, seconds * 1_000_000_000).expect("the bottleneck counts");
    println!(
        "{flows:5} flows: {} packets, {} drops, {events} events, {spent:.3} s, {:.2} million packets a second",
        carried.packets,
        carried.drops(),
        carried.packets as f64 / spent / 1e6
    );
}
