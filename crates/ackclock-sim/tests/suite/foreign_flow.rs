//! A further flow changes no other flow, neither by its connections nor by its random draws, for any queue.

use ackclock_net::queue::CATALOGUE;
use ackclock_results::{Column, Table};
use ackclock_scenario::Scenario;
use ackclock_sim::Output;

/// Many short connections, datagrams and long flows share a queue with few places; `foreign` is the first of all flows.
fn run(queue: &str, foreign: &str) -> Output {
    let text = format!(
        "duration = '2s'\n[bottleneck]\nrate = '3Mbps'\ndelay = '10ms'\nqueue = {queue}\n[access]\nsource_delay = '5ms'\n\
         [[links]]\nname = 'aside'\nends = ['left', 'elsewhere']\nrate = '10Mbps'\ndelay = '1ms'\n\
         {foreign}\
         [[flows]]\nstack = 'rfc'\nname = 'web'\ncount = 8\nstart_jitter = '100ms'\n\
         app = {{ kind = 'transfer', size = '8kB', count = 1000, gap = '5ms' }}\n\
         [[flows]]\nstack = 'rfc'\nname = 'call'\napp = 'voip'\n[[flows]]\nstack = 'rfc'\nname = 'bulk'\ncount = 2\napp = 'bulk'\nstart_jitter = '100ms'\n\
         [probes]\npackets = true\nqueues = true\n"
    );
    let scenario = Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{text}: {error}"));
    let output = ackclock_sim::Run::verified(&scenario, None).unwrap();
    assert_eq!((&output.violations[..], &output.findings[..]), (&[][..], &[][..]), "{text}");
    output
}

/// Returns the rows of a table that do not belong to the foreign flow or to the link that only it uses.
fn others(table: &Table) -> Vec<(&'static str, Column)> {
    let strange = |name: &Option<String>| matches!(name.as_deref(), Some("foreign" | "aside" | "aside.reverse"));
    let named = ["flow", "link"].map(|name| match table.column(name) {
        Some(Column::Text(cells)) => cells.iter().map(strange).collect(),
        _ => vec![false; table.len()],
    });
    let is_kept = |row: &usize| !named[0][*row] && !named[1][*row];
    fn kept<T: Clone>(cells: &[T], is_kept: impl Fn(&usize) -> bool) -> Vec<T> {
        (0..cells.len()).filter(is_kept).map(|row| cells[row].clone()).collect()
    }
    let column = |column: &Column| match column {
        Column::Int(cells) => Column::Int(kept(cells, is_kept)),
        Column::Float(cells) => Column::Float(kept(cells, is_kept)),
        Column::Text(cells) => Column::Text(kept(cells, is_kept)),
        Column::Bool(cells) => Column::Bool(kept(cells, is_kept)),
    };
    table.columns.iter().map(|(name, cells)| (*name, column(cells))).collect()
}

#[test]
fn a_flow_that_sends_nothing_or_elsewhere_changes_no_table_of_the_others() {
    // The foreign flows: one has nothing to send before the end, one uses only another link, with a connection every
    // few milliseconds, and one sends datagrams over that link.
    let route = "route = ['left', 'elsewhere']\n";
    let silent =
        "[[flows]]\nstack = 'rfc'\nname = 'foreign'\napp = { kind = 'list', items = [{ at = '1h', size = '1kB' }] }\n"
            .to_owned();
    let app = "app = { kind = 'transfer', size = '1kB', count = 1000, gap = '3ms' }\n";
    let busy = format!("[[flows]]\nstack = 'rfc'\nname = 'foreign'\n{app}{route}");
    let stream = "app = { kind = 'cbr', rate = '1Mbps', packet_size = '500B' }\n";
    let datagrams = format!("[[flows]]\nstack = 'rfc'\nname = 'foreign'\n{stream}{route}");
    for entry in CATALOGUE {
        let queue = match entry.name {
            "drop-tail" => "'20 packets'".to_owned(),
            // There are few queues, so that flows share them and the assignment matters.
            "sfq" => "{ kind = 'sfq', limit = '30 packets', buckets = 4 }".to_owned(),
            name @ ("fq-codel" | "fq-pie") => format!("{{ kind = '{name}', flows = 4 }}"),
            "sfq-codel" => "{ kind = 'sfq-codel', bins = 4 }".to_owned(),
            "token-bucket" => "{ kind = 'token-bucket', rate = '2Mbps' }".to_owned(),
            name => format!("{{ kind = '{name}' }}"),
        };
        let alone = run(&queue, "");
        for foreign in [&silent, &busy, &datagrams] {
            let together = run(&queue, foreign);
            for (name, table) in &alone.tables {
                assert!(others(&together.tables[name]) == others(table), "{name} over {queue} with {foreign}");
            }
        }
    }
}
