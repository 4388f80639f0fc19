// What a run came to: the value while it grows, the verdict, and what it cost.

import { counted, el } from "./dom.js";

export class Result {
  constructor(enforce, title) {
    this.enforce = enforce;
    this.badge = el("p", { class: "badge", role: "status", "aria-live": "polite" });
    this.value = el("pre", { class: "value", tabIndex: 0, "aria-label": "The value so far" });
    this.stats = el("dl", { class: "stats" });
    // Stands apart from the rest, below the step that one looks at.
    this.costs = el("div", { class: "cost", hidden: true }, el("h4", {}, title), this.stats);
    this.root = el("div", { class: "result" }, this.badge, this.value);
  }

  begin() {
    this.begun = performance.now();
    this.badge.textContent = "";
    this.badge.dataset.state = "";
    this.costs.hidden = true;
    this.show(null);
  }

  grow(text) {
    this.show(partial(text));
  }

  show(value) {
    this.value.hidden = value === null || typeof value !== "object";
    this.value.textContent = this.value.hidden ? "" : JSON.stringify(value, null, 2);
  }

  end(event, lane) {
    this.show(parsed(event.text ?? lane.text) ?? partial(event.text ?? lane.text));
    if (event.event === "failed") this.say("bad", event.message);
    else if (event.event === "stopped") this.say("idle", "Stopped.");
    else this.judge(event);
    if (event.event === "end") this.count(event, lane);
  }

  judge({ reason, verdict, closed_early }) {
    const early = closed_early ? "Closed early: the tokens were too few for what the model wanted. " : "";
    const cut = reason === "length" ? "Cut off: the tokens ran out. " : early;
    if (!verdict) this.say("idle", cut || "Done; there was no constraint to check it against.");
    else if (verdict.valid) this.say("good", `${cut}Valid: the output was checked against the constraint.`);
    else this.say("bad", `${cut}Not valid: ${verdict.reason}${verdict.places?.length ? ` (by ${verdict.places.join(", ")})` : ""}`);
  }

  say(state, text) {
    this.badge.dataset.state = state;
    this.badge.textContent = text;
  }

  count({ tokens, forced, costs, at }, lane) {
    const seconds = costs.seconds_model + costs.seconds_masks;
    const rows = [
      ["tokens", tokens.toLocaleString("en")],
      ["forced, without a choice", tokens ? `${forced} (${Math.round((100 * forced) / tokens)} %)` : "0"],
      ["passes of the model", costs.passes.toLocaleString("en")],
      ["time in the model", milliseconds(costs.seconds_model)],
      ["time in masks", `${milliseconds(costs.seconds_masks)} (${seconds ? ((100 * costs.seconds_masks) / seconds).toFixed(1) : 0} %)`],
      ["masks, per token", tokens ? `${Math.round((1e6 * costs.seconds_masks) / tokens).toLocaleString("en")} µs` : "–"],
      ["all in all", `${milliseconds(at)}, ${at ? (tokens / at).toFixed(0) : 0} tokens/s`],
      ["prompt", counted(lane.started?.prompt_tokens ?? 0, "token") + (lane.started?.cached_tokens ? `, ${lane.started.cached_tokens} from the cache` : "")],
    ].filter(([name]) => this.enforce || !/masks|forced/.test(name));
    this.costs.hidden = false;
    this.stats.replaceChildren(...rows.flatMap(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
    if (!costs.is_alone) this.stats.append(el("p", { class: "hint" }, "Other runs shared the model meanwhile; passes and times are those of all."));
  }
}

function milliseconds(seconds) {
  return seconds < 1 ? `${(seconds * 1000).toFixed(seconds < 0.01 ? 2 : 0)} ms` : `${seconds.toFixed(2)} s`;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The value of a JSON text that is not complete: what is open is closed, what is half a token is left out. */
export function partial(text) {
  const begun = text.trimStart();
  if (!/^[[{]/.test(begun)) return parsed(begun);
  const closers = [];
  let end = 0; // after the last place where all that is open could be closed
  let ending = "";
  let isText = false;
  let isKey = false;
  const mark = (at) => { end = at; ending = [...closers].reverse().join(""); };
  for (let at = 0; at < begun.length; at += 1) {
    const character = begun[at];
    if (isText) {
      if (character === "\\") at += 1;
      else if (character === '"') { isText = false; if (!isKey) mark(at + 1); }
    } else if (character === '"') {
      isText = true;
      isKey = closers.at(-1) === "}" && /[{,]\s*$/.test(begun.slice(Math.max(0, at - 40), at));
    } else if (character === "{" || character === "[") {
      closers.push(character === "{" ? "}" : "]");
      mark(at + 1);
    } else if (character === "}" || character === "]") {
      closers.pop();
      mark(at + 1);
    } else if (character === "," && closers.length) {
      mark(at);
    }
  }
  if (isText && !isKey) {
    const whole = begun.replace(/\\(u[0-9a-fA-F]{0,3})?$/, "");
    const value = parsed(`${whole}"${[...closers].reverse().join("")}`);
    if (value !== null) return value;
  }
  return parsed(begun + [...closers].reverse().join("")) ?? parsed(begun.slice(0, end) + ending);
}
