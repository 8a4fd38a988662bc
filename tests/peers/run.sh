#!/bin/sh
# Installs published servers and official SDKs at exact versions, and drives each with the
# command-line client MCP. Python's packages are those of tests/interop.
#   tests/peers/run.sh MCP VENV SCRATCH
set -eu
here=$(cd "$(dirname "$0")" && pwd) mcp=$1 venv=$2 scratch=$3

[ "$here/node_modules/.package-lock.json" -nt "$here/package-lock.json" ] ||
    npm ci --prefix "$here" --ignore-scripts --no-audit --no-fund --silent
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
[ "$venv/interop.done" -nt "$here/../interop/requirements.txt" ] ||
    "$venv/bin/pip" install --quiet --disable-pip-version-check \
        -r "$here/../interop/requirements.txt"
touch "$venv/interop.done"
(cd "$here/go" && go build -o "$OLDPWD/$scratch.go" .)
exec node "$here/peers.mjs" "$mcp" "$venv/bin/python" "$scratch.go" "$scratch"
