// The page: the form on one side, runs and their steps on the other.

import { get } from "./api.js";
import { ConstraintEditor } from "./constraint.js";
import { byId, copy, counted } from "./dom.js";
import { Inspector } from "./inspector.js";
import { Lane } from "./lane.js";
import * as link from "./link.js";
import { curl, python } from "./snippets.js";

let info = { model: "smollm2", needs_key: false, vocabulary: 0 };
let lanes = [];
let isReady = false;

const editor = new ConstraintEditor({ changed: edited, prompt: () => byId("prompt").value, pick: takeExample });
const inspector = new Inspector(resume);

// ---- the form ------------------------------------------------------------------------------------------------

function formValue() {
  const seed = byId("seed").value.trim();
  return {
    constraint: editor.value,
    prompt: byId("prompt").value,
    system: byId("system").value,
    chat: byId("mode-chat").checked,
    temperature: number("temperature", 0),
    seed: seed === "" ? null : Math.trunc(Number(seed)),
    max_tokens: Math.trunc(number("max-tokens", 160)),
  };
}

function number(id, otherwise) {
  const value = Number(byId(id).value);
  return byId(id).value.trim() !== "" && Number.isFinite(value) ? value : otherwise;
}

function fill(form) {
  byId("prompt").value = String(form.prompt ?? "");
  byId("system").value = String(form.system ?? "");
  setMode(form.chat !== false);
  byId("temperature").value = Number(form.temperature ?? 0);
  byId("seed").value = form.seed ?? "";
  byId("max-tokens").value = Number(form.max_tokens ?? 160);
  byId("compare").checked = form.compare === true;
  if (form.constraint) editor.value = form.constraint;
  else editor.show("json_schema");
}

function setMode(isChat) {
  byId(isChat ? "mode-chat" : "mode-plain").checked = true;
  byId("system-field").hidden = !isChat;
}

function takeExample({ prompt, plain }) {
  byId("prompt").value = prompt;
  setMode(!plain);
}

let saving = 0;

function edited() {
  if (!isReady) return;
  byId("form-error").textContent = "";
  clearTimeout(saving);
  saving = setTimeout(() => {
    link.write({ ...formValue(), compare: byId("compare").checked });
    drawSnippet();
  }, 250);
}

function drawSnippet() {
  if (!byId("code").open) return;
  const write = document.querySelector("input[name=language]:checked").value === "curl" ? curl : python;
  try {
    byId("snippet").textContent = write(formValue(), info.model, location.origin, info.needs_key);
  } catch (error) {
    byId("snippet").textContent = `There is no such request: ${error.message}`;
  }
}

// ---- runs ----------------------------------------------------------------------------------------------------

function start({ isPaused = false } = {}) {
  if (editor.isRefused) {
    byId("form-error").textContent = "The constraint is refused; its problems stand below it.";
    byId("source").focus();
    return;
  }
  byId("form-error").textContent = "";
  for (const lane of lanes) lane.stop();
  const request = formValue();
  inspector.hide();
  const enforced = lane("With the constraint", true);
  lanes = byId("compare").checked ? [enforced, lane("Without", false)] : [enforced];
  byId("lanes").replaceChildren(...lanes.map(({ root }) => root));
  byId("costs").replaceChildren(...lanes.map(({ result }) => result.costs));
  byId("lanes").dataset.count = String(lanes.length);
  setPaused(isPaused);
  for (const one of lanes) one.run(request);
  drawControls();
  byId("status").textContent = isPaused ? "Paused before the first token: press Next step." : "Running …";
  if (window.matchMedia("(max-width: 60rem)").matches) byId("output").scrollIntoView();
}

function lane(title, enforce) {
  return new Lane({ title, enforce, ended, inspect });
}

function inspect(one, index) {
  for (const other of lanes) if (other !== one) other.deselect();
  inspector.show(one, index);
}

/** Go on after the first `index` tokens, with `token` if one is given. */
function resume(one, index, token) {
  inspector.hide();
  setPaused(false);
  one.run(one.request, { keep: index, extra: token });
  byId("status").textContent = token ? "Running on with your token …" : "Running on from there …";
  drawControls();
  one.tokens.scrollIntoView({ block: "nearest" });
}

function ended(one, event) {
  if (event.event === "failed") byId("form-error").textContent = event.message;
  if (event.problems?.length) editor.showProblems(event.problems);
  if (!lanes.some(({ isRunning }) => isRunning)) {
    const words = { end: "Done", stopped: "Stopped", failed: "Failed" }[event.event];
    byId("status").textContent = `${words}: ${counted(lanes[0].steps.length, "token")}. Click one to look at its step.`;
    setPaused(false);
  }
  drawControls();
}

function setPaused(isPaused) {
  byId("pause").setAttribute("aria-pressed", String(isPaused));
  byId("pause").textContent = isPaused ? "Run on" : "Pause";
  for (const one of lanes) one.pause(isPaused);
  drawControls();
}

function drawControls() {
  const isRunning = lanes.some((one) => one.isRunning);
  byId("pause").disabled = !isRunning;
  byId("stop").disabled = !isRunning;
  byId("next").disabled = !isRunning || byId("pause").getAttribute("aria-pressed") !== "true";
}

// ---- events --------------------------------------------------------------------------------------------------

byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  start();
});
byId("step-first").addEventListener("click", () => start({ isPaused: true }));
byId("pause").addEventListener("click", () => {
  const isPaused = byId("pause").getAttribute("aria-pressed") !== "true";
  byId("status").textContent = isPaused ? "Paused; the server writes on, and its tokens wait here." : "Running …";
  setPaused(isPaused); // which may show the end
});
byId("next").addEventListener("click", () => {
  for (const one of lanes) one.next();
  if (lanes.some(({ isRunning }) => isRunning)) byId("status").textContent = `Paused after ${counted(lanes[0].steps.length, "token")}.`;
});
byId("stop").addEventListener("click", () => { for (const one of lanes) one.stop(); });
byId("link").addEventListener("click", () => {
  const fits = link.write({ ...formValue(), compare: byId("compare").checked });
  copy(location.href, fits ? "Link" : "Address (the form is too long for a link)");
});
byId("copy-code").addEventListener("click", () => copy(byId("snippet").textContent, "Code"));
byId("code").addEventListener("toggle", drawSnippet);
for (const input of document.querySelectorAll("input[name=language]")) input.addEventListener("change", drawSnippet);
for (const id of ["prompt", "system", "temperature", "seed", "max-tokens", "compare"]) byId(id).addEventListener("input", edited);
// The root insidevalue goes on with what the prompt has left open.
byId("prompt").addEventListener("input", () => { if (editor.kind === "grammar_root") editor.edited(); });
for (const isChat of [true, false]) {
  byId(isChat ? "mode-chat" : "mode-plain").addEventListener("change", () => { setMode(isChat); edited(); });
}
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    start();
  } else if (event.key === "Escape" && !byId("key-dialog").open) {
    for (const one of lanes) one.stop();
  }
});

window.addEventListener("hashchange", () => fill(link.read() ?? {}));

async function begin() {
  try {
    info = await get("playground/info");
    inspector.vocabulary = info.vocabulary;
    byId("model").textContent = `${info.title} · ${info.vocabulary.toLocaleString("en")} tokens · context ${info.context.toLocaleString("en")}`;
    byId("max-tokens").max = info.longest;
  } catch (error) {
    byId("model").textContent = error.message;
  }
  fill(link.read() ?? {});
  isReady = true;
}

begin();
