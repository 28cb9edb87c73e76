//! Vectors on a link of 1 Mbit/s with a delay of 20 ms: 12.5 kB take 100 ms, a handshake 40 ms.

use super::*;
use crate::Command;
use crate::fake_network::{FakeNetwork, MILLISECOND, PATH, SECOND, ints, milliseconds};
use ackclock_results::Column;

/// A request is answered after 10 ms. After a pause of 500 ms a second request is answered at once, in two units 30 ms
/// apart. The server closes 200 ms later.
const SEQUENTIAL: &str = "# measured elsewhere\nSEQ 100000 2 17 4\nw 65535 8760\nr 30000\nl 0.000000 0.01\n\
    > 300\nt 10000\n< 12500\nt 500000\n> 400\nt 0\n< 1250\nt 30000\n< 2500\nt 200000\n";
/// The same connection in the alternate format.
const ALTERNATE: &str = "S 100000 2 17 4\nw 65535 8760\nr 30000\nl 0.000000 0.01\nm 1460 1460\n\
    I 0 0 300\nA 0 10000 12500\nI 0 500000 400\nA 0 1 1250\nA 30000 0 2500\nA 200000 0 0\n";
/// Both parties send independently: 125 B at once and 250 B after 100 ms, against 1250 B at once and 1250 B after 40
/// ms.
const CONCURRENT: &str = "CONC 0 2 2 5\nc> 125\nc< 1250\nt< 40000\nc< 1250\nt> 100000\nc> 250\nt> 10000\n";

fn vectors(text: &str) -> Vectors {
    Vectors::parse(text.as_bytes()).expect("vectors")
}

fn network(text: &str) -> FakeNetwork<Tmix> {
    let mut network = FakeNetwork::new(1_000_000, Tmix::new(vectors(text).into(), Side::Sink, true, PATH));
    network.delay = 20 * MILLISECOND;
    network
}

fn tables(network: &FakeNetwork<Tmix>) -> AppTables {
    let mut tables = AppTables::new();
    network.app.report("t", network.now, &mut tables);
    tables
}

fn writes(network: &FakeNetwork<Tmix>, side: Side) -> Vec<(Nanos, u64)> {
    network.writes(side).into_iter().map(|(at, bytes)| (at / MILLISECOND, bytes)).collect()
}

fn closes(network: &FakeNetwork<Tmix>) -> Vec<(Nanos, Side)> {
    let close = |(at, command): &(Nanos, Command)| match command {
        Command::Close { side, .. } => Some((at / MILLISECOND, *side)),
        _ => None,
    };
    network.log.iter().filter_map(close).collect()
}

/// The handshake takes 40 ms, the request 20, the think time 10, the link 100 and the one-way delay 20; then 500 ms of
/// think time and 20 for the request.
#[test]
fn a_sequential_connection_takes_turns() {
    let mut network = network(SEQUENTIAL);
    network.run_until(2 * SECOND);
    assert_eq!(writes(&network, Side::Sink), [(140, 300), (790, 400)]);
    assert_eq!(writes(&network, Side::Source), [(170, 12_500), (810, 1_250), (840, 2_500)]);
    assert_eq!(closes(&network), [(1_040, Side::Source), (1_060, Side::Sink)]);
    let tables = tables(&network);
    let epochs = &tables["tmix_epochs"];
    assert_eq!(ints(epochs, "initiator_bytes"), [300, 400]);
    assert_eq!(ints(epochs, "acceptor_bytes"), [12_500, 3_750]);
    assert_eq!(milliseconds(epochs, "start_s"), [140, 790]);
    assert_eq!(milliseconds(epochs, "end_s"), [290, 880]);
    assert_eq!(milliseconds(epochs, "idle_s"), [40, 500], "the handshake counts before the first");
    let connections = &tables["tmix_connections"];
    assert_eq!(milliseconds(connections, "duration_s"), [780]);
    assert_eq!(ints(connections, "acceptor_bytes"), [16_250]);
    assert_eq!(ints(&tables["tmix"], "connections_done"), [1]);
    assert_eq!(ints(&tables["completions"], "count"), [1, 2]);
    assert_eq!(ints(&tables["completions"], "bytes"), [16_250, 16_250], "those of the source");
}

#[test]
fn both_formats_say_the_same() {
    let (original, mut alternate) = (vectors(SEQUENTIAL), vectors(ALTERNATE));
    // The alternate format has no wait of zero for data from the other party.
    let Connection { steps, .. } = &mut alternate.connections_mut()[0];
    let turn = &mut steps[Party::Acceptor as usize][1];
    assert_eq!(std::mem::take(&mut turn.since_received), 1_000);
    assert_eq!(original, alternate);
    let concurrent = CONCURRENT.replace("CONC", "C");
    let lines = ["C 0 2 2 5", "I 0 0 125", "A 0 0 1250", "A 40000 0 1250", "I 100000 0 250", "I 10000 0 0", "A 0 0 0"];
    assert_eq!(vectors(CONCURRENT), vectors(&lines.join("\n")));
    assert!(Vectors::parse(concurrent.as_bytes()).is_err(), "the records of one format in the other");
}

/// The client is connected at 40 ms and the server at 60 ms; neither waits for data from the other.
#[test]
fn the_ends_of_a_concurrent_connection_do_not_wait_for_each_other() {
    let mut network = network(CONCURRENT);
    network.run_until(SECOND);
    assert_eq!(writes(&network, Side::Sink), [(40, 125), (140, 250)]);
    assert_eq!(writes(&network, Side::Source), [(60, 1_250), (100, 1_250)]);
    assert_eq!(closes(&network), [(100, Side::Source), (150, Side::Sink)]);
    let epochs = &tables(&network)["tmix_epochs"];
    let mut bytes: Vec<_> = ints(epochs, "initiator_bytes").into_iter().zip(ints(epochs, "acceptor_bytes")).collect();
    bytes.sort_unstable();
    assert_eq!(bytes, [(0, 1_250), (0, 1_250), (125, 0), (250, 0)], "every unit is an epoch");
}

/// An initiator writes two units at once: it writes the second while the first is in flight.
#[test]
fn nothing_is_idle_before_a_unit_beside_another() {
    let mut network = network("CONC 0 2 0 5\nc> 125\nc> 125\nt> 100000\nc> 125\n");
    network.run_until(SECOND);
    let tables = tables(&network);
    // The first two arrive 20 ms after 40 ms; the third is written 100 ms after them.
    assert_eq!(milliseconds(&tables["tmix_epochs"], "start_s"), [40, 40, 140]);
    assert_eq!(milliseconds(&tables["tmix_epochs"], "idle_s"), [40, 0, 80]);
}

/// Two waits run independently: a write comes 300 ms after the last write, and not before 10 ms after 12.5 kB have
/// arrived.
#[test]
fn a_party_waits_for_both_its_times() {
    for (sent, at) in [(300, 340), (30, 200)] {
        let mut network = network(&format!("S 0 2\nI 0 0 100\nA 0 0 12500\nI {sent}000 10000 200\n"));
        network.run_until(SECOND);
        // The server writes at 60 ms; all of the data arrives at 180 ms, and the wait is over at 190 ms.
        let expected = if sent == 300 { at } else { 190 };
        assert_eq!(writes(&network, Side::Sink)[1], (expected, 200), "{sent}");
    }
}

/// The last byte of 126 takes 8 us after the 125 bytes before it.
#[test]
fn a_unit_has_arrived_with_its_last_byte() {
    let mut network = network("SEQ 0 1\n> 10\n< 126\n");
    network.run_until(SECOND);
    assert_eq!(tables(&network)["tmix_epochs"].column("end_s"), Some(&Column::Float(vec![Some(0.081008)])));
}

/// An exchange is complete when its data has arrived, whether or not it is closed: at 900 ms all data has arrived, and
/// the server closes at 1040 ms.
#[test]
fn what_has_not_arrived_is_open() {
    let mut network = network(SEQUENTIAL);
    for (at, open) in [(200, [1, 1]), (300, [1, 0]), (800, [1, 1]), (900, [0, 0])] {
        network.run_until(at * MILLISECOND);
        assert_eq!(ints(&tables(&network)["completions"], "open"), open, "{at}");
    }
    let bins = ints(&tables(&network)["completion_bins"], "count");
    assert_eq!(bins.iter().sum::<i64>(), 1 + 2, "a connection and its epochs");
}

#[test]
fn an_epoch_begins_where_the_initiator_answers() {
    let vectors = vectors("SEQ 0 2\n> 10\nt 5\n> 20\n< 30\n< 5\n> 7\n");
    let expected = [Epoch { bytes: [30, 35], units: 4 }, Epoch { bytes: [7, 0], units: 1 }];
    assert_eq!(vectors.connections()[0].epochs, expected);
}

#[test]
fn the_source_may_be_the_initiator() {
    let app = Tmix::new(vectors("SEQ 0 1\n> 12500\n< 100\n").into(), Side::Source, true, PATH);
    let mut network = FakeNetwork::new(1_000_000, app);
    network.delay = 20 * MILLISECOND;
    network.run_until(SECOND);
    assert_eq!(writes(&network, Side::Source), [(40, 12_500)]);
    assert_eq!(writes(&network, Side::Sink), [(160, 100)]);
    assert_eq!(ints(&tables(&network)["completions"], "bytes"), [12_500, 12_500]);
    assert_eq!(closes(&network)[0], (160, Side::Sink), "who sent last closes");
}

#[test]
fn connections_start_at_their_times_in_any_order_of_lines() {
    let mut network = network("SEQ 700000 1\n> 10\n\nSEQ 200000 1\n> 20\nSEQ 200000 1\n> 30\n");
    network.run_until(SECOND);
    assert_eq!(writes(&network, Side::Sink), [(240, 20), (240, 30), (740, 10)]);
    assert_eq!(ints(&tables(&network)["tmix"], "connections_max"), [2], "before the last");
    assert!(network.app.live.is_empty(), "finished connections leave nothing");
}

#[test]
fn a_connection_that_dies_has_failed_and_others_go_on() {
    let mut network = network("SEQ 0 2\n> 10\n< 12500\nt 100000\n> 20\n< 30\nSEQ 500000 1\n> 40\n");
    network.run_until(100 * MILLISECOND);
    network.reset(Conn(0));
    network.run_until(SECOND);
    let tables = tables(&network);
    let counts = |name| ints(&tables["tmix"], name)[0];
    assert_eq!((counts("connections"), counts("connections_done"), counts("connections_failed")), (2, 1, 1));
    assert_eq!(ints(&tables["completions"], "open"), [0, 0]);
    assert_eq!(ints(&tables["completions"], "count"), [1, 1]);
}

#[test]
fn what_is_no_vector_is_one_message_with_the_line() {
    for (text, expected) in [
        ("", "there is no connection"),
        ("\n# nothing\n", "there is no connection"),
        ("> 10\n", "line 1: \">\" before a connection (SEQ, CONC, S or C)"),
        ("SEQ 1\n> 1", "line 1: SEQ has a start in microseconds and the number of epochs"),
        ("CONC 1 2\n> 1", "line 1: CONC has a start in microseconds and both numbers of epochs"),
        ("SEQ 1.5 1\n> 1", "line 1: \"1.5\" is not a time in microseconds: a whole number up to 1099511627776"),
        (
            "SEQ 1099511627777 1\n> 1",
            "line 1: \"1099511627777\" is not a time in microseconds: a whole number up to 1099511627776",
        ),
        ("SEQ 1 one\n> 1", "line 1: \"one\" is not a number of epochs: a whole number up to 17592186044416"),
        ("SEQ 1 1\n> -1", "line 2: \"-1\" is not a size in bytes: a whole number up to 17592186044416"),
        ("SEQ 1 1\n> 0", "line 2: a unit has at least one byte"),
        ("SEQ 1 1\n> 1 2", "line 2: > takes 1 numbers, not 2"),
        ("SEQ 1 1\nw", "line 2: w takes 1 or 2 numbers, not 0"),
        ("SEQ 1 1\nl 2", "line 2: \"2\" is not a loss rate from 0 to 1"),
        ("SEQ 1 1\nr 5\n# end", "line 1: the connection has no data"),
        ("SEQ 1 1\n\nSEQ 1 1\n> 1", "line 1: the connection has no data"),
        ("SEQ 1 1\nI 0 0 5", "line 2: \"I\" is no record of its connection; accepted: >, <, t, w, r, l, m"),
        ("CONC 1 1 1\n> 5", "line 2: \">\" is no record of its connection; accepted: c>, c<, t>, t<, w, r, l, m"),
        ("S 1 1\n> 5", "line 2: \">\" is no record of its connection; accepted: I, A, w, r, l, m"),
        ("S 1 1\nI 0 5", "line 2: I takes 3 numbers, not 2"),
        ("S 1 1\nI 0 0 5\nI 0 0 0\nI 0 0 5", "line 1: a party of the connection goes on after it has closed"),
        ("S 1 1\nI 0 0 5\nI 0 0 0\nI 0 0 0", "line 1: a party of the connection goes on after it has closed"),
        ("SEQ 1 1\nt 1099511627776\nt 1", "line 3: the times up to here are longer than 1099511627776 microseconds"),
    ] {
        let error = Vectors::parse(text.as_bytes()).expect_err(text);
        assert_eq!(error.to_string(), expected);
    }
    assert_eq!(Vectors::parse(b"SEQ 0 1\n\xff").unwrap_err().to_string(), "line 2: it is no text");
    assert_eq!(vectors("SEQ 0 1\r\n> 5\r\n").connections()[0].bytes(Party::Initiator), 5);
}
