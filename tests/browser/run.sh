#!/bin/sh
# Pages and hosts of MCP Apps in a real, headless Chromium.
#   tests/browser/run.sh BUILD OUT SCHEMAS [PART...]
# Programs are in BUILD; screenshots and what is made go to OUT; SCHEMAS has the official JSON Schema
# of MCP Apps; a PART is one of drive.mjs, all by default.
set -eu
here=$(cd "$(dirname "$0")" && pwd) build=$1 out=$2 schemas=$3
shift 3

[ -f "$schemas/apps-2026-01-26/schema.json" ] || { echo "browser: no schema of MCP Apps in $schemas (SHARED=?)"; exit 1; }
mkdir -p "$out"
[ "$here/node_modules/.package-lock.json" -nt "$here/package-lock.json" ] ||
    npm ci --prefix "$here" --ignore-scripts --no-audit --no-fund --silent
rm -f "$out"/*.png
node "$here/drive.mjs" "$build" "$out" "$schemas" "$@"
