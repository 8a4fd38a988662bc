/* schema.mjs - what a host and a page say to each other, against the official JSON Schema of MCP Apps */
import Ajv from 'ajv/dist/2020.js';
import { readFileSync } from 'node:fs';

const RESULTS = { 'ui/initialize': 'McpUiInitializeResult', 'ui/open-link': 'McpUiOpenLinkResult', 'ui/message': 'McpUiMessageResult',
  'ui/download-file': 'McpUiDownloadFileResult', 'ui/request-display-mode': 'McpUiRequestDisplayModeResult',
  'ui/resource-teardown': 'McpUiResourceTeardownResult' };

/* The schema is generated, and in three places stricter than the text of the specification, which gives
   a subset of the variables, both dimensions at once, and the reason of a teardown. */
const mend = ($defs) => {
  const walk = (node) => {
    if (!node || typeof node !== 'object') return;
    const { variables, containerDimensions } = node.properties || {}, number = { type: 'number' };
    if (variables) delete variables.required;
    if (containerDimensions) node.properties.containerDimensions = { type: 'object', additionalProperties: false,
      properties: { width: number, maxWidth: number, height: number, maxHeight: number } };
    for (const child of Object.values(node)) walk(child);
  };
  walk($defs);
  $defs.McpUiResourceTeardownRequest.properties.params.properties.reason = { type: 'string' };
  return $defs;
};

/* Of a folder of schemas: wrong(NAME, value) is why it is none, or ''; judge(log) is how many messages
   of MCP Apps are in a log of { from, message }, and what is wrong with them. */
export const schemaOf = (folder) => {
  const $defs = mend(JSON.parse(readFileSync(`${folder}/apps-2026-01-26/schema.json`, 'utf8')).$defs);
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false }), compiled = new Map(), methods = new Map();
  for (const [name, d] of Object.entries($defs)) if (d.properties && d.properties.method) methods.set(d.properties.method.const, name);

  const wrong = (name, value) => {
    if (!compiled.has(name)) compiled.set(name, ajv.compile($defs[name]));
    const f = compiled.get(name);
    return f(value) ? '' : `${name}: ${ajv.errorsText(f.errors)}`;
  };
  const judge = (log) => {
    const pending = new Map(), complaints = [];
    let count = 0;
    const see = (name, value) => {
      if (!name) return; /* MCP's own */
      count++;
      const why = wrong(name, value);
      if (why) complaints.push(why);
    };
    for (const { from, message: { method, id, params, result } } of log) {
      const page = from === 'page';
      if (method && id !== undefined) pending.set(`${page} ${id}`, method);
      if (method && method.startsWith('ui/') && !methods.has(method)) complaints.push(`${method} is not of MCP Apps`);
      if (method) see(methods.get(method), { method, params });
      else if (result) see(RESULTS[pending.get(`${!page} ${id}`)], result);
    }
    return { count, complaints };
  };
  return { wrong, judge, names: (name) => Object.keys($defs[name].properties) };
};
