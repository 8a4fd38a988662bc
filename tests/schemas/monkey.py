"""Random sessions: right, wrong, mutilated and mixed messages, in every version and both eras.

       monkey.py SCHEMAS PROGRAM...     programs that speak stdio; MONKEY_SEED=n, MONKEY_SESSIONS=n each

   Every request is answered once and by its id, a notification never, a batch where it belongs by an
   array, anything else at most once; whatever is said is valid in its version; and the server is
   there afterwards. A ping behind each line shows what that line alone brought about.
"""
import json, os, random, subprocess, sys, tempfile
from concurrent.futures import ProcessPoolExecutor

import differ
from differ import NAMES, TEXTS, anything, string, text
from validate import LEGACY, MODERN, Schemas, Wrong, parse
LATER = {"slow", "primes", "convert", "GET__later", "GET__again"}  # their answers come when others have
SEED, SESSIONS, LINES = int(os.environ.get("MONKEY_SEED", "1")), int(os.environ.get("MONKEY_SESSIONS", "12")), 150
META = "io.modelcontextprotocol/"
METHODS = ["ping", "tools/list", "server/discover", "logging/setLevel", "initialize", "resources/list", "resources/templates/list", "resources/read",
           "resources/subscribe", "resources/unsubscribe", "subscriptions/listen", "prompts/list", "prompts/get", "completion/complete", "nope", "tools/List", "",
           "notifications/initialized", "notifications/cancelled"] + ["tools/call"] * 6
URIS = ["test://static/hello", "test://static/bin", "test://item/7", "test://item/%c3%a9", "test://item/%", "test://none", "", "x", 5, None]
# What is no request, and what it deserves: an error, or nothing.
ODD = {"null": 1, "5": 1, '"x"': 1, "{}": 1, '{"jsonrpc":"2.0","id":null,"method":"ping"}': 1, '{"jsonrpc":"2.0","id":1.5,"method":"ping"}': 1,
       '{"jsonrpc":"1.0","id":9000,"method":"ping"}': 1, '{"jsonrpc":"2.0","id":9001,"method":5}': 1, '{"jsonrpc":"2.0","id":{},"method":"ping"}': 1,
       '{"jsonrpc":"2.0","id":9002,"id":9003,"method":"ping"}': 1, '{"jsonrpc":"2.0","id":"r","result":{}}': 0, '{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":""}}': 0,
       "": 0, " \t": 0, "\r": 0, '{"jsonrpc":"2.0","method":"notifications/none"}': 0}
rng = random.Random()


class Message:
    """A request, or a notification if it has no id: some of it is often wrong."""

    def __init__(self, session, id):
        method = self.method = rng.choice(METHODS)
        params = {}
        if method == "tools/call":
            params["name"] = rng.choice(session.tools * 2 + ["none such", "", 5, None])
            if rng.random() < .8: params["arguments"] = rng.choice([{}, {"text": rng.choice(TEXTS)}, {"a": 1, "b": 2}, {"x": 1, "y": .5}, anything(), None])
        elif method == "initialize":
            params = {"protocolVersion": rng.choice(LEGACY + ["2025-03-26", "1999-01-01", MODERN, 5]),
                      "capabilities": {} if rng.random() < .9 else anything(), "clientInfo": {"name": "monkey", "version": "1"}}
        elif method == "logging/setLevel": params["level"] = rng.choice(["debug", "info", "emergency", "loud", None])
        elif method.startswith("resources/") and "list" not in method: params["uri"] = rng.choice(URIS)
        elif method == "prompts/get": params = {"name": rng.choice(["greet", "none", 5]), "arguments": rng.choice([{}, {"who": "x"}, {"who": 5}, anything(), None])}
        elif method == "completion/complete":
            params = {"ref": rng.choice([{"type": "ref/prompt", "name": "greet"}, {"type": "ref/resource", "uri": "test://item/{id}"}, anything()]),
                      "argument": rng.choice([{"name": "who", "value": "n"}, {"name": "id", "value": ""}, {"name": "none", "value": 5}, anything()])}
        elif method == "subscriptions/listen":
            params["notifications"] = rng.choice([{}, {"toolsListChanged": True}, {"resourceSubscriptions": [rng.choice(URIS)]}, anything()])
        elif method.endswith("/list") and rng.random() < .3: params["cursor"] = rng.choice([None, "", 5, "x"])
        elif method == "notifications/cancelled": params["requestId"] = rng.choice([1, "s1", None])
        meta = self.meta()
        if meta or rng.random() < .1: params["_meta"] = meta
        if rng.random() < .04: params = anything()
        self.modern = isinstance(params, dict) and META + "protocolVersion" in params.get("_meta", {})
        self.id = id
        members = [('"jsonrpc"', '"2.0"'), ('"method"', string(method))]
        if id: members.append(('"id"', id))
        if params or rng.random() < .5: members.append(('"params"', text(params)))
        if rng.random() < .05: members.append((string(rng.choice(NAMES)), text(anything())))
        self.line = "{" + ",".join(f"{k}:{v}" for k, v in rng.sample(members, len(members))) + "}"

    @staticmethod
    def meta():
        m = {}
        if rng.random() < .3: m["progressToken"] = rng.choice([0, 1, "", "t", -5, 1.5, None, []])
        if rng.random() < .4:
            m[META + "protocolVersion"] = MODERN if rng.random() < .9 else rng.choice(["2099-01-01", "2025-11-25", 5, None, ""])
            if rng.random() < .95: m[META + "clientCapabilities"] = {} if rng.random() < .9 else anything()
            if rng.random() < .2: m[META + "logLevel"] = rng.choice(["debug", "error", "loud", 3])
        return m


class Session:
    def __init__(self, program, schemas, folder):
        self.schemas, self.version, self.count = schemas, None, 0
        self.process = subprocess.Popen([program], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        listed = self.say(('{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"%sprotocolVersion":"%s","%sclientCapabilities":{}}}}' % (META, MODERN, META)).encode())[0]
        self.tools = [t["name"] for t in listed.get("result", {}).get("tools", []) if t["name"] not in LATER]

    def new_id(self):
        self.count += 1
        return rng.choice(["%d", "-%d", '"s%d"', '"\\u0061%d"', "12345678901234567890%d", '"é%d"', '"\\ud83d\\ude00%d"']) % self.count

    def say(self, line):
        """What the server says to one line."""
        self.count += 1
        guard, said = f"guard {self.count}", []
        self.process.stdin.write(line + b'\n{"jsonrpc":"2.0","id":"%s","method":"ping"}\n' % guard.encode())
        self.process.stdin.flush()
        while True:
            raw = self.process.stdout.readline()
            if not raw: raise Wrong(f"it ended, status {self.process.wait()}")
            message = parse(raw)
            if isinstance(message, dict) and message.get("id") == guard: return said
            said.append(message)

    def answered(self, m, answer):
        """m was answered: rightly?"""
        version = MODERN if m.modern else self.version or LEGACY[-1]
        if m.method == "initialize" and "result" in answer: version = self.version = answer["result"]["protocolVersion"]
        self.schemas.message(version, m.method, answer)
        if json.loads(m.id) != answer.get("id"): raise Wrong(f"the id is {answer.get('id')!r}")

    def answers(self, said, modern=None):
        """What of it answers; the rest, notifications, is valid in the version of what caused it."""
        for m in said:
            if modern is not None and isinstance(m, dict) and "method" in m: self.schemas.message(MODERN if modern else self.version or LEGACY[-1], m["method"], m)
        return [m for m in said if not isinstance(m, dict) or "method" not in m]

    # ---- one line of each kind ----
    def request(self):
        m = Message(self, self.new_id())
        def verdict(said):
            answers = self.answers(said, m.modern)
            if not answers and m.method == "subscriptions/listen":      # it goes on: nothing but the promise
                if [a["method"] for a in said] != ["notifications/subscriptions/acknowledged"]: raise Wrong("not acknowledged")
                if json.loads(m.id) != said[0]["params"]["_meta"][META + "subscriptionId"]: raise Wrong("another subscription")
                return
            if len(answers) != 1: raise Wrong("not one answer")
            self.answered(m, answers[0])
        return m.line.encode("utf-8", "surrogatepass"), verdict

    def notification(self):
        def verdict(said):
            if said: raise Wrong("a notification was answered")
        return Message(self, None).line.encode("utf-8", "surrogatepass"), verdict

    def mutilated(self):
        line = Message(self, self.new_id()).line.encode("utf-8", "surrogatepass")
        i = rng.randrange(len(line))
        line = rng.choice([line[:i], line[:i] + line[i + 1:], line[:i] + bytes([rng.randrange(256)]) + line[i + 1:], line + line[:i], line[:i] + b"\xff" + line[i:]])
        def verdict(said):
            answers = self.answers(said)
            if len(answers) > 1: raise Wrong("more than one answer")
            for a in answers:
                if "error" in a and a["id"] is None: self.schemas.message(LEGACY[-1], "-", a)
                elif "protocolVersion" in a.get("result", {}): self.version = a["result"]["protocolVersion"]
        return line.replace(b"\n", b" ").replace(b"\r", b" "), verdict

    def odd(self):
        line, wanted = rng.choice(list(ODD.items()))
        def verdict(said):
            if len(said) != wanted: raise Wrong(f"not {wanted} answers")
            for a in said:
                if a["error"]["code"] != -32600: raise Wrong("not -32600")
                self.schemas.message(self.version or LEGACY[-1], "-", a)
        return line.encode(), verdict

    def batch(self):
        parts = [Message(self, self.new_id() if rng.random() < .7 else None) if rng.random() < .9 else rng.choice([k for k in ODD if k.strip()]) for _ in range(rng.randrange(5))]
        asked = {json.dumps(json.loads(m.id)): m for m in parts if isinstance(m, Message) and m.id}
        wrong = sum(ODD[p] for p in parts if isinstance(p, str))
        def verdict(said):
            answers = self.answers(said)
            if self.version != "2025-03-26" or not parts:
                if [a.get("error", {}).get("code") for a in answers] != [-32600]: raise Wrong("not one -32600")
                return
            if len(answers) > 1: raise Wrong("not one array")
            got = answers[0] if answers else []
            others = 0
            for a in got:
                m = asked.pop(json.dumps(a["id"]), None)
                if m and m.method == "initialize" and "result" in a: raise Wrong("initialize in a batch")
                if m: self.answered(m, a)
                else:
                    others += 1
                    self.schemas.message(self.version, "-", a)
            if [] in answers or others != wrong: raise Wrong(f"{others} errors, not {wrong}")
            if any(m.method != "subscriptions/listen" for m in asked.values()): raise Wrong(f"{list(asked)} not answered")
        return ("[" + ",".join(p if isinstance(p, str) else p.line for p in parts) + "]").encode("utf-8", "surrogatepass"), verdict


def session(program, schemas, seed, folder):
    rng.seed(seed)
    differ.rng = rng
    s = Session(program, schemas, folder)
    for number in range(LINES):
        line, verdict = rng.choice([s.request] * 8 + [s.notification, s.notification, s.mutilated, s.batch, s.odd])()
        said = []
        try:
            said = s.say(line)
            verdict(said)
        except (Wrong, KeyError, TypeError, AttributeError) as e:
            s.process.kill()
            raise Wrong(f"line {number + 1}: {e!r}\n     > {line[:500]!r}\n     < {said!r:.500}") from None
    s.process.stdin.close()
    if s.process.wait(differ.PATIENCE): raise Wrong(f"exit status {s.process.returncode}")


def job(folder_of_schemas, path):
    """All sessions with one program; each finds an empty directory."""
    official, passed, failed = Schemas(folder_of_schemas), 0, 0
    for n in range(SEED, SEED + SESSIONS):
        try:
            with tempfile.TemporaryDirectory() as folder: session(os.path.abspath(path), official, n, folder)
            passed += 1
        except Wrong as e:
            failed += 1
            print(f"FAIL {os.path.basename(path)}, MONKEY_SEED={n}: {e}", flush=True)
    return passed, failed


if __name__ == "__main__":
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        sums = list(pool.map(job, [sys.argv[1]] * len(sys.argv[2:]), sys.argv[2:]))
    passed, failed = (sum(n) for n in zip(*sums))
    print(f"{passed} passed, {failed} failed")
    sys.exit(0 if passed and not failed else 1)
