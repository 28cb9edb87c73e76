//! Values of cells from integers.

use ackclock_core::Nanos;

/// Returns a time in seconds, as tables show it.
pub fn seconds(time: Nanos) -> f64 {
    time as f64 / 1e9
}

/// Returns `dividend / divisor`, which is exact if the quotient is a whole number that a float can hold.
pub fn quotient(dividend: u128, divisor: u128) -> f64 {
    (dividend / divisor) as f64 + (dividend % divisor) as f64 / divisor as f64
}

/// Returns the mean rate, in bits per second, of `bytes` in `time`; `None` if no time passed.
pub fn rate_bps(bytes: u64, time: Nanos) -> Option<f64> {
    (time > 0).then(|| bytes as f64 * 8.0 * 1e9 / time as f64)
}
