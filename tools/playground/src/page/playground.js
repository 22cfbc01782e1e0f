"use strict";
const $ = (id) => document.getElementById(id);
const CHOICES = ["language", "mesh", "texture", "filter", "output", "profile"];
const START = { mesh: "torus", texture: "bricks", filter: "trilinear", output: "rgb565", profile: "small", size: "240×240", turn: 0.06, time: 0 };
let drawn = null;        // the last answer with a picture
let answer = null;       // the last answer
let stage = 0;
let tab = "tgsi";
let streaming = 0;       // counts shows of tiles; a new one ends the one before
let turning = false;

function make(name, text, kind) {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  if (kind) node.className = kind;
  return node;
}

function say(text) {
  $("message").hidden = !text;
  $("message").textContent = text || "";
}

/* ---- the program ---- */
function program() {
  const [width, height] = $("size").value.split("×").map(Number);
  const it = { source: $("source").value, width, height, turn: Number($("turn").value) || 0, time: Number($("time").value) || 0 };
  for (const name of CHOICES) it[name] = $(name).value;
  return it;
}

function put(it) {
  for (const name of [...CHOICES, "size"]) {
    const value = it[name] ?? START[name];
    if ([...$(name).options].some((option) => option.value === value)) $(name).value = value;
  }
  $("turn").value = it.turn ?? START.turn;
  $("time").value = it.time ?? START.time;
  $("source").value = it.source ?? "";
}

/* The link: the program as JSON, compressed, after the `#`. */
const through = async (bytes, stream) =>
  new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

async function link(it) {
  const { width, height, ...rest } = it;
  const text = JSON.stringify({ ...rest, size: `${width}×${height}` });
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return `#p=${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

async function linked() {
  const found = location.hash.match(/^#p=([\w-]+)/);
  if (!found) return null;
  try {
    const binary = atob(found[1].replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (it) => it.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"))));
  } catch {
    say("The link is damaged: its program cannot be read.");
    return null;
  }
}

let saving = null, saved = "";
function save() {
  clearTimeout(saving);
  saving = setTimeout(async () => {
    saved = await link(program());
    history.replaceState(null, "", saved);
    document.body.dataset.saved = saved;
  }, 250);
}

/* ---- the editor: a transparent text over a coloured copy ---- */
const WORDS = {
  wgsl: /(?<comment>\/\/.*|\/\*[^]*?\*\/)|(?<attribute>@\w+)|(?<number>\b\d[\w.]*)|(?<type>\b(?:vec[234]\w*|mat[234]x[234]\w*|f32|i32|u32|bool|f16|array|sampler\w*|texture_\w+|atomic|ptr)\b)|(?<keyword>\b(?:fn|let|var|const|struct|return|if|else|for|while|loop|break|continue|discard|switch|case|default|override|alias|true|false)\b)/g,
  tgsi: /(?<comment>#.*|;.*)|(?<keyword>^\s*(?:VERT|FRAG|COMP|GEOM|END|DCL|IMM|PROPERTY)\b)|(?<type>\b(?:IN|OUT|TEMP|CONST|IMM|SAMP|SVIEW|SV|ADDR)(?=\[))|(?<number>(?<![\w[])-?\d[\w.]*)|(?<attribute>^\s*(?:\d+:\s*)?[A-Z][A-Z0-9_]+)/gm,
};

function coloured(text, language) {
  const nodes = [];
  let end = 0;
  for (const found of text.matchAll(WORDS[language])) {
    if (found.index > end) nodes.push([text.slice(end, found.index), "word"]);
    nodes.push([found[0], Object.keys(found.groups).find((name) => found.groups[name] !== undefined)]);
    end = found.index + found[0].length;
  }
  nodes.push([text.slice(end), "word"]);
  return nodes;
}

/* Shows the colours, the number of each line, and the problems at their lines. */
function paint() {
  const text = $("source").value, problems = answer ? answer.problems : [];
  const byLine = new Map(problems.filter((it) => it.line).map((it) => [it.line, it]));
  const marks = $("marks"), box = document.createDocumentFragment();
  let line = 1, column = 1;
  const finish = () => {
    const problem = byLine.get(line);
    if (problem) box.append(make("span", problem.message.split("\n")[0], "said"));
  };
  for (const [part, kind] of coloured(text, $("language").value)) {
    for (const [number, piece] of part.split("\n").entries()) {
      if (number) { finish(); box.append("\n"); line++; column = 1; }
      const problem = byLine.get(line);
      const at = problem && problem.column ? problem.column - column : -1;
      if (problem && piece && at >= 0 && at < piece.length) {
        const word = piece.slice(at).match(/^(\w+|[^])/)[0];
        box.append(make("span", piece.slice(0, at), kind), make("span", word, `${kind} wrong`), make("span", piece.slice(at + word.length), kind));
      } else if (piece) box.append(make("span", piece, kind));
      column += piece.length;
    }
  }
  finish();
  box.append("\n");
  marks.replaceChildren(box);
  const numbers = document.createDocumentFragment();
  for (let number = 1; number <= line; number++) numbers.append(make("span", `${number}\n`, byLine.has(number) ? "bad" : ""));
  $("lines").replaceChildren(numbers);
  $("problems").replaceChildren(...problems.map((it) => {
    const node = make("div", it.line ? `line ${it.line}${it.column ? `, column ${it.column}` : ""}: ${it.message}` : it.message);
    node.dataset.line = it.line;
    return node;
  }), ...(answer ? answer.notes : []).map((it) => make("div", it, "dim")));
}

/* ---- the picture ---- */
function show(tiles) {
  const canvas = $("canvas"), { width, height, pixels } = drawn;
  if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
  const context = canvas.getContext("2d");
  const image = new ImageData(new Uint8ClampedArray(pixels), width, height);
  for (const tile of tiles) context.putImageData(image, 0, 0, ...tile);
}

function fit() {
  const canvas = $("canvas"), view = $("view");
  const room = Math.min((view.clientWidth - 12) / canvas.width, (view.clientHeight - 12) / canvas.height);
  const zoom = room >= 1 ? Math.floor(room * devicePixelRatio) / devicePixelRatio : room;
  canvas.style.width = `${canvas.width * zoom}px`;
  canvas.style.height = `${canvas.height * zoom}px`;
}

/* Shows the tiles one by one, over grey. */
function stream() {
  if (!drawn) return;
  const mine = ++streaming, { tiles } = drawn, canvas = $("canvas");
  const context = canvas.getContext("2d");
  context.fillStyle = "#888";
  context.fillRect(0, 0, canvas.width, canvas.height);
  const step = Math.max(12, 2000 / tiles.length), start = performance.now();
  let next = 0;
  const tick = (now) => {
    if (mine !== streaming) return;
    const until = Math.min(tiles.length, Math.floor((now - start) / step) + 1);
    show(tiles.slice(next, until));
    next = until;
    $("speed").textContent = `tile ${next} of ${tiles.length}`;
    if (next < tiles.length) requestAnimationFrame(tick); else canvas.dataset.streamed = tiles.length;
  };
  requestAnimationFrame(tick);
}

/* FNV-1a of the pixels that the canvas has: a test compares it with the native driver's. */
function hash() {
  const canvas = $("canvas"), { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let hash = 0x811c9dc5;
  for (const byte of data) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

function figure(value, label, title) {
  const node = make("div");
  node.append(make("b", value), make("span", label));
  if (title) node.title = title;
  return node;
}

function figures() {
  const it = answer.stages[stage];
  const box = $("figures");
  if (!it) return box.replaceChildren();
  const round = (value) => Math.round(value).toLocaleString("en");
  const without = it.without.length ? ` Not counted: ${it.without.join(", ")}.` : "";
  const nodes = [
    figure(it.rows, "rows", "registers of the lane code"),
    figure(it.ops, "ops"),
    figure(`${it.flash.toLocaleString("en")} B`, "flash", "the lane code; machine code comes on top"),
    figure(round(it.interpreted), `instr. per ${it.one}`, `interpreted, estimated for a Cortex-M4F.${without}`),
    figure(round(it.native), "native", `as machine code for rows of lanes.${without}`),
  ];
  if (it.stage === "fragment") {
    nodes.push(figure(it.pixel === null ? "–" : round(it.pixel), "pixel function", it.refusal || `as machine code for one pixel.${without}`));
  }
  box.replaceChildren(...nodes);
}

function code() {
  const box = $("code"), it = answer && answer.stages[stage];
  for (const button of document.querySelectorAll("[data-tab]")) button.setAttribute("aria-selected", button.dataset.tab === tab);
  if (tab === "help") return box.replaceChildren($("help").content.cloneNode(true));
  box.replaceChildren(make("pre", it ? it[tab] : ""));
}

function stages() {
  const fragment = answer.stages.findIndex((it) => it.stage === "fragment");
  if (!answer.stages[stage]) stage = Math.max(0, fragment);
  $("stages").replaceChildren(...answer.stages.map((it, index) => {
    const node = make("button", it.name === it.stage ? it.stage : `${it.stage} ${it.name}`);
    node.dataset.stage = index;
    node.setAttribute("aria-selected", index === stage);
    return node;
  }));
}

/* ---- an edit ---- */
const engine = engineOf($("engine").textContent);

/* Draws a program: the values of the answer, and its pixels (RGBA). */
async function draw(program) {
  const answer = await engine.run(new TextEncoder().encode(JSON.stringify(program)));
  const length = new DataView(answer.buffer).getUint32(0, true);
  const values = JSON.parse(new TextDecoder().decode(answer.subarray(4, 4 + length)));
  return { ...values, pixels: answer.subarray(4 + length) };
}

let busy = false, again = false;
async function update(keep) {
  if (busy) { again = true; return; }
  busy = true;
  do {
    again = false;
    const it = program(), start = performance.now();
    try {
      answer = await draw(it);
      const took = performance.now() - start;
      const bad = answer.problems.length > 0;
      if (answer.width) {
        streaming++;
        drawn = answer;
        show([[0, 0, answer.width, answer.height]]);
        fit();
      }
      $("canvas").classList.toggle("old", bad);
      $("verdict").textContent = bad ? "not drawn" : "";
      $("verdict").className = bad ? "bad" : "good";
      if (!bad) { stages(); figures(); if (!turning || tab !== "help") code(); }
      $("speed").textContent = `${took.toFixed(1)} ms`;
      paint();
      say("");
      Object.assign(document.body.dataset, {
        turn: Number(document.body.dataset.turn || 0) + 1, problems: answer.problems.length, took: (performance.now() - start).toFixed(1),
        hash: answer.width ? hash() : "",
      });
    } catch (error) { say(error.message); }
    if (!keep) save();
  } while (again);
  busy = false;
}

/* ---- events ---- */
$("source").addEventListener("input", () => { paint(); update(); });
$("source").addEventListener("keydown", (event) => {
  if (event.key !== "Tab" || event.shiftKey || event.ctrlKey) return;
  event.preventDefault();
  document.execCommand("insertText", false, "    ");
});
for (const name of [...CHOICES, "size"]) $(name).addEventListener("change", () => update());
for (const name of ["turn", "time"]) $(name).addEventListener("input", () => update());
$("stream").onclick = stream;
$("problems").addEventListener("click", (event) => {
  const line = Number(event.target.dataset.line);
  if (!line) return;
  const at = $("source").value.split("\n").slice(0, line - 1).join("\n").length + (line > 1);
  $("source").focus();
  $("source").setSelectionRange(at, at);
});
$("stages").addEventListener("click", (event) => {
  const index = event.target.dataset.stage;
  if (index !== undefined) { stage = Number(index); stages(); figures(); code(); }
});
document.querySelector("[role=tablist]").addEventListener("click", (event) => {
  if (event.target.dataset.tab) { tab = event.target.dataset.tab; code(); }
});
$("play-turn").onclick = () => {
  turning = !turning;
  $("play-turn").textContent = turning ? "■ stop" : "▶ turn";
  let last = performance.now();
  const tick = async (now) => {
    if (!turning) { save(); return; }
    const seconds = (now - last) / 1000;
    last = now;
    $("turn").value = (Number($("turn").value) + seconds * 0.1) % 1;
    $("time").value = (Number($("time").value) + seconds).toFixed(2);
    await update(true);
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
};
$("copy").onclick = async () => {
  history.replaceState(null, "", await link(program()));
  try { await navigator.clipboard.writeText(location.href); } catch { /* The address has the link. */ }
  $("copy").textContent = "copied";
  setTimeout(() => { $("copy").textContent = "copy link"; }, 1500);
};
$("theme").onclick = () => {
  const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = root.dataset.theme || (dark ? "dark" : "light");
  root.dataset.theme = now === "dark" ? "light" : "dark";
};
$("example").append(...examples.map((it) => make("option", it.name)));
$("example").onchange = () => { stage = -1; put(examples[$("example").selectedIndex]); update(); };
addEventListener("hashchange", async () => {
  if (location.hash === saved) return;
  const it = await linked();
  if (it) { stage = -1; put(it); update(true); }
});
addEventListener("resize", fit);
new ResizeObserver(fit).observe($("view"));

(async () => {
  const it = await linked();
  if (it) $("example").selectedIndex = -1;
  stage = -1;
  put(it || examples[0]);
  paint();
  await update(true);
  document.body.dataset.first = performance.now().toFixed(0);
})();
