//! Tunnels in a network: the stages between their ends.
//!
//! A packet has no room for a second ECN field. A tunnel therefore has its stages four times, one for each field that the
//! inner header may have, and the packet's own field is that of the outer header.

use std::ops::Range;

use ackclock_core::{Ecn, Nanos};
use ackclock_net::{DropCause, Tunnelling};

use super::{Network, Stage};
use crate::endpoint::Contents;
use crate::observe::Observer;
use crate::packet::{AT_HOST, Packet};

/// A tunnel on a route.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tunnel {
    /// The links inside, as a range of the links of the route. At least one link is before and one behind them.
    pub links: Range<usize>,
    /// Bytes that the tunnel adds to a packet.
    pub header: u32,
    /// Rules for ECN at both ends.
    pub ecn: Tunnelling,
    /// Number by which queues inside know all packets of the tunnel.
    pub number: u64,
}

/// An end of a tunnel, at the begin of a stage.
#[derive(Clone, Copy, Debug)]
pub(super) enum Gate {
    /// The ingress, with the first stages of the tunnel by the bits of the inner field.
    Ingress(Tunnelling, [u32; 4]),
    /// The egress, for packets with this inner field.
    Egress(Tunnelling, Ecn),
}

/// Fields of the inner header, in the order of their bits.
const INNER: [u8; 4] = [0, 1, 2, 3];

impl<P: Contents> Network<P> {
    /// Adds the stages of a route, each as a range of hops. `inside` is the range of the stages in `tunnel`.
    pub(super) fn add_stages(&mut self, ranges: &[(u32, u32)], inside: Range<usize>, tunnel: Option<&Tunnel>) {
        let base = self.stages.len() as u32;
        let stage = |place: usize, next: u32| Stage {
            first: ranges[place].0,
            end: ranges[place].1,
            next,
            part: 0,
            header: 0,
            gate: Stage::OPEN,
        };
        let Some(tunnel) = tunnel else {
            let last = ranges.len() - 1;
            let next = |place: usize| if place == last { AT_HOST } else { base + place as u32 + 1 };
            return self.stages.extend((0..ranges.len()).map(|place| stage(place, next(place))));
        };
        let len = inside.len() as u32;
        let first = base + inside.start as u32;
        let egress = first + INNER.len() as u32 * len;
        let behind = egress + INNER.len() as u32;
        self.stages.extend((0..inside.start).map(|place| stage(place, base + place as u32 + 1)));
        self.gates.push(Gate::Ingress(tunnel.ecn, INNER.map(|inner| first + u32::from(inner) * len)));
        for inner in INNER.map(u32::from) {
            for (number, place) in (0..).zip(inside.clone()) {
                let next = if number + 1 == len { egress + inner } else { first + inner * len + number + 1 };
                let gate = if (inner, number) == (0, 0) { self.gates.len() as u32 - 1 } else { Stage::OPEN };
                self.stages.push(Stage { header: tunnel.header, gate, ..stage(place, next) });
            }
        }
        let rest = ranges.len() - inside.end;
        for inner in INNER {
            self.gates.push(Gate::Egress(tunnel.ecn, Ecn::from_bits(inner)));
            let next = if rest == 1 { AT_HOST } else { behind };
            self.stages.push(Stage { gate: self.gates.len() as u32 - 1, ..stage(inside.end, next) });
        }
        for number in 1..rest {
            let next = if number + 1 == rest { AT_HOST } else { behind + number as u32 };
            self.stages.push(stage(inside.end + number, next));
        }
        self.senders.tunnels.push((first..egress, tunnel.number));
    }

    /// Moves a packet through an end of a tunnel and the links of the stage that begins there.
    #[cold]
    #[inline(never)]
    pub(super) fn pass_gate<O: Observer<P>>(&mut self, now: Nanos, packet: Packet, stage: Stage, observer: &mut O) {
        let (packet, stage) = match self.gates[stage.gate as usize] {
            Gate::Ingress(rules, stages) => {
                let inner = packet.ecn();
                let first = stages[inner as usize];
                (packet.with_ecn(rules.encapsulate(inner)).before(first), self.stages[first as usize])
            }
            Gate::Egress(rules, inner) => match rules.decapsulate(inner, packet.ecn()) {
                Some(ecn) => (packet.with_ecn(ecn), stage),
                None => {
                    let link = self.hops[stage.first as usize];
                    return self.refuse(now, packet, link, (DropCause::Loss, None), observer);
                }
            },
        };
        self.pass(now, packet, stage, 0, observer);
    }
}
