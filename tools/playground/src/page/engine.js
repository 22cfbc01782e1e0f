"use strict";
/* The engine: the driver as WebAssembly, which the page has inside. */
globalThis.engine = (() => {
  let module = null, exported = null, starting = null;

  /* Returns the contents of a part of the page: gzip, as base64. */
  async function unpacked(id) {
    const packed = await fetch(`data:application/gzip;base64,${document.getElementById(id).textContent}`);
    const stream = packed.body.pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  function start() {
    starting ??= (async () => {
      module ??= await WebAssembly.compile(await unpacked("engine"));
      const instance = await WebAssembly.instantiate(module, {});
      exported = instance.exports;
    })();
    return starting;
  }

  /* Returns the bytes of an answer. An engine that has stopped is started again for the next program. */
  function run(bytes) {
    try {
      const at = exported.request(bytes.length);
      new Uint8Array(exported.memory.buffer, at, bytes.length).set(bytes);
      const length = exported.run();
      return new Uint8Array(exported.memory.buffer, exported.answer(), length).slice();
    } catch (error) {
      starting = null;
      throw new Error(`the engine stopped: ${error.message}`);
    }
  }

  return {
    /* Draws a program: the values of the answer, and its pixels (RGBA). */
    async draw(program) {
      await start();
      const answer = run(new TextEncoder().encode(JSON.stringify(program)));
      const length = new DataView(answer.buffer).getUint32(0, true);
      const values = JSON.parse(new TextDecoder().decode(answer.subarray(4, 4 + length)));
      return { ...values, pixels: answer.subarray(4 + length) };
    },
  };
})();
