//! The JSON Schema of scenarios as a graph: equal parts of it, such as the times of all fields, are one node.
//!
//! A *place* is something that a scenario can say: a field of a table, an alternative of a value, a word, a unit, a truth
//! value. Places are what coverage counts, and what the generator can be asked to reach.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value as Json};

use super::pattern::Pattern;

/// A node of the graph, by its number.
pub type Node = usize;

/// A place: a slot of a node.
pub type Place = (Node, usize);

/// What a value may be.
#[derive(Debug)]
pub enum Shape {
    /// An object of fields. A slot for each.
    Table(Vec<Field>),
    /// An array of at least one item; ascending where the schema says that items are unique.
    List {
        /// Its items.
        items: Node,
        /// Whether they ascend.
        ascending: bool,
    },
    /// One of several shapes. A slot for each.
    OneOf(Vec<Node>),
    /// One of these values. A slot for each.
    Words(Vec<Json>),
    /// A text of a form. A slot for each literal word, such as a unit.
    Text(Pattern, Vec<String>),
    /// A text of any form: the path of a file such as this one.
    Path(String),
    /// A whole number between two bounds. Slots for the least and the largest.
    Whole(u64, u64),
    /// A number between two bounds. Slots for the least and the largest.
    Real(f64, f64),
    /// True or false. A slot for each.
    Truth,
}

/// A field of a table.
#[derive(Debug)]
pub struct Field {
    /// Its key.
    pub key: String,
    /// What its value may be.
    pub node: Node,
    /// Whether it has to be there.
    pub required: bool,
    /// The value that stands for its absence.
    pub default: Option<Json>,
}

/// The schema.
pub struct Schema {
    shapes: Vec<Shape>,
    /// A name for each node: the shortest path by which it is reached.
    names: Vec<String>,
    /// From which places a node is reached.
    from: Vec<Vec<Place>>,
    root: Node,
}

/// What tells a node from another: annotations are left out.
fn bare(schema: &Json) -> Json {
    let Json::Object(entries) = schema else { return schema.clone() };
    let strip = |(key, value): (&String, &Json)| {
        let value = match (key.as_str(), value) {
            ("title" | "description" | "default" | "$schema" | "$id", _) => return None,
            ("properties", Json::Object(fields)) => {
                fields.iter().map(|(key, field)| (key.clone(), bare(field))).collect::<Map<_, _>>().into()
            }
            ("oneOf", Json::Array(options)) => options.iter().map(bare).collect(),
            ("items", items) => bare(items),
            (_, value) => value.clone(),
        };
        Some((key.clone(), value))
    };
    entries.iter().filter_map(strip).collect::<Map<_, _>>().into()
}

/// The last text in quotation marks of a description: the example that it gives.
fn example(schema: &Json) -> String {
    let text = schema["description"].as_str().unwrap_or_default();
    text.rsplit('"').nth(1).unwrap_or_default().to_owned()
}

impl Schema {
    /// The schema of scenarios.
    pub fn of_scenarios() -> Schema {
        Schema::new(&ackclock_scenario::schema())
    }

    /// # Panics
    /// Where the schema says what this reader does not know: the generator has to learn it then.
    pub fn new(schema: &Json) -> Schema {
        let mut graph = Schema { shapes: Vec::new(), names: Vec::new(), from: Vec::new(), root: 0 };
        graph.root = graph.add(schema, "", &mut BTreeMap::new());
        graph.from = vec![Vec::new(); graph.shapes.len()];
        for node in 0..graph.shapes.len() {
            for (slot, to) in graph.edges(node).into_iter().enumerate() {
                graph.from[to].push((node, slot));
            }
        }
        graph
    }

    fn add(&mut self, schema: &Json, name: &str, known: &mut BTreeMap<String, Node>) -> Node {
        let mut key = bare(schema).to_string();
        if schema["title"] == "path" {
            // Files of different formats are not one, though the schema says the same of them.
            key.push_str(&example(schema));
        }
        if let Some(&node) = known.get(&key) {
            if name.len() < self.names[node].len() {
                name.clone_into(&mut self.names[node]);
            }
            return node;
        }
        let shape = self.shape_of(schema, name, known);
        self.shapes.push(shape);
        self.names.push(name.to_owned());
        known.insert(key, self.shapes.len() - 1);
        self.shapes.len() - 1
    }

    fn shape_of(&mut self, schema: &Json, name: &str, known: &mut BTreeMap<String, Node>) -> Shape {
        if let Some(options) = schema["oneOf"].as_array() {
            let option = |option: &Json| {
                let kind = option["properties"]["kind"]["const"].as_str();
                let name = kind.map_or(name.to_owned(), |kind| format!("{name}<{kind}>"));
                self.add(option, &name, known)
            };
            return Shape::OneOf(options.iter().map(option).collect());
        }
        if let Some(value) = schema.get("const") {
            return Shape::Words(vec![value.clone()]);
        }
        if let Some(values) = schema["enum"].as_array() {
            return Shape::Words(values.clone());
        }
        let bound = |key| schema[key].as_f64().unwrap_or_else(|| panic!("{name}: no {key}"));
        let whole = |key| schema[key].as_u64().unwrap_or_else(|| panic!("{name}: no {key}"));
        match schema["type"].as_str() {
            Some("object") => {
                let required = schema["required"].as_array();
                let field = |(key, field): (&String, &Json)| Field {
                    key: key.clone(),
                    node: self.add(field, format!("{name}.{key}").trim_start_matches('.'), known),
                    required: required.is_some_and(|keys| keys.iter().any(|one| one == key)),
                    default: field.get("default").cloned(),
                };
                let fields = schema["properties"].as_object().unwrap_or_else(|| panic!("{name}: no properties"));
                Shape::Table(fields.iter().map(field).collect())
            }
            Some("array") => Shape::List {
                items: self.add(&schema["items"], &format!("{name}[]"), known),
                ascending: schema["uniqueItems"] == true,
            },
            Some("string") => match schema["pattern"].as_str() {
                Some(pattern) => {
                    let pattern = Pattern::parse(pattern);
                    let words = pattern.words();
                    Shape::Text(pattern, words)
                }
                None => Shape::Path(example(schema)),
            },
            Some("integer") => Shape::Whole(whole("minimum"), whole("maximum")),
            Some("number") => Shape::Real(bound("minimum"), bound("maximum")),
            Some("boolean") => Shape::Truth,
            other => panic!("{name}: the type {other:?} is unknown"),
        }
    }

    /// The node of a whole scenario.
    pub fn root(&self) -> Node {
        self.root
    }

    /// What a node's value may be.
    pub fn shape(&self, node: Node) -> &Shape {
        &self.shapes[node]
    }

    /// The nodes to which the slots of a node lead; the items of a list count as a slot here.
    fn edges(&self, node: Node) -> Vec<Node> {
        match &self.shapes[node] {
            Shape::Table(fields) => fields.iter().map(|field| field.node).collect(),
            Shape::OneOf(options) => options.clone(),
            Shape::List { items, .. } => vec![*items],
            _ => Vec::new(),
        }
    }

    fn slots(&self, node: Node) -> usize {
        match &self.shapes[node] {
            Shape::Table(fields) => fields.len(),
            Shape::OneOf(options) => options.len(),
            Shape::Words(words) => words.len(),
            Shape::Text(_, words) => words.len(),
            Shape::Truth | Shape::Whole(..) | Shape::Real(..) => 2,
            Shape::List { .. } | Shape::Path(_) => 0,
        }
    }

    /// Every place.
    pub fn places(&self) -> Vec<Place> {
        (0..self.shapes.len()).flat_map(|node| (0..self.slots(node)).map(move |slot| (node, slot))).collect()
    }

    /// Whether a place is the least or the largest number.
    pub fn is_bound(&self, place: Place) -> bool {
        matches!(self.shapes[place.0], Shape::Whole(..) | Shape::Real(..))
    }

    /// What to call a place.
    pub fn name(&self, (node, slot): Place) -> String {
        let name = &self.names[node];
        match &self.shapes[node] {
            Shape::Table(fields) => format!("{name}.{}", fields[slot].key).trim_start_matches('.').to_owned(),
            Shape::OneOf(options) => format!("{} as {}", name, self.brief(options[slot])),
            Shape::Words(words) => format!("{name} = {}", words[slot]),
            Shape::Text(_, words) => format!("{name} in {:?}", words[slot]),
            Shape::Truth => format!("{name} = {}", slot == 1),
            Shape::Whole(least, most) => format!("{name} = {}", if slot == 0 { least } else { most }),
            Shape::Real(least, most) => format!("{name} = {}", if slot == 0 { least } else { most }),
            Shape::List { .. } | Shape::Path(_) => name.clone(),
        }
    }

    fn brief(&self, node: Node) -> String {
        match &self.shapes[node] {
            Shape::Table(_) => format!("a table {}", self.names[node]),
            Shape::OneOf(_) => format!("a choice {}", self.names[node]),
            Shape::Words(words) if words.len() == 1 => words[0].to_string(),
            Shape::Words(_) => "a word".to_owned(),
            Shape::Text(_, words) => format!("a text in {}", words.join(", ")),
            Shape::Path(_) => "a path".to_owned(),
            Shape::Whole(..) => "a whole number".to_owned(),
            Shape::Real(..) => "a number".to_owned(),
            Shape::Truth => "a truth value".to_owned(),
            Shape::List { .. } => "a list".to_owned(),
        }
    }

    /// Places that lead from the root to `place`, it included, chosen by `pick` where there are several ways.
    pub fn way(&self, place: Place, mut pick: impl FnMut(&[Place]) -> Place) -> Vec<Place> {
        let (mut way, mut seen) = (vec![place], BTreeSet::from([place.0]));
        let mut node = place.0;
        while node != self.root {
            let fresh: Vec<Place> = self.from[node].iter().copied().filter(|(from, _)| !seen.contains(from)).collect();
            let step = pick(if fresh.is_empty() { &self.from[node] } else { &fresh });
            way.push(step);
            node = step.0;
            seen.insert(node);
        }
        way.reverse();
        way
    }

    /// Whether a value is of a node's shape, as far as its first level tells.
    pub fn is_of(&self, node: Node, value: &Json) -> bool {
        match (&self.shapes[node], value) {
            (Shape::Table(fields), Json::Object(entries)) => {
                let kind = |field: &&Field| field.key == "kind" && matches!(&self.shapes[field.node], Shape::Words(_));
                fields.iter().find(kind).is_none_or(|field| match entries.get("kind") {
                    Some(kind) => self.is_of(field.node, kind),
                    None => !field.required,
                })
            }
            (Shape::OneOf(options), value) => options.iter().any(|option| self.is_of(*option, value)),
            (Shape::Words(words), value) => words.contains(value),
            (Shape::Text(pattern, _), Json::String(text)) => pattern.matches(text),
            (Shape::Path(_), Json::String(_))
            | (Shape::List { .. }, Json::Array(_))
            | (Shape::Truth, Json::Bool(_)) => true,
            (Shape::Whole(..), Json::Number(number)) => number.is_u64(),
            (Shape::Real(..), Json::Number(_)) => true,
            _ => false,
        }
    }

    /// The places that a value of a node's shape says something at.
    pub fn cover(&self, node: Node, value: &Json, covered: &mut BTreeSet<Place>) {
        match (&self.shapes[node], value) {
            (Shape::Table(fields), Json::Object(entries)) => {
                for (slot, field) in fields.iter().enumerate() {
                    if let Some(value) = entries.get(&field.key).filter(|value| !value.is_null()) {
                        covered.insert((node, slot));
                        self.cover(field.node, value, covered);
                    }
                }
            }
            (Shape::List { items, .. }, Json::Array(values)) => {
                values.iter().for_each(|value| self.cover(*items, value, covered));
            }
            (Shape::OneOf(options), value) => {
                if let Some(slot) = options.iter().position(|option| self.is_of(*option, value)) {
                    covered.insert((node, slot));
                    self.cover(options[slot], value, covered);
                }
            }
            (Shape::Words(words), value) => {
                covered.extend(words.iter().position(|word| word == value).map(|slot| (node, slot)));
            }
            (Shape::Text(_, words), Json::String(text)) => {
                let unit = text.trim().trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').trim();
                covered.extend(words.iter().position(|word| word == unit).map(|slot| (node, slot)));
            }
            (Shape::Truth, Json::Bool(value)) => drop(covered.insert((node, usize::from(*value)))),
            (Shape::Whole(least, most), Json::Number(number)) => {
                let ends = [*least, *most].map(|end| number.as_u64() == Some(end));
                covered.extend(ends.iter().position(|is| *is).map(|slot| (node, slot)));
            }
            (Shape::Real(least, most), Json::Number(number)) => {
                let ends = [*least, *most].map(|end| number.as_f64() == Some(end));
                covered.extend(ends.iter().position(|is| *is).map(|slot| (node, slot)));
            }
            _ => {}
        }
    }

    /// The node of a table's key or of a list's items, for the value there.
    pub fn inner(&self, node: Node, value: &Json, key: Option<&str>) -> Option<Node> {
        match (&self.shapes[node], key) {
            (Shape::Table(fields), Some(key)) => Some(fields.iter().find(|field| field.key == key)?.node),
            (Shape::List { items, .. }, None) => Some(*items),
            (Shape::OneOf(options), _) => {
                let option = options.iter().find(|option| self.is_of(**option, value))?;
                self.inner(*option, value, key)
            }
            _ => None,
        }
    }
}
