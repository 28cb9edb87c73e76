//! Runs compared with theory.

use ackclock_results::Column;
use ackclock_scenario::Scenario;
use ackclock_sim::run::{Output, Run};

/// Time that a full-sized packet takes at 1 Mbit/s, in seconds.
const PACKET_S: f64 = 0.012;

fn run(rate_mbps: u32, seconds: u32, flow: &str, seed: u64) -> Output {
    let text = format!(
        "duration = \"{seconds}s\"\n[bottleneck]\nrate = \"{rate_mbps}Mbps\"\ndelay = \"100ms\"\nqueue = \"1bdp\"\n\
         [[flows]]\nstack = 'rfc'\nname = \"f\"\napp = {{ kind = \"bulk\" }}\n{flow}\n\
         [probes]\nwindow = true\ninterval = \"0s\""
    );
    let scenario = Scenario::from_toml(&text, &[]).unwrap();
    let mut run = Run::new(&scenario, Some(seed)).unwrap();
    while run.step(1 << 20) {}
    run.finish()
}

fn floats(output: &Output, table: &str, column: &str) -> Vec<f64> {
    match output.tables[table].column(column) {
        Some(Column::Float(cells)) => cells.iter().map(|cell| cell.unwrap_or(f64::NAN)).collect(),
        Some(Column::Int(cells)) => cells.iter().map(|cell| cell.map_or(f64::NAN, |cell| cell as f64)).collect(),
        other => panic!("{table}.{column} is {other:?}"),
    }
}

/// Returns the mean time between the starts of fast recoveries, in seconds, without the first minute.
fn period(output: &Output) -> f64 {
    let Some(Column::Text(events)) = output.tables["events"].column("event") else { panic!("no events") };
    let times = floats(output, "events", "time_s");
    let starts: Vec<f64> = times
        .into_iter()
        .zip(events)
        .filter(|(time, event)| *time > 60.0 && event.as_deref() == Some("recovery_started"))
        .map(|(time, _)| time)
        .collect();
    assert!(starts.len() > 10, "{} cycles", starts.len());
    (starts[starts.len() - 1] - starts[0]) / (starts.len() - 1) as f64
}

/// Returns the period of Reno's sawtooth over a full link, computed from the packets that the path and the queue hold.
///
/// While the link is busy, which a buffer of one BDP ensures, the acknowledgments of a window of w packets take w
/// packet times. From W/2 to W there is a round for each window; the loss is noticed in the last of these rounds. One
/// more round of W repairs the loss.
fn sawtooth(rate_mbps: u32) -> f64 {
    let packet_s = PACKET_S / f64::from(rate_mbps);
    // The sum of the propagation delay, a packet's time on the bottleneck and, at ten times the rate, on two access
    // links, and the ACK's time.
    let path_s = 0.2 + packet_s * 1.2 + packet_s * 1.2 * 40.0 / 1500.0;
    let waiting = (f64::from(rate_mbps) * 1e6 * 0.2 / 8.0 / 1500.0).floor();
    let w = (path_s / packet_s + waiting).floor() + 1.0;
    let half = (w / 2.0).floor();
    let rounds = (w - half + 1.0) * (w + half) / 2.0;
    packet_s * (rounds + w)
}

#[test]
fn one_reno_flow_fills_the_link_and_its_sawtooth_has_the_period_of_theory() {
    for (rate_mbps, seconds, flow) in
        [(1, 600, "delayed_ack = \"0s\""), (5, 1800, "delayed_ack = \"0s\""), (5, 1800, ""), (5, 1800, "sack = false")]
    {
        let output = run(rate_mbps, seconds, flow, 1);
        let utilisation = floats(&output, "links", "utilisation")[0];
        assert!(utilisation > 0.95, "{rate_mbps} Mbit/s, {flow}: utilisation {utilisation}");
        let (measured, theory) = (period(&output), sawtooth(rate_mbps));
        assert!((measured / theory - 1.0).abs() < 0.05, "{rate_mbps} Mbit/s, {flow}: {measured} s, theory {theory} s");
    }
}

#[test]
fn with_delayed_acks_the_window_overshoots_by_the_two_segments_of_an_ack() {
    let output = run(1, 600, "", 1);
    assert!(floats(&output, "links", "utilisation")[0] > 0.95);
    let late = floats(&output, "window", "time_s").into_iter().zip(floats(&output, "window", "cwnd"));
    let highest = late.filter(|(time, _)| *time > 60.0).map(|(_, cwnd)| cwnd / 1460.0).fold(0.0, f64::max);
    // 17 packets on the path, 16 in the queue, and one too many: 34 without delayed ACKs.
    assert!((35.5..36.5).contains(&highest), "{highest}");
    // The rounds are the same as in `sawtooth`, with W = 36.
    let theory = PACKET_S * (19.0 * (18.0 + 36.0) / 2.0 + 36.0);
    let measured = period(&output);
    assert!((measured / theory - 1.0).abs() < 0.05, "{measured} s, theory {theory} s");
}

#[test]
fn two_reno_flows_share_fairly() {
    for seed in 1..=5 {
        let output = run(1, 600, "count = 2\nstart_jitter = \"1s\"", seed);
        let goodput = floats(&output, "flows", "goodput_bps");
        let sum: f64 = goodput.iter().sum();
        let squares: f64 = goodput.iter().map(|rate| rate * rate).sum();
        let jain = sum * sum / (2.0 * squares);
        assert!(jain > 0.95, "seed {seed}: {goodput:?}, Jain {jain}");
        assert!(floats(&output, "links", "utilisation")[0] > 0.95);
    }
}
