//! Whole scenarios: some hundred random ones under a fixed seed, and those that failed once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ackclock_fuzz::scenarios::case::{Fuzzer, Outcome, judge};
use ackclock_fuzz::scenarios::spelling;
use ackclock_fuzz::scenarios::worker::{BUDGET, guarded, note_panics};
use serde_json::Value as Json;

/// Number of scenarios that are drawn freely, besides those that are drawn to reach a place.
const FREE: u64 = 200;
/// Maximum number of attempts to reach a place. A scenario that is refused is an attempt: a value that has to be below
/// that of another field, such as Vegas's alpha, is refused more often than not.
const ATTEMPTS: u64 = 200;
/// Everything that can happen in a run happens within so many scenarios. A change of the schema draws other scenarios, and rare
/// things, such as marks, come earlier or later.
const MOST: u64 = 4000;
/// The number of things that can happen.
const HAPPENINGS: usize = 13;

/// The schema is covered on purpose: while there is a place that no scenario has used, a scenario that uses it is
/// drawn.
#[test]
fn scenarios_at_random_have_no_finding_and_leave_no_field_uncovered() {
    note_panics();
    let found = draw_scenarios();
    // The worker's hook records a panic and prints nothing.
    drop(std::panic::take_hook());
    assert!(found.is_ok(), "{}", found.unwrap_err());
}

/// Draws the scenarios of the test. Returns the first finding, or the places that were not covered.
fn draw_scenarios() -> Result<(), String> {
    let fuzzer = Fuzzer::default();
    let (mut covered, mut ran, mut happened) = (BTreeSet::new(), 0, BTreeMap::<&str, u64>::new());
    let (mut tried, mut checks, mut large) = (BTreeMap::<_, u64>::new(), BTreeSet::new(), BTreeSet::new());
    let mut index = 0;
    loop {
        let missing = |place: &&_| !covered.contains(*place) && tried.get(*place).is_none_or(|tries| *tries < ATTEMPTS);
        let place = fuzzer.places().iter().find(missing).copied();
        if place.is_none() && index >= FREE && (happened.len() == HAPPENINGS || index >= MOST) {
            break;
        }
        let place = place.filter(|_| index % 2 == 0 || index >= 2 * FREE);
        let mut document = Json::Null;
        let case = guarded(|| fuzzer.case(13, index, place, &mut |tried| document.clone_from(tried)), || Json::Null);
        match case {
            Err((finding, _)) => {
                let document = spelling::toml(&document);
                return Err(format!("scenario {index}: {}: {}\n{document}", finding.kind, finding.what));
            }
            Ok(Outcome::Ran(one)) => {
                ran += 1;
                covered.extend(one.covered);
                checks.extend(one.checks);
                one.happened.into_iter().for_each(|name| *happened.entry(name).or_default() += 1);
            }
            Ok(Outcome::TooLarge) => large.extend(place),
            Ok(Outcome::Refused) => {}
        }
        place.into_iter().for_each(|place| *tried.entry(place).or_default() += 1);
        index += 1;
    }
    // A million copies are accepted but not run.
    let may_be_large = |place| fuzzer.schema.is_bound(place) && large.contains(&place);
    let uncovered = fuzzer.places().iter().filter(|place| !covered.contains(*place) && !may_be_large(**place));
    let names: Vec<_> = uncovered.map(|place| fuzzer.schema.name(*place)).collect();
    for (holds, what) in [
        (names.is_empty(), format!("nothing was said at {names:?}")),
        (ran * 4 > index * 3, "too many were refused".to_owned()),
        (checks.len() == 11, format!("not every check was made: {checks:?}")),
        (happened.len() == HAPPENINGS, format!("not everything happened: {happened:?}")),
    ] {
        if !holds {
            return Err(format!("{what}; of {index} scenarios {ran} ran"));
        }
    }
    Ok(())
}

/// Each file states in a comment which failure it showed.
#[test]
fn scenarios_that_failed_once_have_no_finding() {
    note_panics();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("regressions");
    let mut paths: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("# "), "{}: a comment says what it showed", path.display());
        let document: Json = toml::from_str(&text).unwrap();
        let judged = guarded(|| judge(&document, BUDGET).map_err(|finding| (finding, Json::Null)), || Json::Null);
        assert!(judged.is_ok(), "{}: {judged:?}", path.display());
    }
}
