#!/bin/sh
# run.sh [TARGET...] - builds the fuzz targets and runs each for $SECONDS_EACH; N passed, N failed
#   The corpus starts from the transcripts and is kept in build/fuzz; so is an input that fails.
set -u
OUT=build/fuzz SECONDS_EACH=${SECONDS_EACH:-60} JOBS=${JOBS:-2}
CC="clang -std=c99 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all"
CC="$CC -I. -Itests"
[ $# -gt 0 ] || set -- feed http reader roundtrip text traceparent tables uri state client
mkdir -p $OUT/corpus $OUT/transcripts

CC=cc OUT=build/test sh tests/suite.sh transcripts >/dev/null # the runner knows the transcripts
build/test/transcripts --split $OUT/corpus tests/transcripts/*.jsonl >/dev/null || exit 1
rm -f $OUT/corpus/*.out
sh tests/fuzz/http.sh $OUT/corpus || exit 1

build() {
    sources=
    [ "$1" = feed ] && sources="$OUT/tools.o $OUT/fixture.o $OUT/offers.o $OUT/conformance.o \
        $OUT/implementation.o"
    $CC -D'SERVERS(X)=X(tools) X(fixture) X(offers) X(conformance)' tests/fuzz/"$1".c $sources -o $OUT/"$1" 2>$OUT/"$1".log ||
        cat $OUT/"$1".log
}
served() { $CC -include tests/capture.h -DSERVER="$2" -c "$1" -o $OUT/"$2".o; }
served examples/tools.c tools && served tests/servers/fixture.c fixture &&
    served tests/servers/offers.c offers && served tests/servers/conformance.c conformance &&
    $CC -c tests/compile/implementation.c -o $OUT/implementation.o || exit 1

fuzz() {
    mkdir -p $OUT/"$1".corpus
    [ "$1" = client ] && sh tests/fuzz/client.sh $OUT/client.corpus
    $OUT/"$1" -max_total_time="$SECONDS_EACH" -timeout=20 -rss_limit_mb=2000 -max_len=4096 \
        -dict=tests/fuzz/mcp.dict -artifact_prefix=$OUT/"$1"- -print_final_stats=1 -verbosity=1 \
        $OUT/"$1".corpus $OUT/corpus >$OUT/"$1".log 2>&1
    echo $? >$OUT/"$1".status
}
started=0
for target in "$@"; do
    rm -f $OUT/"$target" $OUT/"$target".status
    { build "$target" && [ -f $OUT/"$target" ] && fuzz "$target"; } &
    started=$((started + 1))
    [ $((started % JOBS)) -eq 0 ] && wait
done
wait

passed=0 failed=0
for target in "$@"; do
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' $OUT/"$target".log)
    if [ "$(cat $OUT/"$target".status 2>/dev/null)" = 0 ]; then
        passed=$((passed + 1))
        echo "  fuzz $target: $runs inputs in $SECONDS_EACH s"
    else
        failed=$((failed + 1))
        grep -E 'must be|ERROR|runtime error|SUMMARY|mcp\.h' $OUT/"$target".log | head -n 20
        echo "  fuzz $target: FAILED, see $OUT/$target-*"
    fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
