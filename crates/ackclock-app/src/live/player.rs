//! The player of a live client: a position in the presentation that moves at a variable speed through the media that
//! has arrived. The player has no side effects and counts integer nanoseconds of media and of time.

use ackclock_core::Nanos;

/// Playback rates count in millionths: this is the speed at which the event happened.
pub(crate) const NORMAL: u64 = 1_000_000;

/// State of the player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    /// Playback has not begun.
    Starting,
    /// The position moves at the playback rate.
    Playing,
    /// The position has reached the end of the media that has arrived, or was moved beyond it.
    Stalled,
}

/// A player, with its history up to its clock.
///
/// At any time `startup_time + playing + stalled` is the time since the player was created.
#[derive(Clone, Debug)]
pub(crate) struct Player {
    startup: Nanos,
    resume: Nanos,
    phase: Phase,
    clock: Nanos,
    /// Media time that is shown, or will be shown next.
    position: Nanos,
    /// Media time up to which all media from the position on has arrived.
    end: Nanos,
    /// Playback rate in millionths.
    rate: u64,
    /// Media that was played and is less than a nanosecond, in millionths.
    fraction: u64,
    startup_time: Nanos,
    playing: Nanos,
    played: Nanos,
    stalled: Nanos,
    stalls: u32,
}

impl Player {
    /// Creates a player at `now` that will show the media from `position` on. Playback begins with `startup` of media
    /// behind the position, and resumes after a stall with `resume` of media.
    pub fn new(now: Nanos, position: Nanos, startup: Nanos, resume: Nanos) -> Player {
        Player {
            startup,
            resume,
            phase: Phase::Starting,
            clock: now,
            position,
            end: 0,
            rate: NORMAL,
            fraction: 0,
            startup_time: 0,
            playing: 0,
            played: 0,
            stalled: 0,
            stalls: 0,
        }
    }

    /// Plays until `now`. Media that arrives at the very time at which the media runs out is in time.
    pub fn advance(&mut self, now: Nanos) {
        let mut elapsed = now.saturating_sub(self.clock);
        self.clock = self.clock.max(now);
        if self.phase == Phase::Playing {
            let left = u128::from(self.buffer()) * u128::from(NORMAL) - u128::from(self.fraction);
            let most = u128::from(elapsed) * u128::from(self.rate);
            if most <= left {
                self.play(most);
                self.playing += elapsed;
                elapsed = 0;
            } else {
                // The last nanosecond of media may end within a nanosecond of time.
                let time = left.div_ceil(u128::from(self.rate)) as Nanos;
                self.play(left);
                self.playing += time;
                elapsed -= time;
                if elapsed > 0 {
                    self.phase = Phase::Stalled;
                    self.stalls += 1;
                }
            }
        }
        match self.phase {
            Phase::Starting => self.startup_time += elapsed,
            Phase::Stalled => self.stalled += elapsed,
            Phase::Playing => {}
        }
    }

    /// Moves the position by media in millionths of a nanosecond.
    fn play(&mut self, media: u128) {
        let media = media + u128::from(self.fraction);
        let whole = (media / u128::from(NORMAL)) as Nanos;
        self.fraction = (media % u128::from(NORMAL)) as u64;
        self.position += whole;
        self.played += whole;
    }

    /// Notes that all media up to the media time `end` has arrived at `now`.
    pub fn append(&mut self, now: Nanos, end: Nanos) {
        self.advance(now);
        self.end = self.end.max(end);
        match self.phase {
            Phase::Starting if self.buffer() >= self.startup => self.phase = Phase::Playing,
            Phase::Stalled if self.buffer() >= self.resume => self.phase = Phase::Playing,
            _ => {}
        }
    }

    /// Moves the position forward to a media time at `now`. Media before it will not be shown. Playback stops until
    /// media from this time on has arrived.
    pub fn seek(&mut self, now: Nanos, position: Nanos) {
        self.advance(now);
        self.position = self.position.max(position);
        self.fraction = 0;
        if self.phase == Phase::Playing && self.buffer() == 0 {
            self.phase = Phase::Stalled;
            self.stalls += 1;
        }
    }

    /// Changes the playback rate, in millionths, from the clock's time on.
    pub fn set_rate(&mut self, rate: u64) {
        self.rate = rate;
    }

    /// Returns the state of the player.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Returns the playback rate in millionths.
    pub fn rate(&self) -> u64 {
        self.rate
    }

    /// Returns the media time that is shown.
    pub fn position(&self) -> Nanos {
        self.position
    }

    /// Returns the media that has arrived and was not played.
    pub fn buffer(&self) -> Nanos {
        self.end.saturating_sub(self.position)
    }

    /// Returns the media that was played.
    pub fn played(&self) -> Nanos {
        self.played
    }

    /// Returns the time in which media was played.
    pub fn playing(&self) -> Nanos {
        self.playing
    }

    /// Returns the time until playback began; `None` if playback has not begun.
    pub fn startup_time(&self) -> Option<Nanos> {
        (self.phase != Phase::Starting).then_some(self.startup_time)
    }

    /// Returns the time spent in stalls, including a current one.
    pub fn stalled(&self) -> Nanos {
        self.stalled
    }

    /// Returns the number of stalls, including a current one.
    pub fn stalls(&self) -> u32 {
        self.stalls
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player() -> Player {
        Player::new(0, 100, 10, 20)
    }

    #[test]
    fn playback_begins_with_media_behind_the_position() {
        let mut player = player();
        player.append(5, 100);
        player.append(7, 109);
        assert_eq!((player.phase(), player.buffer(), player.startup_time()), (Phase::Starting, 9, None));
        player.append(8, 110);
        player.advance(12);
        assert_eq!((player.position(), player.buffer(), player.startup_time()), (104, 6, Some(8)));
    }

    #[test]
    fn media_is_played_at_the_rate_and_nothing_is_lost_to_rounding() {
        let mut player = player();
        player.append(0, 1_000_000);
        player.set_rate(1_040_000);
        (1..=1000).for_each(|now| player.advance(now));
        assert_eq!((player.played(), player.playing()), (1040, 1000));
        player.set_rate(960_000);
        (1001..=2000).for_each(|now| player.advance(now));
        assert_eq!((player.played(), player.playing()), (2000, 2000));
    }

    #[test]
    fn a_stall_begins_when_the_media_runs_out_and_ends_with_the_resume_level() {
        let mut player = player();
        player.append(0, 110);
        player.advance(10);
        assert_eq!((player.phase(), player.stalls(), player.buffer()), (Phase::Playing, 0, 0));
        player.append(15, 120);
        assert_eq!((player.phase(), player.stalls(), player.stalled()), (Phase::Stalled, 1, 5));
        player.append(18, 130);
        player.advance(20);
        assert_eq!((player.phase(), player.stalled(), player.position()), (Phase::Playing, 8, 112));
        // At twice the speed, the 18 left last for 9.
        player.set_rate(2 * NORMAL);
        player.advance(31);
        assert_eq!((player.stalls(), player.stalled(), player.position(), player.playing()), (2, 10, 130, 21));
    }

    #[test]
    fn a_seek_skips_media_and_stops_playback_until_there_is_some() {
        let mut player = player();
        player.append(0, 130);
        player.seek(10, 120);
        assert_eq!((player.phase(), player.buffer(), player.played()), (Phase::Playing, 10, 10));
        player.seek(12, 200);
        assert_eq!((player.phase(), player.stalls(), player.played()), (Phase::Stalled, 1, 12));
        player.append(20, 225);
        player.advance(21);
        assert_eq!((player.position(), player.stalled(), player.stalls()), (201, 8, 1));
    }
}
