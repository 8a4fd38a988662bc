/* ours_in_official.mjs - our page, with our bridge, in a host made of the official AppBridge, which checks
   every message against the official schemas */
import { build as bundle } from 'esbuild';
import { fileURLToPath } from 'node:url';
import { check, origin, quiet, same, serve, tab, test, until } from './harness.mjs';

const POLICY = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
  "connect-src 'none'; img-src 'self' data:; media-src 'self' data:";
const CAPABILITIES = { openLinks: {}, downloadFile: {}, serverTools: {}, serverResources: {}, logging: {},
  updateModelContext: { text: {}, structuredContent: {} }, message: { text: {} } };
const LIGHT = { theme: 'light', displayMode: 'inline', availableDisplayModes: ['inline', 'fullscreen'], locale: 'en-GB',
  styles: { variables: { '--color-background-primary': 'rgb(250, 249, 245)' } } };
const ARGS = { data: 'station', variable: 'rain', chart: 'bars' };

/* Both parts' stage: the host's page, and a second origin for the page that it shows. */
export const stage = async (browser, server, html) => {
  const script = await bundle({ entryPoints: [fileURLToPath(new URL('official_host.mjs', import.meta.url))], bundle: true,
    write: false, format: 'esm', minify: true, logLevel: 'error' });
  const host = await origin({ '/': ['text/html', {}, '<!doctype html><meta charset=utf-8><link rel=icon href=data:,>' +
    '<body style="margin:0"><script type=module src=/host.js></script>'],
    '/host.js': ['text/javascript', {}, script.outputFiles[0].text] });
  const pages = await origin({ '/page': ['text/html', { 'Content-Security-Policy': POLICY }, html],
    '/favicon.ico': ['image/x-icon', {}, ''] });
  const page = await tab(browser);
  await page.exposeFunction('ask', (method, params) => server.ask(method, params));
  await page.goto(host.url);
  await page.waitForFunction(() => window.show);
  return { host, pages, page, seen: (what) => page.evaluate((w) => window.seen.filter((s) => !w || s.what === w), what),
    frame: () => page.frames().find((f) => f.url().startsWith(pages.url)),
    show: (options) => page.evaluate((o) => window.show(o), { src: `${pages.url}/page`, context: LIGHT, capabilities: CAPABILITIES, ...options }),
    close: () => { host.close(); pages.close(); } };
};

const explorer = async ({ browser, build, out }) => {
  const server = serve(`${build}/app`);
  const { tools } = await server.ask('tools/list');
  const tool = tools.find((t) => t.name === 'explore');
  const { contents: [html] } = await server.ask('resources/read', { uri: tool._meta.ui.resourceUri });
  const result = await server.ask('tools/call', { name: 'explore', arguments: ARGS });
  const { host, pages, page, seen, show, frame: shown, close } = await stage(browser, server, html.text);
  const calls = () => server.calls.filter((c) => c.method === 'tools/call').map((c) => c.params);
  const style = (name) => frame.locator('body').evaluate((b, n) => getComputedStyle(b)[n], name);
  let frame;

  await test('official host: the page comes up with what the model asked for', async () => {
    await show({ tool, args: ARGS, result });
    frame = shown();
    await frame.waitForSelector('svg rect.bar');
    same(await frame.textContent('h1'), 'A year at the weather station');
    same(await frame.inputValue('#data'), 'station');
    same(await frame.inputValue('#variable'), 'rain');
    same(await frame.locator('rect.bar').count(), 52);
    same(await frame.locator('#table tbody tr').count(), 52);
    same(await frame.locator('[data-mcp-output=unit]').first().textContent(), 'mm');
  });
  await test('official host: the order of messages', async () => {
    await until('the size', async () => (await seen('size')).length);
    await until('the context', async () => (await seen('context')).length);
    const order = (await seen()).map((s) => s.what);
    same(order.slice(0, 2), ['initialized', 'app']);
    same((await seen('app'))[0].params, { name: 'explorer', version: '1.0.0', availableDisplayModes: ['inline', 'fullscreen', 'pip'] });
    same(calls().length, 1, 'calls'); /* ours: the page did not call again for what it was given */
  });
  await test('official host: the frame is as high as the page', async () => {
    await until('the height', () => frame.evaluate(() => innerHeight === Math.ceil(document.documentElement.getBoundingClientRect().height)));
    const low = await page.evaluate(() => window.frame.offsetHeight);
    await frame.click('summary');
    await until('a higher frame', () => page.evaluate((h) => window.frame.offsetHeight > h + 100, low));
    await frame.click('summary');
    await until('a lower frame', () => page.evaluate((h) => window.frame.offsetHeight === h, low));
  });
  await test('official host: the look is the host\'s', async () => {
    same(await style('backgroundColor'), 'rgb(250, 249, 245)');
    await page.screenshot({ path: `${out}/official-light.png` });
    await page.evaluate(() => window.turn({ theme: 'dark', styles: { variables: { '--color-background-primary': 'rgb(20, 21, 24)' } } }));
    await until('dark', async () => (await style('backgroundColor')) === 'rgb(20, 21, 24)');
    same(await frame.evaluate(() => [document.documentElement.dataset.theme, document.documentElement.style.colorScheme]), ['dark', 'dark']);
    await page.screenshot({ path: `${out}/official-dark.png` });
  });
  await test('official host: an input runs the tools that take it, once', async () => {
    const before = calls().length;
    await frame.selectOption('#data', 'orchard');
    await until('the orchard', async () => (await frame.textContent('h1')) === 'Forty apple trees');
    same(calls().slice(before), [{ name: 'explore', arguments: { data: 'orchard', chart: 'bars' } }]);
    same(await frame.inputValue('#variable'), 'apples');
    const [last] = (await seen('context')).slice(-1);
    same(last.params.structuredContent, { data: 'orchard', variable: 'apples' });
    check(/Forty apple trees: Apples, kg/.test(last.params.content[0].text), JSON.stringify(last));
  });
  await test('official host: what changes something waits for a person\'s click', async () => {
    const pins = () => calls().filter((c) => c.name === 'pin').length;
    await frame.locator('[data-mcp-call=pin]').evaluate((b) => b.click()); /* a script's */
    const refused = await frame.evaluate(() => window.mcp.submit('pin').catch((e) => e.message));
    same(refused, 'pin waits for a click');
    await frame.selectOption('#variable', 'tall');
    await until('the height', async () => (await frame.textContent('[data-mcp-output=caption]')) === 'Height, m');
    same(pins(), 0, 'pins by themselves');
    await frame.click('[data-mcp-call=pin]');
    await until('a pin', async () => (await frame.textContent('#pins')) === '1 pinned');
    same(pins(), 1, 'pins by a click');
  });
  await test('official host: a message, a file, a mode, a link', async () => {
    await frame.click('#ask');
    await frame.click('#save');
    await frame.click('#full');
    await until('the mode', () => frame.evaluate(() => document.documentElement.dataset.displayMode === 'fullscreen'));
    const [message] = await seen('message'), [file] = await seen('download');
    same(message.params.role, 'user');
    same(message.params.content, [{ type: 'text', text: 'What is remarkable about Height, m in "Forty apple trees"?' }]);
    const { uri, mimeType, text } = file.params.contents[0].resource;
    same([uri, mimeType, text.split('\n').length], ['file:///orchard.csv', 'text/csv', 42]);
    same(await frame.evaluate(() => window.mcp.openLink('javascript:alert(1)').catch((e) => e.message)), 'ui/open-link: the host said no');
    await frame.evaluate(() => window.mcp.openLink('https://example.com/'));
    same((await seen('open-link')).map((s) => s.params.url), ['javascript:alert(1)', 'https://example.com/']);
  });
  await test('official host: errors are shown, and pass', async () => {
    await frame.evaluate(() => { document.getElementById('variable').append(new Option('None', 'none')); window.mcp.setInputValue('variable', 'none'); return window.mcp.submit('explore'); });
    await until('the error', async () => /has no variable none/.test(await frame.textContent('[data-mcp-error]')));
    await frame.selectOption('#variable', 'age');
    await until('its end', () => frame.evaluate(() => document.querySelector('[data-mcp-error]').hidden));
    same(await frame.evaluate(() => window.mcp.callTool('nothing').catch((e) => /Unknown tool: nothing/.test(e.message))), true);
    const { contents: [read] } = await frame.evaluate(() => window.mcp.readResource('ui://explorer'));
    same(read.text, html.text);
  });
  await test('official host: teardown is answered, after what the page does with it', async () => {
    await frame.evaluate(() => window.mcp.on('teardown', (reason) => window.mcp.log('info', 'saved: ' + reason)));
    same(await page.evaluate(() => window.end()), {});
    same((await seen('log')).map((s) => s.params), [{ level: 'info', data: 'saved: the test ends' }]);
  });
  await test('official host: no complaint, and no request that nobody declared', () => quiet(page, [host.url, `${pages.url}/page`]));
  await page.close();

  await test('no host: the page stands alone', async () => {
    const alone = await tab(browser);
    await alone.goto(`${pages.url}/page`);
    await until('the mark', () => alone.evaluate(() => document.documentElement.dataset.mcpAlone === ''));
    same(await alone.evaluate(() => window.mcp.ready), true);
    same(await alone.evaluate(() => window.mcp.callTool('explore').catch((e) => e.message)), 'tools/call: there is no host');
    await alone.selectOption('#data', 'orchard');
    await until('why', async () => (await alone.textContent('[data-mcp-error]')) === 'tools/call: there is no host');
    quiet(alone, [`${pages.url}/`]);
    await alone.close();
  });
  server.stop();
  close();
};

const monitor = async ({ browser, build, out }) => {
  const server = serve(`${build}/live`);
  const { tools } = await server.ask('tools/list');
  const tool = tools.find((t) => t.name === 'live');
  const { contents: [html] } = await server.ask('resources/read', { uri: tool._meta.ui.resourceUri });
  const args = { top: 5, rate: 250 };
  const result = await server.ask('tools/call', { name: 'live', arguments: args });
  const { host, pages, page, show, frame: shown, close } = await stage(browser, server, html.text);
  const asked = () => server.calls.filter((c) => c.method === 'tools/call' && c.params.name === 'live_view').map((c) => c.params.arguments);
  let frame;

  await test('live view: the page ticks by itself, from revision to revision', async () => {
    await show({ tool, args, result });
    frame = shown();
    await frame.waitForSelector('tbody tr');
    await until('four ticks', () => asked().length >= 4);
    const [first, second] = asked();
    same(first, { view: 'v1', revision: 1, inputs: {}, tick: true });
    same(second, { view: 'v1', revision: 2, inputs: {}, tick: true });
    same(await frame.locator('tbody tr').count(), 5);
    await page.screenshot({ path: `${out}/live-light.png` });
    await page.evaluate(() => window.turn({ theme: 'dark', styles: { variables: { '--color-background-primary': 'rgb(20, 21, 24)' } } }));
    await page.screenshot({ path: `${out}/live-dark.png` });
  });
  await test('live view: a pause is one; what changed goes alone', async () => {
    await frame.click('#pause');
    await until('the last answer', async () => (await frame.textContent('#state')) === 'Paused');
    await frame.waitForTimeout(400);
    const before = asked().length;
    await frame.click('text=Name');
    await until('the order', () => asked().length > before);
    same(asked().slice(before).map((a) => a.inputs), [{ sort: 'name' }]);
    await frame.waitForTimeout(400);
    same(asked().length, before + 1, 'calls while paused');
  });
  await test('live view: one that the server forgot is built again from what the page knows', async () => {
    await server.ask('tools/call', { name: 'live_view', arguments: { view: 'v1', action: 'close' } });
    await frame.click('#pause');
    await until('a new view', () => asked().some((a) => a.view === 'v2' && a.revision > 1));
    same(asked().find((a) => a.view === 'v2').inputs, { sort: 'name', filter: '', top: 5, rate: 250 });
    same(await frame.inputValue('[data-mcp-input=top]'), '5');
  });
  await test('live view: closed with its page', async () => {
    await page.evaluate(() => window.end());
    same(asked().slice(-1), [{ action: 'close', view: 'v2' }]);
    const end = asked().length;
    await page.waitForTimeout(700);
    same(asked().length, end, 'calls');
    quiet(page, [host.url, `${pages.url}/page`]);
  });
  await page.close();
  server.stop();
  close();
};

export default async (stuff) => { await explorer(stuff); await monitor(stuff); };
