"""Checks messages that the library sent against the official JSON Schema of their version.

       validate.py SCHEMAS [NAME...]    SCHEMAS/VERSION/schema.json; lines of VERSION TAB METHOD TAB MESSAGE
                                        come from the files NAME or from standard input; what MCP
                                        Apps adds is checked against SCHEMAS/apps-2026-01-26
       validate.py SCHEMAS --self-test  whether wrong messages are refused

   METHOD is that of the request which a response answers, a message's own if it has one, or "-"; it
   is spelled as in the message.
   A message that fits no type of its version is wrong; so is one with a member that its version does
   not have (the schemas leave their types open, so they alone would let outputSchema into 2024-11-05).
"""
import base64, copy, json, re, sys
from functools import lru_cache
from pathlib import Path

from jsonschema import Draft7Validator, Draft202012Validator, FormatChecker
from jsonschema.exceptions import best_match

LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
MODERN = "2026-07-28"
RESULTS = {
    "initialize": "InitializeResult", "ping": "EmptyResult", "server/discover": "DiscoverResult",
    "tools/list": "ListToolsResult", "tools/call": "CallToolResult",
    "resources/list": "ListResourcesResult", "resources/templates/list": "ListResourceTemplatesResult",
    "resources/read": "ReadResourceResult", "resources/subscribe": "EmptyResult", "resources/unsubscribe": "EmptyResult",
    "prompts/list": "ListPromptsResult", "prompts/get": "GetPromptResult",
    "completion/complete": "CompleteResult", "logging/setLevel": "EmptyResult",
    "subscriptions/listen": "SubscriptionsListenResult" }
# Tasks are in the core of 2025-11-25 and in an extension of 2026-07-28 (SEP-2663), which has no official schema.
CORE_TASKS = {"tasks/get": "GetTaskResult", "tasks/cancel": "CancelTaskResult", "tasks/list": "ListTasksResult",
              "tasks/result": "CallToolResult"}
TASK = {"type": "object", "additionalProperties": False, "required": ["taskId", "status", "createdAt", "lastUpdatedAt", "ttlMs"],
        "properties": {"taskId": {"type": "string", "minLength": 32}, "statusMessage": {"type": "string"},
                       "status": {"enum": ["working", "input_required", "completed", "failed", "cancelled"]},
                       **{k: {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"} for k in ("createdAt", "lastUpdatedAt")},
                       "ttlMs": {"type": ["integer", "null"], "minimum": 0}, "pollIntervalMs": {"type": "integer", "minimum": 1}}}
# What extensions add (SEP-2640): a result of no other type, with that member.
EXTENSIONS = {"skills/list": "skills", "skills/get": "skill", "resources/directory/read": "resources"}
# Methods of one era only: a result for one of them in the other is wrong, whatever its shape.
ONLY_LEGACY = {"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"}
ONLY_MODERN = {"server/discover", "subscriptions/listen"}
ERRORS = {-32020: "HeaderMismatchError", -32021: "MissingRequiredClientCapabilityError", -32022: "UnsupportedProtocolVersionError"}
UNREADABLE = {-32700, -32600}     # the errors of a request whose id could not be read


class Wrong(Exception):
    pass


# ---- JSON, strictly ----
def unique(pairs):
    d = dict(pairs)
    if len(d) != len(pairs):
        raise Wrong(f"a member twice in {[k for k, _ in pairs]!r:.200}")
    return d


def constant(text):
    raise Wrong(f"{text} is not JSON")


def parse(raw):
    """One message from its bytes: UTF-8, one line, no repeated members, no NaN."""
    try:
        return json.loads(raw.decode("utf-8"), object_pairs_hook=unique, parse_constant=constant)
    except ValueError as e:
        raise Wrong(f"not JSON: {e}") from None


# ---- formats that the schemas use ----
formats = FormatChecker(formats=[])


@formats.checks("byte", ValueError)
def is_base64(s):
    return not isinstance(s, str) or base64.b64encode(base64.b64decode(s, validate=True)).decode() == s


@formats.checks("uri")
def is_uri(s):
    return not isinstance(s, str) or re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]*", s) is not None


# ---- the schemas ----
def definitions(schema):
    return schema["definitions" if "definitions" in schema else "$defs"]


def walk(node, into_all_of=True):
    if isinstance(node, dict):
        yield node
        for k, v in node.items():
            # What a tool says about its arguments is free, and a map is a map.
            if k not in ("inputSchema", "outputSchema") and not k.endswith("MetaObject") and (into_all_of or k != "allOf"):
                yield from walk(v, into_all_of)
    elif isinstance(node, list):
        for v in node:
            yield from walk(v, into_all_of)


def closed(schema, version):
    """The same schema, with no room for members that it does not name."""
    schema = copy.deepcopy(schema)
    defs = definitions(schema)
    parts = {r["$ref"].rsplit("/", 1)[1] for n in walk(defs) for r in n.get("allOf", []) if isinstance(r, dict) and "$ref" in r}
    for name, d in defs.items():
        if name in parts or name.endswith("MetaObject"):
            continue
        for n in walk(d, into_all_of=False):
            if n.get("properties") and n.get("type") == "object":
                n.setdefault("additionalProperties", False)
    # Extensions are announced in every version (SEP-2133), though only the newest schema names them.
    defs["ServerCapabilities"]["properties"].setdefault("extensions", {"type": "object", "additionalProperties": {"type": "object"}})
    # Hints are sent to the clients of 2024-11-05, too: they came a version later, and do no harm.
    if version == "2024-11-05":
        defs["Tool"]["properties"]["annotations"] = { "type": "object", "additionalProperties": False, "properties": {
            "title": {"type": "string"}, **{k: {"type": "boolean"} for k in ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")}}}
    return schema


APPS = "apps-2026-01-26"


class Schemas:
    def __init__(self, folder):
        self.apps = json.loads((Path(folder) / APPS / "schema.json").read_text("utf-8"))
        self.plain = {v: json.loads((Path(folder) / v / "schema.json").read_text("utf-8")) for v in [*LEGACY, MODERN]}
        self.closed = {v: closed(s, v) for v, s in self.plain.items()}

    def has(self, version, name):
        return name in definitions(self.plain[version])

    @lru_cache(None)
    def named(self, version, constant):
        """The type of what a server may send, by its method."""
        defs = definitions(self.plain[version])
        for union in "ServerNotification", "ServerRequest":
            for ref in defs.get(union, {}).get("anyOf", []):
                name = ref["$ref"].rsplit("/", 1)[1]
                if defs[name]["properties"]["method"]["const"] == constant:
                    return name
        raise Wrong(f"{constant} is not of {version}")

    @lru_cache(None)
    def validator(self, version, name, strict):
        schema = (self.closed if strict else self.plain)[version]
        if not self.has(version, name):
            raise Wrong(f"{name} is not of {version}")
        key = "definitions" if "definitions" in schema else "$defs"
        kind = Draft7Validator if key == "definitions" else Draft202012Validator
        return kind({"$schema": schema["$schema"], "$ref": f"#/{key}/{name}", key: schema[key]}, format_checker=formats)

    def check(self, version, name, value, strict=True):
        for s in (False, True) if strict else (False,):
            e = best_match(self.validator(version, name, s).iter_errors(value))
            if e is not None:
                where = "/".join(map(str, e.absolute_path))
                raise Wrong(f"{name} of {version}{', closed' if s else ''}: {where or 'it'}: {e.message:.300}")

    # ---- one message ----
    def message(self, version, method, m):
        if version not in self.plain:
            version = MODERN      # a request whose _meta names a version that nobody speaks, or none at all
        if isinstance(m, list):   # a batch; the runner tells its members apart, so this is one with nothing inside
            raise Wrong("an array")
        if not isinstance(m, dict) or m.get("jsonrpc") != "2.0":
            raise Wrong("no JSON-RPC")
        extra = set(m) - {"jsonrpc", "id", "method", "params", "result", "error"}
        if extra or ("method" in m) + ("result" in m) + ("error" in m) != 1:
            raise Wrong(f"members of an envelope: {sorted(m)}")
        if "method" in m:
            return self.request(version, method, m)
        return self.error(version, m) if "error" in m else self.result(version, method, m)

    def request(self, version, method, m):
        if method not in ("-", m["method"]):
            raise Wrong(f"{m['method']} came, {method} was announced")
        if version == MODERN and "id" in m:
            raise Wrong("a server sends no requests in 2026-07-28")
        if version == MODERN and m["method"] == "notifications/tasks":
            return self.task({k: v for k, v in m["params"].items() if k != "_meta"}, details=True)
        if m["method"] == "notifications/subscriptions/acknowledged":
            m = copy.deepcopy(m)
            m["params"]["notifications"].pop("taskIds", None)  # the extension's
        name = self.named(version, m["method"])
        # The types of old schemas leave out jsonrpc and id.
        self.check(version, "JSONRPCRequest" if "id" in m else "JSONRPCNotification", m, strict=False)
        self.check(version, name, m, strict=False)
        required = set(definitions(self.plain[version])[name]["properties"])
        self.check(version, name, {k: v for k, v in m.items() if k not in ("jsonrpc", "id") or k in required})

    def error(self, version, m):
        kind = "JSONRPCErrorResponse" if self.has(version, "JSONRPCErrorResponse") else "JSONRPCError"
        code = m["error"].get("code") if isinstance(m["error"], dict) else None
        if "id" in m and m["id"] is None and code in UNREADABLE:
            # JSON-RPC 2.0 section 5: the id is null if the request's could not be read. MCP's schemas
            # know no null: the older ones demand an id, the newer ones allow to leave it out. Every
            # client takes null, so it is sent, and this is the one thing that the schemas don't decide.
            m = {k: v for k, v in m.items() if k != "id"}
            if kind == "JSONRPCError":
                m["id"] = 0
        self.check(version, kind, m)
        if code in ERRORS:
            self.check(MODERN, ERRORS[code], m, strict=False)
        if set(m["error"]) - {"code", "message", "data"} or not m["error"]["message"]:
            raise Wrong(f"an error with {m['error']!r:.200}")

    def result(self, version, method, m):
        if method in (ONLY_LEGACY if version == MODERN else ONLY_MODERN):
            raise Wrong(f"a result for {method}, which is not of {version}")
        if method in EXTENSIONS:
            return self.extension(version, EXTENSIONS[method], m["result"])
        if method.startswith("tasks/") and version == MODERN or m["result"].get("resultType") == "task":
            return self.tasks_result(method, m["result"])
        name = RESULTS.get(method) or CORE_TASKS.get(method if version == "2025-11-25" else None) or self.unknown(method)
        if version == "2025-11-25" and method == "tools/call" and "task" in m["result"]:
            name = "CreateTaskResult"
        result = self.pages(version, method, m["result"])
        m = {**m, "result": result}
        if version == MODERN and isinstance(result, dict) and result.get("resultType") == "input_required":
            name = "InputRequiredResult"
        self.check(version, "JSONRPCResultResponse" if self.has(version, "JSONRPCResultResponse") else "JSONRPCResponse", m)
        self.check(version, name, result)
        if name == "EmptyResult" and set(result) - {"resultType", "_meta"}:
            raise Wrong(f"an empty result with {sorted(result)}")
        if version != MODERN and "resultType" in result:
            raise Wrong("resultType in an older version")
        if version == MODERN and "io.modelcontextprotocol/serverInfo" not in result.get("_meta", {}):
            raise Wrong("a result without serverInfo")

    def extension(self, version, member, result):
        self.check(version, "Result", result, strict=False)
        if set(result) - {"resultType", "_meta", "ttlMs", "cacheScope", "nextCursor"} != {member}:
            raise Wrong(f"not {member}: {sorted(result)}")

    # ---- tasks, the extension's ----
    def task(self, value, details):
        """details: what it asks, or what came of it, stands beside it."""
        value = dict(value)
        more = {k: value.pop(k) for k in ("inputRequests", "result", "error") if k in value}
        e = best_match(Draft202012Validator(TASK).iter_errors(value))
        if e is not None:
            raise Wrong(f"a task: {'/'.join(map(str, e.absolute_path)) or 'it'}: {e.message:.300}")
        wants = {"input_required": {"inputRequests"}, "completed": {"result"}, "failed": {"error"}}
        if set(more) != (wants.get(value["status"], set()) if details else set()):
            raise Wrong(f"{sorted(more)} beside a task that is {value['status']}")
        if "result" in more:
            self.result(MODERN, "tools/call", {"jsonrpc": "2.0", "id": 1, "result": more["result"]})
        if "error" in more:
            self.error(MODERN, {"jsonrpc": "2.0", "id": 1, "error": more["error"]})
        if "inputRequests" in more:
            self.check(MODERN, "InputRequiredResult", {"resultType": "input_required", **more}, strict=False)

    def tasks_result(self, method, result):
        self.check(MODERN, "Result", result, strict=False)
        created, fields = result["resultType"] == "task", {k: v for k, v in result.items() if k not in ("resultType", "_meta")}
        if created != (method == "tools/call") or method not in ("tools/call", "tasks/get", "tasks/update", "tasks/cancel"):
            raise Wrong(f"a result for {method}: {sorted(result)}")
        if method in ("tasks/update", "tasks/cancel") and fields:
            raise Wrong(f"an empty result with {sorted(fields)}")
        if method in ("tools/call", "tasks/get"):
            self.task(fields, details=not created)
        if "io.modelcontextprotocol/serverInfo" not in result.get("_meta", {}):
            raise Wrong("a result without serverInfo")

    # ---- MCP Apps ----
    def app(self, name, value):
        e = best_match(Draft202012Validator({**self.apps, "$ref": f"#/$defs/{name}"}).iter_errors(value))
        if e is not None:
            raise Wrong(f"{name} of {APPS}: {'/'.join(map(str, e.absolute_path)) or 'it'}: {e.message:.300}")

    def pages(self, version, method, result):
        """Checks what has to do with pages. Both sides have agreed on their _meta, so the versions that know none
        have it too: what comes back is the result without it, for the schema of that version."""
        lists = {"tools/list": ("tools", "McpUiToolMeta"), "resources/list": ("resources", "McpUiResourceMeta"),
                 "resources/read": ("contents", "McpUiResourceMeta")}
        key, name = lists.get(method, (None, None))
        if not isinstance(result, dict) or not isinstance(result.get(key), list):
            return result
        rows = []
        for row in result[key]:
            ui = row.get("_meta", {}).get("ui") if isinstance(row, dict) and isinstance(row.get("_meta", {}), dict) else None
            if isinstance(ui, dict):
                self.app(name, ui)
                if name == "McpUiToolMeta" and not ui.get("resourceUri", "ui://").startswith("ui://"):
                    raise Wrong(f"a page at {ui['resourceUri']}")
                if version in ("2024-11-05", "2025-03-26"):
                    row = {k: v for k, v in row.items() if k != "_meta"}
            rows.append(row)
        return {**result, key: rows}

    def unknown(self, method):
        raise Wrong(f"a result for {method}")

    def line(self, raw):
        fields = raw.split(b"\t", 2)
        if len(fields) != 3:
            raise Wrong("not VERSION TAB METHOD TAB MESSAGE")
        method = fields[1].decode()
        if "\\" in method:
            method = json.loads(f'"{method}"')
        self.message(fields[0].decode(), method, parse(fields[2]))


# ---- does it notice? ----
def self_test(schemas):
    def tool(more):
        return '{"tools":[{"name":"t","inputSchema":{"type":"object"}%s}]}' % more

    def res(version, method, result, **more):
        if version == MODERN and "resultType" not in more:
            result = result[:-1] + (',' if result != '{}' else '') + '"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}'
        return version, method, '{"jsonrpc":"2.0","id":1,"result":%s}' % result

    def err(version, body, id=1):
        return version, "tools/call", '{"jsonrpc":"2.0","id":%s,"error":%s}' % (json.dumps(id), body)

    def note(version, method, params):
        return version, method, '{"jsonrpc":"2.0","method":"%s","params":%s}' % (method, params)

    text = '{"content":[{"type":"text","text":"x"%s}],"isError":false%s}'
    image = '{"content":[{"type":"image","data":"%s","mimeType":"image/png"}]}'
    task = '{"taskId":"task-0102030405060708090a0b0c0d0e0f10","status":"%s","createdAt":"2026-07-28T12:00:00.000Z",' \
        '"lastUpdatedAt":"2026-07-28T12:00:00.000Z",%s}'
    ended = '"ttlMs":1,"result":{"resultType":"complete","content":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}'
    page = '{"contents":[{"uri":"ui://x","mimeType":"text/html;profile=mcp-app","text":"","_meta":{"ui":{%s}}}]}'
    good = [
        res("2024-11-05", "ping", "{}"), res(MODERN, "tools/call", text % ("", "")),
        res("2024-11-05", "tools/list", tool(',"annotations":{"readOnlyHint":true}')),
        res("2025-06-18", "tools/list", tool(',"title":"T","outputSchema":{"type":"object"}')),
        res(MODERN, "tools/list", tool(',"outputSchema":{"type":"array"}')[:-1] + ',"ttlMs":1,"cacheScope":"public"}'),
        res(MODERN, "tools/call", text % (',"_meta":{"k":1}', ',"structuredContent":[1]')),
        res("2025-11-25", "tools/call", image % "AP8Q"),
        err("2024-11-05", '{"code":-32700,"message":"Parse error"}', None),
        err("2025-11-25", '{"code":-32600,"message":"Invalid Request"}', None),
        err("2099-01-01", '{"code":-32022,"message":"no","data":{"supported":["2026-07-28"],"requested":"2099-01-01"}}'),
        res("2025-03-26", "tools/list", tool(',"_meta":{"ui":{"resourceUri":"ui://x","visibility":["app"]}}')),
        res("2025-11-25", "resources/read", page % '"csp":{"connectDomains":["https://a"]},"permissions":{"camera":{}},"prefersBorder":false'),
        note("2024-11-05", "notifications/progress", '{"progressToken":1,"progress":0.5}'),
        note("2025-03-26", "notifications/progress", '{"progressToken":1,"progress":0.5,"message":"half"}'),
        res("2025-11-25", "tools/call", '{"task":%s}' % task % ("working", '"ttl":1,"pollInterval":1')),
        res("2025-11-25", "tasks/get", task % ("failed", '"ttl":null')), res("2025-11-25", "tasks/result", text % ("", "")),
        res(MODERN, "tasks/get", task % ("completed", ended)), res(MODERN, "tasks/get", task % ("working", '"ttlMs":null')),
        res(MODERN, "tasks/get", task % ("failed", '"ttlMs":1,"error":{"code":-32603,"message":"x"}')), res(MODERN, "tasks/cancel", "{}"),
        note(MODERN, "notifications/tasks", task % ("working", '"ttlMs":1')),
        note(MODERN, "notifications/message", '{"level":"info","data":"x"}')]
    bad = [
        res("2025-11-25", "tasks/get", task % ("done", '"ttl":1')), res("2025-11-25", "tasks/get", task % ("failed", '"ttlMs":1')),
        res("2025-06-18", "tasks/get", task % ("failed", '"ttl":1')), res(MODERN, "tasks/result", text % ("", "")),
        res(MODERN, "tasks/get", task % ("completed", '"ttlMs":1')), res(MODERN, "tasks/get", task % ("working", ended)),
        res(MODERN, "tasks/get", task % ("working", '"ttl":1')), res(MODERN, "tasks/cancel", task % ("cancelled", '"ttlMs":1')),
        res(MODERN, "tasks/get", task % ("failed", '"ttlMs":1,"error":{"code":1}')), note(MODERN, "notifications/tasks", '{"taskId":"x"}'),
        res("2025-11-25", "tools/list", tool(',"_meta":{"ui":{"resourceUri":"https://x"}}')),
        res("2025-11-25", "tools/list", tool(',"_meta":{"ui":{"visibility":["nobody"]}}')),
        res("2025-11-25", "tools/list", tool(',"_meta":{"ui":{"csp":{}}}')),
        res("2025-11-25", "resources/read", page % '"csp":{"connectDomains":"https://a"}'),
        res("2025-11-25", "resources/read", page % '"permissions":{"camera":true}'),
        res("2025-11-25", "resources/read", page % '"border":true'),
        res("2024-11-05", "ping", '{"pong":true}'), res(MODERN, "ping", "{}"), res("2025-11-25", "nothing/such", "{}"),
        res("2025-11-25", "server/discover", '{"supportedVersions":[],"capabilities":{},"ttlMs":0,"cacheScope":"public"}'),
        res("2024-11-05", "tools/list", tool(',"title":"T"')), res("2025-03-26", "tools/list", tool(',"outputSchema":{"type":"object"}')),
        res("2025-11-25", "tools/list", tool(',"outputSchema":{"type":"array"}')),
        res("2025-11-25", "tools/list", tool('')[:-1] + ',"ttlMs":1}'), res(MODERN, "tools/list", tool("")),
        res("2025-11-25", "tools/list", tool("").replace('"object"', '"array"')), res("2025-11-25", "tools/list", '{"tools":[{"name":"t"}]}'),
        res("2025-11-25", "tools/list", tool('')[:-1] + ',"nextCursor":null}'),
        res("2025-11-25", "initialize", '{"protocolVersion":"2025-11-25","capabilities":{}}'),
        res("2025-03-26", "initialize", '{"protocolVersion":"2025-03-26","capabilities":{},"serverInfo":{"name":"s","version":"1","title":"S"}}'),
        res("2025-11-25", "tools/call", '{"isError":true}'), res("2025-11-25", "tools/call", '{"content":null}'),
        res("2025-11-25", "tools/call", '{"content":["x"]}'), res("2025-03-26", "tools/call", text % (',"_meta":{}', "")),
        res("2025-03-26", "tools/call", text % ("", ',"structuredContent":{}')), res("2025-11-25", "tools/call", text % ("", ',"structuredContent":[1]')),
        res("2025-11-25", "tools/call", text % ("", ',"resultType":"complete"')),
        res("2024-11-05", "tools/call", (image % "AP8Q").replace("image", "audio")),
        res("2025-03-26", "tools/call", '{"content":[{"type":"resource_link","uri":"a:b","name":"b"}]}'),
        res("2025-06-18", "tools/call", '{"content":[{"type":"resource_link","uri":"not one","name":"b"}]}'),
        res("2025-03-26", "tools/call", text % (',"annotations":{"lastModified":"2026-07-28T00:00:00Z"}', "")),
        res("2025-11-25", "tools/call", text % (',"annotations":{"priority":2}', "")),
        res("2025-11-25", "tools/call", image % "AP8"), res("2025-11-25", "tools/call", image % "data:image/png;base64,AP8Q"),
        res(MODERN, "tools/call", text % ("", ""), resultType=None),
        err("2025-11-25", '{"code":-32601,"message":"Method not found"}', None), err("2025-11-25", '{"code":-32700,"message":""}', None),
        err("2025-11-25", '{"code":"x","message":"y"}'), err("2025-11-25", '{"code":-32602}'), err("2025-11-25", '{"code":-32602,"message":"x"}', 1.5),
        err(MODERN, '{"code":-32022,"message":"no"}'), err("2025-11-25", '{"code":-32602,"message":"x","more":1}'),
        note("2024-11-05", "notifications/progress", '{"progressToken":1,"progress":0.5,"message":"half"}'),
        note("2025-11-25", "notifications/progress", '{"progress":0.5}'), note(MODERN, "notifications/message", '{"level":"loud","data":"x"}'),
        note("2025-11-25", "notifications/message", '{"level":"info"}'), note("2025-11-25", "notifications/none", "{}"),
        note("2025-11-25", "notifications/roots/list_changed", "{}"),
        ("2025-11-25", "-", '{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}'), ("2025-11-25", "ping", '{"id":1,"result":{}}'),
        (MODERN, "-", '{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}'),
        ("2025-11-25", "ping", '{"jsonrpc":"2.0","id":1,"id":2,"result":{}}'), ("2025-11-25", "ping", '{"jsonrpc":"2.0","id":NaN,"result":{}}'),
        ("2025-11-25", "ping", '{"jsonrpc":"2.0","id":1,"result":{}} {}'), ("2025-11-25", "ping", '[]'),
        ("2025-11-25", "ping", '{"jsonrpc":"2.0","id":"\udcff","result":{}}')]
    passed = failed = 0
    for expected, cases in (True, good), (False, bad):
        for case in cases:
            try:
                schemas.line("\t".join(case).encode("utf-8", "surrogateescape"))
                verdict, why = True, "taken"
            except Wrong as e:
                verdict, why = False, str(e)
            if verdict == expected:
                passed += 1
            else:
                failed += 1
                print(f"FAIL self-test: {case}: {why}")
    return passed, failed


def main():
    schemas = Schemas(sys.argv[1])
    names = sys.argv[2:]
    if names == ["--self-test"]:
        passed, failed = self_test(schemas)
    else:
        passed = failed = 0
        for name in names or ["-"]:
            with (sys.stdin.buffer if name == "-" else open(name, "rb")) as f:
                for number, raw in enumerate(f, 1):
                    try:
                        schemas.line(raw.rstrip(b"\n"))
                        passed += 1
                    except Wrong as e:
                        failed += 1
                        print(f"FAIL {name}:{number}: {e}\n     {raw[:400].decode('utf-8', 'replace').rstrip()}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(0 if passed and not failed else 1)


if __name__ == "__main__":
    main()
