// Node 20 lacks fs.globSync, which the suite imports and does not need for what we run: with this it
// starts there, too. Newer ones have it.
import * as fs from 'node:fs';
import { register } from 'node:module';

const hooks = `
  export const resolve = (name, context, next) => name === 'fs' && /conformance[^/]*\\/dist\\//.test(context.parentURL)
    ? { url: 'with:globSync', shortCircuit: true } : next(name, context);
  export const load = (url, context, next) => url === 'with:globSync'
    ? { format: 'module', shortCircuit: true, source: "export * from 'node:fs'; export { default } from 'node:fs'; export const globSync = () => [];" } : next(url, context);`;
if (!('globSync' in fs)) register(`data:text/javascript,${encodeURIComponent(hooks)}`);
