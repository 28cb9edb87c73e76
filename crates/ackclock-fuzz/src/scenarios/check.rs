//! Invariants of every scenario. A scenario is refused with a message, or it runs. If it runs, then
//!
//! - both spellings, TOML and JSON, and the canonical form give one scenario with one hash,
//! - no number in the tables is infinite or NaN, and the tables agree with each other,
//! - observers change nothing, and the verifier finds nothing,
//! - a run on several threads gives the same tables as on one,
//! - the same run on another thread at the same time, in steps of another size, gives the same tables and traces,
//! - a longer run begins with the shorter one,
//! - a further flow that shares no link does not change the others.

use std::sync::Arc;
use std::thread;

use ackclock_scenario::{Outside, Problem, Scenario, ScenarioError};
use ackclock_sim::run::{Mistake, Output, Run, Watching};
use ackclock_sim::trace::{Chunk, EVENTS_FILE, TraceSpec};
use serde_json::Value as Json;

use super::dice::Dice;
use super::{changes, files, spelling, tables};

/// An invariant that does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Kind of the finding: the same for findings with the same cause, as far as this can be determined.
    pub kind: String,
    /// Details of the finding.
    pub what: String,
}

impl Finding {
    /// Creates a finding.
    pub fn new(kind: impl Into<String>, what: impl Into<String>) -> Finding {
        Finding { kind: kind.into(), what: what.into() }
    }
}

/// The files and congestion controls that the scenario's text may name.
const OUTSIDE: Outside<'static> = Outside { files: &|path| files::read(path), ..Outside::NOTHING };

fn from_json(document: &Json) -> Result<Scenario, ScenarioError> {
    Scenario::from_json_with(&document.to_string(), &[], OUTSIDE)
}

fn messages(error: &ScenarioError) -> Vec<(&str, &str)> {
    let mut all: Vec<_> = error.problems.iter().map(|one| (one.path.as_str(), one.message.as_str())).collect();
    all.sort_unstable();
    all
}

/// Checks a refusal: each line has to state the mistake, its place, and what is accepted.
fn refused(error: ScenarioError) -> Result<ScenarioError, Finding> {
    let is_good = |problem: &Problem| {
        let Problem { path, message, .. } = problem;
        !path.is_empty() && !message.contains('\n') && message.contains("accepted: ")
    };
    match error.problems.iter().find(|problem| !is_good(problem)) {
        None if !error.problems.is_empty() => Ok(error),
        wrong => Err(Finding::new("refusal", format!("{wrong:?}"))),
    }
}

/// Reads a scenario in every spelling.
///
/// # Errors
/// The finding, if there is one; otherwise the refusal or the scenario.
pub fn read(document: &Json) -> Result<Result<Scenario, ScenarioError>, Finding> {
    let toml = spelling::toml(document);
    let (json, toml) = (from_json(document), Scenario::from_toml_with(&toml, &[], OUTSIDE));
    let (scenario, toml) = match (json, toml) {
        (Ok(json), Ok(toml)) => (json, toml),
        (Err(json), Err(toml)) => {
            if messages(&json) != messages(&toml) {
                return Err(Finding::new("spellings: refusals", format!("JSON: {json}\nTOML: {toml}")));
            }
            return refused(json).map(Err);
        }
        (Ok(_), Err(error)) => return Err(Finding::new("spellings: TOML refused", error.to_string())),
        (Err(error), Ok(_)) => return Err(Finding::new("spellings: JSON refused", error.to_string())),
    };
    let same = |name: &str, other: &Scenario| {
        let differs = *other != scenario || other.hash() != scenario.hash();
        let what = || first_difference(&scenario.to_json(), &other.to_json(), "");
        if differs { Err(Finding::new(name, what())) } else { Ok(()) }
    };
    same("spellings: hash", &toml)?;
    let canonical = scenario.to_json();
    let again = from_json(&canonical).map_err(|error| Finding::new("canonical form refused", error.to_string()))?;
    same("canonical form", &again)?;
    let toml = Scenario::from_toml_with(&spelling::toml(&canonical), &[], OUTSIDE);
    let toml = toml.map_err(|error| Finding::new("canonical form refused as TOML", error.to_string()))?;
    same("canonical form as TOML", &toml)?;
    if again.to_json() != canonical {
        return Err(Finding::new("canonical form of canonical form", canonical.to_string()));
    }
    Ok(Ok(scenario))
}

/// Returns the first difference between two documents.
fn first_difference(one: &Json, other: &Json, at: &str) -> String {
    let inner = |(at, one, other): (String, &Json, &Json)| (one != other).then(|| first_difference(one, other, &at));
    let found = match (one, other) {
        (Json::Object(one), Json::Object(other)) => one
            .iter()
            .filter_map(|(key, value)| inner((format!("{at}.{key}"), value, other.get(key).unwrap_or(&Json::Null))))
            .next(),
        (Json::Array(one), Json::Array(other)) => {
            let pairs = one.iter().zip(other).enumerate();
            pairs.filter_map(|(place, (one, other))| inner((format!("{at}[{place}]"), one, other))).next()
        }
        _ => None,
    };
    found.unwrap_or_else(|| format!("{}: {one} against {other}", at.trim_start_matches('.')))
}

/// The end of a run.
pub enum Ended {
    /// The run ended at its duration, after approximately this number of events.
    Whole(Output, u64),
    /// The run had more events than allowed, and reached this time.
    Cut(u64),
}

/// Runs a scenario for at most `budget` events, in steps of `step` events.
///
/// # Errors
/// Parameters with which an application cannot run.
pub fn run(scenario: &Scenario, watching: &Watching, budget: u64, step: u64) -> Result<Ended, ScenarioError> {
    let mut run = Run::watched(scenario, None, watching)?;
    let mut events = 0;
    while run.step(step) {
        events += step;
        if events >= budget {
            return Ok(Ended::Cut(run.now()));
        }
    }
    Ok(Ended::Whole(run.finish(), events + step))
}

/// Returns the output of a run if its tables agree with each other.
fn agreed(output: Output) -> Result<Output, Finding> {
    match output.findings.first() {
        None => Ok(output),
        Some(finding) => {
            Err(Finding::new(format!("invariants: {}.{}", finding.table, finding.column), finding.to_string()))
        }
    }
}

/// Repeats a run that had `events` events before.
fn whole(name: &str, scenario: &Scenario, watching: &Watching, events: u64, step: u64) -> Result<Output, Finding> {
    match run(scenario, watching, 2 * events + 1_000, step) {
        Ok(Ended::Whole(output, _)) => agreed(output),
        Ok(Ended::Cut(at)) => Err(Finding::new(format!("{name}: no end"), format!("cut short at {at} ns"))),
        Err(error) => Err(Finding::new(format!("{name}: refused"), error.to_string())),
    }
}

fn alike(name: &str, one: &tables::Tables, other: &tables::Tables) -> Result<(), Finding> {
    match tables::difference(one, other) {
        None => Ok(()),
        Some((place, what)) => Err(Finding::new(format!("{name}: {place}"), what)),
    }
}

/// Returns the bytes of a trace, by file.
fn traced(chunks: &[Chunk], file: &str) -> Vec<u8> {
    chunks.iter().filter(|chunk| chunk.file == file).flat_map(|chunk| chunk.bytes.iter().copied()).collect()
}

/// Returns the event log without its first line, which names the scenario.
fn events(output: &Output) -> String {
    let text = String::from_utf8(traced(&output.traces, EVENTS_FILE)).unwrap_or_default();
    text.split_once('\n').map_or(String::new(), |(_, rest)| rest.to_owned())
}

/// Returns the first lines in which two logs differ.
fn parting(one: &str, other: &str) -> String {
    let mut pairs = one.lines().zip(other.lines());
    match pairs.find(|(one, other)| one != other) {
        Some((one, other)) => format!("{one}\nagainst\n{other}"),
        None => format!("{} lines against {}", one.lines().count(), other.lines().count()),
    }
}

/// Checks a scenario that runs to its end. `plain` is its output, after `events` events, without observers. Returns the
/// checks that were made.
///
/// # Errors
/// The invariant that does not hold.
pub fn check(scenario: &Scenario, plain: &Output, events: u64, dice: &mut Dice) -> Result<Vec<&'static str>, Finding> {
    if let Some((place, what)) = tables::not_finite(&plain.tables) {
        return Err(Finding::new(format!("not finite: {place}"), what));
    }
    let traces = TraceSpec { captures: vec!["bottleneck".to_owned()], events: true, ..TraceSpec::default() };
    let traces = if dice.chance(0.3) { traces } else { TraceSpec::default() };
    let watching = Watching { traces: traces.clone(), verify: true, check: true };
    let step = 1 + dice.below(999) as u64;
    let only_traced = Watching { verify: false, ..watching.clone() };
    let (watched, apart) = thread::scope(|scope| {
        let apart = scope.spawn(|| whole("on another thread", scenario, &only_traced, events, step));
        let watched = whole("watched", scenario, &watching, events, 1 << 9);
        (watched, apart.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    let (watched, apart) = (watched?, apart?);
    if let Some(violation) = watched.violations.first() {
        return Err(Finding::new(format!("verifier: {:?}", violation.law), violation.to_string()));
    }
    alike("watched", &plain.tables, &watched.tables)?;
    alike("on another thread", &plain.tables, &apart.tables)?;
    let mut made =
        vec!["spellings", "canonical form", "finite numbers", "invariants", "verifier", "watching", "another thread"];
    if !traces.is_empty() {
        if watched.traces != apart.traces && joined(&watched.traces) != joined(&apart.traces) {
            return Err(Finding::new("traces on another thread", "they differ"));
        }
        made.push("traces");
    }
    if dice.chance(0.3) && on_threads(scenario, 2 + dice.below(2))? {
        made.push("threads");
    }
    let most = 4 * events + 5_000;
    if let Some(document) = changes::longer(scenario, dice)
        && let Ok(longer) = from_json(&document)
        && let Ok(Ended::Whole(longer, _)) = run(&longer, &only_traced, most, 1 << 9)
    {
        begins_alike(scenario, &watched, &agreed(longer)?)?;
        made.push("longer run");
    }
    let document = changes::with_foreign_flow(scenario, dice);
    if let Ok(with_foreign) = from_json(&document)
        && let Ok(Ended::Whole(with_foreign, _)) = run(&with_foreign, &only_traced, most, 1 << 9)
    {
        let tables = agreed(with_foreign)?.tables;
        alike("foreign flow", &plain.tables, &tables::without(&tables, changes::is_foreign))?;
        made.push("foreign flow");
    }
    Ok(made)
}

/// Compares a run without probes on several threads with the same run on one. Returns whether the run could be divided.
fn on_threads(scenario: &Scenario, threads: usize) -> Result<bool, Finding> {
    let mut bare = scenario.clone();
    let probes = &mut bare.probes;
    for recorded in
        [&mut probes.window, &mut probes.packets, &mut probes.timeouts, &mut probes.queues, &mut probes.rates]
    {
        *recorded = false;
    }
    let tables = |threads| {
        let watching = Watching { check: true, ..Watching::default() };
        let mut run = Run::in_parts(&bare, None, &watching, Arc::new(Mistake::default()), threads)
            .map_err(|error| Finding::new("threads: refused", error.to_string()))?;
        while ackclock_threads::step(&mut run, 1 << 14) {}
        Ok((run.threads(), agreed(run.finish())?.tables))
    };
    let (divided, many) = tables(threads)?;
    if divided == 1 {
        return Ok(false);
    }
    let (_, one) = tables(1)?;
    alike("threads", &one, &many).map(|()| true)
}

/// Returns the traces by file, whatever their chunks.
fn joined(chunks: &[Chunk]) -> Vec<(String, Vec<u8>)> {
    let mut names: Vec<_> = chunks.iter().map(|chunk| chunk.file.clone()).collect();
    names.sort();
    names.dedup();
    names.into_iter().map(|name| (name.clone(), traced(chunks, &name))).collect()
}

/// Tables that grow over time, and whose rows do not change.
const LOGS: [&str; 6] = ["events", "window", "packets", "sack_blocks", "queues", "rates"];

fn begins_alike(scenario: &Scenario, shorter: &Output, longer: &Output) -> Result<(), Finding> {
    let end_s = scenario.duration as f64 / 1e9;
    let [one, other] = [shorter, longer].map(|output| tables::before(&output.tables, &LOGS, end_s));
    alike("longer run", &one, &other)?;
    let [one, other] = [shorter, longer].map(events);
    if other.starts_with(&one) {
        return Ok(());
    }
    Err(Finding::new("longer run: event log", parting(&one, &other)))
}
