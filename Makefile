# The words people and CI use. `make demo` and `make test` need Python 3.11+ and nothing else.

PYTHON ?= python3
BIN := .venv/bin
# As many as cores: each worker loads the tests, the models and torch for itself.
WORKERS ?= 2

# Two installs at once would meet in one .venv.
.NOTPARALLEL:

.PHONY: demo test test-all test-quick test-cluster coverage check types lint health bench figures fuzz torture mutants docs wheel lock audit clean

# In a library of its own, unless SCHOLAR_HOME names one: yours stays as it is.
DEMO_HOME = $(or $(SCHOLAR_HOME),$(CURDIR)/build/demo)

demo: .venv/installed
	SCHOLAR_HOME="$(DEMO_HOME)" $(BIN)/scholar demo
	@echo "these books are in $(DEMO_HOME); to go on with them: export SCHOLAR_HOME=$(DEMO_HOME)"

# The workers use all cores; threads of small models would only wait for one another.
test test-all test-quick test-cluster coverage: export OMP_NUM_THREADS := 1

# Where no bytecode is written, every worker and every process of a test compiles what it imports.
unexport PYTHONDONTWRITEBYTECODE

# As many examples of each property as Hypothesis draws by itself; `test` tries a quarter of them.
MANY := --hypothesis-profile many

# What a change can break: five to ten minutes on two cores.
test: .venv/ready
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -m "not slow"

# With more of the same faults, longer training and larger inputs: before a release, and after a
# change of storage, training, fixtures or the terminal.
test-all: .venv/ready
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal $(MANY)

# Without processes of their own, screens, training, benchmarks and shared texts: for every change.
test-quick: .venv/ready
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -m "not slow and not shared" \
		--ignore tests/tui --ignore tests/cli --ignore tests/laboratory

# Ray and an object store, which `test` skips where the extra is not installed: five minutes.
test-cluster: .venv/cluster
	$(BIN)/python -m pytest -q tests/cluster

coverage: .venv/ready
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal $(MANY) --cov --cov-report=term

check: lint types test

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tests/commit_subjects.py
	$(BIN)/python tests/health.py --check
	$(BIN)/lint-imports

types: .venv/ready
	$(BIN)/mypy

health: .venv/ready
	$(BIN)/python tests/health.py

bench: .venv/ready
	$(BIN)/scholar-lab bench speed

# Faults at system calls, damaged files and eight processes, in so many minutes; needs a C compiler.
MINUTES ?= 10

torture: .venv/ready
	nice $(BIN)/python tests/torture/torture.py --minutes $(MINUTES)

# Readers of untrusted input under a fuzzer with coverage as its guide, for so many minutes of
# processor time; TARGETS='"a target"' names some (tests/fuzz/fuzz.py --list).
fuzz: .venv/ready
	$(BIN)/python -c 'import atheris' 2>/dev/null || $(BIN)/python -m pip install -q --disable-pip-version-check -e '.[fuzz]'
	nice -n 19 $(BIN)/python tests/fuzz/fuzz.py $(TARGETS) --minutes $(MINUTES)

# Small changes of the core modules, one at a time, and those of them that no test notices, for so
# many minutes; AREAS="solver bank" names some of them (tests/mutants/mutants.py --list).
SEED ?= 1
SAMPLE ?= 20

mutants: .venv/ready
	nice $(BIN)/python tests/mutants/mutants.py $(AREAS) --minutes $(MINUTES) --seed $(SEED) --sample $(SAMPLE)

# The tables of figures in the pages, from the run files in docs/runs. RUN=NAME runs that benchmark
# anew first (RUN="claims judged" two of them, RUN=all each one); CHECK=1 says which pages or runs are old.
figures: .venv/ready
	$(BIN)/python docs/figures $(if $(CHECK),--check) $(if $(RUN),--run $(RUN))

# The pages that are written from the code, and the site, in build/site; nothing is fetched.
docs: .venv/ready
	$(BIN)/python docs/commands.py
	$(BIN)/python docs/keys.py
	$(BIN)/python docs/model_cards.py
	$(BIN)/python docs/data.py
	$(BIN)/python docs/third_party.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict -q

# The main wheel, and that of the large model. NO_NC=1 leaves out the models that learned from labels under CC BY-NC or without a licence.
wheel: .venv/ready
	SCHOLAR_NO_NC=$(NO_NC) $(BIN)/python -m hatchling build -t wheel -d build
	cd indexes/scholar_thorough && "$(CURDIR)/$(BIN)/python" -m hatchling build -t wheel -d "$(CURDIR)/build"

# The versions and hashes of what the package needs, on every system; needs uv.
lock:
	.ci/lock

# Asks an index of advisories about the locked versions; needs pip-audit and a network.
audit:
	pip-audit -r requirements.lock --require-hashes --disable-pip

clean:
	rm -rf .venv build dist

# Compiled on all cores, which pip does on one, and all of it because some machines are told to
# write no bytecode and start slowly then. A file of a package that is for another Python is no
# error.
INSTALL := $(BIN)/python -m pip install -q --disable-pip-version-check --no-compile
COMPILE := $(BIN)/python -m compileall -qq -j 0 -x '/tests?/' .venv/lib scholar_cli tui indexes || true

.venv/made:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "scholar needs Python 3.11 or newer; run: make PYTHON=python3.12 $(MAKECMDGOALS)")'
	$(PYTHON) -m venv .venv
	touch $@

.venv/installed: pyproject.toml | .venv/made
	$(INSTALL) -e .
	$(COMPILE)
	touch $@

# torch first and by its exact version, so that nothing else chooses a build of it.
.venv/ready: pyproject.toml | .venv/made
	$(INSTALL) torch==2.13.0
	$(INSTALL) -e '.[dev]'
	$(COMPILE)
	touch .venv/installed $@

.venv/cluster: .venv/ready
	$(INSTALL) -e '.[cluster-test]'
	$(COMPILE)
	touch $@
