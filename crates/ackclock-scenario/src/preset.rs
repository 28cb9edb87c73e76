//! Named links: the rates, delays and queues of networks that studies use.

use ackclock_schema::tree::{KeyPath, Node, Value};

/// A named link. The direction from source to sink is the direction towards the user.
pub struct Preset {
    /// Name in scenarios.
    pub name: &'static str,
    /// One sentence that describes the link.
    pub summary: &'static str,
    /// Source of the values.
    pub source: &'static str,
    rate: &'static str,
    reverse_rate: Option<&'static str>,
    delay: &'static str,
    queue: &'static str,
}

/// Key of the field that names a preset.
pub(super) const PRESET: &str = "preset";

const IW10: &str = "Jarvinen, Nyrhinen, Ding, Kojo, initial window 10 and initial RTO 1 s, IETF 79";
const TCPEVAL: &str = "draft-irtf-iccrg-tcpeval-01, section 4";

/// All presets, by name.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "edge",
        summary: "EDGE: 160 kbit/s, 250 ms, a queue of its bandwidth-delay product, 7 packets.",
        source: IW10,
        rate: "160kbps",
        reverse_rate: None,
        delay: "250ms",
        queue: "7 packets",
    },
    Preset {
        name: "hspa",
        summary: "HSPA: 2 Mbit/s, 70 ms, a queue of its bandwidth-delay product, 24 packets.",
        source: IW10,
        rate: "2Mbps",
        reverse_rate: None,
        delay: "70ms",
        queue: "24 packets",
    },
    Preset {
        name: "lte",
        summary: "LTE: 50 Mbit/s, 15 ms, a queue of its bandwidth-delay product, 125 packets.",
        source: IW10,
        rate: "50Mbps",
        reverse_rate: None,
        delay: "15ms",
        queue: "125 packets",
    },
    Preset {
        name: "geo-satellite",
        summary: "A geostationary satellite as sold to households: 100 Mbit/s and 10 Mbit/s back, 300 ms.",
        source: "subscription and least RTT of Michel, Trevisan, Giordano, Bonaventure, A First Look at Starlink Performance, IMC 2022",
        rate: "100Mbps",
        reverse_rate: Some("10Mbps"),
        delay: "300ms",
        queue: "1bdp",
    },
    Preset {
        name: "leo",
        summary: "A satellite constellation in low orbit: 100 Mbit/s and 10 Mbit/s back, 25 ms, without its handovers.",
        source: "delay: half of the median RTT of Michel et al., IMC 2022; rates: round numbers of its size, chosen here",
        rate: "100Mbps",
        reverse_rate: Some("10Mbps"),
        delay: "25ms",
        queue: "1bdp",
    },
    Preset {
        name: "adsl2",
        summary: "ADSL2+ at its best: 24 Mbit/s and 1.4 Mbit/s back, 10 ms.",
        source: "rates: ITU-T G.992.5; delay, with interleaving: chosen here",
        rate: "24Mbps",
        reverse_rate: Some("1.4Mbps"),
        delay: "10ms",
        queue: "1bdp",
    },
    Preset {
        name: "fttc",
        summary: "Fibre to the cabinet and VDSL2: 80 Mbit/s and 20 Mbit/s back, 5 ms.",
        source: "rates: the largest product of the United Kingdom's network; delay: chosen here",
        rate: "80Mbps",
        reverse_rate: Some("20Mbps"),
        delay: "5ms",
        queue: "1bdp",
    },
    Preset {
        name: "fttp",
        summary: "Fibre to the premises: 1 Gbit/s and 115 Mbit/s back, 2 ms.",
        source: "rates: a product of the United Kingdom's network; delay: chosen here",
        rate: "1Gbps",
        reverse_rate: Some("115Mbps"),
        delay: "2ms",
        queue: "1bdp",
    },
    Preset {
        name: "datacentre",
        summary: "A datacentre: 10 Gbit/s, an RTT of 4 ms.",
        source: "Winstein, Balakrishnan, TCP ex Machina, SIGCOMM 2013, section 5.5",
        rate: "10Gbps",
        reverse_rate: None,
        delay: "2ms",
        queue: "1bdp",
    },
    Preset {
        name: "access",
        summary: "The access link of the TCP evaluation suite: 100 Mbit/s, 2 ms.",
        source: TCPEVAL,
        rate: "100Mbps",
        reverse_rate: None,
        delay: "2ms",
        queue: "1bdp",
    },
    Preset {
        name: "transoceanic",
        summary: "The transoceanic link of the TCP evaluation suite: 1 Gbit/s, 65 ms.",
        source: TCPEVAL,
        rate: "1Gbps",
        reverse_rate: None,
        delay: "65ms",
        queue: "1bdp",
    },
    Preset {
        name: "dial-up",
        summary: "The dial-up link of the TCP evaluation suite: 64 kbit/s, 5 ms, a queue of 8 packets.",
        source: "draft-irtf-iccrg-tcpeval-01, section 4; queue, as the link alone has a product of 80 bytes: chosen here",
        rate: "64kbps",
        reverse_rate: None,
        delay: "5ms",
        queue: "8 packets",
    },
    Preset {
        name: "satellite",
        summary: "The geostationary satellite of the TCP evaluation suite: 40 Mbit/s and 4 Mbit/s back, 300 ms.",
        source: TCPEVAL,
        rate: "40Mbps",
        reverse_rate: Some("4Mbps"),
        delay: "300ms",
        queue: "1bdp",
    },
];

/// Fills the table at `at` with the values of the preset that it names; values that the table has itself are kept.
pub(super) fn fill(root: &mut Node, at: &KeyPath) {
    let preset = root.at(at).and_then(|table| match &table.get(PRESET)?.value {
        Value::Text(name) => PRESETS.iter().find(|preset| preset.name == name),
        _ => None,
    });
    let (Some(preset), Some(table)) = (preset, root.at_mut(at)) else { return };
    let Value::Table(entries) = &mut table.value else { return };
    let values = [("rate", Some(preset.rate)), ("reverse_rate", preset.reverse_rate), ("delay", Some(preset.delay))];
    for (key, value) in values.into_iter().chain([("queue", Some(preset.queue))]) {
        let Some(value) = value else { continue };
        if entries.iter().any(|(name, node)| name == key && !matches!(node.value, Value::Null)) {
            continue;
        }
        entries.retain(|(name, _)| name != key);
        entries.push((key.to_owned(), Node::unplaced(Value::Text(value.to_owned()))));
    }
}
