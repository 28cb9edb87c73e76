//! The paths of a flow whose transfers use several: each path is a list of links by their names.

use std::collections::BTreeSet;

use ackclock_core::Rate;
use ackclock_schema::Rules;
use ackclock_schema::problems::listed;
use ackclock_schema::tree::{KeyPath, quoted};

use super::graph::{ENDS, Hop};
use super::model::{Flow, Scenario};

/// Largest number of paths of a flow. Linux's MPTCP has at most 8 subflows of a connection besides the first
/// (`MPTCP_PM_ADDR_MAX`).
const MOST: usize = 8;

/// The links of a route or path, forward and backwards.
pub type Routes = [Vec<Hop>; 2];

impl Scenario {
    /// Returns the ends of a link by its number.
    fn ends_of(&self, link: usize) -> [&str; 2] {
        match link.checked_sub(1).and_then(|place| self.links.as_ref()?.get(place)) {
            Some(link) => [link.ends.first(), link.ends.get(1)].map(|end| end.map_or("", String::as_str)),
            None => ENDS,
        }
    }

    /// Returns the links of a path, in the direction from the source's side to the sink's: a single link is taken from its
    /// first end to its second.
    fn along(&self, names: &[String]) -> Result<Vec<Hop>, String> {
        let number = |name: &String| {
            self.all_links().position(|(link, _)| link == name).ok_or_else(|| {
                let known: BTreeSet<_> = self.all_links().map(|(link, _)| link).collect();
                format!("has the link {}, which does not exist; accepted: {}", quoted(name), listed(known))
            })
        };
        let links = names.iter().map(number).collect::<Result<Vec<_>, _>>()?;
        let mut mistake = "has no link; accepted: the links from the source's side to the sink's".to_owned();
        for first_reverse in [false, true] {
            match self.follow(&links, names, first_reverse) {
                Ok(hops) if !hops.is_empty() => return Ok(hops),
                Err(what) if !first_reverse => mistake = what,
                _ => {}
            }
        }
        Err(mistake)
    }

    fn follow(&self, links: &[usize], names: &[String], first_reverse: bool) -> Result<Vec<Hop>, String> {
        let (mut hops, mut nodes) = (Vec::new(), Vec::<&str>::new());
        for (&link, name) in links.iter().zip(names) {
            let [one, other] = self.ends_of(link);
            let reverse = match nodes.last() {
                None => first_reverse,
                Some(at) if *at == one => false,
                Some(at) if *at == other => true,
                Some(at) => {
                    return Err(format!(
                        "has the link {}, which does not begin where {} ends, at {}; accepted: links that follow each other",
                        quoted(name),
                        quoted(&names[hops.len() - 1]),
                        quoted(at)
                    ));
                }
            };
            let [from, to] = if reverse { [other, one] } else { [one, other] };
            if nodes.is_empty() {
                nodes.push(from);
            }
            if nodes.contains(&to) {
                return Err(format!("loops: it comes to {} twice; accepted: each node once", quoted(to)));
            }
            nodes.push(to);
            hops.push(Hop { link, reverse });
        }
        Ok(hops)
    }

    /// Returns the links of each path of a flow, forward and backwards; `None` for a flow without `paths`.
    ///
    /// # Errors
    /// The number of the path that is wrong, and the mistake, as a predicate.
    pub(super) fn try_paths(&self, flow: &Flow) -> Result<Option<Vec<Routes>>, (usize, String)> {
        let Some(paths) = &flow.paths else { return Ok(None) };
        let both = |(number, names): (usize, &Vec<String>)| {
            let forward = self.along(names).map_err(|what| (number, what))?;
            let back = forward.iter().rev().map(|hop| Hop { reverse: !hop.reverse, ..*hop }).collect();
            Ok([forward, back])
        };
        paths.iter().enumerate().map(both).collect::<Result<_, _>>().map(Some)
    }

    /// Returns the links of each path of a flow, forward and backwards; `None` for a flow without `paths`.
    pub fn paths_of(&self, flow: &Flow) -> Option<Vec<Routes>> {
        self.try_paths(flow).expect("a scenario refuses other paths")
    }

    /// Returns the routes of a flow, forward and backwards: one, or one for each of its paths.
    pub fn all_routes(&self, flow: &Flow) -> Vec<Routes> {
        self.paths_of(flow).unwrap_or_else(|| vec![self.routes(flow)])
    }

    /// Returns the routes of a flow as far as they are right: a mistake is reported at the route or path.
    pub(super) fn known_routes(&self, flow: &Flow) -> Vec<Routes> {
        match self.try_paths(flow) {
            Ok(Some(paths)) => paths,
            Ok(None) => vec![self.try_routes(flow).unwrap_or_default()],
            Err(_) => vec![Default::default()],
        }
    }

    /// Returns the rate that a flow can have over its routes at most, of which each has access links of the rate `access`.
    /// Paths that share their slowest link have its rate together.
    pub fn rate_over(&self, routes: &[Routes], access: Rate) -> Rate {
        let slowest = |route: &[Hop]| {
            let rates = route.iter().map(|hop| (self.slowest_of(&[*hop]), hop.link, hop.reverse));
            rates.min_by_key(|(rate, ..)| *rate)
        };
        let mut counted = BTreeSet::new();
        let mut bits = 0_u64;
        for [forward, _] in routes {
            match slowest(forward).filter(|(rate, ..)| *rate <= access) {
                Some((rate, link, reverse)) if counted.insert((link, reverse)) => bits += rate.bits(),
                Some(_) => {}
                None => bits += access.bits(),
            }
        }
        Rate::new(bits).unwrap_or(access)
    }
}

impl Flow {
    /// Returns the names of the flow's paths in tables: their links with `+` between them, and the number of a path that is
    /// there more than once.
    pub fn path_names(&self) -> Vec<String> {
        let paths = self.paths.as_deref().unwrap_or_default();
        let name = |(number, path): (usize, &Vec<String>)| {
            let before = paths[..number].iter().filter(|other| *other == path).count();
            let links = path.join("+");
            if before == 0 { links } else { format!("{links} ({})", before + 1) }
        };
        paths.iter().enumerate().map(name).collect()
    }
}

/// Refuses paths that are wrong, and fields that do not go with paths. `needs` are the fields on which the links depend.
pub(super) fn check(scenario: &Scenario, flow: &Flow, needs: &[KeyPath], rules: &mut Rules<'_, '_>) {
    let Some(paths) = &flow.paths else { return };
    if let Err((number, message)) = scenario.try_paths(flow) {
        let at = rules.at.key("paths").index(number);
        rules.with(|problems| {
            if problems.sound(&at) && needs.iter().all(|path| problems.sound(path)) {
                let shown = problems.written(&at).unwrap_or_default();
                problems.add(at, format!("{shown} {message}"));
            }
        });
    }
    let message = format!("has {} paths; accepted: at most {MOST}", paths.len());
    rules.refuse(paths.len() > MOST, "paths", &[], "", message);
    for field in ["route", "return_route", "route_changes", "tunnel"] {
        let message = "does not go with paths, which name the links of each path; accepted: one of both";
        rules.refuse(rules.given(field), field, &[], "", message);
    }
    for field in ["reading", "source_reading"] {
        let message = "does not go with paths, whose data is read at once; accepted: one of both";
        rules.refuse(rules.given(field), field, &[], "", message);
    }
    for field in ["send_buffer", "send_buffer_max", "notsent_lowat", "write_size"] {
        let message = "does not go with paths, whose data waits in the transfer and not in TCP; accepted: one of both";
        rules.refuse(rules.given(field), field, &[], "", message);
    }
    let message = "is not for a transfer over several paths, which needs TCP; accepted: no paths, or \"tcp\"";
    rules.refuse(flow.other_transport().is_some(), "transport", &[], "", message);
    let message = "is more than 0 on a flow with paths, whose data must have arrived; accepted: 0";
    rules.refuse(
        flow.other_transport().is_none() && flow.acknowledges_unseen_data(),
        "optimistic_acks",
        &[],
        "",
        message,
    );
    let datagrams = scenario.sends_datagrams(flow);
    let message = "has no effect, because the application sends datagrams of its own; accepted: no paths";
    rules.refuse(datagrams, "paths", &[rules.at.key("app")], "", message);
    let message = "does not go with an application that has several hosts at an end; accepted: another application";
    rules.refuse(flow.app.hosts() != [1, 1], "paths", &[rules.at.key("app")], "", message);
}
