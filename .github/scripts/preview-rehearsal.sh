#!/usr/bin/env bash
# preview-rehearsal.sh STACK BASE FOLDER: FOLDER/preview.json is what `up` would do to STACK as
# commit BASE leaves it, in a rehearsal: AWS is played, no credentials are needed. FOLDER/against
# says what it was compared with.
set -euo pipefail
stack=$1 base=$2 folder=$3
mkdir -p "$folder"
work=$(mktemp -d)
state=$work/state
head=$PWD

rehearse() { # rehearse CHECKOUT COMMAND…
  local checkout=$1
  shift
  (cd "$checkout" && ./frugal-eks rehearse "$@" --state "$state" \
    --stack "$checkout/stacks/Pulumi.$stack.yaml")
}

clean() {
  rehearse "$head" stop --wipe || true
  git worktree remove --force "$work/base" || true
  rm -rf "$work"
}
trap clean EXIT

bring_up_base() {
  git worktree add --quiet --detach "$work/base" "$base" || return
  if [[ ! -e $work/base/stacks/Pulumi.$stack.yaml ]]; then
    echo "against nothing: the stack is new" >"$folder/against"
    return 1
  fi
  make -C "$work/base" setup && rehearse "$work/base" start && rehearse "$work/base" up
}

echo "against nothing: the base branch did not come up" >"$folder/against"
if bring_up_base; then
  echo "against the base branch, which was brought up first" >"$folder/against"
else
  rehearse "$head" stop --wipe
  rehearse "$head" start
fi
rehearse "$head" preview --json -o "$folder/preview.json"
