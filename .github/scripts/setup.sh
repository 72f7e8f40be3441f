#!/usr/bin/env bash
# setup.sh: .venv, and the Pulumi CLI that the tests drive, on the PATH of the steps that follow.
# The runner's own CLI is taken where it is new enough; else it is built, pinned by its go.sum.
set -euo pipefail
: "${GITHUB_PATH:?is the file where a job keeps its PATH}"

make setup
.venv/bin/python -m rehearsal.toolchain pulumi pulumi-language-python |
  while IFS=$'\t' read -r _ path; do
    dirname "$path"
  done | sort -u >>"$GITHUB_PATH"
