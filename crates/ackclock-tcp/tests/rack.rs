//! Losses found by time, and probes for the tail (RFC 8985), with Linux's timers where Linux differs. Numbers are
//! segments, times milliseconds.

mod common;

use ackclock_tcp::config::{InitialWindow, RtoRule};
use ackclock_tcp::info::CaState;
use ackclock_tcp::recovery::Recovery;
use ackclock_tcp::{Config, MILLISECOND, SECOND};
use common::{RTT, Script, config, in_flight, linux};

const NONE: [u64; 0] = [];

fn rack() -> Config {
    Config { rack: true, recovery: Recovery::Prr, ..config() }
}

fn tlp() -> Config {
    Config { tlp: true, ..rack() }
}

/// Time until the timer expires, milliseconds.
fn timer(script: &Script) -> u64 {
    (script.end.next_timeout() - script.now) / MILLISECOND
}

mod detection {
    use super::*;

    //= https://www.rfc-editor.org/rfc/rfc8985#section-3.3.2
    //= type=test
    //# The reordering window SHOULD be set to zero if no reordering has been observed on the connection so far
    #[test]
    fn without_reordering_three_sacked_segments_suffice() {
        let mut script = in_flight(&rack(), 10, 20);
        assert_eq!(script.ack(0, &[(3, 4)]), [10]);
        assert_eq!(script.ack(0, &[(3, 5)]), [11]);
        assert_eq!(script.ack(0, &[(3, 6)]), [0]);
        assert_eq!(script.end.loss_recovery().lost, 3, "0, 1 and 2 were sent before what arrived");
        assert_eq!(script.end.loss_recovery().state, CaState::Recovery);
    }

    //= https://www.rfc-editor.org/rfc/rfc8985#section-3.3.2
    //= type=test
    //# Otherwise, the reordering window SHOULD start from a small fraction of the round-trip time or zero if no
    //# round-trip time estimate is available
    //= https://www.rfc-editor.org/rfc/rfc8985#section-6.2
    //= type=test
    //# it is RECOMMENDED that the sender install a reordering timer
    #[test]
    fn fewer_wait_a_quarter_of_the_least_rtt() {
        let mut script = in_flight(&rack(), 4, 4);
        assert_eq!(script.ack(0, &[(3, 4)]), NONE);
        assert_eq!(script.end.loss_recovery().state, CaState::Disorder);
        assert_eq!(timer(&script), 25);
        script.expire();
        assert_eq!(script.sends(), [0], "three are lost; PRR lets one go for the one that arrived");
        assert_eq!(script.end.loss_recovery().lost, 3);
        assert_eq!(script.end.stats().timeouts, 0);
    }

    #[test]
    fn linux_adds_two_milliseconds_of_slack() {
        let mut script = in_flight(&Config { tlp: false, ..linux() }, 4, 4);
        script.ack(0, &[(3, 4)]);
        assert_eq!(timer(&script), 27);
    }

    //= https://www.rfc-editor.org/rfc/rfc8985#section-8
    //= type=test
    //# When arming a RACK reordering timer or TLP PTO timer, the sender SHOULD cancel any other pending timers
    #[test]
    fn after_the_reordering_timer_the_retransmission_timer_runs_as_it_would_have() {
        let mut script = in_flight(&rack(), 4, 4);
        script.ack(0, &[(3, 4)]);
        script.now += 20 * MILLISECOND;
        // The hole is filled before the timer expires.
        script.ack(4, &[]);
        assert_eq!(script.end.next_timeout(), ackclock_tcp::NEVER);
        assert_eq!(script.end.stats().retransmits, 0);
    }

    #[test]
    fn a_segment_sent_a_reordering_window_before_is_lost_at_once() {
        // RFC 8985 section 9.1, example 1: three segments are sent, each long after the last; the first and the last
        // are lost.
        let mut script = Script::established(&rack(), RTT);
        for _ in 0..3 {
            script.write(1);
            script.sends();
            script.now += 30 * MILLISECOND;
        }
        script.now += 40 * MILLISECOND;
        assert_eq!(script.ack(0, &[(1, 2)]), [0]);
        script.now += RTT;
        assert_eq!(script.ack(2, &[]), [2], "the ACK of the repair tells of what was sent before it");
        script.now += RTT;
        script.ack(3, &[]);
        assert_eq!(script.end.stats().timeouts, 0);
    }

    //= https://www.rfc-editor.org/rfc/rfc8985#section-4
    //= type=test
    //# For each data segment sent, the sender MUST store its most recent transmission time
    #[test]
    fn a_lost_retransmission_is_found_by_a_later_one() {
        // Example 2: P1 and P2 are lost, and so is the retransmission of P1.
        let mut script = Script::established(&Config { recovery: Recovery::Sack, ..rack() }, RTT);
        for _ in 0..3 {
            script.write(1);
            script.sends();
            script.now += 30 * MILLISECOND;
        }
        script.now += 40 * MILLISECOND;
        assert_eq!(script.ack(0, &[(2, 3)]), [0, 1]);
        let reduced = script.ssthresh();
        script.now += RTT;
        assert_eq!(script.ack(0, &[(1, 3)]), [0], "sent before what arrived");
        assert_eq!(script.ssthresh(), reduced, "two segments is the least");
        script.now += RTT;
        script.ack(3, &[]);
        assert_eq!((script.end.stats().timeouts, script.end.stats().recoveries), (0, 1));
    }

    //= https://www.rfc-editor.org/rfc/rfc5681#section-4.3
    //= type=test
    //# the loss of a retransmission, should be taken as two indications of congestion and, therefore, cwnd (and
    //# ssthresh) MUST be lowered twice
    //= https://www.rfc-editor.org/rfc/rfc8985#section-9.3
    //= type=test
    //# when RACK-TLP detects a lost retransmission, the congestion control MUST trigger an additional congestion
    //# response
    #[test]
    fn without_prr_a_lost_retransmission_reduces_the_window_again_once_for_a_round_trip() {
        for (recovery, expected) in [(Recovery::Sack, 5), (Recovery::Prr, 10)] {
            let config = Config { initial_window: InitialWindow::Segments(20), recovery, ..rack() };
            let mut script = in_flight(&config, 20, 1000);
            for top in 2..=20 {
                script.ack(0, &[(1, top)]);
            }
            assert_eq!(script.ssthresh(), 10);
            // New data sent after the retransmission of 0 arrives, and that retransmission does not. When this is
            // known, the whole window in which the first loss was found has been acknowledged.
            script.now += RTT;
            script.ack(0, &[(1, 24)]);
            script.ack(0, &[(1, 25)]);
            assert_eq!(script.end.stats().retransmits, 2, "{recovery:?}");
            assert_eq!(script.ssthresh(), expected, "{recovery:?}");
        }
    }

    #[test]
    fn what_was_sent_after_what_arrived_is_not_lost() {
        let mut script = in_flight(&rack(), 10, 100);
        script.ack(0, &[(3, 4)]);
        script.ack(0, &[(3, 5)]);
        script.ack(0, &[(3, 6)]);
        let lost = script.end.loss_recovery().lost;
        assert_eq!(lost, 3, "10 and 11 of limited transmit were sent after 3, 4 and 5");
    }

    #[test]
    fn an_ack_too_soon_for_a_retransmission_tells_nothing_of_it() {
        let mut script = in_flight(&rack(), 10, 12);
        for top in [4, 5, 6] {
            script.ack(0, &[(3, top)]);
        }
        // 0 was retransmitted, and an ACK of the original arrives 5 ms later: its time does not show that 1 and 2 are
        // lost.
        script.now += 5 * MILLISECOND;
        let lost = script.end.loss_recovery().lost;
        script.ack(1, &[(3, 6)]);
        assert_eq!(script.end.loss_recovery().lost, lost - 1);
    }
}

mod reordering {
    use super::*;

    #[test]
    fn once_seen_losses_wait_for_the_reordering_window() {
        let mut script = in_flight(&rack(), 10, 100);
        script.ack(0, &[(1, 2)]);
        script.ack(2, &[]);
        assert_eq!(script.end.loss_recovery().counts.reordering_seen, 1);
        script.now += 50 * MILLISECOND;
        for top in 4..=9 {
            script.ack(2, &[(3, top)]);
        }
        assert_eq!(script.end.loss_recovery().state, CaState::Disorder, "six SACKed above, and still it waits");
        script.expire();
        assert_eq!(script.end.loss_recovery().state, CaState::Recovery);
    }

    #[test]
    fn the_threshold_follows_its_extent_where_it_adapts() {
        // The extent is the distance from the hole that was filled late to the highest segment that had arrived.
        let adapting = Config { adapt_dup_thresh: true, ..rack() };
        for (config, threshold) in [(adapting, 10), (rack(), 3)] {
            let mut script = in_flight(&config, 10, 10);
            script.ack(0, &[(9, 10)]);
            script.ack(0, &[(3, 4), (9, 10)]);
            let seen = script.end.loss_recovery();
            assert_eq!((seen.dup_thresh, seen.counts.reordering_seen), (threshold.min(7), 1));
            script.ack(10, &[]);
            let seen = script.end.loss_recovery();
            assert_eq!((seen.dup_thresh, seen.counts.reordering_seen), (threshold, 2));
        }
    }

    #[test]
    fn a_retransmission_out_of_order_is_none() {
        let mut script = in_flight(&rack(), 10, 10);
        for top in [4, 5, 6] {
            script.ack(0, &[(1, 2), (3, top)]);
        }
        script.now += RTT;
        script.ack(2, &[(3, 6)]);
        assert_eq!(script.end.loss_recovery().counts.reordering_seen, 0);
    }
}

mod timeouts {
    use super::*;

    #[test]
    fn what_was_sent_lately_is_not_lost_with_the_first() {
        let mut script = Script::established(&rack(), RTT);
        script.write(1);
        script.sends();
        script.now += RTT;
        script.ack(1, &[]);
        script.write(2);
        script.sends();
        // The last segment is sent 900 ms later, shortly before the timeout of the first.
        script.now += 950 * MILLISECOND;
        script.write(1);
        assert_eq!(script.sends(), [3]);
        script.expire();
        let seen = script.end.loss_recovery();
        assert_eq!((seen.lost, seen.outstanding), (2, 3));
        assert_eq!(script.cwnd(), 2, "one in the network and one to send");
        assert_eq!(script.sends(), [1]);
    }
}

mod probes {
    use super::*;

    //= https://www.rfc-editor.org/rfc/rfc8985#section-7.2
    //= type=test
    //# The sender SHOULD start or restart a loss probe PTO timer after transmitting new data (that was not itself a
    //# loss probe) or upon receiving an ACK that cumulatively acknowledges new data
    //= https://www.rfc-editor.org/rfc/rfc8985#section-7.3
    //= type=test
    //# the sender SHOULD retransmit the highest-sequence segment sent so far and set TLP.is_retrans to true
    #[test]
    fn after_two_round_trips_the_last_segment_is_sent_again() {
        let mut script = in_flight(&tlp(), 10, 10);
        assert_eq!(timer(&script), 100, "sent one round trip ago");
        script.expire();
        assert_eq!(script.sends(), [9]);
        assert_eq!(script.end.loss_recovery().counts.probes, 1);
        assert_eq!(timer(&script), 1000, "then the retransmission timer");
    }

    //= https://www.rfc-editor.org/rfc/rfc8985#section-7.3
    //= type=test
    //# the sender SHOULD transmit a previously unsent data segment, if one exists and the receive window allows
    #[test]
    fn new_data_serves_better_even_beyond_the_window() {
        let mut script = in_flight(&tlp(), 10, 20);
        script.expire();
        assert_eq!(script.sends(), [10]);
    }

    //= https://www.rfc-editor.org/rfc/rfc8985#section-7.2
    //= type=test
    //# the sender MAY inflate the PTO by TLP.max_ack_delay to accommodate a potentially delayed acknowledgment
    #[test]
    fn a_lone_segment_allows_for_a_delayed_acknowledgment() {
        let mut script = in_flight(&tlp(), 1, 1);
        assert_eq!(timer(&script), 2 * 100 + 200 - 100);
        let mut linux = in_flight(&linux(), 1, 1);
        // The estimate after the handshake is SRTT 100 and RTO 300; the RTO comes first.
        assert_eq!(timer(&linux), 200);
        script.expire();
        linux.expire();
        assert_eq!((script.sends(), linux.sends()), (vec![0], vec![0]));
    }

    //= https://www.rfc-editor.org/rfc/rfc8985#section-7.3
    //= type=test
    //# the sender MUST check whether both of the following conditions are met before sending a loss probe
    //= https://www.rfc-editor.org/rfc/rfc8985#section-7.3
    //= type=test
    //# the sender MUST skip sending a loss probe and MUST proceed to re-arm the RTO timer
    //= https://www.rfc-editor.org/rfc/rfc8985#section-7.3
    //= type=test
    //# the sender MUST re-arm the RTO timer, not the PTO timer, if the FlightSize is not zero
    #[test]
    fn one_probe_at_a_time() {
        let mut script = in_flight(&tlp(), 10, 10);
        script.expire();
        script.sends();
        script.expire();
        assert_eq!(script.end.stats().timeouts, 1, "the second is a timeout");
        assert_eq!(script.end.loss_recovery().counts.probes, 1);
    }

    //= https://www.rfc-editor.org/rfc/rfc8985#section-7.2
    //= type=test
    //# The sender SHOULD start or restart a loss probe PTO timer after transmitting new data (that was not itself a
    //# loss probe) or upon receiving an ACK that cumulatively acknowledges new data
    #[test]
    fn no_probe_while_sacks_tell() {
        let mut script = in_flight(&Config { rack: false, ..tlp() }, 10, 10);
        script.ack(2, &[(5, 6)]);
        assert_eq!(timer(&script), 1000);
    }

    //= https://www.rfc-editor.org/rfc/rfc8985#section-7.3
    //= type=test
    //# The sender MUST follow the RACK transmission procedures in the "Upon Transmitting a Data Segment" section
    #[test]
    fn the_sack_of_the_probe_finds_the_losses_before_it() {
        // The last three of ten are lost. The probe retransmits the last; its SACK reveals the other losses.
        let mut script = in_flight(&tlp(), 10, 10);
        script.ack(7, &[]);
        script.expire();
        assert_eq!(script.sends(), [9]);
        script.now += RTT;
        assert_eq!(script.ack(7, &[(9, 10)]), [7]);
        assert_eq!(script.end.loss_recovery().state, CaState::Recovery);
        script.now += RTT;
        assert_eq!(script.ack(8, &[(9, 10)]), [8]);
        assert_eq!(script.end.stats().timeouts, 0);
    }

    #[test]
    fn with_timestamps_the_sack_of_the_probe_finds_losses_by_linuxs_rule_and_not_by_the_rfcs() {
        // The peer echoes the timestamp of the segment before the hole, as RFC 7323 section 4.3 demands. RFC 8985 then
        // takes the SACK of the probe for that of the original segment.
        for (config, sent) in [(Config { frto: false, ..linux() }, vec![7]), (tlp(), vec![])] {
            let mut script = in_flight(&Config { timestamps: true, ..config }, 10, 10);
            script.echo = script.stamps[6];
            script.ack(7, &[]);
            script.expire();
            assert_eq!(script.sends(), [9]);
            script.now += RTT;
            assert_eq!(script.ack(7, &[(9, 10)]), sent);
        }
    }

    //= https://www.rfc-editor.org/rfc/rfc8985#section-7.4.2
    //= type=test
    //# it MUST assume that the original data segment, the TLP retransmission, or a corresponding ACK was lost for
    //# congestion control purposes
    //= https://www.rfc-editor.org/rfc/rfc8985#section-7.4.2
    //= type=test
    //# The sender then SHOULD invoke a congestion control response equivalent to a fast recovery
    #[test]
    fn a_loss_that_the_probe_repaired_reduces_the_window() {
        let mut script = in_flight(&tlp(), 10, 10);
        script.ack(9, &[]);
        let before = script.cwnd();
        script.expire();
        assert_eq!(script.sends(), [9]);
        script.now += RTT;
        script.ack(10, &[]);
        assert!(script.cwnd() >= before, "not before an ACK of more: a D-SACK may still say otherwise");
        script.write(1);
        script.sends();
        script.now += RTT;
        script.ack(11, &[]);
        assert!(script.cwnd() < before);
        assert_eq!(script.end.loss_recovery().counts.losses_repaired_by_probes, 1);
        assert_eq!(script.end.loss_recovery().state, CaState::Open);
    }

    //= https://www.rfc-editor.org/rfc/rfc8985#section-7.4.2
    //= type=test
    //# it MUST assume that the original data segment, the TLP retransmission, or a corresponding ACK was lost for
    //# congestion control purposes
    #[test]
    fn a_duplicate_without_sack_says_that_both_arrived() {
        let mut script = in_flight(&tlp(), 10, 10);
        script.ack(9, &[]);
        script.expire();
        script.sends();
        script.now += RTT;
        script.ack(10, &[]);
        script.ack(10, &[]);
        let before = script.cwnd();
        script.write(1);
        script.sends();
        script.now += RTT;
        script.ack(11, &[]);
        assert!(script.cwnd() >= before);
    }

    //= https://www.rfc-editor.org/rfc/rfc8985#section-7.3
    //= type=test
    //# the sender MUST check whether both of the following conditions are met before sending a loss probe
    #[test]
    fn the_rfc_wants_a_sample_between_probes_and_linux_does_not() {
        for (config, probes) in [(tlp(), 1), (linux(), 2)] {
            let mut script = in_flight(&config, 10, 10);
            script.ack(9, &[]);
            script.expire();
            script.sends();
            script.now += RTT;
            // The ACK of the probe is ambiguous, and a duplicate ACK ends the probe's episode.
            script.ack(10, &[]);
            script.ack(10, &[]);
            script.write(1);
            script.sends();
            script.expire();
            script.sends();
            assert_eq!(script.end.loss_recovery().counts.probes, probes);
        }
    }

    //= https://www.rfc-editor.org/rfc/rfc8985#section-8
    //= type=test
    //# When arming a RACK reordering timer or TLP PTO timer, the sender SHOULD cancel any other pending timers
    #[test]
    fn an_earlier_retransmission_timeout_takes_its_place() {
        // The RTO is short: the probe is sent at the time at which the RTO would have expired.
        let config = Config { rto_rule: RtoRule::Rfc6298, min_rto: 10 * MILLISECOND, ..tlp() };
        let mut script = Script::established(&config, RTT);
        for round in 0..40 {
            script.write(1);
            script.sends();
            script.now += RTT;
            script.ack(round + 1, &[]);
        }
        script.write(2);
        script.sends();
        assert!(timer(&script) < 110, "SRTT + 4*RTTVAR is close to one round trip");
        script.expire();
        assert_eq!(script.sends().len(), 1);
        assert_eq!((script.end.loss_recovery().counts.probes, script.end.stats().timeouts), (1, 0));
    }
}

#[test]
fn it_finds_the_same_losses_whatever_the_order_of_sequence_numbers() {
    // The window of 200 never crosses the wrap of sequence numbers in `Script`: the test is about the ring's order and
    // time.
    let mut script = in_flight(&Config { initial_window: InitialWindow::Segments(200), ..rack() }, 200, 1000);
    for top in [4, 8, 12, 16] {
        script.ack(0, &[(top - 1, top)]);
    }
    let seen = script.end.loss_recovery();
    assert_eq!((seen.lost, seen.sacked), (15 - 3, 4));
    assert!(script.end.next_timeout() <= script.now + SECOND);
}
