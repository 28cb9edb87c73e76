//! The run of a scenario: from the scenario to its tables and traces.

use ackclock_core::Nanos;
use ackclock_results::Tables;
use ackclock_results::invariants::{self, Facts, Finding};
use ackclock_scenario::{Flow, Scenario, ScenarioError};
use ackclock_tcp::Segment;
use ackclock_tcp::cc::Algorithm;
use serde_json::{Map, json};

use crate::build;
use crate::dumbbell::Dumbbell;
use crate::endpoint::Event;
use crate::ids::{EndpointId, FlowId, LinkId};
use crate::measures::Achieved;
use crate::network::Topology;
use crate::observe::{NetworkEvent, Observer, Who};
use crate::probes::{Recorder, Watch};
use crate::trace::{Chunk, Names, TraceSpec, Traces};
use crate::verify::{Verifier, Violation};
use crate::world::{FlowSpec, World};

/// The output of a run.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Output {
    /// Tables by name. `flows` and `links` are always present; applications and probes add their tables.
    pub tables: Tables,
    /// Traces that were not taken before, with the end of each file.
    pub traces: Vec<Chunk>,
    /// Findings of the verifier, if it was on; a correct simulator has none.
    pub violations: Vec<Violation>,
    /// Disagreements between the tables, if they were checked; a correct simulator has none.
    pub findings: Vec<Finding>,
}

/// Observers of a run besides the scenario's probes. They do not change the run.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Watching {
    /// The traces to record.
    pub traces: TraceSpec,
    /// Whether the run's events are checked against the physics of its network.
    pub verify: bool,
    /// Whether the run's tables are checked against each other. Builds with debug assertions check every run.
    pub check: bool,
}

/// All observers of a run.
struct Watchers {
    recorder: Option<Recorder>,
    traces: Option<Traces>,
    verifier: Option<Verifier>,
}

impl Observer for Watchers {
    fn opened(&mut self, endpoint: EndpointId, generation: u16, who: Who) {
        Observer::<Segment>::opened(&mut self.recorder, endpoint, generation, who);
        self.traces.opened(endpoint, generation, who);
        self.verifier.opened(endpoint, generation, who);
    }

    fn endpoint(&mut self, now: Nanos, who: Who, event: Event<'_, Segment>) {
        self.recorder.endpoint(now, who, event);
        self.traces.endpoint(now, who, event);
        self.verifier.endpoint(now, who, event);
    }

    fn delivered(&mut self, now: Nanos, flow: FlowId, bytes: u64) {
        Observer::<Segment>::delivered(&mut self.recorder, now, flow, bytes);
    }

    fn network(&mut self, at: Nanos, segment: Option<&Segment>, event: NetworkEvent) {
        self.recorder.network(at, segment, event);
        self.traces.network(at, segment, event);
        self.verifier.network(at, segment, event);
    }
}

/// Unused observers cost nothing.
enum Observed {
    Not(Box<World<()>>),
    By(Box<World<Watchers>>),
}

/// The run of a scenario. It covers the times from 0 to the scenario's duration, both included.
pub struct Run {
    world: Observed,
    links: Vec<(LinkId, String)>,
    /// The facts with which the tables are checked, if they are to be checked.
    facts: Option<Facts>,
}

impl Run {
    /// Creates a run of the scenario at time 0, with the scenario's seed or another.
    ///
    /// # Errors
    /// Parameters with which an application cannot run.
    pub fn new(scenario: &Scenario, seed: Option<u64>) -> Result<Run, ScenarioError> {
        Run::watched(scenario, seed, &Watching::default())
    }

    /// Creates the same run with further observers besides the scenario's probes.
    ///
    /// # Errors
    /// Parameters with which an application cannot run, and unknown places of captures.
    pub fn watched(scenario: &Scenario, seed: Option<u64>, watching: &Watching) -> Result<Run, ScenarioError> {
        Run::replaced(scenario, seed, watching, &|_| None)
    }

    /// Creates the same run with other congestion controls where `replace` returns one for a flow. One scenario then
    /// serves any number of runs that differ in an algorithm.
    ///
    /// # Errors
    /// Parameters with which an application cannot run, and unknown places of captures.
    pub fn replaced(
        scenario: &Scenario,
        seed: Option<u64>,
        watching: &Watching,
        replace: &dyn Fn(&Flow) -> Option<Algorithm>,
    ) -> Result<Run, ScenarioError> {
        let seed = seed.unwrap_or(scenario.seed);
        let (mut dumbbell, links) = build::network(Topology::default(), scenario, seed);
        let mut flows = build::flows(scenario, seed, &mut dumbbell, &links, replace)?;

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
            let names = flows.iter().map(|flow| flow.labels.name.clone()).collect();
            Recorder::new(watch, names, links.clone(), build::outages(scenario))
        });
        let traces = traces(scenario, seed, &watching.traces, &flows, &links)?;
        let samples = probes.window || watching.traces.events || watching.traces.qlog;
        flows.iter_mut().for_each(|flow| flow.config.samples_rate = samples);
        let verifier = watching.verify.then(|| Verifier::new(&topology, flows.iter().map(|flow| flow.routes)));
        let world = if recorder.is_some() || traces.is_some() || verifier.is_some() {
            let watchers = Watchers { recorder, traces, verifier };
            Observed::By(Box::new(World::new(topology, flows, seed, duration, watchers)))
        } else {
            Observed::Not(Box::new(World::new(topology, flows, seed, duration, ())))
        };
        let facts = (watching.check || cfg!(debug_assertions)).then(|| build::facts(scenario));
        Ok(Run { world, links, facts })
    }

    /// Runs a scenario to its end with the verifier and checks its tables ([`invariants`]); the findings are part of
    /// the output.
    ///
    /// # Errors
    /// Parameters with which an application cannot run.
    pub fn verified(scenario: &Scenario, seed: Option<u64>) -> Result<Output, ScenarioError> {
        let mut run = Run::watched(scenario, seed, &Watching { verify: true, check: true, ..Watching::default() })?;
        while run.step(u64::MAX) {}
        Ok(run.finish())
    }

    /// Handles up to `max_events` events. Returns whether the run continues.
    pub fn step(&mut self, max_events: u64) -> bool {
        match &mut self.world {
            Observed::Not(world) => world.step(max_events),
            Observed::By(world) => world.step(max_events),
        }
    }

    /// Returns the current simulated time.
    pub fn now(&self) -> Nanos {
        match &self.world {
            Observed::Not(world) => world.now(),
            Observed::By(world) => world.now(),
        }
    }

    /// Returns the number of slots of connections, which is the largest number that were open at once so far.
    pub fn slots(&self) -> usize {
        match &self.world {
            Observed::Not(world) => world.slots(),
            Observed::By(world) => world.slots(),
        }
    }

    /// Removes and returns the traces so far, so that a long run need not store them.
    pub fn take_traces(&mut self) -> Vec<Chunk> {
        let now = self.now();
        match &mut self.world {
            Observed::Not(_) => Vec::new(),
            Observed::By(world) => {
                world.observer_mut().traces.as_mut().map_or_else(Vec::new, |traces| traces.take(now))
            }
        }
    }

    /// Returns the achievements of the flows so far, in the order of the scenario and its copies. It costs less than the
    /// tables of [`Run::finish`].
    pub fn achievements(&self) -> Vec<Achieved> {
        match &self.world {
            Observed::Not(world) => world.achievements(),
            Observed::By(world) => world.achievements(),
        }
    }

    /// Returns the tables and traces of the whole run.
    ///
    /// # Panics
    /// If [`Run::step`] has not returned false yet: the counts of links whose times are computed in advance are correct
    /// only at the end. With debug assertions, if the tables break an invariant.
    pub fn finish(self) -> Output {
        let now = self.now();
        let mut output = match self.world {
            Observed::Not(mut world) => Output { tables: world.report(&self.links), ..Output::default() },
            Observed::By(mut world) => {
                let mut tables: Tables = world.report(&self.links);
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

/// Returns the observer that traces a run, if a trace is requested.
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
        duration: scenario.duration,
    };
    let about = about.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>();
    Traces::new(spec, names, about).map(Some).map_err(|problems| ScenarioError { problems })
}
