//! Fuzz targets. Each takes any bytes and panics where something that must hold does not.

pub mod cc;
mod choose;
pub mod scenarios;
pub mod script;
pub mod segments;
pub mod transfer;
pub mod wire;

/// A target.
pub struct Target {
    /// Its name, also of its corpus.
    pub name: &'static str,
    /// Runs one input.
    pub run: fn(&[u8]),
}

/// Every target.
pub const TARGETS: &[Target] = &[
    Target { name: "cc", run: cc::run },
    Target { name: "segments", run: segments::run },
    Target { name: "transfer", run: transfer::run },
    Target { name: "wire", run: wire::run },
    Target { name: "script", run: script::run },
];
