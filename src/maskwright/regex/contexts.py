r"""Pattern trees with assertions: tree to term, exact anywhere in the pattern.

Assertions look beyond the text that a node matches, so nodes are compiled with their *continuation*: given the
language of all that may follow a node, up to the end of the whole text, :meth:`Contexts._into` gives the language of
the node and all that follows. Then ``$`` is an intersection of the continuation with the empty text, ``(?=Y)`` one
with ``Y`` and anything, ``(?!Y)`` one with the complement of that.

What precedes is known as far as one character: continuations are *vectors*, one language for each *mark*. Mark 0 is
the beginning of the text, the others are classes of the character read last, as coarse as the pattern allows (one
class, without ``\b`` and lookbehind). ``^`` keeps the language at mark 0, ``(?<=[ab])`` those at the marks within
``[ab]``, ``\b`` is a condition on the mark and on the continuation. All vectors of one compiler begin with the same
marks; a vector may carry further entries, whose marks say which one-character past they stand for.

A lookbehind of more than one character is compiled from right to left: everything above in a mirror, with the
continuation being all that precedes. In a pattern that needs both directions it is a :class:`Guard` of the
continuation, and the whole becomes an explicit automaton that keeps what was read apart.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Final

from maskwright.errors import LimitError
from maskwright.limits import Limits
from maskwright.network.lexeme import Term, automaton, literal
from maskwright.regex.faults import limit_fault, pattern_fault
from maskwright.regex.languages import (
    ALL_TEXTS,
    EMPTY_TEXT,
    NO_TEXT,
    SOME_TEXT,
    Language,
    alternatives,
    both,
    chain,
    either,
    negated,
    one,
    repeated,
)
from maskwright.regex.loops import MARK, Guard, Hole, solve
from maskwright.regex.peeks import PEEKS, assertions, beginning, ending, needs_past, peek, touches_edges_only
from maskwright.regex.plain import compile_plain
from maskwright.regex.ranges import ALL, NONE, Ranges, contains, difference, intersection, inversion, union
from maskwright.regex.syntax import Anchor, Characters, Choice, Look, Node, Repeat, Sequence, Text, sequence

__all__ = ["Contexts"]

#: One language for each mark; see the module's docstring.
_Vector = tuple[Language, ...]
#: What :meth:`Contexts._into` asks its driver for: a node, its continuation, the marks of that; and what it gets.
_Step = Generator[tuple[Node, _Vector, tuple[int, ...]], _Vector, _Vector]

#: Nodes visited with a continuation, and more for each character of the pattern: repetitions with assertions inside are
#: unrolled, so a small tree can be long. A visit takes some 20 us there.
_MAX_VISITS: Final = 8_000
_MAX_VISITS_PER_CHARACTER: Final = 4


class Contexts:
    """Compiles one tree that has assertions; used once."""

    def __init__(self, pattern: str, tree: Node, limits: Limits) -> None:
        self.pattern = pattern
        self.limits = limits
        self.visits_left = _MAX_VISITS + _MAX_VISITS_PER_CHARACTER * len(pattern)
        #: Whether texts are read from left to right; then "ahead" is what the continuation reads.
        self.forward = True
        #: Whether matching more at the beginning of the text than inside it is all that position can do.
        self.monotone = True
        #: Repetitions whose equations are being built.
        self.unsolved: dict[Hole, Term] = {}
        self.depth = 0
        #: The languages of the guards, if lookbehinds are guards.
        self.pasts: list[Term] | None = [] if needs_past(tree) else None
        far = [node for node in assertions(tree) if type(node) is Look and not node.ahead and peek(node) is None]
        if far and self.pasts is None:
            self._turn(tree)
        #: The classes of marks 1, 2, ...: disjoint, together all characters.
        self.classes: list[Ranges] = [ALL]
        for node in assertions(tree):
            self._distinguish(node)
        self.marks = tuple(range(len(self.classes) + 1))

    def _turn(self, tree: Node) -> None:
        """Read from right to left, if nothing forbids it."""
        self.forward = False
        for node in assertions(tree):
            if type(node) is Anchor and node.kind == "final line end":
                reason = "$ before a final line feed, beside a lookbehind of more than one character, is not supported"
                raise pattern_fault(self.pattern, node.span, reason, r"write \Z")

    def _distinguish(self, node: Node) -> None:
        """Split the classes by the set that an assertion asks of the character read last."""
        ranges = NONE
        if type(node) is Anchor:
            if "boundary" in node.kind:
                ranges = node.word
            elif node.kind in PEEKS and PEEKS[node.kind][0] != self.forward:
                ranges = PEEKS[node.kind][1]
        elif type(node) is Look:
            self.monotone = self.monotone and not node.negative
            found = peek(node)
            if found is not None and node.ahead != self.forward:
                ranges = found[1]
        if ranges:
            self.monotone = False
            pieces = [(intersection(known, ranges), difference(known, ranges)) for known in self.classes]
            self.classes = [piece for pair in pieces for piece in pair if piece]

    def search(self, tree: Node) -> Language:
        """The texts with a match anywhere."""
        return self._settled(self._search(tree))

    def _settled(self, found: Language) -> Language:
        """Without guards and the holes beside them."""
        if self.pasts is None:
            return found
        root = Hole()
        solved = self._solve({**self.unsolved, root: found.term}, (0, len(self.pattern)), tuple(self.pasts))
        return Language(solved[root], found.nullable)

    def _solve(self, equations: dict[Hole, Term], span: tuple[int, int], pasts: tuple[Term, ...]) -> dict[Hole, Term]:
        try:
            return solve(equations, self.limits, pasts)
        except LimitError as error:
            problem = error.problems[0]
            raise limit_fault(self.pattern, span, problem.reason, problem.remedy) from None

    def _search(self, tree: Node) -> Language:
        found = self._run(tree, (ALL_TEXTS,) * len(self.marks))
        at_edge, inside = found[0], found[1:]
        if all(rest == at_edge for rest in inside):
            return self._join(ALL_TEXTS, at_edge)
        if self.monotone and len(inside) == 1:
            known = set(alternatives(inside[0].term))
            extra = [Language(term, at_edge.nullable) for term in alternatives(at_edge.term) if term not in known]
            return either(*extra, self._join(ALL_TEXTS, inside[0]))
        later = [
            self._join(self._join(ALL_TEXTS, one(ranges)), rest)
            for ranges, rest in zip(self.classes, inside, strict=True)
        ]
        if all(rest == inside[0] for rest in inside):
            later = [self._join(SOME_TEXT, inside[0])]
        return either(at_edge, *later)

    def full(self, tree: Node) -> Language:
        """The texts that match from beginning to end."""
        return self._settled(self._run(tree, (EMPTY_TEXT,) * len(self.marks))[0])

    def _join(self, near: Language, far: Language) -> Language:
        """What is read first, then the rest."""
        return chain(near, far) if self.forward else chain(far, near)

    def _run(self, tree: Node, rest: _Vector) -> _Vector:
        """Drive :meth:`_into` with an explicit stack: no recursion on the depth of the pattern."""
        steps = [self._into(tree, rest, self.marks)]
        answer: _Vector | None = None
        while True:
            try:
                asked = next(steps[-1]) if answer is None else steps[-1].send(answer)
            except StopIteration as finished:
                steps.pop()
                answer = finished.value
                if not steps:
                    return finished.value  # type: ignore[no-any-return]  # the type of _Step
            else:
                steps.append(self._into(*asked))
                answer = None

    def _into(self, node: Node, rest: _Vector, marks: tuple[int, ...]) -> _Step:
        """The node and all that follows, for each mark, given all that follows."""
        self.visits_left -= 1
        if self.visits_left < 0:
            reason, remedy = "a pattern with too many assertions in repetitions", "repeat them less often"
            raise limit_fault(self.pattern, (0, len(self.pattern)), reason, remedy)
        if node.plain:
            simple = self._uniform(node, rest)
            if simple is not None:
                return simple
        if type(node) is Sequence:
            return (yield from self._sequence(node, rest, marks))
        if type(node) is Choice:
            options = []
            for part in node.parts:
                options.append((yield part, rest, marks))  # noqa: PERF401 - a comprehension cannot yield
            return tuple(either(*column) for column in zip(*options, strict=True))
        if type(node) is Repeat:
            return (yield from self._repeat(node, rest, marks))
        if type(node) is Anchor:
            return self._anchor(node, rest, marks)
        if type(node) is Look:
            return (yield from self._look(node, rest, marks))
        return self._consume(node, rest)

    def _uniform(self, node: Node, rest: _Vector) -> _Vector | None:
        """A plain node whose continuation does not depend on what it reads; ``None`` if it does."""
        inside = rest[1]
        if any(other != inside for other in rest[2 : len(self.marks)]):
            return None
        language = compile_plain(node)
        if not language.nullable or all(other == inside for other in rest):
            return (self._join(language, inside),) * len(rest)
        if inside == NO_TEXT:
            return rest
        return None

    def _consume(self, node: Node, rest: _Vector) -> _Vector:
        """One character, or a string."""
        if type(node) is Text:
            if not node.text:
                return rest
            last = ord(node.text[-1 if self.forward else 0])
            mark = next(i for i, known in enumerate(self.classes, 1) if contains(known, last))
            return (self._join(Language(literal(node.text), nullable=False), rest[mark]),) * len(rest)
        wanted = node.ranges if type(node) is Characters else NONE
        options: dict[Language, Ranges] = {}
        for mark, known in enumerate(self.classes, 1):
            options[rest[mark]] = union(options.get(rest[mark], NONE), intersection(known, wanted))
        read = either(*(self._join(one(ranges), then) for then, ranges in options.items()))
        return (read,) * len(rest)

    def _sequence(self, node: Sequence, rest: _Vector, marks: tuple[int, ...]) -> _Step:
        """The parts from the far end; neighbours without assertions are taken together."""
        parts = list(node.parts if self.forward else reversed(node.parts))
        while parts:
            run = [parts.pop()]
            while run[0].plain and parts and parts[-1].plain:
                run.append(parts.pop())
            together = sequence(reversed(run) if self.forward else run)
            if len(run) > 1 and together.plain:
                simple = self._uniform(together, rest)
                if simple is not None:
                    rest = simple
                    continue
            for part in run:
                rest = yield part, rest, marks
        return rest

    def _repeat(self, node: Repeat, rest: _Vector, marks: tuple[int, ...]) -> _Step:
        body, least, most = node.part, node.least, node.most
        if body.plain:
            return (yield from self._repeat_plain(body, least, most, rest, marks))
        if most is None:
            result = yield from self._star(node, rest, marks)
        else:
            result = rest
            for _ in range(most - least):
                again = yield body, result, marks
                result = tuple(either(*pair) for pair in zip(rest, again, strict=True))
        for _ in range(least):
            result = yield body, result, marks
        return result

    def _repeat_plain(self, body: Node, least: int, most: int | None, rest: _Vector, marks: tuple[int, ...]) -> _Step:
        """Any number of repetitions, then one that reads something and fixes the mark."""
        language = compile_plain(body)
        if language.nullable:
            least = 0
        # At an added entry with no continuation, only what reads at least one character survives.
        last = (yield body, (*rest, NO_TEXT), (*marks, 0))[-1]
        before = repeated(language, max(least - 1, 0), None if most is None else most - 1)
        read = self._join(before, last)
        return tuple(either(read, then) for then in rest) if least == 0 else (read,) * len(rest)

    def _star(self, node: Repeat, rest: _Vector, marks: tuple[int, ...]) -> _Step:
        """Any number of repetitions of a body with assertions.

        What may follow a repetition that has read something depends on the class read last only: ``loop[class]``.
        Repetitions that read nothing lead nowhere new, so every entry is its own continuation, or one repetition that
        reads something and then the loop.
        """
        size = len(self.marks)
        body = node.part
        known_end = all(then == rest[1] for then in rest[2:size]) and rest[1].nullable is not None
        if touches_edges_only(body) and known_end:
            loop = yield from self._edge_loop(body, rest[1])
        else:
            loop = yield from self._hole_loop(node, rest)
        added = yield body, (NO_TEXT, *loop, *(NO_TEXT,) * len(rest)), (*self.marks, *marks)
        known = dict(zip(zip(rest[1:size], added[size + 1 : 2 * size], strict=True), loop, strict=True))
        return tuple(known.get(pair) or either(*pair) for pair in zip(rest, added[size:], strict=True))

    def _edge_loop(self, body: Node, inside: Language) -> _Step:
        """The loop of a body whose only assertions are the edges of the text.

        Inside the text it is a function ``X -> N X | E`` of its continuation: ``N`` without ``$``, and ``E`` what
        ends the text at a ``$``, if ``X`` may be empty. The least solution of ``X = F | N X | E`` is ``N* (F | E)``.
        """
        ending = inside
        if inside.nullable:
            at_end = yield body, (EMPTY_TEXT,) * len(self.marks), self.marks
            ending = either(inside, at_end[1])
        loop = self._join(repeated(compile_plain(body), 0, None), ending)
        return (loop,) * (len(self.marks) - 1)

    def _hole_loop(self, node: Repeat, rest: _Vector) -> _Step:
        """The loop of any body: equations with holes, solved when the outermost repetition has all of its own.

        Texts are read from left to right here, see :func:`needs_past`.
        """
        size = len(self.marks)
        holes = [Hole() for _ in self.marks[1:]]
        # A hole is empty-handed only where its own continuation is: what is added reads at least one character.
        loop = tuple(Language(automaton(hole), then.nullable) for hole, then in zip(holes, rest[1:size], strict=True))
        self.depth += 1
        added = yield node.part, (NO_TEXT, *loop, *(NO_TEXT,) * size), (*self.marks, *self.marks)
        self.depth -= 1
        for hole, then, more in zip(holes, rest[1:size], added[size + 1 :], strict=True):
            self.unsolved[hole] = either(then, more).term
        if self.depth or self.pasts is not None:
            return loop
        equations, self.unsolved = self.unsolved, {}
        solved = self._solve(equations, node.span, ())
        return tuple(Language(solved[hole], then.nullable) for hole, then in zip(holes, rest[1:size], strict=True))

    def _anchor(self, node: Anchor, rest: _Vector, marks: tuple[int, ...]) -> _Vector:
        if node.kind == "final line end":
            end = either(EMPTY_TEXT, Language(literal("\n"), nullable=False))
            return tuple(both(then, end) for then in rest)
        if node.kind in PEEKS:
            ahead, ranges = PEEKS[node.kind]
            return self._require(ahead, True, ranges, rest, marks)
        result = []
        for mark, then in zip(marks, rest, strict=True):
            inside_word = mark > 0 and bool(intersection(self.classes[mark - 1], node.word))
            wants_word = inside_word != (node.kind == "boundary")
            ranges = node.word if wants_word else inversion(node.word)
            result.append(both(then, self._edge_or(not wants_word, ranges)))
        return tuple(result)

    def _edge_or(self, edge: bool, ranges: Ranges) -> Language:  # noqa: FBT001  (the edge is a value of the algebra)
        """Continuations that are empty, if ``edge``, or of which a character of the set is read first."""
        return beginning(edge, ranges) if self.forward else ending(edge, ranges)

    def _require(
        self,
        ahead: bool,  # noqa: FBT001  (the side is a value of the algebra)
        edge: bool,  # noqa: FBT001
        ranges: Ranges,
        rest: _Vector,
        marks: tuple[int, ...],
    ) -> _Vector:
        """Require the edge of the text, or one character of a set, at one side of the position."""
        if ahead == self.forward:
            condition = self._edge_or(edge, ranges)
            return tuple(both(then, condition) for then in rest)
        return tuple(
            then if (edge if mark == 0 else bool(intersection(self.classes[mark - 1], ranges))) else NO_TEXT
            for mark, then in zip(marks, rest, strict=True)
        )

    def _look(self, node: Look, rest: _Vector, marks: tuple[int, ...]) -> _Step:
        found = peek(node)
        if found is not None:
            edge, ranges = found
            if node.negative:
                edge, ranges = not edge, inversion(ranges)
            return self._require(node.ahead, edge, ranges, rest, marks)
        if self.pasts is not None and not node.ahead:
            (guard,) = yield from self._guard(node, self.pasts)
            return tuple(both(then, guard) for then in rest)
        seen = yield node.part, (ALL_TEXTS,) * len(rest), marks
        if node.negative:
            seen = tuple(map(negated, seen))
        return tuple(both(then, condition) for then, condition in zip(rest, seen, strict=True))

    def _guard(self, node: Look, pasts: list[Term]) -> _Step:
        """A lookbehind as a condition on what was read before, for all marks alike."""
        before = Repeat(Characters(ALL), 0, None, plain=True, span=node.span)
        mark = Language(MARK, nullable=None)
        past = (yield sequence((before, node.part)), (mark,) * len(self.marks), self.marks)[0].term
        if past not in pasts:
            pasts.append(past)
        guard = Language(automaton(Guard(which=pasts.index(past))), nullable=None)
        return (negated(guard) if node.negative else guard,)
