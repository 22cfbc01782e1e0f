"use strict";
const $ = (id) => document.getElementById(id);
const token = new URLSearchParams(location.search).get("token") || "";
let chosen = null;   // the shader in the editor
let shown = null;    // the resource in the picture; null: the first colour buffer
let status = null;
let seen = "";       // the held call that the picture and the state belong to
let zoom = 1;
let url = null;
let listed = "";     // the resources in the list

async function ask(path, parameters = {}, post) {
  const query = new URLSearchParams({ screen: $("screen").value, ...parameters });
  const options = { headers: { "X-Token": token } };
  if (post !== undefined) { options.method = "POST"; options.body = post; }
  const answer = await fetch(`/api/${path}?${query}`, options);
  if (path === "picture" && answer.ok) return answer.blob();
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.error);
  return value;
}

function say(text) {
  $("message").hidden = !text;
  $("message").textContent = text || "";
}

const act = (run) => async () => {
  try {
    await run();
    say("");
    seen = "";
    await refresh();
  } catch (error) { say(error.message); }
};

function make(name, text, kind) {
  const node = document.createElement(name);
  node.textContent = text;
  if (kind) node.className = kind;
  return node;
}

/* Replaces the options of a list, and keeps the chosen one. */
function options(select, list) {
  if ([...select.options].map((it) => it.value + it.text).join() === list.map(([value, text]) => value + text).join()) return;
  const value = select.value;
  select.replaceChildren(...list.map(([value, text]) => {
    const option = make("option", text);
    option.value = value;
    return option;
  }));
  if (list.some(([known]) => String(known) === value)) select.value = value;
}

/* One refresh after the other, so that a late answer never replaces a newer one. */
let last = Promise.resolve();
function refresh() {
  last = last.catch(() => {}).then(refreshed);
  return last;
}

async function refreshed() {
  const answer = await ask("status");
  status = answer.status;
  options($("screen"), answer.screens.map((number) => [number, String(number)]));
  if (!status) {
    $("status").textContent = "the program has no screen";
    $("shaders").replaceChildren();
    return;
  }
  const held = status.held ? `held at ${status.held.name} of context ${status.held.context} (${status.held.what || "the end of a frame"})` :
    status.stop === "never" ? "running" : `stops at the next ${status.stop}`;
  $("status").textContent = `${held}; ${status.draws} draws, ${status.dropped} dropped, ${status.presents} presents, ` +
    `${status.contexts} contexts, ${status.resources} resources`;
  $("status").dataset.held = status.held ? status.held.name : "";
  $("status").dataset.draws = status.draws;
  $("status").dataset.presents = status.presents;
  options($("with"), [["", "any shader"], ...status.shaders.map((it) =>
    [JSON.stringify([it.context, it.shader]), `${it.stage} ${it.shader} of context ${it.context}`])]);
  $("shaders").replaceChildren(...status.shaders.map(shader));
  const now = `${status.held ? "held" : ""} ${status.context} ${status.draws} ${status.presents}`;
  if (now === seen) return;
  showResources(await ask("resources"));
  if (status.context) await showState();
  if (status.held) await showPicture();
  seen = now;
}

function shader(it) {
  const row = make("div", "", "call");
  row.classList.toggle("current", !!chosen && chosen.context === it.context && chosen.shader === it.shader);
  const box = document.createElement("input");
  box.type = "checkbox";
  box.checked = !it.is_disabled;
  box.title = "draws with this shader";
  box.onchange = act(() => ask("disable", { context: it.context, shader: it.shader, value: String(!box.checked) }, ""));
  const kind = `${it.is_replaced ? " (edited)" : ""}${it.is_bound ? " · bound" : ""}`;
  const name = make("span", `${it.stage} ${it.shader}${kind}`, "link");
  name.dataset.shader = it.shader;
  name.dataset.stage = it.stage;
  name.dataset.bound = it.is_bound;
  name.dataset.context = it.context;
  name.onclick = act(() => open(it));
  row.append(box, name);
  return row;
}

function showResources(list) {
  // A program may have thousands: the newest are those of this frame.
  const text = JSON.stringify(list);
  if (text === listed) return;
  listed = text;
  const pictures = list.filter((it) => !it.is_buffer);
  options($("bound"), [["", "any resource"], ...list.slice(-500).map((it) => [it.resource, `${it.resource}: ${it.what}`])]);
  const row = (it) => {
    const row = make("div", "", "call");
    const name = make("span", it.resource, it.is_buffer ? "" : "link");
    if (!it.is_buffer) {
      name.dataset.resource = it.resource;
      name.onclick = act(async () => { shown = it.resource; });
    }
    row.append(name, make("span", ` ${it.what}`, "dim"));
    row.title = it.what;
    return row;
  };
  const buffers = list.filter((it) => it.is_buffer);
  const rows = [...pictures.slice(-500), ...buffers.slice(-500)].map(row);
  const left = list.length - rows.length;
  if (left > 0) rows.push(make("div", `… and ${left} more`, "dim"));
  $("resources").replaceChildren(...rows);
}

async function showState() {
  const context = status.held ? status.held.context : status.context;
  const state = await ask("state", { context });
  const nodes = [make("div", `context ${context}`, "dim")];
  for (const section of state.sections) {
    nodes.push(make("h2", section.title));
    const list = document.createElement("dl");
    for (const [name, value] of section.rows) list.append(make("dt", name), make("dd", value));
    nodes.push(list);
  }
  $("state").replaceChildren(...nodes);
}

async function showPicture() {
  const context = status.held ? status.held.context : status.context;
  const place = shown ? { resource: shown } : {};
  $("shown").textContent = shown || "first colour buffer";
  const blob = await ask("picture", { context, ...place });
  if (url) URL.revokeObjectURL(url);
  url = URL.createObjectURL(blob);
  $("live").src = url;
  await $("live").decode();
  $("live").dataset.draws = status.draws;
  scale();
}

function scale() {
  $("live").style.width = `${$("live").naturalWidth * zoom}px`;
  $("zoom").textContent = `${Math.round(zoom * 100)} %`;
}

async function open(it) {
  chosen = { context: it.context, shader: it.shader };
  $("edited").textContent = `${it.stage} ${it.shader} of context ${it.context}: TGSI, or WGSL with one entry point`;
  $("text").value = (await ask("shader", chosen)).text;
}

const stop = (parameters) => act(() => ask("stop", typeof parameters === "function" ? parameters() : parameters, ""));
$("draw").onclick = stop({ value: "draw" });
$("present").onclick = stop({ value: "present" });
$("run").onclick = stop({ value: "never" });
$("match").onclick = stop(() => {
  const value = { value: "uses" };
  if ($("with").value) [value.context, value.shader] = JSON.parse($("with").value);
  if ($("bound").value) value.resource = $("bound").value;
  if ($("vertices").value) value.vertices = $("vertices").value;
  return value;
});
const known = () => { if (!chosen) throw new Error("choose a shader first"); return chosen; };
$("apply").onclick = act(async () => { await ask("replace", known(), $("text").value); });
$("restore").onclick = act(async () => {
  await ask("replace", known(), "");
  $("text").value = (await ask("shader", chosen)).text;
});
$("shown").onclick = act(async () => { shown = null; });
$("shown").title = "Back to the first colour buffer";
$("in").onclick = () => { zoom = Math.min(zoom * 2, 32); scale(); };
$("out").onclick = () => { zoom = Math.max(zoom / 2, 1 / 16); scale(); };
$("theme").onclick = () => {
  const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = root.dataset.theme || (dark ? "dark" : "light");
  root.dataset.theme = now === "dark" ? "light" : "dark";
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /INPUT|TEXTAREA|SELECT/.test(event.target.tagName)) return;
  const button = { n: "draw", f: "present", r: "run" }[event.key.toLowerCase()];
  if (button) $(button).click();
});
$("screen").onchange = act(async () => { chosen = shown = null; listed = ""; });
async function poll() {
  try { await refresh(); } catch (error) { say(error.message); }
  setTimeout(poll, status && !status.held && status.stop !== "never" ? 100 : 1000);
}
poll();
