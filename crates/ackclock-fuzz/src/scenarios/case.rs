//! One random scenario: drawn, repaired until it is accepted and short enough, and checked.

use std::collections::BTreeSet;

use ackclock_scenario::{Problem, Scenario, ScenarioError};
use ackclock_sim::run::Watching;
use serde_json::{Value as Json, json};

use super::check::{self, Ended, Finding};
use super::dice::Dice;
use super::draw::{Draw, Manner};
use super::repair::{self, repair};
use super::schema::{Place, Schema};
use super::tables::sum;

/// Maximum number of repairs of a scenario that is refused.
const ROUNDS: usize = 20;
/// Maximum number of flows, including copies, and maximum number of servers, users and the like of a flow, with which a
/// scenario is run.
const MOST_FLOWS: u64 = 100;
const MOST_SERVERS: u64 = 1_000;
/// Maximum number of delivery opportunities that cellular links draw in a run.
const MOST_OPPORTUNITIES: f64 = 2e7;
/// Maximum number of rows of a table with a row for each interval.
const MOST_SAMPLES: u64 = 20_000;

/// Outcome of a scenario.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// The scenario was refused with a message.
    Refused,
    /// The scenario was not run because it would take too long.
    TooLarge,
    /// The scenario was run and checked.
    Ran(Ran),
}

/// A scenario that ran.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Ran {
    /// The checks that were made.
    pub checks: Vec<&'static str>,
    /// The kinds of events that happened in the run.
    pub happened: Vec<&'static str>,
    /// The places of the schema that the scenario uses.
    pub covered: BTreeSet<Place>,
}

/// The kinds of events that can happen in a run: a name, and the table and column that count them.
const HAPPENINGS: [(&str, &str, &str); 13] = [
    ("drops", "links", "queue_drops"),
    ("AQM drops", "links", "aqm_drops"),
    ("policer drops", "links", "policer_drops"),
    ("losses", "links", "losses"),
    ("wire losses", "links", "wire_losses"),
    ("duplicates", "links", "duplicates"),
    ("marks", "links", "marks"),
    ("retransmissions", "flows", "retransmits"),
    ("timeouts", "flows", "timeouts"),
    ("spurious timeouts", "flows", "spurious_timeouts"),
    ("recoveries", "flows", "recoveries"),
    ("deliveries", "flows", "bytes_delivered"),
    ("completions", "completions", "count"),
];

/// Draws scenarios and checks them.
pub struct Fuzzer {
    /// Schema of the scenarios.
    pub schema: Schema,
    places: Vec<Place>,
}

impl Default for Fuzzer {
    fn default() -> Fuzzer {
        let schema = Schema::of_scenarios();
        let places = schema.places();
        Fuzzer { schema, places }
    }
}

impl Fuzzer {
    /// Returns all places of the schema.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// Draws and checks the scenario `index` under `seed`. The scenario uses `place` if it can; without a `place` its
    /// places are random. `trying` is called with every document before it is read.
    ///
    /// # Errors
    /// The invariant that does not hold, with the document.
    pub fn case(
        &self,
        seed: u64,
        index: u64,
        place: Option<Place>,
        trying: &mut dyn FnMut(&Json),
    ) -> Result<Outcome, (Finding, Json)> {
        let mut dice = Dice::new(seed, &format!("scenario {index}"));
        let manner = Manner::any(&mut dice);
        let place = place.or_else(|| dice.chance(0.5).then(|| *dice.of(&self.places)));
        let budget = *dice.of(&[1_000, 2_000, 3_000, 4_000, 6_000, 20_000]);
        let mut draw = Draw::new(&self.schema, dice, manner);
        let mut document = draw.scenario(place);
        let mut outcome = Outcome::Refused;
        for round in 0..ROUNDS {
            trying(&document);
            match attempt(&document, budget).map_err(|finding| (finding, document.clone()))? {
                Attempt::Refused(error) => {
                    outcome = Outcome::Refused;
                    repair(&mut document, &error, round, &self.schema, &mut draw);
                }
                Attempt::TooLarge(error) => {
                    outcome = Outcome::TooLarge;
                    repair(&mut document, &error, round, &self.schema, &mut draw);
                }
                Attempt::Long(end) => {
                    outcome = Outcome::TooLarge;
                    // With all events of that time there would be too many again.
                    document["duration"] = json!(format!("{}ns", (end / 8 * 7).max(1)));
                }
                Attempt::Ran(mut ran) => {
                    self.schema.cover(self.schema.root(), &document, &mut ran.covered);
                    return Ok(Outcome::Ran(ran));
                }
            }
        }
        Ok(outcome)
    }
}

/// Checks a scenario without changing it; the run may have this many events.
///
/// # Errors
/// The invariant that does not hold.
pub fn judge(document: &Json, budget: u64) -> Result<Outcome, Finding> {
    Ok(match attempt(document, budget)? {
        Attempt::Refused(_) => Outcome::Refused,
        Attempt::TooLarge(_) | Attempt::Long(_) => Outcome::TooLarge,
        Attempt::Ran(ran) => Outcome::Ran(ran),
    })
}

enum Attempt {
    Refused(ScenarioError),
    TooLarge(ScenarioError),
    /// The run used all its events by this time and had not ended.
    Long(u64),
    Ran(Ran),
}

fn attempt(document: &Json, budget: u64) -> Result<Attempt, Finding> {
    let scenario = match check::read(document)? {
        Ok(scenario) => scenario,
        Err(error) => return Ok(Attempt::Refused(error)),
    };
    if let Some(error) = too_large(document, &scenario) {
        return Ok(Attempt::TooLarge(error));
    }
    let (output, events) = match check::run(&scenario, &Watching::default(), budget, budget.min(64)) {
        Ok(Ended::Whole(output, events)) => (output, events),
        Ok(Ended::Cut(end)) => return Ok(Attempt::Long(end)),
        Err(error) => return Ok(Attempt::Refused(error)),
    };
    let mut dice = Dice::new(0, &scenario.hash());
    let checks = check::check(&scenario, &output, events, &mut dice)?;
    let happened =
        |(name, table, column): &(&'static str, &str, &str)| (sum(&output.tables, table, column) > 0).then_some(*name);
    let happened = HAPPENINGS.iter().filter_map(happened).collect();
    Ok(Attempt::Ran(Ran { checks, happened, covered: BTreeSet::new() }))
}

/// Returns the property that makes a scenario too large for runs by the hundred thousand; `None` if there is none.
fn too_large(document: &Json, scenario: &Scenario) -> Option<ScenarioError> {
    let error = |path: &str, most: String| {
        let problem = Problem { path: path.to_owned(), line: None, message: format!("is too much; accepted: {most}") };
        Some(ScenarioError { problems: vec![problem] })
    };
    let mut flows = 0;
    for (index, flow) in scenario.flows.iter().enumerate() {
        flows += u64::from(flow.count);
        if flows > MOST_FLOWS {
            return error(&format!("flows[{index}].count"), "2".to_owned());
        }
        for key in ["servers", "users", "parallel"] {
            let path = format!("flows[{index}].app.{key}");
            let many = repair::at(document, &repair::steps(&path)).and_then(Json::as_u64).unwrap_or(0);
            if many * u64::from(flow.count) > MOST_SERVERS {
                return error(&path, "4".to_owned());
            }
        }
    }
    let opportunities = scenario.estimate().opportunities;
    if opportunities > MOST_OPPORTUNITIES {
        let longest = scenario.duration as f64 / opportunities * MOST_OPPORTUNITIES;
        return error("duration", format!("\"{}ns\"", longest as u64));
    }
    let probes = &scenario.probes;
    let span = probes.to.unwrap_or(scenario.duration).min(scenario.duration).saturating_sub(probes.from);
    let series = flows + 2 * scenario.all_links().count() as u64;
    let samples = span.checked_div(probes.interval).unwrap_or(0).saturating_mul(series);
    if (probes.queues || probes.rates) && samples > MOST_SAMPLES {
        return error("probes.interval", format!("\"{}ns\"", span * series / MOST_SAMPLES + 1));
    }
    None
}
