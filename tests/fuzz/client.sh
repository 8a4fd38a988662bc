#!/bin/sh
# client.sh DIR - what servers answer, over lines and HTTP, for the corpus of client.c
set -eu
dir=$1
found='"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"logging":{}}'
tool='{"name":"x","inputSchema":{"type":"object","properties":{"a":{"type":"integer","x-mcp-header":"A"}}},"outputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}'
ask='{"q":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","default":"b","enum":["b","c"]}}}}},"s":{"method":"sampling/createMessage","params":{}},"r":{"method":"roots/list"}}'
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":{%s}}\n' "$1" "$2"; }
lines() { # the probe is 2, the first request 1
    answer 2 "$1"
    answer 1 "\"tools\":[$tool],\"ttlMs\":1000"
    answer 3 "$2"
    for id in 4 5 6 7 8 9; do answer $id "$3"; done
}
lines "$found" '"resultType":"input_required","inputRequests":'"$ask"',"requestState":"s"' \
    '"resultType":"complete","content":[],"structuredContent":{"n":1}' >"$dir/modern"
lines "$found" '"resultType":"task","taskId":"t","status":"working"' \
    '"taskId":"t","status":"input_required","inputRequests":'"$ask" >"$dir/task"
{
    printf '{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no"}}\n'
    answer 3 '"protocolVersion":"2025-11-25","capabilities":{"logging":{}}'
    answer 1 "\"tools\":[$tool],\"nextCursor\":\"c\""
    printf '{"jsonrpc":"2.0","id":"a","method":"elicitation/create","params":{"message":"m"}}\n'
    printf '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":4}}\n'
    for id in 4 5 6 7 8 9; do answer $id '"content":[]'; done
} >"$dir/older"
for name in modern task older; do
    while read -r line; do
        printf 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s' \
            ${#line} "$line"
        printf 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n'
        printf 'Transfer-Encoding: chunked\r\n\r\n%x\r\n' $((${#line} + 14))
        printf 'id: 1\ndata: %s\n\n\r\n0\r\n\r\n' "$line"
    done <"$dir/$name" >"$dir/http_$name"
    for how in 0 2 4 6; do # a byte that picks no failure, and each version
        { cat "$dir/http_$name"; printf "\\$(printf %o $((how + 16)))"; } >"$dir/http_$name$how"
        { cat "$dir/$name"; printf "\\$(printf %o $((how + 17)))"; } >"$dir/$name$how"
    done
    rm "$dir/http_$name" "$dir/$name"
done
