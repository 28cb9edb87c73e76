//! The fields that a scenario gives a live client.

use std::sync::Arc;

use ackclock_core::Nanos;

use super::catchup::Control;
use super::{CatchUp, Live, Measure};
use crate::abr::{Estimator, Registered, Rule, rate_adaptation};
use crate::completion::Path;
use crate::dash::estimator;
use crate::demand::{self, Demand, repeated};
use crate::fields::{
    Ascending, OneOf, Rules, TIME, default, like, list, one_of, optional, quoted, rate, real, record, required, time,
    volume,
};
use crate::kind::{AppKind, Made};

record! {
    /// A client of live video at low latency, which fetches segments from the source in chunks as they are made.
    pub struct Fields {
        /// Bitrates in which the video is available.
        ladder: Vec<u64> = required(Ascending(list("bitrate", rate().positive())));
        /// Playing time of a segment of the video.
        segment: Nanos = required(time().positive());
        /// Playing time of a chunk, of which a whole number is in a segment.
        chunk: Nanos = required(time().positive());
        /// Time from an event to its playback that the client keeps to, as in the example of DASH-IF's guidelines.
        latency: Nanos = default("3500ms", time().positive());
        /// Time from the end of a chunk's recording until the server has the chunk.
        encode: Nanos = default("0s", time());
        /// Rate adaptation algorithm.
        abr: Rule = default("throughput", rate_adaptation());
        /// Fraction of the estimated throughput that the throughput rule uses (`bandwidthSafetyFactor` of dash.js).
        safety: f64 = default(0.9, real(0.01, 10.0));
        /// Method by which the throughput rule estimates the throughput.
        estimator: Estimator = default("ewma", estimator());
        /// Measurement of a download that the rate adaptation hears of.
        measure: Measure = default("chunks", measure());
        /// Control of the playback rate.
        catchup: CatchUp = default("latency", catchup());
        /// Lowest playback rate, as in the example of DASH-IF's guidelines.
        rate_min: f64 = default(0.96, real(0.1, 1.0));
        /// Highest playback rate, as in the example of DASH-IF's guidelines.
        rate_max: f64 = default(1.04, real(1.0, 4.0));
        /// Latency above its target from which on the client skips media, such as the 12 s of dash.js.
        max_drift: Option<Nanos> = optional("media is never skipped", time().positive());
        /// Playing time in the buffer at which playback starts.
        startup: Nanos = like("chunk", time().positive());
        /// Playing time in the buffer at which playback resumes after a stall.
        resume: Nanos = like("chunk", time().positive());
        /// Think time of the server before it answers a request.
        think: Nanos = default("0s", time());
        /// Size of a request.
        request_size: u64 = default("300B", volume().within(1, 1 << 20));
        /// Size of the header of an answer.
        header_size: u64 = default("300B", volume().within(0, 1 << 20));
        /// Coefficient of variation of the segment sizes, which are log-normal; all bitrates of a segment vary by the
        /// same factor.
        size_cv: f64 = default(0.0, real(0.0, 10.0));
        /// Interval of the rows of `live_samples`.
        sample: Option<Nanos> = optional("no rows", time().positive());
    }
}

/// Returns the measurements by name.
fn measure() -> OneOf<Measure> {
    let options = [
        ("chunks", Measure::Chunks, "the bytes of each chunk over the time in which they arrive"),
        ("segments", Measure::Segments, "the bytes of the segment over the time from its first to its last byte"),
    ];
    one_of("measurement", options)
}

/// Returns the controls of the playback rate by name.
pub(crate) fn catchup() -> OneOf<CatchUp> {
    let options = [
        ("latency", CatchUp::Latency, "a sigmoid of the latency, the default mode of dash.js"),
        ("lol-plus", CatchUp::Buffer, "the same, slower while the buffer is below 0.5 s, the mode LoL+ of dash.js"),
        ("off", CatchUp::Off, "always 1"),
    ];
    one_of("control of the playback rate", options)
}

impl Fields {
    /// Returns the control of the playback rate.
    pub(super) fn control(&self) -> Control {
        Control { method: self.catchup, slowest: self.rate_min, fastest: self.rate_max }
    }
}

impl AppKind for Fields {
    fn own_rule(&self) -> Option<&Arc<Registered>> {
        self.abr.registered()
    }

    fn check(&self, rules: &mut Rules<'_, '_>) {
        let [segment, chunk, latency] = ["segment", "chunk", "latency"].map(|key| rules.at.key(key));
        let uneven = self.segment.checked_rem(self.chunk).is_some_and(|rest| rest != 0);
        let message = format!(
            "is not a whole part of the segment; accepted: {} divided by a whole number",
            quoted(&TIME.write(self.segment))
        );
        rules.refuse(uneven, "chunk", std::slice::from_ref(&segment), &TIME.write(self.chunk), message);
        // A chunk can be played when all of it is there.
        let least = self.chunk.saturating_add(self.encode);
        let message = format!(
            "is less than a chunk takes to be made; accepted: more than chunk and encode, {}",
            quoted(&TIME.write(least))
        );
        let needs = [chunk, rules.at.key("encode")];
        rules.refuse(self.latency <= least, "latency", &needs, &TIME.write(self.latency), message);
        // The client holds no more media than there is between its position and the live edge.
        for (key, time) in [("startup", self.startup), ("resume", self.resume)] {
            let most = self.latency.saturating_sub(self.encode);
            let message = format!(
                "is more than there is between the client and the live edge; accepted: at most {}",
                quoted(&TIME.write(most))
            );
            let more = time > most && self.latency > least;
            rules.refuse(more, key, std::slice::from_ref(&latency), &TIME.write(time), message);
        }
    }

    fn demand(&self, time: f64, path: Path) -> Demand {
        let seconds = |time: Nanos| time as f64 / 1e9;
        let segment = seconds(self.segment);
        let most = self.ladder.last().copied().unwrap_or(0) as f64;
        let played = (time + seconds(self.latency)) / segment + 2.0;
        let fetched = repeated(time, path.least_answer_s(0.0));
        let segments = played.min(fetched);
        let chunks = segments * (self.segment / self.chunk.max(1)) as f64;
        let bytes = segments * (most / 8.0 * segment + self.header_size as f64) + chunks;
        let samples = self.sample.map_or(0.0, |sample| repeated(time, seconds(sample)));
        Demand {
            bytes: if self.size_cv > 0.0 { demand::drawn(bytes) } else { bytes },
            messages: chunks,
            reverse_bytes: segments * self.request_size as f64,
            reverse_messages: segments,
            connections: 1.0,
            open: 1.0,
            rows: segments + samples + 1.0,
            ..Demand::default()
        }
    }

    fn make(&self, _path: Path, flow: &str) -> Made {
        Ok(Box::new(Live::new(self.clone(), flow)))
    }
}
