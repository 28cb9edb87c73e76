//! Groups of pictures: when their frames are made, and where they are in a stream.

use ackclock_core::Nanos;

/// The clock of a video whose media time is the time of the run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    pub group: Nanos,
    pub frame: Nanos,
    /// Time from the end of a frame's recording until the source has the frame.
    pub encode: Nanos,
    /// Number of the group with which the subscription begins.
    pub first: u64,
}

impl Clock {
    /// Returns the media time at which a group begins. Groups are counted from the first of the subscription.
    pub fn start(&self, group: usize) -> Nanos {
        (self.first + group as u64).saturating_mul(self.group)
    }

    /// Returns the media time at which the first `frames` frames of a group end.
    pub fn end(&self, group: usize, frames: usize) -> Nanos {
        self.start(group).saturating_add((frames as u64).saturating_mul(self.frame))
    }

    /// Returns the time at which the source has a frame.
    pub fn made_at(&self, group: usize, frame: usize) -> Nanos {
        self.end(group, frame + 1).saturating_add(self.encode)
    }

    /// Returns the number of frames that begin in a span of media times. Frames begin at multiples of their playing time,
    /// because a group is a whole number of them.
    pub fn frames_in(&self, from: Nanos, to: Nanos) -> u64 {
        to.div_ceil(self.frame).saturating_sub(from.div_ceil(self.frame))
    }
}

/// A group of pictures, as source and sink know it.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Bytes of its stream up to the end of each frame, headers included.
    ends: Vec<u64>,
    /// Bytes of the groups before it.
    pub offset: u64,
    /// Frames that have arrived, and the time at which the last of all frames arrived.
    pub received: usize,
    pub complete: Option<Nanos>,
    /// Whether the source knows that all of it has arrived.
    pub delivered: bool,
    /// Time at which the source reset its stream.
    pub reset: Option<Nanos>,
    /// Whether the sink knows of that.
    pub is_gone: bool,
}

impl Group {
    /// Cuts a group of `bytes` into frames, of which the first has `key` times the size of another. Each has at least one
    /// byte. `number` is the number of the group in the video.
    pub fn new(number: u64, bytes: u64, frames: usize, key: f64, offset: u64) -> Group {
        let others = frames as u64 - 1;
        let bytes = bytes.max(frames as u64);
        let first = (libm::round(bytes as f64 * key / (key + others as f64)) as u64).clamp(1, bytes - others);
        let rest = bytes - first;
        let upto = |count: u64| (u128::from(rest) * u128::from(count) / u128::from(others.max(1))) as u64;
        let mut end = header(number);
        let ends = (0..frames as u64).map(|frame| {
            let payload = if frame == 0 { first } else { upto(frame) - upto(frame - 1) };
            end += varint(frame) + varint(payload) + payload;
            end
        });
        Group {
            ends: ends.collect(),
            offset,
            received: 0,
            complete: None,
            delivered: false,
            reset: None,
            is_gone: false,
        }
    }

    /// Returns the bytes of the group.
    pub fn bytes(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Returns the bytes that the source writes when it has a frame.
    pub fn written(&self, frame: usize) -> u64 {
        self.ends[frame] - if frame > 0 { self.ends[frame - 1] } else { 0 }
    }

    /// Takes note that the first `total` bytes of the group have arrived. Returns whether another frame is complete.
    pub fn arrive(&mut self, now: Nanos, total: u64) -> bool {
        let before = self.received;
        self.received += self.ends[before..].iter().take_while(|end| **end <= total).count();
        if self.received == self.ends.len() {
            self.complete.get_or_insert(now);
        }
        self.received > before
    }
}

/// Returns the bytes of the header of a stream (draft-ietf-moq-transport-11, section 9.4.2): type, track alias and
/// subgroup ID of one byte each, the group ID, and a byte for the publisher's priority.
fn header(number: u64) -> u64 {
    4 + varint(number)
}

/// Returns the bytes of an integer of variable length (RFC 9000, section 16).
fn varint(number: u64) -> u64 {
    match number {
        0..64 => 1,
        64..16_384 => 2,
        16_384..1_073_741_824 => 4,
        _ => 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A key frame of five sizes of another, in 900 bytes: 5 x 100 + 4 x 100. The headers of frames have a byte for the
    /// number and two for the length, and the header of the stream has five bytes.
    #[test]
    fn a_key_frame_is_larger_than_the_others() {
        let mut group = Group::new(7, 900, 5, 5.0, 0);
        assert_eq!(group.ends, [508, 611, 714, 817, 920]);
        assert_eq!((group.written(0), group.written(4), group.bytes()), (508, 103, 920));
        assert!(!group.arrive(1, 507) && group.arrive(2, 610) && group.arrive(3, 919));
        assert_eq!((group.received, group.complete), (4, None));
        assert!(group.arrive(4, 920));
        assert_eq!((group.received, group.complete), (5, Some(4)));
        assert_eq!(Group::new(100, 1, 3, 1.0, 0).ends, [9, 12, 15], "a byte for each frame");
        assert_eq!(Group::new(0, 50, 1, 5.0, 0).ends, [57]);
    }

    #[test]
    fn frames_are_made_when_they_have_been_recorded_and_encoded() {
        let clock = Clock { group: 1000, frame: 250, encode: 3, first: 2 };
        assert_eq!((clock.start(0), clock.end(1, 2), clock.made_at(1, 1)), (2000, 3500, 3503));
        assert_eq!((clock.frames_in(2000, 3000), clock.frames_in(2001, 3000), clock.frames_in(2250, 2250)), (4, 3, 0));
    }
}
