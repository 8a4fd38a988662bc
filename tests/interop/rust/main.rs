//! Drives the official Rust client against two servers, over stdio and, with --http PORT added to
//! their commands, over HTTP; fixture.json and asks.json in DIR say what they offer, what is
//! answered them, and what comes of it.
//!
//!     interop DIR FIXTURE ASKS
#![allow(deprecated)] // the client calls ping, logging, sampling and roots that

use std::future::Future;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rmcp::model::*;
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt, NotificationContext, PeerRequestOptions, RequestContext,
    RoleClient, RunningService, ServiceError,
};
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, ErrorData};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

const META: &str = "io.modelcontextprotocol/";

// ---- checks ----

type Checked = Result<(), String>;

macro_rules! ok {
    ($cond:expr, $($text:tt)+) => { if !$cond { return Err(format!($($text)+)) } };
}

/// Why actual is not what was wanted. Objects match as subsets, {"$re"} a text.
fn same(actual: &Value, want: &Value, path: &str) -> Checked {
    let no = || Err(format!("{path} is {actual:.300}, not {want:.300}"));
    match (actual, want) {
        (Value::String(s), Value::Object(w)) if w.contains_key("$re") => {
            let re = format!("(?s){}", w["$re"].as_str().unwrap_or(""));
            if regex_lite::Regex::new(&re).unwrap().is_match(s) { Ok(()) } else { no() }
        }
        (Value::Object(a), Value::Object(w)) => w.iter().try_for_each(|(k, v)| {
            same(a.get(k).unwrap_or(&Value::Null), v, &format!("{path}.{k}"))
        }),
        (Value::Array(a), Value::Array(w)) if a.len() == w.len() => {
            a.iter().zip(w).enumerate().try_for_each(|(i, (a, w))| same(a, w, &format!("{path}[{i}]")))
        }
        (Value::Number(a), Value::Number(w)) if a.as_f64() == w.as_f64() => Ok(()),
        (Value::Array(_) | Value::Object(_) | Value::Number(_), _) => no(),
        _ if actual == want => Ok(()),
        _ => no(),
    }
}

struct Tally {
    leg: String,
    passed: u32,
    failed: u32,
}

impl Tally {
    async fn check(&mut self, name: &str, body: impl Future<Output = Checked>) {
        let late = Duration::from_secs(20);
        match tokio::time::timeout(late, body).await.unwrap_or_else(|_| Err("not done in 20 s".into())) {
            Ok(()) => self.passed += 1,
            Err(e) => {
                self.failed += 1;
                println!("FAIL {}: {name}: {e:.600}", self.leg);
            }
        }
    }
}

fn model<T: DeserializeOwned>(v: Value) -> T {
    serde_json::from_value(v).expect("what the client's model is made of")
}
fn plain(v: impl Serialize) -> Value {
    serde_json::to_value(v).expect("a model as JSON")
}
fn rows<'a>(of: &'a Value, key: &str) -> &'a [Value] {
    of[key].as_array().map_or(&[], |v| v)
}
fn text<'a>(of: &'a Value, key: &str) -> &'a str {
    of[key].as_str().unwrap_or("")
}
fn refused<T: std::fmt::Debug>(got: Result<T, ServiceError>, code: i32) -> Result<ErrorData, String> {
    match got {
        Err(ServiceError::McpError(e)) if e.code.0 == code => Ok(e),
        other => Err(format!("{other:?}, not {code}")),
    }
}

// ---- the client ----

#[derive(Clone, Copy, PartialEq)]
enum Manner {
    Silent, // has nobody to ask
    Fills,
    Declines,
}

#[derive(Clone)]
struct Me {
    version: String,
    manner: Manner,
    asks: Arc<Value>,
    logs: Arc<Mutex<Vec<Value>>>,
    progress: Arc<Mutex<Vec<Value>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl ClientHandler for Me {
    fn get_info(&self) -> ClientConfig {
        let can = match self.manner {
            Manner::Silent => json!({}),
            _ => json!({ "elicitation": { "form": {}, "url": {} }, "sampling": { "tools": {} }, "roots": {} }),
        };
        model(json!({ "protocolVersion": self.version, "capabilities": can,
                      "clientInfo": { "name": "interop", "version": "1" } }))
    }

    async fn create_elicitation(
        &self, params: ElicitRequestParams, _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let params = plain(params);
        let what = if params["mode"] == "url" { "url" } else { "message" };
        self.asked.lock().unwrap().push(text(&params, what).to_owned());
        if self.manner == Manner::Declines {
            return Ok(model(json!({ "action": "decline" })));
        }
        if what == "url" {
            return Ok(model(json!({ "action": "accept" })));
        }
        let content = &self.asks["forms"][text(&params, "message")];
        Ok(model(json!({ "action": "accept", "content": content })))
    }

    async fn create_message(
        &self, params: CreateMessageRequestParams, _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let params = plain(params);
        self.asked.lock().unwrap().push(text(&params["messages"][0]["content"], "text").to_owned());
        Ok(model(self.asks["message"].clone()))
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        self.asked.lock().unwrap().push("roots".into());
        Ok(model(json!({ "roots": self.asks["roots"] })))
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.progress.lock().unwrap().push(plain(params));
    }

    async fn on_logging_message(
        &self, params: LoggingMessageNotificationParam, _: NotificationContext<RoleClient>,
    ) {
        self.logs.lock().unwrap().push(plain(params)["level"].clone());
    }
}

// ---- connections ----

#[derive(Clone)]
struct Place {
    command: String,
    url: Option<String>,
}

/// A server that listens on a port of its own choice.
fn serve(command: &str) -> (Place, Child) {
    let mut child = std::process::Command::new(command)
        .args(["--http", "-1"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()
        .expect("a server");
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let url = lines.by_ref().map_while(Result::ok)
        .find_map(|line| Some(line.split_once("listening on ")?.1.to_owned()))
        .expect("it does not listen");
    std::thread::spawn(move || lines.for_each(drop));
    (Place { command: command.to_owned(), url: Some(url) }, child)
}

type Client = RunningService<RoleClient, Me>;

async fn connect(to: &Place, me: Me, modern: &str) -> Result<Client, String> {
    let how = if me.version == modern {
        ClientLifecycleMode::Discover { preferred_versions: vec![model(json!(modern))] }
    } else {
        ClientLifecycleMode::Initialize
    };
    let client = match &to.url {
        Some(url) => {
            let transport = StreamableHttpClientTransport::from_uri(url.as_str());
            me.serve_with_lifecycle(transport, how).await
        }
        None => {
            let command = tokio::process::Command::new(&to.command);
            let (transport, _) = TokioChildProcess::builder(command).stderr(Stdio::null()).spawn()
                .map_err(|e| e.to_string())?;
            me.serve_with_lifecycle(transport, how).await
        }
    };
    client.map_err(|e| e.to_string())
}

struct Leg<'a> {
    c: &'a Client,
    spec: &'a Value,
    order: &'a [String],
    version: &'a str,
    modern: bool,
}

impl Leg<'_> {
    /// An entry of fixture.json: what every version carries, and what only newer ones may.
    fn fits(&self, actual: &Value, entry: &Value, path: &str) -> Checked {
        let at = |v: &str| self.order.iter().position(|x| x == v);
        same(actual, &entry["is"], path)?;
        for (first, more) in entry["since"].as_object().into_iter().flatten() {
            if at(self.version) >= at(first) {
                same(actual, more, path)?;
                continue;
            }
            for k in more.as_object().unwrap().keys() {
                ok!(actual.get(k).is_none(), "{path}.{k} is not of {}", self.version);
            }
        }
        Ok(())
    }

    fn call_params(&self, tool: &str, args: &Value, meta: Value) -> CallToolRequestParams {
        let mut params = json!({ "name": tool });
        if args.is_object() { params["arguments"] = args.clone() }
        if meta.is_object() { params["_meta"] = meta }
        model(params)
    }

    async fn call(&self, tool: &str, args: &Value) -> Result<Value, String> {
        let params = self.call_params(tool, args, Value::Null);
        self.c.call_tool(params).await.map(plain).map_err(|e| format!("{tool}: {e}"))
    }

    fn listed(&self, got: Result<Value, ServiceError>, name: &str, entries: &str) -> Checked {
        let got = got.map_err(|e| e.to_string())?;
        let (got, want) = (got.as_array().unwrap(), rows(self.spec, entries));
        ok!(got.len() == want.len(), "{} of them, not {}", got.len(), want.len());
        got.iter().zip(want).try_for_each(|(g, w)| {
            ok!(g[name] == w["is"][name], "{} is where {} should be", g[name], w["is"][name]);
            self.fits(g, w, text(g, name))
        })
    }
}

// ---- both eras ----

async fn common(t: &mut Tally, x: &Leg<'_>) {
    let c = x.c;
    t.check("who and what it is", async {
        let info = plain(c.peer_info().ok_or("unknown")?.as_ref());
        same(&info["serverInfo"], &x.spec["server"], "serverInfo")?;
        x.fits(&info["capabilities"], &x.spec["capabilities"], "capabilities")
    }).await;
    t.check("tools/list", async { x.listed(c.list_all_tools().await.map(plain), "name", "tools") }).await;
    t.check("resources/list", async {
        x.listed(c.list_all_resources().await.map(plain), "uri", "resources")
    }).await;
    t.check("resources/templates/list", async {
        x.listed(c.list_all_resource_templates().await.map(plain), "uriTemplate", "templates")
    }).await;
    t.check("prompts/list", async { x.listed(c.list_all_prompts().await.map(plain), "name", "prompts") }).await;
    for k in rows(x.spec, "calls") {
        let name = format!("{} {:.80}", text(k, "tool"), k["args"]);
        t.check(&name, async { x.fits(&x.call(text(k, "tool"), &k["args"]).await?, k, "result") }).await;
    }
    t.check("integers keep their digits", async {
        for n in [9007199254740993, i64::MAX, i64::MIN] {
            let got = x.call("big_int", &json!({ "n": n })).await?;
            same(&got["content"][0]["text"], &json!(format!("{{\"n\":{n}}}")), "text")?;
        }
        Ok(())
    }).await;
    t.check("an unknown tool", async {
        refused(c.call_tool(x.call_params("no_such_tool", &json!({}), Value::Null)).await, -32602).map(drop)
    }).await;
    t.check("a megabyte there and back", async {
        let long = "x".repeat(1_000_000) + "€";
        let got = x.call("echo", &json!({ "text": long })).await?;
        ok!(text(&got["content"][0], "text") == long, "another text came back");
        Ok(())
    }).await;
    t.check("fifty calls at once", async {
        let jobs: Vec<_> = rows(x.spec, "calls").iter().cycle().take(50).collect();
        let calls = jobs.iter().map(|k| x.call(text(k, "tool"), &k["args"]));
        for (got, k) in futures::future::join_all(calls).await.into_iter().zip(&jobs) {
            x.fits(&got?, k, text(k, "tool"))?;
        }
        Ok(())
    }).await;
    t.check("progress", async {
        c.service().progress.lock().unwrap().clear();
        x.call("slow", &json!({ "ms": 90, "steps": 3 })).await?; // the client adds a token itself
        for _ in 0..100 {
            if c.service().progress.lock().unwrap().len() == 3 { break }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let got = c.service().progress.lock().unwrap().clone();
        ok!(got.len() == 3, "{} messages, not 3", got.len());
        let token = got[0]["progressToken"].clone();
        got.iter().zip(1..).try_for_each(|(p, i)| {
            same(p, &json!({ "progressToken": token, "progress": i, "total": 3 }), "params")
        })
    }).await;
    t.check("cancel", async {
        let start = Instant::now();
        let mut request = x.call_params("slow", &json!({ "ms": 1000, "steps": 50 }), Value::Null);
        request.meta = None;
        let request = ClientRequest::CallToolRequest(Request::new(request));
        let handle = c.send_cancellable_request(request, PeerRequestOptions::no_options()).await
            .map_err(|e| e.to_string())?;
        tokio::time::sleep(Duration::from_millis(100)).await;
        handle.cancel(Some("enough".into())).await.map_err(|e| e.to_string())?;
        let got = x.call("noargs", &Value::Null).await?;
        same(&got["content"][0]["text"], &json!("ok"), "text")?;
        ok!(start.elapsed() < Duration::from_millis(700), "the tool went on");
        Ok(())
    }).await;
    for r in rows(x.spec, "reads") {
        t.check(&format!("read {}", text(r, "uri")), async {
            let got = c.read_resource(model(json!({ "uri": r["uri"] }))).await.map_err(|e| e.to_string())?;
            x.fits(&plain(got), r, "result")
        }).await;
    }
    for uri in rows(x.spec, "missing") {
        t.check(&format!("no resource {uri}"), async {
            let got = c.read_resource(model(json!({ "uri": uri }))).await;
            let e = refused(got, if x.modern { -32602 } else { -32002 })?;
            same(&plain(e.data), &json!({ "uri": uri }), "data")
        }).await;
    }
    for p in rows(x.spec, "gets") {
        t.check(&format!("prompt {}", p["args"]), async {
            let params = json!({ "name": p["name"], "arguments": p["args"] });
            let got = c.get_prompt(model(params)).await.map_err(|e| e.to_string())?;
            x.fits(&plain(got), p, "result")
        }).await;
    }
    for p in rows(x.spec, "badGets") {
        t.check(&format!("no prompt {p}"), async {
            let mut params = json!({ "name": p["name"] });
            if p["args"].is_object() { params["arguments"] = p["args"].clone() }
            refused(c.get_prompt(model(params)).await, -32602).map(drop)
        }).await;
    }
    t.check("completion", async {
        let k = &x.spec["completion"];
        let got = plain(c.complete(model(json!({ "ref": k["ref"], "argument": k["argument"] }))).await
            .map_err(|e| e.to_string())?);
        same(&got["completion"], &json!({ "total": k["total"], "hasMore": true }), "completion")?;
        ok!(rows(&got["completion"], "values").len() == 100, "{got:.300}");
        Ok(())
    }).await;
}

async fn logged(x: &Leg<'_>, level: Option<&str>, want: Value) -> Checked {
    let logs = &x.c.service().logs;
    logs.lock().unwrap().clear();
    let meta = level.map_or(Value::Null, |v| json!({ (format!("{META}logLevel")): v }));
    x.c.call_tool(x.call_params("log", &Value::Null, meta)).await.map_err(|e| e.to_string())?;
    tokio::time::sleep(Duration::from_millis(50)).await;
    same(&json!(*logs.lock().unwrap()), &want, "levels")
}

async fn older(t: &mut Tally, x: &Leg<'_>) {
    t.check("ping", async {
        let ping = ClientRequest::PingRequest(Default::default());
        x.c.send_request(ping).await.map(drop).map_err(|e| e.to_string())
    }).await;
    t.check("logging", async {
        for (level, want) in [("debug", &x.spec["logs"]), ("error", &json!(["error"])), ("emergency", &json!([]))] {
            x.c.set_level(model(json!({ "level": level }))).await.map_err(|e| e.to_string())?;
            logged(x, None, want.clone()).await?;
        }
        Ok(())
    }).await;
    t.check("subscribe and unsubscribe", async {
        let uri = json!({ "uri": rows(x.spec, "reads")[0]["uri"] });
        x.c.subscribe(model(uri.clone())).await.map_err(|e| e.to_string())?;
        x.c.unsubscribe(model(uri)).await.map_err(|e| e.to_string())
    }).await;
}

async fn newest(t: &mut Tally, x: &Leg<'_>) {
    t.check("logging", async {
        logged(x, None, json!([])).await?;
        logged(x, Some("debug"), x.spec["logs"].clone()).await?;
        logged(x, Some("error"), json!(["error"])).await?;
        logged(x, None, json!([])).await
    }).await;
    t.check("subscriptions/listen", async {
        let wanted = json!({ "toolsListChanged": true, "resourceSubscriptions": [rows(x.spec, "reads")[0]["uri"]] });
        let mut subscription = x.c.listen(model(wanted.clone())).await.map_err(|e| e.to_string())?;
        same(&plain(subscription.acknowledged()), &wanted, "what was promised")?;
        subscription.cancel().await.map_err(|e| e.to_string())
    }).await;
}

// ---- answering ----

async fn answers(t: &mut Tally, x: &Leg<'_>, asks: &Value) {
    let at = |v: &str| x.order.iter().position(|o| o == v);
    for k in rows(asks, "calls") {
        let tool = text(k, "tool");
        t.check(&format!("asks by {tool}"), async {
            x.c.service().asked.lock().unwrap().clear();
            let got = x.call(tool, &Value::Null).await?;
            if at(x.version) < at(text(k, "since")) {
                return same(&got, &json!({ "isError": true, "content": [{ "text": { "$re": "supports" } }] }), "result");
            }
            same(&got["content"][0]["text"], &k["says"], "text")?;
            let mut asked = x.c.service().asked.lock().unwrap().clone();
            if tool == "pair" { asked.sort() }
            same(&json!(asked), &k["asked"], "asked")
        }).await;
    }
}

async fn declines(t: &mut Tally, x: &Leg<'_>, asks: &Value) {
    let k = &asks["declined"];
    if x.order.iter().position(|v| v == x.version) < x.order.iter().position(|v| v == text(k, "since")) {
        return;
    }
    t.check("a question that is declined", async {
        let got = x.call(text(k, "tool"), &Value::Null).await?;
        same(&got, &json!({ "isError": true, "content": [{ "text": k["says"] }] }), "result")
    }).await;
}

// ---- legs ----

async fn on(t: &mut Tally, to: &Place, version: &str, manner: Manner, spec: &Value, asks: &Arc<Value>) {
    let modern = text(spec, "modern");
    let mut order: Vec<String> = rows(spec, "legacy").iter().map(|v| v.as_str().unwrap().into()).collect();
    let expected = if order.iter().any(|v| v == version) || version == modern { version.to_owned() }
        else { order.last().unwrap().clone() };
    order.push(modern.to_owned());
    let place = if to.url.is_some() { "http" } else { "stdio" };
    let what = match manner { Manner::Silent => "client", Manner::Fills => "answers", Manner::Declines => "declines" };
    t.leg = format!("rust {what} {place} {version}");
    let me = Me { version: version.to_owned(), manner, asks: asks.clone(),
                  logs: Default::default(), progress: Default::default(), asked: Default::default() };
    let mut client = None;
    t.check("connect", async {
        let c = connect(to, me, modern).await?;
        let got = plain(c.peer_info().ok_or("unknown")?.protocol_version.clone());
        client = Some(c);
        ok!(got == json!(expected), "asked {version}, got {got}");
        Ok(())
    }).await;
    let Some(mut c) = client else { return };
    let x = Leg { c: &c, spec, order: &order, version, modern: version == modern };
    match manner {
        Manner::Fills => answers(t, &x, asks).await,
        Manner::Declines => declines(t, &x, asks).await,
        Manner::Silent if expected == version => {
            common(t, &x).await;
            if x.modern { newest(t, &x).await } else { older(t, &x).await }
        }
        Manner::Silent => {}
    }
    t.check("it leaves", async {
        let start = Instant::now();
        c.close().await.map_err(|e| e.to_string())?;
        ok!(start.elapsed() < Duration::from_millis(1500), "it had to be killed");
        Ok(())
    }).await;
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let args: Vec<String> = std::env::args().collect();
    let load = |name: &str| -> Value {
        let text = std::fs::read_to_string(format!("{}/{name}", args[1])).expect(name);
        serde_json::from_str(&text).expect(name)
    };
    let (spec, asks) = (load("fixture.json"), Arc::new(load("asks.json")));
    let (fixture, mut server) = serve(&args[2]);
    let (asking, mut asker) = serve(&args[3]);
    let mut t = Tally { leg: String::new(), passed: 0, failed: 0 };
    let mut versions: Vec<&str> = rows(&spec, "legacy").iter().map(|v| v.as_str().unwrap()).collect();
    versions.push(text(&spec, "modern"));
    for http in [false, true] {
        let place = |of: &Place| Place { url: of.url.clone().filter(|_| http), ..of.clone() };
        for v in &versions {
            on(&mut t, &place(&fixture), v, Manner::Silent, &spec, &asks).await;
            on(&mut t, &place(&asking), v, Manner::Fills, &spec, &asks).await;
            on(&mut t, &place(&asking), v, Manner::Declines, &spec, &asks).await;
        }
        on(&mut t, &place(&fixture), "1999-01-01", Manner::Silent, &spec, &asks).await;
    }
    server.kill().ok();
    asker.kill().ok();
    println!("{} passed, {} failed", t.passed, t.failed);
    std::process::exit((t.failed > 0 || t.passed == 0) as i32);
}
