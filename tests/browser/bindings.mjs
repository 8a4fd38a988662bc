/* bindings.mjs - every way in which HTML is bound to a tool, in the official host; the tools are ours to
   invent: there is no server */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { resolve } from 'node:path';
import { stage } from './ours_in_official.mjs';
import { check, same, quiet, tab, test, until } from './harness.mjs';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const RESULT = { content: [{ type: 'text', text: 'one' }, { type: 'image', data: PIXEL, mimeType: 'image/png' }, { type: 'text', text: 'two' }],
  structuredContent: { text: '<b>not bold</b>', html: '<b>bold</b>', deep: { a: [0.5, null] }, own: 'the model\'s', image: 'data:image/png;base64,' + PIXEL,
    picture: { mimeType: 'image/png', data: PIXEL }, table: { columns: ['k', 'v'], rows: [['a', 1], ['<i>', null]] },
    grid: [{ a: 1, b: { c: 2 } }, { b: 'x', d: false }] },
  _meta: { 'example.com/view': { own: 'the page\'s' } } };
const tool = { name: 'opener', inputSchema: { type: 'object', properties: { text: {}, pick: {} } }, annotations: { readOnlyHint: false } };

export default async ({ browser, build, out }) => {
  const made = resolve(out, 'bindings'), here = (name) => fileURLToPath(new URL(name, import.meta.url));
  mkdirSync(made, { recursive: true });
  cpSync(here('bindings.html'), `${made}/page.html`);
  cpSync(here('../../examples/app/bridge.js'), `${made}/bridge.js`);
  const html = execFileSync(resolve(build, 'inline'), [`${made}/page.html`], { encoding: 'utf8' });
  const asked = [], slow = { first: null };
  const server = { ask: async (method, params) => {
    asked.push([params.name, params.arguments]);
    if (params.name === 'typed' && params.arguments.text === 'slow') await new Promise((done) => { slow.first = done; });
    if (params.name === 'kept') return { content: [{ type: 'text', text: 'cannot' }], isError: true };
    return { content: [{ type: 'text', text: params.name }], structuredContent: { text: params.arguments.text || '' } };
  } };
  const { host, pages, page, seen, show, frame: shown, close } = await stage(browser, server, html);
  let frame;
  const text = (name) => frame.textContent('#' + name);
  const quietly = async () => { await frame.waitForTimeout(300); return asked.splice(0); };

  await test('bindings: what came is shown, each in its way', async () => {
    await show({ tool, args: { text: 'given', pick: 'b', many: ['x', 'z'], on: true, count: 7 }, result: RESULT });
    frame = shown();
    await until('the words', async () => (await text('words')) === 'one\ntwo');
    same([await text('text'), await frame.innerHTML('#html'), await text('deep'), await text('own'), await text('object')],
      ['<b>not bold</b>', '<b>bold</b>', '0.5', 'the page\'s', '{"a":[0.5,null]}']);
    same([await frame.evaluate(() => document.getElementById('image').naturalWidth), await frame.locator('#picture img').evaluate((i) => i.naturalWidth)], [1, 1]);
    same(await frame.innerHTML('#table'), '<thead><tr><th>k</th><th>v</th></tr></thead><tbody><tr><td>a</td><td>1</td></tr><tr><td>&lt;i&gt;</td><td></td></tr></tbody>');
    same(await frame.locator('#grid tr').allTextContents(), ['abd', '1{"c":2}', 'xfalse']);
  });
  await test('bindings: what the model asked is in the inputs, and runs nothing', async () => {
    same(await frame.evaluate(() => window.mcp.getInputs()), { text: 'given', count: 7, pick: 'b', many: ['x', 'z'], on: true });
    same(await quietly(), []);
  });
  await test('bindings: typing runs a tool once, after a pause', async () => {
    await frame.press('[data-mcp-input=text]', 'End');
    await frame.locator('[data-mcp-input=text]').pressSequentially('abc', { delay: 15 });
    await until('the answer', async () => (await text('text')) === 'givenabc');
    same(await quietly(), [['typed', { text: 'givenabc', count: 7 }]]); /* not the opener, nor wipe: they change something */
  });
  await test('bindings: a choice runs at once; a list, a box', async () => {
    await frame.selectOption('[data-mcp-input=pick]', 'a');
    same(await quietly(), [['picked', { pick: 'a', many: ['x', 'z'], on: true }]]);
    await frame.selectOption('[data-mcp-input=many]', ['y']);
    await frame.uncheck('[data-mcp-input=on]');
    same((await quietly()).slice(-1), [['picked', { pick: 'a', many: ['y'], on: false }]]);
  });
  await test('bindings: Enter submits, and nothing else does', async () => {
    await frame.fill('[data-mcp-input=query]', 'q');
    same(await quietly(), []);
    await frame.press('[data-mcp-input=query]', 'Enter');
    same(await quietly(), [['sent', { query: 'q' }]]);
    check(await frame.locator('#words').count() === 1, 'the form was sent: the page is gone');
  });
  await test('bindings: what destroys waits for a click, a person\'s', async () => {
    await frame.locator('#wipe').evaluate((b) => b.click());
    await frame.locator('#wipe').evaluate((b) => b.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true })));
    same(await frame.evaluate(() => Promise.all(['wipe', 'opener'].map((t) => window.mcp.submit(t).catch((e) => e.message)))), ['wipe waits for a click', 'opener waits for a click']);
    same(await quietly(), []);
    await frame.click('#wipe');
    same(await quietly(), [['wipe', { text: 'givenabc' }]]);
  });
  await test('bindings: a failure is shown, and what was there stays', async () => {
    const before = await text('text');
    await frame.click('#kept');
    await until('why', async () => (await frame.textContent('[data-mcp-error]')) === 'cannot');
    same(await text('text'), before);
    same(await quietly(), [['kept', { text: 'givenabc' }]]);
  });
  await test('bindings: an answer that is overtaken is not shown', async () => {
    await frame.fill('[data-mcp-input=text]', 'slow');
    await until('the first', () => slow.first);
    same(await frame.evaluate(() => document.documentElement.getAttribute('aria-busy')), 'true');
    await frame.fill('[data-mcp-input=text]', 'fast');
    await until('the second', async () => (await text('text')) === 'fast');
    slow.first();
    await frame.waitForTimeout(200);
    same(await text('text'), 'fast');
    same(await frame.evaluate(() => document.documentElement.getAttribute('aria-busy')), null);
    asked.length = 0;
  });
  await test('bindings: the rest of what a page may say', async () => {
    same(await frame.evaluate(() => [window.mcp.host.hostInfo.name, Object.keys(window.mcp.host.hostCapabilities).includes('serverTools')]), ['official', true]);
    await frame.evaluate(() => window.mcp.downloadFile('a/b c.bin', 'application/octet-stream', new Uint8Array([0, 1, 254, 255])));
    same((await seen('download'))[0].params.contents, [{ type: 'resource', resource: { uri: 'file:///a%2Fb%20c.bin', mimeType: 'application/octet-stream', blob: 'AAH+/w==' } }]);
    await frame.evaluate(() => window.mcp.updateModelContext([{ type: 'text', text: 'a' }], { b: 1 }));
    await frame.evaluate(() => window.mcp.updateModelContext());
    same((await seen('context')).map((s) => [s.params.content, s.params.structuredContent]), [[[{ type: 'text', text: 'a' }], { b: 1 }], [[], undefined]]);
    await frame.evaluate(() => window.mcp.sendMessage([{ type: 'text', text: 'in blocks' }]));
    same((await seen('message'))[0].params, { role: 'user', content: [{ type: 'text', text: 'in blocks' }] });
    same(await frame.evaluate(() => new Promise((done) => window.mcp.on('input', done))), { text: 'given', pick: 'b', many: ['x', 'z'], on: true, count: 7 }); /* it came before */
    await frame.evaluate(() => { window.mcp.close(); });
    await until('its wish', async () => (await seen('request-teardown')).length === 1);
  });
  await test('bindings: a page may mark its calls', async () => {
    await frame.evaluate(() => window.mcp.callTool('typed', { text: 'x' }, { _meta: { 'example.com/caller': 'app' } }));
    same((await seen('tools/call')).slice(-1)[0].params, { name: 'typed', arguments: { text: 'x' }, _meta: { 'example.com/caller': 'app' } });
    await frame.evaluate(() => window.mcp.callTool('typed'));
    same((await seen('tools/call')).slice(-1)[0].params, { name: 'typed', arguments: {} });
    asked.length = 0;
  });
  await test('bindings: a link is the host\'s to open', async () => {
    await frame.click('#link');
    await until('the link', async () => (await seen('open-link')).length === 1);
    same((await seen('open-link'))[0].params, { url: 'https://example.com/x' });
  });
  await test('bindings: only the host is heard', async () => {
    const before = await text('words');
    await frame.evaluate(() => new Promise((done) => {
      const m = (method, params) => ({ jsonrpc: '2.0', method, params });
      window.postMessage(m('ui/notifications/tool-result', { content: [{ type: 'text', text: 'forged' }] }), '*');
      const other = document.createElement('iframe');
      document.body.append(other);
      other.contentWindow.parent.postMessage({ ...m('ui/notifications/tool-result', { content: [] }) }, '*');
      setTimeout(() => { other.remove(); done(); }, 100);
    }));
    same(await text('words'), before);
    await page.evaluate(() => { /* the host, but nonsense */
      const forged = { method: 'ui/notifications/tool-result', params: { content: [{ type: 'text', text: 'forged' }] } };
      for (const m of [forged, { jsonrpc: '1.0', ...forged }, null, 7, 'text', [], { jsonrpc: '2.0', id: 4711, result: {} }, { jsonrpc: '2.0', id: 'x', error: { code: 1, message: 'x' } },
        { jsonrpc: '2.0', method: 'ui/notifications/none' }, { jsonrpc: '2.0', method: '__proto__' }]) window.frame.contentWindow.postMessage(m, '*');
    });
    await page.evaluate(() => window.turn({ timeZone: 'Europe/Zurich' }));
    await until('what came after', () => frame.evaluate(() => window.mcp.getHostContext().timeZone === 'Europe/Zurich'));
    same(await text('words'), before);
    page.complaints = page.complaints.filter((c) => !/Content Security Policy/.test(c));
  });
  await test('bindings: a page hears what the host has to say, and what it said', async () => {
    await frame.evaluate(() => { window.contexts = []; window.mcp.on('context', (c) => window.contexts.push(c.locale)); });
    await page.evaluate(() => window.turn({ locale: 'fr-CH' }));
    await until('it', () => frame.evaluate(() => window.contexts.length === 2));
    same(await frame.evaluate(() => window.contexts), ['en-GB', 'fr-CH']);
  });
  const tell = (params) => page.evaluate((p) => window.frame.contentWindow.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/host-context-changed', params: p }, '*'), params);
  const property = (name) => frame.evaluate((n) => document.documentElement.style.getPropertyValue(n), name);
  const FACE = '@font-face { font-family: Host; src: local("x") }';
  const faces = () => frame.evaluate(() => [[...document.fonts].map((f) => f.family), [...document.styleSheets].flatMap((s) => [...s.cssRules]).map((r) => r.type)]);
  await test('bindings: of the host\'s styles, custom properties and fonts alone', async () => {
    await tell({ styles: { variables: { color: 'red', '--mine': '1' }, css: { fonts: `body { display: none } ${FACE} @media all { p { color: red } } html { --forged: 1 }` } } });
    await until('the property', async () => await property('--mine') === '1');
    same(await frame.evaluate(() => [document.documentElement.style.color, getComputedStyle(document.body).display, getComputedStyle(document.documentElement).getPropertyValue('--forged')]), ['', 'block', '']);
    same(await faces(), [['Host'], [5]]);
  });
  await test('bindings: news of the host are merged with what it said before', async () => {
    await tell({ styles: { variables: { '--other': '2' } }, locale: 'de-CH' });
    await until('the property', async () => await property('--other') === '2');
    const context = await frame.evaluate(() => window.mcp.getHostContext());
    same([context.theme, context.locale, context.displayMode, context.availableDisplayModes], ['light', 'de-CH', 'inline', ['inline', 'fullscreen']]);
    same(context.styles, { variables: { '--color-background-primary': 'rgb(250, 249, 245)', color: 'red', '--mine': '1', '--other': '2' }, css: { fonts: `body { display: none } ${FACE} @media all { p { color: red } } html { --forged: 1 }` } });
    same([context.toolInfo.id, context.toolInfo.tool.name], [1, 'opener']);
    same(await faces(), [['Host'], [5]]);
    await tell({ styles: { css: { fonts: FACE.replace('Host', 'Other') } } });
    await until('another face', async () => (await faces())[0][0] === 'Other');
    await tell({ styles: { css: {} } });
    await until('no face', async () => !(await faces())[0].length);
    same(await property('--mine'), '1');
  });
  await test('bindings: a safe area pads the page, and is there by name', async () => {
    const size = () => frame.evaluate(() => { const { paddingTop, paddingRight, paddingBottom, paddingLeft } = getComputedStyle(document.documentElement); return [paddingTop, paddingRight, paddingBottom, paddingLeft]; });
    same(await size(), ['0px', '0px', '0px', '0px']);
    const low = await page.evaluate(() => window.frame.offsetHeight);
    await tell({ safeAreaInsets: { top: 47, right: 0, bottom: 34, left: 5.5 } });
    await until('the padding', async () => (await size())[0] === '47px');
    same([await size(), await property('--safe-area-top'), await property('--safe-area-right'), await property('--safe-area-left')], [['47px', '0px', '34px', '5.5px'], '47px', '0px', '5.5px']);
    await until('a higher frame', () => page.evaluate((h) => window.frame.offsetHeight === h + 81, low));
    await tell({ theme: 'light' });
    await tell({ safeAreaInsets: { top: 0, right: 0, bottom: 0, left: 0 } });
    await until('its end', async () => (await size())[0] === '0px');
    same([await property('padding-top'), await property('--safe-area-top')], ['', '0px']); /* the page's own padding stands again */
    same((await frame.evaluate(() => window.mcp.getHostContext())).safeAreaInsets, { top: 0, right: 0, bottom: 0, left: 0 });
  });
  await test('bindings: parts of a call, its cancellation; a request that no page knows', async () => {
    await frame.evaluate(() => { window.heard = []; for (const e of ['partial', 'cancelled', 'error']) window.mcp.on(e, (v) => window.heard.push([e, v])); });
    await page.evaluate(() => window.bridge.sendToolInputPartial({ arguments: { text: 'ha' } }));
    await page.evaluate(() => window.bridge.sendToolCancelled({ reason: 'changed my mind' }));
    await until('its end', async () => /Cancelled. changed my mind/.test(await frame.textContent('[data-mcp-error]')));
    const heard = await frame.evaluate(() => window.heard.filter(([e, v]) => v !== 'cannot'));
    same(heard, [['partial', { text: 'ha' }], ['error', 'Cancelled. changed my mind'], ['cancelled', 'changed my mind']]);
    same(await page.evaluate(() => new Promise((done) => {
      addEventListener('message', (e) => { if (e.data.id === 'odd') done(e.data.error); });
      window.frame.contentWindow.postMessage({ jsonrpc: '2.0', id: 'odd', method: 'constructor' }, '*');
    })), { code: -32601, message: 'Method not found' });
    page.complaints = page.complaints.filter((c) => !/unknown message ID|odd/i.test(c)); /* the official bridge wonders whose that was */
    quiet(page, [host.url, `${pages.url}/page`]);
  });
  await page.close();

  await test('bindings: no host answers within 1.2 seconds: the page goes on alone, until one does', async () => {
    const mute = await tab(browser), answers = JSON.stringify({ bound: { content: [{ type: 'text', text: 'by itself' }] } });
    pages.routes['/alone'] = ['text/html', {}, html.replace('"tools": {', `"alone": { "typed": ${answers.slice(9, -1)} }, "tools": {`)];
    pages.routes['/mute'] = ['text/html', {}, '<!doctype html><link rel=icon href=data:,><iframe src=/alone></iframe>'];
    const began = Date.now();
    await mute.goto(`${pages.url}/mute`);
    const inner = await until('the frame', () => mute.frames().find((f) => f.url().endsWith('/alone')));
    same(await inner.evaluate(() => window.mcp.ready), true);
    check(Date.now() - began >= 1200 && await inner.evaluate(() => document.documentElement.dataset.mcpAlone === ''), 'it did not wait');
    await inner.fill('[data-mcp-input=text]', 'x');
    await until('its own answer', async () => (await inner.textContent('#words')) === 'by itself');
    same(await inner.evaluate(async () => [await window.mcp.updateModelContext('x'), await window.mcp.requestDisplayMode('pip'), await window.mcp.sendMessage('x').catch((e) => e.message)]), [{}, 'inline', 'ui/message: there is no host']);
    await mute.evaluate(() => window.frames[0].postMessage({ jsonrpc: '2.0', id: 1, result: { hostContext: { theme: 'dark' } } }, '*'));
    await until('a host', () => inner.evaluate(() => document.documentElement.dataset.mcpAlone === undefined && document.documentElement.dataset.theme === 'dark'));
    quiet(mute, [`${pages.url}/`]);
    await mute.close();
  });
  close();
};
