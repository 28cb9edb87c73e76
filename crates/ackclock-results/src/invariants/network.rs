//! Compares links, queues and packets with each other.

use std::collections::BTreeMap;

use super::view::{Checker, View};
use crate::seconds;
use ackclock_core::headers::{LARGEST_PACKET, UDP_IPV4};

/// The columns of `links` that count drops, with the causes that `packets` gives them.
const CAUSES: [(&str, &str); 4] =
    [("queue_drops", "queue"), ("aqm_drops", "aqm"), ("policer_drops", "policer"), ("losses", "loss")];
/// The causes of losses on the wire.
const WIRE: [&str; 2] = ["corruption", "outage"];

pub(super) fn check(checker: &mut Checker<'_>) {
    let Some(links) = checker.table("links") else { return };
    for row in links.rows() {
        link(checker, links, row);
    }
    if let Some(queues) = checker.table("queues") {
        queue_lengths(checker, queues);
        departures(checker, links, queues);
    }
    if let Some(flows) = checker.table("flows") {
        carried_at_least(checker, links, flows);
    }
    if let Some(packets) = checker.table("packets").filter(|_| checker.facts.records_all()) {
        let fates = Fates::of(packets);
        drops(checker, links, &fates);
        conservation(checker, links, &fates);
    }
}

/// Checks a row of `links` by itself.
fn link(checker: &mut Checker<'_>, links: View<'_>, row: usize) {
    let count = |column| links.count(column, row);
    let sum = CAUSES.iter().map(|(column, _)| count(column)).sum();
    checker.counts(links.at(row, "drops"), sum, "the sum of queue_drops, aqm_drops, policer_drops and losses");
    let (packets, drops) = (count("packets"), count("drops"));
    let offered = packets + drops;
    let rate = (offered > 0).then(|| drops as f64 / offered as f64);
    checker.equals(links.at(row, "drop_rate"), rate, "drops over drops and packets");
    let bytes = links.at(row, "bytes");
    checker.at_least(bytes, (packets * i64::from(UDP_IPV4)) as f64, "the headers of the packets");
    checker.at_most(bytes, (packets * i64::from(LARGEST_PACKET)) as f64, "packets of the largest size");
    checker.at_most(links.at(row, "wire_losses"), packets as f64, "the packets");
    checker.at_most(links.at(row, "marks"), packets as f64, "the packets");
    if packets > count("wire_losses") {
        let delay = links.at(row, "queue_delay_max_ms");
        checker.expect(delay, delay.value().is_some(), || "a delay, as packets have passed".to_owned());
    }
}

/// Checks that the packets and bytes of a queue agree.
fn queue_lengths(checker: &mut Checker<'_>, queues: View<'_>) {
    for row in queues.rows() {
        let packets = queues.count("packets", row) as f64;
        let bytes = queues.at(row, "bytes");
        checker.at_least(bytes, packets * f64::from(UDP_IPV4), "the headers of the packets");
        // Each segment of a large packet counts with its headers: at most twice the largest packet.
        checker.at_most(bytes, packets * 2.0 * f64::from(LARGEST_PACKET), "packets of the largest size");
        let sent = queues.count("sent", row) > 0;
        for column in ["sojourn_ms", "sojourn_max_ms"] {
            let place = queues.at(row, column);
            checker.expect(place, place.value().is_some() == sent, || "a time where packets were sent".to_owned());
        }
        let longest = queues.number("sojourn_max_ms", row).unwrap_or(0.0);
        checker.at_most(queues.at(row, "sojourn_ms"), longest, "sojourn_max_ms");
    }
}

/// Checks that the links have carried the packets that left the queues.
fn departures(checker: &mut Checker<'_>, links: View<'_>, queues: View<'_>) {
    let sent = queues.sums("link", |row| queues.count("sent", row));
    let (rows, names) = (queues.rows().len(), links.rows().len().max(1));
    for row in links.rows() {
        let name = links.text("link", row).unwrap_or_default();
        let most = links.count("packets", row) - links.count("wire_losses", row) + 1;
        let found = sent.get(name).copied().unwrap_or(0);
        checker.expect(links.at(row, "packets"), found <= most, || {
            format!("at least {}, as many packets have left the queue for the wire in the table queues", found - 1)
        });
    }
    let delays: BTreeMap<_, _> = links
        .rows()
        .filter_map(|row| Some((links.text("link", row)?, links.number("queue_delay_max_ms", row))))
        .collect();
    for row in queues.rows() {
        let longest = queues.text("link", row).and_then(|link| delays.get(link).copied().flatten());
        checker.at_most(queues.at(row, "sojourn_max_ms"), longest.unwrap_or(0.0), "queue_delay_max_ms of links");
    }
    let last = queues.at(rows.saturating_sub(1), "packets");
    checker.expect(last, rows % names == 0, || "a row for each link at each instant".to_owned());
}

/// Checks that a byte that a sink has received passed every link of its route. Datagrams that a later link duplicated
/// count twice, so a run with duplicates is not checked.
fn carried_at_least(checker: &mut Checker<'_>, links: View<'_>, flows: View<'_>) {
    if links.rows().any(|row| links.count("duplicates", row) > 0) {
        return;
    }
    let mut delivered = BTreeMap::<&str, i64>::new();
    for row in flows.rows() {
        let Some([there, _]) = flows.text("flow", row).and_then(|flow| checker.facts.routes.get(flow)) else {
            continue;
        };
        for link in there {
            *delivered.entry(link).or_default() += flows.count("bytes_delivered", row);
        }
    }
    for row in links.rows() {
        let name = links.text("link", row).unwrap_or_default();
        let least = delivered.get(name).copied().unwrap_or(0);
        checker.at_least(links.at(row, "bytes"), least as f64, "bytes_delivered of the flows over the link");
    }
}

/// Events of packets: by flow, side and event, and dropped packets by link and cause.
pub(super) struct Fates<'a> {
    events: BTreeMap<(&'a str, &'a str, &'a str), i64>,
    dropped: BTreeMap<(&'a str, &'a str), i64>,
}

impl<'a> Fates<'a> {
    pub fn of(packets: View<'a>) -> Fates<'a> {
        let column = |name| packets.texts(name);
        let [flows, sides, events, links, causes] = ["flow", "side", "event", "link", "cause"].map(column);
        let mut fates = Fates { events: BTreeMap::new(), dropped: BTreeMap::new() };
        for row in packets.rows() {
            let [flow, side, event, link, cause] =
                [flows, sides, events, links, causes].map(|cells| cells.get(row).and_then(Option::as_deref));
            let (flow, side, event) = (flow.unwrap_or_default(), side.unwrap_or_default(), event.unwrap_or_default());
            *fates.events.entry((flow, side, event)).or_default() += 1;
            if event == "dropped" {
                *fates.dropped.entry((link.unwrap_or_default(), cause.unwrap_or_default())).or_default() += 1;
            }
        }
        fates
    }

    fn of_event(&self, flow: &str, side: &str, event: &str) -> i64 {
        self.events.get(&(flow, side, event)).copied().unwrap_or(0)
    }
}

/// Checks that each drop has its row in `packets`.
fn drops(checker: &mut Checker<'_>, links: View<'_>, fates: &Fates<'_>) {
    let of = |link, cause| fates.dropped.get(&(link, cause)).copied().unwrap_or(0);
    for row in links.rows() {
        let name = links.text("link", row).unwrap_or_default();
        for (column, cause) in CAUSES {
            let why = format!("the packets with event dropped and cause {cause}");
            checker.counts(links.at(row, column), of(name, cause), why);
        }
        let lost = WIRE.iter().map(|cause| of(name, cause)).sum();
        let why = "the packets with event dropped and cause corruption or outage";
        checker.counts(links.at(row, "wire_losses"), lost, why);
    }
}

/// Checks that the packets that a flow's end has sent pass the links of its route, are dropped by one of them, or are
/// still in flight.
fn conservation(checker: &mut Checker<'_>, links: View<'_>, fates: &Fates<'_>) {
    let copies: i64 = links.rows().map(|row| links.count("duplicates", row)).sum();
    let (mut sent, mut came) = (BTreeMap::<&str, i64>::new(), BTreeMap::<&str, i64>::new());
    let facts = checker.facts;
    let flows = checker.table("flows");
    let rows: BTreeMap<_, _> =
        flows.iter().flat_map(|flows| flows.rows().filter_map(|row| Some((flows.text("flow", row)?, row)))).collect();
    for (flow, routes) in &facts.routes {
        for (route, side) in routes.iter().zip(["source", "sink"]) {
            let of = |event| fates.of_event(flow, side, event);
            let at_times = facts.at_times.get(flow).map(|routes| &routes[usize::from(side == "sink")][..]);
            for link in at_times.unwrap_or_default() {
                *sent.entry(link).or_default() += of("sent");
            }
            for link in route {
                *sent.entry(link).or_default() += of("sent");
                *came.entry(link).or_default() += of("delivered");
            }
            let (ended, begun) = (of("delivered") + of("dropped"), of("sent") + copies);
            if let (Some(flows), Some(row)) = (flows, rows.get(flow.as_str())) {
                checker.expect(flows.at(*row, "flow"), ended <= begun, || {
                    format!(
                        "at most {begun} packets of the {side} delivered or dropped, as many as were sent, not {ended}"
                    )
                });
            }
        }
    }
    let end = seconds(facts.end);
    for row in links.rows() {
        let name = links.text("link", row).unwrap_or_default();
        let of = |counts: &BTreeMap<&str, i64>| counts.get(name).copied().unwrap_or(0);
        let place = links.at(row, "packets");
        let most = of(&sent) + copies - links.count("drops", row);
        checker.at_most(place, most as f64, format!("what was sent over the link by {end} s less its drops"));
        // A packet that another link duplicated may not have passed this link.
        let elsewhere = copies - links.count("duplicates", row);
        let least = of(&came) + links.count("wire_losses", row) - elsewhere;
        checker.at_least(place, least as f64, "what was delivered over the link, and its losses on the wire");
    }
}
