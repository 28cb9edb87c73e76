//! The synthetic video source of RFC 8593: the statistical model of section 5, or recorded frame sizes (section 6).

use ackclock_core::{Nanos, Stream};

use super::fields::{Fields, Trace};

/// Largest deviation of a normalised frame size or interval; symmetric, so that the means stay.
const LARGEST: f64 = 0.9;
/// Frames at the beginning of a trace that are not repeated (RFC 8593 section 6.2.1: SkipFrames).
const SKIP: usize = 20;
/// Least and largest frame of a trace in bytes (section 6.2.1: fs_min and fs_max).
const LEAST_FRAME: f64 = 10.0;
const LARGEST_FRAME: f64 = 1e6;

/// The encoder's state. Rates are those of the frames, without headers.
#[derive(Debug)]
pub(super) struct Encoder {
    fps: f64,
    reaction: Nanos,
    size_scale: f64,
    interval_scale: f64,
    burst_frames: u32,
    burst_size: f64,
    abrupt: f64,
    key_interval: Option<Nanos>,
    trace: Vec<Trace>,
    /// Frame of the trace that comes next.
    place: usize,
    /// Rate of the output, and time of its last change.
    rate: Option<f64>,
    changed: Nanos,
    /// Frames of the burst that are to come.
    burst: u32,
    last_key: Nanos,
}

/// An encoded frame.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Encoded {
    /// Its size in bytes.
    pub bytes: u64,
    /// Whether it is a key frame.
    pub is_key: bool,
    /// Time to the next frame in ns.
    pub interval: Nanos,
}

impl Encoder {
    pub fn new(fields: &Fields) -> Encoder {
        Encoder {
            fps: fields.fps.into(),
            reaction: fields.reaction,
            size_scale: fields.size_scale,
            interval_scale: fields.interval_scale,
            burst_frames: fields.burst_frames,
            burst_size: fields.burst_size,
            abrupt: fields.abrupt,
            key_interval: fields.key_interval,
            trace: fields.trace.clone().unwrap_or_default(),
            place: 0,
            rate: None,
            changed: 0,
            burst: 0,
            last_key: 0,
        }
    }

    /// Returns the time of the last key frame.
    pub fn last_key(&self) -> Nanos {
        self.last_key
    }

    /// Returns the rate of the output in bit/s, once there is one.
    pub fn rate(&self) -> f64 {
        self.rate.unwrap_or(0.0)
    }

    /// Encodes a frame with a target rate in bit/s. Each frame takes two draws, whatever the rate.
    pub fn encode(&mut self, now: Nanos, target: f64, wants_key: bool, random: &mut Stream) -> Encoded {
        let is_first = self.rate.is_none();
        let before = self.rate.unwrap_or(target);
        // Section 5.1: further requests are ignored until tau_v after a reaction.
        if is_first || (target != before && now >= self.changed.saturating_add(self.reaction)) {
            self.rate = Some(target);
            self.changed = now;
            if (target - before).abs() > self.abrupt * before && self.trace.is_empty() {
                self.burst = self.burst_frames;
            }
        }
        let periodic = self.key_interval.is_some_and(|interval| now >= self.last_key.saturating_add(interval));
        let is_key = is_first || wants_key || periodic;
        if is_key {
            self.last_key = now;
            // Section 5.2: the burst can "mimic the insertion of a large on-demand I-frame".
            self.burst = self.burst_frames;
        }
        let [size, interval] = [self.size_scale, self.interval_scale].map(|scale| laplace(scale, random));
        let mean = self.rate.unwrap_or(target) / 8.0 / self.fps;
        let bytes = match self.burst {
            _ if !self.trace.is_empty() => self.recorded(is_key && !is_first),
            0 => mean * (1.0 + size),
            left => {
                self.burst -= 1;
                let frames = f64::from(self.burst_frames);
                // The first frame is large, and the others make up for it.
                let rest = (frames - self.burst_size).max(0.0) / (frames - 1.0);
                mean * if left == self.burst_frames { self.burst_size } else { rest }
            }
        };
        let interval = 1e9 / self.fps * (1.0 + interval);
        Encoded { bytes: libm::round(bytes).max(1.0) as u64, is_key, interval: interval as Nanos }
    }

    /// Returns the next size of the trace at the rate (section 6.2.1); a key frame has the size of the first.
    fn recorded(&mut self, is_key: bool) -> f64 {
        let rate = self.rate();
        let (first, last) = (&self.trace[0], &self.trace[self.trace.len() - 1]);
        let length = first.sizes.len();
        let place = if is_key { 0 } else { self.place };
        let size = |trace: &Trace| trace.sizes[place] as f64;
        let bytes = if rate < first.rate as f64 {
            rate / first.rate as f64 * size(first)
        } else if rate >= last.rate as f64 {
            rate / last.rate as f64 * size(last)
        } else {
            let above = self.trace.iter().position(|trace| trace.rate as f64 > rate).unwrap_or(1);
            let (low, high) = (&self.trace[above - 1], &self.trace[above]);
            let distance = (rate - low.rate as f64) / (high.rate - low.rate) as f64;
            size(high) * distance + size(low) * (1.0 - distance)
        };
        self.place += 1;
        if self.place >= length {
            self.place = SKIP.min(length - 1);
        }
        bytes.clamp(LEAST_FRAME, LARGEST_FRAME)
    }
}

/// Draws a deviation from a Laplace distribution with mean zero, bounded on both sides.
fn laplace(scale: f64, random: &mut Stream) -> f64 {
    // A number in (-1, 1) without its ends and without zero.
    let odd = 2 * random.below(1 << 52) + 1;
    let unit = odd as f64 / (1_u64 << 52) as f64 - 1.0;
    let size = -scale * libm::log(1.0 - unit.abs());
    size.min(LARGEST).copysign(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Nanos = 1_000_000;

    fn encoder(change: impl FnOnce(&mut Fields)) -> (Encoder, Stream) {
        let mut fields = Fields { interval_scale: 0.0, ..super::super::tests::fields("fixed") };
        change(&mut fields);
        (Encoder::new(&fields), Stream::new(1, "encoder"))
    }

    #[test]
    fn sizes_and_intervals_have_the_mean_and_the_scale_of_the_model() {
        let (mut encoder, mut random) = encoder(|fields| (fields.size_scale, fields.interval_scale) = (0.15, 0.15));
        (0..8).for_each(|_| _ = encoder.encode(0, 1e6, false, &mut random));
        let frames: Vec<_> = (0..100_000).map(|_| encoder.encode(0, 1e6, false, &mut random)).collect();
        let of = |values: Vec<f64>, mean: f64| {
            let deviations: Vec<_> = values.iter().map(|value| value / mean - 1.0).collect();
            let average = deviations.iter().sum::<f64>() / deviations.len() as f64;
            let absolute = deviations.iter().map(|value| value.abs()).sum::<f64>() / deviations.len() as f64;
            (average, absolute)
        };
        // The mean absolute deviation of a Laplace distribution is its scale.
        for (values, mean) in [
            (frames.iter().map(|frame| frame.bytes as f64).collect(), 1e6 / 240.0),
            (frames.iter().map(|frame| frame.interval as f64).collect(), 1e9 / 30.0),
        ] {
            let (average, absolute) = of(values, mean);
            assert!(average.abs() < 0.003 && (absolute - 0.15).abs() < 0.002, "{average} {absolute}");
        }
    }

    #[test]
    fn a_change_waits_for_the_reaction_time() {
        let (mut encoder, mut random) = encoder(|fields| (fields.size_scale, fields.reaction) = (0.0, 200 * MS));
        for frame in 0..60 {
            let now = frame * 10 * MS;
            // The target changes with each frame.
            encoder.encode(now, 1e6 + frame as f64, false, &mut random);
            assert_eq!(encoder.rate(), 1e6 + (frame / 20 * 20) as f64);
        }
    }

    #[test]
    fn a_burst_keeps_the_mean_rate() {
        let (mut encoder, mut random) = encoder(|fields| fields.size_scale = 0.0);
        let mut bytes = |target, key| {
            (0..8).map(|frame| encoder.encode(0, target, key && frame == 0, &mut random).bytes).collect::<Vec<_>>()
        };
        let first = bytes(1e6, false);
        // 1 Mbit/s at 30 frames a second are 4,167 bytes a frame. The first has 13.5 kB, the others 2.8 kB each.
        assert_eq!(first[0], 13_500);
        assert!(first[1..].iter().all(|bytes| *bytes == first[1]) && first.iter().sum::<u64>().abs_diff(33_333) < 8);
        assert_eq!(bytes(1e6, false), [4_167; 8]);
        assert_eq!(bytes(1e6, true)[0], 13_500, "a key frame on request");
    }

    #[test]
    fn only_an_abrupt_change_is_a_burst() {
        let (mut encoder, mut random) = encoder(|fields| (fields.size_scale, fields.reaction) = (0.0, 0));
        (0..8).for_each(|_| _ = encoder.encode(0, 1e6, false, &mut random));
        assert_eq!(encoder.encode(0, 1.1e6, false, &mut random).bytes, 4_583);
        assert_eq!(encoder.encode(0, 0.55e6, false, &mut random).bytes, 7_425);
    }

    #[test]
    fn sizes_of_a_trace_are_interpolated() {
        let traces = [(500_000, 1_000), (1_000_000, 3_000)]
            .map(|(rate, size)| Trace { rate, sizes: (0..25).map(|frame| size + frame).collect() });
        let (mut encoder, mut random) = encoder(|fields| {
            (fields.trace, fields.reaction) = (Some(traces.to_vec()), 0);
        });
        let mut size = |rate| encoder.encode(0, rate, false, &mut random).bytes;
        assert_eq!(size(500e3), 1_000);
        assert_eq!(size(750e3), 2_001);
        assert_eq!(size(250e3), 501);
        assert_eq!(size(2e6), 2 * 3_003);
        (4..24).for_each(|_| _ = size(500e3));
        assert_eq!(size(500e3), 1_024);
        assert_eq!(size(500e3), 1_020, "the first 20 frames are not repeated");
    }
}
