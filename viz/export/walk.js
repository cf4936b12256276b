// The page of a picture's steps: one at a time, or playing; what belongs together lights up.
const data = await page_data(), $ = id => document.getElementById(id);
const slider = $("step"), label = $("label"), picture = $("picture"), words = $("words"), source = $("source");
let walk = data.walks[0], at = walk.start, timer = 0;
function show(n) {
  at = Math.max(0, Math.min(walk.frames.length - 1, n));
  const f = walk.frames[at];
  picture.innerHTML = data.open.replace(/@W/g, f.width).replace(/@H/g, f.height) + f.shapes.map(i => data.fragments[i]).join("") + "<\/svg>";
  words.innerHTML = data.texts[f.text];
  label.textContent = (walk.frames.length > 1 ? (at + 1) + " of " + walk.frames.length + ": " : "") + f.label;
  slider.value = at;
  slider.setAttribute("aria-valuetext", f.label);
  for (const line of source.querySelectorAll(".next")) line.classList.remove("next");
  const next = source.children[f.line - 1];
  if (next) { next.classList.add("next"); source.scrollTop = next.offsetTop - source.offsetTop - source.clientHeight / 2; }
}
function open(n) {
  walk = data.walks[n];
  source.textContent = "";
  walk.source.forEach((text, i) => {
    const line = document.createElement("span");
    line.textContent = String(i + 1).padStart(4) + "  " + text;
    line.dataset.a = "-1,-1," + (i + 1) + ",-1,-1,-1,-1";
    source.append(line);
  });
  slider.max = walk.frames.length - 1;
  document.body.classList.toggle("still", walk.frames.length < 2);
  show(Math.min(at, walk.frames.length - 1));
}
// program, step, line, tensor, lane, first and last element: at least one stands in both, and those that do are equal
function same(a, b) {
  let share = false;
  for (let i = 0; i < 5; i++) if (a[i] >= 0 && b[i] >= 0) { if (a[i] !== b[i]) return false; share = true; }
  return share && !(a[5] >= 0 && b[5] >= 0 && (a[6] < b[5] || b[6] < a[5]));
}
const about = e => e.dataset.a.split(",").map(Number);
function light(from) {
  const wanted = from && about(from);
  for (const e of document.querySelectorAll("[data-a]")) e.classList.toggle("lit", !!wanted && same(wanted, about(e)));
}
document.querySelector("main").addEventListener("mouseover", e => light(e.target.closest("[data-a]")));
function play(on) {
  clearInterval(timer);
  timer = on ? setInterval(() => { show(at + 1); if (at === walk.frames.length - 1) play(false); }, 1000 / $("speed").value) : 0;
  $("play").textContent = timer ? "pause" : "play";
}
function start() { if (!timer && at === walk.frames.length - 1) show(0); play(!timer); }
const moves = {ArrowRight: 1, ArrowLeft: -1, n: 1, p: -1, PageDown: 10, PageUp: -10};
document.addEventListener("keydown", e => {
  if (e.ctrlKey || e.altKey || e.metaKey || e.target.tagName === "SELECT" || (e.key === " " && e.target.tagName === "BUTTON")) return;
  if (e.key === "Home") show(0);
  else if (e.key === "End") show(walk.frames.length - 1);
  else if (e.key === " ") start();
  else if (e.key in moves) show(at + moves[e.key]);
  else return;
  e.preventDefault();
});
slider.addEventListener("input", () => show(+slider.value));
$("back").addEventListener("click", () => show(at - 1));
$("on").addEventListener("click", () => show(at + 1));
$("play").addEventListener("click", start);
$("speed").addEventListener("change", () => play(!!timer));
if ($("walk")) $("walk").addEventListener("change", e => open(e.target.selectedIndex));
open(0);
