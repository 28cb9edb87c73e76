#![doc = include_str!("../README.md")]

pub mod abi;
mod algorithm;
mod context;
mod export;
mod failure;
mod parameters;
pub mod testing;
mod value;

pub use algorithm::{Algorithm, CongestionControl, Scope, WindowRules};
pub use context::{
    Ack, Cause, Congestion, Context, Delivery, Lost, Nanos, RateSample, RecoveryEnd, SECOND, Situation, Window,
};
pub use export::{controlled, ruled};
#[doc(hidden)]
pub use failure::caught;
pub use parameters::{Declared, Parameter};
pub use value::{Maybe, Value};
