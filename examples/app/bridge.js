/* bridge.js - the page side of MCP Apps 2026-01-26; HTML bound to tools

   data-mcp-input="city"   the argument of that name, for every tool that takes it
   data-mcp-output="a.b"   shows that member of a result's _meta[config.view] or structuredContent,
       or "$text"; data-mcp-as="text|html|image|table" (html: on trust)
   data-mcp-call="tool"    a button: calls it
   data-mcp-error          why a call failed
   <script id="mcp-config" type="application/json"> {"name", "version", "view", "modes", "tools":
   {NAME: {"args", "trigger": "debounce|change|submit|manual", "wait", "destructive"}}, "alone":
   {NAME: RESULT without a host}}. The tool that opened the page adds itself; what destroys, or does
   not only read, runs by a click. Safe areas pad <html>; also: --safe-area-top ...
   mcp.ready: whether it is alone. The rest of mcp: the end; mcp.on(EVENT, f): input partial result
   cancelled context teardown error. */
(() => {
'use strict';
const root = document.documentElement, host = parent === self ? null : parent, { keys } = Object;
const all = (what) => [...document.querySelectorAll('[data-mcp-' + what + ']')];
const given = document.getElementById('mcp-config')?.textContent || '{}';
const config = { tools: {}, alone: {}, ...JSON.parse(given) };
const tools = {}, waiting = new Map(), listeners = {}, last = {}, timers = {}, runs = {};
const fonts = document.head.appendChild(document.createElement('style'));
let context = {}, number = 0, alone = !host, height, settle;
const ready = new Promise((done) => { settle = done; });

/* ---- messages ---- */
const UI = 'ui/notifications/';
const post = (message) => host?.postMessage({ jsonrpc: '2.0', ...message }, '*');
const notify = (method, params = {}) => post({ method, params });
const request = (method, params, own) => new Promise((resolve, reject) => { /* own: alone */
  if (alone) return own ? resolve(own) : reject(Error(method + ': there is no host'));
  waiting.set(++number, ({ id, error, result }) => {
    waiting.delete(id);
    error ? reject(Object.assign(Error(error.message), error)) : resolve(result);
  });
  post({ id: number, method, params });
});
const accepted = (method, params) => request(method, params).then((result) => {
  if (result?.isError) throw Error(method + ': the host said no');
});
const emit = (event, value) => {
  last[event] = [value];
  return Promise.all((listeners[event] || []).map(async (f) => f(value))).catch(console.error);
};
const on = (event, f) => { /* and what was before */
  (listeners[event] ??= []).push(f);
  if (last[event]) Promise.resolve(last[event][0]).then(f);
};

/* ---- the host ---- */
const setFonts = (css) => { /* no rule that styles the page */
  fonts.textContent = css;
  const { sheet } = fonts, faces = /^@(font-face|import)/;
  for (let i = sheet?.cssRules.length; i > 0; i--)
    if (!faces.test(sheet.cssRules[i - 1].cssText)) sheet.deleteRule(i - 1);
};
const applyContext = (news) => {
  const styles = news.styles || {}, old = context.styles || {}, insets = news.safeAreaInsets || {};
  const variables = { ...old.variables, ...styles.variables };
  const set = (name, value) => root.style.setProperty(name, value);
  context = { ...context, ...news, styles: { ...old, ...styles, variables } };
  if (news.theme) root.style.colorScheme = root.dataset.theme = news.theme;
  if (news.displayMode) root.dataset.displayMode = news.displayMode;
  root.lang ||= context.locale || '';
  for (const name of keys(variables)) if (name.startsWith('--')) set(name, variables[name]);
  for (const side of keys(insets)) {
    const length = insets[side] + 'px';
    set('--safe-area-' + side, length);
    set('padding-' + side, insets[side] ? length : '');
  }
  if (styles.css) setFonts(styles.css.fonts || '');
  if (news.toolInfo) addTool(news.toolInfo.tool);
  emit('context', context);
};
const reportSize = () => {
  const now = Math.ceil(root.getBoundingClientRect().height);
  if (now !== height) notify(UI + 'size-changed', { height: height = now });
};

/* ---- inputs ---- */
const valueOf = (e) => {
  if (e.type === 'checkbox') return e.checked;
  if (e.multiple) return [...e.selectedOptions].map((o) => o.value);
  if (e.value === '' || (e.type === 'radio' && !e.checked)) return;
  return /number|range/.test(e.type) ? Number(e.value) : e.value;
};
const getInputs = (names) => {
  const values = {};
  for (const e of all('input')) {
    const value = valueOf(e), name = e.dataset.mcpInput;
    if (value !== undefined && (!names || names.includes(name))) values[name] = value;
  }
  return values;
};
const setInputValue = (name, value) => { /* no tool runs */
  for (const e of all('input').filter((i) => i.dataset.mcpInput === name)) {
    if (e.type === 'checkbox') e.checked = !!value;
    else if (e.type === 'radio') e.checked = e.value === String(value);
    else if (e.multiple) for (const o of e.options) o.selected = [].concat(value).includes(o.value);
    else e.value = text(value);
  }
};

/* ---- outputs ---- */
const text = (v) => v == null ? '' : typeof v === 'object' ? JSON.stringify(v) : v;
const element = (tag, value) => {
  const e = document.createElement(tag);
  Array.isArray(value) ? e.append(...value) : e.textContent = text(value);
  return e;
};
const row = (tag, cells) => element('tr', cells.map((c) => element(tag, text(c))));
const table = (e, value) => { /* objects, or {columns, rows} */
  const rows = value.rows || value;
  const columns = value.columns || keys(Object.assign({}, ...rows));
  const cells = rows.map((r) => row('td', Array.isArray(r) ? r : columns.map((c) => r[c])));
  e.replaceChildren(element('thead', [row('th', columns)]), element('tbody', cells));
};
const show = (e, value) => {
  const own = { IMG: 'image', TABLE: 'table' }[e.tagName], as = e.dataset.mcpAs || own;
  const tag = { image: 'img', table: 'table' }[as], inner = tag && own !== as ? element(tag) : e;
  if (inner !== e) e.replaceChildren(inner);
  if (as === 'table') table(inner, value);
  else if (as === 'image')
    inner.src = value.data ? `data:${value.mimeType};base64,${value.data}` : value;
  else if (as === 'html') e.innerHTML = value;
  else e.textContent = text(value);
};
const textOf = ({ content = [] }) =>
  content.filter((b) => b.type === 'text').map((b) => b.text).join('\n');
const find = (result, name) => {
  if (name === '$text') return textOf(result);
  for (let v of [result._meta?.[config.view], result.structuredContent]) {
    for (const key of name.split('.')) v = v?.[key];
    if (v != null) return v;
  }
};
const showError = (why) => {
  for (const e of all('error')) { e.textContent = why; e.hidden = !why; }
  if (why) emit('error', why);
};
const render = (result) => {
  showError(result.isError ? textOf(result) || 'The tool failed.' : '');
  for (const e of result.isError ? [] : all('output')) {
    const value = find(result, e.dataset.mcpOutput);
    if (value != null) show(e, value);
  }
  emit('result', result);
};

/* ---- tools ---- */
const addTool = ({ name, inputSchema, annotations: hints = {} }) => {
  const args = inputSchema?.properties && keys(inputSchema.properties);
  tools[name] = { args, trigger: 'debounce', wait: 250, ...config.tools[name] };
  if (hints.destructiveHint || hints.readOnlyHint === false) tools[name].destructive = true;
};
const callTool = (name, args = {}, more) =>
  request('tools/call', { name, arguments: args, ...more }, config.alone[name]);
const run = (name) => { /* the newest answer is shown */
  const turn = runs[name] = (runs[name] || 0) + 1;
  const newest = (f) => (v) => turn === runs[name] && (root.removeAttribute('aria-busy'), f(v));
  clearTimeout(timers[name]);
  root.setAttribute('aria-busy', 'true');
  return callTool(name, getInputs(tools[name]?.args))
    .then(newest(render), newest((e) => showError(e.message)));
};
const submit = async (name) => {
  if (tools[name]?.destructive) throw Error(name + ' waits for a click');
  return run(name);
};
const changed = (e, trigger) => {
  const input = e.target.dataset.mcpInput;
  for (const name of input ? keys(tools) : []) {
    const tool = tools[name], takes = !tool.args || tool.args.includes(input);
    if (tool.destructive || tool.trigger !== trigger || !takes) continue;
    clearTimeout(timers[name]);
    timers[name] = setTimeout(run, trigger === 'debounce' ? tool.wait : 0, name);
  }
};
const listen = (event, f) => document.addEventListener(event, f);
listen('input', (e) => changed(e, 'debounce'));
listen('change', (e) => changed(e, 'change'));
listen('keydown', (e) => { /* a form would take Enter for a click on its first button */
  if (e.key !== 'Enter' || e.target.tagName !== 'INPUT' || e.target.dataset.mcpCall) return;
  e.preventDefault();
  changed(e, 'submit');
});
listen('submit', (e) => e.preventDefault());
listen('click', (e) => {
  const name = e.target.closest('[data-mcp-call]')?.dataset.mcpCall, tool = tools[name];
  const link = !alone && e.target.closest('a[href*=":"]');
  if (name && (e.isTrusted || (tool && !tool.destructive))) run(name);
  if (name || link) e.preventDefault();
  if (link) openLink(link.href).catch((why) => showError(why.message));
});

/* ---- to the host ---- */
const blocks = (v) => typeof v === 'string' ? [{ type: 'text', text: v }] : v;
const openLink = (url) => accepted('ui/open-link', { url });
const downloadFile = (name, mimeType, data) => { /* text, or bytes */
  const resource = { uri: 'file:///' + encodeURIComponent(name), mimeType };
  if (typeof data === 'string') resource.text = data;
  else resource.blob = btoa(Array.from(data, (b) => String.fromCharCode(b)).join(''));
  return accepted('ui/download-file', { contents: [{ type: 'resource', resource }] });
};

/* ---- from the host ---- */
const heard = { __proto__: null,
  [UI + 'tool-input']: ({ arguments: args = {} }) => {
    for (const name of keys(args)) setInputValue(name, args[name]);
    emit('input', args);
  },
  [UI + 'tool-input-partial']: ({ arguments: args = {} }) => emit('partial', args),
  [UI + 'tool-result']: render,
  [UI + 'tool-cancelled']: ({ reason = '' }) => {
    showError('Cancelled. ' + reason);
    emit('cancelled', reason);
  },
  [UI + 'host-context-changed']: applyContext,
  'ping': () => ({}),
  'ui/resource-teardown': async ({ reason }) => {
    Object.values(timers).forEach(clearTimeout);
    await emit('teardown', reason);
    return {};
  }
};
addEventListener('message', async ({ source, data: m }) => {
  if (!host || source !== host || !m || m.jsonrpc !== '2.0') return;
  if (!m.method) return waiting.get(m.id)?.(m);
  const f = heard[m.method], result = f && await f(m.params || {}), { id } = m;
  if (id === undefined) return;
  post(f ? { id, result } : { id, error: { code: -32601, message: 'Method not found' } });
});
const standAlone = () => {
  if (!mcp.host) settle(alone = true), root.dataset.mcpAlone = '';
};
const connect = async () => {
  keys(config.tools).forEach((name) => addTool({ name }));
  if (!host) return standAlone();
  setTimeout(standAlone, 1200);
  const answer = await request('ui/initialize', { protocolVersion: '2026-01-26',
    appInfo: { name: config.name || document.title || 'page', version: config.version || '0.0.0' },
    appCapabilities: { availableDisplayModes: config.modes || ['inline'] } });
  alone = false;
  delete root.dataset.mcpAlone;
  mcp.host = answer;
  applyContext(answer.hostContext || {});
  notify(UI + 'initialized');
  new ResizeObserver(reportSize).observe(root);
  settle(false);
};

window.mcp = { ready, on, submit, getInputs, setInputValue, callTool, openLink, downloadFile, render,
  readResource: (uri) => request('resources/read', { uri }),
  updateModelContext: (content = [], structuredContent) =>
    request('ui/update-model-context', { content: blocks(content), structuredContent }, {}),
  sendMessage: (content) => accepted('ui/message', { role: 'user', content: blocks(content) }),
  requestDisplayMode: async (mode) =>
    (await request('ui/request-display-mode', { mode }, { mode: 'inline' })).mode,
  log: (level, data) => notify('notifications/message', { level, data }),
  close: () => notify(UI + 'request-teardown'),
  getHostContext: () => context };
if (document.readyState === 'loading') listen('DOMContentLoaded', connect); else connect();
})();
