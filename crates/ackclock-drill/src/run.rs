//! Runs a script, event by event, in virtual time.
//!
//! As in packetdrill, sent packets are compared with the expected ones in order, and packets sent after the last
//! expected one are not compared: public scripts that only read `tcp_info` expect no packets.

use std::collections::BTreeSet;

use crate::ast::{Action, Body, Call, Event, Packet, Position, Script, Tcp, When};
use crate::calls::{self, Answer, CallState};
use crate::host::{Host, Sent};
use crate::preprocess::preprocess;
use crate::settings::Settings;
use crate::shell::{self, Files};
use crate::socket::SocketId;
use crate::verdict::{Outcome, Snippet, Stop, Verdict};
use crate::wire::Numbers;
use crate::{choices, expect, parse, show, sockstat, stack};
use ackclock_tcp::info::EcnUse;
use ackclock_tcp::stack::Stack;
use ackclock_tcp::{Nanos, SECOND, Segment};

/// Time after the latest accepted time for which an expected packet is still awaited, to report when it was sent.
const PATIENCE: Nanos = 300 * SECOND;

/// Context in which a script runs.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Stack under test, unless the script names its own.
    pub stack: &'a Stack,
    /// Symbols and their values, as with packetdrill's option `-D`.
    pub defines: &'a [(String, String)],
    /// Reads the shell scripts that a script runs.
    pub files: &'a Files<'a>,
}

/// Runs the text of a script.
pub fn run(text: &str, context: &Context<'_>) -> Outcome {
    let defines = defines(context.defines, text);
    let system = system(context, text);
    let defined = |name: &str| name == system || defines.iter().any(|(known, _)| known == name);
    let script = preprocess(text, defined).and_then(|text| parse::script(&text, &defines));
    let script = match script {
        Ok(script) => script,
        Err(error) => {
            let reason = format!("syntax error: {}", error.message);
            return Outcome { verdict: Verdict::Fail { at: error.at, reason }, snippets: Vec::new() };
        }
    };
    let mut runner = Runner {
        host: Host::new((context.stack.config)(), Settings::default()),
        snippets: Vec::new(),
        waiting: None,
        run: None,
        files: context.files,
        last: 0,
        at: Position { line: 1, column: 1 },
        outdated: BTreeSet::new(),
    };
    let verdict = match runner.script(&script) {
        Ok(()) => Verdict::Pass,
        Err(Stop::Fail(reason)) => Verdict::Fail { at: runner.at, reason },
        Err(Stop::Unsupported(what)) => Verdict::Unsupported { at: runner.at, what },
    };
    Outcome { verdict, snippets: runner.snippets }
}

/// Symbol of the kernel that the stack imitates, for `#ifdef`.
fn system(context: &Context<'_>, text: &str) -> &'static str {
    let own = text.lines().find_map(|line| line.trim().strip_prefix("--stack="));
    match own.unwrap_or(context.stack.name).split('-').next() {
        Some("freebsd") => "FreeBSD",
        Some("linux") => "Linux",
        _ => "STANDARD",
    }
}

/// Symbols that the public suites define on the command line, followed by those of the caller, which take precedence.
fn defines(given: &[(String, String)], text: &str) -> Vec<(String, String)> {
    let v6 = text.lines().any(|line| line.trim() == "--ip_version=ipv6");
    // The cookies are those of packetdrill's addresses under the key of the suites' defaults.sh and a key of zeros.
    let values = match v6 {
        false => ["SOL_IP", "IP_RECVERR", "3021b9d889017eeb", "b7c12350a90dc8f5"],
        true => ["SOL_IPV6", "IPV6_RECVERR", "c1d1e9742a47a9bc", "82af1a8f9a205c34"],
    };
    let names = ["CMSG_LEVEL_IP", "CMSG_TYPE_RECVERR", "TFO_COOKIE", "TFO_COOKIE_ZERO"];
    let known = names.into_iter().zip(values).map(|(name, value)| (name.to_owned(), value.to_owned()));
    known.chain(given.iter().cloned()).collect()
}

/// A blocking call that is in progress.
struct Waiting {
    at: Position,
    call: Call,
    progress: CallState,
    /// Time at which the call is to return; `None` if the script waits for it.
    end: Option<Nanos>,
    /// Latest time until which the call waits.
    until: Nanos,
    tolerance: Nanos,
}

struct Runner<'a> {
    host: Host,
    snippets: Vec<Snippet>,
    waiting: Option<Waiting>,
    run: Option<SplitPacket>,
    files: &'a Files<'a>,
    /// Time of the previous event.
    last: Nanos,
    at: Position,
    /// Sockets whose connections began before a setting changed.
    outdated: BTreeSet<SocketId>,
}

/// A packet that is sent in several segments.
struct SplitPacket {
    /// Position of the event that expects the packet.
    at: Position,
    packet: Packet,
    tcp: Tcp,
    /// The expected packet, in words.
    expected: String,
    first: Sent,
    parts: Vec<Segment>,
}

impl SplitPacket {
    /// Number of bytes that have not yet been sent.
    fn missing(&self) -> u32 {
        let sent = self.parts.iter().map(|part| part.len).sum();
        if sent == 0 { 0 } else { self.tcp.len.saturating_sub(sent) }
    }
}

/// Times at which an event may happen.
struct Window {
    from: Nanos,
    to: Nanos,
    tolerance: Nanos,
}

impl Runner<'_> {
    fn script(&mut self, script: &Script) -> Result<(), Stop> {
        self.host.base = choices::configuration(self.host.base.clone(), &script.options)?;
        for (name, value) in &script.options {
            if name != "define" && !choices::is_ours(name) {
                self.host.settings.set(name, value.as_deref())?;
            }
        }
        self.survey(script)?;
        for name in self.host.settings.init_scripts.clone() {
            shell::run(&name, &mut self.host.sysctls, self.files)?;
        }
        if let Some((at, command)) = &script.init {
            self.at = *at;
            shell::run(command, &mut self.host.sysctls, self.files)?;
        }
        for event in &script.events {
            self.at = event.at;
            self.event(event)?;
        }
        self.finish_run(self.host.now + self.host.settings.tolerance)?;
        self.finish_waiting()
    }

    /// Searches the script for unsupported features before it runs; a script that has one gets no other verdict.
    fn survey(&mut self, script: &Script) -> Result<(), Stop> {
        for event in &script.events {
            self.at = event.at;
            let beyond = match &event.action {
                Action::Packet(packet) => beyond(packet),
                Action::Call(call) => calls::beyond(call),
                Action::Command(_) | Action::Code(_) => None,
            };
            if let Some(what) = beyond {
                return Stop::unsupported(what);
            }
        }
        self.at = Position { line: 1, column: 1 };
        Ok(())
    }

    /// Runs a shell command.
    fn command(&mut self, command: &str) -> Result<(), Stop> {
        let before = self.host.sysctls.clone();
        shell::run(command, &mut self.host.sysctls, self.files)?;
        if self.host.sysctls.freebsd.fast_open_client == Some(false) {
            // Turning Fast Open off empties FreeBSD's cache of cookies.
            self.host.fast_open = Default::default();
        }
        if before != self.host.sysctls {
            let sockets = self.host.sockets.iter().enumerate();
            let live = sockets.filter(|(_, socket)| socket.connection().is_some_and(|connection| !connection.over));
            self.outdated.extend(live.map(|(id, _)| id));
        }
        Ok(())
    }

    fn event(&mut self, event: &Event) -> Result<(), Stop> {
        // The new settings apply to the connections of new sockets.
        let opens = matches!(&event.action, Action::Call(call) if call.name == "socket");
        let outdated = self.host.under_test.is_some_and(|id| self.outdated.contains(&id));
        if outdated && !opens && !matches!(event.action, Action::Command(_)) {
            return Stop::unsupported("settings that change while there is a connection");
        }
        match &event.action {
            Action::Packet(packet) if !packet.inbound => {
                let Body::Tcp(tcp) = &packet.body else {
                    return Stop::unsupported("packets other than TCP that leave");
                };
                self.outbound(event.when, packet, tcp)?;
            }
            Action::Packet(packet) => {
                self.wait_for(event.when, "inbound packet")?;
                match &packet.body {
                    Body::Tcp(tcp) => self.host.arrive(packet, tcp)?,
                    Body::Icmp(icmp) => self.host.arrive_icmp(icmp)?,
                    Body::Udp(_) => return Stop::unsupported("UDP"),
                }
                self.poll_waiting()?;
            }
            Action::Call(call) => {
                self.finish_waiting()?;
                let start = self.wait_for(event.when, "system call")?;
                self.call(event, call, start)?;
            }
            Action::Command(command) => {
                self.wait_for(event.when, "command")?;
                if let Some(outcome) = sockstat::run(command, &mut self.host) {
                    outcome?;
                } else {
                    self.command(command)?;
                }
            }
            Action::Code(code) => {
                self.wait_for(event.when, "code")?;
                let now = self.host.now;
                let values = match self.host.connection_under_test() {
                    Some(connection) => {
                        let mut values = stack::info(&connection.endpoint, now);
                        values.extend(connection.chrono.info(now));
                        values
                    }
                    None => self.host.info_without_connection()?,
                };
                self.snippets.push(Snippet { at: event.at, code: code.clone(), values });
            }
        }
        self.last = self.host.now;
        Ok(())
    }

    fn window(&self, when: When) -> Window {
        let now = self.host.now;
        let (from, to) = match when {
            When::At(time) => (time, time),
            When::After(time) => (now + time, now + time),
            When::Between(from, to) => (from, to),
            When::AfterBetween(from, to) => (now + from, now + to),
            When::Any => (0, now + PATIENCE),
        };
        Window { from, to, tolerance: self.host.settings.tolerance(from.saturating_sub(self.last)) }
    }

    /// Advances to the time of an event and returns the script's time for it.
    fn wait_for(&mut self, when: When, what: &str) -> Result<Nanos, Stop> {
        let window = self.window(when);
        while self.step(window.from)? {}
        if self.host.now > window.from + window.tolerance {
            let (due, now) = (show::time(window.from), show::time(self.host.now));
            return Stop::fail(format!("{what} is due at {due}, but the event before it came at {now}"));
        }
        Ok(window.from)
    }

    /// Advances the host by one step and retries the waiting call.
    fn step(&mut self, limit: Nanos) -> Result<bool, Stop> {
        let until = self.waiting.as_ref().map_or(limit, |waiting| waiting.until.min(limit)).max(self.host.now);
        let moved = self.host.step(until)?;
        self.poll_waiting()?;
        Ok(moved || until < limit)
    }

    fn call(&mut self, event: &Event, call: &Call, start: Nanos) -> Result<(), Stop> {
        let end = call.end.map(|end| match event.when {
            // The end is counted from the same time as the start.
            When::After(after) => start - after + end,
            _ => end,
        });
        let mut progress = CallState { started: self.host.now, done: 0, sleeps: false };
        let answer = calls::attempt(&mut self.host, call, &mut progress)?;
        let tolerance = self.host.settings.tolerance(end.unwrap_or(start) - start);
        let Answer::Blocks(until) = answer else {
            calls::check(call, answer)?;
            if let Some(end) = end
                && self.host.now + tolerance < end
            {
                let (due, now) = (show::time(end), show::time(self.host.now));
                return Stop::fail(format!("{} is to return at {due}, but returned at {now}", call.name));
            }
            return Ok(());
        };
        self.waiting = Some(Waiting { at: event.at, call: call.clone(), progress, end, until, tolerance });
        if end.is_none() {
            self.finish_waiting()?;
        }
        Ok(())
    }

    /// Retries the waiting call.
    fn poll_waiting(&mut self) -> Result<(), Stop> {
        let Some(mut waiting) = self.waiting.take() else { return Ok(()) };
        let here = std::mem::replace(&mut self.at, waiting.at);
        let answer = calls::attempt(&mut self.host, &waiting.call, &mut waiting.progress)?;
        if let Answer::Blocks(until) = answer {
            waiting.until = until;
            self.waiting = Some(waiting);
        } else {
            calls::check(&waiting.call, answer)?;
            let now = self.host.now;
            if let Some(end) = waiting.end
                && now.abs_diff(end) > waiting.tolerance
            {
                let (due, now) = (show::time(end), show::time(now));
                return Stop::fail(format!("{} is to return at {due}, but returned at {now}", waiting.call.name));
            }
        }
        self.at = here;
        Ok(())
    }

    /// Waits until the blocking call has returned.
    fn finish_waiting(&mut self) -> Result<(), Stop> {
        let Some(waiting) = &self.waiting else { return Ok(()) };
        let limit = waiting.end.map_or(self.host.now, |end| end.max(self.host.now)) + PATIENCE;
        while self.waiting.is_some() && self.step(limit)? {}
        let Some(waiting) = &self.waiting else { return Ok(()) };
        self.at = waiting.at;
        let due = waiting.end.map_or(String::new(), |end| format!(" to return at {}, but it is", show::time(end)));
        Stop::fail(format!("{} is{due} still blocked at {}", waiting.call.name, show::time(self.host.now)))
    }

    /// The next segment that the socket under test sends by `limit`.
    fn next_sent(&mut self, limit: Nanos) -> Result<Option<Sent>, Stop> {
        loop {
            // Packets of other sockets are ignored.
            let ours = self.host.under_test;
            self.host.outbox.retain(|sent| Some(sent.socket) == ours);
            if let Some(sent) = self.host.outbox.pop_front() {
                return Ok(Some(sent));
            }
            if !self.step(limit)? {
                return Ok(None);
            }
        }
    }

    /// Checks an expected packet.
    fn outbound(&mut self, when: When, packet: &Packet, tcp: &Tcp) -> Result<(), Stop> {
        let window = self.window(when);
        let limit = window.to.max(self.host.now) + window.tolerance;
        self.finish_run(limit)?;
        let time = match when {
            When::Any => String::new(),
            _ if window.from == window.to => format!(" at {}", show::time(window.from)),
            _ => format!(" at {} to {}", show::time(window.from), show::time(window.to)),
        };
        let expected = format!("expected {}{time}", show::packet(packet, tcp));
        let Some(first) = self.next_sent(limit)? else {
            let then = match self.next_sent(limit + PATIENCE)? {
                Some(late) => {
                    let shown = show::segment(&self.numbers_of(late.socket).leaving(&late.segment));
                    let at = show::time(late.at);
                    format!("nothing left until {at}: > {shown}")
                }
                None => format!("nothing left until {}", show::time(limit + PATIENCE)),
            };
            return Stop::fail(format!("{expected}; {then}"));
        };
        let early = first.at + window.tolerance < window.from;
        let late = first.at > window.to + window.tolerance;
        let timing = match when {
            When::Any => None,
            _ if early => Some("too early for it".to_owned()),
            _ if late => Some("too late for it".to_owned()),
            _ => None,
        };
        if let Some(connection) = self.host.sockets[first.socket].connection_mut() {
            connection.numbers.learn(tcp, &first.segment);
        }
        let (packet, tcp, parts) = (packet.clone(), tcp.clone(), vec![first.segment]);
        self.run = Some(SplitPacket { at: self.at, packet, tcp, expected, first, parts });
        self.extend_run(self.host.now)?;
        // A pacing endpoint spreads segments that a kernel hands to its pacing queue at once. The next event waits for
        // the rest.
        let whole = self.run.as_ref().is_none_or(|run| run.missing() == 0);
        if whole || !self.host.sysctls.fair_queue || timing.is_some() {
            return self.judge_run(timing);
        }
        Ok(())
    }

    /// Waits until `limit` for the rest of a packet that is sent in several segments, and compares it.
    fn finish_run(&mut self, limit: Nanos) -> Result<(), Stop> {
        let Some(run) = &self.run else { return Ok(()) };
        let here = std::mem::replace(&mut self.at, run.at);
        self.extend_run(limit)?;
        self.judge_run(None)?;
        self.at = here;
        Ok(())
    }

    /// Adds the segments that continue the present packet and are sent by `limit`.
    fn extend_run(&mut self, limit: Nanos) -> Result<(), Stop> {
        let Some(mut run) = self.run.take() else { return Ok(()) };
        while run.missing() > 0 && !self.host.settings.strict_segments {
            let Some(next) = self.next_sent(limit)? else { break };
            let last = run.parts.last().expect("a run has segments");
            if !expect::continues(last, &next.segment) || next.segment.len > run.missing() {
                self.host.outbox.push_front(next);
                break;
            }
            run.parts.push(next.segment);
        }
        self.run = Some(run);
        Ok(())
    }

    /// Compares the present packet with the expected one; `timing` describes an error of its time.
    fn judge_run(&mut self, timing: Option<String>) -> Result<(), Stop> {
        let Some(SplitPacket { packet, tcp, expected, first, parts, .. }) = self.run.take() else { return Ok(()) };
        let whole = expect::join(&parts).expect("a run has segments");
        let numbers = self.numbers_of(first.socket);
        let mut wrong: Vec<String> = timing.into_iter().collect();
        let several = parts.len() > 1 || self.is_cut_by_kernel(&first, &whole);
        let sent = Sent { segment: whole, ..first };
        wrong.extend(expect::differences(&packet, &tcp, &sent, &numbers, &self.host.settings, several));
        if wrong.is_empty() {
            return Ok(());
        }
        let (shown, at) = (show::segment(&numbers.leaving(&whole)), show::time(first.at));
        Stop::fail(format!("{expected}; > {shown} left at {at}: {}", wrong.join(", ")))
    }

    /// Whether a segment may be one of several that the kernel makes of one packet. The kernel splits packets itself
    /// for a device without segmentation offload and with Accurate ECN. Scripts then see segments, with PSH on the last
    /// one of each packet.
    fn is_cut_by_kernel(&self, sent: &Sent, whole: &Segment) -> bool {
        let mut later = self.host.outbox.iter().filter(|later| later.socket == sent.socket);
        let goes_on = later.next().is_some_and(|next| next.at == sent.at && expect::continues(whole, &next.segment));
        let connection = self.host.sockets[sent.socket].connection();
        let accurate =
            || connection.is_some_and(|connection| connection.endpoint.info(sent.at).ecn == EcnUse::Accurate);
        goes_on && (self.host.sysctls.no_segmentation || accurate())
    }

    fn numbers_of(&self, socket: SocketId) -> Numbers {
        self.host.sockets[socket].connection().map(|connection| connection.numbers.clone()).unwrap_or_default()
    }
}

/// A feature of a packet that is not supported.
fn beyond(packet: &Packet) -> Option<String> {
    if let Some(what) = packet.beyond {
        return Some(what.to_owned());
    }
    if packet.ports.is_some() {
        return Some("packets with ports of their own".to_owned());
    }
    if !packet.inbound && packet.ip.flow_label.is_some() {
        return Some("flow labels of packets that leave".to_owned());
    }
    match &packet.body {
        Body::Tcp(tcp) => tcp.options.iter().flatten().find_map(|option| match option {
            crate::ast::TcpOption::Md5 if !packet.inbound => Some("MD5 signatures".to_owned()),
            crate::ast::TcpOption::Other(name) => Some((*name).to_owned()),
            _ => None,
        }),
        Body::Udp(_) => Some("UDP".to_owned()),
        Body::Icmp(icmp) => icmp.foreign.then(|| "ICMP about packets other than TCP".to_owned()),
    }
}
