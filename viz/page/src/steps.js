// Where the run stands: program, step, variables by name, the debugger's line.
import {$, element} from './element.js';
import {call} from './interpreter.js';
import {draw} from './picture.js';
import {say} from './words.js';

let on_moment = () => {}, now = null;
export const moment = () => now;

export const show_programs = (programs) =>
  $('program').replaceChildren(...programs.map((p, i) => element('option', {value: i}, say('program {}', p.id))));

// A terminal's column of types comes nearer.
const one_line = (text) => (text ?? 'not known').replace(/ {2,}(?=\S+$)/gm, '   ');

export const show_moment = async (m) => {
  if (!m || m.error || m.stopped) return;
  now = m;
  $('program').value = m.program;
  $('step').max = m.steps;
  $('step').value = m.step;
  $('step').setAttribute('aria-valuetext', `step ${m.step} of ${m.steps}${m.op ? `, next ${m.op} in line ${m.line}` : ''}`);
  $('at').textContent = `${say('step {} of {}', m.step, m.steps)}${m.op ? say(', next: {}', m.op) : ''}${m.file ? ` in ${m.file}:${m.line}` : ''}`;
  $('did').hidden = !m.did;
  $('did').lastElementChild.textContent = one_line(m.did.replace(/^ {2}/gm, '').trimEnd());
  $('variables').tBodies[0].replaceChildren(...m.variables.map((v) =>
    element('tr', {className: v.is_new ? 'new' : ''}, element('td', {}, v.name), element('td', {}, one_line(v.text)))));
  on_moment(m);
  await draw();
};
export const go = async (how) => show_moment(await call({do: 'go', ...how}));

export const open_steps = (then) => {
  on_moment = then;
  $('program').onchange = () => go({program: +$('program').value, step: 0});
  $('step').oninput = () => go({program: +$('program').value, step: +$('step').value});
  for (const b of document.querySelectorAll('[data-how]')) b.onclick = () => go({how: b.dataset.how});
  document.addEventListener('keydown', (e) => {
    const how = {ArrowRight: 's', ArrowLeft: 'rs', ArrowDown: 'n', ArrowUp: 'rn'}[e.key];
    if (!e.altKey || !how || !now) return;
    e.preventDefault();
    go({how});
  });
  const lines = [];
  let at = 0;
  $('line').addEventListener('keydown', (e) => {
    const to = {ArrowUp: at - 1, ArrowDown: at + 1}[e.key];
    if (e.altKey || to === undefined || to < 0 || to > lines.length) return;
    at = to;
    $('line').value = lines[at] ?? '';
    e.preventDefault();
  });
  $('console').onsubmit = async (e) => {
    e.preventDefault();
    const line = $('line').value;
    if (line) lines.push(line);
    at = lines.length;
    const a = await call({do: 'debug', line});
    $('answer').textContent = a.text ?? [a.error, a.fix && `fix: ${a.fix}`].filter(Boolean).join('\n');
    $('line').value = '';
    await show_moment(a.at);
  };
};
