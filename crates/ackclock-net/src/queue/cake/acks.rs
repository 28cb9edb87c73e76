//! The ACK filter: an acknowledgment that a later one of the same flow makes superfluous is dropped.

use std::collections::VecDeque;

use crate::queue::{Acknowledgment, Fifo};

/// Whether sequence number `one` is after `other`, modulo 2^32.
fn after(one: u32, other: u32) -> bool {
    (other.wrapping_sub(one) as i32) < 0
}

/// Relation of the ranges of an acknowledgment to those of a later one (`cake_tcph_sack_compare`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ranges {
    /// The earlier one has a range that the later one does not cover, or reports a duplicate.
    Lost,
    Same,
    /// The later one reports more bytes.
    More,
}

fn compare(earlier: &Acknowledgment, later: &Acknowledgment) -> Ranges {
    let (ranges, covers) = (earlier.ranges(), later.ranges());
    match (ranges.is_empty(), covers.is_empty()) {
        (true, true) => return Ranges::Same,
        (false, true) => return Ranges::Lost,
        (true, false) => return Ranges::More,
        (false, false) => {}
    }
    let bytes = |ranges: &[(u32, u32)]| {
        ranges.iter().map(|(start, end)| end.wrapping_sub(*start)).fold(0_u32, u32::wrapping_add)
    };
    let is_covered =
        |(start, end): &(u32, u32)| covers.iter().any(|(from, to)| !after(*from, *start) && !after(*end, *to));
    let is_duplicate = |(start, _): &(u32, u32)| after(earlier.cumulative, *start);
    if ranges.iter().any(|range| is_duplicate(range) || !is_covered(range)) {
        return Ranges::Lost;
    }
    if bytes(covers) > bytes(ranges) { Ranges::More } else { Ranges::Same }
}

/// Whether nothing is lost if the receiver gets `later` instead of `earlier`.
fn replaces(later: &Acknowledgment, earlier: &Acknowledgment) -> bool {
    let (val, ecr) = later.timestamps.unwrap_or_default();
    let is_newer = |(own_val, own_ecr)| after(own_val, val) || after(own_ecr, ecr);
    if !earlier.is_pure || earlier.timestamps.is_some_and(is_newer) || after(earlier.cumulative, later.cumulative) {
        return false;
    }
    match compare(earlier, later) {
        Ranges::Lost => false,
        Ranges::Same => earlier.cumulative != later.cumulative,
        Ranges::More => true,
    }
}

/// The place of the packet that the last packet of a queue makes superfluous (`cake_ack_filter`): the first of two such
/// packets, or, if `aggressive`, the last but one if it is the only such packet. ECN echoes are not lost.
pub(super) fn superfluous(items: &Fifo, acks: &VecDeque<Option<Acknowledgment>>, aggressive: bool) -> Option<usize> {
    let last = items.len().checked_sub(1)?;
    let flow = items.at(last)?.flow;
    let trigger = acks[last].as_ref()?;
    let mut found: Option<(usize, u8)> = None;
    let mut count = 0;
    for (place, ack) in acks.iter().enumerate().take(last) {
        let Some(ack) = ack.as_ref().filter(|_| items.at(place).is_some_and(|item| item.flow == flow)) else {
            continue;
        };
        if found.is_some_and(|(_, echoes)| echoes != ack.echoes) {
            found = None;
            count -= 1;
        }
        if !replaces(trigger, ack) {
            continue;
        }
        let first = *found.get_or_insert((place, ack.echoes));
        count += 1;
        if count > 1 {
            return Some(first.0);
        }
    }
    let (place, echoes) = found?;
    (aggressive && place + 1 == last && echoes == trigger.echoes).then_some(place)
}
