// The form in the address: base64url of JSON after the hash, which no server ever sees.

const LONGEST = 30_000;

export function write(form) {
  const bytes = new TextEncoder().encode(JSON.stringify(form));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  const hash = `#${text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
  history.replaceState(null, "", hash.length <= LONGEST ? hash : location.pathname);
  return hash.length <= LONGEST;
}

/** The form of the address; null if there is none, or none that can be read. */
export function read() {
  try {
    const text = atob(location.hash.slice(1).replaceAll("-", "+").replaceAll("_", "/"));
    const form = JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (character) => character.charCodeAt(0))));
    return form !== null && typeof form === "object" ? form : null;
  } catch {
    return null;
  }
}
