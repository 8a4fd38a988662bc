// peers.mjs MCP PYTHON GO SCRATCH - the command-line client against published servers and official
// SDKs, over stdio, HTTP and HTTPS, in every version they speak. Ends with N passed, N failed.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { createServer as createSecure } from 'node:https';
import { createServer as createSocket } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const [mcp, python, go, scratch] = process.argv.slice(2).map((p) => resolve(p));
const here = dirname(fileURLToPath(import.meta.url)), bin = (name) => join(here, 'node_modules/.bin', name);
rmSync(scratch, { recursive: true, force: true });
mkdirSync(join(scratch, 'files'), { recursive: true });
let passed = 0, failed = 0;

function run(args, env = {}) {
  return new Promise((done) => {
    const child = execFile(mcp, args, { cwd: scratch, env: { ...process.env, COLUMNS: '', ...env }, timeout: 60000, maxBuffer: 1 << 26, encoding: 'buffer' },
      (error, out, err) => done({ status: error ? error.code ?? error.signal : 0, bytes: out, out: String(out), err: String(err) }));
    child.stdin.end();
  });
}

// So it ends, and its output is, or matches, that.
async function expect(leg, args, target, status, out, { env, err } = {}) {
  const r = await run([...args, ...target], env);
  const fits = (is, want) => want === undefined || (want instanceof RegExp ? want.test(is) : is === want);
  if (r.status === status && fits(r.out, out) && fits(r.err, err)) passed++;
  else {
    failed++;
    console.log(`${leg}: mcp ${args.join(' ')}: status ${r.status}, expected ${status}, and\n${r.out}${r.err}expected ${out} ${err ?? ''}`);
  }
  return r;
}

// ---- official SDKs: the same server by each ----

const modern = '2026-07-28', legacy = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];

async function sdk(leg, target, version, { whole, shown = '{"unit":"fahrenheit","tags":["a","b"]}' }) {
  const say = (args, ...rest) => expect(`${leg} ${version}`, [...args, '--version', version, '-q'], target, ...rest);
  await say(['info'], 0, new RegExp(`^peer 1\\.0\\.0\n(.*\n)*  protocol  +${version}\n`));
  await say(['call', 'add', 'a=2', 'b=40'], 0, '42\n');
  if (version >= '2025-06-18') {
    if (leg === 'ts 2 http' && version < modern) await say(['call', 'ask', '-A', 'name=Ada'], 1, '', { err: /per-request legacy serving/ }); // it keeps no session
    else await say(['call', 'ask', '-A', 'name=Ada'], 0, 'Hello Ada\n', { err: 'Who are you?\n' });
  }
  if (!whole) return;
  await say(['tools'], 0, /^add +a b +Adds\.$/m);
  await say(['tools', 'pick'], 0, /^  unit  one of celsius, fahrenheit; default celsius$/m);
  await say(['call', 'add', 'a=two', 'b=40'], 2, '', { err: 'mcp: a=two: it must be number\n' });
  await say(['call', 'pick', 'unit=fahrenheit', 'tags=a,b'], 0, `${shown}\n`);
  await say(['call', 'fail'], 1, '', { err: 'boom\n' });
  await say(['read', 'res://hello'], 0, 'hello');
  await say(['read', 'res://item/7'], 0, '7');
  await say(['read', 'res://nothing/7'], 3);
  await say(['resources'], 0, /^res:\/\/hello +text\/plain/m);
  await say(['templates'], 0, /^res:\/\/item\/\{id\} /m);
  await say(['prompts'], 0, /^greet +who +Greets\.$/m);
  await say(['get', 'greet', 'who=Ada'], 0, 'user\nGreet Ada.\n');
  await say(['complete', 'greet', 'who', 'Al'], 0, 'Alan\n');
}

async function freePort() {
  const s = createSocket().listen(0, '127.0.0.1');
  await once(s, 'listening');
  const { port } = s.address();
  s.close();
  await once(s, 'close');
  return port;
}

// Starts a server that listens on the port that it is given; waits until it answers.
async function serve(argv, env = {}) {
  const port = await freePort();
  const child = spawn(argv[0], argv.slice(1).map((a) => a.replace('PORT', port)), { cwd: scratch, env: { ...process.env, PORT: String(port), ...env }, stdio: 'ignore' });
  for (let tries = 0; tries < 200 && child.exitCode === null; tries++) {
    const up = await fetch(`http://127.0.0.1:${port}/mcp`, { method: 'OPTIONS' }).catch(() => null);
    if (up) return { child, port, url: `http://127.0.0.1:${port}/mcp` };
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`${argv.join(' ')} does not listen`);
}

const sdks = [
  ['ts 1', [process.execPath, join(here, 'server1.mjs')], legacy],
  ['ts 2', [process.execPath, join(here, 'server2.mjs')], [...legacy, modern]],
  ['python', [python, '-B', join(here, 'server.py')], [...legacy, modern], "fahrenheit ['a', 'b']"],
  ['go', [go], [...legacy, modern]]];
async function all([leg, argv, versions, shown]) {
  const over = await serve([...argv, '--http', 'PORT']);
  const alone = leg === 'go' ? await serve([...argv, '--stateless', 'PORT']) : over; // its sessions are of older versions
  await expect(leg, ['info', '-q'], ['--', ...argv], 0, new RegExp(`^  protocol  +${versions.at(-1)}$`, 'm'));
  for (const version of versions) {
    await sdk(`${leg} stdio`, ['--', ...argv], version, { whole: version === versions.at(-1), shown });
    await sdk(`${leg} http`, [version === modern ? alone.url : over.url], version, { whole: true, shown });
  }
  if (leg === 'ts 2') await secure(over.port);
  over.child.kill();
  alone.child.kill();
}

// HTTPS: a certificate that is trusted, one that is not, one of another host.
async function secure(port) {
  const key = join(scratch, 'key.pem'), cert = join(scratch, 'cert.pem');
  await new Promise((done) => execFile('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key, '-out', cert, '-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'], done));
  const front = createSecure({ key: readFileSync(key), cert: readFileSync(cert) }, (q, s) => {
    q.pipe(request({ host: '127.0.0.1', port, path: q.url, method: q.method, headers: q.headers }, (r) => {
      s.writeHead(r.statusCode, r.headers);
      r.pipe(s);
    }));
  }).listen(0);
  await once(front, 'listening');
  const at = front.address().port, env = { SSL_CERT_FILE: cert };
  await expect('https', ['call', 'add', 'a=2', 'b=40'], [`https://localhost:${at}/mcp`], 0, '42\n', { env });
  await expect('https', ['call', 'ask', '-A', 'name=Ada'], [`https://localhost:${at}/mcp`], 0, 'Hello Ada\n', { env });
  await expect('https', ['call', 'add', 'a=2', 'b=40'], [`https://localhost:${at}/mcp`], 4, '');
  await expect('https', ['call', 'add', 'a=2', 'b=40'], [`https://127.0.0.1:${at}/mcp`], 4, '', { env });
  front.closeAllConnections();
  front.close();
}

// ---- published servers ----

async function everything(leg, target) {
  const say = (args, ...rest) => expect(`everything ${leg}`, [...args, '-q'], target, ...rest);
  await say(['info'], 0, /^mcp-servers\/everything [^]*instructions are working/);
  await say(['tools'], 0, /^get-sum +a b +Returns the sum of two numbers$/m);
  await say(['tools', 'get-annotated-message'], 0, /^  messageType +one of error, success, debug; required/m);
  await say(['call', 'echo', 'message=42'], 0, 'Echo: 42\n');
  await say(['call', 'get-sum', 'a=1', 'b=2.5'], 0, 'The sum of 1 and 2.5 is 3.5.\n');
  await say(['call', 'get-sum', '--args', '{"a":"x"}'], 1);
  await say(['call', 'get-tiny-image'], 0, /^Here.*\nimage\/png, 4033 bytes: \.\/(\d-)?get-tiny-image\.png\nThe/);
  if (readFileSync(join(scratch, 'get-tiny-image.png')).toString('latin1', 1, 4) === 'PNG') passed++;
  else failed++, console.log('get-tiny-image.png is none');
  await say(['call', 'get-resource-links', 'count=2'], 0, /^demo:\/\/resource\/dynamic\/text\/2  Text Resource 2$/m);
  await say(['call', 'get-resource-reference', 'resourceType=Text', 'resourceId=1'], 0, /^Resource 1: This is a plaintext/m);
  await say(['call', 'get-structured-content', 'location=Chicago', '--json'], 0, /"structuredContent":\{"temperature":36/);
  await say(['call', 'get-structured-content', 'location=Bern'], 2, '', { err: 'mcp: location=Bern: it must be one of New York, Chicago, Los Angeles\n' });
  await say(['call', 'trigger-long-running-operation', 'duration=1', 'steps=4'], 0, 'Long running operation completed. Duration: 1 seconds, Steps: 4.\n');
  await say(['call', 'trigger-long-running-operation', 'duration=9', 'steps=1', '-t', '1'], 5, '');
  await say(['call', 'trigger-elicitation-request', '-A', 'name=Ada', '-A', 'check=yes', '-A', 'integer=7'], 0, /- Name: Ada[^]*- Favorite Integer: 7/);
  await say(['call', 'trigger-sampling-request', 'prompt=hi', '--sample', 'echo "${MCP_REQUEST%%:*} yes"'], 0, /"text": "\{\\"messages\\" yes"/);
  await say(['call', 'get-roots-list', '-r', 'files'], 0, /URI: file:\/\/\/.*\/files$/m);
  await say(['resources'], 0, /^demo:\/\/resource\/static\/document\/architecture\.md +text\/markdown/m);
  await say(['read', 'demo://resource/dynamic/blob/1'], 0, /^Resource 1: This is a base64 blob/);
  await say(['get', 'args-prompt', 'city=Bern'], 0, "user\nWhat's weather in Bern?\n");
  await say(['get', 'resource-prompt', 'resourceType=Text', 'resourceId=1'], 0, /^user\nResource 1: This is a plaintext/m);
  await say(['complete', 'completable-prompt', 'department', 'E'], 0, 'Engineering\n');
  await say(['listen', '-t', '1'], 0, /^(tools\/list_changed\n)*$/);
}

async function published() {
  const http = await serve([bin('mcp-server-everything'), 'streamableHttp']);
  await everything('stdio', ['--', bin('mcp-server-everything')]);
  await everything('http', [http.url]);
  http.child.kill();

  const files = ['--', bin('mcp-server-filesystem'), join(scratch, 'files')], note = join(scratch, 'files/note.txt');
  writeFileSync(note, 'first line\nsecond line\n');
  const fs = (args, ...rest) => expect('filesystem', [...args, '-q'], files, ...rest);
  await fs(['tools'], 0, /^edit_file +path edits \[dryRun\]/m);
  await fs(['call', 'read_text_file', `path=${note}`, 'head=1'], 0, 'first line\n');
  await fs(['call', 'read_multiple_files', `paths=${note}`], 0, /second line/);
  await fs(['call', 'edit_file', `path=${note}`, 'edits=[{"oldText":"first","newText":"1st"}]', 'dryRun=yes'], 0, /\+1st line/);
  await fs(['call', 'write_file', `path=${note}`, 'content=42'], 0);
  await fs(['call', 'read_text_file', `path=${note}`], 0, '42\n');
  await fs(['call', 'read_text_file', 'path=/etc/passwd'], 1, '', { err: /Access denied/ });
  await fs(['call', 'list_directory', `pat=${scratch}`], 2, '', { err: 'mcp: no argument is called pat; did you mean path?\n' });

  const memory = (args, status, out) => expect('memory', [...args, '-q'], ['--', bin('mcp-server-memory')], status, out, { env: { MEMORY_FILE_PATH: join(scratch, 'memory.jsonl') } });
  await memory(['call', 'create_entities', 'entities=[{"name":"Ada","entityType":"person","observations":["counts"]}]'], 0, /Ada/);
  await memory(['call', 'search_nodes', 'query=counts', '--json'], 0, /"structuredContent":\{"entities":\[\{"name":"Ada"/);
  await memory(['call', 'open_nodes', 'names=Ada,Nobody'], 0, /"entityType": "person"/);
  await memory(['call', 'delete_entities', 'entityNames=Ada'], 0);
  await memory(['call', 'read_graph', '--json'], 0, /"entities":\[\]/);

  const thinking = (args, ...rest) => expect('sequential-thinking', [...args, '-q'], ['--', bin('mcp-server-sequential-thinking')], ...rest);
  await thinking(['tools', 'sequentialthinking'], 0, /^  thoughtNumber +integer; required/m);
  await thinking(['call', 'sequentialthinking', 'thought=42', 'nextThoughtNeeded=false', 'thoughtNumber=1', 'totalThoughts=1'], 0, /"nextThoughtNeeded": false/);
  await thinking(['call', 'sequentialthinking', 'thought=42'], 2, '');

  const app = await serve([bin('mcp-server-basic-vanillajs')]);
  for (const [leg, target] of [['stdio', ['--', bin('mcp-server-basic-vanillajs'), '--stdio']], ['http', [app.url]]]) {
    const say = (args, ...rest) => expect(`app ${leg}`, [...args, '-q'], target, ...rest);
    await say(['info'], 0, /^ {2}protocol +2025-11-25$/m);
    await say(['tools', 'get-time', '--json'], 0, /"resourceUri":"ui:\/\/get-time\//);
    await say(['call', 'get-time'], 0, /\d{4}-\d\d-\d\dT/);
    const { resources } = JSON.parse((await run(['resources', '--json', '-q', ...target])).out || '{}');
    await say(['read', resources?.[0]?.uri ?? 'none'], 0, /<!doctype html>/i);
  }
  app.child.kill();
}

const work = [published, ...sdks.map((one) => () => all(one))]; // two at a time
await Promise.all([0, 1].map(async () => { while (work.length) await work.shift()(); }));
console.log(`${passed} passed, ${failed} failed`);
process.exit(passed && !failed ? 0 : 1);
