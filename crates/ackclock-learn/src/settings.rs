//! The settings of a search. Together with the design they determine its table.

use serde_json::{Map, Value as Json, json};

use crate::Objective;

/// Method by which candidates are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// The published method: every candidate on every specimen.
    Published,
    /// Fewer candidates, which are compared on few specimens first; hopeless ones go no further.
    Economical,
}

impl Method {
    /// Name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Method::Published => "published",
            Method::Economical => "economical",
        }
    }
}

/// The settings of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The objective.
    pub objective: Objective,
    /// Method by which candidates are compared.
    pub method: Method,
    /// Seed of the specimens.
    pub seed: u64,
    /// Number of specimens on which candidates are compared.
    pub specimens: u32,
    /// Number of other specimens on which tables are compared.
    pub validation: u32,
    /// Number of rules from which no rule is split any more.
    pub rules: u32,
    /// Epochs between two splits.
    pub split_every: u32,
    /// Splits without a better score on the other specimens after which the search ends.
    pub patience: u32,
    /// Least gain in the score for which an action is replaced.
    pub least_gain: f64,
    /// Least share of all uses with which a rule is improved.
    pub least_use: f64,
}

impl Settings {
    /// The settings of a method that are not given otherwise.
    pub fn of(method: Method) -> Settings {
        let objective = Objective::Log { delta: 1.0 };
        let common = Settings {
            objective,
            method,
            seed: 1,
            specimens: 16,
            validation: 32,
            rules: 200,
            split_every: 4,
            patience: 8,
            least_gain: 0.0,
            least_use: 0.0,
        };
        match method {
            Method::Published => common,
            Method::Economical => Settings { split_every: 1, least_gain: 2e-4, least_use: 1e-3, ..common },
        }
    }

    /// The settings as JSON, for logs.
    pub fn to_json(&self) -> Json {
        let delta = if let Objective::Log { delta } = self.objective { Json::from(delta) } else { Json::Null };
        json!({
            "objective": self.objective.name(),
            "delta": delta,
            "method": self.method.name(),
            "seed": self.seed,
            "specimens": self.specimens,
            "validation": self.validation,
            "rules": self.rules,
            "split_every": self.split_every,
            "patience": self.patience,
            "least_gain": self.least_gain,
            "least_use": self.least_use,
        })
    }

    /// Reads settings; keys that are missing have the values of the method.
    ///
    /// # Errors
    /// A message on the first key or value that is not accepted.
    pub fn from_json(json: &Json) -> Result<Settings, String> {
        let Json::Object(given) = json else { return Err("the settings are not an object".to_owned()) };
        let method = match given.get("method").and_then(Json::as_str).unwrap_or("economical") {
            "published" => Method::Published,
            "economical" => Method::Economical,
            other => return Err(format!("method: {other:?} is not a method; accepted: economical, published")),
        };
        let mut settings = Settings::of(method);
        settings.objective = objective(given)?;
        for (key, value) in given {
            let whole = |least: u32, most: u32| {
                let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
                number.filter(|number| (least..=most).contains(number)).ok_or_else(|| {
                    format!("{key}: {value} is not accepted; accepted: a whole number from {least} to {most}")
                })
            };
            let share = || {
                value
                    .as_f64()
                    .filter(|number| (0.0..1.0).contains(number))
                    .ok_or_else(|| format!("{key}: {value} is not accepted; accepted: a number from 0 and below 1"))
            };
            match key.as_str() {
                "objective" | "delta" | "method" => {}
                "seed" => {
                    settings.seed = value
                        .as_u64()
                        .ok_or_else(|| format!("{key}: {value} is not accepted; accepted: a whole number from 0"))?;
                }
                "specimens" => settings.specimens = whole(1, 10_000)?,
                "validation" => settings.validation = whole(1, 10_000)?,
                "rules" => settings.rules = whole(1, 10_000)?,
                "split_every" => settings.split_every = whole(1, 1000)?,
                "patience" => settings.patience = whole(1, 10_000)?,
                "least_gain" => settings.least_gain = share()?,
                "least_use" => settings.least_use = share()?,
                _ => return Err(format!("{key}: there is no such setting")),
            }
        }
        Ok(settings)
    }
}

fn objective(given: &Map<String, Json>) -> Result<Objective, String> {
    match given.get("objective").and_then(Json::as_str).unwrap_or("log") {
        "inverse" => Ok(Objective::Inverse),
        "log" => match given.get("delta") {
            None | Some(Json::Null) => Ok(Objective::Log { delta: 1.0 }),
            Some(delta) => delta.to_string().parse(),
        },
        other => Err(format!("objective: {other:?} is not an objective; accepted: log, inverse")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_as_they_were_written() {
        for method in [Method::Published, Method::Economical] {
            for objective in [Objective::Log { delta: 0.1 }, Objective::Inverse] {
                let settings = Settings { objective, seed: 7, rules: 90, ..Settings::of(method) };
                assert_eq!(Settings::from_json(&settings.to_json()), Ok(settings));
            }
        }
    }

    #[test]
    fn wrong_settings_are_explained() {
        let why = |json: Json| Settings::from_json(&json).expect_err("wrong");
        assert!(why(json!({ "specimens": 0 })).contains("from 1 to 10000"));
        assert!(why(json!({ "delta": -1 })).contains("delta as a number"));
        assert!(why(json!({ "method": "gradient" })).contains("economical, published"));
        assert!(why(json!({ "least_use": 1.5 })).contains("below 1"));
        assert!(why(json!({ "rulez": 5 })).contains("no such setting"));
    }
}
