// Workers as functions: `ask` gives a promise. A worker that is ended is started again and told what it
// had been told, so that whoever asks next finds it as it was.

/** @typedef {{module: WebAssembly.Module|null, bytes: ArrayBuffer, url: string}} Library */

export class Ended extends Error {}

/** Questions about the text that take no time: where long work is ended because of a newer text, they are asked again. */
const BRIEF = ["change", "complete", "hover", "signature", "actions", "definition", "format", "rename", "data"];

/** The pause before a worker that could not start is started again, in ms, and the tries in a row. */
const PAUSE = 200;
const MOST_FAILURES = 6;

export class Engine {
  /** @param {Library} library  @param {string} name */
  constructor(library, name) {
    this.library = library;
    this.name = name;
    this.waiting = new Map();
    this.next = 1;
    this.state = [];
    this.memory = 0;
    this.failures = 0;
    this.turn = Promise.resolve();
    this.onbusy = () => {};
    this.start();
  }

  start() {
    const worker = new Worker(this.library.url, { name: this.name });
    this.worker = worker;
    // A worker that is ended may have spoken already.
    worker.onmessage = ({ data }) => worker === this.worker && this.heard(data);
    worker.onerror = (event) => {
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

  heard({ id, answer, trapped, memory, ready, failed }) {
    if (ready) this.failures = 0;
    if (failed) this.retry(failed);
    if (ready || failed) return;
    if (memory) this.memory = memory;
    const open = this.waiting.get(id);
    if (trapped) {
      // What stopped the library once would stop it again.
      if (!open) this.state = [];
      this.end(`the library stopped: ${trapped}`);
      return;
    }
    if (!open) return;
    this.waiting.delete(id);
    this.onbusy(this);
    if (answer && answer.error) open.reject(new Error(answer.error));
    else open.resolve(answer);
  }

  /** The memory of a worker that was ended is not free at once, so that the next one may find none. */
  retry(why) {
    this.failures += 1;
    const { worker } = this;
    if (this.failures > MOST_FAILURES) this.end(`the library could not start: ${why}`);
    else setTimeout(() => worker === this.worker && this.renew(() => true), PAUSE * this.failures);
  }

  /** Asks; `keep` names what a new worker must be told again (the latest of each name). */
  ask(request, keep) {
    if (keep) {
      this.forget("derive");
      this.keep(request);
    }
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, request, since: performance.now(), what: request.do });
      this.worker.postMessage({ id, request });
      this.onbusy(this);
    });
  }

  /** A new worker is told this too: the latest of each name. */
  keep(request) {
    this.forget(request.do);
    this.state.push(request);
  }

  forget(what) {
    this.state = this.state.filter((each) => each.do !== what);
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

  /** Ends the worker, whatever it is doing, and starts another. No open question has an answer. */
  end(why = "stopped") {
    this.renew(() => false, why);
  }

  /**
   * Ends long work on a text that is about to change. Brief questions that wait behind it are asked again, in their
   * order: an open `change` before the questions about its text.
   */
  supersede(why) {
    this.forget("derive");
    this.renew(({ what }) => BRIEF.includes(what), why);
  }

  renew(isAskedAgain, why) {
    this.worker.terminate();
    const ended = [...this.waiting].filter(([, open]) => !isAskedAgain(open));
    for (const [id] of ended) this.waiting.delete(id);
    this.start();
    for (const [id, { request }] of this.waiting) this.worker.postMessage({ id, request });
    this.onbusy(this);
    ended.forEach(([, open]) => open.reject(new Ended(why)));
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
