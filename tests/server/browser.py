"""A headless browser for tests of the page; they are skipped, with what helps, where there is none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

__all__ = ["opened", "started"]

CHROMIUM = Path("/usr/bin/chromium")


@contextmanager
def started() -> Iterator[Any]:
    """Chromium, for as long as the block runs."""
    driver = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    if not CHROMIUM.exists():
        pytest.skip("apt-get install chromium")
    with driver.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def opened(browser: Any, url: str, *, complaints: int = 0, **options: Any) -> Iterator[Any]:
    """The page at an address, ready for input. At the end it must have logged nothing but so many refusals by HTTP."""
    context = browser.new_context(**options)
    context.set_default_timeout(20_000)
    page = context.new_page()
    told: list[str] = []
    page.on("console", lambda message: told.append(message.text))
    page.on("pageerror", lambda error: told.append(str(error)))
    page.on("dialog", lambda dialog: told.append(f"dialog: {dialog.message}"))
    page.goto(url)
    page.locator("#verdict-line[data-state=good], #key-dialog[open]").first.wait_for()
    yield page
    refusals = [text for text in told if text.startswith("Failed to load resource")]
    assert [text for text in told if text not in refusals] == []
    assert len(refusals) == complaints
    context.close()
