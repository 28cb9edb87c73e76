//! A transport that is not TCP in the same world: over the same links and queues, with losses, beside TCP, with the same
//! verifier, probes and tables. Its figures follow from theory.

mod mixed;
mod window;

use ackclock_app::Application;
use ackclock_core::Nanos;
use ackclock_net::queue::CATALOGUE;
use ackclock_net::{Limit, Loss, RandomLoss};
use ackclock_results::{Column, Tables};
use ackclock_sim::dumbbell::{Access, Dumbbell};
use ackclock_sim::endpoint::{Endpoint, Event};
use ackclock_sim::ids::{EndpointId, FlowId};
use ackclock_sim::link::LinkSpec;
use ackclock_sim::measures::FlowLabels;
use ackclock_sim::observe::{NetworkEvent, Observer, Who};
use ackclock_sim::probes::{Recorder, Watch};
use ackclock_sim::verify::Verifier;
use ackclock_sim::world::{FlowSpec, World};
use ackclock_tcp::{cc, stack};

use crate::common::{Endless, FORWARD, MBPS, MS, OneAfterTheOther, REVERSE, SECOND, rate};
use window::{Config, HEADERS, Window};

/// Bytes of the stream in a full packet of 1,500 bytes.
const PAYLOAD: u64 = 1500 - HEADERS as u64;
/// A packet of 1,500 bytes takes 1.2 ms at the bottleneck of 10 Mbit/s and 0.12 ms on each of two access links. With
/// the propagation delay of 20 ms this is the delay of the forward path; that of the reverse path is for 40 bytes.
const THERE: Nanos = 20 * MS + 1_440_000;
const RTT: Nanos = THERE + 20 * MS + 38_400;

/// Returns a direction of the bottleneck with unlimited room, and with losses in parts per thousand.
fn bottleneck(losses: u64, seed: u8) -> LinkSpec {
    let link = LinkSpec::drop_tail(rate(10 * MBPS), 16 * MS, Limit::Unlimited);
    let loss = (losses > 0).then(|| Loss::Random(RandomLoss::new(losses * 1_000_000, [seed; 32])));
    LinkSpec { loss, ..link }
}

/// The verifier and the probes, together.
struct Watchers<E: Endpoint> {
    verifier: Verifier<E::Packet>,
    recorder: Recorder,
}

impl<E: Endpoint> Observer<E::Packet> for Watchers<E> {
    fn opened(&mut self, endpoint: EndpointId, generation: u16, who: Who, pair: u32) {
        self.verifier.opened(endpoint, generation, who, pair);
        Observer::<E::Packet>::opened(&mut self.recorder, endpoint, generation, who, pair);
    }

    fn endpoint(&mut self, now: Nanos, who: Who, event: Event<'_, E::Packet>) {
        self.verifier.endpoint(now, who, event);
        self.recorder.endpoint(now, who, event);
    }

    fn delivered(&mut self, now: Nanos, flow: FlowId, bytes: u64) {
        Observer::<E::Packet>::delivered(&mut self.recorder, now, flow, bytes);
    }

    fn network(&mut self, at: Nanos, contents: Option<&E::Packet>, event: NetworkEvent) {
        self.verifier.network(at, contents, event);
        self.recorder.network(at, contents, event);
    }
}

/// Runs flows over a bottleneck to the end, with no finding of the verifier. Returns the tables.
fn run<E: Endpoint>(
    flows: Vec<(&str, E::Config, Box<dyn Application>)>,
    forward: LinkSpec,
    reverse: LinkSpec,
    duration: Nanos,
) -> Tables {
    let mut dumbbell = Dumbbell::new(forward, reverse);
    let access = Access { rate: rate(100 * MBPS), source_delay: 2 * MS, sink_delay: 2 * MS };
    let flows: Vec<FlowSpec<E>> = flows
        .into_iter()
        .map(|(name, config, app)| FlowSpec {
            labels: FlowLabels {
                name: name.to_owned(),
                stack: "".into(),
                cc: "".into(),
                validation: "",
                pacing: "",
                app: "test",
            },
            config,
            app,
            start: 0,
            start_jitter: 0,
            hosts: [1; 2],
            routes: vec![dumbbell.flow(access)],
            route_changes: Vec::new(),
            paths: None,
            offload: Default::default(),
            class: 0,
            headers: ackclock_net::queue::Headers::default(),
            delays: true,
            readers: [None, None],
        })
        .collect();
    let links = vec![(FORWARD, "forward".to_owned()), (REVERSE, "reverse".to_owned())];
    let names = flows.iter().map(|flow| flow.labels.name.clone()).collect();
    let watch = Watch {
        window: true,
        packets: true,
        timeouts: true,
        queues: true,
        rates: true,
        interval: SECOND,
        from: 0,
        to: duration,
    };
    let watchers = Watchers::<E> {
        verifier: Verifier::new(&dumbbell.topology, flows.iter().map(|flow| &flow.routes[..])),
        recorder: Recorder::new(watch, names, links.clone(), Vec::new()),
    };
    let mut world = World::new(dumbbell.topology, flows, 1, duration, watchers);
    while world.step(1000) {}
    let mut tables = world.report(&links);
    let (network, watchers) = world.into_parts();
    assert_eq!(watchers.verifier.finish(duration), []);
    watchers.recorder.report(duration, &network, &mut tables);
    tables
}

/// Returns the tables of one flow that always has bytes to send, with a fixed window of packets.
fn alone(window: usize, timeout: Nanos, [lost, lost_acks]: [u64; 2], duration: Nanos) -> Tables {
    let config = Config { window, payload: PAYLOAD, timeout };
    let flows: Vec<(&str, Config, Box<dyn Application>)> = vec![("own", config, Box::new(Endless))];
    run::<Window>(flows, bottleneck(lost, 1), bottleneck(lost_acks, 2), duration)
}

fn number(tables: &Tables, table: &str, column: &str, row: usize) -> f64 {
    match tables[table].column(column) {
        Some(Column::Float(cells)) => cells[row].unwrap(),
        Some(Column::Int(cells)) => cells[row].unwrap() as f64,
        other => panic!("{table}.{column} is {other:?}"),
    }
}

/// Returns the number of rows of a table whose cell is `value`.
fn rows(tables: &Tables, table: &str, column: &str, value: &str) -> u64 {
    let Some(Column::Text(cells)) = tables[table].column(column) else { panic!("{table}.{column}") };
    cells.iter().filter(|cell| cell.as_deref() == Some(value)).count() as u64
}

/// Returns the full packets that the sink of the only flow received in order.
fn delivered(tables: &Tables) -> u64 {
    number(tables, "flows", "bytes_delivered", 0) as u64 / PAYLOAD
}

#[test]
fn stop_and_wait_sends_a_packet_each_round_trip_time() {
    let duration = 100 * SECOND;
    let tables = alone(1, SECOND, [0, 0], duration);
    assert_eq!(delivered(&tables), 1 + (duration - THERE) / RTT);
    assert_eq!(number(&tables, "flows", "segments_sent", 0) as u64, 1 + duration / RTT);
    assert_eq!(number(&tables, "flows", "min_rtt_ms", 0), RTT as f64 / 1e6);
    assert_eq!(number(&tables, "delays", "packets", 0) as u64, delivered(&tables), "acknowledgments have no payload");
    assert_eq!(number(&tables, "links", "packets", 0) as u64, 1 + (duration - 2_120_000) / RTT);
    let rates = &tables["rates"];
    assert!(rates.len() >= 100, "{rates:?}");
}

#[test]
fn stop_and_wait_loses_a_timeout_for_each_lost_packet_or_acknowledgment() {
    let (duration, timeout) = (2000 * SECOND, 200 * MS);
    for losses in [[100, 0], [50, 30]] {
        let tables = alone(1, timeout, losses, duration);
        let timeouts = number(&tables, "flows", "timeouts", 0) as u64;
        // Each packet takes a round-trip time, and each loss a timeout; the last packet may be under way.
        let explained = (delivered(&tables) - 1) * RTT + timeouts * timeout;
        assert!((explained..=explained + RTT + timeout).contains(&duration), "{explained} of {duration} ns");
        let lost = number(&tables, "links", "losses", 0) + number(&tables, "links", "losses", 1);
        assert!((0.0..=1.0).contains(&(lost - timeouts as f64)), "{lost} losses, {timeouts} timeouts");
        assert_eq!(number(&tables, "flows", "retransmits", 0) as u64, timeouts);
        assert_eq!(rows(&tables, "events", "event", "timeout"), timeouts);
        // A try succeeds with probability s, so a packet takes (1 - s) / s timeouts on average.
        let [p, q] = losses.map(|losses| losses as f64 / 1000.0);
        let s = (1.0 - p) * (1.0 - q);
        let theory = duration as f64 / (RTT as f64 + timeout as f64 * (1.0 - s) / s);
        let ratio = delivered(&tables) as f64 / theory;
        assert!((ratio - 1.0).abs() < 0.02, "{ratio} of theory");
        let ratio = number(&tables, "flows", "data_segments_sent", 0) * s / delivered(&tables) as f64;
        assert!((ratio - 1.0).abs() < 0.01, "{ratio} of theory");
    }
}

#[test]
fn a_window_sends_its_packets_each_round_trip_time_until_the_link_is_full() {
    let duration = 100 * SECOND;
    let first = delivered(&alone(1, SECOND, [0, 0], duration));
    assert!(delivered(&alone(4, SECOND, [0, 0], duration)).abs_diff(4 * first) <= 4);
    // The path holds 34.6 packets. With 50, the link is busy and 15.4 packets are queued, less the one in service.
    let tables = alone(50, SECOND, [0, 0], duration);
    assert!(number(&tables, "links", "utilisation", 0) > 0.999);
    let queued = number(&tables, "links", "queue_delay_p50_ms", 0) / 1.2;
    let theory = 50.0 - RTT as f64 / 1.2e6;
    assert!((queued - theory).abs() < 0.1, "{queued} packets, theory {theory}");
}

#[test]
fn connections_open_and_close_one_after_the_other() {
    let app = OneAfterTheOther { left: 200, bytes: 20_000, done: 0 };
    let config = Config { window: 5, payload: 1000, timeout: 100 * MS };
    let flows: Vec<(&str, Config, Box<dyn Application>)> = vec![("own", config, Box::new(app))];
    let tables = run::<Window>(flows, bottleneck(50, 3), bottleneck(50, 4), 200 * SECOND);
    assert_eq!(number(&tables, "done", "done", 0), 200.0);
    // The source's bytes arrive at the sink; the sink's requests are not counted.
    assert_eq!(number(&tables, "flows", "bytes_delivered", 0), 200.0 * 20_000.0);
    let lost = number(&tables, "flows", "retransmits", 0) / number(&tables, "flows", "data_segments_sent", 0);
    let theory = 1.0 - 0.95 * 0.95;
    assert!((lost - theory).abs() < 0.02, "{lost} of the packets, theory {theory}");
}

/// Returns the tables of a TCP flow and a flow with a window of 20 packets.
fn beside_tcp(tcp: ackclock_tcp::Config, forward: LinkSpec, duration: Nanos) -> Tables {
    let own = Config { window: 20, payload: PAYLOAD, timeout: SECOND };
    let flows: Vec<(&str, mixed::Config, Box<dyn Application>)> = vec![
        ("own", mixed::Config::Window(own), Box::new(Endless)),
        ("tcp", mixed::Config::Tcp(tcp.into()), Box::new(Endless)),
    ];
    run::<mixed::Either>(flows, forward, bottleneck(0, 0), duration)
}

#[test]
fn beside_tcp_each_flow_has_the_share_of_its_window() {
    let mut tcp = (stack::by_name("rfc").unwrap().config)();
    tcp.cc = cc::Algorithm::given(cc::by_name("fixed-window").unwrap(), &[("segments", 60.0)]).unwrap();
    tcp.delayed_ack = 0;
    tcp.receive_buffer = 1 << 20;
    let tables = beside_tcp(tcp, bottleneck(0, 0), 100 * SECOND);
    let [own, tcp] = [0, 1].map(|flow| number(&tables, "flows", "goodput_bps", flow));
    let share = own / (own + tcp);
    assert!((share - 0.25).abs() < 0.005, "a window of 20 packets of 80 has {share} of the link");
    assert!(number(&tables, "links", "utilisation", 0) > 0.999);
    // Both flows have the RTT of 80 packets at the bottleneck, of which those of TCP's handshake are no part.
    let [rtt, of_tcp] = [0, 1].map(|flow| number(&tables, "flows", "srtt_ms", flow));
    assert!((rtt / 96.0 - 1.0).abs() < 0.01 && (of_tcp / rtt - 1.0).abs() < 0.01, "{rtt} and {of_tcp} ms");
}

#[test]
fn every_queue_carries_both_transports() {
    for entry in CATALOGUE {
        let limit = Limit::Packets(40);
        let forward = LinkSpec { queue: entry, limit, seed: [7; 32], ..bottleneck(2, 5) };
        let tcp = (stack::by_name("rfc").unwrap().config)();
        let tables = beside_tcp(tcp, forward, 10 * SECOND);
        let bytes = [0, 1].map(|flow| number(&tables, "flows", "bytes_delivered", flow));
        assert!(bytes.iter().all(|bytes| *bytes > 50_000.0), "{}: {bytes:?}", entry.name);
        // Only TCP has a window for the probe, and both have packets, of which some are lost.
        let windows = tables["window"].len() as u64;
        assert!(windows > 0 && rows(&tables, "window", "flow", "tcp") == windows, "{}", entry.name);
        assert!(rows(&tables, "packets", "flow", "own") > 100 && rows(&tables, "packets", "event", "dropped") > 0);
    }
}
