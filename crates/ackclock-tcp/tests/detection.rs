//! Losses found by counting: limited transmit (RFC 3042), early retransmit (RFC 5827), DupThresh and its adaptation;
//! and the retransmission timer of RFC 6298 and of Linux. Numbers are segments.

mod common;

use ackclock_tcp::config::{InitialWindow, RtoRule};
use ackclock_tcp::info::CaState;
use ackclock_tcp::{Config, MILLISECOND, SECOND};
use common::{RTT, Script, config, in_flight};

const NONE: [u64; 0] = [];

/// Plays the `count`-th duplicate ACK, with or without SACK.
fn duplicate(script: &mut Script, sack: bool, count: u64) -> Vec<u64> {
    let block = [(1, 1 + count)];
    script.ack(0, if sack { &block } else { &[] })
}

#[test]
fn without_limited_transmit_duplicates_release_nothing() {
    for sack in [true, false] {
        let mut script = in_flight(&Config { limited_transmit: false, sack, ..config() }, 10, 100);
        assert_eq!(duplicate(&mut script, sack, 1), NONE);
        assert_eq!(duplicate(&mut script, sack, 2), NONE);
        assert_eq!(duplicate(&mut script, sack, 3)[0], 0);
    }
}

//= https://www.rfc-editor.org/rfc/rfc6675#section-5
//= type=test
//# If DupAcks >= DupThresh, go to step (4)
#[test]
fn the_threshold_is_the_one_configured() {
    for sack in [true, false] {
        for dup_thresh in [1, 2, 5] {
            let mut script = in_flight(&Config { dup_thresh, sack, ..config() }, 10, 100);
            for count in 1..dup_thresh {
                assert!(!duplicate(&mut script, sack, u64::from(count)).contains(&0));
            }
            assert!(duplicate(&mut script, sack, u64::from(dup_thresh)).contains(&0), "{sack} {dup_thresh}");
        }
    }
}

mod early_retransmit {
    use super::*;

    fn early(sack: bool) -> Config {
        Config { early_retransmit: true, sack, ..config() }
    }

    #[test]
    fn with_two_or_three_outstanding_all_but_one_suffice() {
        for sack in [true, false] {
            for outstanding in [2, 3] {
                let mut script = in_flight(&early(sack), outstanding, outstanding);
                for count in 1..outstanding - 1 {
                    assert_eq!(duplicate(&mut script, sack, count), NONE);
                }
                assert_eq!(
                    duplicate(&mut script, sack, outstanding - 1),
                    [0],
                    "{outstanding} outstanding, sack {sack}"
                );
            }
        }
    }

    #[test]
    fn with_four_three_are_needed_as_ever() {
        for sack in [true, false] {
            let mut script = in_flight(&early(sack), 4, 4);
            assert_eq!(duplicate(&mut script, sack, 1), NONE);
            assert_eq!(duplicate(&mut script, sack, 2), NONE);
            assert_eq!(duplicate(&mut script, sack, 3), [0]);
        }
    }

    //= https://www.rfc-editor.org/rfc/rfc6928#section-2
    //= type=test
    //# a TCP MAY start with an initial window that is smaller than 10 segments
    #[test]
    fn where_there_is_new_data_limited_transmit_serves_instead() {
        let mut script = in_flight(&Config { initial_window: InitialWindow::Segments(3), ..early(true) }, 3, 10);
        assert_eq!(duplicate(&mut script, true, 1), [3]);
        assert_eq!(duplicate(&mut script, true, 2), [4]);
    }

    #[test]
    fn without_the_switch_two_segments_wait_for_the_timer() {
        let mut script = in_flight(&config(), 2, 2);
        assert_eq!(duplicate(&mut script, true, 1), NONE);
    }
}

mod reordering_without_sack {
    use super::*;

    #[test]
    fn more_duplicates_than_can_be_set_the_threshold() {
        let mut script = in_flight(&Config { sack: false, adapt_dup_thresh: true, ..config() }, 2, 2);
        for _ in 0..4 {
            script.ack(0, &[]);
        }
        let seen = script.end.loss_recovery();
        assert_eq!((seen.dup_thresh, seen.sacked), (2, 1), "one of two at most is no duplicate");
        assert_eq!(seen.counts.reordering_seen, 3);
    }
}

#[test]
fn a_timeout_in_spite_of_sacks_forgets_the_reordering() {
    let config = Config { adapt_dup_thresh: true, ..config() };
    let mut script = in_flight(&config, 10, 20);
    script.ack(0, &[(9, 10)]);
    script.ack(10, &[]);
    assert_eq!(script.end.loss_recovery().dup_thresh, 10);
    script.now += RTT;
    for top in [12, 13, 14, 15] {
        script.ack(10, &[(11, top)]);
    }
    assert_eq!(script.end.loss_recovery().state, CaState::Disorder);
    script.expire();
    assert_eq!(script.end.loss_recovery().dup_thresh, 3);
}

mod timer {
    use super::*;

    fn rule(rto_rule: RtoRule) -> Config {
        Config { rto_rule, min_rto: 200 * MILLISECOND, ..config() }
    }

    /// Time until the timer expires, milliseconds.
    fn timer(script: &Script) -> u64 {
        (script.end.next_timeout() - script.now) / MILLISECOND
    }

    #[test]
    fn linux_adds_its_least_variance_to_the_rtt_where_the_rfc_bounds_the_sum() {
        for (rto_rule, expected) in [(RtoRule::Rfc6298, 200), (RtoRule::Linux, 300)] {
            let mut script = Script::established(&rule(rto_rule), RTT);
            for sent in 0..50 {
                script.write(1);
                script.sends();
                script.now += RTT;
                script.ack(sent + 1, &[]);
            }
            script.write(1);
            script.sends();
            assert_eq!(timer(&script), expected, "{rto_rule:?}");
        }
    }

    #[test]
    fn linux_samples_what_is_sacked() {
        for (rto_rule, sampled) in [(RtoRule::Rfc6298, false), (RtoRule::Linux, true)] {
            let mut script = in_flight(&rule(rto_rule), 10, 10);
            let before = script.end.srtt();
            script.now += RTT;
            script.ack(0, &[(1, 2)]);
            assert_eq!(script.end.srtt() != before, sampled, "{rto_rule:?}");
        }
    }

    #[test]
    fn linux_samples_the_oldest_of_what_an_ack_covers_and_the_rfc_rule_the_newest() {
        for (rto_rule, sample) in [(RtoRule::Rfc6298, 40), (RtoRule::Linux, 100)] {
            let mut script = Script::established(&rule(rto_rule), RTT);
            script.write(1);
            script.sends();
            script.now += 60 * MILLISECOND;
            script.write(1);
            script.sends();
            script.now += 40 * MILLISECOND;
            script.ack(2, &[]);
            let smoothed = 100 * MILLISECOND - 100 * MILLISECOND / 8 + sample * MILLISECOND / 8;
            assert_eq!(script.end.srtt(), Some(smoothed), "{rto_rule:?}");
            assert_eq!(script.end.min_rtt(), Some(40 * MILLISECOND));
        }
    }

    //= https://www.rfc-editor.org/rfc/rfc6675#section-6
    //= type=test
    //# a more careful variant that re-arms the RTO timer on each retransmission that is sent during recovery MAY be
    //# used
    #[test]
    fn the_first_retransmission_restarts_it_in_linux_and_where_a_stack_says_so() {
        let rules = [(RtoRule::Rfc6298, false, 150), (RtoRule::Rfc6298, true, 300), (RtoRule::Linux, false, 316)];
        for (rto_rule, retransmit_restarts_timer, expected) in rules {
            let mut script = in_flight(&Config { retransmit_restarts_timer, ..rule(rto_rule) }, 10, 100);
            let armed = script.end.next_timeout();
            assert_eq!(armed - script.now, 200 * MILLISECOND, "three round trips from when the first was sent");
            script.now += 50 * MILLISECOND;
            for top in [2, 3, 4] {
                script.ack(0, &[(1, top)]);
            }
            assert_eq!(timer(&script), expected, "{rto_rule:?} {retransmit_restarts_timer}");
        }
    }

    //= https://www.rfc-editor.org/rfc/rfc5681#section-4.3
    //= type=test
    //# the loss of a retransmission, should be taken as two indications of congestion and, therefore, cwnd (and
    //# ssthresh) MUST be lowered twice
    #[test]
    fn a_timeout_within_a_recovery_reduces_again_by_the_rfc_and_not_in_linux() {
        for (rto_rule, ssthresh) in [(RtoRule::Rfc6298, 5), (RtoRule::Linux, 10)] {
            let config = Config { initial_window: InitialWindow::Segments(20), ..rule(rto_rule) };
            let mut script = in_flight(&config, 20, 100);
            for top in [2, 3, 4] {
                script.ack(0, &[(1, top)]);
            }
            assert_eq!(script.ssthresh(), 10);
            script.expire();
            assert_eq!(script.ssthresh(), ssthresh, "{rto_rule:?}");
            assert_eq!(script.cwnd(), 1);
        }
    }

    #[test]
    fn with_timestamps_a_retransmission_gives_a_sample_too() {
        let mut script = Script::established(&Config { timestamps: true, ..config() }, RTT);
        script.write(10);
        script.sends();
        script.expire();
        assert_eq!(script.sends(), [0]);
        assert_eq!(script.end.loss_recovery().backoff, 1);
        script.now += 300 * MILLISECOND;
        script.echo = *script.stamps.last().unwrap();
        script.ack(1, &[]);
        assert_eq!(script.end.srtt(), Some((100 * 7 + 300) * MILLISECOND / 8), "RFC 7323 section 4");
        assert_eq!(script.end.loss_recovery().backoff, 0);
        assert!(script.end.next_timeout() - script.now <= SECOND);
    }
}
