//! The run of a scenario: from the scenario to its tables and traces.

use std::sync::{Arc, OnceLock};

use ackclock_core::Nanos;
use ackclock_results::Tables;
use ackclock_results::invariants::{self, Facts, Finding};
use ackclock_scenario::{Flow, Problem, Scenario, ScenarioError};
use ackclock_tcp::cc::Algorithm;
use ackclock_tcp::{Config, Endpoint as Tcp, Segment};
use serde_json::{Map, json};

use crate::build;
use crate::dumbbell::Dumbbell;
use crate::endpoint::foreign::{Calls, Failed, ForeignConfig};
use crate::endpoint::mixed::{Mixed, MixedConfig, Parcel};
use crate::endpoint::{Contents, Endpoint, Event};
use crate::ids::{EndpointId, FlowId, LinkId};
use crate::measures::Achieved;
use crate::network::Topology;
use crate::observe::{NetworkEvent, Observer, Who};
use crate::parts::{Parts, Worker};
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

/// All observers of a run whose packets have the contents `P`.
struct Watchers<P> {
    recorder: Option<Recorder>,
    traces: Option<Traces>,
    verifier: Option<Verifier<P>>,
}

impl<P> Watchers<P> {
    fn is_empty(&self) -> bool {
        self.recorder.is_none() && self.traces.is_none() && self.verifier.is_none()
    }
}

impl<P: Contents> Observer<P> for Watchers<P> {
    fn opened(&mut self, endpoint: EndpointId, generation: u16, who: Who, pair: u32) {
        Observer::<P>::opened(&mut self.recorder, endpoint, generation, who, pair);
        Observer::<P>::opened(&mut self.traces, endpoint, generation, who, pair);
        self.verifier.opened(endpoint, generation, who, pair);
    }

    fn endpoint(&mut self, now: Nanos, who: Who, event: Event<'_, P>) {
        self.recorder.endpoint(now, who, event);
        self.traces.endpoint(now, who, event);
        self.verifier.endpoint(now, who, event);
    }

    fn delivered(&mut self, now: Nanos, flow: FlowId, bytes: u64) {
        Observer::<P>::delivered(&mut self.recorder, now, flow, bytes);
    }

    fn rerouted(&mut self, flow: FlowId) {
        self.verifier.rerouted(flow);
    }

    fn network(&mut self, at: Nanos, contents: Option<&P>, event: NetworkEvent) {
        self.recorder.network(at, contents, event);
        self.traces.network(at, contents, event);
        self.verifier.network(at, contents, event);
    }
}

/// Unused observers cost nothing, and a run of TCP alone knows no other transport.
enum Observed {
    Not(Box<World<()>>),
    By(Box<World<Watchers<Segment>>>),
    Mixed(Box<World<Watchers<Parcel>, Mixed>>),
    Parts(Box<Parts>),
}

/// Evaluates an expression for the world, whatever its type.
macro_rules! for_world {
    ($observed:expr, $world:ident => $body:expr) => {
        match $observed {
            Observed::Not($world) => $body,
            Observed::By($world) => $body,
            Observed::Mixed($world) => $body,
            Observed::Parts($world) => $body,
        }
    };
}

/// The first mistake of a stack in a run.
#[derive(Default)]
pub struct Mistake(OnceLock<Failed>);

impl Calls for Mistake {
    fn failed(&self) -> bool {
        self.0.get().is_some()
    }

    fn fail(&self, failed: Failed) {
        // Only the first mistake is kept.
        let _ = self.0.set(failed);
    }

    fn failure(&self) -> Option<Failed> {
        self.0.get().cloned()
    }
}

/// The run of a scenario. It covers the times from 0 to the scenario's duration, both included.
pub struct Run {
    world: Observed,
    links: Vec<(LinkId, String)>,
    /// The facts with which the tables are checked, if they are to be checked.
    facts: Option<Facts>,
    /// The receiver of the mistakes of transports.
    calls: Arc<dyn Calls>,
    /// Reason for which the run has one thread, although more were asked for.
    one_thread: Option<&'static str>,
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

    /// Creates the same run, as [`Run::called`] does, in at most `threads` parts, which can work on as many threads
    /// ([`Run::workers`]). Its results do not depend on their number. [`Run::one_thread`] says why a run has only one.
    ///
    /// # Errors
    /// Parameters with which an application cannot run, and unknown places of captures.
    pub fn in_parts(
        scenario: &Scenario,
        seed: Option<u64>,
        watching: &Watching,
        calls: Arc<dyn Calls>,
        threads: usize,
    ) -> Result<Run, ScenarioError> {
        let reason = if let Some(reason) = whole(scenario, watching) {
            reason
        } else {
            let seed = seed.unwrap_or(scenario.seed);
            let notes_limits = scenario.probes.limits == Some(true);
            let tcp = |_: &Flow, config: &Arc<Config>, _: &str| observed(config, false, notes_limits);
            let build = || {
                let (mut dumbbell, mut links) = build::network(Topology::default(), scenario, seed);
                let flows = build::flows::<Tcp>(scenario, seed, &mut dumbbell, &links, &|_| None, &tcp)?;
                links.extend(build::policed(&dumbbell.topology, &flows));
                Ok((dumbbell.topology, flows, links))
            };
            if let Some((parts, links)) = Parts::new(build, (seed, scenario.duration), threads)? {
                let facts = (watching.check || cfg!(debug_assertions)).then(|| build::facts(scenario));
                let world = Observed::Parts(Box::new(parts));
                return Ok(Run { world, links, facts, calls, one_thread: None });
            }
            "it has one flow, or packets take less than 10 us from a shared link to a host and back"
        };
        let run = Run::called(scenario, seed, watching, calls)?;
        Ok(Run { one_thread: Some(reason), ..run })
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
        Run::create(scenario, seed, watching, replace, Arc::new(Mistake::default()))
    }

    /// Creates the same run, and tells `calls` of each call to a transport that is not TCP.
    ///
    /// # Errors
    /// Parameters with which an application cannot run, and unknown places of captures.
    pub fn called(
        scenario: &Scenario,
        seed: Option<u64>,
        watching: &Watching,
        calls: Arc<dyn Calls>,
    ) -> Result<Run, ScenarioError> {
        Run::create(scenario, seed, watching, &|_| None, calls)
    }

    fn create(
        scenario: &Scenario,
        seed: Option<u64>,
        watching: &Watching,
        replace: &dyn Fn(&Flow) -> Option<Algorithm>,
        calls: Arc<dyn Calls>,
    ) -> Result<Run, ScenarioError> {
        let seed = seed.unwrap_or(scenario.seed);
        let (mut dumbbell, mut links) = build::network(Topology::default(), scenario, seed);
        let samples = scenario.probes.window || watching.traces.events || watching.traces.qlog;
        let notes_limits = scenario.probes.limits == Some(true);
        let tcp = |config: &Arc<Config>| observed(config, samples, notes_limits);
        let facts = (watching.check || cfg!(debug_assertions)).then(|| build::facts(scenario));
        let world = if scenario.flows.iter().any(|flow| flow.other_transport().is_some()) {
            let convert = |flow: &Flow, config: &Arc<Config>, name: &str| match flow.other_transport() {
                None => MixedConfig::Tcp(tcp(config)),
                Some(other) => MixedConfig::Foreign(ForeignConfig {
                    datagram: scenario.packet_size.saturating_sub(other.stack.overhead()),
                    stack: other.stack.clone(),
                    parameters: other.parameters.clone(),
                    log: watching.traces.qlog,
                    flow: name.into(),
                    calls: calls.clone(),
                }),
            };
            let flows = build::flows::<Mixed>(scenario, seed, &mut dumbbell, &links, replace, &convert)?;
            let traces = traces(scenario, seed, &watching.traces, &flows, &links)?;
            links.extend(build::policed(&dumbbell.topology, &flows));
            let watchers = watchers(scenario, watching, traces, &dumbbell.topology, &flows, &links);
            Observed::Mixed(Box::new(World::new(dumbbell.topology, flows, seed, scenario.duration, watchers)))
        } else {
            let convert = |_: &Flow, config: &Arc<Config>, _: &str| tcp(config);
            let flows = build::flows::<Tcp>(scenario, seed, &mut dumbbell, &links, replace, &convert)?;
            let traces = traces(scenario, seed, &watching.traces, &flows, &links)?;
            links.extend(build::policed(&dumbbell.topology, &flows));
            let watchers = watchers(scenario, watching, traces, &dumbbell.topology, &flows, &links);
            let (topology, duration) = (dumbbell.topology, scenario.duration);
            if watchers.is_empty() {
                Observed::Not(Box::new(World::new(topology, flows, seed, duration, ())))
            } else {
                Observed::By(Box::new(World::new(topology, flows, seed, duration, watchers)))
            }
        };
        Ok(Run { world, links, facts, calls, one_thread: None })
    }

    /// Runs a scenario to its end with the verifier and checks its tables ([`invariants`]); the findings are part of
    /// the output.
    ///
    /// # Errors
    /// Parameters with which an application cannot run, and the mistake of a transport.
    pub fn verified(scenario: &Scenario, seed: Option<u64>) -> Result<Output, ScenarioError> {
        let mut run = Run::watched(scenario, seed, &Watching { verify: true, check: true, ..Watching::default() })?;
        while run.step(u64::MAX) {}
        if let Some(failed) = run.failure() {
            let problem = Problem { path: "flows".to_owned(), line: None, message: failed.to_string() };
            return Err(ScenarioError { problems: vec![problem] });
        }
        Ok(run.finish())
    }

    /// Handles up to `max_events` events. Returns whether the run continues; it does not after the mistake of a
    /// transport.
    pub fn step(&mut self, max_events: u64) -> bool {
        for_world!(&mut self.world, world => world.step(max_events)) && !self.calls.failed()
    }

    /// Handles the events before the time `until`, in nanoseconds. Returns whether the run continues, as [`Run::step`].
    ///
    /// # Panics
    /// If the run is in parts, which have no common time between two calls.
    pub fn step_before(&mut self, until: Nanos) -> bool {
        let continues = match &mut self.world {
            Observed::Not(world) => world.step_before(until),
            Observed::By(world) => world.step_before(until),
            Observed::Mixed(world) => world.step_before(until),
            Observed::Parts(_) => panic!("a run in parts cannot stop at a time"),
        };
        continues && !self.calls.failed()
    }

    /// Returns the mistake of a transport that has ended the run.
    pub fn failure(&self) -> Option<Failed> {
        self.calls.failure()
    }

    /// Returns the workers of a step of about `max_events` events, one for each part; `None` if the run is not divided.
    /// The step is done when each has said [`Turn::Ended`](crate::parts::Turn::Ended).
    pub fn workers(&mut self, max_events: u64) -> Option<Vec<Worker<'_>>> {
        match &mut self.world {
            Observed::Parts(parts) => Some(parts.workers(max_events)),
            _ => None,
        }
    }

    /// Whether the run has not come to its end.
    pub fn continues(&self) -> bool {
        for_world!(&self.world, world => world.continues())
    }

    /// Returns the number of threads that the run can use.
    pub fn threads(&self) -> usize {
        match &self.world {
            Observed::Parts(parts) => parts.count(),
            _ => 1,
        }
    }

    /// Returns why the run has one thread although more were asked for, as the end of a sentence.
    pub fn one_thread(&self) -> Option<&'static str> {
        self.one_thread
    }

    /// Returns the current simulated time.
    pub fn now(&self) -> Nanos {
        for_world!(&self.world, world => world.now())
    }

    /// Returns the number of slots of connections, which is the largest number that were open at once so far.
    pub fn slots(&self) -> usize {
        for_world!(&self.world, world => world.slots())
    }

    /// Removes and returns the traces so far, so that a long run need not store them.
    pub fn take_traces(&mut self) -> Vec<Chunk> {
        let now = self.now();
        let traces = match &mut self.world {
            Observed::Not(_) | Observed::Parts(_) => None,
            Observed::By(world) => world.observer_mut().traces.as_mut(),
            Observed::Mixed(world) => world.observer_mut().traces.as_mut(),
        };
        traces.map_or_else(Vec::new, |traces| traces.take(now))
    }

    /// Returns the achievements of the flows so far, in the order of the scenario and its copies. It costs less than the
    /// tables of [`Run::finish`].
    pub fn achievements(&self) -> Vec<Achieved> {
        for_world!(&self.world, world => world.achievements())
    }

    /// Returns the tables and traces of the whole run.
    ///
    /// # Panics
    /// If [`Run::step`] has not returned false yet, or after a mistake of a transport: the counts of links whose times
    /// are computed in advance are correct only at the end. With debug assertions, if the tables break an invariant.
    pub fn finish(self) -> Output {
        let now = self.now();
        let mut output = match self.world {
            Observed::Not(mut world) => Output { tables: world.report(&self.links), ..Output::default() },
            Observed::Parts(mut parts) => Output { tables: parts.report(&self.links), ..Output::default() },
            Observed::By(world) => watched(*world, &self.links, now),
            Observed::Mixed(world) => watched(*world, &self.links, now),
        };
        if let Some(facts) = &self.facts {
            output.findings = invariants::check(facts, &output.tables);
            debug_assert!(output.findings.is_empty(), "the tables of a run disagree: {:#?}", output.findings);
        }
        output
    }
}

/// Disciplines that do not ask to which connection a packet belongs.
const BLIND: [&str; 11] =
    ["drop-tail", "drop-head", "red", "ared", "codel", "cobalt", "pie", "dualpi2", "priority", "token-bucket", "xcp"];

/// Returns the configuration of connections that observers watch. It is shared unless a setting is not the one that it has.
fn observed(config: &Arc<Config>, samples_rate: bool, notes_limits: bool) -> Arc<Config> {
    let mut config = config.clone();
    if (config.samples_rate, config.notes_limits) != (samples_rate, notes_limits) {
        let own = Arc::make_mut(&mut config);
        (own.samples_rate, own.notes_limits) = (samples_rate, notes_limits);
    }
    config
}

/// Returns why a run cannot be divided, as the end of a sentence; `None` if nothing in the scenario forbids it.
fn whole(scenario: &Scenario, watching: &Watching) -> Option<&'static str> {
    let knows = |queue: &ackclock_scenario::Queue| !BLIND.contains(&queue.entry().name);
    if scenario.probes.record() || watching.verify || !watching.traces.is_empty() {
        Some("probes, traces and the verifier see the events of all flows in one order")
    } else if scenario.flows.iter().any(|flow| flow.other_transport().is_some()) {
        Some("a transport other than TCP may keep state for all of its connections")
    } else if scenario.flows.iter().any(|flow| flow.tunnel.is_some() || flow.route_changes.is_some()) {
        Some("packets of a flow take another route later, or a tunnel")
    } else if scenario.flows.iter().any(|flow| flow.paths.is_some()) {
        Some("the subflows of a transfer over several paths know each other's windows")
    } else if !scenario.registered().is_empty() || !scenario.rules().is_empty() {
        Some("an algorithm of your own may keep state for all flows")
    } else if scenario.all_links().any(|(_, link)| knows(&link.queue) || knows(link.reverse_queue())) {
        Some("the queue of a link asks to which connection a packet belongs, and whether that is open")
    } else if scenario.all_links().any(|(_, link)| link.mtu.is_some()) {
        Some("a link tells the hosts of packets that are too large for it")
    } else if scenario.all_links().any(|(_, link)| link.forward().on_host || link.reverse().on_host) {
        Some("hosts watch the queue of a link that they share")
    } else {
        None
    }
}

/// Returns the output of a run with observers at its end.
fn watched<E: Endpoint>(mut world: World<Watchers<E::Packet>, E>, links: &[(LinkId, String)], now: Nanos) -> Output {
    let mut tables: Tables = world.report(links);
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

/// Returns the observers that a scenario and its user ask for.
fn watchers<E: Endpoint>(
    scenario: &Scenario,
    watching: &Watching,
    traces: Option<Traces>,
    topology: &Topology,
    flows: &[FlowSpec<E>],
    links: &[(LinkId, String)],
) -> Watchers<E::Packet> {
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
            to: probes.to.unwrap_or(scenario.duration),
        };
        let names = flows.iter().map(|flow| flow.labels.name.clone()).collect();
        Recorder::new(watch, names, links.to_vec(), build::outages(scenario))
    });
    let verifier = watching.verify.then(|| {
        let mut verifier = Verifier::new(topology, flows.iter().map(|flow| &flow.routes[..]));
        for (number, flow) in flows.iter().enumerate() {
            for change in &flow.route_changes {
                verifier.expect_change(number, topology, &change.routes);
            }
        }
        verifier
    });
    Watchers { recorder, traces, verifier }
}

/// Returns the observer that traces a run, if a trace is requested.
fn traces<E: Endpoint>(
    scenario: &Scenario,
    seed: u64,
    spec: &TraceSpec,
    flows: &[FlowSpec<E>],
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
        own_logs: scenario
            .flows
            .iter()
            .flat_map(|flow| std::iter::repeat_n(flow.other_transport().is_some(), flow.count as usize))
            .collect(),
        links: links
            .iter()
            .map(|(_, name)| name.clone())
            .chain(flows.iter().flat_map(|flow| Dumbbell::own_links(&flow.labels.name, flow.hosts)))
            .collect(),
        bottleneck: links.iter().map(|(link, _)| *link).collect(),
        duration: scenario.duration,
    };
    let about = about.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>();
    Traces::new(spec, names, about).map(Some).map_err(|problems| ScenarioError { problems })
}
