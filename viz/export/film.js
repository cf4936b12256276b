// A film that plays, on a canvas with a clock and a camera: the marks that model/film/painter.cpp draws. An exported HTML file and the browser's page show it.
// For a page one film, or several side by side, plays at a time: what it stands at is this module's state.
let data, C, CAT, end, shared, cv, g, parts;
let t, playing, speed, tourAt, told, part, path, goal, lit, mouse, hit, litMap, dirty, frames, before, drag;
let W = 0, H = 0, film, mine;
const cam = {x: 0, y: 0, s: 1};

const kinds = {f32: Float32Array, u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, i32: Int32Array, ns: Int16Array};
function unpack(p) {  // first the lowest byte of each number, then the next one
  if (p[0][0] === "+") { let ns = 0; return Float32Array.from(unpack([p[0].slice(1), p[1]]), step => (ns += step) / 1000); }  // times that rise
  const s = atob(p[1]), b = new Uint8Array(s.length), size = kinds[p[0]].BYTES_PER_ELEMENT, n = s.length / size;
  for (let byte = 0; byte < size; byte++) for (let i = 0; i < n; i++) b[i * size + byte] = s.charCodeAt(byte * n + i);
  return new kinds[p[0]](b.buffer);
}
function unpackFilm(f) {
  f.tables = f.tables.map(t => {
    const cols = t.map(unpack);
    t.forEach((p, i) => { if (p[0] === "ns") { const d = cols[i], o = new Float32Array(d.length); for (let r = 0; r < d.length; r++) o[r] = cols[0][r] + d[r] / 1000; cols[i] = o; } });
    return cols;
  });
  f.tiles = unpack(f.tiles); f.programs = unpack(f.programs);
  for (const n of f.nodes) {
    for (const c of n.cells) { for (const k of ["t", "c", "e", "num", "p", "pt"]) c[k] = unpack(c[k]); c.now = null; c.done = 0; }
    for (const m of n.maps) for (const k of ["e", "c", "ma", "mi"]) m[k] = unpack(m[k]);
  }
}
function lastRow(col, us) { let a = 0, b = col.length; while (a < b) { const m = (a + b) >> 1; if (col[m] <= us) a = m + 1; else b = m; } return a - 1; }
function rowAt(tb, from, to, us) { let found = -1; const l = lastRow(tb[from], us); for (let r = l; r >= 0 && r > l - 16; r--) if (us < tb[to][r]) found = r; return found; }
function bytes(v) { const u = ["B", "KiB", "MiB", "GiB", "TiB"]; let i = 0; while (v >= 1024 && i < 4) v /= 1024, i++; return (v < 10 && i ? v.toFixed(1) : v < 100 && i ? v.toFixed(1)
    : v.toFixed(0)) + " " + u[i]; }
function figure(v, u) { return u === 1 ? bytes(v) : u === 2 ? (v >= 999.5 ? (v / 1000).toFixed(2) + " TB/s" : v.toFixed(0) + " GB/s") : u === 3 ? (v * 100).toFixed(0) + " %" : u === 4
    ? v.toFixed(2) + " us" : Math.round(v).toLocaleString("en"); }
function visible(b) { return b[0] < W && b[1] < H && b[0] + b[2] > 0 && b[1] + b[3] > 0; }
function inside(b) { return mine && mouse[0] >= b[0] && mouse[0] < b[0] + b[2] && mouse[1] >= b[1] && mouse[1] < b[1] + b[3]; }
function boxOf(a, b) { return [a.x + b[0] * a.s, a.y + b[1] * a.s, b[2] * a.s, b[3] * a.s]; }
function contrast(c) {
  let m = /^#(..)(..)(..)/.exec(c || C.paper), v = m ? m.slice(1).map(h => parseInt(h, 16)) : (c.match(/[\d.]+/g) || [255, 255, 255]).map(Number);
  if (!m && v.length > 3 && v[3] < 0.5) return C.ink;
  const l = v.slice(0, 3).map(x => (x /= 255) <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
  return 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2] > 0.179 ? "#000" : "#fff";
}
function hatch(b, kind) {
  g.save(); g.beginPath(); g.rect(...b); g.clip(); g.strokeStyle = C.soft; g.lineWidth = 1; g.beginPath();
  for (let x = Math.ceil((b[0] - b[3]) / 7) * 7; x < b[0] + b[2]; x += 7) { g.moveTo(x, b[1] + b[3]); g.lineTo(x + b[3], b[1]); }
  g.stroke(); g.restore();
}
function rect(b, fill, words, more) {
  if (!visible(b)) return;
  if (fill) { g.fillStyle = fill; g.fillRect(...b); }
  if (more && more.h && b[2] > 2) hatch(b);
  if (more && more.stroke) { g.strokeStyle = more.stroke; g.lineWidth = more.width || 1; g.strokeRect(b[0] + .5, b[1] + .5, Math.max(1, b[2] - 1), Math.max(1, b[3] - 1)); }
  if (inside(b)) { if (words) hit.tip = words(); hit.us = -1; hit.program = more && more.program !== undefined ? more.program : hit.program; }
}
const ff = (z, bold, mono) => (bold ? "bold " : "") + z.toFixed(1) + "px " + (mono ? '"DejaVu Sans Mono",monospace' : '"DejaVu Sans",Verdana,sans-serif');
function text(x, y, s, z, align, ink, bold, mono) { g.font = ff(z, bold, mono); g.textAlign = ["left", "center", "right"][align]; g.fillStyle = ink; g.fillText(s, x, y); }
function textIn(b, s, z, ink, mono) {
  if (!s || b[3] < 13) return false;
  g.font = ff(100, false, mono);
  const fits = Math.min(z, b[3] - 2, (b[2] - 4) / Math.max(.01, g.measureText(s).width / 100));
  if (fits < 11) return false;
  text(b[0] + b[2] / 2, b[1] + b[3] / 2 + fits * .36, s, fits, 1, ink, false, mono); return true;
}
let labels = [], marks = [], firstMark = 0, edges = [0, 0];
function label(x, y, s, z, align, ink, bold, room, key) { if (s && y > -20 && y < H + 20 && x < W) labels.push([x, y, s, z, align, ink, bold, firstMark, room, edges, key]); }
// Keys that would have to grow stand in rows below the marks, instead of where their node has put them: not one of them goes. Several nodes of a kind have one key.
function placeKeys() {
  const keys = labels.filter(l => l[10] && l[3] < 12 && l[3] >= 1.5), placed = new Set();
  g.font = ff(12);
  for (const node of new Set(keys.map(l => l[7]))) {
    const own = keys.filter(l => l[7] === node), start = own[0][0], right = Math.max(own[0][9][1], W) - 5, all = own.map(l => l[2]).join();
    if (placed.has(all)) { for (const l of own) l[3] = 0; continue; }
    placed.add(all);
    const left = Math.min(start, Math.max(5, right - own.reduce((all, l) => all + 33 + g.measureText(l[2]).width, 0)));
    let x = left, y = 0;
    own[0].top = own[0][1];
    for (const l of own) {
      const w = 17 + g.measureText(l[2]).width;
      if (x > left && x + w > right) { x = left; y += 15.6; }
      l[0] = x; l[1] = y; l[3] = 12; x += w + 16;
    }
    let top = Math.max(own[0].top, 12), mark;
    while ((mark = marks.find((m, i) => i >= node && m[0] < right && left < m[0] + m[2] && m[1] < top + y && top - 9 < m[1] + m[3]))) top = mark[1] + mark[3] + 11;
    for (const l of own) l[1] += Math.min(top, H - 3 - y);
  }
}
function placeLabels() {
  labels.sort((p, q) => (q[10] ? 1 : 0) - (p[10] ? 1 : 0) || (q[6] ? 1 : 0) - (p[6] ? 1 : 0) || q[3] - p[3]);
  placeKeys();
  const taken = [], on = (b, o) => b[0] < o[0] + o[2] && o[0] < b[0] + b[2] && b[1] < o[1] + o[3] && o[1] < b[1] + b[3];
  for (let [x, y, s, natural, align, ink, bold, first, room, [from, to], key] of labels) {
    const z = Math.max(natural, 12); g.font = ff(z, bold); if (natural < 12) y = Math.max(y, z);
    const d = key ? Math.round(.85 * z) : 0, w = g.measureText(s).width + (key ? d + 5 : 0), b = [x - w * align / 2, y - .74 * z, w, .74 * z], near = o => on([b[0] - 5, b[1], w + 10, b[3]], o);
    if (natural < 3 || (room > 0 && w > room)) continue;
    if (natural < 12 && (b[0] < from || b[0] + w > to || taken.some(near) || marks.some((m, i) => i >= first && on(b, m)))) continue;
    taken.push(b); if (key) { rect([x, y - d + 1, d, d], key, null, {stroke: C.soft}); x += d + 5; } text(x, y, s, z, align, ink, bold);
  }
  labels = []; marks = [];
}
const words = (w, n) => w.replace("{}", n), span = (a, b) => a.toFixed(2) + " to " + b.toFixed(2) + " us (model)";
function states(c) {
  if (!c.now || (c.done > 0 && c.t[c.done - 1] > t)) { c.now = new Uint8Array(c.r * c.k); c.done = 0; }
  while (c.done < c.t.length && c.t[c.done] <= t) { c.now[c.c[c.done]] = c.e[c.done]; c.done++; }
  return c.now;
}
function cells(a, c) {
  const b = boxOf(a, c.b), w = b[2] / c.k, h = b[3] / c.r;
  if (!visible(b)) return;
  marks.push(b);
  const now = states(c), gap = Math.min(w, h) >= 5 ? 1 : 0;
  const r0 = Math.max(0, Math.floor(-b[1] / h)), r1 = Math.min(c.r - 1, Math.floor((H - b[1]) / h)), k0 = Math.max(0, Math.floor(-b[0] / w)), k1 = Math.min(c.k - 1, Math.floor((W - b[0]) / w));
  rect(b, c.s[0].c);
  for (let s = 1; s < c.s.length; s++) {
    g.fillStyle = c.s[s].c;
    for (let r = r0; r <= r1; r++) for (let k = k0; k <= k1; k++) if (now[r * c.k + k] === s) {
      let n = 1; if (!gap) while (k + n <= k1 && now[r * c.k + k + n] === s) n++;
      g.fillRect(b[0] + k * w, b[1] + r * h, n * w - gap + (gap ? 0 : .3), h - gap + (gap ? 0 : .3)); k += n - 1;
    }
  }
  if (w > 15 && h > 13 && c.num.length) for (let r = r0; r <= r1; r++) for (let k = k0; k <= k1; k++) {
    const i = r * c.k + k, n = c.num[i]; if (n >= 0) textIn([b[0] + k * w, b[1] + r * h, w, h], "" + n, 11, contrast(c.s[now[i]].c));
  }
  if (gap) { g.strokeStyle = C.faint; g.lineWidth = .5; g.strokeRect(...b); }
  if (c.of && c.of < c.r * c.k) { const x = b[0] + c.of % c.k * w; rect([x, b[1] + b[3] - h, b[0] + b[2] - x + 1, h + 1], C.paper); }
  if (inside(b)) {
    const i = Math.min(c.r - 1, Math.floor((mouse[1] - b[1]) / h)) * c.k + Math.min(c.k - 1, Math.floor((mouse[0] - b[0]) / w));
    rect(b, "", () => c.n + (c.wr ? " " + i : " (" + Math.floor(i / c.k) + ", " + i % c.k + ")") + (c.num.length && c.num[i] >= 0 ? ", program " + c.num[i] : "") + ": " + c.s[now[i]].l,
    {program: c.num.length ? c.num[i] : -1});
  }
  if (lit >= 0 && c.num.length) for (let i = 0; i < c.num.length; i++) if (c.num[i] === lit) rect([b[0] + i % c.k * w, b[1] + Math.floor(i / c.k) * h, w, h], "", null,
    {stroke: C.accent, width: 2, program: lit});
  const e = lastRow(c.pt, t) + 1;
  if (e > 1) {
    g.strokeStyle = C.ink; g.globalAlpha = .75; g.lineWidth = 1.5; g.beginPath();
    for (let i = Math.max(0, e - 48); i < e; i++) g.lineTo(b[0] + (c.p[i] % c.k + .5) * w, b[1] + (Math.floor(c.p[i] / c.k) + .5) * h);
    g.stroke(); g.globalAlpha = 1;
  }
  if (lit >= 0 && c.rd && lit * 4 < film.programs.length) for (const [load, col] of film.reads) if (load === c.rd) {
    const tb = film.tables[film.programs[lit * 4 + 1]], first = film.programs[lit * 4 + 2], n = film.programs[lit * 4 + 3];
    for (let r = first, seen = -1; r < first + n; r++) {
      const i = tb[col][r]; if (!tb[col - 1][r] || i === seen) continue; seen = i;
      const is = tb[0][r] <= t && t < tb[3][r]; g.globalAlpha = is ? .9 : .35; g.fillStyle = C.accent; g.fillRect(b[0] + i % c.k * w, b[1] + Math.floor(i / c.k) * h, Math.max(1, w), Math.max(1, h));
    }
    g.globalAlpha = 1;
  }
}
function lane(a, l) {
  const b = boxOf(a, l.b), tb = film.tables[a.tb + l.tb]; if (!visible(b) || !tb.length) return;
  marks.push(b);
  let from = 0, to = film.end;
  if (l.pg >= 0) { const p = film.tables[a.tb + l.pg]; if (!p[0].length) return rect(b, C.surface); const r = Math.max(0, lastRow(p[0], t)); from = p[0][r]; to = Math.max(p[1][r], from + shared); }
  const X = us => b[0] + b[2] * (us - from) / Math.max(1e-9, to - from);
  rect(b, C.surface, () => l.n);
  const last = lastRow(tb[l.f], to - 1e-6); let drawn = -1;
  for (let r = Math.max(0, lastRow(tb[l.f], from) - 8); r <= last; r++) {
    const u0 = tb[l.f][r], u1 = tb[l.t][r]; if (u1 <= from || u1 <= u0) continue;
    let s = l.st < 0 ? 1 : tb[l.st][r]; if (!s) continue; s = l.s[Math.min(s - 1, l.s.length - 1)];
    const x0 = Math.max(b[0], X(u0)), x1 = Math.min(b[0] + b[2], X(u1)); if (x1 < drawn + .6 || x1 < 0 || x0 > W) continue; drawn = x1;
    const bar = [x0, b[1] + 1, Math.max(1, x1 - x0 - (x1 - x0 > 3 ? 1 : 0)), b[3] - 2];
    rect(bar, s.c, () => (l.lb < 0 ? l.w : words(l.w, tb[l.lb][r])) + ", " + s.l + ": " + span(u0, u1), {h: s.h});
    if (inside(bar)) hit.us = u0;
    if (l.lb >= 0 && bar[2] > 12) textIn(bar, "" + tb[l.lb][r], 11, contrast(s.c));
  }
  if (t >= from && t <= to) { g.fillStyle = C.accent; g.fillRect(X(t) - 1, b[1] - 2, 2, b[3] + 4); }
  if (l.ax) axis(a, b, from, to);
}
function ticks(from, to, most) {
  const rough = (to - from) / most, power = 10 ** Math.floor(Math.log10(rough)), step = power * ([1, 2, 5].find(m => m * power >= rough * (1 - 1e-9)) || 10), list = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9; i++) list.push(i * step);
  return list;
}
function axis(a, b, from, to) {
  const z = Math.max(12, Math.min(a.s * 12, 18)), most = Math.floor(b[2] / (9 * z));
  if (most < 1 || to <= from) return;
  const few = ticks(from, to, most);
  g.font = ff(z);
  for (const us of few.length > 1 ? few : ticks(from, to, 2 * most)) {
    const x = b[0] + b[2] * (us - from) / (to - from), said = +us.toPrecision(6) + " us", half = g.measureText(said).width / 2 + 1;
    g.fillStyle = C.soft; g.fillRect(x, b[1] + b[3], 1, 4); text(Math.max(half, Math.min(W - half, x)), b[1] + b[3] + 5 + .74 * z, said, z, 1, C.soft);
  }
  marks.push([b[0], b[1] + b[3], b[2], 7 + .74 * z]);
}
function now(a, n) {
  const b = boxOf(a, n.b), tb = film.tables[a.tb + n.tb]; if (!visible(b) || !tb.length) return;
  const r = rowAt(tb, n.f, n.t, t);
  if (n.li) { if (r >= 0 && b[3] >= 2) rect(b, C.current, () => n.w); return; }
  marks.push(b);
  if (r < 0) { const i = !tb[0].length && n.no || n.i; rect(b, C.surface, () => i, {stroke: C.faint}); textIn(b, i, Math.max(11, a.s * 13), C.soft); return; }
  const label = n.lb < 0 ? -1 : tb[n.lb][r], s = n.s[n.st < 0 ? 0 : tb[n.st][r] % n.s.length], u0 = tb[n.f][r], u1 = tb[n.t][r], w = n.lb < 0 ? n.w : words(n.w, label);
  const on = n.p && label === lit;
  rect(b, s.c, () => w + ", " + s.l + ": " + span(u0, u1), {stroke: on ? C.accent : C.faint, width: on ? 3 : 1, program: n.p ? label : -1});
  if (n.pr && b[3] >= 8) { const h = Math.max(2, .12 * b[3]); g.fillStyle = C.ink; g.globalAlpha = .6; g.fillRect(b[0], b[1] + b[3] - h, b[2] * (t - u0) / Math.max(1e-9, u1 - u0), h);
    g.globalAlpha = 1; }
  const z = Math.max(11, a.s * 13), ink = contrast(s.c);
  if (textIn(b, w, z, ink) || !n.p || textIn(b, "" + label, z, ink) || b[3] < 8) return;
  g.font = ff(11);
  const said = [w, "" + label].find(s => g.measureText(s).width + 4 < b[2]);  // in a bar that is as high as digits, and no higher
  if (said) text(b[0] + b[2] / 2, b[1] + b[3] / 2 + 4, said, 11, 1, ink);
}
function ring(a, n) {
  const b = boxOf(a, n.b), tb = film.tables[a.tb + n.tb]; if (!visible(b) || !tb.length) return;
  marks.push(b);
  const w = b[2] / n.k, gap = Math.min(6, .06 * w), last = lastRow(tb[n.c[0]], t);
  for (let k = 0; k < n.k; k++) {
    let row = -1; for (let r = last; r >= 0 && r > last - 4 * n.k && row < 0; r--) if (tb[n.sl][r] === k && tb[n.fd][r] > 0) row = r;
    let s = 0, u0 = 0, u1 = 0;
    if (row >= 0) { const q = n.c.map(c => tb[c][row]); while (s < 3 && t >= q[s]) s++; if (t >= q[3]) s = 0; if (s) u0 = q[s - 1], u1 = q[s]; }
    const st = n.s[s], step = row < 0 ? -1 : tb[n.sp][row], x = [b[0] + w * k + gap / 2, b[1], w - gap, b[3]], z = Math.max(11, Math.min(a.s * 13, 18)), ink = contrast(st.c);
    rect(x, st.c, () => n.n + ", slot " + k + ": " + st.l + (s ? ", for step " + step + "; " + n.fw[tb[n.fd][row] - 1] + "; " + span(u0, u1) : ""), {stroke: C.soft});
    if (s === 1) { const p = (t - u0) / Math.max(1e-9, u1 - u0); g.globalAlpha = .45; g.fillStyle = C.load; g.fillRect(x[0], x[1] + x[3] * (1 - p), x[2], x[3] * p); g.globalAlpha = 1; }
    textIn([x[0], x[1], x[2], x[3] / 2], st.l, z, ink); if (s) textIn([x[0], x[1] + x[3] / 2, x[2], x[3] / 2], "step " + step, z, ink);
  }
}
function series(a, n) {
  const b = boxOf(a, n.b), tb = film.tables[a.tb + n.tb]; if (!visible(b)) return;
  marks.push(b);
  rect(b, C.surface);
  const X = us => b[0] + b[2] * us / end, Y = v => b[1] + b[3] * (1 - Math.min(1, v / n.m)), here = lastRow(tb[0], t), N = tb[0].length;
  for (let r = 0; r < N; r++) {
    const x0 = X(tb[0][r]), x1 = r + 1 < N ? X(tb[0][r + 1]) : X(film.end); let sum = 0; g.globalAlpha = r > here ? .35 : 1;
    n.c.forEach((c, k) => { const v = tb[c][r]; if (v > 0) { const y1 = Y(sum), y0 = Y(sum + v); sum += v; g.fillStyle = n.s[k].c; g.fillRect(x0, y0, Math.max(.5, x1 - x0), y1 - y0); } });
  }
  g.globalAlpha = 1;
  if (inside(b)) { const us = (mouse[0] - b[0]) / b[2] * end, r = Math.max(0, lastRow(tb[0], us)); hit.us = us; hit.tip = n.n + ": " + n.c.map((c, k) => n.s[k].l + " "
    + figure(tb[c][r], n.u)).join(", ") + ", at " + us.toFixed(2) + " us (model). A click goes there."; }
  const z = Math.min(a.s * 13, 20);
  if (n.l > 0 && n.l <= n.m) { g.strokeStyle = C.soft; g.setLineDash([5, 5]); g.beginPath(); g.moveTo(b[0], Y(n.l)); g.lineTo(b[0] + b[2], Y(n.l)); g.stroke(); g.setLineDash([]);
    text(b[0] + b[2] - 4, Y(n.l) + Math.max(z, 12) + 1, n.ll, Math.max(z, 12), 2, C.soft); }
  g.fillStyle = C.accent; g.fillRect(X(t) - 1, b[1] - 3, 2, b[3] + 6);
  label(b[0], b[1] - 5, n.n, z, 0, C.ink);
  if (n.ax) axis(a, b, 0, end);
}
function fig(a, n) {
  const z = Math.min(a.s * n.z, 2 * n.z); let v = t;
  if (!n.k) { const tb = film.tables[a.tb + n.tb]; if (!tb[0].length) return; v = tb[n.c][Math.max(0, lastRow(tb[0], t))]; }
  label(a.x + n.x * a.s, a.y + n.y * a.s, words(n.w, figure(v, n.u)), z, n.a, C.ink, n.d);
}
function flow(a, n) {
  const tb = film.tables[a.tb + n.tb]; if (!tb[0].length) return;
  const v = t >= film.end ? 0 : tb[n.c][Math.max(0, lastRow(tb[0], t))], p = [a.x + n.x[0] * a.s, a.y + n.x[1] * a.s, a.x + n.x[2] * a.s, a.y + n.x[3] * a.s], w = a.s * n.w * Math.min(1, v / n.m);
  const len = Math.hypot(p[2] - p[0], p[3] - p[1]), around = [Math.min(p[0], p[2]) - w / 2 - 4, Math.min(p[1], p[3]) - w / 2 - 4, Math.abs(p[2] - p[0]) + w + 8, Math.abs(p[3] - p[1]) + w + 8];
  if (!visible(around) || len < 4) return;
  const percent = (100 * v / n.m).toFixed(0) + " %", dx = (p[2] - p[0]) / len, dy = (p[3] - p[1]) / len, hd = Math.min(Math.max(6, w * .8), len / 2);
  g.strokeStyle = v > 0 ? n.f : C.faint; g.globalAlpha = .6; g.lineWidth = Math.max(1.5, w); g.beginPath(); g.moveTo(p[0], p[1]); g.lineTo(p[2] - dx * hd, p[3] - dy * hd); g.stroke();
    g.globalAlpha = 1;
  g.fillStyle = v > 0 ? n.f : C.faint; const q = Math.max(5, w * .75); g.beginPath(); g.moveTo(p[2], p[3]); g.lineTo(p[2] - dx * hd - dy * q, p[3] - dy * hd + dx * q);
    g.lineTo(p[2] - dx * hd + dy * q, p[3] - dy * hd - dx * q); g.fill();
  rect(around, "", () => n.n + ": " + figure(v, n.u) + " (model)" + (n.pk ? ", " + percent + " of " + figure(n.m, n.u) : ""));
  if (v <= 0) return;
  const z = Math.min(a.s * 12, 18), half = Math.max(w, 8) / 2, x = (p[0] + p[2]) / 2;
  if (Math.abs(dx) <= Math.abs(dy)) return label(x + half + 5, (p[1] + p[3]) / 2 + 4, figure(v, n.u) + (n.pk ? ", " + percent : ""), z, 0, C.ink, true);
  label(x, p[1] - half - 5, figure(v, n.u), z, 1, C.ink, true);
  if (n.pk) label(x, p[1] + half + 5 + .74 * Math.max(z, 12), percent, z, 1, C.ink, true);
}
function map(a, m) {
  const b = boxOf(a, m.b), w = b[2] / m.k, h = b[3] / m.r; if (!visible(b)) return;
  marks.push(b);
  const el = i => m.e.length ? m.e[i] : i, cap = i => m.ma.length ? words(words(m.w, m.ma[i]), m.mi[i]) : "" + el(i), gap = Math.min(w, h) >= 5 ? 1 : 0;
  const name = e => m.bc > 1 ? "(" + Math.floor(e / m.bc) + ", " + e % m.bc + ")" : "(" + e + ")";
  const r0 = Math.max(0, Math.floor(-b[1] / h)), r1 = Math.min(m.r - 1, Math.floor((H - b[1]) / h)), k0 = Math.max(0, Math.floor(-b[0] / w)), k1 = Math.min(m.k - 1, Math.floor((W - b[0]) / w));
  for (let r = r0; r <= r1; r++) for (let k = k0; k <= k1; k++) {
    const i = r * m.k + k, e = el(i), f = e < 0 ? C.unwritten : m.c.length ? CAT[m.c[i] % 7] : C.surface, x = [b[0] + k * w, b[1] + r * h, w - gap + (gap ? 0 : .3), h - gap + (gap ? 0 : .3)];
    g.fillStyle = f; g.fillRect(...x); if (e >= 0 && w > 24 && h > 11) textIn(x, cap(i), 13, contrast(f), true);
  }
  if (inside(b)) {
    const r = Math.floor((mouse[1] - b[1]) / h), k = Math.floor((mouse[0] - b[0]) / w), i = r * m.k + k, e = el(i);
    hit.tip = e < 0 ? m.rn + " " + r + ", " + m.cn + " " + k + ": nothing" : m.n + " " + name(e) + (m.ec > 1 ? " to " + name(e + m.ec - 1) : "") + ": " + (m.e.length ? m.rn + " " + r
    + ", " + m.cn + " " + k : cap(i)); hit.map = [m.g, e];
  }
  if (litMap && litMap[0] === m.g && litMap[1] >= 0) for (let i = 0; i < m.r * m.k; i++) { const e = el(i); if (e >= 0 && litMap[1] >= e && litMap[1] < e + m.ec) {
    g.strokeStyle = C.accent; g.lineWidth = 3; g.strokeRect(b[0] + i % m.k * w - 1, b[1] + Math.floor(i / m.k) * h - 1, Math.max(5, w), Math.max(5, h)); } }
  const z = Math.min(a.s * 13, 20), y = Math.max(12, z * .8);
  label(b[0], b[1] - 6, m.n, z, 0, C.ink, true);
  if (b[2] < 150) return;
  const every = (n, c, room) => { let e = 1; while (c * e < room && e < n) e *= 2; return e; };
  for (let k = 0, e = every(m.k, w, 3.4 * y); k < m.k; k += e) text(b[0] + w * (k + .5), b[1] + b[3] + y + 2, "" + k, y, 1, C.soft);
  for (let r = 0, e = every(m.r, h, 1.5 * y); r < m.r; r += e) text(b[0] - 5, b[1] + h * (r + .5) + y * .36, "" + r, y, 2, C.soft);
  text(b[0] + b[2] / 2, b[1] + b[3] + 2.3 * y + 3, m.cn, y, 1, C.soft); text(b[0] - 5, b[1] - 6, m.rn, y, 2, C.soft);
}
function still(a, s) {
  const b = boxOf(a, s.b), z = Math.min(a.s * s.z, 2 * s.z);
  if (s.k === 4 && !s.m) return label(b[0], b[1], s.t, z, s.a, s.i || C.ink, s.d, b[2], s.f);
  if (s.k === 4) {
    if (b[3] < 11) {  // a bar as long as the line
      const first = s.t.slice(4).search(/\S/) + 4, c = a.s * s.z * .602, x = b[0] + c * first, w = Math.min(c * (s.t.length - first), b[0] + b[2] - x);
      if (b[3] >= 2 && first > 3 && w > 0) rect([x, b[1] - .5 * b[3], w, Math.max(1, .4 * b[3])], C.faint);
      return;
    }
    if (b[1] < -20 || b[1] > H + 20) return;
    const m = Math.max(z, 11), n = Math.floor(b[2] / (m * .602));
    return text(b[0], b[1], s.t.length > n ? s.t.slice(0, Math.max(0, n - 1)) + "\u2026" : s.t, m, s.a, s.i || C.ink, s.d, s.m);
  }
  if (s.k === 1) { g.strokeStyle = s.s; g.lineWidth = 1; g.beginPath(); g.moveTo(b[0], b[1]); g.lineTo(b[0] + b[2], b[1] + b[3]); g.stroke(); return; }
  rect(b, s.f, s.tip ? () => s.tip : null, {stroke: s.s}); if (s.t && z >= 11) textIn(b, s.t, z, s.i || contrast(s.f));
}
function paragraph(a, p) {  // in as many lines as its width takes at a size that can be read
  const natural = Math.min(a.s * p.z, 2 * p.z), z = Math.max(natural, 12), w = a.s * p.w, lines = [""];
  if (natural < 3) return;
  g.font = ff(z);
  for (const word of p.t.split(" ")) {
    const last = lines.length - 1, longer = lines[last] ? lines[last] + " " + word : word;
    if (lines[last] && g.measureText(longer).width > w) lines.push(word); else lines[last] = longer;
  }
  lines.forEach((line, i) => label(a.x + p.x * a.s, a.y + p.y * a.s + 1.3 * z * i, line, z, 0, C.soft));
}
function node(a, path) {
  const n = film.nodes[a.node], outer = firstMark, around = edges, b = boxOf(a, [0, 0, n.w, n.h]);
  edges = [Math.max(0, b[0]), Math.min(W, b[0] + b[2])];
  firstMark = marks.length;  // it covers those of the nodes around it
  for (const x of n.nows) if (x.li) now(a, x);
  for (const s of n.shapes) if (s.k !== 4) still(a, s);
  for (const c of n.cells) cells(a, c); for (const s of n.series) series(a, s); for (const l of n.lanes) lane(a, l); for (const r of n.rings) ring(a, r);
  for (const f of n.flows) flow(a, f); for (const x of n.nows) if (!x.li) now(a, x); for (const m of n.maps) map(a, m);
  for (const s of n.shapes) if (s.k === 4) still(a, s);
  n.portals.forEach((p, i) => {
    const b = boxOf(a, p.b); if (!visible(b)) return;
    const to = [...path, i]; if (inside(boxOf(a, p.e))) hit.path = to; if (b[2] < 150) return;
    const ground = b[2] > W / 2 ? boxOf(a, p.e) : b; rect(ground, C.paper, null, {stroke: C.faint}); if (inside(ground)) hit.tip = "";
    labels = labels.filter(l => !(l[0] >= ground[0] && l[0] < ground[0] + ground[2] && l[1] >= ground[1] && l[1] < ground[1] + ground[3]));
    const q = film.nodes[p.node], s = Math.min(b[2] / q.w, b[3] / q.h);
    g.save(); g.beginPath(); g.rect(...b); g.clip(); node({x: b[0] + (b[2] - s * q.w) / 2, y: b[1] + (b[3] - s * q.h) / 2, s, tb: a.tb + p.tb, node: p.node}, to); g.restore();
  });
  for (const f of n.figures) fig(a, f);
  for (const p of n.paragraphs) paragraph(a, p);
  firstMark = outer; edges = around;
}
function placeOf(f, path) {
  const a = {x: 0, y: 0, s: 1, node: 0};
  for (const i of path) { const p = f.nodes[a.node].portals[i], q = f.nodes[p.node], s = Math.min(p.b[2] / q.w, p.b[3] / q.h); a.x += a.s * (p.b[0] + (p.b[2] - s * q.w) / 2);
    a.y += a.s * (p.b[1] + (p.b[3] - s * q.h) / 2); a.s *= s; a.node = p.node; }
  return a;
}
function fit(to, part) {
  const f = data.films[0], a = placeOf(f, to), n = f.nodes[a.node], b = part && part[2] > 0 ? part : [0, 0, n.w, n.h], w = b[2] * a.s, h = b[3] * a.s, s = Math.min(W / w, H / h);
  // in the middle, but no farther to an edge than the node goes, unless all of it is seen there
  const from = (begin, size, room, first, all) => room >= all ? first - (room - all) / 2 : Math.min(Math.max(begin - (room - size) / 2, first), first + all - room);
  return {x: from(a.x + b[0] * a.s, w, W / s, a.x, n.w * a.s), y: from(a.y + b[1] * a.s, h, H / s, a.y, n.h * a.s), s};
}
function go(to, of = null) { path = to; part = of; goal = fit(to, of); crumbs(); dirty = true; }
function enter(to) { if (told >= 0) playing = false; go(to); }  // the tour goes on from there when it is played

// The tour: which caption stands `tourAt` seconds after its beginning; clock and camera are where it says.
const last = () => data.tour.length - 1;
function follow() {
  let i = last(); while (i > 0 && data.tour[i].s > tourAt) i--;
  const c = data.tour[i], n = data.tour[i + 1];
  t = n ? c.us + (n.us - c.us) * Math.min(1, (tourAt - c.s) / Math.max(1e-9, n.s - c.s)) : c.us; dirty = true;
  if (i !== told) { told = i; go(c.path, c.part); parts.count.textContent = (i + 1) + " of " + data.tour.length; parts.text.textContent = c.text; show_caption(true); }
}
function show_caption(is_shown) { parts.caption.hidden = !is_shown; parts.caption.parentElement?.classList.toggle("on_tour", is_shown); }
function tell(i) { tourAt = data.tour[Math.max(0, Math.min(last(), i))].s; told = -1; follow(); }
function beginTour() { tell(0); playing = true; }
function endTour() { if (told >= 0) playing = false; told = -1; show_caption(false); dirty = true; }
function crumbs() {
  const f = data.films[0], names = [f.nodes[0].n];
  let node = 0;
  for (const i of path) { const p = f.nodes[node].portals[i]; names.push(p.n); node = p.node; }
  parts.crumbs.replaceChildren();
  names.forEach((n, i) => parts.crumbs.append(i ? " \u203a " : "", made("button", {type: "button", textContent: n, onclick: () => enter(path.slice(0, i))})));
}
function draw() {
  const dpr = devicePixelRatio || 1, n = data.films.length, whole = cv.clientWidth, h = cv.clientHeight, head = n > 1 ? 24 : 0;
  const isResized = cv.width !== Math.round(whole * dpr) || cv.height !== Math.round(h * dpr);
  W = whole / n; H = h - head;
  if (isResized) { cv.width = Math.round(whole * dpr); cv.height = Math.round(h * dpr); Object.assign(cam, fit(path, part)); goal = null; }
  g.setTransform(dpr, 0, 0, dpr, 0, 0); g.fillStyle = C.paper; g.fillRect(0, 0, whole, h);
  hit = {tip: "", us: -1, program: -1, path: null, map: null};
  const raw = mouse;
  data.films.forEach((f, i) => {
    film = f; g.save(); g.beginPath(); g.rect(W * i, 0, W - (n > 1 ? 6 : 0), h); g.clip(); g.translate(W * i, 0);
    if (n > 1) {
      text(8, 17, data.names[i] + (t >= f.end ? ": done after " + f.end.toFixed(1) + " us" : ""), 14, 0, C.ink, true);
      g.translate(0, head); g.beginPath(); g.rect(0, 0, W - 6, H); g.clip();
    }
    mine = raw && raw[0] >= W * i && raw[0] < W * (i + 1); mouse = mine ? [raw[0] - W * i, raw[1] - head] : null;
    node({x: -cam.x * cam.s, y: -cam.y * cam.s, s: cam.s, tb: 0, node: 0}, []);
    placeLabels();
    g.restore();
  });
  mouse = raw; frames++;
  parts.clock.textContent = t.toFixed(2) + " of " + end.toFixed(1) + " us"; parts.time.value = t / end * 1000; parts.play.textContent = playing ? "pause" : "play";
  const tip = parts.tip; tip.style.display = mouse && hit.tip ? "block" : "none";
  if (mouse && hit.tip) {
    const r = cv.getBoundingClientRect();
    tip.textContent = hit.tip; tip.style.left = Math.min(innerWidth - 400, r.left + mouse[0] + 14) + "px"; tip.style.top = Math.min(innerHeight - 60, r.top + mouse[1] + 16) + "px";
  }
  if (mouse && hit.program !== lit) { lit = hit.program; dirty = true; }
  if (JSON.stringify(hit.map) !== JSON.stringify(litMap)) { litMap = hit.map; dirty = true; }
}
function tick(ms) {
  const dt = Math.min(100, ms - before); before = ms;
  if (playing && told >= 0) { tourAt += dt / 1000 * speed; if (tourAt >= data.tour_seconds) playing = false; follow(); }
  else if (playing) { t += dt / 14000 * end * speed; if (t >= end) { t = end; playing = false; } dirty = true; }
  if (goal) {
    const k = 1 - Math.exp(-dt / (told < 0 ? 90 : 300)), s = cam.s * Math.pow(goal.s / cam.s, k), q = Math.abs(goal.s - cam.s) < 1e-9 * cam.s ? k : (1 / cam.s - 1 / s) / (1 / cam.s - 1 / goal.s);
    cam.x += (goal.x - cam.x) * q; cam.y += (goal.y - cam.y) * q; cam.s = s; dirty = true;
    if (Math.abs(Math.log(goal.s / cam.s)) < .002 && Math.abs(goal.x - cam.x) * cam.s < .5) settle();
  }
  if (dirty || cv.clientWidth * devicePixelRatio !== cv.width) { dirty = false; draw(); }
}
function settle() { if (goal) Object.assign(cam, goal); goal = null; dirty = true; }
function play() { if (told >= 0 && tourAt >= data.tour_seconds) return beginTour(); if (told < 0 && t >= end) t = 0; playing = !playing; dirty = true; }
function seek(us) { endTour(); t = Math.max(0, Math.min(end, us)); dirty = true; }
const next = list => { for (const u of list) if (u > t + 1e-4) return seek(u + 1e-4); seek(end); };
const back = list => { for (let i = list.length - 1; i >= 0; i--) if (list[i] < t - 2e-3) return seek(list[i] + 1e-4); seek(0); };

function pointAt(e) {
  const r = cv.getBoundingClientRect(), m = [e.clientX - r.left, e.clientY - r.top];
  if (drag && mouse) {
    cam.x -= (m[0] - mouse[0]) / cam.s; cam.y -= (m[1] - mouse[1]) / cam.s; goal = null;
    drag.moved += Math.abs(m[0] - mouse[0]) + Math.abs(m[1] - mouse[1]);
  }
  mouse = m; dirty = true;
}
function letGo() {
  const d = drag; drag = null;
  if (!d || d.moved > 4 || !mouse) return;
  draw();
  if (hit.path && hit.path.length > path.length) enter(hit.path.slice(0, path.length + 1)); else if (hit.us >= 0) seek(hit.us);
}
function zoom(e) {
  e.preventDefault();
  if (!mouse) return;
  const n = data.films.length, mx = mouse[0] % W, my = mouse[1] - (n > 1 ? 24 : 0), k = Math.exp(-e.deltaY * .0015), x = cam.x + mx / cam.s, y = cam.y + my / cam.s;
  cam.s = Math.max(fit([]).s * .8, Math.min(1e6, cam.s * k)); cam.x = x - mx / cam.s; cam.y = y - my / cam.s; goal = null; dirty = true;
}
function pressed(e) {
  if (e.ctrlKey || e.altKey || e.metaKey || e.target.tagName === "SELECT" || (e.target.tagName === "BUTTON" && (e.key === " " || e.key === "Enter"))) return;
  const k = e.key, f = data.films[0];
  if (k === "t") { if (told < 0) { if (last() >= 0) beginTour(); } else endTour(); }
  else if (told >= 0 && (k === "ArrowRight" || k === "ArrowLeft")) tell(told + (k === "ArrowRight" ? 1 : -1));
  else if (k === "Escape" && told >= 0) endTour();
  else if (k === " ") play(); else if (k === "n") next(f.tiles); else if (k === "N") back(f.tiles); else if (k === "w") next(f.waves);
  else if (k === "ArrowRight") seek(t + end / 400); else if (k === "ArrowLeft") seek(t - end / 400); else if (k === "Home") seek(0); else if (k === "End") seek(end);
  else if (k === "Escape") enter(path.slice(0, -1)); else return;
  e.preventDefault();
}

const made = (name, properties = {}, ...children) => { const e = Object.assign(document.createElement(name), properties); e.append(...children); return e; };
function build(parent) {
  const f = data.films[0], button = (textContent, onclick, title = "") => made("button", {type: "button", textContent, onclick, title});
  const speeds = [["1/10", .1], ["1/4", .25], ["1", 1], ["4", 4]].map(([textContent, value]) => made("option", {textContent, value, selected: value === 1}));
  cv = made("canvas", {tabIndex: 0, role: "img", ariaLabel: "the launch as it runs: " + f.title});
  g = cv.getContext("2d");
  parts = {
    play: button("play", play), clock: made("output"), crumbs: made("div", {className: "crumbs", ariaLive: "polite"}),
    count: made("span"), text: made("p", {ariaLive: "polite"}), tip: made("div", {className: "tip", role: "tooltip"}),
    time: made("input", {type: "range", min: 0, max: 1000, step: "any", value: 0, ariaLabel: "time", oninput: e => seek(e.target.value / 1000 * end)}),
  };
  parts.caption = made("div", {className: "caption", hidden: true}, made("div", {}, button("back", () => tell(told - 1)), button("next", () => tell(told + 1)), parts.count), parts.text);
  const cell = (name, text) => made(name, {textContent: text, ...(name === "th" && {scope: "col"})});
  parent.classList.add("film");
  parent.replaceChildren(
    made("h1", {textContent: f.title}), made("p", {className: "sub", textContent: f.subtitle}),
    made("nav", {ariaLabel: "clock"}, parts.play,
      ...(data.tour.length ? [button("tour", () => told < 0 ? beginTour() : endTour(), "a minute that tells what happens, clock and camera with it (t); Space stops it anywhere")] : []),
      button("tile back", () => back(f.tiles), "to the end of the tile before (Shift+n)"), button("next tile", () => next(f.tiles), "to the end of the next tile (n)"),
      button("next wave", () => next(f.waves), "to the next wave's first program (w)"),
      made("label", {}, "speed ", made("select", {onchange: e => { speed = +e.target.value; }}, ...speeds)), parts.time, parts.clock,
      button("zoom out", () => enter(path.slice(0, -1))), button("whole launch", () => enter([]))),
    parts.caption, parts.crumbs, cv, parts.tip,
    made("table", {}, made("tr", {}, ...data.totals.header.map(h => cell("th", h))), ...data.totals.rows.map(r => made("tr", {}, ...r.map(c => cell("td", c))))),
    made("ul", {}, ...f.facts.map(fact => made("li", {textContent: fact}))),
    made("p", {className: "keys", textContent: "Space plays and pauses. t: the tour, left and right its captions. n: the next tile, w: the next wave, left and right: a little back and on. Click an SM, a slot or a block to go in; "
      + "Escape goes out. The wheel zooms at the pointer, dragging moves. Point at a program to light its tiles."}));
  cv.onmousemove = pointAt; cv.onmouseleave = () => { mouse = null; lit = -1; dirty = true; }; cv.onmousedown = () => { drag = {moved: 0}; }; cv.onwheel = zoom;
}

// Plays `films`, as film_data.cpp writes them, in `parent`; its keys are heard by `keys`. It ends when another film begins, or when its canvas leaves the page.
export function show_film(parent, films, keys = parent) {
  data = films; C = data.colours; CAT = data.categories;
  data.films.forEach(unpackFilm);
  end = Math.max(...data.films.map(f => f.end));
  shared = data.films.length > 1 ? Math.max(...data.films.map(f => f.longest)) : 0;
  t = end * .35; playing = false; speed = 1; tourAt = 0; told = -1; part = null; path = []; goal = null; lit = -1; mouse = null; hit = null; litMap = null; dirty = true; frames = 0; before = 0; drag = null;
  build(parent);
  const canvas = cv;
  keys.onkeydown = pressed;
  addEventListener("mouseup", function up() { if (canvas === cv && canvas.isConnected) letGo(); else removeEventListener("mouseup", up); });
  crumbs();
  requestAnimationFrame(function again(ms) { if (canvas !== cv || !canvas.isConnected) return; tick(ms); requestAnimationFrame(again); });
}

// For tests: where it stands, and in pixels the box that a path of portals leads to.
export const film_at = () => ({t, end, playing, told, path: [...path], scale: cam.s, frames});
export const film_now = () => { settle(); draw(); };
export const film_states = (f, cells, us) => { film = f; t = us; return states(cells); };
export const film_box = to => { const f = data.films[0], a = placeOf(f, to), n = f.nodes[a.node]; return [(a.x - cam.x) * cam.s, (a.y - cam.y) * cam.s, n.w * a.s * cam.s, n.h * a.s * cam.s]; };
