#!/bin/sh
# lint.sh [structure symbols warnings tidy cppcheck analyzer] - what compilers, analysers and our
# own rules say about the header. What was found is shown. Ends with N passed, N failed.
set -u
OUT=build/lint
WARN="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Werror"
FILE=tests/compile/implementation.c
passed=0 failed=0
mkdir -p $OUT

# check NAME COMMAND...: silent if it succeeds
check() {
    what=$1
    shift
    if "$@" >$OUT/log.$$ 2>&1; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        head -n 25 $OUT/log.$$
        echo "lint: $what failed: $*"
    fi
}

# Every language, with the implementation, without it, and with each option.
warnings_of() {
    cc=$1 asm=/usr/include/$(gcc -print-multiarch)
    for std in c99 c11 c17 c2x c++11 c++17 c++20; do
        m32="-m32 -idirafter $asm"
        language="$cc -std=$std $WARN -Wstrict-prototypes"
        case $std in c++*)
            m32= # its library is not there
            language="$cc -x c++ -std=$std $WARN -Wno-missing-field-initializers"
        esac
        check "$cc $std" $language -O2 -I. -c $FILE -o $OUT/o.$$
        check "$cc $std bare" $language -I. -fsyntax-only tests/compile/bare.c
        check "$cc $std bare NO_OS" $language -DMCP_NO_OS -DMCP_NO_TRACE -I. -fsyntax-only \
            tests/compile/bare.c
        for option in -DMCP_NO_TRACE -DMCP_NO_THREADS -DMCP_NO_STDIO -DMCP_NO_OS \
            "-DMCP_NO_OS -DMCP_NO_TRACE -DMCP_NO_THREADS" \
            -DMCP_TOOLS_ONLY -DMCP_STATIC -DNDEBUG -DMCP__SIMD=0 -DMCP__SIMD=1 -mavx2 -funsigned-char "$m32"; do
            [ "$option" ] || continue
            check "$cc $std $option" $language $option -I. -fsyntax-only $FILE
        done
    done
    for f in examples/*.c tests/servers/*.c tests/compile/*.c; do
        check "$cc $f" $cc -std=c99 $WARN -Wstrict-prototypes -I. -fsyntax-only "$f"
    done
    for f in tests/*.c; do
        check "$cc $f" $cc -std=c99 -Wall -Wextra -Wpedantic -Wshadow -Werror -I. -Itests \
            -D'SERVERS(X)=X(tools)' -fsyntax-only "$f"
    done
    for std in c++11 c++17 c++20; do
        check "$cc $std cxx.cpp" $cc -std=$std $WARN -Wno-missing-field-initializers -I. \
            -fsyntax-only examples/cxx.cpp
    done
    rm -f $OUT/o.$$
}

# Both compilers at once.
warnings() {
    for cc in gcc clang; do sh "$0" "warnings_of $cc" >$OUT/$cc.txt & done
    wait
    for cc in gcc clang; do
        sed '$d' $OUT/$cc.txt
        set -- $(tail -n 1 $OUT/$cc.txt | tr -d ,)
        passed=$((passed + $1)) failed=$((failed + $3))
        echo "  warnings: $1 compilations by $cc without one"
    done
}

built() {
    for f in examples/*.c examples/*.cpp tests/servers/*; do
        grep -Eq "build/$(basename "${f%.*}")( |:|$)" Makefile ||
            { echo "the Makefile does not build $f"; return 1; }
    done
}
structure() {
    check structure python3 tests/lint.py mcp.h
    grep -E '^(functions|structure)' $OUT/log.$$ | sed 's/^/  /'
    check "what is built" built
    check "the manual" mandoc -T lint -W style examples/mcp.1
}

# The file is pasted into other people's programs: only mcp_ leaves it, and nothing if MCP_STATIC.
foreign() {
    gcc -std=c99 $1 -I. -c $FILE -o $OUT/o && ! nm -g --defined-only $OUT/o | grep -v " $2"
}
symbols() {
    check "symbols without mcp_" foreign "" 'mcp_[a-z]'
    check "symbols with MCP_STATIC" foreign -DMCP_STATIC '^$'
    gcc -std=c99 -I. -c $FILE -o $OUT/o
    echo "  symbols: $(nm -g --defined-only $OUT/o | grep -c ' mcp_[a-z]') public," \
        "from the C library: $(nm -u $OUT/o | wc -l)"
}

tidy() {
    check clang-tidy clang-tidy --quiet $FILE -- -std=c99 -I.
    echo "  clang-tidy"
}

# ctuuninitvar: outputs are passed before they have a value; that is what they are for.
cpp_check() {
    check cppcheck cppcheck -q --std=c99 --enable=warning,portability,performance --inline-suppr \
        --error-exitcode=1 --suppress=missingIncludeSystem --suppress=ctuuninitvar -I. $FILE
    echo "  cppcheck"
}

# double-free: gcc 12 takes realloc(NULL, n), and then a second one, for frees of the same NULL.
# malloc-leak: it loses memory that is linked into an arena. The allocator of tests/harness.h
# counts every byte in every test, failing allocations included.
analyzer() {
    check -fanalyzer gcc -std=c99 -O1 -fanalyzer -Wno-analyzer-double-free \
        -Wno-analyzer-malloc-leak -Werror -I. -c $FILE -o $OUT/o
    echo "  gcc -fanalyzer"
}

[ $# -gt 0 ] || set -- structure symbols warnings tidy cppcheck analyzer
for what in "$@"; do
    case $what in cppcheck) cpp_check ;; *) $what ;; esac
done
rm -f $OUT/log.$$
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
