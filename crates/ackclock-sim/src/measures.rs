//! Counts of a run, in a memory that does not grow with simulated time.

use ackclock_net::Carried;

use crate::endpoint::Endpoint;
use ackclock_core::{Nanos, Rate};
use ackclock_results::{Row, Sketch, Table, Tables, declared};
pub use ackclock_tcp::limits::Limit;

const NS_PER_MS: f64 = 1e6;
const NS_PER_S: f64 = 1e9;

/// Appends a link's row to the table `links`. `rate` is its mean rate, and `capacity` the number of
/// bits that it could have carried. A queueing delay is the time from a packet's arrival to its first bit on the wire.
pub fn push_link(
    table: &mut Table,
    name: &str,
    rate: Rate,
    capacity: f64,
    carried: Carried,
    queueing_delays: Option<&Sketch>,
) {
    let share = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
    let quantile = |quantile| {
        queueing_delays
            .and_then(|queueing_delays| queueing_delays.quantile(quantile))
            .map(|delay| delay as f64 / NS_PER_MS)
    };
    table.push(declared::Links {
        link: name.into(),
        rate_bps: rate.bits().into(),
        utilisation: share(carried.bytes as f64 * 8.0, capacity).into(),
        packets: carried.packets.into(),
        bytes: carried.bytes.into(),
        drops: carried.drops().into(),
        queue_drops: carried.queue_drops.into(),
        aqm_drops: carried.aqm_drops.into(),
        policer_drops: carried.policer_drops.into(),
        losses: carried.losses.into(),
        wire_losses: carried.wire_losses.into(),
        duplicates: carried.duplicates.into(),
        marks: carried.marks.into(),
        drop_rate: share(carried.drops() as f64, (carried.packets + carried.drops()) as f64).into(),
        queue_delay_mean_ms: queueing_delays.and_then(Sketch::mean).map(|delay| delay / NS_PER_MS).into(),
        queue_delay_p50_ms: quantile(0.50).into(),
        queue_delay_p95_ms: quantile(0.95).into(),
        queue_delay_p99_ms: quantile(0.99).into(),
        queue_delay_max_ms: queueing_delays.and_then(Sketch::max).map(|delay| delay as f64 / NS_PER_MS).into(),
    });
}

/// Totals of a flow over all its connections. Sent segments are the packets of the source's transport. Delivered bytes are those that the
/// sink received: the bytes of a stream in order, and the payload of datagrams. Datagrams do not count as segments.
#[derive(Clone, Copy, Default, Debug)]
pub struct FlowTotals {
    /// Bytes that the sinks received.
    pub bytes_delivered: u64,
    /// Segments of any kind that the sources sent.
    pub segments_sent: u64,
    /// Sent segments with payload, including retransmissions.
    pub data_segments_sent: u64,
    /// Retransmitted segments with payload.
    pub retransmits: u64,
    /// Expiries of the sources' retransmission timers, without those of the handshake.
    pub timeouts: u64,
    /// Timeouts that the sources found spurious and undid (F-RTO, D-SACK, Eifel), if these methods are on.
    pub spurious_timeouts: u64,
    /// Fast recoveries of the sources.
    pub recoveries: u64,
    /// Smoothed RTT of the last added connection that has one.
    pub srtt: Option<Nanos>,
    /// Smallest RTT sample of all connections.
    pub min_rtt: Option<Nanos>,
    /// Times for which each limit held the sources back, if these times are recorded.
    pub limited: Option<Limited>,
}

/// The time for which the senders of a flow were limited, by what.
#[derive(Clone, Copy, Default, Debug)]
pub struct Limited {
    /// Time in which they had data to send or outstanding.
    pub busy: Nanos,
    /// Time with each of [`LIMITS`], as far as it is known.
    pub spent: [Option<Nanos>; LIMITS.len()],
}

impl Limited {
    /// Adds the times of a connection.
    pub fn add(&mut self, other: &Limited) {
        self.busy += other.busy;
        for (total, spent) in self.spent.iter_mut().zip(other.spent) {
            *total = total.map_or(spent, |total| spent.map(|spent| total + spent));
        }
    }
}

/// Limits of a sender, in the order of the columns of the table `limits`.
pub const LIMITS: [Limit; 6] =
    [Limit::CongestionWindow, Limit::ReceiveWindow, Limit::SendBuffer, Limit::Pacing, Limit::Application, Limit::Idle];

impl FlowTotals {
    /// Adds the totals of a connection at `now`.
    pub fn add<E: Endpoint>(&mut self, source: &E, sink: &E, now: Nanos) {
        if let Some(limits) = source.limits() {
            let spent = LIMITS.map(|limit| Some(limits.spent(now, limit)));
            let busy = spent.iter().flatten().sum::<Nanos>() - limits.spent(now, Limit::Idle);
            self.limited.get_or_insert_default().add(&Limited { busy, spent });
        }
        let counts = source.counts();
        self.bytes_delivered += sink.received();
        self.segments_sent += counts.packets_sent;
        self.data_segments_sent += counts.data_packets_sent;
        self.retransmits += counts.retransmits;
        self.timeouts += counts.timeouts;
        self.spurious_timeouts += counts.spurious_timeouts;
        self.recoveries += counts.recoveries;
        self.srtt = counts.srtt.or(self.srtt);
        self.min_rtt = self.min_rtt.into_iter().chain(counts.min_rtt).min();
    }
}

/// The achievement of a flow: volume, time and delay, from which objectives are computed.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Achieved {
    /// Bytes that the sinks received.
    pub bytes: u64,
    /// Time in which the application wanted to send, in seconds: the on periods of an on-off application, otherwise the
    /// time since the start.
    pub time_s: f64,
    /// Mean one-way delay of the received packets with payload, in ns, if the scenario records delays and there are any.
    pub delay: Option<f64>,
}

/// The names of a flow's algorithms, for the table `flows`.
#[derive(Clone, Debug)]
pub struct FlowLabels {
    /// Name of the flow.
    pub name: String,
    /// Stack.
    pub stack: std::sync::Arc<str>,
    /// Congestion control.
    pub cc: std::sync::Arc<str>,
    /// Window validation.
    pub validation: &'static str,
    /// Pacing.
    pub pacing: &'static str,
    /// Application.
    pub app: &'static str,
}

/// Returns the bits delivered in a second between two times; `None` if no time passes.
fn goodput_bps(start: Nanos, end: Nanos, totals: &FlowTotals) -> Option<f64> {
    let active = end.saturating_sub(start) as f64 / NS_PER_S;
    (active > 0.0).then(|| totals.bytes_delivered as f64 * 8.0 / active)
}

/// Returns a time in milliseconds.
fn ms(time: Option<Nanos>) -> Option<f64> {
    time.map(|time| time as f64 / NS_PER_MS)
}

/// Appends a flow's row to the table `flows`. Goodput is measured over the time from `start` to `end`; it is empty if
/// no time passes.
pub fn push_flow(table: &mut Table, labels: &FlowLabels, start: Nanos, end: Nanos, totals: &FlowTotals) {
    table.push(declared::Flows {
        flow: labels.name.as_str().into(),
        stack: (&*labels.stack).into(),
        cc: (&*labels.cc).into(),
        validation: labels.validation.into(),
        pacing: labels.pacing.into(),
        app: labels.app.into(),
        start_s: (start as f64 / NS_PER_S).into(),
        goodput_bps: goodput_bps(start, end, totals).into(),
        bytes_delivered: totals.bytes_delivered.into(),
        segments_sent: totals.segments_sent.into(),
        data_segments_sent: totals.data_segments_sent.into(),
        retransmits: totals.retransmits.into(),
        timeouts: totals.timeouts.into(),
        spurious_timeouts: totals.spurious_timeouts.into(),
        recoveries: totals.recoveries.into(),
        srtt_ms: ms(totals.srtt).into(),
        min_rtt_ms: ms(totals.min_rtt).into(),
    });
}

/// Appends the row of a path of a flow to the table `paths`. Goodput is measured as that of flows.
pub fn push_path(tables: &mut Tables, (flow, path): (&str, &str), start: Nanos, end: Nanos, totals: &FlowTotals) {
    declared::Paths {
        flow: flow.into(),
        path: path.into(),
        goodput_bps: goodput_bps(start, end, totals).into(),
        bytes_delivered: totals.bytes_delivered.into(),
        segments_sent: totals.segments_sent.into(),
        data_segments_sent: totals.data_segments_sent.into(),
        retransmits: totals.retransmits.into(),
        timeouts: totals.timeouts.into(),
        recoveries: totals.recoveries.into(),
        srtt_ms: ms(totals.srtt).into(),
        min_rtt_ms: ms(totals.min_rtt).into(),
    }
    .add_to(tables);
}

/// Appends a flow's row to the table `limits`.
pub fn push_limits(tables: &mut Tables, flow: &str, limited: &Limited) {
    let Limited { busy, spent } = limited;
    let [cwnd, receive_window, send_buffer, pacing, application, idle] =
        spent.map(|time| time.map(|time| time as f64 / NS_PER_S));
    declared::Limits {
        flow: flow.into(),
        busy_s: (*busy as f64 / NS_PER_S).into(),
        cwnd_limited_s: cwnd.into(),
        rwnd_limited_s: receive_window.into(),
        sndbuf_limited_s: send_buffer.into(),
        pacing_limited_s: pacing.into(),
        app_limited_s: application.into(),
        idle_s: idle.into(),
    }
    .add_to(tables);
}

/// Quantiles of the table `delay_cdf`, in thousandths.
const CDF: [u16; 103] = {
    let mut parts = [0; 103];
    let mut percent = 1;
    while percent < 100 {
        parts[percent - 1] = 10 * percent as u16;
        percent += 1;
    }
    [parts[99], parts[100], parts[101], parts[102]] = [995, 998, 999, 1000];
    parts
};

/// Appends a flow's row to the table `delays` and its rows to `delay_cdf`. The delays are the one-way delays of the
/// packets with payload that its sinks have received, from the transmission of a packet to its arrival. The quantiles
/// are as exact as those of queueing delays.
pub fn push_delays(tables: &mut Tables, flow: &str, delays: &Sketch) {
    declared::Delays {
        flow: flow.into(),
        packets: delays.count().into(),
        mean_ms: delays.mean().map(|delay| delay / NS_PER_MS).into(),
        p50_ms: ms(delays.quantile(0.50)).into(),
        p95_ms: ms(delays.quantile(0.95)).into(),
        p99_ms: ms(delays.quantile(0.99)).into(),
        max_ms: ms(delays.max()).into(),
    }
    .add_to(tables);
    for part in CDF {
        let quantile = f64::from(part) / 1000.0;
        if let Some(delay) = delays.quantile(quantile) {
            declared::DelayCdf {
                flow: flow.into(),
                quantile: quantile.into(),
                delay_ms: (delay as f64 / NS_PER_MS).into(),
            }
            .add_to(tables);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_results::Column;

    #[test]
    fn a_link_is_used_as_much_as_its_bytes_say() {
        let mut table = Table::default();
        let carried = Carried { packets: 3, bytes: 4500, queue_drops: 1, losses: 2, ..Carried::default() };
        let rate = Rate::new(72_000).unwrap();
        push_link(&mut table, "l", rate, 72_000.0, carried, None);
        push_link(&mut table, "idle", rate, 0.0, Carried::default(), Some(&Sketch::default()));
        assert_eq!(table.column("utilisation"), Some(&Column::Float(vec![Some(0.5), None])));
        assert_eq!(table.column("drop_rate"), Some(&Column::Float(vec![Some(0.5), None])));
        let count = |name: &str| table.column(name).cloned();
        assert_eq!(count("drops"), Some(Column::Int(vec![Some(3), Some(0)])));
        assert_eq!(count("queue_drops"), Some(Column::Int(vec![Some(1), Some(0)])));
        assert_eq!(count("losses"), Some(Column::Int(vec![Some(2), Some(0)])));
        assert_eq!(table.column("queue_delay_mean_ms"), Some(&Column::Float(vec![None, None])));
    }
}
