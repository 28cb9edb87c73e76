//! The qlog of an end.

use std::io;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ackclock_transport::Role;
use quinn_proto::{QlogConfig, QlogStream};
use serde_json::Value;

use crate::clock;

/// Bytes of a log that were not taken yet. The writer is quinn-proto's, and the reader is the end.
#[derive(Clone, Default, Debug)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes and returns the records, with the units of the specification.
    pub(crate) fn take(&self) -> Vec<u8> {
        let bytes = mem::take(&mut *self.bytes());
        let mut records = Vec::with_capacity(bytes.len());
        // RFC 7464: each record begins with the record separator.
        for record in bytes.split(|byte| *byte == SEPARATOR).filter(|record| !record.is_empty()) {
            records.push(SEPARATOR);
            match in_milliseconds(record) {
                Some(record) => records.extend(record),
                None => records.extend_from_slice(record),
            }
        }
        records
    }

    /// Returns the stream of events that writes here. Its times are simulated times, in ms.
    pub(crate) fn stream(&self, role: Role) -> Option<QlogStream> {
        let mut config = QlogConfig::default();
        config.writer(Box::new(self.clone())).start_time(clock::origin()).title(Some(
            match role {
                Role::Client => "client",
                Role::Server => "server",
            }
            .to_owned(),
        ));
        config.into_stream()
    }
}

const SEPARATOR: u8 = 0x1e;

/// draft-ietf-quic-qlog-quic-events, section 7.2: "all following rtt fields are expressed in ms".
const RTTS: [&str; 4] = ["min_rtt", "smoothed_rtt", "latest_rtt", "rtt_variance"];

/// Returns a record with its RTTs in milliseconds, or `None` if it has none: quinn-proto (connection/paths.rs,
/// `to_qlog_event`) writes them in seconds. A slow start threshold of the largest integer stands for none.
fn in_milliseconds(record: &[u8]) -> Option<Vec<u8>> {
    let mut event: Value = serde_json::from_slice(record).ok()?;
    if event["name"] != "recovery:metrics_updated" {
        return None;
    }
    let data = event.get_mut("data")?.as_object_mut()?;
    for name in RTTS {
        if let Some(seconds) = data.get(name).and_then(Value::as_f64) {
            // The values are f32, so that nanoseconds are finer than they are.
            data.insert(name.to_owned(), ((seconds * 1e9).round() / 1e6).into());
        }
    }
    if data.get("ssthresh").and_then(Value::as_u64) == Some(u64::MAX) {
        data.remove("ssthresh");
    }
    let mut record = serde_json::to_vec(&event).ok()?;
    record.push(b'\n');
    Some(record)
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
