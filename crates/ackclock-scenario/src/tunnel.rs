//! Tunnels: where they lie on the routes of a flow, and the rules for ECN at their ends.

use std::ops::Range;

use ackclock_net::Tunnelling;
use ackclock_schema::kinds::{OneOf, one_of};
use ackclock_schema::tree::quoted;

use super::graph::{nodes_of, return_nodes_of};
use super::model::{Flow, Scenario};

/// Returns the kind of fields that hold a [`Tunnelling`].
pub(super) fn tunnelling() -> OneOf<Tunnelling> {
    let options = [
        (
            "normal",
            Tunnelling::Normal,
            "the field is copied to the outer header, and both are combined at the end (RFC 6040)",
        ),
        (
            "compatibility",
            Tunnelling::Compatibility,
            "the outer header is Not-ECT, so that queues in the tunnel drop instead of marking (RFC 6040)",
        ),
        (
            "rfc3168-full",
            Tunnelling::Rfc3168Full,
            "full functionality of RFC 3168: copied, but CE becomes ECT(0) in the outer header",
        ),
        (
            "rfc3168-limited",
            Tunnelling::Rfc3168Limited,
            "limited functionality of RFC 3168: the outer header is Not-ECT",
        ),
        ("rfc4301", Tunnelling::Rfc4301, "IPsec: copied, and the end drops nothing"),
    ];
    one_of("treatment of ECN in a tunnel", options)
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
