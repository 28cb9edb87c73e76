//! Impairments of a link: extra delay, loss, and outages.

use serde_json::Value as Json;

use super::loss_in_time::{Fades, GilbertElliottTime, Interference, LossSteps};
use super::steps::{quoted_time, shown};
use ackclock_core::Nanos;
use ackclock_schema::kinds::{Flag, Info, Kind, OneOf, count, one_of, probability, time};
use ackclock_schema::lists::{Ascending, List, list};
use ackclock_schema::problems::Problems;
use ackclock_schema::record;
use ackclock_schema::record::{Table, default, like, required, table};
use ackclock_schema::renewal::Renewal;
use ackclock_schema::tree::{KeyPath, Node};
use ackclock_schema::union;

union! {
    /// Extra delay on top of the propagation delay, drawn for each packet. A plain time is the maximum of a uniform
    /// jitter.
    pub enum Jitter, otherwise Some(("uniform", "max")), {
        /// Uniform between zero and the maximum.
        "uniform" => Uniform(UniformJitter),
        /// Normal; negative draws become zero.
        "normal" => Normal(NormalJitter),
        /// Exponential.
        "exponential" => Exponential(ExponentialJitter),
        /// One of a list of delays, each with the same probability.
        "empirical" => Empirical(EmpiricalJitter),
    }
}

record! {
    /// Uniform jitter.
    pub struct UniformJitter {
        /// The largest extra delay.
        max: Nanos = required(time());
        /// Whether a packet may overtake the packet sent before it; without reordering it arrives no earlier than that
        /// packet.
        reorder: bool = default(false, Flag);
    }
}

record! {
    /// Normal jitter.
    pub struct NormalJitter {
        /// The mean extra delay, before negative draws become zero.
        mean: Nanos = required(time());
        /// The standard deviation, before negative draws become zero.
        sd: Nanos = required(time());
        /// Whether a packet may overtake the packet sent before it; without reordering it arrives no earlier than that
        /// packet.
        reorder: bool = default(false, Flag);
    }
}

record! {
    /// Exponential jitter.
    pub struct ExponentialJitter {
        /// The mean extra delay.
        mean: Nanos = required(time());
        /// Whether a packet may overtake the packet sent before it; without reordering it arrives no earlier than that
        /// packet.
        reorder: bool = default(false, Flag);
    }
}

record! {
    /// Jitter from a list.
    pub struct EmpiricalJitter {
        /// The extra delays.
        values: Vec<Nanos> = required(list("extra delay", time()));
        /// Whether a packet may overtake the packet sent before it; without reordering it arrives no earlier than that
        /// packet.
        reorder: bool = default(false, Flag);
    }
}

union! {
    /// The packets that are lost, duplicated or corrupted, apart from drops by the queue. A plain probability means
    /// random loss.
    pub enum Loss, otherwise Some(("random", "probability")), {
        /// Each packet is lost with the same probability, independently of the others.
        "random" => Random(Chance),
        /// One packet in a fixed number of packets is lost, at equal distances.
        "periodic" => Periodic(Period),
        /// Losses in bursts: each packet may change the state, which is good or bad (Gilbert, Elliott).
        "gilbert-elliott" => GilbertElliott(GilbertElliott),
        /// The packets with the given numbers are lost.
        "list" => Listed(Numbers),
        /// Losses in good and bad periods of exponential lengths: the Gilbert-Elliott model in time.
        "gilbert-elliott-time" => GilbertElliottTime(GilbertElliottTime),
        /// Losses in fades that come at random.
        "fades" => Fades(Fades),
        /// Losses in bursts at a fixed distance in time.
        "interference" => Interference(Interference),
        /// A probability of loss that changes in steps over time.
        "steps" => Steps(LossSteps),
    }
}

record! {
    /// Random loss, independent from packet to packet.
    pub struct Chance {
        /// Fraction of the packets that is lost, on average.
        probability: u64 = default("0%", probability());
    }
}

record! {
    /// Periodic loss.
    pub struct Period {
        /// Number of packets from one lost packet to the next; retransmissions count as packets.
        every: u64 = required(count("packets", 1, 1 << 53));
        /// Number of the first packet that is lost, counted from one.
        first: u64 = like("every", count("packets", 1, 1 << 53));
    }
}

record! {
    /// Loss in bursts. The model starts in the good state. Each packet is lost with the current state's probability,
    /// and then the state may change.
    pub struct GilbertElliott {
        /// Probability that the state changes from good to bad after a packet.
        p: u64 = required(probability());
        /// Probability that the state changes from bad to good after a packet.
        r: u64 = required(probability());
        /// Probability of loss in the good state, 1 - k in Elliott's terms.
        good_loss: u64 = default("0%", probability());
        /// Probability of loss in the bad state, 1 - h in Elliott's terms.
        bad_loss: u64 = default("100%", probability());
    }
}

record! {
    /// Loss of the packets with the given numbers.
    pub struct Numbers {
        /// Numbers of the packets that are lost, counted from one; retransmissions count as packets.
        packets: Vec<u64> = required(Ascending(list("packet", count("packets", 1, 1 << 53))));
    }
}

record! {
    /// A time in which the link is down.
    pub struct Outage {
        /// Start of the outage.
        from: Nanos = required(time());
        /// End of the outage.
        to: Nanos = required(time());
        /// Treatment of packets during the outage.
        packets: InOutage = default("wait", in_outage());
    }
}

/// Treatment of packets while a link is down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InOutage {
    /// Packets wait in the queue.
    Wait,
    /// Packets are sent and do not arrive.
    Lost,
}

fn in_outage() -> OneOf<InOutage> {
    let options = [
        ("wait", InOutage::Wait, "they wait in the queue; one that is on the wire when the outage begins arrives"),
        ("lost", InOutage::Lost, "the router does not know: what it begins to send is lost"),
    ];
    one_of("fate", options)
}

/// Kind of the fields that hold a list of outages.
pub(super) struct Outages(List<Table<Outage>>);

/// Returns the kind of the fields that hold a list of outages.
pub(super) const fn outages() -> Outages {
    Outages(list("outage", table()))
}

impl Kind for Outages {
    type Value = Vec<Outage>;

    fn renew(&self, node: &mut Node, at: &KeyPath, renewal: &mut Renewal) {
        self.0.renew(node, at, renewal);
    }

    fn read(&self, node: &Node, at: &KeyPath, problems: &mut Problems<'_>) -> Vec<Outage> {
        let outages = self.0.read(node, at, problems);
        let mut before: Option<&Outage> = None;
        for (index, outage) in outages.iter().enumerate() {
            let at = at.index(index);
            if !problems.sound(&at) {
                return outages;
            }
            if let Some(before) = before.filter(|before| outage.from < before.to) {
                let place = at.key("from");
                let message =
                    format!("is before the end of the outage before it; accepted: at least {}", quoted_time(before.to));
                problems.add(place.clone(), format!("{} {message}", shown(problems, &place, outage.from)));
            }
            if outage.to <= outage.from {
                let place = at.key("to");
                let message = format!("is not after its beginning; accepted: more than {}", quoted_time(outage.from));
                problems.add(place.clone(), format!("{} {message}", shown(problems, &place, outage.to)));
            }
            before = Some(outage);
        }
        outages
    }

    fn placeholder(&self) -> Vec<Outage> {
        Vec::new()
    }

    fn write(&self, value: &Vec<Outage>) -> Json {
        self.0.write(value)
    }

    fn info(&self) -> Info {
        let mut info = self.0.info();
        info.accepts.push_str(", in order and apart");
        info
    }
}
