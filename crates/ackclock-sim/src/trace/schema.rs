//! The schema of the event log: a single declaration of all events and their keys.

use serde_json::{Map, Value, json};

/// Name and version of the format. A new key does not change the version; a removed or renamed key, or one with a new
/// meaning, does.
pub const FORMAT: &str = "ackclock-events-1";

/// Names of the flags of a TCP header, in the order of their bits.
pub(super) const FLAGS: [&str; 9] = ["FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR", "AE"];

/// Type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// An integer of at least 0.
    Count,
    Truth,
    Text(&'static [&'static str]),
    /// A list of names of flags.
    Flags,
    /// A list of two numbers.
    Pair,
    /// A list of pairs.
    Pairs,
    AccEcn,
}

/// A key of an event.
struct Field {
    key: &'static str,
    kind: Kind,
    /// Whether the value may be null.
    null: bool,
    /// Whether the key may be absent.
    optional: bool,
    meaning: &'static str,
}

/// A kind of event.
struct EventKind {
    name: &'static str,
    meaning: &'static str,
    /// Groups of fields in addition to those of all events.
    groups: &'static [&'static [Field]],
}

const fn field(key: &'static str, kind: Kind, meaning: &'static str) -> Field {
    Field { key, kind, null: false, optional: false, meaning }
}

const fn or_null(key: &'static str, kind: Kind, meaning: &'static str) -> Field {
    Field { null: true, ..field(key, kind, meaning) }
}

const fn option(key: &'static str, kind: Kind, meaning: &'static str) -> Field {
    Field { optional: true, ..field(key, kind, meaning) }
}

use Kind::{AccEcn, Count, Flags, Pair, Pairs, Text, Truth};

const COMMON: &[Field] = &[
    field("time_ns", Count, "nanoseconds since the start of the run"),
    or_null("flow", Text(&[]), "name of the flow; null for a late packet of a closed connection"),
    or_null("conn", Count, "number of the flow's connection, from 0"),
    or_null("side", Text(&["source", "sink"]), "side of the endpoint; for packet events, the sender's side"),
];

const ECN: Kind = Text(&["not-ect", "ect1", "ect0", "ce"]);

const SEGMENT: &[Field] = &[
    field("seq", Count, "sequence number on the wire"),
    or_null("ack", Count, "acknowledgment number; null without the flag ACK"),
    field("len", Count, "payload, bytes"),
    field("window", Count, "window field on the wire, without scaling"),
    field("flags", Flags, "header flags set"),
    field("ecn", ECN, "ECN field of the IP header"),
    option("mss", Count, "MSS option, bytes"),
    option("window_scale", Count, "shift of the window scale option"),
    option("sack_permitted", Truth, "whether a SYN has the option SACK-permitted"),
    option("sack", Pairs, "SACK blocks: first sequence number, and sequence number after the last"),
    option("timestamps", Pair, "timestamps option: TSval, TSecr"),
    option("accecn", AccEcn, "AccECN option: kind, and counters in the order of that kind"),
];

const SENT: &[Field] = &[
    field("offset", Count, "stream offset of the first byte"),
    field("retransmission", Truth, "whether the segment has payload that was sent before"),
];

const PACKET: &[Field] = &[
    field("seq", Count, "sequence number on the wire"),
    field("len", Count, "payload, bytes"),
    field("flags", Flags, "header flags set"),
    field("ecn", ECN, "ECN field of the IP header"),
    field("size", Count, "size of the packet with headers, bytes"),
];

const AT_LINK: &[Field] = &[field("link", Text(&[]), "name of the link")];

const PASSAGE: &[Field] = &[
    field("start_ns", Count, "time at which the first bit leaves"),
    field("departure_ns", Count, "time at which the last bit has left"),
    field("arrival_ns", Count, "time at which the last bit is at the far end"),
];

const CAUSE: &[Field] = &[field(
    "cause",
    Text(&["queue", "aqm", "loss", "corruption", "outage"]),
    "cause of the drop (queue: no room; aqm: decision of the discipline; policer: over the policer's rate; loss: before the queue; corruption: on the wire; \
     outage: sent while the link was down)",
)];

const WINDOW: &[Field] = &[
    field("cwnd", Count, "congestion window, bytes"),
    or_null("ssthresh", Count, "slow start threshold, bytes; null while it is infinite"),
    field("flight_size", Count, "bytes sent and not cumulatively acknowledged"),
    field("pipe", Count, "estimate of the bytes in the network"),
    or_null("srtt_ns", Count, "smoothed RTT, nanoseconds; null before the first sample"),
    or_null("latest_rtt_ns", Count, "latest RTT sample, nanoseconds; null before the first sample"),
    or_null("min_rtt_ns", Count, "smallest RTT sample, nanoseconds; null before the first sample"),
    or_null("pacing_bps", Count, "pacing rate, bit/s; null while nothing paces"),
    or_null("delivery_bps", Count, "delivery rate of payload, bit/s; null before the first sample"),
    field("in_recovery", Truth, "whether loss recovery is in progress"),
    field("non_validated", Truth, "whether the window is in RFC 7661's non-validated phase"),
    or_null("pipe_ack", Count, "pipeACK of RFC 7661, bytes; null if undefined or not used"),
    or_null("cc_state", Text(&[]), "state of the congestion control; null if its states have no names"),
];

const LOST: &[Field] = &[
    field("offset", Count, "stream offset of the first byte"),
    field("len", Count, "length in the stream, bytes; a FIN counts as one"),
    field(
        "evidence",
        Text(&["order", "time", "timeout"]),
        "evidence of the loss (order: later segments arrived; time: a segment sent sufficiently later arrived (RACK); \
         timeout: the retransmission timer expired)",
    ),
];

const RECOVERY: &[Field] = &[field(
    "cause",
    Text(&["loss", "ecn", "delay"]),
    "signal of congestion; delay is a request of the congestion control",
)];

const UNDONE: &[Field] = &[field("timeout", Truth, "whether a timeout began the recovery")];

const PROBE: &[Field] = &[field("retransmission", Truth, "whether the probe is a retransmission instead of new data")];

const REORDERING: &[Field] = &[field("lost", Count, "bytes newly deemed lost")];

const TIMEOUT: &[Field] = &[field("count", Count, "consecutive expiries, including this one")];

const STATES: &[&str] = &[
    "closed",
    "listen",
    "syn-sent",
    "syn-received",
    "established",
    "fin-wait-1",
    "fin-wait-2",
    "close-wait",
    "closing",
    "last-ack",
    "time-wait",
];

const STATE: &[Field] = &[field("state", Text(STATES), "new state (RFC 9293 section 3.3.2)")];

const EVENTS: &[EventKind] = &[
    EventKind { name: "segment_sent", meaning: "an endpoint sends a segment", groups: &[SEGMENT, SENT] },
    EventKind { name: "segment_received", meaning: "an endpoint accepts a segment", groups: &[SEGMENT] },
    EventKind { name: "segment_lost", meaning: "a sender deems a segment lost", groups: &[LOST] },
    EventKind {
        name: "recovery_started",
        meaning: "fast recovery or the response to a mark or delay begins",
        groups: &[RECOVERY],
    },
    EventKind { name: "undone", meaning: "a recovery was spurious, and the window is restored", groups: &[UNDONE] },
    EventKind { name: "probe_sent", meaning: "a tail loss probe is sent (RFC 8985)", groups: &[PROBE] },
    EventKind {
        name: "reordering_timeout",
        meaning: "RACK's reordering timer expires (RFC 8985)",
        groups: &[REORDERING],
    },
    EventKind { name: "recovery_ended", meaning: "fast recovery or recovery after a timeout ends", groups: &[] },
    EventKind { name: "timeout", meaning: "the retransmission timer expires", groups: &[TIMEOUT] },
    EventKind { name: "window_updated", meaning: "the sender's window or its use may have changed", groups: &[WINDOW] },
    EventKind { name: "state_changed", meaning: "the connection changes its state", groups: &[STATE] },
    EventKind { name: "enqueued", meaning: "a link accepts a packet", groups: &[PACKET, AT_LINK, PASSAGE] },
    EventKind { name: "datagram", meaning: "an application sends a UDP datagram", groups: &[PACKET] },
    EventKind {
        name: "arrived",
        meaning: "a packet arrives at a link with a queue discipline, which may drop it later",
        groups: &[PACKET, AT_LINK],
    },
    EventKind { name: "copied", meaning: "a link duplicates a packet; this is the copy", groups: &[PACKET, AT_LINK] },
    EventKind {
        name: "transmitted",
        meaning: "a packet leaves the queue discipline for the wire",
        groups: &[PACKET, AT_LINK, PASSAGE],
    },
    EventKind {
        name: "dropped",
        meaning: "a link drops a packet, or has sent the last bit of a packet that is lost on the wire",
        groups: &[PACKET, AT_LINK, CAUSE],
    },
    EventKind { name: "marked", meaning: "a link marks a packet with CE and accepts it", groups: &[PACKET, AT_LINK] },
    EventKind { name: "delivered", meaning: "a packet reaches its host", groups: &[PACKET] },
];

impl Kind {
    fn schema(self) -> Value {
        let count = json!({"type": "integer", "minimum": 0});
        let pair = json!({"type": "array", "items": count, "minItems": 2, "maxItems": 2});
        match self {
            Count => count,
            Truth => json!({"type": "boolean"}),
            Text([]) => json!({"type": "string"}),
            Text(values) => json!({"enum": values}),
            Flags => json!({"type": "array", "items": {"enum": FLAGS}, "uniqueItems": true}),
            Pair => pair,
            Pairs => json!({"type": "array", "items": pair, "minItems": 1}),
            AccEcn => json!({
                "type": "object",
                "properties": {"kind": {"enum": [172, 174]}, "counters": {"type": "array", "items": count, "maxItems": 3}},
                "required": ["kind", "counters"],
                "additionalProperties": false,
            }),
        }
    }
}

/// JSON Schema of a line of the event log: the first line, or an event.
pub fn event_schema() -> Value {
    let mut lines = vec![json!({
        "title": "first line",
        "description": "Provenance of the run.",
        "type": "object",
        "properties": {
            "format": {"const": FORMAT},
            "name": {"type": "string", "description": "name of the scenario"},
            "scenario_hash": {"type": "string", "description": "hash of the scenario without its name and seed"},
            "version": {"type": "string", "description": "version of ackclock"},
            "seed": {"type": "integer", "minimum": 0, "description": "seed of the run"},
        },
        "required": ["format", "name", "scenario_hash", "version", "seed"],
        "additionalProperties": false,
    })];
    lines.extend(EVENTS.iter().map(event));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of an ackclock event log",
        "description": "JSON lines in the order of time. Times are whole nanoseconds, sequence numbers those of the wire.",
        "oneOf": lines,
    })
}

fn event(kind: &EventKind) -> Value {
    let mut properties = Map::new();
    properties.insert("event".to_owned(), json!({"const": kind.name}));
    let mut required = vec!["event"];
    for field in [COMMON].iter().chain(kind.groups).copied().flatten() {
        let mut schema = field.kind.schema();
        if field.null {
            schema = json!({"anyOf": [schema, {"type": "null"}]});
        }
        schema["description"] = json!(field.meaning);
        properties.insert(field.key.to_owned(), schema);
        if !field.optional {
            required.push(field.key);
        }
    }
    json!({
        "title": kind.name,
        "description": kind.meaning,
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}
