"""The page in a real browser, before an engine that recites what a test wants."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.server.browser import opened, started
from tests.server.page_engine import MARKUP, ScriptedEngine
from tests.server.page_server import serve

SCHEMA = {
    "type": "object",
    "properties": {"name": {"enum": ["Ada", "Bob"]}, "age": {"type": "integer", "maximum": 130}},
    "required": ["name", "age"],
    "additionalProperties": False,
}
#: What the engine would write; the schema lets it have its way but for the age.
SCRIPT = '{"name": "Ada", "age": 360}'


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with started() as found:
        yield found


@pytest.fixture(scope="module")
def address(browser: Any) -> Iterator[str]:
    with serve(ScriptedEngine(SCRIPT)) as url:
        yield url


def _type(page: Any, source: str, kind: str = "json_schema") -> None:
    page.get_by_label("Kind").select_option(kind)
    page.get_by_label("Text of the constraint").fill(source)
    page.wait_for_timeout(350)  # what is typed is checked after a pause
    page.locator("#verdict-line:not([data-state=checking])").wait_for()


def _run(page: Any) -> None:
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("Done:").wait_for()


def _text(page: Any, lane: int = 0) -> str:
    """What the chips spell, without the end and the marks of blanks."""
    return str(
        page.locator(".tokens")
        .nth(lane)
        .evaluate("node => [...node.querySelectorAll('.chip:not(.special)')].map(chip => chip.textContent).join('')")
    ).replace("⏎", "")


def _step(page: Any, text: str) -> None:
    """Select the step that wrote a token."""
    page.locator(".tokens").first.locator(".chip", has_text=text).last.click()


def test_a_schema_is_typed_and_run(browser: Any, address: str) -> None:
    """Tokens appear; what they spell is valid, and said to be so; the value is shown."""
    with opened(browser, address) as page:
        _type(page, json.dumps(SCHEMA))
        _run(page)
        assert json.loads(_text(page)) == {"name": "Ada", "age": 36}
        assert page.locator(".badge").inner_text().startswith("Valid")
        assert json.loads(page.locator(".value").inner_text()) == {"name": "Ada", "age": 36}
        assert page.locator(".chip.forced").count() > 1
        assert page.locator(".stats dt", has_text="passes").count() == 1


def test_why_a_token_was_excluded(browser: Any, address: str) -> None:
    """The favourite that was excluded is struck through, and a click tells what was expected in its place."""
    with opened(browser, address) as page:
        _type(page, json.dumps(SCHEMA))
        _run(page)
        page.locator(".tokens .chip.steered").first.click()
        favourite = page.locator(".excluded .candidate").first
        assert "line-through" in favourite.locator(".token").evaluate("node => getComputedStyle(node).textDecoration")
        favourite.click()
        answer = page.locator(".answer .no")
        answer.wait_for()
        assert "cannot be read: expected" in answer.inner_text()
        assert page.locator(".answer code").inner_text() == "}"


def test_any_text_can_be_asked_about(browser: Any, address: str) -> None:
    """Of a typed text it is told whether it could be written here."""
    with opened(browser, address) as page:
        _type(page, json.dumps(SCHEMA))
        _run(page)
        _step(page, "Ada")
        for text, kind in (("Bob", "yes"), ("Eve", "no")):
            page.get_by_label("Could this be written here?").fill(text)
            page.get_by_role("button", name="Ask").click()
            page.locator(f".answer .{kind}").wait_for()


def test_an_output_that_was_closed_early_says_so(browser: Any, address: str) -> None:
    """Beside its validity: 14 tokens are the fewest that an output has, and leave the age one digit of two."""
    with opened(browser, address) as page:
        _type(page, json.dumps(SCHEMA))
        page.locator("#max-tokens").fill("14")
        _run(page)
        told = page.locator(".badge").inner_text()
        assert told.startswith("Closed early")
        assert "Valid" in told


def test_another_token_and_on_from_there(browser: Any, address: str) -> None:
    """A step is rewound, an allowed token written instead, and the output is valid again; so it is without one."""
    with opened(browser, address) as page:
        _type(page, json.dumps(SCHEMA))
        _run(page)
        _step(page, "Ada")
        page.locator(".sample .chip", has_text="Bob").click()
        page.get_by_role("button", name="Write “Bob” here and go on").click()
        page.get_by_text("Done:").wait_for()
        assert json.loads(_text(page))["name"] == "Bob"
        assert page.locator(".chip.yours").inner_text() == "Bob"
        assert page.locator(".badge").inner_text().startswith("Valid")
        _step(page, "Bob")
        page.get_by_role("button", name="Rewind to here").click()
        page.get_by_text("Done:").wait_for()
        assert json.loads(_text(page))["name"] == "Ada"


def test_step_by_step(browser: Any, address: str) -> None:
    """Paused, each press shows one token and its step; then the rest at once."""
    with opened(browser, address) as page:
        _type(page, json.dumps(SCHEMA))
        page.get_by_role("button", name="Step by step").click()
        chips = page.locator(".tokens .chip")
        step = page.get_by_role("button", name="Next step")
        for count in (1, 2, 3):
            step.click()
            page.get_by_role("heading", name=f"Step {count} ").wait_for()
            assert chips.count() == count
        page.get_by_role("button", name="Run on").click()
        page.get_by_text("Done:").wait_for()
        assert json.loads(_text(page)) == {"name": "Ada", "age": 36}


def test_with_and_without(browser: Any, address: str) -> None:
    """Beside it the model writes what it likes; where that leaves the constraint is marked, and told with its place."""
    with opened(browser, address) as page:
        _type(page, json.dumps(SCHEMA))
        page.get_by_label("also run without").check()
        _run(page)
        page.locator(".badge[data-state=bad]").wait_for()
        assert json.loads(_text(page, 1)) == {"name": "Ada", "age": 360}
        assert "/age" in page.locator(".badge").nth(1).inner_text()
        assert "#/properties/age/maximum" in page.locator(".badge").nth(1).inner_text()
        assert page.locator(".chip.breaks").inner_text() == "0"
        page.locator(".tokens").nth(1).locator(".chip").last.click()
        page.locator(".candidate").first.click()
        page.get_by_text("Here nothing is excluded").wait_for()


@pytest.mark.parametrize(
    ("kind", "source", "places"),
    [
        (
            "json_schema",
            '{\n  "properties": {\n    "a": {"type": "integr"},\n    "b": {"pattern": "(x"}\n  }\n}',
            {"#/properties/a/type": '"integr"', "#/properties/b/pattern": '"(x"'},
        ),
        ("json_schema", '{\n  "type" 3}', {"2:10": "3"}),
        ("gbnf", 'root ::= foo "a" bar\n', {"1:10": "f", "1:18": "b"}),
        ("regex", "a[b", {"1:2": "["}),
    ],
)
def test_problems_have_places(browser: Any, address: str, kind: str, source: str, places: dict[str, str]) -> None:
    """All problems are told while one types, each with its place; a click selects what stands there."""
    with opened(browser, address) as page:
        _type(page, source, kind)
        found = page.locator("#problems .place")
        assert sorted(found.all_inner_texts()) == sorted(places)
        for place, text in places.items():
            page.get_by_role("button", name=place).click()
            assert page.evaluate("getSelection().toString()") == text
        assert page.locator(".gutter .marked").count() == len({place.split(":")[0] for place in places})
        page.get_by_role("button", name="Run", exact=True).click()
        assert "refused" in page.locator("#form-error").inner_text()


def test_markup_stays_text(browser: Any) -> None:
    """Tokens, prompts, sources, keys, messages: nothing is ever read as markup."""
    enum = {"enum": [MARKUP, f"{MARKUP}{MARKUP}"]}
    engine = ScriptedEngine(json.dumps({MARKUP: MARKUP}))
    with serve(engine) as url, opened(browser, url) as page:
        _type(page, json.dumps({"type": "object", "properties": {MARKUP: enum}, "required": [MARKUP]}))
        page.get_by_role("textbox", name="Prompt", exact=True).fill(MARKUP)
        page.get_by_label("also run without").check()
        _run(page)
        assert MARKUP in _text(page)
        _step(page, MARKUP)
        page.get_by_label("Could this be written here?").fill(MARKUP)
        page.get_by_role("button", name="Ask").click()
        page.locator(".answer .words").wait_for()
        page.locator("#code summary").click()
        page.locator("#snippet", has_text=MARKUP).wait_for()
        _type(page, MARKUP)
        page.locator("#verdict-line[data-state=bad]").wait_for()
        _type(page, f"({MARKUP}", "regex")
        assert MARKUP in page.locator("#problems pre").inner_text()
        assert page.locator("img:not(h1 img)").count() == 0
        assert page.locator("main b, main script").count() == 0


def test_stop(browser: Any) -> None:
    """A stopped run shows what was written, and the engine works on it no more."""
    engine = ScriptedEngine("word " * 500, pause=0.02)
    with serve(engine) as url, opened(browser, url) as page:
        _type(page, "[a-z ]*", "regex")
        page.get_by_role("button", name="Run", exact=True).click()
        page.locator(".chip").nth(6).wait_for()
        page.get_by_role("button", name="Stop").click()
        page.get_by_text("Stopped:").wait_for()
        assert page.locator(".tokens .chip").count() >= 3
        deadline = time.monotonic() + 5
        while not engine.cancelled and time.monotonic() < deadline:
            page.wait_for_timeout(20)
        assert engine.cancelled == 1


def test_a_partial_value_grows(browser: Any) -> None:
    """Before the end the value so far is shown, with what is open closed."""
    with serve(ScriptedEngine(SCRIPT, pause=0.05)) as url, opened(browser, url) as page:
        _type(page, json.dumps(SCHEMA))
        page.get_by_role("button", name="Run", exact=True).click()
        page.locator(".value", has_text="Ada").wait_for()
        assert page.locator("#stop").is_enabled()
        assert json.loads(page.locator(".value").inner_text())["name"] == "Ada"
        page.get_by_text("Done:").wait_for()


def test_a_link_brings_everything_back(browser: Any, address: str) -> None:
    """The address holds kind, text, options and prompts; a broken one is as none."""
    with opened(browser, address) as page:
        _type(page, "é+\U0001f600", "regex")
        page.get_by_label("Dialect").select_option("rust")
        page.get_by_role("textbox", name="Prompt", exact=True).fill("Grüße")
        page.get_by_label("Seed").fill("7")
        page.get_by_label("plain text").check(force=True)
        page.get_by_label("also run without").check()
        page.wait_for_timeout(400)
        link = page.url
    with opened(browser, link) as page:
        assert page.get_by_label("Text of the constraint").input_value() == "é+\U0001f600"
        assert page.get_by_label("Kind").input_value() == "regex"
        assert page.get_by_label("Dialect").input_value() == "rust"
        assert page.get_by_role("textbox", name="Prompt", exact=True).input_value() == "Grüße"
        assert page.get_by_label("Seed").input_value() == "7"
        assert page.get_by_label("plain text").is_checked()
        assert page.get_by_label("also run without").is_checked()
    with opened(browser, f"{address}/#eyJub25zZW5z"):
        pass


def test_a_key_is_asked_for(browser: Any) -> None:
    """A wrong one is asked for again; it is stored nowhere."""
    with serve(ScriptedEngine(SCRIPT), keys=frozenset({"secret"})) as url:
        assert httpx.get(f"{url}/playground/info").status_code == 401
        with opened(browser, url, complaints=2) as page:
            for key in ("wrong", "secret"):
                page.locator("#key-dialog[open]").wait_for()
                page.get_by_label("Key", exact=True).fill(key)
                page.get_by_role("button", name="Use it").click()
                page.wait_for_timeout(200)
            page.locator("#verdict-line[data-state=good]").wait_for()
            _type(page, json.dumps(SCHEMA))
            _run(page)
            assert (
                page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])")
                == '[{},{},""]'
            )
            assert "secret" not in page.url


def test_by_keyboard(browser: Any, address: str) -> None:
    """A run begins and its steps are visited without a mouse."""
    with opened(browser, address) as page:
        _type(page, json.dumps(SCHEMA))
        page.keyboard.press("Control+Enter")
        page.get_by_text("Done:").wait_for()
        page.locator(".chip").first.focus()
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Step 1 ").wait_for()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        page.get_by_role("heading", name="Step 3 ").wait_for()
        page.keyboard.press("End")
        last = page.locator(".tokens .chip").count()
        page.get_by_role("heading", name=f"Step {last} ").wait_for()
        assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_small_screen(browser: Any, address: str, scheme: str) -> None:
    """Nothing is wider than 360 pixels; every field has a name; text stands out from what is behind it."""
    with opened(browser, address, viewport={"width": 360, "height": 740}, color_scheme=scheme) as page:
        _type(page, json.dumps(SCHEMA))
        page.get_by_label("also run without").check()
        _run(page)
        page.locator(".tokens .chip.steered").first.click()
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        nameless = page.locator("input, select, textarea, button, meter").evaluate_all(
            "all => all.filter(one => !one.labels?.length && !one.textContent && !one.ariaLabel && !one.ariaHidden)"
            ".map(one => one.outerHTML)"
        )
        assert nameless == []
        assert {text: ratio for text, ratio in page.evaluate(CONTRASTS).items() if ratio < 4.5} == {}


#: Text to the contrast with what is behind it (WCAG 2.2, 1.4.3), for chips and messages.
CONTRASTS = """() => {
  const rgba = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const linear = (share) => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
  const behind = (node) => {
    for (; node; node = node.parentElement) {
      const colour = rgba(getComputedStyle(node).backgroundColor);
      if (colour[3] !== 0) return colour;
    }
    return [255, 255, 255];
  };
  const texts = "h1, h2, h4, .hint, .chip, .badge, .summary, .field, .verdict-line, button, dt, dd, .share";
  const found = {};
  for (const node of document.querySelectorAll(texts)) {
    if (!node.offsetParent || node.disabled) continue;
    const pair = [rgba(getComputedStyle(node).color), behind(node)].map(light).sort((x, y) => y - x);
    found[`${node.tagName} ${node.className} ${node.textContent.slice(0, 20)}`] = (pair[0] + 0.05) / (pair[1] + 0.05);
  }
  return found;
}"""
