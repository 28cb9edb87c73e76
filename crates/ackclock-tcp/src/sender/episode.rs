//! The state of a recovery.

use super::frto::Frto;
use super::ns2::Sack1;
use crate::Nanos;

/// State of the sender's loss recovery. Linux's Disorder is `Open` with entries marked on the scoreboard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// No loss is being repaired, and the window is not being reduced.
    Open,
    /// An echoed mark started a reduction of the window, one per window of data (RFC 3168 section 6.1.2).
    Cwr,
    /// Fast recovery.
    Fast,
    /// After a retransmission timeout, or a fast retransmit of Tahoe, until what was outstanding then is acknowledged.
    Loss,
}

/// Result of looking for losses.
#[derive(Default)]
pub(super) struct Detected {
    /// Bytes newly deemed lost.
    pub lost: u64,
    /// Whether the reordering timer now runs for further segments.
    pub waits: bool,
}

/// State of a phase other than `Open`.
#[derive(Clone, Debug, Default)]
pub(super) struct Episode {
    /// RecoveryPoint of RFC 6675, "recover" of RFC 6582: the stream offset whose acknowledgment ends the phase.
    pub point: u64,
    /// Bytes deemed lost, retransmitted in this fast recovery and delivered so far.
    pub retransmitted: u64,
    /// Whether a retransmission is due that pipe does not limit: the first one (RFC 6675 section 5 step 4.3), and
    /// without SACK the one for each partial acknowledgment (RFC 6582 section 3.2 step 3).
    pub owed: bool,
    /// Whether retransmissions wait for the next ACK, since this ACK was caused by an original transmission.
    pub held: bool,
    /// End of the highest retransmitted segment (HighRxt).
    pub high_rxt: u64,
    /// End of RescueRxt: a rescue retransmission is due only once data beyond this is acknowledged (RFC 6675 section 4,
    /// rule 4).
    pub rescue_rxt: u64,
    /// NewReno: net inflation of the window by duplicate ACKs and deflation by partial ACKs (RFC 6582), bytes.
    pub inflation: i64,
    /// Without SACK: whether the first partial ACK was seen; only the first one restarts the timer.
    pub partial: bool,
    /// Time of the last reduction of the window. If a segment sent before it shows the loss of a retransmission, that
    /// loss belongs to the same window.
    pub reduced_at: Nanos,
    /// Whether a timeout began the phase, rather than Tahoe's fast retransmit.
    pub timeout: bool,
    pub frto: Frto,
    /// ns-2's SACK recovery.
    pub ns2: Sack1,
}
