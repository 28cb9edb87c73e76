//! The network of a scenario with the bytes of the packets in it, without a clock.

use std::collections::BTreeMap;

use ackclock_app::Side;
use ackclock_core::Nanos;
use ackclock_results::Tables;
use ackclock_scenario::{Scenario, ScenarioError};
use ackclock_sim::relay::{Fate, Gauge, Happened, Parcel, Relay, Sender};
use ackclock_wire::transit::{Pair, Transit, mark};

/// Number of connections after which the numbers of connections begin again.
const CONNECTIONS: usize = 1 << 16;

/// Counts of packets that do not enter the network.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Seen {
    /// Packets that entered.
    pub entered: u64,
    /// Packets that are not IP, or shorter than they say.
    pub unreadable: u64,
}

/// A packet's bytes and its flow, and how many packets in the network have them.
#[derive(Default)]
struct Held {
    flow: usize,
    bytes: Vec<u8>,
    copies: u32,
}

/// The network of a scenario, with the packets in it.
pub struct Emulation {
    relay: Relay,
    /// Connections of each flow: the number of each, and its number among those of its flow.
    connections: BTreeMap<(usize, Pair), (u32, u32)>,
    /// Number of connections of each flow so far.
    opened: Vec<u32>,
    /// Packets by their numbers in the relay, and the numbers that are free.
    held: Vec<Held>,
    free: Vec<usize>,
    happened: Vec<Happened>,
    seen: Seen,
}

impl Emulation {
    /// Creates the network of a scenario at time 0, with a seed.
    ///
    /// # Errors
    /// Parameters with which an application cannot run.
    pub fn new(scenario: &Scenario, seed: u64) -> Result<Emulation, ScenarioError> {
        let relay = Relay::new(scenario, seed)?;
        let (held, free, happened, opened) = (Vec::new(), Vec::new(), Vec::new(), vec![0; relay.flows()]);
        Ok(Emulation { relay, connections: BTreeMap::new(), opened, held, free, happened, seen: Seen::default() })
    }

    /// Returns the number of flows.
    pub fn flows(&self) -> usize {
        self.relay.flows()
    }

    /// Lets the bytes of a packet enter at `at` from a side of a flow, the index of which is in the order of the
    /// scenario; each copy counts.
    ///
    /// # Panics
    /// If `at` is earlier than the time of an earlier call, or if there is no such flow.
    pub fn enter(&mut self, at: Nanos, flow: usize, side: Side, bytes: &[u8]) {
        let Ok(transit) = Transit::of(bytes) else {
            self.seen.unreadable += 1;
            return;
        };
        self.seen.entered += 1;
        let (connection, pair) = self.connection(flow, transit.connection);
        let number = self.hold(flow, &bytes[..transit.len]);
        let parcel = Parcel { number: number as u64, size: transit.len as u32, ecn: transit.ecn };
        self.relay.enter(at, Sender { flow, side, connection, pair }, parcel, &mut self.happened);
    }

    /// Returns the number of a connection, and its number among those of its flow.
    fn connection(&mut self, flow: usize, ends: Pair) -> (u32, u32) {
        if let Some(known) = self.connections.get(&(flow, ends)) {
            return *known;
        }
        if self.connections.len() == CONNECTIONS {
            self.connections.clear();
        }
        let number = (self.connections.len() as u32, self.opened[flow]);
        self.opened[flow] = self.opened[flow].wrapping_add(1);
        self.connections.insert((flow, ends), number);
        number
    }

    fn hold(&mut self, flow: usize, bytes: &[u8]) -> usize {
        let number = self.free.pop().unwrap_or_else(|| {
            self.held.push(Held::default());
            self.held.len() - 1
        });
        let held = &mut self.held[number];
        (held.flow, held.copies) = (flow, 1);
        held.bytes.clear();
        held.bytes.extend_from_slice(bytes);
        number
    }

    /// Returns a time before which no packet leaves the network, most often that at which the next packet does; `NEVER` if
    /// it is empty.
    pub fn next(&self) -> Nanos {
        self.relay.next()
    }

    /// Passes each packet that leaves the network up to `now` to `send`: its flow, the side that it goes to, its
    /// bytes, and the time at which it left.
    ///
    /// # Panics
    /// If `now` is earlier than the time of an earlier call.
    pub fn leave(&mut self, now: Nanos, mut send: impl FnMut(usize, Side, &[u8], Nanos)) {
        self.relay.advance(now, &mut self.happened);
        for Happened { at, fate } in self.happened.drain(..) {
            let number = match fate {
                Fate::Copied { number } => {
                    self.held[number as usize].copies += 1;
                    continue;
                }
                Fate::Dropped { number, .. } => number,
                Fate::Delivered { to, parcel } => {
                    let Held { flow, bytes, .. } = &mut self.held[parcel.number as usize];
                    if parcel.ecn == ackclock_core::Ecn::Ce {
                        mark(bytes).expect("the header was read when the packet entered");
                    }
                    send(*flow, to, bytes, at);
                    parcel.number
                }
            } as usize;
            let held = &mut self.held[number];
            held.copies -= 1;
            if held.copies == 0 {
                self.free.push(number);
            }
        }
    }

    /// Returns the propagation delay of both routes of a flow at the start, in ns.
    ///
    /// # Panics
    /// If the scenario has no such flow.
    pub fn rtt(&self, flow: usize) -> Nanos {
        self.relay.rtt(flow)
    }

    /// Returns the counts of packets so far.
    pub fn seen(&self) -> Seen {
        self.seen
    }

    /// Returns the names of the links in each direction, in the order of [`Emulation::gauges`].
    pub fn links(&self) -> Vec<String> {
        self.relay.links().map(str::to_owned).collect()
    }

    /// Returns each link as it was at the time of the last call.
    pub fn gauges(&mut self) -> Vec<Gauge> {
        self.relay.gauges()
    }

    /// Ends the emulation and returns the tables `links`, up to the time of the last call, and, if the scenario asks for
    /// it, `queues`.
    pub fn finish(self) -> Tables {
        self.relay.finish()
    }
}

#[cfg(test)]
mod tests {
    use ackclock_core::{Ecn, NEVER};
    use ackclock_tcp::{Flags, Segment};
    use ackclock_wire::{Addresses, Packet, Sum, decode, encode};

    use super::*;

    const MS: Nanos = 1_000_000;

    fn scenario(link: &str) -> Scenario {
        let text = format!(
            "duration = '10s'\n[bottleneck]\nrate = '12Mbps'\ndelay = '10ms'\n{link}\n\
             [access]\nrate = '1000x'\n[[flows]]\napp = 'bulk'\ncount = 2\n"
        );
        Scenario::from_toml(&text, &[]).unwrap()
    }

    fn packet(host: u8, seq: u32) -> Vec<u8> {
        let addresses = Addresses {
            source: format!("10.0.0.{host}:5000").parse().unwrap(),
            destination: "10.0.1.1:80".parse().unwrap(),
        };
        let segment = Segment { seq, len: 1460, ecn: Ecn::Ect0, ..Segment::new(Flags::ACK) };
        let mut bytes = vec![0; 1500];
        assert_eq!(encode(&addresses, &segment, Sum::default(), &mut bytes).unwrap(), 40);
        bytes
    }

    /// Side, sequence number, ECN field and time of the packets that leave.
    fn leaving(emulation: &mut Emulation, now: Nanos) -> Vec<(Side, u32, Ecn, Nanos)> {
        let mut left = Vec::new();
        emulation.leave(now, |flow, side, bytes, at| {
            assert_eq!(flow, 1);
            let Packet::Tcp { segment, .. } = decode(bytes).unwrap() else { panic!() };
            left.push((side, segment.seq, segment.ecn, at));
        });
        left
    }

    #[test]
    fn packets_leave_when_the_simulator_says() {
        let mut emulation = Emulation::new(&scenario("queue = '5 packets'"), 1).unwrap();
        assert_eq!(emulation.next(), NEVER);
        for number in 0..8 {
            emulation.enter(0, 1, Side::Source, &packet(1, number));
        }
        // One packet takes a millisecond at 12 Mbit/s and a microsecond on each access link; two of eight are dropped.
        let left = leaving(&mut emulation, 100 * MS);
        let expected: Vec<_> = (0..6).map(|n| (Side::Sink, n, Ecn::Ect0, (11 + Nanos::from(n)) * MS + 2_000)).collect();
        assert_eq!(left, expected);
        assert_eq!(emulation.free.len(), emulation.held.len(), "no packet is kept");
        assert_eq!(emulation.seen(), Seen { entered: 8, ..Seen::default() });
    }

    #[test]
    fn a_mark_is_written_and_a_copy_is_sent_twice() {
        let link = "queue = { kind = 'red', limit = '100 packets', thresh = 1, maxthresh = 10, max_p = 1, q_weight = 1, setbit = true, use_mark_p = false }";
        let mut emulation = Emulation::new(&scenario(link), 1).unwrap();
        for number in 0..8 {
            emulation.enter(0, 1, Side::Source, &packet(1, number));
        }
        let left = leaving(&mut emulation, 100 * MS);
        assert_eq!(left.len(), 8);
        assert!(left.iter().any(|(_, _, ecn, _)| *ecn == Ecn::Ce), "{left:?}");

        let link = "duplication = { kind = 'list', packets = [2] }";
        let mut emulation = Emulation::new(&scenario(link), 1).unwrap();
        for number in 0..3 {
            emulation.enter(0, 1, Side::Sink, &packet(1, number));
            emulation.enter(0, 1, Side::Source, &packet(1, number));
        }
        let left = leaving(&mut emulation, 100 * MS);
        let numbers = |to| left.iter().filter(|(side, ..)| *side == to).map(|(_, n, ..)| *n).collect::<Vec<_>>();
        assert_eq!((numbers(Side::Sink), numbers(Side::Source)), (vec![0, 1, 1, 2], vec![0, 1, 2]));
        assert_eq!(emulation.free.len(), emulation.held.len(), "no packet is kept");
    }

    #[test]
    fn gauges_say_what_waits_and_what_has_passed() {
        let mut emulation = Emulation::new(&scenario("queue = '5 packets'"), 1).unwrap();
        for number in 0..8 {
            emulation.enter(0, 1, Side::Source, &packet(1, number));
        }
        let at = emulation.links().iter().position(|name| name == "bottleneck").unwrap();
        // The first packet is on its way through the access link, and in 2.5 ms two have left the bottleneck.
        leaving(&mut emulation, 5 * MS / 2);
        let Gauge { carried, queued_packets, queued_bytes } = emulation.gauges()[at];
        assert_eq!((carried.packets, carried.bytes, carried.queue_drops), (2, 3000, 2));
        assert_eq!((queued_packets, queued_bytes), (3, 4500));
        leaving(&mut emulation, 100 * MS);
        let Gauge { carried, queued_packets, queued_bytes } = emulation.gauges()[at];
        assert_eq!((carried.packets, queued_packets, queued_bytes), (6, 0, 0));
        assert_eq!(emulation.gauges().len(), emulation.links().len());
    }

    #[test]
    fn what_is_no_packet_does_not_enter() {
        let mut emulation = Emulation::new(&scenario(""), 1).unwrap();
        emulation.enter(0, 1, Side::Source, &packet(1, 0));
        emulation.enter(0, 1, Side::Source, b"no packet");
        assert_eq!((emulation.seen(), emulation.flows()), (Seen { entered: 1, unreadable: 1 }, 2));
        assert_eq!(leaving(&mut emulation, 100 * MS).len(), 1);
    }
}
