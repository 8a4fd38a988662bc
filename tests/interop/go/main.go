// Drives the official Go client against two servers, over stdio and, with --http PORT added to their
// commands, over HTTP; fixture.json and asks.json in DIR say what they offer, what is answered them,
// and what comes of it. What arrives is looked at on the wire, below the client.
//
//	interop DIR FIXTURE ASKS
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type object = map[string]any

const meta = "io.modelcontextprotocol/"

var (
	ctx             = context.Background()
	spec, asks      object
	order           []string
	modern, latest  string
	passed, failed  int
	leg             string
	fixture, asking string
)

// ---- checks ----

type wrong string

func ok(cond bool, format string, args ...any) {
	if !cond {
		panic(wrong(fmt.Sprintf(format, args...)))
	}
}

func show(v any) string {
	text, _ := json.Marshal(v)
	return string(text[:min(len(text), 300)])
}

// Why actual is not what was wanted, or "". Objects match as subsets, {"$re"} a text.
func mismatch(actual, want any, path string) string {
	no := fmt.Sprintf("%s is %s, not %s", path, show(actual), show(want))
	switch want := want.(type) {
	case object:
		if re, is := want["$re"].(string); is {
			if s, is := actual.(string); is && regexp.MustCompile("(?s)"+re).MatchString(s) {
				return ""
			}
			return no
		}
		got, is := actual.(object)
		if !is {
			return no
		}
		for k, v := range want {
			if m := mismatch(got[k], v, path+"."+k); m != "" {
				return m
			}
		}
	case []any:
		got, is := actual.([]any)
		if !is || len(got) != len(want) {
			return no
		}
		for i, v := range want {
			if m := mismatch(got[i], v, fmt.Sprintf("%s[%d]", path, i)); m != "" {
				return m
			}
		}
	default:
		if !reflect.DeepEqual(actual, want) {
			return no
		}
	}
	return ""
}

func same(actual, want any, path string) {
	m := mismatch(actual, want, path)
	ok(m == "", "%s", m)
}

// An entry of fixture.json: what every version carries, and what only newer ones may.
func fits(actual any, entry object, version, path string) {
	same(actual, entry["is"], path)
	since, _ := entry["since"].(object)
	for first, more := range since {
		if slices.Index(order, version) >= slices.Index(order, first) {
			same(actual, more, path)
			continue
		}
		for k := range more.(object) {
			_, there := actual.(object)[k]
			ok(!there, "%s.%s is not of %s", path, k, version)
		}
	}
}

func check(name string, body func()) {
	done := make(chan any, 1)
	go func() {
		defer func() { done <- recover() }()
		body()
	}()
	var e any
	select {
	case e = <-done:
	case <-time.After(20 * time.Second):
		e = "not done in 20 s"
	}
	if e == nil {
		passed++
		return
	}
	failed++
	fmt.Printf("FAIL %s: %s: %v\n", leg, name, e)
}

func rows(of object, key string) []object {
	list, _ := of[key].([]any)
	out := make([]object, len(list))
	for i, v := range list {
		out[i] = v.(object)
	}
	return out
}

func text(of object, key string) string { s, _ := of[key].(string); return s }

// ---- the wire ----

type wire struct {
	mu      sync.Mutex
	out, in []object
	printed bytes.Buffer
}

// Takes lines, and what "data: " stands before; a JSON object among them is a message.
type tap struct {
	*wire
	to   *[]object
	rest []byte
}

func (t *tap) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rest = append(t.rest, p...)
	for {
		line, rest, whole := bytes.Cut(t.rest, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		t.message(line)
		t.rest = append([]byte(nil), rest...)
	}
}

func (t *tap) message(line []byte) {
	var m object
	if json.Unmarshal(bytes.TrimPrefix(bytes.TrimSpace(line), []byte("data: ")), &m) == nil && m != nil {
		*t.to = append(*t.to, m)
	}
}

func (t *tap) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.message(t.rest)
	t.rest = nil
	return nil
}

type tapped struct {
	io.Reader
	close func() error
}

func (r tapped) Close() error { return r.close() }

type tappedWriter struct {
	io.Writer
	io.Closer
}

// As an http.RoundTripper.
func (w *wire) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Body != nil {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return nil, err
		}
		w.mu.Lock()
		(&tap{wire: w, to: &w.out}).message(body)
		w.mu.Unlock()
		request.Body = io.NopCloser(bytes.NewReader(body))
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err == nil {
		t := &tap{wire: w, to: &w.in}
		body := response.Body
		response.Body = tapped{io.TeeReader(body, eofTap{t}), func() error { t.Close(); return body.Close() }}
	}
	return response, err
}

// A whole answer in JSON has no newline at its end, and may be read without being closed.
type eofTap struct{ *tap }

func (t eofTap) Write(p []byte) (int, error) {
	n, err := t.tap.Write(p)
	t.mu.Lock()
	defer t.mu.Unlock()
	if json.Valid(t.rest) {
		t.message(t.rest)
		t.rest = nil
	}
	return n, err
}

func (w *wire) got(method string) (all []object) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.in {
		if m["method"] == method {
			all = append(all, m)
		}
	}
	return all
}

// What was answered to a request that was sent: its last one of that method, or n before that.
func (w *wire) answer(method string, n int) object {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := len(w.out) - 1; i >= 0; i-- {
		if w.out[i]["method"] != method {
			continue
		}
		if n--; n >= 0 {
			continue
		}
		for _, m := range w.in {
			if m["method"] == nil && reflect.DeepEqual(m["id"], w.out[i]["id"]) {
				return m
			}
		}
		return nil
	}
	return nil
}

// ---- connections ----

type conn struct {
	*wire
	*mcp.ClientSession
	version string
	kind    string
	command *exec.Cmd
	logs    []string
	asked   []string
	steps   int
}

type place struct{ command, url, kind string }

func serve(command string) (place, *exec.Cmd) {
	cmd := exec.Command(command, "--http", "-1")
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	buf := make([]byte, 4096)
	n, more := 0, 0
	var found [][]byte
	for err == nil && found == nil {
		more, err = stderr.Read(buf[n:])
		n += more
		found = regexp.MustCompile(`listening on (\S+)\n`).FindSubmatch(buf[:n])
	}
	if found == nil {
		fmt.Printf("%s does not listen: %s\n", command, buf[:n])
		os.Exit(1)
	}
	go io.Copy(io.Discard, stderr)
	return place{command, string(found[1]), "http"}, cmd
}

func connect(to place, version string, options *mcp.ClientOptions) (*conn, error) {
	c := &conn{wire: &wire{}, kind: to.kind}
	var transport mcp.Transport
	client := &http.Client{Transport: c.wire}
	switch to.kind {
	case "http":
		transport = &mcp.StreamableClientTransport{Endpoint: to.url, HTTPClient: client}
	case "http+sse":
		transport = &mcp.SSEClientTransport{Endpoint: strings.Replace(to.url, "/mcp", "/sse", 1), HTTPClient: client}
	default:
		c.command = exec.Command(to.command)
		c.command.Stderr = &c.printed
		stdin, err := c.command.StdinPipe()
		if err != nil {
			return nil, err
		}
		stdout, err := c.command.StdoutPipe()
		if err != nil {
			return nil, err
		}
		if err := c.command.Start(); err != nil {
			return nil, err
		}
		transport = &mcp.IOTransport{
			Reader: tapped{io.TeeReader(stdout, &tap{wire: c.wire, to: &c.wire.in}), stdout.Close},
			Writer: tappedWriter{io.MultiWriter(stdin, &tap{wire: c.wire, to: &c.wire.out}), stdin},
		}
	}
	options.LoggingMessageHandler = func(_ context.Context, r *mcp.LoggingMessageRequest) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.logs = append(c.logs, string(r.Params.Level))
	}
	options.ProgressNotificationHandler = func(context.Context, *mcp.ProgressNotificationClientRequest) { c.steps++ }
	answering(c, options)
	it := mcp.NewClient(&mcp.Implementation{Name: "interop", Version: "1"}, options)
	if options.ElicitationHandler != nil {
		for _, r := range rows(asks, "roots") {
			it.AddRoots(&mcp.Root{URI: text(r, "uri"), Name: text(r, "name")})
		}
	}
	session, err := it.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		return nil, err
	}
	c.ClientSession = session
	c.version = session.InitializeResult().ProtocolVersion
	return c, nil
}

func (c *conn) call(tool string, args any) object {
	_, err := c.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	ok(err == nil, "%s: %v", tool, err)
	result, _ := c.answer("tools/call", 0)["result"].(object)
	return result
}

// Whether this client puts that name into Mcp-Name as it is, where 2026-07-28 wants it encoded.
func (c *conn) bare(name string) bool {
	foreign := func(r rune) bool { return r > '~' }
	return c.kind == "http" && c.version == modern && strings.ContainsFunc(name, foreign)
}

func refused(err error, code int64) {
	var e *jsonrpc.Error
	ok(errors.As(err, &e) && e.Code == code, "%v, not %d", err, code)
}

func said(result object) string {
	blocks := rows(result, "content")
	ok(len(blocks) > 0, "no content: %s", show(result))
	return text(blocks[0], "text")
}

// ---- both eras ----

func common(c *conn) {
	check("who and what it is", func() {
		first := "initialize"
		if c.version == modern {
			first = "server/discover"
		}
		result, _ := c.answer(first, 0)["result"].(object)
		fits(result["capabilities"], spec["capabilities"].(object), c.version, "capabilities")
		same(object{"name": c.InitializeResult().ServerInfo.Name, "version": c.InitializeResult().ServerInfo.Version}, spec["server"], "serverInfo")
	})
	listed := func(method, key, name string, entries []object, list func() error) {
		check(method, func() {
			err := list()
			ok(err == nil, "%v", err)
			result, _ := c.answer(method, 0)["result"].(object)
			got := rows(result, key)
			ok(len(got) == len(entries), "%d %s, not %d", len(got), key, len(entries))
			for i, e := range entries {
				ok(text(got[i], name) == text(e["is"].(object), name), "%s is at %d", text(got[i], name), i)
				fits(got[i], e, c.version, text(got[i], name))
			}
		})
	}
	listed("tools/list", "tools", "name", rows(spec, "tools"), func() error { _, err := c.ListTools(ctx, nil); return err })
	listed("resources/list", "resources", "uri", rows(spec, "resources"), func() error { _, err := c.ListResources(ctx, nil); return err })
	listed("resources/templates/list", "resourceTemplates", "uriTemplate", rows(spec, "templates"), func() error { _, err := c.ListResourceTemplates(ctx, nil); return err })
	listed("prompts/list", "prompts", "name", rows(spec, "prompts"), func() error { _, err := c.ListPrompts(ctx, nil); return err })
	for _, k := range rows(spec, "calls") {
		tool := text(k, "tool")
		check(tool+" "+show(k["args"]), func() {
			if c.bare(tool) {
				_, err := c.CallTool(ctx, &mcp.CallToolParams{Name: tool})
				ok(err != nil && strings.Contains(err.Error(), "Header mismatch: Mcp-Name"), "%v", err)
				return
			}
			fits(c.call(tool, k["args"]), k, c.version, "result")
		})
	}
	check("integers keep their digits", func() {
		for _, n := range []int64{9007199254740993, 1<<63 - 1, -1 << 63} {
			same(said(c.call("big_int", object{"n": n})), fmt.Sprintf(`{"n":%d}`, n), "text")
		}
	})
	check("an unknown tool", func() {
		_, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "no_such_tool"})
		refused(err, -32602)
	})
	check("a megabyte there and back", func() {
		long := strings.Repeat("x", 1e6) + "€"
		ok(said(c.call("echo", object{"text": long})) == long, "another text came back")
	})
	check("fifty calls at once", func() {
		const most = 50
		var all sync.WaitGroup
		errs := make([]error, most)
		calls := slices.DeleteFunc(rows(spec, "calls"), func(k object) bool { return c.bare(text(k, "tool")) })
		for i := range most {
			k := calls[i%len(calls)]
			all.Go(func() {
				_, errs[i] = c.CallTool(ctx, &mcp.CallToolParams{Name: text(k, "tool"), Arguments: k["args"]})
			})
		}
		all.Wait()
		ok(errors.Join(errs...) == nil, "%v", errors.Join(errs...))
		for i := range most {
			ok(c.answer("tools/call", i)["result"] != nil, "%d was not answered", i)
		}
	})
	check("progress", func() {
		before, seen := len(c.got("notifications/progress")), c.steps
		params := &mcp.CallToolParams{Name: "slow", Arguments: object{"ms": 90, "steps": 3}}
		params.SetProgressToken("token")
		_, err := c.CallTool(ctx, params)
		ok(err == nil, "%v", err)
		got := c.got("notifications/progress")[before:]
		ok(len(got) == 3, "%d messages, not 3", len(got))
		for i, m := range got {
			same(m["params"], object{"progressToken": "token", "progress": float64(i + 1), "total": 3.0}, "params")
		}
		for i := 0; i < 100 && c.steps < seen+3; i++ {
			time.Sleep(10 * time.Millisecond)
		}
		ok(c.steps == seen+3, "the client was told %d times", c.steps-seen)
	})
	check("cancel", func() {
		start := time.Now()
		short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		defer cancel()
		_, err := c.CallTool(short, &mcp.CallToolParams{Name: "slow", Arguments: object{"ms": 1000, "steps": 50}})
		ok(err != nil, "it was answered")
		same(said(c.call("noargs", nil)), "ok", "text")
		ok(time.Since(start) < 700*time.Millisecond, "the tool went on")
		time.Sleep(time.Until(start.Add(1200 * time.Millisecond)))
		ok(c.answer("tools/call", 1)["result"] == nil, "the cancelled call was answered")
	})
	for _, r := range rows(spec, "reads") {
		check("read "+text(r, "uri"), func() {
			_, err := c.ReadResource(ctx, &mcp.ReadResourceParams{URI: text(r, "uri")})
			ok(err == nil, "%v", err)
			fits(c.answer("resources/read", 0)["result"], r, c.version, "result")
		})
	}
	for _, uri := range spec["missing"].([]any) {
		check("no resource "+uri.(string), func() {
			_, err := c.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri.(string)})
			ok(err != nil, "it is there")
			code := -32002.0
			if c.version == modern {
				code = -32602
			}
			same(c.answer("resources/read", 0)["error"], object{"code": code, "data": object{"uri": uri}}, "error")
		})
	}
	get := func(p object) error {
		args := map[string]string{}
		given, _ := p["args"].(object)
		for k, v := range given {
			args[k] = v.(string)
		}
		_, err := c.GetPrompt(ctx, &mcp.GetPromptParams{Name: text(p, "name"), Arguments: args})
		return err
	}
	for _, p := range rows(spec, "gets") {
		check("prompt "+show(p["args"]), func() {
			err := get(p)
			ok(err == nil, "%v", err)
			fits(c.answer("prompts/get", 0)["result"], p, c.version, "result")
		})
	}
	for _, p := range rows(spec, "badGets") {
		check("no prompt "+show(p), func() { refused(get(p), -32602) })
	}
	check("completion", func() {
		k := spec["completion"].(object)
		ref, argument := k["ref"].(object), k["argument"].(object)
		got, err := c.Complete(ctx, &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: text(ref, "type"), Name: text(ref, "name")},
			Argument: mcp.CompleteParamsArgument{Name: text(argument, "name"), Value: text(argument, "value")}})
		ok(err == nil, "%v", err)
		ok(len(got.Completion.Values) == 100 && got.Completion.HasMore && float64(got.Completion.Total) == k["total"], "%s", show(got))
	})
}

func (c *conn) logged(level, want, what string) {
	c.mu.Lock()
	c.logs = nil
	c.mu.Unlock()
	params := &mcp.CallToolParams{Name: "log"}
	if level != "" {
		params.Meta = mcp.Meta{meta + "logLevel": level}
	}
	_, err := c.CallTool(ctx, params)
	ok(err == nil, "%v", err)
	time.Sleep(50 * time.Millisecond)
	c.mu.Lock()
	defer c.mu.Unlock()
	ok(strings.Join(c.logs, " ") == want, "%s: %q", what, c.logs)
}

func older(c *conn) {
	check("ping", func() { err := c.Ping(ctx, nil); ok(err == nil, "%v", err) })
	check("logging", func() {
		for _, level := range []mcp.LoggingLevel{"debug", "error", "emergency"} {
			err := c.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: level})
			ok(err == nil, "%v", err)
			want := map[mcp.LoggingLevel]string{"debug": "debug info error", "error": "error"}[level]
			c.logged("", want, "at "+string(level))
		}
	})
	check("subscribe and unsubscribe", func() {
		uri := text(rows(spec, "reads")[0], "uri")
		err := errors.Join(c.Subscribe(ctx, &mcp.SubscribeParams{URI: uri}), c.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: uri}))
		ok(err == nil, "%v", err)
	})
	check("nothing of the other era on the wire", func() {
		for _, m := range c.in {
			result, _ := m["result"].(object)
			for _, k := range []string{"resultType", "ttlMs", "cacheScope", "_meta"} {
				ok(result[k] == nil, "%s in %s", k, show(m))
			}
		}
	})
}

func newest(c *conn) {
	check("logging", func() {
		c.logged("", "", "when not asked for")
		c.logged("debug", "debug info error", "at debug")
		c.logged("error", "error", "at error")
		c.logged("", "", "afterwards")
	})
	check("subscribe and unsubscribe", func() { // by subscriptions/listen
		uri := text(rows(spec, "reads")[0], "uri")
		err := c.Subscribe(ctx, &mcp.SubscribeParams{URI: uri})
		ok(err == nil, "%v", err)
		for i := 0; i < 100 && len(c.got("notifications/subscriptions/acknowledged")) == 0; i++ {
			time.Sleep(10 * time.Millisecond)
		}
		got := c.got("notifications/subscriptions/acknowledged")
		ok(len(got) == 1, "%d acknowledgements", len(got))
		same(got[0]["params"], object{"notifications": object{"resourceSubscriptions": []any{uri}}}, "params")
		err = c.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: uri})
		ok(err == nil, "%v", err)
	})
	check("every result is complete and signed, what may be kept says so", func() {
		cached := []string{"server/discover", "tools/list", "resources/list", "resources/templates/list", "resources/read", "prompts/list"}
		for _, out := range c.out {
			for _, m := range c.in {
				result, is := m["result"].(object)
				if !is || out["id"] == nil || !reflect.DeepEqual(m["id"], out["id"]) || out["method"] == "subscriptions/listen" {
					continue
				}
				same(result, object{"resultType": "complete", "_meta": object{meta + "serverInfo": spec["server"]}}, "result")
				ok(slices.Contains(cached, text(out, "method")) == (result["ttlMs"] != nil && result["cacheScope"] != nil), "%v: %s", out["method"], show(result))
			}
		}
	})
}

// ---- answering ----

// If options have a handler of questions, all kinds of them are answered, as asks.json says.
func answering(c *conn, options *mcp.ClientOptions) {
	if options.ElicitationHandler == nil {
		return
	}
	first := options.ElicitationHandler
	options.Capabilities = &mcp.ClientCapabilities{RootsV2: &mcp.RootCapabilities{},
		Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}}}
	note := func(what string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.asked = append(c.asked, what)
	}
	options.ElicitationHandler = func(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		if r.Params.Mode == "url" {
			note(r.Params.URL)
			return &mcp.ElicitResult{Action: "accept"}, nil
		}
		note(r.Params.Message)
		return first(ctx, r)
	}
	options.CreateMessageWithToolsHandler = func(_ context.Context, r *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
		t, _ := r.Params.Messages[0].Content[0].(*mcp.TextContent)
		if t != nil {
			note(t.Text)
		}
		m := asks["message"].(object)
		return &mcp.CreateMessageWithToolsResult{Role: "assistant", Model: text(m, "model"), StopReason: text(m, "stopReason"),
			Content: []mcp.Content{&mcp.TextContent{Text: text(m["content"].(object), "text")}}}, nil
	}
}

func fill(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	content, _ := asks["forms"].(object)[r.Params.Message].(object)
	return &mcp.ElicitResult{Action: "accept", Content: content}, nil
}

func decline(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	return &mcp.ElicitResult{Action: "decline"}, nil
}

func answers(c *conn) {
	for _, k := range rows(asks, "calls") {
		tool := text(k, "tool")
		lacks := slices.Index(order, c.version) < slices.Index(order, text(k, "since"))
		check("asks by "+tool, func() {
			c.asked = nil
			result := c.call(tool, nil)
			if lacks {
				same(result, object{"isError": true, "content": []any{object{"text": object{"$re": "supports"}}}}, "result")
				return
			}
			same(said(result), text(k, "says"), "text")
			if text(k, "tool") == "pair" {
				slices.Sort(c.asked)
			}
			want := []string{}
			for _, s := range k["asked"].([]any) {
				if s != "roots" { // the client answers those by itself
					want = append(want, s.(string))
				}
			}
			ok(slices.Equal(append([]string{}, c.asked...), want), "asked %q, not %q", c.asked, want)
		})
	}
}

func declines(c *conn) {
	k := asks["declined"].(object)
	if slices.Index(order, c.version) < slices.Index(order, text(k, "since")) {
		return
	}
	check("a question that is declined", func() {
		result := c.call(text(k, "tool"), nil)
		same(result, object{"isError": true, "content": []any{object{"text": k["says"]}}}, "result")
	})
}

// ---- legs ----

func on(name string, to place, version, expected string, options *mcp.ClientOptions, body func(c *conn)) {
	leg = fmt.Sprintf("go %s %s %s", name, to.kind, version)
	var c *conn
	check("connect", func() {
		var err error
		c, err = connect(to, version, options)
		ok(err == nil, "%v", err)
		ok(c.version == expected, "asked %s, got %s", version, c.version)
	})
	if c == nil || c.ClientSession == nil {
		return
	}
	body(c)
	check("it leaves", func() {
		start := time.Now()
		err := c.Close()
		if c.command != nil {
			err = errors.Join(err, c.command.Wait())
		}
		ok(err == nil, "%v %s", err, c.printed.String())
		ok(time.Since(start) < 1500*time.Millisecond, "it took too long")
	})
}

func both(c *conn) {
	common(c)
	if c.version == modern {
		newest(c)
	} else {
		older(c)
	}
}

func load(name string) (out object) {
	data, err := os.ReadFile(filepath.Join(os.Args[1], name))
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	return out
}

func main() {
	spec, asks = load("fixture.json"), load("asks.json")
	fixture, asking = os.Args[2], os.Args[3]
	modern = text(spec, "modern")
	for _, v := range spec["legacy"].([]any) {
		order = append(order, v.(string))
	}
	latest = order[len(order)-1]
	order = append(order, modern)

	listener, server := serve(fixture)
	questioner, asker := serve(asking)
	old := listener
	old.kind = "http+sse"
	for _, to := range []place{{command: fixture, kind: "stdio"}, listener} {
		for _, v := range order {
			on("client", to, v, v, &mcp.ClientOptions{}, both)
		}
		on("client", to, "1999-01-01", latest, &mcp.ClientOptions{}, func(*conn) {})
	}
	on("client", old, "2024-11-05", "2024-11-05", &mcp.ClientOptions{}, both)
	for _, to := range []place{{command: asking, kind: "stdio"}, questioner} {
		for _, v := range order {
			on("answers", to, v, v, &mcp.ClientOptions{ElicitationHandler: fill}, answers)
			on("declines", to, v, v, &mcp.ClientOptions{ElicitationHandler: decline}, declines)
		}
	}
	server.Process.Kill()
	asker.Process.Kill()
	fmt.Printf("%d passed, %d failed\n", passed, failed)
	if failed > 0 || passed == 0 {
		os.Exit(1)
	}
}
