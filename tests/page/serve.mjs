// Hands out a folder as any static host does, gzipped.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import zlib from 'node:zlib';

const types = {'.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm'};
export const serve = (folder, port = 0) => new Promise((done) => {
  const zipped = new Map();
  const server = http.createServer((request, reply) => {
    const file = path.join(folder, path.normalize(new URL(request.url, 'http://localhost').pathname).replace(/\/$/, '/index.html'));
    if (!fs.existsSync(file)) return reply.writeHead(404).end();
    if (!zipped.has(file)) zipped.set(file, zlib.gzipSync(fs.readFileSync(file)));
    reply.writeHead(200, {'content-type': types[path.extname(file)] ?? 'application/octet-stream', 'content-encoding': 'gzip'}).end(zipped.get(file));
  });
  server.listen(port, 'localhost', () => done({url: `http://localhost:${server.address().port}/`, close: () => server.close()}));
});
if (process.argv[1]?.endsWith('serve.mjs')) console.log((await serve(process.argv[2], +(process.argv[3] ?? 8000))).url);
