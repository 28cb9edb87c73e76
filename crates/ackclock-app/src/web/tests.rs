//! Sessions on a link of 1 Mbit/s with a delay of 20 ms: 12.5 kB take 100 ms, a handshake 40 ms.

use super::*;
use crate::Command;
use crate::fake_network::{FakeNetwork, MILLISECOND, PATH, SECOND, ints, milliseconds};
use ackclock_results::Table;

fn constant(value: u64) -> Distribution {
    Distribution::Constant(value)
}

/// One user with pages of a main object of 12.5 kB and three objects of 2.5 kB, which take 20 ms each.
fn params() -> WebParams {
    WebParams {
        visitors: Visitors::Users(1),
        pages: constant(1),
        think: constant(SECOND),
        objects: constant(4),
        object_size: constant(2_500),
        main_size: constant(12_500),
        request_size: constant(300),
        server_think: constant(10 * MILLISECOND),
        parallel: 2,
        reuse: Reuse::Page,
        records: true,
    }
}

fn network(change: impl FnOnce(&mut WebParams)) -> FakeNetwork<Web> {
    let mut params = params();
    change(&mut params);
    let mut network = FakeNetwork::new(1_000_000, Web::new(params, PATH));
    network.delay = 20 * MILLISECOND;
    network
}

fn tables(network: &FakeNetwork<Web>) -> AppTables {
    let mut tables = AppTables::new();
    network.app.report("w", network.now, &mut tables);
    tables
}

fn opens(network: &FakeNetwork<Web>) -> Vec<Nanos> {
    let open = |(at, command): &(Nanos, Command)| matches!(command, Command::Open { .. }).then_some(at / MILLISECOND);
    network.log.iter().filter_map(open).collect()
}

/// The main object takes 40 ms for the handshake, 20 for the request, 10 at the server, 100 on the link and 20 of
/// one-way delay. Then two objects are fetched at once: one over the existing connection (20 + 10 + 20 + 20), the other
/// over a new one (40 more). The third object follows the first.
#[test]
fn the_main_object_first_and_then_in_parallel() {
    let mut network = network(|_| {});
    network.run_until(1_500 * MILLISECOND);
    let tables = tables(&network);
    let objects = &tables["web_objects"];
    assert_eq!(milliseconds(objects, "start_s"), [1_000, 1_190, 1_190, 1_260]);
    assert_eq!(milliseconds(objects, "end_s"), [1_190, 1_260, 1_300, 1_330]);
    assert_eq!(ints(objects, "index"), [0, 1, 2, 3]);
    assert_eq!(opens(&network), [1_000, 1_190]);
    let pages = &tables["web_pages"];
    assert_eq!((milliseconds(pages, "duration_s"), ints(pages, "bytes")), (vec![330], vec![20_000]));
    let completions = &tables["completions"];
    assert_eq!((ints(completions, "count"), ints(completions, "open")), (vec![4, 1], vec![0, 0]));
    assert_eq!(milliseconds(completions, "max_s"), [190, 330]);
    assert_eq!(ints(&tables["completion_bins"], "count"), [2, 1, 1, 1], "70, 110, 190 ms; a page");
    assert!(network.app.channels.is_empty(), "closed after the page");
}

#[test]
fn a_connection_serves_an_object_or_a_page_or_a_session() {
    let connections = |reuse| {
        let mut network = network(|params| {
            params.reuse = reuse;
            params.visitors = Visitors::Sessions(0.001);
            params.pages = constant(3);
        });
        // The session starts at its arrival.
        network.run_until(5_000 * SECOND);
        let web = tables(&network)["web"].clone();
        let sessions = ints(&web, "sessions_done")[0];
        assert!(sessions > 0 && ints(&web, "sessions") == [sessions]);
        assert_eq!((ints(&web, "pages")[0], ints(&web, "objects")[0]), (3 * sessions, 12 * sessions));
        assert!(network.app.channels.is_empty() && network.app.visits.iter().all(Option::is_none));
        ints(&web, "connections")[0] as f64 / sessions as f64
    };
    assert_eq!([Reuse::Object, Reuse::Page, Reuse::Session].map(connections), [12.0, 6.0, 2.0]);
}

#[test]
fn the_closer_is_the_server_after_an_object_and_the_client_after_a_page() {
    for (reuse, first) in [(Reuse::Object, Side::Source), (Reuse::Page, Side::Sink)] {
        let mut network = network(|params| {
            params.reuse = reuse;
            params.objects = constant(1);
        });
        network.run_until(1_500 * MILLISECOND);
        let close = |(_, command): &(Nanos, Command)| match command {
            Command::Close { side, .. } => Some(*side),
            _ => None,
        };
        let closes: Vec<_> = network.log.iter().filter_map(close).collect();
        assert_eq!(closes[..2], [first, first.peer()]);
    }
}

#[test]
fn users_think_before_each_page_and_never_leave() {
    let mut network = network(|params| {
        params.visitors = Visitors::Users(3);
        params.objects = constant(1);
    });
    network.run_until(10 * SECOND);
    let tables = tables(&network);
    let starts = milliseconds(&tables["web_pages"], "start_s");
    assert_eq!(starts[..3], [1_000; 3]);
    // Three at once take 290, 390 and 390 ms, because the link serves writes in their order.
    assert!(starts.len() >= 18 && starts.windows(2).all(|pair| pair[0] <= pair[1]), "{starts:?}");
    assert_eq!(ints(&tables["web"], "sessions"), [3]);
    assert_eq!(ints(&tables["web"], "sessions_done"), [0]);
}

/// 20 sessions per second for 200 s; the number in a time is Poisson, so its standard deviation is the square root of
/// its mean.
#[test]
fn sessions_arrive_as_a_poisson_process() {
    let mut network = network(|params| {
        params.visitors = Visitors::Sessions(20.0);
        params.objects = constant(1);
        params.main_size = constant(100);
    });
    network.run_until(200 * SECOND);
    let starts = milliseconds(&tables(&network)["web_pages"], "start_s");
    let count = starts.len() as f64;
    assert!((count - 4_000.0).abs() < 4.5 * libm::sqrt(4_000.0), "{count}");
    let mut seconds = [0.0_f64; 200];
    starts.iter().for_each(|start| seconds[*start as usize / 1_000] += 1.0);
    let mean = count / 200.0;
    let variance = seconds.iter().map(|n| (n - mean) * (n - mean)).sum::<f64>() / 199.0;
    // The variance over 200 seconds has a relative deviation of a tenth.
    assert!((variance / mean - 1.0).abs() < 0.45, "{variance} {mean}");
}

/// Requests do not depend on how fast the answers arrive.
#[test]
fn sessions_are_alike_on_every_network() {
    let rows = |rate| {
        let mut params = params();
        params.visitors = Visitors::Sessions(5.0);
        params.pages = Distribution::Uniform { min: 1, max: 3 };
        params.objects = Distribution::Uniform { min: 1, max: 9 };
        params.object_size = Distribution::Exponential(3_000);
        params.main_size = Distribution::Exponential(9_000);
        let mut network = FakeNetwork::new(rate, Web::new(params, PATH));
        network.run_until(60 * SECOND);
        let objects = tables(&network)["web_objects"].clone();
        let [session, page, index, bytes] = ["session", "page", "index", "bytes"].map(|name| ints(&objects, name));
        let mut rows: Vec<_> =
            (0..session.len()).map(|row| (session[row], page[row], index[row], bytes[row])).collect();
        rows.sort_unstable();
        rows.retain(|row| row.0 < 100);
        rows
    };
    let fast = rows(100_000_000);
    assert!(fast.len() > 500);
    assert_eq!(fast, rows(10_000_000));
}

/// The memory depends on what is open, not on how many sessions there were.
#[test]
fn finished_sessions_and_connections_leave_nothing() {
    let mut network = network(|params| {
        params.visitors = Visitors::Sessions(50.0);
        params.main_size = constant(500);
        params.object_size = constant(100);
        params.records = false;
    });
    network.run_until(200 * SECOND);
    let web = &network.app;
    assert!(web.counts.sessions_done > 9_000);
    // 0.17 s and 50 sessions per second give 9 open sessions on average.
    assert!(web.visits.len() < 50 && web.counts.connections_max < 100, "{:?}", web.counts);
    assert!(web.object_rows.is_empty() && web.page_rows.is_empty());
    let tables = tables(&network);
    let rows: usize = tables.values().map(Table::len).sum();
    assert!(rows < 2_000, "{rows}");
}

#[test]
fn an_object_whose_connection_dies_is_left_out_of_the_page() {
    // At the first time the main object is in its handshake; at the second another object is in progress.
    for at in [1_010, 1_200] {
        let mut network = network(|_| {});
        network.run_until(at * MILLISECOND);
        let conn = *network.app.channels.iter().rfind(|(_, channel)| channel.object.is_some()).unwrap().0;
        network.reset(conn);
        network.run_until(1_900 * MILLISECOND);
        let web = tables(&network)["web"].clone();
        assert_eq!((ints(&web, "objects_failed"), ints(&web, "objects")), (vec![1], vec![3]), "{at}");
        assert_eq!(tables(&network)["web_pages"].len(), 1);
    }
}
