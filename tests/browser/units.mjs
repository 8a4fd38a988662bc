/* units.mjs - what needs no browser: heal() of the host, and what the bridge promises of its own text */
import { transform } from 'esbuild';
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { check, same, test } from './harness.mjs';

const text = (name) => readFileSync(new URL('../../examples/' + name, import.meta.url), 'utf8');
const { heal, fileName } = new Function(text('preview/host.js') + '; return mcpHost;')();

/* a is what b may have begun as: nothing in it that b does not go on with. */
const begins = (a, b) => {
  if (typeof a === 'string' && typeof b === 'string') return b.startsWith(a);
  if (Array.isArray(a)) return Array.isArray(b) && a.length <= b.length && a.every((v, i) => begins(v, b[i]));
  if (a && typeof a === 'object')
    return Boolean(b) && typeof b === 'object' && Object.keys(a).every((k, i) => Object.keys(b)[i] === k && begins(a[k], b[k]));
  return Object.is(a, b);
};

export default async () => {
  await test('heal: the beginnings of arguments, one by one', () => {
    const said = [['', null], [' ', null], ['{', {}], ['{"a', {}], ['{"a"', {}], ['{"a":', {}], ['{"a":"', { a: '' }], ['{"a":"x', { a: 'x' }], ['{"a":"x"', { a: 'x' }],
      ['{"a":"x",', { a: 'x' }], ['{"a":"x","b', { a: 'x' }], ['{"a":1', {}], ['{"a":12 ', { a: 12 }], ['{"a":12,', { a: 12 }], ['{"a":-', {}], ['{"a":1e', {}], ['{"a":tru', {}],
      ['{"a":true}', { a: true }], ['{"a":null,"b":[', { a: null, b: [] }], ['{"a":[1,2', { a: [1] }], ['{"a":[[{"b":"', { a: [[{ b: '' }]] }],
      ['{"a":"x\\', { a: 'x' }], ['{"a":"x\\u00', { a: 'x' }], ['{"a":"x\\u00e9', { a: 'x\u00e9' }], ['{"a":"\\\\', { a: '\\' }], ['{"a":"\\\\ud83d', { a: '\\ud83d' }],
      ['{"a":"\\ud83d', { a: '' }], ['{"a":"\\\\\\ud83d', { a: '\\' }], ['{"a":"\ud83d', { a: '' }], ['{"a":"\ud83d\ude00', { a: '\ud83d\ude00' }], ['{"a":":,{[', { a: ':,{[' }]];
    for (const [beginning, wanted] of said) same(heal(beginning), wanted, beginning);
  });
  await test('heal: of every beginning of a text an object that goes on in the next', () => {
    const whole = '{ "city": "Z\\u00fcri\\"ch\\ud83d\\ude00", "n": [1, -2.5e3, true, null, {"deep": [[]], "": "x"}],\n "\ud83d\ude00": "\ud83d\ude00\\\\", "o": {} } ';
    let before = null, grown = 0;
    for (let i = 0; i <= whole.length; i++) {
      const value = heal(whole.slice(0, i));
      check((value === null) === (i < 1), `${i}: ${JSON.stringify(value)}`);
      if (before) check(begins(before, value), `${JSON.stringify(before)}, then ${JSON.stringify(value)}`);
      grown += !isDeepStrictEqual(before, value);
      before = value;
    }
    same(before, JSON.parse(whole));
    check(grown > 20, `${grown} steps`);
  });
  await test('heal: what begins no object is none', () => {
    for (const bad of ['[', '[1', '"x', '7', 'null', 'x', '}', '{]', '{"a"}', '{"a":1}}', '{"a":"\\x', '{"a":"\\u12z', '{"a":nul,', '{"a":1,}'])
      same(heal(bad), null, bad);
    same(Object.keys(heal('{"__proto__":{"x":"')), ['__proto__']);
  });
  await test('a file\'s name is a name and nothing more', () => {
    for (const [uri, name] of [['file:///a/b.txt', 'b.txt'], ['..%2f..%2fx', 'x'], ['a\\b', 'b'], ['.profile', 'profile'], ['a:<>"|*b?c', 'ab'], ['x\u0000%00y', 'xy'], ['/', 'file'],
      ['%', '%'], ['a'.repeat(300), 'a'.repeat(120)]]) same(fileName(uri), name, uri);
  });
  await test('the bridge: 12 KB, nothing to load, nothing evaluated, what browsers of 2021 understand', async () => {
    const bridge = text('app/bridge.js'), written = (target) => transform(bridge, { target }).then((r) => r.code);
    check(bridge.length === Buffer.byteLength(bridge) && bridge.length <= 12 * 1024, `${bridge.length} bytes`);
    same(bridge.match(/\beval\b|\bFunction\b|\bimport\b *[('"{*]|\brequire\b|\bfetch\b|XMLHttpRequest|WebSocket|document\.write|\.src *= *['"]|https?:/g), null);
    same(await written('es2021'), await written('esnext'));
    check(await written('es2020') !== await written('esnext'), 'the test sees no difference');
  });
};
