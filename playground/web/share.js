// What is on the page, in a link: JSON, deflated, in the fragment. Nothing of it leaves the browser.

/** The bytes of a state at most. A few thousand bytes can inflate to a thousand times as many. */
const mostBytes = 4e6;

/**
 * Bytes through a stream, chunk by chunk: a `Response` of what is damaged complains on the console of Firefox. Where more
 * than `most` come out, the stream is not read on, and the answer is null.
 */
async function through(bytes, stream, most = Infinity) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const chunks = [];
  let length = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    length += part.value.length;
    if (length > most) {
      await reader.cancel();
      return null;
    }
    chunks.push(part.value);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

export async function packed(state) {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  const small = await through(bytes, new CompressionStream("deflate-raw"));
  let text = "";
  for (const byte of small) text += String.fromCharCode(byte);
  return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** The state of a link, or null where it is none of ours. */
export async function unpacked(text) {
  try {
    const plain = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
    const bytes = Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
    const large = await through(bytes, new DecompressionStream("deflate-raw"), mostBytes);
    if (large === null) return null;
    const state = JSON.parse(new TextDecoder().decode(large));
    return typeof state?.text === "string" ? state : null;
  } catch {
    return null;
  }
}

/** The rest of an address that opens a program: `#p=…`. */
export const fragment = (code) => `#p=${code}`;

export function save(name, type, content) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
