//! Careful resume: a connection jumps to half of the window that an earlier connection had on the same path, with
//! pacing. It retreats if the jump was too large (RFC 9959).
//!
//! Careful resume works alongside the congestion control, which continues underneath. While a jump is not validated,
//! this module sets the window. The configuration determines which parameters are saved, for how long and for which
//! peer (sections 3.1, 4.2 and 4.3.1), and that only one connection at a time uses them. Connections whose congestion
//! control sets a pacing rate (appendix C) do not jump.
//!
//! PipeSize is the flight at the jump plus the acknowledged data that were sent since, as in the example of appendix
//! B.4. Acknowledgments of the flight at the jump would count it twice.

#[cfg(test)]
mod tests;

use crate::context::{Ack, Congestion, Context, Window};
use crate::{Nanos, Rate, SECOND};

/// Saved parameters of a path (RFC 9959 section 3.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Saved {
    /// saved_cwnd: volume delivered in one RTT, bytes.
    pub cwnd: u64,
    /// saved_rtt: smallest RTT, nanoseconds.
    pub rtt: Nanos,
    /// max_jump: largest window to jump to, bytes.
    pub max_jump: u64,
}

/// Smallest saved window for a jump, in initial windows (section 3.1).
const LEAST_INITIAL_WINDOWS: u64 = 4;
/// An RTT of at most half of the saved RTT, or of more than ten times the saved RTT, indicates another path (sections
/// 3.2 and 4.2.1).
const RTT_RATIO: (u64, u64) = (2, 10);
/// jump_cwnd is at most half of saved_cwnd (section 3.3).
const JUMP_DIVISOR: u64 = 2;
/// Divisor of PipeSize: in safe retreat, cwnd is at most half of PipeSize (section 3.5).
const RETREAT_DIVISOR: u64 = 2;
/// 1 / Beta: after safe retreat, ssthresh is at most PipeSize * Beta (section 3.5; the default of Beta is 0.5).
const BETA_DIVISOR: u64 = 2;

/// A jump, with stream offsets and volumes in bytes.
#[derive(Clone, Copy, Debug)]
struct Jump {
    /// First unvalidated byte.
    from: u64,
    /// FlightSize at the jump.
    flight: u64,
}

impl Jump {
    /// PipeSize, if all data below `delivered` have arrived.
    fn pipe_size(self, delivered: u64) -> u64 {
        self.flight + delivered.saturating_sub(self.from)
    }
}

/// Phases of RFC 9959 section 3.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// The initial window shows whether the path is the saved one.
    Reconnaissance,
    /// Data are sent with pacing up to jump_cwnd, from `since` on for at most a round trip of `rtt`.
    Unvalidated { jump: Jump, since: Nanos, rtt: Nanos },
    /// The data sent up to offset `until` are being acknowledged.
    Validating { jump: Jump, until: u64 },
    /// The jump was too large, and the path is drained. `resent` bytes were retransmitted and do not count in PipeSize.
    SafeRetreat { jump: Jump, until: u64, resent: u64 },
    /// Careful resume has ended.
    Normal,
}

/// Careful resume of a connection. The argument `delivered` of its methods is snd_una plus the SACKed bytes above it.
#[derive(Debug)]
pub(crate) struct CarefulResume {
    saved: Saved,
    phase: Phase,
}

impl CarefulResume {
    /// Careful resume with saved parameters; `None` if the saved window is too small for a jump.
    pub fn new(saved: Saved, initial_window: u64) -> Option<CarefulResume> {
        let worth = saved.cwnd >= LEAST_INITIAL_WINDOWS.saturating_mul(initial_window);
        worth.then_some(CarefulResume { saved, phase: Phase::Reconnaissance })
    }

    /// Whether acknowledgments may grow the window.
    // Sections 3.3 (with table 1) and 3.5: the window does not grow in the unvalidated phase and in safe retreat.
    #[inline]
    pub fn may_grow(&self) -> bool {
        !matches!(self.phase, Phase::Unvalidated { .. } | Phase::SafeRetreat { .. })
    }

    /// New data was acknowledged outside recovery. Called after the congestion control.
    pub fn on_ack(&mut self, window: &mut Window, ack: &Ack, delivered: u64) {
        let (ctx, una) = (&ack.ctx, ack.ctx.snd_una);
        match self.phase {
            Phase::Normal => {}
            Phase::Reconnaissance => self.consider(window, ack),
            // Section 3.3: the RTT indicates another path, so the jump is given up.
            Phase::Unvalidated { jump, .. } if ack.rtt.is_some_and(|rtt| self.is_other_path(rtt)) => {
                self.retreat(window, jump, ctx, ctx.snd_nxt, delivered);
            }
            Phase::Unvalidated { jump, since, rtt } => {
                if una > jump.from || ctx.now - since > rtt {
                    self.end_jump(window, jump, ctx, delivered);
                }
            }
            // Section 3.4: all data of the jump arrived without congestion.
            Phase::Validating { until, .. } => {
                if una >= until {
                    self.phase = Phase::Normal;
                }
            }
            // Section 3.5: all data of the jump have been acknowledged.
            Phase::SafeRetreat { jump, until, resent } => {
                if una >= until {
                    let pipe_size = jump.pipe_size(delivered).saturating_sub(resent);
                    window.ssthresh = (pipe_size / BETA_DIVISOR).max(2 * ctx.mss);
                    self.phase = Phase::Normal;
                }
            }
        }
    }

    /// New data was sent; `ctx` is the state after sending.
    pub fn on_sent(&mut self, window: &mut Window, ctx: &Context, delivered: u64) {
        if let Phase::Unvalidated { jump, since, rtt } = self.phase
            && (ctx.flight_size + ctx.mss > window.cwnd || ctx.now - since > rtt)
        {
            self.end_jump(window, jump, ctx, delivered);
        }
    }

    /// A loss or a mark was detected. Called after the congestion control.
    pub fn on_congestion(&mut self, window: &mut Window, event: &Congestion, delivered: u64) {
        let ctx = &event.ctx;
        match self.phase {
            Phase::Normal | Phase::SafeRetreat { .. } => {}
            Phase::Reconnaissance => self.phase = Phase::Normal,
            Phase::Unvalidated { jump, .. } => self.retreat(window, jump, ctx, ctx.snd_nxt, delivered),
            Phase::Validating { jump, until } => self.retreat(window, jump, ctx, until, delivered),
        }
    }

    /// Fast recovery has ended; `retransmitted` bytes of the delivered data were retransmissions.
    pub fn on_recovery_end(&mut self, retransmitted: u64) {
        if let Phase::SafeRetreat { resent, .. } = &mut self.phase {
            *resent += retransmitted;
        }
    }

    /// The retransmission timer expired.
    // Section 3.6: persistent congestion ends careful resume.
    pub fn on_timeout(&mut self, window: &mut Window) {
        if matches!(self.phase, Phase::Unvalidated { .. }) {
            window.pacing_rate = None;
        }
        self.phase = Phase::Normal;
    }

    fn is_other_path(&self, rtt: Nanos) -> bool {
        rtt.saturating_mul(RTT_RATIO.0) <= self.saved.rtt
    }

    /// Jumps if the initial data have arrived, the path is the saved one and there are more data to send than the
    /// window allows.
    // Sections 3.2, 3.3 and 4.2.
    fn consider(&mut self, window: &mut Window, ack: &Ack) {
        let ctx = &ack.ctx;
        let (Some(rtt), Some(min_rtt)) = (ack.rtt.or(ctx.srtt), ctx.min_rtt) else { return };
        if ctx.snd_una < ctx.initial_window || ctx.flight_size.saturating_add(ctx.unsent) <= window.cwnd {
            return;
        }
        let jump_cwnd = self.saved.max_jump.min(self.saved.cwnd / JUMP_DIVISOR);
        let other_path = self.is_other_path(min_rtt) || min_rtt > self.saved.rtt.saturating_mul(RTT_RATIO.1);
        if other_path || jump_cwnd <= window.cwnd || window.pacing_rate.is_some() {
            self.phase = Phase::Normal;
            return;
        }
        window.cwnd = jump_cwnd;
        // Section 4.3.2: one packet is sent every RTT * MPS / jump_cwnd.
        let rate = u128::from(jump_cwnd) * u128::from(SECOND) / u128::from(rtt.max(1));
        window.pacing_rate = Some(Rate::of_bytes(u64::try_from(rate).unwrap_or(u64::MAX)));
        let jump = Jump { from: ctx.snd_nxt, flight: ctx.flight_size };
        self.phase = Phase::Unvalidated { jump, since: ctx.now, rtt };
    }

    /// Ends the unvalidated phase: the window becomes the used part of the jump (section 3.3, check of flight_size).
    fn end_jump(&mut self, window: &mut Window, jump: Jump, ctx: &Context, delivered: u64) {
        window.pacing_rate = None;
        let pipe_size = jump.pipe_size(delivered);
        if ctx.flight_size < ctx.initial_window || ctx.flight_size <= pipe_size {
            window.cwnd = window.cwnd.min(pipe_size.max(ctx.initial_window));
            self.phase = Phase::Normal;
        } else {
            window.cwnd = ctx.flight_size;
            self.phase = Phase::Validating { jump, until: ctx.snd_nxt };
        }
    }

    /// Drains the path of the data sent up to offset `until`.
    // Section 3.5. ssthresh falls with cwnd for the duration of the recovery, so that no rule of recovery sends more.
    fn retreat(&mut self, window: &mut Window, jump: Jump, ctx: &Context, until: u64, delivered: u64) {
        window.pacing_rate = None;
        window.cwnd = window.cwnd.min(jump.pipe_size(delivered) / RETREAT_DIVISOR).max(ctx.mss);
        window.ssthresh = window.cwnd.max(2 * ctx.mss);
        self.phase = Phase::SafeRetreat { jump, until, resent: 0 };
    }
}
