#!/usr/bin/env bash
# number.sh FOLDER NUMBER: which pull request FOLDER/comment.md is meant for. Whoever posts it
# compares that with what GitHub says.
set -euo pipefail
mkdir -p "$1"
printf '%s\n' "$2" >"$1/number"
