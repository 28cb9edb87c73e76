//! What each congestion control does alone on 100 Mbit/s, 40 ms and a queue of one BDP, against what its paper promises.

use ackclock_sim::run::{Output, Run};
use ackclock_sim::scenario::Scenario;
use ackclock_sim::table::Column;
use ackclock_tcp::cc;

fn run(name: &str, seconds: u32, rest: &str) -> Output {
    let text = format!(
        "duration = \"{seconds}s\"\n[bottleneck]\nrate = \"100Mbps\"\ndelay = \"20ms\"\nqueue = \"1bdp\"\n\
         [[flows]]\nname = \"f\"\napp = {{ kind = \"bulk\" }}\ncc = \"{name}\"\n\
         receive_buffer = \"16MiB\"\n{rest}\n"
    );
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

/// What a link saw.
struct Seen {
    utilisation: f64,
    /// Mean queueing delay, ms.
    delay: f64,
    /// Share of packets lost.
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
        let Seen { utilisation, delay, loss, timeouts, recoveries } =
            alone(entry.name, 30, "slow_start = \"hystart++\"");
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
    // A packet takes 0.12 ms on the link; ACKs of two segments make it a packet more or less.
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
