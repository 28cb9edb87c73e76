//! A session over a network that can be computed by hand: 500 kbit/s x 2 s = 125 kB = 1 s at 1 Mbit/s.

use std::sync::{Arc, Mutex};

use proptest::prelude::*;

use super::*;
use crate::Command;
use crate::abr;
use crate::fake_network::{FakeNetwork, MILLISECOND, SECOND};
use ackclock_results::{Column, Table};

/// One level of 500 kbit/s, segments of 2 s, responses without a header.
pub(super) fn one_level() -> DashParams {
    DashParams { header_size: 0, request_size: 100, buffer: 6 * SECOND, ..DashParams::new(vec![500_000], 2 * SECOND) }
}

pub(super) fn network(rate: u64, params: DashParams) -> FakeNetwork<Dash> {
    FakeNetwork::new(rate, Dash::new(params, "video").expect("sound parameters"))
}

pub(super) fn request_times(network: &FakeNetwork<Dash>) -> Vec<Nanos> {
    network.writes(Side::Sink).into_iter().map(|(time, _)| time).collect()
}

pub(super) fn player(network: &FakeNetwork<Dash>) -> Player {
    let mut player = network.app.session.as_ref().expect("started").player.clone();
    player.advance(network.now);
    player
}

fn rule(name: &str) -> abr::Rule {
    abr::Rule::listed(name, &[]).expect("in the catalogue")
}

fn levels(network: &FakeNetwork<Dash>) -> Vec<u64> {
    network.app.segments.iter().map(|segment| network.app.params.ladder[segment.level]).collect()
}

pub(super) fn table(network: &FakeNetwork<Dash>, name: &str) -> Table {
    let mut tables = AppTables::new();
    network.app.report("video", network.now, &mut tables);
    tables.remove(name).expect("a table of that name")
}

pub(super) fn floats(table: &Table, column: &str) -> Vec<Option<f64>> {
    match table.column(column) {
        Some(Column::Float(cells)) => cells.clone(),
        other => panic!("{column} is {other:?}"),
    }
}

#[test]
fn fills_the_buffer_then_asks_once_a_segment_duration() {
    let mut network = network(1_000_000, one_level());
    network.run_until(20 * SECOND);
    // Four downloads back to back fill the buffer to 5 s at 4 s; there is room for 2 s more from 5 s on, and then every
    // 2 s.
    let expected = [0, 1, 2, 3, 5, 7, 9, 11, 13, 15, 17, 19].map(|second| second * SECOND);
    assert_eq!(request_times(&network), expected);
    assert_eq!(player(&network).startup_time(), Some(SECOND));
    assert_eq!(player(&network).stalls(), 0);
    // The client is OFF for half of the time: the link carried 1 s in 2 from the fifth request on.
    let conn = Conn(0);
    assert_eq!(network.received(conn, Side::Sink), 125_000 * 12);
}

#[test]
fn no_request_while_the_buffer_has_no_room() {
    for (rate, capacity) in [(700_000, 6), (1_300_000, 4), (9_000_000, 12), (2_000_000, 2)] {
        let mut network = network(rate, DashParams { buffer: capacity * SECOND, ..one_level() });
        network.delay = 30 * MILLISECOND;
        network.run_until(60 * SECOND);
        // The buffer level computed from the arrivals alone, with playback from the first arrival on.
        let done: Vec<_> = network.app.segments.iter().filter_map(|segment| Some(segment.arrival?.at)).collect();
        let mut waited = 0;
        for (index, request) in request_times(&network).into_iter().enumerate().skip(1) {
            let mut buffer = 0;
            for arrival in done[..index].windows(2) {
                buffer = (buffer + 2 * SECOND).saturating_sub(arrival[1] - arrival[0]);
            }
            buffer = (buffer + 2 * SECOND).saturating_sub(request - done[index - 1]);
            assert!(buffer + 2 * SECOND <= capacity * SECOND, "{rate} {capacity}: {buffer} at {request}");
            if request > done[index - 1] {
                waited += 1;
                assert_eq!(buffer + 2 * SECOND, capacity * SECOND, "no later than there is room");
            }
        }
        assert!(waited > 5, "{rate} {capacity}: {waited}");
    }
}

#[test]
fn playback_begins_with_the_startup_level() {
    let mut network = network(1_000_000, DashParams { startup: 6 * SECOND, ..one_level() });
    network.run_until(20 * SECOND);
    assert_eq!(player(&network).startup_time(), Some(3 * SECOND));
    assert_eq!(player(&network).played(), 17 * SECOND);
    assert_eq!(request_times(&network)[..5], [0, 1, 2, 5, 7].map(|second| second * SECOND));
}

#[test]
fn stalls_are_exact_to_the_nanosecond() {
    // Two segments have arrived by 2 s; the third is requested at 3 s, when the rate falls to 300 kbit/s: 1,000 pieces
    // of 3,333,333 ns.
    let slow = || {
        let params = DashParams { buffer: 4 * SECOND, ..one_level() };
        network(1_000_000, params).step(3 * SECOND, 300_000).step(6 * SECOND, 1_000_000)
    };
    let mut once = slow();
    // 900 pieces have left at 5,999,999,700 ns, and one more leaves at that rate; the other 99 take 1 ms each.
    let arrival = 3 * SECOND + 901 * 3_333_333 + 99 * MILLISECOND;
    once.run_until(12 * SECOND);
    assert_eq!(once.app.segments[2].arrival.expect("in").at, arrival);
    assert_eq!(player(&once).stalls(), 1);
    assert_eq!(player(&once).stalled(), arrival - 5 * SECOND, "4 s of media from 1 s on");
    assert_eq!(once.app.segments[2].arrival.expect("in").stalled, arrival - 5 * SECOND);
    assert_eq!(once.app.segments[3].arrival.expect("in").stalled, 0);

    let mut during = slow();
    during.run_until(5 * SECOND + 1);
    assert_eq!((player(&during).stalls(), player(&during).stalled()), (1, 1), "a stall that is not over counts");
    let mut before = slow();
    before.run_until(5 * SECOND);
    assert_eq!(player(&before).stalls(), 0);
}

#[test]
fn playback_resumes_with_the_resume_level() {
    let params = DashParams { buffer: 4 * SECOND, resume: 4 * SECOND, ..one_level() };
    let mut network = network(1_000_000, params).step(3 * SECOND, 100_000).step(13 * SECOND, 1_000_000);
    network.run_until(13 * SECOND + 500 * MILLISECOND);
    assert_eq!((player(&network).phase(), player(&network).buffer()), (Phase::Stalled, 2 * SECOND));
    network.run_until(16 * SECOND);
    assert_eq!((player(&network).stalls(), player(&network).stalled()), (1, 9 * SECOND), "from 5 s to 14 s");
    let stalls = floats(&table(&network, "dash_segments"), "stall_s");
    assert_eq!(stalls[..4], [Some(0.0), Some(0.0), Some(8.0), Some(1.0)]);
}

#[test]
fn a_request_costs_a_round_trip_and_the_think_time() {
    let params = DashParams { think: 300 * MILLISECOND, header_size: 250, ..one_level() };
    let mut network = network(1_000_000, params);
    network.delay = 50 * MILLISECOND;
    network.run_until(2 * SECOND);
    assert_eq!(request_times(&network)[0], 100 * MILLISECOND, "the handshake");
    assert_eq!(network.writes(Side::Source)[0], (450 * MILLISECOND, 125_250));
    let segments = table(&network, "dash_segments");
    assert_eq!(floats(&segments, "first_byte_s")[0], Some(0.501));
    assert_eq!(floats(&segments, "done_s")[0], Some(1.502));
    assert_eq!(floats(&segments, "download_s")[0], Some(1.402));
    assert_eq!(floats(&segments, "download_bps")[0], Some(1e6 / 1.402));
    assert_eq!(floats(&segments, "done_s")[1], None, "asked for, not in");
    assert_eq!(segments.column("bytes"), Some(&Column::Int(vec![Some(125_000); 2])), "media without the header");
    let session = table(&network, "dash");
    assert_eq!(floats(&session, "startup_s"), [Some(1.502)]);
    assert_eq!(session.column("segments"), Some(&Column::Int(vec![Some(1)])));
}

#[test]
fn think_jitter_is_drawn_for_each_request() {
    let jitter = 200 * MILLISECOND;
    let mut network = network(8_000_000, DashParams { think: MILLISECOND, think_jitter: jitter, ..one_level() });
    network.run_until(100 * SECOND);
    let thought: Vec<_> = network
        .writes(Side::Source)
        .iter()
        .zip(request_times(&network))
        .map(|((sent, _), asked)| sent - asked)
        .collect();
    assert!(thought.iter().all(|time| (MILLISECOND..=MILLISECOND + jitter).contains(time)));
    let mean = thought.iter().sum::<Nanos>() / thought.len() as Nanos;
    assert!((80 * MILLISECOND..120 * MILLISECOND).contains(&mean), "{mean}");
    let mut distinct = thought.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), thought.len());
}

#[test]
fn a_presentation_ends_and_the_connection_closes() {
    let mut network = network(1_000_000, DashParams { segments: Some(3), ..one_level() });
    network.run_until(60 * SECOND);
    assert_eq!(request_times(&network).len(), 3);
    let closes: Vec<_> =
        network.log.iter().filter(|(_, command)| matches!(command, Command::Close { .. })).copied().collect();
    let close = |side| (3 * SECOND, Command::Close { conn: Conn(0), side });
    assert_eq!(closes, [close(Side::Sink), close(Side::Source)]);
    let player = player(&network);
    assert_eq!((player.phase(), player.played(), player.stalls()), (Phase::Ended, 6 * SECOND, 0));
}

#[test]
fn another_seed_is_another_presentation_and_another_server() {
    let run = |seed| {
        let params = DashParams { size_cv: 0.4, think_jitter: 100 * MILLISECOND, ..one_level() };
        let mut network = network(5_000_000, params);
        network.random = Stream::new(seed, "application");
        network.run_until(2 * SECOND);
        let sizes: Vec<_> = network.app.segments.iter().map(|segment| segment.bytes).collect();
        let thought = network.writes(Side::Source)[0].0 - request_times(&network)[0];
        (sizes, thought)
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1).0, run(2).0);
    assert_ne!(run(1).1, run(2).1);
}

#[test]
fn clients_of_a_seed_see_the_same_presentation_however_they_adapt() {
    let multipliers = |params: DashParams, rate| {
        let mut network = network(rate, DashParams { size_cv: 0.4, ..params });
        network.run_until(300 * SECOND);
        let app = network.app;
        let multiplier = |segment: &Segment| segment.bytes as f64 / (app.params.ladder[segment.level] as f64 / 4.0);
        app.segments.iter().map(multiplier).collect::<Vec<_>>()
    };
    let reference = multipliers(one_level(), 5_000_000);
    let ladder = vec![100_000, 300_000, 700_000, 1_500_000];
    for entry in abr::CATALOGUE {
        let params = DashParams {
            abr: rule(entry.name),
            think_jitter: 100 * MILLISECOND,
            ladder: ladder.clone(),
            ..one_level()
        };
        let other = multipliers(params, 900_000);
        assert!(other.len() > 100);
        for (index, (a, b)) in reference.iter().zip(&other).enumerate() {
            assert!((a / b - 1.0).abs() < 1e-3, "{} segment {index}: {a} {b}", entry.name);
        }
    }
    let spread = reference.iter().fold(0.0f64, |most, multiplier| most.max((multiplier - 1.0).abs()));
    assert!(spread > 0.5, "{spread}");
}

/// A rule that records its input, always chooses the one level, and waits once.
#[derive(Default)]
struct Scribe {
    wait: Nanos,
    notes: Arc<Mutex<Vec<String>>>,
}

impl Abr for Scribe {
    fn on_segment(&mut self, download: &Download) {
        let [asked, before, after] = [download.buffer_at_request, download.buffer_before, download.buffer_after]
            .map(|level| level / MILLISECOND);
        self.notes.lock().expect("one thread").push(format!("segment {asked} {before} {after}"));
    }

    fn on_stall(&mut self) {
        self.notes.lock().expect("one thread").push("stall".to_owned());
    }

    fn choose(&mut self, state: &State<'_>) -> Decision {
        self.notes.lock().expect("one thread").push(format!("choose {}", state.buffer / MILLISECOND));
        Decision { level: 0, wait: core::mem::take(&mut self.wait) }
    }
}

#[test]
fn the_rule_hears_of_a_stall_once_and_before_the_segment_that_ends_it() {
    let params = DashParams { buffer: 4 * SECOND, ..one_level() };
    let mut network = network(1_000_000, params).step(3 * SECOND, 250_000).step(7 * SECOND, 1_000_000);
    let scribe = Scribe::default();
    let notes = scribe.notes.clone();
    network.app.abr = Box::new(scribe);
    network.run_until(8 * SECOND);
    let expected = [
        "choose 0",
        "segment 0 0 2000",
        "choose 2000",
        "segment 2000 1000 3000",
        "choose 2000",
        "stall",
        "segment 2000 0 2000",
        "choose 2000",
        "segment 2000 1000 3000",
    ];
    assert_eq!(*notes.lock().expect("one thread"), expected);
}

#[test]
fn a_rule_that_wants_to_wait_is_asked_again_unless_nothing_drains() {
    let wait = |at, startup| {
        let mut network = network(1_000_000, DashParams { startup, ..one_level() });
        network.run_until(at);
        let scribe = Scribe { wait: 700 * MILLISECOND, ..Scribe::default() };
        network.app.abr = Box::new(scribe);
        network.run_until(4 * SECOND);
        request_times(&network)
    };
    assert_eq!(wait(SECOND, 2 * SECOND)[..3], [0, SECOND, 2_700 * MILLISECOND]);
    assert_eq!(wait(0, 6 * SECOND)[..3], [0, SECOND, 2 * SECOND], "while starting it would wait for ever");
}

#[test]
fn a_request_or_response_in_pieces_is_one() {
    let mut app = Dash::new(DashParams { header_size: 20, ..one_level() }, "video").expect("sound parameters");
    let mut random = Stream::new(1, "application");
    let mut next_conn = 0;
    let mut drive = |now, act: &mut dyn FnMut(&mut Dash, &mut AppContext<'_>)| {
        let mut commands = Vec::new();
        act(&mut app, &mut AppContext::new(now, &mut random, &mut commands, &mut next_conn));
        commands.len()
    };
    let conn = Conn(0);
    drive(0, &mut |app, ctx| app.on_start(ctx));
    drive(0, &mut |app, ctx| app.on_connected(ctx, conn, Side::Sink));
    let mut received = |now, side, total| drive(now, &mut |app, ctx| app.on_received(ctx, conn, side, total));
    assert_eq!(received(1, Side::Source, 99), 0, "the server waits for all of the request");
    assert_eq!(received(2, Side::Source, 100), 1);
    assert_eq!(received(3, Side::Source, 100), 0, "and answers once");
    assert_eq!(received(4, Side::Sink, 0), 0);
    assert_eq!(received(5, Side::Sink, 1), 0);
    assert_eq!(received(6, Side::Sink, 125_019), 0);
    assert_eq!(received(7, Side::Sink, 125_020), 1, "the next request");
    assert_eq!(received(8, Side::Sink, 125_020), 0, "the end of one response is not the start of the next");
    let segment = app.segments[0];
    assert_eq!((segment.first_byte, segment.arrival.map(|arrival| arrival.at)), (Some(5), Some(7)));
    assert_eq!(app.segments[1].first_byte, None);
}

#[test]
fn throughput_settles_on_the_highest_level_within_the_rate() {
    let ladder = vec![200_000, 400_000, 800_000, 1_000_000, 2_000_000];
    for (rate, level) in [(1_000_000, 1_000_000), (990_000, 800_000), (399_000, 200_000), (150_000, 200_000)] {
        let mut network = network(rate, DashParams { ladder: ladder.clone(), ..one_level() });
        network.run_until(200 * SECOND);
        let levels = levels(&network);
        assert_eq!(levels[0], 200_000);
        assert!(levels[levels.len() / 2..].iter().all(|chosen| *chosen == level), "{rate}: {levels:?}");
    }
}

#[test]
fn bba_follows_its_map() {
    let ladder = vec![200_000, 400_000, 800_000, 1_600_000];
    let params = DashParams { abr: rule("bba"), buffer: 42 * SECOND, ladder: ladder.clone(), ..one_level() };
    let mut network = network(600_000, params);
    network.run_until(600 * SECOND);
    // The reservoir is 15 s and the cushion ends at 36 s. The map at the buffer of each request is less than one step
    // of the ladder away.
    for (segment, level) in network.app.segments.iter().zip(levels(&network)) {
        let buffer = segment.buffer_at_request;
        let climbed = buffer.saturating_sub(15 * SECOND).min(21 * SECOND);
        let map = 200_000 + (u128::from(climbed) * 1_400_000 / u128::from(21 * SECOND)) as u64;
        let below = ladder.iter().rev().find(|rate| **rate <= map).copied().unwrap_or(200_000);
        let above = ladder.iter().find(|rate| **rate >= map).copied().unwrap_or(1_600_000);
        assert!((below..=above).contains(&level), "{level} at {buffer}");
        assert!(buffer > 15 * SECOND || level == 200_000);
    }
    let settled = levels(&network).split_off(100);
    assert!(settled.contains(&400_000) && settled.contains(&800_000), "between two levels it uses both");
    assert!(settled.iter().all(|level| (400_000..=800_000).contains(level)));
    assert_eq!(player(&network).stalls(), 0);
}

#[test]
fn every_rule_uses_the_link_without_stalls_and_recovers_from_a_fall() {
    let ladder = vec![100_000, 200_000, 300_000, 500_000, 700_000, 900_000, 1_200_000, 2_000_000];
    for entry in abr::CATALOGUE {
        let params = DashParams {
            abr: rule(entry.name),
            buffer: 24 * SECOND,
            estimator: abr::Estimator::Ewma,
            ladder: ladder.clone(),
            ..one_level()
        };
        let mut network = network(1_000_000, params).step(300 * SECOND, 350_000);
        network.delay = 20 * MILLISECOND;
        network.run_until(300 * SECOND);
        assert_eq!(player(&network).stalls(), 0, "{}", entry.name);
        let mean = |levels: &[u64]| levels.iter().sum::<u64>() / levels.len() as u64;
        let before = levels(&network);
        let settled = mean(&before[50..]);
        assert!((500_000..=1_000_000).contains(&settled), "{}: {settled}", entry.name);
        network.run_until(900 * SECOND);
        let after = levels(&network);
        let settled = mean(&after[after.len() - 100..]);
        assert!((200_000..=350_000).contains(&settled), "{}: {settled}", entry.name);
    }
}

#[test]
fn the_session_row_sums_up_the_segments() {
    let params = DashParams { ladder: vec![200_000, 800_000], buffer: 8 * SECOND, startup: 4 * SECOND, ..one_level() };
    let mut network = network(1_000_000, params);
    network.run_until(30 * SECOND);
    let (session, segments) = (table(&network, "dash"), table(&network, "dash_segments"));
    let Some(Column::Int(levels)) = segments.column("level_bps") else { panic!("levels are whole") };
    let rates: Vec<f64> = floats(&segments, "download_bps").into_iter().flatten().collect();
    let arrived = rates.len();
    let sum: i64 = levels[..arrived].iter().flatten().sum();
    assert_eq!(floats(&session, "mean_level_bps"), [Some(sum as f64 / arrived as f64)]);
    assert_eq!(floats(&session, "mean_download_bps"), [Some(1e6)]);
    assert_eq!(session.column("switches"), Some(&Column::Int(vec![Some(1)])), "from the lowest level to the other");
    // Playback begins with the second segment: the first takes 0.4 s and the second 1.6 s.
    assert_eq!(floats(&session, "startup_s"), [Some(2.0)]);
    assert_eq!(floats(&session, "played_s"), [Some(28.0)]);
}

#[test]
fn a_flow_that_never_started_reports_nothing_played() {
    let network = network(1_000_000, one_level());
    let session = table(&network, "dash");
    assert_eq!(session.column("segments"), Some(&Column::Int(vec![Some(0)])));
    assert_eq!(floats(&session, "startup_s"), [None]);
    assert_eq!(floats(&session, "mean_level_bps"), [None]);
}

#[test]
fn unsound_parameters_make_no_session() {
    let problems = Dash::new(DashParams { request_size: 0, ..one_level() }, "video").err().expect("refused");
    assert_eq!(problems[0].field, "request_size");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Under every rule and in every network, media and time are conserved, the buffer stays within its capacity, and
    /// one request is outstanding at a time.
    #[test]
    fn conservation(
        number in 0..abr::CATALOGUE.len(),
        levels in 1..6usize,
        segment in 200..4000u64,
        fits in 1..8u64,
        slack in 0..200u64,
        startup in 0..8u64,
        resume in 0..8u64,
        delay in 0..300u64,
        cv in 0.0..1.0f64,
        steps in prop::collection::vec((1..60u64, 40..4000u64), 0..6),
    ) {
        let segment = segment * MILLISECOND;
        let params = DashParams {
            abr: rule(abr::CATALOGUE[number].name),
            ladder: (1..=levels as u64).map(|level| level * 150_000).collect(),
            buffer: fits * segment + slack * MILLISECOND,
            startup: startup.min(fits) * segment,
            resume: resume.min(fits) * segment,
            size_cv: cv,
            think_jitter: delay * MILLISECOND,
            ..DashParams::new(vec![], segment)
        };
        let capacity = params.buffer;
        let mut network = steps.iter().fold(network(500_000, params), |network, (second, kbps)| {
            network.step(second * SECOND, kbps * 1000)
        });
        network.delay = delay * MILLISECOND;
        for instant in (0..=60_000).step_by(1237) {
            network.run_until(instant * MILLISECOND);
            let player = player(&network);
            let arrived = network.app.segments.iter().filter(|segment| segment.arrival.is_some()).count() as u64;
            prop_assert_eq!(player.downloaded(), arrived * segment);
            prop_assert_eq!(player.played() + player.buffer(), player.downloaded());
            prop_assert!(player.buffer() <= capacity);
            let waiting = match player.startup_time() {
                None => network.now,
                Some(startup) => startup,
            };
            prop_assert_eq!(waiting + player.played() + player.stalled(), network.now);
        }
        let segments = &network.app.segments;
        for pair in segments.windows(2) {
            prop_assert!(pair[0].arrival.is_some_and(|arrival| arrival.at <= pair[1].requested));
        }
        let stalled: Nanos = segments.iter().filter_map(|segment| Some(segment.arrival?.stalled)).sum();
        prop_assert!(stalled <= player(&network).stalled());
        prop_assert!(segments.len() > 1, "no rule stops asking");
    }
}

/// Segments with sizes of their own; behind the last size the first one follows.
#[test]
fn sizes_of_segments_are_those_that_are_given() {
    let sizes = vec![vec![1_000, 2_000, 3_000]];
    let mut network = network(1_000_000, DashParams { sizes, segments: Some(5), ..one_level() });
    network.run_until(20 * SECOND);
    let sent: Vec<u64> = network.writes(Side::Source).into_iter().map(|(_, bytes)| bytes).collect();
    assert_eq!(sent, [1_000, 2_000, 3_000, 1_000, 2_000]);
}
