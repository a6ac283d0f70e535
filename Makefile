# Two commands on a fresh machine: `make demo` and `make test`. Python 3.11 or later, make and the package registries are all they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BRIEFKIT := $(BIN)/briefkit

.PHONY: demo play test lint slow soak bench bench-quick calibrate setup clean

setup: $(VENV)/.ready
	@$(BIN)/python -m compileall -q src/briefkit

$(VENV)/.ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "briefkit needs Python 3.11 or later; PYTHON=… names one" >&2; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group dev
	@touch $@

examples/py-app/.venv/.ready: examples/py-app/requirements.txt
	@test -x examples/py-app/.venv/bin/python || $(PYTHON) -m venv examples/py-app/.venv
	@examples/py-app/.venv/bin/python -m pip install --quiet --disable-pip-version-check --requirement examples/py-app/requirements.txt
	@touch $@

examples/orm-app/node_modules/.package-lock.json: examples/orm-app/package-lock.json
	@if command -v npm >/dev/null 2>&1; then cd examples/orm-app && npm ci --silent --no-audit --no-fund --ignore-scripts && touch node_modules/.package-lock.json; \
	else echo "npm is not on this machine: the npm half of the demo is skipped" >&2; fi

demo: setup examples/py-app/.venv/.ready examples/orm-app/node_modules/.package-lock.json
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh examples/demo.sh

play: setup examples/py-app/.venv/.ready
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python examples/run/play.py

test: setup examples/py-app/.venv/.ready examples/orm-app/node_modules/.package-lock.json
	@PYTHONWARNDEFAULTENCODING=1 $(BIN)/python -m pytest -q -n 2

lint: setup
	@$(BIN)/ruff format --check -q . && $(BIN)/ruff check -q .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

slow: setup
	@$(BIN)/python -m pytest -q -m slow tests

soak: setup
	@$(BIN)/python -m pytest -q -m soak tests

bench: setup
	@$(BIN)/python -m benchmarks

bench-quick: setup
	@$(BIN)/python -m benchmarks --quick

calibrate: setup
	@$(BIN)/python -m benchmarks calibrate

clean:
	@rm -rf $(VENV) examples/py-app/.venv examples/orm-app/node_modules build dist
