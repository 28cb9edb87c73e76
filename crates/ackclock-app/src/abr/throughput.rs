//! The throughput rule of VLC's first DASH module.

use super::estimate::Estimate;
use super::{Abr, Decision, Download, Entry, Setup, State, highest_within};
use ackclock_core::Nanos;

pub(super) const ENTRY: Entry = Entry {
    name: "throughput",
    summary: "the highest level within the estimated throughput, the lowest while the buffer is low",
    source: "Müller and Timmerer, ACM Multimedia 2011; VLC 2.1, modules/stream_filter/dash, rate-based logic",
    parameters: &[],
    make: |setup, _| Box::new(Throughput::new(setup)),
};

/// VLC requests the lowest level while its buffer is filled to less than this percentage.
const LOW_BUFFER_PERCENT: u64 = 30;

/// Chooses the highest level that is at most `safety` x the estimate.
///
/// VLC's module divided all bytes read so far by the total time spent reading them, and used the result as the
/// bandwidth without a safety margin. The defaults, the estimator `mean` with a safety of 1, correspond to it. The
/// differences from VLC are:
///
/// - VLC counted only the time in which a read of the socket was blocked; here a download lasts from the request to the
///   last byte.
/// - VLC sent the next request when four fifths of a segment were read; here one request is outstanding.
/// - VLC required a level strictly below the estimate; here an equal level is accepted.
/// - VLC's low mark is a percentage of its 30 s buffer; here it is a percentage of the level at which segments are
///   requested ([`Setup::target`]), so that a buffer of few segments is not always below it.
#[derive(Debug)]
pub struct Throughput {
    ladder: Vec<u64>,
    safety: f64,
    low: Nanos,
    estimate: Estimate,
}

impl Throughput {
    /// Creates the rule for a client.
    pub fn new(setup: &Setup<'_>) -> Throughput {
        Throughput {
            ladder: setup.ladder.to_vec(),
            safety: setup.safety,
            low: (u128::from(setup.target()) * u128::from(LOW_BUFFER_PERCENT) / 100) as Nanos,
            estimate: Estimate::new(setup.estimator),
        }
    }
}

impl Abr for Throughput {
    fn on_segment(&mut self, download: &Download) {
        self.estimate.add(download);
    }

    fn choose(&mut self, state: &State<'_>) -> Decision {
        match self.estimate.bps() {
            Some(bps) if state.buffer >= self.low => Decision::now(highest_within(&self.ladder, bps * self.safety)),
            _ => Decision::now(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::estimate::tests::{SECOND, download};
    use super::super::{Estimator, Setup};
    use super::*;

    const LADDER: &[u64] = &[200_000, 400_000, 800_000];

    fn setup() -> Setup<'static> {
        Setup { ladder: LADDER, segment: 2 * SECOND, capacity: 12 * SECOND, safety: 1.0, estimator: Estimator::Mean }
    }

    fn level(setup: &Setup<'_>, bps: u64, buffer: Nanos) -> usize {
        let mut rule = Throughput::new(setup);
        rule.on_segment(&download(bps / 8, 0, SECOND));
        rule.choose(&State::at(5 * SECOND, buffer, Some(0))).level
    }

    #[test]
    fn the_highest_level_within_safety_times_the_estimate() {
        let full = setup().target();
        for (bps, expected) in [(100_000, 0), (399_992, 0), (400_000, 1), (799_992, 1), (800_000, 2), (5_000_000, 2)] {
            assert_eq!(level(&setup(), bps, full), expected, "{bps} bit/s");
        }
        let careful = Setup { safety: 0.5, ..setup() };
        assert_eq!(level(&careful, 1_599_992, full), 1);
        assert_eq!(level(&careful, 1_600_000, full), 2);
    }

    #[test]
    fn the_lowest_level_while_the_buffer_is_low() {
        // The low mark is 30 % of the 10 s at which segments are requested.
        assert_eq!(level(&setup(), 1_000_000, 3 * SECOND - 1), 0);
        assert_eq!(level(&setup(), 1_000_000, 3 * SECOND), 2);
        let one_segment = Setup { capacity: 2 * SECOND, ..setup() };
        assert_eq!(level(&one_segment, 1_000_000, 0), 2, "a buffer of one segment is never low");
    }
}
