#!/usr/bin/env python3
"""Faults seen in the wild: run cases.jsonl against a stdio server that carries the fixture.

  check.py [-k SUBSTRING] [--slow] [-v] SERVER [ARGS...]

Fields of a case: n (kind of fault), name, version, send (lines; LF is added to each), expect (words),
check (Python expression). Optional: bytes_b64 (exact stdin bytes, replaces send), expand {token:[unit,count]}
(token in send becomes unit repeated), env, one_write (all input in one write), read_delay_ms (reader starts late),
wait_ms (least time before stdin is closed), close_at_once, slow (only with --slow).

Names in check: R parsed messages in order; responses (batch elements included); by(id), all_by(id), res(id), err(id)
(id compared with its type); text(id) first text block; rtext(id) first resource text; iserror(id); errs([code])
error replies whose id is null or absent; notes(method) params of notifications; t(id) ms from last write to reply;
raw stdout bytes; bad lines that are not JSON objects or arrays; utf8ok; exit code or None when it had to be killed;
ms from closing stdin to exit; same, isint, rising, last_is, json.
"""
import base64, json, os, subprocess, sys, threading, time
HERE = os.path.dirname(os.path.abspath(__file__))
def same(a, b): return type(a) is type(b) and a == b
def isint(x): return type(x) is int
def rising(v): return all(a < b for a, b in zip(v, v[1:]))

def run(case, argv, verbose=False):
    exp = case.get("expand", {})
    if "bytes_b64" in case:
        data = [base64.b64decode(case["bytes_b64"])]
    else:
        data = []
        for line in case["send"]:
            for tok, (unit, n) in exp.items(): line = line.replace(tok, unit * n)
            data.append(line.encode("utf-8") + b"\n")
    if case.get("one_write"): data = [b"".join(data)]
    env = dict(os.environ, **case.get("env", {}))
    p = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         stderr=None if verbose else subprocess.DEVNULL, env=env, bufsize=0)
    chunks, stamps, lock = [], [], threading.Lock()
    def reader():
        time.sleep(case.get("read_delay_ms", 0) / 1000)
        while True:
            b = os.read(p.stdout.fileno(), 1 << 20)
            if not b: return
            with lock: chunks.append(b); stamps.append(time.monotonic())
    th = threading.Thread(target=reader, daemon=True); th.start()
    def writer():
        try:
            for d in data:
                mv = memoryview(d)
                while mv: mv = mv[p.stdin.write(mv):]
        except (BrokenPipeError, OSError): pass
    w = threading.Thread(target=writer, daemon=True); w.start(); w.join(60)
    t0 = time.monotonic()
    if not case.get("close_at_once"):
        quiet = 3.0 if case.get("slow") else 0.35
        least = max(case.get("wait_ms", 0), case.get("read_delay_ms", 0) + 200) / 1000
        while time.monotonic() - t0 < 30:
            time.sleep(0.02)
            with lock: last = stamps[-1] if stamps else t0
            if time.monotonic() - t0 >= least and time.monotonic() - max(last, t0) >= quiet: break
            if p.poll() is not None: break
    t1 = time.monotonic()
    try: p.stdin.close()
    except OSError: pass
    try: code = p.wait(5)
    except subprocess.TimeoutExpired: code = None; p.kill(); p.wait()
    ms = (time.monotonic() - t1) * 1000
    th.join(5)
    raw = b"".join(chunks)
    try: raw.decode("utf-8"); utf8ok = True
    except UnicodeDecodeError: utf8ok = False
    R, bad, when, pos = [], [], {}, 0
    ends, acc = [], 0
    for b, s in zip(chunks, stamps): acc += len(b); ends.append((acc, s))
    for line in raw.split(b"\n"):
        pos += len(line) + 1
        if not line.strip(): continue
        try:
            m = json.loads(line.decode("utf-8"), parse_constant=lambda c: (_ for _ in ()).throw(ValueError(c)))
            if not isinstance(m, (dict, list)): raise ValueError
        except (ValueError, RecursionError): bad.append(line); continue
        R.append(m); when[len(R) - 1] = next((s for e, s in ends if e >= min(pos, acc)), t0)
    flat = [(x, i) for i, m in enumerate(R) for x in (m if isinstance(m, list) else [m]) if isinstance(x, dict)]
    responses = [x for x, _ in flat if "method" not in x]
    def all_by(i): return [x for x in responses if "id" in x and same(x["id"], i)]
    def by(i): return (all_by(i) or [None])[0]
    def res(i): return (by(i) or {}).get("result")
    def err(i): return ((by(i) or {}).get("error") or {}).get("code")
    def text(i): return next((b["text"] for b in (res(i) or {}).get("content", []) if b.get("type") == "text"), None)
    def rtext(i): return next((b["text"] for b in (res(i) or {}).get("contents", []) if "text" in b), None)
    def iserror(i): return bool((res(i) or {}).get("isError"))
    def errs(code=None): return [x for x in responses if x.get("id") is None and "error" in x and (code is None or x["error"].get("code") == code)]
    def notes(m): return [x.get("params", {}) for x, _ in flat if x.get("method") == m and "id" not in x]
    def t(i): return next(((when[k] - t0) * 1000 for x, k in flat if "method" not in x and same(x.get("id"), i)), 1e9)
    def last_is(i): return bool(R) and isinstance(R[-1], dict) and "method" not in R[-1] and same(R[-1].get("id"), i)
    ns = dict(locals(), json=json, same=same, isint=isint, rising=rising, exit=code)
    try: ok = bool(eval(case["check"], ns))
    except Exception as e: ok = False; bad.append(repr(e).encode())
    return ok, raw, bad, code

def main(a):
    key, slow, verbose = None, False, False
    while a and a[0].startswith("-"):
        o = a.pop(0)
        if o == "-k": key = a.pop(0)
        elif o == "--slow": slow = True
        elif o == "-v": verbose = True
        else: sys.exit(__doc__)
    if not a: sys.exit(__doc__)
    n = failed = skipped = 0
    for line in open(os.path.join(HERE, "cases.jsonl"), encoding="utf-8"):
        c = json.loads(line)
        if key and key not in c["name"]: continue
        if c.get("slow") and not slow: skipped += 1; continue
        n += 1
        ok, raw, bad, code = run(c, a, verbose)
        if not ok:
            failed += 1
            print(f"FAIL {c['n']:>2} {c['name']} ({c['version']}): {c['expect']}\n       exit={code} bad={bad[:2]!r:.200}\n       got={raw[-600:]!r}")
    print(f"{n - failed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0
if __name__ == "__main__": sys.exit(main(sys.argv[1:]))
