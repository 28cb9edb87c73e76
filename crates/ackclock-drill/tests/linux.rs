//! Scripts on the behaviour of Linux's sockets and TCP beyond the RFCs. The scripts are our own and test the statements
//! of the public suites.

use std::fs;
use std::path::{Path, PathBuf};

use ackclock_drill::{Context, Outcome, Snippet, Verdict, run};
use ackclock_tcp::stack;

/// A server without timestamps that has answered a SYN.
const ASKED: &str = "`sysctl -q net.ipv4.tcp_timestamps=0`
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 32792 <mss 1000,sackOK,nop,wscale 7>
+0 > S. 0:0(0) ack 1 <...>
";

fn play(text: &str) -> Outcome {
    run(text, &Context { stack: stack::by_name("linux").unwrap(), defines: &[], files: &|_| None })
}

#[test]
fn every_script_of_linux_passes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/linux");
    let mut scripts: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    scripts.sort();
    assert!(scripts.len() >= 40);
    let outcomes = scripts.iter().map(|path| (path, play(&fs::read_to_string(path).unwrap()).verdict));
    let wrong: Vec<String> = outcomes
        .filter(|(_, verdict)| *verdict != Verdict::Pass)
        .map(|(path, verdict)| format!("{}: {verdict:?}", path.file_name().unwrap().display()))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn strict_segments_are_not_joined() {
    let text = ASKED.to_owned()
        + "\
+.02 < . 1:1(0) ack 1 win 257
+0 accept(3, ..., ...) = 4
+0 write(4, ..., 2000) = 2000
+0 > P. 1:2001(2000) ack 1
";
    assert_eq!(play(&text).verdict, Verdict::Pass);
    let strict = play(&format!("--strict_segments\n{text}")).verdict;
    assert!(
        matches!(&strict, Verdict::Fail { reason, .. } if reason.contains("payload 1000 instead of 2000")),
        "{strict:?}"
    );
}

/// Returns the numbers of `tcp_info` at each piece of code of a script that passes.
fn numbers<const N: usize>(text: &str, names: [&str; N]) -> Vec<[u64; N]> {
    let outcome = play(text);
    assert_eq!(outcome.verdict, Verdict::Pass);
    let number = |snippet: &Snippet, name: &str| snippet.values.iter().find(|(known, _)| *known == name).unwrap().1;
    outcome.snippets.iter().map(|snippet| names.map(|name| number(snippet, name))).collect()
}

/// Feedback of Accurate ECN counts only if it comes with news, such as data or a later timestamp.
#[test]
fn feedback_without_news_is_ignored() {
    let text = "`sysctl -q net.ipv4.tcp_timestamps=0 net.ipv4.tcp_ecn=3`
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < SEWA 0:0(0) win 32792 <mss 1012,sackOK,nop,wscale 7>
+0 > SW. 0:0(0) ack 1 <...>
+.02 < W. 1:1(0) ack 1 win 257 <ECN e0b 1 ceb 0 e1b 1,nop>
+0 accept(3, ..., ...) = 4
+0 write(4, ..., 3000) = 3000
+.01 < .6 1:1(0) ack 1 win 257 <ECN e0b 1 ceb 1000 e1b 1,nop>
+0 %{ }%
+.01 < .6 1:1(0) ack 1001 win 257 <ECN e0b 1 ceb 1000 e1b 1,nop>
+0 %{ }%
+.01 < .6 1:1(0) ack 3001 win 257 <ECN e0b 1001 ceb 1000 e1b 1001,nop>
+0 %{ }%
";
    let names = ["tcpi_delivered_ce", "tcpi_delivered_ce_bytes", "tcpi_delivered_e0_bytes", "tcpi_delivered_e1_bytes"];
    assert_eq!(numbers(text, names), [[0, 0, 0, 0], [1, 1000, 0, 0], [1, 1000, 1000, 1000]]);
}

/// Counts the packets that ACKs of ten segments without the option of Accurate ECN report as marked, with the ACE field
/// `ace`, after an ACK of `before` segments (net/ipv4/tcp_input.c, __tcp_accecn_process; PKTS_ACKED_WEIGHT). The field
/// began at 5.
#[test]
fn large_acks_are_believed_where_acks_are_usually_large() {
    let marked = |before: u32, ace: u32| {
        let first = 1000 * before + 1;
        let text = format!(
            "`sysctl -q net.ipv4.tcp_timestamps=0 net.ipv4.tcp_ecn=3 net.ipv4.tcp_ecn_option=0`
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < SEWA 0:0(0) win 32792 <mss 1000,sackOK,nop,wscale 7>
+0 > SW. 0:0(0) ack 1 <...>
+.02 < W. 1:1(0) ack 1 win 257
+0 accept(3, ..., ...) = 4
+0 write(4, ..., 10000) = 10000
+.02 < [ect0] .5 1:1(0) ack {first} win 257
+.02 < [ect0] .{ace} 1:1(0) ack 10001 win 257
+0 %{{ }}%
"
        );
        let [[marked]] = numbers(&text, ["tcpi_delivered_ce"])[..] else { panic!("one piece of code") };
        marked
    };
    // Ten segments at once begin the average at ten.
    assert_eq!([5, 6, 4].map(|ace| marked(0, ace)), [0, 1, 7]);
    // After one single segment, nine at once may hide eight marks.
    assert_eq!([5, 6, 4].map(|ace| marked(1, ace)), [8, 9, 7]);
    // Up to seven segments the field tells all.
    assert_eq!([5, 6, 4].map(|ace| marked(3, ace)), [0, 1, 7]);
}

/// A later timestamp is news, too, so that a mark counts which comes with no other.
#[test]
fn feedback_with_a_later_timestamp_counts() {
    let text = "--tcp_ts_tick_usecs=1000
`sysctl -q net.ipv4.tcp_ecn=3 net.ipv4.tcp_ecn_option=0`
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < SEWA 0:0(0) win 32792 <mss 1000,sackOK,TS val 1 ecr 0,nop,wscale 7>
+0 > SW. 0:0(0) ack 1 <mss 1460,sackOK,TS val 100 ecr 1,nop,wscale 7>
+.02 < W. 1:1(0) ack 1 win 257 <nop,nop,TS val 2 ecr 100>
+0 accept(3, ..., ...) = 4
+0 write(4, ..., 3000) = 3000
+.02 < .6 1:1(0) ack 1 win 257 <nop,nop,TS val 2 ecr 100>
+0 %{ }%
+.02 < .6 1:1(0) ack 1 win 257 <nop,nop,TS val 3 ecr 100>
+0 %{ }%
";
    assert_eq!(numbers(text, ["tcpi_delivered_ce"]), [[0], [1]]);
}

/// A mark of the SYN-ACK counts if the path is not examined (include/net/tcp_ecn.h, tcp_accecn_third_ack).
#[test]
fn a_marked_syn_ack_counts_without_fallback() {
    for (fallback, counted) in [(0, 1), (1, 0)] {
        let text = format!(
            "`sysctl -q net.ipv4.tcp_timestamps=0 net.ipv4.tcp_ecn=3 net.ipv4.tcp_ecn_fallback={fallback}`
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < SEWA 0:0(0) win 32792 <mss 1000>
+0 > SW. 0:0(0) ack 1 <...>
+.02 < WA. 1:1(0) ack 1 win 257
+0 accept(3, ..., ...) = 4
+0 %{{ }}%
"
        );
        assert_eq!(numbers(&text, ["tcpi_delivered_ce"]), [[counted]], "fallback {fallback}");
    }
}

/// The window and its threshold stay when a connection changes its congestion control, and the new one answers the next loss
/// (net/ipv4/tcp_cong.c, tcp_reinit_congestion_control): CUBIC keeps 7 of 10 segments, Reno 5.
#[test]
fn a_connection_may_change_its_congestion_control() {
    for (name, threshold) in [("cubic", 7), ("reno", 5)] {
        let text = ASKED.to_owned()
            + &format!(
                "\
+.02 < . 1:1(0) ack 1 win 257
+0 accept(3, ..., ...) = 4
+0 write(4, ..., 10000) = 10000
+.02 setsockopt(4, SOL_TCP, TCP_CONGESTION, \"{name}\", {}) = 0
+0 getsockopt(4, SOL_TCP, TCP_CONGESTION, \"{name}\", [{}]) = 0
+0 %{{ }}%
+.02 < . 1:1(0) ack 1 win 257 <sack 1001:5001,nop,nop>
+0 %{{ }}%
",
                name.len(),
                name.len()
            );
        let infinite = 0x7fff_ffff;
        let told = numbers(&text, ["tcpi_snd_ssthresh", "tcpi_ca_state"]);
        assert_eq!(told, [[infinite, 0], [threshold, 3]], "{name}");
    }
}

/// A SYN or SYN-ACK counts as delivered, at either end (net/ipv4/tcp_input.c, tcp_rcv_state_process).
#[test]
fn the_syn_ack_counts_as_delivered() {
    let text = ASKED.to_owned()
        + "\
+0 %{ }%
+.02 < . 1:1(0) ack 1 win 257
+0 accept(3, ..., ...) = 4
+0 %{ }%
+0 write(4, ..., 1000) = 1000
+.02 < . 1:1(0) ack 1001 win 257
+0 %{ }%
+0 socket(..., SOCK_STREAM|SOCK_NONBLOCK, IPPROTO_TCP) = 5
+0 setsockopt(5, SOL_TCP, TCP_FASTOPEN_NO_COOKIE, [1], 4) = 0
+0 sendto(5, ..., 2000, MSG_FASTOPEN, ..., ...) = 1420
+0 > S 0:1420(1420) <...>
+.02 < S. 0:0(0) ack 421 win 65535 <mss 800>
+0 %{ }%
";
    let names = ["tcpi_delivered", "tcpi_unacked", "tcpi_retrans"];
    assert_eq!(numbers(&text, names), [[0, 0, 0], [1, 0, 0], [2, 0, 0], [1, 2, 2]]);
}

#[test]
fn time_is_told_apart_by_what_holds_data_back() {
    let open = ASKED.to_owned()
        + "\
+.02 < . 1:1(0) ack 1 win 16
+0 accept(3, ..., ...) = 4
";
    let names = ["tcpi_busy_time", "tcpi_rwnd_limited", "tcpi_sndbuf_limited"];
    let times = |rest: &str| numbers(&format!("{open}{rest}"), names);
    // Two segments fit into the window; the rest waits for the window and is then in flight.
    let window = "+.1 write(4, ..., 3000) = 3000
+.02 %{ }%
+.03 < . 1:1(0) ack 2001 win 257
+.02 %{ }%
+.03 < . 1:1(0) ack 3001 win 257
+.1 %{ }%
";
    let expected = [[20_000, 20_000, 0], [70_000, 50_000, 0], [100_000, 50_000, 0]];
    assert_eq!(times(window), expected);
    // The congestion window holds back the first part of a write. From the third ACK on, all data that the buffer
    // accepts has been sent, and the fifth ACK makes room.
    let buffer = "+0 setsockopt(4, SOL_SOCKET, SO_SNDBUF, [10000], 4) = 0
+.02 < . 1:1(0) ack 1 win 400
+0...0.1 write(4, ..., 60000) = 60000
+.02 < . 1:1(0) ack 5001 win 400
+.02 < . 1:1(0) ack 10001 win 400
+.02 < . 1:1(0) ack 15001 win 400
+0 %{ }%
+.02 < . 1:1(0) ack 20001 win 400
+.02 < . 1:1(0) ack 30001 win 400
+.01 %{ }%
";
    assert_eq!(times(buffer), [[60_000, 0, 0], [110_000, 0, 40_000]]);
}

/// Opens a connection by a SYN of 500 bytes with this option; `answer` is what acknowledges it, with the option of the
/// answer.
fn served(head: &str, settings: &str, option: &str, answer: &str) -> Verdict {
    let text = format!(
        "{head}
`sysctl -q net.ipv4.tcp_timestamps=0 {settings}`
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 setsockopt(3, SOL_TCP, TCP_FASTOPEN, [2], 4) = 0
+0 < S 0:500(500) win 32792 <mss 1000,sackOK,{option}>
+0 > S. 0:0(0) ack {answer}>
"
    );
    play(&text).verdict
}

/// The symbols for cookies that the runner of Linux's tests defines are known without `--define`, and they are the
/// cookies of these keys.
#[test]
fn the_cookies_of_the_public_suites_have_names() {
    let key = "net.ipv4.tcp_fastopen=3 net.ipv4.tcp_fastopen_key=a1a1a1a1-b2b2b2b2-c3c3c3c3-d4d4d4d4";
    let zero = "net.ipv4.tcp_fastopen=3 net.ipv4.tcp_fastopen_key=0-0-0-0";
    for head in ["", "--remote_ip=192.0.2.1/24", "--ip_version=ipv4-mapped-ipv6", "--ip_version=ipv6\n--mtu=1520"] {
        for (key, name) in [(key, "FO TFO_COOKIE"), (zero, "FO TFO_COOKIE_ZERO")] {
            assert_eq!(served(head, key, name, "501 <mss 1460,nop,nop,sackOK"), Verdict::Pass, "{head} {name}");
        }
    }
    let granted = served("", zero, "FO TFO_COOKIE", "1 <mss 1460,nop,nop,sackOK,FO TFO_COOKIE_ZERO");
    assert_eq!(granted, Verdict::Pass);
}

#[test]
fn a_server_that_needs_no_cookie_grants_none_although_it_has_a_key() {
    let settings = "net.ipv4.tcp_fastopen=0x202 net.ipv4.tcp_fastopen_key=0-0-0-0";
    for option in ["FO", "FO 0123456789abcdef", "nop,nop"] {
        assert_eq!(served("", settings, option, "501 <mss 1460,nop,nop,sackOK"), Verdict::Pass, "{option}");
    }
}

/// A listener drops a SYN with a FIN, and a SYN beyond the connection, or with a later timestamp, ends TIME-WAIT.
#[test]
fn a_listener_takes_syns_without_fin_and_in_the_place_of_time_wait() {
    let start = |options: &str, answer: &str, stamps: &str| {
        format!(
            "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 setsockopt(3, SOL_SOCKET, SO_REUSEADDR, [1], 4) = 0
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < SF 0:0(0) win 1000 <mss 1000>
+.1 < S 0:0(0) win 1000 <mss 1000{options}>
+0 > S. 0:0(0) ack 1 <{answer}>
+.01 < . 1:1(0) ack 1 win 1000{stamps}
+0 accept(3, ..., ...) = 4
+0 shutdown(4, SHUT_WR) = 0
+0 > F. 1:1(0) ack 1 <...>
+.01 < F. 1:1(0) ack 2 win 1000{stamps}
+0 > . 2:2(0) ack 2 <...>\n"
        )
    };
    let plain = start("", "...", "");
    let taken = |seq: u32, options: &str| {
        format!("+.1 < S {seq}:{seq}(0) win 1000 <mss 1000{options}>\n+0 > S. 0:0(0) ack {} <...>\n", seq + 1)
    };
    let kept = |seq: u32, options: &str| {
        format!("+.1 < S {seq}:{seq}(0) win 1000 <mss 1000{options}>\n+0 > . 2:2(0) ack 2 <...>\n")
    };
    assert_eq!(play(&(plain.clone() + &taken(77, ""))).verdict, Verdict::Pass);
    assert_eq!(play(&(plain + &kept(2, ""))).verdict, Verdict::Pass);
    let stamped = start(",sackOK,TS val 100 ecr 0", "mss 1460,sackOK,TS val 7 ecr 100", " <nop,nop,TS val 101 ecr 7>");
    assert_eq!(play(&(stamped.clone() + &taken(2, ",sackOK,TS val 102 ecr 0"))).verdict, Verdict::Pass);
    assert_eq!(play(&(stamped + &kept(77, ",sackOK,TS val 100 ecr 0"))).verdict, Verdict::Pass);
}

/// The payload and the FIN of a SYN that crosses ours wait until the handshake is complete, except in Linux.
#[test]
fn payload_of_a_crossing_syn_waits_for_the_handshake() {
    let text = |ack: u32| {
        format!(
            "0 socket(..., SOCK_STREAM|SOCK_NONBLOCK, IPPROTO_TCP) = 3
+0 connect(3, ..., ...) = -1 EINPROGRESS (Operation now in progress)
+0 > S 0:0(0) <...>
+.01 < SF 0:3(3) win 1000 <mss 1000>
+0 > S. 0:0(0) ack 1 <...>
+.01 < . 5:5(0) ack 1 win 1000
+0 > . 1:1(0) ack {ack}\n"
        )
    };
    let on = |name: &str, text: &str| {
        run(text, &Context { stack: stack::by_name(name).unwrap(), defines: &[], files: &|_| None }).verdict
    };
    assert_eq!(on("rfc", &text(5)), Verdict::Pass);
    let linux = text(1);
    let linux = linux.rsplit_once("+0 > .").unwrap().0;
    assert_eq!(on("linux", &format!("{linux}+0 read(3, ..., 10) = -1 EAGAIN\n")), Verdict::Pass);
}

/// A write that the device refuses reduces the window; probes and retransmissions then wait for half a second without a
/// longer timeout. Between them the user timeout is looked at only for probes. The numbers are those of Linux 6.12.
#[test]
fn what_a_device_refuses_was_not_sent() {
    let text = ASKED.to_owned()
        + "\
+.05 < . 1:1(0) ack 1 win 257
+0 accept(3, ..., ...) = 4
+0 write(4, ..., 600) = 600
+0 > P. 1:601(600) ack 1
+.05 < . 1:1(0) ack 601 win 257
+0 `tc qdisc replace dev tun0 root bfifo limit 0`
+0 write(4, ..., 700) = 700
+.3 %{ }%
+.5 %{ }%
+0 `tc qdisc delete dev tun0 root`
+.45 > P. 601:1301(700) ack 1
+.05 < . 1:1(0) ack 1301 win 257
+0 %{ }%
";
    let names = ["tcpi_ca_state", "tcpi_probes", "tcpi_backoff", "tcpi_unacked", "tcpi_snd_cwnd", "tcpi_snd_ssthresh"];
    assert_eq!(numbers(&text, names), [[2, 1, 0, 0, 10, 7], [2, 2, 0, 0, 10, 7], [0, 0, 0, 0, 7, 7]]);
    let text = ASKED.to_owned()
        + "\
+.05 < . 1:1(0) ack 1 win 257
+0 accept(3, ..., ...) = 4
+0 setsockopt(4, SOL_TCP, TCP_USER_TIMEOUT, [1600], 4) = 0
+0 write(4, ..., 600) = 600
+0 > P. 1:601(600) ack 1
+0 `tc qdisc replace dev tun0 root pfifo limit 0`
+1.4 %{ }%
+1 write(4, ..., 100) = 100
+.2 write(4, ..., 100) = -1 ETIMEDOUT (Connection timed out)
";
    let names = ["tcpi_ca_state", "tcpi_retransmits", "tcpi_backoff", "tcpi_lost", "tcpi_retrans", "tcpi_snd_cwnd"];
    assert_eq!(numbers(&text, names), [[4, 2, 0, 1, 0, 1]]);
}

/// A probe of the path's MTU raises the segment size, and neither it nor its loss reduces the volume of the window for good.
/// The numbers are those of Linux 6.12.
#[test]
fn probes_of_the_path_leave_the_window_as_it_is() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/linux/path-probes.pkt");
    let names = ["tcpi_snd_cwnd", "tcpi_snd_mss", "tcpi_snd_ssthresh", "tcpi_ca_state"];
    let infinite = 0x7fff_ffff;
    let expected = [[26, 980, infinite, 0], [27, 980, infinite, 4], [27, 980, infinite, 0]];
    assert_eq!(numbers(&fs::read_to_string(path).unwrap(), names), expected);
}

/// net/ipv4/icmp.c, icmp_err_convert, tcp_ipv4.c, tcp_v4_err; net/ipv6/icmp.c, icmpv6_err_convert.
#[test]
fn icmp_messages_end_an_attempt_to_connect_with_their_errors() {
    let errors = [
        ("4", "unreachable net_unreachable", "ENETUNREACH"),
        ("4", "unreachable host_unreachable", "EHOSTUNREACH"),
        ("4", "unreachable protocol_unreachable", "ENOPROTOOPT"),
        ("4", "unreachable port_unreachable", "ECONNREFUSED"),
        ("4", "unreachable source_route_failed", "EOPNOTSUPP"),
        ("4", "unreachable net_unknown", "ENETUNREACH"),
        ("4", "unreachable host_unknown", "EHOSTDOWN"),
        ("4", "unreachable source_host_isolated", "ENONET"),
        ("4", "unreachable net_prohibited", "ENETUNREACH"),
        ("4", "unreachable host_prohibited", "EHOSTUNREACH"),
        ("4", "unreachable net_unreachable_for_tos", "ENETUNREACH"),
        ("4", "unreachable host_unreachable_for_tos", "EHOSTUNREACH"),
        ("4", "unreachable packet_filtered", "EHOSTUNREACH"),
        ("4", "unreachable precedence_violation", "EHOSTUNREACH"),
        ("4", "unreachable precedence_cutoff", "EHOSTUNREACH"),
        ("4", "unreachable code_16", "0"),
        ("4", "type_3 code_3", "ECONNREFUSED"),
        ("4", "type_3", "ENETUNREACH"),
        ("4", "type_9 code_0", "0"),
        ("4", "time_exceeded", "EHOSTUNREACH"),
        ("4", "parameter_problem", "EPROTO"),
        ("4", "source_quench", "0"),
        ("4", "redirect", "0"),
        ("4", "echo_request", "0"),
        ("6", "unreachable no_route", "ENETUNREACH"),
        ("6", "unreachable admin_prohibited", "EACCES"),
        ("6", "unreachable not_neighbour", "EHOSTUNREACH"),
        ("6", "unreachable address_unreachable", "EHOSTUNREACH"),
        ("6", "unreachable port_unreachable", "ECONNREFUSED"),
        ("6", "unreachable code_5", "EACCES"),
        ("6", "time_exceeded exceeded_hop_limit", "EHOSTUNREACH"),
        ("6", "parameter_problem unknown_next_header", "EPROTO"),
        ("6", "type_129", "0"),
    ];
    for (version, message, error) in errors {
        let script = format!(
            "--ip_version=ipv{version}
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 fcntl(3, F_SETFL, O_RDWR|O_NONBLOCK) = 0
+0 connect(3, ..., ...) = -1 EINPROGRESS (Operation now in progress)
+0 > S 0:0(0) <...>
+.1 < icmp {message} [0:0(0)]
+0 getsockopt(3, SOL_SOCKET, SO_ERROR, [{error}], [4]) = 0
"
        );
        assert_eq!(play(&script).verdict, Verdict::Pass, "{message}");
    }
}
