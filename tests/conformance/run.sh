#!/bin/sh
# Installs the official conformance suite at exact versions into DIR, and runs it against SERVER and
# CLIENT.
#   tests/conformance/run.sh SERVER CLIENT DIR [SELECTION...]
set -eu
here=$(cd "$(dirname "$0")" && pwd) server=$1 client=$(pwd)/$2 dir=$3
shift 3

mkdir -p "$dir"
cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$here"/*.mjs "$dir"
cmp -s "$dir/package-lock.json" "$dir/installed" || {
    npm ci --prefix "$dir" --ignore-scripts --no-audit --no-fund --silent
    cp "$dir/package-lock.json" "$dir/installed"
}
exec node "$dir/run.mjs" "$server" "$client" "$@"
