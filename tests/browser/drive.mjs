/* drive.mjs BUILD OUT - every page in every host; the last line is N passed, N failed */
import { browse, done } from './harness.mjs';
import ours_in_official from './ours_in_official.mjs';
import bindings from './bindings.mjs';
import preview from './preview.mjs';

const [build, out] = process.argv.slice(2);
const browser = await browse();
for (const part of [ours_in_official, bindings, preview]) await part({ browser, build, out });
await browser.close();
done();
