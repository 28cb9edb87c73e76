//! Linux's netem on one direction of a link.

use ackclock_core::Nanos;
use ackclock_net::netem::{self as net, tables};
use ackclock_schema::file::{Alone, Format, FromFile};
use ackclock_schema::kinds::{Flag, count, probability, rate, time, volume, whole};
use ackclock_schema::quantity::TIME;
use ackclock_schema::record::{default, like, optional, required};
use ackclock_schema::union::tagged;
use ackclock_schema::{Rules, record, union};

/// Largest number of bytes that is added to a packet or a cell.
const MOST_OVERHEAD: i32 = 65_535;
/// Largest jitter of the kernel, in nanoseconds; a larger one is cut.
const MOST_JITTER: Nanos = i32::MAX as Nanos;

record! {
    /// Linux's netem before the queue, with the parameters of `tc qdisc ... netem` (net/sched/sch_netem.c). The link's
    /// queue is its child. Packets that it delays count in its limit, and their delay counts as a part of the queueing
    /// delay.
    pub struct Netem {
        /// Largest number of packets inside, delayed ones and those of the child included.
        limit: u64 = default(1000, count("packets", 1, u32::MAX as u64));
        /// Delay of every packet.
        delay: Nanos = default("0s", time());
        /// Jitter: half the width of the uniform distribution, or the unit of the table.
        jitter: Nanos = default("0s", time().within(0, MOST_JITTER));
        /// Correlation of the delays from packet to packet.
        delay_correlation: u64 = default("0%", probability());
        /// Distribution of the delays.
        distribution: Option<DelayTable> = optional("uniform", tagged());
        /// Losses.
        loss: NetemLoss = default("0%", tagged());
        /// Whether an ECN-capable packet is marked (CE) instead of lost.
        ecn: bool = default(false, Flag);
        /// Probability that a packet is duplicated.
        duplicate: u64 = default("0%", probability());
        /// Correlation of the duplications from packet to packet.
        duplicate_correlation: u64 = default("0%", probability());
        /// Probability that a packet is corrupted; it is discarded on arrival.
        corrupt: u64 = default("0%", probability());
        /// Correlation of the corruptions from packet to packet.
        corrupt_correlation: u64 = default("0%", probability());
        /// Probability that a packet is sent at once, before the delayed packets.
        reorder: Option<u64> = optional("no packet; all, with a gap", probability());
        /// Correlation of the reordering from packet to packet.
        reorder_correlation: u64 = default("0%", probability());
        /// Distance of the packets that may be sent at once: every n-th packet.
        gap: Option<u32> = optional("1, with reorder", count("packets", 1, u32::MAX as u64));
        /// Rate, in whole bytes per second.
        rate: Option<u64> = optional("unlimited", rate().within(8, ackclock_schema::quantity::RATE.max));
        /// Bytes that the rate counts for each packet besides its size; -14 on a kernel whose packets have the Ethernet
        /// header is 0 here.
        packet_overhead: i32 = default(0, whole("bytes", -MOST_OVERHEAD, MOST_OVERHEAD));
        /// Payload of a cell: the rate counts whole cells.
        cell_size: Option<u32> = optional("no cells", volume().within(1, 65_535));
        /// Bytes that the rate counts for each cell besides its payload.
        cell_overhead: i32 = default(0, whole("bytes", -MOST_OVERHEAD, MOST_OVERHEAD));
        /// Slots: packets whose time has come wait for the next slot.
        slot: Option<Slot> = optional("none", tagged());
        /// Seed of the kernel's generator (netem's `seed` since Linux 6.6): the same seed decides on the same packets.
        seed: Option<u64> = optional("drawn from the run's seed", count("", 0, u64::MAX));
    }
}

union! {
    /// A distribution of delays, as a table of values in units of 1/8192 of the jitter.
    pub enum DelayTable, otherwise None, {
        /// Normal: the jitter is the standard deviation.
        "normal" => Normal,
        /// Pareto with shape 3 and mean zero.
        "pareto" => Pareto,
        /// A quarter of the normal and three quarters of the Pareto distribution's value.
        "paretonormal" => ParetoNormal,
        /// A table from a file in the format of iproute2, such as /usr/lib/tc/experimental.dist.
        "table" => Table(FromFile<TableFormat>),
    }
}

/// iproute2's format of delay tables.
#[derive(Clone, PartialEq, Debug)]
pub struct TableFormat;

impl Format for TableFormat {
    type Content = tables::Table;
    const NOUN: &'static str = "a delay table of iproute2";
    const EXAMPLE: &'static str = "experimental.dist";
    const ACCEPTED: &'static str =
        "whole numbers from -32768 to 32767 with white space between them, at most 16384; # begins a comment";
    const PATH_DOC: &'static str = "The table.";

    fn decode(bytes: &[u8]) -> Result<tables::Table, String> {
        tables::parse(bytes)
    }
}

impl Alone for TableFormat {
    const DOC: &'static str = "A delay table.";

    fn placeholder() -> tables::Table {
        [0].into()
    }
}

union! {
    /// A loss model of netem. A plain probability means random loss.
    pub enum NetemLoss, otherwise Some(("random", "probability")), {
        /// Each packet with the same probability, which may be correlated from packet to packet.
        "random" => Random(NetemChance),
        /// A Markov chain of four states: 1 received in a gap, 2 received in a burst, 3 lost in a burst, 4 lost in a gap.
        "state" => State(FourStates),
        /// The Gilbert-Elliott model.
        "gemodel" => GilbertElliott(GeModel),
    }
}

record! {
    /// Random loss.
    pub struct NetemChance {
        /// Probability of loss.
        probability: u64 = default("0%", probability());
        /// Correlation from packet to packet. It lowers the rate of losses, as in the kernel.
        correlation: u64 = default("0%", probability());
    }
}

record! {
    /// A Markov chain of four states (Salsano, Ludovici, Ordine: the general and intuitive loss model).
    pub struct FourStates {
        /// Probability of a change from state 1 to state 3.
        p13: u64 = required(probability());
        /// Probability of a change from state 3 to state 1.
        p31: Option<u64> = optional("1 - p13", probability());
        /// Probability of a change from state 3 to state 2.
        p32: u64 = default("0%", probability());
        /// Probability of a change from state 2 to state 3.
        p23: u64 = default("100%", probability());
        /// Probability of a change from state 1 to state 4.
        p14: u64 = default("0%", probability());
    }
}

record! {
    /// The Gilbert-Elliott model of netem: with each packet the state may change, and the state before decides on the loss.
    pub struct GeModel {
        /// Probability of a change from the good to the bad state.
        p: u64 = required(probability());
        /// Probability of a change from the bad to the good state.
        r: Option<u64> = optional("1 - p", probability());
        /// Probability of loss in the bad state, 1 - h.
        bad_loss: u64 = default("100%", probability());
        /// Probability of loss in the good state, 1 - k.
        good_loss: u64 = default("0%", probability());
    }
}

union! {
    /// The distribution of the time from slot to slot.
    pub enum Slot, otherwise Some(("uniform", "min")), {
        /// Uniform between two bounds.
        "uniform" => Uniform(UniformSlot),
        /// Drawn from a table.
        "table" => Table(TableSlot),
    }
}

record! {
    /// Slots at uniform distances.
    pub struct UniformSlot {
        /// Shortest time from slot to slot.
        min: Nanos = required(time());
        /// Longest time from slot to slot.
        max: Nanos = like("min", time().positive());
        /// Largest number of packets in a slot.
        packets: Option<u32> = optional("unlimited", count("packets", 1, i32::MAX as u64));
        /// Number of bytes that ends a slot.
        bytes: Option<u32> = optional("unlimited", volume().within(1, i32::MAX as u64));
    }
}

record! {
    /// Slots at distances from a table.
    pub struct TableSlot {
        /// Mean time from slot to slot.
        delay: Nanos = required(time());
        /// Jitter: the unit of the table.
        jitter: Nanos = required(time().within(1, MOST_JITTER));
        /// The table.
        distribution: DelayTable = required(tagged());
        /// Largest number of packets in a slot.
        packets: Option<u32> = optional("unlimited", count("packets", 1, i32::MAX as u64));
        /// Number of bytes that ends a slot.
        bytes: Option<u32> = optional("unlimited", volume().within(1, i32::MAX as u64));
    }
}

/// A probability of one, in parts per billion.
const ONE: u64 = 1_000_000_000;

impl DelayTable {
    fn table(&self) -> tables::Table {
        match self {
            DelayTable::Normal => tables::table(tables::Shape::Normal),
            DelayTable::Pareto => tables::table(tables::Shape::Pareto),
            DelayTable::ParetoNormal => tables::table(tables::Shape::ParetoNormal),
            DelayTable::Table(file) => (*file.content).clone(),
        }
    }
}

impl Netem {
    /// Returns the parameters for a link.
    pub fn model(&self) -> net::Model {
        let chance = |probability, correlation| net::Chance { probability, correlation };
        let loss = match self.loss {
            NetemLoss::Random(NetemChance { probability, correlation }) => {
                net::LossModel::Random(chance(probability, correlation))
            }
            NetemLoss::State(FourStates { p13, p31, p32, p23, p14 }) => {
                net::LossModel::State { p13, p31: p31.unwrap_or(ONE - p13), p32, p23, p14 }
            }
            NetemLoss::GilbertElliott(GeModel { p, r, bad_loss: bad, good_loss: good }) => {
                net::LossModel::GilbertElliott { p, r: r.unwrap_or(ONE - p), bad, good }
            }
        };
        let reorder = (self.reorder.is_some() || self.gap.is_some()).then(|| net::Reorder {
            chance: chance(self.reorder.unwrap_or(ONE), self.reorder_correlation),
            gap: self.gap.unwrap_or(1),
        });
        let pace = |rate| net::Pace {
            rate: ackclock_core::Rate::new(rate).unwrap_or(ackclock_core::Rate::MIN),
            packet_overhead: self.packet_overhead,
            cell_size: self.cell_size.unwrap_or(0),
            cell_overhead: self.cell_overhead,
        };
        net::Model {
            limit: self.limit,
            delay: self.delay,
            jitter: self.jitter,
            delay_correlation: self.delay_correlation,
            table: self.distribution.as_ref().map(DelayTable::table),
            loss,
            ecn: self.ecn,
            duplicate: chance(self.duplicate, self.duplicate_correlation),
            corrupt: chance(self.corrupt, self.corrupt_correlation),
            reorder,
            rate: self.rate.map(pace),
            slot: self.slot.as_ref().map(Slot::model),
            seed: self.seed,
        }
    }

    /// Refuses parameters that have no effect without others, as `tc` does, and bounds in the wrong order.
    pub(super) fn check(&self, rules: &mut Rules<'_, '_>) {
        let without = |what: &str| format!("has no effect without {what}; accepted: a {what} above zero beside it");
        let mut needs = |given: bool, field: &str, other: bool, what: &str| {
            rules.refuse(given && !other, field, &[], "", without(what));
        };
        needs(self.distribution.is_some(), "distribution", self.jitter > 0, "jitter");
        needs(self.delay_correlation > 0, "delay_correlation", self.jitter > 0, "jitter");
        needs(self.reorder.is_some(), "reorder", self.delay > 0, "delay");
        needs(self.gap.is_some(), "gap", self.delay > 0, "delay");
        needs(self.duplicate_correlation > 0, "duplicate_correlation", self.duplicate > 0, "duplicate");
        needs(self.corrupt_correlation > 0, "corrupt_correlation", self.corrupt > 0, "corrupt");
        needs(self.reorder_correlation > 0, "reorder_correlation", self.reorder.is_some(), "reorder");
        needs(self.packet_overhead != 0, "packet_overhead", self.rate.is_some(), "rate");
        needs(self.cell_size.is_some(), "cell_size", self.rate.is_some(), "rate");
        needs(self.cell_overhead != 0, "cell_overhead", self.cell_size.is_some(), "cell_size");
        if let Some(cell) = self.cell_size {
            let message = format!("leaves nothing of a cell; accepted: more than -{cell}");
            let removed = i64::from(cell) + i64::from(self.cell_overhead) <= 0;
            rules.refuse(removed, "cell_overhead", &[], "", message);
        }
        if let Some(Slot::Uniform(UniformSlot { min, max, .. })) = &self.slot {
            let message = format!("is less than min; accepted: at least \"{}\"", TIME.write(*min));
            rules.of("slot").refuse(max < min, "max", &[], "", message);
            let message = "has no time from slot to slot; accepted: a min or a max above zero";
            rules.refuse((*min, *max) == (0, 0), "slot", &[], "", message);
        }
    }
}

impl Slot {
    fn model(&self) -> net::Slot {
        let (gap, packets, bytes) = match self {
            Slot::Uniform(UniformSlot { min, max, packets, bytes }) => (net::Gap::Between(*min, *max), packets, bytes),
            Slot::Table(TableSlot { delay, jitter, distribution, packets, bytes }) => {
                (net::Gap::Table(*delay, *jitter, distribution.table()), packets, bytes)
            }
        };
        net::Slot { gap, packets: packets.unwrap_or(0), bytes: bytes.unwrap_or(0) }
    }
}
