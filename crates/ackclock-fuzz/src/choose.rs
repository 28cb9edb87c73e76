//! Choices of an endpoint from a fuzzer's bytes.

use ackclock_tcp::config::{EcnMode, InitialWindow, Keepalive, NagleRule, Restart, RtoRule, WindowUnit};
use ackclock_tcp::pacing::Pacing;
use ackclock_tcp::{Config, MILLISECOND, SECOND, cc, recovery, settings, slow_start, stack, validation};
use arbitrary::{Result, Unstructured};

/// Returns a stack with any of its choices replaced, so that every rule can be combined with every other.
pub fn config(u: &mut Unstructured<'_>) -> Result<Config> {
    let stack = (u.choose(stack::CATALOGUE)?.config)();
    let switches: u32 = u.arbitrary()?;
    let on = |bit: u32| switches >> bit & 1 == 1;
    let pacing = Pacing::Fq { slow_start_percent: 200, avoidance_percent: 120, quantum: 2 * 1514, initial: 0 };
    let restarts = [
        Restart::Off,
        Restart::Rfc5681,
        Restart::LowersSsthresh,
        Restart::RaisesSsthresh,
        Restart::FreeBsd,
        Restart::FreeBsd10,
    ];
    let modes = [EcnMode::Off, EcnMode::Passive, EcnMode::Classic, EcnMode::Accurate, EcnMode::Dctcp, EcnMode::L4s];
    let [one, two, three, many] = [1, 2, 3, 100].map(InitialWindow::Segments);
    let windows = [one, two, three, InitialWindow::Rfc6928, many];
    let keepalive = Keepalive { idle: 5 * SECOND, interval: SECOND, probes: 9 };
    let receive_buffer = *u.choose(&[1 << 12, 60_000, 1 << 17, 1 << 28])?;
    let restart = *u.choose(&restarts)?;
    let validation = u.choose(validation::CATALOGUE)?;
    let mut config = Config {
        mss: *u.choose(&[64, 536, 1000, 1460, 9000])?,
        initial_window: *u.choose(&windows)?,
        initial_rto: *u.choose(&[SECOND, 3 * SECOND])?,
        min_rto: *u.choose(&[30 * MILLISECOND, 200 * MILLISECOND, SECOND])?,
        rto_rule: *u.choose(&[RtoRule::Rfc6298, RtoRule::Linux, RtoRule::Ns2])?,
        cc: u.choose(cc::CATALOGUE)?.into(),
        slow_start: u.choose(slow_start::CATALOGUE)?,
        validation,
        restart: if validation.replaces_restart { Restart::Off } else { restart },
        recovery: u.choose(recovery::CATALOGUE)?.recovery,
        ecn: *u.choose(&modes)?,
        dup_thresh: *u.choose(&[1, 3, 10])?,
        delayed_ack: *u.choose(&[0, 40 * MILLISECOND, 200 * MILLISECOND])?,
        quick_acks: *u.choose(&[0, 16])?,
        receive_buffer,
        receive_buffer_max: *u.choose(&[receive_buffer, 1 << 28])?,
        pacing: if on(30) { pacing } else { Pacing::Off },
        nagle_rule: *u.choose(&[NagleRule::Rfc9293, NagleRule::Minshall, NagleRule::FreeBsd])?,
        window_unit: *u.choose(&[WindowUnit::Bytes, WindowUnit::Segments])?,
        write_size: *u.choose(&[0, 700, 1 << 16])?,
        keepalive: on(31).then_some(keepalive),
        ..stack
    };
    settings::set_switches(&mut config, switches.into());
    Ok(config)
}
