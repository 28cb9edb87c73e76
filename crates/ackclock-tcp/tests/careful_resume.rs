//! Careful resume (RFC 9959) of an endpoint: the jump is paced over a round trip, and a loss in the jump causes a
//! retreat.

mod common;

use ackclock_tcp::careful_resume::Saved;
use ackclock_tcp::{Config, MILLISECOND, NEVER, Nanos};
use common::{MSS, Pair, Script, config};

const RTT: Nanos = 100 * MILLISECOND;

fn resuming() -> Config {
    Config { careful_resume: Some(Saved { cwnd: 300 * MSS, rtt: RTT, max_jump: u64::MAX }), ..config() }
}

/// A connection whose initial window of ten was acknowledged one RTT later, and the segments sent at once after that.
fn jumping(config: &Config, written: u64) -> (Script, Vec<u64>) {
    let mut s = Script::established(config, RTT);
    s.write(written);
    assert_eq!(s.sends().len(), 10);
    s.wait(RTT);
    let mut released = Vec::new();
    for segment in 1..=10 {
        released.extend(s.ack(segment, &[]));
    }
    (s, released)
}

/// Lets `time` pass and returns what was sent.
fn run(s: &mut Script, time: Nanos) -> Vec<u64> {
    let (end, mut sent) = (s.now + time, Vec::new());
    while s.end.next_timeout() <= end && s.end.next_timeout() != NEVER {
        s.now = s.now.max(s.end.next_timeout());
        sent.extend(s.sends());
    }
    s.now = end;
    sent
}

#[test]
fn without_it_the_window_doubles_and_leaves_as_acks_allow() {
    let (s, released) = jumping(&config(), 1000);
    assert_eq!((s.cwnd(), released.len()), (20, 20));
}

#[test]
fn the_jump_leaves_over_a_round_trip() {
    let (mut s, released) = jumping(&resuming(), 1000);
    assert_eq!(s.cwnd(), 150);
    // The nine previous ACKs release eighteen segments. Of the others one may be sent each 100 ms / 150 (headers count
    // too).
    assert_eq!(released.len(), 19);
    let first = run(&mut s, RTT * 3 / 5);
    assert!((82..=90).contains(&first.len()), "{}", first.len());
    // Data sent before the jump is acknowledged, and does not grow the window.
    let more = s.ack(15, &[]).len();
    assert_eq!(s.cwnd(), 150);
    let all = first.len() + more + run(&mut s, RTT * 2 / 5 - 1).len();
    assert!((130..=137).contains(&all), "{all}");
    // All data arrives: the congestion control continues from this window.
    for segment in 16..=150 {
        s.ack(segment, &[]);
    }
    assert!(s.cwnd() > 250, "{}", s.cwnd());
}

#[test]
fn a_loss_of_what_was_jumped_with_leaves_half_of_what_arrived() {
    let (mut s, _) = jumping(&resuming(), 1000);
    let mut sent = run(&mut s, RTT - 1);
    // Ten and eighteen segments were sent before the jump; then ten arrive, one is lost, and the others arrive.
    s.now += 1;
    for segment in 11..=38 {
        sent.extend(s.ack(segment, &[]));
    }
    assert!(s.cwnd() > 100);
    for last in 40..=44 {
        sent.extend(s.ack(38, &[(39, last)]));
    }
    let retreat = s.cwnd();
    // At the jump 18 segments were in flight, 10 later ones were acknowledged, and 3 were SACKed when the loss was
    // found.
    assert_eq!(retreat, (18 + 10 + 3) / 2);
    for last in 45..=100 {
        s.ack(38, &[(39, last)]);
        assert_eq!(s.cwnd(), retreat, "nothing grows");
    }
    // All segments arrive except for the retransmitted one: Beta is a half.
    let end = sent.into_iter().max().unwrap() + 1;
    s.ack(end, &[]);
    assert_eq!(s.ssthresh(), (18 + end - 28 - 1) / 2);
}

#[test]
fn once_all_of_the_jump_is_sent_the_window_grows_again() {
    let (mut s, _) = jumping(&resuming(), 1000);
    run(&mut s, RTT);
    s.ack(11, &[]);
    assert_eq!(s.cwnd(), 151);
}

#[test]
fn after_a_timeout_slow_start_goes_on_without_it() {
    // The application has no more data, so the jump is not over when the timer expires.
    let (mut s, _) = jumping(&resuming(), 50);
    assert_eq!(run(&mut s, RTT / 2).last(), Some(&49));
    s.expire();
    assert_eq!((s.cwnd(), s.end.window().pacing_rate), (1, None));
    s.sends();
    s.ack(11, &[]);
    assert_eq!(s.cwnd(), 2);
}

#[test]
fn a_lost_syn_is_congestion() {
    let data = |config: &Config| {
        let mut pair = Pair::new(config, &common::config(), |number, to_server, _| !to_server || number > 0);
        pair.ends[0].write(0, 1000 * MSS);
        pair.run(4 * ackclock_tcp::SECOND);
        pair.data(0)
    };
    assert!(data(&resuming()).len() > 500);
    assert_eq!(data(&resuming()), data(&config()));
}
