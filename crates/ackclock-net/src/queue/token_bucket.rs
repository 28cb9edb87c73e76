//! A token bucket that shapes traffic: packets wait for tokens in a drop-tail queue (Linux's `tbf`).
//!
//! Tokens arrive at `rate`, and at most `burst` bytes of them are kept. A packet is sent when there are tokens for all
//! of its bytes, and uses them up. So at most burst + rate t bytes leave in any time t. With `peak_rate`, a second
//! bucket of `mtu` bytes bounds the rate of a burst: at most mtu + peak_rate t bytes leave (RFC 2697 and RFC 2698 meter
//! with such buckets). The buckets are full at the start. A packet that is larger than a bucket could never be sent and
//! is dropped on arrival, as in Linux.
//!
//! Levels are exact, so that nothing is lost to rounding. A packet is sent at the first whole nanosecond at which there
//! are enough tokens. A bucket that drops packets instead of queueing them is a [`crate::Policer`].
//!
//! Validated against a slow reference implementation in rational numbers, packet by packet, and against the bound
//! itself on random traffic.

use ackclock_core::parameters;

use super::{Discipline, DropCause, Drops, Entry, Fifo, Item, Next, Settings};
use crate::bucket::Bucket;
use crate::{Nanos, Rate};

parameters! {
    /// Parameters of the token bucket.
    struct Parameters {
        rate: Option<Rate> = follows("the link's rate"), (1.0, 1e15), Rate, "Rate of the tokens.";
        burst: Option<u64> = follows("ten full packets"), (1.0, 1e12), Volume,
            "Largest number of tokens: the bytes that may leave at once.";
        peak_rate: Option<Rate> = follows("the link's rate"), (1.0, 1e15), Rate, "Largest rate at which a burst leaves.";
        mtu: Option<u64> = follows("a full packet"), (1.0, 1e12), Volume,
            "Bytes that may leave at once at the peak rate.";
    }
}

pub(super) const ENTRY: Entry = Entry {
    name: "token-bucket",
    summary: "Token bucket: packets wait in a drop-tail queue for tokens that arrive at a rate.",
    source: "Linux, net/sched/sch_tbf.c",
    limit: None,
    parameters: Parameters::ROWS,
    check,
    make: |settings| {
        let Buckets { rate, burst, peak_rate, mtu } = Buckets::new(settings);
        let buckets = [Some(Bucket::new(rate, burst)), peak_rate.map(|rate| Bucket::new(rate, mtu))];
        Box::new(TokenBucket { items: Fifo::new(settings.limit), buckets: buckets.into_iter().flatten().collect() })
    },
};

/// Parameters with their values on a link.
struct Buckets {
    rate: Rate,
    burst: u64,
    peak_rate: Option<Rate>,
    mtu: u64,
}

impl Buckets {
    fn new(settings: &Settings<'_>) -> Buckets {
        let Parameters { rate, burst, peak_rate, mtu } = Parameters::read(settings.given);
        let packet = u64::from(settings.packet_size);
        Buckets {
            rate: rate.unwrap_or(settings.rate),
            burst: burst.unwrap_or(10 * packet),
            peak_rate,
            mtu: mtu.unwrap_or(packet),
        }
    }
}

fn check(settings: &Settings<'_>) -> Vec<(&'static str, String)> {
    let mut problems = Vec::new();
    let packet = u64::from(settings.packet_size);
    let Buckets { rate, burst, peak_rate, mtu } = Buckets::new(settings);
    for (name, depth) in [("burst", burst), ("mtu", mtu)] {
        if depth < packet {
            problems.push((name, format!("at least a full packet, {packet} bytes")));
        }
    }
    match peak_rate {
        Some(peak) if peak <= rate => {
            problems.push(("peak_rate", format!("more than the rate, {} bit/s", rate.bits())));
        }
        None if Parameters::read(settings.given).mtu.is_some() => {
            problems.push(("mtu", "absent, unless peak_rate is given".to_owned()));
        }
        _ => {}
    }
    problems
}

struct TokenBucket {
    items: Fifo,
    buckets: Vec<Bucket>,
}

impl Discipline for TokenBucket {
    fn enqueue(&mut self, _at: Nanos, item: Item, drops: &mut Drops) {
        let passes = self.buckets.iter().all(|bucket| bucket.holds(item.size));
        if passes && self.items.fits(item.size) {
            self.items.push(item);
        } else {
            drops.push((item, DropCause::Queue));
        }
    }

    fn dequeue(&mut self, at: Nanos, _drops: &mut Drops) -> Next {
        let Some(size) = self.items.first().map(|item| item.size) else { return Next::Empty };
        let mut wait = 0;
        for bucket in &mut self.buckets {
            bucket.fill(at);
            wait = wait.max(bucket.wait(size));
        }
        if wait > 0 {
            return Next::Wait(at.saturating_add(wait));
        }
        for bucket in &mut self.buckets {
            bucket.take(size);
        }
        self.items.pop().map_or(Next::Empty, Next::Send)
    }

    /// Linux net/sched/sch_tbf.c, tbf_enqueue: a large packet that the bucket cannot hold is split (tbf_segment).
    fn splits(&self, size: u32) -> bool {
        self.buckets.iter().any(|bucket| !bucket.holds(size))
    }

    fn backlog(&self) -> (u64, u64) {
        self.items.backlog()
    }
}
