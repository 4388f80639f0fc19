"""Plays flows without sockets and without waiting: a clock that only pauses move, replies and events from a list."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from maskwright.client.flow import Call, Emit, Flow, Hangup, More, Now, Pause, Reply

#: A reply, a reply with the events that follow it (an exception among them is thrown), or an exception.
Scene = Reply | tuple[Reply, list[Any]] | Exception
EVENTS = Reply(200, {"content-type": "text/event-stream"}, is_stream=True)


def reply(status: int = 200, data: bytes | str = b"{}", **headers: str) -> Reply:
    """A whole response; underscores in names of headers are hyphens."""
    octets = data.encode() if isinstance(data, str) else data
    return Reply(status, {name.replace("_", "-"): value for name, value in headers.items()}, octets)


@dataclass
class Play:
    """What was done: calls, pauses, things emitted, hang-ups."""

    scenes: list[Scene]
    clock: float = 1000.0
    calls: list[Call] = field(default_factory=list)
    pauses: list[float] = field(default_factory=list)
    emitted: list[Any] = field(default_factory=list)
    hangups: int = 0
    events: list[Any] = field(default_factory=list)

    def run(self, flow: Flow[Any]) -> Any:
        """The result of the flow."""
        step: Any = None
        error: Exception | None = None
        try:
            while True:
                command = flow.throw(error) if error else flow.send(step)
                step, error = None, None
                try:
                    step = self._result(command)
                except Exception as caught:  # noqa: BLE001 - thrown into the flow
                    error = caught
        except StopIteration as end:
            return end.value

    def _result(self, command: object) -> Any:
        match command:
            case Call():
                self.calls.append(command)
                return self._scene(self.scenes.pop(0))
            case More(keep=keep):
                found = (self.events[0] if keep else self.events.pop(0)) if self.events else None
                if isinstance(found, Exception):
                    raise found
                return found
            case Hangup():
                self.hangups += 1
                self.events = []
            case Pause(seconds=seconds):
                self.pauses.append(seconds)
                self.clock += seconds
            case Now():
                return self.clock
            case Emit(item=item):
                self.emitted.append(item)
        return None

    def _scene(self, scene: Scene) -> Reply:
        if isinstance(scene, Exception):
            raise scene
        if isinstance(scene, tuple):
            self.events = list(scene[1])
            return scene[0]
        return scene


def played(flow: Flow[Any], *scenes: Scene) -> tuple[Any, Play]:
    """The result of a flow, and what was done for it."""
    play = Play(list(scenes))
    return play.run(flow), play


def texts(items: Iterable[Any]) -> list[str]:
    """The texts of parts."""
    return [item.delta for item in items]
