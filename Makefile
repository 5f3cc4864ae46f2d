# Needs make and Python 3.11 or newer; everything else goes into .venv.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
WORKERS ?= 2
DEMO := build/demo
DEMO_ROWS ?= 1000000

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint format long bench speed coverage clean

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r name what; do \
		printf '  make %-8s %s\n' "$$name" "$$what"; done

setup: $(READY) ## make .venv with the package (editable) and the development tools

# A python that is named but does not start, as a version manager's shim does, is passed over.
$(READY): pyproject.toml
	@found=; for python in $(PYTHON) python3.13 python3.12 python3.11; do \
		if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
			found=$$python; break; fi; done; \
	if [ -z "$$found" ]; then \
		echo "ranktally needs Python 3.11 or newer; '$(PYTHON)' is" \
			"$$($(PYTHON) --version 2>&1 || true). Name one: make PYTHON=/path/to/python3.11" >&2; \
		exit 1; fi; \
	if [ ! -x $(BIN)/python ]; then \
		echo "making $(VENV) with $$($$found --version)"; \
		$$found -m venv $(VENV) || { rm -rf $(VENV); exit 1; }; fi
	@echo "installing ranktally and its development tools into $(VENV) (a few minutes the first time)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(READY) ## generate a dump, evaluate it, print the table, write build/demo/report.md
	@mkdir -p $(DEMO)
	$(BIN)/python -m data_gen nightly --rows $(DEMO_ROWS) --files 4 --seed 1 \
		--output $(DEMO)/scores --overwrite
	$(BIN)/ranktally evaluate $(DEMO)/scores --label label --scores 'model_*' --by total --by country \
		--at 0.2
	@$(BIN)/ranktally evaluate $(DEMO)/scores --label label --scores 'model_*' --by total --by country \
		--at 0.2 --format markdown --output $(DEMO)/report.md
	@echo "wrote $(DEMO)/report.md"

test: lint ## lint, types, layers and the tests (all but the long ones)
	$(BIN)/python -m pytest -n $(WORKERS) -m "not long"

lint: $(READY) ## ruff, mypy and import-linter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY) ## let ruff fix and format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

long: $(READY) ## the tests that take minutes or gigabytes
	$(BIN)/python -m pytest -m long

bench: $(READY) ## the benchmarks
	$(BIN)/python -m pytest benchmarks --benchmark-only

speed: $(READY) ## measure and rewrite the tables of speed in README (a quarter of an hour, undisturbed)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,peers]'
	$(BIN)/python -m benchmarks.speed_table --write
	$(BIN)/python -m benchmarks.sklearn_table --write

coverage: $(READY) ## simulate how often intervals hold; rewrite benchmarks/COVERAGE.md (half an hour)
	$(BIN)/python -m benchmarks.coverage --write

clean: ## remove .venv and everything generated
	rm -rf $(VENV) build dist .benchmarks .hypothesis .import_linter_cache .mypy_cache \
		.pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
