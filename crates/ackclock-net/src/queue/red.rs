//! Random early detection (S. Floyd, V. Jacobson, "Random Early Detection Gateways for Congestion Avoidance", IEEE/ACM
//! ToN 1(4), 1993), as implemented in ns-2.35, whose settings most studies report.
//!
//! # Equations
//!
//! Let q be the queue that an arrival finds, in packets; with `queue_in_bytes`, q is in bytes and the thresholds are
//! multiplied by `mean_pktsize`.
//!
//! - avg = (1 - w)^(1 + m) avg + w q, where m is the number of mean packets that could have passed while the link was
//!   idle.
//! - Between the thresholds, p = `max_p` (avg - min) / (max - min). Above the maximum, p is 1. With `gentle`, p rises
//!   from `max_p` at the maximum to 1 at its double (S. Floyd, "Recommendation on using the gentle variant of RED",
//!   2000).
//! - Let n be the number of packets since the last early drop, including the arrival; with `bytes`, n is their bytes in
//!   whole mean packets. The arrival is dropped with p / (1 - n p), and drops are between 1 and 1/p packets apart. With
//!   `wait`, the probability is 0 up to n p = 1 and p / (2 - n p) above, and drops are between 1/p and 2/p packets
//!   apart. With `bytes`, the probability is multiplied by the packet's size over the mean size.
//! - No packet is dropped early while avg is below the minimum or at most one packet waits, nor is the first arrival
//!   after that.
//! - With `setbit`, ECN-capable packets are marked if p is at most `mark_p`, and dropped otherwise. Without
//!   `use_mark_p`, they are marked at any p. Every arrival above the maximum (with `gentle`: its double) then causes a
//!   drop, ECN-capable or not.
//!
//! # Constants
//!
//! The defaults are those of ns-2.35, where values of 0 or less are set automatically. Let C be the link's rate in mean
//! packets per second. Then w is 1 - exp(-1/C) for `q_weight` 0, 1 - exp(-1/(10 `rtt` C)) for -1, and 1 - exp(-10/C)
//! for -2. The minimum is 5 packets, or half of the packets sent in `target_delay` if that is more. The maximum is
//! three times the minimum.
//!
//! # Deviations
//!
//! - The default of `mean_pktsize` is the size of a full packet; in ns-2 it is 500 bytes.
//! - `q_weight` -1 uses an RTT of 100 ms by default. ns-2 uses 3 (delay + 1/C) of its link if that is more.
//! - The limit is in packets or in bytes, independent of the unit of the average. In ns-2, it is in `mean_pktsize` with
//!   `queue_in_bytes`.
//! - Idle time begins when the last packet would have left at the link's mean rate.
//! - `cautious_`, `ns1_compat_` and `drop_front_` are not implemented.
//!
//! # Validated against
//!
//! A slow reference implementation, packet by packet. The reference was compared with ns-2.35 itself, with ns-2's
//! random numbers: the average that each arrival finds, and each drop.

use ackclock_core::parameters;

use super::adaptation::Adaptation;
use super::{Discipline, DropCause, Drops, Entry, Fifo, Item, Next, Settings};
use crate::{Nanos, Random, Rate};

parameters! {
    /// Parameters of RED, which are also parameters of Adaptive RED.
    pub(super) struct Parameters {
        q_weight: f64 = is(-1.0), (-2.0, 1.0), Number,
            "Weight of an arrival in the average queue; for 0, -1 and -2 the weight follows from the link's rate.";
        rtt: f64 = is(0.1e9), (1e3, 1e12), Time,
            "Round-trip time; with q_weight = -1, the time constant of the average is ten times as long.";
        thresh: f64 = is(0.0), (0.0, 1e9), Number, "Minimum threshold, in packets; for 0 it follows from target_delay.";
        maxthresh: f64 = is(0.0), (0.0, 1e9), Number,
            "Maximum threshold, in packets; for 0 it is three times the minimum.";
        target_delay: f64 = is(5e6), (0.0, 1e12), Time,
            "Queueing delay; with thresh = 0, the minimum threshold is half of it, but at least 5 packets.";
        max_p: f64 = is(0.1), (1e-9, 1.0), Probability,
            "Drop probability when the average reaches the maximum threshold: 1/linterm_ of ns-2.";
        mean_pktsize: Option<f64> = follows("the size of a full packet"), (1.0, 65_535.0), Volume,
            "Mean size of packets: the unit of thresholds in bytes, and of the packets counted in idle times.";
        queue_in_bytes: bool = is(1.0), (0.0, 1.0), Flag,
            "Whether the average is in bytes, with thresholds multiplied by mean_pktsize.";
        bytes: bool = is(1.0), (0.0, 1.0), Flag, "Whether larger packets are more likely to be dropped.";
        wait: bool = is(1.0), (0.0, 1.0), Flag, "Whether early drops are at least 1/p packets apart.";
        gentle: bool = is(1.0), (0.0, 1.0), Flag,
            "Whether the probability rises to 1 between the maximum threshold and its double.";
        setbit: bool = is(0.0), (0.0, 1.0), Flag, "Whether ECN-capable packets are marked instead of dropped early.";
        use_mark_p: bool = is(1.0), (0.0, 1.0), Flag,
            "Whether packets are dropped instead of marked if the probability is above mark_p.";
        mark_p: f64 = is(0.1), (0.0, 1.0), Probability,
            "Probability up to which packets are marked instead of dropped.";
        drop_rand: bool = is(0.0), (0.0, 1.0), Flag,
            "Whether a forced drop or an overflow drops a random packet instead of the arrival.";
    }
}

pub(super) const ENTRY: Entry = Entry {
    name: "red",
    summary: "Random early detection with the settings and semantics of ns-2.",
    source: "Floyd, Jacobson, IEEE/ACM ToN 1(4), 1993; ns-2.35",
    limit: None,
    parameters: Parameters::ROWS,
    check,
    make: |settings| Box::new(Red::new(settings)),
};

pub(super) fn check(settings: &Settings<'_>) -> Vec<(&'static str, String)> {
    let mut problems = Vec::new();
    let weight = Parameters::read(settings.given).q_weight;
    if weight < 0.0 && weight != -1.0 && weight != -2.0 {
        problems.push(("q_weight", "more than 0 and up to 1, or one of 0, -1, -2".to_owned()));
    }
    let (least, most) = thresholds(settings);
    if least >= most {
        problems.push(("maxthresh", format!("more than the minimum threshold of {least} packets, or 0")));
    }
    problems
}

fn mean_size(settings: &Settings<'_>) -> f64 {
    Parameters::read(settings.given).mean_pktsize.unwrap_or(f64::from(settings.packet_size))
}

/// The link's rate in mean packets per second.
fn packet_rate(settings: &Settings<'_>) -> f64 {
    settings.rate.bits() as f64 / (8.0 * mean_size(settings))
}

/// Minimum and maximum threshold, in packets.
fn thresholds(settings: &Settings<'_>) -> (f64, f64) {
    let Parameters { thresh, maxthresh, target_delay, .. } = Parameters::read(settings.given);
    let or = |given: f64, otherwise| if given > 0.0 { given } else { otherwise };
    let half_target = target_delay / 1e9 * packet_rate(settings) / 2.0;
    let least = or(thresh, half_target.max(5.0));
    (least, or(maxthresh, 3.0 * least))
}

/// Weight w of an arrival in the average.
fn weight(settings: &Settings<'_>) -> f64 {
    let rate = packet_rate(settings);
    let per_arrivals = |arrivals: f64| 1.0 - libm::exp(-1.0 / arrivals);
    let Parameters { q_weight, rtt, .. } = Parameters::read(settings.given);
    match q_weight {
        0.0 => per_arrivals(rate),
        -1.0 => per_arrivals(10.0 * rtt / 1e9 * rate),
        -2.0 => per_arrivals(rate / 10.0),
        weight => weight,
    }
}

/// Decision about an arrival.
enum Verdict {
    Accept,
    /// The arrival is dropped.
    Early,
    /// The arrival or a random packet is dropped.
    Forced(DropCause),
}

pub(super) struct Red {
    items: Fifo,
    random: Random,
    adaptation: Option<Adaptation>,
    /// Link rate.
    rate: Rate,
    weight: f64,
    /// Thresholds, in the unit of the average.
    least: f64,
    most: f64,
    max_p: f64,
    mean_size: f64,
    /// Link rate, in mean packets per nanosecond.
    packet_rate: f64,
    queue_in_bytes: bool,
    bytes: bool,
    wait: bool,
    gentle: bool,
    setbit: bool,
    /// Largest p at which packets are marked instead of dropped; `None` if they are marked at any p.
    mark_p: Option<f64>,
    drop_rand: bool,
    average: f64,
    /// Time since which the link is idle, if it is.
    idle_since: Nanos,
    /// Whether the average was above the minimum at the last arrival.
    above: bool,
    /// Arrivals since the last drop, and their bytes.
    count: u64,
    count_bytes: u64,
}

impl Red {
    pub(super) fn new(settings: &Settings<'_>) -> Red {
        let mean_size = mean_size(settings);
        let (least, most) = thresholds(settings);
        let given = Parameters::read(settings.given);
        let queue_in_bytes = given.queue_in_bytes;
        let unit = if queue_in_bytes { mean_size } else { 1.0 };
        Red {
            items: Fifo::new(settings.limit),
            random: settings.random(),
            adaptation: None,
            rate: settings.rate,
            weight: weight(settings),
            least: least * unit,
            most: most * unit,
            max_p: given.max_p,
            mean_size,
            packet_rate: packet_rate(settings) / 1e9,
            queue_in_bytes,
            bytes: given.bytes,
            wait: given.wait,
            gentle: given.gentle,
            setbit: given.setbit,
            mark_p: given.use_mark_p.then_some(given.mark_p),
            drop_rand: given.drop_rand,
            average: 0.0,
            idle_since: 0,
            above: false,
            count: 0,
            count_bytes: 0,
        }
    }

    /// Adds an adaptation of `max_p`, made from the thresholds.
    pub(super) fn adaptive(mut self, make: impl FnOnce(f64, f64) -> Adaptation) -> Red {
        self.adaptation = Some(make(self.least, self.most));
        self
    }

    /// Length of the queue that an arrival finds, in the unit of the average.
    fn length(&self) -> u64 {
        if self.queue_in_bytes { self.items.bytes() } else { self.items.len() as u64 }
    }

    fn update_average(&mut self, at: Nanos) {
        let missed = if self.items.is_empty() && at > self.idle_since {
            ((at - self.idle_since) as f64 * self.packet_rate).floor()
        } else {
            0.0
        };
        let kept = if missed == 0.0 { 1.0 - self.weight } else { libm::pow(1.0 - self.weight, missed + 1.0) };
        self.average = self.average * kept + self.weight * self.length() as f64;
        if let Some(adaptation) = &mut self.adaptation {
            self.max_p = adaptation.max_p(self.max_p, at, self.average);
        }
    }

    /// Base drop probability p.
    fn probability(&self) -> f64 {
        let p = if self.average < self.most {
            (self.average - self.least) / (self.most - self.least) * self.max_p
        } else if self.gentle {
            self.max_p + (1.0 - self.max_p) * (self.average - self.most) / self.most
        } else {
            1.0
        };
        p.min(1.0)
    }

    /// Drop probability of an arrival of `size` bytes, given the arrivals since the last drop.
    fn spread(&self, p: f64, size: u32) -> f64 {
        let passed = if self.bytes { (self.count_bytes as f64 / self.mean_size).floor() } else { self.count as f64 };
        let expected = passed * p;
        let spread = match self.wait {
            true if expected < 1.0 => 0.0,
            true if expected < 2.0 => p / (2.0 - expected),
            false if expected < 1.0 => p / (1.0 - expected),
            _ => 1.0,
        };
        if self.bytes && spread < 1.0 { (spread * f64::from(size) / self.mean_size).min(1.0) } else { spread }
    }

    fn restart(&mut self) {
        self.count = 0;
        self.count_bytes = 0;
    }

    fn judge(&mut self, item: &mut Item) -> Verdict {
        if self.average < self.least || self.length() <= 1 {
            self.above = false;
            return Verdict::Accept;
        }
        let forced = if self.gentle { 2.0 * self.most } else { self.most };
        if self.mark_p.is_none() && self.average >= forced {
            return Verdict::Forced(DropCause::Aqm);
        }
        if !self.above {
            self.above = true;
            self.count = 1;
            self.count_bytes = u64::from(item.size);
            return Verdict::Accept;
        }
        let p = self.probability();
        if self.random.unit() >= self.spread(p, item.size) {
            return Verdict::Accept;
        }
        self.restart();
        let marks = self.setbit && self.mark_p.is_none_or(|most| p <= most);
        if marks && item.mark() { Verdict::Accept } else { Verdict::Early }
    }
}

impl Discipline for Red {
    fn enqueue(&mut self, at: Nanos, mut item: Item, drops: &mut Drops) {
        self.update_average(at);
        self.count += 1;
        self.count_bytes = self.count_bytes.saturating_add(u64::from(item.size));
        let verdict = self.judge(&mut item);
        let verdict = if self.items.fits(item.size) { verdict } else { Verdict::Forced(DropCause::Queue) };
        match verdict {
            Verdict::Accept => self.items.push(item),
            Verdict::Early => drops.push((item, DropCause::Aqm)),
            Verdict::Forced(cause) => {
                self.restart();
                if !self.drop_rand {
                    drops.push((item, cause));
                    return;
                }
                self.items.push(item);
                loop {
                    let victim = (self.random.unit() * self.items.len() as f64) as usize;
                    drops.extend(self.items.remove(victim).map(|victim| (victim, cause)));
                    if !self.items.exceeds() {
                        break;
                    }
                }
            }
        }
    }

    fn dequeue(&mut self, at: Nanos, _drops: &mut Drops) -> Next {
        let Some(item) = self.items.pop() else { return Next::Empty };
        let service = (u128::from(item.size) * 8_000_000_000).div_ceil(u128::from(self.rate.bits()));
        self.idle_since = at.saturating_add(u64::try_from(service).unwrap_or(Nanos::MAX));
        Next::Send(item)
    }

    fn backlog(&self) -> (u64, u64) {
        self.items.backlog()
    }
}
