//! Transports besides TCP: those that are built in, and those of libraries.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ackclock_core::Nanos;
use ackclock_plugin::Beacon;
use ackclock_scenario::Libraries;
use ackclock_sim::endpoint::foreign::{Calls, Failed};
use ackclock_tcp::cc::seconds;
use ackclock_transport::{Features, Parameter, Parameters, Range, Setup, Stack, Transport, Value};
use pyo3::prelude::*;
use serde_json::{Value as Json, json};
use sha2::{Digest as _, Sha256};

use crate::errors::python::TransportError;

/// Returns the transports that are built in.
pub fn built_in() -> Vec<Arc<dyn Stack>> {
    vec![Arc::new(ackclock_quinn::stack())]
}

/// The stacks of the libraries that this process has opened, by the digests of their files. Libraries are never closed.
static OPENED: Mutex<BTreeMap<String, Vec<Arc<dyn Stack>>>> = Mutex::new(BTreeMap::new());

/// Returns the function that opens libraries whose paths are relative to a folder.
pub fn libraries(folder: &Path) -> Libraries {
    let folder = folder.to_owned();
    Arc::new(move |path| open(&folder.join(path)))
}

/// Opens a library of transports. The system loads a private copy of the file, because a compiler may overwrite the file
/// meanwhile.
fn open(path: &Path) -> Result<Vec<Arc<dyn Stack>>, String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(stacks) = opened.get(&digest) {
        return Ok(stacks.clone());
    }
    let copy = tempfile::Builder::new()
        .prefix("ackclock-")
        .suffix(&path.extension().map_or_else(String::new, |end| format!(".{}", end.display())))
        .tempfile()
        .and_then(|mut file| file.write_all(&bytes).map(|()| file.into_temp_path()))
        .map_err(|error| format!("it cannot be copied: {error}"))?;
    let stacks = ackclock_plugin::transports(&copy)?;
    let sourced = |stack| Arc::new(Sourced { stack, source: digest.clone() }) as Arc<dyn Stack>;
    let stacks: Vec<_> = stacks.into_iter().map(sourced).collect();
    opened.insert(digest, stacks.clone());
    Ok(stacks)
}

/// A stack of a library, whose source is the digest of the library's file.
struct Sourced {
    stack: Arc<dyn Stack>,
    source: String,
}

impl Stack for Sourced {
    fn name(&self) -> &str {
        self.stack.name()
    }

    fn summary(&self) -> &str {
        self.stack.summary()
    }

    fn source(&self) -> &str {
        &self.source
    }

    fn parameters(&self) -> &[Parameter] {
        self.stack.parameters()
    }

    fn overhead(&self) -> u32 {
        self.stack.overhead()
    }

    fn features(&self) -> Features {
        self.stack.features()
    }

    fn check(&self, datagram: u32, parameters: &Parameters) -> Result<(), String> {
        self.stack.check(datagram, parameters)
    }

    fn create(&self, now: Nanos, setup: &Setup<'_>) -> Result<Box<dyn Transport>, String> {
        self.stack.create(now, setup)
    }
}

/// Returns the rows of the catalogue: TCP and the transports that are built in.
pub fn rows() -> Vec<Json> {
    let tcp = json!({
        "name": "tcp",
        "summary": "The TCP of this engine; its settings are fields of the flow.",
        "source": "RFC 9293",
        "parameters": [],
    });
    std::iter::once(tcp).chain(built_in().iter().map(|stack| row(&**stack))).collect()
}

/// Returns a transport with its parameters: name, summary, source and parameters, each with name, summary, default and
/// either least and most or names.
pub fn row(stack: &dyn Stack) -> Json {
    let value = |value: &Value| match value {
        Value::Number(number) => Json::from(*number),
        Value::Name(name) => Json::from(name.as_str()),
    };
    let parameter = |one: &Parameter| {
        let mut row = json!({ "name": one.name, "summary": one.summary, "default": value(&one.default) });
        match &one.range {
            Range::Numbers(least, most) => {
                row["least"] = Json::from(*least);
                row["most"] = Json::from(*most);
            }
            Range::Names(names) => {
                row["names"] =
                    names.iter().map(|(name, summary)| json!({ "name": name, "summary": summary })).collect();
            }
        }
        row
    };
    json!({
        "name": stack.name(),
        "summary": stack.summary(),
        "source": stack.source(),
        "parameters": stack.parameters().iter().map(parameter).collect::<Vec<_>>(),
    })
}

/// Keeps the first mistake of a transport, and tells a file of the call in progress.
pub struct Told {
    mistake: OnceLock<Failed>,
    beacon: Option<Beacon>,
}

impl Told {
    /// Creates the receiver of the calls of a run, with the path of a file to be told.
    ///
    /// # Errors
    /// `OSError` if the file cannot be written.
    pub fn new(path: Option<&Path>) -> PyResult<Told> {
        Ok(Told { mistake: OnceLock::new(), beacon: path.map(Beacon::open).transpose()? })
    }
}

impl Calls for Told {
    fn failed(&self) -> bool {
        self.mistake.get().is_some()
    }

    fn fail(&self, failed: Failed) {
        // Only the first mistake is kept.
        let _ = self.mistake.set(failed);
    }

    fn failure(&self) -> Option<Failed> {
        self.mistake.get().cloned()
    }

    fn enter(&self, stack: &str, flow: &str, call: &'static str, now: Nanos) {
        if let Some(beacon) = &self.beacon {
            beacon.enter(stack, flow, call, now);
        }
    }

    fn leave(&self) {
        if let Some(beacon) = &self.beacon {
            beacon.leave();
        }
    }
}

/// Returns the mistake of a transport that ended a run as `ackclock.TransportError`.
pub fn error(failed: Failed) -> PyErr {
    let Failed { stack, flow, now, call, what } = failed;
    TransportError::new_err((stack, flow, seconds(now), call, what))
}
