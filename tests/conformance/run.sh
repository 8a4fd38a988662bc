#!/bin/sh
# Installs the official conformance suite at exact versions into DIR, and runs it against SERVER.
#   tests/conformance/run.sh SERVER DIR
set -eu
here=$(cd "$(dirname "$0")" && pwd) server=$1 dir=$2

mkdir -p "$dir"
cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$here"/*.mjs "$dir"
cmp -s "$dir/package-lock.json" "$dir/installed" || {
    npm ci --prefix "$dir" --ignore-scripts --no-audit --no-fund --silent
    cp "$dir/package-lock.json" "$dir/installed"
}
exec node "$dir/run.mjs" "$server"
