// server2.mjs [--http PORT] - by the official TypeScript SDK, version 2: both eras
import { createServer } from 'node:http';
import { acceptedContent, completable, createMcpHandler, inputRequired, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { z } from 'zod';

const text = (s) => ({ content: [{ type: 'text', text: String(s) }] });
const name = z.object({ name: z.string().describe('yours') });

function make() {
  const s = new McpServer({ name: 'peer', version: '1.0.0' }, { capabilities: { logging: {} } });
  s.registerTool('add', { description: 'Adds.', inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => text(a + b));
  s.registerTool('pick', { description: 'Picks.', inputSchema: z.object({ unit: z.enum(['celsius', 'fahrenheit']).default('celsius'), tags: z.array(z.string()).optional() }) }, (x) => text(JSON.stringify(x)));
  s.registerTool('fail', { description: 'Fails.' }, () => ({ ...text('boom'), isError: true }));
  s.registerTool('ask', { description: 'Asks.' }, (ctx) => {
    const who = acceptedContent(ctx.mcpReq.inputResponses, 'who', name);
    if (who) return text(`Hello ${who.name}`);
    if (ctx.mcpReq.inputResponses) return text('Nobody');
    return inputRequired({ inputRequests: { who: inputRequired.elicit({ message: 'Who are you?', requestedSchema: name }) } });
  });
  s.registerResource('hello', 'res://hello', { mimeType: 'text/plain' }, (uri) => ({ contents: [{ uri: uri.href, text: 'hello' }] }));
  s.registerResource('item', new ResourceTemplate('res://item/{id}', { list: undefined }), {}, (uri, { id }) => ({ contents: [{ uri: uri.href, text: id }] }));
  s.registerPrompt('greet', { description: 'Greets.', argsSchema: z.object({ who: completable(z.string(), (v) => ['Ada', 'Alan'].filter((n) => n.startsWith(v))) }) },
    ({ who }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Greet ${who}.` } }] }));
  return s;
}

if (process.argv[2] !== '--http') serveStdio(make);
else createServer(toNodeHandler(createMcpHandler(make))).listen(Number(process.argv[3]), '127.0.0.1');
