//! Scripts on the behaviour of FreeBSD's sockets and TCP beyond the RFCs, and on the commands and the dialect of its test
//! suite. The scripts are our own.

use std::fs;
use std::path::{Path, PathBuf};

use ackclock_drill::{Context, Snippet, Verdict, run};
use ackclock_tcp::stack;

fn play(stack: &str, text: &str) -> (Verdict, Vec<Snippet>) {
    let outcome = run(text, &Context { stack: stack::by_name(stack).unwrap(), defines: &[], files: &|_| None });
    (outcome.verdict, outcome.snippets)
}

#[test]
fn every_script_of_freebsd_passes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/freebsd");
    let mut scripts: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    scripts.sort();
    assert!(scripts.len() >= 41);
    let outcomes = scripts.iter().map(|path| (path, play("freebsd", &fs::read_to_string(path).unwrap()).0));
    let wrong: Vec<String> = outcomes
        .filter(|(_, verdict)| *verdict != Verdict::Pass)
        .map(|(path, verdict)| format!("{}: {verdict:?}", path.file_name().unwrap().display()))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const SOCKET: &str = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n";

#[test]
fn a_command_about_sockets_fails_with_the_list_of_them() {
    let told = |command: &str| match play("freebsd", &format!("{SOCKET}+0 `{command}`\n")).0 {
        Verdict::Fail { reason, .. } => reason,
        other => panic!("{command}: {other:?}"),
    };
    let reason = told("sockstat -4 -P tcp -s | grep -c LISTEN | grep 1");
    assert!(reason.ends_with("found nothing; the sockets are: root packetdril tcp4 CLOSED"), "{reason}");
    assert!(told("sockstat -6 -s | grep -c CLOSED | grep 1").contains("found nothing"), "the sockets are of IPv4");
    assert!(told("sockstat -p 9090 -s | grep CLOSED").contains("found nothing"), "the port is 8080");
}

/// The module that a connection changes to answers the next loss: CUBIC keeps 7 of 10 segments, NewReno 5 (sys/netinet:
/// tcp_usrreq.c, tcp_default_ctloutput; cc/cc_newreno.c).
#[test]
fn a_connection_may_change_its_congestion_control() {
    for (name, threshold) in [("cubic", 7000), ("newreno", 5000)] {
        let text = format!(
            "{SOCKET}+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 65535 <mss 1000,sackOK>
+0 > S. 0:0(0) ack 1 <...>
+.02 < . 1:1(0) ack 1 win 65535
+0 accept(3, ..., ...) = 4
+0 write(4, ..., 10000) = 10000
+.02 setsockopt(4, IPPROTO_TCP, TCP_CONGESTION, \"{name}\", {}) = 0
+0 < . 1:1(0) ack 1 win 65535 <sack 1001:2001,nop,nop>
+0 < . 1:1(0) ack 1 win 65535 <sack 1001:3001,nop,nop>
+0 < . 1:1(0) ack 1 win 65535 <sack 1001:4001,nop,nop>
+0 %{{ }}%
",
            name.len()
        );
        let (verdict, snippets) = play("freebsd", &text);
        assert_eq!(verdict, Verdict::Pass, "{name}");
        let told = snippets[0].values.iter().find(|(known, _)| *known == "tcpi_snd_ssthresh").unwrap().1;
        assert_eq!(told, threshold, "{name}");
    }
}

#[test]
fn what_is_not_understood_is_named() {
    let named = |line: &str| match play("freebsd", &format!("{SOCKET}+0 {line}\n")).0 {
        Verdict::Unsupported { what, .. } => what,
        other => panic!("{line}: {other:?}"),
    };
    assert_eq!(named("`sockstat -l | grep x`"), "command sockstat -l | grep x");
    assert_eq!(named("`sockstat -s | sort`"), "command sockstat -s | sort");
    assert_eq!(named("`sysctl -w net.inet.tcp.blackhole=3`"), "sysctl net.inet.tcp.blackhole=3");
    assert_eq!(named("`sysctl -w net.inet.tcp.rfc1323=4`"), "sysctl net.inet.tcp.rfc1323=4");
    assert_eq!(named("< . 1:1(0) ack 1 win 10/udp(1 > 9811)"), "TCP in UDP without --udp_encapsulation=tcp");
    assert_eq!(named("`sysctl -w net.inet.tcp.cc.algorithm=cdg`"), "sysctl net.inet.tcp.cc.algorithm=cdg");
    let signs = "setsockopt(3, IPPROTO_TCP, TCP_MD5SIG, [1], 4) = 0";
    assert_eq!(named(signs), "MD5 signatures", "the script has no key");
    let secret = play("linux", &format!("--tcp_md5_secret=abc\n{SOCKET}")).0;
    assert!(matches!(&secret, Verdict::Unsupported { what, .. } if what == "MD5 signatures"), "{secret:?}");
    let linux = play("linux", &format!("{SOCKET}+0 setsockopt(3, IPPROTO_TCP, TCP_NOOPT, [1], 4) = 0\n")).0;
    assert!(matches!(&linux, Verdict::Unsupported { what, .. } if what == "socket option TCP_NOOPT"), "{linux:?}");
}

#[test]
fn tcp_in_udp_needs_freebsd_and_its_port() {
    let unsupported = |stack: &str, text: &str| match play(stack, text).0 {
        Verdict::Unsupported { what, .. } => what,
        other => panic!("{text}: {other:?}"),
    };
    let tunnel = format!("--udp_encapsulation=tcp\n{SOCKET}");
    assert_eq!(unsupported("linux", &tunnel), "TCP in UDP");
    for port in ["", "+0 `sysctl -w net.inet.tcp.udp_tunneling_port=9812`\n"] {
        let what = unsupported("freebsd", &format!("{tunnel}{port}+0 < . 1:1(0) ack 1 win 10/udp(1 > 9811)\n"));
        assert_eq!(what, "UDP ports other than net.inet.tcp.udp_tunneling_port");
    }
    let known = "+0 `sysctl -w net.inet.tcp.udp_tunneling_port=9811`\n+0 < . 1:1(0) ack 1 win 10/udp(1 > 9811)\n";
    let answer = |ports: &str| play("freebsd", &format!("{tunnel}{known}+0 > R 1:1(0) win 0{ports}\n")).0;
    assert_eq!(answer("/udp(9811 > 1)"), Verdict::Pass);
    for wrong in ["", "/udp(9811 > 2)"] {
        let Verdict::Fail { reason, .. } = answer(wrong) else { panic!("{wrong}") };
        assert!(reason.contains("UDP ports 9811 > 1 instead of"), "{reason}");
    }
    let Verdict::Fail { reason, .. } = answer("/udp(9811)") else { panic!("one port") };
    assert!(reason.starts_with("syntax error"), "{reason}");
}

/// A server without a key of the script's draws one, and one that is turned off forgets its key.
#[test]
fn a_server_with_fast_open_needs_a_key() {
    let outcome = |commands: &[&str], answer: &str| {
        let commands: String = commands.iter().map(|command| format!("+0 `{command}`\n")).collect();
        let socket = "+0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 setsockopt(3, IPPROTO_TCP, TCP_FASTOPEN, [1], 4) = 0
+0 bind(3, ..., ...) = 0
+0 listen(3, 4) = 0
+0.1 < S 0:30(30) win 9000 <mss 900,FO 2069a359c930dba9>\n";
        play("freebsd", &format!("0 `true`\n{commands}{socket}{answer}\n")).0
    };
    let [on, off] = [1, 0].map(|value| format!("sysctl net.inet.tcp.fastopen.server_enable={value}"));
    let plain = "+0 > S. 0:0(0) ack 1 win 65535 <mss 1460>";
    assert_eq!(outcome(&[&off, "./setkey"], plain), Verdict::Pass);
    for commands in [&[on.as_str()][..], &[&on, "./setkey", &off, &on]] {
        let other = outcome(commands, plain);
        assert!(
            matches!(&other, Verdict::Unsupported { what, .. } if what.contains("cookies of a server")),
            "{other:?}"
        );
    }
}

/// With `--non_fatal=syscall` a call may end in another way than the script says; packets may not.
#[test]
fn calls_need_not_be_fatal() {
    let failing = [
        "setsockopt(3, SOL_TCP, TCP_RACK_PACE_ALWAYS, [1], 4) = 0",
        "getsockopt(3, SOL_SOCKET, SO_ERROR, [5], [4]) = 0",
    ];
    for call in failing {
        let text = format!("{SOCKET}+0 {call}\n");
        assert!(matches!(play("freebsd", &text).0, Verdict::Fail { .. }), "{call}");
        assert_eq!(play("freebsd", &format!("--non_fatal=syscall\n{text}")).0, Verdict::Pass);
        let packet = format!("--non_fatal=syscall\n{text}+0 > S 0:0(0)\n");
        assert!(matches!(play("freebsd", &packet).0, Verdict::Fail { .. }));
    }
    let other = play("freebsd", &format!("--non_fatal=packet\n{SOCKET}")).0;
    assert!(matches!(&other, Verdict::Unsupported { what, .. } if what == "option --non_fatal=packet"), "{other:?}");
}

/// A setting that changes applies to later connections. If earlier ones would read it, too, they are not examined any
/// more.
#[test]
fn settings_change_between_connections() {
    let text = "0 socket(..., SOCK_STREAM|SOCK_NONBLOCK, IPPROTO_TCP) = 3
+0 connect(3, ..., ...) = -1 EINPROGRESS (Operation now in progress)
+0 > S 0:0(0) <mss 1460,nop,wscale 6,sackOK,TS val 1 ecr 0>
+0 `sysctl -w net.inet.tcp.rfc1323=0`
+0 `sysctl -w net.inet.tcp.delacktime=20`\n";
    assert_eq!(play("freebsd", text).0, Verdict::Pass);
    let other = "+0 socket(..., SOCK_STREAM|SOCK_NONBLOCK, IPPROTO_TCP) = 4
+0 connect(4, ..., ...) = -1 EINPROGRESS (Operation now in progress)
+0 > S 0:0(0) <mss 1460,sackOK,eol,eol>\n";
    assert_eq!(play("freebsd", &format!("{text}{other}")).0, Verdict::Pass);
    let same = play("freebsd", &format!("{text}+0.1 < S. 0:0(0) ack 1 win 100\n")).0;
    assert!(matches!(&same, Verdict::Unsupported { what, .. } if what.starts_with("settings that change")), "{same:?}");
}

#[test]
fn a_cookie_has_whole_bytes() {
    let text = |cookie: &str| format!("0 < S 0:0(0) win 10 <FO {cookie}>\n");
    for wrong in ["123", "12zz", &"00".repeat(39)] {
        let (verdict, _) = play("freebsd", &text(wrong));
        assert!(matches!(&verdict, Verdict::Fail { reason, .. } if reason.contains("is no cookie")), "{verdict:?}");
    }
    assert_eq!(play("freebsd", &text(&"00".repeat(38))).0, Verdict::Pass);
}

/// The receive buffer grows by half if more than three eighths of it arrive within half of a round trip.
#[test]
fn the_receive_buffer_tunes_itself() {
    let mut text = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 65535 <mss 1460,nop,wscale 7>
+0 > S. 0:0(0) ack 1 <mss 1460,nop,wscale 6>
+0 < . 1:1(0) ack 1 win 1000
+0 accept(3, ..., ...) = 4
+0 write(4, ..., 10) = 10
+0 > P. 1:11(10) ack 1
+0.1 < . 1:1(0) ack 11 win 1000
"
    .to_owned();
    let (mut seq, segments) = (1, 20);
    for _ in 0..segments {
        text += &format!("+0 < . {seq}:{}(1460) ack 11 win 1000\n+0 read(4, ..., 1460) = 1460\n", seq + 1460);
        seq += 1460;
    }
    // 29,200 bytes arrived in the round, which ends with the next segment.
    text += &format!("+0.06 < . {seq}:{}(1460) ack 11 win 1000\n", seq + 1460);
    let grown = format!("{text}+0 getsockopt(4, SOL_SOCKET, SO_RCVBUF, [98550], [4]) = 0\n");
    assert_eq!(play("freebsd", &grown).0, Verdict::Pass);
    let slow = text.replace("+0.06", "+0.04") + "+0 getsockopt(4, SOL_SOCKET, SO_RCVBUF, [65700], [4]) = 0\n";
    assert_eq!(play("freebsd", &slow).0, Verdict::Pass);
}

/// FreeBSD 10 raises the buffer by 16 KiB if more than seven eighths of it arrive within a round trip, which an echoed
/// timestamp shows.
#[test]
fn the_receive_buffer_of_freebsd_10_grows_by_a_step() {
    let script = |segments: u32, buffer: u32| {
        let mut text = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 65535 <mss 1460,nop,wscale 7,TS val 1 ecr 0>
+0 > S. 0:0(0) ack 1 <mss 1460,nop,wscale 6,TS val 100 ecr 1>
+0.1 < . 1:1(0) ack 1 win 1000 <nop,nop,TS val 2 ecr 100>
+0 accept(3, ..., ...) = 4
"
        .to_owned();
        let ts = "win 1000 <nop,nop,TS val 3 ecr 100>";
        let mut seq = 1;
        for index in 1..=segments {
            text += &format!("+0 < . {seq}:{}(1448) ack 1 {ts}\n+0 read(4, ..., 1448) = 1448\n", seq + 1448);
            seq += 1448;
            if index % 2 == 0 {
                text += &format!("+0 > . 1:1(0) ack {seq} <...>\n");
            }
        }
        // Our segment of 0.15 s is echoed: the round that began at 0.1 s is over.
        text += &format!("+0.05 write(4, ..., 10) = 10\n+0 > P. 1:11(10) ack {seq} <nop,nop,TS val 300 ecr 3>\n");
        text += &format!("+0.1 < . {seq}:{}(1448) ack 11 win 1000 <nop,nop,TS val 4 ecr 300>\n", seq + 1448);
        text + &format!("+0 getsockopt(4, SOL_SOCKET, SO_RCVBUF, [{buffer}], [4]) = 0\n")
    };
    let played = |segments, buffer| play("freebsd-2014", &script(segments, buffer)).0;
    assert_eq!(played(41, 65_700 + 16_384), Verdict::Pass);
    assert_eq!(played(39, 65_700), Verdict::Pass);
}

/// A connection whose first segment of ten is lost.
const LOSS: &str = "+0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < SEW 0:0(0) win 65535 <mss 1000,sackOK,eol,eol>
+0 > SE. 0:0(0) ack 1 <...>
+0.1 < . 1:1(0) ack 1 win 65535
+0 accept(3, ..., ...) = 4
+0 write(4, ..., 12000) = 12000
+0 > . 1:10001(10000) ack 1
+0.1 < . 1:1(0) ack 1 win 65535 <sack 1001:2001,nop,nop>
+0 > . 10001:11001(1000) ack 1
+0 < . 1:1(0) ack 1 win 65535 <sack 1001:3001,nop,nop>
+0 > P. 11001:12001(1000) ack 1
+0 < . 1:1(0) ack 1 win 65535 <sack 1001:4001,nop,nop>
";

/// FreeBSD 14 sends CWR with new data only; the kernels with net.inet.tcp.ecn.plusplus also sent it with a retransmission.
#[test]
fn cwr_is_sent_with_new_data_or_with_any_data() {
    let script = |setting: &str, flags: &str| {
        format!("0 `sysctl {setting}`\n{LOSS}+0 > {flags} 1:1001(1000) ack 1\n+0.1 < . 1:1(0) ack 12001 win 65535\n")
    };
    let plain = "net.inet.tcp.ecn.enable=2";
    assert_eq!(play("freebsd", &script(plain, ".")).0, Verdict::Pass);
    assert_eq!(play("freebsd", &script("net.inet.tcp.ecn.plusplus=0", "W.")).0, Verdict::Pass);
    let next = |setting: &str, flags: &str, later: &str| {
        let rest = format!("+0 write(4, ..., 1000) = 1000\n+0 > {later} 12001:13001(1000) ack 1\n");
        play("freebsd", &(script(setting, flags) + &rest)).0
    };
    assert_eq!(next(plain, ".", "PW."), Verdict::Pass);
    assert_eq!(next("net.inet.tcp.ecn.plusplus=0", "W.", "P."), Verdict::Pass, "CWR is sent once");
}

/// The threshold after a loss in a window of 10,000 bytes, as `tcp_info` has it in FreeBSD: in bytes.
#[test]
fn a_module_for_congestion_control_is_chosen_by_name() {
    let threshold = |module: &str| {
        let text = format!("0 `sysctl net.inet.tcp.cc.algorithm={module}`\n{LOSS}+0 %{{ pass }}%\n");
        let (verdict, snippets) = play("freebsd", &text);
        assert_eq!(verdict, Verdict::Pass);
        let value = |wanted: &str| snippets[0].values.iter().find(|(name, _)| *name == wanted).unwrap().1;
        assert_eq!((value("tcpi_snd_nxt"), value("tcpi_snd_rexmitpack")), (12_001, 1));
        value("tcpi_snd_ssthresh")
    };
    assert_eq!((threshold("newreno"), threshold("cubic")), (5000, 7000));
}

/// Without PRR, FreeBSD sends nothing for the ACKs of half a window; with PRR, about every second ACK sends a segment.
#[test]
fn prr_can_be_turned_off() {
    let script = |prr: u32, first: u32| {
        let mut text = format!("0 `sysctl net.inet.tcp.cc.algorithm=newreno net.inet.tcp.do_prr={prr}`\n{LOSS}");
        text += "+0 > . 1:1001(1000) ack 1\n+0 write(4, ..., 9000) = 9000\n";
        for end in (5001..=first).step_by(1000) {
            text += &format!("+0.01 < . 1:1(0) ack 1 win 65535 <sack 1001:{end},nop,nop>\n");
        }
        text + "+0 > W. 12001:13001(1000) ack 1\n"
    };
    let last =
        |prr: u32| (5001..13_001).step_by(1000).find(|&first| play("freebsd", &script(prr, first)).0 == Verdict::Pass);
    let (with, without) = (last(1).unwrap(), last(0).unwrap());
    assert!(with < without, "{with} and {without}");
}

#[test]
fn limited_transmit_can_be_turned_off() {
    let quiet = LOSS.replace("+0 > . 10001:11001(1000) ack 1\n", "").replace("+0 > P. 11001:12001(1000) ack 1\n", "");
    let text = format!("0 `sysctl net.inet.tcp.rfc3042=0`\n{quiet}+0 > . 1:1001(1000) ack 1\n");
    assert_eq!(play("freebsd", &text).0, Verdict::Pass);
}

/// A connection of a listener, to a peer with segments of 1000 bytes, that has sent data. The peer's SYN has `options`.
fn answered(options: &str, answer: &str, again: &str) -> String {
    format!(
        "{SOCKET}+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 20000 <mss 1000{options}>
+0 > S. 0:0(0) ack 1 win 65535 <{answer}>
+.1 < . 1:1(0) ack 1 win 20000
+0 accept(3, ..., ...) = 4
+0 write(4, ..., 100) = 100
+0 > P. 1:101(100) ack 1
{again} > P. 1:101(100) ack 1
"
    )
}

/// sys/netinet/tcp_syncache.c: the SYN cache does not time its SYN-ACK, so that the first timeout is the initial one
/// (net.inet.tcp.rexmit_initial; TCPTV_RTOBASE in FreeBSD 10).
#[test]
fn the_syn_cache_takes_no_round_trip_sample() {
    assert_eq!(play("freebsd", &answered("", "mss 1460", "+1")).0, Verdict::Pass);
    assert_eq!(play("freebsd-2014", &answered("", "mss 1000", "+3")).0, Verdict::Pass);
}

/// sys/netinet/tcp_syncache.c, syncache_respond: FreeBSD 10 offers no more than the peer has offered.
#[test]
fn freebsd_10_repeats_a_small_segment_size() {
    let told = |answer: &str| play("freebsd-2014", &answered(",sackOK", answer, "+3")).0;
    assert_eq!(told("mss 1000,sackOK,eol,eol"), Verdict::Pass);
    assert_ne!(told("mss 1460,sackOK,eol,eol"), Verdict::Pass);
}
