//! Queues of which theory knows the waiting times: Poisson arrivals before a link, packets of one size (M/D/1) and of
//! exponential sizes (M/M/1).
//!
//! With the load rho and the mean time on the wire S, the mean wait is rho S / (2 (1 - rho)) in the first and rho S / (1 - rho)
//! in the second (Pollaczek and Khinchine); a part of 1 - rho of all packets does not wait in either, and in the second a
//! part of rho exp(-(1 - rho) t / S) waits longer than t (Kleinrock, Queueing Systems I, sections 3.2 and 5.6).

use ackclock_net::{Limit, Link, Nanos, Random};

const RATE: u64 = 1_000_000_000;
/// Mean size, and so in whole bytes that the fraction of one does not matter.
const SIZE: f64 = 10_000.0;
/// Nanoseconds that it takes.
const SERVICE: f64 = 80_000.0;

/// What is measured of the waits, in units of the mean service time.
struct Waits {
    mean: f64,
    /// Share of the packets that do not wait, and of those that wait longer than three services.
    none: f64,
    long: f64,
}

fn waits(load: f64, packets: u64, is_exponential: bool) -> Waits {
    let mut random = Random::new([7; 32]);
    let mut link = Link::new(RATE.try_into().unwrap(), 0, Limit::Unlimited);
    let (mut at, mut sum, mut none, mut long) = (0, 0, 0, 0);
    for _ in 0..packets {
        at += (random.exponential() * SERVICE / load).round() as Nanos;
        let size = if is_exponential { (random.exponential() * SIZE).round() } else { SIZE };
        let wait = link.offer(at, size as u32).unwrap().start - at;
        sum += wait;
        none += u64::from(wait == 0);
        long += u64::from(wait as f64 > 3.0 * SERVICE);
    }
    let share = |count: u64| count as f64 / packets as f64;
    Waits { mean: sum as f64 / packets as f64 / SERVICE, none: share(none), long: share(long) }
}

fn agrees(measured: f64, theory: f64, what: &str) {
    assert!((measured / theory - 1.0).abs() < 0.01, "{what}: {measured}, theory {theory}");
}

/// As many packets as it takes for a standard error of a quarter of a per cent of the mean.
#[test]
fn packets_of_one_size_wait_as_in_m_d_1() {
    for (load, packets) in [(0.5, 2_000_000), (0.7, 5_000_000), (0.8, 7_000_000)] {
        let waits = waits(load, packets, false);
        agrees(waits.mean, load / (2.0 * (1.0 - load)), &format!("mean wait at {load}"));
        agrees(waits.none, 1.0 - load, &format!("no wait at {load}"));
    }
}

#[test]
fn packets_of_exponential_sizes_wait_as_in_m_m_1() {
    for (load, packets) in [(0.5, 6_000_000), (0.7, 8_000_000), (0.8, 15_000_000)] {
        let waits = waits(load, packets, true);
        agrees(waits.mean, load / (1.0 - load), &format!("mean wait at {load}"));
        agrees(waits.none, 1.0 - load, &format!("no wait at {load}"));
        agrees(waits.long, load * libm::exp(-3.0 * (1.0 - load)), &format!("long wait at {load}"));
    }
}
