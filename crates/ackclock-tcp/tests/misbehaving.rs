//! Receivers that misbehave, against each stack: ACK division, DupACK spoofing, optimistic ACKs and hidden marks.

mod common;

use ackclock_tcp::config::{EcnMode, Handshake};
use ackclock_tcp::recovery::Recovery;
use ackclock_tcp::{Config, MILLISECOND, Nanos, SECOND, Segment, cc, slow_start, stack};
use common::{MSS, Pair, config};

/// A connection between `client`, which has sent a long stream by `until`, and a receiver that acknowledges every segment.
fn after<F: FnMut(u64, bool, &Segment) -> bool>(client: &Config, receiver: &Config, until: Nanos, fate: F) -> Pair<F> {
    let server = Config { delayed_ack: 0, ack_every: 1, ..receiver.clone() };
    let mut pair = Pair::new(client, &server, fate);
    pair.ends[0].write(0, 20_000 * MSS);
    pair.run(until);
    pair
}

/// The window of the sender after the ACKs of its first flight, segments, if the receiver divides its ACKs.
fn window_after_a_round(client: &Config, division: u32) -> u64 {
    let server = Config { ack_division: division, ..client.clone() };
    after(client, &server, 210 * MILLISECOND, |_, _, _| true).ends[0].window().cwnd / MSS
}

/// RFC 3465 section 2.2 and RFC 5681 section 3.1: what is acknowledged counts, and not the number of ACKs. RFC 2581 counts
/// ACKs: ten segments, each acknowledged by N ACKs, add 10 N segments.
#[test]
fn division_gains_nothing_where_bytes_count_and_n_fold_where_acks_count() {
    let per_ack = Config { slow_start: slow_start::by_name("per-ack").unwrap(), ..config() };
    for division in [1, 2, 5, 10, 50] {
        assert_eq!(window_after_a_round(&config(), division), 20, "{division} ACKs a segment");
        assert_eq!(
            window_after_a_round(&per_ack, division),
            10 + 10 * u64::from(division),
            "{division} ACKs a segment"
        );
    }
}

/// Each stack as it comes has byte counting, or counts the segments that are whole (Linux).
#[test]
fn no_stack_grows_its_first_window_faster_if_acks_are_divided() {
    for stack in stack::CATALOGUE {
        let client = Config { mss: MSS as u32, handshake: Handshake::ThreeWay, ..(stack.config)() };
        let (honest, divided) = (window_after_a_round(&client, 1), window_after_a_round(&client, 10));
        assert!(honest > client.initial_window.bytes(MSS) / MSS, "{} grows: {honest}", stack.name);
        assert!(divided <= honest, "{}: {divided} rather than {honest} segments", stack.name);
    }
}

/// RFC 5681 section 3.1, equation 3 counts ACKs in congestion avoidance; byte counting adds one segment in each round trip.
#[test]
fn division_gains_in_congestion_avoidance_where_acks_count() {
    let grown = |name: &str, division| {
        let mut client = Config { cc: cc::by_name(name).unwrap().into(), ..config() };
        client.slow_start = &OVER;
        window_after_a_round(&client, division)
    };
    assert_eq!((grown("reno-rfc5681", 1), grown("reno-rfc5681", 10)), (11, 11));
    assert_eq!(grown("reno-ns2", 1), 10, "ten times 1/cwnd is a little less than one");
    // 100 ACKs add 1/cwnd each: cwnd^2 / 2 grows by 100, from 50 to 150.
    assert_eq!(grown("reno-ns2", 10), 17);
}

/// A slow start that is over at once.
struct Over;

impl slow_start::SlowStart for Over {
    fn on_ack(&mut self, window: &mut ackclock_tcp::Window, ack: &ackclock_tcp::Ack, _may_grow: bool) -> u64 {
        window.ssthresh = window.cwnd;
        ack.acked
    }
}

static OVER: slow_start::Entry = slow_start::Entry { name: "over", summary: "", source: "", make: || Box::new(Over) };

/// Data segments that the sender has sent 100 ms after the ACKs of its first flight arrived, among those ACKs `spoofed`
/// duplicates of each.
fn sent_with_spoofing(client: &Config, spoofed: u32) -> usize {
    let server = Config { dupack_spoofing: spoofed, ..client.clone() };
    after(client, &server, 290 * MILLISECOND, |_, _, _| true).data(0).len()
}

/// Savage et al. section 3.2: each duplicate inflates the window by a segment in fast recovery without SACK. With SACK a
/// duplicate that reports nothing does not count (RFC 6675 section 2), and pipe does not shrink.
#[test]
fn spoofed_duplicates_inflate_the_window_of_newreno_and_not_that_of_sack() {
    let newreno = Config { recovery: Recovery::NewReno, sack: false, ..config() };
    let honest = sent_with_spoofing(&newreno, 0);
    assert_eq!(honest, 30, "ten, and twenty in the second round");
    assert!(sent_with_spoofing(&newreno, 100) > 5 * honest, "{}", sent_with_spoofing(&newreno, 100));
    let sack = config();
    assert_eq!((sent_with_spoofing(&sack, 0), sent_with_spoofing(&sack, 100)), (30, 30));
    let linux = Config { mss: MSS as u32 + 12, ..(stack::by_name("linux").unwrap().config)() };
    assert_eq!((sent_with_spoofing(&linux, 0), sent_with_spoofing(&linux, 100)), (30, 30));
}

/// Savage et al. section 3.3: ACKs that run ahead shorten the sender's round trips, and hide losses. What was lost never
/// arrives.
#[test]
fn optimistic_acks_hide_losses_and_leave_holes() {
    let arrives =
        |number: u64, to_server: bool, segment: &Segment| !(to_server && segment.len > 0 && number % 50 == 30);
    let run = |ahead: u32, until| {
        let server = Config { optimistic_acks: ahead, ..config() };
        let mut pair = Pair::new(&config(), &server, arrives);
        pair.ends[0].write(0, 2000 * MSS);
        pair.ends[0].shutdown_write(0);
        pair.run(until);
        let sent = (0..).zip(&pair.sent[0]);
        let lost = sent.filter(|(number, (_, segment))| !arrives(*number, true, segment)).count() as u64;
        (pair.ends[0].stats().data_retransmits, pair.ends[1].received() / MSS, lost)
    };
    let honest = run(0, 60 * SECOND);
    assert!(honest.0 > 20 && honest.1 == 2000, "{honest:?}");
    // 2000 segments and three of the handshake and the close: 40 are lost.
    assert_eq!(run(4, 60 * SECOND), (0, 1960, 40), "the sender learns of no loss");
    let (slow, fast) = (run(0, SECOND).1, run(4, SECOND).1);
    assert!(fast > 10 * slow, "{fast} segments within a second rather than {slow}");
}

#[test]
fn optimistic_acks_acknowledge_data_before_it_arrives_and_never_what_was_not_sent() {
    let server = Config { optimistic_acks: 4, ..config() };
    let mut pair = Pair::new(&config(), &server, |_, _, _| true);
    pair.ends[0].write(0, 40 * MSS);
    pair.ends[0].shutdown_write(0);
    pair.run(10 * SECOND);
    let (data, acks) = (&pair.sent[0], &pair.sent[1]);
    let mut early = 0;
    for (at, ack) in acks.iter().filter(|(_, segment)| segment.len == 0 && segment.ack != 0) {
        let arrived = data.iter().filter(|(sent, _)| sent + pair.delay <= *at);
        let highest = arrived
            .map(|(_, segment)| segment.seq.wrapping_add(segment.seq_len()))
            .max_by_key(|end| end.wrapping_sub(data[0].1.seq));
        early += u32::from(highest.is_some_and(|highest| ack.ack.wrapping_sub(highest) as i32 > 0));
    }
    assert!(early > 3, "{early} early ACKs");
    assert_eq!(
        (pair.ends[1].received(), pair.ends[0].acked()),
        (40 * MSS, 40 * MSS),
        "the end of the stream is not claimed"
    );
}

/// RFC 3168 section 18 and RFC 8257 section 3: a sender that hears of no mark does not reduce its window.
#[test]
fn hidden_marks_keep_the_window_of_every_kind_of_ecn() {
    for (ecn, cc) in [(EcnMode::Classic, "reno-rfc5681"), (EcnMode::Dctcp, "dctcp"), (EcnMode::L4s, "prague")] {
        let reductions = |suppress_marks| {
            let client = Config { ecn, cc: cc::by_name(cc).unwrap().into(), ..config() };
            let mut pair = Pair::new(&client, &Config { suppress_marks, ..client.clone() }, |_, _, _| true);
            pair.mark = Some(|number, segment| segment.len > 0 && number % 10 == 0);
            pair.ends[0].write(0, 400 * MSS);
            pair.run(20 * SECOND);
            let counts = pair.ends[0].loss_recovery().counts;
            (counts.reductions_for_marks, counts.delivered_marked, pair.ends[1].received() / MSS)
        };
        let honest = reductions(false);
        assert!(honest.0 > 0 && honest.1 > 0, "{cc}: {honest:?}");
        assert_eq!(reductions(true), (0, 0, 400), "{cc}");
    }
}

#[test]
fn a_stream_of_bytes_arrives_whole_however_its_acks_are_divided_and_repeated() {
    for stack in stack::CATALOGUE {
        for (ack_division, dupack_spoofing) in [(3, 0), (1, 5), (4, 2)] {
            let client = Config { mss: MSS as u32, handshake: Handshake::ThreeWay, ..(stack.config)() };
            let server = Config { ack_division, dupack_spoofing, ..client.clone() };
            let lossy = |number: u64, to_server: bool, _: &_| !to_server || number % 97 != 96;
            let mut pair = Pair::new(&client, &server, lossy);
            pair.ends[0].write(0, 500 * MSS);
            pair.run(120 * SECOND);
            assert_eq!(pair.ends[1].received(), 500 * MSS, "{} {ack_division} {dupack_spoofing}", stack.name);
        }
    }
}
