//! Rules of loss recovery by name: the volume and rate of transmission from the detection of a loss until its repair.

use crate::info::CaState;

/// A rule of loss recovery. Detection (duplicate ACKs, SACK, RACK, probes, timeouts) is configured separately.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recovery {
    /// Fast retransmit, then slow start from one segment: no fast recovery.
    Tahoe,
    /// Fast recovery with window inflation and partial acknowledgments; SACK blocks are not used.
    NewReno,
    /// Fast recovery by scoreboard and pipe; NewReno with a peer that does not support SACK.
    Sack,
    /// One segment for every second ACK, until the window is halved, as in Linux before PRR.
    RateHalving,
    /// Every gap below the highest SACKed segment is retransmitted, into a window that grows from one segment, as in
    /// FreeBSD before PRR; NewReno with a peer that does not support SACK.
    FreeBsd,
    /// ns-2's NewReno: the full acknowledgment leaves the window as the recovery left it, and grows it.
    Ns2NewReno,
    /// ns-2's Sack1: pipe counts acknowledgments, a partial one as two, and every gap is a loss.
    Ns2Sack,
    /// Rate halving of ns-2's TCP/Linux, which sends what ssthresh allows at once.
    Ns2Linux,
    /// Proportional rate reduction with the conservative reduction bound.
    PrrCrb,
    /// Proportional rate reduction with the slow-start reduction bound.
    PrrSsrb,
    /// Proportional rate reduction of the standard: the conservative bound, and the slow-start bound on SafeACK.
    Prr,
}

/// Counters of loss recovery since the sender was created.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Segments known to have arrived.
    pub delivered: u64,
    /// Delivered segments that were reported as marked: with RFC 3168 all those whose acknowledgment echoed congestion.
    pub delivered_marked: u64,
    /// Segments that D-SACKs report as received twice.
    pub dsacks: u64,
    /// Number of times that segments sent once arrived out of order.
    pub reordering_seen: u64,
    /// Reductions of the window because of marks.
    pub reductions_for_marks: u64,
    /// Tail loss probes sent.
    pub probes: u64,
    /// Losses that a probe repaired.
    pub losses_repaired_by_probes: u64,
    /// Fast recoveries that were undone.
    pub spurious_recoveries: u64,
    /// Timeouts that were undone.
    pub spurious_timeouts: u64,
}

/// A snapshot of a sender's loss recovery.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LossRecovery {
    /// State of loss recovery.
    pub state: CaState,
    /// Segments sent and not cumulatively acknowledged.
    pub outstanding: u32,
    /// Number of outstanding segments that are SACKed; without SACK, duplicate ACKs.
    pub sacked: u32,
    /// Number of outstanding segments that are deemed lost.
    pub lost: u32,
    /// Number of outstanding segments that were retransmitted and are not known to have arrived or to be lost again.
    pub retransmitted: u32,
    /// Bytes SACKed.
    pub sacked_bytes: u64,
    /// Bytes deemed lost.
    pub lost_bytes: u64,
    /// Bytes retransmitted that are not known to have arrived or to be lost again.
    pub retransmitted_bytes: u64,
    /// Number of duplicate ACKs, or of segments SACKed above a segment, that indicates its loss at present (Linux:
    /// reordering).
    pub dup_thresh: u32,
    /// Doublings of the retransmission timeout.
    pub backoff: u32,
    /// Counters.
    pub counts: Counts,
}

/// An entry of the catalogue.
pub struct Entry {
    /// Name in scenarios.
    pub name: &'static str,
    /// Description in one line.
    pub summary: &'static str,
    /// Specification of the rule.
    pub source: &'static str,
    /// The rule.
    pub recovery: Recovery,
}

/// Every rule, by name.
pub const CATALOGUE: &[Entry] = &[
    Entry {
        name: "tahoe",
        summary: "fast retransmit, then slow start from one segment",
        source: "RFC 5681 section 3.1; Jacobson 1988",
        recovery: Recovery::Tahoe,
    },
    Entry {
        name: "newreno",
        summary: "window inflation by duplicate ACKs, one retransmission for each partial ACK",
        source: "RFC 6582",
        recovery: Recovery::NewReno,
    },
    Entry {
        name: "sack",
        summary: "a scoreboard of SACK blocks and pipe, the estimate of what is in flight",
        source: "RFC 6675",
        recovery: Recovery::Sack,
    },
    Entry {
        name: "rate-halving",
        summary: "one segment for every second ACK until the window is halved, as Linux had it before 3.2",
        source: "Mathis, Semke, Mahdavi: The Rate-Halving Algorithm for TCP Congestion Control, 1999",
        recovery: Recovery::RateHalving,
    },
    Entry {
        name: "freebsd-sack",
        summary: "all gaps in the SACK blocks, into a window that grows from one segment, as FreeBSD had it before PRR",
        source: "FreeBSD 10 sys/netinet: tcp_input.c, tcp_do_segment; tcp_sack.c, tcp_sack_partialack; tcp_output.c",
        recovery: Recovery::FreeBsd,
    },
    Entry {
        name: "ns2-newreno",
        summary: "RFC 6582 as ns-2 has it: no bound on the window after recovery, and every timeout reduces ssthresh",
        source: "ns-2.35 tcp/tcp-newreno.cc, tcp/tcp.cc",
        recovery: Recovery::Ns2NewReno,
    },
    Entry {
        name: "ns2-sack",
        summary: "pipe as a count of acknowledgments, a partial one as two, and all gaps at once",
        source: "ns-2.35 tcp/tcp-sack1.cc, tcp/scoreboard-rq.cc",
        recovery: Recovery::Ns2Sack,
    },
    Entry {
        name: "ns2-linux",
        summary: "rate halving that sends at once what ssthresh allows, and every timeout reduces ssthresh",
        source: "ns-2.35 tcp/tcp-linux.cc, send_much and tcp_fastretrans_alert",
        recovery: Recovery::Ns2Linux,
    },
    Entry {
        name: "prr-crb",
        summary: "proportional rate reduction, conservative reduction bound",
        source: "RFC 6937 section 3",
        recovery: Recovery::PrrCrb,
    },
    Entry {
        name: "prr-ssrb",
        summary: "proportional rate reduction, slow-start reduction bound",
        source: "RFC 6937 section 3",
        recovery: Recovery::PrrSsrb,
    },
    Entry {
        name: "prr",
        summary: "proportional rate reduction, slow start only on ACKs that signal no further loss",
        source: "RFC 9937",
        recovery: Recovery::Prr,
    },
];

/// The entry called `name`.
pub fn by_name(name: &str) -> Option<&'static Entry> {
    CATALOGUE.iter().find(|entry| entry.name == name)
}

impl Recovery {
    /// Whether the rule does not use SACK blocks.
    pub(crate) fn ignores_sack(self) -> bool {
        matches!(self, Recovery::NewReno | Recovery::Ns2NewReno)
    }

    /// Whether the rule is one of ns-2's own.
    pub(crate) fn is_ns2(self) -> bool {
        matches!(self, Recovery::Ns2NewReno | Recovery::Ns2Sack | Recovery::Ns2Linux)
    }

    /// Name of the rule in the catalogue.
    pub fn name(self) -> &'static str {
        CATALOGUE.iter().find(|entry| entry.recovery == self).map_or("", |entry| entry.name)
    }
}
