// The kernel's text: CodeMirror with Python, faults at their lines, the line that runs next.
import {closeBrackets, closeBracketsKeymap} from '@codemirror/autocomplete';
import {defaultKeymap, history, historyKeymap, indentWithTab} from '@codemirror/commands';
import {pythonLanguage} from '@codemirror/lang-python';
import {bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting} from '@codemirror/language';
import {lintGutter, setDiagnostics} from '@codemirror/lint';
import {EditorState, StateEffect, StateField} from '@codemirror/state';
import {Decoration, drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers} from '@codemirror/view';
import {tags} from '@lezer/highlight';

const marked = StateEffect.define();
const marks = StateField.define({
  create: () => Decoration.none,
  update(set, change) {
    set = set.map(change.changes);
    for (const e of change.effects)
      if (e.is(marked)) {
        const doc = change.state.doc;
        const lines = e.value.filter(([line]) => line >= 1 && line <= doc.lines).sort((a, b) => a[0] - b[0]);
        set = Decoration.set(lines.map(([line, name]) => Decoration.line({class: name}).range(doc.line(line).from)));
      }
    return set;
  },
  provide: (field) => EditorView.decorations.from(field),
});

// Both themes read well on their grounds: hues by the page's variables.
const colours = HighlightStyle.define([
  {tag: [tags.keyword, tags.operatorKeyword], color: 'var(--accent)'},
  {tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic'},
  {tag: [tags.string, tags.number, tags.bool], color: 'var(--good-ink)'},
  {tag: [tags.function(tags.definition(tags.variableName)), tags.className], fontWeight: 'bold'},
]);
const look = EditorView.theme({
  '&': {color: 'var(--ink)', backgroundColor: 'var(--paper)'},
  '.cm-content': {caretColor: 'var(--ink)'},
  '.cm-gutters': {backgroundColor: 'var(--surface)', color: 'var(--soft)', border: 'none'},
  '.cm-activeLine, .cm-activeLineGutter': {backgroundColor: 'transparent'},
  '&.cm-focused .cm-cursor': {borderLeftColor: 'var(--ink)'},
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {backgroundColor: 'var(--lit) !important'},
  '.cm-tooltip': {backgroundColor: 'var(--surface)', color: 'var(--ink)', border: '1px solid var(--faint)'},
});

let view;
export const open_editor = (parent, {on_run, on_change}) => {
  view = new EditorView({
    parent,
    state: EditorState.create({extensions: [
      // Tab leaves the editor, for those who have a keyboard alone; Esc, then Tab would be the other way round.
      keymap.of([{key: 'Mod-Enter', run: () => { on_run(); return true; }}, {key: 'Mod-]', run: indentWithTab.run}]),
      keymap.of([...closeBracketsKeymap, ...historyKeymap, ...defaultKeymap.filter(({key}) => !key?.startsWith('Alt-Arrow'))]),  // those are steps
      lineNumbers(), history(), drawSelection(), highlightSpecialChars(), indentOnInput(), bracketMatching(), closeBrackets(),
      EditorView.lineWrapping, pythonLanguage, indentUnit.of('    '), syntaxHighlighting(colours), look, marks, lintGutter(), EditorState.tabSize.of(4),
      EditorView.contentAttributes.of({'aria-label': "the kernel's text, in Triton's Python"}),
      EditorView.updateListener.of((update) => { if (update.docChanged) on_change(); }),
    ]}),
  });
};
export const text = () => view.state.doc.toString();
export const set_text = (insert) => view.dispatch({changes: {from: 0, to: view.state.doc.length, insert}});
export const mark_lines = (lines) => view.dispatch({effects: marked.of(lines)});
export const go_to_line = (line) => {
  if (line < 1 || line > view.state.doc.lines) return;
  const from = view.state.doc.line(line).from;
  view.dispatch({selection: {anchor: from}, effects: EditorView.scrollIntoView(from, {y: 'center'})});
  view.focus();
};
// Scrolls the text alone: the page stays where its reader is.
export const show_line = (line) => {
  if (line < 1 || line > view.state.doc.lines) return;
  const {from} = view.state.doc.line(line), {top, bottom} = view.lineBlockAt(from), box = view.scrollDOM;
  if (top >= box.scrollTop && bottom <= box.scrollTop + box.clientHeight) return;
  const column = view.dom.closest('section'), stood = column.scrollTop, page_stood = scrollY;
  view.dispatch({effects: EditorView.scrollIntoView(from, {y: 'center'})});
  requestAnimationFrame(() => { column.scrollTop = stood; scrollTo(scrollX, page_stood); });
};
// Of faults and remarks: {line, column, headline, detail, fix, is_remark}.
export const show_diagnostics = (all) => {
  const doc = view.state.doc;
  view.dispatch(setDiagnostics(view.state, all.filter((f) => !f.file && f.line >= 1 && f.line <= doc.lines).map((f) => {
    const line = doc.line(f.line);
    return {from: Math.min(line.to, line.from + Math.max(0, (f.column || 1) - 1)), to: line.to, severity: f.is_remark ? 'info' : 'error',
      message: [f.headline, f.detail, f.fix && `fix: ${f.fix}`].filter(Boolean).join('\n')};
  })));
};
