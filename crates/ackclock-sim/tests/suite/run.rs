//! Whole runs, from a scenario's text to its tables.

use ackclock_results::{Column, Table};
use ackclock_scenario::Scenario;
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

const DASH: &str = include_str!("../../../../scenarios/dash-newcwv.toml");

const MIXED: &str = r#"
duration = "20s"
bottleneck = { rate = "10Mbps", delay = "10ms" }
access = { source_delay = "1ms", sink_delay = "4ms" }
probes = { window = true, packets = true, timeouts = true, delays = true, queues = true, rates = true, interval = "100ms" }

[[flows]]
stack = 'rfc'
name = "bulk"
app = "bulk"
count = 2
start_jitter = "1s"

[[flows]]
stack = 'rfc'
name = "files"
app = { kind = "transfer", size = "100kB", count = 3, gap = "1s" }
start = "5s"
access = { source_delay = "21ms" }
"#;

#[test]
fn every_table_has_its_columns() {
    let output = run(MIXED, None, 1000);
    let expected = [
        ("completion_bins", "flow what upto_s count"),
        (
            "completions",
            "flow what count open bytes goodput_bps mean_s p50_s p95_s p99_s max_s slowdown_mean slowdown_p50 \
             slowdown_p95 slowdown_p99 slowdown_max",
        ),
        ("delay_cdf", "flow quantile delay_ms"),
        ("delays", "flow packets mean_ms p50_ms p95_ms p99_ms max_ms"),
        ("events", "time_s flow event link"),
        (
            "flows",
            "flow stack cc validation pacing app start_s goodput_bps bytes_delivered segments_sent data_segments_sent \
             retransmits timeouts spurious_timeouts recoveries srtt_ms min_rtt_ms",
        ),
        (
            "links",
            "link rate_bps utilisation packets bytes drops queue_drops aqm_drops policer_drops losses wire_losses duplicates marks drop_rate queue_delay_mean_ms queue_delay_p50_ms \
             queue_delay_p95_ms queue_delay_p99_ms queue_delay_max_ms",
        ),
        ("packets", "time_s flow side event seq len ack retransmission link cause"),
        ("queues", "time_s link packets bytes sent sojourn_ms sojourn_max_ms capacity_bps"),
        ("rates", "time_s flow bytes_delivered goodput_bps"),
        ("sack_blocks", "time_s flow side event left right duplicate"),
        ("timeouts", "time_s flow side segment count spurious"),
        ("transfers", "flow index bytes start_s end_s duration_s goodput_bps"),
        (
            "window",
            "time_s flow cwnd ssthresh flight_size pipe srtt_ms latest_rtt_ms min_rtt_ms pacing_bps delivery_bps \
             in_recovery non_validated pipe_ack cc_state",
        ),
    ];
    assert_eq!(output.tables.keys().copied().collect::<Vec<_>>(), expected.map(|(table, _)| table));
    for (table, columns) in expected {
        assert_eq!(names(&output.tables[table]), columns.split(' ').collect::<Vec<_>>(), "{table}");
    }
    // There is a row every 100 ms of 20 s for three flows, and one for each event.
    let (rows, events) = (output.tables["window"].len(), output.tables["events"].len());
    assert!(rows > 300 && rows <= 600 + events, "{rows} rows, {events} events");
    let flows = &output.tables["flows"];
    let flow_names = ["bulk.0", "bulk.1", "files"].map(|name| Some(name.to_owned())).to_vec();
    assert_eq!(flows.column("flow"), Some(&Column::Text(flow_names)));
    assert_eq!(output.tables["transfers"].len(), 3);
    // The base RTT is twice 1 + 10 + 4 ms for the flow that finds the network empty. For the last flow it is twice 21 +
    // 10 + 4 ms plus a queue.
    let min_rtt = |row| float(flows, "min_rtt_ms", row);
    assert!((30.0..30.2).contains(&min_rtt(0).min(min_rtt(1))), "{flows:?}");
    assert!((70.0..141.5).contains(&min_rtt(2)), "{flows:?}");
    // The queue holds one BDP of the longest base RTT: 70 ms.
    let longest = float(&output.tables["links"], "queue_delay_max_ms", 0);
    assert!((68.0..=71.3).contains(&longest), "{longest}");
}

#[test]
fn a_run_depends_on_its_seed_and_not_on_how_it_is_stepped() {
    let first = run(MIXED, None, 1);
    assert_eq!(first, run(MIXED, Some(1), 1_000_000));
    assert_ne!(first, run(MIXED, Some(2), 1_000_000));
}

/// The counts of links that are evaluated in advance are correct only at the end.
#[test]
#[should_panic(expected = "a run reports when it has ended")]
fn a_run_that_is_cut_short_has_no_tables() {
    let scenario = Scenario::from_toml(MIXED, &[]).unwrap();
    let mut run = Run::new(&scenario, None).unwrap();
    assert!(run.step(5_000) && run.now() < scenario.duration);
    run.finish();
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

fn ints(table: &Table, column: &str) -> Vec<i64> {
    match table.column(column) {
        Some(Column::Int(cells)) => cells.iter().map(|cell| cell.unwrap()).collect(),
        other => panic!("{column} is {other:?}"),
    }
}

fn texts<'a>(table: &'a Table, column: &str) -> Vec<Option<&'a str>> {
    match table.column(column) {
        Some(Column::Text(cells)) => cells.iter().map(Option::as_deref).collect(),
        other => panic!("{column} is {other:?}"),
    }
}

fn with(overrides: &[(&str, &str)], seed: u64) -> Output {
    let pairs: Vec<_> = overrides.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    let scenario = Scenario::from_toml(MIXED, &pairs).unwrap();
    let mut run = Run::new(&scenario, Some(seed)).unwrap();
    while run.step(1_000_000) {}
    run.finish()
}

#[test]
fn every_drop_has_its_cause_and_every_packet_its_fate() {
    let output =
        with(&[("bottleneck.loss", "2%"), ("bottleneck.reverse_loss", "10%"), ("bottleneck.queue", "5 packets")], 1);
    let (links, packets) = (&output.tables["links"], &output.tables["packets"]);
    let (queue_drops, losses) = (ints(links, "queue_drops"), ints(links, "losses"));
    assert!(queue_drops[0] > 0 && losses[0] > 0 && queue_drops[1] == 0 && losses[1] > 0);
    let carried = ints(links, "packets");
    for (link, expected) in [(0, 0.02), (1, 0.1)] {
        let offered = carried[link] + queue_drops[link] + losses[link];
        let rate = losses[link] as f64 / offered as f64;
        let error = (expected * (1.0_f64 - expected) / offered as f64).sqrt();
        assert!((rate - expected).abs() < 4.0 * error, "{rate} of {offered}");
    }
    let (events, sides, causes) = (texts(packets, "event"), texts(packets, "side"), texts(packets, "cause"));
    let rows = |side: &str, event: &str, cause: Option<&str>| {
        (0..packets.len())
            .filter(|&row| sides[row] == Some(side) && events[row] == Some(event) && causes[row] == cause)
            .count() as i64
    };
    for (link, side) in [(0, "source"), (1, "sink")] {
        assert_eq!(rows(side, "dropped", Some("queue")), queue_drops[link]);
        assert_eq!(rows(side, "dropped", Some("loss")), losses[link]);
        // Packets that are neither delivered nor dropped are in flight when the run ends.
        let left = rows(side, "sent", None) - rows(side, "delivered", None) - queue_drops[link] - losses[link];
        assert!((0..200).contains(&left), "{left}");
    }
}

#[test]
fn periodic_loss_takes_every_so_manieth_packet() {
    for (first, pairs) in [(50, vec![]), (7, vec![("bottleneck.loss.first", "7")])] {
        let mut all = vec![("bottleneck.loss", "{ kind = 'periodic', every = 50 }"), ("bottleneck.queue", "unlimited")];
        all.extend(pairs);
        let output = with(&all, 1);
        let links = &output.tables["links"];
        let (carried, losses) = (ints(links, "packets")[0], ints(links, "losses")[0]);
        let offered = carried + losses;
        assert!(losses > 10 && offered - (first + 50 * (losses - 1)) < 60, "{losses} of {offered}");
        assert_eq!(ints(links, "queue_drops")[0], 0);
    }
}

#[test]
fn loss_draws_from_a_stream_of_its_own() {
    let lossless = with(&[], 1);
    assert_eq!(lossless, with(&[("bottleneck.loss", "0%")], 1));
    let lossy = with(&[("bottleneck.loss", "1%")], 1);
    assert_eq!(lossy, with(&[("bottleneck.loss", "1%")], 1));
    let starts = |output: &Output| output.tables["flows"].column("start_s").cloned();
    assert_eq!(starts(&lossy), starts(&lossless));
}

#[test]
fn copies_start_together_within_the_jitter_of_their_group() {
    let start = |seed| {
        let output = with(&[("flows[0].start_jitter", "0s"), ("flows[0].group_jitter", "4s")], seed);
        let flows = &output.tables["flows"];
        assert_eq!(float(flows, "start_s", 0), float(flows, "start_s", 1), "both copies");
        assert_eq!(float(flows, "start_s", 2), 5.0, "nobody else");
        float(flows, "start_s", 0)
    };
    let starts: Vec<_> = (1..=20).map(start).collect();
    assert!(starts.iter().all(|start| (0.0..=4.0).contains(start)));
    let mean = starts.iter().sum::<f64>() / 20.0;
    assert!((mean - 2.0).abs() < 1.0, "{starts:?}");
}

/// Ten transfers start at once over 160 kbit/s and a queue as long as their round trip allows. Timers expire for
/// packets that are queued and for packets that were dropped.
const CROWD: &str = r#"
duration = "60s"
bottleneck = { rate = "160kbps", delay = "250ms", queue = "30 packets" }
probes = { packets = true, timeouts = true }

[[flows]]
stack = 'rfc'
name = "f"
count = 10
app = { kind = "transfer", size = "30kB" }
start_jitter = "100ms"
"#;

#[test]
fn a_timeout_is_spurious_where_a_copy_was_not_dropped() {
    let output = run(CROWD, None, 1_000_000);
    let (timeouts, packets) = (&output.tables["timeouts"], &output.tables["packets"]);
    let Some(Column::Bool(spurious)) = timeouts.column("spurious") else { panic!("no verdicts") };
    let Some(Column::Int(segments)) = timeouts.column("segment") else { panic!("no segments") };
    let Some(Column::Int(seqs)) = packets.column("seq") else { panic!("no offsets") };
    let (flows, sides) = (texts(timeouts, "flow"), texts(timeouts, "side"));
    let (senders, ends, events) = (texts(packets, "flow"), texts(packets, "side"), texts(packets, "event"));
    let (lens, mut seen) = (ints(packets, "len"), [0; 2]);
    for row in 0..timeouts.len() {
        let Some(segment) = segments[row].filter(|_| sides[row] == Some("source")) else { continue };
        let at = float(timeouts, "time_s", row);
        let mine = |&packet: &usize| {
            senders[packet] == flows[row] && ends[packet] == Some("source") && seqs[packet] == Some(segment)
        };
        let rows = |event: &'static str| {
            (0..packets.len())
                .filter(mine)
                .filter(|&packet| events[packet] == Some(event) && lens[packet] > 0)
                .map(|packet| float(packets, "time_s", packet))
                .collect::<Vec<_>>()
        };
        // A packet that is dropped is dropped as soon as it has passed its access link, long before the next copy.
        let dropped = rows("dropped");
        let mut copies = rows("sent");
        copies.retain(|sent| *sent < at);
        let lost = |sent: &f64| dropped.iter().any(|dropped| (*sent..sent + 0.2).contains(dropped));
        let expected = !copies.iter().all(lost);
        assert_eq!(spurious[row], Some(expected), "{:?} {segment} at {at}", flows[row]);
        seen[usize::from(expected)] += 1;
    }
    assert!(seen[0] > 3 && seen[1] > 3, "{seen:?}");
    // A timer expires only once at a time.
    let rows: std::collections::BTreeSet<_> =
        (0..timeouts.len()).map(|row| (flows[row], sides[row], float(timeouts, "time_s", row).to_bits())).collect();
    assert_eq!(rows.len(), timeouts.len());
    let handshakes = (0..timeouts.len()).filter(|&row| segments[row].is_none()).count();
    assert!(handshakes > 0, "SYNs wait behind others' data");
}

#[test]
fn watching_timeouts_changes_nothing() {
    let watched = run(CROWD, None, 1_000_000);
    let quiet = run(&CROWD.replace("packets = true, timeouts = true", ""), None, 1_000_000);
    assert_eq!(quiet.tables["flows"], watched.tables["flows"]);
    assert_eq!(quiet.tables["transfers"], watched.tables["transfers"]);
}

/// A packet of 1500 bytes is alone in the network. It takes 0.12 ms on each access link of 100 Mbit/s, 1.2 ms on the
/// bottleneck, and 10 + 1 + 4 ms of propagation.
#[test]
fn one_way_delays_are_from_sending_to_arrival() {
    let text = r#"
duration = "20s"
bottleneck = { rate = "10Mbps", delay = "10ms" }
access = { source_delay = "1ms", sink_delay = "4ms" }
probes = { delays = true }
[[flows]]
stack = 'rfc'
name = "one"
app = { kind = "transfer", size = "1460B" }
[[flows]]
stack = 'rfc'
name = "many"
start = "5s"
app = { kind = "transfer", size = "1MB" }
"#;
    let output = run(text, None, 1000);
    let (delays, links) = (&output.tables["delays"], &output.tables["links"]);
    assert_eq!(ints(delays, "packets"), [1, 685]);
    let alone = 15.0 + 1.2 + 2.0 * 0.12;
    assert!((float(delays, "max_ms", 0) - alone).abs() < 1e-5, "{}", float(delays, "max_ms", 0));
    // The rest of the delay is the queue of the transfer itself, because no other flow sends.
    let (most, queue) = (float(delays, "max_ms", 1), float(links, "queue_delay_max_ms", 0));
    assert!(queue > 5.0 && (most - alone - queue).abs() < 0.5, "{most} {queue}");
    let cdf = &output.tables["delay_cdf"];
    assert_eq!(texts(cdf, "flow").iter().filter(|flow| **flow == Some("many")).count(), 103);
    assert_eq!(float(cdf, "delay_ms", 205), most);
}

fn cells(table: &Table, column: &str) -> Vec<String> {
    let text = |cell: Option<String>| cell.unwrap_or_default();
    match table.column(column).unwrap() {
        Column::Text(cells) => cells.iter().cloned().map(text).collect(),
        Column::Int(cells) => cells.iter().map(|cell| text(cell.map(|cell| cell.to_string()))).collect(),
        Column::Float(cells) => cells.iter().map(|cell| text(cell.map(|cell| cell.to_string()))).collect(),
        Column::Bool(cells) => cells.iter().map(|cell| text(cell.map(|cell| cell.to_string()))).collect(),
    }
}

/// Returns the rows of some columns, as text.
fn rows(table: &Table, columns: &[&str]) -> Vec<String> {
    let columns: Vec<_> = columns.iter().map(|column| cells(table, column)).collect();
    (0..table.len()).map(|row| columns.iter().map(|cells| cells[row].as_str()).collect::<Vec<_>>().join(" ")).collect()
}

/// Ten segments of 1000 bytes in one flight. The keys add events at the bottleneck, whose first packet is the SYN.
const FLIGHT: &str = "duration = '2s'
[bottleneck]
rate = '10Mbps'
delay = '10ms'
[[flows]]
stack = 'rfc'
app = { kind = 'transfer', size = '10kB' }
mss = '1000B'
dsack = true
[probes]
packets = true
";

#[test]
fn sack_blocks_are_recorded_as_stream_offsets() {
    // The segments that begin at 2000 and 5000 are lost; the SYN is packet 1.
    let output = run(&FLIGHT.replace("delay =", "loss = { kind = 'list', packets = [4, 7] }\ndelay ="), None, 1000);
    let packets = rows(&output.tables["packets"], &["event", "seq"]);
    assert_eq!(
        packets.iter().filter(|row| row.starts_with("dropped")).collect::<Vec<_>>(),
        ["dropped 2000", "dropped 5000"]
    );
    let blocks = &output.tables["sack_blocks"];
    let told = rows(blocks, &["flow", "side", "event", "left", "right", "duplicate"]);
    let expected = [(3000, 4000), (3000, 5000), (6000, 7000), (3000, 5000), (6000, 8000), (3000, 5000)];
    for event in ["sent", "delivered"] {
        let of = |(left, right): &(u32, u32)| format!("flow0 sink {event} {left} {right} false");
        let mine: Vec<_> = told.iter().filter(|row| row.contains(event)).take(expected.len()).cloned().collect();
        assert_eq!(mine, expected.each_ref().map(of), "the most recent first");
    }
    // Each row belongs to a packet: at the same time, and of the same end.
    let own: Vec<_> = rows(&output.tables["packets"], &["time_s", "side", "event"]);
    let missing = rows(blocks, &["time_s", "side", "event"]).into_iter().filter(|row| !own.contains(row)).count();
    assert_eq!(missing, 0);

    let lost = run(
        &FLIGHT.replace(
            "delay =",
            "loss = { kind = 'list', packets = [4] }\nreverse_loss = { kind = 'list', \
         packets = [4] }\ndelay =",
        ),
        None,
        1000,
    );
    let told = rows(&lost.tables["sack_blocks"], &["event", "left", "right"]);
    assert_eq!(told.iter().filter(|row| row.starts_with("dropped")).collect::<Vec<_>>(), ["dropped 3000 5000"]);

    let plain = run(FLIGHT, None, 1000);
    assert!(plain.tables["sack_blocks"].is_empty() && !plain.tables["packets"].is_empty());
    assert!(!run(&FLIGHT.replace("packets = true", "rates = true"), None, 1000).tables.contains_key("sack_blocks"));
}

#[test]
fn a_block_that_tells_of_a_duplicate_is_marked() {
    let output = run(&FLIGHT.replace("delay =", "duplication = { kind = 'list', packets = [4] }\ndelay ="), None, 1000);
    let told = rows(&output.tables["sack_blocks"], &["event", "left", "right", "duplicate"]);
    assert_eq!(told, ["sent 2000 3000 true", "delivered 2000 3000 true"]);
    // The segment at 2000 is lost. The segment at 3000, the fourth that is not lost, arrives twice: the ACK of its
    // second copy reports the duplicate and the data received.
    let keys = "loss = { kind = 'list', packets = [4] }\nduplication = { kind = 'list', packets = [4] }\ndelay =";
    let output = run(&FLIGHT.replace("delay =", keys), None, 1000);
    let told = rows(&output.tables["sack_blocks"], &["event", "left", "right", "duplicate"]);
    let sent: Vec<_> = told.iter().filter(|row| row.starts_with("sent")).take(4).collect();
    assert_eq!(sent, ["sent 3000 4000 false", "sent 3000 4000 true", "sent 3000 4000 false", "sent 3000 5000 false"]);
}
