//! Lists of steps in time: their order, their repetition, and times in messages about them.

use ackclock_core::Nanos;
use ackclock_schema::problems::Problems;
use ackclock_schema::quantity::TIME;
use ackclock_schema::tree::KeyPath;

/// The shortest period of a repetition, in nanoseconds.
pub(super) const LEAST_PERIOD: Nanos = 1_000_000;

/// Refuses steps that do not begin at zero or are not in order, and a period that ends before the last step.
pub(super) fn check_steps(
    times: impl Iterator<Item = Nanos>,
    repeat_every: Option<Nanos>,
    at: &KeyPath,
    problems: &mut Problems<'_>,
) {
    let mut last = None;
    for (index, time) in times.enumerate() {
        let place = at.key("steps").index(index).key("at");
        let wrong = match last {
            None if time > 0 => Some("is not the start; accepted: \"0s\" for the first step".to_owned()),
            Some(last) if time <= last => {
                Some(format!("is not after the step before it; accepted: more than {}", quoted_time(last)))
            }
            _ => None,
        };
        if let Some(wrong) = wrong {
            problems.add(place.clone(), format!("{} {wrong}", shown(problems, &place, time)));
        }
        last = Some(time);
    }
    if let (Some(period), Some(last)) = (repeat_every, last)
        && period <= last
    {
        let place = at.key("repeat_every");
        let wrong = format!("is not after the last step; accepted: more than {}", quoted_time(last));
        problems.add(place.clone(), format!("{} {wrong}", shown(problems, &place, period)));
    }
}

/// Returns a time in quotation marks.
pub(super) fn quoted_time(time: Nanos) -> String {
    format!("\"{}\"", TIME.write(time))
}

/// Returns a time as the scenario spells it.
pub(super) fn shown(problems: &Problems<'_>, place: &KeyPath, time: Nanos) -> String {
    problems.written(place).unwrap_or_else(|| quoted_time(time))
}
