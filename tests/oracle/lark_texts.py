"""Texts for a Lark grammar, made from what Lark itself has compiled: derivations, broken here and there."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

__all__ = ["lark_texts"]

#: Attempts to find texts of a terminal by chance, and symbols after which a derivation takes the shortest way.
_ATTEMPTS = 1500
_SYMBOLS = 12


def lark_texts(parser: Any, alphabet: str, words: Sequence[str], count: int, chance: random.Random) -> Iterator[str]:
    """``count`` texts for a ``lark.Lark``: a third derived, a third derived and broken, a third by chance.

    Terminals are spelled by ``words`` and by short texts over the alphabet that their patterns match whole.
    """
    spellings = _spellings(parser.terminals, alphabet, words, chance)
    rules: dict[str, list[Any]] = {}
    for rule in parser.rules:
        rules.setdefault(rule.origin.name, []).append(rule)
    heights = _heights(parser.rules)
    for number in range(count):
        if number % 3 == 2:
            yield "".join(chance.choices(alphabet, k=chance.randint(0, 8)))
            continue
        text = _derived(rules, heights, parser.options.start[0], spellings, parser.ignore_tokens, chance)
        yield _broken(text, alphabet, chance) if number % 3 else text


def _spellings(
    terminals: Sequence[Any], alphabet: str, words: Sequence[str], chance: random.Random
) -> dict[str, list[str]]:
    tried = [*words, *("".join(chance.choices(alphabet, k=chance.randint(1, 5))) for _ in range(_ATTEMPTS))]
    found = {}
    for terminal in terminals:
        pattern = re.compile(terminal.pattern.to_regexp())
        texts = {text for text in tried if pattern.fullmatch(text)}
        if terminal.pattern.type == "str":
            texts.add(terminal.pattern.value)
        found[terminal.name] = sorted(texts)[:12] or ["?"]
    return found


def _height(rule: Any, heights: Mapping[str, int]) -> int:
    return 1 + max((heights.get(s.name, 10**6) for s in rule.expansion if not s.is_term), default=0)


def _heights(rules: Sequence[Any]) -> dict[str, int]:
    """The least height of a tree of each rule."""
    heights: dict[str, int] = {}
    changed = True
    while changed:
        changed = False
        for rule in rules:
            height = _height(rule, heights)
            if height < heights.get(rule.origin.name, 10**6):
                heights[rule.origin.name] = height
                changed = True
    return heights


def _derived(
    rules: Mapping[str, list[Any]],
    heights: Mapping[str, int],
    start: str,
    spellings: Mapping[str, list[str]],
    ignored: Sequence[str],
    chance: random.Random,
) -> str:
    written: list[str] = []
    todo = [(start, 0)]
    while todo:
        name, depth = todo.pop()
        if name not in rules:
            written.append(chance.choice(spellings.get(name, ["?"])))
            continue
        choices = rules[name]
        if depth > _SYMBOLS // 2 or len(written) > _SYMBOLS:
            least = min(_height(rule, heights) for rule in choices)
            choices = [rule for rule in choices if _height(rule, heights) == least]
        todo.extend((symbol.name, depth + 1) for symbol in reversed(chance.choice(choices).expansion))
    blank = chance.choice(spellings[ignored[0]]) if ignored and chance.random() < 0.5 else ""
    return blank.join(written)


def _broken(text: str, alphabet: str, chance: random.Random) -> str:
    """One or two characters more, less, or others."""
    letters = list(text)
    for _ in range(chance.randint(1, 2)):
        place = chance.randint(0, len(letters))
        new = [chance.choice(alphabet)] if chance.random() < 0.6 else []
        letters[place : place + chance.randint(0, 1)] = new
    return "".join(letters)
