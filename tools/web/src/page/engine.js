"use strict";
/* Engines: WebAssembly that answers bytes with bytes. */

/* Returns the contents of a packed part of the page: gzip, as base64. */
function unpacked(text) {
  const STEP = 1 << 20;  // characters; four of them are three bytes
  let at = 0;
  const bytes = new ReadableStream({
    pull(to) {
      const part = atob(text.slice(at, at + STEP)), into = new Uint8Array(part.length);
      for (let index = 0; index < part.length; index++) into[index] = part.charCodeAt(index);
      to.enqueue(into);
      at += STEP;
      if (at >= text.length) to.close();
    },
  });
  return new Response(bytes.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

/* Returns an engine. It starts with the first request, and again after it has stopped. `packed` is its module;
   `open` returns the bytes that each start begins with, for an engine that needs them. */
function engineOf(packed, open) {
  let module = null, starting = null, exported = null;

  function call(name, bytes) {
    const at = exported.request(bytes.length) >>> 0;
    new Uint8Array(exported.memory.buffer, at, bytes.length).set(bytes);
    const length = exported[name]();
    return new Uint8Array(exported.memory.buffer, exported.answer() >>> 0, length).slice();
  }

  async function start() {
    module ??= await WebAssembly.compile(await unpacked(packed));
    const instance = await WebAssembly.instantiate(module, { page: { now: () => performance.now() } });
    exported = instance.exports;
    if (!open) return;
    const refusal = call("open", new Uint8Array(await open()));
    if (refusal.length) throw new Error(new TextDecoder().decode(refusal));
  }

  return {
    async run(bytes) {
      starting ??= start();
      await starting;
      try {
        return call("run", bytes);
      } catch (error) {
        starting = null;
        throw new Error(`the engine stopped: ${error.message}`);
      }
    },
  };
}
