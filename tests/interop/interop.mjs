// Drives the official TypeScript clients against two servers, over stdio and, with --http PORT added to
// their commands, over HTTP; fixture.json and asks.json say what they offer, what is answered them, and
// what comes of it.
//   node interop.mjs [--only TEXT] [--verbose] FIXTURE ASKS
import { argv, begin, check, end, fits, latest, load, ok, order, refused, same, show, sleep, spec, until } from './checks.mjs';
import { META, connect1, connect2, serve } from './clients.mjs';

const asks = load('asks.json');

async function on(name, open, body) {
  begin(name);
  const c = await check('connect', open);
  if (!c) return;
  try { await body(c); } finally {
    begin(name);
    if (c.to.server) await check('the client leaves', () => leaves(c));
    else await check('the server ends with its input', () => ends(c));
  }
}
async function ends(c) {
  const start = Date.now();
  await c.client.close();
  ok(Date.now() - start < 1500, 'it had to be killed');
  let alive = true;
  try { process.kill(c.pid, 0); } catch { alive = false; }
  ok(!alive, 'it still runs');
  content(c);
}
async function leaves(c) {
  const { sessionId } = c.transport;
  if (sessionId) {
    await c.transport.terminateSession();
    same(await c.raw('tools/list', undefined, sessionId), { error: { message: 'Session not found' } }, 'what follows');
  }
  await c.client.close();
  content(c);
}
function content(c) {
  // Not a fault: progress that is read in one piece with the result finds its handler gone.
  const errors = c.errors.filter((e) => !/progress notification for an unknown token/.test(e.message));
  ok(errors.length === 0, `the client complained: ${errors[0]?.message}`);
}

// ---- both eras ----
async function all(c, method, key) {
  const rows = [], seen = new Set();
  for (let cursor; ;) {
    const page = await c.client[method](cursor === undefined ? undefined : { cursor });
    rows.push(...page[key]);
    cursor = page.nextCursor;
    if (cursor === undefined) return rows;
    ok(!seen.has(cursor), 'a cursor came twice');
    seen.add(cursor);
  }
}
async function listed(c, method, key, name, entries) {
  const rows = await all(c, method, key);
  same(rows.map((r) => r[name]), entries.map((e) => e.is[name]), 'names');
  rows.forEach((r, i) => fits(r, entries[i], c.version, r[name]));
  same(await all(c, method, key), rows, 'the second list');
}
async function common(c) {
  await check('who and what it is', async () => {
    same(c.client.getServerVersion(), spec.server, 'serverInfo');
    fits(c.client.getServerCapabilities(), spec.capabilities, c.version, 'capabilities');
  });
  await check('tools/list', () => listed(c, 'listTools', 'tools', 'name', spec.tools));
  await check('tools/list with a cursor nobody gave', async () => refused(c.client.listTools({ cursor: 'nonsense' }), -32602, 'it'));
  for (const k of spec.calls)
    await check(`${k.tool} ${show(k.args)}`, async () => fits(await c.call(k.tool, k.args), k, c.version, 'result'));
  await check('a megabyte there and back', async () => {
    const text = 'x'.repeat(1e6) + '€';
    ok((await c.call('echo', { text })).content[0].text === text, 'another text came back');
  });
  await check('an unknown tool', () => refused(c.call('no_such_tool', {}), -32602, 'it'));
  await check('fifty calls at once', async () => {
    const jobs = Array.from({ length: 50 }, (_, i) => spec.calls[i % spec.calls.length]);
    const results = await Promise.all(jobs.map((k) => c.call(k.tool, k.args)));
    results.forEach((r, i) => fits(r, jobs[i], c.version, jobs[i].tool));
  });
  await check('printf stays out of the way', async () => {
    const from = c.to.server?.printed.length ?? 0;
    await c.call('printf');
    await until(() => (c.to.server?.printed.slice(from) ?? c.printed).includes('noise'), 1000, 'noise');
  });
  await check('progress', async () => {
    const from = c.got('notifications/progress').length;
    await c.call('slow', { ms: 90, steps: 3 }, { onprogress: () => {} });
    // Counted on the wire: the client drops one that arrives together with the result.
    const got = c.got('notifications/progress').slice(from).map((n) => n.params), { id, params } = c.sent('tools/call').at(-1);
    const token = params._meta.progressToken;
    ok(c.received.at(-1) === c.answer(id), 'the result was not the last message');
    ok(got.length === 3, `${got.length} messages, not 3`);
    got.forEach((n, i) => {
      ok(n.progressToken === token, `token ${show(n.progressToken)}, not ${show(token)}`);
      ok(i === 0 || n.progress > got[i - 1].progress, `not rising: ${show(got)}`);
      ok(c.version !== '2024-11-05' || !('message' in n), 'message is not of 2024-11-05');
    });
  });
  await check('no progress without a token', async () => {
    const from = c.got('notifications/progress').length;
    await c.call('slow', { ms: 40, steps: 2 });
    ok(c.got('notifications/progress').length === from, 'it came');
  });
  await check('cancel', async () => {
    const stop = new AbortController(), start = Date.now();
    const call = c.call('slow', { ms: 1000, steps: 50 }, { signal: stop.signal }).then(() => ok(false, 'it was answered'), () => {});
    await sleep(100);
    const { id } = c.sent('tools/call').at(-1);
    stop.abort('enough');
    await call;
    same(await c.call('noargs'), spec.calls.find((k) => k.tool === 'noargs').is);
    ok(Date.now() - start < 700, 'the tool went on');
    await sleep(1200 - (Date.now() - start));
    ok(!c.answer(id), 'the cancelled call was answered');
  });
  await check('resources/list', () => listed(c, 'listResources', 'resources', 'uri', spec.resources));
  await check('resources/templates/list', () => listed(c, 'listResourceTemplates', 'resourceTemplates', 'uriTemplate', spec.templates));
  for (const r of spec.reads) await check(`resources/read ${r.uri}`, async () => fits(await c.client.readResource({ uri: r.uri }), r, c.version, 'result'));
  for (const uri of spec.missing) await check(`no resource ${uri}`, async () => {
    await c.client.readResource({ uri }).then((v) => ok(false, `it gave ${show(v)}`), () => {});
    // On the wire: SDK 2 turns the older code into the newer one.
    const { error } = c.answer(c.sent('resources/read').at(-1).id);
    same(error, { code: c.era === 'modern' ? -32602 : -32002, data: { uri } }, 'error');
  });
  await check('prompts/list', () => listed(c, 'listPrompts', 'prompts', 'name', spec.prompts));
  for (const p of spec.gets) await check(`prompts/get ${p.name} ${show(p.args)}`, async () => fits(await c.client.getPrompt({ name: p.name, arguments: p.args }), p, c.version, 'result'));
  for (const p of spec.badGets) await check(`no prompts/get ${show(p)}`, () => refused(c.client.getPrompt({ name: p.name, ...(p.args && { arguments: p.args }) }), -32602, 'it'));
  await check('completion', async () => {
    const { ref, argument, total } = spec.completion;
    const { completion } = await c.client.complete({ ref, argument });
    same(completion, { total, hasMore: true }, 'completion');
    ok(completion.values.length === 100 && completion.values.every((v) => v.startsWith(argument.value)), `values: ${show(completion.values)}`);
  });
}
async function logs(c, got, meta, want, what) {
  got.length = 0;
  await c.call('log', undefined, { meta });
  await sleep(50);
  same(got.map((n) => n.level), want, what);
  ok(got.every((n) => typeof n.data === 'string'), `data is missing: ${show(got)}`);
}

// ---- initialize ----
async function legacy(c) {
  await common(c);
  await check('ping', async () => same(await c.client.ping(), {}));
  await check('ping while a tool works', async () => {
    const call = c.call('slow', { ms: 600, steps: 1 });
    const start = Date.now();
    await c.client.ping();
    ok(Date.now() - start < 400, 'it waited for the tool');
    await call;
  });
  await check('logging', async () => {
    const got = [];
    c.onLog((n) => got.push(n));
    await c.client.setLoggingLevel('debug');
    await logs(c, got, undefined, spec.logs, 'at debug');
    await c.client.setLoggingLevel('error');
    await logs(c, got, undefined, ['error'], 'at error');
    await c.client.setLoggingLevel('emergency');
    await logs(c, got, undefined, [], 'at emergency');
    same(await c.raw('logging/setLevel', { level: 'loud' }), { error: { code: -32602 } }, 'setLevel loud');
  });
  await check('subscribe and unsubscribe', async () => {
    const { uri } = spec.reads[0];
    same(await c.client.subscribeResource({ uri }), {});
    same(await c.client.unsubscribeResource({ uri }), {});
  });
  await check('what is not offered is not found', async () => {
    for (const m of ['tasks/list', 'nothing/such']) same(await c.raw(m), { error: { code: -32601 } }, m);
  });
  await check('nothing of the other era on the wire', async () => {
    for (const { result } of c.received) for (const k of ['resultType', 'ttlMs', 'cacheScope', '_meta']) ok(!result || !(k in result), `${k} in ${show(result)}`);
  });
}

// ---- 2026-07-28 ----
const envelope = (version) => ({ _meta: { [`${META}protocolVersion`]: version, [`${META}clientCapabilities`]: {} } });
async function modern(c) {
  await check('era', async () => ok(c.era === 'modern' && c.version === spec.modern, `${c.era} ${c.version}`));
  await common(c);
  await check('server/discover', async () => {
    same(await c.client.discover(), { supportedVersions: [...order].reverse(), capabilities: spec.capabilities.is });
  });
  await check('logging', async () => {
    const got = [];
    c.onLog((n) => got.push(n));
    await logs(c, got, undefined, [], 'when not asked for');
    await logs(c, got, { [`${META}logLevel`]: 'debug' }, spec.logs, 'at debug');
    await logs(c, got, { [`${META}logLevel`]: 'error' }, ['error'], 'at error');
    await logs(c, got, undefined, [], 'afterwards');
  });
  await check('what was removed or is not offered is not found', async () => {
    for (const m of ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'nothing/such']) same(await c.raw(m, envelope(spec.modern)), { error: { code: -32601 } }, m);
  });
  await check('a version that nobody speaks', async () => {
    same(await c.raw('tools/list', envelope('2099-01-01')), { error: { code: -32022, data: { supported: [...order].reverse(), requested: '2099-01-01' } } }, 'answer');
  });
  await check('subscriptions/listen', async () => {
    const wanted = { toolsListChanged: true, resourceSubscriptions: [spec.reads[0].uri] };
    const subscription = await c.client.listen(wanted);
    same(subscription.honoredFilter, wanted, 'what was promised');
    await subscription.close();
    ok(await subscription.closed === 'local', 'closed by somebody else');
  });
  await check('every result is complete and signed, what may be kept says so', async () => {
    const cached = ['server/discover', 'tools/list', 'resources/list', 'resources/templates/list', 'resources/read', 'prompts/list'];
    for (const { out } of c.wire) {
      const { result } = (out?.id !== undefined && c.answer(out.id)) || {};
      if (!result) continue;
      same(result, { resultType: 'complete', _meta: { [`${META}serverInfo`]: spec.server } });
      ok(cached.includes(out.method) === ('ttlMs' in result && 'cacheScope' in result), `${out.method}: ${show(result)}`);
    }
  });
}

// ---- answering ----
async function answers(c, { asked }) {
  for (const k of asks.calls) await check(`asks by ${k.tool}`, async () => {
    asked.length = 0;
    const result = await c.call(k.tool);
    if (order.indexOf(c.version) < order.indexOf(k.since)) return same(result, { isError: true, content: [{ text: { $re: 'supports' } }] });
    same(result.content[0].text, k.says, 'text');
    return same(k.tool === 'pair' ? asked.sort() : asked, k.asked, 'asked');
  });
  if (c.era === 'modern') await check('what only wants to be called again', async () => same((await c.call('keeps')).content[0].text, 'kept', 'text'));
}
async function declines(c) {
  const k = asks.declined;
  await check('a question that is declined', async () => same(await c.call(k.tool), { isError: true, content: [{ text: k.says }] }));
}
async function asking(name, to) {
  const open = [
    ...spec.legacy.map((v) => [`ts 1 ${name} ${v}`, (how) => connect1(to, v, how)]),
    ...spec.legacy.map((v) => [`ts 2 ${name} ${v}`, (how) => connect2(to, { answers: how, ...(v === latest ? {} : { versions: [v] }) })]),
    [`ts 2 ${name} pinned ${spec.modern}`, (how) => connect2(to, { answers: how, mode: { pin: spec.modern } })]
  ];
  for (const [who, connect] of open) {
    const how = { asked: [], fill: (message) => asks.forms[message], message: asks.message, roots: asks.roots };
    await on(`${who} answers`, () => connect(how), (c) => answers(c, how));
    if (!order.slice(0, order.indexOf(asks.declined.since)).some((v) => who.endsWith(v))) await on(`${who} declines`, () => connect({ ...how, fill: () => undefined }), declines);
  }
}

// ---- legs ----
const server = await serve(argv.slice(0, 1)), http = { server }, asker = await serve(argv.slice(1));
for (const s of [server, asker]) if (!s.url) throw new Error(`it does not listen: ${s.printed}`);

async function one(name, to) {
  for (const v of spec.legacy) await on(`ts 1 ${name} ${v}`, () => connect1(to, v), async (c) => {
    await check('version', async () => ok(c.version === v, `asked ${v}, got ${c.version}`));
    await legacy(c);
  });
  for (const v of ['1999-01-01', '2024-10-07', spec.modern]) await on(`ts 1 ${name} ${v}`, () => connect1(to, v), (c) => check('is answered with the latest', async () => {
    await c.client.ping();
    ok(c.version === latest, `got ${c.version}`);
  }));
  for (const v of spec.legacy) await on(`ts 2 ${name} ${v}`, () => connect2(to, v === latest ? {} : { versions: [v] }), async (c) => {
    await check('version', async () => ok(c.era === 'legacy' && c.version === v, `asked ${v}, got ${c.version}`));
    await legacy(c);
  });
  await on(`ts 2 ${name} auto`, () => connect2(to, { mode: 'auto' }), modern);
  if (to.argv) await on(`ts 2 ${name} auto, one process`, () => connect2(to, { mode: 'auto', inPlace: true }), modern);
  await on(`ts 2 ${name} pinned ${spec.modern}`, () => connect2(to, { mode: { pin: spec.modern } }), modern);
  await on(`ts 2 ${name} newer than the server`, () => connect2(to, { mode: 'auto', versions: ['2099-01-01', spec.modern, latest], inPlace: true }), async (c) => {
    await check('is corrected', async () => ok(c.version === spec.modern, `got ${c.era} ${c.version}`));
    const discover = c.client.getDiscoverResult();
    await on(`ts 2 ${name} that remembers`, () => connect2(to, { mode: 'auto', prior: { kind: 'modern', discover } }), (d) => check('needs no handshake', async () => {
      same(await d.call('noargs'), spec.calls.find((k) => k.tool === 'noargs').is);
      ok(!d.sent('server/discover').length && !d.sent('initialize').length, 'there was one');
    }));
  });
}
await one('stdio', { argv: argv.slice(0, 1) });
await one('http', http);
await on('ts 1 http+sse 2024-11-05', () => connect1({ server, sse: true }, '2024-11-05'), async (c) => {
  await check('version', async () => ok(c.version === '2024-11-05', `got ${c.version}`));
  await legacy(c);
});
await asking('stdio', { argv: argv.slice(1) });
await asking('http', { server: asker });
begin('ts http');
for (const { child, printed } of [server, asker]) {
  await check('the server is there to the end', async () => ok(child.exitCode === null && child.signalCode === null, printed.slice(-400)));
  child.kill();
}

end();
