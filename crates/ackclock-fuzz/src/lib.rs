//! Fuzz targets. Each target accepts any bytes and panics if an invariant does not hold.

pub mod cc;
mod choose;
pub mod remycc;
pub mod scenarios;
pub mod script;
pub mod segments;
pub mod transfer;
pub mod wire;

/// A fuzz target.
pub struct Target {
    /// Name of the target and of its corpus.
    pub name: &'static str,
    /// Runs one input.
    pub run: fn(&[u8]),
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target { name: "cc", run: cc::run },
    Target { name: "segments", run: segments::run },
    Target { name: "transfer", run: transfer::run },
    Target { name: "wire", run: wire::run },
    Target { name: "script", run: script::run },
    Target { name: "remycc", run: remycc::run },
];
