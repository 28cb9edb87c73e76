//! The path to the peer and the device at its beginning: MTUs, routes, and ICMP messages.

use crate::ast::Icmp;
use crate::settings::IpVersion;
use crate::simulated::host::Host;
use crate::simulated::socket::Socket;
use crate::simulated::sysctl::Route;
use crate::verdict::Stop;
use ackclock_tcp::{Endpoint, Icmp as Message, State};

impl Host {
    /// MTU of the route to the peer, bytes of an IPv4 packet.
    pub fn route_mtu(&self) -> u32 {
        let mss = self.settings.mss();
        self.sysctls.route.mtu.map_or(mss, |mtu| (mtu + mss).saturating_sub(self.settings.mtu).max(48)) + 40
    }

    /// Tells a new connection of Linux what is known of its path.
    pub fn tell_path(&self, endpoint: &mut Endpoint) {
        let told = self.path_mtu.unwrap_or(u32::MAX);
        let route = self.sysctls.route;
        if told < endpoint.info(self.now).pmtu || route != Route::default() {
            endpoint.set_path_mtu(told.min(self.route_mtu()));
        }
        if let Some(search) = self.sysctls.path_search() {
            endpoint.search_path_mtu(search);
        }
    }

    /// Tells all connections of the route that a command has changed.
    pub fn follow_route(&mut self) {
        let mtu = self.route_mtu();
        for connection in self.sockets.iter_mut().filter_map(Socket::connection_mut) {
            connection.endpoint.change_path_mtu(mtu);
        }
    }

    /// Tells all connections which segments carry the option of Accurate ECN from now on.
    pub fn follow_accecn_options(&mut self) {
        let Some(options) = self.sysctls.accecn_options else { return };
        for connection in self.sockets.iter_mut().filter_map(Socket::connection_mut) {
            connection.endpoint.set_accecn_options(options);
        }
    }

    /// Tells all connections whether the device refuses packets.
    pub fn follow_device(&mut self) {
        let refuses = self.sysctls.device_refuses;
        for connection in self.sockets.iter_mut().filter_map(Socket::connection_mut) {
            connection.endpoint.set_device_refuses(refuses);
        }
    }

    /// Delivers an ICMP message of the script.
    pub fn arrive_icmp(&mut self, icmp: &Icmp) -> Result<(), Stop> {
        let now = self.now;
        let version = self.settings.ip_version;
        let freebsd = self.is_freebsd();
        let Some(id) = self.under_test else { return Stop::fail("no socket that the ICMP message could concern") };
        let Some(connection) = self.sockets[id].connection_mut() else {
            if freebsd {
                // Neither a connection nor an entry of the SYN cache (sys/netinet/tcp_subr.c, tcp_ctlinput_with_port).
                return Ok(());
            }
            return Stop::fail("no connection that the ICMP message could concern");
        };
        let before = connection.endpoint.state();
        let seq = icmp.echoed.map_or(0, |(seq, _)| seq);
        let Some(message) = crate::simulated::stack::message(icmp, version, seq, freebsd)? else { return Ok(()) };
        if freebsd && before == State::SynSent && version != IpVersion::V6 && is_large(message) {
            return Ok(());
        }
        if icmp.echoed.is_some() && !connection.endpoint.is_outstanding(seq) {
            return Ok(());
        }
        let progress = connection.endpoint.on_icmp(now, message, &mut ());
        if matches!(message, Message::FragmentationNeeded { .. }) {
            self.path_mtu = Some(connection.endpoint.info(now).pmtu);
        }
        self.note(id, progress, before);
        self.drain();
        Ok(())
    }
}

/// Whether a path MTU is at least what FreeBSD assumes for IPv4 before the peer has stated its segment size (sys/netinet/
/// tcp_subr.c, tcp_ctlinput_with_port; net.inet.tcp.mssdflt = 536). With IPv6 the host cache takes any path MTU.
fn is_large(message: Message) -> bool {
    matches!(message, Message::FragmentationNeeded { mtu, .. } if mtu >= 576)
}
