//! Named stacks: tables of the choices that make up an endpoint, each with its source.

mod freebsd;
mod linux;
mod ns2;
mod rfc;

use crate::cc;
use crate::config::Config;
use crate::{settings, slow_start};

/// A named stack.
pub struct Stack {
    /// Name in scenarios.
    pub name: &'static str,
    /// Description in one line.
    pub summary: &'static str,
    /// Source of the stack's values.
    pub source: &'static str,
    /// Configuration of the stack.
    pub config: fn() -> Config,
    /// Forms of congestion controls that a family's name means on this stack, as pairs of family and full name, where
    /// that is not the standard form.
    forms: &'static [(&'static str, &'static str)],
    /// Name of the slow start that a congestion control has on this stack unless a scenario chooses one.
    slow_start_of: fn(cc: &str) -> &'static str,
    /// Values of the stack, with their sources.
    values: fn() -> Values,
}

/// The values of a stack.
struct Values {
    config: Config,
    /// Fields and the sources of their values: the stack's own first, then those of the stack that it builds on.
    sources: Vec<&'static [(&'static str, &'static str)]>,
}

/// Makes the [`Values`] of a stack: `field: value, "source";` for every field, or for the fields in which the stack
/// differs from the values after `..`, or has another source.
macro_rules! values {
    (..$base:expr; $($field:ident: $value:expr, $source:literal;)+) => {{
        let base: $crate::stack::Values = $base;
        let mut sources: Vec<&'static [(&'static str, &'static str)]> = vec![&[$((stringify!($field), $source)),+]];
        sources.extend(base.sources);
        $crate::stack::Values { config: $crate::Config { $($field: $value,)+ ..base.config }, sources }
    }};
    ($($field:ident: $value:expr, $source:literal;)+) => {
        $crate::stack::Values {
            config: $crate::Config { $($field: $value,)+ samples_rate: false, notes_limits: false },
            sources: vec![&[$((stringify!($field), $source)),+]],
        }
    };
}
use values;

/// A line of a stack's table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Name of the field in [`Config`], which is also its name in scenarios, if they have the field.
    pub field: &'static str,
    /// Value of the field, spelled as in scenarios.
    pub value: String,
    /// Source of the value.
    pub source: &'static str,
}

/// Every stack, by name.
pub const CATALOGUE: &[Stack] = &[
    rfc::STACK,
    linux::LINUX,
    linux::LINUX_6_18,
    linux::LINUX_6_12,
    linux::LINUX_6_1,
    linux::LINUX_3_12,
    freebsd::FREEBSD,
    freebsd::FREEBSD_2014,
    ns2::NEWRENO,
    ns2::SACK,
    ns2::LINUX,
];

/// The stack called `name`.
pub fn by_name(name: &str) -> Option<&'static Stack> {
    CATALOGUE.iter().find(|stack| stack.name == name)
}

impl Stack {
    /// The congestion control that a name means on this stack: a full name means the same on every stack, and a
    /// family's name ([`cc::Family`]) means the form of the stack.
    pub fn form(&self, name: &str) -> Option<&'static cc::Entry> {
        let own = self.forms.iter().find(|(family, _)| *family == name);
        cc::by_name(own.map_or(name, |(_, form)| form))
    }

    /// The slow start that the congestion control called `cc` has on this stack unless a scenario chooses one.
    ///
    /// # Panics
    /// Never: the tests of this module find every name in the catalogue.
    pub fn slow_start_of(&self, cc: &str) -> &'static slow_start::Entry {
        slow_start::by_name((self.slow_start_of)(cc)).expect("in the catalogue")
    }

    /// The stack as a table, in the order of the standards' values.
    ///
    /// # Panics
    /// Never: `values!` takes only fields of [`Config`].
    pub fn rows(&self) -> Vec<Row> {
        let Values { config, sources } = (self.values)();
        let order = (rfc::STACK.values)().sources.concat();
        let rows = order.into_iter().map(|(field, _)| {
            let value = settings::by_name(field).expect("a field of Config").show(&config);
            let source = sources.iter().copied().flatten().find(|(name, _)| *name == field);
            Row { field, value, source: source.expect("the standards' values are complete").1 }
        });
        rows.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc;

    #[test]
    fn every_value_has_a_source() {
        for stack in CATALOGUE {
            for row in stack.rows() {
                assert!(!row.source.is_empty(), "{}: {}", stack.name, row.field);
            }
        }
    }

    #[test]
    fn rows_are_all_settings_and_a_source_belongs_to_the_stack_that_gives_the_value() {
        let source = |stack: &str, field: &str| {
            let rows = by_name(stack).unwrap().rows();
            rows.into_iter().find(|row| row.field == field).map(|row| (row.value, row.source))
        };
        assert_eq!(rfc::STACK.rows().len(), settings::SETTINGS.len());
        assert_eq!(source("linux", "max_rto"), Some(("120s".to_owned(), "TCP_RTO_MAX")));
        assert_eq!(source("linux", "receive_buffer").map(|(value, _)| value), Some("64KiB".to_owned()));
        assert_eq!(source("linux-3.12", "max_rto"), Some(("120s".to_owned(), "TCP_RTO_MAX")));
        assert_eq!(source("linux-3.12", "tlp"), Some(("on".to_owned(), "tcp_early_retrans = 3, since 3.10")));
        assert_eq!(source("linux-3.12", "initial_rto"), Some(("1s".to_owned(), "RFC 6298 section 2.1")));
    }

    #[test]
    fn linux_is_the_one_of_a_version_and_others_differ_in_what_changed() {
        let rows = |name: &str| by_name(name).unwrap().rows();
        let differing = |name: &str| {
            let pairs = rows("linux").into_iter().zip(rows(name));
            pairs.filter(|(one, other)| one.value != other.value).map(|(one, _)| one.field).collect::<Vec<_>>()
        };
        assert_eq!(rows("linux"), rows("linux-6.12"));
        assert_eq!(differing("linux-6.18"), ["window_rule", "receive_buffer_max", "window_scale"]);
        assert_eq!(differing("linux-6.1"), ["syn_linear", "window_rule"]);
    }

    #[test]
    fn the_forms_of_a_stack_belong_to_their_families() {
        for stack in CATALOGUE {
            for (family, form) in stack.forms {
                let entry = stack.form(family).expect("a form is in the catalogue");
                assert_eq!(entry.name, *form, "{}", stack.name);
                let family = cc::Family::by_name(family).expect("forms belong to families");
                assert!(family.others.contains(form), "{}: {form} is no other form of {}", stack.name, family.name);
            }
        }
        let form = |stack: &str, name: &str| by_name(stack).unwrap().form(name).map(|entry| entry.name);
        assert_eq!(form("linux", "cubic"), Some("cubic-linux"));
        assert_eq!(form("linux", "bbr"), Some("bbr1"));
        assert_eq!(form("linux", "cubic-rfc9438"), Some("cubic-rfc9438"));
        assert_eq!(form("rfc", "cubic"), Some("cubic-rfc9438"));
        assert_eq!(form("rfc", "bbr"), Some("bbr3"));
        assert_eq!(form("linux", "cubik"), None);
    }

    #[test]
    fn every_congestion_control_has_a_slow_start_and_hystart_is_cubics_alone_on_linux() {
        for stack in CATALOGUE {
            let config = (stack.config)();
            assert_eq!(stack.slow_start_of(config.cc.name()).name, config.slow_start.name, "{}", stack.name);
            for entry in cc::CATALOGUE {
                let cubic = entry.name.starts_with("cubic");
                let expected = match stack.name {
                    linux if linux.starts_with("linux") && cubic => "hystart",
                    linux if linux.starts_with("linux") => "linux",
                    _ => "standard",
                };
                assert_eq!(stack.slow_start_of(entry.name).name, expected, "{}: {}", stack.name, entry.name);
            }
        }
    }

    #[test]
    fn a_stack_is_consistent() {
        for stack in CATALOGUE {
            let config = (stack.config)();
            assert!(config.receive_buffer <= config.receive_buffer_max, "{}", stack.name);
            assert!(config.min_rto <= config.initial_rto && config.initial_rto <= config.max_rto, "{}", stack.name);
            assert!(
                config.window_scale.is_none_or(|scale| config.receive_buffer_max >> scale <= 0xffff),
                "{}",
                stack.name
            );
        }
    }
}
