//! The service that queue disciplines guarantee.

use super::score::{Answer, Chapter, Effort, Error, mean_over_seeds, numbers, run, texts};

const BUCKET: &str = "UDP of 10 Mbit/s arrives at a link of 100 Mbit/s with a token bucket of rate r = 1 Mbit/s and burst b. By the time t, at most b + r t can leave. \
    Because more than this arrives, exactly this volume leaves (RFC 2697, section 3; J. S. Turner, \"New directions in communications\", IEEE Commun. \
    Mag. 24(10), 1986): b + r t in whole packets of 1500 bytes. The theory leaves out one packet.";

const SHARES: &str = "UDP sources with different rates share a link of 10 Mbit/s. Fair queueing gives each source the smaller of its rate and an equal share of what the \
    other sources leave: the max-min fair shares (D. Bertsekas, R. Gallager, Data Networks, section 6.5.2; A. Demers, S. Keshav, S. Shenker, SIGCOMM \
    1989). The number is the largest difference of a source from its share, divided by the link's rate, among sources with random rates. FQ-CoDel and \
    FQ-PIE have 65,536 queues, so that no two sources share a queue: with 1,024 queues, two of the sources share a queue under one of 40 seeds, and \
    one of these two differs by 2.8 % of the rate. The target of FQ-PIE is 90 s, so that only its scheduler acts: early drops that empty the queue of \
    a source cost up to 3.6 %. The theory leaves out the beginning, which is 1 %.";

const RED: &str = "UDP at lambda times the link's rate arrives at RED, which counts packets and is used without `wait`. In equilibrium, a part of f = 1 - 1/lambda of \
    the packets is dropped. The n-th packet after a drop is dropped with probability p/(1 - n p), so the distance between drops is uniform from 1 to \
    1/p - 1 packets (S. Floyd, V. Jacobson, \"Random early detection gateways\", ToN 1(4), 1993, section 7). Therefore f = 2p, and the average queue \
    is where p = max_p (avg - min)/(max - min). With `wait`, the distance is 1/p to 2/p - 1 packets, as in ns-2, and f = 2p/(3 - p). A packet waits \
    for avg + 1/2 services, because the packet in service does not count. The theory leaves out the beginning and the fluctuation of the average, \
    which are 1.5 %.";

const CODEL: &str = "UDP at twice the link's rate of 10 Mbit/s arrives at CoDel. In the drop state, the n-th drop is followed by the next drop after interval/sqrt(n) \
    (RFC 8289 section 5.6), which is 100 ms/sqrt(n), whatever effect the drops have. The theory leaves out that drops happen when packets leave, every \
    1.2 ms.";

pub fn token_bucket() -> Chapter {
    let mut answers = Vec::new();
    for (burst, millis) in [(3000, 500), (30_000, 100), (30_000, 1000), (30_000, 10_000), (150_000, 2000)] {
        let text = format!(
            "duration = \"{}ms\"\n[bottleneck]\nrate = \"100Mbps\"\ndelay = \"0s\"\n\
             queue = {{ kind = \"token-bucket\", rate = \"1Mbps\", burst = \"{burst}B\", limit = \"unlimited\" }}\n\
             [[flows]]\nstack = 'rfc'\nname = \"f\"\napp = {{ kind = \"cbr\", rate = \"10Mbps\" }}\n",
            millis,
        );
        let ours = numbers(&run(&text, 1), "links", "packets")[0];
        let seconds = f64::from(millis) / 1e3;
        let theory = ((f64::from(burst) + 1e6 / 8.0 * seconds) / 1500.0).floor().min(10e6 / 8.0 / 1500.0 * seconds);
        let of = format!("sent in {seconds} s with a burst of {burst} B");
        answers.push(Answer { of, unit: "packets", theory, ours, error: Error::LeftOut(1.0) });
    }
    Chapter { title: "Token bucket", theory: BUCKET, answers }
}

/// Returns the max-min fair shares of `demands` in `capacity`.
fn max_min(demands: &[f64], capacity: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..demands.len()).collect();
    order.sort_by(|a, b| demands[*a].total_cmp(&demands[*b]));
    let (mut shares, mut left) = (vec![0.0; demands.len()], capacity);
    for (place, index) in order.iter().enumerate() {
        shares[*index] = demands[*index].min(left / (demands.len() - place) as f64);
        left -= shares[*index];
    }
    shares
}

/// Returns demands from a seed, in kbit/s: some small, some large.
fn demands(seed: u64) -> Vec<u64> {
    let mut state = seed;
    let mut next = || {
        // Knuth's linear congruential generator.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    (0..4 + next() % 5).map(|_| if next() % 2 == 0 { 100 + next() % 1500 } else { 1500 + next() % 6000 }).collect()
}

pub fn fair_shares(effort: Effort) -> Chapter {
    let mut answers = Vec::new();
    // FQ drops the arriving packet if the whole queue is full, whichever source fills it; otherwise it enforces each
    // source's own limit.
    for (kind, limit, more) in [
        ("drr", 200, ""),
        ("fq", 10_000, ""),
        ("fq-codel", 200, ", flows = 65536"),
        ("fq-pie", 100_000, ", flows = 65536, target = \"90s\""),
    ] {
        let mut largest: f64 = 0.0;
        for seed in effort.seeds(4) {
            let demands = demands(seed);
            let flows: String = demands
                .iter()
                .enumerate()
                .map(|(index, rate)| {
                    format!("[[flows]]\nstack = 'rfc'\nname = \"f{index}\"\nstart_jitter = \"10ms\"\napp = {{ kind = \"cbr\", rate = \"{rate}kbps\" }}\n")
                })
                .collect();
            let text = format!(
                "duration = \"10s\"\n[bottleneck]\nrate = \"10Mbps\"\ndelay = \"1ms\"\nqueue = {{ kind = \"{kind}\", limit = \"{limit} packets\"{more} }}\n{flows}"
            );
            let received = numbers(&run(&text, seed), "cbr", "received_bps");
            let wanted: Vec<f64> = demands.iter().map(|rate| *rate as f64 * 1e3).collect();
            let shares = max_min(&wanted, 1e7);
            let worst =
                received.iter().zip(&shares).map(|(ours, share)| (ours - share).abs() / 1e7).fold(0.0, f64::max);
            largest = largest.max(worst);
        }
        let of = format!("largest difference under {kind}");
        answers.push(Answer { of, unit: "of the rate", theory: 0.0, ours: largest, error: Error::LeftOut(0.01) });
    }
    Chapter { title: "Fair shares", theory: SHARES, answers }
}

pub fn red(effort: Effort) -> Chapter {
    let mut answers = Vec::new();
    for (wait, over) in [(false, 1.05), (false, 1.1), (false, 1.2), (true, 1.05), (true, 1.1)] {
        let text = format!(
            "duration = \"60s\"\n[bottleneck]\nrate = \"12Mbps\"\ndelay = \"1ms\"\n\
             queue = {{ kind = \"red\", thresh = 20, maxthresh = 80, max_p = 0.2, q_weight = 0.002, wait = {wait}, gentle = false,\
             bytes = false, queue_in_bytes = false, limit = \"1000 packets\" }}\n\
             [[flows]]\nstack = 'rfc'\nname = \"f\"\nstart_jitter = \"1ms\"\napp = {{ kind = \"cbr\", rate = \"{}bps\" }}\n",
            (12e6 * over) as u64
        );
        let dropped = 1.0 - 1.0 / over;
        let p = if wait { 3.0 * dropped / (2.0 + dropped) } else { dropped / 2.0 };
        let average = 20.0 + p / 0.2 * 60.0;
        let of = format!("mean wait at lambda = {over}{}", if wait { " with wait" } else { "" });
        let wait = |seed| numbers(&run(&text, seed), "links", "queue_delay_mean_ms")[0];
        let waits: Vec<f64> = effort.seeds(5).map(wait).collect();
        let mut answer = mean_over_seeds(of, "ms", average + 0.5, &waits);
        answer.error = Error::LeftOut(0.015 * answer.theory);
        answers.push(answer);
    }
    Chapter { title: "RED's drop law", theory: RED, answers }
}

pub fn codel() -> Chapter {
    let text = "duration = \"6s\"\n[bottleneck]\nrate = \"10Mbps\"\ndelay = \"1ms\"\nqueue = { kind = \"codel\", limit = \"unlimited\" }\n\
                [[flows]]\nstack = 'rfc'\nname = \"f\"\napp = { kind = \"cbr\", rate = \"20Mbps\" }\n[probes]\npackets = true\n";
    let output = run(text, 1);
    let times = numbers(&output, "packets", "time_s");
    let drops: Vec<f64> = times
        .iter()
        .zip(texts(&output, "packets", "event"))
        .filter(|(_, event)| event == "dropped")
        .map(|(time, _)| *time)
        .collect();
    let answer = |n: usize| Answer {
        of: format!("from drop 1 to drop {n}"),
        unit: "s",
        theory: (1..n).map(|n| 0.1 / (n as f64).sqrt()).sum(),
        ours: drops[n - 1] - drops[0],
        error: Error::LeftOut(1.2e-3),
    };
    Chapter { title: "CoDel's control law", theory: CODEL, answers: [2, 3, 10, 30, 100, 300].map(answer).to_vec() }
}

#[test]
fn shares_of_a_hand_made_case() {
    assert_eq!(max_min(&[1.0, 3.0, 8.0, 8.0], 12.0), [1.0, 3.0, 4.0, 4.0]);
    assert_eq!(max_min(&[5.0, 5.0], 12.0), [5.0, 5.0]);
}
