"""``maskwright show``: follow a text through a constraint and see, token by token, what was allowed and why."""

from __future__ import annotations

import argparse
import os

import maskwright as mw
from maskwright.cli.console import write
from maskwright.cli.constraints import add_constraint, compile_constraint, read_constraint, refuse_same_input
from maskwright.cli.excerpts import draw_mask, draw_token
from maskwright.cli.exits import Exit
from maskwright.cli.policies import add_policies
from maskwright.cli.sources import read_bytes
from maskwright.cli.vocabularies import Cutter, add_vocabulary, read_vocabulary

__all__ = ["configure", "run"]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_constraint(parser)
    text = parser.add_mutually_exclusive_group(required=True)
    text.add_argument("--text", metavar="T", help="the text to follow")
    text.add_argument("--text-file", metavar="FILE", help="a file with the text, - for standard input")
    add_vocabulary(parser)
    add_policies(parser)


def run(arguments: argparse.Namespace) -> Exit:
    """Print one paragraph a token, and how it ends."""
    refuse_same_input(arguments, arguments.text_file, "text")
    constraint = compile_constraint(arguments, read_constraint(arguments))
    data = os.fsencode(arguments.text) if arguments.text_file is None else read_bytes(arguments.text_file)
    cutter = read_vocabulary(arguments.model)
    matcher = mw.compile(constraint, cutter.vocabulary).matcher()
    place = 0
    for step, entry in enumerate(cutter.cut(data), 1):
        piece = cutter.vocabulary.tokens[entry] if isinstance(entry, int) else entry
        write(_draw_step(f"{step}. byte {place + 1}", matcher, cutter) + f"   written: {draw_token(piece)}\n")
        try:
            matcher.advance_bytes(piece)
        except mw.MaskwrightError:
            write(_draw_refusal(matcher, piece, place))
            return Exit.REFUSED
        place += len(piece)
    write(_draw_step("then", matcher, cutter))
    return _conclude(matcher)


def _draw_step(title: str, matcher: mw.Matcher, cutter: Cutter) -> str:
    """What may follow: the tokens, and in words."""
    return f"{title}: {draw_mask(matcher.mask(), cutter.vocabulary)}\n   {matcher.explain_bytes(b'')}\n"


def _draw_refusal(matcher: mw.Matcher, piece: bytes, place: int) -> str:
    good = 0
    while good < len(piece) and matcher.can_read(piece[: good + 1]):
        good += 1
    if good:
        matcher.advance_bytes(piece[:good])
    why = matcher.explain_bytes(b"")
    return f"\nWRONG at byte {place + good + 1}: {draw_token(piece[good : good + 1])} cannot be read\n   {why}\n"


def _conclude(matcher: mw.Matcher) -> Exit:
    if matcher.must_end:
        write("\nCOMPLETE: nothing can follow\n")
    elif matcher.is_accepting:
        write("\nCOMPLETE: it may end here, or go on\n")
    else:
        write("\nNOT COMPLETE: right so far, but it may not end here\n")
    return Exit.OK if matcher.is_accepting else Exit.REFUSED
