# The verbs of this project; each sets up what it needs first.
# `make setup` does nothing while the locks and pyproject.toml stay as they are.

.PHONY: help setup demo test test-long lint types bench fuzz train-summaries picture lock clean
.DEFAULT_GOAL := help

export PIP_DISABLE_PIP_VERSION_CHECK := 1
# The pip of an older Python would build with setup.py, and say so at length; newer ones know no other way.
export PIP_USE_PEP517 := 1

# The first Python that is new enough and can make a virtual environment.
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11; do \
	"$$python" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& { echo "$$python"; break; }; done)

BIN := .venv/bin
INSTALL = $(BIN)/python -m pip install -qq

help: ## lists the verbs
	@sed -n 's/^\([a-z-]*\):.*## /make \1\t/p' Makefile | expand -t 24

setup: .venv/.dev ## makes .venv with everything that work on Paperround needs

demo: .venv/.run ## prints today's digest of the bundled sample
	@$(BIN)/paperround demo

test: .venv/.dev lint types ## runs every check but the long ones
	$(BIN)/python -m pytest -n 2

test-long: .venv/.dev ## runs the tests that take minutes
	$(BIN)/python -m pytest -m long

lint: .venv/.dev ## checks style and layout
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/.dev ## checks the types
	$(BIN)/mypy

bench: .venv/.dev ## measures: runs each module of tests/benchmarks that can be run
	@set -e; for file in $$(grep -l '^if __name__ == "__main__":' tests/benchmarks/*.py); do \
		module=$$(basename "$$file" .py); \
		printf '\n== %s\n' "$$module"; \
		$(BIN)/python -m "tests.benchmarks.$$module"; \
	done

fuzz: .venv/.dev ## fuzzes what reads the words of strangers, for an hour or MINUTES
	@test -d build/fuzz/lib/atheris || $(BIN)/python -m pip install -qq --target build/fuzz/lib 'atheris>=3,<4'
	PYTHONPATH=build/fuzz/lib $(BIN)/python -m tests.fuzz --minutes $(or $(MINUTES),60)

train-summaries: .venv/.dev ## learns the summariser's weights anew from the shared SciTLDR
	$(BIN)/python -m tests.train_summaries ../shared/data/scitldr/train.jsonl digests/data/summary.json

picture: .venv/.dev ## draws README's picture of a digest anew
	$(BIN)/python -m tests.picture

# Keeps each pinned release that still fits; delete the locks first to renew them all.
# setuptools is named because the project itself is built without isolation, from the lock.
lock: ## pins what pyproject.toml asks for, with hashes, in both locks
	@$(call need_python)
	"$(PYTHON)" -m venv build/lock
	build/lock/bin/python -m pip install --quiet uv
	echo 'setuptools>=77' | $(COMPILE) -o requirements.lock
	echo 'setuptools>=77' | $(COMPILE) --extra dev --constraints requirements.lock -o requirements-dev.lock

COMPILE = build/lock/bin/uv --no-config --quiet pip compile pyproject.toml - \
	--universal --python-version 3.11 --generate-hashes --no-annotate --custom-compile-command 'make lock'

clean: ## removes everything that the other verbs made
	rm -rf .venv build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

need_python = test -n "$(PYTHON)" || { echo "Paperround needs Python 3.11 or newer with its venv module;\
	install it, or name it: make PYTHON=/path/to/python3" >&2; exit 1; }

define install
	@$(need_python)
	@echo "setting up .venv from $(1) (about a minute the first time)" >&2
	@"$(PYTHON)" -m venv .venv
	@$(INSTALL) --require-hashes -r $(1)
	@PYTHONWARNINGS=ignore $(INSTALL) --no-deps --no-build-isolation -e .
endef

.venv/.run: requirements.lock pyproject.toml
	$(call install,requirements.lock)
	@touch $@

# The larger set holds the smaller one.
.venv/.dev: requirements-dev.lock pyproject.toml
	$(call install,requirements-dev.lock)
	@touch .venv/.run $@
