// The interpreter behind a worker: questions out, answers back, in their order; stop() ends it and begins another one.
let compiled, worker, ready, waiting, number = 0;
let files = [];  // {name, bytes}: what a kernel imports, what its case reads

const bytes_of_page = () => {
  const text = document.getElementById('wasm')?.textContent;  // the page is one file
  if (!text) return null;
  const zipped = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Response(new Blob([zipped]).stream().pipeThrough(new DecompressionStream('gzip')));
};

const compile = async () => {
  const own = bytes_of_page();
  if (own) return WebAssembly.compile(await own.arrayBuffer());
  const reply = await fetch('tilescope.wasm');
  if (!reply.ok) throw new Error(`tilescope.wasm cannot be read (${reply.status})`);
  return reply.headers.get('content-type') === 'application/wasm' ? WebAssembly.compileStreaming(reply) : WebAssembly.compile(await reply.arrayBuffer());
};

const new_worker = () => {
  const text = document.getElementById('worker')?.textContent;
  return new Worker(text ? URL.createObjectURL(new Blob([text], {type: 'text/javascript'})) : 'worker.js');
};

export const start = () => {
  compiled ??= compile();
  const mine = worker = new_worker();
  waiting = new Map();
  ready = new Promise((done, fail) => {
    compiled.then((module) => mine.postMessage({module}), fail);
    mine.onerror = (e) => fail(new Error(e.message));
    mine.onmessage = ({data}) => {
      if (mine !== worker) return;
      if (data.ready) {
        mine.postMessage({files});
        return done();
      }
      const answered = waiting.get(data.id);
      waiting.delete(data.id);
      answered(data);
      if (data.answer.has_ended) stop();
    };
  });
  return ready;
};

const send = async (message) => {
  await ready;
  const id = ++number;
  return new Promise((done) => { waiting.set(id, done); worker.postMessage({...message, id}); });
};

export const given_files = () => files;
export const give_files = (list) => { files = list; ready?.then(() => worker.postMessage({files})); };

// {answer, ms, bytes}
export const ask = (question) => send({question});
export const call = async (question) => (await ask(question)).answer;

export const stop = () => {
  worker.terminate();
  const asked = [...waiting.values()];
  start();
  for (const done of asked) done({answer: {stopped: true}, ms: 0, bytes: 0});
};
