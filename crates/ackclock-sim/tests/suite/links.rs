//! Links that vary and impair, in whole runs with the verifier.

use ackclock_results::Column;
use ackclock_scenario::{Outside, Scenario};
use ackclock_sim::Output;

const TRACE: &str = "0\n3\n3\n4\n9\n10\n20\n20\n";

/// Runs two bulk flows for 10 s over 4 Mbit/s and 20 ms; the keys replace these values.
fn run(keys: &str) -> Output {
    let own = |key: &str| keys.lines().any(|line| line.starts_with(&format!("{key} =")));
    let rest: String = [("rate", "'4Mbps'"), ("delay", "'20ms'"), ("queue", "'30 packets'")]
        .iter()
        .filter(|(key, _)| !own(key))
        .map(|(key, value)| format!("{key} = {value}\n"))
        .collect();
    let flows = "[[flows]]\nstack = 'rfc'\napp = 'bulk'\ntimestamps = true\n[[flows]]\nstack = 'rfc'\napp = 'bulk'\ncc = 'cubic'\nstart = '200ms'\n";
    let text = format!("duration = '10s'\n[bottleneck]\n{keys}\n{rest}{flows}");
    let files = |_: &str| Ok(TRACE.as_bytes().to_vec());
    let outside = Outside { files: &files, ..Outside::NOTHING };
    let scenario = Scenario::from_toml_with(&text, &[], outside).unwrap_or_else(|error| panic!("{keys}: {error}"));
    let output = ackclock_sim::Run::verified(&scenario, None).unwrap();
    assert_eq!(output.violations, [], "{keys}");
    let again = ackclock_sim::Run::verified(&scenario, None).unwrap();
    assert_eq!(output.tables, again.tables, "{keys}");
    output
}

fn float(output: &Output, table: &str, column: &str, row: usize) -> f64 {
    match output.tables[table].column(column) {
        Some(Column::Float(cells)) => cells[row].unwrap(),
        Some(Column::Int(cells)) => cells[row].unwrap() as f64,
        other => panic!("{column} is {other:?}"),
    }
}

fn link(output: &Output, column: &str) -> f64 {
    float(output, "links", column, 0)
}

#[test]
fn a_link_of_varying_rate_carries_what_it_can() {
    // A second of 4 Mbit/s, a second of 1 Mbit/s, and a quarter of a second of outage.
    let steps = "rate = { kind = 'steps', steps = [{ at = '0s', rate = '4Mbps' }, { at = '1s', rate = '1Mbps' }, \
                 { at = '2s', rate = '0bps' }], repeat_every = '2.25s' }";
    let output = run(steps);
    let capacity = 4.0 * (4e6 + 1e6) + 4e6;
    let bits = link(&output, "bytes") * 8.0;
    assert!((link(&output, "utilisation") - bits / capacity).abs() < 1e-9);
    assert!(bits > 0.8 * capacity && bits <= capacity, "{bits}");
    assert!(link(&output, "queue_delay_max_ms") > 250.0, "who comes in an outage waits for its end");

    let output = run("rate = { kind = 'trace', file = 'x' }\nqueue = 'unlimited'");
    // There are 500 rounds of 8 delivery opportunities.
    let packets = link(&output, "packets");
    assert!(packets > 3500.0 && packets <= 4000.0 + 500.0, "{packets}");
    let share = link(&output, "bytes") / (4000.0 * 1500.0);
    assert!((link(&output, "utilisation") - share).abs() < 1e-3, "{share}");

    let output = run("rate = 'cellular'");
    assert!((0.3..=1.0).contains(&link(&output, "utilisation")), "{}", link(&output, "utilisation"));
}

#[test]
fn impairments_are_counted_and_survived() {
    let share = |output: &Output, column: &str| link(output, column) / link(output, "packets");
    let corrupted = run("corruption = '2%'\nreverse_corruption = '1%'");
    assert!((0.01..0.03).contains(&share(&corrupted, "wire_losses")), "{}", share(&corrupted, "wire_losses"));
    let duplicated = run("duplication = '5%'\nreverse_duplication = '5%'");
    assert!((0.03..0.07).contains(&share(&duplicated, "duplicates")), "{}", share(&duplicated, "duplicates"));
    let bursts = run("loss = { kind = 'gilbert-elliott', p = '0.5%', r = '30%' }");
    assert!((0.004..0.04).contains(&share(&bursts, "losses")), "{}", share(&bursts, "losses"));
    let listed = run("loss = { kind = 'list', packets = [10, 11, 400] }");
    assert_eq!(link(&listed, "losses"), 3.0);
    let plain = run("");
    assert_eq!([link(&plain, "wire_losses"), link(&plain, "duplicates"), link(&plain, "losses")], [0.0; 3]);
}

#[test]
fn outages_hold_packets_or_lose_them() {
    let held = run("outages = [{ from = '3s', to = '4s' }]");
    assert_eq!(link(&held, "wire_losses"), 0.0);
    assert!(link(&held, "queue_delay_max_ms") > 900.0);
    let lost = run("outages = [{ from = '3s', to = '4s', packets = 'lost' }]");
    assert!(link(&lost, "wire_losses") > 10.0 && link(&lost, "queue_delay_max_ms") < 200.0);
}

#[test]
fn jitter_and_shorter_paths_reorder_where_they_may() {
    let recoveries = |output: &Output| (0..2).map(|flow| float(output, "flows", "recoveries", flow)).sum::<f64>();
    let queue = "queue = 'unlimited'";
    let kept =
        run(&format!("{queue}\njitter = '30ms'\nreverse_jitter = {{ kind = 'normal', mean = '9ms', sd = '3ms' }}"));
    let free = run(&format!("{queue}\njitter = {{ max = '30ms', reorder = true }}"));
    assert_eq!(recoveries(&kept), 0.0, "nothing is lost, and nothing overtakes");
    assert!(recoveries(&free) > 0.0, "what overtakes makes duplicate ACKs");
    let delays = "delay = { steps = [{ at = '0s', delay = '60ms' }, { at = '4s', delay = '10ms' }, { at = '7s', delay = '80ms' }] }";
    run(&format!("{queue}\n{delays}"));
}

/// Returns the output of a scenario text with the verifier; its tables have to agree.
fn verified(text: &str) -> Output {
    let scenario = Scenario::from_toml(text, &[]).unwrap_or_else(|error| panic!("{text}: {error}"));
    let output = ackclock_sim::Run::verified(&scenario, None).unwrap();
    assert_eq!((&output.violations[..], &output.findings[..]), (&[][..], &[][..]), "{text}");
    output
}

/// netem's packets are queued, lost, duplicated, corrupted and reordered in both directions, and the tables agree.
#[test]
fn netem_is_a_part_of_whole_runs() {
    let netem = "{ delay = '20ms', jitter = '4ms', distribution = 'normal', loss = '1%', duplicate = '2%', corrupt = '1%', \
                 reorder = '5%', gap = 3, rate = '3Mbps', packet_overhead = 14, limit = 15 }";
    let text = format!(
        "duration = '10s'\n[bottleneck]\nrate = '100Mbps'\ndelay = '1ms'\nnetem = {netem}\nreverse_netem = {netem}\n\
         [[flows]]\nstack = 'rfc'\napp = 'bulk'\n[[flows]]\nstack = 'linux'\napp = 'bulk'\n[probes]\npackets = true\nqueues = true\n"
    );
    let output = verified(&text);
    let [losses, duplicates, corrupted, queue] =
        ["losses", "duplicates", "wire_losses", "queue_drops"].map(|column| link(&output, column));
    let packets = link(&output, "packets");
    assert!((0.004..0.02).contains(&(losses / packets)), "{losses} of {packets}");
    assert!((0.01..0.035).contains(&(duplicates / packets)), "{duplicates} of {packets}");
    assert!((0.004..0.02).contains(&(corrupted / packets)), "{corrupted} of {packets}");
    assert!(queue > 0.0 && link(&output, "queue_delay_max_ms") > 20.0);
    assert_eq!(output.tables, verified(&text).tables, "the draws follow from the seed");
    // A rate of 3 Mbit/s of frames with 14 bytes more.
    assert!(link(&output, "bytes") * 8.0 < 10.1 * 3e6, "{}", link(&output, "bytes"));
}

/// A delay of netem holds its packets in a queue with a limit: without loss, a window of 100 packets cannot pass a limit
/// of 30 packets.
#[test]
fn packets_that_netem_delays_count_in_its_limit() {
    let drops = |limit: u32| {
        let output = verified(&format!(
            "duration = '5s'\n[bottleneck]\nrate = '100Mbps'\ndelay = '0s'\nnetem = {{ delay = '50ms', limit = {limit} }}\n\
             [[flows]]\nstack = 'rfc'\napp = 'bulk'\ncc = {{ kind = 'fixed-window', segments = 100 }}\n"
        ));
        link(&output, "queue_drops")
    };
    assert_eq!(drops(100), 0.0);
    assert!(drops(30) > 100.0);
}

/// Losses in time come when they come, and not with the packets: of bursts of 16.7 ms in 2.56 % of the time, a slow and a fast
/// flow lose the same share.
#[test]
fn losses_in_time_have_their_share_of_the_time() {
    let share = |corruption: &str, rate: &str| {
        let output = verified(&format!(
            "duration = '100s'\n[bottleneck]\nrate = '10Mbps'\ndelay = '1ms'\ncorruption = {corruption}\n\
             [[flows]]\nstack = 'rfc'\napp = {{ kind = 'cbr', rate = '{rate}', packet_size = '500B' }}\n"
        ));
        link(&output, "wire_losses") / link(&output, "packets")
    };
    let bursts = "{ kind = 'gilbert-elliott-time', good_time = '636ms', bad_time = '16.7ms' }";
    let fades = "{ kind = 'fades', interval = '636ms', duration = '16.7ms', sigma = 0.0 }";
    // 153 bursts: the share has a standard deviation of 2.56 % * sqrt(2 / 153), and less with bursts of one length.
    for model in [bursts, fades] {
        let (slow, fast) = (share(model, "1Mbps"), share(model, "8Mbps"));
        assert!((fast - 0.0256).abs() < 4.0 * 0.0256 * 0.114, "{model}: {fast}");
        assert!((slow / fast - 1.0).abs() < 0.1, "{model}, the same bursts: {slow} {fast}");
    }
    let periodic =
        share("{ kind = 'interference', period = '20ms', duration = '2ms', phase = '5ms', loss = '50%' }", "8Mbps");
    assert!((periodic - 0.05).abs() < 0.004, "{periodic}");
    let steps = "{ kind = 'steps', steps = [{ at = '0s', probability = '0%' }, { at = '1s', probability = '20%' }], repeat_every = '2s' }";
    assert!((share(steps, "8Mbps") - 0.1).abs() < 0.008);
}

/// Returns the number of packets of `side` with this event in the table `packets`.
fn packets(output: &Output, event: &str, side: &str) -> f64 {
    let text = |name: &str| match output.tables["packets"].column(name) {
        Some(Column::Text(cells)) => cells,
        other => panic!("{name} is {other:?}"),
    };
    let rows = text("event").iter().zip(text("side"));
    rows.filter(|(of, from)| of.as_deref() == Some(event) && from.as_deref() == Some(side)).count() as f64
}

/// A link with a single upstream link is evaluated at the same time as its upstream link, in advance by the packets'
/// travel time. Its reports still cover only the run: no packet that reaches the link, leaves it or is dropped by it
/// after the end.
#[test]
fn a_link_evaluated_ahead_reports_nothing_from_after_the_end() {
    let window = "duration = '1s'\n[bottleneck]\nrate = '10Mbps'\ndelay = '50ms'\nqueue = '1bdp'\n[access]\nrate = '1x'\n\
                  [[flows]]\nstack = 'rfc'\napp = 'bulk'\ncc = { kind = 'fixed-window', segments = 3000 }\nreceive_buffer = '100MB'\n\
                  [probes]\npackets = true\nqueues = true\n";
    let output = verified(window);
    let utilisation = link(&output, "utilisation");
    assert!(utilisation > 0.8 && utilisation <= 1.0, "{utilisation}, it was 4.34");
    // All packets that the bottleneck has carried are at the sink, except for those of the last 50 ms.
    let (carried, arrived) = (link(&output, "packets"), packets(&output, "delivered", "source"));
    assert!(arrived <= carried && carried <= arrived + 44.0, "{carried} {arrived}");

    let linux = "duration = '10s'\n[bottleneck]\nrate = '10Mbps'\ndelay = '50ms'\nqueue = '1bdp'\n[access]\nrate = '1x'\n\
                 [[flows]]\napp = 'bulk'\ncc = 'cubic'\nstack = 'linux'\n";
    let utilisation = link(&verified(linux), "utilisation");
    assert!(utilisation > 0.9 && utilisation <= 1.0, "{utilisation}, it was 1.047");

    let datagrams = "duration = '10s'\n[bottleneck]\nrate = '1Mbps'\ndelay = '50ms'\nqueue = '1bdp'\n[access]\nrate = '2x'\n\
                     [[flows]]\nstack = 'rfc'\napp = { kind = 'cbr', rate = '4Mbps', packet_size = '1500B' }\n[probes]\npackets = true\n";
    let output = verified(datagrams);
    assert_eq!(link(&output, "drops"), packets(&output, "dropped", "source"), "it was twice as many");
    let utilisation = link(&output, "utilisation");
    assert!(utilisation > 0.98 && utilisation <= 1.0, "{utilisation}, it was 2.0");
    // At twice the rate of the bottleneck, half of the arriving packets are dropped once the queue is full.
    let rate = link(&output, "drop_rate");
    assert!(rate > 0.48 && rate < 0.5, "{rate}");
}

/// Queueing delays are those of the packets whose service began by the end, at a link that is evaluated in advance and
/// at a port alike. At this rate no packet arrives at the instant at which the service of another begins, so the order
/// of such events does not matter.
#[test]
fn a_link_evaluated_ahead_and_a_port_report_the_same() {
    let text = |queue: &str| {
        format!(
            "duration = '777ms'\n[bottleneck]\nrate = '1Mbps'\ndelay = '50ms'\nqueue = {queue}\n[access]\nrate = '1.93x'\n\
             [[flows]]\nstack = 'rfc'\napp = {{ kind = 'cbr', rate = '4Mbps', packet_size = '1500B' }}\n[probes]\nqueues = true\n"
        )
    };
    let link = verified(&text("'20 packets'"));
    // A rate that never changes, written as steps, makes the link a port.
    let steps = "{ kind = 'steps', steps = [{ at = '0s', rate = '1Mbps' }] }";
    let port = verified(&text("'20 packets'").replace("rate = '1Mbps'", &format!("rate = {steps}")));
    for table in ["links", "queues", "cbr", "flows"] {
        assert_eq!(link.tables[table], port.tables[table]);
    }
}
