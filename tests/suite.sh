#!/bin/sh
# suite.sh [NAME...] - builds the test suite and runs it; its last line is N passed, N failed
#
#   NAME  a unit test (json: tests/json.c), a sweep over the transcripts (transcripts chop oom io
#         guard parity), stdio (the transcripts through real processes), cli (the command-line
#         client) or compile; default: all
#
# From the environment: CC, CFLAGS (default: cc -std=c99 -O2), LINK (default: $CC), LIBS; OUT, where
# to build (build/test); RUN, what runs a program (wine); EXE, how a program's name ends (.exe);
# CUTS, at how many places chop cuts one transcript (1500); JOBS, programs at once (2).
set -u
CC=${CC:-cc} CFLAGS=${CFLAGS--std=c99 -O2} OUT=${OUT:-build/test} RUN=${RUN:-} EXE=${EXE:-}
LINK=${LINK:-$CC} LIBS=${LIBS:-} CUTS=${CUTS:-1500} JOBS=${JOBS:-2}
SWEEPS="transcripts chop oom io guard parity"
own_loop=embed; case $CC in *++*) own_loop="embed cxx" ;; esac
units= ; servers= ; started=0 ; total_passed=0 ; total_failed=0 ; total_skipped=0

name() { basename "$1" | sed 's/\.[a-z]*$//'; }
for file in tests/*.c; do
    case " $SWEEPS json_suite " in
        *" $(name "$file") "*) ;;
        *) units="$units $(name "$file")" ;;
    esac
done
for file in examples/*.c tests/servers/*.c; do
    case $file in # they have a loop of their own, or are no servers
        */client.c | */embed.c | */inline.c | */mcp.c | */mount.c | */preview.c) ;;
        *) servers="$servers $(name "$file")" ;;
    esac
done
[ $# -gt 0 ] || set -- $units $SWEEPS stdio cli compile
wanted() { case " $* " in *" $what "*) return 0 ;; esac; return 1; }

# ---- building ----

flags="$CC $CFLAGS $LINK $LIBS"
[ "$(cat "$OUT/flags" 2>/dev/null)" = "$flags" ] || rm -rf "${OUT:?}"
mkdir -p "$OUT/stdio" "$OUT/bin"
rm -rf "$OUT/empty"
mkdir "$OUT/empty" # where programs run: some of the examples serve what is around them
echo "$flags" >"$OUT/flags"

# build TARGET SOURCES COMMAND...: in the background, if TARGET is older than what it is made of
build() {
    target=$1 source=$2
    shift 2
    [ ! -f "$target" ] || [ "$(find mcp.h */*.h $source -newer "$target")" ] || return
    rm -f "$target"
    { "$@" -o "$target" >"$target.log" 2>&1 || { head -n 20 "$target.log"; rm -f "$target"; }; } &
    started=$((started + 1))
    [ $((started % JOBS)) -eq 0 ] && wait
}
source_of() { for f in "examples/$1.c" "tests/servers/$1.c"; do [ -f "$f" ] && echo "$f"; done; }
list= objects=
for s in $servers; do list="$list X($s)" objects="$objects $OUT/served_$s.o"; done

needs_servers= shared=
for what in $SWEEPS stdio cli spawn; do wanted "$@" && needs_servers=yes; done
for what in $units; do
    wanted "$@" || continue
    if grep -q MCP_IMPLEMENTATION "tests/$what.c"; then # private functions are tested
        build "$OUT/$what$EXE" "tests/$what.c" $CC $CFLAGS -I. -Itests "tests/$what.c" $LIBS
        continue
    fi
    [ "$shared" ] || build "$OUT/unit.o" tests/compile/unit.c \
        $CC $CFLAGS -I. -c tests/compile/unit.c
    source="tests/$what.c"
    case $what in example_*) source="$source examples/${what#example_}.c" ;; esac
    build "$OUT/$what.o" "$source" $CC $CFLAGS -I. -Itests -c "tests/$what.c"
    shared="$shared $what"
done
if [ "$needs_servers" ]; then
    build "$OUT/implementation.o" mcp.h $CC $CFLAGS -I. -c tests/compile/implementation.c
    for s in $servers; do
        build "$OUT/served_$s.o" "$(source_of "$s")" $CC $CFLAGS -I. -include tests/capture.h \
            -DSERVER="$s" -c "$(source_of "$s")"
        build "$OUT/program_$s.o" "$(source_of "$s")" $CC $CFLAGS -I. -DMCP__IMPLEMENTED \
            -c "$(source_of "$s")"
    done
    for what in $SWEEPS; do
        build "$OUT/$what.o" "tests/$what.c" $CC $CFLAGS -I. -Itests -D"SERVERS(X)=$list" \
            -c "tests/$what.c"
    done
    for what in $own_loop; do
        f=$(ls examples/"$what".c*)
        build "$OUT/bin/$what$EXE" "$f" $CC $CFLAGS -I. "$f" $LIBS
    done
    build "$OUT/program_mcp.o" examples/mcp.c $CC $CFLAGS -I. -DMCP__IMPLEMENTED -c examples/mcp.c
    [ "$RUN$EXE" ] || build "$OUT/bin/pty" tests/cli/pty.c cc -std=c99 tests/cli/pty.c
    wait
    build "$OUT/bin/mcp$EXE" "$OUT/program_mcp.o" $LINK $CFLAGS "$OUT/program_mcp.o" \
        "$OUT/implementation.o" $LIBS
    for what in $SWEEPS; do
        build "$OUT/$what$EXE" "$OUT/$what.o" $LINK $CFLAGS "$OUT/$what.o" $objects \
            "$OUT/implementation.o" $LIBS
    done
    for s in $servers; do
        build "$OUT/bin/$s$EXE" "$OUT/program_$s.o" $LINK $CFLAGS "$OUT/program_$s.o" \
            "$OUT/implementation.o" $LIBS
    done
fi
wait
for what in $shared; do
    build "$OUT/$what$EXE" "$OUT/$what.o" $LINK $CFLAGS "$OUT/$what.o" "$OUT/unit.o" $LIBS
done
wait

# ---- running ----

# tell NAME PASSED FAILED SKIPPED
tell() {
    total_passed=$((total_passed + $2)) total_failed=$((total_failed + $3))
    total_skipped=$((total_skipped + $4))
    echo "  $1: $2 passed, $3 failed$([ "$4" -eq 0 ] || echo ", $4 skipped")"
}

# In the background, as many as there are compilers at once.
transcripts=$(pwd)/tests/transcripts
start() {
    what=$1
    shift
    rm -f "$OUT/$what.status"
    [ -f "$OUT/$what$EXE" ] || { echo "$what: not built" >"$OUT/$what.txt"; return; }
    {
        cd "$OUT/empty" && $RUN "../$what$EXE" "$@" >"../$what.txt" 2>"../$what.err"
        echo $? >"../$what.status"
    } </dev/null &
    started=$((started + 1))
    [ $((started % JOBS)) -eq 0 ] && wait
}

# A program tells with its last line; one that ends without it has failed.
report() {
    what=$1
    status=$(cat "$OUT/$what.status" 2>/dev/null || echo none)
    tr -d '\r' <"$OUT/$what.txt" >"$OUT/$what.out"
    last=$(tail -n 1 "$OUT/$what.out")
    set -- $(echo "$last" | tr -d , | awk '/^[0-9]+ passed [0-9]+ failed/ { print $1, $3, $5 + 0 }')
    if [ $# -lt 2 ] || { [ "$status" != 0 ] && [ "$2" -eq 0 ]; }; then
        tail -n 40 "$OUT/$what.out"
        [ "$status" = none ] || tail -n 40 "$OUT/$what.err"
        echo "$what: ended with status $status and: $last"
        set -- "${1:-0}" 1 0
    elif [ "$2" -gt 0 ]; then sed '$d' "$OUT/$what.out" | head -n 60; fi
    tell "$what" "$1" "$2" "${3:-0}"
}

# Every transcript that a pipe can repeat, through the real program; and those that are not captured
# must list their tools.
META='"io.modelcontextprotocol/protocolVersion":"2026-07-28"'
META="$META"',"io.modelcontextprotocol/clientCapabilities":{}'
stdio() {
    passed=0 failed=0
    rm -f "$OUT"/stdio/*
    (cd "$OUT/empty" && $RUN "../transcripts$EXE" --split ../stdio "$transcripts"/*.jsonl) \
        >"$OUT/stdio/all" ||
        { echo "stdio: the transcripts cannot be split"; tell stdio 0 1 0; return; }
    tr -d '\r' <"$OUT/stdio/all" >"$OUT/stdio/list"
    while read -r transcript server; do
        (cd "$OUT/empty" && $RUN "../bin/$server$EXE") <"$OUT/stdio/$transcript.in" \
            >"$OUT/stdio/got" 2>"$OUT/stdio/err"
        status=$?
        if cmp -s "$OUT/stdio/got" "$OUT/stdio/$transcript.out"; then passed=$((passed + 1)); else
            failed=$((failed + 1))
            echo "$transcript: $server over stdio (< expected, > got):"
            diff "$OUT/stdio/$transcript.out" "$OUT/stdio/got" | head -n 6
            echo "it ended with status $status and said:"
            tail -n 6 "$OUT/stdio/err"
        fi
    done <"$OUT/stdio/list"
    for program in $own_loop; do
        printf '{"jsonrpc":"2.0","id":%d,"method":"%s","params":{"_meta":{%s}}}\n' \
            1 server/discover "$META" 2 tools/list "$META" | $RUN "$OUT/bin/$program$EXE" \
            >"$OUT/stdio/got"
        if [ "$(grep -c '"result"' "$OUT/stdio/got")" -eq 2 ]; then passed=$((passed + 1)); else
            failed=$((failed + 1))
            echo "$program answers:"; cat "$OUT/stdio/got"
        fi
    done
    tell stdio $passed $failed 0
}

# The command-line client; where it cannot run, that it can be built.
cli() {
    if [ "$RUN$EXE" ]; then
        if [ -f "$OUT/bin/mcp$EXE" ]; then tell cli 1 0 0; else tell cli 0 1 0; fi
        return
    fi
    sh tests/cli/run.sh "$OUT/bin" "$OUT/cli" >"$OUT/cli.out" 2>&1
    sed '$d' "$OUT/cli.out" | head -n 60
    set -- $(tail -n 1 "$OUT/cli.out" | tr -d , |
        awk '/^[0-9]+ passed [0-9]+ failed$/ { print $1, $3 }')
    tell cli "${1:-0}" "${2:-1}" 0
}

# What an author may do with the header: two files, private copies, options; half a pair is refused.
compile() {
    passed=0 failed=0 programs="two_files bare implementation
two_copies static_a static_b
options options
no_http no_http
tools_only tools_only
system_first system_first
cgi cgi"
    while read -r program files; do
        paths=
        for f in $files; do paths="$paths tests/compile/$f.c"; done
        build "$OUT/bin/$program$EXE" "$paths" $CC $CFLAGS -O0 -I. $paths $LIBS
    done <<END
$programs
END
    wait
    while read -r program files; do
        if [ -f "$OUT/bin/$program$EXE" ] && $RUN "$OUT/bin/$program$EXE" </dev/null
        then passed=$((passed + 1)); else
            failed=$((failed + 1))
            echo "compile: $program of $files"
        fi
    done <<END
$programs
END
    for half in -DMCP_REALLOC=realloc -DMCP_FREE=free; do
        if $CC $CFLAGS $half -I. -c tests/compile/implementation.c -o "$OUT/half.o" >/dev/null 2>&1
        then failed=$((failed + 1)); echo "compile: $half alone is not refused"
        else passed=$((passed + 1)); fi
    done
    tell compile $passed $failed 0
}

for what in "$@"; do
    case $what in
        chop) start chop "-$CUTS" "$transcripts"/*.jsonl ;;
        transcripts | oom | io | guard | parity) start "$what" "$transcripts"/*.jsonl ;;
        stdio | cli | compile) ;;
        *) start "$what" ;;
    esac
done
wait
for what in "$@"; do
    case $what in
        stdio | cli | compile) $what ;;
        *) report "$what" ;;
    esac
done
skipped=; [ $total_skipped -eq 0 ] || skipped=", $total_skipped skipped"
echo "$total_passed passed, $total_failed failed$skipped"
[ $total_failed -eq 0 ] && [ $total_passed -gt 0 ]
