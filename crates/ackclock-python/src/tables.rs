//! Passes tables to Python through Arrow's C stream interface: the buffers change their owner, and reading them copies
//! nothing.

use std::sync::Arc;

use ackclock_results::{Column, Table};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, RecordBatchOptions, StringArray,
};
use arrow_schema::{ArrowError, Field, Schema};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// Returns a table as an `arro3.core.Table`.
pub fn to_arro3(py: Python<'_>, table: Table) -> PyResult<Bound<'_, PyAny>> {
    let batch = to_batch(table).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    let schema = batch.schema();
    let stream = FFI_ArrowArrayStream::new(Box::new(RecordBatchIterator::new([Ok(batch)], schema)));
    let capsule = PyCapsule::new_with_value(py, stream, c"arrow_array_stream")?;
    py.import("arro3.core")?.getattr("Table")?.call_method1("from_arrow_pycapsule", (capsule,))
}

fn to_batch(table: Table) -> Result<RecordBatch, ArrowError> {
    let rows = table.len();
    let columns: Vec<(&str, ArrayRef)> =
        table.columns.into_iter().map(|(name, column)| (name, to_array(column))).collect();
    let fields: Vec<Field> =
        columns.iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), true)).collect();
    RecordBatch::try_new_with_options(
        Arc::new(Schema::new(fields)),
        columns.into_iter().map(|(_, array)| array).collect(),
        &RecordBatchOptions::new().with_row_count(Some(rows)),
    )
}

fn to_array(column: Column) -> ArrayRef {
    match column {
        Column::Int(cells) => Arc::new(Int64Array::from(cells)),
        Column::Float(cells) => Arc::new(Float64Array::from(cells)),
        Column::Text(cells) => Arc::new(StringArray::from(cells)),
        Column::Bool(cells) => Arc::new(BooleanArray::from(cells)),
    }
}
