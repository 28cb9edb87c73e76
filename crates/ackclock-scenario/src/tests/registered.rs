//! Congestion controls that are not in the catalogue.

use std::sync::Arc;

use ackclock_tcp::cc::{self, Algorithm};

use super::*;

/// An algorithm "mine" that behaves like Reno.
fn mine(source: &str) -> Arc<Registered> {
    Arc::new(Registered {
        name: "mine",
        source: source.to_owned(),
        parameters: vec![Range { name: "beta", least: 0.1, most: 0.9 }],
        make: Box::new(|_, _| Algorithm::from(cc::by_name("reno").unwrap())),
    })
}

fn read(cc: &str, source: &str) -> Result<Scenario, ScenarioError> {
    Scenario::from_toml_with(
        BASE,
        &set(&[("flows[2].cc", cc)]),
        Outside { registered: &[mine(source)], ..Outside::NOTHING },
    )
}

fn refusal(cc: &str) -> String {
    read(cc, "1234").expect_err("it is wrong").to_string()
}

#[test]
fn a_registered_algorithm_is_named_like_any_other_and_knows_its_source() {
    let plain = read("mine", "1234").unwrap();
    assert_eq!(plain.flows[2].cc.as_ref().unwrap().name, "mine");
    assert_eq!(plain.registered(), [&mine("1234")]);
    assert_eq!(plain.to_json()["flows"][2]["cc"], json!({ "kind": "mine", "source": "1234" }));
    let set = read("{ kind = 'mine', beta = 0.8 }", "1234").unwrap();
    assert_eq!(set.to_json()["flows"][2]["cc"], json!({ "kind": "mine", "source": "1234", "beta": 0.8 }));
    let again = Scenario::from_json_with(
        &set.to_json().to_string(),
        &[],
        Outside { registered: &[mine("1234")], ..Outside::NOTHING },
    )
    .unwrap();
    assert_eq!(again, set);

    let hashes = [plain.hash(), set.hash(), read("mine", "5678").unwrap().hash(), read("reno", "1234").unwrap().hash()];
    for (index, hash) in hashes.iter().enumerate() {
        assert!(!hashes[..index].contains(hash), "{hashes:?}");
    }
    assert!(with(&[]).registered().is_empty());
}

#[test]
fn what_is_wrong_with_one_is_said_like_of_any_other() {
    assert!(Scenario::from_toml(BASE, &set(&[("flows[2].cc", "mine")])).is_err());
    let text = refusal("minne");
    assert!(text.contains("yeah-paper, mine; did you mean \"mine\"?"), "{text}");
    assert!(refusal("{ beta = 0.5 }").contains("yeah-paper, mine"));
    let text = refusal("{ kind = 'mine', beta = 0.95 }");
    assert_eq!(text, "flows[2].cc.beta: 0.95 is not accepted; accepted: a number from 0.1 to 0.9");
    let text = refusal("{ kind = 'mine', gamma = 1 }");
    assert!(text.contains("unknown key of mine; accepted: kind, source, beta"), "{text}");
    let text = refusal("{ kind = 'mine', source = '5678' }");
    assert_eq!(text, "flows[2].cc.source: \"5678\" is not the source that is loaded; accepted: \"1234\"");
    let text = refusal("{ kind = 'vegas', source = '1234' }");
    assert!(text.contains("unknown key of vegas-paper; accepted: kind, alpha"), "{text}");
}

/// A rate adaptation "own" that behaves like the throughput rule.
fn own(source: &str) -> Arc<abr::Registered> {
    Arc::new(abr::Registered {
        name: "own",
        source: source.to_owned(),
        parameters: vec![Range { name: "share", least: 0.1, most: 1.0 }],
        make: Box::new(|setup, _, flow| abr::Rule::default().make(setup, flow)),
    })
}

fn read_rule(rule: &str, source: &str) -> Result<Scenario, ScenarioError> {
    let overrides = set(&[("flows[0].app.abr", rule)]);
    Scenario::from_toml_with(BASE, &overrides, Outside { rules: &[own(source)], ..Outside::NOTHING })
}

#[test]
fn a_registered_rate_adaptation_is_named_like_any_other_and_knows_its_source() {
    let plain = read_rule("own", "1234").unwrap();
    assert_eq!(plain.rules(), [&own("1234")]);
    assert_eq!(plain.to_json()["flows"][0]["app"]["abr"], json!({ "kind": "own", "source": "1234" }));
    let set = read_rule("{ kind = 'own', share = 0.5 }", "1234").unwrap();
    let canonical = json!({ "kind": "own", "source": "1234", "share": 0.5 });
    assert_eq!(set.to_json()["flows"][0]["app"]["abr"], canonical);
    let outside = Outside { rules: &[own("1234")], ..Outside::NOTHING };
    assert_eq!(Scenario::from_json_with(&set.to_json().to_string(), &[], outside).unwrap(), set);

    let hashes =
        [plain.hash(), set.hash(), read_rule("own", "5678").unwrap().hash(), read_rule("bba", "1234").unwrap().hash()];
    for (index, hash) in hashes.iter().enumerate() {
        assert!(!hashes[..index].contains(hash), "{hashes:?}");
    }
    assert!(with(&[]).rules().is_empty());
}

#[test]
fn what_is_wrong_with_a_rate_adaptation_is_said_with_its_place() {
    let refusal = |rule: &str| read_rule(rule, "1234").expect_err("it is wrong").to_string();
    let text = refusal("owm");
    assert!(text.contains("is not a known rate adaptation") && text.contains("lol-plus, own; did you mean"), "{text}");
    assert!(refusal("{ share = 0.5 }").starts_with("flows[0].app.abr.kind: missing; accepted: throughput, bba"));
    let text = refusal("{ kind = 'own', share = 2 }");
    assert_eq!(text, "flows[0].app.abr.share: 2 is not accepted; accepted: a number from 0.1 to 1");
    let text = refusal("{ kind = 'own', source = '5678' }");
    assert_eq!(text, "flows[0].app.abr.source: \"5678\" is not the source that is loaded; accepted: \"1234\"");
    let text = refusal("{ kind = 'mpc', horizn = 3 }");
    assert!(
        text.contains("unknown key of mpc; accepted: kind, horizon") && text.contains("mean \"horizon\"?"),
        "{text}"
    );
    let text = refusal("{ kind = 'mpc', react = 3 }");
    assert!(text.ends_with("; l2a has \"react\""), "{text}");
    assert!(refusal("3").contains("3 is not a name"));
}
