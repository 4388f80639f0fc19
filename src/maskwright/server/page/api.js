// Requests to the server. The key lives in this module's memory and nowhere else.

import { byId } from "./dom.js";

let key = "";

/** What the server refused, with its problems if it told any. */
export class Refusal extends Error {
  constructor(message, problems, status) {
    super(message);
    this.problems = problems ?? [];
    this.status = status;
  }
}

export const hasKey = () => key !== "";

export function get(path, signal) {
  return ask(path, { signal }).then((reply) => reply.json());
}

export function post(path, body, signal) {
  return send(path, body, signal).then((reply) => reply.json());
}

/** The events of a run, as they come. */
export async function* stream(path, body, signal) {
  const reply = await send(path, body, signal);
  let rest = "";
  for await (const piece of pieces(reply.body.getReader())) {
    const blocks = (rest + piece).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const data = block.split("\n").filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trim()).join("\n");
      if (data && data !== "[DONE]") yield JSON.parse(data);
      if (data === "[DONE]") return;
    }
  }
  throw new Refusal("the connection broke off in the middle of the run", [], 0);
}

async function* pieces(reader) {
  const decoder = new TextDecoder();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield decoder.decode(value, { stream: true });
  }
}

function send(path, body, signal) {
  return ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal });
}

async function ask(path, options) {
  for (;;) {
    const headers = { ...options.headers, ...(key && { authorization: `Bearer ${key}` }) };
    let reply;
    try {
      reply = await fetch(path, { ...options, headers, cache: "no-store" });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Refusal("the server cannot be reached", [], 0);
    }
    if (reply.ok) return reply;
    const told = await reply.json().catch(() => ({}));
    const fault = told.error ?? told;
    if (reply.status !== 401) {
      throw new Refusal(fault.message ?? `the server answered ${reply.status}`, fault.problems, reply.status);
    }
    await askForKey(key ? "That key was not accepted." : "");
  }
}

let asking = null;

/** One dialog, however many requests wait for it. */
function askForKey(complaint) {
  asking ??= new Promise((resolve) => {
    const dialog = byId("key-dialog");
    byId("key-error").textContent = complaint;
    byId("key").value = "";
    dialog.addEventListener("close", () => {
      key = byId("key").value.trim();
      byId("key").value = "";
      asking = null;
      resolve();
    }, { once: true });
    dialog.addEventListener("cancel", (event) => event.preventDefault(), { once: true });
    dialog.showModal();
  });
  return asking;
}
