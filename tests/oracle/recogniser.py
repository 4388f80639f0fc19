"""A slow, obvious recogniser of a network on bytes, written without a look at the kernel.

Text terms become plain tuples that are read by Brzozowski's derivatives, one code point at a time; byte terms read one
byte at a time; a configuration is a symbol in progress with a linked list of what follows. Nothing is compiled.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, cast

from maskwright.network.lexeme import Term
from maskwright.network.nodes import Call, Capture, Lex, Network, Switch

Text = tuple[Any, ...]
Configuration = tuple[Any, ...]

EMPTY: Text = ("never",)
BLANK: Text = ("blank",)
ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


# ---- text terms --------------------------------------------------------------------------------------------------


def cat(first: Text, second: Text) -> Text:
    if EMPTY in (first, second):
        return EMPTY
    if first == BLANK:
        return second
    return first if second == BLANK else ("cat", first, second)


def alt(parts: Iterator[Text] | list[Text]) -> Text:
    flat: set[Text] = set()
    for part in parts:
        flat |= part[1] if part[0] == "alt" else {part}
    flat.discard(EMPTY)
    if not flat:
        return EMPTY
    return next(iter(flat)) if len(flat) == 1 else ("alt", frozenset(flat))


def both(parts: Iterator[Text] | list[Text]) -> Text:
    flat = set(parts)
    if EMPTY in flat:
        return EMPTY
    return next(iter(flat)) if len(flat) == 1 else ("and", frozenset(flat))


@cache
def text(term: Term) -> Text:
    """The tuple of a text term."""
    args = term.args
    match term.op:
        case "never" | "epsilon":
            return EMPTY if term.op == "never" else BLANK
        case "characters":
            return ("set", args[0])
        case "words" | "labelled":
            return ("words", frozenset(cast("tuple[str, ...]", args[0])))
        case "automaton":
            return ("auto", args[0], args[0].start)
        case "concatenate":
            result = BLANK
            for part in reversed(args):
                result = cat(text(part), result)
            return result
        case "unite":
            return alt([text(part) for part in args])
        case "intersect":
            return both([text(part) for part in args])
        case "complement":
            return ("not", text(args[0]))
        case "repeat":
            return ("rep", text(args[0]), args[1], args[2])
    raise AssertionError(term.op)


@cache
def nullable(r: Text) -> bool:
    match r[0]:
        case "never" | "set":
            return False
        case "blank":
            return True
        case "words":
            return "" in r[1]
        case "auto":
            return r[1].accepts(r[2])
        case "cat":
            return nullable(r[1]) and nullable(r[2])
        case "alt":
            return any(map(nullable, r[1]))
        case "and":
            return all(map(nullable, r[1]))
        case "not":
            return not nullable(r[1])
        case "rep":
            return r[2] == 0 or nullable(r[1])
    raise AssertionError(r)


@cache
def derive(r: Text, code: int) -> Text:
    """What may follow one code point."""
    match r[0]:
        case "never" | "blank":
            return EMPTY
        case "set":
            return BLANK if any(first <= code <= last for first, last in r[1]) else EMPTY
        case "words":
            rest = frozenset(w[1:] for w in r[1] if w and ord(w[0]) == code)
            return ("words", rest) if rest else EMPTY
        case "auto":
            for first, last, state in r[1].moves(r[2]):
                if first <= code <= last:
                    return ("auto", r[1], state)
            return EMPTY
        case "cat":
            started = cat(derive(r[1], code), r[2])
            return alt([started, derive(r[2], code)]) if nullable(r[1]) else started
        case "alt":
            return alt([derive(part, code) for part in r[1]])
        case "and":
            return both([derive(part, code) for part in r[1]])
        case "not":
            return ("not", derive(r[1], code))
        case "rep":
            _, part, least, most = r
            if most == 0:
                return EMPTY
            left = ("rep", part, max(least - 1, 0), None if most is None else most - 1)
            return cat(derive(part, code), left)
    raise AssertionError(r)


@cache
def edges(r: Text) -> frozenset[int]:
    """The code points at which the behaviour of a term may change."""
    match r[0]:
        case "set":
            return frozenset(x for first, last in r[1] for x in (first, last + 1))
        case "words":
            return frozenset(x for w in r[1] if w for x in (ord(w[0]), ord(w[0]) + 1))
        case "auto":
            return frozenset(x for first, last, _ in r[1].moves(r[2]) for x in (first, last + 1))
        case "cat":
            return edges(r[1]) | (edges(r[2]) if nullable(r[1]) else frozenset())
        case "alt" | "and":
            return frozenset().union(*map(edges, r[1]))
        case "not" | "rep":
            return edges(r[1])
    return frozenset()


def allowed(low: int, high: int) -> Iterator[tuple[int, int]]:
    """The code points of a range that UTF-8 can carry."""
    if low <= min(high, 0xD7FF):
        yield low, min(high, 0xD7FF)
    if max(low, 0xE000) <= min(high, 0x10FFFF):
        yield max(low, 0xE000), min(high, 0x10FFFF)


def representatives(r: Text, low: int = 0, high: int = 0x10FFFF) -> Iterator[int]:
    """One code point of every kind that a term tells apart in a range."""
    for first, last in allowed(low, high):
        yield first
        yield from (edge for edge in sorted(edges(r)) if first < edge <= last)


@cache
def inhabited(r: Text) -> bool:
    """Whether a text term holds a string."""
    seen, stack = {r}, [r]
    while stack:
        top = stack.pop()
        if nullable(top):
            return True
        for code in representatives(top):
            after = derive(top, code)
            if after != EMPTY and after not in seen:
                seen.add(after)
                stack.append(after)
    return False


def is_empty(term: Term) -> bool:
    """Whether a text term of the library holds no string."""
    return not inhabited(text(term))


def lives(r: Text, low: int, high: int) -> bool:
    """Whether some code point of a range begins a rest of the term that holds a string."""
    return any(inhabited(derive(r, code)) for code in representatives(r, low, high))


# ---- byte terms: a state, its steps, whether it may end -------------------------------------------------------------


def begin(term: Term) -> Text:
    match term.op:
        case "encode":
            return ("utf8", text(term.args[0]), b"", False)
        case "marker":  # in a vocabulary without control tokens
            return ("utf8", ("words", frozenset(term.args)), b"", False)
        case "quote":
            return ("string", text(term.args[0]), term.args[1], "open", "", "")
        case "concatenate":
            result = BLANK
            for part in reversed(term.args):
                result = cat(begin(part), result)
            return result
        case "unite":
            return alt([begin(part) for part in term.args])
        case "never" | "epsilon":
            return EMPTY if term.op == "never" else BLANK
    raise AssertionError(term.op)


def ended(s: Text) -> bool:
    match s[0]:
        case "utf8":
            return not s[2] and nullable(s[1])
        case "string":
            return s[3] == "closed"
        case "cat":
            return ended(s[1]) and ended(s[2])
        case "alt":
            return any(map(ended, s[1]))
    return s == BLANK


def feed(s: Text, byte: int) -> Text:
    """The state after one byte; ``EMPTY`` where nothing can follow any more."""
    match s[0]:
        case "utf8":
            return character(s[1], s[2] + bytes([byte]), lambda r: ("utf8", r, b"", False), s)
        case "string":
            return feed_string(s, byte)
        case "cat":
            started = cat(feed(s[1], byte), s[2])
            return alt([started, feed(s[2], byte)]) if ended(s[1]) else started
        case "alt":
            return alt([feed(part, byte) for part in s[1]])
    return EMPTY


def span(head: bytes) -> tuple[int, int] | None:
    """The code points whose UTF-8 begins with some bytes."""
    lead = head[0]
    size = 1 if lead < 0x80 else 2 if 0xC2 <= lead < 0xE0 else 3 if 0xE0 <= lead < 0xF0 else 4 if lead < 0xF5 else 0
    if (0x80 <= lead < 0xC2) or not size or len(head) > size or any(not 0x80 <= b < 0xC0 for b in head[1:]):
        return None
    value = lead if size == 1 else lead & (0x7F >> size)
    for byte in head[1:]:
        value = value << 6 | byte & 0x3F
    missing = 6 * (size - len(head))
    low, high = value << missing, (value + 1 << missing) - 1
    least = {1: 0, 2: 0x80, 3: 0x800, 4: 0x10000}[size]
    low, high = max(low, least), min(high, 0x10FFFF)
    return (low, high) if any(allowed(low, high)) else None


def character(r: Text, head: bytes, made: Any, partial: Text) -> Text:
    reach = span(head)
    if reach is None:
        return EMPTY
    if reach[0] == reach[1] and len(chr(reach[0]).encode("utf-8", "surrogatepass")) == len(head):
        after = derive(r, reach[0])
        return made(after) if inhabited(after) else EMPTY
    return (*partial[:2], head, *partial[3:]) if lives(r, *reach) else EMPTY


def feed_string(s: Text, byte: int) -> Text:
    """``("string", rest, minimal, mode, pending, text so far)``: one byte of a JSON string literal."""
    _, r, minimal, mode, pending, read = s

    def on(code: int, *, escaped: bool) -> Text:
        if escaped and minimal and chr(code) not in '"\\' and code >= 0x20:
            return EMPTY
        after = derive(r, code)
        return ("string", after, minimal, "body", "", read + chr(code)) if inhabited(after) else EMPTY

    if mode == "open":
        return ("string", r, minimal, "body", "", "") if byte == 0x22 and inhabited(r) else EMPTY
    if mode == "utf8":
        head = pending + bytes([byte])
        reach = span(head)
        if reach is None:
            return EMPTY
        try:
            return on(ord(head.decode()), escaped=False)
        except UnicodeDecodeError:
            return ("string", r, minimal, "utf8", head, read) if lives(r, *reach) else EMPTY
    if mode == "body":
        if byte == 0x22:
            return ("string", BLANK, minimal, "closed", "", read) if nullable(r) else EMPTY
        if byte == 0x5C:
            return alive(("string", r, minimal, "escape", "", read))
        if byte < 0x20:
            return EMPTY
        return feed_string(("string", r, minimal, "utf8", b"", read), byte)
    if mode == "escape":
        if byte == 0x75:
            return alive(("string", r, minimal, "hex", "", read))
        return on(ord(ESCAPES[chr(byte)]), escaped=True) if chr(byte) in ESCAPES else EMPTY
    if mode == "hex":
        return feed_hex(s, byte, on)
    return EMPTY


def feed_hex(s: Text, byte: int, on: Any) -> Text:
    r"""``pending`` holds what was written after the first ``\u``, up to ``D83D\uDE00``."""
    _, r, minimal, _, pending, read = s
    pending += chr(byte).upper() if byte != 0x75 else "u"
    pattern = "HHHH\\uHHHH"[len(pending) - 1]
    if (pattern == "H" and pending[-1] not in "0123456789ABCDEF") or (pattern in "\\u" and pending[-1] != pattern):
        return EMPTY
    if len(pending) == 4 and not 0xD800 <= int(pending, 16) <= 0xDFFF:
        return on(int(pending, 16), escaped=True)
    if len(pending) == 10:
        high, low = int(pending[:4], 16), int(pending[6:], 16)
        if not 0xDC00 <= low <= 0xDFFF:
            return EMPTY
        return on(0x10000 + (high - 0xD800 << 10) + low - 0xDC00, escaped=True)
    return alive(("string", r, minimal, "hex", pending, read))


def alive(s: Text) -> Text:
    """The state if the code points that its escape can still spell contain a live one."""
    _, r, minimal, mode, pending, _ = s
    if mode == "escape":
        simple = any(feed_string(s, ord(name)) != EMPTY for name in ESCAPES)
        return (
            s if simple or lives(r, 0, 0x1F if minimal else 0x10FFFF) or (minimal and lives(r, 0x22, 0x22)) else EMPTY
        )
    digits = pending[:4]
    low, high = int(digits.ljust(4, "0"), 16), int(digits.ljust(4, "F"), 16)
    if len(pending) < 4:
        plain = (
            lives(r, low, high)
            if not minimal
            else any(lives(r, c, c) for c in range(low, high + 1) if c < 0x20 or c in (0x22, 0x5C))
        )
        first, last = max(low, 0xD800), min(high, 0xDBFF)
        pairs = (
            first <= last
            and not minimal
            and lives(r, 0x10000 + (first - 0xD800 << 10), 0x10000 + (last - 0xD800 << 10) + 0x3FF)
        )
        return s if plain or pairs else EMPTY
    if low >= 0xDC00 or minimal:
        return EMPTY
    tail = pending[6:]
    first, last = max(int(tail.ljust(4, "0"), 16), 0xDC00), min(int(tail.ljust(4, "F"), 16), 0xDFFF)
    base = 0x10000 + (low - 0xD800 << 10) - 0xDC00
    return s if first <= last and lives(r, base + first, base + last) else EMPTY


# ---- networks -------------------------------------------------------------------------------------------------------


def closure(network: Network, todo: list[Configuration]) -> set[Configuration]:
    """Configurations whose first item reads a byte, and ``()`` if the end is reached."""
    found: set[Configuration] = set()
    seen: set[Configuration] = set()
    while todo:
        configuration = todo.pop()
        if configuration in seen:
            continue
        seen.add(configuration)
        if not configuration:
            found.add(())
            continue
        first, rest = configuration
        match first:
            case Call(node):
                for production in network.expand(node):
                    chain = rest
                    for symbol in reversed(production):
                        chain = (symbol, chain)
                    todo.append(chain)
            case Lex(term):
                todo.append(((begin(term), None), rest))
            case Switch(term, targets, _) if term.op == "encode" and term.args[0].op == "automaton":
                todo.append(((begin(term), targets), rest))
            case Switch(term, targets, live):
                quoted = term.args[0]
                for place, word in enumerate(quoted.args[0]):
                    if not live >> place & 1:
                        continue
                    target = targets[place]
                    words = ("words", frozenset((word,)))
                    is_text = term.op == "encode"
                    state = ("utf8", words, b"", False) if is_text else ("string", words, term.args[1], "open", "", "")
                    todo.append(((state, None), (Call(target), rest)))
            case Capture(term, node):
                todo.append(((begin(term), node), rest))
            case (state, node):
                if ended(state):
                    after = rest if node is None else (Call(_target(network, state, node)), rest)
                    todo.append(after)
                if state != BLANK:
                    found.add(configuration)
    return found


def _target(network: Network, state: Text, node: Any) -> Any:
    """The node after a capture, or after a labelled automaton."""
    if state[0] == "utf8":
        return node[state[1][1].label(state[1][2])]
    return network.realize(node, state[5])


def start(network: Network) -> set[Configuration]:
    """The configurations before the first byte."""
    return closure(network, [(Call(network.root), ())])


def step(network: Network, configurations: set[Configuration], byte: int) -> set[Configuration]:
    """The configurations after one more byte; none if it is refused."""
    todo: list[Configuration] = []
    for configuration in configurations:
        if configuration:
            (state, node), rest = configuration
            after = feed(state, byte)
            if after != EMPTY:
                todo.append(((after, node), rest))
    return closure(network, todo)


def run(network: Network, data: bytes) -> set[Configuration]:
    """The configurations after some bytes."""
    configurations = start(network)
    for byte in data:
        configurations = step(network, configurations, byte)
        if not configurations:
            break
    return configurations


def accepts(network: Network, data: bytes) -> bool:
    """Whether the bytes are a whole output."""
    return () in run(network, data)


def is_prefix(network: Network, data: bytes) -> bool:
    """Whether the bytes begin a whole output."""
    return bool(run(network, data))


def next_bytes(network: Network, data: bytes) -> set[int]:
    """The bytes that may follow."""
    configurations = run(network, data)
    return {byte for byte in range(256) if step(network, configurations, byte)}
