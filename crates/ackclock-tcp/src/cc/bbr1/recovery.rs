//! Losses: packet conservation in the first round of a recovery, and the window that is restored afterwards.

use super::{Bbr1, MIN_PIPE, State};
use crate::Nanos;
use crate::context::{Ack, Context, Window};

/// The repair of losses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Recovery {
    None,
    /// Fast recovery; `conserving` in its first round.
    Fast {
        conserving: bool,
    },
    Timeout,
}

impl Recovery {
    pub fn is_active(self) -> bool {
        self != Recovery::None
    }

    /// Whether data in flight is only replaced by as much as is delivered.
    pub fn conserves(self) -> bool {
        self == Recovery::Fast { conserving: true }
    }

    pub fn end_conservation(&mut self) {
        if let Recovery::Fast { conserving } = self {
            *conserving = false;
        }
    }
}

/// The end of a fast recovery.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended {
    pub at: Nanos,
    /// Whether the recovery was in its first round.
    conserving: bool,
    /// The window before the ACK, and without the bytes that the ACK shows to be lost.
    before: u64,
    without_lost: u64,
}

impl Bbr1 {
    /// Saves the window at `now`, or that before the ACK of this time.
    pub(super) fn save_cwnd(&mut self, window: &Window, now: Nanos) {
        let cwnd = if self.last.0 == now { self.last.1 } else { window.cwnd };
        let kept = self.recovery.is_active() || matches!(self.state, State::ProbeRtt { .. });
        self.prior_cwnd = if kept { self.prior_cwnd.max(cwnd) } else { cwnd };
    }

    /// Ends the recovery when it is over.
    pub(super) fn update_recovery(&mut self, window: &mut Window, ack: &Ack) {
        if !self.recovery.is_active() || ack.ctx.in_recovery {
            return;
        }
        let before = window.cwnd;
        let without_lost = before.saturating_sub(ack.lost).max(ack.ctx.mss);
        self.ended = match self.recovery {
            Recovery::Fast { conserving } => Some(Ended { at: ack.ctx.now, conserving, before, without_lost }),
            Recovery::None | Recovery::Timeout => None,
        };
        self.recovery = Recovery::None;
        window.cwnd = window.cwnd.max(self.prior_cwnd);
    }

    /// Continues the recovery that the same ACK has ended, as if it had not ended (net/ipv4/tcp_input.c,
    /// tcp_fastretrans_alert, leaves one recovery and enters the next before it calls the module).
    pub(super) fn continue_recovery(&mut self, window: &mut Window, ended: &Ended, ctx: &Context) {
        self.prior_cwnd = self.prior_cwnd.max(ended.before);
        self.recovery = Recovery::Fast { conserving: ended.conserving };
        let newly = self.last.2;
        window.cwnd = if ended.conserving {
            ended.without_lost.max(ctx.pipe + newly)
        } else {
            window.cwnd.min((ended.without_lost + newly).max(MIN_PIPE * ctx.mss))
        };
    }
}
