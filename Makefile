# Two commands matter: `make run` and `make test`. `make help` lists the rest.
# Everything is installed into this folder: uv in .boot/, Python packages in .venv/, JavaScript in node_modules/.
# The one exception is Chromium for `make test`, where the machine has none (see `chromium`).

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PORT ?= 8200
# Distributions optimise their Python by a profile, which pyenv does not: a sixth less time. From 3.13 on pydarshan is missing.
ifndef PYTHON
PYTHON := $(firstword $(shell for python in /usr/bin/python3 python3; do \
	$$python -c 'import sys, ensurepip, venv; sys.exit(not (3, 11) <= sys.version_info < (3, 13))' 2>/dev/null && echo $$python; done) python3)
endif
export PYTHON
SEED ?= $(shell date +%s)
# One more than there are processors: the journeys' browser and its server wait for one another. With two more all take longer.
TEST_PROCESSES ?= $(shell echo $$(($$(nproc 2>/dev/null || echo 2) + 1)))
UV_VERSION := 0.13.8
UV := .boot/bin/uv
BIN := .venv/bin
BROWSERS := $(CURDIR)/.boot/browsers
SAMPLE_MAKERS := $(addprefix sample-logs/src/,make_lustre_samples.py make_stream_samples.py lustre_jobs.py lustre_placement.py lustre_imports.py documented_runs.py cray_mpich_text.py)
DOCS_SCRIPTS := $(addprefix docs/,generate.py rule_samples.py thresholds_by_rule.py site/gather.py site/dead_links.py)
PYTHON_SOURCES := parsers backend bench $(DOCS_SCRIPTS) docs/site/conf.py docs/deploy/spack/package.py $(SAMPLE_MAKERS)

# Where bytecode is not kept, as many container images ask, each process of the tests compiles every test again.
unexport PYTHONDONTWRITEBYTECODE
export UV_PYTHON := $(PYTHON)
export PLAYWRIGHT_BROWSERS_PATH := $(BROWSERS)

# A process for each group: with pytest-xdist every process collects every test, makes what tests share by itself, and tells of
# each test. Whatever is in no other group is in `others`.
TESTS_servers := backend/tests/api/server
TESTS_api := $(addprefix backend/tests/,access api) --ignore=$(TESTS_servers)
TESTS_centre := backend/tests/centre
TESTS_jobs := $(addprefix backend/tests/,jobs metrics rules sites)
TESTS_others := backend/tests $(addprefix --ignore=backend/tests/,access api) $(addprefix --ignore=,$(TESTS_centre) $(TESTS_jobs))
TESTS_readers := parsers/tests/readers
TESTS_parsing := parsers/tests --ignore=$(TESTS_readers)
# The shortest last: what is left when all others are done has one processor alone.
PYTEST_LAST := pytest-parsing
PYTEST_GROUPS := $(addprefix pytest-,others api centre jobs servers readers parsing)
# Those that ask for pages wait for the page to be built. The rest has a processor to itself until then.
PYTEST_OF_PAGES := $(addprefix pytest-,others api servers)

.PHONY: help install run test check fix golden docs site screenshots keyboard sweep bench load wheels compose-test fuzz faults laboratory sbom audit \
	test-backend test-frontend test-journeys check-python check-frontend check-generated chromium $(PYTEST_GROUPS)

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: .stamps/python .stamps/node frontend/dist/index.html ## Install everything; leaves the CLI at .venv/bin/iotriage

run: install ## Install, build and serve on 127.0.0.1:8200 (PORT=…), the sample logs loaded; prints the address that opens it
	$(BIN)/iotriage serve --port $(PORT)

# What needs no page comes while it is built; then the journeys first of all: they are the longest, and alone at the end they
# would leave a processor idle. One make for all would come back to them late, for it goes through its goals in rounds: the
# same becomes of whatever has something of its own to make first.
WHILE_BUILDING := pytest-readers check-python
test: ## Every check and every test, the journeys in a real browser too
	@status=0; \
	$(MAKE) --keep-going -j$(TEST_PROCESSES) --output-sync=target install chromium .boot/nginx $(WHILE_BUILDING) || status=$$?; \
	$(MAKE) --keep-going -j$(TEST_PROCESSES) --output-sync=target JOURNEYS_AT_ONCE=1 test-journeys \
		$(filter-out $(WHILE_BUILDING) $(PYTEST_LAST),$(PYTEST_GROUPS)) test-frontend check-frontend check-generated $(PYTEST_LAST) && \
	exit $$status

fuzz: .stamps/python frontend/dist/index.html ## Damage and properties, long and other each time; SEED=… tries what failed again
	@echo "make fuzz SEED=$(SEED)"
	IOTRIAGE_FUZZ=$(SEED) $(BIN)/pytest -n auto -m "fuzz or hypothesis" --timeout 3600 --hypothesis-seed=$(SEED)
	$(BIN)/python bench/fuzz.py --seed $(SEED)
	$(BIN)/python bench/centre_laboratory.py --jobs 500 --seed $(SEED)
	$(BIN)/python bench/hostile.py

faults: .stamps/python frontend/dist/index.html ## Faults on real servers, at length; all that uses a database over PostgreSQL too
	$(BIN)/pytest -n auto -m faults
	$(BIN)/pytest -n auto -m "not faults" --every-database -k postgresql backend/tests/api backend/tests/access

laboratory: .stamps/python ## Jobs with known truth, simulated and diagnosed: how often the cause is named; SEED=…, HELD_OUT=1
	$(BIN)/python -m bench.laboratory --seed $(SEED) $(if $(HELD_OUT),--held-out)

check: check-python check-frontend check-generated ## Lint, types, import directions, generated files

fix: .stamps/python .stamps/node ## Format, and mend what the linters can mend
	$(BIN)/ruff check --fix $(PYTHON_SOURCES)
	$(BIN)/ruff format $(PYTHON_SOURCES)
	npm run --silent format

golden: .stamps/python ## Write evidence.json, metrics.json and findings.json of every sample again
	$(BIN)/python backend/tests/golden/rewrite.py

docs: .stamps/python .stamps/node ## Write the generated documentation, openapi.json and the browser's types again
	$(BIN)/python docs/generate.py

site: install ## Write the documentation as a site into site/: for a web server, under any path, or a disk
	$(BIN)/python docs/site/gather.py .stamps/site
	UV_PROJECT_ENVIRONMENT=.stamps/sphinx $(UV) sync -q --frozen --only-group site
	rm -rf site
	IOTRIAGE_GATHERED=$(CURDIR)/.stamps/site IOTRIAGE_VERSION=$$($(BIN)/python -c 'import iotriage; print(iotriage.__version__)') \
		.stamps/sphinx/bin/sphinx-build -q -E -W --keep-going -b html -c docs/site -d .stamps/site/doctrees .stamps/site/pages site
	$(BIN)/python docs/site/dead_links.py site
	@echo "site/index.html"

screenshots: install chromium ## Draw docs/pictures/ from the real server
	$(with-chromium) npm run --silent pictures -w e2e

keyboard: install chromium ## Every journey in the browser once more, without a pointer
	$(with-chromium) npm run --silent keyboard -w e2e -- $(if $(JOURNEY),-g "$(JOURNEY)")

sweep: install chromium ## Look at every page in every window, over all samples: overlaps, cut text, contrast, shifts (SWEEP=… names some)
	$(with-chromium) npm run --silent sweep -w e2e -- $(if $(SWEEP),-g "$(SWEEP)")

bench: .stamps/python frontend/dist/index.html ## Measure reading, diagnosing, the page, the helpdesk's queue, a centre's days; prints tables (bench/README.md)
	$(BIN)/python bench/run.py
	$(with-chromium) $(BIN)/python bench/pages.py
	$(BIN)/python bench/helpdesk_queue.py
	$(BIN)/python bench/centre_ingest.py --logs 1000
	$(BIN)/python bench/centre_reports.py --days 30
	$(BIN)/python bench/centre_judging.py

load: .stamps/python ## Load the real server on SQLite and PostgreSQL; prints a table; BASE=<commit> measures one before
	$(BIN)/python bench/load.py

wheels: .stamps/python frontend/dist/index.html ## Build the wheels and everything they need into wheelhouse/
	rm -rf wheelhouse backend/src/iotriage/web && cp -r frontend/dist backend/src/iotriage/web
	$(UV) build -q --all-packages --wheel -o wheelhouse
	$(UV) export -q --frozen --no-dev --no-emit-workspace --package iotriage --extra server --extra pydarshan --extra centre --extra dask -o wheelhouse/requirements.txt
	.boot/bin/pip download -q --disable-pip-version-check --require-hashes --only-binary :all: --python-version 3.11 \
		-r wheelhouse/requirements.txt -d wheelhouse
	rm -rf backend/src/iotriage/web

sbom: .boot/bin/uv .stamps/node ## Write what the program is made of to sbom/, as CycloneDX
	mkdir -p sbom
	$(UV) export -q --frozen --no-dev --package iotriage --extra server --extra pydarshan --extra centre --extra dask --format cyclonedx1.5 \
		--preview-features sbom-export -o sbom/python.cdx.json >/dev/null
	npm sbom --loglevel=error --sbom-format cyclonedx --sbom-type application > sbom/javascript.cdx.json

audit: .boot/bin/uv .stamps/node ## Look for known vulnerabilities in what is shipped; says so where the data is out of reach
	.ci/audit

compose-test: wheels ## Start the container deployment, upload a sample through it, take it down
	.ci/compose-test

# --- what the targets above are made of

# One test has a real nginx in front. Unpacked and not installed: Debian's package would start it on port 80.
.boot/nginx: | .boot/bin/uv
	@mkdir -p $@; cd $@; [ -n "$$(PATH=$$PATH:/usr/sbin command -v nginx)" ] || \
	{ apt-get download -qq nginx && dpkg-deb -x nginx_*.deb .; } >/dev/null 2>&1 || echo "no nginx: its test is skipped"

.boot/bin/uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "IOtriage needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1). Name another: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "'$(PYTHON)' cannot make virtual environments. On Debian and Ubuntu: apt install python3-venv"; exit 1; }
	$(PYTHON) -m venv .boot
	.boot/bin/pip install -q --disable-pip-version-check uv==$(UV_VERSION)

# What the program imports of other packages is compiled by importing it, for whoever starts it where nothing is written
# any more. To compile all there is, as the tests that pandas brings along, takes three times as long.
# pydarshan is not there for every Python.
import-all = import importlib.util, pkgutil, iotriage; \
	left = [".migrations."] + ["pydarshan_reader", "verify_child", "opinion_child"] * (importlib.util.find_spec("darshan") is None); \
	[__import__(m.name) for m in pkgutil.walk_packages(iotriage.__path__, "iotriage.") if not any(part in m.name for part in left)]

.stamps/python: pyproject.toml uv.lock parsers/pyproject.toml backend/pyproject.toml | .boot/bin/uv
	$(UV) sync -q --frozen --all-packages
	$(BIN)/python -m compileall -q parsers/src backend/src
	$(BIN)/python -c '$(import-all)'
	@mkdir -p $(@D) && touch $@

.stamps/node: package.json package-lock.json frontend/package.json e2e/package.json
	@command -v npm >/dev/null || { echo "IOtriage's page is built with Node 20.19 or newer and npm; neither was found."; exit 1; }
	npm ci --no-audit --no-fund --loglevel=error
	@mkdir -p $(@D) && touch $@

frontend/dist/index.html: .stamps/node $(shell find frontend -type f -not -path '*/node_modules/*' -not -path '*/dist/*' -not -name '*.tsbuildinfo')
	npm run --silent build -w frontend
	@touch $@

check-python: .stamps/python
	$(BIN)/ruff check $(PYTHON_SOURCES)
	$(BIN)/ruff format --check $(PYTHON_SOURCES)
	$(BIN)/mypy
	$(BIN)/lint-imports

check-frontend: .stamps/node
	npm run --silent lint
	npm exec -- tsc -p e2e --checkers 1

check-generated: .stamps/python .stamps/node
	$(BIN)/python docs/generate.py --check

test-backend:
	@$(MAKE) --keep-going -j$(TEST_PROCESSES) --output-sync=target $(PYTEST_GROUPS)

$(PYTEST_OF_PAGES): frontend/dist/index.html
pytest-api: | .boot/nginx
pytest-jobs: .stamps/node

# To have every assertion say its values takes as long to prepare as some hundred tests, and to gather what each logs and
# what its threads leave a fifth of the time of one that does nothing else: what failed says them. Each plugin that no test
# needs is asked at every step of each.
PYTEST_BRIEFLY := --assert=plain $(addprefix -p no:,logging unraisableexception threadexception \
	anyio xdist doctest junitxml pastebin setuponly setupplan stepwise)
$(PYTEST_GROUPS): pytest-%: .stamps/python
	$(BIN)/pytest $(TESTS_$*) $(PYTEST_BRIEFLY) -o cache_dir=.pytest_cache/$* || \
		{ $(BIN)/pytest $(TESTS_$*) -q -o cache_dir=.pytest_cache/$* --lf --lfnf=none --maxfail=10; false; }

test-frontend: .stamps/node
	npm test --silent -w frontend

# The run of all tests has seen to the browser before.
test-journeys: install $(if $(JOURNEYS_AT_ONCE),,chromium)
	$(with-chromium) npm test --silent -w e2e -- $(if $(JOURNEYS_AT_ONCE),--workers $(JOURNEYS_AT_ONCE))

# Without windows a browser takes two thirds of the processor's time.
find-chromium = $(firstword $(shell command -v chromium-headless-shell chromium chromium-browser google-chrome))
with-chromium = CHROMIUM="$${CHROMIUM:-$(find-chromium)}"

# Debian's package where the machine allows it, else what is there, else Playwright's own build into .boot/browsers.
chromium: .stamps/node
	@[ -z "$${CHROMIUM:-}$(shell command -v chromium-headless-shell)" ] || exit 0; \
	as_root=$$([ "$$(id -u)" = 0 ] || echo "sudo -n"); \
	if command -v apt-get >/dev/null && $$as_root apt-get update -qq 2>/dev/null && \
		$$as_root apt-get install -y -qq --no-install-recommends chromium-headless-shell >/dev/null 2>&1; then exit 0; fi; \
	[ -n "$(find-chromium)" ] || (cd e2e && npx playwright install --only-shell chromium)
