// The lessons' markdown as elements: headings, paragraphs, code, lists, tables. No markup of a text is ever read as HTML.
import {element} from './element.js';

const inline = (text) => text.split(/(`[^`]+`|\*\*[^*]+\*\*|\*[^*\s][^*]*\*|\[[^\]]+\]\([^)]+\))/).map((part) => {
  if (part.startsWith('`')) return element('code', {}, part.slice(1, -1));
  if (part.startsWith('**')) return element('b', {}, part.slice(2, -2));
  if (part.startsWith('*') && part.length > 2) return element('em', {}, part.slice(1, -1));
  const link = /^\[([^\]]+)\]\((https?:[^)]+)\)$/.exec(part);
  if (link) return element('a', {href: link[2], rel: 'noopener', target: '_blank'}, link[1]);
  return part.replace(/^\[([^\]]+)\]\([^)]+\)$/, '$1');  // a file of the project
});

const table = (rows) => {
  const cells = (row) => row.replace(/^\||\|$/g, '').split('|').map((c) => c.trim());
  const line = (row, kind) => element('tr', {}, ...cells(row).map((c) => element(kind, {}, ...inline(c))));
  return element('table', {}, element('thead', {}, line(rows[0], 'th')), element('tbody', {}, ...rows.slice(2).map((r) => line(r, 'td'))));
};

export const markdown = (text) => {
  const made = [];
  for (const block of text.replace(/<!--[\s\S]*?-->/g, '').split(/(```[\s\S]*?```)/)) {
    if (block.startsWith('```')) {
      made.push(element('pre', {}, block.replace(/^```.*\n/, '').replace(/\n?```$/, '')));
      continue;
    }
    for (const part of block.split(/\n\s*\n/)) {
      const lines = part.split('\n').filter((l) => l.trim());
      if (!lines.length || lines[0].startsWith('![')) continue;
      if (lines.every((l) => l.startsWith('    '))) made.push(element('pre', {}, lines.map((l) => l.slice(4)).join('\n')));
      else if (lines[0].startsWith('|')) made.push(table(lines));
      else if (lines[0].startsWith('- ')) made.push(element('ul', {}, ...lines.join('\n').split(/\n?^- /m).filter(Boolean).map((item) => element('li', {}, ...inline(item.replace(/\n\s*/g, ' '))))));
      else if (lines[0].startsWith('### ')) made.push(element('h4', {}, lines[0].slice(4)), ...(lines.length > 1 ? [element('p', {}, ...inline(lines.slice(1).join(' ')))] : []));
      else made.push(element('p', {}, ...inline(lines.join(' '))));
    }
  }
  return made;
};
