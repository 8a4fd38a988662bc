#!/bin/sh
# need.sh COMMAND=PACKAGE... - installs what is missing (Debian, as root), or says so and fails
#   COMMAND may be a file's path, too
missing=
have() { command -v "$1" >/dev/null 2>&1 || [ -e "$1" ]; }
for pair in "$@"; do have "${pair%%=*}" || missing="$missing ${pair#*=}"; done
[ "$missing" ] || exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086
    apt-get install -y -qq --no-install-recommends $missing >/dev/null 2>&1 ||
        { apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing; } \
            >/dev/null
fi
for pair in "$@"; do
    have "${pair%%=*}" || { echo "missing: ${pair%%=*} (Debian package ${pair#*=})" >&2; exit 1; }
done
