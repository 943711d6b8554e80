"use strict";
// A web worker with one of the programs in it. It is given the program as a module, or loads it and hands it back, so
// that the next worker need not load it again.
importScripts("wasm_exec.js");

self.lockpickTell = (text) => postMessage(JSON.parse(text));

// fetched is the response of an address, or null if there is nothing there.
const fetched = async (address) => {
  try {
    const response = await fetch(address);
    return response.ok ? response : null;
  } catch {
    return null;
  }
};

// opened reads the first bytes of a stream, and passes all of it on while it tells how much has come.
const opened = async (stream) => {
  const reader = stream.getReader();
  let next = await reader.read();
  const first = next.value || new Uint8Array();
  const zipped = first[0] === 0x1f && first[1] === 0x8b;
  let loaded = 0, told = 0;
  const rest = new ReadableStream({
    async pull(out) {
      if (next.done || performance.now() - told > 50) {
        told = performance.now();
        postMessage({type: "loading", loaded, zipped});
      }
      if (next.done) {
        out.close();
        return;
      }
      loaded += next.value.byteLength;
      out.enqueue(next.value);
      next = await reader.read();
    },
  });
  return {zipped, rest};
};

// load loads a compressed program, which a host may have decompressed by itself, or else the program as it is.
const load = async (program) => {
  let response = "DecompressionStream" in self ? await fetched(`${program}.wasm.gz`) : null;
  if (response === null) response = await fetched(`${program}.wasm`);
  if (response === null) throw new Error(`neither ${program}.wasm.gz nor ${program}.wasm is beside this page`);
  const {zipped, rest} = await opened(response.body);
  const stream = zipped ? rest.pipeThrough(new DecompressionStream("gzip")) : rest;
  return WebAssembly.compileStreaming(new Response(stream, {headers: {"Content-Type": "application/wasm"}}));
};

const start = async (program, module) => {
  try {
    if (!module) {
      module = await load(program);
      postMessage({type: "module", module});
    }
    const go = new Go();
    go.env.GOGC = "400"; // a run leaves little, and there is one thread
    const instance = await WebAssembly.instantiate(module, go.importObject);
    await go.run(instance);
    postMessage({type: "died", reason: "the program has ended"});
  } catch (error) {
    postMessage({type: "died", reason: String(error.message || error)});
  }
};

addEventListener("message", ({data}) => {
  if (data.start) start(data.start, data.module);
  else if (data.do && self.lockpick) self.lockpick[data.do](data.with);
});
