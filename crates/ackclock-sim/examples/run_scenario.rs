//! Runs a scenario without Python, for profilers, and prints the packets that each link has carried.
//!
//! `cargo run --release --example run_scenario -- SCENARIO.toml [PATH=VALUE]... [from=SECONDS]`, for example
//! `python/ackclock/engine/bench/W3.toml flows[0].stack=linux duration=5s from=2`. The run from that time on is the function
//! `measured`, so that `valgrind --tool=callgrind --toggle-collect='*measured*'` counts no start-up.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "a tool reads files and its arguments")]

use std::process::ExitCode;

use ackclock_results::Column;
use ackclock_scenario::Scenario;
use ackclock_sim::Run;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_default();
    let (mut settings, mut from) = (Vec::new(), 0.0);
    for setting in arguments {
        match setting.split_once('=') {
            Some(("from", seconds)) => from = seconds.parse().unwrap_or(0.0),
            Some((path, value)) => settings.push((path.to_owned(), value.to_owned())),
            None => settings.push((setting, String::new())),
        }
    }
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"));
    match text.and_then(|text| run(&text, &settings, from)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn run(text: &str, settings: &[(String, String)], from: f64) -> Result<(), String> {
    let scenario = Scenario::from_toml(text, settings).map_err(|error| error.to_string())?;
    let mut run = Run::new(&scenario, None).map_err(|error| error.to_string())?;
    run.step_before((from * 1e9) as u64);
    measured(&mut run);
    let tables = run.finish().tables;
    let column = |name| tables["links"].column(name);
    let (Some(Column::Text(names)), Some(Column::Int(packets))) = (column("link"), column("packets")) else {
        return Err("the table of links has other columns".to_owned());
    };
    for (name, packets) in names.iter().zip(packets) {
        println!("{} {}", name.as_deref().unwrap_or_default(), packets.unwrap_or_default());
    }
    Ok(())
}

#[inline(never)]
fn measured(run: &mut Run) {
    while run.step(u64::MAX) {}
}
