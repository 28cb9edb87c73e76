//! The player of a DASH client: a buffer of media that fills by whole segments and drains in real time. The player has
//! no side effects and counts integer nanoseconds of media and of time.

use ackclock_core::Nanos;

/// State of the player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// The buffer does not yet hold enough media to begin.
    Starting,
    /// The buffer drains at one second of media per second.
    Playing,
    /// The buffer ran empty in mid-presentation; the player needs more media to go on.
    Stalled,
    /// All of the presentation has been played.
    Ended,
}

/// A player, with its history up to its clock.
///
/// Two sums hold at any time: `played + buffer = downloaded`, and until the presentation ends `startup_time + played +
/// stalled` is the time since the player was created.
#[derive(Clone, Debug)]
pub struct Player {
    startup: Nanos,
    resume: Nanos,
    phase: Phase,
    clock: Nanos,
    complete: bool,
    buffer: Nanos,
    downloaded: Nanos,
    startup_time: Nanos,
    played: Nanos,
    stalled: Nanos,
    stalls: u32,
}

impl Player {
    /// Creates a player at `now` that begins once it has `startup` of media and resumes after a stall once it has
    /// `resume`.
    pub fn new(now: Nanos, startup: Nanos, resume: Nanos) -> Player {
        Player {
            startup,
            resume,
            phase: Phase::Starting,
            clock: now,
            complete: false,
            buffer: 0,
            downloaded: 0,
            startup_time: 0,
            played: 0,
            stalled: 0,
            stalls: 0,
        }
    }

    /// Plays until `now`. A buffer that runs empty at `now` itself is not yet a stall: media that arrives at that
    /// instant is in time.
    pub fn advance(&mut self, now: Nanos) {
        let mut elapsed = now.saturating_sub(self.clock);
        self.clock = self.clock.max(now);
        if self.phase == Phase::Playing {
            let played = elapsed.min(self.buffer);
            self.played += played;
            self.buffer -= played;
            elapsed -= played;
            if self.complete && self.buffer == 0 {
                self.phase = Phase::Ended;
            } else if elapsed > 0 {
                self.phase = Phase::Stalled;
                self.stalls += 1;
            }
        }
        match self.phase {
            Phase::Starting => self.startup_time += elapsed,
            Phase::Stalled => self.stalled += elapsed,
            Phase::Playing | Phase::Ended => {}
        }
    }

    /// Adds a segment with `media` of playing time, which arrives at `now`.
    pub fn append(&mut self, now: Nanos, media: Nanos) {
        self.advance(now);
        self.buffer += media;
        self.downloaded += media;
        match self.phase {
            Phase::Starting if self.buffer >= self.startup => self.phase = Phase::Playing,
            Phase::Stalled if self.buffer >= self.resume => self.phase = Phase::Playing,
            _ => {}
        }
    }

    /// Notes that no more segments arrive after `now`: the buffered media is played, however little it is.
    pub fn complete(&mut self, now: Nanos) {
        self.advance(now);
        self.complete = true;
        self.phase = if self.buffer > 0 { Phase::Playing } else { Phase::Ended };
    }

    /// Returns the earliest time, not before the clock, at which the buffer has drained to `level`. Returns the clock's
    /// time where playback stands still, because only more media makes it continue.
    pub fn drained_to(&self, level: Nanos) -> Nanos {
        match self.phase {
            Phase::Playing => self.clock.saturating_add(self.buffer.saturating_sub(level)),
            Phase::Starting | Phase::Stalled | Phase::Ended => self.clock,
        }
    }

    /// Returns the state of the player.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Returns the media in the buffer.
    pub fn buffer(&self) -> Nanos {
        self.buffer
    }

    /// Returns the media received in total.
    pub fn downloaded(&self) -> Nanos {
        self.downloaded
    }

    /// Returns the media played in total.
    pub fn played(&self) -> Nanos {
        self.played
    }

    /// Returns the time until playback began; `None` if it has not begun.
    pub fn startup_time(&self) -> Option<Nanos> {
        (self.phase != Phase::Starting).then_some(self.startup_time)
    }

    /// Returns the time in which playback stood still: before it began, and in stalls.
    pub fn still(&self) -> Nanos {
        self.startup_time + self.stalled
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

    #[test]
    fn begins_with_the_startup_level_and_not_before() {
        let mut player = Player::new(100, 20, 10);
        player.append(130, 10);
        assert_eq!((player.phase(), player.startup_time()), (Phase::Starting, None));
        player.append(150, 10);
        assert_eq!((player.phase(), player.startup_time()), (Phase::Playing, Some(50)));
        player.advance(160);
        assert_eq!((player.played(), player.buffer(), player.startup_time()), (10, 10, Some(50)));
        player.advance(175);
        assert_eq!((player.stalled(), player.still()), (5, 55));
    }

    #[test]
    fn a_segment_at_the_very_moment_the_buffer_runs_out_is_in_time() {
        let mut player = Player::new(0, 10, 10);
        player.append(0, 10);
        player.append(10, 10);
        assert_eq!((player.stalls(), player.stalled(), player.played()), (0, 0, 10));
        player.append(21, 10);
        assert_eq!((player.stalls(), player.stalled(), player.played()), (1, 1, 20), "one nanosecond late is a stall");
    }

    #[test]
    fn goes_on_after_a_stall_with_the_resume_level() {
        let mut player = Player::new(0, 10, 25);
        player.append(0, 10);
        player.append(15, 10);
        player.append(20, 10);
        assert_eq!((player.phase(), player.stalled(), player.buffer()), (Phase::Stalled, 10, 20));
        player.append(32, 10);
        assert_eq!((player.phase(), player.stalled(), player.stalls()), (Phase::Playing, 22, 1));
        player.advance(40);
        assert_eq!((player.played(), player.buffer(), player.stalled()), (18, 22, 22));
    }

    #[test]
    fn the_end_of_the_presentation_is_no_stall() {
        let mut player = Player::new(0, 10, 10);
        player.append(0, 10);
        player.complete(5);
        player.advance(50);
        assert_eq!((player.phase(), player.stalls(), player.played()), (Phase::Ended, 0, 10));
    }

    #[test]
    fn a_presentation_shorter_than_the_startup_level_is_played() {
        let mut player = Player::new(0, 30, 10);
        player.append(7, 10);
        player.complete(7);
        player.advance(20);
        assert_eq!((player.phase(), player.startup_time(), player.played()), (Phase::Ended, Some(7), 10));
    }

    #[test]
    fn drains_only_while_playing() {
        let mut player = Player::new(0, 20, 10);
        player.append(3, 10);
        assert_eq!(player.drained_to(5), 3, "starting: nothing drains, so there is no point in waiting");
        player.append(4, 10);
        assert_eq!(player.drained_to(5), 19);
        assert_eq!(player.drained_to(20), 4);
    }
}
