#!/usr/bin/env bash
# plan.sh FOLDER: shows FOLDER/comment.md to whoever approves, and writes FOLDER/approval: the
# digest of FOLDER/preview.json, which up.sh compares its own preview with.
set -euo pipefail
folder=$1
: "${GITHUB_STEP_SUMMARY:?is the file where a step keeps its summary}"

./frugal-eks pull-request approval "$folder/preview.json" >"$folder/approval"
cat "$folder/comment.md" >>"$GITHUB_STEP_SUMMARY"
