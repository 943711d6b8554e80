// A web worker that searches. It is replaced when it does not answer, and when it can make no other run.
export class Engine {
  // hear is called with each message of the program; ended is called with a reason when a worker was ended
  // in the middle of something. sizes are those of the program.
  constructor(sizes, hear, ended) {
    this.sizes = sizes;
    this.hear = hear;
    this.ended = ended;
    this.module = null;
    this.begin();
  }

  begin() {
    this.ready = false;
    this.busy = 0;
    this.spent = false;
    this.waiting = [];
    this.worker = new Worker("worker.js");
    this.worker.onmessage = ({data}) => this.heard(data);
    this.worker.onerror = (event) => this.replace(`its worker failed: ${event.message || "unknown"}`);
    this.worker.postMessage({start: true, module: this.module, sizes: this.sizes});
  }

  // ask has the program do something, when it has done what was asked before.
  ask(what, arg) {
    if (this.spent) this.replace();
    this.busy++;
    if (this.ready) this.send(what, arg); else this.waiting.push([what, arg]);
  }

  send(what, arg) {
    this.worker.postMessage({do: what, with: arg});
    this.watch();
  }

  // stop ends what is being done. A worker that does not hear it is replaced.
  stop() {
    this.waiting.length = 0;
    if (!this.ready) {
      this.busy = 0;
      return;
    }
    if (this.busy === 0) return;
    this.worker.postMessage({do: "stop"});
    clearTimeout(this.stopping);
    this.stopping = setTimeout(() => this.replace("its run did not end when it was stopped"), 2000);
  }

  // watch ends the worker if it says nothing for as long: while it does something it is heard several times a second.
  watch() {
    clearTimeout(this.watching);
    if (this.busy === 0 || !this.ready) return;
    const seconds = Number(document.documentElement.dataset.silence);
    this.watching = setTimeout(() => this.replace(`a run did not return within ${seconds} s: it waits or spins for ever`), seconds * 1000);
  }

  heard(message) {
    switch (message.type) {
      case "module":
        this.module = message.module;
        return;
      case "ready":
        this.ready = true;
        this.hear(message);
        for (const [what, arg] of this.waiting) this.send(what, arg);
        this.waiting.length = 0;
        return;
      case "died":
        this.died(message.reason);
        return;
      case "idle":
        this.busy--;
        if (this.busy === 0) clearTimeout(this.stopping);
        break;
    }
    if (message.spent) this.spent = true;
    this.watch();
    this.hear(message);
  }

  // died is the end of a worker by itself. One that did not even begin is not replaced: the next would not begin either.
  died(reason) {
    if (this.ready) {
      this.replace(`the program has failed: ${reason}`);
      return;
    }
    this.worker.terminate();
    this.hear({type: "unusable", reason});
  }

  // replace begins again with another worker, and says why if something is lost by that.
  replace(reason) {
    clearTimeout(this.watching);
    clearTimeout(this.stopping);
    this.worker.terminate();
    this.begin();
    if (reason) this.ended(reason);
  }
}
