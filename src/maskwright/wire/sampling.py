"""Kinds of the fields that say how tokens are drawn and when to stop: stop, logit_bias, stream_options."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Any, Final

from maskwright.errors import excerpt
from maskwright.wire.kinds import Kind, boolean, number, wrong_type
from maskwright.wire.refusals import invalid

__all__ = ["BIAS_ENTRIES", "STOP", "STREAM_OPTIONS", "bias"]

#: Texts that may end an output, in both APIs.
_STOPS: Final = 4
#: Most entries of ``logit_bias``: Cerebras answers 400 beyond 100 (pydantic/pydantic-ai#7653), OpenAI takes 300
#: (outlines#99), vLLM 1,024.
BIAS_ENTRIES: Final[dict[str, int]] = {"lenient": 1024, "openai": 300, "cerebras": 100}
_TOKEN_ID: Final = re.compile(r"0|[1-9][0-9]{0,9}")
_BIAS: Final = number(-100, 100)


def _stop(value: Any, param: str) -> tuple[str, ...]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list):
        raise wrong_type(param, "a string or a list of strings", value)
    if len(texts) > _STOPS:
        raise invalid(param, f"there are at most {_STOPS}, not {len(texts)}")
    for i, one in enumerate(texts):
        at = param if isinstance(value, str) else f"{param}[{i}]"
        if not isinstance(one, str):
            raise wrong_type(at, "a string", one)
        if not one:
            raise invalid(at, "an empty text would end every output before it begins")
    return tuple(dict.fromkeys(texts))


def _of_stop() -> dict[str, Any]:
    one = {"type": "string", "minLength": 1}
    return {"anyOf": [one, {"type": "array", "items": one, "maxItems": _STOPS}]}


STOP: Final = Kind(_stop, _of_stop(), f"string, or up to {_STOPS} of them; none is empty")


def bias(most: int) -> Kind:
    """Token ids as decimal texts to numbers from -100 to 100."""

    def read(value: Any, param: str) -> MappingProxyType[int, float]:
        if not isinstance(value, dict):
            raise wrong_type(param, "an object from token ids to numbers", value)
        if len(value) > most:
            raise invalid(param, f"there are at most {most} entries, not {len(value)}")
        found = {}
        for name, added in value.items():
            if not isinstance(name, str) or not _TOKEN_ID.fullmatch(name):
                raise invalid(param, f"{excerpt(name)} is not a token id in decimal digits")
            found[int(name)] = _BIAS.read(added, f"{param}.{name}")
        return MappingProxyType(found)

    schema = {
        "type": "object",
        "propertyNames": {"pattern": f"^({_TOKEN_ID.pattern})$"},
        "additionalProperties": dict(_BIAS.schema),
        "maxProperties": most,
    }
    return Kind(read, schema, "object from token ids to numbers from -100 to 100")


def _stream_options(value: Any, param: str) -> bool:
    if not isinstance(value, dict):
        raise wrong_type(param, "an object", value)
    for name, one in value.items():
        if name not in _OPTIONS:
            raise invalid(f"{param}.{name}", f"the options are {', '.join(_OPTIONS)}", code="unknown_parameter")
        if one is not None:
            boolean().read(one, f"{param}.{name}")
    return bool(value.get("include_usage"))


#: OpenAI pads events against guesses at their lengths (``include_obfuscation``), vLLM counts along
#: (``continuous_usage_stats``): both may be asked for, neither is done.
_OPTIONS: Final = ("include_usage", "include_obfuscation", "continuous_usage_stats")
STREAM_OPTIONS: Final = Kind(
    _stream_options,
    {
        "type": "object",
        "properties": {name: {"type": ["boolean", "null"]} for name in _OPTIONS},
        "additionalProperties": False,
    },
    f"object with {', '.join(f'`{name}`' for name in _OPTIONS)}; all booleans",
)
