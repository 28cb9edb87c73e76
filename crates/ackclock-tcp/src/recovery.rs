//! Loss recovery by name: what is sent, and how fast, from the detection of a loss until it is repaired.

/// A rule of loss recovery. Detection (duplicate ACKs, SACK, RACK, probes, timeouts) is chosen apart from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recovery {
    /// Fast retransmit, then slow start from one segment: no fast recovery.
    Tahoe,
    /// Fast recovery with window inflation and partial acknowledgments; SACK blocks are not used.
    NewReno,
    /// Fast recovery by scoreboard and pipe; NewReno with a peer that does not SACK.
    Sack,
    /// One segment for every second ACK, until the window is halved, as Linux had it before PRR.
    RateHalving,
    /// Proportional rate reduction with the conservative reduction bound.
    PrrCrb,
    /// Proportional rate reduction with the slow-start reduction bound.
    PrrSsrb,
    /// Proportional rate reduction of the standard: conservative, and slow start on SafeACK.
    Prr,
}

/// An entry of the catalogue.
pub struct Entry {
    /// Name in scenarios.
    pub name: &'static str,
    /// One line on what it is.
    pub summary: &'static str,
    /// Where it is specified.
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
        summary: "window inflation by duplicate ACKs, one segment sent again for each partial ACK",
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

/// The entry of a name.
pub fn by_name(name: &str) -> Option<&'static Entry> {
    CATALOGUE.iter().find(|entry| entry.name == name)
}

impl Recovery {
    /// Its name in the catalogue.
    pub fn name(self) -> &'static str {
        CATALOGUE.iter().find(|entry| entry.recovery == self).map_or("", |entry| entry.name)
    }
}
