//! Queue disciplines, packet by packet, for comparison with the slow reference implementations of the tests.

use ackclock_core::Rate;
use ackclock_net::netem::{Model, Netem};
use ackclock_net::queue::{CATALOGUE, Headers, Settings, by_name};
use ackclock_net::replay::{Arrival, Outcome, replay_at};
use ackclock_net::{Ecn, Limit, Port, Transmitter};
use ackclock_scenario::Scenario;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// ECN fields by their two bits in a header.
const FIELDS: [Ecn; 4] = [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce];

/// Time (ns), size (bytes), flow, class and ECN field of a packet.
type Packet = (u64, u32, u64, u8, usize);

/// Fate of a packet as a word, with its time and the ECN field with which it left.
type Fate = (&'static str, Option<u64>, Option<usize>);

/// Returns the fate of packets that arrive at a queue, as `ackclock_net::replay` does: "sent" with the time and the ECN
/// field with which the packet left, the cause of a drop with its time, or "waits". `headers` has the source, the
/// destination and the code point of each packet. `netem` is a scenario's `bottleneck.netem` as an inline table of TOML;
/// the queue is its child. Without `idle`, the queue is asked for packets only while it has some.
#[pyfunction]
#[pyo3(signature = (name, rate, limit, parameters, packets, seed, packet_size = 1500, headers = None, netem = None, idle = true))]
#[expect(clippy::too_many_arguments, reason = "Python's arguments have names")]
pub fn replay_queue(
    name: &str,
    rate: u64,
    limit: Option<(String, u64)>,
    parameters: Vec<(String, f64)>,
    packets: Vec<Packet>,
    seed: [u8; 32],
    packet_size: u32,
    headers: Option<Vec<(u64, u64, u8)>>,
    netem: Option<&str>,
    idle: bool,
) -> PyResult<Vec<Fate>> {
    let entry = by_name(name).ok_or_else(|| {
        let names: Vec<&str> = CATALOGUE.iter().map(|entry| entry.name).collect();
        PyValueError::new_err(format!("unknown queue {name}; accepted: {}", names.join(", ")))
    })?;
    let rate = Rate::new(rate).ok_or_else(|| PyValueError::new_err("rate is 0; accepted: 1 or more"))?;
    let limit = match limit.as_ref().map(|(unit, limit)| (unit.as_str(), *limit)) {
        None => Limit::Unlimited,
        Some(("packets", limit)) => Limit::Packets(limit),
        Some(("bytes", limit)) => Limit::Bytes(limit),
        Some((unit, _)) => {
            return Err(PyValueError::new_err(format!("limit in {unit}; accepted: packets, bytes")));
        }
    };
    let given: Vec<(&'static str, f64)> = parameters
        .iter()
        .map(|(name, value)| {
            let parameter = entry.parameters.iter().find(|parameter| parameter.name == name);
            let parameter = parameter.ok_or_else(|| PyValueError::new_err(format!("{} has no {name}", entry.name)))?;
            let (least, most) = parameter.range;
            if !(least..=most).contains(value) {
                return Err(PyValueError::new_err(format!("{name} is {value}; accepted: {least} to {most}")));
            }
            Ok((parameter.name, *value))
        })
        .collect::<PyResult<_>>()?;
    let settings = Settings { rate, limit, packet_size, given: &given, seed };
    if let Some((name, problem)) = (entry.check)(&settings).into_iter().next() {
        return Err(PyValueError::new_err(format!("{name}: {problem}")));
    }
    if !packets.is_sorted_by_key(|packet| packet.0) {
        return Err(PyValueError::new_err("packets are not in the order of their times"));
    }
    let headers = headers.unwrap_or_default();
    let arrivals: Vec<Arrival> = packets
        .into_iter()
        .enumerate()
        .map(|(number, (at, size, flow, class, ecn))| {
            let ecn =
                *FIELDS.get(ecn).ok_or_else(|| PyValueError::new_err(format!("ecn is {ecn}; accepted: 0 to 3")))?;
            let headers = headers.get(number);
            let headers =
                headers.map(|&(source, destination, dscp)| Headers { source, destination, dscp, acknowledgment: None });
            Ok(Arrival { at, size, flow, class, ecn, headers })
        })
        .collect::<PyResult<_>>()?;
    let (queue, server) = ((entry.make)(&settings), Box::new(Transmitter::new(rate)));
    let port = match netem.map(model).transpose()? {
        Some(model) => Port::new(Box::new(Netem::new(model, queue, seed)), server, 0).with_verdicts(),
        None => Port::new(queue, server, 0),
    };
    let outcomes = replay_at(if idle { port } else { port.without_idle_calls() }, &arrivals);
    let bits = |ecn| FIELDS.iter().position(|field| *field == ecn);
    Ok(outcomes
        .into_iter()
        .map(|outcome| match outcome {
            Outcome::Sent(at, ecn) => ("sent", Some(at), bits(ecn)),
            Outcome::Dropped(at, cause) => (cause.name(), Some(at), None),
            Outcome::Waits => ("waits", None, None),
        })
        .collect())
}

/// The model of netem that an inline table of TOML describes.
fn model(table: &str) -> PyResult<Model> {
    let text = format!(
        "duration = '1s'\n[bottleneck]\nrate = '1Gbps'\ndelay = '1ms'\nnetem = {table}\n[[flows]]\napp = 'bulk'\n"
    );
    let refused = |problem: &dyn std::fmt::Display| PyValueError::new_err(format!("netem = {table}: {problem}"));
    let scenario = Scenario::from_toml(&text, &[]).map_err(|error| refused(&error))?;
    let netem = scenario.bottleneck.netem.ok_or_else(|| refused(&"is no table of netem"))?;
    Ok(netem.model())
}
