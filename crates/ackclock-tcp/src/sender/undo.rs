//! Evidence that a recovery or a timeout was spurious: D-SACKs of everything that was sent again (RFC 2883, RFC 3708), or
//! timestamps of the original transmissions (Eifel, RFC 3522). The response is to restore the window (RFC 4015).

use crate::config::Config;
use crate::context::Window;
use crate::{MILLISECOND, Nanos};

/// What there is to undo, and what is known of it. Linux calls the parts undo_marker, undo_retrans, prior_ssthresh and
/// prior_cwnd, and retrans_stamp.
#[derive(Clone, Debug)]
pub(super) struct Undo {
    by_dsack: bool,
    by_timestamps: bool,
    /// snd_una when the episode began; `None` where there is none to undo.
    since: Option<u64>,
    /// Segments sent again that no D-SACK has told of; `None` before the first.
    unproven: Option<u32>,
    /// The window before it was reduced; `None` where a mark proves that the reduction was due.
    before: Option<Window>,
    /// Timestamp of the first retransmission.
    first_retransmit: Option<Nanos>,
    /// Whether a timeout began it.
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

    /// An episode begins at snd_una. `before` is the window before it was reduced; `in_flight` segments that were sent again
    /// before are still on their way and may be reported, too.
    pub fn begin(&mut self, una: u64, before: Option<Window>, in_flight: u32, timeout: bool) {
        self.since = Some(una);
        self.before = before;
        self.unproven = (in_flight > 0).then_some(in_flight);
        self.timeout = timeout;
    }

    /// A segment is sent again.
    pub fn on_retransmit(&mut self, now: Nanos) {
        self.first_retransmit.get_or_insert(now / MILLISECOND * MILLISECOND);
        if self.since.is_some() {
            self.unproven = Some(self.unproven.unwrap_or(0) + 1);
        }
    }

    /// A D-SACK tells of `segments` up to `end` that arrived twice.
    pub fn on_dsack(&mut self, end: u64, segments: u32) {
        if self.since.is_some_and(|since| end > since)
            && let Some(unproven) = &mut self.unproven
        {
            *unproven = unproven.saturating_sub(segments);
        }
    }

    /// Congestion is proven by a mark: the window stays reduced.
    pub fn forbid(&mut self) {
        self.before = None;
    }

    /// Nothing that was sent again is outstanding: the next retransmission is the first of its episode.
    pub fn forget_first_retransmit(&mut self) {
        self.first_retransmit = None;
    }

    /// Whether D-SACKs tell of every retransmission of the episode.
    pub fn proven_by_dsack(&self) -> bool {
        self.by_dsack && self.since.is_some() && self.unproven == Some(0)
    }

    /// Whether an ACK that advanced snd_una was caused by what was sent before the first retransmission: it echoes an older
    /// timestamp, or nothing was sent again.
    pub fn proven_by_timestamp(&self, echo: Option<Nanos>) -> bool {
        if self.since.is_none() || !(self.by_timestamps || self.by_dsack) {
            return false;
        }
        match self.first_retransmit {
            None => true,
            Some(first) => self.by_timestamps && echo.is_some_and(|echo| echo < first),
        }
    }

    /// Whether either is so.
    //= https://www.rfc-editor.org/rfc/rfc9438#section-4.9.2
    //# a TCP implementation MAY detect spurious fast retransmits either using TCP Timestamps or via D-SACK
    pub fn proven(&self, echo: Option<Nanos>) -> bool {
        self.proven_by_dsack() || self.proven_by_timestamp(echo)
    }

    /// Ends the episode. Returns the window to restore, where it may be, and whether a timeout began the episode.
    pub fn take(&mut self) -> (Option<Window>, bool) {
        self.since = None;
        (self.before.take(), self.timeout)
    }
}
