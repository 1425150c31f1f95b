# One word for each thing one does here. `make` alone lists them.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
CODE   := src tests $(wildcard benchmarks demo docs/*.py packaging) hatch_build.py

# Tests start thousands of processes: with compiled modules kept, none of them compiles the package anew.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help env demo picture test lint fix e2e booted bench bench-hook bench-look-back bench-peers bench-redaction bench-real-life soak docs coverage fuzz wheels clean

help:  ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

env: $(READY)  ## .venv with everything pinned; instant when it is there already

$(READY): requirements/dev.txt pyproject.toml hatch_build.py src/toolgate/transport/client.c src/toolgate/transport/bare.inc src/toolgate/transport/refusals.inc
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "toolgate needs Python 3.11 or later; say which with make PYTHON=python3.12"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { echo "on Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: env  ## an agent's day in six calls, played through the gate in a scratch home
	$(BIN)/python demo/story.py

picture: env  ## the same, drawn into docs/pictures/demo.svg
	$(BIN)/python demo/story.py --svg docs/pictures/demo.svg

test: env  ## everything but the real clients
	$(BIN)/python -m pytest -n 2 --ignore=tests/e2e --ignore=tests/booted -m "not e2e"

lint: env  ## style, types, who imports whom, drift of generated pages, links; all of it, whatever fails first
	@failed=0; for step in "ruff check $(CODE)" "ruff format --check $(CODE)" "mypy $(filter-out benchmarks,$(CODE))" "mypy benchmarks" "lint-imports --no-cache" "python tests/check_names.py" "python tests/check_words.py" "python tests/check_links.py" "codespell" \
	    "python docs/generate.py --check" "python docs/generate_coverage.py --check" \
	    "properdocs build --strict --quiet"; do echo "$$step"; $(BIN)/$$step || failed=1; done; exit $$failed

fix: env  ## what a machine can put right
	$(BIN)/ruff check --fix $(CODE)
	$(BIN)/ruff format $(CODE)

e2e: env  ## the real clients, against a scripted model on loopback
	$(BIN)/python -m pytest -n 2 tests/e2e -m e2e

booted: env  ## the managed tier on a Debian that a real systemd boots; as root, with debootstrap and systemd-nspawn
	$(BIN)/python -m pytest tests/booted -p no:xdist

bench: env  ## what a call costs, into docs/benchmarks.md
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements/peers.txt
	$(BIN)/python -m pytest benchmarks -p no:xdist --benchmark-only

bench-redaction: env  ## what looking for secrets costs and finds, beside other scanners
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements/peers.txt
	$(BIN)/python -m pytest benchmarks/test_redaction.py -p no:xdist --benchmark-only -s

bench-hook: env  ## whole calls from a host's side, beside the least that a process costs
	$(BIN)/python -m pytest benchmarks/test_hook.py -p no:xdist -s

bench-look-back: env  ## what a record costs, and replay, log, stats and report of 100,000 records
	$(BIN)/python -m pytest benchmarks/test_look_back.py -p no:xdist -s

bench-peers: env  ## the same calls through other guards, which it installs from npm and PyPI: answers and costs
	$(BIN)/python -m pytest benchmarks/test_peers.py benchmarks/test_comparison.py -p no:xdist -s

bench-real-life: env  ## lines out of real projects, which it takes from PyPI: how many are stopped
	$(BIN)/python -m pytest benchmarks/test_real_life.py -p no:xdist -s

soak: env  ## a million calls to one daemon, and every case asked in every way: hours
	$(BIN)/python -m pytest benchmarks/test_soak.py -p no:xdist -s
	LAW_CASES=1000000 $(BIN)/python -m pytest tests/test_one_answer.py tests/test_spellings.py -n 2

docs: env coverage  ## the generated pages, and the site of them in build/site
	$(BIN)/python docs/generate.py
	$(BIN)/properdocs build --strict --quiet

coverage: env  ## which requirement is shown by which acceptance case, into docs/coverage.md
	$(BIN)/python docs/generate_coverage.py

fuzz: env  ## the properties with many more examples, and programs for real shells (FUZZ_EXAMPLES=20000 for long, FUZZ_SEED=n)
	$(BIN)/python -m pytest -n 2 -m "hypothesis and not e2e" --ignore=tests/e2e --hypothesis-profile=fuzz
	FUZZ_COUNT=$${FUZZ_EXAMPLES:-20000} $(BIN)/python -m pytest -n 2 tests/differential/test_execution.py tests/differential/test_shell_parsing.py tests/differential/test_python_execution.py tests/differential/test_real_python.py tests/differential/test_javascript_execution.py tests/differential/test_script_execution.py
	$(BIN)/python -m pytest -q -s -p no:xdist tests/differential/test_builtins.py
	n=$${FUZZ_EXAMPLES:-20000}; UNDO_TREES=$$((n / 20)) UNDO_KILLS=$$((n / 100)) $(BIN)/python -m pytest -n 2 tests/unit/undo

wheels: env  ## the source distribution and every wheel that this machine can build, into dist
	packaging/build_wheels.sh

clean:  ## all that can be made again
	rm -rf $(VENV) .mypy_cache .ruff_cache .hypothesis dist build
