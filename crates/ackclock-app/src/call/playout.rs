//! Play-out of decoded frames: an adaptive delay that evens out their arrival, and freezes.

use std::collections::VecDeque;

use ackclock_core::Nanos;
use ackclock_results::Sketch;

use super::MILLISECOND;

/// Time over which the largest delay of a frame sets the play-out delay, in ns. WebRTC's jitter buffer has a Kalman
/// filter in its place; the window is ours.
const WINDOW: Nanos = 2_000_000_000;
/// Frame intervals in the mean with which an interval is compared, and least number for the first comparison.
const INTERVALS: usize = 30;
const LEAST_INTERVALS: usize = 5;
/// An interval is a freeze from max(3 * mean, mean + 150 ms) on.
const FACTOR: f64 = 3.0;
const MARGIN: f64 = 150.0 * MILLISECOND as f64;

/// The play-out of frames in order.
#[derive(Debug)]
pub(super) struct Playout {
    least: Nanos,
    most: Nanos,
    /// Delays of recent frames from their capture to their decoding, descending, with the times of decoding.
    delays: VecDeque<(Nanos, Nanos)>,
    last: Option<Nanos>,
    intervals: VecDeque<Nanos>,
    /// Number of freezes, and their time in ns, as WebRTC's statistics define them: freezeCount and
    /// totalFreezesDuration.
    pub freezes: u64,
    pub frozen: Nanos,
    /// Delays from capture to play-out.
    pub shown: Sketch,
}

impl Playout {
    /// Creates a play-out with bounds of the delay that it adds.
    pub fn new(least: Nanos, most: Nanos) -> Playout {
        Playout {
            least,
            most,
            delays: VecDeque::new(),
            last: None,
            intervals: VecDeque::new(),
            freezes: 0,
            frozen: 0,
            shown: Sketch::default(),
        }
    }

    /// Plays a frame that is decoded at `now`. Returns the time at which it is shown: its capture and the play-out delay,
    /// or now if that is past, and never before the frame before it.
    pub fn play(&mut self, now: Nanos, captured: Nanos) -> Nanos {
        let delay = now - captured;
        while self.delays.back().is_some_and(|(_, last)| *last <= delay) {
            self.delays.pop_back();
        }
        self.delays.push_back((now, delay));
        while self.delays.front().is_some_and(|(at, _)| at + WINDOW < now) {
            self.delays.pop_front();
        }
        let largest = self.delays.front().map_or(delay, |(_, largest)| *largest);
        let target = largest.min(self.most).max(self.least);
        let at = captured.saturating_add(target).max(now).max(self.last.unwrap_or(0));
        self.shown.record(at - captured);
        if let Some(last) = self.last.replace(at) {
            self.count(at - last);
        }
        at
    }

    /// Takes note of a pause of the media, which is no freeze.
    pub fn pause(&mut self) {
        self.last = None;
    }

    fn count(&mut self, interval: Nanos) {
        self.intervals.push_back(interval);
        if self.intervals.len() > INTERVALS {
            self.intervals.pop_front();
        }
        if self.intervals.len() < LEAST_INTERVALS {
            return;
        }
        let mean = self.intervals.iter().sum::<Nanos>() as f64 / self.intervals.len() as f64;
        if interval as f64 >= (FACTOR * mean).max(mean + MARGIN) {
            self.freezes += 1;
            self.frozen += interval;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames every 33 ms; the one with number 100 is decoded late by `late` ms, and all others after 50 ms.
    fn freezes(late: Nanos) -> (u64, Nanos) {
        let (mut playout, mut before) = (Playout::new(0, 1_000 * MILLISECOND), 0);
        for frame in 0..130 {
            let captured = frame * 33 * MILLISECOND;
            let own = if frame == 100 { late } else { 0 };
            // Frames after the late one are decoded with it at the earliest.
            before = (captured + (50 + own) * MILLISECOND).max(before);
            playout.play(before, captured);
        }
        (playout.freezes, playout.frozen / MILLISECOND)
    }

    /// With 29 intervals of 33 ms and one of x, the mean is (957 + x) / 30. x is a freeze from (957 + x) / 30 + 150 on:
    /// 188.2 ms, which is 155.2 ms late.
    #[test]
    fn a_freeze_is_an_interval_of_150_ms_above_the_mean() {
        assert_eq!(freezes(155), (0, 0));
        assert_eq!(freezes(156), (1, 189));
    }

    #[test]
    fn the_delay_follows_the_largest_of_two_seconds() {
        let mut playout = Playout::new(20 * MILLISECOND, 100 * MILLISECOND);
        let mut play = |at: u64, delay: u64| {
            let captured = at * MILLISECOND;
            (playout.play(captured + delay * MILLISECOND, captured) - captured) / MILLISECOND
        };
        assert_eq!(play(0, 10), 20, "at least playout");
        assert_eq!(play(33, 60), 60);
        assert_eq!(play(66, 30), 60, "even intervals");
        assert_eq!(play(2_000, 30), 60);
        assert_eq!(play(2_100, 30), 30, "the delay of 60 ms is more than 2 s old");
        assert_eq!(play(2_133, 400), 400, "late");
        assert_eq!(play(2_500, 33), 100, "at most playout_max");
    }
}
