//! Queueing delays against queueing theory: Poisson arrivals at a link, with packets of one size (M/D/1) and of
//! exponential sizes (M/M/1).
//!
//! Let rho be the load and S the mean time on the wire (Kleinrock, Queueing Systems I, sections 3.2 and 5.6):
//!
//! - The mean queueing delay is rho S / (2 (1 - rho)) for M/D/1 and rho S / (1 - rho) for M/M/1 (Pollaczek and
//!   Khinchine).
//! - The share of packets without queueing delay is 1 - rho for both.
//! - The share with a queueing delay above t is rho exp(-(1 - rho) t / S) for M/M/1.

use ackclock_net::{Limit, Link, Nanos, Random};

const RATE: u64 = 1_000_000_000;
/// Mean packet size, bytes. It is so large that rounding to whole bytes does not matter.
const SIZE: f64 = 10_000.0;
/// Mean duration of a packet, ns.
const SERVICE: f64 = 80_000.0;

/// Statistics of the queueing delays.
struct Waits {
    /// Mean, in mean service times.
    mean: f64,
    /// Share of the packets without queueing delay, and share with a delay of more than three mean service times.
    none: f64,
    long: f64,
}

fn waits(load: f64, packets: u64, is_exponential: bool) -> Waits {
    let mut random = Random::new([7; 32]);
    let mut link = Link::new(ackclock_net::Rate::new(RATE).unwrap(), 0, Limit::Unlimited);
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

/// The numbers of packets give the mean a standard error of about 0.25 %.
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
