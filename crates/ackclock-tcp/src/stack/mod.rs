//! Named stacks: tables of the choices that make up an endpoint, each with its source.

mod freebsd;
mod linux;
mod ns2;
mod rfc;
mod rows;

use crate::cc;
use crate::config::Config;
use crate::slow_start;

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
    /// Sources of single values, by field: the values that differ from the standards' table.
    sources: &'static [(&'static str, &'static str)],
}

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

    /// The stack as a table.
    pub fn rows(&self) -> Vec<Row> {
        let find = |sources: &[(&str, &'static str)], field: &str| {
            sources.iter().find(|(name, _)| *name == field).map(|(_, source)| *source)
        };
        let config = (self.config)();
        let rows = rows::values(&config).into_iter().map(|(field, value)| {
            let source = find(self.sources, field).or_else(|| find(rfc::STACK.sources, field)).unwrap_or_default();
            Row { field, value, source }
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
    fn sources_name_fields_and_every_deviation_has_its_own() {
        let standard = rfc::STACK.rows();
        for stack in CATALOGUE {
            let rows = stack.rows();
            for (field, _) in stack.sources {
                assert!(rows.iter().any(|row| row.field == *field), "{}: {field} is no field", stack.name);
            }
            for (row, standard) in rows.iter().zip(&standard) {
                let own = stack.sources.iter().any(|(field, _)| *field == row.field);
                assert!(row.value == standard.value || own, "{}: {} is not explained", stack.name, row.field);
            }
        }
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
                    "linux" | "linux-3.12" if cubic => "hystart",
                    "linux" | "linux-3.12" => "linux",
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
