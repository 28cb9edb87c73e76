//! Senders that react to marks in proportion, over the queues that they are designed for: DCTCP with a queue that marks
//! above a threshold, and Prague beside CUBIC in DualPI2.

use ackclock_results::Column;
use ackclock_scenario::Scenario;
use ackclock_sim::run::{Output, Run};

/// Runs bulk flows that start a tenth of a second apart, each with a congestion control and an ECN mode.
fn run(duration: &str, bottleneck: &str, flows: &[(&str, &str)]) -> Output {
    let mut text = format!("duration = \"{duration}\"\nprobes = {{ window = true }}\n[bottleneck]\n{bottleneck}\n");
    for (index, (cc, ecn)) in flows.iter().enumerate() {
        text += &format!(
            "[[flows]]\nstack = 'rfc'\nname = \"f{index}\"\nstart = \"{}ms\"\napp = {{ kind = \"bulk\" }}\ncc = \"{cc}\"\n\
             ecn = \"{ecn}\"\nreceive_buffer = \"16MiB\"\ndelayed_ack = \"0s\"\n",
            100 * index
        );
    }
    let scenario = Scenario::from_toml(&text, &[]).unwrap();
    let mut run = Run::new(&scenario, None).unwrap();
    while run.step(1 << 20) {}
    run.finish()
}

fn column(output: &Output, table: &str, column: &str) -> Vec<f64> {
    match output.tables[table].column(column) {
        Some(Column::Float(cells)) => cells.iter().map(|cell| cell.unwrap_or(f64::NAN)).collect(),
        Some(Column::Int(cells)) => cells.iter().map(|cell| cell.map_or(f64::NAN, |cell| cell as f64)).collect(),
        other => panic!("{table}.{column} is {other:?}"),
    }
}

/// Returns the SRTT samples of a flow at its ACKs from `since` seconds on, sorted, in ms.
fn srtt(output: &Output, flow: &str, since: f64) -> Vec<f64> {
    let Some(Column::Text(flows)) = output.tables["window"].column("flow") else { panic!("no flows") };
    let (times, srtt) = (column(output, "window", "time_s"), column(output, "window", "srtt_ms"));
    let seen = times.iter().zip(flows).zip(srtt);
    let mut seen: Vec<f64> = seen
        .filter(|((time, name), srtt)| **time >= since && name.as_deref() == Some(flow) && srtt.is_finite())
        .map(|(_, srtt)| srtt)
        .collect();
    seen.sort_by(f64::total_cmp);
    seen
}

#[test]
fn dctcp_swings_about_the_threshold_by_as_much_as_its_analysis_says() {
    // 100 Mbit/s and 10 ms hold 83 packets of 0.12 ms each; a seventh of them is 12, which K exceeds.
    let (k, path) = (20.0, 83.3);
    let bottleneck = "rate = \"100Mbps\"\ndelay = \"5ms\"\n\
        queue = { kind = \"red\", limit = \"500 packets\", q_weight = 1.0, thresh = 20.0, maxthresh = 20.5, gentle = false,\n\
        queue_in_bytes = false, bytes = false, setbit = true, use_mark_p = true, mark_p = 1.0 }";
    for flows in [2, 10, 20] {
        let output = run("30s", bottleneck, &vec![("dctcp", "dctcp"); flows]);
        let link = |name| column(&output, "links", name)[0];
        let (mean, tail) = (link("queue_delay_mean_ms") / 0.12, link("queue_delay_p95_ms") / 0.12);
        // Alizadeh et al., SIGCOMM 2010, section 3.3: Q_max = K + N, with a downward swing of sqrt(2 N (C RTT + K)) /
        // 2.
        let most = k + flows as f64;
        let least = most - (2.0 * flows as f64 * (path + k)).sqrt() / 2.0;
        assert!((least..most).contains(&mean), "{flows}: {mean} packets, {least} to {most} expected");
        assert!(tail < most + 1.0, "{flows}: {tail} packets, {most} at most expected");
        assert!(link("utilisation") > 0.99 && link("drops") == 0.0, "{flows}: {}", link("utilisation"));
        let delivered = column(&output, "flows", "bytes_delivered");
        let mean = delivered.iter().sum::<f64>() / flows as f64;
        assert!(delivered.iter().all(|bytes| (bytes / mean - 1.0).abs() < 0.25), "{flows}: {delivered:?}");
    }
}

#[test]
fn prague_waits_for_less_than_a_millisecond_beside_cubic_and_has_about_its_rate() {
    // At 10 ms CUBIC has the 25 ms that Prague uses as its round-trip time. At 20 ms the window that CUBIC keeps does
    // not fill the path, and Prague uses the rest.
    for (rate, rtt_ms, ratio) in [(40, 10, 1.5), (100, 10, 1.5), (100, 20, 2.5)] {
        let bottleneck = format!("rate = \"{rate}Mbps\"\ndelay = \"{}ms\"\nqueue = \"dualpi2\"", rtt_ms / 2);
        let output = run("60s", &bottleneck, &[("prague", "l4s"), ("cubic", "classic")]);
        let waits = |flow: &str, share: f64| {
            let srtt = srtt(&output, flow, 20.0);
            srtt[(share * srtt.len() as f64) as usize] - f64::from(rtt_ms)
        };
        let goodput = column(&output, "flows", "goodput_bps");
        let (low, classic, shares) = (waits("f0", 0.95), waits("f1", 0.5), goodput[0] / goodput[1]);
        assert!(low < 1.0, "{rate} Mbit/s, {rtt_ms} ms: Prague waits {low} ms");
        assert!((5.0..20.0).contains(&classic), "{rate} Mbit/s, {rtt_ms} ms: CUBIC waits {classic} ms");
        assert!((1.0 / 1.5..ratio).contains(&shares), "{rate} Mbit/s, {rtt_ms} ms: {shares} of CUBIC's rate");
        let link = |name| column(&output, "links", name)[0];
        assert!(link("utilisation") > 0.98 && link("drops") == 0.0, "{rate} Mbit/s, {rtt_ms} ms");
    }
}
