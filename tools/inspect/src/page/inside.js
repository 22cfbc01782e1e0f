"use strict";
/* The engine and the recording inside this file: answers without a server. */
globalThis.inside = (() => {
  const text = (id) => document.getElementById(id).textContent;
  const worker = new Worker(URL.createObjectURL(new Blob([text("worker")], { type: "text/javascript" })));
  const waiting = new Map();  // the requests that are not answered, by number
  let last = 0;
  worker.onmessage = ({ data: { number, error, status, bytes } }) => {
    const { resolve, reject } = waiting.get(number);
    waiting.delete(number);
    if (error === undefined) resolve({ status, bytes }); else reject(new Error(error));
  };
  worker.postMessage({ engine: text("engine"), recording: text("recording") });
  return (address) => new Promise((resolve, reject) => {
    waiting.set(++last, { resolve, reject });
    worker.postMessage({ number: last, address });
  });
})();
