//! AQM disciplines with responsive senders and with one unresponsive sender: delay, throughput, drops and marks.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ackclock_net::Ecn;
use ackclock_net::queue::{Item, Settings, by_name};
use ackclock_net::{Limit, Port, Transmitter};

const MS: u64 = 1_000_000;
const SECOND: u64 = 1000 * MS;
const RATE: u64 = 20_000_000;
const PACKET: u32 = 1500;
const BASE_RTT: u64 = 20 * MS;
/// Start and end of the measurement.
const FROM: u64 = 10 * SECOND;
const TO: u64 = 40 * SECOND;

/// Response of a sender to congestion.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    /// Halves the window in a round with drops or marks, and adds a packet in a round without (Reno).
    Classic(Ecn),
    /// Reduces the window by half of the smoothed share of marked packets (DCTCP, Prague).
    Scalable,
    /// Does not respond; sends a packet each time this number of ns has passed.
    Flood(u64),
}

struct Sender {
    kind: Kind,
    window: f64,
    in_flight: f64,
    /// End of the round, its packets and marked packets, and whether the sender has responded in it.
    round_end: u64,
    packets: u32,
    marked: u32,
    responded: bool,
    /// Smoothed share of marked packets.
    share: f64,
    /// Queueing delays of packets sent, and number of packets dropped, during the measurement.
    delays: Vec<u64>,
    dropped: u64,
}

/// Feedback that a sender receives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Start,
    Delivered { marked: bool },
    Lost,
}

impl Sender {
    fn new(kind: Kind) -> Sender {
        Sender {
            kind,
            window: 10.0,
            in_flight: 0.0,
            round_end: 0,
            packets: 0,
            marked: 0,
            responded: false,
            share: 1.0,
            delays: Vec::new(),
            dropped: 0,
        }
    }

    fn ecn(&self) -> Ecn {
        match self.kind {
            Kind::Classic(ecn) => ecn,
            Kind::Scalable => Ecn::Ect1,
            Kind::Flood(_) => Ecn::NotEct,
        }
    }

    fn learns(&mut self, now: u64, event: Event) {
        if event == Event::Start {
            return;
        }
        let marked = event == Event::Delivered { marked: true };
        self.in_flight -= 1.0;
        self.packets += 1;
        self.marked += u32::from(marked);
        if now >= self.round_end {
            self.share += (f64::from(self.marked) / f64::from(self.packets) - self.share) / 16.0;
            (self.packets, self.marked, self.responded) = (0, 0, false);
            self.round_end = now + BASE_RTT + 5 * MS;
        }
        if event == (Event::Delivered { marked: false }) {
            self.window += 1.0 / self.window;
        } else if !self.responded {
            self.responded = true;
            let reduction = if marked && self.kind == Kind::Scalable { self.share / 2.0 } else { 0.5 };
            self.window = (self.window * (1.0 - reduction)).max(2.0);
        }
    }

    fn throughput(&self) -> f64 {
        self.delays.len() as f64 * f64::from(PACKET) * 8.0 / ((TO - FROM) as f64 / 1e9)
    }

    /// Mean and 99th percentile of the queueing delay, in ms.
    fn delay(&self) -> (f64, f64) {
        let mut delays = self.delays.clone();
        delays.sort_unstable();
        let mean = delays.iter().sum::<u64>() as f64 / delays.len() as f64;
        (mean / MS as f64, delays[delays.len() * 99 / 100] as f64 / MS as f64)
    }
}

/// Senders before one queue, and their pending feedback in the order of its times.
struct Network {
    port: Port<usize>,
    senders: Vec<Sender>,
    events: BinaryHeap<Reverse<(u64, usize, Event)>>,
}

impl Network {
    fn new(queue: &str, limit: Limit, kinds: &[Kind]) -> Network {
        let rate = ackclock_net::Rate::new(RATE).unwrap();
        let settings = Settings { rate, limit, packet_size: PACKET, given: &[], seed: [7; 32] };
        let queue = (by_name(queue).unwrap().make)(&settings);
        Network {
            port: Port::new(queue, Box::new(Transmitter::new(rate)), 0),
            senders: kinds.iter().map(|kind| Sender::new(*kind)).collect(),
            events: (0..kinds.len()).map(|index| Reverse((index as u64 * MS, index, Event::Start))).collect(),
        }
    }

    /// Sends the packets that start by `until`.
    fn serve(&mut self, until: u64) {
        while self.port.due() <= until {
            let at = self.port.due();
            while let Some(sent) = self.port.poll(at) {
                if at >= FROM {
                    self.senders[sent.packet].delays.push(at - sent.item.arrival);
                }
                let event = Event::Delivered { marked: sent.item.ecn == Ecn::Ce };
                self.tell(sent.passage.departure + BASE_RTT, sent.packet, event);
            }
            self.collect(at);
        }
    }

    fn collect(&mut self, at: u64) {
        while let Some(dropped) = self.port.dropped() {
            self.senders[dropped.packet].dropped += u64::from(at >= FROM);
            self.tell(at + BASE_RTT, dropped.packet, Event::Lost);
        }
    }

    /// Schedules feedback. A flood gets no feedback; its events are its own sending times.
    fn tell(&mut self, at: u64, sender: usize, event: Event) {
        if !matches!(self.senders[sender].kind, Kind::Flood(_)) {
            self.events.push(Reverse((at, sender, event)));
        }
    }

    fn run(mut self) -> Vec<Sender> {
        while let Some(Reverse((now, index, event))) = self.events.pop().filter(|event| event.0.0 < TO) {
            self.serve(now);
            let sender = &mut self.senders[index];
            let mut packets = 1;
            if let Kind::Flood(gap) = sender.kind {
                self.events.push(Reverse((now + gap, index, Event::Start)));
            } else {
                sender.learns(now, event);
                packets = (sender.window - sender.in_flight).max(0.0) as u32;
                sender.in_flight += f64::from(packets);
            }
            let item = Item { size: PACKET, flow: index as u64, ecn: sender.ecn(), ..Item::default() };
            for _ in 0..packets {
                self.port.arrive(now, item, index);
                self.collect(now);
                self.serve(now);
            }
        }
        self.senders
    }
}

fn run(queue: &str, kinds: &[Kind]) -> Vec<Sender> {
    Network::new(queue, Limit::Packets(500), kinds).run()
}

/// A flood at 1.5 times the link's rate.
const FLOOD: Kind = Kind::Flood(400_000);

#[test]
fn the_delay_of_two_renos_is_near_the_target_and_the_link_is_full() {
    let expected = [
        ("drop-tail", 150.0, 300.0),
        ("codel", 4.0, 8.0),
        ("fq-codel", 3.0, 6.0),
        ("sfq-codel", 3.0, 6.0),
        ("pie", 14.0, 17.0),
        ("fq-pie", 14.0, 19.0),
        ("cobalt", 4.0, 8.0),
        ("dualpi2", 14.0, 16.0),
    ];
    for (queue, least, most) in expected {
        for ecn in [Ecn::NotEct, Ecn::Ect0] {
            let senders = run(queue, &[Kind::Classic(ecn); 2]);
            let (mean, _) = senders[0].delay();
            assert!((least..most).contains(&mean), "{queue}, {ecn:?}: {mean} ms");
            let total = senders[0].throughput() + senders[1].throughput();
            assert!(total > 0.96 * RATE as f64, "{queue}, {ecn:?}: {total}");
            assert!(senders[0].throughput() > 0.4 * RATE as f64, "{queue}, {ecn:?}");
            let marks = ecn == Ecn::Ect0 && !matches!(queue, "drop-tail" | "sfq-codel" | "fq-pie");
            assert!(
                !marks || senders.iter().all(|sender| sender.dropped == 0),
                "{queue}: packets are marked instead of dropped"
            );
        }
    }
}

#[test]
fn flow_queueing_shields_a_reno_from_a_flood() {
    for (queue, shields) in [("codel", false), ("pie", false), ("fq-codel", true), ("fq-pie", true)] {
        let senders = run(queue, &[Kind::Classic(Ecn::NotEct), FLOOD]);
        let share = senders[0].throughput() / RATE as f64;
        assert!(if shields { share > 0.45 } else { share < 0.1 }, "{queue}: {share}");
    }
}

#[test]
fn blue_keeps_the_delay_of_a_flood_where_codel_does_not() {
    let delays: Vec<f64> = ["codel", "cobalt"].iter().map(|queue| run(queue, &[FLOOD])[0].delay().0).collect();
    assert!(delays[0] > 100.0 && delays[1] < 8.0, "{delays:?}");
}

#[test]
fn dualpi2_has_low_latency_for_scalable_senders_and_equal_shares() {
    for classic in [Ecn::NotEct, Ecn::Ect0] {
        let senders = run("dualpi2", &[Kind::Classic(classic), Kind::Scalable]);
        let (mean, late) = senders[1].delay();
        assert!(mean < 0.7 && late < 2.0, "{mean} ms, {late} ms");
        assert!((14.0..17.0).contains(&senders[0].delay().0), "{:?}", senders[0].delay());
        let ratio = senders[1].throughput() / senders[0].throughput();
        assert!((0.8..1.25).contains(&ratio), "{ratio}");
        assert_eq!(senders[1].dropped, 0);
    }
    let (codel, dualpi2) = ("codel", "dualpi2");
    let share = |queue| run(queue, &[Kind::Classic(Ecn::Ect0), Kind::Scalable])[0].throughput() / RATE as f64;
    assert!(share(codel) < 0.2 && share(dualpi2) > 0.4, "in a single queue the classic sender starves");
}
