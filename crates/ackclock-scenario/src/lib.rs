//! Scenarios: one page of TOML, or the same fields as JSON, that describe a simulation.
//!
//! Every field is defined once, with its type, default, bounds and sentence: in `model.rs` or `random.rs`, and for an
//! application in the application's own module. The Rust types, the reader, the canonical form, the JSON Schema and the
//! reference all follow from this definition. A new field needs one new line.
//!
//! Reading never stops at the first mistake: [`ScenarioError`] lists all of them, each with its path, its line, the
//! value as written and what is accepted. Quantities are text with a unit and are converted exactly to integers: times
//! to nanoseconds, rates to bits per second, volumes to bytes.

mod algorithm;
mod bottleneck;
mod check;
mod dscp;
mod estimate;
mod format;
mod forms;
mod graph;
mod impairments;
mod link;
mod loss_in_time;
mod model;
mod netem;
mod overrides;
mod paths;
mod policer;
mod preset;
mod queue;
mod reading;
mod registered;
mod remycc;
mod resolve;
mod series;
mod settings;
mod spellings;
mod steps;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
mod transport;
mod tunnel;

use std::any::Any;
use std::sync::Arc;

use ackclock_schema::file::{self, FILE};
use ackclock_schema::kinds::Kind as _;
use ackclock_schema::record::{FieldInfo, Record as _, table};
use ackclock_schema::tree::{Node, Value};
use ackclock_schema::union::Union;
use ackclock_schema::{self as schema, Problems, Renewal};
use serde_json::{Map, Value as Json, json};
use sha2::{Digest, Sha256};

use ackclock_transport::Stack;
use transport::Stacks;

pub use ackclock_app::App;
pub use ackclock_app::abr;
pub use ackclock_schema::file::FromFile;
pub use ackclock_schema::parameters::Range;
pub use ackclock_schema::problems::suggestion;
pub use ackclock_schema::random::{Delay, Drawn, Number, Random, Time, Volume};
pub use ackclock_schema::renewal::Part;
pub use ackclock_schema::tree::{KeyPath, Step};
pub use ackclock_schema::{Files, Problem, ReadError as ScenarioError, Warning};
pub use algorithm::{CongestionControl, forms_by_stack};
pub use bottleneck::{Bottleneck, Link};
pub use estimate::Estimate;
pub use format::FORMAT;
pub use graph::{BOTTLENECK, ENDS, Hop};
pub use impairments::{
    Chance, EmpiricalJitter, ExponentialJitter, GilbertElliott, InOutage, Jitter, Loss, NormalJitter, Numbers, Outage,
    Period, UniformJitter,
};
pub use link::{
    Cellular, DelayStep, DelaySteps, Direction, LinkDelay, LinkRate, Plain, RateStep, RateSteps, TraceFile,
    TraceFormat, VaryingRate,
};
pub use loss_in_time::{Fades, GilbertElliottTime, Interference, LossStep, LossSteps};
pub use model::{Access, Arrival, Flow, FlowAccess, Fq, Pacing, Poisson, Probes, Scenario, Staggered};
pub use netem::{
    DelayTable, FourStates, GeModel, Netem, NetemChance, NetemLoss, Slot, TableFormat, TableSlot, UniformSlot,
};
pub use paths::Routes;
pub use policer::{Policer, SingleRate, TokenBucket, Treatment, TwoRate};
pub use preset::{PRESETS, Preset};
pub use queue::Queue;
pub use reading::{Pause, Reading};
pub use registered::{Make, Registered};
pub use remycc::{RemyFormat, RemyTable};
pub use resolve::{OWN, Resolved};
pub use series::{RateSeries, SeriesFormat, SeriesLayout};
pub use spellings::{AccessRate, Amount, QueueLimit};
pub use transport::{Libraries, Other, Transport};

/// The information that a reader needs besides the text of a scenario.
#[derive(Clone, Copy)]
pub struct Outside<'a> {
    /// The files that the scenario may name.
    pub files: Files<'a>,
    /// The congestion controls that the scenario may name besides those of the catalogue.
    pub registered: &'a [Arc<Registered>],
    /// The rate adaptations of DASH that the scenario may name besides those of the catalogue.
    pub rules: &'a [Arc<abr::Registered>],
    /// The transports that the scenario may name besides TCP and those of libraries.
    pub transports: &'a [Arc<dyn Stack>],
    /// The function that opens libraries of transports; without one, a scenario that names a library is refused.
    pub libraries: Option<&'a Libraries>,
    /// The function that is told each old name in the text or in an override.
    pub warn: &'a dyn Fn(&Warning),
}

impl Outside<'_> {
    /// No files, registered congestion controls, rate adaptations or transports: a scenario that names one is refused.
    /// Warnings are ignored.
    pub const NOTHING: Outside<'static> = Outside {
        files: schema::Outside::NOTHING.files,
        registered: &[],
        rules: &[],
        transports: &[],
        libraries: None,
        warn: &|_| {},
    };
}

/// The things that a scenario may name besides those of the catalogues.
struct Known {
    controls: Vec<Arc<Registered>>,
    stacks: Stacks,
}

impl Scenario {
    /// Reads a scenario from TOML. `overrides` are pairs of a path and a value that are set on top of the text:
    /// `("flows[0].cc", "cubic")`. `[*]` stands for every flow, and `flows.NAME` for the flow with that name. A value
    /// that is not TOML is taken as text. Scenarios that name files are refused.
    ///
    /// # Errors
    /// All mistakes in the text.
    pub fn from_toml(text: &str, overrides: &[(String, String)]) -> Result<Scenario, ScenarioError> {
        Scenario::from_toml_with(text, overrides, Outside::NOTHING)
    }

    /// Like [`Scenario::from_toml`], with the files and congestion controls that the scenario may name.
    ///
    /// # Errors
    /// All mistakes in the text and the files.
    pub fn from_toml_with(
        text: &str,
        overrides: &[(String, String)],
        outside: Outside<'_>,
    ) -> Result<Scenario, ScenarioError> {
        let root = Node::from_toml(text).map_err(|problems| ScenarioError { problems })?;
        read(root, overrides, outside)
    }

    /// Reads a scenario from JSON, with the same keys and values as in TOML; null counts as absent.
    ///
    /// # Errors
    /// All mistakes in the text.
    pub fn from_json(text: &str, overrides: &[(String, String)]) -> Result<Scenario, ScenarioError> {
        Scenario::from_json_with(text, overrides, Outside::NOTHING)
    }

    /// Like [`Scenario::from_json`], with the files and congestion controls that the scenario may name.
    ///
    /// # Errors
    /// All mistakes in the text and the files.
    pub fn from_json_with(
        text: &str,
        overrides: &[(String, String)],
        outside: Outside<'_>,
    ) -> Result<Scenario, ScenarioError> {
        let root = Node::from_json(text).map_err(|problems| ScenarioError { problems })?;
        read(root, overrides, outside)
    }

    /// Returns the registered congestion controls that the flows use, each once.
    pub fn registered(&self) -> Vec<&Arc<Registered>> {
        let mut used: Vec<&Arc<Registered>> = Vec::new();
        for own in self.flows.iter().filter_map(|flow| flow.cc.as_ref()?.registered()) {
            if !used.iter().any(|known| known.name == own.name) {
                used.push(own);
            }
        }
        used
    }

    /// Returns the registered rate adaptations that the flows use, each once.
    pub fn rules(&self) -> Vec<&Arc<abr::Registered>> {
        let mut used: Vec<&Arc<abr::Registered>> = Vec::new();
        for flow in &self.flows {
            if let Some(own) = flow.app.own_rule()
                && !used.iter().any(|known| known.name == own.name)
            {
                used.push(own);
            }
        }
        used
    }

    /// Returns the canonical form: every default is filled in, keys have a fixed order, and every quantity is in its
    /// largest whole unit. Reading the canonical form gives the same scenario.
    pub fn to_json(&self) -> Json {
        Json::Object(self.write())
    }

    /// Returns the identifier of the scenario in results: 16 hexadecimal digits of the SHA-256 of the canonical form.
    /// `name`, `seed` and the paths of files are left out; the canonical form has a digest of each file's content.
    pub fn hash(&self) -> String {
        let mut canonical: Map<String, Json> = self.write();
        canonical.shift_remove("name");
        canonical.shift_remove("seed");
        // The canonical form has the preset's values, so the preset's name adds nothing.
        let forget = |link: &mut Json| link.as_object_mut().map(|link| link.shift_remove(preset::PRESET));
        canonical.get_mut("bottleneck").map(forget);
        canonical
            .get_mut("links")
            .and_then(Json::as_array_mut)
            .into_iter()
            .flatten()
            .for_each(|link| drop(forget(link)));
        let mut canonical = Json::Object(canonical);
        file::forget_paths(&mut canonical, &[remycc::TABLE, FILE, transport::LIBRARY]);
        let digest = Sha256::digest(canonical.to_string().as_bytes());
        digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }
}

fn read(mut root: Node, overrides: &[(String, String)], outside: Outside<'_>) -> Result<Scenario, ScenarioError> {
    let mut renewal = Renewal::default();
    let scenario = table::<Scenario>();
    scenario.renew(&mut root, &KeyPath::default(), &mut renewal);
    if !overrides.is_empty() {
        overrides::apply(&mut root, overrides).map_err(|problems| ScenarioError { problems })?;
        renewal.overrides = true;
        scenario.renew(&mut root, &KeyPath::default(), &mut renewal);
    }
    preset::fill(&mut root, &KeyPath::default().key("bottleneck"));
    let links = KeyPath::default().key("links");
    let count = root.at(&links).map_or(0, |links| if let Value::List(links) = &links.value { links.len() } else { 0 });
    (0..count).for_each(|index| preset::fill(&mut root, &links.index(index)));
    forms::resolve(&mut root);
    let stacks = Stacks { built_in: outside.transports.to_vec(), libraries: outside.libraries.cloned() };
    let known = Known { controls: outside.registered.to_vec(), stacks };
    let rules = abr::Known(outside.rules.to_vec());
    let known: [&dyn Any; 2] = [&known, &rules];
    let format = format::take(&mut root);
    let mut problems = Problems::new(&root, schema::Outside { files: outside.files, known: &known });
    if let Err((line, message)) = format {
        // A text of another format may have other fields, so only the format is reported.
        return Err(ScenarioError { problems: vec![Problem { path: format::KEY.to_owned(), line, message }] });
    }
    renewal.warnings.iter().for_each(outside.warn);
    let scenario = scenario.read(&root, &KeyPath::default(), &mut problems);
    check::check(&scenario, &mut problems);
    problems.into_error().map_or(Ok(scenario), Err)
}

/// Returns the JSON Schema (2020-12) of a scenario, with which editors complete and check its TOML.
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

/// Returns every field of a scenario, in order, as a list of objects for documentation: `path` (`bottleneck.rate`,
/// `flows[].app<dash>.ladder`), `type`, `doc`, `accepts`, `required`, and, where they exist, `unit` and either
/// `default` or the meaning of an `absent` key.
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

/// Returns the values of `kind` for each table that has kinds, with a sentence on each.
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
        ("policer", kinds::<Policer>()),
        ("delay_table", kinds::<DelayTable>()),
        ("netem_loss", kinds::<NetemLoss>()),
        ("slot", kinds::<Slot>()),
        ("loss", kinds::<Loss>()),
        ("pacing", kinds::<Pacing>()),
    ]
}
