//! The names that a scenario may use, gathered from the catalogues of the crates.

use ackclock_app::{abr, media};
use ackclock_core::parameters::Parameter;
use ackclock_results::{ColumnDeclaration, Role, TABLES, TableDeclaration};
use ackclock_scenario as scenario;
use ackclock_tcp::{cc, recovery, slow_start, stack, validation};
use pyo3::prelude::*;
use serde_json::{Map, Value, json};

use crate::transport;

fn row(name: &str, summary: &str, source: &str) -> Value {
    json!({ "name": name, "summary": summary, "source": source })
}

/// Returns a stack with its table: the value of each field and the source of the value.
fn stack_row(stack: &stack::Stack) -> Value {
    let mut entry = row(stack.name, stack.summary, stack.source);
    let fields =
        stack.rows().into_iter().map(|row| json!({ "field": row.field, "value": row.value, "source": row.source }));
    entry["fields"] = fields.collect::<Vec<Value>>().into();
    entry
}

/// Returns the parameters that scenarios may set.
fn parameters(parameters: &[Parameter]) -> Value {
    let rows = parameters.iter().map(|parameter| {
        let (least, most) = parameter.range;
        json!({
            "name": parameter.name,
            "summary": parameter.described(),
            "default": parameter.default_value(),
            "least": least,
            "most": most,
        })
    });
    rows.collect::<Vec<Value>>().into()
}

/// Returns a congestion control with the parameters that scenarios may set.
fn cc_row(algorithm: &'static cc::Entry) -> Value {
    let mut entry = row(algorithm.name, algorithm.summary, algorithm.source);
    entry["parameters"] = parameters(algorithm.parameters);
    entry["paces"] = cc::Algorithm::from(algorithm).paces().into();
    entry
}

/// Returns a rate adaptation with the parameters that scenarios may set.
fn abr_row(rule: &abr::Entry) -> Value {
    let mut entry = row(rule.name, rule.summary, rule.source);
    entry["parameters"] = parameters(rule.parameters);
    entry
}

/// Returns a congestion control of media with the parameters that scenarios may set.
fn media_row(control: &media::Entry) -> Value {
    let mut entry = row(control.name, control.summary, control.source);
    entry["parameters"] = parameters(control.parameters);
    entry
}

/// Returns a family's name, with the parameters of its standard form and the full names of its forms.
fn family_row(family: &cc::Family) -> Value {
    let standard = cc::by_name(family.name).expect("a family has a standard form");
    let mut entry = cc_row(standard);
    entry["name"] = family.name.into();
    entry["summary"] = scenario::forms_by_stack(family).into();
    entry["forms"] = family.forms().map(|form| form.name).collect::<Vec<_>>().into();
    entry
}

/// Returns a form of RemyCC, whose single parameter is a required file.
fn remycc_row(form: &cc::remycc::Form) -> Value {
    let mut entry = row(form.name, form.summary, cc::remycc::SOURCE);
    let summary = "its rules: a file in the format of the Remy project, named from the scenario's folder";
    entry["parameters"] =
        json!([{ "name": "table", "summary": summary, "default": null, "least": null, "most": null }]);
    entry["paces"] = true.into();
    entry
}

/// Returns every algorithm, application and profile that a scenario can name, as JSON: kind -> [{name, summary,
/// source}]. A stack also has `fields`, [{field, value, source}]. A congestion control, of TCP or of media, and a rate adaptation also have
/// `parameters`, [{name, summary, default, least, most}], the last three of which are null for a required path. A
/// congestion control has `paces`: whether it sets the pacing rate. A name that means a form on each stack
/// has `forms`, the full names.
#[pyfunction]
pub fn catalogue() -> String {
    macro_rules! rows {
        ($entries:expr) => {
            $entries.iter().map(|entry| row(entry.name, entry.summary, entry.source)).collect::<Vec<Value>>()
        };
    }
    let mut kinds = Map::new();
    let names = cc::FAMILIES.iter().map(family_row);
    let mut names: Vec<Value> = names.chain(cc::CATALOGUE.iter().map(cc_row)).collect();
    names.extend(cc::remycc::FORMS.iter().map(remycc_row));
    names.sort_by_key(|row| row["name"].as_str().map(str::to_owned));
    kinds.insert("cc".into(), names.into());
    kinds.insert("recovery".into(), rows!(recovery::CATALOGUE).into());
    kinds.insert("validation".into(), rows!(validation::CATALOGUE).into());
    kinds.insert("slow-start".into(), rows!(slow_start::CATALOGUE).into());
    kinds.insert("stack".into(), stack::CATALOGUE.iter().map(stack_row).collect::<Vec<Value>>().into());
    kinds.insert("transport".into(), transport::rows().into());
    kinds.insert("abr".into(), abr::CATALOGUE.iter().map(abr_row).collect::<Vec<Value>>().into());
    kinds.insert("media".into(), media::CATALOGUE.iter().map(media_row).collect::<Vec<Value>>().into());
    kinds.insert("queue".into(), rows!(ackclock_net::queue::CATALOGUE).into());
    kinds.insert("preset".into(), rows!(scenario::PRESETS).into());
    for (kind, entries) in scenario::catalogue() {
        let rows: Vec<Value> = entries.iter().map(|(name, summary)| row(name, summary, "")).collect();
        kinds.entry(kind).or_insert_with(|| rows.into());
    }
    Value::Object(kinds).to_string()
}

/// Returns the declarations of all results tables, in order, as JSON: [{name, about, asked, series, columns: [{name,
/// type, unit, key, about}]}]. `asked` is the setting with which a scenario asks for the table, or null; `series` says
/// whether the rows are in the order of time; `key` says whether the column names the component of a row.
#[pyfunction]
pub fn tables() -> String {
    let column = |column: &ColumnDeclaration| {
        json!({
            "name": column.name,
            "type": column.kind.name(),
            "unit": column.unit,
            "key": column.role == Some(Role::Key),
            "about": column.about(),
        })
    };
    let table = |table: &TableDeclaration| {
        json!({
            "name": table.name,
            "about": table.about(),
            "asked": table.asked,
            "series": table.is_series(),
            "columns": table.columns.iter().map(column).collect::<Vec<Value>>(),
        })
    };
    Value::from(TABLES.into_iter().flatten().map(table).collect::<Vec<Value>>()).to_string()
}

/// Returns the receive buffer of the stack `linux`, in bytes, whose window is `window` bytes as soon as segments of `mss`
/// bytes with their options have arrived.
#[pyfunction]
#[pyo3(signature = (window, mss, *, timestamps))]
pub fn receive_buffer(window: u64, mss: u32, timestamps: bool) -> u64 {
    let mut config = (stack::by_name("linux").expect("a stack").config)();
    (config.mss, config.timestamps) = (mss, timestamps);
    config.fix_receive_window(window);
    config.receive_buffer
}
