//! Traces of a run as bytes: captures (pcapng) and logs in qlog's format.

use ackclock_sim::trace::{Chunk, Form, Part, TraceSpec};
use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::*;

/// Returns what is traced: captures with IPv4 headers and without payload at places by name, and logs in qlog's format.
pub fn spec(captures: Vec<String>, qlog: bool) -> TraceSpec {
    TraceSpec { captures, form: Form { v6: false, payload: false }, events: false, qlog, part: Part::default() }
}

/// Returns the parts of files for JavaScript: an array of [name of the file, Uint8Array].
pub fn parts(chunks: Vec<Chunk>) -> Array {
    let part = |Chunk { file, bytes }: Chunk| Array::of2(&JsValue::from_str(&file), &Uint8Array::from(&bytes[..]));
    chunks.into_iter().map(part).collect()
}
