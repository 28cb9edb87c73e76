//! libFuzzer's entry point for the target `remycc`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ackclock_fuzz::remycc::run(data));
