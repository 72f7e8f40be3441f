#!/usr/bin/env bash
# lint.sh: the workflows and their scripts, by actionlint, zizmor and shellcheck.
set -euo pipefail
cd "$(dirname "$0")/../.."

scripts=(.github/scripts/*.sh .ci/run)
.venv/bin/shellcheck --severity=style --enable=all --exclude=SC2250,SC2310,SC2312 "${scripts[@]}"
# Built once from its Go module, in half a minute, and kept in the user's cache.
told=$(.venv/bin/python -m rehearsal.toolchain actionlint)
"${told#*$'\t'}" -shellcheck "$PWD/.venv/bin/shellcheck" -pyflakes ''
# Without GitHub: what it would ask there is whether commits and versions of actions belong together.
.venv/bin/zizmor --offline --quiet --no-progress --persona pedantic .github/workflows
