//! netem's loss models.

use super::random::{Correlated, Prandom};

/// Probability of one in the kernel's fixed-point numbers.
pub(super) const ONE: u32 = u32::MAX;

/// Probability in the kernel's fixed point, as iproute2 rounds it; `parts` are parts per billion.
pub(super) fn fixed(parts: u64) -> u32 {
    let scaled = u128::from(parts.min(1_000_000_000)) * u128::from(ONE);
    ((scaled + 500_000_000) / 1_000_000_000) as u32
}

/// A probability and the correlation from packet to packet, in parts per billion.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Chance {
    /// Probability.
    pub probability: u64,
    /// Correlation.
    pub correlation: u64,
}

/// A loss model and its probabilities, in parts per billion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LossModel {
    /// Each packet with one probability (`loss random`).
    Random(Chance),
    /// A Markov chain of four states (`loss state`): 1 received in a gap, 2 received in a burst, 3 lost in a burst, 4 lost
    /// in a gap.
    State {
        /// Probability of a change from state 1 to state 3.
        p13: u64,
        /// Probability of a change from state 3 to state 1.
        p31: u64,
        /// Probability of a change from state 3 to state 2.
        p32: u64,
        /// Probability of a change from state 2 to state 3.
        p23: u64,
        /// Probability of a change from state 1 to state 4.
        p14: u64,
    },
    /// The Gilbert-Elliott model (`loss gemodel`).
    GilbertElliott {
        /// Probability of a change to the bad state.
        p: u64,
        /// Probability of a change to the good state.
        r: u64,
        /// Probability of loss in the bad state, 1 - h.
        bad: u64,
        /// Probability of loss in the good state, 1 - k.
        good: u64,
    },
}

/// State of a [`LossModel::State`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Chain {
    ReceivedInGap,
    ReceivedInBurst,
    LostInBurst,
    LostInGap,
}

/// A loss model at work.
#[derive(Clone, Debug)]
pub(super) enum Losses {
    Random { loss: u32, source: Correlated },
    State { state: Chained, chances: [u32; 5] },
    GilbertElliott { is_bad: bool, chances: [u32; 4] },
}

/// State of the chain of four states.
#[derive(Clone, Debug)]
pub(super) struct Chained(Chain);

impl Losses {
    /// A model in its first state; `first` begins the correlated numbers.
    pub(super) fn new(model: LossModel, first: u32) -> Losses {
        match model {
            LossModel::Random(Chance { probability, correlation }) => {
                Losses::Random { loss: fixed(probability), source: Correlated::new(fixed(correlation), first) }
            }
            LossModel::State { p13, p31, p32, p23, p14 } => {
                Losses::State { state: Chained(Chain::ReceivedInGap), chances: [p13, p31, p32, p23, p14].map(fixed) }
            }
            LossModel::GilbertElliott { p, r, bad, good } => {
                Losses::GilbertElliott { is_bad: false, chances: [fixed(p), fixed(r), ONE - fixed(bad), fixed(good)] }
            }
        }
    }

    /// Whether the next packet is lost.
    pub(super) fn strikes(&mut self, random: &mut Prandom) -> bool {
        match self {
            Losses::Random { loss, source } => *loss > 0 && *loss >= source.next(random),
            Losses::State { state: Chained(state), chances: [p13, p31, p32, p23, p14] } => {
                let draw = random.next();
                *state = match *state {
                    Chain::ReceivedInGap if draw < *p14 => Chain::LostInGap,
                    Chain::ReceivedInGap if draw < p13.wrapping_add(*p14) => Chain::LostInBurst,
                    Chain::ReceivedInBurst if draw < *p23 => Chain::LostInBurst,
                    Chain::LostInBurst if draw < *p32 => Chain::ReceivedInBurst,
                    Chain::LostInBurst if draw < p31.wrapping_add(*p32) => Chain::ReceivedInGap,
                    Chain::LostInGap => Chain::ReceivedInGap,
                    same => same,
                };
                matches!(*state, Chain::LostInBurst | Chain::LostInGap)
            }
            Losses::GilbertElliott { is_bad, chances: [p, r, h, good] } => {
                let (changes, was_bad) = (if *is_bad { *r } else { *p }, *is_bad);
                *is_bad ^= random.next() < changes;
                let draw = random.next();
                if was_bad { draw > *h } else { draw < *good }
            }
        }
    }
}
