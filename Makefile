# The one command is `make test`; on a fresh machine it sets up everything it needs first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# Programs that are started over and over stay compiled, wherever the surroundings would rather not write it down.
unexport PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX := $(CURDIR)/$(VENV)/compiled

.PHONY: test lint format demo shoe-c bench fuzz prove torture attack simulate mutations screenshots moving-picture deb release another-python lock test-console test-pages test-conformance test-firmware test-deploy test-hardware test-odds campaigns clean

# Two more workers than cores: most tests wait for programs that they have started. Neighbours stay on one worker, which
# shares what they have set up, and whoever is done takes over from the others.
WORKERS ?= $(shell echo $$(($$(nproc) + 2)))
test: lint
	$(BIN)/pytest -n $(WORKERS) --dist worksteal

lint: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The whole chain at work, in the terminal; on a fresh machine it needs nothing but Python and make.
# FAULTS=1 WIRE=angel_eye (or lines) GAME=commission SPEED=10 TABLES=3 ROUNDS=5 SEED=1 COUNTER=1 PAGES=0: see `shoe-controller demo --help`.
DEMO_OPTIONS := $(foreach option,faults wire game speed tables rounds seed broker counter pages,$\
    $(addprefix --$(option)=,$(value $(shell echo $(option) | tr a-z A-Z))))
demo: $(VENV)/demo-ready
	@$(BIN)/python -m shoe_controller.cli demo $(DEMO_OPTIONS)

# Without the tools of `make test`, and without system packages.
$(VENV)/demo-ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "This needs Python 3.11 or newer: make demo PYTHON=/path/to/it"; exit 1; }
	@if [ ! $(VENV)/ready -nt pyproject.toml ]; then \
	    echo "Setting up $(VENV); nothing is installed outside this folder."; \
	    $(PYTHON) -m venv $(VENV) && $(BIN)/python -m pip install --disable-pip-version-check --editable .; \
	fi
	@touch $@

# The shoe in C as a program of this machine, at TCP port 4001 or PORT=, or at a pseudo-terminal PTY=NAME; KEY=FILE has its
# key, MEMORY=FILE what it keeps. Type what happens at it; firmware_protocol/c/README.md says how. Needs a C compiler alone.
C_KIT := firmware_protocol/c/shoe_link.c firmware_protocol/c/blake2s.c
C_STRICT := -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror
shoe-c: build/c/shoe
	@build/c/shoe $(if $(PTY),pty $(PTY),tcp $(or $(PORT),4001)) $(or $(MEMORY),build/c/shoe.memory) $(KEY)

build/c/shoe: firmware_protocol/c/host/shoe.c $(C_KIT) firmware_protocol/c/shoe_link.h
	@mkdir -p $(@D)
	$(CC) $(C_STRICT) -O2 $(filter %.c,$^) -o $@

# Ratios to a floor measured in the same run, and what the shoe in C takes of a Cortex-M0+; figures go to the terminal,
# nothing is asserted.
bench: $(VENV)/ready
	.ci/system-packages bench
	$(BIN)/python -m tests.bench

# Coverage-guided, on all cores: all wires, the shoe in C, the packets of a broker and the requests to a table, each for so many
# seconds, or INPUTS=100000000 over all of them; ONLY=c_shoe chooses one. Ends with a table; what broke something is kept, with the command that runs it again.
FUZZ_SECONDS ?= 120
fuzz: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[fuzz]'
	.ci/system-packages fuzz
	$(BIN)/python -m tests.fuzz --seconds=$(FUZZ_SECONDS) $(addprefix --inputs=,$(INPUTS)) $(addprefix --only=,$(ONLY))

# A proof by frama-c, which Debian 12 has, that the shoe in C touches no memory but its own. Takes some minutes.
prove: $(VENV)/ready
	.ci/system-packages prove
	$(BIN)/python -m tests.proofs

# Power cuts on a file system that forgets what was not synced; the daemon and the broker killed at seeded moments, a full
# disk, pulled cables, missed telegrams, damaged journals, the shoe in C killed and restarted on a bad line, an archive and its
# PostgreSQL killed; then whole shoes and every fault through the whole chain, and the shoe in C without power at every byte
# that it writes; at last the pure table and the native link with many more random inputs than in `make test`.
CUTS ?= 200
torture: $(VENV)/ready
	$(BIN)/python -m tests.torture $(CUTS)
	LONG_TESTS=1 $(BIN)/pytest tests/daemon tests/demo/test_demo.py tests/demo/test_pit_alarms.py tests/firmware_protocol/native/test_c_store.py
	LONG_TESTS=1 $(BIN)/pytest -n auto tests/torture tests/firmware_protocol/native/test_reliability.py tests/table/test_any_order.py \
		tests/table/test_commission.py tests/table/test_model.py tests/table/test_reveal.py

# Every attack on journal, broker, pages and commands at full length; ends with a table of what held. ONLY=TEXT chooses by name.
attack: $(VENV)/ready
	$(BIN)/python -m tests.attacks $(addprefix --only=,$(ONLY))

# The whole system on virtual time, so many seeds on all cores; a broken seed prints how to run it again.
SEEDS ?= 1000
simulate: $(VENV)/ready
	$(BIN)/python -m tests.simulation --seeds $(SEEDS)

# Bugs put in on purpose: each must be found by the simulation.
mutations: $(VENV)/ready
	$(BIN)/python -m tests.simulation --mutations

# The pictures of the documents, taken from a real run.
screenshots: $(VENV)/ready
	$(BIN)/python -m tests.board.screenshots

# The moving picture of README.md, from a real run of `make demo FAULTS=1`. Takes some minutes.
moving-picture: $(VENV)/ready
	$(BIN)/python -m tests.demo.moving_picture

# A Debian package for a machine like this one, or SUITE=trixie ARCH=arm64; nothing is fetched when it is installed.
deb: $(VENV)/demo-ready
	$(BIN)/python deploy/build_deb.py $(addprefix --suite=,$(SUITE)) $(addprefix --arch=,$(ARCH))

# Everything that a release consists of, into dist/shoe-controller-VERSION: wheels of the project and its libraries, source
# distribution, the four packages, bill of materials and checksums; the same bytes from the same commit.
release: $(VENV)/demo-ready
	$(BIN)/python deploy/release.py

# Whether every locked library has a wheel for a Python that the lock is not for.
PYTHON_VERSION ?= 3.14
another-python: $(VENV)/demo-ready
	$(BIN)/python deploy/another_python.py $(PYTHON_VERSION)

# Renews the versions and hashes of the libraries that the package contains, and of the tools that build it.
lock: $(VENV)/demo-ready
	$(BIN)/python deploy/lock.py

# Every act on the console with taps in Chromium, in each language, at 1280x800 and 1024x600 and on a phone; ends with a table
# of what passed. CONSOLE_PICTURES=FOLDER keeps a picture of every screen that was touched; ACT=NAME chooses the evening of one act.
test-console: $(VENV)/ready
	$(BIN)/python -m tests.console.every_act $(addprefix --act=,$(ACT))

# Every page in its main states, in each language and look, from 390x844 to 3840x2160, measured in Chromium and given to
# axe-core; ends with what is wrong. PAGE_PICTURES=FOLDER keeps a picture of each; SCENE=board-nepal chooses some by name.
test-pages: $(VENV)/ready
	$(BIN)/python -m tests.pages $(addprefix --scene=,$(SCENE))

# The shoe in C on small processors, all of them emulated: under qemu-arm, on QEMU's micro:bit and on an ATmega2560 of simavr,
# with losses of power in mid-round. CARDS=N deals so many. Then the Wireshark dissector in tshark, at length.
test-firmware: $(VENV)/ready
	.ci/system-packages firmware
	$(BIN)/python -m tests.firmware $(CARDS)
	LONG_TESTS=1 $(BIN)/pytest tests/firmware_protocol/wireshark

# Every clause of the native protocol: the emulator and the shoe in C as programs, at pseudo-terminals and TCP, through
# whole runs of `shoe-conformance`, and bugs put into the shoe in C, each of which must fail in the clause that it breaks.
test-conformance: $(VENV)/ready
	LONG_TESTS=1 $(BIN)/pytest tests/conformance

# The counts behind the odds, at full length: every order of tiny shoes, many random ones, against other counters; what everybody has seen
# of a shoe at random tables, and that every live edge follows from it.
test-odds: $(VENV)/ready
	LONG_TESTS=1 $(BIN)/pytest tests/baccarat/test_compositions.py tests/baccarat/test_distribution.py tests/protection \
		tests/history/test_seen_cards.py tests/pit/test_shown_cards.py

# Installs the package in containers of clean Debian releases, with systemd running, and lets everything happen to it; then
# from a checkout; then the wheels of a release without any network; then the arm64 package on an emulated machine. As root.
# TRIALS="bookworm trixie first-hour-bookworm first-hour-trixie checkout wheels-bookworm wheels-trixie release arm64 kiosk" chooses some, EARLIER=COMMIT what is upgraded from.
test-deploy: $(VENV)/ready
	.ci/system-packages deploy
	LONG_TESTS=1 $(BIN)/pytest tests/deploy/test_second_table.py
	EARLIER=$(EARLIER) $(BIN)/python -m tests.deploy $(TRIALS)

# Boots a QEMU guest with Debian's kernel, into which the emulated shoe is plugged over USB/IP. Takes a minute or two.
test-hardware: $(VENV)/ready
	$(BIN)/python -m tests.hardware

# Every long target, one after another, whether or not one fails; ends with one table of what passed and where each one's
# full output is. CAMPAIGNS="simulate torture" chooses some; SEEDS, CUTS, FUZZ_SECONDS, INPUTS, TRIALS and EARLIER are passed on.
CAMPAIGNS ?= simulate mutations torture attack fuzz prove test-console test-pages test-conformance test-odds test-firmware test-hardware test-deploy bench
CAMPAIGN_LOGS ?= build/campaigns
campaigns: $(VENV)/ready
	@$(BIN)/python -m tests.campaigns --logs=$(CAMPAIGN_LOGS) $(CAMPAIGNS)

$(VENV)/ready: pyproject.toml .ci/system-packages
	PYTHON="$(PYTHON)" .ci/system-packages
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
