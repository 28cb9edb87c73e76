//! Settings of FreeBSD's kernel, as far as they concern an endpoint.

use super::choose_congestion_control;
use crate::simulated::cookies::Key;
use crate::verdict::Stop;
use ackclock_tcp::config::{AccEcnOptions, CwrRule, EcnControl, EcnMode, InitialWindow, Keepalive};
use ackclock_tcp::recovery::Recovery;
use ackclock_tcp::{Config, Flags, MILLISECOND, Nanos, SECOND, Segment};

/// Settings of a script; `None` keeps the stack's own value.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FreeBsd {
    /// net.inet.tcp.rfc1323: neither of window scaling and timestamps, both, the first only or the second only.
    rfc1323: Option<u32>,
    sack: Option<bool>,
    ecn: Option<u8>,
    rexmit_initial: Option<Nanos>,
    rexmit_min: Option<Nanos>,
    rexmit_slop: Option<Nanos>,
    drops_options: Option<bool>,
    /// net.inet.tcp.keepinit
    pub keep_init: Option<Nanos>,
    delayed_ack: Option<Nanos>,
    insecure_rst: Option<bool>,
    insecure_syn: Option<bool>,
    drop_synfin: Option<bool>,
    icmp_may_rst: Option<bool>,
    missing_timestamps: Option<bool>,
    ecn_syn_retries: Option<u32>,
    /// net.inet.tcp.ecn.plusplus, of a patch of 2020.
    ecn_control: Option<EcnControl>,
    time_wait: Option<Nanos>,
    /// net.inet.tcp.finwait2_timeout
    fin_timeout: Option<Nanos>,
    /// Name in ackclock of net.inet.tcp.cc.algorithm.
    congestion_control: Option<&'static str>,
    /// net.inet.tcp.cc.abe
    abe: Option<bool>,
    /// net.inet.tcp.do_prr, do_prr_conservative
    proportional: [Option<bool>; 2],
    /// net.inet.tcp.sack.revised, before FreeBSD 14 rfc6675_pipe
    revised_sack: Option<bool>,
    /// net.inet.tcp.recvbuf_auto=0, sendbuf_auto=0: buffers do not grow.
    fixed_buffers: [bool; 2],
    /// net.inet.tcp.rfc3042
    limited_transmit: Option<bool>,
    /// net.inet.tcp.delayed_ack
    delays_acks: Option<bool>,
    /// net.inet.tcp.udp_tunneling_port, on which TCP in UDP arrives.
    pub tunnel_port: Option<u16>,
    /// net.inet.tcp.blackhole
    blackhole: u32,
    /// net.inet.tcp.initcwnd_segments
    initial_window: Option<u32>,
    /// kern.ipc.maxsockbuf, bytes; it determines the window scale.
    largest_buffer: Option<u64>,
    /// net.inet.tcp.recvspace, bytes.
    pub receive_buffer: Option<u64>,
    /// net.inet.tcp.sendspace, bytes.
    send_buffer: Option<u64>,
    /// net.inet.tcp.keepidle, keepintvl
    pub keepalive: [Option<Nanos>; 2],
    /// net.inet.tcp.keepcnt
    pub keepalive_probes: Option<u32>,
    /// net.inet.tcp.always_keepalive
    pub always_keepalive: Option<bool>,
    /// net.inet.tcp.fast_finwait2_recycle: finwait2_timeout counts instead of the keep-alive times.
    hurries_fin_wait: bool,
    /// net.inet.tcp.retries
    retries: Option<u32>,
    /// net.inet.tcp.syncache.rexmtlimit
    syn_ack_retries: Option<u32>,
    /// net.inet.tcp.persmin, persmax
    persist: [Option<Nanos>; 2],
    /// net.inet.tcp.fastopen.client_enable
    pub fast_open_client: Option<bool>,
    /// net.inet.tcp.fastopen.server_enable
    pub fast_open_server: bool,
    /// net.inet.tcp.fastopen.setkey
    pub fast_open_key: Option<Key>,
}

/// Number of SYN retransmissions from which on net.inet.tcp.rexmit_drop_options drops options
/// (sys/netinet/tcp_timer.c, tcp_timer_rexmt).
const DROPS_OPTIONS_AFTER: u32 = 3;

/// net.inet.tcp.finwait2_timeout
const DEFAULT_FIN_TIMEOUT: Nanos = 60 * SECOND;

/// Settings that have no effect on a single connection without other load.
const HARMLESS: &[&str] = &[
    "kern.ipc.soacceptqueue",
    "kern.ipc.somaxconn",
    "net.inet.icmp.icmplim",
    "net.inet.tcp.bind_all_fibs",
    "net.inet.tcp.do_tcpdrain",
    "net.inet.tcp.drop",
    "net.inet.tcp.functions_inherit_listen_socket_stack",
    "net.inet.tcp.hostcache.cachelimit",
    "net.inet.tcp.hostcache.enable",
    "net.inet.tcp.hostcache.expire",
    "net.inet.tcp.hostcache.prune",
    "net.inet.tcp.hostcache.purge",
    "net.inet.tcp.hostcache.purgenow",
    "net.inet.tcp.log_debug",
    "net.inet.tcp.isn_reseed_interval",
    "net.inet.tcp.log_in_vain",
    "net.inet.tcp.nolocaltimewait",
    "net.inet.tcp.per_cpu_timers",
    "net.inet.tcp.require_unique_port",
    "net.inet.tcp.soreceive_stream",
    "net.inet.tcp.syncache.rst_on_sock_fail",
    "net.inet.tcp.syncache.see_other",
    "net.inet.tcp.syncookies",
    "net.inet.tcp.ts_offset_per_conn",
    "net.inet.tcp.tso",
    // The device's MTU is that of the packets in the tunnel.
    "net.inet.tcp.udp_tunneling_overhead",
];

/// Settings that have an effect only with other values than these, which are the defaults.
const OFF: &[(&str, &str)] = &[
    ("kern.ipc.sockbuf_waste_factor", "8"),
    ("net.inet.ip.ttl", "64"),
    ("net.inet.tcp.abc_l_var", "2"),
    ("net.inet.tcp.ack_war_cnt", "5"),
    ("net.inet.tcp.ack_war_timewindow", "1000"),
    ("net.inet.tcp.blackhole_local", "0"),
    ("net.inet.tcp.cc.abe_frlossreduce", "0"),
    ("net.inet.tcp.cc.htcp.adaptive_backoff", "0"),
    ("net.inet.tcp.cc.htcp.rtt_scaling", "0"),
    ("net.inet.tcp.cc.newreno.beta", "50"),
    ("net.inet.tcp.cc.newreno.beta_ecn", "80"),
    ("net.inet.tcp.cc.vegas.alpha", "1"),
    ("net.inet.tcp.cc.vegas.beta", "3"),
    ("net.inet.tcp.do_lrd", "0"),
    ("net.inet.tcp.fastopen.acceptany", "0"),
    ("net.inet.tcp.fastopen.path_disable_time", "900"),
    ("net.inet.tcp.fastopen.psk_enable", "0"),
    ("net.inet.tcp.functions_default", "freebsd"),
    ("net.inet.tcp.insecure_ack", "0"),
    ("net.inet.tcp.maxunacktime", "0"),
    ("net.inet.tcp.minmss", "216"),
    ("net.inet.tcp.mssdflt", "536"),
    ("net.inet.tcp.newcwv", "0"),
    ("net.inet.tcp.path_mtu_discovery", "1"),
    ("net.inet.tcp.pmtud_blackhole_detection", "0"),
    ("net.inet.tcp.pmtud_blackhole_mss", "1200"),
    ("net.inet.tcp.reass.maxqueuelen", "100"),
    ("net.inet.tcp.recvbuf_max", "2097152"),
    ("net.inet.tcp.rfc3390", "1"),
    ("net.inet.tcp.rfc3465", "1"),
    ("net.inet.tcp.sack.globalmaxholes", "65536"),
    ("net.inet.tcp.sack.lrd", "1"),
    ("net.inet.tcp.sack.maxholes", "128"),
    ("net.inet.tcp.sendbuf_auto_lowat", "0"),
    ("net.inet.tcp.sendbuf_inc", "8192"),
    ("net.inet.tcp.sendbuf_max", "2097152"),
    ("net.inet.tcp.syncookies_only", "0"),
    ("net.inet.tcp.v6mssdflt", "1220"),
    ("net.inet.tcp.v6pmtud_blackhole_mss", "1220"),
    ("net.inet6.ip6.hlim", "64"),
];

/// Congestion control modules of FreeBSD, and their names in ackclock.
const CONGESTION_CONTROLS: &[(&str, &str)] =
    &[("cubic", "cubic"), ("htcp", "htcp"), ("newreno", "reno"), ("vegas", "vegas")];

/// The name in ackclock of the congestion control module that FreeBSD calls `name`.
pub fn congestion_control_name(name: &str) -> Option<&'static str> {
    CONGESTION_CONTROLS.iter().find(|(theirs, _)| *theirs == name).map(|(_, ours)| *ours)
}

/// Bytes of an mbuf and of a cluster (MSIZE, MCLBYTES).
const MBUF: u64 = 256;
const CLUSTER: u64 = 2048;

/// kern.ipc.maxsockbuf, bytes.
const DEFAULT_LARGEST_BUFFER: u64 = 2 << 20;

/// The part of a buffer's memory that holds payload (sys/kern/uipc_sockbuf.c, sysctl_handle_sb_max).
fn usable(memory: u64) -> u64 {
    memory * CLUSTER / (CLUSTER + MBUF)
}

impl FreeBsd {
    /// Whether settings differ that a connection continues to read, apart from those of [`Endpoint::set_rules`].
    /// `connecting` is whether the handshake is not complete. All others are read when a connection begins.
    ///
    /// [`Endpoint::set_rules`]: ackclock_tcp::Endpoint::set_rules
    pub fn changes_connections(&self, earlier: &FreeBsd, connecting: bool) -> bool {
        let read = |settings: &FreeBsd| {
            let initial = settings.rexmit_initial.filter(|_| connecting);
            let keep = (settings.keepalive, settings.keepalive_probes);
            (settings.rexmit_slop, settings.delayed_ack, initial, keep)
        };
        read(self) != read(earlier)
    }

    /// Whether a segment to a closed port gets no RST (sys/netinet/tcp_input.c, tcp_input_with_port).
    pub fn is_swallowed(&self, segment: &Segment) -> bool {
        self.blackhole == 2 || self.blackhole == 1 && segment.flags.has(Flags::SYN)
    }

    /// Largest buffer that a socket may have, bytes (sys/kern/uipc_sockbuf.c, sb_max_adj).
    pub fn most_buffer(&self) -> u64 {
        usable(self.largest_buffer.unwrap_or(DEFAULT_LARGEST_BUFFER))
    }

    /// Initial send buffer of a socket, bytes.
    pub fn send_buffer(&self, base: &Config) -> u64 {
        self.send_buffer.unwrap_or(base.send_buffer)
    }

    /// Maximum size to which a send buffer may grow, bytes.
    pub fn send_max(&self, base: &Config) -> u64 {
        if self.fixed_buffers[1] { self.send_buffer(base) } else { base.send_buffer_max }
    }

    /// Time in FIN-WAIT-2 of a connection that no application reads, where it is not the stack's own (sys/netinet/tcp_timer.c,
    /// tcp_timer_2msl): the times `keeping` of keep-alive count, unless a setting says otherwise.
    pub fn fin_wait(&self, keeping: Keepalive, base: &Config) -> Option<Nanos> {
        if self.hurries_fin_wait {
            return self.fin_timeout.or(Some(DEFAULT_FIN_TIMEOUT));
        }
        (base.keepalive != Some(keeping)).then(|| u64::from(keeping.probes + 1) * keeping.interval)
    }

    /// Applies a setting. Returns whether the setting is FreeBSD's.
    pub fn set(&mut self, name: &str, value: &str) -> Result<bool, Stop> {
        let number = || match value.parse::<u32>() {
            Ok(number) => Ok(number),
            Err(_) => Stop::fail(format!("sysctl {name}={value}: expected a whole number")),
        };
        let switch = || number().map(|number| Some(number != 0));
        let bytes = || number().map(|number| Some(u64::from(number)));
        let millis = || number().map(|millis| Some(u64::from(millis) * MILLISECOND));
        match name {
            "kern.ipc.maxsockbuf" => self.largest_buffer = bytes()?,
            "net.inet.tcp.rfc1323" => match number()? {
                mode @ 0..=3 => self.rfc1323 = Some(mode),
                _ => return Ok(false),
            },
            "net.inet.tcp.sack.enable" => self.sack = switch()?,
            "net.inet.tcp.ecn.enable" => self.ecn = u8::try_from(number()?).ok().or(Some(u8::MAX)),
            "net.inet.tcp.rexmit_initial" => self.rexmit_initial = millis()?,
            "net.inet.tcp.rexmit_min" => self.rexmit_min = millis()?,
            "net.inet.tcp.rexmit_slop" => self.rexmit_slop = millis()?,
            "net.inet.tcp.rexmit_drop_options" => self.drops_options = switch()?,
            "net.inet.tcp.keepinit" => self.keep_init = millis()?,
            "net.inet.tcp.keepidle" => self.keepalive[0] = millis()?,
            "net.inet.tcp.keepintvl" => self.keepalive[1] = millis()?,
            "net.inet.tcp.keepcnt" => self.keepalive_probes = Some(number()?),
            "net.inet.tcp.always_keepalive" => self.always_keepalive = switch()?,
            "net.inet.tcp.fast_finwait2_recycle" => self.hurries_fin_wait = number()? != 0,
            // sys/netinet/tcp_timer.c, sysctl_net_inet_tcp_retries
            "net.inet.tcp.retries" => match number()? {
                count @ 1..=12 => self.retries = Some(count),
                _ => return Ok(false),
            },
            "net.inet.tcp.syncache.rexmtlimit" => self.syn_ack_retries = Some(number()?),
            "net.inet.tcp.persmin" => self.persist[0] = millis()?,
            "net.inet.tcp.persmax" => self.persist[1] = millis()?,
            "net.inet.tcp.delacktime" => self.delayed_ack = millis()?,
            "net.inet.tcp.insecure_rst" => self.insecure_rst = switch()?,
            "net.inet.tcp.insecure_syn" => self.insecure_syn = switch()?,
            "net.inet.tcp.drop_synfin" => self.drop_synfin = switch()?,
            "net.inet.tcp.icmp_may_rst" => self.icmp_may_rst = switch()?,
            "net.inet.tcp.tolerate_missing_ts" => self.missing_timestamps = switch()?,
            "net.inet.tcp.ecn.maxretries" => self.ecn_syn_retries = Some(number()?),
            "net.inet.tcp.ecn.plusplus" => {
                self.ecn_control = Some(match number()? {
                    0 => EcnControl::None,
                    1 => EcnControl::SynAck,
                    2 => EcnControl::All,
                    _ => return Ok(false),
                });
            }
            "net.inet.tcp.msl" => self.time_wait = millis()?.map(|msl| 2 * msl),
            "net.inet.tcp.finwait2_timeout" => self.fin_timeout = millis()?,
            "net.inet.tcp.cc.abe" => self.abe = switch()?,
            "net.inet.tcp.cc.algorithm" => match congestion_control_name(value) {
                Some(ours) => self.congestion_control = Some(ours),
                None => return Ok(false),
            },
            "net.inet.tcp.do_prr" => self.proportional[0] = switch()?,
            "net.inet.tcp.do_prr_conservative" => self.proportional[1] = switch()?,
            "net.inet.tcp.rfc6675_pipe" | "net.inet.tcp.sack.revised" => self.revised_sack = switch()?,
            "net.inet.tcp.recvbuf_auto" => self.fixed_buffers[0] = number()? == 0,
            "net.inet.tcp.sendbuf_auto" => self.fixed_buffers[1] = number()? == 0,
            "net.inet.tcp.rfc3042" => self.limited_transmit = switch()?,
            "net.inet.tcp.delayed_ack" => self.delays_acks = switch()?,
            "net.inet.tcp.blackhole" => match number()? {
                mode @ 0..=2 => self.blackhole = mode,
                _ => return Ok(false),
            },
            // 0 turns the tunnels off.
            "net.inet.tcp.udp_tunneling_port" => match u16::try_from(number()?) {
                Ok(port) => self.tunnel_port = Some(port).filter(|&port| port > 0),
                Err(_) => return Ok(false),
            },
            "net.inet.tcp.initcwnd_segments" => self.initial_window = Some(number()?),
            "net.inet.tcp.recvspace" => self.receive_buffer = bytes()?,
            "net.inet.tcp.sendspace" => self.send_buffer = bytes()?,
            "net.inet.tcp.fastopen.client_enable" => self.fast_open_client = switch()?,
            "net.inet.tcp.fastopen.server_enable" => {
                self.fast_open_server = number()? != 0;
                if !self.fast_open_server {
                    // tcp_fastopen.c, sysctl_net_inet_tcp_fastopen_server_enable: no key is left.
                    self.fast_open_key = None;
                }
            }
            _ if HARMLESS.contains(&name) || OFF.contains(&(name, value)) => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Applies the settings to a stack's configuration.
    /// `passive` is whether the peer opens the connection.
    pub fn apply(&self, config: &mut Config, passive: bool) -> Result<(), Stop> {
        if let Some(mode) = self.rfc1323 {
            (config.window_scaling, config.timestamps) = (matches!(mode, 1 | 2), matches!(mode, 1 | 3));
        }
        config.sack = self.sack.unwrap_or(config.sack);
        if let Some(mode) = self.ecn {
            config.ecn = match mode {
                0 => EcnMode::Off,
                1 => EcnMode::Classic,
                2 => EcnMode::Passive,
                // sys/netinet/tcp_ecn.c, tcp_ecn_output_syn_sent: with 4, only a peer asks for it.
                3 => EcnMode::Accurate,
                4 if passive => EcnMode::Accurate,
                4 => EcnMode::Off,
                _ => return Stop::unsupported(format!("sysctl net.inet.tcp.ecn.enable={mode}")),
            };
        }
        if matches!(self.ecn, Some(3 | 4)) {
            // FreeBSD has the ACE field without the option.
            config.accecn_options = AccEcnOptions::Never;
        }
        if let Some(control) = self.ecn_control {
            // The kernels with this setting sent CWR with the first data after a reduction.
            (config.ecn_control, config.cwr_rule) = (control, CwrRule::AnyData);
        }
        if let Some(segments) = self.initial_window.filter(|&segments| segments > 0) {
            config.initial_window = InitialWindow::Segments(segments);
        }
        config.initial_rto = self.rexmit_initial.unwrap_or(config.initial_rto);
        config.min_rto = self.rexmit_min.unwrap_or(config.min_rto);
        config.rto_slop = self.rexmit_slop.unwrap_or(config.rto_slop);
        if let Some(drops) = self.drops_options {
            config.plain_syn_after = if drops { DROPS_OPTIONS_AFTER } else { 0 };
        }
        config.connect_timeout = self.keep_init.unwrap_or(config.connect_timeout);
        config.delayed_ack = self.delayed_ack.unwrap_or(config.delayed_ack);
        if self.delays_acks == Some(false) {
            config.delayed_ack = 0;
        }
        if let Some(name) = self.congestion_control {
            let own = config.cc.clone();
            choose_congestion_control(config, name, &own)?;
        }
        config.abe = self.abe.unwrap_or(config.abe);
        config.limited_transmit = self.limited_transmit.unwrap_or(config.limited_transmit);
        // Without the revision, there is no rescue retransmission (sys/netinet/tcp_sack.c, tcp_sack_partialack).
        config.rescue = self.revised_sack.unwrap_or(config.rescue);
        config.recovery = match self.proportional {
            [None, None] => config.recovery,
            [Some(false), _] => Recovery::FreeBsd,
            [_, Some(true)] => Recovery::PrrCrb,
            _ => Recovery::PrrSsrb,
        };
        config.syn_retries = self.retries.unwrap_or(config.syn_retries);
        config.data_retries = self.retries.unwrap_or(config.data_retries);
        config.syn_ack_retries = self.syn_ack_retries.unwrap_or(config.syn_ack_retries);
        config.persist_min = self.persist[0].unwrap_or(config.persist_min);
        config.persist_max = self.persist[1].unwrap_or(config.persist_max);
        config.insecure_rst = self.insecure_rst.unwrap_or(config.insecure_rst);
        config.insecure_syn = self.insecure_syn.unwrap_or(config.insecure_syn);
        config.drop_synfin = self.drop_synfin.unwrap_or(config.drop_synfin);
        config.icmp_may_rst = self.icmp_may_rst.unwrap_or(config.icmp_may_rst);
        config.missing_timestamps = self.missing_timestamps.unwrap_or(config.missing_timestamps);
        config.ecn_syn_retries = self.ecn_syn_retries.unwrap_or(config.ecn_syn_retries);
        config.time_wait = self.time_wait.unwrap_or(config.time_wait);
        if let Some(largest) = self.largest_buffer {
            // The scale with which the window field holds the largest buffer (sys/netinet/tcp_usrreq.c, tcp_connect).
            let scale = (0..14).find(|&shift| u64::from(u16::MAX) << shift >= largest).unwrap_or(14);
            config.window_scale = Some(scale);
            config.receive_buffer_max = config.receive_buffer_max.min(usable(largest));
            config.send_buffer_max = config.send_buffer_max.min(usable(largest));
        }
        if let Some(bytes) = self.receive_buffer {
            config.receive_buffer = bytes;
            config.receive_buffer_max = config.receive_buffer_max.max(bytes);
        }
        if self.fixed_buffers[0] {
            config.receive_buffer_max = config.receive_buffer;
        }
        config.send_buffer_max = self.send_max(config);
        Ok(())
    }
}
