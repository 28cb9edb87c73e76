//! Runs a script, event by event, on a machine.
//!
//! As in packetdrill, sent packets are compared with the expected ones in order, and packets sent after the last
//! expected one are not compared: public scripts that only read `tcp_info` expect no packets.

use crate::ast::{Action, Body, Call, Event, Packet, Position, Script, Tcp, When};
use crate::calls::{Answer, Request, compare_memory, compare_result};
use crate::machine::{FlowId, Machine, Sent};
use crate::preprocess::preprocess;
use crate::verdict::{Outcome, Snippet, Stop, Verdict};
use crate::wire::Numbers;
use crate::{expect, parse, show};
use ackclock_tcp::Nanos;

/// Runs the text of a script on a machine. `system` is the symbol of its kernel for `#ifdef`, such as `Linux`, and
/// `defines` are symbols and their values.
pub fn run_on(text: &str, defines: &[(String, String)], system: &str, machine: &mut impl Machine) -> Outcome {
    let defines = with_public_symbols(defines, text);
    let defined = |name: &str| name == system || defines.iter().any(|(known, _)| known == name);
    let script = preprocess(text, defined).and_then(|text| parse::script(&text, &defines));
    let script = match script {
        Ok(script) => script,
        Err(error) => {
            let reason = format!("syntax error: {}", error.message);
            return Outcome { verdict: Verdict::Fail { at: error.at, reason }, snippets: Vec::new() };
        }
    };
    let start = Position { line: 1, column: 1 };
    let mut runner = Runner { machine, snippets: Vec::new(), waiting: None, run: None, last: 0, at: start };
    let verdict = match runner.script(&script) {
        Ok(()) => Verdict::Pass,
        Err(Stop::Fail(reason)) => Verdict::Fail { at: runner.at, reason },
        Err(Stop::Unsupported(what)) => Verdict::Unsupported { at: runner.at, what },
    };
    runner.machine.finish(script.cleanup.as_ref().map(|(_, command)| command.as_str()));
    Outcome { verdict, snippets: runner.snippets }
}

/// Symbols that the public suites define on the command line, followed by those of the caller, which take precedence.
fn with_public_symbols(given: &[(String, String)], text: &str) -> Vec<(String, String)> {
    let version = text.lines().find_map(|line| line.trim().strip_prefix("--ip_version="));
    // The cookies are those of packetdrill's addresses under the key of the suites' defaults.sh and a key of zeros.
    let values = match version {
        Some("ipv6") => ["SOL_IPV6", "IPV6_RECVERR", "c1d1e9742a47a9bc", "82af1a8f9a205c34"],
        Some("ipv4-mapped-ipv6") => ["SOL_IPV6", "IPV6_RECVERR", "3021b9d889017eeb", "b7c12350a90dc8f5"],
        _ => ["SOL_IP", "IP_RECVERR", "3021b9d889017eeb", "b7c12350a90dc8f5"],
    };
    let names = ["CMSG_LEVEL_IP", "CMSG_TYPE_RECVERR", "TFO_COOKIE", "TFO_COOKIE_ZERO"];
    let known = names.into_iter().zip(values).map(|(name, value)| (name.to_owned(), value.to_owned()));
    known.chain(given.iter().cloned()).collect()
}

/// A blocking call that is in progress.
struct Waiting {
    at: Position,
    call: Call,
    request: Request,
    /// Time at which the call is to return; `None` if the script waits for it.
    end: Option<Nanos>,
    /// Latest time until which the call waits.
    until: Nanos,
    tolerance: Nanos,
}

struct Runner<'a, M> {
    machine: &'a mut M,
    snippets: Vec<Snippet>,
    waiting: Option<Waiting>,
    run: Option<SplitPacket>,
    /// Time of the previous event.
    last: Nanos,
    at: Position,
}

/// A packet that is sent in several segments.
struct SplitPacket {
    /// Position of the event that expects the packet.
    at: Position,
    packet: Packet,
    tcp: Tcp,
    /// The expected packet, in words.
    expected: String,
    parts: Vec<Sent>,
}

impl SplitPacket {
    /// Number of bytes that have not yet been sent.
    fn missing(&self) -> u32 {
        let sent = self.parts.iter().map(|part| part.tcp.len).sum();
        if sent == 0 { 0 } else { self.tcp.len.saturating_sub(sent) }
    }
}

/// Times at which an event may happen.
struct Window {
    from: Nanos,
    to: Nanos,
    tolerance: Nanos,
}

impl<M: Machine> Runner<'_, M> {
    fn script(&mut self, script: &Script) -> Result<(), Stop> {
        self.machine.configure(&script.options)?;
        self.survey(script)?;
        for name in self.machine.settings().init_scripts.clone() {
            self.machine.command(&name)?;
        }
        if let Some((at, command)) = &script.init {
            self.at = *at;
            self.machine.command(command)?;
        }
        self.machine.start()?;
        for event in &script.events {
            self.at = event.at;
            self.event(event)?;
        }
        self.finish_run(self.machine.now() + self.machine.settings().tolerance)?;
        self.finish_waiting()
    }

    /// Searches the script for unsupported features before it runs; a script that has one gets no other verdict.
    fn survey(&mut self, script: &Script) -> Result<(), Stop> {
        for event in &script.events {
            self.at = event.at;
            if let Some(what) = self.machine.beyond(event) {
                return Stop::unsupported(what);
            }
        }
        self.at = Position { line: 1, column: 1 };
        Ok(())
    }

    fn event(&mut self, event: &Event) -> Result<(), Stop> {
        self.machine.admit(event)?;
        match &event.action {
            Action::Packet(packet) if !packet.inbound => {
                let Body::Tcp(tcp) = &packet.body else {
                    return Stop::unsupported("packets other than TCP that leave");
                };
                self.outbound(event.when, packet, tcp)?;
            }
            Action::Packet(packet) => {
                self.wait_for(event.when, "inbound packet")?;
                self.machine.arrive(packet)?;
                self.poll_waiting()?;
            }
            Action::Call(call) => {
                self.finish_waiting()?;
                let start = self.wait_for(event.when, "system call")?;
                self.call(event, call, start)?;
            }
            Action::Command(command) => {
                self.wait_for(event.when, "command")?;
                self.machine.command(command)?;
            }
            Action::Code(code) => {
                self.wait_for(event.when, "code")?;
                let values = self.machine.info()?;
                self.snippets.push(Snippet { at: event.at, code: code.clone(), values });
            }
        }
        self.last = self.machine.now();
        Ok(())
    }

    fn window(&self, when: When) -> Window {
        let now = self.machine.now();
        let (from, to) = match when {
            When::At(time) => (time, time),
            When::After(time) => (now + time, now + time),
            When::Between(from, to) => (from, to),
            When::AfterBetween(from, to) => (now + from, now + to),
            When::Any => (0, now + self.machine.patience()),
        };
        Window { from, to, tolerance: self.machine.settings().tolerance(from.saturating_sub(self.last)) }
    }

    /// Advances to the time of an event and returns the script's time for it.
    fn wait_for(&mut self, when: When, what: &str) -> Result<Nanos, Stop> {
        let window = self.window(when);
        while self.step(window.from)? {}
        if self.machine.now() > window.from + window.tolerance {
            let (due, now) = (show::time(window.from), show::time(self.machine.now()));
            return Stop::fail(format!("{what} is due at {due}, but the event before it came at {now}"));
        }
        Ok(window.from)
    }

    /// Advances the host by one step and retries the waiting call.
    fn step(&mut self, limit: Nanos) -> Result<bool, Stop> {
        let until = self.waiting.as_ref().map_or(limit, |waiting| waiting.until.min(limit)).max(self.machine.now());
        let moved = self.machine.step(until)?;
        self.poll_waiting()?;
        Ok(moved || until < limit)
    }

    fn call(&mut self, event: &Event, call: &Call, start: Nanos) -> Result<(), Stop> {
        let end = call.end.map(|end| match event.when {
            // The end is counted from the same time as the start.
            When::After(after) => start - after + end,
            _ => end,
        });
        let made = Request::of(call).and_then(|request| {
            let answer = self.machine.call(&request)?;
            Ok((self.compared(call, &request, answer)?, request))
        });
        let Some((answer, request)) = self.forgiven(made)? else { return Ok(()) };
        let tolerance = self.machine.settings().tolerance(end.unwrap_or(start) - start);
        let Answer::Blocks(until) = answer else {
            self.forgiven(compare_result(call, &answer))?;
            if let Some(end) = end
                && self.machine.now() + tolerance < end
            {
                let (due, now) = (show::time(end), show::time(self.machine.now()));
                return Stop::fail(format!("{} is to return at {due}, but returned at {now}", call.name));
            }
            return Ok(());
        };
        self.waiting = Some(Waiting { at: event.at, call: call.clone(), request, end, until, tolerance });
        if end.is_none() {
            self.finish_waiting()?;
        }
        Ok(())
    }

    /// Compares what a call wrote to memory with the script, and returns the answer.
    fn compared(&self, call: &Call, request: &Request, answer: Answer) -> Result<Answer, Stop> {
        compare_memory(call, request, &answer, self.machine.settings().tolerance)?;
        Ok(answer)
    }

    /// Returns nothing in place of a failure if the results of calls may differ from the script's.
    fn forgiven<T>(&self, outcome: Result<T, Stop>) -> Result<Option<T>, Stop> {
        match outcome {
            Err(Stop::Fail(_)) if self.machine.settings().lenient_calls => Ok(None),
            outcome => outcome.map(Some),
        }
    }

    /// Retries the waiting call.
    fn poll_waiting(&mut self) -> Result<(), Stop> {
        let Some(mut waiting) = self.waiting.take() else { return Ok(()) };
        let here = std::mem::replace(&mut self.at, waiting.at);
        let answer = self.machine.resume(&waiting.request);
        let answer = answer.and_then(|answer| self.compared(&waiting.call, &waiting.request, answer));
        let Some(answer) = self.forgiven(answer)? else {
            self.at = here;
            return Ok(());
        };
        if let Answer::Blocks(until) = answer {
            waiting.until = until;
            self.waiting = Some(waiting);
        } else {
            self.forgiven(compare_result(&waiting.call, &answer))?;
            let now = self.machine.now();
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
        let limit = waiting.end.map_or(self.machine.now(), |end| end.max(self.machine.now())) + self.machine.patience();
        while self.waiting.is_some() && self.step(limit)? {}
        let Some(waiting) = &self.waiting else { return Ok(()) };
        self.at = waiting.at;
        let due = waiting.end.map_or(String::new(), |end| format!(" to return at {}, but it is", show::time(end)));
        Stop::fail(format!("{} is{due} still blocked at {}", waiting.call.name, show::time(self.machine.now())))
    }

    /// The next packet that the socket under test sends by `limit`.
    fn next_sent(&mut self, limit: Nanos) -> Result<Option<Sent>, Stop> {
        loop {
            let (outbox, ours) = self.machine.outbox();
            outbox.retain(|sent| Some(sent.flow) == ours);
            if let Some(sent) = outbox.pop_front() {
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
        let limit = window.to.max(self.machine.now()) + window.tolerance;
        self.finish_run(limit)?;
        let time = match when {
            When::Any => String::new(),
            _ if window.from == window.to => format!(" at {}", show::time(window.from)),
            _ => format!(" at {} to {}", show::time(window.from), show::time(window.to)),
        };
        let expected = format!("expected {}{time}", show::packet(packet, tcp));
        let Some(first) = self.next_sent(limit)? else {
            let then = match self.next_sent(limit + self.machine.patience())? {
                Some(late) => {
                    let shown = show::segment(&self.numbers_of(late.flow).leaving(&late.tcp));
                    let at = show::time(late.at);
                    format!("nothing left until {at}: > {shown}")
                }
                None => format!("nothing left until {}", show::time(limit + self.machine.patience())),
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
        if let Some(numbers) = self.machine.numbers(first.flow) {
            numbers.learn(tcp, &first.tcp);
        }
        let (packet, tcp, parts) = (packet.clone(), tcp.clone(), vec![first]);
        self.run = Some(SplitPacket { at: self.at, packet, tcp, expected, parts });
        self.extend_run(self.machine.now())?;
        // A pacing endpoint spreads segments that a kernel hands to its pacing queue at once. The next event waits for
        // the rest.
        let whole = self.run.as_ref().is_none_or(|run| run.missing() == 0);
        if whole || !self.machine.is_pacing() || timing.is_some() {
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
        while run.missing() > 0 && !self.machine.settings().strict_segments {
            let Some(next) = self.next_sent(limit)? else { break };
            let last = run.parts.last().expect("a run has segments");
            if !expect::continues(last, &next) || next.tcp.len > run.missing() {
                self.machine.outbox().0.push_front(next);
                break;
            }
            run.parts.push(next);
        }
        self.run = Some(run);
        Ok(())
    }

    /// Compares the present packet with the expected one; `timing` describes an error of its time.
    fn judge_run(&mut self, timing: Option<String>) -> Result<(), Stop> {
        let Some(SplitPacket { packet, tcp, expected, parts, .. }) = self.run.take() else { return Ok(()) };
        let whole = expect::join(&parts).expect("a run has segments");
        let numbers = self.numbers_of(whole.flow);
        let mut wrong: Vec<String> = timing.into_iter().collect();
        let several = parts.len() > 1 || self.machine.is_cut_by_kernel(&whole);
        let ways = (several, self.machine.has_exact_options());
        wrong.extend(expect::differences(&packet, &tcp, &whole, &numbers, self.machine.settings(), ways));
        if wrong.is_empty() {
            return Ok(());
        }
        let (shown, at) = (show::segment(&numbers.leaving(&whole.tcp)), show::time(whole.at));
        Stop::fail(format!("{expected}; > {shown} left at {at}: {}", wrong.join(", ")))
    }

    fn numbers_of(&mut self, flow: FlowId) -> Numbers {
        self.machine.numbers(flow).cloned().unwrap_or_default()
    }
}
