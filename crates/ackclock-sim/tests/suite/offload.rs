//! Segmentation offload: large packets of the sending host (GSO) in queues, and merged segments at the receiver (GRO).

use ackclock_results::{Column, Table, Tables};
use ackclock_scenario::Scenario;
use ackclock_sim::Run;

/// Runs a scenario with the verifier and the checks of its tables.
fn run(text: &str, overrides: &[(&str, &str)]) -> Tables {
    let overrides: Vec<_> = overrides.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    let scenario = Scenario::from_toml(text, &overrides).unwrap_or_else(|error| panic!("{error}"));
    let output = Run::verified(&scenario, None).unwrap();
    assert!(output.violations.is_empty(), "{overrides:?}: {:#?}", output.violations);
    assert!(output.findings.is_empty(), "{overrides:?}: {:#?}", output.findings);
    output.tables
}

fn column<'a>(tables: &'a Tables, table: &str, name: &str) -> &'a Column {
    tables.get(table).and_then(|table: &Table| table.column(name)).unwrap_or_else(|| panic!("no {name} of {table}"))
}

fn ints(tables: &Tables, table: &str, name: &str) -> Vec<i64> {
    let Column::Int(cells) = column(tables, table, name) else { panic!("{name} has no integers") };
    cells.iter().map(|cell| cell.unwrap_or(0)).collect()
}

/// The first cell of a column.
fn float(tables: &Tables, table: &str, name: &str) -> f64 {
    let Column::Float(cells) = column(tables, table, name) else { panic!("{name} has no numbers") };
    cells[0].unwrap_or(0.0)
}

/// The bufferbloat lab of many courses: 1.5 Mbit/s, a base RTT of 20 ms, a queue of 100 packets.
const LAB: &str = "
duration = '60s'
bottleneck = { rate = '1.5Mbps', delay = '10ms', queue = '100 packets' }
access = { rate = '1Gbps' }
[[flows]]
name = 'f'
app = 'bulk'
cc = 'reno'
[probes]
queues = true
packets = true
";

/// The largest queueing delay of the lab's bottleneck in milliseconds, and its longest queue in packets.
fn lab(overrides: &[(&str, &str)]) -> (f64, i64) {
    let tables = run(LAB, overrides);
    let longest = ints(&tables, "queues", "packets").into_iter().max();
    (float(&tables, "links", "queue_delay_max_ms"), longest.expect("there are samples"))
}

/// Linux's smallest large packet has two segments, 2 * 1500 bytes, which take 16 ms. A full queue of 100 such packets is
/// 1.6 s; of segments, it is 0.8 s.
#[test]
fn a_queue_of_large_packets_holds_twice_the_bytes() {
    let (segments, packets) = lab(&[("bottleneck.gso", "off")]);
    assert!((780.0..=810.0).contains(&segments) && packets <= 100, "{segments} {packets}");
    for gso in ["queue", "whole"] {
        let (large, packets) = lab(&[("bottleneck.gso", gso), ("bottleneck.host_queue", "false")]);
        assert!((1_500.0..=1_950.0).contains(&large) && packets <= 100, "{gso}: {large} {packets}");
    }
}

/// TCP small queues: a flow of Linux has at most two packets of two segments in the queue of its own host and on its wire,
/// whatever the congestion window allows. FreeBSD has no such rule.
#[test]
fn a_flow_has_two_packets_in_the_queue_of_its_host() {
    let (delay, packets) = lab(&[("bottleneck.gso", "queue")]);
    assert!((10.0..=33.0).contains(&delay) && packets <= 4, "{delay} {packets}");
    let two = lab(&[("bottleneck.gso", "queue"), ("flows[0].count", "2")]);
    assert!((30.0..=66.0).contains(&two.0) && two.1 <= 8, "{two:?}");
    // The rule counts the packets that TCP makes, also where the queue takes their segments one by one.
    let segments = lab(&[("bottleneck.host_queue", "true")]);
    assert!((10.0..=33.0).contains(&segments.0) && segments.1 <= 4, "{segments:?}");
    let [freebsd, elsewhere] =
        ["true", "false"].map(|own| lab(&[("bottleneck.host_queue", own), ("flows[0].stack", "freebsd")]));
    assert!(freebsd.0 > 200.0 && freebsd == elsewhere, "{freebsd:?} {elsewhere:?}");
}

/// Linux 6.18 with its own tbf of 10 Mbit/s or 100 Mbit/s and a bucket of 100 kB on virtual Ethernet without delay: packets
/// of 45 segments, two in the queue (tc -s), and an RTT of 109 and 10.9 ms (ss). No limit of the queue is met.
#[test]
fn the_queue_of_a_host_is_as_short_as_with_linux() {
    let text = "
duration = '6s'
bottleneck = { rate = '10Gbps', delay = '10us', gso = 'queue' }
access = { rate = '10Gbps' }
[[flows]]
name = 'f'
app = 'bulk'
";
    let rtt = |rate: &str, cc: &str| {
        let queue = format!("{{ kind = 'token-bucket', rate = '{rate}', burst = '100kB', limit = '2MB' }}");
        let tables = run(text, &[("bottleneck.queue", &queue), ("flows[0].cc", cc)]);
        float(&tables, "flows", "srtt_ms")
    };
    let slow = rtt("10Mbps", "cubic");
    assert!((104.0..=114.0).contains(&slow), "{slow}");
    let fast = rtt("100Mbps", "reno");
    assert!((10.4..=11.4).contains(&fast), "{fast}");
}

/// A flow whose host does not offload sends segments.
#[test]
fn a_host_without_offload_sends_segments() {
    let delay = |access: &[(&str, &str)]| {
        let whole = [("bottleneck.gso", "whole")];
        lab(&[&whole, access].concat()).0
    };
    assert!(delay(&[]) > 1_500.0);
    assert!(delay(&[("access.gso", "false")]) <= 810.0);
    assert!(delay(&[("flows[0].access", "{ gso = false }")]) <= 810.0);
}

/// A bucket of 2,000 bytes cannot hold two segments, so that they are split before it (Linux, tbf_segment).
#[test]
fn a_bucket_splits_what_it_cannot_hold() {
    let delay = |burst: &str| {
        let queue = format!("{{ kind = 'token-bucket', rate = '1.5Mbps', burst = '{burst}', limit = '100 packets' }}");
        lab(&[("bottleneck.gso", "whole"), ("bottleneck.rate", "2Mbps"), ("bottleneck.queue", &queue)]).0
    };
    assert!(delay("2000B") <= 810.0, "{}", delay("2000B"));
    assert!(delay("15000B") > 1_450.0, "{}", delay("15000B"));
}

/// One acknowledgment for each packet of two segments or more: at most half as many as segments, as for single segments,
/// and at 1 Gbit/s, where packets have up to 45 segments, far fewer.
#[test]
fn a_receiver_acknowledges_large_packets_and_merged_segments_once() {
    let text = "
duration = '3s'
bottleneck = { rate = '1Gbps', delay = '5ms', queue = '1bdp' }
access = { rate = '1Gbps' }
[[flows]]
name = 'f'
app = 'bulk'
cc = 'reno'
";
    let per_ack = |overrides: &[(&str, &str)]| {
        let tables = run(text, overrides);
        let packets = ints(&tables, "links", "packets");
        assert!(float(&tables, "flows", "goodput_bps") > 5e8);
        packets[0] as f64 / packets[1] as f64
    };
    let plain = per_ack(&[]);
    assert!((1.5..=2.1).contains(&plain), "{plain}");
    let whole = per_ack(&[("bottleneck.gso", "whole")]);
    assert!(whole > 10.0, "{whole}");
    // 100 us are eight segments at 1 Gbit/s.
    let merged = per_ack(&[("access.gro", "100us")]);
    assert!((5.0..=10.0).contains(&merged), "{merged}");
}

/// The wire behind a host's queue carries segments, and so does a link that takes no large packets.
#[test]
fn large_packets_are_split_on_the_wire_and_by_the_next_link() {
    let text = "
duration = '10s'
bottleneck = { rate = '8Mbps', delay = '5ms', queue = '50 packets' }
links = [{ name = 'next', ends = ['right', 'end'], rate = '4Mbps', delay = '5ms', queue = '30 packets' }]
[[flows]]
name = 'f'
app = 'bulk'
route = ['left', 'right', 'end']
[probes]
queues = true
packets = true
";
    for first in ["off", "queue", "whole"] {
        for next in ["off", "queue", "whole"] {
            let tables = run(text, &[("bottleneck.gso", first), ("links[0].gso", next)]);
            let packets = ints(&tables, "links", "packets");
            assert!(packets[0] >= packets[2] && packets[2] > 2_000, "{first}, {next}: {packets:?}");
            assert!(float(&tables, "flows", "goodput_bps") > 3.3e6, "{first}, {next}");
        }
    }
}

/// The verifier and the checks of the tables follow the segments of large packets where the path changes their times; a
/// path that keeps the order of packets keeps that of segments.
#[test]
fn segments_keep_their_order_where_delays_and_rates_vary() {
    let base = [("bottleneck.gso", "queue"), ("bottleneck.rate", "20Mbps"), ("duration", "5s")];
    for (field, value) in [
        ("bottleneck.jitter", "{ kind = 'uniform', max = '4ms' }"),
        ("bottleneck.delay", "{ steps = [{ at = '0s', delay = '30ms' }, { at = '1s', delay = '3ms' }] }"),
        (
            "bottleneck.rate",
            "{ kind = 'steps', steps = [{ at = '0s', rate = '20Mbps' }, { at = '1s', rate = '3Mbps' }] }",
        ),
        ("bottleneck.outages", "[{ from = '1s', to = '1200ms' }]"),
    ] {
        let tables = run(LAB, &[&base[..], &[(field, value)]].concat());
        assert!(float(&tables, "flows", "goodput_bps") > 1e6, "{field}");
    }
}
