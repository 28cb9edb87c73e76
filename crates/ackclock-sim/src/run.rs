//! A scenario's run: from the scenario to its tables and traces.

use ackclock_core::Nanos;
use ackclock_results::Tables;
use ackclock_results::invariants::{self, Facts, Finding};
use ackclock_scenario::{Problem, Scenario, ScenarioError};
use ackclock_tcp::{Event, Segment};
use serde_json::{Map, json};

use crate::build;
use crate::dumbbell::Dumbbell;
use crate::ids::{EndpointId, FlowId, LinkId};
use crate::observe::{NetworkEvent, Observer, Who};
use crate::probes::{Recorder, Watch};
use crate::trace::{Chunk, Names, TraceSpec, Traces};
use crate::verify::{Verifier, Violation};
use crate::world::{FlowSpec, World};

/// What a run gives.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Output {
    /// Tables by name. `flows` and `links` are always there; applications and probes add theirs.
    pub tables: Tables,
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
    fn opened(&mut self, endpoint: EndpointId, generation: u16, who: Who) {
        self.recorder.opened(endpoint, generation, who);
        self.traces.opened(endpoint, generation, who);
        self.verifier.opened(endpoint, generation, who);
    }

    fn endpoint(&mut self, now: Nanos, who: Who, event: Event<'_>) {
        self.recorder.endpoint(now, who, event);
        self.traces.endpoint(now, who, event);
        self.verifier.endpoint(now, who, event);
    }

    fn delivered(&mut self, now: Nanos, flow: FlowId, bytes: u64) {
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
        let (mut dumbbell, links) = build::network(scenario, seed);
        let flows = build::flows(scenario, seed, &mut dumbbell, &links)?;

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
        let facts = (watching.check || cfg!(debug_assertions)).then(|| build::facts(scenario));
        Ok(Run { world, links, facts })
    }

    /// Runs a scenario to its end under the verifier's eyes and checks its tables ([`invariants`]); what is found is among the
    /// output.
    ///
    /// # Errors
    /// What an application cannot do with its parameters.
    pub fn verified(scenario: &Scenario, seed: Option<u64>) -> Result<Output, ScenarioError> {
        let mut run = Run::watched(scenario, seed, &Watching { verify: true, check: true, ..Watching::default() })?;
        while run.step(u64::MAX) {}
        Ok(run.finish())
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

    /// Slots of connections: the most that were open at once so far.
    pub fn slots(&self) -> usize {
        match &self.world {
            Observed::Not(world) => world.slots(),
            Observed::By(world) => world.slots(),
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
