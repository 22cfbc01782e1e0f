"use strict";
const $ = (id) => document.getElementById(id);
const token = new URLSearchParams(location.search).get("token") || "";
let chosen = null;
let picture = null;

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

const act = (run) => () => run().then(() => say(""), (error) => say(error.message)).then(refresh);

function make(name, text, kind) {
  const node = document.createElement(name);
  node.textContent = text;
  if (kind) node.className = kind;
  return node;
}

async function refresh() {
  const { screens, status } = await ask("status");
  const known = [...$("screen").options].map((option) => Number(option.value));
  if (known.join() !== screens.join()) {
    $("screen").replaceChildren(...screens.map((number) => {
      const option = make("option", number);
      option.value = number;
      return option;
    }));
  }
  if (!status) { $("status").textContent = "the program has no screen"; return; }
  const held = status.held ? `held at ${status.held.name} of context ${status.held.context}` :
    status.stop === "never" ? "running" : `stops at the next ${status.stop}`;
  $("status").textContent = `${held}; ${status.draws} draws, ${status.dropped} dropped, ${status.presents} presents, ` +
    `${status.contexts} contexts, ${status.resources} resources`;
  $("status").dataset.held = status.held ? status.held.name : "";
  $("status").dataset.draws = status.draws;
  $("shaders").replaceChildren(...status.shaders.map((it) => {
    const row = make("div", "", "call");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = !it.is_disabled;
    box.title = "draws with this shader";
    box.onchange = act(() => ask("disable", { context: it.context, shader: it.shader, value: String(!box.checked) }, ""));
    const name = make("span", `${it.stage} ${it.shader}${it.is_replaced ? " (edited)" : ""}`, "link");
    name.dataset.shader = it.shader;
    name.dataset.stage = it.stage;
    name.onclick = act(() => open(it));
    row.append(box, name);
    return row;
  }));
  if (status.held) await show(status.held.context);
}

async function show(context) {
  try {
    const blob = await ask("picture", { context });
    if (picture) URL.revokeObjectURL(picture);
    picture = URL.createObjectURL(blob);
    $("live").src = picture;
  } catch (error) { say(error.message); }
}

async function open(it) {
  chosen = { context: it.context, shader: it.shader };
  $("edited").textContent = `${it.stage} ${it.shader} of context ${it.context}`;
  $("text").value = (await ask("shader", chosen)).text;
}

$("draw").onclick = act(() => ask("stop", { value: "draw" }, ""));
$("present").onclick = act(() => ask("stop", { value: "present" }, ""));
$("run").onclick = act(() => ask("stop", { value: "never" }, ""));
$("apply").onclick = act(() => ask("replace", chosen, $("text").value));
$("restore").onclick = act(async () => {
  await ask("replace", chosen, "");
  $("text").value = (await ask("shader", chosen)).text;
});
setInterval(() => refresh().catch((error) => say(error.message)), 1000);
refresh().catch((error) => say(error.message));
