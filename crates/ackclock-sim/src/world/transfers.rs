//! The state of transfers over several paths.

use std::collections::BTreeMap;

use crate::bundle::Bundle;
use crate::ids::Slot;
use crate::measures::FlowTotals;
use ackclock_app::{Conn, Side};

/// The paths of a flow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Paths {
    /// Names of the paths, in the order of the flow's pairs of hosts.
    pub names: Vec<String>,
    /// Shared receive window in bytes.
    pub window: u64,
}

/// The state of a flow with several paths.
#[derive(Default)]
pub(super) struct Multipath {
    /// The connections of the application.
    pub transfers: BTreeMap<Conn, Transfer>,
    /// Totals of the closed subflows of each path.
    pub finished: Vec<FlowTotals>,
    /// Data that the sinks have received in order, in bytes.
    pub delivered: u64,
}

impl Multipath {
    /// Creates the state of a flow with these paths.
    pub fn new(paths: Option<&Paths>) -> Multipath {
        let count = paths.map_or(0, |paths| paths.names.len());
        Multipath { finished: vec![FlowTotals::default(); count], ..Multipath::default() }
    }
}

/// A connection of an application over several paths.
pub(super) struct Transfer {
    pub opener: Side,
    /// The open subflows, by path.
    pub subflows: Vec<Option<Slot>>,
    /// Whether subflows have been opened on all paths.
    pub is_joined: bool,
    /// The data from the source and from the sink.
    pub data: [Bundle; 2],
    /// Whether each side has told its application that it is connected, and that its peer has closed.
    pub connected: [bool; 2],
    pub peer_closed: [bool; 2],
    /// Whether each side has closed its subflows.
    pub finished: [bool; 2],
}
