//! Rules of RFC 8985 on RACK and TLP without SACK, without an RTT, and together with congestion control. Numbers are
//! segments.

mod common;

use ackclock_tcp::recovery::Recovery;
use ackclock_tcp::{Config, Flags, MILLISECOND, SECOND};
use common::peer::{ISS, Peer, syn};
use common::{MSS, RTT, Script, config, in_flight};

const NONE: [u64; 0] = [];

fn rack() -> Config {
    Config { rack: true, recovery: Recovery::Prr, ..config() }
}

//= https://www.rfc-editor.org/rfc/rfc8985#section-4
//= type=test
//# The connection MUST use selective acknowledgment (SACK) options [RFC2018], and the sender MUST keep SACK
//# scoreboard information on a per-connection basis
#[test]
fn without_sack_duplicate_acks_say_what_is_lost() {
    let mut script = in_flight(&Config { sack: false, ..rack() }, 10, 100);
    assert_eq!(script.ack(0, &[]), [10]);
    assert!(script.end.next_timeout() > script.now + 500 * MILLISECOND, "no reordering timer");
    assert_eq!(script.ack(0, &[]), [11]);
    assert_eq!(script.ack(0, &[]), [0], "three duplicates");
    assert_eq!(script.end.stats().recoveries, 1);
    // The retransmission has arrived, and by time all data sent before it would be lost. NewReno only knows of the next
    // hole.
    script.now += RTT;
    script.ack(4, &[]);
    assert_eq!(script.end.loss_recovery().lost, 1);
}

//= https://www.rfc-editor.org/rfc/rfc8985#section-7.2
//= type=test
//# when there is no SRTT estimate available, the PTO SHOULD be 1 second
#[test]
fn without_an_rtt_the_probe_leaves_after_a_second() {
    // A retransmitted SYN gives no RTT sample (Karn's algorithm), and a retransmission timeout of 3 s.
    let (mut peer, _) = Peer::called(&Config { tlp: true, ..rack() });
    peer.expire();
    assert!(peer.next().flags.has(Flags::SYN));
    peer.now += RTT;
    let mut reply = syn(Flags::ACK);
    reply.ack = ISS.wrapping_add(1);
    peer.give(&reply);
    peer.all();
    assert_eq!(peer.end.srtt(), None);
    peer.end.write(peer.now, MSS);
    peer.next();
    assert_eq!(peer.end.next_timeout() - peer.now, SECOND);
    peer.expire();
    assert_eq!((peer.next().len, peer.end.loss_recovery().counts.probes), (MSS as u32, 1));
}

//= https://www.rfc-editor.org/rfc/rfc8985#section-9.2
//= type=test
//# the algorithm [RFC6675] MUST NOT be used with RACK-TLP
#[test]
fn beside_rack_no_hole_is_repaired_by_counting() {
    // Five segments are sent, and 40 ms later five more and no others: 0 arrives late, 2, 5 and 6 are missing.
    let mut script = Script::established(&Config { recovery: Recovery::Sack, ..rack() }, RTT);
    script.write(5);
    script.sends();
    script.now += 40 * MILLISECOND;
    script.write(5);
    script.sends();
    script.now += 60 * MILLISECOND;
    script.ack(0, &[(1, 2)]);
    script.ack(2, &[]);
    script.ack(2, &[(3, 5)]);
    script.now += 40 * MILLISECOND;
    // There was reordering, so that segments must be a quarter of the RTT late to be lost: 2 is late enough, 5 and 6
    // are not.
    assert_eq!(script.ack(2, &[(7, 8), (3, 5)]), [2]);
    assert_eq!(script.ack(2, &[(7, 10), (3, 5)]), NONE, "there is room, and RFC 6675 would fill it by rule 3");
    script.expire();
    assert_eq!(script.sends(), [5, 6]);
    assert_eq!(script.end.stats().timeouts, 0);
}

//= https://www.rfc-editor.org/rfc/rfc8985#section-9.3
//= type=test
//# A segment marked as lost by RACK-TLP MUST NOT be retransmitted until congestion control deems this appropriate
//= https://www.rfc-editor.org/rfc/rfc8985#section-9.3
//= type=test
//# The Proportional Rate Reduction (PRR) algorithm [RFC6937] is RECOMMENDED for the specific congestion control
//# actions
//= https://www.rfc-editor.org/rfc/rfc9937#section-5
//= type=test
//# PRR MAY be used in conjunction with the loss detection algorithms specified or described in the following
//# documents
//= https://www.rfc-editor.org/rfc/rfc9937#section-5
//= type=test
//# it is RECOMMENDED that PRR is implemented together with RACK-TLP loss recovery
//= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
//= type=test
//# MUST calculate inflight by starting with SND.NXT - SND.UNA, subtracting out bytes SACKed in the scoreboard,
//# subtracting out bytes marked lost in the scoreboard, and adding bytes in the scoreboard that have been
//# retransmitted since they were last marked lost
#[test]
fn what_is_lost_waits_until_the_window_lets_it_go() {
    let mut script = in_flight(&rack(), 10, 1000);
    assert_eq!(script.ack(0, &[(6, 7)]), [10]);
    assert_eq!(script.ack(0, &[(6, 8)]), [11]);
    // Six segments are lost at once. PRR sends one for each segment that arrives.
    assert_eq!(script.ack(0, &[(6, 9)]), [0]);
    assert_eq!((script.end.loss_recovery().lost, script.in_flight()), (6, 4));
    assert_eq!(script.sends(), NONE);
    assert_eq!(script.ack(0, &[(6, 10)]), [1]);
}
