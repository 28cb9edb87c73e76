//! The fields that a scenario gives connections of tmix.

use serde_json::{Map, Value as Json};

use super::{Tmix, Vectors};
use crate::app::Side;
use crate::app::completion::Path;
use crate::app::kind::{AppKind, Made};
use crate::scenario::fields::{
    DIGEST, FILE, FieldInfo, Flag, Format, FromFile, OneOf, Reader, Record, default, one_of, record, required, table,
};

record! {
    /// Connections with the data units and think times of tmix connection vectors, which lie in a file.
    pub struct Fields {
        /// The vectors.
        vectors: VectorFile = required(table());
        /// The end that opens the connections; the sink makes the source a server.
        initiator: Side = default("sink", side());
        /// Whether every connection and epoch is a row of the tables tmix_connections and tmix_epochs, which grow with the run.
        records: bool = default(false, Flag);
    }
}

/// The ends of a flow by name.
fn side() -> OneOf<Side> {
    let options = [
        ("source", Side::Source, "the end whose data crosses the bottleneck in the forward direction"),
        ("sink", Side::Sink, "the other end"),
    ];
    one_of("end", options)
}

/// Connection vectors and where they came from.
pub type VectorFile = FromFile<Vectors>;

const VECTORS: Format<Vectors> = Format {
    key: FILE,
    noun: "a file of tmix connection vectors",
    example: "web.cvec",
    content: "connections in either of tmix's formats, in lines such as \"SEQ 0 1\", \"> 300\", \"t 10000\", \"< 12500\"",
    decode: |bytes| Vectors::parse(bytes).map_err(|error| error.to_string()),
};

impl Record for VectorFile {
    fn read(reader: &mut Reader<'_, '_>) -> VectorFile {
        let node = reader.node;
        let file = VECTORS.read(|key| node.get(key), reader.at, reader.problems);
        reader.refuse_other_keys(&[VECTORS.key, DIGEST]);
        file.unwrap_or_else(|| {
            let content = Vectors::parse(b"SEQ 0 1\n> 1").expect("vectors").into();
            FromFile { path: String::new(), sha256: String::new(), content }
        })
    }

    fn write(&self) -> Map<String, Json> {
        VECTORS.write(self)
    }

    fn doc() -> String {
        "A file of tmix connection vectors.".to_owned()
    }

    fn fields() -> Vec<FieldInfo> {
        VECTORS.fields("The file, in the original format or in the alternate one.")
    }
}

impl AppKind for Fields {
    fn make(&self, path: Path) -> Made {
        Ok(Box::new(Tmix::new(self.vectors.content.clone(), self.initiator, self.records, path)))
    }
}
