//! Draws a scenario according to its schema. The code names fields only for rules that the schema cannot express: names
//! differ, routes use existing links, and lists in order of time begin at the start.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use super::dice::Dice;
use super::files;
use super::schema::{Field, Node, Place, Schema, Shape};
use super::values::{self, NAMES};

/// Parameters of drawing a scenario.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// Probability that an optional field is present.
    pub density: f64,
    /// Probability that a value has an arbitrary size.
    pub wild: f64,
}

impl Manner {
    /// Returns one of several manners.
    pub fn any(dice: &mut Dice) -> Manner {
        Manner { density: *dice.of(&[0.03, 0.08, 0.2, 0.4]), wild: *dice.of(&[0.0, 0.0, 0.0, 0.02, 0.02, 0.2]) }
    }
}

/// Draws values according to a schema.
pub struct Draw<'a> {
    schema: &'a Schema,
    /// The random choices.
    pub dice: Dice,
    manner: Manner,
    keys: Vec<String>,
}

/// Optional fields whose absence requires another field; they are usually present.
const USUAL: [&str; 2] = ["rate", "delay"];

impl<'a> Draw<'a> {
    /// Creates a generator with these choices.
    pub fn new(schema: &'a Schema, dice: Dice, manner: Manner) -> Draw<'a> {
        Draw { schema, dice, manner, keys: Vec::new() }
    }

    /// Draws a scenario that uses `place`, if one is given; other rules of scenarios may be broken.
    pub fn scenario(&mut self, place: Option<Place>) -> Json {
        let dice = &mut self.dice;
        let way = place.map(|place| self.schema.way(place, |places| *dice.of(places)));
        let mut scenario = self.value(self.schema.root(), way.as_deref().unwrap_or_default());
        if let Json::Object(scenario) = &mut scenario {
            let links = scenario.get("links").cloned();
            if let Some(Json::Array(flows)) = scenario.get_mut("flows") {
                self.name_apart(flows);
                flows.iter_mut().for_each(|flow| self.route(flow, links.as_ref()));
            }
            if let Some(Json::Array(links)) = scenario.get_mut("links") {
                self.name_apart(links);
            }
        }
        scenario
    }

    /// Draws a value of a node at these keys that uses the last place of `way`. `way` begins at the node or is empty.
    pub fn value_at(&mut self, node: Node, keys: Vec<String>) -> Json {
        self.keys = keys;
        self.value(node, &[])
    }

    fn value(&mut self, node: Node, way: &[Place]) -> Json {
        let slot = way.first().map(|place| place.1);
        let rest = way.get(1..).unwrap_or_default();
        let wild = self.dice.chance(self.manner.wild);
        match self.schema.shape(node) {
            Shape::Table(fields) => self.table(fields, slot, rest),
            Shape::List { items, ascending } => {
                let most = if self.dice.chance(0.05) { 12 } else { 3 };
                let mut values = vec![self.value(*items, rest)];
                for _ in 0..self.dice.below(most) {
                    values.push(self.value(*items, &[]));
                }
                if *ascending {
                    values.sort_by(|a, b| values::size(a).unwrap_or(0.0).total_cmp(&values::size(b).unwrap_or(0.0)));
                    values.dedup_by(|a, b| values::size(a) == values::size(b));
                }
                json!(values)
            }
            Shape::OneOf(options) => {
                let choice = slot.unwrap_or_else(|| self.choice(options));
                self.value(options[choice], rest)
            }
            Shape::Words(words) => words[slot.unwrap_or_else(|| self.dice.below(words.len()))].clone(),
            Shape::Text(pattern, words) if !words.is_empty() => {
                values::text(pattern, words, slot, &self.keys, wild, &mut self.dice)
            }
            Shape::Text(pattern, _) if wild || !pattern.matches(NAMES[5]) => json!(pattern.draw(&mut self.dice)),
            Shape::Text(..) => json!(self.dice.of(&NAMES)),
            Shape::Path(example) => json!(format!("{}/{example}", self.dice.below(files::VARIANTS))),
            Shape::Whole(least, most) => match slot {
                Some(slot) => json!([least, most][slot]),
                None => values::whole(*least, *most, None, &self.keys, wild, &mut self.dice),
            },
            Shape::Real(least, most) => match slot {
                Some(slot) => json!([least, most][slot]),
                None => values::real(*least, *most, None, wild, &mut self.dice),
            },
            Shape::Truth => json!(slot.unwrap_or_else(|| self.dice.below(2)) == 1),
        }
    }

    /// Chooses plain values more often than tables.
    fn choice(&mut self, options: &[Node]) -> usize {
        let is_plain = |option: &Node| matches!(self.schema.shape(*option), Shape::Text(..) | Shape::Whole(..));
        let plain = options.iter().position(is_plain);
        plain.filter(|_| self.dice.chance(0.6)).unwrap_or_else(|| self.dice.below(options.len()))
    }

    fn table(&mut self, fields: &[Field], slot: Option<usize>, rest: &[Place]) -> Json {
        let mut table = Map::new();
        for (index, field) in fields.iter().enumerate() {
            let wanted = slot == Some(index);
            let usual = USUAL.contains(&field.key.as_str()) && self.dice.chance(0.9);
            if !wanted && !usual && !field.required && !self.dice.chance(self.manner.density) {
                continue;
            }
            self.keys.push(field.key.clone());
            let wild = self.dice.chance(self.manner.wild);
            let value = match (self.schema.shape(field.node), wanted && !rest.is_empty()) {
                (Shape::Whole(least, most), false) => {
                    values::whole(*least, *most, field.default.as_ref(), &self.keys, wild, &mut self.dice)
                }
                (Shape::Real(least, most), false) => {
                    values::real(*least, *most, field.default.as_ref(), wild, &mut self.dice)
                }
                _ => self.value(field.node, if wanted { rest } else { &[] }),
            };
            self.keys.pop();
            table.insert(field.key.clone(), value);
        }
        in_order(&mut table);
        Json::Object(table)
    }

    /// Gives tables with the same name different names.
    fn name_apart(&mut self, tables: &mut [Json]) {
        let mut seen = Vec::new();
        for (index, table) in tables.iter_mut().enumerate() {
            let Some(name) = table.get("name").and_then(Json::as_str).map(str::to_owned) else { continue };
            if seen.contains(&name) {
                table["name"] = json!(format!("n{index}"));
            }
            seen.push(name);
        }
    }

    /// Changes the routes of a flow to existing links.
    fn route(&mut self, flow: &mut Json, links: Option<&Json>) {
        let Some(flow) = flow.as_object_mut() else { return };
        if let Some(paths) = flow.get_mut("paths").and_then(Json::as_array_mut) {
            let others = links.and_then(Json::as_array).into_iter().flatten();
            let mut names: Vec<_> = others.filter_map(|link| link["name"].as_str()).collect();
            names.push("bottleneck");
            paths.iter_mut().for_each(|path| *path = json!([*self.dice.of(&names)]));
            for other in ["route", "return_route", "route_changes", "tunnel", "reading", "source_reading"] {
                flow.remove(other);
            }
            return;
        }
        if flow.contains_key("route_changes") {
            flow.remove("tunnel");
        }
        if !["route", "route_changes"].iter().any(|key| flow.contains_key(*key)) {
            return tunnel_between(flow, "left", "right");
        }
        let mut near: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let ends = links.and_then(Json::as_array).into_iter().flatten().filter_map(|link| {
            let ends = link["ends"].as_array()?;
            Some((ends.first()?.as_str()?, ends.get(1)?.as_str()?))
        });
        for (one, other) in ends.chain([("left", "right")]).filter(|(one, other)| one != other) {
            near.entry(one).or_default().push(other);
            near.entry(other).or_default().push(one);
        }
        let nodes: Vec<&str> = near.keys().copied().collect();
        let walk = |dice: &mut Dice, from: &str| {
            let mut route = vec![from.to_owned()];
            for _ in 0..=dice.below(4) {
                let last = route.last().expect("a start").clone();
                let fresh: Vec<_> =
                    near[last.as_str()].iter().filter(|node| !route.iter().any(|one| one == *node)).collect();
                if fresh.is_empty() {
                    break;
                }
                route.push((**dice.of(&fresh)).to_owned());
            }
            route
        };
        let start = *self.dice.of(&nodes);
        let there = walk(&mut self.dice, start);
        if flow.contains_key("return_route") {
            // The return route ends where it has to, if a few attempts find such a route; otherwise it is the forward
            // route reversed.
            let back = (0..8)
                .map(|_| walk(&mut self.dice, there.last().expect("a start")))
                .find(|back| back.last() == there.first());
            flow.insert(
                "return_route".to_owned(),
                json!(back.unwrap_or_else(|| there.iter().rev().cloned().collect())),
            );
        }
        for change in flow.get_mut("route_changes").and_then(Json::as_array_mut).into_iter().flatten() {
            // Another route between the same ends, if a few attempts find one.
            let other = (0..8).map(|_| walk(&mut self.dice, start)).find(|other| other.last() == there.last());
            let other = other.unwrap_or_else(|| there.clone());
            change["route"] = json!(other);
            if change.get("return_route").is_some() {
                change["return_route"] = json!(other.iter().rev().collect::<Vec<_>>());
            }
        }
        if let [from, .., to] = &there[..] {
            tunnel_between(flow, from, to);
        }
        flow.insert("route".to_owned(), json!(there));
    }
}

/// Gives a flow's tunnel the ends of its route, where the tunnel names its own.
fn tunnel_between(flow: &mut Map<String, Json>, from: &str, to: &str) {
    let Some(tunnel) = flow.get_mut("tunnel").and_then(Json::as_object_mut) else { return };
    for (key, node) in [("from", from), ("to", to)] {
        if let Some(end) = tunnel.get_mut(key) {
            *end = json!(node);
        }
    }
}

/// Puts values into the required order. The tables of a list are ordered by their times, and steps begin at the start.
/// There are as many probabilities as values, and the last probability is one. A link has two ends.
fn in_order(table: &mut Map<String, Json>) {
    let at = |value: &Json, key: &str| value.get(key).and_then(values::size);
    for (key, value) in table.iter_mut() {
        let Json::Array(items) = value else { continue };
        for order in ["at", "from"] {
            if items.iter().all(|item| at(item, order).is_some()) {
                items.sort_by(|a, b| at(a, order).unwrap_or(0.0).total_cmp(&at(b, order).unwrap_or(0.0)));
                items.dedup_by(|a, b| at(a, order) == at(b, order));
            }
        }
        if key == "steps" && at(&items[0], "at").is_some() {
            items[0]["at"] = json!("0s");
        }
        if key == "ends" {
            items.truncate(2);
        }
    }
    if let (Some(Json::Array(values)), Some(Json::Array(probabilities))) =
        (table.get("values").cloned(), table.get_mut("probabilities"))
    {
        let last = values.len() - 1;
        *probabilities = (0..values.len())
            .map(|index| json!(if index == last { 1.0 } else { index as f64 / values.len() as f64 }))
            .collect();
    }
}
