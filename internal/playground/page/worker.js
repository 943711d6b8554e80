"use strict";
// A web worker with the program in it. It is given the program as a module, or loads it and hands it back, so
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

// counted passes a stream on and tells how much has come.
const counted = (stream, size) => {
  let loaded = 0, told = 0;
  return stream.pipeThrough(new TransformStream({
    transform(chunk, out) {
      loaded += chunk.byteLength;
      if (performance.now() - told > 50 || loaded === size) {
        told = performance.now();
        postMessage({type: "loading", loaded, size});
      }
      out.enqueue(chunk);
    },
  }));
};

// peeked is a stream with its first bytes.
const peeked = async (stream) => {
  const reader = stream.getReader();
  const {value, done} = await reader.read();
  const rest = new ReadableStream({
    start(out) {
      if (done) out.close(); else out.enqueue(value);
    },
    async pull(out) {
      const next = await reader.read();
      if (next.done) out.close(); else out.enqueue(next.value);
    },
  });
  return {first: value || new Uint8Array(), rest};
};

// program loads the compressed program, which a host may have decompressed by itself, or else the program as it is.
const program = async (sizes) => {
  let response = "DecompressionStream" in self ? await fetched("lockpick.wasm.gz") : null;
  const packed = response !== null;
  if (!packed) response = await fetched("lockpick.wasm");
  if (response === null) throw new Error("neither lockpick.wasm.gz nor lockpick.wasm is beside this page");
  const {first, rest} = await peeked(response.body);
  const zipped = first[0] === 0x1f && first[1] === 0x8b;
  let stream = counted(rest, zipped ? sizes.packed : sizes.size);
  if (zipped) stream = stream.pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compileStreaming(new Response(stream, {headers: {"Content-Type": "application/wasm"}}));
};

const start = async (module, sizes) => {
  try {
    if (!module) {
      module = await program(sizes);
      postMessage({type: "module", module});
    }
    const go = new Go();
    const instance = await WebAssembly.instantiate(module, go.importObject);
    await go.run(instance);
    postMessage({type: "died", reason: "the program has ended"});
  } catch (error) {
    postMessage({type: "died", reason: String(error.message || error)});
  }
};

addEventListener("message", ({data}) => {
  if (data.start) start(data.module, data.sizes);
  else if (data.do && self.lockpick) self.lockpick[data.do](data.with);
});
