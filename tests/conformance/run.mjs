// Runs every server scenario of the official conformance suite against SERVER --http -1, and those
// of its client scenarios that need no OAuth against CLIENT, one at a time, and prints what fails. A
// warning is a failure, and so is a check that is skipped.
//   node run.mjs SERVER CLIENT [SELECTION...]
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// The sets hold what is scored and what is not; extensions run only where no version is named.
const selections = {
  '2025-03-26': ['alpha', '--suite', 'all', '--spec-version', '2025-03-26'],
  '2025-06-18': ['alpha', '--suite', 'all', '--spec-version', '2025-06-18'],
  '2025-11-25': ['alpha', '--requirements', '2025-11-25'],
  '2026-07-28': ['alpha', '--requirements', '2026-07-28'],
  'all': ['alpha', '--suite', 'all'],
  'stable': ['stable', '--suite', 'all']
};
const skipsItself = 'tasks-status-notifications';
// Each with the versions that it has, or none: an extension's.
const clientScenarios = {
  'initialize': ['2025-06-18', '2025-11-25'],
  'tools_call': ['2025-06-18', '2025-11-25', '2026-07-28'],
  'elicitation-sep1034-client-defaults': ['2025-11-25'],
  'sse-retry': ['2025-11-25'],
  'request-metadata': ['2026-07-28'],
  'sep-2322-client-request-state': ['2026-07-28'],
  'http-standard-headers': ['2026-07-28'],
  'http-custom-headers': ['2026-07-28'],
  'http-invalid-tool-headers': ['2026-07-28'],
  'json-schema-ref-no-deref': ['2026-07-28'],
  'json-schema-2020-12-preservation': ['2025-11-25', '2026-07-28'],
  'sep-2640-client-no-prefetch': [undefined],
  'sep-2640-client-verify-digest': [undefined],
  'sep-2640-client-verify-size': [undefined],
  'sep-2640-client-verify-frontmatter': [undefined]
};
// What a version does not have cannot be looked at: no handshake in 2026-07-28, and of the keywords
// that it brought nothing is asked before.
const notThere = /^ClientMcpMethodHeader_(notifications_)?initiali[sz]ed?$|^JsonSchema2020_12Client(Composition|Conditional|Anchor)/;
const [server, client, ...wanted] = process.argv.slice(2);

const child = spawn(server, ['--http', '-1'], { stdio: ['ignore', 'ignore', 'pipe'] }); // a port of its own choice
let log = '', url;
child.stderr.on('data', (d) => { log += d; url ??= /listening on (\S+)/.exec(log)?.[1]; });
for (let i = 0; i < 200 && !url; i++) await new Promise((r) => setTimeout(r, 50));
if (!url) { console.log(`FAIL the server does not listen: ${log}`); process.exit(1); }

function run(which, ...args) {
  const argv = ['--import', new URL('globsync.mjs', import.meta.url).href, new URL(`node_modules/conformance-${which}/dist/index.js`, import.meta.url).pathname, ...args];
  return new Promise((resolve) => {
    const p = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    for (const s of [p.stdout, p.stderr]) s.on('data', (d) => { out += d; });
    p.on('close', (code) => resolve([out, code]));
  });
}

let passed = 0, failed = 0;
for (const name of wanted.length ? wanted : [...Object.keys(selections), 'clients']) {
  if (name === 'clients') continue;
  const dir = mkdtempSync(join(tmpdir(), 'conformance-')), start = Date.now(), bad = [];
  const [which, ...args] = selections[name], [out] = await run(which, 'server', '--url', url, ...args, '-o', dir);
  let good = 0, scenarios = 0;
  for (const sub of readdirSync(dir)) {
    const scenario = sub.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*/, '');
    scenarios++;
    for (const c of JSON.parse(readFileSync(join(dir, sub, 'checks.json'), 'utf8'))) {
      if (c.status === 'SUCCESS') good++;
      else if (c.status !== 'INFO' && scenario !== skipsItself) bad.push(`${scenario}: ${c.id}: ${c.status} ${String(c.errorMessage ?? '').replace(/\s+/g, ' ').slice(0, 300)}`);
    }
  }
  rmSync(dir, { recursive: true, force: true });
  // A scenario that threw leaves nothing but a line of the log.
  for (const [, scenario, why] of out.matchAll(/^Failed to run scenario (\S+): (.*)$/gm)) bad.push(`${scenario}: threw ${why.slice(0, 300)}`);
  if (!good) bad.push(`nothing passed: ${out.slice(-300)}`);
  for (const line of bad) console.log(`FAIL ${name}: ${line}`);
  console.log(`  ${name}: ${scenarios} scenarios, ${good} passed, ${bad.length} failed (${Math.round((Date.now() - start) / 1000)} s)`);
  passed += good;
  failed += bad.length;
}
if (!wanted.length || wanted.includes('clients')) {
  const start = Date.now();
  let runs = 0, good = 0, bad = 0;
  for (const [scenario, versions] of Object.entries(clientScenarios)) for (const version of versions) {
    const dir = mkdtempSync(join(tmpdir(), 'conformance-')), lines = [];
    const [out, code] = await run('alpha', 'client', '--command', client, '--scenario', scenario, ...version ? ['--spec-version', version] : [], '-o', dir);
    let successes = 0;
    for (const file of readdirSync(dir, { recursive: true }).filter((f) => String(f).endsWith('checks.json')))
      for (const c of JSON.parse(readFileSync(join(dir, String(file)), 'utf8'))) {
        if (c.status === 'SUCCESS') successes++;
        else if (c.status !== 'INFO' && !(c.status === 'SKIPPED' && notThere.test(c.name))) lines.push(`${c.name}: ${c.status} ${String(c.errorMessage ?? '').slice(0, 300)}`);
      }
    rmSync(dir, { recursive: true, force: true });
    if (!successes) lines.push(`nothing passed: ${out.slice(-500)}`);
    else if (code && !lines.length) lines.push(`exit ${code}: ${out.slice(-500)}`);
    for (const line of lines) console.log(`FAIL client ${scenario} ${version ?? ''}: ${line}`);
    runs++;
    good += successes;
    bad += lines.length;
  }
  console.log(`  clients: ${runs} scenarios, ${good} passed, ${bad} failed (${Math.round((Date.now() - start) / 1000)} s)`);
  passed += good;
  failed += bad;
}
if (child.exitCode !== null || child.signalCode) { failed++; console.log(`FAIL the server ended: ${log.slice(-1000)}`); }
child.kill();
console.log(`${passed} passed, ${failed} failed`);
process.exit(passed && !failed ? 0 : 1);
