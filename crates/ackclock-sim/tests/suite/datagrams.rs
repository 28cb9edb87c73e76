//! Applications over UDP and flows from right to left, in whole runs with the verifier.

use ackclock_results::Column;
use ackclock_scenario::Scenario;
use ackclock_sim::Output;

/// Runs flows for 20 s over 1 Mbit/s forward and 200 kbit/s in reverse, with a delay of 50 ms in each direction.
fn run(flows: &str, overrides: &[(&str, &str)]) -> Output {
    let text = format!(
        "duration = '20s'\n[bottleneck]\nrate = '1Mbps'\nreverse_rate = '200kbps'\ndelay = '50ms'\nqueue = '10 packets'\n{flows}"
    );
    let overrides: Vec<_> = overrides.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    let scenario = Scenario::from_toml(&text, &overrides).unwrap_or_else(|error| panic!("{error}"));
    let output = ackclock_sim::Run::verified(&scenario, None).unwrap();
    assert_eq!(output.violations, []);
    assert_eq!(output.findings, []);
    output
}

fn number(output: &Output, table: &str, column: &str, row: usize) -> f64 {
    match output.tables[table].column(column) {
        Some(Column::Float(cells)) => cells[row].unwrap(),
        Some(Column::Int(cells)) => cells[row].unwrap() as f64,
        other => panic!("{column} is {other:?}"),
    }
}

const STREAM: &str = "[[flows]]\nstack = 'rfc'\napp = { kind = 'cbr', rate = '100kbps', packet_size = '500B' }\n";

#[test]
fn a_stream_alone_arrives_as_it_was_sent() {
    let output = run(STREAM, &[]);
    // 25 packets per second take 4 ms each on the link, and 0.4 ms on each of two access links at ten times its rate.
    assert!((number(&output, "cbr", "delay_mean_ms", 0) - 54.8).abs() < 1e-6);
    assert_eq!((number(&output, "cbr", "sent", 0), number(&output, "cbr", "received", 0)), (501.0, 499.0));
    assert_eq!((number(&output, "cbr", "lost", 0), number(&output, "cbr", "jitter_ms", 0)), (0.0, 0.0));
    // The payload counts: 28 bytes of each packet are headers.
    assert_eq!(number(&output, "flows", "bytes_delivered", 0), 499.0 * 472.0);
    assert_eq!(number(&output, "flows", "goodput_bps", 0), 499.0 * 472.0 * 8.0 / 20.0);
    assert_eq!(number(&output, "flows", "segments_sent", 0), 0.0);
}

#[test]
fn losses_of_a_stream_are_those_of_the_link() {
    let output = run(STREAM, &[("bottleneck.loss", "5%")]);
    let lost = number(&output, "cbr", "lost", 0);
    assert!(lost > 5.0 && (lost - number(&output, "links", "losses", 0)).abs() <= 2.0, "{lost}");
    let output = run(STREAM, &[("flows[0].app.rate", "2Mbps")]);
    assert!((number(&output, "cbr", "received_bps", 0) - 1e6).abs() < 2e4);
    assert!((number(&output, "cbr", "loss", 0) - 0.5).abs() < 0.01);
    let output = run(STREAM, &[("bottleneck.jitter", "{ kind = 'uniform', max = '100ms', reorder = true }")]);
    assert!(number(&output, "cbr", "reordered", 0) > 50.0 && number(&output, "cbr", "jitter_ms", 0) > 10.0);
}

const CALLS: &str =
    "[[flows]]\nstack = 'rfc'\napp = 'voip'\n[[flows]]\nstack = 'rfc'\napp = 'voip'\nroute = ['right', 'left']\n";

#[test]
fn a_call_both_ways_is_good_until_somebody_fills_a_queue() {
    let alone = run(CALLS, &[]);
    // G.711 with 40 bytes of headers has 80 kbit/s: 1.6 ms and 8 ms on the two directions, 0.16 ms on each access link.
    for (row, (delay, packets)) in [(51.92, 995.0), (58.32, 995.0)].into_iter().enumerate() {
        assert!((number(&alone, "voip", "delay_mean_ms", row) - delay).abs() < 1e-6);
        assert!((number(&alone, "voip", "mouth_to_ear_ms", row) - delay - 80.0).abs() < 1e-6);
        assert_eq!(number(&alone, "voip", "packets", row), packets);
        assert!(number(&alone, "voip", "mos", row) > 4.2);
    }
    // A download from the right fills only the narrow direction.
    let bulk = "[[flows]]\nstack = 'rfc'\napp = 'bulk'\nroute = ['right', 'left']\nstart = '1s'\n";
    let beside = run(&format!("{CALLS}{bulk}"), &[]);
    assert!(number(&beside, "voip", "mos", 0) > 4.2);
    assert!(number(&beside, "voip", "mos", 1) < 2.0);
    assert!(number(&beside, "voip", "late", 1) > 300.0);
    assert!(number(&beside, "links", "utilisation", 1) > 0.9 && number(&beside, "links", "utilisation", 0) < 0.15);
    assert!(number(&beside, "flows", "goodput_bps", 2) < 120e3);
}

#[test]
fn a_page_from_the_right_is_measured_against_the_rate_of_its_own_direction() {
    let transfer = "[[flows]]\nstack = 'rfc'\napp = { kind = 'transfer', size = '100kB' }\nroute = ['right', 'left']\n";
    let narrow = number(&run(transfer, &[]), "completions", "slowdown_p50", 0);
    let wide = number(&run(transfer, &[("flows[0].route", "['left', 'right']")]), "completions", "slowdown_p50", 0);
    assert!((1.0..1.3).contains(&narrow) && wide > narrow, "{narrow} {wide}");
}

/// Loss can be computed from the table of packets alone: from the packets that were sent, and their fates.
#[test]
fn every_datagram_has_a_row_when_it_is_sent() {
    let output = run(STREAM, &[("bottleneck.loss", "5%"), ("probes.packets", "true")]);
    let Some(Column::Text(events)) = output.tables["packets"].column("event") else { panic!("no events") };
    let count = |event: &str| events.iter().filter(|of| of.as_deref() == Some(event)).count() as f64;
    assert_eq!(count("sent"), number(&output, "cbr", "sent", 0));
    assert_eq!(count("dropped"), number(&output, "links", "losses", 0));
    assert_eq!(count("delivered"), number(&output, "cbr", "received", 0));
    let on_the_way = count("sent") - count("dropped") - count("delivered");
    assert!((0.0..=3.0).contains(&on_the_way), "{on_the_way}");
}
