//! The cases and their rules.

use ackclock_core::{MILLISECOND, Nanos, Random, SECOND};

use super::end::{Check, Incoming, Task, shown};
use super::net::{CREATED, Net, START, Sent, Tested, Watch, created};
use super::pipe::Path;
use crate::{Parameters, Range, Role, Setup, Value};

/// Runs a case: `None` if the stack obeys the rule, or the reason why the rule does not apply to it.
type Run = fn(Tested<'_>, &mut Watch) -> Check<Option<String>>;

/// Name, rule and function of each case. The first one is needed by all others.
pub const CASES: [(&str, &str, Run); 17] = [
    ("clean path", "Both ends connect, and 1 MB arrives intact on a path without faults.", clean),
    ("impaired path", "1 MB arrives intact with 2 % loss, 2 % reordering, 2 % duplication and 1 % marks.", impaired),
    ("damage", "1 MB arrives intact among damaged datagrams and garbage.", damage),
    ("both directions", "Both ends send 300 kB at once, and all of it arrives.", both),
    ("several streams", "Four streams that are open at once arrive intact.", several),
    (
        "unidirectional streams",
        "Ten unidirectional streams are reported in the order in which they were opened, and arrive intact.",
        unidirectional,
    ),
    ("priorities", "Of streams that are written at once, those with higher priorities arrive first.", priorities),
    (
        "resets",
        "A reset reaches the peer with its code, ends the sending of the stream, and leaves others intact.",
        resets,
    ),
    ("answer", "Ends of streams arrive after their bytes, and a stream can be answered.", answer),
    (
        "flow control",
        "The bytes taken are bounded while the peer does not read, and all arrive once it reads.",
        flow_control,
    ),
    ("same seeds", "The same calls with the same seeds give the same datagrams.", same_seeds),
    ("other seeds", "Other seeds give other datagrams.", other_seeds),
    ("quiescence", "After all is delivered, few datagrams are sent and few timers expire.", quiescence),
    (
        "outage",
        "Few datagrams are sent in an outage of 30 s, and the transfer ends or is given up with a reason.",
        outage,
    ),
    ("close", "A close reaches the peer, and both ends become silent.", close),
    (
        "statistics",
        "RTTs are at least the path's, the window limits what is in flight, and counts do not fall.",
        statistics,
    ),
    ("parameters", "Each parameter accepts its default, and create accepts or refuses each value.", parameters),
];

const MB: u64 = 1_000_000;
/// Bytes that a stack may take without a reader.
const TAKEN: u64 = 64 << 20;
/// Datagrams of both ends in 29 s of an outage, and in 60 s after a transfer.
const FEW: usize = 100;

/// The task of an end that sends bytes on one stream.
fn sends(bytes: u64) -> Task {
    Task { streams: 1, bytes, finishes: true, ..Task::default() }
}

/// Whether all streams have been read to their ends, and both senders know it.
fn complete(net: &Net<'_>) -> bool {
    let [client, server] = &net.ends;
    [(client, server), (server, client)].iter().all(|(own, peer)| {
        let idle = own.task.streams == 0 && own.task.answer == 0;
        let ended = |id| peer.incoming.get(id).is_some_and(Incoming::ended);
        (idle || own.delivered()) && own.outgoing.keys().all(ended)
    })
}

/// Connects both ends within 30 s.
fn connected<'a>(tested: Tested<'_>, path: Path, tasks: [Task; 2], watch: &'a mut Watch) -> Check<Net<'a>> {
    let mut net = Net::new(tested, path, tasks, watch)?;
    net.connect()?;
    net.reach(30, "Connected at both ends", |net| net.ends.iter().all(|end| end.connected.is_some()))?;
    Ok(net)
}

/// Connects both ends and lets them do their tasks within 600 s.
fn transfer<'a>(tested: Tested<'_>, path: Path, tasks: [Task; 2], watch: &'a mut Watch) -> Check<Net<'a>> {
    let mut net = connected(tested, path, tasks, watch)?;
    net.reach(600, "PeerFinished and Delivered of all streams", complete)?;
    Ok(net)
}

fn clean(tested: Tested<'_>, watch: &mut Watch) -> Check<Option<String>> {
    transfer(tested, Path::CLEAN, [sends(MB), Task::default()], watch).map(|_| None)
}

fn impaired(tested: Tested<'_>, watch: &mut Watch) -> Check<Option<String>> {
    for seed in [1, 2, 3] {
        transfer(Tested { seed, ..tested }, Path::IMPAIRED, [sends(MB), Task::default()], watch)?;
    }
    Ok(None)
}

fn damage(tested: Tested<'_>, watch: &mut Watch) -> Check<Option<String>> {
    let path = Path { damage: 20_000_000, ..Path::CLEAN };
    let mut net = Net::new(tested, path, [sends(MB), Task::default()], watch)?;
    let mut random = Random::new([9; 32]);
    // Garbage arrives before the handshake, during it and during the transfer.
    for number in 0..400 {
        let length = 1 + random.up_to(u64::from(tested.datagram()) - 1);
        let datagram = (0..length).map(|_| random.bits() as u8).collect();
        net.inject(number as usize % 2, CREATED + number * 5 * MILLISECOND, datagram);
    }
    net.connect()?;
    net.reach(600, "PeerFinished and Delivered of all streams", complete)?;
    Ok(None)
}

fn both(tested: Tested<'_>, watch: &mut Watch) -> Check<Option<String>> {
    for path in [Path::CLEAN, Path::IMPAIRED] {
        transfer(tested, path, [sends(300_000); 2], watch)?;
    }
    Ok(None)
}

fn several(tested: Tested<'_>, watch: &mut Watch) -> Check<Option<String>> {
    let task = Task { streams: 4, bytes: 200_000, finishes: true, ..Task::default() };
    let mut net = connected(tested, Path::IMPAIRED, [task, Task::default()], watch)?;
    net.run(net.now + 2 * SECOND, |net| net.ends[0].outgoing.len() > 1 || net.ends[0].single)?;
    if net.ends[0].outgoing.len() < 2 {
        return Ok(Some("the stack has a single stream".to_owned()));
    }
    net.reach(600, "PeerFinished and Delivered of four streams", complete)?;
    Ok(None)
}

fn unidirectional(tested: Tested<'_>, watch: &mut Watch) -> Check<Option<String>> {
    if !tested.stack.features().unidirectional {
        return Ok(Some("the stack has no unidirectional streams".to_owned()));
    }
    let task = Task { streams: 10, bytes: 20_000, finishes: true, one_way: true, ..Task::default() };
    for seed in [1, 2, 3] {
        transfer(Tested { seed, ..tested }, Path::IMPAIRED, [task, task], watch)?;
    }
    Ok(None)
}

fn priorities(tested: Tested<'_>, watch: &mut Watch) -> Check<Option<String>> {
    const PRIORITIES: [i32; 4] = [-3, 300, 2, 1_000_000];
    let features = tested.stack.features();
    if !features.priorities || !features.unidirectional {
        return Ok(Some("the stack has no unidirectional streams with priorities".to_owned()));
    }
    let task = Task {
        streams: PRIORITIES.len(),
        bytes: 200_000,
        finishes: true,
        one_way: true,
        priorities: &PRIORITIES,
        ..Task::default()
    };
    for tasks in [[task, Task::default()], [Task::default(), task]] {
        let net = transfer(tested, Path::CLEAN, tasks, watch)?;
        let [sender, receiver] = if tasks[0].streams > 0 { [0, 1] } else { [1, 0] };
        let place = |id| net.ends[sender].one_way.iter().position(|one| one == id);
        let found: Vec<i32> =
            net.ends[receiver].ended.iter().filter_map(place).map(|place| PRIORITIES[place]).collect();
        let mut expected = PRIORITIES.to_vec();
        expected.sort_by_key(|priority| std::cmp::Reverse(*priority));
        if found != expected {
            let name = net.ends[sender].name();
            return Err(format!("streams of the {name} ended with the priorities {found:?}; accepted: {expected:?}"));
        }
    }
    Ok(None)
}

fn resets(tested: Tested<'_>, watch: &mut Watch) -> Check<Option<String>> {
    const CODE: u64 = 4_567;
    let features = tested.stack.features();
    if !features.resets || !features.unidirectional {
        return Ok(Some("the stack has no unidirectional streams with resets".to_owned()));
    }
    // 3 MB take 1.2 s. The first stream is reset after 0.5 s; a second stream brings 100 kB afterwards.
    let task = Task { streams: 1, bytes: 3 * MB, finishes: true, one_way: true, ..Task::default() };
    for path in [Path::CLEAN, Path::IMPAIRED] {
        let mut net = connected(tested, path, [task, Task::default()], watch)?;
        net.run(net.now + SECOND / 2, |_| false)?;
        let Some(first) = net.ends[0].one_way.first().copied() else {
            return Err("no unidirectional stream was opened within 0.5 s".to_owned());
        };
        let now = net.now;
        net.ends[0].reset(now, first, CODE)?;
        let before = net.sent.len();
        (net.ends[0].task.streams, net.ends[0].task.bytes) = (2, 100_000);
        net.settle(0)?;
        net.reach(60, "Reset of the first stream and PeerFinished of the second", |net| {
            let ended = net.ends[1].incoming.values().filter(|one| one.ended()).count();
            ended == 2 && complete(net)
        })?;
        if !net.ends[1].incoming.get(&first).is_some_and(|one| one.reset) {
            return Err(format!("stream {first} ended without Reset, although it was reset before its end"));
        }
        let sent: u64 = net.sent[before..].iter().filter(|one| one.end == 0).map(|one| one.length as u64).sum();
        // The second stream, with headers and retransmissions, and what was on its way.
        if sent > MB / 5 {
            return Err(format!("{sent} bytes were sent after the reset for 100000 bytes; accepted: {}", MB / 5));
        }
    }
    Ok(None)
}

fn answer(tested: Tested<'_>, watch: &mut Watch) -> Check<Option<String>> {
    for bytes in [0, 1, 1_000] {
        let answers = Task { answer: 100_000, finishes: true, ..Task::default() };
        transfer(tested, Path::CLEAN, [sends(bytes), answers], watch)?;
    }
    Ok(None)
}

fn flow_control(tested: Tested<'_>, watch: &mut Watch) -> Check<Option<String>> {
    let path = Path { rate: 400_000_000, queue: 1_000_000, delay: 5 * MILLISECOND, ..Path::CLEAN };
    let task = Task { streams: 1, bytes: TAKEN + TAKEN / 4, ..Task::default() };
    let mut net = connected(tested, path, [task, Task::default()], watch)?;
    net.ends[1].paused = true;
    net.run(net.now + 10 * SECOND, |_| false)?;
    let taken: u64 = net.ends[0].outgoing.values().map(|one| one.written).sum();
    if taken > TAKEN {
        return Err(format!("write took {taken} bytes within 10 s while the peer did not read; accepted: {TAKEN}"));
    }
    net.ends[1].paused = false;
    net.ends[0].task.finishes = true;
    net.ends[0].outgoing.values_mut().for_each(|one| one.total = one.written + 100_000);
    net.settle(1)?;
    net.settle(0)?;
    net.reach(600, "PeerFinished and Delivered after the peer read again", complete)?;
    Ok(None)
}

/// A transfer on an impaired path, up to its end or to a failure that other cases report.
fn attempt<'a>(tested: Tested<'_>, path: Path, samples: bool, watch: &'a mut Watch) -> Check<Net<'a>> {
    let mut net = Net::new(tested, path, [sends(MB), Task::default()], watch)?;
    net.samples = samples.then(Vec::new);
    let _ = net.connect().and_then(|()| net.reach(600, "the end", complete));
    Ok(net)
}

/// The datagrams of a transfer on an impaired path.
fn datagrams(tested: Tested<'_>, watch: &mut Watch) -> Check<Vec<Sent>> {
    Ok(attempt(tested, Path::IMPAIRED, false, watch)?.sent)
}

fn same_seeds(tested: Tested<'_>, watch: &mut Watch) -> Check<Option<String>> {
    let [first, second] = [datagrams(tested, watch)?, datagrams(tested, watch)?];
    let same = first.iter().zip(&second).take_while(|(one, other)| one == other).count();
    if same < first.len().max(second.len()) {
        let place = |run: &[Sent]| {
            let one = run.get(same);
            one.map_or("none".to_owned(), |one| {
                let end = if one.end == 0 { "client" } else { "server" };
                format!("{} bytes of the {end} at {}", one.length, shown(one.at))
            })
        };
        let [one, other] = [place(&first), place(&second)];
        return Err(format!("datagram {same} of two runs with the same seeds differs: {one}, and {other}"));
    }
    Ok(None)
}

fn other_seeds(tested: Tested<'_>, watch: &mut Watch) -> Check<Option<String>> {
    let one = datagrams(tested, watch)?;
    let other = datagrams(Tested { seed: tested.seed + 1, ..tested }, watch)?;
    let same = one == other;
    Ok(same.then(|| "all seeds give the same datagrams, so the stack draws no random numbers".to_owned()))
}

fn quiescence(tested: Tested<'_>, watch: &mut Watch) -> Check<Option<String>> {
    let mut net = transfer(tested, Path::CLEAN, [sends(100_000), sends(1_000)], watch)?;
    let (sent, expiries) = (net.sent.len(), net.expiries);
    // An idle connection may end.
    net.may_close = true;
    net.run(net.now + 60 * SECOND, |_| false)?;
    let (sent, expiries) = (net.sent.len() - sent, net.expiries - expiries);
    if sent > FEW || expiries > 10 * FEW as u64 {
        let accepted = format!("accepted: {FEW} datagrams and {} calls", 10 * FEW);
        return Err(format!(
            "{sent} datagrams and {expiries} calls of expire in the 60 s after a transfer; {accepted}"
        ));
    }
    Ok(None)
}

fn outage(tested: Tested<'_>, watch: &mut Watch) -> Check<Option<String>> {
    let (from, to) = (START + 300 * MILLISECOND, START + 300 * MILLISECOND + 30 * SECOND);
    let path = Path { outage: Some((from, to)), ..Path::CLEAN };
    let mut net = connected(tested, path, [sends(2 * MB), Task::default()], watch)?;
    net.may_close = true;
    net.run(to, |_| false)?;
    let sent = net.sent.iter().filter(|sent| sent.at >= from + SECOND).count();
    if sent > FEW {
        return Err(format!("{sent} datagrams in the last 29 s of an outage of 30 s; accepted: at most {FEW}"));
    }
    let over = |net: &Net<'_>| complete(net) || net.ends[0].closed.is_some();
    net.reach(600, "the end of the transfer or Closed after an outage", over)?;
    match &net.ends[0].closed {
        Some((at, None)) => Err(format!("the client ended at {} after an outage without a reason", shown(*at))),
        _ => Ok(None),
    }
}

fn close(tested: Tested<'_>, watch: &mut Watch) -> Check<Option<String>> {
    let mut net = connected(tested, Path::CLEAN, [sends(2 * MB), Task::default()], watch)?;
    net.run(net.now + SECOND / 5, |_| false)?;
    net.may_close = true;
    net.close(0, 7)?;
    net.reach(10, "Closed at the server after a close at the client", |net| net.ends[1].closed.is_some())?;
    net.run(net.now + 300 * SECOND, |_| false)?;
    let sent = net.sent.len();
    let garbage = [0, 1].map(|end| (end, vec![0x55; 200]));
    garbage.into_iter().for_each(|(end, datagram)| net.inject(end, net.now + SECOND, datagram));
    net.run(net.now + 100 * SECOND, |_| false)?;
    let sent = net.sent.len() - sent;
    if sent > 2 {
        return Err(format!(
            "{sent} datagrams in 100 s, five minutes after a close; accepted: 2, as answers to garbage"
        ));
    }
    Ok(None)
}

fn statistics(tested: Tested<'_>, watch: &mut Watch) -> Check<Option<String>> {
    let mut knows = false;
    for path in [Path::CLEAN, Path::IMPAIRED] {
        let net = attempt(tested, path, true, watch)?;
        let mut counts = [[0; 4]; 2];
        for (end, at, data, one) in net.samples.iter().flatten() {
            let name = net.ends[*end].name();
            let wrong = |what: String| Err(format!("statistics of the {name} at {}: {what}", shown(*at)));
            let round_trip: Nanos = 2 * path.delay;
            for (rtt, value) in [("srtt", one.srtt), ("min_rtt", one.min_rtt), ("latest_rtt", one.latest_rtt)] {
                knows |= value.is_some();
                if value.is_some_and(|value| !(round_trip..60 * SECOND).contains(&value)) {
                    let value = value.unwrap_or_default();
                    return wrong(format!("{rtt} is {}, and the path has {}", shown(value), shown(round_trip)));
                }
            }
            if let (Some(window), Some(in_flight)) = (one.window, one.in_flight) {
                // Probes may exceed the window, and a window that falls is below what is in flight.
                let most = window + 4 * u64::from(tested.datagram());
                if *data && path.loss == 0 && in_flight > most {
                    return wrong(format!("{in_flight} bytes are in flight with a window of {window}"));
                }
            }
            let now = [one.lost, one.retransmitted, one.timeouts, one.reductions];
            if let Some(at) = (0..4).find(|at| now[*at] < counts[*end][*at]) {
                let name = ["lost", "retransmitted", "timeouts", "reductions"][at];
                return wrong(format!("{name} fell from {} to {}", counts[*end][at], now[at]));
            }
            counts[*end] = now;
        }
        let repaired = counts[0][0] + counts[0][1];
        if path.loss > 0 && knows && complete(&net) && repaired == 0 {
            return Err("lost and retransmitted are 0 at the client after a transfer with 2 % loss".to_owned());
        }
    }
    Ok((!knows).then(|| "the stack gives no RTT".to_owned()))
}

fn parameters(tested: Tested<'_>, _watch: &mut Watch) -> Check<Option<String>> {
    let all = tested.stack.parameters();
    for (place, parameter) in all.iter().enumerate() {
        let name = &parameter.name;
        if name.is_empty() || all[..place].iter().any(|other| other.name == *name) {
            return Err(format!("parameter {place} has the name {name:?}; accepted: a name that no other has"));
        }
        if !parameter.range.accepts(&parameter.default) {
            return Err(format!("{name} does not accept its default {:?}", parameter.default));
        }
        let values = match &parameter.range {
            Range::Numbers(least, most) => [*least, *most].map(Value::Number).to_vec(),
            Range::Names(names) => names.iter().map(|(name, _)| Value::Name(name.clone())).collect(),
        };
        for value in values {
            let mut given: Parameters = tested.parameters.clone();
            given.0.insert(name.clone(), value.clone());
            for role in [Role::Client, Role::Server] {
                let datagram = tested.datagram();
                let setup = Setup { role, seed: [5; 32], datagram, parameters: &given, log: false };
                match created(tested.stack, &setup) {
                    Err(error) if error.contains(" panicked: ") => return Err(format!("{name} = {value:?}: {error}")),
                    // Some values may not go together.
                    Ok(_) | Err(_) => {}
                }
            }
        }
    }
    Ok(all.is_empty().then(|| "the stack has no parameters".to_owned()))
}
