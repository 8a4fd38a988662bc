#!/bin/sh
# http.sh FOLDER - seeds for the fuzz target http: requests of every kind, alone and together
set -eu
OUT=$1
mkdir -p "$OUT"
rm -f "$OUT"/http*
JSON='Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n'
NEW='MCP-Protocol-Version: 2026-07-28\r\n'
META='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",'
META="$META"'"io.modelcontextprotocol/clientCapabilities":{},'
META="$META"'"io.modelcontextprotocol/logLevel":"debug","progressToken":1}'
ID='mcp-0102030405060708090a0b0c0d0e0f10'
INIT='{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"VERSION",'
INIT="$INIT"'"capabilities":{},"clientInfo":{"name":"f","version":"1"}}}'

# request METHOD TARGET HEADERS BODY
request() {
    head="$1 $2 HTTP/1.1\r\nHost: localhost\r\n$3"
    [ -z "$4" ] || head="${head}Content-Length: ${#4}\r\n"
    # shellcheck disable=SC2059 # escapes are meant
    printf "$head\r\n"
    printf '%s' "$4"
}
chunked() { # the same, its body in two chunks
    # shellcheck disable=SC2059
    printf "$1 $2 HTTP/1.1\r\nHost: [::1]:80\r\n$3Transfer-Encoding: chunked\r\n\r\n"
    rest=${4#?????????}
    printf '9\r\n%s\r\n%x;a=b\r\n%s\r\n0\r\nX: y\r\n\r\n' "${4%"$rest"}" ${#rest} "$rest"
}
call() { # NAME ARGUMENTS [HEADERS]: a modern call
    body='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"'$1'","arguments":'$2
    request POST /mcp "$JSON${NEW}Mcp-Method: tools/call\r\nMcp-Name: $1\r\n${3-}" "$body,$META}}"
}
modern() { # METHOD MEMBERS [HEADERS]
    request POST /mcp "$JSON${NEW}Mcp-Method: $1\r\n${3-}" \
        '{"jsonrpc":"2.0","id":2,"method":"'"$1"'","params":{'"$2$META}}"
}
old() { request POST "${2-/mcp}" "${JSON}Mcp-Session-Id: $ID\r\nMCP-Protocol-Version: 2025-11-25\r\n" "$1"; }
begin() { request POST /mcp "$JSON" "$(printf %s "$INIT" | sed "s/VERSION/$1/")"; }
next() { printf '\377\377'; }
seed() { # the last byte: how it is cut
    n=$(find "$OUT" -name 'http*' | wc -l)
    # shellcheck disable=SC2059
    { cat; printf "\\$(printf %o $((n * 7)))"; } >"$OUT/http$n"
}

call echo '{"text":"hi"}' 'Mcp-Param-Text: hi\r\n' | seed
{ call echo '{"text":"hi"}' 'Mcp-Param-Text: hi\r\n'; call boom '{}'; call told '{}'; call large '{}'
  modern tools/list ''; modern server/discover ''; } | seed
{ call told '{}'; call late '{}'; call boom '{}'; next; call touch '{}'; } | seed
{ modern subscriptions/listen '"notifications":{"resourceSubscriptions":["test://hello"],"resourcesListChanged":true},'
  next; call touch '{}'; call late '{}'; } | seed
modern resources/read '"uri":"test://item/7",' 'Mcp-Name: test://item/7\r\n' | seed
for version in 2025-11-25 2025-06-18 2025-03-26 2024-11-05; do
    { begin $version; old '{"jsonrpc":"2.0","method":"notifications/initialized"}'
      old '{"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"test://hello"}}'
      next; request GET /mcp "Accept: text/event-stream\r\nMcp-Session-Id: $ID\r\n" ''
      next; old '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"touch"}}'
      old '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"late","_meta":{"progressToken":9}}}'
      next; request DELETE /mcp "Mcp-Session-Id: $ID\r\n" ''; } | seed
done
{ begin 2025-03-26; old '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"late"}}]'
  next; request GET /mcp "Accept: text/event-stream\r\nMcp-Session-Id: $ID\r\nLast-Event-ID: 1-0\r\n" ''; } | seed
{ request GET /sse 'Accept: text/event-stream\r\n' ''; next
  old "$(printf %s "$INIT" | sed s/VERSION/2024-11-05/)" "/messages?sessionId=$ID"
  old '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"told"}}' "/messages?sessionId=$ID"
} | seed
{ request GET /mcp '' ''; request HEAD /mcp '' ''; request OPTIONS /mcp 'Origin: https://a.example\r\nAccess-Control-Request-Method: POST\r\n' ''
  request GET /.well-known/oauth-protected-resource/mcp '' ''; request GET /nowhere '' ''
  request POST /mcp "${JSON}Authorization: no\r\n" '{}'; request POST /mcp 'Authorization: less\r\n' '{}'
  request POST /mcp 'Content-Type: text/plain\r\n' '{}'; request POST /mcp 'Origin: https://evil\r\n' '{}'; } | seed
{ chunked POST /mcp "$JSON" '{"jsonrpc":"2.0","id":1,"method":"ping"}'
  chunked POST /mcp "${JSON}Expect: 100-continue\r\n" '{"jsonrpc":"2.0","id":1,"method":"ping"}'; } | seed
{ request GET '/every/7?real=1.5&text=a+b%%26&flag=null&list=1&list=2&any=[1]' '' ''
  request GET /openapi.json 'If-None-Match: *\r\n' ''; request HEAD /large '' ''; request OPTIONS /every/1 '' ''
  request DELETE /large '' ''; request GET /every/x 'Accept: text/html\r\n' ''; } | seed
{ request POST '/every/7/x?list=3' "$JSON" '{"text":"b","flag":true}'; request PUT /a/b '' ''
  request POST /every/7/x 'Content-Type: application/x-www-form-urlencoded\r\n' 'text=c&list=1&list=2&whole=3'; } | seed
printf 'POST /mcp HTTP/1.0\r\nConnection: keep-alive\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n{"jsonrpc":"2.0","id":1,"method":"ping"}' | seed
printf 'GET /mcp HTTP/1.1\nHost: x\n\n' | seed
