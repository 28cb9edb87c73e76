//! Whole runs, from a scenario's text to its tables.

use ackclock_sim::scenario::Scenario;
use ackclock_sim::table::{Column, Table};
use ackclock_sim::{Output, Run};

fn run(text: &str, seed: Option<u64>, step: u64) -> Output {
    let scenario = Scenario::from_toml(text, &[]).unwrap();
    let mut run = Run::new(&scenario, seed).unwrap();
    while run.step(step) {}
    assert_eq!(run.now(), scenario.duration);
    run.finish()
}

fn names(table: &Table) -> Vec<&str> {
    table.columns.iter().map(|(name, _)| *name).collect()
}

fn float(table: &Table, column: &str, row: usize) -> f64 {
    match table.column(column) {
        Some(Column::Float(cells)) => cells[row].unwrap(),
        other => panic!("{column} is {other:?}"),
    }
}

const DASH: &str = include_str!("../../../scenarios/dash-newcwv.toml");

const MIXED: &str = r#"
duration = "20s"
bottleneck = { rate = "10Mbps", delay = "10ms" }
access = { source_delay = "1ms", sink_delay = "4ms" }
probes = { window = true, packets = true, interval = "100ms" }

[[flows]]
name = "bulk"
app = "bulk"
count = 2
start_jitter = "1s"

[[flows]]
name = "files"
app = { kind = "transfer", size = "100kB", count = 3, gap = "1s" }
start = "5s"
access = { source_delay = "21ms" }
"#;

#[test]
fn every_table_has_its_columns() {
    let output = run(MIXED, None, 1000);
    let expected = [
        ("events", "time_s flow event"),
        (
            "flows",
            "flow cc validation pacing app start_s goodput_bps bytes_delivered segments_sent data_segments_sent \
             retransmits timeouts recoveries srtt_ms min_rtt_ms",
        ),
        (
            "links",
            "link rate_bps utilisation packets bytes drops drop_rate queue_delay_mean_ms queue_delay_p50_ms \
             queue_delay_p95_ms queue_delay_p99_ms queue_delay_max_ms",
        ),
        ("packets", "time_s flow side event seq len ack retransmission link"),
        ("transfers", "flow index bytes start_s end_s duration_s goodput_bps"),
        ("window", "time_s flow cwnd ssthresh flight_size pipe srtt_ms in_recovery non_validated pipe_ack"),
    ];
    assert_eq!(output.tables.keys().copied().collect::<Vec<_>>(), expected.map(|(table, _)| table));
    for (table, columns) in expected {
        assert_eq!(names(&output.tables[table]), columns.split(' ').collect::<Vec<_>>(), "{table}");
    }
    // A row each 100 ms of 20 s and three flows, and one for each event.
    let (rows, events) = (output.tables["window"].len(), output.tables["events"].len());
    assert!(rows > 300 && rows <= 600 + events, "{rows} rows, {events} events");
    let flows = &output.tables["flows"];
    let flow_names = ["bulk.0", "bulk.1", "files"].map(|name| Some(name.to_owned())).to_vec();
    assert_eq!(flows.column("flow"), Some(&Column::Text(flow_names)));
    assert_eq!(output.tables["transfers"].len(), 3);
    // Base RTTs: twice 1 + 10 + 4 ms for the flow that finds the network empty, twice 21 + 10 + 4 ms and a queue for the
    // one that comes last.
    let min_rtt = |row| float(flows, "min_rtt_ms", row);
    assert!((30.0..30.2).contains(&min_rtt(0).min(min_rtt(1))), "{flows:?}");
    assert!((70.0..141.5).contains(&min_rtt(2)), "{flows:?}");
    // One BDP of the longest base RTT: 70 ms of queue.
    let longest = float(&output.tables["links"], "queue_delay_max_ms", 0);
    assert!((68.0..=71.3).contains(&longest), "{longest}");
}

#[test]
fn a_run_depends_on_its_seed_and_not_on_how_it_is_stepped() {
    let first = run(MIXED, None, 1);
    assert_eq!(first, run(MIXED, Some(1), 1_000_000));
    assert_ne!(first, run(MIXED, Some(2), 1_000_000));
}

#[test]
fn a_run_cut_short_reports_what_it_has() {
    let scenario = Scenario::from_toml(MIXED, &[]).unwrap();
    let mut run = Run::new(&scenario, None).unwrap();
    assert_eq!(run.now(), 0);
    assert!(run.step(5_000));
    let now = run.now();
    assert!(0 < now && now < scenario.duration);
    let output = run.finish();
    assert!(float(&output.tables["links"], "utilisation", 0) <= 1.0);
    assert_eq!(output.tables["flows"].len(), 3);
}

#[test]
fn a_video_client_plays() {
    let output = run(DASH, None, 100_000);
    let dash = &output.tables["dash"];
    assert_eq!(dash.len(), 1);
    assert!(float(dash, "played_s", 0) > 500.0, "{dash:?}");
    assert!(output.tables["dash_segments"].len() > 150);
    assert!(output.tables["window"].len() > 100);
}

#[test]
fn what_cannot_be_run_is_refused() {
    let text = DASH.replace("buffer = \"12s\"", "buffer = \"4s\"\nstartup = \"4s\"");
    let problems = match Scenario::from_toml(&text, &[]).and_then(|scenario| Run::new(&scenario, None)) {
        Err(error) => error.problems,
        Ok(_) => panic!("a buffer that never holds what playback waits for"),
    };
    assert!(problems.iter().all(|problem| problem.path.starts_with("flows[0].app.")), "{problems:?}");
}

#[test]
fn a_run_may_move_to_another_thread() {
    fn is_send<T: Send>() {}
    is_send::<Run>();
}
