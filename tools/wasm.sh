#!/bin/sh
# Checks that the engine, which needs no operating system, compiles for wasm32-unknown-unknown. Where no toolchain for that target
# is present, the script says so and succeeds. Debian's packages rustc-web, cargo-web and rust-web-src are one, with the sources of
# the standard library.
set -eu
cd "$(dirname "$0")/.."

target=wasm32-unknown-unknown
crates=$(for name in core schema results tcp net wire app scenario sim; do printf ' -p ackclock-%s' "$name"; done)

for bin in "$(dirname "$(command -v cargo)")" /usr/bin; do
    [ -x "$bin/rustc" ] && [ -x "$bin/cargo" ] || continue
    export PATH="$bin:$PATH"
    sysroot=$("$bin/rustc" --print sysroot)
    if [ -d "$sysroot/lib/rustlib/$target/lib" ]; then
        # shellcheck disable=SC2086 -- a list of words
        exec "$bin/cargo" check --quiet --locked --target "$target" --target-dir target/wasm $crates
    elif [ -d "$sysroot/lib/rustlib/src/rust/library" ]; then
        # shellcheck disable=SC2086 -- a list of words
        RUSTC_BOOTSTRAP=1 exec "$bin/cargo" check --quiet --locked -Z build-std=std,panic_abort \
            --target "$target" --target-dir target/wasm $crates
    fi
done
echo "wasm: not checked, because no toolchain for $target is present"
