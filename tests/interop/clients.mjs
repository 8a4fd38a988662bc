// The official TypeScript clients, 1.x and 2.x, behind one face; every message is recorded in wire.
import { spawn } from 'node:child_process';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as Sse1 } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as V1 from '@modelcontextprotocol/sdk/types.js';
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';

export const META = 'io.modelcontextprotocol/';
const INFO = { name: 'interop', version: '1.0.0' };

// SDK 2 probes on a throw-away sibling process, unless the transport is a class it doesn't know.
class InPlace extends Stdio2 {}

function tap(transport, wire, version) {
  const send = transport.send.bind(transport);
  let inner;
  transport.send = (msg, options) => {
    if (version && msg.method === 'initialize') msg = { ...msg, params: { ...msg.params, protocolVersion: version } };
    wire.push({ out: structuredClone(msg) });
    return send(msg, options);
  };
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => inner && ((msg, extra) => { wire.push({ in: structuredClone(msg) }); if (!/^raw-/.test(msg.id)) inner(msg, extra); }),
    set: (f) => { inner = f; }
  });
  return transport;
}

// A server that listens on a port of its own choice: what it printed, where it is.
export async function serve(argv) {
  const child = spawn(argv[0], [...argv.slice(1), '--http', '-1'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const server = { child, printed: '' };
  for (const s of [child.stdout, child.stderr]) s.on('data', (d) => { server.printed += d; });
  for (let i = 0; i < 500 && !server.url; i++) {
    await new Promise((r) => setTimeout(r, 10));
    server.url = /listening on (\S+)/.exec(server.printed)?.[1];
  }
  return server;
}

// to: { argv } is a process for this connection alone, { server } one that listens, { server, sse } likewise.
class Conn {
  constructor(sdk, to, Stdio, Http, version) {
    Object.assign(this, { sdk, to, wire: [], errors: [], printed: '' });
    if (to.server) {
      this.transport = tap(to.sse ? new Sse1(new URL('/sse', to.server.url)) : new Http(new URL(to.server.url)), this.wire, version);
      return;
    }
    const transport = new Stdio({ command: to.argv[0], args: to.argv.slice(1), env: process.env, stderr: 'pipe' });
    transport.stderr.on('data', (d) => { this.printed += d; });
    this.transport = tap(transport, this.wire, version);
  }
  async open(client, ...more) {
    this.client = client;
    client.onerror = (e) => this.errors.push(e);
    try { await client.connect(this.transport, ...more); } catch (e) { await client.close().catch(() => {}); throw new Error(`connect: ${e.message} ${this.printed.slice(-400)}`); }
    this.pid = this.transport.pid;
    return this;
  }
  call(name, args, { meta, ...options } = {}) {
    const params = { name, ...(args && { arguments: args }), ...(meta && { _meta: meta }) };
    return this.sdk === 1 ? this.client.callTool(params, undefined, options) : this.client.callTool(params, options);
  }
  onLog(f) { this.client.setNotificationHandler(this.sdk === 1 ? V1.LoggingMessageNotificationSchema : 'notifications/message', (n) => f(n.params)); }
  sent(method) { return this.wire.filter((w) => w.out?.method === method).map((w) => w.out); }
  got(method) { return this.wire.filter((w) => w.in?.method === method).map((w) => w.in); }
  answer(id) { return this.wire.find((w) => w.in && !w.in.method && w.in.id === id)?.in; }
  get received() { return this.wire.filter((w) => w.in).map((w) => w.in); }
  // A request below the client, for what it would not send or would not let through.
  async raw(method, params, session = this.transport.sessionId) {
    const id = `raw-${this.wire.length}`, message = { jsonrpc: '2.0', id, method, ...(params && { params }) };
    if (this.to.server && !this.to.sse) {
      const version = params?._meta?.[`${META}protocolVersion`];
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': version ?? this.version, ...(version ? { 'mcp-method': method } : { 'mcp-session-id': session }) };
      const text = await (await fetch(this.to.server.url, { method: 'POST', headers, body: JSON.stringify(message) })).text();
      return JSON.parse(/^(?:data: )?(\{.*)$/m.exec(text)[1]);
    }
    await this.transport.send(message);
    for (let i = 0; i < 500 && !this.answer(id); i++) await new Promise((r) => setTimeout(r, 10));
    return this.answer(id) ?? { error: { code: 0, message: `no answer to ${method}` } };
  }
}

// What a client answers questions with: fill(message) gives a form's content, or nothing to decline.
// asked collects what it was asked.
const capabilities = (answers) => (answers ? { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} } : {});
function answer(client, schemas, { asked, fill, message, roots }) {
  client.setRequestHandler(schemas.elicit, ({ params }) => {
    asked.push(params.mode === 'url' ? params.url : params.message);
    if (params.mode === 'url') return { action: 'accept' };
    const content = fill(params.message);
    return content ? { action: 'accept', content } : { action: 'decline' };
  });
  client.setRequestHandler(schemas.sample, ({ params }) => {
    asked.push([params.messages[0].content].flat()[0].text);
    return message;
  });
  client.setRequestHandler(schemas.roots, () => {
    asked.push('roots');
    return { roots };
  });
}

// version is what initialize asks for; SDK 1 itself would only ever ask for its newest.
export async function connect1(to, version, answers) {
  const client = new Client1(INFO, { capabilities: capabilities(answers) });
  if (answers) answer(client, { elicit: V1.ElicitRequestSchema, sample: V1.CreateMessageRequestSchema, roots: V1.ListRootsRequestSchema }, answers);
  const c = await new Conn(1, to, Stdio1, Http1, version).open(client);
  return Object.assign(c, { era: 'legacy', version: c.received.find((m) => m.result?.protocolVersion).result.protocolVersion });
}
// mode: nothing for initialize, 'auto', or { pin: version }; prior: a discover result of an earlier connection.
export async function connect2(to, { mode, versions, inPlace, prior, answers } = {}) {
  const client = new Client2(INFO, { capabilities: capabilities(answers), ...(mode && { versionNegotiation: { mode, probe: { timeoutMs: 5000 } } }), ...(versions && { supportedProtocolVersions: versions }) });
  if (answers) answer(client, { elicit: 'elicitation/create', sample: 'sampling/createMessage', roots: 'roots/list' }, answers);
  const c = await new Conn(2, to, inPlace ? InPlace : Stdio2, Http2).open(client, ...(prior ? [{ prior }] : []));
  return Object.assign(c, { era: client.getProtocolEra(), version: client.getNegotiatedProtocolVersion() });
}
