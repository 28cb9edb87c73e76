//! The tables `dash` and `dash_segments`.

use super::Segment;
use super::live::Live;
use super::player::Player;
use crate::{AppTables, rate_bps, seconds};
use ackclock_results::{Row, declared};

/// Adds the row of a client in `dash`: over the segments that have arrived, their number, mean level, mean download
/// rate and changes of level; and the player's times up to its clock. `startup_s` runs from the start of the flow and
/// is empty if playback has not begun. The means are empty without a segment. A current stall counts. For a live
/// presentation the row has the latency at the start of playback and now; otherwise these cells are empty.
pub(super) fn session(
    flow: &str,
    ladder: &[u64],
    segments: &[Segment],
    player: Option<&Player>,
    live: Option<Live>,
    tables: &mut AppTables,
) {
    let arrived: Vec<_> = segments.iter().filter(|segment| segment.arrival.is_some()).collect();
    let mean_level = mean(arrived.iter().map(|segment| ladder[segment.level] as f64));
    let mean_download = mean(arrived.iter().filter_map(|segment| download_bps(segment)));
    let switches = arrived.windows(2).filter(|pair| pair[0].level != pair[1].level).count();
    let stalled = player.map_or(0, Player::stalled);
    let startup = player.and_then(Player::startup_time);
    let latency = |still| live.zip(startup).map(|(live, startup)| seconds(live.latency(startup + still)));
    declared::Dash {
        flow: flow.into(),
        segments: arrived.len().into(),
        mean_level_bps: mean_level.into(),
        mean_download_bps: mean_download.into(),
        played_s: seconds(player.map_or(0, Player::played)).into(),
        switches: switches.into(),
        stalls: player.map_or(0, Player::stalls).into(),
        stall_s: seconds(stalled).into(),
        startup_s: startup.map(seconds).into(),
        latency_start_s: latency(0).into(),
        latency_end_s: latency(stalled).into(),
    }
    .add_to(tables);
}

/// Adds a row of `dash_segments` for each segment that was requested. `download_s` runs from the request to the last
/// byte, and `download_bps` is the segment's bits divided by that time. `buffer_s` is the level including the segment;
/// `stall_s` is the time stalled since the arrival of the previous segment. Values that are not yet known are empty.
pub(super) fn segments(flow: &str, ladder: &[u64], segments: &[Segment], tables: &mut AppTables) {
    for (index, segment) in segments.iter().enumerate() {
        let arrival = segment.arrival;
        declared::DashSegments {
            flow: flow.into(),
            index: index.into(),
            level_bps: ladder[segment.level].into(),
            bytes: segment.bytes.into(),
            request_s: seconds(segment.requested).into(),
            first_byte_s: segment.first_byte.map(seconds).into(),
            done_s: arrival.map(|arrival| seconds(arrival.at)).into(),
            download_s: arrival.map(|arrival| seconds(arrival.at - segment.requested)).into(),
            download_bps: download_bps(segment).into(),
            buffer_s: arrival.map(|arrival| seconds(arrival.buffer)).into(),
            stall_s: arrival.map(|arrival| seconds(arrival.stalled)).into(),
        }
        .add_to(tables);
    }
}

fn download_bps(segment: &Segment) -> Option<f64> {
    segment.arrival.and_then(|arrival| rate_bps(segment.bytes, arrival.at - segment.requested))
}

/// Returns the mean of the values; `None` if there are none.
fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}
