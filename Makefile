# Two commands are enough: `make studio` runs the product, `make test` proves it.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEV_STAMP := $(VENV)/.installed-dev
CODE := src tests examples tools benchmarks $(wildcard docs/*.py)
ROBOT ?= nao
PORT ?= 8080
PEERS := mink pink placo crocoddyl tsid
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: studio test lint type imports docs bench clean system

studio: $(STAMP)
	$(BIN)/poise studio --robot $(ROBOT) --port $(PORT)

test: $(DEV_STAMP) system lint type imports
	$(BIN)/python -m pytest -n 2

lint: $(DEV_STAMP)
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)

type: $(DEV_STAMP)
	$(BIN)/mypy

imports: $(DEV_STAMP)
	$(BIN)/lint-imports

docs: $(DEV_STAMP)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

bench: $(DEV_STAMP) $(PEERS:%=.bench/%/.tried)
	$(BIN)/poise bench --write docs/benchmarks.md

# A peer that cannot be installed is reported by the benchmark, with its reason.
.bench/%/.tried: benchmarks/peers/%.txt
	@echo "peer: $*"
	@rm -rf .bench/$* && mkdir -p .bench && $(PYTHON) -m venv .bench/$*
	@.bench/$*/bin/python -m pip install --quiet --only-binary=:all: -r $< 2> .bench/$*/failed.log \
		&& rm .bench/$*/failed.log || echo "$* could not be installed; the table will say so."
	@touch $@

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "poise needs Python 3.11 or newer; this is $$($(PYTHON) --version). Try: make PYTHON=python3.12"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
		{ echo "No virtual environment could be made. On Debian or Ubuntu: apt-get install python3-venv"; exit 1; }
	$(BIN)/python -m pip install --quiet -c constraints.txt -e .
	@echo "Compiling the loops of a control tick, once."
	@$(BIN)/poise walk --robot nao --steps 1 --out $(VENV)/first-step.npz > /dev/null
	@touch $@

$(DEV_STAMP): $(STAMP)
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[dev]'
	@touch $@

# The tests drive a real browser and draw without a display; both are system packages.
system:
	@sh tools/system-packages.sh

clean:
	rm -rf $(VENV) .bench build site test-output .pytest_cache .mypy_cache .ruff_cache
