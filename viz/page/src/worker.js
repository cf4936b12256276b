// The interpreter, in a worker: the page ends it to stop a kernel that never does.
importScripts('tilescope.js');

let call, engine, names = [];
const write = ({name, bytes}) => {
  const folder = name.split('/').slice(0, -1).join('/');
  if (folder) engine.FS.mkdirTree(folder);
  engine.FS.writeFile(name, bytes);
  return name;
};
self.onmessage = async ({data}) => {
  if (data.module) {
    engine = await tilescope({
      print: () => {},  // a recorded run keeps what the kernel prints
      instantiateWasm: (imports, done) => {
        WebAssembly.instantiate(data.module, imports).then((instance) => done(instance, data.module));
        return {};
      },
    });
    call = engine.cwrap('tilescope_call', 'string', ['string']);
    self.postMessage({ready: true});
    return;
  }
  if (data.files) {
    names.forEach((name) => engine.FS.unlink(name));
    names = data.files.map(write);
    return;
  }
  const began = performance.now();
  let answer;
  try {
    answer = JSON.parse(call(JSON.stringify(data.question)));
  } catch (e) {
    answer = {error: `the interpreter ended: ${e}`, fix: 'the page has begun a new one: run again, with smaller sizes where memory was short', has_ended: true};
  }
  self.postMessage({id: data.id, answer, ms: performance.now() - began, bytes: engine.HEAP8.length});
};
