#!/usr/bin/env python3
"""run.py WEB MOUNT FAULTS - real sockets against servers built by make; ends with N passed, N failed

Each test starts the server that it needs on a free port of 127.0.0.1. Bounds of time are far above
what is usual and far below what a server that waits for somebody would need."""
import base64, json, os, re, resource, select, shutil, signal, socket, struct, subprocess, sys
import tempfile, threading, time

WEB, MOUNT, FAULTS = sys.argv[1:4]
WINE = WEB.endswith('.exe')
PROMPT = 0.5        # seconds in which a served client has its answer
META = {'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {}}
tests, passed, failed = [], 0, 0


def test(func):
    tests.append(func)
    return func


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print('  FAILED: %s' % what, flush=True)
    return ok


# ---- servers ----

class Server:
    def __init__(self, *options, port='0', files=20000, program=None, **how):
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        files = min(files, most) if most > 0 else files
        self.process = subprocess.Popen(
            [program, *options] if program else [*(['wine'] if WINE else []), WEB, port, *options],
            stderr=subprocess.PIPE, text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, most)), **how)
        self.first, found = '', None
        while not found:                      # warnings come before it, Wine says things, too
            line = self.process.stderr.readline()
            self.first += line
            if not line:
                break
            found = re.search(r'listening on http://127\.0\.0\.1:(\d+)/mcp', line)
        self.port = int(found.group(1)) if found else 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stderr.close()

    def files(self):
        return 0 if WINE else len(os.listdir('/proc/%d/fd' % self.process.pid))

    def rss(self):
        with open('/proc/%d/status' % self.process.pid) as f:
            return int(re.search(r'VmRSS:\s*(\d+)', f.read()).group(1)) * 1024

    def cpu(self):
        with open('/proc/%d/stat' % self.process.pid) as f:
            fields = f.read().rpartition(')')[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')

    def connect(self, **how):
        return Client(self.port, **how)


# ---- clients ----

def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def message(tool, id=1, progress=None, **arguments):
    meta = dict(META, progressToken=progress) if progress is not None else META
    return {'jsonrpc': '2.0', 'id': id, 'method': 'tools/call',
            'params': {'name': tool, 'arguments': arguments, '_meta': meta}}


def post(body, headers=''):
    text = json.dumps(body).encode()
    name = body['params'].get('name')
    return ('POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n'
            'Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n'
            'Mcp-Method: %s\r\n%s%sContent-Length: %d\r\n\r\n'
            % (body['method'], 'Mcp-Name: %s\r\n' % name if name else '', headers, len(text))
            ).encode() + text


class Client:
    def __init__(self, port, timeout=5, receive=None):
        self.s = socket.socket()
        if receive:
            self.s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
        self.s.settimeout(timeout)
        self.s.connect(('127.0.0.1', port))
        self.had = b''

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.s.close()

    def send(self, data):
        self.s.sendall(data)

    def more(self):
        data = self.s.recv(65536)
        if not data:
            raise EOFError
        self.had += data

    def until(self, mark):
        while mark not in self.had:
            self.more()
        text, _, self.had = self.had.partition(mark)
        return text

    def exactly(self, n):
        while len(self.had) < n:
            self.more()
        text, self.had = self.had[:n], self.had[n:]
        return text

    def head(self):
        lines = self.until(b'\r\n\r\n').decode().split('\r\n')
        headers = dict(line.lower().split(': ', 1) for line in lines[1:])
        self.last = headers.get('connection') == 'close'
        return int(lines[0].split()[1]), headers

    def chunk(self):
        size = int(self.until(b'\r\n'), 16)
        return self.exactly(size + 2)[:-2]

    def answer(self):
        status, headers = self.head()
        if 'content-length' in headers:
            return status, self.exactly(int(headers['content-length']))
        body = bytearray()
        while headers.get('transfer-encoding') == 'chunked':
            piece = self.chunk()
            if not piece:
                break
            body += piece
        return status, bytes(body)

    def call(self, tool, **arguments):
        """The text of the result, and how long it took."""
        begun = time.monotonic()
        self.send(post(message(tool, **arguments)))
        status, body = self.answer()
        took = time.monotonic() - begun
        if status != 200:
            return '%d %s' % (status, body), took
        if body.startswith(b'data: ') or body.startswith(b':'):
            body = body.rstrip().rpartition(b'data: ')[2]
        result = json.loads(body)['result']
        return result.get('structuredContent') or ''.join(
            block['text'] for block in result['content']), took

    def ended(self, within=5):
        """Whether the server hangs up in time; what came before that is kept."""
        self.s.settimeout(within)
        try:
            while True:
                self.more()
        except (EOFError, ConnectionError):
            return True
        except TimeoutError:
            return False

    def reset(self):
        self.s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        self.s.close()


def served(server, what, calls=5, within=PROMPT):
    with server.connect() as c:
        worst = 0
        for _ in range(calls):
            text, took = c.call('echo', text='hi')
            if not check(text == 'hi', '%s: %s' % (what, text)):
                return worst
            worst = max(worst, took)
    check(worst < within, '%s: an answer took %.3f s' % (what, worst))
    return worst


def eventually(func, within=3):
    until = time.monotonic() + within
    while time.monotonic() < until:
        got = func()
        if got:
            return got
        time.sleep(0.02)
    return func()


# ---- one connection ----

@test
def keep_alive_pipelining_and_splits():
    with Server() as server:
        with server.connect() as c:
            for i in range(100):
                text, _ = c.call('echo', text=str(i))
                check(text == str(i), 'request %d on one connection: %s' % (i, text))
            c.send(b''.join(post(message('echo', id=i, text='p%d' % i)) for i in range(200)))
            for i in range(200):
                status, body = c.answer()
                got = json.loads(body)
                check(status == 200 and got['id'] == i
                      and got['result']['content'][0]['text'] == 'p%d' % i,
                      'request %d of a pipeline' % i)
            # what runs late holds back those behind it, in order
            c.send(post(message('later', id=1, ms=200)) + post(message('echo', id=2, text='x')))
            order = [json.loads(c.answer()[1])['id'] for _ in range(2)]
            check(order == [1, 2], 'a pipeline behind a deferred call: %r' % order)
            c.s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            data = post(message('echo', text='split'))
            for i in range(len(data)):
                c.send(data[i:i + 1])
            check(b'split' in c.answer()[1], 'a request byte by byte')
            for cut in range(1, len(data), 37):
                c.send(data[:cut])
                time.sleep(0.005)
                c.send(data[cut:])
                check(b'split' in c.answer()[1], 'a request cut at %d' % cut)
            text = json.dumps(message('echo', text='chunks')).encode()
            c.send(data.partition(b'Content-Length')[0] + b'Transfer-Encoding: chunked\r\n\r\n')
            for byte in text:
                c.send(b'1\r\n%c\r\n' % byte)
            c.send(b'0\r\n\r\n')
            check(b'chunks' in c.answer()[1], 'a chunk for each byte')
        with server.connect() as c:
            c.send(b'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n')
            check(c.answer()[0] == 404 and c.ended(), 'Connection: close')


@test
def a_head_a_body_and_silence_have_their_time():
    with Server('head=600', 'body=600', 'idle=600') as server:
        silent, head, body = server.connect(), server.connect(), server.connect()
        data, begun, died = post(message('echo', text='slow')), time.monotonic(), {}
        head.send(data[:20])
        body.send(data[:-20])
        dribble = [(head, data[20:]), (body, data[-20:])]
        while len(died) < 3 and time.monotonic() - begun < 5:
            for i, (c, rest) in enumerate(dribble):   # a byte at a time does not buy more
                if c not in died and len(rest) > 1:
                    try:
                        c.send(rest[:1])
                    except OSError:
                        pass
                    dribble[i] = (c, rest[1:])
            for c in (silent, head, body):
                if c not in died and select.select([c.s], [], [], 0)[0]:
                    if c.ended(1):
                        died[c] = time.monotonic() - begun
            time.sleep(0.08)
        for c, what in (silent, 'silence'), (head, 'a head'), (body, 'a body'):
            took = died.get(c, 99)
            check(0.5 < took < 2.7, '%s of 600 ms ended after %.1f s' % (what, took))
        check(head.had.startswith(b'HTTP/1.1 408'), 'a slow head is told: %r' % head.had[:30])
        check(body.had.startswith(b'HTTP/1.1 408'), 'a slow body is told: %r' % body.had[:30])
        check(silent.had == b'', 'silence is not answered: %r' % silent.had)
        served(server, 'after them')


@test
def slow_peers_in_numbers():
    data = post(message('echo', text='slow'))
    with Server('head=3000', 'body=3000', 'idle=3000') as server:
        kinds = {'in a head': data[:30], 'in a body': data[:-5], 'silent': b''}
        peers = []
        for kind, bytes_ in kinds.items():
            for _ in range(66):
                peers.append(server.connect())
                peers[-1].send(bytes_)
        worst = served(server, 'beside %d slow peers' % len(peers), calls=50)
        print('  beside %d slow peers the worst of 50 answers took %.1f ms'
              % (len(peers), worst * 1e3))
        check(all(p.ended(8) for p in peers), 'all of them are hung up on')
        for p in peers:
            p.s.close()
    # more of them than there are places: a good one still gets in, those in the middle go
    with Server('connections=100', 'head=60000') as server:
        peers = [server.connect() for _ in range(200)]
        for p in peers:
            p.send(data[:30])
        served(server, 'beside more half heads than places')


@test
def half_closed_and_resetting_peers():
    with Server() as server:
        with server.connect() as c:
            c.send(post(message('echo', text='half')))
            c.s.shutdown(socket.SHUT_WR)
            check(b'half' in c.answer()[1], 'who closed its half is answered')
            check(c.ended(), 'and hung up on')
        with server.connect(receive=4096) as c:
            c.send(post(message('large', kib=6000)))
            c.s.shutdown(socket.SHUT_WR)
            time.sleep(0.2)
            check(len(c.answer()[1]) > 6000 * 1024, 'also with an answer of some size')
        for rounds in range(3):
            peers = [server.connect() for _ in range(70)]
            for i, p in enumerate(peers):
                data = post(message('large', kib=2000)) if i % 3 else post(message('later', ms=50))
                p.send(data[:len(data) - i % 2 * 10])
                p.reset()
            served(server, 'beside peers that reset')
        check(eventually(lambda: server.files() < 12), 'their sockets are closed')


# ---- many connections ----

@test
def five_thousand_idle_connections():
    want = 5000
    need = want + 200
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < need:
        resource.setrlimit(resource.RLIMIT_NOFILE, (need if hard < 0 else min(need, hard), hard))
    with Server('connections=%d' % (want + 100), 'idle=60000') as server:
        served(server, 'before')
        before, idle = server.rss(), []
        try:
            while len(idle) < want:
                idle.append(server.connect())
        except OSError as e:
            check(False, 'connection %d: %s' % (len(idle), e))
        worst = served(server, 'beside %d idle connections' % len(idle), calls=20)
        fresh = (server.rss() - before) / len(idle)
        for c in idle:                        # each has been used once
            c.send(post(message('echo', text='once')))
        check(all(c.answer()[0] == 200 for c in idle), 'each is served')
        time.sleep(1.5)
        used = (server.rss() - before) / len(idle)
        cpu = server.cpu()
        time.sleep(1)
        cpu = server.cpu() - cpu
        print('  %d idle connections: %.1f KiB each, %.1f KiB after a request; worst of 20 answers '
              '%.1f ms; %.1f %% of a core' % (len(idle), fresh / 1024, used / 1024, worst * 1e3,
                                              cpu * 100))
        check(fresh < 16 * 1024 and used < 20 * 1024, 'an idle connection needs little memory')
        check(cpu < 0.2, 'idle connections need little time')
        for c in idle:
            c.s.close()


@test
def the_longest_idle_one_makes_room():
    with Server('connections=20') as server:
        old = []
        for _ in range(20):
            old.append(server.connect())
            check(old[-1].call('echo', text='a')[0] == 'a', 'within the limit')
        check(old[0].call('echo', text='b')[0] == 'b', 'the first is used again')
        time.sleep(0.6)
        check(all(not select.select([c.s], [], [], 0)[0] for c in old), 'nobody goes without need')
        new = server.connect()
        text, took = new.call('echo', text='c')
        check(text == 'c' and took < PROMPT, 'one more than the limit: %s, %.2f s' % (text, took))
        check(old[1].ended(1), 'the longest idle one went')
        for c in [old[0]] + old[2:]:
            check(c.call('echo', text='d')[0] == 'd', 'the others stay')
        for c in old + [new]:
            c.s.close()
    with Server('connections=4') as server:   # all of them at work: the next one waits its turn
        busy = [server.connect() for _ in range(4)]
        for c in busy:
            c.send(post(message('later', ms=700)))
        time.sleep(0.1)
        with server.connect() as c:
            cpu = server.cpu()
            text, took = c.call('echo', text='e')
            check(text == 'e' and 0.2 < took < 2, 'behind busy ones: %s, %.2f s' % (text, took))
            check(server.cpu() - cpu < 0.2, 'nobody spins meanwhile')
        check(all(b'deferred' in c.answer()[1] for c in busy), 'those at work finish')
    with Server('connections=1000', files=40) as server:   # the system's limit
        many = [server.connect() for _ in range(60)]
        served(server, 'beyond the descriptors that there are', within=2)
        for c in many:
            c.s.close()


@test
def who_does_not_read():
    with Server('idle=1500', 'message=1000000') as server:
        lazy = [server.connect(receive=4096) for _ in range(4)]
        for c in lazy:
            c.send(post(message('large', kib=900)))
        worst = served(server, 'beside answers that nobody reads')
        print('  beside 4 unread answers of 900 KiB: worst of 5 answers %.1f ms' % (worst * 1e3))
        c = server.connect(receive=4096)
        c.send(post(message('large', kib=20000)))
        worst = served(server, 'beside one beyond what is kept', within=3)
        print('  beside an unread answer of 20 MB: worst of 5 answers %.1f ms' % (worst * 1e3))
        check(c.ended(3), 'that one is cut off')
        check(all(x.ended(8) for x in lazy), 'who never reads is hung up on')
    with Server('idle=1000', 'keepalive=100', 'message=1000000') as server:   # nor a stream
        stream = listen(server)
        with server.connect(receive=4096) as c:
            c.send(post(message('count', progress=1, ms=200)))
            time.sleep(2.5)
            check(b'counted' in c.answer()[1], 'a short answer waits for a late reader')
        check(b':' in stream.chunk(), 'a stream whose client reads goes on')
        served(server, 'after that')
    with Server() as server:                  # and who reads gets all of it
        for kib in 100, 900, 5000, 60000:
            with server.connect(timeout=20) as c:
                text, _ = c.call('large', kib=kib)
                check(len(text) == kib * 1024, '%d KiB arrive: %d' % (kib, len(text) // 1024))


@test
def a_large_file_leaves_as_it_is_read():
    with tempfile.NamedTemporaryFile() as f, Server('message=1000000', 'idle=1500') as server:
        text = ''.join('%07d é "\\\n' % i for i in range(800_000))   # some 12 MB
        f.write(text.encode())
        f.flush()
        files, before = server.files(), server.rss()
        with server.connect() as c:           # who reads at once has it at once
            got, took = c.call('file', text=f.name)
            check(got == text, 'a file of %d bytes: %d' % (len(text), len(got)))
        slow, data, worst, begun = server.connect(receive=65536), bytearray(), 0, time.monotonic()
        slow.send(post(message('file', text=f.name)))
        slow.s.settimeout(0.5)
        while time.monotonic() - begun < 4:   # longer than a handler may wait, than idle_ms, too
            try:
                data += slow.s.recv(65536)
            except TimeoutError:
                break
            time.sleep(0.05)
            worst = max(worst, served(server, 'beside a slow reader', calls=1))
        most = server.rss() - before
        slow.s.settimeout(5)
        while not data.endswith(b'\r\n0\r\n\r\n'):
            more = slow.s.recv(1 << 20)
            if not more:
                break
            data += more
        slow.had = bytes(data)
        status, body = slow.answer()
        got = json.loads(body)['result']['content'][0]['text'] if body.endswith(b'}') else body[-80:]
        check(status == 200 and got == text, 'it arrives whole, slowly: %d of %d' % (len(got), len(text)))
        check(most < 6 << 20, 'it needs no memory: %d KiB' % (most >> 10))
        print('  beside a slow reader of a large file: the worst answer took %.1f ms; %d KiB more'
              % (worst * 1e3, most >> 10))
        with server.connect() as c:           # blocks in between and behind
            c.send(post(message('files', text=f.name)))
            blocks = json.loads(c.answer()[1])['result']['content']
            check([b.get('text') for b in blocks] == [None, 'first', None, 'second'], 'in order')
            check(all(base64.b64decode(b['resource']['blob']) == text.encode()
                      for b in blocks[::2]), 'each whole')
        fast = server.connect()               # a fast one does not hold up others for long
        fast.send(post(message('file', text=f.name)))
        got, took = server.connect().call('echo', text='x')
        check(got == 'x' and took < PROMPT, 'beside a fast reader: %.3f s' % took)
        fast.s.close()
        gone, stuck = server.connect(), server.connect(receive=4096)
        gone.send(post(message('file', text=f.name)))
        stuck.send(post(message('file', text=f.name)))
        gone.exactly(100000)
        gone.reset()
        check(eventually(lambda: server.files() <= files, 6),
              'who hangs up, or never reads, costs nothing in the end')
        served(server, 'after that')


# ---- requests that take their time ----

@test
def progress_arrives_while_it_runs():
    with Server('keepalive=300') as server:
        with server.connect() as c:
            begun, seen = time.monotonic(), []
            c.send(post(message('count', progress='p', ms=600)))
            status, headers = c.head()
            check(headers.get('content-type') == 'text/event-stream', 'it is a stream')
            while True:
                piece = c.chunk()
                if not piece:
                    break
                for line in piece.decode().splitlines():
                    if line.startswith('data: '):
                        seen.append((json.loads(line[6:]), time.monotonic() - begun))
            told = [(m['params']['progress'], t) for m, t in seen if 'params' in m]
            check(len(told) == 6 and told[-1][1] - told[0][1] > 0.3 and seen[-1][1] > 0.5,
                  'progress comes as it happens: %r' % told)
            check(seen[-1][0].get('result', {}).get('content', [{}])[0].get('text') == 'counted',
                  'then the result: %r' % (seen[-1],))
            check(c.call('echo', text='on')[0] == 'on', 'the connection goes on')
            # beside a handler that runs, others wait, and are served then
        with server.connect() as slow, server.connect() as c:
            slow.send(post(message('count', ms=400)))
            time.sleep(0.1)
            text, took = c.call('echo', text='x')
            check(text == 'x' and 0.1 < took < 1.5, 'one after another: %s %.2f' % (text, took))
            check(b'counted' in slow.answer()[1], 'and the first is whole')


def cancelled(server, do, what):
    with server.connect() as c:
        before = c.call('stats')[0]
        do()
        ok = eventually(lambda: c.call('stats')[0]['gave_up'] == before['gave_up'] + 1)
        check(ok and c.call('stats')[0]['finished'] == before['finished'], what)


@test
def who_hangs_up_cancels():
    with Server() as server:
        def leave(tool, how, progress=None):
            def act():
                c = server.connect()
                c.send(post(message(tool, ms=2500, progress=progress)))
                time.sleep(0.2)
                how(c)
            return act

        def half(c):
            c.s.shutdown(socket.SHUT_WR)
        for tool in 'later', 'count':
            cancelled(server, leave(tool, lambda c: c.s.close()), 'closing cancels ' + tool)
            cancelled(server, leave(tool, Client.reset), 'resetting cancels ' + tool)
            cancelled(server, leave(tool, half), 'half-closing cancels ' + tool)
        cancelled(server, leave('count', lambda c: c.s.close(), progress=1), 'also a stream')
        served(server, 'after that')
    with Server() as server:                  # an older version says so
        with server.connect() as c, server.connect() as other:
            def legacy(body, id=''):
                text = json.dumps(body)
                return ('POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
                        'Accept: application/json, text/event-stream\r\n%sContent-Length: %d\r\n\r\n%s'
                        % (id, len(text), text)).encode()
            c.send(legacy({'jsonrpc': '2.0', 'id': 0, 'method': 'initialize', 'params': {
                'protocolVersion': '2025-11-25', 'capabilities': {},
                'clientInfo': {'name': 'run.py', 'version': '1'}}}))
            _, headers = c.head()
            c.exactly(int(headers['content-length']))
            id = 'Mcp-Session-Id: %s\r\nMCP-Protocol-Version: 2025-11-25\r\n' % headers['mcp-session-id']

            def cancel():
                c.send(legacy({'jsonrpc': '2.0', 'id': 7, 'method': 'tools/call', 'params': {
                    'name': 'count', 'arguments': {'ms': 2500}}}, id))
                time.sleep(0.2)
                other.send(legacy({'jsonrpc': '2.0', 'method': 'notifications/cancelled',
                                   'params': {'requestId': 7}}, id))
                check(other.answer()[0] == 202, 'a cancellation is accepted')
            cancelled(server, cancel, 'notifications/cancelled ends a loop that looks')


# ---- beginning and end ----

def listen(server):
    c = server.connect()
    c.send(post({'jsonrpc': '2.0', 'id': 'l', 'method': 'subscriptions/listen', 'params': {
        'notifications': {'resourceSubscriptions': ['web://page']}, '_meta': META}}))
    check(c.head()[0] == 200, 'a listen stream opens')
    check(b'acknowledged' in c.chunk(), 'and is acknowledged')
    return c


@test
def sigterm_ends_it_gracefully():
    with Server() as server:
        stream, idle = listen(server), server.connect()
        with server.connect() as c:
            c.call('touch')
        check(b'web://page' in stream.chunk(), 'a change is told')
        late, loop = server.connect(), server.connect()
        late.send(post(message('later', ms=500)))
        time.sleep(0.1)
        begun = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        check(b'deferred' in late.answer()[1], 'what was deferred finishes')
        rest = b''
        try:
            while True:
                piece = stream.chunk()
                if not piece:
                    break
                rest += piece
        except EOFError:
            rest += b'(cut off)'
        check(b'"id":"l"' in rest and b'"result"' in rest and b'cut' not in rest,
              'who listens is told: %r' % rest)
        check(idle.ended(2) and loop.ended(2), 'idle connections are closed')
        check(server.process.wait(3) == 0, 'exit status 0')
        check(time.monotonic() - begun < 3, 'and soon')
        check('over' in server.process.stderr.read(), 'to the end of main')
    with Server() as server:                  # while a handler runs
        c = server.connect()
        c.send(post(message('count', ms=400)))
        time.sleep(0.1)
        server.process.send_signal(signal.SIGTERM)
        check(b'counted' in c.answer()[1], 'the handler ends and is heard')
        check(server.process.wait(3) == 0, 'then the server')
    with Server() as server:                  # what never ends does not hold it up
        c = server.connect()
        c.send(post(message('later', ms=60000)))
        d = server.connect(receive=4096)
        d.send(post(message('large', kib=8000)))
        time.sleep(0.2)
        server.process.send_signal(signal.SIGTERM)
        check(server.process.wait(4) == 0, 'a second later at the latest')


@test
def another_thread_ends_it():
    with Server() as server, server.connect() as c:
        check(c.call('stop_soon')[0] == 'soon', 'it is told to')
        begun = time.monotonic()
        check(server.process.wait(3) == 0 and time.monotonic() - begun < 1, 'mcp_post wakes it')
        check(c.ended(1), 'and it hangs up')


@test
def inherited_socket_and_port_zero():
    with Server() as server:
        check(server.port > 0, 'port 0: the log says which: %r' % server.first)
    listener = socket.socket()
    listener.bind(('127.0.0.1', 0))
    listener.listen(64)
    port = listener.getsockname()[1]
    early = Client(port)                      # before anybody serves it
    early.send(post(message('echo', text='early')))
    place = 3                                 # where systemd puts it
    spare = os.dup(place) if _open(place) else -1
    os.dup2(listener.fileno(), place, inheritable=True)
    try:
        with Server('fd=%d' % place, port='9', pass_fds=[place]) as server:
            check(server.port == port, 'an inherited socket: %r' % server.first)
            check(b'early' in early.answer()[1], 'who came before it is served')
            served(server, 'on an inherited socket')
            with Server('fd=%d' % place, port='9', pass_fds=[place]) as second:   # a new release
                server.process.send_signal(signal.SIGTERM)
                check(server.process.wait(3) == 0, 'the first ends')
                served(second, 'by the next process on the same socket')
    finally:
        if spare >= 0:
            os.dup2(spare, place)
            os.close(spare)
        else:
            os.close(place)
    with Server() as server:
        again = subprocess.run([WEB, str(server.port)], stderr=subprocess.PIPE, text=True)
        check(again.returncode == 1 and 'cannot be listened on' in again.stderr,
              'a port in use is told: %r' % again.stderr)


@test
def the_examples_take_http():
    for name in 'tools', 'weather', 'trace', 'slow', 'files', 'notes', 'prompts', 'deploy':
        program = os.path.join(os.path.dirname(os.path.abspath(WEB)), name)
        folder = tempfile.mkdtemp()
        dirs = [folder] if name in ('files', 'notes') else []
        with Server(*dirs, '--http', '-1', program=program) as server:
            if not check(server.port, '%s --http says where: %r' % (name, server.first)):
                continue
            with server.connect() as c:
                c.send(post({'jsonrpc': '2.0', 'id': 1, 'method': 'server/discover',
                             'params': {'_meta': META}}))
                status, body = c.answer()
                who = json.loads(body)['result']['_meta']['io.modelcontextprotocol/serverInfo']
                check(status == 200 and who['name'] == name, '%s over HTTP: %r' % (name, body))
                if name == 'slow':            # a thread of its own, which wakes the loop
                    text, took = c.call('primes', n=1000, progress=1)
                    check(text == '168 primes below 1000' and took < PROMPT, 'slow: %s' % text)
                if name == 'notes':
                    note = message('write_note', text='in its directory')
                    note['params']['arguments']['id'] = 'a'
                    c.send(post(note))
                    check(b'"added"' in c.answer()[1] and os.listdir(folder) == ['a.txt'],
                          'in the directory that was named')
        shutil.rmtree(folder)


# ---- what the system refuses ----

def a_day(server):
    """Some of everything; whatever fails on the way, the next one is served."""
    def tries(func):
        try:
            func()
        except (OSError, EOFError, ValueError, KeyError):
            pass

    def short():
        with server.connect(timeout=2) as c:
            c.call('echo', text='a')
            c.call('later', ms=5)

    def slow():
        with server.connect(timeout=2, receive=4096) as c:
            c.send(post(message('large', kib=600)))
            time.sleep(0.01)
            c.answer()

    def stream():
        with server.connect(timeout=2) as c:
            c.send(post(message('count', progress=1, ms=20)))
            c.answer()

    def leaves():
        c = server.connect(timeout=2)
        c.send(post(message('echo', text='b'))[:-3])
        c.reset()
    for func in short, slow, stream, leaves:
        tries(func)


@test
def any_system_call_may_fail():
    import errno
    kinds = errno.EINTR, errno.EAGAIN, errno.ECONNRESET, errno.EMFILE
    runs, starts = 0, 0
    for kind in kinds:
        for n in range(1, 1000):
            what = '%s at call %d' % (errno.errorcode[kind], n)
            env = dict(os.environ, FAULT='%d:%d' % (kind, n))
            with Server(str(free_port()), 'idle=3000', program=FAULTS, env=env) as server:
                runs += 1
                if not server.port:           # it does not even begin, and says why
                    starts += 1
                    told = server.first + server.process.stderr.read()
                    status = server.process.wait(5)
                else:
                    a_day(server)
                    for last in False, True:  # it may happen to the first
                        try:
                            served(server, 'after ' + what, calls=1, within=2)
                            break
                        except (OSError, EOFError) as e:
                            check(not last, 'after %s: %r' % (what, e))
                    server.process.send_signal(signal.SIGTERM)
                    status = server.process.wait(5)
                    told = server.process.stderr.read()
                calls, left = re.search(r'calls: (\d+); left: (.*)', told).groups()
                check(left == '0 0', '%s: left: %s' % (what, left))
                check(status == 0 if server.port else status == 1 and
                      'cannot be listened on' in told, '%s: %d %r' % (what, status, told))
                if int(calls) < n:            # all of them have failed once
                    break
    print('  %d runs, in each of which one system call failed; %d of them could not begin'
          % (runs, starts))
    for most in 1, 7, 1000:                   # and each may move less than it was asked to
        with Server('0', program=FAULTS, env=dict(os.environ, FAULT='0:%d' % most)) as server:
            with server.connect() as c:
                text, _ = c.call('large', kib=100)
                check(len(text) == 100 << 10, '%d bytes at a time: %d' % (most, len(text)))
            served(server, '%d bytes at a time' % most)


# ---- inside others, and behind them ----

def connects(port):
    try:
        return Client(port)
    except OSError:
        return None


@test
def mounted_in_another_server():
    port = free_port()
    process = subprocess.Popen([MOUNT, str(port)])

    def ask(c, n, id=1):
        c.send(post(message('count_down', id=id, progress='p', n=n)))
    try:
        c = eventually(lambda: connects(port))
        c.send(b'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
        check(b'Welcome' in c.answer()[1], 'its own page')
        c.send(post({'jsonrpc': '2.0', 'id': 1, 'method': 'tools/list', 'params': {'_meta': META}}))
        check(b'count_down' in c.answer()[1], 'MCP beside it')
        for _ in range(2):
            begun, times = time.monotonic(), []
            ask(c, 3)
            check(c.head()[1].get('content-type') == 'text/event-stream', 'a stream')
            last = b''
            while True:
                piece = c.chunk()
                if not piece:
                    break
                times.append(time.monotonic() - begun)
                last = piece
            check(len(times) >= 3 and times[-1] - times[0] > 0.15 and b'lift-off' in last,
                  'comes as it happens: %r %r' % (times, last))
        c.send(post(message('nobody')))
        check(c.answer()[0] == 200, 'an error of the protocol')
        leaver = Client(port)
        ask(leaver, 100)
        leaver.head()
        leaver.reset()
        many = [Client(port) for _ in range(20)]
        for m in many:
            ask(m, 2)
        check(all(b'lift-off' in m.answer()[1] for m in many), 'many at once, beside one that left')
        check(process.poll() is None, 'it is still there')
    finally:
        process.kill()
        process.wait()


LIGHTTPD = """
server.bind = "127.0.0.1"
server.port = PORT
server.document-root = "FOLDER"
server.errorlog = "FOLDER/error.log"
server.upload-dirs = ( "FOLDER" )
server.modules = ( "mod_alias", "mod_cgi" )
server.stream-response-body = 1
alias.url = ( "/mcp" => "FOLDER/web" )
cgi.assign = ( "" => "" )
"""
APACHE = """
ServerRoot FOLDER
ServerName localhost
Listen 127.0.0.1:PORT
User www-data
Group www-data
PidFile FOLDER/pid
ErrorLog FOLDER/error.log
LoadModule mpm_prefork_module MODULES/mod_mpm_prefork.so
LoadModule authz_core_module MODULES/mod_authz_core.so
LoadModule alias_module MODULES/mod_alias.so
LoadModule cgi_module MODULES/mod_cgi.so
ScriptAlias /mcp FOLDER/web
<Directory />
    Require all granted
    CGIPassAuth On
</Directory>
"""


def behind_a_web_server(text, *command):
    """The test program as a CGI program of a web server on a free port."""
    folder, port = tempfile.mkdtemp(), free_port()
    os.chmod(folder, 0o755)                   # Apache's children are somebody else
    shutil.copy(WEB, folder + '/web')
    text = text.replace('FOLDER', folder).replace('PORT', str(port))
    with open(folder + '/conf', 'w') as f:
        f.write(text.replace('MODULES', '/usr/lib/apache2/modules'))
    process = subprocess.Popen([*command, folder + '/conf'], start_new_session=True)
    return folder, port, process              # at its end Apache kills all in its group


@test
def as_a_cgi_program():
    def legacy(method, id=1, params={}, headers=''):
        text = json.dumps({'jsonrpc': '2.0', 'id': id, 'method': method, 'params': params})
        return ('POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n'
                'Accept: application/json, text/event-stream\r\n%sContent-Length: %d\r\n\r\n%s'
                % (headers, len(text), text)).encode()

    def verb(c, line, headers=''):
        c.send(('%s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n' % (line, headers)).encode())
        return c.answer()

    def all_of_it(port, name):
        def ask(data):
            with Client(port, timeout=20) as c:
                c.send(data)
                status, body = c.answer()
                return status, body, json.loads(body) if body[:1] == b'{' else {}

        def asked(data):
            status, _, answer = ask(data)
            return status, answer.get('error', {}).get('code')
        with Client(port) as c:               # the connection is the web server's, and stays
            for i in range(3):
                text, _ = c.call('echo', text='é %d' % i)
                check(text == 'é %d' % i, '%s: a call: %s' % (name, text))
            text, _ = c.call('later', ms=50)
            check(text == 'deferred', '%s: one that is deferred: %s' % (name, text))
            text, _ = c.call('large', kib=20000)
            check(len(text) == 20000 << 10, '%s: 20 MB back: %d' % (name, len(text)))
        with Client(port, timeout=20) as c:
            text, _ = c.call('echo', text='x' * 9_000_000)
            check(text == 'x' * 9_000_000, '%s: 9 MB there and back: %d' % (name, len(text)))
        status, body, _ = ask(post(message('count', progress='p', ms=300)))
        check(status == 200 and body.count(b'notifications/progress') == 3 and b'counted' in body,
              '%s: a stream of events: %r' % (name, body))
        for params in {'name': 'echo', 'arguments': {'text': 'old'}}, {'name': 'echo'}:
            status, body, answer = ask(legacy('tools/call', params=params, headers=
                                              'MCP-Protocol-Version: 2025-11-25\r\n'))
            want = 'old' if 'arguments' in params else 'text: missing'
            check(status == 200 and want in answer['result']['content'][0]['text'],
                  '%s: one request of an older version: %r' % (name, body))
        status, body, answer = ask(legacy('initialize', params={
            'protocolVersion': '2025-06-18', 'capabilities': {},
            'clientInfo': {'name': 'run.py', 'version': '1'}}))
        check(answer['result']['protocolVersion'] == '2025-06-18',
              '%s: initialize: %r' % (name, body))
        data = post(message('echo', text='x'))
        for what, want, got in (
                ('not JSON', (400, -32700), asked(data.replace(b'"jsonrpc"', b'?jsonrpc"'))),
                ('another name', (400, -32020), asked(data.replace(b'Name: echo', b'Name: pid'))),
                ('no such method', (404, -32601), asked(data.replace(b'tools/call', b'tools/sell'))),
                ('no such tool', (200, -32602), asked(post(message('nobody')))),
                ('of another type', (415, -32000),
                 asked(data.replace(b'application/json\r', b'text/plain\r'))),
                ('a foreign page', (403, -32600),
                 asked(data.replace(b'Accept', b'Origin: http://evil.example\r\nAccept', 1))),
                ('a foreign host', (403, -32600),
                 asked(data.replace(b'Host: 127.0.0.1', b'Host: evil.example'))),
                ('one too long', (413, -32000),
                 asked(post(message('echo', text='x' * (10 << 20)))))):
            check(got == want, '%s: %s: %r, not %r' % (name, what, got, want))
        chunks = data.partition(b'Content-Length')[0] + b'Transfer-Encoding: chunked\r\n\r\n'
        body = data.partition(b'\r\n\r\n')[2]
        status, body, _ = ask(chunks + b'%x\r\n%s\r\n0\r\n\r\n' % (len(body), body))
        check(status == 200 and b'"x"' in body, '%s: a body in chunks: %d %r' % (name, status, body))
        with Client(port) as c:
            check(verb(c, 'GET /mcp', 'Accept: text/event-stream\r\n')[0] == 405,
                  '%s: GET has no stream' % name)
            check(verb(c, 'DELETE /mcp')[0] == 405, '%s: DELETE has no session' % name)
            check(verb(c, 'OPTIONS /mcp')[0] == 204, '%s: OPTIONS' % name)
            check(verb(c, 'GET /mcp/elsewhere')[0] == 404, '%s: a path that is not ours' % name)

    sh = shutil.which
    for name, text, command in (
            ('lighttpd', LIGHTTPD, [sh('lighttpd') or '/usr/sbin/lighttpd', '-D', '-f']),
            ('apache', APACHE, [sh('apache2') or '/usr/sbin/apache2', '-D', 'FOREGROUND', '-f'])):
        folder, port, process = behind_a_web_server(text, *command)
        try:
            if not check(eventually(lambda: connects(port)), name + ' starts'):
                continue
            all_of_it(port, name)
            check(process.poll() is None, name + ' is still there')
        finally:
            process.terminate()
            process.wait()
            shutil.rmtree(folder, ignore_errors=True)


SURE = {'sure': {'action': 'accept', 'content': {'sure': True}}}


def asks(c, state=None, answers=SURE):
    """A call that asks; with a state, its answer. What came of it."""
    call = message('confirm')
    params = call['params']
    params['_meta'] = dict(META)
    params['_meta']['io.modelcontextprotocol/clientCapabilities'] = {'elicitation': {}}
    if state is not None:
        params.update(requestState=state, inputResponses=answers)
    c.send(post(call))
    status, body = c.answer()
    answer = json.loads(body)
    return answer.get('result') or (status, answer['error']['code'], answer['error']['message'])


def answered_elsewhere(ports, stranger):
    """A question of one process is answered at another, which knows its own kind from a forgery."""
    with Client(ports[0]) as one, Client(ports[1]) as two, Client(stranger) as other:
        asked = asks(one)
        state = asked['requestState']
        check(asked['inputRequests']['sure']['method'] == 'elicitation/create', 'it asks: %r' % asked)
        done = asks(two, state)
        pids = done['content'][0]['text'].split()
        check(pids[0] != pids[1] and pids[2] == '1', 'asked here, answered there: %r' % pids)
        again = asks(one, asks(two)['requestState'])['content'][0]['text'].split()
        check(again[:2] == pids[1::-1], 'and the other way round: %r' % again)
        raw = bytearray(base64.b64decode(state))
        wrong = {'shorter': base64.b64encode(raw[:-1]), 'cut': state[:-4].encode(),
                 'empty': b'', 'none of ours': base64.b64encode(os.urandom(len(raw))),
                 'longer': base64.b64encode(raw + b'x'), 'no Base64': state[:-1].encode() + b'!'}
        for i in range(0, len(raw), 3):       # a bit of it turned, here and there
            forged = bytearray(raw)
            forged[i] ^= 1 << i % 8
            wrong['turned at %d' % i] = base64.b64encode(forged)
        for what, text in wrong.items():
            for c in one, two:
                got = asks(c, text.decode())
                check(got == (200, -32602, 'Invalid requestState'), 'a state %s: %r' % (what, got))
        got = asks(other, state)
        check(got == (200, -32602, 'Invalid requestState'), 'another secret: %r' % (got,))
        check(asks(one, state)['content'][0]['text'].split()[2] == '1', 'the true one still works')


@test
def behind_nginx():
    folder = os.path.abspath('build/nginx')
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    front = free_port()
    secret = 'secret=' + 'all of them have the same, 32 byte'
    servers = [Server(secret) for _ in range(3)]
    with open('examples/nginx.conf') as f:
        text = f.read()
    for theirs, ours in zip((8080, 8081, 8082, 8083), [front] + [x.port for x in servers]):
        text = text.replace('127.0.0.1:%d' % theirs, '127.0.0.1:%d' % ours)
    for what in 'client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi':
        text = text.replace('http {', 'http {\n    %s_temp_path %s/%s;' % (what, folder, what), 1)
    with open(folder + '/nginx.conf', 'w') as f:
        f.write(text)
    nginx = shutil.which('nginx') or '/usr/sbin/nginx'
    proxy = subprocess.Popen(
        [nginx, '-p', folder, '-e', folder + '/error.log', '-c', folder + '/nginx.conf', '-g',
         'daemon off; pid %s/pid; user root;' % folder if os.getuid() == 0 else
         'daemon off; pid %s/pid;' % folder])
    seen, lost, stop = [], [], threading.Event()

    def load():
        c = None
        while not stop.is_set():
            try:
                c = c or Client(front)
                begun = time.monotonic()
                text, _ = c.call('pid')
                (seen if text.isdigit() else lost).append((begun, text))
                if c.last:                    # nginx closes after a thousand
                    c.s.close()
                    c = None
            except (OSError, EOFError) as e:
                lost.append((time.monotonic(), repr(e)))
                c = None
            time.sleep(0.001)
    threads = [threading.Thread(target=load) for _ in range(8)]
    try:
        check(eventually(lambda: os.path.exists(folder + '/pid')), 'nginx starts')
        pids = [str(x.process.pid) for x in servers]
        for t in threads:
            t.start()
        time.sleep(1)
        servers[0].process.kill()
        servers[0].process.wait()
        died = time.monotonic()
        time.sleep(2)
        with Server(secret, port=str(servers[0].port)) as again:
            time.sleep(2.5)
            back = str(again.process.pid)
            with Client(front, timeout=10) as c:   # a stream passes as it comes
                begun, times = time.monotonic(), []
                c.send(post(message('count', progress=1, ms=400)))
                c.head()
                while c.chunk():
                    times.append(time.monotonic() - begun)
                check(len(times) >= 4 and times[-1] - times[0] > 0.15,
                      'events pass the proxy one by one: %r' % times)
                c.s.close()
            with Server() as stranger:
                answered_elsewhere([x.port for x in servers[1:]], stranger.port)
            moved, most = 0, 60               # through the proxy, which goes round
            with Client(front, timeout=10) as c:
                for _ in range(most):
                    text = asks(c, asks(c)['requestState'])['content'][0]['text'].split()
                    moved += text[0] != text[1]
                check(moved > most / 4, 'asked by one, answered by another: %d' % moved)
            stop.set()
            for t in threads:
                t.join()
        before = [text for at, text in seen if at < died - 0.1]
        check(all(before.count(x) > len(before) / 6 for x in pids), 'any of them answers')
        check(back in [text for _, text in seen], 'who comes back is used again')
        check(len(lost) <= len(threads), 'only what was in flight is lost: %r' % lost[:20])
        check(all(abs(at - died) < 1 for at, _ in lost), 'and only then')
        after = [text for at, text in seen if died + 0.1 < at < died + 1.9]
        check(len(after) > 200 and pids[0] not in after, 'the others go on: %d' % len(after))
        print('  behind nginx: %d answers from 3 processes, 1 killed: %d lost; %d of %d questions '
              'answered elsewhere' % (len(seen), len(lost), moved, most))
    finally:
        stop.set()
        proxy.terminate()
        proxy.wait()
        for x in servers:
            x.__exit__()


def _open(fd):
    try:
        os.fstat(fd)
        return True
    except OSError:
        return False


def main():
    begun = time.monotonic()
    wanted = sys.argv[4:]
    for func in tests:
        if wanted and not any(w in func.__name__ for w in wanted):
            continue
        at = time.monotonic()
        try:
            func()
        except Exception as e:                # a server that hung up, a timeout
            import traceback
            check(False, '%s: %r\n%s' % (func.__name__, e, traceback.format_exc(limit=-3)))
        print('  %s: %.1f s' % (func.__name__.replace('_', ' '), time.monotonic() - at), flush=True)
    print('%d passed, %d failed' % (passed, failed))
    return failed > 0 or passed == 0


sys.exit(main())
