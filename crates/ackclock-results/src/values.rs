//! Values of cells from integers.

use ackclock_core::Nanos;

/// A time in seconds, as tables show it.
pub fn seconds(time: Nanos) -> f64 {
    time as f64 / 1e9
}

/// `dividend / divisor`, exact where that is a whole number that a float can hold.
pub fn quotient(dividend: u128, divisor: u128) -> f64 {
    (dividend / divisor) as f64 + (dividend % divisor) as f64 / divisor as f64
}

/// The mean rate, in bits per second, of `bytes` in `time`; `None` where no time passed.
pub fn rate_bps(bytes: u64, time: Nanos) -> Option<f64> {
    (time > 0).then(|| bytes as f64 * 8.0 * 1e9 / time as f64)
}
