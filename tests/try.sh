#!/bin/sh
# try.sh PROGRAM - a real exchange with examples/hello.c, as clients have it over a pipe
#   What is printed is what went through the pipe: lines are broken to fit, and _meta, which says
#   the same each time, is {...} from its second time on.
set -u
meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
request() { printf '{"jsonrpc":"2.0","id":%s,"method":"%s","params":{%s}}\n' "$1" "$2" "$3"; }
call() { request "$1" tools/call "\"name\":\"add\",\"arguments\":{$2}$3"; }
script() {
    echo '# 1. A client asks what this server is, and which protocol versions it speaks.'
    request 1 server/discover "$meta"
    echo '# 2. Which tools are there? The table in hello.c has become a JSON Schema.'
    request 2 tools/list "$meta"
    echo '# 3. A call: 2 + 40.'
    call 3 '"a":2,"b":40' ",$meta"
    echo '# 4. A call with mistakes. The handler never sees it; the model is told what to mend.'
    call 4 '"a":"two"' ",$meta"
    echo '# 5. An older client on the same pipe: it shakes hands first, and is answered as it expects.'
    request 5 initialize \
        '"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"old","version":"1"}'
    echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
    call 6 '"a":2,"b":40' ''
}

answers=$(script | grep -v '^#' | "$1") || { echo "$1 failed" >&2; exit 1; }
{ printf '%s\n\n' "$answers"; script; } | awk '
    function member(s,   i, c, deep, quoted) {   # the first of s, with the comma behind it
        for (i = 1; (c = substr(s, i, 1)) != ""; i++) {
            if (c == "\\") i++
            else if (c == "\"") quoted = !quoted
            else if (quoted) continue
            else if (c ~ /[[{]/) deep++
            else if (c ~ /[]}]/) deep--
            else if (c == "," && !deep) break
        }
        return substr(s, 1, i)
    }
    function lay(s, margin,   inside, end, part) {   # a line breaks where s does not fit
        if (length(line s) > 80 && line != margin) { print line; line = margin }
        if (length(line s) <= 80 || !match(s, /^("[^"]*":)?[[{]/)) { line = line s; return }
        line = line substr(s, 1, RLENGTH)
        end = length(s) - (s ~ /,$/)
        inside = substr(s, RLENGTH + 1, end - RLENGTH - 1)
        for (; inside != ""; inside = substr(inside, length(part) + 1))
            lay(part = member(inside), margin "  ")
        line = line substr(s, end)
    }
    function tell(arrow, s) {
        if (told[arrow]++) sub(/"_meta":[{]"io.*/, "\"_meta\":{...}}}", s)
        line = "  " arrow " "
        lay(s, line)
        print line
    }
    !asking && /^$/ { asking = 1; next }
    !asking { answer[++answers] = $0; next }
    /^#/ { print (title++ ? "\n" : "") substr($0, 3); next }
    { tell(">", $0) }
    /"id":/ { asked++; tell("<", asked in answer ? answer[asked] : "nothing") }
    END { exit asked != answers }' || { echo "$1: not every request has one answer" >&2; exit 1; }

echo
echo "Now point an MCP client at $(pwd)/$1 (stdio, no arguments), or read examples/hello.c."
