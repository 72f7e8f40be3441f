#!/usr/bin/env bash
# preview-aws.sh STACK FOLDER: FOLDER/preview.json is what `up` would do to STACK, by the
# credentials of the environment. Nothing is changed, neither in AWS nor in the state.
set -euo pipefail
stack=$1 folder=$2
scripts=$(dirname "$0")
mkdir -p "$folder"
export PULUMI_SKIP_UPDATE_CHECK=true PULUMI_ENABLE_STREAMING_JSON_PREVIEW=false

"$scripts/login.sh"
# In a bucket `NAME`, in Pulumi Cloud `ORGANISATION/NAME`.
there=$(pulumi stack ls --json |
  python3 -c 'import json, sys; print(*(one["name"].split("/")[-1] for one in json.load(sys.stdin)))')
if [[ " $there " != *" $stack "* ]]; then
  # In a state of its own, since this role may not write the real one.
  echo "against nothing: the state has no such stack" >"$folder/against"
  PULUMI_BACKEND_URL=file://$(mktemp -d)
  export PULUMI_BACKEND_URL PULUMI_CONFIG_PASSPHRASE=''
  pulumi stack init "$stack" --non-interactive
fi
# Not by --refresh: that would read every resource, and show drift as if the change had made it.
pulumi preview --json --show-sames --non-interactive --stack "$stack" >"$folder/preview.json"
