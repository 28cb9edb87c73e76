//! XCP: the routers on the path tell the sender by how much to change its throughput (D. Katabi, M. Handley, C. Rohrs,
//! "Congestion Control for High Bandwidth-Delay Product Networks", SIGCOMM 2002). The router is the queue `xcp`.
//!
//! # Equations
//!
//! - Each segment with payload carries the RTT, X = RTT * payload / cwnd, and a request: the largest possible change,
//!   or no change if the application has no more data. Routers on the path lower the request to the change that they
//!   grant.
//! - The receiver sums the granted changes, in bytes per second, and returns the sum with its ACKs. On each ACK outside
//!   recovery, `cwnd = max(cwnd + sum * RTT, SMSS)`, with SRTT for RTT.
//! - The responses to loss and timeouts are Reno's, as in the SIGCOMM paper.
//!
//! # Constants
//!
//! There are none; the constants of the router are parameters of the queue.
//!
//! # Deviations
//!
//! - If no router answers, the request returns unchanged. The sender is then Reno, with the slow start and recovery of
//!   its stack, as in the SIGCOMM paper for paths without XCP. It is XCP again with the first answer. A path with XCP
//!   routers on only a part of it is not detected: senders fill the narrowest of these routers, whatever the losses
//!   elsewhere.
//! - The header adds no bytes to packets. In ns-2's implementation it does so in SYNs, but not in data packets.
//! - Changes granted during a recovery are lost, as the recovery sets the window.
//! - cwnd is at most 1 GiB, which is more than any receive window (RFC 7323 section 2.2).
//! - ECN is not used: XCP's header takes the place of its echo. Unused windows are not reduced; window validation does
//!   that.
//!
//! # Validated against
//!
//! Windows by arithmetic. With the router: full utilisation without drops, a short queue, equal shares for all RTTs,
//! and a new flow's share within a few RTTs. Without the router: Reno, to the byte.

use super::{CongestionControl, Entry, Scope, reno::Reno};
use crate::context::{Ack, Congestion, Context, Window};

#[cfg(test)]
mod tests;

pub(super) const ENTRY: Entry = Entry {
    name: "xcp",
    summary: "follows the throughput that routers grant (queue \"xcp\"); Reno on paths without XCP routers",
    source: "Katabi, Handley, Rohrs, SIGCOMM 2002",
    parameters: &[],
    make: |_| Box::<Xcp>::default(),
};

/// Largest window, bytes.
const MOST_WINDOW: u64 = 1 << 30;
/// Units of a byte in which granted changes are kept: bytes per second times nanoseconds.
const PARTS: i128 = crate::SECOND as i128;

#[derive(Default, Debug)]
struct Xcp {
    /// Whether routers answer.
    guided: bool,
    /// Granted change that is less than a byte, in [`PARTS`] of a byte.
    rest: i128,
    reno: Reno,
}

impl CongestionControl for Xcp {
    fn scope(&self) -> Scope {
        Scope { routers: true, ..Scope::default() }
    }

    fn on_router_feedback(&mut self, window: &mut Window, ctx: &Context, change: Option<i32>) {
        let Some(change) = change else {
            self.guided = false;
            return;
        };
        let Some(srtt) = ctx.srtt.filter(|_| change != 0 && !ctx.in_recovery) else { return };
        self.guided = true;
        let granted = i128::from(change) * i128::from(srtt) + self.rest;
        self.rest = granted.rem_euclid(PARTS);
        let cwnd = i128::from(window.cwnd) + granted.div_euclid(PARTS);
        window.cwnd = cwnd.clamp(ctx.mss.into(), MOST_WINDOW.max(ctx.mss).into()) as u64;
        // XCP has no slow start.
        window.ssthresh = window.cwnd;
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        if !self.guided {
            self.reno.on_ack(window, ack, acked);
        }
    }

    fn ssthresh(&mut self, window: &Window, event: &Congestion) -> u64 {
        self.reno.ssthresh(window, event)
    }

    fn reset(&mut self, ctx: &Context) {
        self.reno.reset(ctx);
    }
}
