//! The fields that a scenario gives connections of tmix.

use super::{Party, Tmix, Vectors};
use crate::Side;
use crate::completion::Path;
use crate::demand::Demand;
use crate::fields::{Alone, Flag, Format, FromFile, OneOf, default, one_of, record, required, table};
use crate::kind::{AppKind, Made};
use ackclock_results::BINS;

record! {
    /// Connections with the data units and think times of tmix connection vectors, which are read from a file.
    pub struct Fields {
        /// File with the connection vectors.
        vectors: VectorFile = required(table());
        /// End that opens the connections; with the sink as initiator the source is a server.
        initiator: Side = default("sink", side());
        /// Whether the tables tmix_connections and tmix_epochs have a row for every connection and epoch; they grow
        /// with the run.
        records: bool = default(false, Flag);
    }
}

/// Returns the ends of a flow by name.
fn side() -> OneOf<Side> {
    let options = [
        ("source", Side::Source, "the end whose data crosses the bottleneck in the forward direction"),
        ("sink", Side::Sink, "the other end"),
    ];
    one_of("end", options)
}

/// Connection vectors and the file that they were read from.
pub type VectorFile = FromFile<VectorFormat>;

/// The file format of tmix connection vectors.
#[derive(Clone, PartialEq, Debug)]
pub struct VectorFormat;

impl Format for VectorFormat {
    type Content = Vectors;
    const NOUN: &'static str = "a file of tmix connection vectors";
    const EXAMPLE: &'static str = "web.cvec";
    const ACCEPTED: &'static str =
        "connections in either of tmix's formats, in lines such as \"SEQ 0 1\", \"> 300\", \"t 10000\", \"< 12500\"";
    const PATH_DOC: &'static str = "The file, in the original format or in the alternate one.";

    fn decode(bytes: &[u8]) -> Result<Vectors, String> {
        Vectors::parse(bytes).map_err(|error| error.to_string())
    }
}

impl Alone for VectorFormat {
    const DOC: &'static str = "A file of tmix connection vectors.";

    fn placeholder() -> Vectors {
        Vectors::parse(b"SEQ 0 1\n> 1").expect("vectors")
    }
}

impl AppKind for Fields {
    fn demand(&self, time: f64, _path: Path) -> Demand {
        let begun = || self.vectors.content.connections().iter().filter(|one| one.start as f64 / 1e9 <= time);
        let (source, sink) = match self.initiator {
            Side::Source => (Party::Initiator, Party::Acceptor),
            Side::Sink => (Party::Acceptor, Party::Initiator),
        };
        let bytes = |party| begun().map(|one| one.bytes(party) as f64).sum::<f64>();
        let steps = |party: Party| begun().map(|one| one.steps[party as usize].len() as f64).sum::<f64>();
        let (connections, epochs) = (begun().count() as f64, begun().map(|one| one.epochs.len() as f64).sum::<f64>());
        let rows = connections + epochs;
        Demand {
            bytes: bytes(source),
            messages: steps(source),
            reverse_bytes: bytes(sink),
            reverse_messages: steps(sink),
            connections,
            open: connections,
            rows: 3.0 + rows.min(2.0 * BINS) + if self.records { rows } else { 0.0 },
            ..Demand::default()
        }
    }

    fn make(&self, path: Path, _flow: &str) -> Made {
        Ok(Box::new(Tmix::new(self.vectors.content.clone(), self.initiator, self.records, path)))
    }
}
