//! The applications of a scenario without its endpoints, for runs over the sockets of a real kernel.

use ackclock_app::Application;
use ackclock_core::{Nanos, Stream};
use ackclock_scenario::{Scenario, ScenarioError};

use crate::build;
use crate::measures::FlowLabels;
use crate::network::Topology;
use crate::reading::Reader;

/// The application of a flow, with what it has in a run.
pub struct Actor {
    /// Names of the flow and of its algorithms.
    pub labels: FlowLabels,
    /// The time at which the flow starts, in ns.
    pub start: Nanos,
    /// The random stream of the application.
    pub random: Stream,
    /// The application.
    pub app: Box<dyn Application>,
    /// Readers of the source and of the sink; `None` for an end that reads at once.
    pub readers: [Option<Reader>; 2],
}

/// Creates the applications of a scenario in a run with `seed`, one for each copy of a flow. Their starts and their random
/// draws are those of the simulator.
///
/// # Errors
/// Parameters with which an application cannot run.
pub fn actors(scenario: &Scenario, seed: u64) -> Result<Vec<Actor>, ScenarioError> {
    let (mut dumbbell, links) = build::network(Topology::default(), scenario, seed);
    let specs = build::tcp_flows(scenario, seed, &mut dumbbell, &links)?;
    let actor = |spec: crate::world::FlowSpec| {
        let (start, random) = (spec.start(seed), spec.random(seed));
        Actor { labels: spec.labels, start, random, app: spec.app, readers: spec.readers }
    };
    Ok(specs.into_iter().map(actor).collect())
}
