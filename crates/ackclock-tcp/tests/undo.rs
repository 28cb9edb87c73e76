//! Spurious recoveries and timeouts, and the evidence by which they are undone: D-SACKs (RFC 2883, RFC 3708) and
//! timestamps (RFC 3522, RFC 4015). Numbers are segments.

mod common;

use ackclock_tcp::info::CaState;
use ackclock_tcp::recovery::Recovery;
use ackclock_tcp::{Config, MILLISECOND, cc};
use common::{MSS, Script, config};

const RTT: u64 = 100 * MILLISECOND;

fn dsack_undo() -> Config {
    Config { dsack_undo: true, ..config() }
}

fn eifel() -> Config {
    Config { eifel: true, timestamps: true, ..config() }
}

fn ten_in_flight(config: &Config, written: u64) -> Script {
    let mut script = Script::established(config, RTT);
    script.write(written);
    assert_eq!(script.sends(), (0..10).collect::<Vec<u64>>());
    script.now += RTT;
    script
}

/// Segment 0 is late: 1, 2 and 3 arrive before it, and it is retransmitted.
fn spurious_recovery(config: &Config) -> Script {
    let mut script = ten_in_flight(config, 100);
    script.ack(0, &[(1, 2)]);
    script.ack(0, &[(1, 3)]);
    assert!(script.ack(0, &[(1, 4)]).contains(&0));
    assert_eq!(script.ssthresh(), 5);
    script
}

fn window(script: &Script) -> (u64, bool) {
    (script.cwnd(), script.end.window().ssthresh == u64::MAX)
}

mod by_dsack {
    use super::*;

    #[test]
    fn a_late_report_undoes_a_recovery_that_is_over() {
        let mut script = spurious_recovery(&dsack_undo());
        script.ack(12, &[]);
        assert_eq!(window(&script), (5, false));
        script.now += RTT;
        // The retransmission arrives, too: the peer now has that segment twice.
        script.ack(12, &[(0, 1)]);
        assert_eq!(window(&script), (10, true));
        let seen = script.end.loss_recovery();
        assert_eq!((seen.counts.spurious_recoveries, seen.counts.dsacks), (1, 1));
    }

    #[test]
    fn a_report_during_the_recovery_ends_it() {
        let mut script = spurious_recovery(&dsack_undo());
        script.ack(0, &[(1, 8)]);
        assert_eq!(script.end.loss_recovery().state, CaState::Recovery);
        // Both copies of 0 have arrived, and 9 to 11 have not.
        script.ack(9, &[(0, 1)]);
        assert_eq!(window(&script), (10, true));
        assert_eq!(script.end.loss_recovery().state, CaState::Open);
    }

    #[test]
    fn every_retransmission_must_be_reported() {
        let mut script = ten_in_flight(&dsack_undo(), 100);
        // 0 and 2 are late.
        for top in [4, 6, 8, 9, 10, 11, 12] {
            script.ack(0, &[(1, 2), (3, top)]);
        }
        assert_eq!(script.end.stats().retransmits, 2);
        script.ack(script.end.sent() / MSS, &[]);
        let reduced = script.cwnd();
        script.now += RTT;
        let nxt = script.end.acked() / MSS;
        script.ack(nxt, &[(0, 1)]);
        assert_eq!(script.cwnd(), reduced, "one of two");
        script.ack(nxt, &[(2, 3)]);
        assert_eq!(window(&script), (10, true));
    }

    #[test]
    fn reports_of_what_was_not_sent_again_count_for_nothing() {
        let mut script = spurious_recovery(&dsack_undo());
        script.ack(12, &[]);
        // The network has duplicated 5, which was sent once; then a second report exceeds the number of
        // retransmissions.
        script.ack(12, &[(5, 6)]);
        let window = script.cwnd();
        script.ack(12, &[(6, 7)]);
        script.ack(12, &[(7, 8)]);
        assert_eq!(script.end.loss_recovery().counts.dsacks, 3);
        assert_eq!(script.cwnd(), window);
    }

    //= https://www.rfc-editor.org/rfc/rfc9438#section-4.9.1
    //= type=test
    //# a TCP implementation MAY follow the response algorithm described in [RFC4015] to restore the congestion
    //# control state
    #[test]
    fn a_spurious_timeout_is_undone() {
        let mut script = ten_in_flight(&dsack_undo(), 10);
        script.expire();
        assert_eq!(script.sends(), [0]);
        script.ack(10, &[]);
        assert_eq!(script.ssthresh(), 5);
        script.now += RTT;
        script.ack(10, &[(0, 1)]);
        assert_eq!(window(&script), (10, true));
        assert_eq!(script.end.loss_recovery().counts.spurious_timeouts, 1);
    }

    #[test]
    fn without_the_switch_nothing_is_undone() {
        let mut script = spurious_recovery(&config());
        script.ack(12, &[]);
        script.ack(12, &[(0, 1)]);
        assert_eq!(window(&script), (5, false));
    }
}

mod by_timestamps {
    use super::*;

    /// The ACK of the original of segment 0 arrives after its retransmission at `after`.
    fn late_original(config: &Config, original: bool) -> Script {
        let mut script = Script::established(config, RTT);
        script.write(100);
        script.sends();
        script.now += RTT;
        script.echo = script.stamps[1];
        script.ack(0, &[(1, 2)]);
        script.ack(0, &[(1, 3)]);
        script.ack(0, &[(1, 4)]);
        assert_eq!(script.end.loss_recovery().state, CaState::Recovery);
        // The timestamps are those of ten segments, of two of limited transmit, and of the retransmission.
        script.now += 5 * MILLISECOND;
        script.echo = script.stamps[if original { 0 } else { 12 }];
        script.ack(12, &[]);
        script
    }

    #[test]
    fn an_echo_older_than_the_retransmission_undoes_the_recovery() {
        let script = late_original(&eifel(), true);
        assert_eq!(window(&script), (10, true));
        assert_eq!(script.end.loss_recovery().counts.spurious_recoveries, 1);
    }

    #[test]
    fn an_echo_of_the_retransmission_does_not() {
        let script = late_original(&eifel(), false);
        assert_eq!(window(&script), (5, false));
        assert_eq!(script.end.loss_recovery().counts.spurious_recoveries, 0);
    }

    #[test]
    fn without_the_switch_nothing_is_undone() {
        let script = late_original(&Config { timestamps: true, ..config() }, true);
        assert_eq!(window(&script), (5, false));
    }

    #[test]
    fn a_spurious_timeout_is_undone_by_its_first_ack() {
        let mut script = Script::established(&eifel(), RTT);
        script.write(100);
        script.sends();
        script.expire();
        assert_eq!(script.sends(), [0]);
        script.now += 10 * MILLISECOND;
        script.echo = script.stamps[0];
        let sent = script.ack(1, &[]);
        assert!(sent.iter().all(|&offset| offset >= 10), "nothing else is sent again: {sent:?}");
        assert_eq!(window(&script), (11, true), "restored, and grown by the ACK");
        assert_eq!(script.end.loss_recovery().counts.spurious_timeouts, 1);
    }

    #[test]
    fn a_hole_filled_by_its_original_is_reordering() {
        let mut script = Script::established(&Config { adapt_dup_thresh: true, ..eifel() }, RTT);
        script.write(100);
        script.sends();
        script.now += RTT;
        script.echo = script.stamps[1];
        // 0 and 8 are late.
        for top in [2, 3, 4, 8] {
            script.ack(0, &[(1, top)]);
        }
        script.now += 5 * MILLISECOND;
        script.echo = script.stamps[0];
        script.ack(8, &[(9, 10)]);
        assert_eq!(script.end.loss_recovery().counts.spurious_recoveries, 1);
        assert_eq!(script.end.loss_recovery().state, CaState::Disorder);
        assert!(script.end.loss_recovery().dup_thresh > 3);
    }
}

//= https://www.rfc-editor.org/rfc/rfc9438#section-4.9.2
//= type=test
//# a CUBIC implementation MAY save the current value of the following variables before the congestion window is
//# reduced
//= https://www.rfc-editor.org/rfc/rfc9438#section-4.9.2
//= type=test
//# CUBIC MAY restore the original values of the above-mentioned variables as follows if the current _cwnd_ is lower
//# than _cwnd_prior_
#[test]
fn every_congestion_control_and_rule_gets_its_window_back() {
    // An algorithm that keeps its own window in recovery has nothing to restore here, and Linux's Westwood sets the window to
    // its estimate at the end of a spurious recovery, too (net/ipv4/tcp_input.c, tcp_end_cwnd_reduction).
    let reduced = |entry: &&'static cc::Entry| {
        !cc::Algorithm::from(*entry).make().scope().window && entry.name != "westwood-linux"
    };
    for entry in cc::CATALOGUE.iter().filter(reduced) {
        for recovery in [Recovery::NewReno, Recovery::Sack, Recovery::Prr, Recovery::PrrCrb, Recovery::RateHalving] {
            let config = Config { cc: entry.into(), recovery, ..eifel() };
            let mut script = Script::established(&config, RTT);
            script.write(100);
            script.sends();
            let before = *script.end.window();
            script.now += RTT;
            script.echo = script.stamps[1];
            let sack = recovery != Recovery::NewReno;
            for top in 2..5 {
                let block = [(1, top)];
                script.ack(0, if sack { &block } else { &[] });
            }
            assert!(script.end.window().ssthresh < before.ssthresh, "{} {recovery:?}", entry.name);
            script.now += 5 * MILLISECOND;
            script.echo = script.stamps[0];
            // Linux's Hybla begins with fewer segments.
            script.ack((script.end.sent() / MSS).min(12), &[]);
            assert_eq!(*script.end.window(), before, "{} {recovery:?}", entry.name);
        }
    }
}
