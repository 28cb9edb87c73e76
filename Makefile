# make demo   builds everything, reproduces the study newcwv-dash and says where its report is
# make test   every test, lint and type check
# make bench  measures the engine
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := demo

VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps
OUT := out/newcwv-dash
CORES := -p ackclock-tcp -p ackclock-net -p ackclock-sim -p ackclock-live

RUST_SOURCES := Cargo.toml Cargo.lock $(shell find crates -name '*.rs' -o -name Cargo.toml)

.PHONY: demo test bench env rust-test python-test lint clean

demo: env
	$(BIN)/ackclock reproduce newcwv-dash --out $(OUT)
	@echo "Report: $(CURDIR)/$(OUT)/report.html"

test: lint rust-test python-test

bench: env
	$(BIN)/ackclock bench

# The environment, with the extension built in release mode and the package installed in place.
env: $(STAMPS)/package

$(STAMPS)/requirements: requirements.txt
	python3 -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements.txt
	mkdir -p $(@D)
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
	$(BIN)/ruff check python tests
	$(BIN)/ruff format --check python tests
	$(BIN)/mypy python/ackclock
	$(BIN)/stubtest ackclock._core

python-test: env
	$(BIN)/pytest -q -n 2 --dist loadfile

clean:
	rm -rf $(VENV) out target python/ackclock/_core*.so
