//! DCTCP and Prague: the feedback that they need from both ends, and the length of the queue at a bottleneck that
//! marks.

mod common;

use ackclock_tcp::config::EcnMode;
use ackclock_tcp::{Config, Ecn, Flags, MILLISECOND, Nanos, SECOND, Segment, cc};
use common::path::{HEADERS, Path};
use common::peer::{Peer, syn};
use common::{MSS, config, linux};

const RATE: u64 = 12_500_000;
const DELAY: Nanos = 5 * MILLISECOND;
/// Bandwidth-delay product in segments.
const BDP: u64 = RATE * 2 * DELAY / SECOND / (MSS + HEADERS);
/// K of RFC 8257 section 3.1, in segments: more than a seventh of the BDP.
const K: u64 = BDP / 4;

fn path(name: &str, ecn: EcnMode, base: Config) -> Path {
    let config = Config { cc: cc::by_name(name).expect("in the catalogue").into(), ecn, ..base };
    let mut path = Path::new(&config, RATE, DELAY, 10 * BDP);
    path.mark_above = Some(K);
    path.client.write(0, 1 << 40);
    path
}

#[test]
fn the_queue_stays_about_the_threshold_that_marks() {
    for (name, ecn) in [("dctcp", EcnMode::Dctcp), ("prague", EcnMode::L4s)] {
        for base in [config(), linux()] {
            let mut path = path(name, ecn, base);
            // Slow start ends at half of the BDP, and Prague then grows slowly at this RTT.
            path.run(10 * SECOND);
            let (since, marked) = ((path.now, path.server.received()), path.marked);
            path.run(16 * SECOND);
            let queue = path.mean_queue(since.0) / K as f64;
            assert!((0.4..1.2).contains(&queue), "{name}: {queue} of K");
            assert!(path.utilisation(since, MSS) > 0.99, "{name}");
            assert_eq!(path.dropped, 0, "{name}");
            assert!(path.marked > marked, "{name}");
        }
    }
}

#[test]
fn without_proportion_the_link_idles() {
    // This shows the value of exact feedback: Reno responds to the same marks by halving the window.
    let mut path = path("reno", EcnMode::Classic, config());
    path.mark_above = Some(K / 4);
    path.run(3 * SECOND);
    let since = (path.now, path.server.received());
    path.run(13 * SECOND);
    let reno = path.utilisation(since, MSS);
    let mut path = self::path("dctcp", EcnMode::Dctcp, config());
    path.mark_above = Some(K / 4);
    path.run(3 * SECOND);
    let since = (path.now, path.server.received());
    path.run(13 * SECOND);
    let dctcp = path.utilisation(since, MSS);
    assert!(dctcp > reno + 0.05, "{dctcp} {reno}");
}

#[test]
fn growth_is_by_25_ms_where_the_rtt_is_shorter() {
    // There are no marks after slow start: cwnd grows by (RTT / 25 ms)^2 segments a round trip, by one from 25 ms on.
    for (delay, per_second) in [(5, 16.0), (25, 20.0)] {
        let config =
            Config { cc: cc::by_name("prague").expect("in the catalogue").into(), ecn: EcnMode::L4s, ..config() };
        let mut path = Path::new(&config, 1_000_000_000, delay * MILLISECOND, 1000);
        path.lose = |number| number == 100;
        path.client.write(0, 1 << 40);
        path.run(3 * SECOND);
        let before = path.client.window().cwnd;
        path.run(8 * SECOND);
        let grown = (path.client.window().cwnd - before) as f64 / MSS as f64 / 5.0;
        assert!((grown / per_second - 1.0).abs() < 0.05, "{grown} segments a second, {per_second} expected");
    }
}

mod feedback {
    use super::*;

    fn mode(ecn: EcnMode) -> Config {
        Config { ecn, ..config() }
    }

    /// Makes an endpoint that acts as a server and has agreed to ECN.
    fn server(ecn: EcnMode) -> (Peer, Segment) {
        let (mut peer, answer) = Peer::accepted(&mode(ecn), &syn(Flags::ECE.with(Flags::CWR)));
        let ack = peer.segment(0, 0, 0);
        peer.give(&ack);
        (peer, answer)
    }

    /// ECE of each ACK that is sent when segments arrive, marked or not according to `marks`.
    fn echoes(peer: &mut Peer, marks: &[bool]) -> Vec<Option<bool>> {
        let mut echoes = Vec::new();
        for (number, &marked) in marks.iter().enumerate() {
            let mut data = peer.segment(number as u64 * MSS, MSS as u32, 0);
            data.ecn = if marked { Ecn::Ce } else { Ecn::Ect0 };
            peer.give(&data);
            let acks = peer.all();
            assert!(acks.len() <= 1);
            echoes.push(acks.first().map(|ack| ack.flags.has(Flags::ECE)));
        }
        echoes
    }

    #[test]
    fn an_ack_echoes_the_last_segment_and_a_change_is_told_at_once() {
        let (mut peer, answer) = server(EcnMode::Dctcp);
        assert!(answer.flags.has(Flags::ECE) && !answer.flags.has(Flags::CWR));
        let (no, yes) = (Some(false), Some(true));
        let marks = [false, false, true, true, true, false, false, false];
        assert_eq!(echoes(&mut peer, &marks), [None, no, yes, None, yes, no, None, no]);
        // With RFC 3168 the echo stays until CWR.
        let (mut peer, _) = server(EcnMode::Classic);
        assert_eq!(echoes(&mut peer, &marks).last(), Some(&yes));
    }

    #[test]
    fn every_segment_of_dctcp_is_ecn_capable() {
        let (mut peer, answer) = server(EcnMode::Dctcp);
        assert_eq!(answer.ecn, Ecn::Ect0, "the SYN-ACK");
        peer.data(0, MSS as u32);
        peer.data(MSS, MSS as u32);
        assert_eq!(peer.next().ecn, Ecn::Ect0, "a pure ACK");
        peer.end.write(peer.now, MSS);
        assert_eq!(peer.next().ecn, Ecn::Ect0);
        peer.expire();
        let again = peer.next();
        assert_eq!((again.len, again.ecn), (MSS as u32, Ecn::Ect0), "what is sent again");
        peer.end.abort(peer.now);
        let reset = peer.next();
        assert_eq!((reset.flags.has(Flags::RST), reset.ecn), (true, Ecn::Ect0));
        let (_, sent) = Peer::called(&mode(EcnMode::Dctcp));
        assert_eq!(sent.ecn, Ecn::Ect0, "the SYN");
        let (_, sent) = Peer::called(&mode(EcnMode::Classic));
        assert_eq!(sent.ecn, Ecn::NotEct);
    }

    #[test]
    fn l4s_data_is_ect_1_with_accurate_feedback_only() {
        let accurate = |reply: &mut Segment| reply.flags = reply.flags.with(Flags::CWR);
        let classic = |reply: &mut Segment| reply.flags = reply.flags.with(Flags::ECE);
        let sent = |peer: &mut Peer| {
            peer.all();
            peer.end.write(peer.now, 100);
            peer.next().ecn
        };
        assert_eq!(sent(&mut Peer::established_with(&mode(EcnMode::L4s), accurate)), Ecn::Ect1);
        assert_eq!(sent(&mut Peer::established_with(&mode(EcnMode::L4s), classic)), Ecn::Ect0);
        assert_eq!(sent(&mut Peer::established_with(&mode(EcnMode::Accurate), accurate)), Ecn::Ect0);
    }
}
