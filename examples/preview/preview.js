/* preview.js - the page around host.js: tools, the card, and what there is to know about it */
(() => {
'use strict';
const id = (name) => document.getElementById(name), root = document.documentElement;
const token = document.querySelector('meta[name=token]').content;
const json = (v) => JSON.stringify(v, null, 2);
const make = (tag, text, className) => {
  const e = document.createElement(tag);
  if (text !== undefined) e.textContent = text;
  if (className) e.className = className;
  return e;
};

/* ---- the program behind us ---- */
const ask = async (path, body) => {
  const response = await fetch(path, { method: body === undefined ? 'GET' : 'POST', body, headers: { 'X-Preview': token } });
  if (!response.ok) throw Error('the preview answers ' + response.status);
  const { error, events = [], ...rest } = await response.json();
  for (const e of events) note('server', 'host', e);
  if (error) throw Object.assign(Error(error.message), { code: error.code });
  return rest;
};
const relay = async (who, method, params = {}) => {
  const q = new URLSearchParams({ who, method });
  if (method === 'tools/call') q.set('name', params.name);
  if (method === 'resources/read') q.set('uri', params.uri);
  const call = { who, method, params, at: Date.now() };
  calls.push(call);
  try {
    const { result } = await ask('relay?' + q, JSON.stringify(method === 'tools/call' ? params.arguments || {} : {}));
    Object.assign(call, { result, ms: Date.now() - call.at });
    return result;
  } catch (e) {
    Object.assign(call, { error: e.message, ms: Date.now() - call.at });
    throw e;
  } finally { draw(); }
};

/* ---- what is known ---- */
const calls = [], log = [], logs = [];
let state, chosen, shown = null, card = null, context = null, pageInfo = null;
const note = (from, to, message) => {
  log.push({ from, to, message, at: performance.now() });
  if (log.length > 500) log.shift();
  draw();
};
const toolNamed = (name) => state.tools.find((t) => t.name === name);
const uiOf = (tool) => ((tool || {})._meta || {}).ui || {};
const isFor = (tool, whom) => !uiOf(tool).visibility || uiOf(tool).visibility.includes(whom);

/* ---- the look of the host, which pages take over ---- */
const palette = { light: { '--color-background-primary': '#ffffff', '--color-background-secondary': '#f5f6f8',
  '--color-background-tertiary': '#eef0f3', '--color-text-primary': '#1b2130', '--color-text-secondary': '#667085',
  '--color-text-danger': '#b42318', '--color-border-primary': '#dfe3e9', '--color-border-secondary': '#eceff3', '--color-ring-primary': '#2563c9' },
  dark: { '--color-background-primary': '#181b21', '--color-background-secondary': '#20242c', '--color-background-tertiary': '#0f1115',
    '--color-text-primary': '#e9ecf2', '--color-text-secondary': '#98a2b3', '--color-text-danger': '#ff8b80',
    '--color-border-primary': '#2e333d', '--color-border-secondary': '#262b34', '--color-ring-primary': '#74a7ff' } };
const shape = { '--font-sans': 'system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif', '--border-radius-sm': '6px',
  '--border-radius-md': '8px', '--border-radius-lg': '12px', '--border-width-regular': '1px' };
const look = () => {
  const theme = root.dataset.theme;
  return { theme, styles: { variables: id('styles').checked ? { ...palette[theme], ...shape } : {} } };
};
const size = () => ({ containerDimensions: { width: id('frame').clientWidth || 600, maxHeight: 4000 } });
const fullContext = () => ({ ...look(), ...size(), displayMode: 'inline', availableDisplayModes: ['inline', 'fullscreen'], locale: navigator.language,
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone, userAgent: 'mcp.h preview', platform: 'web',
  deviceCapabilities: { touch: navigator.maxTouchPoints > 0, hover: matchMedia('(hover: hover)').matches } });
const press = (group, value) => {
  for (const b of id(group).children) b.setAttribute('aria-pressed', b.dataset.value === value);
};
const picks = (group, f) => id(group).addEventListener('click', (e) => {
  if (e.target.dataset.value !== undefined) { press(group, e.target.dataset.value); f(e.target.dataset.value); }
});
const setMode = (mode) => {
  press('mode', mode);
  id('card').dataset.mode = mode;
  if (shown) shown.setContext({ displayMode: mode, ...size() });
};
picks('theme', (value) => { root.dataset.theme = value; if (shown) shown.setContext(look()); });
picks('width', (value) => { id('card').style.width = value ? value + 'px' : ''; if (shown) shown.setContext(size()); });
picks('mode', setMode);
id('styles').addEventListener('change', () => { if (shown) shown.setContext(look()); });
document.addEventListener('keydown', (e) => { if (e.key === 'Escape') setMode('inline'); });

/* ---- a card: a call and its result, from which its page can be shown again ---- */
const onPage = {
  'message': ({ from, to, message }) => note(from, to, message),
  'model-context': (params) => { context = params; draw(); },
  'say': (content) => {
    id('said').append(make('div', content.map((b) => b.text || '[' + b.type + ']').join('\n'), 'say'));
    id('said').lastChild.scrollIntoView({ block: 'nearest' });
  },
  'mode': setMode,
  'size': ({ height }) => { if (height) shown.frame.style.height = Math.min(height, 4000) + 'px'; },
  'log': (params) => { logs.push(params); draw(); },
  'open': (url) => window.open(url, '_blank', 'noopener,noreferrer'),
  'save': () => {},
  'close': () => closeCard('the page asked for it')
};
const closeCard = async (reason) => {
  const old = shown;
  shown = null;
  if (old) await old.teardown(reason);
  setMode('inline');
  id('card').hidden = true;
  id('empty').hidden = false;
  sessionStorage.removeItem('card');
};
const showPage = async (tool, uri) => {
  const { result, missing } = await ask('open?' + new URLSearchParams({ who: 'host', method: 'resources/read', uri }), '');
  if (missing) throw Error(uri + ': ' + missing);
  pageInfo = { uri, ...result };
  calls.push({ who: 'host', method: 'resources/read', params: { uri }, result: { csp: result.csp }, ms: 0 });
  shown = mcpHost.create({ container: id('frame'), url: result.url, policy: result.csp, html: result.html, ui: result.ui || {}, tool,
    input: card.arguments, result: card.result, context: fullContext(), send: (method, params) => relay('app', method, params),
    mayCall: (name) => isFor(toolNamed(name), 'app'), on: (event, detail) => onPage[event](detail) });
  if (card.failed) shown.cancel(card.failed);
};
const openCard = async (next, run) => {
  if (shown) await closeCard('another card');
  card = next;
  context = pageInfo = null;
  log.length = 0;
  const tool = toolNamed(card.tool) || { name: card.tool, inputSchema: { type: 'object' } }, uri = uiOf(tool).resourceUri;
  id('card-title').textContent = tool.title || tool.name;
  id('card').hidden = false;
  id('empty').hidden = true;
  id('plain').hidden = !!uri;
  id('frame').replaceChildren();
  id('said').replaceChildren();
  const opening = uri ? showPage(tool, uri) : Promise.resolve();
  opening.catch(fail); /* it is waited for below */
  if (run) await run().catch((e) => { card.failed = e.message; fail(e); });
  await opening;
  if (shown && run) card.failed ? shown.cancel(card.failed) : shown.setResult(card.result);
  if (!uri) id('plain').textContent = card.result ? modelText(card.result) : card.failed;
  sessionStorage.setItem('card', JSON.stringify(card));
  draw();
};
const fail = (e) => { id('error').textContent = e.message; id('error').hidden = false; };
const run = async () => {
  id('error').hidden = true;
  id('call').disabled = true;
  try {
    const args = JSON.parse(id('args').value || '{}');
    await openCard({ tool: chosen.name, arguments: args }, async () => {
      const mine = card;
      mine.result = await relay('host', 'tools/call', { name: mine.tool, arguments: args });
    });
  } catch (e) { fail(e); }
  id('call').disabled = false;
};
id('call').addEventListener('click', run);
id('close').addEventListener('click', () => closeCard('closed'));
id('reload').addEventListener('click', () => { if (card) openCard({ ...card }); });
id('save').addEventListener('click', () => {
  const a = make('a');
  a.href = URL.createObjectURL(new Blob([json(card)], { type: 'application/json' }));
  a.download = card.tool + '.card.json';
  a.click();
});
id('file').addEventListener('change', async () => {
  try { await openCard(JSON.parse(await id('file').files[0].text())); } catch (e) { fail(e); }
});

/* ---- panels ---- */
const modelText = ({ content = [] }) => content.map((b) => b.type === 'text' ? b.text : '[' + b.type + ' ' + (b.mimeType || b.uri || '') + ']').join('\n');
const section = (title, text) => [make('h3', title), make('pre', text)];
const row = (way, title, aside, body, bad) => {
  const d = make('details', undefined, 'row'), s = make('summary');
  s.append(make('span', way, 'way'), make('b', title, bad ? 'bad' : ''), make('span', aside));
  d.append(s);
  d.addEventListener('toggle', () => { if (d.open && d.children.length === 1) d.append(make('pre', json(body))); });
  return d;
};
const panels = {
  Model: () => card && card.result ? [...section('content', modelText(card.result)),
    ...(card.result.structuredContent ? section('structuredContent', json(card.result.structuredContent)) : []),
    make('p', card.result._meta ? '_meta stays with the page.' : '', 'soft')] : [make('p', 'What a tool says appears here.', 'soft')],
  Context: () => context ? [...(context.content || []).flatMap((b) => section(b.type, b.text || json(b))),
    ...(context.structuredContent ? section('structuredContent', json(context.structuredContent)) : [])]
    : [make('p', 'The page has not told the model anything.', 'soft')],
  Calls: () => calls.slice().reverse().map((c) => row(c.who === 'host' ? 'model' : 'page', c.method + ' ' + (c.params.name || c.params.uri || ''),
    c.ms === undefined ? '…' : c.ms + ' ms', { params: c.params, result: c.result, error: c.error }, c.error || (c.result || {}).isError)),
  Protocol: () => log.slice().reverse().map((l) => row(l.from === 'page' || l.from === 'proxy' ? '→ host' : l.from === 'server' ? '→ server' : '← host',
    l.message.method || (l.message.error ? 'error' : 'result') + ' ' + l.message.id, (l.at / 1000).toFixed(2), l.message, l.message.error)),
  Page: () => pageInfo ? [...section('URI', pageInfo.uri), ...section('Content-Security-Policy', pageInfo.csp.split('; ').join('\n')),
    ...section('declared', json(pageInfo.ui || {})), ...section('permissions', (shown && shown.frame.getAttribute('allow')) || 'none'),
    ...(logs.length ? section('log', logs.map((l) => l.level + ' ' + (typeof l.data === 'string' ? l.data : json(l.data))).join('\n')) : [])]
    : [make('p', 'No page is shown.', 'soft')]
};
const counts = { Calls: () => calls.length, Protocol: () => log.length };
let panel = 'Model', drawing = false;
const draw = () => {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    for (const b of id('tabs').children) {
      b.setAttribute('aria-selected', b.dataset.name === panel);
      if (counts[b.dataset.name]) b.lastChild.textContent = counts[b.dataset.name]();
    }
    id('panel').replaceChildren(...panels[panel]());
  });
};
for (const name of Object.keys(panels)) {
  const b = make('button', name);
  b.dataset.name = name;
  b.setAttribute('role', 'tab');
  b.append(make('i'));
  b.addEventListener('click', () => { panel = name; draw(); });
  id('tabs').append(b);
}

/* ---- the beginning ---- */
const defaults = (tool) => {
  const args = {};
  for (const [name, p] of Object.entries((tool.inputSchema || {}).properties || {}))
    if (p.default !== undefined) args[name] = p.default;
    else if ((tool.inputSchema.required || []).includes(name)) args[name] = p.enum ? p.enum[0] : { string: '', number: 0, integer: 0, boolean: false, array: [], object: {} }[p.type];
  return args;
};
const choose = (tool, args) => {
  chosen = tool;
  id('args').value = json(args || defaults(tool));
  for (const b of id('tools').children) b.setAttribute('aria-pressed', b.dataset.name === tool.name);
};
const begin = async () => {
  state = await ask('state');
  if (state.error) fail(Error(state.error));
  state.tools = state.tools || [];
  const { serverInfo = {}, protocolVersion = '' } = state.server || {};
  id('server').textContent = document.title = serverInfo.title || serverInfo.name || 'server';
  id('version').textContent = [serverInfo.version, 'MCP ' + protocolVersion].filter(Boolean).join(' · ');
  for (const tool of state.tools) {
    const b = make('button', tool.title || tool.name), ui = uiOf(tool);
    b.dataset.name = tool.name;
    b.append(make('small', [tool.name, ui.resourceUri ? 'page' : '', isFor(tool, 'model') ? '' : 'for the page only'].filter(Boolean).join(' · ')));
    b.disabled = !isFor(tool, 'model');
    b.addEventListener('click', () => choose(tool));
    id('tools').append(b);
  }
  const first = toolNamed(state.tool) || state.tools.find((t) => uiOf(t).resourceUri && isFor(t, 'model')) || state.tools[0];
  if (first) choose(first, state.tool ? state.arguments : undefined);
  id('call').disabled = !first;
  draw();
  const saved = sessionStorage.getItem('card');
  if (saved) await openCard(JSON.parse(saved));
  else if (state.card) await openCard(state.card);
  else if (state.tool && first) await run();
};
begin().catch(fail);
window.preview = { calls, log, get context() { return context; }, get card() { return card; } };
})();
