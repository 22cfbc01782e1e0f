"use strict";
const $ = (id) => document.getElementById(id);
const token = new URLSearchParams(location.search).get("token") || "";
const ROW = 20;          // height of a row of the list, in pixels
const PAGE = 200;        // calls per request
const MAX = 16000000;    // browsers clip taller elements
let summary = { calls: 0 };
let call = 0;            // the current call
let state = null;
let shown = null;        // the picture: resource, level, layer
let zoom = 1;
let at = null;           // the chosen pixel
let wantedSample = -1;   // the sample of the link
let tab = "history";
let turn = 0;            // counts changes of the call, so that late answers are dropped

/* The only way to answers: the engine inside an exported page, or the server. */
const reply = globalThis.inside || (async (address) => {
  const answer = await fetch(address, { headers: { "X-Token": token } });
  return { status: answer.status, bytes: new Uint8Array(await answer.arrayBuffer()) };
});

async function ask(path, parameters = {}) {
  const address = `/api/${path}?${new URLSearchParams(parameters)}`;
  let { status, bytes } = await reply(address);
  const text = () => JSON.parse(new TextDecoder().decode(bytes));
  // The first pass over the recording has not reached the call.
  while (status === 202) {
    progress(text(), parameters.call);
    await new Promise((done) => setTimeout(done, 200));
    if (parameters.call !== call) throw new Error("");
    ({ status, bytes } = await reply(address));
  }
  if (path === "picture" && status === 200) return new Blob([bytes], { type: "image/png" });
  const value = text();
  if (status !== 200) throw new Error(value.error);
  return value;
}

/* Shows how far the first pass over the recording is. */
function progress({ played, calls, done }, wanted) {
  const whole = Math.max(1, calls);
  $("progress").hidden = done;
  $("pass").value = played / whole;
  const ready = `calls up to ${played} of ${calls} are ready`;
  $("ready").textContent = wanted ? `playing to call ${wanted}: ${ready}` : `first pass: ${ready}`;
}

async function watch() {
  try {
    const value = await ask("progress");
    progress(value, call > value.played ? call : 0);
    if (!value.done) setTimeout(watch, 500);
  } catch (error) { say(error.message); }
}

function say(text) {
  $("message").hidden = !text;
  $("message").textContent = text || "";
}

function make(name, text, kind) {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  if (kind) node.className = kind;
  return node;
}

/* ---- the list of calls: only visible rows exist ---- */
const pages = new Map();
function page(number) {
  if (!pages.has(number)) {
    if (pages.size > 60) pages.delete(pages.keys().next().value);
    const first = number * PAGE + 1;
    pages.set(number, ask("calls", { first, count: PAGE }).then(
      (list) => { pages.set(number, list); rows(); return list; },
      (error) => { pages.delete(number); say(error.message); return []; }));
  }
  return pages.get(number);
}

function height() { return Math.min(summary.calls * ROW, MAX); }

/* The first visible call, from 0. In lists taller than MAX, scrolling is scaled. */
function first() {
  const list = $("calls"), room = Math.max(1, height() - list.clientHeight);
  const last = Math.max(0, summary.calls - Math.floor(list.clientHeight / ROW));
  if (summary.calls * ROW <= MAX) return Math.floor(list.scrollTop / ROW);
  return Math.round((list.scrollTop / room) * last);
}

function rows() {
  const list = $("calls"), top = first(), box = $("rows");
  const count = Math.ceil(list.clientHeight / ROW) + 1;
  const nodes = [];
  for (let index = top; index < Math.min(top + count, summary.calls); index++) {
    const loaded = page(Math.floor(index / PAGE));
    const it = Array.isArray(loaded) ? loaded[index % PAGE] : null;
    const row = make("div", undefined, "call");
    row.dataset.call = index + 1;
    if (it) {
      const values = it.arguments.filter(([name]) => name !== "result").map(([name, value]) => `${name}: ${value}`);
      // A board's count is the last value; it is short, and the arguments are cut off.
      const counted = it.arguments.find(([name]) => name === "instructions");
      const shown = counted ? values.slice(0, -1) : values;
      row.append(make("span", `${it.call} `, "dim"), make("b", it.name));
      if (counted) row.append(make("span", ` ${Number(counted[1]).toLocaleString("en")} instructions `, "dim"));
      row.append(make("span", `(${shown.join(", ")})`));
      row.title = values.join("\n");
      row.classList.toggle("works", it.works);
      row.classList.toggle("frame", it.arguments.some(([name]) => name === "picture"));
    } else row.append(make("span", `${index + 1} …`, "dim"));
    row.classList.toggle("current", index + 1 === call);
    nodes.push(row);
  }
  box.style.top = `${list.scrollTop - (summary.calls * ROW <= MAX ? list.scrollTop % ROW : 0)}px`;
  box.replaceChildren(...nodes);
}

function reveal() {
  const list = $("calls"), top = first(), count = Math.floor(list.clientHeight / ROW);
  if (call - 1 < top || call - 1 >= top + count - 1) {
    const last = Math.max(1, summary.calls - count);
    const to = Math.max(0, call - 1 - Math.floor(count / 2));
    list.scrollTop = summary.calls * ROW <= MAX ? to * ROW : (to / last) * (height() - list.clientHeight);
  }
  rows();
}

/* ---- a call ---- */
async function go(number) {
  number = Math.min(Math.max(1, Number(number) || 1), summary.calls);
  if (number === call) return;
  call = number;
  panels.first = 0;
  const mine = ++turn;
  linked();
  $("goto").value = call;
  reveal();
  try {
    const next = await ask("state", { call });
    if (mine !== turn) return;
    state = next;
    say(state.error ? `call ${call}: ${state.error}` : "");
    showState();
    await Promise.all([picture(), panel()]);
  } catch (error) { if (mine === turn) say(error.message); }
}

/* The address links to the call, the chosen pixel, the panel below and the view. */
function linked() {
  const view = $("kind").value ? `&view=${$("kind").value}&scope=${$("scope").value}` : "";
  const of = wantedSample < 0 ? "" : `&sample=${wantedSample}`;
  const hash = `#call=${call}${at ? `&pixel=${at.x},${at.y}` : ""}${of}${tab === "history" ? "" : `&tab=${tab}`}${view}`;
  if (location.hash !== hash) history.replaceState(null, "", hash);
}

async function seek(to) {
  const { call: found } = await ask("seek", { call, to });
  if (found) await go(found);
}

function showState() {
  const box = $("state");
  const nodes = [make("div", `state after call ${state.call}`, "dim")];
  for (const section of state.sections) {
    nodes.push(make("h2", section.title));
    const list = make("dl");
    for (const [name, value] of section.rows) list.append(make("dt", name), make("dd", value));
    nodes.push(list);
  }
  box.replaceChildren(...nodes);
  const select = $("picture"), chosen = select.value;
  select.replaceChildren(...state.pictures.map((it) => {
    const option = make("option", `${it.role} — ${it.resource}`);
    option.value = JSON.stringify(it);
    return option;
  }));
  if (shown && !state.pictures.some((it) => it.resource === shown.resource)) {
    const option = make("option", shown.resource);
    option.value = JSON.stringify(shown);
    if (shown.role === "resource") select.append(option);
  }
  if ([...select.options].some((option) => option.value === chosen)) select.value = chosen;
  pick(false);
}

function pick(user) {
  const value = $("picture").value;
  const next = value ? JSON.parse(value) : null;
  const same = next && shown && next.resource === shown.resource && next.role === shown.role;
  if (!same) { shown = next; $("level").value = next ? next.level : 0; $("layer").value = next ? next.layer : 0; sampled(); }
  if (user) picture().catch((error) => say(error.message));
}

/* Offers the samples of the picture. */
function sampled() {
  const count = shown && shown.samples > 1 ? shown.samples : 0;
  $("samples").hidden = !count;
  const option = (value, text) => { const it = make("option", text); it.value = value; return it; };
  const each = Array.from({ length: count }, (_, it) => option(it, String(it)));
  $("sample").replaceChildren(option("", "mean"), ...each);
  if (wantedSample < count) $("sample").value = wantedSample;
}

/* The chosen sample: a parameter of questions. */
function sample() { return $("sample").value === "" ? {} : { sample: $("sample").value }; }

/* The place of the contents. */
function resource() {
  return { resource: shown.resource, level: Number($("level").value), layer: Number($("layer").value), ...sample() };
}

/* The place of the picture: contents, or a view of draws. */
function place() {
  return $("kind").value ? { view: $("kind").value, scope: $("scope").value } : resource();
}

async function picture() {
  const mine = turn, canvas = $("canvas"), kind = $("kind").value;
  $("viewed").hidden = !kind;
  $("scope").disabled = !kind;
  if (!shown && !kind) { canvas.width = canvas.height = 1; canvas.dataset.call = call; return; }
  if (kind) {
    try {
      const { summary, notes } = await ask("view", { call, ...place() });
      if (mine !== turn) return;
      $("viewed").textContent = [`${kind}: ${summary}`, ...notes].join("; ");
    } catch (error) {
      $("viewed").textContent = error.message;
      return;
    }
  }
  const blob = await ask("picture", { call, ...place() });
  const image = await createImageBitmap(blob);
  if (mine !== turn) return;
  const fresh = canvas.width !== image.width || canvas.height !== image.height;
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext("2d").drawImage(image, 0, 0);
  canvas.dataset.call = call;
  document.body.dataset.first ??= Math.round(performance.now());
  if (fresh) fit(); else scale();
  if (at) mark();
}

function scale() {
  const canvas = $("canvas");
  canvas.style.width = `${canvas.width * zoom}px`;
  canvas.style.height = `${canvas.height * zoom}px`;
  $("zoom").textContent = `${Math.round(zoom * 100)} %`;
}

function fit() {
  const view = $("view"), canvas = $("canvas");
  zoom = Math.min((view.clientWidth - 8) / canvas.width, (view.clientHeight - 8) / canvas.height);
  if (zoom > 1) zoom = Math.floor(zoom);
  zoom = Math.max(zoom, 1 / 16);
  scale();
}

function under(event) {
  const canvas = $("canvas"), box = canvas.getBoundingClientRect();
  const inside = (value, size) => Math.min(Math.max(0, Math.floor(value)), size - 1);
  return { x: inside((event.clientX - box.left) / zoom, canvas.width),
    y: inside((event.clientY - box.top) / zoom, canvas.height) };
}

let pointing = null;
async function point(event) {
  const pixel = under(event);
  $("pixel").textContent = `(${pixel.x}, ${pixel.y})`;
  clearTimeout(pointing);
  pointing = setTimeout(async () => {
    try {
      const value = await ask("value", { call, ...place(), ...pixel });
      $("pixel").textContent = `(${pixel.x}, ${pixel.y}) ${value.format} ${value.text}`;
    } catch (error) { say(error.message); }
  }, 80);
}

function mark() {
  linked();
  $("pixel").dataset.chosen = `${at.x},${at.y}`;
}

/* ---- the panels below ---- */
function texel(value) {
  if (value === null || value === undefined) return "?";
  if (!Array.isArray(value)) {
    const parts = [];
    if (value.depth !== null) parts.push(`depth ${value.depth}`);
    if (value.stencil !== null) parts.push(`stencil ${value.stencil}`);
    return parts.join(", ");
  }
  return `(${value.map((it) => Number.isInteger(it) ? it : Number(it.toPrecision(6))).join(", ")})`;
}

function chip(value) {
  const node = make("span", texel(value));
  if (Array.isArray(value)) {
    const box = make("span", undefined, "chip");
    const byte = (it) => Math.round(Math.min(Math.max(it, 0), 1) * 255);
    box.style.background = `rgb(${value.slice(0, 3).map(byte).join(" ")})`;
    node.prepend(box);
  }
  return node;
}

function table(heads, lines) {
  const box = make("table"), head = make("tr");
  head.append(...heads.map((it) => make("th", it)));
  box.append(head, ...lines);
  return box;
}

function line(cells, kind) {
  const row = make("tr", undefined, kind);
  for (const cell of cells) {
    const box = make("td");
    box.append(cell instanceof Node ? cell : String(cell ?? ""));
    row.append(box);
  }
  return row;
}

function link(number) {
  const node = make("span", `call ${number}`, "link");
  node.dataset.goto = number;
  return node;
}

const panels = {
  async history(box) {
    if (!at || !shown) return box.append("Click a pixel: every call and fragment that reached it in this frame is listed.");
    const events = await ask("history", { call, ...resource(), ...at });
    const lines = [];
    for (const event of events) {
      const name = event.name === "before" ? "before the frame" : event.name;
      const row = line([event.call ? link(event.call) : "start", name, chip(event.before), chip(event.after),
        texel(event.depth_before), event.note || ""], "event");
      row.dataset.event = event.call;
      lines.push(row);
      if (event.samples.length) {
        const list = event.samples.map(([name, count]) => `${count} samples ${name}`).join(", ");
        lines.push(line(["", list]));
      }
      event.fragments.forEach((it, index) => {
        const step = make("span", "step", "link");
        step.dataset.step = index;
        step.dataset.of = event.call;
        const fate = make("span", it.dropped ? `dropped by ${it.dropped}` : "passed", it.dropped ? "bad" : "good");
        const who = it.primitive === null ? "" : `primitive ${it.primitive}${it.front === false ? ", back" : ""}`;
        const row = line([step, `fragment, ${who}`, chip(it.output), it.after ? chip(it.after) : "", `depth ${it.depth}`, fate]);
        row.dataset.fragment = index;
        lines.push(row);
      });
    }
    const of = sample().sample === undefined ? "" : `sample ${sample().sample} of `;
    const hint = shown.samples > 1 && !of ? " (choose a sample above for its fragments)" : "";
    box.append(make("div", `${of}pixel (${at.x}, ${at.y}) of ${shown.resource}, up to call ${call}${hint}`, "dim"),
      table(["", "", "before, or the shader's output", "after", "depth", ""], lines));
  },
  async why(box) {
    const why = await ask("why", { call });
    const list = make("ol");
    list.append(...why.causes.map((it) => make("li", it, "bad")));
    if (why.causes.length) box.append(list); else box.append(make("p", "Nothing hides this draw.", "good"));
    const lines = why.samples.map(([name, count]) => line([count, `samples ${name}`]));
    lines.push(line([why.changed, "texels changed"]));
    if (why.mesh) for (const [name, count] of Object.entries(why.mesh)) if (count) lines.push(line([count, name === "primitives" ? name : `primitives ${name.replace("_", " ")}`]));
    box.append(table(["", ""], lines), ...why.notes.map((it) => make("p", it, "dim")));
  },
  async shader(box) {
    for (const [stage, handle, made] of state.shaders) {
      const code = await ask("shader", { call, stage });
      const columns = make("div", undefined, "columns");
      columns.append(make("pre", code.text), make("pre", code.lanes));
      const head = make("h3", `${stage} ${handle} `);
      head.append(link(made));
      box.append(head, columns);
    }
    if (!state.shaders.length) box.append("No shader is bound.");
  },
  async debug(box) {
    if (panels.vertex) {
      const { vertex } = panels;
      return steps(box, `vertex ${vertex} of call ${call}`, await ask("debug", { call, vertex }));
    }
    if (!at) return box.append("Click a pixel of the draw first.");
    const fragment = panels.fragment || 0;
    const run = await ask("debug", { call, ...at, fragment, ...sample() });
    const of = run.sample === null ? "" : `sample ${run.sample} of `;
    steps(box, `fragment ${fragment} of call ${call} at ${of}(${at.x}, ${at.y})`, run);
  },
  async vertices(box) {
    const list = await ask("vertices", { call });
    const lines = list.rows.map(([number, values], at) => {
      const step = make("span", "step", "link");
      step.dataset.vertex = at;
      return line([step, number, ...values]);
    });
    box.append(table(["", "vertex", ...list.inputs], lines));
  },
  async mesh(box) {
    const only = panels.unseen ? { only: "unseen" } : {};
    const mesh = await ask("mesh", { call, first: panels.first || 0, ...only });
    const { primitives, ...others } = mesh.counts;
    const counts = Object.entries({ primitives, ...others }).filter(([, count]) => count)
      .map(([name, count]) => line([count, name === "primitives" ? name : `primitives ${name.replace("_", " ")}`]));
    const unseen = make("label", "only primitives that are not seen whole "), check = make("input");
    check.type = "checkbox";
    check.checked = !!panels.unseen;
    check.onchange = () => { panels.unseen = check.checked; panels.first = 0; panel(); };
    unseen.prepend(check);
    const lines = [];
    for (const it of mesh.primitives) {
      const seen = it.fate === "in the view" ? "good" : it.fate.startsWith("clipped") ? "" : "bad";
      const row = line([it.number, make("span", it.fate, seen)], "event");
      row.dataset.primitive = it.number;
      lines.push(row);
      for (const vertex of it.vertices) {
        const [x, y, z] = vertex.window.map((value) => Number(value.toPrecision(7)));
        lines.push(line(["", `(${x}, ${y}) depth ${z}`, ...vertex.outputs.map((value) => texel(value))]));
      }
    }
    const columns = make("div", undefined, "columns");
    const left = make("div"), right = make("div");
    left.append(make("div", `after the ${mesh.stage} stage`, "dim"), table(["", ""], counts), unseen);
    right.append(table(["", "in the window", ...mesh.outputs], lines));
    const last = mesh.primitives.at(-1);
    if (last && mesh.primitives.length === 100) {
      const more = make("span", "more", "link");
      more.dataset.first = last.number + 1;
      right.append(more);
    }
    columns.append(left, right);
    columns.classList.add("narrow");
    box.append(columns);
  },
  async resources(box) {
    const list = await ask("resources", { call });
    const lines = list.map((it) => {
      const name = make("span", it.resource, it.is_buffer ? "" : "link");
      if (!it.is_buffer) { name.dataset.resource = it.resource; name.dataset.samples = it.samples; }
      return line([name, it.what, link(it.call)]);
    });
    box.append(table(["", "", "created by"], lines));
  },
};

function steps(box, what, run) {
  const floats = (bits) => {
    const words = new Float32Array(new Uint32Array(bits).buffer);
    return [...words].map((it) => Number(it.toPrecision(7))).join(", ");
  };
  const lines = run.shown.map((it) => line([it.step, `${it.instruction}:`, it.text, floats(it.bits),
    it.bits.map((word) => word.toString(16).padStart(8, "0")).join(" ")]));
  box.append(make("div", `${what}: ${run.steps} steps`, "dim"), table(["step", "", "instruction", "result", "bits"], lines));
}

async function panel() {
  const mine = turn, box = make("div");
  for (const button of document.querySelectorAll("[data-tab]")) button.setAttribute("aria-selected", button.dataset.tab === tab);
  try { await panels[tab](box); }
  catch (error) { box.append(make("p", error.message, "bad")); }
  if (mine !== turn) return;
  box.dataset.call = call;
  box.dataset.of = tab;
  $("panel").replaceChildren(box);
}

/* ---- events ---- */
$("calls").addEventListener("scroll", () => requestAnimationFrame(rows));
$("calls").addEventListener("click", (event) => {
  const row = event.target.closest("[data-call]");
  if (row) go(row.dataset.call);
});
$("next").onclick = () => seek("next");
$("previous").onclick = () => seek("previous");
$("goto").onchange = () => go($("goto").value);
$("picture").onchange = () => pick(true);
$("kind").onchange = $("scope").onchange = () => { linked(); picture().catch((error) => say(error.message)); };
$("level").onchange = $("layer").onchange = () => picture().catch((error) => say(error.message));
$("sample").onchange = () => {
  wantedSample = $("sample").value === "" ? -1 : Number($("sample").value);
  linked();
  picture().catch((error) => say(error.message));
  panel();
};
$("in").onclick = () => { zoom *= 2; scale(); };
$("out").onclick = () => { zoom /= 2; scale(); };
$("fit").onclick = fit;
$("view").addEventListener("wheel", (event) => {
  if (!event.ctrlKey) return;
  event.preventDefault();
  zoom = Math.min(64, Math.max(1 / 16, zoom * (event.deltaY < 0 ? 2 : 0.5)));
  scale();
}, { passive: false });
$("canvas").addEventListener("mousemove", point);
$("canvas").addEventListener("click", (event) => {
  at = under(event);
  panels.fragment = 0;
  panels.vertex = null;
  tab = "history";
  mark();
  panel();
});
$("theme").onclick = () => {
  const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = root.dataset.theme || (dark ? "dark" : "light");
  root.dataset.theme = now === "dark" ? "light" : "dark";
};
document.querySelector("[role=tablist]").addEventListener("click", (event) => {
  const button = event.target.closest("[data-tab]");
  if (button) { tab = button.dataset.tab; linked(); panel(); }
});
$("panel").addEventListener("click", async (event) => {
  const { goto, step, of, resource, samples, vertex, first: from } = event.target.dataset;
  if (goto) go(goto);
  if (step !== undefined) { panels.fragment = Number(step); panels.vertex = null; tab = "debug"; await go(of); panel(); }
  if (vertex !== undefined) { panels.vertex = vertex; tab = "debug"; panel(); }
  if (from !== undefined) { panels.first = Number(from); panel(); }
  if (resource) {
    const option = make("option", resource);
    option.value = JSON.stringify({ role: "resource", resource, level: 0, layer: 0, samples: Number(samples) });
    $("picture").append(option);
    $("picture").value = option.value;
    pick(true);
  }
});
addEventListener("keydown", (event) => {
  if (/INPUT|SELECT|TEXTAREA/.test(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
  const keys = { n: () => seek("next"), p: () => seek("previous"), ArrowDown: () => go(call + 1), ArrowUp: () => go(call - 1),
    "+": $("in").onclick, "-": $("out").onclick, 0: fit };
  const act = keys[event.key];
  if (act) { event.preventDefault(); act(); }
});
const wanted = () => {
  const pixel = location.hash.match(/pixel=(\d+),(\d+)/);
  if (pixel) at = { x: Number(pixel[1]), y: Number(pixel[2]) };
  const named = (name) => (location.hash.match(new RegExp(`[#&]${name}=(\\w+)`)) || [])[1];
  if (typeof panels[named("tab")] === "function") tab = named("tab");
  $("kind").value = named("view") || "";
  $("scope").value = named("scope") || "draw";
  panels.vertex = named("vertex") || panels.vertex;
  wantedSample = named("sample") === undefined ? -1 : Number(named("sample"));
  return Number(named("call")) || 0;
};
addEventListener("hashchange", () => { const next = wanted(); if (next) go(next); });
addEventListener("resize", rows);

ask("summary").then(async (value) => {
  summary = value;
  $("summary").textContent = `${value.calls} calls, ${value.draws} draws and copies, ${value.frames} frames, recorded on ${value.driver}`;
  $("goto").max = value.calls;
  $("spacer").style.height = `${height()}px`;
  rows();
  watch();
  const linkedCall = wanted();
  if (linkedCall) await go(linkedCall);
  else { const { call: found } = await ask("seek", { call: 0, to: "next" }); await go(found || 1); }
  if (value.end) say(value.end);
}).catch((error) => say(error.message));
