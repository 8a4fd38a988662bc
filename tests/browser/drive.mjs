/* drive.mjs BUILD OUT SCHEMAS [PART...] - every page in every host; the last line is N passed, N failed */
import { browse, done } from './harness.mjs';
import official from './ours_in_official.mjs';
import bindings from './bindings.mjs';
import preview from './preview.mjs';
import units from './units.mjs';

const [build, out, schemas, ...wanted] = process.argv.slice(2);
const browser = await browse();
for (const [name, part] of Object.entries({ units, official, bindings, preview }))
  if (!wanted.length || wanted.includes(name)) await part({ browser, build, out, schemas });
await browser.close();
done();
