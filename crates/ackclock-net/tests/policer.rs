//! Policers against the arithmetic of the kernel and of the RFCs, packet by packet.

use ackclock_net::queue::Item;
use ackclock_net::{Action, Colour, Ecn, Meter, Nanos, Policer, Rate};
use proptest::prelude::*;

fn rate(bits: u64) -> Rate {
    Rate::new(bits).unwrap()
}

/// Gaps in ns and sizes in bytes: bursts, gaps about the time of a packet, and idle periods.
fn arrivals() -> impl Strategy<Value = Vec<(Nanos, u32)>> {
    let gap = prop_oneof![Just(0), 0..2_000_000_u64, Just(1_200_000), 0..100_000_000_u64];
    let size = prop_oneof![3 => Just(1500_u32), 1 => Just(40), 1 => 1_u32..3000];
    prop::collection::vec((gap, size), 1..200)
}

/// Colours that a policer gives.
fn colours(meter: Meter, arrivals: &[(Nanos, u32)]) -> Vec<Colour> {
    let mut policer = Policer::new(meter, Action::Pass, Action::Drop);
    let mut at = 0;
    let colour = |(gap, size): &(Nanos, u32)| {
        at += gap;
        policer.colour(at, *size)
    };
    arrivals.iter().map(colour).collect()
}

/// The rules of net/sched/act_police.c with tokens in nanoseconds, for rates with a whole number of nanoseconds a byte:
/// the kernel's division is then exact. Times are relative to the time of the last conforming packet.
struct Kernel {
    byte: i64,
    burst: i64,
    /// Nanoseconds a byte at the peak rate, and the bucket of the peak rate.
    peak: Option<(i64, i64)>,
    last: i64,
    tokens: i64,
    peak_tokens: i64,
    /// Packets above this size exceed whatever the tokens.
    mtu: u32,
}

impl Kernel {
    fn conforms(&mut self, now: i64, size: u32) -> bool {
        if size > self.mtu {
            return false;
        }
        let elapsed = (now - self.last).min(self.burst);
        let peak_tokens =
            self.peak.map_or(0, |(byte, depth)| (elapsed + self.peak_tokens).min(depth) - i64::from(size) * byte);
        let tokens = (elapsed + self.tokens).min(self.burst) - i64::from(size) * self.byte;
        if tokens < 0 || peak_tokens < 0 {
            return false;
        }
        (self.last, self.tokens, self.peak_tokens) = (now, tokens, peak_tokens);
        true
    }
}

/// The three-colour markers of the RFCs, written as tokens times 8e9 in integers; one token is one byte.
struct Marker {
    buckets: [(i128, i128, i128); 2],
    last: i128,
}

const TOKEN: i128 = 8_000_000_000;

impl Marker {
    fn new(buckets: [(u64, u64); 2]) -> Marker {
        let full = |(rate, depth): (u64, u64)| (i128::from(rate), i128::from(depth) * TOKEN, i128::from(depth) * TOKEN);
        Marker { buckets: buckets.map(full), last: 0 }
    }

    /// RFC 2697 section 3: Tc is incremented first, and Te while Tc is full.
    fn single(&mut self, now: i128, size: u32) -> Colour {
        let [(cir, cbs, mut tc), (_, ebs, mut te)] = self.buckets;
        let come = (now - self.last) * cir;
        let first = come.min(cbs - tc);
        tc += first;
        te = ebs.min(te + come - first);
        self.last = now;
        let bytes = i128::from(size) * TOKEN;
        let colour = if tc - bytes >= 0 {
            tc -= bytes;
            Colour::Green
        } else if te - bytes >= 0 {
            te -= bytes;
            Colour::Yellow
        } else {
            Colour::Red
        };
        (self.buckets[0].2, self.buckets[1].2) = (tc, te);
        colour
    }

    /// RFC 2698 section 3.
    fn two(&mut self, now: i128, size: u32) -> Colour {
        for (rate, depth, level) in &mut self.buckets {
            *level = (*depth).min(*level + (now - self.last) * *rate);
        }
        self.last = now;
        let bytes = i128::from(size) * TOKEN;
        let [(_, _, tc), (_, _, tp)] = &mut self.buckets;
        if *tp - bytes < 0 {
            return Colour::Red;
        }
        *tp -= bytes;
        if *tc - bytes < 0 {
            return Colour::Yellow;
        }
        *tc -= bytes;
        Colour::Green
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn packets_conform_as_to_the_kernels_police(
        arrivals in arrivals(),
        byte in prop::sample::select(vec![8_i64, 80, 400, 800, 1000, 8000]),
        burst in 1500_u64..40_000,
        peak in prop::option::of((2_i64..8, 1500_u64..6000)),
    ) {
        let bits = |byte: i64| 8_000_000_000 / byte as u64;
        let peak = peak.map(|(times, depth)| ((byte / times).max(1), depth));
        let meter = Meter::TokenBucket {
            committed: (rate(bits(byte)), burst),
            peak: peak.map(|(byte, depth)| (rate(bits(byte)), depth)),
        };
        // A rate that is no whole number of bits a second is not that of the kernel's arithmetic.
        prop_assume!(peak.is_none_or(|(byte, _)| 8_000_000_000 % byte == 0));
        let mut kernel = Kernel {
            byte,
            burst: burst as i64 * byte,
            peak: peak.map(|(byte, depth)| (byte, depth as i64 * byte)),
            last: 0,
            tokens: burst as i64 * byte,
            peak_tokens: peak.map_or(0, |(byte, depth)| depth as i64 * byte),
            mtu: peak.map_or(u32::MAX, |(_, depth)| depth as u32),
        };
        let mut at = 0;
        let expected: Vec<bool> = arrivals.iter().map(|(gap, size)| {
            at += *gap as i64;
            kernel.conforms(at, *size)
        }).collect();
        let found: Vec<bool> = colours(meter, &arrivals).iter().map(|colour| *colour == Colour::Green).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn three_colours_are_those_of_the_rfcs(
        arrivals in arrivals(),
        committed in (100_000_u64..20_000_000, 1500_u64..40_000),
        other in (100_000_u64..20_000_000, 0_u64..40_000),
    ) {
        let single = Meter::SingleRate { committed: (rate(committed.0), committed.1), excess: other.1 };
        let two = Meter::TwoRate { committed: (rate(committed.0), committed.1), peak: (rate(other.0), other.1) };
        let (mut by_one, mut by_two) = (Marker::new([committed, other]), Marker::new([committed, other]));
        let mut at = 0;
        let expected: Vec<_> = arrivals.iter().map(|(gap, size)| {
            at += i128::from(*gap);
            (by_one.single(at, *size), by_two.two(at, *size))
        }).collect();
        let found: Vec<_> = colours(single, &arrivals).into_iter().zip(colours(two, &arrivals)).collect();
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn a_saturated_bucket_lets_through_its_burst_and_its_rate() {
    // 100 Mbit/s arrive at 10 Mbit/s with 15,000 bytes: b + r t is 15,000 + 1,250,000 bytes in a second.
    let mut policer = Policer::new(
        Meter::TokenBucket { committed: (rate(10_000_000), 15_000), peak: None },
        Action::Drop,
        Action::Drop,
    );
    let passed = (0..8_333_u64).filter(|n| policer.colour(n * 120_000, 1500) == Colour::Green).count();
    assert_eq!(passed, (15_000 + 1_250_000) / 1500);
}

#[test]
fn actions_drop_mark_or_reclassify_what_exceeds() {
    let packet = |ecn| Item { size: 1500, class: 1, ecn, ..Item::default() };
    let after = |action, ecn| {
        let committed = (rate(1_000_000), 1500);
        let mut policer = Policer::new(Meter::TokenBucket { committed, peak: None }, action, action);
        let mut first = packet(ecn);
        assert!(policer.admits(0, &mut first) && first == packet(ecn), "what conforms passes unchanged");
        let mut second = packet(ecn);
        let passes = policer.admits(0, &mut second);
        passes.then_some((second.ecn, second.class))
    };
    assert_eq!(after(Action::Drop, Ecn::Ect0), None);
    assert_eq!(after(Action::Pass, Ecn::NotEct), Some((Ecn::NotEct, 1)));
    assert_eq!(after(Action::Mark, Ecn::Ect0), Some((Ecn::Ce, 1)));
    assert_eq!(after(Action::Mark, Ecn::NotEct), None, "only ECN-capable packets can be marked");
    assert_eq!(after(Action::Class(5), Ecn::Ect1), Some((Ecn::Ect1, 5)));
}

/// Packets that a kernel's `tc police` let through, packet by packet.
#[test]
fn the_packets_that_pass_are_those_of_a_recorded_kernel() {
    let lines: Vec<&str> = include_str!("data/police-6.12.txt").lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines.len(), 3 * 3);
    for [name, sent, got] in lines.as_chunks::<3>().0 {
        let (committed, peak) = match *name {
            "case police" => ((rate(8_000_000), 15_000), None),
            "case police-small" => ((rate(1_000_000), 3000), None),
            "case police-peak" => ((rate(8_000_000), 20_000), Some((rate(16_000_000), 3000))),
            name => panic!("no parameters of {name}"),
        };
        let mut policer = Policer::new(Meter::TokenBucket { committed, peak }, Action::Drop, Action::Drop);
        let number = |text: &str| text.parse::<u64>().unwrap();
        let passes = |packet: &str| {
            let (at, size) = packet.split_once(':').unwrap();
            policer.colour(number(at), number(size) as u32) == Colour::Green
        };
        let passed: Vec<bool> = sent.split(' ').skip(1).map(passes).collect();
        let passed: Vec<u64> = (1..).zip(passed).filter(|(_, passes)| *passes).map(|(number, _)| number).collect();
        let recorded: Vec<u64> = got.split(' ').skip(1).map(number).collect();
        assert_eq!(passed, recorded, "{name}");
    }
}
