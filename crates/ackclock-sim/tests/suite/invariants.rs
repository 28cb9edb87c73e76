//! Tables with one wrong cell each, which the checks must name, and the tables of a run, which are correct.

use ackclock_app::AppTables;
use ackclock_results::Column;
use ackclock_results::invariants::{Facts, Finding, check};
use ackclock_scenario::Scenario;
use ackclock_sim::Run;

/// A scenario with every table that needs no files, with drops, losses and timeouts.
const ALL: &str = "
duration = '20s'
[bottleneck]
rate = '4Mbps'
delay = '20ms'
queue = '20 packets'
loss = '3%'
[[flows]]
stack = 'rfc'
name = 'bulk'
app = 'bulk'
[[flows]]
stack = 'rfc'
name = 'transfer'
app = { kind = 'transfer', size = '20kB', count = 30, gap = '100ms' }
[[flows]]
stack = 'rfc'
name = 'burst'
app = { kind = 'bursts', size = '8kB', interval = '500ms' }
[[flows]]
stack = 'rfc'
name = 'period'
app = { kind = 'onoff', size = '20kB', off = '200ms' }
[[flows]]
stack = 'rfc'
name = 'web'
app = { kind = 'web', sessions_per_second = 1, object_size = '10kB', records = true }
[[flows]]
stack = 'rfc'
name = 'stream'
app = { kind = 'cbr', rate = '100kbps', packet_size = '500B' }
[[flows]]
stack = 'rfc'
name = 'call'
app = 'voip'
[[flows]]
stack = 'rfc'
name = 'film'
app = { kind = 'dash', ladder = ['100kbps', '200kbps'], segment = '1s' }
[probes]
window = true
packets = true
timeouts = true
delays = true
queues = true
rates = true
interval = '100ms'
";

fn run(overrides: &[(&str, &str)]) -> (Facts, AppTables) {
    run_of(ALL, overrides)
}

fn run_of(text: &str, overrides: &[(&str, &str)]) -> (Facts, AppTables) {
    let overrides: Vec<_> = overrides.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    let scenario = Scenario::from_toml(text, &overrides).unwrap_or_else(|error| panic!("{error}"));
    let mut run = Run::new(&scenario, None).unwrap();
    while run.step(u64::MAX) {}
    (ackclock_sim::facts(&scenario), run.finish().tables)
}

/// A cell by table, row and column, and a change of its value.
type Place = (&'static str, usize, &'static str);
type Change = fn(f64) -> f64;

/// Returns the tables with one cell changed.
fn changed(tables: &AppTables, (table, row, column): Place, change: impl Fn(f64) -> f64) -> AppTables {
    let mut tables = tables.clone();
    let found = tables.get_mut(table).unwrap_or_else(|| panic!("no table {table}"));
    let cells = found.columns.iter_mut().find(|(name, _)| *name == column);
    match &mut cells.unwrap_or_else(|| panic!("{table} has no {column}")).1 {
        Column::Int(cells) => cells[row] = cells[row].map(|cell| change(cell as f64) as i64),
        Column::Float(cells) => cells[row] = cells[row].map(&change),
        other => panic!("{table}.{column} is {other:?}"),
    }
    tables
}

/// Returns the first row of a table that belongs to a flow.
fn row_of(tables: &AppTables, table: &str, flow: &str) -> usize {
    let Some(Column::Text(cells)) = tables[table].column("flow") else { panic!("{table} has no flows") };
    cells.iter().position(|cell| cell.as_deref() == Some(flow)).unwrap_or_else(|| panic!("{table}: no {flow}"))
}

fn names(findings: &[Finding], table: &str, column: &str) -> bool {
    findings.iter().any(|finding| finding.table == table && finding.column == column)
}

#[test]
fn tables_as_they_are_agree_with_all_probes_some_and_none() {
    let none = ["window", "packets", "timeouts", "delays", "queues", "rates"].map(|name| format!("probes.{name}"));
    let none: Vec<_> = none.iter().map(|path| (path.as_str(), "false")).collect();
    for overrides in [&[][..], &[("probes.from", "3s"), ("probes.to", "11s")], &[("probes.interval", "7ms")], &none] {
        let (facts, tables) = run(overrides);
        assert_eq!(check(&facts, &tables), [], "{overrides:?}");
    }
}

/// Runs that end while a packet is on the wire: it has neither been carried nor lost, nor do its mark and its loss count.
#[test]
fn a_packet_on_the_wire_at_the_end_is_in_no_count() {
    const SLOW: &str = "
packet_size = '1500B'
[bottleneck]
rate = '2458bps'
delay = '20ms'
queue = '4 packets'
[[flows]]
name = 'call'
app = 'voip'
[probes]
packets = true
";
    let marking = "{ kind = 'codel', limit = '9 packets', target = '1ms', interval = '10ms', ecn = true }";
    let ecn = "{ app = 'bulk', stack = 'linux', ecn = 'classic' }";
    let kinds: [&[(&str, &str)]; 4] = [
        &[("bottleneck.corruption", "{ kind = 'random', probability = '50%' }")],
        &[("bottleneck.outages", "[{ from = '1s', to = '1h', packets = 'lost' }]")],
        &[("bottleneck.loss", "'50%'"), ("bottleneck.duplication", "'20%'")],
        &[("bottleneck.rate", "100kbps"), ("bottleneck.queue", marking), ("flows[0]", ecn)],
    ];
    for kind in kinds {
        for tenths in 40..80 {
            let duration = format!("{}.{}s", tenths / 10, tenths % 10);
            let settings = kind.iter().copied().chain([("duration", duration.as_str())]);
            let settings: Vec<_> = settings.map(|(path, value)| (path.to_owned(), value.to_owned())).collect();
            let scenario = Scenario::from_toml(SLOW, &settings).unwrap_or_else(|error| panic!("{error}"));
            let mut run = Run::new(&scenario, None).unwrap();
            while run.step(u64::MAX) {}
            assert_eq!(check(&ackclock_sim::facts(&scenario), &run.finish().tables), [], "{settings:?}");
        }
    }
}

#[test]
fn a_wrong_cell_is_found_and_named() {
    let (facts, tables) = run(&[]);
    let flow = |table, flow, column| (table, row_of(&tables, table, flow), column);
    let more = |value: f64| value + 1.0;
    let wrong: [(Place, Change); 40] = [
        (("links", 0, "utilisation"), |_| 1.01),
        (("links", 0, "drops"), more),
        (("links", 0, "queue_drops"), more),
        (("links", 0, "losses"), more),
        (("links", 0, "wire_losses"), more),
        (("links", 0, "drop_rate"), |rate| rate * 1.001),
        (("links", 0, "packets"), |packets| packets * 2.0),
        (("links", 0, "packets"), |packets| packets / 2.0),
        (("links", 0, "bytes"), |bytes| bytes / 2.0),
        (("links", 0, "bytes"), |_| -1.0),
        (("links", 0, "queue_delay_p50_ms"), |_| 1e3),
        (("links", 0, "queue_delay_mean_ms"), |_| 1e3),
        (("links", 1, "queue_delay_max_ms"), |_| 1e5),
        (("queues", 7, "bytes"), |_| 1e9),
        (flow("flows", "bulk", "retransmits"), more),
        (flow("flows", "bulk", "retransmits"), |_| 1e9),
        (flow("flows", "bulk", "segments_sent"), more),
        (flow("flows", "bulk", "data_segments_sent"), more),
        (flow("flows", "bulk", "bytes_delivered"), more),
        (flow("flows", "bulk", "bytes_delivered"), |bytes| bytes * 2.0),
        (flow("flows", "bulk", "goodput_bps"), |rate| rate * 1.001),
        (flow("flows", "bulk", "timeouts"), more),
        (flow("flows", "bulk", "recoveries"), more),
        (flow("flows", "bulk", "srtt_ms"), |_| f64::NAN),
        (("packets", 100, "time_s"), |_| 21.0),
        (("packets", 100, "time_s"), |_| 0.0),
        (("transfers", 2, "duration_s"), more),
        (("transfers", 2, "goodput_bps"), more),
        (("bursts", 2, "end_s"), |_| 0.1),
        (("onoff", 2, "end_s"), |_| 30.0),
        (flow("time_on", "period", "bytes"), more),
        (flow("time_on", "period", "periods"), more),
        (flow("completions", "transfer", "count"), more),
        (flow("completions", "burst", "open"), more),
        (flow("completions", "period", "bytes"), more),
        (flow("completions", "transfer", "max_s"), |time| time * 1.01),
        (flow("cbr", "stream", "received"), |_| 1e6),
        (flow("cbr", "stream", "loss"), |loss| loss * 1.01),
        (flow("voip", "call", "mos"), |_| 0.9907),
        (flow("dash", "film", "segments"), more),
    ];
    for ((table, row, column), change) in wrong {
        let findings = check(&facts, &changed(&tables, (table, row, column), change));
        let is_it = |finding: &Finding| finding.table == table && finding.row == row && finding.column == column;
        assert!(findings.iter().any(is_it), "{table}[{row}].{column}: {findings:?}");
    }
}

/// Live video on a link that is too slow for it, and which loses packets: it stalls.
const LIVE: &str = "
duration = '30s'
[bottleneck]
rate = '300kbps'
delay = '20ms'
queue = '20 packets'
loss = '1%'
[[flows]]
stack = 'rfc'
name = 'match'
app = { kind = 'live', ladder = ['250kbps', '400kbps'], segment = '1s', chunk = '250ms', latency = '1s' }
";

#[test]
fn live_video_adds_up_and_each_wrong_cell_is_named() {
    let (facts, tables) = run_of(LIVE, &[]);
    assert_eq!(check(&facts, &tables), []);
    let Some(Column::Int(stalls)) = tables["live"].column("stalls") else { panic!("no stalls") };
    assert!(stalls[0] > Some(0));
    let wrong: [(Place, Change); 5] = [
        (("live", 0, "played_s"), |time| time + 1.0),
        (("live", 0, "segments"), |count| count + 1.0),
        (("live", 0, "switches"), |_| 1e6),
        (("live", 0, "stall_s"), |_| 31.0),
        (("live_segments", 2, "done_s"), |_| 0.1),
    ];
    for ((table, row, column), change) in wrong {
        let findings = check(&facts, &changed(&tables, (table, row, column), change));
        assert!(names(&findings, table, column), "{table}[{row}].{column}: {findings:?}");
    }
}

/// Live video in one stream on a link that is too slow for it at first: it stalls, and then skips to newer groups.
const STREAMS: &str = "
duration = '30s'
[bottleneck]
rate = { kind = 'steps', steps = [{ at = '0s', rate = '300kbps' }, { at = '15s', rate = '2Mbps' }] }
delay = '20ms'
queue = '20 packets'
loss = '1%'
[[flows]]
name = 'match'
app = { kind = 'moq', rate = '400kbps', streams = 'one', max_drift = '2s' }
";

#[test]
fn live_video_over_streams_adds_up_and_each_wrong_cell_is_named() {
    let (facts, tables) = run_of(STREAMS, &[]);
    assert_eq!(check(&facts, &tables), []);
    for column in ["stalls", "skips", "frames_skipped"] {
        let Some(Column::Int(counts)) = tables["moq"].column(column) else { panic!("no {column}") };
        assert!(counts[0] > Some(0), "{column}");
    }
    let wrong: [(Place, Change); 9] = [
        (("moq", 0, "groups"), |count| count + 1.0),
        (("moq", 0, "groups_complete"), |count| count - 1.0),
        (("moq", 0, "frames_shown"), |count| count + 1.0),
        (("moq", 0, "frames_skipped"), |count| count - 1.0),
        (("moq", 0, "stall_s"), |_| 31.0),
        (("moq_groups", 2, "done_s"), |_| 0.1),
        (("moq_groups", 2, "frames_shown"), |_| 26.0),
        (("moq_groups", 2, "bytes"), |_| 1e9),
        (("moq_groups", 2, "frames_skipped"), |count| count + 1.0),
    ];
    for ((table, row, column), change) in wrong {
        let findings = check(&facts, &changed(&tables, (table, row, column), change));
        let elsewhere = [("moq", "groups_complete"), ("moq", "frames_skipped"), ("moq", "played_s")];
        let found =
            names(&findings, table, column) || elsewhere.iter().any(|(table, column)| names(&findings, table, column));
        assert!(found, "{table}[{row}].{column}: {findings:?}");
    }
}

#[test]
fn a_wrong_cell_may_show_in_the_cell_that_it_should_agree_with() {
    let (facts, tables) = run(&[]);
    let broken = |cell, change: Change| check(&facts, &changed(&tables, cell, change));
    assert!(names(&broken(("rates", 900, "bytes_delivered"), |bytes| bytes + 1e6), "flows", "bytes_delivered"));
    let row = row_of(&tables, "completion_bins", "web");
    assert!(names(&broken(("completion_bins", row, "count"), |count| count + 1.0), "completions", "count"));
    assert!(names(&broken(("queues", 0, "packets"), |_| 1.0), "queues", "bytes"));
    let row = row_of(&tables, "delays", "bulk");
    assert!(names(&broken(("delays", row, "max_ms"), |delay| delay / 1.01), "delay_cdf", "delay_ms"));
    assert!(names(&broken(("delays", row, "packets"), |_| 0.0), "delays", "max_ms"));
    assert!(names(&broken(("queues", 8, "sent"), |_| 1e6), "links", "packets"));
    assert!(names(&broken(("queues", 200, "sojourn_max_ms"), |_| 1e4), "queues", "sojourn_max_ms"));
    let mut unknown = tables.clone();
    if let (_, Column::Text(cells)) = &mut unknown.get_mut("flows").unwrap().columns[0] {
        cells[0] = Some("nobody".to_owned());
    }
    assert!(names(&check(&facts, &unknown), "flows", "flow"));
}

#[test]
fn a_finding_says_where_and_both_values() {
    let (facts, tables) = run(&[]);
    let findings = check(&facts, &changed(&tables, ("links", 0, "utilisation"), |_| 4.34));
    let told: Vec<_> = findings.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["table links, row 0 (bottleneck), utilisation: found 4.34, expected a number from 0 to 1"]);
}

/// One wrong counter may break every row of a table; the first hundred findings are enough.
#[test]
fn no_more_than_a_hundred_findings_are_kept() {
    let (facts, mut tables) = run(&[]);
    if let Some((_, Column::Float(cells))) = tables.get_mut("packets").and_then(|table| table.columns.first_mut()) {
        cells.iter_mut().for_each(|cell| *cell = Some(-1.0));
    }
    assert_eq!(check(&facts, &tables).len(), 100);
}
