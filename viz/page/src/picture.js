// The pictures: a tab each, the SVG as the interpreter draws it, its controls; pointing at a shape lights its line.
import {show_film} from '../../export/film.js';
import {$, element} from './element.js';
import {call} from './interpreter.js';

const state = {panel: 'offsets', settings: {}, gpu: 'h200', about: {}, is_drawing: false, again: false, gpus: [], runs: 0, film: ''};
let on_point = () => {}, on_go = () => {}, on_choose = () => {};

export const open_pictures = (handlers) => {
  ({on_point, on_go, on_choose} = handlers);
  const shape_at = (e) => e.target.closest?.('g[data-id]');
  $('picture').addEventListener('mouseover', (e) => on_point(state.about[shape_at(e)?.dataset.id]?.[2] ?? 0));
  $('picture').addEventListener('mouseleave', () => on_point(0));
  $('picture').addEventListener('click', (e) => {
    const about = state.about[shape_at(e)?.dataset.id];
    if (about && about[0] >= 0) on_go(about[0], Math.max(0, about[1]));
  });
  $('tabs').addEventListener('keydown', (e) => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[e.key];
    const all = [...$('tabs').querySelectorAll('button')];
    if (!step || !all.length) return;
    all[(all.indexOf(document.activeElement) + step + all.length) % all.length].focus();
    e.preventDefault();
  });
};
export const panel = () => state.panel;
export const set_panel = (name) => { state.panel = name; state.settings = {}; };

const choose = (name) => {
  set_panel(name);
  for (const b of $('tabs').children) b.ariaSelected = String(b.textContent === name);
  on_choose(name);
};

// The pictures that this run has; the first one where it lacks the one that was shown.
export const show_tabs = async () => {
  const list = (await call({do: 'panels'})).filter?.((p) => !p.missing) ?? [];
  if (!state.gpus.length) state.gpus = await call({do: 'devices'});
  state.runs++;
  if (![...list.map((p) => p.name), 'chip', 'schedule'].includes(state.panel)) state.panel = list[0]?.name ?? 'offsets';
  const tab = (name, title) => element('button', {textContent: name, title, role: 'tab', ariaSelected: String(name === state.panel), onclick: () => choose(name)});
  $('tabs').replaceChildren(...list.map((p) => tab(p.name, p.summary)), tab('chip', 'the launch as it plays on the modelled GPU'), tab('schedule', "the machine model's figures of the launch"));
};

const svg_of = (text) => {
  const made = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
  return made.nodeName === 'svg' ? document.importNode(made, true) : element('pre', {textContent: text.slice(0, 400)});
};

const control = (c) => {
  const set = (value) => { state.settings[c.name] = value; draw(); };
  const id = `control_${c.name}`;
  const input = c.choices.length
    ? element('select', {id, onchange: (e) => set(+e.target.value)}, ...c.choices.map((text, i) => element('option', {value: i, selected: i === c.value}, text)))
    : c.is_toggle ? element('input', {id, type: 'checkbox', checked: c.value > 0, onchange: (e) => set(e.target.checked ? 1 : 0)})
    : element('input', {id, type: 'range', min: c.min, max: c.max, value: c.value, oninput: (e) => set(+e.target.value)});
  return element('label', {htmlFor: id}, c.label, input);
};
const gpu_control = () => element('label', {}, 'modelled GPU',
  element('select', {id: 'gpu', onchange: (e) => { state.gpu = e.target.value; draw(); }}, ...state.gpus.map((g) => element('option', {value: g, selected: g === state.gpu}, g))));

const modelled = new Set(['timeline', 'limits', 'order', 'coalesce', 'grid', 'chip', 'schedule']);

// It plays on while the steps go on: another one only for another run, GPU or theme.
const draw_film = async (theme) => {
  const name = `${state.runs} ${state.gpu} ${theme}`;
  return state.film === name ? {} : {...await call({do: 'film', gpu: state.gpu, theme}), name};
};

const ask_for_picture = (theme) => {
  if (state.panel === 'chip') return draw_film(theme);
  if (state.panel === 'schedule') return call({do: 'schedule', gpu: state.gpu});
  const width = Math.max(560, $('picture').clientWidth - 4), height = Math.max(320, Math.min(620, innerHeight * 0.52));
  return call({do: 'draw', panel: state.panel, settings: state.settings, width, height, theme, gpu: state.gpu});
};

const show_picture = (drawn) => {
  const picture = $('picture');
  state.film = drawn.films ? drawn.name : '';
  if (drawn.films) {
    const film = element('div');
    picture.replaceChildren(film);
    show_film(film, drawn);
  } else if (drawn.svg) {
    picture.replaceChildren(svg_of(drawn.svg));
    for (const g of picture.querySelectorAll('g[data-id]')) if (state.about[g.dataset.id]?.[0] >= 0) g.dataset.goes = '';
  } else picture.replaceChildren(element('pre', {textContent: drawn.missing ?? drawn.error ?? drawn.text}));
};

export const draw = async () => {
  if (state.is_drawing) { state.again = true; return; }
  state.is_drawing = true;
  const theme = document.documentElement.dataset.theme;
  const focused = document.activeElement?.id;
  const drawn = await ask_for_picture(theme);
  state.is_drawing = false;
  if (state.again) { state.again = false; return draw(); }
  if (drawn.stopped) return;
  state.about = drawn.about ?? {};
  if (Object.keys(drawn).length) show_picture(drawn);
  $('picture').dataset.panel = state.panel;
  $('as_text').hidden = !drawn.svg;
  $('as_text').querySelector('pre').textContent = drawn.text ?? '';
  $('controls').replaceChildren(...(drawn.controls ?? []).map(control), ...(modelled.has(state.panel) ? [gpu_control()] : []));
  if (focused?.startsWith('control_') || focused === 'gpu') $(focused)?.focus();
};
