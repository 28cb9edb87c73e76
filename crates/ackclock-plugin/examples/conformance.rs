//! Tests the transports of a library in C or C++ against the contract of transports:
//!
//!     cargo run --release -p ackclock-plugin --example conformance -- ./mine.so
//!
//! It prints a report for each transport, and ends with status 1 if a case failed and 2 if the library cannot be opened.

use std::path::Path;
use std::process::ExitCode;

use ackclock_transport::conformance::check;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(file), None) = (arguments.next(), arguments.next()) else {
        eprintln!("conformance: expected one argument, the file of a library");
        return ExitCode::from(2);
    };
    let stacks = match ackclock_plugin::transports(Path::new(&file)) {
        Ok(stacks) => stacks,
        Err(message) => {
            eprintln!("conformance: {}: {message}", Path::new(&file).display());
            return ExitCode::from(2);
        }
    };
    let reports: Vec<_> = stacks.iter().map(|stack| check(&**stack)).collect();
    reports.iter().for_each(|report| print!("{report}"));
    if reports.iter().all(|report| report.passed()) { ExitCode::SUCCESS } else { ExitCode::from(1) }
}
