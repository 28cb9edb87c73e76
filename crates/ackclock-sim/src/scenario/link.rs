//! What one direction of a link can have besides its queue: a rate that may vary, a delay that may change, jitter, and what
//! befalls packets.

use std::num::NonZeroU64;

use ackclock_net::server::{CellularModel, Steps, Trace};
use ackclock_net::{Jitter as DelayJitter, Path as Propagation, Schedule, Spread};
use serde_json::{Map, Value as Json, json};

use super::file::{Format, FromFile};
use super::kinds::{Flag, Info, Kind, OneOf, Scalar, count, one_of, probability, rate, real, time};
use super::lists::{Ascending, List, list};
use super::problems::Problems;
use super::quantity::TIME;
use super::record::{FieldInfo, Reader, Record, Table, default, like, optional, record, required, table};
use super::tree::{Node, Path, Value};
use super::union::{Tagged, Union as _, tagged, union};
use crate::Nanos;
use crate::link::{Impairments, Wire};
use crate::rng::stream_seed;

/// The shortest period in which something repeats.
const LEAST_PERIOD: Nanos = 1_000_000;

/// A value that is one and the same, or a table that says how it changes.
#[derive(Clone, PartialEq, Debug)]
pub enum Plain<P, T> {
    /// Always this.
    Always(P),
    /// This, in the course of time.
    Varying(T),
}

/// The rate of a link in one direction.
pub type Rate = Plain<u64, VaryingRate>;

/// The propagation delay of a link in one direction.
pub type LinkDelay = Plain<Nanos, DelaySteps>;

union! {
    /// A rate that varies.
    pub enum VaryingRate, otherwise None, {
        /// A rate that changes in steps; a packet on the wire then is sent at the one rate before and at the other after.
        "steps" => Steps(RateSteps),
        /// A delivery trace in Mahimahi's format: each line is a time in whole milliseconds at which 1500 bytes can be delivered;
        /// after the last line's time it begins anew.
        "trace" => Trace(TraceFile),
        /// A cellular network after the model of Sprout's authors (Winstein, Sivaraman, Balakrishnan, NSDI 2013): deliveries of
        /// 1500 bytes are a Poisson process whose rate is a Brownian motion with outages.
        "cellular" => Cellular(Cellular),
    }
}

record! {
    /// A rate in steps.
    pub struct RateSteps {
        /// The rates, in the order of their times; a rate of zero is an outage.
        steps: Vec<RateStep> = required(list("step", table()));
        /// After what time it begins anew.
        repeat_every: Option<Nanos> = optional("it does not", time().within(LEAST_PERIOD, TIME.max));
    }
}

record! {
    /// A rate from a time on.
    pub struct RateStep {
        /// When it begins; the first at 0s.
        at: Nanos = required(time());
        /// The rate.
        rate: u64 = required(rate());
    }
}

/// A delivery trace and where it came from.
pub type TraceFile = FromFile<Trace>;

const TRACE: Format<Trace> = Format {
    key: "file",
    noun: "a delivery trace",
    example: "Verizon-LTE-short.down",
    decode: |bytes| Trace::parse(bytes).map_err(|error| error.to_string()),
};

/// The key of a trace's path.
pub(super) const FILE: &str = TRACE.key;

impl Record for TraceFile {
    fn read(reader: &mut Reader<'_, '_>) -> TraceFile {
        let node = reader.node;
        let file = TRACE.read(|key| node.get(key), reader.at, reader.problems);
        reader.refuse_other_keys(&[TRACE.key, super::file::DIGEST]);
        file.unwrap_or_else(|| {
            let content = Trace::parse(b"1").expect("a trace").into();
            FromFile { path: String::new(), sha256: String::new(), content }
        })
    }

    fn write(&self) -> Map<String, Json> {
        TRACE.write(self)
    }

    fn doc() -> String {
        "A delivery trace.".to_owned()
    }

    fn fields() -> Vec<FieldInfo> {
        TRACE.fields("The trace.")
    }
}

record! {
    /// A synthetic cellular network.
    pub struct Cellular {
        /// The largest rate; the paper's is 1000 packets of 1500 bytes a second.
        max_rate: u64 = default("12Mbps", rate().positive());
        /// Noise power of the rate, in packets per second per square root of a second.
        sigma: f64 = default(CellularModel::SPROUT.sigma, real(1.0, 1e6));
        /// The rate at which outages end, per second.
        outage_escape: f64 = default(CellularModel::SPROUT.escape, real(1e-3, 1e6));
    }
}

record! {
    /// A propagation delay that changes, because the path does. Packets on a shorter new path overtake those on the old one.
    pub struct DelaySteps {
        /// The delays, in the order of their times.
        steps: Vec<DelayStep> = required(list("step", table()));
        /// After what time it begins anew.
        repeat_every: Option<Nanos> = optional("it does not", time().within(LEAST_PERIOD, TIME.max));
    }
}

record! {
    /// A delay from a time on.
    pub struct DelayStep {
        /// When it begins; the first at 0s.
        at: Nanos = required(time());
        /// The delay, one way.
        delay: Nanos = required(time());
    }
}

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

/// The kind of a [`Plain`], with what to ask of the table.
pub(super) struct PlainOr<S, K: Kind> {
    plain: S,
    table: K,
    /// Texts that stand for a table.
    words: &'static [&'static str],
    check: fn(&K::Value, &Path, &mut Problems<'_>),
}

/// The kind of a [`Rate`].
pub(super) fn varying_rate() -> PlainOr<impl Scalar<Value = u64>, Tagged<VaryingRate>> {
    PlainOr { plain: rate::<u64>().positive(), table: tagged(), words: VaryingRate::KINDS, check: check_rate }
}

/// The kind of a [`LinkDelay`].
pub(super) fn changing_delay() -> PlainOr<impl Scalar<Value = Nanos>, Table<DelaySteps>> {
    let check = |delay: &DelaySteps, at: &Path, problems: &mut Problems<'_>| {
        check_steps(delay.steps.iter().map(|step| step.at), delay.repeat_every, at, problems);
    };
    PlainOr { plain: time::<Nanos>(), table: table(), words: &[], check }
}

impl<S: Scalar, K: Kind> Kind for PlainOr<S, K> {
    type Value = Plain<S::Value, K::Value>;

    fn read(&self, node: &Node, at: &Path, problems: &mut Problems<'_>) -> Self::Value {
        let is_table = match &node.value {
            Value::Table(_) => true,
            Value::Text(text) => self.words.contains(&text.as_str()),
            _ => false,
        };
        if !is_table {
            return Plain::Always(Kind::read(&self.plain, node, at, problems));
        }
        let value = self.table.read(node, at, problems);
        if problems.sound(at) {
            (self.check)(&value, at, problems);
        }
        Plain::Varying(value)
    }

    fn placeholder(&self) -> Self::Value {
        Plain::Always(Kind::placeholder(&self.plain))
    }

    fn write(&self, value: &Self::Value) -> Json {
        match value {
            Plain::Always(value) => Kind::write(&self.plain, value),
            Plain::Varying(value) => self.table.write(value),
        }
    }

    fn info(&self) -> Info {
        let (plain, table) = (self.plain.info(), self.table.info());
        Info {
            accepts: format!("{}, or {}", plain.accepts, table.accepts),
            schema: json!({ "oneOf": [plain.schema, table.schema] }),
            nested: table.nested,
            ..plain
        }
    }
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

fn quoted_time(time: Nanos) -> String {
    format!("\"{}\"", TIME.write(time))
}

/// A time as it was written.
fn shown(problems: &Problems<'_>, place: &Path, time: Nanos) -> String {
    problems.written(place).unwrap_or_else(|| quoted_time(time))
}

fn check_rate(rate: &VaryingRate, at: &Path, problems: &mut Problems<'_>) {
    let VaryingRate::Steps(RateSteps { steps, repeat_every }) = rate else { return };
    check_steps(steps.iter().map(|step| step.at), *repeat_every, at, problems);
    if steps.iter().all(|step| step.rate == 0) {
        problems.add(at.key("steps"), "are zero throughout; accepted: at least one rate above zero");
    }
}

/// Refuses steps that do not begin at zero and go on in order, and a period that does not hold them.
fn check_steps(
    times: impl Iterator<Item = Nanos>,
    repeat_every: Option<Nanos>,
    at: &Path,
    problems: &mut Problems<'_>,
) {
    let mut last = None;
    for (index, time) in times.enumerate() {
        let place = at.key("steps").index(index).key("at");
        let wrong = match last {
            None if time > 0 => Some("is not the start; accepted: \"0s\" for the first step".to_owned()),
            Some(last) if time <= last => {
                Some(format!("is not after the step before it; accepted: more than {}", quoted_time(last)))
            }
            _ => None,
        };
        if let Some(wrong) = wrong {
            problems.add(place.clone(), format!("{} {wrong}", shown(problems, &place, time)));
        }
        last = Some(time);
    }
    if let (Some(period), Some(last)) = (repeat_every, last)
        && period <= last
    {
        let place = at.key("repeat_every");
        let wrong = format!("is not after the last step; accepted: more than {}", quoted_time(last));
        problems.add(place.clone(), format!("{} {wrong}", shown(problems, &place, period)));
    }
}

impl Rate {
    /// Bits per second on average: of steps, over a period, or over the `duration` of the run where they do not repeat.
    pub fn mean(&self, duration: Nanos) -> u64 {
        match self {
            Plain::Always(rate) => *rate,
            Plain::Varying(VaryingRate::Steps(steps)) => Steps::mean(&steps.schedule(), duration).get(),
            Plain::Varying(VaryingRate::Trace(trace)) => trace.content.mean_rate().get(),
            Plain::Varying(VaryingRate::Cellular(cellular)) => cellular.model().mean_rate().get(),
        }
    }

    /// The wire of the link of a name in a run of that seed and duration.
    fn wire(&self, duration: Nanos, seed: u64, link: &str) -> Wire {
        match self {
            Plain::Always(_) => Wire::Fixed,
            Plain::Varying(VaryingRate::Steps(steps)) => Wire::Steps(steps.schedule(), duration),
            Plain::Varying(VaryingRate::Trace(trace)) => Wire::Trace(trace.content.clone()),
            Plain::Varying(VaryingRate::Cellular(cellular)) => {
                Wire::Cellular(cellular.model(), stream_seed(seed, &format!("{link}/rate")))
            }
        }
    }
}

impl RateSteps {
    fn schedule(&self) -> Schedule<u64> {
        // What was refused has no schedule, and asks for a mean all the same.
        let times = || self.steps.iter().map(|step| step.at);
        let has_end = self.repeat_every.is_none_or(|period| times().all(|at| at < period));
        if times().next() != Some(0) || !self.steps.is_sorted_by(|a, b| a.at < b.at) || !has_end {
            return Schedule::constant(0);
        }
        Schedule::new(self.steps.iter().map(|step| (step.at, step.rate)).collect(), self.repeat_every)
    }
}

impl Cellular {
    fn model(&self) -> CellularModel {
        let max_rate = NonZeroU64::new(self.max_rate).unwrap_or(NonZeroU64::MIN);
        CellularModel { max_rate, sigma: self.sigma, escape: self.outage_escape }
    }
}

impl LinkDelay {
    /// The delay at the start.
    pub fn first(&self) -> Nanos {
        match self {
            Plain::Always(delay) => *delay,
            Plain::Varying(steps) => steps.steps.first().map_or(0, |step| step.delay),
        }
    }

    fn schedule(&self) -> Schedule<Nanos> {
        match self {
            Plain::Always(delay) => Schedule::constant(*delay),
            Plain::Varying(DelaySteps { steps, repeat_every }) => {
                Schedule::new(steps.iter().map(|step| (step.at, step.delay)).collect(), *repeat_every)
            }
        }
    }
}

impl Jitter {
    fn spread(&self) -> (Spread, bool) {
        match self {
            Jitter::Uniform(jitter) => (Spread::Uniform(jitter.max), jitter.reorder),
            Jitter::Normal(jitter) => (Spread::Normal(jitter.mean, jitter.sd), jitter.reorder),
            Jitter::Exponential(jitter) => (Spread::Exponential(jitter.mean), jitter.reorder),
            Jitter::Empirical(jitter) => (Spread::Empirical(jitter.values.clone()), jitter.reorder),
        }
    }
}

impl Loss {
    /// What strikes, drawn from the stream of a name; `None` where nothing does.
    pub(crate) fn process(&self, seed: u64, stream: &str) -> Option<ackclock_net::Loss> {
        let seed = || stream_seed(seed, stream);
        let positive = |number| NonZeroU64::new(number).expect("a scenario refuses zero here");
        Some(match self {
            Loss::Random(Chance { probability: 0 }) => return None,
            Loss::Random(Chance { probability }) => {
                ackclock_net::Loss::Random(ackclock_net::RandomLoss::new(*probability, seed()))
            }
            Loss::Periodic(Period { every, first }) => {
                ackclock_net::Loss::Periodic(ackclock_net::PeriodicLoss::new(positive(*every), positive(*first)))
            }
            Loss::GilbertElliott(GilbertElliott { p, r, good_loss, bad_loss }) => {
                let model =
                    ackclock_net::GilbertElliottModel { to_bad: *p, to_good: *r, good: *good_loss, bad: *bad_loss };
                ackclock_net::Loss::GilbertElliott(ackclock_net::GilbertElliott::new(model, seed()))
            }
            Loss::Listed(Numbers { packets }) => {
                ackclock_net::Loss::Listed(ackclock_net::ListedLoss::new(packets.as_slice().into()))
            }
        })
    }
}

/// One direction of a link, its queue aside.
pub struct Direction<'a> {
    /// Its rate.
    pub rate: &'a Rate,
    /// Its propagation delay.
    pub delay: &'a LinkDelay,
    /// Its jitter.
    pub jitter: Option<&'a Jitter>,
    /// What is lost before the queue.
    pub loss: &'a Loss,
    /// What is duplicated before the queue.
    pub duplication: Option<&'a Loss>,
    /// What is corrupted on the wire.
    pub corruption: Option<&'a Loss>,
    /// When it is down.
    pub outages: &'a [Outage],
}

impl Direction<'_> {
    /// What the link of a name in a run of that seed and duration has besides rate, delay and loss.
    pub(crate) fn impairments(&self, duration: Nanos, seed: u64, link: &str) -> Impairments {
        let strikes = |loss: Option<&Loss>, purpose: &str| loss?.process(seed, &format!("{link}/{purpose}"));
        let jitter = self.jitter.map(|jitter| {
            let (spread, reorders) = jitter.spread();
            DelayJitter::new(spread, reorders, stream_seed(seed, &format!("{link}/jitter")))
        });
        let is_varying = jitter.is_some() || matches!(self.delay, Plain::Varying(_));
        let down = |fate| {
            let outages = self.outages.iter().filter(|outage| outage.packets == fate);
            let intervals: Vec<_> = outages.map(|outage| (outage.from, outage.to)).collect();
            (!intervals.is_empty()).then(|| Schedule::during(&intervals, None))
        };
        Impairments {
            wire: self.rate.wire(duration, seed, link),
            path: is_varying.then(|| Propagation::new(self.delay.schedule(), jitter)),
            duplication: strikes(self.duplication, "duplication"),
            corruption: strikes(self.corruption, "corruption"),
            held: down(InOutage::Wait),
            lost: down(InOutage::Lost),
        }
    }
}
