// One step, looked at closely: what the model wanted, what was allowed, and why something was not.

import { post } from "./api.js";
import { byId, counted, el, percent, shown, spoken } from "./dom.js";

export class Inspector {
  /** `resume(lane, index, token)` goes on after a step's beginning with another token, or afresh without one. */
  constructor(resume) {
    this.resume = resume;
    this.root = byId("inspector");
    this.vocabulary = 0;
    this.asked = 0;
  }

  hide() {
    this.root.hidden = true;
    this.lane = null;
  }

  show(lane, index) {
    const step = lane.steps[index];
    const hadFocus = this.root.contains(document.activeElement) ? document.activeElement.dataset.go : null;
    Object.assign(this, { lane, index, step });
    this.answer = el("div", { class: "answer", role: "status", "aria-live": "polite" });
    this.root.replaceChildren(
      this.head(),
      el("p", { class: "summary" }, summary(step, lane)),
      step.breaks ? el("p", { class: "error" }, `Here the text leaves the constraint: ${step.breaks}`) : "",
      el("div", { class: "columns" }, this.wanted(), this.allowed()),
      this.question(),
      this.answer,
    );
    this.root.hidden = false;
    if (hadFocus) this.root.querySelector(`[data-go="${hadFocus}"]`)?.focus();
  }

  head() {
    const { lane, index, step } = this;
    const go = (to) => () => lane.select(to);
    return el("div", { class: "heading-row" },
      el("h3", {}, `Step ${index + 1} `, el("span", { class: "chip" }, shown(step)), el("small", {}, ` id ${step.id}`)),
      el("div", { class: "controls" },
        el("button", { type: "button", data: { go: "back" }, disabled: index === 0, "aria-label": "Step before", onclick: go(index - 1) }, "←"),
        el("button", { type: "button", data: { go: "on" }, disabled: index + 1 >= lane.steps.length, "aria-label": "Step after", onclick: go(index + 1) }, "→"),
        el("button", { type: "button", title: "Forget this token and all after it, and let the model write on", onclick: () => this.resume(lane, index, null) }, "Rewind to here")));
  }

  /** The likeliest tokens without the mask. */
  wanted() {
    const { step } = this;
    if (!step.wanted?.length) {
      const why = step.isYours ? "You chose this token; the model was not asked." : "The model was not asked: only one text was possible.";
      return el("div", {}, el("h4", {}, "The model’s own choice"), el("p", { class: "hint" }, why));
    }
    return el("div", {},
      el("h4", {}, "The model’s own choice"),
      el("ol", { class: "candidates" }, step.wanted.map((candidate) => this.candidate(candidate))),
      el("p", { class: "hint" }, "Shares before the mask. Struck through: excluded; click one to see why."));
  }

  candidate(candidate) {
    const isTaken = candidate.id === this.step.id;
    const bar = el("meter", { min: 0, max: 1, value: candidate.p, "aria-hidden": "true" });
    const label = `${spoken(candidate)}, ${percent(candidate.p)}, ${candidate.allowed ? "allowed" : "excluded"}${isTaken ? ", written" : ""}`;
    return el("li", { class: [candidate.allowed ? "" : "excluded", isTaken ? "taken" : ""].join(" ") },
      el("button", { type: "button", class: "candidate", "aria-label": label, onclick: () => this.ask({ token: candidate.id }, candidate) },
        el("span", { class: "token" }, shown(candidate)), bar, el("span", { class: "share" }, percent(candidate.p))));
  }

  /** A sample of the allowed set, and a search in it. */
  allowed() {
    const { step, lane } = this;
    if (!step.allowed) {
      const why = lane.request.constraint ? "What came before has left the constraint." : "There is no constraint: every token.";
      return el("div", {}, el("h4", {}, "Allowed"), el("p", { class: "hint" }, step.isYours ? "Rewind to here to see what is allowed." : why));
    }
    const list = el("ul", { class: "sample" }, this.sample(step.allowed.sample));
    const found = el("p", { class: "hint", role: "status", "aria-live": "polite" }, more(step.allowed));
    let timer = 0;
    const search = el("input", { type: "search", placeholder: "find", "aria-label": "Find among the allowed tokens", spellcheck: false });
    search.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(async () => {
        const told = search.value ? (await this.explain({ find: search.value }))?.allowed : step.allowed;
        if (!told) return;
        list.replaceChildren(...this.sample(told.sample));
        found.textContent = more(told);
      }, 250);
    });
    const of = this.vocabulary ? ` of ${this.vocabulary.toLocaleString("en")}` : "";
    return el("div", {},
      el("div", { class: "heading-row" }, el("h4", {}, "Allowed: ", el("strong", {}, step.allowed.count.toLocaleString("en")), of), search),
      list, found);
  }

  sample(tokens) {
    return tokens.map((token) => el("li", {},
      el("button", { type: "button", class: token.id === this.step.id ? "chip taken" : "chip", "aria-label": `${spoken(token)}, allowed`, onclick: () => this.ask({ token: token.id }, token) }, shown(token))));
  }

  /** Whether the output has left the constraint before this step. */
  get isOutside() {
    return this.lane.steps.slice(0, this.index).some(({ breaks }) => breaks);
  }

  question() {
    if (!this.lane.request.constraint || this.isOutside) return "";
    const input = el("input", { type: "text", id: "ask-text", spellcheck: false, autocomplete: "off", placeholder: "any text" });
    const ask = (event) => {
      event.preventDefault();
      if (input.value) this.ask({ text: input.value }, { kind: "text", text: input.value });
      else this.ask({}, null);
    };
    return el("form", { class: "row question", onsubmit: ask },
      el("label", { class: "field grow" }, "Could this be written here?", input),
      el("button", { type: "submit" }, "Ask"));
  }

  async explain(asked) {
    const { lane, index } = this;
    const tokens = lane.steps.slice(0, index).map(({ id }) => id);
    const { constraint, prompt, max_tokens } = lane.request;
    const mine = (this.asked += 1);
    try {
      const told = await post("playground/explain", { constraint, prompt, tokens, max_tokens: lane.enforce ? max_tokens : null, ...asked });
      return mine === this.asked ? told : null;
    } catch (error) {
      if (mine === this.asked) this.answer.replaceChildren(el("p", { class: "error" }, error.message));
      return null;
    }
  }

  async ask(asked, subject) {
    const { lane, index } = this;
    if (!lane.request.constraint || this.isOutside) {
      this.answer.replaceChildren(el("p", {}, "Here nothing is excluded."), this.write(subject, lane, index) ?? "");
      return;
    }
    const told = await this.explain(asked);
    if (!told) return;
    const verdict = subject && el("p", { class: told.is_allowed ? "yes" : "no" },
      el("strong", {}, spoken(subject)), told.is_allowed ? " is allowed here. " : " is excluded here. ", el("span", { class: "words" }, told.words));
    const ending = told.ending === null ? "" : el("p", { class: "hint" },
      told.ending ? ["Shortest way to end from here: ", el("code", {}, told.ending)] : "The output may end here.");
    this.answer.replaceChildren(verdict ?? el("p", {}, told.here), ending, (told.is_allowed && this.write(subject, lane, index)) || "");
  }

  write(token, lane, index) {
    if (token?.id === undefined || token.kind === "end") return null;
    return el("button", { type: "button", class: "primary", onclick: () => this.resume(lane, index, token) }, `Write ${spoken(token)} here and go on`);
  }
}

function more({ count, found, sample }) {
  if (found !== undefined) return found ? `${counted(found, "token")} found${found > sample.length ? `, the shortest ${sample.length} shown` : ""}` : "None of the allowed tokens has that in it.";
  return count > sample.length ? `and ${(count - sample.length).toLocaleString("en")} more` : "These are all.";
}

function summary(step, lane) {
  if (step.isYours) return "Written by you.";
  if (step.forced) return "Forced: the constraint leaves nothing else, so it was written without a choice.";
  if (!step.allowed) return lane.request.constraint && lane.enforce ? "" : "Written freely.";
  const favourite = step.wanted?.[0];
  if (favourite && !favourite.allowed) return `The model’s favourite, ${spoken(favourite)} (${percent(favourite.p)}), was excluded${favourite.id === step.id ? "; it was written all the same, without the constraint." : `; it wrote ${spoken(step)} instead.`}`;
  if (favourite && favourite.id === step.id) return `The model’s favourite, and it was allowed.`;
  return `Drawn from ${counted(step.allowed.count, "allowed token")}.`;
}
