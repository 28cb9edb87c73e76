//! Scenarios: one page of TOML, or the same as JSON, that says what to simulate.
//!
//! Every field is defined once, with its type, default, bounds and sentence: in `model.rs` or `random.rs`, and those of an
//! application where that is. The Rust types, the reader, the canonical form, the JSON Schema and the reference all come from
//! there. Adding a field is adding one line.
//!
//! Reading never stops at the first mistake: [`ScenarioError`] has all of them, each with its path, its line, the value as
//! written and what is accepted. Quantities are text with a unit and become integers exactly: times in nanoseconds, rates
//! in bits per second, volumes in bytes.

mod algorithm;
mod bottleneck;
mod check;
mod estimate;
mod format;
mod graph;
mod impairments;
mod link;
mod model;
mod overrides;
mod preset;
mod queue;
mod registered;
mod remycc;
mod resolve;
mod spellings;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use ackclock_schema::file::{self, FILE};
use ackclock_schema::kinds::Kind as _;
use ackclock_schema::record::{FieldInfo, Record as _, table};
use ackclock_schema::tree::{Node, Path, Value};
use ackclock_schema::union::Union;
use ackclock_schema::{self as schema, Problems};
use serde_json::{Map, Value as Json, json};
use sha2::{Digest, Sha256};

pub use ackclock_app::App;
pub use ackclock_schema::file::FromFile;
pub use ackclock_schema::random::{Delay, Drawn, Number, Random, Time, Volume};
pub use ackclock_schema::{Files, Problem, ReadError as ScenarioError};
pub use algorithm::CongestionControl;
pub use bottleneck::{Bottleneck, Link};
pub use estimate::Estimate;
pub use format::FORMAT;
pub use graph::{BOTTLENECK, ENDS, Hop};
pub use impairments::{
    Chance, EmpiricalJitter, ExponentialJitter, GilbertElliott, InOutage, Jitter, Loss, NormalJitter, Numbers, Outage,
    Period, UniformJitter,
};
pub use link::{
    Cellular, DelayStep, DelaySteps, Direction, LinkDelay, Plain, Rate, RateStep, RateSteps, TraceFile, TraceFormat,
    VaryingRate,
};
pub use model::{Access, Arrival, Flow, FlowAccess, Fq, Pacing, Poisson, Probes, Scenario, Staggered};
pub use preset::{PRESETS, Preset};
pub use queue::Queue;
pub use registered::{Make, Range, Registered};
pub use remycc::{RemyFormat, RemyTable};
pub use spellings::{AccessRate, Amount, QueueLimit};

/// What is known besides the text of a scenario.
#[derive(Clone, Copy)]
pub struct Outside<'a> {
    /// The files that it names.
    pub files: Files<'a>,
    /// The congestion controls that it may name besides those of the catalogue.
    pub registered: &'a [Arc<Registered>],
}

impl Outside<'_> {
    /// Nothing: files that a scenario names are refused.
    pub const NOTHING: Outside<'static> = Outside { files: schema::Outside::NOTHING.files, registered: &[] };
}

impl Scenario {
    /// Reads a scenario from TOML, `overrides` being paths and values to be set on top of it: `("flows[0].cc", "cubic")`.
    /// `[*]` stands for every flow and `flows.NAME` for the flow of a name; a value that is not TOML is text. Files that the
    /// scenario names are refused.
    ///
    /// # Errors
    /// Everything that is wrong with the text.
    pub fn from_toml(text: &str, overrides: &[(String, String)]) -> Result<Scenario, ScenarioError> {
        Scenario::from_toml_with(text, overrides, Outside::NOTHING)
    }

    /// As [`Scenario::from_toml`], with what the scenario may name outside its text.
    ///
    /// # Errors
    /// Everything that is wrong with the text and the files.
    pub fn from_toml_with(
        text: &str,
        overrides: &[(String, String)],
        outside: Outside<'_>,
    ) -> Result<Scenario, ScenarioError> {
        let root = Node::from_toml(text).map_err(|problems| ScenarioError { problems })?;
        read(root, overrides, outside)
    }

    /// Reads a scenario from JSON, whose keys and values are those of TOML; null is as good as absent.
    ///
    /// # Errors
    /// Everything that is wrong with the text.
    pub fn from_json(text: &str, overrides: &[(String, String)]) -> Result<Scenario, ScenarioError> {
        Scenario::from_json_with(text, overrides, Outside::NOTHING)
    }

    /// As [`Scenario::from_json`], with what the scenario may name outside its text.
    ///
    /// # Errors
    /// Everything that is wrong with the text and the files.
    pub fn from_json_with(
        text: &str,
        overrides: &[(String, String)],
        outside: Outside<'_>,
    ) -> Result<Scenario, ScenarioError> {
        let root = Node::from_json(text).map_err(|problems| ScenarioError { problems })?;
        read(root, overrides, outside)
    }

    /// The congestion controls of its flows that are not of the catalogue, each once.
    pub fn registered(&self) -> Vec<&Arc<Registered>> {
        let mut used: Vec<&Arc<Registered>> = Vec::new();
        for own in self.flows.iter().filter_map(|flow| flow.cc.as_ref()?.registered()) {
            if !used.iter().any(|known| known.name == own.name) {
                used.push(own);
            }
        }
        used
    }

    /// The canonical form: every default filled in, keys in a fixed order, every quantity in its largest whole unit. It
    /// reads back as the same scenario.
    pub fn to_json(&self) -> Json {
        Json::Object(self.write())
    }

    /// What identifies the scenario in results: 16 hexadecimal digits of the SHA-256 of the canonical form without `name`
    /// and `seed`, and without the paths of files, whose content has a digest of its own there.
    pub fn hash(&self) -> String {
        let mut canonical: Map<String, Json> = self.write();
        canonical.shift_remove("name");
        canonical.shift_remove("seed");
        // What a preset says is there.
        let forget = |link: &mut Json| link.as_object_mut().map(|link| link.shift_remove(preset::PRESET));
        canonical.get_mut("bottleneck").map(forget);
        canonical
            .get_mut("links")
            .and_then(Json::as_array_mut)
            .into_iter()
            .flatten()
            .for_each(|link| drop(forget(link)));
        let mut canonical = Json::Object(canonical);
        file::forget_paths(&mut canonical, &[remycc::TABLE, FILE]);
        let digest = Sha256::digest(canonical.to_string().as_bytes());
        digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }
}

fn read(mut root: Node, overrides: &[(String, String)], outside: Outside<'_>) -> Result<Scenario, ScenarioError> {
    overrides::apply(&mut root, overrides).map_err(|problems| ScenarioError { problems })?;
    preset::fill(&mut root, &Path::default().key("bottleneck"));
    let links = Path::default().key("links");
    let count = root.at(&links).map_or(0, |links| if let Value::List(links) = &links.value { links.len() } else { 0 });
    (0..count).for_each(|index| preset::fill(&mut root, &links.index(index)));
    let registered = outside.registered.to_vec();
    let format = format::take(&mut root);
    let mut problems = Problems::new(&root, schema::Outside { files: outside.files, known: &registered });
    if let Err((line, message)) = format {
        // A text of another format may have other fields, so that nothing else is said of it.
        return Err(ScenarioError { problems: vec![Problem { path: format::KEY.to_owned(), line, message }] });
    }
    let scenario = table::<Scenario>().read(&root, &Path::default(), &mut problems);
    check::check(&scenario, &mut problems);
    problems.into_error().map_or(Ok(scenario), Err)
}

/// The JSON Schema (2020-12) of a scenario, with which editors complete and check its TOML.
pub fn schema() -> Json {
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": format::ID,
        "title": "ackclock scenario",
    });
    if let (Json::Object(schema), Json::Object(fields)) = (&mut schema, table::<Scenario>().info().schema) {
        schema.extend(fields);
        if let Some(Json::Object(properties)) = schema.get_mut("properties") {
            properties.insert(format::KEY.to_owned(), format::schema());
        }
    }
    schema
}

/// Every field of a scenario, in order, as a list of objects for documentation: `path` (`bottleneck.rate`,
/// `flows[].app<dash>.ladder`), `type`, `doc`, `accepts`, `required`, and, where there is one, `unit` and `default` or what
/// `absent` means.
pub fn reference() -> Json {
    let row = |(path, field): (String, FieldInfo)| {
        let mut row = json!({
            "path": path.trim_start_matches('.'),
            "type": field.info.noun,
            "doc": field.doc,
            "accepts": field.info.accepts,
            "required": field.required,
        });
        if !field.info.unit.is_empty() {
            row["unit"] = Json::from(field.info.unit);
        }
        if let Some(default) = field.default {
            row["default"] = default;
        }
        if let Some(absent) = field.absent {
            row["absent"] = Json::from(absent);
        }
        row
    };
    std::iter::once(format::field()).chain(table::<Scenario>().info().nested).map(row).collect()
}

/// What can be chosen by the `kind` of a table: for `app`, `arrival`, `queue`, `rate`, `jitter`, `loss`, `pacing` and
/// distributions the names with a sentence on each.
pub fn catalogue() -> Vec<(&'static str, Vec<(&'static str, String)>)> {
    fn kinds<U: Union>() -> Vec<(&'static str, String)> {
        U::variants().into_iter().map(|variant| (variant.kind, variant.doc)).collect()
    }
    vec![
        ("app", kinds::<App>()),
        ("arrival", kinds::<Arrival>()),
        ("distribution", kinds::<Random<Time>>()),
        ("queue", kinds::<Queue>()),
        ("rate", kinds::<VaryingRate>()),
        ("jitter", kinds::<Jitter>()),
        ("loss", kinds::<Loss>()),
        ("pacing", kinds::<Pacing>()),
    ]
}
