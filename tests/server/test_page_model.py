"""The page in a real browser, before a real model."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from maskwright.decode.runtimes import load
from maskwright.server.engine import Engine
from tests.registry import fetch
from tests.server.browser import opened, started
from tests.server.page_server import serve

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 20},
        "age": {"type": "integer", "minimum": 0, "maximum": 130},
        "occupation": {"enum": ["teacher", "engineer", "farmer"]},
    },
    "required": ["name", "age", "occupation"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def weights() -> Path:
    """The weights; the test is skipped where the registry cannot be reached."""
    return fetch("smollm2.gguf")


def test_a_person_tries_a_schema(weights: Path) -> None:
    """A schema is typed and run; the value is valid; an excluded favourite is explained; another token is tried."""
    with (
        started() as browser,
        serve(Engine(load(str(weights)), batch=2), model="smollm2") as url,
        opened(browser, url) as page,
    ):
        page.get_by_label("Text of the constraint").fill(json.dumps(SCHEMA, indent=1))
        page.get_by_role("textbox", name="Prompt", exact=True).fill("Ada, 36, paints. Answer as JSON.")
        page.wait_for_timeout(350)
        page.locator("#verdict-line[data-state=good]").wait_for()
        page.get_by_role("button", name="Run", exact=True).click()
        page.get_by_text("Done:").wait_for(timeout=60_000)
        assert page.locator(".badge").inner_text().startswith("Valid")
        value = json.loads(page.locator(".value").inner_text())
        jsonschema.validate(value, SCHEMA)

        page.locator(".tokens .chip.steered").first.click()
        page.locator(".excluded .candidate").first.click()
        page.locator(".answer .no .words").wait_for()
        assert "expected" in page.locator(".answer .no .words").inner_text()

        other = next(one for one in SCHEMA["properties"]["occupation"]["enum"] if one != value["occupation"])
        page.locator(".tokens .chip", has_text=value["occupation"][:2]).last.click()
        page.locator(".sample .chip", has_text=other[:2]).first.click()
        page.get_by_role("button", name="here and go on").click()
        page.get_by_text("Done:").wait_for(timeout=60_000)
        jsonschema.validate(json.loads(page.locator(".value").inner_text()), SCHEMA)
        assert page.locator(".badge").inner_text().startswith("Valid")
