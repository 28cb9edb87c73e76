//! Properties that hold for any input.

use proptest::prelude::*;

use super::*;

fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        any::<f64>().prop_map(Json::from),
        "\\PC{0,12}".prop_map(Json::from),
        "-?[0-9]{1,25}(\\.[0-9]{1,25})? ?(s|ms|h|bps|Gbps|B|GiB|bdp|packets|x)".prop_map(Json::from),
        prop::sample::select(vec!["dash", "bulk", "fq", "newcwv", "drop-tail", "unlimited", "linux"])
            .prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 64, 8, |inner| {
        let keys = vec![
            "name",
            "duration",
            "seed",
            "packet_size",
            "bottleneck",
            "rate",
            "delay",
            "queue",
            "limit",
            "kind",
            "access",
            "flows",
            "app",
            "ladder",
            "segment",
            "size",
            "start",
            "start_jitter",
            "group_jitter",
            "loss",
            "preset",
            "reverse_rate",
            "steps",
            "at",
            "repeat_every",
            "file",
            "jitter",
            "outages",
            "from",
            "to",
            "count",
            "mss",
            "probes",
            "from",
            "to",
            "stack",
            "pacing",
            "x",
        ];
        let entry = (prop::sample::select(keys), inner.clone());
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Json::from),
            prop::collection::vec(entry, 0..10)
                .prop_map(|entries| entries.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()),
        ]
    })
}

/// Asserts that every problem is reported in whole lines.
fn refused_in_lines(read: Result<Scenario, ScenarioError>) {
    if let Err(error) = read {
        assert!(!error.problems.is_empty());
        assert_eq!(error.to_string().lines().count(), error.problems.len(), "{error:?}");
    }
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC*", lines in "([a-z\\[\\]\\.=\"'{}0-9#, \\n]|\\PC){0,200}") {
        for text in [text, lines] {
            refused_in_lines(Scenario::from_toml(&text, &[]));
            refused_in_lines(Scenario::from_json(&text, &[]));
            refused_in_lines(Scenario::from_toml(BASE, &[(text.clone(), "1".to_owned())]));
            refused_in_lines(Scenario::from_toml(BASE, &[("name".to_owned(), text.clone())]));
        }
    }

    #[test]
    fn no_json_panics(json in any_json(), index in 0..CHANGES.len()) {
        refused_in_lines(Scenario::from_json(&json.to_string(), &[]));
        refused_in_lines(Scenario::from_toml(BASE, &[(CHANGES[index].0.to_owned(), json.to_string())]));
        let mut whole = with(&[]).to_json();
        for key in ["bottleneck", "access", "flows", "probes"] {
            whole[key] = json.clone();
            refused_in_lines(Scenario::from_json(&whole.to_string(), &[]));
        }
    }

    #[test]
    fn the_canonical_form_reads_back(chosen in prop::collection::btree_set(0..CHANGES.len(), 0..12)) {
        let pairs: Vec<_> = chosen.into_iter().flat_map(change).collect();
        // Some changes exclude each other.
        if let Ok(scenario) = Scenario::from_toml(BASE, &pairs) {
            let canonical = scenario.to_json();
            let again = Scenario::from_json(&canonical.to_string(), &[]).unwrap_or_else(|error| panic!("{error}"));
            prop_assert_eq!(&again, &scenario);
            prop_assert_eq!(again.to_json(), canonical);
            prop_assert_eq!(again.hash(), scenario.hash());
        }
    }
}
