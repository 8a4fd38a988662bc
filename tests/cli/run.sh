#!/bin/sh
# run.sh BIN SCRATCH - the command-line client against our servers, all of them in BIN: what
# it prints and how it ends, over stdio and HTTP, in every version. SCRATCH holds what it saves.
# Ends with N passed, N failed.
set -u
bin=$1 scratch=$2 passed=0 failed=0 here=$(cd "$(dirname "$0")" && pwd)
unset COLUMNS NO_COLOR MCP_REQUEST
TERM=xterm
export TERM
rm -rf "$scratch"
mkdir -p "$scratch/notes"
bin=$(cd "$bin" && pwd) mcp=$bin/mcp
cd "$scratch" || exit 1

# expect STATUS ARGUMENT...: so ends mcp with these arguments and standard input closed; standard
# input here says what it prints, stdout first, then stderr behind "! "
expect() {
    want=$1
    shift
    cat >want
    echo "= $want" >>want
    "$mcp" "$@" >out 2>err </dev/null
    status=$?
    judge "mcp $*"
}
judge() { # compares with out, err and $status
    { cat out; sed 's/^/! /' err; echo "= $status"; } >got
    if cmp -s want got; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "cli: $1 (< expected, > got):"
        diff want got | head -n 12
    fi
}

# typed STATUS PAIRS -- ARGUMENT...: the same on a terminal of 60 columns, where PAIRS are typed
typed() {
    want=$1
    shift
    cat >want
    echo "= $want" >>want
    "$bin/pty" 60 "$@" >out 2>err </dev/null
    status=$?
    judge "pty $*"
}

# ---- what a server offers ----

expect 0 tools -- "$bin/weather" <<'END'
forecast  city [days] [units]  Daily highs for a city.
END
expect 0 tools forecast -- "$bin/weather" <<'END'
forecast
  Daily highs for a city.

Arguments
  city   string; required                                       city name
  days   integer; default 3                                     how far ahead
  units  one of celsius (°C), fahrenheit (°F); default celsius  temperature scale

Result
  city   string; required
  units  one of celsius, fahrenheit; required
  highs  array of number; required

Hints
  readOnlyHint  true
END
expect 0 resources -q -- "$bin/fixture" <<'END'
test://static/hello    text/plain                 hello
test://static/bin      application/octet-stream   bin
ui://fixture/app.html  text/html;profile=mcp-app  app
END
expect 0 templates -q -- "$bin/fixture" <<'END'
test://item/{id}    text/plain  item
test://café/{name}  text/plain  cafe
END
expect 0 prompts -q -- "$bin/fixture" <<'END'
greet  who  A greeting.
END
expect 0 prompts greet -q -- "$bin/fixture" <<'END'
greet
  A greeting.

Arguments
  who  required  whom to greet
END
expect 3 resources -- "$bin/hello" <<'END'
! mcp: Method not found (error -32601)
END

# ---- calling, and what is made of words ----

expect 0 call add a=2 b=40 -- "$bin/hello" <<'END'
42
END
expect 0 call add --json b:=40 a=2 -q -- "$bin/fixture" <<'END'
{"resultType":"complete","content":[{"type":"text","text":"{\"sum\":42}"}],"isError":false,"structuredContent":{"sum":42},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"fixture","version":"1.0.0"}}}
END
expect 0 call forecast city=Bern days=1 units=°F -- "$bin/weather" <<'END'
{"city":"Bern","units":"fahrenheit","highs":[70.7]}
END
expect 0 call big_int n=9223372036854775807 -q -- "$bin/fixture" <<'END'
{"n":9223372036854775807}
END
expect 0 call echo text=1 -q -- "$bin/fixture" <<'END'
1
END
expect 0 call echo -a '{"text":"a\nb"}' -q -- "$bin/fixture" <<'END'
a
b
END
expect 2 call forecast city=Bern units=kelvin -- "$bin/weather" <<'END'
! mcp: units=kelvin: it must be one of celsius (°C), fahrenheit (°F)
END
expect 2 call forecast city=Bern days=many -- "$bin/weather" <<'END'
! mcp: days=many: it must be integer
END
expect 2 call forecast day=3 -- "$bin/weather" <<'END'
! mcp: no argument is called day; did you mean days?
END
expect 2 call forecast -- "$bin/weather" <<'END'
! mcp: forecast needs city: string
END
expect 2 call forecast city=A city=B -- "$bin/weather" <<'END'
! mcp: city is given twice
END
expect 2 call forecast Bern -- "$bin/weather" <<'END'
! mcp: Bern is not NAME=VALUE
END
expect 2 call forecast city:=Bern -- "$bin/weather" <<'END'
! mcp: city:=Bern: it must be JSON
END
expect 2 call forcast city=Bern -- "$bin/weather" <<'END'
! mcp: no tool is called forcast; did you mean forecast?
END
expect 2 call forecast -a '{"city":}' -- "$bin/weather" <<'END'
! mcp: --args is not a JSON object (byte 8)
END
expect 2 call forecast -a '{}' city=Bern -- "$bin/weather" <<'END'
! mcp: either --args or NAME=VALUE
END
expect 1 call forecast -a '{"days":99}' -- "$bin/weather" <<'END'
! Invalid arguments: city: missing; days: must be at most 10
END
expect 1 call fail -q -- "$bin/fixture" <<'END'
! boom
END
echo '{"text":"from standard input"}' >args
"$mcp" call echo --args - -q -- "$bin/fixture" <args >out 2>err
status=$?
printf 'from standard input\n= 0\n' >want
judge "call --args -"

# ---- files and bytes ----

expect 0 call blob -q -- "$bin/fixture" <<'END'
image/png, 3 bytes: ./blob.png
END
expect 0 call blob -q -o notes -- "$bin/fixture" <<'END'
image/png, 3 bytes: notes/blob.png
END
expect 0 call blob -q -- "$bin/fixture" <<'END'
image/png, 3 bytes: ./1-blob.png
END
printf '\000\377\020' >bytes
printf '= 0\n' >want
cmp blob.png bytes >out 2>err && cmp 1-blob.png bytes >>out 2>>err
status=$?
judge "the bytes of blob.png"
"$mcp" read test://static/bin -q -- "$bin/fixture" >raw 2>err
status=$?
cmp raw bytes >out
judge "read test://static/bin, byte for byte"
printf 'hello= 0\n' >want
"$mcp" read test://static/hello -q -- "$bin/fixture" >out 2>err
status=$?
judge "read test://static/hello, byte for byte"
expect 0 read -o notes test://static/bin -q -- "$bin/fixture" <<'END'
application/octet-stream, 3 bytes: notes/bin.bin
END
expect 4 call blob -q -o nowhere -- "$bin/fixture" <<'END'
! mcp: nowhere/blob.png cannot be written
END
expect 3 read test://nothing -q -- "$bin/fixture" <<'END'
! mcp: Resource not found: test://nothing (error -32602)
! mcp: {"uri":"test://nothing"}
END

# ---- prompts, completion, anything ----

expect 0 get greet who=7 -q -- "$bin/fixture" <<'END'
user
Greet 7.
END
expect 2 get greet -q -- "$bin/fixture" <<'END'
! mcp: greet needs who
END
expect 0 complete note://{id} id "" -- "$bin/notes" notes </dev/null
"$mcp" complete greet who n14 -q -- "$bin/fixture" >out 2>err
status=$?
sed -n 2p out >second && mv second out
printf 'n1\n! mcp: there are more: type a longer beginning\n= 0\n' >want
judge "complete greet who n14"
expect 3 request nothing -q -- "$bin/fixture" <<'END'
! mcp: Method not found (error -32601)
END
expect 0 request resources/read -a '{"uri":"test://item/7"}' --version 2025-06-18 -q \
    -- "$bin/fixture" <<'END'
{"contents":[{"uri":"test://item/7","mimeType":"text/plain","text":"7"}]}
END

# ---- questions: nobody there, answers on the command line, a terminal ----

expect 1 call deploy service=web -- "$bin/deploy" <<'END'
! Which region?
! mcp: declined: no terminal to ask on, no --answer that fits
! the user said no
END
expect 0 call deploy service=web -A region=Ohio -A sure=yes -- "$bin/deploy" <<'END'
web is live in us
! Which region?
! This replaces the running version. Continue?
END
expect 1 call deploy service=web -A region=mars -- "$bin/deploy" <<'END'
! Which region?
! mcp: region=mars: it must be one of eu (Frankfurt), us (Ohio)
! mcp: declined: no terminal to ask on, no --answer that fits
! the user said no
END
expect 0 call several -A 'many=a , c' -A titled=B -- "$bin/asks" <<'END'
picked
! Pick
END
expect 0 call form -A whole=3 -A titled=A -- "$bin/asks" <<'END'
whole: 3
! Fill it in
END
expect 1 call url -- "$bin/asks" <<'END'
! Sign in
! https://example.com/login
! mcp: declined: no terminal to ask on, no --answer that fits
! the user said no
END
said='echo "$MCP_REQUEST" | sed "s/.*\"text\":\"\([^\"]*\).*/You said \1/"'
expect 0 call model --sample "$said" -- "$bin/asks" <<'END'
You said Hello?
END
expect 0 call folders -r notes -r . -- "$bin/asks" <<'END'
2
END
typed 0 '): ' mars '): ' Ohio '): ' y -- "$mcp" call deploy service=web -- "$bin/deploy" <<'END'
Which region?
(/decline says no, /cancel stops)
where to deploy
region (one of eu (Frankfurt), us (Ohio)): mars
mcp: region=mars: it must be one of eu (Frankfurt), us (Ohio)
where to deploy
region (one of eu (Frankfurt), us (Ohio)): Ohio
This replaces the running version. Continue?
really?
sure (boolean): y
web is live in us
END
typed 1 '): ' /decline -- "$mcp" call deploy service=web -- "$bin/deploy" <<'END'
Which region?
(/decline says no, /cancel stops)
where to deploy
region (one of eu (Frankfurt), us (Ohio)): /decline
the user said no
END
"$bin/pty" 60 '): ' ^C -- "$mcp" call deploy service=web -- "$bin/deploy" >out 2>err
status=$?
: >out
printf '= 130\n' >want
judge "Ctrl-C instead of an answer"
typed 0 '] ' y -- "$mcp" call url -- "$bin/asks" <<'END'
Sign in
https://example.com/login
Have you been there? [y/N] y
in
END

# ---- terminals: what they may see, how wide they are, what Ctrl-C does ----

esc=$(printf '\033') bell=$(printf '\007')
typed 0 -- "$mcp" call echo "text=a$esc]0;b$bell" -q -- "$bin/fixture" <<'END'
a\u001b]0;b\u0007
END
printf '%s\n' "a$esc]0;b$bell" '= 0' >want
"$mcp" call echo "text=a$esc]0;b$bell" -q -- "$bin/fixture" >out 2>err
status=$?
judge "a pipe gets what was sent"
typed 0 -- env NO_COLOR=1 "$mcp" tools forecast -- "$bin/weather" <<'END'
forecast
  Daily highs for a city.

Arguments
  city   string; required                  city name
  days   integer; default 3                how far ahead
  units  one of celsius (°C), fahrenheit   temperature scale
         (°F); default celsius

Result
  city   string; required
  units  one of celsius, fahrenheit; required
  highs  array of number; required

Hints
  readOnlyHint  true
END
typed 0 -- "$mcp" tools -- "$bin/weather" <<END
$esc[1mforecast$esc[0m  city [days] [units]  Daily highs for a city.
END
typed 0 -- "$mcp" call add a=2 b=40 --json --era legacy -- "$bin/hello" <<'END'
{
  "content": [
    {
      "type": "text",
      "text": "42"
    }
  ],
  "isError": false
}
END
"$bin/pty" 60 '0% ' ^C -- "$mcp" call slow ms=9000 steps=90 -- "$bin/fixture" >got 2>err
status=$?
tr '\r' '\n' <got | sed -n 's/^.*\(\[#-*\] *[0-9]*%\).*/\1/p' | head -n 1 >out
printf '[#-----------------------]   1%%\n= 130\n' >want
judge "Ctrl-C, and progress"

# ---- endings, and words that mean nothing ----

"$mcp" call slow ms=9000 -t 0.2 -q -- "$bin/fixture" >out 2>err
status=$?
grep -c '^mcp: no answer within .*200' err >out && : >err
printf '1\n= 5\n' >want
judge "call slow -t 0.2"
expect 4 info -- ./nothing <<'END'
! mcp: ./nothing: No such file or directory
END
expect 4 info -- false <<'END'
! mcp: the server is gone: it ended with status 1
END
expect 2 tols -- "$bin/hello" <<'END'
! mcp: no command is called tols; did you mean tools?
END
expect 2 tools --jsn -- "$bin/hello" <<'END'
! mcp: no option is called jsn; did you mean json?
END
expect 2 tools <<'END'
! mcp: which server? end with -- PROGRAM, or with its URL
END
expect 2 call -- "$bin/hello" <<'END'
! mcp: usage: mcp call TOOL [NAME=VALUE...]
END
expect 2 tools --era middle -- "$bin/hello" <<'END'
! mcp: --era middle: it must be one of auto, modern, legacy
END
expect 2 tools -t soon -- "$bin/hello" <<'END'
! mcp: --timeout soon: it must be a number of seconds
END

# ---- every version, over stdio and HTTP ----

: >listening
"$bin/fixture" --http -1 2>listening </dev/null &
server=$!
for i in 1 2 3 4 5 6 7 8 9 10; do
    url=$(sed -n 's/.*listening on \(http.*\)/\1/p' listening)
    [ "$url" ] && break
    sleep 0.2
done
for way in stdio http; do # each message as it leaves and comes
    [ $way = stdio ] && set -- -- "$bin/fixture"
    [ $way = http ] && set -- "$url"
    "$mcp" call echo text=hi --trace -q "$@" >out 2>err
    status=$?
    sed 's/"jsonrpc":"2.0",//; s/,"params".*//; s/"result":.*/R/' err >two && mv two err
    cat >want <<'END'
hi
! > {"id":2,"method":"server/discover"
! < {"id":2,R
! > {"id":1,"method":"tools/list"
! < {"id":1,R
! > {"id":3,"method":"tools/call"
! < {"id":3,R
= 0
END
    judge "--trace, $way"
done
for version in 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28 legacy modern auto; do
    case $version in
        legacy) flag=--era is=2025-11-25 ;; modern | auto) flag=--era is=2026-07-28 ;;
        *) flag=--version is=$version ;;
    esac
    for way in stdio http; do
        [ $way = stdio ] && set -- -q -- "$bin/fixture"
        [ $way = http ] && set -- -H 'X-Test: 1' "$url"
        "$mcp" info $flag $version "$@" >out 2>err
        status=$?
        sed -n 's/^  protocol  */protocol /p; /^fixture/p' out >two && mv two out
        printf 'fixture 1.0.0\nprotocol %s\n= 0\n' $is >want
        judge "info $flag $version, $way"
        expect 0 call add a=-1 b=43 $flag $version "$@" <<'END'
{"sum":42}
END
        "$mcp" read test://item/%C3%A9 $flag $version "$@" >out 2>err
        status=$?
        printf '\303\251= 0\n' >want
        judge "read test://item/%C3%A9 $flag $version, $way"
        expect 0 get greet who=Ada $flag $version "$@" <<'END'
user
Greet Ada.
END
        expect 0 call log -l error $flag $version "$@" <<'END'
ok
! error: an error message
END
    done
done
"$mcp" listen -t 1 test://static/hello "$url" >out 2>err
status=$?
printf '= 0\n' >want
judge "listen, for a second"
kill $server
"$mcp" info "$url" >out 2>err
status=$?
grep -c '^mcp: ' err >out && : >err
printf '1\n= 4\n' >want
judge "info of a server that is gone"

# ---- help, completion, manual ----

for shell in bash zsh fish; do
    "$mcp" completion $shell >script 2>err
    status=$?
    for word in tools complete timeout; do grep -o "\b$word\b" script | head -n 1; done >out
    printf 'tools\ncomplete\ntimeout\n= 0\n' >want
    judge "completion $shell"
done

manual=$here/../../examples/mcp.1
"$mcp" help >help 2>err
for word in $(sed -n '/^Commands/,$s/^  \([a-z][a-z]*\) .*/\1/p' help) \
    $(sed -n 's/^  .*--\([a-z]*\).*/\1/p' help); do
    grep -q -e "^.It Cm $word\b" -e "^.It .*\\\\&-$word\b" "$manual" || echo "$word"
done >out
[ "$(wc -l <help)" -gt 30 ]
status=$?
printf '= 0\n' >want
judge "what the manual lacks"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
