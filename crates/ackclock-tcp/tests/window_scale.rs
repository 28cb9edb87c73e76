//! Window scaling, and windows that shrink (RFC 7323 section 2), against a peer played by the test.

mod common;

use ackclock_tcp::cc::{self, Algorithm};
use ackclock_tcp::{Config, Flags, Segment};
use common::peer::{Peer, syn};
use common::{MSS, config};

fn with_buffer(bytes: u64) -> Config {
    Config { receive_buffer: bytes, receive_buffer_max: bytes, ..config() }
}

/// The peer acknowledges up to `ack` and offers `window` in the window field; returns the number of segments sent in
/// response.
fn sent_after(peer: &mut Peer, ack: u64, window: u16) -> usize {
    let mut segment = peer.segment(0, 0, ack);
    segment.window = window;
    peer.give(&segment);
    peer.all().len()
}

//= https://www.rfc-editor.org/rfc/rfc7323#section-2.2
//= type=test
//# The three-byte Window Scale option MAY be sent in a <SYN> segment by a TCP
//= https://www.rfc-editor.org/rfc/rfc7323#section-2.2
//= type=test
//# a TCP that is prepared to scale windows SHOULD send the option, even if its own scale factor is 1 and the exponent
//# 0
//= https://www.rfc-editor.org/rfc/rfc7323#section-2.2
//= type=test
//# MAY be zero (offering to scale, while applying a scale factor of 1 to the receive window)
//= https://www.rfc-editor.org/rfc/rfc7323#section-2.2
//= type=test
//# This option MAY be sent in an initial <SYN> segment
#[test]
fn it_is_offered_in_a_syn_even_where_it_is_zero() {
    let (_, mine) = Peer::called(&with_buffer(40_000));
    assert_eq!(mine.window_scale, 0);
}

//= https://www.rfc-editor.org/rfc/rfc7323#section-2.2
//= type=test
//# If a Window Scale option was received in the initial <SYN> segment, then this option MAY be sent in the <SYN,ACK>
//# segment
//= https://www.rfc-editor.org/rfc/rfc7323#section-2.3
//= type=test
//# it SHOULD send its own Window Scale option in the <SYN,ACK> segment
#[test]
fn a_syn_ack_offers_it_only_in_answer() {
    for (offered, answered) in [(Segment::NO_OPTION, Segment::NO_OPTION), (0, 3), (5, 3)] {
        let mut asked = syn(Flags::default());
        asked.window_scale = offered;
        let (_, answer) = Peer::accepted(&with_buffer(300_000), &asked);
        assert_eq!(answer.window_scale, answered, "offered {offered}");
    }
}

//= https://www.rfc-editor.org/rfc/rfc7323#section-2.2
//= type=test
//# both sides MUST send Window Scale options in their <SYN> segments to enable window scaling in either direction
//= https://www.rfc-editor.org/rfc/rfc7323#section-2.3
//= type=test
//# otherwise, it MUST set both Snd.Wind.Shift and Rcv.Wind.Shift to zero
#[test]
fn where_one_end_does_not_offer_it_neither_scales() {
    let mut peer = Peer::established_with(&with_buffer(300_000), |reply| {
        (reply.window_scale, reply.window) = (Segment::NO_OPTION, 4000);
    });
    assert_eq!(peer.next().window, 65_535, "300,000 bytes, as far as the field goes");
    peer.end.write(peer.now, 50 * MSS);
    assert_eq!(peer.all().len(), 4);
    assert_eq!(sent_after(&mut peer, 0, 7000), 3);
}

//= https://www.rfc-editor.org/rfc/rfc7323#section-2.2
//= type=test
//# A Window Scale option in a segment without a SYN bit MUST be ignored
#[test]
fn after_the_handshake_the_option_means_nothing() {
    let mut peer = Peer::established_with(&config(), |reply| reply.window = 4000);
    peer.all();
    peer.end.write(peer.now, 50 * MSS);
    assert_eq!(peer.all().len(), 4);
    let mut segment = peer.segment(0, 0, 0);
    (segment.window, segment.window_scale) = (6000, 3);
    peer.give(&segment);
    assert_eq!(peer.all().len(), 2, "6,000 bytes and not eight times as many");
}

//= https://www.rfc-editor.org/rfc/rfc7323#section-2.2
//= type=test
//# (i.e., a <SYN> or <SYN,ACK>) MUST NOT be scaled
//= https://www.rfc-editor.org/rfc/rfc7323#section-2.3
//= type=test
//# The Window Scale option MUST be sent with shift.cnt = R, where R is the value that the TCP would like to use for
//# its receive window
//= https://www.rfc-editor.org/rfc/rfc7323#section-2.3
//= type=test
//# a TCP MUST set Snd.Wind.Shift to S and MUST set Rcv.Wind.Shift to R
//= https://www.rfc-editor.org/rfc/rfc7323#section-2.3
//= type=test
//# MUST be left-shifted by Snd.Wind.Shift bits before updating SND.WND
//= https://www.rfc-editor.org/rfc/rfc7323#section-2.3
//= type=test
//# MUST be right-shifted by Rcv.Wind.Shift bits
#[test]
fn windows_are_shifted_both_ways_but_not_those_of_syns() {
    let (_, mine) = Peer::called(&with_buffer(300_000));
    assert_eq!((mine.window, mine.window_scale), (65_535, 3));
    let mut peer = Peer::established_with(&with_buffer(300_000), |reply| {
        (reply.window, reply.window_scale) = (4000, 2);
    });
    assert_eq!(peer.next().window, 37_500, "300,000 >> 3");
    peer.end.write(peer.now, 50 * MSS);
    assert_eq!(peer.all().len(), 4, "the window of the SYN-ACK as it stands");
    assert_eq!(sent_after(&mut peer, 0, 2000), 4, "2,000 times four");
}

/// Linux takes the scale from `tcp_rmem[2]` and `rmem_max`, which a larger buffer has raised.
#[test]
fn a_scale_that_is_set_grows_with_the_buffer() {
    for (buffer, scale) in [(300_000, 7), (8_000_000, 7), (64_000_000, 10)] {
        let (_, mine) = Peer::called(&Config { window_scale: Some(7), ..with_buffer(buffer) });
        assert_eq!(mine.window_scale, scale, "{buffer} bytes");
        assert!(buffer >> scale <= 0xffff);
    }
}

//= https://www.rfc-editor.org/rfc/rfc7323#section-2.3
//= type=test
//# the shift count MUST be limited to 14
//= https://www.rfc-editor.org/rfc/rfc7323#section-2.3
//= type=test
//# the TCP SHOULD log the error but MUST use 14 instead of the specified value
#[test]
fn fourteen_is_the_most_that_is_offered_and_taken() {
    for large in [Config { window_scale: Some(20), ..config() }, with_buffer(1 << 40)] {
        let (_, mine) = Peer::called(&large);
        assert_eq!(mine.window_scale, 14);
    }
    // A congestion window that never limits.
    let entry = cc::by_name("fixed-window").expect("in the catalogue");
    let cc = Algorithm::given(entry, &[("segments", 100.0)]).expect("within its range");
    let wide = Config { cc, ..config() };
    let mut peer = Peer::established_with(&wide, |reply| reply.window_scale = 15);
    peer.all();
    let mut segment = peer.segment(0, 0, 0);
    segment.window = 1;
    peer.give(&segment);
    peer.end.write(peer.now, 50 * MSS);
    assert_eq!(peer.all().len(), 16, "1 << 14 bytes");
}

//= https://www.rfc-editor.org/rfc/rfc7323#section-2.4
//= type=test
//# Implementations MUST ensure that they handle a shrinking window
//= https://www.rfc-editor.org/rfc/rfc7323#section-2.4
//= type=test
//# The initial transmission MUST be within the window announced by the most recent <ACK>
//= https://www.rfc-editor.org/rfc/rfc7323#section-2.4
//= type=test
//# do normal retransmission(s) without regard to the receiver window as long as the original segment was in window
//# when it was sent
#[test]
fn a_window_that_shrinks_holds_back_new_data_and_no_retransmission() {
    let mut peer = Peer::established(&config());
    peer.end.write(peer.now, 30 * MSS);
    assert_eq!(peer.all().len(), 10, "the initial window");
    assert_eq!(sent_after(&mut peer, 0, 5000), 0, "the peer takes back half of what is outstanding");
    peer.expire();
    let again = peer.next();
    assert_eq!(again.seq, common::peer::ISS.wrapping_add(1));
    // Slow start also repairs losses beyond the new edge, and meanwhile no new data is sent.
    let (mut acked, mut repaired) = (1, 1);
    while repaired < 10 {
        repaired += sent_after(&mut peer, acked * MSS, (5000 - acked.min(5) * MSS) as u16);
        acked += 1;
    }
    assert_eq!(repaired, 10);
    assert_eq!(peer.end.stats().retransmits, 10);
    assert_eq!(sent_after(&mut peer, 10 * MSS, 3000), 3, "new data within the window of the last ACK");
}

//= https://www.rfc-editor.org/rfc/rfc7323#section-2.4
//= type=test
//# The receiver MUST honor, as in window, any segment that would have been in window for any <ACK> sent by the
//# receiver
//= https://www.rfc-editor.org/rfc/rfc7323#section-2.4
//= type=test
//# the receiver SHOULD track the actual maximum window sequence number
#[test]
fn what_was_ever_offered_is_taken() {
    let mut peer = Peer::established(&with_buffer(8000));
    peer.end.set_receive_buffer(2000);
    peer.data(0, 1000);
    peer.data(1000, 1000);
    assert_eq!(peer.next().window, 6000, "up to 8,000, as offered before");
    for seq in (2000..8000).step_by(1000) {
        peer.data(seq, 1000);
    }
    assert_eq!(peer.end.received(), 8000);
    peer.all();
    peer.data(8000, 1000);
    assert_eq!(peer.end.received(), 8000, "nobody offered that");
}
