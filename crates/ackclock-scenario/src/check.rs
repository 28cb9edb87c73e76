//! Rules over several fields, checked after each field has been accepted alone.

use ackclock_app::Needs;
use ackclock_core::headers::TCP_IPV4;

use ackclock_net::queue::Settings;
use ackclock_net::{Large, Seed};
use ackclock_tcp::config::{AckRule, EcnMode, Restart};

use super::bottleneck::Bottleneck;
use super::graph::Hop;
use super::impairments::Loss;
use super::model::{Arrival, Flow, LEAST_MSS, MAX_FLOWS, STACK, Scenario};
use super::paths;
use super::policer::Policer;
use super::queue::Queue;
use super::reading;
use super::spellings::QueueLimit;
use super::transport::Other;
use ackclock_schema::kinds::Spelling;
use ackclock_schema::quantity::{RATE, TIME, VOLUME};
use ackclock_schema::tree::{KeyPath, quoted};
use ackclock_schema::{Problems, Rules};

/// RFC 9293 section 3.8.6.3: an acknowledgment is delayed by less than this time, in nanoseconds.
const DELAYED_ACK_LIMIT: u64 = 500_000_000;

/// Maximum number of rows that the probes of queues and rates may produce: a hundred million rows take tens of
/// gigabytes.
const MOST_SAMPLES: u64 = 100_000_000;

/// Largest send buffer, bytes: Linux doubles the size and keeps it in a signed integer of 32 bits (net/core/sock.c).
const LARGEST_SEND_BUFFER: u64 = 1 << 30;

/// Adds the mistakes that only the fields of a scenario taken together show.
pub(super) fn check(scenario: &Scenario, problems: &mut Problems<'_>) {
    let root = KeyPath::default();
    let flows = root.key("flows");
    for (index, flow) in scenario.flows.iter().enumerate() {
        let mut rules = Rules::new(flows.index(index), problems);
        check_name(&scenario.flows[..index], flow, &mut rules);
        check_start(scenario, flow, &mut rules);
        check_routes(scenario, flow, &mut rules);
        match flow.other_transport() {
            None => check_tcp(scenario, flow, &mut rules),
            Some(other) => check_transport(scenario, other, flow, &mut rules),
        }
        flow.app.check(&mut rules.of("app"));
        for (field, reading) in [("reading", &flow.reading), ("source_reading", &flow.source_reading)] {
            if let Some(reading) = reading {
                reading::check(reading, &mut rules.of(field));
            }
        }
    }
    check_copies(scenario, problems);
    check_access(scenario, problems);
    check_links(scenario, problems);
    check_probes(scenario, &mut Rules::new(root, problems));
}

fn key(name: &str) -> KeyPath {
    KeyPath::default().key(name)
}

fn check_copies(scenario: &Scenario, problems: &mut Problems<'_>) {
    let flows: u64 = scenario.flows.iter().map(|flow| u64::from(flow.count)).sum();
    if flows > u64::from(MAX_FLOWS) {
        problems.add(key("flows"), format!("are {flows} with all copies; accepted: at most {MAX_FLOWS}"));
    }
}

fn check_name(earlier: &[Flow], flow: &Flow, rules: &mut Rules<'_, '_>) {
    if let Some(index) = earlier.iter().position(|other| other.name == flow.name) {
        let needs = [key("flows").index(index).key("name")];
        let message = format!("is also the name of flows[{index}]; accepted: a name of its own");
        rules.refuse(true, "name", &needs, &flow.name, message);
    }
}

fn check_start(scenario: &Scenario, flow: &Flow, rules: &mut Rules<'_, '_>) {
    let needs = [key("duration"), rules.at.key("start")];
    let end = TIME.write(scenario.duration);
    let (start, jitter, group) = (flow.start, flow.start_jitter, flow.group_jitter);
    let after = format!("is not before the end of the run; accepted: less than duration, {end}");
    rules.refuse(start >= scenario.duration, "start", &needs, &TIME.write(start), after);
    let may = format!(
        "lets the flow start after the end of the run; accepted: start + start_jitter + group_jitter less than duration, {end}"
    );
    let field = if group > jitter { "group_jitter" } else { "start_jitter" };
    rules.refuse(start + jitter + group >= scenario.duration, field, &needs, &TIME.write(jitter.max(group)), may);
    if let Some(Arrival::Staggered(staggered)) = &flow.arrival {
        let needs = ["start", "start_jitter", "group_jitter", "count"].map(|field| rules.at.key(field));
        let needs = [&[key("duration")], &needs[..]].concat();
        let last = u64::from(flow.count - 1).saturating_mul(staggered.interval).saturating_add(start + jitter + group);
        let message =
            format!("lets the last copy start after the end of the run; accepted: all before duration, {end}");
        rules.of("arrival").refuse(last >= scenario.duration, "interval", &needs, "", message);
    }
}

/// Refuses the fields of TCP on a flow with another transport, applications that use no transport, and parameters that
/// the transport does not accept together.
fn check_transport(scenario: &Scenario, other: &Other, flow: &Flow, rules: &mut Rules<'_, '_>) {
    let name = other.stack.name();
    for field in Flow::OF_TCP {
        let message = format!(
            "is a setting of TCP, and the transport is {name}; accepted: a parameter of {name}, as in \
             transport = {{ kind = {}, ... }}",
            quoted(name)
        );
        // The canonical form has the default.
        let given = rules.given(field) && !(*field == "stack" && flow.stack == STACK);
        rules.refuse(given, field, &[], "", message);
    }
    let datagrams = scenario.sends_datagrams(flow);
    let message = "has no effect, because the application sends datagrams of its own; accepted: no transport";
    rules.refuse(datagrams, "transport", &[rules.at.key("app")], "", message);
    let room = scenario.packet_size.saturating_sub(other.stack.overhead());
    let features = other.stack.features();
    let has = Needs { streams: features.unidirectional, priorities: features.priorities, resets: features.resets };
    check_needs(flow, has, rules);
    if let Err(message) = other.stack.check(room, &other.parameters) {
        rules.refuse(true, "transport", &[key("packet_size")], "", message);
    }
}

/// Refuses an application that needs more of its transport than the transport has.
fn check_needs(flow: &Flow, has: Needs, rules: &mut Rules<'_, '_>) {
    let needs = flow.app.needs();
    let lacks = [
        (needs.streams && !has.streams, "unidirectional streams"),
        (needs.priorities && !has.priorities, "priorities of streams"),
        (needs.resets && !has.resets, "resets of streams"),
    ];
    let lacks: Vec<&str> = lacks.into_iter().filter(|(lacks, _)| *lacks).map(|(_, what)| what).collect();
    let message = format!(
        "has no {}, which the application {} needs; accepted: a transport that has them, such as quinn, or other settings \
         of the application",
        lacks.join(" and no "),
        flow.app.name()
    );
    rules.refuse(!lacks.is_empty(), "transport", &[rules.at.key("app")], "tcp", message);
    for field in ["reading", "source_reading"] {
        let message = "has no effect on streams, of which the application reads each at once; accepted: none";
        rules.refuse(needs.streams && rules.given(field), field, &[rules.at.key("app")], "", message);
    }
}

fn check_tcp(scenario: &Scenario, flow: &Flow, rules: &mut Rules<'_, '_>) {
    check_needs(flow, Needs::default(), rules);
    let tcp = flow.tcp_config(scenario.packet_size);
    let stack = rules.at.key("stack");

    let largest = scenario.packet_size.saturating_sub(TCP_IPV4);
    let message = format!(
        "does not fit into a packet with {TCP_IPV4} bytes of headers; accepted: from {LEAST_MSS}B to {largest}B, as packet_size is {}",
        VOLUME.write(scenario.packet_size.into())
    );
    rules.refuse(tcp.mss > largest, "mss", &[key("packet_size")], "", message);

    let mss = rules.at.key("mss");
    let message = format!("is less than one segment; accepted: at least the mss, {}", VOLUME.write(tcp.mss.into()));
    let needs = [key("packet_size"), mss, stack.clone()];
    let buffer = VOLUME.write(tcp.receive_buffer);
    rules.refuse(tcp.receive_buffer < tcp.mss.into(), "receive_buffer", &needs, &buffer, message);

    if tcp.send_buffer > 0 {
        let message = format!("is less than one segment; accepted: at least the mss, {}", VOLUME.write(tcp.mss.into()));
        let buffer = VOLUME.write(tcp.send_buffer);
        rules.refuse(tcp.send_buffer < tcp.mss.into(), "send_buffer", &needs, &buffer, message);
        let message = format!("is less than the send_buffer; accepted: at least {}", quoted(&buffer));
        let (most, needs) = (VOLUME.write(tcp.send_buffer_max), [rules.at.key("send_buffer"), stack.clone()]);
        rules.refuse(tcp.send_buffer_max < tcp.send_buffer, "send_buffer_max", &needs, &most, message);
        let message =
            format!("is more than a socket may have; accepted: at most {}", VOLUME.write(LARGEST_SEND_BUFFER));
        rules.refuse(tcp.send_buffer > LARGEST_SEND_BUFFER, "send_buffer", &[], "", &message);
        let needs = [rules.at.key("send_buffer")];
        rules.refuse(tcp.send_buffer_max > LARGEST_SEND_BUFFER, "send_buffer_max", &needs, "", &message);
    }
    let ignored = tcp.send_buffer == 0 && rules.given("send_buffer_max");
    let message =
        "has no effect, because the send buffer has no limit on this stack; accepted: a send_buffer beside it";
    rules.refuse(ignored, "send_buffer_max", std::slice::from_ref(&stack), "", message);

    let message = "is too long; accepted: less than \"500ms\" (RFC 9293 section 3.8.6.3)";
    rules.refuse(tcp.delayed_ack >= DELAYED_ACK_LIMIT, "delayed_ack", std::slice::from_ref(&stack), "", message);

    for field in ["ack_every", "delayed_ack"] {
        let message = format!(
            "has no effect with the acknowledgment rule of Linux, which follows the gaps between arrivals; accepted: no \
             {field}, or another stack, such as \"rfc\""
        );
        let ignored = tcp.ack_rule == AckRule::Linux && rules.given(field);
        rules.refuse(ignored, field, std::slice::from_ref(&stack), "", message);
    }

    let (min, max) = (TIME.write(tcp.min_rto), TIME.write(tcp.max_rto));
    let needs = [stack, rules.at.key("min_rto"), rules.at.key("max_rto")];
    let inverted = tcp.min_rto > tcp.max_rto;
    if flow.min_rto.is_some() {
        let message = format!("is more than max_rto; accepted: at most {}", quoted(&max));
        rules.refuse(inverted, "min_rto", &needs, &min, message);
    } else {
        let message = format!("is less than min_rto; accepted: at least {}", quoted(&min));
        rules.refuse(inverted, "max_rto", &needs, &max, message);
    }
    let message = format!("is more than max_rto; accepted: at most {}", quoted(&max));
    let initial = TIME.write(tcp.initial_rto);
    rules.refuse(tcp.initial_rto > tcp.max_rto && !inverted, "initial_rto", &needs, &initial, message);

    let marks = !matches!(flow.ecn, None | Some(EcnMode::Off | EcnMode::Passive));
    let message =
        "with a congestion control whose routers' answers take the place of marks; accepted: \"off\", \"passive\"";
    let needs = [rules.at.key("cc"), rules.at.key("stack")];
    rules.refuse(marks && tcp.cc.make().scope().routers, "ecn", &needs, "", message);

    let restarts = tcp.validation.replaces_restart && tcp.restart != Restart::Off;
    let message = format!(
        "with validation {}, which says itself what becomes of the window over an idle period ({}); accepted: \"off\"",
        quoted(tcp.validation.name),
        tcp.validation.source
    );
    let needs = [rules.at.key("validation"), rules.at.key("stack")];
    rules.refuse(restarts, "restart_after_idle", &needs, "", message);
}

fn check_links(scenario: &Scenario, problems: &mut Problems<'_>) {
    let access = |path: KeyPath| ["source_delay", "sink_delay"].map(|delay| path.key(delay));
    let mut rtt = access(key("access")).to_vec();
    for index in 0..scenario.flows.len() {
        rtt.extend(access(key("flows").index(index).key("access")));
        rtt.extend(["route", "return_route"].map(|route| key("flows").index(index).key(route)));
    }
    let paths: Vec<_> = std::iter::once(key("bottleneck"))
        .chain((0..scenario.links.iter().flatten().count()).map(|index| key("links").index(index)))
        .collect();
    rtt.extend(paths.iter().flat_map(|path| ["delay", "reverse_delay", "bdp_rtt"].map(|name| path.key(name))));
    let bdp_rtt = scenario.bdp_rtt();
    for (number, ((_, link), at)) in scenario.all_links().zip(&paths).enumerate() {
        let limits = scenario.queue_limits(link, bdp_rtt);
        check_link(scenario, (link, limits), at, &rtt, problems);
        check_policers(scenario, link, at, problems);
        check_impairments(link, at, problems);
        check_shapers(scenario, (number, link, limits), at, &rtt, problems);
    }
    for (index, link) in scenario.links.iter().flatten().enumerate() {
        let mut rules = Rules::new(paths[index + 1].clone(), problems);
        let taken = scenario.all_links().take(index + 1).any(|(name, _)| name == link.name);
        rules.refuse(taken, "name", &[], &link.name, "is also the name of a link before; accepted: a name of its own");
        let two = link.ends.len() == 2 && link.ends[0] != link.ends[1];
        let ends = link.ends.join(", ");
        rules.refuse(
            !two,
            "ends",
            &[],
            &ends,
            "is not two nodes; accepted: the names of two, such as [\"left\", \"far\"]",
        );
    }
}

/// The policers of access links, in the order of [`Access::policers`].
const ACCESS_POLICERS: [&str; 4] = ["source_policer", "reverse_source_policer", "sink_policer", "reverse_sink_policer"];

/// Checks the policers of the access links.
fn check_access(scenario: &Scenario, problems: &mut Problems<'_>) {
    let mut check = |policers: [Option<&Policer>; 4], at: &KeyPath| {
        for (policer, name) in policers.into_iter().zip(ACCESS_POLICERS) {
            let Some(policer) = policer else { continue };
            policer.check(scenario.packet_size, &key("packet_size"), &mut Rules::new(at.key(name), problems));
        }
    };
    check(scenario.access.policers(), &key("access"));
    for (index, flow) in scenario.flows.iter().enumerate() {
        let Some(own) = &flow.access else { continue };
        let policers = [&own.source_policer, &own.reverse_source_policer, &own.sink_policer, &own.reverse_sink_policer];
        check(policers.map(Option::as_ref), &key("flows").index(index).key("access"));
    }
}

/// Checks the policers of the link at a path.
fn check_policers(scenario: &Scenario, link: &Bottleneck, at: &KeyPath, problems: &mut Problems<'_>) {
    for (name, policer) in [("policer", &link.policer), ("reverse_policer", &link.reverse_policer)] {
        let Some(policer) = policer else { continue };
        policer.check(scenario.packet_size, &key("packet_size"), &mut Rules::new(at.key(name), problems));
    }
}

/// Refuses shapers that hold a single packet where packets come faster than the link sends them. Such a queue drops
/// packets although there are tokens, so that it reaches neither the rate nor the burst. `rtt` are the fields that a limit in
/// bandwidth-delay products needs.
fn check_shapers(
    scenario: &Scenario,
    (number, link, limits): (usize, &Bottleneck, [QueueLimit; 2]),
    at: &KeyPath,
    rtt: &[KeyPath],
    problems: &mut Problems<'_>,
) {
    for (reverse, limit) in [false, true].into_iter().zip(limits) {
        let queue = if reverse { link.reverse_queue() } else { &link.queue };
        let single = match limit {
            QueueLimit::Packets(packets) => packets < 2,
            QueueLimit::Bytes(bytes) => {
                bytes >= scenario.packet_size.into() && bytes < 2 * u64::from(scenario.packet_size)
            }
            _ => false,
        };
        if queue.kind != SHAPER || !single {
            continue;
        }
        let own = Hop { link: number, reverse };
        let rate = scenario.slowest_of(&[own]);
        let before = |flow: &Flow| {
            let access = scenario.access_of(flow).rate.resolved(scenario.rate());
            let routes = scenario.known_routes(flow);
            let places =
                routes.iter().flatten().filter_map(|route| Some((route, route.iter().position(|hop| *hop == own)?)));
            let rates = places.map(|(route, place)| match place {
                0 => access,
                place => scenario.slowest_of(&route[place - 1..place]),
            });
            rates.max()
        };
        let Some(fastest) = scenario.flows.iter().filter_map(before).max().filter(|fastest| *fastest > rate) else {
            continue;
        };
        let [fastest, rate] = [fastest, rate].map(|rate| RATE.write(rate.bits()));
        let message = format!(
            "holds a single packet, and packets come faster, at {fastest}, than the link's {rate}, so that they are dropped although \
             there are tokens; accepted: a limit of at least 2 packets, or in place of this queue a policer, which drops without queueing"
        );
        let name = if reverse && link.reverse_queue.is_some() { "reverse_queue" } else { "queue" };
        let mut needs = rtt.to_vec();
        needs.extend([key("packet_size"), key("access"), at.key("rate"), at.key("reverse_rate")]);
        Rules::new(at.key(name), problems).refuse(true, "limit", &needs, &queue.limit.write(), message);
    }
}

/// Name of the queue that shapes traffic.
const SHAPER: &str = "token-bucket";

/// Checks the losses of the link at a path, and its netem.
fn check_impairments(link: &Bottleneck, at: &KeyPath, problems: &mut Problems<'_>) {
    let losses = [
        ("loss", Some(&link.loss)),
        ("reverse_loss", Some(&link.reverse_loss)),
        ("duplication", link.duplication.as_ref()),
        ("reverse_duplication", link.reverse_duplication.as_ref()),
        ("corruption", link.corruption.as_ref()),
        ("reverse_corruption", link.reverse_corruption.as_ref()),
    ];
    for (name, loss) in losses {
        let mut rules = Rules::new(at.key(name), problems);
        match loss {
            Some(Loss::Steps(steps)) => steps.check(&mut rules),
            Some(Loss::Interference(interference)) => interference.check(&mut rules),
            _ => {}
        }
    }
    let mut rules = Rules::new(at.clone(), problems);
    let large = link.gso.is_some_and(|large| large != Large::Split)
        || link.reverse_gso.is_some_and(|large| large != Large::Split);
    let message = "does not go with gso, whose large packets are no packets on the wire; accepted: one of both";
    rules.refuse(link.mtu.is_some() && large, "mtu", &[at.key("gso"), at.key("reverse_gso")], "", message);
    let message = "has no effect on a link without an mtu; accepted: an mtu beside it";
    rules.refuse(link.mtu.is_none() && rules.given("icmp"), "icmp", &[at.key("mtu")], "", message);
    let netem = [
        ("netem", &link.netem, "duplication", link.duplication.is_some()),
        ("reverse_netem", &link.reverse_netem, "reverse_duplication", link.reverse_duplication.is_some()),
    ];
    for (name, netem, other, duplicated) in netem {
        let Some(netem) = netem else { continue };
        netem.check(&mut Rules::new(at.key(name), problems));
        let message = format!("beside {name}, which duplicates packets itself; accepted: duplicate of {name}");
        Rules::new(at.clone(), problems).refuse(duplicated, other, &[], "", message);
    }
}

/// Checks the queues of the link at a path. A queue is refused if it has no room for one packet or if its parameters
/// contradict each other. `rtt` are the fields that a limit in bandwidth-delay products needs.
fn check_link(
    scenario: &Scenario,
    (link, [there, back]): (&Bottleneck, [QueueLimit; 2]),
    at: &KeyPath,
    rtt: &[KeyPath],
    problems: &mut Problems<'_>,
) {
    let own = link.reverse_queue.as_ref().map(|queue| ("reverse_queue", queue, link.reverse_rate(), back));
    for (name, queue, rate, limit) in std::iter::once(("queue", &link.queue, &link.rate, there)).chain(own) {
        let settings = Settings {
            rate: rate.mean(scenario.duration),
            limit: limit.of_link(),
            packet_size: scenario.packet_size,
            given: &queue.parameters,
            seed: Seed::default(),
        };
        let rates = ["rate", "reverse_rate"].map(|name| at.key(name));
        check_parameters(queue, &settings, &rates, &mut Rules::new(at.key(name), problems));
        let mut needs = rtt.to_vec();
        needs.extend(rates);
        needs.push(at.key("queue"));
        check_queue(scenario, queue, limit, (at, name), &needs, problems);
    }
}

fn check_routes(scenario: &Scenario, flow: &Flow, rules: &mut Rules<'_, '_>) {
    let links = scenario.links.iter().flatten().enumerate();
    let mut needs: Vec<_> = links.map(|(index, _)| key("links").index(index).key("ends")).collect();
    if let Err((field, message)) = scenario.try_routes(flow) {
        rules.refuse(true, field, &needs, "left, right", message);
    }
    paths::check(scenario, flow, &needs, rules);
    needs.extend(["route", "return_route"].map(|field| rules.at.key(field)));
    if let Err((field, message)) = scenario.try_tunnel(flow) {
        rules.of("tunnel").refuse(true, field, &needs, "the end of the route", message);
    }
    let both = flow.tunnel.is_some() && flow.route_changes.is_some();
    let message = "does not go with route_changes, because the tunnel would have to move; accepted: one of both";
    rules.refuse(both, "tunnel", &[], "", message);
    let mut before = 0;
    for (index, change) in flow.route_changes.iter().flatten().enumerate() {
        let mut rules = rules.at_index("route_changes", index);
        let message = format!("is not after the change before it; accepted: more than \"{}\"", TIME.write(before));
        rules.refuse(index > 0 && change.at <= before, "at", &[], "", message);
        before = change.at;
        if let Err((field, message)) = scenario.try_change(flow, change) {
            rules.refuse(true, field, &needs, "", message);
        }
        let is_tcp = flow.other_transport().is_none() && !scenario.sends_datagrams(flow);
        let message = "is for TCP, which the flow does not have; accepted: no MTU";
        rules.refuse(change.mtu.is_some() && !is_tcp, "mtu", &[], "", message);
    }
}

/// Refuses parameters of a queue that contradict each other. `rates` are the fields that the rate of the settings needs.
fn check_parameters(queue: &Queue, settings: &Settings<'_>, rates: &[KeyPath], rules: &mut Rules<'_, '_>) {
    let mut needs: Vec<_> = queue.entry().parameters.iter().map(|parameter| rules.at.key(parameter.name)).collect();
    needs.extend_from_slice(rates);
    for (field, message) in (queue.entry().check)(settings) {
        let value = queue.parameters.iter().find(|(name, _)| *name == field);
        let value = value.map_or(String::new(), |(_, value)| value.to_string());
        rules.refuse(
            true,
            field,
            &needs,
            &value,
            format!("does not go with the other parameters; accepted: {message}"),
        );
    }
}

/// Refuses a queue that has no room for one packet. The queue stands under the key `name` of the table at `at`;
/// `resolved` is its limit in bytes or packets. `bdp_needs` are the fields that a limit in bandwidth-delay products
/// needs.
fn check_queue(
    scenario: &Scenario,
    queue: &Queue,
    resolved: QueueLimit,
    (at, name): (&KeyPath, &'static str),
    bdp_needs: &[KeyPath],
    problems: &mut Problems<'_>,
) {
    let QueueLimit::Bytes(bytes) = resolved else { return };
    // A round-trip time that does not fit into 64 bits is held as the largest number that does.
    let is_known = bytes <= VOLUME.max && scenario.bdp_rtt() < u64::MAX;
    if matches!(queue.limit, QueueLimit::Bdp(_)) && !is_known {
        return refuse_huge(scenario, queue, (at, name), bdp_needs, problems);
    }
    let limited = problems.written(&at.key(name).key("limit")).is_some();
    let (at, field) = if limited { (at.key(name), "limit") } else { (at.clone(), name) };
    let (size, packet) = (VOLUME.write(bytes), VOLUME.write(scenario.packet_size.into()));
    let mut needs = vec![key("packet_size")];
    let (is, default) = match queue.limit {
        // Without flows there is no round-trip time; the missing flows are reported at the flows.
        QueueLimit::Bdp(_) if scenario.flows.is_empty() => return,
        QueueLimit::Bdp(factor) => {
            needs.extend_from_slice(bdp_needs);
            (format!("is {size}, "), format!("{factor}bdp"))
        }
        _ => ("is ".to_owned(), size),
    };
    let message = format!("{is}less than one packet; accepted: at least the packet_size, {}", quoted(&packet));
    Rules::new(at, problems).refuse(bytes < scenario.packet_size.into(), field, &needs, &default, message);
}

/// Refuses a limit in bandwidth-delay products that is larger than the largest volume.
fn refuse_huge(
    scenario: &Scenario,
    queue: &Queue,
    (at, name): (&KeyPath, &'static str),
    bdp_needs: &[KeyPath],
    problems: &mut Problems<'_>,
) {
    let limited = problems.written(&at.key(name).key("limit")).is_some();
    let (at, field) = if limited { (at.key(name), "limit") } else { (at.clone(), name) };
    let message = format!(
        "is more than a queue can hold, with a round-trip time of {}; accepted: at most {}, or \"unlimited\"",
        TIME.write(scenario.bdp_rtt()),
        VOLUME.write(VOLUME.max)
    );
    Rules::new(at, problems).refuse(true, field, bdp_needs, &queue.limit.write(), message);
}

fn check_probes(scenario: &Scenario, rules: &mut Rules<'_, '_>) {
    let probes = &scenario.probes;
    let mut rules = rules.of("probes");
    let from = TIME.write(probes.from);
    let needs = [rules.at.key("from"), key("duration")];
    if let Some(to) = probes.to {
        let message = format!("is not after the start of recording; accepted: more than from, {}", quoted(&from));
        rules.refuse(to <= probes.from, "to", &needs, "", message);
    }
    let sampling = probes.queues || probes.rates;
    let message = "beside queues or rates, which have a row for each interval; accepted: more than \"0s\"";
    rules.refuse(sampling && probes.interval == 0, "interval", &[], "", message);
    let series = u64::from(probes.queues) * 2 * scenario.all_links().count() as u64
        + u64::from(probes.rates) * scenario.flows.iter().map(|flow| u64::from(flow.count)).sum::<u64>();
    let recorded = probes.to.unwrap_or(scenario.duration).min(scenario.duration).saturating_sub(probes.from);
    let instants = recorded.checked_div(probes.interval).unwrap_or(0);
    if instants.saturating_mul(series) > MOST_SAMPLES {
        let least = (u128::from(recorded) * u128::from(series)).div_ceil(MOST_SAMPLES.into());
        let least = TIME.write(u64::try_from(least).unwrap_or(u64::MAX));
        let message = format!(
            "makes {:.1e} rows in the tables of queues and rates; accepted: at least {}, which makes {MOST_SAMPLES:.0e}",
            instants as f64 * series as f64,
            quoted(&least)
        );
        let needs = [key("duration"), rules.at.key("to")];
        rules.refuse(true, "interval", &needs, &TIME.write(probes.interval), message);
    }
    let end = TIME.write(scenario.duration);
    let message = format!("is not before the end of the run; accepted: less than duration, {}", quoted(&end));
    rules.refuse(probes.record() && probes.from >= scenario.duration, "from", &needs, &from, message);
}
