//! libFuzzer's entry point for the target `cc`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ackclock_fuzz::cc::run(data));
