//! Loss recovery and restart, segment by segment, against a peer played by the test. Numbers are segments.

mod common;

use ackclock_tcp::config::Restart;
use ackclock_tcp::recovery::Recovery;
use ackclock_tcp::{Config, MILLISECOND, SECOND, validation};
use common::peer::Peer;
use common::{MSS, RTT, Script, config, in_flight};

fn sack() -> Config {
    config()
}

fn newreno() -> Config {
    Config { sack: false, ..config() }
}

mod with_sack {
    use super::*;

    //= https://www.rfc-editor.org/rfc/rfc6675#section-5
    //= type=test
    //# Upon the receipt of any ACK containing SACK information, the scoreboard MUST be updated via the Update ()
    //# routine
    //= https://www.rfc-editor.org/rfc/rfc6675#section-5
    //= type=test
    //# the TCP MUST increase DupAcks by one and take the following steps
    //= https://www.rfc-editor.org/rfc/rfc6675#section-5
    //= type=test
    //# ssthresh = cwnd = (FlightSize / 2)
    //= https://www.rfc-editor.org/rfc/rfc6675#section-5
    //= type=test
    //# Retransmit the first data segment presumed dropped
    //= https://www.rfc-editor.org/rfc/rfc7661#section-4.2
    //= type=test
    //# The method RECOMMENDS enabling the TCP SACK option [RFC2018]
    //= https://www.rfc-editor.org/rfc/rfc7661#section-4.2
    //= type=test
    //# RECOMMENDS the method defined in [RFC6675] to recover missing segments
    #[test]
    fn one_loss_is_repaired_without_a_timeout() {
        let mut script = in_flight(&sack(), 10, 100);
        // Segment 0 is lost. Limited transmit: pipe shrinks with each SACK, so each SACK releases one new segment.
        assert_eq!(script.ack(0, &[(1, 2)]), [10]);
        assert_eq!(script.ack(0, &[(1, 3)]), [11]);
        // The third duplicate: 12 segments are outstanding, of which limited transmit sent two; so ssthresh is 5. The
        // first segment is retransmitted; pipe is 12 - 3 - 1 + 1 = 9.
        assert_eq!(script.ack(0, &[(1, 4)]), [0]);
        assert_eq!((script.cwnd(), script.ssthresh()), (5, 5));
        assert_eq!(script.ack(0, &[(1, 5)]), [] as [u64; 0]);
        assert_eq!(script.ack(0, &[(1, 6)]), [] as [u64; 0]);
        assert_eq!(script.ack(0, &[(1, 7)]), [] as [u64; 0]);
        assert_eq!(script.ack(0, &[(1, 8)]), [] as [u64; 0], "pipe 5: no room yet");
        assert_eq!(script.ack(0, &[(1, 9)]), [12]);
        script.now += RTT;
        // The retransmission arrives: recovery ends at ssthresh, and with one segment in flight four more can be sent.
        assert_eq!(script.ack(12, &[]), [13, 14, 15, 16]);
        assert_eq!(script.cwnd(), 5);
        assert_eq!(script.end.stats().timeouts, 0);
        assert_eq!(script.end.stats().retransmits, 1);
    }

    //= https://www.rfc-editor.org/rfc/rfc5681#section-4.3
    //= type=test
    //# We RECOMMEND that TCP implementors employ some form of advanced loss recovery
    //= https://www.rfc-editor.org/rfc/rfc6675#section-4
    //= type=test
    //# the sequence range of one segment of up to SMSS octets starting with S2 MUST be returned
    //= https://www.rfc-editor.org/rfc/rfc6675#section-5
    //= type=test
    //# Upon receipt of an ACK that does not cover RecoveryPoint, the following actions MUST be taken
    #[test]
    fn several_losses_are_repaired_in_one_round_trip() {
        let mut script = in_flight(&sack(), 10, 100);
        // Segments 0, 2 and 4 are lost.
        assert_eq!(script.ack(0, &[(1, 2)]), [10]);
        assert_eq!(script.ack(0, &[(3, 4), (1, 2)]), [11]);
        // Three separate ranges lie above 0, so 0 is lost (IsLost by count of ranges).
        assert_eq!(script.ack(0, &[(5, 6), (3, 4), (1, 2)]), [0]);
        // More than two segments' worth is SACKed above 2, then above 4.
        assert_eq!(script.ack(0, &[(5, 7), (3, 4), (1, 2)]), [] as [u64; 0]);
        assert_eq!(script.ack(0, &[(5, 8), (3, 4), (1, 2)]), [] as [u64; 0], "0, 2 and 4 are lost, pipe is 5: full");
        assert_eq!(script.ack(0, &[(5, 9), (3, 4), (1, 2)]), [2]);
        assert_eq!(script.ack(0, &[(5, 10), (3, 4), (1, 2)]), [4]);
        assert_eq!(script.ack(0, &[(5, 11), (3, 4), (1, 2)]), [12]);
        assert_eq!(script.end.stats().recoveries, 1);
        assert_eq!(script.end.stats().retransmits, 3);
    }

    //= https://www.rfc-editor.org/rfc/rfc5681#section-4.3
    //= type=test
    //# when the first loss in a window of data is detected, ssthresh MUST be set to no more than the value given by
    //# equation (4)
    //= https://www.rfc-editor.org/rfc/rfc5681#section-4.3
    //= type=test
    //# cwnd MUST be set to no more than ssthresh and congestion avoidance MUST be used to further increase cwnd
    //= https://www.rfc-editor.org/rfc/rfc6675#section-5
    //= type=test
    //# RecoveryPoint = HighData
    //= https://www.rfc-editor.org/rfc/rfc6675#section-5
    //= type=test
    //# the loss recovery phase MUST be terminated
    #[test]
    fn one_window_is_halved_once() {
        let mut script = in_flight(&sack(), 10, 100);
        script.ack(0, &[(1, 2)]);
        script.ack(0, &[(1, 3)]);
        script.ack(0, &[(1, 4)]);
        let ssthresh = script.ssthresh();
        for top in 5..=10 {
            script.ack(0, &[(1, top)]);
        }
        assert_eq!(script.ssthresh(), ssthresh);
        assert_eq!(script.end.stats().recoveries, 1);
    }

    #[test]
    fn the_tail_gets_one_rescue_retransmission() {
        // There are ten segments and no more: 0, 8 and 9 are lost. Nothing above 8 is ever SACKed.
        let mut script = in_flight(&sack(), 10, 10);
        assert_eq!(
            first_round_trip(&mut script, 8),
            [0],
            "segment 0 may be all that was lost: HighACK has not passed it"
        );
        script.now += RTT;
        assert_eq!(script.ack(8, &[]), [9], "rule 4: the last segment, once");
        script.now += RTT;
        assert_eq!(script.ack(8, &[(9, 10)]), [8], "rule 3: a hole below the highest SACK, lost or not");
        script.ack(10, &[]);
        assert_eq!(script.end.stats().timeouts, 0);
    }

    /// Segment 0 is lost and the segments up to `top` are SACKed one by one; returns the segments sent.
    fn first_round_trip(script: &mut Script, top: u64) -> Vec<u64> {
        (2..=top).flat_map(|top| script.ack(0, &[(1, top)])).collect()
    }

    #[test]
    fn no_rescue_leaves_before_the_first_retransmission_is_acknowledged() {
        // RFC 6675 section 5 step 4.3 sets RescueRxt to the end of that retransmission, "to prevent [...] a premature
        // rescue retransmission". The application has no more to send, and only one segment was lost.
        for recovery in [Recovery::Sack, Recovery::PrrCrb, Recovery::PrrSsrb, Recovery::Prr] {
            let mut script = in_flight(&Config { recovery, ..sack() }, 10, 10);
            assert_eq!(first_round_trip(&mut script, 10), [0], "{recovery:?}");
            script.now += RTT;
            assert_eq!(script.ack(10, &[]), [] as [u64; 0], "{recovery:?}");
            assert_eq!(script.end.stats().retransmits, 1, "{recovery:?}");
        }
    }

    #[test]
    fn a_stack_without_the_rule_sends_no_rescue() {
        let mut script = in_flight(&Config { rescue: false, ..sack() }, 10, 10);
        assert_eq!(first_round_trip(&mut script, 8), [0]);
        script.now += RTT;
        assert_eq!(script.ack(8, &[]), [] as [u64; 0]);
    }

    #[test]
    fn a_rescue_that_is_lost_is_retransmitted_like_any_other_segment() {
        // Rule 4: "HighRxt MUST NOT be updated", so rule 1 finds the segment again, and pipe does not count the rescue.
        let mut script = in_flight(&sack(), 10, 10);
        first_round_trip(&mut script, 8);
        script.now += RTT;
        assert_eq!(script.ack(8, &[]), [9]);
        script.write(4);
        assert_eq!(script.sends(), [10, 11, 12], "pipe is 2, of the two originals, and cwnd is 5");
        script.now += RTT;
        assert_eq!(script.ack(8, &[(10, 11)]), [13]);
        assert_eq!(script.ack(8, &[(10, 12)]), [8], "rule 3");
        assert_eq!(script.ack(8, &[(10, 13)]), [9], "three segments are SACKed above it: rule 1");
    }

    #[test]
    fn reordering_below_the_threshold_changes_nothing() {
        let mut script = in_flight(&sack(), 10, 100);
        script.ack(0, &[(1, 2)]);
        script.ack(0, &[(1, 3)]);
        script.ack(3, &[]);
        assert_eq!(script.end.stats().retransmits, 0);
        assert!(script.cwnd() >= 10);
    }

    //= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
    //= type=test
    //# a sender using SACK [RFC2018] MUST NOT send new data unless the incoming duplicate acknowledgment contains new
    //# SACK information
    #[test]
    fn duplicate_acks_without_news_are_no_sign_of_loss() {
        let mut script = in_flight(&sack(), 10, 100);
        for _ in 0..10 {
            assert_eq!(script.ack(0, &[]), [] as [u64; 0]);
        }
        assert_eq!(script.end.stats().recoveries, 0);
    }
}

mod without_sack {
    use super::*;

    //= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
    //= type=test
    //# The TCP sender SHOULD use the "fast retransmit" algorithm to detect and repair loss
    //= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
    //= type=test
    //# On the first and second duplicate ACKs received at a sender, a TCP SHOULD send a segment of previously unsent
    //# data per [RFC3042]
    //= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
    //= type=test
    //# The lost segment starting at SND.UNA MUST be retransmitted and cwnd set to ssthresh plus 3*SMSS
    //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
    //= type=test
    //# recover is set to the initial send sequence number
    #[test]
    fn limited_transmit_then_fast_retransmit_on_the_third_duplicate() {
        let mut script = in_flight(&newreno(), 10, 100);
        assert_eq!(script.ack(0, &[]), [10]);
        assert_eq!(script.ack(0, &[]), [11]);
        // FlightSize is 10 without the segments of limited transmit: ssthresh is 5; the window is inflated by three to
        // 8.
        assert_eq!(script.ack(0, &[]), [0]);
        assert_eq!(script.ssthresh(), 5);
        for _ in 0..4 {
            assert_eq!(script.ack(0, &[]), [] as [u64; 0], "5 + 7 duplicates = 12: full");
        }
        assert_eq!(script.ack(0, &[]), [12]);
    }

    //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
    //= type=test
    //# retransmit the first unacknowledged segment
    //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
    //= type=test
    //# Do not exit the fast recovery procedure
    #[test]
    fn a_partial_acknowledgment_repairs_the_next_hole() {
        let mut script = in_flight(&newreno(), 10, 100);
        for _ in 0..3 {
            script.ack(0, &[]);
        }
        // 0 and 4 were lost. After the retransmission of 0, the ACK covers the data up to 4.
        script.now += RTT;
        // The window is deflated to 5 + 3 - 4 + 1 = 5, with 8 outstanding: only the hole is retransmitted.
        assert_eq!(script.ack(4, &[]), [4]);
        assert_eq!(script.end.stats().recoveries, 1);
        script.now += RTT;
        // A full acknowledgment ends the recovery with at most ssthresh.
        script.ack(12, &[]);
        assert!(script.cwnd() <= script.ssthresh());
        assert_eq!(script.end.stats().recoveries, 1);
        assert_eq!(script.end.stats().retransmits, 2);
    }

    //= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
    //= type=test
    //# a TCP MUST set cwnd to ssthresh (the value set in step 2)
    //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
    //= type=test
    //# Set cwnd to either (1) min (ssthresh, max(FlightSize, SMSS) + SMSS) or (2) ssthresh
    //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
    //= type=test
    //# Exit the fast recovery procedure
    #[test]
    fn a_full_acknowledgment_of_everything_leaves_no_burst() {
        let mut script = in_flight(&newreno(), 10, 10);
        for _ in 0..5 {
            script.ack(0, &[]);
        }
        assert_eq!(script.ssthresh(), 5);
        script.now += RTT;
        script.ack(10, &[]);
        assert_eq!(script.cwnd(), 2, "min(ssthresh, max(FlightSize, SMSS) + SMSS)");
    }

    //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
    //= type=test
    //# For the first partial ACK that arrives during fast recovery, also reset the retransmit timer
    #[test]
    fn only_the_first_partial_acknowledgment_restarts_the_timer() {
        let mut script = in_flight(&newreno(), 10, 12);
        for _ in 0..3 {
            script.ack(0, &[]);
        }
        script.now += RTT;
        script.ack(2, &[]);
        let armed = script.end.next_timeout();
        assert_eq!(armed, script.now + SECOND);
        script.now += RTT;
        script.ack(4, &[]);
        assert_eq!(script.end.next_timeout(), armed, "the impatient variant");
    }

    //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
    //= type=test
    //# the TCP sender first checks the value of recover to see if the Cumulative Acknowledgment field covers more
    //# than recover
    //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
    //= type=test
    //# If so, the value of recover is incremented to the value of the highest sequence number transmitted by the TCP
    //# so far
    //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
    //= type=test
    //# If not, the TCP does not enter fast retransmit and does not reset ssthresh
    #[test]
    fn duplicates_of_the_last_window_start_no_second_recovery() {
        let mut script = in_flight(&newreno(), 10, 100);
        for _ in 0..3 {
            script.ack(0, &[]);
        }
        script.now += RTT;
        script.ack(12, &[]);
        for _ in 0..5 {
            script.ack(12, &[]);
        }
        assert_eq!(script.end.stats().recoveries, 1, "the ACK must cover more than recover");
    }
}

mod timeout {
    use super::*;

    //= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
    //= type=test
    //# cwnd MUST be set to no more than the loss window, LW, which equals 1 full-sized segment
    #[test]
    fn everything_outstanding_is_sent_again_in_slow_start() {
        for config in [sack(), newreno()] {
            let mut script = in_flight(&config, 10, 100);
            script.expire();
            assert_eq!(script.end.stats().timeouts, 1);
            assert_eq!((script.cwnd(), script.ssthresh()), (1, 5));
            assert_eq!(script.sends(), [0]);
            script.now += RTT;
            assert_eq!(script.ack(1, &[]), [1, 2]);
            script.now += RTT;
            assert_eq!(script.ack(3, &[]), [3, 4, 5], "one segment an ACK (RFC 3465 section 2.3): cwnd 3");
        }
    }

    //= https://www.rfc-editor.org/rfc/rfc6675#section-5.1
    //= type=test
    //# a SACK TCP sender SHOULD utilize all SACK information made available during the loss recovery following an RTO
    #[test]
    fn what_was_sacked_is_not_sent_again() {
        let mut script = in_flight(&sack(), 10, 10);
        script.ack(0, &[(4, 5)]);
        script.ack(0, &[(8, 9), (4, 5)]);
        script.expire();
        let mut sent = script.sends();
        for ack in [1, 2, 3, 5, 6, 7, 9] {
            sent.extend(script.ack(ack, &[]));
        }
        assert_eq!(sent, [0, 1, 2, 3, 5, 6, 7, 9]);
    }

    //= https://www.rfc-editor.org/rfc/rfc6298#section-5
    //= type=test
    //# a segment is never retransmitted too early, i.e., less than one RTO after the previous transmission of that
    //# segment
    //= https://www.rfc-editor.org/rfc/rfc6298#section-5
    //= type=test
    //# Start the retransmission timer, such that it expires after RTO seconds (for the value of RTO after the
    //# doubling
    #[test]
    fn the_timer_doubles_and_keeps_ssthresh() {
        let mut script = in_flight(&sack(), 10, 100);
        let sent_at = script.now - RTT;
        script.expire();
        assert_eq!(script.now, sent_at + SECOND);
        script.sends();
        for exponent in 1..5 {
            let before = script.now;
            script.expire();
            script.sends();
            assert_eq!(script.now - before, SECOND << exponent);
        }
        assert_eq!(script.ssthresh(), 5, "RFC 5681 section 3.1: not again for the same segment");
    }

    //= https://www.rfc-editor.org/rfc/rfc6298#section-3
    //= type=test
    //# TCP MUST use Karn's algorithm [KP87] for taking RTT samples
    //= https://www.rfc-editor.org/rfc/rfc6298#section-3
    //= type=test
    //# RTT samples MUST NOT be made using segments that were retransmitted
    #[test]
    fn a_retransmitted_segment_gives_no_sample() {
        let mut script = in_flight(&sack(), 10, 1000);
        let srtt = script.end.srtt();
        script.expire();
        script.sends();
        script.now += 7 * RTT;
        script.ack(1, &[]);
        assert_eq!(script.end.srtt(), srtt, "Karn's rule");
    }

    //= https://www.rfc-editor.org/rfc/rfc6298#section-5
    //= type=test
    //# When all outstanding data has been acknowledged, turn off the retransmission timer
    #[test]
    fn it_is_off_when_nothing_is_outstanding() {
        let mut script = in_flight(&sack(), 10, 10);
        assert_ne!(script.end.next_timeout(), ackclock_tcp::NEVER);
        script.ack(10, &[]);
        assert_eq!(script.end.next_timeout(), ackclock_tcp::NEVER);
    }
}

#[test]
fn one_ack_adds_no_more_than_two_segments_in_slow_start() {
    let mut script = in_flight(&config(), 10, 100);
    script.ack(8, &[]);
    assert_eq!(script.cwnd(), 12, "RFC 3465 section 2.2: L = 2");
}

mod restart_after_idle {
    use super::*;

    /// Grows the window to 20 until everything is acknowledged, waits, and sends again.
    fn after_idle(config: Config, idle: u64) -> Script {
        let mut script = in_flight(&config, 10, 30);
        script.ack(5, &[]);
        for ack in [7, 9, 11, 13, 15, 17, 19, 20, 30] {
            script.ack(ack, &[]);
        }
        assert!(script.cwnd() >= 25);
        script.now += idle;
        script.write(100);
        script
    }

    fn with(restart: Restart) -> Config {
        Config { restart, ..config() }
    }

    //= https://www.rfc-editor.org/rfc/rfc5681#section-4.1
    //= type=test
    //# a TCP SHOULD set cwnd to no more than RW before beginning transmission if the TCP has not sent data in an
    //# interval exceeding the retransmission timeout
    //= https://www.rfc-editor.org/rfc/rfc6928#section-2
    //= type=test
    //# a TCP MAY set the restart window to the minimum of the value used for the initial window and the current value
    //# of cwnd
    #[test]
    fn the_window_is_the_restart_window_after_an_rto() {
        let mut script = after_idle(with(Restart::Rfc5681), 1100 * MILLISECOND);
        assert_eq!(script.sends().len(), 10);
        assert_eq!(script.end.window().ssthresh, u64::MAX, "ssthresh stays");
    }

    /// FreeBSD 14 sys/netinet/cc/cc.c, newreno_cc_after_idle, and FreeBSD 10 sys/netinet/cc/cc_newreno.c,
    /// newreno_after_idle: four segments of 1,000 bytes are less than the 4,380 bytes of RFC 3390.
    #[test]
    fn freebsd_raises_ssthresh_and_freebsd_10_restarts_from_a_smaller_window() {
        for (restart, window, raised) in
            [(Restart::FreeBsd, 10, 8), (Restart::FreeBsd10, 4, 5), (Restart::Rfc5681, 10, 5)]
        {
            let mut script = in_flight(&with(restart), 10, 60);
            for high in 2..10 {
                script.ack(0, &[(1, high)]);
            }
            script.now += RTT;
            assert_eq!(script.ssthresh(), 5);
            while script.end.acked() < 60 * MSS {
                let acked = script.end.acked() / MSS;
                script.ack((acked + 2).min(script.end.sent() / MSS), &[]);
            }
            assert_eq!(script.cwnd(), 11);
            script.now += 1100 * MILLISECOND;
            script.write(100);
            assert_eq!((script.sends().len(), script.ssthresh()), (window, raised), "{restart:?}");
        }
    }

    /// FreeBSD 10 sys/netinet/tcp_output.c: `ticks - tp->t_rcvtime`. A server whose client asks before it answers is never
    /// idle.
    #[test]
    fn freebsd_10_counts_idle_time_from_the_last_segment_that_arrived() {
        for (asked, window) in [(false, 4), (true, 11)] {
            let mut peer = Peer::established(&with(Restart::FreeBsd10));
            peer.end.write(peer.now, MSS);
            peer.all();
            let ack = peer.segment(0, 0, MSS);
            peer.give(&ack);
            peer.now += 2 * SECOND;
            if asked {
                let request = peer.segment(0, 100, MSS);
                peer.give(&request);
                peer.now += 500 * MILLISECOND;
                peer.all();
            }
            peer.end.write(peer.now, 30 * MSS);
            assert_eq!(peer.all().len(), window, "asked: {asked}");
        }
    }

    #[test]
    fn a_shorter_pause_changes_nothing() {
        let mut script = after_idle(with(Restart::Rfc5681), 900 * MILLISECOND);
        assert!(script.sends().len() >= 25);
    }

    #[test]
    fn off_keeps_the_window() {
        let mut script = after_idle(with(Restart::Off), 100 * SECOND);
        assert!(script.sends().len() >= 25);
    }

    #[test]
    fn a_validation_with_a_rule_for_idle_replaces_it() {
        let kept = validation::by_name("newcwv").unwrap();
        let mut script = after_idle(Config { validation: kept, ..config() }, 2 * SECOND);
        assert!(script.sends().len() >= 25, "RFC 7661 section 4.3: the window is preserved");
        let decaying = validation::by_name("rfc2861").unwrap();
        let mut script = after_idle(Config { validation: decaying, ..config() }, 2 * SECOND);
        assert_eq!(script.sends().len() as u64, script.cwnd());
        assert!((5..10).contains(&script.cwnd()), "RFC 2861 section 3.2: halved twice, not the restart window");
    }

    #[test]
    fn the_flawed_control_sets_ssthresh() {
        let mut lowered = after_idle(with(Restart::LowersSsthresh), 2 * SECOND);
        lowered.sends();
        assert_eq!((lowered.cwnd(), lowered.ssthresh()), (10, 10));
        let mut raised = after_idle(with(Restart::RaisesSsthresh), 2 * SECOND);
        raised.sends();
        assert_eq!((raised.cwnd(), raised.end.window().ssthresh), (10, u64::MAX));
    }
}

#[test]
fn a_window_update_is_no_duplicate_ack() {
    let mut script = in_flight(&newreno(), 10, 100);
    for window in [61_000, 62_000, 63_000, 64_000] {
        script.window = window;
        assert_eq!(script.ack(0, &[]), [] as [u64; 0]);
    }
    assert_eq!(script.end.stats().recoveries, 0, "RFC 5681 section 2, condition (e)");
}

//= https://www.rfc-editor.org/rfc/rfc6675#section-4
//= type=test
//# SACKed data MUST NOT be removed from the TCP's retransmission buffer until the data is cumulatively acknowledged
//= https://www.rfc-editor.org/rfc/rfc6675#section-5.1
//= type=test
//# Update () SHOULD continue to be used appropriately upon receipt of ACKs
#[test]
fn after_reneging_the_same_blocks_count_anew() {
    let mut script = in_flight(&sack(), 10, 10);
    script.ack(0, &[(1, 2)]);
    // The receiver acknowledges 0 but not 1, and so withdraws its SACK of 1.
    script.ack(1, &[(4, 5)]);
    script.expire();
    let mut sent = script.sends();
    sent.extend(script.ack(3, &[(4, 5)]));
    assert!(sent.starts_with(&[1, 3, 5]), "{sent:?}: 1 was never acknowledged; 4 is reported again and not sent");
}

/// Ten segments are sent, the last with the FIN; the fourth and the ninth are lost. The block that reports the tenth
/// covers its FIN, so that the tenth counts as arrived and the ninth is known to be missing below it.
#[test]
fn a_loss_before_the_fin_is_repaired_without_a_timeout() {
    let mut lost = vec![3, 8];
    let isn = u32::MAX - 5000;
    let mut pair = common::Pair::new(&config(), &config(), |_, from_client, segment| {
        let offset = u64::from(segment.seq.wrapping_sub(isn).wrapping_sub(1)) / common::MSS;
        let strikes = from_client && segment.len > 0 && lost.contains(&offset);
        lost.retain(|other| !strikes || *other != offset);
        !strikes
    });
    pair.run(200 * MILLISECOND);
    pair.ends[0].write(pair.now, 10 * common::MSS);
    pair.ends[0].close(pair.now);
    pair.run(10 * SECOND);
    assert_eq!(pair.ends[1].received(), 10 * common::MSS);
    let stats = pair.ends[0].stats();
    assert_eq!((stats.retransmits, stats.timeouts), (2, 0), "each lost segment once, nothing else");
}
