// Drives the Inspector's command line, a process for each check, against one server, over stdio and, with
// --http PORT added to its command, over HTTP; fixture.json says what it offers.
//   node inspector.mjs [--only TEXT] [--verbose] FIXTURE
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { argv, begin, check, end, fits, latest, ok, same, spec } from '../checks.mjs';
import { serve } from '../clients.mjs';

const inspector = fileURLToPath(new URL('node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'inspector-'));

function run(args) {
  const child = spawn(process.execPath, [inspector, '--cli', '--format', 'json', '-q', '--stored-auth-only', ...args], { env: { ...process.env, HOME: home, MCP_CATALOG_PATH: join(home, 'mcp.json') }, stdio: ['ignore', 'pipe', 'pipe'] });
  const got = { out: '', err: '' };
  child.stdout.on('data', (d) => { got.out += d; });
  child.stderr.on('data', (d) => { got.err += d; });
  return new Promise((done) => child.on('close', (code) => done({ ...got, code })));
}

// The calls that a command line can say: what others need is for the other drivers.
const calls = ['echo', 'add', 'blob', 'größe'].map((name) => spec.calls.find((k) => k.tool === name));

async function all(era, target) {
  const version = era === 'modern' ? spec.modern : latest;
  const cli = (...args) => run(['--protocol-era', era, ...args, ...target]);
  const result = async (...args) => {
    const { code, out, err } = await cli(...args);
    ok(code === 0, `exit ${code}: ${(err || out).slice(-300)}`);
    return JSON.parse(out).result;
  };
  const listed = (method, key, name, entries) => check(method, async () => {
    const rows = (await result('--method', method))[key];
    same(rows.map((r) => r[name]), entries.map((e) => e.is[name]), 'names');
    rows.forEach((r, i) => fits(r, entries[i], version, r[name]));
  });
  await check('initialize', async () => same(await result('--method', 'initialize'), { serverInfo: spec.server }));
  await listed('tools/list', 'tools', 'name', spec.tools);
  await listed('resources/list', 'resources', 'uri', spec.resources);
  await listed('resources/templates/list', 'resourceTemplates', 'uriTemplate', spec.templates);
  await listed('prompts/list', 'prompts', 'name', spec.prompts);
  for (const k of calls) await check(`tools/call ${k.tool}`, async () =>
    fits(await result('--method', 'tools/call', '--tool-name', k.tool, '--tool-args-json', JSON.stringify(k.args ?? {})), k, version, 'result'));
  await check('an image as a file', async () => {
    const file = join(home, 'image');
    const { code, err } = await cli('--method', 'tools/call', '--tool-name', 'blob', '--output', file, '--output-format', 'raw');
    ok(code === 0, `exit ${code}: ${err.slice(-300)}`);
    ok(readFileSync(file).toString('hex') === '00ff10', readFileSync(file).toString('hex'));
  });
  for (const tool of ['fail', 'no_such_tool']) await check(`tools/call ${tool} is exit code 5`, async () => {
    const { code, err } = await cli('--method', 'tools/call', '--tool-name', tool);
    ok(code === 5, `exit ${code}: ${err.slice(-300)}`);
  });
  for (const r of spec.reads) await check(`resources/read ${r.uri}`, async () => fits(await result('--method', 'resources/read', '--uri', r.uri), r, version, 'result'));
  await check('prompts/get', async () => {
    const p = spec.gets[0];
    fits(await result('--method', 'prompts/get', '--prompt-name', p.name, '--prompt-args', ...Object.entries(p.args).map(([k, v]) => `${k}=${v}`)), p, version, 'result');
  });
  if (era === 'legacy') await check('logging/setLevel', () => result('--method', 'logging/setLevel', '--log-level', 'info'));
  await check('tools that are portable', () => result('--method', 'tools/list', '--strict'));
  await check('200 calls under load', async () => same(
    await result('--method', 'tools/call', '--tool-name', 'noargs', '--load', '--load-requests', '200', '--load-concurrency', '20'),
    { requests: 200, ok: 200, toolErrors: 0, errors: 0 }));
}

const server = await serve(argv);
if (!server.url) throw new Error(`it does not listen: ${server.printed}`);
try {
  for (const era of ['legacy', 'modern']) {
    begin(`inspector ${era} stdio`);
    await all(era, ['--', argv[0]]);
    begin(`inspector ${era} http`);
    await all(era, ['--transport', 'http', '--server-url', server.url]);
  }
} finally {
  server.child.kill();
  rmSync(home, { recursive: true, force: true });
}
end();
