// The editor of the constraint: kinds, examples, options, and its problems while one types.

import { post } from "./api.js";
import { byId, counted, el } from "./dom.js";
import { KINDS } from "./examples.js";

const PAUSE = 300; // milliseconds of silence before a text is checked

export class ConstraintEditor {
  /** `changed` is called after each edit, `prompt` gives the prompt, `pick` takes an example's prompt. */
  constructor({ changed, prompt, pick }) {
    this.changed = changed;
    this.prompt = prompt;
    this.pick = pick;
    this.source = byId("source");
    this.sources = {};
    this.values = {};
    this.timer = 0;
    this.checking = null;
    this.isRefused = false; // by the server, as it stands
    byId("kind").append(...Object.entries(KINDS).map(([kind, { label }]) => el("option", { value: kind }, label)));
    byId("kind").addEventListener("change", () => this.show(byId("kind").value));
    byId("example").addEventListener("change", () => this.takeExample(byId("example").selectedIndex - 1));
    this.source.addEventListener("input", () => this.edited());
    this.source.addEventListener("scroll", () => { byId("gutter").scrollTop = this.source.scrollTop; });
  }

  get kind() {
    return byId("kind").value;
  }

  /** What the server is sent. */
  get value() {
    return { kind: this.kind, source: this.source.value, options: this.options() };
  }

  set value({ kind, source, options }) {
    if (!(kind in KINDS)) return;
    this.sources[kind] = String(source ?? "");
    this.values[kind] = options ?? {};
    this.show(kind);
  }

  options() {
    const given = {};
    for (const { name, choices } of KINDS[this.kind].options) {
      const input = byId(`option-${name}`);
      if (choices === "flag") given[name] = input.checked;
      else if (input.value.trim()) given[name] = input.value.trim();
    }
    return given;
  }

  show(kind) {
    const { examples, hint, options } = KINDS[kind];
    byId("kind").value = kind;
    byId("kind-hint").textContent = hint;
    byId("example").replaceChildren(
      el("option", { value: "" }, "Choose …"),
      ...examples.map(({ name }, index) => el("option", { value: String(index) }, name)),
    );
    byId("options").replaceChildren(...options.map((option) => this.field(option, this.values[kind]?.[option.name])));
    if (kind in this.sources) {
      this.source.value = this.sources[kind];
      this.edited(0);
    } else {
      this.takeExample(0);
    }
  }

  field({ name, label, choices, placeholder, value }, given) {
    const onchange = () => this.edited(0);
    if (choices === "flag") {
      const box = el("input", { type: "checkbox", id: `option-${name}`, checked: given ?? value, onchange });
      return el("label", { class: "check" }, box, ` ${label}`);
    }
    const input = choices
      ? el("select", { id: `option-${name}`, onchange }, choices.map((choice) => el("option", { value: choice }, choice)))
      : el("input", { type: "text", id: `option-${name}`, placeholder, spellcheck: false, autocomplete: "off", oninput: () => this.edited() });
    if (given !== undefined) input.value = given;
    return el("label", { class: "field" }, label, input);
  }

  takeExample(index) {
    const example = KINDS[this.kind].examples[index];
    if (!example) return;
    this.sources[this.kind] = example.source;
    this.values[this.kind] = example.options ?? {};
    this.pick(example);
    this.show(this.kind);
    byId("example").value = String(index);
  }

  edited(pause = PAUSE) {
    this.sources[this.kind] = this.source.value;
    this.values[this.kind] = this.options();
    this.isRefused = false;
    this.number([]);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.check(), pause);
    this.changed();
  }

  async check() {
    this.checking?.abort();
    const mine = (this.checking = new AbortController());
    byId("verdict-line").dataset.state = "checking";
    try {
      const told = await post("playground/check", { constraint: this.value, prompt: this.prompt() }, mine.signal);
      this.isRefused = !told.ok;
      if (told.ok) this.showGood(told);
      else this.showProblems(told.problems);
    } catch (error) {
      if (error.name === "AbortError") return;
      this.showProblems(error.problems?.length ? error.problems : [{ reason: error.message }]);
      this.say("bad", "Not checked");
    }
  }

  showGood({ warnings, seconds }) {
    this.number([]);
    this.say("good", `Supported, compiled in ${(seconds * 1000).toFixed(seconds < 0.01 ? 1 : 0)} ms`);
    byId("problems").replaceChildren(...warnings.map((warning) => el("li", { class: "warning" }, warning)));
  }

  showProblems(problems) {
    this.say("bad", `Refused: ${counted(problems.length, "problem")}`);
    byId("problems").replaceChildren(...problems.map((problem) => this.problem(problem)));
    const lines = problems.filter(({ span }) => span).map(({ span }) => this.source.value.slice(0, span[0]).split("\n").length);
    this.number(lines);
  }

  say(state, text) {
    const line = byId("verdict-line");
    line.dataset.state = state;
    line.textContent = text;
    this.source.setAttribute("aria-invalid", String(state === "bad"));
  }

  problem({ reason, excerpt, place, remedy, span }) {
    const where = place && (span
      ? el("button", { type: "button", class: "place", title: "Show it in the text", onclick: () => this.select(span) }, place)
      : el("span", { class: "place" }, place));
    return el("li", {},
      where ? [where, " "] : null,
      el("span", { class: "reason" }, reason),
      excerpt ? el("pre", {}, unindented(excerpt)) : null,
      remedy ? el("p", { class: "remedy" }, remedy) : null);
  }

  select([start, stop]) {
    const { source } = this;
    source.focus();
    source.setSelectionRange(start, stop);
    const line = source.value.slice(0, start).split("\n").length;
    const height = source.scrollHeight / Math.max(1, source.value.split("\n").length);
    source.scrollTop = Math.max(0, (line - 4) * height);
  }

  /** Numbers of lines, those with problems marked. */
  number(marked) {
    const count = Math.min(5000, this.source.value.split("\n").length);
    byId("gutter").replaceChildren(...Array.from({ length: count }, (_, index) =>
      el("span", { class: marked.includes(index + 1) ? "marked" : "" }, String(index + 1))));
    byId("gutter").scrollTop = this.source.scrollTop;
  }
}

function unindented(text) {
  const lines = text.split("\n");
  const blank = Math.min(...lines.filter((line) => line.trim()).map((line) => line.search(/\S/)));
  return lines.map((line) => line.slice(blank)).join("\n");
}
