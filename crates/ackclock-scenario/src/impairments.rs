//! What can befall the packets of a link: extra delay, loss, and times in which it is down.

use serde_json::Value as Json;

use ackclock_core::Nanos;
use ackclock_schema::kinds::{Flag, Info, Kind, OneOf, count, one_of, probability, time};
use ackclock_schema::lists::{Ascending, List, list};
use ackclock_schema::problems::Problems;
use ackclock_schema::quantity::TIME;
use ackclock_schema::record;
use ackclock_schema::record::{Table, default, like, required, table};
use ackclock_schema::tree::{Node, Path};
use ackclock_schema::union;

union! {
    /// Delay on top of the propagation delay, drawn for each packet. A time in its place is the most of a uniform one.
    pub enum Jitter, otherwise Some(("uniform", "max")), {
        /// Uniform between zero and a largest delay.
        "uniform" => Uniform(UniformJitter),
        /// Normal; what would be negative is zero.
        "normal" => Normal(NormalJitter),
        /// Exponential.
        "exponential" => Exponential(ExponentialJitter),
        /// One of a list of delays, each as likely as the others.
        "empirical" => Empirical(EmpiricalJitter),
    }
}

record! {
    /// Uniform jitter.
    pub struct UniformJitter {
        /// The largest extra delay.
        max: Nanos = required(time());
        /// Whether a packet may arrive before the one sent before it; else it arrives with that one at the earliest.
        reorder: bool = default(false, Flag);
    }
}

record! {
    /// Normal jitter.
    pub struct NormalJitter {
        /// The mean extra delay, but for what is cut off below zero.
        mean: Nanos = required(time());
        /// The standard deviation.
        sd: Nanos = required(time());
        /// Whether a packet may arrive before the one sent before it; else it arrives with that one at the earliest.
        reorder: bool = default(false, Flag);
    }
}

record! {
    /// Exponential jitter.
    pub struct ExponentialJitter {
        /// The mean extra delay.
        mean: Nanos = required(time());
        /// Whether a packet may arrive before the one sent before it; else it arrives with that one at the earliest.
        reorder: bool = default(false, Flag);
    }
}

record! {
    /// Jitter from a list.
    pub struct EmpiricalJitter {
        /// The extra delays.
        values: Vec<Nanos> = required(list("extra delay", time()));
        /// Whether a packet may arrive before the one sent before it; else it arrives with that one at the earliest.
        reorder: bool = default(false, Flag);
    }
}

union! {
    /// Which packets something befalls, their queue aside. A probability in its place means random loss.
    pub enum Loss, otherwise Some(("random", "probability")), {
        /// Each packet is lost with the same probability, whatever became of the others.
        "random" => Random(Chance),
        /// One packet of so many is lost, always the same distance apart.
        "periodic" => Periodic(Period),
        /// Bursts: a good and a bad state with a loss of their own, between which a packet may change (Gilbert, Elliott).
        "gilbert-elliott" => GilbertElliott(GilbertElliott),
        /// The packets of the numbers given.
        "list" => Listed(Numbers),
    }
}

record! {
    /// Random loss, independent of one another.
    pub struct Chance {
        /// Part of the packets that is lost, on average.
        probability: u64 = default("0%", probability());
    }
}

record! {
    /// Periodic loss.
    pub struct Period {
        /// One packet of so many is lost, retransmissions counted like the others.
        every: u64 = required(count("packets", 1, 1 << 53));
        /// The first packet that is lost, counted from one.
        first: u64 = like("every", count("packets", 1, 1 << 53));
    }
}

record! {
    /// Loss in bursts. It begins in the good state; a packet is lost or not by the state it finds, and then may change it.
    pub struct GilbertElliott {
        /// Probability that a packet changes the good state for the bad one.
        p: u64 = required(probability());
        /// Probability that a packet changes the bad state for the good one.
        r: u64 = required(probability());
        /// Probability of loss in the good state, 1 - k in Elliott's terms.
        good_loss: u64 = default("0%", probability());
        /// Probability of loss in the bad state, 1 - h in Elliott's terms.
        bad_loss: u64 = default("100%", probability());
    }
}

record! {
    /// Loss by number.
    pub struct Numbers {
        /// The packets that are lost, counted from one, retransmissions like the others.
        packets: Vec<u64> = required(Ascending(list("packet", count("packets", 1, 1 << 53))));
    }
}

record! {
    /// A time in which a link is down.
    pub struct Outage {
        /// When it begins.
        from: Nanos = required(time());
        /// When it ends.
        to: Nanos = required(time());
        /// What becomes of packets.
        packets: InOutage = default("wait", in_outage());
    }
}

/// What becomes of packets while a link is down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InOutage {
    /// They wait in the queue.
    Wait,
    /// They are sent and do not arrive.
    Lost,
}

fn in_outage() -> OneOf<InOutage> {
    let options = [
        ("wait", InOutage::Wait, "they wait in the queue; one that is on the wire when the outage begins arrives"),
        ("lost", InOutage::Lost, "the router does not know: what it begins to send is lost"),
    ];
    one_of("fate", options)
}

/// The kind of a list of outages.
pub(super) struct Outages(List<Table<Outage>>);

/// The kind of a list of outages.
pub(super) const fn outages() -> Outages {
    Outages(list("outage", table()))
}

impl Kind for Outages {
    type Value = Vec<Outage>;

    fn read(&self, node: &Node, at: &Path, problems: &mut Problems<'_>) -> Vec<Outage> {
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

pub(super) fn quoted_time(time: Nanos) -> String {
    format!("\"{}\"", TIME.write(time))
}

/// A time as it was written.
pub(super) fn shown(problems: &Problems<'_>, place: &Path, time: Nanos) -> String {
    problems.written(place).unwrap_or_else(|| quoted_time(time))
}
