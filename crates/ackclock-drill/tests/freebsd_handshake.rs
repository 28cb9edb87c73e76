//! FreeBSD's answer to every kind of segment before a connection is established: in LISTEN, SYN-SENT and SYN-RECEIVED
//! (sys/netinet: tcp_input.c, tcp_input_with_port and tcp_do_segment; tcp_syncache.c).

use ackclock_drill::{Context, Verdict, run};
use ackclock_tcp::stack;

const LISTEN: &str = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0\n";

const SYN_SENT: &str = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 fcntl(3, F_SETFL, O_RDWR|O_NONBLOCK) = 0
+0 connect(3, ..., ...) = -1 EINPROGRESS (Operation now in progress)
+0 > S 0:0(0) win 65535 <...>\n";

const SYN: &str = "+0 < S 0:0(0) win 32767 <mss 1460,sackOK,eol,eol>
+0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK,eol,eol>\n";

fn play(parts: &[&str]) -> Result<(), String> {
    let text = parts.concat();
    let context = Context { stack: stack::by_name("freebsd").unwrap(), defines: &[], files: &|_| None };
    match run(&text, &context).verdict {
        Verdict::Pass => Ok(()),
        verdict => Err(format!("{text}{verdict:?}")),
    }
}

/// Plays each case after `start` and before `end`; a case is a segment and its answer, "" for none.
fn play_all(start: &[&str], cases: &[(&str, &str)], end: &str) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(segment, answer)| {
            let answer = if answer.is_empty() { String::new() } else { format!("+0 > {answer}\n") };
            let case = format!("+.01 < {segment}\n{answer}");
            play(&[&start.concat(), &case, end]).err()
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn a_listener_answers_acks_and_takes_only_syns() {
    let cases = [
        (". 5:5(0) ack 9 win 10", "R 9:9(0) win 0"),
        (". 5:8(3) ack 9 win 10", "R 9:9(0) win 0"),
        ("F. 5:5(0) ack 9 win 10", "R 9:9(0) win 0"),
        ("F 5:5(0) win 10", ""),
        ("- 5:8(3) win 10", ""),
        ("S. 5:5(0) ack 9 win 10", ""),
        ("R 5:5(0) win 10", ""),
        ("R. 5:5(0) ack 9 win 10", ""),
    ];
    play_all(&[LISTEN], &cases, &SYN.replacen("+0", "+.01", 1));
}

#[test]
fn a_syn_with_fin_is_a_syn_unless_it_is_dropped() {
    let drop = "0 `sysctl -w net.inet.tcp.drop_synfin=1`\n";
    for data in ["17:17(0)", "17:20(3)"] {
        let segment = format!("+.01 < SF {data} win 10 <mss 1460>\n");
        play(&[LISTEN, &segment, "+0 > S. 0:0(0) ack 18 win 65535 <mss 1460>\n"]).unwrap();
        play(&[drop, LISTEN, &segment, &SYN.replacen("+0", "+.01", 1)]).unwrap();
        play(&[SYN_SENT, &segment, "+0 > S. 0:0(0) ack 18 win 65535 <...>\n"]).unwrap();
        let answer = "+.01 < S. 0:0(0) ack 1 win 10 <mss 1460>\n+0 > . 1:1(0) ack 1 win 65535\n";
        play(&[drop, SYN_SENT, &segment, answer]).unwrap();
    }
}

#[test]
fn syn_sent_checks_the_ack_first() {
    let cases = [
        ("R 0:0(0) win 10", ""),
        ("R. 0:0(0) ack 0 win 10", ""),
        ("R. 0:0(0) ack 2 win 10", ""),
        (". 0:0(0) ack 0 win 10", "R 0:0(0) win 0"),
        (". 0:3(3) ack 2 win 10", "R 2:2(0) win 0"),
        ("F. 0:0(0) ack 2 win 10", "R 2:2(0) win 0"),
        ("S. 0:0(0) ack 0 win 10", "R 0:0(0) win 0"),
        ("S. 0:3(3) ack 2 win 10", "R 2:2(0) win 0"),
        (". 0:0(0) ack 1 win 10", ""),
        ("F. 0:3(3) ack 1 win 10", ""),
        ("F 0:3(3) win 10", ""),
        ("- 0:0(0) win 10", ""),
    ];
    let answer = "+.01 < S. 0:0(0) ack 1 win 10 <mss 1460>\n+0 > . 1:1(0) ack 1 win 65535\n";
    play_all(&[SYN_SENT], &cases, answer);
    let refused = "+.01 < R. 0:0(0) ack 1 win 10\n+0 getsockopt(3, SOL_SOCKET, SO_ERROR, [ECONNREFUSED], [4]) = 0\n";
    play(&[SYN_SENT, refused]).unwrap();
}

/// The payload of a SYN waits until the handshake is complete, and is then read without an ACK of its own; a FIN in the
/// SYN is lost.
#[test]
fn payload_of_a_crossing_syn_is_read_after_the_handshake() {
    for flags in ["S", "SF"] {
        let text = format!(
            "+.01 < {flags} 0:3(3) win 32767 <mss 1460,sackOK,eol,eol>
+0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK,eol,eol>
+0 read(3, ..., 100) = -1 EWOULDBLOCK (Operation would block)
+.1 < . 4:4(0) ack 1 win 65535
+0 read(3, ..., 100) = 3
+.3 close(3) = 0
+0 > F. 1:1(0) ack 4 win 65535\n"
        );
        play(&[SYN_SENT, &text]).unwrap();
    }
}

/// While both SYNs have crossed, each ACK that is due is the SYN-ACK again, and payload waits (sys/netinet: tcp_input.c,
/// tcp_do_segment; tcp_output.c, tcp_default_output).
#[test]
fn crossing_syns_are_answered_by_the_syn_ack() {
    let again = "S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK,eol,eol>";
    let cases = [
        ("S 0:0(0) win 10 <mss 1460>", again),
        ("S 0:3(3) win 10", again),
        ("SF 2:2(0) win 10 <mss 1460>", again),
        ("S 2:2(0) win 10 <mss 1460>", ""),
        ("- 0:0(0) win 10", again),
        ("- 1:1(0) win 10", ""),
        ("- 1:4(3) win 10", again),
        ("F 1:1(0) win 10", again),
        // The buffer holds 45 whole segments, so the window ends at 65,701.
        ("- 65701:65704(3) win 10", again),
        (". 65701:65704(3) ack 1 win 10", again),
        (". 65702:65702(0) ack 1 win 10", again),
        (". 1:1(0) ack 2 win 10", "R 2:2(0) win 0"),
    ];
    let crossing = "+.01 < S 0:0(0) win 32767 <mss 1460,sackOK,eol,eol>\n+0 > S. 0:0(0) ack 1 win 65535 <...>\n";
    let end =
        "+0 `sockstat -4 -P tcp -s | grep -c SYN_RCVD | grep 1`\n+.01 < F. 1:1(0) ack 1 win 10\n+0 > . 1:1(0) ack 2\n";
    let waits = |(segment, _): &(&str, &str)| segment.contains("(3) win 10") && !segment.contains("65701");
    let (with, without): (Vec<_>, Vec<_>) = cases.into_iter().partition(waits);
    play_all(&[SYN_SENT, crossing], &without, end);
    let read = "+.01 < . 4:4(0) ack 1 win 10\n+0 read(3, ..., 100) = 3\n";
    play_all(&[SYN_SENT, crossing], &with, read);
    for (segment, answer) in [
        ("S. 0:3(3) ack 1 win 10 <mss 1460>", "+.04 > . 1:1(0) ack 4"),
        ("SF. 0:0(0) ack 1 win 10 <mss 1460>", "+0 > . 1:1(0) ack 2"),
        (". 0:0(0) ack 1 win 10", "+0 > . 1:1(0) ack 1"),
    ] {
        play(&[SYN_SENT, crossing, &format!("+.01 < {segment}\n{answer}\n")]).unwrap();
    }
}

#[test]
fn the_syn_cache_checks_what_completes_the_handshake() {
    let state = |name: &str| format!("+0 `sockstat -4 -P tcp -s | grep -c {name} | grep 1`\n");
    let (waiting, established) = (state("SYN_RCVD"), state("ESTABLISHED"));
    let again = "S. 0:0(0) ack 1 win 65535 <...>";
    let cases = [
        ("S 0:0(0) win 10 <mss 1460>", again),
        ("S 77:77(0) win 10 <mss 1460>", again),
        ("S. 0:0(0) ack 1 win 10", ""),
        ("F 1:1(0) win 10", ""),
        ("- 1:4(3) win 10", ""),
        (". 1:1(0) ack 2 win 10", "R 2:2(0) win 0"),
        (". 1:1(0) ack 0 win 10", "R 0:0(0) win 0"),
        (". 0:0(0) ack 1 win 10", "R 1:1(0) win 0"),
        (". 65536:65536(0) ack 1 win 10", "R 1:1(0) win 0"),
        ("R 0:0(0) win 10", ""),
        ("R 2:2(0) win 10", ". 1:1(0) ack 1 win 65535"),
        ("R 65535:65535(0) win 10", ". 1:1(0) ack 1 win 65535"),
        ("R 65536:65536(0) win 10", ""),
        // syncache_chkrst: a RST with other flags does not answer a SYN-ACK.
        ("R. 1:1(0) ack 1 win 10", ""),
        ("R. 2:2(0) ack 1 win 10", ""),
    ];
    let end = format!("{waiting}+.01 < . 1:1(0) ack 1 win 10\n{established}");
    play_all(&[LISTEN, SYN], &cases, &end);
    let insecure = "0 `sysctl -w net.inet.tcp.insecure_rst=1`\n";
    let none = "+0 `sockstat -4 -P tcp -s | grep -c SYN_RCVD | grep 0`\n";
    play(&[LISTEN, SYN, "+.01 < R 1:1(0) win 10\n", none]).unwrap();
    play(&[insecure, LISTEN, SYN, "+.01 < R 65535:65535(0) win 10\n", none]).unwrap();
    play(&[insecure, LISTEN, SYN, "+.01 < R 65536:65536(0) win 10\n", &waiting]).unwrap();
}

/// A SYN beyond the connection ends TIME-WAIT: a listener of the port takes it.
#[test]
fn a_new_connection_takes_the_place_of_time_wait() {
    let closed = "+.01 < . 1:1(0) ack 1 win 32767
+0 accept(3, ..., ...) = 4
+0 shutdown(4, SHUT_WR) = 0
+0 > F. 1:1(0) ack 1 win 65535
+0 < F. 1:1(0) ack 2 win 32767
+0 > . 2:2(0) ack 2 win 65535\n";
    let taken = "+0 > S. 0:0(0) ack 18 win 65535 <mss 1460>\n";
    play(&[LISTEN, SYN, closed, "+.1 < S 17:17(0) win 10 <mss 1460>\n", taken]).unwrap();
    play(&[LISTEN, SYN, closed, "+.1 < SF 17:17(0) win 10 <mss 1460>\n", taken]).unwrap();
    // The listener drops the SYN with FIN, but TIME-WAIT has ended.
    let dropped = "+.1 < SF 17:17(0) win 10 <mss 1460>\n+.1 < . 1:1(0) ack 2 win 10\n+0 > R 2:2(0) win 0\n";
    play(&["0 `sysctl -w net.inet.tcp.drop_synfin=1`\n", LISTEN, SYN, closed, dropped]).unwrap();
}

#[test]
fn icmp_messages_end_an_attempt_only_if_they_may() {
    let hard = [
        ("4", "unreachable protocol_unreachable", "ECONNREFUSED"),
        ("4", "unreachable port_unreachable", "ECONNREFUSED"),
        ("4", "unreachable net_prohibited", "ECONNREFUSED"),
        ("4", "unreachable host_prohibited", "ECONNREFUSED"),
        ("4", "unreachable packet_filtered", "ECONNREFUSED"),
        ("4", "time_exceeded ttl_exceeded_in_transit", "EHOSTUNREACH"),
        ("4", "time_exceeded code_0", "EHOSTUNREACH"),
        ("6", "unreachable admin_prohibited", "ECONNREFUSED"),
        ("6", "unreachable port_unreachable", "ECONNREFUSED"),
        ("6", "parameter_problem unknown_next_header", "ECONNREFUSED"),
        ("6", "type_4 code_1", "ECONNREFUSED"),
        ("6", "time_exceeded exceeded_hop_limit", "EHOSTUNREACH"),
    ];
    let soft = [
        ("4", "unreachable net_unreachable"),
        ("4", "unreachable host_unreachable"),
        ("4", "unreachable source_route_failed"),
        ("4", "unreachable net_unknown"),
        ("4", "unreachable host_unknown"),
        ("4", "unreachable source_host_isolated"),
        ("4", "unreachable net_unreachable_for_tos"),
        ("4", "unreachable host_unreachable_for_tos"),
        ("4", "unreachable precedence_violation"),
        ("4", "unreachable precedence_cutoff"),
        ("4", "unreachable frag_needed mtu 1300"),
        ("4", "time_exceeded frag_reass_exceeded"),
        ("4", "time_exceeded code_1"),
        ("4", "source_quench"),
        ("4", "parameter_problem"),
        ("6", "unreachable no_route"),
        ("6", "unreachable not_neighbour"),
        ("6", "unreachable address_unreachable"),
        ("6", "time_exceeded exceeded_frag_time"),
        ("6", "parameter_problem header_field"),
        ("6", "parameter_problem unknown_option"),
    ];
    let case = |version: &str, may: u8, message: &str, error: &str| {
        let head = format!("--ip_version=ipv{version}\n0 `sysctl -w net.inet.tcp.icmp_may_rst={may}`\n");
        let [other, right] = ["1:1(0)", "0:0(0)"].map(|seq| format!("+0 < icmp {message} [{seq}]\n"));
        let read = |error: &str| format!("+0 getsockopt(3, SOL_SOCKET, SO_ERROR, [{error}], [4]) = 0\n");
        play(&[&head, SYN_SENT, &other, &read("0"), &right, &read(error)]).unwrap();
    };
    for (version, message, error) in hard {
        case(version, 1, message, error);
        case(version, 0, message, "0");
    }
    for (version, message) in soft {
        case(version, 1, message, "0");
    }
}

/// The host cache keeps the path MTU of IPv6, and later SYNs offer less; with IPv4, only below 576 bytes.
#[test]
fn a_path_mtu_reduces_the_offered_segment_size() {
    let syns = |version: &str, message: &str, first: u32, second: u32| {
        let ts = |val: u32| format!("nop,wscale 6,sackOK,TS val {val} ecr 0");
        let start = SYN_SENT.replace("<...>", &format!("<mss {first},{}>", ts(100)));
        let later = format!("+.99 > S 0:0(0) win 65535 <mss {second},{}>\n", ts(1100));
        let message = format!("+.01 < icmp {message} [0:0(0)]\n");
        play(&[&format!("--ip_version=ipv{version}\n"), &start, &message, &later]).unwrap();
    };
    syns("6", "packet_too_big mtu 1300", 1440, 1240);
    syns("4", "unreachable frag_needed mtu 1300", 1460, 1460);
}

/// net.inet.tcp.ecn.maxretries is the number of retransmitted SYNs that ask for ECN, 1 by default.
#[test]
fn ecn_is_asked_for_as_often_as_the_setting_says() {
    for (setting, asking) in [(None, 1), (Some(0), 0), (Some(2), 2)] {
        let setting =
            setting.map_or(String::new(), |n: u32| format!("0 `sysctl -w net.inet.tcp.ecn.maxretries={n}`\n"));
        let flags = |count: usize| if count <= asking { "SEW" } else { "S" };
        let mut text = SYN_SENT.replace("> S ", "> SEW ");
        for (count, time) in [(1, "1.0"), (2, "2.2"), (3, "4.2")] {
            text += &format!("+{time} > {} 0:0(0) win 65535 <...>\n", flags(count));
        }
        play(&["--tolerance_usecs=150000\n0 `sysctl -w net.inet.tcp.ecn.enable=1`\n", &setting, &text]).unwrap();
    }
}

/// The window scale is the least with which the window field holds kern.ipc.maxsockbuf.
#[test]
fn the_largest_buffer_determines_the_window_scale() {
    for (bytes, scale) in [(73_728, 1), (131_070, 1), (131_071, 2), (2_097_152, 6), (4_294_967_295_u32, 14)] {
        let head = format!("0 `sysctl -w kern.ipc.maxsockbuf={bytes}`\n");
        let options = format!("<mss 1460,nop,wscale {scale},sackOK,TS val 100 ecr 0>");
        play(&[&head, &SYN_SENT.replace("<...>", &options)]).unwrap();
    }
}

#[test]
fn the_time_to_connect_is_an_option_of_the_socket() {
    let read = |seconds: u32| format!("+0 getsockopt(3, IPPROTO_TCP, TCP_KEEPINIT, [{seconds}], [4]) = 0\n");
    let socket = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n";
    play(&[socket, &read(75)]).unwrap();
    play(&["0 `sysctl -w net.inet.tcp.keepinit=15000`\n", socket, &read(15)]).unwrap();
    play(&[socket, "+0 setsockopt(3, IPPROTO_TCP, TCP_KEEPINIT, [10], 4) = 0\n", &read(10)]).unwrap();
}

/// Rules for arriving segments apply at once, and settings that a connection reads when it begins leave it alone.
#[test]
fn settings_change_during_a_connection() {
    let connected = "+0 < S. 0:0(0) ack 1 win 10 <mss 1460>\n+0 > . 1:1(0) ack 1\n";
    let insecure = "+0 `sysctl -w net.inet.tcp.insecure_rst=1`\n+0 < R 2:2(0) win 0\n";
    let reset = "+0 getsockopt(3, SOL_SOCKET, SO_ERROR, [ECONNRESET], [4]) = 0\n";
    play(&[SYN_SENT, connected, insecure, reset]).unwrap();
    play(&[SYN_SENT, "+0 `sysctl -w net.inet.tcp.rfc1323=0`\n", connected, "+0 close(3) = 0\n"]).unwrap();
}
