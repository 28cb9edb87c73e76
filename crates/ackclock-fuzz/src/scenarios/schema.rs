//! The JSON Schema of scenarios as a graph: equal parts of the schema, such as the times of all fields, are one node.
//!
//! A *place* is a possible part of a scenario: a field of a table, an alternative of a value, a word, a unit, a truth
//! value. Coverage counts places, and the generator can be asked to reach a place.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value as Json, json};

use super::pattern::Pattern;

/// Number of a node of the graph.
pub type Node = usize;

/// A place: a node and a slot of the node.
pub type Place = (Node, usize);

/// Form of a value.
#[derive(Debug)]
pub enum Shape {
    /// An object with fields. Each field is a slot.
    Table(Vec<Field>),
    /// An array of at least one item; ascending if the schema says that items are unique.
    List {
        /// Node of its items.
        items: Node,
        /// Whether its items ascend.
        ascending: bool,
    },
    /// One of several shapes. Each shape is a slot.
    OneOf(Vec<Node>),
    /// One of these values. Each value is a slot.
    Words(Vec<Json>),
    /// A text of a form. Each literal word, such as a unit, is a slot.
    Text(Pattern, Vec<String>),
    /// A text of any form: the path of a file, with an example.
    Path(String),
    /// A whole number between two bounds. The minimum and the maximum are slots.
    Whole(u64, u64),
    /// A number between two bounds. The minimum and the maximum are slots.
    Real(f64, f64),
    /// True or false. Each is a slot.
    Truth,
}

/// A field of a table.
#[derive(Debug)]
pub struct Field {
    /// Key of the field.
    pub key: String,
    /// Form of its value.
    pub node: Node,
    /// Whether the field is required.
    pub required: bool,
    /// Value that stands for its absence.
    pub default: Option<Json>,
}

/// The schema of scenarios as a graph.
pub struct Schema {
    shapes: Vec<Shape>,
    /// Name of each node: the shortest path by which it is reached.
    names: Vec<String>,
    /// Places from which a node is reached.
    from: Vec<Vec<Place>>,
    root: Node,
}

/// Returns the properties that distinguish a node from others; annotations are left out.
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

/// Returns the last text in quotation marks of a description, which is its example.
fn example(schema: &Json) -> String {
    let text = schema["description"].as_str().unwrap_or_default();
    text.rsplit('"').nth(1).unwrap_or_default().to_owned()
}

impl Schema {
    /// Returns the schema of scenarios without `transport`, which accepts nothing but `tcp` where no stack is known, and
    /// without what needs the streams of another transport.
    ///
    /// # Panics
    /// If flows have no field `transport`, or no application `moq` with its streams.
    pub fn of_scenarios() -> Schema {
        let mut schema = ackclock_scenario::schema();
        let flow = schema.pointer_mut("/properties/flows/items/properties").and_then(Json::as_object_mut);
        let flow = flow.expect("flows have fields");
        flow.shift_remove("transport").expect("flows have a transport");
        let applications = flow["app"]["oneOf"].as_array_mut().expect("there are several applications");
        let moq = applications.iter_mut().find(|one| one["properties"]["kind"]["const"] == "moq");
        let moq = moq.expect("moq is an application");
        moq["required"].as_array_mut().expect("moq has fields that are required").push("streams".into());
        let fields = moq["properties"].as_object_mut().expect("moq has fields");
        fields.insert("streams".to_owned(), json!({ "const": "one" })).expect("moq has streams");
        fields.shift_remove("delivery_timeout").expect("moq may drop groups");
        Schema::new(&schema)
    }

    /// # Panics
    /// If the schema uses unsupported syntax; the syntax has to be added here.
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
            // Files of different formats are different nodes, although their schemas are equal.
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
            // Bounds and two small numbers, as of an overhead.
            Some("integer") if schema["minimum"].as_u64().is_none() => {
                Shape::Words([&schema["minimum"], &json!(-4), &json!(18), &schema["maximum"]].map(Json::clone).to_vec())
            }
            Some("integer") => Shape::Whole(whole("minimum"), whole("maximum")),
            Some("number") => Shape::Real(bound("minimum"), bound("maximum")),
            Some("boolean") => Shape::Truth,
            other => panic!("{name}: the type {other:?} is unknown"),
        }
    }

    /// Returns the node of a whole scenario.
    pub fn root(&self) -> Node {
        self.root
    }

    /// Returns the form of a node's value.
    pub fn shape(&self, node: Node) -> &Shape {
        &self.shapes[node]
    }

    /// Returns the nodes to which the slots of a node lead; the items of a list count as a slot here.
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

    /// Returns all places.
    pub fn places(&self) -> Vec<Place> {
        (0..self.shapes.len()).flat_map(|node| (0..self.slots(node)).map(move |slot| (node, slot))).collect()
    }

    /// Whether a place is a minimum or a maximum.
    pub fn is_bound(&self, place: Place) -> bool {
        matches!(self.shapes[place.0], Shape::Whole(..) | Shape::Real(..))
    }

    /// Returns the name of a place.
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

    /// Returns the places that lead from the root to `place`, including it. `pick` chooses among several ways.
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

    /// Whether a value has a node's form, judged by its first level.
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

    /// Adds the places that a value of a node's form uses.
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
                let is_number = |c: char| c.is_ascii_digit() || c == '.';
                let unit = text.trim().trim_start_matches(is_number).trim();
                // A number stands before its unit, or after a word, such as the class of a policer.
                let named = [unit, unit.trim_end_matches(is_number).trim_end()];
                covered.extend(words.iter().position(|word| named.contains(&word.as_str())).map(|slot| (node, slot)));
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

    /// Returns the node of a table's key or of a list's items, for the value there.
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
