//! quiche's log (qlog), and the facts about a connection that only it tells.

use std::collections::BTreeMap;
use std::io;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ackclock_core::Nanos;
use ackclock_transport::StreamId;
use serde::Deserialize;

/// An event of the log, with the fields that are read here.
#[derive(Deserialize)]
struct Record<'a> {
    name: &'a str,
    #[serde(borrow)]
    data: Data<'a>,
}

#[derive(Deserialize)]
struct Data<'a> {
    #[serde(borrow)]
    header: Option<Header<'a>>,
    #[serde(borrow, default)]
    frames: Vec<Frame<'a>>,
    congestion_window: Option<u64>,
    ssthresh: Option<u64>,
    bytes_in_flight: Option<u64>,
    latest_rtt: Option<f64>,
    pacing_rate: Option<u64>,
}

#[derive(Deserialize)]
struct Header<'a> {
    packet_type: &'a str,
    packet_number: Option<u64>,
}

#[derive(Deserialize)]
struct Frame<'a> {
    frame_type: &'a str,
    stream_id: Option<StreamId>,
    offset: Option<u64>,
    fin: Option<bool>,
    raw: Option<Raw>,
    /// First and last packet number of each range; a range of one packet has one number.
    #[serde(default)]
    acked_ranges: Vec<Vec<u64>>,
}

#[derive(Deserialize)]
struct Raw {
    payload_length: Option<u64>,
}

/// The state of an end as its log tells it.
#[derive(Default, Debug)]
pub(crate) struct Tally {
    /// Congestion window, in bytes.
    pub(crate) window: Option<u64>,
    /// Slow start threshold, in bytes.
    pub(crate) threshold: Option<u64>,
    /// Bytes in flight.
    pub(crate) in_flight: Option<u64>,
    /// Latest RTT sample, in ns.
    pub(crate) latest_rtt: Option<Nanos>,
    /// Pacing rate, in bit/s.
    pub(crate) pacing_rate: Option<u64>,
    /// Times that the window fell.
    pub(crate) falls: u64,
    /// Stream bytes in the packets since the last call of [`Log::sent`], and whether some of them are sent for the first
    /// time and some were sent before.
    payload: u64,
    is_new: bool,
    is_repeated: bool,
    /// The end of what was sent of each stream.
    sent: BTreeMap<StreamId, u64>,
    /// Numbers of the packets with the end of a stream, until one of them is acknowledged.
    ends: BTreeMap<StreamId, Vec<u64>>,
    /// Records that could not be read.
    unread: u64,
}

/// Stream bytes of a datagram.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Payload {
    /// Number of stream bytes.
    pub(crate) bytes: u32,
    /// Whether some of them were sent before.
    pub(crate) is_repeated: bool,
    /// Whether all of them were sent before.
    pub(crate) is_retransmission: bool,
}

impl Tally {
    fn read(&mut self, record: &[u8]) {
        // Most records tell nothing that is needed, and reading them takes a good part of the time of a run.
        let is_needed = match name(record) {
            Some(b"packet_sent") => memchr::memmem::find(record, br#""frame_type":"stream""#).is_some(),
            Some(b"packet_received") => !self.ends.is_empty(),
            _ => true,
        };
        if !is_needed {
            return;
        }
        let Ok(Record { name, data }) = serde_json::from_slice::<Record<'_>>(record) else {
            self.unread += 1;
            return;
        };
        match name {
            "quic:packet_sent" => self.packet_sent(&data),
            "quic:packet_received" => self.packet_received(&data),
            "quic:recovery_metrics_updated" => self.metrics(&data),
            _ => {}
        }
    }

    fn packet_sent(&mut self, data: &Data<'_>) {
        for frame in data.frames.iter().filter(|frame| frame.frame_type == "stream") {
            let (Some(stream), Some(offset)) = (frame.stream_id, frame.offset) else { continue };
            let length = frame.raw.as_ref().and_then(|raw| raw.payload_length).unwrap_or(0);
            let sent = self.sent.entry(stream).or_default();
            if length > 0 {
                self.is_repeated |= offset < *sent;
                self.is_new |= offset + length > *sent;
            }
            self.payload += length;
            *sent = (*sent).max(offset + length);
            if frame.fin == Some(true)
                && let Some(number) = data.header.as_ref().and_then(|header| header.packet_number)
            {
                self.ends.entry(stream).or_default().push(number);
            }
        }
    }

    fn packet_received(&mut self, data: &Data<'_>) {
        // Streams are sent in 1-RTT packets only, whose numbers are a space of their own (RFC 9000, section 12.3).
        if data.header.as_ref().is_none_or(|header| header.packet_type != "1RTT") {
            return;
        }
        let ranges: Vec<_> = data.frames.iter().flat_map(|frame| &frame.acked_ranges).collect();
        let acknowledged = |number: &u64| {
            ranges.iter().any(|range| {
                let (Some(first), Some(last)) = (range.first(), range.last()) else { return false };
                (first..=last).contains(&number)
            })
        };
        self.ends.retain(|_, numbers| !numbers.iter().any(acknowledged));
    }

    fn metrics(&mut self, data: &Data<'_>) {
        if let Some(window) = data.congestion_window {
            self.falls += u64::from(self.window.is_some_and(|before| window < before));
            self.window = Some(window);
        }
        if let Some(threshold) = data.ssthresh {
            // quiche's first threshold is the largest number.
            self.threshold = (threshold < u64::MAX).then_some(threshold);
        }
        self.in_flight = data.bytes_in_flight.or(self.in_flight);
        const NS: f64 = 1e6;
        self.latest_rtt =
            data.latest_rtt.filter(|rtt| *rtt > 0.0).map(|rtt| (rtt * NS).round() as Nanos).or(self.latest_rtt);
        const BITS: u64 = 8;
        self.pacing_rate = data.pacing_rate.map(|rate| rate.saturating_mul(BITS)).or(self.pacing_rate);
    }
}

/// Returns the name of the event in a record as quiche writes it, after the time and without its namespace.
fn name(record: &[u8]) -> Option<&[u8]> {
    const BEFORE: &[u8] = br#","name":"quic:"#;
    let comma = record.iter().position(|byte| *byte == b',')?;
    let rest = record.get(comma..)?.strip_prefix(BEFORE)?;
    rest.get(..rest.iter().position(|byte| *byte == b'"')?)
}

#[derive(Default, Debug)]
struct Inner {
    tally: Tally,
    /// Bytes for the user, if a log is wanted.
    kept: Option<Vec<u8>>,
}

/// The log of an end, as the end reads it.
#[derive(Clone, Default, Debug)]
pub(crate) struct Log(Arc<Mutex<Inner>>);

impl Log {
    /// Creates a log, whose bytes are kept for the user if `keeps`.
    pub(crate) fn new(keeps: bool) -> Log {
        Log(Arc::new(Mutex::new(Inner { kept: keeps.then(Vec::new), ..Inner::default() })))
    }

    /// Returns a writer.
    pub(crate) fn writer(&self) -> Writer {
        Writer { log: self.clone(), record: Vec::new() }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether bytes are kept for the user.
    pub(crate) fn keeps(&self) -> bool {
        self.inner().kept.is_some()
    }

    /// Removes and returns the bytes for the user.
    pub(crate) fn take(&self) -> Vec<u8> {
        self.inner().kept.as_mut().map(mem::take).unwrap_or_default()
    }

    /// Returns what `read` takes from the state of the end.
    pub(crate) fn tally<T>(&self, read: impl FnOnce(&Tally) -> T) -> T {
        read(&self.inner().tally)
    }

    /// Whether the end of a stream has been sent and acknowledged.
    pub(crate) fn ended(&self, stream: StreamId) -> bool {
        !self.inner().tally.ends.contains_key(&stream)
    }

    /// Notes that the end of a stream is to be sent.
    pub(crate) fn end(&self, stream: StreamId) {
        self.inner().tally.ends.entry(stream).or_default();
    }

    /// Forgets a stream whose end is not sent any more.
    pub(crate) fn abandon(&self, stream: StreamId) {
        self.inner().tally.ends.remove(&stream);
        self.forget(stream);
    }

    /// Forgets a stream.
    pub(crate) fn forget(&self, stream: StreamId) {
        self.inner().tally.sent.remove(&stream);
    }

    /// Returns the stream bytes of the packets since the last call.
    pub(crate) fn sent(&self) -> Payload {
        let tally = &mut self.inner().tally;
        let (bytes, is_new, is_repeated) =
            (mem::take(&mut tally.payload), mem::take(&mut tally.is_new), mem::take(&mut tally.is_repeated));
        Payload { bytes: bytes as u32, is_repeated, is_retransmission: is_repeated && !is_new }
    }
}

/// The writer of a log, which is quiche's.
#[derive(Debug)]
pub(crate) struct Writer {
    log: Log,
    /// The record that is being written.
    record: Vec<u8>,
}

impl io::Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        /// Begins a record (RFC 7464, section 2.2).
        const SEPARATOR: u8 = 0x1e;
        self.record.extend_from_slice(bytes);
        // JSON has no line break within a text, and qlog writes one only at the end of a record.
        if bytes.last() == Some(&b'\n') {
            let inner = &mut *self.log.inner();
            inner.kept.iter_mut().for_each(|kept| kept.extend_from_slice(&self.record));
            inner.tally.read(self.record.strip_prefix(&[SEPARATOR]).unwrap_or(&self.record));
            self.record.clear();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use io::Write;

    use super::*;

    fn log(records: &[&str]) -> Log {
        let log = Log::new(false);
        let mut writer = log.writer();
        for record in records {
            // In pieces, as serde writes it.
            writer.write_all(b"\x1e").unwrap();
            let (one, other) = record.split_at(record.len() / 2);
            writer.write_all(one.as_bytes()).unwrap();
            writer.write_all(other.as_bytes()).unwrap();
            writer.write_all(b"\n").unwrap();
        }
        log
    }

    fn sent(number: u64, offset: u64, length: u64, fin: bool) -> String {
        let fin = if fin { r#""fin":true,"# } else { "" };
        format!(
            r#"{{"time":1.5,"name":"quic:packet_sent","data":{{"header":{{"packet_type":"1RTT","packet_number":{number}}},
            "frames":[{{"frame_type":"stream","stream_id":4,"offset":{offset},{fin}"raw":{{"payload_length":{length}}}}}]}}}}"#
        )
        .replace('\n', " ")
    }

    #[test]
    fn bytes_that_were_sent_before_are_a_retransmission() {
        let log = log(&[&sent(1, 0, 100, false), &sent(2, 100, 50, false)]);
        assert_eq!(log.sent(), Payload { bytes: 150, is_repeated: false, is_retransmission: false });
        for (offset, length, is_repeated, is_retransmission) in
            [(50, 60, true, true), (140, 20, true, false), (160, 0, false, false), (160, 5, false, false)]
        {
            log.writer().write_all(format!("{}\n", sent(3, offset, length, false)).as_bytes()).unwrap();
            assert_eq!(log.sent(), Payload { bytes: length as u32, is_repeated, is_retransmission }, "{offset}");
        }
    }

    #[test]
    fn an_end_is_acknowledged_with_one_of_its_packets() {
        let ack = |kind: &str, ranges: &str| {
            format!(
                r#"{{"time":2.0,"name":"quic:packet_received","data":{{"header":{{"packet_type":"{kind}"}},
                "frames":[{{"frame_type":"ack","acked_ranges":{ranges}}}]}}}}"#
            )
            .replace('\n', " ")
        };
        for (kind, ranges, ended) in [
            ("1RTT", "[[0,6],[8]]", false),
            ("handshake", "[[0,9]]", false),
            ("1RTT", "[[0,7]]", true),
            ("1RTT", "[[1],[9]]", true),
        ] {
            let log = log(&[]);
            log.end(4);
            assert!(!log.ended(4), "it was not sent");
            let mut writer = log.writer();
            for record in [sent(7, 0, 10, true), sent(9, 10, 0, true), ack(kind, ranges)] {
                writer.write_all(format!("{record}\n").as_bytes()).unwrap();
            }
            assert_eq!(log.ended(4), ended, "{kind} {ranges}");
        }
    }

    #[test]
    fn metrics_are_kept_until_they_change() {
        let metrics = |fields: &str| {
            format!(
                r#"{{"time":3.0,"name":"quic:recovery_metrics_updated","data":{{"cf_lost_packets":{{}},{fields}}}}}"#
            )
        };
        let log = log(&[
            &metrics(r#""congestion_window":12000,"ssthresh":18446744073709551615,"latest_rtt":0.0"#),
            &metrics(r#""bytes_in_flight":9,"latest_rtt":20.5"#),
            &metrics(r#""congestion_window":8400,"ssthresh":8400"#),
            &metrics(r#""congestion_window":9600"#),
        ]);
        log.tally(|tally| {
            assert_eq!((tally.window, tally.threshold, tally.in_flight), (Some(9600), Some(8400), Some(9)));
            assert_eq!((tally.latest_rtt, tally.falls), (Some(20_500_000), 1));
            assert_eq!(tally.unread, 0);
        });
    }
}
