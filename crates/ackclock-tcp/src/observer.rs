//! The stream of events that observers see. With the unit observer `()` it costs nothing.

use crate::context::{Cause, Window};
use crate::segment::Segment;
use crate::validation::Report;
use crate::{Nanos, State};

/// What happened at an endpoint.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A segment leaves. `offset` is the stream offset of its first payload byte.
    Sent {
        /// The segment.
        segment: &'a Segment,
        /// Stream offset of its first payload byte.
        offset: u64,
        /// Whether any of its payload was sent before.
        retransmission: bool,
    },
    /// A segment arrived.
    Received {
        /// The segment.
        segment: &'a Segment,
    },
    /// The sender's window or what it holds may have changed: after each acknowledgment, loss, timeout and restart.
    Window {
        /// The window.
        window: Window,
        /// Bytes sent and not cumulatively acknowledged.
        flight_size: u64,
        /// Bytes estimated to be in the network.
        pipe: u64,
        /// Smoothed round-trip time.
        srtt: Option<Nanos>,
        /// Whether loss recovery is under way.
        in_recovery: bool,
        /// State of window validation.
        validation: Report,
    },
    /// Fast recovery begins, or the window begins to come down for a mark.
    RecoveryStarted {
        /// What told of congestion; a timeout has an event of its own.
        cause: Cause,
    },
    /// Fast recovery, recovery after a timeout, or the reduction for a mark, is over.
    RecoveryEnded,
    /// A recovery was spurious, and the window goes back to what it was.
    Undone {
        /// Whether a timeout began it.
        timeout: bool,
    },
    /// A tail loss probe is about to leave (RFC 8985 section 7).
    ProbeSent {
        /// Whether it is the last segment again, rather than new data.
        retransmission: bool,
    },
    /// RACK's reordering timer expired (RFC 8985 section 6.2).
    ReorderingTimeout {
        /// Bytes that are deemed lost now.
        lost: u64,
    },
    /// The retransmission timer expired.
    Timeout {
        /// Consecutive expiries without an acknowledgment of new data, this one included.
        count: u32,
    },
    /// The connection moved to a state of RFC 9293 section 3.3.2.
    StateChanged(State),
}

/// Receives an endpoint's events. Every method has an empty default so that an observer pays for what it watches.
pub trait Observer {
    /// Whether [`Event::Window`] is wanted; putting it together is the one costly event.
    const ACTIVE: bool = true;

    /// An event at `now`.
    fn event(&mut self, now: Nanos, event: Event<'_>);
}

impl Observer for () {
    const ACTIVE: bool = false;

    #[inline(always)]
    fn event(&mut self, _now: Nanos, _event: Event<'_>) {}
}
