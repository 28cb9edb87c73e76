//! TCP Fast Open from the view of a kernel: which sockets use it, and the cookies of servers.

use crate::ast::{Tcp, TcpOption};
use crate::simulated::cookies::{cookie, freebsd_cookie};
use crate::simulated::host::Host;
use crate::simulated::socket::{Connection, Role, SocketId};
use crate::verdict::Stop;
use ackclock_tcp::fast_open::{Client, FastOpen, Server};

/// Segment size that FreeBSD assumes for a server without an earlier connection, bytes (RFC 7413 section 4.1.3).
const DEFAULT_MSS: u32 = 536;

/// Bytes that Linux keeps free for the options of a SYN.
const OPTIONS: u32 = 40;

impl Host {
    /// Whether connections may use Fast Open (Linux net.ipv4.tcp_fastopen, FreeBSD net.inet.tcp.fastopen.client_enable).
    pub fn opens_fast(&self) -> bool {
        match self.is_freebsd() {
            true => self.sysctls.freebsd.fast_open_client.unwrap_or(true),
            false => self.sysctls.fast_open.unwrap_or(CLIENT) & CLIENT != 0,
        }
    }

    /// The use of Fast Open by the next SYN of a socket, if there is any.
    fn fast_client(&self, id: SocketId) -> Option<Client> {
        if self.is_freebsd() {
            return self.fast_open.client(DEFAULT_MSS, true).filter(|_| self.opens_fast());
        }
        let flags = self.sysctls.fast_open.unwrap_or(CLIENT);
        let options = &self.sockets[id].options;
        let cookies = flags & CLIENT_WITHOUT_COOKIE == 0 && !options.fast_open_no_cookie;
        let own = options.max_segment.unwrap_or(u32::MAX).min(self.settings.mss());
        self.fast_open.client(own, cookies)
    }

    /// Gives a socket the connection that a write of `wanted` bytes opens, and that has no connection or one whose SYN
    /// waits for data. Returns the number of bytes that the write may queue before the handshake: FreeBSD queues all, and
    /// Linux the data of the SYN, which is none without a cookie (net/ipv4: tcp_output.c, tcp_send_syn_data).
    pub fn open_by_write(&mut self, id: SocketId, wanted: u64) -> Result<u64, Stop> {
        let mut connection = self.connection(id, false)?;
        let client = self.fast_client(id);
        if let Some(client) = client {
            connection.endpoint.use_fast_open(client);
        }
        let own = self.sockets[id].options.max_segment.unwrap_or(u32::MAX).min(self.settings.mss());
        let queued = match client.filter(|client| client.option.is_none_or(|option| option.has_cookie())) {
            _ if self.is_freebsd() => u64::MAX,
            Some(client) => u64::from(client.mss.min(own).saturating_sub(OPTIONS)),
            None => 0,
        };
        connection.fast_open = client;
        connection.connect_pending = !self.is_freebsd();
        self.sockets[id].role = Role::Connection(connection);
        self.under_test = Some(id);
        Ok(queued.min(wanted))
    }

    /// Prepares the connection of a socket with Linux's TCP_FASTOPEN_CONNECT, before its SYN. Returns whether the SYN
    /// waits for the first write: it can carry data (net/ipv4/tcp_fastopen.c, tcp_fastopen_defer_connect). Otherwise the
    /// SYN requests a cookie.
    pub fn prepare_fast(&self, id: SocketId, connection: &mut Connection) -> bool {
        let Some(client) = self.fast_client(id) else { return false };
        if client.option.is_none_or(|option| option.has_cookie()) {
            connection.deferred = true;
            return true;
        }
        connection.endpoint.use_fast_open(client);
        connection.fast_open = Some(client);
        connection.fast_request = true;
        false
    }

    /// Whether a SYN asks for a cookie of a server that has no key. A kernel draws one, which no script can know.
    pub fn needs_cookies(&self, listener: SocketId, tcp: &Tcp) -> bool {
        let asks = tcp.options.iter().flatten().any(|option| matches!(option, TcpOption::FastOpen { .. }));
        asks && self.fast_open_server(listener).is_some_and(|server| server.cookie.is_none() && !server.without_cookie)
    }

    /// Fast Open of a listener's connections (Linux net.ipv4.tcp_fastopen, FreeBSD net.inet.tcp.fastopen.server_enable).
    pub fn fast_open_server(&self, listener: SocketId) -> Option<Server> {
        if self.is_freebsd() {
            let freebsd = &self.sysctls.freebsd;
            let [_, peer] = self.settings.addresses();
            let cookie = freebsd.fast_open_key.map(|key| FastOpen::new(&freebsd_cookie(&key, peer), false));
            let on = freebsd.fast_open_server && self.sockets[listener].options.fast_open != 0;
            return on.then_some(Server { cookie, without_cookie: false });
        }
        let flags = self.sysctls.fast_open.unwrap_or(CLIENT);
        let asked = self.sockets[listener].options.fast_open > 0 || flags & ALL_LISTENERS != 0;
        let on = flags & SERVER != 0 && asked;
        let key = self.sockets[listener].options.fast_open_key.or(self.sysctls.fast_open_key);
        let [own, peer] = self.settings.addresses();
        // A server that needs no cookie neither checks nor grants one (net/ipv4/tcp_fastopen.c, tcp_try_fastopen).
        let without_cookie = flags & WITHOUT_COOKIE != 0 || self.sockets[listener].options.fast_open_no_cookie;
        let key = key.filter(|_| !without_cookie);
        let cookie = key.map(|key| FastOpen::new(&cookie(&key, peer, own), false));
        on.then_some(Server { cookie, without_cookie })
    }
}

/// Bits of Linux's net.ipv4.tcp_fastopen (Documentation/networking/ip-sysctl.rst).
const CLIENT: u32 = 0x1;
const SERVER: u32 = 0x2;
const CLIENT_WITHOUT_COOKIE: u32 = 0x4;
const WITHOUT_COOKIE: u32 = 0x200;
const ALL_LISTENERS: u32 = 0x400;
