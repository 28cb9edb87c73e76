//! Kernel settings, as far as they concern an endpoint.

mod freebsd;

use crate::simulated::cookies::{Key, key_of_sysctl};
use crate::verdict::Stop;
use ackclock_tcp::config::{AccEcnOptions, EcnMode, Restart, WindowRule};
use ackclock_tcp::pacing::Pacing;
use ackclock_tcp::recovery::Recovery;
use ackclock_tcp::{Config, MILLISECOND, Nanos, PathSearch, SECOND, cc, slow_start, stack, validation};
pub use freebsd::{FreeBsd, congestion_control_name};

/// Settings of a script; `None` keeps the stack's own value.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Sysctls {
    /// Whether the device's queue paces.
    pub fair_queue: bool,
    /// Whether the device's queue takes no packets, and says so.
    pub device_refuses: bool,
    /// MTU of the device, if a command has set it, bytes.
    pub device_mtu: Option<u32>,
    /// Whether every connection of a listener is made from a cookie (tcp_syncookies = 2).
    pub always_cookies: bool,
    /// The route to the peer, where a command has set it.
    pub route: Route,
    /// tcp_mtu_probing, and the sizes of its segments.
    mtu_probing: u8,
    base_mss: Option<u32>,
    probe_floor: Option<u32>,
    /// Whether the device does not split large packets.
    pub no_segmentation: bool,
    timestamps: Option<bool>,
    sack: Option<bool>,
    dsack: Option<bool>,
    ecn: Option<u8>,
    /// tcp_ecn_option, which existing connections follow.
    pub accecn_options: Option<AccEcnOptions>,
    congestion_control: Option<String>,
    syn_retries: Option<u32>,
    synack_retries: Option<u32>,
    data_retries: Option<u32>,
    frto: Option<bool>,
    reordering: Option<u32>,
    restart: Option<bool>,
    early_retrans: Option<u8>,
    recovery: Option<u8>,
    hystart: Option<bool>,
    /// tcp_rmem: smallest, default and largest size, bytes.
    receive: Option<[u64; 3]>,
    /// net.core.rmem_max, bytes.
    receive_max: Option<u64>,
    /// tcp_wmem.
    send: Option<[u64; 3]>,
    slow_start_percent: Option<u32>,
    avoidance_percent: Option<u32>,
    rto_min: Option<Nanos>,
    rto_max: Option<Nanos>,
    /// tcp_notsent_lowat
    pub not_sent_low: Option<u64>,
    /// tcp_fin_timeout
    pub fin_timeout: Option<Nanos>,
    /// tcp_window_scaling
    pub window_scaling: Option<bool>,
    /// Whether receive buffers do not grow (tcp_moderate_rcvbuf=0).
    pub fixed_receive_buffer: bool,
    /// tcp_rfc1337
    pub rfc1337: Option<bool>,
    /// tcp_stdurg: whether the urgent pointer is that of the urgent byte, and not of the byte after it.
    pub standard_urgent: bool,
    /// tcp_invalid_ratelimit: the least time between two answers to segments that are not acceptable.
    pub challenge_interval: Option<Nanos>,
    /// tcp_shrink_window: whether the window may shrink.
    pub shrinks_window: bool,
    /// Whether SYNs that are sent again ask for ECN as the first one does, and whether the ECN field of the handshake is not
    /// examined (tcp_ecn_fallback=0).
    pub insists_on_ecn: bool,
    /// tcp_tw_reuse; 1 applies to all addresses.
    pub time_wait_reuse: Option<u8>,
    /// tcp_tw_reuse_delay
    pub time_wait_reuse_delay: Option<Nanos>,
    /// tcp_keepalive_time, tcp_keepalive_intvl
    pub keepalive: [Option<Nanos>; 2],
    /// tcp_keepalive_probes
    pub keepalive_probes: Option<u32>,
    /// tcp_fastopen: flags.
    pub fast_open: Option<u32>,
    /// tcp_fastopen_key
    pub fast_open_key: Option<Key>,
    /// Whether a command has emptied the cache of Fast Open's cookies (`ip tcp_metrics flush`).
    pub forgets_cookies: bool,
    /// Settings of FreeBSD.
    pub freebsd: FreeBsd,
}

/// The settings of a route for connections; `None` leaves the choice to the device and the stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Route {
    /// MTU, bytes.
    pub mtu: Option<u32>,
    /// Segment size to offer, bytes.
    pub advmss: Option<u32>,
    /// Initial window, segments.
    pub initial_window: Option<u32>,
}

/// Settings that have no effect on a single connection without other load.
const HARMLESS: &[&str] = &[
    "net.core.optmem_max",
    "net.core.rmem_default",
    "net.core.wmem_default",
    "net.core.wmem_max",
    "net.core.somaxconn",
    "net.core.netdev_max_backlog",
    "net.core.default_qdisc",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_abort_on_overflow",
    "net.ipv4.tcp_autocorking",
    "net.ipv4.tcp_challenge_ack_limit",
    "net.ipv4.tcp_fack",
    "net.ipv4.tcp_fastopen_blackhole_timeout_sec",
    "net.ipv4.tcp_limit_output_bytes",
    "net.ipv4.tcp_max_reordering",
    "net.ipv4.tcp_max_syn_backlog",
    "net.ipv4.tcp_mem",
    "net.ipv4.tcp_min_tso_segs",
    "net.ipv4.tcp_no_metrics_save",
    "net.ipv4.tcp_tso_rtt_log",
    "net.ipv4.tcp_tso_win_divisor",
    "net.ipv4.tcp_tw_recycle",
    // Sockets of IPPROTO_TCP remain TCP.
    "net.mptcp.enabled",
];

/// Settings that have an effect only with other values than these.
const OFF: &[(&str, &[&str])] = &[
    ("net.ipv4.ip_no_pmtu_disc", &["0"]),
    ("net.ipv4.tcp_ecn_option_beacon", &["3"]),
    ("net.ipv4.tcp_thin_linear_timeouts", &["0"]),
    ("net.ipv4.tcp_thin_dupack", &["0"]),
    ("net.ipv4.tcp_low_latency", &["0"]),
    ("net.ipv4.tcp_adv_win_scale", &["1"]),
    ("net.ipv4.tcp_retries1", &["3"]),
];

impl Sysctls {
    /// Applies the settings of the public suites' common `defaults.sh`, if that file is absent.
    pub fn public_defaults(&mut self) -> Result<(), Stop> {
        for (name, value) in [
            ("tcp_rmem", "4096 540000 15728640"),
            ("tcp_wmem", "4096 262144 4194304"),
            ("tcp_timestamps", "1"),
            ("tcp_syn_retries", "5"),
            ("tcp_synack_retries", "5"),
            ("tcp_frto", "2"),
            ("tcp_sack", "1"),
            ("tcp_dsack", "1"),
            ("tcp_reordering", "3"),
            ("tcp_congestion_control", "cubic"),
            ("tcp_slow_start_after_idle", "0"),
            ("tcp_early_retrans", "4"),
            ("tcp_recovery", "1"),
            ("tcp_ecn", "0"),
            ("tcp_pacing_ss_ratio", "200"),
            ("tcp_pacing_ca_ratio", "120"),
            ("tcp_fastopen", "0x3"),
            ("tcp_fastopen_key", "a1a1a1a1-b2b2b2b2-c3c3c3c3-d4d4d4d4"),
        ] {
            self.set(&format!("net.ipv4.{name}"), value)?;
        }
        (self.fair_queue, self.no_segmentation) = (false, false);
        Ok(())
    }

    /// Applies a setting; its name has dots or slashes, or is a path below /proc/sys.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), Stop> {
        let name = name.trim_start_matches("/proc/sys/").trim_start_matches("/sys/module/").replace('/', ".");
        let value = value.trim().trim_matches('"');
        let wrong = || Stop::Fail(format!("sysctl {name}={value}: expected whole numbers"));
        let number = || value.parse::<u32>().map_err(|_| wrong());
        let small = || value.parse::<u8>().map_err(|_| wrong());
        let seconds = || number().map(|seconds| u64::from(seconds) * SECOND);
        let three = || {
            let numbers: Option<Vec<u64>> = value.split_whitespace().map(|part| part.parse().ok()).collect();
            numbers.and_then(|numbers| <[u64; 3]>::try_from(numbers).ok()).ok_or_else(wrong)
        };
        match name.strip_prefix("net.ipv4.tcp_").unwrap_or_default() {
            "timestamps" => self.timestamps = Some(number()? != 0),
            "syncookies" => self.always_cookies = number()? == 2,
            "mtu_probing" => self.mtu_probing = small()?,
            "base_mss" => self.base_mss = Some(number()?),
            "mtu_probe_floor" => self.probe_floor = Some(number()?),
            "sack" => self.sack = Some(number()? != 0),
            "dsack" => self.dsack = Some(number()? != 0),
            "window_scaling" => self.window_scaling = Some(number()? != 0),
            "moderate_rcvbuf" => self.fixed_receive_buffer = number()? == 0,
            "rfc1337" => self.rfc1337 = Some(number()? != 0),
            "stdurg" => self.standard_urgent = number()? != 0,
            "invalid_ratelimit" => self.challenge_interval = Some(u64::from(number()?) * MILLISECOND),
            "shrink_window" => self.shrinks_window = number()? != 0,
            "ecn_fallback" => self.insists_on_ecn = number()? == 0,
            "ecn" => self.ecn = Some(small()?),
            "ecn_option" => {
                self.accecn_options = Some(match small()? {
                    0 => AccEcnOptions::Never,
                    1 => AccEcnOptions::Minimum,
                    2 => AccEcnOptions::Always,
                    3 => AccEcnOptions::Persistent,
                    _ => return Stop::unsupported(format!("sysctl {name}={value}")),
                });
            }
            "congestion_control" => self.congestion_control = Some(value.to_owned()),
            "syn_retries" => self.syn_retries = Some(number()?),
            "synack_retries" => self.synack_retries = Some(number()?),
            "retries2" => self.data_retries = Some(number()?),
            "frto" => self.frto = Some(number()? != 0),
            "reordering" => self.reordering = Some(number()?.max(1)),
            "slow_start_after_idle" => self.restart = Some(number()? != 0),
            "early_retrans" => self.early_retrans = Some(small()?),
            "recovery" => self.recovery = Some(small()?),
            "rmem" => self.receive = Some(three()?),
            "wmem" => self.send = Some(three()?),
            "pacing_ss_ratio" => self.slow_start_percent = Some(number()?),
            "pacing_ca_ratio" => self.avoidance_percent = Some(number()?),
            "rto_min_us" => self.rto_min = Some(u64::from(number()?) * 1000),
            "rto_max_ms" => self.rto_max = Some(u64::from(number()?) * MILLISECOND),
            "notsent_lowat" => self.not_sent_low = Some(u64::from(number()?)).filter(|&low| low < u64::from(u32::MAX)),
            "fin_timeout" => self.fin_timeout = Some(seconds()?),
            "tw_reuse" => self.time_wait_reuse = Some(small()?),
            "tw_reuse_delay" => self.time_wait_reuse_delay = Some(u64::from(number()?) * MILLISECOND),
            "keepalive_time" => self.keepalive[0] = Some(seconds()?),
            "keepalive_intvl" => self.keepalive[1] = Some(seconds()?),
            "fastopen" => {
                let (digits, radix) = value.strip_prefix("0x").map_or((value, 10), |digits| (digits, 16));
                self.fast_open = Some(u32::from_str_radix(digits, radix).map_err(|_| wrong())?);
            }
            "fastopen_key" => self.fast_open_key = Some(key_of_sysctl(value).ok_or_else(wrong)?),
            "keepalive_probes" => self.keepalive_probes = Some(number()?),
            _ if name == "tcp_cubic.parameters.hystart" => self.hystart = Some(number()? != 0),
            // HyStart uses both of its methods, as by default, or none.
            _ if name == "tcp_cubic.parameters.hystart_detect" && matches!(value, "0" | "3") => {
                self.hystart = Some(number()? != 0);
            }
            _ if name == "net.core.rmem_max" => self.receive_max = Some(value.parse().map_err(|_| wrong())?),
            _ if HARMLESS.contains(&name.as_str()) => {}
            _ if self.freebsd.set(&name, value)? => {}
            _ => match OFF.iter().find(|(known, _)| *known == name) {
                Some((_, values)) if values.contains(&value) => {}
                _ => return Stop::unsupported(format!("sysctl {name}={value}")),
            },
        }
        Ok(())
    }

    /// Parameters of a connection's search for the path's MTU; `None` without a search. The sizes are Linux's own by
    /// default.
    pub fn path_search(&self) -> Option<PathSearch> {
        let (base, floor) = (self.base_mss.unwrap_or(1024), self.probe_floor.unwrap_or(48).max(48));
        (self.mtu_probing > 0).then_some(PathSearch { always: self.mtu_probing > 1, base, floor })
    }

    /// Initial send buffer of a socket, and the largest one by auto-tuning, bytes of memory (Linux: 16 KiB and 4 MiB); twice
    /// the sizes of the configuration, of which 0 means Linux's.
    pub fn send_buffer(&self, base: &Config) -> [u64; 2] {
        let of = |size: u64, linux: u64| if size == 0 { linux } else { size.saturating_mul(2) };
        let sizes = [of(base.send_buffer, 16 << 10), of(base.send_buffer_max, 4 << 20)];
        self.send.map_or(sizes, |[_, start, most]| [start, most])
    }

    /// The largest SO_RCVBUF without a doubling, which is also a bound of the window scale (net.core.rmem_max), bytes: 4 MiB
    /// since Linux 6.17.
    pub fn receive_max(&self, base: &Config) -> u64 {
        self.receive_max.unwrap_or(if base.window_rule == WindowRule::Linux617 { 4 << 20 } else { 212_992 })
    }

    /// Initial receive buffer of a socket of Linux, bytes of memory: twice the window of the configuration.
    pub fn receive_buffer(&self, base: &Config) -> u64 {
        self.receive.map_or(2 * base.receive_buffer, |[_, start, _]| start)
    }

    /// The largest receive buffer of a socket of Linux by auto-tuning, bytes of memory.
    pub fn most_receive_buffer(&self, base: &Config) -> u64 {
        self.receive.map_or(2 * base.receive_buffer_max, |[_, _, most]| most)
    }

    /// Applies the settings to a stack's configuration. `passive` is whether the peer opens the connection.
    pub fn apply(&self, config: &mut Config, passive: bool) -> Result<(), Stop> {
        config.timestamps = self.timestamps.unwrap_or(config.timestamps);
        config.sack = self.sack.unwrap_or(config.sack);
        config.dsack = self.dsack.unwrap_or(config.dsack);
        config.frto = self.frto.unwrap_or(config.frto);
        config.dup_thresh = self.reordering.unwrap_or(config.dup_thresh);
        config.data_retries = self.data_retries.unwrap_or(config.data_retries);
        config.syn_retries = self.syn_retries.unwrap_or(config.syn_retries);
        config.syn_ack_retries = self.synack_retries.unwrap_or(config.syn_ack_retries);
        config.min_rto = self.rto_min.unwrap_or(config.min_rto);
        config.max_rto = self.rto_max.unwrap_or(config.max_rto);
        if let Some(mode) = self.ecn {
            config.ecn = match mode {
                0 => EcnMode::Off,
                1 => EcnMode::Classic,
                2 => EcnMode::Passive,
                3 => EcnMode::Accurate,
                // Linux 7.0: a server accepts Accurate ECN; a client asks for classic ECN, or for none.
                4 | 5 if passive => EcnMode::Accurate,
                4 => EcnMode::Classic,
                5 => EcnMode::Off,
                _ => return Stop::unsupported(format!("sysctl net.ipv4.tcp_ecn={mode}")),
            };
        }
        config.accecn_options = self.accecn_options.unwrap_or(config.accecn_options);
        if let Some(name) = &self.congestion_control {
            let own = config.cc.clone();
            choose_congestion_control(config, name, &own)?;
        }
        if let Some(on) = self.hystart {
            let plain = slow_start::by_name("linux").expect("in the catalogue");
            config.slow_start = if on { slow_start_of(&config.cc) } else { plain };
        }
        if let Some(mode) = self.early_retrans {
            config.tlp = mode >= 3;
        }
        if let Some(mode) = self.recovery {
            config.rack = mode & 1 != 0;
        }
        match self.restart {
            Some(true) => config.restart = Restart::Rfc5681,
            Some(false) => {
                config.restart = Restart::Off;
                config.validation = validation::by_name("linux-kept").expect("in the catalogue");
            }
            None => {}
        }
        if let Some([_, start, most]) = self.receive {
            // Half of the buffer is overhead of the kernel (tcp_adv_win_scale).
            config.receive_buffer = start / 2;
            config.receive_buffer_max = (most / 2).max(start / 2);
            // tcp_select_initial_window
            config.window_scale = Some(scale_of(most.max(self.receive_max(config))));
        }
        config.window_scaling = self.window_scaling.unwrap_or(config.window_scaling);
        config.challenge_interval = self.challenge_interval.unwrap_or(config.challenge_interval);
        config.rfc1337 = self.rfc1337.unwrap_or(config.rfc1337);
        if self.insists_on_ecn {
            config.ecn_syn_retries = MOST_SYNS;
        }
        if self.fixed_receive_buffer {
            // The scale still follows from what a buffer may grow to (tcp_select_initial_window).
            config.window_scale.get_or_insert(scale_of(2 * config.receive_buffer_max));
            config.receive_buffer_max = config.receive_buffer;
        }
        if self.fair_queue {
            config.pacing = Pacing::Fq {
                slow_start_percent: self.slow_start_percent.unwrap_or(200),
                avoidance_percent: self.avoidance_percent.unwrap_or(120),
                quantum: 2 * u64::from(config.mss + 40),
                initial: 10 * u64::from(config.mss + 40),
            };
        } else {
            config.pacing = Pacing::Off;
        }
        self.freebsd.apply(config, passive)?;
        if !config.sack && config.recovery == Recovery::Sack {
            config.recovery = Recovery::NewReno;
        }
        Ok(())
    }
}

/// More SYNs than any attempt to connect has.
const MOST_SYNS: u32 = 127;

/// The window scale of a receive buffer that may have `most` bytes of memory.
fn scale_of(most: u64) -> u8 {
    (0..14).find(|shift| most >> shift <= 0xffff).unwrap_or(14)
}

/// Replaces the congestion control of `config`. Where slow start is Linux's, it follows the congestion control.
pub fn choose_congestion_control(config: &mut Config, name: &str, own: &cc::Algorithm) -> Result<(), Stop> {
    let chosen = congestion_control(name, own)?;
    if chosen.name() != config.cc.name() && matches!(config.slow_start.name, "hystart" | "linux") {
        config.slow_start = slow_start_of(&chosen);
    }
    config.cc = chosen;
    Ok(())
}

/// The slow start of a congestion control in Linux.
fn slow_start_of(cc: &cc::Algorithm) -> &'static slow_start::Entry {
    stack::by_name("linux").expect("in the catalogue").slow_start_of(cc.name())
}

/// A congestion control by its kernel name, in the form of the stack's `own` if that is the same one.
pub fn congestion_control(name: &str, own: &cc::Algorithm) -> Result<cc::Algorithm, Stop> {
    if own.name().strip_suffix("-linux") == Some(name) {
        return Ok(own.clone());
    }
    cc::by_name(name).map(Into::into).ok_or_else(|| Stop::Unsupported(format!("congestion control {name}")))
}
