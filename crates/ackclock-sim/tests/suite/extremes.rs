//! The largest and the smallest value of every quantity. These tests are built with overflow checks, unlike release
//! builds: sums of extreme values saturate or are refused, and never wrap around.

use proptest::prelude::*;

use ackclock_scenario::testing::{BASE, CHANGES, change};
use ackclock_scenario::{Problem, Scenario};
use ackclock_schema::quantity::{Dimension, PACKETS, RATE, TIME, VOLUME};
use ackclock_sim::Run;

/// Number of events for which a scenario with extreme values is run.
const EVENTS: u64 = 500;

/// Returns the text with its quantity, or each quantity in quotes, replaced by the largest or the smallest value of its
/// dimension.
fn extreme(text: &str, largest: bool) -> String {
    let dimension = |text: &str| -> Option<&'static Dimension> {
        [&TIME, &RATE, &VOLUME, &PACKETS].into_iter().find(|dimension| dimension.has_unit_of(text))
    };
    let replace =
        |text: &str| dimension(text).map_or(text.to_owned(), |own| own.write(if largest { own.max } else { 1 }));
    match text.split_once('\'') {
        None => replace(text),
        Some(_) => {
            let parts = text.split('\'').enumerate();
            parts
                .map(|(number, part)| if number % 2 == 1 { replace(part) } else { part.to_owned() })
                .collect::<Vec<_>>()
                .join("'")
        }
    }
}

fn extreme_change(index: usize, largest: bool) -> Vec<(String, String)> {
    change(index).into_iter().map(|(path, value)| (path, extreme(&value, largest))).collect()
}

/// Runs the first events of a scenario with these changes, if it is accepted. Returns whether it was accepted.
fn begin(pairs: &[(String, String)]) -> bool {
    let Ok(scenario) = Scenario::from_toml(BASE, pairs) else { return false };
    let again = Scenario::from_json(&scenario.to_json().to_string(), &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again.hash(), scenario.hash(), "{pairs:?}");
    // One event may pass many instants of the probes.
    let samples = scenario.estimate().parts.into_iter().find(|(path, _)| path == "probes.interval");
    if samples.is_some_and(|(_, bytes)| bytes > 1e7) {
        return true;
    }
    if let Ok(mut run) = Run::new(&scenario, None) {
        let goes_on = run.step(EVENTS);
        assert!(run.now() <= scenario.duration, "{pairs:?}");
        if !goes_on {
            run.finish();
        }
    }
    true
}

#[test]
fn every_quantity_may_be_the_largest_and_the_smallest() {
    assert_eq!(extreme("2s", true), "87600h");
    assert_eq!(
        extreme("{ kind = 'list', items = [{ at = '1s', size = '1kB' }] }", false),
        "{ kind = 'list', items = [{ at = '1ns', size = '1B' }] }"
    );
    let mut accepted = 0;
    for index in 0..CHANGES.len() {
        for largest in [true, false] {
            accepted += u32::from(begin(&extreme_change(index, largest)));
            // With the longest run no value is refused for being after the end of the run.
            let long = [("duration".to_owned(), "87600h".to_owned())];
            begin(&[&long[..], &extreme_change(index, largest)].concat());
        }
    }
    assert!(accepted > CHANGES.len() as u32, "{accepted} of {} were accepted", 2 * CHANGES.len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn extremes_together_do_not_wrap_around(
        chosen in prop::collection::btree_map(0..CHANGES.len(), any::<bool>(), 1..8),
    ) {
        let pairs: Vec<_> = chosen.into_iter().flat_map(|(index, largest)| extreme_change(index, largest)).collect();
        begin(&pairs);
    }
}

fn problems(text: &str, pairs: &[(&str, &str)]) -> Vec<Problem> {
    let pairs: Vec<_> = pairs.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    Scenario::from_toml(text, &pairs).err().map_or(Vec::new(), |error| error.problems)
}

const DELAY: &str = "access.source_delay";

#[test]
fn a_delay_of_extreme_spread_is_refused() {
    // The mean of a log-normal is the median * exp(sigma^2 / 2): for 10 ms and a sigma of 10 it is 1.6 million years.
    for (table, field) in [
        ("{ kind = 'log-normal', median = '10ms', sigma = 10 }", "sigma"),
        ("{ kind = 'pareto', shape = 1.0000001, scale = '100h' }", "shape"),
        ("{ kind = 'shifted-pareto', shape = 1.0000001, scale = '100h', shift = '1s' }", "shape"),
    ] {
        let found = problems(BASE, &[(DELAY, table)]);
        let [problem] = &found[..] else { panic!("{table}: one problem expected, not {found:?}") };
        assert_eq!(problem.path, format!("{DELAY}.{field}"));
        assert!(problem.message.contains("a mean of more than 87600h; accepted: "), "{problem}");
        assert!(problem.message.ends_with("or a cap"), "{problem}");
        let capped = table.replace(" }", ", cap = '200h' }");
        assert_eq!(problems(BASE, &[(DELAY, &capped)]), [], "{capped}");
    }
    assert!(begin(&[(DELAY.to_owned(), "{ kind = 'log-normal', median = '10ms', sigma = 4 }".to_owned())]));
}

#[test]
fn a_bandwidth_delay_product_beyond_every_volume_is_refused() {
    let pairs = [("bottleneck.rate", "1000Tbps"), ("bottleneck.delay", "87600h"), ("duration", "87600h")];
    let found = problems(BASE, &pairs);
    let [problem] = &found[..] else { panic!("one problem expected, not {found:?}") };
    assert_eq!(problem.path, "bottleneck.queue");
    assert!(problem.message.contains("accepted: at most 1073741824GiB, or \"unlimited\""), "{problem}");
    let queue = [&pairs[..], &[("bottleneck.queue", "unlimited")]].concat();
    assert_eq!(problems(BASE, &queue), []);
}

/// The total delay of sixty links in a row with ten years each is more than 2^64 ns.
#[test]
fn a_route_longer_than_time_does_not_wrap_around() {
    let node = |number: usize| format!("n{number}");
    let links: Vec<_> = (0..60)
        .map(|number| {
            let from = if number == 0 { "right".to_owned() } else { node(number) };
            format!("{{ name = 'l{number}', ends = ['{from}', '{}'], rate = '1Gbps', delay = '87600h', queue = '9 packets' }}", node(number + 1))
        })
        .collect();
    let route: Vec<_> = (1..=60).map(|number| format!("'{}'", node(number))).collect();
    let pairs = [
        ("links".to_owned(), format!("[{}]", links.join(", "))),
        ("flows[2].route".to_owned(), format!("['left', 'right', {}]", route.join(", "))),
        ("bottleneck.queue".to_owned(), "50 packets".to_owned()),
    ];
    assert!(begin(&pairs), "{:?}", Scenario::from_toml(BASE, &pairs).err());
    let bdp = [&pairs[..2], &[("bottleneck.queue".to_owned(), "1bdp".to_owned())]].concat();
    let problem =
        Scenario::from_toml(BASE, &bdp).expect_err("a bandwidth-delay product of centuries").problems.remove(0);
    assert_eq!(problem.path, "bottleneck.queue");
}
