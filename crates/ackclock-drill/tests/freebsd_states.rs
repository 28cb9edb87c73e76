//! FreeBSD's answer to every kind of segment in every state of a synchronised connection, and in TIME-WAIT. The expected
//! answers come from a second statement of the kernel's order of checks (sys/netinet: tcp_input.c, tcp_do_segment;
//! tcp_timewait.c, tcp_twcheck), which shares no code with the endpoint.

use ackclock_drill::{Context, Verdict, run};
use ackclock_tcp::stack;

/// The receive buffer: 64 KiB, rounded up to whole segments.
const WINDOW: i64 = 65_700;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Established,
    CloseWait,
    LastAck,
    FinWait1,
    FinWait2,
    Closing,
    TimeWait,
    Closed,
}
use State::*;

const STATES: [State; 7] = [Established, CloseWait, LastAck, FinWait1, FinWait2, Closing, TimeWait];
const FLAGS: [&str; 9] = ["S", "S.", "SF", ".", "-", "F", "F.", "R", "R."];
/// Distances of a segment from RCV.NXT: outside and at the left edge, inside, at and outside the right edge.
const PLACES: [i64; 5] = [-1, 0, 1, WINDOW - 1, WINDOW];

/// A connection: its state, the next sequence numbers of both ends, and the first one of ours that is not acknowledged.
#[derive(Clone, Copy, Debug)]
struct Connection {
    state: State,
    next: i64,
    send_next: i64,
    una: i64,
}

#[derive(Clone, Copy, Debug)]
struct Settings {
    insecure: bool,
    drop_synfin: bool,
    /// Whether the application has closed the socket, rather than its own direction alone.
    closes: bool,
}

/// A segment that arrives.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    flags: &'static str,
    seq: i64,
    len: i64,
    ack: i64,
}

/// The answer to a segment: the packets that leave, each with the time after the arrival, and the error of the socket.
#[derive(Default, Debug)]
struct Answer {
    packets: Vec<(&'static str, String)>,
    error: Option<&'static str>,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            Established => "ESTABLISHED",
            CloseWait => "CLOSE_WAIT",
            LastAck => "LAST_ACK",
            FinWait1 => "FIN_WAIT_1",
            FinWait2 => "FIN_WAIT_2",
            Closing => "CLOSING",
            TimeWait => "TIME_WAIT",
            Closed => "CLOSED",
        }
    }

    fn has_fin(self) -> bool {
        matches!(self, CloseWait | LastAck | Closing | TimeWait)
    }
}

/// The events that bring a connection to `state`.
fn prelude(state: State) -> (String, Connection) {
    let mut text = "+0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 fcntl(3, F_SETFL, O_RDWR|O_NONBLOCK) = 0
+0 connect(3, ..., ...) = -1 EINPROGRESS (Operation now in progress)
+0 > S 0:0(0) win 65535 <...>
+.1 < S. 0:0(0) ack 1 win 32767 <mss 1460,sackOK,eol,eol>
+0 > . 1:1(0) ack 1 win 65535\n"
        .to_owned();
    let (mut next, mut send_next, mut una) = (1, 1, 1);
    let mut fin = |text: &mut String, seq: i64, ack: i64| {
        *text += &format!("+0 shutdown(3, SHUT_WR) = 0\n+0 > F. {seq}:{seq}(0) ack {ack} win 65535\n");
        send_next = 2;
    };
    match state {
        Established | Closed => {}
        CloseWait | LastAck => {
            text += "+0 < F. 1:1(0) ack 1 win 32767\n+0 > . 1:1(0) ack 2 win 65535\n";
            next = 2;
            if state == LastAck {
                fin(&mut text, 1, 2);
            }
        }
        FinWait1 => fin(&mut text, 1, 1),
        FinWait2 => {
            fin(&mut text, 1, 1);
            text += "+0 < . 1:1(0) ack 2 win 32767\n";
            una = 2;
        }
        Closing => {
            fin(&mut text, 1, 1);
            text += "+0 < F. 1:1(0) ack 1 win 32767\n+0 > F. 1:1(0) ack 2 win 65535\n";
            next = 2;
        }
        TimeWait => {
            fin(&mut text, 1, 1);
            text += "+0 < F. 1:1(0) ack 2 win 32767\n+0 > . 2:2(0) ack 2 win 65535\n";
            (next, una) = (2, 2);
        }
    }
    (text, Connection { state, next, send_next, una })
}

impl Connection {
    /// An ACK: it carries our FIN as long as the FIN is outstanding.
    fn ack(&self) -> String {
        let seq = self.send_next;
        if self.una < self.send_next {
            return format!("F. {}:{}(0) ack {} <...>", seq - 1, seq - 1, self.next);
        }
        self.challenge()
    }

    fn challenge(&self) -> String {
        format!(". {0}:{0}(0) ack {1} <...>", self.send_next, self.next)
    }

    /// Processes a segment.
    fn take(&mut self, segment: Arrival, settings: Settings) -> Answer {
        let Arrival { flags, mut seq, mut len, ack } = segment;
        let has = |flag: char| flags.contains(flag);
        let mut answer = Answer::default();
        if self.state == TimeWait {
            return self.take_in_time_wait(segment);
        }
        if has('S') && has('F') && settings.drop_synfin {
            return answer;
        }
        let inside = (self.next..self.next + WINDOW).contains(&seq);
        if has('R') {
            if inside && (settings.insecure || seq == self.next) {
                (self.state, answer.error) = (Closed, Some("ECONNRESET"));
            } else if inside {
                answer.packets.push(("+0", self.challenge()));
            }
            return answer;
        }
        if has('S') {
            if inside && settings.insecure {
                let reset = format!("R. {0}:{0}(0) ack {1} win 0", self.send_next, self.next);
                answer.packets.push(("+0", reset));
                (self.state, answer.error) = (Closed, Some("ECONNRESET"));
            } else {
                answer.packets.push(("+0", self.challenge()));
            }
            return answer;
        }
        let mut fin = has('F');
        let mut now = false;
        let old = self.next - seq;
        if old > 0 {
            let dropped = if old > len || old == len && !fin {
                fin = false;
                len
            } else {
                old
            };
            // A part that arrived before is reported at once (D-SACK).
            now = dropped > 0 || old > len || old == len && !has('F') || dropped == len;
            (seq, len) = (seq + dropped, len - dropped);
        }
        if settings.closes && len > 0 {
            // No application reads what arrives, wherever it lies.
            let reset = match has('.') {
                true => format!("R {ack}:{ack}(0) win 0"),
                false => format!("R. 0:0(0) ack {} win 0", seq + len + i64::from(fin)),
            };
            answer.packets.push(("+0", reset));
            self.state = Closed;
            return answer;
        }
        let beyond = seq + len - (self.next + WINDOW);
        if beyond > 0 {
            if beyond >= len {
                answer.packets.push(("+0", self.ack()));
                return answer;
            }
            (len, fin) = (len - beyond, false);
        }
        if !has('.') {
            if now {
                answer.packets.push(("+0", self.ack()));
            }
            return answer;
        }
        if ack > self.send_next {
            answer.packets.push(("+0", self.ack()));
            return answer;
        }
        if ack == self.send_next && self.una < ack {
            self.una = ack;
            match self.state {
                FinWait1 => self.state = FinWait2,
                Closing => {
                    self.state = TimeWait;
                    if now {
                        answer.packets.push(("+0", self.ack()));
                    }
                    return answer;
                }
                LastAck => {
                    self.state = Closed;
                    return answer;
                }
                _ => {}
            }
        }
        let mut later = false;
        if (len > 0 || fin) && !self.state.has_fin() {
            if seq == self.next {
                self.next += len + i64::from(fin);
                (now, later) = (now || fin, len > 0);
                if fin {
                    self.state = match self.state {
                        Established => CloseWait,
                        FinWait1 => Closing,
                        _ => TimeWait,
                    };
                }
            } else {
                now = true;
            }
        }
        if now {
            answer.packets.push(("+0", self.ack()));
        } else if later {
            answer.packets.push(("+.04", self.ack()));
        }
        answer
    }

    fn take_in_time_wait(&mut self, segment: Arrival) -> Answer {
        let Arrival { flags, seq, len, ack } = segment;
        let has = |flag: char| flags.contains(flag);
        let mut answer = Answer::default();
        if has('R') {
        } else if has('S') && !has('.') && seq > self.next {
            // No socket listens: the SYN is answered with a RST.
            let end = seq + 1 + len + i64::from(has('F'));
            answer.packets.push(("+0", format!("R. 0:0(0) ack {end} win 0")));
            self.state = Closed;
        } else if has('.') && (flags != "." || len > 0 || seq != self.next || ack != self.send_next) {
            answer.packets.push(("+0", self.challenge()));
        }
        answer
    }
}

/// Plays one case; returns the script and the reason of a failure.
fn play(state: State, segment: Arrival, settings: Settings) -> Option<String> {
    let (start, mut connection) = prelude(state);
    let Settings { insecure, drop_synfin, closes } = settings;
    let mut text = String::from("--tolerance_usecs=1000\n");
    for (name, on) in [("insecure_rst", insecure), ("insecure_syn", insecure), ("drop_synfin", drop_synfin)] {
        text += &format!("0 `sysctl -w net.inet.tcp.{name}={}`\n", u8::from(on));
    }
    text += &if closes { start.replace("shutdown(3, SHUT_WR)", "close(3)") } else { start };
    let Arrival { flags, seq, len, ack } = segment;
    let acks = if flags.contains('.') { format!(" ack {ack}") } else { String::new() };
    // A SYN has the peer's initial sequence number; other segments count from it.
    text += &format!("+.01 < {flags} {seq}:{}({len}){acks} win 32767\n", seq + len);
    let answer = connection.take(segment, settings);
    for (time, packet) in &answer.packets {
        text += &format!("{time} > {packet}\n");
    }
    if !closes {
        text += &format!("+0 getsockopt(3, SOL_SOCKET, SO_ERROR, [{}], [4]) = 0\n", answer.error.unwrap_or("0"));
    }
    // A closed socket has no owner any more, and its connection is not listed once it has ended.
    let owner = if closes { "?" } else { "packetdril" };
    if !closes || connection.state != Closed {
        let name = connection.state.name();
        text += &format!("+0 `sockstat -4 -P tcp -s | grep {owner} | grep -c {name} | grep 1`\n");
    } else {
        let Connection { next, una, .. } = connection;
        text += &format!("+.01 < . {next}:{next}(0) ack {una} win 32767\n+0 > R {una}:{una}(0) win 0\n");
    }
    if connection.state != Closed {
        // An old segment is always answered: nothing else has left before.
        let (seq, ack) = (connection.next - 1, connection.una);
        text += &format!("+.01 < . {seq}:{seq}(0) ack {ack} win 32767\n+0 > {}\n", connection.ack());
    }
    let context = Context { stack: stack::by_name("freebsd").unwrap(), defines: &[], files: &|_| None };
    match run(&text, &context).verdict {
        Verdict::Pass => None,
        verdict => Some(format!("{state:?} {settings:?} {segment:?}: {verdict:?}")),
    }
}

#[test]
fn every_segment_has_the_answer_of_freebsd_in_every_state() {
    let mut wrong = Vec::new();
    let mut played = 0;
    for state in STATES {
        let (_, connection) = prelude(state);
        for flags in FLAGS {
            let acks: &[i64] = if flags.contains('.') { &[-1, 0, 1] } else { &[0] };
            for (place, len, ahead) in PLACES
                .iter()
                .flat_map(|&place| [0, 3].map(|len| (place, len)))
                .flat_map(|(place, len)| acks.iter().map(move |&ahead| (place, len, ahead)))
            {
                let (seq, ack) = (connection.next + place, connection.send_next + ahead);
                let segment = Arrival { flags, seq, len, ack };
                for settings in [false, true].map(|on| Settings { insecure: on, drop_synfin: on, closes: false }) {
                    wrong.extend(play(state, segment, settings));
                    played += 1;
                }
            }
        }
    }
    assert!(played > 1500, "{played} cases");
    assert!(wrong.is_empty(), "{} of {played} cases fail:\n{}", wrong.len(), wrong.join("\n"));
}

/// The states of a connection whose socket is closed (sys/netinet/tcp_input.c, tcp_do_segment: new data for a connection
/// without a user gets a RST, after the part that had arrived before is removed).
#[test]
fn new_data_for_a_closed_socket_gets_a_reset_in_every_state() {
    let (mut wrong, mut played) = (Vec::new(), 0);
    for state in [FinWait1, FinWait2, Closing, LastAck] {
        let (_, connection) = prelude(state);
        for flags in [".", "-", "F", "F.", "R", "S"] {
            for (place, len) in PLACES.iter().flat_map(|&place| [0, 1, 3].map(|len| (place, len))) {
                let (seq, ack) = (connection.next + place, connection.una);
                let settings = Settings { insecure: false, drop_synfin: false, closes: true };
                wrong.extend(play(state, Arrival { flags, seq, len, ack }, settings));
                played += 1;
            }
        }
    }
    assert!(played >= 300, "{played} cases");
    assert!(wrong.is_empty(), "{} of {played} cases fail:\n{}", wrong.len(), wrong.join("\n"));
}
