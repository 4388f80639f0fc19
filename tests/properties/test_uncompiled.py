"""The kernel run by Python gives the masks of the compiled one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

import maskwright as mw
from maskwright.kernel import walk
from tests.oracle.masks import SINGLES, make_vocabulary

TOKENS: Final = (b'{"', b'"}', b'":', b'","', b"aa", b'aa"]', b"\xc3\xa9", b"\\u00", b"12", b"null", b'"a":1,"a":')

#: Schemas, policies and outputs along which every mask is taken.
TABLE: Final[list[tuple[Any, dict[str, str], str]]] = [
    ({}, {}, '{"a": [1.5e3, "x\\u00e9\\n", null], "b": {}}'),
    ({"type": "string", "maxLength": 3, "minLength": 2}, {}, '"a\u00e9b"'),
    ({"type": "string", "pattern": "^(ab|b)*$", "maxLength": 40}, {"escapes": "minimal"}, '"abbab"'),
    ({"enum": ["a", 'a"b', 12, [1, "\u4e00"]]}, {"whitespace": "any"}, '[1,"\\u4e00"]'),
    ({"type": "integer", "minimum": -3, "maximum": 120, "multipleOf": 3}, {}, "117"),
    (
        {"properties": {"a": {"const": 1}, "ab": {}}, "required": ["ab"]},
        {"property_order": "any"},
        '{"ab":1,"a":1,"c":2}',
    ),
    ({"anyOf": [{"items": {"maxLength": 3}}, {"items": {"minLength": 2}}]}, {"whitespace": "compact"}, '["aa","abc"]'),
    ({"type": "string", "format": "date-time"}, {}, '"2024-02-29T01:02:03Z"'),
]


def masks() -> list[str]:
    """Every mask of the table, in hexadecimal."""
    vocabulary = make_vocabulary((*SINGLES, *TOKENS))
    found = []
    for schema, policies, output in TABLE:
        matcher = mw.compile(mw.json_schema(schema, **policies), vocabulary).matcher()
        for byte in output.encode():
            found.append(matcher.mask().tobytes().hex())
            matcher.advance_bytes(bytes([byte]))
        assert matcher.is_accepting, (schema, output)
        found.append(matcher.mask().tobytes().hex())
    return found


@pytest.mark.slow
@pytest.mark.skipif(walk.__file__.endswith(".py"), reason="the kernel is not compiled here")
def test_both_kernels_agree(tmp_path: Path) -> None:
    """A copy of the package without its compiled modules gives the same masks."""
    package = Path(mw.__file__).parent
    shutil.copytree(
        package, tmp_path / "maskwright", ignore=shutil.ignore_patterns("*.so", "*.pyd", "*.c", "__pycache__")
    )
    program = "import json; from tests.properties import test_uncompiled as t; from maskwright.kernel import walk\n"
    program += "assert walk.__file__.endswith('.py'); print(json.dumps(t.masks()))"
    root = Path(__file__).parents[2]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(root)])}
    command = [sys.executable, "-c", program]
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout) == masks()
