//! A queue in a scenario: a kind of the catalogue of queues, its limit, and the parameters of that kind. A limit in its place
//! means drop-tail.

use ackclock_net::queue::{self, CATALOGUE, Parameter};
use serde_json::{Map, Value as Json};

use super::kinds::{Real, Spelled, real, spelled};
use super::record::{FieldInfo, Present, Reader, Slot, default};
use super::spellings::QueueLimit;
use super::union::{Union, VariantInfo};

/// A queue.
#[derive(Clone, PartialEq, Debug)]
pub struct Queue {
    /// Its name in the catalogue.
    pub kind: &'static str,
    /// How much it holds at most.
    pub limit: QueueLimit,
    /// The parameters of the catalogue's entry, in that order.
    pub parameters: Vec<(&'static str, f64)>,
}

impl Queue {
    /// The queue that a link is given, `limit` being its own with bandwidth-delay products as bytes.
    ///
    /// # Panics
    /// Where the limit is in bandwidth-delay products.
    pub(crate) fn of_link(&self, limit: QueueLimit) -> ackclock_net::Queue {
        let limit = match limit {
            QueueLimit::Packets(packets) => ackclock_net::Limit::Packets(packets),
            QueueLimit::Bytes(bytes) => ackclock_net::Limit::Bytes(bytes),
            QueueLimit::Unlimited => ackclock_net::Limit::Unlimited,
            QueueLimit::Bdp(_) => unreachable!("a scenario resolves bandwidth-delay products to bytes"),
        };
        let entry = queue::by_name(self.kind).expect("in the catalogue");
        ackclock_net::Queue { entry, limit, given: self.parameters.clone() }
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

fn limit() -> Present<Spelled<QueueLimit>> {
    default("1bdp", spelled())
}

fn number(parameter: &Parameter) -> Present<Real> {
    let (least, most) = parameter.range;
    default(parameter.default, real(least, most))
}

impl Union for Queue {
    const OTHERWISE: Option<(&'static str, &'static str)> = Some(("drop-tail", LIMIT));
    const KINDS: &'static [&'static str] = &KINDS;

    fn read(kind: &str, reader: &mut Reader<'_, '_>) -> Option<Queue> {
        let entry = queue::by_name(kind)?;
        let limit = limit().read(LIMIT, reader);
        let read = |parameter: &Parameter| (parameter.name, number(parameter).read(parameter.name, reader));
        let parameters: Vec<_> = entry.parameters.iter().map(read).collect();
        let keys: Vec<_> = std::iter::once(LIMIT).chain(entry.parameters.iter().map(|one| one.name)).collect();
        reader.refuse_other_keys(&keys);
        Some(Queue { kind: entry.name, limit, parameters })
    }

    fn write(&self) -> (&'static str, Map<String, Json>) {
        let mut fields = Map::new();
        fields.extend(limit().write(&self.limit).map(|limit| (LIMIT.to_owned(), limit)));
        fields.extend(self.parameters.iter().map(|&(name, value)| (name.to_owned(), Json::from(value))));
        (self.kind, fields)
    }

    fn variants() -> Vec<VariantInfo> {
        let fields = |parameters: &[Parameter]| -> Vec<FieldInfo> {
            let limit = limit().info(LIMIT, "How much it holds at most, at least one packet.".to_owned());
            let own = |parameter: &Parameter| number(parameter).info(parameter.name, parameter.summary.to_owned());
            std::iter::once(limit).chain(parameters.iter().map(own)).collect()
        };
        let variant = |entry: &queue::Entry| VariantInfo {
            kind: entry.name,
            doc: entry.summary.to_owned(),
            fields: fields(entry.parameters),
        };
        CATALOGUE.iter().map(variant).collect()
    }
}
