//! A congestion control in a scenario: its name, or a table with its name and the parameters that differ from their
//! defaults.

use std::sync::Arc;

use ackclock_core::Renamed;
use ackclock_tcp::cc::{self, Algorithm, FAMILIES, Family, remycc};
use ackclock_tcp::stack;
use serde_json::{Value as Json, json};

use super::registered::Registered;
use super::remycc::{self as remy, RemyTable};
use ackclock_schema::kinds::{Info, Kind};
use ackclock_schema::named::Named;
use ackclock_schema::parameters::{self, Owner, Range, table_schema};
use ackclock_schema::problems::{Problems, listed};
use ackclock_schema::renewal::Renewal;
use ackclock_schema::tree::{KeyPath, Node, Value};
use ackclock_schema::union::KIND;

/// A congestion control with the parameters given for it.
#[derive(Clone, PartialEq, Debug)]
pub struct CongestionControl {
    /// Name in the catalogue, the name of RemyCC, or the name under which the algorithm was registered.
    pub name: &'static str,
    /// Parameters given in the scenario, in the order of the catalogue's entry or of the registration.
    pub parameters: Vec<(&'static str, f64)>,
    /// Rule table of RemyCC; `None` for every other algorithm.
    pub rules: Option<RemyTable>,
    registered: Option<Arc<Registered>>,
}

impl CongestionControl {
    /// Returns the algorithm for the connections of a flow. Only a registered algorithm uses the flow's name.
    pub fn algorithm(&self, flow: &str) -> Algorithm {
        if let Some(own) = &self.registered {
            return (own.make)(&self.parameters, flow);
        }
        if let Some(rules) = &self.rules {
            return remy::algorithm(self.name, rules);
        }
        let entry = cc::by_name(self.name).expect("in the catalogue");
        Algorithm::given(entry, &self.parameters).expect("checked when it was read")
    }

    /// Returns the registration of the algorithm, or `None` if the algorithm is in the catalogue.
    pub fn registered(&self) -> Option<&Arc<Registered>> {
        self.registered.as_ref()
    }
}

/// Kind of the fields that hold a [`CongestionControl`].
pub(super) struct OneOfTheCatalogue {
    /// The old names of algorithms.
    renamed: &'static [Renamed],
}

/// Returns the kind of the fields that hold a [`CongestionControl`].
pub(super) const fn congestion_control() -> OneOfTheCatalogue {
    OneOfTheCatalogue { renamed: cc::RENAMED }
}

/// Returns the names that a scenario may use: full names, families, and RemyCC.
fn names() -> impl Iterator<Item = &'static str> {
    let full = cc::CATALOGUE.iter().map(|entry| entry.name).chain(remycc::FORMS.iter().map(|form| form.name));
    let mut names: Vec<_> = FAMILIES.iter().map(|family| family.name).chain(full).collect();
    names.sort_unstable();
    names.into_iter()
}

fn form_of_remycc(node: &Node) -> Option<&'static remycc::Form> {
    if let Value::Text(name) = &node.value { remycc::Form::by_name(name) } else { None }
}

/// Origin of an algorithm.
enum Origin {
    Listed(&'static cc::Entry),
    Registered(Arc<Registered>),
}

impl Origin {
    fn name(&self) -> &'static str {
        match self {
            Origin::Listed(entry) => entry.name,
            Origin::Registered(own) => own.name,
        }
    }

    /// Reads the parameters from a table of the algorithm; adds every mistake in the table to the problems.
    fn parameters(
        &self,
        entries: &[(String, Node)],
        at: &KeyPath,
        problems: &mut Problems<'_>,
    ) -> Vec<(&'static str, f64)> {
        let (ranges, source) = match self {
            Origin::Listed(entry) => (&Range::all(entry.parameters), None),
            Origin::Registered(own) => (&own.parameters, Some(own.source.as_str())),
        };
        let owner = Owner { name: self.name(), ranges, source };
        owner.read(entries, at, problems, |key| form_with(key, self.name()))
    }

    fn with(self, parameters: Vec<(&'static str, f64)>) -> CongestionControl {
        let name = self.name();
        let registered = if let Origin::Registered(own) = self { Some(own) } else { None };
        CongestionControl { name, parameters, rules: None, registered }
    }
}

/// Returns the registered congestion controls, which a scenario may name besides those of the catalogue.
fn registered<'a>(problems: &Problems<'a>) -> &'a [Arc<Registered>] {
    problems.known::<super::Known>().map_or(&[], |known| known.controls.as_slice())
}

/// Returns another form of the algorithm `name` that has the parameter `key`.
fn form_with(key: &str, name: &str) -> Option<&'static str> {
    let family = cc::FAMILIES.iter().find(|family| family.forms().any(|form| form.name == name))?;
    family.forms().find(|form| form.parameters.iter().any(|one| one.name == key)).map(|form| form.name)
}

impl Kind for OneOfTheCatalogue {
    type Value = CongestionControl;

    fn renew(&self, node: &mut Node, at: &KeyPath, renewal: &mut Renewal) {
        match node.value {
            Value::Table(_) => {
                Renewal::field(node, KIND, at, |kind, at| renewal.value(self.renamed, kind, at));
            }
            _ => renewal.value(self.renamed, node, at),
        }
    }

    fn read(&self, node: &Node, at: &KeyPath, problems: &mut Problems<'_>) -> CongestionControl {
        match &node.value {
            Value::Table(entries) => {
                if let Some(form) = node.get(KIND).and_then(form_of_remycc) {
                    let rules = remy::read(entries, at, problems);
                    let name = if rules.is_some() { form.name } else { self.placeholder().name };
                    return CongestionControl { name, rules, ..self.placeholder() };
                }
            }
            _ if form_of_remycc(node).is_some() => {
                problems.add(at.clone(), format!("{} has no table; accepted: {}", node.shown(), remy::EXAMPLE));
                return self.placeholder();
            }
            _ => {}
        }
        let registered = registered(problems);
        // The names of families are resolved before this.
        let find = |name: &str| {
            let listed = cc::by_name(name).map(Origin::Listed);
            listed.or_else(|| Registered::by_name(registered, name).cloned().map(Origin::Registered))
        };
        let names = || names().chain(registered.iter().map(|own| own.name)).collect();
        let algorithms = Named { unknown: "not a known congestion control", names: &names };
        let Some((origin, entries)) = algorithms.read(node, at, problems, find) else { return self.placeholder() };
        let parameters = entries.map_or_else(Vec::new, |entries| origin.parameters(entries, at, problems));
        origin.with(parameters)
    }

    fn placeholder(&self) -> CongestionControl {
        Origin::Listed(&cc::CATALOGUE[0]).with(Vec::new())
    }

    fn write(&self, value: &CongestionControl) -> Json {
        if let Some(rules) = &value.rules {
            return remy::write(value.name, rules);
        }
        let source = value.registered.as_ref().map(|own| own.source.as_str());
        parameters::write(value.name, source, &value.parameters)
    }

    fn info(&self) -> Info {
        let families =
            FAMILIES.iter().map(|family| json!({ "const": family.name, "description": forms_by_stack(family) }));
        let by_name = cc::CATALOGUE.iter().map(|entry| json!({ "const": entry.name, "description": entry.summary }));
        let by_name = families.chain(by_name);
        // A family's table has the parameters of the standard form; the other forms have tables under their full names.
        let standard = |family: &Family| cc::by_name(family.name).expect("a family has a standard form");
        let tables = FAMILIES.iter().map(|family| (family.name, forms_by_stack(family), standard(family).parameters));
        let entries = cc::CATALOGUE.iter().map(|entry| (entry.name, entry.summary.to_owned(), entry.parameters));
        let tables = tables.chain(entries).filter(|(_, _, parameters)| !parameters.is_empty());
        let tables = tables.map(|(name, summary, parameters)| table_schema(name, &summary, parameters));
        let tables = tables.chain(remycc::FORMS.iter().map(remy::schema));
        Info {
            noun: "congestion control".to_owned(),
            unit: String::new(),
            accepts: format!("{}, or a table of its kind and its parameters", listed(names())),
            schema: json!({ "oneOf": by_name.chain(tables).collect::<Vec<_>>() }),
            nested: Vec::new(),
        }
    }
}

/// Returns the forms that a family's name means on the stacks, in a sentence.
pub fn forms_by_stack(family: &Family) -> String {
    let mut stacks: Vec<(&str, Vec<&str>)> = Vec::new();
    for stack in stack::CATALOGUE {
        let form = stack.form(family.name).expect("a family has a form on every stack").name;
        match stacks.iter_mut().find(|(name, _)| *name == form) {
            Some((_, stacks)) => stacks.push(stack.name),
            None => stacks.push((form, vec![stack.name])),
        }
    }
    let forms = stacks.iter().map(|(form, stacks)| format!("{form} on {}", stacks.join(", ")));
    forms.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const RENAMED: &[Renamed] =
        &[Renamed { old: "newreno", new: "reno-rfc5681" }, Renamed { old: "v", new: "vegas-paper" }];

    /// Returns what a flow's `cc` reads as where the algorithms have old names, and the number of old names in it.
    fn read(cc: &str) -> (Json, usize) {
        let kind = OneOfTheCatalogue { renamed: RENAMED };
        let mut node = Node::from_toml_value(cc).expect("TOML");
        let mut renewal = Renewal::default();
        kind.renew(&mut node, &KeyPath::default(), &mut renewal);
        let mut problems = Problems::alone(&node);
        let read = kind.read(&node, &KeyPath::default(), &mut problems);
        assert_eq!(problems.into_error(), None, "{cc}");
        (kind.write(&read), renewal.warnings.len())
    }

    #[test]
    fn an_algorithm_may_have_an_old_name() {
        assert_eq!(read("'newreno'"), (json!("reno-rfc5681"), 1));
        assert_eq!(read("{ kind = 'v', alpha = 3 }"), (json!({ "kind": "vegas-paper", "alpha": 3.0 }), 1));
        assert_eq!(read("'reno-rfc5681'"), (json!("reno-rfc5681"), 0));
    }

    #[test]
    fn old_names_lead_to_algorithms() {
        for Renamed { old, new } in cc::RENAMED {
            assert!(cc::by_name(old).is_none() && cc::by_name(new).is_some(), "{old} is called {new}");
        }
    }
}
