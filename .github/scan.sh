#!/usr/bin/env bash
# Looks for secrets in the files of PATHS, or in those that changed since BASE; writes SARIF; fails where something was found.
set -u -o pipefail

names=()
if [ -n "${PATHS//[[:space:]]/}" ]; then
    mapfile -t names < <(grep -v '^[[:space:]]*$' <<< "$PATHS")
elif [ -n "${BASE:-}" ] && git cat-file -e "$BASE^{commit}" 2>/dev/null; then
    mapfile -d '' -t names < <(git diff --name-only -z --diff-filter=ACMR "$BASE" HEAD)
else
    mapfile -d '' -t names < <(git ls-files -z) # the first push, or a checkout without history
fi

count=0
options=(--sarif)
[ "${SURE:-true}" = true ] && options+=(--sure)
if [ "${#names[@]}" -gt 0 ]; then
    toolgate scan "${options[@]}" -- "${names[@]}" > "$SARIF"
    code=$?
    [ "$code" -le 1 ] || exit "$code"
    count=$(python3 -c 'import json, sys; print(sum(len(run["results"]) for run in json.load(open(sys.argv[1]))["runs"]))' "$SARIF")
fi
echo "findings=$count" >> "${GITHUB_OUTPUT:-/dev/null}"
echo "$count findings in ${#names[@]} files"
[ "$count" -eq 0 ]
