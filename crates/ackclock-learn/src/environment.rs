//! A run whose senders are steered from outside, interval by interval: the environment of reinforcement learning.
//!
//! A run stops before a time that the caller names. The caller then takes the counts of each steered sender since the
//! last stop, and sets a window or a pacing rate. A sender obeys at its next event: a segment that it sends, an
//! acknowledgment, a loss or a timeout. No call leaves the engine between two stops.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ackclock_core::Nanos;
use ackclock_scenario::{Flow, Problem, Scenario, ScenarioError};
use ackclock_sim::{Run, Watching};
use ackclock_tcp::Rate;
use ackclock_tcp::cc::{Algorithm, CongestionControl, Scope};
use ackclock_tcp::context::{Ack, Congestion, Context, Delivery, Lost, Window};

/// Name of the steered congestion control in tables.
pub const STEERED: &str = "steered";

/// The window and the pacing rate of a sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target {
    /// Congestion window, bytes.
    pub cwnd: u64,
    /// Pacing rate; `None` leaves the rate to the pacer of the scenario.
    pub pacing_rate: Option<Rate>,
}

/// The counts of a sender since the last stop, and its state at its last event. Volumes are in bytes of payload, times
/// in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Bytes sent, retransmissions included. Every segment counts as a full one, as bulk flows have them.
    pub sent: u64,
    /// Bytes newly known to have arrived, in order or not.
    pub delivered: u64,
    /// Bytes newly deemed lost.
    pub lost: u64,
    /// Bytes newly reported as received with a mark.
    pub marked: u64,
    /// Sum of the RTT samples.
    pub rtt_sum: Nanos,
    /// Number of RTT samples.
    pub rtt_samples: u64,
    /// Smallest RTT sample; `None` without a sample.
    pub rtt_min: Option<Nanos>,
    /// Time of the first segment with payload; `None` before it.
    pub started: Option<Nanos>,
    /// Smallest RTT sample of the connection.
    pub connection_min_rtt: Option<Nanos>,
    /// Smoothed RTT.
    pub srtt: Option<Nanos>,
    /// Estimate of the bytes in the network.
    pub in_flight: u64,
    /// Sender maximum segment size.
    pub mss: u64,
    /// Initial window.
    pub initial_window: u64,
}

impl Counts {
    /// The counts of a new interval: the state stays.
    fn renewed(&self) -> Counts {
        let Counts { started, connection_min_rtt, srtt, in_flight, mss, initial_window, .. } = *self;
        Counts { started, connection_min_rtt, srtt, in_flight, mss, initial_window, ..Counts::default() }
    }

    fn see(&mut self, ctx: &Context) {
        (self.connection_min_rtt, self.srtt, self.in_flight) = (ctx.min_rtt, ctx.srtt, ctx.pipe);
    }
}

/// The state that a sender shares with the caller.
#[derive(Default)]
struct Steering {
    counts: Counts,
    target: Option<Target>,
}

/// The congestion control of a steered sender.
struct Steered {
    shared: Arc<Mutex<Steering>>,
    paces: bool,
}

fn locked(shared: &Mutex<Steering>) -> MutexGuard<'_, Steering> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Steered {
    /// Applies the target and notes the state. Only the side that sends has these events.
    fn turn(&self, window: &mut Window, ctx: &Context) -> MutexGuard<'_, Steering> {
        let mut steering = locked(&self.shared);
        if let Some(target) = steering.target {
            (window.cwnd, window.pacing_rate) = (target.cwnd, target.pacing_rate);
        }
        steering.counts.see(ctx);
        steering
    }
}

impl CongestionControl for Steered {
    fn on_ack(&mut self, _window: &mut Window, _ack: &Ack, _acked: u64) {}

    fn on_congestion(&mut self, _window: &mut Window, _event: &Congestion) {}

    fn on_timeout(&mut self, window: &mut Window, event: &Congestion, _first: bool) {
        drop(self.turn(window, &event.ctx));
    }

    fn on_undo(&mut self, _window: &mut Window, _before: &Window) {}

    fn scope(&self) -> Scope {
        Scope { slow_start: true, window: true, losses: true, sends: true, paces: self.paces, ..Scope::default() }
    }

    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        let mut steering = self.turn(window, &delivery.ack.ctx);
        let counts = &mut steering.counts;
        counts.delivered += delivery.newly;
        counts.marked += delivery.ack.marked;
        if let Some(rtt) = delivery.ack.rtt {
            counts.rtt_sum += rtt;
            counts.rtt_samples += 1;
            counts.rtt_min = Some(counts.rtt_min.map_or(rtt, |least| least.min(rtt)));
        }
    }

    fn on_lost(&mut self, window: &mut Window, lost: &Lost) {
        self.turn(window, &lost.ctx).counts.lost += lost.len;
    }

    fn on_sent(&mut self, window: &mut Window, ctx: &Context) {
        let mut steering = self.turn(window, ctx);
        let counts = &mut steering.counts;
        if counts.started.is_none() {
            (counts.started, counts.mss) = (Some(ctx.now), ctx.mss);
            counts.initial_window = window.cwnd;
        }
        counts.sent += ctx.mss;
    }
}

/// A run with steered senders.
pub struct Environment {
    run: Run,
    duration: Nanos,
    senders: Vec<Arc<Mutex<Steering>>>,
}

impl Environment {
    /// Creates the run of a scenario, at time 0, in which the congestion controls of the flows with the names `steered`
    /// are set from outside. With `paces` the caller sets pacing rates, too.
    ///
    /// # Errors
    /// Names of flows that the scenario does not have, flows other than one bulk flow over TCP each, and parameters with
    /// which an application cannot run.
    pub fn new(
        scenario: &Scenario,
        seed: Option<u64>,
        steered: &[String],
        paces: bool,
    ) -> Result<Environment, ScenarioError> {
        let problems: Vec<_> = steered.iter().filter_map(|name| refusal(scenario, name)).collect();
        if !problems.is_empty() {
            return Err(ScenarioError { problems });
        }
        let senders: Vec<_> = steered.iter().map(|_| Arc::new(Mutex::new(Steering::default()))).collect();
        let replace = |flow: &Flow| {
            let shared = senders[steered.iter().position(|name| *name == flow.name)?].clone();
            let make = move || -> Box<dyn CongestionControl> { Box::new(Steered { shared: shared.clone(), paces }) };
            Some(Algorithm::custom(STEERED, make).pacing(paces))
        };
        let run = Run::replaced(scenario, seed, &Watching::default(), &replace)?;
        Ok(Environment { run, duration: scenario.duration, senders })
    }

    /// Runs until a steered sender has sent its first segment. Returns whether the run continues.
    pub fn begin(&mut self) -> bool {
        while self.senders.iter().all(|sender| locked(sender).counts.started.is_none()) {
            if !self.run.step(1) {
                return false;
            }
        }
        true
    }

    /// Sets the window and the pacing rate that a sender obeys from its next event on. A sender that has not sent yet
    /// is not changed: its first interval has the initial window.
    pub fn steer(&mut self, sender: usize, target: Target) {
        let mut steering = locked(&self.senders[sender]);
        if steering.counts.started.is_some() {
            steering.target = Some(target);
        }
    }

    /// Handles the events before the time `until`, in nanoseconds, or all that are left if the run ends by then. Returns
    /// whether the run continues.
    pub fn step_before(&mut self, until: Nanos) -> bool {
        // The events at the very end would otherwise be an interval without a length.
        self.run.step_before(if until < self.duration { until } else { Nanos::MAX })
    }

    /// Returns the number of steered senders.
    pub fn senders(&self) -> usize {
        self.senders.len()
    }

    /// Returns the current simulated time.
    pub fn now(&self) -> Nanos {
        self.run.now()
    }

    /// Returns the counts of a sender so far.
    pub fn counts(&self, sender: usize) -> Counts {
        locked(&self.senders[sender]).counts
    }

    /// Takes the counts of a sender; the next interval begins.
    pub fn take(&mut self, sender: usize) -> Counts {
        let mut steering = locked(&self.senders[sender]);
        let renewed = steering.counts.renewed();
        std::mem::replace(&mut steering.counts, renewed)
    }

    /// Returns the run, whose mistakes and achievements it tells.
    pub fn run(&self) -> &Run {
        &self.run
    }
}

/// The reason why the flow of a name cannot be steered.
fn refusal(scenario: &Scenario, name: &str) -> Option<Problem> {
    let problem = |path: String, message: String| Some(Problem { path, line: None, message });
    let Some(place) = scenario.flows.iter().position(|flow| flow.name == name) else {
        let names: Vec<_> = scenario.flows.iter().map(|flow| flow.name.as_str()).collect();
        return problem("flows".to_owned(), format!("no flow has the name {name}; the names are {}", names.join(", ")));
    };
    let flow = &scenario.flows[place];
    let path = format!("flows[{place}]");
    if flow.count != 1 {
        let message = format!("{name} has {} copies; a steered flow is a single one, so give each a name", flow.count);
        return problem(format!("{path}.count"), message);
    }
    if flow.other_transport().is_some() {
        return problem(format!("{path}.transport"), format!("{name} is not a flow of TCP, whose window could be set"));
    }
    if flow.app.name() != "bulk" {
        return problem(format!("{path}.app"), format!("{name} is not a bulk flow; only bulk flows can be steered"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Nanos = 1_000_000;
    const MSS: u64 = 1448;

    fn scenario(flow: &str) -> Scenario {
        let text = format!(
            "duration = \"2s\"\n[bottleneck]\nrate = \"10Mbps\"\ndelay = \"20ms\"\nqueue = \"4bdp\"\n\
             [[flows]]\nname = \"a\"\n{flow}\n"
        );
        Scenario::from_toml(&text, &[]).expect("the scenario is accepted")
    }

    fn environment(flow: &str, paces: bool) -> Environment {
        Environment::new(&scenario(flow), Some(1), &["a".to_owned()], paces).expect("the flow can be steered")
    }

    #[test]
    fn a_window_gives_a_window_in_each_round_trip() {
        let mut environment = environment("app = \"bulk\"", false);
        assert!(environment.begin());
        environment.steer(0, Target { cwnd: 5 * MSS, pacing_rate: None });
        assert!(environment.step_before(1000 * MS));
        environment.take(0);
        assert!(environment.step_before(1900 * MS));
        let counts = environment.take(0);
        // A round trip has 40 ms and the times of its packets on the wire, up to six of 1.2 ms, and delivers five segments.
        assert!((19 * 5..=22 * 5).contains(&(counts.delivered / MSS)), "{counts:?}");
        assert_eq!((counts.lost, counts.marked, counts.in_flight), (0, 0, 5 * MSS));
        assert!(counts.rtt_min.is_some_and(|rtt| (40 * MS..46 * MS).contains(&rtt)), "{counts:?}");
    }

    #[test]
    fn a_rate_paces() {
        let mut environment = environment("app = \"bulk\"", true);
        assert!(environment.begin());
        // A segment has 1500 bytes with its headers, so that one leaves every 2 ms.
        environment.steer(0, Target { cwnd: 1 << 40, pacing_rate: Some(Rate::of_bytes(750_000)) });
        assert!(environment.step_before(1000 * MS));
        environment.take(0);
        assert!(environment.step_before(1500 * MS));
        let counts = environment.take(0);
        assert!((247..=253).contains(&(counts.sent / MSS)), "{counts:?}");
        assert!((247..=253).contains(&(counts.delivered / MSS)), "{counts:?}");
    }

    #[test]
    fn a_window_beyond_the_buffer_loses() {
        let mut environment = environment("app = \"bulk\"", false);
        environment.begin();
        environment.steer(0, Target { cwnd: 1000 * MSS, pacing_rate: None });
        assert!(environment.step_before(1900 * MS));
        let counts = environment.take(0);
        assert!(counts.lost > 100 * MSS, "{counts:?}");
        assert!(counts.sent >= counts.delivered + counts.in_flight, "{counts:?}");
    }

    #[test]
    fn stops_change_nothing() {
        let run = |stops: &[Nanos]| {
            let mut environment = environment("app = \"bulk\"\nstart = \"100ms\"", false);
            assert!(environment.begin());
            let started = environment.take(0).started;
            assert!(started.is_some_and(|at| at == environment.now() && at > 100 * MS), "{started:?}");
            environment.steer(0, Target { cwnd: 80 * MSS, pacing_rate: None });
            stops.iter().for_each(|stop| assert!(environment.step_before(*stop)));
            assert!(!environment.step_before(Nanos::MAX));
            assert_eq!(environment.now(), 2000 * MS);
            environment.take(0)
        };
        let whole = run(&[]);
        assert_eq!(whole, run(&[500 * MS, 501 * MS, 1900 * MS]));
        assert!(whole.delivered > 100 * MSS);
    }

    #[test]
    fn flows_that_cannot_be_steered_are_refused() {
        let refused = |flow: &str, name: &str| {
            let error = Environment::new(&scenario(flow), None, &[name.to_owned()], false).err();
            error.expect("the flow is refused").problems.remove(0).message
        };
        assert!(refused("app = \"bulk\"", "b").contains("the names are a"));
        assert!(refused("app = \"bulk\"\ncount = 2", "a").contains("2 copies"));
        assert!(refused("app = { kind = \"transfer\", size = \"1MB\" }", "a").contains("not a bulk flow"));
    }
}
