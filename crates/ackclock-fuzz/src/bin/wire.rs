//! libFuzzer's entry point for the target `wire`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ackclock_fuzz::wire::run(data));
