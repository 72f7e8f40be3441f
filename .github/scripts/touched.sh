#!/usr/bin/env bash
# touched.sh [BASE]: the matrices `aws` and `rehearsal` of a run, as outputs of its step.
# Without BASE every stack counts as touched. Rules: frugal_eks/plans/pull_requests/touched.py.
set -euo pipefail
: "${GITHUB_OUTPUT:?is the file where a step keeps its outputs}"

python3 -m frugal_eks pull-request stacks "$@" | tee -a "$GITHUB_OUTPUT"
