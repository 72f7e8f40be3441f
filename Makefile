.PHONY: help setup policy tools unit test check pages rehearse bench features clean

STACK ?= nodeless

help: ## What each command does
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: .venv/ready ## The Python environment in .venv

policy: policy/.venv/ready ## The policy pack's own environment, for --policy-pack policy

tools: setup ## The rehearsal's tools, found or built into a cache of the user's
	.venv/bin/python -m rehearsal.toolchain

unit: setup ## Tests of the program with Pulumi mocks: seconds, nothing but Python
	.venv/bin/pytest -n 2 --dist loadfile -m "not engine" --ignore tests/rehearsal --ignore tests/bench --ignore tests/features --ignore tests/sweep --ignore tests/workflows

test: tools policy ## Every test: the real engine, API server and Karpenter too
	.venv/bin/pytest -n 2 --dist loadscope --no-loadscope-reorder

check: setup policy ## Format, lint, types, generated files, workflows
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/pyright
	.venv/bin/pyright --project policy
	.venv/bin/python -m stack_config schema --check
	.venv/bin/python -m reference --check
	.github/scripts/lint.sh

pages: setup ## Writes what is made of the program: the stack files' schema, the reference pages
	.venv/bin/python -m stack_config schema
	.venv/bin/python -m reference

rehearse: tools ## A whole life of STACK without AWS: up, scale, second preview, destroy
	.venv/bin/python -m rehearsal run $(STACK)

bench: tools ## Measure, and write the README's table
	.venv/bin/python -m bench

features: setup ## Each feature with the tests that prove it
	.venv/bin/python -m features

clean: ## Stop what a rehearsal left running; remove .venv and every state
	-[ ! -d .rehearsal ] || .venv/bin/python -m rehearsal stop
	rm -rf .venv policy/.venv .rehearsal .pytest_cache .ruff_cache .hypothesis

.venv/ready: requirements.txt requirements-dev.txt
	python3 -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check --requirement requirements-dev.txt
	touch $@

policy/.venv/ready: policy/requirements.txt
	python3 -m venv policy/.venv
	policy/.venv/bin/pip install --quiet --disable-pip-version-check --requirement policy/requirements.txt
	touch $@
