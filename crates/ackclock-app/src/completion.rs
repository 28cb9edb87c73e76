//! Completion times and slowdowns, which every application whose transfers end reports in the same form.
//!
//! The slowdown of a transfer is its completion time divided by its ideal time, the least that the path allows. The ideal
//! time is the sum of two parts. The first is propagation: from the source to the sink for bytes that the source sends on
//! its own, and the base round-trip time for an answer, whose request comes first. The second is the time to send the
//! bytes at the rate of the slowest link, without headers. A handshake is no part of the ideal time, as not every
//! transport has one, so over a new connection of TCP a small answer has a slowdown near two and a small transfer one
//! near three. With a rate that varies, the mean rate counts: a transfer in a time above the mean may have a slowdown
//! below one.

use super::{AppTables, rate_bps, seconds};
use ackclock_core::{Nanos, Rate};
use ackclock_results::{Row, Sketch, declared};

/// The properties of a flow's path without other traffic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Path {
    /// Rate of the slowest link from source to sink.
    pub rate: Rate,
    /// Round-trip time without queues and transmission times, in ns.
    pub rtt: Nanos,
    /// The part of it from source to sink, in ns.
    pub delay: Nanos,
    /// Least time until a new connection is open at its opener, in ns: zero for a transport that may have no handshake.
    pub handshake: Nanos,
}

impl Path {
    /// Returns the ideal time of `bytes` that the source sends on its own, in ns.
    pub fn ideal(self, bytes: u64) -> Nanos {
        self.delay.saturating_add(self.rate.time_of(bytes))
    }

    /// Returns the ideal time of `bytes` that the source sends when a request of the sink has arrived, in ns.
    pub fn ideal_answer(self, bytes: u64) -> Nanos {
        self.rtt.saturating_add(self.rate.time_of(bytes))
    }
}

/// Slowdowns are recorded in thousandths.
const THOUSANDTHS: f64 = 1e3;

/// Completion times and slowdowns of one kind of transfer. The memory does not grow with their number.
#[derive(Clone, Default, Debug)]
pub(super) struct Completions {
    durations: Sketch,
    slowdowns: Sketch,
    bytes: u64,
    time: u128,
}

impl Completions {
    /// Records a transfer of `bytes` that took `duration` ns from start to end, and would ideally have taken `ideal` ns.
    pub fn record(&mut self, bytes: u64, duration: Nanos, ideal: Nanos) {
        self.durations.record(duration);
        let ideal = ideal.max(1);
        self.slowdowns.record(libm::round(duration as f64 / ideal as f64 * THOUSANDTHS) as u64);
        self.bytes += bytes;
        self.time += u128::from(duration);
    }

    /// Adds a row of `completions` for the transfers of `flow` that are called `what`; `open` is the number of
    /// incomplete ones. The relative error of quantiles is at most one part in a thousand. `goodput_bps` is the sum of
    /// the bytes divided by the sum of the completion times.
    pub fn report(&self, flow: &str, what: &str, open: usize, tables: &mut AppTables) {
        let time = |quantile| self.durations.quantile(quantile).map(seconds);
        let slowdown = |quantile| self.slowdowns.quantile(quantile).map(|value| value as f64 / THOUSANDTHS);
        let total = Nanos::try_from(self.time).unwrap_or(Nanos::MAX);
        declared::Completions {
            flow: flow.into(),
            what: what.into(),
            count: self.durations.count().into(),
            open: open.into(),
            bytes: self.bytes.into(),
            goodput_bps: rate_bps(self.bytes, total).into(),
            mean_s: self.durations.mean().map(|mean| mean / 1e9).into(),
            p50_s: time(0.50).into(),
            p95_s: time(0.95).into(),
            p99_s: time(0.99).into(),
            max_s: self.durations.max().map(seconds).into(),
            slowdown_mean: self.slowdowns.mean().map(|mean| mean / THOUSANDTHS).into(),
            slowdown_p50: slowdown(0.50).into(),
            slowdown_p95: slowdown(0.95).into(),
            slowdown_p99: slowdown(0.99).into(),
            slowdown_max: self.slowdowns.max().map(|value| value as f64 / THOUSANDTHS).into(),
        }
        .add_to(tables);
    }

    /// Adds rows of `completion_bins`: each counts the completion times up to `upto_s` and above the `upto_s` of the
    /// row before. Rows of several flows and runs can be added.
    pub fn report_bins(&self, flow: &str, what: &str, tables: &mut AppTables) {
        for (upto, count) in self.durations.bins() {
            declared::CompletionBins {
                flow: flow.into(),
                what: what.into(),
                upto_s: seconds(upto).into(),
                count: count.into(),
            }
            .add_to(tables);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake_network::MILLISECOND;
    use ackclock_results::{Column, Table};

    fn float(table: &Table, name: &str) -> Option<f64> {
        let Some(Column::Float(cells)) = table.column(name) else { panic!("{name}") };
        cells[0]
    }

    /// At 1 Mbit/s 125 kB take 1 s. With 30 ms from source to sink and a round-trip time of 100 ms the ideal time is
    /// 1.03 s, and that of an answer 1.1 s.
    #[test]
    fn a_slowdown_is_to_the_time_alone() {
        let path =
            Path { rate: Rate::new(1_000_000).unwrap(), rtt: 100 * MILLISECOND, delay: 30 * MILLISECOND, handshake: 0 };
        assert_eq!(path.ideal(125_000), 1_030 * MILLISECOND);
        assert_eq!(path.ideal_answer(125_000), 1_100 * MILLISECOND);
        let slow = Path { rate: Rate::MIN, rtt: 0, delay: 0, handshake: 0 };
        assert_eq!([slow.ideal(u64::MAX), slow.ideal_answer(u64::MAX)], [u64::MAX; 2], "no overflow");
        let mut completions = Completions::default();
        for tenths in 11..=110 {
            completions.record(125_000, tenths * 100 * MILLISECOND, path.ideal_answer(125_000));
        }
        let mut tables = AppTables::new();
        completions.report("f", "transfer", 3, &mut tables);
        let table = &tables["completions"];
        assert_eq!(table.column("count"), Some(&Column::Int(vec![Some(100)])));
        assert_eq!(table.column("open"), Some(&Column::Int(vec![Some(3)])));
        assert_eq!(float(table, "max_s"), Some(11.0));
        assert_eq!(float(table, "slowdown_max"), Some(10.0));
        let near = |name, expected: f64| {
            let value = float(table, name).unwrap();
            assert!((value / expected - 1.0).abs() < 2e-3, "{name} {value}");
        };
        near("mean_s", 6.05);
        near("p50_s", 6.0);
        near("p99_s", 10.9);
        near("slowdown_p50", 6.0 / 1.1);
        near("slowdown_mean", 6.05 / 1.1);
        near("goodput_bps", 1e6 / 6.05);
    }

    #[test]
    fn nothing_complete_is_empty_cells() {
        let mut tables = AppTables::new();
        let none = Completions::default();
        none.report("f", "page", 0, &mut tables);
        none.report_bins("f", "page", &mut tables);
        assert!(!tables.contains_key("completion_bins"));
        for name in ["goodput_bps", "mean_s", "p50_s", "max_s", "slowdown_p99"] {
            assert_eq!(float(&tables["completions"], name), None, "{name}");
        }
    }
}
