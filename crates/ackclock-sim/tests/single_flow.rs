//! The behaviour of each algorithm of the catalogue alone, as a table in a file beside this one. Runs are
//! deterministic, so the table is compared character by character: every change of a window shows here.

use std::fmt::Write;

use ackclock_results::{Column, Table};
use ackclock_scenario::Scenario;
use ackclock_sim::run::Run;
use ackclock_tcp::cc;

const SNAPSHOT: &str = include_str!("single_flow.md");
const REGENERATE: &str = "cargo test -p ackclock-sim --test single_flow -- --ignored";

const DURATION: u32 = 80;
/// Time in s at which the first period may begin: the start is over.
const FROM: u32 = 20;

fn numbers(table: &Table, column: &str) -> Vec<f64> {
    match table.column(column) {
        Some(Column::Float(cells)) => cells.iter().map(|cell| cell.unwrap_or(f64::NAN)).collect(),
        Some(Column::Int(cells)) => cells.iter().map(|cell| cell.map_or(f64::NAN, |cell| cell as f64)).collect(),
        // A table without rows has no columns.
        _ => Vec::new(),
    }
}

fn texts<'a>(table: &'a Table, column: &str) -> Vec<&'a str> {
    match table.column(column) {
        Some(Column::Text(cells)) => cells.iter().map(|cell| cell.as_deref().unwrap_or("")).collect(),
        _ => Vec::new(),
    }
}

/// Returns one line of the table.
fn row(name: &str) -> String {
    let text = format!(
        "duration = \"{DURATION}s\"\n[bottleneck]\nrate = \"100Mbps\"\ndelay = \"20ms\"\nqueue = \"1bdp\"\n\
         [[flows]]\nstack = 'rfc'\nname = \"f\"\napp = {{ kind = \"bulk\" }}\ncc = \"{name}\"\nslow_start = \"hystart++\"\n\
         delayed_ack = \"0s\"\nreceive_buffer = \"16MiB\"\n\
         [probes]\nwindow = true\ninterval = \"1h\"\nfrom = \"{FROM}s\"\n"
    );
    let scenario = Scenario::from_toml(&text, &[]).unwrap();
    let mut run = Run::new(&scenario, None).unwrap();
    while run.step(1 << 20) {}
    let tables = run.finish().tables;

    let link = |column| numbers(&tables["links"], column)[0];
    let (utilisation, loss) = (100.0 * link("utilisation"), link("drop_rate"));
    let (mean, p95) = (link("queue_delay_mean_ms"), link("queue_delay_p95_ms"));

    let events = &tables["events"];
    let reductions = numbers(events, "time_s").into_iter().zip(texts(events, "event"));
    let reductions = reductions.filter(|(_, event)| ["recovery_started", "delay_reduction"].contains(event));
    let reductions: Vec<f64> = reductions.map(|(time, _)| time).collect();
    let period = match reductions[..] {
        [first, .., last] => format!("{:.2}", (last - first) / (reductions.len() - 1) as f64),
        _ => "-".to_owned(),
    };
    format!("| {name} | {utilisation:.2} | {mean:.2} | {p95:.2} | {loss:.1e} | {period} |\n")
}

fn table() -> String {
    let mut table = format!(
        "# Each congestion control alone\n\n\
         100 Mbit/s, 40 ms of round-trip time and a queue of one bandwidth-delay product (333 packets, 40 ms); every segment is\n\
         acknowledged, slow start is HyStart++. The {DURATION} seconds from the start; the period is the mean time between the starts of\n\
         recoveries after {FROM} seconds, where there are two. Written by `{REGENERATE}`.\n\n\
         | algorithm | utilisation, % | queueing delay, mean, ms | p95, ms | loss rate | period, s |\n\
         |---|--:|--:|--:|--:|--:|\n"
    );
    for entry in cc::CATALOGUE.iter().filter(|entry| !entry.name.starts_with("fixed")) {
        table.write_str(&row(entry.name)).unwrap();
    }
    table
}

#[test]
fn the_table_is_as_written() {
    let table = table();
    for (now, written) in table.lines().zip(SNAPSHOT.lines()) {
        assert_eq!(now, written, "the table has moved; where that is intended: {REGENERATE}");
    }
    assert_eq!(table.lines().count(), SNAPSHOT.lines().count(), "rows have come or gone: {REGENERATE}");
}

#[test]
#[ignore = "writes the table anew"]
fn regenerate() {
    std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/single_flow.md"), table()).unwrap();
}
