# Everything a contributor does, in one word each; `make` alone lists them.
# Each target first sees to .venv (scripts/install), which checks Python, venv and free disk, and is quick when done.

.DEFAULT_GOAL := help
.PHONY: help install demo test test-long check types bench docs lab clean

PYTHON ?=
TORCH_INDEX_URL ?=
PYTEST_ARGS ?=
export PYTHON TORCH_INDEX_URL

BIN := .venv/bin
# Jobs that are rehearsed or tested find `python` where an activated environment would have it.
ACTIVE := VIRTUAL_ENV="$(CURDIR)/.venv" PATH="$(CURDIR)/$(BIN):$$PATH"
BENCHMARKS := $(filter-out $(addprefix benchmarks/,measure.py installation.py noop_engine.py optimum.py own_machine.py),$(sort $(wildcard benchmarks/*.py)))

help:  ## list the targets
	@echo "usage: make TARGET [PYTHON=python3.12] [TORCH_INDEX_URL=https://download.pytorch.org/whl/cpu]"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' Makefile

install:  ## make .venv with the pinned versions
	@sh scripts/install

demo: install  ## rehearse the example job on this computer, from its plan to its bill
	$(ACTIVE) $(BIN)/tradewind run examples/digits/job.yaml --rehearse --yes

test: install  ## run the tests (PYTEST_ARGS="-k name" for some)
	$(ACTIVE) $(BIN)/pytest -n 4 --dist worksteal $(PYTEST_ARGS)

test-long: install  ## run the soaks and full-size proofs that `test` leaves out
	$(ACTIVE) $(BIN)/pytest -n 2 --dist worksteal -m long $(PYTEST_ARGS) || test $$? -eq 5  # 5: there are none

check: install  ## the gate: style, types, import contracts, tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@$(MAKE) --no-print-directory -j2 types test  # tests wait now and then: types are checked meanwhile

types: install
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

bench: install  ## measure; one JSON line a figure
	@for benchmark in $(BENCHMARKS); do $(ACTIVE) $(BIN)/python "$$benchmark" || exit 1; done

docs: install  ## make the references from the sources and the pages into build/docs/index.html, every link checked
	@test "$$(cat .venv/.docs 2>/dev/null)" = "$$(cksum <constraints.txt)" || { \
	  $(BIN)/python -m pip install -q -c constraints.txt -e ".[docs]" && cksum <constraints.txt >.venv/.docs; }
	PYTHONPATH=docs:tests $(BIN)/python -m generate
	$(BIN)/sphinx-build -q -W --keep-going -E -a -b html -c docs/site -d build/doctrees . build/docs

lab: install  ## play AWS and Alibaba Cloud on this computer, with machines that boot (root on Linux), until Ctrl-C
	PYTHONPATH=tests $(ACTIVE) $(BIN)/python -m lab

clean:  ## remove caches and build output; .venv stays
	rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache src/*.egg-info
	find src tests benchmarks examples docs -name __pycache__ -type d -prune -exec rm -rf {} +
