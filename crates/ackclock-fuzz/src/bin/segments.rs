//! libFuzzer's entry point for the target `segments`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ackclock_fuzz::segments::run(data));
