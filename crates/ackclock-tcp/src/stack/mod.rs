//! Named stacks: tables of the choices that make up an endpoint, each with its source.

mod freebsd;
mod linux;
mod ns2;
mod rfc;
mod rows;

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
pub const CATALOGUE: &[Stack] =
    &[rfc::STACK, linux::LINUX, linux::LINUX_3_12, freebsd::FREEBSD, freebsd::FREEBSD_2014, ns2::SACK];

/// The stack called `name`.
pub fn by_name(name: &str) -> Option<&'static Stack> {
    CATALOGUE.iter().find(|stack| stack.name == name)
}

impl Stack {
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
