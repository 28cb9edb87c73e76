//! The impairments of a direction of a link besides rate, delay and queue, each with a separate random stream.

use std::num::NonZeroU64;

use ackclock_core::{Distribution, Nanos, Random, Stream, stream_seed};
use ackclock_net::{self as net, Schedule, Spread};
use ackclock_scenario::{
    Chance, Direction, GilbertElliott, InOutage, Interference, Jitter, LinkRate, Loss, Numbers, Period, Plain,
    Scenario, VaryingRate,
};

use crate::link::{Impairments, Wire};

/// Returns the impairments of a link's direction in a run of a scenario with this seed; `link` is the direction's name.
pub(super) fn of(direction: &Direction<'_>, scenario: &Scenario, seed: u64, link: &str) -> Impairments {
    let strikes = |impairment: Option<&Loss>, purpose: &str| loss(impairment?, seed, &format!("{link}/{purpose}"));
    let jitter = direction.jitter.map(|jitter| {
        let (spread, reorders) = spread(jitter);
        net::Jitter::new(spread, reorders, stream_seed(seed, &format!("{link}/jitter")))
    });
    let is_varying = jitter.is_some() || matches!(direction.delay, Plain::Varying(_));
    let down = |fate| {
        let outages = direction.outages.iter().filter(|outage| outage.packets == fate);
        let intervals: Vec<_> = outages.map(|outage| (outage.from, outage.to)).collect();
        (!intervals.is_empty()).then(|| Schedule::during(&intervals, None))
    };
    Impairments {
        wire: wire(direction.rate, scenario.duration, seed, link),
        path: is_varying.then(|| net::Propagation::new(direction.delay.schedule(), jitter)),
        policer: direction.policer.map(|policer| policer.make(scenario.packet_size)),
        netem: direction.netem.map(|netem| (netem.model(), stream_seed(seed, &format!("{link}/netem")))),
        duplication: strikes(direction.duplication, "duplication"),
        corruption: strikes(direction.corruption, "corruption"),
        held: down(InOutage::Wait),
        lost: down(InOutage::Lost),
    }
}

/// Returns the transmission process of a link in a run with this seed and duration.
fn wire(rate: &LinkRate, duration: Nanos, seed: u64, link: &str) -> Wire {
    match rate {
        Plain::Always(_) => Wire::Fixed,
        Plain::Varying(VaryingRate::Steps(steps)) => Wire::Steps(steps.schedule(), duration),
        Plain::Varying(VaryingRate::Series(series)) => Wire::Steps(series.series().schedule().clone(), duration),
        Plain::Varying(VaryingRate::Trace(trace)) => Wire::Trace(trace.content.clone()),
        Plain::Varying(VaryingRate::PacketTrace(trace)) => Wire::PacketTrace(trace.content.clone()),
        Plain::Varying(VaryingRate::Cellular(cellular)) => {
            Wire::Cellular(cellular.model(), stream_seed(seed, &format!("{link}/rate")))
        }
    }
}

/// Returns the distribution of a jitter, and whether packets may overtake each other.
fn spread(jitter: &Jitter) -> (Spread, bool) {
    match jitter {
        Jitter::Uniform(jitter) => (Spread::Uniform(jitter.max), jitter.reorder),
        Jitter::Normal(jitter) => (Spread::Normal(jitter.mean, jitter.sd), jitter.reorder),
        Jitter::Exponential(jitter) => (Spread::Exponential(jitter.mean), jitter.reorder),
        Jitter::Empirical(jitter) => (Spread::Empirical(jitter.values.clone()), jitter.reorder),
    }
}

/// Returns a process of losses that is drawn from the named stream; `None` if nothing is lost.
pub(super) fn loss(loss: &Loss, seed: u64, stream: &str) -> Option<net::Loss> {
    // The periods have a stream of their own, so that they do not depend on the traffic.
    let alternating = |lengths: [Distribution; 2], loss| {
        let periods = Stream::new(seed, &format!("{stream}/periods"));
        net::Loss::Alternating(Box::new(net::Alternating::new(lengths, loss, periods, stream_seed(seed, stream))))
    };
    let seed = || stream_seed(seed, stream);
    Some(match loss {
        Loss::Random(Chance { probability: 0 }) => return None,
        Loss::Random(Chance { probability }) => net::Loss::Random(net::RandomLoss::new(*probability, seed())),
        Loss::Periodic(Period { every, first }) => {
            net::Loss::Periodic(net::PeriodicLoss::new(positive(*every), positive(*first)))
        }
        Loss::GilbertElliott(GilbertElliott { p, r, good_loss, bad_loss }) => {
            let model = net::GilbertElliottModel { to_bad: *p, to_good: *r, good: *good_loss, bad: *bad_loss };
            net::Loss::GilbertElliott(net::GilbertElliott::new(model, seed()))
        }
        Loss::Listed(Numbers { packets }) => net::Loss::Listed(net::ListedLoss::new(packets.as_slice().into())),
        Loss::GilbertElliottTime(model) => alternating(model.lengths(), [model.good_loss, model.bad_loss]),
        Loss::Fades(fades) => alternating(fades.lengths(), [fades.clear_loss, fades.loss]),
        Loss::Interference(Interference { period, duration, phase, loss, clear_loss }) => {
            let (loss, random) = ([*clear_loss, *loss], Random::new(seed()));
            let (phase, duration, period) = (*phase, *duration, *period);
            net::Loss::Interference(Box::new(net::Interference { phase, duration, period, loss, random }))
        }
        Loss::Steps(steps) => net::Loss::Scheduled(Box::new(net::Scheduled::new(steps.schedule(), seed()))),
    })
}

/// Returns a number that the scenario has checked to be above zero.
fn positive(number: u64) -> NonZeroU64 {
    NonZeroU64::new(number).expect("a scenario refuses zero here")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_link_and_each_seed_has_losses_of_its_own() {
        let random = |probability| Loss::Random(Chance { probability });
        let losses = |seed, link| {
            let mut loss = loss(&random(500_000_000), seed, &format!("{link}/loss")).expect("there is loss");
            (0..64).map(|_| loss.strikes(0)).collect::<Vec<_>>()
        };
        assert_eq!(losses(1, "bottleneck"), losses(1, "bottleneck"));
        assert_ne!(losses(1, "bottleneck"), losses(1, "bottleneck.reverse"));
        assert_ne!(losses(1, "bottleneck"), losses(2, "bottleneck"));
        assert!(loss(&random(0), 1, "bottleneck").is_none());
    }
}
