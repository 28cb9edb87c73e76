//! RACK: a segment is lost if a segment sent later has arrived and enough time has passed (RFC 8985 section 6).

use super::scoreboard::{Entry, Found, Resent, Scoreboard, sent_after};
use crate::{MICROSECOND, MILLISECOND, Nanos};

/// Recoveries without a D-SACK after which a raised reordering window falls back (RFC 8985 section 6.2, step 4).
const PERSISTENCE: u32 = 16;

/// State of RACK.
#[derive(Clone, Debug)]
pub(super) struct Rack {
    /// RACK.xmit_ts and RACK.end_seq: send time and end of the segment, among those that have arrived, that was sent
    /// last.
    newest: (Nanos, u64),
    /// RACK.rtt.
    rtt: Nanos,
    /// Whether a segment has arrived since losses were last looked for.
    advanced: bool,
    /// RACK.reo_wnd_mult.
    steps: u32,
    /// RACK.reo_wnd_persist.
    persistence: u32,
    /// RACK.dsack_round.
    dsack_round: Option<u64>,
    resent: Resent,
}

impl Default for Rack {
    fn default() -> Rack {
        Rack {
            newest: (0, 0),
            rtt: 0,
            advanced: false,
            steps: 1,
            persistence: 0,
            dsack_round: None,
            resent: Resent::default(),
        }
    }
}

impl Rack {
    /// Processes a segment that is known to have arrived (steps 1 and 2). The acknowledgment of a retransmitted segment
    /// may belong to an earlier transmission. That is certain if the echoed timestamp is older, and likely if the
    /// acknowledgment comes too soon. `echo` has the granularity of timestamps, a millisecond; `None` where timestamps
    /// are not used, or not considered. Both round-trip times are compared in whole microseconds, in which Linux counts:
    /// a FIN is smaller than the packets before it, and its round trip may be shorter by less than that.
    #[inline]
    pub fn on_arrival(&mut self, now: Nanos, entry: &Entry, echo: Option<Nanos>, min_rtt: Option<Nanos>) {
        let rtt = now.saturating_sub(entry.sent_at);
        if entry.resent() && is_ambiguous(now, entry, echo, min_rtt) {
            return;
        }
        self.advanced = true;
        self.rtt = rtt;
        let sent = (entry.sent_at, entry.end());
        if sent_after(sent, self.newest) {
            self.newest = sent;
        }
    }

    /// Records a retransmission.
    pub fn on_retransmit(&mut self, start: u64, now: Nanos) {
        self.resent.push(start, now);
    }

    /// Records that a segment that was retransmitted at `sent_at` was split, and that its second part begins at `rest`.
    pub fn on_split(&mut self, sent_at: Nanos, rest: u64) {
        self.resent.split(sent_at, rest);
    }

    /// Processes a D-SACK: it widens the reordering window once per round trip (step 4).
    //= https://www.rfc-editor.org/rfc/rfc8985#section-4
    //# RACK DSACK-based reordering window adaptation is RECOMMENDED but is not required
    pub fn on_dsack(&mut self, una: u64, nxt: u64) {
        if self.dsack_round.is_none_or(|round| una >= round) {
            self.dsack_round = Some(nxt);
            //= https://www.rfc-editor.org/rfc/rfc8985#section-3.3.2
            //# The RACK reordering window SHOULD adaptively increase
            self.steps = self.steps.saturating_add(1).min(255);
            self.persistence = PERSISTENCE;
        }
    }

    /// Records the end of a recovery.
    pub fn on_recovery_end(&mut self) {
        self.persistence = self.persistence.saturating_sub(1);
        if self.persistence == 0 {
            self.steps = 1;
        }
    }

    /// RACK.reo_wnd: time after its expected arrival during which a segment may still be in the network.
    pub fn reordering_window(&self, min_rtt: Option<Nanos>, srtt: Option<Nanos>) -> Nanos {
        //= https://www.rfc-editor.org/rfc/rfc8985#section-3.3.2
        //# Otherwise, the reordering window SHOULD start from a small fraction of the round-trip time or zero if no
        //# round-trip time estimate is available
        let wide = min_rtt.unwrap_or(0).saturating_mul(u64::from(self.steps)) / 4;
        //= https://www.rfc-editor.org/rfc/rfc8985#section-3.3.2
        //# The RACK reordering window MUST be bounded, and this bound SHOULD be SRTT
        wide.min(srtt.unwrap_or(0))
    }

    /// Whether a segment that was sent at `time` or later has arrived, and so a round trip has passed.
    pub fn since(&self, time: Nanos) -> bool {
        self.newest.0 >= time
    }

    /// Whether a segment has arrived since losses were last looked for; clears this fact.
    pub fn take_advanced(&mut self) -> bool {
        std::mem::take(&mut self.advanced)
    }

    /// Makes the next call look for losses again, because losses were unmarked or time has passed.
    pub fn look_again(&mut self) {
        self.advanced = true;
        self.resent.unsettle();
    }

    /// Looks for losses (step 5).
    pub fn detect(&mut self, board: &mut Scoreboard, now: Nanos, reordering_window: Nanos) -> Found {
        board.mark_lost_by_time(&mut self.resent, now, self.newest, self.rtt + reordering_window)
    }

    /// Send time up to which segments are lost when the retransmission timer expires at `now` (section 6.3).
    pub fn timed_out_by(&self, now: Nanos, reordering_window: Nanos) -> Nanos {
        now.saturating_sub(self.rtt + reordering_window)
    }
}

/// Whether the acknowledgment of a retransmitted segment may belong to an earlier transmission.
#[cold]
#[inline(never)]
fn is_ambiguous(now: Nanos, entry: &Entry, echo: Option<Nanos>, min_rtt: Option<Nanos>) -> bool {
    let sent_at = entry.sent_at / MILLISECOND * MILLISECOND;
    let took = now / MICROSECOND - entry.sent_at.min(now) / MICROSECOND;
    echo.is_some_and(|echo| echo < sent_at) || min_rtt.is_some_and(|min| took < min / MICROSECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    //= https://www.rfc-editor.org/rfc/rfc8985#section-3.3.2
    //= type=test
    //# The RACK reordering window SHOULD adaptively increase
    //= https://www.rfc-editor.org/rfc/rfc8985#section-3.3.2
    //= type=test
    //# The RACK reordering window MUST be bounded, and this bound SHOULD be SRTT
    #[test]
    fn the_reordering_window_grows_with_each_round_of_dsacks_up_to_srtt_and_falls_back() {
        let mut rack = Rack::default();
        let window = |rack: &Rack| {
            let wide = rack.reordering_window(Some(100 * MILLISECOND), Some(130 * MILLISECOND));
            wide / MILLISECOND
        };
        assert_eq!(window(&rack), 25);
        rack.on_dsack(0, 10);
        assert_eq!(window(&rack), 50);
        rack.on_dsack(9, 20);
        assert_eq!(window(&rack), 50, "the same round trip");
        for round in 1..10 {
            rack.on_dsack(10 * round, 10 * round + 10);
        }
        assert_eq!(window(&rack), 130, "SRTT is the bound");
        for _ in 0..15 {
            rack.on_recovery_end();
        }
        assert_eq!(window(&rack), 130);
        rack.on_recovery_end();
        assert_eq!(window(&rack), 25, "after sixteen recoveries without a D-SACK");
        assert_eq!(rack.reordering_window(None, None), 0, "without an estimate");
    }
}
