//! Whole connections over a pipe: handshake, data both ways, losses of every kind, close.

mod common;

use ackclock_tcp::{Config, MILLISECOND, SECOND, State};
use common::{MSS, Pair, config};
use proptest::prelude::*;

fn no_sack() -> Config {
    Config { sack: false, ..config() }
}

#[test]
fn slow_start_doubles_each_round_trip_without_delayed_acks() {
    let receiver = Config { delayed_ack: 0, ..config() };
    let mut pair = Pair::new(&Config { initial_window: 2, ..config() }, &receiver, |_, _, _| true);
    pair.ends[0].write(0, 14 * MSS);
    pair.run(SECOND);
    let times: Vec<u64> = pair.data(0).iter().map(|(at, _)| *at).collect();
    assert_eq!(times, [100, 100, 200, 200, 200, 200, 300, 300, 300, 300, 300, 300, 300, 300]);
}

#[test]
fn a_lone_segment_is_acknowledged_by_the_delayed_ack_timer() {
    let mut pair = Pair::new(&config(), &config(), |_, _, _| true);
    pair.ends[0].write(0, MSS);
    pair.run(SECOND);
    let ack = pair.sent[1].last().unwrap();
    assert_eq!(ack.0, 350 * MILLISECOND, "sent at 100, arrived at 150, held for 200 ms");
}

#[test]
fn quick_acks_acknowledge_the_first_segments_at_once() {
    let receiver = Config { quick_acks: 3, ..config() };
    let mut pair = Pair::new(&config(), &receiver, |_, _, _| true);
    pair.ends[0].write(0, 6 * MSS);
    pair.run(SECOND);
    let acks = pair.sent[1].iter().filter(|(at, segment)| *at == 150 * MILLISECOND && segment.seq_len() == 0);
    assert_eq!(acks.count(), 4, "three quick ones, then one for two segments; the last waits");
}

#[test]
fn what_is_out_of_order_and_what_fills_the_gap_are_acknowledged_at_once() {
    // Of five data segments the second is lost; the SYN is number 0.
    let mut pair = Pair::new(&config(), &config(), |number, to_server, _| !(to_server && number == 2));
    pair.ends[0].write(0, 5 * MSS);
    pair.run(3 * SECOND);
    let acks: Vec<(u64, usize)> =
        pair.sent[1][1..].iter().map(|(at, ack)| (at / MILLISECOND, ack.sack_blocks().len())).collect();
    assert_eq!(acks, [(150, 1), (150, 1), (150, 1), (250, 0)], "three out of order, then the repair");
}

#[test]
fn a_lost_syn_is_sent_again_after_the_initial_timeout_and_halves_nothing_but_the_start() {
    let mut pair = Pair::new(&config(), &config(), |number, to_server, _| !(to_server && number == 0));
    pair.ends[0].write(0, 3 * MSS);
    pair.run(5 * SECOND);
    assert_eq!(pair.sent[0][1].0, SECOND, "RFC 6298 2.1");
    let data = pair.data(0);
    assert_eq!(data[0], (1100, 0));
    assert_eq!(data[1].0, 1400, "one segment to start with, and its ACK is delayed by 200 ms");
    assert_eq!(pair.ends[1].received(), 3 * MSS);
}

#[test]
fn both_ends_close() {
    let mut pair = Pair::new(&config(), &config(), |_, _, _| true);
    pair.ends[0].write(0, 5 * MSS);
    pair.ends[0].shutdown_write(0);
    pair.run(SECOND);
    assert_eq!((pair.ends[0].state(), pair.ends[1].state()), (State::FinWait2, State::CloseWait));
    let now = pair.now;
    pair.ends[1].write(now, 2 * MSS);
    pair.ends[1].shutdown_write(now);
    pair.run(2 * SECOND);
    assert_eq!((pair.ends[0].state(), pair.ends[1].state()), (State::TimeWait, State::Closed));
    assert_eq!((pair.ends[0].received(), pair.ends[1].received()), (2 * MSS, 5 * MSS));
    pair.run(100 * SECOND);
    assert_eq!(pair.ends[0].state(), State::Closed);
}

#[test]
fn a_connection_without_a_peer_is_given_up() {
    let mut pair = Pair::new(&config(), &config(), |_, _, _| false);
    pair.run(1000 * SECOND);
    assert_eq!(pair.ends[0].state(), State::Closed);
    let times: Vec<u64> = pair.sent[0].iter().map(|(at, _)| at / SECOND).collect();
    assert_eq!(times, [0, 1, 3, 7, 15, 31, 63]);
}

#[test]
fn the_receive_window_bounds_what_is_outstanding() {
    let receiver = Config { receive_buffer: 4 * MSS, receive_buffer_max: 4 * MSS, ..config() };
    let mut pair = Pair::new(&Config { initial_window: 100, ..config() }, &receiver, |_, _, _| true);
    pair.ends[0].write(0, 40 * MSS);
    pair.run(100 * MILLISECOND);
    assert_eq!(pair.data(0).len(), 4);
    pair.run(10 * SECOND);
    assert_eq!(pair.ends[1].received(), 40 * MSS);
    assert_eq!(pair.data(0).len(), 40);
}

#[test]
fn a_receiver_without_window_scaling_is_taken_at_its_word() {
    let receiver = Config { receive_buffer: 60_000, receive_buffer_max: 60_000, ..config() };
    let mut pair = Pair::new(&Config { initial_window: 200, ..config() }, &receiver, |_, _, _| true);
    pair.ends[0].write(0, 150 * MSS);
    pair.run(100 * MILLISECOND);
    assert_eq!(pair.data(0).len(), 60);
}

#[test]
fn pacing_spreads_the_initial_window_over_the_round_trip() {
    use ackclock_tcp::pacing::Pacing;
    let pacing = Pacing::Fq { slow_start_percent: 100, avoidance_percent: 100, quantum: 2080, initial: 0 };
    let client = Config { pacing, initial_window: 10, ..config() };
    let mut pair = Pair::new(&client, &config(), |_, _, _| true);
    pair.ends[0].write(0, 10 * MSS);
    pair.run(190 * MILLISECOND);
    // 10,000 bytes over 100 ms: 1,040 bytes on the wire every 10.4 ms, after a quantum of two back to back.
    let gaps: Vec<u64> = pair.sent[0][1..].windows(2).map(|two| two[1].0 - two[0].0).collect();
    assert_eq!(
        gaps,
        [0, 10_400_000, 10_400_000, 10_400_000, 10_400_000, 10_400_000, 10_400_000, 10_400_000, 10_400_000]
    );
}

fn completes(config: &Config, losses: &[bool]) -> Result<(), TestCaseError> {
    let mut losses = losses.iter().copied();
    let mut in_a_row = 0;
    // A SYN is given up after seven losses in a row, and rightly: five are the worst that is asked here.
    let mut pair = Pair::new(config, config, |_, _, _| {
        in_a_row = if losses.next().unwrap_or(false) && in_a_row < 5 { in_a_row + 1 } else { 0 };
        in_a_row == 0
    });
    pair.ends[0].write(0, 60 * MSS + 123);
    pair.ends[1].write(0, 7 * MSS);
    pair.ends[0].shutdown_write(0);
    pair.ends[1].shutdown_write(0);
    pair.run(3000 * SECOND);
    prop_assert_eq!(pair.ends[1].received(), 60 * MSS + 123);
    prop_assert_eq!(pair.ends[0].received(), 7 * MSS);
    prop_assert_eq!(pair.ends[0].state(), State::Closed);
    prop_assert_eq!(pair.ends[1].state(), State::Closed);
    prop_assert_eq!((pair.ends[0].error(), pair.ends[1].error()), (None, None));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn every_byte_arrives_whatever_is_lost(losses in prop::collection::vec(prop::bool::weighted(0.2), 0..200)) {
        completes(&config(), &losses)?;
        completes(&no_sack(), &losses)?;
    }
}
