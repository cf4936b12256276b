// The form of a case, made from the kernel's signature and its `# case:`: a field a word.
import {$, element} from './element.js';

let kernels = [], chosen = '', given = new Map(), on_change = () => {};

export const watch_case = (then) => { on_change = then; };
const kernel = () => kernels.find((k) => k.name === chosen) ?? kernels[0];
const said = (word) => given.get(word.name) ?? word.value;

export const show_case = (list, wanted = {}) => {
  kernels = list;
  if (wanted.kernel !== undefined) chosen = wanted.kernel;
  if (wanted.words) given = new Map(wanted.words.map((w) => [w.slice(0, w.indexOf('=')), w.slice(w.indexOf('=') + 1)]));
  const k = kernel();
  if (!k) return $('words').replaceChildren();
  chosen = k.name;
  const rows = [];
  if (kernels.length > 1)
    rows.push(element('label', {htmlFor: 'kernel'}, 'kernel'),
      element('select', {id: 'kernel', onchange: (e) => { chosen = e.target.value; given.clear(); show_case(kernels); on_change(); }},
        ...kernels.map((one) => element('option', {value: one.name, selected: one.name === chosen}, one.name))));
  for (const word of k.words) {
    const id = `word_${word.name}`;
    rows.push(element('label', {htmlFor: id, title: word.help}, word.name),
      element('input', {id, value: said(word), title: word.asked ?? word.help, placeholder: word.asked ?? word.help, required: !!word.asked, autocomplete: 'off', spellcheck: false,
        onchange: (e) => { given.set(word.name, e.target.value); on_change(); }}));
  }
  $('words').replaceChildren(...rows);
  if (!k.has_case) $('case').open = true;
};

// The words that the text does not say itself.
export const words = () => {
  const k = kernel();
  return k ? k.words.filter((w) => said(w) !== '' && (!k.has_case || said(w) !== w.value)).map((w) => `${w.name}=${said(w)}`) : [];
};
// The first field that the text does not tell and nobody filled in.
export const open_word = () => kernel()?.words.find((w) => w.asked && said(w) === '');
export const chosen_kernel = () => kernel()?.name ?? '';
export const is_guessed = () => kernel()?.has_case === false && kernel().words.some((w) => w.value !== '' && !given.has(w.name));
export const kernel_name = () => (kernels.length > 1 ? chosen : '');
// Whether an argument is filled from the file of that name.
export const reads = (name) => kernel()?.words.some((w) => said(w).endsWith(`@${name}`)) ?? false;

export const forget_words = () => { given.clear(); };

// x=@x.npy: the tensor of the file's name, of the field that it was dropped on, or the first one that no file fills.
export const read_from = (file, field) => {
  const tensors = kernel()?.words.filter((w) => /\[|@/.test(said(w)) && !said(w).startsWith('out:')) ?? [];
  const word = tensors.find((w) => `word_${w.name}` === field) ?? tensors.find((w) => file.startsWith(w.name.replace(/_(ptr|desc)$/, '')))
    ?? tensors.find((w) => !said(w).includes('@'));
  if (!word) return '';
  given.set(word.name, `@${file}`);
  show_case(kernels);
  $('case').open = true;
  return word.name;
};

// The text with its case at its head.
export const with_case = (text) => {
  const k = kernel();
  if (!k) return text;
  const quoted = (value) => (/[ ;]/.test(value) ? `'${value}'` : value);
  const defaults = new Set(['warps=4', 'stages=3']);
  const line = k.words.filter((w) => said(w) !== '' && !defaults.has(`${w.name}=${said(w)}`)).map((w) => `${w.name}=${quoted(said(w))}`).join(' ');
  const others = text.split('\n').filter((l) => !/^#\s*case:/.test(l)).join('\n');
  return `# case: ${line}\n${others}`;
};
