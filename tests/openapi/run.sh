#!/bin/sh
# The OpenAPI document, by others: a validator reads it, a contract tester asks what it promises.
#   tests/openapi/run.sh REST ROUTES LABELS VENV GOLDEN
# REST and ROUTES serve --http PORT; GOLDEN has the listings that routes are to have word for word.
set -u
here=$(cd "$(dirname "$0")" && pwd) rest=$1 routes=$2 labels=$3
venv=$4 golden=$5
passed=0 failed=0 server=

[ -f "$golden/p2m.out" ] || { echo "openapi: no golden listings in $golden (SHARED=?)"; exit 1; }
[ -x "$venv/bin/python" ] || python3 -m venv "$venv" ||
    { echo "openapi: python3 with venv is missing"; exit 1; }
[ "$venv/openapi.done" -nt "$here/requirements.txt" ] ||
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt" || exit 1
touch "$venv/openapi.done"
trap '[ -z "$server" ] || kill "$server" 2>/dev/null' EXIT

tell() { # NAME PASSED FAILED
    passed=$((passed + $2)) failed=$((failed + $3))
    echo "  $1: $2 passed, $3 failed"
}

# contract NAME PROGRAM OPTION...: a server of its own, on a port that is free
contract() {
    name=$1 program=$2 url= log=$venv/openapi.$1
    shift 2
    port=$("$venv/bin/python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
    "$program" --http "$port" >"$log.server" 2>&1 &
    server=$!
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        url=http://127.0.0.1:$port/openapi.json
        "$venv/bin/python" - "$url" "$log.json" <<'END' && break
import sys, time, urllib.request
try:
    with urllib.request.urlopen(sys.argv[1]) as reply, open(sys.argv[2], 'wb') as file:
        file.write(reply.read())
except OSError:
    time.sleep(0.3)
    sys.exit(1)
END
        url=
    done
    if [ "$url" ] && "$venv/bin/openapi-spec-validator" --schema 3.1 "$log.json" >"$log.valid" 2>&1
    then tell "$name is OpenAPI 3.1" 1 0; else
        head -n 20 "$log.valid" "$log.server"
        tell "$name is OpenAPI 3.1" 0 1
    fi
    (cd "$venv" && PYTHONDONTWRITEBYTECODE=1 bin/schemathesis --config-file "$here/contract.toml" \
        run "$url" --seed 1 --max-examples 30 --no-color "$@") >"$log.contract" 2>&1
    status=$?
    kill "$server" && wait "$server" 2>/dev/null
    server=
    cases=$(sed -n 's/^ *\([0-9][0-9]*\) generated.*/\1/p' "$log.contract")
    if [ $status -eq 0 ] && [ "${cases:-0}" -gt 100 ]; then tell "$name keeps its contract" "$cases" 0
    else
        sed -n '/FAILURES/,$p' "$log.contract" | head -n 100
        grep -q FAILURES "$log.contract" || tail -n 20 "$log.contract"
        tell "$name keeps its contract" 0 1
    fi
}

python3 -B "$here/golden.py" "$golden" "$routes" "$labels" >"$venv/openapi.golden" 2>&1
sed '$d' "$venv/openapi.golden"
set -- $(tail -n 1 "$venv/openapi.golden" | tr -d , | awk '/^[0-9]+ passed [0-9]+ failed/ { print $1, $3 }')
tell "documented listings" "${1:-0}" "${2:-1}"
contract rest "$rest"
# Those that fail on purpose; whose path another route shares; whose schema is not judged or has
# integers that no int64_t holds.
contract routes "$routes" --exclude-operation-id-regex \
    'GET__(boom|refuses|two|words|wrong|things_special)|POST__(ask|add|calculate)|raw|.*_id_detail'

echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
