//! Comparing the tables of two runs.

use std::collections::BTreeMap;

use ackclock_results::{Column, Table};

/// The tables of a run, by name.
pub type Tables = BTreeMap<&'static str, Table>;

/// Returns a cell as text.
fn shown(column: &Column, row: usize) -> String {
    match column {
        Column::Int(cells) => format!("{:?}", cells.get(row)),
        Column::Float(cells) => format!("{:?}", cells.get(row)),
        Column::Text(cells) => format!("{:?}", cells.get(row)),
        Column::Bool(cells) => format!("{:?}", cells.get(row)),
    }
}

/// Returns the first difference between two runs' tables: the table and column, and the two values. Tables without rows
/// count as absent.
pub fn difference(one: &Tables, other: &Tables) -> Option<(String, String)> {
    let empty = Table::default();
    for name in one.keys().chain(other.keys()) {
        let [a, b] = [one, other].map(|tables| tables.get(name).unwrap_or(&empty));
        if a.is_empty() && b.is_empty() {
            continue;
        }
        if a.len() != b.len() {
            return Some(((*name).to_owned(), format!("{} rows against {}", a.len(), b.len())));
        }
        for ((key, a), (other, b)) in a.columns.iter().zip(&b.columns) {
            let place = format!("{name}.{key}");
            if key != other {
                return Some((place, format!("the other has the column {other}")));
            }
            if a != b {
                let row = (0..a.len()).find(|row| shown(a, *row) != shown(b, *row)).unwrap_or(0);
                return Some((place, format!("in row {row} {} against {}", shown(a, row), shown(b, row))));
            }
        }
    }
    None
}

/// Returns a table with the rows for whose number `keep` holds.
fn filtered(table: &Table, keep: impl Fn(usize) -> bool) -> Table {
    fn kept<T: Clone>(cells: &[T], keep: &impl Fn(usize) -> bool) -> Vec<T> {
        cells.iter().enumerate().filter(|(row, _)| keep(*row)).map(|(_, cell)| cell.clone()).collect()
    }
    let column = |(name, column): &(&'static str, Column)| {
        let column = match column {
            Column::Int(cells) => Column::Int(kept(cells, &keep)),
            Column::Float(cells) => Column::Float(kept(cells, &keep)),
            Column::Text(cells) => Column::Text(kept(cells, &keep)),
            Column::Bool(cells) => Column::Bool(kept(cells, &keep)),
        };
        (*name, column)
    };
    Table { columns: table.columns.iter().map(column).collect() }
}

/// Returns the tables without the rows whose flow or link `is_foreign`.
pub fn without(tables: &Tables, is_foreign: impl Fn(&str) -> bool) -> Tables {
    let rows = |table: &Table| {
        let texts = ["flow", "link"].map(|name| table.column(name));
        filtered(table, |row| {
            !texts.iter().any(|column| match column {
                Some(Column::Text(cells)) => cells[row].as_deref().is_some_and(&is_foreign),
                _ => false,
            })
        })
    };
    tables.iter().map(|(name, table)| (*name, rows(table))).collect()
}

/// Returns the tables of `names` with the rows before a time, in seconds.
pub fn before(tables: &Tables, names: &[&str], time_s: f64) -> Tables {
    let rows = |table: &Table| match table.column("time_s") {
        Some(Column::Float(times)) => filtered(table, |row| times[row].is_some_and(|time| time < time_s)),
        _ => Table::default(),
    };
    tables.iter().filter(|(name, _)| names.contains(name)).map(|(name, table)| (*name, rows(table))).collect()
}

/// Returns a cell that is neither finite nor empty.
pub fn not_finite(tables: &Tables) -> Option<(String, String)> {
    for (name, table) in tables {
        for (key, column) in &table.columns {
            if let Column::Float(cells) = column
                && let Some(row) = cells.iter().position(|cell| cell.is_some_and(|cell| !cell.is_finite()))
            {
                return Some((format!("{name}.{key}"), format!("in row {row} {:?}", cells[row])));
            }
        }
    }
    None
}

/// Returns the sum of a column of whole numbers.
pub fn sum(tables: &Tables, table: &str, column: &str) -> i64 {
    match tables.get(table).and_then(|table| table.column(column)) {
        Some(Column::Int(cells)) => cells.iter().flatten().sum(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_results::declared::Events;

    fn tables(rows: &[(&str, f64)]) -> Tables {
        let mut table = Table::default();
        for (flow, time) in rows {
            table.push(Events {
                time_s: (*time).into(),
                flow: (*flow).into(),
                event: "timeout".into(),
                link: None::<String>.into(),
            });
        }
        Tables::from([("t", table)])
    }

    #[test]
    fn the_first_difference_is_said() {
        let one = tables(&[("a", 1.0), ("b", 2.0)]);
        assert_eq!(difference(&one, &one.clone()), None);
        assert_eq!(difference(&one, &tables(&[("a", 1.0), ("b", 3.0)])).unwrap().0, "t.time_s");
        assert_eq!(difference(&one, &tables(&[("a", 1.0)])).unwrap().0, "t");
        assert_eq!(difference(&tables(&[]), &Tables::new()), None);
    }

    #[test]
    fn rows_are_left_out_by_name_and_by_time() {
        let one = tables(&[("a", 1.0), ("b", 2.0)]);
        assert_eq!(without(&one, |name| name == "b"), tables(&[("a", 1.0)]));
        assert_eq!(before(&one, &["t"], 2.0), tables(&[("a", 1.0)]));
        assert_eq!(before(&one, &["other"], 2.0), Tables::new());
        assert_eq!(not_finite(&one), None);
        assert!(not_finite(&tables(&[("a", f64::NAN)])).is_some());
    }
}
