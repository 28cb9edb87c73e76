//! Two endpoints with any two configurations over a path that loses, duplicates, delays and marks packets as the fuzzer
//! chooses. At the end every byte has arrived, once and in order, and both ends are closed.

use std::collections::BTreeMap;

use ackclock_tcp::config::Handshake;
use ackclock_tcp::{Ecn, Endpoint, Flags, MILLISECOND, NEVER, Nanos, SECOND, Segment, State};
use arbitrary::{Result, Unstructured};

use crate::choose;

/// Runs one input.
///
/// # Panics
/// If an invariant does not hold.
pub fn run(data: &[u8]) {
    let _ = drive(&mut Unstructured::new(data));
}

/// Number of consecutive losses after which the next segment of a direction passes; a connection attempt is given up
/// after seven.
const MOST_LOST: u32 = 4;

struct Path<'a, 'b> {
    fates: &'a mut Unstructured<'b>,
    delay: Nanos,
    lost: [u32; 2],
    wire: BTreeMap<(Nanos, u64), (usize, Segment)>,
    count: u64,
}

impl Path<'_, '_> {
    /// Sends `segment` from the end `from`.
    fn send(&mut self, now: Nanos, from: usize, mut segment: Segment) {
        let fate: u8 = if self.fates.is_empty() { 0 } else { self.fates.arbitrary().unwrap_or(0) };
        if fate & 7 == 1 && self.lost[from] < MOST_LOST {
            self.lost[from] += 1;
            return;
        }
        self.lost[from] = 0;
        // The extra delay is up to 31 times a fifth of the delay, which is far beyond any reordering window and beyond
        // a timeout.
        let extra = if fate & 7 == 2 { u64::from(fate >> 3) * self.delay / 5 } else { 0 };
        if fate & 7 == 3 && segment.ecn != Ecn::NotEct {
            segment.ecn = Ecn::Ce;
        }
        let copies = if fate & 7 == 4 { 2 } else { 1 };
        for copy in 0..copies {
            let at = now + self.delay + extra + copy * u64::from(fate >> 3) * MILLISECOND;
            self.wire.insert((at, self.count), (1 - from, segment));
            self.count += 1;
        }
    }
}

fn drive(u: &mut Unstructured<'_>) -> Result<()> {
    let mut configs = [choose::config(u)?, choose::config(u)?];
    let bare = configs[0].handshake == Handshake::None;
    if bare {
        // Without a handshake, both ends must know the same options.
        configs[1] = configs[0].clone();
    } else {
        configs[1].handshake = Handshake::ThreeWay;
    }
    let mut ends = [Endpoint::new(&configs[0], u32::MAX - 5000), Endpoint::new(&configs[1], 77)];
    let volumes = [u64::from(u.arbitrary::<u16>()?), u64::from(u.arbitrary::<u16>()?) % 5000];
    let writes = u.int_in_range(1..=5)?;
    let gap = u64::from(u.arbitrary::<u8>()?) * 20 * MILLISECOND;
    let delay = *u.choose(&[MILLISECOND, 20 * MILLISECOND, 300 * MILLISECOND])?;
    if bare {
        ends[1].connect(0);
    } else {
        ends[1].listen();
    }
    ends[0].connect(0);
    let mut path = Path { fates: u, delay, lost: [0; 2], wire: BTreeMap::new(), count: 0 };
    let (mut now, mut written) = (0, 0);
    let (mut sent, mut turns) = (0_u64, 0_u64);
    loop {
        for (from, end) in ends.iter_mut().enumerate() {
            while let Some(segment) = end.poll_transmit(now, &mut ()) {
                sent += 1;
                assert!(sent < 300_000, "the transfer ends");
                assert!(!segment.flags.has(Flags::RST), "no end gives up: {segment:?}");
                path.send(now, from, segment);
            }
        }
        let arrival = path.wire.first_key_value().map_or(NEVER, |(key, _)| key.0);
        let timeout = ends[0].next_timeout().min(ends[1].next_timeout());
        let write = if written < writes { written * gap } else { NEVER };
        let next = arrival.min(timeout).min(write);
        if next == NEVER {
            break;
        }
        assert!(next < 100_000 * SECOND, "the transfer ends in time");
        turns = if next > now { 0 } else { turns + 1 };
        assert!(turns < 100_000, "time goes on");
        now = now.max(next);
        if write <= now {
            written += 1;
            for (end, volume) in ends.iter_mut().zip(volumes) {
                end.write(now, volume / writes + if written == writes { volume % writes } else { 0 });
                if written == writes {
                    end.shutdown_write(now);
                }
            }
        } else if arrival <= now {
            let (_, (to, segment)) = path.wire.pop_first().expect("an arrival");
            let before = ends[to].received();
            ends[to].on_segment(now, &segment, &mut ());
            let received = ends[to].received();
            assert!(before <= received && received <= volumes[1 - to], "nothing is received that was not written");
            ends[to].read(now, received - before);
        } else {
            for end in &mut ends {
                end.on_timeout(now, &mut ());
            }
        }
        for end in &ends {
            if let Err(broken) = end.check() {
                panic!("{broken}");
            }
        }
    }
    for (index, end) in ends.iter().enumerate() {
        assert_eq!(end.received(), volumes[1 - index], "every byte arrives");
        assert_eq!(end.state(), State::Closed, "both ends close");
    }
    Ok(())
}
