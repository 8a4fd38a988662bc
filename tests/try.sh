#!/bin/sh
# try.sh PROGRAM - a real exchange with examples/hello.c, as a client would have it over a pipe
meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
request() { printf '{"jsonrpc":"2.0","id":%s,"method":"%s","params":{%s%s}}\n' "$1" "$2" "$3" "$meta"; }
requests() {
    request 1 server/discover
    request 2 tools/list
    request 3 tools/call '"name":"add","arguments":{"a":2,"b":40},'
    request 4 tools/call '"name":"add","arguments":{"a":"two"},'
}
titles='1. The client asks what this server is, and which protocol versions it speaks.
2. Which tools are there? The table in hello.c has become a JSON Schema.
3. A call: 2 + 40.
4. A call with mistakes. The handler never sees it; the model is told what to mend.'
in=$(requests) || exit 1
out=$(requests | "$1") || { echo "$1 failed" >&2; exit 1; }
n=1
while [ $n -le 4 ]; do
    echo "$titles" | sed -n "${n}p"
    echo "$in" | sed -n "${n}p" | fold -w 92 | sed 's/^/    > /'
    echo "$out" | sed -n "${n}p" | fold -w 92 | sed 's/^/    < /'
    echo
    n=$((n + 1))
done
echo "Now point an MCP client at $(pwd)/$1 (stdio, no arguments), or read examples/hello.c."
