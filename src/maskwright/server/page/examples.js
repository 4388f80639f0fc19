// The kinds of constraints, their options, and examples to begin with.

const json = (value) => JSON.stringify(value, null, 2);

const CHOICES = {
  whitespace: ["flexible", "compact", "spaced", "any"],
  property_order: ["declared", "any"],
  // A model that is led into \u0065 spells whole words so; the library's default leaves it the choice.
  escapes: ["minimal", "all"],
};

/** Kind -> label, hint, options (name, label, choices; none: a text field; "flag": a check box), examples. */
export const KINDS = {
  json_schema: {
    label: "JSON Schema",
    hint: "The output is JSON that the schema accepts.",
    options: [
      { name: "whitespace", label: "Blanks", choices: CHOICES.whitespace },
      { name: "property_order", label: "Order of keys", choices: CHOICES.property_order },
      { name: "escapes", label: "Escapes", choices: CHOICES.escapes },
    ],
    examples: [
      {
        name: "A person",
        source: json({
          type: "object",
          properties: {
            name: { type: "string", maxLength: 40 },
            age: { type: "integer", minimum: 0, maximum: 130 },
            occupation: { enum: ["teacher", "engineer", "artist", "farmer"] },
          },
          required: ["name", "age", "occupation"],
          additionalProperties: false,
        }),
        prompt: "Ada is 36 and paints for a living. Write it as JSON with name, age and occupation.",
      },
      {
        name: "A sentiment with a reason",
        source: json({
          type: "object",
          properties: {
            reason: { type: "string", minLength: 10, maxLength: 120 },
            sentiment: { enum: ["positive", "negative", "mixed"] },
            score: { type: "number", minimum: -1, maximum: 1, multipleOf: 0.1 },
          },
          required: ["reason", "sentiment", "score"],
          additionalProperties: false,
        }),
        prompt: "The soup was cold, but the waiter was lovely. What does the guest think? Answer as JSON.",
      },
      {
        name: "A list of cities",
        source: json({
          type: "array",
          minItems: 3,
          maxItems: 3,
          uniqueItems: true,
          items: {
            type: "object",
            properties: {
              city: { type: "string", pattern: "^[A-Z][a-z]+$", maxLength: 20 },
              founded: { type: "string", format: "date" },
            },
            required: ["city", "founded"],
            additionalProperties: false,
          },
        }),
        prompt: "Name three cities in Europe with a date of their foundation, as a JSON array.",
      },
      {
        name: "With mistakes in it",
        source: json({
          type: "object",
          properties: {
            id: { type: "integr" },
            size: { type: "number", minimum: 10, maximum: 3 },
            code: { type: "string", pattern: "([a-z]+" },
          },
        }),
        prompt: "Anything.",
      },
    ],
  },
  regex: {
    label: "Regular expression",
    hint: "The whole output matches the pattern.",
    options: [
      { name: "dialect", label: "Dialect", choices: ["python", "ecma", "rust"] },
      { name: "match", label: "Match", choices: ["full", "prefix", "search"] },
    ],
    examples: [
      { name: "A date", source: "(19|20)\\d\\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])", prompt: "When did people first land on the moon? Answer with a date." },
      { name: "A version number", source: "v\\d{1,2}\\.\\d{1,2}(\\.\\d{1,2})?(-(alpha|beta|rc)\\d?)?", prompt: "The versions so far: v1.8.0, v1.9.0, v1.9.3, ", plain: true },
      { name: "Words of at most five letters", source: "[A-Z][a-z]{0,4}( [a-z]{1,5}){3,9}\\.", prompt: "Tell me what the sea is like, in short words." },
    ],
  },
  choice: {
    label: "Choice",
    hint: "One of these texts, each on a line of its own.",
    options: [],
    examples: [
      { name: "Yes, no, maybe", source: "yes\nno\nmaybe", prompt: "Is the sun bigger than the moon?" },
      { name: "Topics", source: "sports\npolitics\nscience\nthe weather\nfood", prompt: "Which topic is this? “The new telescope found water on a planet far away.”" },
    ],
  },
  lark: {
    label: "Lark grammar",
    hint: "The output is a text that the grammar of the Lark parser accepts.",
    options: [
      { name: "start", label: "Start rule", placeholder: "start" },
      { name: "lexer", label: "Lexer", choices: ["contextual", "exact"] },
    ],
    examples: [
      {
        name: "Arithmetic",
        source: 'start: sum " = " NUMBER\n\nsum: product ((" + " | " - ") product)*\nproduct: NUMBER (" * " NUMBER)*\n\nNUMBER: /[1-9][0-9]{0,3}/\n',
        prompt: "Exercises for children:\n2 + 3 = 5\n4 * 6 = 24\n",
        plain: true,
      },
      {
        name: "A small query language",
        source: 'start: "SELECT " columns " FROM " NAME where? ";"\n\ncolumns: "*" | NAME (", " NAME)*\nwhere: " WHERE " NAME OPERATOR value\nvalue: NUMBER | STRING\n\nNAME: /[a-z_]{1,20}/\nOPERATOR: " = " | " < " | " > "\nNUMBER: /[0-9]{1,6}/\nSTRING: /\'[a-z ]{1,20}\'/\n',
        prompt: "A SQL query for the names of all users older than 30.",
      },
    ],
  },
  gbnf: {
    label: "GBNF",
    hint: "The notation of llama.cpp.",
    options: [{ name: "start", label: "Start rule", placeholder: "root" }],
    examples: [
      { name: "A list of tasks", source: 'root ::= item{2,5}\nitem ::= "- " [A-Z] [a-z ,]{3,40} ".\\n"\n', prompt: "What should I pack for a weekend in the mountains?" },
      { name: "A chess opening", source: 'root ::= ("1. " move " " move "\\n") ("2. " move " " move "\\n")\nmove ::= piece? [a-h] [1-8] | "O-O"\npiece ::= [KQRBN]\n', prompt: "The Italian game: 1. e4 e5 2. Nf3 Nc6. The Sicilian: 1. e4 c5 2. Nf3 d6. The French: ", plain: true },
    ],
  },
  ebnf: {
    label: "EBNF",
    hint: "The notation of the W3C and of xgrammar.",
    options: [{ name: "start", label: "Start rule", placeholder: "root" }],
    examples: [
      { name: "A colour", source: 'root ::= "#" hex hex hex | "rgb(" byte "," byte "," byte ")"\nhex ::= [0-9a-f] [0-9a-f]\nbyte ::= [1-9]? [0-9] | "1" [0-9] [0-9]\n', prompt: "A warm red, as a CSS colour." },
    ],
  },
  grammar_root: {
    label: "grammar_root",
    hint: "One of the named roots: value, object, array, string, number, ws, func, funcarray, fcall, nofcall, root, insidevalue.",
    options: [{ name: "parallel", label: "several calls", choices: "flag", value: true }],
    examples: [
      { name: "Any JSON object", source: "object", prompt: "Describe a bicycle as a JSON object." },
      { name: "A function call", source: "func", prompt: "Call the function get_weather for Paris." },
      { name: "No call", source: "nofcall", prompt: "Say hello." },
      { name: "Inside a value", source: "insidevalue", prompt: '{"animals": ["cat", "dog", "', plain: true },
    ],
  },
  tools: {
    label: "Tools",
    hint: "Free text and calls of these tools; arguments always match their schema.",
    options: [
      { name: "choice", label: "Choice", placeholder: "auto" },
      { name: "parallel", label: "several calls", choices: "flag", value: true },
    ],
    examples: [
      {
        name: "The weather",
        source: json([
          {
            type: "function",
            function: {
              name: "get_weather",
              description: "The weather of a city",
              parameters: {
                type: "object",
                properties: { city: { type: "string", maxLength: 30 }, unit: { enum: ["celsius", "fahrenheit"] } },
                required: ["city", "unit"],
                additionalProperties: false,
              },
            },
          },
        ]),
        options: { choice: "required", parallel: false },
        prompt: "How warm is it in Lisbon?",
      },
    ],
  },
};

export const KINDS_WITH_JSON = new Set(["json_schema", "tools"]);
