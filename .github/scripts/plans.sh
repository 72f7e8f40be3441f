#!/usr/bin/env bash
# plans.sh FOLDER JOBS: fetches the approvals of this run into FOLDER and tells, as the output `up`
# of its step, which of JOBS (the matrix of the previews) have something to approve.
set -euo pipefail
folder=$1 jobs=$2
: "${GITHUB_RUN_ID:?is the id of the run}" "${GITHUB_OUTPUT:?is the file of a step\'s outputs}"

gh run download "$GITHUB_RUN_ID" --pattern 'plan-*' --dir "$folder"
python3 -m frugal_eks pull-request changed "$folder" "$jobs" | tee -a "$GITHUB_OUTPUT"
