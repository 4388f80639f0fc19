// Elements and text. Nothing here, or anywhere on this page, reads text as markup.

export const byId = (id) => document.getElementById(id);

/** An element with properties and children; strings become text. */
export function el(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") made.className = value;
    else if (name === "data") Object.assign(made.dataset, value);
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name in made && !name.startsWith("aria")) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

const MARKS = { " ": "␣", "\n": "⏎", "\r": "␍", "\t": "⇥" };

/** A token's text with its blanks made visible, as nodes; for lists, where a blank would be lost. */
export function shown(token) {
  if (token.kind === "end") return [el("span", { class: "mark" }, token.text ? `end ${token.text}` : "end")];
  if (token.kind === "control") return [el("span", { class: "mark" }, token.text || `#${token.id}`)];
  if (token.kind === "bytes") return [el("span", { class: "mark" }, `bytes ${token.text}`)];
  return token.text.split(/([ \n\r\t]+)/).filter(Boolean).map((part) =>
    part[0] in MARKS ? el("span", { class: "mark" }, [...part].map((blank) => MARKS[blank]).join("")) : part);
}

/** The same as one line, for labels and messages. */
export function spoken(token) {
  if (token.kind !== "text") return token.kind === "end" ? "end of the output" : token.text || `token ${token.id}`;
  return `“${[...token.text].map((character) => MARKS[character] ?? character).join("")}”`;
}

export const percent = (share) => (share >= 0.0995 ? `${Math.round(share * 100)} %` : share >= 0.001 ? `${(share * 100).toFixed(1)} %` : "< 0.1 %");

export const counted = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;

let timer = 0;

/** A short message that goes away by itself. */
export function toast(text) {
  byId("toast").textContent = text;
  clearTimeout(timer);
  timer = setTimeout(() => { byId("toast").textContent = ""; }, 4000);
}

export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`${what} copied`);
  } catch {
    toast(`The browser does not let this page copy; ${what.toLowerCase()} stands in the address bar or the box.`);
  }
}
