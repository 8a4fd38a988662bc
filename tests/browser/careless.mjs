/* careless.mjs - a server over stdio that declares for its page what no policy and no frame can hold,
   and ends in the middle of a call */
import { createInterface } from 'node:readline';

const ui = { csp: { connectDomains: ['https://a.example', 'https://b.example; script-src *', 5], frameDomains: 'https://c.example', more: ['x'] },
  permissions: { camera: {}, bluetooth: {}, constructor: {} } };
const named = (name, resourceUri = 'ui://odd') => ({ name, inputSchema: { type: 'object' }, _meta: { ui: { resourceUri } } });
/* how: what it does once the host has answered; ready says that it is */
const page = (how, can = '{}') => `<!doctype html><title>odd</title><p>\u00fc</p><script>
  const say = (m) => parent.postMessage({ jsonrpc: '2.0', ...m }, '*');
  const ready = () => say({ method: 'ui/notifications/initialized', params: {} });
  addEventListener('message', (e) => { if (e.data.id === 1) { window.host = e.data.result; ${how}; } });
  say({ id: 1, method: 'ui/initialize', params: { protocolVersion: '2026-01-26', appInfo: { name: 'odd', version: '1' }, appCapabilities: ${can} } });
</script>`;
const answers = {
  'initialize': () => ({ protocolVersion: '2025-11-25', capabilities: { tools: {}, resources: {} }, serverInfo: { name: 'careless', version: '1' } }),
  'tools/list': () => ({ tools: [named('odd'), named('dies'), named('late', 'ui://late'), named('bytes', 'ui://bytes'), named('none', 'ui://none')] }),
  'tools/call': (id) => ({ content: [{ type: 'text', text: `request ${id}` }] }),
  'resources/read': (id, { uri }) => ({ contents: [{ uri, mimeType: uri === 'ui://none' ? 'text/html' : 'text/html;profile=mcp-app', _meta: { ui },
    ...(uri === 'ui://bytes' ? { blob: Buffer.from(page('ready()', 'null')).toString('base64') } : { text: page(uri === 'ui://late' ? 'window.ready = ready' : 'ready()') }) }] })
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'tools/call' && params.name === 'dies') { setTimeout(() => process.exit(1), 500); return; }
  const rest = answers[method] ? { result: answers[method](id, params) } : { error: { code: -32601, message: 'Method not found' } };
  if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...rest }) + '\n');
});
