# The words people and CI use. `make demo` and `make test` need Python 3.11+ and nothing else.

PYTHON ?= python3
BIN := .venv/bin
# More than cores, since the tests of the screen wait more than they compute.
WORKERS ?= 3

# Two installs at once would meet in one .venv.
.NOTPARALLEL:

.PHONY: demo test test-quick coverage check types lint health bench docs wheel clean

demo: .venv/installed
	$(BIN)/scholar demo

# The workers use all cores; threads of small models would only wait for one another.
test test-quick coverage: export OMP_NUM_THREADS := 1

test: .venv/ready
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal

# Without processes of their own, screens, training, benchmarks and shared texts: for every change.
test-quick: .venv/ready
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -m "not slow and not shared" \
		--ignore tests/tui --ignore tests/cli --ignore tests/train --ignore tests/bench

coverage: .venv/ready
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal --cov --cov-report=term

check: lint types test

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: .venv/ready
	$(BIN)/mypy

health: .venv/ready
	$(BIN)/python tests/health.py

bench: .venv/ready
	$(BIN)/scholar bench speed

# The pages that are written from the code, and the site, in build/site; nothing is fetched.
docs: .venv/ready
	$(BIN)/python docs/commands.py
	$(BIN)/python docs/keys.py
	$(BIN)/python docs/model_cards.py
	$(BIN)/python docs/data.py
	$(BIN)/python docs/third_party.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict -q

# NO_NC=1 leaves out the models that learned from labels under CC BY-NC or without a licence.
wheel: .venv/ready
	SCHOLAR_NO_NC=$(NO_NC) $(BIN)/python -m hatchling build -t wheel -d build

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
