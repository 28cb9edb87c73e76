#!/bin/sh
# Fuzzes one target with libFuzzer: fuzz.sh TARGET [SECONDS]. Findings and new inputs go to fuzz/TARGET beside the sources' target folder.
set -eu
cd "$(dirname "$0")"
name="$1"
seconds="${2:-600}"
work="../../target/fuzz/$name"
mkdir -p "$work"
RUSTFLAGS="--cfg fuzzing -Cdebug-assertions -Coverflow-checks -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1" \
    cargo build --quiet --release --config 'profile.release.lto=false' --target "$(rustc -vV | sed -n 's/^host: //p')" --target-dir ../../target/fuzz-build \
    --features libfuzzer --bin "fuzz-$name"
exec ../../target/fuzz-build/*/release/"fuzz-$name" -max_total_time="$seconds" -max_len=2048 -artifact_prefix="$work/finding-" "$work" "corpus/$name"
