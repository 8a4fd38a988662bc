"""Compares the server's judgement of arguments with that of a JSON Schema validator.

       differ.py SCHEMAS PROGRAM...     programs that speak stdio; DIFFER_SEED=n, DIFFER_CALLS=n a tool

   Every schema that tools/list shows, in every version, has to be one; random arguments, most of them
   nearly right, have to be taken or refused as the listed schema says, and those at fault to be named;
   structured results have to fit the tool's outputSchema. Every message is validated on the way.
   Where the library means to differ from JSON Schema stands in fair().
"""
import copy, json, os, random, re, subprocess, sys, tempfile, threading
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from itertools import islice

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, best_match
from validate import MODERN, Schemas, Wrong, parse

SEED, CALLS = int(os.environ.get("DIFFER_SEED", "1")), int(os.environ.get("DIFFER_CALLS", "500"))
PATIENCE = 300            # seconds: after that it hangs
rng = random.Random()
META = "io.modelcontextprotocol/"
LACKS = -32021            # the error for a client that lacks what a handler needs
CLIENT = {"capabilities": {}, "clientInfo": {"name": "differ", "version": "1"}}

# Raw JSON Schema is listed as its author wrote it, and not checked: that is the handler's.
RAW = {"tools.raw", "tools.schema_tool.raw", "golden.schema_tool.raw", "golden.schema_tool.items", "chk.mix.m", "routes.raw"}
# Listed by its rows, judged by its handler (MCP_UNCHECKED).
UNCHECKED = {"tools.unchecked"}
# Answers with a protocol error of its own.
ERROR = {"tools.refused", "page.fails", "routes.GET__refuses"}
# There to be listed: what it says about its result is not true.
LISTED = {"faces.full"}
# Work for as long as they are told, or replace what is compared: they get only what has to be refused.
SLOW = {"fixture.slow", "slow.primes", "primes.primes", "batch.convert", "routes.GET__again"} | {f"offers.{t}" for t in ("touch", "replace", "slow", "large", "burst")}


class Dead(Wrong):
    pass


# ---- the server ----
class Server:
    def __init__(self, program, schemas, version, folder):
        self.schemas, self.version, self.count = schemas, version, 0
        self.process = subprocess.Popen([program], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if version != MODERN:
            answer = self.ask("initialize", json.dumps({"protocolVersion": version, **CLIENT}))
            if "error" in answer or answer["result"]["protocolVersion"] != version:
                raise Wrong(f"initialize {version}: {answer}")
            self.write('{"jsonrpc":"2.0","method":"notifications/initialized"}')

    def write(self, line):
        try:
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass      # the reader will tell

    def request(self, method, params):
        self.count += 1
        if self.version == MODERN:
            meta = '"_meta":{"%sprotocolVersion":"%s","%sclientCapabilities":{}}' % (META, MODERN, META)
            params = "{" + meta + ("," if params.strip() != "{}" else "") + params.strip()[1:]
        return '{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}' % (self.count, method, params)

    def answers(self, lines, method):
        """Sends all, reads as many answers; each is validated."""
        wanted = range(self.count - len(lines) + 1, self.count + 1)
        got = {}
        writer = threading.Thread(target=self.write, args=("\n".join(lines),))
        writer.start()
        timer = threading.Timer(PATIENCE, self.process.kill)
        timer.start()
        while len(got) < len(wanted):
            raw = self.process.stdout.readline()
            if not raw:
                timer.cancel()
                first = next(l for n, l in zip(wanted, lines) if n not in got)
                raise Dead(f"{first:.300}: no answer, exit status {self.process.wait()}")
            message = parse(raw)
            self.schemas.message(self.version, message.get("method", method), message)
            if "method" in message: continue
            if message.get("id") not in wanted or message["id"] in got:
                raise Dead(f"nobody asked for {raw!r:.300}")
            got[message["id"]] = message
        timer.cancel()
        writer.join()
        return [got[n] for n in wanted]

    def ask(self, method, params="{}"):
        return self.answers([self.request(method, params)], method)[0]

    def tools(self):
        tools, cursor = [], None
        while True:
            answer = self.ask("tools/list", json.dumps({"cursor": cursor}) if cursor is not None else "{}")
            if answer.get("error", {}).get("code") == -32601: return []     # it offers none
            result = answer["result"]
            tools += result["tools"]
            cursor = result.get("nextCursor")
            if cursor is None:
                for tool in tools: tool["id"] = f"{os.path.basename(self.process.args[0])}.{tool['name']}"
                return tools

    def close(self):
        if self.process.poll() is None:
            self.process.stdin.close()
        if self.process.wait(PATIENCE):
            raise Wrong(f"exit status {self.process.returncode}")


# ---- random arguments ----
HUGE = float("inf")       # stands for 1e400, a number that no double holds
TEXTS = ["", "a", "b", "ab", "abc", "abcd", "é", "😀", "日本語", "\x00", "\"\\/\b\f\n\r\t", "\ud800", "x\udc00y", "\u2028", "red", "1", "true", "null", "a@b.example", "a" * 300]
NUMBERS = [0, 1, -1, 2, 3, 4, 10, 11, 99, 100, 101, 2**31, 2**53, 2**53 + 1, 2**63 - 1, -2**63, 0.5, 1.5, -0.0, 1e2, 1e9, 999999999.5, 1e21, 1e300, 5e-324, 0.1, 2**63, -2**63 - 1, 2**64, 10**30, 1.7976931348623157e308, HUGE, -HUGE]
NAMES = ["", "zzz", "a b", "é", "__proto__", "\x01", "A" * 200]


def anything(depth=0):
    kind = rng.randrange(9 if depth < 2 else 6)
    if kind == 0: return None
    if kind == 1: return rng.random() < .5
    if kind <= 3: return rng.choice(NUMBERS)
    if kind <= 5: return rng.choice(TEXTS)
    if kind == 6: return [anything(depth + 1) for _ in range(rng.randrange(4))]
    return {rng.choice(NAMES + TEXTS[1:5]): anything(depth + 1) for _ in range(rng.randrange(3))}


def number(s, integer):
    low, high = s.get("minimum", s.get("exclusiveMinimum")), s.get("maximum", s.get("exclusiveMaximum"))
    edges = [x + d for x in (low, high) if x is not None for d in (-1, 0, 1)]
    if not integer:
        edges += [x + d for x in (low, high) if x is not None for d in (-.25, .25, 1e-9)]
    if low is not None and high is not None and rng.random() < .5:
        return rng.randint(int(low), int(high)) if integer else rng.uniform(low, high)
    if edges and rng.random() < .7:
        return rng.choice(edges)
    return rng.choice([x for x in NUMBERS if not integer or x % 1 == 0 or rng.random() < .2])


def some(s):
    """A value that probably fits the schema."""
    if "const" in s: return s["const"]
    if "enum" in s and rng.random() < .9: return rng.choice(s["enum"])
    if "anyOf" in s or "oneOf" in s: return some(rng.choice(s.get("anyOf") or s["oneOf"]))
    kind = s.get("type")
    if isinstance(kind, list): kind = rng.choice(kind)
    if kind == "object":
        names = list(s.get("properties", {}))
        d = {k: some(s["properties"][k]) for k in names if k in s.get("required", []) or rng.random() < .6}
        if s.get("additionalProperties") is not False and rng.random() < .3:
            d[rng.choice(NAMES)] = anything()
        return dict(rng.sample(list(d.items()), len(d)))
    if kind == "array":
        low, high = s.get("minItems", 0), s.get("maxItems", 4)
        return [some(s.get("items", {})) for _ in range(rng.choice([low, high, max(0, low - 1), high + 1, rng.randint(low, max(low, high))]))]
    if kind == "string":
        low, high = s.get("minLength", 0), s.get("maxLength")
        if (low or high) and rng.random() < .6:
            return "".join(rng.choice("ab é😀\ud800") for _ in range(max(0, rng.choice([low - 1, low, high or low, (high or low) + 1]))))
        return rng.choice(TEXTS)
    if kind == "integer": return number(s, True)
    if kind == "number": return number(s, False)
    if kind == "boolean": return rng.random() < .5
    return None if kind == "null" else anything()


def spoil(v):
    """Changes something, somewhere."""
    if isinstance(v, dict) and v:
        k = rng.choice(list(v))
        what = rng.random()
        if what < .3: del v[k]
        elif what < .5: v[rng.choice(NAMES)] = anything()
        else: v[k] = spoil(v[k])
        return v
    if isinstance(v, list) and v and rng.random() < .7:
        i = rng.randrange(len(v))
        v[i] = spoil(v[i])
        return v
    return anything()


def text(v):
    """JSON, spelled in one of the many ways."""
    gap = rng.choice(["", "", "", " ", "\t "])
    if isinstance(v, dict):
        return "{" + gap + ("," + gap).join(string(k) + gap + ":" + text(w) for k, w in v.items()) + gap + "}"
    if isinstance(v, list):
        return "[" + gap + ("," + gap).join(map(text, v)) + gap + "]"
    if isinstance(v, str):
        return string(v)
    if isinstance(v, int) and not isinstance(v, bool) and abs(v) < 2**50:
        if v and rng.random() < .1: return "%d0e-1" % v
        return rng.choice(["%d", "%d", "%d", "%d.0", "%de0", "%d.0E+0", "%d.00e+0"]) % v
    return json.dumps(v).replace("Infinity", "1e400") if isinstance(v, float) else json.dumps(v)


def string(s):
    if rng.random() < .2:
        return '"' + "".join("\\u%04x" % ord(c) if ord(c) < 0x10000 else c for c in s) + '"'
    surrogates = any(0xD800 <= ord(c) < 0xE000 for c in s)
    return json.dumps(s, ensure_ascii=surrogates or rng.random() < .5)


# ---- judging ----
DOUBLE = sys.float_info.max


def fair(tool):
    """The listed schema, as the library means it."""
    s = copy.deepcopy(tool["inputSchema"])
    if tool["id"] in RAW | UNCHECKED:
        return {"type": "object"}
    for k in s.get("properties", {}):
        if f"{tool['id']}.{k}" in RAW:
            s["properties"][k] = {}

    def narrow(n):      # what handlers get is an int64_t or a double: what they can't hold is out of range
        if isinstance(n, dict):
            for v in list(n.values()):
                narrow(v)
            kinds = n.get("type")
            for kind, low, high in ("integer", -2**63, 2**63 - 1), ("number", -DOUBLE, DOUBLE):
                if kinds == kind or isinstance(kinds, list) and kind in kinds:
                    n.setdefault("allOf", []).append({"if": {"type": "number"}, "then": {"minimum": low, "maximum": high}})
        elif isinstance(n, list):
            for v in n:
                narrow(v)
    narrow(s.get("properties", {}))
    return s


def at_fault(errors, schema, args):
    """The names of top-level members that errors are about."""
    names = set()
    for e in errors:
        if e.absolute_path: names.add(e.absolute_path[0])
        elif e.validator == "required": names |= set(e.validator_value) - set(args)
        elif e.validator == "additionalProperties": names |= set(args) - set(schema.get("properties", {}))
    return {n for n in names if re.fullmatch("[A-Za-z0-9_-]{1,40}", n)}


def judge(tool, schema, validator, args, answer, tally):
    errors = list(validator.iter_errors(args))
    asks = answer.get("error", {}).get("code") == LACKS     # the handler was there, and this client cannot be asked
    if "error" in answer and not asks:
        if tool["id"] in UNCHECKED | ERROR: return
        raise Wrong(f"a protocol error: {answer['error']}")
    result = answer.get("result")
    said = result["content"][0]["text"] if result and result["isError"] else ""
    refused = said.startswith("Invalid arguments: ")
    tally["refused" if refused else "taken"] += 1
    if refused != bool(errors):
        raise Wrong(f"refused, but the schema allows it: {said:.300}" if refused else f"taken, but: {errors[0].message:.300} at {list(errors[0].absolute_path)}")
    if refused and " more" not in said:
        unnamed = sorted(n for n in at_fault(errors, schema, args) if n not in said)
        if unnamed: raise Wrong(f"{unnamed} not named in: {said:.400}")
    if result: fits_output(tool, result)


def fits_output(tool, result):
    if "outputSchema" in tool and not result["isError"] and tool["id"] not in LISTED:
        if "structuredContent" not in result:
            raise Wrong("no structuredContent, but an outputSchema")
        e = best_match(Draft202012Validator(tool["outputSchema"]).iter_errors(result["structuredContent"]))
        if e is not None: raise Wrong(f"structuredContent: {e.message:.300}")
    if "structuredContent" in result and not any(c.get("type") == "text" for c in result["content"]):
        raise Wrong("structuredContent without its text")


passed = failed = 0


def check(name, body):
    global passed, failed
    try:
        body()
        passed += 1
    except (Wrong, SchemaError) as e:
        failed += 1
        print(f"FAIL {name}: {e.message if isinstance(e, SchemaError) else e}")
        return not isinstance(e, Dead)
    return True


def valid_schemas(tools):
    for tool in tools:
        for key in "inputSchema", "outputSchema":
            if key in tool:
                if key == "inputSchema" and tool[key].get("type") != "object": raise Wrong(f"{tool['name']}: the root is no object")
                try:
                    Draft202012Validator.check_schema(tool[key])
                except SchemaError as e:
                    raise Wrong(f"{tool['name']}.{key}: {e.message}") from None


def compare(server, tool, tally):
    schema = fair(tool)
    validator = Draft202012Validator(schema)
    jobs = []
    for _ in range(CALLS if tool["inputSchema"].get("properties") else 20):
        args = some(tool["inputSchema"])
        for _ in range(rng.choice([0, 0, 1, 1, 2, 3])): args = spoil(args)
        # Only objects are arguments: anything else is a matter of the protocol.
        if isinstance(args, dict) and not (tool["id"] in SLOW and validator.is_valid(args)): jobs.append((args, text(args)))
    it, bad = iter(jobs), []
    while batch := list(islice(it, 50)):
        lines = [server.request("tools/call", '{"name":%s,"arguments":%s}' % (json.dumps(tool["name"]), t)) for _, t in batch]
        for (args, spelled), answer in zip(batch, server.answers(lines, "tools/call")):
            try:
                judge(tool, schema, validator, args, answer, tally)
            except Wrong as e:
                bad.append(f"{spelled:.300}: {e}")
    if bad: raise Wrong(f"{len(bad)} of {len(jobs)}, first {bad[0]}" + "".join(f"\n     {b}" for b in bad[1:6]))


def likely(server, tool):
    """A few calls in an older version, for the shape of what comes back."""
    validator = Draft202012Validator(fair(tool))
    for _ in range(3):
        args = next((a for a in (some(tool["inputSchema"]) for _ in range(200)) if validator.is_valid(a)), None)
        if args is None or tool["id"] in SLOW: return
        answer = server.ask("tools/call", '{"name":%s,"arguments":%s}' % (json.dumps(tool["name"]), text(args)))
        if "result" in answer: fits_output(tool, answer["result"])


def program(path, schemas, folder):
    name, tally = os.path.basename(path), Counter()
    rng.seed(f"{SEED} {name}")      # the same, whatever else is looked at
    server = Server(path, schemas, MODERN, folder)
    versions = server.ask("server/discover")["result"]["supportedVersions"]
    server.close()
    for version in versions:
        def whole():
            server = Server(path, schemas, version, folder)
            tools = server.tools()
            check(f"{name} {version}: schemas", lambda: valid_schemas(tools))
            for tool in tools:
                go_on = check(f"{name} {version}: {tool['name']}", lambda: compare(server, tool, tally) if version == MODERN else likely(server, tool))
                if not go_on: return
            server.close()
        check(f"{name} {version}", whole)
    print(f"{name}: {tally['taken']} arguments taken, {tally['refused']} refused")


def job(folder_of_schemas, path):
    """One program, in a process and an empty directory of its own: some programs write and list files."""
    with tempfile.TemporaryDirectory() as folder:
        program(os.path.abspath(path), Schemas(folder_of_schemas), folder)
    return passed, failed


if __name__ == "__main__":
    with ProcessPoolExecutor(os.cpu_count(), max_tasks_per_child=1) as pool:
        sums = list(pool.map(job, [sys.argv[1]] * len(sys.argv[2:]), sys.argv[2:]))
    passed, failed = (sum(n) for n in zip(*sums))
    print(f"{passed} passed, {failed} failed" + f" (seed {SEED})" * bool(failed))
    sys.exit(0 if passed and not failed else 1)
