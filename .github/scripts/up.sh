#!/usr/bin/env bash
# up.sh STACK FOLDER: `pulumi up` of STACK, if a preview just now says what the approved one said and
# breaks no mandatory rule of frugal_eks/plans/policy/.
# `pulumi up` locks the state itself; a second one fails at once and changes nothing.
set -euo pipefail
stack=$1 folder=$2
scripts=$(dirname "$0")
: "${GITHUB_RUN_ID:?is the id of the run}"
mkdir -p "$folder"

gh run download "$GITHUB_RUN_ID" --name "plan-$stack" --dir "$folder/approved"
approved=$(<"$folder/approved/approval")

"$scripts/preview-aws.sh" "$stack" "$folder"
now=$(./frugal-eks pull-request approval "$folder/preview.json")
if [[ $now == nothing ]]; then
  echo "Nothing is to be changed any more."
  exit 0
fi
if [[ $now != "$approved" ]]; then
  echo "::error::$stack: the preview is not the one that was approved; run the workflow anew"
  exit 1
fi
"$scripts/policy.sh" "$folder"
# What only `up` knows, such as the ARNs in a policy, is held to the rules right before it is made.
make policy
pulumi up --yes --skip-preview --non-interactive --stack "$stack" --policy-pack frugal_eks/plans/policy
