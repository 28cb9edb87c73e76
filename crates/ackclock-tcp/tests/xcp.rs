//! XCP's header between two endpoints, on a path of 100 ms without routers.

mod common;

use ackclock_tcp::cc;
use ackclock_tcp::config::EcnMode;
use ackclock_tcp::{Config, CongestionHeader, Flags, MILLISECOND, SECOND, Segment};
use common::{MSS, Pair, config};

fn with(cc: &str) -> Config {
    let cc = cc::by_name(cc).unwrap().into();
    Config { cc, ecn: EcnMode::Accurate, ..config() }
}

/// Segments sent by the server and by the client, which has 100 and a half full segments to send.
fn sent(client: &str, server: &str) -> [Vec<Segment>; 2] {
    let mut pair = Pair::new(&with(client), &with(server), |_, _, _| true);
    pair.run(SECOND);
    pair.ends[0].write(pair.now, 100 * MSS + MSS / 2);
    pair.run(10 * SECOND);
    assert_eq!(pair.ends[1].received(), 100 * MSS + MSS / 2);
    pair.sent.map(|sent| sent.into_iter().map(|(_, segment)| segment).collect())
}

#[test]
fn requests_go_with_payload_and_answers_with_acknowledgments() {
    let [client, server] = sent("xcp", "xcp");
    assert_eq!([client[0].xcp(), server[0].xcp()], [Some(CongestionHeader::default()); 2], "the handshake");
    let no_ecn = |segment: &Segment| !segment.flags.has(Flags::ECE) && !segment.flags.has(Flags::AE);
    assert!(no_ecn(&client[0]) && no_ecn(&server[0]), "the answers of routers take the place of marks");

    let data: Vec<_> = client.iter().filter(|segment| segment.len > 0).collect();
    let first = data[0].xcp().unwrap();
    assert_eq!((first.rtt(), first.interval()), (100 * MILLISECOND, 10 * MILLISECOND), "ten segments in 100 ms");
    assert_eq!((first.change(), first.reverse()), (CongestionHeader::UNLIMITED, 0));
    let last = data.last().unwrap().xcp().unwrap();
    assert_eq!(last.change(), 0, "there is nothing more to send");
    assert!(last.interval() < data[data.len() - 2].xcp().unwrap().interval(), "and it is shorter");

    let acks: Vec<_> = server[1..].iter().map(|segment| segment.xcp().unwrap()).collect();
    assert!(acks.iter().all(|ack| (ack.rtt(), ack.change()) == (0, 0)), "they ask for nothing");
    assert_eq!(acks[0].reverse(), CongestionHeader::UNLIMITED, "no router has answered");
}

#[test]
fn who_alone_speaks_it_does_not_use_it() {
    let headers =
        |client, server| sent(client, server).map(|sent| sent.iter().filter(|segment| segment.xcp().is_some()).count());
    assert_eq!(headers("xcp", "reno"), [1, 0], "the SYN asks");
    assert_eq!(headers("reno", "xcp"), [0, 0]);
}
