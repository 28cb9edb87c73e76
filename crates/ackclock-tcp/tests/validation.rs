//! Window validation in a whole endpoint: every path by which a sender responds to congestion begins an episode of the
//! rule and ends it, and follows RFC 7661. Numbers are segments.

mod common;

use ackclock_tcp::config::{EcnMode, InitialWindow, ReductionBase};
use ackclock_tcp::info::CaState;
use ackclock_tcp::recovery::Recovery;
use ackclock_tcp::{Config, MILLISECOND, Nanos};
use common::path::Path;
use common::unused::{FORMS, MINUTE, OVER, RTT, burst, unused, with_rule};
use common::{MSS, Script, config, linux};

/// Asserts that the rule is active again: bursts of two segments leave the window unchanged and are found not to use
/// it.
fn assert_validates(s: &mut Script, context: &str) {
    s.ece = false;
    let mut window = 0;
    for _ in 0..30 {
        window = burst(s, 2);
    }
    assert!(matches!(s.end.loss_recovery().state, CaState::Open), "{context}");
    assert!(window > 4, "{context}: a window of {window} would be in use");
    let seen = s.end.validation();
    assert!(seen.non_validated, "{context}: {seen:?}");
    if s.end.validation().pipe_ack.is_some() {
        assert_eq!(seen.pipe_ack, Some(2 * MSS), "{context}");
    }
    for _ in 0..20 {
        assert_eq!(burst(s, 2), window, "{context}: an unused window is kept as it is");
    }
}

/// The ways in which a window is reduced.
mod every_reduction_ends {
    use super::*;

    fn over_forms(base: &Config, play: impl Fn(&mut Script)) {
        for form in FORMS {
            for (used, what) in [(2, "non-validated"), (40, "validated")] {
                let config = with_rule(form, base.clone());
                let mut s = unused(&config, 60, 2);
                if used > 2 {
                    burst(&mut s, used);
                }
                play(&mut s);
                assert_validates(&mut s, &format!("{form}, {what}, {:?}", config.recovery));
            }
        }
    }

    /// Puts thirty segments in flight and lets the round trip pass.
    fn thirty(s: &mut Script) -> u64 {
        let from = s.end.sent() / MSS;
        s.write(30);
        assert_eq!(s.sends().len(), 30);
        s.now += RTT;
        from
    }

    /// Uses the window in full, so that it can become unused later.
    fn grow(s: &mut Script) {
        for _ in 0..4 {
            burst(s, 16);
        }
    }

    #[test]
    fn a_mark() {
        for recovery in [Recovery::NewReno, Recovery::Sack, Recovery::Prr, Recovery::RateHalving] {
            let base = Config { ecn: EcnMode::Classic, recovery, ..config() };
            over_forms(&base, |s| {
                let from = thirty(s);
                s.ece = true;
                s.ack(from + 1, &[]);
                assert_eq!(s.end.loss_recovery().state, CaState::Cwr);
                s.ece = false;
                s.ack(from + 30, &[]);
            });
        }
    }

    #[test]
    fn a_loss_that_a_probe_repairs() {
        let base = Config { tlp: true, rack: true, recovery: Recovery::Prr, ..config() };
        for base in [base, linux()] {
            over_forms(&base, |s| {
                let from = thirty(s);
                s.ack(from + 29, &[]);
                s.expire();
                assert_eq!(s.sends(), [from + 29], "the probe");
                // New data was sent after the probe, and both arrive.
                s.write(1);
                assert_eq!(s.sends(), [from + 30]);
                s.now += RTT;
                s.ack(from + 31, &[]);
                assert_eq!(s.end.loss_recovery().counts.losses_repaired_by_probes, 1);
                grow(s);
            });
        }
    }

    #[test]
    fn a_fast_retransmit_of_tahoe() {
        let base = Config { recovery: Recovery::Tahoe, ..config() };
        over_forms(&base, |s| {
            let from = thirty(s);
            for top in 2..=4 {
                s.ack(from, &[(from + 1, from + top)]);
            }
            assert_eq!((s.end.loss_recovery().state, s.cwnd()), (CaState::Loss, 1));
            s.now += RTT;
            s.ack(from + 30, &[]);
            grow(s);
        });
    }

    #[test]
    fn a_fast_recovery() {
        for recovery in [Recovery::NewReno, Recovery::Sack, Recovery::Prr, Recovery::RateHalving] {
            let base = Config { recovery, ..config() };
            over_forms(&base, |s| {
                let from = thirty(s);
                for top in 2..=4 {
                    let block = [(from + 1, from + top)];
                    s.ack(from, if recovery == Recovery::NewReno { &[] } else { &block });
                }
                assert_eq!(s.end.loss_recovery().state, CaState::Recovery);
                s.now += RTT;
                s.ack(from + 30, &[]);
            });
        }
    }

    #[test]
    fn a_timeout() {
        for base in [config(), linux()] {
            over_forms(&Config { tlp: false, frto: false, ..base }, |s| {
                let from = thirty(s);
                s.expire();
                s.sends();
                assert_eq!(s.end.loss_recovery().state, CaState::Loss);
                s.now += RTT;
                s.ack(from + 30, &[]);
                grow(s);
            });
        }
    }

    #[test]
    fn a_lost_retransmission() {
        let base = Config { rack: true, recovery: Recovery::Sack, ..config() };
        over_forms(&base, |s| {
            let from = thirty(s);
            s.ack(from, &[(from + 3, from + 20)]);
            let reduced = s.ssthresh();
            s.now += RTT;
            s.ack(from, &[(from + 1, from + 20)]);
            assert!(s.ssthresh() < reduced, "the second reduction");
            s.now += RTT;
            s.ack(from + 30, &[]);
        });
    }
}

/// After the last mark, bursts of eight kilobytes do not grow a window that they do not use.
#[test]
fn bursts_over_a_queue_that_marks_do_not_grow_an_unused_window() {
    for form in FORMS {
        for base in [config(), linux()] {
            let config = with_rule(form, Config { ecn: EcnMode::Classic, ..base });
            // At 8 Mbit/s a burst of eight segments takes 8 ms to drain.
            let mut path = Path::new(&config, 1_000_000, 50 * MILLISECOND, 1000);
            path.mark_above = Some(3);
            for number in 1..=400 {
                path.client.write(path.now, 8 * MSS);
                path.run(number * 150 * MILLISECOND);
                if number == 40 {
                    assert!(path.marked > 0);
                    path.mark_above = None;
                }
            }
            assert!(path.client.window().cwnd <= 20 * MSS, "{form}: {:?}", path.client.window());
        }
    }
}

/// RFC 7661 section 4.4.1.
mod the_answer_in_the_non_validated_phase {
    use super::*;

    #[test]
    fn a_second_reduction_keeps_the_formula_of_the_end() {
        // Sixty segments are in flight, fifty are lost, and one of these is lost again: cwnd is 60/2 and then 30/2, and
        // at the end (60 - 50)/2.
        for form in FORMS {
            let base = Config { rack: true, recovery: Recovery::Sack, ..config() };
            let mut s = unused(&with_rule(form, base), 120, 2);
            let from = s.end.sent() / MSS;
            s.write(60);
            assert_eq!(s.sends().len(), 60);
            s.now += RTT;
            s.ack(from, &[(from + 50, from + 60)]);
            assert_eq!((s.cwnd(), s.ssthresh()), (30, 30), "{form}");
            s.now += RTT;
            // The retransmission of the first is lost, and all later retransmissions arrive.
            let mut sent = s.ack(from, &[(from + 1, from + 30), (from + 50, from + 60)]);
            while s.end.loss_recovery().state == CaState::Recovery {
                assert_eq!((s.cwnd(), s.ssthresh()), (15, 15), "{form}");
                s.now += RTT;
                let top = sent.last().unwrap() + 1;
                sent = if top == from + 50 { s.ack(from + 60, &[]) } else { s.ack(top, &[(from + 50, from + 60)]) };
            }
            assert_eq!((s.cwnd(), s.ssthresh()), (5, 5), "{form}");
        }
    }

    #[test]
    fn the_end_does_not_undo_a_second_reduction() {
        // Sixty segments are in flight and two are lost, one of them twice: 15 is less than (60 - 2)/2.
        for form in FORMS {
            let base = Config { rack: true, recovery: Recovery::Sack, ..config() };
            let mut s = unused(&with_rule(form, base), 120, 2);
            let from = s.end.sent() / MSS;
            s.write(60);
            s.sends();
            s.now += RTT;
            s.ack(from, &[(from + 2, from + 60)]);
            s.now += RTT;
            s.ack(from, &[(from + 1, from + 60)]);
            s.now += RTT;
            s.ack(from + 60, &[]);
            assert_eq!((s.cwnd(), s.ssthresh()), (15, 15), "{form}");
        }
    }

    #[test]
    fn a_timeout_leaves_half_of_what_was_in_flight_whatever_the_stack_reduces_from() {
        for form in FORMS {
            for reduction_base in [ReductionBase::FlightSize, ReductionBase::Window] {
                let mut s = unused(&with_rule(form, Config { reduction_base, ..config() }), 120, 2);
                s.write(8);
                assert_eq!(s.sends().len(), 8);
                s.expire();
                assert_eq!((s.cwnd(), s.ssthresh()), (1, 4), "{form}, {reduction_base:?}: RFC 5681 equation 4");
            }
        }
    }

    #[test]
    fn a_timeout_in_the_validated_phase_is_as_the_stack_has_it() {
        for reduction_base in [ReductionBase::FlightSize, ReductionBase::Window] {
            let base = with_rule("newcwv", Config { reduction_base, ..config() });
            let mut s = Script::established(
                &Config {
                    min_rto: 300 * MILLISECOND,
                    initial_window: InitialWindow::Segments(40),
                    slow_start: &OVER,
                    ..base
                },
                RTT,
            );
            for _ in 0..3 {
                burst(&mut s, 40);
            }
            assert!(!s.end.validation().non_validated);
            s.write(20);
            s.sends();
            let base = if reduction_base == ReductionBase::Window { s.cwnd() } else { 20 };
            s.expire();
            assert_eq!(s.ssthresh(), base / 2, "{reduction_base:?}");
        }
    }

    #[test]
    fn what_was_not_deemed_lost_is_not_subtracted_at_the_end() {
        // pipeACK is 20. Of ten segments in flight the first is lost. The fifth has too little SACKed above it to be
        // deemed lost, but is retransmitted as well, since there is room (RFC 6675 section 4, NextSeg, rule 3).
        let mut s = unused(&with_rule("newcwv", config()), 120, 20);
        let from = s.end.sent() / MSS;
        s.write(10);
        assert_eq!(s.sends().len(), 10);
        s.now += RTT;
        let mut sent = Vec::new();
        for top in 2..=4 {
            sent.extend(s.ack(from, &[(from + 1, from + top)]));
        }
        sent.extend(s.ack(from, &[(from + 5, from + 6), (from + 1, from + 4)]));
        assert!(sent[0] == from && sent.contains(&(from + 4)), "{sent:?} after {from}");
        assert_eq!(s.end.loss_recovery().lost, 1);
        s.now += RTT;
        s.ack(from + 10, &[]);
        assert_eq!(s.end.window().cwnd, (20 - 1) * MSS / 2, "R is one segment");
    }

    #[test]
    fn a_loss_that_a_probe_repairs_is_subtracted() {
        let base = Config { tlp: true, rack: true, recovery: Recovery::Prr, ..config() };
        let mut s = unused(&with_rule("newcwv", base), 120, 2);
        let from = s.end.sent() / MSS;
        s.write(10);
        s.sends();
        s.now += RTT;
        s.ack(from + 9, &[]);
        s.expire();
        assert_eq!(s.sends(), [from + 9], "the probe");
        s.write(1);
        s.sends();
        s.now += RTT;
        s.ack(from + 11, &[]);
        assert_eq!(s.end.loss_recovery().counts.losses_repaired_by_probes, 1);
        // The capacity is that of the last round trip: the nine segments that were acknowledged in it.
        let capacity = 9 * MSS;
        assert_eq!(s.end.window().cwnd, (capacity - MSS) / 2);
    }
}

/// The time for which an unused window is kept (RFC 7661 sections 4.4 and 4.4.3).
mod the_non_validated_period {
    use super::*;

    /// Makes an established sender with a window of sixty segments in use, and an initial window of ten.
    fn in_use(form: &str, base: Config) -> Script {
        let mut s = Script::established(&with_rule(form, Config { slow_start: &OVER, ..base }), RTT);
        while s.cwnd() < 60 {
            let window = s.cwnd();
            burst(&mut s, 4 * window);
        }
        s
    }

    /// Plays a loss of the first of sixty segments and its repair: nothing is outstanding. Returns the window left,
    /// too.
    fn recovered(form: &str, base: Config) -> (Script, u64) {
        let mut s = in_use(form, base);
        let from = s.end.sent() / MSS;
        s.write(60);
        assert_eq!(s.sends().len(), 60);
        s.now += RTT;
        for top in 2..=60 {
            s.ack(from, &[(from + 1, from + top)]);
        }
        s.now += RTT;
        s.ack(from + 60, &[]);
        assert_eq!(s.end.loss_recovery().state, CaState::Open);
        let window = s.cwnd();
        assert!(window >= 29);
        (s, window)
    }

    /// The window after an idle time of `idle`.
    fn after(s: &mut Script, idle: Nanos) -> u64 {
        s.now += idle;
        s.write(1);
        assert_eq!(s.sends().len(), 1);
        s.cwnd()
    }

    #[test]
    fn an_idle_sender_does_not_keep_its_window_for_ever_after_a_recovery() {
        for base in [config(), linux()] {
            for form in FORMS {
                // The sampling period is one second, and the non-validated period begins at its end; with the draft's
                // rule, at the end of the recovery.
                for (minutes, halved) in [(4, false), (6, true), (24 * 60, true)] {
                    let (mut s, window) = recovered(form, base.clone());
                    let left = after(&mut s, minutes * MINUTE);
                    assert_eq!(left < window, halved, "{form}: {left} of {window} after {minutes} minutes");
                    assert!(left >= 10, "{form}: not below the initial window");
                    assert!(minutes < 60 || left == 10, "{form}: {left} of {window} after a day");
                }
            }
        }
    }

    #[test]
    fn a_second_of_silence_after_a_recovery_ends_the_inhibition_and_less_does_not() {
        let (mut s, _) = recovered("newcwv", config());
        after(&mut s, 900 * MILLISECOND);
        let seen = s.end.validation();
        assert_eq!((seen.pipe_ack, seen.non_validated), (None, false), "directly after the recovery");
        let (mut s, window) = recovered("newcwv", config());
        assert_eq!(after(&mut s, 1100 * MILLISECOND), window);
        let seen = s.end.validation();
        assert_eq!((seen.pipe_ack, seen.non_validated), (Some(0), true));
    }

    #[test]
    fn the_start_of_a_connection_stays_undefined_until_its_first_sample() {
        let mut s = Script::established(&with_rule("newcwv", config()), RTT);
        after(&mut s, 10 * MINUTE);
        let seen = s.end.validation();
        assert_eq!((seen.pipe_ack, seen.non_validated, s.cwnd()), (None, false, 10));
    }

    #[test]
    fn an_answer_to_a_mark_that_lasts_over_an_idle_time_keeps_no_window() {
        for recovery in [Recovery::Sack, Recovery::Prr, Recovery::RateHalving] {
            for form in FORMS {
                let mut s = in_use(form, Config { ecn: EcnMode::Classic, recovery, ..config() });
                let from = s.end.sent() / MSS;
                s.write(60);
                s.sends();
                s.now += RTT;
                s.ece = true;
                for ack in from + 1..=from + 60 {
                    s.ack(ack, &[]);
                }
                s.ece = false;
                assert_eq!((s.end.loss_recovery().state, s.ssthresh()), (CaState::Cwr, 30));
                // Data sent after the idle time is acknowledged: only then is the response over.
                let left = after(&mut s, 60 * MINUTE);
                s.now += RTT;
                s.ack(from + 61, &[]);
                assert_eq!(s.end.loss_recovery().state, CaState::Open);
                // Rate halving releases a segment for each arrival, and ends at the resulting window.
                let expected = if recovery == Recovery::RateHalving { 1 } else { 10 };
                assert_eq!((left, s.cwnd()), (expected, expected), "{form}, {recovery:?}");
            }
        }
    }

    #[test]
    fn an_undo_restores_the_clock() {
        for form in FORMS {
            for late in [false, true] {
                let mut s = in_use(form, Config { dsack_undo: true, ..config() });
                for _ in 0..15 {
                    burst(&mut s, 2);
                }
                let before = s.cwnd();
                assert!(s.end.validation().non_validated);
                // The window is unused for four minutes, and then a loss is found that was reordering.
                s.now += 4 * MINUTE;
                let from = s.end.sent() / MSS;
                s.write(6);
                s.sends();
                s.now += RTT;
                for top in 2..=4 {
                    s.ack(from, &[(from + 1, from + top)]);
                }
                assert!(s.cwnd() < before, "{form}");
                s.now += RTT;
                if late {
                    s.ack(from + 6, &[]);
                    assert!(s.cwnd() < before, "{form}");
                    s.now += 50 * MILLISECOND;
                    s.ack(from + 6, &[(from, from + 1)]);
                } else {
                    s.ack(from + 5, &[(from, from + 1)]);
                    s.ack(from + 6, &[]);
                }
                assert_eq!(s.end.loss_recovery().counts.spurious_recoveries, 1);
                assert_eq!(s.cwnd(), before, "{form}: restored");
                assert!(late || s.end.validation().non_validated, "{form}");
                // Two minutes later the five minutes are over.
                let left = after(&mut s, 2 * MINUTE);
                assert!(left < before, "{form}, late {late}: {left} of {before}");
            }
        }
    }
}
