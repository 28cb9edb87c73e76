//! Fast Open between two endpoints: cookies, data in the SYN, and the fallbacks of RFC 7413.

use ackclock_tcp::fast_open::{Client, FastOpen, Server};
use ackclock_tcp::{Endpoint, Flags, MILLISECOND, Nanos, Progress, Segment, State, stack};

const NOW: Nanos = 10 * MILLISECOND;
const COOKIE: [u8; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

fn endpoint() -> Endpoint {
    Endpoint::new(&(stack::by_name("rfc").unwrap().config)(), 1000)
}

fn client(option: FastOpen, bytes: u64) -> Endpoint {
    let mut end = endpoint();
    end.use_fast_open(Client { option: Some(option), mss: 1000 });
    end.write(NOW, bytes);
    end.connect(NOW);
    end
}

fn server(without_cookie: bool) -> Endpoint {
    let mut end = endpoint();
    end.serve_fast_open(Server { cookie: Some(FastOpen::new(&COOKIE, false)), without_cookie });
    end.listen();
    end
}

fn send(end: &mut Endpoint, now: Nanos) -> Vec<Segment> {
    std::iter::from_fn(|| end.poll_transmit(now, &mut ())).collect()
}

/// Passes what `from` sends now to `to`.
fn pass(from: &mut Endpoint, to: &mut Endpoint) -> (Vec<Segment>, Progress) {
    let segments = send(from, NOW);
    let mut last = Progress::default();
    for segment in &segments {
        last = to.on_segment(NOW, segment, &mut ());
    }
    (segments, last)
}

#[test]
fn a_request_gets_a_cookie_and_its_data_follows_the_handshake() {
    let (mut ours, mut theirs) = (client(FastOpen::REQUEST, 300), server(false));
    let (syn, _) = pass(&mut ours, &mut theirs);
    assert_eq!((syn[0].len, syn[0].fast_open()), (0, Some(FastOpen::REQUEST)));
    assert_eq!(ours.fast_open_answer(), None);
    let (syn_ack, progress) = pass(&mut theirs, &mut ours);
    assert_eq!(syn_ack[0].fast_open().map(|option| option.cookie().to_vec()), Some(COOKIE.to_vec()));
    assert!(progress.has(Progress::CONNECTED) && !progress.has(Progress::ACKED));
    let answer = ours.fast_open_answer().unwrap();
    assert_eq!((answer.option.unwrap().cookie(), answer.acked), (&COOKIE[..], 0));
    let (data, progress) = pass(&mut ours, &mut theirs);
    assert_eq!(data.iter().map(|segment| segment.len).sum::<u32>(), 300);
    assert!(progress.has(Progress::RECEIVED));
    assert_eq!((theirs.received(), theirs.state()), (300, State::Established));
}

#[test]
fn data_with_a_right_cookie_is_answered_before_the_handshake_ends() {
    let (mut ours, mut theirs) = (client(FastOpen::new(&COOKIE, false), 300), server(false));
    let (syn, progress) = pass(&mut ours, &mut theirs);
    assert_eq!((syn[0].flags, syn[0].len), (Flags::SYN, 300));
    assert!(progress.has(Progress::CONNECTED) && progress.has(Progress::RECEIVED));
    assert_eq!((theirs.state(), theirs.received()), (State::SynReceived, 300));
    theirs.write(NOW, 500);
    let (answers, _) = pass(&mut theirs, &mut ours);
    assert_eq!(answers.iter().map(|segment| segment.len).collect::<Vec<u32>>(), [0, 500]);
    assert_eq!((answers[0].ack, answers[0].fast_open()), (1301, None));
    assert_eq!((ours.acked(), ours.received()), (300, 500));
    assert_eq!(ours.fast_open_answer().unwrap().acked, 300);
    let (acks, _) = pass(&mut ours, &mut theirs);
    assert!(acks.iter().all(|ack| ack.len == 0), "no data is sent again");
    assert_eq!((theirs.state(), theirs.acked()), (State::Established, 500));
}

#[test]
fn a_wrong_cookie_is_replaced_and_the_data_is_sent_again() {
    let (mut ours, mut theirs) = (client(FastOpen::new(&[9; 4], true), 300), server(false));
    pass(&mut ours, &mut theirs);
    assert_eq!((theirs.state(), theirs.received()), (State::SynReceived, 0));
    let (syn_ack, _) = pass(&mut theirs, &mut ours);
    let option = syn_ack[0].fast_open().unwrap();
    assert_eq!((option.cookie(), option.is_experimental()), (&COOKIE[..], true), "the number is that of the request");
    assert_eq!((syn_ack[0].ack, ours.acked()), (1001, 0));
    pass(&mut ours, &mut theirs);
    assert_eq!(theirs.received(), 300);
}

#[test]
fn a_server_may_do_without_cookies() {
    for without_cookie in [false, true] {
        let mut theirs = server(without_cookie);
        let syn = Segment { len: 100, seq: 5000, window: 1000, ..Segment::new(Flags::SYN) };
        theirs.on_segment(NOW, &syn, &mut ());
        assert_eq!(theirs.received(), if without_cookie { 100 } else { 0 });
        assert_eq!(send(&mut theirs, NOW)[0].ack, if without_cookie { 5101 } else { 5001 });
    }
    let mut theirs = endpoint();
    theirs.listen();
    let mut syn = Segment { len: 100, seq: 5000, window: 1000, ..Segment::new(Flags::SYN) };
    syn.set_fast_open(Some(FastOpen::new(&COOKIE, false)));
    theirs.on_segment(NOW, &syn, &mut ());
    let answer = send(&mut theirs, NOW)[0];
    assert_eq!((answer.ack, answer.fast_open()), (5001, None), "a server without Fast Open ignores option and data");
}

#[test]
fn a_part_of_the_data_may_be_acknowledged() {
    let mut ours = client(FastOpen::new(&COOKIE, false), 300);
    send(&mut ours, NOW);
    let answer = |ack| Segment { ack, seq: 7000, window: 5000, mss: 1000, ..Segment::new(Flags::SYN.with(Flags::ACK)) };
    ours.on_segment(NOW, &answer(1302), &mut ());
    assert_eq!(send(&mut ours, NOW)[0].flags, Flags::RST, "the SYN did not carry so much");
    ours.on_segment(NOW, &answer(1101), &mut ());
    let rest = send(&mut ours, NOW);
    assert_eq!((rest[0].seq, rest[0].len, ours.acked()), (1101, 200, 100));
}

#[test]
fn the_data_fits_into_the_servers_segment_size_with_the_options() {
    let mut ours = client(FastOpen::new(&COOKIE, false), 5000);
    let syn = send(&mut ours, NOW)[0];
    assert_eq!(syn.len + syn.header_len() - 20, 1000);
}

#[test]
fn a_syn_that_is_sent_again_is_plain() {
    let (mut ours, mut theirs) = (client(FastOpen::new(&COOKIE, false), 300), server(false));
    send(&mut ours, NOW);
    let later = ours.next_timeout();
    ours.on_timeout(later, &mut ());
    let syn = ours.poll_transmit(later, &mut ()).unwrap();
    assert_eq!((syn.len, syn.fast_open()), (0, None));
    theirs.on_segment(later, &syn, &mut ());
    for segment in send(&mut theirs, later) {
        ours.on_segment(later, &segment, &mut ());
    }
    assert_eq!(send(&mut ours, later).iter().map(|segment| segment.len).sum::<u32>(), 300);
}

#[test]
fn a_fin_waits_for_the_end_of_the_handshake() {
    let (mut ours, mut theirs) = (client(FastOpen::new(&COOKIE, false), 300), server(false));
    pass(&mut ours, &mut theirs);
    theirs.read(NOW, 300);
    theirs.write(NOW, 100);
    theirs.shutdown_write(NOW);
    let (early, _) = pass(&mut theirs, &mut ours);
    assert_eq!((early.len(), early[0].flags), (1, Flags::SYN.with(Flags::ACK)));
    pass(&mut ours, &mut theirs);
    let (rest, _) = pass(&mut theirs, &mut ours);
    assert!(rest[0].len == 100 && rest[0].flags.has(Flags::FIN));
    assert_eq!(theirs.state(), State::FinWait1);
}

/// FreeBSD's SYN-ACK waits for data as long as a delayed ACK does, and nothing else leaves before the handshake has ended
/// (sys/netinet/tcp_input.c, tcp_do_segment; sys/netinet/tcp_output.c, tcp_output).
#[test]
fn freebsds_answer_waits_for_data_that_it_carries() {
    let server = || {
        let mut end = Endpoint::new(&(stack::by_name("freebsd").unwrap().config)(), 1000);
        end.serve_fast_open(Server { cookie: Some(FastOpen::new(&COOKIE, false)), without_cookie: false });
        end.listen();
        end
    };
    for writes in [false, true] {
        let (mut ours, mut theirs) = (client(FastOpen::new(&COOKIE, false), 300), server());
        let (_, progress) = pass(&mut ours, &mut theirs);
        assert!(progress.has(Progress::CONNECTED) && theirs.received() == 300);
        assert_eq!(send(&mut theirs, NOW), [], "the answer waits");
        let later = if writes { NOW } else { theirs.next_timeout() };
        if writes {
            theirs.write(NOW, 5000);
        } else {
            assert_eq!(later, NOW + 40 * MILLISECOND);
            theirs.on_timeout(later, &mut ());
        }
        let answers = send(&mut theirs, later);
        assert_eq!(answers.len(), 1);
        let answer = answers[0];
        assert_eq!(answer.flags, Flags::SYN.with(Flags::ACK));
        assert_eq!(answer.fast_open(), Some(FastOpen::new(&COOKIE, false)));
        assert_eq!(answer.len > 0, writes);
        if !writes {
            theirs.write(later, 5000);
            assert_eq!(send(&mut theirs, later), [], "data waits for the end of the handshake");
        }
        ours.on_segment(later, &answer, &mut ());
        for segment in send(&mut ours, later) {
            theirs.on_segment(later, &segment, &mut ());
        }
        assert_eq!((theirs.state(), theirs.acked()), (State::Established, u64::from(answer.len)));
        let data = send(&mut theirs, later);
        assert_eq!(u64::from(data[0].seq), 1001 + theirs.acked(), "nothing is sent twice");
        assert_eq!(theirs.sent(), 5000);
    }
}
