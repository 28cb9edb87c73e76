//! Queueing delays before a link.

use super::score::{Chapter, Effort, mean_over_seeds, numbers, run};

const POISSON: &str = "UDP datagrams of 1500 bytes arrive as a Poisson process of load rho at a drop-tail queue without limit. Each datagram takes S = 1.2 ms on the \
    link. The mean queueing delay (wait) is rho S / (2 (1 - rho)), and a part of 1 - rho of the datagrams does not wait (Pollaczek and Khinchine; L. \
    Kleinrock, Queueing Systems I, section 5.6). The first 500 of the 4000 packets of a run do not count.";

const PERIODIC: &str = "Each of n UDP sources sends 1500 bytes in each period D S, with a random phase; S = 1.2 ms and rho = n/D. A packet meets the backlog of the n - 1 \
    other sources: P(V > x) = sum over x < k <= N of C(N, k) ((k - x)/D)^k (1 - (k - x)/D)^(N - k) (D - N + x)/(D - k + x) with N = n - 1 (A. E. \
    Eckberg, \"The single server queue with periodic arrival process and deterministic service times\", IEEE Trans. Commun. 27(3), 1979; J. Roberts, \
    J. Virtamo, \"The superposition of periodic cell arrival streams in an ATM multiplexer\", IEEE Trans. Commun. 39(2), 1991). The mean queueing \
    delay (wait) is the integral of this probability, by Simpson's rule.";

/// Service time of a packet, in seconds.
const SERVICE: f64 = 1.2e-3;

pub fn poisson(effort: Effort) -> Chapter {
    let mut answers = Vec::new();
    for load in [0.3, 0.5, 0.7, 0.8] {
        let rate = load / SERVICE;
        let waits = |seed| {
            let text = format!(
                "duration = \"60s\"\n[bottleneck]\nrate = \"10Mbps\"\ndelay = \"10ms\"\nqueue = \"unlimited\"\n\
                 [[flows]]\nstack = 'rfc'\nname = \"f\"\ncount = 4000\narrival = {{ kind = \"poisson\", rate = {rate} }}\n\
                 app = {{ kind = \"cbr\", rate = \"1Mbps\", on = \"1ns\" }}\n"
            );
            let delays = numbers(&run(&text, seed), "cbr", "delay_max_ms");
            let least = delays.iter().copied().fold(f64::INFINITY, f64::min);
            delays[500..].iter().map(|delay| (delay - least) / 1e3).collect::<Vec<f64>>()
        };
        let runs: Vec<Vec<f64>> = effort.seeds(12).map(waits).collect();
        let of_runs = |number: &dyn Fn(&[f64]) -> f64| runs.iter().map(|waits| number(waits)).collect::<Vec<f64>>();
        let means = of_runs(&|waits| waits.iter().sum::<f64>() / waits.len() as f64 * 1e3);
        let none = of_runs(&|waits| waits.iter().filter(|wait| **wait < 1e-7).count() as f64 / waits.len() as f64);
        let theory = load * SERVICE / (2.0 * (1.0 - load)) * 1e3;
        answers.push(mean_over_seeds(format!("mean wait at rho = {load}"), "ms", theory, &means));
        let of = format!("part that does not wait at rho = {load}");
        answers.push(mean_over_seeds(of, "", 1.0 - load, &none));
    }
    Chapter { title: "Poisson arrivals: M/D/1", theory: POISSON, answers }
}

/// Returns P(V > x) for `sources` with a period of `period` services.
fn longer(x: f64, sources: u32, period: f64) -> f64 {
    let term = |k: u32| {
        let part = (f64::from(k) - x) / period;
        let ways = (0..k).map(|i| f64::from(sources - i) / f64::from(i + 1)).product::<f64>();
        let within = libm::pow(part, k as f64) * libm::pow(1.0 - part, (sources - k) as f64);
        ways * within * (period - f64::from(sources) + x) / (period - f64::from(k) + x)
    };
    (1..=sources).filter(|k| f64::from(*k) > x).map(term).sum()
}

/// Returns the mean of V, in services.
fn mean(sources: u32, period: f64) -> f64 {
    // The function is smooth between two whole numbers.
    let panel = |from: u32| {
        const PARTS: u32 = 40;
        let width = 1.0 / f64::from(PARTS);
        let at = |place: u32| {
            longer(f64::from(from) + f64::from(place) * width + if place == 0 { 1e-12 } else { 0.0 }, sources, period)
        };
        let weight = |place: u32| match place {
            0 | PARTS => 1.0,
            place => 2.0 + 2.0 * f64::from(place % 2),
        };
        (0..=PARTS).map(|place| weight(place) * at(place)).sum::<f64>() * width / 3.0
    };
    (0..sources).map(panel).sum()
}

pub fn periodic(effort: Effort) -> Chapter {
    let mut answers = Vec::new();
    // Periods are whole numbers of services, so the sources' rates are whole numbers.
    for (sources, period) in [(10, 20), (20, 25), (40, 50), (60, 64)] {
        let rate = 10_000_000 / period;
        let start = f64::from(period) * SERVICE;
        let wait = |seed| {
            let text = format!(
                "duration = \"20s\"\n[bottleneck]\nrate = \"10Mbps\"\ndelay = \"10ms\"\nqueue = \"unlimited\"\n\
                 [[flows]]\nstack = 'rfc'\nname = \"f\"\ncount = {sources}\nstart_jitter = \"{}us\"\n\
                 app = {{ kind = \"cbr\", rate = \"{rate}bps\" }}\n",
                (start * 1e6).round()
            );
            let output = run(&text, seed);
            let delays = numbers(&output, "cbr", "delay_mean_ms");
            // The minimum has two access links at ten times the rate, the bottleneck, and the propagation delay.
            let least = SERVICE * 1.2 * 1e3 + 10.0;
            delays.iter().sum::<f64>() / delays.len() as f64 - least
        };
        let theory = mean(sources - 1, f64::from(period)) * SERVICE * 1e3;
        let of = format!("mean wait of {sources} sources at rho = {}", f64::from(sources) / f64::from(period));
        let waits: Vec<f64> = effort.seeds(40).map(wait).collect();
        answers.push(mean_over_seeds(of, "ms", theory, &waits));
    }
    Chapter { title: "Periodic arrivals: nD/D/1", theory: PERIODIC, answers }
}

#[test]
fn theory_of_periodic_sources_in_simple_cases() {
    // Some work is waiting exactly while some is being done.
    for (sources, period) in [(1, 3.0), (5, 10.0), (19, 25.0)] {
        assert!((longer(1e-12, sources, period) - f64::from(sources) / period).abs() < 1e-9);
    }
    // With one other source, a packet is delayed if it arrives within a service of the other source's packet; the mean
    // delay is then half a service.
    assert!((mean(1, 4.0) - 0.5 / 4.0).abs() < 1e-9);
    // Many slow sources form a Poisson process.
    let (sources, load) = (400, 0.5);
    let poisson = load / (2.0 * (1.0 - load));
    assert!((mean(sources, f64::from(sources) / load) / poisson - 1.0).abs() < 0.01);
}
