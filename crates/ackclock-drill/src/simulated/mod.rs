//! Our endpoint as the machine of a script, in virtual time.

mod arrivals;
mod calls;
mod choices;
mod chrono;
mod cookies;
mod fast_open;
mod host;
mod out_of_band;
mod path;
mod segments;
mod send_buffer;
mod shell;
mod socket;
mod sockstat;
mod stack;
mod stamps;
mod sysctl;
mod urgent;

use std::collections::{BTreeSet, VecDeque};

use self::calls::CallState;
use self::host::{Host, ISS};
use self::shell::Files;
use self::socket::SocketId;
use crate::ast::{Action, Body, Event, Packet, TcpOption};
use crate::calls::{Answer, Request};
use crate::machine::{self, FlowId, Machine, Sent};
use crate::settings::Settings;
use crate::verdict::{Outcome, Stop};
use crate::wire::Numbers;
use crate::{expect, run_on};
use ackclock_tcp::info::EcnUse;
use ackclock_tcp::stack::Stack;
use ackclock_tcp::{Config, Nanos};

/// The feature of TCP_MD5SIG, which needs `--tcp_md5_secret`.
const SIGNATURES: &str = "MD5 signatures";

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

/// Runs the text of a script against an endpoint in virtual time.
pub fn run(text: &str, context: &Context<'_>) -> Outcome {
    let base = (context.stack.config)();
    run_on(text, context.defines, system(context, text), &mut Simulated::new(base, context.files))
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

/// A host with our endpoint.
struct Simulated<'a> {
    host: Host,
    files: &'a Files<'a>,
    /// Sockets whose connections began before a setting changed.
    outdated: BTreeSet<SocketId>,
    /// Progress of the latest call.
    progress: CallState,
}

impl<'a> Simulated<'a> {
    /// A host whose connections start from the configuration `base`; `files` reads the shell scripts.
    fn new(base: Config, files: &'a Files<'a>) -> Simulated<'a> {
        let host = Host::new(base, Settings::default());
        Simulated { host, files, outdated: BTreeSet::new(), progress: CallState::default() }
    }
}

impl Machine for Simulated<'_> {
    fn configure(&mut self, options: &[(String, Option<String>)]) -> Result<(), Stop> {
        self.host.base = choices::configuration(self.host.base.clone(), options)?;
        if self.host.is_freebsd() {
            self.host.settings.use_freebsd_addresses();
        }
        for (name, value) in options {
            if name != "define" && !choices::is_ours(name) {
                self.host.settings.set(name, value.as_deref())?;
            }
        }
        if self.host.settings.tcp_in_udp && !self.host.is_freebsd() {
            return Stop::unsupported("TCP in UDP");
        }
        if self.host.settings.signatures && !self.host.is_freebsd() {
            return Stop::unsupported(SIGNATURES);
        }
        Ok(())
    }

    fn settings(&self) -> &Settings {
        &self.host.settings
    }

    fn beyond(&self, event: &Event) -> Option<String> {
        let what = match &event.action {
            Action::Packet(packet) if packet.udp.is_some() && !self.host.settings.tcp_in_udp => {
                Some("TCP in UDP without --udp_encapsulation=tcp".to_owned())
            }
            Action::Packet(packet) => beyond(packet),
            Action::Call(call) => crate::calls::beyond(call, &beyond_word),
            Action::Command(_) | Action::Code(_) => None,
        };
        what.filter(|what| what != SIGNATURES || !self.host.settings.signatures)
    }

    fn command(&mut self, command: &str) -> Result<(), Stop> {
        if let Some(outcome) = sockstat::run(command, &mut self.host) {
            return outcome;
        }
        let mut before = self.host.sysctls.clone();
        shell::run(command, &mut self.host.sysctls, self.files)?;
        if before.device_refuses != self.host.sysctls.device_refuses {
            before.device_refuses = self.host.sysctls.device_refuses;
            self.host.follow_device();
        }
        if let Some(mtu) = self.host.sysctls.device_mtu {
            self.host.settings.mtu = mtu;
        }
        if before.accecn_options != self.host.sysctls.accecn_options {
            before.accecn_options = self.host.sysctls.accecn_options;
            self.host.follow_accecn_options();
        }
        if before.route != self.host.sysctls.route {
            before.route = self.host.sysctls.route;
            self.host.follow_route();
        }
        let forgets = std::mem::take(&mut self.host.sysctls.forgets_cookies);
        if forgets || self.host.sysctls.freebsd.fast_open_client == Some(false) {
            // Turning Fast Open off empties FreeBSD's cache of cookies.
            self.host.fast_open = Default::default();
        }
        if before != self.host.sysctls {
            let freebsd = self.host.is_freebsd();
            let now = &self.host.sysctls.freebsd;
            let sockets = self.host.sockets.iter().enumerate();
            let live = sockets.filter(|(_, socket)| {
                let connection = socket.connection().filter(|connection| !connection.over);
                connection.is_some_and(|connection| {
                    !freebsd || now.changes_connections(&before.freebsd, !connection.connected)
                })
            });
            self.outdated.extend(live.map(|(id, _)| id));
            if freebsd {
                self.host.apply_rules()?;
            }
        }
        Ok(())
    }

    fn now(&self) -> Nanos {
        self.host.now
    }

    fn step(&mut self, limit: Nanos) -> Result<bool, Stop> {
        self.host.step(limit)
    }

    /// New settings apply to the connections of new sockets. FreeBSD's rules for arriving segments, and the settings that
    /// its connections read only when they begin, are no obstacle.
    fn admit(&mut self, event: &Event) -> Result<(), Stop> {
        let opens = matches!(&event.action, Action::Call(call) if call.name == "socket");
        let outdated = self.host.under_test.is_some_and(|id| self.outdated.contains(&id));
        if outdated && !opens && !matches!(event.action, Action::Command(_)) {
            return Stop::unsupported("settings that change while there is a connection");
        }
        Ok(())
    }

    fn arrive(&mut self, packet: &Packet) -> Result<(), Stop> {
        match &packet.body {
            Body::Tcp(tcp) => self.host.arrive(packet, tcp),
            Body::Icmp(icmp) => self.host.arrive_icmp(icmp),
            Body::Udp(_) => Stop::unsupported("UDP"),
        }
    }

    fn call(&mut self, request: &Request) -> Result<Answer, Stop> {
        self.progress = CallState { started: self.host.now, ..CallState::default() };
        self.resume(request)
    }

    fn resume(&mut self, request: &Request) -> Result<Answer, Stop> {
        calls::attempt(&mut self.host, request, &mut self.progress)
    }

    fn info(&mut self) -> Result<Vec<(&'static str, u64)>, Stop> {
        let (now, freebsd, rule) = (self.host.now, self.host.is_freebsd(), self.host.base.window_rule);
        match self.host.connection_under_test() {
            Some(connection) => {
                let mut values = stack::info(&connection.endpoint, now);
                if freebsd {
                    let option_bytes = stack::option_bytes(rule, &connection.endpoint, now);
                    stack::freebsd_info(&mut values, &connection.endpoint, ISS, option_bytes);
                }
                values.extend(connection.chrono.info(now));
                Ok(values)
            }
            None => self.host.info_without_connection(),
        }
    }

    fn outbox(&mut self) -> (&mut VecDeque<Sent>, Option<FlowId>) {
        (&mut self.host.outbox, self.host.under_test)
    }

    fn numbers(&mut self, flow: FlowId) -> Option<&mut Numbers> {
        self.host.sockets[flow].connection_mut().map(|connection| &mut connection.numbers)
    }

    fn is_pacing(&self) -> bool {
        self.host.sysctls.fair_queue
    }

    /// The kernel splits packets itself for a device without segmentation offload and with Accurate ECN. Scripts then
    /// see segments, with PSH on the last one of each packet.
    fn is_cut_by_kernel(&self, sent: &Sent) -> bool {
        let mut later = self.host.outbox.iter().filter(|later| later.flow == sent.flow);
        let goes_on = later.next().is_some_and(|next| next.at == sent.at && expect::continues(sent, next));
        let connection = self.host.sockets[sent.flow].connection();
        let accurate =
            || connection.is_some_and(|connection| connection.endpoint.info(sent.at).ecn == EcnUse::Accurate);
        goes_on && (self.host.sysctls.no_segmentation || accurate())
    }
}

/// Words in arguments that request unsupported features, and the names of these features.
const BEYOND: &[(&str, &str)] = &[
    ("TCP_AO_ADD_KEY", "authentication (TCP-AO)"),
    ("TCP_MD5SIG", SIGNATURES),
    ("TCP_MD5SIG_EXT", SIGNATURES),
    ("TCP_REPAIR", "TCP_REPAIR"),
    ("TCP_ULP", "TCP_ULP"),
    ("TCP_ZEROCOPY_RECEIVE", "zero-copy receive"),
    ("SO_TIMESTAMP", "SO_TIMESTAMP"),
    ("SO_TIMESTAMPNS", "SO_TIMESTAMPNS"),
    ("SO_MEMINFO", "SO_MEMINFO"),
];

fn beyond_word(word: &str) -> Option<String> {
    BEYOND.iter().find(|(name, _)| *name == word).map(|(_, what)| (*what).to_owned())
}

/// A feature of a packet that is not supported.
fn beyond(packet: &Packet) -> Option<String> {
    let signs = || matches!(&packet.body, Body::Tcp(tcp) if tcp.options.iter().flatten().any(|o| *o == TcpOption::Md5));
    machine::beyond(packet).or_else(|| (!packet.inbound && signs()).then(|| SIGNATURES.to_owned()))
}
