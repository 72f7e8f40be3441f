#!/usr/bin/env bash
# all-well.sh RESULT…: fails if one of the results of other jobs is neither success nor skipped.
# One name for branch protection: those of a matrix come and go.
set -euo pipefail
for result in "$@"; do
  case $result in
    success | skipped) ;;
    *)
      echo "one of the jobs before ended as: $result"
      exit 1
      ;;
  esac
done
