.PHONY: help setup policy tools unit test check pages rehearse bench features mutants clean

STACK ?= nodeless

help: ## What each command does
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: .venv/ready ## The Python environment in .venv

policy: frugal_eks/plans/policy/.venv/ready ## The policy pack's own environment, for --policy-pack frugal_eks/plans/policy

tools: setup ## The rehearsal's tools, found or built into a cache of the user's
	.venv/bin/python -m rehearsal.toolchain

unit: setup ## Tests of the program with Pulumi mocks: seconds, nothing but Python
	.venv/bin/pytest -n 2 --dist loadfile -m "not engine" --ignore tests/rehearsal --ignore tests/frugal_eks/dev/features --ignore tests/frugal_eks/preflight --ignore tests/frugal_eks/sweep --ignore tests/workflows

test: tools policy ## Every test: the real engine, API server and Karpenter too
	.venv/bin/pytest -n 2 --dist loadscope --no-loadscope-reorder

check: setup policy ## Format, lint, types, generated files, workflows
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/pyright
	.venv/bin/pyright --project frugal_eks/plans/policy
	@./frugal-eks schema | cmp - stacks/stack.schema.json || { echo 'run `make pages`' >&2; exit 1; }
	.venv/bin/python -m frugal_eks.dev.reference --check
	.github/scripts/lint.sh

pages: setup ## Writes what is made of the program: the stack files' schema, the reference, the behaviours of AWS
	./frugal-eks schema -o stacks/stack.schema.json
	.venv/bin/python -m frugal_eks.dev.reference
	.venv/bin/python -m frugal_eks.dev.features --pages

rehearse: tools ## A whole life of STACK without AWS: up, scale, second preview, destroy
	./frugal-eks rehearse run $(STACK)

bench: tools ## Measure, and write the table of docs/figures.md
	.venv/bin/python -m rehearsal.bench

features: setup ## Each feature with the tests that prove it
	.venv/bin/python -m frugal_eks.dev.features

mutants: setup ## Break 100 places; the share that turns a unit test red (ARGUMENTS=--help)
	.venv/bin/python -m frugal_eks.dev.mutants $(ARGUMENTS)

clean: ## Stop what a rehearsal left running; remove .venv and every state
	-[ ! -d .rehearsal ] || ./frugal-eks rehearse stop
	rm -rf .venv frugal_eks/plans/policy/.venv .rehearsal .pytest_cache .ruff_cache .hypothesis

.venv/ready: requirements.txt requirements-dev.txt
	python3 -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check --requirement requirements-dev.txt
	touch $@

frugal_eks/plans/policy/.venv/ready: frugal_eks/plans/policy/requirements.txt
	python3 -m venv frugal_eks/plans/policy/.venv
	frugal_eks/plans/policy/.venv/bin/pip install --quiet --disable-pip-version-check --requirement frugal_eks/plans/policy/requirements.txt
	touch $@
