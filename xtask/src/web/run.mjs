// Drives a browser: node run.mjs '{"browser": PATH, "steps": [["goto", URL], …]}'
//
// Steps: ["goto", URL], ["wait", EXPRESSION], ["value", EXPRESSION], ["click", SELECTOR], ["fill", SELECTOR, TEXT],
// ["press", KEYS], ["dark", BOOLEAN], ["size", WIDTH, HEIGHT], ["shot", FILE]. Prints the values as one JSON list.
import { chromium } from 'playwright-core';

const { browser, steps } = JSON.parse(process.argv[2]);
const running = await chromium.launch({
  executablePath: browser,
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
});
const page = await running.newPage({ viewport: { width: 1360, height: 860 } });
const wrong = [];
page.on('pageerror', (error) => wrong.push(String(error)));
page.on('console', (line) => { if (line.type() === 'error') wrong.push(line.text()); });
const values = [];
const kinds = {
  // A page that is only left for another fragment is not loaded again.
  async goto(url) { await page.goto('about:blank'); await page.goto(url); },
  async wait(expression) { await page.waitForFunction(expression, undefined, { timeout: 30000 }); },
  async value(expression) { values.push(await page.evaluate(expression)); },
  click: (selector) => page.click(selector),
  fill: (selector, text) => page.fill(selector, text),
  press: (keys) => page.keyboard.type(keys),
  dark: (is) => page.emulateMedia({ colorScheme: is ? 'dark' : 'light' }),
  size: (width, height) => page.setViewportSize({ width, height }),
  shot: (path) => page.screenshot({ path }),
};
try {
  for (const [kind, ...rest] of steps) {
    try { await kinds[kind](...rest); }
    catch (error) { throw new Error(`${JSON.stringify([kind, ...rest]).slice(0, 300)}: ${error.message}`); }
  }
  if (wrong.length) throw new Error(wrong.join('\n'));
  console.log(JSON.stringify(values));
} catch (error) {
  console.error(`${error.message}\nerrors of the page: ${wrong.join('\n')}`);
  process.exitCode = 1;
} finally {
  await running.close();
}
