//! The parameters of the stack, and the configuration of quinn-proto that follows from them.

use std::sync::{Arc, Mutex};

use ackclock_transport::{Given, Parameter, Setup};
use quinn_proto::congestion::{BbrConfig, ControllerFactory, CubicConfig, NewRenoConfig};
use quinn_proto::{AckFrequencyConfig, IdleTimeout, MtuDiscoveryConfig, TransportConfig, VarInt};

use crate::controller::{Factory, Fault, Tally};

/// Smallest datagram that a path of QUIC carries, in bytes (RFC 9000, section 14).
pub(crate) const SMALLEST: u32 = 1200;

/// Largest payload of a UDP datagram over IPv4, in bytes.
const LARGEST: u32 = 65_507;

/// Largest datagram that quinn-proto's path MTU discovery tries by default, in bytes.
const DISCOVERED: u32 = 1452;

/// Returns the parameters. Their defaults are those of quinn-proto, except for path MTU discovery.
pub(crate) fn list() -> Vec<Parameter> {
    vec![
        Parameter::choice(
            "cc",
            &[
                ("cubic", "CUBIC (RFC 8312)"),
                ("newreno", "NewReno (RFC 9002)"),
                ("bbr", "BBR version 1, which quinn-proto calls experimental"),
            ],
            "congestion control",
        ),
        Parameter::number(
            "initial_window",
            0.0,
            1e9,
            0.0,
            "initial congestion window, in bytes; 0 for quinn's own: 12000, and 240000 for bbr",
        ),
        Parameter::number(
            "mtu",
            SMALLEST.into(),
            LARGEST.into(),
            SMALLEST.into(),
            "largest datagram that is sent at first, in bytes",
        ),
        Parameter::choice(
            "mtu_discovery",
            &[
                ("off", "all datagrams keep the size of `mtu`"),
                ("on", "quinn's default: probes find out whether the path carries up to 1452 bytes"),
            ],
            "path MTU discovery (RFC 8899)",
        ),
        Parameter::choice(
            "ecn",
            &[("on", "datagrams leave with ECT(0)"), ("off", "datagrams leave as not ECN-capable")],
            "ECN",
        ),
        Parameter::choice(
            "fault",
            &[
                ("none", "quinn's code as it is"),
                ("double_reduction", "each reduction of the window happens twice"),
                ("no_reduction", "the congestion control learns of neither losses nor ECN marks"),
                ("slow_growth", "the congestion control learns of every second acknowledged packet"),
            ],
            "fault that is planted around quinn's cubic or newreno, to see whether a test finds it",
        ),
        Parameter::number("initial_rtt", 1e-6, 100.0, 0.333, "RTT that is assumed before the first sample, in s"),
        Parameter::number("packet_threshold", 3.0, 1e6, 3.0, "packets that overtake a packet until it is deemed lost"),
        Parameter::number(
            "time_threshold",
            1.0,
            100.0,
            1.125,
            "time after which an overtaken packet is deemed lost, in RTTs",
        ),
        Parameter::number(
            "persistent_congestion",
            1.0,
            1e6,
            3.0,
            "probe timeouts without ACKs until congestion is persistent",
        ),
        Parameter::number("stream_receive_window", 1.0, 1e12, 1_250_000.0, "flow control window of a stream, in bytes"),
        Parameter::number(
            "receive_window",
            0.0,
            1e12,
            0.0,
            "flow control window of the connection, in bytes; 0 for no limit",
        ),
        Parameter::number(
            "send_window",
            1.0,
            1e12,
            10_000_000.0,
            "unacknowledged bytes that all streams keep, in bytes",
        ),
        Parameter::number("streams", 1.0, 1e6, 100.0, "streams of each kind that the peer may have open at once"),
        Parameter::choice(
            "send_fairness",
            &[("on", "streams take turns"), ("off", "a stream is sent as long as it has bytes")],
            "order of streams of equal priority",
        ),
        Parameter::number(
            "max_idle_timeout",
            0.0,
            1e6,
            30.0,
            "silence after which the connection ends, in s; 0 for no limit",
        ),
        Parameter::choice(
            "ack_frequency",
            &[("off", "the peer decides when it sends ACKs"), ("on", "the peer is asked for `ack_threshold`")],
            "ACK frequency extension (draft-ietf-quic-ack-frequency)",
        ),
        Parameter::number(
            "ack_threshold",
            0.0,
            1e6,
            1.0,
            "packets that the peer may receive without an ACK, if `ack_frequency` is on",
        ),
    ]
}

/// The configuration of an end.
pub(crate) struct Settings {
    /// Configuration of the connection.
    pub(crate) transport: TransportConfig,
    /// Whether datagrams are sent as ECN-capable.
    pub(crate) ecn: bool,
    /// Whether path MTU discovery is on.
    pub(crate) discovery: bool,
    /// Whether the congestion control has a slow start, a threshold and recovery.
    pub(crate) has_recovery: bool,
}

/// Returns the configuration of an end.
///
/// # Errors
/// A message with all parameters that are impossible or do not go together.
pub(crate) fn settings(known: &[Parameter], setup: &Setup<'_>, tally: &Arc<Mutex<Tally>>) -> Result<Settings, String> {
    let mut given = Given::new(setup.parameters, known);
    let mtu = given.whole("mtu");
    if setup.datagram < SMALLEST {
        given.refuse(format!(
            "the path carries datagrams of {} bytes; QUIC needs at least {SMALLEST} (RFC 9000, section 14)",
            setup.datagram
        ));
    } else if mtu > u64::from(setup.datagram) {
        given.refuse(format!("`mtu` is {mtu}; the path carries datagrams of at most {} bytes", setup.datagram));
    }
    let fault = match given.name("fault") {
        "double_reduction" => Fault::DoubleReduction,
        "no_reduction" => Fault::NoReduction,
        "slow_growth" => Fault::SlowGrowth,
        _ => Fault::None,
    };
    let cc = given.name("cc").to_owned();
    if cc == "bbr" && fault != Fault::None {
        given.refuse("`fault` needs `cc` cubic or newreno, not bbr".to_owned());
    }

    let mut transport = TransportConfig::default();
    let window = given.whole("initial_window");
    transport.congestion_controller_factory(Arc::new(Factory {
        inner: factory(&cc, window),
        fault,
        shows_rate: cc != "bbr",
        tally: tally.clone(),
    }));
    let mtu = mtu.min(u64::from(LARGEST)) as u16;
    let discovery = given.is_on("mtu_discovery");
    transport.initial_mtu(mtu).enable_segmentation_offload(false);
    transport.mtu_discovery_config(discovery.then(|| {
        let mut config = MtuDiscoveryConfig::default();
        config.upper_bound(DISCOVERED.min(setup.datagram) as u16);
        config
    }));
    transport.initial_rtt(given.seconds("initial_rtt"));
    transport.packet_threshold(given.whole("packet_threshold") as u32);
    transport.time_threshold(given.number("time_threshold") as f32);
    transport.persistent_congestion_threshold(given.whole("persistent_congestion") as u32);
    transport.stream_receive_window(var(given.whole("stream_receive_window")));
    transport.receive_window(match given.whole("receive_window") {
        0 => VarInt::MAX,
        window => var(window),
    });
    transport.send_window(given.whole("send_window"));
    transport.max_concurrent_bidi_streams(var(given.whole("streams")));
    transport.max_concurrent_uni_streams(var(given.whole("streams")));
    transport.send_fairness(given.is_on("send_fairness"));
    let idle = given.seconds("max_idle_timeout");
    transport.max_idle_timeout((!idle.is_zero()).then(|| IdleTimeout::from(var(idle.as_millis() as u64))));
    let threshold = given.whole("ack_threshold");
    transport.ack_frequency_config(given.is_on("ack_frequency").then(|| {
        let mut config = AckFrequencyConfig::default();
        config.ack_eliciting_threshold(var(threshold));
        config
    }));
    given.checked()?;
    Ok(Settings { transport, ecn: given.is_on("ecn"), discovery, has_recovery: cc != "bbr" })
}

fn var(number: u64) -> VarInt {
    VarInt::from_u64(number).unwrap_or(VarInt::MAX)
}

/// Returns the factory of a congestion control of quinn-proto; an initial window of 0 leaves its own.
fn factory(cc: &str, window: u64) -> Arc<dyn ControllerFactory + Send + Sync> {
    match cc {
        "newreno" => {
            let mut config = NewRenoConfig::default();
            if window > 0 {
                config.initial_window(window);
            }
            Arc::new(config)
        }
        "bbr" => {
            let mut config = BbrConfig::default();
            if window > 0 {
                config.initial_window(window);
            }
            Arc::new(config)
        }
        _ => {
            let mut config = CubicConfig::default();
            if window > 0 {
                config.initial_window(window);
            }
            Arc::new(config)
        }
    }
}

#[cfg(test)]
mod tests {
    use ackclock_transport::{Parameters, Role, Value};

    use super::*;

    #[test]
    fn every_number_reaches_the_configuration_of_quinn() {
        let numbers = [
            ("mtu", 1300.0, "initial_mtu: 1300"),
            ("initial_rtt", 0.25, "initial_rtt: 250ms"),
            ("packet_threshold", 7.0, "packet_threshold: 7"),
            ("time_threshold", 1.5, "time_threshold: 1.5"),
            ("persistent_congestion", 8.0, "persistent_congestion_threshold: 8"),
            ("stream_receive_window", 111.0, "stream_receive_window: 111"),
            ("receive_window", 112.0, ", receive_window: 112"),
            ("send_window", 113.0, "send_window: 113"),
            ("streams", 114.0, "max_concurrent_bidi_streams: 114"),
            ("max_idle_timeout", 1.75, "max_idle_timeout: Some(1750)"),
            ("ack_threshold", 9.0, "ack_eliciting_threshold: 9"),
        ];
        let text = |parameters: &Parameters| {
            let setup = Setup { role: Role::Client, seed: [0; 32], datagram: 1400, parameters, log: false };
            format!("{:?}", settings(&list(), &setup, &Arc::default()).ok().unwrap().transport)
        };
        let on = ["mtu_discovery", "ack_frequency"].map(|name| (name.to_owned(), Value::Name("on".to_owned())));
        let off = [("send_fairness".to_owned(), Value::Name("off".to_owned()))];
        let values = numbers.map(|(name, value, _)| (name.to_owned(), Value::Number(value)));
        let changed = text(&Parameters(on.into_iter().chain(off).chain(values).collect()));
        let default = text(&Parameters::default());
        let names = ["send_fairness: false", "mtu_discovery_config: Some", "upper_bound: 1400"];
        for part in numbers.map(|(_, _, part)| part).into_iter().chain(names) {
            assert!(changed.contains(part), "{part} in {changed}");
            assert!(!default.contains(part), "{part} in {default}");
        }
    }

    #[test]
    fn the_defaults_are_those_of_quinn_except_for_discovery() {
        let setup =
            Setup { role: Role::Client, seed: [0; 32], datagram: 1472, parameters: &Parameters::default(), log: false };
        let mut quinn = TransportConfig::default();
        quinn.mtu_discovery_config(None).enable_segmentation_offload(false);
        let ours = settings(&list(), &setup, &Arc::default()).ok().unwrap().transport;
        assert_eq!(format!("{ours:?}"), format!("{quinn:?}"));
    }
}
