//! Command-line options of packetdrill, from outside or at a script's head.

use crate::verdict::Stop;
use ackclock_tcp::{MILLISECOND, Nanos};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Version of sockets and packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IpVersion {
    /// IPv4.
    V4,
    /// IPv6.
    V6,
    /// IPv4 packets under IPv6 sockets.
    Mapped,
}

/// Values of the options.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `--ip_version`
    pub ip_version: IpVersion,
    /// `--local_ip` and `--remote_ip`, on which only Fast Open cookies depend.
    addresses: [Option<IpAddr>; 2],
    freebsd_addresses: bool,
    /// `--tolerance_usecs`: largest deviation of an event from its time.
    pub tolerance: Nanos,
    /// `--tolerance_percent` of the time since the previous event, if that is more.
    pub tolerance_percent: f64,
    /// `--mtu` of the device.
    pub mtu: u32,
    /// `--mss`: payload of the segments into which a large arriving packet is split; by default that of the device.
    pub arriving_mss: Option<u32>,
    /// `--tcp_ts_tick_usecs`: tick of the endpoint's timestamps, whose values are then compared; 0 for no comparison.
    pub timestamp_tick: Nanos,
    /// `--tcp_ts_ecr_scaled`: an echoed timestamp that no packet carried is computed from the first one.
    pub scaled_echoes: bool,
    /// `--strict_segments`: a packet always matches a single segment.
    pub strict_segments: bool,
    /// `--udp_encapsulation=tcp`: TCP packets travel in UDP datagrams.
    pub tcp_in_udp: bool,
    /// `--tcp_md5_secret`: packets may have signatures.
    pub signatures: bool,
    /// `--non_fatal=syscall`: a call with another result than the script's does not end the script.
    pub lenient_calls: bool,
    /// `--init_scripts`: shell scripts that run first.
    pub init_scripts: Vec<String>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            ip_version: IpVersion::V4,
            addresses: [None, None],
            freebsd_addresses: false,
            tolerance: 4 * MILLISECOND,
            tolerance_percent: 0.0,
            mtu: 1500,
            arriving_mss: None,
            timestamp_tick: 0,
            scaled_echoes: false,
            strict_segments: false,
            tcp_in_udp: false,
            signatures: false,
            lenient_calls: false,
            init_scripts: Vec::new(),
        }
    }
}

/// Options about addresses, ports and output, which have no effect here.
const HARMLESS: &[&str] = &[
    "bind_port",
    "code_command",
    "code_format",
    "connect_port",
    "gateway_ip",
    "local_linux_ip",
    "netmask_ip",
    "persistent_tun_dev",
    "send_omit_free",
    "speed",
    "verbose",
];

impl Settings {
    /// Sets an option.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), Stop> {
        let text = value.unwrap_or_default();
        let wrong = |expected: &str| Stop::Fail(format!("--{name}={text}: expected {expected}"));
        match name {
            "ip_version" => {
                self.ip_version = match text {
                    "ipv4" => IpVersion::V4,
                    "ipv6" => IpVersion::V6,
                    "ipv4-mapped-ipv6" => IpVersion::Mapped,
                    _ => return Err(wrong("ipv4, ipv6 or ipv4-mapped-ipv6")),
                }
            }
            "local_ip" | "remote_ip" => {
                // The peer's may have the length of a prefix, as in 192.0.2.1/24.
                let address = text.split('/').next().unwrap_or_default();
                let address = address.parse().map_err(|_| wrong("an IP address"))?;
                self.addresses[usize::from(name == "remote_ip")] = Some(address);
            }
            "tolerance_usecs" => {
                let micros: u32 = text.parse().map_err(|_| wrong("microseconds"))?;
                self.tolerance = u64::from(micros) * 1000;
            }
            "tolerance_percent" => {
                let percent: f64 = text.parse().map_err(|_| wrong("a percentage"))?;
                if !(0.0..=100.0).contains(&percent) {
                    return Err(wrong("a percentage from 0 to 100"));
                }
                self.tolerance_percent = percent;
            }
            "mtu" => {
                let mtu = text.parse().ok().filter(|mtu| (68..=65_535).contains(mtu));
                self.mtu = mtu.ok_or_else(|| wrong("68 to 65535 bytes"))?;
            }
            "mss" => {
                let mss = text.parse().ok().filter(|mss| (1..=65_535).contains(mss));
                self.arriving_mss = Some(mss.ok_or_else(|| wrong("1 to 65535 bytes"))?);
            }
            "tcp_ts_tick_usecs" => {
                let micros: u32 = text.parse().map_err(|_| wrong("microseconds"))?;
                self.timestamp_tick = u64::from(micros) * 1000;
            }
            "strict_segments" => self.strict_segments = true,
            "udp_encapsulation" if text == "tcp" => self.tcp_in_udp = true,
            "tcp_md5_secret" if !text.is_empty() => self.signatures = true,
            "non_fatal" if text == "syscall" => self.lenient_calls = true,
            "tcp_ts_ecr_scaled" => self.scaled_echoes = true,
            "init_scripts" => self.init_scripts.extend(text.split(',').map(str::to_owned)),
            "code_sockopt" if matches!(text, "" | "TCP_INFO") => {}
            _ if HARMLESS.contains(&name) => {}
            _ => return Stop::unsupported(format!("option --{name}{}{text}", if value.is_some() { "=" } else { "" })),
        }
        Ok(())
    }

    /// Largest TCP payload of a packet without options.
    pub fn mss(&self) -> u32 {
        self.mtu - if self.ip_version == IpVersion::V6 { 60 } else { 40 }
    }

    /// Uses the addresses of FreeBSD's packetdrill.
    pub fn use_freebsd_addresses(&mut self) {
        self.freebsd_addresses = true;
    }

    /// Our address and the peer's; without options those of packetdrill.
    pub fn addresses(&self) -> [IpAddr; 2] {
        let [local, remote]: [IpAddr; 2] = match self.ip_version {
            IpVersion::V6 if self.freebsd_addresses => [
                Ipv6Addr::new(0xfd3d, 0xfa7b, 0xd17d, 0, 0, 0, 0, 1).into(),
                Ipv6Addr::new(0x2001, 0x0db8, 0, 0, 0, 0, 0, 1).into(),
            ],
            IpVersion::V6 => [
                Ipv6Addr::new(0xfd3d, 0x0a0b, 0x17d6, 0, 0, 0, 0, 1).into(),
                Ipv6Addr::new(0xfd3d, 0xfa7b, 0xd17d, 0, 0, 0, 0, 1).into(),
            ],
            IpVersion::V4 | IpVersion::Mapped => {
                [Ipv4Addr::new(192, 168, 0, 1).into(), Ipv4Addr::new(192, 0, 2, 1).into()]
            }
        };
        [self.addresses[0].unwrap_or(local), self.addresses[1].unwrap_or(remote)]
    }

    /// Tolerance of an event that is due this time after the previous one.
    pub fn tolerance(&self, since: Nanos) -> Nanos {
        self.tolerance.max((since as f64 * self.tolerance_percent / 100.0) as Nanos)
    }
}
