//! Timestamps and PAWS (RFC 7323), and D-SACK (RFC 2883).

mod common;

use ackclock_tcp::segment::SackBlock;
use ackclock_tcp::{Config, Endpoint, Flags, MILLISECOND, SECOND, State, Timestamps, stack};
use common::peer::{Peer, syn};
use common::{MSS, config};

fn stamped() -> Config {
    Config { timestamps: true, dsack: true, delayed_ack: 200 * MILLISECOND, ..config() }
}

fn established() -> Peer {
    let mut peer = Peer::established_with(&stamped(), |reply| {
        reply.timestamps = Some(Timestamps { val: 1000, ecr: 0 });
    });
    peer.all();
    peer
}

//= https://www.rfc-editor.org/rfc/rfc7323#section-3.2
//= type=test
//# A TCP MAY send the TSopt in an initial <SYN> segment
//= https://www.rfc-editor.org/rfc/rfc7323#section-3.2
//= type=test
//# the TSopt MUST be sent in every non-<RST> segment for the duration of the connection
//= https://www.rfc-editor.org/rfc/rfc7323#section-3.2
//= type=test
//# The TCP SHOULD remember this state by setting a flag, referred to as Snd.TS.OK, to one
#[test]
fn they_are_used_where_both_offer_them_and_take_twelve_bytes_of_each_segment() {
    let (_, syn) = Peer::called(&stamped());
    assert_eq!(syn.timestamps.map(|stamps| stamps.ecr), Some(0));
    let mut peer = established();
    peer.end.write(peer.now, MSS);
    let sent = peer.all();
    assert_eq!(sent[0].len, MSS as u32 - 12);
    assert_eq!(sent[0].timestamps.map(|stamps| stamps.ecr), Some(1000));
    let mut plain = Peer::established(&stamped());
    plain.end.write(plain.now, MSS);
    let sent = plain.next();
    assert_eq!((sent.len, sent.timestamps), (MSS as u32, None), "the peer did not offer them");
}

//= https://www.rfc-editor.org/rfc/rfc7323#section-3.2
//= type=test
//# MAY send a TSopt in <SYN,ACK> only if it received a TSopt in the initial <SYN> segment for the connection
#[test]
fn a_syn_ack_carries_them_only_in_answer() {
    for offered in [None, Some(Timestamps { val: 77, ecr: 0 })] {
        let mut asked = syn(Flags::default());
        asked.timestamps = offered;
        let (_, answer) = Peer::accepted(&stamped(), &asked);
        assert_eq!(answer.timestamps.map(|stamps| stamps.ecr), offered.map(|stamps| stamps.val));
    }
}

#[test]
fn a_connection_in_the_place_of_one_in_time_wait_echoes_what_arrived_there() {
    let before = established();
    for (taken, echo) in [(true, 1000), (false, 0)] {
        let mut end = Endpoint::new(&stamped(), 5);
        if taken {
            end.take_the_place_of(&before.end, before.now);
        }
        end.connect(before.now);
        let syn = end.poll_transmit(before.now, &mut ()).unwrap();
        assert_eq!(syn.timestamps.unwrap().ecr, echo);
    }
}

//= https://www.rfc-editor.org/rfc/rfc7323#section-4.1
//= type=test
//# Values of this clock MUST be at least approximately proportional to real time, in order to measure actual RTT
//= https://www.rfc-editor.org/rfc/rfc7323#section-5.4
//= type=test
//# It MUST tick at least once for each 2^31 bytes sent
//= https://www.rfc-editor.org/rfc/rfc7323#section-5.4
//= type=test
//# the clock SHOULD tick at least once per window's worth of data
//= https://www.rfc-editor.org/rfc/rfc7323#section-5.4
//= type=test
//# The recycling time of the timestamp clock MUST be greater than MSL seconds
//= https://www.rfc-editor.org/rfc/rfc7323#section-7
//= type=test
//# RECOMMENDED to generate a random, per-connection offset to be used with the clock source
//= https://www.rfc-editor.org/rfc/rfc7323#section-7.1
//= type=test
//# RECOMMENDED to generate a random, per-connection offset to be used with the clock source
#[test]
fn the_clock_ticks_in_milliseconds_and_differs_between_connections() {
    let mut peer = established();
    peer.end.write(peer.now, 10);
    let first = peer.next().timestamps.unwrap().val;
    peer.now += 7 * MILLISECOND;
    peer.end.write(peer.now, 10);
    assert_eq!(peer.next().timestamps.unwrap().val, first.wrapping_add(7));
    let offset = |isn| {
        let mut end = ackclock_tcp::Endpoint::new(&stamped(), isn);
        end.connect(0);
        end.poll_transmit(0, &mut ()).unwrap().timestamps.unwrap().val
    };
    assert_ne!(offset(1), offset(2));
}

//= https://www.rfc-editor.org/rfc/rfc7323#section-3.2
//= type=test
//# the sender MUST echo a recently received TSval sent by the remote TCP in the TSval field of a Timestamps option
//= https://www.rfc-editor.org/rfc/rfc7323#section-4.3
//= type=test
//# the receiver SHOULD reply with the TSval field from the earliest unacknowledged segment
/// RFC 7323 section 4.3: with delayed ACKs the timestamp of the earliest unacknowledged segment is echoed, and with
/// segments out of order that of the last segment that advanced the window.
#[test]
fn the_echo_is_that_of_the_earliest_segment_acknowledged() {
    let mut peer = established();
    for (clock, seq, ack_now, echo) in
        [(1001, 0, false, 0), (1002, 1000, true, 1001), (1005, 3000, true, 1002), (1006, 2000, true, 1006)]
    {
        peer.clock = Some(clock);
        peer.data(seq, 1000);
        let sent = peer.all();
        assert_eq!(sent.len(), usize::from(ack_now), "{clock}");
        if ack_now {
            assert_eq!(sent[0].timestamps.unwrap().ecr, echo, "{clock}");
        }
        // The segment in order begins where the last ACK was sent.
        if clock == 1002 {
            peer.clock = Some(1002);
            peer.data(2000, 0);
        }
    }
}

//= https://www.rfc-editor.org/rfc/rfc7323#section-5.2
//= type=test
//# The choice of incoming timestamps to be saved for this comparison MUST guarantee a value that is monotonically
//# non-decreasing
//= https://www.rfc-editor.org/rfc/rfc7323#section-5.3
//= type=test
//# If the PAWS algorithm is used, the following processing MUST be performed on all incoming segments for a
//# synchronized connection
#[test]
fn a_segment_from_the_past_is_dropped_and_answered_unless_the_echo_is_stale() {
    let mut peer = established();
    peer.clock = Some(2000);
    peer.data(0, 100);
    peer.clock = Some(1999);
    peer.data(100, 100);
    assert_eq!((peer.end.received(), peer.next().ack), (100, peer.seq(100)));
    // A RST is exempt (section 5.2).
    let mut reset = peer.segment(100, 0, 0);
    reset.flags = Flags::RST;
    let mut other = established();
    other.give(&{
        reset.seq = other.seq(0);
        reset
    });
    assert_eq!(other.end.state(), State::Closed);
    peer.now += 24 * 24 * 3600 * SECOND + MILLISECOND;
    peer.data(100, 100);
    assert_eq!(peer.end.received(), 200, "after 24 days TS.Recent says nothing (section 5.5)");
}

//= https://www.rfc-editor.org/rfc/rfc7323#section-3.2
//= type=test
//# If a non-<RST> segment is received without a TSopt, a TCP SHOULD silently drop the segment
#[test]
fn a_segment_without_them_is_dropped_except_by_kernels() {
    for (name, received) in [("rfc", 0), ("linux", 100), ("freebsd", 100), ("freebsd-2014", 100)] {
        let config = Config { timestamps: true, ..(stack::by_name(name).expect("a stack").config)() };
        let mut peer = Peer::established_with(&config, |reply| {
            reply.timestamps = Some(Timestamps { val: 1000, ecr: 0 });
        });
        peer.clock = None;
        peer.data(0, 100);
        assert_eq!(peer.end.received(), received);
    }
}

#[test]
fn what_acknowledges_the_future_does_not_move_the_echo() {
    let mut peer = established();
    let mut bad = peer.segment(0, 0, 5000);
    bad.timestamps = Some(Timestamps { val: 200_000, ecr: 0 });
    peer.give(&bad);
    assert_eq!(peer.next().timestamps.unwrap().ecr, 1000);
}

#[test]
fn the_echo_gives_a_round_trip_sample_of_what_was_sent_again() {
    let mut peer = established();
    peer.end.write(peer.now, 100);
    let first = peer.next();
    peer.expire();
    let again = peer.next();
    assert_eq!(first.seq, again.seq);
    let before = peer.end.srtt().unwrap();
    peer.now += 500 * MILLISECOND;
    let mut ack = peer.segment(0, 0, 100);
    ack.timestamps = Some(Timestamps { val: 1001, ecr: again.timestamps.unwrap().val });
    peer.give(&ack);
    let sample = 500 * MILLISECOND;
    assert_eq!(peer.end.srtt().unwrap(), before - before / 8 + sample / 8);
}

#[test]
fn samples_of_echoes_have_whole_milliseconds_in_linux() {
    for (name, micros) in [("linux", 500_000), ("rfc", 500_700)] {
        let config = Config { timestamps: true, ..(stack::by_name(name).expect("a stack").config)() };
        let mut peer = Peer::established_with(&config, |reply| {
            reply.timestamps = Some(Timestamps { val: 1000, ecr: 0 });
        });
        peer.all();
        peer.now = peer.now / MILLISECOND * MILLISECOND;
        peer.end.write(peer.now, 100);
        let first = peer.next();
        peer.expire();
        let again = peer.next();
        assert_eq!(first.seq, again.seq);
        let before = peer.end.srtt().unwrap();
        // The clock of timestamps has ticked 500 times since the retransmission, and the echo has whole ticks.
        peer.now = peer.now / MILLISECOND * MILLISECOND + 500 * MILLISECOND + 700_000;
        let mut ack = peer.segment(0, 0, 100);
        ack.timestamps = Some(Timestamps { val: 1001, ecr: again.timestamps.unwrap().val });
        peer.give(&ack);
        let expected = before - before / 8 + micros * 1000 / 8;
        assert!(peer.end.srtt().unwrap().abs_diff(expected) < 2_000, "{name}");
    }
}

//= https://www.rfc-editor.org/rfc/rfc7323#section-3.2
//= type=test
//# the sender of that segment SHOULD set the TSecr field to zero
//= https://www.rfc-editor.org/rfc/rfc7323#section-3.2
//= type=test
//# When the ACK bit is not set, the receiver MUST ignore the value of the TSecr field
#[test]
fn a_syn_echoes_nothing_and_its_echo_is_no_sample() {
    let (_, mine) = Peer::called(&stamped());
    assert_eq!(mine.timestamps.map(|stamps| stamps.ecr), Some(0));
    let mut asked = syn(Flags::default());
    asked.timestamps = Some(Timestamps { val: 77, ecr: 12_345 });
    let (peer, answer) = Peer::accepted(&stamped(), &asked);
    assert_eq!(answer.timestamps.map(|stamps| stamps.ecr), Some(77));
    assert_eq!(peer.end.srtt(), None, "without ACK the echo means nothing");
}

//= https://www.rfc-editor.org/rfc/rfc7323#section-3.2
//= type=test
//# the TSopt MUST be ignored and the packet processed normally
#[test]
fn where_they_were_not_agreed_they_are_ignored() {
    let mut peer = Peer::established(&stamped());
    // The segments are out of order, so that none of them takes the fast path for the next segment in order.
    for (seq, val) in [(100, 5000), (200, u32::MAX), (0, 4000)] {
        peer.clock = Some(val);
        peer.data(seq, 100);
    }
    assert_eq!(peer.end.received(), 300, "older than another, or than zero, and taken all the same");
    assert!(peer.all().iter().all(|ack| ack.timestamps.is_none()));
}

//= https://www.rfc-editor.org/rfc/rfc7323#section-4.1
//= type=test
//# MAY be used to update the averaged RTT measurement only if the segment advances the left edge of the send window
#[test]
fn an_echo_that_acknowledges_nothing_new_is_no_sample() {
    let mut peer = established();
    peer.end.write(peer.now, 3 * MSS);
    let sent = peer.all();
    let before = peer.end.srtt();
    peer.now += 300 * MILLISECOND;
    let mut ack = peer.segment(0, 0, 0);
    ack.timestamps = Some(Timestamps { val: 1001, ecr: sent[0].timestamps.unwrap().val });
    let end = sent[1].seq.wrapping_add(sent[1].len);
    (ack.sack[0], ack.sack_count) = (SackBlock { start: sent[1].seq, end }, 1);
    peer.give(&ack);
    assert_eq!(peer.end.loss_recovery().sacked, 1);
    assert_eq!(peer.end.srtt(), before, "SND.UNA stands still");
}

//= https://www.rfc-editor.org/rfc/rfc7323#section-3.2
//= type=test
//# and SHOULD be sent in an <RST> segment
//= https://www.rfc-editor.org/rfc/rfc7323#section-5.2
//= type=test
//# because of a user abort, and Snd.TS.OK is set, then a Timestamps option SHOULD be included in the <RST>
#[test]
fn a_reset_after_an_abort_carries_them() {
    let mut peer = established();
    peer.end.abort(peer.now);
    let reset = peer.next();
    assert!(reset.flags.has(Flags::RST));
    assert_eq!(reset.timestamps.map(|stamps| stamps.ecr), Some(1000));
}

//= https://www.rfc-editor.org/rfc/rfc7323#section-5.2
//= type=test
//# information from the Timestamps option MUST NOT be used to update connection state information
#[test]
fn a_reset_leaves_the_echo_as_it_was() {
    let mut peer = established();
    let mut reset = peer.segment(0, 0, 0);
    reset.flags = Flags::RST;
    // The RST is within the window, but not the next expected number: it is answered with a challenge ACK.
    reset.seq = peer.seq(10);
    reset.timestamps = Some(Timestamps { val: 5000, ecr: 0 });
    peer.give(&reset);
    assert_eq!(peer.next().timestamps.map(|stamps| stamps.ecr), Some(1000));
    peer.clock = Some(1001);
    peer.data(0, 100);
    assert_eq!(peer.end.received(), 100, "1001 is not older than what was in the RST");
}

//= https://www.rfc-editor.org/rfc/rfc7323#section-5.3
//= type=test
//# PAWS processing MUST take precedence over the regular TCP acceptability check
#[test]
fn a_segment_from_the_past_is_dropped_before_anything_else_is_made_of_it() {
    for (clock, reported) in [(1999, 0), (2001, 1)] {
        let mut peer = established();
        peer.clock = Some(2000);
        peer.data(0, 100);
        peer.now += SECOND;
        peer.end.on_timeout(peer.now, &mut ());
        peer.all();
        peer.clock = Some(clock);
        // The segment lies below the window: it is a duplicate, which D-SACK would report, or is ignored.
        peer.data(0, 100);
        assert_eq!(peer.next().sack_count, reported, "{clock}");
    }
}

//= https://www.rfc-editor.org/rfc/rfc7323#section-5.3
//= type=test
//# the timestamp MUST be checked only when a segment first arrives at the receiver, regardless of whether it is in
//# sequence or it must be queued for later delivery
#[test]
fn what_waited_for_a_hole_is_delivered_however_old_its_timestamp_is_by_then() {
    let mut peer = established();
    peer.clock = Some(1010);
    peer.data(100, 100);
    peer.clock = Some(1020);
    peer.data(0, 100);
    assert_eq!(peer.end.received(), 200);
}

mod dsack {
    use super::*;

    fn receiver() -> Peer {
        Peer::established(&Config { dsack: true, delayed_ack: 0, ..config() })
    }

    fn reported(peer: &mut Peer, seq: u64, len: u32) -> Vec<(u64, u64)> {
        peer.data(seq, len);
        let ack = peer.all().pop().expect("an ACK");
        peer.blocks(&ack)
    }

    /// Section 4.1.1: a segment that was acknowledged arrives again; it is reported once.
    #[test]
    fn a_duplicate_below_the_acknowledgment() {
        let mut peer = receiver();
        peer.data(0, 500);
        peer.data(500, 500);
        peer.all();
        assert_eq!(reported(&mut peer, 0, 500), [(0, 500)]);
        peer.data(2000, 500);
        let ack = peer.all().pop().unwrap();
        assert_eq!(peer.blocks(&ack), [(2000, 2500)]);
    }

    /// Sections 4.1.2 and 4.1.3: a duplicate when there is a gap, and a duplicate of a segment above the gap.
    #[test]
    fn a_duplicate_with_a_gap_comes_before_the_block_it_lies_in() {
        let mut peer = receiver();
        peer.data(0, 500);
        reported(&mut peer, 1000, 500);
        assert_eq!(reported(&mut peer, 1500, 500), [(1000, 2000)]);
        assert_eq!(reported(&mut peer, 0, 500), [(0, 500), (1000, 2000)]);
        assert_eq!(reported(&mut peer, 1500, 500), [(1500, 2000), (1000, 2000)]);
        reported(&mut peer, 3000, 500);
        assert_eq!(reported(&mut peer, 1000, 500), [(1000, 1500), (1000, 2000), (3000, 3500)]);
    }

    /// Section 4.2.1: only a part of a segment arrived before.
    #[test]
    fn a_part_of_a_segment() {
        let mut peer = receiver();
        peer.data(0, 500);
        peer.data(500, 500);
        peer.all();
        assert_eq!(reported(&mut peer, 500, 1000), [(500, 1000)]);
        reported(&mut peer, 2000, 500);
        assert_eq!(reported(&mut peer, 2000, 1000), [(2000, 2500), (2000, 3000)]);
    }

    /// Sections 4.2.2 and 4.2.3: of two parts the first is reported.
    #[test]
    fn two_parts_of_a_segment() {
        let mut peer = receiver();
        reported(&mut peer, 500, 500);
        reported(&mut peer, 1500, 500);
        assert_eq!(reported(&mut peer, 0, 3000), [(500, 1000)]);
    }

    #[test]
    fn nothing_is_reported_where_it_is_off() {
        let mut peer = Peer::established(&config());
        peer.data(0, 500);
        peer.data(500, 500);
        peer.all();
        assert!(reported(&mut peer, 0, 500).is_empty());
    }

    #[test]
    fn timestamps_leave_room_for_three_blocks() {
        for (stamps, most) in [(false, 4), (true, 3)] {
            let mut peer = Peer::established_with(&stamped(), |reply| {
                reply.timestamps = stamps.then_some(Timestamps { val: 1, ecr: 0 });
            });
            let mut blocks = Vec::new();
            for segment in 1..8 {
                blocks = reported(&mut peer, segment * 1000, 500);
            }
            assert_eq!(blocks.len(), most);
        }
    }

    /// A report reaches the other sender: the two ends agree on the meaning of a duplicate.
    #[test]
    fn the_sender_counts_them() {
        let mut pair = common::Pair::new(&stamped(), &stamped(), |_, _, _| true);
        pair.ends[0].write(0, 5 * MSS);
        pair.run(SECOND);
        let data = pair.sent[0].iter().find(|(_, segment)| segment.len > 0).unwrap().1;
        let now = pair.now;
        let mut again = data;
        again.timestamps = Some(Timestamps { val: data.timestamps.unwrap().val.wrapping_add(900), ecr: 0 });
        pair.ends[1].on_segment(now, &again, &mut ());
        let ack = pair.ends[1].poll_transmit(now, &mut ()).unwrap();
        pair.ends[0].on_segment(now, &ack, &mut ());
        assert_eq!(pair.ends[0].info(now).dsack_dups, 1);
    }
}
