/* preview.js - the page around host.js: tools, the card, and what there is to know about it */
(() => {
'use strict';
const id = (name) => document.getElementById(name), root = document.documentElement;
const token = document.querySelector('meta[name=token]').content;
const json = (v) => JSON.stringify(v, null, 2);
const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });
const make = (tag, text, className) => {
  const e = document.createElement(tag);
  if (text !== undefined) e.textContent = text;
  if (className) e.className = className;
  return e;
};

/* ---- the program behind us ---- */
const ask = async (path, body, begun) => { /* begun: told the request's id as soon as it is on its way */
  const response = await fetch(path, { method: body === undefined ? 'GET' : 'POST', body, headers: { 'X-Preview': token } });
  if (!response.ok) throw Error('the preview answers ' + response.status);
  if (begun && response.headers.has('X-Request')) begun(Number(response.headers.get('X-Request')));
  const { error, events = [], ...rest } = await response.json();
  for (const e of events) note('server', 'host', e);
  if (error) throw Object.assign(Error(error.message), { code: error.code });
  return rest;
};
const relay = async (who, method, params = {}, begun) => {
  const q = new URLSearchParams({ who, method });
  if (method === 'tools/call') q.set('name', params.name ?? '');
  if (method === 'resources/read') q.set('uri', params.uri ?? '');
  const call = { who, method, params, at: Date.now() }, { arguments: args = {}, _meta: meta } = params;
  const lines = method !== 'tools/call' ? [{}] : meta && typeof meta === 'object' && !Array.isArray(meta) ? [args, meta] : [args];
  calls.push(call);
  try {
    const { result } = await ask('relay?' + q, lines.map((l) => JSON.stringify(l)).join('\n'), begun);
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
const shape = { '--font-sans': '"Preview Sans", system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif', '--border-radius-sm': '6px',
  '--border-radius-md': '8px', '--border-radius-lg': '12px', '--border-width-regular': '1px' };
/* Faces that a machine may have: nothing is fetched, and no policy forbids them. */
const face = (weight, suffix) => `@font-face { font-family: "Preview Sans"; font-weight: ${weight}; src: ` +
  ['Inter', 'Segoe UI', 'Roboto', 'DejaVu Sans'].map((name) => `local("${name}${suffix}")`).join(', ') + '; }';
const look = () => {
  const theme = root.dataset.theme, styles = { variables: { ...palette[theme], ...shape }, css: { fonts: face(400, '') + face(700, ' Bold') } };
  return id('styles').checked ? { theme, styles } : { theme };
};

/* ---- where the page is ---- */
const NONE = { top: 0, right: 0, bottom: 0, left: 0 }, PHONE = { ...NONE, top: 47, bottom: 34 };
const MODES = ['inline', 'fullscreen', 'pip'];
let place = '';
let wanted = 0, holding = 0; /* the height that the page wants; in a corner it is low, and when it comes back it has time to say better */
const setHeight = () => { if (wanted && shown && mode() === 'inline') shown.frame.style.height = Math.min(wanted, 4000) + 'px'; };
const mode = () => id('card').dataset.mode;
const whereabouts = () => {
  const { clientWidth: width, clientHeight: height } = id('frame'), inline = mode() === 'inline', notch = mode() === 'fullscreen' && id('card').dataset.width === '390';
  return { displayMode: mode(), safeAreaInsets: notch ? PHONE : NONE, containerDimensions: inline ? { width: width || 600, maxHeight: 4000 } : { width, height } };
};
const tellPlace = () => {
  const news = whereabouts(), text = json(news);
  if (shown && text !== place) shown.setContext(news);
  place = text;
};
const fullContext = () => ({ ...look(), ...whereabouts(), availableDisplayModes: MODES, locale: navigator.language,
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone, userAgent: 'mcp.h preview', platform: 'web',
  deviceCapabilities: { touch: navigator.maxTouchPoints > 0, hover: matchMedia('(hover: hover)').matches } });
const press = (group, value) => {
  for (const b of id(group).children) b.setAttribute('aria-pressed', b.dataset.value === value);
};
const picks = (group, f) => id(group).addEventListener('click', (e) => {
  if (e.target.dataset.value !== undefined) { press(group, e.target.dataset.value); f(e.target.dataset.value); }
});
const setMode = (to) => {
  press('mode', to);
  id('card').dataset.mode = to;
  id('back').hidden = to === 'inline';
  tellPlace();
  if (to === 'inline' && !holding) holding = setTimeout(() => { holding = 0; setHeight(); }, 300);
};
const offer = (modes) => {
  for (const b of id('mode').children) b.disabled = !modes.includes(b.dataset.value);
};
const comeBack = () => {
  if (mode() === 'inline') return;
  setMode('inline');
  id('mode').firstElementChild.focus();
};
const setTheme = (theme) => {
  press('theme', theme);
  root.dataset.theme = theme;
  if (shown) shown.setContext(look());
};
picks('theme', setTheme);
picks('width', (value) => {
  id('card').dataset.width = value;
  id('card').style.width = value ? value + 'px' : '';
  tellPlace();
});
picks('mode', setMode);
id('back').addEventListener('click', comeBack);
document.addEventListener('keydown', (e) => { if (e.key === 'Escape') comeBack(); });
id('styles').addEventListener('change', () => { if (card) openCard({ ...card }); }); /* what a page has applied stays with it */
let settling;
new ResizeObserver(() => { clearTimeout(settling); settling = setTimeout(tellPlace, 100); }).observe(id('frame'));

/* ---- a card: a call and its result, from which its page can be shown again ---- */
let calming; /* a page that comes up is low, and then what it is */
const onPage = {
  'message': ({ from, to, message }) => note(from, to, message),
  'model-context': (params) => { context = params; draw(); },
  'say': (content) => {
    id('said').append(make('div', content.map((b) => b.text || '[' + b.type + ']').join('\n'), 'say'));
    id('said').lastChild.scrollIntoView({ block: 'nearest' });
  },
  'ready': ({ modes }) => { offer(modes); met(); },
  'mode': setMode,
  'size': ({ height }) => {
    if (height) wanted = height;
    if (height && !holding) setHeight();
    clearTimeout(calming);
    calming = setTimeout(() => { id('frame').style.minHeight = ''; }, 300);
  },
  'log': (params) => { logs.push(params); draw(); },
  'open': (url) => window.open(url, '_blank', 'noopener,noreferrer'),
  'save': () => {},
  'close': () => closeCard('the page asked for it')
};
const asCard = (it) => {
  if (!it || typeof it.tool !== 'string') throw Error('This is no card: it names no tool.');
  return it;
};
const leave = async (reason) => {
  const old = shown;
  shown = null;
  offer([]);
  if (old) await old.teardown(reason);
  setMode('inline');
};
const closeCard = async (reason) => {
  card = null;
  await leave(reason);
  if (card) return; /* another one, meanwhile */
  id('card').hidden = true;
  id('empty').hidden = false;
  sessionStorage.removeItem('card');
  draw();
};
let met = () => {}, ready = null;
const showPage = async (mine, tool, uri, written) => {
  const { result, missing } = await ask('open?' + new URLSearchParams({ who: 'host', method: 'resources/read', uri }), '');
  if (missing) throw Error(uri + ': ' + missing);
  if (card !== mine) return;
  pageInfo = { uri, ...result };
  calls.push({ who: 'host', method: 'resources/read', params: { uri }, result: { csp: result.csp }, ms: 0 });
  ready = new Promise((done) => { met = done; });
  place = json(whereabouts());
  wanted = 0;
  shown = mcpHost.create({ container: id('frame'), url: result.url, policy: result.csp, html: result.html, ui: result.ui || {}, tool,
    id: mine.id, input: written ? undefined : mine.arguments, result: mine.result, context: fullContext(),
    send: (method, params) => relay('app', method, params),
    mayCall: (name) => isFor(toolNamed(name), 'app'), on: (event, detail) => onPage[event](detail) });
  if (mine.failed) shown.cancel(mine.failed);
};

/* Calls the card's tool: done when the request is out, end when it is answered. */
const start = (mine) => new Promise((done) => {
  const begun = (request) => { mine.id = request; done({ end }); };
  const end = relay('host', 'tools/call', { name: mine.tool, arguments: mine.arguments }, begun)
    .then((result) => { mine.result = result; }, (e) => { mine.failed = e.message; fail(e); })
    .then(() => done({ end }));
});

/* Has the page see the arguments being written, as a model does, for about a second. */
const play = async (mine, text) => {
  await Promise.race([ready, pause(3000)]);
  const step = Math.ceil(text.length / 50);
  for (let n = step; card === mine && shown && n < text.length; n += step) {
    shown.setPartial(text.slice(0, n));
    await pause(25);
  }
};

/* call: its tool is called. text: its arguments, which are played before; the page does not know them. */
const openCard = async (next, call = false, text = '') => {
  const height = card && card.tool === next.tool && shown ? id('frame').offsetHeight : 0;
  const mine = card = next, tool = toolNamed(mine.tool) || { name: mine.tool, inputSchema: { type: 'object' } }, uri = uiOf(tool).resourceUri;
  await leave('another card');
  if (card !== mine) return;
  context = pageInfo = null;
  log.length = 0;
  id('card-title').textContent = tool.title || tool.name;
  id('card').hidden = false;
  id('empty').hidden = true;
  id('plain').hidden = !!uri;
  clearTimeout(calming);
  id('frame').style.minHeight = uri ? height + 'px' : ''; /* loaded again, it is as high again: nothing jumps */
  id('frame').replaceChildren();
  id('said').replaceChildren();
  const written = text && uri, early = call && !written ? await start(mine) : null;
  const opening = uri ? showPage(mine, tool, uri, written) : Promise.resolve();
  opening.catch(fail); /* it is waited for below */
  if (written) {
    await opening;
    await play(mine, text);
    if (card !== mine) return;
  }
  const running = early || (call ? await start(mine) : null);
  if (written && card === mine && shown) shown.setInput(mine.arguments, mine.id);
  if (running) await running.end;
  await opening;
  if (card !== mine) return;
  if (shown && call) mine.failed ? shown.cancel(mine.failed) : shown.setResult(mine.result);
  if (!uri) id('plain').textContent = mine.result ? modelText(mine.result) : mine.failed;
  sessionStorage.setItem('card', JSON.stringify(mine));
  draw();
};
const fail = (e) => { id('error').textContent = e.message; id('error').hidden = false; };
const run = async () => {
  id('error').hidden = true;
  id('call').disabled = true;
  try {
    const text = id('args').value || '{}';
    const args = JSON.parse(text);
    if (!args || Array.isArray(args) || typeof args !== 'object') throw Error('Arguments are a JSON object.');
    await openCard({ tool: chosen.name, arguments: args }, true, id('stream').checked ? text : '');
  } catch (e) { fail(e); }
  id('call').disabled = false;
};
id('call').addEventListener('click', run);
id('args').addEventListener('keydown', (e) => { if (e.key === 'Enter' && (e.ctrlKey || e.metaKey) && !id('call').disabled) run(); });
id('close').addEventListener('click', () => closeCard('closed'));
id('reload').addEventListener('click', () => { if (card) openCard({ ...card }); });
id('save').addEventListener('click', () => {
  const a = make('a');
  a.href = URL.createObjectURL(new Blob([json(card)], { type: 'application/json' }));
  a.download = card.tool + '.card.json';
  a.click();
});
id('file').addEventListener('change', async () => {
  id('error').hidden = true;
  try { await openCard(asCard(JSON.parse(await id('file').files[0].text()))); } catch (e) { fail(e); }
  id('file').value = ''; /* the same again is a change, too */
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
const rows = new WeakMap();
const rowOf = (entry, made) => { /* the same as before, so that an open one stays open; of a call that is answered, another */
  const known = rows.get(entry), fresh = !known || known.ms !== entry.ms;
  if (fresh) rows.set(entry, { ms: entry.ms, row: made() });
  return rows.get(entry).row;
};
const callRow = (c) => row(c.who === 'host' ? 'model' : 'page', c.method + ' ' + (c.params.name || c.params.uri || ''),
  c.ms === undefined ? '…' : c.ms + ' ms', { params: c.params, result: c.result, error: c.error }, c.error || (c.result || {}).isError);
const logRow = (l) => row(l.from === 'page' || l.from === 'proxy' ? '→ host' : l.from === 'server' ? '→ server' : '← host',
  l.message.method || (l.message.error ? 'error' : 'result') + ' ' + l.message.id, (l.at / 1000).toFixed(2), l.message, l.message.error);
const newestFirst = (list, made) => list.slice().reverse().map((entry) => rowOf(entry, () => made(entry)));
const panels = {
  Model: () => card && card.result ? [...section('content', modelText(card.result)),
    ...(card.result.structuredContent ? section('structuredContent', json(card.result.structuredContent)) : []),
    make('p', card.result._meta ? '_meta stays with the page.' : '', 'soft')] : [make('p', 'What a tool says appears here.', 'soft')],
  Context: () => context ? [...(context.content || []).flatMap((b) => section(b.type, b.text || json(b))),
    ...(context.structuredContent ? section('structuredContent', json(context.structuredContent)) : [])]
    : [make('p', 'The page has not told the model anything.', 'soft')],
  Calls: () => newestFirst(calls, callRow),
  Protocol: () => newestFirst(log, logRow),
  Page: () => pageInfo ? [...section('URI', pageInfo.uri), ...section('Content-Security-Policy', pageInfo.csp.split('; ').join('\n')),
    ...section('declared', json(pageInfo.ui || {})), ...section('permissions', (shown && shown.frame.getAttribute('allow')) || 'none'),
    ...(logs.length ? section('log', logs.map((l) => l.level + ' ' + (typeof l.data === 'string' ? l.data : json(l.data))).join('\n')) : [])]
    : [make('p', 'No page is shown.', 'soft')]
};
const counts = { Calls: () => calls.length, Protocol: () => log.length };
let panel = 'Model', drawing = false;

/* The panel shows these: what is there already is not touched, nor is its scrolling or the focus. */
const fill = (nodes) => {
  const there = id('panel');
  nodes.forEach((node, i) => {
    const old = there.childNodes[i];
    if (old && (old === node || (!node.matches('.row') && old.isEqualNode(node)))) return;
    there.insertBefore(node, old || null);
  });
  while (there.childNodes.length > nodes.length) there.lastChild.remove();
};
const draw = () => {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    for (const b of id('tabs').children) {
      const on = b.dataset.name === panel;
      b.setAttribute('aria-selected', on);
      b.tabIndex = on ? 0 : -1;
      if (counts[b.dataset.name]) b.lastChild.textContent = counts[b.dataset.name]();
    }
    id('panel').setAttribute('aria-labelledby', 'tab-' + panel);
    fill(panels[panel]());
  });
};
for (const name of Object.keys(panels)) {
  const b = make('button', name);
  b.dataset.name = name;
  b.id = 'tab-' + name;
  b.setAttribute('role', 'tab');
  b.setAttribute('aria-controls', 'panel');
  b.append(make('i'));
  b.addEventListener('click', () => { panel = name; draw(); });
  id('tabs').append(b);
}
id('tabs').addEventListener('keydown', (e) => {
  const tabs = [...id('tabs').children], at = tabs.indexOf(e.target);
  const to = { ArrowRight: at + 1, ArrowLeft: at + tabs.length - 1, Home: 0, End: tabs.length - 1 }[e.key];
  if (to === undefined) return;
  e.preventDefault();
  tabs[to % tabs.length].focus();
  tabs[to % tabs.length].click();
});

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
  if (matchMedia('(prefers-color-scheme: dark)').matches) setTheme('dark');
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
  else if (state.card) await openCard(asCard(state.card));
  else if (state.tool && first) await run();
};
begin().catch(fail);
window.preview = { calls, log, get shown() { return shown; }, get context() { return context; }, get card() { return card; } };
})();
