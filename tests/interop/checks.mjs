// What the drivers check with: the server that fixture.json describes, against what a client gave.
import { readFileSync } from 'node:fs';

export const load = (name) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
export const spec = load('fixture.json');
export const order = [...spec.legacy, spec.modern], latest = spec.legacy.at(-1);

export const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
export const show = (v) => { const s = JSON.stringify(v) ?? String(v); return s.length > 300 ? `${s.slice(0, 300)}...` : s; };
export const ok = (cond, text) => { if (!cond) throw new Error(text); };
const object = (v) => typeof v === 'object' && v !== null && !Array.isArray(v);

// Why actual is not what was wanted, or undefined.
function mismatch(actual, want, path) {
  if (object(want) && '$re' in want) return typeof actual === 'string' && new RegExp(want.$re, 's').test(actual) ? undefined : `${path} is ${show(actual)}, not like ${want.$re}`;
  if (Array.isArray(want)) {
    if (!Array.isArray(actual) || actual.length !== want.length) return `${path} is ${show(actual)}, not ${show(want)}`;
    return want.map((w, i) => mismatch(actual[i], w, `${path}[${i}]`)).find(Boolean);
  }
  if (object(want)) return object(actual) ? Object.keys(want).map((k) => mismatch(actual[k], want[k], `${path}.${k}`)).find(Boolean) : `${path} is ${show(actual)}`;
  return Object.is(actual, want) ? undefined : `${path} is ${show(actual)}, not ${show(want)}`;
}
export const same = (actual, want, path = 'result') => { const m = mismatch(actual, want, path); ok(!m, m); };

// An entry of fixture.json: what every version carries, and what only newer ones may.
export function fits(actual, entry, version, path) {
  same(actual, entry.is, path);
  for (const [first, more] of Object.entries(entry.since ?? {})) {
    if (order.indexOf(version) >= order.indexOf(first)) same(actual, more, path);
    else for (const k of Object.keys(more)) ok(!(k in actual), `${path}.${k} is not of ${version}`);
  }
}
export async function refused(promise, code, what) {
  const e = await promise.then((v) => ok(false, `${what} gave ${show(v)}`), (x) => x);
  ok(e.code === code, `${what}: ${e.code} ${e.message}, not ${code}`);
}
export async function until(cond, ms, what) {
  for (let t = 0; t < ms; t += 10) { if (cond()) return; await sleep(10); }
  ok(cond(), `${what}: not within ${ms} ms`);
}

// argv: [--only TEXT] [--verbose] and what is left.
export const argv = process.argv.slice(2);
const option = (name, n) => (argv[0] === name ? argv.splice(0, n)[n - 1] : undefined);
const only = option('--only', 2) ?? '', verbose = option('--verbose', 1);

let passed = 0, failed = 0, leg = '';
export function begin(name) { leg = name; }
export async function check(name, body) {
  if (!`${leg}: ${name}`.includes(only)) return undefined;
  let timer;
  try {
    const late = new Promise((_, no) => { timer = setTimeout(() => no(new Error('not done in 20 s')), 20000); });
    const v = await Promise.race([body(), late]);
    passed++;
    if (verbose) console.log(`ok   ${leg}: ${name}`);
    return v;
  } catch (e) {
    failed++;
    console.log(`FAIL ${leg}: ${name}: ${e.message}`);
    return undefined;
  } finally { clearTimeout(timer); }
}

// The last line of a driver.
export function end() {
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(passed && !failed ? 0 : 1);
}
