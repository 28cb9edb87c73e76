//! The tables `live`, `live_segments` and `live_samples`.

use ackclock_core::Nanos;
use ackclock_results::{Row, declared};

use super::player::{NORMAL, Player};
use super::{Live, Segment, Session};
use crate::{AppTables, rate_bps, seconds};

/// The state of a client at a time.
pub(super) struct Sample {
    at: Nanos,
    /// The latency; `None` before playback begins.
    latency: Option<Nanos>,
    buffer: Nanos,
    rate: u64,
    level_bps: Option<u64>,
    stalls: u32,
}

impl Sample {
    /// Returns the state of a client whose player has been advanced to `at`.
    pub fn new(at: Nanos, session: &Session, level_bps: Option<u64>) -> Sample {
        let player = &session.player;
        Sample {
            at,
            latency: player.startup_time().map(|_| session.latency(at)),
            buffer: player.buffer(),
            rate: player.rate(),
            level_bps,
            stalls: player.stalls(),
        }
    }
}

/// Adds the rows of `live_samples`.
pub(super) fn samples(samples: &[Sample], flow: &str, tables: &mut AppTables) {
    for sample in samples {
        declared::LiveSamples {
            flow: flow.into(),
            at_s: seconds(sample.at).into(),
            latency_s: sample.latency.map(seconds).into(),
            buffer_s: seconds(sample.buffer).into(),
            rate: ratio(sample.rate).into(),
            level_bps: sample.level_bps.into(),
            stalls: sample.stalls.into(),
        }
        .add_to(tables);
    }
}

/// Returns a playback rate as a multiple of the normal speed.
pub(crate) fn ratio(rate: u64) -> f64 {
    rate as f64 / NORMAL as f64
}

/// Adds the row of a client in `live`.
pub(super) fn session(live: &Live, flow: &str, now: Nanos, tables: &mut AppTables) {
    let player = live.session.as_ref().map(|session| {
        let mut player = session.player.clone();
        player.advance(now);
        player
    });
    let player = player.as_ref();
    let arrived: Vec<_> = live.segments.iter().filter(|segment| segment.arrival.is_some()).collect();
    let level = |segment: &Segment| live.fields.ladder[segment.level] as f64;
    let count = arrived.len() as f64;
    let mean_level = (count > 0.0).then(|| arrived.iter().map(|segment| level(segment)).sum::<f64>() / count);
    let switches = arrived.windows(2).filter(|pair| pair[0].level != pair[1].level).count();
    let playing = player.map_or(0, Player::playing);
    let latencies = &live.latencies.all;
    let quantile = |part| latencies.quantile(part).map(seconds);
    declared::Live {
        flow: flow.into(),
        segments: arrived.len().into(),
        mean_level_bps: mean_level.into(),
        switches: switches.into(),
        played_s: seconds(player.map_or(0, Player::played)).into(),
        stalls: player.map_or(0, Player::stalls).into(),
        stall_s: seconds(player.map_or(0, Player::stalled)).into(),
        startup_s: player.and_then(Player::startup_time).map(seconds).into(),
        latency_start_s: live.latencies.first.map(seconds).into(),
        latency_mean_s: latencies.mean().map(|mean| mean / 1e9).into(),
        latency_p95_s: quantile(0.95).into(),
        latency_max_s: latencies.max().map(seconds).into(),
        latency_end_s: live.latencies.last.map(seconds).into(),
        rate_mean: (playing > 0).then(|| player.map_or(0, Player::played) as f64 / playing as f64).into(),
        skips: live.session.as_ref().map_or(0, |session| session.skips).into(),
        skipped_s: seconds(live.session.as_ref().map_or(0, |session| session.skipped)).into(),
    }
    .add_to(tables);
}

/// Adds a row of `live_segments` for each segment that was requested. Values that are not yet known are empty.
pub(super) fn segments(live: &Live, flow: &str, tables: &mut AppTables) {
    for (index, segment) in live.segments.iter().enumerate() {
        let arrival = segment.arrival;
        let bytes = segment.cut.bytes();
        declared::LiveSegments {
            flow: flow.into(),
            index: index.into(),
            level_bps: live.fields.ladder[segment.level].into(),
            bytes: bytes.into(),
            request_s: seconds(segment.requested).into(),
            first_byte_s: segment.first_byte.map(seconds).into(),
            done_s: arrival.map(|arrival| seconds(arrival.at)).into(),
            measured_bps: arrival.and_then(|arrival| rate_bps(bytes, arrival.transfer)).into(),
            buffer_s: arrival.map(|arrival| seconds(arrival.buffer)).into(),
            latency_s: arrival.map(|arrival| seconds(arrival.latency)).into(),
            stall_s: arrival.map(|arrival| seconds(arrival.stalled)).into(),
        }
        .add_to(tables);
    }
}
