// One worker: the library in WebAssembly, asked and answering in JSON. What takes long is ended by ending
// the worker, so nothing here knows of time.

let library = null;

// One after the other: what is asked before the library is there waits for it.
let turn = Promise.resolve();

self.onmessage = ({ data }) => {
  turn = turn.then(() => heard(data));
};

async function heard(data) {
  if (data.module || data.bytes) {
    try {
      const module = data.module ?? (await WebAssembly.compile(data.bytes));
      library = (await WebAssembly.instantiate(module, {})).exports;
      self.postMessage({ ready: true });
    } catch (fault) {
      self.postMessage({ failed: String(fault) });
    }
    return;
  }
  if (!library) return;
  let answer;
  try {
    answer = call(data.request);
  } catch (fault) {
    // After a trap the instance must not be used again.
    self.postMessage({ id: data.id, trapped: String(fault) });
    return;
  }
  self.postMessage({ id: data.id, answer, memory: library.memory.buffer.byteLength });
}

function call(request) {
  const bytes = new TextEncoder().encode(JSON.stringify(request));
  const at = library.room(bytes.length);
  new Uint8Array(library.memory.buffer, at, bytes.length).set(bytes);
  const from = library.call();
  const answer = new Uint8Array(library.memory.buffer, from, library.length());
  return JSON.parse(new TextDecoder().decode(answer));
}
