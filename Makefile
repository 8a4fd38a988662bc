# make          the examples, into build/          make try     a real exchange with one of them
# make test     the test suite                     make install  the client (examples/mcp.c)
# make clean
# These need a C compiler and sh. All other targets install what they need (Debian, as root), or
# say what is missing. CC, CFLAGS, LIBS, SHARED, FUZZ_SECONDS and PREFIX may be given on the
# command line.

CC = cc
CXX = c++
CFLAGS = -std=c99 -O2 -Wall -Wextra -Wpedantic -Wshadow
CXXFLAGS = -std=c++11 -O2 -Wall -Wextra -Wpedantic -Wshadow -Wno-missing-field-initializers
LIBS =
SHARED = ../shared
FUZZ_SECONDS = 60
PREFIX = /usr/local

EXAMPLES = build/hello build/tools build/weather build/trace build/slow build/embed \
    build/files build/notes build/prompts build/deploy build/batch build/app build/live build/rest
SERVERS = build/fixture build/golden build/chk build/bare build/faces build/offers \
    build/primes build/conformance build/pages build/page build/routes build/labels
PAGE = examples/app/bridge.js examples/app/page.css build/inline
ALONE = @mkdir -p build && echo "  $@" && $(CC) $(CFLAGS) -I. -o $@
ONE = $(ALONE) -DMCP__IMPLEMENTED build/mcp.o # one implementation for all: it takes some seconds
TESTFLAGS = -std=c99 -O1 -Wall -Wextra
SUITE = CC="$(CC)" CFLAGS="$(TESTFLAGS)" LIBS="$(LIBS)" OUT=build/test JOBS=4 sh tests/suite.sh
SANITIZE = -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
NEED = @sh tests/need.sh

all: $(EXAMPLES) build/client build/mcp build/preview
servers: $(SERVERS)
cxx: build/cxx

build/mcp.o: tests/compile/implementation.c mcp.h; $(ALONE) -c $<
build/%: examples/%.c build/mcp.o; $(ONE) $< $(LIBS)
build/%: tests/servers/%.c build/mcp.o; $(ONE) $< $(LIBS)
build/embed: examples/embed.c mcp.h; $(ALONE) examples/embed.c $(LIBS)
build/app: examples/app.c build/explorer_html.h build/mcp.o
	$(ONE) -DEXPLORER='"build/explorer_html.h"' examples/app.c $(LIBS)
build/live: examples/live.c examples/views.h build/monitor_html.h build/mcp.o
	$(ONE) -DMONITOR='"build/monitor_html.h"' examples/live.c $(LIBS)
build/preview: examples/preview.c build/host_html.h build/proxy_html.h build/mcp.o
	$(ONE) -DHOST='"build/host_html.h"' -DPROXY='"build/proxy_html.h"' examples/preview.c $(LIBS)
build/inline: examples/inline.c; $(ALONE) examples/inline.c
build/explorer_html.h: examples/app/explorer.html $(PAGE)
	@build/inline examples/app/explorer.html explorer_html >$@
build/mcp: examples/mcp.c examples/terminal.h examples/tls.h build/mcp.o
	$(ONE) examples/mcp.c $(LIBS)
build/host_html.h: examples/preview/host.html examples/preview/host.css examples/preview/host.js \
    examples/preview/preview.js build/inline
	@build/inline examples/preview/host.html host_html >$@
build/proxy_html.h: examples/preview/proxy.html examples/preview/proxy.js build/inline
	@build/inline examples/preview/proxy.html proxy_html >$@
build/monitor_html.h: examples/app/monitor.html $(PAGE)
	@build/inline examples/app/monitor.html monitor_html >$@
build/cxx: examples/cxx.cpp mcp.h
	@mkdir -p build && echo "  $@" && $(CXX) $(CXXFLAGS) -I. -o $@ examples/cxx.cpp $(LIBS)
build/web: tests/http/web.c build/mcp.o; $(ONE) tests/http/web.c $(LIBS)
build/faults: tests/http/faults.c tests/http/web.c mcp.h; $(ALONE) tests/http/faults.c $(LIBS)
build/mount: examples/mount.c build/mcp.o; $(ONE) examples/mount.c -lmicrohttpd $(LIBS)
build/conforming: tests/conformance/client.c mcp.h; $(ALONE) tests/conformance/client.c $(LIBS)

try: build/hello
	@sh tests/try.sh build/hello

# ---- tests ----

test:
	@$(SUITE)
oom:
	@$(SUITE) oom io
chop:
	@CUTS=1000000 $(SUITE) chop
record:
	@$(SUITE) transcripts >/dev/null || :
	@cd build/test/empty && ../transcripts --record "$(CURDIR)"/tests/transcripts/*.jsonl
asan:
	@CC="$(CC)" CFLAGS="-std=c99 $(SANITIZE)" LIBS="$(LIBS)" OUT=build/asan CUTS=500 \
	    sh tests/suite.sh
tsan: # what has threads
	@CC=gcc CFLAGS="-std=c99 -g -O1 -fsanitize=thread" OUT=build/tsan \
	    sh tests/suite.sh example_slow deferred changes
valgrind:
	$(NEED) valgrind=valgrind
	@CC="$(CC)" CFLAGS="-std=c99 -g -O1" LIBS="$(LIBS)" OUT=build/valgrind \
	    RUN="valgrind -q --error-exitcode=9 --leak-check=full" sh tests/suite.sh transcripts stdio
coverage:
	$(NEED) gcovr=gcovr
	@CC=gcc CFLAGS="-std=c99 -g -O0 --coverage -DMCP__SIMD=0" OUT=build/coverage CUTS=20 \
	    sh tests/suite.sh
	@gcovr -r . --filter mcp.h --exclude-unreachable-branches build/coverage
zoo:
	@sh tests/zoo.sh
fuzz:
	$(NEED) clang=clang
	@SECONDS_EACH=$(FUZZ_SECONDS) sh tests/fuzz/run.sh

browser: build/app build/live build/preview build/page # pages and a host in Chromium; screenshots in build/browser
	$(NEED) chromium=chromium npm=npm /usr/share/fonts/truetype/dejavu=fonts-dejavu-core
	@sh tests/browser/run.sh build build/browser "$(SHARED)/schema"
http: # real sockets; nginx in front, libmicrohttpd around, lighttpd and Apache that start it
	$(NEED) python3=python3 /usr/sbin/nginx=nginx /usr/include/microhttpd.h=libmicrohttpd-dev \
	    /usr/sbin/lighttpd=lighttpd /usr/sbin/apache2=apache2-bin
	@$(MAKE) -s all build/web build/mount build/faults
	@python3 tests/http/run.py build/web build/mount build/faults

# ---- what the source promises ----

lint:
	$(NEED) gcc=gcc g++=g++ clang=clang clang-tidy=clang-tidy cppcheck=cppcheck python3=python3 \
	    mandoc=mandoc /usr/include/microhttpd.h=libmicrohttpd-dev
	@sh tests/lint.sh
symbols:
	@sh tests/lint.sh symbols

# ---- against others: data, schemas and clients that are not part of this repository ----

conformance-data: build/fixture
	$(NEED) python3=python3
	@[ -d "$(SHARED)/data" ] || { echo "missing: $(SHARED)/data (give SHARED=)"; exit 1; }
	@$(CC) $(CFLAGS) -I. -Itests -o build/json_suite tests/json_suite.c $(LIBS)
	@build/json_suite "$(SHARED)/data"
	@python3 tests/pitfalls/check.py --slow build/fixture
schemas: # the official suite looks at build/conformance itself; rest has no default
	$(NEED) python3=python3 /usr/share/doc/python3-venv=python3-venv
	@$(SUITE) transcripts >/dev/null || : # and every program, into build/test/bin
	@build/test/transcripts --dump tests/transcripts/*.jsonl >build/sent
	@sh tests/schemas/run.sh "$(SHARED)/schema" build/venv build/sent \
	    $(patsubst build/%,build/test/bin/%, \
	        $(filter-out build/conformance build/rest,$(EXAMPLES) $(SERVERS)))
openapi: build/rest build/routes build/labels
	$(NEED) python3=python3 /usr/share/doc/python3-venv=python3-venv
	@sh tests/openapi/run.sh build/rest build/routes build/labels build/openapi "$(SHARED)/data/golden"
interop: build/fixture build/asks
	$(NEED) npm=npm python3=python3 /usr/share/doc/python3-venv=python3-venv
	@sh tests/interop/run.sh "$(CURDIR)/build/fixture" "$(CURDIR)/build/asks" "$(CURDIR)/build"
peers: build/mcp
	$(NEED) npm=npm python3=python3 /usr/share/doc/python3-venv=python3-venv go=golang-go \
	    openssl=openssl
	@sh tests/peers/run.sh build/mcp build/venv build/peers
conformance: build/conformance build/conforming
	$(NEED) npm=npm
	@sh tests/conformance/run.sh build/conformance build/conforming build/suite
bench:
	@sh tests/bench/run.sh "$(SHARED)"

install: build/mcp
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/man/man1"
	install build/mcp "$(DESTDIR)$(PREFIX)/bin"
	install -m 644 examples/mcp.1 "$(DESTDIR)$(PREFIX)/share/man/man1"
clean:
	rm -rf build

.PHONY: all servers cxx try test oom chop record asan tsan valgrind coverage zoo fuzz http browser lint symbols \
    conformance-data schemas openapi interop peers conformance bench install clean
