//! The engine for JavaScript: thin bindings over [`ackclock_sim`], no logic.
//!
//! The contract with the pages is `web/src/lab/module.ts`. Every error is thrown as a text in JSON with the problems of a
//! scenario; a panic is thrown as its message, and the module must not be used after it.

mod callbacks;
mod cc;
mod run;
mod scenario;
mod tables;
mod traces;

use std::panic;

use wasm_bindgen::prelude::*;

/// Lets a panic reach the page with its message and its place in the source.
#[wasm_bindgen(start)]
fn start() {
    panic::set_hook(Box::new(|info| wasm_bindgen::throw_str(&info.to_string())));
}

/// Returns the version of ackclock, which is a part of the provenance of every result.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// Returns 16 hexadecimal digits of the engine's source, as the Python extension of the same sources does.
#[wasm_bindgen]
pub fn engine() -> String {
    env!("ACKCLOCK_ENGINE").to_owned()
}
