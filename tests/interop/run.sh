#!/bin/sh
# Installs the official clients at exact versions, and drives two servers with each of them, over stdio
# and over HTTP: FIXTURE offers everything, ASKS asks back.
#   tests/interop/run.sh FIXTURE ASKS OUT     what is built and installed goes to OUT
set -eu
here=$(cd "$(dirname "$0")" && pwd) fixture=$1 asks=$2 out=$3 venv=$3/venv

need() { command -v "$1" > /dev/null || { echo "interop: $1 is missing ($2)"; exit 1; }; }
need npm "node 20 or later"
need go "1.25 or later"
need cargo "1.88 or later"
[ "$here/node_modules/.package-lock.json" -nt "$here/package-lock.json" ] ||
    npm ci --prefix "$here" --ignore-scripts --no-audit --no-fund --silent
[ "$here/inspector/node_modules/.package-lock.json" -nt "$here/inspector/package.json" ] ||
    npm install --prefix "$here/inspector" --no-package-lock --ignore-scripts --no-audit --no-fund --silent
[ -x "$venv/bin/python" ] || python3 -m venv "$venv" || { echo "interop: python3 with venv is missing"; exit 1; }
[ "$venv/interop.done" -nt "$here/requirements.txt" ] ||
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
touch "$venv/interop.done"
mkdir -p "$out/interop"
(cd "$here/go" && go build -o "$out/interop/go" .)
cargo build --quiet --locked --manifest-path "$here/rust/Cargo.toml" --target-dir "$out/rust"

# Each to a file, two at once; what one says last is its sum.
drive() { name=$1; shift; "$@" > "$out/interop/$name.txt" 2>&1 || :; }
{
    drive typescript node "$here/interop.mjs" "$fixture" "$asks"
    drive go "$out/interop/go" "$here" "$fixture" "$asks"
    drive rust "$out/rust/debug/interop" "$here" "$fixture" "$asks"
    drive python "$venv/bin/python" -B "$here/interop.py" "$fixture" "$asks"
} &
drive inspector node "$here/inspector/inspector.mjs" "$fixture"
wait

# A driver that checked nothing, or did not come to its last line, has failed.
passed=0 failed=0
for name in typescript python go rust inspector; do
    sed '$d' "$out/interop/$name.txt"
    last=$(tail -n 1 "$out/interop/$name.txt")
    echo "  $name: $last"
    case $last in
        *" passed, "*" failed") ;;
        *) last="0 passed, 1 failed" ;;
    esac
    p=${last%% *} f=${last#*, }
    [ "$p" -gt 0 ] || f=1
    passed=$((passed + p)) failed=$((failed + ${f%% *}))
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
