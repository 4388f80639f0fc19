"""A Lark grammar as the constraint: queries on one table, its columns and no others.

    pip install .
    python examples/grammar.py

The "model" throws dice, so the output shows what the masks alone guarantee: every query runs.
"""

from __future__ import annotations

import sqlite3
import string

import numpy as np

import maskwright as mw

GRAMMAR = r"""
start: "SELECT " column (", " column)~0..2 " FROM people" (" WHERE " test ((" AND "|" OR ") test)~0..2)? order?
order: " ORDER BY " column (" ASC" | " DESC")?
test: number (" = " | " < " | " > ") NUMBER | text " = " STRING | "(" test (" AND " | " OR ") test ")"
column: number | text
number: "age" | "height"
text: "name" | "city"
NUMBER: /0|[1-9][0-9]{0,2}/
STRING: /'[a-zA-Z ]{1,12}'/
"""
END = 0


def main() -> None:
    """Write five queries and run them."""
    words = [b"SELECT ", b"FROM ", b"people", b" WHERE ", b"age", b"na", b"me", b", ", b" AND ", b" ORDER BY "]
    vocabulary = mw.Vocabulary.from_tokens([b"", *map(str.encode, string.printable), *words], end_ids=[END])
    guide = mw.compile(mw.lark(GRAMMAR), vocabulary)

    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE people (name TEXT, age INTEGER, city TEXT, height REAL)")
    database.execute("INSERT INTO people VALUES ('Alice Martin', 34, 'Berlin', 1.7)")
    dice = np.random.default_rng(3)
    for _ in range(5):
        matcher = guide.matcher()
        while not matcher.is_finished:
            bits = np.unpackbits(matcher.mask().view(np.uint8), bitorder="little")[: len(vocabulary)]
            matcher.advance(int(dice.choice(np.flatnonzero(bits))))
        text = matcher.text.decode()
        print(text, "->", len(database.execute(text).fetchall()), "rows")
    print("as a grammar for llama.cpp's server:")
    print(mw.to_gbnf(mw.lark(GRAMMAR, lexer="exact")))


if __name__ == "__main__":
    main()
