// The lessons: a text with its prediction first, questions, Check, hints, the solution; progress in the browser.
import {$, element} from './element.js';
import {call} from './interpreter.js';
import {markdown} from './markdown.js';
import {keep, kept} from './storage.js';
import {say, speak} from './words.js';

let list = [], now = null, hints_shown = 0;
export const lesson = () => now;
const language = () => now.languages.includes(kept('language')) ? kept('language') : '';
const has_passed = (name) => kept(`passed ${name}`) === 'yes';

export const lesson_options = async () => {
  list = await call({do: 'lessons'});
  if (!Array.isArray(list)) list = [];  // this build has none
  return list.map((l) => element('option', {value: `lesson ${l.lesson}`}, `${l.is_puzzle ? 'puzzle ' : ''}${l.number}. ${l.title}${has_passed(l.lesson) ? ' ✓' : ''}`));
};
export const lesson_after = () => list[list.findIndex((l) => l.lesson === now?.lesson) + 1];

const ask_lesson = (question) => call({...question, lesson: now.lesson, language: kept('language') ?? ''});

// Choices to click or a field, and then what a run says. `asked`: a question of the lesson, or its prediction. `on_answer` is called once.
const guess_form = ({asked, number, text = '', on_answer}) => {
  const is_prediction = number === undefined;
  const key = is_prediction ? `guess ${now.lesson}` : `guess ${now.lesson} ${number}`;
  const said = element('pre', {ariaLive: 'polite', hidden: true});
  const guess = async (words) => {
    const answer = await ask_lesson({do: 'guess', guess: words, ...(is_prediction ? {} : {question: number, text})});
    if (answer.stopped) return;
    if (!answer.error && words) keep(key, words);
    said.hidden = false;
    said.textContent = answer.text ? answer.text.replace(/^ {4}/gm, '').replace(/^\n+|\s+$/g, '') : `${answer.error}: ${answer.fix}`;
    if (answer.text) on_answer?.();
  };
  const choices = asked.choices.map((choice) => element('button', {type: 'button', onclick: () => guess(choice)}, choice));
  const field = () => [
    element('input', {name: 'guess', value: kept(key) ?? '', ariaLabel: say('your guess'), placeholder: say('your guess, before you look'), autocomplete: 'off'}),
    element('button', {}, say('Guess'))];
  return [
    element('form', {className: 'guess', onsubmit: (e) => { e.preventDefault(); guess(e.target.elements.guess?.value ?? ''); }},
      ...(choices.length ? choices : field()), element('button', {type: 'button', onclick: () => guess('')}, say('Just show me'))),
    said];
};

const folded = (heading, parts, open = false) => element('details', {open}, element('summary', {}, heading), ...parts);
const question = (asked, number, more = {}) =>
  folded(say('A question: {}', say(asked.heading)), [...markdown(asked.text), ...guess_form({asked, number, ...more})], more.open);
// What is asked of the learner's own kernel is asked where that passes (check_boxes).
const questions = (is_before) => now.questions.flatMap((q, i) => (q.is_before === is_before && !q.is_of_own_kernel ? [question(q, i)] : []));

export const close_lesson = () => {
  now = null;
  speak('');
  delete document.body.dataset.lesson;
  $('lesson').replaceChildren();
};

const languages = {zh: '中文'};

// The learner's own text of it, or the starter. `reopen`: in another language.
export const open_lesson = async (name, reopen) => {
  const open_next = (lesson, chosen) => { keep('language', chosen); reopen(lesson); };
  const read = await call({do: 'lesson', lesson: name, language: kept('language') ?? ''});
  if (read.error) { close_lesson(); return null; }
  now = read;
  speak(language());
  hints_shown = 0;
  const hints = element('div', {ariaLive: 'polite'});
  const section = (s) => s.heading === '' ? markdown(s.text)
    : s.heading.startsWith('Predict') ? [element('h3', {}, s.heading), ...markdown(s.text), ...guess_form({asked: now})]
      : [...(s.heading.startsWith('Mend') ? questions(true) : []), folded(s.heading, markdown(s.text))];
  $('lesson').replaceChildren(
    element('h2', {}, now.title),
    element('p', {className: 'soft'}, say('Check stands for tilescope learn check. '),
      ...now.languages.map((l) => element('button', {onclick: () => open_next(name, language() === l ? '' : l)}, language() === l ? 'English' : languages[l]))),
    ...now.sections.flatMap(section),
    element('p', {},
      element('button', {id: 'hint', onclick: async () => {
        if (hints_shown >= now.hints) return;
        const hint = await ask_lesson({do: 'hint', number: ++hints_shown});
        hints.append(element('p', {className: 'hint'}, element('b', {}, say('hint {} of {}: ', hints_shown, now.hints)), ...markdown(hint.text)));
        $('hint').disabled = hints_shown >= now.hints;
      }}, say('A hint')), ' ',
      folded(say('The solution in Triton'), [element('pre', {}, now.solution)])),
    hints, ...questions(false));
  $('lesson').scrollTop = 0;
  document.body.dataset.lesson = now.lesson;
  return {...now, text: kept(`text ${now.lesson}`) ?? now.starter};
};

export const check = async (text) => {
  const complaint = keep(`text ${now.lesson}`, text);
  const answer = await ask_lesson({do: 'check', text});
  const is_first = answer.ok && !has_passed(now.lesson);
  if (answer.ok) keep(`passed ${now.lesson}`, 'yes');
  return {answer: {...answer, text, is_first}, complaint};
};

const best = (f) => f.mine <= f.best ? say('{} {}, as the best known', f.name, f.mine) : say('{} {}, the best known {}', f.name, f.mine, f.best);
export const check_boxes = (a, go_to_line, open_next) => {
  if (!a.ok) {
    const f = a.finding;
    return [element('div', {className: 'fault'},
      element('button', {className: 'place', onclick: () => go_to_line(f.line)}, `${f.line ? say('line {}: ', f.line) : ''}${f.headline}`),
      element('div', {className: 'soft'}, say('with {}; {} of {} trials went well', a.during, a.passed.length, a.trials)),
      f.detail && element('pre', {}, f.detail), f.fix && element('div', {}, f.fix))];
  }
  const next = lesson_after();
  const score = element('div', {}, a.figures.map(best).join('; '));
  const own = now.questions.findIndex((q) => q.is_of_own_kernel);
  score.hidden = own >= 0 && a.is_first;  // what is asked is told there
  const asked = own < 0 ? '' : question(now.questions[own], own, {text: a.text, open: a.is_first, on_answer: () => { score.hidden = false; }});
  return [element('div', {className: 'good'}, element('b', {}, say('passes all {} trials', a.trials)), asked, score, a.note && element('p', {}, a.note),
    ...a.notes.map((n) => element('p', {}, n)), next && element('button', {id: 'next', onclick: () => open_next(next.lesson)}, say('Next: {}', next.title)))];
};
