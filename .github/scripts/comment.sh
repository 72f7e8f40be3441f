#!/usr/bin/env bash
# comment.sh STACK SOURCE FOLDER COMMAND…: runs COMMAND, which must write FOLDER/preview.json, and
# makes FOLDER/comment.md of that. SOURCE says where the preview was made; what COMMAND writes into
# FOLDER/against is added to it. If either fails the comment says so, and the exit code is 1.
set -euo pipefail
stack=$1 source=$2 folder=$3
shift 3
mkdir -p "$folder"
log=$folder/preview.log

review() {
  [[ ! -s $folder/against ]] || source+=", $(<"$folder/against")"
  ./frugal-eks review "$folder/preview.json" --source "$source" -o "$folder/comment.md"
}

# In a condition, so that `set -e` does not end this script before it has said why.
if "$@" 2>&1 | tee "$log" && review 2>&1 | tee -a "$log"; then
  exit 0
fi
project=$(sed -n 's/^name: *//p' Pulumi.yaml)
./frugal-eks pull-request failed --project "$project" --stack "$stack" \
  --source "$source" --preview "$folder/preview.json" --log "$log" -o "$folder/comment.md"
exit 1
