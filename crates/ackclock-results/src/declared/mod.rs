//! The declarations of results tables: each table and each column is declared once, here.
//!
//! The macro `tables!` makes a record of each table, whose fields are the columns. Code that fills a table makes such a record
//! for each row, so that the compiler refuses a column that is not declared, a column that is missing and a value of
//! another type. [`TABLES`] has the same declarations as data: the properties and docstrings in Python, the reference
//! page and the invariants follow from it.

mod applications;
mod network;
mod probes;

pub use applications::*;
pub use network::*;
pub use probes::*;

use crate::{Cell, Column, Tables};

/// Type of a column's values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Whole numbers.
    Int,
    /// Real numbers.
    Float,
    /// Text.
    Text,
    /// Truth values.
    Bool,
}

impl Kind {
    /// Returns the name of the type, as the reference page shows it.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Int => "whole number",
            Kind::Float => "number",
            Kind::Text => "text",
            Kind::Bool => "truth value",
        }
    }

    /// Returns an empty column of this type.
    pub const fn column(self) -> Column {
        match self {
            Kind::Int => Column::INT,
            Kind::Float => Column::FLOAT,
            Kind::Text => Column::TEXT,
            Kind::Bool => Column::BOOL,
        }
    }
}

/// Meaning of a column that the invariants and the summaries of replications use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Names the component that the row is about. Replications summarise the tables that have such columns.
    Key,
    /// Time from the start of the run to an instant within the run.
    Moment,
    /// Time between two instants of the run.
    Elapsed,
    /// A number from 0 to 1.
    Fraction,
    /// A mean opinion score, from 1 to 4.5.
    Score,
    /// A number that may be negative.
    Signed,
}

/// The declaration of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ColumnDeclaration {
    /// Name of the column.
    pub name: &'static str,
    /// Type of the values.
    pub kind: Kind,
    /// Unit of the values: `s`, `ms`, `bit/s` or `bytes`; empty for counts, shares and names.
    pub unit: &'static str,
    /// Meaning for invariants and summaries, if the column has one of these.
    pub role: Option<Role>,
    /// Lines of the description.
    about: &'static [&'static str],
}

impl ColumnDeclaration {
    /// Returns the description in Markdown.
    pub fn about(&self) -> String {
        text(self.about)
    }
}

/// The declaration of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableDeclaration {
    /// Name of the table.
    pub name: &'static str,
    /// The setting with which a scenario asks for the table; `None` if the table needs no setting.
    pub asked: Option<&'static str>,
    /// The columns, in order.
    pub columns: &'static [ColumnDeclaration],
    /// Lines of the description.
    about: &'static [&'static str],
}

impl TableDeclaration {
    /// Returns the description in Markdown.
    pub fn about(&self) -> String {
        text(self.about)
    }

    /// Returns the column with a name.
    pub fn column(&self, name: &str) -> Option<&'static ColumnDeclaration> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Whether the rows are in the order of time: the first column of such a table is the time.
    pub fn is_series(&self) -> bool {
        self.columns.first().is_some_and(|column| column.name == "time_s")
    }
}

fn text(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join("\n")
}

/// Returns the declaration of a table.
pub fn declaration(name: &str) -> Option<&'static TableDeclaration> {
    TABLES.iter().flat_map(|group| group.iter()).find(|table| table.name == name)
}

/// Every table that a run may give, in groups.
pub const TABLES: [&[TableDeclaration]; 3] = [network::TABLES, applications::TABLES, probes::TABLES];

/// A row of a declared table.
pub trait Row {
    /// The table.
    const TABLE: TableDeclaration;

    /// Returns the cells in the order of the columns.
    fn cells(self) -> Vec<Cell>;

    /// Appends the row to its table.
    fn add_to(self, tables: &mut Tables)
    where
        Self: Sized,
    {
        tables.entry(Self::TABLE.name).or_default().push(self);
    }
}

macro_rules! values {
    ($($(#[$about:meta])* $Name:ident($type:ty): $($from:ty),*;)*) => {$(
        $(#[$about])*
        #[derive(Clone, PartialEq, Debug)]
        pub struct $Name(Option<$type>);

        impl From<$Name> for Cell {
            fn from(value: $Name) -> Cell { Cell::$Name(value.0) }
        }

        $(
            impl From<$from> for $Name {
                fn from(value: $from) -> $Name { $Name::from(Some(value)) }
            }
            impl From<Option<$from>> for $Name {
                fn from(value: Option<$from>) -> $Name { $Name(value.map(<$type>::from)) }
            }
        )*
    )*};
}
values! {
    /// Value of a column of whole numbers, if the cell has one.
    Int(i64): i64, u32;
    /// Value of a column of real numbers, if the cell has one.
    Float(f64): f64;
    /// Value of a column of text, if the cell has one.
    Text(String): &str, String;
    /// Value of a column of truth values, if the cell has one.
    Bool(bool): bool;
}

// Counts beyond the largest integer of a column, such as an ssthresh without a limit, are shown as that integer.
impl From<Option<u64>> for Int {
    fn from(value: Option<u64>) -> Int {
        Int(value.map(|value| i64::try_from(value).unwrap_or(i64::MAX)))
    }
}

impl From<u64> for Int {
    fn from(value: u64) -> Int {
        Int::from(Some(value))
    }
}

impl From<usize> for Int {
    fn from(value: usize) -> Int {
        Int::from(value as u64)
    }
}

/// Declares tables. A table is `Record = "name" { ... }`, with `asked "setting"` behind the name if a scenario has to
/// ask for the table. A column is `name: Type`, followed by its unit and its [`Role`] in parentheses, if it has these.
/// The comments are the descriptions that users read.
macro_rules! tables {
    ($(
        $(#[doc = $about:literal])+
        $Record:ident = $name:literal $(asked $asked:literal)? {
            $($(#[doc = $what:literal])+ $column:ident: $Kind:ident $($unit:literal)? $(($role:ident))?,)+
        }
    )+) => {
        /// The tables of this group.
        pub(super) const TABLES: &[$crate::TableDeclaration] = &[$(<$Record as $crate::Row>::TABLE),+];

        $(
            $(#[doc = $about])+
            #[derive(Clone, PartialEq, Debug)]
            pub struct $Record {
                $($(#[doc = $what])+ pub $column: $Kind,)+
            }

            impl $crate::Row for $Record {
                const TABLE: $crate::TableDeclaration = $crate::TableDeclaration {
                    name: $name,
                    asked: $crate::declared::some!($($asked)?),
                    columns: &[$($crate::ColumnDeclaration {
                        name: stringify!($column),
                        kind: $crate::Kind::$Kind,
                        unit: concat!($($unit)?),
                        role: $crate::declared::role!($($role)?),
                        about: &[$($what),+],
                    }),+],
                    about: &[$($about),+],
                };

                fn cells(self) -> Vec<$crate::Cell> {
                    vec![$(self.$column.into()),+]
                }
            }
        )+
    };
}
use tables;

/// Makes an option of the name of a role, which may be absent.
macro_rules! role {
    () => {
        None
    };
    ($role:ident) => {
        Some($crate::Role::$role)
    };
}
use role;

/// Makes an option of what may be absent.
macro_rules! some {
    () => {
        None
    };
    ($value:literal) => {
        Some($value)
    };
}
use some;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::Table;

    fn all() -> impl Iterator<Item = &'static TableDeclaration> {
        TABLES.into_iter().flatten()
    }

    #[test]
    fn names_are_unique_and_every_description_is_a_sentence() {
        let mut tables = BTreeSet::new();
        for table in all() {
            assert!(tables.insert(table.name), "table {} is declared twice", table.name);
            let mut columns = BTreeSet::new();
            assert!(table.about().ends_with('.'), "{}", table.name);
            for column in table.columns {
                let place = format!("{}.{}", table.name, column.name);
                assert!(columns.insert(column.name), "{place} is declared twice");
                assert!(column.about().ends_with('.'), "{place}: {}", column.about());
            }
        }
    }

    /// A name that ends with a unit has that unit.
    #[test]
    fn a_name_and_its_unit_agree() {
        let suffixes = [("_s", "s"), ("_ms", "ms"), ("_bps", "bit/s"), ("_bytes", "bytes")];
        for table in all() {
            for column in table.columns {
                let place = format!("{}.{}", table.name, column.name);
                assert!(["", "s", "ms", "bit/s", "bytes"].contains(&column.unit), "{place}: {}", column.unit);
                if let Some((_, unit)) = suffixes.iter().find(|(suffix, _)| column.name.ends_with(suffix)) {
                    assert_eq!(column.unit, *unit, "{place}");
                }
                let is_time = matches!(column.role, Some(Role::Moment | Role::Elapsed));
                assert!(!is_time || ["s", "ms"].contains(&column.unit), "{place} is a time");
                assert!(column.unit.is_empty() || matches!(column.kind, Kind::Int | Kind::Float), "{place}");
            }
        }
    }

    #[test]
    fn a_row_has_the_cells_of_its_declaration() {
        let row = || Rates {
            time_s: 1.5.into(),
            flow: "a".into(),
            bytes_delivered: 7u64.into(),
            goodput_bps: None::<f64>.into(),
        };
        let mut tables = Tables::new();
        row().add_to(&mut tables);
        row().add_to(&mut tables);
        let table = &tables["rates"];
        let names: Vec<_> = table.columns.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["time_s", "flow", "bytes_delivered", "goodput_bps"]);
        assert_eq!(table.column("goodput_bps"), Some(&Column::Float(vec![None, None])));
        assert_eq!(table.column("flow"), Some(&Column::Text(vec![Some("a".to_owned()), Some("a".to_owned())])));
        let empty = Table::of::<Rates>();
        assert_eq!((empty.len(), empty.columns.len()), (0, 4));
        assert_eq!(Int::from(u64::MAX), Int(Some(i64::MAX)));
    }

    #[test]
    #[should_panic = "the rows of a table are of one kind"]
    fn rows_of_two_kinds_do_not_share_a_table() {
        let mut table = Table::of::<Delays>();
        table.columns.truncate(4);
        table.push(Events {
            time_s: 0.0.into(),
            flow: "a".into(),
            event: "timeout".into(),
            link: None::<String>.into(),
        });
    }
}
