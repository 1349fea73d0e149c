# The words people and CI use. `make demo` and `make test` need Python 3.11+ and nothing else.

PYTHON ?= python3
BIN := .venv/bin
# More than cores, since the tests of the screen wait more than they compute.
WORKERS ?= 3

# Of processor time, for `make fuzz`; TARGETS="..." names some of them.
MINUTES ?= 10

.PHONY: demo test test-quick coverage check types lint health bench fuzz docs wheel clean

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

# Readers of untrusted input under a fuzzer with coverage as its guide (CONTRIBUTING.md).
fuzz: .venv/ready
	$(BIN)/python -c 'import atheris' 2>/dev/null || $(BIN)/python -m pip install -q --disable-pip-version-check -e '.[fuzz]'
	nice -n 19 $(BIN)/python tests/fuzz/fuzz.py $(TARGETS) --minutes $(MINUTES)

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

# Compiled here because some machines are told to write no bytecode, and start slowly then.
.venv/installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "scholar needs Python 3.11 or newer; run: make PYTHON=python3.12 $(MAKECMDGOALS)")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q --disable-pip-version-check -e .
	$(BIN)/python -m compileall -q scholar_cli tui indexes
	touch $@

# torch first and by its exact version, so that nothing else chooses a build of it.
.venv/ready: .venv/installed
	$(BIN)/python -m pip install -q --disable-pip-version-check torch==2.13.0
	$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[dev]'
	touch $@
