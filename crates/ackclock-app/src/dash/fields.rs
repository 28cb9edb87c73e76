//! The fields that a scenario gives a session.

use std::sync::Arc;

use super::{Dash, DashParams};
use crate::abr::{Estimator, Registered, Rule, rate_adaptation};
use crate::completion::Path;
use crate::demand::{self, Demand, repeated};
use crate::fields::{
    Ascending, OneOf, Rules, TIME, count, default, like, list, one_of, optional, quoted, rate, real, record, required,
    table, time, volume,
};
use crate::kind::{AppKind, Made};
use ackclock_core::Nanos;

record! {
    /// A client of adaptive video over HTTP, which fetches one segment after the other from the source.
    pub struct Fields {
        /// Bitrates in which the video is available.
        ladder: Vec<u64> = required(Ascending(list("bitrate", rate().positive())));
        /// Playing time of a segment of the video.
        segment: Nanos = required(time().positive());
        /// Number of segments.
        segments: Option<u32> = optional("segments until the run ends", count("segments", 1, 1_000_000));
        /// Rate adaptation algorithm.
        abr: Rule = default("throughput", rate_adaptation());
        /// Capacity of the player's buffer, in playing time.
        buffer: Nanos = default("12s", time().positive());
        /// Playing time in the buffer at which playback starts.
        startup: Nanos = like("segment", time().positive());
        /// Playing time in the buffer at which playback resumes after a stall.
        resume: Nanos = like("segment", time().positive());
        /// Think time of the server before it answers a request.
        think: Nanos = default("0s", time());
        /// Maximum extra think time, drawn uniformly from zero to this value for every request.
        think_jitter: Nanos = default("0s", time());
        /// Size of a request.
        request_size: u64 = default("300B", volume().within(1, 1 << 20));
        /// Size of the header of an answer.
        header_size: u64 = default("300B", volume().within(0, 1 << 20));
        /// Coefficient of variation of the segment sizes, which are log-normal; all bitrates of a segment vary by the
        /// same factor.
        size_cv: f64 = default(0.0, real(0.0, 10.0));
        /// Sizes of the segments: for each bitrate a list with the size of each segment, as a manifest has them. After the
        /// last segment they start again.
        sizes: Option<Vec<Vec<u64>>> = optional("bitrate times duration", list("list of sizes", list("size", volume().positive())));
        /// Fraction of the estimated throughput that the throughput rule uses.
        safety: f64 = default(1.0, real(0.01, 10.0));
        /// Method by which the throughput rule estimates the throughput.
        estimator: Estimator = default("mean", estimator());
        /// Live video, whose segments become available over time.
        live: Option<LiveFields> = optional("on demand: every segment is there from the start", table());
    }
}

/// Returns the estimators by name.
pub(crate) fn estimator() -> OneOf<Estimator> {
    let options = [
        ("last", Estimator::Last, "the rate of the last segment"),
        ("mean", Estimator::Mean, "all bytes so far over all time spent downloading them"),
        ("ewma", Estimator::Ewma, "the lower of a fast and a slow moving average, as dash.js has them"),
    ];
    one_of("estimator", options)
}

record! {
    /// A live presentation that began long before the run. A segment is available once it has been recorded completely.
    pub struct LiveFields {
        /// Delay of the client behind the live event when it joins: its first segment contains the moment this long
        /// before its start.
        latency: Nanos = required(time().positive());
    }
}

/// Returns the bytes of the first segments, each in the bitrate in which it is largest.
fn largest(sizes: &[Vec<u64>], segments: f64) -> f64 {
    let count = sizes.iter().map(Vec::len).max().unwrap_or(0);
    let each: Vec<f64> = (0..count)
        .map(|index| sizes.iter().filter_map(|own| own.get(index)).max().copied().unwrap_or(0) as f64)
        .collect();
    let rounds = libm::floor(segments / count.max(1) as f64);
    let rest = libm::ceil(segments - rounds * count as f64) as usize;
    rounds * each.iter().sum::<f64>() + each.iter().take(rest).sum::<f64>()
}

impl AppKind for Fields {
    fn own_rule(&self) -> Option<&Arc<Registered>> {
        self.abr.registered()
    }

    fn check(&self, rules: &mut Rules<'_, '_>) {
        let segment = rules.at.key("segment");
        let buffer = rules.at.key("buffer");
        let least = quoted(&TIME.write(self.segment));
        let message = format!("does not hold one segment; accepted: at least the segment, {least}");
        let small = self.buffer < self.segment;
        rules.refuse(small, "buffer", std::slice::from_ref(&segment), &TIME.write(self.buffer), message);
        // The buffer holds whole segments: a buffer of 5 s never holds more than 4 s of 2-s segments, and playback
        // would not start.
        let Some(segments) = self.buffer.checked_div(self.segment) else { return };
        let most = TIME.write(segments * self.segment);
        for (key, time) in [("startup", self.startup), ("resume", self.resume)] {
            // The default is one segment; where one segment does not fit, the buffer is too small.
            let needs = [segment.clone(), buffer.clone()];
            let message =
                format!("is more than the buffer holds in whole segments; accepted: at most {}", quoted(&most));
            rules.refuse(time > segments * self.segment && !small, key, &needs, &TIME.write(time), message);
        }
        if let Some(sizes) = &self.sizes {
            let (lists, levels) = (sizes.len(), self.ladder.len());
            let needs = [rules.at.key("ladder")];
            let message = format!("has {lists} lists for {levels} bitrates; accepted: one list for each bitrate");
            rules.refuse(lists != levels, "sizes", &needs, "", message);
            let most = sizes.iter().map(Vec::len).max().unwrap_or(0);
            let short = sizes.iter().position(|own| own.len() != most);
            let message = format!(
                "has {} sizes in list {}, and {most} in another; accepted: lists of the same length",
                short.map_or(0, |index| sizes[index].len()),
                short.unwrap_or(0)
            );
            rules.refuse(short.is_some(), "sizes", &[], "", message);
            let needs = [rules.at.key("sizes")];
            let message = "has no effect beside sizes; accepted: one of the two".to_owned();
            rules.refuse(self.size_cv > 0.0, "size_cv", &needs, "", message);
        }
        if let Some(live) = &self.live {
            let message = format!(
                "is less than the segment in which it lies needs to be there; accepted: at least the segment, {least}"
            );
            rules.of("live").refuse(live.latency < self.segment, "latency", &[segment], "", message);
        }
    }

    fn demand(&self, time: f64, path: Path) -> Demand {
        let [segment, buffer] = [self.segment, self.buffer].map(|time| time as f64 / 1e9);
        let (least, most) = (self.ladder.first().copied().unwrap_or(0), self.ladder.last().copied().unwrap_or(0));
        let nominal = |level: u64| level as f64 / 8.0 * segment;
        let least = match &self.sizes {
            Some(sizes) => sizes.iter().flatten().min().copied().unwrap_or(0) as f64,
            None => nominal(least),
        };
        // Downloads follow each other until the buffer is full; each takes a round trip plus the time of its bytes.
        let played = (time + buffer) / segment + 1.0;
        let fetched = repeated(time, path.least_answer_s(least));
        let segments = played.min(fetched).min(self.segments.map_or(f64::INFINITY, f64::from));
        let media = self.sizes.as_ref().map_or(segments * nominal(most), |sizes| largest(sizes, segments));
        let bytes = media + segments * self.header_size as f64;
        Demand {
            bytes: if self.size_cv > 0.0 { demand::drawn(bytes) } else { bytes },
            messages: segments,
            reverse_bytes: segments * self.request_size as f64,
            reverse_messages: segments,
            connections: 1.0,
            open: 1.0,
            rows: segments + 1.0,
            ..Demand::default()
        }
    }

    fn make(&self, _path: Path, flow: &str) -> Made {
        let params = DashParams {
            ladder: self.ladder.clone(),
            segment: self.segment,
            segments: self.segments,
            abr: self.abr.clone(),
            buffer: self.buffer,
            startup: self.startup,
            resume: self.resume,
            think: self.think,
            think_jitter: self.think_jitter,
            request_size: self.request_size,
            header_size: self.header_size,
            size_cv: self.size_cv,
            sizes: self.sizes.clone().unwrap_or_default(),
            safety: self.safety,
            estimator: self.estimator,
            live: self.live.as_ref().map(|live| live.latency),
        };
        Ok(Box::new(Dash::new(params, flow)?))
    }
}
