// Works with the inspector's live page while an OpenGL program draws: node run.mjs LINK FOLDER
// Holds draws, reads the state, disables a shader, replaces it by TGSI and by WGSL, and lets the program run on.
// Writes pictures of the page to FOLDER. Ends with an error if the page does not do what it says.
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

const [link, folder] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1500, height: 950 } });
const errors = [];
page.on("pageerror", (error) => errors.push(error.message));
await page.goto(link);

const shot = (name) => page.screenshot({ path: `${folder}/${name}.png` });
const count = (name) => page.evaluate((name) => Number(document.getElementById("status").dataset[name]), name);
const message = () => page.textContent("#message");

// Holds the next call of a kind: clicks, and waits for a held call that is later than the one before.
async function hold(button, kind) {
  const [draws, presents] = [await count("draws"), await count("presents")];
  await page.click(button);
  await page.waitForFunction(([kind, draws, presents]) => {
    const data = document.getElementById("status").dataset;
    return data.held === kind && Number(data.draws) + Number(data.presents) > draws + presents;
  }, [kind, draws, presents]);
  // The picture follows the status.
  await page.waitForFunction(() =>
    document.getElementById("live").dataset.draws === document.getElementById("status").dataset.draws);
}

// Returns the colours of the picture, as [red, green, blue] texts with their numbers of pixels.
const colors = () => page.evaluate(() => {
  const image = document.getElementById("live"), canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const bytes = context.getImageData(0, 0, canvas.width, canvas.height).data, counts = {};
  for (let at = 0; at < bytes.length; at += 4) {
    const color = bytes.slice(at, at + 3).join();
    counts[color] = (counts[color] || 0) + 1;
  }
  return counts;
});

await page.waitForFunction(() => Number(document.getElementById("status").dataset.draws) > 0);

// Draws are stepped one by one.
await hold("#draw", "draw_vbo");
const first = await count("draws");
await hold("#draw", "draw_vbo");
assert.equal(await count("draws"), first + 1, "one draw later");
const state = await page.textContent("#state");
for (const part of ["framebuffer", "shaders", "vertices", "rasterizer", "surfaces"]) {
  assert.ok(state.includes(part), `the state has the ${part}`);
}
assert.ok(await page.locator("#resources [data-resource]").count() > 0, "textures are listed");
await shot("held");

// A whole frame, and the draws of the fragment shader dropped from it.
await hold("#present", "flush");
const whole = Object.keys(await colors()).length;
assert.ok(whole > 3, `the program's frame has ${whole} colours`);
await shot("frame");
const fragment = page.locator("[data-stage=Fragment][data-bound=true]").first();
await fragment.click();
await page.waitForFunction(() => document.getElementById("text").value.startsWith("FRAG"));
const text = await page.inputValue("#text");
const box = page.locator(".call:has([data-stage=Fragment][data-bound=true]) input").first();
await box.uncheck();
await hold("#present", "flush");
await hold("#present", "flush");
assert.equal(Object.keys(await colors()).length, 1, "only the clear is left");
await shot("disabled");
await page.locator(".call:has([data-stage=Fragment][data-bound=true]) input").first().check();

// The shader replaced by TGSI, by WGSL, and taken back.
async function replaced(text, color, name) {
  await page.fill("#text", text);
  await page.click("#apply");
  await page.waitForSelector("text=(edited)");
  await hold("#present", "flush");
  await hold("#present", "flush");
  const found = await colors();
  assert.ok(found[color] > 100, `${name}: ${JSON.stringify(found)}`);
  await shot(name);
}
const green = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {0.0, 1.0, 0.0, 1.0}\nMOV OUT[0], IMM[0]\nEND\n";
await replaced(green, "0,255,0", "tgsi");
const blue = "@fragment fn blue() -> @location(0) vec4f { return vec4f(0, 0, 1, 1); }";
await replaced(blue, "0,0,255", "wgsl");
await page.fill("#text", "@fragment fn wrong( {");
await page.click("#apply");
await page.waitForFunction(() => document.getElementById("message").textContent.includes("shader.wgsl:1:"));
await shot("refused");
await page.click("#restore");
await page.waitForFunction((text) => document.getElementById("text").value === text, text);
await hold("#present", "flush");
await hold("#present", "flush");
const back = await colors();
assert.equal(back["0,0,255"], undefined, "the program's own shader is back");
assert.ok(Object.keys(back).length > 3);

// Only draws that use the shader, and have this number of vertices.
await hold("#draw", "draw_vbo");
const vertices = (await page.textContent("#status")).match(/(\d+) vertices/)[1];
await page.fill("#vertices", vertices);
await page.selectOption("#with", { index: 1 });
await hold("#match", "draw_vbo");
assert.ok((await page.textContent("#status")).includes(`${vertices} vertices`));

await page.click("#run");
const before = await count("presents");
await page.waitForFunction((before) => Number(document.getElementById("status").dataset.presents) > before + 10, before);
assert.equal(await page.evaluate(() => document.getElementById("status").dataset.held), "");
await shot("running");
assert.equal(await message(), "");
assert.deepEqual(errors, []);
await browser.close();
console.log("held, stepped, disabled, replaced and taken back");
