//! Repairs a scenario that is refused until it is accepted. Each message of the refusal names a path and what is
//! accepted there.

use ackclock_scenario::{Problem, ScenarioError};
use serde_json::{Value as Json, json};

use super::draw::Draw;
use super::schema::{Node, Schema};

/// A step of a path: a key, or a place in a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// A key of a table.
    Key(String),
    /// A place in a list.
    Item(usize),
}

/// Returns the steps of a path such as `flows[0].app.ladder[2]`.
pub fn steps(path: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    for part in path.split('.').filter(|part| !part.is_empty()) {
        let mut pieces = part.split('[');
        steps.extend(pieces.next().filter(|key| !key.is_empty()).map(|key| Step::Key(key.to_owned())));
        steps.extend(pieces.filter_map(|piece| piece.trim_end_matches(']').parse().ok()).map(Step::Item));
    }
    steps
}

/// Returns the value after some steps.
pub fn at<'j>(document: &'j Json, steps: &[Step]) -> Option<&'j Json> {
    steps.iter().try_fold(document, |value, step| match step {
        Step::Key(key) => value.get(key),
        Step::Item(place) => value.get(place),
    })
}

/// Returns the value after some steps, mutably.
pub fn at_mut<'j>(document: &'j mut Json, steps: &[Step]) -> Option<&'j mut Json> {
    steps.iter().try_fold(document, |value, step| match step {
        Step::Key(key) => value.get_mut(key),
        Step::Item(place) => value.get_mut(place),
    })
}

/// Removes the value after some steps.
pub fn remove(document: &mut Json, steps: &[Step]) {
    let Some((last, before)) = steps.split_last() else { return };
    match (at_mut(document, before), last) {
        (Some(Json::Object(table)), Step::Key(key)) => drop(table.shift_remove(key)),
        (Some(Json::Array(items)), Step::Item(place)) if *place < items.len() => drop(items.remove(*place)),
        _ => {}
    }
}

/// Returns the node after some steps.
fn node(schema: &Schema, document: &Json, steps: &[Step]) -> Option<Node> {
    let (mut node, mut value) = (schema.root(), document);
    for step in steps {
        let key = if let Step::Key(key) = step { Some(key.as_str()) } else { None };
        node = schema.inner(node, value, key)?;
        value = match step {
            Step::Key(key) => value.get(key).unwrap_or(&Json::Null),
            Step::Item(place) => value.get(place).unwrap_or(&Json::Null),
        };
    }
    Some(node)
}

/// Changes a scenario at the places of its errors, as the messages say or at random; `round` counts the attempts from
/// 0.
pub fn repair(document: &mut Json, error: &ScenarioError, round: usize, schema: &Schema, draw: &mut Draw<'_>) {
    for problem in error.problems.iter().take(8) {
        one(document, problem, round, schema, draw);
    }
}

fn one(document: &mut Json, problem: &Problem, round: usize, schema: &Schema, draw: &mut Draw<'_>) {
    let mut path = steps(&problem.path);
    let missing = at(document, &path).is_none();
    if !missing && round > 5 && draw.dice.chance(0.6) {
        // A value that cannot be repaired is removed; in later rounds the values that contain it are removed, too.
        path.truncate(path.len() - draw.dice.below(path.len().min(round - 4)));
        return remove(document, &path);
    }
    let accepted = problem.message.split("accepted:").nth(1).unwrap_or_default();
    let offers = offers(accepted);
    let value = if !offers.is_empty() && draw.dice.chance(0.7) {
        let offer = draw.dice.of(&offers).clone();
        let factor = *draw.dice.of(&[1.0, 1.0, 0.5, 2.0]);
        scaled(&offer, factor).unwrap_or(offer)
    } else {
        let Some(node) = node(schema, document, &path) else { return };
        let keys = path.iter().filter_map(|step| if let Step::Key(key) = step { Some(key.clone()) } else { None });
        draw.value_at(node, keys.collect())
    };
    if let Some(place) = at_mut(document, &path) {
        *place = value;
        return;
    }
    if let Some((Step::Key(key), before)) = path.split_last().map(|(last, before)| (last.clone(), before))
        && let Some(Json::Object(table)) = at_mut(document, before)
    {
        table.insert(key, value);
    }
}

/// Returns the values that a message offers: texts in quotation marks, and words that begin with a digit.
fn offers(accepted: &str) -> Vec<Json> {
    let quoted = accepted.split('"').skip(1).step_by(2).map(|text| json!(text));
    let plain = accepted
        .split_whitespace()
        .map(|word| word.trim_end_matches([',', ';', '.']))
        .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()))
        .map(|word| match word.parse::<u64>() {
            Ok(whole) => json!(whole),
            Err(_) => word.parse::<f64>().map_or(json!(word), |number| json!(number)),
        });
    quoted.chain(plain).collect()
}

/// Returns a value times a factor; a whole number stays whole: `"2s"` times a half is `"1s"`.
fn scaled(value: &Json, factor: f64) -> Option<Json> {
    let text = match value {
        Json::String(text) => text,
        Json::Number(number) => {
            let scaled = number.as_f64()? * factor;
            return Some(if number.is_u64() { json!(scaled as u64) } else { json!(scaled) });
        }
        _ => return None,
    };
    let digits = text.find(|c: char| !c.is_ascii_digit()).filter(|digits| *digits > 0)?;
    let number = (text[..digits].parse::<f64>().ok()? * factor) as u64;
    Some(json!(format!("{number}{}", &text[digits..])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_messages() {
        let (key, item) = (|key: &str| Step::Key(key.to_owned()), Step::Item);
        assert_eq!(steps("flows[0].app.ladder[2]"), [key("flows"), item(0), key("app"), key("ladder"), item(2)]);
        assert_eq!(steps(""), []);
    }

    #[test]
    fn messages_make_offers() {
        assert_eq!(offers(" at least the packet_size, \"1500B\""), [json!("1500B")]);
        assert_eq!(offers(" less than duration, 5s"), [json!("5s")]);
        assert_eq!(offers(" a whole number from 1 to 300"), [json!(1), json!(300)]);
        assert_eq!(scaled(&json!("5s"), 0.5), Some(json!("2s")));
    }
}
