//! F-RTO: the two ACKs after a timeout show whether it was spurious (RFC 5682). Numbers are segments.

mod common;

use ackclock_tcp::info::CaState;
use ackclock_tcp::{Config, MILLISECOND};
use common::{MSS, Script, config, linux};

const RTT: u64 = 100 * MILLISECOND;
const NONE: [u64; 0] = [];

fn frto(sack: bool) -> Config {
    Config { frto: true, sack, ..config() }
}

/// Ten segments are in flight and their retransmission timer expires; the first segment was retransmitted.
fn timed_out(config: &Config, written: u64) -> Script {
    let mut script = Script::established(config, RTT);
    script.write(written);
    assert_eq!(script.sends(), (0..10).collect::<Vec<u64>>());
    script.expire();
    assert_eq!(script.sends(), [0]);
    assert_eq!((script.cwnd(), script.ssthresh()), (1, 5));
    script
}

fn restored(script: &Script) -> bool {
    script.end.window().ssthresh == u64::MAX && script.cwnd() >= 10
}

//= https://www.rfc-editor.org/rfc/rfc9438#section-4.9.1
//= type=test
//# An implementation MAY detect spurious timeouts based on the mechanisms described in Forward RTO-Recovery [RFC5682]
#[test]
fn two_advances_show_that_nothing_was_lost() {
    for sack in [true, false] {
        let mut script = timed_out(&frto(sack), 100);
        // Step 2.b: after the ACK of 0, two new segments are sent, and 1 and 2 are not retransmitted.
        assert_eq!(script.ack(1, &[]), [10, 11]);
        assert!(!restored(&script));
        // Step 3.b: 1 was sent once, and has arrived.
        let sent = script.ack(2, &[]);
        assert!(restored(&script), "sack {sack}");
        assert!(sent.iter().all(|&offset| offset >= 12), "{sent:?}");
        let seen = script.end.loss_recovery();
        assert_eq!((seen.state, seen.counts.spurious_timeouts, seen.lost), (CaState::Open, 1, 0));
        assert_eq!(script.end.stats().retransmits, 1);
    }
}

#[test]
fn a_duplicate_after_the_new_data_shows_that_the_loss_was_real() {
    for sack in [true, false] {
        let mut script = timed_out(&frto(sack), 100);
        assert_eq!(script.ack(1, &[]), [10, 11]);
        // Step 3.a: 1 is missing.
        let sent = if sack { script.ack(1, &[(10, 11)]) } else { script.ack(1, &[]) };
        // Conventional recovery follows with three segments in the network. Two of them are the new data; with SACK one
        // of these was SACKed and does not count.
        assert_eq!(sent, if sack { vec![1, 2] } else { vec![1] });
        assert!(!restored(&script));
        assert_eq!(script.end.loss_recovery().counts.spurious_timeouts, 0);
    }
}

#[test]
fn without_sack_a_duplicate_first_ends_it() {
    let mut script = timed_out(&frto(false), 100);
    // Step 2.a.
    assert_eq!(script.ack(0, &[]), NONE);
    assert_eq!(script.ack(1, &[]), [1, 2]);
}

#[test]
fn with_sack_duplicates_before_the_first_advance_are_no_answer() {
    // RFC 5682 section 3.1: SACKs of 2 and 3 update the scoreboard; step 2 continues to wait.
    let mut script = timed_out(&frto(true), 100);
    assert_eq!(script.ack(0, &[(2, 4)]), NONE);
    assert_eq!(script.ack(1, &[(2, 4)]), [10, 11]);
    script.ack(2, &[(2, 4)]);
    script.ack(4, &[]);
}

#[test]
fn linux_takes_the_first_news_of_an_original() {
    // With Linux's rule, the SACK of data that was sent once, before the timeout, suffices.
    let config = Config { tlp: false, rack: false, dsack_undo: false, eifel: false, ..linux() };
    let mut script = timed_out(&config, 100);
    script.ack(0, &[(2, 4)]);
    assert!(restored(&script));
    assert_eq!(script.end.loss_recovery().counts.spurious_timeouts, 1);
}

#[test]
fn an_acknowledgment_of_everything_needs_no_answer() {
    let mut script = timed_out(&frto(true), 10);
    script.ack(10, &[]);
    assert_eq!(script.end.loss_recovery().state, CaState::Open);
    assert!(!restored(&script), "nothing tells whether it was spurious");
}

#[test]
fn without_new_data_recovery_is_conventional() {
    for sack in [true, false] {
        let mut script = timed_out(&frto(sack), 10);
        assert_eq!(script.ack(1, &[]), [1, 2]);
        assert!(!restored(&script));
    }
}

#[test]
fn a_shut_window_leaves_no_room_for_it() {
    let mut script = Script::established(&frto(true), RTT);
    script.write(100);
    script.sends();
    script.window = 0;
    script.expire();
    script.sends();
    let nxt = script.end.sent() / MSS;
    assert_eq!(nxt, 10);
    assert_eq!(script.ack(1, &[]), [1, 2], "the peer takes nothing new");
}

#[test]
fn it_starts_afresh_when_the_same_segment_times_out_again() {
    let mut script = timed_out(&frto(true), 100);
    script.expire();
    assert_eq!(script.sends(), [0]);
    assert_eq!(script.ack(1, &[]), [10, 11]);
    script.ack(2, &[]);
    assert!(restored(&script));
}

#[test]
fn a_timeout_within_fast_recovery_is_taken_for_real() {
    let mut script = Script::established(&frto(true), RTT);
    script.write(100);
    script.sends();
    script.now += RTT;
    for top in [2, 3, 4] {
        script.ack(0, &[(1, top)]);
    }
    assert_eq!(script.end.loss_recovery().state, CaState::Recovery);
    script.expire();
    script.sends();
    let sent = script.ack(1, &[(1, 4)]);
    assert!(sent.iter().all(|&offset| offset < 12), "what was outstanding again, nothing new: {sent:?}");
}

#[test]
fn without_the_switch_what_was_outstanding_is_sent_again_at_once() {
    let mut script = timed_out(&config(), 100);
    assert_eq!(script.ack(1, &[]), [1, 2]);
}
