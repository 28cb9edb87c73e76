//! What must hold for every scenario. A scenario is refused in words, or it runs; if it runs, then
//!
//! - both spellings, TOML and JSON, and the canonical form are one scenario with one hash,
//! - no number in the tables is infinite or none, and tables agree with each other,
//! - whoever watches changes nothing, and the verifier finds nothing,
//! - the same run on another thread at the same time, in steps of another size, gives the same tables and the same traces,
//! - a longer run begins with the shorter one,
//! - a further flow that shares no link disturbs nobody.

use std::thread;

use ackclock_scenario::{Outside, Problem, Scenario, ScenarioError};
use ackclock_sim::run::{Output, Run, Watching};
use ackclock_sim::trace::{Chunk, EVENTS_FILE, TraceSpec};
use serde_json::Value as Json;

use super::dice::Dice;
use super::{changes, files, spelling, tables};

/// Something that does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// What does not: the same for findings that have the same cause, as far as can be told.
    pub kind: String,
    /// How it shows.
    pub what: String,
}

impl Finding {
    /// A finding.
    pub fn new(kind: impl Into<String>, what: impl Into<String>) -> Finding {
        Finding { kind: kind.into(), what: what.into() }
    }
}

/// What the scenario's text may name.
const OUTSIDE: Outside<'static> = Outside { files: &|path| files::read(path), registered: &[] };

fn from_json(document: &Json) -> Result<Scenario, ScenarioError> {
    Scenario::from_json_with(&document.to_string(), &[], OUTSIDE)
}

fn messages(error: &ScenarioError) -> Vec<(&str, &str)> {
    let mut all: Vec<_> = error.problems.iter().map(|one| (one.path.as_str(), one.message.as_str())).collect();
    all.sort_unstable();
    all
}

/// A refusal, which has to say in one line each what is wrong where, and what would be accepted.
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

/// Where two documents differ first.
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

/// How a run ended.
pub enum Ended {
    /// At its end, after about so many events.
    Whole(Output, u64),
    /// It had more events than allowed; the time it had come to.
    Cut(u64),
}

/// Runs a scenario for so many events at most, in steps of so many.
///
/// # Errors
/// What an application cannot do with its parameters.
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

/// What a run gave, if its tables agree with each other.
fn agreed(output: Output) -> Result<Output, Finding> {
    match output.findings.first() {
        None => Ok(output),
        Some(finding) => {
            Err(Finding::new(format!("invariants: {}.{}", finding.table, finding.column), finding.to_string()))
        }
    }
}

/// Runs once more what has run before in `events` events.
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

/// The bytes of a trace, by file.
fn traced(chunks: &[Chunk], file: &str) -> Vec<u8> {
    chunks.iter().filter(|chunk| chunk.file == file).flat_map(|chunk| chunk.bytes.iter().copied()).collect()
}

/// The event log without its first line, which names the scenario.
fn events(output: &Output) -> String {
    let text = String::from_utf8(traced(&output.traces, EVENTS_FILE)).unwrap_or_default();
    text.split_once('\n').map_or(String::new(), |(_, rest)| rest.to_owned())
}

/// Where two logs part: the lines there.
fn parting(one: &str, other: &str) -> String {
    let mut pairs = one.lines().zip(other.lines());
    match pairs.find(|(one, other)| one != other) {
        Some((one, other)) => format!("{one}\nagainst\n{other}"),
        None => format!("{} lines against {}", one.lines().count(), other.lines().count()),
    }
}

/// Checks a scenario that runs to its end, `plain` being what it gave in `events` events with nobody watching. Which checks were
/// made is in the result.
///
/// # Errors
/// What does not hold.
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

/// The traces by file, however they were cut into chunks.
fn joined(chunks: &[Chunk]) -> Vec<(String, Vec<u8>)> {
    let mut names: Vec<_> = chunks.iter().map(|chunk| chunk.file.clone()).collect();
    names.sort();
    names.dedup();
    names.into_iter().map(|name| (name.clone(), traced(chunks, &name))).collect()
}

/// Tables that grow as time goes on, and whose rows stay as they are.
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
