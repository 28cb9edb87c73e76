//! The tables `moq`, `moq_groups` and `moq_samples`.

use ackclock_core::Nanos;
use ackclock_results::{Row, declared};

use super::Moq;
use super::group::Clock;
use super::viewer::{Sample, Skip};
use crate::live::player::Player;
use crate::live::report::ratio;
use crate::{AppTables, seconds};

/// The playback of the sink up to the end of the run.
struct Played<'a> {
    player: Player,
    first: Nanos,
    skips: &'a [Skip],
    clock: Clock,
}

impl Played<'_> {
    /// Returns how many of the frames that begin in a span of media times were shown, and how many were skipped.
    fn frames(&self, from: Nanos, to: Nanos) -> (u64, u64) {
        let within = |start: Nanos, end: Nanos| self.clock.frames_in(start.max(from), end.min(to).max(start.max(from)));
        let skipped = self.skips.iter().map(|skip| within(skip.from, skip.to)).sum();
        (within(self.first, self.player.position()) - skipped, skipped)
    }
}

fn played(moq: &Moq, now: Nanos) -> Option<Played<'_>> {
    let playback = moq.viewer.playback.as_ref()?;
    let clock = moq.session.as_ref()?.clock?;
    let mut player = playback.player.clone();
    player.advance(now);
    Some(Played { player, first: playback.first, skips: &moq.viewer.skips, clock })
}

/// Adds the row of a flow in `moq`.
pub(super) fn session(moq: &Moq, flow: &str, now: Nanos, tables: &mut AppTables) {
    let played = played(moq, now);
    let player = played.as_ref().map(|played| &played.player);
    let (shown, skipped) = played.as_ref().map_or((0, 0), |played| played.frames(0, Nanos::MAX));
    let written = moq.session.as_ref().map_or(0, |session| session.written);
    let complete = moq.groups.iter().filter(|group| group.complete.is_some()).count();
    let dropped = moq.groups.iter().filter(|group| group.is_gone && group.complete.is_none()).count();
    let playing = player.map_or(0, Player::playing);
    let latencies = &moq.viewer.latencies.all;
    declared::Moq {
        flow: flow.into(),
        groups: moq.groups.len().into(),
        groups_complete: complete.into(),
        groups_dropped: dropped.into(),
        frames: (moq.groups.len().saturating_sub(1) * moq.fields.frames() + written).into(),
        frames_shown: shown.into(),
        frames_skipped: skipped.into(),
        played_s: seconds(player.map_or(0, Player::played)).into(),
        stalls: player.map_or(0, Player::stalls).into(),
        stall_s: seconds(player.map_or(0, Player::stalled)).into(),
        startup_s: player.and_then(Player::startup_time).map(seconds).into(),
        latency_start_s: moq.viewer.latencies.first.map(seconds).into(),
        latency_mean_s: latencies.mean().map(|mean| mean / 1e9).into(),
        latency_p95_s: latencies.quantile(0.95).map(seconds).into(),
        latency_max_s: latencies.max().map(seconds).into(),
        latency_end_s: moq.viewer.latencies.last.map(seconds).into(),
        rate_mean: (playing > 0).then(|| player.map_or(0, Player::played) as f64 / playing as f64).into(),
        skips: moq.viewer.skips.len().into(),
        skipped_s: seconds(moq.viewer.skipped()).into(),
    }
    .add_to(tables);
}

/// Adds a row of `moq_groups` for each group that the source has begun.
pub(super) fn groups(moq: &Moq, flow: &str, now: Nanos, tables: &mut AppTables) {
    let Some(clock) = moq.session.as_ref().and_then(|session| session.clock) else { return };
    let played = played(moq, now);
    for (index, group) in moq.groups.iter().enumerate() {
        let span = (clock.start(index), clock.start(index + 1));
        let (shown, skipped) = played.as_ref().map_or((0, 0), |played| played.frames(span.0, span.1));
        declared::MoqGroups {
            flow: flow.into(),
            index: index.into(),
            bytes: group.bytes().into(),
            start_s: seconds(span.0).into(),
            frames_arrived: group.received.into(),
            frames_shown: shown.into(),
            frames_skipped: skipped.into(),
            done_s: group.complete.map(seconds).into(),
            reset_s: group.reset.map(seconds).into(),
        }
        .add_to(tables);
    }
}

/// Adds the rows of `moq_samples`.
pub(super) fn samples(samples: &[Sample], flow: &str, tables: &mut AppTables) {
    for sample in samples {
        declared::MoqSamples {
            flow: flow.into(),
            at_s: seconds(sample.at).into(),
            latency_s: sample.latency.map(seconds).into(),
            buffer_s: seconds(sample.buffer).into(),
            rate: ratio(sample.rate).into(),
            stalls: sample.stalls.into(),
            skipped_s: seconds(sample.skipped).into(),
        }
        .add_to(tables);
    }
}
