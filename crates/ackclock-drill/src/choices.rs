//! Lines at the head of a script that choose its stack and change single choices of the stack.
//!
//! packetdrill itself has no such options, because the kernel determines the stack. Names and values are those of the
//! table of stacks.

use crate::verdict::Stop;
use ackclock_tcp::config::{EcnMode, InitialWindow, ReductionBase, Restart, RtoRule, WindowUnit};
use ackclock_tcp::{Config, MILLISECOND, Nanos, SECOND, cc, recovery, slow_start, stack, validation};

/// Access to the field of a choice in a configuration.
type Field<T> = fn(&mut Config) -> &mut T;

/// Choices that are on or off.
const SWITCHES: &[(&str, Field<bool>)] = &[
    ("abe", |config| &mut config.abe),
    ("adapt_dup_thresh", |config| &mut config.adapt_dup_thresh),
    ("dsack", |config| &mut config.dsack),
    ("dsack_undo", |config| &mut config.dsack_undo),
    ("early_retransmit", |config| &mut config.early_retransmit),
    ("eifel", |config| &mut config.eifel),
    ("frto", |config| &mut config.frto),
    ("handshake_data", |config| &mut config.handshake_data),
    ("limited_transmit", |config| &mut config.limited_transmit),
    ("rack", |config| &mut config.rack),
    ("rescue", |config| &mut config.rescue),
    ("retransmit_restarts_timer", |config| &mut config.retransmit_restarts_timer),
    ("sack", |config| &mut config.sack),
    ("timestamps", |config| &mut config.timestamps),
    ("tlp", |config| &mut config.tlp),
];

/// Choices that are numbers of segments.
const COUNTS: &[(&str, Field<u32>)] =
    &[("ack_every", |config| &mut config.ack_every), ("dup_thresh", |config| &mut config.dup_thresh)];

/// Choices that are times, and whether each may be `off`.
const TIMES: &[(&str, bool, Field<Nanos>)] = &[
    ("delayed_ack", true, |config| &mut config.delayed_ack),
    ("initial_rto", false, |config| &mut config.initial_rto),
    ("max_rto", false, |config| &mut config.max_rto),
    ("min_rto", false, |config| &mut config.min_rto),
];

const RESTARTS: &[(&str, Restart)] =
    &[("off", Restart::Off), ("rfc5681", Restart::Rfc5681), ("one-segment", Restart::OneSegment)];
const RTO_RULES: &[(&str, RtoRule)] = &[
    ("rfc6298", RtoRule::Rfc6298),
    ("linux", RtoRule::Linux),
    ("ns2", RtoRule::Ns2),
    ("ns2-100us", RtoRule::Ns2Fine),
    ("ns2-linux", RtoRule::Ns2Linux),
];
const BASES: &[(&str, ReductionBase)] = &[("FlightSize", ReductionBase::FlightSize), ("cwnd", ReductionBase::Window)];
const UNITS: &[(&str, WindowUnit)] = &[("bytes", WindowUnit::Bytes), ("segments", WindowUnit::Segments)];
const ECN_MODES: &[(&str, EcnMode)] = &[
    ("off", EcnMode::Off),
    ("passive", EcnMode::Passive),
    ("classic", EcnMode::Classic),
    ("accurate", EcnMode::Accurate),
    ("dctcp", EcnMode::Dctcp),
    ("l4s", EcnMode::L4s),
];

/// The configuration for a script with these lines at its head, starting from the given stack.
pub fn configuration(mut config: Config, lines: &[(String, Option<String>)]) -> Result<Config, Stop> {
    let stacks = stack::CATALOGUE.iter().map(|stack| (stack.name, stack.config));
    for (_, value) in lines.iter().filter(|(name, _)| name == "stack") {
        config = named("stack", value.as_deref().unwrap_or_default(), stacks.clone())?();
    }
    for (name, value) in lines {
        if let Some(taken) = choose(&mut config, name, value.as_deref().unwrap_or_default()) {
            taken?;
        }
    }
    Ok(config)
}

/// Whether a line with this name chooses a stack or one of its choices.
pub fn is_ours(name: &str) -> bool {
    name == "stack" || choose(&mut (stack::CATALOGUE[0].config)(), name, "").is_some()
}

/// Sets one choice; `None` if no choice has this name.
fn choose(config: &mut Config, name: &str, text: &str) -> Option<Result<(), Stop>> {
    if let Some((_, field)) = SWITCHES.iter().find(|(known, _)| *known == name) {
        return Some(set(field(config), named(name, text, [("on", true), ("off", false)])));
    }
    if let Some((_, field)) = COUNTS.iter().find(|(known, _)| *known == name) {
        return Some(set(field(config), count(name, text)));
    }
    if let Some((_, may_be_off, field)) = TIMES.iter().find(|(known, ..)| *known == name) {
        return Some(set(field(config), time(name, text, *may_be_off)));
    }
    Some(match name {
        "cc" => {
            let names = cc::FAMILIES.iter().map(|family| family.name);
            let names = names.chain(cc::CATALOGUE.iter().map(|entry| entry.name));
            set(
                &mut config.cc,
                named(name, text, names.map(|name| (name, cc::by_name(name).expect("a known name").into()))),
            )
        }
        "ecn" => set(&mut config.ecn, named(name, text, ECN_MODES.iter().copied())),
        "initial_window" if text == "rfc6928" => set(&mut config.initial_window, Ok(InitialWindow::Rfc6928)),
        "initial_window" => set(&mut config.initial_window, count(name, text).map(InitialWindow::Segments)),
        "recovery" => {
            let entries = recovery::CATALOGUE.iter().map(|entry| (entry.name, entry.recovery));
            set(&mut config.recovery, named(name, text, entries))
        }
        "reduction_base" => set(&mut config.reduction_base, named(name, text, BASES.iter().copied())),
        "restart" => set(&mut config.restart, named(name, text, RESTARTS.iter().copied())),
        "rto_rule" => set(&mut config.rto_rule, named(name, text, RTO_RULES.iter().copied())),
        "slow_start" => {
            let entries = slow_start::CATALOGUE.iter().map(|entry| (entry.name, entry));
            set(&mut config.slow_start, named(name, text, entries))
        }
        "validation" => {
            let entries = validation::CATALOGUE.iter().map(|entry| (entry.name, entry));
            set(&mut config.validation, named(name, text, entries))
        }
        "window_unit" => set(&mut config.window_unit, named(name, text, UNITS.iter().copied())),
        _ => return None,
    })
}

fn set<T>(field: &mut T, value: Result<T, Stop>) -> Result<(), Stop> {
    *field = value?;
    Ok(())
}

/// The value with a name.
fn named<T>(name: &str, text: &str, accepted: impl IntoIterator<Item = (&'static str, T)> + Clone) -> Result<T, Stop> {
    let found = accepted.clone().into_iter().find(|(known, _)| *known == text);
    found.map(|(_, value)| value).ok_or_else(|| {
        let names: Vec<&str> = accepted.into_iter().map(|(known, _)| known).collect();
        Stop::Fail(format!("--{name}={text}: accepted: {}", names.join(", ")))
    })
}

/// Parses a number of segments.
fn count(name: &str, text: &str) -> Result<u32, Stop> {
    let count = text.parse().ok().filter(|count| (1..=1000).contains(count));
    count.ok_or_else(|| Stop::Fail(format!("--{name}={text}: accepted: 1 to 1000 segments")))
}

/// Parses a time such as `200ms` or `3s`, or `off`.
fn time(name: &str, text: &str, may_be_off: bool) -> Result<Nanos, Stop> {
    let (digits, unit) = match text.strip_suffix("ms") {
        Some(digits) => (digits, MILLISECOND),
        None => (text.strip_suffix('s').unwrap_or_default(), SECOND),
    };
    let whole = digits.parse::<u32>().ok().map(|number| u64::from(number) * unit).filter(|&time| time > 0);
    whole.or((may_be_off && text == "off").then_some(0)).ok_or_else(|| {
        let off = if may_be_off { " or off" } else { "" };
        Stop::Fail(format!("--{name}={text}: accepted: a time such as 200ms or 3s{off}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_tcp::recovery::Recovery;

    fn chosen(lines: &[(&str, &str)]) -> Result<Config, Stop> {
        let lines: Vec<_> = lines.iter().map(|(name, text)| ((*name).to_owned(), Some((*text).to_owned()))).collect();
        configuration((stack::by_name("rfc").unwrap().config)(), &lines)
    }

    fn refused(name: &str, text: &str) -> String {
        match chosen(&[(name, text)]) {
            Err(Stop::Fail(reason)) => reason,
            _ => panic!("--{name}={text} was taken"),
        }
    }

    #[test]
    fn a_line_changes_the_choice_of_its_name_on_the_stack_named_anywhere() {
        let lines = [("recovery", "prr-crb"), ("rack", "off"), ("min_rto", "230ms"), ("stack", "linux")];
        let config = chosen(&lines).unwrap_or_else(|stop| panic!("{stop:?}"));
        assert_eq!((config.recovery, config.rack, config.min_rto), (Recovery::PrrCrb, false, 230 * MILLISECOND));
        assert_eq!((config.tlp, &**config.cc.name()), (true, "cubic-linux"));
    }

    #[test]
    fn names_and_values_are_those_of_the_tables_of_stacks() {
        let mut taken = 0;
        for stack in stack::CATALOGUE {
            for row in stack.rows().iter().filter(|row| is_ours(row.field)) {
                let text = row.value.split(' ').next().unwrap();
                assert!(chosen(&[(row.field, text)]).is_ok(), "{}: --{}={text}", stack.name, row.field);
                taken += 1;
            }
        }
        let lines = SWITCHES.len() + COUNTS.len() + TIMES.len() + 10;
        assert_eq!(taken, stack::CATALOGUE.len() * lines);
    }

    #[test]
    fn errors_list_the_accepted_values() {
        assert_eq!(
            refused("recovery", "prr2"),
            "--recovery=prr2: accepted: tahoe, newreno, sack, rate-halving, freebsd-sack, \
             ns2-newreno, ns2-sack, ns2-linux, prr-crb, prr-ssrb, prr"
        );
        assert!(refused("stack", "minix").starts_with("--stack=minix: accepted: rfc, linux, "));
        assert_eq!(refused("rack", ""), "--rack=: accepted: on, off");
        assert_eq!(refused("initial_window", "0"), "--initial_window=0: accepted: 1 to 1000 segments");
        for text in ["off", "0s", "200", "-1s", "0.2s"] {
            assert_eq!(refused("min_rto", text), format!("--min_rto={text}: accepted: a time such as 200ms or 3s"));
        }
        assert!(refused("delayed_ack", "soon").ends_with("200ms or 3s or off"));
    }
}
