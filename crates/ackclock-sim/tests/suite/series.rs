//! Queue lengths and rates over time, in whole runs.

use ackclock_results::Column;
use ackclock_scenario::{Outside, Scenario};
use ackclock_sim::{Output, Run};

/// A trace of four delivery opportunities in 10 ms.
const TRACE: &str = "1\n4\n5\n10\n";

fn run(text: &str, overrides: &[(&str, &str)]) -> Output {
    let overrides: Vec<_> = overrides.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    let files = |_: &str| Ok(TRACE.as_bytes().to_vec());
    let outside = Outside { files: &files, ..Outside::NOTHING };
    let scenario = Scenario::from_toml_with(text, &overrides, outside).unwrap_or_else(|error| panic!("{error}"));
    let mut run = Run::new(&scenario, None).unwrap();
    while run.step(1 << 20) {}
    run.finish()
}

fn cells(output: &Output, table: &str, column: &str) -> Vec<Option<f64>> {
    match output.tables[table].column(column) {
        Some(Column::Float(cells)) => cells.clone(),
        Some(Column::Int(cells)) => cells.iter().map(|cell| cell.map(|cell| cell as f64)).collect(),
        other => panic!("{table}.{column} is {other:?}"),
    }
}

fn numbers(output: &Output, table: &str, column: &str) -> Vec<f64> {
    cells(output, table, column).into_iter().map(Option::unwrap).collect()
}

/// Returns the capacity of the bottleneck, and of its reverse direction, in each interval, in bit/s.
fn capacities(text: &str, overrides: &[(&str, &str)]) -> [Vec<f64>; 2] {
    let output = run(text, overrides);
    [0, 1].map(|link| {
        let mut own = cells(&output, "queues", "capacity_bps").into_iter().skip(link).step_by(2);
        assert_eq!(own.next(), Some(None), "no interval ends with the first instant");
        own.map(Option::unwrap).collect()
    })
}

/// Returns every other row: those of the bottleneck, because its reverse is the only other link.
fn bottleneck(output: &Output, column: &str) -> Vec<f64> {
    numbers(output, "queues", column).into_iter().step_by(2).collect()
}

/// A packet arrives every 6 ms, the first at 1.2 ms, before a link that takes 12 ms for each.
const OVERLOAD: &str = "duration = '2s'
[bottleneck]
rate = '1Mbps'
delay = '10ms'
queue = '5 packets'
[[flows]]
stack = 'rfc'
app = { kind = 'cbr', rate = '2Mbps' }
[probes]
queues = true
rates = true
";

#[test]
fn a_queue_grows_by_what_arrives_and_does_not_leave() {
    let output = run(OVERLOAD, &[]);
    assert_eq!(numbers(&output, "queues", "time_s")[..6], [0.0, 0.0, 0.01, 0.01, 0.02, 0.02]);
    let packets = bottleneck(&output, "packets");
    // At 10 ms two have arrived and one has started; at 20 ms four and two, at 30 ms five and three, at 40 ms seven and
    // four.
    assert_eq!(packets[..9], [0.0, 1.0, 2.0, 2.0, 3.0, 4.0, 5.0, 5.0, 5.0]);
    assert!(packets[9..].iter().all(|&packets| packets == 4.0 || packets == 5.0), "{packets:?}");
    assert_eq!(packets.len(), 201);
    let bytes: Vec<_> = packets.iter().map(|packets| 1500.0 * packets).collect();
    assert_eq!(bottleneck(&output, "bytes"), bytes);
    assert!(numbers(&output, "queues", "packets").iter().skip(1).step_by(2).all(|&packets| packets == 0.0));
    // The first packet arrives after 1.2 + 12 + 10 + 1.2 ms, and then one every 12 ms.
    let rates = numbers(&output, "rates", "bytes_delivered");
    assert_eq!(rates[..6], [0.0, 0.0, 1472.0, 1472.0, 1472.0, 0.0]);
    assert_eq!(numbers(&output, "rates", "goodput_bps")[2], 1472.0 * 8.0 / 0.01);
}

#[test]
fn capacity_is_what_the_link_could_have_sent_since_the_instant_before() {
    let [fixed, reverse] = capacities(OVERLOAD, &[("bottleneck.rate", "3.07Mbps")]);
    assert!(fixed.len() == 200 && fixed == reverse && fixed.iter().all(|&rate| rate == 3_070_000.0), "{fixed:?}");

    let steps = "{ kind = 'steps', steps = [{ at = '0s', rate = '1Mbps' }, { at = '15ms', rate = '2Mbps' }, \
                 { at = '25ms', rate = '0bps' }, { at = '38ms', rate = '4Mbps' }] }";
    let steps = [("bottleneck.rate", steps), ("bottleneck.reverse_rate", "5Mbps")];
    let [stepped, reverse] = capacities(OVERLOAD, &steps);
    // The second interval has 5 ms at either rate, the third 5 ms at 2 Mbit/s, the fourth 2 ms at 4 Mbit/s.
    assert_eq!(stepped[..5], [1e6, 1.5e6, 1e6, 0.8e6, 4e6]);
    assert!(reverse.iter().all(|&rate| rate == 5e6), "{reverse:?}");
    let late = [steps[0], steps[1], ("probes.from", "13ms"), ("probes.to", "46ms")];
    assert_eq!(capacities(OVERLOAD, &late)[0], [1.8e6, 0.4e6, 2e6], "from 13 ms to 43 ms");

    let odd = "{ kind = 'steps', steps = [{ at = '0s', rate = '1000003bps' }, { at = '5ms', rate = '1Mbps' }] }";
    assert_eq!(capacities(OVERLOAD, &[("bottleneck.rate", odd)])[0][..2], [1_000_001.5, 1e6]);

    // The opportunities are at 1, 4, 5 and 10 ms. An opportunity belongs to the interval that ends with it, like the
    // packet that it sends.
    let trace = [("bottleneck.rate", "{ kind = 'trace', file = 'x' }"), ("probes.interval", "5ms")];
    let [traced, _] = capacities(OVERLOAD, &trace);
    assert_eq!(traced[..4], [7.2e6, 2.4e6, 7.2e6, 2.4e6]);

    let outage = |packets| format!("[{{ from = '12ms', to = '17ms', packets = '{packets}' }}]");
    let [held, _] = capacities(OVERLOAD, &[("bottleneck.outages", &outage("wait"))]);
    // The packet that is on the wire when the outage starts is sent until 13.2 ms.
    assert_eq!(held[..3], [1e6, 0.62e6, 1e6]);
    let [lost, _] = capacities(OVERLOAD, &[("bottleneck.outages", &outage("lost"))]);
    assert_eq!(lost[..3], [1e6; 3], "what is lost is sent");
    let [both, _] = capacities(OVERLOAD, &[trace[0], trace[1], ("bottleneck.outages", &outage("wait"))]);
    assert_eq!(both[..5], [7.2e6, 2.4e6, 2.4e6, 2.4e6, 7.2e6], "of 11, 14 and 15 ms only the first");
}

#[test]
fn capacities_add_up_to_what_utilisation_is_of() {
    for rate in ["'cellular'", "{ kind = 'trace', file = 'x' }"] {
        let output = run(OVERLOAD, &[("bottleneck.rate", rate), ("flows[0].app.rate", "'100Mbps'")]);
        let rates = cells(&output, "queues", "capacity_bps").into_iter().step_by(2).skip(1);
        let bits = rates.map(|rate| rate.unwrap() * 0.01).sum::<f64>();
        let link = |column| numbers(&output, "links", column)[0];
        let carried = link("bytes") * 8.0;
        assert!((carried / bits - link("utilisation")).abs() < 1e-9, "{rate}: {bits}");
        assert!((0.98..=1.0).contains(&link("utilisation")), "{rate}: {}", link("utilisation"));
        // Once the queue has filled, the packets that leave in an interval use its whole capacity.
        let sent: Vec<_> =
            numbers(&output, "queues", "sent").into_iter().step_by(2).map(|sent| sent * 1500.0).collect();
        let capacity = cells(&output, "queues", "capacity_bps").into_iter().step_by(2);
        let offered: Vec<_> = capacity.map(|rate| rate.map(|rate| (rate * 0.01 / 8.0).round())).collect();
        assert!(sent[0] == 0.0 && sent[1] <= offered[1].unwrap(), "{rate}");
        assert!(
            sent.iter().zip(&offered).skip(2).all(|(sent, offered)| Some(*sent) == *offered),
            "{rate}: {sent:?} {offered:?}"
        );
    }
}

#[test]
fn a_sojourn_is_from_arrival_to_the_wire_and_of_the_interval_in_which_it_ends() {
    let columns = |output: &Output, link: usize| {
        ["sent", "sojourn_ms", "sojourn_max_ms"]
            .map(|column| cells(output, "queues", column).into_iter().skip(link).step_by(2).collect::<Vec<_>>())
    };
    let output = run(OVERLOAD, &[]);
    let [sent, mean, longest] = columns(&output, 0);
    // The packets leave at 1.2, 13.2, 25.2, 37.2, 49.2 and 61.2 ms, and arrived at 1.2, 7.2, 13.2, 19.2, 25.2 and 31.2
    // ms.
    assert_eq!(sent[..8], [0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0].map(Some));
    assert_eq!(mean[..8], [None, Some(0.0), Some(6.0), Some(12.0), Some(18.0), Some(24.0), None, Some(30.0)]);
    assert_eq!(mean, longest);
    let [sent, mean, longest] = columns(&output, 1);
    assert!(sent.iter().all(|sent| *sent == Some(0.0)) && mean.iter().chain(&longest).all(Option::is_none));

    // A packet that leaves at the first instant does not belong to the series; a packet that leaves at a later instant
    // belongs to the interval that ends there.
    let late = run(OVERLOAD, &[("probes.interval", "24ms"), ("probes.from", "13.2ms")]);
    let [sent, mean, longest] = columns(&late, 0);
    assert_eq!(sent[..3], [0.0, 2.0, 2.0].map(Some));
    assert_eq!(mean[..3], [None, Some(15.0), Some(27.0)]);
    assert_eq!(longest[..3], [None, Some(18.0), Some(30.0)]);

    // A packet arrives every 24 ms, and an outage lasts for 60 ms: packets leave at its end, and 12, 24 and 36 ms
    // later.
    let outage = "[{ from = '0s', to = '60ms' }]";
    let keys = [("flows[0].app.rate", "500kbps"), ("bottleneck.outages", outage), ("probes.interval", "50ms")];
    let [sent, mean, longest] = columns(&run(OVERLOAD, &keys), 0);
    assert_eq!((sent[1], mean[1], longest[1]), (Some(0.0), None, None));
    assert_eq!((sent[2], mean[2], longest[2]), (Some(4.0), Some((58.8 + 46.8 + 34.8 + 22.8) / 4.0), Some(58.8)));
}

#[test]
fn sojourn_times_are_those_of_the_links() {
    let all: &[&[(&str, &str)]] = &[
        &[],
        &[("bottleneck.loss", "5%")],
        &[("bottleneck.queue", "{ kind = 'codel', target = '1ms', interval = '10ms' }")],
        &[("bottleneck.queue", "fq-codel"), ("bottleneck.corruption", "5%"), ("bottleneck.duplication", "5%")],
        &[("bottleneck.outages", "[{ from = '1s', to = '2s' }, { from = '3s', to = '4s', packets = 'lost' }]")],
    ];
    for keys in all {
        let transfer = [("flows[0].app", "{ kind = 'transfer', size = '300kB' }"), ("duration", "20s")];
        let output = run(OVERLOAD, &[&transfer, *keys].concat());
        let link = |column| numbers(&output, "links", column)[0];
        let series = |column| cells(&output, "queues", column).into_iter().step_by(2).map(Option::unwrap_or_default);
        assert_eq!(bottleneck(&output, "packets").last(), Some(&0.0), "{keys:?}: nothing waits at the end");
        let sent: f64 = series("sent").sum();
        assert!(sent > 200.0 && sent == link("packets") - link("wire_losses"), "{keys:?}: {sent}");
        let mean = series("sent").zip(series("sojourn_ms")).map(|(sent, mean)| sent * mean).sum::<f64>() / sent;
        assert!((mean / link("queue_delay_mean_ms") - 1.0).abs() < 1e-9, "{keys:?}: {mean}");
        assert_eq!(series("sojourn_max_ms").fold(0.0, f64::max), link("queue_delay_max_ms"), "{keys:?}");
    }
}

/// Flows of several kinds over two links; only the first link feeds the second.
const CHAIN: &str = "duration = '20s'
[bottleneck]
rate = '4Mbps'
delay = '10ms'
queue = '20 packets'
loss = '1%'
[[links]]
ends = ['right', 'far']
rate = '3.07Mbps'
delay = '5ms'
queue = '20kB'
[[flows]]
stack = 'rfc'
app = 'bulk'
count = 2
start_jitter = '1s'
route = ['left', 'right', 'far']
[[flows]]
stack = 'rfc'
app = { kind = 'cbr', rate = '500kbps', packet_size = '300B' }
route = ['left', 'right', 'far']
";

#[test]
fn a_link_evaluated_ahead_and_a_port_have_the_same_queues() {
    let probes = ("probes", "{ queues = true, rates = true, interval = '3.7ms', from = '1ms', to = '19s' }");
    let links = run(CHAIN, &[probes]);
    // The outage is after the end.
    let never = "[{ from = '100s', to = '101s' }]";
    for link in ["links[0].outages", "bottleneck.outages"] {
        let ports = run(CHAIN, &[probes, (link, never)]);
        assert!(links.tables["queues"] == ports.tables["queues"], "{link}");
        assert!(links.tables["rates"] == ports.tables["rates"], "{link}");
    }
    for row in 0..4 {
        let packets: Vec<f64> = numbers(&links, "queues", "packets").into_iter().skip(row).step_by(4).collect();
        assert_eq!(packets.iter().any(|&packets| packets > 5.0), row % 2 == 0, "link {row}");
    }
    let times = numbers(&links, "queues", "time_s");
    assert!(times[0] == 0.001 && times.is_sorted() && *times.last().unwrap() <= 19.0, "{times:?}");
}

#[test]
fn mean_length_is_arrival_rate_times_mean_wait() {
    for discipline in ["'20 packets'", "{ kind = 'codel', limit = '50 packets' }", "{ kind = 'fq-codel' }"] {
        let output = run(CHAIN, &[("probes", "{ queues = true, interval = '137us' }"), ("links[0].queue", discipline)]);
        for row in [0, 2] {
            let lengths: Vec<f64> = numbers(&output, "queues", "packets").into_iter().skip(row).step_by(4).collect();
            let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
            let link = |column| numbers(&output, "links", column)[row];
            let waited = link("packets") * link("queue_delay_mean_ms") / 1e3 / 20.0;
            // Packets that the discipline dropped were queued, too, and no longer than packets that were sent.
            let at_most = waited + link("aqm_drops") * link("queue_delay_max_ms") / 1e3 / 20.0;
            assert!(0.997 * waited < mean && mean < 1.003 * at_most, "{discipline}, {row}: {waited} {mean} {at_most}");
        }
    }
}

#[test]
fn rates_sum_up_to_what_was_delivered_and_recording_changes_nothing() {
    let mut recorded = run(CHAIN, &[("probes", "{ queues = true, rates = true, interval = '7ms' }")]);
    let bytes = numbers(&recorded, "rates", "bytes_delivered");
    let times = numbers(&recorded, "rates", "time_s");
    assert_eq!((times[0], times[times.len() - 1]), (0.007, 20.0));
    for (flow, total) in numbers(&recorded, "flows", "bytes_delivered").into_iter().enumerate() {
        assert!(total > 1e6, "{total}");
        assert_eq!(bytes.iter().skip(flow).step_by(3).sum::<f64>(), total);
    }
    recorded.tables.remove("queues");
    recorded.tables.remove("rates");
    assert!(recorded == run(CHAIN, &[]));
}
