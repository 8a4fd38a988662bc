// server1.mjs [--http PORT] - by the official TypeScript SDK, version 1: with a handshake and sessions
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const text = (s) => ({ content: [{ type: 'text', text: String(s) }] });

function make() {
  const s = new McpServer({ name: 'peer', version: '1.0.0' }, { capabilities: { logging: {} } });
  s.registerTool('add', { description: 'Adds.', inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) => text(a + b));
  s.registerTool('pick', { description: 'Picks.', inputSchema: { unit: z.enum(['celsius', 'fahrenheit']).default('celsius'), tags: z.array(z.string()).optional() } }, (x) => text(JSON.stringify(x)));
  s.registerTool('fail', { description: 'Fails.' }, () => ({ ...text('boom'), isError: true }));
  s.registerTool('ask', { description: 'Asks.' }, async () => {
    const r = await s.server.elicitInput({ message: 'Who are you?', requestedSchema: { type: 'object', properties: { name: { type: 'string', description: 'yours' } }, required: ['name'] } });
    return text(r.action === 'accept' ? `Hello ${r.content.name}` : 'Nobody');
  });
  s.registerResource('hello', 'res://hello', { mimeType: 'text/plain' }, (uri) => ({ contents: [{ uri: uri.href, text: 'hello' }] }));
  s.registerResource('item', new ResourceTemplate('res://item/{id}', { list: undefined }), {}, (uri, { id }) => ({ contents: [{ uri: uri.href, text: id }] }));
  s.registerPrompt('greet', { description: 'Greets.', argsSchema: { who: completable(z.string(), (v) => ['Ada', 'Alan'].filter((n) => n.startsWith(v))) } },
    ({ who }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Greet ${who}.` } }] }));
  return s;
}

const sessions = new Map();
async function handle(req, res) {
  let transport = sessions.get(req.headers['mcp-session-id']);
  if (!transport) {
    transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, onsessioninitialized: (id) => sessions.set(id, transport) });
    await make().connect(transport);
  }
  await transport.handleRequest(req, res);
}

if (process.argv[2] !== '--http') await make().connect(new StdioServerTransport());
else createServer(handle).listen(Number(process.argv[3]), '127.0.0.1');
