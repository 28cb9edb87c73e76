//! RFC 9959, phase by phase, with the numbers of appendix B. Volumes are in packets of 1,000 bytes, IW is 10, the RTT
//! 100 ms and the saved window 300 packets.

use super::*;
use crate::MILLISECOND;
use crate::testing::{self, MSS, context};

const RTT: Nanos = 100 * MILLISECOND;
const SAVED: Saved = Saved { cwnd: 300 * MSS, rtt: RTT, max_jump: u64::MAX };

/// A sender whose congestion control adds the acknowledged bytes and halves on loss.
struct Sender {
    careful: CarefulResume,
    window: Window,
    now: Nanos,
    una: u64,
    nxt: u64,
    /// Bytes SACKed above `una`.
    sacked: u64,
    unsent: u64,
    rtt: Nanos,
    min_rtt: Nanos,
}

impl Sender {
    fn new(saved: Saved) -> Sender {
        Sender {
            careful: CarefulResume::new(saved, 10 * MSS).expect("worth a jump"),
            window: Window { cwnd: 10 * MSS, ssthresh: u64::MAX, pacing_rate: None },
            now: SECOND,
            una: 0,
            nxt: 0,
            sacked: 0,
            unsent: 1_000_000 * MSS,
            rtt: RTT,
            min_rtt: RTT,
        }
    }

    /// A sender after reconnaissance with 29 packets in flight, as in appendix B.1.
    fn at_29(saved: Saved) -> Sender {
        let mut s = Sender::new(saved);
        s.unsent = 0;
        s.send(10);
        s.ack(10);
        s.send(20);
        s.unsent = 1_000_000 * MSS;
        s.window.cwnd = 29 * MSS;
        s.nxt = s.una + 30 * MSS;
        s.ack(1);
        s
    }

    fn ctx(&self) -> Context {
        let ctx = context(self.now, self.una..self.nxt);
        Context {
            pipe: ctx.flight_size - self.sacked,
            unsent: self.unsent,
            srtt: Some(self.rtt),
            min_rtt: Some(self.min_rtt),
            ..ctx
        }
    }

    /// Sends up to `packets` packets, as far as the window allows, and returns their number.
    fn send(&mut self, packets: u64) -> u64 {
        for sent in 0..packets {
            if self.nxt - self.una + MSS > self.window.cwnd {
                return sent;
            }
            self.nxt += MSS;
            let (ctx, delivered) = (self.ctx(), self.una + self.sacked);
            self.careful.on_sent(&mut self.window, &ctx, delivered);
        }
        packets
    }

    fn ack(&mut self, packets: u64) {
        for _ in 0..packets {
            self.una += MSS;
            self.sacked = self.sacked.saturating_sub(MSS);
            let ack = Ack { rtt: Some(self.rtt), ..testing::ack(self.ctx(), MSS) };
            if self.careful.may_grow() && self.window.in_slow_start() {
                self.window.cwnd += MSS;
            }
            let delivered = self.una + self.sacked;
            self.careful.on_ack(&mut self.window, &ack, delivered);
        }
    }

    fn lose(&mut self) {
        let ctx = self.ctx();
        self.window.ssthresh = ctx.flight_size / 2;
        self.window.cwnd = self.window.ssthresh;
        let delivered = self.una + self.sacked;
        self.careful.on_congestion(&mut self.window, &Congestion::loss(ctx), delivered);
    }

    fn cwnd(&self) -> u64 {
        self.window.cwnd / MSS
    }

    fn is(&self, phase: &str) -> bool {
        format!("{:?}", self.careful.phase).starts_with(phase)
    }
}

#[test]
fn a_window_of_less_than_four_initial_windows_is_not_resumed() {
    for (cwnd, resumed) in [(39, false), (40, true)] {
        assert_eq!(CarefulResume::new(Saved { cwnd: cwnd * MSS, ..SAVED }, 10 * MSS).is_some(), resumed);
    }
}

#[test]
fn reconnaissance_lasts_until_the_initial_window_is_acknowledged() {
    let mut s = Sender::new(SAVED);
    s.send(100);
    s.ack(9);
    assert!(s.is("Reconnaissance") && s.cwnd() == 19, "the congestion control grows the window");
    s.ack(1);
    assert!(s.is("Unvalidated"));
    assert_eq!(s.cwnd(), 150, "half of 300");
}

#[test]
fn reconnaissance_continues_while_the_window_allows_all_data_to_be_sent() {
    let mut s = Sender::new(SAVED);
    s.unsent = 0;
    s.send(10);
    s.ack(10);
    assert!(s.is("Reconnaissance"));
    s.unsent = 21 * MSS;
    s.send(1);
    s.unsent = 20 * MSS;
    s.ack(1);
    assert!(s.is("Reconnaissance"), "21 packets fit into the window");
    s.unsent = 23 * MSS;
    s.send(1);
    s.ack(1);
    assert!(s.is("Unvalidated"));
}

#[test]
fn an_rtt_below_half_or_above_ten_times_the_saved_one_is_another_path() {
    for (rtt, confirmed) in [(RTT / 2, false), (RTT / 2 + 1, true), (10 * RTT, true), (10 * RTT + 1, false)] {
        let mut s = Sender::new(SAVED);
        (s.rtt, s.min_rtt) = (rtt, rtt);
        s.send(10);
        s.ack(10);
        assert_eq!(s.is("Unvalidated"), confirmed, "{rtt}");
        assert_eq!(s.is("Normal"), !confirmed);
        assert_eq!(s.cwnd(), if confirmed { 150 } else { 20 });
    }
}

#[test]
fn the_jump_is_bounded_and_never_lowers_the_window() {
    let mut s = Sender::new(Saved { max_jump: 70 * MSS, ..SAVED });
    s.send(10);
    s.ack(10);
    assert_eq!(s.cwnd(), 70);
    let mut s = Sender::new(Saved { max_jump: 20 * MSS, ..SAVED });
    s.send(10);
    s.ack(10);
    assert!(s.is("Normal") && s.cwnd() == 20);
}

#[test]
fn an_algorithm_with_its_own_pacing_does_not_jump() {
    let mut s = Sender::new(SAVED);
    s.window.pacing_rate = Some(Rate::of_bytes(1_000_000));
    s.send(10);
    s.ack(10);
    assert!(s.is("Normal"));
    assert_eq!(s.window.pacing_rate, Some(Rate::of_bytes(1_000_000)));
}

#[test]
fn congestion_in_reconnaissance_ends_careful_resume() {
    let mut s = Sender::new(SAVED);
    s.send(10);
    s.ack(4);
    s.lose();
    assert!(s.is("Normal"));
    assert_eq!((s.cwnd(), s.window.ssthresh), (3, 3 * MSS));
}

#[test]
fn b_1_without_loss() {
    let mut s = Sender::at_29(SAVED);
    assert!(s.is("Unvalidated"));
    assert_eq!(s.cwnd(), 150);
    // 150 packets are sent in the current RTT of 100 ms.
    assert_eq!(s.window.pacing_rate, Some(Rate::of_bytes(1_500_000)));
    assert_eq!(s.send(500), 121);
    assert!(s.is("Validating"), "all packets of the jump are sent");
    assert_eq!((s.cwnd(), s.window.pacing_rate), (150, None));
    s.now += RTT;
    s.ack(149);
    assert!(s.is("Validating"));
    assert_eq!(s.cwnd(), 150 + 149, "the congestion control grows the window");
    s.ack(1);
    assert!(s.is("Normal"));
    assert_eq!((s.cwnd(), s.window.ssthresh), (300, u64::MAX));
}

#[test]
fn the_unvalidated_phase_has_no_growth_and_ends_with_the_ack_of_its_first_packet() {
    let mut s = Sender::at_29(SAVED);
    s.send(60);
    s.ack(29);
    assert!(s.is("Unvalidated"));
    assert_eq!(s.cwnd(), 150);
    s.ack(1);
    // PipeSize is 29 + 1, and 59 packets are in flight.
    assert!(s.is("Validating"));
    assert_eq!((s.cwnd(), s.window.pacing_rate), (59, None));
}

#[test]
fn b_2_rate_limited() {
    let mut s = Sender::at_29(SAVED);
    s.send(50);
    s.now += RTT;
    s.ack(29);
    assert!(s.is("Unvalidated"), "one RTT is not more than one RTT");
    s.now += 1;
    s.send(1);
    assert!(s.is("Validating"));
    assert_eq!(s.cwnd(), 51, "the packets in flight, including the last one");
    s.ack(51);
    assert!(s.is("Normal"));
}

#[test]
fn an_unused_jump_sets_the_window_to_the_validated_flight() {
    // The flight is compared with PipeSize.
    let mut s = Sender::at_29(SAVED);
    s.send(20);
    s.now += RTT + 1;
    s.ack(1);
    assert!(s.is("Validating"), "48 packets are in flight and PipeSize is 29");
    let mut s = Sender::at_29(SAVED);
    s.send(15);
    s.ack(15);
    s.now += RTT + 1;
    s.ack(1);
    assert!(s.is("Normal"), "28 packets are in flight and PipeSize is 29");
    assert_eq!((s.cwnd(), s.window.pacing_rate), (29, None));
    // Less than the initial window is in flight, so the window becomes the initial window.
    let mut s = Sender::new(SAVED);
    s.send(10);
    s.ack(10);
    s.nxt += 3 * MSS;
    s.now += RTT + 1;
    s.ack(1);
    assert!(s.is("Normal"));
    assert_eq!(s.cwnd(), 10);
}

#[test]
fn a_small_rtt_during_the_jump_causes_a_retreat() {
    let mut s = Sender::at_29(SAVED);
    s.send(60);
    s.rtt = RTT / 2;
    s.ack(1);
    assert!(s.is("SafeRetreat"));
    assert_eq!((s.cwnd(), s.window.ssthresh, s.window.pacing_rate), (14, 14_500, None));
    s.ack(87);
    assert!(s.is("SafeRetreat") && s.cwnd() == 14);
    s.ack(1);
    // The 29 and the 60 packets have arrived.
    assert!(s.is("Normal"));
    assert_eq!((s.cwnd(), s.window.ssthresh), (14, 44_500));
}

#[test]
fn b_4_loss_in_the_validating_phase() {
    let mut s = Sender::at_29(SAVED);
    s.send(121);
    s.now += RTT;
    s.ack(29 + 34);
    assert_eq!(s.window.ssthresh, u64::MAX);
    // Packet 35 is lost. Three later packets reveal this; their SACKs count in PipeSize.
    s.lose();
    assert!(s.is("SafeRetreat"));
    assert_eq!((s.cwnd(), s.window.ssthresh), (31, 31_500), "(29 + 34) / 2");
    assert!(!s.careful.may_grow());
    // The other 86 packets arrive, and then the retransmission.
    s.sacked = 86 * MSS;
    s.careful.on_recovery_end(MSS);
    s.ack(86);
    assert!(s.is("SafeRetreat"));
    s.sacked = 0;
    s.ack(1);
    // PipeSize is 29 + 121 - 1 according to section 3.5; the example omits the 29.
    assert!(s.is("Normal") && s.careful.may_grow());
    assert_eq!((s.cwnd(), s.window.ssthresh), (31, 149 * MSS / 2));
}

#[test]
fn loss_in_the_unvalidated_phase_causes_a_retreat_and_sacked_data_count() {
    let mut s = Sender::at_29(SAVED);
    s.send(60);
    // 29 + 11 packets have arrived, except for the first.
    s.sacked = 39 * MSS;
    s.lose();
    assert!(s.is("SafeRetreat"));
    assert_eq!((s.cwnd(), s.window.pacing_rate), (19, None), "(29 + 10) / 2");
}

#[test]
fn a_retreat_never_raises_the_window_and_keeps_a_segment() {
    let mut s = Sender::at_29(SAVED);
    s.send(121);
    s.ack(140);
    s.lose();
    assert_eq!(s.cwnd(), 5, "half of a PipeSize of ten");
    let mut s = Sender::new(SAVED);
    s.send(10);
    s.ack(10);
    // No packet was in flight at the jump, and no packet of the jump has arrived.
    s.send(60);
    s.lose();
    assert_eq!((s.cwnd(), s.window.ssthresh), (1, 2 * MSS));
}

#[test]
fn a_timeout_ends_careful_resume() {
    for (validating, rate) in [(false, Some(Rate::of_bytes(1_500_000))), (true, None)] {
        let mut s = Sender::at_29(SAVED);
        s.send(if validating { 121 } else { 60 });
        assert_eq!(s.window.pacing_rate, rate);
        s.careful.on_timeout(&mut s.window);
        assert!(s.is("Normal"));
        assert_eq!(s.window.pacing_rate, None);
    }
}
