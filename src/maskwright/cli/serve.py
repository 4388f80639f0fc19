"""``maskwright serve``: a model behind the APIs of OpenAI and Cerebras, with every constraint enforced."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import socket
import sys
from importlib import import_module
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Final

import maskwright as mw
from maskwright.cli.console import say
from maskwright.cli.exits import Exit
from maskwright.cli.threads import limit_threads
from maskwright.decode.models import DEFAULT
from maskwright.decode.runtimes import ENGINES, load
from maskwright.errors import InputError
from maskwright.server.settings import PARTS, WHITESPACES, Settings

if TYPE_CHECKING:
    from maskwright.decode.runtime import Runtime

__all__ = ["configure", "run"]

_KEYS: Final = "MASKWRIGHT_API_KEYS"
#: What the engine keeps of finished sequences, beside those under way.
_KEPT_SESSIONS: Final = 8
_PACKAGES: Final = ("starlette", "uvicorn")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    model = parser.add_argument_group("model")
    model.add_argument(
        "--model", default=DEFAULT.name, help="a known name or the path of a GGUF file; default: %(default)s"
    )
    model.add_argument("--engine", default="numpy", choices=tuple(ENGINES), help="what runs it; default: %(default)s")
    model.add_argument("--name", help="the name that requests ask for; default: that of the model")
    model.add_argument("--any-model", action="store_true", help="answer to every name")
    model.add_argument("--context", type=_count, help="tokens a sequence may have; default: what the model allows")
    model.add_argument("--threads", type=_count, default=1, help="processor threads; default: %(default)s")
    load_group = parser.add_argument_group("load")
    load_group.add_argument("--batch", type=_count, default=8, help="sequences at once; default: %(default)s")
    load_group.add_argument("--queue", type=_count, default=256, help="jobs that wait, then 429; default: %(default)s")
    load_group.add_argument(
        "--request-seconds", type=_seconds, default=600.0, help="time of one request; default: %(default)g"
    )
    load_group.add_argument(
        "--grace", type=_seconds, default=20.0, help="time to finish at the end; default: %(default)g"
    )
    http = parser.add_argument_group("HTTP")
    http.add_argument("--host", default="127.0.0.1", help="default: %(default)s, this machine only")
    http.add_argument("--port", type=_port, default=8000, help="0 takes a free one; default: %(default)s")
    http.add_argument(
        "--api-key",
        action="append",
        default=[],
        metavar="KEY",
        help=f"ask for this key; may be repeated. Better in {_KEYS}, separated by commas: arguments are seen by others",
    )
    http.add_argument("--origin", action="append", default=[], help="pages that may ask (https://example.org, or *)")
    http.add_argument("--access-log", action="store_true", help="a line of JSON for each request on standard error")
    http.add_argument(
        "--compat",
        default="lenient",
        choices=("lenient", "cerebras", "openai"),
        help="how unknown fields and faults are treated; default: %(default)s, which ignores and lists them",
    )
    http.add_argument(
        "--whitespace", default="spaced", choices=WHITESPACES, help="the blanks of JSON; default: %(default)s"
    )
    http.add_argument(
        "--without", action="append", default=[], choices=sorted(PARTS), help="leave something out, to try a client"
    )


def run(arguments: argparse.Namespace) -> Exit:
    """Serve until a signal ends it.

    Raises:
        InputError: the address cannot be listened on, or packages are missing.
        MaskwrightError: the model cannot be loaded, or an option has no meaning.

    """
    _check_packages()
    settings = _settings(arguments)
    limit_threads(min(arguments.threads, os.cpu_count() or 1))
    with _listen(arguments.host, arguments.port) as listener:
        say(f"loading {arguments.model} ({arguments.engine})")
        runtime = load(
            arguments.model,
            engine=arguments.engine,
            threads=arguments.threads,
            sessions=arguments.batch + _KEPT_SESSIONS,
            context=arguments.context,
        )
        _advise(arguments, settings, runtime, listener)
        _warm(runtime)
        engine = import_module("maskwright.server.engine").Engine(runtime, batch=arguments.batch, queue=arguments.queue)
        app = import_module("maskwright.server.app").create_app(settings, engine, version=mw.__version__)
        _log_to_stderr(access=settings.access_log)
        # After a clean end uvicorn raises the signal again; the process is to end with 0 then.
        signal.signal(signal.SIGTERM, lambda *_: None)
        url = _url(arguments.host, listener)
        connections = import_module("maskwright.server.connections")
        try:
            connections.make_server(app, lambda: _greet(url, settings, runtime)).run([listener])
        except OSError as cause:
            raise InputError(f"cannot serve on {url}: {cause.strerror}") from cause
    say("stopped")
    return Exit.OK


def _settings(arguments: argparse.Namespace) -> Settings:
    in_environment = (key.strip() for key in os.environ.get(_KEYS, "").split(","))
    name = arguments.name or (Path(arguments.model).stem if os.sep in arguments.model else arguments.model)
    return Settings(
        model=name,
        any_model=arguments.any_model,
        keys=frozenset(arguments.api_key) | frozenset(key for key in in_environment if key),
        compat=arguments.compat,
        whitespace=arguments.whitespace,
        without=frozenset(arguments.without),
        origins=tuple(arguments.origin),
        request_seconds=arguments.request_seconds,
        grace=arguments.grace,
        access_log=arguments.access_log,
    )


def _check_packages() -> None:
    for package in _PACKAGES:
        try:
            import_module(package)
        except ImportError as cause:
            raise InputError(f'serve needs the package {package}: pip install "maskwright[server]"') from cause


def _listen(host: str, port: int) -> socket.socket:
    """A socket that listens, bound before the model is loaded: a taken port is told at once."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as cause:
        raise InputError(f"{host} is no address of this machine: {cause.strerror}") from cause
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        # Not listening yet: a client would wait for the model instead of being told that nobody is there.
        listener.setblocking(False)
    except OSError as cause:
        listener.close()
        raise InputError(f"cannot listen on {host}:{port}: {cause.strerror} (--port 0 takes a free one)") from cause
    return listener


def _url(host: str, listener: socket.socket) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{listener.getsockname()[1]}"


def _advise(arguments: argparse.Namespace, settings: Settings, runtime: Runtime, listener: socket.socket) -> None:
    """Tell what was asked for and is not so, and what should not be so."""
    if arguments.context is not None and arguments.context > runtime.context:
        say(f"--context {arguments.context} is more than the model has: sequences have {runtime.context} tokens")
    if not settings.keys and not ip_address(listener.getsockname()[0].partition("%")[0]).is_loopback:
        say(f"warning: {arguments.host} can be asked by other machines, and no key is demanded (see --api-key)")


def _warm(runtime: Runtime) -> None:
    """Let the vocabulary learn what every schema needs, so that the first request is as quick as the next."""
    guide = mw.compile(mw.json_schema({"type": "object"}), runtime.vocabulary)
    guide.matcher().mask()


def _greet(url: str, settings: Settings, runtime: Runtime) -> None:
    say(f"{settings.model}: {runtime.title}")
    if settings.without:
        say(f"without {', '.join(sorted(settings.without))}")
    say(f"ready on {url} (API: {url}/v1; Ctrl-C ends)")


def _log_to_stderr(*, access: bool) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    for name, level in (("maskwright.server", logging.INFO if access else logging.WARNING), ("uvicorn", logging.ERROR)):
        logger = logging.getLogger(name)
        logger.addHandler(handler)
        logger.setLevel(level)
        logger.propagate = False


def _count(text: str) -> int:
    return _number(text, 1, 1_000_000)


def _port(text: str) -> int:
    return _number(text, 0, 65_535)


def _number(text: str, least: int, most: int) -> int:
    if not text.isascii() or not text.isdecimal() or not least <= int(text) <= most:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least} to {most}")
    return int(text)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds")
    return value
