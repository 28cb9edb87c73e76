//! TCP Fast Open from the view of a kernel: which sockets use it, and the cookies of servers.

use crate::ast::{Tcp, TcpOption};
use crate::cookies::cookie;
use crate::host::Host;
use crate::socket::{Connection, Role, SocketId};
use crate::symbols::MSG_FASTOPEN;
use crate::verdict::Stop;
use ackclock_tcp::fast_open::{Client, FastOpen, Server};

/// Segment size assumed for a server without an earlier connection, bytes (RFC 7413 section 4.1.3).
const DEFAULT_MSS: u32 = 536;

/// Bytes that Linux keeps free for the options of a SYN.
const OPTIONS: u32 = 40;

/// What the host remembers of the server; all connections of a script have the same peer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Memory {
    /// The last valid cookie and the server's segment size with it, bytes of payload.
    cookie: Option<(FastOpen, u32)>,
    /// Whether Fast Open is not used with the server any more, because the server did not grant a cookie.
    disabled: bool,
}

impl Memory {
    /// The options of the next SYN, if Fast Open is used.
    fn client(&self) -> Option<Client> {
        let (option, mss) = self.cookie.unwrap_or((FastOpen::REQUEST, DEFAULT_MSS));
        (!self.disabled).then_some(Client { option, mss })
    }

    /// Takes the server's answer. `forgets` is whether a server that neither accepts the data nor grants a cookie is
    /// not asked again (FreeBSD sys/netinet/tcp_fastopen.c, tcp_fastopen_update_cache).
    pub fn learn(&mut self, connection: &Connection, forgets: bool) {
        let Some(answer) = connection.endpoint.fast_open_answer() else { return };
        let mss = connection.endpoint.peer_mss();
        match answer.option.filter(FastOpen::has_cookie) {
            Some(cookie) => self.cookie = Some((cookie, mss)),
            None => {
                self.disabled |= forgets && answer.acked == 0;
                self.cookie = self.cookie.map(|(cookie, _)| (cookie, mss));
            }
        }
    }
}

impl Host {
    /// Whether a write opens the connection of a socket that has none: a write with MSG_FASTOPEN, or with FreeBSD's
    /// option TCP_FASTOPEN.
    pub fn writes_open(&self, id: SocketId, flags: i64) -> bool {
        flags & MSG_FASTOPEN != 0 || self.is_freebsd() && self.sockets[id].options.fast_open != 0
    }

    /// Gives a socket the connection that a write opens. Returns the number of bytes that the write may queue before the
    /// handshake: FreeBSD queues all, and Linux the data of the SYN, which is none without a cookie (net/ipv4:
    /// tcp_output.c, tcp_send_syn_data).
    pub fn open_by_write(&mut self, id: SocketId) -> Result<u64, Stop> {
        let mut connection = self.connection(id, false)?;
        let allowed = match self.is_freebsd() {
            true => self.sysctls.freebsd.fast_open_client.unwrap_or(true),
            false => self.sysctls.fast_open.unwrap_or(CLIENT) & CLIENT != 0,
        };
        let client = self.fast_open.client().filter(|_| allowed);
        if let Some(client) = client {
            connection.endpoint.use_fast_open(client);
        }
        let own = self.sockets[id].options.max_segment.unwrap_or(u32::MAX).min(self.settings.mss());
        let queued = match client.filter(|client| client.option.has_cookie()) {
            _ if self.is_freebsd() => u64::MAX,
            Some(client) => u64::from(client.mss.min(own).saturating_sub(OPTIONS)),
            None => 0,
        };
        connection.fast_open = client.is_some();
        connection.connect_pending = queued == 0;
        if queued == 0 {
            connection.endpoint.connect(self.now);
        }
        self.sockets[id].role = Role::Connection(connection);
        self.under_test = Some(id);
        Ok(queued)
    }

    /// Whether a SYN asks for a cookie of a server that has no key. Linux draws one, which no script can know.
    pub fn needs_cookies(&self, listener: SocketId, tcp: &Tcp) -> bool {
        let asks = tcp.options.iter().flatten().any(|option| matches!(option, TcpOption::FastOpen { .. }));
        asks && self.fast_open_server(listener).is_some_and(|server| server.cookie.is_none() && !server.without_cookie)
    }

    /// Fast Open of a listener's connections (Linux net.ipv4.tcp_fastopen).
    pub fn fast_open_server(&self, listener: SocketId) -> Option<Server> {
        let flags = self.sysctls.fast_open.unwrap_or(CLIENT);
        let asked = self.sockets[listener].options.fast_open > 0 || flags & ALL_LISTENERS != 0;
        let on = !self.is_freebsd() && flags & SERVER != 0 && asked;
        let key = self.sockets[listener].options.fast_open_key.or(self.sysctls.fast_open_key);
        let [own, peer] = self.settings.addresses();
        let cookie = key.map(|key| FastOpen::new(&cookie(&key, peer, own), false));
        on.then_some(Server { cookie, without_cookie: flags & WITHOUT_COOKIE != 0 })
    }
}

/// Bits of Linux's net.ipv4.tcp_fastopen (Documentation/networking/ip-sysctl.rst).
const CLIENT: u32 = 0x1;
const SERVER: u32 = 0x2;
const WITHOUT_COOKIE: u32 = 0x200;
const ALL_LISTENERS: u32 = 0x400;
