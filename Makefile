# make demo   set everything up and run the main job on real samples
# make test   set up what the tests need, then format, lints and all tests
# make test-shared   the tests with those against the reference clips, whose folder is ../shared or TURNWISE_SHARED; fails without it
# make torture MINUTES=30 SEED=7   kills, damaged files, failing disks, hostile headers: more of them the longer it may take
# make docs   build the documentation: commands checked, examples run, links checked; open target/docs/site/index.html
# make bench  our time beside the floor and the peers, in one run
# make wheel  a Python wheel and, with make dist, a tarball and a Debian package into target/packages, FFmpeg inside
# make models fetch, check and convert the model files (does nothing when all are in place)

SHELL := /bin/bash
.ONESHELL:
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help demo test test-shared torture readers writers report-test docs bench models samples apt target build fmt lint clean \
  packaged-apt packaged wheel wheel-test models-wheel dist dist-test

# Downloads, converted models and compiled dependencies are kept outside the clone, so that a second clone starts warm.
export TURNWISE_CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/turnwise
# ONNX Runtime otherwise reports to its maker when it is loaded.
export ORT_DISABLE_TELEMETRY := 1
PYTHON ?= python3
APT := ffmpeg libavcodec-dev libavformat-dev libavutil-dev libavfilter-dev libavdevice-dev libswscale-dev libswresample-dev \
  libclang-dev clang pkg-config python3-venv strace

# The least number of minutes as its argument; 0 is the short run.
TORTURE = $(PYTHON) tests/torture --binary "$${CARGO_TARGET_DIR:-target}/release/turnwise" --minutes $(1)

# Some tests need what not every machine has. Features name them; they are reported as ignored, and the reason told,
# where it is missing.
SHARED := $(or $(TURNWISE_SHARED),../shared)
HAS_SHARED := $(wildcard $(SHARED)/reference)
CAN_MOUNT := $(shell unshare -r -m mount -t tmpfs none /mnt 2>/dev/null && echo yes)
FEATURES := --features "$(if $(HAS_SHARED),shared-tests) $(if $(CAN_MOUNT),mount-tests)"

help:
	@sed -n 's/^# make /make /p' Makefile

# Installs only what is missing, so that it needs neither root nor the network the second time.
apt:
	@missing=()
	for package in $(APT); do
	  dpkg-query -W -f '$${Status}' "$$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$$package")
	done
	if [ "$${#missing[@]}" -gt 0 ]; then
	  sudo=""; [ "$$(id -u)" -eq 0 ] || sudo=sudo
	  echo "installing $${missing[*]}"
	  export DEBIAN_FRONTEND=noninteractive
	  $$sudo apt-get update -qq
	  $$sudo apt-get install -y -qq --no-install-recommends "$${missing[@]}" >/dev/null
	fi

models:
	@$(PYTHON) onnx/fetch_models.py

samples:
	@$(PYTHON) data/sample/fetch_samples.py

# One target directory for all clones, unless the user has another wish. Cargo tells the clones' own crates apart by
# nothing but the age of their files: what another clone has built would pass for this one's, so it is made older.
target:
	@if [ -z "$${CARGO_TARGET_DIR:-}" ] && [ ! -e target ]; then
	  mkdir -p "$(TURNWISE_CACHE)/target"
	  ln -sfn "$(TURNWISE_CACHE)/target" target
	fi
	directory="$${CARGO_TARGET_DIR:-target}"
	mkdir -p "$$directory"
	if [ "$$(cat "$$directory/.clone" 2>/dev/null)" != "$$PWD" ]; then
	  touch src/lib.rs src/main.rs tests/main.rs benches/floor.rs
	  echo "$$PWD" >"$$directory/.clone"
	fi

build: apt target
	@cargo build --release --locked

demo: build models samples
	@bin="$${CARGO_TARGET_DIR:-target}/release/turnwise"
	"$$bin" extract data/sample/corpus.csv --out out/demo
	"$$bin" inspect out/demo

fmt:
	@cargo fmt --all -- --check

lint: apt target
	@cargo clippy --release --locked --all-targets -- -D warnings

test: apt target models samples
	@$(if $(HAS_SHARED),,echo "no reference clips in $(SHARED): the tests against them are not run (make test-shared)")
	$(if $(CAN_MOUNT),,echo "no right to mount a file system: the test of a full disk is not run")
	cargo fmt --all -- --check
	cargo clippy --release --locked --all-targets $(FEATURES) -- -D warnings
	cargo test --release --locked $(FEATURES)
	cargo build --release --locked $(FEATURES)
	$(PYTHON) tests/licences.py
	$(PYTHON) -m unittest discover -s tests -p 'test_*.py' -q
	$(call TORTURE,0) --seed 1

test-shared: apt target models samples
	@$(if $(HAS_SHARED),,echo "no reference clips in $(SHARED): name their folder in TURNWISE_SHARED" >&2; exit 1)
	cargo test --release --locked --features shared-tests

# Exported transcripts opened by pympi and praatio.
writers: build
	@$(PYTHON) tests/writers --binary "$${CARGO_TARGET_DIR:-target}/release/turnwise"

# The pages of `turnwise report` used in headless Chromium; fails where there is none.
report-test: apt
	@command -v chromium chromium-browser google-chrome >/dev/null || { sudo=""; [ "$$(id -u)" -eq 0 ] || sudo=sudo
	  $$sudo apt-get update -qq && $$sudo apt-get install -y -qq --no-install-recommends chromium >/dev/null; }
	cargo test --release --locked --features browser-tests --test all report:: -- --nocapture

# Packed data sets opened by the libraries that they are for; some minutes.
readers: build
	@$(PYTHON) tests/readers --binary "$${CARGO_TARGET_DIR:-target}/release/turnwise"

# Asks the network only for what is not in the cache yet: mdBook and the libraries of the examples.
docs: build models samples
	@$(PYTHON) docs/tools/build.py

# One program for all packages, linked against no FFmpeg of this machine. PROFILE=quick builds it in a minute, to work on
# the packaging.
PROFILE ?= release
CARGO ?= cargo
PACKAGES := $(or $(CARGO_TARGET_DIR),target)/packages
PACKAGED = --binary $(PACKAGES)/turnwise --ffmpeg "$$($(PYTHON) packaging/static_ffmpeg.py)" --out $(PACKAGES)

# A line that calls make is done even where make is asked only what it would do: it stands alone.
packaged-apt:
	@$(MAKE) --no-print-directory apt APT="$(APT) $$($(PYTHON) packaging/static_ffmpeg.py --packages)"

packaged: packaged-apt target
	@prefix="$$($(PYTHON) packaging/static_ffmpeg.py)"
	PKG_CONFIG_PATH="$$prefix/lib/pkgconfig" $(CARGO) build --profile $(PROFILE) --locked --features static-ffmpeg --bin turnwise
	install -D "$${CARGO_TARGET_DIR:-target}/$(PROFILE)/turnwise" $(PACKAGES)/turnwise

wheel: packaged
	@$(PYTHON) packaging/wheel.py $(PACKAGED)

# The wheel in a fresh environment: program, module, notebook; some minutes.
wheel-test: wheel models samples
	@$(PYTHON) tests/install wheel --packages $(PACKAGES)

# The models as a package of their own, for machines that reach no registry.
models-wheel: models
	@$(PYTHON) packaging/wheel.py --models-from onnx/models --out $(PACKAGES)

dist: packaged
	@$(PYTHON) packaging/dist.py $(PACKAGED)

# Tarball and Debian package in a Debian of nothing else; as root, some minutes the first time.
dist-test: dist models samples
	@$(PYTHON) tests/install dist --packages $(PACKAGES)

torture: build models samples
	@$(call TORTURE,$(or $(MINUTES),30)) $(if $(SEED),--seed $(SEED))

bench: build models samples
	@$(PYTHON) benches/bench.py

clean:
	rm -rf out onnx/models data/sample/media target
