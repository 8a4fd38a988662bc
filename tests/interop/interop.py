"""Drives the official Python client against two servers, over stdio and, with --http PORT added to
   their commands, over HTTP; fixture.json and asks.json say what they offer, what is answered them, and
   what comes of it.
   python interop.py [--only TEXT] [--verbose] FIXTURE ASKS"""
import itertools, json, logging, re, subprocess, sys, tempfile, time, warnings
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import anyio
import mcp_types as types
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage

warnings.simplefilter("ignore")  # the client calls ping and logging deprecated
logging.disable()                # complaints are counted by Tap instead
ARGV = sys.argv[1:]
ONLY = (ARGV.pop(0), ARGV.pop(0))[1] if ARGV[:1] == ["--only"] else ""
VERBOSE = ARGV[:1] == ["--verbose"] and bool(ARGV.pop(0))
SPEC, ASKS = (json.loads(Path(__file__).with_name(n).read_text("utf-8")) for n in ("fixture.json", "asks.json"))
MODERN, LATEST = SPEC["modern"], SPEC["legacy"][-1]
ORDER = SPEC["legacy"] + [MODERN]
META = "io.modelcontextprotocol/"


# ---- checks ----
class Wrong(Exception):
    pass


def ok(cond, text):
    if not cond:
        raise Wrong(text)


def mismatch(actual, want, path):
    """Why actual is not what was wanted, or None."""
    no = f"{path} is {actual!r:.300}, not {want!r:.300}"
    if isinstance(want, dict) and "$re" in want:
        return None if isinstance(actual, str) and re.search(want["$re"], actual, re.S) else no
    if isinstance(want, dict):
        if not isinstance(actual, dict):
            return no
        return next(filter(None, (mismatch(actual.get(k), v, f"{path}.{k}") for k, v in want.items())), None)
    if isinstance(want, list):
        if not isinstance(actual, list) or len(actual) != len(want):
            return no
        return next(filter(None, (mismatch(a, w, f"{path}[{i}]") for i, (a, w) in enumerate(zip(actual, want)))), None)
    return None if type(actual) is type(want) and actual == want else no


def same(actual, want, path="result"):
    m = mismatch(actual, want, path)
    ok(m is None, m)


def fits(actual, entry, version, path):
    """An entry of fixture.json: what every version carries, and what only newer ones may."""
    same(actual, entry["is"], path)
    for first, more in entry.get("since", {}).items():
        if ORDER.index(version) >= ORDER.index(first):
            same(actual, more, path)
        else:
            for k in more:
                ok(k not in actual, f"{path}.{k} is not of {version}")


passed = failed = 0
leg = ""


async def check(name, body):
    global passed, failed
    if ONLY not in f"{leg}: {name}":
        return
    try:
        with anyio.fail_after(20):
            await body()
        passed += 1
        if VERBOSE:
            print(f"ok   {leg}: {name}")
    except Exception as e:
        failed += 1
        while isinstance(e, BaseExceptionGroup):
            e = e.exceptions[0]
        print(f"FAIL {leg}: {name}: {str(e) if isinstance(e, Wrong) else repr(e):.600}")


# ---- a connection ----
class Tap:
    """Records every message of a connection. to: a server that listens, or the command of a process
    of its own. version is what initialize asks for: the client would only ever ask for its newest."""

    def __init__(self, version, to):
        command, to = (to, None) if isinstance(to, str) else (None, to)
        self.command = command
        self.version, self.sent, self.received, self.errors = version, [], [], []
        self.to, self.printed = to, to.printed if to else tempfile.TemporaryFile("w+")

    @asynccontextmanager
    async def open(self):
        transport = self.to.transport() if self.to else stdio_client(
            StdioServerParameters(command=self.command), errlog=self.printed)
        async with transport as (read, write):
            yield Read(read, self), Write(write, self)

    def got(self, method):
        return [m for m in self.received if m.get("method") == method]

    def answers(self, request_id):
        return [m for m in self.received if "method" not in m and m.get("id") == request_id]


class Server:
    """Listens on a port of its own choice."""

    def __init__(self, command):
        self.printed = tempfile.TemporaryFile("w+")
        self.child = subprocess.Popen([command, "--http", "-1"], stdin=subprocess.DEVNULL, stdout=self.printed, stderr=self.printed)
        for _ in range(500):
            time.sleep(0.01)
            self.printed.seek(0)
            if m := re.search(r"listening on (\S+)", self.printed.read()):
                self.url = m[1]
                return
        raise Wrong("it does not listen")

    def transport(self):
        return streamable_http_client(self.url)


class Sse:
    """The same server, by the transport of 2024-11-05."""

    def __init__(self, server):
        self.printed, self.url = server.printed, server.url.replace("/mcp", "/sse")

    def transport(self):
        return sse_client(self.url)


class Stream:
    def __init__(self, stream, tap):
        self.stream, self.tap = stream, tap

    def __getattr__(self, name):
        return getattr(self.stream, name)

    async def __aenter__(self):
        await self.stream.__aenter__()
        return self

    async def __aexit__(self, *exc):
        return await self.stream.__aexit__(*exc)


class Read(Stream):
    async def receive(self):
        item = await self.stream.receive()
        if isinstance(item, SessionMessage):
            self.tap.received.append(item.message.model_dump(by_alias=True, exclude_unset=True, mode="json"))
        else:
            self.tap.errors.append(str(item))
        return item

    def __aiter__(self):
        return self

    async def __anext__(self):
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None


class Write(Stream):
    async def send(self, item):
        message = item.message
        if self.tap.version and getattr(message, "method", "") == "initialize":
            message.params["protocolVersion"] = self.tap.version
        self.tap.sent.append(message.model_dump(by_alias=True, exclude_unset=True, mode="json"))
        await self.stream.send(item)


def plain(model):
    return model.model_dump(by_alias=True, exclude_unset=True, mode="json")


# ---- both eras ----
async def common(c, tap):
    version = c.protocol_version

    async def call(tool, args=None, **more):
        return plain(await c.call_tool(tool, args, **more))

    async def identity():
        same(plain(c.server_info), SPEC["server"], "serverInfo")
        fits(plain(c.server_capabilities), SPEC["capabilities"], version, "capabilities")
    await check("who and what it is", identity)

    async def listed(method, key, name, entries):
        rows = [plain(t) for t in getattr(await method(), key)]
        same([r[name] for r in rows], [e["is"][name] for e in entries], "names")
        for r, entry in zip(rows, entries):
            fits(r, entry, version, r[name])
        same([plain(t) for t in getattr(await method(), key)], rows, "the second list")

    for method, key, name, entries in (
            (c.list_tools, "tools", "name", SPEC["tools"]), (c.list_resources, "resources", "uri", SPEC["resources"]),
            (c.list_resource_templates, "resource_templates", "uriTemplate", SPEC["templates"]), (c.list_prompts, "prompts", "name", SPEC["prompts"])):
        await check(f"list of {key}", partial(listed, method, key, name, entries))

    async def refused(call, code):
        try:
            ok(False, f"it gave {await call}")
        except MCPError as e:
            ok(e.error.code == code, f"{e.error}, not {code}")

    async def read(r):
        fits(plain(await c.read_resource(r["uri"])), r, version, "result")
    for r in SPEC["reads"]:
        await check(f"read {r['uri']}", partial(read, r))
    for uri in SPEC["missing"]:
        async def missing(uri=uri):
            await refused(c.read_resource(uri), -32602 if version == MODERN else -32002)
        await check(f"no resource {uri}", missing)

    async def get(p):
        fits(plain(await c.get_prompt(p["name"], p["args"])), p, version, "result")
    for p in SPEC["gets"]:
        await check(f"prompt {p['name']} {p['args']}", partial(get, p))
    for p in SPEC["badGets"]:
        async def bad_get(p=p):
            await refused(c.get_prompt(p["name"], p.get("args")), -32602)
        await check(f"no prompt {p}", bad_get)

    async def completion():
        k = SPEC["completion"]
        ref = types.PromptReference(type="ref/prompt", name=k["ref"]["name"])
        got = plain(await c.complete(ref, k["argument"]))["completion"]
        same(got, {"total": k["total"], "hasMore": True}, "completion")
        ok(len(got["values"]) == 100 and all(v.startswith(k["argument"]["value"]) for v in got["values"]), f"values: {got!r:.300}")
    await check("completion", completion)

    for k in SPEC["calls"]:
        async def one(k=k):
            fits(await call(k["tool"], k.get("args")), k, version, "result")
        await check(f"{k['tool']} {k.get('args')!r:.80}", one)

    async def exact():
        for n in 9007199254740993, 2**63 - 1, -2**63:
            same((await call("big_int", {"n": n}))["content"][0]["text"], '{"n":%d}' % n, "text")
        same((await call("add", {"a": 3.0, "b": 1e2}))["content"][0]["text"], '{"sum":103}', "3.0 + 1e2")
    await check("integers keep their digits, 3.0 is one", exact)

    async def unknown():
        await refused(c.call_tool("no_such_tool"), -32602)
    await check("an unknown tool", unknown)

    async def large():
        text = "x" * 10**6 + "€"
        ok((await call("echo", {"text": text}))["content"][0]["text"] == text, "another text came back")
    await check("a megabyte there and back", large)

    async def many():
        results = {}

        async def one(i, k):
            results[i] = await call(k["tool"], k.get("args"))
        jobs = list(itertools.islice(itertools.cycle(SPEC["calls"]), 50))
        async with anyio.create_task_group() as tg:
            for i, k in enumerate(jobs):
                tg.start_soon(one, i, k)
        for i, k in enumerate(jobs):
            fits(results[i], k, version, k["tool"])
    await check("fifty calls at once", many)

    async def noise():
        def printed():
            tap.printed.seek(0)
            return tap.printed.read().count("noise")
        before = printed()
        await call("printf")
        ok(printed() > before, "no noise there")
    await check("printf stays out of the way", noise)

    async def progress():
        seen, before = [], len(tap.got("notifications/progress"))

        async def on_progress(done, total, message):
            seen.append(done)
        await call("slow", {"ms": 90, "steps": 3}, progress_callback=on_progress)
        got = [m["params"] for m in tap.got("notifications/progress")[before:]]
        request = [m for m in tap.sent if m.get("method") == "tools/call"][-1]
        token = request["params"]["_meta"]["progressToken"]
        ok(tap.received[-1] in tap.answers(request["id"]), "the result was not the last message")
        same([n["progressToken"] for n in got], [token] * 3, "tokens")
        ok(got[0]["progress"] < got[1]["progress"] < got[2]["progress"], f"not rising: {got}")
        ok(seen, "no callback ran")
        ok(version != "2024-11-05" or not any("message" in n for n in got), "message is not of 2024-11-05")
    await check("progress", progress)

    async def cancel():
        start = time.monotonic()
        with anyio.move_on_after(0.1):
            await call("slow", {"ms": 1000, "steps": 50})
            ok(False, "it was answered")
        request = [m for m in tap.sent if m.get("method") == "tools/call"][-1]
        same((await call("noargs"))["content"][0]["text"], "ok", "text")
        ok(tap.sent[-2].get("method") == "notifications/cancelled", f"the client sent {tap.sent[-2]}")
        ok(time.monotonic() - start < 0.7, "the tool went on")
        await anyio.sleep(start + 1.2 - time.monotonic())
        # Over HTTP a client answers itself what was not answered.
        ok(not any("result" in a for a in tap.answers(request["id"])), "the cancelled call was answered")
    await check("cancel", cancel)


async def logged(c, logs, want, what, meta=None):
    logs.clear()
    await c.call_tool("log", meta=meta)
    await anyio.sleep(0.05)
    same([n.level for n in logs], want, what)
    ok(all(isinstance(n.data, str) for n in logs), f"data is missing: {logs}")


async def legacy(c, tap, logs):
    async def ping():
        same(plain(await c.send_ping()), {})
    await check("ping", ping)

    async def logging_levels():
        await c.set_logging_level("debug")
        await logged(c, logs, SPEC["logs"], "at debug")
        await c.set_logging_level("error")
        await logged(c, logs, ["error"], "at error")
    await check("logging", logging_levels)

    async def subscribe():
        uri = SPEC["reads"][0]["uri"]
        same(plain(await c.session.subscribe_resource(uri)), {})
        same(plain(await c.session.unsubscribe_resource(uri)), {})
    await check("subscribe and unsubscribe", subscribe)

    async def era():
        for m in tap.received:
            for k in "resultType", "ttlMs", "cacheScope", "_meta":
                ok(k not in m.get("result", {}), f"{k} in {m!r:.300}")
    await check("nothing of the other era on the wire", era)


async def modern(c, tap, logs):
    async def discover():
        same(await c.session.send_discover(MODERN), {"supportedVersions": ORDER[::-1], "capabilities": SPEC["capabilities"]["is"]})
    await check("server/discover", discover)

    async def logging_levels():
        await logged(c, logs, [], "when not asked for")
        await logged(c, logs, SPEC["logs"], "at debug", {META + "logLevel": "debug"})
        await logged(c, logs, ["error"], "at error", {META + "logLevel": "error"})
        await logged(c, logs, [], "afterwards")
    await check("logging", logging_levels)

    async def complete():
        cached = "server/discover", "tools/list", "resources/list", "resources/templates/list", "resources/read", "prompts/list"
        for m in (m for m in tap.sent if "id" in m):
            for r in (a["result"] for a in tap.answers(m["id"]) if "result" in a):
                same(r, {"resultType": "complete", "_meta": {META + "serverInfo": SPEC["server"]}})
                ok((m["method"] in cached) == ("ttlMs" in r and "cacheScope" in r), f"{m['method']}: {r!r:.300}")
    await check("every result is complete and signed, what may be kept says so", complete)

    async def subscription():
        uri = SPEC["reads"][0]["uri"]
        async with c.listen(tools_list_changed=True, resource_subscriptions=[uri]):
            pass
        same(plain(await c.list_tools())["resultType"], "complete", "what follows")
        got = tap.got("notifications/subscriptions/acknowledged")[-1]["params"]
        same(got["notifications"], {"toolsListChanged": True, "resourceSubscriptions": [uri]}, "what was promised")
    await check("subscriptions/listen", subscription)


# ---- answering ----
class Answers:
    """What a client answers questions with, and what it was asked."""

    def __init__(self, declines):
        self.declines, self.asked = declines, []

    async def elicit(self, _, params):
        url = getattr(params, "url", None)
        self.asked.append(url or params.message)
        if self.declines:
            return types.ElicitResult(action="decline")
        return types.ElicitResult(action="accept", content=None if url else ASKS["forms"][params.message])

    async def sample(self, _, params):
        content = params.messages[0].content
        self.asked.append((content[0] if isinstance(content, list) else content).text)
        return types.CreateMessageResult.model_validate(ASKS["message"])

    async def roots(self, _):
        self.asked.append("roots")
        return types.ListRootsResult.model_validate({"roots": ASKS["roots"]})

    def callbacks(self):
        return {"elicitation_callback": self.elicit, "sampling_callback": self.sample, "list_roots_callback": self.roots,
                "sampling_capabilities": types.SamplingCapability(tools=types.SamplingToolsCapability())}


async def answering(c, how):
    def lacks(k):
        return ORDER.index(c.protocol_version) < ORDER.index(k["since"])

    async def one(k):
        how.asked.clear()
        result = plain(await c.call_tool(k["tool"]))
        if lacks(k):
            same(result, {"isError": True, "content": [{"text": {"$re": "supports"}}]})
            return
        same(result["content"][0]["text"], k["says"], "text")
        same(sorted(how.asked) if k["tool"] == "pair" else how.asked, k["asked"], "asked")

    async def decline():
        same(plain(await c.call_tool(ASKS["declined"]["tool"])), {"isError": True, "content": [{"text": ASKS["declined"]["says"]}]})

    async def again():
        same(plain(await c.call_tool("keeps"))["content"][0]["text"], "kept", "text")
    if how.declines:
        if not lacks(ASKS["declined"]):
            await check("a question that is declined", decline)
        return
    for k in ASKS["calls"]:
        await check(f"asks by {k['tool']}", partial(one, k))
    if c.protocol_version == MODERN:
        await check("what only wants to be called again", again)


# ---- legs ----
async def on(name, to, mode, asked, expected, how=None):
    global leg
    leg = name
    tap, logs = Tap(asked, to), []

    async def log(params):
        logs.append(params)

    client = Client(tap.open(), mode=mode, cache=None, client_info=types.Implementation(name="interop", version="1"),
                    logging_callback=log, **(how.callbacks() if how else {}))
    try:
        async with client as c:
            async def version():
                ok(c.protocol_version == expected, f"asked {asked or mode}, got {c.protocol_version}")
            await check("version", version)
            if how:
                await answering(c, how)
            elif asked in (None, expected):
                # A pinned client has not discovered, and so knows neither name nor capabilities.
                if mode == MODERN:
                    c.session.adopt(types.DiscoverResult.model_validate(await c.session.send_discover(MODERN)))
                await common(c, tap)
                await (modern if expected == MODERN else legacy)(c, tap, logs)
            start = time.monotonic()
    except Exception as e:
        async def connection():
            raise e
        await check("connection", connection)
        return

    async def ends():
        ok(time.monotonic() - start < 1.5, "it had to be killed")
        ok(not tap.errors, f"the client complained: {tap.errors[:1]}")
    await check("the server ends with its input" if isinstance(to, str) else "the client leaves", ends)


async def one(name, to):
    for v in SPEC["legacy"]:
        await on(f"py {name} {v}", to, "legacy", v, v)
    for v in "1999-01-01", MODERN:
        await on(f"py {name} {v} is answered with the latest", to, "legacy", v, LATEST)
    await on(f"py {name} auto", to, "auto", None, MODERN)
    await on(f"py {name} pinned {MODERN}", to, MODERN, None, MODERN)


async def asking(name, to):
    for declines in False, True:
        what = "declines" if declines else "answers"
        for v in SPEC["legacy"]:
            await on(f"py {name} {v} {what}", to, "legacy", v, v, Answers(declines))
        await on(f"py {name} auto {what}", to, "auto", None, MODERN, Answers(declines))


async def main():
    global leg
    server, asker = Server(ARGV[0]), Server(ARGV[1])
    await one("stdio", ARGV[0])
    await one("http", server)
    await asking("stdio", ARGV[1])
    await asking("http", asker)
    await on("py http+sse 2024-11-05", Sse(server), "legacy", "2024-11-05", "2024-11-05")
    leg = "py http"

    for s in server, asker:
        async def there(s=s):
            ok(s.child.poll() is None, "it ended")
        await check("the server is there to the end", there)
        s.child.kill()
    print(f"{passed} passed, {failed} failed")


anyio.run(main)
sys.exit(0 if passed and not failed else 1)
