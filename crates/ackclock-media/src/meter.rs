//! A rate over a sliding window.

use std::collections::VecDeque;

use ackclock_core::Nanos;

/// Bytes of the last part of the time, as a rate.
#[derive(Clone, Debug)]
pub struct Meter {
    window: Nanos,
    items: VecDeque<(Nanos, u64)>,
    bytes: u64,
    first: Option<Nanos>,
}

impl Meter {
    /// Creates a meter with a window in ns.
    pub fn new(window: Nanos) -> Meter {
        Meter { window, items: VecDeque::new(), bytes: 0, first: None }
    }

    /// Adds bytes at a time; times do not go back by more than the window.
    pub fn add(&mut self, at: Nanos, bytes: u64) {
        self.first.get_or_insert(at);
        self.items.push_back((at, bytes));
        self.bytes += bytes;
        self.forget(at);
    }

    fn forget(&mut self, now: Nanos) {
        while let Some((at, bytes)) = self.items.front().copied()
            && at.saturating_add(self.window) <= now
        {
            self.bytes -= bytes;
            self.items.pop_front();
        }
    }

    /// Returns the rate in bit/s over the window that ends at `now`: its bytes over its whole length (RFC 8698 section
    /// 5.1.3).
    pub fn rate(&mut self, now: Nanos) -> f64 {
        self.forget(now);
        self.bytes as f64 * 8e9 / self.window as f64
    }

    /// Whether there were bytes for at least one whole window before `now`.
    pub fn is_full(&self, now: Nanos) -> bool {
        self.first.is_some_and(|first| first + self.window <= now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_over_the_window() {
        let mut meter = Meter::new(500_000_000);
        assert_eq!((meter.rate(0), meter.is_full(0)), (0.0, false));
        for at in 0..10 {
            meter.add(at * 100_000_000, 1_000);
        }
        // Half a second has the arrivals of 500 to 900 ms.
        assert_eq!(meter.rate(900_000_000), 80_000.0);
        assert!(meter.is_full(500_000_000) && !meter.is_full(499_999_999));
        assert_eq!(meter.rate(1_350_000_000), 16_000.0);
        assert_eq!(meter.rate(3_000_000_000), 0.0);
    }
}
