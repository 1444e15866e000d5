// Workers as functions: `ask` gives a promise. A worker that is ended is started again and told what it
// had been told, so that whoever asks next finds it as it was.

/** @typedef {{module: WebAssembly.Module|null, bytes: ArrayBuffer, url: string}} Library */

export class Ended extends Error {}

export class Engine {
  /** @param {Library} library  @param {string} name */
  constructor(library, name) {
    this.library = library;
    this.name = name;
    this.waiting = new Map();
    this.next = 1;
    this.state = [];
    this.memory = 0;
    this.turn = Promise.resolve();
    this.onbusy = () => {};
    this.start();
  }

  start() {
    this.worker = new Worker(this.library.url, { name: this.name });
    this.worker.onmessage = ({ data }) => this.heard(data);
    this.worker.onerror = (event) => {
      event.preventDefault?.();
      this.end(`the worker failed: ${event.message}`);
    };
    const { module, bytes } = this.library;
    try {
      this.worker.postMessage(module ? { module } : { bytes });
    } catch {
      this.worker.postMessage({ bytes });
    }
    for (const request of this.state) this.worker.postMessage({ id: 0, request });
  }

  heard({ id, answer, trapped, memory, ready }) {
    if (ready) return;
    if (memory) this.memory = memory;
    if (trapped) {
      this.end(`the library stopped: ${trapped}`);
      return;
    }
    const open = this.waiting.get(id);
    if (!open) return;
    this.waiting.delete(id);
    this.onbusy(this);
    if (answer && answer.error) open.reject(new Error(answer.error));
    else open.resolve(answer);
  }

  /** Asks; `keep` names what a new worker must be told again (the latest of each name). */
  ask(request, keep) {
    if (keep) {
      this.state = this.state.filter((each) => each.do !== request.do);
      this.state.push(request);
    }
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, since: performance.now(), what: request.do });
      this.worker.postMessage({ id, request });
      this.onbusy(this);
    });
  }

  /** Questions that build on each other, with none of another such task between them. */
  alone(task) {
    const mine = this.turn.then(task);
    this.turn = mine.catch(() => {});
    return mine;
  }

  /** What it has been at for the longest time: `{what, since}`. */
  get oldest() {
    let found = null;
    for (const each of this.waiting.values()) if (!found || each.since < found.since) found = each;
    return found;
  }

  /** Ends the worker, whatever it is doing, and starts another. */
  end(why = "stopped") {
    this.worker.terminate();
    const open = [...this.waiting.values()];
    this.waiting.clear();
    this.start();
    this.onbusy(this);
    open.forEach((each) => each.reject(new Ended(why)));
  }
}

/** Only the latest of many questions is asked: while one is open, newer ones replace each other. */
export function latest(ask) {
  let open = false;
  let queued = null;
  const go = async (question) => {
    open = true;
    try {
      await ask(question);
    } finally {
      open = false;
      if (queued) {
        const next = queued;
        queued = null;
        go(next.question);
      }
    }
  };
  return (question) => {
    if (open) queued = { question };
    else go(question);
  };
}
