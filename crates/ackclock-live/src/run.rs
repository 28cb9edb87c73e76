//! A run from a scenario to its tables.

use std::fmt;
use std::io;
use std::os::fd::AsRawFd;
use std::sync::{Arc, Mutex};
use std::thread;

use ackclock_core::Nanos;
use ackclock_emu::{Devices, Emulation, Forwarder, Lateness, Passing, Seen, Waiter, clock, forward};
use ackclock_results::Tables;
use ackclock_scenario::{Scenario, ScenarioError};
use ackclock_sim::actors::actors;
use ackclock_sim::series::{Instants, Rates};
use rustix::pipe::{PipeFlags, pipe_with};

use crate::flow::{Flow, Places};
use crate::kernel::{self, Counters, Wanted};
use crate::samples::{Sampler, Samples};
use crate::world::World;

/// Priority of the thread that forwards, among those that run before all others (SCHED_FIFO).
const PRIORITY: i32 = 50;

/// Reason for which a run failed.
#[derive(Debug)]
pub enum Failed {
    /// Parameters with which an application cannot run.
    Scenario(ScenarioError),
    /// The system's error.
    System(io::Error),
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Failed {
        Failed::System(error)
    }
}

impl From<rustix::io::Errno> for Failed {
    fn from(error: rustix::io::Errno) -> Failed {
        Failed::System(error.into())
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failed::Scenario(error) => write!(f, "{error:?}"),
            Failed::System(error) => error.fmt(f),
        }
    }
}

/// The output of a run.
pub struct Output {
    /// Tables by name: `flows`, `links`, those of applications, and those that the scenario's probes ask for.
    pub tables: Tables,
    /// Lateness of the packets that left the network.
    pub lateness: Lateness,
    /// Counts of packets.
    pub seen: Seen,
    /// Smallest propagation delay of both routes of a flow, in ns.
    pub rtt: Nanos,
}

/// A flow's settings, the places of its ends, and its TUN devices at the source's and at the sink's side.
pub struct Member {
    /// Settings that the flow asks of the kernel.
    pub wanted: Wanted,
    /// Places of the flow's ends.
    pub places: Places,
    /// File descriptors of the flow's devices.
    pub devices: [i32; 2],
}

/// Runs a scenario over the kernel's sockets, whose clock is real or virtual. There is one member for each copy of a flow.
///
/// # Errors
/// Parameters with which an application cannot run, and the system's errors.
pub fn run(scenario: &Scenario, seed: u64, members: Vec<Member>, passing: Passing) -> Result<Output, Failed> {
    let actors = actors(scenario, seed).map_err(Failed::Scenario)?;
    let mut emulation = Emulation::new(scenario, seed).map_err(Failed::Scenario)?;
    if members.len() != actors.len() {
        let message = format!("{} places for {} flows", members.len(), actors.len());
        return Err(io::Error::other(message).into());
    }
    let rtt = (0..emulation.flows()).map(|flow| emulation.rtt(flow)).min().unwrap_or(0);
    let pairs: Vec<_> =
        (0..).zip(&members).map(|(flow, member)| (flow, member.devices[0], member.devices[1])).collect();
    let (hears, tells) = pipe_with(PipeFlags::CLOEXEC)?;
    let devices = Devices::of_numbers(&pairs, hears.as_raw_fd())?;
    let mut flows = Vec::new();
    for (actor, member) in actors.into_iter().zip(members) {
        kernel::enter(&member.places.namespaces[0])?;
        flows.push(Flow::new(actor, member.wanted, member.places, Counters::present()?));
    }
    let names: Vec<_> = flows.iter().map(|flow| flow.labels.name.clone()).collect();
    let probes = &scenario.probes;
    let to = probes.to.unwrap_or(scenario.duration);
    let instants = Instants { from: probes.from, interval: probes.interval, to };
    let rates = probes.rates.then(|| Rates::new(instants, flows.len()));
    let samples = probes.window.then(|| Arc::new(Mutex::new(Samples::new(instants))));
    let sampler = Sampler(samples.clone());
    let start = clock();
    let waiter = match passing {
        Passing::Virtual => {
            hurry();
            Waiter::precise()?
        }
        Passing::Real => Waiter::new()?,
    };
    let mut world = World::new(flows, start, waiter, samples.clone(), rates, probes.limits == Some(true))?;
    let (lateness, emulation, ran) = match passing {
        Passing::Virtual => {
            let mut sampler = sampler;
            let network = Forwarder::new(&mut emulation, &devices, start, passing);
            let lateness = world.run_with(scenario.duration, network, &mut sampler)?;
            (lateness, emulation, world.report(scenario.duration))
        }
        Passing::Real => {
            let forwarder = thread::spawn(move || {
                let mut sampler = sampler;
                hurry();
                let forwarded = forward(&mut emulation, &devices, start, &mut sampler, None);
                forwarded.map(|(_, lateness)| (lateness, emulation))
            });
            let ran = world.run(scenario.duration).and_then(|()| world.report(scenario.duration));
            drop(tells);
            let forwarded = forwarder.join().map_err(|_| io::Error::other("the emulator panicked"))?;
            let (lateness, emulation) = forwarded?;
            (lateness, emulation, ran)
        }
    };
    let seen = emulation.seen();
    let mut tables = ran?;
    tables.extend(emulation.finish());
    if let Some(samples) = samples.and_then(Arc::into_inner) {
        let samples = samples.into_inner().map_err(|_| io::Error::other("the emulator panicked"))?;
        tables.insert("window", samples.table(&names)?);
    }
    Ok(Output { tables, lateness, seen, rtt })
}

/// Lets the calling thread run before all others, where that is allowed.
fn hurry() {
    let parameters = libc::sched_param { sched_priority: PRIORITY };
    // SAFETY: the pointer is to a value that lives until the call returns; thread 0 is the calling one.
    #[expect(unsafe_code, reason = "nothing safe sets the policy of scheduling")]
    let _ = unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) };
}
