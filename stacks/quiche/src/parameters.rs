//! The parameters of the stack, and the configuration of quiche that follows from them.

use ackclock_transport::{Given, Parameter, Role, Setup};
use quiche::{Config, CongestionControlAlgorithm};

use crate::tls;

/// Smallest datagram that a path of QUIC carries, in bytes (RFC 9000, section 14).
pub(crate) const SMALLEST: u32 = 1200;

/// Largest datagram that quiche sends, in bytes.
const LARGEST: u32 = 16_383;

/// Returns the parameters. Their defaults are those of quiche; for the flow control windows, the number of streams and
/// the idle timeout, which quiche sets to 0, they are those of quiche's own programs.
pub(crate) fn list() -> Vec<Parameter> {
    vec![
        Parameter::choice(
            "cc",
            &[
                ("cubic", "CUBIC (draft-ietf-tcpm-rfc8312bis-02)"),
                ("reno", "NewReno (RFC 9002)"),
                ("bbr2", "BBR version 2, which quiche has from Google's QUIC"),
            ],
            "congestion control",
        ),
        Parameter::choice(
            "hystart",
            &[("on", "slow start ends early when the RTT rises"), ("off", "slow start ends with a loss")],
            "HyStart++ (draft-ietf-tcpm-hystartplusplus-04) of cubic and reno",
        ),
        Parameter::choice(
            "pacing",
            &[("on", "datagrams leave when quiche's pacer says so"), ("off", "datagrams leave at once")],
            "pacing of bbr2; quiche's cubic and reno have none",
        ),
        Parameter::number(
            "initial_window_packets",
            1.0,
            1e6,
            10.0,
            "initial congestion window, in datagrams of `mtu` bytes",
        ),
        Parameter::choice(
            "idle_restart_fix",
            &[("on", "idle time begins with the last ACK"), ("off", "idle time begins with the last datagram sent")],
            "start of the idle time that cubic leaves out of its growth",
        ),
        Parameter::choice(
            "relaxed_loss_threshold",
            &[("off", "thresholds as in `cc`"), ("on", "the time threshold doubles after a spurious loss")],
            "quiche's experiment with the loss detection of bbr2",
        ),
        Parameter::number(
            "mtu",
            SMALLEST.into(),
            LARGEST.into(),
            SMALLEST.into(),
            "largest datagram that is sent, in bytes",
        ),
        Parameter::choice(
            "mtu_discovery",
            &[
                ("off", "all datagrams may have `mtu` bytes"),
                ("on", "probes find out how much of `mtu` the path carries"),
            ],
            "path MTU discovery (RFC 8899)",
        ),
        Parameter::number("initial_rtt", 1e-6, 100.0, 0.333, "RTT that is assumed before the first sample, in s"),
        Parameter::number("stream_receive_window", 1.0, 1e12, 1e6, "initial flow control window of a stream, in bytes"),
        Parameter::number("receive_window", 1.0, 1e12, 1e7, "initial flow control window of the connection, in bytes"),
        Parameter::number(
            "largest_stream_receive_window",
            1.0,
            1e12,
            16.0 * 1024.0 * 1024.0,
            "bound of the flow control window of a stream, which grows if it is read fast, in bytes",
        ),
        Parameter::number(
            "largest_receive_window",
            1.0,
            1e12,
            24.0 * 1024.0 * 1024.0,
            "bound of the flow control window of the connection, which grows if it is read fast, in bytes",
        ),
        Parameter::number(
            "send_capacity",
            0.01,
            1000.0,
            1.0,
            "bytes that streams take beyond what is in flight, as a multiple of the free congestion window",
        ),
        Parameter::number("streams", 1.0, 1e6, 100.0, "streams of each kind that the peer may have open at once"),
        Parameter::number("max_ack_delay", 0.0, 16.383, 0.025, "longest delay of an ACK that the peer is told, in s"),
        Parameter::number(
            "max_idle_timeout",
            0.0,
            1e6,
            30.0,
            "silence after which the connection ends, in s; 0 for no limit",
        ),
    ]
}

/// The configuration of an end.
pub(crate) struct Settings {
    /// Configuration of the connection.
    pub(crate) config: Config,
    /// Largest datagram, in bytes.
    pub(crate) mtu: usize,
    /// Whether the congestion control reduces its window because of losses only.
    pub(crate) reduces: bool,
}

/// Returns the configuration of an end.
///
/// # Errors
/// A message with all parameters that are impossible or do not go together.
pub(crate) fn settings(known: &[Parameter], setup: &Setup<'_>) -> Result<Settings, String> {
    let mut given = Given::new(setup.parameters, known);
    let mtu = given.whole("mtu");
    if setup.datagram < SMALLEST {
        given.refuse(format!(
            "the path carries datagrams of {} bytes; QUIC needs at least {SMALLEST} (RFC 9000, section 14)",
            setup.datagram
        ));
    } else if mtu > u64::from(setup.datagram) && !given.is_on("mtu_discovery") {
        given.refuse(format!("`mtu` is {mtu}; the path carries datagrams of at most {} bytes", setup.datagram));
    }
    let mtu = mtu.min(setup.datagram.into()).max(SMALLEST.into()) as usize;
    let algorithm = match given.name("cc") {
        "reno" => CongestionControlAlgorithm::Reno,
        "bbr2" => CongestionControlAlgorithm::Bbr2Gcongestion,
        _ => CongestionControlAlgorithm::CUBIC,
    };
    let reduces = algorithm != CongestionControlAlgorithm::Bbr2Gcongestion;
    let windows = ["stream_receive_window", "receive_window"].map(|name| {
        let largest = format!("largest_{name}");
        let [first, most] = [given.whole(name), given.whole(&largest)];
        if first > most {
            given.refuse(format!("`{name}` is {first}, and `{largest}` is {most}; it must be at least as large"));
        }
        (first, most)
    });
    let (packets, streams) = (given.whole("initial_window_packets"), given.whole("streams"));
    given.checked()?;

    let create = || {
        let context = tls::context(setup.role).map_err(|error| error.to_string())?;
        let mut config = Config::with_boring_ssl_ctx_builder(quiche::PROTOCOL_VERSION, context)
            .map_err(|error| error.to_string())?;
        config.set_application_protos(&[tls::PROTOCOL]).map_err(|error| error.to_string())?;
        Ok::<_, String>(config)
    };
    let mut config = create().map_err(|error| format!("BoringSSL refuses its configuration: {error}"))?;
    config.verify_peer(setup.role == Role::Client);
    config.set_cc_algorithm(algorithm);
    config.enable_hystart(given.is_on("hystart"));
    config.enable_pacing(given.is_on("pacing"));
    config.set_initial_congestion_window_packets(packets as usize);
    config.set_enable_cubic_idle_restart_fix(given.is_on("idle_restart_fix"));
    config.set_enable_relaxed_loss_threshold(given.is_on("relaxed_loss_threshold"));
    config.set_max_send_udp_payload_size(mtu);
    config.discover_pmtu(given.is_on("mtu_discovery"));
    config.set_initial_rtt(given.seconds("initial_rtt"));
    let [(stream, largest_stream), (connection, largest)] = windows;
    config.set_initial_max_stream_data_bidi_local(stream);
    config.set_initial_max_stream_data_bidi_remote(stream);
    config.set_initial_max_stream_data_uni(stream);
    config.set_initial_max_data(connection);
    config.set_max_stream_window(largest_stream);
    config.set_max_connection_window(largest);
    config.set_send_capacity_factor(given.number("send_capacity"));
    config.set_initial_max_streams_bidi(streams);
    config.set_initial_max_streams_uni(streams);
    config.set_max_ack_delay(given.seconds("max_ack_delay").as_millis() as u64);
    config.set_max_idle_timeout(given.seconds("max_idle_timeout").as_millis() as u64);
    Ok(Settings { config, mtu, reduces })
}
