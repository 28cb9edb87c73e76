//! Builds a network and the flows over it from a scenario. This is the only place that creates the links, queues,
//! losses and endpoints of a scenario.

mod arrivals;
mod impairments;

use std::collections::BTreeMap;
use std::sync::Arc;

use ackclock_app::{ParamProblem, Path, Side};
use ackclock_core::{Nanos, Stream, stream_number, stream_seed};
use ackclock_net::Large;
use ackclock_net::queue::Headers;
use ackclock_results::invariants::Facts;
use ackclock_scenario::{self as scenario, Direction, Flow, Hop, Problem, QueueLimit, Scenario, ScenarioError};
use ackclock_tcp::Config;
use ackclock_tcp::cc::Algorithm;

use crate::dumbbell::Dumbbell;
use crate::endpoint::Endpoint;
use crate::ids::LinkId;
use crate::link::LinkSpec;
use crate::measures::FlowLabels;
use crate::network::{LinkMtu, Topology, Tunnel};
use crate::probes::Outage;
use crate::reading::Reader;
use crate::world::{FlowSpec, Offload, Paths, RouteChange};

use arrivals::Arrivals;

/// Adds the links of a scenario to a topology, and returns them with their names: both directions of the bottleneck, then of the other links.
pub(crate) fn network(topology: Topology, scenario: &Scenario, seed: u64) -> (Dumbbell, Vec<(LinkId, String)>) {
    let spec = |way: Direction<'_>, queue: &scenario::Queue, limit: QueueLimit, name: &str| LinkSpec {
        rate: way.rate.mean(scenario.duration),
        delay: way.delay.first(),
        queue: queue.entry(),
        limit: limit.of_link(),
        given: queue.parameters.clone(),
        loss: impairments::loss(way.loss, seed, &format!("{name}/loss")),
        impairments: impairments::of(&way, scenario, seed, name),
        packet_size: scenario.packet_size,
        large: way.large,
        on_host: way.on_host,
        mtu: way.mtu.map(|(bytes, tells)| LinkMtu { bytes, tells }),
        seed: stream_seed(seed, &format!("{name}/queue")),
    };
    let bdp_rtt = scenario.bdp_rtt();
    let mut all = scenario.all_links().map(|(name, link)| {
        let [forward_limit, reverse_limit] = scenario.queue_limits(link, bdp_rtt);
        let reverse = format!("{name}.reverse");
        let specs = (
            spec(link.forward(), &link.queue, forward_limit, name),
            spec(link.reverse(), link.reverse_queue(), reverse_limit, &reverse),
        );
        (specs, [name.to_owned(), reverse])
    });
    let ((forward, reverse), names) = all.next().expect("a scenario has a bottleneck");
    let mut dumbbell = Dumbbell::in_topology(topology, forward, reverse);
    let mut links: Vec<_> = [dumbbell.forward, dumbbell.reverse].into_iter().zip(names).collect();
    for ((forward, reverse), names) in all {
        let ids = [forward, reverse].map(|spec| spec.put_into(&mut dumbbell.topology));
        links.extend(ids.into_iter().zip(names));
    }
    (dumbbell, links)
}

/// Returns the outages of all links, in the order of the links.
pub(crate) fn outages(scenario: &Scenario) -> Vec<Outage> {
    let directions = scenario
        .all_links()
        .flat_map(|(name, link)| [(name.to_owned(), link.forward()), (format!("{name}.reverse"), link.reverse())]);
    let of = |(link, direction): (String, Direction<'_>)| {
        let outage = |outage: &scenario::Outage| Outage { link: link.clone(), from: outage.from, to: outage.to };
        direction.outages.iter().map(outage).collect::<Vec<_>>()
    };
    directions.flat_map(of).collect()
}

/// A function that returns the congestion control of a flow where it is not the scenario's.
pub(crate) type Replace<'a> = dyn Fn(&Flow) -> Option<Algorithm> + 'a;

/// A function that makes a flow's configuration for endpoints `E` of that of its TCP; the name is that of a copy.
pub(crate) type Convert<'a, E> = dyn Fn(&Flow, &Arc<Config>, &str) -> <E as Endpoint>::Config + 'a;

/// Creates the flows of a scenario, and adds their access links to the network.
///
/// # Errors
/// Parameters with which an application cannot run.
pub(crate) fn flows<E: Endpoint>(
    scenario: &Scenario,
    seed: u64,
    dumbbell: &mut Dumbbell,
    links: &[(LinkId, String)],
    replace: &Replace<'_>,
    convert: &Convert<'_, E>,
) -> Result<Vec<FlowSpec<E>>, ScenarioError> {
    let mut flows = Vec::new();
    for (index, flow) in scenario.flows.iter().enumerate() {
        add_copies(&mut flows, dumbbell, links, (scenario, flow, seed), replace, convert)
            .map_err(|problems| ScenarioError { problems: located(problems, index) })?;
    }
    Ok(flows)
}

/// Creates the flows of a scenario for a network without the simulator's endpoints, and adds their access links to the
/// network.
///
/// # Errors
/// Parameters with which an application cannot run, and transports besides TCP.
pub(crate) fn tcp_flows(
    scenario: &Scenario,
    seed: u64,
    dumbbell: &mut Dumbbell,
    links: &[(LinkId, String)],
) -> Result<Vec<FlowSpec>, ScenarioError> {
    let problem = |(index, flow): (usize, &Flow)| {
        let name = flow.other_transport()?.stack.name();
        let message = format!("{name:?} runs in the simulator only; accepted here: \"tcp\"");
        Some(Problem { path: format!("flows[{index}].transport"), line: None, message })
    };
    let several = |(index, flow): (usize, &Flow)| {
        flow.paths.as_ref()?;
        let message = "transfers over several paths run in the simulator only; accepted here: no paths".to_owned();
        Some(Problem { path: format!("flows[{index}].paths"), line: None, message })
    };
    let sized = |(index, (_, link)): (usize, (&str, &scenario::Bottleneck))| {
        link.mtu?;
        let at = index.checked_sub(1).map_or("bottleneck".to_owned(), |index| format!("links[{index}]"));
        let message = "links have an MTU in the simulator only; accepted here: no mtu".to_owned();
        Some(Problem { path: format!("{at}.mtu"), line: None, message })
    };
    let moves = |(index, flow): (usize, &Flow)| {
        flow.route_changes.as_ref()?;
        let message = "routes change in the simulator only; accepted here: no changes".to_owned();
        Some(Problem { path: format!("flows[{index}].route_changes"), line: None, message })
    };
    let flows_of = || scenario.flows.iter().enumerate();
    let problems: Vec<_> = flows_of()
        .filter_map(problem)
        .chain(flows_of().filter_map(moves))
        .chain(flows_of().filter_map(several))
        .chain(scenario.all_links().enumerate().filter_map(sized))
        .collect();
    if !problems.is_empty() {
        return Err(ScenarioError { problems });
    }
    flows(scenario, seed, dumbbell, links, &|_| None, &|_, config, _| config.clone())
}

/// Adds the copies of a flow with their access links.
fn add_copies<E: Endpoint>(
    flows: &mut Vec<FlowSpec<E>>,
    dumbbell: &mut Dumbbell,
    links: &[(LinkId, String)],
    (scenario, flow, seed): (&Scenario, &Flow, u64),
    replace: &Replace<'_>,
    convert: &Convert<'_, E>,
) -> Result<(), Vec<ParamProblem>> {
    let access_link = scenario.access_of(flow);
    let paths = scenario.paths_of(flow);
    let all = scenario.all_routes(flow);
    let hosts_of = paths.as_ref().map_or(flow.app.hosts(), |paths| [paths.len() as u32; 2]);
    let link = |hop: &Hop| links[2 * hop.link + usize::from(hop.reverse)].0;
    let over = |hops: &[Vec<Hop>; 2]| hops.each_ref().map(|hops| hops.iter().map(link).collect::<Vec<_>>());
    let changes = scenario.changed_routes(flow);
    let ways: Vec<_> = all.iter().chain(&changes).map(over).collect();
    let rate = access_link.rate.resolved(scenario.rate());
    let policers = access_link.policers().map(|policer| policer.map(|policer| policer.make(scenario.packet_size)));
    let delays = [&access_link.source_delay, &access_link.sink_delay].map(|delay| delay.distribution());
    let mut arrivals = Arrivals::new(flow.arrival.as_ref(), seed, &flow.name);
    let mut config = Arc::new(flow.tcp_config(scenario.packet_size));
    if let Some(cc) = replace(flow) {
        Arc::make_mut(&mut config).cc = cc;
    }
    if paths.is_some() {
        // Data waits in the transfer, and a subflow takes what it sends.
        let config = Arc::make_mut(&mut config);
        (config.send_buffer, config.send_buffer_max) = (0, 0);
        (config.notsent_lowat, config.write_size) = (0, 0);
    }
    let together = Stream::new(seed, &format!("{}/group", flow.name)).below(flow.group_jitter.saturating_add(1));
    let readers = [&flow.source_reading, &flow.reading].map(|reading| reading.as_ref().map(Reader::new));
    for name in flow.copies() {
        let mut random = Stream::new(seed, &format!("{name}/access"));
        // The first hosts draw first, so that further hosts do not move their delays.
        let mut hosts = delays.each_ref().map(|delay| vec![delay.draw(&mut random)]);
        for (host, (delay, count)) in hosts.iter_mut().zip(delays.iter().zip(hosts_of)) {
            host.extend((1..count).map(|_| delay.draw(&mut random)));
        }
        let least = |delays: &Vec<Nanos>| delays.iter().copied().min().expect("an end has a host");
        let own_delay = hosts.each_ref().map(least).iter().sum::<Nanos>();
        // Draws are at most 2^60 ns, but the number of links of a route is not limited.
        let delays_of =
            |hops: &[Vec<Hop>; 2]| hops.each_ref().map(|hops| own_delay.saturating_add(scenario.delay_of(hops)));
        let shortest = all.iter().map(delays_of).min_by_key(|[there, back]| there.saturating_add(*back));
        let [there, back] = shortest.expect("a flow has a route");
        let path =
            Path { rate: scenario.rate_over(&all, rate), rtt: there.saturating_add(back), delay: there, handshake: 0 };
        let (kind, app) = flow.app.make(path, &name)?;
        if let Some(cc) = flow.cc.as_ref().filter(|cc| cc.registered().is_some()) {
            Arc::make_mut(&mut config).cc = cc.algorithm(&name);
        }
        let own = convert(flow, &config, &name);
        let copy = name.clone();
        // A host that is not named belongs to this copy alone; points are not in the names that people give.
        let host = |given: &Option<String>, side: Side| {
            stream_number(&given.clone().unwrap_or_else(|| format!("{name}.{}", side.name())))
        };
        let headers = Headers {
            source: host(&flow.source_host, Side::Source),
            destination: host(&flow.sink_host, Side::Sink),
            dscp: flow.dscp,
            acknowledgment: None,
        };
        let labels = match flow.other_transport() {
            _ if scenario.sends_datagrams(flow) => {
                let (stack, cc) = ("udp".into(), "none".into());
                FlowLabels { name, stack, cc, validation: "none", pacing: "off", app: kind }
            }
            None => FlowLabels {
                name,
                stack: flow.stack.as_str().into(),
                cc: config.cc.name().clone(),
                validation: config.validation.name,
                pacing: config.pacing_name(),
                app: kind,
            },
            Some(other) => FlowLabels {
                name,
                stack: other.stack.name().into(),
                cc: other.cc().into(),
                validation: scenario::OWN,
                pacing: scenario::OWN,
                app: kind,
            },
        };
        let delays = hosts.each_ref().map(|delays| &delays[..]);
        let mut routes = match paths {
            Some(_) => vec![dumbbell.paths_over(rate, delays, &policers, &ways)],
            None => dumbbell.pairs_over_each(rate, delays, &policers, &ways),
        };
        // A link that takes no large packets would split them on arrival, and the access link could as well have
        // carried segments.
        let is_tcp = flow.other_transport().is_none();
        if let (Some(tunnel), Some(links)) = (&flow.tunnel, scenario.tunnel_of(flow)) {
            let own = tunnel.name.as_ref().unwrap_or(&copy);
            let ends = links.into_iter().zip([Side::Source, Side::Sink]).map(|(links, side)| Tunnel {
                // The access link of the sender comes first.
                links: links.start + 1..links.end + 1,
                header: tunnel.header,
                ecn: tunnel.ecn,
                number: stream_number(&format!("{own}/tunnel/{}", side.name())),
            });
            for (tunnel, side) in ends.zip([0, 1]) {
                for pair in &routes[0] {
                    dumbbell.topology.put_into_tunnel(pair[side], tunnel.clone());
                }
            }
        }
        let all_begin = |side: usize, holds: &dyn Fn(LinkId) -> bool| {
            is_tcp && flow.tunnel.is_none() && ways.iter().all(|way| way[side].first().is_some_and(|link| holds(*link)))
        };
        let sends_large = [0, 1].map(|side| {
            access_link.gso.unwrap_or(true) && all_begin(side, &|link| dumbbell.topology.large(link) != Large::Split)
        });
        let large = routes.iter().flatten().flat_map(|pair| pair.iter().zip(sends_large)).filter(|(_, sends)| *sends);
        for (route, _) in large.collect::<Vec<_>>() {
            let links = dumbbell.topology.hops(*route);
            for link in [links[0], links[links.len() - 1]] {
                dumbbell.topology.treat_large(link, Large::Whole);
            }
        }
        let host_queues = [0, 1].map(|side| all_begin(side, &|link| dumbbell.topology.is_on_host(link)));
        let later = routes.split_off(1);
        flows.push(FlowSpec {
            labels,
            config: own,
            app,
            start: flow.start.saturating_add(together).saturating_add(arrivals.next()),
            start_jitter: flow.start_jitter,
            hosts: hosts_of,
            routes: routes.remove(0),
            route_changes: flow
                .route_changes
                .iter()
                .flatten()
                .zip(later)
                .map(|(change, routes)| RouteChange { at: change.at, mtu: change.mtu, routes })
                .collect(),
            paths: paths.as_ref().map(|_| Paths {
                names: flow.path_names(),
                window: config.receive_buffer_max.max(config.receive_buffer),
            }),
            offload: Offload { sends_large, host_queues, collects: access_link.gro },
            class: flow.class,
            headers,
            delays: scenario.probes.delays,
            readers: readers.clone(),
        });
    }
    Ok(())
}

/// Returns the access links that have a policer, with their names. A flow with several hosts at an end has no rows.
pub(crate) fn policed<E: Endpoint>(topology: &Topology, flows: &[FlowSpec<E>]) -> Vec<(LinkId, String)> {
    let own = |flow: &FlowSpec<E>| {
        let [there, back] = flow.routes[0].map(|route| topology.hops(route));
        let ends =
            [there.first(), back.last(), there.last(), back.first()].map(|link| *link.expect("a route has links"));
        ends.into_iter().zip(Dumbbell::own_links(&flow.labels.name, [1, 1])).collect::<Vec<_>>()
    };
    flows
        .iter()
        .filter(|flow| flow.hosts == [1, 1])
        .flat_map(own)
        .filter(|(link, _)| topology.as_port(*link).is_some())
        .collect()
}

/// Converts the problems of an application to problems of the scenario; `index` is the flow's index.
fn located(problems: Vec<ParamProblem>, index: usize) -> Vec<Problem> {
    let problem = |problem: ParamProblem| Problem {
        path: format!("flows[{index}].app.{}", problem.field),
        line: None,
        message: problem.message,
    };
    problems.into_iter().map(problem).collect()
}

/// Returns the facts of a scenario that the checks of tables use.
pub fn facts(scenario: &Scenario) -> Facts {
    let names: Vec<_> = scenario.all_links().map(|(name, _)| name.to_owned()).collect();
    let name = |hop: &Hop| if hop.reverse { format!("{}.reverse", names[hop.link]) } else { names[hop.link].clone() };
    let (mut routes, mut at_times) = (BTreeMap::new(), BTreeMap::new());
    for flow in &scenario.flows {
        let named = |hops: &[Vec<Hop>; 2]| hops.each_ref().map(|hops| hops.iter().map(name).collect::<Vec<_>>());
        let mut all = scenario.all_routes(flow).into_iter();
        let mut hops = named(&all.next().expect("a flow has a route"));
        let mut others = [Vec::new(), Vec::new()];
        for changed in all.chain(scenario.changed_routes(flow)) {
            for ((own, others), changed) in hops.iter_mut().zip(&mut others).zip(named(&changed)) {
                let (kept, left): (Vec<_>, Vec<_>) =
                    std::mem::take(own).into_iter().partition(|link| changed.contains(link));
                others.extend(left.into_iter().chain(changed.into_iter().filter(|link| !kept.contains(link))));
                *own = kept;
            }
        }
        for links in &mut others {
            links.sort_unstable();
            links.dedup();
        }
        if others.iter().any(|links| !links.is_empty()) {
            at_times.extend(flow.copies().map(|copy| (copy, others.clone())));
        }
        let policed = scenario.access_of(flow).policers().map(|policer| {
            policer.is_some() && flow.app.hosts() == [1, 1] && flow.paths.as_ref().is_none_or(|paths| paths.len() == 1)
        });
        routes.extend(flow.copies().map(|copy| {
            let mut hops = hops.clone();
            // The links from the source and to the sink are on the forward route, the others on the reverse route.
            for (place, name) in Dumbbell::own_links(&copy, [1, 1]).into_iter().enumerate() {
                if policed[place] {
                    hops[place % 2].push(name);
                }
            }
            (copy, hops)
        }));
    }
    let optimistic =
        scenario.flows.iter().filter(|flow| flow.acknowledges_unseen_data()).flat_map(Flow::copies).collect();
    let probes = &scenario.probes;
    let recorded = (probes.from, probes.to.unwrap_or(scenario.duration));
    Facts { end: scenario.duration, recorded, routes, at_times, optimistic }
}
