// Files beside the text: .py that it imports, .npy that its case reads. They stay in this page, and the .py go with a link.
import {$, element} from './element.js';
import {give_files, given_files} from './interpreter.js';

const is_text = (name) => name.endsWith('.py');
const text_of = (file) => new TextDecoder().decode(file.bytes);
const stem = (name) => name.split('/').pop().replace(/\.py$/, '');
const imports = (text, name) => new RegExp(`^\\s*(from|import)\\s+[.\\w]*\\b${stem(name)}\\b`, 'm').test(text);

const show = () => $('file_list').replaceChildren(...given_files().map((f) =>
  is_text(f.name) ? element('details', {}, element('summary', {}, f.name), element('pre', {}, text_of(f))) : element('div', {}, `${f.name}: ${f.bytes.length} bytes`)));

export const keep_files = (list) => { give_files(list); show(); };
export const add_file = (file) => keep_files([...given_files().filter((f) => f.name !== file.name), file]);
export const arrays = () => given_files().map((f) => f.name).filter((name) => !is_text(name));

// As a link and a written page have them: {name, text}, or {name, base64}.
export const packed_files = () => given_files().filter((f) => is_text(f.name)).map((f) => ({name: f.name, text: text_of(f)}));
export const unpacked_files = (list) => (list ?? []).map(({name, text, base64}) =>
  ({name, bytes: text === undefined ? Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)) : new TextEncoder().encode(text)}));

// fla/ops/op.py: where `from fla.ops.op import exp` looks for op.py.
const place_of = (name, texts) => {
  const module = new RegExp(`^\\s*(?:from|import)\\s+\\.*((?:\\w+\\.)*${stem(name)})\\b(?!\\.)`, 'm');
  const found = texts.map((text) => module.exec(text)?.[1]).find(Boolean);
  return found ? `${found.replaceAll('.', '/')}.py` : name;
};

// Of files that come together, or beside `text`: the kernel's own text is the .py that no other one imports. null: there is none among them.
export const sorted_files = async (list, text) => {
  const all = await Promise.all([...list].map(async (f) => ({name: f.name, bytes: new Uint8Array(await f.arrayBuffer())})));
  const texts = all.filter((f) => is_text(f.name)), others = [text, ...texts.map(text_of)];
  const kernel = texts.find((f) => !others.some((other) => other !== text_of(f) && imports(other, f.name)));
  const helpers = all.filter((f) => f !== kernel && (is_text(f.name) || f.name.endsWith('.npy')));
  return {kernel: kernel ? text_of(kernel) : null, helpers: helpers.map((f) => (is_text(f.name) ? {...f, name: place_of(f.name, others)} : f)),
    refused: all.filter((f) => !is_text(f.name) && !f.name.endsWith('.npy')).map((f) => f.name)};
};
