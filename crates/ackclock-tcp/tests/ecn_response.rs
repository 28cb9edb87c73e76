//! The response of a sender to echoed marks (RFC 3168 section 6.1.2, RFC 8511). Numbers are segments.

mod common;

use ackclock_tcp::config::{EcnMode, InitialWindow, RtoRule};
use ackclock_tcp::info::CaState;
use ackclock_tcp::recovery::Recovery;
use ackclock_tcp::{Config, MILLISECOND, cc};
use common::{Script, config};

const RTT: u64 = 100 * MILLISECOND;

fn ecn(recovery: Recovery) -> Config {
    Config { ecn: EcnMode::Classic, recovery, initial_window: InitialWindow::Segments(20), ..config() }
}

/// Twenty segments are in flight and there is more to send; the ACK of the first segment echoes congestion.
fn marked(config: &Config) -> Script {
    let mut script = Script::established(config, RTT);
    script.write(1000);
    assert_eq!(script.sends().len(), 20);
    script.now += RTT;
    script.ece = true;
    script.take(1, &[]);
    script
}

#[test]
fn the_window_is_halved_once_for_a_window_of_data() {
    let mut script = marked(&ecn(Recovery::Sack));
    assert_eq!((script.cwnd(), script.ssthresh()), (10, 10));
    assert_eq!(script.end.loss_recovery().state, CaState::Cwr);
    for ack in 2..=20 {
        script.ack(ack, &[]);
    }
    assert_eq!(script.cwnd(), 10, "neither halved again nor grown by what was sent before");
    assert_eq!(script.end.loss_recovery().counts.reductions_for_marks, 1);
    // A segment sent after the reduction is acknowledged, and congestion is still echoed: the next reduction follows.
    script.now += RTT;
    script.ack(21, &[]);
    assert_eq!(script.ssthresh(), 5);
    assert_eq!(script.end.loss_recovery().counts.reductions_for_marks, 2);
    assert_eq!(script.end.stats().recoveries, 0);
}

#[test]
fn the_first_new_data_after_it_carries_cwr() {
    let mut script = marked(&ecn(Recovery::Sack));
    assert!(script.cwr.iter().all(|&cwr| !cwr));
    let before = script.cwr.len();
    for ack in 2..=20 {
        script.ack(ack, &[]);
    }
    assert!(script.cwr.len() > before + 3);
    assert!(script.cwr[before], "RFC 3168 section 6.1.2");
    assert!(script.cwr[before + 1..].iter().all(|&cwr| !cwr), "and no other");
}

#[test]
fn prr_spreads_the_reduction_over_a_round_trip() {
    let mut script = marked(&ecn(Recovery::Prr));
    let mut sent = vec![script.sends().len()];
    sent.extend((2..=12).map(|ack| script.ack(ack, &[]).len()));
    assert_eq!(sent, [1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0]);
    for ack in 13..=20 {
        script.ack(ack, &[]);
    }
    script.ece = false;
    script.now += RTT;
    script.ack(21, &[]);
    assert_eq!(script.end.loss_recovery().state, CaState::Open);
    assert_eq!(script.ssthresh(), 10);
    assert!((10..=11).contains(&script.cwnd()));
}

#[test]
fn a_mark_is_no_reason_to_send_anything_again() {
    let mut script = marked(&ecn(Recovery::Prr));
    for ack in 2..=20 {
        script.ack(ack, &[]);
    }
    assert_eq!(script.end.stats().retransmits, 0);
}

#[test]
fn loss_while_the_window_comes_down_is_repaired_and_reduces_no_further() {
    for recovery in [Recovery::Sack, Recovery::Prr, Recovery::RateHalving] {
        let mut script = marked(&ecn(recovery));
        script.sends();
        let mut sent = Vec::new();
        for top in [3, 4, 5] {
            sent.extend(script.ack(1, &[(2, top)]));
        }
        for top in 6..=20 {
            sent.extend(script.ack(1, &[(2, top)]));
        }
        assert!(sent.contains(&1), "{recovery:?}: {sent:?}");
        assert_eq!(script.ssthresh(), 10, "{recovery:?}");
        assert_eq!(script.end.loss_recovery().state, CaState::Recovery);
    }
}

#[test]
fn loss_after_a_mark_halves_what_it_finds_where_marks_take_less_than_losses() {
    for (name, halves) in [("reno", false), ("dctcp", true), ("prague", true)] {
        for recovery in [Recovery::Sack, Recovery::Prr, Recovery::RateHalving] {
            let case = format!("{name}, {recovery:?}");
            let mut script = marked(&Config { cc: cc::by_name(name).unwrap().into(), ..ecn(recovery) });
            assert_eq!(script.ssthresh(), 10, "{case}: all of the first window was marked");
            let mut found = 0;
            for top in 3..=20 {
                if script.end.loss_recovery().state == CaState::Cwr {
                    found = script.cwnd();
                }
                script.ack(1, &[(2, top)]);
            }
            assert_eq!(script.end.loss_recovery().state, CaState::Recovery, "{case}");
            let left = if halves { found / 2 } else { 10 };
            assert_eq!(script.ssthresh(), left, "{case}: {found}");
            assert!(left < 10 || !halves, "{case}: less than the mark left");
            script.ece = false;
            let nxt = script.end.sent() / common::MSS;
            script.ack(nxt, &[]);
            assert_eq!(script.end.loss_recovery().state, CaState::Open, "{case}");
            assert!(script.cwnd() <= left + 1, "{case}: {}", script.cwnd());
        }
    }
}

#[test]
fn in_recovery_a_mark_reduces_nothing_and_forbids_undoing() {
    let config = Config { dsack_undo: true, ..ecn(Recovery::Sack) };
    let mut script = Script::established(&config, RTT);
    script.write(1000);
    script.sends();
    script.now += RTT;
    for top in [2, 3, 4] {
        script.ack(0, &[(1, top)]);
    }
    let reduced = script.ssthresh();
    script.ece = true;
    script.ack(0, &[(1, 5)]);
    assert_eq!(script.ssthresh(), reduced);
    script.ece = false;
    let nxt = script.end.sent() / common::MSS;
    script.ack(nxt, &[]);
    script.ack(nxt, &[(0, 1)]);
    assert_eq!(script.ssthresh(), reduced, "congestion was there whatever the D-SACK says of the loss");
}

#[test]
fn abe_reduces_less_for_a_mark_and_as_ever_for_a_loss() {
    // FlightSize is 20, of which the ACK with the echo covers one segment.
    for (name, mark, abe, loss) in [("reno", 10, 16, 10), ("cubic", 14, 17, 14)] {
        let config = Config { cc: cc::by_name(name).unwrap().into(), ..ecn(Recovery::Sack) };
        assert_eq!(marked(&config).ssthresh(), mark, "{name}");
        let gentle = Config { abe: true, ..config };
        assert_eq!(marked(&gentle).ssthresh(), abe, "{name} with ABE");
        let mut script = Script::established(&gentle, RTT);
        script.write(1000);
        script.sends();
        script.now += RTT;
        for top in [2, 3, 4] {
            script.ack(0, &[(1, top)]);
        }
        assert_eq!(script.ssthresh(), loss, "{name}, loss");
    }
}

#[test]
fn without_ecn_agreed_an_echo_means_nothing() {
    let mut script = marked(&Config { ecn: EcnMode::Off, ..ecn(Recovery::Sack) });
    assert_eq!(script.end.loss_recovery().state, CaState::Open);
    assert!(script.cwnd() > 20);
    script.sends();
    assert!(script.cwr.iter().all(|&cwr| !cwr));
}

#[test]
fn a_probe_in_cwr_waits_for_sacked_segments_as_in_open_and_in_linux_it_does_not() {
    // RFC 8985 section 7.2: no probe is sent where "segments have been SACKed". Linux 6.12 only checks its state; 3.12,
    // which has no RACK, probes only in Open. Without RACK no reordering timer runs in addition.
    let timer = |rto_rule: RtoRule, rack: bool, blocks: &[(u64, u64)]| {
        let config = Config { tlp: true, rack, rto_rule, ..ecn(Recovery::Sack) };
        let mut script = marked(&config);
        script.sends();
        assert_eq!(script.end.loss_recovery().state, CaState::Cwr);
        script.ack(2, blocks);
        assert_eq!(script.end.loss_recovery().state, CaState::Cwr);
        (script.end.next_timeout() - script.now) / MILLISECOND
    };
    let (probe, retransmission) = (200, 1000);
    assert_eq!(timer(RtoRule::Rfc6298, false, &[]), probe, "nothing is SACKed");
    assert_eq!(timer(RtoRule::Rfc6298, false, &[(10, 11)]), retransmission);
    assert_eq!(timer(RtoRule::Linux, true, &[]), probe + 2);
    assert_eq!(timer(RtoRule::Linux, false, &[]), retransmission + 100, "Linux 3.12");
}
