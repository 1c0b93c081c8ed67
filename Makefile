# Every target is safe to repeat. `make PYTHON=python3.12 …` picks the Python for the virtual environment.
PYTHON ?= python3
BIN := .venv/bin
CODE := $(wildcard __main__.py edge_dns components providers policy reader local tools workflows tests)
# Tests that start `pulumi` or other servers; they run last and two at a time.
ENGINE_TESTS := $(wildcard tests/engine tests/tools/engine tests/cluster tests/bench)
PYTEST := $(BIN)/pytest -q

.DEFAULT_GOAL := help
.PHONY: help setup setup-tests demo test unit check format explore faults bench clean distclean clean-toolchain
MAKEFLAGS += --no-print-directory --no-builtin-rules

help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Virtual environment and toolchain; instant when both are there
	@$(PYTHON) -m tools.setup

setup-tests: ## The same, and what tests need: servers (22 minutes once), BIND's named
	@$(PYTHON) -m tools.setup --tests

demo: setup ## The main job on this machine: publish, withdraw, show both
	@$(BIN)/python -m local.demo $(ARGS)

test: check unit setup-tests ## All checks and all tests
	@echo "== other tests"
	@$(PYTEST) tests $(addprefix --ignore=,tests/unit $(ENGINE_TESTS))
	@echo "== engine tests"
	@$(PYTEST) -n 2 $(ENGINE_TESTS)

unit: setup ## The pure tests, in seconds
	@echo "== unit tests"
	@$(PYTEST) tests/unit

check: setup ## Format, lint, strict types, import direction, dead code
	@echo "== checks"
	@$(BIN)/ruff format --quiet --check .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy --no-error-summary $(CODE)
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/vulture

format: setup ## Put the code in its form, and mend what ruff can mend
	@$(BIN)/ruff format --quiet .
	@$(BIN)/ruff check --quiet --fix .

explore: setup ## Property tests with new examples, up to ten times as many
	@$(PYTEST) --hypothesis-profile=explore tests/unit tests/local/towonel

faults: setup ## Write docs/faults.md: its rows come from the tests that show them
	@EDGE_DNS_FAULTS=write $(PYTEST) -n 2 -m fault tests/unit tests/engine

bench: setup setup-tests ## What it costs, as ratios in one run, and which promises hold
	@$(BIN)/python -m tests.bench $(ARGS)

clean: ## Remove the local stack's state, unless a demo uses it, and the tools' caches
	@$(PYTHON) -m local.clean
	rm -rf .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +

distclean: clean ## The same, and the virtual environment
	rm -rf .venv

clean-toolchain: ## Remove this user's built toolchain (all checkouts)
	rm -rf "$${XDG_CACHE_HOME:-$$HOME/.cache}/edge-dns/toolchain"
