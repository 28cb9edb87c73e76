#!/bin/sh
# Builds the engine for browsers: the crates that need no operating system, for wasm32-unknown-unknown, and the JavaScript
# that calls them. Where no toolchain for that target is present, the script says what is missing and succeeds. Debian's
# packages rustc-web, cargo-web, rust-web-src and lld-22 are a toolchain, with the sources of the standard library.
set -eu
cd "$(dirname "$0")/.."

target=wasm32-unknown-unknown
folder=python/ackclock/report/engine
built=target/wasm/$target/browser/ackclock_wasm.wasm

# A link of Debian's package leads to lld, which is a package of its own.
linker() {
    for one in "$1/rust-lld" "$2"/lib/rustlib/*/bin/rust-lld "$HOME"/.rustup/toolchains/*/lib/rustlib/*/bin/rust-lld; do
        [ -x "$one" ] && { echo "$one"; return; }
    done
    command -v wasm-ld || true
}

build() {
    cargo build --quiet --locked --profile browser -p ackclock-wasm --target "$target" --target-dir target/wasm "$@"
    cargo build --quiet --release --locked --manifest-path tools/bindings/Cargo.toml --target-dir target/bindings
    rm -rf "$folder.new"
    target/bindings/release/ackclock-bindings "$built" "$folder.new"
    rm -rf "$folder"
    mv "$folder.new" "$folder"
}

missing="a toolchain for $target"
for bin in "$(dirname "$(command -v cargo)")" /usr/bin; do
    [ -x "$bin/rustc" ] && [ -x "$bin/cargo" ] || continue
    sysroot=$("$bin/rustc" --print sysroot)
    [ -d "$sysroot/lib/rustlib/$target/lib" ] || [ -d "$sysroot/lib/rustlib/src/rust/library" ] || continue
    found=$(linker "$bin" "$sysroot")
    if [ -z "$found" ]; then
        missing="a linker for $target, such as Debian's lld-22"
        continue
    fi
    export PATH="$bin:$PATH" CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER="$found"
    if [ -d "$sysroot/lib/rustlib/$target/lib" ]; then
        build
    else
        # The stable compiler builds its own standard library with this variable alone.
        (export RUSTC_BOOTSTRAP=1; build -Z build-std=std,panic_abort)
    fi
    exit
done
echo "wasm: not built, because this machine has not $missing; ackclock lab needs it"
