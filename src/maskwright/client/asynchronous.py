"""The client for programs that do other things meanwhile, with asyncio."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, overload

from maskwright.client.answer import Answer
from maskwright.client.async_driver import AsyncDriver, Result
from maskwright.client.configuration import Configuration
from maskwright.client.connection import Counts, Pool, Tally
from maskwright.client.flow import Flow
from maskwright.client.parts import Part
from maskwright.client.profiles import Profile
from maskwright.client.questions import Questions
from maskwright.client.retries import Retries
from maskwright.client.spending import Budget
from maskwright.errors import PolicyError
from maskwright.vocabulary import Vocabulary

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self, Unpack

    from maskwright.client.options import Options

__all__ = ["AsyncClient", "AsyncStream"]

T = TypeVar("T")


class AsyncClient:
    """Asks an API, and gives only answers that are what was asked for; tasks may share it.

    Every method may raise a child of :class:`maskwright.errors.ServiceError` (the API gave no answer) or
    :class:`maskwright.errors.AnswerError` (it gave one that is not what was asked for), and ``ConstraintError`` or
    ``PolicyError`` for what cannot be asked.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str | None = None,
        model: str | None = None,
        *,
        vocabulary: Vocabulary | None = None,
        profile: str | Profile = "auto",
        timeout: float = 60.0,
        connect_timeout: float = 5.0,
        retries: int | Retries = 2,
        budget: Budget = Budget(),  # noqa: B008 - frozen
        headers: Mapping[str, str] = {},
        limits: Pool = Pool(),  # noqa: B008 - frozen
        tool_format: str | None = None,
    ) -> None:
        """Know an API; nothing is sent before the first question.

        Args:
            base_url: Where it is, with or without ``/v1``.
            api_key: Sent as bearer token; never shown.
            model: Which model to ask; where the API has just one, that is found out.
            vocabulary: That of the model, exactly. With it an API can be told which tokens to take.
            profile: What the API offers: a name of ``PROFILES`` or a profile; ``"auto"``: known by the address, or
                found out.
            timeout: Seconds that the server may be silent, before its answer and between two pieces of it. How long
                the whole may take is ``budget.seconds``.
            connect_timeout: Seconds for a connection.
            retries: How often a request that fails in passing is sent again; or all about it.
            budget: What one answer may cost.
            headers: Further headers of every request.
            limits: How many connections, and how much is read from one.
            tool_format: How the model writes calls of tools (``hermes``, ``llama3``, ...; the names of
                :func:`maskwright.tools`), for an API that has no tools of its own; by default known by the model's
                name.

        Raises:
            PolicyError: an argument has no meaning.
        """
        configuration = Configuration.of(
            base_url,
            api_key=api_key,
            model=model,
            vocabulary=vocabulary,
            profile=profile,
            timeout=timeout,
            connect_timeout=connect_timeout,
            retries=retries,
            budget=budget,
            headers=headers,
            pool=limits,
            tool_format=tool_format,
        )
        tally = Tally()
        self._take(configuration, tally, AsyncDriver(configuration.connection, tally))

    def _take(self, configuration: Configuration, tally: Tally, driver: AsyncDriver) -> None:
        self._configuration = configuration
        self._tally = tally
        self._driver = driver
        self._questions = Questions(configuration.settings, tally)

    def __repr__(self) -> str:
        """The address and the model; not the key."""
        return f"AsyncClient({self._configuration})"

    async def __aenter__(self) -> Self:
        """The client itself."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close all connections."""
        await self.close()

    async def close(self) -> None:
        """Close all connections of this event loop; further questions raise ``PolicyError``."""
        await self._driver.close()

    def with_options(self, **changes: Any) -> Self:
        """The same client with other arguments, all but ``base_url`` and ``limits``; connections and counts are shared.

        ``gate`` is one more: a function that is called before each request that may be billed, repeated ones too; what
        it raises ends the question.

        Raises:
            PolicyError: an argument has no meaning.
        """
        other = object.__new__(type(self))
        configuration = self._configuration.changed(changes)
        other._take(configuration, self._tally, self._driver.with_connection(configuration.connection))
        return other

    @property
    def counts(self) -> Counts:
        """What was done so far."""
        return self._tally.counts

    async def models(self) -> tuple[str, ...]:
        """The names of the models that the API has."""
        return await self._driver.run(self._questions.models())

    async def complete(self, prompt: str, constraint: object = None, **options: Unpack[Options]) -> Answer:
        """Go on with a text (``/v1/completions``).

        Args:
            prompt: The text.
            constraint: What the answer must be: a :class:`maskwright.Constraint`, a JSON Schema, or a Python type, of
                which the answer's value then is an instance; ``None`` for any text.
            options: See :class:`maskwright.client.options.Options`.
        """
        return await self._driver.run(self._questions.complete(prompt, constraint, options, stream=False))

    async def chat(
        self,
        messages: str | Iterable[Mapping[str, Any]],
        constraint: object = None,
        *,
        tools: Iterable[object] | None = None,
        tool_choice: object = "auto",
        parallel: bool = True,
        **options: Unpack[Options],
    ) -> Answer:
        """The next message of a conversation (``/v1/chat/completions``).

        Args:
            messages: What the user says, or messages in OpenAI's shape.
            constraint: As for :meth:`complete`.
            tools: Tools in OpenAI's shape, or functions and types; instead of a constraint. The answer's ``calls``
                have arguments that their schemas accept.
            tool_choice: ``"auto"``, ``"none"``, ``"required"``, or the name of a tool.
            parallel: Whether there may be more than one call.
            options: See :class:`maskwright.client.options.Options`.
        """
        flow = self._questions.chat(
            messages, constraint, options, tools=tools, tool_choice=tool_choice, parallel=parallel
        )
        return await self._driver.run(flow)

    @overload
    async def extract(
        self,
        source: str | Iterable[Mapping[str, Any]],
        wanted: type[T],
        *,
        instructions: str | None = None,
        **options: Unpack[Options],
    ) -> T: ...
    @overload
    async def extract(
        self,
        source: str | Iterable[Mapping[str, Any]],
        wanted: object,
        *,
        instructions: str | None = None,
        **options: Unpack[Options],
    ) -> Any: ...
    async def extract(
        self,
        source: str | Iterable[Mapping[str, Any]],
        wanted: object,
        *,
        instructions: str | None = None,
        **options: Unpack[Options],
    ) -> Any:
        """What a text says, as an instance of a type, or as a value of a JSON Schema.

        Args:
            source: The text, or a conversation.
            wanted: A pydantic model, a dataclass, a ``TypedDict`` or another type that pydantic can describe; a
                function, whose arguments are given as a dict; a JSON Schema; a :class:`maskwright.Constraint`.
            instructions: What the model is told to do; by default, to take what is asked for out of the text.
            options: See :class:`maskwright.client.options.Options`.
        """
        return (await self.extraction(source, wanted, instructions=instructions, **options)).value

    async def extraction(
        self,
        source: str | Iterable[Mapping[str, Any]],
        wanted: object,
        *,
        instructions: str | None = None,
        **options: Unpack[Options],
    ) -> Answer:
        """As :meth:`extract`, with all there is to know: the value is ``answer.value``."""
        return await self._driver.run(self._questions.extraction(source, wanted, instructions, options))

    def stream(
        self,
        messages: str | Iterable[Mapping[str, Any]],
        constraint: object = None,
        *,
        tools: Iterable[object] | None = None,
        tool_choice: object = "auto",
        parallel: bool = True,
        **options: Unpack[Options],
    ) -> AsyncStream:
        """As :meth:`chat`, in parts as they become certain: text that was given stands.

        Calls of tools are no text: they are in the ``answer`` of the stream, when its parts are used up.
        """
        flow = self._questions.chat(
            messages, constraint, options, stream=True, tools=tools, tool_choice=tool_choice, parallel=parallel
        )
        return AsyncStream(self._driver, flow)

    def stream_completion(self, prompt: str, constraint: object = None, **options: Unpack[Options]) -> AsyncStream:
        """As :meth:`complete`, in parts as they become certain."""
        return AsyncStream(self._driver, self._questions.complete(prompt, constraint, options, stream=True))


class AsyncStream:
    """The parts of an answer, as an asynchronous iterator. Leaving its ``async with`` ends the request at once."""

    def __init__(self, driver: AsyncDriver, flow: Flow[Answer]) -> None:
        """Made by :meth:`AsyncClient.stream`; the request is sent when the first part is asked for."""
        self._items = driver.items(flow)
        self._answer: Answer | None = None

    def __aiter__(self) -> AsyncIterator[Part]:
        """The stream itself."""
        return self

    async def __anext__(self) -> Part:
        """The next part; raises what :meth:`AsyncClient.chat` raises."""
        item: Part | Result = await anext(self._items)
        if isinstance(item, Result):
            self._answer = item.value
            await self._items.aclose()
            raise StopAsyncIteration
        return item

    async def __aenter__(self) -> Self:
        """The stream itself."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the request."""
        await self.close()

    async def close(self) -> None:
        """End the request; there are no more parts."""
        await self._items.aclose()

    @property
    def answer(self) -> Answer:
        """The whole answer; raises ``PolicyError`` before the parts are used up."""
        if self._answer is None:
            raise PolicyError("the answer is known when all parts were read")
        return self._answer

    async def read(self) -> Answer:
        """The whole answer, after reading what is left of it."""
        async for _ in self:
            pass
        return self.answer
