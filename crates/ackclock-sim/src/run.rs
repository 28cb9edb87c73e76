//! A scenario's run: from the scenario to its tables and traces.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use ackclock_tcp::pacing::Pacing;
use ackclock_tcp::{Event, Segment};
use serde_json::{Map, json};

use crate::Nanos;
use crate::app::completion::Path;
use crate::app::draw::Distribution;
use crate::app::{AppTables, ParamProblem};
use crate::dumbbell::{Access, Dumbbell};
use crate::invariants::{self, Facts, Finding};
use crate::link::LinkSpec;
use crate::measures::FlowLabels;
use crate::network::LinkId;
use crate::observe::{NetworkEvent, Observer, Who};
use crate::probes::{Recorder, Watch};
use crate::rng::{Stream, stream_seed};
use crate::scenario::{self, Arrival, Direction, Flow, Hop, Problem, QueueLimit, Scenario, ScenarioError};
use crate::table::Table;
use crate::trace::{Chunk, Names, TraceSpec, Traces};
use crate::verify::{Verifier, Violation};
use crate::world::{FlowSpec, World};

/// What a run gives.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Output {
    /// Tables by name. `flows` and `links` are always there; applications and probes add theirs.
    pub tables: BTreeMap<&'static str, Table>,
    /// What was traced and not taken before, the last of each file.
    pub traces: Vec<Chunk>,
    /// What the verifier found, if it watched: nothing, in a right simulator.
    pub violations: Vec<Violation>,
    /// Where the tables do not agree, if they were to be checked: nowhere, in a right simulator.
    pub findings: Vec<Finding>,
}

/// Who watches a run besides the scenario's probes. Watching changes nothing in what happens.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Watching {
    /// What to trace.
    pub traces: TraceSpec,
    /// Whether the run's events are checked against the physics of its network.
    pub verify: bool,
    /// Whether the run's tables are checked against each other. Builds with debug assertions check every run.
    pub check: bool,
}

/// Everyone who watches a run.
struct Watchers {
    recorder: Option<Recorder>,
    traces: Option<Traces>,
    verifier: Option<Verifier>,
}

impl Observer for Watchers {
    fn opened(&mut self, number: u32, generation: u16, who: Who) {
        self.recorder.opened(number, generation, who);
        self.traces.opened(number, generation, who);
        self.verifier.opened(number, generation, who);
    }

    fn endpoint(&mut self, now: Nanos, who: Who, event: Event<'_>) {
        self.recorder.endpoint(now, who, event);
        self.traces.endpoint(now, who, event);
        self.verifier.endpoint(now, who, event);
    }

    fn delivered(&mut self, now: Nanos, flow: u32, bytes: u64) {
        self.recorder.delivered(now, flow, bytes);
    }

    fn network(&mut self, at: Nanos, segment: &Segment, event: NetworkEvent) {
        self.recorder.network(at, segment, event);
        self.traces.network(at, segment, event);
        self.verifier.network(at, segment, event);
    }
}

/// A run costs nothing for what nobody watches.
enum Observed {
    Not(Box<World<()>>),
    By(Box<World<Watchers>>),
}

/// A scenario's run under way. It covers the times from 0 to the scenario's duration, both included.
pub struct Run {
    world: Observed,
    links: Vec<(LinkId, String)>,
    /// What the tables are checked with, where they are to be.
    facts: Option<Facts>,
}

impl Run {
    /// A run of the scenario with its own seed or another, at time 0.
    ///
    /// # Errors
    /// What an application cannot do with its parameters.
    pub fn new(scenario: &Scenario, seed: Option<u64>) -> Result<Run, ScenarioError> {
        Run::watched(scenario, seed, &Watching::default())
    }

    /// The same run under the eyes of others than the scenario's probes.
    ///
    /// # Errors
    /// What an application cannot do with its parameters, and a place to capture at that there is not.
    pub fn watched(scenario: &Scenario, seed: Option<u64>, watching: &Watching) -> Result<Run, ScenarioError> {
        let seed = seed.unwrap_or(scenario.seed);
        let (mut dumbbell, links) = network(scenario, seed);
        let mut flows = Vec::new();
        for (index, flow) in scenario.flows.iter().enumerate() {
            add_copies(&mut flows, &mut dumbbell, &links, scenario, flow, seed)
                .map_err(|problems| ScenarioError { problems: located(problems, index) })?;
        }

        let (topology, duration) = (dumbbell.topology, scenario.duration);
        let probes = &scenario.probes;
        let recorder = probes.record().then(|| {
            let watch = Watch {
                window: probes.window,
                packets: probes.packets,
                timeouts: probes.timeouts,
                queues: probes.queues,
                rates: probes.rates,
                interval: probes.interval,
                from: probes.from,
                to: probes.to.unwrap_or(duration),
            };
            Recorder::new(watch, flows.iter().map(|flow| flow.labels.name.clone()).collect(), links.clone())
        });
        let traces = traces(scenario, seed, &watching.traces, &flows, &links)?;
        let verifier = watching.verify.then(|| Verifier::new(&topology, flows.iter().map(|flow| flow.routes)));
        let world = if recorder.is_some() || traces.is_some() || verifier.is_some() {
            let watchers = Watchers { recorder, traces, verifier };
            Observed::By(Box::new(World::new(topology, flows, seed, duration, watchers)))
        } else {
            Observed::Not(Box::new(World::new(topology, flows, seed, duration, ())))
        };
        let facts = (watching.check || cfg!(debug_assertions)).then(|| Facts::of(scenario));
        Ok(Run { world, links, facts })
    }

    /// Handles up to `max_events` events. Whether the run goes on.
    pub fn step(&mut self, max_events: u64) -> bool {
        match &mut self.world {
            Observed::Not(world) => world.step(max_events),
            Observed::By(world) => world.step(max_events),
        }
    }

    /// The present in simulated time.
    pub fn now(&self) -> Nanos {
        match &self.world {
            Observed::Not(world) => world.now(),
            Observed::By(world) => world.now(),
        }
    }

    /// Places for connections: the most that were open at once so far.
    pub fn places(&self) -> usize {
        match &self.world {
            Observed::Not(world) => world.places(),
            Observed::By(world) => world.places(),
        }
    }

    /// Takes away what has been traced so far, so that a long run need not keep it.
    pub fn take_traces(&mut self) -> Vec<Chunk> {
        let now = self.now();
        match &mut self.world {
            Observed::Not(_) => Vec::new(),
            Observed::By(world) => {
                world.observer_mut().traces.as_mut().map_or_else(Vec::new, |traces| traces.take(now))
            }
        }
    }

    /// Tables and traces of the whole run.
    ///
    /// # Panics
    /// If [`Run::step`] has not returned false yet: what links evaluated ahead of time have counted is right only at the end.
    /// With debug assertions, if the tables break an invariant.
    pub fn finish(self) -> Output {
        let now = self.now();
        let mut output = match self.world {
            Observed::Not(mut world) => Output { tables: world.report(&self.links), ..Output::default() },
            Observed::By(mut world) => {
                let mut tables: AppTables = world.report(&self.links);
                let (network, watchers) = world.into_parts();
                if let Some(recorder) = watchers.recorder {
                    recorder.report(now, &network, &mut tables);
                }
                Output {
                    tables,
                    traces: watchers.traces.map_or_else(Vec::new, |traces| traces.finish(now)),
                    violations: watchers.verifier.map_or_else(Vec::new, |verifier| verifier.finish(now)),
                    findings: Vec::new(),
                }
            }
        };
        if let Some(facts) = &self.facts {
            output.findings = invariants::check(facts, &output.tables);
            debug_assert!(output.findings.is_empty(), "the tables of a run disagree: {:#?}", output.findings);
        }
        output
    }
}

/// The links of a scenario with their names, both directions of the bottleneck and then of the others.
fn network(scenario: &Scenario, seed: u64) -> (Dumbbell, Vec<(LinkId, String)>) {
    let spec = |way: Direction<'_>, queue: &scenario::Queue, limit: QueueLimit, name: &str| LinkSpec {
        rate: positive(way.rate.mean(scenario.duration)),
        delay: way.delay.first(),
        queue: queue.entry(),
        limit: limit.of_link(),
        given: queue.parameters.clone(),
        loss: way.loss.process(seed, &format!("{name}/loss")),
        impairments: way.impairments(scenario.duration, seed, name),
        packet_size: scenario.packet_size,
        seed: stream_seed(seed, &format!("{name}/queue")),
    };
    let mut all = scenario.all_links().map(|(name, link)| {
        let [there, back] = scenario.queue_limits(link);
        let reverse = format!("{name}.reverse");
        let specs = (
            spec(link.forward(), &link.queue, there, name),
            spec(link.reverse(), link.reverse_queue(), back, &reverse),
        );
        (specs, [name.to_owned(), reverse])
    });
    let ((forward, reverse), names) = all.next().expect("a scenario has a bottleneck");
    let mut dumbbell = Dumbbell::new(forward, reverse);
    let mut links: Vec<_> = [dumbbell.forward, dumbbell.reverse].into_iter().zip(names).collect();
    for ((forward, reverse), names) in all {
        let ids = [forward, reverse].map(|spec| spec.put_into(&mut dumbbell.topology));
        links.extend(ids.into_iter().zip(names));
    }
    (dumbbell, links)
}

/// What traces a run, if anything is to be traced.
fn traces(
    scenario: &Scenario,
    seed: u64,
    spec: &TraceSpec,
    flows: &[FlowSpec],
    links: &[(LinkId, String)],
) -> Result<Option<Traces>, ScenarioError> {
    if spec.is_empty() {
        return Ok(None);
    }
    let about = [
        ("name", json!(scenario.name)),
        ("scenario_hash", json!(scenario.hash())),
        ("version", json!(env!("CARGO_PKG_VERSION"))),
        ("seed", json!(seed)),
    ];
    let names = Names {
        flows: flows.iter().map(|flow| flow.labels.name.clone()).collect(),
        links: links
            .iter()
            .map(|(_, name)| name.clone())
            .chain(flows.iter().flat_map(|flow| Dumbbell::own_links(&flow.labels.name)))
            .collect(),
        bottleneck: links.iter().map(|(link, _)| *link).collect(),
    };
    let about = about.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>();
    Traces::new(spec, names, about).map(Some).map_err(|message| ScenarioError {
        problems: vec![Problem { path: "captures".to_owned(), line: None, message }],
    })
}

/// Adds the copies of a flow with their access links.
fn add_copies(
    flows: &mut Vec<FlowSpec>,
    dumbbell: &mut Dumbbell,
    links: &[(LinkId, String)],
    scenario: &Scenario,
    flow: &Flow,
    seed: u64,
) -> Result<(), Vec<ParamProblem>> {
    let own = scenario.access_of(flow);
    let hops = scenario.routes(flow);
    let [there, back] = hops.each_ref().map(|hops| {
        let link = |hop: &Hop| links[2 * hop.link + usize::from(hop.back)].0;
        hops.iter().map(link).collect::<Vec<_>>()
    });
    let rate = positive(own.rate.bits_per_second(scenario.rate()));
    let delays = [own.source_delay, own.sink_delay].map(|delay| delay.distribution());
    let mut arrivals = Arrivals::new(flow.arrival.as_ref(), seed, &flow.name);
    let mut config = flow.tcp_config(scenario.packet_size);
    let together = Stream::new(seed, &format!("{}/group", flow.name)).below(flow.group_jitter.saturating_add(1));
    for name in flow.copies() {
        let mut random = Stream::new(seed, &format!("{name}/access"));
        let [source_delay, sink_delay] = delays.each_ref().map(|delay| delay.draw(&mut random));
        let access = Access { rate, source_delay, sink_delay };
        let path = Path {
            rate: rate.get().min(scenario.slowest_of(&hops[0])),
            // Draws are at most 2^60 ns; the links of a route may be any number.
            rtt: hops
                .iter()
                .map(|hops| scenario.delay_of(hops))
                .fold(2 * (source_delay + sink_delay), Nanos::saturating_add),
        };
        let (kind, app) = flow.app.make(path)?;
        if let Some(cc) = flow.cc.as_ref().filter(|cc| cc.registered().is_some()) {
            config.cc = cc.algorithm(&name);
        }
        let labels = FlowLabels {
            name,
            cc: config.cc.name().clone(),
            validation: config.validation.name,
            pacing: match config.pacing {
                Pacing::Off => "off",
                Pacing::Fq { .. } => "fq",
            },
            app: kind,
        };
        flows.push(FlowSpec {
            labels,
            config: config.clone(),
            app,
            start: flow.start.saturating_add(together).saturating_add(arrivals.next()),
            start_jitter: flow.start_jitter,
            routes: dumbbell.flow_over(access, &there, &back),
            class: flow.class,
            delays: scenario.probes.delays,
        });
    }
    Ok(())
}

/// When the copies of a flow start, from the time that holds for all of them.
struct Arrivals {
    random: Stream,
    /// From one start to the next.
    gap: Distribution,
    next: Nanos,
}

impl Arrivals {
    /// Those of the flow of a name. The first of a Poisson process comes after an exponential time, as all do.
    fn new(arrival: Option<&Arrival>, seed: u64, flow: &str) -> Arrivals {
        let mut random = Stream::new(seed, &format!("{flow}/arrivals"));
        let gap = match arrival {
            None | Some(Arrival::Together) => Distribution::Constant(0),
            Some(Arrival::Poisson(poisson)) => Distribution::Exponential(libm::round(1e9 / poisson.rate) as u64),
            Some(Arrival::Staggered(staggered)) => Distribution::Constant(staggered.interval),
        };
        let next = if let Distribution::Exponential(_) = gap { gap.draw(&mut random) } else { 0 };
        Arrivals { random, gap, next }
    }

    fn next(&mut self) -> Nanos {
        let start = self.next;
        self.next = start.saturating_add(self.gap.draw(&mut self.random));
        start
    }
}

/// The problems of the application of the flow with that index, as problems of the scenario.
fn located(problems: Vec<ParamProblem>, index: usize) -> Vec<Problem> {
    let problem = |problem: ParamProblem| Problem {
        path: format!("flows[{index}].app.{}", problem.field),
        line: None,
        message: problem.message,
    };
    problems.into_iter().map(problem).collect()
}

/// A number that the scenario has checked.
fn positive(rate: u64) -> NonZeroU64 {
    NonZeroU64::new(rate).expect("a scenario refuses zero here")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_link_and_each_seed_has_losses_of_its_own() {
        let random = |probability| scenario::Loss::Random(scenario::Chance { probability });
        let losses = |seed, link| {
            let mut loss = random(500_000_000).process(seed, &format!("{link}/loss")).expect("there is loss");
            (0..64).map(|_| loss.strikes()).collect::<Vec<_>>()
        };
        assert_eq!(losses(1, "bottleneck"), losses(1, "bottleneck"));
        assert_ne!(losses(1, "bottleneck"), losses(1, "bottleneck.reverse"));
        assert_ne!(losses(1, "bottleneck"), losses(2, "bottleneck"));
        assert!(random(0).process(1, "bottleneck").is_none());
    }
}
