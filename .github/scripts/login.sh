#!/usr/bin/env bash
# login.sh: logs Pulumi in to PULUMI_BACKEND_URL. A bucket takes the AWS credentials of the job;
# Pulumi Cloud takes the job's own OIDC token, for the organisation PULUMI_ORGANIZATION.
set -euo pipefail
: "${PULUMI_BACKEND_URL:?set the variable: s3://BUCKET?region=REGION, or https://api.pulumi.com}"

if [[ $PULUMI_BACKEND_URL != https://* ]]; then
  exec pulumi login "$PULUMI_BACKEND_URL"
fi

: "${PULUMI_ORGANIZATION:?set the variable to the name of your organisation in Pulumi Cloud}"
: "${ACTIONS_ID_TOKEN_REQUEST_URL:?the job needs the permission id-token: write}"
: "${ACTIONS_ID_TOKEN_REQUEST_TOKEN:?the job needs the permission id-token: write}"
token=$(mktemp)
trap 'rm -f "$token"' EXIT
# The header from standard input: other processes see the arguments.
curl --fail --silent --show-error --header @- \
  "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=urn:pulumi:org:$PULUMI_ORGANIZATION" \
  <<<"Authorization: bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" |
  python3 -c 'import json, sys; print(json.load(sys.stdin)["value"], end="")' >"$token"
pulumi login "$PULUMI_BACKEND_URL" --oidc-org "$PULUMI_ORGANIZATION" --oidc-token "file://$token"
