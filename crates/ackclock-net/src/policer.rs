//! A policer: meters a stream of packets with token buckets, and drops, marks or reclassifies the packets that exceed
//! its rates. A policer has no queue and delays no packet.
//!
//! Three meters give each packet a colour. All buckets are full at the start, and no meter reads the colour that another
//! policer gave (the colour-blind mode of the RFCs).
//!
//! - **Token bucket**, as Linux's `tc ... police` (net/sched/act_police.c): a packet conforms if the bucket of `burst`
//!   bytes, and the bucket of the peak rate if there is one, both have tokens for all of its bytes. A conforming packet
//!   takes them from both buckets. A packet that exceeds takes none. It is red.
//! - **Single rate, three colours** (RFC 2697): tokens fill the committed bucket first, and then the excess bucket. A
//!   packet takes tokens from the committed bucket (green), else from the excess bucket (yellow), else it is red.
//! - **Two rates, three colours** (RFC 2698): a packet without tokens in the peak bucket is red and takes none. Otherwise
//!   it takes them from the peak bucket, and it is green if it takes them from the committed bucket, too, and yellow if
//!   the committed bucket has too few.
//!
//! Levels are exact. Linux keeps them in nanoseconds of its rate and rounds each packet's time down, so that its policer
//! lets through at most one nanosecond per packet more.
//!
//! Validated against the arithmetic of act_police packet by packet, against a recorded run of `tc police` on a kernel,
//! against a slow reference of both RFCs, and against the volume b + r t of a saturated bucket.

use crate::bucket::Bucket;
use crate::queue::Item;
use crate::{Nanos, Rate};

/// Rates and bursts of a [`Policer`]. Bursts are the depths of the buckets, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meter {
    /// One rate and, optionally, a peak rate with its burst; two colours.
    TokenBucket {
        /// Rate and burst.
        committed: (Rate, u64),
        /// Peak rate and its burst.
        peak: Option<(Rate, u64)>,
    },
    /// One rate with a committed and an excess burst; three colours.
    SingleRate {
        /// Rate and committed burst (CIR, CBS).
        committed: (Rate, u64),
        /// Excess burst (EBS).
        excess: u64,
    },
    /// Two rates; three colours.
    TwoRate {
        /// Committed rate and burst (CIR, CBS).
        committed: (Rate, u64),
        /// Peak rate and burst (PIR, PBS).
        peak: (Rate, u64),
    },
}

/// Result of metering a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colour {
    /// The packet conforms.
    Green,
    /// The packet exceeds the committed rate and burst.
    Yellow,
    /// The packet exceeds all rates and bursts.
    Red,
}

/// Treatment of the packets of a colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// The packet passes unchanged.
    Pass,
    /// An ECN-capable packet is marked (CE); another packet is dropped.
    Mark,
    /// The packet is dropped.
    Drop,
    /// The packet passes in this traffic class; 0 is the most urgent.
    Class(u8),
}

/// A meter with the actions of its colours; green packets pass.
#[derive(Clone, Debug)]
pub struct Policer {
    meter: Meter,
    /// Bucket of the committed rate, and bucket of the excess burst or of the peak rate.
    buckets: [Bucket; 2],
    yellow: Action,
    red: Action,
}

impl Policer {
    /// A policer with full buckets.
    pub fn new(meter: Meter, yellow: Action, red: Action) -> Policer {
        let (committed, other) = match meter {
            Meter::TokenBucket { committed, peak } => (committed, peak.unwrap_or(committed)),
            Meter::SingleRate { committed, excess } => (committed, (committed.0, excess)),
            Meter::TwoRate { committed, peak } => (committed, peak),
        };
        Policer { meter, buckets: [committed, other].map(|(rate, depth)| Bucket::new(rate, depth)), yellow, red }
    }

    /// Colour of a packet of `size` bytes that arrives at `at`; takes the packet's tokens. Calls are in the order of
    /// their times.
    pub fn colour(&mut self, at: Nanos, size: u32) -> Colour {
        let [committed, other] = &mut self.buckets;
        let overflow = committed.fill(at);
        match self.meter {
            Meter::TokenBucket { peak, .. } => {
                other.fill(at);
                if !committed.has(size) || peak.is_some() && !other.has(size) {
                    return Colour::Red;
                }
                committed.take(size);
                if peak.is_some() {
                    other.take(size);
                }
                Colour::Green
            }
            Meter::SingleRate { .. } => {
                other.add(overflow);
                if committed.has(size) {
                    committed.take(size);
                    Colour::Green
                } else if other.has(size) {
                    other.take(size);
                    Colour::Yellow
                } else {
                    Colour::Red
                }
            }
            Meter::TwoRate { .. } => {
                other.fill(at);
                if !other.has(size) {
                    return Colour::Red;
                }
                other.take(size);
                if committed.has(size) {
                    committed.take(size);
                    Colour::Green
                } else {
                    Colour::Yellow
                }
            }
        }
    }

    /// Meters a packet that arrives at `at`, and applies its colour's action. Returns whether the packet passes.
    pub fn admits(&mut self, at: Nanos, item: &mut Item) -> bool {
        let action = match self.colour(at, item.size) {
            Colour::Green => return true,
            Colour::Yellow => self.yellow,
            Colour::Red => self.red,
        };
        match action {
            Action::Pass => true,
            Action::Mark => item.mark(),
            Action::Drop => false,
            Action::Class(class) => {
                item.class = class;
                true
            }
        }
    }
}
