// The questions of calls.jsonl, and their answers by the page's WebAssembly: node calls.mjs FOLDER
import fs from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';

const own = import.meta.dirname;
const examples = path.join(own, '../../viz/page/examples');
const read = (file) => fs.readFileSync(file, 'utf8');
// A text is one of the page's examples, some of which are a case before a text of kernels/triton, or a file of kernels/.
export const text_of = (name) => {
  const file = [path.join(own, 'kernels', name), path.join(examples, name)].find(fs.existsSync);
  return file ? read(file) : read(path.join(examples, name.replace('.py', '.head'))) + read(path.join(own, '../../kernels/triton', name));
};
const question_of = ({ask, swap}) => {
  if (!ask.text?.endsWith('.py')) return ask;
  let text = text_of(ask.text);
  for (const [from, to] of Object.entries(swap ?? {})) text = text.replace(from, () => to);
  return {...ask, text};
};
export const questions = () => fs.readFileSync(path.join(own, 'calls.jsonl'), 'utf8').trim().split('\n').map((line) => JSON.stringify(question_of(JSON.parse(line))));

export const wasm = async (folder) => {
  const make = createRequire(import.meta.url)(path.resolve(folder, 'tilescope.js'));
  const engine = await make({wasmBinary: fs.readFileSync(path.join(folder, 'tilescope.wasm')), print: () => {}});
  for (const name of fs.readdirSync(path.join(own, 'kernels'))) engine.FS.writeFile(name, fs.readFileSync(path.join(own, 'kernels', name)));
  return engine.cwrap('tilescope_call', 'string', ['string']);
};
