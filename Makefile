# `make help` lists the targets by groups (lines with ##@), each with the line above it that begins with ##.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := demo

VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps
OUT := out/newcwv-dash
CORES := -p ackclock $(addprefix -p ackclock-,cc core digest learn media plugin transport quinn results schema app scenario tcp net wire sim drill emu live tun fuzz)
QUICK := -m "not slow" tests/test_rooms.py $(addprefix tests/,base cc cli engine examples package plot results scenario stats)
OLDEST := $(VENV)/oldest
OLDEST_RUST = $(shell sed -n 's/^rust-version = "\(.*\)"$$/\1/p' Cargo.toml)
# What a wheel for Linux is built with: zig links for an older glibc than that of the machine.
ifeq ($(shell uname -s),Linux)
WHEEL := --zig --compatibility manylinux_2_28
WHEEL_TOOLS := ziglang==0.17.1
endif
# The names of functions in a profile contain the target, so that both builds have to name it.
HOST = $(shell rustc -vV | sed -n 's/^host: //p')
KERNEL_SOURCE := linux-source-6.12
KERNEL_FOLDER := tools/testing/selftests/net/packetdrill
KERNEL_SCRIPTS := $(VENV)/$(KERNEL_SOURCE)-packetdrill

# Programs for the running kernel. Whoever has no clang builds the rest, and is told so by `ackclock kernel load`.
CLANG ?= $(firstword $(foreach one,clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14,$(shell command -v $(one))))
LLVM_STRIP = $(subst clang,llvm-strip,$(CLANG))
BPF_OBJECTS := $(patsubst bpf/%,python/ackclock/kernel/modules/objects/%,$(patsubst %.c,%.o,$(wildcard bpf/*.bpf.c)))
BPF_READY = $(and $(CLANG),$(shell command -v $(LLVM_STRIP)),$(wildcard /usr/include/bpf/bpf_helpers.h))

PACKAGING := $(wildcard tools/packaging/*.py tools/packaging/licences.toml)
RUST_SOURCES := Cargo.toml Cargo.lock $(shell find crates -name '*.rs' -o -name Cargo.toml)

# A link to a name that does not exist is an error.
RUSTDOC := RUSTDOCFLAGS="-D warnings" cargo doc --quiet --no-deps --workspace

MINUTES := 10
AGAINST := HEAD
SEED := 1

##@ Every day
.PHONY: help demo env requirements check check-rust check-python test lint rust-compile rust-test python-test wasm clean

## Prints this list
help:
	@awk '/^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^## / { text = substr($$0, 4) } \
		/^[a-z][a-z-]*:/ { if (text) { sub(/:.*/, ""); printf "  make %-14s %s\n", $$0, text } text = "" }' Makefile

## Builds everything, reproduces the study newcwv-dash and says where its report is (the default)
demo: env
	$(BIN)/ackclock reproduce newcwv-dash --out $(OUT)
	@echo "Report: $(CURDIR)/$(OUT)/report.html"

## Makes the environment in .venv, with the extension in release mode and the package in place
env: $(STAMPS)/package vendor $(if $(BPF_READY),bpf)

## Says what is missing on this machine before anything is built
requirements:
	tools/packaging/requirements.sh

# npm, which fetches uPlot and esbuild, comes from Python's packages where the machine has none.
$(STAMPS)/requirements: requirements.txt | requirements
	python3 -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements.txt
	command -v npm >/dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps \
		"$$($(BIN)/python -c 'from tools.packaging.vendor import NPM; print(NPM)')"
	mkdir -p $(@D)
	touch $@

# --no-deps: the list above is complete.
$(STAMPS)/package: $(STAMPS)/requirements pyproject.toml $(PACKAGING) $(RUST_SOURCES)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

# Rust and Python side by side. The extension is not built anew when Rust sources have changed, which takes minutes.
# With ROOM, the tests of one folder of tests/ and the rules of imports.
## In two minutes, what a change breaks most often; ROOM=store: the quick tests of one folder of tests/
check: | requirements
	if [ -n "$(ROOM)" ] && [ ! -e "tests/$(ROOM)/__init__.py" ]; then \
		echo "ROOM=$(ROOM): accepted: $(sort $(patsubst tests/%/__init__.py,%,$(wildcard tests/*/__init__.py)))" >&2; exit 1; \
	fi
	if [ ! -e $(STAMPS)/package ]; then $(MAKE) env; fi
	if [ -n "$$(find crates -name '*.rs' -newer $(STAMPS)/package -print -quit)" ]; then \
		echo "The Python tests run with the extension of the last \`make env\`, which is older than crates/."; \
	fi
	$(if $(ROOM),$(BIN)/pytest -q -m "not slow" tests/test_rooms.py tests/$(ROOM),$(MAKE) --no-print-directory --jobs 2 check-rust check-python)

## The part of `make check` for Rust
check-rust:
	cargo fmt --all --check
	cargo clippy --quiet --workspace --all-targets -- -D warnings
	$(RUSTDOC)
	cargo test --quiet --lib -p ackclock-tcp -p ackclock-net

## The part of `make check` for Python
check-python:
	$(BIN)/ruff check python tests tools docs
	$(BIN)/ruff format --check python tests tools docs
	$(BIN)/mypy python/ackclock tools
	$(BIN)/pytest -q $(QUICK)

## Every test, lint and type check
test: lint wasm rust-test python-test

## The formats, lints and types of `make test`
lint: env
	cargo fmt --all --check
	cargo clippy --quiet --workspace --all-targets -- -D warnings
	$(RUSTDOC)
	$(BIN)/ruff check python tests tools docs
	$(BIN)/ruff format --check python tests tools docs
	$(BIN)/mypy python/ackclock tools
	$(BIN)/python -m tools.packaging.vendor --check
	$(BIN)/stubtest ackclock._core

## What the Rust tests need, without running them
rust-compile: | requirements
	cargo test --quiet --no-run $(CORES)

## The Rust tests of `make test`
rust-test: | requirements
	cargo test --quiet $(CORES)

## The Python tests of `make test`
python-test: env
	$(BIN)/pytest -q -n 2 --dist loadfile --no-loadscope-reorder

## Builds the engine for browsers, where a toolchain for that is present
wasm: | requirements
	tools/wasm.sh

## Removes the environment and everything that was built
clean:
	rm -rf $(VENV) out target python/ackclock/_core*.so python/ackclock/report/vendor python/ackclock/report/engine THIRD-PARTY-LICENSES

##@ After a change of a source that others are made from
.PHONY: types vendor web bpf quiche quiche-test docs

## Writes the typed objects of scenarios anew, after the schema has changed
types: env
	$(BIN)/python -m ackclock.scenario._generate

## Builds the scripts of reports and of `ackclock serve` from web/, with uPlot and esbuild from npm
vendor: $(STAMPS)/requirements
	$(BIN)/python -m tools.packaging.vendor

## Builds the laboratory as static files, in out/lab; needs a toolchain for wasm32-unknown-unknown
web: env wasm
	rm -rf out/lab
	$(BIN)/ackclock lab --out out/lab

## Compiles the congestion controls for the running Linux in bpf/; needs clang, llvm-strip and libbpf's headers
bpf: $(BPF_OBJECTS)

$(BPF_OBJECTS): python/ackclock/kernel/modules/objects/%.bpf.o: bpf/%.bpf.c $(wildcard bpf/*.h)
	if [ -z "$(BPF_READY)" ]; then \
		echo "make bpf needs clang, llvm-strip and libbpf's headers; on Debian: apt install clang llvm libbpf-dev" >&2; exit 1; \
	fi
	mkdir -p $(@D)
	$(CLANG) -O2 -g -Wall -Werror -target bpf -mcpu=v3 -ffile-prefix-map=$(CURDIR)=. \
		-isystem /usr/include/$(shell gcc -print-multiarch) -c $< -o $@.new
	$(LLVM_STRIP) -g $@.new
	mv $@.new $@

# BoringSSL is compiled with it, which takes minutes; nothing else does that.
QUICHE_NEEDS := make quiche needs CMake and libclang, for BoringSSL; on Debian: apt install cmake libclang-dev
## Builds Cloudflare's QUIC stack as a library of transports; needs CMake, libclang and minutes
quiche:
	if ! command -v cmake >/dev/null; then echo "$(QUICHE_NEEDS)" >&2; exit 1; fi
	cargo build --release --locked --manifest-path stacks/quiche/Cargo.toml || { echo "$(QUICHE_NEEDS)" >&2; exit 1; }
	cp stacks/quiche/target/release/libackclock_quiche.so stacks/quiche/quiche.so.new
	mv stacks/quiche/quiche.so.new stacks/quiche/quiche.so
	@echo "Library: stacks/quiche/quiche.so"

## Tests that library
quiche-test:
	cargo fmt --check --manifest-path stacks/quiche/Cargo.toml
	cargo clippy --quiet --release --locked --all-targets --manifest-path stacks/quiche/Cargo.toml -- -D warnings
	cargo test --quiet --release --locked --manifest-path stacks/quiche/Cargo.toml

## Builds the documentation as a site, in out/docs/site
docs: env $(STAMPS)/docs
	$(BIN)/python -m tools.site out/docs
	$(BIN)/zensical build --clean --strict --config-file out/docs/mkdocs.yml
	SITE=out/docs/site $(BIN)/pytest -q tools/site/built_test.py
	@echo "Documentation: $(CURDIR)/out/docs/site/index.html"

$(STAMPS)/docs: $(STAMPS)/requirements tools/site/requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r tools/site/requirements.txt
	touch $@

##@ Longer comparisons and measurements
.PHONY: bench bench-gate fuzz known-answers residuals queues conformance crosscheck

## Measures the engine, sweeps and stores
bench: env
	$(BIN)/ackclock bench
	$(BIN)/python -m ackclock.sweeps.bench

## The speed of the engine beside that of the commit AGAINST (HEAD), in pairs; use a quiet machine
bench-gate: env
	$(BIN)/python -m tools.bench_gate $(AGAINST)

## Random scenarios on all cores for MINUTES (10) under SEED (1); writes what it finds to out/fuzz
fuzz: | requirements
	cargo run --quiet --profile checked -p ackclock-fuzz --bin fuzz-scenarios -- minutes=$(MINUTES) seed=$(SEED) out=out/fuzz

## Compares runs with theory over many seeds and writes docs/known-answers.md
known-answers: | requirements
	cargo test --quiet --profile checked -p ackclock-sim --test known_answers -- --ignored

## Runs scenarios in the simulator and in Linux in virtual time and writes docs/residuals.md
residuals: env
	$(BIN)/ackclock kernel build
	$(BIN)/python -m tools.residuals

## Sends packets through our queue disciplines and through Linux's and writes docs/residuals-of-queues.md
queues: env
	$(BIN)/ackclock kernel build
	$(BIN)/python -m tools.queues

## Runs the packetdrill scripts of the Linux kernel, which Debian's linux-source package brings
conformance: env $(KERNEL_SCRIPTS)/ksft_runner.sh
	$(BIN)/ackclock drill $(KERNEL_SCRIPTS)

# From the package where it is installed; else from its file, of which nothing else is unpacked.
$(KERNEL_SCRIPTS)/ksft_runner.sh:
	mkdir -p $(@D)
	if [ -f /usr/src/$(KERNEL_SOURCE).tar.xz ]; then \
		cat /usr/src/$(KERNEL_SOURCE).tar.xz; \
	else \
		(cd $(@D) && apt-get download --quiet --quiet $(KERNEL_SOURCE) >&2) && \
		dpkg-deb --fsys-tarfile $(@D)/$(KERNEL_SOURCE)_*.deb | tar --extract --to-stdout ./usr/src/$(KERNEL_SOURCE).tar.xz; \
	fi | tar --extract --xz --directory $(@D) --strip-components 6 $(KERNEL_SOURCE)/$(KERNEL_FOLDER)
	rm -f $(@D)/$(KERNEL_SOURCE)_*.deb

## Runs the same dumbbell in ns-2 and ns-3, which it installs, and explains what differs
crosscheck: env
	$(BIN)/python -m tools.crosscheck
	$(BIN)/python -m tools.crosscheck.agents

##@ Releases
.PHONY: oldest oldest-rust oldest-python wheel wheel-test sdist workflows

## Builds with the oldest Rust and tests with the oldest Python dependencies that are supported
oldest: oldest-rust oldest-python

# On a machine with rustup the toolchain is chosen; elsewhere cargo itself has to be that version.
## The part of `make oldest` for Rust
oldest-rust:
	if command -v rustup >/dev/null; then \
		rustup run $(OLDEST_RUST) cargo check --quiet --locked --workspace --all-targets; \
	elif [[ "$$(cargo --version)" == "cargo $(OLDEST_RUST)."* ]]; then \
		cargo check --quiet --locked --workspace --all-targets; \
	else \
		echo "make oldest-rust needs Rust $(OLDEST_RUST), from rustup; $$(cargo --version) is here" >&2; exit 1; \
	fi

# Old packages meet newer ones that they depend on, and both warn; that is not an error of ours.
## The part of `make oldest` for Python
oldest-python: env
	rm -rf $(OLDEST)
	python3 -m venv $(OLDEST)
	$(BIN)/python -m tools.packaging.oldest | $(OLDEST)/bin/python -m pip install --quiet \
		--disable-pip-version-check --only-binary :all: --requirement /dev/stdin
	PYTHONPATH=python $(OLDEST)/bin/python -m pytest -q -n 2 --dist loadfile --override-ini filterwarnings= \
		$(QUICK) --ignore tests/package/test_types.py --ignore tests/scenario/test_typed_scenario.py tests/sweeps tests/report/serve tests/docs/test_pages.py

## Builds a wheel for every CPython from 3.11 on, in out/wheels; on Linux for glibc 2.28 and later. PROFILE=1: by a profile
wheel: $(STAMPS)/requirements vendor wasm bpf | requirements
	$(BIN)/python -m tools.packaging.notices
	$(if $(WHEEL_TOOLS),$(BIN)/python -m pip install --quiet --disable-pip-version-check $(WHEEL_TOOLS))
	rm -rf out/wheels
	$(if $(PROFILE),$(BIN)/python -m tools.packaging.profile)
	$(if $(PROFILE),RUSTFLAGS="-Cprofile-use=$(CURDIR)/target/profile/merged.profdata") ACKCLOCK_REVISION="$$(git rev-parse HEAD 2>/dev/null || true)" PATH="$(CURDIR)/$(BIN):$$PATH" maturin build --release --locked --interpreter $(BIN)/python --out out/wheels $(WHEEL) $(if $(PROFILE),--target $(HOST))

## Installs that wheel where no compiler is and tries what it promises
wheel-test: $(STAMPS)/requirements
	WHEEL="$$(ls out/wheels/*.whl)" $(BIN)/pytest -q tools/packaging/wheel_test.py

## Makes a source distribution, in out/sdist
sdist: $(STAMPS)/requirements vendor wasm bpf | requirements
	$(BIN)/python -m tools.packaging.notices
	rm -rf out/sdist
	$(BIN)/maturin sdist --out out/sdist

## Checks the files of .github/workflows
workflows: $(STAMPS)/workflows
	$(VENV)/workflows/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(VENV)/workflows/bin/zizmor --offline --quiet .github/workflows

# The linters of workflow files have an environment of their own.
$(STAMPS)/workflows: tools/packaging/workflows.txt | requirements
	python3 -m venv $(VENV)/workflows
	$(VENV)/workflows/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --requirement $<
	mkdir -p $(@D)
	touch $@
