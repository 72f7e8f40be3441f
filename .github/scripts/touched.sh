#!/usr/bin/env bash
# touched.sh [BASE]: the matrices `aws` and `rehearsal` of a run, as outputs of its step.
# Without BASE every stack counts as touched. Rules: pull_requests/touched.py.
set -euo pipefail
: "${GITHUB_OUTPUT:?is the file where a step keeps its outputs}"

python3 -m pull_requests stacks "$@" | tee -a "$GITHUB_OUTPUT"
