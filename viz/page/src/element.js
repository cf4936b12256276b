// Elements by name, without markup in strings: what a kernel or a link says is text and nothing else.
export const $ = (id) => document.getElementById(id);
export const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children.filter((c) => c !== null && c !== undefined && c !== ''));
  return made;
};
