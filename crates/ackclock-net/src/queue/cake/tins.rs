//! Tins: classes of traffic by the code points of Differentiated Services, with their shares of the rate.

use super::options::Tins;

/// Thresholds of a tin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Threshold {
    /// Rate up to which the tin has priority, bytes per second; 0 for no limit.
    pub(super) rate: u64,
    /// Share of the tin when there is no shaper, bytes per round.
    pub(super) quantum: i64,
}

/// The thresholds of all tins at a rate of the shaper in bytes per second. A later tin is more urgent; the first is that
/// of the whole rate.
pub(super) fn thresholds(tins: Tins, rate: u64) -> Vec<Threshold> {
    let shares =
        |shifts: &[u32]| shifts.iter().map(|shift| Threshold { rate: rate >> shift, quantum: 1024 >> shift }).collect();
    match tins {
        Tins::BestEffort => vec![Threshold { rate, quantum: 65_535 }],
        Tins::Diffserv3 => shares(&[0, 4, 2]),
        Tins::Diffserv4 => shares(&[0, 4, 1, 2]),
        Tins::Precedence | Tins::Diffserv8 => {
            let eighths = |last: &Threshold| {
                let Threshold { rate, quantum } = *last;
                Some(Threshold { rate: ((u128::from(rate) * 7) >> 3) as u64, quantum: (quantum * 7) >> 3 })
            };
            std::iter::successors(Some(Threshold { rate, quantum: 256 }), eighths).take(8).collect()
        }
    }
}

/// Code points (RFC 2474, 2597, 3246, 4594, 5865 and 8622).
const LE: u8 = 1;
const CS1: u8 = 8;
const CS2: u8 = 16;
const CS3: u8 = 24;
const CS4: u8 = 32;
const CS5: u8 = 40;
const CS6: u8 = 48;
const CS7: u8 = 56;
const VA: u8 = 44;
const EF: u8 = 46;
/// "Maximise throughput" and "minimise delay" of the old type of service (RFC 1349).
const TOS2: u8 = 2;
const TOS4: u8 = 4;

/// The tin of a code point from 0 to 63.
pub(super) fn tin(tins: Tins, dscp: u8) -> usize {
    let class = dscp >> 3;
    // Drop precedences of the classes of assured forwarding are even.
    let assured = |classes: std::ops::RangeInclusive<u8>| classes.contains(&class) && matches!(dscp % 8, 2 | 4 | 6);
    match tins {
        Tins::BestEffort => 0,
        Tins::Precedence => class.into(),
        Tins::Diffserv3 => match dscp {
            LE | CS1 => 1,
            TOS4 | VA | EF | CS6 | CS7 => 2,
            _ => 0,
        },
        Tins::Diffserv4 => match dscp {
            LE | CS1 => 1,
            TOS4 | CS2 | CS3 => 2,
            CS4 | CS5 | VA | EF | CS6 | CS7 => 3,
            _ if assured(2..=4) => 2,
            _ => 0,
        },
        Tins::Diffserv8 => match dscp {
            LE => 0,
            TOS2 | CS1 => 1,
            _ if assured(1..=1) => 1,
            CS3 => 3,
            _ if assured(3..=4) => 3,
            TOS4 => 4,
            _ if assured(2..=2) => 4,
            CS2 => 5,
            CS4 | CS5 | VA | EF => 6,
            CS6 | CS7 => 7,
            _ => 2,
        },
    }
}
