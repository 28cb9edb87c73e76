//! The behaviour of each congestion control, compared with its paper's claims. Most run alone on 100 Mbit/s, 40 ms and
//! a queue of one BDP.

use ackclock_results::Column;
use ackclock_scenario::Scenario;
use ackclock_sim::run::{Output, Run};
use ackclock_tcp::cc;

fn run(name: &str, seconds: u32, rest: &str) -> Output {
    over("rate = \"100Mbps\"\ndelay = \"20ms\"\nqueue = \"1bdp\"", &[name], seconds, rest)
}

/// A flow of each kind over a bottleneck.
fn over(bottleneck: &str, names: &[&str], seconds: u32, rest: &str) -> Output {
    let mut text = format!("duration = \"{seconds}s\"\n[bottleneck]\n{bottleneck}\n");
    for (index, name) in names.iter().enumerate() {
        let stack = if rest.contains("stack = ") { "" } else { "stack = 'rfc'\n" };
        text += &format!(
            "[[flows]]\n{stack}name = \"f{index}\"\nstart = \"{index}s\"\napp = {{ kind = \"bulk\" }}\ncc = \"{name}\"\n\
             receive_buffer = \"16MiB\"\n{rest}\n"
        );
    }
    let scenario = Scenario::from_toml(&text, &[]).unwrap();
    let mut run = Run::new(&scenario, None).unwrap();
    while run.step(1 << 20) {}
    run.finish()
}

fn number(output: &Output, table: &str, column: &str) -> f64 {
    match output.tables[table].column(column) {
        Some(Column::Float(cells)) => cells[0].unwrap_or(f64::NAN),
        Some(Column::Int(cells)) => cells[0].map_or(f64::NAN, |cell| cell as f64),
        other => panic!("{table}.{column} is {other:?}"),
    }
}

/// Measurements of a link.
struct Seen {
    utilisation: f64,
    /// Mean queueing delay, in ms.
    delay: f64,
    /// Fraction of packets lost.
    loss: f64,
    timeouts: f64,
    recoveries: f64,
}

fn alone(name: &str, seconds: u32, rest: &str) -> Seen {
    let output = run(name, seconds, rest);
    let link = |column| number(&output, "links", column);
    Seen {
        utilisation: link("utilisation"),
        delay: link("queue_delay_mean_ms"),
        loss: link("drop_rate"),
        timeouts: number(&output, "flows", "timeouts"),
        recoveries: number(&output, "flows", "recoveries"),
    }
}

#[test]
fn every_one_fills_the_link_however_its_start_ends() {
    for entry in cc::CATALOGUE.iter().filter(|entry| !entry.name.starts_with("fixed")) {
        // Without Linux's recovery, the bursts that Linux's modules lose end in timeouts.
        let stack = if entry.name.ends_with("-linux") { "stack = \"linux\"\n" } else { "" };
        let Seen { utilisation, delay, loss, timeouts, recoveries } =
            alone(entry.name, 30, &format!("{stack}slow_start = \"hystart++\""));
        println!(
            "{:16} {utilisation:.3} {delay:6.2} ms, {loss:.1e} lost, {recoveries} recoveries, {timeouts} timeouts",
            entry.name
        );
        assert!(utilisation > 0.75, "{}: utilisation {utilisation}", entry.name);
        assert!(loss < 0.02, "{}: {loss} lost", entry.name);
    }
}

#[test]
fn delay_based_ones_keep_their_backlog_and_lose_nothing() {
    // A packet takes 0.12 ms on the link; ACKs of two segments change the queue by one packet.
    for (name, least, most) in [("vegas", 1.0, 5.0), ("fast", 190.0, 205.0)] {
        let Seen { utilisation, delay, loss, .. } = alone(name, 120, "delayed_ack = \"0s\"");
        let waiting = delay / 0.12;
        assert!((least..most).contains(&waiting), "{name}: {waiting} packets wait");
        assert!(utilisation > 0.95 && loss == 0.0, "{name}: {utilisation}, {loss} lost");
    }
}

#[test]
fn what_lets_its_queue_go_has_less_of_it_than_reno() {
    let reno = alone("reno", 60, "slow_start = \"hystart++\"").delay;
    for name in ["htcp", "yeah", "westwood"] {
        let delay = alone(name, 60, "slow_start = \"hystart++\"").delay;
        assert!(delay < 0.9 * reno, "{name}: {delay} ms, Reno {reno} ms");
    }
}

#[test]
fn hybla_has_the_same_rate_at_any_rtt_where_reno_has_less_with_each_millisecond() {
    // W = rho * sqrt(1.5/p) segments: the rate is sqrt(1.5/p) / RTT0, whatever the RTT. Reno's rate is this rate
    // divided by RTT/RTT0.
    let goodput = |name, rtt_ms: f64| {
        let bottleneck = format!("rate = \"1Gbps\"\ndelay = \"{}ms\"\nqueue = \"1bdp\"\nloss = \"0.1%\"", rtt_ms / 2.0);
        let output = over(&bottleneck, &[name], 300, "delayed_ack = \"0s\"");
        number(&output, "flows", "goodput_bps")
    };
    let (reference, reno) = (goodput("hybla", 25.0), goodput("reno", 25.0));
    assert!((reference / reno - 1.0).abs() < 0.03, "on the reference path it is Reno: {reference} and {reno} bit/s");
    for factor in [2.0, 4.0] {
        let (hybla, reno) = (goodput("hybla", 25.0 * factor), factor * goodput("reno", 25.0 * factor));
        assert!((hybla / reference - 1.0).abs() < 0.15, "{factor}: {hybla} of {reference} bit/s");
        assert!((reno / reference - 1.0).abs() < 0.15, "{factor}: {reno} of {reference} bit/s");
    }
}

#[test]
fn those_that_tell_radio_from_congestion_fill_a_link_that_loses_packets() {
    // Reno's window is sqrt(1.5/p) = 55 segments, and the path has 83.
    let bottleneck = "rate = \"10Mbps\"\ndelay = \"50ms\"\nqueue = \"1bdp\"\nloss = \"0.05%\"";
    let utilisation = |name| number(&over(bottleneck, &[name], 300, "delayed_ack = \"0s\""), "links", "utilisation");
    let reno = utilisation("reno");
    assert!(reno < 0.75, "{reno}");
    for name in ["westwood", "veno", "bbr", "bbr1", "copa"] {
        let utilisation = utilisation(name);
        assert!(utilisation > reno + 0.15, "{name}: {utilisation}, Reno {reno}");
    }
}

#[test]
fn compound_is_reno_where_more_than_gamma_wait_and_takes_more_where_there_is_room() {
    // A BDP is 66 packets and gamma is 30. In a queue of three BDP, Reno alone keeps more than gamma packets in the
    // queue.
    let share = |queue| {
        let bottleneck = format!("rate = \"20Mbps\"\ndelay = \"20ms\"\nqueue = \"{queue} packets\"");
        let output = over(&bottleneck, &["compound", "reno"], 300, "delayed_ack = \"0s\"");
        let Some(Column::Int(bytes)) = output.tables["flows"].column("bytes_delivered") else { panic!("no flows") };
        let bytes: Vec<f64> = bytes.iter().map(|cell| cell.unwrap() as f64).collect();
        bytes[0] / (bytes[0] + bytes[1])
    };
    let (long, short) = (share(198), share(20));
    assert!((0.45..0.55).contains(&long), "{long}");
    assert!(short > 0.6, "{short}");
}

#[test]
fn scalable_makes_a_loss_good_in_the_same_number_of_rounds_at_any_rate() {
    for rate in [50.0, 200.0] {
        let bottleneck = format!("rate = \"{rate}Mbps\"\ndelay = \"20ms\"\nqueue = \"1bdp\"");
        let output = over(
            &bottleneck,
            &["scalable"],
            120,
            "delayed_ack = \"0s\"\nslow_start = \"hystart++\"\n[probes]\nwindow = true",
        );
        let events = &output.tables["events"];
        let (Some(Column::Float(times)), Some(Column::Text(kinds))) = (events.column("time_s"), events.column("event"))
        else {
            panic!("no events")
        };
        let starts = times.iter().zip(kinds).filter(|(_, kind)| kind.as_deref() == Some("recovery_started"));
        let starts: Vec<f64> = starts.map(|(time, _)| time.unwrap()).filter(|time| *time > 40.0).collect();
        let period = (starts[starts.len() - 1] - starts[0]) / (starts.len() - 1) as f64;
        // From 7/8 of 80 ms up to 80 ms take ln(8/7) / ln(1.01) = 13.4 rounds; one more round notices the loss, and one
        // repairs it.
        let rounds = period / (0.080 * 15.0 / 16.0);
        assert!((14.0..16.5).contains(&rounds), "{rate} Mbit/s: {rounds}");
    }
}

#[test]
fn htcp_empties_the_queue_and_no_more() {
    // Reno needs a queue of one BDP to keep a link busy; RTTmin/RTTmax leaves the packets that the path holds.
    let utilisation = |name| {
        let bottleneck = "rate = \"20Mbps\"\ndelay = \"20ms\"\nqueue = \"0.4bdp\"";
        number(&over(bottleneck, &[name], 200, "delayed_ack = \"0s\""), "links", "utilisation")
    };
    let (htcp, reno) = (utilisation("htcp"), utilisation("reno"));
    assert!(reno < 0.97, "{reno}");
    assert!(htcp > 0.985, "{htcp}");
}
