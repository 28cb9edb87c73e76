//! The parameters of a DASH session and their possible mistakes.

use std::fmt;

use crate::ParamProblem;
use crate::abr::{Estimator, Rule};
use ackclock_core::Nanos;

/// A DASH session. Times are in nanoseconds, rates in bit/s, volumes in bytes.
#[derive(Clone, PartialEq, Debug)]
pub struct DashParams {
    /// Levels of the presentation in bit/s, ascending.
    pub ladder: Vec<u64>,
    /// Playing time of a segment.
    pub segment: Nanos,
    /// Number of segments of the presentation; `None` for a presentation that outlasts the run.
    pub segments: Option<u32>,
    /// Rate adaptation.
    pub abr: Rule,
    /// Maximum media that the player holds. The player requests a segment only when there is room for it.
    pub buffer: Nanos,
    /// Media in the buffer at which playback begins.
    pub startup: Nanos,
    /// Media in the buffer at which playback resumes after a stall.
    pub resume: Nanos,
    /// Time from a request's arrival at the server to the response.
    pub think: Nanos,
    /// Maximum further time that the server takes for a request, drawn uniformly from 0 to this value.
    pub think_jitter: Nanos,
    /// Size of a request.
    pub request_size: u64,
    /// Size of a response's header.
    pub header_size: u64,
    /// Coefficient of variation of the segment sizes of a level.
    pub size_cv: f64,
    /// Sizes of the segments by level, which repeat after the last segment; empty if they follow from the levels.
    pub sizes: Vec<Vec<u64>>,
    /// Fraction of its estimate that the throughput rule uses.
    pub safety: f64,
    /// Estimator of the throughput rule.
    pub estimator: Estimator,
    /// Delay behind the live event at which the client of a live presentation joins; `None` for video on demand.
    pub live: Option<Nanos>,
}

impl DashParams {
    /// Creates a session over a ladder with all other parameters at their defaults. The rule is the throughput rule
    /// with the mean of all downloads and no margin (as in VLC). The buffer holds 12 s, playback starts with the first
    /// segment, and the server answers at once. Requests and headers have 300 bytes. All segments of a level have the
    /// same size and are available from the start.
    pub fn new(ladder: Vec<u64>, segment: Nanos) -> DashParams {
        DashParams {
            ladder,
            segment,
            segments: None,
            abr: Rule::default(),
            buffer: 12_000_000_000,
            startup: segment,
            resume: segment,
            think: 0,
            think_jitter: 0,
            request_size: 300,
            header_size: 300,
            size_cv: 0.0,
            sizes: Vec::new(),
            safety: 1.0,
            estimator: Estimator::Mean,
            live: None,
        }
    }

    /// Returns all mistakes in the parameters, in the order of the fields; the list is empty when a session can be
    /// created.
    pub fn problems(&self) -> Vec<ParamProblem> {
        let mut problems = Vec::new();
        let mut refuse = |wrong: bool, field, message: String| {
            if wrong {
                problems.push(ParamProblem { field, message });
            }
        };
        let ladder = &self.ladder;
        refuse(ladder.is_empty(), "ladder", "needs at least one level".to_owned());
        refuse(ladder.contains(&0), "ladder", "a level must be above 0 bit/s".to_owned());
        if let Some(pair) = ladder.windows(2).find(|pair| pair[0] >= pair[1]) {
            let message = format!("levels must ascend, but {} bit/s is followed by {} bit/s", pair[0], pair[1]);
            refuse(true, "ladder", message);
        }
        refuse(self.segment == 0, "segment", "must be longer than 0".to_owned());
        refuse(self.segments == Some(0), "segments", "must be at least 1".to_owned());
        let short = self.buffer < self.segment;
        refuse(short, "buffer", format!("holds {}, less than a segment of {}", Time(self.buffer), Time(self.segment)));
        // The buffer holds whole segments: a buffer of 5 s never holds more than 4 s of 2-s segments.
        if let Some(fits) = self.buffer.checked_div(self.segment).filter(|_| !short) {
            let most = fits * self.segment;
            for (field, level) in [("startup", self.startup), ("resume", self.resume)] {
                let message = format!(
                    "playback would wait for {} in the buffer, which never holds more than {} in whole segments",
                    Time(level),
                    Time(most)
                );
                refuse(level > most, field, message);
            }
        }
        refuse(self.request_size == 0, "request_size", "must be at least 1 byte".to_owned());
        let cv = self.size_cv;
        refuse(!(cv.is_finite() && cv >= 0.0), "size_cv", format!("must be 0 or a positive number, not {cv}"));
        let sizes = &self.sizes;
        if !sizes.is_empty() {
            let wrong = sizes.len() != ladder.len();
            refuse(wrong, "sizes", format!("has {} lists for {} levels", sizes.len(), ladder.len()));
            let uneven = sizes.iter().any(|own| own.is_empty() || own.len() != sizes[0].len());
            refuse(uneven, "sizes", "has lists of different lengths, or an empty one".to_owned());
            refuse(cv != 0.0, "size_cv", "has no effect beside sizes".to_owned());
        }
        let safety = self.safety;
        refuse(!(safety.is_finite() && safety > 0.0), "safety", format!("must be a positive number, not {safety}"));
        if let Some(latency) = self.live {
            let message =
                format!("is {}, less than the segment of {} in which it lies", Time(latency), Time(self.segment));
            refuse(latency < self.segment, "live", message);
        }
        problems
    }
}

/// A time in seconds, as people write it.
struct Time(Nanos);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}s", self.0 as f64 / 1e9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Nanos = 1_000_000_000;

    fn fields(change: impl FnOnce(&mut DashParams)) -> Vec<&'static str> {
        let mut params = DashParams::new(vec![200_000, 400_000], 2 * SECOND);
        change(&mut params);
        params.problems().into_iter().map(|problem| problem.field).collect()
    }

    #[test]
    fn the_defaults_are_sound() {
        assert!(fields(|_| {}).is_empty());
    }

    #[test]
    fn each_mistake_is_found() {
        assert_eq!(fields(|params| params.ladder.clear()), ["ladder"]);
        assert_eq!(fields(|params| params.ladder[0] = 0), ["ladder"]);
        assert_eq!(fields(|params| params.ladder.reverse()), ["ladder"]);
        assert_eq!(fields(|params| params.ladder[1] = 200_000), ["ladder"]);
        assert_eq!(fields(|params| params.segments = Some(0)), ["segments"]);
        assert_eq!(fields(|params| params.buffer = 2 * SECOND - 1), ["buffer"]);
        assert_eq!(fields(|params| params.startup = 12 * SECOND + 1), ["startup"]);
        assert_eq!(fields(|params| params.resume = 13 * SECOND), ["resume"]);
        assert_eq!(fields(|params| params.request_size = 0), ["request_size"]);
        assert_eq!(fields(|params| params.size_cv = f64::NAN), ["size_cv"]);
        assert_eq!(fields(|params| params.size_cv = -0.1), ["size_cv"]);
        assert_eq!(fields(|params| params.sizes = vec![vec![1, 2]]), ["sizes"]);
        assert_eq!(fields(|params| params.sizes = vec![vec![1, 2], vec![3]]), ["sizes"]);
        assert!(fields(|params| params.sizes = vec![vec![1, 2], vec![3, 4]]).is_empty());
        assert_eq!(fields(|params| params.safety = 0.0), ["safety"]);
        assert_eq!(fields(|params| params.live = Some(2 * SECOND - 1)), ["live"]);
        assert!(fields(|params| params.live = Some(2 * SECOND)).is_empty());
        assert_eq!(fields(|params| params.safety = f64::INFINITY), ["safety"]);
    }

    #[test]
    fn several_at_once_with_what_would_be_accepted() {
        let mut params = DashParams::new(vec![400_000, 200_000], 0);
        params.request_size = 0;
        let text: Vec<_> = params.problems().iter().map(ToString::to_string).collect();
        assert_eq!(
            text,
            [
                "ladder: levels must ascend, but 400000 bit/s is followed by 200000 bit/s",
                "segment: must be longer than 0",
                "request_size: must be at least 1 byte",
            ]
        );
    }

    #[test]
    fn startup_counts_whole_segments() {
        let odd = |startup| {
            fields(|params| {
                params.buffer = 5 * SECOND;
                params.startup = startup;
            })
        };
        assert!(odd(4 * SECOND).is_empty());
        assert_eq!(odd(4 * SECOND + 1), ["startup"], "5 s hold two segments of 2 s");
    }
}
