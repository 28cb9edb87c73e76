//! A queue in a scenario: a kind from the catalogue of queues, its limit, and the parameters of that kind. A plain
//! limit means a drop-tail queue with that limit.

use ackclock_core::Renamed;
use ackclock_net::Limit;
use ackclock_net::queue::{self, CATALOGUE, Entry, Otherwise, Parameter, Quantity};
use serde_json::{Map, Value as Json};

use super::spellings::QueueLimit;
use ackclock_schema::kinds::{Flag, Info, Kind, Spelled, count, one_of, rate, real, spelled, time, volume};
use ackclock_schema::problems::Problems;
use ackclock_schema::record::{FieldInfo, Present, Reader, Slot, default, optional};
use ackclock_schema::renewal::Renewal;
use ackclock_schema::tree::{KeyPath, Node};
use ackclock_schema::union::{Union, VariantInfo};

/// A queue.
#[derive(Clone, PartialEq, Debug)]
pub struct Queue {
    /// Name in the catalogue.
    pub kind: &'static str,
    /// Maximum length of the queue.
    pub limit: QueueLimit,
    /// Parameters that have a value, in the order of the catalogue's entry.
    pub parameters: Vec<(&'static str, f64)>,
}

impl Queue {
    /// Returns the queue's entry in the catalogue.
    pub fn entry(&self) -> &'static Entry {
        queue::by_name(self.kind).expect("in the catalogue")
    }
}

impl QueueLimit {
    /// Returns the limit for a link.
    ///
    /// # Panics
    /// Panics if the limit is in bandwidth-delay products.
    pub fn of_link(self) -> Limit {
        match self {
            QueueLimit::Packets(packets) => Limit::Packets(packets),
            QueueLimit::Bytes(bytes) => Limit::Bytes(bytes),
            QueueLimit::Unlimited => Limit::Unlimited,
            QueueLimit::Bdp(_) => unreachable!("a scenario resolves bandwidth-delay products to bytes"),
        }
    }
}

const LIMIT: &str = "limit";

const KINDS: [&str; CATALOGUE.len()] = {
    let mut names = [""; CATALOGUE.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = CATALOGUE[index].name;
        index += 1;
    }
    names
};

fn limit(entry: &Entry) -> Present<Spelled<QueueLimit>> {
    let text = match entry.limit {
        None => "1bdp".to_owned(),
        Some(Limit::Unlimited) => "unlimited".to_owned(),
        Some(Limit::Packets(packets)) => format!("{packets} packets"),
        Some(Limit::Bytes(bytes)) => format!("{bytes}B"),
    };
    default(text, spelled())
}

/// Kind of a parameter's value. The value is held as a number, whatever its quantity.
struct Measure(Box<dyn Kind<Value = f64>>);

fn measure(parameter: &Parameter) -> Measure {
    let (least, most) = parameter.range;
    let whole = (least as u64, most as u64);
    Measure(match parameter.quantity {
        Quantity::Number | Quantity::In(_) | Quantity::Probability => Box::new(real(least, most)),
        Quantity::Count(noun) => Box::new(Held(count::<u64>(noun, whole.0, whole.1))),
        Quantity::Time => Box::new(Held(time::<u64>().within(whole.0, whole.1))),
        Quantity::Volume => Box::new(Held(volume::<u64>().within(whole.0, whole.1))),
        Quantity::Rate => Box::new(Held(rate::<u64>().within(whole.0, whole.1))),
        Quantity::Flag => Box::new(Held(Flag)),
        Quantity::Choice(options) => Box::new(Held(one_of(
            parameter.name,
            (0_u64..).zip(options).map(|(place, (name, doc))| (*name, place, *doc)),
        ))),
    })
}

/// Kind of a value that is not a floating-point number by itself and is held as one.
struct Held<K>(K);

trait Number {
    fn number(self) -> f64;
    fn of(number: f64) -> Self;
}

impl Number for u64 {
    fn number(self) -> f64 {
        self as f64
    }

    fn of(number: f64) -> u64 {
        number as u64
    }
}

impl Number for bool {
    fn number(self) -> f64 {
        f64::from(u8::from(self))
    }

    fn of(number: f64) -> bool {
        number != 0.0
    }
}

impl<K: Kind<Value: Number>> Kind for Held<K> {
    type Value = f64;

    fn renew(&self, node: &mut Node, at: &KeyPath, renewal: &mut Renewal) {
        self.0.renew(node, at, renewal);
    }

    fn read(&self, node: &Node, at: &KeyPath, problems: &mut Problems<'_>) -> f64 {
        self.0.read(node, at, problems).number()
    }

    fn placeholder(&self) -> f64 {
        self.0.placeholder().number()
    }

    fn write(&self, value: &f64) -> Json {
        self.0.write(&Number::of(*value))
    }

    fn info(&self) -> Info {
        self.0.info()
    }
}

impl Kind for Measure {
    type Value = f64;

    fn renew(&self, node: &mut Node, at: &KeyPath, renewal: &mut Renewal) {
        self.0.renew(node, at, renewal);
    }

    fn read(&self, node: &Node, at: &KeyPath, problems: &mut Problems<'_>) -> f64 {
        self.0.read(node, at, problems)
    }

    fn placeholder(&self) -> f64 {
        self.0.placeholder()
    }

    fn write(&self, value: &f64) -> Json {
        self.0.write(value)
    }

    fn info(&self) -> Info {
        self.0.info()
    }
}

/// Reads the value of a parameter; `None` where it is not given and follows from other parameters.
fn read(parameter: &Parameter, reader: &mut Reader<'_, '_>) -> Option<f64> {
    let kind = measure(parameter);
    match parameter.default {
        Otherwise::Is(value) => Some(default(kind.write(&value), kind).read(parameter.name, reader)),
        Otherwise::Follows(what) => optional(what, kind).read(parameter.name, reader),
    }
}

fn info(parameter: &Parameter) -> FieldInfo {
    let (kind, doc) = (measure(parameter), parameter.summary.to_owned());
    match parameter.default {
        Otherwise::Is(value) => default(kind.write(&value), kind).info(parameter.name, doc),
        Otherwise::Follows(what) => optional(what, kind).info(parameter.name, doc),
    }
}

impl Union for Queue {
    const OTHERWISE: Option<(&'static str, &'static str)> = Some(("drop-tail", LIMIT));
    const KINDS: &'static [&'static str] = &KINDS;
    const RENAMED: &'static [Renamed] = &[];

    fn renew(kind: &str, node: &mut Node, at: &KeyPath, renewal: &mut Renewal) {
        let Some(entry) = queue::by_name(kind) else { return };
        limit(entry).renew(LIMIT, node, at, renewal);
    }

    fn read(kind: &str, reader: &mut Reader<'_, '_>) -> Option<Queue> {
        let entry = queue::by_name(kind)?;
        let limit = limit(entry).read(LIMIT, reader);
        let value = |parameter: &Parameter| Some((parameter.name, read(parameter, reader)?));
        let parameters: Vec<_> = entry.parameters.iter().filter_map(value).collect();
        let keys: Vec<_> = std::iter::once(LIMIT).chain(entry.parameters.iter().map(|one| one.name)).collect();
        reader.refuse_other_keys(&keys);
        Some(Queue { kind: entry.name, limit, parameters })
    }

    fn write(&self) -> (&'static str, Map<String, Json>) {
        let entry = self.entry();
        let mut fields = Map::new();
        fields.extend(limit(entry).write(&self.limit).map(|limit| (LIMIT.to_owned(), limit)));
        for &(name, value) in &self.parameters {
            let parameter = entry.parameters.iter().find(|parameter| parameter.name == name);
            let kind = measure(parameter.expect("a queue has parameters of its entry"));
            fields.insert(name.to_owned(), kind.write(&value));
        }
        (self.kind, fields)
    }

    fn variants() -> Vec<VariantInfo> {
        let variant = |entry: &Entry| VariantInfo {
            kind: entry.name,
            doc: entry.summary.to_owned(),
            fields: std::iter::once(
                limit(entry).info(LIMIT, "How much it holds at most, at least one packet.".to_owned()),
            )
            .chain(entry.parameters.iter().map(info))
            .collect(),
        };
        CATALOGUE.iter().map(variant).collect()
    }
}
