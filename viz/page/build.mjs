// Makes the folder that a static host hands out, and one HTML file with all of it: node build.mjs WASM_FOLDER OUT
import {createHash} from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import zlib from 'node:zlib';
import {build, transformSync} from 'esbuild';

const [wasm_folder, out] = process.argv.slice(2), own = path.dirname(fileURLToPath(import.meta.url));
fs.mkdirSync(out, {recursive: true});
await build({entryPoints: [path.join(own, 'src/main.js')], outfile: path.join(out, 'page.js'), bundle: true, loader: {'.py': 'text', '.head': 'text'}, minify: true, format: 'esm', target: 'es2022', logLevel: 'warning'});
fs.writeFileSync(path.join(out, 'page.css'), ['src/page.css', '../export/film.css'].map((name) => fs.readFileSync(path.join(own, name), 'utf8')).join(''));
for (const name of ['index.html', 'worker.js']) fs.copyFileSync(path.join(own, 'src', name), path.join(out, name));
fs.copyFileSync(path.join(wasm_folder, 'tilescope.wasm'), path.join(out, 'tilescope.wasm'));
fs.writeFileSync(path.join(out, 'tilescope.js'), transformSync(fs.readFileSync(path.join(wasm_folder, 'tilescope.js'), 'utf8'), {minify: true, target: 'es2022'}).code);

// One file. Its scripts are named by their hashes, so that nothing else runs in it, whatever a kernel is called.
const read = (name) => fs.readFileSync(path.join(out, name), 'utf8');
const in_script = (text) => text.replace(/<\/script/gi, '<\\/script').replace(/<!--/g, '<\\!--');
const script = in_script(read('page.js'));
const worker = in_script(read('worker.js').replace("importScripts('tilescope.js');", () => read('tilescope.js')));
const wasm = zlib.gzipSync(fs.readFileSync(path.join(out, 'tilescope.wasm')), {level: 9}).toString('base64');
const hash = createHash('sha256').update(script).digest('base64');
const swap = (text, from, to) => {
  if (!text.includes(from)) throw new Error(`index.html has no ${from}`);
  return text.replace(from, () => to);
};
let page = read('index.html');
page = swap(page, "script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'",
  `script-src 'sha256-${hash}' 'wasm-unsafe-eval' blob:; worker-src blob:; style-src 'unsafe-inline'`);
page = swap(page, '<link rel="stylesheet" href="page.css">', `<style>${read('page.css')}</style>`);
page = swap(page, '<link rel="preload" as="fetch" href="tilescope.wasm" crossorigin>\n', '');
page = swap(page, '<script type="module" src="page.js"></script>',
  `<script type="text/plain" id="wasm">${wasm}</script>\n<script type="text/plain" id="worker">${worker}</script>\n<script type="module">${script}</script>`);
fs.writeFileSync(path.join(path.dirname(out), 'tilescope.html'), page);

const size = (name) => `${name} ${(zlib.gzipSync(fs.readFileSync(path.join(out, name)), {level: 9}).length / 1e6).toFixed(2)} MB`;
console.log(`${out}: ${['tilescope.wasm', 'page.js', 'tilescope.js'].map(size).join(', ')}, as gzip sends them`);
console.log(`${path.join(path.dirname(out), 'tilescope.html')}: ${(page.length / 1e6).toFixed(2)} MB`);
