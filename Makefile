# Two commands do everything on a fresh machine with Python 3.11 and make:
#   make demo   makes the environment and scores the sample data
#   make test   every check there is

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)
# the tests start Python again and again: without compiled modules each start would compile them anew
unexport PYTHONDONTWRITEBYTECODE
DEMO := sinfo mode-collapse diversity disagree entropy collective

ifdef UV
make_venv = uv venv --quiet --clear --python $(PYTHON) $(1)
install = uv pip install --quiet --python $(1)/bin/python --constraint constraints.txt
else
make_venv = $(PYTHON) -m venv --clear $(1)
install = $(1)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
# the first pip that knows dependency groups; Python 3.11 brings an older one
ready_for_groups = $(call install,$(1)) 'pip>=25.1'
endif

.PHONY: help demo env test lint types imports pytest spawn soak coverage golden lowest docs site bench audit dist clean

help: ## show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: $(VENV)/.installed ## make the environment, score the sample data, say where to look
	$(BIN)/scoresheet run data/scoresheet.toml
	@echo "Read results/summary.md. Open results/information_density/s_info_results.xlsx and its like in the folders"
	@echo "beside it, and from there each model's workbook."

env: $(VENV)/.developing ## make the environment with all that the checks need

test: env lint types imports pytest ## lint, types, import rule, docs checks, doctests, tests

lint: env ## ruff: style and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: env .typing ## mypy, strict; the program also as on Windows and macOS
	$(BIN)/mypy .typing/scoresheet tests benchmarks docs
	@for system in win32 darwin; do \
	  echo "mypy --platform $$system"; \
	  $(BIN)/mypy --platform $$system --no-warn-unreachable --cache-dir .mypy_cache/$$system .typing/scoresheet || exit; \
	done

imports: env .typing ## the dependency rule
	PYTHONPATH=.typing $(BIN)/lint-imports --no-cache

pytest: env ## all tests
	$(BIN)/python -m pytest -q -n 2 --dist loadfile

spawn: env ## the contract tests with workers that are started anew, as on Windows and macOS
	SCORESHEET_START_METHOD=spawn $(BIN)/python -m pytest -q -n 2 --dist loadfile tests/contract

soak: env ## what takes hours: docs/reliability.md, properties on many more examples, docs/calibration.md
	$(BIN)/python -m tests.soak.record --write
	$(BIN)/python -m pytest -q -n 2 -m "soak or hypothesis" --hypothesis-profile soak
	$(BIN)/python -m tests.calibration.record --write

coverage: env ## tests with coverage shown
	$(BIN)/python -m pytest -q -n 2 --dist loadfile --cov --cov-report=term

golden: env ## write the digests of all outputs anew, where a change of them is meant
	$(BIN)/python -m tests.golden.record --write

lowest: ## the demos and all tests but the oracles with the lowest versions that pyproject.toml allows; needs uv
	uv venv --quiet --clear --python $(PYTHON) $(VENV)-lowest
	uv pip install --quiet --python $(VENV)-lowest/bin/python --resolution lowest-direct --editable '.[all]' --group test
	@for command in $(DEMO); do $(VENV)-lowest/bin/scoresheet $$command --quiet || exit; done
	$(VENV)-lowest/bin/python -m pytest -q -n 2 -W default --ignore tests/oracle # old versions warn of each other

docs: env ## write the generated parts of the docs anew
	$(BIN)/python docs/generate.py
	$(BIN)/python -m tests.layouts.page --write

site: env ## build the site of docs in .site/, with search; a dead link or anchor stops it
	$(BIN)/python docs/build_site.py

bench: $(VENV)-bench/.measuring ## every command against its peers, into docs/benchmarks.md; a part: make bench BENCH="--only sinfo"
	$(VENV)-bench/bin/python benchmarks/bench.py $(BENCH)

audit: env ## known vulnerabilities and licences of what a run needs; asks the advisory service
	$(call install,$(VENV)) --group audit
	$(BIN)/python .build/audit.py

# the wheel carries the date of the commit, so that two builds of it are the same bytes
dist: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || date +%s)
dist: env ## build the wheel and the source archive
	rm -rf build dist
	$(BIN)/python -m build

clean: ## remove everything that was made
	rm -rf .bench $(VENV) $(VENV)-bench $(VENV)-lowest .site .typing build dist *.egg-info metrics/text/_kernel.*.so cli/write/_cells.*.so cli/input/formats/_sheets.*.so .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage*

# mypy and pyright cannot follow the build's mapping of cli/ and metrics/ to scoresheet.*; two links show it to them
.typing: $(wildcard cli/package/*.py)
	mkdir -p .typing/scoresheet
	ln -sfn ../../cli .typing/scoresheet/cli
	ln -sfn ../../metrics .typing/scoresheet/metrics
	for module in $(filter-out %/__main__.py,$^); do ln -sfn ../../$$module .typing/scoresheet/$${module##*/}; done
	touch .typing

$(VENV)/.installed $(VENV)-bench/.installed: pyproject.toml constraints.txt metrics/text/_kernel.c cli/write/_cells.c cli/input/formats/_sheets.c
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "scoresheet needs Python 3.11 or later; name one: make demo PYTHON=python3.12"; exit 1; }
	$(call make_venv,$(@D))
	$(call install,$(@D)) --editable .
	@touch $@

# what only the recipes that we compare with need, and XlsxWriter, which writes their inputs
$(VENV)-bench/.measuring: $(VENV)-bench/.installed
	$(call install,$(@D)) scipy scikit-learn pyndeval ir_measures krippendorff XlsxWriter
	@touch $@

$(VENV)/.developing: $(VENV)/.installed
	$(call ready_for_groups,$(@D))
	$(call install,$(@D)) --editable '.[all]' --group dev
	@touch $@
