/* harness.mjs - what the drivers share: tests that are counted, a browser that is listened to, a server
   over stdio, a second origin that serves pages under a policy */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';
import { chromium } from 'playwright-core';

let passed = 0, failed = 0, now = '';
export const test = async (name, body) => {
  now = name;
  const before = failed;
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(Error('it takes too long')), 60000); });
  try { await Promise.race([body(), late]); } catch (e) { fail(e.stack); }
  clearTimeout(timer);
  if (before === failed) passed++;
};
const fail = (why) => { failed++; console.log(`FAIL ${now}: ${why}`); };
export const check = (ok, what) => { if (!ok) fail(what); };
export const same = (got, wanted, what = '') => {
  if (!isDeepStrictEqual(got, wanted))
    fail(`${what} is ${JSON.stringify(got)}\n  wanted ${JSON.stringify(wanted)}`);
};
export const until = async (what, f, ms = 10000) => {
  for (const end = Date.now() + ms; Date.now() < end;) {
    const value = await f();
    if (value) return value;
    await new Promise((done) => setTimeout(done, 25));
  }
  throw Error(`${what} did not come`);
};

/* Whatever we start ends with us: a program that is left holds our output open. */
const started = [];
export const track = (child) => { started.push(child); return child; };
process.on('exit', () => { for (const child of started) child.kill('SIGKILL'); });
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => process.exit(1));

export const done = () => {
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(passed && !failed ? 0 : 1);
};

/* ---- the browser ---- */
export const browse = async () => chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--force-color-profile=srgb'] });

/* A tab whose every complaint and every request is kept; trouble says what was not expected. */
export const tab = async (browser, options = {}) => {
  const page = await browser.newPage({ viewport: { width: 900, height: 760 }, ...options });
  page.complaints = [];
  page.requests = [];
  page.on('console', (m) => { if (['error', 'warning'].includes(m.type())) page.complaints.push(m.text()); });
  page.on('pageerror', (e) => page.complaints.push(String(e)));
  page.on('request', (r) => page.requests.push(r.url()));
  return page;
};
export const quiet = (page, allowed) => {
  same(page.complaints, [], 'the console');
  same(page.requests.filter((url) => !/^(data|blob|about):/.test(url) && !allowed.some((a) => url.startsWith(a))), [],
    'undeclared requests');
};

/* ---- a server over stdio, by hand: what we test is the page, so nothing stands between ---- */
const UI = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };
export const serve = (command, ...args) => {
  const child = track(spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] }));
  const waiting = new Map();
  let id = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const m = JSON.parse(line);
    if (waiting.has(m.id)) waiting.get(m.id)(m);
  });
  const server = { child, calls: [], ask: async (method, params = {}) => {
    server.calls.push({ method, params });
    const m = await new Promise((answer) => {
      waiting.set(++id, answer);
      child.stdin.write(JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': UI } } }) + '\n');
    });
    if (m.error) throw Error(m.error.message);
    const { resultType, ttlMs, cacheScope, ...result } = m.result;
    return result;
  }, stop: () => child.stdin.end() };
  return server;
};

/* ---- pages, each at an origin of its own: ROUTES is { path: [type, headers, body] } ---- */
export const origin = async (routes) => {
  const http = createServer((request, response) => {
    const [type, headers, body] = routes[request.url.split('?')[0]] || ['text/plain', {}, null];
    response.writeHead(body === null ? 404 : 200, { 'Content-Type': type, ...headers });
    response.end(body === null ? 'nothing' : body);
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  return { url: `http://127.0.0.1:${http.address().port}`, routes, close: () => http.close() };
};
