// Runs every server scenario of the official conformance suite against SERVER --http -1, and prints
// what fails. A warning is a failure, and so is a check that is skipped.
//   node run.mjs SERVER [SELECTION...]
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
const [server, ...wanted] = process.argv.slice(2);

const child = spawn(server, ['--http', '-1'], { stdio: ['ignore', 'ignore', 'pipe'] }); // a port of its own choice
let log = '', url;
child.stderr.on('data', (d) => { log += d; url ??= /listening on (\S+)/.exec(log)?.[1]; });
for (let i = 0; i < 200 && !url; i++) await new Promise((r) => setTimeout(r, 50));
if (!url) { console.log(`FAIL the server does not listen: ${log}`); process.exit(1); }

function run(which, ...args) {
  const argv = ['--import', new URL('globsync.mjs', import.meta.url).href, new URL(`node_modules/conformance-${which}/dist/index.js`, import.meta.url).pathname, 'server', '--url', url, ...args];
  return new Promise((resolve) => {
    const p = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    for (const s of [p.stdout, p.stderr]) s.on('data', (d) => { out += d; });
    p.on('close', () => resolve(out));
  });
}

let passed = 0, failed = 0;
for (const name of wanted.length ? wanted : Object.keys(selections)) {
  const dir = mkdtempSync(join(tmpdir(), 'conformance-')), start = Date.now(), bad = [];
  const out = await run(...selections[name], '-o', dir);
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
if (child.exitCode !== null || child.signalCode) { failed++; console.log(`FAIL the server ended: ${log.slice(-1000)}`); }
child.kill();
console.log(`${passed} passed, ${failed} failed`);
process.exit(passed && !failed ? 0 : 1);
