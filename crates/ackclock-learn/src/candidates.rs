//! The candidates that may replace an action.

use ackclock_tcp::cc::remycc::Action;

use crate::settings::Method;

/// Steps of b in segments, of m, and of tau in milliseconds. Further steps are eight times as wide each.
const INCREMENT: i32 = 1;
const MULTIPLE: f64 = 0.01;
const INTERSEND: f64 = 0.01;
const WIDER: i32 = 8;

/// Bounds of actions. The published tables for the networks of wide-area links stay within them. With m above 1 a window
/// grows without bound, and only tau limits the rate: a poor optimum that a search does not leave.
const MOST_INCREMENT: i32 = 256;
const MOST_MULTIPLE: f64 = 1.0;
const MOST_INTERSEND: f64 = 1000.0;

/// A move: changes of b, m and tau in numbers of the smallest step.
pub(crate) type Move = [i32; 3];

/// The action after a move, within the bounds. Values are rounded to whole steps, so that moves there and back cancel.
pub(crate) fn moved(action: &Action, by: Move) -> Action {
    let snapped = |value: f64, step: f64, by: i32, most: f64| {
        let steps = libm::round(value / step) + f64::from(by);
        // Dividing gives the decimal number itself; multiplying with the step would not.
        (steps / libm::round(1.0 / step)).clamp(0.0, most)
    };
    Action {
        increment: action.increment.saturating_add(by[0] * INCREMENT).clamp(0, MOST_INCREMENT),
        multiple: snapped(action.multiple, MULTIPLE, by[1], MOST_MULTIPLE),
        intersend: snapped(action.intersend, INTERSEND, by[2], MOST_INTERSEND),
    }
}

/// The moves of the published search: every combination of no step, a step, and a step eight times as wide on each axis.
fn published() -> Vec<Move> {
    let steps = [0, 1, -1, WIDER, -WIDER];
    let mut moves = Vec::new();
    for b in steps {
        for m in steps {
            for tau in steps {
                moves.push([b, m, tau]);
            }
        }
    }
    moves
}

/// Fewer moves that reach further: along each axis, and along directions in which m and b, or m and tau, compensate or
/// support each other.
fn economical() -> Vec<Move> {
    let mut moves: Vec<Move> = Vec::new();
    for sign in [1, -1] {
        moves.extend([1, WIDER].map(|step| [sign * step, 0, 0]));
        moves.extend([1, WIDER, 64].map(|step| [0, sign * step, 0]));
        moves.extend([WIDER, 64, 512].map(|step| [0, 0, sign * step]));
        moves.extend([(1, 8), (8, 64), (1, -8), (8, -64)].map(|(m, tau)| [0, sign * m, sign * tau]));
        moves.extend([(1, -1), (WIDER, -1), (WIDER, -WIDER)].map(|(b, m)| [sign * b, sign * m, 0]));
    }
    moves
}

/// Actions all over the range of those of the published tables, among which the economical search chooses its first one.
/// The first rule is improved along one axis after the other, and would stay near a poor beginning.
pub(crate) fn beginnings() -> Vec<Action> {
    let mut actions = Vec::new();
    for increment in [1, 3, 10, 30] {
        for multiple in [0.5, 0.8, 0.9, 0.95, 1.0] {
            for intersend in [0.0, 1.0, 3.0, 6.0] {
                actions.push(Action { increment, multiple, intersend });
            }
        }
    }
    actions
}

/// The candidates for an action: pairs of a move and its action, each action once and none equal to the present one.
/// After a successful move, its double is among them.
pub(crate) fn candidates(action: &Action, method: Method, last: Option<Move>) -> Vec<(Move, Action)> {
    let mut moves = match method {
        Method::Published => published(),
        Method::Economical => economical(),
    };
    if let (Method::Economical, Some(last)) = (method, last) {
        moves.insert(0, last.map(|steps| steps * 2));
    }
    let mut found: Vec<(Move, Action)> = Vec::new();
    for by in moves {
        let next = moved(action, by);
        if next != *action && found.iter().all(|(_, other)| *other != next) {
            found.push((by, next));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_stay_within_the_bounds_and_on_the_grid() {
        let action = Action { increment: 0, multiple: 1.0, intersend: 0.01 };
        assert_eq!(moved(&action, [-8, 0, -8]), Action { intersend: 0.0, ..action });
        let there = moved(&action, [3, -7, 64]);
        assert_eq!(there, Action { increment: 3, multiple: 0.93, intersend: 0.65 });
        assert_eq!(moved(&there, [-3, 7, -64]), action);
        assert_eq!(moved(&action, [0, 4000, 0]), action, "m is at most 1");
    }

    #[test]
    fn the_published_search_has_about_a_hundred_candidates() {
        let action = Action { increment: 20, multiple: 0.5, intersend: 3.0 };
        assert_eq!(candidates(&action, Method::Published, None).len(), 124);
        let economical = candidates(&action, Method::Economical, Some([0, 8, 64]));
        assert_eq!(economical[0].0, [0, 16, 128]);
        assert_eq!(economical.len(), 31);
        assert_eq!(beginnings().len(), 80);
    }
}
