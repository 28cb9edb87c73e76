//! XCP: the routers on the way tell the sender by how much to change its throughput (D. Katabi, M. Handley, C. Rohrs, "Congestion
//! Control for High Bandwidth-Delay Product Networks", SIGCOMM 2002). The router is the queue `xcp`.
//!
//! # Equations
//!
//! - Each segment with payload tells routers RTT and X = RTT * payload / cwnd, and asks for as much as there is, or for nothing
//!   where the application has nothing more to send. A router on the way lowers what is asked for to what it grants.
//! - The receiver sums what was granted, in bytes per second, and tells it with its ACKs. On each ACK, with SRTT for RTT:
//!   `cwnd = max(cwnd + sum * RTT, SMSS)`, outside recovery.
//! - Loss and timeouts: as Reno, as in the SIGCOMM paper.
//!
//! # Constants
//!
//! None; those of the router are parameters of the queue.
//!
//! # Deviations
//!
//! - Where no router answers, nothing was lowered of what was asked for, and the sender is Reno, with the slow start and
//!   recovery of its stack, as in the SIGCOMM paper for paths without XCP; it is XCP again with the first answer. A path of
//!   which only a part has XCP routers is not noticed: senders fill the narrowest of these, whatever is lost elsewhere.
//! - The header takes no bytes of packets; in ns-2's implementation those of SYNs have it, and data packets do not.
//! - What is granted within a recovery is forgone; the window is the recovery's.
//! - cwnd is 1 GiB at most, more than any receive window (RFC 7323 section 2.2).
//! - No ECN is used: its echo has the place of the header. Windows do not age while unused; window validation sees to that.
//!
//! # Validated against
//!
//! Windows by arithmetic. Over the router: full utilisation without drops, a short queue, equal shares whatever the RTT, and a
//! newcomer's share within a few RTTs; without it: Reno, to the byte.

use super::{CongestionControl, Entry, Scope, reno::Reno};
use crate::context::{Ack, Congestion, Context, Window};

#[cfg(test)]
mod tests;

pub(super) const ENTRY: Entry = Entry {
    name: "xcp",
    summary: "the throughput that routers grant (queue \"xcp\"); Reno where there are none",
    source: "Katabi, Handley, Rohrs, SIGCOMM 2002",
    parameters: &[],
    make: |_| Box::<Xcp>::default(),
};

/// The largest window, bytes.
const MOST_WINDOW: u64 = 1 << 30;
/// Parts of a byte in which what is granted is kept: bytes per second times nanoseconds.
const PARTS: i128 = crate::SECOND as i128;

#[derive(Default, Debug)]
struct Xcp {
    /// Whether routers answer.
    guided: bool,
    /// What was granted and is less than a byte, in [`PARTS`].
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
        // There is no slow start.
        window.ssthresh = window.cwnd;
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        if !self.guided {
            self.reno.on_ack(window, ack, acked);
        }
    }

    fn on_congestion(&mut self, window: &mut Window, event: &Congestion) {
        self.reno.on_congestion(window, event);
    }

    fn on_timeout(&mut self, window: &mut Window, event: &Congestion, first: bool) {
        self.reno.on_timeout(window, event, first);
    }
}
