# Every command a person types. CI calls the same ones.
.DEFAULT_GOAL := help
.PHONY: help demo test slow check gen web frames screenshots bench growth compare soak fmt lock

# Relative, so that a checkout whose path holds a space works too.
BIN := .venv/bin

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 16

demo: .venv/.demo ## a killed worker, and a rollback of data (KEEP=1: then in the dashboard)
	@$(BIN)/tenuto demo $(if $(KEEP),--keep)

test: .venv/.dev ## run the tests (ARGS="-k name" to pick)
	@$(BIN)/python tools/run_tests.py $(ARGS)

slow: .venv/.dev ## the tests that CI runs besides: long random walks, planted bugs
	@$(BIN)/python tools/run_tests.py -m slow $(ARGS)

check: .venv/.dev ## lint, types, layers, SQL boundaries, generated files
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/python -m pyright
	@$(BIN)/lint-imports
	@$(BIN)/python tools/check_sql.py
	@$(BIN)/python tools/gen.py --check
	@sh tools/check_web.sh
	@$(BIN)/python tools/largest.py

gen: .venv/.dev ## write the generated files
	@$(BIN)/python tools/gen.py

web: ## build the dashboard (needs Node)
	@cd web && npm install --no-save --silent --prefer-offline && npm run --silent build

frames: .venv/.dev ## record the pictures of the demo in docs/frames
	@$(BIN)/python tools/record_demo.py

screenshots: .venv/.dev ## take pictures of every page of the dashboard (needs Chromium)
	@$(BIN)/python tools/screenshots.py $(ARGS)

bench: .venv/.dev ## measure the SQL functions on this machine
	@$(BIN)/python bench/kernel.py $(ARGS)

growth: .venv/.dev ## measure how costs grow with size (ARGS="--quick", ARGS=--check for CI)
	@$(BIN)/python bench/growth.py $(ARGS)

compare: .venv/.dev ## measure Tenuto beside its peers (ARGS="--quick --peers graphile,pgqueuer")
	@$(BIN)/python bench/compare.py $(ARGS)

soak: .venv/.dev ## the tests that run for minutes
	@$(BIN)/python tools/run_tests.py -n 0 -m soak --timeout 3600 $(ARGS)

fmt: .venv/.dev ## format the code
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

lock: .venv/.dev ## pin requirements/*.txt from requirements/*.in
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh tools/lock.sh $(ARGS)

.venv/.python:
	@sh tools/venv.sh .venv
	@touch $@

.venv/.demo: .venv/.python requirements/demo.txt pyproject.toml
	@sh tools/install.sh .venv requirements/demo.txt
	@touch $@

.venv/.dev: .venv/.python requirements/dev.txt pyproject.toml
	@sh tools/install.sh .venv requirements/dev.txt
	@touch .venv/.demo $@
