//! Quantities that are drawn: the values that each distribution accepts and refuses, and the result.

use serde_json::json;

use super::*;
use ackclock_core::Distribution;

/// A valid table of every kind of distribution, with one field and another value for it.
const KINDS: &[(&str, &str, &str)] = &[
    ("{ kind = 'constant', value = '5kB' }", "value", "6kB"),
    ("{ kind = 'exponential', mean = '5kB' }", "mean", "6kB"),
    ("{ kind = 'uniform', min = '5kB', max = '9kB' }", "min", "6kB"),
    ("{ kind = 'uniform', min = '5kB', max = '9kB' }", "max", "8kB"),
    ("{ kind = 'pareto', shape = 1.2, scale = '5kB' }", "shape", "1.3"),
    ("{ kind = 'pareto', shape = 1.2, scale = '5kB' }", "scale", "6kB"),
    ("{ kind = 'pareto', shape = 1.2, mean = '5kB' }", "mean", "6kB"),
    ("{ kind = 'pareto', shape = 0.9, scale = '5kB', cap = '1MB' }", "cap", "2MB"),
    ("{ kind = 'shifted-pareto', shape = 0.5, scale = '147B', shift = '40B', cap = '1MB' }", "shape", "0.6"),
    ("{ kind = 'shifted-pareto', shape = 0.5, scale = '147B', shift = '40B', cap = '1MB' }", "scale", "148B"),
    ("{ kind = 'shifted-pareto', shape = 0.5, scale = '147B', shift = '40B', cap = '1MB' }", "shift", "0B"),
    ("{ kind = 'shifted-pareto', shape = 0.5, scale = '147B', shift = '40B', cap = '1MB' }", "plus", "16kB"),
    ("{ kind = 'shifted-pareto', shape = 0.5, scale = '147B', shift = '40B', cap = '1MB' }", "cap", "2MB"),
    ("{ kind = 'log-normal', median = '5kB', sigma = 1.3 }", "median", "6kB"),
    ("{ kind = 'log-normal', median = '5kB', sigma = 1.3 }", "sigma", "1.4"),
    ("{ kind = 'log-normal', median = '5kB', sigma = 1.3 }", "cap", "1MB"),
    ("{ kind = 'empirical', values = ['0B', '5kB'], probabilities = [0.5, 1] }", "values", "['1B', '5kB']"),
    ("{ kind = 'empirical', values = ['0B', '5kB'], probabilities = [0.5, 1] }", "probabilities", "[0.4, 1.0]"),
];

const FIELD: &str = "flows[2].app.size";
const OFF: (&str, &str) = ("flows[2].app", "{ kind = 'onoff', size = '1kB', off = '1s' }");

fn size(pairs: &[(&str, &str)]) -> Random<Volume> {
    let App::OnOff(app) = with(pairs).flows[2].app.clone() else { panic!("not on and off") };
    app.size.expect("a size")
}

fn refused(field: &str, value: &str) -> String {
    let app = if field.starts_with("flows[2].app") { &[OFF][..] } else { &[] };
    let found = problems(BASE, &[app, &[(field, value)]].concat());
    let [problem] = &found[..] else { panic!("{value}: {found:?}") };
    problem.to_string()
}

#[test]
fn every_field_of_every_distribution_moves_the_hash_and_reads_back() {
    let mut changed = Vec::new();
    for (table, key, value) in KINDS {
        let path = format!("{FIELD}.{key}");
        let [base, other] = [with(&[OFF, (FIELD, table)]), with(&[OFF, (FIELD, table), (&path, value)])];
        assert_ne!(base.hash(), other.hash(), "{table} {key}");
        for scenario in [base, other] {
            let canonical = scenario.to_json();
            assert_eq!(Scenario::from_json(&canonical.to_string(), &[]).unwrap(), scenario, "{canonical}");
        }
        let kind = table.split('\'').nth(1).unwrap();
        changed.push(format!("flows[].app<onoff>.size<{kind}>.{key}"));
    }
    let reference = reference();
    let rows = reference.as_array().unwrap().iter().map(|row| row["path"].as_str().unwrap());
    for path in rows.filter(|path| path.starts_with("flows[].app<onoff>.size<")) {
        assert!(changed.iter().any(|known| known == path), "{path} is in no change");
    }
}

#[test]
fn a_constant_is_written_as_its_value() {
    let table = with(&[("access.source_delay", "{ kind = 'constant', value = '10ms' }")]);
    assert_eq!(table.to_json()["access"]["source_delay"], json!("10ms"));
    assert_eq!(table.hash(), with(&[("access.source_delay", "10ms")]).hash());
    let web = with(&[("flows[2].app", "{ kind = 'web', users = 2, objects = 7, object_size = '1kB' }")]);
    assert_eq!(web.to_json()["flows"][2]["app"]["objects"], json!(7));
}

#[test]
fn distributions_are_those_that_were_asked_for() {
    let drawn = |table: &str| size(&[OFF, (FIELD, table)]).distribution();
    assert_eq!(drawn("3kB"), Distribution::Constant(3_000));
    let pareto = ackclock_core::Pareto { shape: 2.5, scale: 3_000.0, shift: 0, plus: 0, cap: None };
    assert_eq!(drawn("{ kind = 'pareto', shape = 2.5, scale = '3kB' }"), Distribution::Pareto(pareto));
    // The mean is scale * shape / (shape - 1).
    assert_eq!(drawn("{ kind = 'pareto', shape = 2.5, mean = '5kB' }"), Distribution::Pareto(pareto));
    let remy = "{ kind = 'shifted-pareto', shape = 0.5, scale = '147B', shift = '40B', plus = '16kB', cap = '10MB' }";
    let expected = ackclock_core::Pareto { shape: 0.5, scale: 147.0, shift: 40, plus: 16_000, cap: Some(10_000_000) };
    assert_eq!(drawn(remy), Distribution::Pareto(expected));
    let points = [(0, 0.5), (5_000, 1.0)];
    let table = "{ kind = 'empirical', values = ['0B', '5kB'], probabilities = [0.5, 1] }";
    assert_eq!(drawn(table), Distribution::Empirical(points.into()));
}

#[test]
fn an_infinite_mean_needs_a_cap() {
    for table in [
        "{ kind = 'pareto', shape = 1, scale = '1kB' }",
        "{ kind = 'shifted-pareto', shape = 0.5, scale = '147B', shift = '40B' }",
    ] {
        let text = refused(FIELD, table);
        assert!(text.starts_with("flows[2].app.size.shape: "), "{text}");
        assert!(text.ends_with("has an infinite mean; accepted: more than 1, or a cap"), "{text}");
    }
    let text = refused(FIELD, "{ kind = 'pareto', shape = 1, mean = '1kB', cap = '1MB' }");
    assert!(text.contains("size.shape: 1 has no finite mean; accepted: more than 1, or scale and a cap"), "{text}");
}

#[test]
fn what_does_not_fit_together_is_refused() {
    for (table, message) in [
        ("{ kind = 'pareto', shape = 2 }", "size.scale: missing; accepted: scale, or mean with a shape above 1"),
        ("{ kind = 'pareto', shape = 2, scale = '1kB', mean = '2kB' }", "size.mean: \"2kB\" beside scale; accepted: "),
        (
            "{ kind = 'pareto', shape = 2, scale = '1kB', cap = '999B' }",
            "size.cap: \"999B\" is below what every draw is",
        ),
        (
            "{ kind = 'pareto', shape = 2, mean = '2kB', cap = '999B' }",
            "size.cap: \"999B\" is below what every draw is",
        ),
        (
            "{ kind = 'uniform', min = '2kB', max = '1kB' }",
            "size.max: \"1kB\" is below min; accepted: at least \"2kB\"",
        ),
        (
            "{ kind = 'shifted-pareto', shape = 2, scale = '1kB', shift = '1kB' }",
            "size.shift: \"1kB\" is more than every draw; accepted: less than the scale, \"1kB\"",
        ),
        (
            "{ kind = 'shifted-pareto', shape = 2, scale = '1kB', shift = '0B', plus = '1kB', cap = '1999B' }",
            "size.cap: \"1999B\" is below what every draw is",
        ),
        (
            "{ kind = 'empirical', values = ['1B', '2B'], probabilities = [1.0] }",
            "size.probabilities: a list with 1 entries for 2 values; accepted: one for each value",
        ),
        (
            "{ kind = 'empirical', values = ['1B', '2B'], probabilities = [0.5, 0.9] }",
            "size.probabilities: a list does not end in 1; accepted: the last value with probability 1",
        ),
        (
            "{ kind = 'empirical', values = ['2B', '1B'], probabilities = [0.5, 1] }",
            "size.values[1]: \"1B\" is below \"2B\"",
        ),
        ("{ kind = 'log-normal', median = '1kB', sigma = 0 }", "size.sigma: 0 is less than 0.001"),
        ("{ kind = 'gauss' }", "size.kind: \"gauss\" is not a known kind; accepted: constant, exponential"),
    ] {
        let text = refused(FIELD, table);
        assert!(text.contains(message), "{text}");
    }
}

#[test]
fn a_delay_may_be_nothing_and_a_size_may_not() {
    assert!(problems(BASE, &[("access.sink_delay", "0s")]).is_empty());
    assert!(refused(FIELD, "0B").contains("is zero; accepted: a volume above zero"));
    assert!(refused("access.sink_delay", "{ kind = 'exponential', mean = '0s' }").contains("is zero"));
    assert!(refused("access.sink_delay", "5").contains("has no unit"));
}

/// Bandwidth-delay products are computed with the means of drawn delays.
#[test]
fn drawn_delays_count_with_their_mean() {
    let uniform = "{ kind = 'uniform', min = '5ms', max = '15ms' }";
    let scenario = with(&[
        ("access.source_delay", uniform),
        ("flows[0].access.sink_delay", "{ kind = 'exponential', mean = '7ms' }"),
    ]);
    assert_eq!(scenario.base_rtt(&scenario.flows[0]), 2 * (10_000_000 + 200_000_000 + 7_000_000));
    assert_eq!(scenario.base_rtt(&scenario.flows[1]), 2 * (10_000_000 + 200_000_000));
}

#[test]
fn applications_and_arrivals_say_what_they_miss() {
    for (path, value, message) in [
        (
            "flows[2].app",
            "{ kind = 'web', object_size = '1kB' }",
            "sessions_per_second: missing; accepted: sessions_per_second, or users",
        ),
        (
            "flows[2].app",
            "{ kind = 'web', object_size = '1kB', users = 1, sessions_per_second = 1 }",
            "users: 1 beside sessions_per_second",
        ),
        (
            "flows[2].app",
            "{ kind = 'web', users = 1 }",
            "object_size: missing; accepted: a table with kind = one of constant",
        ),
        ("flows[2].app", "{ kind = 'web', users = 1, object_size = '1kB', objects = 0 }", "objects: 0 is less than 1"),
        ("flows[2].app", "{ kind = 'rpc' }", "response_size: missing"),
        ("flows[2].app", "{ kind = 'list', items = [] }", "items: there is no item"),
        ("flows[0].app.live", "{ latency = '1s' }", "flows[0].app.live.latency: \"1s\" is less than the segment"),
        ("flows[2].arrival", "{ kind = 'poisson' }", "flows[2].arrival.rate: missing"),
        ("flows[2].arrival", "poisson", "flows[2].arrival.rate: missing"),
    ] {
        let found = problems(BASE, &[(path, value)]);
        let [problem] = &found[..] else { panic!("{value}: {found:?}") };
        assert!(problem.to_string().contains(message), "{problem}");
    }
    let late = [("flows[2].count", "4"), ("flows[2].arrival", "{ kind = 'staggered', interval = '20s' }")];
    let found = problems(BASE, &late);
    let message = "lets the last copy start after the end of the run; accepted: all before duration, 1min";
    assert_eq!(
        found.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [format!("flows[2].arrival.interval: \"20s\" {message}")]
    );
    assert!(problems(BASE, &[("flows[2].count", "3"), late[1]]).is_empty());
}

#[test]
fn a_delay_of_a_flow_without_values_is_refused() {
    let found = problems(BASE, &[("flows[0].access.source_delay", "{ kind = 'empirical' }")]);
    let paths: Vec<_> = found.iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(paths, ["values", "probabilities"].map(|key| format!("flows[0].access.source_delay.{key}")));
}
