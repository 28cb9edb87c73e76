//! The decisions of a search, one JSON object each. A list of them rebuilds the table without a simulation.

use ackclock_tcp::cc::remycc::Action;
use serde_json::{Value as Json, json};

use crate::tree::MEMORY;

/// A decision.
#[derive(Clone, PartialEq, Debug)]
pub enum Decision {
    /// A rule has another action, with which the mean objective of the specimens is `score`.
    Improve {
        /// Number of the rule.
        rule: usize,
        /// The new action.
        action: Action,
        /// Mean objective of a flow with the new action.
        score: f64,
    },
    /// No candidate is better than the action of a rule, but a slower one is as good within the least gain. The rule has
    /// this action and is done in this epoch.
    Slow {
        /// Number of the rule.
        rule: usize,
        /// The new action, which differs in tau.
        action: Action,
        /// Mean objective of a flow with the new action.
        score: f64,
    },
    /// No candidate is better than the action of a rule.
    Keep {
        /// Number of the rule.
        rule: usize,
    },
    /// Every rule was improved as far as it goes, and all are open again.
    Epoch {
        /// Mean objective of a flow at the end of the epoch.
        score: f64,
    },
    /// The mean objective on the other specimens, before a split and at the end.
    Validate {
        /// Mean objective of a flow.
        score: f64,
    },
    /// A rule was split at these values of its memory, and other specimens are used from now on.
    Split {
        /// Number of the rule.
        rule: usize,
        /// Value of each axis, or none for an axis that is not split.
        at: [Option<f64>; MEMORY],
    },
    /// The search has ended.
    Finish {
        /// Reason.
        why: String,
    },
}

impl Decision {
    /// The decision as JSON.
    pub fn to_json(&self) -> Json {
        let replaced = |name: &str, rule: &usize, action: &Action, score: &f64| {
            json!({
                "do": name,
                "rule": rule,
                "increment": action.increment,
                "multiple": action.multiple,
                "intersend": action.intersend,
                "score": score,
            })
        };
        match self {
            Decision::Improve { rule, action, score } => replaced("improve", rule, action, score),
            Decision::Slow { rule, action, score } => replaced("slow", rule, action, score),
            Decision::Keep { rule } => json!({ "do": "keep", "rule": rule }),
            Decision::Epoch { score } => json!({ "do": "epoch", "score": score }),
            Decision::Validate { score } => json!({ "do": "validate", "score": score }),
            Decision::Split { rule, at } => json!({ "do": "split", "rule": rule, "at": at }),
            Decision::Finish { why } => json!({ "do": "finish", "why": why }),
        }
    }

    /// Reads a decision. `None` if the value is not a decision.
    pub fn from_json(json: &Json) -> Option<Decision> {
        let number = |key: &str| json.get(key).and_then(Json::as_f64).filter(|number| number.is_finite());
        let rule = || json.get("rule").and_then(Json::as_u64).and_then(|rule| usize::try_from(rule).ok());
        let score = || number("score");
        let action = || {
            Some(Action {
                increment: json.get("increment")?.as_i64()?.try_into().ok()?,
                multiple: number("multiple").filter(|multiple| *multiple >= 0.0)?,
                intersend: number("intersend").filter(|intersend| *intersend >= 0.0)?,
            })
        };
        Some(match json.get("do")?.as_str()? {
            "improve" => Decision::Improve { rule: rule()?, action: action()?, score: score()? },
            "slow" => Decision::Slow { rule: rule()?, action: action()?, score: score()? },
            "keep" => Decision::Keep { rule: rule()? },
            "epoch" => Decision::Epoch { score: score()? },
            "validate" => Decision::Validate { score: score()? },
            "split" => {
                let values = json.get("at")?.as_array()?;
                let mut at = [None; MEMORY];
                if values.len() != MEMORY {
                    return None;
                }
                for (to, value) in at.iter_mut().zip(values) {
                    *to = if value.is_null() { None } else { Some(value.as_f64()?) };
                }
                Decision::Split { rule: rule()?, at }
            }
            "finish" => Decision::Finish { why: json.get("why")?.as_str()?.to_owned() },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_are_read_as_they_were_written() {
        let action = Action { increment: -3, multiple: 0.1 + 0.2, intersend: 1.0 / 3.0 };
        let all = [
            Decision::Improve { rule: 3, action, score: -0.1 },
            Decision::Slow { rule: 2, action, score: 0.25 },
            Decision::Keep { rule: 0 },
            Decision::Epoch { score: 1.5 },
            Decision::Validate { score: 1e-300 },
            Decision::Split { rule: 1, at: [Some(0.1), None, Some(1.0)] },
            Decision::Finish { why: "all".to_owned() },
        ];
        for decision in all {
            let text = decision.to_json().to_string();
            let json = serde_json::from_str(&text).expect("JSON");
            assert_eq!(Decision::from_json(&json), Some(decision), "{text}");
        }
        for wrong in [json!({}), json!({ "do": "keep" }), json!({ "do": "split", "rule": 0, "at": [1.0] }), json!([])] {
            assert_eq!(Decision::from_json(&wrong), None, "{wrong}");
        }
    }
}
