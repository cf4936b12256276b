// The page: a text, its case, Run; what was wrong at its line; the picture and the steps.
import {chosen_kernel, forget_words, is_guessed, kernel_name, open_word, read_from, reads, show_case, watch_case, with_case, words} from './case.js';
import {go_to_line, mark_lines, open_editor, set_text, show_diagnostics, show_line, text} from './editor.js';
import {$, element} from './element.js';
import {examples} from './examples.js';
import {add_file, arrays, keep_files, packed_files, sorted_files, unpacked_files} from './files.js';
import {ask, call, start, stop} from './interpreter.js';
import {check, check_boxes, close_lesson, lesson, lesson_options, open_lesson} from './lessons.js';
import {link_of, shared_by_link} from './link.js';
import {draw, open_pictures, panel, set_panel, show_tabs} from './picture.js';
import {go, moment, open_steps, show_moment, show_programs} from './steps.js';
import {is_in_frame, keep, kept} from './storage.js';
import {say} from './words.js';

const tell = (words) => { $('status').textContent = words; };
let faults = [], lit = 0, is_running = false, begun = '', drawn = '';

const paint = () => mark_lines([
  ...faults.filter((f) => f.line && !f.is_remark && !f.file).map((f) => [f.line, 'cm-fault']),
  ...(moment()?.line && !moment().file ? [[moment().line, 'cm-now']] : []),
  ...(lit > 0 ? [[lit, 'cm-lit']] : []),
]);

const fault_box = (f) => element('div', {className: f.is_remark ? 'remark' : 'fault'},
  f.file ? element('b', {}, `${f.file}:${f.line}: ${f.headline}`)
    : f.line ? element('button', {className: 'place', onclick: () => go_to_line(f.line)}, `${say('line {}: ', f.line)}${f.headline}`) : element('b', {}, f.headline),
  f.detail && element('pre', {}, f.detail), f.fix && element('div', {}, `fix: ${f.fix}`));

const verdict_box = (v) => {
  if (v.ok && v.is_checked) return element('div', {className: 'good'}, say('right: it {}, and no check found a fault', v.text));
  if (v.ok) return element('div', {className: 'good'}, "no fault, by every check; whether the outputs are right, expect='z = ...' in the case would tell");
  return element('div', {className: 'fault'}, element('b', {}, say('wrong: {}', v.text)), v.why && element('pre', {}, v.why));
};

const show_faults = () => {
  show_diagnostics(faults);
  show_line(faults.find((f) => f.line && !f.is_remark && !f.file)?.line ?? 0);
};

const show_result = (a) => {
  faults = a.error ? [{headline: a.error.split('\n')[0].replace(/^kernel\.py:\d+:(\d+:)? /, ''), detail: a.error.split('\n').slice(1).join('\n'), fix: a.fix, line: a.line, column: a.column}]
    : [...(a.faults ?? []), ...(a.remarks ?? []).map((r) => ({...r, is_remark: true, headline: `Triton itself refuses this: ${r.headline}`}))];
  const shown = faults.slice(0, 6);
  $('result').replaceChildren(...shown.map(fault_box), faults.length > 6 && element('p', {}, say('and {} more', faults.length - 6)), a.verdict && verdict_box(a.verdict),
    a.faults?.length && is_guessed() && element('p', {className: 'soft'}, 'The text tells no case, and the one below is a guess: where it is wrong, a tensor too small for instance, mend it there.'),
    ...(a.outputs ?? []).flatMap((t) => [element('h2', {}, `${t.name} ${t.type}`), element('pre', {}, t.text)]),
    ...(a.printed ? [element('h2', {}, 'printed'), element('pre', {}, a.printed)] : []),
    ...(a.notes ?? []).map((n) => element('p', {}, n)));
  for (const empty of [...$('result').childNodes]) if (empty.nodeType === 3) empty.remove();  // false, undefined
  show_faults();
};

const read_case = async (wanted) => {
  if (!lesson()) $('example').value = examples.findIndex((e) => e.text === text());
  if (text() !== begun) $('about').textContent = '';  // it tells of the text that stood there
  const read = await call({do: 'kernels', text: text()});
  if (read.kernels) show_case(read.kernels, wanted);
  return !!read.kernels;
};

const while_running = async (words, work) => {
  if (is_running) return;
  is_running = true;
  $('run').disabled = $('check').disabled = true;
  $('stop').disabled = false;
  tell(words);
  const answer = await work();
  is_running = false;
  $('run').disabled = $('check').disabled = false;
  $('stop').disabled = true;
  if (answer.programs?.length) $('right').classList.remove('empty', 'stale');
  else $('right').classList.add('stale');  // the pictures are of an earlier text
  return answer;
};

const show_run = async (a, at) => {
  $('answer').textContent = '';
  if (a.programs?.length) {
    show_programs(a.programs);
    if (drawn !== chosen_kernel() && drawn) set_panel(a.story);  // another kernel: in the picture that shows what it does
    drawn = chosen_kernel();
    await show_tabs();
    if (at) await go(at);
    else if (a.faults.length) await show_moment(a.at);
    else await go({panel: panel()});
  }
  paint();
};

const ask_for = (word) => {
  $('case').open = true;
  $(`word_${word.name}`).focus();
  show_result({error: `the case asks for ${word.name}`, fix: `fill in ${word.name}: ${word.asked}`});
  tell(`fill in ${word.name}`);
};

// The file that an error is about: an array of the case, or a module that the text imports.
const missing_file = (error) => {
  const module = /imported from \.*([\w.]+), and there is no such file/.exec(error)?.[1];
  return module ? `${module.split('.').pop()}.py` : /"([^"]+\.npy)" cannot be read/.exec(error)?.[1];
};

// `wanted`: {kernel, words, moment} of a link.
const run = async (wanted) => {
  let ms = 0;
  const a = await while_running(say('runs'), async () => {
    if (await read_case(wanted) && open_word()) return {asked: open_word()};
    const reply = await ask({do: 'run', text: text(), kernel: kernel_name(), words: words()});
    ms = reply.ms;
    return reply.answer;
  });
  if (!a) return;
  if (a.stopped) return tell(say('stopped'));
  if (a.asked) return ask_for(a.asked);
  show_result(a);
  const complaint = keep(lesson() ? `text ${lesson().lesson}` : 'text', text());
  const lost = missing_file(a.error ?? '');
  if (lost) $('case').open = true;
  tell(complaint || (lost ? `${lost} is not in this page: choose it, or drop it here` : '') || (a.programs?.length ? say('{} programs, {} ms', a.programs.length, ms.toFixed(0)) : say('it did not run')));
  await show_run(a, wanted?.moment);
};

const check_lesson = async () => {
  const began = performance.now();
  let checked, complaint;
  const a = await while_running(say('checks'), async () => {
    ({answer: checked, complaint} = await check(text()));
    return checked.run ?? {stopped: checked.stopped};
  });
  if (!a) return;
  if (checked.stopped) return tell(say('stopped'));
  if (checked.error) return show_result(checked), tell(say('it did not run'));
  show_result({});
  faults = checked.finding ? [checked.finding] : [];
  $('result').replaceChildren(...check_boxes(checked, go_to_line, async (name) => { await begin_lesson(name); $('lesson').focus(); }), element('p', {className: 'soft'}, say('The picture and the steps are of the run with {}.', checked.shown)));
  show_faults();
  tell(complaint || say('checked in {} ms', (performance.now() - began).toFixed(0)));
  if (checked.ok) await fill_examples();
  await show_run(a);
};

const begin_lesson = async (name) => {
  const begun = await open_lesson(name, begin_lesson);
  if (!begun) return tell(`there is no lesson ${name} here`);
  start_from({...begun, about: ''});
  $('example').value = `lesson ${name}`;
  $('check').hidden = false;
  $('result').replaceChildren();
  $('right').classList.add('empty');
  tell(say('guess, write the kernel, then Check'));
};

const start_from = (example, wanted) => {
  if (!example.sections) close_lesson();
  $('check').hidden = !lesson();
  forget_words();
  keep_files(unpacked_files(example.files));
  set_panel(wanted?.panel ?? example.panel ?? 'offsets');
  drawn = '';
  $('about').textContent = example.about ?? '';
  begun = example.text;
  set_text(begun);
};

const share = async () => {
  const at = moment();
  const link = await link_of({text: text(), kernel: kernel_name(), words: words(), panel: panel(), files: packed_files(), moment: at && {program: at.program, step: at.step}});
  history.replaceState(null, '', link);
  const left_out = arrays().filter(reads);
  const rest = `it holds the text, its case, the step and the picture${left_out.length ? `, but not ${left_out.join(', ')}` : ''}`;
  try {
    await navigator.clipboard.writeText(link);
    tell(`a link of ${link.length} characters is in the clipboard: ${rest}`);
  } catch { tell(`the address above is the link: ${rest}`); }
};

const set_theme = (name) => { document.documentElement.dataset.theme = name; };

// A kernel's .py, files that it imports, arrays for its arguments.
const take_files = async (list, field = '') => {
  const {kernel, helpers, refused} = await sorted_files(list, text());
  if (refused.length) return tell(`${refused[0]} is neither a kernel's .py nor an argument's .npy`);
  if (kernel !== null) start_from({text: kernel});
  helpers.forEach(add_file);
  await read_case();
  const read = helpers.filter((f) => f.name.endsWith('.npy')).map((f) => [f.name, read_from(f.name, field)]);
  const lost = read.find(([, word]) => !word);
  if (lost) return tell(`no argument takes ${lost[0]}: fill in one in the case, x=@${lost[0]}`);
  await run();
};

const first = async () => {
  try {
    const shared = await shared_by_link();
    if (shared) return [shared, {kernel: shared.kernel, words: shared.words, moment: shared.moment, panel: shared.panel}];
  } catch { return [{...examples[0], about: 'This link is damaged: it holds no text that can be read. Here is a kernel to begin with instead.'}, {}]; }
  const given = JSON.parse($('given').textContent);
  if (given) return [given, given];
  const last = kept('text');
  return last && !examples.some((e) => e.text === last) ? [{text: last, panel: 'offsets'}, {}] : [examples[0], {}];
};

const fill_examples = async () => {
  const chosen = $('example').value;
  const lessons = await lesson_options();
  $('example').replaceChildren(element('option', {value: -1}, 'a kernel of yours'),
    element('optgroup', {label: 'kernels'}, ...examples.map((e, i) => element('option', {value: i}, e.name))),
    ...(lessons.length ? [element('optgroup', {label: 'lessons'}, ...lessons)] : []));
  $('example').value = chosen;
};

const begin = async () => {
  set_theme(kept('theme') ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'));
  const standing = Promise.resolve().then(start);  // it compiles beside what follows
  standing.catch(() => {});  // told below
  let pause = 0;
  const run_or_check = () => (lesson() ? check_lesson() : run());
  document.addEventListener('keydown', (e) => {
    if (!(e.ctrlKey || e.metaKey) || e.key !== 'Enter' || e.defaultPrevented) return;  // the editor has it, too
    e.preventDefault();
    run_or_check();
  });
  open_editor($('editor'), {on_run: run_or_check, on_change: () => { clearTimeout(pause); pause = setTimeout(() => { if (!is_running) read_case(); }, 500); }});
  open_pictures({on_point: (line) => { lit = line; paint(); }, on_go: (program, step) => go({program, step}), on_choose: draw});
  open_steps((at) => { paint(); if (at.line && !at.file) show_line(at.line); });
  watch_case(() => run());
  $('check').onclick = check_lesson;
  $('example').onchange = (e) => {
    if (e.target.value.startsWith('lesson ')) return begin_lesson(e.target.value.slice('lesson '.length));
    start_from(examples[e.target.value] ?? {text: '', about: 'Paste a kernel in Triton\'s Python; its case is asked for below it.'});
    if (text()) run();
  };
  $('run').onclick = () => run();
  $('stop').onclick = stop;
  $('share').onclick = share;
  $('share').hidden = is_in_frame;
  $('theme').onclick = () => { set_theme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'); keep('theme', document.documentElement.dataset.theme); if (moment()) draw(); };
  $('into_text').onclick = () => { set_text(with_case(text())); forget_words(); run(); };
  document.addEventListener('dragover', (e) => e.preventDefault());
  document.addEventListener('drop', (e) => { e.preventDefault(); take_files(e.dataTransfer.files, e.target.id); });
  $('files').onchange = async (e) => { await take_files(e.target.files); e.target.value = ''; };
  addEventListener('hashchange', async () => { const [example, wanted] = await first(); start_from(example, wanted); run(wanted); });
  const [example, wanted] = await first();
  start_from(example, wanted);
  const number = examples.findIndex((e) => e.text === example.text);
  try {
    await standing;
  } catch (e) {
    return tell(`The interpreter cannot begin: ${e.message}. It needs a browser of 2023 or later, with WebAssembly's SIMD and exceptions.`);
  }
  const interpreter = performance.now();
  await run(wanted);
  await fill_examples();
  $('example').value = number;
  window.tilescope_times = {interpreter, ready: performance.now()};
  document.body.dataset.ready = 'yes';
};
begin();
