#!/bin/sh
# zoo.sh [CELL...] - the test suite built and run with many compilers, languages and machines
#   A line for each cell; what failed in it is in build/zoo/CELL.txt. Ends with N passed, N failed.
#   Nearly all the time goes into compiling; so each compiler and each machine has one cell with
#   all the tests, what only differs in its language has few tests and no optimisation.
set -u
mkdir -p build/zoo
WINEPREFIX=$(pwd)/build/zoo/wine WINEDEBUG=-all
export WINEPREFIX WINEDEBUG
CPP="-Wno-missing-field-initializers"
CLANGPP="$CPP -Wno-c99-designator -Wno-c++20-designator"
M32="-m32 -idirafter /usr/include/$(gcc -print-multiarch)" # the 32-bit headers lack asm/
AVX2=; grep -qw avx2 /proc/cpuinfo || AVX2=qemu-x86_64

SIMD="text json hostile content transcripts guard"       # what sees the scanners
LANGUAGE="text json schema call content dispatch transcripts compile"
OPTIMISED="text json content storm deferred transcripts stdio" # few copies of the implementation
FULL=; for f in tests/*.c; do
    f=$(basename "$f" .c)
    case $f in json_suite | oom | io) ;; *) FULL="$FULL $f" ;; esac
done
FULL="$FULL stdio cli compile" # oom and io see no compiler: each library and word size has them once
ALL="$FULL oom io"

# NAME | compiler | its options | what runs a program | how a program ends | how it links | tests
#   The longest come first.
cells="s390x | s390x-linux-gnu-gcc | -std=c99 -O1 -static | qemu-s390x | | | $FULL
aarch64 | aarch64-linux-gnu-gcc | -std=c99 -O1 -static | qemu-aarch64 | | | $FULL
mingw-c99 | x86_64-w64-mingw32-gcc | -std=c99 -O1 | wine | .exe | | $ALL
clang-c99 | clang | -std=c99 -O1 | | | | $FULL
musl-c99 | musl-gcc | -std=c99 -Os -static | | | | $ALL
gcc-m32 | gcc | $M32 -std=c99 -O1 | | | | $ALL
g++-20 | g++ -std=c++20 -x c++ | -O0 $CPP | | | g++ | $FULL
clang++-17 | clang++ -std=c++17 -x c++ | -O0 $CLANGPP | | | clang++ | $LANGUAGE client rest tasks
tcc-c99 | tcc | -std=c99 | | | | $FULL
gcc-c99 | gcc | -std=c99 -O2 | | | | $OPTIMISED
gcc-c11 | gcc | -std=c11 -O3 | | | | $OPTIMISED
clang-c17 | clang | -std=c17 -O3 | | | | $OPTIMISED
g++-17 | g++ -std=c++17 -x c++ | -O2 $CPP | | | g++ | $OPTIMISED
gcc-c17 | gcc | -std=c17 -O0 | | | | $LANGUAGE
clang-c11 | clang | -std=c11 -O0 | | | | $LANGUAGE
g++-11 | g++ -std=c++11 -x c++ | -O0 $CPP | | | g++ | $LANGUAGE
clang++-11 | clang++ -std=c++11 -x c++ | -O0 $CLANGPP | | | clang++ | $LANGUAGE
clang++-20 | clang++ -std=c++20 -x c++ | -O0 $CLANGPP | | | clang++ | $LANGUAGE
gcc-bytes | gcc | -std=c99 -O1 -DMCP__SIMD=0 | | | | $SIMD
gcc-words | gcc | -std=c99 -O1 -DMCP__SIMD=1 | | | | $SIMD
gcc-avx2 | gcc | -std=c99 -O1 -mavx2 | $AVX2 | | | $SIMD
gcc-uchar | gcc | -std=c99 -O1 -funsigned-char | | | | $SIMD
mingw-http | x86_64-w64-mingw32-gcc | -std=c99 -O1 | wine | .exe | | http"
cells=$(echo "$cells" | sed 's/^ *//; s/ *$//; s/ *| */|/g')

# Real sockets of Windows: what tests/http does where no other programs are needed.
http() {
    $cc $flags -I. -o build/zoo/web.exe tests/http/web.c -lws2_32 -lpthread -static &&
        python3 tests/http/run.py build/zoo/web.exe - - keep_alive a_head slow_peers half_closed \
            longest who_does progress who_hangs large_file
}

cell() {
    if [ "$which" = http ]; then
        http >"build/zoo/$name.txt" 2>&1
        echo "zoo $name: $(tail -n 1 "build/zoo/$name.txt")"
        return
    fi
    cuts=200 began=$(date +%s) libs=
    [ -z "$run" ] || cuts=20 # emulated
    [ -z "$exe" ] || libs=-lws2_32
    CC=$cc CFLAGS=$flags LIBS=$libs RUN=$run EXE=$exe LINK=${link:-$cc} OUT=build/zoo/$name \
        CUTS=$cuts JOBS=1 sh tests/suite.sh $which >"build/zoo/$name.txt" 2>&1
    echo "zoo $name: $(tail -n 1 "build/zoo/$name.txt") ($(($(date +%s) - began)) s)"
}

if [ "${1-}" = --one ]; then
    echo "$cells" | grep "^$2|" | {
        IFS='|' read -r name cc flags run exe link which
        cell </dev/null
    }
    exit
fi

sh tests/need.sh gcc=gcc g++=g++ clang=clang tcc=tcc musl-gcc=musl-tools wine=wine wineserver=wine \
    python3=python3 \
    x86_64-w64-mingw32-gcc=gcc-mingw-w64-x86-64 qemu-aarch64=qemu-user qemu-s390x=qemu-user \
    aarch64-linux-gnu-gcc=gcc-aarch64-linux-gnu s390x-linux-gnu-gcc=gcc-s390x-linux-gnu \
    /usr/aarch64-linux-gnu/lib/libc.a=libc6-dev-arm64-cross \
    /usr/s390x-linux-gnu/lib/libc.a=libc6-dev-s390x-cross \
    "$(dirname "$(gcc -print-libgcc-file-name)")/32/libgcc.a=gcc-$(gcc -dumpversion)-multilib" ||
    exit 1
# shellcheck disable=SC2086 # names are words
[ $# -gt 0 ] || set -- $(echo "$cells" | sed 's/|.*//')
printf '%s\n' "$@" | xargs -P "$(nproc)" -n 1 sh "$0" --one | tee build/zoo/lines
sed -n 's/.*: \([0-9]*\) passed, \([0-9]*\) failed.*/\1 \2/p' build/zoo/lines | {
    passed=0 failed=0 count=0
    while read -r p f; do
        passed=$((passed + p)) failed=$((failed + f)) count=$((count + 1))
    done
    [ $# -eq $count ] || failed=$((failed + $# - count)) # a suite that said nothing
    echo "$passed passed, $failed failed"
    [ $failed -eq 0 ] && [ $passed -gt 0 ]
}
