//! Send buffers in whole runs: what they cost on long paths, and what limits a sender. The values were measured with Linux
//! 6.12 in virtual time (`ackclock run --backend linux:6.12`).

use ackclock_results::{Column, Tables};
use ackclock_scenario::Scenario;
use ackclock_sim::Run;

fn run(text: &str, overrides: &[(&str, &str)]) -> Tables {
    let overrides: Vec<_> = overrides.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    let scenario = Scenario::from_toml(text, &overrides).unwrap_or_else(|error| panic!("{error}"));
    let mut run = Run::new(&scenario, Some(1)).unwrap();
    while run.step(10_000) {}
    run.finish().tables
}

fn float(tables: &Tables, table: &str, column: &str) -> f64 {
    match tables[table].column(column) {
        Some(Column::Float(cells)) => cells[0].unwrap(),
        other => panic!("{column} is {other:?}"),
    }
}

fn goodput(text: &str, overrides: &[(&str, &str)]) -> f64 {
    float(&run(text, overrides), "flows", "goodput_bps") / 1e6
}

/// Asserts that a value is within a share of that of the kernel.
fn agree(ours: f64, kernel: f64, share: f64) {
    assert!((ours / kernel - 1.0).abs() <= share, "{ours}, the kernel has {kernel}");
}

/// A geostationary satellite with Linux's default buffers.
const LONG: &str = r#"
    duration = "60s"
    [bottleneck]
    rate = "100Mbps"
    delay = "300ms"
    queue = "1bdp"
    [[flows]]
    app = "bulk"
"#;

/// Four MiB of memory hold some two thousand segments; the window goes on to twice that.
#[test]
fn default_buffers_limit_a_long_path() {
    agree(goodput(LONG, &[("flows[0].cc", "reno")]), 33.59, 0.02);
    agree(goodput(LONG, &[("flows[0].cc", "bbr")]), 30.5, 0.02);
    // FreeBSD counts payload: 2 MiB in a round trip of 600 ms are 28 Mbit/s.
    let freebsd = goodput(LONG, &[("flows[0].stack", "freebsd"), ("flows[0].receive_buffer", "16MiB")]);
    assert!((20.0..28.0).contains(&freebsd), "{freebsd}");
    // With 32 MiB the windows are the limit, as before there were send buffers.
    let large = [("flows[0].send_buffer_max", "32MiB"), ("flows[0].receive_buffer", "32MiB"), ("flows[0].cc", "reno")];
    assert!(goodput(LONG, &large) > 60.0);
}

#[test]
fn the_table_of_limits_names_the_send_buffer() {
    let limits = run(LONG, &[("flows[0].cc", "reno"), ("probes.limits", "true")]);
    let seconds = |column: &str| float(&limits, "limits", column);
    let parts = ["cwnd", "rwnd", "sndbuf", "pacing", "app"].map(|part| seconds(&format!("{part}_limited_s")));
    assert!((parts.iter().sum::<f64>() - seconds("busy_s")).abs() < 1e-6);
    // The kernel counted 83 % of 59.4 s; it counts the buffer only while the window was not the limit before.
    assert!((0.8..0.95).contains(&(seconds("sndbuf_limited_s") / seconds("busy_s"))), "{parts:?}");
    let wide = [("flows[0].send_buffer_max", "64MiB"), ("flows[0].receive_buffer", "64KiB"), ("probes.limits", "true")];
    let limits = run(LONG, &wide);
    assert!(float(&limits, "limits", "rwnd_limited_s") > 0.9 * float(&limits, "limits", "busy_s"));
    let paced = run(LONG, &[("bottleneck.delay", "10ms"), ("flows[0].cc", "bbr"), ("probes.limits", "true")]);
    assert!(float(&paced, "limits", "pacing_limited_s") > 0.7 * float(&paced, "limits", "busy_s"));
}

/// 20 Mbit/s with 20 ms; the application at the sink reads 4 Mbit/s.
const SLOW: &str = r#"
    duration = "10s"
    [bottleneck]
    rate = "20Mbps"
    delay = "10ms"
    [[flows]]
    app = "bulk"
    reading = { rate = "4Mbps" }
    [probes]
    limits = true
"#;

/// The sender sends what is read.
#[test]
fn a_slow_reader_slows_the_sender_by_its_window() {
    let buffer = ("flows[0].receive_buffer", "100kB");
    let slow = run(SLOW, &[buffer]);
    agree(float(&slow, "flows", "goodput_bps"), 3.9918e6, 0.01);
    assert!(float(&slow, "limits", "rwnd_limited_s") > 0.7 * 9.98);
    // Nothing is read for four seconds, and as much as the link carries before and after.
    let pauses = ("flows[0].reading", "{ pauses = [{ from = '2s', to = '6s' }] }");
    let paused = run(SLOW, &[buffer, pauses]);
    agree(float(&paused, "flows", "goodput_bps"), 20e6 * 1448.0 / 1500.0 * 0.6, 0.03);
    let limited = float(&paused, "limits", "rwnd_limited_s");
    assert!((3.9..4.4).contains(&limited), "{limited}");
}

/// An application that reads 64 kB at a time, one second apart: no more than that arrives in a second.
#[test]
fn a_reader_in_steps_gets_a_step_at_a_time() {
    let steps = ("flows[0].reading", "{ rate = '512kbps', step = '64kB' }");
    for stack in ["linux", "freebsd", "rfc"] {
        let slow = run(SLOW, &[("flows[0].receive_buffer", "64kB"), steps, ("flows[0].stack", stack)]);
        let bytes = float(&slow, "flows", "goodput_bps") * 10.0 / 8.0;
        assert!((576e3..705e3).contains(&bytes), "{stack}: {bytes}");
    }
}

/// The end of a transfer is the time of the last read.
#[test]
fn a_transfer_ends_with_its_last_read() {
    let app = ("flows[0].app", "{ kind = 'transfer', size = '1MB' }");
    let slow = run(SLOW, &[app]);
    let took = float(&slow, "transfers", "duration_s");
    assert!((1.9..2.1).contains(&took), "{took}");
    assert_eq!(float(&slow, "completions", "mean_s"), took);
}
