# The one command is `make test`; on a fresh machine it sets up everything it needs first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.PHONY: test lint format bench fuzz torture test-hardware clean

test: lint
	$(BIN)/pytest -n auto

lint: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Ratios to a floor measured in the same run; figures go to the terminal, nothing is asserted.
bench: $(VENV)/ready
	$(BIN)/python -m tests.bench

# Coverage-guided, each decoder for so many seconds; a crash prints the input that caused it and how to run it again.
FUZZ_SECONDS ?= 120
fuzz: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[fuzz]'
	$(BIN)/python -m tests.fuzz.native -max_total_time=$(FUZZ_SECONDS)
	$(BIN)/python -m tests.fuzz.angel_eye -max_total_time=$(FUZZ_SECONDS)

# Power cuts: the journal on a file system that forgets what was not synced, so many times.
CUTS ?= 200
torture: $(VENV)/ready
	$(BIN)/python -m tests.torture $(CUTS)

# Boots a QEMU guest with Debian's kernel, into which the emulated shoe is plugged over USB/IP. Takes a minute or two.
test-hardware: $(VENV)/ready
	$(BIN)/python -m tests.hardware

$(VENV)/ready: pyproject.toml .ci/system-packages
	PYTHON="$(PYTHON)" .ci/system-packages
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
