//! draft-ietf-ccwg-ratelimited-increase, beginning with its published vectors. Windows are in segments of 1,000 bytes.

use crate::SECOND;
use crate::validation::harness::{MSS, Sender};

/// Sends `segments` that are acknowledged `each` at a time, and returns the window after each ACK, in segments.
fn burst(s: &mut Sender, segments: u64, each: u64) -> Vec<u64> {
    s.send(segments);
    s.wait(SECOND / 10);
    let acks = 0..segments / each;
    acks.map(|_| {
        s.ack(each);
        s.window.cwnd / MSS
    })
    .collect()
}

fn sender() -> Sender {
    Sender::with_cc("ratelimited-increase", "reno")
}

#[test]
fn section_3_1_fourteen_segments_with_a_pause_end_at_twenty() {
    for (rule, expected) in [("ratelimited-increase", 20), ("none", 24)] {
        let mut s = Sender::with_cc(rule, "reno");
        assert_eq!(burst(&mut s, 10, 1).last(), Some(&20), "{rule}");
        assert_eq!(burst(&mut s, 4, 1).last(), Some(&expected), "{rule}");
    }
}

#[test]
fn appendix_a_four_bursts() {
    let mut s = sender();
    assert_eq!(burst(&mut s, 4, 1), [11, 12, 13, 14]);
    assert_eq!(burst(&mut s, 8, 1), [15, 16, 17, 18, 19, 20, 20, 20]);
    assert_eq!(burst(&mut s, 4, 1), [20; 4]);
    assert_eq!(burst(&mut s, 20, 1), (21..=40).collect::<Vec<_>>());
}

#[test]
fn appendix_a_with_an_ack_for_two_segments_as_earlier_drafts_had_it() {
    let mut s = sender();
    assert_eq!(burst(&mut s, 4, 2), [12, 14]);
    assert_eq!(burst(&mut s, 8, 2), [16, 18, 20, 20]);
    assert_eq!(burst(&mut s, 4, 2), [20, 20]);
    assert_eq!(burst(&mut s, 20, 2), [22, 24, 26, 28, 30, 32, 34, 36, 38, 40]);
}

/// Makes a sender in congestion avoidance with `cwnd` segments after a reduction, of which `used` are in use.
fn avoiding(cwnd: u64, used: u64) -> Sender {
    let mut s = sender();
    (s.window.cwnd, s.window.ssthresh) = (60 * MSS, 2 * MSS);
    s.send(1);
    s.ack(1);
    s.window.cwnd = cwnd * MSS;
    s.send(used);
    s.ack(used);
    s
}

#[test]
fn in_congestion_avoidance_the_limit_is_a_segment_more() {
    // One segment per window: the tenth segment acknowledged completes a window, then the eleventh.
    let mut s = avoiding(10, 10);
    assert_eq!(s.window.cwnd, 11 * MSS);
    for _ in 0..10 {
        s.burst(10);
    }
    assert_eq!(s.window.cwnd, 11 * MSS, "10 + 1");
    s.burst(11);
    for _ in 0..10 {
        s.burst(4);
    }
    assert_eq!(s.window.cwnd, 12 * MSS, "the most since the reduction counts, not the last");
}

#[test]
fn what_was_used_before_a_reduction_no_longer_counts() {
    let mut s = avoiding(30, 5);
    for _ in 0..100 {
        s.burst(5);
    }
    assert_eq!(s.window.cwnd, 30 * MSS, "60 were used before; a window above the limit is kept");
}

#[test]
fn any_reduction_starts_the_measure_anew() {
    let reductions: [fn(&mut Sender); 3] = [
        |s| {
            s.send(40);
            s.lose();
            s.recover(1);
        },
        |s| {
            s.send(40);
            s.timeout(true);
            s.una = s.nxt;
            s.in_recovery = false;
        },
        // A reduction by another component, for example a restart after idle.
        |s| s.window.cwnd = 8 * MSS,
    ];
    for (index, reduce) in reductions.iter().enumerate() {
        let mut s = sender();
        s.window.cwnd = 40 * MSS;
        s.burst(40);
        assert_eq!(s.window.cwnd, 80 * MSS);
        reduce(&mut s);
        s.ack(0);
        (s.window.cwnd, s.window.ssthresh) = (s.window.cwnd.min(8 * MSS), u64::MAX);
        for _ in 0..20 {
            s.burst(4);
        }
        assert_eq!(s.window.cwnd, 8 * MSS, "reduction {index}: twice 4");
    }
}

#[test]
fn the_initial_window_counts_as_used() {
    let mut s = sender();
    for _ in 0..50 {
        s.burst(1);
    }
    assert_eq!(s.window.cwnd, 20 * MSS);
}

#[test]
fn a_sender_that_fills_its_window_is_not_limited() {
    for cc in ["reno", "cubic"] {
        for ssthresh in [u64::MAX, 20 * MSS] {
            let windows = ["ratelimited-increase", "none"].map(|rule| {
                let mut s = Sender::with_cc(rule, cc);
                s.window.ssthresh = ssthresh;
                for _ in 0..7 {
                    s.bulk_round();
                }
                s.window.cwnd
            });
            assert_eq!(windows[0], windows[1], "{cc}, ssthresh {ssthresh}");
        }
    }
}
