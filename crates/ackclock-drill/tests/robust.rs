//! A script ends in a verdict, whatever its bytes are.

use ackclock_drill::{Context, run};
use ackclock_tcp::stack;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

fn play(text: &str) -> Result<(), TestCaseError> {
    for name in ["rfc", "linux"] {
        let context = Context { stack: stack::by_name(name).unwrap(), defines: &[], files: &|_| None };
        run(text, &context);
    }
    Ok(())
}

fn runner(cases: u32) -> TestRunner {
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    TestRunner::new_with_rng(ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }, rng)
}

/// Pieces that pass the lexer and often the parser.
const PIECES: &[&str] = &[
    "0 ",
    "+0 ",
    "+.1 ",
    "* ",
    "0~1 ",
    "+0~+9 ",
    "0...1 ",
    "+99999999 ",
    "< ",
    "> ",
    "S ",
    ". ",
    "P. ",
    "F. ",
    "R ",
    "SEWA ",
    ".5 ",
    "0:0(0) ",
    "1:1001(1000) ",
    "1:1(0) ",
    "4294967295:999(1000) ",
    "1:4294967295(4294967294) ",
    "ack 1 ",
    "ack 4294967295 ",
    "win 0 ",
    "win 65535 ",
    "<mss 1> ",
    "<mss 1000,sackOK,nop,wscale 14> ",
    "<sack 1:2 3:1> ",
    "<TS val 1 ecr 0> ",
    "<...> ",
    "<ECN e0b 1 ceb 2> ",
    "[ce] ",
    "icmp unreachable frag_needed mtu 0 [1:2(1)] ",
    "icmp unreachable port_unreachable ",
    "socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n",
    "bind(3, ..., ...) = 0\n",
    "listen(3, 1) = 0\n",
    "accept(3, ..., ...) = 4\n",
    "connect(3, ..., ...) = 0\n",
    "write(4, ..., 1000000) = ...\n",
    "write(3, ..., 9223372036854775807) = ...\n",
    "read(4, ..., 1) = ...\n",
    "close(3) = 0\n",
    "close(4) = 0\n",
    "shutdown(4, SHUT_RDWR) = ...\n",
    "setsockopt(4, SOL_SOCKET, SO_SNDBUF, [1], 4) = ...\n",
    "setsockopt(3, SOL_TCP, TCP_MAXSEG, [88], 4) = ...\n",
    "setsockopt(4, SOL_SOCKET, SO_LINGER, {onoff=1, linger=0}, 8) = 0\n",
    "setsockopt(3, SOL_TCP, TCP_KEEPIDLE, [9223372036854775807], 4) = ...\n",
    "poll([{fd=4, events=POLLIN}], 1, -1) = ...\n",
    "epoll_create(1) = 5\n",
    "epoll_ctl(5, EPOLL_CTL_ADD, 4, {events=EPOLLIN|EPOLLET, fd=4}) = ...\n",
    "epoll_wait(5, {events=0}, 1, 10) = ...\n",
    "%{ x }%\n",
    "`sysctl -q net.ipv4.tcp_rmem=\"1 2 3\"`\n",
    "`sysctl -q net.ipv4.tcp_reordering=0`\n",
    "--mtu=68\n",
    "--tolerance_percent=100\n",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "=",
    "|",
    "\"",
    "`",
    "/*",
    "\n",
];

/// A connection that is followed by random events.
const OPEN: &str = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 20000 <mss 1000,sackOK>
+0 > S. 0:0(0) ack 1 <...>
+0.1 < . 1:1(0) ack 1 win 20000
+0 accept(3, ..., ...) = 4
";

#[test]
fn any_bytes_end_in_a_verdict() {
    let bytes = vec(any::<u8>(), 0..200);
    runner(2000).run(&bytes, |bytes| play(&String::from_utf8_lossy(&bytes))).unwrap();
}

#[test]
fn any_pieces_of_scripts_end_in_a_verdict() {
    let pieces = vec(prop::sample::select(PIECES), 0..40);
    runner(2000).run(&pieces, |pieces| play(&pieces.concat())).unwrap();
}

#[test]
fn any_events_on_a_connection_end_in_a_verdict() {
    // Each line has one event, so that most lines pass the parser.
    let packet =
        (0..30u32, 0..8u32, prop::sample::select(vec![".", "P.", "F.", "R.", "S", "S.", "-", "E."]), 0..70_000u32);
    let event = prop_oneof![
        packet.prop_map(|(seq, ack, flags, len)| {
            let start = seq * 500;
            format!("+0.01 < {flags} {start}:{}({len}) ack {} win 2000\n", start + len, ack * 700 + 1)
        }),
        prop::sample::select(
            PIECES.iter().filter(|piece| piece.ends_with(")\n") || piece.contains(") = ")).collect::<Vec<_>>()
        )
        .prop_map(|call| format!("+0 {call}")),
    ];
    let events = vec(event, 0..30);
    runner(1000).run(&events, |events| play(&format!("{OPEN}{}", events.concat()))).unwrap();
}
