// What the browser keeps. Where it keeps nothing, a private window or a full disk, the page says so once and goes on.
// In a notebook's frame there is none, and no address to share.
export const is_in_frame = location.protocol === 'about:';
let complaint = '';
export const kept = (name) => {
  try { return localStorage.getItem(`tilescope ${name}`); } catch { return null; }
};
export const keep = (name, value) => {
  try {
    localStorage.setItem(`tilescope ${name}`, value);
    return '';
  } catch {
    if (complaint || is_in_frame) return '';
    complaint = 'This browser keeps nothing for the page: its storage is full, or this is a private window. Share makes a link that holds your text.';
    return complaint;
  }
};
