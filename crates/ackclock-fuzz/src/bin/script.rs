//! libFuzzer's entry point for the target `script`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ackclock_fuzz::script::run(data));
