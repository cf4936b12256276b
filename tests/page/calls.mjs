// The questions of calls.jsonl, and their answers by the page's WebAssembly: node calls.mjs FOLDER
import fs from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';

const own = import.meta.dirname;
const question_of = ({ask, swap}) => {
  if (!ask.text?.endsWith('.py')) return ask;
  const file = [path.join(own, 'kernels', ask.text), path.join(own, '../../viz/page/examples', ask.text)].find(fs.existsSync);
  let text = fs.readFileSync(file, 'utf8');
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
