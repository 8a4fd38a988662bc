#!/bin/sh
# Installs the official clients at exact versions, and drives SERVER with each of them,
# over stdio and over HTTP.
#   tests/interop/run.sh SERVER VENV
set -eu
here=$(cd "$(dirname "$0")" && pwd) server=$1 venv=$2

command -v npm > /dev/null || { echo "interop: npm is missing (node 20 or later)"; exit 1; }
[ "$here/node_modules/.package-lock.json" -nt "$here/package-lock.json" ] ||
    npm ci --prefix "$here" --ignore-scripts --no-audit --no-fund --silent
[ -x "$venv/bin/python" ] || python3 -m venv "$venv" || { echo "interop: python3 with venv is missing"; exit 1; }
[ "$venv/interop.done" -nt "$here/requirements.txt" ] ||
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
touch "$venv/interop.done"

node "$here/interop.mjs" "$server" > "$venv/interop.ts" 2>&1 &
"$venv/bin/python" -B "$here/interop.py" "$server" > "$venv/interop.py" 2>&1 || :
wait
cat "$venv/interop.ts" "$venv/interop.py"

# A driver that checked nothing, or did not come to its last line, has failed.
tail -qn 1 "$venv/interop.ts" "$venv/interop.py" | awk '
    /^[0-9]+ passed, [0-9]+ failed$/ { passed += $1; failed += $3; drivers += $1 > 0 }
    END { if (drivers < 2) failed++; print passed + 0 " passed, " failed + 0 " failed"; exit failed || !passed }'
