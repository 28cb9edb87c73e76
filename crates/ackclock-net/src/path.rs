//! The path from a wire to its far end: propagation delay, its changes and its jitter.

use crate::{Nanos, Schedule};
use crate::{Random, Seed};

/// Delay of packets from the end of a wire to the far end.
#[derive(Clone, Debug)]
pub struct Propagation {
    delay: Schedule<Nanos>,
    jitter: Option<Jitter>,
    reorders: bool,
    /// Propagation delay and arrival time of the packet before, ns.
    last: (Nanos, Nanos),
}

/// Delay that differs from packet to packet, on top of the propagation delay.
#[derive(Clone, Debug)]
pub struct Jitter {
    extra: Spread,
    reorders: bool,
    random: Random,
}

/// Distribution of the extra delays, in ns.
#[derive(Clone, PartialEq, Debug)]
pub enum Spread {
    /// Uniform from zero to this value, both included.
    Uniform(Nanos),
    /// Normal with this mean and standard deviation; negative draws become zero.
    Normal(Nanos, Nanos),
    /// Exponential with this mean.
    Exponential(Nanos),
    /// Uniform over these values, of which there is at least one.
    Empirical(Vec<Nanos>),
}

impl Spread {
    fn draw(&self, random: &mut Random) -> Nanos {
        match self {
            Spread::Uniform(most) => random.up_to(*most),
            // The conversion to an unsigned integer makes negative values zero.
            Spread::Normal(mean, deviation) => libm::round(*mean as f64 + random.normal() * *deviation as f64) as Nanos,
            Spread::Exponential(mean) => libm::round(random.exponential() * *mean as f64) as Nanos,
            Spread::Empirical(values) => values[random.up_to(values.len() as u64 - 1) as usize],
        }
    }
}

impl Jitter {
    /// Jitter drawn from the stream of `seed`. Without `reorders`, no packet arrives before the packet that departed
    /// before it.
    pub fn new(extra: Spread, reorders: bool, seed: Seed) -> Jitter {
        Jitter { extra, reorders, random: Random::new(seed) }
    }
}

impl Propagation {
    /// A path whose propagation delay changes at given times. A packet has the delay that holds at its departure, so packets
    /// overtake earlier ones when the delay falls. With jitter, packets may also overtake earlier ones when the delay rises.
    pub fn new(delay: Schedule<Nanos>, jitter: Option<Jitter>) -> Propagation {
        let delays = || delay.steps().iter().map(|(_, delay)| *delay);
        let again = delays().take(usize::from(delay.period().is_some()));
        let changes = delay.steps().len() > 1;
        let overtakes = jitter.as_ref().is_some_and(|jitter| jitter.reorders || changes);
        let reorders = overtakes || !delays().chain(again).is_sorted();
        Propagation { delay, jitter, reorders, last: (0, 0) }
    }

    /// Propagation delay at the start, ns.
    pub fn delay(&self) -> Nanos {
        self.delay.at(0).value
    }

    /// Least propagation delay, ns.
    pub fn least_delay(&self) -> Nanos {
        self.delay.steps().iter().map(|(_, delay)| *delay).min().unwrap_or(0)
    }

    /// Whether a packet may arrive before an earlier departure.
    pub fn reorders(&self) -> bool {
        self.reorders
    }

    /// Arrival time of a packet that departs at `departure`. Calls are in the order of the departures.
    pub fn arrival(&mut self, departure: Nanos) -> Nanos {
        let delay = self.delay.at(departure).value;
        let arrival = departure.saturating_add(delay);
        let Some(jitter) = &mut self.jitter else { return arrival };
        let mut late = arrival.saturating_add(jitter.extra.draw(&mut jitter.random));
        // Jitter keeps packets in order only while the propagation delay stays the same.
        if !jitter.reorders && self.last.0 == delay {
            late = late.max(self.last.1);
        }
        self.last = (delay, late);
        late
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: usize = 200_000;

    fn draws(spread: Spread) -> Vec<f64> {
        let mut random = Random::new([1; 32]);
        (0..DRAWS).map(|_| spread.draw(&mut random) as f64).collect()
    }

    /// Asserts the share of draws at or below each value in ms, within four standard deviations.
    fn below(draws: &[f64], shares: &[(f64, f64)]) {
        for &(value, expected) in shares {
            below_value(draws, value * 1e6, expected);
        }
    }

    fn below_value(draws: &[f64], value: f64, expected: f64) {
        let share = draws.iter().filter(|draw| **draw <= value).count() as f64 / DRAWS as f64;
        let deviation = libm::sqrt(expected * (1.0 - expected) / DRAWS as f64);
        assert!((share - expected).abs() <= 4.0 * deviation, "{share} below {value}, expected {expected}");
    }

    #[test]
    fn extra_delays_have_the_given_distribution() {
        let uniform = draws(Spread::Uniform(1_000_000));
        below(&uniform, &[(0.1, 0.1), (0.5, 0.5), (0.9, 0.9), (1.0, 1.0)]);
        let normal = draws(Spread::Normal(1_000_000, 500_000));
        // The normal distribution function at -2, -1, 0, 1 and 2; draws below -2 become zero.
        below(&normal, &[(0.0, 0.02275), (0.5, 0.15866), (1.0, 0.5), (1.5, 0.84134), (2.0, 0.97725)]);
        let exponential = draws(Spread::Exponential(1_000_000));
        below(&exponential, &[0.1, 1.0, 3.0].map(|at| (at, 1.0 - libm::exp(-at))));
        let empirical = draws(Spread::Empirical(vec![700, 700, 3000, 90_000]));
        below(&empirical, &[(6e-4, 0.0), (7e-4, 0.5), (3e-3, 0.75), (8e-2, 0.75), (9e-2, 1.0)]);
    }

    fn arrivals(path: &mut Propagation, gap: Nanos) -> Vec<Nanos> {
        (0..2000).map(|packet| path.arrival(packet * gap) - packet * gap).collect()
    }

    #[test]
    fn jitter_reorders_only_if_allowed() {
        let path = |reorders| {
            let jitter = Jitter::new(Spread::Uniform(1000), reorders, [2; 32]);
            Propagation::new(Schedule::constant(50), Some(jitter))
        };
        let (mut free, mut kept) = (path(true), path(false));
        assert!(free.reorders() && !kept.reorders());
        let (free, kept) = (arrivals(&mut free, 100), arrivals(&mut kept, 100));
        let order = |delays: &[Nanos]| delays.iter().zip(0..).map(|(delay, packet)| packet * 100 + delay).is_sorted();
        assert!(!order(&free) && order(&kept));
        assert!(free.iter().chain(&kept).all(|delay| (50..=1050).contains(delay)));
        // The order-keeping arrivals are the running maximum of the free ones.
        let mut latest = 0;
        for ((packet, free), kept) in (0..).zip(&free).zip(&kept) {
            latest = latest.max(packet * 100 + free);
            assert_eq!(packet * 100 + kept, latest);
        }
    }

    #[test]
    fn packets_overtake_when_the_delay_falls() {
        let delays = Schedule::new(vec![(0, 100), (1000, 30), (2000, 60)], None);
        let mut path = Propagation::new(delays.clone(), None);
        assert_eq!([0, 990, 1000, 1999, 2000].map(|at| path.arrival(at)), [100, 1090, 1030, 2029, 2060]);
        assert_eq!((path.delay(), path.reorders()), (100, true));
        let jitter = Jitter::new(Spread::Uniform(0), false, [3; 32]);
        let mut path = Propagation::new(delays, Some(jitter));
        assert_eq!(
            [0, 990, 1000].map(|at| path.arrival(at)),
            [100, 1090, 1030],
            "jitter that keeps the order does not prevent overtaking"
        );
        let jitter = || Some(Jitter::new(Spread::Uniform(20), false, [3; 32]));
        let rising = (0..10).map(|step| (100 * step, 10 + step)).collect();
        let mut path = Propagation::new(Schedule::new(rising, None), jitter());
        let arrivals: Vec<_> = (0..1000).map(|at| path.arrival(at)).collect();
        assert!(path.reorders() && !arrivals.is_sorted(), "the order is kept only while the delay stays the same");
        assert!(!Propagation::new(Schedule::constant(10), jitter()).reorders());
        let longer = |period| Propagation::new(Schedule::new(vec![(0, 10), (5, 20)], period), None).reorders();
        assert_eq!(
            (longer(None), longer(Some(9))),
            (false, true),
            "a repeating schedule goes back to the shorter delay"
        );
    }
}
