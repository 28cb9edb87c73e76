//! libFuzzer's entry point for the target `transfer`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ackclock_fuzz::transfer::run(data));
