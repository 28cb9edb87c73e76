//! The time that packets take: sizes on the line, and the clock of a shaper without a bucket.

use crate::{Nanos, Rate};

/// Bytes of the Ethernet header, which Linux counts in the size of a packet and this crate does not.
pub(super) const ETHERNET: u32 = 14;
/// Least rate in bytes per second, so that a packet leaves in reasonable time.
const LEAST_RATE: u64 = 64;
/// Bits of precision of a byte's time.
const PRECISION: u32 = 34;

/// Division of packets into cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Coding {
    /// No cells.
    Plain,
    /// Cells of 53 bytes, of which 48 are the packet's (ATM).
    Atm,
    /// One byte in 65 is the line code's (PTM, 64b/65b coding).
    Ptm,
}

/// Sizes of packets on the line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Framing {
    /// Bytes of the headers below IP.
    pub(super) overhead: i64,
    /// Least size with these headers, bytes.
    pub(super) least: i64,
    pub(super) coding: Coding,
}

impl Framing {
    /// Bytes on the line of an IP packet of `size` bytes (`cake_calc_overhead`).
    pub(super) fn bytes(&self, size: u32) -> u64 {
        let bytes = (i64::from(size) + self.overhead).max(self.least).max(0) as u64;
        match self.coding {
            Coding::Plain => bytes,
            Coding::Atm => bytes.div_ceil(48) * 53,
            Coding::Ptm => bytes + bytes.div_ceil(64),
        }
    }
}

/// The time of a byte at a rate, with a fraction: `time` / 2^`shift` ns. Zero if the rate is unlimited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pace {
    time: u64,
    shift: u32,
}

impl Pace {
    /// The pace of `rate` bytes per second; 0 stands for no limit (`cake_set_rate`).
    pub(super) fn new(rate: u64) -> Pace {
        if rate == 0 {
            return Pace { time: 0, shift: 0 };
        }
        let (mut time, mut shift) = ((1_000_000_000 << PRECISION) / rate.max(LEAST_RATE), PRECISION);
        while time >> PRECISION > 0 {
            time >>= 1;
            shift -= 1;
        }
        Pace { time, shift }
    }

    pub(super) fn is_unlimited(self) -> bool {
        self.time == 0
    }

    /// Time of `bytes`, ns.
    pub(super) fn duration(self, bytes: u64) -> Nanos {
        ((u128::from(bytes) * u128::from(self.time)) >> self.shift) as Nanos
    }
}

/// Bytes per second of a rate.
pub(super) fn bytes_per_second(rate: Rate) -> u64 {
    rate.bits() / 8
}

/// The clock of the whole queue: a packet moves the time of the next packet on by its own duration. After idle time the
/// clock starts from the present, so there are no bursts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shaper {
    pub(super) pace: Pace,
    next: Nanos,
    /// The same at two thirds of the rate, without the packets that were dropped. Drops that count do not delay
    /// packets further than this time.
    failsafe: Nanos,
}

impl Shaper {
    pub(super) fn new(pace: Pace) -> Shaper {
        Shaper { pace, next: 0, failsafe: 0 }
    }

    /// A packet arrives at `at` and finds the queue empty.
    pub(super) fn wake(&mut self, at: Nanos) {
        if self.next < at {
            self.next = at;
            self.failsafe = at;
        }
    }

    /// Time at which the next packet may leave, if that is later than `at`.
    pub(super) fn wait(&self, at: Nanos) -> Option<Nanos> {
        let next = self.next.min(self.failsafe);
        (next > at).then_some(next)
    }

    /// A packet of `bytes` on the line left, or was dropped and counts.
    pub(super) fn charge(&mut self, bytes: u64, dropped: bool) {
        let duration = self.pace.duration(bytes);
        self.next = self.next.saturating_add(duration);
        if !dropped {
            self.failsafe = self.failsafe.saturating_add(duration + (duration >> 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A packet of 1500 bytes over PPPoE, LLC/SNAP and ATM has 40 bytes of headers and is padded to 33 cells: 1749 bytes.
    #[test]
    fn sizes_on_the_line_are_those_of_the_framing() {
        let size = |overhead, least, coding| {
            [0, 40, 52, 576, 1500].map(|size| Framing { overhead, least, coding }.bytes(size))
        };
        assert_eq!(size(14, 0, Coding::Plain), [14, 54, 66, 590, 1514]);
        assert_eq!(size(38, 84, Coding::Plain), [84, 84, 90, 614, 1538]);
        assert_eq!(size(18, 64, Coding::Plain), [64, 64, 70, 594, 1518]);
        assert_eq!(size(40, 0, Coding::Atm), [53, 106, 106, 689, 1749]);
        assert_eq!(size(30, 0, Coding::Ptm), [31, 72, 84, 616, 1554]);
        assert_eq!(size(-64, 0, Coding::Plain), [0, 0, 0, 512, 1436]);
    }

    #[test]
    fn a_byte_takes_its_time() {
        // 1 Mbit/s is 125000 bytes per second, 8 us each.
        assert_eq!(Pace::new(125_000).duration(1500), 12_000_000);
        assert_eq!(Pace::new(300).duration(3), 9_999_999, "rounded down");
        assert_eq!(Pace::new(1).duration(64), 1_000_000_000, "the least rate");
        assert!(Pace::new(0).is_unlimited() && !Pace::new(u64::MAX / 8).is_unlimited());
    }
}
