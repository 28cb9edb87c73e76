//! The fields of one direction of a link besides its queue: a rate that may vary, a delay that may change, and
//! impairments.

use ackclock_net::server::{CellularModel, Steps, Trace};
use ackclock_net::{Large, Schedule};
use serde_json::{Value as Json, json};

use super::impairments::{Jitter, Loss, Outage};
use super::netem::Netem;
use super::policer::Policer;
use super::series::RateSeries;
use super::steps::{LEAST_PERIOD, check_steps};
use ackclock_core::{Nanos, Rate};
use ackclock_schema::file::{Alone, Format, FromFile};
use ackclock_schema::kinds::{Info, Kind, OneOf, Scalar, one_of, rate, real, time};
use ackclock_schema::lists::list;
use ackclock_schema::problems::Problems;
use ackclock_schema::quantity::TIME;
use ackclock_schema::record;
use ackclock_schema::record::{Table, default, optional, required, table};
use ackclock_schema::renewal::Renewal;
use ackclock_schema::tree::{KeyPath, Node, Value};
use ackclock_schema::union;
use ackclock_schema::union::{Tagged, Union as _, tagged};

/// The largest rate of a cellular network, in bits per second. Each of its opportunities is drawn, also while nothing is sent:
/// a simulated second at this rate has eight million.
const MOST_CELLULAR: u64 = 100_000_000_000;

/// A constant value, or a table that describes how the value changes.
#[derive(Clone, PartialEq, Debug)]
pub enum Plain<P, T> {
    /// The constant value.
    Always(P),
    /// The table of a value that changes over time.
    Varying(T),
}

/// The rate of a link in one direction.
pub type LinkRate = Plain<u64, VaryingRate>;

/// The propagation delay of a link in one direction.
pub type LinkDelay = Plain<Nanos, DelaySteps>;

union! {
    /// A rate that varies over time.
    pub enum VaryingRate, otherwise None, {
        /// A rate that changes in steps. A packet that is on the wire at a change is sent partly at the old rate and
        /// partly at the new one.
        "steps" => Steps(RateSteps),
        /// A delivery trace in Mahimahi's format: each line is a time in whole milliseconds at which 1500 bytes can be
        /// delivered. After the time of the last line the trace starts again.
        "trace" => Trace(TraceFile),
        /// A delivery trace in the same format for whole packets: each line is a time at which one packet of at most 1500
        /// bytes can be delivered, however small it is, as in the trace link of the authors of TCP ex Machina (Winstein,
        /// Balakrishnan, SIGCOMM 2013). A larger packet takes several.
        "packet-trace" => PacketTrace(TraceFile),
        /// A measured rate: a file with a time and a rate in each line, whose form is found out or named. After the end of
        /// the file it starts again.
        "series" => Series(Box<RateSeries>),
        /// A cellular network, modelled as by the authors of Sprout (Winstein, Sivaraman, Balakrishnan, NSDI 2013):
        /// deliveries of 1500 bytes form a Poisson process whose rate is a Brownian motion with outages.
        "cellular" => Cellular(Cellular),
    }
}

record! {
    /// A rate in steps.
    pub struct RateSteps {
        /// The rates, in the order of their times; a rate of zero is an outage.
        steps: Vec<RateStep> = required(list("step", table()));
        /// Period after which the steps start again.
        repeat_every: Option<Nanos> = optional("it does not", time().within(LEAST_PERIOD, TIME.max));
    }
}

record! {
    /// A rate that holds from a given time.
    pub struct RateStep {
        /// Time at which the rate begins; the first step begins at 0s.
        at: Nanos = required(time());
        /// The rate.
        rate: u64 = required(rate());
    }
}

/// A delivery trace and the file that it was read from.
pub type TraceFile = FromFile<TraceFormat>;

/// Mahimahi's format of delivery traces.
#[derive(Clone, PartialEq, Debug)]
pub struct TraceFormat;

impl Format for TraceFormat {
    type Content = Trace;
    const NOUN: &'static str = "a delivery trace";
    const EXAMPLE: &'static str = "Verizon-LTE-short.down";
    const ACCEPTED: &'static str =
        "in each line a whole number of milliseconds, none below the one above it, the last above zero";
    const PATH_DOC: &'static str = "The trace.";

    fn decode(bytes: &[u8]) -> Result<Trace, String> {
        Trace::parse(bytes).map_err(|error| error.to_string())
    }
}

impl Alone for TraceFormat {
    const DOC: &'static str = "A delivery trace.";

    fn placeholder() -> Trace {
        Trace::parse(b"1").expect("a trace")
    }
}

record! {
    /// A synthetic model of a cellular network.
    pub struct Cellular {
        /// Maximum rate; the paper uses 1000 packets of 1500 bytes per second.
        max_rate: u64 = default("12Mbps", rate().within(1, MOST_CELLULAR));
        /// Noise power of the rate, in packets per second per square root of a second.
        sigma: f64 = default(CellularModel::SPROUT.sigma, real(1.0, 1e6));
        /// The rate at which outages end, per second.
        outage_escape: f64 = default(CellularModel::SPROUT.escape, real(1e-3, 1e6));
    }
}

record! {
    /// A propagation delay that changes, as after a change of route. Packets on a shorter new path overtake those on
    /// the old path.
    pub struct DelaySteps {
        /// The delays, in the order of their times.
        steps: Vec<DelayStep> = required(list("step", table()));
        /// Period after which the steps start again.
        repeat_every: Option<Nanos> = optional("it does not", time().within(LEAST_PERIOD, TIME.max));
    }
}

record! {
    /// A delay that holds from a given time.
    pub struct DelayStep {
        /// Time at which the delay begins; the first step begins at 0s.
        at: Nanos = required(time());
        /// The delay, one way.
        delay: Nanos = required(time());
    }
}

/// Kind of a [`Plain`], with a check of the table.
pub(super) struct PlainOr<S, K: Kind> {
    plain: S,
    table: K,
    /// Texts that each stand for a table.
    words: &'static [&'static str],
    check: fn(&K::Value, &KeyPath, &mut Problems<'_>),
}

/// Returns the kind of a [`LinkRate`].
pub(super) fn varying_rate() -> PlainOr<impl Scalar<Value = u64>, Tagged<VaryingRate>> {
    PlainOr { plain: rate::<u64>().positive(), table: tagged(), words: VaryingRate::KINDS, check: check_rate }
}

/// Returns the kind of a [`LinkDelay`].
pub(super) fn changing_delay() -> PlainOr<impl Scalar<Value = Nanos>, Table<DelaySteps>> {
    let check = |delay: &DelaySteps, at: &KeyPath, problems: &mut Problems<'_>| {
        check_steps(delay.steps.iter().map(|step| step.at), delay.repeat_every, at, problems);
    };
    PlainOr { plain: time::<Nanos>(), table: table(), words: &[], check }
}

impl<S: Scalar, K: Kind> Kind for PlainOr<S, K> {
    type Value = Plain<S::Value, K::Value>;

    fn renew(&self, node: &mut Node, at: &KeyPath, renewal: &mut Renewal) {
        Kind::renew(&self.plain, node, at, renewal);
        self.table.renew(node, at, renewal);
    }

    fn read(&self, node: &Node, at: &KeyPath, problems: &mut Problems<'_>) -> Self::Value {
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

fn check_rate(rate: &VaryingRate, at: &KeyPath, problems: &mut Problems<'_>) {
    let VaryingRate::Steps(RateSteps { steps, repeat_every }) = rate else { return };
    check_steps(steps.iter().map(|step| step.at), *repeat_every, at, problems);
    if steps.iter().all(|step| step.rate == 0) {
        problems.add(at.key("steps"), "are zero throughout; accepted: at least one rate above zero");
    }
}

/// Returns the treatments of large packets by name.
pub(super) fn large() -> OneOf<Large> {
    let options = [
        ("off", Large::Split, "they are split before the link, whose queue holds segments: a link in the network"),
        (
            "queue",
            Large::Queued,
            "the queue holds them and the wire carries segments: a queue discipline of the sending host before its network card",
        ),
        (
            "whole",
            Large::Whole,
            "they stay whole up to the next link or host, as between virtual interfaces (Mininet, containers, veth)",
        ),
    ];
    one_of("treatment of large packets", options)
}

impl LinkRate {
    /// Returns the mean rate: for steps over one period, or over the `duration` of the run where the steps do not repeat.
    pub fn mean(&self, duration: Nanos) -> Rate {
        match self {
            // A rate of zero was refused, but its mean is still requested.
            Plain::Always(rate) => Rate::new(*rate).unwrap_or(Rate::MIN),
            Plain::Varying(VaryingRate::Steps(steps)) => Steps::mean(&steps.schedule(), duration),
            Plain::Varying(VaryingRate::Trace(trace) | VaryingRate::PacketTrace(trace)) => trace.content.mean_rate(),
            Plain::Varying(VaryingRate::Series(series)) => Steps::mean(series.series().schedule(), duration),
            Plain::Varying(VaryingRate::Cellular(cellular)) => cellular.model().mean_rate(),
        }
    }
}

impl RateSteps {
    /// Returns the rate over time, in bits per second. Steps that are not in order give a rate of zero; such steps are
    /// refused.
    pub fn schedule(&self) -> Schedule<u64> {
        // Steps that were refused have no schedule, but their mean is still requested.
        let times = || self.steps.iter().map(|step| step.at);
        let has_end = self.repeat_every.is_none_or(|period| times().all(|at| at < period));
        if times().next() != Some(0) || !self.steps.is_sorted_by(|a, b| a.at < b.at) || !has_end {
            return Schedule::constant(0);
        }
        Schedule::new(self.steps.iter().map(|step| (step.at, step.rate)).collect(), self.repeat_every)
    }
}

impl Cellular {
    /// Returns the model with these parameters.
    pub fn model(&self) -> CellularModel {
        let max_rate = Rate::new(self.max_rate).unwrap_or(Rate::MIN);
        CellularModel { max_rate, sigma: self.sigma, escape: self.outage_escape }
    }
}

impl LinkDelay {
    /// Returns the delay at the start, in nanoseconds.
    pub fn first(&self) -> Nanos {
        match self {
            Plain::Always(delay) => *delay,
            Plain::Varying(steps) => steps.steps.first().map_or(0, |step| step.delay),
        }
    }

    /// Returns the shortest delay, in nanoseconds.
    pub fn least(&self) -> Nanos {
        match self {
            Plain::Always(delay) => *delay,
            Plain::Varying(steps) => steps.steps.iter().map(|step| step.delay).min().unwrap_or(0),
        }
    }

    /// Returns the delay over time, in nanoseconds.
    pub fn schedule(&self) -> Schedule<Nanos> {
        match self {
            Plain::Always(delay) => Schedule::constant(*delay),
            Plain::Varying(DelaySteps { steps, repeat_every }) => {
                Schedule::new(steps.iter().map(|step| (step.at, step.delay)).collect(), *repeat_every)
            }
        }
    }
}

/// One direction of a link, without its queue.
pub struct Direction<'a> {
    /// Rate of the direction.
    pub rate: &'a LinkRate,
    /// Propagation delay of the direction.
    pub delay: &'a LinkDelay,
    /// Jitter of the direction.
    pub jitter: Option<&'a Jitter>,
    /// Policer of the direction.
    pub policer: Option<&'a Policer>,
    /// Treatment of large packets.
    pub large: Large,
    /// Whether the queue is that of the sending host.
    pub on_host: bool,
    /// Largest packet in bytes, and whether the sender of a larger one is told, if there is a largest.
    pub mtu: Option<(u32, bool)>,
    /// Packets lost before the queue.
    pub loss: &'a Loss,
    /// netem before the queue.
    pub netem: Option<&'a Netem>,
    /// Packets duplicated before the queue.
    pub duplication: Option<&'a Loss>,
    /// Packets corrupted on the wire.
    pub corruption: Option<&'a Loss>,
    /// Times in which the direction is down.
    pub outages: &'a [Outage],
}
