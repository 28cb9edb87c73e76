//! Random early detection (S. Floyd, V. Jacobson, "Random Early Detection Gateways for Congestion Avoidance", IEEE/ACM ToN 1(4),
//! 1993), as ns-2.35 has it, by whose settings most studies are described.
//!
//! # Equations
//!
//! With the queue q that an arrival finds, in packets or, with `queue_in_bytes`, in bytes (thresholds are then multiplied by
//! `mean_pktsize`):
//!
//! - avg = (1 - w)^(1 + m) avg + w q, where m packets of the mean size would have passed while the link was idle.
//! - p = `max_p` (avg - min) / (max - min) between the thresholds. Above: 1; with `gentle`, from `max_p` at the maximum to 1 at
//!   its double (S. Floyd, "Recommendation on using the gentle variant of RED", 2000).
//! - With n packets since the last early drop, the arrival included (with `bytes`: their bytes in whole mean packets), the arrival
//!   is dropped with p / (1 - n p); with `wait`, 0 up to n p = 1 and p / (2 - n p) then: drops are between 1/p and 2/p apart, not
//!   between 1 and 1/p. With `bytes`, this is multiplied by the packet's size over the mean.
//! - No early drop where avg is below the minimum, where at most one packet waits, or at the arrival with which that ends.
//! - With `setbit`, packets that are capable of ECN are marked where p is at most `mark_p`; else dropped. Without `use_mark_p` they
//!   are marked at any p, and above the maximum (with `gentle`: its double) every arrival drops one, no matter who is capable.
//!
//! # Constants
//!
//! Defaults are those of ns-2.35, 0 and less being automatic there: w = 1 - exp(-1/C) for `q_weight` 0, with the link's rate C in
//! mean packets a second; 1 - exp(-1/(10 `rtt` C)) for -1; 1 - exp(-10/C) for -2. Minimum 5 packets, or half of what
//! `target_delay` holds where that is more; maximum three times the minimum.
//!
//! # Deviations
//!
//! - `mean_pktsize` is a full packet's size where it is not given; 500 bytes in ns-2.
//! - `q_weight` -1 takes an RTT of 100 ms where none is given; ns-2 takes 3 (delay + 1/C) of its link where that is more.
//! - The limit is one of packets or of bytes, whatever the average is of; in ns-2, one of `mean_pktsize` with `queue_in_bytes`.
//! - Idle time begins when the last packet would have left at the link's mean rate.
//! - No `cautious_`, `ns1_compat_`, `drop_front_`.
//!
//! # Validated against
//!
//! A slow reference, packet by packet; and that, drawing ns-2's random numbers, against ns-2.35 itself: the average that each
//! arrival finds and each drop.

use super::ared::Adaptation;
use super::{Discipline, DropCause, Drops, Entry, Fifo, Item, Next, Otherwise, Parameter, Quantity, Settings};
use crate::{Nanos, Random};

const Q_WEIGHT: Parameter = Parameter {
    name: "q_weight",
    summary: "Weight of an arrival in the average queue; 0, -1 and -2 follow from the link's rate.",
    quantity: Quantity::Number,
    default: Otherwise::Is(-1.0),
    range: (-2.0, 1.0),
};
const RTT: Parameter = Parameter {
    name: "rtt",
    summary: "Round-trip time of which q_weight = -1 makes the average's time constant, ten times as long.",
    quantity: Quantity::Time,
    default: Otherwise::Is(0.1e9),
    range: (1e3, 1e12),
};
const THRESH: Parameter = Parameter {
    name: "thresh",
    summary: "Minimum threshold, in packets; 0 follows from target_delay.",
    quantity: Quantity::Number,
    default: Otherwise::Is(0.0),
    range: (0.0, 1e9),
};
const MAXTHRESH: Parameter = Parameter {
    name: "maxthresh",
    summary: "Maximum threshold, in packets; 0 is three times the minimum.",
    quantity: Quantity::Number,
    default: Otherwise::Is(0.0),
    range: (0.0, 1e9),
};
const TARGET_DELAY: Parameter = Parameter {
    name: "target_delay",
    summary: "Queueing delay of which half is the minimum threshold, where that is 0 and it is more than 5 packets.",
    quantity: Quantity::Time,
    default: Otherwise::Is(5e6),
    range: (0.0, 1e12),
};
pub(super) const MAX_P: Parameter = Parameter {
    name: "max_p",
    summary: "Probability of a drop as the average comes to the maximum threshold: 1/linterm_ of ns-2.",
    quantity: Quantity::Probability,
    default: Otherwise::Is(0.1),
    range: (1e-9, 1.0),
};
const MEAN_PKTSIZE: Parameter = Parameter {
    name: "mean_pktsize",
    summary: "Mean size of packets: the unit of thresholds in bytes, and what passes in idle times.",
    quantity: Quantity::Volume,
    default: Otherwise::Follows("the size of a full packet"),
    range: (1.0, 65_535.0),
};
const QUEUE_IN_BYTES: Parameter =
    flag("queue_in_bytes", "Whether the average is one of bytes, and thresholds are multiplied by mean_pktsize.", true);
const BYTES: Parameter = flag("bytes", "Whether larger packets are more likely to be dropped.", true);
const WAIT: Parameter = flag("wait", "Whether some packets pass between two early drops.", true);
const GENTLE: Parameter =
    flag("gentle", "Whether the probability rises to 1 between the maximum threshold and its double.", true);
const SETBIT: Parameter = flag("setbit", "Whether packets capable of ECN are marked in place of early drops.", false);
const USE_MARK_P: Parameter =
    flag("use_mark_p", "Whether packets are dropped, not marked, where the probability is above mark_p.", true);
const MARK_P: Parameter = Parameter {
    name: "mark_p",
    summary: "Probability up to which packets are marked and not dropped.",
    quantity: Quantity::Probability,
    default: Otherwise::Is(0.1),
    range: (0.0, 1.0),
};
const DROP_RAND: Parameter = flag(
    "drop_rand",
    "Whether an arrival that has no room or is forced out drops one of all at random, not itself.",
    false,
);

const fn flag(name: &'static str, summary: &'static str, default: bool) -> Parameter {
    let default = Otherwise::Is(if default { 1.0 } else { 0.0 });
    Parameter { name, summary, quantity: Quantity::Flag, default, range: (0.0, 1.0) }
}

/// The parameters of RED.
pub(super) const PARAMETERS: [Parameter; 15] = [
    Q_WEIGHT,
    RTT,
    THRESH,
    MAXTHRESH,
    TARGET_DELAY,
    MAX_P,
    MEAN_PKTSIZE,
    QUEUE_IN_BYTES,
    BYTES,
    WAIT,
    GENTLE,
    SETBIT,
    USE_MARK_P,
    MARK_P,
    DROP_RAND,
];

pub(super) const ENTRY: Entry = Entry {
    name: "red",
    summary: "Random early detection with the settings and semantics of ns-2.",
    source: "Floyd, Jacobson, IEEE/ACM ToN 1(4), 1993; ns-2.35",
    limit: None,
    parameters: &PARAMETERS,
    check,
    make: |settings| Box::new(Red::new(settings)),
};

pub(super) fn check(settings: &Settings<'_>) -> Vec<(&'static str, String)> {
    let mut problems = Vec::new();
    let weight = settings.get(&Q_WEIGHT);
    if weight < 0.0 && weight != -1.0 && weight != -2.0 {
        problems.push((Q_WEIGHT.name, "more than 0 and up to 1, or one of 0, -1, -2".to_owned()));
    }
    let (least, most) = thresholds(settings);
    if least >= most {
        problems.push((MAXTHRESH.name, format!("more than the minimum threshold of {least} packets, or 0")));
    }
    problems
}

fn mean_size(settings: &Settings<'_>) -> f64 {
    settings.given(&MEAN_PKTSIZE).unwrap_or(f64::from(settings.packet_size))
}

/// The link's rate in mean packets a second.
fn packet_rate(settings: &Settings<'_>) -> f64 {
    settings.rate.get() as f64 / (8.0 * mean_size(settings))
}

/// Minimum and maximum, in packets.
fn thresholds(settings: &Settings<'_>) -> (f64, f64) {
    let or = |parameter, otherwise| Some(settings.get(parameter)).filter(|value| *value > 0.0).unwrap_or(otherwise);
    let half_target = settings.get(&TARGET_DELAY) / 1e9 * packet_rate(settings) / 2.0;
    let least = or(&THRESH, half_target.max(5.0));
    (least, or(&MAXTHRESH, 3.0 * least))
}

/// w.
fn weight(settings: &Settings<'_>) -> f64 {
    let rate = packet_rate(settings);
    let per_arrivals = |arrivals: f64| 1.0 - libm::exp(-1.0 / arrivals);
    match settings.get(&Q_WEIGHT) {
        0.0 => per_arrivals(rate),
        -1.0 => per_arrivals(10.0 * settings.get(&RTT) / 1e9 * rate),
        -2.0 => per_arrivals(rate / 10.0),
        weight => weight,
    }
}

/// What becomes of an arrival.
enum Verdict {
    Accept,
    /// It is dropped.
    Early,
    /// One is dropped.
    Forced(DropCause),
}

pub(super) struct Red {
    items: Fifo,
    random: Random,
    adaptation: Option<Adaptation>,
    /// Link rate, bits per second.
    rate: u64,
    weight: f64,
    /// Thresholds, in what the average is in.
    least: f64,
    most: f64,
    max_p: f64,
    mean_size: f64,
    /// Mean packets per nanosecond.
    packet_rate: f64,
    queue_in_bytes: bool,
    bytes: bool,
    wait: bool,
    gentle: bool,
    setbit: bool,
    /// Up to which p marks take the place of drops; `None` where they do at any p below a forced drop.
    mark_p: Option<f64>,
    drop_rand: bool,
    average: f64,
    /// Since when the link has been idle, where it is.
    idle_since: Nanos,
    /// Whether the arrival before found the average above the minimum.
    above: bool,
    /// Arrivals since the last drop, and their bytes.
    count: u64,
    count_bytes: u64,
}

impl Red {
    pub(super) fn new(settings: &Settings<'_>) -> Red {
        let mean_size = mean_size(settings);
        let (least, most) = thresholds(settings);
        let queue_in_bytes = settings.flag(&QUEUE_IN_BYTES);
        let unit = if queue_in_bytes { mean_size } else { 1.0 };
        Red {
            items: Fifo::new(settings.limit),
            random: settings.random(),
            adaptation: None,
            rate: settings.rate.get(),
            weight: weight(settings),
            least: least * unit,
            most: most * unit,
            max_p: settings.get(&MAX_P),
            mean_size,
            packet_rate: packet_rate(settings) / 1e9,
            queue_in_bytes,
            bytes: settings.flag(&BYTES),
            wait: settings.flag(&WAIT),
            gentle: settings.flag(&GENTLE),
            setbit: settings.flag(&SETBIT),
            mark_p: settings.flag(&USE_MARK_P).then(|| settings.get(&MARK_P)),
            drop_rand: settings.flag(&DROP_RAND),
            average: 0.0,
            idle_since: 0,
            above: false,
            count: 0,
            count_bytes: 0,
        }
    }

    /// The same with a `max_p` that adapts itself to an average between the thresholds.
    pub(super) fn adaptive(mut self, make: impl FnOnce(f64, f64) -> Adaptation) -> Red {
        self.adaptation = Some(make(self.least, self.most));
        self
    }

    /// The queue that an arrival finds.
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

    /// p.
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

    /// The probability for an arrival of `size` bytes, given how many have passed.
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
        let service = (u128::from(item.size) * 8_000_000_000).div_ceil(u128::from(self.rate));
        self.idle_since = at.saturating_add(u64::try_from(service).unwrap_or(Nanos::MAX));
        Next::Send(item)
    }

    fn backlog(&self) -> (u64, u64) {
        self.items.backlog()
    }
}
