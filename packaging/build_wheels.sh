#!/usr/bin/env bash
# Builds every distribution into dist/: the sdist, a pure wheel, and a wheel with the native client for this machine.
# The native client is a static program without a C library, so one wheel serves manylinux and musllinux; where the compiler
# could only link it with a C library, auditwheel says which manylinux that is.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-.venv/bin/python}
out=${1:-dist}
mkdir -p "$out"

"$python" -m build --sdist --no-isolation --outdir "$out" .
sdist=("$out"/toolgate-*.tar.gz)
TOOLGATE_PURE=1 "$python" -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir "$out" "${sdist[-1]}"
if [ "$(uname -s)" != Linux ]; then
    REQUIRE_NATIVE=1 "$python" -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir "$out" "${sdist[-1]}"
    exit
fi

native=$(mktemp -d)
trap 'rm -rf "$native"' EXIT
REQUIRE_NATIVE=1 "$python" -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir "$native" "${sdist[-1]}"
wheel=$(echo "$native"/*.whl)
"$python" packaging/tag_wheel.py "$wheel" "$out"
ls -1 "$out"
