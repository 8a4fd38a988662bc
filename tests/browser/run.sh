#!/bin/sh
# Pages and hosts of MCP Apps in a real, headless Chromium.
#   tests/browser/run.sh BUILD OUT    programs are in BUILD; screenshots and what is made go to OUT
set -eu
here=$(cd "$(dirname "$0")" && pwd) build=$1 out=$2

mkdir -p "$out"
[ "$here/node_modules/.package-lock.json" -nt "$here/package-lock.json" ] ||
    npm ci --prefix "$here" --ignore-scripts --no-audit --no-fund --silent
rm -f "$out"/*.png
node "$here/drive.mjs" "$build" "$out"
