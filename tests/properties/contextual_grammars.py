"""Lark grammars that lean on the contextual lexer, and texts to mutate; a random generator of small nasty ones."""

from __future__ import annotations

import random
from typing import Final

__all__ = ["GRAMMARS", "TEXTS", "mutated", "random_grammar"]

_CALC: Final = r"""
?start: sum
?sum: product | sum "+" product | sum "-" product
?product: atom | product "*" atom | product "/" atom
?atom: NUMBER -> number | "-" atom | NAME | "(" sum ")"
%import common.CNAME -> NAME
%import common.NUMBER
%import common.WS_INLINE
%ignore WS_INLINE
"""
_JSON: Final = r"""
?start: value
?value: object | array | string | SIGNED_NUMBER -> number | "true" | "false" | "null"
array: "[" [value ("," value)*] "]"
object: "{" [pair ("," pair)*] "}"
pair: string ":" value
string: ESCAPED_STRING
%import common.ESCAPED_STRING
%import common.SIGNED_NUMBER
%import common.WS
%ignore WS
"""
_CLIKE: Final = r"""
start: stmt*
stmt: "if" "(" expr ")" stmt ["else" stmt] | "while" "(" expr ")" stmt | "return" expr? ";" | "{" stmt* "}"
    | type NAME ["=" expr] ";" | expr ";" | ";"
type: "int" | "float" | "char" "*"?
?expr: assign
?assign: cmp | NAME "=" assign | NAME "+=" assign
?cmp: shift (("<"|"<="|">"|">="|"=="|"!=") shift)*
?shift: add (("<<"|">>") add)*
?add: mul (("+"|"-") mul)*
?mul: unary (("*"|"/"|"%") unary)*
?unary: "-" unary | "!" unary | "++" unary | atom | unary "++"
?atom: NAME | INT | FLOAT | STRING | CHAR | "(" expr ")" | NAME "(" [expr ("," expr)*] ")"
NAME: /[a-zA-Z_]\w*/
INT: /\d+/
FLOAT: /\d+\.\d*([eE][+-]?\d+)?|\.\d+/
STRING: /"(\\.|[^"\\\n])*?"/
CHAR: /'(\\.|[^'\\])'/
COMMENT: /\/\/[^\n]*/
BLOCK: /\/\*(.|\n)*?\*\//
WS: /[ \t\f\r\n]+/
%ignore WS
%ignore COMMENT
%ignore BLOCK
"""
_FLOATS: Final = r"""
start: (INT | FLOAT | DOT | RANGE)+
INT: /\d+/
FLOAT: /\d+\.\d+/
DOT: "."
RANGE: ".."
"""
_OPS: Final = r"""
start: (A | B | C | D | X)+
A: "<"
B: "<="
C: "<<"
D: "<<="
X: /x/
"""
_KW: Final = r"""
start: stmt+
stmt: "Select"i NAME ("from"i NAME)? ";" | NAME ":=" NAME ";"
NAME: /[a-z]+/i
WS: " "
%ignore WS
"""
_KW2: Final = r"""
start: (IF NAME | NAME "=" (NAME|TRUE))*
IF: "if"
TRUE.2: "true"
NAME: /[a-z][a-z0-9]*/
%ignore " "
"""
_LOOK: Final = r"""
start: (A | B | C | " ")+
A: /a(?!b)/
B: /ab+(?=c|$)/
C: /c|b/
"""
_LOOK2: Final = r"""
start: item+
item: NAME | KW | NUM | OP | STR
KW: /\b(let|in)\b/
NAME: /[a-z]+/
NUM: /(?<![a-z])\d+(?!\w)/
OP: /[-+.](?![-+])/
STR: /"("(?!""))?.*?(?<!\\)(\\\\)*"/
%ignore /[ \n]+/
"""
_LAZY: Final = r"""
start: (S | T | "x")*
S: /'''.*?'''/s
T: /'[^'\n]*'/
"""
_EMPTYLOOP: Final = r"""
start: (A|B)+
A: /x(|a)*/
B: /(a*?b?)*c/
"""
_PYSTR: Final = r"""
start: (STRING | LONG | NAME)*
STRING : /[ubf]?r?("(?!"").*?(?<!\\)(\\\\)*?"|'(?!'').*?(?<!\\)(\\\\)*?')/i
LONG: /[ubf]?r?(\"{3}.*?(?<!\\)(\\\\)*?\"{3}|'{3}.*?(?<!\\)(\\\\)*?'{3})/is
NAME: /[^\W\d]\w*/
%ignore " "
"""
_DANGLE: Final = r"""
start: stmt
stmt: "i" E stmt | "i" E stmt "e" stmt | "s"
E: "c"
"""
_RIGHT: Final = r"""
start: "[" list "]"
list: item | item "," list
item: /[a-z]+/ | "(" list ")"
"""
_TEMPL: Final = r"""
start: sep{NUMBER, ","} ";" sep{WORD, "|"}
sep{x, s}: x (s x)*
NUMBER: /[0-9]+/
WORD: /[a-z0-9]+/
"""
_EOL: Final = r"""
start: line+
line: WORD* NL
WORD: /\w+$/m | /\w+/
NL: /\n/
%ignore /[ ]+/
%ignore /#.*$/m
"""
_MULTI: Final = r"""
start: (A | B)+
A: /^a/m
B: /b\n?|\n/
"""

#: Lark's examples for its contextual lexer, and of a little language (``examples/`` of the lark package).
_CONF: Final = r"""
start: _NL? section+
section: "[" NAME "]" _NL item+
item: NAME "=" VALUE? _NL
NAME: /\w/+
VALUE: /./+
%import common.NEWLINE -> _NL
%import common.WS_INLINE
%ignore WS_INLINE
"""
_TURTLE: Final = r"""
start: instruction+
instruction: MOVEMENT NUMBER            -> movement
           | "c" COLOR [COLOR]          -> change_color
           | "fill" code_block          -> fill
           | "repeat" NUMBER code_block -> repeat
code_block: "{" instruction+ "}"
MOVEMENT: "f"|"b"|"l"|"r"
COLOR: LETTER+
%import common.LETTER
%import common.INT -> NUMBER
%import common.WS
%ignore WS
"""
#: Keywords that begin and end other words, numbers with parts, and what is only told apart at its end.
_SHADES: Final = r"""
start: (def | use)*
def: "def" NAME "=" value ";"
use: "use" NAME ("," NAME)* ";" | "define" STR ";"
value: NAME | NUM | VERSION | STR | "default" | "not" value
NAME: /[a-z][a-z0-9-]*(?<!-)/
NUM: /-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?(?![\w.])/
VERSION: /\d+(\.\d+){2,}/
STR: /"([^"\\]|\\.)*"/ | /'[^']*'/
%ignore /\s+/
%ignore /--.*/
"""
#: Conflicts that matter and lexers that are not good, at once.
_BOTH: Final = r"""
start: T1 T0+ | T0* | T1+ T0? one
one: T1 T0+ (two one*)? | "c" T1 (T2* | one "c"+ | T0*)
two: T0 T0 T0*
T0: "bb"
T1: "ca"
T2.2: "b"
"""
_LOST: Final = r"""
start: "b"* T1? | start "a" T0* | T0* (T0 | one "a"?) one?
one: T0 "c" T0
two: two? T0 T1+
T0: "cbc"
T1.2: "c"
"""
#: What the cheapest way of the parser needs is taken by a terminal that is ignored, or by a longer one.
_HELD: Final = r"""
start: one? T3* T2 | T2
one: T2+
T0.1: /(a?)*(ab?)?a{2}b/m
T2: "ba"
T3: "bbb"
%ignore T0
"""
_TAKEN: Final = r"""
start: one T0* one
one: T1 T1*
T0.1: "ca"
T1.2: /a(ab?)?\B(a|ab)|b(b|)*?/m
"""
#: Name to grammar.
GRAMMARS: Final = {
    "held": _HELD,
    "taken": _TAKEN,
    "conf": _CONF,
    "turtle": _TURTLE,
    "shades": _SHADES,
    "both": _BOTH,
    "lost": _LOST,
    "calc": _CALC,
    "json": _JSON,
    "clike": _CLIKE,
    "floats": _FLOATS,
    "ops": _OPS,
    "kw": _KW,
    "kw2": _KW2,
    "look": _LOOK,
    "look2": _LOOK2,
    "lazy": _LAZY,
    "emptyloop": _EMPTYLOOP,
    "pystr": _PYSTR,
    "dangle": _DANGLE,
    "right": _RIGHT,
    "templ": _TEMPL,
    "eol": _EOL,
    "multi": _MULTI,
}

#: Texts near the edge of each grammar.
TEXTS: Final = {
    "held": ["babaaabbbbba", "baba", "bbbba", "aabba"],
    "taken": ["baacab", "baab", "bcaab", "aaab"],
    "conf": ["[a]\nx = 1 2\ny =\n[b]\nz=[c]\n", "\n[sec]\n\nk=v=w\n"],
    "turtle": ["c red yellow fill { repeat 36 { f200 l170 }}", "f1b2 c fill fill{l9}", "repeat3{r 90}"],
    "shades": [
        'def a = 1.5; use defa, default;\ndef use = not default; define "x\\"y"; -- z',
        "def x-y = 1.2.3; def z=-0e5; use a-b;--\nuse not;",
        "def a = 'q'; def b=12a; def c = a- ;",
    ],
    "both": ["bb", "bbbb", "cabb", "ccacabb"],
    "lost": ["a", "bbca", "cbcac", "cbccbcc"],
    "calc": ["1+2*(3-x)", "-a/2.5e3"],
    "json": ['{"a": [1, 2.5e3, true, null], "b\\"": {}}', '[[],"x",-3]'],
    "clike": [
        'int a = 3; if (a <= 4) { return a<<2; } else b = "x\\"y"; // c\n/* z */ while(1) f(a, .5, 1.e3);',
        "iff = intx; ++a; a++ ++;",
        "char* c = 'x';",
    ],
    "floats": ["1.2.3..4", "1..2", "1.", "12.5."],
    "ops": ["<<=<x<<<=", "<=<=<<"],
    "kw": ["select a from b;", "selecta := fromb ; SELECT from from from;"],
    "kw2": ["if a b = true c=trueish", "iff = if", "true = a"],
    "look": ["aabbcab ab c", "abbc", "ac b"],
    "look2": ['let a in 12 + -x "a\\"b" ""', "letter inn 5a", '"""x"" - + .'],
    "lazy": ["'''a'b''' 'c'x", "''''''x''", "'''a''''"],
    "emptyloop": ["xaxaabbc", "cacabc"],
    "pystr": ['"a" \'\' """b""c""" foo r"\\\\" x', 'u"\\"" br\'a\'', '""" \\""" """'],
    "dangle": ["icices", "icsesicsees", "icicses"],
    "right": ["[a,b,(c,d)]", "[a]"],
    "templ": ["1,2,3;a|b|1", "1;2"],
    "eol": ["a b # c\nd\n", "a\n\n #\n"],
    "multi": ["ab\nab", "b\n\nabb\na", "aa", "a\na"],
}


def mutated(dice: random.Random, text: str, alphabet: str) -> str:
    """A text with up to three characters or pieces removed, added or repeated."""
    for _ in range(dice.choice([0, 1, 1, 2, 3])):
        kind = dice.random()
        one, other = sorted((dice.randrange(len(text) + 1), dice.randrange(len(text) + 1)))
        if kind < 0.35:
            text = text[:one] + text[one + 1 :]
        elif kind < 0.7:
            text = text[:one] + dice.choice(alphabet) + text[one:]
        elif kind < 0.85:
            text = text[:one] + text[other:]
        else:
            text = text[:other] + text[one:]
    return text


_ATOMS: Final = (
    *(
        "a",
        "b",
        "c",
        "[ab]",
        "[^a]",
        "(a|ab)",
        "(ab|a)",
        "a*",
        "b+",
        "a+?",
        "(a|b)*?",
        "(ab?)?",
        r"\b",
        "(?=a)",
        "(?!b)",
    ),
    *("(?<=a)", "(?<!b)", "$", "^", "(a?)*", "(|a)+", "a{1,2}", "a{2}", "[bc]*", "(?i:A)", r"\Z", "(b|)*?", "(?!a|bc)"),
    *("(?=[ab]c?$)", "(?<=ab)", r"\B"),
)


def _terminal(dice: random.Random) -> str:
    if dice.random() < 0.45:
        flag = "i" if dice.random() < 0.1 else ""
        return '"' + "".join(dice.choice("abc") for _ in range(dice.randint(1, 3))) + '"' + flag
    pattern = "".join(dice.choice(_ATOMS) for _ in range(dice.randint(1, 4)))
    if dice.random() < 0.3:
        pattern += "|" + "".join(dice.choice(_ATOMS) for _ in range(dice.randint(1, 2)))
    return f"/{pattern}/" + dice.choice(["", "", "", "m", "s", "i"])


def random_grammar(dice: random.Random) -> str:
    """Up to three rules over up to four terminals of ``a``, ``b`` and ``c``, with all that patterns can look at."""
    terminals = [f"T{number}" for number in range(dice.randint(1, 4))]
    rules = ["start", "one", "two"][: dice.randint(1, 3)]

    def symbol(depth: int) -> str:
        kind = dice.random()
        if depth < 1 and kind < 0.15:
            found = f"({alternatives(depth + 1)})"
        elif kind < 0.65:
            found = dice.choice(terminals)
        elif kind < 0.87:
            found = dice.choice(rules)
        else:
            found = f'"{dice.choice("abc")}"'
        return found + dice.choice(["", "", "", "", "?", "*", "+"])

    def alternatives(depth: int) -> str:
        count = dice.choice([1, 1, 2, 3])
        return " | ".join(" ".join(symbol(depth) for _ in range(dice.choice([1, 1, 2, 3]))) for _ in range(count))

    lines = [f"{rule}: {alternatives(0)}" for rule in rules]
    lines += [f"{name}{dice.choice(['', '', '', '', '.1', '.2'])}: {_terminal(dice)}" for name in terminals]
    if dice.random() < 0.35:
        lines.append(dice.choice(['%ignore " "', "%ignore /[ b]+/", "%ignore /b(?!c)/", "%ignore T0"]))
    return "\n".join(lines)
