// A web worker with a program, which does one thing after the other. It is replaced when it does not answer, and when it
// can make no other run.
export class Engine {
  // program is the name of the program's file. hear is called with each message of the program and what it is about, as
  // ask was told; ended is called with a reason when a worker was ended in the middle of something. early, if any, is a
  // worker that has begun to load the program, with the messages that it has sent.
  constructor(program, hear, ended, early) {
    this.program = program;
    this.hear = hear;
    this.ended = ended;
    this.module = null;
    this.begin(early);
  }

  begin(early) {
    this.ready = false;
    this.jobs = []; // what they are about, in the order in which they are done
    this.spent = false;
    this.waiting = [];
    this.stopped = 0; // how many of the jobs were stopped
    this.worker = early ? early.worker : new Worker("worker.js");
    this.worker.onmessage = ({data}) => this.heard(data);
    this.worker.onerror = (event) => this.died(event.message || "unknown");
    if (early) for (const data of early.sent) this.heard(data);
    else this.worker.postMessage({start: this.program, module: this.module});
  }

  // ask has the program do something, when it has done what was asked before.
  ask(what, arg, about) {
    if (this.spent && what !== "show") this.replace();
    this.jobs.push(about);
    if (this.ready) this.send(what, arg); else this.waiting.push([what, arg]);
  }

  send(what, arg) {
    this.worker.postMessage({do: what, with: arg});
    this.watch();
  }

  get busy() { return this.jobs.length > 0; }

  // stop ends all that was asked for. A worker that does not end within ten seconds is replaced. The run in which it is
  // takes seconds on a busy machine, and with the worker go its findings.
  stop() {
    if (!this.ready) this.jobs.length = this.waiting.length = 0;
    if (!this.busy) return;
    this.stopped = this.jobs.length;
    this.worker.postMessage({do: "stop"});
    clearTimeout(this.stopping);
    this.stopping = setTimeout(() => this.replace("its run did not end when it was stopped"), 10_000);
  }

  // watch ends the worker if it says nothing for as long: while it does something it is heard several times a second.
  watch() {
    clearTimeout(this.watching);
    if (!this.busy || !this.ready) return;
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
        this.hear(message, null);
        for (const [what, arg] of this.waiting) this.send(what, arg);
        this.waiting.length = 0;
        return;
      case "died":
        this.died(message.reason);
        return;
      case "idle":
        this.jobs.shift();
        if (this.stopped > 0 && --this.stopped === 0) clearTimeout(this.stopping);
        break;
    }
    if (message.spent) this.spent = true;
    this.watch();
    this.hear(message, this.jobs[0]);
  }

  // died is the end of a worker by itself. One that did not even begin is not replaced: the next would not begin either.
  died(reason) {
    if (this.ready) {
      this.replace(`the program has failed: ${reason}`);
      return;
    }
    this.worker.terminate();
    this.hear({type: "unusable", reason}, null);
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
