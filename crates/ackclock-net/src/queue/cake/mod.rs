//! CAKE: the shaper, fair queueing and AQM of home routers in one discipline (T. Høiland-Jørgensen, D. Täht, J. Morton,
//! "Piece of CAKE: A Comprehensive Queue Management Solution for Home Gateways", LANMAN 2018; Linux,
//! `net/sched/sch_cake.c`).
//!
//! # Equations
//!
//! A packet passes these parts:
//!
//! 1. **Tins.** The code point of the packet selects a tin ([`options::Tins`]). A tin has priority up to a share of the
//!    rate, its threshold, and takes its turn by that share beyond it: of the tins within their threshold, the most
//!    urgent one sends, or else the one that comes within it first. Without a shaper, tins take turns by weighted
//!    deficit round robin.
//! 2. **Flows.** In the tin, the packet's flow has one of 1024 queues: the hash selects a set of eight, in which each
//!    flow has a queue of its own as long as there are eight or fewer. Queues take turns by DRR++. A turn is `quantum`
//!    bytes, 1/4096 s at the tin's rate from 300 to 1514 bytes, over the number of bulk flows of the packet's source or
//!    destination ([`options::Isolation`]). A flow that has used up a turn and still has packets is a bulk flow; others
//!    are sparse and go first.
//! 3. **COBALT** acts on each queue: see `cobalt`.
//! 4. **The shaper** has a clock instead of a bucket: each packet moves the time of the next one on by its size on the
//!    line over the rate.
//!
//! With `ack_filter`, an acknowledgment that joins its flow's queue replaces an earlier one there that it makes
//! superfluous: one with a lower acknowledgment number, no range or duplicate that the new one lacks, no payload, and the
//! same ECN echoes in between. Usually the last two acknowledgments of a flow are kept; `aggressive` keeps one. Only a
//! transport whose packets routers can read has such acknowledgments: TCP, not QUIC. The results count a dropped
//! acknowledgment among the drops of the AQM.
//!
//! When the packets take more memory than the limit, the first packet of the longest queue is dropped until they do not.
//!
//! # Constants
//!
//! A tin's target is 5 ms for a round-trip time of 100 ms, or the time of 1.5 packets at the tin's rate if that is more,
//! and its interval is the round-trip time plus the excess of the target. Tins have these shares of the rate, from the
//! first, which has best effort but for `precedence` and `diffserv8`: `diffserv3` 1, 1/16, 1/4; `diffserv4` 1, 1/16, 1/2,
//! 1/4; the others 1, 7/8, (7/8)^2 and so on.
//!
//! # Deviations
//!
//! - The hash is of the flow's number, of the hosts' names and of the seed, not Jenkins's hash of addresses and ports.
//! - A packet's memory is that of a router's buffers, in powers of two: 2304 bytes for a full packet and 768 bytes for
//!   an ACK.
//! - `limit` is a limit besides `memory_limit`, on the packets or bytes of all queues.
//! - Each packet has the size of a segment, as with `split-gso`. There are no `nat`, `wash`, `fwmark` and
//!   `autorate-ingress`.
//!
//! # Validated against
//!
//! Linux's code, compiled with a clock, a hash and random numbers of ours, packet by packet on random traffic.

mod acks;
mod chains;
mod discipline;
mod longest;
mod options;
mod shaper;
mod tin;
mod tins;

use super::{Entry, Limit};
use discipline::Cake;
use options::Parameters;

pub(super) const ENTRY: Entry = Entry {
    name: "cake",
    summary: "CAKE: shaper, classes, fairness of hosts and flows, and COBALT, as in home routers.",
    source: "Høiland-Jørgensen, Täht, Morton, LANMAN 2018; Linux, net/sched/sch_cake.c",
    limit: Some(Limit::Unlimited),
    parameters: Parameters::ROWS,
    check: options::check,
    make: |settings| Box::new(Cake::new(settings)),
};
