//! Tables as typed arrays, one for each column. An array of numbers is copied once out of the module's memory.

use std::collections::BTreeMap;

use ackclock_results::{Column, Tables};
use ackclock_sim::trace::Chunk;
use js_sys::{Array, BigInt64Array, Float64Array, Int32Array, Object, Reflect, Uint8Array};
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;

use crate::traces::parts;

/// The tables of a run, and the end of its traces.
#[wasm_bindgen]
pub struct Results {
    tables: Tables,
    traces: Vec<Chunk>,
}

impl Results {
    /// Wraps tables and traces for JavaScript.
    pub fn of(tables: Tables, traces: Vec<Chunk>) -> Results {
        Results { tables, traces }
    }
}

#[wasm_bindgen]
impl Results {
    /// Returns the names of the tables and their columns, as a text in JSON: [{name, rows, columns: [{name, kind}]}]. A
    /// kind is int, float, text or bool.
    pub fn tables(&self) -> String {
        let table = |(name, table): (&&str, &ackclock_results::Table)| {
            let columns = table.columns.iter().map(|(name, column)| json!({"name": name, "kind": kind(column)}));
            json!({"name": name, "rows": table.len(), "columns": Value::from_iter(columns)})
        };
        Value::from_iter(self.tables.iter().map(table)).to_string()
    }

    /// Removes and returns the rest of each trace, as [`crate::run::Simulation::take_traces`] does.
    pub fn take_traces(&mut self) -> Array {
        parts(std::mem::take(&mut self.traces))
    }

    /// Returns a column: {values, valid}. `values` is a BigInt64Array (int), Float64Array (float), Uint8Array (bool) or
    /// Int32Array (text). The cells of a text are places in a third member, `texts`, of different texts in the order of
    /// their first cells. `valid` is absent where no cell is empty, and else a Uint8Array with 0 for each empty cell.
    ///
    /// # Errors
    /// A name that no table or column has.
    pub fn column(&self, table: &str, column: &str) -> Result<Object, JsValue> {
        let found = self.tables.get(table).and_then(|table| table.column(column));
        let found = found.ok_or_else(|| JsValue::from_str(&format!("there is no column {table}.{column}")))?;
        let object = Object::new();
        let set = |name: &str, value: &JsValue| Reflect::set(&object, &JsValue::from_str(name), value).map(drop);
        let valid = match found {
            Column::Int(cells) => {
                let values: Vec<i64> = cells.iter().map(|cell| cell.unwrap_or(0)).collect();
                set("values", &BigInt64Array::from(&values[..]))?;
                valid(cells)
            }
            Column::Float(cells) => {
                let values: Vec<f64> = cells.iter().map(|cell| cell.unwrap_or(f64::NAN)).collect();
                set("values", &Float64Array::from(&values[..]))?;
                valid(cells)
            }
            Column::Bool(cells) => {
                let values: Vec<u8> = cells.iter().map(|cell| u8::from(*cell == Some(true))).collect();
                set("values", &Uint8Array::from(&values[..]))?;
                valid(cells)
            }
            Column::Text(cells) => {
                let (mut places, texts) = (BTreeMap::new(), Array::new());
                let mut place = |cell: &Option<String>| -> i32 {
                    cell.as_deref().map_or(-1, |text| match places.get(text) {
                        Some(place) => *place,
                        None => {
                            let next = texts.push(&JsValue::from_str(text)) as i32 - 1;
                            places.insert(text.to_owned(), next);
                            next
                        }
                    })
                };
                let values: Vec<i32> = cells.iter().map(&mut place).collect();
                set("values", &Int32Array::from(&values[..]))?;
                set("texts", &texts)?;
                valid(cells)
            }
        };
        if let Some(valid) = valid {
            set("valid", &valid)?;
        }
        Ok(object)
    }
}

fn kind(column: &Column) -> &'static str {
    match column {
        Column::Int(_) => "int",
        Column::Float(_) => "float",
        Column::Text(_) => "text",
        Column::Bool(_) => "bool",
    }
}

/// Returns 1 for each cell with a value and 0 for each empty cell; nothing if no cell is empty.
fn valid<T>(cells: &[Option<T>]) -> Option<Uint8Array> {
    let valid: Vec<u8> = cells.iter().map(|cell| u8::from(cell.is_some())).collect();
    valid.contains(&0).then(|| Uint8Array::from(&valid[..]))
}
