//! Drops and retransmissions of an application that sends in bursts: a loss in a burst must not cause the
//! retransmission of its tail.

mod common;

use ackclock_tcp::recovery::Recovery;
use ackclock_tcp::{Config, SECOND, stack};
use common::Pair;

const BURSTS: u64 = 400;
const BURST: u64 = 30_000;
/// One of this number of data segments is lost.
const LOSS: u64 = 100;

/// SplitMix64 of a segment's number: the losses are the same in every run.
fn draw(number: u64) -> u64 {
    let mut word = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// Data segments dropped, data segments retransmitted and timeouts, over bursts of 30 kB, one every 2 s, on a path of
/// 100 ms.
fn bursts(config: &Config) -> (u64, u64, u64) {
    let mut drops = 0;
    let mut pair = Pair::new(config, config, |number, forward, segment| {
        let lost = forward && segment.len > 0 && draw(number).is_multiple_of(LOSS);
        drops += u64::from(lost);
        !lost
    });
    for burst in 0..BURSTS {
        pair.run((2 * burst + 1) * SECOND);
        let now = pair.now;
        pair.ends[0].write(now, BURST);
    }
    pair.run((2 * BURSTS + 60) * SECOND);
    assert_eq!(pair.ends[1].received(), BURSTS * BURST);
    let stats = *pair.ends[0].stats();
    drop(pair);
    (drops, stats.retransmits, stats.timeouts)
}

#[test]
fn bursts_retransmit_what_was_dropped_and_little_else() {
    let rfc = (stack::by_name("rfc").unwrap().config)();
    for recovery in [Recovery::Sack, Recovery::PrrCrb, Recovery::PrrSsrb, Recovery::Prr] {
        let (drops, retransmits, timeouts) = bursts(&Config { recovery, ..rfc.clone() });
        let told = format!("{recovery:?}: {drops} drops, {retransmits} retransmissions, {timeouts} timeouts");
        assert!(drops > 50, "{told}");
        assert!(retransmits >= drops, "{told}");
        // Every drop is repaired once. A timeout, which follows the loss of a burst's tail, may retransmit segments
        // that had arrived.
        assert!(retransmits <= drops + drops / 10, "{told}");
    }
}
