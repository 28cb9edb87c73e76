//! Whole connections over a pipe: handshake, data in both directions, losses of every kind, close.

mod common;

use ackclock_tcp::config::InitialWindow;
use ackclock_tcp::{Config, Flags, MILLISECOND, SECOND, State};
use common::{MSS, Pair, config};
use proptest::prelude::*;

fn no_sack() -> Config {
    Config { sack: false, ..config() }
}

//= https://www.rfc-editor.org/rfc/rfc5681#section-2
//= type=test
//# a TCP MUST NOT send data with a sequence number higher than the sum of the highest acknowledged sequence number
//# and the minimum of cwnd and rwnd
//= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
//= type=test
//# the SYN/ACK and the acknowledgment of the SYN/ACK MUST NOT increase the size of the congestion window
//= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
//= type=test
//# The initial value of ssthresh SHOULD be set arbitrarily high
#[test]
fn slow_start_doubles_each_round_trip_without_delayed_acks() {
    let receiver = Config { delayed_ack: 0, ..config() };
    let mut pair =
        Pair::new(&Config { initial_window: InitialWindow::Segments(2), ..config() }, &receiver, |_, _, _| true);
    pair.ends[0].write(0, 14 * MSS);
    pair.run(SECOND);
    let times: Vec<u64> = pair.data(0).iter().map(|(at, _)| *at).collect();
    assert_eq!(times, [100, 100, 200, 200, 200, 200, 300, 300, 300, 300, 300, 300, 300, 300]);
}

//= https://www.rfc-editor.org/rfc/rfc5681#section-4.2
//= type=test
//# The delayed ACK algorithm specified in [RFC1122] SHOULD be used by a TCP receiver
//= https://www.rfc-editor.org/rfc/rfc5681#section-4.2
//= type=test
//# MUST be generated within 500 ms of the arrival of the first unacknowledged packet
//= https://www.rfc-editor.org/rfc/rfc5681#section-4.2
//= type=test
//# an ACK MUST NOT be delayed for more than 500 ms waiting on a second full-sized segment to arrive
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

//= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
//= type=test
//# A TCP receiver SHOULD send an immediate duplicate ACK when an out-of-order segment arrives
//= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
//= type=test
//# a TCP receiver SHOULD send an immediate ACK when the incoming segment fills in all or part of a gap in the
//# sequence space
//= https://www.rfc-editor.org/rfc/rfc5681#section-4.2
//= type=test
//# Out-of-order data segments SHOULD be acknowledged immediately
//= https://www.rfc-editor.org/rfc/rfc5681#section-4.2
//= type=test
//# the receiver SHOULD send an immediate duplicate ACK when it receives a data segment above a gap in the sequence
//# space
//= https://www.rfc-editor.org/rfc/rfc5681#section-4.2
//= type=test
//# the receiver SHOULD send an immediate ACK when it receives a data segment that fills in all or part of a gap in
//# the sequence space
//= https://www.rfc-editor.org/rfc/rfc6582#section-5
//= type=test
//# our recommendation is that the data receiver send an immediate acknowledgment for an out-of-order segment, even
//# when that out-of-order segment fills a hole in the buffer
#[test]
fn what_is_out_of_order_and_what_fills_the_gap_are_acknowledged_at_once() {
    // The second of five data segments is lost; the SYN is number 0.
    let mut pair = Pair::new(&config(), &config(), |number, to_server, _| !(to_server && number == 2));
    pair.ends[0].write(0, 5 * MSS);
    pair.run(3 * SECOND);
    let acks: Vec<(u64, usize)> =
        pair.sent[1][1..].iter().map(|(at, ack)| (at / MILLISECOND, ack.sack_blocks().len())).collect();
    assert_eq!(acks, [(150, 1), (150, 1), (150, 1), (250, 0)], "three out of order, then the repair");
}

#[test]
fn lost_syns_are_sent_again_after_the_initial_timeout_and_two_of_them_shrink_the_initial_window() {
    let connect = |lost: u64| {
        let mut pair = Pair::new(&config(), &config(), move |number, to_server, _| !(to_server && number < lost));
        pair.ends[0].write(0, 3 * MSS);
        pair.run(8 * SECOND);
        assert_eq!(pair.ends[1].received(), 3 * MSS);
        (pair.sent[0][1].0 / MILLISECOND, pair.data(0))
    };
    // RFC 6298 sections 2.1 and 5.5: the timeouts are 1 s and 2 s.
    assert_eq!(connect(1), (1000, vec![(1100, 0), (1100, 1), (1100, 2)]), "RFC 6928 section 2: the whole window");
    // The initial window is one segment, whose ACK is delayed by 200 ms.
    assert_eq!(connect(2), (1000, vec![(3100, 0), (3400, 1), (3400, 2)]));
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

/// A FIN without payload is retransmitted like data: it counts as a retransmission, but not as a segment with payload.
#[test]
fn a_fin_sent_again_is_no_data_sent_again() {
    let mut lost = 0;
    let mut pair = Pair::new(&config(), &config(), |_, to_server, segment| {
        let is_lost = to_server && segment.flags.has(Flags::FIN) && lost < 2;
        lost += u32::from(is_lost);
        !is_lost
    });
    pair.ends[0].write(0, 2 * MSS);
    pair.run(SECOND);
    pair.ends[0].shutdown_write(pair.now);
    pair.run(20 * SECOND);
    assert_eq!(pair.ends[0].state(), State::FinWait2);
    let stats = pair.ends[0].stats();
    assert_eq!((stats.retransmits, stats.data_retransmits, stats.data_segments_sent), (2, 0, 2));
    assert_eq!(stats.bytes_retransmitted, 0);
}

#[test]
fn a_connection_without_a_peer_is_given_up() {
    let mut pair = Pair::new(&config(), &config(), |_, _, _| false);
    pair.run(1000 * SECOND);
    assert_eq!(pair.ends[0].state(), State::Closed);
    let times: Vec<u64> = pair.sent[0].iter().map(|(at, _)| at / SECOND).collect();
    assert_eq!(times, [0, 1, 3, 7, 15, 31, 63]);
}

//= https://www.rfc-editor.org/rfc/rfc5681#section-2
//= type=test
//# a TCP MUST NOT send data with a sequence number higher than the sum of the highest acknowledged sequence number
//# and the minimum of cwnd and rwnd
//= https://www.rfc-editor.org/rfc/rfc7323#section-2.4
//= type=test
//# The initial transmission MUST be within the window announced by the most recent <ACK>
//= https://www.rfc-editor.org/rfc/rfc9937#section-3
//= type=test
//# a connection MUST NOT send data with a sequence number higher than the sum of SND.UNA and rwnd
#[test]
fn the_receive_window_bounds_what_is_outstanding() {
    let receiver = Config { receive_buffer: 4 * MSS, receive_buffer_max: 4 * MSS, ..config() };
    let mut pair =
        Pair::new(&Config { initial_window: InitialWindow::Segments(100), ..config() }, &receiver, |_, _, _| true);
    pair.ends[0].write(0, 40 * MSS);
    pair.run(100 * MILLISECOND);
    assert_eq!(pair.data(0).len(), 4);
    pair.run(10 * SECOND);
    assert_eq!(pair.ends[1].received(), 40 * MSS);
    assert_eq!(pair.data(0).len(), 40);
}

//= https://www.rfc-editor.org/rfc/rfc7323#section-2.2
//= type=test
//# both sides MUST send Window Scale options in their <SYN> segments to enable window scaling in either direction
#[test]
fn a_receiver_without_window_scaling_is_taken_at_its_word() {
    let receiver = Config { receive_buffer: 60_000, receive_buffer_max: 60_000, ..config() };
    let mut pair =
        Pair::new(&Config { initial_window: InitialWindow::Segments(200), ..config() }, &receiver, |_, _, _| true);
    pair.ends[0].write(0, 150 * MSS);
    pair.run(100 * MILLISECOND);
    assert_eq!(pair.data(0).len(), 60);
}

//= https://www.rfc-editor.org/rfc/rfc9937#section-6.4
//= type=test
//# It is RECOMMENDED that implementations use pacing to reduce the burstiness of data traffic
#[test]
fn pacing_spreads_the_initial_window_over_the_round_trip() {
    use ackclock_tcp::pacing::Pacing;
    let pacing = Pacing::Fq { slow_start_percent: 100, avoidance_percent: 100, quantum: 2080, initial: 0 };
    let client = Config { pacing, initial_window: InitialWindow::Segments(10), ..config() };
    let mut pair = Pair::new(&client, &config(), |_, _, _| true);
    pair.ends[0].write(0, 10 * MSS);
    pair.run(190 * MILLISECOND);
    // 10,000 bytes take 100 ms: 1,040 bytes on the wire every 10.4 ms, after a quantum of two segments back to back.
    let gaps: Vec<u64> = pair.sent[0][1..].windows(2).map(|two| two[1].0 - two[0].0).collect();
    assert_eq!(
        gaps,
        [0, 10_400_000, 10_400_000, 10_400_000, 10_400_000, 10_400_000, 10_400_000, 10_400_000, 10_400_000]
    );
}

fn completes(config: &Config, losses: &[bool]) -> Result<(), TestCaseError> {
    let mut losses = losses.iter().copied();
    let mut in_a_row = 0;
    // A connection attempt is given up after seven losses of the SYN in a row, which is correct: this test needs five
    // at most.
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
    // A segment with payload is a retransmission if an earlier one began at or above its offset. Options shorten
    // segments, so the number of new segments is computed from the segments sent.
    let (mut all, mut again, mut high) = (0, 0, 0);
    let first = pair.sent[0][0].1.seq.wrapping_add(1);
    for (_, segment) in pair.sent[0].iter().filter(|(_, segment)| segment.len > 0) {
        let offset = segment.seq.wrapping_sub(first);
        all += 1;
        again += u64::from(offset < high);
        high = high.max(offset + segment.len);
    }
    let stats = pair.ends[0].stats();
    prop_assert_eq!((stats.data_segments_sent, stats.data_retransmits), (all, again));
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
