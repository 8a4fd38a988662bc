#!/bin/sh
# run.sh SHARED - the figures of mcp.h as one table: ratios within one run, each with its goal
#
# FAIL is a missed gate: a figure that repeats (instructions, bytes, counts) and misses its goal.
# MISSED is a ratio of times that does, which other load on the machine may cause. Data is
# SHARED/data/json, and the prototype that the goals come from is SHARED/design/json_proto.h;
# everything built goes to build/bench. Installs what it needs (Debian, as root).
set -eu
SHARED=${1:?"the directory that holds data/json and design"}
DATA=$SHARED/data/json OUT=build/bench BENCH=tests/bench
FLAGS="-O2 -Wall -Wextra -Wpedantic -Wshadow -I. -I$BENCH"
C="gcc -std=c99 -D_GNU_SOURCE $FLAGS"

sh tests/need.sh gcc=gcc g++=g++ musl-gcc=musl-tools valgrind=valgrind \
    /usr/include/valgrind/callgrind.h=valgrind /usr/include/simdjson.h=libsimdjson-dev \
    /usr/include/rapidjson/reader.h=rapidjson-dev /usr/include/cjson/cJSON.h=libcjson-dev \
    /usr/include/fast_float/fast_float.h=libfast-float-dev /usr/sbin/nginx=nginx
for file in call_small.json stream_4000.ndjson twitter.json; do
    [ -s "$DATA/$file" ] || { echo "missing: $DATA/$file (give SHARED=)" >&2; exit 1; }
done
PROTO=$SHARED/design
[ -s "$PROTO/json_proto.h" ] || { echo "missing: $PROTO/json_proto.h (give SHARED=)" >&2; exit 1; }
rm -rf "$OUT"
mkdir -p "$OUT/counts"

# ---- building ----
# shellcheck disable=SC2086 # flags are words

g++ -std=c++17 $FLAGS -c $BENCH/peers.cpp -o $OUT/peers.o &
$C -c $BENCH/mine.c -o $OUT/mine.o
wait $!
$C -mavx2 -O3 -c $BENCH/mine.c -o $OUT/mine_avx2.o &
$C -DMCP__SIMD=1 -c $BENCH/mine.c -o $OUT/mine_portable.o
wait $!
$C -isystem "$PROTO" -c $BENCH/proto.c -o $OUT/proto.o
$C -isystem "$PROTO" -mavx2 -O3 -c $BENCH/proto.c -o $OUT/proto_avx2.o
cp $OUT/proto.o $OUT/proto_portable.o
$C -c $BENCH/time.c -o $OUT/time.o
for kind in "" _avx2 _portable; do
    g++ -o $OUT/time$kind $OUT/time.o $OUT/mine$kind.o $OUT/proto$kind.o $OUT/peers.o \
        -lcjson -lsimdjson -lm
done
$C $BENCH/count.c $OUT/mine.o -o $OUT/count -lm
$C $BENCH/serve.c -o $OUT/serve -lm
$C $BENCH/offer.c -o $OUT/offer -lm
$C $BENCH/echo.c -o $OUT/echo
$C examples/hello.c -o $OUT/hello
musl-gcc -std=c99 -Os -static -s -I. examples/hello.c -o $OUT/hello_small
musl-gcc -std=c99 -Os -static -s -I. -DMCP_TOOLS_ONLY -DMCP_NO_HTTP -DMCP_NO_CLIENT -DNDEBUG \
    -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables \
    -Wl,--gc-sections,-z,noseparate-code examples/hello.c \
    -o $OUT/hello_smallest
$C -Itests tests/alloc.c -o $OUT/alloc
$C tests/http/web.c -o $OUT/web
$C $BENCH/http.c -o $OUT/http
mkdir -p $OUT/nginx
SDK=$OUT/sdk # the peer comes by Go's own client, if there is one that is new enough
(cd $BENCH/sdk && go build -o "../../../$SDK" .) >$OUT/sdk.log 2>&1 || SDK=-

# ---- measuring: each prints rows, see table.awk ----

# row NUMBER WHAT VALUE UNIT SENSE GOAL KIND [NOTES]
row() {
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "$5" "$6" "$7" "${8-}"
}

# Instructions a byte. The goals of R2 are 1.15 times yyjson's on text and 1.3 times on numbers, and
# two figures of their own; yyjson's are JSON.md's, section 3.3.
instructions() {
    valgrind -q --tool=callgrind --collect-atstart=no --callgrind-out-file=$OUT/counts/out \
        $OUT/count "$DATA" >&2 || return 1
    awk '
        BEGIN {
            split("call_small 13.5 tools_list 9 str_code_1m 7.82 str_escapes_1m 13 " \
                  "str_plain_1m 4.83 image_64k 4.83 num_int 26.52 num_double17 21.19 " \
                  "num_double_short 34.19 uni_cjk 7.02 uni_mixed 9.55 uni_cjk_escaped 13.57 " \
                  "twitter 7.59 canada 23.01 citm_catalog 8.17", word, " ")
            for (i = 1; i in word; i += 2) pull[word[i]] = word[i + 1]
            check["call_small"] = 6
            check["tools_list"] = 4
        }
        sub(/^desc: Trigger: Client Request: /, "") {
            size = $1
            name = $2
            what = substr($0, length(size name) + 3)
        }
        /^totals:/ { cost[what, name] = $2 / size }
        function say(what, number, goal, kind) {
            for (name in goal) {
                if (!((what, name) in cost)) exit 1
                printf "%s\t%s %s\t%.2f\tinstr/byte\t<\t%s\t%s\n", number, what, name,
                    cost[what, name], goal[name], kind
            }
        }
        END {
            say("pull", "R2", pull, "g")
            say("check", "R3", check, "g")
            say("check + walk", "R9", check, "i")
        }
    ' $OUT/counts/out.* >$OUT/counts/rows || return 1
    sort $OUT/counts/rows
}

# What a call costs hello, from what more calls cost more.
META='"io.modelcontextprotocol/protocolVersion":"2026-07-28"'
META="$META"',"io.modelcontextprotocol/clientCapabilities":{}'
CALL='{"jsonrpc":"2.0","id":42,"method":"tools/call","params":{"_meta":{'$META'},"name":"add",'
CALL="$CALL"'"arguments":{"a":1,"b":2.5}}}'
call_cost() {
    for n in 200 1200; do
        yes "$CALL" | head -n $n >$OUT/calls
        valgrind --tool=callgrind --callgrind-out-file=$OUT/counts/calls $OUT/hello \
            <$OUT/calls 2>&1 >/dev/null | awk '/Collected/ { print $4 }'
    done | awk '{ n[NR] = $1 } END { print int((n[2] - n[1]) / 1000) }'
}

# Conformance has a target of its own; here its verdict by every way of scanning is one row.
suite() {
    bad=0
    for simd in 0 1 2 3; do
        [ $simd != 3 ] || grep -qw avx2 /proc/cpuinfo || continue
        avx2=; [ $simd != 3 ] || avx2=-mavx2
        gcc -std=c99 -O1 $avx2 -DMCP__SIMD=$simd -I. -Itests tests/json_suite.c \
            -o $OUT/json_suite
        $OUT/json_suite "$SHARED/data" >&2 || bad=$((bad + 1))
    done
    row C1 "JSON collections, by each SIMD level" $bad "levels fail" "<" 0 g
}

# races KIND PROGRAM: each race in three processes, whose memory lies elsewhere each time, which
# alone makes up to a fifth; the row in the middle counts.
races() {
    for run in 1 2 3; do "$OUT/$2" "$1" "$DATA" || return 1; done >$OUT/races
    awk -F '\t' '
        { key = $1 FS $2; row[key, ++n[key]] = $0; value[key, n[key]] = $3 + 0 }
        n[key] == 1 { order[++rows] = key }
        END {
            for (i = 1; i <= rows; i++) {
                key = order[i]
                if (n[key] != 3) exit 1
                a = value[key, 1]; b = value[key, 2]; c = value[key, 3]
                print row[key, (a <= b) == (b <= c) ? 2 : (b <= a) == (a <= c) ? 1 : 3]
            }
        }' $OUT/races
}

measure() { # whose caller asks how it went, so that set -e is off in here
    races baseline time || return 1
    if grep -qw avx2 /proc/cpuinfo; then races avx2 time_avx2 || return 1; fi
    races portable time_portable || return 1
    instructions || return 1
    if $OUT/alloc >$OUT/alloc.txt; then row R7 "kinds of request that allocate" 0 "" "<" 0 g
    else row R7 "kinds of request that allocate" "$(grep -c 'by a thousand' $OUT/alloc.txt)" \
        "" "<" 0 g "tests/alloc.c says which"; fi
    suite
    $OUT/serve $OUT/hello $OUT/echo || return 1
    $OUT/offer $OUT || return 1
    $OUT/http $OUT/web "$PWD/$OUT/nginx" "$SDK" || return 1
    row calls "instructions a call" "$(call_cost)" "" "<" 0 i
    row size "hello: -Os, static, musl, stripped" "$(wc -c <$OUT/hello_small)" bytes "<" 0 i
    row size "and tools only, NDEBUG, no dead code" "$(wc -c <$OUT/hello_smallest)" bytes "<" \
        98304 g
}

measure >$OUT/rows || { cat $OUT/rows; echo "the benchmark itself failed" >&2; exit 1; }
for number in R1 R2 R3 R4 R5 R6 R7 R8 R9 W1 W2 B1 U1 D1 S1 C1 start calls tools touch large rss \
    http size; do
    grep "^$number	" $OUT/rows || { echo "no row $number" >&2; exit 1; }
done >$OUT/sorted
awk -f $BENCH/table.awk $OUT/sorted
