#!/bin/sh
# Validates what the library says against the official schemas.
#   tests/schemas/run.sh SCHEMAS VENV DUMP PROGRAM...
# SCHEMAS has VERSION/schema.json; DUMP holds lines of VERSION TAB METHOD TAB MESSAGE; the programs
# speak stdio, and get random arguments and random sessions.
set -eu
here=$(cd "$(dirname "$0")" && pwd) schemas=$1 venv=$2 dump=$3
shift 3

[ -f "$schemas/2026-07-28/schema.json" ] || { echo "schemas: no official schemas in $schemas (SHARED=?)"; exit 1; }
[ -x "$venv/bin/python" ] || python3 -m venv "$venv" || { echo "schemas: python3 with venv is missing"; exit 1; }
[ "$venv/schemas.done" -nt "$here/requirements.txt" ] ||
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
touch "$venv/schemas.done"

part() {
    "$venv/bin/python" -B "$here/$@" > "$venv/schemas.out" 2>&1 || :
    cat "$venv/schemas.out"
    tail -n 1 "$venv/schemas.out" >> "$venv/schemas.sums"
}
: > "$venv/schemas.sums"
part validate.py "$schemas" --self-test
part validate.py "$schemas" "$dump"
part differ.py "$schemas" "$@"
part monkey.py "$schemas" "$@"

# A part that checked nothing, or did not come to its last line, has failed.
awk '/^[0-9]+ passed, [0-9]+ failed/ { passed += $1; failed += $3; parts += $1 > 0 }
    END { if (parts < 4) failed++; print passed + 0 " passed, " failed + 0 " failed"; exit failed || !passed }' "$venv/schemas.sums"
