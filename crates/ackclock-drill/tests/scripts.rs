//! The crate's own scripts, written from the RFCs. Each runs against the stack and the choices that it names. The tests
//! of the Python package run the scripts' Python code.

use std::fs;
use std::path::{Path, PathBuf};

use ackclock_drill::{Context, Outcome, Verdict, run};
use ackclock_tcp::stack;

fn play(text: &str, folder: &Path) -> Outcome {
    let files = |path: &str| fs::read_to_string(folder.join(path)).ok();
    run(text, &Context { stack: stack::by_name("rfc").unwrap(), defines: &[], files: &files })
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts")
}

/// Returns every script below `folder`, in order.
fn scripts(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let within = paths.iter().filter(|path| path.is_dir()).flat_map(|path| scripts(path));
    let here = paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "pkt"));
    here.cloned().chain(within).collect()
}

#[test]
fn every_script_of_the_rfcs_passes() {
    let paths = scripts(&folder());
    assert!(paths.len() >= 100);
    let mut wrong = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        let files = |file: &str| fs::read_to_string(path.parent().unwrap().join(file)).ok();
        // No script uses this stack, because each script has to name its own.
        let context = Context { stack: stack::by_name("freebsd-2014").unwrap(), defines: &[], files: &files };
        let verdict = run(&text, &context).verdict;
        if verdict != Verdict::Pass {
            wrong.push(format!("{}: {verdict:?}", path.strip_prefix(folder()).unwrap().display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_script_says_what_it_is_about() {
    let paths = scripts(&folder());
    let guide = fs::read_to_string(folder().join("README.md")).unwrap();
    for path in &paths {
        let text = fs::read_to_string(path).unwrap();
        let name = path.strip_prefix(folder()).unwrap().display().to_string();
        let head: String = text.lines().take_while(|line| line.starts_with("//")).collect();
        assert!(head.contains("RFC ") || head.contains("Linux"), "{name}: {head}");
        assert!(text.lines().any(|line| line.starts_with("--stack=")), "{name}: no --stack");
        let listed = name.trim_end_matches(".pkt").rsplit('/').next().unwrap();
        assert!(guide.contains(&format!("`{listed}`")), "{name}: not in README.md");
    }
}

/// A connection with a peer's MSS of 1,000 bytes; the script's socket is 4.
const OPEN: &str = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 20000 <mss 1000>
+0 > S. 0:0(0) ack 1 <mss 1460>
+0.1 < . 1:1(0) ack 1 win 20000
+0 accept(3, ..., ...) = 4
";

/// Returns the line of the failure, counted from the line after [`OPEN`], and its reason.
fn failure(rest: &str) -> (u32, String) {
    match play(&format!("{OPEN}{rest}"), Path::new("")).verdict {
        Verdict::Fail { at, reason } => (at.line - OPEN.lines().count() as u32, reason),
        other => panic!("{rest}: {other:?}"),
    }
}

fn unsupported(rest: &str) -> String {
    match play(&format!("{OPEN}{rest}"), Path::new("")).verdict {
        Verdict::Unsupported { what, .. } => what,
        other => panic!("{rest}: {other:?}"),
    }
}

fn passes(rest: &str) {
    let verdict = play(&format!("{OPEN}{rest}"), Path::new("")).verdict;
    assert_eq!(verdict, Verdict::Pass, "{rest}");
}

#[test]
fn a_failure_names_what_was_expected_and_what_left() {
    let write = "+0 write(4, ..., 1000) = 1000\n";
    let told = |expected: &str| failure(&format!("{write}{expected}\n"));
    assert_eq!(
        told("+0 > P. 1:1001(1000) ack 2"),
        (2, "expected > P. 1:1001(1000) ack 2 at 0.1; > P. 1:1001(1000) ack 1 win 65535 left at 0.1: ack 1 instead of 2".into())
    );
    assert!(told("+0 > . 1:1001(1000) ack 1").1.ends_with("flags P. instead of ."));
    assert!(told("+0 > P. 1:501(500) ack 1").1.ends_with("payload 1000 instead of 500"));
    assert!(told("+0 > P. 1:1001(1000) ack 1 win 7").1.ends_with("win 65535 instead of 7"));
    assert!(told("+0 > [ect0] P. 1:1001(1000) ack 1").1.ends_with("ECN field noecn instead of ect0"));
    assert!(
        told("+0 > P. 1:1001(1000) ack 1 <nop,nop,TS val 1 ecr 1>").1.ends_with("options <> instead of <TS ecr 1>")
    );
    assert!(told("+0.1 > P. 1:1001(1000) ack 1").1.ends_with("too early for it"));
    let nothing = failure("+0 > P. 1:1001(1000) ack 1\n+0 write(4, ..., 1000) = 1000\n");
    assert_eq!(nothing, (1, "expected > P. 1:1001(1000) ack 1 at 0.1; nothing left until 300.104".into()));
    let late = failure(&format!("{write}+0 > P. 1:1001(1000) ack 1\n+0.1 > P. 1:1001(1000) ack 1\n"));
    assert!(late.1.contains("nothing left until 1.1: > P. 1:1001(1000) ack 1"), "{late:?}");
}

#[test]
fn one_expected_packet_stands_for_the_segments_that_make_it_up() {
    let write = "+0 setsockopt(4, IPPROTO_TCP, TCP_NODELAY, [1], 4) = 0\n+0 write(4, ..., 3500) = 3500\n";
    passes(&format!("{write}+0 > P. 1:3501(3500) ack 1\n"));
    passes(&format!("{write}+0 > . 1:2001(2000) ack 1\n+0 > P. 2001:3501(1500) ack 1\n"));
    let whole = failure(&format!("{write}+0 > P. 1:4001(4000) ack 1\n"));
    assert!(whole.1.ends_with("payload 3500 instead of 4000"), "{whole:?}");
    let cut = failure(&format!("{write}+0 > P. 1:2501(2500) ack 1\n"));
    assert!(cut.1.ends_with("payload 2000 instead of 2500"), "{cut:?}");
}

#[test]
fn times_have_a_tolerance_and_ranges() {
    let write = "+0 write(4, ..., 1000) = 1000\n";
    let sent = |time: &str| format!("{write}{time} > P. 1:1001(1000) ack 1\n");
    for time in ["+0.004", "*", "0.05~0.2", "+0~+1", "0.1"] {
        passes(&sent(time));
    }
    for time in ["+0.005", "0.11~0.2", "+0.01~+1", "0.2"] {
        assert!(failure(&sent(time)).1.contains("too early"), "{time}");
    }
    assert!(failure("0.05 write(4, ..., 1) = 1\n").1.contains("is due at 0.05, but the event before it came at 0.1"));
}

#[test]
fn calls_are_held_to_their_results_and_their_times() {
    assert_eq!(failure("+0 write(4, ..., 10) = 9\n").1, "write returned 10 instead of 9");
    let nonblocking = "+0 fcntl(4, F_SETFL, O_RDWR|O_NONBLOCK) = 0\n";
    passes(&format!("{nonblocking}+0 read(4, ..., 10) = -1 EAGAIN (Resource temporarily unavailable)\n"));
    assert_eq!(failure(&format!("{nonblocking}+0 read(4, ..., 10) = 0\n")).1, "read returned -1 EAGAIN instead of 0");
    let arrives = "+0.1 < P. 1:11(10) ack 1 win 20000\n";
    passes(&format!("+0...0.1 read(4, ..., 10) = 10\n{arrives}"));
    let late = failure(&format!("+0...0.05 read(4, ..., 10) = 10\n{arrives}"));
    assert_eq!(late, (1, "read is to return at 0.15, but returned at 0.2".into()));
    let never = failure("+0...0.05 read(4, ..., 10) = 10\n");
    assert!(never.1.contains("still blocked"), "{never:?}");
    assert!(failure("+0 read(7, ..., 10) = 0\n").1.contains("EBADF"));
}

#[test]
fn memory_that_a_call_fills_is_compared() {
    let arrives = "+0 < P. 1:11(10) ack 1 win 20000\n";
    let inq = "+0 setsockopt(4, SOL_TCP, TCP_INQ, [1], 4) = 0\n";
    let message = |fields: &str| format!("+0 recvmsg(4, {{msg_iov(1)=[{{..., 4}}], {fields}}}, 0) = 4\n");
    let control = |left| format!("msg_control=[{{cmsg_level=SOL_TCP, cmsg_type=TCP_CM_INQ, cmsg_data={left}}}]");
    let epoll = "+0 epoll_create(1) = 5\n+0 epoll_ctl(5, EPOLL_CTL_ADD, 4, {events=EPOLLIN|EPOLLOUT, fd=4}) = 0\n";
    passes(&format!("{inq}{arrives}{}", message(&control(6))));
    passes("+0 poll([{fd=4, events=POLLIN|POLLOUT, revents=POLLOUT}], 1, 0) = 1\n+0 ioctl(4, SIOCINQ, [0]) = 0\n");
    for (calls, reason) in [
        (format!("{inq}{arrives}{}", message(&control(7))), "TCP_CM_INQ is 6 instead of 7"),
        (format!("{inq}{arrives}{}", message("msg_control=[]")), "1 control messages instead of 0: level 6 type 36"),
        (format!("{arrives}{}", message(&control(6))), "0 control messages instead of 1: none"),
        (format!("{arrives}{}", message("msg_flags=MSG_TRUNC")), "msg_flags is 0 instead of 32"),
        // As in packetdrill, events that are not given are none.
        ("+0 poll([{fd=4, events=POLLOUT}], 1, 0) = 1\n".into(), "revents of 4 is 0x4 instead of 0x0"),
        (
            format!("{epoll}+0 epoll_wait(5, {{events=EPOLLIN, fd=4}}, 1, 0) = 1\n"),
            "epoll_wait gave events 0x4 instead of 0x1",
        ),
        ("+0 ioctl(4, SIOCINQ, [5]) = 0\n".into(), "ioctl gave 0 instead of 5"),
        ("+0 getsockopt(4, SOL_SOCKET, SO_TYPE, [2], [4]) = 0\n".into(), "SO_TYPE is 1 instead of 2"),
    ] {
        assert_eq!(failure(&calls).1, reason, "{calls}");
    }
}

#[test]
fn what_a_simulated_stack_does_not_have_is_named() {
    assert_eq!(unsupported("+0 socket(..., SOCK_STREAM, IPPROTO_MPTCP) = 5\n"), "MPTCP");
    assert_eq!(unsupported("+0 frobnicate(4) = 0\n"), "system call frobnicate");
    assert_eq!(unsupported("+0 setsockopt(4, SOL_TCP, TCP_MD5SIG, [1], 4) = 0\n"), "MD5 signatures");
    assert_eq!(unsupported("+0 setsockopt(4, SOL_TCP, TCP_FROB, [1], 4) = 0\n"), "socket option TCP_FROB");
    assert_eq!(unsupported("+0 `reboot now`\n"), "command reboot now");
    assert_eq!(unsupported("+0 `sysctl -q net.ipv4.tcp_frob=1`\n"), "sysctl net.ipv4.tcp_frob=1");
    assert_eq!(unsupported("+0 < S 0:10(10) win 100 <mp_capable v0 a>\n"), "MPTCP");
    assert_eq!(unsupported("+0 < gre: . 1:1(0) ack 1 win 10\n"), "GRE");
    // No event has run by then, so earlier differences do not count.
    assert_eq!(unsupported("+0 write(4, ..., 10) = 9\n+0 fork() = 0\n"), "system call fork");
}

#[test]
fn settings_reach_the_stack() {
    let syn = |before: &str, options: &str| {
        format!(
            "{before}0 socket(..., SOCK_STREAM|SOCK_NONBLOCK, IPPROTO_TCP) = 3
+0 connect(3, ..., ...) = -1 EINPROGRESS (Operation now in progress)
+0 > S 0:0(0) <{options}>\n"
        )
    };
    let verdict = |text: &str| play(text, &folder()).verdict;
    assert_eq!(verdict(&syn("", "mss 1460,sackOK,wscale 13")), Verdict::Pass);
    assert_eq!(verdict(&syn("`sysctl -q net.ipv4.tcp_sack=0`\n", "mss 1460,wscale 13")), Verdict::Pass);
    assert_eq!(verdict(&syn("--mtu=1000\n", "mss 960,sackOK,wscale 13")), Verdict::Pass);
    assert_eq!(verdict(&syn("--ip_version=ipv6\n", "mss 1440,sackOK,wscale 13")), Verdict::Pass);
    let timestamps = syn("`echo 1 > /proc/sys/net/ipv4/tcp_timestamps`\n", "mss 1460,sackOK,wscale 13,TS val 5 ecr 0");
    assert_eq!(verdict(&timestamps), Verdict::Pass);
    let shell = "`./settings.sh`\n";
    assert_eq!(verdict(&syn(shell, "mss 1460,wscale 13")), Verdict::Pass);
    assert!(matches!(verdict(&syn("`./none.sh`\n", "mss 1460,wscale 13")), Verdict::Fail { .. }));
}

#[test]
fn a_script_chooses_its_stack() {
    let syn = |lines: &str, options: &str| {
        format!(
            "{lines}0 socket(..., SOCK_STREAM|SOCK_NONBLOCK, IPPROTO_TCP) = 3
+0 connect(3, ..., ...) = -1 EINPROGRESS (Operation now in progress)
+0 > S 0:0(0) <{options}>\n"
        )
    };
    let verdict = |text: &str| play(text, &folder()).verdict;
    let linux = "mss 1460,sackOK,TS val 5 ecr 0,wscale 7";
    assert_eq!(verdict(&syn("--stack=linux\n", linux)), Verdict::Pass);
    assert_eq!(verdict(&syn("--timestamps=off\n--stack=linux\n", "mss 1460,sackOK,wscale 7")), Verdict::Pass);
    let sysctl = "--sack=on\n`sysctl -q net.ipv4.tcp_sack=0`\n";
    assert_eq!(verdict(&syn(sysctl, "mss 1460,wscale 13")), Verdict::Pass, "what the script runs comes later");
    let Verdict::Fail { at, reason } = verdict(&syn("--mtu=1500\n--recovery=prr-ccb\n", linux)) else { panic!() };
    assert_eq!(at.line, 1);
    assert!(reason.starts_with("--recovery=prr-ccb: accepted: tahoe, newreno, sack, "), "{reason}");
    let Verdict::Unsupported { what, .. } = verdict(&syn("--recoverie=prr\n", linux)) else { panic!() };
    assert_eq!(what, "option --recoverie=prr");
}

#[test]
fn a_syntax_error_has_its_place() {
    let place = |text: &str| match play(text, Path::new("")).verdict {
        Verdict::Fail { at, reason } => (at.line, at.column, reason),
        other => panic!("{text}: {other:?}"),
    };
    let (line, column, reason) = place("0 socket(1) = 3\n+0 > Q. 1:1(0) ack 1\n");
    assert_eq!((line, column), (2, 6));
    assert!(reason.starts_with("syntax error: Q. are no TCP flags"), "{reason}");
    assert_eq!(place("+0 > . 1:3(1)\n").2, "syntax error: 1:3(1): the payload is not what lies between");
    assert_eq!(place("").2, "syntax error: the script has no events");
    assert_eq!(place("* < . 1:1(0)\n").2, "syntax error: only a packet that leaves may have a range of times or *");
}
