// A link that holds the text, its case, the moment and the picture: behind #, which no server sees.
const to_url = (bytes) => btoa(String.fromCharCode(...bytes)).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
const from_url = (text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
const through = async (bytes, {readable, writable}) => {
  const writer = writable.getWriter();
  writer.write(bytes).catch(() => {});  // what is damaged is told by the reader
  writer.close().catch(() => {});
  const parts = [], reader = readable.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) parts.push(part.value);
  return new Uint8Array(await new Blob(parts).arrayBuffer());
};

export const link_of = async (shared) => {
  const packed = await through(new TextEncoder().encode(JSON.stringify(shared)), new CompressionStream('deflate-raw'));
  let text = '';
  for (let i = 0; i < packed.length; i += 3072) text += to_url(packed.subarray(i, i + 3072));  // 3072 bytes are whole letters
  return `${location.href.split('#')[0]}#k=${text}`;
};

// null: the link holds nothing. Throws where it is damaged.
export const shared_by_link = async (hash = location.hash) => {
  if (!hash.startsWith('#k=')) return null;
  const made = JSON.parse(new TextDecoder().decode(await through(from_url(hash.slice(3)), new DecompressionStream('deflate-raw'))));
  if (typeof made?.text !== 'string') throw new Error('no text in it');
  return made;
};
