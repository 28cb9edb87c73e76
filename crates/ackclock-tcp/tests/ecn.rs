//! ECN end to end: RFC 3168 and AccECN (RFC 9768), with a peer played by the test and between two endpoints.

mod common;

use ackclock_tcp::config::EcnMode;
use ackclock_tcp::info::EcnUse;
use ackclock_tcp::{AccEcnOption, Config, Ecn, Flags, MILLISECOND, SECOND, Segment};
use common::peer::{Peer, syn};
use common::{MSS, Pair, config};

fn mode(ecn: EcnMode) -> Config {
    Config { ecn, delayed_ack: 0, ..config() }
}

/// AE, CWR, ECE as one number.
fn bits(segment: &Segment) -> u8 {
    [(Flags::AE, 4), (Flags::CWR, 2), (Flags::ECE, 1)]
        .iter()
        .map(|&(flag, bit)| if segment.flags.has(flag) { bit } else { 0 })
        .sum()
}

fn flags(bits: u8) -> Flags {
    let on = |bit: u8, flag: Flags| if bits & bit != 0 { flag } else { Flags::default() };
    on(4, Flags::AE).with(on(2, Flags::CWR)).with(on(1, Flags::ECE))
}

fn uses(peer: &Peer) -> EcnUse {
    peer.end.info(peer.now).ecn
}

/// RFC 3168 section 6.1.1 and RFC 9768 table 2, at the server.
#[test]
fn what_a_server_answers() {
    use EcnMode::{Accurate, Classic, Off, Passive};
    use EcnUse::{Accurate as AccEcn, Classic as Rfc3168, None};
    for (ecn, asked, field, answer, agreed) in [
        (Off, 0b011, Ecn::NotEct, 0, None),
        (Passive, 0b000, Ecn::NotEct, 0, None),
        (Passive, 0b011, Ecn::NotEct, 0b001, Rfc3168),
        (Passive, 0b111, Ecn::NotEct, 0b001, Rfc3168),
        (Passive, 0b001, Ecn::NotEct, 0, None),
        (Classic, 0b011, Ecn::NotEct, 0b001, Rfc3168),
        (Accurate, 0b000, Ecn::NotEct, 0, None),
        (Accurate, 0b011, Ecn::NotEct, 0b001, Rfc3168),
        (Accurate, 0b111, Ecn::NotEct, 0b010, AccEcn),
        (Accurate, 0b111, Ecn::Ect1, 0b011, AccEcn),
        (Accurate, 0b111, Ecn::Ect0, 0b100, AccEcn),
        (Accurate, 0b111, Ecn::Ce, 0b110, AccEcn),
        (Accurate, 0b101, Ecn::NotEct, 0b010, AccEcn),
    ] {
        let mut asking = syn(flags(asked));
        asking.ecn = field;
        let (peer, reply) = Peer::accepted(&mode(ecn), &asking);
        assert_eq!((bits(&reply), uses(&peer)), (answer, agreed), "{ecn:?} {asked:03b} {field:?}");
        assert_eq!((reply.accecn().is_some(), reply.ecn), (agreed == AccEcn, Ecn::NotEct));
    }
}

/// RFC 3168 section 6.1.1 and RFC 9768 table 2, at the client.
#[test]
fn what_a_client_makes_of_the_answer() {
    use EcnMode::{Accurate, Classic, Passive};
    use EcnUse::{Accurate as AccEcn, Classic as Rfc3168, None};
    for (ecn, asked, answer, agreed) in [
        (Passive, 0, 0b001, None),
        (Classic, 0b011, 0b001, Rfc3168),
        (Classic, 0b011, 0b011, None),
        (Classic, 0b011, 0b000, None),
        (Accurate, 0b111, 0b000, None),
        (Accurate, 0b111, 0b111, None),
        (Accurate, 0b111, 0b001, Rfc3168),
        (Accurate, 0b111, 0b010, AccEcn),
        (Accurate, 0b111, 0b101, AccEcn),
        (Accurate, 0b111, 0b110, AccEcn),
    ] {
        let (_, sent) = Peer::called(&mode(ecn));
        assert_eq!(bits(&sent), asked);
        let mut peer = Peer::established_with(&mode(ecn), |reply| reply.flags = reply.flags.with(flags(answer)));
        assert_eq!(uses(&peer), agreed, "{ecn:?} {answer:03b}");
        peer.all();
        peer.end.write(peer.now, 10);
        // Our SYN was not ECN-capable. If the SYN-ACK reports another field, we send no ECN-capable packets (RFC 9768
        // section 3.2.2.3).
        let mangled = answer == 0b110;
        let ect = agreed != None && !mangled;
        assert_eq!(peer.next().ecn, if ect { Ecn::Ect0 } else { Ecn::NotEct }, "{ecn:?} {answer:03b}");
    }
}

#[test]
fn a_syn_sent_again_asks_for_less() {
    for (ecn, asked) in [(EcnMode::Classic, [0b011, 0, 0]), (EcnMode::Accurate, [0b111, 0b111, 0])] {
        let mut pair = Pair::new(&mode(ecn), &config(), |_, _, _| false);
        pair.run(5 * SECOND);
        let sent: Vec<u8> = pair.sent[0].iter().map(|(_, syn)| bits(syn)).collect();
        assert_eq!(sent, asked);
    }
}

mod classic {
    use super::*;

    fn client() -> Peer {
        let mut peer =
            Peer::established_with(&mode(EcnMode::Classic), |reply| reply.flags = reply.flags.with(Flags::ECE));
        peer.all();
        peer
    }

    /// RFC 3168 sections 6.1.2, 6.1.4 and 6.1.5.
    #[test]
    fn only_new_data_is_ecn_capable() {
        let mut peer = client();
        peer.data(0, 100);
        assert_eq!(peer.next().ecn, Ecn::NotEct, "a pure ACK");
        peer.end.write(peer.now, MSS);
        assert_eq!(peer.next().ecn, Ecn::Ect0);
        peer.expire();
        assert_eq!(peer.next().ecn, Ecn::NotEct, "sent again");
    }

    /// RFC 3168 section 6.1.3.
    #[test]
    fn a_mark_is_echoed_until_cwr() {
        let mut peer = client();
        let arrive = |peer: &mut Peer, seq, ecn, flags| {
            let mut segment = peer.segment(seq, 100, 0);
            segment.ecn = ecn;
            segment.flags = segment.flags.with(flags);
            peer.give(&segment);
            bits(&peer.next())
        };
        assert_eq!(arrive(&mut peer, 0, Ecn::Ect0, Flags::default()), 0);
        assert_eq!(arrive(&mut peer, 100, Ecn::Ce, Flags::default()), 1);
        assert_eq!(arrive(&mut peer, 200, Ecn::Ect0, Flags::default()), 1);
        assert_eq!(arrive(&mut peer, 300, Ecn::Ect0, Flags::CWR), 0);
        assert_eq!(arrive(&mut peer, 400, Ecn::Ce, Flags::CWR), 1, "a mark on the very segment that says CWR");
        let mut bare = peer.segment(500, 0, 0);
        bare.ecn = Ecn::Ce;
        peer.give(&bare);
        assert_eq!(peer.end.info(peer.now).received_ce, 3);
    }

    #[test]
    fn an_echo_halves_the_window_once_and_new_data_says_so() {
        let mut peer = client();
        peer.end.write(peer.now, 30 * MSS);
        assert_eq!(peer.all().len(), 10);
        let before = peer.end.window().cwnd;
        for acked in 1..=4 {
            peer.now += MILLISECOND;
            let mut ack = peer.segment(0, 0, acked * MSS);
            ack.flags = ack.flags.with(Flags::ECE);
            peer.give(&ack);
        }
        assert_eq!(peer.end.window().ssthresh, before / 2);
        let ack = peer.segment(0, 0, 10 * MSS);
        peer.give(&ack);
        let said: Vec<bool> = peer.all().iter().map(|segment| segment.flags.has(Flags::CWR)).collect();
        assert!(said[0] && !said[1..].contains(&true), "{said:?}");
        assert_eq!(peer.end.info(peer.now).total_retrans, 0);
    }
}

mod accurate {
    use super::*;

    fn option(e0b: u32, ceb: u32, e1b: u32) -> Option<AccEcnOption> {
        Some(AccEcnOption { order1: false, count: 3, counters: [e0b, ceb, e1b] })
    }

    fn client_with(answer: impl FnOnce(&mut Segment)) -> Peer {
        Peer::established_with(&mode(EcnMode::Accurate), |reply| {
            reply.flags = reply.flags.with(flags(0b010));
            reply.set_accecn(option(1, 0, 1));
            answer(reply);
        })
    }

    fn client() -> Peer {
        let mut peer = client_with(|_| {});
        peer.all();
        peer
    }

    /// RFC 9768 table 3.
    #[test]
    fn the_ack_of_the_syn_ack_tells_how_it_arrived() {
        for (field, ace, after) in
            [(Ecn::NotEct, 0b010, 5), (Ecn::Ect1, 0b011, 5), (Ecn::Ect0, 0b100, 5), (Ecn::Ce, 0b110, 6)]
        {
            let mut peer = client_with(|reply| reply.ecn = field);
            peer.end.write(peer.now, 10);
            let sent = peer.all();
            assert_eq!((sent.len(), sent[0].len, bits(&sent[0])), (2, 0, ace), "a pure ACK goes before the data");
            assert_eq!(bits(&sent[1]), after, "the counter begins at 5");
            assert!(sent[0].accecn().is_some() && sent[1].accecn().is_some(), "both test the path");
        }
    }

    /// RFC 9768 table 4.
    #[test]
    fn what_a_server_makes_of_the_ack_of_its_syn_ack() {
        for (ace, ect) in
            [(0b010, Ecn::Ect0), (0b000, Ecn::NotEct), (0b011, Ecn::NotEct), (0b110, Ecn::NotEct), (0b111, Ecn::Ect0)]
        {
            let (mut peer, _) = Peer::accepted(&mode(EcnMode::Accurate), &syn(flags(0b111)));
            let mut ack = peer.segment(0, 0, 0);
            ack.flags = ack.flags.with(flags(ace));
            ack.set_accecn(option(1, 0, 1));
            peer.give(&ack);
            peer.end.write(peer.now, 10 * MSS);
            let sent = peer.all();
            assert!(sent.iter().all(|segment| segment.ecn == ect), "{ace:03b}");
            // A mark that is reported later is accepted unless the field was zero.
            let before = peer.end.window().cwnd;
            let mut told = peer.segment(0, 0, MSS);
            told.flags = told.flags.with(flags(if ace == 0b110 { 7 } else { 6 }));
            peer.give(&told);
            assert_eq!(peer.end.window().ssthresh < before, ace != 0, "{ace:03b}");
        }
    }

    #[test]
    fn a_syn_ack_sent_again_does_without_the_option_and_then_without_ecn() {
        let (mut peer, first) = Peer::accepted(&mode(EcnMode::Accurate), &syn(flags(0b111)));
        assert!(first.accecn().is_some());
        for ace in [0b010, 0] {
            peer.expire();
            let again = peer.next();
            assert_eq!((bits(&again), again.accecn()), (ace, None));
        }
        let mut ack = peer.segment(0, 0, 0);
        ack.flags = ack.flags.with(flags(0b010));
        peer.give(&ack);
        peer.end.write(peer.now, 10);
        assert_eq!((peer.next().ecn, uses(&peer)), (Ecn::NotEct, EcnUse::Accurate), "feedback goes on, ECT does not");
    }

    /// RFC 9768 section 3.2.3.3.
    #[test]
    fn counters_that_have_ever_changed_are_told_when_one_changes() {
        let mut peer = client();
        peer.end.write(peer.now, 10);
        peer.all();
        let arrive = |peer: &mut Peer, seq, ecn| {
            let mut segment = peer.segment(seq, 100, 10);
            segment.ecn = ecn;
            peer.give(&segment);
            let ack = peer.next();
            (
                bits(&ack),
                ack.accecn().map(|option| (option.order1, option.counters[..usize::from(option.count)].to_vec())),
            )
        };
        assert_eq!(arrive(&mut peer, 0, Ecn::NotEct), (5, None));
        assert_eq!(arrive(&mut peer, 100, Ecn::Ect0), (5, Some((false, vec![101]))));
        assert_eq!(arrive(&mut peer, 200, Ecn::Ce), (6, Some((false, vec![101, 100]))));
        assert_eq!(arrive(&mut peer, 300, Ecn::Ect0), (6, Some((false, vec![201, 100]))));
        assert_eq!(arrive(&mut peer, 400, Ecn::NotEct), (6, None));
        let mut other = client();
        other.end.write(other.now, 10);
        other.all();
        assert_eq!(arrive(&mut other, 0, Ecn::Ect1), (5, Some((true, vec![101]))));
    }

    /// RFC 9768 section 3.2.2.5.1.
    #[test]
    fn marks_are_acknowledged_at_once() {
        let mut peer =
            Peer::established_with(&Config { ecn: EcnMode::Accurate, ack_every: 100, ..config() }, |reply| {
                reply.flags = reply.flags.with(flags(0b010));
            });
        peer.all();
        let arrive = |peer: &mut Peer, seq, len, ecn| {
            let mut segment = peer.segment(seq, len, 0);
            segment.ecn = ecn;
            peer.give(&segment);
            peer.all().len()
        };
        assert_eq!(arrive(&mut peer, 0, 100, Ecn::Ect0), 0);
        assert_eq!(arrive(&mut peer, 100, 100, Ecn::Ce), 1, "the first after one without");
        assert_eq!(arrive(&mut peer, 200, 100, Ecn::Ce), 0);
        assert_eq!(arrive(&mut peer, 300, 100, Ecn::Ce), 1, "two since the last ACK");
        for mark in [0, 0, 1] {
            assert_eq!(arrive(&mut peer, 400, 0, Ecn::Ce), mark, "three without data");
        }
    }

    /// RFC 9768 section 3.2.3.2.5.
    #[test]
    fn bytes_without_packets_end_the_use_of_ect() {
        let mut peer = client();
        peer.end.write(peer.now, 2 * MSS);
        peer.all();
        let mut ack = peer.segment(0, 0, MSS);
        ack.flags = ack.flags.with(flags(5));
        ack.set_accecn(option(1, 1000, 1));
        peer.give(&ack);
        peer.end.write(peer.now, MSS);
        assert_eq!(peer.all().last().unwrap().ecn, Ecn::NotEct);
    }
}

/// Every third data segment of the client is marked on the path: the client receives the feedback and slows down, and
/// nothing is lost.
#[test]
fn marks_slow_a_sender_down_end_to_end() {
    for (ecn, used) in [(EcnMode::Classic, EcnUse::Classic), (EcnMode::Accurate, EcnUse::Accurate)] {
        let mut pair = Pair::new(&mode(ecn), &mode(ecn), |_, _, _| true);
        pair.mark = Some(|number, segment| number % 3 == 0 && segment.ecn == Ecn::Ect0);
        pair.ends[0].write(0, 60 * MSS);
        pair.run(20 * SECOND);
        let info = pair.ends[0].info(pair.now);
        assert_eq!((pair.ends[1].received(), info.total_retrans, info.ecn), (60 * MSS, 0, used));
        assert!(info.snd_ssthresh < 20 && info.delivered_ce > 0, "{used:?}: {}", info.snd_ssthresh);
        assert!(pair.ends[1].info(pair.now).received_ce > 0);
    }
}
