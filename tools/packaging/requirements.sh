#!/bin/sh
# Says in one message what is missing to build ackclock, and fails; says nothing when nothing is missing.
# The floors are those of Cargo.toml (rust-version) and pyproject.toml (requires-python).
set -eu
cd "$(dirname "$0")/../.."

rust=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
python=$(sed -n 's/^requires-python = ">=\(.*\)"$/\1/p' pyproject.toml)
missing=""

# Whether version $1 is at least $2, by their first two numbers.
at_least() {
    awk -v have="$1" -v floor="$2" 'BEGIN {
        split(have, h, "."); split(floor, f, ".")
        exit !(h[1] + 0 > f[1] + 0 || (h[1] + 0 == f[1] + 0 && h[2] + 0 >= f[2] + 0))
    }'
}

lacks() {
    missing="$missing
  - $1"
}

how="install it with rustup (on Debian 12 also: apt-get install cargo-web rustfmt-web rust-web-clippy)"
for tool in rustc cargo; do
    if ! version=$("$tool" --version 2>/dev/null | awk '{ print $2 }') || [ -z "$version" ]; then
        lacks "Rust $rust or later: $tool is not there; $how"
    elif ! at_least "$version" "$rust"; then
        lacks "Rust $rust or later: $tool is $version; $how"
    fi
done

command -v cc >/dev/null || lacks "a C compiler, with which Rust links: on Debian, apt-get install gcc libc6-dev"

if ! version=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null); then
    lacks "Python $python or later: python3 is not there"
elif ! at_least "$version" "$python"; then
    lacks "Python $python or later: python3 is $version"
elif ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
    lacks "Python's module venv: on Debian, apt-get install python3-venv"
fi

if [ -n "$missing" ]; then
    echo "ackclock cannot be built here. Missing:$missing" >&2
    exit 1
fi
