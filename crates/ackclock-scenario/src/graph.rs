//! Links besides the bottleneck, and the routes of flows over them: any graph of nodes.
//!
//! The bottleneck joins the nodes `left` and `right`. A route is a list of nodes: the first is the node at the flow's
//! source, the last the node at its sink. The flow's access links are at both ends of the route.

use std::collections::BTreeSet;
use std::ops::Range;

use super::bottleneck::Bottleneck;
use super::model::{Flow, RouteChange, Scenario};
use ackclock_core::{Nanos, Rate};
use ackclock_schema::problems::listed;
use ackclock_schema::tree::quoted;

/// The nodes that the bottleneck joins, from sources to sinks.
pub const ENDS: [&str; 2] = ["left", "right"];

/// The name of the bottleneck among the links.
pub const BOTTLENECK: &str = "bottleneck";

/// A link with the direction in which a route traverses it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hop {
    /// Number of the link: 0 for the bottleneck, then the further links in their order.
    pub link: usize,
    /// Whether the route traverses the link from its second node to its first.
    pub reverse: bool,
}

/// Returns the nodes of a flow's return route.
fn return_nodes_of(flow: &Flow) -> Vec<&str> {
    flow.return_route.as_deref().map_or_else(|| nodes_of(flow).into_iter().rev().collect(), texts)
}

/// Returns the nodes of a flow's forward route.
fn nodes_of(flow: &Flow) -> Vec<&str> {
    flow.route.as_deref().map_or_else(|| ENDS.to_vec(), texts)
}

fn texts(nodes: &[String]) -> Vec<&str> {
    nodes.iter().map(String::as_str).collect()
}

impl Scenario {
    /// Returns the names and fields of all links: first the bottleneck, then the further links.
    pub fn all_links(&self) -> impl Iterator<Item = (&str, &Bottleneck)> {
        let others = self.links.as_deref().unwrap_or_default();
        std::iter::once((BOTTLENECK, &self.bottleneck))
            .chain(others.iter().map(|link| (link.name.as_str(), &link.model)))
    }

    /// Returns the link with a number.
    pub(crate) fn link(&self, number: usize) -> &Bottleneck {
        let others = self.links.as_deref().unwrap_or_default();
        number.checked_sub(1).map_or(&self.bottleneck, |other| &others[other].model)
    }

    /// Returns the two nodes of each link, in the order of their numbers.
    fn ends(&self) -> impl Iterator<Item = [&str; 2]> {
        let others = self.links.iter().flatten().map(|link| match &link.ends[..] {
            [from, to] => [from.as_str(), to.as_str()],
            _ => [""; 2],
        });
        std::iter::once(ENDS).chain(others)
    }

    /// Returns the hop from a node to another; of several links between the same nodes, the first counts.
    fn hop(&self, from: &str, to: &str) -> Option<Hop> {
        let hop = |(link, ends): (usize, [&str; 2])| {
            let reverse = ends == [to, from];
            (reverse || ends == [from, to]).then_some(Hop { link, reverse })
        };
        self.ends().enumerate().find_map(hop)
    }

    /// Returns the links of a route that is given by its nodes.
    ///
    /// # Errors
    /// The mistake in the route, as a predicate.
    fn over(&self, nodes: &[&str]) -> Result<Vec<Hop>, String> {
        if nodes.len() < 2 {
            return Err("has less than two nodes; accepted: the nodes from the source's side to the sink's".to_owned());
        }
        let twice = |(place, node): &(usize, &&str)| nodes[..*place].contains(node);
        if let Some((_, node)) = nodes.iter().enumerate().find(twice) {
            return Err(format!("loops: it comes to {} twice; accepted: each node once", quoted(node)));
        }
        let hop = |pair: &[&str]| {
            self.hop(pair[0], pair[1]).ok_or_else(|| {
                let joined = || self.ends().filter(|ends| !ends[0].is_empty()).flat_map(|[a, b]| [[a, b], [b, a]]);
                let near: BTreeSet<_> = joined().filter(|[from, _]| *from == pair[0]).map(|[_, to]| to).collect();
                let [from, to] = [pair[0], pair[1]].map(quoted);
                if near.is_empty() {
                    let all: BTreeSet<_> = joined().map(|[from, _]| from).collect();
                    format!("has the node {from}, which no link joins; accepted: {}", listed(all))
                } else {
                    format!("has no link from {from} to {to}; accepted: from there to {}", listed(near))
                }
            })
        };
        nodes.windows(2).map(hop).collect()
    }

    /// Returns the links of a flow's forward route and of its return route.
    ///
    /// # Errors
    /// The field that is wrong, and the mistake, as a predicate.
    pub(super) fn try_routes(&self, flow: &Flow) -> Result<[Vec<Hop>; 2], (&'static str, String)> {
        self.there_and_back(&nodes_of(flow), flow.return_route.as_deref())
    }

    /// Returns the links of the routes to which a flow changes.
    ///
    /// # Errors
    /// The field that is wrong, and the mistake, as a predicate.
    pub(super) fn try_change(
        &self,
        flow: &Flow,
        change: &RouteChange,
    ) -> Result<[Vec<Hop>; 2], (&'static str, String)> {
        let (before, after) = (nodes_of(flow), texts(&change.route));
        if (before.first(), before.last()) != (after.first(), after.last()) {
            let [from, to] =
                [before.first(), before.last()].map(|node| node.map_or(String::new(), |node| quoted(node)));
            let what = format!("does not join the ends of the flow's route; accepted: from {from} to {to}");
            return Err(("route", what));
        }
        self.there_and_back(&after, change.return_route.as_deref())
    }

    /// Returns the links of a forward route and of the return route, which is the forward route backwards if there is no
    /// other.
    fn there_and_back(
        &self,
        forward: &[&str],
        return_route: Option<&[String]>,
    ) -> Result<[Vec<Hop>; 2], (&'static str, String)> {
        let reverse = match return_route {
            None => forward.iter().rev().copied().collect(),
            Some(own) => texts(own),
        };
        let ends = (forward.first() == reverse.last(), forward.last() == reverse.first());
        let routes = [
            self.over(forward).map_err(|what| ("route", what))?,
            self.over(&reverse).map_err(|what| ("return_route", what))?,
        ];
        if ends != (true, true) {
            let turned = |place: Option<&&str>| place.map_or(String::new(), |node| quoted(node));
            let accepted = format!("from {} to {}", turned(forward.last()), turned(forward.first()));
            return Err((
                "return_route",
                format!("does not lead from the sink's side to the source's; accepted: {accepted}"),
            ));
        }
        Ok(routes)
    }

    /// Returns the links of a flow's forward route and of its return route.
    pub fn routes(&self, flow: &Flow) -> [Vec<Hop>; 2] {
        self.try_routes(flow).expect("a scenario refuses other routes")
    }

    /// Returns the links of the new forward and return route of each change of a flow's routes.
    pub fn changed_routes(&self, flow: &Flow) -> Vec<[Vec<Hop>; 2]> {
        let new = |change| self.try_change(flow, change).expect("a scenario refuses other routes");
        flow.route_changes.iter().flatten().map(new).collect()
    }

    /// Returns the propagation delay of a route at the start, in nanoseconds, without the access links. The delay of a
    /// link's netem counts.
    pub fn delay_of(&self, route: &[Hop]) -> Nanos {
        let delay = |hop: &Hop| {
            let link = self.link(hop.link);
            let way = if hop.reverse { link.reverse_delay() } else { &link.delay };
            let netem = if hop.reverse { &link.reverse_netem } else { &link.netem };
            way.first().saturating_add(netem.as_ref().map_or(0, |netem| netem.delay))
        };
        route.iter().map(delay).fold(0, Nanos::saturating_add)
    }

    /// Returns the rate of the slowest link of a route; a rate that varies counts with its mean.
    pub fn slowest_of(&self, route: &[Hop]) -> Rate {
        let rate = |hop: &Hop| {
            let link = self.link(hop.link);
            let way = if hop.reverse { link.reverse_rate() } else { &link.rate };
            way.mean(self.duration)
        };
        route.iter().map(rate).min().unwrap_or(Rate::MIN)
    }
}

impl Scenario {
    /// Returns the parts of the forward and of the return route on which a flow has its tunnel, as ranges of their links.
    ///
    /// # Errors
    /// The field of the tunnel that is wrong, and the mistake, as a predicate.
    pub(super) fn try_tunnel(&self, flow: &Flow) -> Result<Option<[Range<usize>; 2]>, (&'static str, String)> {
        let Some(tunnel) = &flow.tunnel else { return Ok(None) };
        let (there, back) = (nodes_of(flow), return_nodes_of(flow));
        let (Some(first), Some(last)) = (there.first(), there.last()) else { return Ok(None) };
        let ends = [tunnel.from.as_deref().unwrap_or(first), tunnel.to.as_deref().unwrap_or(last)];
        let place = |nodes: &[&str], end: usize| nodes.iter().position(|node| *node == ends[end]);
        for (end, field) in [(0, "from"), (1, "to")] {
            for (nodes, route) in [(&there, "route"), (&back, "return route")] {
                if place(nodes, end).is_none() {
                    let nodes: Vec<_> = nodes.iter().map(|node| quoted(node)).collect();
                    return Err((field, format!("is no node of the {route}; accepted: {}", nodes.join(", "))));
                }
            }
        }
        let range = |nodes: &[&str], begin, end| Some(place(nodes, begin)?..place(nodes, end)?);
        let (Some(there), Some(back)) = (range(&there, 0, 1), range(&back, 1, 0)) else { return Ok(None) };
        if there.is_empty() || back.is_empty() {
            return Err(("to", "does not come after from on the route; accepted: a later node".to_owned()));
        }
        Ok(Some([there, back]))
    }

    /// Returns the parts of the forward and of the return route on which a flow has its tunnel, as ranges of their links;
    /// `None` for a flow without one.
    pub fn tunnel_of(&self, flow: &Flow) -> Option<[Range<usize>; 2]> {
        self.try_tunnel(flow).expect("a scenario refuses other tunnels")
    }
}
