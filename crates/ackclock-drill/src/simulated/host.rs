//! The host under test: its clock, its connections and the segments that they send.

use std::collections::{BTreeMap, VecDeque};

use crate::ast::TcpOption;
use crate::machine::Sent;
use crate::settings::Settings;
use crate::simulated::chrono::Chrono;
use crate::simulated::cookies::Memory;
use crate::simulated::segments::tcp_of;
use crate::simulated::send_buffer::SendBuffer;
use crate::simulated::socket::{Connection, Epoll, Options, Role, Socket, SocketId, ZeroCopy};
use crate::simulated::stamps::Stamps;
use crate::simulated::sysctl::{Sysctls, choose_congestion_control, congestion_control_name};
use crate::verdict::Stop;
use crate::wire::Numbers;
use ackclock_tcp::cc::Algorithm;
use ackclock_tcp::config::{Conformance, InitialWindow, Keepalive};
use ackclock_tcp::{Config, Endpoint, NEVER, Nanos, Progress, SECOND, Segment, State, slow_start};

/// Initial sequence number of every connection; [`Numbers`] maps the script's own number to it.
pub const ISS: u32 = 0;
/// Time to live of packets by default (Linux net.ipv4.ip_default_ttl, FreeBSD net.inet.ip.ttl).
const HOPS: i64 = 64;
/// Bytes of a signature with its padding (RFC 2385 section 3.0).
const SIGNATURE: u32 = 20;
/// Number of timer expiries at the same time from which the timer is considered stuck.
const MOST_AT_ONCE: u32 = 100_000;

/// Object behind a file descriptor of the script.
pub enum Descriptor {
    /// A socket.
    Socket(SocketId),
    /// An epoll instance.
    Epoll(Epoll),
    /// A file to send from.
    File,
    /// One end of a pipe.
    Pipe(PipeEnd),
}

/// One end of a pipe.
#[derive(Clone, Copy, Debug)]
pub struct PipeEnd {
    /// Index in [`Host::pipes`].
    pub pipe: usize,
    /// Whether this is the end for writing.
    pub writes: bool,
}

/// A segment that a socket with these options sends, in a datagram with these ports.
pub(crate) fn sent(at: Nanos, socket: SocketId, segment: &Segment, options: &Options, udp: Option<(u16, u16)>) -> Sent {
    let stored = |names: [&str; 2]| names.iter().find_map(|&name| options.stored.get(name)).copied();
    let service = stored(["IP_TOS", "IPV6_TCLASS"]).unwrap_or(0) as u8 & !3;
    let hops = stored(["IP_TTL", "IPV6_UNICAST_HOPS"]).unwrap_or(HOPS) as u8;
    let mut tcp = tcp_of(segment);
    if options.signs {
        tcp.options.get_or_insert_default().push(TcpOption::Md5);
    }
    Sent { at, flow: socket, tcp, ecn: segment.ecn as u8, service, hops, udp, rounded_up: None }
}

/// The host under test.
pub struct Host {
    /// Virtual time since the start of the script.
    pub now: Nanos,
    /// Options of the script.
    pub settings: Settings,
    /// The kernel's settings.
    pub sysctls: Sysctls,
    /// All sockets that were ever created.
    pub sockets: Vec<Socket>,
    /// Open descriptors, by their numbers in the script.
    pub fds: BTreeMap<i64, Descriptor>,
    /// Number of bytes in each pipe.
    pub pipes: Vec<u64>,
    /// The socket to which the script's packets belong.
    pub under_test: Option<SocketId>,
    /// Packets that were sent and not yet compared with the script.
    pub outbox: VecDeque<Sent>,
    /// Memory of Fast Open.
    pub fast_open: Memory,
    /// Configuration of connections before settings and socket options.
    pub base: Config,
    /// Path MTU that a router has told, bytes of an IPv4 packet.
    pub path_mtu: Option<u32>,
    at_once: u32,
}

impl Host {
    /// A host whose connections start from the configuration `base`.
    pub fn new(base: Config, settings: Settings) -> Host {
        Host {
            now: 0,
            settings,
            sysctls: Sysctls::default(),
            sockets: Vec::new(),
            fds: BTreeMap::new(),
            pipes: Vec::new(),
            under_test: None,
            outbox: VecDeque::new(),
            fast_open: Memory::default(),
            base,
            path_mtu: None,
            at_once: 0,
        }
    }

    /// The congestion control of the stack under test.
    pub fn base_congestion_control(&self) -> Algorithm {
        self.base.cc.clone()
    }

    /// Creates a socket, to which the script's packets now belong.
    pub fn open(&mut self) -> SocketId {
        self.sockets.push(Socket::new());
        self.under_test = Some(self.sockets.len() - 1);
        self.sockets.len() - 1
    }

    /// Configuration of a connection of a socket with these options.
    fn config(&self, options: &Options, passive: bool) -> Result<Config, Stop> {
        let mut config = self.base.clone();
        config.mss = self.route_mtu() - 40;
        if let Some(offered) = self.sysctls.route.advmss {
            config.mss = offered;
        }
        if let Some(segments) = self.sysctls.route.initial_window {
            config.initial_window = InitialWindow::Segments(segments);
        }
        // The calls of the script keep the send buffer.
        config.send_buffer = 0;
        self.sysctls.apply(&mut config, passive)?;
        // FreeBSD replaces TCP_MAXSEG at the handshake (sys/netinet/tcp_input.c, tcp_mss_update).
        if let Some(mss) = options.max_segment.filter(|_| !self.is_freebsd()) {
            config.mss = config.mss.min(mss);
        }
        self.choose_congestion_control(&mut config, options)?;
        if let Some(buffer) = options.receive_buffer {
            config.receive_buffer = self.usable(buffer);
            config.receive_buffer_max = self.usable(buffer);
            if !self.is_freebsd() {
                // net/ipv4/tcp_minisocks.c, tcp_openreq_init_rwin: a buffer that is set bounds the scale.
                config.window_scale = None;
            }
        }
        if options.no_options {
            config.syn_options = false;
        }
        config.connect_timeout = options.keep_init.unwrap_or(config.connect_timeout);
        if let Some(clamp) = options.window_clamp {
            config.receive_buffer = config.receive_buffer.min(clamp);
            config.receive_buffer_max = config.receive_buffer_max.min(clamp);
        }
        if let Some(low) = options.receive_low.filter(|_| !self.is_freebsd() && options.receive_buffer.is_none()) {
            // net/ipv4/tcp.c, tcp_set_rcvlowat: the buffer holds what is waited for.
            config.receive_buffer = config.receive_buffer.max(low);
            config.receive_buffer_max = config.receive_buffer_max.max(low);
        }
        let keeping = self.keepalive(options);
        let freebsd = self.is_freebsd().then(|| self.sysctls.freebsd.fin_wait(keeping, &self.base)).flatten();
        config.fin_timeout = self.sysctls.fin_timeout.or(freebsd).unwrap_or(config.fin_timeout);
        config.user_timeout = options.user_timeout.unwrap_or(config.user_timeout);
        if let Some(count) = options.syn_count.filter(|_| !passive) {
            config.syn_retries = count;
        }
        config.nagle = !options.no_delay;
        config.keepalive = self.keeps_alive(options).then_some(keeping);
        Ok(config)
    }

    /// Whether idle connections of a socket with these options are probed.
    pub fn keeps_alive(&self, options: &Options) -> bool {
        let always = self.sysctls.freebsd.always_keepalive.unwrap_or(self.base.keepalive.is_some());
        options.keepalive || always
    }

    /// The congestion control that a socket's option chooses, and its slow start.
    pub fn congestion_control_of(&self, id: SocketId) -> Result<(Algorithm, &'static slow_start::Entry), Stop> {
        let mut config = self.base.clone();
        self.sysctls.apply(&mut config, false)?;
        self.choose_congestion_control(&mut config, &self.sockets[id].options)?;
        Ok((config.cc, config.slow_start))
    }

    /// Replaces the congestion control of `config` by the one that a socket's option names.
    fn choose_congestion_control(&self, config: &mut Config, options: &Options) -> Result<(), Stop> {
        let Some(name) = &options.congestion_control else { return Ok(()) };
        let known = congestion_control_name(name).filter(|_| self.is_freebsd());
        choose_congestion_control(config, known.unwrap_or(name), &self.base_congestion_control())
    }

    /// Keep-alive settings of a socket with these options; without a default of the stack, those of Linux.
    pub fn keepalive(&self, options: &Options) -> Keepalive {
        let freebsd = &self.sysctls.freebsd;
        let [time, interval] = [0, 1].map(|which| self.sysctls.keepalive[which].or(freebsd.keepalive[which]));
        let probes = self.sysctls.keepalive_probes.or(freebsd.keepalive_probes);
        let linux = Keepalive { idle: 7200 * SECOND, interval: 75 * SECOND, probes: 9 };
        let default = self.base.keepalive.unwrap_or(linux);
        Keepalive {
            idle: options.keep_idle.or(time).unwrap_or(default.idle),
            interval: options.keep_interval.or(interval).unwrap_or(default.interval),
            probes: options.keep_count.or(probes).unwrap_or(default.probes),
        }
    }

    /// Whether the kernel is FreeBSD rather than Linux.
    pub fn is_freebsd(&self) -> bool {
        self.base.conformance == Conformance::FreeBsd
    }

    /// Part of a receive buffer that holds payload, bytes: half of the value that Linux keeps, because the other half
    /// is overhead, and all of FreeBSD's.
    pub fn usable(&self, buffer: u64) -> u64 {
        if self.is_freebsd() { buffer } else { buffer / 2 }
    }

    /// `tcp_info` of the socket under test, which has no connection; empty without a socket.
    pub fn info_without_connection(&self) -> Result<Vec<(&'static str, u64)>, Stop> {
        let Some(id) = self.under_test else { return Ok(Vec::new()) };
        let listening = matches!(self.sockets[id].role, Role::Listening(_));
        let mut connection = self.connection(id, listening)?;
        if listening {
            connection.endpoint.listen();
        }
        Ok(crate::simulated::stack::info(&connection.endpoint, self.now))
    }

    /// Creates a connection with the options of socket `from`.
    pub fn connection(&self, from: SocketId, passive: bool) -> Result<Box<Connection>, Stop> {
        let options = &self.sockets[from].options;
        let mut endpoint = Endpoint::new(&self.config(options, passive)?, ISS);
        endpoint.push_where_marked();
        endpoint.set_device_refuses(self.sysctls.device_refuses);
        if !self.is_freebsd() {
            self.tell_path(&mut endpoint);
        }
        if options.cork {
            endpoint.set_cork(true);
        }
        endpoint.set_defer_accept(options.defer_accept);
        if !passive && options.stored.get("TCP_QUICKACK") == Some(&0) {
            endpoint.set_quick_ack(false);
        }
        if self.sysctls.insists_on_ecn {
            endpoint.trust_ecn_fields();
        }
        endpoint.set_window_shrinking(self.sysctls.shrinks_window);
        endpoint.count_packets();
        if let Some(server) = passive.then(|| self.fast_open_server(from)).flatten() {
            endpoint.serve_fast_open(server);
        }
        if options.signs {
            endpoint.leave_room(SIGNATURE);
        }
        let mut stamps = Stamps::default();
        stamps.set(options.timestamping, 0, 0);
        Ok(Box::new(Connection {
            endpoint,
            stamps,
            chrono: Chrono::default(),
            parent: passive.then_some(from),
            connected: false,
            connect_pending: false,
            over: false,
            time_wait_since: None,
            peer_closed: false,
            read_shut: false,
            write_shut: false,
            error: None,
            read: 0,
            written: 0,
            urgent: None,
            band: self.is_freebsd().then(Box::default),
            urgent_end: None,
            zerocopy: ZeroCopy::default(),
            send_buffer: self.send_buffer(options),
            numbers: Numbers::default(),
            udp: None,
            peer_mss: self.settings.mss(),
            fast_open: None,
            deferred: false,
            fast_request: false,
            write_pending: false,
        }))
    }

    fn send_buffer(&self, options: &Options) -> SendBuffer {
        if self.is_freebsd() {
            let (start, most) =
                (self.sysctls.freebsd.send_buffer(&self.base), self.sysctls.freebsd.send_max(&self.base));
            return match options.send_buffer {
                Some(limit) => SendBuffer::plain(limit, None),
                None => SendBuffer::plain(start, (start < most).then_some(most)),
            };
        }
        let [start, most] = self.sysctls.send_buffer(&self.base);
        let mut buffer = match options.send_buffer {
            Some(limit) => SendBuffer::new(limit, None),
            None => SendBuffer::new(start, Some(most)),
        };
        buffer.paced = self.sysctls.fair_queue;
        buffer
    }

    /// The connection to which the script's packets belong.
    pub fn connection_under_test(&mut self) -> Option<&mut Connection> {
        self.sockets.get_mut(self.under_test?)?.connection_mut()
    }

    /// Applies FreeBSD's rules for arriving segments to all connections.
    pub fn apply_rules(&mut self) -> Result<(), Stop> {
        let mut config = self.base.clone();
        self.sysctls.apply(&mut config, false)?;
        for connection in self.sockets.iter_mut().filter_map(Socket::connection_mut) {
            connection.endpoint.set_rules(&config);
        }
        Ok(())
    }

    /// Processes the effects of a call to the endpoint of socket `id`.
    pub fn note(&mut self, id: SocketId, progress: Progress, before: State) {
        let now = self.now;
        let freebsd = self.is_freebsd();
        let own_mss = self.settings.mss();
        let socket = &mut self.sockets[id];
        let (mut woken_in, mut woken_out) = (false, false);
        let Role::Connection(connection) = &mut socket.role else { return };
        let mut accepted_by = None;
        if progress.has(Progress::CONNECTED) {
            // A child with data in its SYN is accepted before the handshake ends.
            accepted_by = connection.parent.filter(|_| !connection.connected);
            connection.connected = true;
            woken_out = true;
        }
        if freebsd && connection.read_shut && connection.available() > 0 {
            // sys/netinet/tcp_input.c, tcp_do_segment: what nobody will read is discarded.
            connection.consume(now, connection.available());
        }
        woken_in |= progress.has(Progress::RECEIVED) && connection.is_readable(&socket.options);
        if progress.has(Progress::PEER_CLOSED) {
            connection.peer_closed = true;
            woken_in = true;
        }
        if progress.has(Progress::CLOSED) {
            connection.over = true;
            connection.error = crate::simulated::stack::error(&connection.endpoint, before, freebsd);
            woken_in = true;
            woken_out = true;
        }
        if connection.endpoint.state() == State::TimeWait {
            connection.time_wait_since.get_or_insert(now);
        }
        woken_in |= connection.complete_zerocopy();
        woken_in |= connection.stamps.on_acked(now, connection.endpoint.acked());
        if connection.connected {
            let info = connection.endpoint.info(now);
            connection.peer_mss = info.snd_mss.max(1);
            if let Some(asked) = connection.fast_open.take() {
                self.fast_open.learn(asked, &connection.endpoint, freebsd);
            }
            connection.send_buffer.offered(info.snd_wnd);
            connection.send_buffer.checked = false;
            if progress.has(Progress::CONNECTED) {
                let mss = connection.endpoint.peer_mss().min(own_mss);
                connection.send_buffer.peer_mss = u64::from(mss);
                connection.send_buffer.round(u64::from(mss));
                connection.send_buffer.grow(u64::from(info.snd_cwnd), u64::from(info.snd_mss));
            }
        }
        socket.woken_in += u64::from(woken_in);
        socket.woken_out += u64::from(woken_out);
        if let Some(parent) = accepted_by
            && let Role::Listening(queue) = &mut self.sockets[parent].role
        {
            queue.push_back(id);
            self.sockets[parent].woken_in += 1;
        }
    }

    /// Number of unsent bytes from which a socket accepts no more data (TCP_NOTSENT_LOWAT).
    pub fn not_sent_low(&self, id: SocketId) -> Option<u64> {
        self.sockets[id].options.not_sent_low.or(self.default_low())
    }

    fn default_low(&self) -> Option<u64> {
        self.sysctls.not_sent_low.or((self.base.notsent_lowat > 0).then_some(self.base.notsent_lowat))
    }

    /// Whether `poll` reports a socket as writable.
    pub fn writable(&self, id: SocketId) -> bool {
        let low = self.not_sent_low(id);
        let connection = self.sockets[id].connection();
        connection.is_some_and(|connection| connection.send_buffer.writable(connection.stream(), low))
    }

    /// Sends all segments that may be sent now, and then wakes writers that have room.
    pub fn drain(&mut self) {
        let (low, freebsd) = (self.default_low(), self.is_freebsd());
        for (id, socket) in self.sockets.iter_mut().enumerate() {
            let low = socket.options.not_sent_low.or(low);
            let Role::Connection(connection) = &mut socket.role else { continue };
            let before_sent = connection.endpoint.sent();
            connection.calm(!socket.options.no_delay);
            while let Some(segment) = connection.endpoint.poll_transmit(self.now, &mut ()) {
                let mut packet = sent(self.now, id, &segment, &socket.options, connection.udp);
                connection.point(&mut packet.tcp);
                packet.rounded_up = connection.rounded_up(&segment).filter(|_| freebsd);
                self.outbox.push_back(packet);
            }
            let before = connection.stamps.done.len();
            connection.stamps.on_sent(self.now, connection.endpoint.sent());
            let has_sent = connection.endpoint.sent() > before_sent;
            socket.woken_in += u64::from(connection.stamps.done.len() > before);
            connection.check_send_buffer(self.now);
            if connection.send_buffer.wanted && connection.send_buffer.writable(connection.stream(), low) {
                connection.send_buffer.wanted = false;
                socket.woken_out += 1;
            }
            connection.follow_chrono(self.now, has_sent);
        }
    }

    /// Time of the next timer expiry.
    fn next_timeout(&self) -> Nanos {
        let timeouts = self.sockets.iter().filter_map(Socket::connection).map(|c| c.endpoint.next_timeout());
        timeouts.min().unwrap_or(NEVER)
    }

    /// Advances to the next timer expiry up to `limit` and processes it; otherwise advances to `limit`.
    pub fn step(&mut self, limit: Nanos) -> Result<bool, Stop> {
        let next = self.next_timeout();
        if next > limit {
            self.now = self.now.max(limit);
            return Ok(false);
        }
        self.at_once = if next > self.now { 0 } else { self.at_once + 1 };
        if self.at_once > MOST_AT_ONCE {
            return Stop::fail(format!(
                "a timer of the endpoint expires without end at {}",
                crate::show::time(self.now)
            ));
        }
        self.now = self.now.max(next);
        for id in 0..self.sockets.len() {
            let now = self.now;
            let Some(connection) = self.sockets[id].connection_mut() else { continue };
            if connection.endpoint.next_timeout() <= now {
                let before = connection.endpoint.state();
                let progress = connection.endpoint.on_timeout(now, &mut ());
                self.note(id, progress, before);
            }
        }
        self.drain();
        Ok(true)
    }
}
