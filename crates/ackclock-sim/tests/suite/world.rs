//! Worlds with TCP and small applications: order, determinism, conservation, memory.

use crate::common::*;
use ackclock_app::{AppContext, AppTables, Application, Conn, Side};
use ackclock_core::Nanos;
use ackclock_net::Limit;
use ackclock_results::{Column, Table};
use ackclock_sim::measures::FlowTotals;
use ackclock_sim::probes::{Recorder, Watch};
use ackclock_sim::world::World;
use ackclock_tcp::stack;

fn endless(names: &[&'static str]) -> Vec<(&'static str, Box<dyn Application>)> {
    names.iter().map(|name| (*name, Box::new(Endless) as Box<dyn Application>)).collect()
}

fn verifier(bottleneck: u64, limit: usize) -> Verifier {
    Verifier { links: vec![(bottleneck, 16 * MS, limit); 2], state: vec![Default::default(); 2], ..Verifier::default() }
}

fn ints(table: &Table, column: &str) -> Vec<i64> {
    match table.column(column) {
        Some(Column::Int(cells)) => cells.iter().map(|cell| cell.unwrap()).collect(),
        other => panic!("{column} is {other:?}"),
    }
}

fn floats(table: &Table, column: &str) -> Vec<f64> {
    match table.column(column) {
        Some(Column::Float(cells)) => cells.iter().map(|cell| cell.unwrap()).collect(),
        other => panic!("{column} is {other:?}"),
    }
}

#[test]
fn packets_are_conserved_and_links_keep_their_rates() {
    let mut world = world(
        endless(&["a", "b", "c"]),
        10 * MBPS,
        Limit::Packets(30),
        5 * MS,
        1,
        20 * SECOND,
        verifier(10 * MBPS, 30),
    );
    while world.step(1000) {
        let seen = world.observer();
        assert_eq!(seen.sent, seen.delivered + seen.dropped + world.network().in_flight().0 as u64);
    }
    let tables = world.report(&[(FORWARD, "forward".to_owned()), (REVERSE, "reverse".to_owned())]);
    let seen = world.into_observer();
    assert!(seen.dropped > 0 && seen.longest_queue == 30, "the queue was filled");
    let links = &tables["links"];
    assert_eq!(ints(links, "drops").iter().sum::<i64>() as u64, seen.dropped);
    assert!(floats(links, "utilisation")[0] > 0.95, "{links:?}");
    // The delay is 30 packets of 1.2 ms, plus the rest of the packet in service.
    let longest = floats(links, "queue_delay_max_ms")[0];
    assert!((34.8..=37.2).contains(&longest), "{longest}");
}

#[test]
fn goodput_is_what_the_link_carries_without_headers() {
    let mut world = world(endless(&["a"]), 10 * MBPS, Limit::Packets(1000), 0, 1, 20 * SECOND, ());
    while world.step(10_000) {}
    let tables = world.report(&[(FORWARD, "forward".to_owned())]);
    let carried = ints(&tables["links"], "bytes")[0] as f64;
    let goodput = floats(&tables["flows"], "goodput_bps")[0];
    // All packets are delivered except those in flight to the sink.
    assert!((goodput * 20.0 / 8.0 / (carried * 1460.0 / 1500.0) - 1.0).abs() < 0.002, "{goodput} {carried}");
    assert_eq!(world.now(), 20 * SECOND);
    let min_rtt = floats(&tables["flows"], "min_rtt_ms")[0];
    // The handshake takes 40 ms of propagation, and 52 bytes in each direction over 10 Mbit/s and twice 100 Mbit/s.
    assert!((min_rtt - (40.0 + 2.0 * 52.0 * 8.0 * 1.2 / 10_000.0)).abs() < 1e-6, "{min_rtt}");
}

fn recorded(names: &[&'static str], seed: u64) -> World<Recorder> {
    let watch = Watch {
        window: true,
        packets: true,
        timeouts: false,
        queues: false,
        rates: false,
        interval: 0,
        from: 0,
        to: u64::MAX,
    };
    let flows = names.iter().map(|name| (*name).to_owned()).collect();
    let links = vec![(FORWARD, "forward".to_owned()), (REVERSE, "reverse".to_owned())];
    let recorder = Recorder::new(watch, flows, links, Vec::new());
    let mut world = world(endless(names), 10 * MBPS, Limit::Packets(20), 50 * MS, seed, 5 * SECOND, recorder);
    while world.step(777) {}
    world
}

fn all_tables(mut world: World<Recorder>) -> ackclock_app::AppTables {
    let mut tables = world.report(&[(FORWARD, "forward".to_owned()), (REVERSE, "reverse".to_owned())]);
    let (network, recorder) = world.into_parts();
    recorder.report(5 * SECOND, &network, &mut tables);
    tables
}

#[test]
fn the_same_seed_gives_the_same_tables() {
    let first = all_tables(recorded(&["a", "b"], 7));
    assert_eq!(first, all_tables(recorded(&["a", "b"], 7)));
    assert_ne!(first, all_tables(recorded(&["a", "b"], 8)));
    assert_eq!(
        first.keys().copied().collect::<Vec<_>>(),
        ["events", "flows", "links", "packets", "sack_blocks", "window"]
    );
    assert!(first["window"].len() > 1000 && first["packets"].len() > 10_000 && first["events"].len() > 2);
}

#[test]
fn observing_changes_nothing() {
    let mut quiet = world(endless(&["a", "b"]), 10 * MBPS, Limit::Packets(20), 50 * MS, 7, 5 * SECOND, ());
    while quiet.step(100_000) {}
    let quiet = quiet.report(&[(FORWARD, "forward".to_owned()), (REVERSE, "reverse".to_owned())]);
    let watched = all_tables(recorded(&["a", "b"], 7));
    assert_eq!(quiet["flows"], watched["flows"]);
    assert_eq!(quiet["links"], watched["links"]);
}

#[test]
fn adding_a_flow_leaves_the_draws_of_another_alone() {
    let starts = |names: &[&'static str]| {
        let mut world =
            world(endless(names), 10 * MBPS, Limit::Packets(99), 50 * MS, 3, SECOND, verifier(10 * MBPS, 99));
        while world.step(1000) {}
        world.into_observer().opened
    };
    let alone = starts(&["b"]);
    let together = starts(&["a", "b", "c"]);
    let of = |flow| {
        let found = together.iter().find(|(number, ..)| *number == flow).unwrap();
        (found.2, found.3)
    };
    assert_eq!((alone[0].2, alone[0].3), of(1));
    assert_ne!(of(0).0, of(1).0, "starts differ");
    assert_ne!(of(0).1, of(1).1, "initial sequence numbers differ");
    assert!(of(0).0 <= 50 * MS);
}

#[test]
fn finished_connections_make_room() {
    let app = OneAfterTheOther { left: 300, bytes: 20_000, done: 0 };
    let mut world = world(
        vec![("web", Box::new(app)), ("bulk", Box::new(Endless))],
        10 * MBPS,
        Limit::Packets(40),
        0,
        1,
        600 * SECOND,
        verifier(10 * MBPS, 40),
    );
    while world.step(10_000) {}
    let tables = world.report(&[(FORWARD, "forward".to_owned())]);
    assert_eq!(ints(&tables["done"], "done"), [300]);
    assert_eq!(ints(&tables["flows"], "bytes_delivered")[0], 300 * 20_000, "what was finished is counted");
    let seen = world.into_observer();
    assert_eq!(seen.opened.iter().filter(|(flow, ..)| *flow == 0).count() as i64, 300 + retried(&seen, 0));
    let isns: std::collections::BTreeSet<_> = seen.opened.iter().map(|open| open.3).collect();
    assert!(isns.len() >= 300, "every connection draws its own initial sequence number");
    // Each flow has one connection at a time, with at most one more slot while its last packets are in flight.
    assert!(seen.endpoints <= 6, "{} endpoints", seen.endpoints);
}

/// Returns the number of SYNs of a flow's source beyond the first of each connection.
fn retried(seen: &Verifier, flow: u32) -> i64 {
    let mut conns: Vec<_> = seen.opened.iter().filter(|open| open.0 == flow).map(|open| open.1).collect();
    let all = conns.len();
    conns.dedup();
    (all - conns.len()) as i64
}

/// The source delays its ACK of the request by 100 ms, although the later event of its SYN-ACK's timer is still
/// pending. A timer that moves to an earlier time is set anew.
#[test]
fn a_timer_may_move_to_earlier() {
    struct Silent;
    impl Application for Silent {
        fn on_start(&mut self, ctx: &mut AppContext<'_>) {
            ctx.open(Side::Sink);
        }
        fn on_connected(&mut self, ctx: &mut AppContext<'_>, conn: Conn, side: Side) {
            if side == Side::Sink {
                ctx.write(conn, side, 100);
            }
        }
        fn report(&self, _flow: &str, _now: Nanos, _tables: &mut AppTables) {}
    }
    let mut config = (stack::by_name("rfc").unwrap().config)();
    (config.delayed_ack, config.quick_acks) = (100 * MS, 0);
    let flow = vec![("a", Box::new(Silent) as Box<dyn Application>, config)];
    let mut world = world_of(flow, 10 * MBPS, Limit::Unlimited, 0, 1, 5 * SECOND, verifier(10 * MBPS, usize::MAX));
    while world.step(1) {}
    let sent: Vec<_> = world.into_observer().source_sent;
    assert_eq!(sent.len(), 2, "a SYN-ACK and an ACK");
    // The SYN is sent at 0, the SYN-ACK 20 ms later, the request 40 ms after that, its ACK 100 ms after that, plus some
    // transmission times.
    let held_back = sent[1] - sent[0] - 40 * MS;
    assert!((100 * MS..101 * MS).contains(&held_back), "{held_back}");
}

#[test]
fn packet_rows_tell_each_segments_life() {
    let tables = all_tables(recorded(&["a", "b"], 7));
    let packets = &tables["packets"];
    let times = floats(packets, "time_s");
    assert!(times.is_sorted());
    let Some(Column::Text(events)) = packets.column("event") else { panic!("no events") };
    let count = |name| events.iter().filter(|event| event.as_deref() == Some(name)).count();
    let (Some(Column::Text(flows)), Some(Column::Text(sides))) = (packets.column("flow"), packets.column("side"))
    else {
        panic!("no flows")
    };
    assert!(flows.iter().all(Option::is_some));
    let in_flight = count("sent") - count("dropped") - count("delivered");
    assert!(count("dropped") > 10 && in_flight < 200);
    let drops: i64 = ints(&tables["links"], "drops").iter().sum();
    assert_eq!(count("dropped") as i64, drops);
    // The first data segment of a flow begins at offset 0, and its ACK covers it.
    let (Some(Column::Int(seqs)), Some(Column::Int(acks))) = (packets.column("seq"), packets.column("ack")) else {
        panic!("no offsets")
    };
    let lens = ints(packets, "len");
    let mut highest = [0; 2];
    for row in 0..packets.len() {
        let flow = usize::from(flows[row].as_deref() == Some("b"));
        let seq = seqs[row].unwrap();
        match (events[row].as_deref(), sides[row].as_deref()) {
            (Some("sent"), Some("source")) => highest[flow] = highest[flow].max(seq + lens[row]),
            (_, Some("source")) => assert!(seq + lens[row] <= highest[flow], "what arrives was sent"),
            (_, _) => assert!(acks[row].is_none_or(|ack| ack <= highest[flow]), "what is acknowledged was sent"),
        }
    }
    assert!(highest.iter().all(|highest| *highest > 1_000_000));
}

#[test]
fn packet_rows_are_in_the_order_of_time() {
    // With one flow every link is evaluated when the packet is sent, including drops at the bottleneck.
    let tables = all_tables(recorded(&["a"], 7));
    assert!(ints(&tables["links"], "drops")[0] > 0);
    assert!(floats(&tables["packets"], "time_s").is_sorted());
}

#[test]
fn totals_add_up_over_connections() {
    let config = (stack::by_name("rfc").unwrap().config)();
    let (source, sink) = (ackclock_tcp::Endpoint::new(&config, 1), ackclock_tcp::Endpoint::new(&config, 2));
    let mut totals = FlowTotals { bytes_delivered: 5, srtt: Some(3), min_rtt: Some(2), ..FlowTotals::default() };
    totals.add(&source, &sink, 0);
    assert_eq!((totals.bytes_delivered, totals.srtt, totals.min_rtt), (5, Some(3), Some(2)));
}
