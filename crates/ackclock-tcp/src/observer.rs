//! The events of an endpoint for observers. With the unit observer `()` events cost nothing.

use crate::context::{Cause, Evidence, Window};
use crate::segment::Segment;
use crate::validation::Report;
use crate::{Nanos, Rate, State};

/// An event at an endpoint.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A segment was sent.
    Sent {
        /// The segment.
        segment: &'a Segment,
        /// Stream offset of its first payload byte.
        offset: u64,
        /// Whether any of the segment's payload was sent before.
        retransmission: bool,
    },
    /// A segment arrived.
    Received {
        /// The segment.
        segment: &'a Segment,
    },
    /// A segment that passed the checks of RFC 9293 section 3.10.7.4 acknowledged data that had not been acknowledged
    /// before.
    Acknowledged {
        /// Stream offset of the first byte that is not acknowledged; one more after the FIN is acknowledged.
        una: u64,
    },
    /// The sender's window or a quantity reported with it may have changed: after each acknowledgment, loss, timeout
    /// and restart.
    Window {
        /// The window.
        window: Window,
        /// Bytes sent and not cumulatively acknowledged.
        flight_size: u64,
        /// Bytes estimated to be in the network.
        pipe: u64,
        /// Smoothed round-trip time.
        srtt: Option<Nanos>,
        /// Mean deviation of the round-trip time.
        rttvar: Option<Nanos>,
        /// The latest RTT sample.
        rtt: Option<Nanos>,
        /// The smallest RTT sample.
        min_rtt: Option<Nanos>,
        /// Pacing rate; `None` if segments are not paced.
        pacing_rate: Option<Rate>,
        /// Delivery rate of payload; `None` before a sample, and if the endpoint takes no samples
        /// ([`crate::Config::samples_rate`]).
        delivery_rate: Option<Rate>,
        /// State of the congestion control ([`crate::cc::CongestionControl::state`]).
        cc_state: Option<&'a str>,
        /// Whether loss recovery is in progress.
        in_recovery: bool,
        /// State of window validation.
        validation: Report,
    },
    /// A segment is deemed lost. Reported by endpoints that sample the delivery rate
    /// ([`crate::Config::samples_rate`]), once for each transmission of the segment.
    Lost {
        /// Stream offset of its first byte.
        offset: u64,
        /// Length in the stream, bytes; a FIN counts as one.
        len: u64,
        /// Evidence of the loss.
        evidence: Evidence,
    },
    /// Fast recovery, or a reduction of the window because of a mark, begins.
    RecoveryStarted {
        /// Evidence of the congestion; a timeout has a separate event.
        cause: Cause,
    },
    /// Fast recovery, recovery after a timeout, or the reduction because of a mark, has ended.
    RecoveryEnded,
    /// A recovery was spurious, and the window is restored.
    Undone {
        /// Whether a timeout began the recovery.
        timeout: bool,
    },
    /// A tail loss probe is about to be sent (RFC 8985 section 7).
    ProbeSent {
        /// Whether the probe retransmits the last segment, rather than sending new data.
        retransmission: bool,
    },
    /// RACK's reordering timer expired (RFC 8985 section 6.2).
    ReorderingTimeout {
        /// Bytes that are now deemed lost.
        lost: u64,
    },
    /// The retransmission timer expired.
    Timeout {
        /// Consecutive expiries without an acknowledgment of new data, this one included.
        count: u32,
    },
    /// The connection changed to a state of RFC 9293 section 3.3.2.
    StateChanged(State),
}

/// Receives an endpoint's events.
pub trait Observer {
    /// Whether the observer wants [`Event::Window`], the only event that is costly to build.
    const ACTIVE: bool = true;

    /// Receives an event at time `now`.
    fn event(&mut self, now: Nanos, event: Event<'_>);
}

impl Observer for () {
    const ACTIVE: bool = false;

    #[inline(always)]
    fn event(&mut self, _now: Nanos, _event: Event<'_>) {}
}
