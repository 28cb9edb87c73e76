//! The private Python extension `ackclock._core`: thin bindings over [`ackclock_sim`], no logic.
//!
//! The contract with the Python side is `python/ackclock/_core.pyi`, which stubtest compares with this module.

mod abr;
mod callbacks;
mod catalogue;
mod cc;
mod contract;
mod drill;
#[cfg(target_os = "linux")]
mod emulate;
mod environment;
mod errors;
mod learn;
#[cfg(target_os = "linux")]
mod live;
mod queue;
mod run;
mod scenario;
mod tables;
mod transport;

use pyo3::prelude::*;

/// Returns the version of ackclock, which is a part of the provenance of every result.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Returns 16 hexadecimal digits of the engine's source; two builds that may give different results have different
/// digits.
#[pyfunction]
fn engine() -> &'static str {
    env!("ACKCLOCK_ENGINE")
}

/// Returns the git revision that the build script was given, as for wheels; `None` for a build in a checkout.
#[pyfunction]
fn revision() -> Option<&'static str> {
    option_env!("ACKCLOCK_REVISION").filter(|revision| !revision.is_empty())
}

/// The module.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(version, module)?)?;
    module.add_function(wrap_pyfunction!(revision, module)?)?;
    module.add_function(wrap_pyfunction!(engine, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::check, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::old_names, module)?)?;
    module.add_function(wrap_pyfunction!(catalogue::receive_buffer, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::read_scenario, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::scenario_hash, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::suggestion, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::estimate, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::resolved, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::schema, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::event_schema, module)?)?;
    module.add_function(wrap_pyfunction!(catalogue::catalogue, module)?)?;
    module.add_function(wrap_pyfunction!(catalogue::tables, module)?)?;
    module.add_function(wrap_pyfunction!(cc::library, module)?)?;
    module.add_function(wrap_pyfunction!(contract::contract, module)?)?;
    module.add_function(wrap_pyfunction!(run::run, module)?)?;
    module.add_function(wrap_pyfunction!(drill::drill, module)?)?;
    #[cfg(target_os = "linux")]
    module.add_function(wrap_pyfunction!(drill::live_drill, module)?)?;
    #[cfg(target_os = "linux")]
    module.add_class::<emulate::Emulator>()?;
    #[cfg(target_os = "linux")]
    module.add_function(wrap_pyfunction!(live::live_run, module)?)?;
    module.add_function(wrap_pyfunction!(queue::replay_queue, module)?)?;
    module.add_function(wrap_pyfunction!(learn::learn_settings, module)?)?;
    module.add_function(wrap_pyfunction!(learn::evaluate_table, module)?)?;
    module.add_class::<learn::Search>()?;
    module.add_class::<learn::NetworksOfWorker>()?;
    module.add_class::<environment::Environment>()?;
    module.add_class::<run::Cancel>()?;
    module.add_class::<run::Trace>()?;
    module.add_class::<cc::Algorithm>()?;
    module.add_class::<abr::views::Video>()?;
    module.add_class::<abr::views::Download>()?;
    module.add_class::<abr::views::Playback>()?;
    module.add_class::<cc::views::Window>()?;
    module.add_class::<cc::views::Context>()?;
    module.add_class::<cc::views::Ack>()?;
    module.add_class::<cc::views::Congestion>()?;
    module.add_class::<cc::views::RecoveryEnd>()?;
    module.add_class::<cc::views::Delivery>()?;
    module.add_class::<cc::views::RateSample>()?;
    module.add_class::<cc::views::Lost>()?;
    module.add_class::<cc::views::Situation>()?;
    Ok(())
}
