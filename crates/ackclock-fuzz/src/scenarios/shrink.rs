//! Shrinks a scenario that fails: parts that are not needed for the failure are removed, and numbers become round.

use serde_json::{Value as Json, json};

use super::repair::{Step, at, at_mut, remove};

/// Returns the smallest document found for which `fails` still holds, by greedy removal. The search ends when `enough`
/// returns true.
pub fn shrink(document: &Json, mut fails: impl FnMut(&Json) -> bool, enough: impl Fn() -> bool) -> Json {
    let mut best = document.clone();
    loop {
        let before = best.clone();
        without_parts(&mut best, &mut fails, &enough);
        with_round_leaves(&mut best, &mut fails, &enough);
        if best == before || enough() {
            return best;
        }
    }
}

/// Returns the paths to every part, outer parts first.
fn parts(value: &Json, at: &mut Vec<Step>, all: &mut Vec<Vec<Step>>) {
    let mut enter = |step: Step, inner: &Json| {
        at.push(step);
        all.push(at.clone());
        parts(inner, at, all);
        at.pop();
    };
    match value {
        Json::Object(table) => table.iter().for_each(|(key, inner)| enter(Step::Key(key.clone()), inner)),
        Json::Array(items) => items.iter().enumerate().for_each(|(place, inner)| enter(Step::Item(place), inner)),
        _ => {}
    }
}

fn all_parts(document: &Json) -> Vec<Vec<Step>> {
    let mut all = Vec::new();
    parts(document, &mut Vec::new(), &mut all);
    all
}

fn without_parts(best: &mut Json, fails: &mut impl FnMut(&Json) -> bool, enough: &impl Fn() -> bool) {
    let mut next = 0;
    while let Some(part) = all_parts(best).get(next).filter(|_| !enough()) {
        let mut smaller = best.clone();
        remove(&mut smaller, part);
        if fails(&smaller) {
            *best = smaller;
        } else {
            next += 1;
        }
    }
}

fn with_round_leaves(best: &mut Json, fails: &mut impl FnMut(&Json) -> bool, enough: &impl Fn() -> bool) {
    for part in all_parts(best) {
        let Some(leaf) = at(best, &part).cloned() else { continue };
        for simple in simpler(&leaf) {
            if enough() {
                return;
            }
            let mut rounder = best.clone();
            if let Some(place) = at_mut(&mut rounder, &part) {
                *place = simple;
            }
            if fails(&rounder) {
                *best = rounder;
                break;
            }
        }
    }
}

/// Returns simpler values than a leaf, the simplest first.
fn simpler(leaf: &Json) -> Vec<Json> {
    match leaf {
        Json::Bool(true) => vec![json!(false)],
        Json::Number(number) if number.is_u64() => {
            let number = number.as_u64().unwrap_or(0);
            [0, 1, 2, 10, number / 2]
                .into_iter()
                .filter(|simple| *simple < number)
                .map(|simple| json!(simple))
                .collect()
        }
        Json::Number(number) => {
            let number = number.as_f64().unwrap_or(0.0);
            let rounded = [0.0, 1.0, number.round(), (number * 100.0).round() / 100.0];
            rounded.into_iter().filter(|simple| *simple != number).map(|simple| json!(simple)).collect()
        }
        Json::String(text) => {
            let text = text.trim();
            let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
            let rest = text[digits..].trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
            let Ok(number) = text[..digits].parse::<u64>() else { return Vec::new() };
            let power = 10_u64.pow(number.checked_ilog10().unwrap_or(0));
            let round = [1, 10, 100, number / power * power].into_iter().filter(|simple| *simple < number);
            let texts = round.map(|simple| format!("{simple}{}", rest.trim()));
            texts.filter(|simple| simple != text).map(|simple| json!(simple)).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_failure_needs_is_left() {
        let document = json!({
            "duration": "1234ms",
            "flows": [{ "name": "a", "count": 7 }, { "name": "b", "app": { "kind": "bulk", "size": "77kB" } }],
            "probes": { "window": true },
        });
        // The failure needs a flow with an application, and a duration of at least 10 ms.
        let fails = |document: &Json| {
            let flows =
                document["flows"].as_array().is_some_and(|flows| flows.iter().any(|flow| flow.get("app").is_some()));
            let duration =
                document["duration"].as_str().and_then(|text| text.trim_end_matches("ms").parse::<u64>().ok());
            flows && duration.is_some_and(|duration| duration >= 10)
        };
        let small = shrink(&document, fails, || false);
        assert_eq!(small, json!({ "duration": "10ms", "flows": [{ "app": {} }] }));
    }
}
