//! Kinds of lists.

use serde_json::{Value as Json, json};

use crate::kinds::{Info, Kind};
use crate::problems::Problems;
use crate::renewal::Renewal;
use crate::tree::{KeyPath, Node, Value};

/// A list of at least one item.
pub struct List<K> {
    /// Noun for one item.
    item_noun: &'static str,
    item: K,
}

/// Returns the kind of a list of at least one `item`.
pub const fn list<K>(item_noun: &'static str, item: K) -> List<K> {
    List { item_noun, item }
}

impl<K: Kind> Kind for List<K> {
    type Value = Vec<K::Value>;

    fn renew(&self, node: &mut Node, at: &KeyPath, renewal: &mut Renewal) {
        let Value::List(items) = &mut node.value else { return };
        for (index, item) in items.iter_mut().enumerate() {
            self.item.renew(item, &at.index(index), renewal);
        }
    }

    fn read(&self, node: &Node, at: &KeyPath, problems: &mut Problems<'_>) -> Vec<K::Value> {
        match &node.value {
            Value::List(items) if !items.is_empty() => {
                let read = |(index, item)| self.item.read(item, &at.index(index), problems);
                items.iter().enumerate().map(read).collect()
            }
            Value::List(_) => {
                problems.add(at.clone(), format!("there is no {}; accepted: {}", self.item_noun, self.info().accepts));
                Vec::new()
            }
            _ => {
                problems.add(at.clone(), format!("{} is not a list; accepted: {}", node.shown(), self.info().accepts));
                Vec::new()
            }
        }
    }

    fn placeholder(&self) -> Vec<K::Value> {
        Vec::new()
    }

    fn write(&self, value: &Vec<K::Value>) -> Json {
        value.iter().map(|item| self.item.write(item)).collect()
    }

    fn info(&self) -> Info {
        let Info { noun, unit, accepts, schema, nested } = self.item.info();
        Info {
            noun: format!("list of {noun}s"),
            unit,
            accepts: format!("a list with at least one {}, each {accepts}", self.item_noun),
            schema: json!({ "type": "array", "minItems": 1, "items": schema }),
            nested: nested.into_iter().map(|(path, field)| (format!("[]{path}"), field)).collect(),
        }
    }
}

/// A list in ascending order, without duplicates.
pub struct Ascending<K>(pub List<K>);

impl<K: Kind<Value: PartialOrd>> Kind for Ascending<K> {
    type Value = Vec<K::Value>;

    fn renew(&self, node: &mut Node, at: &KeyPath, renewal: &mut Renewal) {
        self.0.renew(node, at, renewal);
    }

    fn read(&self, node: &Node, at: &KeyPath, problems: &mut Problems<'_>) -> Vec<K::Value> {
        let values = self.0.read(node, at, problems);
        if let Value::List(items) = &node.value {
            for index in 1..values.len() {
                let (path, before) = (at.index(index), at.index(index - 1));
                if !problems.sound(&path) || !problems.sound(&before) || values[index - 1] < values[index] {
                    continue;
                }
                let how = if values[index - 1] == values[index] { "repeats" } else { "is below" };
                let (written, previous) = (items[index].shown(), items[index - 1].shown());
                let message = format!("{written} {how} {previous} before it; accepted: ascending order, each once");
                problems.add(path, message);
            }
        }
        values
    }

    fn placeholder(&self) -> Vec<K::Value> {
        Vec::new()
    }

    fn write(&self, value: &Vec<K::Value>) -> Json {
        self.0.write(value)
    }

    fn info(&self) -> Info {
        let mut info = self.0.info();
        info.accepts.push_str(", in ascending order");
        info.schema["uniqueItems"] = Json::from(true);
        info
    }
}
