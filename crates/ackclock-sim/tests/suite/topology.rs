//! Graphs of links: routes, the packets on each link, and the verifier over whole runs.

use std::collections::BTreeMap;

use ackclock_results::{Column, Table};
use ackclock_scenario::Scenario;
use ackclock_sim::{Run, Watching};

const PARKING_LOT: &str = include_str!("../../../../scenarios/parking-lot.toml");
const CHAIN: &str = include_str!("../../../../scenarios/satellite-chain.toml");

/// Runs a scenario with the verifier, which must find nothing.
fn run(text: &str, overrides: &[(&str, &str)]) -> BTreeMap<&'static str, Table> {
    let overrides: Vec<_> = overrides.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    let scenario = Scenario::from_toml(text, &overrides).unwrap_or_else(|error| panic!("{error}"));
    let mut run = Run::watched(&scenario, None, &Watching { verify: true, ..Watching::default() }).unwrap();
    while run.step(1 << 20) {}
    let output = run.finish();
    assert!(output.violations.is_empty(), "{:#?}", output.violations);
    output.tables
}

/// Returns the cells of a column by the names of the rows.
fn by_name(table: &Table, name: &str, column: &str) -> BTreeMap<String, f64> {
    let Some(Column::Text(names)) = table.column(name) else { panic!("no {name}") };
    let cells: Vec<f64> = match table.column(column) {
        Some(Column::Float(cells)) => cells.iter().map(|cell| cell.unwrap_or(f64::NAN)).collect(),
        Some(Column::Int(cells)) => cells.iter().map(|cell| cell.map_or(f64::NAN, |cell| cell as f64)).collect(),
        other => panic!("{column} is {other:?}"),
    };
    names.iter().map(|name| name.clone().unwrap()).zip(cells).collect()
}

/// Each link of a parking lot carries the flow over all links and its own flow; the flow that passes three queues gets
/// less.
#[test]
fn a_parking_lot_is_three_bottlenecks() {
    let tables = run(PARKING_LOT, &[("duration", "40s"), ("flows[*].stack", "rfc")]);
    let used = by_name(&tables["links"], "link", "utilisation");
    let goodput = by_name(&tables["flows"], "flow", "goodput_bps");
    let names: Vec<_> = used.keys().map(String::as_str).collect();
    assert_eq!(names, ["bottleneck", "bottleneck.reverse", "second", "second.reverse", "third", "third.reverse"]);
    for link in ["bottleneck", "second", "third"] {
        assert!(used[link] > 0.9 && used[&format!("{link}.reverse")] < 0.1, "{used:?}");
        let own = goodput[if link == "bottleneck" { "first" } else { link }];
        let both = own + goodput["through"];
        assert!(both < 10e6 && both > 8.5e6, "{link}: {goodput:?}");
        assert!(own > 1.5 * goodput["through"], "{goodput:?}");
    }
    let rtt = by_name(&tables["flows"], "flow", "min_rtt_ms");
    for (flow, links) in [("through", 3.0), ("first", 1.0), ("second", 1.0), ("third", 1.0)] {
        // Each link has an RTT of 20 ms and takes 1.2 ms for a full packet; access links and ACKs take less than 0.5
        // ms. Whether a flow ever finds its queue empty depends on the other flows: it may wait for one more packet.
        let least = 20.0 * links;
        assert!((least..least + 1.3 * links + 0.5 + 1.2).contains(&rtt[flow]), "{flow}: {rtt:?}");
    }
}

/// Any discipline at every hop, with reordering.
#[test]
fn queues_and_impairments_are_those_of_each_link() {
    let tables = run(
        PARKING_LOT,
        &[
            ("duration", "10s"),
            ("links.second.queue", "fq-codel"),
            ("links.second.jitter", "{ max = '3ms', reorder = true }"),
            ("links.third.queue", "{ kind = 'red', limit = '50 packets' }"),
            ("links.third.duplication", "1%"),
            ("links.third.reverse_corruption", "1%"),
        ],
    );
    let duplicates = by_name(&tables["links"], "link", "duplicates");
    let lost = by_name(&tables["links"], "link", "wire_losses");
    for (link, duplicates) in duplicates {
        assert_eq!(duplicates > 0.0, link == "third", "{link}");
        assert_eq!(lost[&link] > 0.0, link == "third.reverse", "{link}");
    }
    let delivered = by_name(&tables["flows"], "flow", "bytes_delivered");
    assert!(delivered.values().all(|bytes| *bytes > 1e5), "{delivered:?}");
}

/// The return route may use other links; these links then carry the ACKs.
#[test]
fn a_return_route_of_its_own() {
    let text = r#"
duration = "20s"
[bottleneck]
rate = "10Mbps"
delay = "10ms"
[[links]]
name = "aside"
ends = ["right", "aside"]
rate = "1Mbps"
delay = "30ms"
[[links]]
name = "home"
ends = ["aside", "left"]
preset = "access"
[[flows]]
stack = 'rfc'
name = "f"
app = "bulk"
return_route = ["right", "aside", "left"]
"#;
    let tables = run(text, &[]);
    let packets = by_name(&tables["links"], "link", "packets");
    assert!(packets["bottleneck"] > 1000.0 && packets["aside"] > 500.0 && packets["home"] > 500.0, "{packets:?}");
    assert!(["bottleneck.reverse", "aside.reverse", "home.reverse"].iter().all(|link| packets[*link] == 0.0));
    let rtt = by_name(&tables["flows"], "flow", "min_rtt_ms")["f"];
    assert!((42.0..44.5).contains(&rtt), "10 + 30 + 2 ms, not {rtt}");
}

#[test]
fn local_traffic_does_not_see_the_satellite() {
    let tables = run(CHAIN, &[("flows[1].start", "0s")]);
    let packets = by_name(&tables["links"], "link", "packets");
    let rtt = by_name(&tables["flows"], "flow", "min_rtt_ms");
    assert!((640.0..644.0).contains(&rtt["files.0"]) && (640.0..648.0).contains(&rtt["backwards"]), "{rtt:?}");
    assert!((20.0..20.5).contains(&rtt["local"]), "{rtt:?}");
    // The local file's 10 MB are 6850 more packets than those that continue to the satellite.
    assert!(packets["west"] > packets["bottleneck"] + 6_000.0, "{packets:?}");
    let back = by_name(&tables["links"], "link", "bytes");
    assert!(back["bottleneck.reverse"] > 2e6 && back["east.reverse"] > 2e6, "{back:?}");
}
