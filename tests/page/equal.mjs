// Every answer of the WebAssembly is the native program's, byte for byte: node equal.mjs tilescope_page_calls FOLDER
import assert from 'node:assert';
import {execFileSync} from 'node:child_process';
import path from 'node:path';
import {questions, wasm} from './calls.mjs';

const [native, folder] = process.argv.slice(2);
const asked = questions(), call = await wasm(folder);
const expected = execFileSync(path.resolve(native), {cwd: path.join(import.meta.dirname, 'kernels'), input: asked.join('\n') + '\n', maxBuffer: 2 ** 30}).toString().trimEnd().split('\n');
assert.equal(expected.length, asked.length);
let same = 0;
asked.forEach((question, i) => {
  const answer = call(question);
  if (answer === expected[i]) return ++same;
  let at = 0;
  while (answer[at] === expected[i][at]) ++at;
  console.error(`${question.slice(0, 120)}\n  native ...${expected[i].slice(Math.max(0, at - 60), at + 60)}\n  wasm   ...${answer.slice(Math.max(0, at - 60), at + 60)}`);
});
console.log(`${same} of ${asked.length} answers are the same, byte for byte`);
process.exitCode = same === asked.length ? 0 : 1;
