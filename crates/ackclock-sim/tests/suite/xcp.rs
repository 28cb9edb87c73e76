//! XCP's senders and router together, compared with the paper's claims: D. Katabi, M. Handley, C. Rohrs, SIGCOMM 2002.

use ackclock_results::Column;
use ackclock_scenario::Scenario;
use ackclock_sim::run::{Output, Run};

/// Returns a scenario of bulk flows over 100 Mbit/s and 80 ms, or over `network`.
fn scenario(duration: &str, network: &str, flows: &[&str]) -> Scenario {
    let mut text = format!(
        "duration = \"{duration}\"\npacket_size = \"1000B\"\n\
         bottleneck = {{ rate = \"100Mbps\", delay = \"40ms\", {network} }}\n"
    );
    for flow in flows {
        text += &format!("[[flows]]\nstack = 'rfc'\napp = {{ kind = \"bulk\" }}\nreceive_buffer = \"64MiB\"\n{flow}\n");
    }
    Scenario::from_toml(&text, &[]).unwrap()
}

fn run(duration: &str, network: &str, flows: &[&str]) -> Output {
    let mut run = Run::new(&scenario(duration, network, flows), None).unwrap();
    while run.step(u64::MAX) {}
    run.finish()
}

fn column(output: &Output, table: &str, column: &str) -> Vec<f64> {
    match output.tables[table].column(column) {
        Some(Column::Float(cells)) => cells.iter().map(|cell| cell.unwrap_or(f64::NAN)).collect(),
        Some(Column::Int(cells)) => cells.iter().map(|cell| cell.map_or(f64::NAN, |cell| cell as f64)).collect(),
        other => panic!("{table}.{column} is {other:?}"),
    }
}

/// Returns the bottleneck's losses, its queueing delay at the median and at the 95th percentile in ms, and its
/// utilisation.
fn link(output: &Output) -> (f64, f64, f64, f64) {
    let of = |name| column(output, "links", name)[0];
    (of("drops"), of("queue_delay_p50_ms"), of("queue_delay_p95_ms"), of("utilisation"))
}

/// Returns the megabytes delivered.
fn delivered(output: &Output) -> Vec<f64> {
    column(output, "flows", "bytes_delivered").iter().map(|bytes| bytes / 1e6).collect()
}

/// Returns the fraction by which the smallest value is below the largest.
fn spread(shares: &[f64]) -> f64 {
    let most = shares.iter().copied().fold(0.0, f64::max);
    1.0 - shares.iter().copied().fold(f64::MAX, f64::min) / most
}

const XCP: &str = "cc = \"xcp\"";

#[test]
fn the_link_is_full_its_queue_is_not_and_nothing_is_lost() {
    for flows in [1, 3, 30] {
        let output = run("15s", "queue = \"xcp\"", &vec![XCP; flows]);
        let (drops, median, tail, utilisation) = link(&output);
        assert!(utilisation > 0.97 && drops == 0.0, "{flows} flows: {utilisation}, {drops} lost");
        // Growing windows are sent in bursts, and the queue consists of these bursts; it could hold 80 ms.
        assert!(median < 2.0 && tail < 10.0, "{flows} flows: {median} ms, {tail} ms");
        assert!(spread(&delivered(&output)) < 0.05, "{:?}", delivered(&output));
    }
}

#[test]
fn the_verifier_sees_nothing_wrong() {
    // Both directions have a queue of 20 packets, which overflows.
    let flows = [XCP, "cc = \"xcp\"\ntimestamps = true\nstart = \"1s\"", "cc = \"reno\""];
    let output =
        Run::verified(&scenario("3s", "queue = { kind = \"xcp\", limit = \"20 packets\" }", &flows), None).unwrap();
    assert_eq!(output.violations, []);
    assert!(link(&output).0 > 0.0);
}

#[test]
fn shares_are_equal_whatever_the_round_trip_times() {
    let flow = |cc: &str, delay: u32| format!("cc = \"{cc}\"\naccess = {{ source_delay = \"{delay}ms\" }}");
    let shares = |cc, queue| {
        let flows = [10, 20, 40, 80, 160].map(|delay| flow(cc, delay));
        let flows: Vec<_> = flows.iter().map(String::as_str).collect();
        let [early, all] = ["20s", "50s"].map(|duration| delivered(&run(duration, queue, &flows)));
        all.iter().zip(&early).map(|(all, early)| all - early).collect::<Vec<_>>()
    };
    let xcp = shares("xcp", "queue = \"xcp\"");
    assert!(spread(&xcp) < 0.03, "{xcp:?}");
    // Reno's shares depend on the round-trip times, which are 100 to 400 ms.
    let reno = shares("reno", "queue = \"1bdp\"");
    assert!(spread(&reno) > 0.5, "{reno:?}");
}

#[test]
fn who_joins_has_its_share_within_a_few_round_trip_times() {
    // `at` is the volume that each of two flows has delivered by a time, and `over` compares the volumes of one second.
    // The second flow joins after five seconds. An RTT is 80 ms.
    let at = |ms: u32| delivered(&run(&format!("{ms}ms"), "queue = \"xcp\"", &[XCP, "cc = \"xcp\"\nstart = \"5s\""]));
    let over = |from: u32| {
        let (before, after) = (at(from), at(from + 1000));
        spread(&[after[0] - before[0], after[1] - before[1]])
    };
    let (soon, later) = (over(6200), over(8600));
    assert!(soon < 0.3, "{soon} after 15 RTTs");
    assert!(later < 0.06, "{later} after 45 RTTs");
}

#[test]
fn without_routers_the_senders_are_reno_to_the_byte() {
    let outputs = ["xcp", "reno"].map(|cc| {
        let flow = format!("cc = \"{cc}\"");
        let output = run("15s", "queue = \"50 packets\"", &[&flow, &flow]);
        let flows = |name| column(&output, "flows", name);
        (link(&output), delivered(&output), flows("retransmits"), flows("timeouts"))
    });
    assert!(outputs[0].0.0 > 0.0, "there are losses");
    assert_eq!(outputs[0], outputs[1]);
}

#[test]
fn what_the_router_does_not_steer_it_leaves_room_for() {
    // A window of 100 segments gives 10 Mbit/s.
    let fixed = "cc = { kind = \"fixed-window\", segments = 100 }";
    let output = run("15s", "queue = \"xcp\"", &[XCP, fixed]);
    let (drops, _, _, utilisation) = link(&output);
    let shares = delivered(&output);
    assert!(drops == 0.0 && utilisation > 0.97, "{utilisation}, {drops} lost");
    assert!((shares[1] - 17.0).abs() < 1.0 && shares[0] > 155.0, "{shares:?}");
}

#[test]
fn a_loss_costs_half_of_the_window_until_the_router_has_seen_the_gap() {
    // One packet in a thousand is lost at random, so Reno has the window of its square-root law.
    let of = |cc: &str, queue: &str| {
        let flow = format!("cc = \"{cc}\"");
        link(&run("15s", &format!("queue = \"{queue}\", loss = \"0.1%\""), &[&flow, &flow])).3
    };
    let (xcp, reno) = (of("xcp", "xcp"), of("reno", "1bdp"));
    assert!(xcp > 0.5 && reno < 0.15, "{xcp} and {reno}");
}
