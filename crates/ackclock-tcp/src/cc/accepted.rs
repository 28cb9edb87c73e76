//! The values that rules and callbacks of a user's congestion control may leave, and the messages about other values.

use std::ops::RangeInclusive;

/// Accepted shares of a window.
pub const SHARE: RangeInclusive<f64> = 0.0..=1.0;

/// Accepted first windows, in segments.
pub const START: RangeInclusive<f64> = 1.0..=1e6;

/// Accepted increases, in segments.
pub const INCREASE: RangeInclusive<f64> = f64::MIN..=f64::MAX;

/// Largest window in bytes, and largest pacing rate in bytes per second. Beyond it, sums of volumes might overflow.
pub const MOST_WINDOW: u64 = 1 << 50;

/// Returns the message about a result `shown` that is not in a range.
pub fn result(shown: &str, accepted: &RangeInclusive<f64>) -> String {
    match (*accepted.start(), *accepted.end()) {
        (f64::MIN, _) => format!("it returns {shown}: accepted: a finite number"),
        (least, most) => format!("it returns {shown}: accepted: a number from {least} to {most}"),
    }
}

/// Returns the message about a number `shown` that a callback has set.
pub fn number(name: &str, shown: &str, most: u64) -> String {
    format!("{name} = {shown}: accepted: a number from 0 to {most}")
}

/// Message about a pacing rate of zero.
pub const NO_RATE: &str = "pacing_rate = 0: accepted: 1 or more bytes per second, or None";

/// Returns the message about a window of less than a segment, both in bytes.
pub fn window(cwnd: u64, least: u64) -> String {
    format!("it leaves cwnd = {cwnd}: accepted: at least a segment, {least} bytes")
}
