"""Grammars and texts for ``grammars_side_by_side.py``: each in the notations that the engines read, texts made here."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any, Final, NamedTuple

__all__ = ["TASKS", "Task"]

#: Notation and source; notations are those of the adapters.
Source = tuple[str, Any]


class Task(NamedTuple):
    """One grammar, by engine, and texts that are in it."""

    name: str
    #: By engine: ``ours``, ``llg``, ``xgr``; an engine that has no notation for it is absent.
    sources: dict[str, Source]
    texts: Callable[[], list[str]]


JSON_GBNF: Final = r"""
root   ::= object
value  ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ws (member ("," ws member)*)? "}"
member ::= string ":" ws value ws
array  ::= "[" ws (value ws ("," ws value ws)*)? "]"
string ::= "\"" ([^"\\\x7F\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4}))* "\""
number ::= "-"? ("0" | [1-9] [0-9]{0,15}) ("." [0-9]{1,15})? ([eE] [-+]? [0-9]{1,3})?
ws     ::= "" | " " | "\n" [ \t]{0,20}
"""

JSON_LARK: Final = r"""
start: value
value: object | array | STRING | NUMBER | "true" | "false" | "null"
object: "{" (member ("," member)*)? "}"
member: STRING ":" value
array: "[" (value ("," value)*)? "]"
STRING: /"([^"\\\x00-\x1F]|\\(["\\\/bfnrt]|u[0-9a-fA-F]{4}))*"/
NUMBER: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/
%ignore /[ \t\n\r]+/
"""

ARITHMETIC_LARK: Final = r"""
start: sum
sum: sum "+" product | sum "-" product | product
product: product "*" atom | product "/" atom | atom
atom: NUMBER | NAME | "-" atom | "(" sum ")"
NUMBER: /[0-9]+(\.[0-9]+)?/
NAME: /[a-z_][a-z0-9_]*/
%ignore / +/
"""

C_LARK: Final = r"""
start: function+
function: type NAME "(" params? ")" block
params: param ("," param)*
param: type NAME
type: "int" | "float" | "char" | "void"
block: "{" statement* "}"
statement: "if" "(" expression ")" block otherwise?
         | "while" "(" expression ")" block
         | "return" expression? ";"
         | type NAME "=" expression ";"
         | NAME "=" expression ";"
         | expression ";"
otherwise: "else" block
expression: sum | sum COMPARISON sum
sum: sum ADDITIVE product | product
product: product MULTIPLICATIVE atom | atom
atom: NUMBER | STRING | NAME | call | "(" expression ")"
call: NAME "(" arguments? ")"
arguments: expression ("," expression)*
COMPARISON: "==" | "!=" | "<=" | ">=" | "<" | ">"
ADDITIVE: "+" | "-"
MULTIPLICATIVE: "*" | "/" | "%"
NUMBER: /[0-9]+(\.[0-9]+)?/
STRING: /"([^"\\\n]|\\.)*"/
NAME: /[A-Za-z_][A-Za-z0-9_]*/
COMMENT: /\/\/[^\n]*/
REMARK: /\/\*[^*]*\*+([^\/*][^*]*\*+)*\//
%ignore /[ \t\n]+/
%ignore COMMENT
%ignore REMARK
"""

CSV_GBNF: Final = r"""
root   ::= record ("\n" record)*
record ::= field ("," field)*
field  ::= [^",\n]* | "\"" ([^"] | "\"\"")* "\""
"""

SQL_LARK: Final = r"""
start: "SELECT"i columns "FROM"i NAME join* where? order? limit? ";"?
columns: "*" | column ("," column)*
column: (NAME | qualified | function) ("AS"i NAME)?
qualified: NAME "." NAME
function: NAME "(" ("*" | NAME) ")"
join: "JOIN"i NAME "ON"i qualified COMPARISON qualified
where: "WHERE"i condition
condition: condition "OR"i conjunction | conjunction
conjunction: conjunction "AND"i test | test
test: operand COMPARISON operand | "(" condition ")"
operand: NAME | qualified | NUMBER | STRING
order: "ORDER"i "BY"i NAME ("ASC"i | "DESC"i)?
limit: "LIMIT"i NUMBER
COMPARISON: "=" | "<>" | "<=" | ">=" | "<" | ">"
NUMBER: /[0-9]+(\.[0-9]+)?/
STRING: /'([^']|'')*'/
NAME: /[A-Za-z_][A-Za-z0-9_]*/
%ignore /[ \t\n]+/
"""

G16: Final = r'root ::= [^\n]+ "\nAnswer: " ("yes" | "no")'
G17: Final = "root ::= w+ ([ \\t\\n] w+)*\nw ::= [0-9a-zA-Z.,]"
AMBIGUOUS_GBNF: Final = 'root ::= e\ne ::= e e | "a"'
AMBIGUOUS_LARK: Final = 'start: e\ne: e e | "a"'
EMAIL: Final = r"[a-z0-9._%+-]{1,64}@[a-z0-9-]{1,63}(\.[a-z]{2,8}){1,3}"
WORDS: Final = (
    "time", "year", "people", "way", "day", "man", "thing", "woman", "life", "child", "world", "school", "state",
    "family", "student", "group",
)  # fmt: skip


def _prose(dice: random.Random, count: int) -> str:
    return " ".join(dice.choice(WORDS) + dice.choice(["", "", "", ",", "."]) for _ in range(count))


def json_texts() -> list[str]:
    """Two documents of about a kilobyte."""
    dice = random.Random(1)
    found = []
    for _ in range(2):
        people = [
            {
                "name": dice.choice(WORDS).title(),
                "age": dice.randrange(100),
                "score": round(dice.random() * 100, 3),
                "active": dice.random() < 0.5,
                "tags": dice.sample(WORDS, 3),
                "note": None if dice.random() < 0.3 else _prose(dice, 12),
                "address": {"street": f"{dice.choice(WORDS)} {dice.randrange(200)}", "city": dice.choice(WORDS)},
            }
            for _ in range(5)
        ]
        found.append(json.dumps({"people": people, "count": len(people)}))
    return found


def arithmetic_texts() -> list[str]:
    """Long sums with brackets."""
    dice = random.Random(2)

    def term(depth: int) -> str:
        if depth == 0:
            return dice.choice(["x", "rate_1", str(dice.randrange(1000)), f"{dice.random():.3f}"])
        inner = f" {dice.choice('+-*/')} ".join(term(depth - 1) for _ in range(dice.randrange(1, 4)))
        return f"({inner})" if dice.random() < 0.6 else inner

    return [" + ".join(term(3) for _ in range(40)) for _ in range(2)]


def c_texts() -> list[str]:
    """Functions with comments, strings and nested blocks."""
    dice = random.Random(3)
    found = []
    for _ in range(2):
        functions = []
        for index in range(12):
            one, other = dice.sample(WORDS, 2)
            functions.append(
                f"/* {_prose(dice, 8)} */\nint {one}_{index}(int {other}, float limit) {{\n"
                f"    int total = {dice.randrange(100)}; // {_prose(dice, 5)}\n"
                f"    while (total < limit) {{\n        total = total + {other} * {dice.randrange(9)};\n"
                f'        if (total == {dice.randrange(50)}) {{ print("{_prose(dice, 4)}\\n", total); }}'
                f" else {{ total = (total - 1) % 7; }}\n    }}\n    return total;\n}}\n"
            )
        found.append("int start(int zero) { return zero; }\n" + "\n".join(functions).rstrip())
    return found


def csv_texts() -> list[str]:
    """Tables with quoted fields."""
    dice = random.Random(4)

    def row() -> str:
        quoted = '"' + _prose(dice, 4).replace("day", 'a ""day""') + '"'
        return ",".join([str(dice.randrange(10**6)), dice.choice(WORDS), quoted, f"{dice.random():.4f}"])

    return ["\n".join(row() for _ in range(60)) for _ in range(2)]


def sql_texts() -> list[str]:
    """Queries with joins and conditions."""
    dice = random.Random(5)
    found = []
    for _ in range(12):
        one, other, third = dice.sample(WORDS, 3)
        tests = " AND ".join(f"{one}.{w} {dice.choice(['=', '<>', '>='])} {dice.randrange(99)}" for w in WORDS[:6])
        found.append(
            f"SELECT {one}.id, count(*) AS total, {other} FROM {one}s JOIN {third} ON {one}.id = {third}.{one}_id "  # noqa: S608
            f"WHERE ({tests}) OR {other} = '{_prose(dice, 3)}' ORDER BY total DESC LIMIT {dice.randrange(100)};"
        )
    return found


_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}, "unit": {"enum": ["metric", "imperial"]}},
    "required": ["city", "days"],
    "additionalProperties": False,
}


def _tool_list(count: int) -> list[dict[str, Any]]:
    """Tools in OpenAI's shape, each with a property of its own."""
    tools = []
    for index in range(count):
        own = {f"option_{index}": {"type": "string", "maxLength": 40}}
        parameters = {**_SCHEMA, "properties": {**_SCHEMA["properties"], **own}}
        function = {"name": f"{WORDS[index % len(WORDS)]}_{index}", "description": "", "parameters": parameters}
        tools.append({"type": "function", "function": function})
    return tools


def _tags(count: int) -> list[dict[str, Any]]:
    """The same tools as tags, as the peers take them."""
    return [
        {
            "trigger": "<tool_call>",
            "begin": f'<tool_call>\n{{"name": "{tool["function"]["name"]}", "arguments": ',
            "schema": tool["function"]["parameters"],
            "end": "}\n</tool_call>",
        }
        for tool in _tool_list(count)
    ]


def _tool_texts(count: int) -> Callable[[], list[str]]:
    def texts() -> list[str]:
        dice = random.Random(6)
        found = []
        for _ in range(3):
            index = dice.randrange(count)
            arguments = {"city": _prose(dice, 2), "days": dice.randrange(30), "unit": "metric"}
            call = {"name": f"{WORDS[index % len(WORDS)]}_{index}", "arguments": arguments}
            found.append(f"{_prose(dice, 150)}\n<tool_call>\n{json.dumps(call)}\n</tool_call>")
        return found

    return texts


def _tool_task(name: str, count: int) -> Task:
    sources: dict[str, Source] = {
        "ours": ("tools", _tool_list(count)),
        "llg": ("tags", _tags(count)),
        "xgr": ("tags", _tags(count)),
    }
    return Task(name, sources, _tool_texts(count))


def _same(notation: str, source: str, **others: Source) -> dict[str, Source]:
    return dict.fromkeys(("ours", "llg", "xgr"), (notation, source)) | others


TASKS: Final = (
    Task("JSON, GBNF", _same("gbnf", JSON_GBNF), json_texts),
    # Against xgrammar's own grammar of JSON, which is written for its caches.
    Task("JSON, EBNF", _same("gbnf", JSON_GBNF, ours=("ebnf", JSON_GBNF), xgr=("builtin", None)), json_texts),
    Task("JSON, Lark", _same("lark", JSON_LARK), json_texts),
    Task("arithmetic, left recursive", _same("lark", ARITHMETIC_LARK), arithmetic_texts),
    Task("C with comments and keywords", _same("lark", C_LARK), c_texts),
    Task("SQL SELECT", _same("lark", SQL_LARK), sql_texts),
    Task("CSV", _same("gbnf", CSV_GBNF), csv_texts),
    Task("mail address", _same("regex", EMAIL), lambda: ["john.smith+news@mail.example.org", "a" * 60 + "@b-c.de"]),
    _tool_task("text and 1 tool", 1),
    _tool_task("text and 200 tools", 200),
    Task("G16: free text, answer", _same("gbnf", G16), lambda: [_prose(random.Random(7), 400) + "\nAnswer: yes"]),
    Task("G17: words, 2,000 tokens", _same("gbnf", G17), lambda: [_prose(random.Random(8), 1800).replace(", ", " ")]),
    Task(
        "JSON, GBNF, 100 kB",
        _same("gbnf", JSON_GBNF),
        lambda: [json.dumps({"all": [json.loads(text) for text in json_texts()] * 45})],
    ),
    Task(
        "ambiguous: e e or a, 20 kB",
        {"ours": ("gbnf", AMBIGUOUS_GBNF), "llg": ("lark", AMBIGUOUS_LARK), "xgr": ("gbnf", AMBIGUOUS_GBNF)},
        lambda: ["a" * 20_000],
    ),
    Task("arithmetic, 100 kB", _same("lark", ARITHMETIC_LARK), lambda: [" - ".join(arithmetic_texts() * 30)]),
)
