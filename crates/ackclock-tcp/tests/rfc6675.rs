//! Rules of RFC 6675 that apply only in special cases of a recovery. Numbers are segments.

mod common;

use ackclock_tcp::MILLISECOND;
use common::{MSS, Script, config};

const RTT: u64 = 100 * MILLISECOND;

/// Makes a sender with ten segments in flight, of `written` in all.
fn ten_in_flight(written: u64) -> Script {
    let mut script = Script::established(&config(), RTT);
    script.write(written);
    assert_eq!(script.sends(), (0..10).collect::<Vec<u64>>());
    script.now += RTT;
    script
}

//= https://www.rfc-editor.org/rfc/rfc6675#section-4
//= type=test
//# one segment of up to SMSS octets that MUST include the highest outstanding unSACKed sequence number SHOULD be
//# returned
//= https://www.rfc-editor.org/rfc/rfc6675#section-4
//= type=test
//# HighRxt MUST NOT be updated
//= https://www.rfc-editor.org/rfc/rfc6675#section-4
//= type=test
//# NextSeg () MUST indicate failure, and no segment is returned
//= https://www.rfc-editor.org/rfc/rfc6675#section-5
//= type=test
//# HighRxt MUST be set to the highest sequence number of the retransmitted segment unless NextSeg () rule (4) was
//# invoked for this retransmission
/// Section 4, rule 4: "HighRxt MUST NOT be updated", so that rule 3 still finds the hole below the rescued segment.
#[test]
fn a_rescue_retransmission_leaves_holes_that_show_later_to_be_repaired() {
    // There are ten segments and no more: 0, 8 and 9 are lost.
    let mut script = ten_in_flight(10);
    let mut sent = Vec::new();
    for top in 2..=8 {
        sent.extend(script.ack(0, &[(1, top)]));
    }
    script.now += RTT;
    sent.extend(script.ack(8, &[]));
    assert_eq!(sent, [0, 9], "the loss, and the last segment to the rescue");
    script.now += RTT;
    assert_eq!(script.ack(8, &[(9, 10)]), [8]);
    script.ack(10, &[]);
    assert_eq!(script.end.stats().timeouts, 0);
}

//= https://www.rfc-editor.org/rfc/rfc6675#section-5
//= type=test
//# If the incoming ACK is a cumulative acknowledgment, the TCP MUST reset DupAcks to zero
#[test]
fn an_acknowledgment_of_new_data_starts_the_count_of_duplicates_anew() {
    let mut script = ten_in_flight(100);
    script.ack(0, &[(1, 2)]);
    script.ack(0, &[(1, 3)]);
    script.ack(3, &[]);
    script.ack(3, &[(4, 5)]);
    script.ack(3, &[(4, 6)]);
    assert_eq!(script.end.stats().recoveries, 0, "two and two are not three");
    script.ack(3, &[(4, 7)]);
    assert_eq!(script.end.stats().recoveries, 1);
}

//= https://www.rfc-editor.org/rfc/rfc6675#section-5
//= type=test
//# Any information contained in the scoreboard for sequence numbers greater than the new value of HighACK SHOULD NOT
//# be cleared when leaving the loss recovery phase
#[test]
fn what_was_sacked_above_a_recovery_is_known_after_it() {
    let mut script = ten_in_flight(100);
    let mut sent = Vec::new();
    for top in 2..=12 {
        sent.extend(script.ack(0, &[(1, top)]));
    }
    assert!(sent.ends_with(&[13, 14, 15]), "new data within the recovery, of which 12 is lost: {sent:?}");
    script.now += RTT;
    script.ack(0, &[(13, 14), (1, 12)]);
    // The retransmission arrives and ends the recovery. This ACK does not report 13.
    script.ack(12, &[]);
    assert_eq!(script.end.loss_recovery().sacked_bytes, MSS);
    assert_eq!(script.end.stats().recoveries, 1);
    // Two more make three segments above 12: 13 counts.
    script.ack(12, &[(13, 15)]);
    assert_eq!(script.ack(12, &[(13, 16)]).first(), Some(&12));
    assert_eq!(script.end.stats().recoveries, 2);
}

//= https://www.rfc-editor.org/rfc/rfc6675#section-5.1
//= type=test
//# If an RTO occurs during loss recovery as specified in this document, RecoveryPoint MUST be set to HighData
//= https://www.rfc-editor.org/rfc/rfc6675#section-5.1
//= type=test
//# the new value of RecoveryPoint MUST be preserved and the loss recovery algorithm outlined in this document MUST be
//# terminated
//= https://www.rfc-editor.org/rfc/rfc6675#section-5.1
//= type=test
//# a new recovery phase (as described in Section 5) MUST NOT be initiated until HighACK is greater than or equal to
//# the new value of RecoveryPoint
#[test]
fn after_a_timeout_in_recovery_no_second_one_begins_before_all_of_it_is_acknowledged() {
    let mut script = ten_in_flight(100);
    for top in 2..=6 {
        script.ack(0, &[(1, top)]);
    }
    assert_eq!((script.end.stats().recoveries, script.end.sent() / MSS), (1, 12));
    script.expire();
    assert_eq!(script.end.stats().timeouts, 1);
    script.sends();
    let ssthresh = script.ssthresh();
    for (ack, top) in [(1, 7), (1, 8), (1, 9), (1, 10), (6, 11), (6, 12)] {
        script.ack(ack, &[(ack + 1, top)]);
    }
    assert_eq!((script.end.stats().recoveries, script.ssthresh()), (1, ssthresh));
    // All of the data is acknowledged. The next loss, once the window is large enough to reveal it, causes a response
    // again.
    let mut una = 12;
    script.ack(una, &[]);
    while script.end.sent() / MSS < una + 5 {
        una = script.end.sent() / MSS;
        script.ack(una, &[]);
    }
    for top in una + 2..=una + 4 {
        script.ack(una, &[(una + 1, top)]);
    }
    assert_eq!(script.end.stats().recoveries, 2);
}

//= https://www.rfc-editor.org/rfc/rfc6675#section-5.1
//= type=test
//# Update () SHOULD continue to be used appropriately upon receipt of ACKs
//= https://www.rfc-editor.org/rfc/rfc6675#section-5.1
//= type=test
//# a TCP sender SHOULD use this SACK information when determining what data should be sent in each segment following
//# an RTO
#[test]
fn what_is_sacked_after_a_timeout_is_not_sent_again_either() {
    let mut script = ten_in_flight(10);
    script.expire();
    let mut sent = script.sends();
    // The retransmission of 0 reaches a receiver that already had 4 to 6, but whose SACKs of them were lost.
    for ack in [1, 2, 3, 7, 8, 9] {
        let blocks: &[(u64, u64)] = if ack < 4 { &[(4, 7)] } else { &[] };
        sent.extend(script.ack(ack, blocks));
    }
    assert_eq!(sent, [0, 1, 2, 3, 7, 8, 9]);
}
