//! Whole searches on a design that takes milliseconds a network.

use std::sync::atomic::AtomicBool;

use ackclock_core::Stream;
use ackclock_learn::{Decision, Design, Method, Objective, Search, Settings, Threads};
use ackclock_tcp::cc::remycc::Table;

const DESIGN: &str = r#"
    duration = "2s"
    [bottleneck]
    rate = "1Mbps..2Mbps"
    delay = "20ms..40ms"
    queue = "unlimited"
    [[flows]]
    count = "1..3"
    stack = "rfc"
    delayed_ack = "0s"
    receive_buffer = "100kB"
    app = { kind = "onoff", on = { kind = "exponential", mean = "1s" }, off = { kind = "exponential", mean = "300ms" } }
"#;

static GOES_ON: AtomicBool = AtomicBool::new(false);

fn threads(count: usize) -> Threads<'static> {
    Threads { count, stop: &GOES_ON }
}

fn none(_: &str) -> Result<Vec<u8>, String> {
    Err("there are no files".to_owned())
}

fn settings() -> Settings {
    let objective = Objective::Log { delta: 1.0 };
    Settings { objective, specimens: 6, validation: 4, rules: 12, patience: 2, ..Settings::of(Method::Economical) }
}

fn search(settings: Settings) -> Search {
    Search::new(Design::read(DESIGN, &none).expect("a design"), settings, &none).expect("specimens")
}

/// Makes decisions until the end, or until there are `most`.
fn goes_on(search: &mut Search, count: usize, most: usize) -> Vec<Decision> {
    let mut decisions = Vec::new();
    while decisions.len() < most {
        let Some(decision) = search.step(&threads(count), &none).expect("not stopped") else { break };
        decisions.push(decision);
    }
    decisions
}

#[test]
fn a_search_gives_the_same_table_on_any_number_of_threads_and_from_its_decisions() {
    let mut one = search(settings());
    let first = one.validate(&threads(2)).expect("not stopped");
    let decisions = goes_on(&mut one, 1, usize::MAX);
    let table = one.best().encode();
    assert!(matches!(decisions.last(), Some(Decision::Finish { .. })));
    assert!(decisions.iter().any(|decision| matches!(decision, Decision::Split { .. })), "{decisions:?}");
    assert!(one.table().actions().len() > 1);
    let best = one.status().best.expect("validated");
    assert!(best > first + 0.1, "{first} to {best}");
    assert_eq!(Table::decode(&table).expect("a table").encode(), table);

    let mut two = search(settings());
    assert_eq!(goes_on(&mut two, 3, usize::MAX), decisions);
    assert_eq!(two.best().encode(), table);

    let mut replayed = search(settings());
    for decision in &decisions {
        let json = serde_json::from_str(&decision.to_json().to_string()).expect("JSON");
        let decision = Decision::from_json(&json).expect("a decision");
        if let Decision::Validate { score } = decision {
            assert_eq!(replayed.validate(&threads(2)), Ok(score));
        }
        replayed.apply(&decision, &none).expect("it can follow");
    }
    assert_eq!(replayed.best().encode(), table);
    assert_eq!(replayed.status().runs, replayed.status().runs.min(8 * 4), "a replay simulates for validations alone");

    // Stopped after any number of decisions, with only the decisions kept, the search ends with the same table.
    let mut random = Stream::new(7, "kill points");
    for _ in 0..10 {
        let kept = random.below(decisions.len() as u64) as usize;
        let mut resumed = search(settings());
        for decision in &decisions[..kept] {
            resumed.apply(decision, &none).expect("it can follow");
        }
        // The rest is simulated for the first three decisions after the stop, as all others are as above.
        let rest = goes_on(&mut resumed, 2, 3);
        assert_eq!(rest, decisions[kept..(kept + 3).min(decisions.len())], "resumed after {kept}");
        for decision in &decisions[kept + rest.len()..] {
            resumed.apply(decision, &none).expect("it can follow");
        }
        assert_eq!(resumed.best().encode(), table);
    }
}

#[test]
fn a_stopped_step_decides_nothing() {
    let mut stopped = search(settings());
    let mut other = search(settings());
    assert!(stopped.step(&Threads { count: 2, stop: &AtomicBool::new(true) }, &none).is_err());
    assert_eq!(stopped.status().decisions, 0);
    assert_eq!(goes_on(&mut stopped, 2, 2), goes_on(&mut other, 2, 2));
}

#[test]
fn each_better_action_has_a_better_score_in_both_methods() {
    for method in [Method::Economical, Method::Published] {
        let mut search = search(Settings { method, ..settings() });
        let decisions = goes_on(&mut search, 2, 4);
        let scores: Vec<f64> = decisions
            .iter()
            .filter_map(|decision| if let Decision::Improve { score, .. } = decision { Some(*score) } else { None })
            .collect();
        assert!(!scores.is_empty() && scores.is_sorted_by(|a, b| a < b), "{method:?}: {scores:?}");
    }
}

#[test]
fn settings_and_seeds_change_the_search() {
    let first = |settings| goes_on(&mut search(settings), 2, 1);
    let base = first(settings());
    assert_ne!(base, first(Settings { seed: 2, ..settings() }));
    assert_ne!(base, first(Settings { objective: Objective::Inverse, ..settings() }));
}

#[test]
fn decisions_that_cannot_follow_are_refused() {
    let mut search = search(settings());
    let why = |search: &mut Search, decision: &Decision| search.apply(decision, &none).expect_err("refused");
    assert!(why(&mut search, &Decision::Keep { rule: 1 }).contains("the table has 1 rules"));
    let at = [Some(-1.0), None, None];
    assert!(why(&mut search, &Decision::Split { rule: 0, at }).contains("cannot be split"));
    let action = ackclock_tcp::cc::remycc::Action { increment: 1, multiple: 0.123, intersend: 0.5 };
    assert!(why(&mut search, &Decision::Improve { rule: 0, action, score: 0.0 }).contains("cannot follow"));
    search.apply(&Decision::Finish { why: String::new() }, &none).expect("it can end");
    assert!(why(&mut search, &Decision::Epoch { score: 0.0 }).contains("after the end"));
}
