//! The congestion controls of a library.

use std::path::Path;
use std::sync::Arc;

use ackclock_cc::abi::{self, Header};
use ackclock_tcp::cc::{Algorithm, CongestionControl, Ruled};

use crate::callbacks::Callbacks;
use crate::failure::{Failures, Ignored};
use crate::library::{self, CONGESTION_CONTROLS};
use crate::object::{Caller, Object, text};
use crate::rules::{Reno, Rules};

/// A congestion control of a library.
#[derive(Clone, Debug)]
pub struct Control {
    /// Name in scenarios.
    pub name: &'static str,
    /// Short description.
    pub summary: String,
    /// Parameters that scenarios may set.
    pub parameters: Vec<Parameter>,
    table: &'static abi::Algorithm,
    level: Level,
}

/// A number that scenarios may set.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameter {
    /// Name in scenarios.
    pub name: &'static str,
    /// Short description.
    pub summary: String,
    /// Value if the scenario gives none.
    pub default: f64,
    /// Smallest accepted value.
    pub least: f64,
    /// Largest accepted value.
    pub most: f64,
}

/// The functions of an algorithm.
#[derive(Clone, Copy, Debug)]
enum Level {
    Rules(&'static abi::Rules),
    Callbacks(&'static abi::Callbacks),
}

/// Opens a library and returns its congestion controls.
///
/// # Errors
///
/// A message if the file cannot be opened ([`library::open`]) or an entry is not valid.
pub fn controls(path: &Path) -> Result<Vec<Control>, String> {
    let found = of(library::open(path, &CONGESTION_CONTROLS)?)?;
    found.iter().for_each(|control| (control.table.prepare)());
    Ok(found)
}

/// Returns the congestion controls of a header that [`library::open`] has checked.
pub(crate) fn of(header: &'static Header) -> Result<Vec<Control>, String> {
    #[expect(unsafe_code, reason = "a table of a library")]
    // SAFETY: the contract of this kind and version: so many entries, which live as long as the library.
    let tables = unsafe { std::slice::from_raw_parts(header.entries.cast::<abi::Algorithm>(), header.count) };
    tables.iter().map(Control::new).collect()
}

impl Control {
    fn new(table: &'static abi::Algorithm) -> Result<Control, String> {
        let name: &'static str = String::leak(text(table.name));
        if table.unwinds == 0 {
            return Err(format!(
                "{name} is compiled with panic = \"abort\", so that a panic would end the process; accepted: \
                 panic = \"unwind\" in the profile of its Cargo.toml"
            ));
        }
        #[expect(unsafe_code, reason = "tables of a library")]
        // SAFETY: the contract of the table: pointers are null or of statics of the library.
        let level = match unsafe { (table.rules.as_ref(), table.callbacks.as_ref()) } {
            (Some(rules), None) => Level::Rules(rules),
            (None, Some(callbacks)) => Level::Callbacks(callbacks),
            _ => return Err(format!("{name} has neither rules nor callbacks, or both; accepted: one of them")),
        };
        let summary = text(table.summary).trim().to_owned();
        Ok(Control { name, summary, parameters: parameters(name, table)?, table, level })
    }

    /// Returns the algorithm for the connections of a flow, with the `given` parameters and defaults for the others.
    pub fn algorithm(&self, given: &[(&'static str, f64)], flow: &str, failures: Arc<dyn Failures>) -> Algorithm {
        let values = self.values(given);
        let caller = Caller { algorithm: self.name, flow: flow.into(), failures };
        let (table, level) = (self.table, self.level);
        let paces = self.paces(given);
        Algorithm::custom(self.name, move || connection(table, level, &values, caller.clone())).pacing(paces)
    }

    /// Whether the algorithm says that it sets the pacing rate, with the `given` parameters.
    pub fn paces(&self, given: &[(&'static str, f64)]) -> bool {
        if let Level::Rules(_) = self.level {
            return false;
        }
        let caller = Caller { algorithm: self.name, flow: "".into(), failures: Arc::new(Ignored) };
        connection(self.table, self.level, &self.values(given), caller).scope().paces
    }

    /// The value of each parameter.
    fn values(&self, given: &[(&'static str, f64)]) -> Vec<f64> {
        let of = |own: &Parameter| given.iter().find(|(name, _)| *name == own.name).map_or(own.default, |one| one.1);
        self.parameters.iter().map(of).collect()
    }
}

fn connection(
    table: &'static abi::Algorithm,
    level: Level,
    values: &[f64],
    caller: Caller,
) -> Box<dyn CongestionControl> {
    match (Object::new(table, values, caller), level) {
        (None, _) => Box::new(Ruled::new(Reno)),
        (Some(object), Level::Rules(table)) => Box::new(Ruled::new(Rules { table, object })),
        (Some(object), Level::Callbacks(table)) => Box::new(Callbacks::new(table, object)),
    }
}

/// Reads the parameters of an algorithm.
fn parameters(algorithm: &str, table: &abi::Algorithm) -> Result<Vec<Parameter>, String> {
    let mut found: Vec<Parameter> = Vec::new();
    loop {
        let mut row =
            abi::Parameter { name: abi::Text::of(""), summary: abi::Text::of(""), default: 0.0, least: 0.0, most: 0.0 };
        #[expect(unsafe_code, reason = "a function of a library")]
        // SAFETY: the contract of the table: a place for a parameter.
        let count = unsafe { (table.parameter)(found.len(), &raw mut row) };
        if found.len() >= count {
            return Ok(found);
        }
        let name: &'static str = String::leak(text(row.name));
        let abi::Parameter { default, least, most, .. } = row;
        if !(least.is_finite() && most.is_finite() && (least..=most).contains(&default)) {
            return Err(format!("{name} of {algorithm} has the default {default}; accepted: {least} to {most}"));
        }
        found.push(Parameter { name, summary: text(row.summary).trim().to_owned(), default, least, most });
    }
}

#[cfg(test)]
mod tests;
