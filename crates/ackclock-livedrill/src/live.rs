//! The running kernel as the machine of a script.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use crate::calls;
use crate::device::{Device, Split};
use crate::host::Host;
use crate::packet::{self, Seen, TCP};
use crate::worker::Worker;
use crate::{icmp, info, shell, system};
use ackclock_drill::Outcome;
use ackclock_drill::Stop;
use ackclock_drill::ast::{Action, Body, Event, Icmp, Packet, Tcp};
use ackclock_drill::calls::{Answer, Request};
use ackclock_drill::machine::{FlowId, Machine, Sent, beyond};
use ackclock_drill::settings::Settings;
use ackclock_drill::wire::Numbers;
use ackclock_tcp::{Flags, NEVER, Nanos};

/// Default of `--tolerance_percent`, as in packetdrill: a timer of the kernel may be late by an eighth of its time
/// (Linux kernel/time/timer.c).
const TIMER_WHEEL: f64 = 12.5;

/// Context in which a script runs.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// Folder of the script, in which its commands run.
    pub folder: &'a Path,
    /// Symbols and their values, as with packetdrill's option `-D`.
    pub defines: &'a [(String, String)],
    /// The device file of TUN, which is usually `/dev/net/tun`.
    pub tun: &'a Path,
    /// Time of the kernel's clock for which a late packet is still awaited.
    pub patience: Nanos,
    /// The script starts at a multiple of this time, so that the kernel's timers, whose granularity grows with their
    /// length, are the same in each run; 0 to start at once.
    pub alignment: Nanos,
}

/// Runs the text of a script in a network namespace of its own, which the calling thread enters.
pub fn run(text: &str, context: &Context<'_>) -> Outcome {
    ackclock_drill::run_on(text, context.defines, "Linux", &mut Live::new(context))
}

/// The kernel, with a script above and below it.
pub struct Live {
    folder: PathBuf,
    tun: PathBuf,
    patience: Nanos,
    alignment: Nanos,
    parts: Option<Parts>,
    host: Host,
    outbox: VecDeque<Sent>,
    /// Start of the script on the monotonic clock.
    started: Nanos,
}

/// Parts that exist once the namespace does.
struct Parts {
    device: Device,
    worker: Worker,
}

impl Live {
    fn new(context: &Context<'_>) -> Live {
        let mut settings = Settings::default();
        settings.tolerance_percent = TIMER_WHEEL;
        Live {
            folder: context.folder.to_path_buf(),
            tun: context.tun.to_path_buf(),
            patience: context.patience,
            alignment: context.alignment,
            parts: None,
            host: Host::new(settings),
            outbox: VecDeque::new(),
            started: 0,
        }
    }

    fn parts(&mut self) -> &mut Parts {
        self.parts.as_mut().expect("the script is configured first")
    }

    fn arrive_tcp(&mut self, packet: &Packet, tcp: &Tcp) -> Result<(), Stop> {
        let id = self.host.receiver();
        let passive = self.host.sockets[id].passive;
        self.host.sockets[id].numbers.learn_remote(tcp, passive);
        let live = self.host.sockets[id].numbers.arriving(tcp, &self.host.settings)?;
        let (local, remote) = self.host.ends(id)?;
        let mut payload = packet::tcp(remote, local, &live)?;
        let header = payload.len() - live.len as usize;
        let ip = packet::ip_header(local);
        let mss = self.host.settings.arriving_mss.filter(|&mss| live.len > mss);
        let split =
            mss.map(|mss| Split { mss: mss as u16, ip, headers: ip + header, cwr: live.flags & Flags::CWR.0 != 0 });
        if split.is_some() {
            // The checksum of each segment is still to be computed, from that of the pseudo header.
            let pseudo = !packet::pseudo_header(remote, local, TCP, payload.len()).checksum();
            payload[16..18].copy_from_slice(&pseudo.to_be_bytes());
        }
        let bytes = packet::ip(remote, local, TCP, &packet.ip, &payload)?;
        self.parts().device.deliver(&bytes, split)
    }

    fn arrive_icmp(&mut self, packet: &Packet, icmp: &Icmp) -> Result<(), Stop> {
        let Some(id) = self.host.under_test else { return Stop::fail("no socket that the ICMP message could concern") };
        let (local, remote) = self.host.ends(id)?;
        let seq = self.host.sockets[id].numbers.quoted(icmp.echoed.map_or(0, |(seq, _)| seq));
        let bytes = icmp::message(icmp, local, remote, seq, &packet.ip)?;
        self.parts().device.deliver(&bytes, None)
    }

    /// Reads all packets that have left. Returns whether there were any of a known connection.
    fn collect(&mut self) -> Result<bool, Stop> {
        let mut any = false;
        loop {
            let Some(bytes) = self.parts().device.next()? else { return Ok(any) };
            let seen = packet::read(bytes);
            let at = self.now();
            if let Some((flow, seen)) = seen.and_then(|seen| Some((self.host.flow_of(&seen)?, seen))) {
                let Seen { tcp, ecn, service, hops, .. } = seen;
                self.outbox.push_back(Sent { at, flow, tcp, ecn, service, hops, udp: None, rounded_up: None });
                any = true;
            }
        }
    }
}

impl Machine for Live {
    fn configure(&mut self, options: &[(String, Option<String>)]) -> Result<(), Stop> {
        for (name, value) in options {
            if name != "define" {
                self.host.settings.set(name, value.as_deref())?;
            }
        }
        if self.host.settings.tcp_in_udp {
            return Stop::unsupported("TCP in UDP");
        }
        if self.host.settings.signatures {
            return Stop::unsupported("MD5 signatures");
        }
        system::enter_namespace()?;
        let device = Device::new(&self.tun)?;
        let [local, remote] = self.host.settings.addresses();
        shell::set_up(local, remote, self.host.settings.mtu)?;
        self.parts = Some(Parts { device, worker: Worker::start()? });
        Ok(())
    }

    fn settings(&self) -> &Settings {
        &self.host.settings
    }

    fn beyond(&self, event: &Event) -> Option<String> {
        match &event.action {
            Action::Packet(packet) if packet.udp.is_some() => Some("TCP in UDP".to_owned()),
            Action::Packet(packet) => beyond(packet),
            Action::Call(call) => calls::beyond(call),
            Action::Command(_) | Action::Code(_) => None,
        }
    }

    fn command(&mut self, command: &str) -> Result<(), Stop> {
        shell::run(command, &self.folder)
    }

    fn start(&mut self) -> Result<(), Stop> {
        if self.alignment > 0 {
            let past = system::clock(libc::CLOCK_MONOTONIC) % self.alignment;
            std::thread::sleep(std::time::Duration::from_nanos(self.alignment - past));
        }
        self.host.started_real = system::clock(libc::CLOCK_REALTIME);
        self.started = system::clock(libc::CLOCK_MONOTONIC);
        Ok(())
    }

    fn finish(&mut self, command: Option<&str>) {
        if let (Some(command), Some(_)) = (command, &self.parts) {
            // The verdict stands before the last command, which only tidies up.
            let _ = shell::run(command, &self.folder);
        }
    }

    fn now(&self) -> Nanos {
        system::clock(libc::CLOCK_MONOTONIC) - self.started
    }

    fn step(&mut self, limit: Nanos) -> Result<bool, Stop> {
        loop {
            if self.collect()? {
                return Ok(true);
            }
            let now = self.now();
            if now >= limit {
                return Ok(false);
            }
            let parts = self.parts();
            system::wait([parts.device.descriptor(), parts.worker.descriptor()], limit - now);
            let done = self.parts().worker.has_ended();
            if done {
                return Ok(true);
            }
        }
    }

    fn arrive(&mut self, packet: &Packet) -> Result<(), Stop> {
        match &packet.body {
            Body::Tcp(tcp) => self.arrive_tcp(packet, tcp),
            Body::Icmp(icmp) => self.arrive_icmp(packet, icmp),
            Body::Udp(_) => Stop::unsupported("UDP"),
        }
    }

    fn call(&mut self, request: &Request) -> Result<Answer, Stop> {
        let job = calls::prepare(&mut self.host, request)?;
        self.parts().worker.submit(job)?;
        self.resume(request)
    }

    fn resume(&mut self, request: &Request) -> Result<Answer, Stop> {
        let Some(reply) = self.parts().worker.settle()? else { return Ok(Answer::Blocks(NEVER)) };
        self.collect()?;
        calls::finish(&mut self.host, request, reply)
    }

    fn info(&mut self) -> Result<Vec<(&'static str, u64)>, Stop> {
        let fd = self.host.under_test.and_then(|id| self.host.sockets[id].fd);
        let Some(fd) = fd else { return Ok(Vec::new()) };
        let mut values = info::values(&calls::tcp_info(fd));
        values.extend(info::memory(&calls::memory_info(fd)));
        Ok(values)
    }

    fn outbox(&mut self) -> (&mut VecDeque<Sent>, Option<FlowId>) {
        (&mut self.outbox, self.host.under_test)
    }

    fn numbers(&mut self, flow: FlowId) -> Option<&mut Numbers> {
        self.host.sockets.get_mut(flow).map(|socket| &mut socket.numbers)
    }

    fn has_exact_options(&self) -> bool {
        true
    }

    fn patience(&self) -> Nanos {
        self.patience
    }
}
