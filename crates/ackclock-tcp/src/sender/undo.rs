//! Evidence that a recovery or a timeout was spurious: D-SACKs of all retransmissions (RFC 2883, RFC 3708), or
//! timestamps of the original transmissions (Eifel, RFC 3522). The response is to restore the window (RFC 4015).

use crate::config::Config;
use crate::context::Window;
use crate::{MILLISECOND, Nanos};

/// The state to restore and the evidence so far. Linux calls the parts undo_marker, undo_retrans, prior_ssthresh and
/// prior_cwnd, and retrans_stamp.
#[derive(Clone, Debug)]
pub(super) struct Undo {
    by_dsack: bool,
    by_timestamps: bool,
    /// snd_una when the episode began; `None` if there is no episode to undo.
    since: Option<u64>,
    /// Number of retransmissions that no D-SACK has reported; `None` before the first retransmission.
    unproven: Option<u32>,
    /// The window before the reduction; `None` if a mark proves that the reduction was necessary.
    before: Option<Window>,
    /// Timestamp of the first retransmission, ns.
    first_retransmit: Option<Nanos>,
    /// Whether a timeout began the episode.
    timeout: bool,
}

impl Undo {
    pub fn new(config: &Config) -> Undo {
        Undo {
            by_dsack: config.dsack_undo,
            by_timestamps: config.eifel,
            since: None,
            unproven: None,
            before: None,
            first_retransmit: None,
            timeout: false,
        }
    }

    /// Begins an episode at snd_una. `before` is the window before the reduction. `in_flight` is the number of earlier
    /// retransmissions that are still in flight and may be reported, too.
    pub fn begin(&mut self, una: u64, before: Option<Window>, in_flight: u32, timeout: bool) {
        self.since = Some(una);
        self.before = before;
        self.unproven = (in_flight > 0).then_some(in_flight);
        self.timeout = timeout;
    }

    /// Records a retransmission.
    pub fn on_retransmit(&mut self, now: Nanos) {
        self.first_retransmit.get_or_insert(now / MILLISECOND * MILLISECOND);
        if self.since.is_some() {
            self.unproven = Some(self.unproven.unwrap_or(0) + 1);
        }
    }

    /// Records a D-SACK that reports `segments`, up to `end`, as received twice.
    pub fn on_dsack(&mut self, end: u64, segments: u32) {
        if self.since.is_some_and(|since| end > since)
            && let Some(unproven) = &mut self.unproven
        {
            *unproven = unproven.saturating_sub(segments);
        }
    }

    /// Forbids the restoration of the window: a mark proves congestion.
    pub fn forbid(&mut self) {
        self.before = None;
    }

    /// Forgets the first retransmission. No retransmitted segment is outstanding, so the next retransmission is the
    /// first of its episode.
    pub fn forget_first_retransmit(&mut self) {
        self.first_retransmit = None;
    }

    /// Whether D-SACKs report every retransmission of the episode.
    pub fn proven_by_dsack(&self) -> bool {
        self.by_dsack && self.since.is_some() && self.unproven == Some(0)
    }

    /// Whether an original transmission caused the ACK that advanced snd_una: the ACK echoes a timestamp older than the
    /// first retransmission, or nothing was retransmitted.
    pub fn proven_by_timestamp(&self, echo: Option<Nanos>) -> bool {
        if self.since.is_none() || !(self.by_timestamps || self.by_dsack) {
            return false;
        }
        match self.first_retransmit {
            None => true,
            Some(first) => self.by_timestamps && echo.is_some_and(|echo| echo < first),
        }
    }

    /// Whether D-SACKs or a timestamp prove the episode spurious.
    //= https://www.rfc-editor.org/rfc/rfc9438#section-4.9.2
    //# a TCP implementation MAY detect spurious fast retransmits either using TCP Timestamps or via D-SACK
    pub fn proven(&self, echo: Option<Nanos>) -> bool {
        self.proven_by_dsack() || self.proven_by_timestamp(echo)
    }

    /// Ends the episode. Returns the window to restore, if the window may be restored, and whether a timeout began the
    /// episode.
    pub fn take(&mut self) -> (Option<Window>, bool) {
        self.since = None;
        (self.before.take(), self.timeout)
    }
}
