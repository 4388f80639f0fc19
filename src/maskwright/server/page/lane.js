// One run: its events, its tokens as chips, what became of it.

import { stream } from "./api.js";
import { el, spoken } from "./dom.js";
import { Result } from "./result.js";

export class Lane {
  /** `enforce` is false for the run without the constraint; `inspect(lane, index)` shows a step. */
  constructor({ title, enforce, inspect, ended }) {
    this.enforce = enforce;
    this.inspect = inspect;
    this.ended = ended;
    this.steps = [];
    this.waiting = [];
    this.owed = 0; // steps that were asked for and have not come yet
    this.isRunning = false;
    this.isPaused = false;
    this.selected = -1;
    this.request = null;
    this.result = new Result(enforce, title);
    this.tokens = el("div", { class: "tokens", role: "group", "aria-label": `Tokens, ${title}`, onkeydown: (event) => this.move(event) });
    this.root = el("article", { class: "lane", data: { enforce: String(enforce) } },
      el("h3", {}, title), this.tokens, this.result.root);
  }

  /** Run, or go on after the first `keep` steps and then `extra`. */
  async run(request, { keep = 0, extra = null } = {}) {
    this.abort?.abort();
    const mine = (this.abort = new AbortController());
    this.request = request;
    this.waiting = [];
    this.steps.length = keep;
    if (extra) this.steps.push({ ...extra, index: keep, forced: false, isYours: true });
    this.draw();
    this.result.begin();
    this.result.grow(this.text);
    this.isRunning = true;
    const prefix = this.steps.map(({ id }) => id);
    try {
      for await (const event of stream("playground/run", { ...request, enforce: this.enforce, prefix }, mine.signal)) {
        if (mine.signal.aborted) return;
        if (event.error) throw new Error(event.error.message);
        this.arrive(event);
      }
    } catch (error) {
      if (this.abort !== mine) return;
      if (error.name === "AbortError") this.arrive({ event: "stopped" });
      else this.arrive({ event: "failed", message: error.message, problems: error.problems ?? [] });
    }
  }

  stop() {
    this.pause(false);
    this.abort?.abort();
  }

  pause(isPaused) {
    this.isPaused = isPaused;
    this.owed = 0;
    this.drain();
  }

  /** Show one more token, now or when it comes. */
  next() {
    this.owed = 1;
    this.drain();
  }

  arrive(event) {
    this.waiting.push(event);
    this.drain();
  }

  /** Show what may be shown; a pause holds back steps only. */
  drain() {
    while (this.waiting.length) {
      const isStep = this.waiting[0].event === "step";
      if (isStep && this.isPaused && !this.owed) return;
      if (isStep) this.owed = 0;
      this.take(this.waiting.shift());
    }
  }

  take(event) {
    if (event.event === "step") {
      this.steps.push(event);
      this.tokens.append(this.chip(event, this.steps.length - 1));
      this.result.grow(this.text);
      if (this.isPaused) this.select(this.steps.length - 1);
    } else if (event.event === "start") {
      this.started = event;
    } else {
      this.isRunning = false;
      this.result.end(event, this);
      this.ended(this, event);
    }
  }

  get text() {
    return this.steps.filter(({ kind }) => kind !== "end").map(({ kind, text }) => (kind === "bytes" ? "\ufffd" : text)).join("");
  }

  draw() {
    this.selected = -1;
    this.tokens.replaceChildren(...this.steps.map((step, index) => this.chip(step, index)));
  }

  chip(step, index) {
    const notes = [
      step.forced && "forced",
      isSteered(step) && "steered",
      step.breaks && "breaks",
      step.isYours && "yours",
      step.kind !== "text" && "special",
    ].filter(Boolean);
    const text = step.kind === "end" ? "end" : step.kind === "bytes" ? `‹${step.text}›` : step.text;
    // A span: a real button would be a box that no line can break in, and tokens hold line breaks.
    const chip = el("span", {
      role: "button",
      class: ["chip", ...notes].join(" "),
      "aria-label": `Step ${index + 1}: ${spoken(step)}${notes.length ? `, ${notes.join(", ")}` : ""}`,
      "aria-pressed": "false",
      tabIndex: index === 0 ? 0 : -1,
      onclick: () => this.select(index),
    });
    text.split("\n").forEach((line, at) => {
      if (at) chip.append(el("span", { class: "mark" }, "⏎"), "\n");
      chip.append(line);
    });
    return chip;
  }

  chips() {
    return [...this.tokens.querySelectorAll(".chip")];
  }

  select(index, { focus = false } = {}) {
    const chips = this.chips();
    if (index < 0 || index >= chips.length) return;
    for (const chip of chips) {
      chip.tabIndex = -1;
      chip.setAttribute("aria-pressed", "false");
    }
    chips[index].tabIndex = 0;
    chips[index].setAttribute("aria-pressed", "true");
    if (focus) chips[index].focus();
    this.selected = index;
    this.inspect(this, index);
  }

  deselect() {
    for (const chip of this.chips()) chip.setAttribute("aria-pressed", "false");
    this.selected = -1;
  }

  /** Arrows, Home and End go from token to token; Enter and the blank press one, as they press a button. */
  move(event) {
    const chips = this.chips();
    const at = chips.indexOf(document.activeElement);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: chips.length - 1, Enter: at, " ": at }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.select(Math.min(Math.max(to, 0), chips.length - 1), { focus: true });
  }
}

/** Whether the model's own favourite was excluded. */
export function isSteered(step) {
  return Boolean(step.wanted?.length && !step.wanted[0].allowed && !step.forced);
}
