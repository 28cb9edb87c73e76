//! Runs many scenarios on all cores for a given time, and reports the checks, the events, the coverage and the
//! findings.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use super::schema::{Place, Schema};
use super::shrink::shrink;
use super::spelling;
use super::worker::Worker;

/// The parameters of a campaign.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// Seed of all scenarios.
    pub seed: u64,
    /// Time after which the campaign ends.
    pub time: Duration,
    /// Maximum number of scenarios.
    pub count: u64,
    /// Number of scenarios that run at the same time.
    pub workers: usize,
    /// Folder to which findings are written.
    pub folder: PathBuf,
}

/// Maximum time for shrinking a finding.
const SHRINKING: Duration = Duration::from_secs(120);
/// Time between two progress messages.
const PROGRESS: Duration = Duration::from_secs(30);

/// The results of a campaign.
#[derive(Default)]
struct Tally {
    outcomes: BTreeMap<String, u64>,
    checks: BTreeMap<String, u64>,
    happened: BTreeMap<String, u64>,
    covered: BTreeSet<Place>,
    /// Number of findings of each kind, with the path of the shrunk first one.
    findings: BTreeMap<String, (u64, PathBuf)>,
}

impl Tally {
    fn add(&mut self, answer: &Json) {
        let texts =
            |key: &str| answer[key].as_array().into_iter().flatten().filter_map(Json::as_str).map(str::to_owned);
        *self.outcomes.entry(answer["outcome"].as_str().unwrap_or("finding").to_owned()).or_default() += 1;
        texts("checks").for_each(|check| *self.checks.entry(check).or_default() += 1);
        texts("happened").for_each(|name| *self.happened.entry(name).or_default() += 1);
        let number = |place: &Json, index: usize| place[index].as_u64().map(|number| number as usize);
        let covered = answer["covered"].as_array().into_iter().flatten();
        self.covered.extend(covered.filter_map(|place| Some((number(place, 0)?, number(place, 1)?))));
    }
}

impl Campaign {
    /// Runs the campaign and prints its results. Returns whether there was no finding.
    ///
    /// # Errors
    /// If workers cannot be started or findings cannot be written.
    pub fn run(&self) -> std::io::Result<bool> {
        std::fs::create_dir_all(&self.folder)?;
        let (started, next, tally) = (Instant::now(), AtomicU64::new(0), Mutex::new(Tally::default()));
        thread::scope(|scope| {
            let work = || self.work(started, &next, &tally);
            let workers: Vec<_> = (0..self.workers).map(|_| scope.spawn(work)).collect();
            workers.into_iter().try_for_each(|worker| {
                worker.join().unwrap_or_else(|_| Err(std::io::Error::other("a thread panicked")))
            })
        })?;
        let tally = tally.into_inner().map_err(|_| std::io::Error::other("a thread panicked"))?;
        println!("{}", report(&tally, started.elapsed()));
        Ok(tally.findings.is_empty())
    }

    fn work(&self, started: Instant, next: &AtomicU64, tally: &Mutex<Tally>) -> std::io::Result<()> {
        let mut worker = Worker::start()?;
        let mut printed = Instant::now();
        while started.elapsed() < self.time {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= self.count {
                break;
            }
            let answer = worker.ask(&format!("case {} {index}", self.seed))?;
            let kind = answer["kind"].as_str().map(str::to_owned);
            let is_new = {
                let mut tally = tally.lock().map_err(|_| std::io::Error::other("a thread panicked"))?;
                tally.add(&answer);
                if printed.elapsed() > PROGRESS {
                    printed = Instant::now();
                    eprintln!("{index} scenarios, {} kinds of findings", tally.findings.len());
                }
                kind.as_ref().is_some_and(|kind| {
                    let path = self.folder.join(format!("{}.toml", slug(kind)));
                    let known = tally.findings.entry(kind.clone()).or_insert((0, path));
                    known.0 += 1;
                    known.0 == 1
                })
            };
            if let Some(kind) = kind.filter(|_| is_new) {
                let what: String = answer["what"].as_str().unwrap_or_default().chars().take(300).collect();
                eprintln!("found: {kind} (seed {}, scenario {index}): {what}", self.seed);
                let small = smaller(&mut worker, &kind, &answer["document"])?;
                let about = format!("# {kind}\n# Seed {}, scenario {index}.\n", self.seed);
                std::fs::write(self.folder.join(format!("{}.toml", slug(&kind))), about + &text(&small))?;
            }
        }
        Ok(())
    }
}

fn text(document: &Json) -> String {
    if document.is_object() { spelling::toml(document) } else { format!("# no table: {document}\n") }
}

/// Returns a name for a file.
fn slug(kind: &str) -> String {
    let char = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let slug: String = kind.chars().map(char).collect();
    slug.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

/// Whether two kinds of findings belong to the same check.
fn alike(one: &str, other: &str) -> bool {
    let check = |kind: &str| {
        if kind.starts_with("panic") { kind.to_owned() } else { kind.split(':').next().unwrap_or("").to_owned() }
    };
    check(one) == check(other)
}

fn smaller(worker: &mut Worker, kind: &str, document: &Json) -> std::io::Result<Json> {
    let started = Instant::now();
    let mut failed = Ok(());
    let fails = |document: &Json| match worker.ask(&format!("judge {document}")) {
        Ok(answer) => answer["kind"].as_str().is_some_and(|found| alike(found, kind)),
        Err(error) => {
            failed = Err(error);
            false
        }
    };
    let small = shrink(document, fails, || started.elapsed() > SHRINKING);
    failed.map(|()| small)
}

fn report(tally: &Tally, took: Duration) -> String {
    let schema = Schema::of_scenarios();
    let places = schema.places();
    let mut text = String::new();
    let total: u64 = tally.outcomes.values().sum();
    let counted = |counts: &BTreeMap<String, u64>| {
        counts.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
    };
    let _ = writeln!(text, "{total} scenarios in {} s: {}", took.as_secs(), counted(&tally.outcomes));
    let _ = writeln!(text, "checks: {}", counted(&tally.checks));
    let _ = writeln!(text, "runs with: {}", counted(&tally.happened));
    let _ = writeln!(
        text,
        "coverage of the schema by scenarios that ran: {} of {} places",
        tally.covered.len(),
        places.len()
    );
    for place in places.iter().filter(|place| !tally.covered.contains(place)) {
        let _ = writeln!(text, "  not covered: {}", schema.name(*place));
    }
    let _ = writeln!(text, "findings: {}", tally.findings.values().map(|(count, _)| count).sum::<u64>());
    for (kind, (count, path)) in &tally.findings {
        let _ = writeln!(text, "  {count} times {kind}: {}", Path::display(path));
    }
    text
}
