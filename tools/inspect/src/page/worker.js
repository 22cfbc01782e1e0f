/* The thread of the engine: answers the addresses that the server answers. */
let inner = null;
onmessage = async ({ data: { engine, recording, number, address } }) => {
  if (engine) {
    inner = engineOf(engine, () => unpacked(recording));
    return;
  }
  try {
    const answer = await inner.run(new TextEncoder().encode(address));
    const status = new DataView(answer.buffer).getUint16(0, true);
    postMessage({ number, status, bytes: answer.slice(2) });
  } catch (error) { postMessage({ number, error: error.message }); }
};
