//! One interval by hand, and random traffic against the router of the paper's appendix A in floating point.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;
use crate::{Limit, Port, Transmitter};

const US: Nanos = 1000;
const MS: Nanos = 1000 * US;
const SECOND_NS: Nanos = 1000 * MS;
/// 8 Mbit/s is 1,000,000 bytes per second, or a packet of 1,000 bytes each millisecond.
const RATE: u64 = 8_000_000;

fn settings<'a>(given: &'a [(&'static str, f64)]) -> Settings<'a> {
    Settings { rate: crate::Rate::new(RATE).unwrap(), limit: Limit::Unlimited, packet_size: 1000, given, seed: [0; 32] }
}

fn router(given: &[(&'static str, f64)]) -> Xcp {
    Xcp::new(&settings(given))
}

fn item(rtt: Nanos, interval: Nanos, change: i32) -> Item {
    Item { size: 1000, request: Some(Request { rtt, interval, change }), ..Item::default() }
}

/// A packet arrives and leaves without waiting.
fn arrive(xcp: &mut Xcp, at: Nanos, item: Item) {
    let mut drops = Drops::new();
    xcp.enqueue(at, item, &mut drops);
    assert!(drops.is_empty());
    xcp.items.pop_last();
}

/// The change that a leaving packet is given.
fn leave(xcp: &mut Xcp, at: Nanos, item: Item) -> i32 {
    xcp.advance(at);
    let waiting = std::mem::replace(&mut xcp.items, Fifo::new(Limit::Unlimited));
    xcp.items.push(item);
    let Next::Send(item) = xcp.dequeue(at, &mut Drops::new()) else { panic!("a packet waits") };
    xcp.items = waiting;
    item.request.map_or(i32::MIN, |request| request.change)
}

/// A router after its first interval of 50 ms. 25 packets arrived from flows with an RTT of 20 ms, one every 2 ms: half
/// of the capacity.
fn half_used() -> Xcp {
    let mut xcp = router(&[]);
    for packet in 0..25 {
        arrive(&mut xcp, 2 * packet * MS, item(20 * MS, 2 * MS, Request::UNLIMITED));
    }
    xcp
}

#[test]
fn spare_bandwidth_is_shared_out_by_intervals() {
    let mut xcp = half_used();
    // F is 0.4 * 500,000 = 200,000. It exceeds 0.1 * 500,000, so nothing is shuffled. Cp is 200,000 over 50 ms of
    // intervals.
    assert_eq!(leave(&mut xcp, 50 * MS, item(20 * MS, 2 * MS, Request::UNLIMITED)), 8_000);
    assert_eq!(leave(&mut xcp, 51 * MS, item(20 * MS, 10 * MS, Request::UNLIMITED)), 40_000);
    // A packet gets at most its request, and the rest is for others.
    assert_eq!(leave(&mut xcp, 52 * MS, item(20 * MS, 30 * MS, 20_000)), 20_000);
    assert_eq!(
        leave(&mut xcp, 53 * MS, item(20 * MS, 100 * MS, Request::UNLIMITED)),
        132_000,
        "the remaining feedback"
    );
    assert_eq!(leave(&mut xcp, 54 * MS, item(20 * MS, 2 * MS, Request::UNLIMITED)), 0, "no feedback is left");
    assert_eq!((xcp.rtt, xcp.interval, xcp.control_at), (20 * MS, 20 * MS, 70 * MS));
}

#[test]
fn a_full_link_with_a_queue_takes_back_and_redistributes() {
    let mut xcp = half_used();
    // In each of the next two intervals of 20 ms, 20 packets arrive, the link's capacity, behind 6,000 bytes that stay
    // in the queue.
    xcp.items.push(Item { size: 6000, ..Item::default() });
    for packet in 0..40 {
        arrive(&mut xcp, (50 + packet) * MS, item(20 * MS, MS, Request::UNLIMITED));
    }
    // Q is 6,000 after (50 - 6) / 2 ms without a shorter queue. Then F = -0.226 * 6000 / 20 ms = -67,800, and h =
    // 32,200.
    let answer = leave(&mut xcp, 90 * MS, item(20 * MS, MS, Request::UNLIMITED));
    assert_eq!((xcp.queue, xcp.queue_at), (6000, 93 * MS), "after (20 - 6) / 2 ms three times");
    // Cp is 32,200 over 20 ms, and Cn is 100,000 over 20,000 bytes.
    assert_eq!(answer, 1610 - 5000);
    let mut other = xcp.feedback;
    assert_eq!((other.raise, other.lower), (32_200.0 - 1_610.0, 100_000.0 - 5_000.0));
    // A packet that requests less than its share gives up the rest: -10,000 instead of -3,390.
    let mut modest = Request { rtt: 20 * MS, interval: MS, change: -10_000 };
    other.give(&mut modest, 1000);
    assert_eq!(modest.change, -10_000);
    assert!((other.raise - 28_980.0).abs() < 1e-6 && (other.lower - 83_390.0).abs() < 1e-6, "{other:?}");
}

#[test]
fn traffic_without_requests_counts_and_is_given_nothing() {
    let mut xcp = router(&[]);
    for packet in 0..25 {
        arrive(&mut xcp, 2 * packet * MS, Item { size: 1000, ..Item::default() });
    }
    arrive(&mut xcp, 50 * MS, item(0, 2 * MS, Request::UNLIMITED));
    assert_eq!(xcp.feedback.raise, 200_000.0);
    assert_eq!(leave(&mut xcp, 50 * MS, item(0, 2 * MS, 77)), 77, "no RTT is known");
    assert_eq!(leave(&mut xcp, 50 * MS, Item { size: 1000, ..Item::default() }), i32::MIN);
    assert_eq!(xcp.interval, FIRST_RTT, "no packet has given an RTT");
}

#[test]
fn parameters_are_those_given() {
    let mut xcp = router(&[("alpha", 0.8)]);
    arrive(&mut xcp, 0, item(20 * MS, 50 * MS, Request::UNLIMITED));
    leave(&mut xcp, 50 * MS, Item { size: 1000, ..Item::default() });
    assert_eq!(xcp.feedback.raise, 0.8 * (1e6 - 20_000.0));
}

/// The router of appendix A in steps of a microsecond. Times are in ns, all other quantities in bytes and seconds.
#[derive(Default)]
struct Slow {
    waiting: VecDeque<Item>,
    input: f64,
    /// X and RTT of each request.
    requests: Vec<(Nanos, Nanos)>,
    rtt: Nanos,
    interval: Nanos,
    control_at: Nanos,
    queue_at: Nanos,
    least: f64,
    queue: f64,
    raise: f64,
    lower: f64,
    cp: f64,
    cn: f64,
}

impl Slow {
    fn new() -> Slow {
        Slow { rtt: 50 * MS, interval: 50 * MS, control_at: 50 * MS, queue_at: 50 * MS, ..Slow::default() }
    }

    fn backlog(&self) -> f64 {
        self.waiting.iter().map(|item| f64::from(item.size)).sum()
    }

    fn tick(&mut self, now: Nanos) {
        while self.queue_at.min(self.control_at) <= now {
            if self.queue_at <= self.control_at {
                self.queue = self.least;
                self.least = self.backlog();
                let draining = (self.least * 1000.0) as Nanos;
                self.queue_at += (self.rtt.saturating_sub(draining) / 2).max(2 * MS);
            } else {
                self.control();
            }
        }
    }

    fn control(&mut self) {
        let sum_x: Nanos = self.requests.iter().map(|(x, _)| x).sum();
        let sum_rtt: Nanos = self.requests.iter().map(|(x, rtt)| x * rtt.min(&SECOND_NS)).sum();
        self.rtt = sum_rtt.checked_div(sum_x).unwrap_or(self.rtt);
        (self.raise, self.lower, self.cp, self.cn) = (0.0, 0.0, 0.0, 0.0);
        if self.input > 0.0 {
            let rate = self.input / (self.interval as f64 / 1e9);
            let phi = 0.4 * (1e6 - rate) - 0.226 * self.queue / (self.rtt as f64 / 1e9);
            let h = (0.1 * rate - phi.abs()).max(0.0);
            self.raise = h + phi.max(0.0);
            self.lower = h + (-phi).max(0.0);
            self.cp = if sum_x > 0 { self.raise / (sum_x as f64 / 1e9) } else { 0.0 };
            self.cn = self.lower / self.input;
        }
        self.input = 0.0;
        self.requests.clear();
        self.interval = self.rtt.max(MS);
        self.control_at += self.interval;
    }

    fn arrive(&mut self, item: Item) {
        self.least = self.least.min(self.backlog());
        self.input += f64::from(item.size);
        self.requests.extend(item.request.map(|request| (request.interval, request.rtt)));
        self.waiting.push_back(item);
    }

    fn answer(&mut self, item: Item) -> Option<f64> {
        let request = item.request?;
        let mut positive = self.raise.min(self.cp * request.interval as f64 / 1e9);
        let mut negative = self.lower.min(self.cn * f64::from(item.size));
        let (mut answer, asked) = (positive - negative, f64::from(request.change));
        if asked < answer {
            negative = self.lower.min(negative + answer - asked);
            positive = asked + negative;
            answer = asked;
        }
        self.raise = (self.raise - positive).max(0.0);
        self.lower = (self.lower - negative).max(0.0);
        self.cp = if self.raise == 0.0 { 0.0 } else { self.cp };
        self.cn = if self.lower == 0.0 { 0.0 } else { self.cn };
        Some(answer)
    }
}

/// Packets of three flows, some without requests, each with the time since the packet before in microseconds.
fn traffic() -> impl Strategy<Value = Vec<(u64, Item)>> {
    let gap = prop_oneof![40 => 0..1300_u64, 1 => 0..40_000_u64, 8 => Just(0)];
    let flow = prop_oneof![
        3 => (Just(20 * MS), 200..4000_u64),
        2 => (Just(7 * MS), 200..4000_u64),
        1 => (Just(1500 * MS), 200..40_000_u64),
    ];
    let change = prop_oneof![4 => Just(Request::UNLIMITED), 1 => -5_000..20_000_i32];
    let packet = (gap, prop_oneof![2 => Just(1000_u32), 1 => Just(250)], prop::option::weighted(0.9, (flow, change)));
    let made = packet.prop_map(|(gap, size, asks)| {
        let request = asks.map(|((rtt, us), change)| Request { rtt, interval: 1000 * us, change });
        (gap, Item { size, request, ..Item::default() })
    });
    prop::collection::vec(made, 1..400)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_traffic_is_answered_as_by_the_slow_router(packets in traffic()) {
        let wire = Transmitter::new(crate::Rate::new(RATE).unwrap());
        let mut port = Port::new(Box::new(router(&[])), Box::new(wire), 0);
        let mut slow = Slow::new();
        let mut arrivals = VecDeque::new();
        let mut now = 0;
        for (gap, item) in packets {
            now += gap * US;
            arrivals.push_back((now, item));
        }
        // All arrivals and departures are at multiples of a microsecond.
        let mut at = 0;
        while !(arrivals.is_empty() && slow.waiting.is_empty()) {
            slow.tick(at);
            loop {
                while let Some(sent) = port.poll(at) {
                    let expected = slow.waiting.pop_front().and_then(|item| slow.answer(item));
                    let granted = sent.item.request.map(|request| f64::from(request.change));
                    prop_assert_eq!(granted.is_some(), expected.is_some());
                    let apart = granted.unwrap_or(0.0) - expected.unwrap_or(0.0);
                    prop_assert!(apart.abs() < 0.51, "{granted:?} for {expected:?} at {at} ns");
                }
                let Some((_, item)) = arrivals.pop_front_if(|(arrival, _)| *arrival == at) else { break };
                port.arrive(at, item, ());
                slow.arrive(item);
            }
            at += US;
        }
    }
}

/// Intervals of an idle router change nothing, and their ends keep the phase that step-by-step calls would give.
#[test]
fn intervals_of_years_without_packets_are_skipped_and_keep_their_phase() {
    for waiting in [0, 6000] {
        let (mut once, mut often) = (half_used(), half_used());
        for xcp in [&mut once, &mut often] {
            xcp.items.push(Item { size: waiting, ..Item::default() });
        }
        for at in 45..1000 {
            often.advance(at * MS);
        }
        once.advance(999 * MS);
        assert_eq!(format!("{once:?}"), format!("{often:?}"));
        let (queue_at, control_at) = (once.queue_at, once.control_at);
        let later = 10 * 365 * 24 * 3600 * SECOND_NS + 999 * MS;
        once.advance(later);
        let queue_interval = if waiting == 0 { 10 * MS } else { 7 * MS };
        for (next, before, interval) in
            [(once.queue_at, queue_at, queue_interval), (once.control_at, control_at, 20 * MS)]
        {
            assert!((later + 1..=later + interval).contains(&next), "{next}");
            assert_eq!((next - before) % interval, 0);
        }
    }
}
