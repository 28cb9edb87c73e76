//! Choices of an endpoint from a fuzzer's bytes.

use ackclock_tcp::config::{EcnMode, InitialWindow, Keepalive, Restart, RtoRule, WindowUnit};
use ackclock_tcp::pacing::Pacing;
use ackclock_tcp::{Config, MILLISECOND, SECOND, cc, recovery, slow_start, stack, validation};
use arbitrary::{Result, Unstructured};

/// Returns a stack with any of its choices replaced, so that every rule can be combined with every other.
pub fn config(u: &mut Unstructured<'_>) -> Result<Config> {
    let stack = (u.choose(stack::CATALOGUE)?.config)();
    let switches: u16 = u.arbitrary()?;
    let on = |bit: u32| switches >> bit & 1 == 1;
    let pacing = Pacing::Fq { slow_start_percent: 200, avoidance_percent: 120, quantum: 2 * 1514, initial: 0 };
    let restarts = [Restart::Off, Restart::Rfc5681, Restart::LowersSsthresh, Restart::RaisesSsthresh];
    let modes = [EcnMode::Off, EcnMode::Passive, EcnMode::Classic, EcnMode::Accurate, EcnMode::Dctcp, EcnMode::L4s];
    let [one, two, three, many] = [1, 2, 3, 100].map(InitialWindow::Segments);
    let windows = [one, two, three, InitialWindow::Rfc6928, many];
    let keepalive = Keepalive { idle: 5 * SECOND, interval: SECOND, probes: 9 };
    let receive_buffer = *u.choose(&[1 << 12, 60_000, 1 << 17, 1 << 28])?;
    let restart = *u.choose(&restarts)?;
    let validation = u.choose(validation::CATALOGUE)?;
    Ok(Config {
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
        timestamps: on(0),
        sack: on(1),
        dsack: on(2),
        adapt_dup_thresh: on(3),
        limited_transmit: on(4),
        early_retransmit: on(5),
        rack: on(6),
        tlp: on(7),
        frto: on(8),
        dsack_undo: on(9),
        eifel: on(10),
        abe: on(11),
        nagle: on(12),
        pacing: if on(13) { pacing } else { Pacing::Off },
        retransmit_restarts_timer: on(15),
        window_unit: *u.choose(&[WindowUnit::Bytes, WindowUnit::Segments])?,
        write_size: *u.choose(&[0, 700, 1 << 16])?,
        handshake_data: u.arbitrary()?,
        keepalive: on(14).then_some(keepalive),
        ..stack
    })
}
