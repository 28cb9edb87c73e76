//! FreeBSD's answer to segments without timestamps, and with old ones, in every state of a connection with timestamps. The
//! expected answers come from a second statement of the kernel's rules (sys/netinet: tcp_input.c, tcp_do_segment;
//! tcp_timewait.c, tcp_twcheck), which shares no code with the endpoint.

use ackclock_drill::{Context, Verdict, run};
use ackclock_tcp::stack;

/// The states, with the events that lead there from ESTABLISHED, RCV.NXT, SND.NXT and SND.UNA.
const STATES: [(&str, &str, i64, i64, i64); 7] = [
    ("ESTABLISHED", "", 1, 1, 1),
    ("CLOSE_WAIT", "<F. 1:1(0) ack 1|>. 1:1(0) ack 2", 2, 1, 1),
    ("LAST_ACK", "<F. 1:1(0) ack 1|>. 1:1(0) ack 2|shutdown|>F. 1:1(0) ack 2", 2, 2, 1),
    ("FIN_WAIT_1", "shutdown|>F. 1:1(0) ack 1", 1, 2, 1),
    ("FIN_WAIT_2", "shutdown|>F. 1:1(0) ack 1|<. 1:1(0) ack 2", 1, 2, 2),
    ("CLOSING", "shutdown|>F. 1:1(0) ack 1|<F. 1:1(0) ack 1|>F. 1:1(0) ack 2", 2, 2, 1),
    ("TIME_WAIT", "shutdown|>F. 1:1(0) ack 1|<F. 1:1(0) ack 2|>. 2:2(0) ack 2", 2, 2, 2),
];

/// The timestamp of the segment in question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stamp {
    Missing,
    Old,
    Current,
}

/// The segment in question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// An ACK below the window, as keep-alive probes are.
    Probe,
    Payload,
    /// A FIN above a gap.
    Fin,
    Syn,
    Reset,
}

/// Time of the answer and the packet, without its options.
type Answer = Option<(&'static str, String)>;

/// The answer, and whether the connection ends.
fn answer(state: (&str, &str, i64, i64, i64), kind: Kind, stamp: Stamp, tolerates: bool) -> (Answer, bool) {
    let (name, _, next, send_next, una) = state;
    let challenge = Some(("+0", format!(". {send_next}:{send_next}(0) ack {next}")));
    let ack = match una < send_next {
        true => Some(("+0", format!("F. {0}:{0}(0) ack {next}", send_next - 1))),
        false => challenge.clone(),
    };
    let refused = stamp == Stamp::Missing && !tolerates;
    if name == "TIME_WAIT" {
        // There are no checks of old timestamps, and a SYN without ACK is below the window here.
        let ignored = refused || matches!(kind, Kind::Reset | Kind::Syn);
        return (challenge.filter(|_| !ignored), false);
    }
    match kind {
        Kind::Reset => return (None, true),
        _ if refused => return (None, false),
        Kind::Syn => return (challenge, false),
        _ => {}
    }
    if stamp == Stamp::Old {
        return (ack.filter(|_| kind == Kind::Payload), false);
    }
    let finished = matches!(name, "CLOSE_WAIT" | "LAST_ACK" | "CLOSING");
    let found = match kind {
        Kind::Payload => ack.filter(|_| !finished).map(|(_, packet)| ("+.04", packet)),
        Kind::Fin => ack.filter(|_| !finished),
        _ => ack,
    };
    (found, false)
}

/// Plays one case; returns the reason of a failure.
fn play(
    state: (&'static str, &'static str, i64, i64, i64),
    kind: Kind,
    stamp: Stamp,
    tolerates: bool,
) -> Option<String> {
    let (name, way, next, _, una) = state;
    let current = "<nop,nop,TS val 1000 ecr 1>";
    let mut text = String::from("--tolerance_usecs=1000\n");
    if !tolerates {
        text += "0 `sysctl -w net.inet.tcp.tolerate_missing_ts=0`\n";
    }
    text += "+0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 fcntl(3, F_SETFL, O_RDWR|O_NONBLOCK) = 0
+0 connect(3, ..., ...) = -1 EINPROGRESS (Operation now in progress)
+0 > S 0:0(0) win 65535 <mss 1460,nop,wscale 6,sackOK,TS val 1 ecr 0>
+.01 < S. 0:0(0) ack 1 win 32767 <mss 1460,nop,nop,TS val 1000 ecr 1>
+0 > . 1:1(0) ack 1 <...>\n";
    for event in way.split('|').filter(|event| !event.is_empty()) {
        text += &match event.split_at(1) {
            ("<", packet) => format!("+0 < {packet} win 32767 {current}\n"),
            (">", packet) => format!("+0 > {packet} <...>\n"),
            _ => "+0 shutdown(3, SHUT_WR) = 0\n".to_owned(),
        };
    }
    let options = match stamp {
        Stamp::Missing => "",
        Stamp::Old => "<nop,nop,TS val 999 ecr 1>",
        Stamp::Current => current,
    };
    let segment = match kind {
        Kind::Probe => format!(". {0}:{0}(0) ack {una}", next - 1),
        Kind::Payload => format!(". {next}:{}(3) ack {una}", next + 3),
        Kind::Fin => format!("F. {0}:{0}(0) ack {una}", next + 100),
        Kind::Syn => format!("S {0}:{0}(0)", next - 1),
        Kind::Reset => format!("R {next}:{next}(0)"),
    };
    text += &format!("+.01 < {segment} win 32767 {options}\n");
    let (packet, ends) = answer(state, kind, stamp, tolerates);
    if let Some((time, packet)) = packet {
        let acked = time == "+.04";
        let packet = if acked { packet.replace(&format!("ack {next}"), &format!("ack {}", next + 3)) } else { packet };
        text += &format!("{time} > {packet} <...>\n");
    }
    let error = if ends { "ECONNRESET" } else { "0" };
    text += &format!("+0 getsockopt(3, SOL_SOCKET, SO_ERROR, [{error}], [4]) = 0\n");
    if !ends {
        text += &format!("+0 `sockstat -4 -P tcp -s | grep packetdril | grep -c {name} | grep 1`\n");
        // A SYN is always answered before TIME-WAIT: nothing else has left before.
        if name != "TIME_WAIT" {
            let (send_next, next) =
                (state.3, next + if kind == Kind::Payload && text.contains("+.04") { 3 } else { 0 });
            text +=
                &format!("+.1 < S 0:0(0) win 32767 {current}\n+0 > . {send_next}:{send_next}(0) ack {next} <...>\n");
        }
    }
    let context = Context { stack: stack::by_name("freebsd").unwrap(), defines: &[], files: &|_| None };
    match run(&text, &context).verdict {
        Verdict::Pass => None,
        verdict => Some(format!("{name} {kind:?} {stamp:?} {tolerates}: {verdict:?}\n{text}")),
    }
}

#[test]
fn segments_without_timestamps_and_with_old_ones_have_the_answers_of_freebsd() {
    let (mut wrong, mut played) = (Vec::new(), 0);
    for state in STATES {
        for kind in [Kind::Probe, Kind::Payload, Kind::Fin, Kind::Syn, Kind::Reset] {
            for stamp in [Stamp::Missing, Stamp::Old, Stamp::Current] {
                for tolerates in [true, false] {
                    wrong.extend(play(state, kind, stamp, tolerates));
                    played += 1;
                }
            }
        }
    }
    assert_eq!(played, 210);
    assert!(wrong.is_empty(), "{} of {played} cases fail:\n{}", wrong.len(), wrong.join("\n"));
}
