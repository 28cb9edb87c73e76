//! Queue lengths and rates over time, in whole runs.

use ackclock_sim::scenario::Scenario;
use ackclock_sim::table::Column;
use ackclock_sim::{Output, Run};

fn run(text: &str, overrides: &[(&str, &str)]) -> Output {
    let overrides: Vec<_> = overrides.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    let scenario = Scenario::from_toml(text, &overrides).unwrap_or_else(|error| panic!("{error}"));
    let mut run = Run::new(&scenario, None).unwrap();
    while run.step(1 << 20) {}
    run.finish()
}

fn numbers(output: &Output, table: &str, column: &str) -> Vec<f64> {
    match output.tables[table].column(column) {
        Some(Column::Float(cells)) => cells.iter().map(|cell| cell.unwrap()).collect(),
        Some(Column::Int(cells)) => cells.iter().map(|cell| cell.unwrap() as f64).collect(),
        other => panic!("{table}.{column} is {other:?}"),
    }
}

/// Every other row: those of the bottleneck, its reverse being the other link.
fn bottleneck(output: &Output, column: &str) -> Vec<f64> {
    numbers(output, "queues", column).into_iter().step_by(2).collect()
}

/// A packet each 6 ms, the first at 1.2 ms, before a link that takes 12 ms for each.
const OVERLOAD: &str = "duration = '2s'
[bottleneck]
rate = '1Mbps'
delay = '10ms'
queue = '5 packets'
[[flows]]
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
    // At 10 ms two have come and one has started; at 20 ms four and two, at 30 ms five and three, at 40 ms seven and four.
    assert_eq!(packets[..9], [0.0, 1.0, 2.0, 2.0, 3.0, 4.0, 5.0, 5.0, 5.0]);
    assert!(packets[9..].iter().all(|&packets| packets == 4.0 || packets == 5.0), "{packets:?}");
    assert_eq!(packets.len(), 201);
    let bytes: Vec<_> = packets.iter().map(|packets| 1500.0 * packets).collect();
    assert_eq!(bottleneck(&output, "bytes"), bytes);
    assert!(numbers(&output, "queues", "packets").iter().skip(1).step_by(2).all(|&packets| packets == 0.0));
    // The first packet is there after 1.2 + 12 + 10 + 1.2 ms, and then one each 12 ms.
    let rates = numbers(&output, "rates", "bytes_delivered");
    assert_eq!(rates[..6], [0.0, 0.0, 1472.0, 1472.0, 1472.0, 0.0]);
    assert_eq!(numbers(&output, "rates", "goodput_bps")[2], 1472.0 * 8.0 / 0.01);
}

/// Flows of several kinds over two links, of which the second is fed by the first alone.
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
app = 'bulk'
count = 2
start_jitter = '1s'
route = ['left', 'right', 'far']
[[flows]]
app = { kind = 'cbr', rate = '500kbps', packet_size = '300B' }
route = ['left', 'right', 'far']
";

#[test]
fn a_link_evaluated_ahead_and_a_port_have_the_same_queues() {
    let probes = ("probes", "{ queues = true, rates = true, interval = '3.7ms', from = '1ms', to = '19s' }");
    let links = run(CHAIN, &[probes]);
    // An outage after the end.
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
            // What was dropped by the discipline has waited, too, and no longer than what was sent.
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

#[test]
fn a_run_cut_short_has_the_instants_up_to_its_end() {
    let scenario = Scenario::from_toml(OVERLOAD, &[("probes.interval".to_owned(), "1ms".to_owned())]).unwrap();
    let mut run = Run::new(&scenario, None).unwrap();
    assert!(run.step(100));
    let now = run.now() as f64 / 1e9;
    let output = run.finish();
    let times = numbers(&output, "queues", "time_s");
    assert!(now < 1.0 && times.last().is_some_and(|last| (0.0..0.001).contains(&(now - last))), "{now}: {times:?}");
    assert_eq!(numbers(&output, "rates", "time_s").last(), Some(&now));
}
