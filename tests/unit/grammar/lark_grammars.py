"""Grammars in the style of Lark's own examples, for the tests of its two readings."""

from __future__ import annotations

from typing import Final, NamedTuple

__all__ = ["GRAMMARS", "Example"]


class Example(NamedTuple):
    """A grammar, letters to write texts of it, and words that its terminals match."""

    text: str
    alphabet: str
    words: tuple[str, ...] = ()
    #: Whether Lark's LALR parser takes it.
    is_lalr: bool = True


GRAMMARS: Final = {
    "calculator": Example(
        r"""
        ?start: sum | NAME "=" sum -> assign
        ?sum: product | sum "+" product -> add | sum "-" product -> sub
        ?product: atom | product "*" atom | product "/" atom
        ?atom: NUMBER -> number | "-" atom -> neg | NAME -> var | "(" sum ")"
        %import common.CNAME -> NAME
        %import common.NUMBER
        %import common.WS_INLINE
        %ignore WS_INLINE
        """,
        "x=1+2*(3-a) 4.e",
    ),
    "json": Example(
        r"""
        ?start: value
        ?value: object | array | string | SIGNED_NUMBER -> number | "true" | "false" | "null"
        array  : "[" [value ("," value)*] "]"
        object : "{" [pair ("," pair)*] "}"
        pair   : string ":" value
        string : ESCAPED_STRING
        %import common (ESCAPED_STRING, SIGNED_NUMBER, WS)
        %ignore WS
        """,
        '[]{}",:1 -.e\\a',
        ('"a"', '"\\""', "-1.5e3"),
    ),
    "settings": Example(
        r"""
        start: _NL? section+
        section: "[" NAME "]" _NL item*
        item: NAME "=" VALUE? _NL
        NAME: /[a-z_]/+
        VALUE: /./+
        %import common.NEWLINE -> _NL
        %import common.WS_INLINE
        %ignore WS_INLINE
        """,
        "[a]\n=b 1",
    ),
    "turtle": Example(
        r"""
        start: instruction+
        instruction: MOVEMENT NUMBER | "c" COLOR [COLOR] | "fill" block | "repeat" NUMBER block
        block: "{" instruction+ "}"
        MOVEMENT: "f"|"b"|"l"|"r"
        COLOR: LETTER+
        %import common.LETTER
        %import common.INT -> NUMBER
        %import common.WS
        %ignore WS
        """,
        "fblrc epat{}12il",
    ),
    "templates": Example(
        r"""
        start: "[" _separated{NUMBER, ","} "]" | "{" _separated{pair{NUMBER, WORD}, ";"} "}" | call{pair}
        call{t}: "<" t{WORD, WORD} ">"
        pair{k, v}: k ":" v
        _separated{x, sep}: x (sep x)*
        %import common (NUMBER, WORD, WS)
        %ignore WS
        """,
        "[]{}<>,:;1 a",
    ),
    "fruit flies": Example(
        r"""
        start: noun verb noun -> simple | noun verb "like" noun -> comparative
        noun: adj? NOUN
        verb: VERB
        adj: ADJ
        NOUN: "flies" | "bananas" | "fruit"
        VERB: "like" | "flies"
        ADJ: "fruit"
        %import common.WS
        %ignore WS
        """,
        "fruit liesk bana",
    ),
    "splits": Example('start: a+ b~2..3\na: "x" | "xx" | A\nA: /y+/\nb: "y" | "z"', "xyz"),
    "choices": Example("start: (A | B)+ C?\nA: /a|ab/\nB: /b+?c?/\nC: /(c|cd)(e|def)/", "abcdef"),
    "left": Example('start: start "a" | start start "b" | c |\nc: d "c" | "d"\nd: c |', "abcd", is_lalr=False),
    "priorities": Example(
        r"""
        start: (A | B | word)+
        A.2: /[ab]+/
        B: /[a-c]+/
        word: "if" | NAME
        NAME: /[a-z]+/
        %ignore /[ ]+/
        %ignore /#[^\n]*\n/
        """,
        "abcif #\n",
    ),
    "flags": Example(
        'start: "select"i X Y? | R+\nX: /a.b/s\nY: /[a-z] [0-9]/xi\nR: "0".."7"', "selctSELCT\nabZ907", ("a\nb", "Z1")
    ),
    "counts": Example('start: "a"~3 b~0..2 ("c" | "d")~1..2 [e]\nb: "b"\ne: "e"+', "abcde"),
    "nothing": Example("start:", "ab"),
    "extended": Example(
        r"""
        %import common (INT, WORD)
        %extend INT: "#" INT_
        INT_: "0".."9"
        %override WORD: /[x-z]+/
        start: (INT | WORD)+
        %ignore " "
        """,
        "12#xyz a",
    ),
}
