//! The sink: the media that it plays, and the media that it skips.

use ackclock_core::Nanos;

use super::fields::Fields;
use super::group::{Clock, Group};
use crate::live::catchup::Inputs;
use crate::live::latency::Latencies;
use crate::live::player::{NORMAL, Player};

/// Media that was skipped: the media times from which and to which the sink went on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Skip {
    pub from: Nanos,
    pub to: Nanos,
}

/// The state of playback at a time.
pub(super) struct Sample {
    pub at: Nanos,
    /// The latency; `None` before playback begins.
    pub latency: Option<Nanos>,
    pub buffer: Nanos,
    pub rate: u64,
    pub stalls: u32,
    pub skipped: Nanos,
}

/// The player, and the group up to which it has all media.
pub(super) struct Playback {
    pub player: Player,
    clock: Clock,
    /// Media time of the first frame that is played.
    pub first: Nanos,
    /// The group in which the media ends that has arrived without a gap.
    reaches: usize,
    /// Whether the time to begin has come.
    begins: bool,
    /// Number of stalls up to the last look, and whether the buffer has not recovered since.
    seen: u32,
    recovering: bool,
}

/// The sink.
#[derive(Default)]
pub(super) struct Viewer {
    started: Nanos,
    pub playback: Option<Playback>,
    pub skips: Vec<Skip>,
    pub latencies: Latencies,
    pub samples: Vec<Sample>,
}

/// A time at which the sink wants to be called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wish {
    /// The time at which playback may begin.
    Begin(Nanos),
    /// The time at which the media runs out that precedes dropped frames.
    RunOut(Nanos),
}

impl Playback {
    /// Returns the time from an event to its playback.
    pub fn latency(&self, now: Nanos) -> Nanos {
        now.saturating_sub(self.player.position())
    }

    /// Gives the player the media that has arrived without a gap.
    fn extend(&mut self, now: Nanos, groups: &[Group], frames: usize) {
        while let Some(group) = groups.get(self.reaches) {
            if group.received > 0 {
                self.player.append(now, self.clock.end(self.reaches, group.received));
            }
            if group.received < frames || self.reaches + 1 >= groups.len() {
                return;
            }
            self.reaches += 1;
        }
    }

    /// Moves to the begin of a group of which frames have arrived.
    fn jump(&mut self, now: Nanos, to: usize, groups: &[Group], frames: usize) -> Skip {
        self.reaches = self.reaches.max(to);
        // The media comes first, so that a player that need not wait does not stall.
        self.extend(now, groups, frames);
        let skip = Skip { from: self.player.position(), to: self.clock.start(to) };
        self.player.seek(now, skip.to);
        skip
    }

    /// Returns the next group with frames after those that are missing, if the player has played all before them.
    fn after_drop(&self, groups: &[Group], frames: usize) -> Option<usize> {
        let group = groups.get(self.reaches)?;
        if !group.is_gone || group.received == frames || self.player.buffer() > 0 {
            return None;
        }
        (self.reaches + 1..groups.len()).find(|next| groups[*next].received > 0)
    }

    /// Returns the group to skip to for a lower latency: the newest of which frames have arrived and whose begin is not
    /// after the target, otherwise the oldest after the position.
    fn nearer(&self, target: Nanos, groups: &[Group]) -> Option<usize> {
        let position = self.player.position();
        let after = |group: &usize| self.clock.start(*group) > position && groups[*group].received > 0;
        let newest = (0..groups.len()).rev().find(|group| after(group) && self.clock.start(*group) <= target);
        newest.or_else(|| (0..groups.len()).find(after))
    }
}

impl Viewer {
    /// Creates the sink of a flow that starts at `now`.
    pub fn new(now: Nanos) -> Viewer {
        Viewer { started: now, ..Viewer::default() }
    }

    /// Takes note of frames of a group that have arrived.
    pub fn on_frames(&mut self, now: Nanos, clock: Clock, group: usize, fields: &Fields) -> Option<Wish> {
        if self.playback.is_some() {
            return None;
        }
        let first = clock.start(group);
        let player = Player::new(self.started, first, fields.frame, fields.frame);
        let playback = Playback { player, clock, first, reaches: group, begins: false, seen: 0, recovering: false };
        self.playback = Some(playback);
        Some(Wish::Begin(first.saturating_add(fields.latency).max(now)))
    }

    /// Lets playback begin with the next frame that is there.
    pub fn begin(&mut self) {
        if let Some(playback) = &mut self.playback {
            playback.begins = true;
        }
    }

    /// Plays until `now`, with the frames that have arrived, and skips what will not come or comes too late.
    pub fn follow(&mut self, now: Nanos, groups: &[Group], fields: &Fields) -> Option<Wish> {
        let frames = fields.frames();
        let playback = self.playback.as_mut().filter(|playback| playback.begins)?;
        playback.player.advance(now);
        playback.extend(now, groups, frames);
        while let Some(next) = playback.after_drop(groups, frames) {
            self.skips.push(playback.jump(now, next, groups, frames));
        }
        if let Some(most) = fields.max_drift
            && playback.latency(now) > fields.latency.saturating_add(most)
            && let Some(next) = playback.nearer(now.saturating_sub(fields.latency), groups)
        {
            self.skips.push(playback.jump(now, next, groups, frames));
        }
        self.control(now, fields);
        let playback = self.playback.as_ref()?;
        let buffer = playback.player.buffer();
        let waits = groups.get(playback.reaches).is_some_and(|group| group.is_gone && group.received < frames);
        let time = (u128::from(buffer) * u128::from(NORMAL)).div_ceil(playback.player.rate().into()) as Nanos;
        (waits && buffer > 0).then(|| Wish::RunOut(now.saturating_add(time)))
    }

    /// Lets the playback rate follow the latency.
    fn control(&mut self, now: Nanos, fields: &Fields) {
        let Some(playback) = &mut self.playback else { return };
        let player = &mut playback.player;
        if player.stalls() > playback.seen {
            (playback.seen, playback.recovering) = (player.stalls(), true);
        } else if player.buffer() > fields.latency / 2 {
            playback.recovering = false;
        }
        let seconds = |time: Nanos| time as f64 / 1e9;
        let inputs = Inputs {
            latency: seconds(now.saturating_sub(player.position())),
            target: seconds(fields.latency),
            buffer: seconds(player.buffer()),
            recovering: playback.recovering,
        };
        player.set_rate(fields.control().next(player.rate(), inputs));
    }

    /// Records the latency, if playback has begun.
    pub fn record(&mut self, now: Nanos) {
        if let Some(playback) = &self.playback
            && playback.player.startup_time().is_some()
        {
            self.latencies.record(playback.latency(now));
        }
    }

    /// Takes a row of `moq_samples`.
    pub fn sample(&mut self, at: Nanos) {
        let playing = self.playback.as_ref().filter(|playback| playback.player.startup_time().is_some());
        self.samples.push(Sample {
            at,
            latency: playing.map(|playback| playback.latency(at)),
            buffer: playing.map_or(0, |playback| playback.player.buffer()),
            rate: playing.map_or(NORMAL, |playback| playback.player.rate()),
            stalls: playing.map_or(0, |playback| playback.player.stalls()),
            skipped: self.skipped(),
        });
    }

    /// Returns the media that was skipped.
    pub fn skipped(&self) -> Nanos {
        self.skips.iter().map(|skip| skip.to - skip.from).sum()
    }
}
