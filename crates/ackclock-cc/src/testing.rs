//! Events to test an algorithm with: acknowledgments and congestion of a connection with plausible numbers.
//!
//! The connection has segments of 1000 bytes, an RTT of 50 ms and a full window. Change fields of the values for other
//! situations.

use crate::context::{Ack, Cause, Congestion, Context, Nanos, Situation, Window};

/// Segment size, bytes.
pub const MSS: u64 = 1000;

/// Round-trip time, nanoseconds.
pub const RTT: Nanos = 50_000_000;

/// A window of so many segments, above ssthresh.
pub fn window(segments: f64) -> Window {
    let cwnd = (segments * MSS as f64) as u64;
    Window { cwnd, ssthresh: cwnd, pacing_rate: None }
}

/// The state of a connection whose window is full.
pub fn context(window: &Window) -> Context {
    Context {
        now: 20 * RTT,
        mss: MSS,
        initial_window: 10 * MSS,
        snd_una: 1000 * MSS,
        snd_nxt: 1000 * MSS + window.cwnd,
        flight_size: window.cwnd,
        pipe: window.cwnd,
        unsent: 1000 * MSS,
        receive_window: 1 << 30,
        srtt: Some(RTT),
        min_rtt: Some(RTT),
        rto: 4 * RTT,
        in_recovery: false,
        release: 0,
    }
}

/// An acknowledgment of so many bytes.
pub fn ack(window: &Window, acked: u64) -> Ack {
    Ack { ctx: context(window), acked, sacked: 0, lost: 0, rtt: Some(RTT), cwnd_limited: true, marked: 0 }
}

/// Congestion that is found while the window is full.
pub fn congestion(window: &Window, cause: Cause) -> Congestion {
    Congestion { cause, abe: false, ctx: context(window) }
}

/// The acknowledgment of a segment, for rules, under a window of so many segments.
pub fn situation(cwnd: f64) -> Situation {
    let window = window(cwnd);
    Situation {
        window,
        ctx: context(&window),
        acked_bytes: MSS,
        rtt_ns: Some(RTT),
        cause: None,
        abe: false,
        idle_ns: 0,
    }
}

/// Congestion, for rules, under a window of so many segments.
pub fn congested(cwnd: f64, cause: Cause) -> Situation {
    Situation { acked_bytes: 0, rtt_ns: None, cause: Some(cause), ..situation(cwnd) }
}
