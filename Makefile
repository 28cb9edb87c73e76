# make demo   builds everything, reproduces the study newcwv-dash and says where its report is
# make test   every test, lint and type check
# make bench  measures the engine
# make docs   builds the documentation as a site, in out/docs/site
# make crosscheck  runs the same dumbbell in ns-2 and ns-3, which it installs, and explains what differs; takes minutes
# make wheel  builds a wheel for every CPython from 3.11 on, in out/wheels
# make types  writes the typed objects of scenarios anew, after the schema has changed
# make fuzz   runs random scenarios on all cores for MINUTES (10) under SEED (1) and writes what it finds to out/fuzz
# make known-answers  compares runs with theory over many seeds and writes docs/known-answers.md; takes minutes
# make conformance  runs the packetdrill scripts of the Linux kernel, which Debian's linux-source package brings
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := demo

VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps
OUT := out/newcwv-dash
CORES := $(addprefix -p ackclock-,core digest results schema app scenario tcp net wire sim drill tun fuzz)
KERNEL_SOURCE := linux-source-6.12
KERNEL_FOLDER := tools/testing/selftests/net/packetdrill
KERNEL_SCRIPTS := $(VENV)/$(KERNEL_SOURCE)-packetdrill

RUST_SOURCES := Cargo.toml Cargo.lock $(shell find crates -name '*.rs' -o -name Cargo.toml)

MINUTES := 10
SEED := 1

.PHONY: demo test bench docs wheel types fuzz known-answers conformance crosscheck env rust-test python-test lint clean

demo: env
	$(BIN)/ackclock reproduce newcwv-dash --out $(OUT)
	@echo "Report: $(CURDIR)/$(OUT)/report.html"

test: lint rust-test python-test

bench: env
	$(BIN)/ackclock bench
	$(BIN)/python -m ackclock.bench.sweeps

docs: env $(STAMPS)/docs
	$(BIN)/python -m tools.site out/docs
	$(BIN)/zensical build --clean --strict --config-file out/docs/mkdocs.yml
	@echo "Documentation: $(CURDIR)/out/docs/site/index.html"

wheel: $(STAMPS)/requirements
	$(BIN)/maturin build --release --locked --interpreter $(BIN)/python --out out/wheels

types: env
	$(BIN)/python -m ackclock.scenario._generate

fuzz:
	cargo run --quiet --profile checked -p ackclock-fuzz --bin fuzz-scenarios -- minutes=$(MINUTES) seed=$(SEED) out=out/fuzz

known-answers:
	cargo test --quiet --profile checked -p ackclock-sim --test known_answers -- --ignored

conformance: env $(KERNEL_SCRIPTS)/ksft_runner.sh
	$(BIN)/ackclock drill $(KERNEL_SCRIPTS)

crosscheck: env
	$(BIN)/python -m tools.crosscheck

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

# The environment, with the extension built in release mode and the package installed in place.
env: $(STAMPS)/package

$(STAMPS)/requirements: requirements.txt
	python3 -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements.txt
	mkdir -p $(@D)
	touch $@

$(STAMPS)/docs: $(STAMPS)/requirements tools/site/requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r tools/site/requirements.txt
	touch $@

# --no-deps: the list above is complete, and leaves out what uplot-python wants beyond the file we use of it.
$(STAMPS)/package: $(STAMPS)/requirements pyproject.toml $(RUST_SOURCES)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

rust-test:
	cargo test --quiet $(CORES)

lint: env
	cargo fmt --all --check
	cargo clippy --quiet --workspace --all-targets -- -D warnings
	$(BIN)/ruff check python tests tools docs
	$(BIN)/ruff format --check python tests tools docs
	$(BIN)/mypy python/ackclock tools
	$(BIN)/stubtest ackclock._core

python-test: env
	$(BIN)/pytest -q -n 2 --dist loadfile --no-loadscope-reorder

clean:
	rm -rf $(VENV) out target python/ackclock/_core*.so
