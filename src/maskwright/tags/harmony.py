"""Turns of gpt-oss: messages in channels (OpenAI's harmony format).

The prompt ends with ``<|start|>assistant``; the output is messages, each of a header and what stands after
``<|message|>``. Thinking is in the channel ``analysis``, what a user sees in ``final`` or, before calls, in
``commentary``; a call is a message of ``commentary`` to ``functions.NAME``, and the recipient may stand before or after
the channel. ``<|end|>`` ends a message that another one follows, ``<|call|>`` a call and ``<|return|>`` the turn. The
last two end the output of the models as they are served, so they may be missing at its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from maskwright.network.nodes import Call, Production
from maskwright.tags.calls import Callee
from maskwright.tags.formats import ToolFormat
from maskwright.tags.freetext import free_text
from maskwright.tags.network import Tree, read, spelled

__all__ = ["harmony_turn"]

_ANALYSIS: Final = "<|channel|>analysis<|message|>"
_COMMENTARY: Final = "<|channel|>commentary<|message|>"
_FINAL: Final = "<|channel|>final<|message|>"
_NEXT: Final = "<|end|><|start|>assistant"
_NEXT_AFTER_CALL: Final = "<|call|><|start|>assistant"
#: What a header may say of the content between the channel and ``<|message|>``.
_KINDS: Final = (" <|constrain|>json", "<|constrain|>json", " json", " code", "")


def harmony_turn(
    tree: Tree, form: ToolFormat, tools: Sequence[Callee], *, mode: str, parallel: bool, thinking: bool
) -> int:
    """The node of a turn; ``mode`` as for :class:`maskwright.tags.calls.Turn`."""
    mode = mode if tools else "none"

    def literals(text: str) -> Production:
        return read(text, form.markers)

    text = spelled(free_text(form.markers))
    turn = tree.reserve("a message")
    messages: list[Production] = []
    going_on = (*literals(_NEXT), Call(turn))
    if thinking:
        messages.append((*literals(_ANALYSIS), *text, *going_on))
    if mode in ("auto", "none"):
        ended = Call(tree.node([(), literals("<|return|>"), literals("<|end|>")], "the end of the answer"))
        messages.append((*literals(_FINAL), *text, ended))
    if mode != "none":
        messages.append((*literals(_COMMENTARY), *text, *going_on))
        again = tree.reserve("the end of a tool call")
        ends: list[Production] = [(), literals("<|call|>")]
        if parallel and mode != "named":
            # After a call there may be more of them, and an answer only where none was demanded.
            ends.append((*literals(_NEXT_AFTER_CALL), Call(turn)))
        tree.define(again, ends)
        messages.extend((*header, Call(again)) for header in _calls(tree, form, tools))
    return tree.define(turn, messages)


def _calls(tree: Tree, form: ToolFormat, tools: Sequence[Callee]) -> list[Production]:
    kinds = Call(tree.node([read(kind, form.markers) for kind in _KINDS], "the kind of the content"))
    message, channel = read("<|message|>", form.markers), read("<|channel|>commentary", form.markers)
    named: list[tuple[str, int]] = []
    named_first: list[tuple[str, int]] = []
    for tool in tools:
        content = tree.node([(kinds, *message, tool.arguments)], f"the arguments of {tool.name}")
        named.append((tool.name, content))
        named_first.append((tool.name, tree.node([(*channel, Call(content))], f"what follows {tool.name}")))
    recipient = read(" to=functions.", form.markers)
    return [
        (*channel, *recipient, Call(tree.one_of(named, "the name of a tool"))),
        (*recipient, Call(tree.one_of(named_first, "the name of a tool"))),
    ]
