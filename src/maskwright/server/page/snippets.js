// The form as a request to the API, in curl and in Python.

/** Path, body for curl, and which fields the OpenAI client knows (the rest goes into extra_body). */
export function requestOf(form, model) {
  const { constraint, prompt, system, chat, temperature, seed, max_tokens } = form;
  const body = { model };
  const extra = {};
  if (chat) {
    body.messages = [...(system ? [{ role: "system", content: system }] : []), { role: "user", content: prompt }];
    body.max_completion_tokens = max_tokens;
  } else {
    body.prompt = prompt;
    body.max_tokens = max_tokens;
  }
  body.temperature = temperature;
  if (seed !== null) body.seed = seed;
  if (constraint) FIELDS[constraint.kind](constraint, chat ? body : extra, extra);
  return { path: chat ? "/v1/chat/completions" : "/v1/completions", body, extra };
}

const FIELDS = {
  json_schema({ source }, body) {
    body.response_format = { type: "json_schema", json_schema: { name: "answer", strict: true, schema: JSON.parse(source) } };
  },
  tools({ source, options }, body) {
    if (!body.messages) throw new Error("tools go with a chat");
    body.tools = JSON.parse(source).map((tool) => (tool.function ? tool : { type: "function", function: tool }));
    if (options.choice) body.tool_choice = NAMED.has(options.choice) ? options.choice : { type: "function", function: { name: options.choice } };
    if (options.parallel === false) body.parallel_tool_calls = false;
  },
  regex({ source }, _, extra) { extra.structured_outputs = { regex: source }; },
  choice({ source }, _, extra) { extra.structured_outputs = { choice: source.split("\n").filter((line) => line.trim()) }; },
  lark({ source }, _, extra) { extra.structured_outputs = { grammar: source }; },
  ebnf({ source }, _, extra) { extra.ebnf = source; },
  gbnf({ source }, _, extra) { extra.grammar = source; },
  grammar_root({ source }, _, extra) { extra.grammar_root = source.trim(); },
};
const NAMED = new Set(["auto", "none", "required"]);

export function curl(form, model, base, needsKey) {
  const { path, body, extra } = requestOf(form, model);
  const data = JSON.stringify({ ...body, ...extra }, null, 2).replaceAll("'", "'\\''");
  const key = needsKey ? ` \\\n  -H "authorization: Bearer $MASKWRIGHT_API_KEY"` : "";
  return `curl ${base}${path} \\\n  -H "content-type: application/json"${key} \\\n  -d '${data}'\n`;
}

export function python(form, model, base, needsKey) {
  const { body, extra } = requestOf(form, model);
  const given = { ...body, ...(Object.keys(extra).length && { extra_body: extra }) };
  const lines = Object.entries(given).map(([name, value]) => `    ${name}=${literal(value, 1)},\n`);
  const key = needsKey ? 'os.environ["MASKWRIGHT_API_KEY"]' : '"none"';
  const text = form.chat ? "message" + (form.constraint?.kind === "tools" ? "" : ".content") : "text";
  return `${needsKey ? "import os\n\n" : ""}from openai import OpenAI\n\nclient = OpenAI(base_url="${base}/v1", api_key=${key})\n` +
    `answer = client.${form.chat ? "chat.completions" : "completions"}.create(\n${lines.join("")})\nprint(answer.choices[0].${text})\n`;
}

/** A JSON value as Python writes it. */
export function literal(value, depth) {
  const indent = "    ".repeat(depth + 1);
  const close = "    ".repeat(depth);
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const [open, shut] = Array.isArray(value) ? "[]" : "{}";
  const parts = Array.isArray(value)
    ? value.map((item) => literal(item, depth + 1))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${literal(item, depth + 1)}`);
  const line = `${open}${parts.join(", ")}${shut}`;
  return line.length <= 88 - indent.length ? line : `${open}\n${parts.map((part) => `${indent}${part},\n`).join("")}${close}${shut}`;
}
