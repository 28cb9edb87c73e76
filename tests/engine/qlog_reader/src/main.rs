//! Prints a JSON line for the header and for each event of a qlog file, as the types of the crate `qlog` hold them.

use std::env::args;
use std::io::{BufWriter, Write, stdout};

use qlog::events::RawInfo;
use qlog::events::quic::{QuicFrame, RecoveryMetricsUpdated};
use qlog::reader::{Event, QlogSeqReader};
use serde_json::{Value, from_value, json, to_value};

type Failure = Box<dyn std::error::Error>;

/// The parts of an event's data that the drafts define for QUIC, read as the types of those definitions.
fn typed(name: &str, data: &Value) -> Result<Value, serde_json::Error> {
    let raw: Option<RawInfo> = data.get("raw").cloned().map(from_value).transpose()?;
    let frames: Option<Vec<QuicFrame>> = data.get("frames").cloned().map(from_value).transpose()?;
    let metrics: Option<RecoveryMetricsUpdated> = match name {
        "recovery:metrics_updated" => Some(from_value(data.clone())?),
        _ => None,
    };
    // Fields that the type does not have.
    let unknown = metrics.as_ref().map(|one| one.ex_data.keys().cloned().collect::<Vec<_>>());
    Ok(json!({ "raw": to_value(raw)?, "frames": to_value(frames)?, "metrics": to_value(metrics)?, "unknown": unknown }))
}

fn main() -> Result<(), Failure> {
    let path = args().nth(1).ok_or("the path of a file with the ending .sqlog")?;
    let reader = QlogSeqReader::with_file(&path)?;
    let mut out = BufWriter::new(stdout().lock());
    writeln!(out, "{}", to_value(&reader.qlog)?)?;
    for event in reader {
        let (time, name, read) = match event {
            Event::Json(one) => (one.time, one.name.clone(), typed(&one.name, &one.data)?),
            Event::Qlog(one) => (one.time, "an event of QUIC".to_owned(), to_value(&one.data)?),
        };
        writeln!(out, "{}", json!({ "time": time, "name": name, "read": read }))?;
    }
    Ok(out.flush()?)
}
