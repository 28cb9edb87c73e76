//! Links besides the bottleneck, and routes.

use super::*;

const FAR: (&str, &str) = ("links", "[{ name = 'far', ends = ['right', 'beyond'], rate = '5Mbps', delay = '30ms' }]");

fn refused(pairs: &[(&str, &str)], path: &str, words: &str) {
    let found = problems(BASE, pairs);
    let [problem] = &found[..] else { panic!("{pairs:?}: one problem expected, not {found:#?}") };
    assert_eq!((problem.path.as_str(), problem.message.as_str()), (path, words), "{pairs:?}");
}

#[test]
fn routes_are_lists_of_nodes() {
    let plain = with(&[FAR]);
    let far = with(&[FAR, ("flows[0].route", "['left', 'right', 'beyond']")]);
    let hop = |link, reverse| Hop { link, reverse };
    assert_eq!(plain.routes(&plain.flows[0]), [[hop(0, false)], [hop(0, true)]]);
    assert_eq!(far.routes(&far.flows[0]), [[hop(0, false), hop(1, false)], [hop(1, true), hop(0, true)]]);
    assert_eq!(far.base_rtt(&far.flows[0]), plain.base_rtt(&plain.flows[0]) + 60_000_000);
    assert_eq!(
        (far.slowest_of(&[hop(0, false), hop(1, false)]).bits(), far.slowest_of(&[hop(1, true)]).bits()),
        (1_000_000, 5_000_000)
    );
    // A flow that traverses the bottleneck backwards.
    let reverse = with(&[("flows[0].route", "['right', 'left']")]);
    assert_eq!(reverse.routes(&reverse.flows[0]), [[hop(0, true)], [hop(0, false)]]);
    assert_ne!(reverse.hash(), with(&[]).hash());
    // A link's queue limit in bandwidth-delay products is computed with the link's own rate.
    let limits = far.queue_limits(far.link(1), far.bdp_rtt());
    assert_eq!(limits[0], QueueLimit::Bdp(1.0).resolved(ackclock_core::Rate::new(5_000_000).unwrap(), far.bdp_rtt()));
    assert_eq!(Scenario::from_json(&far.to_json().to_string(), &[]).unwrap(), far);
    // A preset is equivalent to the fields that it sets.
    let link = |more: &str| with(&[("links", &format!("[{{ name = 'far', ends = ['right', 'beyond'], {more} }}]"))]);
    let (named, spelled) = (link("preset = 'access'"), link("rate = '100Mbps', delay = '2ms', queue = '1bdp'"));
    assert_eq!(named.hash(), spelled.hash());
    assert_ne!(named.hash(), plain.hash());
}

#[test]
fn what_is_no_route_is_refused() {
    let route = |nodes| [FAR, ("flows[0].route", nodes)];
    let at = "flows[0].route";
    let short = "has less than two nodes; accepted: the nodes from the source's side to the sink's";
    refused(&route("['left']"), at, &format!("[\"left\"] {short}"));
    refused(
        &route("['left', 'right', 'left']"),
        at,
        "[\"left\", \"right\", \"left\"] loops: it comes to \"left\" twice; accepted: each node once",
    );
    refused(
        &route("['left', 'beyond']"),
        at,
        "[\"left\", \"beyond\"] has no link from \"left\" to \"beyond\"; accepted: from there to right",
    );
    refused(
        &route("['nowhere', 'left']"),
        at,
        "[\"nowhere\", \"left\"] has the node \"nowhere\", which no link joins; accepted: beyond, left, right",
    );
    refused(
        &[FAR, ("flows[0].return_route", "['beyond', 'right', 'left']")],
        "flows[0].return_route",
        "[\"beyond\", \"right\", \"left\"] does not lead from the sink's side to the source's; accepted: from \"right\" to \"left\"",
    );
}

#[test]
fn what_is_no_link_is_refused() {
    let links = |more: &str| {
        format!("[{{ name = 'far', ends = ['right', 'beyond'], rate = '5Mbps', delay = '30ms', {more} }}]")
    };
    refused(
        &[FAR, ("links.near.queue", "50 packets")],
        "links.near.queue",
        "override \"links.near.queue=50 packets\": links has nothing named \"near\"; accepted: far",
    );
    refused(
        &[("links", &links("queue = '100B'"))],
        "links[0].queue",
        "\"100B\" is less than one packet; accepted: at least the packet_size, \"1500B\"",
    );
    let found = problems(BASE, &[("links", &links("quee = '1bdp'"))]);
    assert!(found.len() == 1 && found[0].message.contains("did you mean \"queue\""), "{found:?}");
    refused(
        &[("links", "[{ name = 'bottleneck', ends = ['right', 'beyond'], rate = '5Mbps', delay = '30ms' }]")],
        "links[0].name",
        "\"bottleneck\" is also the name of a link before; accepted: a name of its own",
    );
    refused(
        &[("links", "[{ ends = ['right', 'right'], rate = '5Mbps', delay = '30ms' }]")],
        "links[0].ends",
        "[\"right\", \"right\"] is not two nodes; accepted: the names of two, such as [\"left\", \"far\"]",
    );
}
