/* host.js - is the host of one page of an MCP App (MCP Apps 2026-01-26)

       const card = mcpHost.create({ container, url, policy, html, ui, tool, id, input, result, context, send, mayCall, on });

   url: where proxy.js is, under the page's policy and at an origin that is not ours. policy: that one.
   html: the page. ui: _meta.ui of its contents. tool, id, input: what opened it, the request's id and
   its arguments, as far as they are known. result: a CallToolResult, if it is there already.
   context: what the page is told of us; availableDisplayModes in it are those that we have, of which
   the page gets those that it can. send(method, params): to the server, for the page; a promise.
   mayCall(name): whether the page may call that tool. on(event, detail): ready {modes},
   message {from, to, message}, model-context, say, mode (its setContext is what the page is
   answered), size, log, close, open, save.
   card.setContext(news), setPartial(text): its arguments are being written, this is their beginning;
   setInput(input, id), setResult(result), cancel(reason), teardown(reason). */
const mcpHost = (() => {
'use strict';
const VERSION = '2026-01-26', N = 'ui/notifications/', CAP = 20 * 1024 * 1024;
const FEATURES = { camera: 'camera', microphone: 'microphone', geolocation: 'geolocation', clipboardWrite: 'clipboard-write' };
const DIRECTIVES = { connectDomains: 'connect-src', resourceDomains: 'script-src', frameDomains: 'frame-src', baseUriDomains: 'base-uri' };
const SANDBOX = 'allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox';
const refusal = (code, message) => Object.assign(Error(message), { code });

/* A name that is a file's and nothing more. */
const fileName = (uri) => {
  let name = String(uri).split(/[?#]/)[0].split('/').pop();
  try { name = decodeURIComponent(name); } catch (e) { /* as it is */ }
  name = name.split(/[/\\]/).pop().replace(/[\u0000-\u001f\u007f<>:"\\|?*]/g, '').replace(/^\.+/, '');
  return name.slice(0, 120) || 'file';
};
const bytesOf = ({ text, blob }) => {
  if (blob === undefined) return new TextEncoder().encode(text || '');
  try { return Uint8Array.from(atob(blob), (c) => c.charCodeAt(0)); } catch (e) { throw refusal(-32602, 'a blob is not base64'); }
};
const areBlocks = (list) => Array.isArray(list) && list.every((b) => b && typeof b === 'object');

/* What the beginning of a JSON object holds, as an object: what is open is closed. A text may be cut; a
   name, a number or a word that may go on is not there yet. null: nothing is. */
const TOKEN = /\s*(?:("(?:[^"\\]|\\[^u]|\\u[\da-f]{4})*)("?)|([{[])|([}\]])|([,:])|([^\s"{}[\],:]+))/iy;
const heal = (beginning) => {
  const open = [];            /* what closes it, the innermost last */
  let good = '', hanging = ''; /* what stands, closed; what does not without more: a comma, a name, a colon */
  const take = (value) => { good += hanging + value; hanging = ''; };
  TOKEN.lastIndex = 0;
  for (let at = 0, m; at < beginning.trimEnd().length && (m = TOKEN.exec(beginning)); at = TOKEN.lastIndex) {
    const [, text, quote, opens, closes, between, word] = m, name = open[open.length - 1] === '}' && !hanging.endsWith(':');
    if (opens) { take(opens); open.push(opens === '{' ? '}' : ']'); }
    else if (closes) { take(closes); open.pop(); }
    else if (between) hanging += between;
    else if (word) { if (TOKEN.lastIndex < beginning.length) take(word); }
    else if (quote) name ? hanging += text + quote : take(text + quote);
    else { /* the beginning ends in it, perhaps within an escape or half a character */
      const rest = beginning.slice(TOKEN.lastIndex);
      if (!/^(\\(u[\da-f]{0,3})?)?$/i.test(rest)) return null;
      if (!name) take(text.replace(/([\ud800-\udbff]|(?<=[^\\](\\\\)*)\\ud[89ab]..)$/i, '') + '"');
      break;
    }
  }
  try {
    const value = JSON.parse(good + open.reverse().join(''));
    return value && !Array.isArray(value) && typeof value === 'object' ? value : null;
  } catch (e) { return null; }
};

/* Of what a page declares, what it gets: sources that its policy has, permissions that there are. */
const grant = (ui, policy) => {
  const csp = {}, permissions = {}, wanted = ui.csp || {}, asked = ui.permissions || {};
  const sources = new Map(policy.split('; ').map((d) => { const [name, ...rest] = d.split(' '); return [name, rest]; }));
  for (const [key, name] of Object.entries(DIRECTIVES))
    if (Array.isArray(wanted[key])) csp[key] = wanted[key].filter((s) => (sources.get(name) || []).includes(s));
  for (const p of Object.keys(FEATURES)) if (asked[p]) permissions[p] = {};
  return { csp, permissions };
};

const create = ({ container, url, policy, html, ui = {}, tool, id, input, result, context = {}, send, mayCall, on }) => {
  const frame = document.createElement('iframe');
  const sandbox = grant(ui, policy), allow = Object.keys(sandbox.permissions).map((p) => FEATURES[p]);
  const { origin: there } = new URL(url), PROXY = N + 'sandbox-';
  const waiting = new Map();
  const ours = context.availableDisplayModes || ['inline'], about = () => id === undefined ? { tool } : { id, tool };
  let now = { ...context, availableDisplayModes: ours, toolInfo: about() }, ready = false, given = false, told = false, gone = false, number = 0, ended = null, part = '', said = now;

  const post = (message, to = 'page') => {
    on('message', { from: 'host', to, message });
    frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, there);
  };
  const notify = (method, params) => { if (ready) post({ method: N + method, params }); };
  const request = (method, params) => new Promise((resolve, reject) => {
    waiting.set(++number, { resolve, reject });
    post({ id: number, method, params });
  });

  /* Its call, once per life of the page: the input, and what came of it, each when it is there. */
  const tell = () => {
    if (!ready || told || input === undefined) return;
    if (!given) notify('tool-input', { arguments: input });
    given = true;
    if (result) notify('tool-result', result);
    else if (ended !== null) notify('tool-cancelled', { reason: ended });
    told = !!result || ended !== null;
  };

  const save = async (item) => {
    let resource = item.resource;
    if (item.type === 'resource_link') resource = (await send('resources/read', { uri: item.uri })).contents[0];
    if (!resource) throw refusal(-32602, 'nothing to save');
    const bytes = bytesOf(resource), name = fileName(resource.uri);
    if (bytes.length > CAP) return false;
    const a = document.createElement('a');
    a.href = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }));
    a.download = name;
    a.click();
    setTimeout(() => URL.revokeObjectURL(a.href), 10000);
    on('save', { name, size: bytes.length });
    return true;
  };

  const serverMethods = ['resources/read', 'resources/list', 'resources/templates/list'];
  const asked = new Map(Object.entries({
    'ui/initialize': ({ appCapabilities }) => {
      const { availableDisplayModes: its } = appCapabilities || {};
      ready = false; /* a page that was loaded again begins again */
      said = now = { ...now, availableDisplayModes: ours.filter((m) => m === 'inline' || !Array.isArray(its) || its.includes(m)) };
      return { protocolVersion: VERSION, hostInfo: { name: 'mcp.h preview', version: '1.0.0' },
        hostCapabilities: { openLinks: {}, downloadFile: {}, serverTools: {}, serverResources: {}, logging: {},
          updateModelContext: { text: {}, structuredContent: {} }, message: { text: {} }, sandbox },
        hostContext: now };
    },
    'ping': () => ({}),
    'tools/call': async (params) => {
      if (!mayCall(params.name)) throw refusal(-32602, `The app can't call the tool "${params.name}".`);
      return send('tools/call', params);
    },
    'ui/update-model-context': (params) => {
      if (!areBlocks(params.content || [])) throw refusal(-32602, 'content is a list of blocks');
      on('model-context', params);
      return {};
    },
    'ui/message': ({ role, content }) => {
      if (role !== 'user' || !areBlocks([].concat(content))) return { isError: true };
      on('say', [].concat(content));
      return {};
    },
    'ui/open-link': ({ url: link }) => {
      let parsed;
      try { parsed = new URL(link); } catch (e) { return { isError: true }; }
      if (!['http:', 'https:', 'mailto:'].includes(parsed.protocol)) return { isError: true };
      on('open', parsed.href);
      return {};
    },
    'ui/request-display-mode': ({ mode }) => {
      if (now.availableDisplayModes.includes(mode)) on('mode', mode);
      return { mode: now.displayMode };
    },
    'ui/download-file': async ({ contents }) => {
      if (!areBlocks(contents)) throw refusal(-32602, 'contents is a list of resources and links');
      for (const item of contents) if (!await save(item)) return { isError: true };
      return {};
    }
  }));
  for (const method of serverMethods) asked.set(method, (params) => send(method, params));

  const heard = new Map(Object.entries({
    [N + 'initialized']: () => {
      ready = true;
      given = told = false;
      part = '';
      const news = Object.entries(now).filter(([key, value]) => said[key] !== value); /* since it asked */
      if (news.length) notify('host-context-changed', Object.fromEntries(news));
      on('ready', { modes: now.availableDisplayModes });
      tell();
    },
    [N + 'size-changed']: (params) => on('size', params),
    [N + 'request-teardown']: () => on('close'),
    'notifications/message': (params) => on('log', params)
  }));

  const listen = async ({ source, origin, data: m }) => {
    if (source !== frame.contentWindow || origin !== there || !m || m.jsonrpc !== '2.0') return;
    const proxy = typeof m.method === 'string' && m.method.startsWith(PROXY); /* it passes on no such thing */
    on('message', { from: proxy ? 'proxy' : 'page', to: 'host', message: m });
    if (m.method === PROXY + 'proxy-ready') {
      ready = false;
      post({ method: PROXY + 'resource-ready', params: { html, sandbox: SANDBOX, ...sandbox } }, 'proxy');
    }
    if (proxy) return;
    if (!m.method) {
      const w = waiting.get(m.id);
      waiting.delete(m.id);
      if (w) m.error ? w.reject(Error(m.error.message)) : w.resolve(m.result);
      return;
    }
    if (m.id === undefined) {
      const f = heard.get(m.method);
      if (f && !gone) f(m.params || {});
      return;
    }
    try {
      const f = asked.get(m.method);
      if (!f) throw refusal(-32601, `Method not supported by this host: ${m.method}`);
      post({ id: m.id, result: await f(m.params || {}) });
    } catch (e) {
      if (frame.contentWindow) post({ id: m.id, error: { code: e.code || -32603, message: e.message } });
    }
  };

  frame.setAttribute('sandbox', SANDBOX + ' allow-same-origin'); /* the proxy's own; the page has none */
  if (allow.length) frame.setAttribute('allow', allow.join('; '));
  frame.title = tool.title || tool.name;
  frame.src = url;
  window.addEventListener('message', listen);
  container.replaceChildren(frame);

  return {
    frame,
    setContext: (news) => { now = { ...now, ...news }; notify('host-context-changed', news); },
    setPartial: (text) => {
      const args = input === undefined && ready ? heal(text) : null, news = JSON.stringify(args);
      if (args && news !== part) notify('tool-input-partial', { arguments: args });
      part = news;
    },
    setInput: (args, request) => {
      if (input !== undefined) return;
      if (request !== undefined) {
        id = request;
        now = { ...now, toolInfo: about() };
        notify('host-context-changed', { toolInfo: now.toolInfo });
      }
      input = args;
      tell();
    },
    setResult: (r) => { result = r; tell(); },
    cancel: (reason) => { ended = reason; tell(); },
    teardown: async (reason) => { /* a page has 1.5 seconds to save what it must */
      if (gone) return;
      gone = true;
      const slow = new Promise((done) => { setTimeout(done, 1500); });
      if (ready) await Promise.race([request('ui/resource-teardown', { reason }).catch(() => {}), slow]);
      window.removeEventListener('message', listen);
      frame.remove();
    }
  };
};
return { create, fileName, heal };
})();
