#!/usr/bin/env bash
# policy.sh FOLDER: holds FOLDER/preview.json to the rules of frugal_eks/plans/policy/, deletions included, and shows
# what they say. A broken mandatory rule ends it with 1. Without a preview the step before has failed.
set -euo pipefail
folder=$1
: "${GITHUB_STEP_SUMMARY:?is the file where a step keeps its summary}"

./frugal-eks policy "$folder/preview.json" | tee -a "$GITHUB_STEP_SUMMARY"
