//! `setsockopt`, `getsockopt`, `fcntl` and `ioctl`.

use super::{Called, Halt};
use crate::calls::{Answer, Memory, Value, bytes_of_text};
use crate::settings::IpVersion;
use crate::simulated::cookies::Key;
use crate::simulated::host::Host;
use crate::simulated::send_buffer::LEAST;
use crate::simulated::socket::{Options, Role, SocketId};
use crate::simulated::stack::option_bytes;
use crate::simulated::stamps;
use crate::simulated::sysctl::{congestion_control, congestion_control_name};
use crate::symbols::{
    ATMARK, GETFD, GETFL, INQ, IPPROTO_TCP, NONBLOCK, OUTQ, OUTQNSD, RDWR, SET_NONBLOCKING, SETFD, SETFL, SOCK_STREAM,
    SPACE, STAMP_SOFTWARE, TO_WRITE, errno_number,
};
use crate::verdict::Stop;
use ackclock_tcp::{MILLISECOND, SECOND};

/// Options that do not affect the connection of a script; their values are stored and returned.
const STORED: &[&str] = &[
    "IP_BIND_ADDRESS_NO_PORT",
    "IP_FREEBIND",
    "IP_LOCAL_PORT_RANGE",
    "IP_TRANSPARENT",
    "IP_MTU_DISCOVER",
    "IP_TOS",
    "IP_TTL",
    "IPV6_UNICAST_HOPS",
    "IPV6_TCLASS",
    "IP_RECVERR",
    "IPV6_RECVERR",
    "IPV6_V6ONLY",
    "SO_BUSY_POLL",
    "SO_DEBUG",
    "SO_INCOMING_CPU",
    "SO_MARK",
    "SO_OOBINLINE",
    "SO_PRIORITY",
    "SO_REUSEADDR",
    "SO_REUSEPORT",
    "SO_TXREHASH",
    "TCP_QUICKACK",
    "TCP_SAVE_SYN",
    "TCP_LINGER2",
];

pub(super) fn setsockopt(host: &mut Host, fd: i64, name: &str, value: &Value, length: i64) -> Called {
    let own = host.base_congestion_control();
    let freebsd = host.is_freebsd();
    let allowed = host.opens_fast();
    let id = host.socket_of(fd)?;
    super::freebsd_options::check_live(host, id, name)?;
    let most_low = most_low(host, id);
    let mss = present_mss(host, id);
    let most_buffer = host.sysctls.receive_max(&host.base);
    let most = host.sysctls.freebsd.most_buffer();
    let socket = &mut host.sockets[id];
    let (connected, listens) = (socket.connection().is_some(), matches!(socket.role, Role::Listening(_)));
    let options = &mut socket.options;
    let number = || value.number();
    let switch = || match value.number()? {
        value @ (0 | 1) => Ok::<bool, Halt>(value == 1),
        _ => Err(Halt::Errno("EINVAL")),
    };
    // The value is a C int.
    let count = || match u32::try_from(value.number()?) {
        Ok(count) => Ok::<u64, Halt>(count.into()),
        Err(_) => Err(Halt::Errno("EINVAL")),
    };
    if freebsd && let Some(called) = super::freebsd_options::set(name, value, options, connected) {
        return called;
    }
    match name {
        // sys/kern/uipc_sockbuf.c, sbsetopt
        "SO_SNDBUF" | "SO_RCVBUF" if freebsd && number()? < 1 => return Err(Halt::Errno("EINVAL")),
        "SO_SNDBUF" | "SO_RCVBUF" if freebsd && count()? > most => return Err(Halt::Errno("ENOBUFS")),
        "SO_SNDBUF" if freebsd => options.send_buffer = Some(count()?),
        "SO_SNDBUF" | "SO_SNDBUFFORCE" => options.send_buffer = Some((2 * count()?).max(LEAST)),
        "SO_RCVBUF" if freebsd => options.receive_buffer = Some(count()?),
        // net/core/sock.c, sk_setsockopt
        "SO_RCVBUF" => options.receive_buffer = Some((2 * count()?.min(most_buffer)).max(2304)),
        "SO_RCVBUFFORCE" => options.receive_buffer = Some((2 * count()?).max(2304)),
        "SO_LINGER" => options.linger = linger(value)?,
        "SO_KEEPALIVE" => options.keepalive = number()? != 0,
        "SO_ZEROCOPY" => options.zerocopy = number()? != 0,
        "SO_TIMESTAMPING" => {
            let flags = number()?;
            if flags & !stamps::KNOWN != 0 || flags != 0 && flags & STAMP_SOFTWARE == 0 {
                return Err(Stop::Unsupported(format!("SO_TIMESTAMPING {flags:#x}")).into());
            }
            options.timestamping = flags;
        }
        "SO_MAX_PACING_RATE" => options.max_pacing_rate = Some(count()?),
        "TCP_NODELAY" => options.no_delay = number()? != 0,
        "TCP_CORK" => options.cork = number()? != 0,
        "TCP_INQ" => options.inq = number()? != 0,
        "TCP_NOPUSH" if freebsd => options.cork = number()? != 0,
        "TCP_MAXSEG" if freebsd => options.max_segment = Some(super::freebsd::max_segment(number()?, mss)?),
        "TCP_MAXSEG" => {
            let mss = number()?;
            if !(88..=32_767).contains(&mss) {
                return Err(Halt::Errno("EINVAL"));
            }
            options.max_segment = Some(mss as u32);
        }
        "TCP_KEEPIDLE" => options.keep_idle = Some(count()? * SECOND),
        "TCP_KEEPINTVL" => options.keep_interval = Some(count()? * SECOND),
        "TCP_KEEPCNT" => options.keep_count = Some(count()? as u32),
        "TCP_FASTOPEN" => options.fast_open = number()?,
        // net/ipv4/tcp.c, do_tcp_setsockopt
        "TCP_FASTOPEN_CONNECT" if !allowed => return Err(Halt::Errno("EOPNOTSUPP")),
        "TCP_FASTOPEN_CONNECT" if connected || listens => return Err(Halt::Errno("EINVAL")),
        "TCP_FASTOPEN_NO_COOKIE" if connected => return Err(Halt::Errno("EINVAL")),
        "TCP_FASTOPEN_CONNECT" => options.fast_open_connect = switch()?,
        "TCP_FASTOPEN_NO_COOKIE" => options.fast_open_no_cookie = switch()?,
        "TCP_FASTOPEN_KEY" => options.fast_open_key = Some(fast_open_key(value, length)?),
        "TCP_KEEPINIT" if freebsd => options.keep_init = Some(count()? * SECOND),
        "TCP_NOOPT" if freebsd => options.no_options = number()? != 0,
        "TCP_MD5SIG" if freebsd && !connected => options.signs = number()? != 0,
        "SO_RCVLOWAT" => {
            let asked = number()?;
            options.receive_low = Some(match u64::try_from(asked) {
                Ok(low) if low > 0 => low.min(most_low),
                // sys/kern/uipc_socket.c, sbsetopt
                _ if freebsd => return Err(Halt::Errno("EINVAL")),
                Ok(_) => 1,
                Err(_) => most_low,
            });
        }
        "TCP_DEFER_ACCEPT" if !freebsd => options.defer_accept = timeouts_within(u64::try_from(number()?).unwrap_or(0)),
        "TCP_SYNCNT" => options.syn_count = Some(count()? as u32),
        "TCP_USER_TIMEOUT" => options.user_timeout = Some(count()? * MILLISECOND).filter(|&timeout| timeout > 0),
        "TCP_NOTSENT_LOWAT" => options.not_sent_low = Some(count()?).filter(|&low| low > 0),
        "TCP_WINDOW_CLAMP" => options.window_clamp = Some(count()?),
        "TCP_CONGESTION" => {
            let Value::Text(name) = value else {
                return Err(Stop::Fail("TCP_CONGESTION takes a name in quotes".to_owned()).into());
            };
            let known = congestion_control_name(name).filter(|_| freebsd);
            congestion_control(known.unwrap_or(name), &own)?;
            options.congestion_control = Some(name.clone());
        }
        _ if STORED.contains(&name) => {
            options.stored.insert(name.to_owned(), number()?);
        }
        _ => return Err(Stop::Unsupported(format!("socket option {name}")).into()),
    }
    take_effect(host, id, name)
}

/// Timeouts of a SYN-ACK, which begin with one second and double, up to two minutes.
const FIRST_TIMEOUT: u64 = 1;
const LAST_TIMEOUT: u64 = 120;

/// Number of timeouts of a SYN-ACK that last `seconds` together (net/ipv4/tcp.c, secs_to_retrans).
fn timeouts_within(seconds: u64) -> u32 {
    let (mut timeout, mut period, mut count) = (FIRST_TIMEOUT, 0, 0);
    while period < seconds && count < u32::from(u8::MAX) {
        period += timeout;
        timeout = (2 * timeout).min(LAST_TIMEOUT);
        count += 1;
    }
    count
}

/// Seconds that `count` timeouts of a SYN-ACK last together (net/ipv4/tcp.c, retrans_to_secs).
fn seconds_of(count: u32) -> u64 {
    let timeouts = std::iter::successors(Some(FIRST_TIMEOUT), |timeout| Some((2 * timeout).min(LAST_TIMEOUT)));
    timeouts.take(count as usize).sum()
}

/// The segment size that TCP_MAXSEG gives, bytes.
fn present_mss(host: &Host, id: SocketId) -> u32 {
    let socket = &host.sockets[id];
    // net.inet.tcp.v6mssdflt and mssdflt; net/ipv4/tcp.c, tcp_init_sock: TCP_MSS_DEFAULT.
    let default = if host.is_freebsd() && host.settings.ip_version == IpVersion::V6 { 1220 } else { 536 };
    let asked = socket.options.max_segment;
    match socket.connection() {
        None => asked.unwrap_or(default),
        Some(connection) if connection.connected => {
            connection.peer_mss + option_bytes(host.base.window_rule, &connection.endpoint, host.now)
        }
        Some(_) => asked.unwrap_or(host.settings.mss()),
    }
}

/// The largest SO_RCVLOWAT of a socket, bytes: with Linux half of the memory that its buffer has or may grow to
/// (net/ipv4/tcp.c, tcp_set_rcvlowat), with FreeBSD the buffer.
fn most_low(host: &Host, id: SocketId) -> u64 {
    let options = &host.sockets[id].options;
    if host.is_freebsd() {
        let buffer = host.sockets[id].connection().map(|connection| connection.endpoint.receive_buffer());
        let default = host.sysctls.freebsd.receive_buffer.unwrap_or(host.base.receive_buffer);
        return buffer.or(options.receive_buffer).unwrap_or(default);
    }
    options.receive_buffer.unwrap_or_else(|| host.sysctls.most_receive_buffer(&host.base)) / 2
}

/// Applies a changed option to an existing connection.
fn take_effect(host: &mut Host, id: SocketId, name: &str) -> Called {
    let now = host.now;
    let keepalive = host.keepalive(&host.sockets[id].options);
    let receive_buffer = host.usable(host.sockets[id].options.receive_buffer.unwrap_or(0));
    let congestion_control = match name {
        "TCP_CONGESTION" => Some(host.congestion_control_of(id)?),
        _ => None,
    };
    let freebsd = host.is_freebsd();
    let keeps = host.keeps_alive(&host.sockets[id].options);
    let socket = &mut host.sockets[id];
    let options = socket.options.clone();
    let Some(connection) = socket.connection_mut() else { return Ok(Answer::Value(0)) };
    match name {
        "TCP_CONGESTION" => {
            if let Some((cc, slow_start)) = congestion_control {
                connection.endpoint.set_congestion_control(now, cc, slow_start);
            }
        }
        "SO_RCVLOWAT" if !freebsd && options.receive_buffer.is_none() => {
            connection.endpoint.widen_receive_buffer(options.low());
        }
        "TCP_MAXSEG" if freebsd && !connection.connected => {}
        "TCP_MAXSEG" if freebsd => {
            connection.endpoint.resize_segments(options.max_segment.unwrap_or(u32::MAX));
            connection.peer_mss = connection.endpoint.info(now).snd_mss.max(1);
        }
        "TCP_MAXSEG" => connection.endpoint.set_max_segment(options.max_segment.unwrap_or(u32::MAX)),
        "SO_SNDBUF" | "SO_SNDBUFFORCE" => connection.send_buffer.fix(options.send_buffer.unwrap_or(LEAST)),
        "SO_RCVBUF" | "SO_RCVBUFFORCE" => {
            connection.endpoint.set_receive_buffer(receive_buffer);
        }
        "TCP_WINDOW_CLAMP" => connection.endpoint.set_window_clamp(options.window_clamp.unwrap_or(u64::MAX)),
        "TCP_QUICKACK" => connection.endpoint.set_quick_ack(options.stored.get(name) != Some(&0)),
        "SO_KEEPALIVE" | "TCP_KEEPIDLE" | "TCP_KEEPINTVL" | "TCP_KEEPCNT" => {
            connection.endpoint.set_keepalive(now, keeps.then_some(keepalive));
        }
        "SO_TIMESTAMPING" => {
            let (acked, written) = (connection.endpoint.acked(), connection.written);
            connection.stamps.set(options.timestamping, acked, written);
        }
        "TCP_SYNCNT" => connection.endpoint.set_syn_retries(options.syn_count.unwrap_or(0)),
        "TCP_NODELAY" => connection.endpoint.set_nagle(!options.no_delay),
        "TCP_CORK" | "TCP_NOPUSH" => connection.endpoint.set_cork(options.cork),
        "TCP_USER_TIMEOUT" => connection.endpoint.set_user_timeout(options.user_timeout.unwrap_or(0)),
        _ => {}
    }
    Ok(Answer::Value(0))
}

/// A key of 16 bytes; with 32, the second half is a key of earlier cookies and is not used.
fn fast_open_key(value: &Value, length: i64) -> Result<Key, Halt> {
    let Value::Text(text) = value else {
        return Err(Stop::Fail("TCP_FASTOPEN_KEY takes a text in quotes".to_owned()).into());
    };
    let bytes = bytes_of_text(text)?;
    let key = bytes.first_chunk().filter(|_| matches!(length, 16 | 32) && bytes.len() as i64 == length);
    key.copied().ok_or(Halt::Errno("EINVAL"))
}

/// The time for which `close` waits, if it waits.
fn linger(value: &Value) -> Result<Option<u64>, Halt> {
    let &Value::Linger(on, time) = value else {
        return Err(Stop::Fail("SO_LINGER takes {onoff=1, linger=0}".to_owned()).into());
    };
    let time = u64::try_from(time).map_err(|_| Halt::Errno("EINVAL"))?;
    Ok((on != 0).then_some(time.saturating_mul(SECOND)))
}

pub(super) fn getsockopt(host: &mut Host, fd: i64, name: &str) -> Called {
    let id = host.socket_of(fd)?;
    super::freebsd_options::check_live(host, id, name)?;
    if name == "TCP_CONGESTION" {
        // The name of the stack's own algorithm is not compared.
        let chosen = host.sockets[id].options.congestion_control.clone();
        return Ok(chosen.map_or(Answer::Value(0), |name| Answer::Filled(0, Memory::Text(name))));
    }
    if name == "SO_LINGER" {
        let (on, time) = host.sockets[id].options.linger.map_or((0, 0), |time| (1, (time / SECOND) as i64));
        // The flag of FreeBSD's socket (sys/kern/uipc_socket.c, sogetopt).
        let on = if host.is_freebsd() { on << 7 } else { on };
        return Ok(Answer::Filled(0, Memory::Fields(vec![("onoff", on), ("linger", time)])));
    }
    if host.is_freebsd() && name == "TCP_FUNCTION_BLK" {
        return Ok(Answer::Filled(0, Memory::Named("freebsd".to_owned())));
    }
    let value = option(host, id, name)?;
    let value = if host.is_freebsd() { super::freebsd_options::flag(name, value) } else { value };
    Ok(Answer::Filled(0, Memory::Number(value)))
}

fn option(host: &mut Host, id: SocketId, name: &str) -> Result<i64, Halt> {
    let keepalive = host.keepalive(&host.sockets[id].options);
    let mss = present_mss(host, id);
    let start = match host.is_freebsd() {
        true => host.sysctls.freebsd.send_buffer(&host.base),
        false => host.sysctls.send_buffer(&host.base)[0],
    };
    let freebsd = host.is_freebsd();
    let keep_init = host.sysctls.freebsd.keep_init.unwrap_or(host.base.connect_timeout);
    let default_buffer = match host.is_freebsd() {
        true => host.sysctls.freebsd.receive_buffer.unwrap_or(host.base.receive_buffer),
        false => host.sysctls.receive_buffer(&host.base),
    };
    let socket = &mut host.sockets[id];
    let actual_buffer = socket.connection().map(|connection| connection.endpoint.receive_buffer());
    if name == "SO_ERROR" {
        let error = socket.connection_mut().and_then(|connection| connection.error.take());
        return Ok(error.and_then(errno_number).unwrap_or(0));
    }
    let limit = socket.connection().map(|connection| connection.send_buffer.limit());
    let listens = matches!(socket.role, Role::Listening(_));
    let options: &Options = &socket.options;
    let limit = limit.or(options.send_buffer).unwrap_or(start);
    Ok(match name {
        "SO_SNDBUF" => limit as i64,
        "SO_RCVBUF" if freebsd => actual_buffer.or(options.receive_buffer).unwrap_or(default_buffer) as i64,
        // Half of a buffer's memory is its window. One that was not set may have grown since.
        "SO_RCVBUF" => {
            options.receive_buffer.unwrap_or(default_buffer.max(actual_buffer.map_or(0, |size| 2 * size))) as i64
        }
        "SO_RCVLOWAT" => options.low() as i64,
        "SO_TYPE" => SOCK_STREAM,
        "SO_PROTOCOL" => IPPROTO_TCP,
        "SO_ACCEPTCONN" => listens.into(),
        "SO_KEEPALIVE" => i64::from(options.keepalive),
        "SO_ZEROCOPY" => i64::from(options.zerocopy),
        "SO_TIMESTAMPING" => options.timestamping,
        "SO_MAX_PACING_RATE" => options.max_pacing_rate.map_or(-1, |rate| rate as i64),
        "TCP_NODELAY" => i64::from(options.no_delay),
        "TCP_CORK" => i64::from(options.cork),
        "TCP_INQ" => i64::from(options.inq),
        "TCP_NOPUSH" if freebsd => i64::from(options.cork),
        "TCP_MAXSEG" => mss.into(),
        "TCP_DEFER_ACCEPT" if !freebsd => seconds_of(options.defer_accept) as i64,
        "TCP_KEEPIDLE" => (keepalive.idle / SECOND) as i64,
        "TCP_KEEPINTVL" => (keepalive.interval / SECOND) as i64,
        "TCP_KEEPCNT" => i64::from(keepalive.probes),
        "TCP_KEEPINIT" if freebsd => (options.keep_init.unwrap_or(keep_init) / SECOND) as i64,
        "TCP_NOOPT" if freebsd => i64::from(options.no_options),
        "TCP_MD5SIG" if freebsd => i64::from(options.signs),
        // FreeBSD gives the flag of its control block (sys/netinet/tcp_var.h, TF_FASTOPEN).
        "TCP_FASTOPEN" if freebsd => i64::from(options.fast_open != 0) << 31,
        "TCP_FASTOPEN" => options.fast_open,
        "TCP_FASTOPEN_CONNECT" => i64::from(options.fast_open_connect),
        "TCP_FASTOPEN_NO_COOKIE" => i64::from(options.fast_open_no_cookie),
        "TCP_USER_TIMEOUT" => (options.user_timeout.unwrap_or(0) / MILLISECOND) as i64,
        "TCP_NOTSENT_LOWAT" => options.not_sent_low.unwrap_or(0) as i64,
        _ => match options.stored.get(name) {
            Some(&stored) => stored,
            None if STORED.contains(&name) || freebsd && super::freebsd_options::is_stored(name) => 0,
            None => return Err(Stop::Unsupported(format!("socket option {name}")).into()),
        },
    })
}

pub(super) fn fcntl(host: &mut Host, fd: i64, command: i64, argument: i64) -> Called {
    let (_, socket) = host.socket_mut(fd)?;
    match command {
        GETFL => return Ok(Answer::Value(RDWR | if socket.nonblocking { NONBLOCK } else { 0 })),
        SETFL => socket.nonblocking = argument & NONBLOCK != 0,
        GETFD | SETFD => {}
        _ => return Err(Stop::Unsupported(format!("fcntl {command:#x}")).into()),
    }
    Ok(Answer::Value(0))
}

/// Runs `ioctl`: SIOCINQ is the number of bytes to read, SIOCOUTQ that of bytes that are not acknowledged, and
/// SIOCOUTQNSD that of bytes that are not sent.
pub(super) fn ioctl(host: &mut Host, fd: i64, request: i64, argument: i64) -> Called {
    let id = host.socket_of(fd)?;
    if request == SET_NONBLOCKING {
        host.sockets[id].nonblocking = argument != 0;
        return Ok(Answer::Value(0));
    }
    let Some(connection) = host.sockets[id].connection() else { return Err(Halt::Errno("EINVAL")) };
    let actual = match request {
        INQ if host.sockets[id].options.takes_urgent_inline() => connection.available(),
        INQ => connection.up_to_mark(),
        ATMARK => connection.is_at_mark().into(),
        OUTQ => connection.queued(),
        OUTQNSD => connection.unsent(),
        // sys/kern/sys_socket.c, soo_ioctl
        TO_WRITE if host.is_freebsd() => connection.queued(),
        SPACE if host.is_freebsd() => connection.send_buffer.limit().saturating_sub(connection.queued()),
        _ => return Err(Stop::Unsupported(format!("ioctl {request:#x}")).into()),
    };
    Ok(Answer::Filled(0, Memory::Number(actual as i64)))
}
