#include "viz/export/html_page.h"

namespace tl::viz {

const char* const page_style = R"css(
:root{{--paper:{0};--ink:{1};--soft:{2};--faint:{3};--accent:{4}}}
body{{margin:0 auto;max-width:1200px;padding:16px;background:var(--paper);color:var(--ink);font:15px/1.5 "DejaVu Sans",Verdana,sans-serif}}
nav{{display:flex;gap:8px;align-items:center;flex-wrap:wrap;margin:8px 0}}
button,input{{font:inherit;color:var(--ink);background:var(--paper);border:1px solid var(--faint);border-radius:4px;padding:2px 10px}}
button:focus,input:focus{{outline:3px solid var(--accent)}}
input[type=range]{{flex:1;min-width:160px}}
#label{{min-height:1.5em}}
svg{{max-width:100%;height:auto;display:block}}
svg .lit>rect:first-of-type,svg .lit>path:first-of-type{{stroke:var(--accent);stroke-width:3}}
.m,code,td{{font-family:"DejaVu Sans Mono",Menlo,Consolas,monospace}}
table{{border-collapse:collapse;margin:12px 0;display:block;overflow-x:auto}}
caption{{text-align:left;font-weight:bold}}
td,th{{border:1px solid var(--faint);padding:2px 8px;text-align:left;font-size:13px}}
p.keys{{color:var(--soft);font-size:13px}}
)css";

const char* const page_script = R"js(
const data = JSON.parse(document.getElementById("data").textContent);
const slider = document.getElementById("step"), label = document.getElementById("label");
const picture = document.getElementById("picture"), words = document.getElementById("words");
let at = data.start;
function show(n) {
  at = Math.max(0, Math.min(data.frames.length - 1, n));
  const f = data.frames[at];
  picture.innerHTML = data.open.replace(/@W/g, f.width).replace(/@H/g, f.height) + f.shapes.map(i => data.fragments[i]).join("") + "<\/svg>";
  words.innerHTML = data.texts[f.text];
  label.textContent = (at + 1) + " of " + data.frames.length + ": " + f.label;
  slider.value = at;
  slider.setAttribute("aria-valuetext", f.label);
}
const moves = {ArrowRight: 1, ArrowLeft: -1, n: 1, p: -1, PageDown: 10, PageUp: -10};
document.addEventListener("keydown", e => {
  if (e.ctrlKey || e.altKey || e.metaKey) return;
  if (e.key === "Home") show(0);
  else if (e.key === "End") show(data.frames.length - 1);
  else if (e.key in moves) show(at + moves[e.key]);
  else return;
  e.preventDefault();
});
slider.addEventListener("input", () => show(+slider.value));
document.getElementById("back").addEventListener("click", () => show(at - 1));
document.getElementById("on").addEventListener("click", () => show(at + 1));
show(at);
)js";

}  // namespace tl::viz
