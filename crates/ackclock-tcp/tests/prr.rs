//! Reduction of the window in recovery: the worked examples of RFC 6937 section 3 and RFC 9937 section 8, and the
//! differences between the rules. Numbers are segments.

mod common;

use ackclock_tcp::config::InitialWindow;
use ackclock_tcp::recovery::Recovery;
use ackclock_tcp::{Config, MILLISECOND};
use common::{Script, config};

const RTT: u64 = 100 * MILLISECOND;

/// Makes a sender with twenty segments in flight, a full window, and more data than it ever sends.
fn twenty_in_flight(config: Config) -> Script {
    let mut script = Script::established(&Config { initial_window: InitialWindow::Segments(20), ..config }, RTT);
    script.write(1000);
    assert_eq!(script.sends(), (0..20).collect::<Vec<u64>>());
    script.now += RTT;
    script
}

fn with(recovery: Recovery) -> Config {
    Config { recovery, ..config() }
}

/// Result of an ACK: cwnd and the volume in flight before anything is sent, and the segments sent.
#[derive(PartialEq, Eq, Debug)]
struct Line {
    cwnd: u64,
    in_flight: u32,
    sent: String,
}

/// Acknowledges `ack` with `block`, and records the result: N for a new segment, R for a retransmission.
fn line(script: &mut Script, ack: u64, blocks: &[(u64, u64)]) -> Line {
    script.take(ack, blocks);
    let (cwnd, in_flight) = (script.cwnd(), script.in_flight());
    let before = script.end.sent() / common::MSS;
    let sent = script.sends().iter().map(|&offset| if offset < before { 'R' } else { 'N' }).collect();
    Line { cwnd, in_flight, sent }
}

/// The first 1 or 15 of 20 segments are lost; the others of that flight and those of limited transmit are SACKed one by
/// one.
fn example(recovery: Recovery, lost: u64) -> Vec<Line> {
    let mut script = twenty_in_flight(with(recovery));
    (lost..22).map(|number| line(&mut script, 0, &[(lost, number + 1)])).collect()
}

fn cwnds(lines: &[Line]) -> Vec<u64> {
    lines.iter().map(|line| line.cwnd).collect()
}

fn sent(lines: &[Line]) -> Vec<&str> {
    lines.iter().map(|line| line.sent.as_str()).collect()
}

fn in_flight(lines: &[Line]) -> Vec<u32> {
    lines.iter().map(|line| line.in_flight).collect()
}

mod rfc_9937 {
    use super::*;

    //= https://www.rfc-editor.org/rfc/rfc9937#section-3
    //= type=test
    //# a connection MUST NOT send data if inflight (see below) matches or exceeds cwnd
    //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
    //= type=test
    //# out = DIV_ROUND_UP(prr_delivered * ssthresh, RecoverFS)
    //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
    //= type=test
    //# With SACK, DeliveredData can be computed precisely as the change in SND.UNA, plus the signed change in
    //# quantity of data marked SACKed in the scoreboard
    //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
    //= type=test
    //# SndCnt = MIN(ssthresh - inflight, SndCnt)
    //= https://www.rfc-editor.org/rfc/rfc9937#section-6.3
    //= type=test
    //# prr_out += (data sent)
    #[test]
    fn figure_1_prr_sends_for_every_second_ack_until_ssthresh() {
        let lines = example(Recovery::Prr, 1);
        // At ACK 19 the figure sends one segment more, and at ACK 20 none: it uses proportional reduction at in_flight
        // = ssthresh. The algorithm of section 6.2 (and Linux) uses the bound, which waits for the next ACK.
        let c = [20, 20, 19, 18, 18, 17, 17, 16, 16, 15, 15, 14, 14, 13, 13, 12, 12, 11, 10, 10, 10];
        let i = [19, 19, 18, 18, 17, 17, 16, 16, 15, 15, 14, 14, 13, 13, 12, 12, 11, 11, 10, 9, 9];
        assert_eq!(cwnds(&lines), c);
        assert_eq!(in_flight(&lines), i);
        let s = "N N R  N  N  N  N  N  N  N   N N";
        assert_eq!(sent(&lines), s.split(' ').collect::<Vec<&str>>());
    }

    //= https://www.rfc-editor.org/rfc/rfc9937#section-6.1
    //= type=test
    //# a data sender using PRR MUST initialize the PRR state
    #[test]
    fn a_second_recovery_starts_from_nothing() {
        let mut first = Script::established(&with(Recovery::Prr), RTT);
        first.write(1000);
        first.sends();
        first.now += RTT;
        let expected: Vec<Line> = (1..=11).map(|top| line(&mut first, 0, &[(1, 1 + top)])).collect();
        // The same holds with ten segments in flight at the end of the recovery of figure 1.
        let mut second = twenty_in_flight(with(Recovery::Prr));
        for top in 2..=22 {
            second.ack(0, &[(1, top)]);
        }
        second.now += RTT;
        let una = second.end.sent() / common::MSS;
        second.ack(una, &[]);
        assert_eq!((second.cwnd(), second.in_flight()), (10, 10));
        second.now += RTT;
        let found: Vec<Line> = (1..=11).map(|top| line(&mut second, una, &[(una + 1, una + 1 + top)])).collect();
        assert_eq!(found, expected);
    }

    //= https://www.rfc-editor.org/rfc/rfc9937#section-6.4
    //= type=test
    //# cwnd = ssthresh
    #[test]
    fn figure_1_the_full_acknowledgment_ends_it_at_ssthresh() {
        let mut script = twenty_in_flight(with(Recovery::Prr));
        for number in 1..22 {
            script.ack(0, &[(1, number + 1)]);
        }
        let last = line(&mut script, 22, &[]);
        assert_eq!((last.cwnd, last.in_flight, last.sent.as_str()), (10, 9, "N"));
    }

    //= https://www.rfc-editor.org/rfc/rfc5681#section-4.3
    //= type=test
    //# the number of segments transmitted in each RTT MUST be no more than half the number of outstanding segments
    //# when the loss was detected
    //= https://www.rfc-editor.org/rfc/rfc6675#section-5
    //= type=test
    //# The TCP MAY transmit previously unsent data segments as per Limited Transmit [RFC5681]
    #[test]
    fn figure_1_rfc_6675_is_silent_for_half_a_window() {
        let lines = example(Recovery::Sack, 1);
        assert_eq!(cwnds(&lines)[2..], [10; 19]);
        let i = [19, 19, 18, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 9, 9, 9, 9, 9, 9, 9, 9];
        assert_eq!(in_flight(&lines), i);
        let s = "N N R          N N N N N N N N N";
        assert_eq!(sent(&lines), s.split(' ').collect::<Vec<&str>>());
    }

    //= https://www.rfc-editor.org/rfc/rfc9937#section-5
    //= type=test
    //# PRR MAY be used in conjunction with the loss detection algorithms specified or described in the following
    //# documents
    //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
    //= type=test
    //# SndCnt = MAX(prr_delivered - prr_out, DeliveredData)
    #[test]
    fn figure_2_prr_conserves_packets_where_half_the_flight_is_lost() {
        let lines = &example(Recovery::Prr, 15)[..5];
        assert_eq!(cwnds(lines), [20, 20, 5, 5, 5]);
        assert_eq!(in_flight(lines), [19, 19, 4, 4, 4]);
        assert_eq!(sent(lines), ["N", "N", "R", "R", "R"]);
    }

    //= https://www.rfc-editor.org/rfc/rfc6675#section-5
    //= type=test
    //# If cwnd - pipe >= 1 SMSS, the sender SHOULD transmit one or more segments as follows
    #[test]
    fn figure_2_rfc_6675_sends_a_burst() {
        let lines = &example(Recovery::Sack, 15)[..5];
        assert_eq!(in_flight(lines), [19, 19, 4, 9, 9]);
        assert_eq!(sent(lines), ["N", "N", "RRRRRR", "R", "R"]);
    }

    //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
    //= type=test
    //# SafeACK is true only when the ACK has cumulatively acknowledged new data and the ACK does not indicate further
    //# losses
    #[test]
    fn after_figure_2_each_safe_ack_adds_a_segment() {
        let mut script = twenty_in_flight(with(Recovery::Prr));
        for number in 15..22 {
            script.ack(0, &[(15, number + 1)]);
        }
        // Five ACKs of the first round trip have each sent one segment. Now their retransmissions are acknowledged.
        script.now += RTT;
        assert_eq!(line(&mut script, 1, &[(15, 22)]).sent, "RR");
        assert_eq!(line(&mut script, 2, &[(15, 22)]).sent, "RR");
        assert_eq!(line(&mut script, 3, &[(15, 22)]).sent, "RR");
    }

    //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
    //= type=test
    //# SafeACK is true only when the ACK has cumulatively acknowledged new data and the ACK does not indicate further
    //# losses
    #[test]
    fn an_ack_that_tells_of_more_loss_is_not_safe() {
        let mut script = twenty_in_flight(with(Recovery::Prr));
        // 0 to 9 are lost, 10 to 12 arrive; 0 is retransmitted, then others of them with each of 13 to 19.
        for number in 10..20 {
            script.ack(0, &[(10, number + 1)]);
        }
        script.now += RTT;
        let before = script.cwnd();
        // 20 and 22 to 24 arrive, 21 does not: snd_una advances and the ACK indicates a further loss.
        let told = line(&mut script, 1, &[(22, 25), (10, 20)]);
        assert!(told.sent.len() <= 4, "three SACKed and one acknowledged, and none on top: {told:?}, {before}");
    }

    //= https://www.rfc-editor.org/rfc/rfc9937#section-6.1
    //= type=test
    //# RecoverFS = SND.NXT - SND.UNA
    #[test]
    fn what_was_sacked_before_is_left_out_of_what_can_be_delivered() {
        // DupThresh is ten: nine segments are SACKed before recovery begins, with nine segments of limited transmit.
        let config = Config { dup_thresh: 10, ..with(Recovery::Prr) };
        let mut script = twenty_in_flight(config);
        for number in 1..10 {
            assert_eq!(script.ack(0, &[(1, number + 1)]).len(), 1);
        }
        // 29 segments are outstanding; RecoverFS is 29 - 10 + 1 = 20 and ssthresh 10: every second ACK sends one, from
        // the first on.
        let first: Vec<usize> = (10..16).map(|number| script.ack(0, &[(1, number + 1)]).len()).collect();
        assert_eq!(first, [1, 0, 1, 0, 1, 0]);
    }

    //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
    //= type=test
    //# Force a fast retransmit upon entering recovery
    #[test]
    fn the_first_retransmission_is_sent_even_where_nothing_is_to_be() {
        // FlightSize is 8 with a window of 20: ssthresh is 4, and as much is in flight when 0 is found lost.
        for (recovery, sent) in [(Recovery::Prr, vec![0]), (Recovery::PrrSsrb, vec![])] {
            let mut script =
                Script::established(&Config { initial_window: InitialWindow::Segments(20), ..with(recovery) }, RTT);
            script.write(8);
            script.sends();
            script.now += RTT;
            assert_eq!(script.ack(0, &[(1, 2)]), [] as [u64; 0]);
            assert_eq!(script.ack(0, &[(1, 3)]), [] as [u64; 0]);
            assert_eq!(script.ack(0, &[(1, 4)]), sent, "{recovery:?}");
        }
    }
}

mod rfc_6937 {
    use super::*;

    //= https://www.rfc-editor.org/rfc/rfc6937#section-3
    //= type=test
    //# limit = prr_delivered - prr_out
    //= https://www.rfc-editor.org/rfc/rfc6937#section-3
    //= type=test
    //# DeliveredData = change_in(snd.una) + change_in(SACKd)
    //= https://www.rfc-editor.org/rfc/rfc6937#section-3
    //= type=test
    //# prr_out += (data sent)
    #[test]
    fn the_conservative_bound_sends_what_arrives() {
        let lines = &example(Recovery::PrrCrb, 15)[..5];
        assert_eq!(in_flight(lines), [19, 19, 4, 4, 4]);
        assert_eq!(sent(lines), ["N", "N", "R", "R", "R"]);
    }

    //= https://www.rfc-editor.org/rfc/rfc6937#section-3
    //= type=test
    //# limit = MAX(prr_delivered - prr_out, DeliveredData) + MSS
    //= https://www.rfc-editor.org/rfc/rfc6937#section-3
    //= type=test
    //# sndcnt = MIN(ssthresh - pipe, limit)
    #[test]
    fn the_slow_start_bound_sends_one_more_for_each_ack() {
        let lines = &example(Recovery::PrrSsrb, 15)[..5];
        assert_eq!(in_flight(lines), [19, 19, 4, 5, 6]);
        assert_eq!(sent(lines), ["N", "N", "RR", "RR", "RR"]);
    }

    #[test]
    fn rate_halving_sends_for_every_second_ack() {
        let lines = example(Recovery::RateHalving, 1);
        let c = [20, 20, 19, 18, 18, 17, 17, 16, 16, 15, 15, 14, 14, 13, 13, 12, 12, 11, 11];
        assert_eq!(cwnds(&lines)[..19], c);
        assert_eq!(
            in_flight(&lines)[..19],
            [19, 19, 18, 18, 17, 17, 16, 16, 15, 15, 14, 14, 13, 13, 12, 12, 11, 11, 10]
        );
    }

    #[test]
    fn rate_halving_never_raises_the_window_again() {
        let lines = &example(Recovery::RateHalving, 15)[..5];
        assert_eq!(cwnds(lines), [20, 20, 5, 5, 5]);
        assert_eq!(sent(lines), ["N", "N", "R", "R", "R"]);
    }

    //= https://www.rfc-editor.org/rfc/rfc6937#section-3
    //= type=test
    //# RecoverFS = snd.nxt-snd.una // FlightSize at the start of recovery
    //= https://www.rfc-editor.org/rfc/rfc6937#section-3
    //= type=test
    //# sndcnt = CEIL(prr_delivered * ssthresh / RecoverFS) - prr_out
    #[test]
    fn without_the_adjustment_of_the_later_rfc_the_flight_counts_whole() {
        // As above, RecoverFS is 29, so less than every second ACK sends.
        let mut script = twenty_in_flight(Config { dup_thresh: 10, ..with(Recovery::PrrSsrb) });
        for number in 1..10 {
            script.ack(0, &[(1, number + 1)]);
        }
        let sent: usize = (10..16).map(|number| script.ack(0, &[(1, number + 1)]).len()).sum();
        assert_eq!(sent, 3, "6 * 10/29, rounded up");
        assert_eq!(script.ack(0, &[(1, 17)]).len() + script.ack(0, &[(1, 18)]).len(), 0, "8 * 10/29 = 2.8");
    }
}

//= https://www.rfc-editor.org/rfc/rfc5681#section-4.3
//= type=test
//# cwnd MUST be set to no more than ssthresh and congestion avoidance MUST be used to further increase cwnd
//= https://www.rfc-editor.org/rfc/rfc9937#section-5
//= type=test
//# PRR MAY be used in conjunction with any congestion control algorithm that intends to make a multiplicative
//# decrease
#[test]
fn all_end_at_ssthresh_but_rate_halving_which_ends_below() {
    for recovery in [Recovery::Prr, Recovery::PrrCrb, Recovery::PrrSsrb, Recovery::Sack, Recovery::RateHalving] {
        let mut script = twenty_in_flight(with(recovery));
        for number in 15..22 {
            script.ack(0, &[(15, number + 1)]);
        }
        script.now += RTT;
        script.take(1000.min(script.end.sent() / common::MSS), &[]);
        let expected = if recovery == Recovery::RateHalving { 5 } else { 10 };
        assert_eq!((script.cwnd(), script.ssthresh()), (expected, 10), "{recovery:?}");
    }
}

mod without_sack {
    use super::*;

    fn reno(recovery: Recovery) -> Config {
        Config { sack: false, ..with(recovery) }
    }

    //= https://www.rfc-editor.org/rfc/rfc9937#section-5
    //= type=test
    //# PRR MAY be used in conjunction with the loss detection algorithms specified or described in the following
    //# documents
    //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
    //= type=test
    //# In recovery without SACK, DeliveredData is estimated to be 1 SMSS on each received duplicate ACK
    //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
    //= type=test
    //# senders MUST subtract out: min(RecoverFS, 1 SMSS for each preceding duplicate ACK in the fast recovery
    //# episode)
    #[test]
    fn duplicate_acks_stand_for_deliveries() {
        let mut script = twenty_in_flight(reno(Recovery::Prr));
        let sent: String = (1..22).map(|_| line_len(&mut script, 0)).collect();
        // RecoverFS is 22, since nothing is known to be SACKed. At the sixteenth ACK in recovery, ssthresh is in
        // flight. After two segments of limited transmit and the retransmission, ten are sent for 22 delivered, then
        // one for each delivered.
        assert_eq!(sent, "111010101010010100111");
    }

    fn line_len(script: &mut Script, ack: u64) -> String {
        script.ack(ack, &[]).len().to_string()
    }

    //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
    //= type=test
    //# PRR disallows incrementing DeliveredData when the total bytes delivered in a PRR episode would exceed the
    //# estimated data outstanding upon entering recovery (RecoverFS)
    #[test]
    fn made_up_duplicates_do_not_open_the_window() {
        let mut script = twenty_in_flight(reno(Recovery::Prr));
        let sent: usize = (0..200).map(|_| script.ack(0, &[]).len()).sum();
        assert!(sent <= 2 + 11, "limited transmit, then no more than ssthresh for all of RecoverFS: {sent}");
    }

    #[test]
    fn a_partial_acknowledgment_repairs_the_next_hole_and_ends_at_ssthresh() {
        let mut script = twenty_in_flight(reno(Recovery::Prr));
        for _ in 1..22 {
            script.ack(0, &[]);
        }
        script.now += RTT;
        // 0 and 5 were lost.
        let repaired = script.ack(5, &[]);
        assert_eq!(repaired[0], 5, "{repaired:?}");
        script.now += RTT;
        let nxt = script.end.sent() / common::MSS;
        script.take(nxt, &[]);
        assert_eq!((script.cwnd(), script.ssthresh()), (10, 10));
        assert_eq!(script.end.stats().recoveries, 1);
    }

    /// Segments sent after seven duplicate ACKs and fourteen partial ACKs, each of one segment.
    fn partial_acknowledgments(recovery: Recovery) -> Vec<Vec<u64>> {
        let mut script = twenty_in_flight(reno(recovery));
        for _ in 0..7 {
            script.ack(0, &[]);
        }
        let partial = |ack| {
            script.now += RTT;
            script.ack(ack, &[])
        };
        (1..15).map(partial).collect()
    }

    #[test]
    fn a_partial_acknowledgment_is_no_safe_ack() {
        // RFC 9937 section 6.2: a SafeACK "does not indicate further losses", but a partial ACK without SACK indicates
        // that the next segment is lost. Once the delivered volume that was not yet sent is used up, one segment is
        // sent for each delivered.
        let sent = partial_acknowledgments(Recovery::Prr);
        assert_eq!(sent[12..], [vec![13, 29], vec![14]]);
        assert_eq!(sent, partial_acknowledgments(Recovery::PrrCrb));
        assert_eq!(partial_acknowledgments(Recovery::PrrSsrb)[13], [14, 30]);
    }
}

mod tahoe {
    use super::*;

    #[test]
    fn the_third_duplicate_starts_slow_start_over() {
        for sack in [true, false] {
            let mut script = twenty_in_flight(Config { sack, limited_transmit: false, ..with(Recovery::Tahoe) });
            let block = |top| if sack { vec![(1, top)] } else { vec![] };
            assert_eq!(script.ack(0, &block(2)), [] as [u64; 0]);
            assert_eq!(script.ack(0, &block(3)), [] as [u64; 0]);
            assert_eq!(script.ack(0, &block(4)), [0]);
            assert_eq!((script.cwnd(), script.ssthresh()), (1, 10));
            for top in 5..=20 {
                assert_eq!(script.ack(0, &block(top)), [] as [u64; 0], "no fast recovery");
            }
            script.now += RTT;
            // The retransmission arrives, and everything is acknowledged: slow start from one segment follows.
            assert_eq!(script.ack(20, &[]).len() as u64, script.cwnd());
            assert!((2..=3).contains(&script.cwnd()));
            assert_eq!((script.end.stats().timeouts, script.end.stats().recoveries), (0, 1));
        }
    }

    #[test]
    fn the_rest_is_sent_again_as_slow_start_allows() {
        let mut script = twenty_in_flight(Config { sack: false, ..with(Recovery::Tahoe) });
        for _ in 0..3 {
            script.ack(0, &[]);
        }
        script.now += RTT;
        assert_eq!(script.ack(1, &[]), [1, 2], "0 and 1 were lost");
        script.now += RTT;
        assert_eq!(script.ack(3, &[]), [3, 4, 5, 6]);
    }
}
