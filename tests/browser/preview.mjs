/* preview.mjs - our host: our pages in it, a page of the official SDK, published servers, and what it
   refuses */
import { build as bundle } from 'esbuild';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { resolve } from 'node:path';
import { schemaOf } from './schema.mjs';
import { check, origin, quiet, same, tab, test, track, until } from './harness.mjs';

/* Starts it; the address is its first line. */
const start = async (build, options, command, cwd) => {
  const child = track(spawn(resolve(build, 'preview'), [...options, ...(command ? ['--', ...command] : [])],
    { stdio: ['ignore', 'pipe', 'inherit'], cwd }));
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'),
    once(child, 'exit').then(([code]) => { throw Error(`preview ended: ${code}`); })]);
  return { url: line, stop: () => child.kill() };
};

/* Opens it in a tab, up to where its page has been told everything. */
const open = async (browser, address) => {
  const page = await tab(browser, { viewport: { width: 1360, height: 860 }, acceptDownloads: true });
  await page.goto(address);
  await page.waitForFunction(() => window.preview);
  const show = {
    page, proxy: () => page.frames().find((f) => f.parentFrame() === page.mainFrame()),
    frame: () => page.frames().find((f) => f.parentFrame() && f.parentFrame() === show.proxy()),
    calls: () => page.evaluate(() => window.preview.calls.map((c) => [c.who, c.method, c.params.name || c.params.uri || ''].join(' '))),
    log: () => page.evaluate(() => window.preview.log.map((l) => ({ from: l.from, what: l.message.method || (l.message.error ? 'error' : 'result'), ...l.message }))),
    panel: async (name) => {
      await page.click(`#tabs [data-name=${name}]`);
      await page.waitForTimeout(60);
      return page.textContent('#panel');
    },
    /* what we allow is the host's two origins */
    done: async () => { quiet(page, [address, new URL(show.proxy() ? show.proxy().url() : address).origin]); await page.close(); } };
  return show;
};
/* Everything so far is as the official schema has it; there is something. */
const official = async (show, schemas) => {
  const { count, complaints } = schemaOf(schemas).judge(await show.page.evaluate(() => window.preview.log));
  same(complaints, [], 'the messages');
  check(count >= 5, `${count} messages of MCP Apps`);
};
const told = (show) => until('the result', async () => (await show.log()).some((l) => l.what === 'ui/notifications/tool-result'));

const ours = async ({ browser, build, out, schemas }) => {
  const preview = await start(build, ['--tool', 'explore', '--args', '{"data":"station","variable":"high"}'], [`${build}/app`]);
  const show = await open(browser, preview.url);
  const { page } = show;
  let frame;
  const context = () => frame.evaluate(() => window.mcp.getHostContext());
  const shownAs = (mode) => frame.evaluate((m) => document.documentElement.dataset.displayMode === m, mode);

  await test('our host, our page: it comes up with the call that opened it', async () => {
    await told(show);
    frame = show.frame();
    await frame.waitForSelector('svg path.line');
    same(await frame.textContent('h1'), 'A year at the weather station');
    const order = (await show.log()).map((l) => l.what);
    same(order.slice(0, 7), ['ui/notifications/sandbox-proxy-ready', 'ui/notifications/sandbox-resource-ready', 'ui/initialize', 'result', 'ui/notifications/initialized', 'ui/notifications/tool-input', 'ui/notifications/tool-result']);
    same((await show.calls()).slice(0, 2).sort(), ['host resources/read ui://explorer', 'host tools/call explore']);
    await page.screenshot({ path: `${out}/preview-light.png` });
  });
  await test('our host, our page: an origin of its own, that reaches nothing', async () => {
    const proxy = show.proxy();
    check(new URL(proxy.url()).origin !== new URL(page.url()).origin, 'one origin');
    same([frame.url(), await proxy.evaluate(() => self.origin)], ['about:srcdoc', new URL(proxy.url()).origin]);
    const SANDBOX = 'allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox', attribute = () => document.querySelector('iframe').getAttribute('sandbox');
    same([await page.evaluate(attribute), await proxy.evaluate(attribute)], [SANDBOX + ' allow-same-origin', SANDBOX]);
    same(await frame.evaluate(() => {
      const throws = (f) => { try { f(); return false; } catch (e) { return true; } };
      return [throws(() => document.cookie), throws(() => localStorage.length), throws(() => parent.document.body), throws(() => top.document.body), self.origin];
    }), [true, true, true, true, 'null']);
    const token = await page.evaluate(() => document.querySelector('meta[name=token]').content);
    check(!(await frame.evaluate(() => document.baseURI)).includes(token), 'the page knows who may ask the host');
    const blocked = frame.evaluate(() => new Promise((done) => {
      document.addEventListener('securitypolicyviolation', (e) => done(e.effectiveDirective), { once: true });
      fetch(document.baseURI).catch(() => {});
      setTimeout(done, 3000, 'nothing is blocked');
    }));
    same(await blocked, 'connect-src');
    page.complaints = page.complaints.filter((c) => !/Content Security Policy|Failed to fetch/.test(c)); /* that one was ours */
    const response = await page.request.get(proxy.url());
    const policy = response.headers()['content-security-policy'];
    check(/default-src 'none'; .*connect-src 'none'; .*frame-ancestors http:\/\/127\.0\.0\.1:\d+$/.test(policy), policy);
  });
  await test('our host, our page: calls, context, and what the model sees', async () => {
    await frame.selectOption('#data', 'orchard');
    await until('the orchard', async () => (await frame.textContent('h1')) === 'Forty apple trees');
    check((await show.calls()).includes('app tools/call explore'), 'no call of the page');
    await until('the context', async () => /Forty apple trees/.test(await show.panel('Context')));
    const model = await show.panel('Model');
    check(/A year at the weather station: Highest/.test(model) && !/svg/.test(model), model);
    await page.screenshot({ path: `${out}/preview-model.png` });
    await frame.click('[data-mcp-call=pin]');
    await until('a pin', async () => (await frame.textContent('#pins')) === '1 pinned');
    await frame.click('#ask');
    await until('the message', async () => /What is remarkable about Apples/.test(await page.textContent('#said')));
  });
  await test('our host, our page: theme, width, height, full screen and back', async () => {
    await page.click('#theme [data-value=dark]');
    await until('dark', () => frame.evaluate(() => getComputedStyle(document.body).backgroundColor === 'rgb(24, 27, 33)'));
    await page.screenshot({ path: `${out}/preview-dark.png` });
    await page.click('#width [data-value="390"]');
    await until('the width', async () => (await page.locator('#card').boundingBox()).width <= 391);
    await page.waitForTimeout(300);
    await until('the height', async () => Math.abs(await page.evaluate(() => document.querySelector('iframe').offsetHeight) -
      await frame.evaluate(() => document.documentElement.getBoundingClientRect().height)) <= 1);
    await page.screenshot({ path: `${out}/preview-phone.png` });
    await page.click('#width [data-value=""]');
    await frame.click('#full');
    await until('the mode', () => shownAs('fullscreen'));
    same(Math.round((await page.locator('#card').boundingBox()).width), 1360);
    const { width, height } = await page.locator('iframe').boundingBox();
    same((await context()).containerDimensions, { width, height: Math.round(height) });
    await page.screenshot({ path: `${out}/preview-full.png` });
    await page.locator('#card-title').click();
    await page.keyboard.press('Escape');
    await until('back', () => shownAs('inline'));
    same((await context()).containerDimensions, { width: await page.evaluate(() => document.getElementById('frame').clientWidth), maxHeight: 4000 });
  });
  await test('our host, our page: a telephone has a notch, which the page keeps clear of', async () => {
    const padding = () => frame.evaluate(() => { const s = getComputedStyle(document.documentElement); return [s.paddingTop, s.paddingBottom]; });
    same((await context()).safeAreaInsets, { top: 0, right: 0, bottom: 0, left: 0 });
    await page.click('#width [data-value="390"]');
    await page.click('#mode [data-value=fullscreen]');
    await until('the notch', async () => (await padding()).join() === '47px,34px');
    same((await page.locator('iframe').boundingBox()).width, 390);
    await page.screenshot({ path: `${out}/preview-notch.png` });
    await page.click('#back');
    await until('none', async () => (await padding()).join() === '0px,0px');
    await page.click('#width [data-value=""]');
  });
  await test('our host, our page: a corner of the window, and back, by each way', async () => {
    const corner = async () => {
      await until('the mode', () => shownAs('pip'));
      const { x, y, width, height } = await page.locator('#card').boundingBox();
      same([width, height, y + height], [340, 300, 860 - 16]);
      check(x + width <= 1000, `it hides the panels at ${x}`);
      same(await page.getAttribute('#mode [data-value=pip]', 'aria-pressed'), 'true');
    };
    const own = () => frame.evaluate(() => Math.ceil(document.documentElement.getBoundingClientRect().height)), height = () => page.evaluate(() => document.querySelector('iframe').offsetHeight);
    await until('its height', async () => (await height()) > 500 && (await height()) === (await own()));
    const inline = await height();
    same(await frame.evaluate(() => window.mcp.getHostContext().availableDisplayModes), ['inline', 'fullscreen', 'pip']);
    same(await frame.evaluate(() => window.mcp.requestDisplayMode('pip')), 'pip');
    await corner();
    await until('a frame that fits', () => frame.evaluate(() => document.documentElement.getBoundingClientRect().height <= innerHeight));
    await page.screenshot({ path: `${out}/preview-corner.png` });
    await page.locator('#card-title').click();
    await page.keyboard.press('Escape');
    await until('back', () => shownAs('inline'));
    same(await page.evaluate(() => document.activeElement.dataset.value), 'inline'); /* the keyboard goes on from there */
    await until('its height', async () => (await height()) === inline && (await own()) === inline);
    await page.click('#mode [data-value=pip]');
    await corner();
    check(await page.isVisible('#back'), 'no button leads back');
    same(await page.evaluate(() => { document.getElementById('back').click(); return document.querySelector('iframe').offsetHeight; }), inline); /* at once, and not when the page has said so */
    await until('back', () => shownAs('inline'));
    check(await page.isHidden('#back'), 'it leads nowhere');
    same(await frame.evaluate(async () => [await window.mcp.requestDisplayMode('pip'), await window.mcp.requestDisplayMode('inline')]), ['pip', 'inline']);
    same(await frame.evaluate(() => window.mcp.requestDisplayMode('billboard')), 'inline');
    await until('its own height', async () => (await height()) === inline && (await own()) === inline);
  });
  await test('our host, our page: a file is saved', async () => {
    const [download] = await Promise.all([page.waitForEvent('download'), frame.click('#save')]);
    same(download.suggestedFilename(), 'orchard.csv');
    same(readFileSync(await download.path(), 'utf8').split('\n').length, 42);
  });
  let card;
  await test('our host, our page: a card brings it back, without calling again', async () => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#save')]);
    card = resolve(out, 'explore.card.json');
    writeFileSync(card, readFileSync(await download.path()));
    const saved = JSON.parse(readFileSync(card, 'utf8'));
    same([Object.keys(saved), saved.id], [['tool', 'arguments', 'id', 'result'], (await context()).toolInfo.id]);
    await page.reload();
    await page.waitForFunction(() => window.preview);
    await told(show);
    await until('the page', async () => (await show.frame().textContent('h1').catch(() => '')) === 'A year at the weather station');
    same(await show.calls(), ['host resources/read ui://explorer']);
    await show.frame().waitForSelector('svg');
    await until('its height', () => page.evaluate(() => document.querySelector('iframe').offsetHeight > 500));
    const heights = await page.evaluate(async () => { /* while it is loaded again */
      const seen = [], body = document.getElementById('card');
      document.getElementById('reload').click();
      for (const end = Date.now() + 1500; Date.now() < end;) {
        await new Promise(requestAnimationFrame);
        if (!body.hidden) seen.push(body.offsetHeight); else seen.push(0);
      }
      return [Math.min(...seen), Math.max(...seen)];
    });
    check(heights[0] > 400 && heights[1] - heights[0] <= 2, `the card jumps: ${heights}`);
    await until('the same once more', async () => (await show.calls()).length === 2);
    await told(show);
    same((await show.calls()).filter((c) => c.includes('tools/call')), []);
  });
  await test('our host, our page: without the host\'s styles it has its own', async () => {
    const look = async () => show.frame()?.evaluate(() => [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).fontFamily.split(',')[0], [...document.fonts].map((f) => f.family + f.weight).join()]).catch(() => []) ?? []; /* it is being loaded */
    await page.click('#theme [data-value=light]');
    await until('light', async () => (await look())[0] === 'rgb(255, 255, 255)');
    same((await look()).slice(1), ['"Preview Sans"', 'Preview Sans400,Preview Sans700']);
    same(await show.frame().evaluate(() => document.fonts.load('14px "Preview Sans"').then((f) => f.map((one) => one.status))), ['loaded']);
    await page.click('#theme [data-value=dark]');
    await page.uncheck('#styles');
    await until('its own', async () => (await look()).join() === 'rgb(23, 26, 33),system-ui,');
    await told(show);
    same((await show.calls()).filter((c) => c.includes('tools/call')), []);
    await page.check('#styles');
    await until('the host\'s', async () => (await look())[0] === 'rgb(24, 27, 33)');
    await page.click('#theme [data-value=light]');
  });
  await test('our host, our page: closed with a goodbye', async () => {
    await show.frame().waitForSelector('svg');
    await page.click('#close');
    await until('the end', () => page.evaluate(() => !document.querySelector('iframe')));
    const log = await show.log();
    same(log.slice(-2).map((l) => l.what), ['ui/resource-teardown', 'result']);
    await official(show, schemas);
    quiet(page, ['http://127.0.0.1:']);
    await page.close();
  });
  preview.stop();
  await test('our host: opened from a card, with no call at all', async () => {
    const again = await start(build, ['--open', card], [`${build}/app`]);
    const shown = await open(browser, again.url);
    await told(shown);
    await shown.frame().waitForSelector('svg');
    same(await shown.calls(), ['host resources/read ui://explorer']);
    await shown.done();
    again.stop();
  });
};

/* The official SDK's App, served by page.c, and what our host refuses it. */
const sdk = async ({ browser, build, out, schemas }) => {
  const made = resolve(out, 'sdk');
  mkdirSync(made, { recursive: true });
  const script = await bundle({ entryPoints: [fileURLToPath(new URL('sdk_page.mjs', import.meta.url))], bundle: true, write: false,
    format: 'iife', minify: true, logLevel: 'error' });
  writeFileSync(`${made}/page.html`, '<!doctype html><html><head><meta charset=utf-8><title>SDK</title></head><body><h1>A page of the SDK</h1><script>' +
    script.outputFiles[0].text.replaceAll('</script', '<\\/script') + '</script></body></html>');
  const friend = await origin({ '/': ['text/plain', { 'Access-Control-Allow-Origin': '*' }, 'yes'] });
  const stranger = await origin({ '/': ['text/plain', { 'Access-Control-Allow-Origin': '*' }, 'yes'] });
  const preview = await start(build, ['--tool', 'echo', '--args', '{"text":"x"}', '--deny', 'plain'], [resolve(build, 'page'), friend.url], made);
  const show = await open(browser, preview.url);
  const { page } = show;
  let frame;

  await test('our host, the official App: met, told, themed', async () => {
    await told(show);
    frame = show.frame();
    await frame.waitForFunction(() => window.told.length >= 3);
    const heard = await frame.evaluate(() => window.told);
    same(await frame.evaluate(() => document.fonts.size), 2); /* its own way to take the host's */
    const of = (what) => heard.find((t) => t.what === what).params;
    same([of('host').name, of('host').context.theme, of('host').context.toolInfo.tool.name], ['mcp.h preview', 'light', 'echo']);
    same(of('input'), { arguments: { text: 'x' } });
    same([of('result').structuredContent, of('result')._meta['example.com/secret']], [{ args: { text: 'x' } }, 'for the page']);
    check(!/for the page/.test(await show.panel('Model')), 'the model sees _meta');
    await page.click('#theme [data-value=dark]');
    await until('dark', () => frame.evaluate(() => document.documentElement.dataset.theme === 'dark'));
    for (const f of [page, show.proxy()]) same(await f.getAttribute('iframe', 'allow'), 'geolocation; clipboard-write');
    await page.screenshot({ path: `${out}/preview-sdk.png` });
  });
  await test('our host, the official App: it connects where it declared, and nowhere else', async () => {
    same(await frame.evaluate((url) => fetch(url).then((r) => r.text()), friend.url), 'yes');
    same(await frame.evaluate((url) => fetch(url).then((r) => r.text(), (e) => e.name), stranger.url), 'TypeError');
    page.complaints = page.complaints.filter((c) => !c.includes(stranger.url));
    check(/connect-src 'self' http/.test(await show.panel('Page')), 'the policy is not shown');
    page.requests = page.requests.filter((r) => !r.startsWith(friend.url));
  });
  await test('our host, the official App: loaded again, it is told again', async () => {
    const count = async (what) => (await show.log()).filter((l) => l.what === what).length;
    await frame.evaluate(() => location.reload());
    await until('the second result', async () => await count('ui/notifications/tool-result') === 2);
    same(await count('ui/notifications/tool-input'), 2);
    await frame.waitForFunction(() => window.told && window.told.some((t) => t.what === 'result'));
    same((await show.calls()).filter((c) => c.includes('host tools/call')).length, 1);
  });
  await test('our host, the official App: what it may call', async () => {
    const call = (name) => frame.evaluate((n) => window.app.callServerTool({ name: n, arguments: {} })
      .then((r) => r.content[0].text, (e) => e.message), name);
    same(await call('page'), 'echoed');
    check(/The app can't call the tool "model"\./.test(await call('model')), 'model');
    check(!(await show.calls()).includes('app tools/call model'), 'it left the page\'s host'); /* what leaves it is refused again, below */
    check(/told to refuse the tool "plain"/.test(await call('plain')), 'plain');
    check(/Unknown tool: none/.test(await call('none')), 'none');
    check(/no licence/.test(await call('fails')), 'fails');
    same(await call('slow'), 'late');
    const raw = (method) => frame.evaluate((m) => new Promise((done) => {
      addEventListener('message', (e) => { if (e.data.id === 'raw' + m) done(e.data.error); });
      parent.postMessage({ jsonrpc: '2.0', id: 'raw' + m, method: m, params: {} }, '*');
    }), method);
    for (const method of ['prompts/list', 'tools/list', 'sampling/createMessage', 'constructor'])
      same(await raw(method), { code: -32601, message: `Method not supported by this host: ${method}` });
    const marked = (_meta) => frame.evaluate(async (m) => (await window.app.callServerTool({ name: 'page', arguments: {}, _meta: m })).structuredContent, _meta);
    same(await marked({ 'example.com/caller': 'app', 'io.modelcontextprotocol/protocolVersion': '1', progressToken: 'p' }), { args: { text: 'hi' }, mark: 'app' }); /* our client's own words it can't change */
    same(await marked({}), { args: { text: 'hi' } }); /* nor must it say who it is */
    same(await frame.evaluate(async () => (await window.app.readServerResource({ uri: 'ui://page' })).contents[0].mimeType), 'text/html;profile=mcp-app');
  });
  await test('our host, the official App: context, message, links, modes, files, log', async () => {
    await frame.evaluate(() => window.app.updateModelContext({ content: [{ type: 'text', text: 'first' }] }));
    await frame.evaluate(() => window.app.updateModelContext({ content: [{ type: 'text', text: 'second' }] }));
    const context = await show.panel('Context');
    check(/second/.test(context) && !/first/.test(context), context);
    same(await frame.evaluate(() => window.app.sendMessage({ role: 'user', content: [{ type: 'text', text: 'hello' }] })), {});
    same(await page.textContent('#said'), 'hello');
    same(await frame.evaluate(() => window.app.openLink({ url: 'javascript:alert(1)' })), { isError: true });
    same(await frame.evaluate(() => window.app.requestDisplayMode({ mode: 'pip' })), { mode: 'inline' }); /* it said that it has no such */
    check(await page.isDisabled('#mode [data-value=pip]') && await page.isEnabled('#mode [data-value=fullscreen]'), 'what it can be shown as');
    const [download] = await Promise.all([page.waitForEvent('download'), frame.evaluate(() => window.app.downloadFile({ contents: [
      { type: 'resource', resource: { uri: 'file:///a/..%2f..%2fetc%2fpass:wd%0a.txt', mimeType: 'text/plain', text: 'x' } }] }))]);
    same(download.suggestedFilename(), 'passwd.txt');
    const [linked] = await Promise.all([page.waitForEvent('download'), frame.evaluate(() => window.app.downloadFile({ contents: [
      { type: 'resource_link', name: 'report', uri: 'data://../../etc/report%3C1%3E.txt' }] }))]);
    same([linked.suggestedFilename(), readFileSync(await linked.path(), 'utf8')], ['report1.txt', 'line 1\nline 2\n']);
    await frame.evaluate(() => window.app.sendLog({ level: 'warning', data: 'careful' }));
    check(/warning careful/.test(await show.panel('Page')), 'the log');
    await official(show, schemas);
  });
  await test('our host, the official App: the rest of what a page may ask', async () => {
    const ask = (method, params = {}) => frame.evaluate(([m, p]) => new Promise((done) => {
      const id = 'rest ' + m + JSON.stringify(p).slice(0, 40) + Math.random();
      addEventListener('message', (e) => { if (e.data.id === id) done(e.data.result || e.data.error); });
      parent.postMessage({ jsonrpc: '2.0', id, method: m, params: p }, '*');
    }), [method, params]);
    same(await ask('ping'), {});
    check((await ask('resources/list')).resources.some((r) => r.name === 'report'), 'resources/list');
    same((await ask('resources/templates/list')).resourceTemplates, []);
    same(await ask('ui/message', { role: 'user', content: { type: 'text', text: 'one block' } }), {}); /* as an example has it */
    check((await page.textContent('#said')).endsWith('one block'), 'the message');
    same(await ask('ui/message', { role: 'assistant', content: [] }), { isError: true });
    same(await ask('ui/download-file', { contents: [{ type: 'resource', resource: { uri: 'file:///big', text: 'x'.repeat(20 * 1024 * 1024 + 1) } }] }), { isError: true });
    for (const url of ['file:///etc/passwd', 'data:text/html,x', 'no link']) same(await ask('ui/open-link', { url }), { isError: true }, url);
    const [opened] = await Promise.all([page.context().waitForEvent('page'), ask('ui/open-link', { url: friend.url + '/?link' })]);
    await opened.waitForLoadState();
    same([opened.url(), await opened.evaluate(() => window.opener)], [friend.url + '/?link', null]);
    await opened.close();
    await page.evaluate(() => { window.opens = []; window.open = (...how) => { window.opens.push(how); }; });
    same(await ask('ui/open-link', { url: 'mailto:ann@example.com' }), {});
    same(await page.evaluate(() => window.opens), [['mailto:ann@example.com', '_blank', 'noopener,noreferrer']]);
    /* what is wrong gets its error, and takes nothing with it */
    for (const content of [undefined, null, 7, 'x', [null], ['x']]) same(await ask('ui/message', { role: 'user', content }), { isError: true }, JSON.stringify(content));
    check((await page.textContent('#said')).endsWith('one block'), 'the message');
    for (const content of [7, 'x', {}, [null]]) same(await ask('ui/update-model-context', { content }), { code: -32602, message: 'content is a list of blocks' });
    check(/second/.test(await show.panel('Context')), 'the context');
    for (const contents of [undefined, null, 'x', [7]]) same(await ask('ui/download-file', { contents }), { code: -32602, message: 'contents is a list of resources and links' });
    same(await ask('ui/download-file', { contents: [{ type: 'resource', resource: { uri: 'x', blob: '%%' } }] }), { code: -32602, message: 'a blob is not base64' });
    same((await ask('ui/download-file', { contents: [{ type: 'resource' }] })).code, -32602);
    same(await ask('resources/read'), { code: -32602, message: 'Invalid params' });
    same(await ask('tools/call'), { code: -32602, message: 'Unknown tool: ' });
    await frame.evaluate(() => { for (const height of ['x', -5, null, {}]) parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/size-changed', params: { height } }, '*'); });
    await frame.evaluate(() => window.app.sendSizeChanged({ height: 99999 }));
    await until('the limit', () => page.evaluate(() => document.querySelector('iframe').offsetHeight === 4000));
  });
  await test('our host: what is no JSON-RPC, or answers nothing, changes nothing', async () => {
    const size = () => page.evaluate(() => document.querySelector('iframe').style.height), before = await size(), count = (await show.log()).length;
    await frame.evaluate(() => {
      const method = 'ui/notifications/size-changed', params = { height: 9 };
      for (const m of [{ method, params }, { jsonrpc: '1.0', method, params }, null, 7, 'text', [], { jsonrpc: '2.0', id: 12345, result: {} },
        { jsonrpc: '2.0', id: 'none', error: { code: 1, message: 'x' } }, { jsonrpc: '2.0', method: 'ui/notifications/none', params: {} }]) parent.postMessage(m, '*');
      parent.postMessage({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'the last' } }, '*');
    });
    await until('the last', async () => (await show.log()).some((l) => l.params && l.params.data === 'the last'));
    same([await size(), (await show.log()).length - count], [before, 4]);
  });
  await test('our host, its proxy: what is between the two goes no further', async () => {
    const ready = async () => (await show.log()).filter((l) => l.what.startsWith('ui/notifications/sandbox-')).map((l) => l.from);
    const before = await ready();
    same(before.slice(0, 2), ['proxy', 'host']);
    await frame.evaluate(() => { /* the page plays the proxy, to it and past it */
      const forged = { jsonrpc: '2.0', method: 'ui/notifications/sandbox-proxy-ready', params: {} };
      const taken = { jsonrpc: '2.0', method: 'ui/notifications/sandbox-resource-ready', params: { html: 'taken' } };
      for (const m of [forged, taken]) for (const w of [parent, top]) w.postMessage(m, '*');
      parent.postMessage({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'after it' } }, '*');
    });
    await until('what came after', async () => (await show.log()).some((l) => l.what === 'notifications/message' && l.params.data === 'after it'));
    same(await ready(), before);
    await frame.evaluate(() => { window.methods = []; addEventListener('message', (e) => window.methods.push(e.data.method)); });
    const say = (who, method) => who.evaluate((m) => { (window.frames[0] || parent).postMessage({ jsonrpc: '2.0', method: m, params: { theme: 'light' } }, '*'); }, method);
    await say(page, 'ui/notifications/sandbox-none');
    await say(page, 'ui/notifications/host-context-changed');
    await frame.waitForFunction(() => window.methods.length);
    same(await frame.evaluate(() => window.methods), ['ui/notifications/host-context-changed']);
    same(await frame.textContent('h1'), 'A page of the SDK');
  });
  await test('our host, its proxy: it takes a page from its host alone, and never gives it its origin', async () => {
    const stage = await tab(browser), html = await (await page.request.get(show.proxy().url())).text();
    const away = await origin({ '/': ['text/html', {}, '<!doctype html><link rel=icon href=data:,><iframe></iframe>'] });
    await stage.goto(away.url);
    const shown = async (from) => {
      await stage.evaluate(([source, h]) => new Promise((done) => {
        const f = document.querySelector('iframe');
        f.onload = () => { f.contentWindow.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/sandbox-resource-ready',
          params: { html: '<p>taken', sandbox: 'allow-scripts Allow-Same-Origin' } }, '*'); setTimeout(done, 100); };
        f.srcdoc = h.replace(/const HOST = '[^']*'/, `const HOST = '${source}'`);
      }), [from, html]);
      return stage.frames()[1].evaluate(() => [...document.querySelectorAll('iframe')].map((f) => f.getAttribute('sandbox')));
    };
    same(await shown(preview.url.slice(0, -1)), []);
    same(await shown(away.url), ['allow-scripts']);
    await stage.close();
    away.close();
  });
  await test('our host: nobody else speaks for its page, nor to its server', async () => {
    const before = (await show.log()).length;
    await page.evaluate(() => new Promise((done) => { /* another frame, with a message of the page's kind */
      const other = document.createElement('iframe');
      other.srcdoc = '<script>parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/size-changed", params: { height: 9 } }, "*")<' + '/script>';
      document.body.append(other);
      setTimeout(() => { other.remove(); done(); }, 300);
    }));
    same((await show.log()).length, before);
    page.complaints = page.complaints.filter((c) => !/Content Security Policy/.test(c));
    const { origin } = new URL(preview.url), token = await page.evaluate(() => document.querySelector('meta[name=token]').content);
    const post = (path, headers) => page.request.post(origin + path, { headers, data: '{}' }).then(async (r) => [r.status(), await r.text()]);
    same((await post('/relay?who=app&method=tools%2Fcall&name=page', {}))[0], 403);
    same((await post('/relay?who=app&method=tools%2Fcall&name=page', { 'X-Preview': token, Host: 'evil.example' }))[0], 403);
    same(JSON.parse((await post('/relay?who=app&method=tools%2Fcall&name=model', { 'X-Preview': token }))[1]).error,
      { code: -32602, message: 'The app can\'t call the tool "model".' });
    same(JSON.parse((await post('/relay?who=host&method=tools%2Fcall&name=page', { 'X-Preview': token }))[1]).error,
      { code: -32602, message: 'The model can\'t call the tool "page".' });
    for (const path of ['/relay?who=app&method=tools%2Fcall&name=page&name=model', '/relay?who=app&method=%00', '/relay?what=1'])
      same(JSON.parse((await post(path, { 'X-Preview': token }))[1]).error.code, -32602, path);
    same(JSON.parse((await post('/relay?who=app&method=tools%2Flist', { 'X-Preview': token }))[1]).error.code, -32601);
  });
  await test('our host, the official App: a call that fails is told as its end; a goodbye', async () => {
    await page.click('#tools [data-name=fails]');
    await page.click('#call');
    await until('the end', async () => (await show.log()).some((l) => l.what === 'ui/notifications/tool-cancelled'));
    same(await page.textContent('#error'), 'no licence');
    await page.click('#close');
    await until('no frame', () => page.evaluate(() => !document.querySelector('iframe')));
    check((await show.log()).some((l) => l.what === 'notifications/message' && l.params.data === 'bye'), 'its last word');
  });
  await test('our host, the official App: arguments that are written before its eyes', async () => {
    const ARGS = { text: 'A sentence, and "one" more \ud83d\ude00.' };
    await page.click('#tools [data-name=echo]');
    await page.fill('#args', JSON.stringify(ARGS, null, 1));
    await page.check('#stream');
    await page.click('#call');
    await told(show);
    const log = await show.log(), order = log.map((l) => l.what).filter((w) => /tool-|initialized/.test(w)).map((w) => w.replace('ui/notifications/', ''));
    const parts = log.filter((l) => l.what === 'ui/notifications/tool-input-partial').map((l) => l.params.arguments);
    check(parts.length > 10 && parts.length === new Set(parts.map((p) => p.text)).size, `${parts.length} parts`);
    for (const { text = '' } of parts) check(ARGS.text.startsWith(text), text);
    same(order.filter((w, i) => w !== order[i - 1]), ['initialized', 'tool-input-partial', 'tool-input', 'tool-result']);
    same(log.find((l) => l.what === 'ui/notifications/tool-input').params, { arguments: ARGS });
    /* the tool is called when they are complete, and the page then knows by which request */
    same((await show.calls()).slice(-2), ['host resources/read ui://page', 'host tools/call echo']);
    const told_ = await show.frame().evaluate(() => window.told.map((t) => t.what));
    same([told_.filter((w) => w === 'partial').length, told_.filter((w) => w === 'input').length], [parts.length, 1]);
    const named = log.find((l) => l.params && l.params.toolInfo);
    same(named.params.toolInfo.id, await page.evaluate(() => window.preview.card.id));
    check(log.indexOf(named) < log.findIndex((l) => l.what === 'ui/notifications/tool-input'), 'its request is named late');
    await page.evaluate(() => window.preview.shown.setPartial('{"text":"too late'));
    await page.evaluate(() => window.preview.shown.setInput({ text: 'twice' }, 0));
    await show.frame().evaluate(() => window.app.sendLog({ level: 'info', data: 'after it' }));
    await until('what came after', async () => (await show.log()).some((l) => l.what === 'notifications/message'));
    same((await show.log()).filter((l) => /tool-input/.test(l.what)).length, parts.length + 1);
    await official(show, schemas);
    await page.click('#reload');
    await until('the end', async () => { const l = (await show.log()).map((m) => m.what); return l.includes('ui/notifications/tool-result') && !l.includes('ui/notifications/tool-input-partial'); });
    same((await show.log()).filter((l) => /tool-input/.test(l.what)).map((l) => l.what), ['ui/notifications/tool-input']); /* it is known now */
    await page.uncheck('#stream');
    await page.click('#close');
    await until('no frame', () => page.evaluate(() => !document.querySelector('iframe')));
  });
  await test('our host, the official App: a page may ask for its end', async () => {
    await page.click('#tools [data-name=echo]');
    await page.click('#call');
    await told(show);
    await show.frame().waitForFunction(() => window.told && window.told.length >= 3);
    await show.frame().evaluate(() => { window.app.requestTeardown(); });
    await until('no frame', () => page.evaluate(() => !document.querySelector('iframe')));
    check((await show.log()).some((l) => l.what === 'ui/resource-teardown' && l.params.reason === 'the page asked for it'), 'no goodbye');
  });
  await test('our host: who does not say goodbye has 1.5 seconds', async () => {
    await page.click('#tools [data-name=echo]');
    await page.click('#call');
    await told(show);
    await show.frame().waitForFunction(() => window.told);
    await show.frame().evaluate(() => { window.app.onteardown = () => new Promise(() => {}); });
    const before = Date.now();
    await page.click('#close');
    await page.waitForTimeout(500);
    same(await page.locator('iframe').count(), 1);
    await until('no frame', () => page.evaluate(() => !document.querySelector('iframe')), 3000);
    check(Date.now() - before >= 1400, 'it had less');
  });
  await test('our host: a tool without a page shows its words', async () => {
    await page.click('#tools [data-name=model]');
    await page.click('#call');
    await until('the words', async () => (await page.textContent('#plain')) === 'echoed');
    same(await page.locator('iframe').count(), 0);
    page.complaints = page.complaints.filter((c) => !/onteardown handler replaced/.test(c)); /* by us, above */
    quiet(page, ['http://127.0.0.1:']);
    await page.close();
  });
  preview.stop();
  friend.close();
  stranger.close();
};

/* What our host says of itself, in ui/initialize. */
const introduced = async ({ browser, build, schemas }) => {
  const schema = schemaOf(schemas), program = fileURLToPath(new URL('careless.mjs', import.meta.url));
  const preview = await start(build, ['--tool', 'odd'], ['node', program]);
  const show = await open(browser, preview.url);

  await test('our host: what it says of itself is as the schema has it, and nothing more', async () => {
    await told(show);
    const said = await show.frame().evaluate(() => window.host);
    same(schema.wrong('McpUiInitializeResult', said), '');
    same(schema.wrong('McpUiHostCapabilities', said.hostCapabilities), '');
    same(schema.wrong('McpUiHostContext', said.hostContext), '');
    same(Object.keys(said).filter((k) => !schema.names('McpUiInitializeResult').includes(k)), []);
    same(Object.keys(said.hostContext).filter((k) => !schema.names('McpUiHostContext').includes(k)), []);
    same(said.protocolVersion, '2026-01-26');
  });
  await test('our host: it says where the page is, by which request, and in which letters', async () => {
    const { hostContext: said } = await show.frame().evaluate(() => window.host);
    same(said.safeAreaInsets, { top: 0, right: 0, bottom: 0, left: 0 });
    check(/^@font-face \{[^}]*\}@font-face \{[^}]*\}$/.test(said.styles.css.fonts) && !/url\(/.test(said.styles.css.fonts), said.styles.css.fonts);
    const [{ params: { content: [{ text }] } }] = (await show.log()).filter((l) => l.what === 'ui/notifications/tool-result');
    same([`request ${said.toolInfo.id}`, said.toolInfo.tool.name], [text, 'odd']);
    same([said.displayMode, said.availableDisplayModes], ['inline', ['inline', 'fullscreen', 'pip']]); /* the page did not say which it can */
    same([said.platform, said.locale, typeof said.timeZone, said.userAgent, said.deviceCapabilities], ['web', 'en-US', 'string', 'mcp.h preview', { touch: false, hover: true }]);
  });
  await test('our host: it declares what it does, and of a page\'s wishes what it grants', async () => {
    const { hostCapabilities: { sandbox, ...rest } } = await show.frame().evaluate(() => window.host);
    same(sandbox, { csp: { connectDomains: ['https://a.example'] }, permissions: { camera: {} } });
    same(await show.page.getAttribute('iframe', 'allow'), 'camera');
    /* each of these is used by the pages above */
    same(rest, { openLinks: {}, downloadFile: {}, serverTools: {}, serverResources: {}, logging: {},
      updateModelContext: { text: {}, structuredContent: {} }, message: { text: {} } });
  });
  await test('our host: it says nothing before the page is ready, and then what is new', async () => {
    const { page } = show;
    await page.click('#tools [data-name=late]');
    await page.click('#call');
    await until('its answer', async () => (await show.log()).length === 4); /* the card before it has more */
    await show.frame().waitForFunction(() => window.ready);
    await page.click('#theme [data-value=dark]');
    await show.frame().evaluate(() => window.ready());
    await until('its word', async () => (await show.log()).some((l) => l.what === 'ui/notifications/initialized'));
    await told(show);
    const log = (await show.log()).map((l) => l.what.replace('ui/notifications/', ''));
    same(log, ['sandbox-proxy-ready', 'sandbox-resource-ready', 'ui/initialize', 'result', 'initialized', 'host-context-changed', 'tool-input', 'tool-result']);
    const news = (await show.log())[5].params;
    same([news.theme, Object.keys(news)], ['dark', ['theme', 'styles']]);
    same((await show.frame().evaluate(() => window.host)).hostContext.theme, 'light');
    await page.click('#theme [data-value=light]');
  });
  await test('our host: a page that comes as bytes; one that is none', async () => {
    const { page } = show;
    await page.click('#tools [data-name=bytes]');
    await page.click('#call');
    await until('it', async () => (await show.frame()?.textContent('p').catch(() => '')) === '\u00fc');
    await page.click('#tools [data-name=none]');
    await page.click('#call');
    await until('why', async () => (await page.textContent('#error')) === 'ui://none: the resource is no page');
    same(await page.locator('iframe').count(), 0);
    await page.click('#tools [data-name=odd]');
    await page.click('#call');
    await until('the page', async () => (await page.locator('iframe').count()) === 1);
    await told(show);
  });
  await test('our host: nothing is called before the tools are there', async () => {
    const page = await tab(browser);
    await page.route('**/state', async (route) => { await new Promise((done) => setTimeout(done, 500)); await route.continue(); });
    await page.goto(preview.url);
    await page.waitForFunction(() => window.preview);
    check(await page.isDisabled('#call'), 'there is no tool to call');
    await page.click('#call'); /* waits */
    await until('the call', () => page.evaluate(() => window.preview.calls.some((c) => c.method === 'tools/call' && c.result)));
    check(await page.isHidden('#error'), 'it went wrong');
    await page.close();
  });
  await test('the schema: what is wrong is found', async () => {
    const said = await show.frame().evaluate(() => window.host), log = await show.page.evaluate(() => window.preview.log);
    const with_ = (can) => ({ ...said, hostCapabilities: { ...said.hostCapabilities, ...can } });
    for (const bad of [with_({ openLinks: true }), with_({ teleport: {} }), with_({ sandbox: { permissions: { bluetooth: {} } } }),
      { ...said, hostContext: { theme: 'blue' } }, { ...said, hostInfo: {} },
      { ...said, hostContext: { styles: { variables: { color: 'red' } } } }, { ...said, hostContext: { containerDimensions: { depth: 1 } } },
      { ...said, hostContext: { containerDimensions: { width: '1' } } }])
      check(schema.wrong('McpUiInitializeResult', bad), JSON.stringify(bad));
    same(schema.judge([...log, { from: 'host', message: { method: 'ui/none' } }, { from: 'host', message: { method: 'ui/notifications/tool-input' } }])
      .complaints.length, 2);
  });
  await test('our host: a server that ends in the middle of a call cancels it for the page', async () => {
    const { page } = show;
    await page.click('#tools [data-name=dies]');
    await page.click('#call');
    const log = await until('the end', async () => { const l = await show.log(); return l.some((m) => m.what === 'ui/notifications/tool-cancelled') && l; });
    same(log.filter((m) => /tool-(result|cancelled)/.test(m.what)).length, 1);
    const { params: { reason } } = log.find((m) => m.what === 'ui/notifications/tool-cancelled');
    check(reason && reason === await page.textContent('#error'), reason);
  });
  await show.done();
  preview.stop();
};

/* What it is told by its command line. */
const commands = async ({ build }) => {
  const refused = async (...options) => {
    const child = track(spawn(resolve(build, 'preview'), options, { stdio: ['ignore', 'pipe', 'pipe'] })), said = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (d) => said.push(String(d)));
    const [code] = await once(child, 'close');
    return [code, said.join('')];
  };
  await test('the preview: a port of one\'s choice', async () => {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address();
    probe.close();
    const preview = await start(build, ['--port', String(port)], [`${build}/page`]);
    same(preview.url, `http://127.0.0.1:${port}/`);
    check(/<title>Preview/.test(await (await fetch(preview.url)).text()), 'its page');
    preview.stop();
  });
  await test('the preview: what it can\'t do is said in one line', async () => {
    const page = ['--', resolve(build, 'page')], which = 'preview: which server? --url URL, or -- PROGRAM ARG...\n';
    same(await refused(), [1, which]);
    same(await refused('--nonsense', 'x', ...page), [1, which]);
    same(await refused('--url', 'http://127.0.0.1:1/mcp', ...page), [1, which]);
    for (const bad of ['[1]', '{', '']) same(await refused('--args', bad, ...page), [1, 'preview: --args: no JSON object\n'], bad);
    same(await refused('--open', '/no/such/card', ...page), [1, 'preview: /no/such/card: No such file or directory\n']);
    const [code, why] = await refused('--', '/no/such/server');
    check(code === 1 && /^preview: the server: /m.test(why), why);
  });
};

/* The preview itself: for a keyboard, for eyes, in the dark, in a narrow window. */
const usable = async ({ browser, build, out }) => {
  const preview = await start(build, ['--tool', 'explore'], [`${build}/app`]);
  const show = await open(browser, preview.url);
  const { page } = show;

  await test('the preview: every control has a name', async () => {
    await told(show);
    await show.frame().waitForSelector('svg');
    const tree = await page.locator('body').ariaSnapshot();
    same(tree.match(/- (button|textbox|checkbox|tab|tabpanel|article|group|complementary|region|tablist)\b(?! ").*$/gm), null);
    for (const named of ['button "Call"', 'textbox "Arguments"', 'checkbox "Stream the arguments"', 'checkbox "Host styles"', 'group "Display mode"', 'tab "Protocol', 'button "Open a saved card"'])
      check(tree.includes(named), `${named} is not in\n${tree}`);
    same(await page.getAttribute('iframe', 'title'), 'Explore data');
  });
  await test('the preview: the keyboard reaches all of it, and one sees where it is', async () => {
    const wanted = ['width', 'mode', 'theme', 'styles', 'tools', 'args', 'stream', 'call', 'file', 'reload', 'save', 'close', 'tabs', 'panel'], reached = [];
    await page.evaluate(() => document.activeElement.blur());
    for (let i = 0; i < 60 && !reached.includes('panel'); i++) {
      await page.keyboard.press('Tab');
      const { name, outline } = await page.evaluate(() => { /* in the page, or on its way out of the window: not ours to show */
        const e = document.activeElement, elsewhere = ['IFRAME', 'BODY'].includes(e.tagName), seen = e.id === 'file' ? e.parentElement : e, s = getComputedStyle(seen);
        return { name: e.id && !e.id.startsWith('tab-') ? e.id : e.parentElement.id, outline: elsewhere || (s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2) };
      });
      check(outline, `${name}: nobody sees that it has the focus`);
      reached.push(name);
    }
    same(wanted.filter((name) => !reached.includes(name)), []);
  });
  await test('the preview: its panels by arrows; a call by Ctrl+Enter', async () => {
    const now = () => page.evaluate(() => [document.activeElement.dataset.name, document.querySelector('#tabs [aria-selected=true]').dataset.name, document.getElementById('panel').getAttribute('aria-labelledby')]);
    await page.focus('#tab-Model');
    for (const [key, name] of [['ArrowRight', 'Context'], ['End', 'Page'], ['ArrowRight', 'Model'], ['ArrowLeft', 'Page'], ['Home', 'Model']]) {
      await page.keyboard.press(key);
      await page.waitForTimeout(40);
      same(await now(), [name, name, 'tab-' + name]);
    }
    same(await page.locator('#tabs [tabindex="0"]').count(), 1);
    const count = (await show.calls()).length;
    await page.fill('#args', '{"data":"orchard"}');
    await page.press('#args', 'Control+Enter');
    await until('the call', async () => (await show.calls()).slice(count).includes('host tools/call explore'));
    await until('the orchard', async () => (await show.frame()?.textContent('h1').catch(() => '')) === 'Forty apple trees');
  });
  await test('the preview: what is open in a panel stays so while more comes', async () => {
    await show.panel('Protocol');
    const last = page.locator('#panel .row').last();
    await last.locator('summary').click();
    const rows = await page.locator('#panel .row').count();
    await show.frame().selectOption('#variable', 'tall');
    await until('more', async () => (await page.locator('#panel .row').count()) > rows);
    same([await last.evaluate((d) => d.open), await last.evaluate((d) => d.contains(document.activeElement))], [true, true]); /* the focus, too */
    check(await last.locator('pre').isVisible(), 'what it showed');
    await show.panel('Model');
  });
  await test('the preview: arguments and cards that are none', async () => {
    const error = async (bad) => { await page.fill('#args', bad); await page.click('#call'); await until('why', () => page.isVisible('#error')); return page.textContent('#error'); };
    for (const bad of ['[1]', 'null', '"x"', '7']) same(await error(bad), 'Arguments are a JSON object.', bad);
    check(/JSON/.test(await error('{')), 'half an object');
    const count = (await show.calls()).length, card = async (text) => {
      await page.setInputFiles('#file', { name: 'x.json', mimeType: 'application/json', buffer: Buffer.from(text) });
      return until('why', async () => (await page.isVisible('#error')) && page.textContent('#error'));
    };
    for (const bad of ['null', '{}', '{"tool":1}', '[]']) same(await card(bad), 'This is no card: it names no tool.', bad);
    same((await show.calls()).length, count);
    check(await page.isVisible('iframe'), 'what was there is gone');
  });
  await test('the preview: letters that can be read, in the light and in the dark', async () => {
    const faint = () => page.evaluate(() => {
      const rgb = (c) => c.match(/[\d.]+/g).map(Number), part = (v) => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
      const light = (c) => { const [r, g, b] = rgb(c); return .2126 * part(r) + .7152 * part(g) + .0722 * part(b); };
      const behind = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor, [, , , a = 1] = rgb(c); if (a === 1) return c; } return 'rgb(255, 255, 255)'; };
      return [...document.querySelectorAll('body *')].filter((e) => !e.disabled && !e.closest(':disabled') && e.checkVisibility() && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())).map((e) => {
        const [a, b] = [light(getComputedStyle(e).color), light(behind(e))].sort((x, y) => y - x);
        return [e.tagName + ' ' + e.textContent.slice(0, 20), (a + .05) / (b + .05)];
      }).filter(([, ratio]) => ratio < 4.5);
    });
    same(await faint(), []);
    await page.click('#theme [data-value=dark]');
    same(await faint(), []);
    await page.click('#theme [data-value=light]');
  });
  await test('the preview: a window of 600 pixels', async () => {
    await page.setViewportSize({ width: 600, height: 900 });
    const knows = async () => (await show.frame().evaluate(() => window.mcp.getHostContext())).containerDimensions.width === await page.evaluate(() => document.querySelector('iframe').offsetWidth);
    await until('the page to know', async () => (await page.locator('iframe').boundingBox()).width < 600 && await knows());
    const wide = await page.evaluate(() => [...document.querySelectorAll('button, textarea, input, iframe, .panel, header')].filter((e) => e.checkVisibility() && (e.getBoundingClientRect().right > 600 || e.getBoundingClientRect().left < 0)).map((e) => e.id || e.textContent));
    same([wide, await page.evaluate(() => [document.documentElement.scrollWidth, document.querySelector('.stage').scrollWidth])], [[], [600, 600]]);
    await page.screenshot({ path: `${out}/preview-narrow.png` });
    await page.locator('#card').scrollIntoViewIfNeeded();
    await page.click('#mode [data-value=pip]');
    await until('the corner', () => show.frame().evaluate(() => document.documentElement.dataset.displayMode === 'pip'));
    await page.screenshot({ path: `${out}/preview-narrow-corner.png` });
    await page.click('#back');
    await page.locator('#tab-Page').scrollIntoViewIfNeeded();
    await page.screenshot({ path: `${out}/preview-narrow-panels.png` });
  });
  await show.done();
  await test('the preview: dark, where a person likes it so', async () => {
    const dark = await tab(browser, { colorScheme: 'dark' });
    await dark.goto(preview.url);
    await until('dark', () => dark.evaluate(() => document.documentElement.dataset.theme === 'dark'));
    same(await dark.getAttribute('#theme [data-value=dark]', 'aria-pressed'), 'true');
    await until('its page', () => dark.evaluate(() => window.preview && window.preview.log.some((l) => l.message.result && l.message.result.hostContext && l.message.result.hostContext.theme === 'dark')));
    await dark.close();
  });
  preview.stop();
};

/* Servers as they are published, each with a page of the official SDK. */
const PUBLISHED = { 'budget-allocator': /Budget/i, 'cohort-heatmap': /Cohort|Retention/i, 'basic-vanillajs': /time/i };
const published = async ({ browser, build, out, schemas }) => {
  for (const [name, words] of Object.entries(PUBLISHED))
    await test(`our host, published: ${name}`, async () => {
      const program = fileURLToPath(new URL(`node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, import.meta.url));
      const preview = await start(build, [], ['node', program, '--stdio']);
      const show = await open(browser, preview.url);
      await show.page.click('#call');
      await told(show);
      await until('its words', async () => words.test(await show.frame().textContent('body')));
      await show.page.waitForTimeout(500);
      await show.page.screenshot({ path: `${out}/preview-${name}.png` });
      const height = await show.page.evaluate(() => document.querySelector('iframe').offsetHeight);
      check(height > 120, `its height is ${height}`);
      await official(show, schemas);
      await show.done();
      preview.stop();
    });
  await test('our host: a server at a URL', async () => {
    const program = fileURLToPath(new URL('node_modules/@modelcontextprotocol/server-budget-allocator/dist/index.js', import.meta.url));
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address();
    probe.close();
    const server = track(spawn('node', [program], { env: { ...process.env, PORT: String(port) }, stdio: ['ignore', 'ignore', 'ignore'] }));
    await until('the server', () => fetch(`http://127.0.0.1:${port}/mcp`).then(() => true, () => false));
    const preview = await start(build, ['--url', `http://127.0.0.1:${port}/mcp`]);
    const show = await open(browser, preview.url);
    await show.page.click('#call');
    await told(show);
    await until('its words', async () => /Budget/.test(await show.frame().textContent('body')));
    await show.done();
    preview.stop();
    server.kill();
  });
};

export default async (stuff) => { await ours(stuff); await sdk(stuff); await introduced(stuff); await commands(stuff); await usable(stuff); await published(stuff); };
